package target

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"dynaproof/accesspatterns/lists"
)

// EngineVariable is the environment variable that names a dynoxide executable to run instead of the pinned one.
const EngineVariable = "DYNAPROOF_ENGINE"

// useEndpoint is the way out when the embedded engine cannot be had.
const useEndpoint = "run a DynamoDB-compatible engine yourself and pass --endpoint URL, or set " + EngineVariable + " to a dynoxide executable"

const (
	// installTimeout bounds npm. The package is 3 MB compressed; the rest is patience with a slow registry.
	installTimeout = 3 * time.Minute
	// versionTimeout bounds the engine's answer to --version.
	versionTimeout = 10 * time.Second
	// temporaryPrefix starts the names of folders in which an install is under way.
	temporaryPrefix = ".installing-"
)

// findExecutable returns the path of the engine to run, and what it is: the one that [EngineVariable] names, else the
// pinned one, which is installed when it is not there yet. The digest of the pinned one tells its version; of the other
// nothing is pinned, so what it is goes on record.
func findExecutable(ctx context.Context, progress func(string)) (path string, is Description, err error) {
	is = Description{Kind: KindEmbedded, Engine: engineName, Grade: GradeEngine}
	if path = os.Getenv(EngineVariable); path != "" {
		is.Source = EngineVariable + "=" + path
		if is.Digest, err = FileDigest(path); err != nil {
			return "", is, configError(EngineVariable, "the path of a dynoxide executable", err.Error(), "correct or unset "+EngineVariable, err)
		}
		is.Version, err = reportedVersion(ctx, path)
		return path, is, err
	}
	pinned, err := pinnedPackage()
	if err != nil {
		return "", is, err
	}
	what := pinned.installation()
	if path, err = what.install(ctx, progress); err != nil {
		return "", is, err
	}
	if is.Digest, err = FileDigest(path); err != nil {
		return "", is, what.cacheError(err)
	}
	if is.Digest != pinned.digest {
		return "", is, configError("embedded engine", pinned.name+" with "+pinned.digest, is.Digest+" in "+path,
			"remove that folder and run again, or pass --endpoint URL", nil)
	}
	is.Version, is.Source = pinned.version, fmt.Sprintf("npm %s@%s %s", pinned.name, pinned.version, pinned.integrity)
	return path, is, nil
}

// installation is how npm installs a pinned package.
func (p enginePackage) installation() installation {
	return installation{
		where: "embedded engine", what: p.name + "@" + p.version, title: engineName + " " + p.version,
		folder: "engine", digest: shortDigest(npmLock),
		inside:  filepath.Join("node_modules", filepath.FromSlash(p.name), engineName),
		instead: useEndpoint,
	}.npm(npmManifest, npmLock)
}

// installation is what a package manager puts into a folder of its own in the user's cache, once.
type installation struct {
	// where names the part in errors, what the package as its manager writes it, title what a reader calls it.
	where, what, title string
	// folder and digest name the place below the cache: every set of pins has its own.
	folder, digest string
	// inside is the path, in that place, of the file that must be there afterwards.
	inside string
	// instead is the way out where it cannot be installed.
	instead string
	// tool is the package manager's command, of is what to install to have it, and registry what it asks.
	tool, of, registry string
	// files are written into the folder before the tool runs there.
	files map[string][]byte
	// arguments are the tool's command line.
	arguments []string
	// cause finds the lines of the tool's output that say what went wrong; its groups are what is told of a line.
	cause *regexp.Regexp
}

// npm completes an installation by npm from a lock file.
func (i installation) npm(manifest, lock []byte) installation {
	i.tool, i.of, i.registry, i.cause = "npm", "Node.js with npm", "npm's registry setting", npmCause
	i.files = map[string][]byte{"package.json": manifest, "package-lock.json": lock}
	i.arguments = []string{
		"ci", "--ignore-scripts", "--no-audit", "--no-fund",
		// The user's configuration may leave optional packages out; the embedded engine is nothing else.
		"--include=optional",
		// A package in npm's own cache is checked against the lock like a fetched one.
		"--prefer-offline",
		"--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000",
		// The reason why an optional package is missing is told at this level only.
		"--loglevel=verbose",
	}
	return i
}

// install returns the path of the installed file below the user's cache folder, and installs it when it is missing. Two
// processes may install at once: each works in a folder of its own and the first to rename it wins.
func (i installation) install(ctx context.Context, progress func(string)) (string, error) {
	cacheRoot, err := os.UserCacheDir()
	if err != nil {
		return "", i.cacheError(err)
	}
	parent := filepath.Join(cacheRoot, "dynaproof", i.folder)
	final := filepath.Join(parent, i.digest)
	path := filepath.Join(final, i.inside)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	tool, err := exec.LookPath(i.tool)
	if err != nil {
		return "", configError(i.where, i.tool+" on the PATH to install "+i.title, "none", "install "+i.of+"; or "+i.instead, err)
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", i.cacheError(err)
	}
	temporary, err := os.MkdirTemp(parent, temporaryPrefix)
	if err != nil {
		return "", i.cacheError(err)
	}
	// After a successful rename there is nothing left to remove under this name.
	defer os.RemoveAll(temporary)
	if progress != nil {
		progress(fmt.Sprintf("installing %s with %s (once, into %s)", i.title, i.tool, final))
	}
	if err := i.run(ctx, tool, temporary); err != nil {
		return "", err
	}
	if err := os.Rename(temporary, final); err != nil {
		if _, missing := os.Stat(path); missing == nil {
			return path, nil // another process was first; its folder is as good as ours
		}
		return "", i.cacheError(err)
	}
	return path, nil
}

// run runs the tool in folder and makes sure that the file is there afterwards. That has to be checked: for an optional
// package npm ends with success even when it could not be fetched or its integrity is wrong.
func (i installation) run(ctx context.Context, tool, folder string) error {
	for name, content := range i.files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return i.cacheError(err)
		}
	}
	bounded, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	command := exec.CommandContext(bounded, tool, i.arguments...)
	command.Dir = folder
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	command.WaitDelay = 5 * time.Second
	runError := command.Run()
	if _, err := os.Stat(filepath.Join(folder, i.inside)); err == nil && runError == nil {
		return nil
	}
	cause := i.causes(output.String())
	if bounded.Err() != nil {
		cause = i.tool + " was stopped: " + bounded.Err().Error()
		runError = bounded.Err()
	}
	if cause == "" {
		ran := i.tool + " " + i.arguments[0]
		cause = "none after " + ran
		if runError != nil {
			cause = ran + " ended with " + runError.Error()
		}
	}
	return unavailable(i.where, i.tool+" to install "+i.what, cause, "check the network and "+i.registry+"; or "+i.instead, runError)
}

// cacheError says that the cache folder cannot be used.
func (i installation) cacheError(err error) error {
	return configError(i.where, "a cache folder that can be read and written", err.Error(),
		"make it writable or set XDG_CACHE_HOME; or "+i.instead, err)
}

// npmCause finds in npm's verbose output what went wrong.
var npmCause = regexp.MustCompile(`(?m)^npm error (.+)|^(?:npm )?(.* failed with .*|.*EINTEGRITY.*|.*integrity checksum failed.*|http fetch GET 4.*)`)

// causes picks from the tool's output what its lines say went wrong, without repetition, at most two.
func (i installation) causes(output string) string {
	var causes []string
	for _, found := range i.cause.FindAllStringSubmatch(output, -1) {
		causes = lists.With(causes, strings.TrimSpace(strings.Join(found[1:], "")))
	}
	return strings.Join(causes[:min(2, len(causes))], "; ")
}

// FileDigest returns the SHA-256 of a file as "sha256:" and hexadecimal digits.
func FileDigest(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}

// reportedVersion asks an executable for its version. Something that does not answer "dynoxide VERSION" is not the
// engine.
func reportedVersion(ctx context.Context, path string) (string, error) {
	bounded, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	command := exec.CommandContext(bounded, path, "--version")
	command.WaitDelay = time.Second
	output, err := command.Output()
	if ctx.Err() != nil {
		return "", unavailable("embedded engine", "time to start", "an interrupt ("+ctx.Err().Error()+")", "", ctx.Err())
	}
	version, found := strings.CutPrefix(strings.TrimSpace(string(output)), engineName+" ")
	if err == nil && !found {
		err = errors.New("another program")
	}
	if err != nil {
		expected := fmt.Sprintf("%s --version to answer %q and a version", path, engineName)
		return "", configError("embedded engine", expected, fmt.Sprintf("%q (%v)", shorten(string(output)), err), useEndpoint, err)
	}
	return version, nil
}

// shorten keeps an error line readable when a program printed much: its last 300 bytes, on one line.
func shorten(text string) string {
	const longest = 300
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > longest {
		text = "…" + strings.ToValidUTF8(text[len(text)-longest:], "")
	}
	return text
}
