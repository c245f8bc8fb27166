package suite_test

import (
	"maps"
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

// breakAll tries breakages, those of one design together as far as they fail different
// claims: a whole replay for each would say no more, and take minutes. What fails must
// be what they name between them, so a breakage that hides another is seen; then each
// is tried alone, to say which.
func breakAll(t *testing.T, all []breakage) {
	t.Helper()
	for _, batch := range batches(all) {
		names := make([]string, len(batch))
		for i, each := range batch {
			names[i] = each.name
		}
		if t.Run(batch[0].design+": "+strings.Join(names, " + "), together(batch).run) || len(batch) == 1 {
			continue
		}
		for _, each := range batch {
			t.Run(each.name+", alone", each.run)
		}
	}
}

func batches(all []breakage) [][]breakage {
	var found [][]breakage
next:
	for _, each := range all {
		for i, batch := range found {
			if fits(batch, each) {
				found[i] = append(batch, each)
				continue next
			}
		}
		found = append(found, []breakage{each})
	}
	return found
}

func fits(batch []breakage, next breakage) bool {
	return !slices.ContainsFunc(batch, func(each breakage) bool {
		// What must fail nowhere stands beside its like alone, so that nothing else may fail there.
		return each.design != next.design || (len(each.fails) == 0) != (len(next.fails) == 0) ||
			slices.ContainsFunc(slices.Collect(maps.Keys(each.fails)), func(id string) bool { _, twice := next.fails[id]; return twice })
	})
}

func together(batch []breakage) breakage {
	if len(batch) == 1 {
		return batch[0]
	}
	whole := breakage{design: batch[0].design, parts: batch, fails: map[string]string{}}
	for _, each := range batch {
		maps.Copy(whole.fails, each.fails)
		whole.everywhere = whole.everywhere || each.everywhere
	}
	return whole
}
