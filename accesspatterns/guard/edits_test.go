package guard_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/tabletest"
)

// notes has a note that is edited, and one that is put with the state that its step
// gives it, beside a check of its folder.
func notes() *ap.Design {
	cite := designtest.Line(1, "note")
	name := []ap.Equality{*designtest.Equals("id", "{noteId}")}
	return &ap.Design{
		Name: "notes", Document: ap.Document{File: "notes.md"}, AccessPatterns: cite,
		Tables: []ap.Table{
			{ID: "Notes", Name: "Notes", Cite: cite, PartitionKey: ap.Key{Attribute: "id", Type: dynamo.String}},
			{ID: "Folders", Name: "Folders", Cite: cite, PartitionKey: ap.Key{Attribute: "id", Type: dynamo.String}},
		},
		Entities: []ap.Entity{
			{
				ID: "note", Title: "Note", Table: "Notes", Cite: cite, Keys: []ap.KeyAttribute{{Attribute: "id", Template: "{noteId}", Cite: cite}},
				Attributes: []ap.Attribute{
					{Name: "folder", Type: dynamo.String}, {Name: "state", Type: dynamo.String}, {Name: "seen", Type: dynamo.Number}, {Name: "title", Type: dynamo.String},
					{Name: "entries", Type: dynamo.List, Presence: ap.Optional}, {Name: "body", Presence: ap.Optional}, {Name: "tags", Type: dynamo.StringSet, Presence: ap.Optional}, {Name: "weight", Type: dynamo.Number, Presence: ap.Optional}, {Name: "people", Type: dynamo.StringSet}, {Name: "marks", Type: dynamo.Map, Presence: ap.Optional},
				},
			},
			{ID: "folder", Title: "Folder", Table: "Folders", Cite: cite, Keys: []ap.KeyAttribute{{Attribute: "id", Template: "{folderId}", Cite: cite}}},
		},
		Patterns: []ap.Pattern{
			{ID: "edit", Title: "edit", Cite: cite, Roles: []string{"writer"}, Steps: []ap.Step{{Name: "edit", Cite: cite, Write: []ap.Action{{
				Kind: ap.Update, Table: "Notes", Key: name, Item: "note", Set: []ap.Assignment{{Attribute: "seen", Value: designtest.Digits("{seen}")}},
				Edits: []string{"title", "body", "tags", "marks", "weight", "people", "entries"}, Condition: designtest.IfPresent("id"),
			}}}}},
			{ID: "create", Title: "create", Cite: cite, Roles: []string{"writer"}, Steps: []ap.Step{{Name: "create", Cite: cite, Write: []ap.Action{
				{Kind: ap.ConditionCheck, Table: "Folders", Key: []ap.Equality{*designtest.Equals("id", "{folder}")}, Condition: designtest.IfPresent("id")},
				{Kind: ap.Put, Table: "Notes", Entity: "note", Item: "note", Condition: designtest.IfAbsent("id"),
					With: []ap.Equality{*designtest.Equals("state", "open"), *designtest.Equals("folder", "{folder}")}},
			}}}},
			{ID: "get", Title: "get", Cite: cite, Roles: []string{"writer"}, Steps: []ap.Step{{Name: "get", Cite: cite, Read: designtest.Get("Notes", designtest.Equals("id", "{noteId}"), nil)}}},
			{ID: "sketch", Title: "sketch", Cite: cite, Roles: []string{"writer"}, Steps: []ap.Step{{Name: "sketch", Cite: cite, Write: []ap.Action{
				{Kind: ap.Put, Table: "Notes", Entity: "note", Item: "note", Without: []string{"body", "tags"}},
			}}}},
		},
		Policies: ap.Policies{Cite: cite, Roles: []ap.Role{{ID: "writer", Cite: cite, Unconfined: "a test"}}},
	}
}

func TestEditsAndWith(t *testing.T) {
	g, err := guard.New(notes(), guard.ForRole("writer"))
	require.NoError(t, err)
	for _, row := range tabletest.Read[[]edit](t, "edits.yaml") {
		in := row.of(values{":seen": number("1"), ":1": number("1"), ":t": text("t"), ":n": number("2"), ":s": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
			":l": &types.AttributeValueMemberL{Value: []types.AttributeValue{text("x")}}, ":none": &types.AttributeValueMemberL{}})
		in.ExpressionAttributeNames = map[string]string{"#n": "deep[0]"}
		row.check(t, g, in)
	}
	for _, row := range tabletest.Read[[]struct {
		Name    string
		Refused bool
		Request map[string]any `yaml:",inline"`
	}](t, "note_writes.yaml") {
		input, err := designtest.Input(row.Request)
		require.NoError(t, err)
		_, err = g.Check(t.Context(), input)
		assert.Equal(t, row.Refused, err != nil, "%s: expected refused %v, found %v", row.Name, row.Refused, err)
	}
}

// edit is an update of a note that exists.
type edit struct {
	Name, Update string
	Further      string // of the condition
	Refused      bool
}

func (e *edit) of(given values) *dynamodb.UpdateItemInput {
	condition := "attribute_exists(id)"
	if e.Further != "" {
		condition += " AND " + e.Further
	}
	return &dynamodb.UpdateItemInput{TableName: aws.String("Notes"), Key: values{"id": text("n")}, UpdateExpression: &e.Update, ConditionExpression: &condition, ExpressionAttributeValues: given}
}

func (e *edit) check(t *testing.T, g *guard.Guard, in *dynamodb.UpdateItemInput) {
	t.Helper()
	_, err := g.Check(t.Context(), in)
	assert.Equal(t, e.Refused, err != nil, "%s: expected refused %v, found %v", e.Name, e.Refused, err)
}

// What lies within an attribute is held to the contract as an attribute is, an index key is not left behind by a value that is set where none
// is stored, and two names of one attribute are one.
func TestEditsWithinAttributes(t *testing.T) {
	design := notes()
	e := &design.Entities[0]
	e.Attributes = append(e.Attributes,
		ap.Attribute{Name: "crew", Type: dynamo.Map, Presence: ap.Optional}, ap.Attribute{Name: "crew.members", Type: dynamo.StringSet}, ap.Attribute{Name: "crew.guests", Type: dynamo.StringSet, Presence: ap.Optional},
		ap.Attribute{Name: "verses", Type: dynamo.List, Presence: ap.Optional}, ap.Attribute{Name: "verses[].label", Type: dynamo.String}, ap.Attribute{Name: "verses[].words", Type: dynamo.StringSet},
		ap.Attribute{Name: "due", Type: dynamo.String, Presence: ap.Optional}, ap.Attribute{Name: "createdAt", Type: dynamo.String})
	e.Keys = append(e.Keys, ap.KeyAttribute{Attribute: "byDue", Template: "DUE#{due}", Optional: true}, ap.KeyAttribute{Attribute: "byTitle", Template: "TITLE#{title}"},
		ap.KeyAttribute{Attribute: "kind", Template: "NOTE", Optional: true}, ap.KeyAttribute{Attribute: "stateKey", Template: "{state}#{born}", Binds: map[string]string{"born": "createdAt"}, Optional: true})
	design.Tables[0].Indexes = []ap.Index{
		{Name: "byDue", PartitionKey: ap.Key{Attribute: "byDue", Type: dynamo.String}}, {Name: "byTitle", PartitionKey: ap.Key{Attribute: "byTitle", Type: dynamo.String}},
		{Name: "byState", PartitionKey: ap.Key{Attribute: "kind", Type: dynamo.String}, SortKey: &ap.Key{Attribute: "stateKey", Type: dynamo.String}},
	}
	edits := &design.Patterns[0].Steps[0].Write[0].Edits
	*edits = append(*edits, "crew", "verses", "due", "byDue", "byTitle", "state", "kind", "stateKey")
	g, err := guard.New(design, guard.ForRole("writer"))
	require.NoError(t, err)
	line := func(label string) types.AttributeValue {
		words := &types.AttributeValueMemberSS{Value: []string{"a"}}
		return &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberM{Value: values{label: text("x"), "words": words}}}}
	}
	for _, row := range tabletest.Read[[]edit](t, "edits_within.yaml") {
		if rest, set := strings.CutPrefix(row.Update, "SET "); set {
			row.Update = "SET seen = :seen, " + rest
		} else {
			row.Update = "SET seen = :seen " + row.Update
		}
		in := row.of(values{":seen": number("1"), ":t": text("t"), ":day": text("2026-01-01"), ":key": text("DUE#2026-01-01"), ":done": text("Done"), ":doneKey": text("Done#2026-01-01"), ":openKey": text("Open#2026-01-01"), ":kind": text("NOTE"), ":2": number("2"),
			":s": &types.AttributeValueMemberSS{Value: []string{"a", "b"}}, ":verses": line("label"), ":other": line("other"), ":texts": &types.AttributeValueMemberL{Value: []types.AttributeValue{text("x")}}})
		in.ExpressionAttributeNames = map[string]string{"#a": "entries", "#b": "verses", "#w": "weight", "#body": "body", "#path": "crew.members", "#star": "*", "#state": "state"}
		row.check(t, g, in)
	}
}
