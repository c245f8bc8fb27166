package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"dynaproof/conformance/internal/test/workflows"
)

// repository is the root of this project, seen from the package's folder.
const repository = "../.."

// checkLines holds every command line of this command in the files below a root against its flags and arguments, and
// returns how many it found in each file, with what does not fit.
func checkLines(t *testing.T, root string) (found map[string]int, problems []string) {
	t.Helper()
	lines, err := workflows.Lines(root)
	if err != nil {
		t.Fatal(err)
	}
	found = map[string]int{}
	for _, line := range lines {
		arguments, ok := line.After("build/dynaproof")
		if !ok {
			arguments, ok = line.After("dynaproof")
		}
		switch {
		case ok:
			err = workflows.Check(command(), arguments, line.Mention)
		case line.Mention && strings.HasPrefix(line.Words[0], "--"):
			err = flagOfSome(line.Words)
		case line.Mention && slices.ContainsFunc(line.Words[1:], func(word string) bool { return strings.HasPrefix(word, "--") }) && isSubcommand(line.Words[0]):
			err = workflows.Check(command(), line.Words, true)
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
		if err = workflows.Check(command(), append([]string{c.Name()}, words...), true); err == nil {
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
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
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
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(content), row.old) {
				t.Fatalf("%s: expected %q, to break it", row.file, row.old)
			}
			root := t.TempDir()
			write(t, root, row.file, strings.Replace(string(content), row.old, row.new, 1))
			_, problems := checkLines(t, root)
			if len(problems) != 1 {
				t.Fatalf("expected one problem, found %q", problems)
			}
			for _, word := range append(row.words, row.file+":") {
				if !strings.Contains(problems[0], word) {
					t.Errorf("expected %q in %q", word, problems[0])
				}
			}
		})
	}
}
