package accesspatterns_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/tabletest"
)

// Each step of the contract becomes the request that its row says. A replay gives an edited item all that may be edited; a put item has what its
// step gives it; and what a step writes any number of times stands there as often as there are items.
func TestCompile(t *testing.T) {
	design := tabletest.Must(contract.Load(os.DirFS("testdata/notes")))(t)
	for _, row := range tabletest.Read[[]struct {
		Name, Pattern, Refused string
		Params                 accesspatterns.Params
		Items                  map[string][]map[string]any // by the role that they play
		Requests               []map[string]any
	}](t, "compiled.yaml") {
		t.Run(row.Pattern+" "+row.Name, func(t *testing.T) {
			pattern, known := design.Pattern(row.Pattern)
			require.True(t, known)
			step := &pattern.Steps[0]
			names := sdk.Names{
				Table: func(id string) (string, error) { return id + "-dev", nil },
				Items: func(role string) (items []accesspatterns.Item, _ error) {
					for _, item := range row.Items[role] {
						items = append(items, tabletest.Item(t, item))
					}
					return items, nil
				},
			}
			got, err := sdk.StepWrites(step, names, []accesspatterns.Params{row.Params})
			if step.Read != nil {
				got, err = sdk.Reads(step.Read, &design.Tables[0], "notes-dev", []accesspatterns.Params{row.Params})
			}
			if row.Refused != "" {
				require.ErrorContains(t, err, row.Refused)
				return
			}
			require.NoError(t, err)
			var want []any
			for _, request := range row.Requests {
				want = append(want, tabletest.Must(designtest.Input(request))(t))
			}
			assert.Equal(t, want, got)
		})
	}
}

// The operations of a step are those of all that its writes may be.
func TestWriteOperations(t *testing.T) {
	several := accesspatterns.Step{Write: []accesspatterns.Action{
		{Kind: accesspatterns.Update, Times: accesspatterns.AtMostOnce}, {Kind: accesspatterns.Put, Times: accesspatterns.AnyNumber}, {Kind: accesspatterns.Delete, Times: accesspatterns.AnyNumber},
	}}
	assert.Equal(t, []dynamo.Operation{dynamo.TransactWriteItems, dynamo.UpdateItem, dynamo.PutItem, dynamo.DeleteItem}, several.WriteOperations(), "a transaction or any of the writes alone")
	always := accesspatterns.Step{Write: []accesspatterns.Action{{Kind: accesspatterns.Put}, {Kind: accesspatterns.Delete, Times: accesspatterns.AnyNumber}}}
	assert.Equal(t, []dynamo.Operation{dynamo.TransactWriteItems, dynamo.PutItem}, always.WriteOperations(), "a transaction or the put alone")
	always.Write = always.Write[:1]
	assert.Equal(t, []dynamo.Operation{dynamo.PutItem}, always.WriteOperations(), "the put alone")
}

// Engines differ in what they accept, so a wrong request must not even be sent.
func TestCompileRefuses(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Refused string
		Read          map[string]any
	}](t, "reads_refused.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			read := tabletest.As[accesspatterns.Read](t, row.Read)
			_, err := sdk.Read(&read, designtest.Notes(), "notes-dev", nil)
			assert.ErrorContains(t, err, row.Refused)
		})
	}
}

// Several items by one request: a key stands in it once, and what is more than DynamoDB
// takes goes into a further request.
func TestCompileAll(t *testing.T) {
	read := designtest.Get("notes", designtest.Equals("PK", "SITE#{siteId}"), designtest.Is("SK", "NOTE#{id}"))
	read.Projection = []string{"stars"}
	var repetitions []accesspatterns.Params
	for i := range 101 {
		repetitions = append(repetitions, accesspatterns.Params{"siteId": "1", "id": fmt.Sprint(i)})
	}
	repetitions = append(repetitions, repetitions[0])
	for operation, want := range map[dynamo.Operation][]int{"": nil, dynamo.BatchGetItem: {100, 1}, dynamo.TransactGetItems: {100, 1}} {
		read.Together = operation
		inputs := tabletest.Must(sdk.Reads(read, designtest.Notes(), "notes-dev", repetitions))(t)
		var sizes []int
		for _, input := range inputs {
			switch input := input.(type) {
			case *dynamodb.BatchGetItemInput:
				keys := input.RequestItems["notes-dev"]
				sizes = append(sizes, len(keys.Keys))
				assert.True(t, aws.ToBool(keys.ConsistentRead) && aws.ToString(keys.ProjectionExpression) != "" && dynamo.Equal(keys.Keys[0]["PK"], text("SITE#1")),
					"expected a consistent read of the key with its projection, found %+v", keys)
			case *dynamodb.TransactGetItemsInput:
				sizes = append(sizes, len(input.TransactItems))
				if get := input.TransactItems[0].Get; aws.ToString(get.TableName) != "notes-dev" || aws.ToString(get.ProjectionExpression) == "" || !dynamo.Equal(get.Key["SK"], text("NOTE#"+map[int]string{1: "0", 2: "100"}[len(sizes)])) {
					t.Errorf("expected the key with its projection, found %+v", get)
				}
			}
		}
		assert.True(t, slices.Equal(sizes, want) && (operation != "" || len(inputs) == len(repetitions)),
			"%s: expected requests of %v items, found %v of %d requests", operation, want, sizes, len(inputs))
	}
	number := &accesspatterns.Table{ID: "n", PartitionKey: accesspatterns.Key{Attribute: "n", Type: dynamo.Number}}
	one := designtest.Get("n", &accesspatterns.Equality{Attribute: "n", Value: designtest.Digits("{n}")})
	one.Together = dynamo.BatchGetItem
	inputs := tabletest.Must(sdk.Reads(one, number, "n", []accesspatterns.Params{{"n": "1"}, {"n": "1.0"}}))(t)
	require.Len(t, inputs[0].(*dynamodb.BatchGetItemInput).RequestItems["n"].Keys, 1, "1 and 1.0 are one key, which DynamoDB takes once")
	scan := &accesspatterns.Read{Operation: dynamo.Scan, Table: "notes", Together: dynamo.BatchGetItem}
	_, err := sdk.Reads(scan, designtest.Notes(), "notes-dev", []accesspatterns.Params{{}})
	assert.Error(t, err, "expected a refusal to batch a Scan")
}

func TestBoundKeys(t *testing.T) {
	for condition, want := range tabletest.Read[map[string]string](t, "bound_keys.yaml") {
		bound, err := sdk.BoundKeys(&dynamodb.QueryInput{
			KeyConditionExpression: &condition, ExpressionAttributeNames: map[string]string{"#p": "PK"},
			ExpressionAttributeValues: accesspatterns.Item{":a": text("a"), ":b": text("b")},
		})
		found := dynamo.ShowItem(bound)
		if err != nil {
			found = err.Error()
		}
		assert.Contains(t, found, want, "%q", condition)
	}
}

func TestAttributesOf(t *testing.T) {
	names := map[string]string{"#a": "sections", "#b": "private", "#c": "owner"}
	found := sdk.AttributesOf(names, aws.String("NOT attribute_type(#a.#b, :s)"), nil, aws.String("SET #c = :c, n = #a"))
	assert.Equal(t, "n owner sections", strings.Join(found, " "))
}

// A read of a key is the same whether it is sent alone, in a batch or in a transaction.
func TestLookupsLookTheSame(t *testing.T) {
	table, key := aws.String("t"), accesspatterns.Item{"PK": &types.AttributeValueMemberS{Value: "1"}}
	projection, names := aws.String("#a"), map[string]string{"#a": "a"}
	alone := tabletest.Must(sdk.Lookups(&dynamodb.GetItemInput{TableName: table, Key: key, ProjectionExpression: projection, ExpressionAttributeNames: names}))(t)
	require.Len(t, alone, 1)
	transaction := &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		{Get: &types.Get{TableName: table, Key: key, ProjectionExpression: projection, ExpressionAttributeNames: names}},
	}}
	for _, input := range []any{transaction, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"t": {Keys: []map[string]types.AttributeValue{key}, ProjectionExpression: projection, ExpressionAttributeNames: names},
	}}} {
		assert.Equal(t, alone, tabletest.Must(sdk.Lookups(input))(t), sdk.Operation(input))
	}
	transaction.TransactItems = append([]types.TransactGetItem{{}}, transaction.TransactItems...)
	found, err := sdk.Lookups(transaction)
	require.ErrorContains(t, err, "expected a Get in each element of a transaction, found none")
	assert.Equal(t, alone, found, "beside an element that reads nothing")
	found, err = sdk.Lookups(&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"none": {ProjectionExpression: projection},
		"t":    {Keys: []map[string]types.AttributeValue{key}, ProjectionExpression: projection, ExpressionAttributeNames: names},
	}})
	require.ErrorContains(t, err, "expected a key in each table of a batch, found none for none")
	assert.Equal(t, alone, found, "beside a table that nothing is read of")
}
