//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"dynaproof/conformance/lab/scale"
)

// memoryRows compares the memory of the suite and the requests that it sends
// beside few and beside a hundred times as many items. The engine is a process of
// its own and not counted.
func memoryRows(ctx context.Context, dynaproof string) ([]row, error) {
	const items, times, most = 2, 100, 1.2
	var peaks [2][]float64
	var requests [2]int
	for range rounds {
		for i, size := range []int{items, items * times} {
			report, peak, err := measureScale(ctx, dynaproof, size)
			if err != nil {
				return nil, err
			}
			requests[i] = report.Designs[0].Requests
			peaks[i] = append(peaks[i], peak)
		}
	}
	ratio := median(peaks[1]) / median(peaks[0])
	told := func(i, size int) string {
		return fmt.Sprintf("%.0f MB, %d requests beside %d items", median(peaks[i]), requests[i], size*100)
	}
	return []row{{
		what: "memory of the suite, 100 times the items", ours: told(1, items*times), theirs: told(0, items),
		ratio: fmt.Sprintf("%.2f", ratio), target: fmt.Sprintf("at most %g, as many requests", most),
		over: max(ratio/most, float64(requests[1])/float64(requests[0])),
	}}, nil
}

// measureScale runs scale for one design, all of whose patterns are flat, and
// returns the peak of the command's resident memory in MB.
func measureScale(ctx context.Context, dynaproof string, items int) (report *scale.Report, peak float64, err error) {
	err = inFolder(func(folder string) error {
		ran, err := measured(ctx, dynaproof, "scale", "roll-model", "--items", fmt.Sprint(items), "--report", folder, "--json")
		if err != nil {
			return err
		}
		peak = ran.peak
		if err := json.Unmarshal(ran.out, &report); err != nil {
			return fmt.Errorf("scale: %w", err)
		}
		if len(report.Designs) != 1 {
			return fmt.Errorf("scale: expected one design, found %d", len(report.Designs))
		}
		return nil
	})
	return report, peak, err
}
