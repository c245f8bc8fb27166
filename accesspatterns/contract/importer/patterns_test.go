package importer_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/contract/importer"
)

// A data model with items and access patterns.
//
//go:embed testdata/garage.json
var model string

// What a model's items and command lines say becomes entities, items, patterns and
// cases that the contract's own loader takes.
func TestDataModelReachesReads(t *testing.T) {
	result, err := importer.Import("garage", "", importer.Source{Name: "dynamodb_data_model.json", Text: []byte(model)}, nil)
	require.NoError(t, err)
	assert.EqualValues(t, "reads", result.Level)
	design := loaded(t, result)
	assert.Len(t, design.Entities, 2)
	assert.Len(t, design.Patterns, 3, "expected 2 entities and 3 patterns")
	for file, parts := range map[string][]string{
		"contract.yaml": {
			"template: 'SERVICE#{sk}'", "template: PROFILE", "km: {type: N", "parts: {type: L, presence: optional",
			"{query: Garage, where: 'vin = {v} AND begins_with(sk, SERVICE#)', order: descending, limit: 1}",
			"{query: Garage/ByShop, where: 'shop = {s} AND sk > SERVICE#{from}'}",
			"{get: Garage, key: {vin: '{vin}', sk: PROFILE}}",
		},
		"cases.json": {
			`{"pattern":"get-a-profile","params":{"vin":"V1"},"expect":["profile-1"],"computed":true}`,
			`"params":{"v":"V1"},"expect":["service-2"]`, `{"item":"service-1","why":"beyond the limit"}`,
			`"params":{"from":"2026-01-01","s":"Lund"},"expect":["service-3"]`, // by hand: later than the first, and in Lund
		},
		"items.json": {`"parts":{"L":[{"S":"belt"},{"N":"2"}]}`},
	} {
		for _, part := range parts {
			assert.Contains(t, string(result.Files[file]), part, file)
		}
	}
	assert.Equal(t, "dynamodb_data_model.json:18, Record a service: no item of the source has a key of its form, so it is of no entity that the contract knows", strings.Join(result.NotCheckable, "\n"), "expected the write to be not checkable")
}

//go:embed testdata/devices.json
var devices string

// Facets name the kinds of items, and show the same item again and again.
func TestWorkbenchReachesItems(t *testing.T) {
	result, err := importer.Import("m", "", importer.Source{Name: "m.json", Text: []byte(devices)}, nil)
	require.NoError(t, err)
	written, items := string(result.Files["contract.yaml"]), string(result.Files["items.json"])
	if result.Level != "items" || strings.Count(items, `"name"`) != 2 || !strings.Contains(items, `"detail":{"M":{"hot":{"BOOL":true}}}`) {
		t.Errorf("level %s, items\n%s", result.Level, items)
	}
	for _, part := range []string{"device-log:", "template: 'd#{PK}'", "template: 'OK#{State_Date}'", "detail: {type: M, presence: optional"} {
		assert.Contains(t, written, part)
	}
}

//go:embed testdata/reviews.json
var reviews string

// An item that lacks a key of an index is not in it.
func TestItemsOutsideAnIndexAreNotExpected(t *testing.T) {
	result, err := importer.Import("t", "", importer.Source{Name: "m.json", Text: []byte(reviews)}, nil)
	require.NoError(t, err)
	assert.Contains(t, string(result.Files["cases.json"]), `"expect":["r-1"]`, "expected the one item that is in the index")
}
