package guardtest

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

var (
	seeds = flag.Uint64("seeds", 5, "number of seeds that every race is run with; `make races` takes 200")
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
	proxy, err := wire.Start(wire.Options{Upstream: engine})
	require.NoError(t, err)
	defer func() {
		assert.NoError(t, proxy.Close(context.Background()))
	}()
	set, err := fixtures.Load(design.Name, time.Now())
	require.NoError(t, err)
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
	if got := reproduce(claim, 7); got != want {
		t.Errorf("expected %s\nfound    %s", want, got)
	}
}
