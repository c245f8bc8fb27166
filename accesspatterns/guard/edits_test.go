package guard_test

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/tabletest"
)

// contractOf is one of the contracts of these tests.
func contractOf(t *testing.T, name string) *ap.Design {
	t.Helper()
	text, err := os.ReadFile("testdata/contracts/" + name + ".yaml")
	require.NoError(t, err)
	design, err := contract.Load(fstest.MapFS{"contract.yaml": &fstest.MapFile{Data: text}})
	require.NoError(t, err)
	return design
}

// A note is edited as the contract says. What lies within an attribute is held to it as an attribute is, an index key is not left behind by a value
// that is set where none is stored, and two names of one attribute are one.
func TestEdits(t *testing.T) {
	values := tabletest.Item(t, tabletest.Read[map[string]any](t, "edit_values.yaml"))
	type edit struct {
		Name, Update string
		Further      string // of the condition
		Refused      bool
	}
	for name, rows := range map[string][]edit{"notes": tabletest.Read[[]edit](t, "edits.yaml"), "within": tabletest.Read[[]edit](t, "edits_within.yaml")} {
		g, err := guard.New(contractOf(t, name), guard.ForRole("writer"))
		require.NoError(t, err)
		for _, row := range rows {
			condition := "attribute_exists(id)"
			if row.Further != "" {
				condition += " AND " + row.Further
			}
			_, err := g.Check(t.Context(), &dynamodb.UpdateItemInput{
				TableName: aws.String("Notes"), Key: ap.Item{"id": text("n")}, UpdateExpression: &row.Update, ConditionExpression: &condition, ExpressionAttributeValues: values,
				ExpressionAttributeNames: map[string]string{"#n": "deep[0]", "#a": "entries", "#b": "verses", "#w": "weight", "#body": "body", "#path": "crew.members", "#star": "*", "#state": "state"},
			})
			assert.Equal(t, row.Refused, err != nil, "%s: expected refused %v, found %v", row.Name, row.Refused, err)
		}
	}
}

// Other writes of the notes, of which a put has what its step gives it.
func TestNoteWrites(t *testing.T) {
	g, err := guard.New(contractOf(t, "notes"), guard.ForRole("writer"))
	require.NoError(t, err)
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
