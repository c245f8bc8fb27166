package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/explain"
	"dynaproof/conformance/report"
)

func explainCommand() *cobra.Command {
	var reportDir, environment, region string
	var items, all, asJSON bool
	var own *ownDesign
	c := help("explain", &cobra.Command{
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("explain: expected one id of a claim, found %d; `dynaproof claims` lists all", len(args))
			}
			return nil
		},
		ValidArgsFunction: completeClaims,
		RunE: func(cmd *cobra.Command, args []string) error {
			last, err := lastRuns(reportDir)
			if err != nil {
				return outcome{evidence.CouldNotTell, err}
			}
			options := explain.Options{Documents: own.documents(), Environment: environment, Region: region, At: time.Now(), Items: items}
			for _, run := range last {
				options.Last = append(options.Last, run.Run)
			}
			x := explain.New(options)
			claim, err := x.Find(args[0])
			if err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			if tables := deployedTables(options.Last, claim.Design, environment); tables != nil {
				options.Tables = tables
				x = explain.New(options)
			}
			explanation, err := x.Claim(claim.ID)
			if err != nil {
				return outcome{evidence.CouldNotTell, err}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), explanation)
			}
			return couldNotTell(explanation.Text(cmd.OutOrStdout(), all))
		},
	})
	own = designFlag(c)
	c.Flags().StringVar(&reportDir, "report", "build/report", "folder of the last runs' evidence.json.gz and audit.json")
	c.Flags().StringVar(&environment, "env", "dev", "environment that stands in table names")
	c.Flags().StringVar(&region, "region", "", "region in AWS CLI lines, where the document fixes none (default: the CLI's own)")
	c.Flags().BoolVar(&items, "items", false, "show the content of expected items and decoys")
	c.Flags().BoolVar(&all, "all", false, "show every request, not only the first ones")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// storedRun is the evidence in a file of a report folder.
type storedRun struct {
	*evidence.Run
	file string
}

// lastRuns reads the verdicts of the last verify and of the last audit, the latest first; none when there is none.
func lastRuns(reportDir string) ([]storedRun, error) {
	var last []storedRun
	for _, file := range []string{report.EvidenceFile, report.AuditFile} {
		run, err := evidence.ReadVerdicts(filepath.Join(reportDir, file))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		last = append(last, storedRun{run, file})
	}
	slices.SortStableFunc(last, func(a, b storedRun) int { return b.Finished.Compare(a.Finished) })
	return last, nil
}

// deployedTables returns the table names of the last run when it was of the same
// environment: they may carry a prefix.
func deployedTables(last []*evidence.Run, design, environment string) map[string]string {
	for _, run := range last {
		for i := range run.Designs {
			if run.Designs[i].Stack == design+"."+environment {
				return run.Designs[i].Tables
			}
		}
	}
	return nil
}

// completeClaims offers the ids of claims to the shell, with their titles.
func completeClaims(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	claims, err := designs.Manifest()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var offered []string
	for _, claim := range claims {
		if strings.HasPrefix(claim.ID, begun) {
			offered = append(offered, cobra.CompletionWithDesc(claim.ID, claim.Title))
		}
	}
	return offered, cobra.ShellCompDirectiveNoFileComp
}
