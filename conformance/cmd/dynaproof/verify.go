package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"
	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/replay"
	"dynaproof/conformance/report"
	"dynaproof/conformance/suite"
)

// closeTime bounds the clean-up after a run, which must happen even when the
// run was interrupted.
const closeTime = 30 * time.Second

func verifyCommand() *cobra.Command {
	options := replay.Options{}
	var reportDir, filter string
	var asJSON, all bool
	c := &cobra.Command{
		Use:   "verify [DESIGN...]",
		Short: "Deploy on the target, replay everything, report, tear down",
		Long: `Deploys each design with its Pulumi program, loads the fixtures, replays every
documented access pattern and example item, tries to break every guardrail, and
removes everything again. Without a design, all designs are verified. Without
--endpoint, an embedded engine is started for the run.

Writes evidence.json and junit.xml to the report folder.`,
		Example: `  dynaproof verify
  dynaproof verify osem-ladders --env test
  dynaproof verify --label-filter 'kind:pattern && design:fus-main'
  dynaproof verify roll-model --endpoint http://127.0.0.1:8000`,
		ValidArgsFunction: completeDesigns,
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Designs = args
			options.Documents = documentsFolder()
			options.Command = strings.Join(append([]string{"dynaproof"}, os.Args[1:]...), " ")
			if filter != "" {
				if _, err := types.ParseLabelFilter(filter); err != nil {
					return outcome{evidence.WrongUsage, fmt.Errorf("--label-filter: %w", err)}
				}
			}
			return ran(verify(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), options, verifyOutput{reportDir, filter, asJSON, all}))
		},
	}
	targetFlags(c, &options)
	c.Flags().StringVar(&options.StateDir, "state", "build/state", "folder of the state of a run on an endpoint; it says what an interrupted run left")
	c.Flags().StringVar(&reportDir, "report", "build/report", "folder for evidence.json and junit.xml")
	c.Flags().StringVar(&filter, "label-filter", "", "run only specs with these Ginkgo labels: design:NAME, kind:KIND, id:CLAIM.WITH.DOTS")
	c.Flags().BoolVar(&asJSON, "json", false, "print the evidence as JSON instead of a summary")
	c.Flags().BoolVar(&all, "all", false, "write out every claim that did not pass, not only the first of each design")
	return c
}

// targetFlags are the flags of every command that chooses where to run.
func targetFlags(c *cobra.Command, options *replay.Options) {
	c.Flags().StringVar(&options.Endpoint, "endpoint", "", "URL of a DynamoDB-compatible engine on this machine (default: an embedded engine)")
	c.Flags().StringVar(&options.Environment, "env", "dev", "environment, the second half of the stack's name")
	c.Flags().StringVar(&options.Region, "region", replay.DefaultRegion, "region that requests are signed for, where the document names none")
	c.Flags().StringVar(&options.NamePrefix, "prefix", "", "text before every table name, to get out of the way of other tables")
}

type verifyOutput struct {
	reportDir, filter string
	json, all         bool
}

func verify(ctx context.Context, out, progressOut io.Writer, options replay.Options, output verifyOutput) error {
	progress := newProgress(progressOut)
	options.Progress = progress.note
	run, err := replay.Start(ctx, options)
	if err != nil {
		return err
	}
	interrupted := runSpecs(run, progress, output)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	seen := run.Evidence(interrupted)
	progress.clear()
	if err := run.Close(closing); err != nil {
		fmt.Fprintln(progressOut, "dynaproof: ending the engine:", oneLine(err))
	}
	if err := seen.Write(filepath.Join(output.reportDir, "evidence.json")); err != nil {
		return outcome{evidence.CouldNotTell, err}
	}
	if output.json {
		if err := json.NewEncoder(out).Encode(seen); err != nil {
			return outcome{evidence.CouldNotTell, err}
		}
	} else {
		terminal := report.NewTerminal(out)
		if output.all {
			terminal.Problems = 0
		}
		terminal.Write(seen)
		fmt.Fprintf(out, "evidence: %s\n", filepath.Join(output.reportDir, "evidence.json"))
	}
	if code := seen.ExitCode(); code != evidence.Conforms {
		return outcome{code: code}
	}
	return nil
}

// runSpecs runs the suite in this process and reports whether it was
// interrupted. Ginkgo handles interrupts: it stops the spec that runs, and still
// removes the deployment.
func runSpecs(run *replay.Run, progress *progress, output verifyOutput) (interrupted bool) {
	formatter.ColorableStdOut = io.Discard // the summary is ours; the details stand in junit.xml
	formatter.ColorableStdErr = io.Discard
	total := 0
	for _, design := range run.Designs() {
		total += len(design.Claims())
	}
	done := 0
	plan := run.Plan(func(result evidence.Result) {
		done++
		progress.count(done, total, result)
	})
	gomega.RegisterFailHandler(ginkgo.Fail)
	suite.Describe(plan)
	ginkgo.ReportAfterSuite("junit.xml", func(finished ginkgo.Report) {
		interrupted = finished.SpecialSuiteFailureReasons != nil && strings.Contains(strings.Join(finished.SpecialSuiteFailureReasons, " "), "Interrupt")
		if err := os.MkdirAll(output.reportDir, 0o755); err != nil {
			progress.note("junit.xml: " + err.Error())
			return
		}
		err := reporters.GenerateJUnitReportWithConfig(finished, filepath.Join(output.reportDir, "junit.xml"), reporters.JunitReportConfig{
			OmitLeafNodeType: true, OmitSpecLabels: true, OmitTimelinesForSpecState: types.SpecStatePassed | types.SpecStateSkipped,
		})
		if err != nil {
			progress.note("junit.xml: " + err.Error())
		}
	})
	suiteConfig, reporterConfig := ginkgo.GinkgoConfiguration()
	suiteConfig.LabelFilter = output.filter
	reporterConfig.NoColor = true
	ginkgo.RunSpecs(silent{}, "dynaproof", suiteConfig, reporterConfig)
	return interrupted
}

// silent is Ginkgo's test: verdicts come from the evidence.
type silent struct{}

// Fail implements ginkgo.GinkgoTestingT.
func (silent) Fail() {}

// progress shows what a run is doing, on a terminal only.
type progress struct {
	out  io.Writer
	live bool
}

func newProgress(out io.Writer) *progress {
	file, ok := out.(*os.File)
	return &progress{out: out, live: ok && isatty.IsTerminal(file.Fd())}
}

func (p *progress) note(line string) {
	if p.live {
		fmt.Fprintf(p.out, "\r\x1b[K%s", line)
	}
}

func (p *progress) count(done, total int, result evidence.Result) {
	p.note(fmt.Sprintf("%d/%d  %s", done, total, result.ID))
}

func (p *progress) clear() {
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

// oneDesign checks that exactly one known design was named.
func oneDesign(args []string) (string, error) {
	if len(args) != 1 {
		return "", fmt.Errorf("expected one design (%s), found %d", strings.Join(designs.Names(), ", "), len(args))
	}
	if _, err := designs.Find(args[0]); err != nil {
		return "", err
	}
	return args[0], nil
}
