// Package markdown writes values into Markdown so that nothing in them is taken for Markdown: the summaries that stand on a pull request
// hold what engines and documents said.
package markdown

import (
	"strings"
	"unicode/utf8"
)

// longest is the most characters of a value in a code span.
const longest = 240

// Code writes a value as a code span of at most 240 characters, on one line. A value may hold backticks, so the fence is one longer than
// the longest run of them. A value of nothing is the word "nothing".
func Code(value string) string {
	value = strings.Join(strings.Fields(value), " ")
	if utf8.RuneCountInString(value) > longest {
		value = string([]rune(value)[:longest]) + "…"
	}
	if value == "" {
		return "nothing"
	}
	most := 0
	for run := range strings.FieldsFuncSeq(value, func(r rune) bool { return r != '`' }) {
		most = max(most, len(run))
	}
	fence := strings.Repeat("`", most+1)
	if most > 0 {
		return fence + " " + value + " " + fence
	}
	return fence + value + fence
}

var escapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "#", `\#`, "@", "@\u200b",
)

// Text writes text on one line and escapes what Markdown would take for its own. Nobody whose name stands behind an @ is told about the
// pull request.
func Text(text string) string {
	return escapes.Replace(strings.Join(strings.Fields(text), " "))
}
