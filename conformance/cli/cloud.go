package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/redact"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/trail"
	"dynaproof/conformance/target"
)

// targetAWS is the one value of --target that opens traffic to AWS.
const targetAWS = "aws"

// cloudFlag adds --target to a command.
func cloudFlag(c *cobra.Command, name *string) {
	c.Flags().StringVar(name, "target", "", "aws: the AWS account of the environment's credentials (AWS_PROFILE, a role, ...), in place of an engine on this machine")
}

// trailFlags are the flags of the commands that may ask a trail of CloudTrail. The
// longest wait stands in options, the group is read by followTrail.
func trailFlags(c *cobra.Command, options *replay.Options, group *string) {
	c.Flags().StringVar(group, "cloudtrail-logs", "", "with --target aws: log group (or its ARN, in another region) to which a trail of CloudTrail delivers the tables' data events; nobody may scan")
	c.Flags().DurationVar(&options.TrailWait, "cloudtrail-wait", replay.DefaultTrailWait, "with --cloudtrail-logs: longest wait for what CloudTrail delivers late, and for the search")
}

// followTrail reads --cloudtrail-logs, and refuses what depends on it where it is
// missing. onAWS says whether there is an account whose log group it may be, and named whether something else names one.
func followTrail(c *cobra.Command, options *replay.Options, group string, onAWS, named bool) error {
	if group == "" {
		for _, name := range []string{"cloudtrail-wait", "since"} {
			if !named && c.Flags().Changed(name) {
				return misused("--%s: expected it with --cloudtrail-logs alone; leave it out, or name the log group of the trail", name)
			}
		}
		return nil
	}
	if !onAWS {
		return misused("--cloudtrail-logs: expected --target aws, found another target, which no trail sees; leave the option out")
	}
	parsed, err := trail.ParseGroup(group)
	if err != nil {
		return misused("--cloudtrail-logs: %w", err)
	}
	options.TrailGroup = &parsed
	return nil
}

// openCloud opens the account when --target asks for it.
func openCloud(ctx context.Context, name string, options *replay.Options) error {
	switch {
	case name == "":
		return nil
	case name != targetAWS:
		return misused("--target: expected aws, found %q; leave the option out for the embedded engine, or give --endpoint for an engine on this machine", name)
	case options.Endpoint != "":
		return misused("--target aws: expected no --endpoint, found one; leave one of both out")
	}
	region, err := replay.CloudRegion(options.Designs, options.Region)
	if err != nil {
		return err
	}
	account, err := target.Cloud(ctx, target.CloudOptions{Region: region})
	if err != nil {
		return err
	}
	options.Cloud = account
	names.Learn(redact.Names{Account: account.ID, Caller: account.Caller})
	return nil
}

// consent tells what a run on AWS will do and cost, and asks for it.
func consent(cmd *cobra.Command, options replay.Options, yes bool) error {
	account, out := options.Cloud, cmd.ErrOrStderr()
	if account.Override() == "" && !options.Existing {
		unverified, err := deploy.CheckPlugin(cmd.Context())
		if err != nil {
			return outcome{evidence.WrongUsage, err}
		}
		for _, line := range unverified {
			fmt.Fprintln(out, line)
		}
	}
	estimate, err := replay.EstimateRun(options, account.Config.Region)
	if err != nil {
		return err
	}
	if !yes && isTerminal(cmd.InOrStdin()) { // who answers has to know which account it is; nobody else reads it
		out = os.Stderr
	}
	fmt.Fprintf(out, "account %s, region %s, as %s\n%s\n", account.ID, account.Config.Region, account.Caller, estimate)
	if yes {
		return nil
	}
	if answer, err := ask(cmd, out, "Start? Only 'yes' does: "); err != nil || answer != "yes" {
		return outcome{evidence.WrongUsage, errors.Join(errors.New("verify --target aws: expected --yes, or the answer yes on a terminal, found neither; nothing was deployed"), err)}
	}
	return nil
}

// consentExisting tells what a run on an existing stack will do and what it will not
// tell, and wants the name of the environment, which nobody gives by habit.
func consentExisting(cmd *cobra.Command, options replay.Options, confirmed string) error {
	plan, err := replay.PlanExisting(options)
	if err == nil {
		err = printText(cmd.ErrOrStderr(), "existing", plan)
	}
	if err != nil {
		return err
	}
	if confirmed == "" {
		if confirmed, err = ask(cmd, cmd.ErrOrStderr(), fmt.Sprintf("Start? Only the name of the environment, %s, does: ", options.Environment)); err != nil {
			return misused("verify --existing: expected --confirm %s, or a terminal to type the environment's name on, found neither; nothing was written", options.Environment)
		}
	}
	if confirmed != options.Environment {
		return misused("verify --existing: expected the name of the environment, %s, found %q; nothing was written", options.Environment, confirmed)
	}
	return nil
}

func isTerminal(stream any) bool {
	file, is := stream.(interface{ Fd() uintptr })
	return is && isatty.IsTerminal(file.Fd())
}

// ask asks on a terminal and returns the answer.
func ask(cmd *cobra.Command, out io.Writer, question string) (string, error) {
	in := cmd.InOrStdin()
	if !isTerminal(in) {
		return "", errors.New("no terminal to ask on")
	}
	sayAtOnce(out, question)
	answers := make(chan string, 1)
	go func() {
		answer, _ := bufio.NewReader(in).ReadString('\n') // what could not be read is no answer
		answers <- answer
	}()
	select {
	case answer := <-answers:
		return strings.TrimSpace(answer), nil
	case <-cmd.Context().Done():
		return "", cmd.Context().Err()
	}
}
