package flow

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/batch"
)

// conflictsAtMost bounds how often a write is sent again because of conflicts.
const conflictsAtMost = 50

// Write sends one request of a write step, as sdk.StepWrites returns it. The SDK
// retries what its standard retryer retries. What it does not retry is sent again
// here: the unprocessed part of a batch, and a transaction that was cancelled for
// no other reason than a conflict with another one.
func (r *Runner) Write(ctx context.Context, request any) error {
	switch input := request.(type) {
	case *dynamodb.PutItemInput, *dynamodb.UpdateItemInput, *dynamodb.DeleteItemInput, *dynamodb.TransactWriteItemsInput:
		return r.again(ctx, input, func() error { _, err := sdk.Send(ctx, r.Client, input); return err })
	case *dynamodb.BatchWriteItemInput:
		sender := batch.Sender{Client: r.Client, Poll: r.Poll, Before: func() error { return r.before(input) }}
		return sender.Write(ctx, input)
	}
	return fmt.Errorf("expected the request of a write step, found %T", request)
}

// again sends a write until it is not refused because of another transaction.
func (r *Runner) again(ctx context.Context, input any, send func() error) error {
	for attempt := 0; ; attempt++ {
		if err := r.before(input); err != nil {
			return err
		}
		err := send()
		if err == nil || !conflicts(err) || attempt == conflictsAtMost {
			return err
		}
		if err := batch.Pause(ctx, r.Poll, attempt); err != nil {
			return err
		}
	}
}

// conflicts reports whether a write was refused only because another transaction
// was in progress on the same items, so that nothing is decided yet.
func conflicts(err error) bool {
	if errors.As(err, new(*types.TransactionConflictException)) {
		return true
	}
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return false
	}
	conflict := false
	for _, reason := range cancelled.CancellationReasons {
		switch aws.ToString(reason.Code) {
		case "TransactionConflict":
			conflict = true
		case "None", "":
		default:
			return false
		}
	}
	return conflict
}
