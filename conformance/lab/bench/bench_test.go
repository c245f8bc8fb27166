//go:build unix

// Package bench measures what dynaproof costs in time and memory, each figure
// beside what it is compared with, in one run. It prints one table and decides
// nothing: a figure depends on the machine, a ratio less so.
package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/designtest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/report"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

// rounds is how often both sides of a ratio are measured, one after the other; the median
// counts. Go benchmarks have their own count.
const rounds = 5

// row is one line of the table: what was measured, beside what, the ratio, and the target.
// over is by how much the target is missed: 1 and less is within.
type row struct {
	what, ours, theirs string
	ratio              float64
	target             string
	over               float64
}

var (
	binary = flag.String("dynaproof", "build/dynaproof", "the command to measure, as the project's folder has it")
	only   = flag.String("only", "", "measure this part alone: verify, start, check, guard or wire")
)

// BenchmarkTable measures the parts, and prints a row for each figure, also where another part cannot be measured.
func BenchmarkTable(b *testing.B) {
	b.Chdir("../../..")
	folder, table := b.TempDir(), [][]string{{"what", "measured", "beside", "ratio", "target", ""}}
	for _, part := range []struct {
		name    string
		measure func(ctx context.Context, dynaproof, folder string) ([]row, error)
	}{{"verify", verifyRows}, {"start", startRows}, {"check", checkRows}, {"guard", guardRows}, {"wire", wireRows}} {
		if *only != "" && *only != part.name {
			continue
		}
		rows, err := part.measure(b.Context(), *binary, folder)
		for _, r := range rows {
			holds := "holds"
			if r.over > 1 {
				holds = fmt.Sprintf("does not: by %.0f%%", 100*(r.over-1))
			}
			table = append(table, []string{r.what, r.ours, r.theirs, fmt.Sprintf("%.2f", r.ratio), r.target, holds})
		}
		assert.NoError(b, err)
	}
	fmt.Print(columns.Left(table))
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// verifyRows compares verify with the same requests, sent in a tight loop by the bare SDK
// to an engine of its own.
func verifyRows(ctx context.Context, dynaproof, folder string) ([]row, error) {
	const most, mostWhole, mostMemory = 1.0, 1.10, 250 // ratios, MB
	var own, whole, bare, ratios, wholes, peaks []float64
	requests := 0
	for round := range rounds {
		into := filepath.Join(folder, fmt.Sprint("verify", round)) // without a run before it
		ran, err := measured(ctx, dynaproof, "verify", "--report", into)
		if err != nil {
			return nil, err
		}
		seen, err := evidence.Read(filepath.Join(into, report.EvidenceFile))
		if err != nil {
			return nil, err
		}
		loop, sent, err := replayed(ctx, seen)
		if err != nil {
			return nil, err
		}
		requests = sent
		alone := seen.Finished.Sub(seen.Started).Seconds()
		own, whole, bare, peaks = append(own, alone), append(whole, ran.seconds), append(bare, loop), append(peaks, ran.peak)
		ratios, wholes = append(ratios, alone/loop), append(wholes, ran.seconds/loop)
	}
	beside := fmt.Sprintf("%.2f s bare SDK, %d requests", median(bare), requests)
	return []row{
		{"verify, all designs", fmt.Sprintf("%.2f s with deploy and destroy", median(own)), beside, median(ratios), fmt.Sprintf("at most %g", most), median(ratios) / most},
		{"verify, the whole command", fmt.Sprintf("%.2f s with its reports", median(whole)), beside, median(wholes), fmt.Sprintf("at most %g", mostWhole), median(wholes) / mostWhole},
		{"verify, memory", fmt.Sprintf("%.0f MB, both processes", median(peaks)), fmt.Sprintf("%d MB", mostMemory), median(peaks) / mostMemory, "at most 1", median(peaks) / mostMemory},
	}, nil
}

// replayed sends the requests of a run once more, one after the other, and returns how
// long that took, in seconds, and how many they are. What the wire answered in place of the
// engine is left out. What the engine refuses it refused before; only an answer that does
// not come is an error.
func replayed(ctx context.Context, seen *evidence.Run) (seconds float64, requests int, err error) {
	var calls []any
	for i := range seen.Ledger {
		entry := &seen.Ledger[i]
		if entry.Operation == "" || entry.Request == nil || entry.Emulated {
			continue
		}
		request := fixtures.Request{Operation: entry.Operation, Input: entry.Request}
		input, err := request.Decode(nil, nil)
		if err != nil {
			return 0, 0, fmt.Errorf("request %d: %w", entry.Seq, err)
		}
		calls = append(calls, input)
	}
	engine, err := target.Embedded(ctx, nil)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, engine.Close(context.WithoutCancel(ctx))) }()
	client := target.NewClient(engine.URL(), "us-east-1")
	began := time.Now()
	for _, input := range calls {
		_, failure := designtest.Send(ctx, client, input)
		var refused smithy.APIError
		if failure != nil && !errors.As(failure, &refused) {
			return 0, 0, fmt.Errorf("%T: %w", input, failure)
		}
	}
	return time.Since(began).Seconds(), len(calls), nil
}

// beside measures a command and another one after the other.
func beside(ctx context.Context, what string, most float64, mostMemory int, ours, theirs []string) (row, error) {
	var seconds, others, peaks []float64
	for range rounds {
		own, err := measured(ctx, ours[0], ours[1:]...)
		if err != nil {
			return row{}, err
		}
		other, err := measured(ctx, theirs[0], theirs[1:]...)
		if err != nil {
			return row{}, err
		}
		seconds, others, peaks = append(seconds, own.seconds), append(others, other.seconds), append(peaks, own.peak)
	}
	return row{
		what, fmt.Sprintf("%.0f ms, %.0f MB", 1e3*median(seconds), median(peaks)), fmt.Sprintf("%.0f ms %s", 1e3*median(others), filepath.Base(theirs[0])),
		median(seconds) / median(others), fmt.Sprintf("%.0f ms, %d MB", 1e3*most, mostMemory), max(median(seconds)/most, median(peaks)/float64(mostMemory)),
	}, nil
}

// startRows measures commands that only look something up, beside a program of Go that
// does no more.
func startRows(ctx context.Context, dynaproof, folder string) (rows []row, err error) {
	// Evidence of few claims, so that report is measured and not what it reads.
	if _, err := measured(ctx, dynaproof, "verify", "roll-model", "--label-filter", "kind:schema", "--report", folder); err != nil {
		return nil, err
	}
	for _, each := range []struct {
		most float64
		args []string
	}{
		{0.050, []string{"--version"}},
		{0.100, []string{"claims"}},
		{0.100, []string{"explain", "roll-model/table/RollModel/key"}},
		{0.100, []string{"report", filepath.Join(folder, report.EvidenceFile), "--out", filepath.Join(folder, "again")}},
	} {
		one, err := beside(ctx, "start, "+each.args[0], each.most, 40, append([]string{dynaproof}, each.args...), []string{"go", "version"})
		if err != nil {
			return rows, err
		}
		rows = append(rows, one)
	}
	return rows, nil
}

// checkRows measures the exploration of all designs, which is most of check.
func checkRows(ctx context.Context, dynaproof, _ string) ([]row, error) {
	one, err := beside(ctx, "check, all designs", 20, 300, []string{dynaproof, "check"}, []string{dynaproof, "--version"})
	if err != nil {
		return nil, err
	}
	return []row{one}, nil
}

// guardRows compares the guard with a call of the bare SDK, over a transport that
// answers at once.
func guardRows(ctx context.Context, _, _ string) ([]row, error) {
	const most, mostAllocations = 3000.0, 5.0 // nanoseconds, allocations
	found, err := benchmarks(ctx, "Benchmark(Call|Check)/Query", "./accesspatterns/guard")
	if err != nil {
		return nil, err
	}
	bare, guarded, alone := found["BenchmarkCall/Query/bare"], found["BenchmarkCall/Query/guarded/20"], found["BenchmarkCheck/Query/20"]
	if bare == nil || guarded == nil || alone == nil {
		return nil, fmt.Errorf("guard: expected the benchmarks Query/bare, Query/guarded/20 and Check/Query/20, found %d others", len(found))
	}
	// The difference of two calls is within their noise; the guard alone is not.
	added, allocations := alone["ns/op"], guarded["allocs/op"]-bare["allocs/op"]
	return []row{{
		"guard, a Query, 20 patterns", fmt.Sprintf("%.1f µs, %.0f allocations more", added/1000, allocations), fmt.Sprintf("%.1f µs bare SDK", bare["ns/op"]/1000),
		1 + added/bare["ns/op"], "3 µs, 5 allocations more", max(added/most, allocations/mostAllocations),
	}}, nil
}

// wireRows compares a GetItem through the wire with one past it: as the suite sends it, in
// this process, and as other programs do, over a connection more.
func wireRows(ctx context.Context, _, _ string) ([]row, error) {
	const most = 50.0 // microseconds
	found, err := benchmarks(ctx, "BenchmarkGetItem", "./conformance/internal/wire")
	if err != nil {
		return nil, err
	}
	measured := found["BenchmarkGetItem"]
	if measured == nil {
		return nil, fmt.Errorf("wire: expected the benchmark GetItem, found none")
	}
	var rows []row
	for _, client := range []struct{ what, metric string }{{"wire, a GetItem of the suite", "wire-µs/op"}, {"wire, one of another program", "connected-µs/op"}} {
		added := measured[client.metric] - measured["direct-µs/op"] // of the lowest of each
		rows = append(rows, row{client.what, fmt.Sprintf("%.0f µs more", added), fmt.Sprintf("%.0f µs past it", measured["direct-µs/op"]), measured[client.metric] / measured["direct-µs/op"], "50 µs more", added / most})
	}
	return rows, nil
}
