package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/target"
)

func cleanupCommand() *cobra.Command {
	var options replay.Options
	var targetName string
	var olderThan time.Duration
	var asJSON *bool
	c := help("cleanup", &cobra.Command{
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("older-than") {
				return cobra.NoArgs(cmd, args)
			}
			return oneDesign(cmd, args)
		},
		ValidArgsFunction: completeDesigns,
		PreRunE:           refuseWrongValues,
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.Endpoint == "" && targetName == "" {
				return outcome{evidence.WrongUsage, fmt.Errorf("cleanup: expected --target aws, or --endpoint, the URL of the engine that the interrupted run used, found neither; what was left on an embedded engine ended with it")}
			}
			options.Designs = args
			if err := openCloud(cmd.Context(), targetName, &options); err != nil {
				return ran(err)
			}
			if cmd.Flags().Changed("older-than") {
				said, err := sweep(cmd.Context(), options, olderThan)
				return ran(errors.Join(say(cmd.OutOrStdout(), said, *asJSON), err))
			}
			said, err := cleanup(cmd.Context(), args[0], options)
			return ran(errors.Join(say(cmd.OutOrStdout(), said, *asJSON), err))
		},
	}, "{tag}", replay.RunTag)
	targetFlags(c, &options, "or --target aws")
	cloudFlag(c, &targetName)
	asJSON = jsonFlag(c)
	c.Flags().DurationVar(&olderThan, "older-than", 0, "with --target aws: remove the tables of all runs that began so long ago, such as 6h, by their tag")
	c.Flags().StringVar(&options.StateDir, "state", "build/state", "folder of the state of the interrupted run")
	return c
}

// say prints what was removed and what stays, a line each, or {"said": [...]}.
func say(out io.Writer, said []string, asJSON bool) error {
	if asJSON {
		return printJSON(out, map[string][]string{"said": append([]string{}, said...)})
	}
	for _, line := range said {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

func cleanup(ctx context.Context, design string, options replay.Options) ([]string, error) {
	contract, err := designs.Find(design)
	if err == nil {
		err = replay.CheckConfiguration(contract, options.Environment, options.Region, options.NamePrefix)
	}
	if err != nil {
		return nil, outcome{evidence.WrongUsage, err}
	}
	region := cmp.Or(options.Region, replay.DefaultRegion)
	if options.Cloud != nil {
		region = options.Cloud.Config.Region
	} else {
		answering, err := target.Endpoint(ctx, options.Endpoint)
		if err != nil {
			return nil, err
		}
		options.Endpoint = answering.URL()
	}
	stack := replay.StackOptions(contract, options.Environment, region, options.NamePrefix)
	at := replay.Place{Endpoint: options.Endpoint, Cloud: options.Cloud}
	at.Point(&stack)
	return replay.RemoveInterrupted(ctx, options.StateDir, at, stack)
}

// sweep removes what lost runs left in an account.
func sweep(ctx context.Context, options replay.Options, olderThan time.Duration) ([]string, error) {
	if options.Cloud == nil || olderThan < time.Hour {
		return nil, outcome{evidence.WrongUsage, fmt.Errorf("--older-than: expected it with --target aws, and at least 1h, so that no run in progress loses its tables; found %s", olderThan)}
	}
	said, err := replay.RemoveOlder(ctx, options.Cloud, options.Cloud.Config.Region, olderThan)
	if err == nil && len(said) == 0 {
		said = []string{fmt.Sprintf("no table of a run that began more than %s ago is in %s, and no policy", olderThan, options.Cloud.Config.Region)}
	}
	return said, err
}
