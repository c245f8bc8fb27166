package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/review"
	"dynaproof/conformance/report"
)

const reviewed = "# Shop\n\nTable name: `shop`\n" +
	"Partition key: **PK** (String). Sort key: **SK** (String).\n\n" +
	"- **User <b>one</b>**: `PK = USER#{id}`, `SK = PROFILE`\n" +
	"- a stray\x1b[31m `SK = OTHER`\n\n" +
	"## Access patterns\n\n" +
	"- Get a user: `GetItem(PK=USER#{id})`\n"

func aReview(t *testing.T) *report.Review {
	t.Helper()
	document, err := reader.Read([]byte(reviewed))
	if err != nil {
		t.Fatal(err)
	}
	return &report.Review{File: "docs/shop.md", Document: document, Hits: review.Look(document)}
}

func TestTerminalReview(t *testing.T) {
	var out bytes.Buffer
	aReview(t).Paper().Text(&out)
	for _, want := range []string{
		"table shop", "PK (S) / SK (S)", "PK = USER#{id}, SK = PROFILE", "GetItem PK = USER#{id}",
		"cannot work on DynamoDB\n  docs/shop.md:11  get-without-whole-key", "1 table, 1 kind of items, 1 access pattern: 1 cannot work",
		"docs/shop.md:7  a stray[31m SK = OTHER", "no form reads this line of a list",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("expected %q, found\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("expected no control characters of the document, found %q", out.String())
	}
}

func TestReviewHTML(t *testing.T) {
	var out bytes.Buffer
	if err := aReview(t).Paper().HTML(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Content-Security-Policy", "default-src &#39;none&#39;", "get-without-whole-key: ", "USER#{id}", "docs/shop.md"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("expected %q in the page", want)
		}
	}
	if strings.Contains(out.String(), "<b>one") {
		t.Error("expected the document's text escaped")
	}
}

func TestReviewSARIF(t *testing.T) {
	var out bytes.Buffer
	if err := report.ReviewSARIF(&out, aReview(t), "docs/shop.md", "v1"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct {
						ID      string `json:"id"`
						HelpURI string `json:"helpUri"`
					} `json:"rules"`
				} `json:"driver"`
			} `json:"tool"`
			Results []struct {
				RuleID    string `json:"ruleId"`
				Level     string `json:"level"`
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string } `json:"artifactLocation"`
						Region           struct {
							StartLine int `json:"startLine"`
						} `json:"region"`
					} `json:"physicalLocation"`
				} `json:"locations"`
			} `json:"results"`
		} `json:"runs"`
	}
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if len(log.Runs) != 1 || len(log.Runs[0].Results) == 0 {
		t.Fatalf("expected one run with results, found %s", out.String())
	}
	first := log.Runs[0].Results[0]
	place := first.Locations[0].PhysicalLocation
	if first.RuleID != "get-without-whole-key" || first.Level != "error" || place.ArtifactLocation.URI != "docs/shop.md" || place.Region.StartLine != 11 {
		t.Errorf("expected the error on line 11 of docs/shop.md, found %+v", first)
	}
	if rule := log.Runs[0].Tool.Driver.Rules[0]; rule.ID != "get-without-whole-key" || !strings.HasPrefix(rule.HelpURI, "https://docs.aws.amazon.com/") {
		t.Errorf("expected the rule with its page, found %+v", rule)
	}
}
