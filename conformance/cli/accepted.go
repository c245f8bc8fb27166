package cli

import (
	"errors"
	"slices"
	"time"

	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/strict"
	"dynaproof/conformance/evidence"
)

// acceptances reads the content of a status file: the status of open points, what somebody has accepted of what a run leaves open, and until
// when. It is kept by the people who own the tables, and decides no verdict. Each mistake is named with the file and its line; claims are
// the ids that it may name.
func acceptances(file string, content []byte, claims []string) ([]evidence.Acceptance, error) {
	var status struct {
		strict.At
		Accepted []struct {
			strict.At
			evidence.Acceptance
		} `yaml:"accepted" jsonschema:"required"`
	}
	if err := strict.YAML(file, content, &status); err != nil {
		return nil, err
	}
	var all []evidence.Acceptance
	var problems []error
	first := map[string]int{}
	for a := range lists.Each(status.Accepted) {
		since, sinceErr := time.Parse(time.DateOnly, a.Since)
		until, untilErr := time.Parse(time.DateOnly, a.Until)
		var err error
		switch {
		case a.Claim == "", a.By == "", a.Until == "":
			err = a.Errorf("", "expected claim, by and until, found one of them missing; what is accepted for ever is not looked at again")
		case !slices.Contains(claims, a.Claim):
			err = a.Errorf("claim", "claim: expected the id of a claim, found %s, which no contract has", a.Claim)
		case untilErr != nil:
			err = a.Errorf("until", "until: expected a day of the calendar such as 2026-12-31, found %s", a.Until)
		case a.Since != "" && sinceErr != nil:
			err = a.Errorf("since", "since: expected a day of the calendar such as 2026-12-31, found %s", a.Since)
		case a.Since != "" && until.Before(since):
			err = a.Errorf("until", "until: expected a day from %s on, found %s", a.Since, a.Until)
		case first[a.Claim] > 0:
			err = a.Errorf("", "claim %s stands twice, first in line %d; keep one", a.Claim, first[a.Claim])
		}
		first[a.Claim] = a.Line
		problems = append(problems, err)
		all = append(all, a.Acceptance)
	}
	if len(status.Accepted) == 0 {
		problems = append(problems, strict.Place{File: file, Line: max(status.Line, 1)}.Errorf("expected a list under accepted: with an entry for each, found none"))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return all, nil
}
