package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
)

// sentRequests is a session that looks back on what was sent.
type sentRequests struct{ *Session }

// checkGuardrail tries to break a guardrail, or reads off the ledger that it
// held.
func checkGuardrail(ctx context.Context, s *Session, o *Observation) {
	guardrail, known := s.Design.Guardrail(o.claim.Subject)
	if !known {
		o.cannot(evidence.Error, "no guardrail %s in the contract", o.claim.Subject)
		return
	}
	o.guardrail = &evidence.Guardrail{Layer: string(guardrail.Layer), Proof: string(guardrail.Proof), Claims: s.claimIDs(guardrail.Claims)}
	o.note("enforced by: %s; shown by: %s", guardrail.Layer, guardrail.Proof)
	trialCheck{o}.trials(ctx, "guardrail/"+guardrail.ID)
	switch guardrail.Proof {
	case accesspatterns.ByTrials, accesspatterns.ByBudget:
	case accesspatterns.ByClaims:
		o.claims(guardrail.Claims)
		layerCheck{o}.keptByClaims(guardrail.Claims)
	case accesspatterns.ByLedgerNoScan:
		checkNoScan(ctx, s, o)
	case accesspatterns.ByLedgerOnePartition:
		requestCheck{o}.eachPatternQuery(func(where string, read *accesspatterns.Read, entry wire.Entry) {
			table, _ := s.Design.Table(read.Table)
			if keys, known := table.KeysOf(entry.Index); known {
				o.equal(where, keys[0].Attribute+" equal to one value", showPartition(entry, keys[0].Attribute), onePartition)
			}
		})
	case accesspatterns.ByLedgerKeyCondition:
		requestCheck{o}.eachPatternQuery(func(where string, _ *accesspatterns.Read, entry wire.Entry) {
			o.must(entry.KeyConditionExpression != "", where, "a key condition", "none", readByKey)
		})
	case accesspatterns.ByLedgerProjection:
		requestCheck{o}.eachPatternQuery(func(where string, _ *accesspatterns.Read, entry wire.Entry) {
			o.must(entry.ProjectionExpression != "", where, "a projection expression", "none", projectNeeded)
		})
		o.note("%d GetItem requests of patterns carried no projection", sentRequests{o.session}.unprojectedGets())
	case accesspatterns.ByLedgerWholeTables:
		for i := range s.Design.Tables {
			requestCheck{o}.createdWhole(&s.Design.Tables[i])
		}
	default:
		o.cannot(evidence.Error, "no way to show a guardrail by %q", guardrail.Proof)
	}
	if guardrail.Law != nil && !o.session.Unexplored {
		o.explored(ctx)
	}
	layerCheck{o}.layer(guardrail.Layer)
	o.guardrail.KeptBy = o.keptBy
}

// createdWhole looks in the ledger whether a table was created with all of its indexes,
// and whether one was added to it later.
func (o requestCheck) createdWhole(table *accesspatterns.Table) {
	where := "table " + table.ID + ", as it was created"
	created := o.session.created(table.ID)
	if created == nil {
		o.unsupported(declaredCreation, "%s: %s", where, creationUnseen)
		return
	}
	do := wholeTable
	var asked struct{ GlobalSecondaryIndexes []struct{ IndexName string } }
	if err := json.Unmarshal(created.Request, &asked); err != nil {
		o.broken(where, err)
		return
	}
	var expected, found []string
	for i := range table.Indexes {
		expected = append(expected, table.Indexes[i].Name)
	}
	for _, index := range asked.GlobalSecondaryIndexes {
		found = append(found, index.IndexName)
	}
	o.rests([]string{created.InvocationID})
	layerCheck(o).kept(accesspatterns.LayerDeployment)
	o.equal(where+fmt.Sprintf(" (request %d)", created.Seq), showSet(expected), showSet(found), do)
	for _, entry := range o.session.Ledger.Entries(0) {
		var update struct {
			GlobalSecondaryIndexUpdates []struct{ Create *struct{ IndexName string } }
		}
		if entry.Seq < created.Seq || entry.Operation != "UpdateTable" || entry.Status != 200 || !slices.Equal(entry.Tables, created.Tables) || json.Unmarshal(entry.Request, &update) != nil {
			continue
		}
		for _, change := range update.GlobalSecondaryIndexUpdates {
			if change.Create != nil {
				o.rests([]string{entry.InvocationID})
				o.fail(where, "no index that comes later", fmt.Sprintf("%s, by request %d", change.Create.IndexName, entry.Seq), do)
			}
		}
	}
}

// eachPatternQuery calls look for every Query and Scan that the patterns sent,
// as the wire saw it. Waived Scans are counted, not looked at.
func (o requestCheck) eachPatternQuery(look func(where string, read *accesspatterns.Read, entry wire.Entry)) {
	waived := 0
	for _, sent := range (sentRequests{o.session}).patternRequests() {
		if sent.entry.Operation != "Query" && sent.entry.Operation != "Scan" {
			continue
		}
		if sent.waiver != "" {
			waived++
			continue
		}
		o.rests([]string{sent.entry.InvocationID})
		look(fmt.Sprintf("%s, request %d", sent.claim, sent.entry.Seq), sent.read, sent.entry)
	}
	if waived > 0 {
		o.note("%d waived requests left out", waived)
	}
}

// patternRequests returns the read requests of all patterns so far, in the order
// in which they were sent. A read is found by its operation, table and index within
// its pattern.
func (s sentRequests) patternRequests() []sentRequest {
	var sent []sentRequest
	for _, c := range s.recorder.since(0) {
		pattern, known := s.patternOf(c.claim)
		if !known {
			continue
		}
		for _, entry := range s.Ledger.Find(c.invocation) {
			for _, step := range pattern.Steps {
				if step.Read == nil || string(step.Read.Sends()) != entry.Operation || step.Read.Index != entry.Index {
					continue
				}
				if name, err := s.TableName(step.Read.Table); err == nil && slices.Contains(entry.Tables, name) {
					sent = append(sent, sentRequest{c.claim, pattern.Waiver, step.Read, entry})
					break
				}
			}
		}
	}
	return sent
}

// patternOf returns the access pattern that a claim is about, if it is about one.
func (s sentRequests) patternOf(claim string) (*accesspatterns.Pattern, bool) {
	id, isPattern := strings.CutPrefix(claim, s.Design.Name+"/pattern/")
	if !isPattern {
		return nil, false
	}
	return s.Design.Pattern(id)
}

func (s sentRequests) unprojectedGets() int {
	count := 0
	for _, sent := range s.patternRequests() {
		if sent.entry.Operation == "GetItem" && sent.entry.ProjectionExpression == "" {
			count++
		}
	}
	return count
}
