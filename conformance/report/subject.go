package report

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
)

// subject is what claims are about, so that no figure adds up what cannot be compared:
// tables that stand somewhere, items that this project wrote, and texts.
type subject struct {
	Name  string
	kinds []manifest.Kind
}

// subjects holds every kind of claim once.
var subjects = []subject{
	{"deployment and access", []manifest.Kind{
		manifest.KindSchema, manifest.KindIndex, manifest.KindPattern, manifest.KindGuardrail, manifest.KindInvariant, manifest.KindPolicy, manifest.KindLedger,
	}},
	{"items", []manifest.Kind{manifest.KindEntity, manifest.KindAttribute, manifest.KindRule, manifest.KindExample}},
	{"the document", []manifest.Kind{manifest.KindDocument, manifest.KindConfinement, manifest.KindValidity, manifest.KindFinding}},
}

// Kinds lists the kinds of claims about the subject, separated by spaces.
func (s subject) Kinds() string {
	var words []string
	for _, kind := range s.kinds {
		words = append(words, string(kind))
	}
	return strings.Join(words, " ")
}

// about are the results of one subject.
type about struct {
	subject
	results []evidence.Result
}

// bySubject groups results by what they are about. Subjects without results are left
// out.
func bySubject(results []evidence.Result) []about {
	var groups []about
	for _, each := range subjects {
		group := about{subject: each}
		for _, result := range results {
			if slices.Contains(each.kinds, manifest.Kind(result.Kind)) {
				group.results = append(group.results, result)
			}
		}
		if len(group.results) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

// Figures says how many results of the group have each verdict: "551 claims: 540 pass, 4
// waived, 7 unsupported".
func (a about) Figures() string {
	counts := evidence.Count(a.results)
	var words []string
	for _, verdict := range evidence.Verdicts() {
		if counts[verdict] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[verdict], verdict))
		}
	}
	return Plural(len(a.results), "claim") + ": " + strings.Join(words, ", ")
}

// subjects writes what the claims of the run are about.
func (t *Terminal) subjects(run *evidence.Run) {
	table := columns.Left(t.Out)
	for _, group := range bySubject(run.Results()) {
		table.Row("about "+group.Name, group.Figures())
	}
	table.Flush()
}

// newSubjectTable has a row for each subject.
func newSubjectTable(run *evidence.Run) figureTable {
	table := figureTable{ID: "subjects", Caption: "What the claims are about", Columns: labels(claimColumns())}
	for _, group := range bySubject(run.Results()) {
		filter := url.Values{"kind": {group.Name}}
		within := `(.kind|IN("` + strings.ReplaceAll(group.Kinds(), " ", `","`) + `")) and `
		columns := claimColumns()
		for i := range columns {
			columns[i].jq = within + columns[i].jq
		}
		row := newFigureRow(group.Name, ".designs[]|", group.results, columns, filter)
		row.Href = claimsHref(filter)
		table.Rows = append(table.Rows, row)
	}
	return table
}
