// Package command builds the two commands as `make build` does, for tests. A test package that imports it deploys the five designs by the
// one that deploys them.
package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gofrs/flock"

	"dynaproof/conformance/internal/deploy"
)

func init() { deploy.Build = Path }

// Path returns the command that the environment names, or else builds the one that deploys.
var Path = sync.OnceValues(func() (string, error) {
	if named := os.Getenv(deploy.Variable); named != "" {
		return named, nil
	}
	path, err := Build("dynaproof-local", "./stacks/local", "-buildvcs=false")
	if err != nil {
		return "", err
	}
	return path, os.Setenv(deploy.Variable, path) // for the commands that a test starts
})

// Build builds a command in the folder build of the checkout, from a package and with flags of Go, and returns its path. Go builds it anew
// only where its sources have changed, and all test binaries share it.
func Build(name, source string, flags ...string) (string, error) {
	root, err := filepath.Abs(".")
	for ; err == nil; root = filepath.Dir(root) {
		if _, missing := os.Stat(filepath.Join(root, "stacks", "local")); missing == nil {
			break
		}
		if root == filepath.Dir(root) {
			return "", fmt.Errorf("building %s: expected stacks/local above the working folder, found none", name)
		}
	}
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "build", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	lock := flock.New(path + ".lock")
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer func() { _ = lock.Unlock() }() // the process's end releases it too
	build := exec.CommandContext(context.Background(), "go", slices.Concat([]string{"build", "-ldflags", "-s -w", "-o", path}, flags, []string{source})...)
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, text)
	}
	return path, nil
}
