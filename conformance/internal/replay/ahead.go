package replay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/suite/session"
)

// ahead deploys a design while those before it are replayed, and removes one while
// those after it are. Pulumi's part of a run is then done beside the requests of
// the replay. Each design has an engine and a wire of its own, so that what is
// observed of one cannot depend on another: its engine holds no other table, and its
// ledger no other request.
type ahead struct {
	// designs will be opened, in this order.
	designs []*accesspatterns.Design
	// deploying ends when the run is interrupted. removing does not: it ends when
	// nobody waits for it any more.
	deploying, removing context.Context
	giveUp              context.CancelFunc // ends both
	work                sync.WaitGroup

	// The run's mutex is held to read or change what follows.
	begun    map[string]*begun
	failures Removals
}

// begun is a deployment that was begun, for Open to wait for.
type begun struct {
	cancel context.CancelFunc
	// done is closed when deployment and err are there.
	done       chan struct{}
	deployment session.Deployment
	err        error
	// leaving says that the removal was begun, removed that it has ended.
	leaving, removed bool
}

// RemovalError says that a design's deployment was not removed.
type RemovalError struct {
	Design string
	Err    error
}

func (e *RemovalError) Error() string { return fmt.Sprintf("removing %s: %v", e.Design, e.Err) }

// Unwrap returns why.
func (e *RemovalError) Unwrap() error { return e.Err }

// Removals are the deployments that were not removed, each with its reason.
type Removals []*RemovalError

func (r Removals) Error() string { return errors.Join(r.Unwrap()...).Error() }

// Unwrap returns the reasons.
func (r Removals) Unwrap() []error {
	var reasons []error
	for _, each := range r {
		reasons = append(reasons, each)
	}
	return reasons
}

// orNil is the removals as an error, nil when there are none.
func (r Removals) orNil() error {
	if len(r) == 0 {
		return nil
	}
	return r
}

// goAhead prepares a run to deploy ahead, where that is asked for and the engines
// are the run's own.
func (r *Replay) goAhead(ctx context.Context) {
	if r.options.Ahead == nil || !r.alone() || r.readOnly {
		return
	}
	a := &ahead{begun: map[string]*begun{}}
	a.removing, a.giveUp = context.WithCancel(context.WithoutCancel(ctx))
	var cancel context.CancelFunc
	a.deploying, cancel = context.WithCancel(ctx)
	context.AfterFunc(a.removing, cancel)
	for _, design := range r.designs {
		if r.options.Ahead(design) {
			a.designs = append(a.designs, design)
		}
	}
	r.ahead = a
}

// AtOnce is how many designs can be replayed side by side: as many as there are processors,
// where each design has an engine of its own, else 0.
func (r *Replay) AtOnce() int {
	if r.ahead == nil {
		return 0
	}
	return runtime.GOMAXPROCS(0)
}

// begin begins to deploy a design, unless that was begun before.
func (r *Replay) begin(design *accesspatterns.Design) *begun {
	a := r.ahead
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := a.begun[design.Name]; b != nil {
		return b
	}
	ctx, cancel := context.WithCancel(a.deploying)
	b := &begun{cancel: cancel, done: make(chan struct{})}
	a.begun[design.Name] = b
	a.work.Go(func() {
		defer close(b.done)
		defer cancel()
		if b.err = r.settleDown(ctx, design.Name); b.err != nil {
			return
		}
		b.err = r.timed("deploy", func() (err error) {
			b.deployment, err = r.deploy(ctx, design)
			return err
		})
	})
	return b
}

// settleDown gives a design an engine of its own: the run's first one, or another.
func (r *Replay) settleDown(ctx context.Context, name string) error {
	r.mu.Lock()
	free := len(r.sites) == 0
	if free {
		r.sites[name] = &r.site
	}
	r.mu.Unlock()
	if free {
		return nil
	}
	var own site
	err := r.timed("engine start", func() (err error) {
		own, err = r.startSite(ctx, 0)
		return err
	})
	if err != nil {
		return errors.Join(err, own.close(context.WithoutCancel(ctx)))
	}
	r.mu.Lock()
	r.sites[name] = &own
	if r.lost != nil {
		own.wire.SetFault(answering(r.lost))
	}
	r.mu.Unlock()
	r.watch(own.target)
	return nil
}

// await returns a design's deployment, and begins that of the next design.
func (r *Replay) await(ctx context.Context, design *accesspatterns.Design) (session.Deployment, error) {
	b := r.begin(design)
	select {
	case <-b.done:
	default:
		r.progress("%s: deploying", design.Name)
	}
	stop := context.AfterFunc(ctx, b.cancel)
	defer stop()
	<-b.done // a deployment that is canceled ends in good order
	if next := r.next(design); next != nil && ctx.Err() == nil && !r.ending() {
		r.begin(next)
	}
	return b.deployment, b.err
}

// next is the design that follows another one; nil behind the last.
func (r *Replay) next(design *accesspatterns.Design) *accesspatterns.Design {
	for i, each := range r.ahead.designs {
		if each.Name == design.Name && i+1 < len(r.ahead.designs) {
			return r.ahead.designs[i+1]
		}
	}
	return nil
}

// ending reports whether no further design will be opened, whatever is left: the
// run was interrupted, or an engine was lost.
func (r *Replay) ending() bool { return r.ahead.deploying.Err() != nil || r.Lost() != nil }

// leaveBehind begins to remove a design. Behind the last one it waits until
// everything is removed, and says what is not.
func (r *Replay) leaveBehind(ctx context.Context, design *accesspatterns.Design) error {
	r.removeBehind(design)
	if ctx.Err() == nil && !r.ending() && r.moreToCome() {
		return nil
	}
	return r.removeAll(ctx)
}

func (r *Replay) moreToCome() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.ahead.designs, func(design *accesspatterns.Design) bool {
		b := r.ahead.begun[design.Name]
		return b == nil || !b.leaving
	})
}

// removeBehind begins to remove what was deployed of a design, or is being deployed,
// and its engine.
func (r *Replay) removeBehind(design *accesspatterns.Design) {
	a := r.ahead
	r.mu.Lock()
	defer r.mu.Unlock()
	b := a.begun[design.Name]
	if b == nil || b.leaving {
		return
	}
	b.leaving = true
	b.cancel()
	a.work.Go(func() {
		<-b.done
		err := r.destroy(a.removing, design)
		r.mu.Lock()
		own := r.sites[design.Name]
		r.mu.Unlock()
		if own != nil { // else no engine came up
			err = errors.Join(err, own.close(a.removing))
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		b.removed = true
		if err != nil && a.removing.Err() == nil { // else it was told already
			a.failures = append(a.failures, &RemovalError{design.Name, err})
		}
	})
}

// removeAll removes everything that was deployed, also what nobody opened, and
// returns when it is gone. When ctx ends first, it says what is left, which ends
// with its engine.
func (r *Replay) removeAll(ctx context.Context) error {
	a := r.ahead
	for _, design := range r.designs {
		r.removeBehind(design)
	}
	select {
	case <-a.settled():
		return r.takeFailures().orNil()
	case <-ctx.Done():
	}
	a.giveUp()
	failures := r.takeFailures()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, design := range r.designs {
		if b := a.begun[design.Name]; b != nil && !b.removed {
			failures = append(failures, &RemovalError{design.Name, ctx.Err()})
		}
	}
	return failures.orNil()
}

func (r *Replay) takeFailures() Removals {
	r.mu.Lock()
	defer r.mu.Unlock()
	failures := r.ahead.failures
	r.ahead.failures = nil
	return failures
}

// settled is closed when nothing is under way any more.
func (a *ahead) settled() <-chan struct{} {
	settled := make(chan struct{})
	go func() { a.work.Wait(); close(settled) }()
	return settled
}

// wait returns when nothing is under way any more, or ctx ends.
func (a *ahead) wait(ctx context.Context) error {
	select {
	case <-a.settled():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("expected deployments under way to end with their engines, found some that go on: %w", ctx.Err())
	}
}
