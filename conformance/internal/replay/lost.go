package replay

import (
	"context"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// watch notices when an embedded engine ends by itself.
func (r *Replay) watch(engine target.Target) {
	ended := engine.Done()
	if ended == nil {
		return // the life of an endpoint is not known; see lostWith
	}
	go func() {
		<-ended
		if err := engine.Err(); err != nil {
			r.lose(err)
		}
	}()
}

// lose records why nothing can be observed any more. From then on the wire
// answers at once, in an error that no SDK retries: clients would otherwise spend
// minutes on an engine that is gone.
func (r *Replay) lose(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost != nil {
		return
	}
	r.lost = err
	for _, each := range r.everywhere() {
		each.proxy.SetFault(answering(err))
	}
}

// answering answers every request with an error that no SDK retries.
func answering(err error) wire.Fault {
	return func(wire.Entry) *wire.FaultResponse { return wire.Refused(wire.Unanswered, err.Error()) }
}

// Lost says why the engine answers nothing any more. It is nil as long as it
// does.
func (r *Replay) Lost() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// lostWith reports why the engine was lost at a verdict, or nil. An endpoint is
// asked whether it still answers when something broke or could not be told, and when a
// request was not answered: one that takes connections and answers nothing would else
// cost every further request the longest wait for an answer, several times.
func (r *Replay) lostWith(verdict evidence.Verdict) error {
	if r.options.Endpoint != "" && (verdict == evidence.Error || verdict == evidence.Indeterminate) && r.Lost() == nil {
		if _, err := target.Endpoint(context.Background(), r.options.Endpoint); err != nil { // it bounds itself
			r.lose(err)
		}
	}
	return r.Lost()
}

// Interrupted is the reason of claims that an interrupt left undecided.
const Interrupted = "not examined: the run was interrupted before"

// Undecided records a verdict for every chosen claim that has none, so that
// evidence never leaves one out in silence.
func (r *Replay) Undecided(chosen func(manifest.Claim) bool, verdict evidence.Verdict, reason string) {
	r.mu.Lock()
	decided := lists.Set(r.evidence.Results(), func(result evidence.Result) string { return result.ID })
	r.mu.Unlock()
	for _, design := range r.designs {
		for _, claim := range manifest.InOrder(design) {
			if chosen(claim) && !decided[claim.ID] {
				r.unexamined(claim, verdict, reason)
			}
		}
	}
	r.forgotten(chosen)
}

// unexamined records a verdict for a claim of which nothing was seen.
func (r *Replay) unexamined(claim manifest.Claim, verdict evidence.Verdict, reason string) {
	result := evidence.Result{Grade: evidence.Static}
	result.Promise(nil, claim)
	r.add(undecided(result, verdict, reason))
}

// forgotten records an error for every chosen claim of the manifest that the
// contracts of this run no longer have: a claim that is gone is not a claim that
// passed.
func (r *Replay) forgotten(chosen func(manifest.Claim) bool) {
	committed := must.Have(designs.Manifest()) // it is part of the program, and a test reads it
	for _, design := range r.designs {
		has := lists.Set(manifest.Claims(design), func(claim manifest.Claim) string { return claim.ID })
		for _, claim := range committed {
			if claim.Design == design.Name && chosen(claim) && !has[claim.ID] {
				r.unexamined(claim, evidence.Error,
					"the manifest has this claim, and the contract no longer does: restore it, or take it out of the manifest")
			}
		}
	}
}

// undecided replaces a verdict by one that says that nothing can be told.
func undecided(result evidence.Result, verdict evidence.Verdict, reason string) evidence.Result {
	result.Verdict = verdict
	result.Problems = []evidence.Problem{{Expected: result.Title, Found: reason, Where: result.ID, Cite: result.Cite}}
	return result
}

// Inject lets the wire do something else with requests than pass them on, to find
// out what verdicts make of it; nil ends that.
func (r *Replay) Inject(fault wire.Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost == nil { // else the wire must go on saying so
		r.proxy.SetFault(fault)
	}
}

// KillEngine ends the engine behind the run's back, as a crash would, and returns
// when it is gone.
func (r *Replay) KillEngine() {
	if closer, can := r.target.(interface{ Kill() }); can {
		closer.Kill()
	}
}
