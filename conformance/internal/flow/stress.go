package flow

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Outcome is what one run of a race came to.
type Outcome struct {
	// Attempts is how often the run began, more than once only with retry.
	Attempts int
	// Written holds every write request that was sent.
	Written []any
	// Stopped and OnIndex are those of the last attempt.
	Stopped string
	OnIndex bool
	// Err is nil when the run succeeded.
	Err error
}

// Race runs flows from several clients at once and waits for all of them. The
// seed decides in which order the runs are taken and which client takes which.
// With retry, a run whose condition failed begins again from its first step, as a
// client does that reads the new state, until it succeeds or has begun as often
// as there are runs and once more. Runs that wait for their turn to write have a
// client each, however few are asked for. Outcomes stand in the order of the runs.
func (r *Runner) Race(ctx context.Context, seed uint64, clients int, runs []Run, retry bool) []Outcome {
	gate := newGate(runs)
	if gate != nil {
		clients = max(clients, len(runs))
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(runs))))
	order := random.Perm(len(runs))
	shares := make([][]int, clients)
	for i, run := range order {
		// Every client gets a share, and which one gets more is left to the seed.
		share := i
		if i >= clients {
			share = random.IntN(clients)
		}
		shares[share%clients] = append(shares[share%clients], run)
	}
	outcomes := make([]Outcome, len(runs))
	start := make(chan struct{})
	var wait sync.WaitGroup
	for _, share := range shares {
		wait.Go(func() {
			<-start
			for _, run := range share {
				tagged := ctx
				if r.Tag != nil {
					tagged = r.Tag(ctx, run)
				}
				contender := runs[run]
				contender.pass = gate.pass(contender.Turn)
				outcomes[run] = r.contend(tagged, contender, retry, len(runs)+1)
			}
		})
	}
	close(start)
	wait.Wait()
	return outcomes
}

func (r *Runner) contend(ctx context.Context, run Run, retry bool, most int) Outcome {
	defer run.pass.ended()
	var outcome Outcome
	for {
		outcome.Attempts++
		done, err := r.Run(ctx, run)
		run.pass.hasRead()
		outcome.Written = append(outcome.Written, done.Written...)
		outcome.Stopped, outcome.OnIndex, outcome.Err = done.Stopped, done.OnIndex, err
		if !retry || !conditionFailed(err) || outcome.Attempts == most {
			return outcome
		}
	}
}

// conditionFailed reports whether a write was refused because a condition did not
// hold.
func conditionFailed(err error) bool {
	var failed *types.ConditionalCheckFailedException
	var cancelled *types.TransactionCanceledException
	return errors.As(err, &failed) || errors.As(err, &cancelled)
}

// ErrDead is what a run ends with whose client died.
var ErrDead = errors.New("the client died")

// DieAfter returns a Before hook for a client that dies when it is about to send
// the request behind the given number of requests, and stays dead.
func DieAfter(requests int) func() error {
	left := requests
	return func() error {
		if left == 0 {
			return ErrDead
		}
		left--
		return nil
	}
}
