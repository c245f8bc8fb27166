package cli

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"
)

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
