package suite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/cloud"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
)

// checkLedger looks back on all that was sent.
func checkLedger(ctx context.Context, s *session.Session, o *observe.Observation) {
	switch o.Claim.Aspect {
	case manifest.LedgerNoScan:
		checkNoScan(ctx, s, o)
	case manifest.LedgerDocumented:
		checkDocumented(ctx, s, o)
	case manifest.LedgerUnwritten:
		checkUnwritten(ctx, s, o, o.Claim.Subject)
	case manifest.LedgerAgreement:
		checkAgreement(s, o)
	default:
		o.Cannot(evidence.Error, "no check of the ledger for %q", o.Claim.Aspect)
	}
}

// checkNoScan holds when every Scan and PartiQL statement of the replay is accounted for: it belongs to a pattern that a waiver
// names, or to a finding, whose documented form is replayed to show what happens. It rests on the whole ledger, and
// says nothing when the patterns sent nothing. An audit sends nothing that could
// scan: there the trail alone decides, about the requests of all others.
func checkNoScan(ctx context.Context, s *session.Session, o *observe.Observation) {
	if s.ReadOnly {
		cloud.CheckTrail(ctx, s, o)
		return
	}
	requests := s.PatternRequests()
	if len(requests) == 0 {
		o.Cannot(evidence.Indeterminate, "no access pattern was replayed, so the absence of scans says nothing")
		return
	}
	o.WitnessedBy(requests)
	claims := s.ClaimsOfRequests()
	waived := map[string]int{}
	for _, entry := range s.Replayed() {
		o.Saw()
		if !wire.IsKeyless(entry.Operation) {
			continue
		}
		claim := claims[entry.InvocationID]
		o.Rests([]string{entry.InvocationID})
		pattern, isPattern := s.PatternOf(claim)
		switch {
		case isPattern && pattern.Waiver != "":
			waived[pattern.Waiver]++
		case shows(s, claim) == accesspatterns.Hazard:
			o.Note("hazard shown: request %d, %s on %s, of %s", entry.Seq, entry.Operation, observe.ShowNames(entry.Tables), claim)
		case shows(s, claim) != "":
			o.Note("negative control: request %d, %s on %s, the documented form that %s objects to", entry.Seq, entry.Operation, observe.ShowNames(entry.Tables), claim)
		default:
			o.Fail(fmt.Sprintf("request %d (%s)", entry.Seq, cmp.Or(claim, "none")), "no Scan and no PartiQL", entry.Operation+" on "+observe.ShowNames(entry.Tables),
				remedy.KeyOrWaiver)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(waived)) {
		o.Note("waived: %d by waiver %s", waived[id], id)
	}
	cloud.CheckMetrics(ctx, s, o)
	cloud.CheckTrail(ctx, s, o)
}

// shows returns the kind of the finding that a claim is about, whose documented form is replayed, a Scan included, to show what
// happens; "" for any other claim.
func shows(s *session.Session, claim string) string {
	for _, finding := range s.Design.Findings {
		if claim == s.Design.Name+"/finding/"+finding.ID {
			return finding.Kind
		}
	}
	return ""
}

// checkDocumented holds when every request of the replay belongs to a claim, and every
// request of a pattern, as the wire saw it, is one that the pattern's own guard admits
// and inspected no more than it returned. The guard reads the request, not what the
// replay meant to send.
func checkDocumented(ctx context.Context, s *session.Session, o *observe.Observation) {
	requests := s.PatternRequests()
	if len(requests) == 0 {
		o.Cannot(evidence.Indeterminate, "no access pattern was replayed")
		return
	}
	o.WitnessedBy(requests)
	claims := s.ClaimsOfRequests()
	held := map[string]*heldTo{}
	for _, entry := range s.Replayed() {
		claim, known := claims[entry.InvocationID]
		where := fmt.Sprintf("request %d", entry.Seq)
		if !o.Must(known && claim != "", where, "a request of a claim", cmp.Or(entry.Operation, "none")+" that no claim sent",
			remedy.UnderAClaim) {
			continue
		}
		pattern, known := s.PatternOf(claim)
		if !known {
			continue
		}
		if held[pattern.ID] == nil {
			own, err := session.GuardOf(s, pattern)
			if err != nil {
				o.Broken(where+" of "+claim, err)
				return
			}
			held[pattern.ID] = &heldTo{pattern: pattern, guard: own}
		}
		judgeDocumented(ctx, o, where+" of "+claim, held[pattern.ID], entry)
	}
}

// heldTo is the pattern that recorded requests are held to.
type heldTo struct {
	pattern *accesspatterns.Pattern
	guard   *guard.Guard
	// read is the context of the logical read that the latest page belongs to.
	read context.Context
}

// judgeDocumented holds one recorded request to the pattern that it was sent for.
func judgeDocumented(ctx context.Context, o *observe.Observation, where string, held *heldTo, entry wire.Entry) {
	do := remedy.AsThePattern
	input, err := session.Recorded(entry.Operation, entry.Request)
	if err != nil {
		o.Fail(where, "a request of the access pattern", entry.Operation+", which cannot be read: "+err.Error(), do)
		return
	}
	if query, is := input.(*dynamodb.QueryInput); is && o.Session.Protection != nil {
		query.ExclusiveStartKey = nil // beside items of others the ledger keeps no key to compare it with
	}
	if o.Session.Protection != nil {
		input = safewrite.WithoutConditions(input) // what protects items of others is no part of the pattern
	}
	if held.read == nil || !goesOn(input) {
		held.read, _ = guard.NewRead(ctx, held.pattern.ID)
	}
	decision, err := held.guard.Check(held.read, input)
	if err != nil {
		o.Fail(where, "a request that the access pattern documents", err.Error(), do)
		return
	}
	// The guard takes the answer that the client got into the account of the logical read.
	attempts := o.Session.Ledger.Find(entry.InvocationID)
	got := entry.Seq == attempts[len(attempts)-1].Seq
	_, _ = held.guard.Do(held.read, input, func() (any, error) {
		page, err := pageOf(entry)
		if err == nil && !got {
			err = errors.New("the client asked again")
		}
		return page, err
	})
	for _, step := range held.pattern.Steps {
		if step.Name == decision.Step && step.Read != nil && entry.Status == http.StatusOK {
			counted(o, where, step.Read, entry)
		}
	}
}

// counted compares the counts of a page with its items, as the wire saw them.
func counted(o *observe.Observation, where string, read *accesspatterns.Read, entry wire.Entry) {
	if entry.Operation != "Query" && entry.Operation != "Scan" {
		return
	}
	if entry.Count == nil || entry.ScannedCount == nil {
		o.Cannot(evidence.Indeterminate, "%s: the answer does not say how many items it holds and how many were inspected", where)
		return
	}
	do := remedy.FilterOrKey
	if len(read.Filter) == 0 {
		o.Equal(where+", scanned count", fmt.Sprint(*entry.Count), fmt.Sprint(*entry.ScannedCount), do)
	}
	var page struct{ Items []json.RawMessage }
	if entry.Response != nil && input.Exactly(entry.Response, &page) == nil { // a long answer is not kept
		o.Equal(where+", count", fmt.Sprint(len(page.Items)), fmt.Sprint(*entry.Count), do)
	}
}

// goesOn reports whether a request asks for a further page.
func goesOn(input any) bool {
	lookups, _ := sdk.Lookups(input) // the guard refuses what reads nothing
	return slices.ContainsFunc(lookups, func(l sdk.Lookup) bool { return len(l.Start) > 0 })
}

// pageOf is what the guard needs to know of a recorded page.
func pageOf(entry wire.Entry) (*dynamodb.QueryOutput, error) {
	if entry.Count == nil {
		return nil, errors.New("no page")
	}
	var page struct{ LastEvaluatedKey json.RawMessage }
	if err := input.Exactly(entry.Response, &page); err != nil {
		return nil, err
	}
	output := &dynamodb.QueryOutput{ScannedCount: int32(aws.ToInt(entry.ScannedCount))}
	if page.LastEvaluatedKey == nil {
		return output, nil
	}
	next, err := attributevalue.UnmarshalMapJSON(page.LastEvaluatedKey)
	output.LastEvaluatedKey = next
	return output, err
}

// checkAgreement holds when client and wire have seen the same requests. The
// client counts invocations; the wire may see several attempts of one.
func checkAgreement(s *session.Session, o *observe.Observation) {
	o.WitnessedBy(s.PatternRequests())
	sent := lists.Index(s.Recorder.Since(0), func(c recorder.Call) (string, string) { return c.Invocation, c.Operation })
	seen := lists.Index(s.Replayed(), func(entry wire.Entry) (string, string) { return entry.InvocationID, entry.Operation })
	do := remedy.AllOnTheWire
	for _, id := range slices.Sorted(maps.Keys(sent)) {
		o.Equal("invocation "+id, sent[id], cmp.Or(seen[id], "none"), do)
	}
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		if _, known := sent[id]; !known {
			o.Fail("the wire's ledger", "only requests of this client", cmp.Or(seen[id], "none")+" of invocation "+cmp.Or(id, "none"), do)
		}
	}
}

// checkUnwritten holds when every item of a read-only table is, after all that was
// replayed, as it was loaded, no request wrote the table but those that loaded it or put
// back what was written, and the guard refuses to put or delete an item, even for a
// client that may write what no pattern documents.
func checkUnwritten(ctx context.Context, s *session.Session, o *observe.Observation, id string) {
	table, _ := s.Design.Table(id)
	var entities []string
	for i := range s.Design.Entities {
		if s.Design.Entities[i].Table == id {
			entities = append(entities, s.Design.Entities[i].ID)
		}
	}
	own, err := guard.New(s.Design, s.GuardOptions(guard.AnyRole(), guard.AllowUndocumentedWrites(entities...))...)
	if err != nil {
		o.Broken("table "+id, err)
		return
	}
	name, err := s.TableName(id)
	if err != nil {
		o.Missing("table "+id, id, err)
		return
	}
	for fixture := range lists.Each(s.Fixtures.Items) {
		if in, err := s.Fixtures.TableOf(s.Design, fixture); err != nil || in.ID != id || fixture.Held {
			continue
		}
		where, item := "item "+fixture.Name, accesspatterns.Item(fixture.Item)
		key := table.KeyOf(item)
		got, err := s.Get(ctx, table, key)
		if err != nil {
			o.Request(where+", GetItem", err)
			continue
		}
		o.Saw()
		for _, difference := range dynamo.Differences(item, got) {
			o.Fail(where+", read back after the replay", "every attribute as it was loaded", difference, remedy.FindWriter)
		}
		for _, input := range []any{&dynamodb.PutItemInput{TableName: &name, Item: item}, &dynamodb.DeleteItemInput{TableName: &name, Key: key}} {
			if _, err := own.Check(ctx, input); !errors.As(err, new(*guard.Refusal)) {
				o.Fail(where+", "+sdk.Operation(input), "a refusal by the guard", "the guard admits it", remedy.GuardReadOnly)
			}
		}
		o.Rested = append(o.Rested, evidence.Library)
	}
	claims := s.ClaimsOfRequests()
	for _, entry := range s.Replayed() {
		claim := claims[entry.InvocationID]
		input, err := session.Recorded(entry.Operation, entry.Request)
		if err != nil || entry.Status != http.StatusOK || claim == recorder.Loading || claim == recorder.Restoring {
			continue // not a request with items, or not carried out, or the suite's own
		}
		s.Written(input, func(written *accesspatterns.Table, item accesspatterns.Item) {
			if written.ID == id {
				o.Rests([]string{entry.InvocationID})
				o.Fail(fmt.Sprintf("request %d (%s)", entry.Seq, cmp.Or(claim, "none")), "no write of table "+id, entry.Operation+" of "+dynamo.ShowItem(written.KeyOf(item)), remedy.FindWriter)
			}
		})
	}
	if o.Count == 0 && len(o.Problems) == 0 {
		o.Cannot(evidence.Indeterminate, "no item of table %s is loaded, so that nothing could be written or left alone", id)
	}
}
