package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/paper"
	"dynaproof/conformance/internal/wholefile"
	"dynaproof/conformance/lab"
	"dynaproof/conformance/lab/engines"
	"dynaproof/conformance/lab/faults"
	"dynaproof/conformance/lab/mutants"
	"dynaproof/conformance/lab/mutants/elements"
	"dynaproof/conformance/lab/scale"
	"dynaproof/conformance/report"
)

// findings are what a laboratory has found.
type findings struct {
	// all is the whole of it, as JSON.
	all any
	// paper says it for people: on the terminal, and in the report folder.
	paper *paper.Paper
	// code is the exit code, and why says it where the summary does not. unwritten is what could not be written meanwhile.
	code           evidence.ExitCode
	why, unwritten error
}

// files are what a laboratory writes to its report folder: all that it found as JSON, the paper as page and, where that has a name, as Markdown,
// and what it writes there while it works. Without a folder there is none.
type files struct {
	folder, json, page, summary string
	meanwhile                   []string
}

// laboratory completes a command that tests the tests: try tries what the command is for, with what it was told and the folder of the
// report, and the rest is the same for all of them. A file of somebody else's in the place of one of its own is refused before it begins.
func laboratory(c *cobra.Command, to files, told *lab.Options, try func(ctx context.Context, folder string) (*findings, error)) *cobra.Command {
	asJSON := false
	designFlag(c)
	c.ValidArgsFunction = completeDesigns
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON instead of a summary")
	if to.folder != "" {
		c.Flags().StringVar(&to.folder, "report", to.folder, "folder for the report")
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := designs.Chosen(args); err != nil {
			return outcome{evidence.WrongUsage, err}
		}
		if to.page != "" {
			names := slices.DeleteFunc(append(to.meanwhile, to.json, to.page, to.summary), func(name string) bool { return name == "" })
			if err := writable(to.folder, names...); err != nil {
				return outcome{evidence.WrongUsage, err}
			}
		}
		progress := newProgress(cmd.ErrOrStderr())
		told.Designs, told.Documents, told.Command, told.Progress = args, documentsFolder(), commandLine(), progress.note
		found, err := try(cmd.Context(), to.folder)
		progress.clear()
		if err != nil {
			return err
		}
		if asJSON {
			err = printJSON(cmd.OutOrStdout(), found.all)
		} else {
			found.paper.Text(cmd.OutOrStdout())
		}
		if err := errors.Join(err, found.unwritten, found.write(to)); err != nil {
			return err
		}
		if !asJSON && to.page != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "report: %s\n", filepath.Join(to.folder, to.page))
		}
		if found.why != nil {
			return outcome{found.code, found.why}
		}
		return exitWith(found.code)
	}
	return c
}

// write writes the files. Each appears whole or not at all.
func (f *findings) write(to files) error {
	var problems []error
	for name, write := range map[string]func(io.Writer) error{to.page: f.paper.HTML, to.summary: f.paper.Markdown} {
		if name != "" {
			problems = append(problems, wholefile.Render(filepath.Join(to.folder, name), wholefile.Report, write))
		}
	}
	if to.json != "" {
		text, err := json.MarshalIndent(f.all, "", " ")
		if err == nil {
			err = wholefile.Write(filepath.Join(to.folder, to.json), append(text, '\n'), wholefile.Report)
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

func mutantsCommand() *cobra.Command {
	var options lab.Mutation
	var filter string
	var list, contract bool
	c := laboratory(help("mutants", &cobra.Command{}), files{folder: "build/report", json: "mutants.json", page: "mutants.html"}, &options.Options, func(ctx context.Context, _ string) (*findings, error) {
		defer collectAt(400)() // thousands of short replays: time is scarcer than memory
		run := func() (*evidence.Mutants, error) { return mutants.Run(ctx, mutants.Options{Mutation: options}) }
		if contract {
			run = func() (*evidence.Mutants, error) { return elements.Run(ctx, options) }
		}
		seen, err := run()
		if errors.Is(err, lab.ErrNone) {
			return nil, outcome{evidence.WrongUsage, err}
		}
		if err != nil {
			return nil, err
		}
		seen = withoutNames(seen)
		return &findings{all: seen, paper: report.MutantsPaper(seen), code: seen.ExitCode()}, nil
	})
	try := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if options.Filter, err = regexp.Compile(filter); err != nil {
			return misused("--filter: expected a regular expression for ids: %w", err)
		}
		if options.Sample < 0 {
			return misused("--sample: expected a number of mutants, found %d", options.Sample)
		}
		if contract && options.Sample > 0 {
			return misused("--sample: the mutants of a contract need no engine, and all of them are tried; choose by --filter")
		}
		if list {
			return listMutants(cmd.OutOrStdout(), args, &options, contract)
		}
		return try(cmd, args)
	}
	c.Flags().StringVar(&options.Only, "only", "", "try this one mutant, by its id, and show what the claim says")
	c.Flags().StringVar(&filter, "filter", "", "try the mutants whose id matches this regular expression")
	c.Flags().IntVar(&options.Sample, "sample", 0, "try so many of them, chosen by --seed (default all)")
	c.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of the choice of --sample")
	c.Flags().IntVar(&options.Workers, "parallel", 0, "how many are tried at the same time (default one for each processor)")
	c.Flags().BoolVar(&contract, "contract", false, "break the elements of the contract, and ask what needs no engine")
	c.Flags().BoolVar(&list, "list", false, "print the ids, and try nothing")
	return c
}

// listMutants prints the ids of the chosen mutants with what each breaks.
func listMutants(out io.Writer, names []string, options *lab.Mutation, contract bool) error {
	chosen, err := designs.Chosen(names)
	if err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	list := func(id, what string) {
		if options.Chosen(id) {
			fmt.Fprintf(out, "%s\t%s\n", id, what)
		}
	}
	for _, design := range chosen {
		if contract {
			for _, mutant := range elements.Generate(design) {
				list(mutant.ID, mutant.Operator)
			}
			continue
		}
		generated, err := mutants.Generate(design.Name)
		if err != nil {
			return outcome{evidence.WrongUsage, err}
		}
		for _, mutant := range generated {
			list(mutant.ID, mutant.What)
		}
	}
	return nil
}

func faultsCommand() *cobra.Command {
	var options faults.Options
	var kinds []string
	known := lists.Texts(faults.Kinds())
	c := laboratory(help("faults", &cobra.Command{}, "{kinds}", strings.Join(known, ", ")), files{}, &options.Options, func(ctx context.Context, _ string) (*findings, error) {
		if options.Runs < 1 {
			return nil, misused("--runs: expected at least 1, found %d", options.Runs)
		}
		for _, name := range kinds {
			if !slices.Contains(known, name) {
				return nil, misused("--fault: expected one of %s, found %q", strings.Join(known, ", "), name)
			}
			options.Kinds = append(options.Kinds, faults.Kind(name))
		}
		report, err := faults.Run(ctx, options)
		if err != nil {
			return nil, err
		}
		found := &findings{all: report, paper: report.Paper()}
		if bad := report.Bad(); len(bad) > 0 {
			found.code, found.why = evidence.DoesNotConform, fmt.Errorf("%d of %d runs show a defect; the first has seed %d", len(bad), options.Runs, bad[0].Seed)
		}
		return found, nil
	})
	c.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of the first run; each further run has the next")
	c.Flags().IntVar(&options.Runs, "runs", 500, "number of runs")
	c.Flags().StringArrayVar(&kinds, "fault", nil, "inject only this kind of fault; may be given several times")
	return c
}

func enginesCommand() *cobra.Command {
	var names []string
	var options lab.Options
	to := files{folder: "build/engines", json: "engines.json", page: "engines.html", summary: "engines.md", meanwhile: lists.Map(engines.All(), evidenceOf)}
	c := laboratory(help("engines", &cobra.Command{}), to, &options, func(ctx context.Context, folder string) (*findings, error) {
		chosen, err := engines.Find(names)
		if err != nil {
			return nil, outcome{evidence.WrongUsage, err}
		}
		matrix, unwritten, err := compareEngines(ctx, chosen, options, folder)
		if err != nil {
			return nil, err
		}
		return &findings{all: matrix, paper: matrix.Paper(), code: matrix.ExitCode(), unwritten: unwritten}, nil
	})
	c.Flags().StringSliceVar(&names, "engine", nil, "only these engines: "+strings.Join(engines.Names(), ", "))
	offer(c, "engine", engines.Names())
	return c
}

// evidenceOf is the file of an engine's evidence, below the report folder.
func evidenceOf(engine engines.Engine) string { return filepath.Join(engine.Name, report.EvidenceFile) }

// compareEngines runs the engines beside each other, since a run waits for its engine and the slowest takes longer than the others together, and
// writes the evidence of each. What could not be written is an error beside the matrix; there is none after an interrupt.
func compareEngines(ctx context.Context, chosen []engines.Engine, options lab.Options, folder string) (matrix *engines.Matrix, unwritten, err error) {
	claims, err := designs.Manifest()
	if err != nil {
		return nil, nil, err
	}
	known, err := engines.Deviations()
	if err != nil {
		return nil, nil, err
	}
	seen := make([]engines.Seen, len(chosen))
	var running sync.WaitGroup
	for i, engine := range chosen {
		running.Go(func() {
			began := time.Now()
			run, err := engines.Run(ctx, engine, engines.Options{Options: options})
			seen[i] = engines.Seen{Engine: engine, Run: run, Err: err, Seconds: time.Since(began).Seconds()}
		})
	}
	running.Wait()
	if ctx.Err() != nil {
		return nil, nil, errors.New("no matrix was written")
	}
	for _, one := range seen {
		if one.Run != nil {
			unwritten = errors.Join(unwritten, one.Run.Write(filepath.Join(folder, evidenceOf(one.Engine))))
		}
	}
	claims = slices.DeleteFunc(slices.Clone(claims), func(claim manifest.Claim) bool { return !among(options.Designs, claim.Design) })
	matrix = engines.Judge(claims, seen, known)
	matrix.Command = options.Command
	return withoutNames(matrix), unwritten, nil
}

func scaleCommand() *cobra.Command {
	options := scale.Options{}
	c := laboratory(help("scale", &cobra.Command{}), files{folder: "build/scale", json: "scale.json", page: "index.html"}, &options.Options, func(ctx context.Context, _ string) (*findings, error) {
		report, err := scale.Run(ctx, options)
		if err != nil {
			return nil, err
		}
		report = withoutNames(report)
		return &findings{all: report, paper: report.Paper(), code: report.ExitCode()}, nil
	})
	c.Flags().IntVar(&options.Items, "items", 0, "items of others at 1x, for each design (default: what its population says, about 200)")
	c.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of the population")
	c.Flags().Float64Var(&options.Calls, "calls", 1e6, "traffic that costs are estimated for: calls of each pattern in a month")
	c.Flags().StringVar(&options.Endpoint, "endpoint", "", "URL of a DynamoDB-compatible engine on this machine (default: an embedded engine)")
	c.Flags().StringVar(&options.NamePrefix, "prefix", "dynaproof-scale-", "text before every table name (dynaproof:namePrefix), to get out of the way of other tables")
	c.Flags().StringVar(&options.Environment, "env", "scale", "environment, the second half of the stack's name")
	c.Flags().StringVar(&options.Region, "region", "", "region that requests are signed for and whose prices are used, where the document names none")
	c.Flags().StringVar(&options.StateDir, "state", "build/state", "folder of the state of a run on an endpoint")
	return c
}
