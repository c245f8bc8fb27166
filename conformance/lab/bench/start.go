//go:build unix

package main

import (
	"context"
	"fmt"
	"path/filepath"

	"dynaproof/conformance/report"
)

// startRows measures commands that only look something up. Beside them is a program of Go that does
// no more than they, which its version tells.
func startRows(ctx context.Context, dynaproof string) ([]row, error) {
	const most, mostMemory = 0.050, 40 // seconds, MB
	var rows []row
	err := inFolder(func(folder string) error {
		// Evidence of few claims, so that report is measured and not what it reads.
		if _, err := measured(ctx, dynaproof, "verify", "roll-model", "--label-filter", "kind:schema", "--report", folder); err != nil {
			return err
		}
		for _, each := range []struct {
			what string
			args []string
		}{
			{"start, --version", []string{"--version"}},
			{"start, claims", []string{"claims"}},
			{"start, explain", []string{"explain", "roll-model/table/RollModel/key"}},
			{"start, report", []string{"report", filepath.Join(folder, report.EvidenceFile), "--out", filepath.Join(folder, "again")}},
		} {
			var s sides
			var peaks []float64
			for range rounds {
				ours, err := measured(ctx, dynaproof, each.args...)
				if err != nil {
					return err
				}
				theirs, err := measured(ctx, "go", "version")
				if err != nil {
					return err
				}
				s.ours, s.theirs, peaks = append(s.ours, ours.seconds), append(s.theirs, theirs.seconds), append(peaks, ours.peak)
			}
			ours, theirs := median(s.ours), median(s.theirs)
			rows = append(rows, limited(each.what, fmt.Sprintf("%.0f ms, %.0f MB", 1e3*ours, median(peaks)), fmt.Sprintf("%.0f ms go version", 1e3*theirs),
				fmt.Sprintf("%.0f ms, %d MB", 1e3*most, mostMemory), ours/theirs, max(ours/most, median(peaks)/mostMemory)))
		}
		return nil
	})
	return rows, err
}
