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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/tabletest"
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
	query := func(entry wire.Entry) bool { return entry.Operation == "Query" }
	single := func(entry wire.Entry) bool { return query(entry) && aws.ToInt(entry.Limit) == 1 }
	queried := func(change func(*dynamodb.QueryInput)) func(any) {
		return func(input any) {
			if query, is := input.(*dynamodb.QueryInput); is {
				change(query)
			}
		}
	}
	// What a row sends otherwise, and how it is answered otherwise.
	sends := map[string]func(input any){
		"no condition on the sort key": queried(func(query *dynamodb.QueryInput) {
			partition, _, _ := strings.Cut(aws.ToString(query.KeyConditionExpression), " AND ")
			query.KeyConditionExpression = &partition
		}),
		"no projection": queried(func(query *dynamodb.QueryInput) { query.ProjectionExpression = nil }),
		"a write without its condition": func(input any) {
			if put, is := input.(*dynamodb.PutItemInput); is {
				put.ConditionExpression = nil
			}
		},
		"no projection on the wire": queried(func(query *dynamodb.QueryInput) {
			query.ProjectionExpression = nil
			used := strings.Fields(aws.ToString(query.KeyConditionExpression))
			query.ExpressionAttributeNames = maps.Clone(query.ExpressionAttributeNames)
			maps.DeleteFunc(query.ExpressionAttributeNames, func(name, _ string) bool {
				return !slices.ContainsFunc(used, func(word string) bool { return strings.Trim(strings.TrimPrefix(word, "begins_with"), "(),") == name })
			})
		}),
		"a filter on the wire": queried(func(query *dynamodb.QueryInput) { query.FilterExpression = aws.String("attribute_not_exists(nothing)") }),
	}
	faults := map[string]wire.Fault{
		"a page that starts anew": func(entry wire.Entry) *wire.FaultResponse {
			var asked struct{ ExclusiveStartKey json.RawMessage }
			if json.Unmarshal(entry.Request, &asked) != nil || asked.ExclusiveStartKey == nil {
				return nil
			}
			return answering(query, func(a map[string]any) { a["LastEvaluatedKey"] = asked.ExclusiveStartKey })(entry)
		},
		"a refusal with the status of a failure": func(entry wire.Entry) *wire.FaultResponse {
			if entry.Operation != "PutItem" || entry.ConditionExpression == "" {
				return nil
			}
			return &wire.FaultResponse{Name: "fails", Status: 500, ErrorType: "ConditionalCheckFailedException"}
		},
	}
	rows := tabletest.Read[map[string]struct {
		Amend       map[string]string
		Answer, To  string   // what jq makes of the answers to Queries: to all, to those page by page, or to those of the pattern as a whole
		First       []string // claims that run before
		Claim, Text string   // the one that must fail, with this text
		Want        evidence.Verdict
	}](t, "observed.yaml")
	for _, name := range slices.AppendSeq(slices.Collect(maps.Keys(sends)), maps.Keys(faults)) {
		require.Contains(t, rows, name)
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			design := tabletest.Must(designs.Find("roll-model"))(t)
			set := tabletest.Must(fixtures.Load("roll-model", time.Now()))(t)
			breakage{Amend: row.Amend}.amend(t, design, set)
			session := base.Again(design, set)
			session.Client = dynamodb.New(session.Client.Options(), sending(sends[name]))
			fault := faults[name]
			if row.Answer != "" {
				of := map[string]func(wire.Entry) bool{"": query, "pages": single, "pattern": func(e wire.Entry) bool { return query(e) && !single(e) }}[row.To]
				fault = answering(of, func(answer map[string]any) {
					changed := tabletest.JQ(t, row.Answer, answer).(map[string]any)
					clear(answer)
					maps.Copy(answer, changed)
				})
			}
			run.Inject(fault)
			defer run.Inject(nil)
			var last evidence.Result
			for _, id := range append(row.First, row.Claim) {
				last = verdictOn(t, design, session, id)
			}
			if roots := rootProblems(last); last.Verdict != cmp.Or(row.Want, evidence.Fail) || !strings.Contains(roots, row.Text) {
				t.Errorf("%s: expected it to fail with %q, found %s: %s", row.Claim, row.Text, last.Verdict, roots)
			}
		})
	}
}

// TestWhatIsLookedAtBehindIsLookedAt changes what a check looks at besides its own requests: items behind the run's back, numbers
// that flows count, attributes that a finding says are lacking, and who writes a table that nobody writes.
func TestWhatIsLookedAtBehindIsLookedAt(t *testing.T) {
	expect := func(t *testing.T, result evidence.Result, text string) {
		t.Helper()
		assert.True(t, result.Verdict == evidence.Fail && strings.Contains(rootProblems(result), text), "expected a failure with %q, found %s", text, suite.Message(result))
	}
	t.Run("an item that an index cannot show any more", func(t *testing.T) {
		run, design, session := opened(t, replay.Options{Designs: []string{"fus-main"}, Documents: documents(), Bounds: impatient})
		fixture, _ := session.Fixtures.Item("rating-of-site-10-by-user-1")
		_, err := pastOf(t, run, "fus-main").DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("fus-main"), Key: map[string]types.AttributeValue{"PK": fixture.Item["PK"], "SK": fixture.Item["SK"]}})
		require.NoError(t, err)
		lost := verdictOn(t, design, session, "pattern/five-star-ratings")
		expect(t, lost, "without rating-of-site-10-by-user-1")
		assert.NotContains(t, strings.Join(lost.Notes, "\n"), "has not shown", "expected that the index is not waited for to show what its table has lost")
		for i := range design.Findings {
			if len(design.Findings[i].Lacks) > 0 {
				design.Findings[i].Lacks = []string{"membership.userId"}
				expect(t, verdictOn(t, design, session.Again(design, session.Fixtures), "finding/"+design.Findings[i].ID), "expected no attribute userId")
			}
		}
	})
	t.Run("a number that counts otherwise", func(t *testing.T) {
		_, design, session := opened(t, replay.Options{Designs: []string{"personal-os"}, Documents: documents(), Bounds: impatient, Amend: func(_ *accesspatterns.Design, set *fixtures.Set) {
			amend(t, "stress.*.numbers.*.step", ". + 1", set)
		}})
		counted := map[string]bool{}
		for _, stress := range session.Fixtures.Stress {
			if len(stress.Numbers) > 0 && !counted[stress.For] {
				counted[stress.For] = true
				expect(t, verdictOn(t, design, session, "invariant/"+stress.For), "after ")
			}
		}
		assert.NotEmpty(t, counted, "expected numbers that are counted")
	})
	t.Run("a claim writes what nobody writes", func(t *testing.T) {
		_, design, session := opened(t, replay.Options{Designs: []string{"roll-model"}, Documents: documents(), Bounds: impatient})
		verdictOn(t, design, session, "pattern/link-coach-once")
		design.Tables[0].ReadOnly = &accesspatterns.Promise{Cite: design.Tables[0].Cite}
		expect(t, verdictOn(t, design, session, "ledger/unwritten/RollModel"), "(roll-model/pattern/link-coach-once): expected no write of table RollModel")
	})
}
