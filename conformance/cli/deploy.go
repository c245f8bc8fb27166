package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/target"
)

func deployCommand(operation string) *cobra.Command {
	var options replay.Options
	var state string
	var config map[string]string
	var asJSON *bool
	c := help(operation, &cobra.Command{
		Args:              oneDesign,
		ValidArgsFunction: completeDesigns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.Endpoint == "" {
				return misused("%s: expected --endpoint, the URL of an engine on this machine, found none; `dynaproof serve` starts one", operation)
			}
			return operate(cmd.Context(), cmd.OutOrStdout(), operation, args, options, state, config, *asJSON)
		},
	})
	targetFlags(c, &options, "required")
	asJSON = jsonFlag(c)
	c.Flags().StringVar(&state, "state", "build/state", "folder of the Pulumi state")
	c.Flags().StringToStringVar(&config, "config", nil, "stack configuration, such as dynaproof:billingMode=PROVISIONED")
	return c
}

// operated is what deploy, preview, refresh and destroy print as JSON.
type operated struct {
	Operation string `json:"operation"`
	Stack     string `json:"stack"`
	// Changes counts resources by what was done to them, as Pulumi does.
	Changes map[string]int `json:"changes"`
	// Diff shows each resource that differs, as `pulumi preview --diff` does.
	Diff     string   `json:"diff,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Tables holds the deployed names, by logical id; of deploy alone.
	Tables map[string]string `json:"tables,omitempty"`
	// Left counts the tables of an interrupted verify that destroy removed too.
	Left    int     `json:"left,omitempty"`
	Seconds float64 `json:"seconds"`
}

func operate(ctx context.Context, out io.Writer, operation string, names []string, options replay.Options, state string, config map[string]string, asJSON bool) error {
	stackOptions, err := stackOf(names, options, cmp.Or(options.Region, replay.DefaultRegion))
	if err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	for _, key := range slices.Sorted(maps.Keys(config)) { // what deploys refuses settings that no program reads
		if strings.HasPrefix(key, "aws:") {
			return misused("--config: expected no setting of the aws provider, found %s; --region and --endpoint set it", key)
		}
	}
	merged := map[string]string{}
	maps.Copy(merged, stackOptions.Config)
	maps.Copy(merged, config)
	stackOptions.Config = merged
	stackOptions.Endpoint = options.Endpoint
	stackOptions.StateDir = replay.EndpointState(state, options.Endpoint)
	stack, err := deploy.Open(ctx, stackOptions)
	if err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	ownership := replay.OwnershipOf(stackOptions.StateDir, stack.Name())
	if operation == "deploy" || operation == "destroy" { // whose the tables are is asked there
		if _, err := target.Endpoint(ctx, options.Endpoint); err != nil {
			return err
		}
		release, err := replay.Hold(ownership, stack.Name())
		if err != nil {
			return err
		}
		defer func() { _ = release() }() // the process's end releases it too
	}
	owned, err := replay.OpenOwned(stack, ownership, replay.Place{Endpoint: options.Endpoint}, stackOptions.Region)
	if err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	end, err := owned.Guard(options.Endpoint)
	if err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	defer func() { _ = end(context.WithoutCancel(ctx)) }() // what passed it is done
	var result *deploy.Result
	switch operation {
	case "deploy":
		result, err = owned.Up(ctx)
	case "preview":
		result, err = stack.Preview(ctx)
	case "refresh":
		result, err = stack.Refresh(ctx)
	case "destroy":
		result, err = owned.Destroy(ctx)
	}
	if err != nil {
		return err
	}
	did := &operated{
		Operation: operation, Stack: stack.Name(), Changes: result.Changes, Diff: strings.TrimRight(result.Diff, "\n"), Warnings: result.Warnings,
		Seconds: result.Seconds,
	}
	switch operation {
	case "destroy":
		if err := stack.Remove(ctx); err != nil {
			return err
		}
		left, err := replay.RemoveLeftovers(ctx, state, replay.Place{Endpoint: options.Endpoint}, stackOptions)
		if err != nil {
			return err
		}
		if left != nil {
			did.Left = left.Tables
		}
	case "deploy":
		deployment, err := replay.Outputs(result.Outputs)
		if err != nil {
			return err
		}
		did.Tables = deployment.Tables
	}
	return show(out, asJSON, "operated", did)
}

// Took is the time that it took.
func (o *operated) Took() time.Duration {
	return time.Duration(o.Seconds * float64(time.Second)).Round(time.Millisecond)
}

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
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.Endpoint == "" && targetName == "" {
				return misused("cleanup: expected --target aws, or --endpoint, the URL of the engine that the interrupted run used, found neither; what was left on an embedded engine ended with it")
			}
			options.Designs = args
			if err := openCloud(cmd.Context(), targetName, &options); err != nil {
				return err
			}
			if cmd.Flags().Changed("older-than") {
				said, err := sweep(cmd.Context(), options, olderThan)
				return errors.Join(say(cmd.OutOrStdout(), said, *asJSON), err)
			}
			said, err := cleanup(cmd.Context(), options)
			return errors.Join(say(cmd.OutOrStdout(), said, *asJSON), err)
		},
	}, "{tag}", replay.RunTag)
	designFlag(c)
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
		fmt.Fprintln(out, line)
	}
	return nil
}

// stackOf says which stack of the one design the options name, in a region where the design's document fixes none.
func stackOf(names []string, options replay.Options, region string) (deploy.Options, error) {
	chosen, err := designs.Chosen(names)
	if err == nil {
		err = replay.CheckConfiguration(chosen[0], options.Environment, options.Region, options.NamePrefix)
	}
	if err != nil {
		return deploy.Options{}, err
	}
	return replay.StackOptions(chosen[0], options.Environment, region, options.NamePrefix), nil
}

func cleanup(ctx context.Context, options replay.Options) ([]string, error) {
	region := cmp.Or(options.Region, replay.DefaultRegion)
	if options.Cloud != nil {
		region = options.Cloud.Config.Region
	}
	stack, err := stackOf(options.Designs, options, region)
	if err != nil {
		return nil, outcome{evidence.WrongUsage, err}
	}
	if options.Cloud == nil {
		answering, err := target.Endpoint(ctx, options.Endpoint)
		if err != nil {
			return nil, err
		}
		options.Endpoint = answering.URL()
	}
	at := replay.Place{Endpoint: options.Endpoint, Cloud: options.Cloud}
	at.Point(&stack)
	return replay.RemoveInterrupted(ctx, options.StateDir, at, stack)
}

// sweep removes what lost runs left in an account.
func sweep(ctx context.Context, options replay.Options, olderThan time.Duration) ([]string, error) {
	if options.Cloud == nil || olderThan < time.Hour {
		return nil, misused("--older-than: expected it with --target aws, and at least 1h, so that no run in progress loses its tables; found %s", olderThan)
	}
	said, err := replay.RemoveOlder(ctx, options.Cloud, options.Cloud.Config.Region, olderThan)
	if err == nil && len(said) == 0 {
		said = []string{fmt.Sprintf("no table of a run that began more than %s ago is in %s, and no policy", olderThan, options.Cloud.Config.Region)}
	}
	return said, err
}
