package elements

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/witness"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/integrity"
	"dynaproof/accesspatterns/requests"
	"dynaproof/conformance/internal/reads"
	"dynaproof/conformance/lab"
	"dynaproof/fixtures"
)

// Witness is what can notice a mutant.
type Witness string

// The witnesses, the cheapest first.
const (
	// Load: the contract's own rules.
	Load Witness = lab.NoContract
	// Items are those that were written by hand, valid and invalid.
	Items Witness = "items"
	// Cases are those of the pattern, in memory.
	Cases Witness = "cases"
	// Requests were written from the document alone.
	Requests Witness = "requests"
	// Trials are those that a guard decides.
	Trials Witness = "trials"
	// Document is the document itself: citations, certain readings and declared ones.
	Document Witness = "document"
	// Explored is the exploration of the promises that the element touches.
	Explored Witness = "exploration"
)

// Witnesses lists the witnesses in their order.
func Witnesses() []Witness {
	return []Witness{Load, Cases, Requests, Items, Trials, Document, Explored}
}

// subject is one design under mutation: a contract of its own, and what judges it. It is for one goroutine.
type subject struct {
	design *ap.Design
	set    *fixtures.Set
	asked  []requests.Asked
	source *coverage.Source // nil without the document
	pinned []string
	read   *reader.Document
	// says0 is what each witness says of the contract as it is, by witness and what it looks at.
	says0 map[string][]string
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
	s := &subject{design: design, says0: map[string][]string{}, moved: map[string][]string{}, close: map[string][]string{}, laws: map[string]*explore.Law{}}
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
	s.read, err = witness.Reading(s.design, folder)
	return err
}

// says returns what a witness has against the contract as it is now, as far as a mutant can move it.
func (s *subject) says(by Witness, m *Mutant) (problems []string) {
	design := s.design
	if alone(by, m) {
		design = s.reduced(s.near(m)...)
	}
	switch by {
	case Load:
		if err := integrity.Check(design); err != nil {
			problems = append(problems, err.Error())
		}
	case Cases:
		if pattern, known := design.Pattern(m.About); known {
			problems = texts(reads.CasesOf(design, s.set, pattern))
		} else {
			problems = []string{"no such pattern"}
		}
	case Requests:
		judge := requests.NewJudge(design)
		problems = append(judge.Problems(s.asked), judge.Varied(s.asked)...)
	case Items:
		problems = texts(s.set.Problems(design))
	case Trials:
		problems = s.trials(design)
	case Document:
		problems = s.document()
	case Explored:
		problems = s.explored(m)
	}
	return problems
}

func texts(problems []*fixtures.Problem) (all []string) {
	for _, problem := range problems {
		if !strings.Contains(problem.Text, reads.Unrefused) {
			all = append(all, problem.Error())
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
	for _, proof := range covered.Citations {
		if proof.Problem != "" {
			problems = append(problems, proof.Element+": "+proof.Problem)
		}
	}
	for _, line := range covered.Lines {
		if line.Status == coverage.LineUnaccounted {
			problems = append(problems, line.Reason)
		}
	}
	problems = append(problems, coverage.CitedFor(s.design, s.source)...)
	for _, objection := range slices.Concat(witness.Open(witness.Object(s.design, s.read)), witness.Open(witness.Hazards(s.design))) {
		problems = append(problems, objection.ID)
	}
	return problems
}

// trials are the requests of trials that a guard must refuse for a rule, or let through.
func (s *subject) trials(design *ap.Design) (problems []string) {
	guards := map[[2]string]*guard.Guard{}
	tableName := func(id string) (string, error) {
		table, known := design.Table(id)
		if !known {
			return "", errors.New("no table " + id)
		}
		return table.Name.In("test"), nil
	}
	item := func(name string) (map[string]types.AttributeValue, error) {
		named, known := s.set.Item(name)
		if !known {
			return nil, errors.New("no item " + name)
		}
		return named.Item, nil
	}
	for i := range s.set.Trials {
		trial := &s.set.Trials[i]
		within := map[string]context.Context{"": context.Background()}
		for j := range trial.Requests {
			request := &trial.Requests[j]
			if request.Via != fixtures.ViaGuard {
				continue
			}
			who := [2]string{request.Role, request.User}
			g, made := guards[who]
			if !made {
				options := []guard.Option{guard.AnyRole(), guard.InEnvironment("test")}
				if request.Role != "" {
					options[0] = guard.ForRole(request.Role)
				}
				if request.User != "" {
					options = append(options, guard.ForUser(request.User))
				}
				g, _ = guard.New(design, options...) // one that cannot be made refuses everything
				guards[who] = g
			}
			found := ""
			if input, err := request.Decode(tableName, item); err != nil {
				found = err.Error()
			} else {
				if within[request.Read] == nil {
					within[request.Read], _ = guard.NewRead(context.Background())
				}
				var refusal *guard.Refusal
				if _, err := g.Check(within[request.Read], input); errors.As(err, &refusal) {
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
