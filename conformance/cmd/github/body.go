package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// limit is the most characters that GitHub takes as the body of an issue or a comment; it refuses a longer one with
// status 422: "body is too long (maximum is 65536 characters)".
const limit = 65_536

func characters(text string) int { return utf8.RuneCountInString(text) }

// cut returns the first characters of a text, which must be valid UTF-8.
func cut(text string, most int) string {
	for i := range text {
		if most == 0 {
			return text[:i]
		}
		most--
	}
	return text
}

// body returns what an audit printed as the body of an issue: verbatim, no longer than GitHub takes, beside the address of
// the run that printed it. It is an indented code block, since nothing that a text holds can end one, as it can a fence;
// a carriage return, which ends a line in Markdown, becomes one.
// https://spec.commonmark.org/0.31.2/#indented-code-blocks
func body(run, text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.TrimRight(text, "\n")
	head := "Last audit: " + run + "\n\n"
	block := indent + strings.ReplaceAll(text, "\n", "\n"+indent) + "\n"
	if characters(head+block) <= limit {
		return head + block
	}
	head += fmt.Sprintf("The audit printed %d characters, more than GitHub takes; the end is cut off here. All of it is in the log and in the artifacts of the run.\n\n", characters(text))
	return head + cut(block, limit-characters(head))
}

// indent is what makes a line one of a code block.
const indent = "    "
