package patterns

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/explore"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/test/standin"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/recorder"
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
