package session

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/wire"
	"dynaproof/fixtures"
)

// A read of an index returns what the documented index carries, and no more is expected. A filter sees no more either.
func TestExpectedOfAnIndex(t *testing.T) {
	design := tabletest.Must(designs.Find("roll-model"))(t)
	set := tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)
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
		assert.True(t, err == nil && len(expected) == 1 && slices.Equal(slices.Sorted(maps.Keys(expected[0].Item)), row.want),
			"index %q: expected %v, found %v and %v", row.read.Index, row.want, expected, err)
		row.read.Filter = []accesspatterns.Condition{{Attribute: "createdAt", Operator: expression.Exists}}
		passed := tabletest.Must(evaluate.Read(&row.read, table, []accesspatterns.Item{item.Item}, nil))(t)
		assert.Equal(t, row.read.Index != "keys", len(passed) == 1, "index %q", row.read.Index)
	}
}

// Items come in any order where their keys of an index are the same, and not where a projection leaves these out.
func TestRanksOfAnIndex(t *testing.T) {
	design := tabletest.Must(designs.Find("commit-collect"))(t)
	set := tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)
	s := &Session{Input: Input{Design: design, Fixtures: set}}
	pattern, _ := design.Pattern("list-event-month")
	read := pattern.OnlyRead()
	names := []string{"line-of-audit-req-1-of-user-2", "line-of-audit-req-10-of-user-1"} // what the read returns of two items
	for _, line := range tabletest.Must(s.ExpectOf(read, names))(t) {
		require.Empty(t, line.Rank, "%s has no key of %s", line.Name, read.Index)
	}
	at := slices.IndexFunc(set.Items, func(item fixtures.Item) bool { return item.Item["GSI2SK"] != nil && !item.Held })
	require.NotEmpty(t, tabletest.Must(s.ExpectOf(read, []string{set.Items[at].Name}))(t)[0].Rank)
}

// Another reading of the contract knows what became of the items, and nothing of what other claims have left.
func TestAnotherReadingKnowsOfTheItemsAlone(t *testing.T) {
	s := newSession(Input{Ledger: &wire.Ledger{}})
	exchanged := errors.New("exchanged")
	s.Unloaded, s.Unsimulated, s.Waived = exchanged, errors.New("silent"), map[string]int{"export": 2}
	again := s.Again(nil, nil)
	assert.ErrorIs(t, again.Unloaded, exchanged)
	assert.NoError(t, again.Unsimulated)
	assert.Empty(t, again.Waived)
}

func TestCompare(t *testing.T) {
	item := func(id string) accesspatterns.Item {
		return accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: id}}
	}
	for _, row := range tabletest.Read[[]struct {
		Name                   string
		Expected, Got, Missing []string
		Unexpected             int
		Ordered, Disordered    bool
	}](t, "compared.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			var expected []ExpectedItem
			for _, each := range row.Expected {
				name, rank, _ := strings.Cut(each, " ")
				expected = append(expected, ExpectedItem{Name: name, Item: item(name), Rank: rank})
			}
			var got []accesspatterns.Item
			for _, id := range row.Got {
				got = append(got, item(id))
			}
			c := Compare(expected, got, row.Ordered)
			assert.Equal(t, row.Missing, c.Missing)
			assert.Len(t, c.Unexpected, row.Unexpected)
			assert.Equal(t, row.Disordered, c.Disordered)
		})
	}
}

// A flow ends at a read that must return something and returns nothing: what comes
// behind it is not sent, so it is not planned.
func TestAFlowStopsWhereItMust(t *testing.T) {
	tried := false
	for _, design := range designs.All() {
		set := tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)
		for i := range design.Patterns {
			pattern := &design.Patterns[i]
			for n, step := range pattern.Steps {
				if !step.StopWhenEmpty || n+1 == len(pattern.Steps) || step.ForEach != nil {
					continue
				}
				tried = true
				c := set.CasesOf(pattern.ID)[0]
				c.Steps[step.Name] = nil
				delete(c.Sees, step.Name)
				input := InEnvironment(design, set, "dev")
				for _, planned := range tabletest.Must(planner{&input}.caseRun(pattern, &c))(t).Steps {
					if planned.Step != nil && slices.ContainsFunc(pattern.Steps[n+1:], func(behind accesspatterns.Step) bool { return behind.Name == planned.Name }) {
						t.Errorf("%s: expected the flow to end at step %s, found a request of %s", pattern.ID, step.Name, planned.Name)
					}
				}
			}
		}
	}
	assert.True(t, tried, "no flow has such a step")
}

// A run that cannot be planned tells why, and those behind it are planned all the same.
func TestARunThatCannotBePlanned(t *testing.T) {
	design := tabletest.Must(designs.Find("roll-model"))(t)
	set := tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)
	input := InEnvironment(design, set, "dev")
	tried := 0
	for _, claim := range manifest.Claims(design) {
		runs, err := input.Plan(claim)
		require.NoError(t, err, claim.ID)
		trials := slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.Trial == nil })
		if len(trials) < 2 || len(trials[0].Steps) == 0 {
			continue
		}
		tried++
		at := slices.IndexFunc(set.Trials, func(trial fixtures.Trial) bool { return trial.For == trials[0].Trial.For })
		requests := set.Trials[at].Requests
		set.Trials[at].Requests = append(slices.Clone(requests), fixtures.Request{Operation: "Nothing"})
		broken, err := input.Plan(claim)
		set.Trials[at].Requests = requests
		require.ErrorContains(t, err, trials[0].Where)
		require.Len(t, broken, len(runs))
		require.Len(t, broken[0].Steps, len(runs[0].Steps))
		require.Len(t, broken[1].Steps, len(runs[1].Steps))
	}
	assert.NotZero(t, tried, "no claim has two trials")
}
