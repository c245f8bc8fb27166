package importer_test

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/importer"
	"dynaproof/accesspatterns/tabletest"
)

//go:embed testdata/shop.json
var shop string

// Writes, filters and conditions become patterns with cases that succeed and that are
// refused; what a contract cannot say becomes not checkable, with its line and a reason.
func TestWritesAndFilters(t *testing.T) {
	result, err := importer.Import("shop", "", importer.Source{Name: "shop.json", Text: []byte(shop)}, nil)
	require.NoError(t, err)
	if result.Level != "writes" || result.Listed != 15 || result.Reads != 2 || result.Writes != 6 {
		t.Errorf("expected level writes with 2 reads and 6 writes of 15, found level %s with %d and %d of %d", result.Level, result.Reads, result.Writes, result.Listed)
	}
	design := loaded(t, result)
	for file, parts := range map[string][]string{
		"contract.yaml": {
			"filter: 'total >= {least} AND attribute_exists(lines) AND size(lines) < {n}'}]",
			"[{put: order, if: 'attribute_not_exists(PK)'}]",
			"[{update: order, do: 'SET status = {to}', if: 'status = {from}'}]",
			"[{delete: order, if: 'status <> {sh}'}]",
			"{update: profile, do: 'SET orders = orders + {one} ADD tags {t}'}, {check: profile, key: {PK: 'CUSTOMER#{PK_2}', SK: PROFILE}, if: 'vip = false'}]}",
			"[{writes: [{put: order}, {put: order, as: order-2}, {delete: order}], batch: 25}]",
			"as: edited-order, edits: lines, do: REMOVE total}",
			"total: {type: N, presence: optional", // an update removes it
		},
		"cases.json": { // by hand, from the items and lines of the model
			`"params":{"c":"1","least":"50","n":"5"},"expect":["order-2"]`, `{"item":"order-1","why":"the filter leaves it out"}`,
			`{"pattern":"place-an-order","name":"refused","params":{},"items":{"order":"place-an-order-refused-order"},"error":"ConditionalCheckFailedException","present":["order-1"],"computed":true}`,
			`{"pattern":"ship-an-order","params":{"PK":"1","SK":"10","from":"OPEN","to":"SHIPPED"},"present":["ship-an-order-order"],"computed":true}`,
			`{"pattern":"cancel-an-order","params":{"PK":"1","SK":"10","sh":"SHIPPED"},"absent":["order-1"],"computed":true}`,
			`{"pattern":"cancel-an-order","name":"refused","params":{"PK":"1","SK":"11","sh":"SHIPPED"},"error":"ConditionalCheckFailedException","present":["order-2"],"computed":true}`,
			`"present":["import-orders-order","import-orders-order-2"],"absent":["order-2"],"computed":true}`,
		},
		"items.json": {
			`{"name":"ship-an-order-order","entity":"order","source":"own","held":true,"item":{"PK":{"S":"CUSTOMER#1"},"SK":{"S":"ORDER#10"},"lines":{"L":[{"S":"x"}]},"status":{"S":"SHIPPED"},"total":{"N":"12.50"}}}`,
			`{"PK":{"S":"CUSTOMER#1"},"SK":{"S":"PROFILE"},"name":{"S":"Ann"},"orders":{"N":"3"},"tags":{"SS":["buyer"]},"vip":{"BOOL":true}}`,
			`{"PK":{"S":"CUSTOMER#1"},"SK":{"S":"ORDER#10"},"lines":{"L":[{"S":"a"},{"S":"b"}]},"status":{"S":"OPEN"}}`,
		},
	} {
		for _, part := range parts {
			assert.Contains(t, string(result.Files[file]), part, file)
		}
	}
	for i, want := range []string{
		"shop.json:16, Large orders of a customer: no item of the source has the values that it asks for", "shop.json:25, Note a hurry: it changes note, which no order of the source's items has",
		"shop.json:26, All customers: it is a Scan, which needs a waiver: write the pattern with the step {scan: Shop, filter: 'vip = true'}",
		"shop.json:27, Count anew: it has ADD orders of type N", "shop.json:28, How many: its line has --select COUNT, which no contract says",
		"shop.json:29, By statement: it is sent by execute-statement", "shop.json:30, Search: no line of the AWS CLI",
	} {
		if i >= len(result.NotCheckable) || !strings.HasPrefix(result.NotCheckable[i], want) {
			t.Errorf("expected not checkable %s, found %q", want, result.NotCheckable)
			break
		}
		says, _, _ := strings.Cut(strings.SplitN(want, ", ", 2)[1], ":")
		if at := slices.IndexFunc(design.NotCheckable, func(n ap.NotCheckable) bool { return n.Says == says }); at < 0 {
			t.Errorf("expected %s in the contract, found %v", says, design.NotCheckable)
		}
	}
	if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, "access pattern 3, Ship an order: --return-values was left out") {
		t.Errorf("expected what a write returns to be noted, found %s", notes)
	}
}

// A mistake in an item, a read, a write or a filter is named with its line.
func TestMistakesInModels(t *testing.T) {
	for file, model := range map[string]string{"mistakes_in_patterns.yaml": model, "mistakes_in_writes.yaml": shop} {
		for _, row := range tabletest.Read[[]struct{ Name, From, To, At, Want string }](t, file) {
			t.Run(row.Name, func(t *testing.T) {
				require.Equal(t, 1, strings.Count(model, row.From), "expected %q once in the model", row.From)
				text := strings.Replace(model, row.From, row.To, 1)
				before, _, found := strings.Cut(text, row.At)
				require.True(t, found, "expected %q in the model", row.At)
				_, err := importer.Import("m", "", importer.Source{Name: "m.json", Text: []byte(text)}, nil)
				want := fmt.Sprintf("m.json:%d: ", 1+strings.Count(before, "\n"))
				assert.True(t, slices.ContainsFunc(strings.Split(fmt.Sprint(err), "\n"), func(mistake string) bool {
					return strings.HasPrefix(mistake, want) && strings.Contains(mistake, row.Want)
				}), "expected %s... %s, found %v", want, row.Want, err)
			})
		}
	}
}

// A table that stands beside a line is that of the line, also of one whose request names its tables itself.
func TestTablesBesideLines(t *testing.T) {
	for _, title := range []string{"Import orders", "Order and count", "Cancel an order"} {
		of := `"description": "` + title + `",`
		result, err := importer.Import("shop", "", importer.Source{Name: "m.json", Text: []byte(strings.Replace(shop, of, of+` "table": "Shop",`, 1))}, nil)
		require.NoError(t, err, "%s", title)
		require.Equal(t, 1, strings.Count(shop, of), "%s", title)
		assert.NotContains(t, strings.Join(result.Notes, "\n"), "table is left out", "%s: expected the table to be read", title)
	}
}
