package guard_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/tabletest"
)

// What a pattern documents is refused where a reserved word stands in it without an alias, as DynamoDB refuses it; the refusal names
// the word and what to write. With the alias it passes.
func TestReservedWords(t *testing.T) {
	id := []ap.Equality{*designtest.Equals("id", "{id}")}
	design := &ap.Design{
		Name:   "notes",
		Tables: []ap.Table{{ID: "Notes", Name: "Notes", PartitionKey: ap.Key{Attribute: "id", Type: dynamo.String}}},
		Entities: []ap.Entity{{ID: "note", Table: "Notes", Keys: []ap.KeyAttribute{{Attribute: "id", Template: "{id}"}}, Attributes: []ap.Attribute{
			{Name: "status", Type: dynamo.String, Presence: ap.Optional}, {Name: "parts", Type: dynamo.Map, Presence: ap.Optional}, {Name: "parts.value", Type: dynamo.String, Presence: ap.Optional}}}},
		Patterns: []ap.Pattern{
			{ID: "read", Steps: []ap.Step{{Name: "read", Read: &ap.Read{Operation: dynamo.GetItem, Table: "Notes", Partition: &id[0]}}}},
			{ID: "edit", Steps: []ap.Step{{Name: "write", Write: []ap.Action{{Kind: ap.Update, Table: "Notes", Item: "note", Key: id, Edits: []string{"status", "parts"}}}}}},
		},
	}
	g, err := guard.New(design, guard.AnyRole())
	require.NoError(t, err)
	for _, row := range tabletest.Read[[]struct {
		Name    string
		Request map[string]any `yaml:",inline"`
		Word    string
	}](t, "reserved.yaml") {
		input, err := designtest.Input(row.Request)
		require.NoError(t, err)
		_, err = g.Check(t.Context(), input)
		switch {
		case row.Word == "" && err != nil:
			t.Errorf("%s: %v", row.Name, err)
		case row.Word != "" && (err == nil || !strings.Contains(err.Error(), "expected #"+row.Word+", with "+row.Word+" under it in ExpressionAttributeNames, found "+row.Word+" as it is, a reserved word that DynamoDB refuses")):
			t.Errorf("%s: expected a refusal of %s, found %v", row.Name, row.Word, err)
		}
	}
}
