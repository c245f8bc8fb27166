package report

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/target"
)

// scope says what a run looked at, and what it did not.
type scope struct {
	// Target is what answered, in plain words.
	Target string
	// Differs says what was deployed otherwise than by default.
	Differs string
	// NotRun counts the claims of the run's designs that it did not ask.
	NotRun int
	// Limits are what no pass of this run says anything about.
	Limits []string
}

func scopeOf(run *evidence.Run) scope {
	s := scope{Target: targetInWords(run)}
	missing := notRun(run)
	for i := range run.Designs {
		s.NotRun += missing[run.Designs[i].Name]
	}
	if run.Guardrails != "" {
		s.Differs = fmt.Sprintf("the stacks were deployed with guardrails: %s, whatever the default of their documents", run.Guardrails)
	}
	if audited(run) {
		s.Limits = auditLimits
		return s
	}
	if run.Target.Kind != target.KindAWS {
		s.Limits = append(s.Limits,
			"any environment of yours on AWS: an audit looks at one",
			"IAM policies as AWS enforces them: they are evaluated here, not enforced", "encryption, deletion of expired items, restores, throttling and scaling by AWS")
	}
	s.Limits = append(s.Limits, "your application: the claims are about tables, and about requests that are sent as the contract has them",
		"items other than those of the fixtures, which were written for this contract", "load: patterns are replayed one by one, and races with few clients")
	return s
}

// auditLimits are what an audit says nothing about.
var auditLimits = []string{
	"items: an audit reads none, so that items that the contract does not know, or that are missing, are not seen",
	"access patterns, guardrails and races: dynaproof verify replays them on tables of its own",
	"what IAM lets whom do, other than by the policies that are compared",
	"your application, and what becomes of the tables after this moment",
}

// audited says that a run looked at tables that somebody else deployed, and did nothing else.
func audited(run *evidence.Run) bool {
	return run.Target.Kind != target.KindEmbedded && !slices.ContainsFunc(run.Designs, func(d evidence.Design) bool { return d.Stack != "" })
}

// targetInWords says what answered.
func targetInWords(run *evidence.Run) string {
	engine := engineOf(run)
	took := run.Finished.Sub(run.Started).Round(time.Second)
	stacks := !audited(run)
	switch {
	case run.Target.Kind == target.KindEmbedded:
		return fmt.Sprintf("an emulator of DynamoDB in memory on the machine of the run (%s), with tables that the run made and removed within %s; nothing of AWS took part", engine, took)
	case run.Target.Kind == target.KindAWS && !stacks:
		return "tables on AWS as somebody deployed them, read and not changed"
	case run.Target.Kind == target.KindAWS:
		return "tables on AWS that belong to this run, or to the stack that was named"
	case !stacks:
		return "tables as they stand at an endpoint on this machine (" + engine + "), read and not changed; nothing of AWS took part"
	}
	return "tables at an endpoint on this machine (" + engine + "); nothing of AWS took part"
}

// openPoint is something that a reader of a conforming run has to accept, or to ask about.
type openPoint struct {
	Figure figure
	Means  string
	// Accepted says of how many somebody has accepted it, and of how many no longer.
	Accepted string
}

// acceptanceOf returns what somebody has accepted of a claim, or nil.
func acceptanceOf(run *evidence.Run, id string) *evidence.Acceptance {
	at := slices.IndexFunc(run.Accepted, func(a evidence.Acceptance) bool { return a.Claim == id })
	if at < 0 {
		return nil
	}
	return &run.Accepted[at]
}

// acceptedInWords says who has accepted a claim's open point, and until when; "" where nobody has.
func acceptedInWords(run *evidence.Run, id string) string {
	a := acceptanceOf(run, id)
	if a == nil {
		return ""
	}
	text := "by " + a.By
	if a.Since != "" {
		text += ", since " + a.Since
	}
	text += ", until " + a.Until
	if a.Over(run.Started) {
		text += ", which did not hold at the time of the run"
	}
	if a.Note != "" {
		text += ": " + a.Note
	}
	return text
}

// openPoints lists what a pass of the run leaves open, as counts of claims.
func openPoints(run *evidence.Run) []openPoint {
	var points []openPoint
	add := func(label, means, jq string, filter url.Values, count func(evidence.Result) bool) {
		n, held, over := 0, 0, 0
		for _, result := range run.Results() {
			if !count(result) {
				continue
			}
			n++
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
			accepted = fmt.Sprintf("%d of %d", held, n)
		}
		if over > 0 {
			accepted += fmt.Sprintf(", %d no longer", over)
		}
		points = append(points, openPoint{figure{Label: label, Value: fmt.Sprint(n), JQ: "[.designs[]|.results[]?|select(" + jq + ")]|length", Href: claimsHref(filter)}, means, accepted})
	}
	add("findings of high severity", "the document loses or discloses data, or asks for what cannot work, as long as its text stays as it is",
		`.finding.severity=="high"`, url.Values{"kind": {"finding"}, "severity": {"high"}},
		func(r evidence.Result) bool {
			return r.Finding != nil && r.Finding.Severity == "high"
		})
	verdict := func(v evidence.Verdict, means string) {
		add(string(v), means, fmt.Sprintf(".verdict==%q", v), url.Values{"verdict": {string(v)}}, func(r evidence.Result) bool { return r.Verdict == v })
	}
	verdict(evidence.Waived, "holds by a named exception, or differs where the document leaves the choice")
	verdict(evidence.Unsupported, "this target cannot answer; another one may")
	add("departures", "passed in another form than the document's; the list stands below", fmt.Sprintf(".verdict==%q and .departs", evidence.Pass), url.Values{"verdict": {string(evidence.Pass)}, "q": {"departs"}},
		func(r evidence.Result) bool { return r.Verdict == evidence.Pass && len(r.Departs) > 0 })
	for _, basis := range []struct{ name, means string }{{"implied", "passed, and the document implies it without saying it"}, {"chosen", "passed, and this project decided it, because the document is silent or contradicts itself"}} {
		add(basis.name, basis.means, fmt.Sprintf(".verdict==%q and .basis==%q", evidence.Pass, basis.name), url.Values{"verdict": {string(evidence.Pass)}, "basis": {basis.name}},
			func(r evidence.Result) bool { return r.Verdict == evidence.Pass && r.Basis == basis.name })
	}
	for _, grade := range []struct {
		grade evidence.Grade
		means string
	}{{evidence.Emulated, "passed by the answer of this project's own emulation"}, {evidence.Library, "passed because this project's guard refuses the request in the client; no engine has seen it"},
		{evidence.Static, "passed by evaluation or by the text; no engine has shown it"}} {
		add("evidence of grade "+string(grade.grade), grade.means, fmt.Sprintf(".verdict==%q and .grade==%q", evidence.Pass, grade.grade),
			url.Values{"verdict": {string(evidence.Pass)}, "grade": {string(grade.grade)}},
			func(r evidence.Result) bool { return r.Verdict == evidence.Pass && r.Grade == grade.grade })
	}
	return points
}
