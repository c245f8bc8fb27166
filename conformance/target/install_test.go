package target

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mustPin returns this platform's package, or skips where there is none.
func mustPin(t *testing.T) enginePackage {
	t.Helper()
	pinned, err := pinnedPackage()
	if errors.Is(err, ErrNoEngine) {
		t.Skip(err)
	}
	require.NoError(t, err)
	return pinned
}

// fakeNpm puts a shell script in npm's place, in front of everything else on the PATH.
func fakeNpm(t *testing.T, body string) {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "npm"), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestEveryPinIsWhole(t *testing.T) {
	packages, err := lockedPackages(npmLock)
	require.NoError(t, err)
	var manifest struct {
		OptionalDependencies map[string]string `json:"optionalDependencies"`
	}
	require.NoError(t, json.Unmarshal(npmManifest, &manifest))
	if len(packages) == 0 || len(packages) != len(manifest.OptionalDependencies) || len(packages) != len(executableDigests) {
		t.Fatalf("expected the same packages in the manifest, the lock and pin.go, found %d, %d and %d",
			len(manifest.OptionalDependencies), len(packages), len(executableDigests))
	}
	for name, pinned := range packages {
		if pinned.version != manifest.OptionalDependencies[name] {
			t.Errorf("%s: expected version %q of the manifest, found %q", name, manifest.OptionalDependencies[name], pinned.version)
		}
		assert.True(t, strings.HasPrefix(pinned.integrity, "sha512-"), "%s: expected an integrity, found %q", name, pinned.integrity)
		if !strings.HasPrefix(pinned.digest, "sha256:") {
			t.Errorf("%s: expected the digest of its executable, found %q", name, pinned.digest)
		}
	}
	assert.False(t, bytes.Contains(npmLock, []byte("://")), "expected no registry's address in the lock file: each user has their own")
}

func TestPackageName(t *testing.T) {
	for _, test := range []struct{ goos, goarch, expected string }{
		{"linux", "amd64", "@dynoxide/linux-x64"},
		{"darwin", "arm64", "@dynoxide/darwin-arm64"},
		{"windows", "amd64", "@dynoxide/win32-x64"},
	} {
		assert.Equal(t, test.expected, packageName(test.goos, test.goarch), "%s/%s", test.goos, test.goarch)
	}
}

func TestInstallTwiceAtOnce(t *testing.T) {
	pinned, root := mustPin(t), t.TempDir()
	var progress [2]string
	var paths [2]string
	var failures [2]error
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() {
			paths[i], failures[i] = install(t.Context(), root, pinned, func(line string) { progress[i] = line })
		})
	}
	both.Wait()
	for i := range 2 {
		require.NoError(t, failures[i])
		if digest, err := FileDigest(paths[i]); err != nil || digest != pinned.digest {
			t.Errorf("expected %s, found %s, %v", pinned.digest, digest, err)
		}
	}
	assert.Contains(t, progress[0]+progress[1], "installing dynoxide "+pinned.version, "expected a line of progress")
	entries, err := os.ReadDir(filepath.Join(root, "dynaproof", "engine"))
	if err != nil || len(entries) != 1 || entries[0].Name() != lockDigest() {
		t.Errorf("expected the installed folder alone, found %v, %v", entries, err)
	}

	t.Setenv("PATH", "")
	said := ""
	if _, err := install(t.Context(), root, pinned, func(line string) { said = line }); err != nil || said != "" {
		t.Errorf("expected the second install to need nothing and say nothing, found %v, %q", err, said)
	}
}

func TestInstallLosesTheRace(t *testing.T) {
	pinned, root := mustPin(t), t.TempDir()
	// While this install's npm runs, another process finishes its own.
	winner := filepath.Join(root, "dynaproof", "engine", lockDigest(), "node_modules", filepath.FromSlash(pinned.name))
	fakeNpm(t, `mkdir -p "`+winner+`" "node_modules/`+pinned.name+`"
echo winner > "`+winner+`/dynoxide"
echo loser > "node_modules/`+pinned.name+`/dynoxide"`)
	path, err := install(t.Context(), root, pinned, nil)
	require.NoError(t, err)
	if text, err := os.ReadFile(path); err != nil || string(text) != "winner\n" {
		t.Errorf("expected the folder of the one that was first, found %q, %v", text, err)
	}
}

func TestInstallWithoutNpm(t *testing.T) {
	pinned := mustPin(t)
	t.Setenv("PATH", t.TempDir())
	_, err := install(t.Context(), t.TempDir(), pinned, nil)
	mustBeOneLine[*ConfigError](t, err, "npm on the PATH", "--endpoint URL", EngineVariable)
}

func TestInstallFails(t *testing.T) {
	pinned := mustPin(t)
	for _, test := range []struct {
		name, npm string
		words     []string
	}{
		{
			"no network, and npm calls it a success",
			"echo 'npm http fetch GET http://127.0.0.1:9/x attempt 1 failed with ECONNREFUSED' >&2",
			[]string{"ECONNREFUSED"},
		},
		{"npm fails", "echo 'npm error code EACCES' >&2; exit 1", []string{"code EACCES"}},
		{"npm fails without a word", "exit 9", []string{"exit status 9"}},
		{"nothing installed without a word", "true", []string{"none after npm ci"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			fakeNpm(t, test.npm)
			root := t.TempDir()
			_, err := install(t.Context(), root, pinned, nil)
			mustBeOneLine[*UnavailableError](t, err, append(test.words, pinned.name+"@"+pinned.version, "--endpoint URL")...)
			entries, err := os.ReadDir(filepath.Join(root, "dynaproof", "engine"))
			require.NoError(t, err)
			assert.Empty(t, entries, "expected nothing half-done")
		})
	}
}

func TestInstallWhereNothingCanBeWritten(t *testing.T) {
	pinned := mustPin(t)
	fakeNpm(t, "true")
	root := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(root, nil, 0o644))
	_, err := install(t.Context(), root, pinned, nil)
	mustBeOneLine[*ConfigError](t, err, "cache folder")
}

func TestChangedExecutableIsRefused(t *testing.T) {
	pinned, root := mustPin(t), t.TempDir()
	t.Setenv(EngineVariable, "")
	folder := filepath.Join(root, "dynaproof", "engine", lockDigest(), "node_modules", filepath.FromSlash(pinned.name))
	require.NoError(t, os.MkdirAll(folder, 0o755))
	// It would pass for the engine by its own word.
	body := "#!/bin/sh\necho dynoxide " + pinned.version + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, engineName), []byte(body), 0o755))
	_, err := findExecutable(t.Context(), root, nil)
	mustBeOneLine[*ConfigError](t, err, pinned.digest, folder, "remove that folder")
}

func TestNoPackageForThePlatform(t *testing.T) {
	if _, pinned := executableDigests[packageName(runtime.GOOS, runtime.GOARCH)]; pinned {
		whole := npmLock
		t.Cleanup(func() { npmLock = whole })
		npmLock = []byte(`{"packages":{"":{}}}`)
	}
	_, err := pinnedPackage()
	mustBeOneLine[*ConfigError](t, err, packageName(runtime.GOOS, runtime.GOARCH), "--endpoint URL")
	assert.ErrorIs(t, err, ErrNoEngine)
}

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
	assert.Equal(t, DynaliteVersion, packages["dynalite"].version, "expected dynalite %s in the lock file", DynaliteVersion)
	for name, locked := range packages {
		assert.True(t, strings.HasPrefix(locked.integrity, "sha512-"), "%s: expected a digest, found %q", name, locked.integrity)
	}
	var pinned int
	requirements := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(motoRequirements), "\\\n", " ")), "\n")
	for _, requirement := range requirements {
		if strings.HasPrefix(requirement, "#") {
			continue
		}
		pinned++
		require.Contains(t, requirement, "==")
		assert.Contains(t, requirement, "--hash=sha256:", "expected a version and digests")
	}
	assert.GreaterOrEqual(t, pinned, 20, "expected moto %s and what it needs", MotoVersion)
	assert.Contains(t, string(motoRequirements), "moto=="+MotoVersion+" ", "expected moto %s and what it needs", MotoVersion)
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
