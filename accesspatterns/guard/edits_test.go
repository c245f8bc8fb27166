package guard_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
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

func TestEditsAndWith(t *testing.T) {
	g, err := guard.New(contractOf(t, "notes"), guard.ForRole("writer"))
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
	g, err := guard.New(contractOf(t, "within"), guard.ForRole("writer"))
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
