package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/report"
)

// auditFile is the file of a report folder that holds the evidence of an audit.
const auditFile = "audit.json"

func auditCommand() *cobra.Command {
	options := replay.Options{}
	var reportDir, targetName, account, trailGroup string
	var asJSON, policy bool
	var own *ownDesign
	c := &cobra.Command{
		Use:   "audit DESIGN | audit --design DIR",
		Short: "Compare a deployed environment with the contract, read-only",
		Long: `Compares deployed tables with what the document promises and names every
difference. Sends only Describe and List requests, and proves it from its ledger.

With --cloudtrail-logs it also asks a trail of CloudTrail, by FilterLogEvents, whether
anybody has scanned the tables within the window of --since.`,
		Example: `  dynaproof audit osem-ladders --endpoint http://127.0.0.1:8000 --env dev
  dynaproof audit fus-main --endpoint http://127.0.0.1:8000 --table fus-main=fus-test
  dynaproof audit osem-ladders --target aws --env prod
  dynaproof audit --design ../orders --target aws --region eu-west-1 --table Orders=prod-orders
  dynaproof audit osem-ladders --target aws --env prod --cloudtrail-logs aws-cloudtrail-logs --since 24h
  dynaproof audit osem-ladders --env prod --policy --account 123456789012 --region eu-west-1`,
		Args:              oneDesign,
		ValidArgsFunction: completeDesigns,
		PreRunE:           refuseEmpty,
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Designs = args
			if err := followTrail(cmd, &options, trailGroup, policy || targetName != ""); err != nil {
				return err
			}
			if policy {
				return ran(printPolicy(cmd.OutOrStdout(), options, account))
			}
			if options.Endpoint == "" && targetName == "" {
				return outcome{evidence.WrongUsage, fmt.Errorf("audit: expected --target aws, or --endpoint, the URL of the engine that holds the tables, found neither; `dynaproof serve` starts one")}
			}
			if err := openCloud(cmd.Context(), targetName, &options); err != nil {
				return ran(err)
			}
			if err := writable(reportDir); err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			options.Documents = own.documents()
			options.Command = strings.Join(append([]string{"dynaproof"}, os.Args[1:]...), " ")
			progress := newProgress(cmd.ErrOrStderr())
			options.Progress = progress.note
			seen, err := replay.Audit(cmd.Context(), options)
			progress.clear()
			if err != nil {
				return ran(err)
			}
			seen = named(seen)
			var problems []error
			if asJSON {
				problems = append(problems, json.NewEncoder(cmd.OutOrStdout()).Encode(seen))
			} else {
				terminal := report.NewTerminal(cmd.OutOrStdout())
				terminal.Problems = 0
				terminal.Write(seen)
			}
			page := report.DocumentsIn(options.Documents, seen)
			page.Evidence = auditFile
			problems = append(problems, seen.Write(filepath.Join(reportDir, auditFile)),
				report.WriteHTML(filepath.Join(reportDir, "audit.html"), seen, page))
			return verdict(seen, errors.Join(problems...), nil)
		},
	}
	own = designFlag(c)
	targetFlags(c, &options, "or --target aws")
	lacksFlag(c, &options)
	cloudFlag(c, &targetName)
	trailFlags(c, &options, &trailGroup)
	c.Flags().DurationVar(&options.TrailSpan, "since", replay.DefaultTrailSpan, "with --cloudtrail-logs: length of the window in which nobody may have scanned; it ends 15 minutes ago, when CloudTrail has delivered")
	c.Flags().BoolVar(&policy, "policy", false, "print the least IAM policy that this audit needs, and end")
	c.Flags().StringVar(&account, "account", "", "with --policy: account number in the ARNs (default: a placeholder)")
	c.Flags().StringVar(&reportDir, "report", "build/report", "folder for audit.json and audit.html")
	c.Flags().StringToStringVar(&options.TableNames, "table", nil, "deployed name of a table, by its logical id, such as fus-main=NAME")
	c.Flags().BoolVar(&options.Strict, "strict", false, strictHelp)
	c.Flags().BoolVar(&asJSON, "json", false, "print the evidence as JSON instead of a summary")
	return c
}

// strictHelp is the help of --strict where a deployment is looked at.
const strictHelp = "fail also while an objection of the document's reader is open, and where the document leaves a choice and a deployment that is not the run's own chose otherwise than the contract"

// printPolicy prints the policy of an audit as JSON.
func printPolicy(out io.Writer, options replay.Options, account string) error {
	if account != "" && !accountForm.MatchString(account) {
		return outcome{evidence.WrongUsage, fmt.Errorf("--account: expected the 12 digits of an account, found %q", account)}
	}
	policy, err := replay.AuditPolicy(options, account)
	if err != nil {
		return err
	}
	names.Keep() // the caller has named the account, and needs the policy as it is
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(policy)
}

var accountForm = regexp.MustCompile(`^[0-9]{12}$`)
