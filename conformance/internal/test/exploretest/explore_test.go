// Package exploretest explores the five contracts with the items of their fixtures. It stands here, because no
// package of accesspatterns may know the fixtures.
package exploretest

import (
	"slices"
	"testing"
	"time"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/explore"
	"dynaproof/fixtures"
)

// explored explores the laws of a design.
func explored(t *testing.T, d *ap.Design) *explore.Report {
	t.Helper()
	set, err := fixtures.Load(d.Name, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	report, err := explore.Run(d, set.Explored(), explore.Usual)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Each contract says of each law exactly which patterns do not keep it.
func TestContractsSayWhoKeepsALaw(t *testing.T) {
	for _, d := range designs.All() {
		t.Run(d.Name, func(t *testing.T) {
			report := explored(t, d)
			for _, problem := range report.Problems(d) {
				t.Error(problem)
			}
			for _, law := range report.Laws {
				if law.Depth < explore.Usual.Depth || law.Moves == 0 || law.Starts < 2 || len(law.Keepers) == 0 && len(law.Broken) == 0 {
					t.Errorf("expected a search to depth %d, from some starts, with somebody who keeps the law or breaks it, found %s", explore.Usual.Depth, law)
				}
			}
		})
	}
}

// only is a design with one of its laws.
func only(t *testing.T, name, claim string) (*ap.Design, *ap.Law) {
	t.Helper()
	chosen, err := designs.Chosen([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	d := chosen[0]
	var law *ap.Law
	for i := range d.Invariants {
		if "invariant/"+d.Invariants[i].ID == claim {
			law = d.Invariants[i].Law
			continue
		}
		d.Invariants[i].Law = nil
	}
	for i := range d.Guardrails {
		if "guardrail/"+d.Guardrails[i].ID == claim {
			law = d.Guardrails[i].Law
			continue
		}
		d.Guardrails[i].Law = nil
	}
	if law == nil {
		t.Fatalf("%s: no formula at %s", name, claim)
	}
	return d, law
}

// Of an action on which a law rests, nothing may be taken out unnoticed.
func TestAConditionOnWhichALawRestsIsMissed(t *testing.T) {
	for _, row := range []struct {
		design, claim, pattern string
		// action and condition are numbers, condition -1 for the whole action.
		action, condition int
	}{
		{"personal-os", "invariant/never-mutual", "add-task-dependency", 2, 0},
		{"personal-os", "invariant/never-mutual", "add-task-dependency", 2, -1},
		{"personal-os", "invariant/never-mutual", "create-task-with-links", 6, 0},
		{"personal-os", "invariant/never-mutual", "create-task-with-links", 6, -1},
		{"personal-os", "invariant/balance-never-negative", "spend-points", 0, 0},
		{"personal-os", "invariant/no-log-lost", "log-metric", 1, 0},
		{"osem-ladders", "invariant/exactly-one-active-config", "activate-config", 0, -1},
		{"osem-ladders", "invariant/exactly-one-active-config", "publish-config", 1, -1},
		{"osem-ladders", "invariant/submitted-once", "submit-assessment", 0, 0},
		{"roll-model", "invariant/link-made-once", "link-coach-once", 0, 0},
		{"roll-model", "invariant/entry-created-once", "create-entry-once", 1, 0},
	} {
		t.Run(row.pattern, func(t *testing.T) {
			d, law := only(t, row.design, row.claim)
			pattern, _ := d.Pattern(row.pattern)
			step := &pattern.Steps[slices.IndexFunc(pattern.Steps, func(s ap.Step) bool { return len(s.Write) > 0 })]
			if row.condition < 0 {
				step.Write = slices.Delete(slices.Clone(step.Write), row.action, row.action+1)
			} else {
				action := &step.Write[row.action]
				action.Condition = slices.Delete(slices.Clone(action.Condition), row.condition, row.condition+1)
			}
			report := explored(t, d)
			if found := report.Laws[0].Breakers(); !slices.Contains(found, row.pattern) || slices.Contains(law.Broken, row.pattern) {
				t.Errorf("expected %s among those that break the law, found %v", row.pattern, found)
			}
		})
	}
}

// An exploration is the same in every run.
func TestExplorationIsTheSameEveryTime(t *testing.T) {
	d, _ := only(t, "personal-os", "invariant/never-mutual")
	first, second := explored(t, d), explored(t, d)
	if a, b := first.Laws[0].String()+first.Laws[0].Broken[0].String(), second.Laws[0].String()+second.Laws[0].Broken[0].String(); a != b {
		t.Errorf("expected the same twice, found\n%s\n%s", a, b)
	}
}
