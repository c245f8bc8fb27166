package explore

import (
	_ "embed"
	"slices"
	"strings"
	"text/template"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/internal/said"
)

// Begins begins the evidence of an exploration.
const Begins = "explored in memory: "

// String says how far the exploration of the law went, and what it found.
func (l *Law) String() string { return texts.Whole("law", l) }

// Untold says what an exploration lacks; empty where it lacks nothing.
func (l *Law) Untold() string { return texts.Whole("untold", l) }

// Evidence says in lines how far the exploration went, what was left out, and the shortest requests that do not keep the claim.
func (l *Law) Evidence() []string { return texts.Lines("evidence", l) }

// String is the counterexample as the list of its requests, one on each line.
func (c Counterexample) String() string { return texts.Whole("counterexample", c) }

// problems says where what was found is not what the contract says.
func (l *Law) problems(says *ap.Law) (problems []string) {
	for _, problem := range texts.Lines("problems", struct {
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

// texts are what is said of an exploration.
var texts = said.New(saidText, template.FuncMap{
	"begins":   func() string { return Begins },
	"confined": func(claim string) bool { return strings.HasPrefix(claim, confined) },
	"next":     func(i int) int { return i + 1 },
	"patterns": patternsIn,
	"validity": func() string { return Validity },
	"without": func(all, known []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(known, one) })
	},
})
