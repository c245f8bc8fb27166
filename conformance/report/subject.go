package report

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

type about struct {
	Name    manifest.Subject
	results []evidence.Result
}

// Kinds lists the kinds of claims about the subject, separated by spaces; examples stand behind what they are examples of.
func (a about) Kinds() string {
	var words, examples []string
	for _, kind := range manifest.Kinds() {
		switch {
		case kind.About() != a.Name:
		case kind == manifest.KindExample:
			examples = append(examples, string(kind))
		default:
			words = append(words, string(kind))
		}
	}
	return strings.Join(append(words, examples...), " ")
}

func subjects() (all []about) {
	return lists.Map(manifest.Subjects(), func(each manifest.Subject) about { return about{Name: each} })
}

// bySubject groups results by what they are about. Subjects without results are left
// out.
func bySubject(results []evidence.Result) []about {
	groups := subjects()
	for group := range lists.Each(groups) {
		group.results = lists.Where(results, func(r evidence.Result) bool { return manifest.Kind(r.Kind).About() == group.Name })
	}
	return slices.DeleteFunc(groups, func(group about) bool { return len(group.results) == 0 })
}

// Figures says how many results of the group have each verdict: "551 claims: 540 pass, 4
// waived, 7 unsupported".
func (a about) Figures() string {
	return Plural(len(a.results), "claim") + ": " + Figures(evidence.Count(a.results), evidence.Verdicts())
}
