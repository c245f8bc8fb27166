package reader

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// blockKind is one of the five forms in which a document says something.
type blockKind int

const (
	headingBlock blockKind = iota
	textBlock              // one line of a paragraph
	itemBlock              // one list item, without its nested items
	gridBlock              // a table of Markdown
	codeBlock
)

// block is one heading, line, list item, table or code block.
type block struct {
	kind blockKind
	line int
	// level is that of a heading, or the depth of a list item, from 1.
	level int
	// first is set for the first line of a paragraph, alone for its only one.
	first, alone bool
	// goesOn is set for a line of a paragraph below one on an index: "SK `endedAt`" there is no key of the table.
	goesOn bool
	text   inline
	// prose are the sentences that begin in a line of a paragraph that somebody wrapped at a width, nil elsewhere.
	prose *inline
	// parts are the lines of a list item that has several.
	parts  []inline
	header []inline
	rows   [][]inline
	// inFence is set for a table that is drawn in a fence.
	inFence bool
	lang    string
	code    []string
	// ofKind is set for the part of a fence that writes out one of several kinds of items.
	ofKind bool
	// defines says whether it defines a table, nil where nobody asked.
	defines *bool
	frame   *frame
}

// inline is text without its marks; spans say which parts were marked.
type inline struct {
	line  int
	text  string
	spans []span
}

// span is a part in backticks, or in bold type.
type span struct {
	from, to int
	code     bool
}

func (i inline) part(s span) string { return i.text[s.from:s.to] }

// code returns the parts in backticks.
func (i inline) code() []string {
	var parts []string
	for _, s := range i.spans {
		if s.code {
			parts = append(parts, i.part(s))
		}
	}
	return parts
}

// marked returns the first part in backticks or bold type, "" for none.
func (i inline) marked() string {
	for _, s := range i.spans {
		if part := strings.Trim(i.part(s), " :"); part != "" {
			return part
		}
	}
	return ""
}

// bold reports whether all of the text is in bold type.
func (i inline) bold() bool {
	return slices.ContainsFunc(i.spans, func(s span) bool { return !s.code && s.from == 0 && s.to >= len(strings.TrimRight(i.text, " ")) })
}

// slice returns the part of the text from one offset to another.
func (i inline) slice(from, to int) inline {
	part := inline{line: i.line, text: i.text[from:to]}
	for _, s := range i.spans {
		if s.from >= from && s.to <= to {
			part.spans = append(part.spans, span{s.from - from, s.to - from, s.code})
		}
	}
	return part
}

// bullets matches the sign of a list that is none of Markdown's.
var bullets = regexp.MustCompile(`(?m)^( *)[•◦‣] `)

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table))

// drawnLine matches a line that is drawn, and indentedKey the line of a key that stands indented below a label.
var (
	drawnLine   = regexp.MustCompile(`^ *[━═─*_]{8,} *$`)
	indentedKey = regexp.MustCompile(`^ {2,}(?:PK|SK|(?i:partition key|sort key)) *: `)
	indented    = regexp.MustCompile(`^ {2,}[A-Za-z]`)
	plainLabel  = regexp.MustCompile(`^[A-Z][\w -]*:`)
	commented   = regexp.MustCompile(`^# [A-Z][\w -]*: \S`) // a label in a comment of a program
)

// unmarked gives a text without Markdown its marks: a title between two lines that are drawn is a heading, and the lines that stand indented below a label
// are the items of a list, where one of them is a key. In a fence nothing is.
func unmarked(content []byte) []byte {
	lines, fence := strings.Split(string(content), "\n"), false
	for n := 0; n < len(lines); n++ {
		if strings.HasPrefix(strings.TrimSpace(lines[n]), "```") {
			fence = !fence
		}
		if !fence && n+2 < len(lines) && drawnLine.MatchString(lines[n]) && drawnLine.MatchString(lines[n+2]) && strings.Trim(lines[n+1], "━═─*_ ") != "" && !strings.Contains(lines[n+1], "|") {
			lines[n], lines[n+1], lines[n+2] = "", "## "+strings.TrimSpace(lines[n+1]), ""
		}
		if !fence && n > 0 && commented.MatchString(lines[n]) && (strings.HasPrefix(lines[n-1], "# ") || strings.HasPrefix(lines[n-1], "- ")) {
			lines[n] = "- " + lines[n][2:]
		}
		end := n + 1
		for end < len(lines) && indented.MatchString(lines[end]) {
			end++
		}
		if fence || !plainLabel.MatchString(lines[n]) || !slices.ContainsFunc(lines[n+1:end], indentedKey.MatchString) {
			continue
		}
		for i := n + 1; i < end; i++ {
			lines[i] = "- " + strings.TrimSpace(lines[i])
		}
		n = end - 1
	}
	return []byte(strings.Join(lines, "\n"))
}

// parse takes a document apart.
func parse(content []byte) []*block {
	content = keyBehindRole.ReplaceAll(content, []byte("$1$2: $3"))
	content = nameByDefault.ReplaceAll(tableByDefault.ReplaceAll(content, []byte("${1}Table: `$2`")), []byte("`$1`"))
	content = keysOverRemark.ReplaceAll(content, []byte("$3  $1  $2\n"))
	content = unboxed(unfenced(closed(listedByTicks(bullets.ReplaceAll(unmarked(content), []byte("$1- "))))))
	w := &walker{source: content}
	for at, c := range content {
		if c == '\n' {
			w.starts = append(w.starts, at+1)
		}
	}
	w.blocks(markdown.Parser().Parse(text.NewReader(content)), 0)
	var all []*block
	for _, b := range w.found {
		if parts := b.drawn(); parts != nil {
			all = append(all, parts...)
		} else {
			all = append(all, b)
		}
	}
	return all
}

// defaultOfTable matches a variable of the environment that names a table, and the name where nobody sets it.
const defaultOfTable = "`([A-Z][A-Z0-9_]*TABLE(?:_NAME)?)`(?: env(?:ironment)?(?: var(?:iable)?)?)? \\((?i:default(?:s to)?|by default):? `?([\\w.-]+)`?\\)"

// nameByDefault matches it anywhere, tableByDefault a line that is nothing else.
var (
	nameByDefault  = regexp.MustCompile(defaultOfTable)
	tableByDefault = regexp.MustCompile("(?m)^(#+ +)?" + defaultOfTable + "$")
)

// keyBehindRole matches the form of a key behind its role and its name: `Primary key: PK (partition key) = "ORDER#{id}"`.
var keyBehindRole = regexp.MustCompile("(?m)^([ \\t]*(?:[-*] )?)(?:(?i:primary|partition|hash|sort|range) (?i:key)): ([PS]K)(?: \\((?i:partition|hash|sort|range) (?i:key)\\))? = ([\"`][^\"`]+[\"`])$")

// keysOverRemark matches the forms of both keys with a bar between, over a line that is drawn to what has them: "PK: CART#<id> | SK: META" over "└─ Cart: at, size".
var keysOverRemark = regexp.MustCompile(`(?m)^(PK: [^\s|]+) *\| *(SK: [^\s|]+) *\n *[└├]─+ *(\pL[^:\n]{1,40}): .+$`)

// listedByTicks makes lines that follow one another, each with a tick before it, the items of a list.
func listedByTicks(content []byte) []byte {
	lines, fence := strings.Split(string(content), "\n"), false
	marked := make([]bool, len(lines)+1)
	for n, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fence = !fence
		}
		marked[n] = !fence && tick.MatchString(line)
	}
	for n, line := range lines {
		if marked[n] && (marked[n+1] || n > 0 && marked[n-1]) {
			lines[n] = "- " + line
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// tick matches a tick before the words of a line.
var tick = regexp.MustCompile(`^(?:✅|✔|☑|✓)\x{fe0f}? +\S`)

// closed ends a fence that nobody ended where a rule and a heading follow, in place of the rule: without it all that follows
// would be code, and all code text.
func closed(content []byte) []byte {
	lines := strings.Split(string(content), "\n")
	marks, open, from := 0, false, -1
	for n, line := range lines {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "```"):
			marks, open = marks+1, !open
		case open && from < 0 && line == "---" && n+2 < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[n+1])+lines[n+2], "## "):
			from = n
		}
	}
	if marks%2 == 0 || from < 0 {
		return content
	}
	lines[from] = "```"
	return []byte(strings.Join(lines, "\n"))
}

// unfenced takes away the marks of each fence that holds lists of Markdown with the keys of a table, and no code.
func unfenced(content []byte) []byte {
	lines, from := strings.Split(string(content), "\n"), -1
	for n, line := range lines {
		if !strings.HasPrefix(strings.TrimSpace(line), "```") {
			continue
		}
		if from < 0 {
			from = n
			continue
		}
		if ofLists(lines[from : n+1]) {
			lines[from], lines[n] = "", ""
		}
		from = -1
	}
	return []byte(strings.Join(lines, "\n"))
}

// unboxed takes a fence of boxes for what they are: each box a title over a list. Its lines hold keys, and no box has columns.
func unboxed(content []byte) []byte {
	lines, from, tables := strings.Split(string(content), "\n"), -1, false
	for n, line := range lines {
		switch {
		case from < 0 && strings.HasPrefix(line, "#"):
			tables = tableWord.MatchString(line)
		case !strings.HasPrefix(strings.TrimSpace(line), "```"):
		case from < 0:
			from = n
		default:
			if boxes := boxed(lines[from+1:n], tables); textFence.MatchString(lines[from]) && boxes != nil {
				lines[from], lines[n] = "", ""
				copy(lines[from+1:], boxes)
			}
			from = -1
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// boxed are the lines of boxes as titles and lists, nil where they are none, or have no keys. Names in titles are those of tables where the text says so.
func boxed(lines []string, tables bool) (all []string) {
	const outside, atTitle, within = 0, 1, 2
	at, keys, depth := outside, false, -1
	for _, line := range lines {
		line = strings.TrimSpace(line)
		inner := strings.TrimSpace(strings.Trim(line, "│║|┃"))
		told := ""
		switch {
		case line == "":
		case boxTop.MatchString(line) && at == outside:
			at, depth = atTitle, -1
		case boxEnd.MatchString(line) && at == within:
			at = outside
		case boxRule.MatchString(line) && at == within:
		case at == outside || !barred.MatchString(line) || strings.ContainsAny(inner, "│║┃┌└├▼►"):
			return nil
		case inner == "":
		case at == atTitle && tables && boxName.MatchString(inner):
			told, at = "###### Table: `"+strings.TrimPrefix(inner, "Table: ")+"`", within
		case at == atTitle:
			told, at = "###### "+inner, within
		default:
			keys = keys || keyInBox.MatchString(inner)
			own := strings.Trim(line, "│║|┃")
			deep := len(own) - len(strings.TrimLeft(own, " "))
			if depth < 0 {
				depth = deep
			}
			told = strings.Repeat(" ", max(deep-depth, 0)) + "- " + strings.ReplaceAll(boxGap.ReplaceAllString(inner, "$1, "), ":, ", ": ")
		}
		all = append(all, told)
	}
	if !keys || at != outside {
		return nil
	}
	return all
}

var (
	boxTop  = regexp.MustCompile(`^[┌╔+][─═-]+[┐╗+]$`)
	boxEnd  = regexp.MustCompile(`^[└╚+][─═-]+[┘╝+]$`)
	boxRule = regexp.MustCompile(`^[├╠+][─═-]+[┤╣+]$`)
	boxGap  = regexp.MustCompile(`(\S)\s{2,}`)
	// boxName matches the name of a table as the title of a box, and keyInBox a line of a box that has a key.
	boxName  = regexp.MustCompile(`^(?:Table: )?[A-Za-z][\w.-]*$`)
	keyInBox = regexp.MustCompile(`(?i)\b(?:PK|partition key|hash key)\b`)
)

// ofLists reports whether a fence holds lists of Markdown below labels, and one of the partition key.
func ofLists(fence []string) (is bool) {
	if !textFence.MatchString(fence[0]) {
		return false
	}
	labels, keys := 0, false
	for _, line := range fence[1 : len(fence)-1] {
		switch {
		case strings.TrimSpace(line) == "":
		case listLabel.MatchString(line):
			labels++
		case !listItem.MatchString(line):
			return false
		}
		keys = keys || listItem.MatchString(line) && keyWord.MatchString(line)
	}
	return labels > 0 && keys
}

var (
	// textFence matches the mark of a fence that is no program, listLabel a line over a list, and listItem one of the list.
	textFence = regexp.MustCompile("^\\s*```(?:text|txt|plain|plaintext|md|markdown)?\\s*$")
	listLabel = regexp.MustCompile(`^[A-Z][^{}=#<>|]*:\s*$`)
	listItem  = regexp.MustCompile(`^\s*[-*] \S`)
)

type walker struct {
	source []byte
	starts []int // offsets of the second and later lines
	found  []*block
}

func (w *walker) lineAt(offset int) int {
	return 1 + sort.SearchInts(w.starts, offset+1)
}

func (w *walker) blocks(parent ast.Node, depth int) {
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		known := len(w.found)
		w.block(node, depth)
		for _, b := range w.found[known:] {
			if b.kind == textBlock || b.kind == gridBlock || b.kind == codeBlock {
				b.level = max(b.level, depth)
			}
		}
	}
}

// block takes a node apart that stands in a list item of that depth, or in none.
func (w *walker) block(node ast.Node, depth int) {
	switch node := node.(type) {
	case *ast.Heading:
		if lines := w.inlines(node); len(lines) > 0 {
			w.found = append(w.found, &block{kind: headingBlock, line: lines[0].line, level: node.Level, text: joined(lines)})
		}
	case *ast.Paragraph, *ast.TextBlock:
		_, item := node.Parent().(*ast.ListItem)
		if lines := w.inlines(node); item && node.PreviousSibling() == nil && len(lines) > 0 {
			if last := &lines[len(lines)-1]; strings.HasSuffix(last.text, ",") { // of a list that is one sentence
				*last = last.slice(0, len(last.text)-1)
			}
			if len(lines) > 2 && depth == 1 && lines[0].bold() && slices.ContainsFunc(lines[1:], givesHash) { // "1. **Orders**" over lines with its keys
				w.found = append(w.found, &block{kind: headingBlock, line: lines[0].line, level: 6, text: lines[0]})
				for _, line := range lines[1:] {
					w.found = append(w.found, &block{kind: itemBlock, line: line.line, level: depth, text: line, parts: []inline{line}})
				}
				return
			}
			if len(lines) > 1 && lines[0].bold() && titleOfLines(lines[0].text) && len(lines[1].code())+strings.Count(lines[1].text, "=") > 0 {
				lines[0].text += ":" // a title in bold type over what it is for
			}
			w.found = append(w.found, &block{kind: itemBlock, line: lines[0].line, level: depth, text: joined(lines), parts: lines})
		} else {
			w.paragraph(lines, depth)
		}
	case *ast.ListItem:
		known := len(w.found)
		list := node.Parent().(*ast.List)
		if last := node.LastChild(); depth == 0 && last != nil && last.Kind() == ast.KindList && w.listsTables(list) { // "1. **Orders table**:" over a list
			w.blocks(node, depth)
			if len(w.found) > known {
				title := w.found[known]
				if called, rest, told := titleOfItem(title.text); told {
					w.found = slices.Insert(w.found, known+1, &block{kind: textBlock, line: rest.line, text: rest, first: true})
					title.text = called
				}
				title.kind, title.level = headingBlock, 6
			}
			return
		}
		w.blocks(node, depth+1)
		if list.IsOrdered() && list.ChildCount() == 1 && depth == 0 && len(w.found) == known+1 {
			w.titles(w.found[known], list.NextSibling())
		}
	case *ast.FencedCodeBlock:
		w.codeLines(node, string(node.Language(w.source)))
	case *ast.CodeBlock:
		w.codeLines(node, "")
	case *extast.Table:
		w.grid(node)
	case *ast.HTMLBlock:
		source := string(node.Lines().Value(w.source))
		if grid := htmlGrid(source, w.lineAt(node.Lines().At(0).Start)); grid != nil {
			w.found = append(w.found, grid)
			return
		}
		for i := range node.Lines().Len() {
			segment := node.Lines().At(i)
			line := inline{line: w.lineAt(segment.Start), text: strings.TrimSpace(string(segment.Value(w.source)))}
			if line.text != "" && !strings.HasPrefix(line.text, "<!--") {
				w.found = append(w.found, &block{kind: textBlock, line: line.line, text: line, first: true})
			}
		}
	default:
		w.blocks(node, depth)
	}
}

// titles makes a heading of the one item of a numbered list over a list that is not nested: "1) Orders". A label may stand between: "Attributes:".
func (w *walker) titles(item *block, next ast.Node) {
	label := item.parts[1:]
	if len(label) == 0 && next != nil && next.Kind() == ast.KindParagraph {
		if lines := w.inlines(next); len(lines) == 1 && listLabel.MatchString(lines[0].text) {
			next = next.NextSibling()
		}
	}
	if next == nil || next.Kind() != ast.KindList || len(label) > 1 || len(label) == 1 && !listLabel.MatchString(label[0].text) {
		return
	}
	item.kind, item.level, item.text = headingBlock, 6, item.parts[0]
	if len(label) == 1 {
		w.found = append(w.found, &block{kind: textBlock, line: label[0].line, text: label[0], first: true, alone: true})
	}
}

// givesHash reports whether a line is the label of a partition key with its name.
func givesHash(line inline) bool {
	label, _, equals, is := split(line)
	return is && !equals && (roles[wordOf(label)] == Hash || wordOf(label) == wPrimary)
}

// titleOfItem parts the marked beginning of an item from what it is for: "**Orders table**: what was bought".
func titleOfItem(text inline) (title, rest inline, told bool) {
	label, value, _, is := split(text)
	if is && value.text != "" && label == text.marked() && strings.HasPrefix(text.text, label) {
		return text.slice(0, len(label)), value, true
	}
	return text, rest, false
}

// listsTables reports whether each item of a list is a marked title over what is said of it, and one at least calls a table. A title in front of what it is
// for has a partition key below it.
func (w *walker) listsTables(list *ast.List) (is bool) {
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		if item.FirstChild() == item.LastChild() { // or without any words
			return false
		}
		lines := w.inlines(item.FirstChild())
		if len(lines) != 1 {
			return false
		}
		title, _, told := titleOfItem(lines[0])
		if marked := title.marked(); marked == "" || marked != strings.TrimSuffix(strings.TrimRight(title.text, ": "), " table") || told && !w.givesHash(item.LastChild()) {
			return false
		}
		name, _ := tableTitle(title)
		is = is || name != ""
	}
	return is
}

// givesHash reports whether an item of a list gives a partition key.
func (w *walker) givesHash(list ast.Node) bool {
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		if first := item.FirstChild(); first != nil && slices.ContainsFunc(w.inlines(first), givesHash) {
			return true
		}
	}
	return false
}

// paragraph reads the lines of a paragraph. Text that was copied from a rendered page
// has its grids with tabs, and its code without a fence: two lines or more with equally
// many tabs are a grid, and lines from "{" to "}" are JSON.
func (w *walker) paragraph(lines []inline, depth int) {
	prose := w.prose(lines)
	if len(lines) > 1 && depth == 0 && lines[0].bold() && !lines[1].bold() && titleOfLines(lines[0].text) { // a title of its own
		w.paragraph(lines[:1], depth)
		lines = lines[1:]
	}
	alike := 0 // up to this line no drawn table begins
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		end := i + 1
		for tabs := strings.Count(line.text, "\t"); tabs > 0 && end < len(lines) && strings.Count(lines[end].text, "\t") == tabs; end++ {
		}
		if end > i+1 {
			b := &block{kind: gridBlock, line: line.line}
			for _, row := range lines[i:end] {
				b.row(row.split("\t"))
			}
			w.found = append(w.found, b)
			i = end - 1
			continue
		}
		if i >= alike {
			grid, used := drawnGrid(lines[i:])
			if grid != nil {
				w.found = append(w.found, grid)
				i += used - 1
				continue
			}
			alike = i + used
		}
		if last := slices.IndexFunc(lines[i:], func(l inline) bool { return l.text == "}" }); line.text == "{" && last > 1 {
			b := &block{kind: codeBlock, line: line.line, lang: "json"}
			b.code = strings.Split(string(w.source), "\n")[line.line-1 : lines[i+last].line]
			w.found = append(w.found, b)
			i += last
			continue
		}
		b := &block{kind: textBlock, line: line.line, text: line, first: i == 0, alone: len(lines) == 1 && depth == 0}
		if prose != nil {
			b.prose = &prose[i]
		}
		w.found = append(w.found, b)
	}
}

// prose are the sentences that begin in each line of a paragraph that somebody wrapped, where no line has room for the first word of the next. It is nil
// for other paragraphs.
func (w *walker) prose(lines []inline) []inline {
	width := 0
	for _, line := range lines {
		width = max(width, utf8.RuneCountInString(w.row(line.line)))
	}
	told, end := make([]inline, len(lines)), len(lines)
	var rest inline // of the sentence that begins further up, in the line where it ends
	for i := len(lines) - 1; i >= 0; i-- {
		if i+1 < len(lines) {
			word, _, _ := strings.Cut(w.row(lines[i+1].line), " ")
			if utf8.RuneCountInString(w.row(lines[i].line)+" "+word) <= width {
				return nil
			}
		}
		from := 0
		if i > 0 && !strings.HasSuffix(lines[i-1].text, ".") {
			from = strings.Index(lines[i].text, ". ") + 2
		}
		if from == 1 { // no sentence begins in the line
			continue
		}
		told[i] = joined(append(append([]inline{lines[i].slice(from, len(lines[i].text))}, lines[i+1:end]...), rest))
		told[i].text = strings.TrimSpace(told[i].text)
		if end, rest = i, (inline{}); from > 0 {
			rest = lines[i].slice(0, from-1)
		}
	}
	return told
}

// row is a line as it stands, without the blanks around it.
func (w *walker) row(line int) string {
	from, to := 0, len(w.source)
	if line > 1 {
		from = w.starts[line-2]
	}
	if line <= len(w.starts) {
		to = w.starts[line-1]
	}
	return strings.TrimSpace(string(w.source[from:to]))
}

// inProse is a block with the sentences that begin in it in place of its line, where somebody wrapped these.
func inProse(b *block) *block {
	if b.prose == nil {
		return b
	}
	whole := *b
	whole.text = *b.prose
	return &whole
}

// titleOfLines reports whether a line in bold type is a title: words without a sign that ends a label or a sentence, but for a question.
func titleOfLines(title string) bool {
	return title != "" && !strings.ContainsAny(title[len(title)-1:], ":.,;!)")
}

// row adds a row to a table, the first as its header: each row has as many cells.
func (b *block) row(cells []inline) {
	if b.header == nil {
		b.header = cells
		return
	}
	b.rows = append(b.rows, append(cells, make([]inline, max(0, len(b.header)-len(cells)))...)[:len(b.header)])
}

func (w *walker) codeLines(node ast.Node, language string) {
	lines := node.Lines()
	if lines.Len() == 0 {
		return
	}
	b := &block{kind: codeBlock, line: w.lineAt(lines.At(0).Start), lang: strings.ToLower(language)}
	for i := range lines.Len() {
		segment := lines.At(i)
		b.code = append(b.code, strings.TrimRight(string(segment.Value(w.source)), "\r\n"))
	}
	w.found = append(w.found, b)
}

func (w *walker) grid(table *extast.Table) {
	b := &block{kind: gridBlock}
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []inline
		line := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			content := joined(w.inlines(cell))
			if content.line > 0 {
				line = content.line
			}
			cells = append(cells, content)
		}
		for i := range cells {
			cells[i].line = line
		}
		if _, is := row.(*extast.TableHeader); is {
			b.line = line
		}
		if b.header == nil || line > 0 {
			b.row(cells)
		}
	}
	for at := len(b.header) - 1; at >= 0; at-- {
		b.pairs(at)
	}
	for _, row := range b.rows {
		if name := attributeOf(row[0]); name != "" && !isWord(name) && !madeOf(row, name) {
			role, _, _ := strings.Cut(row[0].text, " ")
			row[0] = inline{row[0].line, name + " (" + strings.Trim(role, "`") + ")", []span{{0, len(name), true}}} // "PK (`orderId`)"
		}
	}
	w.found = append(w.found, b)
}

// isWord reports whether a name is a word of the field or a type.
func isWord(name string) bool { return wordOf(name) != "" || TypeOf(name) != "" }

// madeOf reports whether a cell of a row gives a form with a parameter of that name.
func madeOf(row []inline, name string) bool {
	return slices.ContainsFunc(placeholder.FindAllString(rowText(row), -1), func(part string) bool { return Plain(strings.Trim(part, "${}<>[]")) == Plain(name) })
}

// pairs makes two columns of one of both keys, "GSI1PK / GSI1SK", where each of its cells is a pair or nothing.
func (b *block) pairs(at int) {
	match := bothKeys.FindStringSubmatchIndex(b.header[at].text)
	if match == nil {
		return
	}
	head, sign := []inline{b.header[at].slice(match[2], match[3]), b.header[at].slice(match[6], match[7])}, b.header[at].text[match[4]:match[5]]
	role := func(n int) string { return cmp.Or(roleOfName(head[n].text), roles[wordOf(head[n].text)]) }
	if role(0) != Hash || role(1) != Range || numberOf(head[0].text) != numberOf(head[1].text) {
		return
	}
	rows := make([][]inline, 0, len(b.rows))
	for _, row := range b.rows {
		cell := row[at].split(" " + sign + " ")
		if len(cell) == 1 && numberOf(head[0].text) == "" { // of a table without a sort key
			cell = append(cell, inline{line: row[at].line})
		}
		if len(cell) != 2 {
			if !isNone(row[at].text) {
				return
			}
			cell = []inline{{line: row[at].line}, {line: row[at].line}}
		}
		if first, name := cell[0].code(), cell[1].text; len(first) == 1 && len(cell[1].spans) == 0 && numberOf(head[0].text) != "" && identifier.MatchString(name) && !capitals.MatchString(name) {
			cell[1].text = "{" + name + "}" // "`TYPE#CART` / created_at": an attribute beside a form in code
		}
		rows = append(rows, slices.Replace(slices.Clone(row), at, at+1, cell...))
	}
	b.header, b.rows = slices.Replace(b.header, at, at+1, head...), rows
}

// bothKeys matches the head of a column of both keys, and the sign that stands between the two in its cells: "PK / SK", "Keys (PK → SK)".
var bothKeys = lazyregexp.New(`^(?:(?i:(?:primary )?keys?|key schema) \()?([^()/→>+&|]+?) ?(/|→|->|\+|&|\|) ?([^()/→>+&|]+?)\)?$`)

// inlines returns the text of a node, line by line.
func (w *walker) inlines(node ast.Node) []inline {
	var lines []inline
	current := inline{}
	flush := func() {
		if strings.TrimSpace(current.text) != "" {
			lines = append(lines, trimmed(current))
		}
		current = inline{}
	}
	add := func(piece []byte, at int) {
		if current.line == 0 {
			current.line = w.lineAt(at)
		}
		current.text += string(piece)
	}
	var walk func(ast.Node, bool)
	mark := func(child ast.Node, code bool) {
		from, flushed := len(current.text), len(lines)
		walk(child, code)
		if len(lines) > flushed {
			from = 0
		}
		if from < len(current.text) {
			current.spans = append(current.spans, span{from, len(current.text), code})
		}
	}
	walk = func(parent ast.Node, raw bool) {
		for child := parent.FirstChild(); child != nil; child = child.NextSibling() {
			switch child := child.(type) {
			case *ast.Text:
				add(unescaped(child.Segment.Value(w.source), raw), child.Segment.Start)
				if child.SoftLineBreak() || child.HardLineBreak() {
					if raw {
						current.text += " "
					} else {
						flush()
					}
				}
			case *ast.String:
				current.text += string(child.Value)
			case *ast.CodeSpan:
				mark(child, true)
			case *ast.Emphasis:
				if child.Level == 2 {
					mark(child, false)
				} else {
					walk(child, raw)
				}
			case *ast.RawHTML:
				for i := range child.Segments.Len() {
					segment := child.Segments.At(i)
					add(segment.Value(w.source), segment.Start)
				}
			case *ast.AutoLink:
				current.text += string(child.Label(w.source))
			default:
				walk(child, raw)
			}
		}
	}
	walk(node, false)
	flush()
	if _, italics := node.FirstChild().(*ast.Emphasis); italics && node.ChildCount() == 1 && len(lines) == 1 && strings.HasSuffix(lines[0].text, "?") {
		lines[0].spans = []span{{0, len(lines[0].text), false}} // a question in italics is a title as one in bold type
	}
	return lines
}

// unescaped removes the backslashes before punctuation. In code only those
// before characters that Markdown would read as marks are taken for escapes:
// writers put them there by mistake, and tables need them before "|".
func unescaped(raw []byte, code bool) []byte {
	raw = []byte(entities.Replace(string(raw)))
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	form := escapedMark
	if code {
		form = escapedInCode
	}
	return []byte(form.ReplaceAllString(string(raw), "$1"))
}

// entities are the signs of placeholders as HTML writes them.
var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">")

var (
	escapedMark   = lazyregexp.New("\\\\([!-/:-@\\[-`{-~])")
	escapedInCode = lazyregexp.New(`\\([<>|*_\[\]{}])`)
)

// split takes a text apart at a sign.
func (i inline) split(sign string) (parts []inline) {
	from := 0
	for _, part := range strings.Split(i.text, sign) {
		parts = append(parts, trimmed(i.slice(from, from+len(part))))
		from += len(part) + len(sign)
	}
	return parts
}

// without is the text without the first part that matches.
func (i inline) without(form *lazyregexp.Regexp) inline {
	at := form.FindStringIndex(i.text)
	if at == nil {
		return i
	}
	return trimmed(joined([]inline{i.slice(0, at[0]), i.slice(at[1], len(i.text))}))
}

// trimmed removes the space around a text.
func trimmed(i inline) inline {
	from := len(i.text) - len(strings.TrimLeft(i.text, " \t"))
	to := len(strings.TrimRight(i.text, " \t"))
	return i.slice(min(from, to), to)
}

// joined makes one text of several lines.
func joined(lines []inline) inline {
	var all inline
	var text strings.Builder
	for n, line := range lines {
		if n == 0 {
			all.line = line.line
		} else {
			text.WriteByte(' ')
		}
		for _, s := range line.spans {
			all.spans = append(all.spans, span{s.from + text.Len(), s.to + text.Len(), s.code})
		}
		text.WriteString(line.text)
	}
	all.text = text.String()
	return all
}
