package lab

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/fixtures"
)

// Mutation says which mutants are tried.
type Mutation struct {
	Options
	// Only is the id of the one mutant to try; empty means all. Filter keeps those whose id it matches; nil keeps all.
	Only   string
	Filter *regexp.Regexp
	// Sample is how many of the remaining mutants are tried, chosen by Seed; 0 means all.
	Sample int
	Seed   uint64
	// Reasons returns the reviewed list of a design, in tests; nil means the committed one.
	Reasons func(design string) ([]Reason, error)
}

// Chosen reports whether a mutant is one to list or to try.
func (o *Mutation) Chosen(id string) bool {
	return (o.Only == "" || id == o.Only) && (o.Filter == nil || o.Filter.MatchString(id))
}

// Reason says why nothing can notice some mutants.
type Reason struct {
	Why string `yaml:"why"`
	// Check is the name of what decides whether the reason is true of a survivor, of any design. Without one each mutant that is meant must survive, or be no
	// contract at all.
	Check string `yaml:"check"`
	// Mutants are ids without the design's name, in which a * stands for any text.
	Mutants []string `yaml:"mutants"`
}

// Equivalents are the reasons among a design's fixtures why nothing can notice some mutants, those whose ids are of the kind.
func Equivalents(design string, is func(id string) bool) (reasons []Reason, err error) {
	listed, err := fixtures.Equivalents(design)
	for _, entry := range listed {
		if ids := lists.Where(entry.Mutants, is); len(ids) > 0 {
			reasons = append(reasons, Reason{Why: entry.Why, Mutants: lists.Map(ids, func(id string) string { return strings.TrimPrefix(id, design+"/") })})
		}
	}
	return reasons, err
}

// Meaning is the expression of the ids that an entry of a design's list means.
func Meaning(design, form string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(design+"/"+form), `\*`, ".*") + "$")
}

// ErrNone is in the error of a choice that leaves no mutant to try.
var ErrNone = errors.New("no mutant")

// NoContract is the killer of a mutant that cannot be loaded: no entry of a reviewed list is stale for it.
const NoContract = "load"

// Trial is a run over mutants: which are tried, and what became of them.
type Trial struct {
	*Mutation
	// Result is whole behind End.
	Result *evidence.Mutants

	names   []string
	reasons map[string][]Reason
	tried   map[string]bool
	mu      sync.Mutex
}

// Start reads the reviewed lists of the designs, and chooses of the mutants with these ids, by design, those to try. What the result says
// already stays.
func (o *Mutation) Start(chosen []*accesspatterns.Design, ids map[string][]string, committed func(design string) ([]Reason, error), result *evidence.Mutants) (*Trial, error) {
	result.Version, result.Command, result.Started, result.Seed, result.Sample = evidence.MutantsVersion, o.Command, time.Now().UTC(), o.Seed, o.Sample
	t := &Trial{Mutation: o, Result: result, reasons: map[string][]Reason{}, tried: map[string]bool{}}
	if o.Reasons != nil {
		committed = o.Reasons
	}
	var all []string
	for _, design := range chosen {
		var err error
		name := design.Name
		t.names = append(t.names, name)
		if t.reasons[name], err = committed(name); err != nil {
			return nil, fmt.Errorf("reasons of %s: %w", name, err)
		}
		t.Result.Generated += len(ids[name])
		all = append(all, lists.Where(ids[name], o.Chosen)...)
		for _, reason := range t.reasons[name] {
			if reason.Why == "" || len(reason.Mutants) == 0 {
				t.Problem("reasons of %s: expected every entry to say why and to name mutants", name)
			}
			for _, form := range reason.Mutants {
				if reason.Check == "" && !slices.ContainsFunc(ids[name], Meaning(name, form).MatchString) {
					t.Problem("reasons of %s: %s/%s names no mutant; remove the entry", name, name, form)
				}
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w of %d has that id or passes the filter; --list prints the ids", ErrNone, t.Result.Generated)
	}
	order := rand.New(rand.NewPCG(o.Seed, 0)).Perm(len(all))
	if o.Sample > 0 {
		order = order[:min(o.Sample, len(order))]
	}
	for _, at := range order {
		t.tried[all[at]] = true
	}
	return t, nil
}

// Tries reports whether a mutant is tried.
func (t *Trial) Tries(id string) bool { return t.tried[id] }

// Excuse makes a survivor an equivalent for which a reason stands whose check holds.
func (t *Trial) Excuse(m *evidence.Mutant, holds func(check string) bool) {
	for _, reason := range t.reasons[m.Design] {
		means := slices.ContainsFunc(reason.Mutants, func(form string) bool { return Meaning(m.Design, form).MatchString(m.ID) })
		if m.Fate == evidence.Survived && means && (reason.Check == "" || holds(reason.Check)) {
			m.Fate, m.Reason = evidence.Equivalent, reason.Why
		}
	}
}

// Add records what became of a mutant.
func (t *Trial) Add(m evidence.Mutant) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Result.Mutants = append(t.Result.Mutants, m)
	t.Note("%d/%d  %s", len(t.Result.Mutants), len(t.tried), m.ID)
}

// AnsweredBy records the engine that answers.
func (t *Trial) AnsweredBy(engine string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Result.Engine = engine
}

// Problem records what makes the run worthless although no mutant survived.
func (t *Trial) Problem(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Result.Problems = append(t.Result.Problems, fmt.Sprintf(format, args...))
}

// End completes the result. Entries of the reviewed lists are stale that mean a mutant which is noticed, or, where all were tried, no survivor.
func (t *Trial) End(ctx context.Context) *evidence.Mutants {
	t.Result.Interrupted, t.Result.Finished = ctx.Err() != nil, time.Now().UTC()
	whole := !t.Result.Interrupted && len(t.Result.Mutants) == t.Result.Generated
	for _, name := range t.names {
		for _, reason := range t.reasons[name] {
			for _, form := range reason.Mutants {
				if reason.Check == "" {
					t.stale(name, reason, form, whole)
				}
			}
		}
	}
	t.Result.Sort(t.names)
	t.Result.Problems = lists.Sorted(t.Result.Problems)
	return t.Result
}

func (t *Trial) stale(design string, reason Reason, form string, whole bool) {
	means, meant, open := Meaning(design, form), false, !whole
	for m := range lists.Each(t.Result.Mutants) {
		if !means.MatchString(m.ID) {
			continue
		}
		switch meant = true; {
		case m.Fate == evidence.Killed && m.Killer != NoContract:
			t.Problem("reasons of %s: %s is noticed by %s; take it out of the entry %q", design, m.ID, m.Killer, form)
			open = true
		default:
			open = open || m.Fate != evidence.Killed && (m.Fate != evidence.Equivalent || m.Reason == reason.Why)
		}
	}
	if meant && !open {
		t.Problem("reasons of %s: no survivor has its reason from %q; take the entry out", design, form)
	}
}
