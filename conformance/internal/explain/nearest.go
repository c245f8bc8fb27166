package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"dynaproof/accesspatterns/manifest"
)

// idsOffered is how many ids are offered for one that does not exist.
const idsOffered = 3

// UnknownError says that there is no such claim, and which ids are nearest.
type UnknownError struct {
	ID      string
	Nearest []string
}

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("expected the id of a claim, found %q; nearest: %s; `dynaproof claims` lists all", e.ID, strings.Join(e.Nearest, ", "))
}

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
