package mutants

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Options say which mutants are tried.
type Options struct {
	// Designs are names; empty means all.
	Designs []string
	// Only is the id of the one mutant to try; empty means all.
	Only string
	// Filter keeps the mutants whose id it matches; nil keeps all.
	Filter *regexp.Regexp
	// Sample is how many of the remaining mutants are tried, chosen by Seed; 0
	// means all.
	Sample int
	Seed   uint64
	// Documents is the folder of the design documents.
	Documents string
	// Command is what reproduces the run.
	Command string
	// Workers is how many mutants are tried at the same time, each on an engine of
	// its own; 0 means one for each processor.
	Workers int
	// Progress is told how far the run is, one line at a time.
	Progress func(string)
	// Weaken changes every contract and its fixtures before anything is
	// generated, to test that a weaker suite lets mutants survive.
	Weaken func(*accesspatterns.Design, *fixtures.Set)
	// Equivalents returns the reviewed list of a design; nil means
	// [fixtures.Equivalents].
	Equivalents func(design string) ([]fixtures.Equivalent, error)
}

func (o *Options) equivalents(design string) ([]fixtures.Equivalent, error) {
	if o.Equivalents != nil {
		return o.Equivalents(design)
	}
	return fixtures.Equivalents(design)
}

// ErrNone is in the error of a choice that leaves no mutant to try.
var ErrNone = errors.New("no mutant")

// chunk is how many mutants share an engine, where one leaves it as it was.
const chunk = 60

// A mutated index read shows at once what it will ever show: the engine's
// indexes are not late. The bound is for the suite's second look.
var impatient = session.Bounds{IndexRead: 20 * time.Millisecond, Poll: 5 * time.Millisecond}

// Run tries mutants and returns what became of each. The error is about the run
// as a whole: a choice that leaves nothing to try, or an engine that cannot be
// had. Everything else stands in the result.
func Run(ctx context.Context, options Options) (*evidence.Mutants, error) {
	r := &runner{options: options, result: &evidence.Mutants{
		Version: evidence.MutantsVersion, Command: options.Command, Started: time.Now().UTC(), Seed: options.Seed, Sample: options.Sample, Unexpected: map[string]int{},
	}}
	chosen, err := designs.Chosen(options.Designs)
	if err != nil {
		return nil, replay.ConfigError{Err: err}
	}
	digest, err := evidence.ExecutableDigest()
	if err != nil {
		return nil, err
	}
	r.result.Executable = "sha256:" + digest
	var names []string
	for _, design := range chosen {
		names = append(names, design.Name)
		if err := r.prepare(design.Name); err != nil {
			return nil, err
		}
	}
	if err := r.choose(); err != nil {
		return nil, err
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(workers(options.Workers))
	for _, job := range r.jobs() {
		group.Go(func() error {
			if within.Err() != nil {
				return nil // said by Interrupted, or by the first error
			}
			return job(within)
		})
	}
	if err := group.Wait(); err != nil && ctx.Err() == nil {
		return nil, err
	}
	r.result.Interrupted = ctx.Err() != nil
	r.result.Finished = time.Now().UTC()
	r.result.Sort(names)
	slices.Sort(r.result.Problems)
	r.result.Problems = slices.Compact(r.result.Problems)
	return r.result, nil
}

func workers(wanted int) int {
	if wanted > 0 {
		return wanted
	}
	return runtime.GOMAXPROCS(0)
}

// subject is one design under mutation.
type subject struct {
	name        string
	set         *fixtures.Set
	mutants     []Mutant
	equivalents equivalents
}

type runner struct {
	options  Options
	subjects []*subject
	total    int

	mu     sync.Mutex
	result *evidence.Mutants
}

// load returns a contract and fixtures of its own for each mutant.
func (r *runner) load(s *subject) (*accesspatterns.Design, *fixtures.Set, error) {
	design, err := designs.Find(s.name)
	if err != nil {
		return nil, nil, err
	}
	set := s.set.Clone()
	if r.options.Weaken != nil {
		r.options.Weaken(design, set)
	}
	return design, set, nil
}

// prepare generates the mutants of a design and reads its equivalents.
func (r *runner) prepare(name string) error {
	loaded, err := fixtures.Load(name, r.result.Started)
	if err != nil {
		return err
	}
	s := &subject{name: name, set: loaded}
	design, set, err := r.load(s)
	if err != nil {
		return err
	}
	if s.mutants, err = generate(design, set); err != nil {
		return err
	}
	listed, err := r.options.equivalents(name)
	if err != nil {
		return err
	}
	var stale []string
	s.equivalents, stale = read(name, listed, s.mutants)
	r.result.Problems = append(r.result.Problems, stale...)
	for _, excused := range set.Excuses(design) {
		r.result.Excused = append(r.result.Excused, evidence.ExcusedRule{Design: name, Rule: excused.Rule, Why: excused.Why})
	}
	r.result.Generated += len(s.mutants)
	expected := map[string]bool{}
	for _, m := range s.mutants {
		for _, id := range m.Expect {
			expected[id] = true
		}
	}
	for _, claim := range manifest.Claims(design) {
		r.result.Claims++
		if !expected[claim.ID] {
			r.result.Unexpected[string(claim.Kind)]++
		}
	}
	r.subjects = append(r.subjects, s)
	return nil
}

// choose keeps the mutants that the options ask for.
func (r *runner) choose() error {
	var all []string
	for _, s := range r.subjects {
		s.mutants = slices.DeleteFunc(s.mutants, func(m Mutant) bool {
			return r.options.Only != "" && m.ID != r.options.Only || r.options.Filter != nil && !r.options.Filter.MatchString(m.ID)
		})
		for _, m := range s.mutants {
			all = append(all, m.ID)
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("%w of %d has that id or passes the filter; `dynaproof mutants --list` prints the ids", ErrNone, r.result.Generated)
	}
	if r.options.Sample > 0 && r.options.Sample < len(all) {
		chosen := map[string]bool{}
		for _, at := range rand.New(rand.NewPCG(r.options.Seed, 0)).Perm(len(all))[:r.options.Sample] {
			chosen[all[at]] = true
		}
		for _, s := range r.subjects {
			s.mutants = slices.DeleteFunc(s.mutants, func(m Mutant) bool { return !chosen[m.ID] })
		}
	}
	for _, s := range r.subjects {
		r.total += len(s.mutants)
	}
	return nil
}

// jobs are the pieces of the run that do not disturb each other.
func (r *runner) jobs() []func(context.Context) error {
	var jobs []func(context.Context) error
	for _, s := range r.subjects {
		byKind := map[Kind][]Mutant{}
		for _, m := range s.mutants {
			byKind[m.Kind] = append(byKind[m.Kind], m)
		}
		for _, kind := range []Kind{Items, Patterns, Guardrails} {
			var shared, policies, guards []Mutant
			for _, m := range byKind[kind] {
				switch {
				case m.policy != nil:
					policies = append(policies, m)
				case m.lenient != "":
					guards = append(guards, m)
				default:
					shared = append(shared, m)
				}
			}
			for some := range slices.Chunk(shared, chunk) {
				jobs = append(jobs, func(ctx context.Context) error { return r.loaded(ctx, s, some) })
			}
			if len(guards) > 0 {
				jobs = append(jobs, func(ctx context.Context) error { return r.loaded(ctx, s, guards) })
			}
			if len(policies) > 0 {
				jobs = append(jobs, func(ctx context.Context) error { return r.policies(ctx, s, policies) })
			}
		}
		alone := slices.Concat(byKind[Deployments], byKind[Behind])
		if len(alone) > 0 {
			jobs = append(jobs, func(ctx context.Context) error { return r.intact(ctx, s) })
		}
		for _, m := range alone {
			jobs = append(jobs, func(ctx context.Context) error { return r.deployed(ctx, s, m) })
		}
	}
	return jobs
}

// settle records what became of a mutant.
func (r *runner) settle(s *subject, m evidence.Mutant) {
	problem := s.equivalents.judge(&m)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Mutants = append(r.result.Mutants, m)
	if problem != "" {
		r.result.Problems = append(r.result.Problems, problem)
	}
	if r.options.Progress != nil {
		r.options.Progress(fmt.Sprintf("%d/%d  %s", len(r.result.Mutants), r.total, m.ID))
	}
}

func (r *runner) problem(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Problems = append(r.result.Problems, fmt.Sprintf(format, args...))
}
