package paper_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
