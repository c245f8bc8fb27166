package guardtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

var (
	seeds = flag.Uint64("seeds", 2, "number of seeds that every race is run with; `make races` takes 200")
	first = flag.Uint64("first-seed", 1, "the first of them")

	mostOrders = flag.Int("orders", 0, "how many orders of two clients' requests are tried at most; `make races` takes 1,000; with 0 none are, nor interruptions, for TestConformance tries both")
)

// perSession is how many seeds share a session and its ledger, which keeps every
// request and would not fit into memory for all of them.
const perSession = 20

const (
	raceEnvironment = "race"
	region          = "us-east-1"
)

// TestRaces runs every race of every invariant once for each seed. The
// interruptions, and the orders of two clients, take the same course with every
// seed, so they are run with the first one alone.
func TestRaces(t *testing.T) {
	engine := tables.Engine(t)
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			deployed := tables.Create(t, engine, region, raceEnvironment, design)
			failed := map[string]bool{}
			for seed := *first; seed < *first+*seeds; seed += perSession {
				raceWithSession(t, engine, design, deployed, seed, min(seed+perSession, *first+*seeds), failed)
			}
		})
	}
}

// raceWithSession runs the races with the seeds from one to before another. An
// invariant that failed is not tried with further seeds.
func raceWithSession(t *testing.T, engine string, design *accesspatterns.Design, deployed map[string]string, from, before uint64, failed map[string]bool) {
	t.Helper()
	proxy := tabletest.Must(wire.Start(wire.Options{Upstream: engine}))(t)
	defer func() {
		assert.NoError(t, proxy.Close(context.Background()))
	}()
	set := tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)
	session, err := session.Open(t.Context(), session.Input{
		Design: design, Fixtures: set, Environment: raceEnvironment,
		Deployment: session.Deployment{Tables: deployed, Region: region},
		Endpoint:   proxy.URL(), Transport: proxy.Transport(), Ledger: proxy.Ledger(), Grade: evidence.Engine,
		Unexplored: true, // TestConformance explores
	})
	require.NoError(t, err)
	for seed := from; seed < before; seed++ {
		session.Seed, session.Orders, session.RacesOnly = seed, *mostOrders, seed != *first || *mostOrders == 0
		for _, claim := range manifest.InOrder(design) {
			if claim.Kind != manifest.KindInvariant || failed[claim.ID] || session.RacesOnly && !races(set, claim) {
				continue
			}
			if result := suite.Decide(t.Context(), claim, session, nil); result.Verdict != evidence.Pass {
				failed[claim.ID] = true
				t.Errorf("%s\n%s", suite.Message(result), reproduce(claim, seed))
			}
		}
	}
}

// races reports whether clients race in an attempt on the invariant.
func races(set *fixtures.Set, claim manifest.Claim) bool {
	return slices.ContainsFunc(set.StressOf(claim.Subject), func(stress fixtures.Stress) bool { return stress.Race != nil })
}

// reproduce says how a seed is tried again, alone.
func reproduce(claim manifest.Claim, seed uint64) string {
	return fmt.Sprintf("seed %d; try it again with: dynaproof verify %s --label-filter 'id:%s' --seed %d",
		seed, claim.Design, strings.ReplaceAll(claim.ID, "/", "."), seed)
}

func TestReproduce(t *testing.T) {
	claim := manifest.Claim{ID: "personal-os/invariant/limits-hold", Design: "personal-os"}
	const want = "seed 7; try it again with: dynaproof verify personal-os --label-filter 'id:personal-os.invariant.limits-hold' --seed 7"
	got := reproduce(claim, 7)
	assert.Equal(t, want, got, "expected %s\nfound    %s", want, got)
}

// orders calls do with every order of n things up to five of them, and of more with
// every rotation, forwards and backwards.
func orders(n int, do func(order []int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if n > 5 {
		for range n {
			order = append(order[1:], order[0])
			do(order)
			reversed := slices.Clone(order)
			slices.Reverse(reversed)
			do(reversed)
		}
		return
	}
	var permute func(from int)
	permute = func(from int) {
		if from == n {
			do(order)
			return
		}
		for i := from; i < n; i++ {
			order[from], order[i] = order[i], order[from]
			permute(from + 1)
			order[from], order[i] = order[i], order[from]
		}
	}
	permute(0)
}

// judged is what a guard says of a transaction: the steps that admit it, or the rules of
// its refusals, which may name any of several mistakes first.
func judged(t testing.TB, g *guard.Guard, writes []sdk.Write) string {
	t.Helper()
	decision, err := g.Check(t.Context(), transaction(writes))
	if errors.Is(err, guard.ErrRefused) {
		return "refused"
	} else if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(decision.All)
}

// renamed is a write whose key attribute has another value. What its item repeats of
// the value's last segment changes with it, so that the item stays one of its entity.
func renamed(w sdk.Write, attribute, value string) sdk.Write {
	last := func(text string) string { return text[strings.LastIndexByte(text, '#')+1:] }
	place := maps.Clone(w.Place())
	was := last(dynamo.ScalarText(place[attribute]))
	for name, each := range place {
		if text, is := each.(*types.AttributeValueMemberS); is && text.Value == was {
			place[name] = &types.AttributeValueMemberS{Value: last(value)}
		}
	}
	place[attribute] = &types.AttributeValueMemberS{Value: value}
	if w.Kind == accesspatterns.Put {
		w.Item = place
	} else {
		w.Key = place
	}
	return w
}

// otherIDs are the changes of ids that tear a transaction: each segment of each key of a
// write, alone.
func otherIDs(writes []sdk.Write, i int, do func(changed []sdk.Write)) {
	place := writes[i].Place()
	for _, name := range sortedCopy(keysOf(place)) {
		if _, text := place[name].(*types.AttributeValueMemberS); !text || writes[i].Kind == accesspatterns.Put && !slices.Contains([]string{"PK", "SK", "pk", "sk"}, name) {
			continue
		}
		parts := strings.Split(dynamo.ScalarText(place[name]), "#")
		for at := range parts {
			other := slices.Clone(parts)
			other[at] += "0"
			changed := slices.Clone(writes)
			changed[i] = renamed(writes[i], name, strings.Join(other, "#"))
			do(changed)
		}
	}
}

// TestOrderSaysNothing judges every documented transaction, and every one that an id of
// one of its keys tears from the others, in every order: DynamoDB applies all of it at
// once, so that the order says nothing.
func TestOrderSaysNothing(t *testing.T) {
	admitted, refused := 0, 0
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			g := guardFor(t, design)
			seen := map[string]bool{}
			for _, r := range requestsOf(t, design) {
				if r.step.Read != nil || r.step.Batch > 0 {
					continue
				}
				writes := writesOf(t, r.input)
				if shape := fmt.Sprint(r.pattern.ID, r.step.Name, len(writes)); len(writes) < 2 || seen[shape] {
					continue
				} else {
					seen[shape] = true
				}
				alike := func(writes []sdk.Write, what string) {
					want := judged(t, g, writes)
					if want == "refused" {
						refused++
					} else {
						admitted++
					}
					orders(len(writes), func(order []int) {
						var other []sdk.Write
						for _, i := range order {
							other = append(other, writes[i])
						}
						got := judged(t, g, other)
						assert.Equal(t, want, got, "%s, %s: expected %s in every order, found %s in order %v", r.where, what, want, got, order)
					})
				}
				alike(writes, "as documented")
				for i := range writes {
					otherIDs(writes, i, func(changed []sdk.Write) {
						alike(changed, fmt.Sprint("another key of write ", i+1, ", ", dynamo.ShowItem(changed[i].Place())))
					})
					alike(slices.Delete(slices.Clone(writes), i, i+1), fmt.Sprint("without write ", i+1))
				}
			}
		})
	}
	assert.NotZero(t, admitted)
	assert.NotZero(t, refused, "expected transactions of both kinds")
	t.Logf("%d admitted, %d refused", admitted, refused)
}
