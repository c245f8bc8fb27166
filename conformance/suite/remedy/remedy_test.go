package remedy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
)

// What to do about a table fits what differs: each aspect that a contract speaks of has a sentence, an index too many is not added, and
// whoever audits is told how a tool comes to see the difference.
func TestWhatToDoFitsTheDifference(t *testing.T) {
	for _, design := range designs.All() {
		for _, claim := range manifest.Claims(design) {
			if claim.Kind != manifest.KindSchema && claim.Kind != manifest.KindIndex {
				continue
			}
			for _, sides := range [][2]string{{"a", "none"}, {"none", "a"}, {"a", "b"}} {
				told := Deployed(claim, false, sides[0], sides[1]).text
				assert.True(t, !strings.HasPrefix(told, byProgram) || claim.Aspect == manifest.AspectExtras,
					"%s: expected a sentence of its own about %s, found %q", claim.ID, claim.Aspect, told)
			}
		}
	}
	indexes := manifest.Claim{Kind: manifest.KindSchema, Aspect: manifest.AspectIndexes}
	for _, row := range []struct{ expected, found, says string }{
		{"none", "GSI1", "Remove the index"}, {"GSI1", "GSI1, GSI2", "Remove the index"}, {"GSI1, GSI2", "GSI1", "Add the index"},
		{"GSI1", "none", "Add the index"}, {"GSI1", "GSI2", "Add the index that is missing, and remove"},
	} {
		told := Deployed(indexes, true, row.expected, row.found).text
		assert.True(t, strings.HasPrefix(told, row.says) && strings.HasSuffix(told, byTool),
			"indexes %s expected, %s found: expected %q, found %q", row.expected, row.found, row.says, told)
	}
	key := manifest.Claim{Kind: manifest.KindSchema, Aspect: manifest.AspectKey}
	told := Deployed(key, false, "HASH PK (S)", "HASH id (S)").text
	assert.True(t, strings.Contains(told, "Make the table anew") && strings.HasSuffix(told, byProgram), "expected a key that cannot be changed, found %q", told)
}
