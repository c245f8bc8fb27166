package suite

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
)

func ledgerCheck(claim accesspatterns.Claim) func(context.Context, *Session, *Observation) {
	switch claim.Aspect {
	case accesspatterns.LedgerNoScan:
		return checkNoScan
	case accesspatterns.LedgerDocumented:
		return checkDocumented
	case accesspatterns.LedgerAgreement:
		return checkAgreement
	}
	return func(_ context.Context, _ *Session, o *Observation) {
		o.cannot(evidence.Error, "no check of the ledger for %q", claim.Aspect)
	}
}

// replayed returns the ledger since the session was opened.
func (s *Session) replayed() []wire.Entry { return s.Ledger.Entries(s.begin) }

// checkNoScan holds when every Scan and PartiQL statement of the replay is accounted for: it belongs to a pattern that a waiver
// names, or to a finding, whose documented form is replayed to show what happens. It rests on the whole ledger, and
// says nothing when the patterns sent nothing. An audit sends nothing that could
// scan: there the trail alone decides, about the requests of all others.
func checkNoScan(ctx context.Context, s *Session, o *Observation) {
	if s.ReadOnly {
		checkTrail(ctx, s, o)
		return
	}
	requests := s.patternRequests()
	if len(requests) == 0 {
		o.cannot(evidence.Indeterminate, "no access pattern was replayed, so the absence of scans says nothing")
		return
	}
	o.witnessedBy(requests)
	claims := s.claimsOfRequests()
	waived := map[string]int{}
	for _, entry := range s.replayed() {
		o.saw()
		if len(scans([]wire.Entry{entry})) == 0 {
			continue
		}
		claim := claims[entry.InvocationID]
		o.rests([]string{entry.InvocationID})
		pattern, isPattern := s.patternOf(claim)
		switch {
		case isPattern && pattern.Waiver != "":
			waived[pattern.Waiver]++
		case s.shows(claim) == accesspatterns.Hazard:
			o.note("hazard shown: request %d, %s on %s, of %s", entry.Seq, entry.Operation, showNames(entry.Tables), claim)
		case s.shows(claim) != "":
			o.note("negative control: request %d, %s on %s, the documented form that %s objects to", entry.Seq, entry.Operation, showNames(entry.Tables), claim)
		default:
			o.fail(fmt.Sprintf("request %d (%s)", entry.Seq, orNone(claim)), "no Scan and no PartiQL", entry.Operation+" on "+showNames(entry.Tables),
				"read by key, or record a waiver with its reason")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(waived)) {
		o.note("waived: %d by waiver %s", waived[id], id)
	}
	checkMetrics(ctx, s, o)
	checkTrail(ctx, s, o)
}

// shows returns the kind of the finding that a claim is about, whose documented form is replayed, a Scan included, to show what
// happens; "" for any other claim.
func (s *Session) shows(claim string) accesspatterns.FindingKind {
	for _, finding := range s.Design.Findings {
		if claim == s.Design.Name+"/finding/"+finding.ID {
			return finding.Kind
		}
	}
	return ""
}

// WaivedRequests counts the requests that were made under each waiver, by the session
// and, where a trail shows them, by others.
func (s *Session) WaivedRequests() map[string]int {
	claims := s.claimsOfRequests()
	waived := maps.Clone(s.trailWaived)
	if waived == nil {
		waived = map[string]int{}
	}
	for _, entry := range scans(s.replayed()) {
		if pattern, known := s.patternOf(claims[entry.InvocationID]); known && pattern.Waiver != "" {
			waived[pattern.Waiver]++
		}
	}
	return waived
}

// claimsOfRequests maps invocation ids to the claims that sent them.
func (s *Session) claimsOfRequests() map[string]string {
	claims := map[string]string{}
	for _, c := range s.recorder.since(0) {
		claims[c.invocation] = c.claim
	}
	return claims
}

// checkDocumented holds when every request of the replay belongs to a claim, and
// the patterns used only operations that they document.
func checkDocumented(_ context.Context, s *Session, o *Observation) {
	requests := s.patternRequests()
	if len(requests) == 0 {
		o.cannot(evidence.Indeterminate, "no access pattern was replayed")
		return
	}
	o.witnessedBy(requests)
	claims := s.claimsOfRequests()
	for _, entry := range s.replayed() {
		claim, known := claims[entry.InvocationID]
		where := fmt.Sprintf("request %d", entry.Seq)
		o.saw()
		if !known || claim == "" {
			o.fail(where, "a request of a claim", orNone(entry.Operation)+" that no claim sent", "send every request under a claim")
			continue
		}
		if pattern, known := s.patternOf(claim); known && !slices.Contains(operations(pattern), entry.Operation) {
			o.fail(where+" of "+claim, "one of "+showNames(operations(pattern)), entry.Operation, "use the documented operation")
		}
	}
}

// operations returns the operations that a pattern documents. A flow that
// writes is checked with GetItem afterwards.
func operations(pattern *accesspatterns.Pattern) []string {
	var names []string
	for _, step := range pattern.Steps() {
		if step.Read != nil {
			names = append(names, string(step.Read.Operation))
		} else {
			names = append(names, string(accesspatterns.OpGetItem))
			for _, operation := range step.WriteOperations() {
				names = append(names, string(operation))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkAgreement holds when client and wire have seen the same requests. The
// client counts invocations; the wire may see several attempts of one.
func checkAgreement(_ context.Context, s *Session, o *Observation) {
	o.witnessedBy(s.patternRequests())
	sent := map[string]string{}
	for _, c := range s.recorder.since(0) {
		sent[c.invocation] = c.operation
	}
	seen := map[string]string{}
	for _, entry := range s.replayed() {
		seen[entry.InvocationID] = entry.Operation
	}
	const do = "send all traffic through the wire, and let nobody else use it during a run"
	for _, id := range slices.Sorted(maps.Keys(sent)) {
		o.equal("invocation "+id, sent[id], orNone(seen[id]), do)
	}
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		if _, known := sent[id]; !known {
			o.fail("the wire's ledger", "only requests of this client", orNone(seen[id])+" of invocation "+orNone(id), do)
		}
	}
}
