package patterns

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/suite/failures"
)

// reply is the part of an answer that expectations speak of.
type reply struct {
	items          []accesspatterns.Item
	count, scanned int32
}

// send sends a decoded request with a client.
func send(ctx context.Context, client *dynamodb.Client, input any) (*reply, error) {
	output, err := sdk.Send(ctx, client, input)
	if err != nil {
		return nil, err
	}
	return replyOf(output)
}

// replyOf reads an answer. That of a write without a returned item says nothing more than that it succeeded.
func replyOf(output any) (*reply, error) {
	all := &reply{}
	switch output := output.(type) {
	case *dynamodb.GetItemOutput:
		return one(output.Item), nil
	case *dynamodb.PutItemOutput:
		return one(output.Attributes), nil
	case *dynamodb.UpdateItemOutput:
		return one(output.Attributes), nil
	case *dynamodb.DeleteItemOutput:
		return one(output.Attributes), nil
	case *dynamodb.QueryOutput:
		return &reply{output.Items, output.Count, output.ScannedCount}, nil
	case *dynamodb.ScanOutput:
		return &reply{output.Items, output.Count, output.ScannedCount}, nil
	case *dynamodb.ExecuteStatementOutput:
		all.items = output.Items
	case *dynamodb.TransactGetItemsOutput:
		for _, response := range output.Responses {
			if response.Item != nil {
				all.items = append(all.items, response.Item)
			}
		}
	case *dynamodb.BatchGetItemOutput:
		if left := len(output.UnprocessedKeys); left > 0 {
			return nil, fmt.Errorf("BatchGetItem of %d tables: %w", left, failures.ErrUnprocessed)
		}
		for _, items := range output.Responses {
			all.items = append(all.items, items...)
		}
	case *dynamodb.BatchWriteItemOutput:
		if left := len(output.UnprocessedItems); left > 0 {
			return nil, fmt.Errorf("BatchWriteItem to %d tables: %w", left, failures.ErrUnprocessed)
		}
	}
	return all, nil
}

func one(item accesspatterns.Item) *reply {
	if item == nil {
		return &reply{}
	}
	return &reply{items: []accesspatterns.Item{item}, count: 1, scanned: 1}
}
