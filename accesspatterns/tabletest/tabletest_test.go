package tabletest

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A table of which a test reads no row, or not all, would pass whatever the tested code does.
func TestTablesAreReadWhole(t *testing.T) {
	type row struct{ Name string }
	for text, want := range map[string]string{
		"- name: one\n- name: two":           "",
		"":                                   "EOF",
		"# nothing but a remark":             "EOF",
		"[]":                                 "expected rows, found none",
		"null":                               "expected rows, found none",
		"- name: one\n---\n- name: two":      "expected one YAML document, found more behind it",
		"- name: one\n---\n":                 "expected one YAML document, found more behind it",
		"- name: one\n---\n- name: [":        "expected one YAML document, found more behind it",
		"- name: one\n  names: two":          "field names not found",
		"- name: one\n  name: two":           "already defined",
		"- {name: one, want: {of: another}}": "field want not found",
	} {
		rows, err := parse[[]row]([]byte(text))
		if want == "" {
			assert.NoError(t, err)
			assert.Equal(t, []row{{"one"}, {"two"}}, rows)
			continue
		}
		assert.ErrorContains(t, err, want, "%q", text)
	}
	_, err := parse[map[string]row]([]byte("{}"))
	assert.EqualError(t, err, "expected rows, found none")
}

// A test that runs in another folder does not move the tables of those beside it.
func TestReadFromAnywhere(t *testing.T) {
	t.Chdir(t.TempDir())
	rows := Read[[]struct{ Name string }](t, "rows.yaml")
	assert.True(t, len(rows) == 1 && rows[0].Name == "first", "expected one row, found %v", rows)
}

// told keeps what ends a test.
type told []any

func (*told) Helper()             {}
func (all *told) Fatal(of ...any) { *all = append(*all, of...) }

// A test that goes on behind an error would hold nothing.
func TestMustEndsTheTest(t *testing.T) {
	var ended told
	assert.Equal(t, "text", Must("text", nil)(&ended))
	assert.Empty(t, ended)
	Must("", io.EOF)(&ended)
	assert.Equal(t, told{io.EOF}, ended)
}
