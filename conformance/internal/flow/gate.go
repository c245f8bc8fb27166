package flow

import (
	"context"
	"sync"
)

// Turn says when a run of a race may begin to write.
type Turn int

// The turns of a run.
const (
	// AtOnce is whenever the run comes to its first write.
	AtOnce Turn = iota
	// WhenAllRead is after every run of the race has come to its own first write,
	// so that all rest on the state before the race.
	WhenAllRead
	// AfterThose is after the runs that wrote when all had read have ended, so
	// that what this run has read no longer holds.
	AfterThose
)

// gate keeps the turns of a race's first attempts. It makes runs overlap in the
// same way whatever the speed of their clients.
type gate struct {
	mu sync.Mutex
	// reading counts the runs that have not come to a write, writing those with
	// the turn WhenAllRead that have not ended.
	reading, writing int
	allRead, written chan struct{}
}

// newGate returns the gate of a race; nil when every run may write at once.
func newGate(runs []Run) *gate {
	g := &gate{reading: len(runs), allRead: make(chan struct{}), written: make(chan struct{})}
	held := false
	for _, run := range runs {
		held = held || run.Turn != AtOnce
		if run.Turn == WhenAllRead {
			g.writing++
		}
	}
	if !held {
		return nil
	}
	if g.writing == 0 {
		close(g.written)
	}
	return g
}

// pass is a run's place at the gate.
type pass struct {
	gate       *gate
	turn       Turn
	read, done sync.Once
}

func (g *gate) pass(turn Turn) *pass {
	if g == nil {
		return nil
	}
	return &pass{gate: g, turn: turn}
}

// hasRead notes that the run has read all that its first write rests on, or will
// not come to a write.
func (p *pass) hasRead() {
	if p != nil {
		p.read.Do(func() { p.gate.count(&p.gate.reading, p.gate.allRead) })
	}
}

// ended notes that the run is over.
func (p *pass) ended() {
	if p == nil {
		return
	}
	p.hasRead()
	if p.turn == WhenAllRead {
		p.done.Do(func() { p.gate.count(&p.gate.writing, p.gate.written) })
	}
}

func (g *gate) count(left *int, open chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if *left--; *left == 0 {
		close(open)
	}
}

// wait returns when it is the run's turn to write. Once it was, it stays so.
func (p *pass) wait(ctx context.Context) error {
	if p == nil {
		return nil
	}
	p.hasRead()
	if p.turn == AtOnce {
		return nil
	}
	for _, open := range []chan struct{}{p.gate.allRead, p.gate.written} {
		select {
		case <-open:
		case <-ctx.Done():
			return ctx.Err()
		}
		if p.turn == WhenAllRead {
			return nil
		}
	}
	return nil
}
