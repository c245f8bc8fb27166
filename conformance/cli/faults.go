package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/lab/faults"
)

func faultsCommand() *cobra.Command {
	var own *ownDesign
	options := faults.Options{Seed: 1}
	var kinds []string
	known := texts(faults.Kinds())
	var asJSON bool
	c := &cobra.Command{
		Use:   "faults [DESIGN...] | faults --design DIR",
		Short: "Find out whether verdicts survive trouble on the way to the engine",
		Long: `Replays access patterns and invariants, one for each run, while the wire injects
faults by a seed: ` + strings.Join(known, ", ") + `.
In half of the runs of patterns an item that must be returned is taken away first.

A verdict is wrong when a claim that holds failed, or when one passed that cannot
hold. Afterwards every table must hold what it held before. The exit code is 1 when
a verdict was wrong, or an item was lost or written twice.`,
		Example: `  dynaproof faults
  dynaproof faults roll-model --runs 50 --seed 1000
  dynaproof faults --seed 1234 --runs 1
  dynaproof faults --fault 'connection reset after the engine acted'`,
		ValidArgsFunction: completeDesigns,
		PreRunE:           refuseEmpty,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				if _, err := designs.Find(name); err != nil {
					return outcome{evidence.WrongUsage, err}
				}
			}
			if options.Runs < 1 {
				return outcome{evidence.WrongUsage, fmt.Errorf("--runs: expected at least 1, found %d", options.Runs)}
			}
			for _, name := range kinds {
				if !slices.Contains(known, name) {
					return outcome{evidence.WrongUsage, fmt.Errorf("--fault: expected one of %s, found %q", strings.Join(known, ", "), name)}
				}
				options.Kinds = append(options.Kinds, faults.Kind(name))
			}
			options.Designs, options.Documents = args, own.documents()
			progress := newProgress(cmd.ErrOrStderr())
			options.Progress = func(done int) { progress.note(fmt.Sprintf("run %d of %d", done, options.Runs)) }
			report, err := faults.Run(cmd.Context(), options)
			progress.clear()
			if err != nil {
				return ran(err)
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), report)
			} else {
				err = report.Write(cmd.OutOrStdout())
			}
			if err != nil {
				return err
			}
			if bad := report.Bad(); len(bad) > 0 {
				return outcome{evidence.DoesNotConform, fmt.Errorf("%d of %d runs show a defect; the first has seed %d", len(bad), options.Runs, bad[0].Seed)}
			}
			return nil
		},
	}
	own = designFlag(c)
	c.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of the first run; each further run has the next")
	c.Flags().IntVar(&options.Runs, "runs", 500, "number of runs")
	c.Flags().StringArrayVar(&kinds, "fault", nil, "inject only this kind of fault; may be given several times")
	c.Flags().BoolVar(&asJSON, "json", false, "print every run as JSON instead of a table")
	return c
}
