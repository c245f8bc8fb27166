package patterns

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Nothing in this file decides a verdict: it keeps what a report shows of a
// replay. Items are kept by name; the ledger has them whole.

// Success is what a request came to that was not refused, in place of the code of an error.
const Success = "success"

// orders says in words in which order a read returns its items; any order goes without saying.
var orders = map[accesspatterns.Order]string{
	accesspatterns.Ascending: "ascending", accesspatterns.Descending: "descending", accesspatterns.EitherOrder: "ascending or descending",
}

func describePattern(pattern *accesspatterns.Pattern) *evidence.Pattern {
	described := &evidence.Pattern{Roles: pattern.Roles, Returns: pattern.Returns}
	if read := pattern.OnlyRead(); read != nil {
		described.Operation, described.Table, described.Index = string(read.Sends()), read.Table, read.Index
		described.Order = orders[read.Order]
	}
	return described
}

// recordRead keeps what a read step returned.
func (r *replay) recordRead(step accesspatterns.Step, expected []session.ExpectedItem, got *session.Answer) {
	recorded := evidence.Step{
		Name: step.Name, Operation: string(step.Read.Sends()), Table: step.Read.Table, Index: step.Read.Index,
		Ordered: step.Read.Order != accesspatterns.AnyOrder,
		Pages:   got.Pages, Count: got.Count, ScannedCount: got.Scanned,
		Expected: lists.Map(expected, func(e session.ExpectedItem) string { return e.Name }),
		Returned: namesOf(&r.s.Input, expected, got.Items),
	}
	r.unexpected = append(r.unexpected, session.Compare(expected, got.Items, false).Unexpected...)
	for _, id := range got.Invocations {
		for _, entry := range r.s.Ledger.Find(id) {
			if recorded.Request == 0 {
				recorded.Request = entry.Seq
			}
			recorded.CapacityUnits += aws.ToFloat64(entry.ConsumedCapacity)
		}
	}
	r.steps = append(r.steps, recorded)
}

// recordSinglePages adds what the latest read returned page by page.
func (r *replay) recordSinglePages(expected []session.ExpectedItem, got *session.Answer) {
	r.unexpected = append(r.unexpected, session.Compare(expected, got.Items, false).Unexpected...)
	r.steps[len(r.steps)-1].SinglePages = got.Pages
}

// recordWrite keeps what a request of a write step came to. The requests of a
// step are one record until one is refused.
func (r *replay) recordWrite(step accesspatterns.Step, request any, invocations []string, err error) {
	outcome := Success
	if err != nil {
		outcome, _ = failures.CodeOf(err)
	}
	if n := len(r.steps); n > 0 && r.steps[n-1].Name == step.Name {
		r.steps[n-1].Outcome = outcome
		return
	}
	recorded := evidence.Step{
		Name: step.Name, Operation: sdk.Operation(request), Outcome: outcome, ExpectedOutcome: cmp.Or(r.c.ErrorAt(step.Name), Success),
	}
	recorded.Table = strings.Join(lists.With(nil, lists.Map(step.Write, func(a accesspatterns.Action) string { return a.Table })...), ", ")
	if entry, sent := firstEntry(r.s.Ledger, invocations); sent {
		recorded.Request, recorded.CapacityUnits = entry.Seq, aws.ToFloat64(entry.ConsumedCapacity)
	}
	r.steps = append(r.steps, recorded)
}

// recorded returns the case with all that was recorded of it.
func (r *replay) recorded() evidence.Case {
	c := evidence.Case{
		Name: r.c.Name, Params: r.c.Params, Steps: r.steps, Present: r.c.Present, Absent: r.c.Absent, NotReturned: r.c.NotReturned,
	}
	if r.c.Interfere != nil {
		c.DeletedBefore, c.Deleted = r.c.Interfere.Before, r.c.Interfere.Delete
	}
	answered := slices.ContainsFunc(r.steps, func(step evidence.Step) bool { return step.Outcome == "" })
	for _, decoy := range r.c.Decoys {
		c.Decoys = append(c.Decoys, evidence.Decoy{Item: decoy.Item, Why: decoy.Why, Avoided: answered && !r.returned(decoy.Item)})
	}
	return c
}

// returned reports whether an unexpected item is, or may be, the decoy. An item
// whose key was projected out may be any.
func (r *replay) returned(decoy string) bool {
	fixture, table, err := r.s.Fixture(decoy)
	if err != nil {
		return false
	}
	key := table.KeyOf(fixture)
	return slices.ContainsFunc(r.unexpected, func(item accesspatterns.Item) bool {
		for attribute, value := range key {
			if found, present := item[attribute]; present && !dynamo.Equal(value, found) {
				return false
			}
		}
		return true
	})
}

// namesOf returns the names of returned items, in their order.
func namesOf(s *session.Input, expected []session.ExpectedItem, items []accesspatterns.Item) []string {
	names := session.Compare(expected, items, false).Returned
	for i, item := range items {
		if names[i] == "" {
			names[i] = cmp.Or(s.NameOf(item), session.UnknownItem)
		}
	}
	return names
}

func firstEntry(ledger *wire.Ledger, invocations []string) (wire.Entry, bool) {
	for _, id := range invocations {
		if entries := ledger.Find(id); len(entries) > 0 {
			return entries[0], true
		}
	}
	return wire.Entry{}, false
}

// recordExchange keeps a request of the latest trial with its last answer, or why the guard withheld it.
// before is the length of the client's ledger before the request.
func recordExchange(o *observe.Observation, request *fixtures.Request, before int, withheld string) {
	recorded := evidence.Exchange{Operation: request.Operation, Expected: wanted(&request.Expect), Found: "no answer"}
	if ids := o.Session.Recorder.Invocations(before); len(ids) > 0 {
		if entries := o.Session.Ledger.Find(ids[len(ids)-1]); len(entries) > 0 {
			last := entries[len(entries)-1]
			expected, _ := o.Session.Expect(request.Expect.Items) // an unknown name is reported by the check
			recorded.Request, recorded.Found = last.Seq, answered(&o.Session.Input, last, expected)
		}
	}
	recorded.Found = cmp.Or(withheld, recorded.Found)
	addExchange(o, recorded)
}

func addExchange(o *observe.Observation, exchange evidence.Exchange) {
	trial := &o.Report.Trials[len(o.Report.Trials)-1]
	trial.Exchanges = append(trial.Exchanges, exchange)
}

// recordBudget keeps a budgeted read of the latest trial.
func recordBudget(o *observe.Observation, read *accesspatterns.Read, trial fixtures.Trial, got *session.Answer) {
	words := func(inspected, returned int, cut bool) string {
		text := fmt.Sprintf("%d items inspected, %d returned", inspected, returned)
		if cut {
			text += ", said to be cut"
		}
		return text
	}
	recorded := evidence.Exchange{
		Operation: string(read.Sends()), Expected: words(trial.Inspected, trial.Inspected, trial.Cut),
		Found: words(got.Scanned, len(got.Items), got.Cut),
	}
	if entry, sent := firstEntry(o.Session.Ledger, got.Invocations); sent {
		recorded.Request = entry.Seq
	}
	addExchange(o, recorded)
}

// wanted says an expectation in words.
func wanted(want *fixtures.Expectation) string {
	if len(want.Items) == 0 {
		return want.Words()
	}
	return strings.TrimSuffix("items "+observe.ShowNames(want.Items)+", "+want.Words(), ", ")
}

// answered says an answer in words, as the wire saw it.
func answered(s *session.Input, entry wire.Entry, expected []session.ExpectedItem) string {
	if entry.ErrorType != "" {
		return entry.ErrorType + ": " + entry.ErrorMessage
	}
	if entry.Failure != "" {
		return entry.Failure
	}
	var words []string
	if items := itemsOf(entry.Response); len(items) > 0 {
		words = append(words, "items "+observe.ShowNames(namesOf(s, expected, items)))
	} else if entry.Operation == "GetItem" || (entry.Operation == "Query" || entry.Operation == "Scan") && aws.ToInt(entry.Count) == 0 {
		words = append(words, "no item")
	} else if entry.Count == nil {
		words = append(words, Success)
	}
	if entry.Count != nil {
		words = append(words, fmt.Sprintf("count %d", *entry.Count), fmt.Sprintf("scanned count %d", aws.ToInt(entry.ScannedCount)))
	}
	return strings.Join(words, "; ")
}

// itemsOf reads the items out of an answer; what it cannot read it leaves out.
func itemsOf(response json.RawMessage) []accesspatterns.Item {
	var body struct {
		Items []json.RawMessage
		Item  json.RawMessage
	}
	if input.Exactly(response, &body) != nil {
		return nil
	}
	if body.Item != nil {
		body.Items = append(body.Items, body.Item)
	}
	var items []accesspatterns.Item
	for _, text := range body.Items {
		if item, err := attributevalue.UnmarshalMapJSON(text); err == nil {
			items = append(items, item)
		}
	}
	return items
}
