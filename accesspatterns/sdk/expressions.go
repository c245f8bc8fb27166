package sdk

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
)

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
