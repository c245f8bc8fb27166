package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/review"
	"dynaproof/conformance/report"
)

const reviewed = "# Shop\n\nTable name: `shop`\n" +
	"Partition key: **PK** (String). Sort key: **SK** (String).\n\n" +
	"- **User <b>one</b>**: `PK = USER#{id}`, `SK = PROFILE`\n" +
	"- a stray\x1b[31m `SK = OTHER`\n\n" +
	"## Access patterns\n\n" +
	"- Get a user: `GetItem(PK=USER#{id})`\n" +
	"- Everything of a user: `Query(PK)`\n"

func aReview(t *testing.T) *report.Review {
	t.Helper()
	document, err := reader.Read([]byte(reviewed))
	require.NoError(t, err)
	return &report.Review{File: "docs/shop.md", Document: document, Hits: review.Look(document)}
}

func TestTerminalReview(t *testing.T) {
	var out bytes.Buffer
	aReview(t).Paper().Text(&out)
	for _, want := range []string{
		"table shop", "PK (S) / SK (S)", "PK = USER#{id}, SK = PROFILE", "GetItem PK = USER#{id}", "Query PK  ",
		"cannot work on DynamoDB\n  docs/shop.md:11  get-without-whole-key", "1 table, 1 kind of items, 2 access patterns: 1 cannot work",
		"docs/shop.md:7  a stray[31m SK = OTHER", "no form reads this line of a list",
	} {
		assert.Contains(t, out.String(), want)
	}
	assert.NotContains(t, out.String(), "\x1b")
}

func TestReviewHTML(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, aReview(t).Paper().HTML(&out))
	for _, want := range []string{"Content-Security-Policy", "default-src &#39;none&#39;", "get-without-whole-key: ", "USER#{id}", "docs/shop.md"} {
		assert.Contains(t, out.String(), want)
	}
	assert.NotContains(t, out.String(), "<b>one")
}

func TestReviewSARIF(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.ReviewSARIF(&out, aReview(t), "docs/shop.md", "v1"))
	log, err := sarif.FromBytes(out.Bytes())
	require.NoError(t, err)
	require.NotEmpty(t, log.Runs[0].Results)
	first := log.Runs[0].Results[0]
	place := first.Locations[0].PhysicalLocation
	if *first.RuleID != "get-without-whole-key" || first.Level != "error" || *place.ArtifactLocation.URI != "docs/shop.md" || *place.Region.StartLine != 11 {
		t.Errorf("expected the error on line 11 of docs/shop.md, found %+v", first)
	}
	if rule := log.Runs[0].Tool.Driver.Rules[0]; *rule.ID != "get-without-whole-key" || !strings.HasPrefix(*rule.HelpURI, "https://docs.aws.amazon.com/") {
		t.Errorf("expected the rule with its page, found %+v", rule)
	}
}
