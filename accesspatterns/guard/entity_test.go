package guard

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/tabletest"
)

// TestChanges holds changes of an update to an entity that has every kind of
// attribute.
func TestChanges(t *testing.T) {
	low, high := designtest.Between(0, 3)
	e := &entity{contract: &accesspatterns.Entity{
		ID: "thing",
		Keys: []accesspatterns.KeyAttribute{
			{Attribute: "PK", Template: "THING#{id}"},
			{Attribute: "gsi", Template: "OWNER#{owner}", Optional: true},
			{Attribute: "byNumber", Template: "{n}", Type: dynamo.Number},
			{Attribute: "byGames", Template: "GAMES#{games}"},
		},
		Attributes: []accesspatterns.Attribute{
			{Name: "title", Type: dynamo.String, NotEmpty: true},
			{Name: "note", Type: dynamo.String, Presence: accesspatterns.Optional},
			{Name: "games", Type: dynamo.Number, Minimum: low, Maximum: high},
			{Name: "status", Type: dynamo.String, Allowed: []string{"open", "done"}},
			{Name: "tags", Type: dynamo.StringSet},
			{Name: "roles", Type: dynamo.StringSet, Allowed: []string{"a", "b"}},
			{Name: "sections", Type: dynamo.Map},
			{Name: "sections.shared", Type: dynamo.String},
			{Name: "choices", Type: dynamo.Map},
			{Name: "choices.*", Type: dynamo.String},
			{Name: "free", Type: dynamo.Map},
			{Name: "parts", Type: dynamo.List, Presence: accesspatterns.Optional},
			{Name: "parts[]", Type: dynamo.Map},
			{Name: "parts[].name", Type: dynamo.String},
			{Name: "parts[].size", Type: dynamo.Number, Presence: accesspatterns.Optional},
		},
	}}
	table := &table{keys: []accesspatterns.Key{{Attribute: "PK", Type: dynamo.String}}}
	values := map[string]types.AttributeValue{
		":text": &types.AttributeValueMemberS{Value: "text"}, ":open": &types.AttributeValueMemberS{Value: "open"}, ":owner": &types.AttributeValueMemberS{Value: "OWNER#1"}, ":games": &types.AttributeValueMemberS{Value: "GAMES#1"},
		":one": &types.AttributeValueMemberN{Value: "1"}, ":nine": &types.AttributeValueMemberN{Value: "9"}, ":set": &types.AttributeValueMemberSS{Value: []string{"a"}},
		":strange": &types.AttributeValueMemberSS{Value: []string{"a", "x"}}, ":none": &types.AttributeValueMemberSS{},
		":empty": &types.AttributeValueMemberS{}, ":null": &types.AttributeValueMemberNULL{Value: true},
		":part": &types.AttributeValueMemberM{Value: accesspatterns.Item{"name": &types.AttributeValueMemberS{Value: "x"}}},
		":odd": &types.AttributeValueMemberM{Value: accesspatterns.Item{
			"shared": &types.AttributeValueMemberS{Value: "x"}, "private": &types.AttributeValueMemberS{Value: "x"}}},
		":odds": &types.AttributeValueMemberM{Value: accesspatterns.Item{"any": &types.AttributeValueMemberN{Value: "1"}}},
		":map":  &types.AttributeValueMemberM{Value: accesspatterns.Item{"shared": &types.AttributeValueMemberS{Value: "x"}}},
	}
	source := expression.Source{Values: values, Names: map[string]string{"#s": "status", "#sec": "sections", "#sh": "shared", "#odd": "private", "#n": "name"}}
	for _, c := range tabletest.Read[[]struct{ Update, Problem string }](t, "changes.yaml") {
		changes, err := expression.ParseUpdate(c.Update, source)
		if err != nil {
			t.Errorf("%s: %v", c.Update, err)
			continue
		}
		problem := ""
		for _, change := range changes {
			if problem == "" {
				problem = e.checkChange(table, change, source)
			}
		}
		if (c.Problem == "") != (problem == "") || !strings.Contains(problem, c.Problem) {
			t.Errorf("%s: expected %q, found %q", c.Update, c.Problem, problem)
		}
	}
}

func TestMostSpecificEntity(t *testing.T) {
	design := designtest.Whole()
	part := design.Entities[0]
	part.ID, part.Keys = "part", []accesspatterns.KeyAttribute{part.Keys[0], {Attribute: "SK", Template: "NOTE#{id}#PART#{n}", Cite: part.Cite}}
	design.Entities = append(design.Entities, part)
	g, err := New(design, AnyRole())
	require.NoError(t, err)
	for sk, want := range map[string]string{"NOTE#1": "note", "NOTE#1#PART#2": "part"} {
		found := g.byID[g.design.Tables[0].ID].entitiesOf(accesspatterns.Item{
			"PK": &types.AttributeValueMemberS{Value: "USER#1"}, "SK": &types.AttributeValueMemberS{Value: sk}})
		if len(found) != 1 || found[0].contract.ID != want {
			t.Errorf("%s: expected %s alone, found %d entities", sk, want, len(found))
		}
	}
}
