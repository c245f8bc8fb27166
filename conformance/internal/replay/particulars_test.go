package replay_test

import (
	"context"
	"math"
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
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/prices"
	"dynaproof/conformance/internal/replay"
	_ "dynaproof/conformance/internal/test/command" // it deploys the designs
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// examined replays claims of fus-main and returns what was seen of it.
func examined(t *testing.T, which func(manifest.Claim) bool, amend func(*accesspatterns.Design, *fixtures.Set)) *evidence.Run {
	t.Helper()
	ctx := t.Context()
	run, err := replay.Start(ctx, replay.Options{
		Designs: []string{"fus-main"}, Amend: amend, Bounds: session.Bounds{IndexRead: 30 * time.Millisecond, Poll: 5 * time.Millisecond}, Orders: 2, Interruptions: 2,
	})
	require.NoError(t, err)
	defer func() {
		assert.NoError(t, run.Close(context.WithoutCancel(ctx)))
	}()
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
	if at < 0 {
		t.Fatalf("expected a result of %s, found none", id)
	}
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
	if lacking := undetailed(run); len(lacking) > 0 {
		t.Errorf("expected requests, answers and outcomes of every pattern, finding and guardrail, found none or half of them for %v", lacking)
	}
	pattern := resultOf(t, run, byDate).Pattern
	if pattern.Operation != "Query" || pattern.Index != "bySquashDate" || len(pattern.Roles) == 0 {
		t.Errorf("expected a Query of bySquashDate with roles, found %s of %q by %v", pattern.Operation, pattern.Index, pattern.Roles)
	}
	for _, kase := range pattern.Cases {
		for _, step := range kase.Steps {
			expected, returned := slices.Sorted(slices.Values(step.Expected)), slices.Sorted(slices.Values(step.Returned))
			if !slices.Equal(expected, returned) {
				t.Errorf("case %q: expected the returned items to be %v, found %v", kase.Name, expected, returned)
			}
		}
		for _, decoy := range kase.Decoys {
			if !decoy.Avoided {
				t.Errorf("case %q: expected the decoy %s to be avoided", kase.Name, decoy.Item)
			}
		}
	}
	model := run.Designs[0].Model
	if model == nil || len(model.Tables) != 1 || len(model.Tables[0].Indexes) != 5 || len(model.Entities) == 0 || len(model.Entities[0].Keys) == 0 {
		t.Errorf("expected the model with one table, five indexes and its entities, found %+v", model)
	}

	without := *run
	without.Ledger = nil // then no request can be shown
	if lacking := undetailed(&without); !slices.Contains(lacking, byDate) {
		t.Errorf("expected %s to be lacking without its request, found %v", byDate, lacking)
	}
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
	if result.Verdict != evidence.Fail || caught == 0 || surplus == 0 {
		t.Errorf("expected a failure with decoys among the returned items, found %s, %d decoys not avoided, %d items too many", result.Verdict, caught, surplus)
	}
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
	if own.Region != "us-east-1" || own.ReadPerMillion != 0.125 || own.WritePerMillion != 0.625 {
		t.Errorf("expected the prices of us-east-1, found %+v", own)
	}
	if other := list.In("mars-north-1"); other.Region != list.Reference || other.ReadPerMillion == 0 {
		t.Errorf("expected the price of a region that is not listed to name the region that it is of, found %+v", other)
	}
	if cost := own.Cost(2e6, 1e6); math.Abs(cost-0.875) > 1e-9 {
		t.Errorf("expected 0.875 for two million reads and a million writes, found %v", cost)
	}
}

// The programs and the contracts were transcribed separately: they must agree on
// which document demands guardrails.
func TestGuardrailsByDefault(t *testing.T) {
	for _, design := range designs.All() {
		asked, err := deploy.InputsOf(t.Context(), replay.StackOptions(design, replay.DefaultEnvironment, replay.DefaultRegion, ""))
		require.NoError(t, err)
		want := deploy.Off
		if design.Policies.Enforced {
			want = deploy.Enforce
		}
		if got := asked.Outputs["guardrails"]; got != want {
			t.Errorf("%s: the contract says %s by default (%s), the stack %v", design.Name, want, design.Document.Cite(design.Policies.Cite), got)
		}
	}
}
