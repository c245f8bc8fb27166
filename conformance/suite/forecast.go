package suite

import (
	"cmp"
	"fmt"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Unanswerable is a claim that a replay on an existing stack cannot decide, and why.
type Unanswerable struct{ Claim, Reason string }

// Forecast says, before any request, which claims a replay on existing tables cannot
// decide, because it would have to write where others read, or to send what may not be sent
// beside their items. Items of others that it then meets may add to them. With policies the
// place tells which are attached, as an account does.
func Forecast(design *accesspatterns.Design, set *fixtures.Set, tables map[string]string, policies bool) ([]Unanswerable, error) {
	s, loaded, err := session.Foreseen(design, set, tables)
	if err != nil {
		return nil, err
	}
	f := &forecaster{s: s, policies: policies, loaded: loaded, reasons: map[string]string{}}
	var found []Unanswerable
	for _, claim := range manifest.InOrder(design) {
		if reason := f.claim(claim); reason != "" {
			f.reasons[claim.ID] = reason
			found = append(found, Unanswerable{claim.ID, reason})
		}
	}
	return found, nil
}

// forecaster looks at what claims would send.
type forecaster struct {
	s        *session.Session
	policies bool
	loaded   *safewrite.Forecast
	reasons  map[string]string // of claims so far
}

func (f *forecaster) claim(claim manifest.Claim) string {
	if reason := cmp.Or(f.lacks(claim), f.barred(claim)); reason != "" {
		return reason
	}
	for _, id := range manifest.RestsOn(f.s.Design, claim) {
		if f.reasons[id] != "" {
			return fmt.Sprintf("it rests on %s", strings.TrimPrefix(id, f.s.Design.Name+"/"))
		}
	}
	return ""
}

// lacks says what a claim needs that there is not on existing tables, whatever it sends.
func (f *forecaster) lacks(claim manifest.Claim) string {
	switch claim.Kind {
	case manifest.KindInvariant:
		return observe.NeedsEphemeral
	case manifest.KindPolicy:
		if !f.policies {
			return observe.NeedsStack
		}
	case manifest.KindGuardrail:
		if guardrail, known := f.s.Design.Guardrail(claim.Subject); known && guardrail.Proof == accesspatterns.ByLedgerWholeTables {
			return observe.CreationUnseen
		}
	}
	return ""
}

// barred says why a request of a claim is not sent. What cannot be planned the check reports.
func (f *forecaster) barred(claim manifest.Claim) string {
	runs, _ := f.s.Plan(claim)
	for _, run := range runs {
		held := f.loaded.Again()
		for _, step := range run.Steps {
			if step.Unsent {
				continue
			}
			reason := f.send(held, false, step.Beside)
			if reason == "" {
				reason = f.send(held, step.Refused, step.Requests)
			}
			if reason != "" && step.Stored != "" {
				reason = "item " + step.Stored + ": " + reason
			}
			if reason != "" {
				return reason
			}
		}
	}
	return ""
}

// send foresees requests, and keeps what they write, unless they are to be refused: nothing is written then.
func (f *forecaster) send(held *safewrite.Forecast, refused bool, inputs []any) string {
	if refused {
		held = held.Again()
	}
	for _, input := range inputs {
		if reason := held.Send(input); reason != "" {
			return reason
		}
	}
	return ""
}
