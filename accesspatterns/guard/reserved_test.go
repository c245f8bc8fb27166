package guard_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
)

// What a pattern documents is refused where a reserved word stands in it without an alias, as DynamoDB refuses it; the refusal names
// the word and what to write. With the alias it passes.
func TestReservedWords(t *testing.T) {
	id := []ap.Equality{*designtest.Equals("id", "{id}")}
	design := &ap.Design{
		Name:   "notes",
		Tables: []ap.Table{{ID: "Notes", Name: "Notes", PartitionKey: ap.Key{Attribute: "id", Type: dynamo.String}}},
		Entities: []ap.Entity{{ID: "note", Table: "Notes", Keys: []ap.KeyAttribute{{Attribute: "id", Template: "{id}"}}, Attributes: []ap.Attribute{
			{Name: "status", Type: dynamo.String, Presence: ap.Optional}, {Name: "parts", Type: dynamo.Map, Presence: ap.Optional}, {Name: "parts.value", Type: dynamo.String, Presence: ap.Optional}}}},
		Patterns: []ap.Pattern{
			{ID: "read", Steps: []ap.Step{{Name: "read", Read: &ap.Read{Operation: dynamo.GetItem, Table: "Notes", Partition: &id[0]}}}},
			{ID: "edit", Steps: []ap.Step{{Name: "write", Write: []ap.Action{{Kind: ap.Update, Table: "Notes", Item: "note", Key: id, Edits: []string{"status", "parts"}}}}}},
		},
	}
	g, err := guard.New(design, guard.AnyRole())
	require.NoError(t, err)
	key := values{"id": text("1")}
	update := func(expression string, condition *string) *dynamodb.UpdateItemInput {
		return &dynamodb.UpdateItemInput{TableName: aws.String("Notes"), Key: key, UpdateExpression: &expression, ConditionExpression: condition, ExpressionAttributeValues: values{":s": text("new")},
			ExpressionAttributeNames: map[string]string{"#status": "status", "#value": "value"}}
	}
	get := func(projection string) *dynamodb.GetItemInput {
		return &dynamodb.GetItemInput{TableName: aws.String("Notes"), Key: key, ProjectionExpression: &projection, ExpressionAttributeNames: map[string]string{"#status": "status"}}
	}
	within := func(u *dynamodb.UpdateItemInput) *dynamodb.TransactWriteItemsInput {
		return &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Update: &types.Update{TableName: u.TableName, Key: u.Key, UpdateExpression: u.UpdateExpression,
			ConditionExpression: u.ConditionExpression, ExpressionAttributeNames: u.ExpressionAttributeNames, ExpressionAttributeValues: u.ExpressionAttributeValues}}}}
	}
	for name, row := range map[string]struct {
		input any
		word  string
	}{
		"an alias":                    {update("SET #status = :s", nil), ""},
		"an alias within a path":      {update("SET parts.#value = :s", nil), ""},
		"an update":                   {update("SET status = :s", nil), "status"},
		"a removal":                   {update("SET parts.#value = :s REMOVE status", nil), "status"},
		"a member":                    {update("SET parts.value = :s", nil), "value"},
		"a condition":                 {update("SET #status = :s", aws.String("attribute_exists(status)")), "status"},
		"the size of it":              {update("SET #status = :s", aws.String("size(status) > :s")), "status"},
		"an update in a transaction":  {within(update("SET status = :s", nil)), "status"},
		"an alias in a transaction":   {within(update("SET #status = :s", nil)), ""},
		"a projection":                {get("id, status"), "status"},
		"an alias in a projection":    {get("id, #status"), ""},
		"reads in a batch":            {&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"Notes": {Keys: []map[string]types.AttributeValue{key}, ProjectionExpression: aws.String("status")}}}, "status"},
		"a query by the key":          {&dynamodb.QueryInput{TableName: aws.String("Notes"), KeyConditionExpression: aws.String("id = :i"), ProjectionExpression: aws.String("status"), ExpressionAttributeValues: values{":i": text("1")}}, "status"},
		"a query without such a word": {&dynamodb.QueryInput{TableName: aws.String("Notes"), KeyConditionExpression: aws.String("id = :i"), ExpressionAttributeValues: values{":i": text("1")}}, ""},
	} {
		_, err := g.Check(t.Context(), row.input)
		switch {
		case row.word == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case row.word != "" && (err == nil || !strings.Contains(err.Error(), "expected #"+row.word+", with "+row.word+" under it in ExpressionAttributeNames, found "+row.word+" as it is, a reserved word that DynamoDB refuses")):
			t.Errorf("%s: expected a refusal of %s, found %v", name, row.word, err)
		}
	}
}
