package guard_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/tabletest"
)

// A counter whose name comes from data may be raised by its documented step, whatever its
// name, and nothing else of the item; one value of a parameter holds for the whole write.
func TestCounterByAName(t *testing.T) {
	one := ap.Operand{Type: dynamo.Number, Template: "1"}
	design := &ap.Design{
		Name:   "tallies",
		Tables: []ap.Table{{ID: "Tallies", Name: "Tallies", PartitionKey: ap.Key{Attribute: "depot", Type: dynamo.String}}},
		Entities: []ap.Entity{{ID: "tally", Table: "Tallies", Keys: []ap.KeyAttribute{{Attribute: "depot", Template: "{depot}"}}, Attributes: []ap.Attribute{
			{Name: "counts", Type: dynamo.Map}, {Name: "counts.*", Type: dynamo.Number}, {Name: "last", Type: dynamo.String, Presence: ap.Optional}}}},
		Patterns: []ap.Pattern{{ID: "move", Roles: []string{"depot"}, Steps: []ap.Step{{Name: "write", Write: []ap.Action{
			{Kind: ap.Update, Table: "Tallies", Item: "tally", Key: []ap.Equality{*designtest.Equals("depot", "{depot}")}, Set: []ap.Assignment{
				{Attribute: "counts.{from}", Operator: "-", Value: one}, {Attribute: "counts.{to}", Operator: "+", Value: one}, {Attribute: "last", Value: designtest.Text("{to}")},
			}}}}}}},
		Policies: ap.Policies{Roles: []ap.Role{{ID: "depot"}}},
	}
	g, err := guard.New(design, guard.ForRole("depot"))
	require.NoError(t, err)
	for update, passes := range tabletest.Read[map[string]bool](t, "counters.yaml") {
		_, err := g.Check(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String("Tallies"), Key: values{"depot": text("north")}, UpdateExpression: &update,
			ExpressionAttributeNames:  map[string]string{"#a": "kept", "#b": "in.transit", "#last": "last"},
			ExpressionAttributeValues: values{":one": number("1"), ":two": number("2"), ":a": text("kept"), ":b": text("in.transit")},
		})
		var refusal *guard.Refusal
		if passes != (err == nil) || err != nil && !errors.As(err, &refusal) {
			t.Errorf("%s: expected it to pass: %t, found %v", update, passes, err)
		}
	}
}
