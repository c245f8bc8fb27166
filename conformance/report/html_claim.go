package report

import (
	"html/template"

	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
)

// claimView is the page of one claim.
type claimView struct {
	evidence.Result
	Anchor string
	// Number is the claim's place in the list of all claims, from 0.
	Number int
	// Short is the id without the design's name.
	Short string
	Lines []lineView
	// Sent are the requests that are shown; Numbers names all of them.
	Sent    map[int]*requestView
	Numbers string
	// Accepted says who has accepted what the run leaves open of it, and until when.
	Accepted string
	// Left says what stands in the second file alone.
	Left string
	// Extra are requests of a claim that did not pass and that no step shows.
	Extra []*requestView
	// Totals over the cases of a pattern.
	Cases, DecoysAvoided, Decoys, Pages, Count, Scanned int
	Capacity                                            float64
	// Causes are failed claims that this one probably fails because of.
	Causes []string
	// Related are the claims that this one rests on, with links to those that
	// the run has.
	Related []lineView
	// Departures are the findings because of which the claim departs from the text, and Touching the other findings that rest on it.
	Departures, Touching []lineView
}

// problemView is a problem with a link to the document's line.
type problemView struct {
	evidence.Problem
	Href template.URL
	// Undecided is set where nothing was found to be wrong.
	Undecided bool
}

func problemOf(claim *claimView, problem evidence.Problem) problemView {
	view := problemView{Problem: problem, Undecided: claim.Verdict != evidence.Fail}
	if len(claim.Lines) > 0 && problem.Cite == claim.Cite {
		view.Href = claim.Lines[0].Href
	}
	return view
}

// tableView is a documented table with its entities and its picture.
type tableView struct {
	evidence.Table
	Deployed string
	Picture  template.HTML
	Entities []entityRow
	Claims   template.URL
}

// entityRow is an entity with its keys in the table and in each index; an index
// without the entity has none.
type entityRow struct {
	evidence.Entity
	Href  template.URL
	Own   []evidence.EntityKey
	Index [][]evidence.EntityKey
}

// HTMLOptions say what the report shows besides the evidence.
type HTMLOptions struct {
	// Documents maps file names to the lines of the documents. A document that
	// is not here has no page of its own; its text is never part of the
	// evidence.
	Documents map[string][]string
	// Lines holds, by file name, the account of every line of a document, as
	// `dynaproof documents` counts them. Without it a line rests on the claims whose
	// citation covers it.
	Lines map[string][]coverage.LineAccount
	// Evidence is the name of the file that the run is stored in, where it is not
	// evidence.json.gz.
	Evidence string
}

// lineView is a range of lines of the document, with a link where the document
// has a page.
type lineView struct {
	Text string
	Href template.URL
}

// requestView is a request as it was sent.
type requestView struct {
	*wire.Entry
	answer, brief bool
	// file is the one that the run is stored in.
	file string
}
