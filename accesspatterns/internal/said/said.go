// Package said writes texts by templates: whole, or as the lines that one of them begins.
package said

import (
	"strings"
	"sync"
	"text/template"
)

// Line begins a line of a text, which may hold line breaks of its own.
const Line = "\x1e"

// Texts are templates by their names.
type Texts struct{ parsed func() *template.Template }

// New returns the templates of a text that is embedded, parsed with the first that is asked for. They have the functions that are given, and
// line, which begins a line, and join, which joins a list by commas.
func New(text string, functions template.FuncMap) Texts {
	return Texts{sync.OnceValue(func() *template.Template {
		return template.Must(template.New("said").Funcs(functions).Funcs(template.FuncMap{
			"line": func() string { return Line },
			"join": func(all []string) string { return strings.Join(all, ", ") },
		}).Parse(text))
	})}
}

// Whole is the text of a template.
func (t Texts) Whole(name string, of any) string {
	var text strings.Builder
	if err := t.parsed().ExecuteTemplate(&text, name, of); err != nil {
		panic(err) // the template is embedded
	}
	return text.String()
}

// Lines are those of a template, without the white space around each; none where there is no such template.
func (t Texts) Lines(name string, of any) []string {
	if t.parsed().Lookup(name) == nil {
		return nil
	}
	lines := strings.Split(t.Whole(name, of), Line)[1:]
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return lines
}
