package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/replay"
	"dynaproof/conformance/target"
)

func cleanupCommand() *cobra.Command {
	var options replay.Options
	c := &cobra.Command{
		Use:   "cleanup DESIGN",
		Short: "Remove what an interrupted verify left",
		Long: `Removes what an interrupted verify of a design left: the items that it wrote to an
existing stack, and the tables of its own ephemeral stack. The journal in the state
folder says what these are, and nothing else is touched: an item that somebody
changed since stays, and the command says so.`,
		Example: `  dynaproof cleanup osem-ladders --endpoint http://127.0.0.1:8000 --env dev`,
		Args: func(_ *cobra.Command, args []string) error {
			_, err := oneDesign(args)
			return err
		},
		ValidArgsFunction: completeDesigns,
		PreRunE:           refuseEmpty,
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.Endpoint == "" {
				return outcome{evidence.WrongUsage, fmt.Errorf("cleanup: expected --endpoint, the URL of the engine that the interrupted run used, found none; what was left on an embedded engine ended with it")}
			}
			return ran(cleanup(cmd.Context(), cmd.OutOrStdout(), args[0], options))
		},
	}
	targetFlags(c, &options, "required")
	c.Flags().StringVar(&options.StateDir, "state", "build/state", "folder of the state of the interrupted run")
	return c
}

func cleanup(ctx context.Context, out io.Writer, design string, options replay.Options) error {
	if err := replay.CheckConfiguration(design, options.Environment, options.Region, options.NamePrefix, nil); err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	answering, err := target.Endpoint(ctx, options.Endpoint)
	if err != nil {
		return err
	}
	options.Endpoint = answering.URL()
	stack, err := replay.StackOptions(design, options.Environment, cmp.Or(options.Region, replay.DefaultRegion), options.NamePrefix)
	if err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	stack.Endpoint = options.Endpoint
	name := design + "." + options.Environment
	items, err := replay.RemoveItems(ctx, options.StateDir, options.Endpoint, stack.Region, name)
	if items != nil {
		fmt.Fprintf(out, "removed what an interrupted verify of %s wrote: %d items\n", name, *items)
	}
	if err != nil {
		return err
	}
	left, err := replay.RemoveLeftovers(ctx, options.StateDir, stack)
	if err != nil {
		return err
	}
	if left != nil {
		fmt.Fprintf(out, "removed what an interrupted verify of %s deployed: %d tables\n", name, left.Tables)
	}
	if items == nil && left == nil {
		fmt.Fprintf(out, "no interrupted verify of %s is known in %s\n", name, replay.EndpointState(options.StateDir, options.Endpoint))
	}
	return nil
}
