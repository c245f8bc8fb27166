package elements

import (
	"context"
	"embed"
	"io/fs"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/lab"
)

//go:embed reasons
var reasons embed.FS

//go:embed checked.yaml
var checked []byte

// listed is the file of a shipped design's reasons.
func listed(design string) string { return "reasons/" + design + ".yaml" }

// Reasons returns the reviewed list of a design, which of one that somebody brings are the equivalents among its fixtures, and the reasons that checks decide for any.
func Reasons(design string) (all []lab.Reason, err error) {
	if text, err := reasons.ReadFile(listed(design)); err == nil {
		if err := yaml.Unmarshal(text, &all); err != nil {
			return nil, err
		}
	} else if all, err = lab.Equivalents(design, OfElement); err != nil {
		return nil, err
	}
	var decided []lab.Reason
	if err := yaml.Unmarshal(checked, &decided); err != nil {
		return nil, err
	}
	return append(all, decided...), nil
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
		ids[design.Name] = lists.Map(all[design.Name], func(m Mutant) string { return m.ID })
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
						if _, err := fs.Stat(reasons, listed(design.Name)); err == nil {
							record.Listed = "conformance/lab/mutants/elements/" + listed(design.Name)
						}
						if _, item := s.lets(m); item != "" {
							record.Needs = "a row of requests or an item " + item
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

// OfElement reports whether the id of a mutant is of one that breaks an element of the contract.
func OfElement(id string) bool {
	_, behind, _ := strings.Cut(id, "/")
	list, _, _ := strings.Cut(behind, "/")
	return kinds[list] != ""
}

// try breaks the contract, asks one witness after the other, and mends it.
func (s *subject) try(m *Mutant) evidence.Mutant {
	began := time.Now()
	record := evidence.Mutant{ID: m.ID, Design: s.design.Name, Kind: kinds[m.list], Operator: m.Operator, What: m.ID, Fate: evidence.Survived}
	for by := range lists.Each(witnesses) {
		basis := strings.HasPrefix(m.Operator, "basis: ") // how an element rests on its lines, the document alone tells, and of what is not stated it is not asked
		if basis && by.name != lab.NoContract && (by.name != "document" || m.Operator != "basis: stated") || !by.asks(m) {
			continue
		}
		record.Expected = append(record.Expected, by.name)
		before := lists.Once(s.said, by.name+" "+by.about(s, m), func() []string { return by.says(s, m) })
		mend := m.apply(s.design)
		problems := by.says(s, m)
		mend()
		record.Examined++
		more := func(than []string) func(string) bool {
			return func(problem string) bool { return !slices.Contains(than, problem) }
		}
		if at := slices.IndexFunc(problems, more(before)); at >= 0 {
			record.Message = problems[at]
		} else if at := slices.IndexFunc(before, more(problems)); at >= 0 {
			record.Message = "no longer: " + before[at]
		} else {
			continue
		}
		record.Fate, record.Killer, record.Failed = evidence.Killed, by.name, []string{by.name}
		break
	}
	record.Microseconds = time.Since(began).Microseconds()
	return record
}
