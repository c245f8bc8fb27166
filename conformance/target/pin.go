package target

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"os"
	"runtime"

	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/must"
)

// The npm manifest and lock file are embedded so that an installed command needs no checkout. The lock holds the digest
// of every package and no registry's address: npm uses the registry that the user's own configuration names.
var (
	//go:embed engine/package.json
	npmManifest []byte
	//go:embed engine/package-lock.json
	npmLock []byte
)

// engineName is the name of the embedded engine, of its executable and of what it calls itself.
const engineName = "dynoxide"

// executableDigests holds the SHA-256 of the executable in each package of the lock file. npm checks a package only
// while it installs it; this is checked on every start, so a file that changed in the cache is noticed.
var executableDigests = map[string]string{
	"@dynoxide/linux-x64": "sha256:be909b7910d3fb552e85db10ef3c8ebae4bd35fee0f26dffdb6dfa5cc656426e",
}

// enginePackage is one platform's package in the lock file.
type enginePackage struct {
	// name is the npm package, for example "@dynoxide/linux-x64".
	name string
	// version is the exact version, for example "1.2.1".
	version string
	// integrity is npm's digest of the package, "sha512-" and base64.
	integrity string
	// digest is the digest of the executable, "sha256:" and hexadecimal digits.
	digest string
}

// packageName returns the npm package that holds the engine for an operating system and an architecture, both in Go's
// spelling.
func packageName(goos, goarch string) string {
	if goos == "windows" {
		goos = "win32"
	}
	if goarch == "amd64" {
		goarch = "x64"
	}
	return "@dynoxide/" + goos + "-" + goarch
}

// lockedPackages reads the pinned packages, by name, from a lock file that is embedded.
func lockedPackages(lockFile []byte) map[string]enginePackage {
	var lock struct {
		Packages map[string]struct {
			Version   string `json:"version"`
			Integrity string `json:"integrity"`
		} `json:"packages"`
	}
	must.Do(input.Exactly(lockFile, &lock))
	const folder = "node_modules/"
	packages := make(map[string]enginePackage)
	for path, locked := range lock.Packages {
		if len(path) <= len(folder) {
			continue // the root of the lock file, which is the manifest itself
		}
		name := path[len(folder):]
		packages[name] = enginePackage{name, locked.Version, locked.Integrity, executableDigests[name]}
	}
	return packages
}

// NoEmbedded says why there is no embedded engine for this platform: an error that wraps
// [ErrNoEngine]. Nil where there is one, or where [EngineVariable] names one.
func NoEmbedded() error {
	if os.Getenv(EngineVariable) != "" {
		return nil
	}
	_, err := pinnedPackage()
	return err
}

// pinnedPackage returns the package for this platform, or a [*ConfigError] that wraps [ErrNoEngine].
func pinnedPackage() (enginePackage, error) {
	name := packageName(runtime.GOOS, runtime.GOARCH)
	pinned, ok := lockedPackages(npmLock)[name]
	if !ok {
		return enginePackage{}, configError("embedded engine", "a pinned package for this platform", "no "+name+" in the lock file",
			useEndpoint, ErrNoEngine)
	}
	return pinned, nil
}

// shortDigest names contents shortly, so that every set of pins has its own folder in the cache.
func shortDigest(contents []byte) string {
	sum := sha256.Sum256(contents)
	return hex.EncodeToString(sum[:6])
}
