package explore

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"text/template"

	ap "dynaproof/accesspatterns"
)

// Begins begins the evidence of an exploration.
const Begins = "explored in memory: "

// String says how far the exploration of the law went, and what it found.
func (l *Law) String() string { return said("law", l) }

// Untold says what an exploration lacks; empty where it lacks nothing.
func (l *Law) Untold() string { return said("untold", l) }

// Evidence says in lines how far the exploration went, what was left out, and the shortest requests that do not keep the claim.
func (l *Law) Evidence() []string { return lines("evidence", l) }

// String is the counterexample as the list of its requests, one on each line.
func (c Counterexample) String() string { return said("counterexample", c) }

// problems says where what was found is not what the contract says.
func (l *Law) problems(says *ap.Law) (problems []string) {
	for _, problem := range lines("problems", struct {
		*Law
		Says *ap.Law
	}{l, says}) {
		problems = append(problems, l.Claim+": "+problem)
	}
	return problems
}

// Values counts the values of which requests and items were made.
func (l *Law) Values() (n int) {
	for _, of := range l.Universe {
		n += strings.Count(of, ", ") + 1
	}
	return n
}

//go:embed said.tmpl
var saidText string

// layout has the templates, parsed with the first text.
var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("said").Funcs(template.FuncMap{
		"begins":   func() string { return Begins },
		"confined": func(claim string) bool { return strings.HasPrefix(claim, confined) },
		"join":     func(all []string) string { return strings.Join(all, ", ") },
		"line":     func() string { return newLine },
		"next":     func(i int) int { return i + 1 },
		"patterns": patternsIn,
		"validity": func() string { return Validity },
		"without": func(all, known []string) []string {
			return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(known, one) })
		},
	}).Parse(saidText))
})

// newLine begins a line of [lines], which may hold line breaks.
const newLine = "\x1e"

// said is what a template says.
func said(name string, of any) string {
	var text strings.Builder
	if err := layout().ExecuteTemplate(&text, name, of); err != nil {
		panic(err) // the template is embedded
	}
	return text.String()
}

// lines are those that a template says, without the white space around them.
func lines(name string, of any) []string {
	all := strings.Split(said(name, of), newLine)[1:]
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}
