package report

import (
	"cmp"
	"net/url"
	"slices"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
)

type reportView struct {
	Run *evidence.Run
	// File is the name of the file that the run is stored in.
	File string
	// Departures are the claims that passed in another form than the document's.
	Departures []*claimView
	Designs    []designView
	Claims     []claimView
	Documents  []documentView
	RootCauses []cause
	// Unanswered are the causes of claims that this engine, or this run without
	// the documents, cannot answer.
	Unanswered []cause
	// LeftOut says that the page shows one case of each pattern that passed, and that the others are beside it.
	LeftOut bool
}

type designView struct {
	*evidence.Design
	Anchor   string
	Document *documentView
	Tables   []tableView
	Patterns []*claimView
	Findings []*claimView
	Rules    []*claimView
	// Others are all other kinds of claims.
	Others []figureRow
	Counts []figure
}

// newPage is the page of a run. Where it is brief it shows, of a claim that passed, one case of its pattern with its first request, and no
// trials.
func newPage(run *evidence.Run, options HTMLOptions, brief bool) *reportView {
	options.Evidence = cmp.Or(options.Evidence, EvidenceFile)
	p := &reportView{Run: run, File: options.Evidence, LeftOut: brief}
	touching := map[string][]string{} // findings, by the claims that they rest on
	for _, result := range run.Results() {
		if result.Finding != nil {
			for _, id := range result.Finding.Claims {
				touching[id] = append(touching[id], result.ID)
			}
		}
	}
	for design := range lists.Each(run.Designs) {
		for _, result := range design.Results {
			claim := newClaimView(run, design, result, touching, options, brief)
			claim.Number, claim.Accepted = len(p.Claims), said("accepted", object("a", acceptanceOf(run, claim.ID), "run", run))
			p.Claims = append(p.Claims, claim)
		}
	}
	p.Documents = documentViews(run, p.Claims, options)
	for _, cause := range rootCauses(run, p.Claims) {
		list := &p.RootCauses
		if cause.Claim.Verdict == evidence.Unsupported {
			list = &p.Unanswered
		}
		cause.Brief = len(*list) >= causesInFull
		*list = append(*list, cause)
	}
	p.Departures = lists.Which(p.Claims, func(c *claimView) bool { return c.Verdict == evidence.Pass && len(c.Departs) > 0 })
	for design := range lists.Each(run.Designs) {
		p.Designs = append(p.Designs, p.newDesignView(design))
	}
	return p
}

func (p *reportView) newDesignView(design *evidence.Design) designView {
	view := designView{Design: design, Anchor: "/design/" + design.Name}
	for document := range lists.Each(p.Documents) {
		if document.File == design.Document {
			view.Document = document
		}
	}
	counts := func(results []evidence.Result, filter url.Values) []figure {
		return part{results: results, filter: filter}.figures(verdictColumns())
	}
	view.Counts = counts(design.Results, url.Values{"design": {design.Name}})
	byKind := map[string][]*claimView{}
	for claim := range lists.Each(p.Claims) {
		if claim.Design == design.Name {
			byKind[claim.Kind] = append(byKind[claim.Kind], claim)
		}
	}
	view.Patterns, view.Findings, view.Rules = byKind["pattern"], byKind["finding"], byKind["guardrail"]
	slices.SortStableFunc(view.Findings, func(a, b *claimView) int {
		return cmp.Compare(slices.Index(severities, severityOf(a.Result)), slices.Index(severities, severityOf(b.Result)))
	})
	for _, kind := range kindsOf(p.Run) {
		if slices.Contains([]string{"pattern", "finding", "guardrail"}, kind) || len(byKind[kind]) == 0 {
			continue
		}
		results := lists.Map(byKind[kind], func(claim *claimView) evidence.Result { return claim.Result })
		view.Others = append(view.Others, figureRow{Name: kind, Figures: counts(results, url.Values{"design": {design.Name}, "kind": {kind}})})
	}
	if design.Model != nil {
		for _, table := range design.Model.Tables {
			view.Tables = append(view.Tables, newTableView(design, table))
		}
	}
	return view
}
