//go:build unix

package main

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// benchmarks runs Go benchmarks of a package several times and returns their
// metrics, by name and unit: the lowest of each, because what else the machine does
// can only add to them.
func benchmarks(ctx context.Context, pattern, folder string) (map[string]map[string]float64, error) {
	text, err := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", pattern, "-benchmem", "-benchtime", "100ms", "-count", "7", folder).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("benchmarks of %s: %w\n%s", folder, err, text)
	}
	found := map[string]map[string]float64{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := fields[0]
		if at := strings.LastIndex(name, "-"); at > 0 { // the number of processors
			name = name[:at]
		}
		if found[name] == nil {
			found[name] = map[string]float64{}
		}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if before, known := found[name][fields[i+1]]; err == nil && (!known || value < before) {
				found[name][fields[i+1]] = value
			}
		}
	}
	return found, nil
}

// guardRows compares the guard with a call of the bare SDK, over a transport that
// answers at once.
func guardRows(ctx context.Context, _ string) ([]row, error) {
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
		what: "guard, a Query, 20 patterns", ours: fmt.Sprintf("%.1f µs, %.0f allocations more", added/1000, allocations),
		theirs: fmt.Sprintf("%.1f µs bare SDK", bare["ns/op"]/1000), ratio: fmt.Sprintf("%.2f", 1+added/bare["ns/op"]),
		target: "3 µs, 5 allocations more", over: max(added/most, allocations/mostAllocations, smallest),
	}}, nil
}

// wireRows compares a GetItem through the wire with one past it: as the suite sends it, in
// this process, and as other programs do, over a connection more.
func wireRows(ctx context.Context, _ string) ([]row, error) {
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
		rows = append(rows, row{
			what: client.what, ours: fmt.Sprintf("%.0f µs more", added), theirs: fmt.Sprintf("%.0f µs past it", measured["direct-µs/op"]),
			ratio: fmt.Sprintf("%.2f", measured[client.metric]/measured["direct-µs/op"]), target: "50 µs more", over: max(added/most, smallest),
		})
	}
	return rows, nil
}

// smallest keeps a figure below zero, which is noise, from passing for none.
const smallest = 1e-9
