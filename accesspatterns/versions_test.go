package accesspatterns

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/dynamo"
)

func number(digits string) types.AttributeValue { return &types.AttributeValueMemberN{Value: digits} }

func TestNormalise(t *testing.T) {
	text := func(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
	list := func(values ...types.AttributeValue) types.AttributeValue {
		return &types.AttributeValueMemberL{Value: append([]types.AttributeValue{}, values...)}
	}
	versions := &Versions{Attribute: "v", Current: 1, Backfill: []Backfill{{Attribute: "tags", Value: list(), Elements: dynamo.String}}}
	for _, row := range []struct {
		name       string
		item, want Item
		wantErr    string
	}{
		{name: "current", item: Item{"v": number("1")}, want: Item{"v": number("1")}},
		{name: "current, whatever it lacks", item: Item{"v": number("1"), "tags": text("x")}, want: Item{"v": number("1"), "tags": text("x")}},
		{name: "legacy", item: Item{"id": text("i")}, want: Item{"id": text("i"), "v": number("1"), "tags": list()}},
		{name: "legacy that says so", item: Item{"v": number("0")}, want: Item{"v": number("1"), "tags": list()}},
		{name: "legacy with a valid list", item: Item{"tags": list(text("a"))}, want: Item{"v": number("1"), "tags": list(text("a"))}},
		{name: "legacy with another type", item: Item{"tags": text("a")}, want: Item{"v": number("1"), "tags": list()}},
		{name: "legacy with another element", item: Item{"tags": list(text("a"), number("1"))}, want: Item{"v": number("1"), "tags": list()}},
		{name: "future", item: Item{"v": number("2")}, wantErr: "expected at most 1 in v, found 2"},
		{name: "negative", item: Item{"v": number("-1")}, wantErr: "expected a whole number from 0 to 1 in v, found -1"},
		{name: "a fraction", item: Item{"v": number("0.5")}, wantErr: "expected a whole number"},
		{name: "text", item: Item{"v": text("1")}, wantErr: "expected a Number"},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := len(row.item)
			got, err := versions.Normalise(row.item)
			if row.wantErr != "" {
				assert.ErrorContains(t, err, row.wantErr)
				if errors.Is(err, errFutureVersion) != (row.name == "future") {
					t.Errorf("expected errFutureVersion for a future version alone, got %v", err)
				}
				return
			}
			if err != nil || !dynamo.EqualItems(row.want, got) {
				t.Errorf("expected %s, got %s, %v", dynamo.ShowItem(row.want), dynamo.ShowItem(got), err)
			}
			assert.Len(t, row.item, before, "the stored item was changed: %s", dynamo.ShowItem(row.item))
		})
	}
}

// TestNormaliseWithinAVersion gives what was added without a new version to the
// items of that version that are older, and to those of the version before.
func TestNormaliseWithinAVersion(t *testing.T) {
	calm := &types.AttributeValueMemberS{Value: "calm"}
	versions := &Versions{Attribute: "v", Current: 1, Backfill: []Backfill{
		{Attribute: "mood", Value: calm, SameVersion: true}, {Attribute: "place", Value: calm, SameVersion: true}, {Attribute: "tags", Value: calm}}}
	for _, row := range []struct {
		name       string
		item, want Item
	}{
		{"older", Item{"v": number("1")}, Item{"v": number("1"), "mood": calm, "place": calm}},
		{"newer", Item{"v": number("1"), "mood": number("3"), "place": number("4")}, Item{"v": number("1"), "mood": number("3"), "place": number("4")}},
		{"in between", Item{"v": number("1"), "mood": number("3")}, Item{"v": number("1"), "mood": number("3"), "place": calm}},
		{"of the version before", Item{}, Item{"v": number("1"), "mood": calm, "place": calm, "tags": calm}},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := len(row.item)
			got, err := versions.Normalise(row.item)
			if err != nil || !dynamo.EqualItems(row.want, got) {
				t.Errorf("expected %s, got %s, %v", dynamo.ShowItem(row.want), dynamo.ShowItem(got), err)
			}
			assert.Len(t, row.item, before, "the stored item was changed: %s", dynamo.ShowItem(row.item))
		})
	}
}

func TestSeen(t *testing.T) {
	read := &Read{Expires: "ttl", Versions: &Versions{Attribute: "v", Current: 1}}
	items := []Item{
		{"v": number("1"), "ttl": number("99")}, {"v": number("1"), "ttl": number("100")}, {"v": number("1"), "ttl": number("100.5")},
		{"v": number("1")}, {"v": number("2"), "ttl": number("100")},
	}
	seen, err := read.Seen(items, 100)
	if err != nil || len(seen) != 2 || !dynamo.EqualItems(seen[0], items[2]) || !dynamo.EqualItems(seen[1], items[3]) {
		t.Errorf("expected the third and fourth item, got %v, %v", seen, err)
	}
	_, err = read.Seen(items, 99)
	assert.ErrorIs(t, err, errFutureVersion, "expected one live item of a future version to fail the read")
	text := Item{"ttl": &types.AttributeValueMemberS{Value: "2026-02-21T00:00:00Z"}}
	for _, row := range []struct {
		read Read
		want int
	}{{Read{Expires: "ttl"}, 2}, {Read{Expires: "ttl", MustExpire: true}, 0}} {
		if seen, err := row.read.Seen([]Item{items[3], text, items[0]}, 100); err != nil || len(seen) != row.want {
			t.Errorf("expected %d items without a Number to be live, got %v, %v", row.want, seen, err)
		}
	}
	if seen, err := (&Read{}).Seen(items, 1000); err != nil || len(seen) != len(items) {
		t.Errorf("expected a reader without rules to take all %d items, got %d, %v", len(items), len(seen), err)
	}
}

func TestViews(t *testing.T) {
	text := func(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
	old, late, tenth := Item{"at": number("9"), "by": text("self")}, Item{"at": number("11"), "by": text("self")}, Item{"at": number("10"), "by": text("manager")}
	seen := map[string][]Item{"active": {tenth}, "inactive": {late, old}, "dated": {{"at": text("b")}, {"at": text("a")}}, "odd": {{"by": text("self")}}}
	for _, row := range []struct {
		name    string
		view    View
		want    []Item
		wantErr string
	}{
		{name: "several steps, one after the other", view: View{Of: []string{"active", "inactive"}}, want: []Item{tenth, late, old}},
		{name: "by a Number, not by its text", view: View{Of: []string{"active", "inactive"}, By: "at"}, want: []Item{old, tenth, late}},
		{name: "by text", view: View{Of: []string{"dated"}, By: "at"}, want: []Item{{"at": text("a")}, {"at": text("b")}}},
		{name: "told apart", view: View{Of: []string{"active", "inactive"}, Where: map[string]string{"by": "self"}}, want: []Item{late, old}},
		{name: "told apart and sorted", view: View{Of: []string{"inactive"}, Where: map[string]string{"by": "self"}, By: "at"}, want: []Item{old, late}},
		{name: "nobody's", view: View{Of: []string{"active"}, Where: map[string]string{"by": "self"}}},
		{name: "without what it is sorted by", view: View{Name: "all", Of: []string{"odd"}, By: "at"}, wantErr: "view all: expected a Number in every at"},
		{name: "of two types", view: View{Name: "all", Of: []string{"active", "dated"}, By: "at"}, wantErr: "view all"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := row.view.Items(seen)
			if row.wantErr != "" {
				assert.ErrorContains(t, err, row.wantErr)
				return
			}
			same := err == nil && len(got) == len(row.want)
			for i := range got {
				same = same && dynamo.EqualItems(row.want[i], got[i])
			}
			assert.True(t, same, "expected %v, got %v, %v", row.want, got, err)
		})
	}
}
