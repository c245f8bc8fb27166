package suite_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/internal/replay"
	_ "dynaproof/conformance/internal/test/command" // it deploys the designs
	"dynaproof/conformance/suite"
)

// A table with a further key takes its items, and gives none back by the documented key: that says nothing of the items of
// other tables.
func TestRefusedReadsAreOfTheirTable(t *testing.T) {
	wrong := breakage{deployment: func(table string, inputs map[string]any) {
		if table == "ConfigVersions" {
			inputs["rangeKey"] = "version"
			inputs["attributes"] = append(inputs["attributes"].([]any), map[string]any{"name": "version", "type": "S"})
		}
	}}
	_, design, session := opened(t, replay.Options{Designs: []string{"osem-ladders"}, Bounds: impatient, Wrong: wrong.wrong})
	refused := 0
	for _, spec := range suite.Specs(design) {
		if spec.Claim.Kind != manifest.KindEntity && spec.Claim.Kind != manifest.KindAttribute {
			continue
		}
		result := spec.Run(t.Context(), session, nil)
		if entity, _ := design.Entity(spec.Claim.Subject); entity.Table != "ConfigVersions" {
			assert.True(t, result.Verdict.Held(), suite.Message(result))
			continue
		}
		refused++
		assert.False(t, result.Verdict.Held(), result.ID)
	}
	assert.Positive(t, refused)
}

// An answer that is wrong as a whole is no fault of paging, where its pages hold the same items.
func TestPagingIsNotBlamedForTheWhole(t *testing.T) {
	wrong := breakage{deployment: only("Teams", func(inputs map[string]any) { index(t, inputs, 0)["projectionType"] = "KEYS_ONLY" })}
	_, design, session := opened(t, replay.Options{Designs: []string{"osem-ladders"}, Bounds: impatient, Wrong: wrong.wrong})
	tried := 0
	for _, spec := range suite.Specs(design) {
		if spec.Claim.ID != "osem-ladders/pattern/list-teams-of-manager" {
			continue
		}
		tried++
		for _, problem := range spec.Run(t.Context(), session, nil).Problems {
			assert.False(t, strings.HasSuffix(problem.Where, "page by page"), "%+v", problem)
		}
	}
	assert.Equal(t, 1, tried)
}
