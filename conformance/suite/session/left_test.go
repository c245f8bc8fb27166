package session

import (
	"errors"
	"testing"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
)

// What claims leave to know is kept for those after them, whatever these leave.
func TestLeft(t *testing.T) {
	s := newSession(Input{Ledger: &wire.Ledger{}})
	exchanged, silent := errors.New("exchanged"), errors.New("silent")
	s.NoteDecided(evidence.Result{}, Left{Waived: map[string]int{"export": 2}, Unsimulated: silent})
	s.NoteDecided(evidence.Result{}, Left{Waived: map[string]int{"export": 1}, Unloaded: exchanged})
	s.NoteDecided(evidence.Result{}, Left{})
	if left := s.Left(); left.Waived["export"] != 3 || !errors.Is(left.Unsimulated, silent) || !errors.Is(left.Unloaded, exchanged) {
		t.Errorf("expected 3 waived requests and both errors, found %+v", left)
	}
	if again := s.Again(nil, nil).Left(); !errors.Is(again.Unloaded, exchanged) || again.Unsimulated != nil || len(again.Waived) > 0 {
		t.Errorf("expected another reading to know of the items alone, found %+v", again)
	}
}
