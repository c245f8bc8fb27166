package races

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// everyInterleaving goes through all choices between the clients of a race, one race
// after the other, and knows nothing of what commutes.
type everyInterleaving struct {
	path []struct{ of, chosen int }
	at   int
}

func (e *everyInterleaving) Next(waiting []*flow.Request) int {
	if e.at++; e.at > len(e.path) {
		e.path = append(e.path, struct{ of, chosen int }{of: len(waiting)})
	}
	return e.path[e.at-1].chosen
}

func (e *everyInterleaving) advance() bool {
	for e.at = 0; len(e.path) > 0; e.path = e.path[:len(e.path)-1] {
		last := &e.path[len(e.path)-1]
		if last.chosen++; last.chosen < last.of {
			return true
		}
	}
	return false
}

// raced lets clients race in an order, and returns what it has chosen.
func raced(t *testing.T, a *stressed, race *fixtures.Race, runs []flow.Execution, order flow.Order, shares [][]int) (sent []*flow.Request) {
	a.inOrder(t.Context(), race, runs, func(waiting []*flow.Request) int {
		chosen := order(waiting)
		sent = append(sent, waiting[chosen])
		return chosen
	}, shares)
	return sent
}

// same is equal for orders of requests that differ only in neighbours of different
// clients which touch nothing in common or only read. It takes that from what the
// requests say of themselves in words: an order with such neighbours turned until the
// first client comes as early as it can.
func same(s *session.Session, sent []*flow.Request) string {
	reads := func(r *flow.Request) bool {
		return r.Operation == "GetItem" || r.Operation == "Query" || r.Operation == "Scan"
	}
	places := func(r *flow.Request) map[string]bool {
		all := map[string]bool{}
		for _, place := range strings.Split(r.Place, ", ") {
			if _, key, verb := strings.Cut(place, " "); verb && !reads(r) {
				place = key
			}
			all[place] = true
		}
		return all
	}
	depend := func(a, b *flow.Request) bool {
		if a.Client == b.Client {
			return true
		}
		if reads(a) && reads(b) {
			return false
		}
		if reads(b) {
			a, b = b, a
		}
		for place := range places(b) {
			if places(a)[place] || mayStandIn(s, a.Place, place) {
				return true
			}
		}
		return false
	}
	var text strings.Builder
	for left := append([]*flow.Request{}, sent...); len(left) > 0; {
		best := -1
		for i, request := range left {
			free := true
			for _, earlier := range left[:i] {
				free = free && !depend(earlier, request)
			}
			if free && (best < 0 || request.Client < left[best].Client) {
				best = i
			}
		}
		fmt.Fprintln(&text, left[best].Client, left[best].Operation, left[best].Place)
		left = append(left[:best], left[best+1:]...)
	}
	return text.String()
}

// mayStandIn reports whether the contract has an entity of a table, by its deployed name,
// whose primary key has the form of the one in words. Where a table is read, no key is.
func mayStandIn(s *session.Session, deployed, key string) bool {
	parts := strings.Split(key, " / ")
	for i := range s.Design.Entities {
		entity := &s.Design.Entities[i]
		table, known := s.Design.Table(entity.Table)
		if !known || s.Deployment.Tables[table.ID] != deployed || len(table.Keys()) != len(parts) {
			continue
		}
		fits := true
		for j, attribute := range table.Keys() {
			fits = fits && slices.ContainsFunc(entity.Keys, func(k accesspatterns.KeyAttribute) bool {
				_, err := k.Template.Parse(parts[j])
				return k.Attribute == attribute.Attribute && err == nil
			})
		}
		if fits {
			return true
		}
	}
	return false
}

// onEngine opens a session for a design on an engine, with tables made from the contract.
func onEngine(t *testing.T, design *accesspatterns.Design, engine string) *session.Session {
	t.Helper()
	deployed := tables.Create(t, engine, "us-east-1", "orders", design)
	proxy := tabletest.Must(wire.Start(wire.Options{Upstream: engine}))(t)
	t.Cleanup(func() { _ = proxy.Close(context.Background()) })
	set := tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)
	session := tabletest.Must(session.Open(t.Context(), session.Input{
		Design: design, Fixtures: set, Environment: "orders", Deployment: session.Deployment{Tables: deployed, Region: "us-east-1"},
		Endpoint: proxy.URL(), Transport: proxy.Transport(), Ledger: proxy.Ledger(), Grade: evidence.Engine,
	}))(t)
	return session
}

// attempts calls a function with each race of each invariant of a design, and with each
// pair of its clients where there are more.
func attempts(s *session.Session, do func(t *stressed, race *fixtures.Race)) {
	for _, invariant := range s.Design.Invariants {
		for _, stress := range s.Fixtures.StressOf(invariant.ID) {
			if stress.Race == nil {
				continue
			}
			for _, one := range append([]fixtures.Stress{stress}, stress.Pairs()...) {
				do(&stressed{s: s, o: &observe.Observation{Session: s, Claim: manifest.Claim{ID: invariant.ID}}, invariant: invariant, stress: one, where: invariant.ID}, one.Race)
			}
		}
	}
}

var mostInterleavings = flag.Int("interleavings", 6, "how many are tried of one shape of two flows; 6 are all of two clients with two requests each, and `make races` takes 70")

// No order of two clients is left out as one that comes to the same as another: every
// interleaving is tried on an engine, of flows of each shape, and sorted by what the
// requests say of themselves. There are as many kinds as orders that the suite tries, and
// it has each of them.
func TestNoOrderIsLeftOut(t *testing.T) {
	engine := tables.Engine(t)
	shapes, orders := map[string]bool{}, 0
	for _, design := range designs.All() {
		s := onEngine(t, design, engine)
		attempts(s, func(a *stressed, race *fixtures.Race) {
			runs := tabletest.Must(a.contenders(race))(t)
			if len(runs) != 2 {
				return
			}
			try := func(order flow.Order) []*flow.Request { return raced(t, a, race, runs, order, [][]int{{0}, {1}}) }
			kinds, all, counted, shape := map[string]bool{}, &everyInterleaving{}, 0, ""
			for more := true; more; more = all.advance() {
				sent := try(all.Next)
				if counted++; counted == 1 {
					for _, request := range sent {
						shape += fmt.Sprint(request.Client, request.Operation, strings.Count(request.Place, ","), race.Retry, " ")
					}
				}
				if counted > *mostInterleavings || counted == 1 && shapes[shape] {
					return // too many, or known
				}
				kinds[same(s, sent)] = true
			}
			shapes[shape] = true
			explorer, tried := &flow.Explorer{}, map[string]bool{}
			for more := true; more; more = explorer.Advance() {
				kind := same(s, try(explorer.Next))
				require.NoError(t, explorer.Err)
				if explorer.Redundant {
					continue
				}
				assert.False(t, tried[kind], "%s/%s: expected each order once, found this one again:\n%s", design.Name, a.where, kind)
				tried[kind] = true
			}
			for kind := range kinds {
				if !tried[kind] {
					t.Errorf("%s/%s: expected all %d orders of %d interleavings, found %d; left out is:\n%s", design.Name, a.where, len(kinds), counted, len(tried), kind)
					break
				}
			}
			assert.Len(t, tried, len(kinds), "%s/%s: expected %d orders of %d interleavings", design.Name, a.where, len(kinds), counted)
			if len(a.o.Problems) > 0 {
				t.Errorf("%s/%s: expected the invariant to hold, found %v", design.Name, a.where, a.o.Problems[0])
			}
			orders += len(tried)
		})
	}
	t.Logf("%d shapes, %d orders", len(shapes), orders)
	assert.True(t, len(shapes) >= 10 && orders > len(shapes), "expected flows of many shapes, some with several orders, found %d with %d", len(shapes), orders)
}

// A seed makes the same race on an engine, 20 times of 20, with as many clients as there
// are.
func TestASeedMakesTheSameOrderOnAnEngine(t *testing.T) {
	engine := tables.Engine(t)
	for _, design := range designs.All() {
		s, done := onEngine(t, design, engine), false
		attempts(s, func(a *stressed, race *fixtures.Race) {
			runs := tabletest.Must(a.contenders(race))(t)
			if done || len(runs) < 4 {
				return
			}
			done = true
			made := func(seed uint64) string {
				var text strings.Builder
				for _, request := range raced(t, a, race, runs, flow.BySeed(seed), flow.Shares(seed, race.Clients, runs)) {
					fmt.Fprintln(&text, request.Client, request.Execution, request.Operation, request.Place, request.Refused)
				}
				return text.String()
			}
			first := made(1)
			for range 20 {
				require.Equal(t, first, made(1), "%s/%s: expected the same order", design.Name, a.where)
			}
			assert.False(t, made(2) == first && made(3) == first, "%s/%s: expected another seed to make another order", design.Name, a.where)
		})
		assert.True(t, done, "%s: expected a race of four runs and more, found none", design.Name)
	}
}

// A flow is interrupted after each of its requests, or at places that are spread over it,
// the first and the last among them.
func TestPlacesOfInterruptions(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Requests, Most int
		After          []int
	}](t, "places.yaml") {
		t.Run(fmt.Sprintf("%d of %d requests", row.Most, row.Requests), func(t *testing.T) {
			assert.Empty(t, cmp.Diff(row.After, places(row.Requests, row.Most)), "dies after (-want +got)")
		})
	}
}
