package paper_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
