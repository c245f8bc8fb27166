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
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/fixtures"
)

// These tests hold all contracts to what the project demands where a document is
// silent: the basis of each obligation, open lists, findings that agree with the
// contract. Each is shown to fail on every contract, broken in each of the ways that it is there to find.

// breakage is what jq makes of places in a contract, and what must then be found. A design that lacks one of them is not broken.
type breakage struct {
	Change map[string]string
	Finds  string
}

// rule holds every design to a rule, and breaks every design in each way.
func rule(t *testing.T, breaches func(*accesspatterns.Design, *fixtures.Set) []string) {
	t.Helper()
	fresh := func(name string) (*accesspatterns.Design, *fixtures.Set) {
		design := tabletest.Must(designs.Find(name))(t)
		return design, tabletest.Must(fixtures.Load(name, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)))(t)
	}
	for _, name := range designs.Names() {
		for _, breach := range breaches(fresh(name)) {
			t.Errorf("%s: %s", name, breach)
		}
	}
	ways := tabletest.Read[map[string]map[string]breakage](t, "rulings.yaml")[t.Name()]
	require.NotEmpty(t, ways)
	for way, b := range ways {
		broken := 0
		for _, name := range designs.Names() {
			design, set := fresh(name)
			has := true
			for path, change := range b.Change {
				has = designtest.Amend(t, path, change, design) && has
			}
			if has {
				broken++
				assert.Contains(t, strings.Join(breaches(design, set), "\n"), b.Finds, "%s, %s", name, way)
			}
		}
		assert.Positive(t, broken, "%s: no design was broken", way)
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
	rule(t, breaches)
	guessed := tabletest.Must(designs.Find("roll-model"))(t)
	guessed.Entities[0].Attributes[0].Cite.Basis.Kind = "guessed" // which no file can say
	assert.Contains(t, strings.Join(breaches(guessed, nil), "\n"), "without a basis")
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
	rule(t, breaches)
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
	rule(t, breaches)
}
