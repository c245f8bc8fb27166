package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/review"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/internal/paper"
	"dynaproof/conformance/internal/redact"
)

// Review is what a review of a document found.
type Review struct {
	// File is the document's path as it was given.
	File     string           `json:"file"`
	Document *reader.Document `json:"document"`
	Hits     []review.Hit     `json:"hits"`
}

// Rules returns the rules of the hits, each once, in the order of the hits.
func (r *Review) Rules() []*review.Rule {
	return lists.With(nil, lists.Map(r.Hits, func(hit review.Hit) *review.Rule { return hit.Rule })...)
}

// Count returns the number of hits of a kind.
func (r *Review) Count(kind review.Kind) int {
	return lists.Count(r.Hits, func(hit review.Hit) bool { return hit.Kind == kind })
}

// Kinds are the kinds of hits.
func (*Review) Kinds() []review.Kind { return review.Kinds() }

// Conclusion says in one line what was found.
func (r *Review) Conclusion() string { return said("reviewed", r) }

func settingsText(t *reader.Table) string {
	parts := lists.With(nil, lists.Map(t.Billing, func(mode reader.Setting) string { return mode.Value })...)
	for _, s := range []struct {
		name  string
		value *reader.Setting
	}{{"TTL", t.TTL}, {"PITR", t.PITR}, {"region", t.Region}} {
		if s.value != nil {
			parts = append(parts, strings.TrimSpace(s.name+" "+s.value.Value))
		}
	}
	return strings.Join(parts, ", ")
}

func requestText(p *reader.Pattern) string {
	conditions := lists.Map(p.Conditions, func(c reader.Condition) string {
		return strings.TrimSuffix(strings.TrimSpace(c.String()), " =") // a key by its name alone
	})
	if p.Limit > 0 {
		conditions = append(conditions, fmt.Sprintf("limit %d", p.Limit))
	}
	parts := slices.DeleteFunc([]string{p.Operation, p.Index, strings.Join(conditions, ", ")}, func(part string) bool { return part == "" })
	return cmp.Or(strings.Join(parts, " "), "not read")
}

// Paper is the picture of the document, and what is wrong with it.
func (r *Review) Paper() *paper.Paper {
	tables := paper.Section{Columns: []string{"table", "key", "settings", "line"}}
	for _, table := range r.Document.Tables {
		name := cmp.Or(table.Name, "(a table without a name)")
		tables.Rows = append(tables.Rows, []string{"table " + name, said("key", table.Keys), settingsText(table), said("line", table.At)})
		for _, index := range table.Indexes {
			tables.Rows = append(tables.Rows, []string{"  index " + index.Name, said("key", index.Keys), index.Projection.Value, said("line", index.At)})
		}
	}
	items := paper.Section{Heading: "items", Columns: []string{"item", "keys", "attributes", "line"}}
	for _, entity := range r.Document.Entities {
		items.Rows = append(items.Rows, []string{"  " + entity.Title, said("forms", entity.Keys), Plural(len(entity.Attributes), "attribute"), said("line", entity.At)})
	}
	patterns := paper.Section{Heading: "access patterns", Columns: []string{"pattern", "request", "line"}}
	for _, pattern := range r.Document.Patterns {
		patterns.Rows = append(patterns.Rows, []string{"  " + pattern.Title, requestText(pattern), said("line", pattern.At)})
	}
	sections := []paper.Section{tables, items, patterns}
	for _, kind := range review.Kinds() {
		hits := paper.Section{Heading: string(kind)}
		for _, hit := range r.Hits {
			if hit.Kind == kind {
				hits.Notes = append(hits.Notes, fmt.Sprintf("  %s:%d  %s\n    %s%s", redact.Visible(r.File), hit.Line, hit.ID, redact.Visible(hit.Message), said("also", hit.Also)))
			}
		}
		sections = append(sections, hits)
	}
	unread := paper.Section{Heading: "not read"}
	for _, gap := range r.Document.Gaps() {
		more := ""
		if gap.Lines > 1 {
			more = fmt.Sprintf(" (and %s, to line %d)", Plural(gap.Lines-1, "further line"), gap.Last)
		}
		unread.Notes = append(unread.Notes, fmt.Sprintf("  %s:%d  %s%s: %s", redact.Visible(r.File), gap.First, redact.Visible(gap.Text), more, gap.Why))
	}
	rules := paper.Section{Heading: "rules", Only: paper.Page}
	for _, rule := range r.Rules() {
		rules.Notes = append(rules.Notes, fmt.Sprintf("%s: %s %s %s %s", rule.ID, rule.What, rule.Why, rule.Instead, rule.Page))
	}
	return &paper.Paper{
		Title: "dynaproof review of " + r.File, Conclusion: r.Conclusion(), Lead: []string{"Read from the document alone: no contract, no tables, no account."},
		Sections: slices.DeleteFunc(append(sections, unread, rules), func(s paper.Section) bool { return len(s.Rows)+len(s.Notes) == 0 }),
	}
}

// ReviewSARIF writes the hits of a review as SARIF 2.1.0, on the document's
// lines. What cannot work is an error, what works otherwise a warning, and what
// is left open a note. uri is the document's address.
func ReviewSARIF(w io.Writer, r *Review, uri, version string) error {
	run := sarifRun("dynaproof review", version)
	run.AddArtifact(documentAt(uri))
	for _, rule := range r.Rules() {
		run.AddRule(rule.ID).
			WithShortDescription(sarif.NewMultiformatMessageString().WithText(rule.Title)).
			WithFullDescription(sarif.NewMultiformatMessageString().WithText(rule.What + " " + rule.Why + " " + rule.Instead)).
			WithHelpURI(rule.Page)
	}
	level := map[review.Kind]string{review.CannotWork: sarif.LevelError, review.WorksOtherwise: sarif.LevelWarning, review.LeavesOpen: sarif.LevelNote}
	for _, hit := range r.Hits {
		at := func(line int) *sarif.Location {
			return placeIn(sarif.NewSimpleArtifactLocation(uri).WithIndex(0), sarif.NewRegion().WithStartLine(line))
		}
		result := run.CreateResultForRule(hit.ID).WithLevel(level[hit.Kind]).WithMessage(sarif.NewTextMessage(redact.Visible(hit.Message))).AddLocation(at(hit.Line))
		for i, line := range hit.Also {
			result.AddRelatedLocation(at(line).WithID(i + 1))
		}
	}
	return writeLog(w, run)
}
