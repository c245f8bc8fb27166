package replay_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/prices"
	"dynaproof/conformance/internal/replay"
	_ "dynaproof/conformance/internal/test/command" // it deploys the designs
	"dynaproof/conformance/internal/test/processes"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

// The designs of these tests, in the order in which they are opened, and the tables
// of the second.
const first, second = "fus-main", "osem-ladders"

var tablesOfSecond = []string{"osem-dev-AssessmentPlans", "osem-dev-AssessmentReports", "osem-dev-Assessments", "osem-dev-ConfigVersions", "osem-dev-Teams", "osem-dev-Users"}

// patience bounds every wait: one that hangs fails the test.
const patience = 5 * time.Minute

// gated is an engine behind a gate.
type gated struct {
	target.Target
	gate *wire.Proxy
}

func (g gated) URL() string { return g.gate.URL() }

func (g gated) Close(ctx context.Context) error {
	return errors.Join(g.Target.Close(ctx), g.gate.Close(ctx))
}

// onTables starts engines that call see for every table before they create it. A table of which see says something is refused
// with these words.
func onTables(see func(name string) (refused string)) *replay.Engine {
	return &replay.Engine{Start: func(ctx context.Context, progress func(line string)) (target.Target, error) {
		engine, err := target.Embedded(ctx, progress)
		if err != nil {
			return nil, err
		}
		gate, err := wire.Start(wire.Options{Upstream: engine.URL()})
		if err != nil {
			return nil, errors.Join(err, engine.Close(ctx))
		}
		gate.SetFault(func(entry wire.Entry) *wire.FaultResponse {
			words := ""
			if entry.Operation == "CreateTable" {
				words = see(entry.Tables[0])
			}
			if words == "" {
				return nil
			}
			return &wire.FaultResponse{Status: http.StatusBadRequest, ErrorType: "ValidationException", Message: words}
		})
		return gated{engine, gate}, nil
	}}
}

// startApart starts a run of both designs, each on an engine of its own.
func startApart(ctx context.Context, t *testing.T, engine *replay.Engine) *replay.Replay {
	t.Helper()
	run, err := replay.Start(ctx, replay.Options{
		Designs: []string{first, second}, Engine: engine,
		Apart:  true,
		Bounds: session.Bounds{IndexRead: 30 * time.Millisecond, Poll: 5 * time.Millisecond}, Orders: 2, Interruptions: 2,
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, run.Close(context.Background())) })
	return run
}

func opened(t *testing.T, run *replay.Replay, at int) *session.Session {
	t.Helper()
	session, err := run.Open(t.Context(), run.Designs()[at])
	require.NoError(t, err)
	return session
}

// kept lists the tables that were created and not deleted, by the ledger.
func kept(run *replay.Replay) []string {
	there := map[string]bool{}
	for _, entry := range run.Evidence(false).Ledger {
		if entry.Status == 200 && len(entry.Tables) == 1 {
			switch entry.Operation {
			case "CreateTable":
				there[entry.Tables[0]] = true
			case "DeleteTable":
				delete(there, entry.Tables[0])
			}
		}
	}
	return slices.Sorted(maps.Keys(there))
}

// explored reports whether exploration alone decides a claim.
func explored(claim manifest.Claim) bool {
	return claim.Kind == manifest.KindConfinement || claim.Kind == manifest.KindValidity
}

// Both designs are deployed and replayed at once, and nothing of one is
// seen by the other: every claim passes, the ledger claims among them.
func TestDesignsApartDoNotMeet(t *testing.T) {
	run := startApart(t.Context(), t, nil)
	sessions := []*session.Session{opened(t, run, 0), opened(t, run, 1)}
	var work sync.WaitGroup
	var mu sync.Mutex
	record := run.Plan(nil).Record
	for at, session := range sessions {
		session.Unexplored = true // it would ask no engine
		work.Go(func() {
			for _, claim := range manifest.InOrder(run.Designs()[at]) {
				if explored(claim) {
					continue
				}
				result := suite.Decide(t.Context(), claim, session, nil)
				mu.Lock()
				record(result)
				mu.Unlock()
			}
		})
	}
	work.Wait()
	for at, session := range sessions {
		assert.NoError(t, run.Remove(t.Context(), run.Designs()[at], session))
	}
	assert.Empty(t, kept(run), "expected no table after the last removal")
	seen := run.Evidence(false)
	for _, result := range seen.Results() {
		held := result.Verdict.Held() || result.Kind == "document" || result.Verdict == evidence.Unsupported
		assert.True(t, held, "%s: expected pass, found %s", result.ID, suite.Message(result))
	}
	claims := map[int]string{}
	for i, entry := range seen.Ledger {
		require.Equal(t, i+1, entry.Seq, "expected requests numbered without gaps")
		claims[entry.Seq] = entry.Claim
	}
	for _, result := range seen.Results() {
		for _, request := range result.Requests {
			if claim := strings.TrimSuffix(claims[request], ", looking"); result.Kind == "pattern" && claim != result.ID && strings.Contains(claim, "/") {
				t.Errorf("%s: expected requests of its own, found request %d of %s", result.ID, request, claim)
			}
		}
	}
}

func TestDeploymentFailsOnItsOwnDesign(t *testing.T) {
	run := startApart(t.Context(), t, onTables(func(name string) string {
		if name == "osem-dev-Teams" {
			return "not this one"
		}
		return ""
	}))
	session := opened(t, run, 0)
	assert.NoError(t, run.Remove(t.Context(), run.Designs()[0], session), "%s: expected it to be removed", first)
	_, err := run.Open(t.Context(), run.Designs()[1])
	assert.ErrorContains(t, err, "osem-dev-Teams", second)
	assert.NoError(t, run.Remove(t.Context(), run.Designs()[1], nil), "%s: expected what was deployed to be removed", second)
	failures := map[string]bool{}
	for _, design := range run.Evidence(false).Designs {
		failures[design.Name] = design.Failure != ""
	}
	assert.Empty(t, cmp.Diff(map[string]bool{first: false, second: true}, failures), "designs that failed (-want +got)")
	assert.Empty(t, kept(run), "expected no table")
}

// An engine that does not start is the next design's misfortune alone.
func TestSecondEngineDoesNotStart(t *testing.T) {
	run := startApart(t.Context(), t, nil)
	t.Setenv(target.EngineVariable, filepath.Join(t.TempDir(), "none"))
	session := opened(t, run, 0)
	_, err := run.Open(t.Context(), run.Designs()[1])
	assert.ErrorContains(t, err, target.EngineVariable)
	assert.NoError(t, run.Remove(t.Context(), run.Designs()[1], nil), "%s: expected nothing to remove", second)
	assert.NoError(t, run.Remove(t.Context(), run.Designs()[0], session), "%s: expected it to be removed", first)
	assert.Empty(t, kept(run), "expected no table")
}

func TestRemovalFailsOnItsOwnDesign(t *testing.T) {
	run := startApart(t.Context(), t, nil)
	protected, other := opened(t, run, 0), opened(t, run, 1)
	_, err := protected.Client.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: aws.String(first), DeletionProtectionEnabled: aws.Bool(true)})
	require.NoError(t, err)
	assert.ErrorContains(t, run.Remove(t.Context(), run.Designs()[0], protected), "rotect", "expected that %s was not removed, because it is protected", first)
	assert.NoError(t, run.Remove(t.Context(), run.Designs()[1], other), "%s: expected it to be removed beside %s", second, first)
	assert.Empty(t, cmp.Diff([]string{first}, kept(run)), "tables that were kept (-want +got)")
}

// held holds the deployment of the second design up before its last table, until it
// is let go.
type held struct {
	run           *replay.Replay
	cancel, letGo func()
	// opened is what became of the second design, once it is known.
	opened chan error
}

// holdUp opens the first design and waits until the second has a table and waits for
// the last.
func holdUp(t *testing.T) *held {
	t.Helper()
	reached, free := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	seen := map[string]bool{}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	h := &held{cancel: cancel, letGo: sync.OnceFunc(func() { close(free) }), opened: make(chan error, 1)}
	h.run = startApart(ctx, t, onTables(func(name string) string {
		if !slices.Contains(tablesOfSecond, name) {
			return ""
		}
		mu.Lock()
		seen[name] = true
		last := len(seen) == len(tablesOfSecond)
		mu.Unlock()
		if last {
			close(reached)
			<-free
		}
		return ""
	}))
	t.Cleanup(h.letGo) // else the run cannot end
	opened(t, h.run, 0)
	go func() {
		_, err := h.run.Open(ctx, h.run.Designs()[1])
		h.opened <- err
	}()
	select {
	case <-reached:
	case <-time.After(patience):
		t.Fatalf("expected the last table of %s, found none", second)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if slices.ContainsFunc(kept(h.run), func(name string) bool { return slices.Contains(tablesOfSecond, name) }) {
			return h
		}
		require.False(t, time.Now().After(deadline), "expected a table of %s, found none", second)
	}
}

// ended waits until the deployment of the second design was given up.
func (h *held) ended(t *testing.T) {
	t.Helper()
	h.cancel()
	h.letGo()
	select {
	case err := <-h.opened:
		assert.ErrorContains(t, err, "canceled", second)
	case <-time.After(patience):
		t.Fatalf("expected the deployment of %s to end, found it under way", second)
	}
}

// An interrupt while the second design is being deployed ends that, and what there is of it is removed, as is the first. A second interrupt
// waits for no removal: the engines end, and the tables with them.
func TestInterruptWhileDeploying(t *testing.T) {
	for name, twice := range map[string]bool{"once": false, "twice": true} {
		t.Run(name, func(t *testing.T) {
			h := holdUp(t)
			h.ended(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if twice {
				cancel()
			}
			for _, design := range h.run.Designs() {
				if err := h.run.Remove(ctx, design, nil); twice {
					assert.ErrorContains(t, err, "canceled", "%s: expected the removal to be given up", design.Name)
				} else {
					assert.NoError(t, err, design.Name)
				}
			}
			if !twice {
				assert.Empty(t, kept(h.run), "expected no table after the interrupt")
			}
			assert.NoError(t, h.run.Close(context.Background()))
			assert.Empty(t, children(), "expected no process")
		})
	}
}

// TestRunsLeaveNothingBehind replays a claim of a design and then all, and deploys two designs that are apart. What the first
// run starts for the whole process may stay; the second must end everything that it started:
// goroutines, processes, files.
func TestRunsLeaveNothingBehind(t *testing.T) {
	apart := func(t *testing.T) {
		run := startApart(t.Context(), t, nil)
		sessions := []*session.Session{opened(t, run, 0), opened(t, run, 1)}
		for at, session := range sessions {
			assert.NoError(t, run.Remove(t.Context(), run.Designs()[at], session))
		}
		assert.NoError(t, run.Close(context.Background()))
	}
	for _, row := range []struct {
		name          string
		first, second func(*testing.T)
	}{
		{"a design", func(t *testing.T) { examined(t, dated, nil) }, func(t *testing.T) { whole = examined(t, unexplored, nil) }},
		{"designs apart", apart, apart},
	} {
		t.Run(row.name, func(t *testing.T) {
			scratch := t.TempDir()
			t.Setenv("TMPDIR", scratch)
			row.first(t)
			before := goleak.IgnoreCurrent()
			row.second(t)
			deploy.Close() // it lives as long as the process
			assert.NoError(t, goleak.Find(before), "expected no goroutine that the second run started")
			assert.Empty(t, children(), "expected no process")
			left, err := filepath.Glob(filepath.Join(scratch, "*"))
			require.NoError(t, err)
			assert.Empty(t, left, "expected no temporary file")
		})
	}
}

// children names the processes that this one has started and that still run.
func children() []string {
	deploy.Close() // it lives as long as the process
	var names []string
	for _, pid := range processes.Children(os.Getpid()) {
		names = append(names, processes.Name(pid))
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" }) // it has just ended
}

// examined replays claims of fus-main and returns what was seen of it.
func examined(t *testing.T, which func(manifest.Claim) bool, amend func(*accesspatterns.Design, *fixtures.Set)) *evidence.Run {
	t.Helper()
	ctx := t.Context()
	run, err := replay.Start(ctx, replay.Options{
		Designs: []string{"fus-main"}, Amend: amend, Bounds: session.Bounds{IndexRead: 30 * time.Millisecond, Poll: 5 * time.Millisecond}, Orders: 2, Interruptions: 2,
	})
	require.NoError(t, err)
	defer func() { assert.NoError(t, run.Close(context.WithoutCancel(ctx))) }()
	plan := run.Plan(nil)
	design := run.Designs()[0]
	session, err := plan.Open(ctx, design)
	require.NoError(t, err)
	session.Unexplored = true
	for _, claim := range manifest.InOrder(design) {
		if which(claim) {
			plan.Record(suite.Decide(ctx, claim, session, nil))
		}
	}
	require.NoError(t, plan.Close(ctx, design, session))
	return run.Evidence(false)
}

// whole is the run of the contract as it is, for all tests that only read what it saw.
var whole *evidence.Run

func intact(t *testing.T) *evidence.Run {
	t.Helper()
	if whole == nil {
		whole = examined(t, unexplored, nil)
	}
	return whole
}

func unexplored(claim manifest.Claim) bool { return !explored(claim) }
func dated(claim manifest.Claim) bool      { return claim.ID == byDate }

func resultOf(t *testing.T, run *evidence.Run, id string) evidence.Result {
	t.Helper()
	results := run.Results()
	at := slices.IndexFunc(results, func(r evidence.Result) bool { return r.ID == id })
	require.GreaterOrEqual(t, at, 0, "expected a result of %s", id)
	return results[at]
}

// undetailed lists the claims whose particulars a report could not show.
func undetailed(run *evidence.Run) []string {
	operations := map[int]string{}
	for _, entry := range run.Ledger {
		operations[entry.Seq] = entry.Operation
	}
	var lacking []string
	for _, result := range run.Results() {
		complete := true
		switch result.Kind {
		case "pattern":
			complete = result.Pattern != nil && len(result.Pattern.Cases) > 0
			for i := 0; complete && i < len(result.Pattern.Cases); i++ {
				for _, step := range result.Pattern.Cases[i].Steps {
					repeatedNever := step.Request == 0 && step.Pages == 0 && step.Outcome == ""
					refused := step.Outcome != "" && step.Outcome != "success" // and then no capacity is told
					complete = complete && (repeatedNever || operations[step.Request] == step.Operation && (refused || step.CapacityUnits > 0))
				}
			}
		case "finding":
			complete = result.Finding != nil && result.Finding.Severity != "" && result.Finding.Literal != "" && result.Finding.Resolved != "" &&
				(len(result.Trials) > 0 || result.Finding.Static != "" || len(result.Finding.Claims) > 0)
		case "guardrail":
			complete = result.Guardrail != nil && result.Guardrail.Layer != "" && result.Guardrail.Proof != ""
		}
		for _, trial := range result.Trials {
			for _, exchange := range trial.Exchanges {
				// What the guard refuses is never sent.
				sent := operations[exchange.Request] == exchange.Operation || strings.HasPrefix(exchange.Expected, "refused by the guard")
				complete = complete && sent && exchange.Expected != "" && exchange.Found != ""
			}
		}
		if !complete {
			lacking = append(lacking, result.ID)
		}
	}
	return lacking
}

const byDate = "fus-main/pattern/matches-by-date"

func TestParticularsOfEveryClaimAreKept(t *testing.T) {
	run := intact(t)
	assert.Empty(t, undetailed(run), "expected requests, answers and outcomes of every pattern, finding and guardrail")
	pattern := resultOf(t, run, byDate).Pattern
	assert.Equal(t, "Query of bySquashDate", pattern.Operation+" of "+pattern.Index)
	assert.NotEmpty(t, pattern.Roles)
	for _, kase := range pattern.Cases {
		for _, step := range kase.Steps {
			assert.ElementsMatch(t, step.Expected, step.Returned, "case %q: the returned items", kase.Name)
		}
		for _, decoy := range kase.Decoys {
			assert.True(t, decoy.Avoided, "case %q: expected the decoy %s to be avoided", kase.Name, decoy.Item)
		}
	}
	model := run.Designs[0].Model
	require.NotNil(t, model)
	assert.True(t, len(model.Tables) == 1 && len(model.Tables[0].Indexes) == 5, "expected one table and five indexes, found %+v", model)
	assert.True(t, len(model.Entities) > 0 && len(model.Entities[0].Keys) > 0, "expected its entities, found %+v", model)

	without := *run
	without.Ledger = nil // then no request can be shown
	assert.Contains(t, undetailed(&without), byDate, "expected %s to be lacking without its request", byDate)
}

func TestADecoyThatIsReturnedIsNotAvoided(t *testing.T) {
	run := examined(t, dated, func(design *accesspatterns.Design, _ *fixtures.Set) {
		pattern, _ := design.Pattern("matches-by-date")
		pattern.Steps[0].Read.Filter = nil
	})
	result := resultOf(t, run, byDate)
	caught, surplus := 0, 0
	for _, kase := range result.Pattern.Cases {
		for _, step := range kase.Steps {
			surplus += len(step.Returned) - len(step.Expected)
		}
		for _, decoy := range kase.Decoys {
			if !decoy.Avoided {
				caught++
			}
		}
	}
	assert.Equal(t, evidence.Fail, result.Verdict)
	assert.True(t, caught > 0 && surplus > 0, "expected decoys among the returned items, found %d not avoided, %d items too many", caught, surplus)
}

func TestLoad(t *testing.T) {
	list, err := prices.Load()
	require.NoError(t, err)
	_, err = time.Parse(time.DateOnly, list.Date)
	require.NoError(t, err, "the day on which the prices were looked up")
	for region, price := range list.Regions {
		assert.True(t, price.ReadPerMillion > 0 && price.WritePerMillion > 0, "%s: expected prices above 0, found %+v", region, price)
	}
	own := list.In("us-east-1")
	assert.Equal(t, []any{"us-east-1", 0.125, 0.625}, []any{own.Region, own.ReadPerMillion, own.WritePerMillion})
	other := list.In("mars-north-1")
	assert.Equal(t, list.Reference, other.Region, "expected the price of a region that is not listed to name the region that it is of")
	assert.NotZero(t, other.ReadPerMillion)
	assert.InDelta(t, 0.875, own.Cost(2e6, 1e6), 1e-9, "two million reads and a million writes")
}

// The programs and the contracts were transcribed separately: they must agree on
// which document demands guardrails.
func TestGuardrailsByDefault(t *testing.T) {
	for _, design := range designs.All() {
		asked, err := deploy.InputsOf(t.Context(), replay.StackOptions(design, replay.DefaultEnvironment, replay.DefaultRegion, ""))
		require.NoError(t, err)
		want := map[bool]string{true: deploy.Enforce, false: deploy.Off}[design.Policies.Enforced]
		assert.Equal(t, want, asked.Outputs["guardrails"], "%s: what the contract says by default (%s)", design.Name, design.Document.Cite(design.Policies.Cite))
	}
}
