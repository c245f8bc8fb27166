package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/replay"
	"dynaproof/conformance/report"
)

func auditCommand() *cobra.Command {
	options := replay.Options{}
	var reportDir string
	var asJSON bool
	c := &cobra.Command{
		Use:   "audit DESIGN",
		Short: "Compare a deployed environment with the contract, read-only",
		Long: `Compares deployed tables with what the document promises and names every
difference. Sends only Describe and List requests, and proves it from its ledger.`,
		Example: `  dynaproof audit osem-ladders --endpoint http://127.0.0.1:8000 --env dev
  dynaproof audit fus-main --endpoint http://127.0.0.1:8000 --table fus-main=fus-test`,
		Args: func(_ *cobra.Command, args []string) error {
			_, err := oneDesign(args)
			return err
		},
		ValidArgsFunction: completeDesigns,
		PreRunE:           refuseEmpty,
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.Endpoint == "" {
				return outcome{evidence.WrongUsage, fmt.Errorf("audit: expected --endpoint, the URL of the engine that holds the tables, found none; `dynaproof serve` starts one")}
			}
			if err := writable(reportDir); err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			options.Designs = args
			options.Documents = documentsFolder()
			options.Command = strings.Join(append([]string{"dynaproof"}, os.Args[1:]...), " ")
			seen, err := replay.Audit(cmd.Context(), options)
			if err != nil {
				return ran(err)
			}
			if err := seen.Write(filepath.Join(reportDir, "audit.json")); err != nil {
				return outcome{evidence.CouldNotTell, err}
			}
			page := filepath.Join(reportDir, "audit.html")
			if err := report.WriteHTML(page, seen, report.DocumentsIn(options.Documents, seen)); err != nil {
				return outcome{evidence.CouldNotTell, err}
			}
			if asJSON {
				if err := json.NewEncoder(cmd.OutOrStdout()).Encode(seen); err != nil {
					return outcome{evidence.CouldNotTell, err}
				}
			} else {
				terminal := report.NewTerminal(cmd.OutOrStdout())
				terminal.Problems = 0
				terminal.Write(seen)
			}
			if code := seen.ExitCode(); code != evidence.Conforms {
				return outcome{code: code}
			}
			return nil
		},
	}
	targetFlags(c, &options, "required")
	c.Flags().StringVar(&reportDir, "report", "build/report", "folder for audit.json and audit.html")
	c.Flags().StringToStringVar(&options.TableNames, "table", nil, "deployed name of a table where the document allows another one, such as fus-main=NAME")
	c.Flags().BoolVar(&asJSON, "json", false, "print the evidence as JSON instead of a summary")
	return c
}
