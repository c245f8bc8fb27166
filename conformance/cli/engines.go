package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/lab"
	"dynaproof/conformance/lab/engines"
)

func enginesCommand() *cobra.Command {
	var names []string
	var options lab.Options
	c := laboratory(help("engines", &cobra.Command{}), "build/engines", &options, func(ctx context.Context, folder string) (*findings, error) {
		chosen, err := engines.Find(names)
		if err != nil {
			return nil, outcome{evidence.WrongUsage, err}
		}
		matrix, unwritten, err := compareEngines(ctx, chosen, options, folder)
		if err != nil {
			return nil, err
		}
		return &findings{
			all: matrix, paper: matrix.Paper(), json: "engines.json", page: "engines.html", summary: "engines.md",
			code: matrix.ExitCode(), unwritten: unwritten,
		}, nil
	})
	c.Flags().StringSliceVar(&names, "engine", nil, "only these engines: dynoxide, dynalite, moto")
	offer(c, "engine", []string{"dynoxide", "dynalite", "moto"})
	return c
}

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
		return nil, nil, errors.New("interrupted; no matrix was written")
	}
	for _, one := range seen {
		if one.Run != nil {
			unwritten = errors.Join(unwritten, one.Run.Write(filepath.Join(folder, one.Engine.Name, "evidence.json.gz")))
		}
	}
	claims = slices.DeleteFunc(slices.Clone(claims), func(claim manifest.Claim) bool { return !among(options.Designs, claim.Design) })
	matrix = engines.Judge(claims, seen, known)
	matrix.Command = options.Command
	return withoutNames(matrix), unwritten, nil
}
