package report

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/review"
)

const reviewed = "# Shop\n\nTable name: `shop`\n" +
	"Partition key: **PK** (String). Sort key: **SK** (String).\n\n" +
	"- **User <b>one</b>**: `PK = USER#{id}`, `SK = PROFILE`\n" +
	"- a stray\x1b[31m `SK = OTHER`\n\n" +
	"## Access patterns\n\n" +
	"- Get a user: `GetItem(PK=USER#{id})`\n" +
	"- Everything of a user: `Query(PK)`\n"

// A review as text and as SARIF; its page shows what the document says, and obeys none of it.
func TestReviewsAreFrozen(t *testing.T) {
	document, err := reader.Read([]byte(reviewed))
	require.NoError(t, err)
	r := &Review{File: "docs/shop.md", Document: document, Hits: review.Look(document)}
	var text, log, page bytes.Buffer
	r.Paper().Text(&text)
	frozen(t, "review.txt", text.String())
	require.NoError(t, ReviewSARIF(&log, r, "docs/shop.md", "v1"))
	frozen(t, "review.sarif", log.String())
	require.NoError(t, r.Paper().HTML(&page))
	assert.Contains(t, page.String(), "get-without-whole-key: ")
	assert.NotContains(t, page.String(), "<b>one")
}
