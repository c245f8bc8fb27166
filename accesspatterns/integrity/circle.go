package integrity

import (
	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
)

// circle returns a claim that rests on itself, directly or through others.
func circle(d *accesspatterns.Design) (string, bool) {
	rests := map[string][]string{}
	for _, claim := range manifest.Claims(d) {
		rests[claim.ID] = manifest.RestsOn(d, claim)
	}
	var reaches func(from, to string, seen map[string]bool) bool
	reaches = func(from, to string, seen map[string]bool) bool {
		for _, next := range rests[from] {
			if next == to {
				return true
			}
			if !seen[next] {
				seen[next] = true
				if reaches(next, to, seen) {
					return true
				}
			}
		}
		return false
	}
	for _, claim := range manifest.Claims(d) {
		if reaches(claim.ID, claim.ID, map[string]bool{}) {
			return claim.ID, true
		}
	}
	return "", false
}
