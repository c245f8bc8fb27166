package engines

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/internal/markdown"
	"dynaproof/conformance/internal/page"
)

// figures is one line of the table of answers.
type figures struct {
	Engine, Design string
	Claims         int
	Counts         []int // in the order of Answers
}

// table returns a line for every engine and design, and a sum for every engine.
func (m *Matrix) table() []figures {
	var designs []string
	for _, row := range m.Rows {
		if !slices.Contains(designs, row.Design) {
			designs = append(designs, row.Design)
		}
	}
	var lines []figures
	for i, column := range m.Columns {
		for _, design := range append(slices.Clone(designs), "") {
			counts := m.Count(i, design)
			one := figures{Engine: strings.TrimSpace(column.Name + " " + column.Version), Design: design}
			if design == "" {
				one.Design = "total"
			}
			for _, answer := range Answers() {
				one.Claims += counts[answer]
				one.Counts = append(one.Counts, counts[answer])
			}
			lines = append(lines, one)
		}
	}
	return lines
}

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

// WriteText writes a summary for a terminal.
func (m *Matrix) WriteText(w io.Writer) {
	table := columns.Right(w)
	header := []string{"engine", "design", "claims"}
	for _, answer := range Answers() {
		header = append(header, string(answer))
	}
	table.Row(header...)
	for _, line := range m.table() {
		cells := []string{line.Engine, line.Design, strconv.Itoa(line.Claims)}
		for _, count := range line.Counts {
			cells = append(cells, columns.Count(count))
		}
		table.Row(cells...)
	}
	table.Flush()
	fmt.Fprintln(w, "\nclaims by the engines whose own word they rest on")
	for _, r := range m.Reliances() {
		fmt.Fprintf(w, "  %5d  %s\n", r.Claims, r.On)
	}
	if alone := m.Alone(); len(alone) > 0 {
		fmt.Fprintf(w, "%d claims rest on one engine alone, because no other can answer them; the report lists each with the reasons\n", len(alone))
	}
	fmt.Fprintln(w, "\nknown deviations")
	for _, d := range m.Deviations {
		fmt.Fprintf(w, "  %s (%d problems): %s\n", d.Name, len(d.Shows), d.Does)
	}
	for _, line := range m.Unexplained() {
		fmt.Fprintf(w, "\nFAIL  %s\n", line)
	}
	var times []string
	for _, column := range m.Columns {
		times = append(times, fmt.Sprintf("%s %.0fs and %d requests", column.Name, column.Seconds, column.Requests))
	}
	fmt.Fprintf(w, "\ntime: %s\n", strings.Join(times, ", "))
	fmt.Fprintf(w, "%s  %s\n", map[bool]string{true: "PASS", false: "FAIL"}[m.ExitCode() == evidence.Conforms], m.Conclusion())
}

// WriteMarkdown writes the matrix for a pull request or a README.
func (m *Matrix) WriteMarkdown(w io.Writer) {
	fmt.Fprintf(w, "## Engines: %s\n\n| engine | design | claims |", markdown.Text(m.Conclusion()))
	for _, answer := range Answers() {
		fmt.Fprintf(w, " %s |", answer)
	}
	fmt.Fprint(w, "\n|---|---|")
	for range len(Answers()) + 1 {
		fmt.Fprint(w, "--:|")
	}
	fmt.Fprintln(w)
	for _, line := range m.table() {
		fmt.Fprintf(w, "| %s | %s | %d |", markdown.Text(line.Engine), markdown.Text(line.Design), line.Claims)
		for _, count := range line.Counts {
			fmt.Fprintf(w, " %s |", columns.Count(count))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "\n| claims | rest on the word of |\n|--:|---|\n")
	for _, r := range m.Reliances() {
		fmt.Fprintf(w, "| %d | %s |\n", r.Claims, markdown.Text(r.On))
	}
	fmt.Fprint(w, "\n### Known deviations\n\n")
	for _, d := range m.Deviations {
		fmt.Fprintf(w, "- **%s** (%s %s): %s; AWS: %s ([source](%s))\n", markdown.Text(d.Name), markdown.Text(d.Engine), markdown.Text(d.Version), markdown.Text(d.Does), markdown.Text(d.AWS), d.Source)
	}
	if lines := m.Unexplained(); len(lines) > 0 {
		fmt.Fprint(w, "\n### Not explained\n\n")
		for _, line := range lines {
			fmt.Fprintf(w, "- %s\n", markdown.Text(line))
		}
	}
	if alone := m.Alone(); len(alone) > 0 {
		fmt.Fprintf(w, "\n<details><summary>%d claims rest on one engine alone</summary>\n\n", len(alone))
		for _, row := range alone {
			fmt.Fprintf(w, "- %s (%s)\n", markdown.Code(row.ID), markdown.Text(row.Cite))
		}
		fmt.Fprintln(w, "\n</details>")
	}
}

//go:embed matrix.html.tmpl
var pageText string

var layout = page.New(pageText, "", template.FuncMap{"dash": columns.Count, "join": strings.Join})

// aloneView is a claim that rests on one engine, for the page.
type aloneView struct {
	Row
	On      string
	Reasons []string
}

// WriteHTML writes the matrix as one page that loads nothing.
func (m *Matrix) WriteHTML(w io.Writer) error {
	var alone []aloneView
	for _, row := range m.Alone() {
		alone = append(alone, aloneView{row, m.Witnesses(row)[0], m.others(row)})
	}
	return layout.Write(w, map[string]any{
		"Matrix": m, "Answers": Answers(), "Lines": m.table(), "Reliances": m.Reliances(), "Alone": alone,
		"Unexplained": m.Unexplained(), "Conclusion": m.Conclusion(), "Passed": m.ExitCode() == evidence.Conforms,
	})
}
