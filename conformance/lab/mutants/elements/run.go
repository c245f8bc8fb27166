package elements

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/lab"
)

//go:embed reasons
var reasons embed.FS

// Reasons returns the reviewed list of a design; one that somebody brings has none.
func Reasons(design string) (all []lab.Reason, err error) {
	text, err := reasons.ReadFile("reasons/" + design + ".yaml")
	if err != nil {
		return nil, nil //nolint:nilerr // there is none
	}
	if err := yaml.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	for _, reason := range all {
		if checks[reason.Check] == nil && reason.Check != "" {
			return nil, fmt.Errorf("no check %q; there are %s", reason.Check, strings.Join(slices.Sorted(maps.Keys(checks)), ", "))
		}
	}
	return all, nil
}

// share is how many mutants a worker takes at a time: neighbours are often of one pattern.
const share = 200

// Run tries mutants and returns what became of each.
func Run(ctx context.Context, o lab.Mutation) (*evidence.Mutants, error) {
	chosen, err := designs.Chosen(o.Designs)
	if err != nil {
		return nil, err
	}
	all, ids := map[string][]Mutant{}, map[string][]string{}
	for _, design := range chosen {
		all[design.Name] = Generate(design)
		for i := range all[design.Name] {
			ids[design.Name] = append(ids[design.Name], all[design.Name][i].ID)
		}
	}
	trial, err := o.Start(chosen, ids, Reasons, &evidence.Mutants{})
	if err != nil {
		return nil, err
	}
	var jobs []func(context.Context) error
	for _, design := range chosen {
		tried := slices.DeleteFunc(all[design.Name], func(m Mutant) bool { return !trial.Tries(m.ID) })
		for some := range slices.Chunk(tried, share) {
			jobs = append(jobs, func(ctx context.Context) error {
				s, err := newSubject(design.Name, o.Documents)
				if err != nil {
					return err
				}
				for i := range some {
					if ctx.Err() != nil {
						break
					}
					m := &some[i]
					record := s.try(m)
					trial.Excuse(&record, func(check string) bool { return checks[check](s, m) })
					if record.Fate == evidence.Survived {
						record.Listed = "conformance/lab/mutants/elements/reasons/" + design.Name + ".yaml"
						if _, item := s.lets(m); item != "" {
							record.Needs = "a row of requests or an item with " + item
						}
					}
					trial.Add(record)
				}
				return nil
			})
		}
	}
	if err := trial.SideBySide(ctx, jobs); err != nil {
		return nil, err
	}
	return trial.End(ctx), nil
}

// kinds name what stands in the lists of a contract, as reports show it.
var kinds = map[string]string{"entities": "entity", "patterns": "access pattern", "policies": "role", "validity": "promise"}

// try breaks the contract, asks one witness after the other, and mends it.
func (s *subject) try(m *Mutant) evidence.Mutant {
	began := time.Now()
	list, _, _ := parts(m)
	record := evidence.Mutant{ID: m.ID, Design: s.design.Name, Kind: kinds[list], Operator: m.Operator, What: m.ID, Fate: evidence.Survived}
	for _, by := range Witnesses() {
		if !asks(by, list, m) {
			continue
		}
		record.Expected = append(record.Expected, string(by))
		before := s.before(by, m)
		mend := m.apply(s.design)
		problems := s.says(by, m)
		mend()
		record.Examined++
		if at := slices.IndexFunc(problems, func(p string) bool { return !slices.Contains(before, p) }); at >= 0 {
			record.Fate, record.Killer, record.Failed, record.Message = evidence.Killed, string(by), []string{string(by)}, problems[at]
			break
		}
		if at := slices.IndexFunc(before, func(p string) bool { return !slices.Contains(problems, p) }); at >= 0 {
			record.Fate, record.Killer, record.Failed, record.Message = evidence.Killed, string(by), []string{string(by)}, "no longer: "+before[at]
			break
		}
	}
	record.Microseconds = time.Since(began).Microseconds()
	return record
}

// moves are the operators by which a pattern comes to write, or to reach, something else.
var moves = []string{"template: ", "With: ", "Condition: ", "Any: ", "ForEach: ", "And: ", "Except: ", "Bind: ", "Rises: ", "Edits: ", "Set: ", "Write: ", "Steps: ", "StopWhenEmpty: ", "Roles: ", "Filter: ", "Sort: ", "Times: "}

// asks reports whether a mutant can move what a witness says. How an element rests on its lines, the document alone tells.
func asks(by Witness, list string, m *Mutant) bool {
	if strings.HasPrefix(m.Operator, "basis: ") {
		return by == Load || by == Document && m.Operator == "basis: stated" // of what is not stated, no line is asked
	}
	switch by {
	case Items:
		return list == "entities" || strings.HasPrefix(m.Operator, "Views: ")
	case Cases:
		return list == "patterns"
	case Explored:
		return list != "patterns" || slices.ContainsFunc(moves, func(part string) bool { return strings.HasPrefix(m.Operator, part) })
	}
	return true
}

// before is what a witness says of the contract as it is, where a mutant can move it.
func (s *subject) before(by Witness, m *Mutant) []string {
	about := ""
	if list, _, _ := parts(m); by == Cases || alone(by, m) || by == Explored && list == "patterns" {
		about = m.About
	} else if by == Explored {
		about = strings.Join(append(s.about(m), s.claims(m)...), " ")
	}
	key := string(by) + " " + about
	if _, known := s.says0[key]; !known {
		s.says0[key] = s.says(by, m)
	}
	return s.says0[key]
}

// alone reports whether a witness looks at the mutant's pattern, or at those of the mutant's entity, as if the contract had no other: a
// request that is admitted otherwise then, is looked at again with all of them.
func alone(by Witness, m *Mutant) bool {
	list, _, _ := parts(m)
	return (by == Requests || by == Trials) && (list == "patterns" || list == "entities")
}

// reduced is the contract with some of its patterns.
func (s *subject) reduced(patterns ...string) *ap.Design {
	design := *s.design
	design.Patterns = slices.DeleteFunc(slices.Clone(design.Patterns), func(p ap.Pattern) bool { return !slices.Contains(patterns, p.ID) })
	return &design
}
