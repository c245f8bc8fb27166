//go:build unix

// Command bench measures what dynaproof costs in time and memory, each figure
// beside what it is compared with, in one run. It prints one table and decides
// nothing: a figure depends on the machine, a ratio less so.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"dynaproof/conformance/internal/columns"
)

// rounds is how often both sides of a ratio are measured, one after the other;
// the median of the ratios counts. Go benchmarks have their own count.
const rounds = 5

// row is one line of the table.
type row struct {
	what, ours, theirs, ratio, target string
	// over is by how much a target is missed: 1 and less is within. 0 where there
	// is no target, or nothing was measured.
	over float64
}

func (r row) holds() string {
	switch {
	case r.over == 0:
		return ""
	case r.over <= 1:
		return "holds"
	}
	return fmt.Sprintf("does not: by %.0f%%", 100*(r.over-1))
}

func main() {
	dynaproof := flag.String("dynaproof", "build/dynaproof", "the command to measure")
	only := flag.String("only", "", "measure this part alone: verify, start, evidence, deploy, audit, guard, wire or memory; or cold, which is two builds from nothing and is only measured when asked for")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	failed := false
	table := columns.Left(os.Stdout)
	table.Row("what", "measured", "beside", "ratio", "target", "")
	for _, part := range []struct {
		name    string
		measure func(context.Context, string) ([]row, error)
	}{
		{"verify", verifyRows}, {"start", startRows}, {"evidence", evidenceRows}, {"deploy", deployRows}, {"audit", auditRows}, {"guard", guardRows},
		{"wire", wireRows}, {"memory", memoryRows}, {"cold", coldRows},
	} {
		if *only != part.name && (*only != "" || part.name == "cold") {
			continue
		}
		rows, err := part.measure(ctx, *dynaproof)
		for _, r := range rows {
			table.Row(r.what, r.ours, r.theirs, r.ratio, r.target, r.holds())
		}
		if err != nil {
			failed = true
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
	}
	if err := table.Flush(); err != nil || failed {
		os.Exit(1)
	}
}

// sides are the times of both sides of a comparison, in seconds, round by round.
type sides struct{ ours, theirs []float64 }

// row makes the table's line. most is the highest ratio that is within the
// target; 0 where there is none.
func (s sides) row(what, ours, theirs string, most float64) row {
	var ratios []float64
	for i := range s.ours {
		ratios = append(ratios, s.ours[i]/s.theirs[i])
	}
	r := row{
		what: what, ours: fmt.Sprintf("%.2f s %s", median(s.ours), ours), theirs: fmt.Sprintf("%.2f s %s", median(s.theirs), theirs),
		ratio: fmt.Sprintf("%.2f", median(ratios)),
	}
	if most > 0 {
		r.target, r.over = fmt.Sprintf("at most %g", most), median(ratios)/most
	}
	return r
}

// limited makes a line of a figure that has a limit of its own, whatever it is beside.
func limited(what, ours, theirs, target string, ratio, over float64) row {
	return row{what: what, ours: ours, theirs: theirs, ratio: fmt.Sprintf("%.2f", ratio), target: target, over: max(over, smallest)}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
