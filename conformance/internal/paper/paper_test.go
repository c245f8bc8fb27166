package paper_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/internal/markdown"
	"dynaproof/conformance/internal/page"
	"dynaproof/conformance/internal/paper"
)

func aPaper() *paper.Paper {
	return &paper.Paper{
		Title: "dynaproof <title>", Conclusion: "FAIL  one of two", Lead: []string{"how it was found"}, Foot: "made of nothing", Classes: map[string]string{"survived": "fail"},
		Sections: []paper.Section{
			{Columns: []string{"kind", "killed", "fate"}, Rows: [][]string{{"pattern", "0", "survived"}, {"<script>", "12", "@team [go](x)"}}, Figures: true, Alarms: []string{"broken <b>"}},
			{Heading: "Whole", Only: paper.Page, Folded: true, Columns: []string{"id"}, Rows: [][]string{{"of a page"}}},
			{Only: paper.Terminal, Notes: []string{"of a terminal\n  in two lines"}},
		},
	}
}

// Each medium has what is for it, the conclusion, and what anybody else said without force.
func TestMedia(t *testing.T) {
	var text, page, markdown strings.Builder
	aPaper().Text(&text)
	require.NoError(t, aPaper().HTML(&page))
	require.NoError(t, aPaper().Markdown(&markdown))
	for _, row := range []struct {
		medium, written string
		has, lacks      []string
	}{
		{"terminal", text.String(), []string{"   pattern       -       survived", "FAIL  broken <b>", "of a terminal\n  in two lines\n", "\n\nFAIL  one of two\n"}, []string{"of a page", "how it was found"}},
		{"page", page.String(), []string{"<h1>FAIL  one of two</h1>", `<td class="zero">0<td><b class="fail">survived</b>`, "<details><summary>Whole</summary>", "of a page", "how it was found", "made of nothing", "&lt;script&gt;", `<p class="warning">broken &lt;b&gt;`}, []string{"<script", "of a terminal"}},
		{"markdown", markdown.String(), []string{"| kind | killed | fate |", "| pattern | 0 | survived |", "<details><summary>Whole</summary>", "FAIL  one of two"[:4]}, []string{"<script>", "@team", "[go](x)", "of a terminal"}},
	} {
		for _, words := range row.has {
			assert.Contains(t, row.written, words, row.medium)
		}
		for _, words := range row.lacks {
			assert.NotContains(t, row.written, words, row.medium)
		}
	}
}

func TestTable(t *testing.T) {
	rows := [][]string{{"design", "claims"}, {"a", columns.Count(10)}, {"longer", columns.Count(0)}}
	assert.Equal(t, "design  claims\na       10\nlonger  -\n", columns.Left(rows))
	assert.Equal(t, "  design  claims\n       a      10\n  longer       -\n", columns.Right(rows))
}

// What an engine said must not move the columns, begin a row, or steer the terminal.
func TestCellsStayInTheirPlace(t *testing.T) {
	assert.Equal(t, "a b c[31m  d\n", columns.Left([][]string{{"a\tb\nc\x1b[31m", "d"}}))
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"two\nlines":                     "two lines",
		"a|b":                            `a\|b`,
		"[click](https://example.com)":   `\[click\](https://example.com)`,
		"<img src=x>":                    `\<img src=x\>`,
		"@team":                          "@\u200bteam",
		"`code` *strong* _em_ # head \\": "\\`code\\` \\*strong\\* \\_em\\_ \\# head \\\\",
	} {
		assert.Equal(t, want, markdown.Text(text), "%q", text)
	}
}

func TestCode(t *testing.T) {
	for value, want := range map[string]string{
		"":                       "nothing",
		" \n":                    "nothing",
		"a  b":                   "`a b`",
		"a`b":                    "`` a`b ``",
		"```":                    "```` ``` ````",
		strings.Repeat("é", 241): "`" + strings.Repeat("é", 240) + "…`",
	} {
		assert.Equal(t, want, markdown.Code(value), "%q", value)
	}
}

func TestAPageLoadsNothingAndRunsItsOwnScriptAlone(t *testing.T) {
	var text strings.Builder
	made := page.New(`{{define "title"}}of {{.}}{{end}}{{define "main"}}<p>{{.}}</p>{{end}}`, `run("</p>")`, nil)
	require.NoError(t, made.Write(&text, "\x1b\u202e<b>"))
	for _, want := range []string{"<title>of &lt;b&gt;</title>", "<p>&lt;b&gt;</p>", `<script>run("</p>")</script>`, "default-src &#39;none&#39;", "script-src &#39;sha256-", `href="#main"`} {
		assert.Contains(t, text.String(), want)
	}
	assert.NotRegexp(t, "script-src|unsafe", page.Policy("", ""), "expected a policy that runs nothing")
}

// There is one layout: no other file begins a page, has a style sheet or sets a policy, and no element has a style of its own, which the
// policy would refuse.
func TestOneLayout(t *testing.T) {
	own := regexp.MustCompile(`(?i)<!doctype|<style|http-equiv|[\s<]style="`)
	seen := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".tmpl") && !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found := own.Find(text)
		assert.True(t, found == nil || filepath.Base(path) == "layout.html.tmpl", "%s: expected pages to be made by the layout, found %q", path, found)
		seen++
		return nil
	})
	require.NoError(t, err)
	require.GreaterOrEqual(t, seen, 100, "expected the sources of the folder")
}
