// Package paper writes what a laboratory or a review has found. A paper is said once, as tables and what there is to say about them,
// and is written for a terminal, as one page that needs nothing else, and as Markdown for a pull request.
package paper

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"

	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/internal/markdown"
	"dynaproof/conformance/internal/page"
)

// Paper is what was found.
type Paper struct {
	// Title names the paper, and Conclusion says in a line what was found.
	Title, Conclusion string
	// Lead says how it was found, and Foot what the page is made of; on a page alone.
	Lead     []string
	Sections []Section
	Foot     string
	// Classes are the words that the style sheet has a colour for, each with the verdict that it looks like.
	Classes map[string]string
}

// Section is a table with what there is to say about it.
type Section struct {
	Heading string
	Columns []string
	Rows    [][]string
	// Figures says that the columns behind the first hold figures, of which a 0 is nothing.
	Figures bool
	// Alarms are what fails the whole, and Notes what else there is to say, each in a line or a few.
	Alarms, Notes []string
	// Only is where alone the section is: [Page] or [Terminal]; empty for everywhere. Folded shows its heading until somebody opens it.
	Only   Medium
	Folded bool
}

// Medium is where a paper is read.
type Medium string

// The media of a section that is not everywhere.
const (
	Page     Medium = "page"
	Terminal Medium = "terminal"
)

//go:embed paper.html.tmpl
var layout string

var pages = page.New(layout, "", template.FuncMap{
	"on":   func(s Section) bool { return s.Only != Terminal },
	"word": func(p *Paper, cell string) string { return p.Classes[cell] },
	"linked": func(text string) template.HTML {
		return template.HTML(address.ReplaceAllString(template.HTMLEscapeString(text), `<a href="$0">$0</a>`)) // #nosec G203 -- escaped
	},
})

// address is one of a page of the web, in escaped text.
var address = regexp.MustCompile(`https://[A-Za-z0-9./_#-]+[A-Za-z0-9/]`)

// HTML writes the paper as one page.
func (p *Paper) HTML(out io.Writer) error { return pages.Write(out, p) }

// Text writes the paper for a terminal, the conclusion last. What it writes to is a terminal, of which nobody asks whether it took all.
func (p *Paper) Text(out io.Writer) {
	for i := range p.Sections {
		s := &p.Sections[i]
		if s.Only == Page {
			continue
		}
		if s.Heading != "" {
			fmt.Fprintf(out, "\n%s\n", s.Heading)
		}
		table := columns.Left(out)
		if s.Figures {
			table = columns.Right(out)
		}
		if len(s.Columns) > 0 && len(s.Rows) > 0 {
			table.Row(s.Columns...)
		}
		for _, row := range s.Rows {
			if s.Figures {
				row = slices.Clone(row)
				for at := 1; at < len(row); at++ {
					if row[at] == "0" {
						row[at] = "-"
					}
				}
			}
			table.Row(row...)
		}
		_ = table.Flush()
		for _, note := range s.Notes {
			fmt.Fprintln(out, note)
		}
		for _, alarm := range s.Alarms {
			fmt.Fprintf(out, "\nFAIL  %s\n", alarm)
		}
	}
	fmt.Fprintf(out, "\n%s\n", p.Conclusion)
}

// Markdown writes the paper for a pull request.
func (p *Paper) Markdown(out io.Writer) error {
	var text strings.Builder
	line := func(cells []string) {
		for _, cell := range cells {
			text.WriteString("| " + markdown.Text(cell) + " ")
		}
		text.WriteString("|\n")
	}
	fmt.Fprintf(&text, "## %s: %s\n", markdown.Text(p.Title), markdown.Text(p.Conclusion))
	for i := range p.Sections {
		s := &p.Sections[i]
		if s.Only == Terminal {
			continue
		}
		before, behind := "\n### ", "\n"
		if s.Folded {
			before, behind = "\n<details><summary>", "</summary>\n"
		}
		if s.Heading != "" {
			text.WriteString(before + markdown.Text(s.Heading) + behind)
		}
		text.WriteString("\n")
		if len(s.Rows) > 0 {
			line(s.Columns)
			text.WriteString(strings.Repeat("|---", len(s.Columns)) + "|\n")
		}
		for _, row := range s.Rows {
			line(row)
		}
		for _, note := range slices.Concat(s.Alarms, s.Notes) {
			fmt.Fprintf(&text, "- %s\n", markdown.Text(note))
		}
		if s.Folded {
			text.WriteString("\n</details>\n")
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}
