package mutants

import (
	"context"
	"slices"
	"time"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/lab"
	"dynaproof/conformance/lab/mutants/elements"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Options say which mutants are tried.
type Options struct {
	lab.Mutation
	// Weaken changes every contract and its fixtures before anything is
	// generated, to test that a weaker suite lets mutants survive.
	Weaken func(*ap.Design, *fixtures.Set)
}

// chunk is how many mutants share an engine. Each leaves it as it was.
const chunk = 150

// A mutated index read shows at once what it will ever show: the engine's
// indexes are not late. The bound is for the suite's second look.
var impatient = session.Bounds{IndexRead: 20 * time.Millisecond, Poll: 5 * time.Millisecond}

// Run tries mutants and returns what became of each. The error is about the run
// as a whole: a choice that leaves nothing to try, or an engine that cannot be
// had. Everything else stands in the result.
func Run(ctx context.Context, options Options) (*evidence.Mutants, error) {
	chosen, err := designs.Chosen(options.Designs)
	if err != nil {
		return nil, replay.ConfigError{Err: err}
	}
	digest, err := evidence.ExecutableDigest()
	if err != nil {
		return nil, err
	}
	r := &runner{weaken: options.Weaken}
	result, ids := &evidence.Mutants{Executable: digest, Unexpected: map[string]int{}}, map[string][]string{}
	var subjects []*subject
	for _, design := range chosen {
		s := &subject{name: design.Name}
		if s.set, err = fixtures.Load(s.name, time.Now().UTC()); err != nil {
			return nil, err
		}
		if ids[s.name], err = r.generate(s, result); err != nil {
			return nil, err
		}
		subjects = append(subjects, s)
	}
	if r.Trial, err = options.Start(chosen, ids, func(design string) ([]lab.Reason, error) {
		return lab.Equivalents(design, func(id string) bool { return !elements.OfElement(id) })
	}, result); err != nil {
		return nil, err
	}
	jobs := slices.Concat(lists.Map(subjects, r.jobs)...)
	if err := r.SideBySide(ctx, jobs); err != nil && ctx.Err() == nil {
		return nil, err
	}
	return r.End(ctx), nil
}

// subject is one design under mutation.
type subject struct {
	name    string
	set     *fixtures.Set
	mutants []Mutant
}

type runner struct {
	*lab.Trial
	weaken func(*ap.Design, *fixtures.Set)
}

// load returns a contract and fixtures of its own for each mutant.
func (r *runner) load(s *subject) (*ap.Design, *fixtures.Set, error) {
	design, err := designs.Find(s.name)
	if err != nil {
		return nil, nil, err
	}
	set := s.set.Clone()
	if r.weaken != nil {
		r.weaken(design, set)
	}
	return design, set, nil
}

// generate makes the mutants of a design, and notes which claims none of them is expected to fail.
func (r *runner) generate(s *subject, result *evidence.Mutants) (ids []string, err error) {
	design, set, err := r.load(s)
	if err != nil {
		return nil, err
	}
	if s.mutants, err = generate(design, set); err != nil {
		return nil, err
	}
	for _, excused := range set.Excuses(design) {
		result.Excused = append(result.Excused, evidence.ExcusedRule{Design: s.name, Rule: excused.Rule, Why: excused.Why})
	}
	expected := map[string]bool{}
	for _, m := range s.mutants {
		ids = append(ids, m.ID)
		for _, id := range m.Expect {
			expected[id] = true
		}
	}
	for _, claim := range manifest.Claims(design) {
		result.Claims++
		if !expected[claim.ID] {
			result.Unexpected[string(claim.Kind)]++
		}
	}
	return ids, nil
}

// jobs are the pieces of the run on one design that do not disturb each other.
func (r *runner) jobs(s *subject) (jobs []func(context.Context) error) {
	const guards, policies = "guards", "policies" // whose claims are checked with nothing broken for all of them at once
	together := map[string][]Mutant{}
	for _, m := range s.mutants {
		on := string(m.Kind)
		switch {
		case !r.Tries(m.ID):
			continue
		case m.policy != nil:
			on = policies
		case m.lenient != "":
			on = guards
		}
		together[on] = append(together[on], m)
	}
	for _, on := range []string{string(Items), string(Patterns), string(Guardrails), guards, policies, string(Deployments), string(Behind)} {
		size := chunk
		if on == guards || on == policies {
			size = max(len(together[on]), 1)
		}
		for some := range slices.Chunk(together[on], size) {
			jobs = append(jobs, func(ctx context.Context) error { return r.try(ctx, s, some) })
		}
	}
	return jobs
}
