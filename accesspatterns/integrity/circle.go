package integrity

import (
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
)

// circle returns a claim that rests on itself, directly or through others.
func circle(d *accesspatterns.Design) (string, bool) {
	claims, rests := manifest.Claims(d), map[string][]string{}
	for _, claim := range claims {
		rests[claim.ID] = manifest.RestsOn(d, claim)
	}
	for _, claim := range claims {
		seen := map[string]bool{}
		for next := slices.Clone(rests[claim.ID]); len(next) > 0; next = next[1:] {
			if next[0] == claim.ID {
				return claim.ID, true
			}
			if !seen[next[0]] {
				seen[next[0]] = true
				next = append(next, rests[next[0]]...)
			}
		}
	}
	return "", false
}
