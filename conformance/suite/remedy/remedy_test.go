package remedy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
)

// What to do about a table fits what differs: each aspect that a contract speaks of has a sentence, an index too many is not added, and
// whoever audits is told how a tool comes to see the difference.
func TestWhatToDoFitsTheDifference(t *testing.T) {
	for _, committed := range tabletest.Must(designs.Manifest())(t) {
		if committed.Kind != manifest.KindSchema && committed.Kind != manifest.KindIndex {
			continue
		}
		for _, claim := range manifest.Claims(tabletest.Must(designs.Find(committed.Design))(t)) {
			if claim.ID != committed.ID {
				continue
			}
			for _, sides := range [][2]string{{"a", "none"}, {"none", "a"}, {"a", "b"}} {
				if told := Deployed(claim, false, sides[0], sides[1]).text; strings.HasPrefix(told, byProgram) && claim.Aspect != manifest.AspectExtras {
					t.Errorf("%s: expected a sentence of its own about %s, found %q", claim.ID, claim.Aspect, told)
				}
			}
		}
	}
	indexes := manifest.Claim{Kind: manifest.KindSchema, Aspect: manifest.AspectIndexes}
	for _, row := range []struct{ expected, found, says string }{
		{"none", "GSI1", "Remove the index"}, {"GSI1", "GSI1, GSI2", "Remove the index"}, {"GSI1, GSI2", "GSI1", "Add the index"},
		{"GSI1", "none", "Add the index"}, {"GSI1", "GSI2", "Add the index that is missing, and remove"},
	} {
		if told := Deployed(indexes, true, row.expected, row.found).text; !strings.HasPrefix(told, row.says) || !strings.HasSuffix(told, byTool) {
			t.Errorf("indexes %s expected, %s found: expected %q and how to change a table of others, found %q", row.expected, row.found, row.says, told)
		}
	}
	key := manifest.Claim{Kind: manifest.KindSchema, Aspect: manifest.AspectKey}
	told := Deployed(key, false, "HASH PK (S)", "HASH id (S)").text
	assert.True(t, strings.Contains(told, "Make the table anew") && strings.HasSuffix(told, byProgram), "expected a key that cannot be changed, found %q", told)
}
