package report

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/target"
)

// limitsOf are what no pass of a run says anything about.
func limitsOf(run *evidence.Run) (limits []string) {
	if audited(run) {
		return auditLimits
	}
	if run.Target.Kind != target.KindAWS {
		limits = append(limits,
			"any environment of yours on AWS: an audit looks at one",
			"IAM policies as AWS enforces them: they are evaluated here, not enforced", "encryption, deletion of expired items, restores, throttling and scaling by AWS")
	}
	return append(limits, "your application: the claims are about tables, and about requests that are sent as the contract has them",
		"items other than those of the fixtures, which were written for this contract", "load: patterns are replayed one by one, and races with few clients")
}

// auditLimits are what an audit says nothing about.
var auditLimits = []string{
	"items: an audit reads none, so that items that the contract does not know, or that are missing, are not seen",
	"access patterns, guardrails and races: dynaproof verify replays them on tables of its own",
	"what IAM lets whom do, other than by the policies that are compared",
	"your application, and what becomes of the tables after this moment",
}

// openPoint is something that a reader of a conforming run has to accept, or to ask about.
type openPoint struct {
	figure
	Means string
	// Accepted says of how many somebody has accepted it, and of how many no longer.
	Accepted string
}

func acceptanceOf(run *evidence.Run, id string) *evidence.Acceptance {
	at := slices.IndexFunc(run.Accepted, func(a evidence.Acceptance) bool { return a.Claim == id })
	if at < 0 {
		return nil
	}
	return &run.Accepted[at]
}

const highFindings = "findings of high severity"

// openPoints lists what a pass of the run leaves open, as counts of claims.
func openPoints(run *evidence.Run) []openPoint {
	departing := counted{"departures", func(r evidence.Result) bool { return len(r.Departs) > 0 }, ".departs", url.Values{"q": {"departs"}}}
	var points []openPoint
	for _, row := range []struct {
		label, means string
		of           counted
	}{
		{highFindings, "the document loses or discloses data, or asks for what cannot work, as long as its text stays as it is", ofSeverity("high")},
		{"waived", "holds by a named exception, or differs where the document leaves the choice", ofVerdict(evidence.Waived)},
		{"unsupported", "this target cannot answer; another one may", ofVerdict(evidence.Unsupported)},
		{"departures", "passed in another form than the document's; the list stands below", passing(departing)},
		{"implied", "passed, and the document implies it without saying it", passing(equal(".basis", "basis", "implied", basisOf))},
		{"chosen", "passed, and this project decided it, because the document is silent or contradicts itself", passing(equal(".basis", "basis", "chosen", basisOf))},
		{"evidence of grade emulated", "passed also by an answer of this project's own emulation", passing(ofGrade(evidence.Emulated))},
		{"evidence of grade library", "passed also because this project's guard refused a request in the client; no engine has seen that request", passing(ofGrade(evidence.Library))},
		{"evidence of grade static", "passed by evaluation or by the text; no engine has shown it", passing(ofGrade(evidence.Static))},
	} {
		if row.label == highFindings && !lookedAtFindings(run) {
			continue // a run that looked at no finding has not found none
		}
		counts := whole(run).figure(row.of)
		counts.Label = row.label
		held, over := 0, 0
		for _, result := range run.Results() {
			if !row.of.count(result) {
				continue
			}
			switch a := acceptanceOf(run, result.ID); {
			case a == nil:
			case a.Over(run.Started):
				over++
			default:
				held++
			}
		}
		accepted := ""
		if held+over > 0 {
			accepted = fmt.Sprintf("%d of %s", held, counts.Value)
		}
		if over > 0 {
			accepted += fmt.Sprintf(", %d no longer", over)
		}
		points = append(points, openPoint{counts, row.means, accepted})
	}
	return points
}

// conclusion is the verdict of the whole run in words, and in the few of a headline, each with what is wrong with the documents.
type conclusion struct {
	Verdict        evidence.Verdict
	Words, Outcome string
}

func concluded(run *evidence.Run) conclusion {
	c := conclusion{evidence.Indeterminate, couldNotTell, couldNotTell}
	switch code := run.ExitCode(); {
	case code == evidence.Conforms:
		c = conclusion{evidence.Pass, said("passed", run), "conforms"}
	case code == evidence.DoesNotConform:
		c = conclusion{evidence.Fail, said("failed", run), strings.TrimPrefix(said("failed", run), "the deployment ")}
	case run.Interrupted:
		c.Words, c.Outcome = "the run was interrupted", "interrupted, "+couldNotTell
	}
	findings := andFindings(run)
	c.Words, c.Outcome = c.Words+findings, c.Outcome+findings
	return c
}

// Sentence says in one sentence what a run found, as the headline of its page does.
func Sentence(run *evidence.Run) string { return concluded(run).Sentence() }

func (c conclusion) Sentence() string {
	if strings.HasPrefix(c.Words, couldNotTell) {
		return "The run " + c.Words + "."
	}
	return capital(c.Words) + "."
}

// lackAWS says how many of the claims that passed rest on no answer of AWS.
func lackAWS(run *evidence.Run) string {
	passed := evidence.Count(run.Results())[evidence.Pass]
	return fmt.Sprintf("%d of %d passed claims lack evidence from AWS", passed-passedBy(run.Results(), evidence.AWS), passed)
}

// andFindings continues a sentence with the findings that stand, "; the documents have 9 findings, 2 high"; "" where none does, as in a run
// that did not look.
func andFindings(run *evidence.Run) string {
	found, high := evidence.Findings(run.Results())
	if found == 0 {
		return ""
	}
	documents := lists.Count(run.Designs, func(d evidence.Design) bool {
		return slices.ContainsFunc(d.Results, func(r evidence.Result) bool { return r.Verdict.Found() })
	})
	return fmt.Sprintf("; the %s %s, %d high", either(documents, "document has", "documents have"), Plural(found, "finding"), high)
}

const couldNotTell = "could not tell"

// levels says how far the contracts go, where one does not go all the way.
func levels(run *evidence.Run) string {
	if audited(run) {
		return " at level " + string(accesspatterns.LevelSchema) // it looks at no item and sends no request of a pattern
	}
	below := lists.Where(lists.Map(run.Designs, func(d evidence.Design) string { return d.Level }), func(level string) bool {
		return level != "" && level != string(accesspatterns.LevelResilience)
	})
	switch {
	case len(below) == 0:
		return ""
	case len(run.Designs) == 1:
		return " at level " + below[0]
	}
	return " at levels " + strings.Join(lists.Sorted(below), ", ")
}
