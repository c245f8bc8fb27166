package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// repository is the root of this project, seen from the package's folder.
const repository = "../.."

// checkLines holds every command line of this command in the files below a root against its flags and arguments, and
// returns how many it found in each file, with what does not fit.
func checkLines(t *testing.T, root string) (found map[string]int, problems []string) {
	t.Helper()
	lines, err := Lines(root)
	require.NoError(t, err)
	found = map[string]int{}
	for _, line := range lines {
		arguments, ok := line.After("build/dynaproof")
		if !ok {
			arguments, ok = line.After("dynaproof")
		}
		switch {
		case ok:
			err = Check(command(), arguments, line.Mention)
		case line.Mention && strings.HasPrefix(line.Words[0], "--"):
			err = flagOfSome(line.Words)
		case line.Mention && slices.ContainsFunc(line.Words[1:], func(word string) bool { return strings.HasPrefix(word, "--") }) && isSubcommand(line.Words[0]):
			err = Check(command(), line.Words, true)
		default:
			continue
		}
		found[line.File]++
		if err != nil {
			problems = append(problems, line.String()+": "+err.Error())
		}
	}
	return found, problems
}

func isSubcommand(name string) bool {
	return slices.ContainsFunc(command().Commands(), func(c *cobra.Command) bool { return c.Name() == name })
}

// flagOfSome returns nil when some command takes a flag that prose names without a command.
func flagOfSome(words []string) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(words[0], "--"), "=")
	err := fmt.Errorf("unknown flag: --%s", name)
	if command().PersistentFlags().Lookup(name) != nil {
		return nil // of every command
	}
	for _, c := range command().Commands() {
		if c.Flags().Lookup(name) == nil {
			continue
		}
		if err = Check(command(), append([]string{c.Name()}, words...), true); err == nil {
			return nil
		}
	}
	return err
}

// What CI runs and what people are told to type fits the command as it is now.
func TestCommandLinesFit(t *testing.T) {
	found, problems := checkLines(t, repository)
	for _, problem := range problems {
		t.Error(problem)
	}
	// At least as many as were counted by hand; fewer means that the reader of the files is broken.
	for file, least := range map[string]int{
		".github/workflows/dynaproof.yml": 5, ".ci/gitlab.yml": 5, "Makefile": 8, "README.md": 4, "conformance/README.md": 15, "conformance/lab/README.md": 8, "stacks/README.md": 5, "conformance/target/README.md": 1,
	} {
		if found[file] < least {
			t.Errorf("%s: expected at least %d command lines, found %d", file, least, found[file])
		}
	}
}

// So do the examples in the command's own help.
func TestExamplesFit(t *testing.T) {
	examples := 0
	for _, c := range command().Commands() {
		for _, example := range strings.Split(c.Example, "\n") {
			if example = strings.TrimSpace(example); example == "" || strings.HasPrefix(example, "#") {
				continue
			}
			examples++
			root := t.TempDir()
			write(t, root, "help.md", "```console\n$ "+strings.TrimSpace(example)+"\n```\n")
			found, problems := checkLines(t, root)
			if found["help.md"] != 1 || len(problems) > 0 {
				t.Errorf("%s: expected one command line that fits, found %d, %v", example, found["help.md"], problems)
			}
		}
	}
	if examples < 20 {
		t.Errorf("expected at least 20 examples, found %d", examples)
	}
}

func write(t *testing.T, root, file, content string) {
	t.Helper()
	path := filepath.Join(root, file)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// Each of these is noticed in the file where it is made, and nothing else is.
func TestCommandLinesThatDoNotFit(t *testing.T) {
	const workflow = ".github/workflows/dynaproof.yml"
	for _, row := range []struct {
		name, file, old, new string
		words                []string
	}{
		{"flag renamed in the workflow", workflow, "--yes", "--sure", []string{"dynaproof verify", "unknown flag: --sure"}},
		{"flag renamed behind a redirection", workflow, `--env "$ENVIRONMENT" --region`, `--environment "$ENVIRONMENT" --region`, []string{"dynaproof audit", "unknown flag: --environment"}},
		{"subcommand renamed", workflow, "build/dynaproof engines", "build/dynaproof engine-matrix", []string{"expected a subcommand", "engine-matrix"}},
		{"argument left out", workflow, `cleanup "$DESIGN"`, "cleanup", []string{"dynaproof cleanup", "expected one design", "found 0"}},
		{"flag renamed in the GitLab script", ".ci/gitlab.yml", `verify "$DYNAPROOF_VERIFY" --target`, `verify "$DYNAPROOF_VERIFY" --on`, []string{"unknown flag: --on"}},
		{"flag renamed in after_script", ".ci/gitlab.yml", `cleanup "$DYNAPROOF_VERIFY" --target`, `cleanup "$DYNAPROOF_VERIFY" --on`, []string{"dynaproof cleanup", "unknown flag: --on"}},
		{"subcommand renamed in the Makefile", "Makefile", "$(DYNAPROOF) scale", "$(DYNAPROOF) scales", []string{"expected a subcommand", "scales"}},
		{"flag renamed in a code block", "stacks/README.md", "serve --port 8000", "serve --listen 8000", []string{"dynaproof serve", "unknown flag: --listen"}},
		{"value that is none", "stacks/README.md", "serve --port 8000", "serve --port http", []string{"--port", "http"}},
		{"design misspelt in a code block", "conformance/README.md", "verify fus-main --endpoint", "verify fuss-main --endpoint", []string{"fuss-main", "the command offers", "roll-model"}},
		{"flag renamed in prose", "conformance/lab/README.md", "`dynaproof faults --seed 1234 --runs 1`", "`dynaproof faults --seed 1234 --times 1`", []string{"dynaproof faults", "unknown flag: --times"}},
		{"flag renamed in prose without the program", "conformance/README.md", "`verify --seed N`", "`verify --sed N`", []string{"unknown flag: --sed"}},
		{"flag alone in prose", "conformance/README.md", "`--metrics-wait`", "`--metric-wait`", []string{"unknown flag: --metric-wait"}},
		{"subcommand misspelt in prose", "conformance/README.md", "`dynaproof claims`", "`dynaproof claim`", []string{"expected a subcommand", `"claim"`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join(repository, row.file))
			require.NoError(t, err)
			require.Contains(t, string(content), row.old, row.file)
			root := t.TempDir()
			write(t, root, row.file, strings.Replace(string(content), row.old, row.new, 1))
			_, problems := checkLines(t, root)
			if len(problems) != 1 {
				t.Fatalf("expected one problem, found %q", problems)
			}
			for _, word := range append(row.words, row.file+":") {
				assert.Contains(t, problems[0], word)
			}
		})
	}
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
			require.NoError(t, err)
			var got []string
			for _, line := range lines {
				text := strings.TrimPrefix(line.String(), row.file+":")
				text = strings.Replace(text, ":", "", 1)
				if line.Mention {
					text += "*"
				}
				got = append(got, text)
			}
			assert.Empty(t, cmp.Diff(row.want, got), "commands (-want +got)")
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
	makefile, err := os.ReadFile(filepath.Join(repository, "Makefile"))
	require.NoError(t, err)
	targets := map[string]bool{}
	for _, target := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(string(makefile), -1) {
		targets[target[1]] = true
	}
	lines, err := Lines(repository)
	require.NoError(t, err)
	asked := 0
	for _, line := range lines {
		goals, ok := line.After("make")
		for _, goal := range goals {
			if asked++; ok && !targets[goal] && goal != unknown && !strings.HasPrefix(goal, "-") {
				t.Errorf("%s: expected a target of the Makefile, found %q", line, goal)
			}
		}
	}
	if asked < 20 {
		t.Errorf("expected at least 20 calls of make, found %d", asked)
	}
}
