package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/report"
)

func someMutants() *evidence.Mutants {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return &evidence.Mutants{
		Version: evidence.MutantsVersion, Command: "dynaproof mutants", Started: began, Finished: began.Add(2 * time.Second), Generated: 9,
		Mutants: []evidence.Mutant{
			{ID: "d/pulumi/T/pitr-off", Kind: "deployment", Operator: "PITR off", What: "T: off", Expected: []string{"d/table/T/pitr"}, Fate: evidence.Killed, Killer: "d/table/T/pitr", Message: "found <b>DISABLED</b>" + strings.Repeat("x", 500)},
			{ID: "d/pattern/p/scan", Kind: "access pattern", Operator: "query turned into a scan", What: "p: scan", Expected: []string{"d/ledger/no-scan"}, Fate: evidence.Survived, Examined: 2},
			{ID: "d/pattern/p/limit-dropped", Kind: "access pattern", Operator: "limit dropped", What: "p: no limit", Expected: []string{"d/pattern/p"}, Fate: evidence.Equivalent, Reason: "there is one"},
		},
		UntriedRules: []string{"segments", "page-budget"},
		Problems:     []string{"equivalents of d: d/pattern/gone names no mutant; remove the entry"},
	}
}

func TestTerminalMutants(t *testing.T) {
	var out bytes.Buffer
	report.TerminalMutants(&out, someMutants())
	for _, want := range []string{
		"deployment       1           -         -        -      -      1", "access pattern       -           1         1        -      -      2",
		"3 of 9 mutants were tried", "2 rules of the guard that no claim tries; the guard's own tests do: segments, page-budget", "SURVIVED  d/pattern/p/scan", "d/ledger/no-scan to fail", "no claim of 2 claims", "add the decoy, case or check",
		"PROBLEM  equivalents of d", "time: 2s", "FAIL  1 of 2 mutants survived",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("expected %q, found\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "KILLED") || strings.Contains(out.String(), "EQUIVALENT") {
		t.Errorf("expected only what needs attention to be written out, found\n%s", out.String())
	}
}

// A single mutant is written out with what the claim says.
func TestTerminalOfOneMutant(t *testing.T) {
	run := someMutants()
	run.Mutants, run.Problems = run.Mutants[:1], nil
	var out bytes.Buffer
	report.TerminalMutants(&out, run)
	for _, want := range []string{"KILLED  d/pulumi/T/pitr-off", "it said   found <b>DISABLED</b>", "PASS  all of 1 mutants"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("expected %q, found\n%s", want, out.String())
		}
	}
}

func TestMutantsHTML(t *testing.T) {
	var out bytes.Buffer
	if err := report.MutantsHTML(&out, someMutants()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<h1>FAIL  1 of 2 mutants survived", "Kill matrix", "deployment: PITR off", "<b class=\"fail\">survived</b>", "<b class=\"waived\">equivalent</b>", "there is one",
		"found &lt;b&gt;DISABLED&lt;/b&gt;", "…", "names no mutant",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("expected %q in the page", want)
		}
	}
	if strings.Contains(out.String(), "<b>DISABLED") || strings.Contains(out.String(), "<script") || strings.Contains(out.String(), strings.Repeat("x", 500)) {
		t.Error("expected an escaped, shortened message and no script")
	}
	// The row of the operator: one killed by a claim about the schema.
	if row := fmt.Sprintf("<tr><th scope=\"row\">deployment: PITR off<td>%d", 1); !strings.Contains(out.String(), row) {
		t.Errorf("expected the row %q", row)
	}
}
