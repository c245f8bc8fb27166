package patterns

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/internal/flow"
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
		return flow.Answer{}, fmt.Errorf("%s of %d tables %w: what is missing is not absent", sdk.Operation(input), left, batch.ErrUnprocessed)
	}
	return flow.AnswerOf(output), nil
}
