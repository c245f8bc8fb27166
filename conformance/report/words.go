package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/redact"
)

// Plural writes a number and what is counted: "1 claim", "3 claims".
func Plural(n int, what string) string {
	return strconv.Itoa(n) + " " + what + either(n, "", "s")
}

// either chooses the word for one or for several.
func either(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// Figures says how many there are of each kind, "540 pass, 4 waived": of those that occur, and of those that are to be told in any case.
func Figures[T ~string](counts map[T]int, kinds []T, always ...T) string {
	told := lists.Where(kinds, func(kind T) bool { return counts[kind] > 0 || slices.Contains(always, kind) })
	return joined(lists.Map(told, func(kind T) string { return fmt.Sprintf("%d %s", counts[kind], kind) }))
}

func joined(names []string) string { return strings.Join(names, ", ") }

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// escaped makes text fit for an element. Unlike html/template it leaves
// quotation marks alone: they are half of what stands in JSON, and the report is
// to stay small.
func escaped(text string) template.HTML { return template.HTML(elementEscapes.Replace(text)) }

// normalised writes JSON with its members in order and without escapes that only
// HTML needs, so that it does not matter whether the evidence was stored in
// between.
func normalised(text json.RawMessage, indent string) string {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return string(text)
	}
	written, err := dynamo.PlainJSON(value, indent)
	if err != nil {
		return string(text)
	}
	return redact.Visible(attributeValue.ReplaceAllString(written, "{$1}")) // JSON may have escaped what it holds
}

// attributeValue is a DynamoDB value that encoding/json writes on three lines.
var attributeValue = regexp.MustCompile(`\{\s*("(?:S|N|B|BOOL|NULL)": (?:"(?:[^"\\]|\\.)*"|true|false))\s*\}`)

var elementEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// shown returns a copy of the evidence as people see it: without names of others, without secrets, and without characters
// that a terminal or a page would obey instead of showing them.
func shown(run *evidence.Run) *evidence.Run {
	return redact.Shown(run.Redacted())
}

// shownText is [shown] for a text of which no account is known.
func shownText(text string) string {
	return redact.Visible(redact.New(redact.Names{}).Text(text))
}

// withoutLedger returns a copy of the evidence without names of others and secrets, and
// without its ledger, which is most of it and which these formats have no place for.
func withoutLedger(run *evidence.Run) *evidence.Run {
	short := *run.Redacted() // what the ledger tells about names is known before it goes
	short.Ledger = nil
	return shown(&short)
}

func digestOf(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// word is a word of the report with its meaning. Several words may have one meaning.
type word struct {
	Word, Means string
}

type chapter struct {
	Title string
	Words []word
}

//go:embed text/legend.txt
var legendText string

// legend explains every column, figure and word of the report's first screen, and those of its tables. What is shown links here.
var legend = func() []chapter {
	var chapters []chapter
	for line := range strings.Lines(legendText) {
		line = strings.TrimSpace(line)
		if title, is := strings.CutPrefix(line, "# "); is {
			chapters = append(chapters, chapter{Title: title})
		} else if name, means, is := strings.Cut(line, ": "); is {
			last := &chapters[len(chapters)-1]
			last.Words = append(last.Words, word{name, means})
		}
	}
	return chapters
}()

var meanings = func() map[string]string {
	all := map[string]string{}
	for _, chapter := range legend {
		for _, each := range chapter.Words {
			all[each.Word] = each.Means
		}
	}
	return all
}()

// explained finds the word of the legend that stands for a label: the label itself in small letters, or its last or first word, as in "roll-model
// passed" and "evidence of grade static".
func explained(label string) (string, bool) {
	label = strings.ToLower(label)
	words := strings.Fields(label)
	for _, candidate := range []string{label, words[len(words)-1], words[0]} {
		if _, known := meanings[candidate]; known {
			return candidate, true
		}
	}
	return "", false
}

// wordHTML writes a label, as a link to its meaning where the legend has one.
func wordHTML(label string) template.HTML {
	text := escaped(label)
	if known, is := explained(label); is {
		return `<a class="word" href="#` + template.HTML(wordAnchor(known)) + `">` + text + `</a>`
	}
	return text
}

func wordAnchor(word string) string { return "word/" + strings.ReplaceAll(word, " ", "-") }
