package suite_test

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
	"dynaproof/fixtures"
)

// sending changes every input before it is serialised, as a client does that does not
// send what it was told to.
func sending(change func(input any)) func(*dynamodb.Options) {
	return func(options *dynamodb.Options) {
		options.APIOptions = append(options.APIOptions, func(stack *middleware.Stack) error {
			return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Changed", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
				middleware.InitializeOutput, middleware.Metadata, error,
			) {
				if change != nil {
					change(in.Parameters)
				}
				return next.HandleInitialize(ctx, in)
			}), middleware.After)
		})
		options.Retryer = aws.NopRetryer{} // what fails each time need not be waited for
	}
}

// TestWhatIsPrintedAsObservedIsObserved changes, one at a time, what the contract says
// of a rule's layer, of the entities that a pattern returns and of errors, and what is
// sent and answered beside what the contract says. The claim that prints it fails.
func TestWhatIsPrintedAsObservedIsObserved(t *testing.T) {
	run, _, base := opened(t, replay.Options{Designs: []string{"roll-model"}, Documents: documents(), Bounds: impatient})
	layer := func(id string, layer accesspatterns.Layer) func(*accesspatterns.Design, *fixtures.Set) {
		return func(d *accesspatterns.Design, _ *fixtures.Set) {
			for i := range d.Guardrails {
				if d.Guardrails[i].ID == id {
					d.Guardrails[i].Layer = layer
				}
			}
			for i := range d.Invariants {
				if d.Invariants[i].ID == id {
					d.Invariants[i].Layer = layer
				}
			}
		}
	}
	returns := func(id string, entities ...string) func(*accesspatterns.Design, *fixtures.Set) {
		return func(d *accesspatterns.Design, _ *fixtures.Set) {
			pattern, _ := d.Pattern(id)
			pattern.Returns = entities
		}
	}
	const documented, own, coach = "ledger/documented-requests", "pattern/list-own-entries", "pattern/coach-lists-entries"
	query := func(entry wire.Entry) bool { return entry.Operation == "Query" }
	single := func(entry wire.Entry) bool { return query(entry) && aws.ToInt(entry.Limit) == 1 }
	more := func(names ...string) func(map[string]any) {
		return func(answer map[string]any) {
			for _, name := range names {
				answer[name] = answer[name].(float64) + 1
			}
		}
	}
	for _, row := range []struct {
		name  string
		amend func(*accesspatterns.Design, *fixtures.Set)
		sends func(input any)
		fault wire.Fault
		// first are claims that run before, claim is the one that must fail with text.
		first       []string
		claim, text string
		// want is what it decides; empty for a failure.
		want evidence.Verdict
	}{
		{name: "what the engine refuses, said to be refused by the guard", amend: layer("comment-needs-entry-and-link", accesspatterns.LayerGuard),
			claim: "guardrail/comment-needs-entry-and-link", text: "expected guard, found engine"},
		{name: "what the guard refuses, said to be refused by the engine", amend: layer("only-documented-requests", accesspatterns.LayerEngine),
			claim: "guardrail/only-documented-requests", text: "expected engine, found guard"},
		{name: "what the pattern leaves out, said to be refused by the engine", amend: layer("private-keywords-apart", accesspatterns.LayerEngine),
			claim: "guardrail/private-keywords-apart", text: "expected engine, found contract"},
		{name: "a condition of one write, said to be an order of steps", amend: layer("link-made-once", accesspatterns.LayerContract),
			claim: "invariant/link-made-once", text: "expected contract, found engine"},
		{name: "a condition, said to be a policy", amend: layer("entry-created-once", accesspatterns.LayerPolicy),
			claim: "invariant/entry-created-once", text: "expected policy, found"},
		{name: "another entity", amend: returns("list-own-entries", "ai-message"), claim: "pattern/list-own-entries", text: "expected items of entity ai-message"},
		{name: "an entity less", amend: returns("list-own-entries", "entry"), claim: "pattern/list-own-entries", text: "expected items of entry, found an item of entry-legacy"},
		{name: "an entity more", amend: returns("get-gap-priority", "gap-priority", "coach-link"), claim: "pattern/get-gap-priority", text: "expected items of entity coach-link"},
		{name: "an error of a read", amend: func(_ *accesspatterns.Design, s *fixtures.Set) {
			for i := range s.Cases {
				if s.Cases[i].Pattern == "list-own-entries" {
					s.Cases[i].Error = "ConditionalCheckFailedException"
				}
			}
		}, claim: "pattern/list-own-entries", text: "expected a write that is refused with ConditionalCheckFailedException"},
		{name: "no condition on the sort key", sends: func(input any) {
			if query, is := input.(*dynamodb.QueryInput); is {
				partition, _, _ := strings.Cut(aws.ToString(query.KeyConditionExpression), " AND ")
				query.KeyConditionExpression = &partition
			}
		}, first: []string{"pattern/list-own-entries"}, claim: documented, text: "sort-key"},
		{name: "no projection", sends: func(input any) {
			if query, is := input.(*dynamodb.QueryInput); is {
				query.ProjectionExpression = nil
			}
		}, first: []string{"pattern/coach-lists-entries"}, claim: documented, text: "projection"},
		{name: "a write without its condition", sends: func(input any) {
			if put, is := input.(*dynamodb.PutItemInput); is {
				put.ConditionExpression = nil
			}
		}, first: []string{"pattern/list-own-entries", "pattern/link-coach-once"}, claim: documented, text: "documented-write"},
		{name: "more inspected than returned", fault: answering(query, more("ScannedCount")), first: []string{own}, claim: documented, text: "scanned count: expected"},
		{name: "more inspected than returned, to the pattern", fault: answering(func(e wire.Entry) bool { return query(e) && !single(e) }, more("ScannedCount")), claim: own, text: "scanned count: expected"},
		{name: "more inspected than returned, page by page", fault: answering(single, more("ScannedCount")), claim: own, text: "page by page, scanned count: expected"},
		{name: "more inspected, and counted as returned", fault: answering(query, more("Count", "ScannedCount")), first: []string{own}, claim: documented, text: "count: expected"},
		{name: "more inspected, and counted as returned, to the pattern", fault: answering(query, more("Count", "ScannedCount")), claim: own, text: "expected a Count that is the number of items"},
		{name: "no counts", fault: answering(query, func(a map[string]any) { delete(a, "Count"); delete(a, "ScannedCount") }), claim: own, want: evidence.Indeterminate, text: "expected Count and ScannedCount"},
		{name: "other items page by page", fault: answering(single, func(a map[string]any) { a["Items"], a["Count"], a["ScannedCount"] = []any{}, 0, 0 }), claim: own, text: "page by page: expected items"},
		{name: "private text page by page", fault: answering(single, func(a map[string]any) { a["Beside"] = "Felt exhausted today..." }), claim: coach, text: "page by page, response"},
		{name: "no projection on the wire", sends: func(input any) {
			if query, is := input.(*dynamodb.QueryInput); is {
				query.ProjectionExpression = nil
				used := strings.Fields(aws.ToString(query.KeyConditionExpression))
				query.ExpressionAttributeNames = maps.Clone(query.ExpressionAttributeNames)
				maps.DeleteFunc(query.ExpressionAttributeNames, func(name, _ string) bool {
					return !slices.ContainsFunc(used, func(word string) bool { return strings.Trim(strings.TrimPrefix(word, "begins_with"), "(),") == name })
				})
			}
		}, claim: coach, text: "projection: expected a projection expression, found none"},
		{name: "a filter on the wire", sends: func(input any) {
			if asked, is := input.(*dynamodb.QueryInput); is {
				asked.FilterExpression = aws.String("attribute_not_exists(nothing)")
			}
		}, claim: own, text: "filter: expected none, found attribute_not_exists"},
		{name: "a page that starts anew", fault: func(entry wire.Entry) *wire.FaultResponse {
			var asked struct{ ExclusiveStartKey json.RawMessage }
			if json.Unmarshal(entry.Request, &asked) != nil || asked.ExclusiveStartKey == nil {
				return nil
			}
			return answering(query, func(a map[string]any) { a["LastEvaluatedKey"] = asked.ExclusiveStartKey })(entry)
		}, claim: own, want: evidence.Indeterminate, text: "ends behind the key that it starts from"},
		{name: "a refusal with the status of a failure", fault: func(entry wire.Entry) *wire.FaultResponse {
			if entry.Operation != "PutItem" || entry.ConditionExpression == "" {
				return nil
			}
			return &wire.FaultResponse{Name: "fails", Status: 500, ErrorType: "ConditionalCheckFailedException"}
		}, amend: func(d *accesspatterns.Design, s *fixtures.Set) {
			for i := range s.Cases {
				if s.Cases[i].Pattern == "link-coach-once" {
					s.Cases[i].Error = "ConditionalCheckFailedException"
				}
			}
		}, claim: "pattern/link-coach-once", want: evidence.Error, text: "500"},
		{name: "a refusal of another code in a race", amend: func(_ *accesspatterns.Design, s *fixtures.Set) {
			for i := range s.Stress {
				if race := s.Stress[i].Race; race != nil {
					race.Refusals = []string{"ValidationException"}
				}
			}
		}, claim: "invariant/link-made-once", text: "expected ValidationException, found ConditionalCheckFailedException"},
	} {
		t.Run(row.name, func(t *testing.T) {
			design, err := designs.Find("roll-model")
			require.NoError(t, err)
			set, err := fixtures.Load("roll-model", time.Now())
			require.NoError(t, err)
			if row.amend != nil {
				row.amend(design, set)
			}
			session := base.Again(design, set)
			session.Client = dynamodb.New(session.Client.Options(), sending(row.sends))
			run.Inject(row.fault)
			defer run.Inject(nil)
			var last evidence.Result
			for _, id := range append(row.first, row.claim) {
				last = verdictOn(t, design, session, id)
			}
			if roots := rootProblems(last); last.Verdict != cmp.Or(row.want, evidence.Fail) || !strings.Contains(roots, row.text) {
				t.Errorf("%s: expected it to fail with %q, found %s: %s", row.claim, row.text, last.Verdict, roots)
			}
		})
	}
}

// TestWhatIsLookedAtBehindIsLookedAt changes what a check looks at besides its own requests: items behind the run's back, numbers
// that flows count, attributes that a finding says are lacking, and who writes a table that nobody writes.
func TestWhatIsLookedAtBehindIsLookedAt(t *testing.T) {
	expect := func(t *testing.T, result evidence.Result, text string) {
		t.Helper()
		if roots := rootProblems(result); result.Verdict != evidence.Fail || !strings.Contains(roots, text) {
			t.Errorf("expected a failure with %q, found %s", text, suite.Message(result))
		}
	}
	t.Run("an item that an index cannot show any more", func(t *testing.T) {
		run, design, session := opened(t, replay.Options{Designs: []string{"fus-main"}, Documents: documents(), Bounds: impatient})
		fixture, _ := session.Fixtures.Item("rating-of-site-10-by-user-1")
		_, err := pastOf(t, run, "fus-main").DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("fus-main"), Key: map[string]types.AttributeValue{"PK": fixture.Item["PK"], "SK": fixture.Item["SK"]}})
		require.NoError(t, err)
		lost := verdictOn(t, design, session, "pattern/five-star-ratings")
		expect(t, lost, "without rating-of-site-10-by-user-1")
		if notes := strings.Join(lost.Notes, "\n"); strings.Contains(notes, "has not shown") {
			t.Errorf("expected that the index is not waited for to show what its table has lost, found %s", notes)
		}
		for i := range design.Findings {
			if len(design.Findings[i].Lacks) > 0 {
				design.Findings[i].Lacks = []string{"membership.userId"}
				expect(t, verdictOn(t, design, session.Again(design, session.Fixtures), "finding/"+design.Findings[i].ID), "expected no attribute userId")
			}
		}
	})
	t.Run("a number that counts otherwise", func(t *testing.T) {
		_, design, session := opened(t, replay.Options{Designs: []string{"personal-os"}, Documents: documents(), Bounds: impatient, Amend: func(_ *accesspatterns.Design, set *fixtures.Set) {
			for i := range set.Stress {
				for n := range set.Stress[i].Numbers {
					set.Stress[i].Numbers[n].Step++
				}
			}
		}})
		counted := map[string]bool{}
		for _, stress := range session.Fixtures.Stress {
			if len(stress.Numbers) > 0 && !counted[stress.For] {
				counted[stress.For] = true
				expect(t, verdictOn(t, design, session, "invariant/"+stress.For), "after ")
			}
		}
		if len(counted) == 0 {
			t.Error("expected numbers that are counted, found none")
		}
	})
	t.Run("a claim writes what nobody writes", func(t *testing.T) {
		_, design, session := opened(t, replay.Options{Designs: []string{"roll-model"}, Documents: documents(), Bounds: impatient})
		verdictOn(t, design, session, "pattern/link-coach-once")
		design.Tables[0].ReadOnly = &accesspatterns.Promise{Cite: design.Tables[0].Cite}
		expect(t, verdictOn(t, design, session, "ledger/unwritten/RollModel"), "(roll-model/pattern/link-coach-once): expected no write of table RollModel")
	})
}
