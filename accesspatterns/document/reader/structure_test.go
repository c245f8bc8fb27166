package reader

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

// TestStructure: tables, keys and kinds of items as people write them in lists and sentences, and what is like them and none.
func TestStructure(t *testing.T) {
	for name, test := range tabletest.Read[map[string]struct{ Text, Said, Guess string }](t, "structure.yaml") {
		says(t, name, test.Text, test.Said, test.Guess)
	}
}

// TestForms: what stands in objects, fences, columns and remarks, and what is like it.
func TestForms(t *testing.T) {
	for name, test := range tabletest.Read[map[string]struct{ Text, Said, Guess string }](t, "forms.yaml") {
		says(t, name, test.Text, test.Said, test.Guess)
	}
}

// TestProjectedLists: the attributes that an index projects, each in backticks, in none, or all in one pair.
func TestProjectedLists(t *testing.T) {
	for list, want := range map[string][]string{
		"`flour, grain`":         {"flour", "grain"},
		"`flour`, `grain`":       {"flour", "grain"},
		"INCLUDE (flour, grain)": {"flour", "grain"},
		"`flour`":                {"flour"},
		"ALL":                    nil,
		"the flour, mostly":      nil,
	} {
		document, err := Read([]byte("# Mill\n\n## Table: `mill`\n\n- Partition key: `id` (S)\n\n### GSI1\n\n- Partition key: `day`\n- Projection: " + list + "\n"))
		require.NoError(t, err)
		require.Len(t, document.Tables[0].Indexes, 1)
		assert.Equal(t, want, document.Tables[0].Indexes[0].Include, list)
	}
	const definition = "```hcl\nresource \"aws_dynamodb_table\" \"mill\" {\n  name = \"mill\"\n  hash_key = \"id\"\n  global_secondary_index {\n    name = \"by-day\"\n    hash_key = \"day\"\n" +
		"    projection_type = \"INCLUDE\"\n    non_key_attributes = [\"hue\"]\n  }\n}\n```\n"
	document, err := Read([]byte("# Mill\n\n" + definition + "\nOnce more:\n\n" + definition))
	require.NoError(t, err)
	assert.Equal(t, []string{"hue"}, document.Tables[0].Indexes[0].Include, "in two definitions")
}
