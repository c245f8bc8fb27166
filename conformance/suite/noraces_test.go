package suite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/suite"
	"dynaproof/fixtures"
)

const mixesClients = "this engine mixes its clients up"

// withoutRaces replays fus-main on a session that must not race, and returns the
// results by id, without the design's name.
func withoutRaces(t *testing.T, amend func(*accesspatterns.Design, *fixtures.Set)) (results map[string]evidence.Result, sent map[string]int, documented bool) {
	t.Helper()
	ctx := t.Context()
	_, design, session := opened(t, replay.Options{Designs: []string{"fus-main"}, Documents: documents(), Bounds: impatient, Amend: amend})
	session.NoRaces = mixesClients
	results, sent = map[string]evidence.Result{}, map[string]int{}
	for _, spec := range suite.Specs(design) {
		before := session.Ledger.Len()
		result := spec.Run(ctx, session, nil)
		id := strings.TrimPrefix(result.ID, design.Name+"/")
		results[id] = result
		for _, entry := range session.Ledger.Entries(before) {
			if entry.Claim == result.ID { // not what waits for indexes to show what was put back before
				sent[id]++
			}
		}
	}
	return results, sent, session.Source != nil
}

// An engine that cannot answer races is not asked to, and is not let off anything
// else: the interruptions of the same invariants are tried, and every other claim
// is decided.
func TestAnEngineWithoutRaces(t *testing.T) {
	results, sent, documented := withoutRaces(t, nil)
	races := map[string][]string{ // the attempts that are left
		"invariant/tag-items-follow-the-list":      {"interruption"},
		"invariant/one-rating-however-often":       {"interruption"},
		"invariant/one-membership-in-both-lookups": {"interruption"},
		"invariant/membership-leaves-both-lookups": nil,
		"invariant/match-recorded-once":            {"interruption"},
		"invariant/match-moves-whole":              {"interruption"},
		"invariant/no-match-after-leaving":         {"interruption"},
	}
	for id, result := range results {
		attempts, raced := races[id]
		if strings.Contains(suite.Message(result), "claim invariant/no-match-after-leaving is unsupported, and this one rests on it") {
			continue
		}
		if !raced {
			if verdict := result.Verdict; !verdict.Held() && (documented || verdict != evidence.Unsupported) {
				t.Errorf("%s: expected to be decided, found %s", id, suite.Message(result))
			}
			continue
		}
		if result.Verdict != evidence.Unsupported || !strings.Contains(suite.Message(result), "attempt 1 (race): "+mixesClients) {
			t.Errorf("%s: expected unsupported because %s, found %s", id, mixesClients, suite.Message(result))
		}
		var kinds []string
		for _, attempt := range result.Invariant.Attempts {
			kinds = append(kinds, attempt.Kind)
		}
		assert.Empty(t, cmp.Diff(attempts, kinds), "%s: attempts (-want +got)", id)
		if tried := sent[id] > 0; tried != (len(attempts) > 0) {
			t.Errorf("%s: expected requests only where there is another attempt, found %d", id, sent[id])
		}
	}
	for id := range races {
		if _, there := results[id]; !there {
			t.Errorf("expected a claim %s", id)
		}
	}
}

// What an interruption shows stands, although the race beside it was not tried.
func TestAnInvariantThatBreaksWithoutRaces(t *testing.T) {
	results, _, _ := withoutRaces(t, func(design *accesspatterns.Design, _ *fixtures.Set) {
		change, _ := design.Pattern("change-site-tags")
		change.Steps = slices.Delete(change.Steps, len(change.Steps)-1, len(change.Steps))
	})
	result := results["invariant/tag-items-follow-the-list"]
	if found := suite.Message(result); result.Verdict != evidence.Fail || !strings.Contains(found, "no item tag-javascript-of-site-1") {
		t.Errorf("expected the stale tag item to be noticed, found %s: %s", result.Verdict, found)
	}
	if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, mixesClients) {
		t.Errorf("expected a note that the race was not tried, found %q", notes)
	}
}
