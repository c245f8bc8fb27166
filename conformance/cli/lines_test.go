package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/syntax"
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
		assert.GreaterOrEqual(t, found[file], least, "command lines of %s", file)
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
	assert.GreaterOrEqual(t, examples, 20, "examples")
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
			require.Len(t, problems, 1)
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
	assert.GreaterOrEqual(t, asked, 20, "calls of make")
}

// unknown stands in a word for what only the shell, make or the reader fills in.
const unknown = "\x00"

// Line is one command that somebody or something will run.
type Line struct {
	// File is its file below the root, and Number its line there.
	File   string
	Number int
	// Words are the program and its arguments, unquoted.
	Words []string
	// Mention says that prose names the command: what is left out of it is not wrong.
	Mention bool
}

func (l Line) String() string {
	return fmt.Sprintf("%s:%d: %s", l.File, l.Number, strings.ReplaceAll(strings.Join(l.Words, " "), unknown, "…"))
}

// After returns the arguments after a program's words, such as "go", "run", "./x"; ok says whether the line calls it.
func (l Line) After(program ...string) (arguments []string, ok bool) {
	words := l.Words
	for len(words) > 0 && slices.Contains([]string{"exec", "nice", "time"}, words[0]) {
		words = words[1:]
	}
	if len(words) < len(program) || !slices.Equal(words[:len(program)], program) {
		return nil, false
	}
	return words[len(program):], true
}

// Lines returns the commands of all files below a root: of workflows, the GitLab example, .ci/run, the Makefile, and the
// Markdown files. It fails on a script that Bash would not parse.
func Lines(root string) ([]Line, error) {
	var lines []Line
	var problems []error
	files, err := sources(root)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		scripts, err := scriptsOf(file, string(content))
		problems = append(problems, err)
		for _, script := range scripts {
			found, err := script.lines()
			problems = append(problems, err)
			lines = append(lines, found...)
		}
	}
	return lines, errors.Join(problems...)
}

// sources lists the files that hold commands, relative to the root.
func sources(root string) (files []string, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() && (name == ".git" || name == "build") {
			return filepath.SkipDir
		}
		if !entry.IsDir() && kindOf(name) != "" {
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

func kindOf(file string) string {
	switch {
	case file == "Makefile":
		return "make"
	case file == ".ci/run":
		return "shell"
	case strings.HasSuffix(file, ".md"):
		return "markdown"
	case strings.HasPrefix(file, ".github/workflows/"), file == ".ci/gitlab.yml":
		return "yaml"
	}
	return ""
}

// script is shell text in a file.
type script struct {
	file    string
	number  int // line of its first line
	text    string
	mention bool
}

func scriptsOf(file, content string) ([]script, error) {
	switch kindOf(file) {
	case "make":
		return recipes(file, content), nil
	case "shell":
		return []script{{file, 1, content, false}}, nil
	case "markdown":
		return markdown(file, content), nil
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(content), &document); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return steps(file, &document), nil
}

// lines parses a script, and returns every simple command in it.
func (s script) lines() (lines []Line, err error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(s.text), "")
	if err != nil {
		if s.mention { // prose quotes more than commands
			return nil, nil
		}
		return nil, fmt.Errorf("%s:%d: expected a script that Bash parses: %w", s.file, s.number, err)
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		line := Line{File: s.file, Number: s.number + int(call.Pos().Line()) - 1, Mention: s.mention}
		for _, word := range call.Args {
			line.Words = append(line.Words, plain(word.Parts))
		}
		lines = append(lines, line)
		return true
	})
	return lines, nil
}

// plain returns a word as the program gets it, with what the shell fills in as unknown.
func plain(parts []syntax.WordPart) string {
	var text strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text.WriteString(part.Value)
		case *syntax.SglQuoted:
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			text.WriteString(plain(part.Parts))
		default:
			text.WriteString(unknown)
		}
	}
	return text.String()
}

// steps returns the scripts of a workflow or of a GitLab file.
func steps(file string, node *yaml.Node) (scripts []script) {
	if node.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if slices.Contains([]string{"run", "script", "before_script", "after_script"}, node.Content[i].Value) {
				scripts = append(scripts, scalars(file, node.Content[i+1])...)
			}
		}
	}
	for _, child := range node.Content {
		scripts = append(scripts, steps(file, child)...)
	}
	return scripts
}

func scalars(file string, node *yaml.Node) (scripts []script) {
	switch node.Kind {
	case yaml.ScalarNode:
		number := node.Line
		if node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			number++ // the text begins below the sign
		}
		return []script{{file, number, node.Value, false}}
	case yaml.SequenceNode:
		for _, child := range node.Content {
			scripts = append(scripts, scalars(file, child)...)
		}
	}
	return scripts
}

var (
	makeCall     = regexp.MustCompile(`\$\((?:[^()]|\([^()]*\))*\)`)
	makeVariable = map[string]string{"$(DYNAPROOF)": "build/dynaproof", "$(BUILD)": "build"}
)

// recipes returns the recipes of a Makefile, each logical line by itself as make runs them.
func recipes(file, content string) (scripts []script) {
	lines := strings.Split(content, "\n")
	for i := 0; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "\t") {
			continue
		}
		number, text := i+1, strings.TrimLeft(lines[i][1:], "@-+")
		for strings.HasSuffix(text, `\`) && i+1 < len(lines) {
			i++
			text += "\n" + lines[i]
		}
		text = makeCall.ReplaceAllStringFunc(text, func(call string) string {
			if value, ok := makeVariable[call]; ok {
				return value
			}
			return "${MAKE_FILLS_IN}"
		})
		scripts = append(scripts, script{file, number, strings.ReplaceAll(text, "$$", "$"), false})
	}
	return scripts
}

var (
	fenced     = regexp.MustCompile("(?ms)^ *```(\\w*)\n(.*?)^ *```$")
	codeSpan   = regexp.MustCompile("`([^`]+)`")
	prompt     = regexp.MustCompile(`^ *\$ `)
	readerFill = regexp.MustCompile(`<[\w-]+>|\[[A-Z]+(?:\.\.\.)?\]|\b[A-Z]+\b(?:\.\.\.)?|\.\.\.`)
)

// markdown returns what stands after a prompt in code blocks, and code spans.
func markdown(file, content string) (scripts []script) {
	numberOf := func(at int) int { return 1 + strings.Count(content[:at], "\n") }
	prose := []byte(content)
	for _, block := range fenced.FindAllStringSubmatchIndex(content, -1) {
		for i := block[0]; i < block[1]; i++ {
			if prose[i] != '\n' {
				prose[i] = ' '
			}
		}
		scripts = append(scripts, typed(file, numberOf(block[4]), content[block[4]:block[5]])...)
	}
	for _, span := range codeSpan.FindAllSubmatchIndex(prose, -1) {
		text := strings.Join(strings.Fields(string(prose[span[2]:span[3]])), " ") // a line of prose ends anywhere
		text = readerFill.ReplaceAllLiteralString(text, "${READER_FILLS_IN}")
		scripts = append(scripts, script{file, numberOf(span[2]), text, true})
	}
	return scripts
}

// typed returns what stands after the prompts of a code block, with further lines while the shell would wait for them.
func typed(file string, number int, block string) (scripts []script) {
	lines := strings.Split(block, "\n")
	for i := 0; i < len(lines); i++ {
		start := prompt.FindString(lines[i])
		if start == "" {
			continue // output
		}
		one := script{file, number + i, lines[i][len(start):], false}
		for i+1 < len(lines) && incomplete(one.text) {
			i++
			one.text += "\n" + lines[i]
		}
		scripts = append(scripts, one)
	}
	return scripts
}

func incomplete(text string) bool {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	return syntax.IsIncomplete(err) || strings.HasSuffix(text, `\`)
}

// folder is the type of a flag that names a folder of the reader's, which is not there before the run.
const folder = "DIR"

// Check holds the arguments of a command line against the command that will get them: subcommands, flags, their values,
// how many arguments there are, and which, where the command offers a list. What is not known before the run is not
// judged, and neither is what a mention leaves out. The command must be a new one: its flags are set.
func Check(root *cobra.Command, arguments []string, mention bool) error {
	c := root
	for len(arguments) > 0 {
		i := slices.IndexFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == arguments[0] })
		if i < 0 {
			break
		}
		c, arguments = c.Commands()[i], arguments[1:]
	}
	if c.HasSubCommands() && len(arguments) > 0 && !strings.HasPrefix(arguments[0], "-") {
		return fmt.Errorf("%s: expected a subcommand, found %q", c.CommandPath(), arguments[0])
	}
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	c.InheritedFlags() // adds those of the commands above
	ownFolder := false
	err := c.Flags().ParseAll(arguments, func(flag *pflag.Flag, value string) error {
		flag.Changed = true
		ownFolder = ownFolder || flag.Value.Type() == folder
		if strings.Contains(value, unknown) || ownFolder {
			return nil
		}
		if err := flag.Value.Set(value); err != nil {
			return fmt.Errorf("--%s: expected a value of type %s, found %q: %w", flag.Name, flag.Value.Type(), value, err)
		}
		return nil
	})
	if lacks := (*pflag.ValueRequiredError)(nil); mention && errors.As(err, &lacks) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.CommandPath(), err)
	}
	if ownFolder {
		return nil // which arguments fit is decided by what the folder holds
	}
	given := slices.Clone(c.Flags().Args())
	var problems []error
	for i, argument := range given {
		offered := offers(c)
		switch {
		case len(offered) == 0:
		case strings.Contains(argument, unknown):
			given[i] = offered[0] // one that the command takes
		case !slices.Contains(offered, argument):
			problems = append(problems, fmt.Errorf("expected an argument that the command offers, such as %s, found %q", offered[0], argument))
		}
	}
	if len(problems) == 0 && (!mention || len(given) > 0) {
		problems = append(problems, c.ValidateArgs(given))
	}
	if !mention {
		problems = append(problems, c.ValidateRequiredFlags())
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("%s: %w", c.CommandPath(), err)
	}
	return nil
}

// offers lists the arguments that a command offers to the shell when it takes no others.
func offers(c *cobra.Command) (names []string) {
	if c.ValidArgsFunction == nil {
		return nil
	}
	offered, directive := c.ValidArgsFunction(c, nil, "")
	if directive != cobra.ShellCompDirectiveNoFileComp {
		return nil
	}
	for _, offer := range offered {
		name, _, _ := strings.Cut(offer, "\t") // the rest describes it
		names = append(names, name)
	}
	return names
}
