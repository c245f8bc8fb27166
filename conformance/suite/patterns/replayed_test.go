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
	"dynaproof/conformance/suite/ledgertest"
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
	carriedOut := wire.Entry{Seq: 2}
	for _, row := range []struct {
		name     string
		attempts []wire.Entry
		want     int
	}{
		{"one attempt", []wire.Entry{carriedOut}, 2},
		{"an answer that the client lost", []wire.Entry{carriedOut, {Seq: 3}}, 2},
		{"throttled before", []wire.Entry{{Seq: 1, ErrorType: "ThrottlingException"}, carriedOut}, 2},
		{"no connection before", []wire.Entry{{Seq: 1, Failure: "no answer"}, carriedOut}, 2},
		{"never carried out", []wire.Entry{{Seq: 1, Failure: "no answer"}, {Seq: 4, ErrorType: "ValidationException"}}, 4},
	} {
		got := decisive(row.attempts)
		assert.True(t, len(got) == 1 && got[0].Seq == row.want, "%s: expected attempt %d, found %+v", row.name, row.want, got)
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
	s := &session.Session{Input: session.Input{Ledger: ledgertest.Entries{}, Grade: evidence.Engine}, Recorder: &recorder.Recorder{}}
	o := &observe.Observation{Claim: manifest.Claim{ID: "d/guardrail/g"}, Session: s, Rested: []evidence.Grade{evidence.Engine}}
	refusedByGuard(t.Context(), o, "here", client, input, &fixtures.Expectation{Refused: string(refusal.Rule)}, remedy.Advice{})
	if result := o.Result(); result.Verdict != evidence.Pass || result.Grade != evidence.Library {
		t.Errorf("expected a pass on evidence of grade library, found %s on %s: %+v", result.Verdict, result.Grade, result.Problems)
	}
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
		if err == nil {
			t.Errorf("%T: expected what was left unprocessed to be an error, found none", input)
			continue
		}
		if o.Request("here", err); o.Result().Verdict != evidence.Indeterminate {
			t.Errorf("%T: expected indeterminate, found %s: %v", input, o.Result().Verdict, err)
		}
	}
}

func TestShowPartition(t *testing.T) {
	const names, values = `"ExpressionAttributeNames": {"#n0": "PK", "#n1": "SK"}`, `"ExpressionAttributeValues": {":v0": {"S": "a"}, ":v1": {"S": "b"}}`
	const one = "PK equal to one value"
	for _, row := range []struct{ name, condition, given, want string }{
		{"partition alone", "#n0 = :v0", names + `, ` + values, one},
		{"with a prefix", "#n0 = :v0 AND begins_with(#n1, :v1)", names + `, ` + values, one},
		{"with an exact sort key", "#n1 = :v1 AND (#n0 = :v0)", names + `, ` + values, one},
		{"names as they are", "PK = :v0", values, one},
		{"no equality", "#n0 BETWEEN :v0 AND :v1", names + `, ` + values, "no value for PK"},
		{"the sort key alone", "#n1 = :v0", names + `, ` + values, "no value for PK"},
		{"no condition", "", names + `, ` + values, "no value for PK"},
		{"two values", "#n0 = :v0 AND #n0 = :v1", names + `, ` + values, "expected one value for PK, found two"},
		{"either of two values", "#n0 = :v0 OR #n0 = :v1", names + `, ` + values, "joined by AND"},
		{"a value within another", "#n1 <> :v0 AND NOT #n0 = :v1", names + `, ` + values, "joined by AND"},
		{"a value that is not given", "#n0 = :v2", names + `, ` + values, "every :value"},
		{"no JSON", "#n0 = :v0", `"`, "unexpected end"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := ShowPartition(wire.Entry{KeyConditionExpression: row.condition, Request: fmt.Appendf(nil, `{"KeyConditionExpression": %q, %s}`, row.condition, row.given)}, "PK")
			assert.True(t, strings.Contains(got, row.want) && (got == one) == (row.want == one), "expected %q, found %q", row.want, got)
		})
	}
}

// Text that must not be in any response is not absent from a response that the
// ledger does not hold.
func TestNotReturned(t *testing.T) {
	for _, row := range []struct {
		name     string
		response string
		want     evidence.Verdict
	}{
		{"without the text", `{"Items": []}`, evidence.Pass},
		{"with the text", `{"Items": [{"note": {"S": "secret"}}]}`, evidence.Fail},
		{"with the text, escaped", `{"Items": [{"note": {"M": {"deep": {"S": "d\u00e9prim\u00e9: \"s\u0065cret\"\n"}}}}]}`, evidence.Fail},
		{"with the text as a name", `{"Items": [{"secret": {"S": "x"}}]}`, evidence.Fail},
		{"a response that was not kept", "", evidence.Indeterminate},
	} {
		t.Run(row.name, func(t *testing.T) {
			entry := wire.Entry{Seq: 1, InvocationID: "x"}
			if row.response != "" {
				entry.Response = []byte(row.response)
			}
			session := &session.Session{Input: session.Input{Ledger: ledgertest.Entries{entry}}}
			o := &observe.Observation{Session: session}
			r := &replay{s: session, o: o}
			r.c.NotReturned = []string{"secret"}
			r.unseen("here", []string{"x"})
			assert.Equal(t, row.want, o.Result().Verdict)
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
