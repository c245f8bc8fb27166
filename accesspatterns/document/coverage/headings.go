package coverage

import (
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/lists"
)

// Generated begins the reason of a line that is narrative although nobody listed it.
const Generated = "generated: "

// Generated counts the lines that are narrative although nobody listed them.
func (c *Coverage) Generated() int {
	return lists.Count(c.Lines, func(line LineAccount) bool { return strings.HasPrefix(line.Reason, Generated) })
}

var (
	headingForm = lazyregexp.New(`^(#{1,6})\s+(\S.*)$`)
	labelForm   = lazyregexp.New(`^(?:\*\*|__)([^*_]+)(?:\*\*|__):?$`)
	// promising is what a title does not hold that only names what follows: code, a key
	// template, a comparison, a number other than its own, a word that rules something.
	promising = lazyregexp.New("(?i)[`{}<>=]|\\D\\s.*\\d|\\b(must|shall|should|may|never|always|only|not|no|is|are|expires?|unique)\\b")
)

// labelLevel is the level of a label that stands alone, below every heading.
const labelLevel = 7

// headings makes narrative of the titles that only name what follows: a Markdown
// heading, a bold label on a line of its own, or the header row of a table, where a line
// that it stands above is cited. One that changed since the document was transcribed is
// left to be read again, and so is one above nothing that anybody cited.
func (c *Coverage) headings(source *Source, lines *alignment) {
	type title struct {
		at, level int
		reason    string
	}
	var above []title
	fence := ""
	for i := range c.Lines {
		account := &c.Lines[i]
		text := strings.TrimSpace(source.Line(account.Line))
		level, words, reason := 0, text, ""
		switch marks := []string{"```", "~~~"}; {
		case fence != "":
			if strings.HasPrefix(text, fence) {
				fence = ""
			}
		case strings.HasPrefix(text, marks[0]), strings.HasPrefix(text, marks[1]):
			fence = text[:3]
		case headingForm.MatchString(text):
			parts := headingForm.FindStringSubmatch(text)
			level, words, reason = len(parts[1]), parts[2], "heading of lines that are cited"
		case labelForm.MatchString(text):
			level, words, reason = labelLevel, labelForm.FindStringSubmatch(text)[1], "label of lines that are cited"
		case strings.Contains(text, "|") && layout(source.Line(account.Line+1)) == rulerOfTable:
			level, reason = labelLevel+1, "header row of a table whose rows are cited"
		case !strings.Contains(text, "|") && len(above) > 0 && above[len(above)-1].level > labelLevel:
			above = above[:len(above)-1] // the table ends
		}
		if level > 0 {
			for len(above) > 0 && above[len(above)-1].level >= level {
				above = above[:len(above)-1]
			}
			listed := account.Status != LineUnaccounted && account.Status != LinePending || account.Was == 0 || lines.changed[account.Line]
			if listed || promising.MatchString(words) {
				reason = ""
			}
			above = append(above, title{i, level, reason})
		}
		if account.Status != LineCited {
			continue
		}
		for _, title := range above {
			if title.reason != "" {
				c.Lines[title.at].Status, c.Lines[title.at].Reason = LineNarrative, Generated+title.reason
			}
		}
	}
}
