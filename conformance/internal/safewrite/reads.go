package safewrite

import (
	"context"
	"regexp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"dynaproof/accesspatterns"
)

// read sends a read, and refuses it where the answer holds, or may hold, items of
// others.
func (g *Guard) read(ctx context.Context, operation string, in middleware.SerializeInput, next middleware.SerializeHandler) (middleware.SerializeOutput, middleware.Metadata, error) {
	if !g.writing() {
		return next.HandleSerialize(ctx, in) // the caller is looking
	}
	query, isQuery := in.Parameters.(*dynamodb.QueryInput)
	var shared, looked bool
	var partition string
	if isQuery {
		partition, shared, looked = g.partitionOf(query)
		if shared {
			return middleware.SerializeOutput{}, middleware.Metadata{}, &Refusal{operation, "partition " + partition + " holds items of others, which cannot be told from wrong answers"}
		}
	}
	out, metadata, err := next.HandleSerialize(ctx, in)
	if err != nil {
		return out, metadata, err
	}
	if isQuery {
		if answer, ok := out.Result.(*dynamodb.QueryOutput); ok && !looked && answer.ScannedCount > 0 {
			return out, metadata, &Refusal{operation, "partition " + partition + " was not looked at before the first write, and holds items"}
		}
		return out, metadata, nil
	}
	if id := g.foreign(in.Parameters, out.Result); id != "" {
		return out, metadata, &Refusal{operation, "item " + id + " is another's"}
	}
	return out, metadata, nil
}

var equality = regexp.MustCompile(`(#?[\w.]+)\s*=\s*(:\w+)`)

// partitionOf returns the partition that a query reads, whether it holds items of
// others, and whether that is known.
func (g *Guard) partitionOf(query *dynamodb.QueryInput) (id string, shared, looked bool) {
	table, known := g.tables[plainName(aws.ToString(query.TableName))]
	if !known {
		return "of " + aws.ToString(query.TableName), true, false
	}
	attribute := table.Keys[0]
	if query.IndexName != nil {
		attribute = table.Indexes[*query.IndexName]
	}
	for _, found := range equality.FindAllStringSubmatch(aws.ToString(query.KeyConditionExpression), -1) {
		name := found[1]
		if full, placed := query.ExpressionAttributeNames[name]; placed {
			name = full
		}
		if value, given := query.ExpressionAttributeValues[found[2]]; given && name == attribute {
			id = partitionID(table.Name, aws.ToString(query.IndexName), value)
			g.mu.Lock()
			shared, looked = g.partitions[id]
			g.mu.Unlock()
			return id, shared, looked
		}
	}
	return "of " + table.Name, false, false // the engine refuses a query without a partition
}

// foreign returns the key of an item in an answer that this run did not write, or
// the empty text.
func (g *Guard) foreign(parameters, result any) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	theirs := func(tableName *string, key, item accesspatterns.Item) string {
		if id := keyID(plainName(aws.ToString(tableName)), key); item != nil && !g.planned[id] {
			return id
		}
		return ""
	}
	switch input := parameters.(type) {
	case *dynamodb.GetItemInput:
		if answer, ok := result.(*dynamodb.GetItemOutput); ok {
			return theirs(input.TableName, input.Key, answer.Item)
		}
	case *dynamodb.TransactGetItemsInput:
		answer, ok := result.(*dynamodb.TransactGetItemsOutput)
		if !ok || len(answer.Responses) != len(input.TransactItems) {
			return "in an answer of another length than the request"
		}
		for i, response := range answer.Responses {
			if get := input.TransactItems[i].Get; get != nil {
				if id := theirs(get.TableName, get.Key, response.Item); id != "" {
					return id
				}
			}
		}
	case *dynamodb.BatchGetItemInput:
		if answer, ok := result.(*dynamodb.BatchGetItemOutput); ok {
			return g.foreignInBatch(input.RequestItems, answer.Responses)
		}
	}
	return ""
}

// foreignInBatch looks for keys of others that a batch asked for, where anything
// came back that may be theirs: a projection can leave the keys out.
func (g *Guard) foreignInBatch(requests map[string]types.KeysAndAttributes, answers map[string][]map[string]types.AttributeValue) string {
	for name, request := range requests {
		for _, key := range request.Keys {
			if id := keyID(plainName(name), key); !g.planned[id] && len(answers[name]) > 0 {
				return id
			}
		}
	}
	return ""
}
