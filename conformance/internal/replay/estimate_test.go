package replay

import (
	"context"
	"encoding/json"
	"testing"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/suite"
)

// The estimate is an upper bound of what a replay sends, measured on the embedded
// engine, and of the same order of magnitude.
func TestEstimateBoundsTheRun(t *testing.T) {
	for _, name := range designs.Names() {
		t.Run(name, func(t *testing.T) {
			options := Options{Designs: []string{name}, Environment: "dev", Orders: 5}
			estimate, err := EstimateRun(options, DefaultRegion)
			if err != nil {
				t.Fatal(err)
			}
			reads, writes := unitsOfRun(t, options)
			t.Logf("%s: %.0f of %.0f reads, %.0f of %.0f writes", name, reads, estimate.ReadUnits, writes, estimate.WriteUnits)
			if reads > estimate.ReadUnits || writes > estimate.WriteUnits {
				t.Errorf("expected at most %.0f reads and %.0f writes, found %.0f and %.0f", estimate.ReadUnits, estimate.WriteUnits, reads, writes)
			}
			const far = 50
			if estimate.ReadUnits > far*reads || estimate.WriteUnits > far*writes {
				t.Errorf("expected an estimate within a factor of %d of %.0f reads and %.0f writes, found %.0f and %.0f", far, reads, writes, estimate.ReadUnits, estimate.WriteUnits)
			}
			if estimate.Cost <= 0 || estimate.Cost > 1 {
				t.Errorf("expected a run to cost cents, found %v", estimate.Cost)
			}
		})
	}
}

// unitsOfRun counts the least units that the requests of a replay take: one for a
// read, one for each item that is written, two in a transaction.
func unitsOfRun(t *testing.T, options Options) (reads, writes float64) {
	t.Helper()
	ctx := context.Background()
	run, err := Start(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := run.Close(ctx); err != nil {
			t.Error(err)
		}
	}()
	design := run.Designs()[0]
	session, err := run.Open(ctx, design)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range suite.Specs(design) {
		spec.Run(ctx, session, nil)
	}
	for _, entry := range run.wire.Ledger().Entries(0) {
		var batch struct {
			RequestItems  map[string]json.RawMessage
			TransactItems []json.RawMessage
		}
		if err := json.Unmarshal(entry.Request, &batch); err != nil {
			t.Fatal(err)
		}
		switch entry.Operation {
		case "GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems":
			reads++
		case "PutItem", "UpdateItem", "DeleteItem":
			writes++
		case "TransactWriteItems":
			writes += float64(2 * len(batch.TransactItems))
		case "BatchWriteItem":
			for _, requests := range batch.RequestItems {
				var list []json.RawMessage
				if err := json.Unmarshal(requests, &list); err != nil {
					t.Fatal(err)
				}
				writes += float64(len(list))
			}
		}
	}
	return reads, writes
}
