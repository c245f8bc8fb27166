package flow

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// Outcome is what one execution of a race came to.
type Outcome struct {
	// Attempts is how often the execution began, more than once only with retry.
	Attempts int
	// Done is how far the last attempt came; Written holds the requests of all attempts.
	Done
	// Err is nil when the execution succeeded.
	Err error
}

// Shares says which client of a race takes which executions, in which order. The seed
// decides. Executions that wait for their turn to write have a client each, however few
// are asked for.
func Shares(seed uint64, clients int, executions []Execution) [][]int {
	for _, execution := range executions {
		if execution.Turn != AtOnce {
			clients = max(clients, len(executions))
		}
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(executions))))
	shares := make([][]int, clients)
	for i, execution := range random.Perm(len(executions)) {
		// Every client gets a share, and which one gets more is left to the seed.
		share := i
		if i >= clients {
			share = random.IntN(clients)
		}
		shares[share] = append(shares[share], execution)
	}
	return shares
}

// Race runs flows from several clients at once, one for each share, and waits for
// all of them. The order decides which client's request is sent next; a request is
// sent when the one before it was answered, so that the same order of the same
// clients is the same race. With retry, an execution whose condition failed begins again
// from its first step, as a client does that reads the new state, until it succeeds
// or has begun once more often than there are executions. Outcomes are returned in the
// order of the executions, and with them all requests in the order in which they were sent.
func (r *Runner) Race(ctx context.Context, order Order, shares [][]int, executions []Execution, retry bool) ([]Outcome, []*Request) {
	outcomes := make([]Outcome, len(executions))
	scheduler := newScheduler(order, executions)
	var wait sync.WaitGroup
	for client, share := range shares {
		wait.Go(func() {
			defer scheduler.clientEnded(client)
			for _, execution := range share {
				tagged := ctx
				if r.Tag != nil {
					tagged = r.Tag(ctx, execution)
				}
				contender := *r
				contender.Before = func(input any) error {
					request := r.describe(input)
					request.Client, request.Execution = client, execution
					return scheduler.send(ctx, request)
				}
				outcomes[execution] = contender.contend(tagged, executions[execution], retry, len(executions)+1)
				scheduler.executionEnded(client, execution, refusal(outcomes[execution].Err))
			}
		})
	}
	scheduler.schedule(len(shares))
	wait.Wait()
	return outcomes, scheduler.sent
}

// refusal is the code of the error that an execution ended with; empty when it succeeded.
func refusal(err error) string {
	var refused smithy.APIError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refused):
		return refused.ErrorCode()
	}
	return err.Error()
}

func (r *Runner) contend(ctx context.Context, execution Execution, retry bool, most int) Outcome {
	var outcome Outcome
	for {
		outcome.Attempts++
		done, err := r.Execute(ctx, execution)
		done.Written = append(outcome.Written, done.Written...)
		outcome.Done, outcome.Err = *done, err
		if !retry || !conditionFailed(err) || outcome.Attempts == most {
			return outcome
		}
	}
}

// conditionFailed reports whether a write was refused because a condition did not
// hold.
func conditionFailed(err error) bool {
	return errors.As(err, new(*types.ConditionalCheckFailedException)) || errors.As(err, new(*types.TransactionCanceledException))
}

// ErrDead is what an execution ends with whose client died.
var ErrDead = errors.New("the client died")

// DieAfter returns a Before hook for a client that dies when it is about to send
// the request behind the given number of requests, and stays dead.
func DieAfter(requests int) func(any) error {
	left := requests
	return func(any) error {
		if left == 0 {
			return ErrDead
		}
		left--
		return nil
	}
}
