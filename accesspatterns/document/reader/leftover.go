package reader

import (
	"cmp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// speaks matches a line that says something of keys, indexes, items or requests.
var speaks = lazyregexp.New("(?i)`|\\b(?:pk|sk|gsis?\\d*\\w*|lsis?\\d*|partitions?|sort key|range key|hash key|primary key|index(?:es)?|tables?|dynamodb|ttl|time to live|expir\\w+|stream\\w*|billing|on-demand|pay[- ]per[- ]\\w+|provisioned|projections?|projects|query|queries|scans?|getitem|putitem|updateitem|deleteitem|batch\\w*|transact\\w*|begins_with|attributes?|keys?|filter\\w*|limit\\w*|unique\\w*|sparse|items?|pitr|point-in-time)\\b|(?-i:[a-z]Tables?)\\b|#[A-Za-z{<]|[A-Z]#")

// nameForm matches a line that is a name with placeholders and nothing else: {stage}-orders.
var nameForm = lazyregexp.New(`^[\w.-]*\{\w+\}[\w.-]*[_.-][\w.{}-]*$`)

// ofDesign matches what is said of how the tables are built or used, beside what is asked of them.
var ofDesign = lazyregexp.New(`(?i)\b(?:gsis?\d*|lsis?\d*|ind(?:ex(?:es)?|ices)|partitions?|keys?|tables?|design|schema|dynamodb|consisten\w+|latency|uses?|using|see|queries|patterns?|reads|writes|requests|is|are|has|have)\b`)

// leftover names every line that says something and that no form read, or read in part.
func (r *reader) leftover() {
	for _, b := range r.blocks {
		say := func(line int, text, why string) {
			if line > 0 && !r.done[line] && strings.TrimSpace(text) != "" {
				r.unread(line, strings.TrimSpace(text), why)
			}
		}
		switch b.kind {
		case headingBlock:
			read := slices.ContainsFunc(r.doc.Patterns, func(p *Pattern) bool { return p.Line == b.line })
			if !read && isIndexTitle(ticked(b.text)) || !read && speaks.MatchString(b.text.text) && wordOf(b.text.text) == "" && topicOf(b.text.text) == noTopic {
				say(b.line, b.text.text, "no form reads this heading")
			}
		case textBlock:
			if label := b.titles() && (wordOf(b.text.text) != "" || topicOf(b.text.text) != noTopic); speaks.MatchString(ticked(b.text)) && !label {
				say(b.line, b.text.text, "a sentence: no form reads it")
			}
		case itemBlock:
			about := b.frame.about()
			for _, part := range b.parts {
				if speaks.MatchString(ticked(part)) || about != noTopic && about != topicExamples && about != topicOther {
					known := len(r.doc.Unread)
					say(part.line, part.text, "no form reads this line of a list")
					if len(r.doc.Unread) > known {
						r.doc.Unread[known].Asked = about == topicPatterns
						r.askedAlone(b, part)
					}
				}
			}
		case gridBlock:
			told := slices.ContainsFunc(columnsOf(b), func(w word) bool { return w != "" && w != wSilent })
			for _, row := range b.rows {
				if !told && !speaks.MatchString(rowText(row)) && len(joined(row).code()) == 0 {
					continue // of something else
				}
				say(rowLine(row), rowText(row), "no form reads a row of this table: its header cells are "+rowText(b.header))
			}
		case codeBlock:
			told := b.frame.about() == topicPatterns || definesTable(b)
			for _, line := range b.filled() {
				if _, _, _, is := split(line); !told && !is && !speaks.MatchString(line.text) && !strings.Contains(line.text, "\":") && !nameForm.MatchString(line.text) {
					continue // of something else
				}
				say(line.line, line.text, "no form reads this line of a fence")
			}
		}
	}
	slices.SortStableFunc(r.doc.Unread, func(a, b Unread) int { return cmp.Compare(a.Line, b.Line) })
}

// askedAlone reads an item of a list under a title that says "access patterns" as the title of one, where no form reads its request:
// that the document asks for it is certain, and nothing else of it is.
func (r *reader) askedAlone(b *block, line inline) {
	f, at := b.frame, b.frame.parent
	title, _, _, is := split(line)
	if !is {
		title = arrow.Split(line.text, 2)[0]
	}
	unsaid := ofDesign.MatchString(title) || strings.HasPrefix(ticked(line), "`") || wordOf(title) != "" || !strings.Contains(title, " ") || !titled.MatchString(title) || strings.HasSuffix(line.text, ".") || weighs(line.text)
	if unsaid || line.line != b.line || at == nil || at.level > labelLevel || at.level == 1 || at.topic != topicPatterns || !f.meant() || r.advises(b) {
		return
	}
	next, ends := first(r.blocks, func(other *block) bool {
		return other.line > b.line && other.frame.up(func(above *frame) bool { return above == f }) == nil
	})
	read := slices.ContainsFunc(r.doc.Patterns, func(p *Pattern) bool {
		return b.line <= p.Last && (!ends || p.Line < next.line)
	})
	if !read {
		r.addPattern(r.newPattern(f, title, b.line, true)).Text = ticked(line)
		slices.SortStableFunc(r.doc.Patterns, func(a, b *Pattern) int { return cmp.Compare(a.Line, b.Line) })
	}
}
