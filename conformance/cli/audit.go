package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/environments"
	"dynaproof/conformance/internal/own"
	"dynaproof/conformance/internal/redact"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/report"
	"dynaproof/conformance/target"
)

func auditCommand() *cobra.Command {
	options := replay.Options{}
	var reportDir, targetName, account, trailGroup, list string
	var parallel int
	var longest time.Duration
	var asJSON, policy bool
	var status *string
	c := help("audit", &cobra.Command{
		Args: func(cmd *cobra.Command, args []string) error {
			if list == "" {
				return oneDesign(cmd, args)
			}
			return alone(cmd, args, "environments", "design", "report", "strict", "json", "parallel", "environment-timeout", "guardrails", "status", "cloudtrail-logs", "cloudtrail-wait", "since")
		},
		ValidArgsFunction: completeDesigns,
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Command = commandLine()
			options.Documents = documentsFolder()
			options.Designs = args
			if options.Guardrails != "" && options.Guardrails != deploy.Enforce {
				return misused("--guardrails: expected %s, or no --guardrails, found %q", deploy.Enforce, options.Guardrails)
			}
			if list != "" {
				return auditAll(cmd, list, trailGroup, *status, environments.Options{Parallel: parallel, Time: longest, Folder: reportDir}, asJSON, options)
			}
			var err error
			if options.Accepted, err = accepted(*status, broughtDocuments); err != nil {
				return err
			}
			if err := followTrail(cmd, &options, trailGroup, policy || targetName != "", false); err != nil {
				return err
			}
			if policy {
				return printPolicy(cmd.OutOrStdout(), options, account)
			}
			if options.Endpoint == "" && targetName == "" {
				return misused("audit: expected --target aws, or --endpoint, the URL of the engine that holds the tables, found neither; `dynaproof serve` starts one")
			}
			if err := openCloud(cmd.Context(), targetName, &options); err != nil {
				return err
			}
			if err := writable(reportDir, report.AuditFile, report.AuditPage); err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			progress := newProgress(cmd.ErrOrStderr())
			options.Progress = progress.note
			seen, err := replay.Audit(cmd.Context(), options)
			progress.clear()
			if err != nil {
				return err
			}
			seen = named(seen)
			err = printRun(cmd.OutOrStdout(), seen, asJSON, true)
			return verdict(seen, errors.Join(err, report.WriteAudit(reportDir, seen, options.Documents)), nil)
		},
	})
	designFlag(c)
	status = statusFlag(c)
	targetFlags(c, &options, "or --target aws")
	lacksFlag(c, &options)
	cloudFlag(c, &targetName)
	trailFlags(c, &options, &trailGroup)
	c.Flags().DurationVar(&options.TrailSpan, "since", replay.DefaultTrailSpan, "with --cloudtrail-logs: nobody may have scanned for this long; the window ends 15 minutes ago, because CloudTrail delivers late")
	c.Flags().BoolVar(&policy, "policy", false, "print the least IAM policy that this audit needs, and end")
	c.Flags().StringVar(&account, "account", "", "with --policy: account number in the ARNs (default: a placeholder)")
	c.Flags().StringVar(&reportDir, "report", "build/report", "folder for audit.json and audit.html; with --environments for audits.json and audits.html, and for these below environments/NAME")
	c.Flags().StringVar(&list, "environments", "", "file (YAML) with the environments to audit, in place of DESIGN")
	c.Flags().IntVar(&parallel, "parallel", 4, "with --environments: how many are audited at the same time; of several accounts one takes at most half")
	c.Flags().DurationVar(&longest, "environment-timeout", 10*time.Minute, "with --environments: longest time of one; it is then one that could not be told")
	c.Flags().StringToStringVar(&options.TableNames, "table", nil, "deployed name of a table, by its logical id, such as fus-main=NAME")
	c.Flags().StringVar(&options.Guardrails, "guardrails", "", "with --target aws: enforce demands attached policies where the document leaves them open; policies that are attached are judged in any case")
	c.Flags().BoolVar(&options.Strict, "strict", false, strictHelp)
	c.Flags().BoolVar(&asJSON, "json", false, "print the evidence as JSON instead of a summary")
	return c
}

// strictHelp is the help of --strict where a deployment is looked at.
const strictHelp = "also fail on unanswered objections, and where an existing deployment differs from a choice of the contract"

// alone refuses arguments, and flags other than those named.
func alone(cmd *cobra.Command, args []string, flags ...string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s: expected no DESIGN beside --%s, found %s; the file names the designs", cmd.Name(), flags[0], strings.Join(args, " "))
	}
	var problem error
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(flags, flag.Name) && cmd.InheritedFlags().Lookup(flag.Name) == nil {
			problem = fmt.Errorf("--%s: expected none beside --%s; say it in the file, for each environment", flag.Name, flags[0])
		}
	})
	return problem
}

// auditAll audits the environments of a list, and writes one paper.
func auditAll(cmd *cobra.Command, list, trailGroup, status string, bounds environments.Options, asJSON bool, options replay.Options) error {
	var brought []own.Design
	chosen, err := environments.Read(list, designs.Names(), func(folder string) (string, error) {
		design := own.Design{Folder: input.Design(folder)}
		contract, err := contract.Load(design.Folder)
		switch {
		case err != nil:
			return "", err
		case slices.Contains(designs.Names(), contract.Name):
			return "", fmt.Errorf("expected a design of another name than those that are here, found %s in %s; leave it out, or rename yours", contract.Name, folder)
		}
		brought = append(brought, design)
		return contract.Name, nil
	})
	restore := func() {}
	if err == nil && len(brought) > 0 {
		restore, err = own.Beside(brought...)
	}
	if err != nil {
		return brokenDesign{err: err, where: "--environments " + list, what: "list"}
	}
	defer restore()
	for e := range lists.Each(chosen) {
		if e.Accepted, err = accepted("", e.Folder); err != nil {
			return err
		}
	}
	if options.Accepted, err = accepted(status, broughtDocuments); err != nil {
		return err
	}
	onAWS := slices.ContainsFunc(chosen, func(e environments.Environment) bool { return e.Endpoint == "" })
	ownTrail := slices.ContainsFunc(chosen, func(e environments.Environment) bool { return e.Trail != nil })
	if err := followTrail(cmd, &options, trailGroup, onAWS, ownTrail); err != nil {
		return err
	}
	folder := bounds.Folder
	if bounds.Parallel < 1 {
		return misused("--parallel: expected a number above 0, found %d", bounds.Parallel)
	}
	if err := writable(folder, report.AuditsFile, report.AuditsPage); err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	progress := newProgress(cmd.ErrOrStderr())
	options.Progress = progress.note
	bounds.Replay, bounds.Shown = options, named
	bounds.Opened = func(account *target.Account) { names.Learn(redact.Names{Account: account.ID, Caller: account.Caller}) }
	seen := environments.Audit(cmd.Context(), chosen, bounds)
	progress.clear()
	for e := range lists.Each(seen.Environments) { // what kept an audit from being made may name accounts
		e.Failure, e.Lost = names.Text(e.Failure), names.Text(e.Lost)
	}
	unwritten := seen.Write(folder) // told behind the verdicts
	if asJSON {
		err = printJSON(cmd.OutOrStdout(), seen)
	} else if seen.Terminal(cmd.OutOrStdout()); unwritten == nil {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "audits: %s\nreport: %s\n", filepath.Join(folder, report.AuditsFile), filepath.Join(folder, report.AuditsPage))
	}
	if err := errors.Join(err, unwritten); err != nil {
		return err
	}
	return exitWith(seen.ExitCode())
}

// printPolicy prints the policy of an audit as JSON.
func printPolicy(out io.Writer, options replay.Options, account string) error {
	if account != "" && !accountForm.MatchString(account) {
		return misused("--account: expected the 12 digits of an account, found %q", account)
	}
	policy, err := replay.AuditPolicy(options, account)
	if err != nil {
		return err
	}
	names.Keep() // the caller has named the account, and needs the policy as it is
	return printJSON(out, policy)
}

var accountForm = regexp.MustCompile(`^[0-9]{12}$`)
