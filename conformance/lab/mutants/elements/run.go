package elements

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"
	"golang.org/x/sync/errgroup"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
)

// Options say which mutants are tried.
type Options struct {
	// Designs are names; empty means all.
	Designs []string
	// Only is the id of the one mutant to try; empty means all. Filter keeps those whose id it matches; nil keeps all.
	Only   string
	Filter *regexp.Regexp
	// Documents is the folder of the design documents.
	Documents string
	// Command is what reproduces the run.
	Command string
	// Workers is how many mutants are tried at the same time; 0 means one for each processor.
	Workers int
	// Progress is told how far the run is, one line at a time.
	Progress func(string)
	// Reasons returns the reviewed list of a design; nil means the committed one.
	Reasons func(design string) ([]Reason, error)
}

// Reason says why no witness notices some mutants.
type Reason struct {
	Why string `yaml:"why"`
	// Check is what decides whether the reason is true of a survivor, by its name in checks. Without one each mutant that is meant must survive, or
	// be no contract at all.
	Check string `yaml:"check"`
	// Mutants are ids without the design's name, in which a * stands for any text.
	Mutants []string `yaml:"mutants"`
}

//go:embed reasons
var reasons embed.FS

// Reasons returns the reviewed list of a design; one that somebody brings has none.
func Reasons(design string) (all []Reason, err error) {
	text, err := reasons.ReadFile("reasons/" + design + ".yaml")
	if err != nil {
		return nil, nil //nolint:nilerr // there is none
	}
	return all, yaml.Unmarshal(text, &all)
}

// ErrNone is the error of a choice that leaves no mutant to try.
var ErrNone = errors.New("no mutant has that id or passes the filter; `dynaproof mutants --contract --list` prints the ids")

// share is how many mutants a worker takes at a time: neighbours are often of one pattern.
const share = 200

// Run tries mutants and returns what became of each.
func Run(ctx context.Context, o Options) (*evidence.Mutants, error) {
	result := &evidence.Mutants{Version: evidence.MutantsVersion, Command: o.Command, Started: time.Now().UTC()}
	chosen, err := designs.Chosen(o.Designs)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(cmp.Or(max(o.Workers, 0), runtime.GOMAXPROCS(0)))
	var names []string
	listed := map[string][]Reason{}
	total := 0
	jobs := []func() error{}
	for _, design := range chosen {
		names = append(names, design.Name)
		if listed[design.Name], err = o.reasons(design.Name); err != nil {
			return nil, fmt.Errorf("reasons of %s: %w", design.Name, err)
		}
		all := Generate(design)
		result.Generated += len(all)
		all = slices.DeleteFunc(all, func(m Mutant) bool {
			return o.Only != "" && m.ID != o.Only || o.Filter != nil && !o.Filter.MatchString(m.ID)
		})
		total += len(all)
		for some := range slices.Chunk(all, share) {
			jobs = append(jobs, func() error {
				s, err := newSubject(design.Name, o.Documents)
				if err != nil {
					return err
				}
				for i := range some {
					if within.Err() != nil {
						return nil // said by Interrupted
					}
					record := s.try(&some[i])
					if record.Fate == evidence.Survived {
						s.excuse(listed[design.Name], &some[i], &record)
					}
					mu.Lock()
					result.Mutants = append(result.Mutants, record)
					if n := len(result.Mutants); o.Progress != nil && n%20 == 0 {
						o.Progress(fmt.Sprintf("%d/%d  %s", n, total, record.ID))
					}
					mu.Unlock()
				}
				return nil
			})
		}
	}
	if total == 0 {
		return nil, ErrNone
	}
	for _, job := range jobs {
		group.Go(job)
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	result.Interrupted = ctx.Err() != nil
	for _, name := range names {
		whole := o.Only == "" && (o.Filter == nil || o.Filter.String() == "") && !result.Interrupted
		result.Problems = append(result.Problems, stale(name, listed[name], result.Mutants, whole)...)
	}
	result.Finished = time.Now().UTC()
	result.Sort(names)
	return result, nil
}

func (o *Options) reasons(design string) ([]Reason, error) {
	if o.Reasons != nil {
		return o.Reasons(design)
	}
	return Reasons(design)
}

// excuse makes a survivor that has a reason, and of which the reason's check holds, an equivalent.
func (s *subject) excuse(listed []Reason, m *Mutant, record *evidence.Mutant) {
	for _, reason := range listed {
		holds := checks[reason.Check]
		if reason.means(s.design.Name, m.ID) && (reason.Check == "" || holds != nil && holds(s, m)) {
			record.Fate, record.Reason = evidence.Equivalent, reason.Why
			return
		}
	}
	record.Listed = "conformance/lab/mutants/elements/reasons/" + s.design.Name + ".yaml"
	if _, item := s.lets(m); item != "" {
		record.Needs = "a row of requests or an item with " + item
	}
}

// stale returns the entries that are: of a mutant that is noticed, or, where all mutants were tried, of none.
func stale(design string, listed []Reason, all []evidence.Mutant, whole bool) (problems []string) {
	report := func(format string, args ...any) {
		problems = append(problems, "reasons of "+design+": "+fmt.Sprintf(format, args...))
	}
	for _, reason := range listed {
		if reason.Why == "" || len(reason.Mutants) == 0 {
			report("expected every entry to say why and to name mutants")
		}
		if checks[reason.Check] == nil && reason.Check != "" {
			report("no check %q; there are %s", reason.Check, strings.Join(slices.Sorted(maps.Keys(checks)), ", "))
		}
		for _, form := range reason.Mutants {
			means, some := meaning(design, form), false
			for i := range all {
				switch m := &all[i]; {
				case !means.MatchString(m.ID):
				case m.Fate == evidence.Killed && m.Killer != string(Load) && reason.Check == "": // what cannot be loaded is no contract
					report("%s is noticed by %s; take it out of the entry %q", m.ID, m.Killer, form)
					some = true
				default:
					some = some || m.Reason == reason.Why
				}
			}
			if !some && whole {
				report("no survivor has its reason from %q; take the entry out", form)
			}
		}
	}
	return problems
}

func (r *Reason) means(design, id string) bool {
	return slices.ContainsFunc(r.Mutants, func(form string) bool { return meaning(design, form).MatchString(id) })
}

// meaning is the expression of the ids that an entry means.
func meaning(design, form string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(design+"/"+form), `\*`, ".*") + "$")
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
