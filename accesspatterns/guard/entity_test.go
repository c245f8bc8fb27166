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
		":text": &types.AttributeValueMemberS{Value: "text"}, ":open": &types.AttributeValueMemberS{Value: "open"}, ":owner": &types.AttributeValueMemberS{Value: "OWNER#1"},
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
	for _, c := range []struct{ update, problem string }{
		{"SET title = :text", ""},
		{"SET title = if_not_exists(title, :text)", ""},
		{"SET games = games + :one", ""},
		{"REMOVE note", ""},
		{"ADD games :one", ""},
		{"ADD tags :set DELETE tags :set", ""},
		{"ADD roles :set", ""},
		{"DELETE roles :strange", ""},
		{"SET #s = :open", ""},
		{"SET gsi = :owner", ""},
		{"REMOVE gsi", ""},
		{"SET byNumber = :one", ""},
		{"SET #sec = :map", ""},
		{"SET #sec.#sh = :text", ""},
		{"SET choices.any = :text", ""},
		{"SET free.any = :text", ""},
		{"SET free.any.deep[2] = :text", ""},
		{"SET #sec = if_not_exists(#sec, :map)", ""},
		{"SET parts[3].#n = :text", ""},
		{"SET parts[3] = :part", ""},
		{"REMOVE parts[1]", ""},
		{"REMOVE parts[1].size", ""},
		{"REMOVE parts", ""},
		{"ADD parts[0].size :nine", ""},

		{"SET PK = :text", "primary key"},
		{"REMOVE PK", "primary key"},
		{"SET colour = :text", "undocumented attribute"},
		{"SET title = :one", `"type"`},
		{"SET title = :empty", `"empty"`},
		{"SET title = :null", `"type"`},
		{"SET games = :nine", `"range"`},
		{"SET #s = :text", `"allowed"`},
		{"SET roles = :strange", `"allowed"`},
		{"ADD roles :strange", `"allowed"`},
		{"ADD tags :none", `"empty"`},
		{"REMOVE title", "required"},
		{"REMOVE #sec.#sh", "required"},
		{"ADD title :one", `"type"`},
		{"ADD tags :one", `"type"`},
		{"SET gsi = :text", "not of the form"},
		{"SET gsi = :one", "with type"},
		{"SET gsi = if_not_exists(gsi, :owner)", "no assignment"},
		{"REMOVE byNumber", "no assignment"},
		{"ADD byNumber :one", "no assignment"},
		{"SET #sec.#sh = :one", `"type"`},
		{"SET #sec.#odd = :text", "undocumented member"},
		{"SET #sec.#odd = #sec.#sh", "undocumented member"},
		{"REMOVE #sec.#odd", "undocumented member"},
		{"SET #sec = :odd", "undocumented member sections.private"},
		{"SET #sec = :part", "undocumented member"},
		{"SET choices.any.more = :text", `"type"`},
		{"SET choices = :odds", `"type"`},
		{"SET parts[3] = :map", "undocumented member parts[0].shared"},
		{"SET parts[3].colour = :text", "undocumented member"},
		{"SET parts[3].#n = :one", `"type"`},
		{"SET parts = :map", `"type"`},
		{"SET title.part = :text", `"type"`},
		{"REMOVE parts[1].#n", "required"},
		{"ADD parts[0].size :text", `"type"`},
	} {
		changes, err := expression.ParseUpdate(c.update, source)
		if err != nil {
			t.Errorf("%s: %v", c.update, err)
			continue
		}
		problem := ""
		for _, change := range changes {
			if problem == "" {
				problem = e.checkChange(table, change, source)
			}
		}
		if (c.problem == "") != (problem == "") || !strings.Contains(problem, c.problem) {
			t.Errorf("%s: expected %q, found %q", c.update, c.problem, problem)
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
