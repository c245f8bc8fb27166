package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
