package sdk_test

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

func text(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }

// Each step of the contract becomes the request that its row says. A replay gives an edited item all that may be edited; a put item has what its
// step gives it; and what a step writes any number of times stands there as often as there are items.
func TestCompile(t *testing.T) {
	design, err := contract.Load(os.DirFS("testdata/notes"))
	require.NoError(t, err)
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
				input, err := designtest.Input(request)
				require.NoError(t, err)
				want = append(want, input)
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
	partition := designtest.Equals("PK", "USER#u")
	for _, row := range []struct {
		name, wantErr string
		read          accesspatterns.Read
	}{
		{"a text for a number key", "key attribute stars is defined as N, the condition gives a value of type S", accesspatterns.Read{
			Operation: dynamo.Query, Table: "notes", Index: "byStars", Partition: designtest.Equals("stars", "5"),
		}},
		{"a number for a text key", "key attribute PK is defined as S", accesspatterns.Read{
			Operation: dynamo.Query, Table: "notes", Partition: designtest.EqualsNumber("PK", "5"),
		}},
		{"another attribute as partition key", "expected a condition on key attribute PK, found SK", accesspatterns.Read{
			Operation: dynamo.Query, Table: "notes", Partition: designtest.Equals("SK", "x"),
		}},
		{"no partition key", "needs an equality on the partition key PK", accesspatterns.Read{Operation: dynamo.Query, Table: "notes"}},
		{"an unknown index", "knows no such index", accesspatterns.Read{Operation: dynamo.Query, Table: "notes", Index: "bySite", Partition: partition}},
		{"half a primary key", "needs the whole primary key", *designtest.Get("notes", partition)},
		{"a get by prefix", "needs the whole primary key", *designtest.Get("notes", partition, designtest.BeginsWith("SK", "N"))},
		{"a scan with a key", "a Scan has no key condition", accesspatterns.Read{Operation: dynamo.Scan, Table: "notes", Partition: partition}},
		{"digits that are none", "expected a number", accesspatterns.Read{
			Operation: dynamo.Query, Table: "notes", Index: "byStars", Partition: designtest.EqualsNumber("stars", "five"),
		}},
		{"another table", "expected table notes-2", accesspatterns.Read{Operation: dynamo.Scan, Table: "notes-2"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := sdk.Read(&row.read, designtest.Notes(), "notes-dev", nil)
			assert.ErrorContains(t, err, row.wantErr)
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
		inputs, err := sdk.Reads(read, designtest.Notes(), "notes-dev", repetitions)
		require.NoError(t, err)
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
	one := designtest.Get("n", designtest.EqualsNumber("n", "{n}"))
	one.Together = dynamo.BatchGetItem
	inputs, err := sdk.Reads(one, number, "n", []accesspatterns.Params{{"n": "1"}, {"n": "1.0"}})
	require.NoError(t, err)
	require.Len(t, inputs[0].(*dynamodb.BatchGetItemInput).RequestItems["n"].Keys, 1, "1 and 1.0 are one key, which DynamoDB takes once")
	scan := &accesspatterns.Read{Operation: dynamo.Scan, Table: "notes", Together: dynamo.BatchGetItem}
	_, err = sdk.Reads(scan, designtest.Notes(), "notes-dev", []accesspatterns.Params{{}})
	assert.Error(t, err, "expected a refusal to batch a Scan")
}

func TestBoundKeys(t *testing.T) {
	for condition, want := range map[string]string{
		"#p = :a AND begins_with(SK, :b)": `{"PK":{"S":"a"}}`,
		"(SK = :b) and #p=:a":             `{"PK":{"S":"a"},"SK":{"S":"b"}}`,
		"#p BETWEEN :a AND :b":            `{}`,
		"#p = :a AND PK = :b":             "expected one value for PK, found two",
		"#p = :a OR #p = :b":              "joined by AND",
		"#p = :c":                         "every :value",
		"":                                `key condition ""`,
	} {
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
	alone, err := sdk.Lookups(&dynamodb.GetItemInput{TableName: table, Key: key, ProjectionExpression: projection, ExpressionAttributeNames: names})
	require.NoError(t, err)
	require.Len(t, alone, 1)
	transaction := &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		{Get: &types.Get{TableName: table, Key: key, ProjectionExpression: projection, ExpressionAttributeNames: names}},
	}}
	for _, input := range []any{transaction, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"t": {Keys: []map[string]types.AttributeValue{key}, ProjectionExpression: projection, ExpressionAttributeNames: names},
	}}} {
		found, err := sdk.Lookups(input)
		require.NoError(t, err)
		assert.Equal(t, alone, found, sdk.Operation(input))
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
