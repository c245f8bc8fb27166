package patterns

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/test/standin"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// A counterexample that ends with a read has been seen where the engine returns an item of it, on any page, and nowhere else.
func TestAReplayedReadReturnsAnItemOfTheCounterexample(t *testing.T) {
	const made, theirs, ours = `{"id": {"S": "made"}, "of": {"S": "user"}}`, `{"id": {"S": "theirs"}, "of": {"S": "user"}, "note": {"S": "x"}}`, `{"id": {"S": "ours"}, "of": {"S": "user"}, "note": {"S": "x"}}`
	query := &dynamodb.QueryInput{
		TableName: aws.String("T"), IndexName: aws.String("by-user"), KeyConditionExpression: aws.String("#of = :of"), Limit: aws.Int32(1),
		ExpressionAttributeNames: map[string]string{"#of": "of"}, ExpressionAttributeValues: accesspatterns.Item{":of": &types.AttributeValueMemberS{Value: "user"}},
	}
	put := &dynamodb.PutItemInput{TableName: aws.String("T"), Item: accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: "made"}, "of": &types.AttributeValueMemberS{Value: "user"}}}
	for _, row := range []struct {
		name    string
		inputs  []any
		pages   []string
		verdict evidence.Verdict
	}{
		{"an item of it", []any{query}, []string{theirs}, evidence.Pass},
		{"a part of one", []any{query}, []string{`{"note": {"S": "x"}}`}, evidence.Pass},
		{"one on a later page", []any{query}, []string{ours, theirs}, evidence.Pass},
		{"one that it made", []any{put, query}, []string{made}, evidence.Pass},
		{"one that it had not made yet", []any{query}, []string{made}, evidence.Fail},
		{"other items", []any{query}, []string{ours}, evidence.Fail},
		{"none", []any{query}, []string{""}, evidence.Fail},
	} {
		t.Run(row.name, func(t *testing.T) {
			stored, queries := map[string]json.RawMessage{}, 0
			service := standin.Service(func(w http.ResponseWriter, operation, asked string) {
				var in struct {
					Item, Key map[string]struct{ S string }
				}
				assert.NoError(t, json.Unmarshal([]byte(asked), &in))
				answer := "{}"
				switch operation {
				case "PutItem":
					var whole struct{ Item json.RawMessage }
					assert.NoError(t, json.Unmarshal([]byte(asked), &whole))
					stored[in.Item["id"].S] = whole.Item
				case "GetItem":
					if item, is := stored[in.Key["id"].S]; is {
						answer = fmt.Sprintf(`{"Item": %s}`, item)
					}
				case "Query":
					more := ""
					if queries < len(row.pages)-1 {
						more = `, "LastEvaluatedKey": {"id": {"S": "ours"}, "of": {"S": "user"}}`
					}
					items := row.pages[min(queries, len(row.pages)-1)]
					answer = fmt.Sprintf(`{"Items": [%s], "Count": %d, "ScannedCount": 1%s}`, items, min(1, len(items)), more)
					queries++
				}
				_, _ = io.WriteString(w, answer)
			})
			design := &accesspatterns.Design{Name: "d", Tables: []accesspatterns.Table{{ID: "T", PartitionKey: accesspatterns.Key{Attribute: "id", Type: dynamo.String}}}}
			s := &session.Session{
				Input:  session.Input{Design: design, Fixtures: &fixtures.Set{}, Deployment: session.Deployment{Tables: map[string]string{"T": "deployed"}}, Grade: evidence.Engine},
				Client: service.Client(), Recorder: recorder.New(), Loaded: map[string]accesspatterns.Item{},
			}
			one := explore.Counterexample{Patterns: []string{"p"}, Items: map[string][]accesspatterns.Item{"T": {{
				"id": &types.AttributeValueMemberS{Value: "theirs"}, "of": &types.AttributeValueMemberS{Value: "user"}, "note": &types.AttributeValueMemberS{Value: "x"},
			}}}}
			for _, input := range row.inputs {
				one.Requests = append(one.Requests, explore.Request{Input: input})
			}
			o := &observe.Observation{Session: s}
			replayShortest(t.Context(), o, &explore.Law{Broken: []explore.Counterexample{one}})
			result := o.Result()
			require.Equal(t, row.verdict, result.Verdict, "%+v", result)
		})
	}
}

// A call counts once, however often the client asked.
func TestDecisive(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name     string
		Attempts []map[string]any
		Want     int
	}](t, "decisive.yaml") {
		got := decisive(tabletest.As[[]wire.Entry](t, row.Attempts))
		assert.True(t, len(got) == 1 && got[0].Seq == row.Want, "%s: expected attempt %d, found %+v", row.Name, row.Want, got)
	}
	assert.Empty(t, decisive(nil), "expected nothing of a call that never left")
}

// What the guard refuses has reached no engine, and is not evidence of one.
func TestARefusalOfTheGuardIsOfTheLibrary(t *testing.T) {
	design := tabletest.Must(designs.Find("fus-main"))(t)
	table := design.Tables[0].ID
	client := dynamodb.New(dynamodb.Options{Region: "eu-west-1"}, guard.Enforce(design, guard.WithTables(map[string]string{table: "t"}), guard.AnyRole(), guard.WithLogger(slog.New(slog.DiscardHandler))))
	name := "t"
	input := &dynamodb.ScanInput{TableName: &name}
	_, err := client.Scan(t.Context(), input)
	var refusal *guard.Refusal
	require.ErrorAs(t, err, &refusal)
	s := &session.Session{Input: session.Input{Ledger: wire.LedgerOf(), Grade: evidence.Engine}, Recorder: &recorder.Recorder{}}
	o := &observe.Observation{Claim: manifest.Claim{ID: "d/guardrail/g"}, Session: s, Rested: []evidence.Grade{evidence.Engine}}
	refusedByGuard(t.Context(), o, "here", client, input, &fixtures.Expectation{Refused: string(refusal.Rule)}, remedy.Advice{})
	result := o.Result()
	assert.True(t, result.Verdict == evidence.Pass && result.Grade == evidence.Library, "expected a pass on evidence of grade library, found %+v", result)
}

// A batch that was throttled in part says nothing about what is missing from it.
func TestAnUnprocessedBatchDecidesNothing(t *testing.T) {
	service := standin.Service(func(w http.ResponseWriter, operation, _ string) {
		if operation == "BatchGetItem" {
			_, _ = io.WriteString(w, `{"Responses":{"T":[]},"UnprocessedKeys":{"T":{"Keys":[{"id":{"S":"a"}}]}}}`)
			return
		}
		_, _ = io.WriteString(w, `{"UnprocessedItems":{"T":[{"DeleteRequest":{"Key":{"id":{"S":"a"}}}}]}}`)
	})
	for _, input := range []any{
		&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{}},
		&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{}},
	} {
		o := &observe.Observation{Session: &session.Session{}}
		_, err := send(t.Context(), service.Client(), input)
		require.Error(t, err, "%T: expected what was left unprocessed to be an error", input)
		o.Request("here", err)
		assert.Equal(t, evidence.Indeterminate, o.Result().Verdict, "%T: %v", input, err)
	}
}

func TestShowPartition(t *testing.T) {
	const one = "PK equal to one value"
	for _, row := range tabletest.Read[[]struct{ Name, Condition, Given, Want string }](t, "partitions.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			got := ShowPartition(wire.Entry{KeyConditionExpression: row.Condition, Request: fmt.Appendf(nil, `{"KeyConditionExpression": %q, %s}`, row.Condition, row.Given)}, "PK")
			assert.True(t, strings.Contains(got, row.Want) && (got == one) == (row.Want == one), "expected %q, found %q", row.Want, got)
		})
	}
}

// Text that must not be in any response is not absent from a response that the
// ledger does not hold.
func TestNotReturned(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Response string
		Want           evidence.Verdict
	}](t, "responses.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			entry := wire.Entry{Seq: 1, InvocationID: "x"}
			if row.Response != "" {
				entry.Response = []byte(row.Response)
			}
			session := &session.Session{Input: session.Input{Ledger: wire.LedgerOf(entry)}}
			o := &observe.Observation{Session: session}
			r := &replay{s: session, o: o}
			r.c.NotReturned = []string{"secret"}
			r.unseen("here", []string{"x"})
			assert.Equal(t, row.Want, o.Result().Verdict)
		})
	}
}

// A request in the form from before expressions has filters that no expression
// shows.
func TestWitnessedSeesLegacyParameters(t *testing.T) {
	table := &accesspatterns.Table{ID: "t", PartitionKey: accesspatterns.Key{Attribute: "PK", Type: dynamo.String}}
	read := &accesspatterns.Read{Operation: dynamo.Query, Table: "t", Partition: designtest.Equals("PK", "x")}
	entry := wire.Entry{
		Operation: "Query", Tables: []string{"t"}, KeyConditionExpression: "PK = :v", Request: []byte(`{}`), LegacyParameters: []string{"QueryFilter"},
	}
	o := &observe.Observation{}
	witnessedEntry(o, "here", read, table, "t", entry)
	assert.Contains(t, fmt.Sprint(o.Result().Problems), "QueryFilter", "expected the legacy parameter to be named")
}
