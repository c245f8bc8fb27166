package engines

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/paper"
)

// reason says in a few words why an engine did not answer a claim.
func (c Cell) reason() string {
	if len(c.Deviations) > 0 {
		return strings.Join(c.Deviations, ", ")
	}
	if len(c.Problems) > 0 {
		return c.Problems[0].Found
	}
	return ""
}

// others says why the other engines did not answer a claim.
func (m *Matrix) others(row Row) []string {
	var reasons []string
	witnesses := m.Witnesses(row)
	for i, cell := range row.Cells {
		if name := m.Columns[i].Name; !slices.Contains(witnesses, name) {
			reasons = append(reasons, strings.TrimSuffix(fmt.Sprintf("%s %s: %s", name, cell.Answer, cell.reason()), ": "))
		}
	}
	return reasons
}

// Unexplained lists everything that makes the matrix fail, one line each.
func (m *Matrix) Unexplained() []string {
	var lines []string
	for _, row := range m.Rows {
		for i, cell := range row.Cells {
			if cell.Answer != Unexpected {
				continue
			}
			for _, problem := range cell.Problems {
				lines = append(lines, fmt.Sprintf("%s: %s (%s): %s: %s, expected %s, found %s", m.Columns[i].Name, row.ID, row.Cite, cell.Verdict, problem.Where, problem.Expected, problem.Found))
			}
		}
	}
	lines = append(lines, m.Mended...)
	lines = append(lines, m.Broken...)
	for _, column := range m.Columns {
		if column.Skipped != "" {
			lines = append(lines, column.Name+" was skipped, and what it could answer is not told: "+column.Skipped)
		}
	}
	return lines
}

// Conclusion says in one line how it ended.
func (m *Matrix) Conclusion() string {
	switch m.ExitCode() {
	case evidence.Conforms:
		return "every claim holds on every engine that can answer it, and every deviation is known by name"
	case evidence.DoesNotConform:
		return "a claim failed that no known deviation explains, or a known deviation is mended"
	}
	return "could not tell: an engine was skipped or broke"
}

// Paper says what each engine answers, and what rests on whom.
func (m *Matrix) Paper() *paper.Paper {
	answers := paper.Section{Figures: true, Columns: append([]string{"engine", "design", "claims"}, lists.Texts(Answers())...), Alarms: m.Unexplained()}
	designs := lists.With(nil, lists.Map(m.Rows, func(row Row) string { return row.Design })...)
	about := paper.Section{Heading: "Engines"}
	for i, column := range m.Columns {
		name := strings.TrimSpace(column.Name + " " + column.Version)
		for _, design := range append(slices.Clone(designs), "") {
			counts, cells, claims := m.Count(i, design), []string{}, 0
			for _, answer := range Answers() {
				claims += counts[answer]
				cells = append(cells, strconv.Itoa(counts[answer]))
			}
			answers.Rows = append(answers.Rows, append([]string{name, cmp.Or(design, "total"), strconv.Itoa(claims)}, cells...))
		}
		words := []string{name + ": " + cmp.Or(column.Skipped, column.Source), fmt.Sprintf("%.0f s and %d requests", column.Seconds, column.Requests), column.Note}
		about.Notes = append(about.Notes, strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), "; "))
	}
	rests := paper.Section{Heading: "What the claims rest on", Columns: []string{"claims", "the engines' own word"}}
	rests.Rows = lists.Map(m.Reliances(), func(r Reliance) []string { return []string{strconv.Itoa(r.Claims), r.On} })
	known := paper.Section{Heading: "Known deviations"}
	shows := paper.Section{Heading: "How the deviations show", Only: paper.Page, Folded: true, Columns: []string{"deviation", "claim", "where", "expected", "found"}}
	for _, d := range m.Deviations {
		known.Notes = append(known.Notes, fmt.Sprintf("%s (%s %s, %d problems): %s; AWS: %s (%s)", d.Name, d.Engine, d.Version, len(d.Shows), d.Does, d.AWS, d.Source))
		for _, s := range d.Shows {
			shows.Rows = append(shows.Rows, []string{d.Name, s.Claim, s.Where, s.Expected, s.Found})
		}
	}
	alone := paper.Section{Only: paper.Page, Folded: true, Columns: []string{"claim", "document", "rests on", "the others"}}
	for _, row := range m.Alone() {
		alone.Rows = append(alone.Rows, []string{row.ID, row.Cite, m.Witnesses(row)[0], strings.Join(m.others(row), "; ")})
	}
	alone.Heading = fmt.Sprintf("%d claims rest on one engine alone, because no other can answer them", len(alone.Rows))
	conclusion := map[bool]string{true: "PASS", false: "FAIL"}[m.ExitCode() == evidence.Conforms] + "  " + m.Conclusion()
	return &paper.Paper{Title: "dynaproof engines", Conclusion: conclusion, Sections: []paper.Section{answers, rests, known, shows, alone, about}}
}
