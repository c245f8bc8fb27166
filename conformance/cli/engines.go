package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/lab/engines"
)

func enginesCommand() *cobra.Command {
	var own *ownDesign
	var names []string
	var reportDir string
	var asJSON bool
	c := &cobra.Command{
		Use:   "engines [DESIGN...] | engines --design DIR",
		Short: "Replay the designs on several engines, and say which claims each can answer",
		Long: `Starts dynoxide, dynalite and moto one after the other, each at its pinned version
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
		ValidArgsFunction: completeDesigns,
		PreRunE:           refuseEmpty,
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, err := engines.Find(names)
			if err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			claims, err := claimsOf(args)
			if err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			if err := writable(reportDir); err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			known, err := engines.Deviations()
			if err != nil {
				return outcome{evidence.CouldNotTell, err}
			}
			progress := newProgress(cmd.ErrOrStderr())
			matrix, err := compareEngines(cmd.Context(), chosen, claims, known, reportDir, engines.Options{
				Designs: args, Documents: own.documents(), Progress: progress.note,
				Command: commandLine(),
			})
			progress.clear()
			if matrix == nil {
				return outcome{evidence.CouldNotTell, err}
			}
			var printed error
			if asJSON {
				printed = json.NewEncoder(cmd.OutOrStdout()).Encode(matrix)
			} else {
				matrix.WriteText(cmd.OutOrStdout())
			}
			if err := errors.Join(printed, err, matrix.WriteFiles(reportDir)); err != nil {
				return couldNotTell(err)
			}
			if !asJSON {
				fmt.Fprintf(cmd.OutOrStdout(), "report: %s\n", filepath.Join(reportDir, "engines.html"))
			}
			return exitWith(matrix.ExitCode())
		},
	}
	own = designFlag(c)
	c.Flags().StringSliceVar(&names, "engine", nil, "only these engines: dynoxide, dynalite, moto")
	c.Flags().StringVar(&reportDir, "report", "build/engines", "folder for the reports")
	c.Flags().BoolVar(&asJSON, "json", false, "print the matrix as JSON instead of a summary")
	offer(c, "engine", []string{"dynoxide", "dynalite", "moto"})
	return c
}

// claimsOf returns the manifest's claims of the designs, of all when none is named.
func claimsOf(names []string) ([]manifest.Claim, error) {
	for _, name := range names {
		if _, err := designs.Find(name); err != nil {
			return nil, err
		}
	}
	committed, err := designs.Manifest()
	if err != nil {
		return nil, err
	}
	var claims []manifest.Claim
	for _, claim := range committed {
		if among(names, claim.Design) {
			claims = append(claims, claim)
		}
	}
	return claims, nil
}

// compareEngines runs the engines, one after the other because a run loads both cores, and writes the evidence of each. What
// could not be written is an error beside the matrix; there is none after an interrupt.
func compareEngines(ctx context.Context, chosen []engines.Engine, claims []manifest.Claim, known []engines.Deviation, reportDir string, options engines.Options) (*engines.Matrix, error) {
	var seen []engines.Seen
	var unwritten error
	for _, engine := range chosen {
		began := time.Now()
		run, err := engines.Run(ctx, engine, options)
		if ctx.Err() != nil {
			return nil, errors.New("interrupted; no matrix was written")
		}
		if run != nil {
			unwritten = errors.Join(unwritten, run.Write(filepath.Join(reportDir, engine.Name, "evidence.json.gz")))
		}
		seen = append(seen, engines.Seen{Engine: engine, Run: run, Err: err, Seconds: time.Since(began).Seconds()})
	}
	matrix := engines.Judge(claims, seen, known)
	matrix.Command = options.Command
	return withoutNames(matrix), unwritten
}
