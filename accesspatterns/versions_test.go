package accesspatterns

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/tabletest"
)

func number(digits string) types.AttributeValue { return &types.AttributeValueMemberN{Value: digits} }

// TestNormalise gives what the new version has to the items of the version before, and what was added without a new
// version to the older items of that version, too.
func TestNormalise(t *testing.T) {
	calm := &types.AttributeValueMemberS{Value: "calm"}
	none := &types.AttributeValueMemberL{Value: []types.AttributeValue{}}
	versions := map[string]*Versions{
		"new version": {Attribute: "v", Current: 1, Backfill: []Backfill{{Attribute: "tags", Value: none, Elements: dynamo.String}}},
		"same version": {Attribute: "v", Current: 1, Backfill: []Backfill{
			{Attribute: "mood", Value: calm, SameVersion: true}, {Attribute: "place", Value: calm, SameVersion: true}, {Attribute: "tags", Value: calm}}},
	}
	for added, rows := range tabletest.Read[map[string][]struct {
		Name, Refused string
		Item, Want    map[string]any
	}](t, "normalised.yaml") {
		for _, row := range rows {
			t.Run(row.Name, func(t *testing.T) {
				item, want := tabletest.Item(t, row.Item), tabletest.Item(t, row.Want)
				got, err := versions[added].Normalise(item)
				assert.Equal(t, tabletest.Item(t, row.Item), item, "the stored item was changed")
				if row.Refused != "" {
					require.ErrorContains(t, err, row.Refused)
					assert.Equal(t, row.Name == "future", strings.HasPrefix(err.Error(), "future schema version"), "expected a future version alone to be called so, got %v", err)
					return
				}
				require.NoError(t, err)
				assert.True(t, dynamo.EqualItems(want, got), "expected %s, got %s", dynamo.ShowItem(want), dynamo.ShowItem(got))
			})
		}
	}
}

func TestSeen(t *testing.T) {
	read := &Read{Expires: "ttl", Versions: &Versions{Attribute: "v", Current: 1}}
	items := []Item{
		{"v": number("1"), "ttl": number("99")}, {"v": number("1"), "ttl": number("100")}, {"v": number("1"), "ttl": number("100.5")},
		{"v": number("1")}, {"v": number("2"), "ttl": number("100")},
	}
	seen, err := read.Seen(items, 100)
	assert.True(t, err == nil && len(seen) == 2 && dynamo.EqualItems(seen[0], items[2]) && dynamo.EqualItems(seen[1], items[3]),
		"expected the third and fourth item, got %v, %v", seen, err)
	_, err = read.Seen(items, 99)
	assert.ErrorContains(t, err, "future schema version", "expected one live item of a future version to fail the read")
	text := Item{"ttl": &types.AttributeValueMemberS{Value: "2026-02-21T00:00:00Z"}}
	for _, row := range []struct {
		read Read
		want int
	}{{Read{Expires: "ttl"}, 2}, {Read{Expires: "ttl", MustExpire: true}, 0}} {
		assert.Len(t, tabletest.Must(row.read.Seen([]Item{items[3], text, items[0]}, 100))(t), row.want, "items that are live without a Number")
	}
	assert.Len(t, tabletest.Must((&Read{}).Seen(items, 1000))(t), len(items), "expected a reader without rules to take all items")
}

func TestViews(t *testing.T) {
	table := tabletest.Read[struct {
		Seen  map[string][]map[string]any
		Views []struct {
			Name, By, Refused string
			Of                []string
			Where             map[string]string
			Want              []map[string]any
		}
	}](t, "views.yaml")
	items := func(parts []map[string]any) (all []Item) {
		for _, part := range parts {
			all = append(all, tabletest.Item(t, part))
		}
		return all
	}
	seen := map[string][]Item{}
	for step, returned := range table.Seen {
		seen[step] = items(returned)
	}
	for _, row := range table.Views {
		view := View{Name: "all", Of: row.Of, By: row.By, Where: row.Where}
		got, err := view.Items(seen)
		as(t, row.Name, row.Refused, err, items(row.Want), got)
	}
}
