//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/report"
)

// evidenceIn returns the evidence of a run, and the size of its file and of the JSON in it, in MB.
func evidenceIn(folder string) (seen *evidence.Run, size, text float64, err error) {
	path := filepath.Join(folder, report.EvidenceFile)
	if seen, err = evidence.Read(path); err != nil {
		return nil, 0, 0, err
	}
	stored, err := os.Stat(path)
	if err != nil {
		return nil, 0, 0, err
	}
	text, err = textOf(path)
	return seen, float64(stored.Size()) / 1e6, text, err
}

// textOf is the size of the JSON in a compressed file, in MB.
func textOf(path string) (float64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return 0, err
	}
	bytes, err := io.Copy(io.Discard, unzipped)
	return float64(bytes) / 1e6, err
}

// evidenceRows renders evidence of 200 MB: that of all designs, with the requests that no claim is about
// added as often as it takes.
func evidenceRows(ctx context.Context, dynaproof string) ([]row, error) {
	const size, most = 200, 500 // MB
	var result row
	err := inFolder(func(folder string) error {
		if _, err := measured(ctx, dynaproof, "verify", "--report", folder); err != nil {
			return err
		}
		seen, _, text, err := evidenceIn(folder)
		if err != nil {
			return err
		}
		whole := seen.Ledger
		for added := text; added < size; added += text {
			for i := range whole {
				entry := whole[i]
				entry.Seq, entry.InvocationID, entry.Claim = len(seen.Ledger)+1, "", ""
				seen.Ledger = append(seen.Ledger, entry)
			}
		}
		large := filepath.Join(folder, "large.json.gz")
		if err := seen.Write(large); err != nil {
			return err
		}
		if text, err = textOf(large); err != nil {
			return err
		}
		var peaks, seconds []float64
		for range rounds {
			ran, err := measured(ctx, dynaproof, "report", large, "--out", filepath.Join(folder, "again"))
			if err != nil {
				return err
			}
			peaks, seconds = append(peaks, ran.peak), append(seconds, ran.seconds)
		}
		result = limited("report, memory", fmt.Sprintf("%.0f MB at its peak, %.1f s", median(peaks), median(seconds)),
			fmt.Sprintf("%.0f MB of evidence, %d requests", text, len(seen.Ledger)), fmt.Sprintf("at most %d MB", most), median(peaks)/text, median(peaks)/most)
		return nil
	})
	return []row{result}, err
}
