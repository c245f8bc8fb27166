package sdk

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
)

// Lookup is one read of a request: of one item by its key, or a Query or Scan. Whatever operation sends it, it looks the same.
type Lookup struct {
	// Operation is GetItem, Query or Scan, also where the read is a part of a batch or transaction.
	Operation dynamo.Operation
	// Table is the table's name or ARN as it is sent. Index is nil where the table itself is read.
	Table string
	Index *string
	// Key is the primary key of a GetItem.
	Key ap.Item
	// KeyCondition, Filter and Projection are expressions; nil where the request has none.
	KeyCondition, Filter, Projection *string
	Names                            map[string]string
	Values                           map[string]types.AttributeValue
	Select                           types.Select
	// Start is where a page goes on, and Limit how many items it inspects at most.
	Start ap.Item
	Limit *int32
	// Descending says that a Query begins at the highest sort key, Segmented that a Scan reads a segment.
	Descending, Segmented, Consistent bool
	// Legacy names a parameter from before expressions that the request has.
	Legacy string
}

// Lookups returns the reads of an SDK input, in order, those of a batch by table name: of a *dynamodb.GetItemInput, QueryInput,
// ScanInput, BatchGetItemInput or TransactGetItemsInput. Any other input has none. When an element of a transaction or a table of a
// batch reads nothing it fails, and returns the others.
func Lookups(input any) ([]Lookup, error) {
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		return []Lookup{{
			Operation: dynamo.GetItem, Table: aws.ToString(in.TableName), Key: in.Key, Projection: in.ProjectionExpression, Names: in.ExpressionAttributeNames,
			Consistent: aws.ToBool(in.ConsistentRead), Legacy: Used("AttributesToGet", len(in.AttributesToGet) > 0),
		}}, nil
	case *dynamodb.QueryInput:
		return []Lookup{{
			Operation: dynamo.Query, Table: aws.ToString(in.TableName), Index: in.IndexName,
			KeyCondition: in.KeyConditionExpression, Filter: in.FilterExpression, Projection: in.ProjectionExpression, Select: in.Select,
			Names: in.ExpressionAttributeNames, Values: in.ExpressionAttributeValues, Start: in.ExclusiveStartKey, Limit: in.Limit,
			Descending: in.ScanIndexForward != nil && !*in.ScanIndexForward, Consistent: aws.ToBool(in.ConsistentRead),
			Legacy: Used("KeyConditions", in.KeyConditions != nil, "QueryFilter", in.QueryFilter != nil,
				"AttributesToGet", in.AttributesToGet != nil, "ConditionalOperator", in.ConditionalOperator != ""),
		}}, nil
	case *dynamodb.ScanInput:
		return []Lookup{{
			Operation: dynamo.Scan, Table: aws.ToString(in.TableName), Index: in.IndexName,
			Filter: in.FilterExpression, Projection: in.ProjectionExpression, Select: in.Select,
			Names: in.ExpressionAttributeNames, Values: in.ExpressionAttributeValues, Start: in.ExclusiveStartKey, Limit: in.Limit,
			Segmented: in.Segment != nil || in.TotalSegments != nil, Consistent: aws.ToBool(in.ConsistentRead),
			Legacy: Used("ScanFilter", in.ScanFilter != nil, "AttributesToGet", in.AttributesToGet != nil, "ConditionalOperator", in.ConditionalOperator != ""),
		}}, nil
	case *dynamodb.BatchGetItemInput:
		var all []Lookup
		var failed error
		for _, table := range slices.Sorted(maps.Keys(in.RequestItems)) {
			asked := in.RequestItems[table]
			if len(asked.Keys) == 0 {
				failed = fmt.Errorf("expected a key in each table of a batch, found none for %s", table)
			}
			for _, key := range asked.Keys {
				all = append(all, Lookup{
					Operation: dynamo.GetItem, Table: table, Key: key, Projection: asked.ProjectionExpression, Names: asked.ExpressionAttributeNames,
					Consistent: aws.ToBool(asked.ConsistentRead), Legacy: Used("AttributesToGet", len(asked.AttributesToGet) > 0),
				})
			}
		}
		return all, failed
	case *dynamodb.TransactGetItemsInput:
		var all []Lookup
		var failed error
		for _, element := range in.TransactItems {
			get := element.Get
			if get == nil {
				failed = errors.New("expected a Get in each element of a transaction, found none")
				continue
			}
			all = append(all, Lookup{
				Operation: dynamo.GetItem, Table: aws.ToString(get.TableName), Key: get.Key, Projection: get.ProjectionExpression, Names: get.ExpressionAttributeNames,
			})
		}
		return all, failed
	}
	return nil, nil
}

// EachItem goes through the places in which an answer of the SDK holds items: those that a read returns, in order but for a batch, and
// what a write returns. Where there is none a place holds nil.
func EachItem(output any, do func(place *ap.Item)) {
	all := func(items []ap.Item) {
		for i := range items {
			do(&items[i])
		}
	}
	switch answer := output.(type) {
	case *dynamodb.GetItemOutput:
		do(&answer.Item)
	case *dynamodb.QueryOutput:
		all(answer.Items)
	case *dynamodb.ScanOutput:
		all(answer.Items)
	case *dynamodb.ExecuteStatementOutput:
		all(answer.Items)
	case *dynamodb.BatchGetItemOutput:
		for _, items := range answer.Responses {
			all(items)
		}
	case *dynamodb.TransactGetItemsOutput:
		for i := range answer.Responses {
			do(&answer.Responses[i].Item)
		}
	case *dynamodb.PutItemOutput:
		do(&answer.Attributes)
	case *dynamodb.UpdateItemOutput:
		do(&answer.Attributes)
	case *dynamodb.DeleteItemOutput:
		do(&answer.Attributes)
	}
}

// BoundKeys returns the attributes that the key condition of a Query binds to one
// value. It fails when the condition is none that DynamoDB takes, or binds an
// attribute twice.
func BoundKeys(query *dynamodb.QueryInput) (ap.Item, error) {
	source := expression.Source{Names: query.ExpressionAttributeNames, Values: query.ExpressionAttributeValues}
	var condition expression.Conjunction
	if err := expression.ParseKeyCondition(aws.ToString(query.KeyConditionExpression), source, &condition); err != nil {
		return nil, fmt.Errorf("key condition %q: %w", aws.ToString(query.KeyConditionExpression), err)
	}
	bound := ap.Item{}
	for _, term := range condition.All() {
		name, _ := source.TopLevel(term.Path)
		switch {
		case term.Op != expression.Equal || !source.IsAttribute(term.Path, name):
		case bound[name] != nil:
			return nil, fmt.Errorf("key condition %q: expected one value for %s, found two", aws.ToString(query.KeyConditionExpression), name)
		default:
			bound[name] = term.Low.Value
		}
	}
	return bound, nil
}

// AttributesOf returns the top-level attributes that the expressions of a request
// speak of, sorted. names are its ExpressionAttributeNames.
func AttributesOf(names map[string]string, expressions ...*string) []string {
	var found []string
	for _, text := range expressions {
		found = append(found, expression.Source{Names: names}.Attributes(aws.ToString(text))...)
	}
	return lists.Sorted(found)
}
