package suite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
)

const mixesClients = "this engine mixes its clients up"

// An engine that cannot answer races is not asked to, and is not let off anything
// else: the interruptions of the same invariants are tried, and every other claim
// is decided.
func TestAnEngineWithoutRaces(t *testing.T) {
	_, design, session := opened(t, replay.Options{Designs: []string{"fus-main"}, Documents: documents(), Bounds: impatient})
	session.NoRaces, session.Unexplored = mixesClients, true
	races := map[string][]string{ // the attempts that are left
		"invariant/tag-items-follow-the-list":      {"interruption"},
		"invariant/one-rating-however-often":       {"interruption"},
		"invariant/one-membership-in-both-lookups": {"interruption"},
		"invariant/membership-leaves-both-lookups": nil,
		"invariant/match-recorded-once":            {"interruption"},
		"invariant/match-moves-whole":              {"interruption"},
		"invariant/no-match-after-leaving":         {"interruption"},
	}
	for _, claim := range manifest.InOrder(design) {
		if claim.Kind == manifest.KindConfinement || claim.Kind == manifest.KindValidity {
			continue // decided by exploration, which asks no engine
		}
		before := session.Ledger.Len()
		result := suite.Decide(t.Context(), claim, session, nil)
		id := strings.TrimPrefix(result.ID, design.Name+"/")
		attempts, raced := races[id]
		if strings.Contains(suite.Message(result), "claim invariant/no-match-after-leaving is unsupported, and this one rests on it") {
			continue
		}
		if !raced {
			if verdict := result.Verdict; !verdict.Held() && (session.Source != nil || verdict != evidence.Unsupported) {
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
		// What waits for indexes to show what was put back before is no request of the claim.
		if tried := slices.ContainsFunc(session.Ledger.Entries(before), func(entry wire.Entry) bool { return entry.Claim == result.ID }); tried != (len(attempts) > 0) {
			t.Errorf("%s: expected requests only where there is another attempt, found %v", id, tried)
		}
		delete(races, id)
	}
	for id := range races {
		t.Errorf("expected a claim %s", id)
	}
}

// What an interruption shows stands, although the race beside it was not tried: that stale tag items are left.
func TestAnInvariantThatBreaksWithoutRaces(t *testing.T) {
	_, design, session := opened(t, replay.Options{Designs: []string{"fus-main"}, Documents: documents(), Bounds: impatient, Amend: pattern("change-site-tags", func(p *accesspatterns.Pattern) {
		p.Steps = p.Steps[:len(p.Steps)-1]
	})})
	session.NoRaces = mixesClients
	for claim, text := range map[string]string{"pattern/change-site-tags": "expected no item tag-web-of-site-1", "invariant/tag-items-follow-the-list": "no item tag-javascript-of-site-1"} {
		result := verdictOn(t, design, session, claim)
		if found := suite.Message(result); result.Verdict != evidence.Fail || !strings.Contains(found, text) {
			t.Errorf("%s: expected the stale tag item to be noticed, found %s: %s", claim, result.Verdict, found)
		}
		if raced := strings.HasPrefix(claim, "invariant/"); raced != strings.Contains(strings.Join(result.Notes, "\n"), mixesClients) {
			t.Errorf("%s: expected a note of a race that was not tried, where there is one, found %q", claim, result.Notes)
		}
	}
}
