package suite_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

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
				change(in.Parameters)
				return next.HandleInitialize(ctx, in)
			}), middleware.After)
		})
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
	const documented = "ledger/documented-requests"
	for _, row := range []struct {
		name  string
		amend func(*accesspatterns.Design, *fixtures.Set)
		sends func(input any)
		fault wire.Fault
		// first are claims that run before, claim is the one that must fail with text.
		first       []string
		claim, text string
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
		{name: "more inspected than returned", fault: func(entry wire.Entry) *wire.FaultResponse {
			if entry.Operation != "Query" {
				return nil
			}
			return &wire.FaultResponse{Name: "inspects more", Forward: true, Amend: func(body []byte) []byte {
				var answer map[string]any
				if json.Unmarshal(body, &answer) != nil {
					return body
				}
				answer["ScannedCount"] = answer["ScannedCount"].(float64) + 100
				text, _ := json.Marshal(answer)
				return text
			}}
		}, first: []string{"pattern/list-own-entries"}, claim: documented, text: "scanned count: expected"},
	} {
		t.Run(row.name, func(t *testing.T) {
			design, err := designs.Find("roll-model")
			if err != nil {
				t.Fatal(err)
			}
			set, err := fixtures.Load("roll-model", time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if row.amend != nil {
				row.amend(design, set)
			}
			session := base.Again(design, set)
			if row.sends != nil {
				session.Client = dynamodb.New(session.Client.Options(), sending(row.sends))
			}
			run.Inject(row.fault)
			defer run.Inject(nil)
			var last evidence.Result
			for _, id := range append(row.first, row.claim) {
				for _, spec := range suite.Specs(design) {
					if spec.Claim.ID == "roll-model/"+id {
						last = spec.Run(t.Context(), session, nil)
					}
				}
			}
			if roots := rootProblems(last); last.Verdict != evidence.Fail || !strings.Contains(roots, row.text) {
				t.Errorf("%s: expected it to fail with %q, found %s: %s", row.claim, row.text, last.Verdict, roots)
			}
		})
	}
}
