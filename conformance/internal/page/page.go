// Package page is the one layout of all HTML that the project writes: a file that needs nothing else, with one style sheet and one
// content-security policy that lets a browser load nothing and run nothing but what stands in the file.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"sync"

	"dynaproof/conformance/internal/redact"
)

//go:embed layout.html.tmpl
var layout string

//go:embed style.css
var style string

// Page is a kind of pages: a report, a review.
type Page struct{ templates func() *template.Template }

// New makes pages of the layout and of parts, which define the templates "title", for the tab of a browser, and "main", for the content,
// and may define "top", for what stands beside the name at the head, "before", for a note above the content, and "foot". The text of the
// script, if there is one, is the only one that a browser will run. Parts are parsed with the first page, because most commands write none;
// those that cannot be parsed end the program: they are embedded.
func New(parts, script string, functions template.FuncMap) *Page {
	return &Page{sync.OnceValue(func() *template.Template {
		templates := template.New("layout").Funcs(functions).Funcs(template.FuncMap{
			"pagePolicy": func() string { return Policy(style, script) },
			"pageStyle":  func() template.CSS { return template.CSS(style) },
			"pageScript": func() template.JS { return template.JS(script) },
		})
		return template.Must(template.Must(templates.Parse(layout)).Parse(parts))
	})}
}

// Write writes a page, without characters that a browser would obey instead of showing them.
func (p *Page) Write(w io.Writer, data any) error {
	if err := p.templates().Execute(visible{w}, data); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

type visible struct{ to io.Writer }

// Write implements io.Writer for texts, of which none begins or ends within a character.
func (v visible) Write(text []byte) (int, error) {
	_, err := v.to.Write([]byte(redact.Visible(string(text))))
	return len(text), err
}

// Policy allows a page's own style and script, by digest, and nothing else: a browser that honours it sends no request at all.
func Policy(style, script string) string {
	policy := "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src " + digest(style)
	if script != "" {
		policy += "; script-src " + digest(script)
	}
	return policy
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
