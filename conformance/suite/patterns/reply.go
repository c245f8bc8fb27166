package patterns

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/suite/failures"
)

// send sends a decoded request with a client.
func send(ctx context.Context, client *dynamodb.Client, input any) (flow.Answer, error) {
	output, err := sdk.Send(ctx, client, input)
	if err != nil {
		return flow.Answer{}, err
	}
	left := 0
	switch output := output.(type) {
	case *dynamodb.BatchGetItemOutput:
		left = len(output.UnprocessedKeys)
	case *dynamodb.BatchWriteItemOutput:
		left = len(output.UnprocessedItems)
	}
	if left > 0 {
		return flow.Answer{}, fmt.Errorf("%s of %d tables: %w", sdk.Operation(input), left, failures.ErrUnprocessed)
	}
	return flow.AnswerOf(output), nil
}
