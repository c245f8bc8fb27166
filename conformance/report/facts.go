package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/target"
)

func countNotCheckable(run *evidence.Run) int {
	return run.Sum(func(d *evidence.Design) int { return len(d.NotCheckable) })
}

// noProof lists what held and proves nothing.
func noProof(run *evidence.Run) (all []string) {
	for design := range lists.Each(run.Designs) {
		all = append(all, lists.Map(design.NoProof, func(what string) string { return design.Name + ": " + what })...)
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

// carried counts what passed that the documents carry in one way.
func carried(results []evidence.Result, basis string) int {
	return lists.Count(results, func(r evidence.Result) bool { return r.Verdict == evidence.Pass && basisOf(r) == basis })
}

// shortOf returns the findings because of which a claim departs, without the design's name.
func shortOf(result evidence.Result) string {
	short := lists.Map(result.Departs, func(id string) string { return strings.TrimPrefix(id, result.Design+"/") })
	return joined(short)
}

// notRunOf counts the claims of a run's designs that have no verdict.
func notRunOf(run *evidence.Run) int {
	missing := notRun(run)
	return run.Sum(func(d *evidence.Design) int { return missing[d.Name] })
}

// notPassed lists what did not pass, causes first.
func notPassed(run *evidence.Run) []evidence.Result {
	open := lists.Where(run.Results(), func(r evidence.Result) bool { return !r.Verdict.Held() })
	slices.SortStableFunc(open, func(a, b evidence.Result) int { return depth(a) - depth(b) })
	return open
}

func verdictFigures(run *evidence.Run) string {
	return Figures(evidence.Count(run.Results()), evidence.Verdicts(), evidence.Pass, evidence.Fail)
}

func passedBy(results []evidence.Result, grade evidence.Grade) int {
	return lists.Count(results, func(r evidence.Result) bool { return r.Verdict == evidence.Pass && r.Grade == grade })
}

func engineOf(run *evidence.Run) string {
	if name := strings.TrimSpace(run.Target.Engine + " " + run.Target.Version); name != "" {
		return name
	}
	return "an unnamed engine at " + run.Target.URL
}

func basisOf(r evidence.Result) string { return cmp.Or(r.Basis, accesspatterns.Stated.String()) }

// notRun counts, by design, the claims that have no verdict: of those that the run itself has counted, and in evidence of earlier releases of
// the manifest that is here.
func notRun(run *evidence.Run) map[string]int {
	decided := lists.Set(run.Results(), func(r evidence.Result) string { return r.ID })
	missing := map[string]int{}
	committed := must.Have(designs.Manifest()) // it is part of the program, and a test reads it
	for _, claim := range committed {
		if !decided[claim.ID] {
			missing[claim.Design]++
		}
	}
	for design := range lists.Each(run.Designs) {
		if design.Claims > 0 {
			missing[design.Name] = max(0, design.Claims-len(design.Results))
		}
	}
	return missing
}

// audited says that a run looked at tables that somebody else deployed, and did nothing else.
func audited(run *evidence.Run) bool {
	return run.Target.Kind != target.KindEmbedded && !slices.ContainsFunc(run.Designs, func(d evidence.Design) bool { return d.Stack != "" })
}

// depth orders kinds from cause to consequence. Failures come before claims that
// merely could not be decided.
func depth(result evidence.Result) int {
	undecided := 0
	if result.Verdict != evidence.Fail {
		undecided = 100
	}
	return undecided + slices.Index(manifest.Kinds(), manifest.Kind(result.Kind))
}

// severities in the order in which reports show them.
var severities = lists.Texts(accesspatterns.Severities())

// unasked reports whether a claim was not asked because its document was not there. One
// line says so for all of them.
func unasked(result evidence.Result) bool {
	return result.Verdict == evidence.Unsupported && result.Declared == "documents"
}

// phases says how long a run took, and its parts.
func phases(run *evidence.Run) string {
	var parts []string
	var sum time.Duration
	for _, phase := range run.Phases {
		if phase.Microseconds < 1000 {
			continue // an audit deploys, loads and replays nothing
		}
		took := time.Duration(phase.Microseconds) * time.Microsecond
		sum += took
		parts = append(parts, fmt.Sprintf("%s %s", phase.Name, round(took)))
	}
	whole, together := run.Finished.Sub(run.Started), ""
	if sum > whole {
		together = ", of different designs at once"
	}
	return fmt.Sprintf("%s in all (%s%s)", round(whole), strings.Join(parts, ", "), together)
}

// unread counts the designs whose documents were not read, of those that were deployed.
func unread(run *evidence.Run) int {
	return lists.Count(run.Designs, func(d evidence.Design) bool { return !d.Read && len(d.Tables) > 0 })
}

func round(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

type about struct {
	Name    manifest.Subject
	results []evidence.Result
}

// Kinds lists the kinds of claims about the subject, separated by spaces; examples stand behind what they are examples of.
func (a about) Kinds() string {
	var words, examples []string
	for _, kind := range manifest.Kinds() {
		switch {
		case kind.About() != a.Name:
		case kind == manifest.KindExample:
			examples = append(examples, string(kind))
		default:
			words = append(words, string(kind))
		}
	}
	return strings.Join(append(words, examples...), " ")
}

func subjects() (all []about) {
	return lists.Map(manifest.Subjects(), func(each manifest.Subject) about { return about{Name: each} })
}

// bySubject groups results by what they are about. Subjects without results are left
// out.
func bySubject(results []evidence.Result) []about {
	groups := subjects()
	for group := range lists.Each(groups) {
		group.results = lists.Where(results, func(r evidence.Result) bool { return manifest.Kind(r.Kind).About() == group.Name })
	}
	return slices.DeleteFunc(groups, func(group about) bool { return len(group.results) == 0 })
}

// Figures says how many results of the group have each verdict: "551 claims: 540 pass, 4
// waived, 7 unsupported".
func (a about) Figures() string {
	return Plural(len(a.results), "claim") + ": " + Figures(evidence.Count(a.results), evidence.Verdicts())
}
