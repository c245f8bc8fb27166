package target

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"dynaproof/accesspatterns/must"
)

// The engines that nobody here wrote, for a second and a third opinion. What is embedded pins every package that they
// consist of, with its digest, and names no registry: npm and pip use those that the user's own configuration names.
var (
	//go:embed dynalite/package.json
	dynaliteManifest []byte
	//go:embed dynalite/package-lock.json
	dynaliteLock []byte
	//go:embed moto/requirements.txt
	motoRequirements []byte
)

const (
	// DynaliteVersion is the version of dynalite in its lock file.
	DynaliteVersion = "4.0.0"
	// MotoVersion is the version of moto in its requirements file.
	MotoVersion = "5.2.1"
)

// leaveOut is the way out when another engine cannot be had.
const leaveOut = "leave this engine out, and what it could answer is not told"

// Dynalite starts the pinned dynalite on a free loopback port, in memory, and returns when it answers. It is installed
// with npm into the user's cache folder the first time. ctx bounds the start alone; the engine ends as [Embedded]'s
// does, and so do the errors: a [*ConfigError] where npm or node is missing, an [*UnavailableError] where the registry
// does not answer or the engine does not come up.
func Dynalite(ctx context.Context, options EmbeddedOptions) (Target, error) {
	node, err := interpreter("dynalite", "node", "Node.js")
	if err != nil {
		return nil, err
	}
	path, err := installed(ctx, options, installation{
		where: "engine dynalite", what: "dynalite@" + DynaliteVersion, title: "dynalite " + DynaliteVersion,
		folder: "dynalite", digest: shortDigest(dynaliteLock),
		inside: filepath.Join("node_modules", "dynalite", "cli.js"), instead: leaveOut,
	}.npm(dynaliteManifest, dynaliteLock))
	if err != nil {
		return nil, err
	}
	return start(ctx, launch{
		path: node,
		arguments: func(host, port string) []string {
			// It listens on all interfaces unless told otherwise, and keeps tables half a second in every state.
			return []string{path, "--host", host, "--port", port, "--createTableMs", "0", "--updateTableMs", "0", "--deleteTableMs", "0"}
		},
		word: "listening at",
		description: Description{
			Kind: KindEmbedded, Engine: "dynalite", Version: DynaliteVersion, Grade: GradeEngine,
			Source: fmt.Sprintf("npm dynalite@%s %s", DynaliteVersion, dynaliteIntegrity()),
		},
	})
}

// dynaliteIntegrity returns npm's digest of the package dynalite in the lock file.
func dynaliteIntegrity() string {
	packages := must.Have(lockedPackages(dynaliteLock)) // the file is embedded
	return packages["dynalite"].integrity
}

// motoProgram runs moto's server from a folder that pip has filled. Python's isolated mode keeps the user's own
// packages and variables away.
const motoProgram = "import sys; sys.path.insert(0, sys.argv.pop(1)); from moto.server import main; main()"

// Moto starts the pinned moto on a free loopback port, in memory, and returns when it answers. It is installed with
// python3's pip into the user's cache folder the first time, and answers DynamoDB and other services of AWS on one
// address. Life and errors are those of [Dynalite].
func Moto(ctx context.Context, options EmbeddedOptions) (Target, error) {
	python, err := interpreter("moto", "python3", "Python 3.10 or newer with pip")
	if err != nil {
		return nil, err
	}
	server, err := installed(ctx, options, installation{
		where: "engine moto", what: "moto==" + MotoVersion, title: "moto " + MotoVersion,
		folder: "moto", digest: shortDigest(motoRequirements),
		inside: filepath.Join("packages", "moto", "server.py"), instead: leaveOut,
		tool: "python3", of: "Python 3.10 or newer with pip", registry: "pip's index setting", cause: pipCause,
		files: map[string][]byte{"requirements.txt": motoRequirements},
		arguments: []string{
			"-m", "pip", "install", "--require-hashes", "--only-binary", ":all:", "--no-deps", "--no-input",
			"--disable-pip-version-check", "--target", "packages", "--requirement", "requirements.txt",
		},
	})
	if err != nil {
		return nil, err
	}
	packages := filepath.Dir(filepath.Dir(server))
	return start(ctx, launch{
		path: python,
		arguments: func(host, port string) []string {
			return []string{"-I", "-c", motoProgram, packages, "--host", host, "--port", port}
		},
		word: "Running on",
		description: Description{
			Kind: KindEmbedded, Engine: "moto", Version: MotoVersion, Grade: GradeEngine,
			Source: fmt.Sprintf("PyPI moto==%s and what it needs, by hash; requirements sha256 starts %s", MotoVersion, shortDigest(motoRequirements)),
		},
	})
}

// interpreter finds the program that runs an engine.
func interpreter(engine, program, of string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", configError("engine "+engine, program+" on the PATH", "none", "install "+of+"; or "+leaveOut, err)
	}
	return path, nil
}

// installed installs below the user's cache folder.
func installed(ctx context.Context, options EmbeddedOptions, what installation) (string, error) {
	cacheRoot, err := os.UserCacheDir()
	if err != nil {
		return "", what.cacheError(err)
	}
	return what.into(ctx, cacheRoot, options.Progress)
}

// pipWord starts the lines of pip's output, and of Python's, that say what went wrong.
var pipWord = regexp.MustCompile(`^(ERROR: |[\w./-]*python[\w.]*: )`)

// pipCause picks from pip's output the lines that say what went wrong, at most two.
func pipCause(output string) string {
	var causes []string
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); pipWord.MatchString(line) && len(causes) < 2 {
			causes = append(causes, strings.TrimPrefix(line, "ERROR: "))
		}
	}
	return strings.Join(causes, "; ")
}
