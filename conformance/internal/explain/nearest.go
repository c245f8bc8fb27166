package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"dynaproof/accesspatterns/manifest"
)

// idsOffered is how many ids are offered for one that does not exist.
const idsOffered = 3

// nearest returns the ids with the smallest edit distance, also when the design
// was left out.
func nearest(id string, claims []manifest.Claim) []string {
	distance := map[string]int{}
	var ids []string
	for _, claim := range claims {
		path := strings.TrimPrefix(claim.ID, claim.Design+"/")
		distance[claim.ID] = min(levenshtein.Distance(id, claim.ID, nil), levenshtein.Distance(id, path, nil))
		ids = append(ids, claim.ID)
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(distance[a], distance[b]) })
	return ids[:min(idsOffered, len(ids))]
}
