package sdk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/sdk"
)

func text(value string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: value} }
func digits(value string) types.AttributeValue { return &types.AttributeValueMemberN{Value: value} }

func TestCompile(t *testing.T) {
	for _, row := range []struct {
		name   string
		read   accesspatterns.Read
		params accesspatterns.Params
		want   any
	}{
		{
			name:   "get by the whole primary key",
			read:   *designtest.Get("notes", designtest.Equals("PK", "USER#{userId}"), designtest.Is("SK", "PROFILE")),
			params: accesspatterns.Params{"userId": "u-1"},
			want: &dynamodb.GetItemInput{
				TableName: aws.String("notes-dev"), Key: accesspatterns.Item{"PK": text("USER#u-1"), "SK": text("PROFILE")},
				ConsistentRead: aws.Bool(true), ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
			},
		},
		{
			name: "query by prefix with projection, filter and order",
			read: accesspatterns.Read{
				Operation: dynamo.Query, Table: "notes", Partition: designtest.Equals("PK", "USER#{userId}"),
				Sort: designtest.BeginsWith("SK", "NOTE#"), Order: accesspatterns.Ascending, Projection: []string{"SK", "body.text"},
				Filter: []accesspatterns.Condition{
					{Attribute: "kind", Operator: expression.Equal, Value: designtest.Text("{kind}")},
					{Attribute: "stars", Operator: expression.Exists},
				},
			},
			params: accesspatterns.Params{"userId": "u-1", "kind": "draft"},
			want: &dynamodb.QueryInput{
				TableName: aws.String("notes-dev"), KeyConditionExpression: aws.String("#n0 = :v0 AND begins_with(#n1, :v1)"),
				FilterExpression: aws.String("#n2 = :v2 AND attribute_exists(#n3)"), ProjectionExpression: aws.String("#n1, #n4.#n5"),
				ExpressionAttributeNames:  map[string]string{"#n0": "PK", "#n1": "SK", "#n2": "kind", "#n3": "stars", "#n4": "body", "#n5": "text"},
				ExpressionAttributeValues: accesspatterns.Item{":v0": text("USER#u-1"), ":v1": text("NOTE#"), ":v2": text("draft")},
				ScanIndexForward:          aws.Bool(true), ConsistentRead: aws.Bool(true), ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
			},
		},
		{
			name: "query an index by number, newest first, one item",
			read: accesspatterns.Read{
				Operation: dynamo.Query, Table: "notes", Index: "byStars", Partition: designtest.EqualsNumber("stars", "{stars}"),
				Order: accesspatterns.Descending, Limit: 1,
			},
			params: accesspatterns.Params{"stars": "5"},
			want: &dynamodb.QueryInput{
				TableName: aws.String("notes-dev"), IndexName: aws.String("byStars"), KeyConditionExpression: aws.String("#n0 = :v0"),
				ExpressionAttributeNames: map[string]string{"#n0": "stars"}, ExpressionAttributeValues: accesspatterns.Item{":v0": digits("5")},
				ScanIndexForward: aws.Bool(false), Limit: aws.Int32(1), ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
			},
		},
		{
			name: "query a range, both ends included",
			read: accesspatterns.Read{
				Operation: dynamo.Query, Table: "notes", Partition: designtest.Equals("PK", "METRIC#{id}"),
				Sort: designtest.Within("SK", "LOG#{from}", "LOG#{to}"),
			},
			params: accesspatterns.Params{"id": "m", "from": "1", "to": "2"},
			want: &dynamodb.QueryInput{
				TableName: aws.String("notes-dev"), KeyConditionExpression: aws.String("#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2"),
				ExpressionAttributeNames:  map[string]string{"#n0": "PK", "#n1": "SK"},
				ExpressionAttributeValues: accesspatterns.Item{":v0": text("METRIC#m"), ":v1": text("LOG#1"), ":v2": text("LOG#2")},
				ConsistentRead:            aws.Bool(true), ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
			},
		},
		{
			name: "waived scan in explicit pages",
			read: accesspatterns.Read{
				Operation: dynamo.Scan, Table: "notes", PageSize: 25,
				Filter: []accesspatterns.Condition{{Attribute: "isActive", Operator: expression.Equal, Value: designtest.True()}},
			},
			want: &dynamodb.ScanInput{
				TableName: aws.String("notes-dev"), FilterExpression: aws.String("#n0 = :v0"), Limit: aws.Int32(25),
				ExpressionAttributeNames:  map[string]string{"#n0": "isActive"},
				ExpressionAttributeValues: accesspatterns.Item{":v0": &types.AttributeValueMemberBOOL{Value: true}},
				ConsistentRead:            aws.Bool(true), ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
			},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := sdk.Read(&row.read, designtest.Notes(), "notes-dev", row.params)
			require.NoError(t, err)
			ignore := cmpopts.IgnoreUnexported(
				dynamodb.GetItemInput{}, dynamodb.QueryInput{}, dynamodb.ScanInput{},
				types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberBOOL{})
			assert.Empty(t, cmp.Diff(row.want, got, ignore), "request (-want +got)")
		})
	}
}

// What a write says about the members of a set.
func TestCompileMembers(t *testing.T) {
	condition := func(operator expression.Operator, value accesspatterns.Operand) accesspatterns.Condition {
		return accesspatterns.Condition{Attribute: "tags", Operator: operator, Value: value}
	}
	step := accesspatterns.Step{Name: "s", Write: []accesspatterns.Action{{
		Kind: accesspatterns.Update, Table: "notes",
		Key: []accesspatterns.Equality{*designtest.Equals("PK", "NOTE#{id}"), *designtest.Equals("SK", "META")},
		Set: []accesspatterns.Assignment{
			{Attribute: "tags", Operator: accesspatterns.Include, Value: designtest.Member("{new}")},
			{Attribute: "at", Value: designtest.Digits("7")},
			{Attribute: "old", Operator: accesspatterns.Exclude, Value: designtest.Member("{new}")},
		},
		Condition: []accesspatterns.Condition{
			condition(expression.Contains, designtest.Text("{id}")),
			designtest.AnyOf(condition(expression.SizeGreater, designtest.Digits("1")), condition(expression.NotContains, designtest.Text("{new}"))),
		},
	}}}
	names := sdk.Names{Table: func(id string) (string, error) { return id, nil }}
	requests, err := sdk.StepWrites(&step, names, []accesspatterns.Params{{"id": "1", "new": "x"}})
	require.NoError(t, err)
	update := requests[0].(*dynamodb.UpdateItemInput)
	if got, want := aws.ToString(update.UpdateExpression), "SET #n1 = :v4 ADD #n0 :v3 DELETE #n2 :v5"; got != want {
		t.Errorf("expected update %s, got %s", want, got)
	}
	if got, want := aws.ToString(update.ConditionExpression), "contains(#n0, :v0) AND (size(#n0) > :v1 OR NOT contains(#n0, :v2))"; got != want {
		t.Errorf("expected condition %s, got %s", want, got)
	}
	member := &types.AttributeValueMemberSS{Value: []string{"x"}}
	if !dynamo.Equal(update.ExpressionAttributeValues[":v3"], member) || !dynamo.Equal(update.ExpressionAttributeValues[":v5"], member) {
		t.Errorf("expected the set of x, got %v", update.ExpressionAttributeValues)
	}
}

// A replay gives an edited item all that may be edited: what the case's item has is
// set, what it lacks is removed. A put item has what its step gives it.
func TestCompileEditsAndWith(t *testing.T) {
	text := func(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
	item := accesspatterns.Item{"PK": text("NOTE#1"), "title": text("new"), "state": text("open")}
	names := sdk.Names{
		Table: func(id string) (string, error) { return id, nil },
		Items: func(string) ([]accesspatterns.Item, error) { return []accesspatterns.Item{item}, nil },
	}
	edit := accesspatterns.Step{Name: "edit", Write: []accesspatterns.Action{{
		Kind: accesspatterns.Update, Table: "notes", Key: []accesspatterns.Equality{*designtest.Equals("PK", "NOTE#{id}")}, Item: "note",
		Set: []accesspatterns.Assignment{{Attribute: "at", Value: designtest.Digits("7")}}, Edits: []string{"title", "body"},
	}}}
	requests, err := sdk.StepWrites(&edit, names, []accesspatterns.Params{{"id": "1"}})
	require.NoError(t, err)
	update := requests[0].(*dynamodb.UpdateItemInput)
	if got, want := aws.ToString(update.UpdateExpression), "SET #n0 = :v0, #n1 = :v1 REMOVE #n2"; got != want {
		t.Errorf("expected update %s, got %s", want, got)
	}
	if !dynamo.Equal(update.ExpressionAttributeValues[":v1"], text("new")) || update.ExpressionAttributeNames["#n2"] != "body" {
		t.Errorf("expected the title of the item and no body, got %v of %v", update.ExpressionAttributeValues, update.ExpressionAttributeNames)
	}
	put := func(state accesspatterns.KeyTemplate) error {
		step := accesspatterns.Step{Name: "put", Write: []accesspatterns.Action{{
			Kind: accesspatterns.Put, Table: "notes", Entity: "note", Item: "note", With: []accesspatterns.Equality{*designtest.Equals("state", state)},
		}}}
		_, err := sdk.StepWrites(&step, names, []accesspatterns.Params{{"is": "open"}})
		return err
	}
	assert.NoError(t, put("{is}"))
	without := accesspatterns.Step{Name: "put", Write: []accesspatterns.Action{{
		Kind: accesspatterns.Put, Table: "notes", Entity: "note", Item: "note", Without: []string{"title"},
	}}}
	_, err = sdk.StepWrites(&without, names, []accesspatterns.Params{{}})
	assert.ErrorContains(t, err, `expected no title`, "expected an error about the title")
	assert.ErrorContains(t, put("done"), `expected state to be`, "expected an error about the state")
}

// What stands in a write as often as there are items, and what it says of them.
func TestCompileTimes(t *testing.T) {
	step := accesspatterns.Step{Name: "s", Write: []accesspatterns.Action{
		{Kind: accesspatterns.Update, Table: "notes", Item: "note", Times: accesspatterns.AtMostOnce,
			Key: []accesspatterns.Equality{*designtest.Equals("PK", "NOTE#{id}"), *designtest.Equals("SK", "META")},
			Set: []accesspatterns.Assignment{{Attribute: "createdAt", Operator: accesspatterns.Keep, Value: designtest.Text("{now}")}}},
		{Kind: accesspatterns.Put, Table: "notes", Item: "tag", Times: accesspatterns.AnyNumber, With: []accesspatterns.Equality{*designtest.Equals("noteId", "{id}")}},
		{Kind: accesspatterns.Delete, Table: "notes", Item: "stale", Times: accesspatterns.AnyNumber,
			Key: []accesspatterns.Equality{*designtest.Equals("PK", "NOTE#{id}"), *designtest.Equals("SK", "TAG#{tag}")}},
	}}
	note := accesspatterns.Item{"PK": text("NOTE#1"), "SK": text("META")}
	tag := func(note, tag string) accesspatterns.Item {
		return accesspatterns.Item{"PK": text("NOTE#" + note), "SK": text("TAG#" + tag), "noteId": text(note)}
	}
	compile := func(playing map[string][]accesspatterns.Item) ([]any, error) {
		return sdk.StepWrites(&step, sdk.Names{
			Table: func(id string) (string, error) { return id, nil },
			Items: func(role string) ([]accesspatterns.Item, error) { return playing[role], nil },
		}, []accesspatterns.Params{{"id": "1", "now": "9"}})
	}
	requests, err := compile(map[string][]accesspatterns.Item{"note": {note}, "tag": {tag("1", "a"), tag("1", "b")}, "stale": {tag("1", "c"), tag("1", "d")}})
	require.NoError(t, err)
	writes := requests[0].(*dynamodb.TransactWriteItemsInput).TransactItems
	if len(writes) != 5 || writes[2].Put == nil || dynamo.ScalarText(writes[4].Delete.Key["SK"]) != "TAG#d" {
		t.Errorf("expected an update, two puts and two deletions in order, found %v", writes)
	}
	if got, want := aws.ToString(writes[0].Update.UpdateExpression), "SET #n0 = if_not_exists(#n0, :v0)"; got != want {
		t.Errorf("expected update %s, got %s", want, got)
	}
	if requests, err = compile(map[string][]accesspatterns.Item{"stale": {tag("1", "c")}}); err != nil || len(requests) != 1 {
		t.Fatalf("expected one request, found %v and %v", requests, err)
	} else if _, single := requests[0].(*dynamodb.DeleteItemInput); !single {
		t.Errorf("expected a DeleteItem, found %T", requests[0])
	}
	if requests, err = compile(nil); err != nil || len(requests) != 0 {
		t.Errorf("expected no request where there is nothing to write, found %v and %v", requests, err)
	}
	if got := step.WriteOperations(); !slices.Equal(got, []dynamo.Operation{dynamo.TransactWriteItems, dynamo.UpdateItem, dynamo.PutItem, dynamo.DeleteItem}) {
		t.Errorf("expected a transaction or any of the writes alone, found %v", got)
	}
	always := accesspatterns.Step{Write: []accesspatterns.Action{{Kind: accesspatterns.Put}, {Kind: accesspatterns.Delete, Times: accesspatterns.AnyNumber}}}
	if got := always.WriteOperations(); !slices.Equal(got, []dynamo.Operation{dynamo.TransactWriteItems, dynamo.PutItem}) {
		t.Errorf("expected a transaction or the put alone, found %v", got)
	}
	always.Write = always.Write[:1]
	got := always.WriteOperations()
	assert.True(t, slices.Equal(got, []dynamo.Operation{dynamo.PutItem}), "expected the put alone, found %v", got)
	for wantErr, playing := range map[string]map[string][]accesspatterns.Item{
		`the role "note" at most once, found 2`:    {"note": {note, note}},
		`expected noteId to be`:                    {"tag": {tag("2", "a")}},
		`PK: expected "1" for {id}, found "2"`:     {"stale": {tag("1", "a"), tag("2", "a")}},
		`SK: expected a key of the form TAG#{tag}`: {"stale": {note}},
	} {
		_, err := compile(playing)
		assert.ErrorContains(t, err, wantErr)
	}
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
				if !aws.ToBool(keys.ConsistentRead) || aws.ToString(keys.ProjectionExpression) == "" || !dynamo.Equal(keys.Keys[0]["PK"], text("SITE#1")) {
					t.Errorf("expected a consistent read of the key with its projection, found %+v", keys)
				}
			case *dynamodb.TransactGetItemsInput:
				sizes = append(sizes, len(input.TransactItems))
				if get := input.TransactItems[0].Get; aws.ToString(get.TableName) != "notes-dev" || aws.ToString(get.ProjectionExpression) == "" || !dynamo.Equal(get.Key["SK"], text("NOTE#"+map[int]string{1: "0", 2: "100"}[len(sizes)])) {
					t.Errorf("expected the key with its projection, found %+v", get)
				}
			}
		}
		if !slices.Equal(sizes, want) || operation == "" && len(inputs) != len(repetitions) {
			t.Errorf("%s: expected requests of %v items, found %v of %d requests", operation, want, sizes, len(inputs))
		}
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

func textOf(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }

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
			ExpressionAttributeValues: accesspatterns.Item{":a": textOf("a"), ":b": textOf("b")},
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
