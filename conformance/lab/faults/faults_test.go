package faults

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	_ "dynaproof/conformance/internal/test/command" // it deploys the designs
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/lab"
	"dynaproof/conformance/suite/session"
)

// documents is the folder of the design documents, which these runs do not need.
const documents = "none"

func runs(t *testing.T, options Options) *Report {
	t.Helper()
	options.Documents = documents
	return tabletest.Must(Run(t.Context(), options))(t)
}

// TestEveryKindStrikes makes runs with one kind at a time: the kind must strike,
// and no verdict may be wrong.
func TestEveryKindStrikes(t *testing.T) {
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			count := 20
			switch kind {
			case EngineKilled, EngineExchanged:
				count = 4 // each run deploys anew
			case Unprocessed:
				count = 5 * batchedOneIn // few flows write in batches
			}
			report := runs(t, Options{Options: lab.Options{Designs: []string{"commit-collect"}}, Seed: 1, Runs: count, Kinds: []Kind{kind}})
			strikes := 0
			for _, outcome := range report.Outcomes {
				strikes += outcome.Struck[kind]
			}
			assert.NotZero(t, strikes, "expected it to strike, found that it never did")
			for _, bad := range report.Bad() {
				t.Error(bad.Words())
			}
		})
	}
}

// TestFewRequestsAreStruckByTheirOwnKind: a batch can be struck by everything, and
// what only a batch knows must not get lost among it.
func TestFewRequestsAreStruckByTheirOwnKind(t *testing.T) {
	batch := wire.Entry{Claim: "c", Operation: "BatchWriteItem", Tables: []string{"T"}, Request: json.RawMessage(`{"RequestItems":{"T":[1,2,3,4,5,6,7,8]}}`)}
	trouble := newInjector(1, "c", slices.DeleteFunc(Kinds(), func(k Kind) bool { return k == AccessDenied }), 1, 200, map[Kind]func(){EngineKilled: func() {}, EngineExchanged: func() {}})
	for range 200 {
		trouble.fault(batch)
	}
	struck := trouble.counts()
	assert.True(t, struck[Unprocessed] >= 60 && struck[Throttling] >= 5 && struck[EngineKilled]+struck[EngineExchanged] == 1,
		"expected every third batch and more to be left in part, some to be throttled and one engine to die or to be exchanged, found %v", struck)
}

// TestAPartOfABatchIsPutBack: what a batch has done is undone, also where the rest of it
// is refused.
func TestAPartOfABatchIsPutBack(t *testing.T) {
	report := runs(t, Options{Options: lab.Options{Designs: []string{"commit-collect"}}, Claim: "commit-collect/pattern/import-workouts", Seed: 1, Runs: 40, Kinds: []Kind{Unprocessed, AccessDenied, SlowAnswer}})
	both := 0
	for _, outcome := range report.Outcomes {
		if outcome.Struck[Unprocessed] > 0 && outcome.Struck[AccessDenied] > 0 {
			both++
		}
	}
	for _, bad := range report.Bad() {
		t.Error(bad.Words())
	}
	assert.NotZero(t, both, "expected batches of which a part was done and the rest denied")
}

// TestEveryClaimHasItsTurn: every eighth run replays a flow that writes in batches, as
// long as these may be left in part, and that costs no other claim its turn.
func TestEveryClaimHasItsTurn(t *testing.T) {
	jobs := tabletest.Must(plan(Options{Seed: 1, Runs: 2000}))(t)
	seen, batched, batches, replayable := map[string]bool{}, map[string]bool{}, 0, 0
	for _, design := range designs.All() {
		for _, claim := range manifest.InOrder(design) {
			if replayed(claim) {
				replayable++
				batched[claim.ID] = inBatches(design, claim)
			}
		}
	}
	for _, j := range jobs {
		seen[j.claim.ID] = true
		if batched[j.claim.ID] {
			batches++
		}
	}
	assert.Len(t, seen, replayable, "expected all %d claims that are replayed to have a turn in %d runs", replayable, len(jobs))
	assert.GreaterOrEqual(t, batches, len(jobs)/batchedOneIn, "expected one run in %d to write in batches, found %d of %d", batchedOneIn, batches, len(jobs))
}

// TestWhatNeverStruckIsSaid: a table without a row would look as if nothing had
// been asked for.
func TestWhatNeverStruckIsSaid(t *testing.T) {
	report := &Report{Kinds: []Kind{Throttling, Unprocessed}, Outcomes: []Outcome{{Claim: "d/pattern/p", Verdict: evidence.Pass, Struck: map[Kind]int{Throttling: 1}}}}
	var text strings.Builder
	report.Paper().Text(&text)
	assert.Contains(t, text.String(), "never struck, so that nothing is said about it: unprocessed writes; ")
	assert.NotContains(t, text.String(), "engine killed")
}

// TestASeedMakesTheSameRun replays one run of many by its seed alone.
func TestASeedMakesTheSameRun(t *testing.T) {
	many := runs(t, Options{Options: lab.Options{Designs: []string{"fus-main"}}, Seed: 100, Runs: 4})
	for _, outcome := range many.Outcomes {
		again := runs(t, Options{Options: lab.Options{Designs: []string{"fus-main"}}, Seed: outcome.Seed, Runs: 1}).Outcomes[0]
		assert.True(t, again.Claim == outcome.Claim && again.Without == outcome.Without,
			"seed %d: expected %s without %q, found %s without %q", outcome.Seed, outcome.Claim, outcome.Without, again.Claim, again.Without)
	}
}

// TestAWriteThatIsNotSafeToRepeatIsNoticed replaces a conditional update by one
// that counts: when its answer is lost, the SDK sends it again, and it counts
// twice.
func TestAWriteThatIsNotSafeToRepeatIsNoticed(t *testing.T) {
	amend := func(session *session.Session) {
		pattern, _ := session.Design.Pattern("record-audit")
		if pattern == nil {
			t.Error("expected commit-collect to have the pattern record-audit")
			return
		}
		// The put without its condition is safe to repeat, and stays.
		pattern.Steps[0].Write[0].Condition = nil
		update, _ := session.Design.Pattern("update-milestone")
		step := &update.Steps[len(update.Steps)-1]
		step.Write = []ap.Action{{
			Kind: ap.Update, Table: step.Write[0].Table, Key: step.Write[0].Key,
			Set: []ap.Assignment{{Attribute: "version", Operator: "+", Value: designtest.Digits("1")}},
		}}
		step.ForEach = nil
	}
	report := runs(t, Options{Options: lab.Options{Designs: []string{"commit-collect"}}, Claim: "commit-collect/pattern/update-milestone", Seed: 1, Runs: 40, Kinds: []Kind{ResetAfter}, Amend: amend})
	noticed := false
	for _, bad := range report.Bad() {
		noticed = noticed || strings.Contains(bad.Claim, "update-milestone") && bad.Struck[ResetAfter] > 0 && strings.Contains(bad.Message, "version")
	}
	assert.True(t, noticed, "expected an update that counted twice to be noticed, found that none was")
}

func TestWrong(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Without, With string
		Verdict             evidence.Verdict
		Struck              map[Kind]int
		Want                string
	}](t, "wrong.yaml") {
		got := wrong(&Outcome{Verdict: row.Verdict, Without: row.Without, With: row.With, Struck: row.Struck})
		assert.True(t, strings.HasPrefix(got, row.Want) && (got == "") == (row.Want == ""), "%s: expected %q, found %q", row.Name, row.Want, got)
	}
}

func TestMissing(t *testing.T) {
	item := func(text string) ap.Item { return ap.Item{"a": &types.AttributeValueMemberS{Value: text}} }
	before := map[string]ap.Item{"kept": item("1"), "changed": item("1"), "lost": item("1")}
	after := map[string]ap.Item{"kept": item("1"), "changed": item("2"), "extra": item("1")}
	assert.Equal(t, "changed lost", strings.Join(missing(before, after), " "), "expected changed and lost")
	assert.Equal(t, "changed extra", strings.Join(missing(after, before), " "), "expected changed and extra")
}

// TestStrikes looks at what a kind does to a request and to its answer.
func TestStrikes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, row := range tabletest.Read[[]struct {
		Kind   Kind
		Entry  map[string]any
		Passes bool
	}](t, "struck.yaml") {
		got := row.Kind.strike(tabletest.As[wire.Entry](t, row.Entry), random)
		assert.Equal(t, row.Passes, got == nil, "%s at %v: found %+v", row.Kind, row.Entry, got)
	}
	short := ShortPage.strike(wire.Entry{Operation: "Query", Request: json.RawMessage(`{"TableName":"T"}`)}, random)
	assert.Regexp(t, `"Limit":[12]\b`, string(short.Request))
	assert.Contains(t, string(short.Request), `"TableName":"T"`)
	stale := StaleIndex.strike(wire.Entry{Operation: "Query", Index: "byDay"}, random)
	assert.Equal(t, `{"Count":1,"Items":[{"a":{"N":"1"}}],"ScannedCount":2}`, string(stale.Amend([]byte(`{"Items":[{"a":{"N":"1"}},{"a":{"N":"2"}}],"Count":2,"ScannedCount":3}`))), "expected the last item to be left out")
	assert.Equal(t, `{"Items":[],"Count":0,"ScannedCount":0}`, string(stale.Amend([]byte(`{"Items":[],"Count":0,"ScannedCount":0}`))), "expected an empty answer to stay")
	for range 20 {
		part := Unprocessed.strike(wire.Entry{Operation: "BatchWriteItem", Tables: []string{"T", "U"}, Request: json.RawMessage(`{"RequestItems":{"T":[1,2],"U":[3]}}`)}, random)
		if part == nil {
			continue // all of it was to be processed
		}
		var sent struct{ RequestItems map[string][]int }
		var answer struct{ UnprocessedItems map[string][]int }
		require.NoError(t, json.Unmarshal(part.Request, &sent))
		require.NoError(t, json.Unmarshal(part.Amend([]byte(`{"UnprocessedItems":{}}`)), &answer))
		sum := 0
		for _, half := range []map[string][]int{sent.RequestItems, answer.UnprocessedItems} {
			for _, writes := range half {
				for _, write := range writes {
					sum += write * write
				}
			}
		}
		assert.True(t, sum == 1+4+9 && len(sent.RequestItems["T"]) != 0,
			"expected each write to be sent or left over, and the first to be sent, found %v and %v", sent, answer)
	}
}
