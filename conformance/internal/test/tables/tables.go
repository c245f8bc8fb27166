// Package tables makes a design's tables as its contract has them, for tests that
// need an engine and no Pulumi program.
package tables

import (
	"context"
	"errors"
	"testing"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	made "dynaproof/conformance/internal/tables"
	"dynaproof/conformance/target"
)

// Engine starts an engine for the time of a test, and returns its address. Where no engine has been built, the test is skipped.
func Engine(t *testing.T) string {
	t.Helper()
	engine, err := target.Embedded(t.Context(), nil)
	if errors.Is(err, target.ErrNoEngine) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return engine.URL()
}

// Create creates the tables of a design in an environment, and returns their names
// by logical id.
func Create(t *testing.T, endpoint, region, environment string, design *accesspatterns.Design) map[string]string {
	t.Helper()
	names := map[string]string{}
	for table := range lists.Each(design.Tables) {
		names[table.ID] = table.Name.In(environment)
		want := made.Promised(table, names[table.ID], environment)
		want.Billing, want.TTL, want.PITR, want.Stream, want.Class, want.Protected = string(dynamo.OnDemand), "", false, "", "", false
		clear(want.Tags)
		if err := made.At(endpoint, region).Make(t.Context(), want); err != nil {
			t.Fatal(err)
		}
	}
	return names
}
