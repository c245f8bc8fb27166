package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/lab/engines"
)

func enginesCommand() *cobra.Command {
	var names []string
	c := laboratory(&cobra.Command{
		Use:   "engines [DESIGN...] | engines --design DIR",
		Short: "Replay the designs on several engines, and say which claims each can answer",
		Long: `Starts dynoxide, dynalite and moto beside each other, each at its pinned version
on a free port of 127.0.0.1, deploys and replays the designs on each, and puts the
answers side by side. npm installs the first two, python3 with pip the third, into
the user's cache folder, once; every package is checked against its pinned digest.

What an engine lacks is unsupported. What it does otherwise than AWS is a known
deviation, by name. The command fails on a deviation that is not in the list, and on a
listed one that no longer shows. If an engine cannot be installed, it is
skipped and named, and the exit code is 3.

Writes to the report folder: engines.json, engines.md and engines.html, and a
folder for each engine with its evidence.json.gz.`,
		Example: `  dynaproof engines
  dynaproof engines fus-main --engine dynalite`,
	}, "build/engines", func(ctx context.Context, t trial) (*findings, error) {
		chosen, err := engines.Find(names)
		if err != nil {
			return nil, outcome{evidence.WrongUsage, err}
		}
		matrix, unwritten, err := compareEngines(ctx, chosen, t)
		if err != nil {
			return nil, err
		}
		return &findings{
			all: matrix, text: func(out io.Writer) error { matrix.WriteText(out); return nil }, json: "engines.json", page: "engines.html",
			pages: map[string]func(io.Writer) error{
				"engines.md": func(out io.Writer) error { matrix.WriteMarkdown(out); return nil }, "engines.html": matrix.WriteHTML,
			},
			code: matrix.ExitCode(), unwritten: unwritten,
		}, nil
	})
	c.Flags().StringSliceVar(&names, "engine", nil, "only these engines: dynoxide, dynalite, moto")
	offer(c, "engine", []string{"dynoxide", "dynalite", "moto"})
	return c
}

// compareEngines runs the engines beside each other, since a run waits for its engine and the slowest takes longer than the others together, and
// writes the evidence of each. What could not be written is an error beside the matrix; there is none after an interrupt.
func compareEngines(ctx context.Context, chosen []engines.Engine, t trial) (matrix *engines.Matrix, unwritten, err error) {
	claims, err := designs.Manifest()
	if err != nil {
		return nil, nil, err
	}
	known, err := engines.Deviations()
	if err != nil {
		return nil, nil, err
	}
	options := engines.Options{Designs: t.designs, Documents: t.documents, Progress: t.note, Command: commandLine()}
	seen := make([]engines.Seen, len(chosen))
	var running sync.WaitGroup
	for i, engine := range chosen {
		running.Go(func() {
			began := time.Now()
			run, err := engines.Run(ctx, engine, options)
			seen[i] = engines.Seen{Engine: engine, Run: run, Err: err, Seconds: time.Since(began).Seconds()}
		})
	}
	running.Wait()
	if ctx.Err() != nil {
		return nil, nil, errors.New("interrupted; no matrix was written")
	}
	for _, one := range seen {
		if one.Run != nil {
			unwritten = errors.Join(unwritten, one.Run.Write(filepath.Join(t.folder, one.Engine.Name, "evidence.json.gz")))
		}
	}
	claims = slices.DeleteFunc(slices.Clone(claims), func(claim manifest.Claim) bool { return !among(t.designs, claim.Design) })
	matrix = engines.Judge(claims, seen, known)
	matrix.Command = options.Command
	return withoutNames(matrix), unwritten, nil
}
