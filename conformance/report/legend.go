package report

import (
	_ "embed"
	"html/template"
	"strings"
)

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
