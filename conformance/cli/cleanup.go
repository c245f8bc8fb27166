package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/target"
)

func cleanupCommand() *cobra.Command {
	var options replay.Options
	var targetName string
	c := &cobra.Command{
		Use:   "cleanup DESIGN",
		Short: "Remove what an interrupted verify left",
		Long: `Removes what an interrupted verify of a design left: the items that it wrote to an
existing stack, and the tables of its own ephemeral stack. The journal in the state
folder says what these are, and nothing else is touched: an item that somebody
changed since stays, and the command says so.`,
		Example: `  dynaproof cleanup osem-ladders --endpoint http://127.0.0.1:8000 --env dev
  dynaproof cleanup osem-ladders --target aws`,
		Args:              oneDesign,
		ValidArgsFunction: completeDesigns,
		PreRunE:           refuseEmpty,
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.Endpoint == "" && targetName == "" {
				return outcome{evidence.WrongUsage, fmt.Errorf("cleanup: expected --target aws, or --endpoint, the URL of the engine that the interrupted run used, found neither; what was left on an embedded engine ended with it")}
			}
			if err := openCloud(cmd.Context(), targetName, &options); err != nil {
				return ran(err)
			}
			return ran(cleanup(cmd.Context(), cmd.OutOrStdout(), args[0], options))
		},
	}
	targetFlags(c, &options, "or --target aws")
	cloudFlag(c, &targetName)
	c.Flags().StringVar(&options.StateDir, "state", "build/state", "folder of the state of the interrupted run")
	return c
}

func cleanup(ctx context.Context, out io.Writer, design string, options replay.Options) error {
	if err := replay.CheckConfiguration(design, options.Environment, options.Region, options.NamePrefix, nil); err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	region := cmp.Or(options.Region, replay.DefaultRegion)
	if options.Cloud != nil {
		region = options.Cloud.Config.Region
	} else {
		answering, err := target.Endpoint(ctx, options.Endpoint)
		if err != nil {
			return err
		}
		options.Endpoint = answering.URL()
	}
	stack, err := replay.StackOptions(design, options.Environment, region, options.NamePrefix)
	if err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	at := replay.Place{Endpoint: options.Endpoint, Cloud: options.Cloud}
	at.Point(&stack)
	said, err := replay.RemoveInterrupted(ctx, options.StateDir, at, stack)
	for _, line := range said {
		fmt.Fprintln(out, line)
	}
	return err
}
