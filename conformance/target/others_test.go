package target

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// others are the engines that only the matrix starts.
var others = map[string]struct {
	start   func(t *testing.T) (Target, error)
	program string
	version string
}{
	"dynalite": {func(t *testing.T) (Target, error) { return Dynalite(t.Context(), EmbeddedOptions{}) }, "node", DynaliteVersion},
	"moto":     {func(t *testing.T) (Target, error) { return Moto(t.Context(), EmbeddedOptions{}) }, "python3", MotoVersion},
}

func TestOtherEnginesStartOnLoopbackAlone(t *testing.T) {
	for name, other := range others {
		t.Run(name, func(t *testing.T) {
			engine, err := other.start(t)
			var config *ConfigError
			if errors.As(err, &config) {
				t.Skip(err)
			}
			require.NoError(t, err)
			is := engine.Description()
			if is.Engine != name || is.Version != other.version || !strings.Contains(is.Source, name) || is.Grade != GradeEngine {
				t.Errorf("expected %s %s and its source, found %+v", name, other.version, is)
			}
			address, err := url.Parse(engine.URL())
			require.NoError(t, err)
			for _, outside := range addressesOfThisMachine(t) {
				connection, err := net.Dial("tcp", net.JoinHostPort(outside, address.Port()))
				if err == nil {
					_ = connection.Close()
					t.Errorf("expected %s to listen on loopback alone, found it on %s", name, outside)
				}
			}
			mustClose(t, engine)
			mustBeFree(t, engine.URL())
		})
	}
}

// addressesOfThisMachine returns those that are not loopback.
func addressesOfThisMachine(t *testing.T) []string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	require.NoError(t, err)
	var outside []string
	for _, each := range all {
		if address, ok := each.(*net.IPNet); ok && !address.IP.IsLoopback() && !address.IP.IsLinkLocalUnicast() {
			outside = append(outside, address.IP.String())
		}
	}
	return outside
}

func TestOtherEnginesWithoutTheirInterpreter(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for name, other := range others {
		_, err := other.start(t)
		mustBeOneLine[*ConfigError](t, err, "engine "+name, other.program, "leave this engine out")
	}
}

func TestOtherEnginesWithoutARegistry(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("npm_config_registry", "http://127.0.0.1:9/")
	t.Setenv("npm_config_cache", t.TempDir())
	t.Setenv("npm_config_fetch_retries", "0")
	t.Setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
	t.Setenv("PIP_CACHE_DIR", t.TempDir())
	t.Setenv("PIP_RETRIES", "0")
	for name, other := range others {
		_, err := other.start(t)
		var config *ConfigError
		if errors.As(err, &config) {
			t.Skip(err)
		}
		mustBeOneLine[*UnavailableError](t, err, "engine "+name, "leave this engine out")
	}
}

// pip and npm check every package against these; one without a digest would be taken as it comes.
func TestEveryPackageOfTheOtherEnginesHasADigest(t *testing.T) {
	packages, err := lockedPackages(dynaliteLock)
	require.NoError(t, err)
	if packages["dynalite"].version != DynaliteVersion {
		t.Errorf("expected dynalite %s in the lock file, found %q", DynaliteVersion, packages["dynalite"].version)
	}
	for name, locked := range packages {
		if !strings.HasPrefix(locked.integrity, "sha512-") {
			t.Errorf("%s: expected a digest, found %q", name, locked.integrity)
		}
	}
	var pinned int
	requirements := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(motoRequirements), "\\\n", " ")), "\n")
	for _, requirement := range requirements {
		if strings.HasPrefix(requirement, "#") {
			continue
		}
		pinned++
		if !strings.Contains(requirement, "==") || !strings.Contains(requirement, "--hash=sha256:") {
			t.Errorf("expected a version and digests, found %q", requirement)
		}
	}
	if pinned < 20 || !strings.Contains(string(motoRequirements), "moto=="+MotoVersion+" ") {
		t.Errorf("expected moto %s and what it needs, found %d packages", MotoVersion, pinned)
	}
}

func TestPipCause(t *testing.T) {
	for output, expected := range map[string]string{
		"Looking up\nERROR: THESE PACKAGES DO NOT MATCH THE HASHES\nERROR: again\nERROR: third": "THESE PACKAGES DO NOT MATCH THE HASHES; again",
		"/usr/bin/python3: No module named pip\n":                                               "/usr/bin/python3: No module named pip",
		"fine": "",
	} {
		assert.Equal(t, expected, pipCause(output), "%q", output)
	}
}

// mustBeFree fails unless the engine's port can be listened on at once, or is held by somebody who listens on every address of
// this machine: the engine listens on its own.
func mustBeFree(t *testing.T, url string) {
	t.Helper()
	require.NoError(t, free(url), "expected the port to be free")
}

// free is nil unless somebody listens at an address, and not on every address with its port.
func free(url string) error {
	address := strings.TrimPrefix(url, "http://")
	listener, err := net.Listen("tcp4", address)
	if err == nil {
		return listener.Close()
	}
	_, port, _ := net.SplitHostPort(address)
	if other, every := net.Listen("tcp4", "127.255.255.1:"+port); every == nil {
		_ = other.Close()
	} else if errors.Is(every, syscall.EADDRINUSE) {
		return nil
	}
	return err
}
