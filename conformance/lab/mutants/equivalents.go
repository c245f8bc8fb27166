package mutants

import (
	"fmt"
	"slices"

	"dynaproof/conformance/evidence"
	"dynaproof/fixtures"
)

// equivalents are the reasons why nothing can notice a mutant, by its id.
type equivalents map[string]string

// read takes the reviewed list of a design, and reports the entries that name no
// generated mutant.
func read(design string, listed []fixtures.Equivalent, generated []Mutant) (equivalents, []string) {
	known := equivalents{}
	var problems []string
	for _, entry := range listed {
		for _, id := range entry.Mutants {
			switch {
			case !slices.ContainsFunc(generated, func(m Mutant) bool { return m.ID == id }):
				problems = append(problems, fmt.Sprintf("equivalents of %s: %s names no mutant; remove the entry", design, id))
			case known[id] != "":
				problems = append(problems, fmt.Sprintf("equivalents of %s: %s stands twice; keep one entry", design, id))
			}
			known[id] = entry.Why
		}
	}
	return known, problems
}

// judge turns a survivor that is listed into an equivalent, and reports an entry
// whose mutant is noticed after all.
func (e equivalents) judge(m *evidence.Mutant) (problem string) {
	why, listed := e[m.ID]
	switch {
	case !listed:
	case m.Fate == evidence.Survived:
		m.Fate, m.Reason = evidence.Equivalent, why
	case m.Fate == evidence.Killed:
		return fmt.Sprintf("equivalents of %s: %s is noticed by %s; remove the entry", m.Design, m.ID, m.Killer)
	}
	return ""
}
