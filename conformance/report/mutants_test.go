package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/paper"
)

func someMutants() *evidence.Mutants {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return &evidence.Mutants{
		Version: evidence.MutantsVersion, Command: "dynaproof mutants", Started: began, Finished: began.Add(2 * time.Second), Generated: 9,
		Engine: "dynoxide 1.2.1", Executable: "sha256:abab", Claims: 10, Unexpected: map[string]int{"finding": 3, "policy": 1},
		Mutants: []evidence.Mutant{
			{ID: "d/pulumi/T/pitr-off", Kind: "deployment", Operator: "PITR off", What: "T: off", Expected: []string{"d/table/T/pitr"}, Fate: evidence.Killed, Killer: "d/table/T/pitr", Message: "found <b>DISABLED</b>" + strings.Repeat("x", 500)},
			{ID: "d/pattern/p/scan", Kind: "access pattern", Operator: "query turned into a scan", What: "p: scan", Expected: []string{"d/ledger/no-scan"}, Fate: evidence.Survived, Examined: 2},
			{ID: "d/pattern/p/limit-dropped", Kind: "access pattern", Operator: "limit dropped", What: "p: no limit", Expected: []string{"d/pattern/p"}, Fate: evidence.Equivalent, Reason: "there is one"},
		},
		Excused:  []evidence.ExcusedRule{{Design: "d", Rule: "segments", Why: "no pattern scans"}},
		Problems: []string{"equivalents of d: d/pattern/gone names no mutant; remove the entry"},
	}
}

// The matrix with what needs attention written out, and a single mutant with what the claim says.
func TestMutantsAreFrozen(t *testing.T) {
	var text bytes.Buffer
	MutantsPaper(someMutants()).Text(&text)
	one := someMutants()
	one.Mutants, one.Problems = one.Mutants[:1], nil
	MutantsPaper(one).Text(&text)
	frozen(t, "mutants.txt", text.String())
}

func TestMutantsHTML(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, MutantsPaper(someMutants()).HTML(&out))
	holds(t, out.String(),
		"<h1>FAIL  1 of 2 mutants survived", "Kill matrix", "deployment: PITR off", "<b class=\"fail\">survived</b>", "<b class=\"waived\">equivalent</b>", "there is one",
		"found &lt;b&gt;DISABLED&lt;/b&gt;", "…", "names no mutant", "4 of 10 claims are expected by no mutant", "Answered by dynoxide 1.2.1.", "sha256:abab",
	)
	lacks(t, out.String(), "<b>DISABLED", "<script", strings.Repeat("x", 500))
}

// A mutant is counted under the kind of the claim that noticed it, whatever the
// kind is.
func TestMutantsCountEveryKind(t *testing.T) {
	columns := [][2]string{
		{"d/document", "document"}, {"d/tables", "schema"}, {"d/table/T/pitr", "schema"}, {"d/index/T/GSI1", "index"}, {"d/example/entry", "example"}, {"d/entity/entry", "entity"},
		{"d/attribute/entry/stars", "attribute"}, {"d/rule/entry/stars", "rule"}, {"d/pattern/get-entry", "pattern"}, {"d/guardrail/no-scan", "guardrail"},
		{"d/invariant/one-winner", "invariant"}, {"d/confinement/user", "confinement"}, {"d/validity", "validity"}, {"d/finding/prefix", "finding"}, {"d/policy/reader", "policy"},
		{"d/ledger/no-scan", "ledger"}, {"d/prophecy/doom", "prophecy"}, {"d", "unknown"},
	}
	known := map[manifest.Kind]bool{}
	run := someMutants()
	run.Mutants = nil
	for _, row := range columns {
		known[manifest.Kind(row[1])] = true
		run.Mutants = append(run.Mutants, evidence.Mutant{ID: row[0], Kind: "killed by", Operator: row[0], Fate: evidence.Killed, Killer: row[0]})
	}
	for _, kind := range manifest.Kinds() {
		if !known[kind] {
			t.Errorf("expected a row here for a killer of kind %s", kind)
		}
	}
	sections := MutantsPaper(run).Sections
	matrix := sections[slices.IndexFunc(sections, func(s paper.Section) bool { return s.Heading == "Kill matrix" })]
	var counted [][2]string
	for _, row := range matrix.Rows {
		for i, count := range row[1:] {
			if count != "0" {
				counted = append(counted, [2]string{strings.TrimPrefix(row[0], "killed by: "), matrix.Columns[i+1]})
			}
		}
	}
	assert.Empty(t, cmp.Diff(columns, counted), "columns in which each is counted (-want +got)")
}
