package redact

import (
	"strings"
	"unicode"
)

// Visible drops the characters that a terminal, a page or a parser would obey instead of showing them: control characters
// other than line feed and tab, and those that change the direction of writing. A carriage return ends a line.
func Visible(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text)
}
