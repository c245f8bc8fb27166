package scale

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dynaproof/accesspatterns"
)

func aHeader() *header {
	return &header{Design: "d", Seed: 1, Items: 10, Population: "digest", At: time.Unix(1_800_000_000, 0).UTC()}
}

func TestCheckpointGoesOn(t *testing.T) {
	folder := t.TempDir()
	kept, err := openCheckpoint(folder, aHeader())
	if err != nil || kept.resumed {
		t.Fatalf("expected a checkpoint that begins, found %v, %v", kept, err)
	}
	for _, step := range []func() error{
		func() error { return kept.begin(1) }, func() error { return kept.end(1) }, func() error { return kept.begin(2) },
		func() error { return kept.measured(sizeMeasured{Items: 10}) }, kept.close,
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	// The process was killed in the middle of a line.
	path := filepath.Join(folder, checkpointFile)
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"done":2`); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}

	later := aHeader()
	later.At = later.At.Add(time.Hour)
	again, err := openCheckpoint(folder, later)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.close() }()
	if !again.resumed || !later.At.Equal(aHeader().At) {
		t.Errorf("expected to go on as of the first moment, found %v, %v", again.resumed, later.At)
	}
	if !again.isDone(1) || again.inDoubt(1) || again.isDone(2) || !again.inDoubt(2) || again.isDone(3) || again.inDoubt(3) {
		t.Errorf("expected batch 1 done, 2 in doubt, 3 to be written, found %+v", again)
	}
	if _, known := again.curveAt(10); !known {
		t.Error("expected what was measured to be there still")
	}
	if err := again.end(2); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), `{"done":2{`) || !strings.HasSuffix(string(text), "{\"done\":2}\n") {
		t.Errorf("expected half a line to be replaced, found %s", text)
	}
}

func TestCheckpointOfAnotherLoad(t *testing.T) {
	folder := t.TempDir()
	kept, err := openCheckpoint(folder, aHeader())
	if err != nil {
		t.Fatal(err)
	}
	if err := kept.close(); err != nil {
		t.Fatal(err)
	}
	other := aHeader()
	other.Seed = 2
	if _, err := openCheckpoint(folder, other); err == nil || !strings.Contains(err.Error(), "expected to go on with d, seed 1") {
		t.Errorf("expected the other seed to be refused, found %v", err)
	}
}

func TestJudgeOwn(t *testing.T) {
	exact := func(units float64) *float64 { return &units }
	base := OwnPoint{Scanned: 2, ReadUnits: 1, Pages: 1, Calculated: exact(1)}
	for _, row := range []struct {
		name    string
		read    accesspatterns.Read
		point   OwnPoint
		problem string
	}{
		{"in proportion", accesspatterns.Read{}, OwnPoint{Own: 100, Scanned: 102, ReadUnits: 30, Pages: 1, Calculated: exact(30)}, ""},
		{"looks at more", accesspatterns.Read{}, OwnPoint{Own: 100, Scanned: 150, ReadUnits: 30, Pages: 1, Calculated: exact(30)}, "expected scanned count 102 over 1 pages, found 150"},
		{"looks at less", accesspatterns.Read{}, OwnPoint{Own: 100, Scanned: 50, ReadUnits: 30, Pages: 1}, "found 50"},
		{"costs more", accesspatterns.Read{}, OwnPoint{Own: 100, Scanned: 102, ReadUnits: 60, Pages: 1, Calculated: exact(30)}, "expected about 30 read units"},
		{"costs less than before", accesspatterns.Read{}, OwnPoint{Own: 100, Scanned: 102, ReadUnits: 0.5, Pages: 1}, "expected at least 1 read units"},
		{"stops at its budget", accesspatterns.Read{InspectBudget: 50}, OwnPoint{Own: 100, Scanned: 50, ReadUnits: 30, Pages: 1}, ""},
		{"goes beyond its budget", accesspatterns.Read{InspectBudget: 50}, OwnPoint{Own: 100, Scanned: 102, ReadUnits: 30, Pages: 1}, "expected scanned count 50"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := strings.Join(judgeOwn(&row.read, []OwnPoint{base, row.point}), "\n")
			if row.problem == "" && text != "" || !strings.Contains(text, row.problem) {
				t.Errorf("expected %q, found %q", row.problem, text)
			}
		})
	}
}

// Pages end as AWS documents.
func TestPaged(t *testing.T) {
	items := make([]held, 30)
	for i := range items {
		items[i].bytes = 100_000
	}
	for _, row := range []struct {
		name                    string
		limit, pageSize, budget int
		want                    forecast
	}{
		// Ten items of 100,000 bytes are below 1 MB, eleven above; ten are 244.1
		// units of 4 KB.
		{"1 MB", 0, 0, 0, forecast{Units: 3 * 245, Scanned: 30, Pages: 3}},
		{"a limit is one page", 4, 0, 0, forecast{Units: 98, Scanned: 4, Pages: 1}},
		{"a page more, because a full page does not know that it is the last", 0, 10, 0, forecast{Units: 3*245 + 1, Scanned: 30, Pages: 4}},
		{"a budget", 0, 0, 12, forecast{Units: 245 + 49, Scanned: 12, Pages: 2}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := paged(items, row.limit, row.pageSize, row.budget, true); got != row.want {
				t.Errorf("expected %+v, found %+v", row.want, got)
			}
		})
	}
}

func TestIndexUnits(t *testing.T) {
	keys := []accesspatterns.Key{{Attribute: "g", Type: accesspatterns.String}}
	in := accesspatterns.Item{"id": text("1"), "g": text("a")}
	moved := accesspatterns.Item{"id": text("1"), "g": text("b")}
	changed := accesspatterns.Item{"id": text("1"), "g": text("a"), "x": text("y")}
	out := accesspatterns.Item{"id": text("1")}
	for _, row := range []struct {
		name          string
		before, after accesspatterns.Item
		want          float64
	}{
		{"appears", nil, in, 1},
		{"vanishes", in, out, 1},
		{"is deleted", in, nil, 1},
		{"moves", in, moved, 2},
		{"changes", in, changed, 1},
		{"stays as it is", in, in, 0},
		{"was never there", out, out, 0},
	} {
		if got := indexUnits(keys, row.before, row.after); got != row.want {
			t.Errorf("an entry that %s: expected %g units, found %g", row.name, row.want, got)
		}
	}
}

func TestDeviationIsNamed(t *testing.T) {
	var d deviations
	d.compare(ruleReadUnits, "here", 1, 1)
	d.compare(ruleReadUnits, "there", 1, 2)
	d.compare(ruleReadUnits, "elsewhere", 1, 2)
	found := d.list()
	if d.compared != 3 || len(found) != 1 || found[0].Times != 2 || found[0].Example != "there: expected 1, found 2" {
		t.Errorf("expected one rule, broken twice, with its first example, found %+v of %d", found, d.compared)
	}
}
