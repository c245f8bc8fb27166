package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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
