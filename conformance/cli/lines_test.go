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

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

// repository is the root of this project, seen from the package's folder.
const repository = "../.."

// checkLines holds every command line of this command in the files below a root against its flags and arguments, and
// returns how many it found in each file, with what does not fit.
func checkLines(t *testing.T, root string) (found map[string]int, problems []string) {
	t.Helper()
	found = map[string]int{}
	for _, line := range linesIn(t, root) {
		var err error
		switch {
		case line.words[0] == "dynaproof":
			err = Check(command(), line.words[1:], line.mention)
		case line.mention && strings.HasPrefix(line.words[0], "--"):
			err = flagOfSome(line.words)
		case line.mention && slices.ContainsFunc(line.words[1:], func(word string) bool { return strings.HasPrefix(word, "--") }) && isSubcommand(line.words[0]):
			err = Check(command(), line.words, true)
		default:
			continue
		}
		found[line.file]++
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
	assert.Empty(t, problems)
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
			assert.Equal(t, 1, found["help.md"], example)
			assert.Empty(t, problems, example)
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
	for _, row := range tabletest.Read[[]struct {
		Name, File, Old, New string
		Words                []string
	}](t, "lines.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join(repository, row.File))
			require.NoError(t, err)
			require.Contains(t, string(content), row.Old, row.File)
			root := t.TempDir()
			write(t, root, row.File, strings.Replace(string(content), row.Old, row.New, 1))
			_, problems := checkLines(t, root)
			require.Len(t, problems, 1)
			for _, word := range append(row.Words, row.File+":") {
				assert.Contains(t, problems[0], word)
			}
		})
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
	asked := 0
	for _, line := range linesIn(t, repository) {
		if line.words[0] != "make" {
			continue
		}
		for _, goal := range line.words[1:] {
			if asked++; !targets[goal] && goal != unknown && !strings.HasPrefix(goal, "-") {
				t.Errorf("%s: expected a target of the Makefile, found %q", line, goal)
			}
		}
	}
	assert.GreaterOrEqual(t, asked, 20, "targets that are asked for")
}

// unknown stands in a word for what only the shell, make or the reader fills in.
const unknown = "\x00"

// line is one command that somebody or something will run.
type line struct {
	file   string // below the root
	number int
	words  []string // the program and its arguments, unquoted
	// mention says that prose names the command: what is left out of it is not wrong.
	mention bool
}

func (l line) String() string {
	return fmt.Sprintf("%s:%d: %s", l.file, l.number, strings.ReplaceAll(strings.Join(l.words, " "), unknown, "…"))
}

const words = `((?:[ \t]+(?:"[^"]*"|'[^']*'|[^\s"'|;&<>()#` + "`" + `])+)*)` // the arguments, to a sign of the shell's

var (
	// call is a program of this project's where a command begins.
	call       = regexp.MustCompile(`(?m)(?:^|run:|[|;&@\[]|- )[ \t]*(?:(?:exec|nice)[ \t]+)?(\$\(DYNAPROOF\)|(?:build/)?dynaproof\b|make\b)` + words)
	word       = regexp.MustCompile(`(?:"[^"]*"|'[^']*'|[^\s"'])+`)
	filledIn   = regexp.MustCompile(`\$\{[^}]*\}|\$\w*`)
	fenced     = regexp.MustCompile("(?ms)^ *```\\w*\n(.*?)^ *```$")
	typed      = regexp.MustCompile(`(?m)^ *\$ (.*)$`)
	codeSpan   = regexp.MustCompile("`([^`]+)`")
	spanned    = regexp.MustCompile(`^(\S+)` + words)
	readerFill = regexp.MustCompile(`<[\w-]+>|\[[A-Z]+(?:\.\.\.)?\]|\b[A-Z]+\b(?:\.\.\.)?|\.\.\.`)
)

// linesIn returns the commands of all files below a root that call this project's program or its Makefile: of workflows, the GitLab example,
// .ci/run, the Makefile, and the Markdown files, of which code spans are mentions.
func linesIn(t *testing.T, root string) (lines []line) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(path, root), string(filepath.Separator)))
		if entry.IsDir() && (name == ".git" || name == "build") {
			return filepath.SkipDir
		}
		markdown := strings.HasSuffix(name, ".md")
		if entry.IsDir() || !markdown && name != "Makefile" && name != ".ci/run" && name != ".ci/gitlab.yml" && !strings.HasPrefix(name, ".github/workflows/") {
			return nil
		}
		content, err := os.ReadFile(path)
		text := string(content)
		add := func(at int, program, arguments string, mention bool) {
			one := line{file: name, number: 1 + strings.Count(text[:at], "\n"), words: []string{filepath.Base(program)}, mention: mention}
			if program == "$(DYNAPROOF)" {
				one.words[0] = "dynaproof"
			}
			for _, each := range word.FindAllString(arguments, -1) {
				one.words = append(one.words, filledIn.ReplaceAllString(strings.NewReplacer(`"`, "", "'", "").Replace(each), unknown))
			}
			lines = append(lines, one)
		}
		calls := func(from int, text string) {
			for _, found := range call.FindAllStringSubmatchIndex(text, -1) {
				add(from+found[2], text[found[2]:found[3]], text[found[4]:found[5]], false)
			}
		}
		if !markdown {
			calls(0, text)
			return err
		}
		prose := []byte(text)
		for _, block := range fenced.FindAllStringSubmatchIndex(text, -1) {
			for _, line := range typed.FindAllStringSubmatchIndex(text[block[2]:block[3]], -1) {
				calls(block[2]+line[2], text[block[2]+line[2]:block[2]+line[3]])
			}
			for i := block[0]; i < block[1]; i++ {
				if prose[i] != '\n' {
					prose[i] = ' '
				}
			}
		}
		for _, span := range codeSpan.FindAllSubmatchIndex(prose, -1) {
			mentioned := strings.Join(strings.Fields(string(prose[span[2]:span[3]])), " ") // a line of prose ends anywhere
			if found := spanned.FindStringSubmatch(readerFill.ReplaceAllLiteralString(mentioned, unknown)); found != nil {
				add(span[2], found[1], found[2], true)
			}
		}
		return err
	}))
	return lines
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
