package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"dynaproof/conformance/target"
)

// Where there is no embedded engine for the platform the second one is taken, and said so.
func TestEngineFor(t *testing.T) {
	missing := fmt.Errorf("embedded engine: found darwin/arm64: %w", target.ErrNoEngine)
	for _, row := range []struct {
		name    string
		missing error
		note    string
	}{
		{"", nil, ""}, {"dynoxide", nil, ""}, {"dynoxide", missing, ""}, {"dynalite", nil, "no transactions"}, {"", missing, "found darwin/arm64"},
	} {
		engine, note, err := engineFor(row.name, row.missing, nil)
		if err != nil || (engine != nil) != (row.note != "") || !strings.Contains(note, row.note) {
			t.Errorf("%q and %v: expected a note on %q, found %v, %q, %v", row.name, row.missing, row.note, engine, note, err)
		}
	}
	if _, _, err := engineFor("moto", errors.New("x"), nil); err == nil {
		t.Error("expected an engine that accepts what DynamoDB refuses to be refused, found none")
	}
}
