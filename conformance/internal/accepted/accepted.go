// Package accepted reads the status of open points: what somebody has accepted of what a run leaves open, and until when. It is kept by
// the people who own the tables, and decides no verdict.
package accepted

import (
	"regexp"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/strict"
)

var (
	idForm   = regexp.MustCompile(`^[A-Za-z0-9_-]+/.+$`)
	dateForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
	anyForm  = regexp.MustCompile(`.`)
)

// Read reads a status file. Each mistake is named with the file and its line; claims are the ids that it may name.
func Read(path string, claims []string) ([]evidence.Acceptance, error) {
	var all []evidence.Acceptance
	first := map[string]int{}
	err := strict.List(path, "accepted", func(r *strict.Reader, node *yaml.Node) {
		var a evidence.Acceptance
		if !r.Texts(node, " of an acceptance", map[string]strict.Text{
			"claim": {Into: &a.Claim, Form: idForm, Want: "the id of a claim, such as roll-model/finding/keyword-prefix"},
			"by":    {Into: &a.By, Form: anyForm, Want: "who accepts it"}, "note": {Into: &a.Note, Form: anyForm, Want: "a text"},
			"since": {Into: &a.Since, Form: dateForm, Want: "a day such as 2026-12-31"}, "until": {Into: &a.Until, Form: dateForm, Want: "a day such as 2026-12-31"},
		}, nil) {
			return
		}
		since, sinceErr := time.Parse(time.DateOnly, a.Since)
		until, untilErr := time.Parse(time.DateOnly, a.Until)
		switch {
		case a.Claim == "", a.By == "", a.Until == "":
			r.Report(node, "expected claim, by and until, found one of them missing; what is accepted for ever is not looked at again")
		case !slices.Contains(claims, a.Claim):
			r.Report(node, "claim: expected the id of a claim, found %s, which no contract has", a.Claim)
		case untilErr != nil, a.Since != "" && sinceErr != nil:
			r.Report(node, "expected days of the calendar, found since %q, until %q", a.Since, a.Until)
		case a.Since != "" && until.Before(since):
			r.Report(node, "until: expected a day from %s on, found %s", a.Since, a.Until)
		case first[a.Claim] > 0:
			r.Report(node, "claim %s stands twice, first in line %d; keep one", a.Claim, first[a.Claim])
		}
		first[a.Claim] = node.Line
		all = append(all, a)
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}
