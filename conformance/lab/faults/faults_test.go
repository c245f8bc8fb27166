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
	if said := text.String(); !strings.Contains(said, "never struck, so that nothing is said about it: unprocessed writes; ") || strings.Contains(said, "engine killed") {
		t.Errorf("expected unprocessed writes alone to be named, found\n%s", said)
	}
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
	for _, row := range []struct {
		name    string
		outcome Outcome
		want    string
	}{
		{name: "passed, and rightly", outcome: Outcome{Verdict: evidence.Pass}},
		{name: "waived, and rightly", outcome: Outcome{Verdict: evidence.Waived}},
		{name: "failed, and rightly", outcome: Outcome{Verdict: evidence.Fail, Without: "item"}},
		{name: "undecided under trouble", outcome: Outcome{Verdict: evidence.Indeterminate, Struck: map[Kind]int{Throttling: 1}}},
		{name: "a false failure", outcome: Outcome{Verdict: evidence.Fail, Struck: map[Kind]int{Throttling: 1}}, want: "the claim holds, and failed"},
		{name: "undecided without trouble", outcome: Outcome{Verdict: evidence.Error}, want: "nothing was wrong"},
		{name: "a false pass", outcome: Outcome{Verdict: evidence.Pass, Without: "item"}, want: "item item was not there"},
		{name: "an extra item that passed", outcome: Outcome{Verdict: evidence.Pass, With: "item", Struck: map[Kind]int{LateExtra: 2}}, want: "item item must not be there"},
		{name: "an extra item that was seen", outcome: Outcome{Verdict: evidence.Fail, With: "item", Struck: map[Kind]int{LateExtra: 2}}},
		{name: "decided by another engine", outcome: Outcome{Verdict: evidence.Pass, Struck: map[Kind]int{EngineExchanged: 1}}, want: "the engine was another one"},
		{name: "failed by another engine", outcome: Outcome{Verdict: evidence.Fail, With: "item", Struck: map[Kind]int{EngineExchanged: 1}}, want: "the engine was another one"},
		{name: "unsupported without a declaration", outcome: Outcome{Verdict: evidence.Unsupported, Struck: map[Kind]int{AccessDenied: 1}}, want: "the engine knows all operations"},
		{name: "a false waiver", outcome: Outcome{Verdict: evidence.Waived, Without: "item"}, want: "item item was not there"},
		{name: "decided by a dead engine", outcome: Outcome{Verdict: evidence.Pass, Struck: map[Kind]int{EngineKilled: 1}}, want: "the engine was dead"},
	} {
		got := wrong(&row.outcome)
		assert.True(t, strings.HasPrefix(got, row.want) && (got == "") == (row.want == ""), "%s: expected %q, found %q", row.name, row.want, got)
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
	limit := 5
	for _, row := range []struct {
		kind   Kind
		entry  wire.Entry
		passes bool
	}{
		{kind: ShortPage, entry: wire.Entry{Operation: "Query", Request: json.RawMessage(`{}`), Limit: &limit}, passes: true},
		{kind: ShortPage, entry: wire.Entry{Operation: "GetItem", Request: json.RawMessage(`{}`)}, passes: true},
		{kind: StaleIndex, entry: wire.Entry{Operation: "Query"}, passes: true},
		{kind: Unprocessed, entry: wire.Entry{Operation: "BatchWriteItem", Tables: []string{"T"}, Request: json.RawMessage(`{"RequestItems":{"T":[1]}}`)}, passes: true},
		{kind: Conflict, entry: wire.Entry{Operation: "Query"}, passes: true},
		{kind: Throttling, entry: wire.Entry{Operation: "DescribeTable"}, passes: true},
		{kind: ResetAfter, entry: wire.Entry{Operation: "PutItem"}},
		{kind: Conflict, entry: wire.Entry{Operation: "TransactWriteItems", Request: json.RawMessage(`{"TransactItems":[1,2]}`)}},
	} {
		got := row.kind.strike(row.entry, random)
		assert.Equal(t, row.passes, got == nil, "%s at %s: expected it to pass %v, found %+v", row.kind, row.entry.Operation, row.passes, got)
	}

	short := ShortPage.strike(wire.Entry{Operation: "Query", Request: json.RawMessage(`{"TableName":"T"}`)}, random)
	if text := string(short.Request); !strings.Contains(text, `"Limit":1`) && !strings.Contains(text, `"Limit":2`) || !strings.Contains(text, `"TableName":"T"`) {
		t.Errorf("expected a Limit of 1 or 2, found %s", text)
	}
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
