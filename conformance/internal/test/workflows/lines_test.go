package workflows

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is that of this project, seen from the package's folder.
const root = "../../../.."

func write(t *testing.T, folder, file, content string) {
	t.Helper()
	path := filepath.Join(folder, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// broken returns a file's text with one thing changed.
func broken(t *testing.T, file, old, changed string) string {
	t.Helper()
	text := read(t, file)
	if !strings.Contains(text, old) {
		t.Fatalf("%s: expected %q, to break it", file, old)
	}
	return strings.Replace(text, old, changed, 1)
}

func TestLinesOfEachKindOfFile(t *testing.T) {
	for _, row := range []struct {
		name, file, content string
		want                []string // with the line's number; a mention ends with *
	}{
		{"a step", ".github/workflows/x.yml", "jobs:\n  a:\n    steps:\n      - run: make build\n", []string{"4 make build"}},
		{"a step of several lines", ".github/workflows/x.yml", "steps:\n  - run: |\n      a=1\n      x --y \"$Z\" > f 2>&1 || code=$?\n      if [ -f g ]; then cat 'g h'; fi\n",
			[]string{"4 x --y …", "5 [ -f g ]", "5 cat g h"}},
		{"GitLab", ".ci/gitlab.yml", "a:\n  before_script: [make build]\n  script:\n    - one two\n    - three | four\n  after_script:\n    - five\n  artifacts: {paths: [x]}\n",
			[]string{"2 make build", "4 one two", "5 three", "5 four", "7 five"}},
		{"a script", ".ci/run", "#!/bin/sh\nif ! command -v x; then\n  $root y\nfi\n", []string{"2 command -v x", "3 … y"}},
		{"a Makefile", "Makefile", "A := $(shell no)\na: b\n\t@$(DYNAPROOF) verify $(or $(D),x)\n\tfoo \\\n\t  bar $$HOME\n", []string{"3 build/dynaproof verify …", "4 foo bar …"}},
		{"a document", "x.md", "Say `a\n--b C` or `d <e> ...`.\n\n```console\n$ f g | h  # i\noutput `x`\n```\n\n```go\n$ x\n```\n",
			[]string{"5 f g", "5 h", "10 x", "1 a --b …*", "2 d … …*"}},
		{"a command of several lines", "x.md", "```console\n$ a 'b\n  c' d\noutput\n$ e \\\n    f\n```\n", []string{"2 a b\n  c d", "5 e f"}},
		{"prose that is no command", "x.md", "`a (b` and `RULE: (` here", nil},
		{"another file", "x.txt", "$ a", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			folder := t.TempDir()
			write(t, folder, row.file, row.content)
			lines, err := Lines(folder)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, line := range lines {
				text := strings.TrimPrefix(line.String(), row.file+":")
				text = strings.Replace(text, ":", "", 1)
				if line.Mention {
					text += "*"
				}
				got = append(got, text)
			}
			if difference := cmp.Diff(row.want, got); difference != "" {
				t.Errorf("commands (-want +got):\n%s", difference)
			}
		})
	}
}

func TestScriptThatBashWouldNotParse(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, ".github/workflows/x.yml", "steps:\n  - run: |\n      if true; then\n        echo\n")
	if _, err := Lines(folder); err == nil || !strings.Contains(err.Error(), "x.yml:3: expected a script that Bash parses") {
		t.Errorf("expected an error that names the script, found %v", err)
	}
}

func TestLineAfter(t *testing.T) {
	line := Line{Words: []string{"exec", "go", "run", "./x", "--y"}}
	if arguments, ok := line.After("go", "run", "./x"); !ok || cmp.Diff([]string{"--y"}, arguments) != "" {
		t.Errorf("expected the argument --y, found %q, %t", arguments, ok)
	}
	for _, program := range [][]string{{"run"}, {"go", "run", "./x", "--y", "z"}, {"go", "test"}} {
		if arguments, ok := line.After(program...); ok {
			t.Errorf("%q: expected that the line does not call it, found %q", program, arguments)
		}
	}
}

// What the files and documents tell to make, the Makefile makes.
func TestTargetsOfMakeAreThere(t *testing.T) {
	targets := map[string]bool{}
	for _, target := range regexp.MustCompile(`(?m)^([a-z]+):`).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		targets[target[1]] = true
	}
	lines, err := Lines(root)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, line := range lines {
		goals, ok := line.After("make")
		for _, goal := range goals {
			if asked++; ok && !targets[goal] && goal != unknown {
				t.Errorf("%s: expected a target of the Makefile, found %q", line, goal)
			}
		}
	}
	if asked < 20 {
		t.Errorf("expected at least 20 calls of make, found %d", asked)
	}
}
