package reader

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// What tables are called: headings, labels, lists of tables, the sections that give their keys, and tables that are the same as another.

// tables finds what the tables are called: in headings, labels, lists of tables and definitions.
func (r *reader) tables() {
	called := map[string]*Table{} // those of titles, "Orders table: `prod-orders`", by the words before "table"
	for _, b := range r.blocks {
		if f := b.frame; b.titles() {
			name, weak := tableTitle(b.text)
			words := tableWords.FindStringSubmatch(cleanTitle(b.text.text))
			if words != nil && (name == "" || weak) && f.table == nil {
				f.table = called[Plain(words[1])] // "Orders table items"
			}
			if f.parent != nil && name == "" && f.level < labelLevel && (tablesTitle.MatchString(cleanTitle(f.parent.title.text)) || b.text.marked() == sectionName(b.text) && len(b.text.code()) == 1 && tablesOf.MatchString(f.parent.title.text) && f.meant() && !styleOfTables.MatchString(b.text.text)) && namesTable(sectionName(b.text)) && wordOf(b.text.text) == "" && !numberedIndex.MatchString(cleanTitle(b.text.text)) {
				name, weak = sectionName(b.text), len(b.text.code()) == 0
			}
			if name != "" && f.table == nil {
				f.table = r.addTable(r.joinedName(name), f.at(b.line))
				title := ticked(b.text)
				if told := r.indexSaid("`" + name + "`" + bracket.FindString(title[max(strings.Index(title, " ("), 0):])); told.roled && !weak { // "Table: orders (PK: `id`)"
					r.keyTable(f.table, f.at(b.line), told.keys...)
				}
				if weak && f.table.Line == b.line {
					f.table.weak = true
				}
				f.table.ofSection = f.table.ofSection || apartTable.MatchString(b.text.text)
				r.done[b.line] = true
			}
			if words != nil && f.table != nil && name != "" && !weak {
				called[Plain(words[1])] = f.table
			}
		}
		if b.kind == gridBlock && (r.kindOf(b) == tablesGrid || columnsOf(b)[0] == wTable && tablesTitle.MatchString(b.frame.sectionTitle())) {
			r.tableGrid(b)
		}
	}
	for _, b := range r.blocks { // "Main table" is one by that name beside the section of another
		f := b.frame
		beside := func(o *block) bool {
			return o.kind == headingBlock && o.frame.parent == f.parent && o.frame.level == f.level && o.frame.table != nil
		}
		if b.kind == headingBlock && f.table == nil && f.level > 1 && f.meant() && mainTable.MatchString(cleanTitle(b.text.text)) && f.up(func(f *frame) bool { return f.table != nil }) == nil && slices.ContainsFunc(r.blocks, beside) {
			f.table = r.addTable(cleanTitle(b.text.text), f.at(b.line))
			f.table.weak, r.done[b.line] = true, true
		}
	}
	for _, b := range r.blocks {
		r.tableSentences(inProse(b))
		if f := b.frame; b.kind == headingBlock && f.table == nil && f.level > 1 { // the section of a table that a list names
			title := strings.Trim(cleanTitle(ticked(b.text)), "`")
			if name := sectionName(b.text); name == b.text.marked() && len(b.text.code()) == 1 || namedLike.MatchString(name) {
				title = name // "`orders` — what was bought"
			}
			if f.table, _ = first(r.all, func(t *Table) bool { return t.Name == title }); f.table != nil && title != "" {
				r.done[b.line] = true
			}
		}
	}
	for _, s := range r.labelled {
		at := s.frame.heading()
		ofTable := wordOf(s.label) == wName && at != nil && strings.HasPrefix(defaultName.ReplaceAllString(ticked(s.value), ""), "`") && (at.table != nil && (s.frame.level < itemLevel || s.frame.parent == at && strings.Contains(Plain(s.value.marked()), Plain(at.table.Name))) || ofOneTable.MatchString(cleanTitle(at.title.text)) && (s.frame.parent == nil || s.frame.level < itemLevel || !indexWord.MatchString(s.frame.parent.title.text)))
		if (ofTable && s.frame.keyRole() == "" || wordOf(s.label) == wTable) && !s.equals && r.indexPlace(s.frame) == nil {
			r.nameTable(s)
		}
	}
	calling := slices.DeleteFunc(slices.Clone(r.blocks), func(b *block) bool {
		return b.kind != headingBlock || b.frame.level < 2 || b.frame.table != nil || !b.frame.meant() || !callsTable.MatchString(cleanTitle(b.text.text))
	})
	r.several = len(calling) > 1
	r.requestedSections()
	r.toldTable()
	r.sections()
	r.listedTables()
	r.besideTables()
	for _, named := range nameByDefault.FindAllStringSubmatch(strings.Join(r.doc.Text, "\n"), -1) {
		if table := r.tableOf(named[1]); table != nil && r.tableOf(named[2]) == nil {
			table.deployedAs(named[2])
		}
	}
}

// besideTables are the sections with keys that are called as the section of a table beside them is: "2. shop-carts (what is open)" beside
// "1. shop-orders (main table)".
func (r *reader) besideTables() {
	for _, s := range r.labelled {
		at := s.frame.up(func(f *frame) bool { return f.level < labelLevel })
		if at == nil || at.level < 2 || at.table != nil || roles[wordOf(s.label)] == "" {
			continue
		}
		name := sectionName(at.title)
		if !namedLike.MatchString(name) || !namesTable(name) || !at.meant() || at.asks() || at.about() == topicExamples {
			continue
		}
		beside := func(b *block) bool {
			o := b.frame
			return b.kind == headingBlock && o.table != nil && o.parent == at.parent && o.level == at.level && sectionName(b.text) == o.table.Name && nameParts(o.table.Name)[0] == nameParts(name)[0]
		}
		if slices.ContainsFunc(r.blocks, beside) {
			at.table = r.addTable(name, at.at(at.title.line))
			at.table.named, at.table.ofSection, r.done[at.title.line] = true, true, true
		}
	}
}

var (
	// tablesFollow matches the line or title above a list of the names of tables, countsTables one that says how many they are, and oneTable that it is one.
	tablesFollow = lazyregexp.New(`(?i)^(?:(?:core|main|dynamodb) )?tables\W*$|\bdynamodb tables:$`)
	oneTable     = lazyregexp.New(`(?i)^(?:we )?uses? (?:one|a single)(?: [a-z]+){0,2} table:$`)
	countsTables = lazyregexp.New(`(?i)\b(?:creates?|uses?|has|following)\b(?: the)?(?: following)? (` + countWords + `) (?:[a-z-]+ ){0,2}tables:$`)
	// mainTable matches a title that tells a table from the others, and has no other name for it.
	mainTable   = lazyregexp.New(`(?i)^(?:main|primary|core) table$`)
	calledTable = lazyregexp.New(`(?i)\btable\b`)
	tableNamed  = lazyregexp.New(`(?i)\btable[-_ ]?name\b`)
	counts      = strings.Fields("zero one two three four five six seven eight nine ten")
)

// isCount reports whether a word, or a number, counts so many.
func isCount(word string, n int) bool {
	return word == strconv.Itoa(n) || slices.Index(counts, strings.ToLower(word)) == n
}

// listedTables reads the tables that a list names, each item one by its name and what it is for: as many as the line above it counts,
// or names one of which another line uses as that of a table. Keys of which no place says the table are those of all of them, or of one that no line names.
func (r *reader) listedTables() {
	if r.relational || !slices.ContainsFunc(r.doc.Text, func(line string) bool { return HasWord(line, "DynamoDB") }) {
		return
	}
	for n, b := range r.blocks[:max(len(r.blocks)-1, 0)] {
		if len(r.all) == 0 && oneTable.MatchString(b.text.text) && b.frame.meant() && !weighs(b.text.text) && r.blocks[n+1].kind == itemBlock {
			if names, items := r.namesListed(r.blocks[n+1:], r.blocks[n+1].level); len(names) == 1 {
				r.addTable(names[0], items[0].frame.at(items[0].line)).named = true // "Use one core table:" over "- `orders`"
				r.done[b.line], r.done[items[0].line] = true, true
				return
			}
		}
	}
	ofAll := len(r.all) == 0 && slices.ContainsFunc(r.labelled, statement.ofTable)
	for n := range r.blocks[:max(len(r.blocks)-1, 0)] {
		ofAll = ofAll || keysOfAll(r.blocks[n], r.blocks[n+1])
	}
	for n, b := range r.blocks {
		if n == 0 || ofAll || b.kind != itemBlock || r.blocks[n-1].kind != textBlock && r.blocks[n-1].kind != headingBlock || !b.frame.meant() || b.frame.asks() || b.frame.about() == topicExamples {
			continue
		}
		above := cleanTitle(r.blocks[n-1].text.text)
		count := countsTables.FindStringSubmatch(strings.TrimRight(above, ":") + ":")
		if weighs(above) || ofOther(r.blocks[n-1].text) || r.besideDesign(r.blocks[n-1]) || count == nil && !tablesFollow.MatchString(above) && !tablesFollow.MatchString(above+":") {
			continue
		}
		names, items := r.namesListed(r.blocks[n:], b.level)
		counted := count != nil && isCount(count[1], len(names)) && r.saysDynamo(r.blocks[n-1])
		if len(names) < 2 || count != nil && !counted || !counted && !r.usedAsTable(names, items) {
			continue
		}
		for i, name := range names {
			if same, is := first(r.all, func(t *Table) bool { return !t.named && t.Name != "" && strings.HasSuffix(Plain(name), Plain(t.Name)) }); is {
				same.deployedAs(name)
			}
			r.addTable(name, items[i].frame.at(items[i].line)).named = true
			r.done[items[i].line] = !keyWord.MatchString(items[i].text.text)
		}
		r.kindsOfTables()
		return
	}
}

// ofKinds matches the title of the kinds of items of one of several tables: "Commerce entities".
var ofKinds = lazyregexp.New(`(?i)^(\w+) (?:entities|items|item types|records)$`)

// kindsOfTables gives the parts on kinds of items the one table whose name ends with their first word: "Commerce entities" that of shop-commerce.
func (r *reader) kindsOfTables() {
	for _, b := range r.blocks {
		words := ofKinds.FindStringSubmatch(cleanTitle(b.text.text))
		if b.kind != headingBlock || words == nil || b.frame.table != nil || !b.frame.meant() {
			continue
		}
		b.frame.table = r.shortly(words[1])
	}
}

// shortly is the one table whose name ends with these words, behind others: shop-orders of "Orders", site-work-logs of "Work Logs".
func (r *reader) shortly(name string) *Table {
	last := nameParts(name)
	all := slices.DeleteFunc(slices.Clone(r.all), func(t *Table) bool {
		parts := nameParts(t.Name)
		return len(name) < 3 || len(parts) <= len(last) || !slices.Equal(parts[len(parts)-len(last):], last)
	})
	if len(all) != 1 {
		return nil
	}
	return all[0]
}

// joinedName is the name of a table whose words the document writes with hyphens between elsewhere: order-items of "Order items table".
func (r *reader) joinedName(name string) string {
	joined := strings.ReplaceAll(strings.ToLower(name), " ", "-")
	if joined == name || !strings.Contains(name, " ") || !slices.ContainsFunc(r.doc.Text, func(line string) bool {
		return HasWord(line, joined) && !strings.Contains(line, "/"+joined) && tableWord.MatchString(line) // and no route is called so
	}) {
		return name
	}
	return joined
}

// isGone reports whether what follows a name, or its keys, says that it is there no more.
func isGone(behind string) bool {
	return gone.MatchString("| " + strings.Trim(behind, " ,;:().—–-"))
}

// saysDynamo reports whether a line, its paragraph's neighbour above or a title above speaks of DynamoDB.
func (r *reader) saysDynamo(b *block) bool {
	before := r.blocks[max(slices.Index(r.blocks, b)-1, 0)]
	said := func(f *frame) bool { return HasWord(f.title.text, "DynamoDB") && !weighs(f.title.text) }
	return HasWord(b.text.text, "DynamoDB") || before.kind == textBlock && before.frame == b.frame && HasWord(before.text.text, "DynamoDB") && !weighs(before.text.text) || b.frame.up(said) != nil
}

// besideDesign reports whether a line is of a text that teaches, or of what people do by hand or for tests.
func (r *reader) besideDesign(b *block) bool {
	operated := func(f *frame) bool { return f.level > 1 && phrase("operating").MatchString(f.title.text) }
	return phrase("ofTeaching").MatchString(r.doc.Title) || phrase("operating").MatchString(b.text.text) || b.frame.up(operated) != nil
}

// usedAsTable reports whether a line of the document beside a list calls one of its names a table of DynamoDB: "TableName: orders".
func (r *reader) usedAsTable(names []string, list []*block) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		for n, line := range r.doc.Text {
			if outside := n+1 < list[0].line || n+1 > list[len(list)-1].line; outside && HasWord(line, name) && (tableNamed.MatchString(line) || calledTable.MatchString(line) && HasWord(line, "DynamoDB")) {
				return true
			}
		}
		return false
	})
}

// keysOfAll reports whether a block is the title of the keys that the next gives, of what no place names: "Primary key:" over a list.
func keysOfAll(title, below *block) bool {
	items, _ := keyItems(ticked(below.text), false)
	return title.titles() && wordOf(title.text.text) == wPrimary && len(items) > 0 && title.frame.up(func(f *frame) bool { return f.table != nil }) == nil
}

// namesListed are the names with which the items of a list begin, and the items; none where one of them begins with something else.
func (r *reader) namesListed(from []*block, level int) (names []string, items []*block) {
	for _, b := range from {
		if b.kind != itemBlock || b.level < level {
			return names, items
		} else if b.level > level {
			continue
		}
		name := b.text.marked()
		rest, begins := strings.CutPrefix(b.text.text, name)
		word := wordOf(name) != "" || topicOf(name) != noTopic || numberedIndex.MatchString(name) || variableName.MatchString(name) || styleOfTables.MatchString(name)
		if name == "" || !begins || word || !namesTable(name) || !remarkOfName.MatchString(rest) || weighs(rest) || ofOther(inline{text: rest}) {
			return nil, nil
		}
		names, items = append(names, name), append(items, b)
	}
	return names, items
}

// nameOfItem is the name that the item of a list begins with, where it is marked, or that it is before a colon: "orders:".
func nameOfItem(title inline) string {
	if name := title.marked(); name != "" && strings.HasPrefix(title.text, name) {
		return name
	}
	if name, is := strings.CutSuffix(title.text, ":"); is && namesTable(name) || identifier.MatchString(name) && namesTable(name) {
		return name
	}
	return ""
}

// keyedLine reads the name of a table with its keys in one line of a list, and its indexes behind: "`orders`: PK `id`, GSI `by-day` (PK `day`)".
// given are the lists that have keys of one table.
func (r *reader) keyedLine(b *block, given map[*frame]bool) {
	f := b.frame
	if b.kind != itemBlock || len(r.all) == maxTables || r.relational || given[f.parent] || f.asks() || !f.meant() || f.about() == topicIndexes || f.about() == topicExamples || r.indexPlace(f) != nil {
		return
	}
	title := f.heading().title.text
	marked := len(b.text.spans) > 0 && b.text.spans[0].code && b.text.spans[0].from == 0 && len(b.text.code()) > 1 // names, and no values of one table
	ofTables := tableWord.MatchString(title) || HasWord(title, "DynamoDB") && marked || f.up(func(f *frame) bool {
		return tablesTitle.MatchString(cleanTitle(f.title.text)) || tablesOf.MatchString(f.title.text)
	}) != nil
	if !ofTables {
		return
	}
	told := r.indexSaid(ticked(b.text))
	if !told.roled || !namesItem(f.title.inCode(told.name)) || genericKey.MatchString(told.keys[0].name) {
		return
	}
	f.table = r.addTable(told.name, f.at(b.line))
	f.table.named, f.table.ofSection = true, true
	r.keyTable(f.table, f.at(b.line), told.keys...)
	rest := told.behind
	for rest != "" {
		rest = indexBehind.ReplaceAllString(rest, "")
		index := r.indexSaid(rest)
		if index.name == "" {
			break
		}
		_, rest = r.takeIndex(f.table, f.at(b.line), index)
	}
	r.done[b.line] = len(strings.Trim(rest, " .,;)")) < 3 || !strings.ContainsAny(rest, "`")
}

// indexBehind matches the word for an index behind the keys of a table or another index.
var indexBehind = lazyregexp.New(`(?i)^[\s,;.)–—-]*(?:(?:and|with|one|a) )*(?:GSIs?|LSIs?|(?:(?:global|local) )?(?:secondary )?index(?:es)?)?[: ]*`)

// namesItem reports whether an item of a list begins with a name that can be that of a table, and is none of an index or of a part of a program.
func namesItem(title inline) bool {
	name := nameOfItem(title)
	return namesTable(name) && wordOf(name) == "" && topicOf(title.text) == noTopic && !isIndexTitle(ticked(title)) && !indexNamed.MatchString(name) && !calledBy.MatchString(name) && !indexWord.MatchString(name) && !ofProgramPart.MatchString(name)
}

// ofProgramPart matches the name of a part of a program: OrderService.
var ofProgramPart = lazyregexp.New(`(?i)(?:service|repository|client|handler|lambda|controller|manager|api)$`)

// sectionName is the name that a heading is, without what a dash or a bracket behind it says: "1. **shop-orders** - what was bought".
func sectionName(title inline) string {
	clean := cleanTitle(title.text)
	if name, remark, is := strings.Cut(clean, " ("); is && namedLike.MatchString(name) && strings.HasSuffix(clean, ")") && !weighs(remark) && !ofOther(inline{text: remark}) {
		clean = name // "shop-orders (main)"
	}
	if marked := title.marked(); marked != "" && remarkOfName.MatchString(strings.TrimPrefix(clean, marked)) {
		return marked
	}
	return clean
}

// askedOfTable matches a request that names its table at the beginning of a line, and compares a key: "QUERY shop-orders GSI1: GSI1PK = ...".
var askedOfTable = lazyregexp.New("^\\s*(?:GET|PUT|UPDATE|DELETE|QUERY|SCAN|" + operationWords + ") `?([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+)`?(?: (?:GSI|LSI)\\d+)?: .*(?:=|\\b(?i:begins_with|between)\\b)")

// requestedSections are the tables that a heading names which is the name of one in a request: "1. shop-orders (all of a customer)".
func (r *reader) requestedSections() {
	asked := map[string]bool{}
	for _, line := range r.doc.Text {
		if match := askedOfTable.FindStringSubmatch(line); match != nil {
			asked[match[1]] = true
		}
	}
	for _, b := range r.blocks {
		f := b.frame
		if len(asked) == 0 || b.kind != headingBlock || f.level < 2 || f.table != nil || !f.meant() || f.asks() || f.about() == topicExamples {
			continue
		}
		if name := sectionName(b.text); asked[name] && !isIndexTitle(name) {
			f.table = r.addTable(name, f.at(b.line))
			f.table.named, f.table.ofSection, r.done[b.line] = true, true, true
		}
	}
}

// sections are tables that only the sections which give their partition keys name: those that are called orders-v1, or in
// backticks, and name its attribute, and where several sections do, all of them.
func (r *reader) sections() {
	named := len(r.all) > 0
	titleOf := func(at *frame) string {
		if name := sectionName(at.title); name == at.title.marked() && at.level < itemLevel {
			return name // "`orders-v1` — Orders"
		}
		if at.level >= itemLevel {
			return nameOfItem(at.title)
		}
		if told := inTitle.FindStringSubmatch(cleanTitle(ticked(at.title))); told != nil && told[1] != "" && at.level < itemLevel {
			return told[1]
		}
		if told := usedFor.FindStringSubmatch(cleanTitle(at.title.text)); told != nil && !weighs(at.title.text) {
			return told[1]
		}
		title := entityTitle(at.title.text)
		if !callsTable.MatchString(title) {
			return title
		}
		_, name, _ := strings.Cut(title, ": ") // "テーブル: 顧客"
		if _, behind, _ := strings.Cut(strings.TrimRight(cleanTitle(at.title.text), ")"), " ("); namesTable(behind) && !weighs(behind) && !phrase("optional").MatchString(behind) {
			name = behind // "注文テーブル (`orders`)"
		}
		return cmp.Or(name, title)
	}
	coded := slices.ContainsFunc(r.blocks, definesTable) // by a name that no such title has
	calls := func(at *frame) bool {
		return namesTable(titleOf(at)) || !coded && callsTable.MatchString(entityTitle(at.title.text))
	}
	single, each := r.saysSingle(), slices.ContainsFunc(r.doc.Text, func(line string) bool { return ofEachKind.MatchString(line) && !weighs(line) })
	var all []*frame
	section := func(at *frame) {
		r.done[at.title.line] = r.done[at.title.line] || strings.Trim(at.title.text, ":") == titleOf(at)
		at.table = r.addTable(titleOf(at), at.at(at.title.line))
		at.table.named, at.table.ofSection = true, true
	}
	give := func(f *frame, own, typed bool) {
		at := f.up(func(f *frame) bool { return f.level < labelLevel && f.topic != topicKeys && wordOf(f.title.text) == "" })
		item := f.up(func(f *frame) bool { return f.level >= itemLevel && f.parent.level < itemLevel })
		listed := tableWord.MatchString(f.sectionTitle()) || !single && !indexWord.MatchString(f.sectionTitle()) && f.heading().up(func(f *frame) bool { return HasWord(f.title.text, "DynamoDB") && !weighs(f.title.text) }) != nil
		if item != nil && item != f && own && at != nil && listed && namesItem(item.title) {
			at = item // "1. **Orders** - what was bought" over its primary key
		}
		if label := f.heading(); own && label.level == labelLevel && (at == nil || at.level <= 1 || !calls(at) && at.table == nil) && label.title.bold() && namesItem(label.title) {
			at = label // "**Orders**" over its keys
		}
		gone := f.titledBy(func(title string) bool {
			return weighs(title) || component.MatchString(ofModule.ReplaceAllString(title, ""))
		})
		if at == nil || gone || styleOfTables.MatchString(titleOf(at)) || at.level <= 1 || at.table != nil && at.table.Name != titleOf(at) || !calls(at) {
			return
		}
		marked, joined := inTitle.MatchString(cleanTitle(ticked(at.title))), strings.ContainsAny(titleOf(at), "_-") || endsInTable.MatchString(titleOf(at))
		switch {
		case !named && (marked && (joined || typed) || joined && own), at == item && own && tablesTitle.MatchString(f.sectionTitle()):
			section(at)
			all = append(all, at)
		case own && at.topic == noTopic && at.sure() == Said && !slices.Contains(all, at):
			all = append(all, at)
		}
	}
	for _, b := range r.blocks {
		if b.kind == gridBlock && (r.namesHash(b) || each && r.kindOf(b) == attributesGrid && b.listsSortKey(columnsOf(b))) {
			at, _ := r.keyColumns(b, columnsOf(b), r.kindOf(b))
			own := each || !slices.ContainsFunc(b.rows, func(row []inline) bool {
				name, _ := headOf(row[at])
				return len(name) == 2 && roleOfName(name) != "" && !capitalRole.MatchString(rowText(row)) // a kind of items has no HASH
			})
			give(b.frame, own, own)
		}
		if b.kind == codeBlock && !b.frame.asks() && b.frame.up(func(f *frame) bool {
			return f.level < labelLevel && (tablesOf.MatchString(f.title.text) || endsInTable.MatchString(sectionName(f.title)))
		}) != nil && slices.ContainsFunc(b.members(), func(line inline) bool { return statementOf(b.frame, line).ofOwnHash() }) {
			give(b.frame, true, true)
		}
	}
	sorted := slices.ContainsFunc(r.doc.Text, func(line string) bool { return strings.Contains(line, "(SK)") }) // a key that no other database has
	given := map[*frame]bool{}
	for _, s := range r.labelled {
		given[s.frame.parent] = given[s.frame.parent] || roles[wordOf(s.label)] != ""
	}
	for _, b := range r.blocks {
		if !named && !single {
			r.keyedLine(b, given)
		}
		items, _ := keyItems(ticked(b.text), false)
		if b.kind == itemBlock && len(items) == 1 && items[0].role == Hash && (ofHash.MatchString(b.text.text) || sorted && strings.Contains(b.text.text, "(PK)") || typedHash.MatchString(b.text.text) && HasWord(r.doc.Title, "DynamoDB")) && !genericKey.MatchString(items[0].name) && !b.frame.asks() && !r.relational && r.indexPlace(b.frame) == nil && b.frame.about() != topicIndexes {
			give(b.frame, true, items[0].kind != "") // "`id` (S, partition key)"
		}
	}
	for _, s := range r.labelled {
		both, _ := keyItems(ticked(s.value), false)
		if wordOf(s.label) == wPrimary && (s.frame.level > itemLevel || typedAlone.MatchString(ticked(s.value)) && !r.relational || len(both) == 2) || s.ofTable() {
			item, _, _ := keyItem{role: Hash}.valued(ticked(s.value))
			own := item.name != "" && !genericKey.MatchString(item.name)
			named := s.frame.up(func(f *frame) bool { return f.level > 1 && f.level < labelLevel && namesTable(titleOf(f)) })
			if own && named != nil && named.gives == 0 && r.indexPlace(s.frame) == nil {
				named.gives = s.line
			}
			give(s.frame, own, own && item.kind != "")
		}
	}
	for _, b := range r.blocks {
		for _, one := range inProse(b).sentences() {
			if one.table+one.index == "" && !genericKey.MatchString(one.keys[0].name) && r.indexPlace(b.frame) == nil && b.frame.about() != topicIndexes {
				give(b.frame, true, one.keys[0].kind != "")
			}
		}
	}
	outside := func(f *frame) bool { return f.up(func(f *frame) bool { return f == all[0] }) == nil }
	if len(all) == 1 && !named && all[0].table == nil && inTitle.MatchString(cleanTitle(ticked(all[0].title))) && !slices.ContainsFunc(r.labelled, func(s statement) bool {
		return roles[wordOf(s.label)] == Hash && outside(s.frame)
	}) && !slices.ContainsFunc(r.blocks, func(b *block) bool {
		return outside(b.frame) && (b.kind == gridBlock && r.namesHash(b) || len(inProse(b).sentences()) > 0)
	}) {
		section(all[0]) // the only one, and nothing without a name has keys
	}
	if len(all) < 2 || slices.ContainsFunc(r.all, func(t *Table) bool {
		return !slices.ContainsFunc(all, func(at *frame) bool { return titleOf(at) == t.Name })
	}) {
		return // or a line names another
	}
	for _, at := range all {
		if at.parent == all[0].parent && at.table == nil {
			section(at)
		}
	}
}

var (
	// inTitle matches the name of a table in backticks at the beginning of a title, or behind words: "Orders — `shop-orders`".
	inTitle = lazyregexp.New("^`|^[A-Z][\\w ]+ (?:—|–|-) `([\\w.-]+)`$")
	// usedFor matches a name, and what its table is for: "Orders - buy, track and cancel".
	usedFor = lazyregexp.New(`^([A-Z][a-z]\w+) ` + dashes + ` [a-z][^:(]*$`)
	// ofEachKind matches what says that each kind of item has a table.
	ofEachKind = lazyregexp.New(`(?i)\bone (?:dynamodb )?table (?:per|for (?:each|every)) (?:resource|entity|domain|aggregate|model|object|kind|item) ?(?:type|kind)?\b`)
	// ofHash matches the role of a partition key in a bracket, which the primary key of another kind of database does not have.
	ofHash = lazyregexp.New(`(?i)\([^()]*\b(?:partition|hash)\b[^()]*\)`)
	// typedHash matches the role of a partition key with a type of DynamoDB's keys.
	typedHash = lazyregexp.New(`\((?:PK, (?:[SNB]|(?i:string|number|binary))|(?:[SNB]|(?i:string|number|binary)), PK)\)`)
	// typedAlone matches one name with a type of DynamoDB's keys, and nothing else.
	typedAlone = lazyregexp.New("^`[A-Za-z_][\\w.-]*` \\((?:String|Number|Binary|[SNB])\\)$")
	// tableWord matches the word for a table.
	tableWord = lazyregexp.New(`(?i)\btables?\b`)
	// callsTable matches a title that calls a table in words that are no name of one: "LLM タスクテーブル".
	callsTable = lazyregexp.New(`[^\s\x00-\x7f] ?(?:テーブル|테이블)$|^(?:テーブル|테이블|表): ?[^\x00-\x7f]+$|[^\x00-\x7f覧応較照比列図图代年見]表$`)
	// apartTable matches the title of a table beside the main one: Locks (dedicated table).
	apartTable = lazyregexp.New(`(?i)\((?:dedicated|separate|helper|auxiliary|extra|additional|secondary) table\)$`)
	// endsInTable matches the name of a table that says so: OrdersTable.
	endsInTable = lazyregexp.New(`^[A-Z]\w*[a-z]Table$`)
	// component matches a title of what reads or writes a table, and ofModule one of what makes it.
	ofModule  = lazyregexp.New(`(?i)\bdynamodb[- ]module\b`)
	component = lazyregexp.New("(?i)\\b(?:lambda|function|handler|class|bucket|queue|topic)\\b|\\pL module\\b|(?:" + dashes + "|\\() ?the (?:code|service|api|program)\\b")
)

// remarkOfName matches what can stand behind a name in a title or in a list of names.
var remarkOfName = lazyregexp.New(`^:? *(?:$|[—–:] ?\pL|- \pL)`)

// deployedAs gives a table the name that a line says, in place of that of its heading.
func (t *Table) deployedAs(name string) {
	if t.Name != name {
		t.Also, t.Name = append(t.Also, t.Name), name
	}
	t.named, t.weak = true, false
}

// nameTable reads "Table name: `orders`".
func (r *reader) nameTable(s statement) {
	if remark := defaultName.FindString(s.value.text); remark != "" {
		s.value = s.value.slice(len(remark), len(s.value.text)) // "(default) `orders`"
	}
	name, called := strings.Trim(s.value.text, "\"' .,;"), strings.EqualFold(strings.Trim(s.label, "* "), "table name")
	if marked := s.value.marked(); marked != "" && strings.HasPrefix(s.value.text, marked) {
		name = marked
	} else if len(s.value.code()) > 0 {
		return // the words before what is marked are no name
	} else if before, remark, has := strings.Cut(name, " ("); has && called && identifier.MatchString(strings.TrimSpace(before)) && !weighs(remark) {
		name = strings.TrimSpace(before) // and a remark
	}
	_, rest, _ := strings.Cut(s.value.text, name)
	coded := strings.HasPrefix(ticked(s.value), "`"+name+"`") && identifier.MatchString(name) && called // "Table name: `data`"
	if !namesTable(name) && !coded || strings.HasPrefix(rest, ", ") || strings.HasPrefix(rest, "..") || strings.HasPrefix(rest, "…") {
		return // or several, or a name that is cut off
	}
	r.done[s.line] = !strings.Contains(rest, " · ") && !strings.Contains(rest, "; ")
	section := s.frame.up(func(f *frame) bool { return f.table != nil })
	if section != nil {
		// What only a heading named has this name.
		if table, known := section.table, r.known(name); !table.named && (known == nil || known == table && table.Name != name) {
			table.deployedAs(name)
			return
		}
	}
	table := r.addTable(name, s.frame.at(s.line))
	table.deployedAs(table.Name)
	if _, holds := r.below[s.frame]; holds && s.frame.level >= itemLevel && s.frame.title.line == s.line {
		s.frame.table = table // of what stands below it
		return
	}
	if above := s.frame.parent; s.frame.level > itemLevel && above.level >= itemLevel && section == nil && !slices.ContainsFunc(r.labelled, func(other statement) bool {
		return other.line != s.line && other.frame.parent == above && wordOf(other.label) == wTable
	}) {
		above.table = table // "Storage" over "Table: `orders`" and its keys
		return
	}
	if at := s.frame.heading(); at != nil && at.table == nil && section == nil && at.level > 1 {
		for at.parent != nil && (at.level >= labelLevel || wordOf(at.title.text) != "" || at.topic == topicKeys) && at.parent.level > 1 {
			at = at.parent
		}
		if at.level > 1 && at.level < labelLevel {
			at.table = table
			short := titleHead.FindString(entityTitle(at.title.text))
			if bare := Plain(short); bare != "" && bare != Plain(table.Name) && strings.HasSuffix(Plain(table.Name), bare) && wordOf(short) == "" {
				table.Also = append(table.Also, short) // "Carts" over "Table name: `shop-carts`"
			}
		}
	}
	if top := s.frame.up(func(f *frame) bool { return f.level < labelLevel }); top != nil && top.level <= 1 && section == nil && !slices.Contains(top.told, table) {
		top.told = append(top.told, table)
	}
}

// defaultName matches what is said of a name that the environment can change.
var defaultName = lazyregexp.New(`(?i)^(?:\((?:by )?default\)|default:?) `)

// titleHead matches the words that a title begins with.
var titleHead = lazyregexp.New(`^\pL[\pL\d]*(?:[ _-]\pL[\pL\d]*)*`)

// sameTables are those of which a line says that they have the structure of one that is read: "Structure: Same as orders", below the heading "orders-dev".
func (r *reader) sameTables() {
	for _, s := range r.labelled {
		same := sameAs.FindStringSubmatch(ticked(s.value))
		if same == nil || !ofStructure.MatchString(s.label) || !s.frame.meant() {
			continue
		}
		at := s.frame.up(func(f *frame) bool { return f.level < labelLevel })
		of, name := r.known(same[1]), sectionName(at.title)
		if of == nil || at.table != nil || !namedLike.MatchString(name) || !namesTable(name) {
			continue
		}
		at.table = r.addTable(name, at.at(at.title.line))
		at.table.named = true
		for _, key := range of.Keys {
			r.keyTable(at.table, s.at(), keyItem{role: key.Role, name: key.Name, kind: key.Type})
		}
		r.done[s.line], r.done[at.title.line] = true, true
	}
}

// ofStructure matches the label of what a table is like, and not of its billing or its use.
var ofStructure = lazyregexp.New(`(?i)^(?:table |primary )?(?:structure|schema|keys?|key schema|design|definition)$`)

// sameAs matches what says that a table has the keys of another.
var sameAs = lazyregexp.New("(?i)^(?:the )?same (?:structure |schema |keys )?as (?:the )?`?([\\w.-]+)`?(?: table)?\\.?$")

// saysAnyDynamo reports whether a document names DynamoDB anywhere.
func (r *reader) saysAnyDynamo() bool {
	return slices.ContainsFunc(r.doc.Text, ofAnyDynamo.MatchString)
}

// saysSingle reports whether a line of a document says that it has one table.
func (r *reader) saysSingle() bool {
	return slices.ContainsFunc(r.doc.Text, ofSingle.MatchString)
}

// saysOther reports whether a line of a document speaks of another database.
func (r *reader) saysOther() bool {
	return slices.ContainsFunc(r.blocks, func(b *block) bool { return ofOther(b.text) })
}

// ofDynamoAlone reports whether a document names DynamoDB and no other database.
func (r *reader) ofDynamoAlone() bool {
	if r.alone == nil {
		r.alone = new(r.saysAnyDynamo() && !r.saysOther())
	}
	return *r.alone
}

// ofAnyDynamo matches the name of the database anywhere, as in an address.
var ofAnyDynamo = lazyregexp.New(`(?i)dynamodb`)
