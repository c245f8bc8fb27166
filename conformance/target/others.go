package target

import (
	"context"
	_ "embed"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
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
func Dynalite(ctx context.Context, progress func(line string)) (Target, error) {
	node, err := interpreter("dynalite", "node", "Node.js")
	if err != nil {
		return nil, err
	}
	path, err := installation{
		where: "engine dynalite", what: "dynalite@" + DynaliteVersion, title: "dynalite " + DynaliteVersion,
		folder: "dynalite", digest: shortDigest(dynaliteLock),
		inside: filepath.Join("node_modules", "dynalite", "cli.js"), instead: leaveOut,
	}.npm(dynaliteManifest, dynaliteLock).install(ctx, progress)
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
			Source: fmt.Sprintf("npm dynalite@%s %s", DynaliteVersion, lockedPackages(dynaliteLock)["dynalite"].integrity),
		},
	})
}

// motoProgram runs moto's server from a folder that pip has filled. Python's isolated mode keeps the user's own
// packages and variables away.
const motoProgram = "import sys; sys.path.insert(0, sys.argv.pop(1)); from moto.server import main; main()"

// Moto starts the pinned moto on a free loopback port, in memory, and returns when it answers. It is installed with
// python3's pip into the user's cache folder the first time, and answers DynamoDB and other services of AWS on one
// address. Life and errors are those of [Dynalite].
func Moto(ctx context.Context, progress func(line string)) (Target, error) {
	python, err := interpreter("moto", "python3", "Python 3.10 or newer with pip")
	if err != nil {
		return nil, err
	}
	server, err := installation{
		where: "engine moto", what: "moto==" + MotoVersion, title: "moto " + MotoVersion,
		folder: "moto", digest: shortDigest(motoRequirements),
		inside: filepath.Join("packages", "moto", "server.py"), instead: leaveOut,
		tool: "python3", of: "Python 3.10 or newer with pip", registry: "pip's index setting", cause: pipCause,
		files: map[string][]byte{"requirements.txt": motoRequirements},
		arguments: []string{
			"-m", "pip", "install", "--require-hashes", "--only-binary", ":all:", "--no-deps", "--no-input",
			"--disable-pip-version-check", "--target", "packages", "--requirement", "requirements.txt",
		},
	}.install(ctx, progress)
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

// pipCause finds in pip's output, and in Python's, what went wrong.
var pipCause = regexp.MustCompile(`(?m)^ERROR: (.+)|^([\w./-]*python[\w.]*: .*)`)
