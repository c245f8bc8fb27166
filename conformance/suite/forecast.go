package suite

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

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

// forecaster follows what the checks of claims would send.
type forecaster struct {
	s        *session.Session
	policies bool
	loaded   *safewrite.Forecast
	reasons  map[string]string // of claims so far
}

func (f *forecaster) claim(claim manifest.Claim) string {
	if foresee := kinds[claim.Kind].foresee; foresee != nil {
		if reason := foresee(f, claim); reason != "" {
			return reason
		}
	}
	for _, id := range manifest.RestsOn(f.s.Design, claim) {
		if f.reasons[id] != "" {
			return fmt.Sprintf("it rests on %s", strings.TrimPrefix(id, f.s.Design.Name+"/"))
		}
	}
	return ""
}

func (f *forecaster) example(claim manifest.Claim) string {
	put, err := f.s.PutOf(claim.Subject)
	if err != nil {
		return "" // the check reports it
	}
	return f.send(f.loaded.Again(), false, put)
}

func (f *forecaster) stored(claim manifest.Claim) string { return f.entity(claim.Subject) }

func (f *forecaster) policy(manifest.Claim) string {
	if f.policies {
		return ""
	}
	return observe.NeedsStack
}

func (f *forecaster) guardrail(claim manifest.Claim) string {
	if guardrail, known := f.s.Design.Guardrail(claim.Subject); known && guardrail.Proof == accesspatterns.ByLedgerWholeTables {
		return observe.CreationUnseen
	}
	return f.trials("guardrail/" + claim.Subject)
}

func (f *forecaster) finding(claim manifest.Claim) string {
	reason := f.trials("finding/" + claim.Subject)
	if finding, known := f.s.Design.Finding(claim.Subject); known {
		for _, lack := range finding.Lacks {
			id, _, _ := strings.Cut(lack, ".")
			reason = cmp.Or(reason, f.entity(id))
		}
	}
	return reason
}

// entity says why not every item of an entity is stored.
func (f *forecaster) entity(id string) string {
	for i := range f.s.Fixtures.Items {
		item := &f.s.Fixtures.Items[i]
		if err := f.s.LoadErrs[item.Name]; item.Entity == id && err != nil {
			return "item " + item.Name + ": " + reasonOf(err)
		}
	}
	return ""
}

func reasonOf(err error) string {
	if refusal, ok := errors.AsType[*safewrite.Refusal](err); ok {
		return refusal.Reason
	}
	return err.Error()
}

// send foresees requests, and keeps what they write, unless they are to be refused: nothing is written then.
func (f *forecaster) send(held *safewrite.Forecast, refused bool, inputs ...any) string {
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

func (f *forecaster) pattern(claim manifest.Claim) string {
	pattern, known := f.s.Design.Pattern(claim.Subject)
	if !known {
		return ""
	}
	for _, c := range f.s.Fixtures.CasesOf(pattern.ID) {
		if reason := f.oneCase(pattern, &c); reason != "" {
			return reason
		}
	}
	return ""
}

func (f *forecaster) oneCase(pattern *accesspatterns.Pattern, c *fixtures.Case) (reason string) {
	held := f.loaded.Again()
	err := f.s.Steps(pattern, c, func(step *session.Step) error {
		reason = cmp.Or(f.send(held, false, step.Interfering...), f.send(held, step.Refused != "", step.Requests...))
		if reason != "" {
			return errors.New(reason)
		}
		return nil
	})
	if reason != "" || err != nil {
		return reason // another error the check reports
	}
	for _, name := range slices.Concat(c.Present, c.Absent) {
		if get, err := f.s.GetOf(name); err == nil && reason == "" {
			reason = f.send(held, false, get)
		}
	}
	return reason
}

func (f *forecaster) trials(of string) string {
	for _, trial := range f.s.Fixtures.TrialsOf(of) {
		if reason := f.trial(trial); reason != "" {
			return reason
		}
	}
	return ""
}

func (f *forecaster) trial(trial fixtures.Trial) string {
	held := f.loaded.Again()
	if trial.Bulk != nil {
		if name, err := f.s.TableName(trial.Bulk.Table); err == nil {
			for _, item := range trial.Bulk.Items() {
				if reason := f.send(held, false, &dynamodb.PutItemInput{TableName: &name, Item: item}); reason != "" {
					return reason
				}
			}
		}
	}
	for i := range trial.Requests {
		request := &trial.Requests[i]
		if request.Expect.Refused != "" {
			continue // production's guard refuses it first
		}
		input, err := request.Decode(f.s.TableName, f.s.FixtureItem)
		if err != nil {
			return ""
		}
		if reason := f.send(held, request.Expect.Error != "", input); reason != "" {
			return reason
		}
	}
	pattern, known := f.s.Design.Pattern(trial.Pattern)
	if !known || pattern.OnlyRead() == nil {
		return ""
	}
	requests, err := f.s.Compiled(&pattern.Steps[0], nil, []accesspatterns.Params{trial.Params})
	if err != nil {
		return ""
	}
	return f.send(held, false, requests...)
}
