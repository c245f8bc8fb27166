package scale_test

import (
	"flag"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	_ "dynaproof/conformance/internal/test/command" // it deploys the designs
	"dynaproof/conformance/lab"
	"dynaproof/conformance/lab/scale"
	"dynaproof/fixtures"
)

// measured proves designs with few items of others and, unless the population says
// otherwise, a few of a pattern's own; amend breaks something on purpose.
func measured(t *testing.T, items int, amend func(*accesspatterns.Design, *fixtures.Set, *fixtures.Population), names ...string) *scale.Report {
	t.Helper()
	few := func(design *accesspatterns.Design, set *fixtures.Set, population *fixtures.Population) {
		own := maps.Clone(population.Own)
		population.Own = map[string][]int{}
		for i := range design.Patterns {
			population.Own[design.Patterns[i].ID] = []int{10, 40}
		}
		maps.Copy(population.Own, own)
		if amend != nil {
			amend(design, set, population)
		}
	}
	report := tabletest.Must(scale.Run(t.Context(), scale.Options{Options: lab.Options{Designs: names}, Items: items, Seed: 1, Calls: 1e6, Amend: few}))(t)
	for _, design := range report.Designs {
		require.Empty(t, design.Failure, "%s: %s", design.Name, design.Failure)
	}
	return report
}

func pattern(t *testing.T, report *scale.Report, id string) scale.Pattern {
	t.Helper()
	for _, design := range report.Designs {
		for _, pattern := range design.Patterns {
			if design.Name+"/"+pattern.ID == id {
				return pattern
			}
		}
	}
	t.Fatalf("expected pattern %s in the report, found none", id)
	return scale.Pattern{}
}

// Two designs are measured here, and all of them by `make scale`.
var which = flag.String("designs", "roll-model,osem-ladders", "measure these designs alone; all where it is empty")

// Every growth of the designs is explained, and every flat pattern is flat, also with few items.
func TestGrowthIsExplained(t *testing.T) {
	names := designs.Names()
	if *which != "" {
		names = strings.Split(*which, ",")
	}
	report := measured(t, 5, nil, names...)
	t.Run("the same seed measures the same", func(t *testing.T) {
		again := measured(t, 5, nil, names[0])
		assert.Empty(t, cmp.Diff(report.Designs[:1], again.Designs), "the same seed measured differently (-one +again)")
	})
	for _, design := range report.Designs {
		for _, pattern := range design.Patterns {
			for _, problem := range pattern.Problems {
				t.Errorf("%s/%s: %s", design.Name, pattern.ID, problem)
			}
			assert.NotEmpty(t, pattern.Cases, "%s/%s: expected cases", design.Name, pattern.ID)
		}
		if design.Neighbours == 0 && design.Name != "osem-ladders" { // which has no partition of several kinds
			t.Errorf("%s: expected cases beside their neighbours, found none", design.Name)
		}
		switch design.Name {
		case "fus-main":
			entity := pattern(t, report, "fus-main/list-sites")
			assert.True(t, entity.Verdict == scale.Explained && entity.Finding == "fus-main/finding/by-entity-one-partition-per-type" && entity.Limits != nil,
				"expected list-sites to grow, with its finding and its limits, found %s, %q, %v", entity.Verdict, entity.Finding, entity.Limits)
		case "commit-collect":
			workouts := pattern(t, report, "commit-collect/list-workouts")
			last := workouts.Own[len(workouts.Own)-1]
			assert.True(t, last.Own >= 3001 && last.Scanned == 3000, "expected more than 3,001 workouts and 3,000 inspected, found %d and %d", last.Own, last.Scanned)
		case "osem-ladders":
			scan := pattern(t, report, "osem-ladders/list-users")
			assert.True(t, scan.Waiver == "scan-users" && scan.Verdict == scale.Explained && scan.Limits != nil, "expected what the waiver of list-users costs, found %+v", scan)
		}
	}
	assert.Equal(t, evidence.Conforms, report.ExitCode(), "expected a report without a failure")
}

// broken expects problems of some patterns, and of no other.
func broken(t *testing.T, report *scale.Report, want map[string]string) {
	t.Helper()
	assert.Equal(t, evidence.DoesNotConform, report.ExitCode())
	for _, design := range report.Designs {
		for _, pattern := range design.Patterns {
			text := strings.Join(pattern.Problems, "\n")
			words, expected := want[pattern.ID]
			assert.False(t, expected && !strings.Contains(text, words), "%s: expected %q, found %q", pattern.ID, words, text)
			assert.True(t, expected || text == "", "%s: expected no problem, found %q", pattern.ID, text)
		}
	}
}

// What makes a pattern dearer than its result is noticed, of each pattern by itself: a population that reaches into the athlete's
// own partition; a read of a whole partition for a part of it, by its neighbours, which its own filter hides from the result; and
// a read that inspects more than its result, when its result grows.
func TestCostBeyondTheResult(t *testing.T) {
	report := measured(t, 5, func(design *accesspatterns.Design, _ *fixtures.Set, population *fixtures.Population) {
		unit := &population.Units[0]
		unit.Values["athleteId"] = fixtures.Value{Text: "athlete-456"}
		unit.Items = unit.Items[len(unit.Items)-1:] // gap priorities alone
		unit.Items[0].Values["gapId"] = fixtures.Value{Text: "gap-1-{#}-{i}"}
		links, _ := design.Pattern("list-coaches-of-athlete")
		links.Steps[0].Read.Sort = nil
		links.Steps[0].Read.Filter = []accesspatterns.Condition{{Attribute: "coachId", Operator: expression.Exists}}
		threads, _ := design.Pattern("list-ai-threads")
		threads.Steps[0].Read.Sort = nil // the whole partition of the user
	}, "roll-model")
	broken(t, report, map[string]string{
		"list-gap-priorities":     "expected the case's own items alone, found",
		"list-coaches-of-athlete": "grows by 40 items, which this pattern does not return",
		"list-ai-threads":         "expected the case's own items alone",
	})
	verdict := pattern(t, report, "roll-model/list-gap-priorities").Verdict
	assert.Equal(t, scale.Grows, verdict, "expected the verdict %s", scale.Grows)
	assert.NotZero(t, report.Designs[0].Neighbours, "expected cases that were replayed beside their neighbours")
}

// Growth that no finding explains fails; growth that a finding expects and that
// is not there is said.
func TestGrowthAndFindingsAgree(t *testing.T) {
	report := measured(t, 10, func(design *accesspatterns.Design, _ *fixtures.Set, population *fixtures.Population) {
		population.Own["list-workouts"] = []int{10, 40} // and not more than its limit of 3,000, which is the other test's
		for i := range design.Findings {
			if design.Findings[i].ID == "event-partition-grows" {
				design.Findings[i].Grows = []string{"get-profile"}
			}
		}
	}, "commit-collect")
	broken(t, report, map[string]string{"list-event-month": "no finding of the contract explains it"})
	const note = "commit-collect/finding/event-partition-grows says that get-profile grows, and it did not"
	assert.Contains(t, strings.Join(report.Designs[0].Notes, "\n"), note, "expected the note %q", note)
}

func TestWrongOptions(t *testing.T) {
	for _, row := range []struct {
		name    string
		options scale.Options
		problem string
	}{
		{"an unknown design", scale.Options{Options: lab.Options{Designs: []string{"nothing"}}}, `unknown design "nothing"`},
		{"a design twice", scale.Options{Options: lab.Options{Designs: []string{"fus-main", "fus-main"}}}, "named twice"},
		{"fewer than no items", scale.Options{Items: -1}, "at least 0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := scale.Run(t.Context(), row.options)
			assert.ErrorContains(t, err, row.problem)
		})
	}
}
