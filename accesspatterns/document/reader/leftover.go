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

// crossed matches an item of a list that is open, or crossed out.
var crossed = lazyregexp.New(`^(?:\[ \]|~~)`)

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
	r.titleLists()
	slices.SortStableFunc(r.doc.Unread, func(a, b Unread) int { return cmp.Compare(a.Line, b.Line) })
}

// asking matches a title that says "access patterns", and unasked one, or an item, of what is not asked of the tables.
var (
	asking  = lazyregexp.New(`(?i)access[- ]patterns?|patterns? d'accès|zugriffsmuster|patrones de acceso|padrões de acesso|アクセスパターン|(?:접근|액세스) 패턴|访问模式|mẫu truy cập|паттерны доступа`)
	unasked = lazyregexp.New(`(?i)\b(?:out[- ]of[- ]scope|excluded|denied|forbidden|discarded|missing|unanswered|tbd|phase \d|without|against|elsewhere|none|n/a|to be (?:defined|decided)|s3|competitor|keine?)\b`)
)

// asksFor reports whether a text is not of what may be, is not asked, or another store answers.
func asksFor(text inline) bool {
	return !weighs(text.text) && !denied.MatchString(text.text) && !notYet.MatchString(text.text) && !unasked.MatchString(text.text) && !ofOther(text)
}

// titleLists reads the lists right below titles that say "access patterns": of an item of which no form reads the request it is certain
// that the document asks for it, and nothing else. A list with a sentence, a label or what is said of the tables is none of titles.
func (r *reader) titleLists() {
	lists, doubted := map[*frame][]*block{}, map[*frame]bool{}
	for n, b := range r.blocks {
		if n > 0 && r.blocks[n-1].kind == textBlock && weighs(r.blocks[n-1].text.text) {
			doubted[b.frame.parent] = true // by the words above the list
		}
		if at := b.frame.parent; b.kind == itemBlock && at != nil && !doubted[at] && at.level > 1 && at.level <= labelLevel && asking.MatchString(at.title.text) && !unasked.MatchString(at.title.text) && b.frame.meant() && !r.advises(b) {
			lists[at] = append(lists[at], b)
		}
	}
	for _, items := range lists {
		var titles []*Pattern
		for _, b := range items {
			title, value, _, is := split(b.text)
			if at := arrow.FindStringIndex(b.text.text); !is && at != nil {
				title, value, is = b.text.text[:at[0]], b.text.slice(at[1], len(b.text.text)), true
			} else if !is {
				title = b.text.text
			}
			next, ends := first(r.blocks, func(other *block) bool {
				return other.line > b.line && other.frame.up(func(above *frame) bool { return above == b.frame }) == nil
			})
			switch {
			case slices.ContainsFunc(r.doc.Patterns, func(p *Pattern) bool { return b.line <= p.Last && (!ends || p.Line < next.line) }):
			case !strings.Contains(title, " "), !asksFor(b.text), crossed.MatchString(b.text.text),
				is && value.text != "" && len(value.code()) == 0 && !operations.MatchString(value.text): // what is behind the title is a remark
			case ofDesign.MatchString(title), wordOf(title) != "", strings.HasPrefix(ticked(b.text), "`"), strings.HasSuffix(b.text.text, "."), !titled.MatchString(title):
				titles, items = nil, nil
			default:
				p := r.newPattern(b.frame, title, b.line, true)
				p.Text, titles = ticked(b.text), append(titles, p)
			}
			if items == nil {
				break
			}
		}
		for _, p := range titles {
			r.addPattern(p)
		}
	}
	slices.SortStableFunc(r.doc.Patterns, func(a, b *Pattern) int { return cmp.Compare(a.Line, b.Line) })
}
