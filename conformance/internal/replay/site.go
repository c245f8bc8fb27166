package replay

import (
	"cmp"
	"context"
	"errors"
	"runtime"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// site is where designs are deployed: an engine, and the wire in front of it.
type site struct {
	target target.Target
	wire   witness
	proxy  *wire.Proxy   // nil on AWS, where the wire is the client's own transport
	past   []*wire.Proxy // of [Replay.Past]
}

// place is what a run has of one design. It is the design's own, whose replay alone changes it.
type place struct {
	site    *site // nil where it has none of its own
	stack   *deploy.Stack
	owned   *OwnedStack  // where the stack's state outlives the run
	written *itemJournal // on an existing stack
	release func() error // gives up the folder of the stack's state; nil where none is held
}

// of is what the run has of a design.
func (r *Replay) of(design string) *place {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.places[design] == nil {
		r.places[design] = &place{}
	}
	return r.places[design]
}

// startSite starts the target and the wire in front of it; port 0 takes a free one.
// What was started before an error is in the site.
func (r *Replay) startSite(ctx context.Context, port int) (s site, err error) {
	switch {
	case r.options.Endpoint != "":
		s.target, err = target.Endpoint(ctx, r.options.Endpoint)
	case r.options.Engine != nil:
		s.target, err = r.options.Engine.Start(ctx, r.options.Progress)
	default:
		s.target, err = target.Embedded(ctx, r.options.Progress)
	}
	if err != nil {
		return s, err
	}
	s.proxy, err = wire.Start(wire.Options{
		Upstream: s.target.URL(), Port: port, DropResponses: r.options.DropResponses, Sequence: &r.sequence,
		Unanswered: func() { _ = r.lostWith(evidence.Indeterminate) }, // a claim may have hundreds of requests left
	})
	if err == nil {
		s.wire = s.proxy
	}
	return s, err
}

// apart says whether each design has an engine and a wire of its own, so that what is observed of one cannot depend on another: its
// engine holds no other table, and its ledger no other request.
func (r *Replay) apart() bool { return r.options.Apart && r.Alone() && !r.readOnly }

// AtOnce is how many designs can be replayed side by side: as many as there are processors,
// where each design has an engine of its own, else 1.
func (r *Replay) AtOnce() int {
	if r.apart() {
		return runtime.GOMAXPROCS(0)
	}
	return 1
}

// startApart gives a design an engine of its own: the run's first one, or another.
func (r *Replay) startApart(ctx context.Context, name string) error {
	at, own := r.of(name), &r.site
	r.mu.Lock()
	taken := r.first != nil
	if !taken {
		r.first, at.site = at, own
	}
	r.mu.Unlock()
	if !taken {
		return nil
	}
	own = &site{}
	err := r.timed("engine start", func() (err error) {
		*own, err = r.startSite(ctx, 0)
		return err
	})
	if err != nil {
		return errors.Join(err, own.close(context.WithoutCancel(ctx)))
	}
	r.mu.Lock()
	at.site = own
	if r.lost != nil {
		own.proxy.SetFault(answering(r.lost))
	}
	r.mu.Unlock()
	r.watch(own.target)
	return nil
}

// endpoint is the address of the wire, or of the target where the wire has none.
func (s *site) endpoint() string {
	if s.proxy == nil {
		return s.target.URL()
	}
	return s.proxy.URL()
}

// close ends the wire and the target. It may be called again.
func (s *site) close(ctx context.Context) error {
	problems := lists.Map(s.past, func(each *wire.Proxy) error { return each.Close(ctx) })
	if s.wire != nil {
		problems = append(problems, s.wire.Close(ctx))
	}
	if s.target != nil {
		problems = append(problems, s.target.Close(ctx))
	}
	return errors.Join(problems...)
}

// at is where a design is deployed.
func (r *Replay) at(design string) *site {
	return cmp.Or(r.of(design).site, &r.site)
}

// everywhere returns all sites of the run, each once. The caller holds the mutex.
func (r *Replay) everywhere() []*site {
	all := []*site{&r.site}
	for _, at := range r.places {
		if at.site != nil && at.site != &r.site {
			all = append(all, at.site)
		}
	}
	return all
}

// entries returns the ledgers of all sites as one.
func (r *Replay) entries() []wire.Entry {
	ledgers := lists.Map(r.everywhere(), func(each *site) *wire.Ledger { return each.wire.Ledger() })
	return wire.Merge(ledgers...)
}
