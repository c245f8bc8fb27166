package suite

import (
	"context"
	"sync"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/session"
)

// Beside replays designs side by side. Each has to be deployed on an engine of its own,
// so that nothing of one is seen by another. Ginkgo asks for one claim after the other,
// in their order, and finds those of later designs decided.
type Beside struct {
	plan   Plan
	begin  func()
	cancel context.CancelFunc
	// canceled reports whether the run ends early.
	canceled func() bool
	work     sync.WaitGroup
	lanes    []*lane
}

// lane is one design on its way.
type lane struct {
	design *accesspatterns.Design
	specs  []*selectedSpec
	// opened is closed when session and failure are there, done when no spec runs any more.
	opened, done chan struct{}
	session      *session.Session
	failure      error
	// taken counts the verdicts that Ginkgo was given, which asks for one at a time.
	taken int
}

type selectedSpec struct {
	Spec
	ctx    context.Context
	cancel context.CancelFunc
	result chan outcome // holds one
}

// outcome is a verdict, or what the check panicked with.
type outcome struct {
	result   evidence.Result
	panicked any
}

// SideBySide replays the selected claims of a plan, so many designs at once. [Beside.Stop]
// has to be called behind the last spec.
func SideBySide(ctx context.Context, plan Plan, designs int, selected func(manifest.Claim) bool) *Beside {
	b := &Beside{plan: plan}
	ctx, b.cancel = context.WithCancel(ctx)
	b.canceled = func() bool { return ctx.Err() != nil }
	waiting := make(chan *lane, len(plan.Designs))
	for _, design := range plan.Designs {
		l := &lane{design: design, opened: make(chan struct{}), done: make(chan struct{})}
		for _, each := range Specs(design) {
			if selected(each.Claim) {
				own, cancel := context.WithCancel(ctx)
				l.specs = append(l.specs, &selectedSpec{each, own, cancel, make(chan outcome, 1)})
			}
		}
		if len(l.specs) > 0 {
			b.lanes = append(b.lanes, l)
			waiting <- l
		}
	}
	close(waiting)
	b.begin = sync.OnceFunc(func() {
		for range min(designs, len(b.lanes)) {
			b.work.Go(func() {
				for l := range waiting {
					l.replay(ctx, plan.Open)
				}
			})
		}
	})
	return b
}

func (l *lane) replay(ctx context.Context, open func(context.Context, *accesspatterns.Design) (*session.Session, error)) {
	defer close(l.done)
	if l.failure = ctx.Err(); l.failure == nil {
		l.session, l.failure = open(ctx, l.design)
	}
	close(l.opened)
	for _, each := range l.specs {
		if ctx.Err() != nil {
			return
		}
		each.run(l.session, l.failure)
	}
}

// run decides a claim. A check that panics does so where Ginkgo asks for it.
func (s *selectedSpec) run(session *session.Session, failure error) {
	defer s.cancel()
	var found outcome
	defer func() {
		found.panicked = recover()
		s.result <- found
	}()
	found.result = s.Run(s.ctx, session, failure)
}

// Plan is the plan for [Describe].
func (b *Beside) Plan() Plan {
	plan := b.plan
	plan.Open, plan.Decide, plan.Close = b.open, b.decide, b.close
	return plan
}

func (b *Beside) lane(design string) *lane {
	for _, l := range b.lanes {
		if l.design.Name == design {
			return l
		}
	}
	return nil
}

func (b *Beside) open(ctx context.Context, design *accesspatterns.Design) (*session.Session, error) {
	l := b.lane(design.Name)
	if l == nil {
		return b.plan.Open(ctx, design)
	}
	b.begin()
	defer context.AfterFunc(ctx, b.cancel)()
	<-l.opened
	return l.session, l.failure
}

func (b *Beside) decide(ctx context.Context, asked Spec, session *session.Session, failure error) evidence.Result {
	l := b.lane(asked.Claim.Design)
	for i := 0; l != nil && i < len(l.specs); i++ {
		each := l.specs[i]
		if each.Claim.ID != asked.Claim.ID {
			continue
		}
		defer context.AfterFunc(ctx, each.cancel)()
		select {
		case found := <-each.result:
			return l.take(found)
		case <-l.done:
		}
		select {
		case found := <-each.result:
			return l.take(found)
		default: // it was canceled before
		}
	}
	return asked.Run(ctx, session, failure)
}

func (l *lane) take(found outcome) evidence.Result {
	l.taken++
	if found.panicked != nil {
		panic(found.panicked)
	}
	return found.result
}

// close removes a design. Where Ginkgo skipped claims of it, it asks for no further ones:
// then nothing may be on its way when the designs are removed.
func (b *Beside) close(ctx context.Context, design *accesspatterns.Design, session *session.Session) error {
	if l := b.lane(design.Name); l != nil && l.taken < len(l.specs) {
		b.cancel()
	}
	if b.canceled() {
		b.stop()
	}
	return b.plan.Close(ctx, design, session)
}

func (b *Beside) stop() {
	b.cancel()
	b.begin() // lets those that wait find that they are canceled
	b.work.Wait()
}

// Stop ends what is on its way, and hands over the verdicts that nobody asked for because
// the run ended before.
func (b *Beside) Stop(record func(evidence.Result)) {
	b.stop()
	for _, l := range b.lanes {
		for _, each := range l.specs {
			select {
			case found := <-each.result:
				if found.panicked == nil {
					record(found.result)
				}
			default:
			}
		}
	}
}
