package report

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/page"
	"dynaproof/conformance/internal/wholefile"
)

//go:embed html/page.html.tmpl html/audits.html.tmpl html/author.html.tmpl html/requests.html.tmpl html/claim.html.tmpl html/compare.html.tmpl html/script.js
var htmlAssets embed.FS

// mostBytes is the size at which the report shows of claims that passed one case with its request: all of them are in a second file
// beside it, [RequestsFile].
const mostBytes = 2_950_000

// HTML writes the report as one file that needs nothing else: no network, no
// script from elsewhere. Every figure comes from the evidence; the same evidence
// and documents give the same bytes. Names of others and secrets are replaced.
//
// The report's addresses are fragments, so that a link can be sent:
// #/overview, #/design/NAME, #/claim/ID, #/document/FILE/L12, and #/claims with
// the filters design, kind, verdict, grade, severity and q, like
// #/claims?design=roll-model&verdict=fail.
func HTML(w io.Writer, run *evidence.Run, options HTMLOptions) error {
	return indexPage(w, shown(run), options, mostBytes)
}

// indexPage writes the report, which leaves cases out where it would have more than so many bytes.
func indexPage(w io.Writer, clean *evidence.Run, options HTMLOptions, most int) error {
	whole := shortText{most: most}
	err := reportPage.Write(&whole, newPage(clean, options, false))
	if errors.Is(err, errTooLong) {
		whole = shortText{most: math.MaxInt}
		err = reportPage.Write(&whole, newPage(clean, options, true))
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = w.Write(whole.Bytes())
	return err
}

var errTooLong = errors.New("the text is longer than asked for")

// shortText takes a text of less than so many bytes, and fails where it is longer.
type shortText struct {
	bytes.Buffer
	most int
}

func (s *shortText) Write(text []byte) (int, error) {
	if s.Len()+len(text) >= s.most {
		return 0, errTooLong
	}
	return s.Buffer.Write(text)
}

// allRequestsPage writes every case, trial and request of every claim as one page, which the report links to.
func allRequestsPage(w io.Writer, clean *evidence.Run) error {
	view := newPage(clean, HTMLOptions{}, false)
	view.Claims = slices.DeleteFunc(view.Claims, func(c claimView) bool { return c.Pattern == nil && len(c.Trials) == 0 && len(c.Extra) == 0 })
	if err := requestsPage.Write(w, view); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// WriteHTML writes the report to a file, and all requests of a run to [RequestsFile] beside it. Each appears whole or not at all.
func WriteHTML(path string, run *evidence.Run, options HTMLOptions) error {
	clean := shown(run)
	write := func(path string, page func(io.Writer) error) func() error {
		return func() error { return wholefile.Render(path, run.Mode(), page) }
	}
	most := math.MaxInt // nothing is left out of a page with no other beside it
	var pages []func() error
	if filepath.Base(path) == PageFile {
		most = mostBytes
		pages = append(pages, write(filepath.Join(filepath.Dir(path), RequestsFile), func(w io.Writer) error { return allRequestsPage(w, clean) }))
	}
	pages = append(pages, write(path, func(w io.Writer) error { return indexPage(w, clean, options, most) }))
	return atOnce(pages...)
}

// DocumentsIn reads the documents of a run's designs from a folder, and accounts
// for the lines that no claim rests on. A document that cannot be read is left
// out: the report then says so.
func DocumentsIn(folder string, run *evidence.Run) HTMLOptions {
	options := HTMLOptions{Documents: map[string][]string{}, Lines: map[string][]coverage.LineAccount{}}
	for of := range lists.Each(run.Designs) {
		file := of.Document
		if file == "" || filepath.Base(file) != file {
			continue
		}
		text, err := fs.ReadFile(input.Design(folder), file)
		if err != nil {
			continue
		}
		if digestOf(text) != of.SHA256 {
			options.Documents[file] = nil // whatever it is, it is not what the run speaks of
			continue
		}
		options.Documents[file] = strings.Split(string(text), "\n")
		design, err := designs.Find(of.Name)
		if err != nil {
			continue // of a design that this release does not know, as in stored evidence, nobody accounts for the lines
		}
		if covered, _, err := Accounted(folder, design); err == nil {
			options.Lines[file] = covered.Lines
		}
	}
	return options
}

// Accounted reads a design's document from a folder, and accounts for its lines.
func Accounted(folder string, design *accesspatterns.Design) (*coverage.Coverage, *coverage.Source, error) {
	source, err := coverage.Read(folder, design.Document)
	if err != nil {
		return nil, nil, err
	}
	pinned, err := designs.Lines(design.Document)
	if err != nil {
		return nil, nil, err
	}
	return coverage.Of(design, source, pinned), source, nil
}

var (
	reportPage   = page.New(htmlAsset("page.html.tmpl")+htmlAsset("claim.html.tmpl"), htmlAsset("script.js"), functions)
	requestsPage = page.New(htmlAsset("requests.html.tmpl")+htmlAsset("claim.html.tmpl"), "", functions)
	authorPage   = page.New(htmlAsset("author.html.tmpl"), "", functions)
	auditsPage   = page.New(htmlAsset("audits.html.tmpl"), "", functions)
	comparePage  = page.New(htmlAsset("compare.html.tmpl"), "", functions)
)

func htmlAsset(name string) string {
	return string(must.Have(htmlAssets.ReadFile("html/" + name))) // the file is embedded
}
