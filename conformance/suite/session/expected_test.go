package session

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/fixtures"
)

// A read of an index returns what the documented index carries, and no more is expected.
func TestExpectedOfAnIndex(t *testing.T) {
	design, err := designs.Find("roll-model")
	require.NoError(t, err)
	set, err := fixtures.Load(design.Name, time.Now())
	require.NoError(t, err)
	at := slices.IndexFunc(set.Items, func(item fixtures.Item) bool { return item.Entity == "entry" && !item.Held })
	table, item := &design.Tables[0], &set.Items[at]
	gk := accesspatterns.Key{Attribute: "athleteId", Type: dynamo.String}
	table.Indexes = []accesspatterns.Index{
		{Name: "keys", PartitionKey: gk, Projection: dynamo.ProjectKeysOnly},
		{Name: "some", PartitionKey: gk, Projection: dynamo.ProjectInclude, NonKeyAttributes: []string{"createdAt", "absent"}},
		{Name: "all", PartitionKey: gk, Projection: dynamo.ProjectAll},
	}
	s := &Session{Input: Input{Design: design, Fixtures: set}}
	whole := slices.Sorted(maps.Keys(item.Item))
	for _, row := range []struct {
		read accesspatterns.Read
		want []string
	}{
		{accesspatterns.Read{}, whole},
		{accesspatterns.Read{Index: "all"}, whole},
		{accesspatterns.Read{Index: "keys"}, []string{"PK", "SK", "athleteId"}},
		{accesspatterns.Read{Index: "some"}, []string{"PK", "SK", "athleteId", "createdAt"}},
		{accesspatterns.Read{Index: "keys", Projection: []string{"PK"}}, whole}, // a case names what a projection returns
	} {
		row.read.Table = table.ID
		expected, err := s.ExpectOf(&row.read, []string{item.Name})
		if err != nil || len(expected) != 1 || !slices.Equal(slices.Sorted(maps.Keys(expected[0].Item)), row.want) {
			t.Errorf("index %q: expected %v, found %v and %v", row.read.Index, row.want, expected, err)
		}
	}
}

// Items come in any order where their keys of an index are the same, and not where a projection leaves these out.
func TestRanksOfAnIndex(t *testing.T) {
	design, err := designs.Find("commit-collect")
	require.NoError(t, err)
	set, err := fixtures.Load(design.Name, time.Now())
	require.NoError(t, err)
	s := &Session{Input: Input{Design: design, Fixtures: set}}
	pattern, _ := design.Pattern("list-event-month")
	read := pattern.OnlyRead()
	names := []string{"line-of-audit-req-1-of-user-2", "line-of-audit-req-10-of-user-1"} // what the read returns of two items
	lines, err := s.ExpectOf(read, names)
	require.NoError(t, err)
	for _, line := range lines {
		require.Empty(t, line.Rank, "%s has no key of %s", line.Name, read.Index)
	}
	at := slices.IndexFunc(set.Items, func(item fixtures.Item) bool { return item.Item["GSI2SK"] != nil && !item.Held })
	whole, err := s.ExpectOf(read, []string{set.Items[at].Name})
	require.NoError(t, err)
	require.NotEmpty(t, whole[0].Rank)
}
