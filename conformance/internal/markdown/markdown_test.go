package markdown_test

import (
	"strings"
	"testing"

	"dynaproof/conformance/internal/markdown"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"two\nlines":                     "two lines",
		"a|b":                            `a\|b`,
		"[click](https://example.com)":   `\[click\](https://example.com)`,
		"<img src=x>":                    `\<img src=x\>`,
		"@team":                          "@\u200bteam",
		"`code` *strong* _em_ # head \\": "\\`code\\` \\*strong\\* \\_em\\_ \\# head \\\\",
	} {
		if found := markdown.Text(text); found != want {
			t.Errorf("%q: expected %q, found %q", text, want, found)
		}
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
		if found := markdown.Code(value); found != want {
			t.Errorf("%q: expected %q, found %q", value, want, found)
		}
	}
}
