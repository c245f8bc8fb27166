package cli

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// group puts commands under a heading of the help.
func group(root *cobra.Command, id, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, c := range commands {
		c.GroupID = id
	}
	root.AddCommand(commands...)
}

// likeness is the most letters that a flag may be away from the one that is proposed for it.
const likeness = 3

// mistyped names the command whose flag is wrong, the flag that was likely meant, and where all of them stand.
func mistyped(c *cobra.Command, err error) error {
	var decided outcome
	if errors.As(err, &decided) { // a value that was refused with words of its own
		return err
	}
	var unknown *pflag.NotExistError
	nearest, distance := "", likeness+1
	if errors.As(err, &unknown) {
		given := unknown.GetSpecifiedName()
		consider := func(flag *pflag.Flag) {
			if d := levenshtein.Distance(given, flag.Name, nil); !flag.Hidden && d < distance && d < len(given) {
				nearest, distance = flag.Name, d
			}
		}
		c.Flags().VisitAll(consider)
		c.InheritedFlags().VisitAll(consider)
	}
	if nearest != "" {
		nearest = "; did you mean --" + nearest + "?"
	}
	return fmt.Errorf("%s: %w%s (`%s --help` lists the flags)", c.Name(), err, nearest, c.CommandPath())
}

// jsonFlag declares --json of a command that otherwise prints text.
func jsonFlag(c *cobra.Command) *bool {
	return c.Flags().Bool("json", false, "print JSON instead of text")
}

// printJSON prints what a command says, for another program.
func printJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return couldNotTell(encoder.Encode(value))
}

// helpText holds the texts of the commands: behind "=== " how a command is used, then what it does in a line, then in full, and
// behind "Example:" its examples.
//
//go:embed help.txt
var helpText string

// help gives a command its texts. Each pair is a {word} of them, and what stands for it.
func help(name string, c *cobra.Command, pairs ...string) *cobra.Command {
	for section := range strings.SplitSeq(strings.TrimPrefix(helpText, "=== "), "\n=== ") {
		use, text, _ := strings.Cut(strings.TrimSpace(section), "\n")
		if word, _, _ := strings.Cut(use, " "); word != name {
			continue
		}
		text = strings.NewReplacer(pairs...).Replace(text)
		text, c.Example, _ = strings.Cut(text, "\n\nExample:\n")
		c.Use = use
		c.Short, c.Long, _ = strings.Cut(text, "\n\n")
		return c
	}
	panic("help.txt has nothing on " + name)
}

// version is the release; the linker sets it in the binaries of a release.
var version string

// versionText says what this binary is: the release, or else what Go noted about the source when it built it.
func versionText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(version, "unknown")
	}
	noted := map[string]string{}
	for _, setting := range info.Settings {
		noted[setting.Key] = setting.Value
	}
	text := cmp.Or(version, info.Main.Version, "unknown")
	if revision := noted["vcs.revision"]; revision != "" {
		text += fmt.Sprintf(" (commit %s", revision)
		if noted["vcs.modified"] == "true" {
			text += ", changed since"
		}
		text += ")"
	}
	return text + " " + info.GoVersion
}
