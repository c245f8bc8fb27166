package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/target"
)

func countNotCheckable(run *evidence.Run) int {
	return run.Sum(func(d *evidence.Design) int { return len(d.NotCheckable) })
}

// noProof lists what held and proves nothing.
func noProof(run *evidence.Run) (all []string) {
	for i := range run.Designs {
		for _, what := range run.Designs[i].NoProof {
			all = append(all, run.Designs[i].Name+": "+what)
		}
	}
	return all
}

// placeOf is the line of an objection, "roll-model.md:5", or the document where it has none.
func placeOf(document string, objection evidence.Objection) string {
	if objection.Line == 0 {
		return document
	}
	return fmt.Sprintf("%s:%d", document, objection.Line)
}

// carried counts what passed by how the documents carry it.
func carried(results []evidence.Result) string {
	counts := map[string]int{}
	for i := range results {
		if results[i].Verdict == evidence.Pass {
			counts[basisOf(results[i])]++
		}
	}
	return fmt.Sprintf("the documents state %d and imply %d; this project chose %d, where a document is silent or contradicts itself",
		counts[accesspatterns.Stated.String()], counts[accesspatterns.Implied.String()], counts[accesspatterns.Chosen.String()])
}

// onlyWarnings says of objections that do not fail the run that they do not.
func onlyWarnings(run *evidence.Run) string {
	if run.Strict {
		return ""
	}
	return "; they decide no claim, and fail a run with --strict"
}

// shortOf returns the findings because of which a claim departs, without the design's name.
func shortOf(result evidence.Result) string {
	var short []string
	for _, id := range result.Departs {
		short = append(short, strings.TrimPrefix(id, result.Design+"/"))
	}
	return joined(short)
}

// passed says what a pass means, and what it says nothing about.
func passed(run *evidence.Run) string {
	counts := evidence.Count(run.Results())
	_, on := lookedAt(run)
	said := Plural(counts[evidence.Pass], "claim") + " held" + levels(run) + " " + on
	if unsupported := counts[evidence.Unsupported]; unsupported > 0 {
		said += fmt.Sprintf("; claims that cannot be answered here: %d", unsupported)
	}
	if promises := countNotCheckable(run); promises > 0 {
		said += fmt.Sprintf("; promises that no check decides: %d", promises)
	}
	if nothing := noProof(run); len(nothing) > 0 {
		said += "; " + strings.Join(nothing, "; ")
	}
	if unrun := notRunOf(run); unrun > 0 {
		said += fmt.Sprintf("; claims of the manifest that were not run: %d", unrun)
	}
	return said
}

// notRunOf counts the claims of a run's designs that have no verdict.
func notRunOf(run *evidence.Run) int {
	missing := notRun(run)
	return run.Sum(func(d *evidence.Design) int { return missing[d.Name] })
}

// lackAWS says how many of the claims that passed rest on no answer of AWS.
func lackAWS(run *evidence.Run) string {
	passed := evidence.Count(run.Results())[evidence.Pass]
	return fmt.Sprintf("%d of %d passed claims lack evidence from AWS", passed-passedBy(run.Results(), evidence.AWS), passed)
}

// notPassed lists what did not pass, causes first.
func notPassed(run *evidence.Run) []evidence.Result {
	open := slices.DeleteFunc(run.Results(), func(r evidence.Result) bool { return r.Verdict.Held() })
	slices.SortStableFunc(open, func(a, b evidence.Result) int { return depth(a) - depth(b) })
	return open
}

// verdictFigures says how many claims have each verdict.
func verdictFigures(run *evidence.Run) string {
	counts := evidence.Count(run.Results())
	var figures []string
	for _, verdict := range evidence.Verdicts() {
		if counts[verdict] > 0 || verdict == evidence.Pass || verdict == evidence.Fail {
			figures = append(figures, fmt.Sprintf("%d %s", counts[verdict], verdict))
		}
	}
	return joined(figures)
}

func passedBy(results []evidence.Result, grade evidence.Grade) int {
	return howMany(results, func(r evidence.Result) bool { return r.Verdict == evidence.Pass && r.Grade == grade })
}

func engineOf(run *evidence.Run) string {
	if name := strings.TrimSpace(run.Target.Engine + " " + run.Target.Version); name != "" {
		return name
	}
	return "an unnamed engine at " + run.Target.URL
}

// andFindings continues a sentence with the findings that stand, "; the documents have 9 findings, 2 high"; "" where none does, as in a run
// that did not look.
func andFindings(run *evidence.Run) string {
	found, high := evidence.Findings(run.Results())
	if found == 0 {
		return ""
	}
	documents := run.Sum(func(d *evidence.Design) int {
		some, _ := evidence.Findings(d.Results)
		return min(some, 1)
	})
	return fmt.Sprintf("; the %s %s, %d high", either(documents, "document has", "documents have"), Plural(found, "finding"), high)
}

func basisOf(r evidence.Result) string { return cmp.Or(r.Basis, accesspatterns.Stated.String()) }

func howMany(results []evidence.Result, holds func(evidence.Result) bool) int {
	n := 0
	for i := range results {
		if holds(results[i]) {
			n++
		}
	}
	return n
}

const couldNotTell = "could not tell"

// notRun counts, by design, the claims of the manifest that have no verdict.
func notRun(run *evidence.Run) map[string]int {
	decided := map[string]bool{}
	for _, result := range run.Results() {
		decided[result.ID] = true
	}
	missing := map[string]int{}
	committed, err := designs.Manifest()
	if err != nil {
		panic(err) // it is part of the program, and a test reads it
	}
	for _, claim := range committed {
		if !decided[claim.ID] {
			missing[claim.Design]++
		}
	}
	return missing
}

// levels says how far the contracts go, where one does not go all the way.
func levels(run *evidence.Run) string {
	if audited(run) {
		return " at level " + string(accesspatterns.LevelSchema) // it looks at no item and sends no request of a pattern
	}
	var below []string
	for i := range run.Designs {
		if level := run.Designs[i].Level; level != "" && level != string(accesspatterns.LevelResilience) {
			below = append(below, level)
		}
	}
	switch slices.Sort(below); {
	case len(below) == 0:
		return ""
	case len(run.Designs) == 1:
		return " at level " + below[0]
	}
	return " at levels " + strings.Join(slices.Compact(below), ", ")
}

// audited says that a run looked at tables that somebody else deployed, and did nothing else.
func audited(run *evidence.Run) bool {
	return run.Target.Kind != target.KindEmbedded && !slices.ContainsFunc(run.Designs, func(d evidence.Design) bool { return d.Stack != "" })
}
