package elements

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/document/reader"
	declared "dynaproof/accesspatterns/document/witness"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/integrity"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/requests"
	"dynaproof/conformance/internal/reads"
	"dynaproof/conformance/lab"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// witness is what can notice a mutant.
type witness struct {
	name string
	// asks reports whether a mutant can move what the witness says.
	asks func(m *Mutant) bool
	// about is what the witness looks at for a mutant: what it says of that in the contract as it is, it says once.
	about func(s *subject, m *Mutant) string
	// says is what the witness has against the contract as it is now, as far as a mutant can move it.
	says func(s *subject, m *Mutant) []string
}

// witnesses are all of them, the cheapest first.
var witnesses = []witness{
	// The contract's own rules.
	{lab.NoContract, always, everything, func(s *subject, _ *Mutant) []string {
		if err := integrity.Check(s.design); err != nil {
			return []string{err.Error()}
		}
		return nil
	}},
	// The cases of the pattern, in memory.
	{"cases", ofAPattern, nearby, func(s *subject, m *Mutant) []string {
		pattern, known := s.design.Pattern(m.About)
		if !known {
			return []string{"no such pattern"}
		}
		return texts(reads.CasesOf(s.design, s.set, pattern))
	}},
	// Requests that were written from the document alone.
	{"requests", always, nearby, func(s *subject, m *Mutant) []string {
		judge := requests.NewJudge(s.beside(m))
		return append(judge.Problems(s.asked), judge.Varied(s.asked)...)
	}},
	// The items that were written by hand, valid and invalid.
	{"items", func(m *Mutant) bool { return m.list == "entities" || strings.HasPrefix(m.Operator, "Views: ") }, everything, func(s *subject, _ *Mutant) []string {
		return texts(s.set.Problems(s.design))
	}},
	// The trials, as far as the guard decides them.
	{"trials", always, nearby, func(s *subject, m *Mutant) []string { return s.trials(s.beside(m)) }},
	// The document itself: citations, certain readings and declared ones.
	{"document", always, everything, func(s *subject, _ *Mutant) []string { return s.document() }},
	// The exploration of the promises that the element touches.
	{"exploration", reaches, (*subject).promises, (*subject).explored},
}

func always(*Mutant) bool                 { return true }
func ofAPattern(m *Mutant) bool           { return m.list == "patterns" }
func everything(*subject, *Mutant) string { return "" }
func nearby(s *subject, m *Mutant) string {
	if m.local() {
		return m.About
	}
	return ""
}

// moves are the operators by which a pattern comes to write, or to reach, something else.
var moves = []string{"template: ", "With: ", "Condition: ", "Any: ", "ForEach: ", "And: ", "Except: ", "Bind: ", "Rises: ", "Edits: ", "Set: ", "Write: ", "Steps: ", "StopWhenEmpty: ", "Roles: ", "Filter: ", "Sort: ", "Times: "}

func reaches(m *Mutant) bool {
	return !ofAPattern(m) || slices.ContainsFunc(moves, func(part string) bool { return strings.HasPrefix(m.Operator, part) })
}

// local reports whether a mutant is one of a pattern or an entity, of which a request is judged as if the contract had no other patterns than
// those near it: a request that is admitted otherwise then, is looked at again with all of them.
func (m *Mutant) local() bool { return m.list == "patterns" || m.list == "entities" }

// beside is the contract as far as it can judge a request otherwise for a mutant.
func (s *subject) beside(m *Mutant) *ap.Design {
	if !m.local() {
		return s.design
	}
	design, near := *s.design, s.near(m)
	design.Patterns = slices.DeleteFunc(slices.Clone(design.Patterns), func(p ap.Pattern) bool { return !slices.Contains(near, p.ID) })
	return &design
}

// subject is one design under mutation: a contract of its own, and what judges it. It is for one goroutine.
type subject struct {
	design *ap.Design
	set    *fixtures.Set
	asked  []requests.Asked
	source *coverage.Source // nil without the document
	pinned []string
	read   *reader.Document
	// said is what each witness says of the contract as it is, by witness and what it looks at.
	said map[string][]string
	// moved are the promises that the requests of a pattern alone can move.
	moved map[string][]string
	// laws are what exploration found of claims, by the claim and the patterns.
	laws map[string]*explore.Law
	// close are the patterns that are near a mutant, by the pattern or the entity that it is of.
	close map[string][]string
}

func newSubject(name, documents string) (*subject, error) {
	design, err := designs.Find(name)
	if err != nil {
		return nil, err
	}
	s := &subject{design: design, said: map[string][]string{}, moved: map[string][]string{}, close: map[string][]string{}, laws: map[string]*explore.Law{}}
	if s.set, err = fixtures.Load(name, time.Now()); err != nil {
		return nil, err
	}
	if s.asked, err = designs.Requests(name); err != nil {
		return nil, err
	}
	return s, s.readDocument(documents)
}

func (s *subject) readDocument(folder string) (err error) {
	s.source, err = coverage.Read(folder, s.design.Document)
	if errors.Is(err, coverage.ErrNoDocument) {
		s.source = nil
		return nil
	}
	if err != nil {
		return err
	}
	if s.pinned, err = designs.Lines(s.design.Document); err != nil {
		return err
	}
	s.read, err = declared.Reading(s.design, folder)
	return err
}

func texts(problems []*fixtures.Problem) (all []string) {
	for _, problem := range problems {
		if problem.Needs == "" {
			all = append(all, problem.Located().Error())
		}
	}
	return all
}

// document holds the contract to its document as `dynaproof check` does.
func (s *subject) document() (problems []string) {
	if s.source == nil {
		return nil
	}
	covered := coverage.Of(s.design, s.source, s.pinned)
	for _, proof := range covered.Broken() {
		problems = append(problems, proof.Element+": "+proof.Problem)
	}
	for _, line := range covered.Lines {
		if line.Status == coverage.LineUnaccounted {
			problems = append(problems, line.Reason)
		}
	}
	objections := declared.Open(slices.Concat(declared.Object(s.design, s.read), declared.Hazards(s.design)))
	return slices.Concat(problems, coverage.CitedFor(s.design, s.source), lists.Map(objections, func(o declared.Objection) string { return o.ID }))
}

// trials are the requests of trials that a guard must refuse for a rule, or let through.
func (s *subject) trials(design *ap.Design) (problems []string) {
	guards, in := map[[2]string]*guard.Guard{}, session.Session{Input: session.InEnvironment(design, s.set, "test")}
	for trial := range lists.Each(s.set.Trials) {
		within := map[string]context.Context{"": context.Background()}
		for j := range trial.Requests {
			request := &trial.Requests[j]
			if request.Via != fixtures.ViaGuard {
				continue
			}
			guarded := lists.Once(guards, [2]string{request.Role, request.User}, func() *guard.Guard {
				made, _ := guard.New(design, in.OptionsFor(request)...) // one that cannot be made refuses everything
				return made
			})
			found := ""
			if input, err := request.Decode(in.TableName, in.FixtureItem); err != nil {
				found = err.Error()
			} else {
				if within[request.Read] == nil {
					within[request.Read], _ = guard.NewRead(context.Background())
				}
				var refusal *guard.Refusal
				if _, err := guarded.Check(within[request.Read], input); errors.As(err, &refusal) {
					found = string(refusal.Rule)
					if !strings.Contains(refusal.Error(), request.Expect.Message) {
						found = refusal.Error()
					}
				}
			}
			if found != request.Expect.Refused {
				problems = append(problems, trial.Errorf("%s %d: expected %q, found %q", request.Operation, j, request.Expect.Refused, found).Error())
			}
		}
	}
	return problems
}
