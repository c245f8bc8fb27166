//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const program = "./conformance/cmd/dynaproof"

// coldRows builds the command with no module and no compiled package at hand, and beside it an empty
// program that imports the same packages of others: Pulumi's engine and its provider of AWS, terratest,
// the SDK. Modules are fetched from where Go is set up to fetch them.
func coldRows(ctx context.Context, _ string) ([]row, error) {
	var s sides
	err := inFolder(func(folder string) error {
		imports, err := importsOfOthers(ctx)
		if err != nil {
			return err
		}
		text := "package main\n\n"
		for _, path := range imports {
			text += fmt.Sprintf("import _ %q\n", path)
		}
		empty := filepath.Join(folder, "main.go")
		if err := os.WriteFile(empty, []byte(text+"\nfunc main() {}\n"), 0o600); err != nil {
			return err
		}
		// The program lies in this module without being written to it.
		place, err := filepath.Abs("conformance/lab/bench/empty/main.go")
		if err != nil {
			return err
		}
		overlay, err := json.Marshal(map[string]map[string]string{"Replace": {place: empty}})
		if err != nil {
			return err
		}
		over := filepath.Join(folder, "overlay.json")
		if err := os.WriteFile(over, overlay, 0o600); err != nil {
			return err
		}
		ours, err := coldBuild(ctx, program)
		if err != nil {
			return err
		}
		theirs, err := coldBuild(ctx, "-overlay", over, "./conformance/lab/bench/empty")
		if err != nil {
			return err
		}
		s.ours, s.theirs = []float64{ours}, []float64{theirs}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return []row{s.row("cold build", "modules fetched, command compiled", "an empty program with the same imports", 0)}, nil
}

// coldBuild builds with empty caches, and returns how long that took, in seconds.
func coldBuild(ctx context.Context, args ...string) (seconds float64, err error) {
	err = inFolder(func(folder string) error {
		command := exec.CommandContext(ctx, "go", append([]string{"build", "-modcacherw", "-o", filepath.Join(folder, "built")}, args...)...)
		command.Env = append(os.Environ(), "GOPATH="+filepath.Join(folder, "path"), "GOMODCACHE="+filepath.Join(folder, "modules"), "GOCACHE="+filepath.Join(folder, "cache"))
		began := time.Now()
		text, err := command.CombinedOutput()
		seconds = time.Since(began).Seconds()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", command, err, text)
		}
		return nil
	})
	return seconds, err
}

// importsOfOthers are the packages outside this module and Go's own library that packages of the command import.
func importsOfOthers(ctx context.Context) ([]string, error) {
	text, err := exec.CommandContext(ctx, "go", "list", "-deps", "-f", `{{with .Module}}{{if .Main}}{{join $.Imports "\n"}}{{end}}{{end}}`, program).Output()
	if err != nil {
		return nil, fmt.Errorf("imports of %s: %w", program, err)
	}
	imports := strings.Fields(string(text))
	slices.Sort(imports)
	return slices.DeleteFunc(slices.Compact(imports), func(path string) bool {
		first, _, _ := strings.Cut(path, "/")
		return !strings.Contains(first, ".") // neither Go's own library nor this module
	}), nil
}
