package guardtest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/fixtures"
)

// These tests hold all contracts to what the project demands where a document is
// silent: the basis of each obligation, open lists, findings that agree with the
// contract. Each is shown to fail on every contract, broken in each of the ways that it is there to find.

// breakage breaks a contract or its fixtures, and says what must then be found. It
// reports whether the design has anything to break.
type breakage struct {
	name, finds string
	of          func(*accesspatterns.Design, *fixtures.Set) bool
}

// rule holds every design to a rule, and breaks every design in each way.
func rule(t *testing.T, breaches func(*accesspatterns.Design, *fixtures.Set) []string, breakages []breakage) {
	t.Helper()
	fresh := func(name string) (*accesspatterns.Design, *fixtures.Set) {
		design, err := designs.Find(name)
		require.NoError(t, err)
		set, err := fixtures.Load(name, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
		require.NoError(t, err)
		return design, set
	}
	broken := map[string]bool{}
	for _, name := range designs.Names() {
		for _, breach := range breaches(fresh(name)) {
			t.Errorf("%s: %s", name, breach)
		}
		for _, b := range breakages {
			design, set := fresh(name)
			if !b.of(design, set) {
				continue
			}
			broken[b.name] = true
			found := strings.Join(breaches(design, set), "\n")
			assert.Contains(t, found, b.finds, "%s, %s", name, b.name)
		}
	}
	for _, b := range breakages {
		assert.True(t, broken[b.name], "%s: no design was broken", b.name)
	}
}

// rulings are how many there are of each design and of all documents.
var rulings = map[string]int{"all documents": 15, "roll-model": 6, "commit-collect": 10, "fus-main": 7, "osem-ladders": 5, "personal-os": 6}

var decider = regexp.MustCompile(`\b(?:finding ([a-z0-9-]+)|ruling ([a-z -]+) ([0-9]+))\b`)

// TestRuling12EveryObligationHasItsBasis: each obligation is stated, implied with the
// reason, or chosen with the ruling or the finding that decided. That what is chosen
// fails nobody who chose otherwise is held by TestChosenOtherwise of package suite.
func TestRuling12EveryObligationHasItsBasis(t *testing.T) {
	breaches := func(design *accesspatterns.Design, _ *fixtures.Set) (found []string) {
		for _, claim := range manifest.Claims(design) {
			if claim.Kind == manifest.KindFinding {
				continue
			}
			switch claim.Basis {
			case accesspatterns.Stated:
			case accesspatterns.Implied:
				if strings.TrimSpace(claim.Because) == "" {
					found = append(found, claim.ID+": implied for no reason")
				}
			case accesspatterns.Chosen:
				by := decider.FindStringSubmatch(claim.Because)
				switch {
				case by == nil:
					found = append(found, claim.ID+": chosen by no ruling and no finding: "+claim.Because)
				case by[1] != "" && !slices.ContainsFunc(design.Findings, func(f accesspatterns.Finding) bool { return f.ID == by[1] }):
					found = append(found, claim.ID+": chosen by a finding that is not there: "+by[1])
				case by[1] == "":
					if n, err := strconv.Atoi(by[3]); err != nil || n < 1 || n > rulings[by[2]] || by[2] != "all documents" && by[2] != design.Name {
						found = append(found, claim.ID+": chosen by a ruling that is not there: "+claim.Because)
					}
				}
			default:
				found = append(found, claim.ID+": without a basis: "+string(claim.Basis))
			}
		}
		return found
	}
	// rebase gives the first attribute of an entity another basis.
	rebase := func(basis accesspatterns.Basis) func(*accesspatterns.Design, *fixtures.Set) bool {
		return func(design *accesspatterns.Design, _ *fixtures.Set) bool {
			for i := range design.Entities {
				if len(design.Entities[i].Attributes) > 0 {
					design.Entities[i].Attributes[0].Cite.Basis = basis
					return true
				}
			}
			return false
		}
	}
	rule(t, breaches, []breakage{
		{"no basis", "without a basis", rebase(accesspatterns.Basis{Kind: "guessed", Because: "x"})},
		{"no reason", "implied for no reason", rebase(accesspatterns.Basis{Kind: accesspatterns.Implied, Because: " "})},
		{"nobody's choice", "chosen by no ruling and no finding", rebase(accesspatterns.Basis{Kind: accesspatterns.Chosen, Because: "it is usual"})},
		{"a finding that is gone", "chosen by a finding that is not there", rebase(accesspatterns.Basis{Kind: accesspatterns.Chosen, Because: "finding none"})},
		{"a ruling too many", "chosen by a ruling that is not there", rebase(accesspatterns.Basis{Kind: accesspatterns.Chosen, Because: "ruling all documents 16"})},
		{"another design's ruling", "chosen by a ruling that is not there", rebase(accesspatterns.Basis{Kind: accesspatterns.Chosen, Because: "ruling notes 1"})},
		{"a chosen projection", "chosen by no ruling", func(design *accesspatterns.Design, _ *fixtures.Set) bool {
			for i := range design.Tables {
				for j := range design.Tables[i].Indexes {
					index := &design.Tables[i].Indexes[j]
					cite := index.Cite.Chosen("it is usual")
					index.ProjectionCite = &cite
					return true
				}
			}
			return false
		}},
	})
}

// Words by which a text closes a list, and by which it gives an order.
var (
	closing  = regexp.MustCompile(`(?i)\b(only|exactly|no other|nothing else|all of)\b`)
	ordering = regexp.MustCompile(`(?i)(sort|order|asc|desc|newest|oldest|latest|first|last|between)`)
)

// TestRuling13SilenceLeavesOpen: a list of attributes is closed, a value not empty, and
// a direction demanded only by words of the text. The guard refuses what the contract
// does not hold, so the contract holds a write of every entity.
func TestRuling13SilenceLeavesOpen(t *testing.T) {
	says := func(cite accesspatterns.Citation, words *regexp.Regexp) bool {
		for _, place := range append([]accesspatterns.Citation{cite}, cite.Also...) {
			if cite.Basis.Kind != accesspatterns.Chosen && slices.ContainsFunc(place.Tokens, words.MatchString) {
				return true
			}
		}
		return false
	}
	breaches := func(design *accesspatterns.Design, _ *fixtures.Set) (found []string) {
		written := map[string]bool{}
		for i := range design.Patterns {
			pattern := &design.Patterns[i]
			for _, step := range pattern.Steps {
				if read := step.Read; read != nil && (read.Order == accesspatterns.Ascending || read.Order == accesspatterns.Descending) &&
					!says(step.Cite, ordering) && !says(pattern.Cite, ordering) {
					found = append(found, fmt.Sprintf("pattern %s, step %s: a direction that no cited word gives", pattern.ID, step.Name))
				}
				for _, action := range step.Write {
					switch action.Kind {
					case accesspatterns.Put:
						written[action.Entity] = true
					case accesspatterns.Update: // which stores an item where there is none
						for j := range design.Entities {
							entity := &design.Entities[j]
							written[entity.ID] = written[entity.ID] || entity.Table == action.Table && !slices.ContainsFunc(action.Key, func(e accesspatterns.Equality) bool {
								key, has := entity.Key(e.Attribute)
								return !has || key.Template != e.Value.Template
							})
						}
					}
				}
			}
		}
		for i := range design.Entities {
			entity := &design.Entities[i]
			if entity.Closed != nil && !says(*entity.Closed, closing) {
				found = append(found, "entity "+entity.ID+": closed by no cited word")
			}
			for j := range entity.Attributes {
				if attribute := &entity.Attributes[j]; attribute.NotEmpty && attribute.Cite.Basis.Kind == accesspatterns.Chosen {
					found = append(found, "attribute "+entity.ID+"/"+attribute.Name+": a text that may not be empty, by choice")
				}
			}
			// A form of the same key that only old items have is not written any more.
			if !written[entity.ID] && !slices.ContainsFunc(design.Entities, func(other accesspatterns.Entity) bool {
				return written[other.ID] && other.Table == entity.Table && slices.EqualFunc(other.Keys, entity.Keys, func(a, b accesspatterns.KeyAttribute) bool { return a.Template == b.Template })
			}) {
				found = append(found, "entity "+entity.ID+": no pattern writes it, so the guard refuses every service that must")
			}
		}
		return found
	}
	rule(t, breaches, []breakage{
		{"a closed list", "closed by no cited word", func(design *accesspatterns.Design, _ *fixtures.Set) bool {
			cite := designtest.Line(1, "attributes")
			design.Entities[0].Closed = &cite
			return true
		}},
		{"a direction", "a direction that no cited word gives", func(design *accesspatterns.Design, _ *fixtures.Set) bool {
			for i := range design.Patterns {
				pattern := &design.Patterns[i]
				if read := pattern.OnlyRead(); read != nil && read.Operation == dynamo.Query && read.Order == accesspatterns.AnyOrder && !says(pattern.Cite, ordering) {
					read.Order = accesspatterns.Ascending
					return true
				}
			}
			return false
		}},
		{"a text that may not be empty", "a text that may not be empty, by choice", func(design *accesspatterns.Design, _ *fixtures.Set) bool {
			for i := range design.Entities {
				for j := range design.Entities[i].Attributes {
					attribute := &design.Entities[i].Attributes[j]
					attribute.NotEmpty, attribute.Cite = true, attribute.Cite.Chosen("finding x")
					return true
				}
			}
			return false
		}},
		{"an entity that nobody writes", "no pattern writes it", func(design *accesspatterns.Design, _ *fixtures.Set) bool {
			gone := design.Entities[0].ID
			design.Patterns = slices.DeleteFunc(design.Patterns, func(p accesspatterns.Pattern) bool {
				return slices.ContainsFunc(p.Steps, func(s accesspatterns.Step) bool {
					return slices.ContainsFunc(s.Write, func(a accesspatterns.Action) bool {
						return a.Kind == accesspatterns.Update || a.Kind == accesspatterns.Put && a.Entity == gone
					})
				})
			})
			return true
		}},
	})
}

// undecided are words by which a finding says that nothing is asserted.
var undecided = regexp.MustCompile(`(?i)\b(not asserted|nothing is asserted|asserts nothing|is left open|stays? open|none is refused)\b`)

// TestRuling14FindingsAgreeWithTheContract: a finding that calls something open names
// the claims that would assert it, and there are none; the claims that it rests on are
// there; and the guard allows the requests of a resolved form.
func TestRuling14FindingsAgreeWithTheContract(t *testing.T) {
	breaches := func(design *accesspatterns.Design, set *fixtures.Set) (found []string) {
		claims := map[string]bool{}
		for _, claim := range manifest.Claims(design) {
			claims[strings.TrimPrefix(claim.ID, design.Name+"/")] = true
		}
		for i := range design.Findings {
			finding := &design.Findings[i]
			for _, id := range finding.Open {
				if claims[id] {
					found = append(found, "finding "+finding.ID+": calls open what the contract asserts: "+id)
				}
			}
			for _, id := range finding.Claims {
				if !claims[id] {
					found = append(found, "finding "+finding.ID+": rests on a claim that is not there: "+id)
				}
			}
			if len(finding.Open) == 0 && undecided.MatchString(finding.Resolved) {
				found = append(found, "finding "+finding.ID+": calls something open and names no claim that would assert it")
			}
		}
		g, err := guard.New(design, guard.AnyRole(), guard.InEnvironment(environment))
		if err != nil {
			return append(found, err.Error())
		}
		for _, trial := range set.Trials {
			// What claims show is what the contract holds: the requests of its patterns are
			// sent through the guard by TestDocumentedRequestsPass.
			shown := slices.ContainsFunc(design.Findings, func(f accesspatterns.Finding) bool {
				return "finding/"+f.ID == trial.For && len(f.Claims) > 0
			})
			if trial.Form != fixtures.Resolved || shown {
				continue
			}
			for n, request := range trial.Requests {
				if request.Expect.Refused != "" || request.Expect.Error != "" {
					continue
				}
				input, err := request.Decode(
					func(table string) (string, error) { return tableName(design, table) },
					func(name string) (map[string]types.AttributeValue, error) {
						item, known := set.Item(name)
						if !known {
							return nil, fmt.Errorf("no item %s", name)
						}
						return item.Item, nil
					})
				if err != nil {
					found = append(found, err.Error())
					continue
				}
				ctx, _ := guard.NewRead(context.Background())
				if _, err := g.Check(ctx, input); err != nil {
					found = append(found, fmt.Sprintf("%s, request %d of the resolved form (%s): %v", trial.For, n+1, trial.Why, err))
				}
			}
		}
		return found
	}
	rule(t, breaches, []breakage{
		{"open and asserted", "calls open what the contract asserts", func(design *accesspatterns.Design, _ *fixtures.Set) bool {
			design.Findings[0].Open = []string{"table/" + design.Tables[0].ID + "/key"}
			return true
		}},
		{"open without a name", "names no claim that would assert it", func(design *accesspatterns.Design, _ *fixtures.Set) bool {
			design.Findings[0].Resolved, design.Findings[0].Open = "Nothing is asserted.", nil
			return true
		}},
		{"a claim that is gone", "rests on a claim that is not there", func(design *accesspatterns.Design, _ *fixtures.Set) bool {
			design.Findings[0].Claims = []string{"pattern/gone"}
			return true
		}},
		{"a resolved form that no pattern documents", "of the resolved form", func(design *accesspatterns.Design, set *fixtures.Set) bool {
			for i := range design.Findings {
				finding := &design.Findings[i]
				if slices.ContainsFunc(set.TrialsOf("finding/"+finding.ID), func(t fixtures.Trial) bool { return t.Form == fixtures.Resolved }) {
					finding.Claims = nil
				}
			}
			design.Patterns = design.Patterns[:1]
			return true
		}},
	})
}
