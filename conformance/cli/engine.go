package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dynaproof/conformance/target"
)

func engineCommand() *cobra.Command {
	var asJSON *bool
	c := help("engine", &cobra.Command{
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			engine, err := target.Embedded(cmd.Context(), target.EmbeddedOptions{Progress: func(line string) { cmd.PrintErrln(line) }})
			if err != nil {
				return ran(err)
			}
			is := engine.Description()
			if *asJSON {
				err = printJSON(cmd.OutOrStdout(), map[string]string{"engine": is.Engine, "version": is.Version, "source": is.Source, "digest": is.Digest})
			} else {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n%s\n%s\n", is.Engine, is.Version, is.Source, is.Digest)
			}
			return ran(errors.Join(err, engine.Close(cmd.Context())))
		},
	})
	asJSON = jsonFlag(c)
	return c
}
