package suite

import (
	"context"
	"fmt"
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/patterns"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
)

// checkGuardrail tries to break a guardrail, or reads off the ledger that it
// held.
func checkGuardrail(ctx context.Context, s *session.Session, o *observe.Observation, guardrail *accesspatterns.Guardrail) {
	o.Report.Guardrail = &evidence.Guardrail{Layer: string(guardrail.Layer), Proof: string(guardrail.Proof), Claims: s.ClaimIDs(guardrail.Claims)}
	o.Note("enforced by: %s; shown by: %s", guardrail.Layer, guardrail.Proof)
	patterns.ReplayTrials(ctx, o, "guardrail/"+guardrail.ID)
	switch guardrail.Proof {
	case accesspatterns.ByTrials, accesspatterns.ByBudget:
	case accesspatterns.ByClaims:
		o.Claims(guardrail.Claims)
		patterns.KeptByClaims(o, guardrail.Claims)
	case accesspatterns.ByLedgerNoScan:
		checkNoScan(ctx, s, o)
	case accesspatterns.ByLedgerOnePartition:
		eachPatternQuery(o, func(where string, read *accesspatterns.Read, entry wire.Entry) {
			table, _ := s.Design.Table(read.Table)
			if keys, known := table.KeysOf(entry.Index); known {
				o.Equal(where, keys[0].Attribute+" equal to one value", patterns.ShowPartition(entry, keys[0].Attribute), remedy.OnePartition)
			}
		})
	case accesspatterns.ByLedgerKeyCondition:
		eachPatternQuery(o, func(where string, _ *accesspatterns.Read, entry wire.Entry) {
			o.Must(entry.KeyConditionExpression != "", where, "a key condition", "none", remedy.ReadByKey)
		})
	case accesspatterns.ByLedgerProjection:
		eachPatternQuery(o, func(where string, _ *accesspatterns.Read, entry wire.Entry) {
			o.Must(entry.ProjectionExpression != "", where, "a projection expression", "none", remedy.ProjectNeeded)
		})
		unprojected := lists.Count(s.PatternRequests(), func(sent session.SentRequest) bool {
			return sent.Entry.Operation == "GetItem" && sent.Entry.ProjectionExpression == ""
		})
		o.Note("%d GetItem requests of patterns carried no projection", unprojected)
	case accesspatterns.ByLedgerWholeTables:
		for i := range s.Design.Tables {
			createdWhole(o, &s.Design.Tables[i])
		}
	default:
		o.Cannot(evidence.Error, "no way to show a guardrail by %q", guardrail.Proof)
	}
	if guardrail.Law != nil && !o.Session.Unexplored {
		patterns.Explored(ctx, o)
	}
	patterns.CompareLayer(o, guardrail.Layer)
	o.Report.Guardrail.KeptBy = o.KeptBy
}

// createdWhole looks in the ledger whether a table was created with all of its indexes,
// and whether one was added to it later.
func createdWhole(o *observe.Observation, table *accesspatterns.Table) {
	where := "table " + table.ID + ", as it was created"
	created := o.Session.Created(table.ID)
	if created == nil {
		o.Unsupported(observe.DeclaredCreation, "%s: %s", where, observe.CreationUnseen)
		return
	}
	do := remedy.WholeTable
	var asked struct{ GlobalSecondaryIndexes, LocalSecondaryIndexes []struct{ IndexName string } }
	if err := input.Exactly(created.Request, &asked); err != nil {
		o.Broken(where, err)
		return
	}
	var found []string
	for _, index := range append(asked.GlobalSecondaryIndexes, asked.LocalSecondaryIndexes...) {
		found = append(found, index.IndexName)
	}
	o.Rests([]string{created.InvocationID})
	patterns.Kept(o, accesspatterns.LayerDeployment)
	o.Equal(where+fmt.Sprintf(" (request %d)", created.Seq), observe.ShowSet(table.IndexNames()), observe.ShowSet(found), do)
	for _, entry := range o.Session.Ledger.Entries(0) {
		var update struct {
			GlobalSecondaryIndexUpdates []struct{ Create *struct{ IndexName string } }
		}
		if entry.Seq < created.Seq || entry.Operation != "UpdateTable" || entry.Status != 200 || !slices.Equal(entry.Tables, created.Tables) || input.Exactly(entry.Request, &update) != nil {
			continue
		}
		for _, change := range update.GlobalSecondaryIndexUpdates {
			if change.Create != nil {
				o.Rests([]string{entry.InvocationID})
				o.Fail(where, "no index that comes later", fmt.Sprintf("%s, by request %d", change.Create.IndexName, entry.Seq), do)
			}
		}
	}
}

// eachPatternQuery calls look for every Query and Scan that the patterns sent,
// as the wire saw it. Waived Scans are counted, not looked at.
func eachPatternQuery(o *observe.Observation, look func(where string, read *accesspatterns.Read, entry wire.Entry)) {
	waived := 0
	for _, sent := range o.Session.PatternRequests() {
		if sent.Entry.Operation != "Query" && sent.Entry.Operation != "Scan" {
			continue
		}
		if sent.Waiver != "" {
			waived++
			continue
		}
		o.Rests([]string{sent.Entry.InvocationID})
		look(fmt.Sprintf("%s, request %d", sent.Claim, sent.Entry.Seq), sent.Read, sent.Entry)
	}
	if waived > 0 {
		o.Note("%d waived requests left out", waived)
	}
}
