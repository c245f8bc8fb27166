package suite

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/sdk"
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
	return f.each(f.loaded.Again(), []string{claim.Subject}, putOf)
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

// each foresees one request for each of the named items, where it is known and deployed.
func (f *forecaster) each(held *safewrite.Forecast, names []string, request func(table string, key, item accesspatterns.Item) any) string {
	for _, name := range names {
		item, known := f.s.Fixtures.Item(name)
		if !known {
			continue
		}
		table, deployed, err := f.s.Placed(item)
		if err != nil {
			continue
		}
		if reason := f.send(held, request(deployed, table.KeyOf(item.Item), item.Item)); reason != "" {
			return reason
		}
	}
	return ""
}

func putOf(table string, _, item accesspatterns.Item) any {
	return &dynamodb.PutItemInput{TableName: &table, Item: item}
}

func deletionOf(table string, key, _ accesspatterns.Item) any {
	return &dynamodb.DeleteItemInput{TableName: &table, Key: key}
}

func readOf(table string, key, _ accesspatterns.Item) any {
	return &dynamodb.GetItemInput{TableName: &table, Key: key}
}

// send foresees one request, and keeps what it writes.
func (f *forecaster) send(held *safewrite.Forecast, input any) string {
	operation := sdk.Operation(input)
	reason := held.Refusal(operation, input)
	if reason == "" {
		held.Write(operation, input)
	}
	return reason
}

func (f *forecaster) pattern(claim manifest.Claim) (reason string) {
	pattern, known := f.s.Design.Pattern(claim.Subject)
	if !known {
		return ""
	}
	for _, c := range f.s.Fixtures.CasesOf(pattern.ID) {
		if reason = f.oneCase(pattern, &c); reason != "" {
			break
		}
	}
	return reason
}

func (f *forecaster) oneCase(pattern *accesspatterns.Pattern, c *fixtures.Case) (reason string) {
	held, known := f.loaded.Again(), true
	_, err := pattern.Walk(c.Params, map[string][]accesspatterns.Item{}, func(step *accesspatterns.Step, repetitions []accesspatterns.Params, err error) (saw []accesspatterns.Item, goesOn bool) {
		if other := c.Interfere; other != nil && other.Before == step.Name {
			if reason = cmp.Or(f.each(held, other.Delete, deletionOf), f.each(held, other.Put, putOf)); reason != "" {
				return nil, false
			}
		}
		if known = err == nil; !known {
			return nil, false // the check reports it
		}
		if step.Read == nil {
			reason, goesOn = f.write(held, *step, c, repetitions)
			known = goesOn
			return nil, goesOn && reason == ""
		}
		names, reached := c.Steps[step.Name]
		if !reached {
			return nil, false
		}
		if reason = f.read(held, step.Read, repetitions); reason != "" {
			return nil, false
		}
		if step.Read.Interprets() {
			names = c.Sees[step.Name]
		}
		expected, err := f.s.Expect(names)
		if known = err == nil; !known {
			return nil, false
		}
		for _, each := range expected {
			saw = append(saw, each.Item)
		}
		return saw, true
	})
	if reason != "" || !known || err != nil {
		return reason
	}
	return f.each(held, slices.Concat(c.Present, c.Absent), readOf)
}

func (f *forecaster) read(held *safewrite.Forecast, read *accesspatterns.Read, repetitions []accesspatterns.Params) string {
	table, known := f.s.Design.Table(read.Table)
	name, err := f.s.TableName(read.Table)
	if !known || err != nil {
		return ""
	}
	for _, params := range repetitions {
		input, err := sdk.Read(read, table, name, params)
		if err != nil {
			return ""
		}
		if reason := f.send(held, input); reason != "" {
			return reason
		}
	}
	return ""
}

func (f *forecaster) write(held *safewrite.Forecast, step accesspatterns.Step, c *fixtures.Case, repetitions []accesspatterns.Params) (reason string, goesOn bool) {
	requests, err := f.s.Compiled(&step, c.Items, repetitions)
	if err != nil {
		return "", false
	}
	for _, request := range requests {
		if refused := c.ErrorAt(step.Name) != ""; refused {
			return f.send(held.Again(), request), false
		}
		if reason := f.send(held, request); reason != "" {
			return reason, false
		}
	}
	return "", true
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
		name, err := f.s.TableName(trial.Bulk.Table)
		for n := 1; err == nil && n <= trial.Bulk.Count; n++ {
			item := fixtures.Numbered(accesspatterns.Item(trial.Bulk.Item), n)
			if reason := f.send(held, &dynamodb.PutItemInput{TableName: aws.String(name), Item: item}); reason != "" {
				return reason
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
		state := held
		if request.Expect.Error != "" {
			state = held.Again() // nothing is written
		}
		if reason := f.send(state, input); reason != "" {
			return reason
		}
	}
	if pattern, known := f.s.Design.Pattern(trial.Pattern); known && pattern.OnlyRead() != nil {
		return f.read(held, pattern.OnlyRead(), []accesspatterns.Params{trial.Params})
	}
	return ""
}
