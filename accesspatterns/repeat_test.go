package accesspatterns

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/dynamo"
)

func TestDaysBetween(t *testing.T) {
	for _, row := range []struct {
		name, from, to string
		atMost         int
		want           []string
		wantErr        string
	}{
		{name: "both ends included", from: "2026-02-27", to: "2026-03-01", atMost: 31, want: []string{"2026-02-27", "2026-02-28", "2026-03-01"}},
		{name: "one day", from: "2026-01-01", to: "2026-01-01", atMost: 1, want: []string{"2026-01-01"}},
		{name: "backwards", from: "2026-01-02", to: "2026-01-01", atMost: 31},
		{name: "too long", from: "2026-01-01", to: "2026-01-03", atMost: 2, wantErr: "at most 2 days"},
		{name: "no date", from: "today", to: "2026-01-03", atMost: 2, wantErr: `found "today"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := daysBetween(row.from, row.to, row.atMost)
			if row.wantErr != "" {
				assert.ErrorContains(t, err, row.wantErr)
				return
			}
			require.NoError(t, err)
			assert.True(t, slices.Equal(got, row.want), "expected %v, got %v, %v", row.want, got, err)
		})
	}
}

// each repeats a step for the items of another; the pairs bind attributes to parameters.
func each(step string, attributesAndParameters ...string) *ForEach {
	of := &ForEach{Step: step}
	for pair := range slices.Chunk(attributesAndParameters, 2) {
		of.Bind = append(of.Bind, Binding{Attribute: pair[0], Parameter: pair[1]})
	}
	return of
}

func except(of, left *ForEach) *ForEach {
	of.Except = left
	return of
}

func beside(of, other *ForEach) *ForEach {
	of.And = other
	return of
}

func TestRepetitions(t *testing.T) {
	text := func(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
	team := Item{
		"teamId": text("t"), "size": &types.AttributeValueMemberN{Value: "2"},
		"members": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
		"guests":  &types.AttributeValueMemberL{Value: []types.AttributeValue{text("c")}},
		"nested":  &types.AttributeValueMemberM{Value: Item{"id": text("n")}},
		"flag":    &types.AttributeValueMemberBOOL{Value: true},
	}
	returned := map[string][]Item{"team": {team}, "two": {team, {"teamId": text("u")}}, "none": nil, "b": {{"of": text("b")}}}
	params := Params{"p": "x"}
	for _, row := range []struct {
		name    string
		each    *ForEach
		want    []Params
		wantErr string
	}{
		{name: "not repeated", want: []Params{{"p": "x"}}},
		{name: "text", each: each("team", "teamId", "id"), want: []Params{{"p": "x", "id": "t"}}},
		{name: "digits", each: each("team", "size", "n"), want: []Params{{"p": "x", "n": "2"}}},
		{name: "within a map", each: each("team", "nested.id", "id"), want: []Params{{"p": "x", "id": "n"}}},
		{name: "a set", each: each("team", "members", "m"), want: []Params{{"p": "x", "m": "a"}, {"p": "x", "m": "b"}}},
		{name: "a set and text", each: each("team", "members", "m", "teamId", "id"), want: []Params{{"p": "x", "m": "a", "id": "t"}, {"p": "x", "m": "b", "id": "t"}}},
		{name: "a list", each: each("team", "guests", "m"), want: []Params{{"p": "x", "m": "c"}}},
		{name: "an item without the attribute repeats nothing", each: each("two", "members", "m"), want: []Params{{"p": "x", "m": "a"}, {"p": "x", "m": "b"}}},
		{name: "all but those of another step", each: except(each("two", "teamId", "id"), each("team", "teamId", "id")), want: []Params{{"p": "x", "id": "u"}}},
		{name: "all members but those of another step", each: except(each("team", "members", "m"), each("b", "of", "m")), want: []Params{{"p": "x", "m": "a"}}},
		{name: "nothing to leave out", each: except(each("team", "members", "m"), each("none", "of", "m")), want: []Params{{"p": "x", "m": "a"}, {"p": "x", "m": "b"}}},
		{name: "left out by another type", each: except(each("team", "members", "m"), each("team", "flag", "m")), wantErr: "expected text or digits in flag"},
		{name: "each pair of two steps", each: beside(each("team", "members", "m"), each("two", "teamId", "id")), want: []Params{
			{"p": "x", "m": "a", "id": "t"}, {"p": "x", "m": "a", "id": "u"}, {"p": "x", "m": "b", "id": "t"}, {"p": "x", "m": "b", "id": "u"},
		}},
		{name: "nothing beside", each: beside(each("team", "members", "m"), each("none", "teamId", "id"))},
		{name: "no items", each: each("none", "teamId", "id")},
		{name: "another type", each: each("team", "flag", "f"), wantErr: `expected text or digits in flag, found {"BOOL":true}`},
		{name: "two sets", each: each("team", "members", "m", "members", "n"), wantErr: "a second set or list"},
	} {
		t.Run(row.name, func(t *testing.T) {
			step := Step{Name: "step", ForEach: row.each}
			got, err := step.Repetitions(params, returned)
			if row.wantErr != "" {
				assert.ErrorContains(t, err, row.wantErr)
				return
			}
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(row.want, got), "repetitions (-want +got)")
			assert.Len(t, params, 1, "the parameters of the run were changed")
		})
	}
}

func TestEnds(t *testing.T) {
	used := Operand{Type: dynamo.Number, Template: "{most}"}
	once := []Params{{"most": "2"}}
	for _, c := range []struct {
		name        string
		step        Step
		repetitions []Params
		seen        int
		ends        bool
		problem     string
	}{
		{"nothing seen, and nothing needed", Step{}, once, 0, false, ""},
		{"nothing seen where something must be", Step{StopWhenEmpty: true}, once, 0, true, ""},
		{"something seen where something must be", Step{StopWhenEmpty: true}, once, 1, false, ""},
		{"below the number", Step{StopAt: &used}, once, 1, false, ""},
		{"at the number", Step{StopAt: &used}, once, 2, true, ""},
		{"above the number", Step{StopAt: &used}, once, 3, true, ""},
		{"no number to bind", Step{StopAt: &used}, nil, 0, false, ""},
		{"no whole number", Step{Name: "s", StopAt: &used}, []Params{{"most": "2.5"}}, 0, false, `step s: expected a whole number of items to stop at, found "2.5"`},
		{"number missing", Step{Name: "s", StopAt: &used}, []Params{{}}, 0, false, "step s: "},
	} {
		ends, err := c.step.Ends(c.repetitions, c.seen)
		if ends != c.ends || (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: expected %t %q, found %t, %v", c.name, c.ends, c.problem, ends, err)
		}
	}
}
