package drafter_test

import (
	"strings"
	"testing"

	"dynaproof/accesspatterns/document/drafter"
	"dynaproof/accesspatterns/document/reader"
)

// TestPatternsWithoutTitle drafts requests that stand below no heading: the draft calls each by its
// operation and line.
func TestPatternsWithoutTitle(t *testing.T) {
	for content, want := range map[string]string{
		"```sh\naws dynamodb scan --table-name notes\n```\n":                                      "# TODO line 2: Scan, line 2: a Scan needs a waiver",
		"Table: `notes`\n\n```go\nclient.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{})\n```\n": "BatchGetItem, line 4: a BatchGetItem: write the keys that it reads",
		"Table: `notes`\n\n```\nPK = USER#{id}\nbegins_with(SK, 'NOTE#')\n```\n":                  "title: 'Request, line 4'",
	} {
		document, err := reader.Read([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		draft, err := drafter.Draft("notes", "notes.md", []byte(content), document)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(draft.Contract), want) {
			t.Errorf("expected %q in the draft, found:\n%s", want, draft.Contract)
		}
	}
}
