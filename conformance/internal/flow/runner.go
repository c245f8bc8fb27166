package flow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/sdk"
)

// Runner sends the requests of a design's access patterns. It keeps no state, so
// that several goroutines may share it.
type Runner struct {
	Design *accesspatterns.Design
	Client *dynamodb.Client
	// TableName returns the deployed name of a table by its logical id.
	TableName func(id string) (string, error)
	// Now is the moment, in epoch seconds, at which readers look: what expired
	// before it counts as absent.
	Now int64
	// Poll is the pause before what DynamoDB left unprocessed, or refused because
	// of a conflict with another transaction, is sent again. It grows each time;
	// see [batch.Pause].
	Poll time.Duration
	// Tag, if set, gives each execution of a race a context of its own, by the number
	// of the execution from 0.
	Tag func(ctx context.Context, execution int) context.Context
	// Before, if set, is called with each request before it is sent. Its error ends
	// the execution without sending it.
	Before func(input any) error
}

// Unsendable is a request that does not fit the contract's own keys, so that it
// was not sent.
type Unsendable struct{ error }

// Execution is one use of a flow: its parameters and the items that play the roles of
// its writes.
type Execution struct {
	Pattern *accesspatterns.Pattern
	Params  accesspatterns.Params
	Items   func(role string) ([]accesspatterns.Item, error)
	// Turn says when the execution may write, within a race.
	Turn Turn
}

// Done says how far an execution came.
type Done struct {
	// Stopped names the read at which the flow ended because of what the reader
	// saw; empty when it ran to its end. OnIndex says that the reader saw nothing
	// in an index, which may show later what was written.
	Stopped string
	OnIndex bool
	// Written holds every write request that was sent, whatever came of it.
	Written []any
	// Failed holds the writes that failed without ending the execution, because their step
	// may fail.
	Failed []Failure
}

// Failure is a write that failed without ending its execution.
type Failure struct {
	Step string
	Err  error
}

// Execute runs a pattern from its first step to its end. The error is the first that
// a request was answered with, unless its step may fail; what was written before
// stays, as it would for any client.
func (r *Runner) Execute(ctx context.Context, execution Execution) (*Done, error) {
	done := &Done{}
	returned := map[string][]accesspatterns.Item{}
	steps := execution.Pattern.Steps
	for i := range steps {
		step := &steps[i]
		repetitions, err := step.Repetitions(execution.Params, returned)
		if err != nil {
			return done, err
		}
		if step.Read != nil {
			answer, err := r.ReadAll(ctx, step.Read, repetitions, 0)
			if err != nil {
				return done, err
			}
			seen, err := step.Read.Seen(answer.Items, r.Now)
			if err != nil {
				return done, err
			}
			returned[step.Name] = seen
			ends, err := step.Ends(repetitions, len(seen))
			if err != nil {
				return done, err
			}
			if ends {
				done.Stopped, done.OnIndex = step.Name, step.Read.Index != "" && len(seen) == 0
				return done, nil
			}
			continue
		}
		requests, err := sdk.StepWrites(step, sdk.Names{Table: r.TableName, Items: execution.Items}, repetitions)
		if err != nil {
			return done, fmt.Errorf("step %s: %w", step.Name, err)
		}
		for _, request := range requests {
			done.Written = append(done.Written, request)
			err := r.Write(ctx, request)
			if err != nil && !(step.MayFail && sent(err) && ctx.Err() == nil) {
				return done, err
			}
			if err != nil {
				done.Failed = append(done.Failed, Failure{step.Name, err})
				break
			}
		}
	}
	return done, nil
}

// sent reports whether an error is what became of a request, and not that none was
// sent.
func sent(err error) bool {
	var operation *smithy.OperationError
	return errors.As(err, &operation)
}

// ReadAll runs one read for each set of parameters and joins the answers.
func (r *Runner) ReadAll(ctx context.Context, read *accesspatterns.Read, repetitions []accesspatterns.Params, pageSize int32) (*Answer, error) {
	if read.Together != "" {
		return r.together(ctx, read, repetitions)
	}
	all := &Answer{}
	for _, params := range repetitions {
		got, err := r.Read(ctx, read, params, pageSize)
		all.add(got)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// before lets the hook end the execution.
func (r *Runner) before(input any) error {
	if r.Before == nil {
		return nil
	}
	return r.Before(input)
}
