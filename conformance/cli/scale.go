package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wholefile"
	"dynaproof/conformance/lab/scale"
)

func scaleCommand() *cobra.Command {
	var own *ownDesign
	options := scale.Options{}
	var reportDir string
	var asJSON bool
	c := &cobra.Command{
		Use:   "scale [DESIGN...] | scale --design DIR",
		Short: "Prove that a pattern costs what its result costs, however much data others have",
		Long: `Loads a population beside the fixtures and replays every case while it grows:
nothing, 1x, 10x and 100x of others' data. Consumed capacity, scanned count and
pages may change only where a finding of the contract says so. Then each
pattern's own result grows, and the cost must grow with it. All figures are those
of the wire's ledger, compared with a calculation from the sizes of the items.

The engine holds everything in memory: 100x of all five designs is about 104,000
items, one design at a time.

What was loaded is removed at the end, also after an interrupt. The next run on
the same endpoint removes what a killed run left there.

Writes to the report folder: index.html and scale.json. Exit code 1 means that a
pattern grows without a finding that explains it.`,
		Example: `  dynaproof scale
  dynaproof scale osem-ladders --items 24165     # 1x is the documented year
  dynaproof scale fus-main --endpoint http://127.0.0.1:8000`,
		ValidArgsFunction: completeDesigns,
		PreRunE:           refuseEmpty,
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Designs = args
			options.Documents = own.documents()
			options.Command = commandLine()
			if err := writable(reportDir); err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			return ran(proveScale(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), options, reportDir, asJSON))
		},
	}
	own = designFlag(c)
	c.Flags().IntVar(&options.Items, "items", 0, "items of others at 1x, for each design (default: what its population says, about 200)")
	c.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of the population")
	c.Flags().Float64Var(&options.Calls, "calls", 1e6, "traffic that costs are estimated for: calls of each pattern in a month")
	c.Flags().StringVar(&options.Endpoint, "endpoint", "", "URL of a DynamoDB-compatible engine on this machine (default: an embedded engine)")
	c.Flags().StringVar(&options.NamePrefix, "prefix", "dynaproof-scale-", "text before every table name (dynaproof:namePrefix), to get out of the way of other tables")
	c.Flags().StringVar(&options.Environment, "env", "scale", "environment, the second half of the stack's name")
	c.Flags().StringVar(&options.Region, "region", "", "region that requests are signed for and whose prices are used, where the document names none")
	c.Flags().StringVar(&options.StateDir, "state", "build/state", "folder of the state of a run on an endpoint")
	c.Flags().StringVar(&reportDir, "report", "build/scale", "folder for the report")
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON instead of tables")
	return c
}

func proveScale(ctx context.Context, out, progressOut io.Writer, options scale.Options, reportDir string, asJSON bool) error {
	progress := newProgress(progressOut)
	loading := &loadBar{progress: progress}
	options.Progress = func(line string) { loading.end(); progress.note(line) }
	if progress.live {
		options.Loading = loading.advance
	}
	report, err := scale.Run(ctx, options)
	loading.end()
	progress.clear()
	if err != nil {
		return err
	}
	report = withoutNames(report)
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return outcome{evidence.CouldNotTell, err}
	}
	page := filepath.Join(reportDir, "index.html")
	text = append(text, '\n')
	var printed error
	if asJSON {
		_, printed = out.Write(text)
	} else {
		scale.WriteTerminal(out, report)
	}
	if err := errors.Join(printed, wholefile.Write(filepath.Join(reportDir, "scale.json"), text, wholefile.Report), scale.WriteHTML(page, report)); err != nil {
		return couldNotTell(err)
	}
	if !asJSON {
		fmt.Fprintf(out, "report: %s\n", page)
	}
	switch {
	case report.Failed():
		return outcome{code: evidence.DoesNotConform}
	case report.Incomplete():
		return outcome{code: evidence.CouldNotTell}
	}
	return nil
}

// loadBar shows how far a load is, how fast it goes and how long it still takes.
type loadBar struct {
	progress *progress
	design   string
	bar      *progressbar.ProgressBar
}

func (l *loadBar) advance(design string, done, total int) {
	if l.bar == nil || l.design != design {
		l.end()
		l.design = design
		l.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(l.progress.out), progressbar.OptionSetDescription(design+": loading"),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString("items"), progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	_ = l.bar.Set(done) // a bar that cannot be drawn stops nothing
}

func (l *loadBar) end() {
	if l.bar != nil {
		_ = l.bar.Clear()
		l.bar = nil
	}
}
