package session

import (
	"errors"
	"testing"

	"dynaproof/conformance/internal/wire"
)

// Another reading of the contract knows what became of the items, and nothing of what other claims have left.
func TestAnotherReadingKnowsOfTheItemsAlone(t *testing.T) {
	s := newSession(Input{Ledger: &wire.Ledger{}})
	exchanged := errors.New("exchanged")
	s.Unloaded, s.Unsimulated, s.Waived = exchanged, errors.New("silent"), map[string]int{"export": 2}
	if again := s.Again(nil, nil); !errors.Is(again.Unloaded, exchanged) || again.Unsimulated != nil || len(again.Waived) > 0 {
		t.Errorf("expected another reading to know of the items alone, found %+v", again)
	}
}
