// Package paper writes what a laboratory or a review has found. A paper is said once, as tables and what there is to say about them,
// and is written for a terminal, as one page that needs nothing else, and as Markdown for a pull request.
package paper

import (
	_ "embed"
	"html/template"
	"io"
	"regexp"
	"slices"
	"sync"
	text "text/template"

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

//go:embed paper.txt.tmpl
var plain string

// texts are the templates of the other media, parsed with the first text.
var texts = sync.OnceValue(func() *text.Template {
	return text.Must(text.New("paper").Funcs(text.FuncMap{"md": markdown.Text, "table": table}).Parse(plain))
})

// Text writes the paper for a terminal, the conclusion last. What it writes to is a terminal, of which nobody asks whether it took all.
func (p *Paper) Text(out io.Writer) { _ = texts().ExecuteTemplate(out, "text", p) }

// Markdown writes the paper for a pull request.
func (p *Paper) Markdown(out io.Writer) error { return texts().ExecuteTemplate(out, "markdown", p) }

// table is the table of a section for a terminal.
func table(s Section) string {
	kind := columns.Left
	if s.Figures {
		kind = columns.Right
	}
	var rows [][]string
	if len(s.Columns) > 0 && len(s.Rows) > 0 {
		rows = append(rows, s.Columns)
	}
	for _, row := range s.Rows {
		cells := slices.Clone(row)
		for at := 1; at < len(cells); at++ {
			if s.Figures && cells[at] == "0" {
				cells[at] = columns.Count(0)
			}
		}
		rows = append(rows, cells)
	}
	return kind(rows)
}
