// Package command builds the command that deploys the five designs, for tests. A test package that imports it deploys by that command.
package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"

	"dynaproof/conformance/internal/deploy"
)

func init() { deploy.Build = Path }

// Path returns the command that the environment names, or else builds it in the folder build of the checkout. Go builds it anew
// only where its sources have changed, and all test binaries share it.
var Path = sync.OnceValues(func() (string, error) {
	if named := os.Getenv(deploy.Variable); named != "" {
		return named, nil
	}
	root, err := filepath.Abs(".")
	for ; err == nil; root = filepath.Dir(root) {
		if _, missing := os.Stat(filepath.Join(root, "stacks", "local")); missing == nil {
			break
		}
		if root == filepath.Dir(root) {
			return "", fmt.Errorf("building the command that deploys: expected stacks/local above the working folder, found none")
		}
	}
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "build", "dynaproof-local")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	lock := flock.New(path + ".lock")
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer func() { _ = lock.Unlock() }() // the process's end releases it too
	build := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false", "-o", path, "./stacks/local")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the command that deploys: %w\n%s", err, text)
	}
	return path, os.Setenv(deploy.Variable, path) // for the commands that a test starts
})
