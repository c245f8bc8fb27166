package replay_test

import (
	"context"
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
