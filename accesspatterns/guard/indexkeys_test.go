package guard_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
)

// An index key repeats attributes: an update that changes the one and not the other
// parts them, whatever the documented updates of the entity may edit.
func TestIndexKeysFollowTheirAttributes(t *testing.T) {
	cite := designtest.Line(1, "note")
	design := &ap.Design{
		Name: "notes", Document: ap.Document{File: "notes.md"}, AccessPatterns: cite,
		Tables: []ap.Table{{
			ID: "Notes", Name: "Notes", Cite: cite, PartitionKey: ap.Key{Attribute: "id", Type: dynamo.String},
			Indexes: []ap.Index{{Name: "byState", PartitionKey: ap.Key{Attribute: "kind", Type: dynamo.String}, SortKey: &ap.Key{Attribute: "stateKey", Type: dynamo.String}, Projection: dynamo.ProjectAll, Cite: cite}},
		}},
		Entities: []ap.Entity{{
			ID: "note", Title: "Note", Table: "Notes", Cite: cite,
			Keys: []ap.KeyAttribute{
				{Attribute: "id", Template: "{noteId}", Cite: cite}, {Attribute: "kind", Template: "NOTE", Optional: true, Cite: cite},
				{Attribute: "stateKey", Template: "{state}#{born}", Binds: map[string]string{"born": "createdAt"}, Optional: true, Cite: cite},
			},
			Attributes: []ap.Attribute{{Name: "state", Type: dynamo.String}, {Name: "createdAt", Type: dynamo.String}, {Name: "title", Type: dynamo.String}},
		}},
		Patterns: []ap.Pattern{{ID: "edit", Title: "edit", Cite: cite, Roles: []string{"writer"}, Steps: []ap.Step{{Name: "edit", Cite: cite, Write: []ap.Action{{
			Kind: ap.Update, Table: "Notes", Key: []ap.Equality{*designtest.Equals("id", "{noteId}")}, Item: "note", Edits: []string{"title", "state", "kind", "stateKey"},
		}}}}}},
		Policies: ap.Policies{Cite: cite, Roles: []ap.Role{{ID: "writer", Cite: cite, Unconfined: "a test"}}},
	}
	g, err := guard.New(design, guard.ForRole("writer"))
	require.NoError(t, err)
	for _, row := range []struct {
		name, expression string
		refused          bool
	}{
		{"another attribute", "SET title = :done", false},
		{"attribute and key", "SET #state = :done, stateKey = :doneKey", false},
		{"attribute and key, and the partition key of the index", "SET #state = :done, stateKey = :doneKey, kind = :kind", false},
		{"attribute, and the key removed", "SET #state = :done REMOVE stateKey", false},
		{"attribute alone", "SET #state = :done", true},
		{"key alone, though the attribute changes elsewhere", "SET stateKey = :doneKey", true},
		{"key of another value", "SET #state = :done, stateKey = :openKey", true},
		{"key of another form", "SET #state = :done, stateKey = :done", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := g.Check(t.Context(), &dynamodb.UpdateItemInput{
				TableName: aws.String("Notes"), Key: values{"id": text("n")}, UpdateExpression: aws.String(row.expression), ExpressionAttributeNames: map[string]string{"#state": "state"},
				ExpressionAttributeValues: values{":done": text("Done"), ":doneKey": text("Done#2026"), ":openKey": text("Open#2026"), ":kind": text("NOTE")},
			})
			if (err != nil) != row.refused {
				t.Errorf("expected refused %v, found %v", row.refused, err)
			}
		})
	}
}
