package cli_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	text := run(t, t.TempDir(), 0, "--version").stdout.String()
	if !strings.HasPrefix(text, "dynaproof version ") || !strings.Contains(text, "go1.") {
		t.Errorf("expected a version and that of Go, found %q", text)
	}
}

// `make build` notes the commit also where the user's own settings of Go turn that off.
func TestMakeNotesTheCommit(t *testing.T) {
	text, err := exec.Command("make", "-n", "-C", "../..", "build").CombinedOutput()
	if err != nil {
		t.Fatalf("make -n build: %v\n%s", err, text)
	}
	if !strings.Contains(string(text), "go build -buildvcs=auto ") {
		t.Errorf("expected a build that notes the commit, found\n%s", text)
	}
}

// A binary that `go install` has put somewhere works without the checkout: everything that it needs is embedded.
func TestInstalledBinaryWorksOutsideTheRepository(t *testing.T) {
	folder := t.TempDir()
	install := exec.Command("go", "install", "-ldflags", "-X dynaproof/conformance/cli.version=v9.8.7", "../cmd/dynaproof")
	install.Env = append(install.Environ(), "GOBIN="+folder)
	if text, err := install.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, text)
	}
	installed := exec.Command(filepath.Join(folder, "dynaproof"), "--version")
	if text, err := installed.Output(); err != nil || !strings.HasPrefix(string(text), "dynaproof version v9.8.7 ") {
		t.Errorf("expected the version of the linker, found %q, %v", text, err)
	}
	verify := exec.Command(filepath.Join(folder, "dynaproof"), "verify", "fus-main", "--label-filter", "kind:pattern")
	verify.Dir = t.TempDir()
	if text, err := verify.CombinedOutput(); err != nil || !strings.Contains(string(text), "PASS") {
		t.Errorf("expected it to verify a design, found %v\n%s", err, text)
	}
}
