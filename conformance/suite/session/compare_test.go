package session

import (
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
)

func TestCompare(t *testing.T) {
	item := func(id string) accesspatterns.Item {
		return accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: id}}
	}
	expected := []ExpectedItem{{Name: "a", Item: item("a")}, {Name: "b", Item: item("b")}}
	for _, row := range []struct {
		name       string
		got        []accesspatterns.Item
		ordered    bool
		missing    []string
		unexpected int
		disordered bool
	}{
		{name: "the same", got: []accesspatterns.Item{item("a"), item("b")}, ordered: true},
		{name: "another order that does not matter", got: []accesspatterns.Item{item("b"), item("a")}},
		{name: "another order that matters", got: []accesspatterns.Item{item("b"), item("a")}, ordered: true, disordered: true},
		{name: "one missing", got: []accesspatterns.Item{item("b")}, missing: []string{"a"}},
		{name: "one too many", got: []accesspatterns.Item{item("a"), item("b"), item("c")}, unexpected: 1},
		{name: "one returned twice", got: []accesspatterns.Item{item("a"), item("b"), item("b")}, unexpected: 1},
		{name: "none", missing: []string{"a", "b"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := Compare(expected, row.got, row.ordered)
			if !slices.Equal(c.Missing, row.missing) || len(c.Unexpected) != row.unexpected || c.Disordered != row.disordered {
				t.Errorf("expected missing %v, %d unexpected, disordered %v; got %+v", row.missing, row.unexpected, row.disordered, c)
			}
		})
	}
}

// No order is promised between two items of one rank.
func TestCompareRanks(t *testing.T) {
	item := func(id string) accesspatterns.Item {
		return accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: id}}
	}
	expected := []ExpectedItem{{"a", item("a"), "1"}, {"b", item("b"), "1"}, {"c", item("c"), "2"}}
	assert.False(t, Compare(expected, []accesspatterns.Item{item("b"), item("a"), item("c")}, true).Disordered)
	assert.True(t, Compare(expected, []accesspatterns.Item{item("a"), item("c"), item("b")}, true).Disordered)
}
