package policies

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/conformance/internal/policy"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
)

const notesARN = "arn:aws:dynamodb:eu-west-1:111122223333:table/own-notes"

// notesSession has one table with an index, under a name of its own.
func notesSession() *session.Session {
	return &session.Session{Input: session.Input{
		Design: &accesspatterns.Design{
			Tables: []accesspatterns.Table{{
				ID: "notes", PartitionKey: accesspatterns.Key{Attribute: "PK", Type: dynamo.String}, SortKey: &accesspatterns.Key{Attribute: "SK", Type: dynamo.String},
				Indexes: []accesspatterns.Index{{Name: "byStars", PartitionKey: accesspatterns.Key{Attribute: "stars", Type: dynamo.Number}}},
			}},
			Entities: []accesspatterns.Entity{
				{ID: "profile", Table: "notes", Keys: []accesspatterns.KeyAttribute{{Attribute: "PK", Template: "{any}"}}},
				{ID: "note", Table: "notes", Keys: []accesspatterns.KeyAttribute{{Attribute: "PK", Template: "USER#{userId}"}}},
			},
		},
		Deployment: session.Deployment{Tables: map[string]string{"notes": "own-notes"}, TableARNs: map[string]string{"notes": notesARN}},
	}}
}

func textItem(pairs ...string) accesspatterns.Item {
	item := accesspatterns.Item{}
	for i := 0; i < len(pairs); i += 2 {
		item[pairs[i]] = &types.AttributeValueMemberS{Value: pairs[i+1]}
	}
	return item
}

func TestAuthorisations(t *testing.T) {
	table := aws.String("own-notes")
	key := textItem("PK", "USER#1", "SK", "NOTE#1")
	part := func(action string, context policy.Context) policy.Request {
		return policy.Request{Action: "dynamodb:" + action, Resource: notesARN, Context: context}
	}
	for _, row := range []struct {
		name  string
		input any
		want  []policy.Request
	}{
		{
			"a get of the whole item", &dynamodb.GetItemInput{TableName: table, Key: key},
			[]policy.Request{part("GetItem", policy.Context{leadingKeys: {"USER#1"}, selectKey: {"ALL_ATTRIBUTES"}, attributesKey: {"PK", "SK"}})},
		},
		{
			"a get with a projection, whose nested names are not seen",
			&dynamodb.GetItemInput{
				TableName: table, Key: key, ProjectionExpression: aws.String("#n0.#n1, #n2[0].#n1"),
				ExpressionAttributeNames: map[string]string{"#n0": "sections", "#n1": "shared", "#n2": "list"},
			},
			[]policy.Request{part("GetItem", policy.Context{leadingKeys: {"USER#1"}, selectKey: {"SPECIFIC_ATTRIBUTES"}, attributesKey: {"PK", "SK", "list", "sections"}})},
		},
		{
			"a query of an index by its own key, a Number",
			&dynamodb.QueryInput{
				TableName: table, IndexName: aws.String("byStars"), KeyConditionExpression: aws.String("#n0 = :v0"), FilterExpression: aws.String("attribute_exists(#n1)"),
				ExpressionAttributeNames:  map[string]string{"#n0": "stars", "#n1": "body"},
				ExpressionAttributeValues: accesspatterns.Item{":v0": &types.AttributeValueMemberN{Value: "5"}},
			},
			[]policy.Request{{Action: "dynamodb:Query", Resource: notesARN + "/index/byStars", Context: policy.Context{
				leadingKeys: {"5"}, selectKey: {"ALL_PROJECTED_ATTRIBUTES"}, attributesKey: {"body", "stars"},
			}}},
		},
		{
			"a scan has no leading key", &dynamodb.ScanInput{TableName: table},
			[]policy.Request{part("Scan", policy.Context{selectKey: {"ALL_ATTRIBUTES"}, attributesKey: nil})},
		},
		{
			"single writes",
			&dynamodb.UpdateItemInput{
				TableName: table, Key: key, UpdateExpression: aws.String("SET #n0 = :v0"), ConditionExpression: aws.String("attribute_exists(#n1)"),
				ExpressionAttributeNames: map[string]string{"#n0": "body", "#n1": "PK"},
			},
			[]policy.Request{part("UpdateItem", policy.Context{leadingKeys: {"USER#1"}, attributesKey: {"PK", "SK", "body"}})},
		},
		{
			"a put", &dynamodb.PutItemInput{TableName: table, Item: textItem("PK", "USER#1", "SK", "x", "body", "b")},
			[]policy.Request{part("PutItem", policy.Context{leadingKeys: {"USER#1"}, attributesKey: {"PK", "SK", "body"}})},
		},
		{
			"a deletion", &dynamodb.DeleteItemInput{TableName: table, Key: key},
			[]policy.Request{part("DeleteItem", policy.Context{leadingKeys: {"USER#1"}, attributesKey: {"PK", "SK"}})},
		},
		{
			"a batch is one permission for all of its keys",
			&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"own-notes": {
				{PutRequest: &types.PutRequest{Item: textItem("PK", "USER#2", "SK", "x", "body", "b")}},
				{DeleteRequest: &types.DeleteRequest{Key: key}},
				{DeleteRequest: &types.DeleteRequest{Key: textItem("PK", "USER#2", "SK", "y")}},
			}}},
			[]policy.Request{part("BatchWriteItem", policy.Context{leadingKeys: {"USER#1", "USER#2"}, attributesKey: {"PK", "SK", "body"}})},
		},
		{
			"a transaction is one permission for each part",
			&dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
				{Put: &types.Put{TableName: table, Item: key}},
				{Update: &types.Update{TableName: table, Key: key, UpdateExpression: aws.String("SET #n0 = :v0"), ExpressionAttributeNames: map[string]string{"#n0": "body"}}},
				{Delete: &types.Delete{TableName: table, Key: key}},
				{ConditionCheck: &types.ConditionCheck{TableName: table, Key: key, ConditionExpression: aws.String("#n0 = :v0"), ExpressionAttributeNames: map[string]string{"#n0": "owner"}}},
			}},
			[]policy.Request{
				part("PutItem", policy.Context{leadingKeys: {"USER#1"}, attributesKey: {"PK", "SK"}, enclosingKey: {"TransactWriteItems"}}),
				part("UpdateItem", policy.Context{leadingKeys: {"USER#1"}, attributesKey: {"PK", "SK", "body"}, enclosingKey: {"TransactWriteItems"}}),
				part("DeleteItem", policy.Context{leadingKeys: {"USER#1"}, attributesKey: {"PK", "SK"}, enclosingKey: {"TransactWriteItems"}}),
				part("ConditionCheckItem", policy.Context{leadingKeys: {"USER#1"}, attributesKey: {"PK", "SK", "owner"}, enclosingKey: {"TransactWriteItems"}}),
			},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			parts, err := authoriser{notesSession()}.authorisationsOf(row.input)
			require.NoError(t, err)
			var got []policy.Request
			for _, each := range parts {
				got = append(got, each.Request)
			}
			assert.Empty(t, cmp.Diff(row.want, got), "requests as IAM sees them (-want +got)")
		})
	}
}

// What cannot be told is an error, not a guess.
func TestAuthorisationsRefuse(t *testing.T) {
	for name, input := range map[string]any{
		"an operation without a form":     &dynamodb.ExecuteStatementInput{},
		"a batch of nothing":              &dynamodb.BatchGetItemInput{},
		"a batch without keys":            &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"own-notes": {}}},
		"a table that is not deployed":    &dynamodb.GetItemInput{TableName: aws.String("other"), Key: textItem("PK", "x")},
		"an index that is not documented": &dynamodb.QueryInput{TableName: aws.String("own-notes"), IndexName: aws.String("other")},
		"a key that is no text or number": &dynamodb.GetItemInput{TableName: aws.String("own-notes"), Key: accesspatterns.Item{"PK": &types.AttributeValueMemberBOOL{}}},
		"an empty part of a transaction":  &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{}}},
	} {
		if _, err := (authoriser{notesSession()}).authorisationsOf(input); err == nil || strings.Contains(err.Error(), "nil") {
			t.Errorf("%s: expected an error that says why, found %v", name, err)
		}
	}
}

// What a role's own requests may need is allowed to be open, and everything else must be denied.
func TestBeyond(t *testing.T) {
	const selected = "SPECIFIC_ATTRIBUTES"
	request := func(action string, context policy.Context) authorisation {
		return authorisation{table: "notes", Request: policy.Request{Action: "dynamodb:" + action, Context: context}}
	}
	whole := func(keys ...string) policy.Context {
		return policy.Context{leadingKeys: keys, selectKey: {"ALL_ATTRIBUTES"}, userTagPrefix + "userId": {"1"}}
	}
	some := func(names []string, keys ...string) policy.Context {
		return policy.Context{leadingKeys: keys, selectKey: {selected}, attributesKey: names, userTagPrefix + "userId": {"1"}}
	}
	confined := &accesspatterns.Confinement{Tag: "userId", Partitions: []accesspatterns.KeyTemplate{"USER#{userId}"}}
	for _, row := range []struct {
		name     string
		own      ownRequest
		confined *accesspatterns.Confinement
		tried    authorisation
		want     string
	}{
		{"another id of the same form", ownRequest{authorisation: request("GetItem", whole("USER#1"))}, nil, request("GetItem", whole("USER#2")), ""},
		{"another action", ownRequest{authorisation: request("GetItem", whole("USER#1"))}, nil, request("Query", whole("USER#1")), "which no pattern needs it for"},
		{"another form", ownRequest{authorisation: request("GetItem", whole("USER#1"))}, nil, request("GetItem", whole("ENTRY#1")), "outside the partitions"},
		{"an own one and another form", ownRequest{authorisation: request("GetItem", whole("USER#1"))}, nil, request("GetItem", whole("USER#1", "ENTRY#1")), "outside the partitions"},
		{"a key that may be any id", ownRequest{authorisation: request("GetItem", whole("ENTRY#1"))}, nil, request("GetItem", whole("USER#1")), ""},
		{"none where a key may be any id", ownRequest{authorisation: request("GetItem", whole("ENTRY#1"))}, nil, request("GetItem", whole()), ""},
		{"none", ownRequest{authorisation: request("GetItem", whole("USER#1"))}, nil, request("GetItem", whole()), "no partition key"},
		{"one documented partition and another", ownRequest{authorisation: request("Query", whole("A")), fixed: true}, nil, request("Query", whole("B")), "outside the partitions"},
		{"some attributes of a query of all", ownRequest{authorisation: request("Query", whole("USER#1"))}, nil, request("Query", some(nil, "USER#1")), ""},
		{"all attributes of a query of some", ownRequest{authorisation: request("Query", some(nil, "USER#1"))}, nil, request("Query", whole("USER#1")), "without the projection"},
		{"a count of a query of some", ownRequest{authorisation: request("Query", some(nil, "USER#1"))}, nil, request("Query", policy.Context{leadingKeys: {"USER#1"}, selectKey: {"COUNT"}}), "without the projection"},
		{"a get of all attributes, whose key is known", ownRequest{authorisation: request("GetItem", some(nil, "USER#1"))}, nil, request("GetItem", whole("USER#1")), ""},
		{"a narrow get of all attributes", ownRequest{authorisation: request("GetItem", some(nil, "USER#1")), narrow: true}, nil, request("GetItem", whole("USER#1")), "without the projection"},
		{"an attribute more", ownRequest{authorisation: request("Query", some([]string{"a"}, "USER#1"))}, nil, request("Query", some([]string{"a", "b"}, "USER#1")), ""},
		{"an attribute more than a narrow one", ownRequest{authorisation: request("Query", some([]string{"a"}, "USER#1")), narrow: true}, nil, request("Query", some([]string{"a", "b"}, "USER#1")), "with an attribute"},
		{"a narrow write that returns what it changes", ownRequest{authorisation: request("UpdateItem", some([]string{"a"}, "USER#1")), narrow: true}, nil, request("UpdateItem", policy.Context{leadingKeys: {"USER#1"}, attributesKey: {"a"}, returnKey: {"UPDATED_OLD"}}), ""},
		{"a narrow write that returns the item", ownRequest{authorisation: request("UpdateItem", some([]string{"a"}, "USER#1")), narrow: true}, nil, request("UpdateItem", policy.Context{leadingKeys: {"USER#1"}, attributesKey: {"a"}, returnKey: {"ALL_NEW"}}), "returns the whole item"},
		{"the user's own", ownRequest{authorisation: request("GetItem", whole("USER#1"))}, confined, request("GetItem", whole("USER#1")), ""},
		{"another user's", ownRequest{authorisation: request("GetItem", whole("USER#1"))}, confined, request("GetItem", whole("USER#2")), "another user's partition"},
		{"another user's, where all are reached", ownRequest{authorisation: request("GetItem", whole("USER#1")), everybody: true}, confined, request("GetItem", whole("USER#2")), ""},
		{"an id that begins with the own one", ownRequest{authorisation: request("GetItem", whole("USER#1"))}, confined, request("GetItem", whole("USER#10")), "whose id begins with the own one"},
		{"a user's, without the tag", ownRequest{authorisation: request("GetItem", whole("USER#1"))}, confined, request("GetItem", policy.Context{leadingKeys: {"USER#1"}}), "without the tag userId"},
		{"another role's request", ownRequest{authorisation: request("GetItem", whole("USER#1")), other: true}, nil, request("GetItem", whole("USER#1")), "which no pattern needs it for"},
	} {
		p := &principal{o: &policyCheck{Observation: &observe.Observation{Session: notesSession()}}, role: &accesspatterns.Role{Confined: row.confined}, forms: map[[3]string]string{}, kinds: map[[3]string][]*ownRequest{}}
		if !row.own.other {
			p.learn(row.own)
		}
		if got := p.beyond(row.tried); got != row.want && (row.want == "" || !strings.Contains(got, row.want)) {
			t.Errorf("%s: expected %q, found %q", row.name, row.want, got)
		}
	}
}
