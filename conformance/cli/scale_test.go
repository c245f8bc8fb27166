//go:build unix

package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/lab/scale"
)

// A load that is killed goes on where it was, and writes nothing twice. The test's
// own proxy stands in front of the engine and sees what both processes write.
func TestScaleGoesOnAfterAKill(t *testing.T) {
	t.Parallel()
	const items = "20"
	running := engine(t)
	var batches atomic.Int32
	reached, dead := make(chan struct{}), make(chan struct{})
	const killAt = 15
	watched, err := wire.Start(wire.Options{Upstream: running.URL(), DropResponses: true, Fault: func(entry wire.Entry) *wire.FaultResponse {
		if entry.Operation != "BatchWriteItem" || !ofOthers.Match(entry.Request) {
			return nil
		}
		number := batches.Add(1)
		if number == killAt {
			close(reached)
		}
		if number >= killAt {
			// Carried out when the process that asked is gone: nobody sees the
			// answer, and the batch is in doubt.
			<-dead
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := watched.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	folder := t.TempDir()
	killed := prepare(t, nil, "scale", "roll-model", "--items", items, "--endpoint", watched.URL())
	killed.Dir = folder
	killed.starts(t)
	<-reached
	if err := killed.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed.ends(t)
	close(dead)
	eventually(t, "the batches that were under way to be carried out", func() bool {
		return carriedOut(watched.Ledger().Entries(0)) == int(batches.Load())
	})
	atKill := watched.Ledger().Len()

	run(t, folder, 2, "scale", "roll-model", "--items", items, "--seed", "2", "--endpoint", watched.URL()).
		oneError(t, "expected to go on with roll-model, seed 1", "--anew")
	run(t, folder, 0, "scale", "roll-model", "--items", items, "--endpoint", watched.URL())
	text, err := os.ReadFile(filepath.Join(folder, "build", "scale", "scale.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report scale.Report
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	if !report.Designs[0].Resumed {
		t.Error("expected the report to say that the load went on from an interrupted one")
	}

	before, after := written(t, watched.Ledger().Entries(0)[:atKill]), written(t, watched.Ledger().Entries(atKill))
	others := 0
	for key, times := range after {
		if times+before[key] > 1 {
			t.Errorf("expected %s to be written once, found %d times before the kill and %d after", key, before[key], times)
		}
		others++
	}
	if others == 0 || len(before) == 0 {
		t.Errorf("expected both processes to write items, found %d and %d", len(before), others)
	}

	// The same figures as those of a load that nobody killed.
	undisturbed := prepare(t, nil, "scale", "roll-model", "--items", items, "--json")
	undisturbed.expect(t, 0)
	var want scale.Report
	if err := json.Unmarshal(undisturbed.stdout.Bytes(), &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.Designs[0].Patterns, report.Designs[0].Patterns); d != "" {
		t.Errorf("figures of the load that went on (-undisturbed +gone on):\n%s", d)
	}
	if left := tables(t, running.URL()); len(left) > 0 {
		t.Errorf("expected nothing to be left, found %v", left)
	}
}

// carriedOut counts the batches of others' items that the engine has answered.
func carriedOut(entries []wire.Entry) int {
	count := 0
	for _, entry := range entries {
		if entry.Operation == "BatchWriteItem" && ofOthers.Match(entry.Request) {
			count++
		}
	}
	return count
}

var (
	ofOthers = regexp.MustCompile(`(athlete-123|entry-abc|thread-555)-[0-9]`)
	ofOwn    = regexp.MustCompile(`-1[0-9]{9}`)
)

// written counts how often each item of others was put. Ids of others go on from
// the document's with a number of at most nine digits; those of own growth have
// ten.
func written(t *testing.T, entries []wire.Entry) map[string]int {
	t.Helper()
	puts := map[string]int{}
	for _, entry := range entries {
		var body struct {
			RequestItems map[string][]struct {
				PutRequest *struct {
					Item map[string]map[string]any
				}
			}
		}
		if entry.Operation != "BatchWriteItem" || len(entry.Request) == 0 {
			continue // the last body of the killed process may not have arrived, and then went nowhere
		}
		if err := json.Unmarshal(entry.Request, &body); err != nil {
			t.Fatal(err)
		}
		for _, requests := range body.RequestItems {
			for _, request := range requests {
				if request.PutRequest == nil {
					continue
				}
				key, _ := json.Marshal([]any{request.PutRequest.Item["PK"], request.PutRequest.Item["SK"]})
				if ofOthers.Match(key) && !ofOwn.Match(key) {
					puts[string(key)]++
				}
			}
		}
	}
	return puts
}
