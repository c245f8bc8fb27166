package flow

import (
	"cmp"
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
	var failed error
	seen := map[string][]accesspatterns.Item{}
	stopped, err := execution.Pattern.Walk(execution.Params, seen, func(step *accesspatterns.Step, repetitions []accesspatterns.Params, err error) (saw []accesspatterns.Item, goesOn bool) {
		switch {
		case err != nil:
		case step.Read != nil:
			saw, err = r.see(ctx, step.Read, repetitions)
		default:
			err = r.writeStep(ctx, step, execution.Items, repetitions, done)
		}
		failed = err
		return saw, err == nil
	})
	if failed != nil || err != nil {
		return done, cmp.Or(failed, err)
	}
	if stopped != nil {
		done.Stopped, done.OnIndex = stopped.Name, stopped.Read.Index != "" && len(seen[stopped.Name]) == 0
	}
	return done, nil
}

// see returns what the reader sees of what a read returns.
func (r *Runner) see(ctx context.Context, read *accesspatterns.Read, repetitions []accesspatterns.Params) ([]accesspatterns.Item, error) {
	answer, err := r.Read(ctx, read, repetitions, 0)
	if err != nil {
		return nil, err
	}
	return read.Seen(answer.Items, r.Now)
}

// writeStep sends the requests of a step that writes, and notes them.
func (r *Runner) writeStep(ctx context.Context, step *accesspatterns.Step, items func(role string) ([]accesspatterns.Item, error), repetitions []accesspatterns.Params, done *Done) error {
	requests, err := sdk.StepWrites(step, sdk.Names{Table: r.TableName, Items: items}, repetitions)
	if err != nil {
		return fmt.Errorf("step %s: %w", step.Name, err)
	}
	for _, request := range requests {
		done.Written = append(done.Written, request)
		err := r.Write(ctx, request)
		if err != nil && !(step.MayFail && sent(err) && ctx.Err() == nil) {
			return err
		}
		if err != nil {
			done.Failed = append(done.Failed, Failure{step.Name, err})
			return nil
		}
	}
	return nil
}

// sent reports whether an error is what became of a request, and not that none was
// sent.
func sent(err error) bool {
	return errors.As(err, new(*smithy.OperationError))
}

// before lets the hook end the execution.
func (r *Runner) before(input any) error {
	if r.Before == nil {
		return nil
	}
	return r.Before(input)
}
