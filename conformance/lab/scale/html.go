package scale

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"dynaproof/conformance/internal/page"
)

//go:embed page.html.tmpl
var pageText string

// layout shows a report as one file that needs no script and no network, on screen
// and in print.
var layout = page.New(pageText, "", template.FuncMap{
	"big": grouped, "curves": curves, "paper": paper, "last": lastOf, "growing": growing, "bar": bar,
	"percent":  func(part float64) string { return fmt.Sprintf("%.1f%%", 100*part) },
	"mega":     func(bytes int) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) },
	"units":    func(units float64) string { return fmt.Sprintf("%g", units) },
	"pointed":  func(units *float64) string { return fmt.Sprintf("%g", *units) },
	"rounded":  func(number float64) string { return fmt.Sprintf("%.4g", number) },
	"money":    func(amount float64) string { return fmt.Sprintf("%.2f", amount) },
	"steepest": func(p Pattern) *Case { return p.steepest() },
	"count":    func(r *Report) string { return r.conclusion() + "." },
})

// WriteHTML writes the report as one page that loads nothing.
func (r *Report) WriteHTML(w io.Writer) error { return layout.Write(w, r) }

func lastOf(sizes []int) int { return sizes[len(sizes)-1] }

// growing returns the patterns that have limits.
func growing(design Design) []Pattern {
	var all []Pattern
	for _, pattern := range design.Patterns {
		if pattern.Limits != nil {
			all = append(all, pattern)
		}
	}
	return all
}
