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
	c := &cobra.Command{
		Use:   "cleanup DESIGN",
		Short: "Remove what an interrupted verify left",
		Long: `Removes what an interrupted verify of a design left: the items that it wrote to an
existing stack, and the tables of its own ephemeral stack. The journal in the state
folder says what these are, and nothing else is touched: an item that somebody
changed since stays, and the command says so. Exit code 3 means that no run is known
there, so that nobody can tell what was left.

With --older-than it needs no journal and no design: it removes, from the account's
region, the tables whose tag ` + "`" + replay.RunTag + "`" + ` says that their run began so long ago,
and the IAM policies with such a tag. A policy that somebody attached stays, and is named.`,
		Example: `  dynaproof cleanup osem-ladders --endpoint http://127.0.0.1:8000 --env dev
  dynaproof cleanup osem-ladders --target aws
  dynaproof cleanup --target aws --older-than 6h --region eu-west-1`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("older-than") {
				return cobra.NoArgs(cmd, args)
			}
			return oneDesign(cmd, args)
		},
		ValidArgsFunction: completeDesigns,
		PreRunE:           refuseEmpty,
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
	}
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
	said, err := replay.RemoveOlder(ctx, options.Cloud, options.Cloud.Config.Region, time.Now().Add(-olderThan))
	if err == nil && len(said) == 0 {
		said = []string{fmt.Sprintf("no table of a run that began more than %s ago is in %s, and no policy", olderThan, options.Cloud.Config.Region)}
	}
	return said, err
}
