package target

import (
	"bytes"
	"context"
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

// mustPin returns this platform's package, and the folder into which it is installed until the test ends. It skips where there is none.
func mustPin(t *testing.T) (pinned enginePackage, place string) {
	t.Helper()
	pinned, err := pinnedPackage()
	if errors.Is(err, ErrNoEngine) {
		t.Skip(err)
	}
	require.NoError(t, err)
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	return pinned, filepath.Join(cache, "dynaproof", "engine")
}

// fakeNpm puts a shell script in npm's place, in front of everything else on the PATH.
func fakeNpm(t *testing.T, body string) {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "npm"), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestEveryPinIsWhole(t *testing.T) {
	packages := lockedPackages(npmLock)
	var manifest struct {
		OptionalDependencies map[string]string `json:"optionalDependencies"`
	}
	require.NoError(t, json.Unmarshal(npmManifest, &manifest))
	require.NotEmpty(t, packages)
	require.Len(t, packages, len(manifest.OptionalDependencies), "expected the same packages in the manifest and the lock")
	require.Len(t, packages, len(executableDigests), "expected the same packages in pin.go and the lock")
	for name, pinned := range packages {
		assert.Equal(t, manifest.OptionalDependencies[name], pinned.version, "%s: expected the version of the manifest", name)
		assert.True(t, strings.HasPrefix(pinned.integrity, "sha512-"), "%s: expected an integrity, found %q", name, pinned.integrity)
		assert.True(t, strings.HasPrefix(pinned.digest, "sha256:"), "%s: expected the digest of its executable, found %q", name, pinned.digest)
	}
	assert.False(t, bytes.Contains(npmLock, []byte("://")), "expected no registry's address in the lock file: each user has their own")
}

func TestPackageName(t *testing.T) {
	assert.Equal(t, "@dynoxide/linux-x64", packageName("linux", "amd64"))
	assert.Equal(t, "@dynoxide/darwin-arm64", packageName("darwin", "arm64"))
	assert.Equal(t, "@dynoxide/win32-x64", packageName("windows", "amd64"))
}

func TestInstallTwiceAtOnce(t *testing.T) {
	pinned, place := mustPin(t)
	var progress, paths [2]string
	var failures [2]error
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() {
			paths[i], failures[i] = pinned.installation().install(t.Context(), func(line string) { progress[i] = line })
		})
	}
	both.Wait()
	for i := range 2 {
		require.NoError(t, failures[i])
		digest, err := FileDigest(paths[i])
		require.NoError(t, err)
		assert.Equal(t, pinned.digest, digest)
	}
	assert.Contains(t, progress[0]+progress[1], "installing dynoxide "+pinned.version, "expected a line of progress")
	entries, err := os.ReadDir(place)
	require.NoError(t, err)
	require.Len(t, entries, 1, "expected the installed folder alone")
	assert.Equal(t, shortDigest(npmLock), entries[0].Name())

	t.Setenv("PATH", "")
	said := ""
	_, err = pinned.installation().install(t.Context(), func(line string) { said = line })
	require.NoError(t, err, "expected the second install to need nothing")
	assert.Empty(t, said)
}

func TestInstallLosesTheRace(t *testing.T) {
	pinned, place := mustPin(t)
	// While this install's npm runs, another process finishes its own.
	winner := filepath.Join(place, shortDigest(npmLock), "node_modules", filepath.FromSlash(pinned.name))
	fakeNpm(t, `mkdir -p "`+winner+`" "node_modules/`+pinned.name+`"
echo winner > "`+winner+`/dynoxide"
echo loser > "node_modules/`+pinned.name+`/dynoxide"`)
	path, err := pinned.installation().install(t.Context(), nil)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "winner\n", string(text), "expected the folder of the one that was first")
}

func TestInstallWithoutNpm(t *testing.T) {
	pinned, _ := mustPin(t)
	t.Setenv("PATH", t.TempDir())
	_, err := pinned.installation().install(t.Context(), nil)
	mustBeOneLine[*ConfigError](t, err, "npm on the PATH", "--endpoint URL", EngineVariable)
}

func TestInstallFails(t *testing.T) {
	pinned, place := mustPin(t)
	for name, row := range map[string]struct{ npm, says string }{
		"no network, and npm calls it a success": {"echo 'npm http fetch GET http://127.0.0.1:9/x attempt 1 failed with ECONNREFUSED' >&2", "ECONNREFUSED"},
		"npm fails":                              {"echo 'npm error code EACCES' >&2; exit 1", "code EACCES"},
		"npm fails without a word":               {"exit 9", "exit status 9"},
		"nothing installed without a word":       {"true", "none after npm ci"},
	} {
		t.Run(name, func(t *testing.T) {
			fakeNpm(t, row.npm)
			_, err := pinned.installation().install(t.Context(), nil)
			mustBeOneLine[*UnavailableError](t, err, row.says, pinned.name+"@"+pinned.version, "--endpoint URL")
			entries, err := os.ReadDir(place)
			require.NoError(t, err)
			assert.Empty(t, entries, "expected nothing half-done")
		})
	}
}

func TestInstallWhereNothingCanBeWritten(t *testing.T) {
	pinned, _ := mustPin(t)
	fakeNpm(t, "true")
	root := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(root, nil, 0o644))
	t.Setenv("XDG_CACHE_HOME", root)
	_, err := pinned.installation().install(t.Context(), nil)
	mustBeOneLine[*ConfigError](t, err, "cache folder")
}

func TestChangedExecutableIsRefused(t *testing.T) {
	pinned, place := mustPin(t)
	t.Setenv(EngineVariable, "")
	folder := filepath.Join(place, shortDigest(npmLock), "node_modules", filepath.FromSlash(pinned.name))
	require.NoError(t, os.MkdirAll(folder, 0o755))
	// It would pass for the engine by its own word.
	body := "#!/bin/sh\necho dynoxide " + pinned.version + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, engineName), []byte(body), 0o755))
	_, _, err := findExecutable(t.Context(), nil)
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
	start            func(context.Context, func(line string)) (Target, error)
	program, version string
}{"dynalite": {Dynalite, "node", DynaliteVersion}, "moto": {Moto, "python3", MotoVersion}}

func TestOtherEnginesStartOnLoopbackAlone(t *testing.T) {
	for name, other := range others {
		t.Run(name, func(t *testing.T) {
			engine, err := other.start(t.Context(), nil)
			var config *ConfigError
			if errors.As(err, &config) {
				t.Skip(err)
			}
			require.NoError(t, err)
			is := engine.Description()
			assert.Equal(t, []any{name, other.version, GradeEngine}, []any{is.Engine, is.Version, is.Grade})
			assert.Contains(t, is.Source, name)
			address, err := url.Parse(engine.URL())
			require.NoError(t, err)
			for _, outside := range addressesOfThisMachine(t) {
				_, err := net.Dial("tcp", net.JoinHostPort(outside, address.Port()))
				assert.Error(t, err, "expected %s to listen on loopback alone, found it on %s", name, outside)
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
		_, err := other.start(t.Context(), nil)
		mustBeOneLine[*ConfigError](t, err, "engine "+name, other.program, "leave this engine out")
	}
}

func TestOtherEnginesWithoutARegistry(t *testing.T) {
	for name, value := range map[string]string{
		"XDG_CACHE_HOME": t.TempDir(), "npm_config_registry": "http://127.0.0.1:9/", "npm_config_cache": t.TempDir(), "npm_config_fetch_retries": "0",
		"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_CACHE_DIR": t.TempDir(), "PIP_RETRIES": "0",
	} {
		t.Setenv(name, value)
	}
	for name, other := range others {
		_, err := other.start(t.Context(), nil)
		var config *ConfigError
		if errors.As(err, &config) {
			t.Skip(err)
		}
		mustBeOneLine[*UnavailableError](t, err, "engine "+name, "leave this engine out")
	}
}

// pip and npm check every package against these; one without a digest would be taken as it comes.
func TestEveryPackageOfTheOtherEnginesHasADigest(t *testing.T) {
	packages := lockedPackages(dynaliteLock)
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
		assert.Equal(t, expected, installation{cause: pipCause}.causes(output), "%q", output)
	}
}

// mustBeFree fails unless the engine's port can be listened on at once, or is held by somebody who listens on every address of
// this machine: the engine listens on its own.
func mustBeFree(t *testing.T, url string) {
	t.Helper()
	address := strings.TrimPrefix(url, "http://")
	listener, err := net.Listen("tcp4", address)
	if err == nil {
		require.NoError(t, listener.Close())
		return
	}
	_, port, _ := net.SplitHostPort(address)
	other, every := net.Listen("tcp4", "127.255.255.1:"+port)
	if every == nil {
		_ = other.Close()
	}
	require.ErrorIs(t, every, syscall.EADDRINUSE, "expected the port to be free, found %v", err)
}
