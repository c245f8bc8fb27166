package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wholefile"
)

// Author is what a run has to tell the author of one document: the document with its findings beside the lines that they are about, and
// nothing else.
type Author struct {
	// File is the document, Title the title of its contract.
	File, Title string
	// Run is the id of the run that showed the findings, Engine what answered.
	Run, Engine string
	Findings    []AuthorFinding
	Lines       []AuthorLine
}

// AuthorLine is a line of the document.
type AuthorLine struct {
	Number int
	Text   string
	// Findings begin at this line; About are further ones, whose first line is another one.
	Findings, About []*AuthorFinding
}

// AuthorFinding is a contradiction, gap or hazard of the document.
type AuthorFinding struct {
	*evidence.Finding
	// ID is the finding's name within the design.
	ID, Title string
	// First is its first line, Cite all of them: "63, 127".
	First int
	Cite  string
	// Shown are the requests that were sent as the document has it, unless none can show it.
	Shown []Demonstration
}

// Demonstration is a request that was sent as the document has it, and what came of it.
type Demonstration struct {
	evidence.Exchange
	// Why says what it shows, Body is the request as it was sent.
	Why, Body string
}

// AuthorOf collects the findings of a design's document. lines are those of the document.
func AuthorOf(run *evidence.Run, design string, lines []string) (*Author, error) {
	run = shown(run)
	seen := run.Design(design)
	if seen == nil {
		names := lists.Map(run.Designs, func(design evidence.Design) string { return design.Name })
		return nil, fmt.Errorf("expected a run of %s, found one of %s", design, joined(names))
	}
	a := &Author{File: seen.Document, Title: design, Run: run.ID, Engine: engineOf(run)}
	if seen.Model != nil && seen.Model.Title != "" {
		a.Title = seen.Model.Title
	}
	for result := range lists.Each(seen.Results) {
		if result.Finding != nil && result.Verdict.Found() {
			a.Findings = append(a.Findings, authorFinding(run, result, design))
		}
	}
	if len(a.Findings) == 0 {
		return nil, fmt.Errorf("expected a run that looked at the findings of %s, found none in it; dynaproof verify looks at them, an audit does not", seen.Document)
	}
	slices.SortStableFunc(a.Findings, func(x, y AuthorFinding) int {
		return cmp.Or(cmp.Compare(slices.Index(severities, x.Severity), slices.Index(severities, y.Severity)), cmp.Compare(x.First, y.First))
	})
	for i, text := range lines {
		a.Lines = append(a.Lines, AuthorLine{Number: i + 1, Text: text})
	}
	for i := range a.Findings {
		a.place(&a.Findings[i])
	}
	return a, nil
}

func (a *Author) place(finding *AuthorFinding) {
	_, places := cited(":" + finding.Cite)
	for n, place := range places {
		if place.first > len(a.Lines) {
			continue
		}
		line := &a.Lines[place.first-1]
		switch {
		case n == 0:
			line.Findings = append(line.Findings, finding)
		case !slices.Contains(line.Findings, finding) && !slices.Contains(line.About, finding):
			line.About = append(line.About, finding)
		}
	}
}

func authorFinding(run *evidence.Run, result *evidence.Result, design string) AuthorFinding {
	f := AuthorFinding{Finding: result.Finding, ID: strings.TrimPrefix(result.ID, design+"/finding/"), Title: result.Title}
	_, f.Cite, _ = strings.Cut(result.Cite, ":")
	if _, places := cited(result.Cite); len(places) > 0 {
		f.First = places[0].first
	}
	for _, trial := range result.Trials {
		if trial.Form != "literal" {
			continue
		}
		for _, exchange := range trial.Exchanges {
			shown := Demonstration{Exchange: exchange, Why: trial.Why}
			if entry := run.Request(exchange.Request); entry != nil {
				shown.Body = normalised(entry.Request, " ")
			}
			f.Shown = append(f.Shown, shown)
		}
	}
	return f
}

// Of returns the findings of a severity.
func (a *Author) Of(severity string) []AuthorFinding {
	return lists.Where(a.Findings, func(f AuthorFinding) bool { return f.Severity == severity })
}

// Words says how many findings there are: "12 findings: 3 high, 5 medium, 4 low".
func (a *Author) Words() string { return said("findings by severity", a) }

// HTML writes the paper as one page.
func (a *Author) HTML(w io.Writer) error { return authorPage.Write(w, a) }

// Markdown writes the paper for a repository or a ticket. The document's lines stand in blocks of code, the findings between them.
func (a *Author) Markdown(w io.Writer) error { return writeText(w, "author.md", a) }

// Blocks are the lines in blocks, each of which ends with a line that findings are about.
func (a *Author) Blocks() [][]AuthorLine {
	var blocks [][]AuthorLine
	open := false
	for _, line := range a.Lines {
		if !open {
			blocks = append(blocks, nil)
		}
		at := len(blocks) - 1
		blocks[at] = append(blocks[at], line)
		open = len(line.Findings)+len(line.About) == 0
	}
	return blocks
}

// WriteFiles writes the paper as HTML and as Markdown to a folder, and returns their paths.
func (a *Author) WriteFiles(folder, design string) ([]string, error) {
	var paths []string
	for _, file := range []struct {
		ending string
		write  func(io.Writer) error
	}{{".html", a.HTML}, {".md", a.Markdown}} {
		path := filepath.Join(folder, "author-"+design+file.ending)
		if err := wholefile.Render(path, wholefile.Report, file.write); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
