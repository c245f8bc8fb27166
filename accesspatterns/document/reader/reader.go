package reader

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// MaxBytes is the size of the largest document that is read.
const MaxBytes = 1 << 20

// The longest document and the longest line that are read, in lines and bytes, the tables that are, and the indexes of each: DynamoDB has 20
// global ones, where nobody asks for more, and 5 local ones.
const (
	maxLines   = 20_000
	maxLine    = 16 << 10
	maxTables  = 200
	maxIndexes = 50
)

// ErrNoDocument says that the content is nothing that the reader can read.
var ErrNoDocument = errors.New("no design document")

// Read reads a document: Markdown, or plain text with the same marks. It fails
// with [ErrNoDocument] for what is no text, is larger than [MaxBytes], or names
// no table, key, index or access pattern.
func Read(content []byte) (*Document, error) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(content[:min(len(content), MaxBytes)]))
	lines, zero, wrong := strings.Split(strings.TrimSuffix(text, "\n"), "\n"), bytes.IndexByte(content, 0), ""
	long := slices.IndexFunc(lines, func(line string) bool { return len(line) > maxLine })
	switch {
	case len(content) > MaxBytes:
		wrong = fmt.Sprintf("expected at most %d MiB of text, found more; give the part that describes the tables", MaxBytes>>20)
	case zero >= 0:
		wrong = fmt.Sprintf("expected text, found a zero byte at offset %d; give the document as Markdown or plain text", zero)
	case !utf8.Valid(content):
		wrong = "expected text in UTF-8, found other bytes; convert the file"
	case len(lines) > maxLines:
		wrong = fmt.Sprintf("expected at most %d lines, found %d; give the part that describes the tables", maxLines, len(lines))
	case long >= 0:
		wrong = fmt.Sprintf("expected lines of at most %d KiB, found %d KiB in line %d; break the line", maxLine>>10, len(lines[long])>>10, long+1)
	}
	if wrong != "" {
		return nil, fmt.Errorf("%w: %s", ErrNoDocument, wrong)
	}
	r := &reader{doc: &Document{Lines: len(lines), Text: lines}, keyNames: map[string]bool{}, keyLines: map[int]bool{}, done: map[int]bool{}, parted: map[*frame]bool{}, condemned: map[*frame]bool{}, flows: map[*frame]bool{}, fielded: map[*frame]bool{}, forms: map[string]Template{}, formats: map[typed]EntityKey{}, formsBeside: map[typed][]EntityKey{}, types: map[typed]string{}, below: map[*frame]bool{}, capitals: map[string]bool{}, compared: map[string]bool{}, asked: map[string]bool{}, crowded: map[*Table]bool{}, above: map[*frame]*frame{}, named: map[*frame][]*frame{}}
	for _, match := range tableMember.FindAllStringSubmatch(text, -1) {
		if name := unquoted(match[1]); len(name) > 2 && identifier.MatchString(name) {
			r.asked[name] = true
		}
	}
	r.blocks = parse([]byte(strings.NewReplacer("（", " (", "）", ")", "：", ": ", "‑", "-").Replace(indexInFull.ReplaceAllString(shortcode.ReplaceAllString(text, "$1"), "GSI$1$2"))))
	for n, b := range r.blocks {
		if b.kind == gridBlock {
			b.repeated()
		}
		if n+1 < len(r.blocks) {
			b.text = asLabelled(b, r.blocks[n+1])
		}
		if b.kind == itemBlock {
			b.text = b.text.inKeyOrder()
		} else if b.alone {
			b.text = b.text.withSigns()
		}
		if b.kind == textBlock || b.kind == headingBlock || b.kind == itemBlock && len(b.parts) == 1 {
			if b.text = b.text.inPairs(); len(b.parts) == 1 {
				b.parts[0] = b.text
			}
		}
	}
	r.ofModel, r.relational = r.isDataModel(), slices.ContainsFunc(lines, relational.MatchString)
	r.places()
	for _, b := range r.blocks {
		if b.kind == gridBlock {
			for i := range b.header {
				r.spellKey(&b.header[i])
			}
			grid := Grid{Line: b.line, Header: cellTexts(b.header)}
			for _, row := range b.rows {
				grid.Rows = append(grid.Rows, GridRow{rowLine(row), cellTexts(row)})
			}
			r.doc.Grids = append(r.doc.Grids, grid)
		}
	}
	last := map[int]int{} // of the lines below a title that are not read, by its line
	r.blocks = slices.DeleteFunc(r.blocks, func(b *block) bool {
		at := b.frame.up(func(f *frame) bool { return f.out })
		if at != nil {
			r.unread(at.title.line, at.title.text, "a title on another database, or on what is no more, not chosen or not to be done: no line below it is read")
			end := b.line + len(b.code)
			switch {
			case len(b.rows) > 0:
				end = rowLine(b.rows[len(b.rows)-1])
			case len(b.parts) > 0:
				end = b.parts[len(b.parts)-1].line
			}
			last[at.title.line] = max(last[at.title.line], end)
		}
		return at != nil
	})
	for i := range r.doc.Unread {
		r.doc.Unread[i].Last = last[r.doc.Unread[i].Line]
	}
	for _, b := range r.blocks {
		label, _, _, is := split(b.text)
		r.below[b.frame.parent] = r.below[b.frame.parent] || is && roles[wordOf(label)] != ""
	}
	r.namesAbove()
	r.numbered, r.labelled, r.keysByName = r.numbers(), r.statements(), slices.ContainsFunc(r.doc.Text, otherKeys.MatchString)
	r.tables()
	r.schema()
	for _, table := range r.all { // a partition key that stands below the sort key
		slices.SortStableFunc(table.Keys, func(a, b Key) int { return cmp.Compare(a.Role, b.Role) })
	}
	r.sameTables()
	r.numberIndexes()
	r.numberedKeys()
	r.learnKeys()
	r.contents()
	r.patterns()
	r.tablesOfRequests()
	for _, x := range r.doc.Examples { // whose keys have the forms that requests give
		r.fromExample(x, true)
	}
	r.settle()
	if len(r.doc.Tables)+len(r.doc.Entities)+len(r.doc.Patterns) == 0 {
		var told []string
		for _, u := range r.doc.Unread {
			if line := strconv.Itoa(u.Line); keyWord.MatchString(u.Text+" "+u.Why) && !slices.Contains(told, line) {
				told = append(told, line)
			}
		}
		if shown := min(len(told), 60); shown > 0 {
			more := ""
			if shown < len(told) {
				more = fmt.Sprintf(" and %d more", len(told)-shown)
			}
			return nil, fmt.Errorf("%w that can be read: in %d lines, nothing is read for certain of a table, key, index or access pattern of DynamoDB; no form reads what is said of keys in lines %s%s",
				ErrNoDocument, len(lines), strings.Join(told[:shown], ", "), more)
		}
		return nil, fmt.Errorf("%w: no table, key, index or access pattern of DynamoDB in %d lines; expected a design document in Markdown or plain text", ErrNoDocument, len(lines))
	}
	return r.doc, nil
}

// spellKey gives the head of a column the name of an index key as other lines spell it, without a blank: gsi1pk of "GSI1 PK".
func (r *reader) spellKey(cell *inline) {
	apart := keyApart.FindStringSubmatch(cell.text)
	if apart == nil {
		return
	}
	for n, line := range r.doc.Text {
		for _, name := range genericName.FindAllString(line, -1) {
			if Plain(name) == Plain(apart[1]+apart[2]) {
				*cell = inline{line: n + 1, text: name}
				return
			}
		}
	}
}

var (
	// keyApart matches the name of an index key with a blank in it, and genericName one without.
	keyApart    = lazyregexp.New(`(?i)^((?:GSI|LSI)[-_]?\d+) ([PS]K)$`)
	genericName = lazyregexp.New(`(?i)\b(?:GSI|LSI)[-_]?\d+[-_]?[PS]K\b`)
	// keyWord matches a line that speaks of keys, and keyLabel one that begins with the word for a key.
	keyLabel = lazyregexp.New(`(?i)^\W*(?:(?:partition|sort|hash|range) key|[ps]k)\b`)
	keyWord  = lazyregexp.New(`(?i)\b(?:pk|sk|gsi\d*|partition key|sort key|hash key|range key|primary key)\b|\((?:hash|range)\b`)
	// shortcode matches the code of a picture, which says nothing: "sort key :point_up:".
	shortcode = lazyregexp.New(`(?m)([ \t]):[a-z][a-z0-9_+-]*:(?:[ \t]|$)`)
	// indexInFull matches the number of an index behind the whole word for it: "Global Secondary Index 1: day + till".
	indexInFull = lazyregexp.New(`(?im)\bglobal secondary index #?(\d)(:|$| [—–-] )`)
	// composed matches a value of several parts: `{region}#{day}`.
	composed = lazyregexp.New(`[}>\]]#|#\$?[{<\[]`)
)

type reader struct {
	doc    *Document
	blocks []*block
	// keyNames are the names of all key attributes, of tables and indexes.
	keyNames map[string]bool
	// keyLines are the lines that name a key attribute, so that what stands there is no form.
	keyLines map[int]bool
	// done are the lines of which a form took all that they say.
	done map[int]bool
	// forms are those of the names that were looked for among the tables.
	forms map[string]Template
	// labelled are the labels of the document with their values.
	labelled []statement
	// formats are those of the values of key attributes, beside their names.
	formats map[typed]EntityKey
	// formsBeside are those of which each kind of items has one.
	formsBeside map[typed][]EntityKey
	// projected are the projections of all indexes at once.
	projected []statement
	// keysTyped are the type that a line gives all keys, the name of the key that has another, and that type.
	keysTyped []string
	// shapes are the objects that give the types of a kind's members.
	shapes []*Example
	// values are the words that lines list as values of attributes, nil before somebody asks.
	values map[string]bool
	// types are those of key attributes that stand apart from their keys.
	types map[typed]string
	// all are the tables, those included that are weak.
	all []*Table
	// shared stands for the table of kinds of which no line names it: see tableOfKinds.
	shared *Table
	// asked are the names of tables in requests, as texts.
	asked map[string]bool
	// crowded says of a table whether requests name others.
	crowded map[*Table]bool
	// above are the items that name the index of what is listed below them, and named what is listed below each.
	above map[*frame]*frame
	named map[*frame][]*frame
	// compared are the beginnings of the names of an index's keys, by whether a line compares one: GSI1- of "GSI1-PK = DAY#{day}".
	compared map[string]bool
	// alone says whether the document names DynamoDB and no other database, nil where nobody asked.
	alone *bool
	// several is set where sections give keys of tables that no line names, and keysByName where lines give them behind names.
	several, keysByName bool
	// numbered are the titles of patterns by their numbers.
	numbered map[string]string
	// ofModel is set for a data model of AWS's tools, relational where tables of another kind of database stand too.
	ofModel, relational bool
	// below are the places with places below them, and whether keys stand there.
	below map[*frame]bool
	// capitals says of names of keys whether the document has them in other capitals.
	capitals map[string]bool
	// parted are the sections in which each part of a pattern has a label over a fence.
	parted map[*frame]bool
	// condemned are the places of lists in which a request is shown so that nobody makes it.
	condemned map[*frame]bool
	// flows are the places of lists of the steps of a process, fielded those of lists with labels that are words, and their values.
	flows, fielded map[*frame]bool
}

// typed is an attribute of a table.
type typed struct {
	of   *Table
	name string
}

// unread notes what no form reads, or what is left of a line.
func (r *reader) unread(line int, text, why string) {
	if len(r.doc.Unread) < 2000 && !slices.ContainsFunc(r.doc.Unread, func(u Unread) bool { return u.Line == line && u.Text == text }) {
		r.doc.Unread = append(r.doc.Unread, Unread{Line: line, Text: text, Why: why})
	}
}

// notAsked notes what no form reads of a line that asks something of the tables.
func (r *reader) notAsked(line int, text, why string) {
	known := len(r.doc.Unread)
	if r.unread(line, strings.TrimSpace(text), why); len(r.doc.Unread) > known {
		r.doc.Unread[known].Asked = true
	}
}

// table returns the table that a place speaks of: that of its section, or the only one; nil for
// none.
func (r *reader) table(f *frame) *Table {
	if at := f.up(func(f *frame) bool { return f.table != nil || f.index != nil && slices.Contains(r.doc.Loose, f.index) }); at != nil {
		return at.table // none of an index of which no line names the table
	}
	if at := f.up(func(f *frame) bool { return f.level < labelLevel }); at != nil && len(at.told) == 1 {
		return at.told[0]
	}
	strong := slices.DeleteFunc(slices.Clone(r.all), func(t *Table) bool { return t.weak })
	if len(strong) == 1 && !strong[0].ofSection && !(f != nil && f.level > 1 && r.before(f.title.line, strong[0])) && !r.besideTable(f, strong[0]) {
		return strong[0]
	}
	return nil
}

// besideTable reports whether a place is in a section beside that of a table, right below a title on tables, and has no name that a form takes for one, and no topic.
func (r *reader) besideTable(f *frame, table *Table) bool {
	at := f.up(func(f *frame) bool {
		return f.level < labelLevel && f.parent != nil && tablesTitle.MatchString(cleanTitle(f.parent.title.text))
	})
	return at != nil && at.topic == noTopic && slices.ContainsFunc(r.blocks, func(b *block) bool {
		return b.kind == headingBlock && b.frame.table == table && b.frame.parent == at.parent && b.frame != at
	})
}

// others reports whether requests name two tables or more of which no line is read, and that are not called like the one that is.
func (r *reader) others(table *Table) bool {
	if is, asked := r.crowded[table]; asked {
		return is
	}
	own, unread := Plain(table.Name), 0
	for name := range r.asked {
		if other := Plain(name); r.known(name) == nil && !strings.Contains(other, own) && !strings.Contains(own, other) {
			unread++
		}
	}
	r.crowded[table] = unread > 1
	return unread > 1
}

// before reports whether a line stands before the only section that is the table's, under another heading.
func (r *reader) before(line int, table *Table) bool {
	titled := func(b *block) bool {
		return b.titles() && b.frame.table == table && b.line == table.Line && b.level > 1
	}
	return line > 0 && line < table.Line && !table.named && slices.ContainsFunc(r.blocks, titled)
}

// keyed returns the table that a place gives a key of: in a document that names none, the one
// without a name.
func (r *reader) keyed(f *frame, line int) *Table {
	table := r.table(f)
	if table == nil && len(r.all) == 0 {
		table = &Table{At: f.at(line)}
		r.all = append(r.all, table)
	}
	return table
}

// dispute notes that two lines say different things: neither is taken.
func (r *reader) dispute(line, other int, format string, args ...any) {
	if line != other { // a line that is read in two ways says neither
		r.doc.Disputes = append(r.doc.Disputes, Dispute{Line: line, Other: other, What: fmt.Sprintf(format, args...)})
	}
}

// Plain is a name without case, separators and placeholders, to compare names
// that are spelt differently.
func Plain(name string) string {
	if strings.ContainsAny(name, "{<[%") {
		name = placeholder.ReplaceAllString(name, "")
	}
	return strings.Map(func(c rune) rune {
		if c = unicode.ToLower(c); c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf && unicode.IsLetter(c) {
			return c
		}
		return -1
	}, name)
}

// addTable returns the table of that name, new or known: names differ in case, marks and
// placeholders alone, or one is an example of the other.
func (r *reader) addTable(name string, at At) *Table {
	if known := r.known(name); known != nil {
		return known
	}
	titled := func(line int) bool { return strings.HasPrefix(r.doc.Line(line), "#") } // a section, whose table a list calls by the whole name
	same := slices.DeleteFunc(slices.Clone(r.all), func(t *Table) bool {
		return !(titled(at.Line) && ofStage(t.Name, name)) && !(titled(t.Line) && ofStage(name, t.Name))
	})
	if len(same) == 1 {
		if ofStage(name, same[0].Name) {
			same[0].deployedAs(name)
		} else {
			same[0].Also = append(same[0].Also, name)
		}
		return same[0]
	}
	table := &Table{At: at, Name: name}
	if len(r.all) == maxTables {
		r.unread(at.Line, r.doc.Line(at.Line), fmt.Sprintf("the document has more than %d tables: no other is read", maxTables))
		return table
	}
	r.all = append(r.all, table)
	return table
}

// ofStage reports whether a name is another with what all names of a stage begin with before it: shop-{env}-orders of "orders".
func ofStage(long, short string) bool {
	before, has := strings.CutSuffix(strings.ToLower(long), strings.ToLower(short))
	return has && len(nameParts(short)) > 0 && placeholder.MatchString(before) && strings.HasSuffix(strings.NewReplacer("_", "-", ".", "-").Replace(before), "-")
}

// spelt is the form of a name, computed once: each request asks for the table that it names among all of them.
func (r *reader) spelt(name string) Template {
	form, known := r.forms[name]
	if !known {
		form, _ = FormOf(name)
		r.forms[name] = form
	}
	return form
}

func (r *reader) known(name string) *Table {
	form, bare := r.spelt(name), Plain(name)
	words := func(form Template) []string { return nameParts(strings.ReplaceAll(form.Shape(), "{}", "")) }
	known, _ := first(r.all, func(t *Table) bool {
		own := r.spelt(t.Name)
		like := own.Matches(name) && own != "" || form.Matches(t.Name) && form != ""
		if len(own.Parameters()) > 0 && len(form.Parameters()) > 0 { // orders-{stage} is not orders-archive-{stage}
			like = like && slices.Equal(words(own), words(form))
		}
		return t.Name != "" && (Plain(t.Name) == bare || like) ||
			slices.ContainsFunc(t.Also, func(also string) bool { return Plain(also) == bare })
	})
	return known
}

// names reports whether a text is one of the index's names.
func (x *Index) names(name string) bool {
	numbered := numberedIndex.FindStringSubmatch(x.Name) // GSI1 of GSI1-ByMail
	return Plain(x.Name) == Plain(name) || numbered != nil && Plain(numbered[1]) == Plain(name) || slices.ContainsFunc(x.Also, func(also string) bool { return Plain(also) == Plain(name) })
}

// oneByKeys makes one of two indexes of a table where one of them is called by a number alone, and they have the same keys, or it has none and the other
// is called after the number too: a list calls it GSI1, and a definition by its name.
func (r *reader) oneByKeys(table *Table) {
	for _, numbered := range slices.Clone(table.Indexes) {
		if !bareNumber.MatchString(numbered.Name) {
			continue
		}
		same := slices.DeleteFunc(slices.Clone(table.Indexes), func(x *Index) bool {
			if len(numbered.Keys) == 0 {
				return x == numbered || !x.names(numbered.Name)
			}
			return x == numbered || x.Local != numbered.Local || bareNumber.MatchString(x.Name) || slices.ContainsFunc(x.Also, bareNumber.MatchString) || !slices.EqualFunc(x.Keys, numbered.Keys, func(a, b Key) bool { return a.Role == b.Role && a.Name == b.Name })
		})
		if len(same) != 1 {
			continue
		}
		named := same[0]
		called, also := numbered.Name, named.Name // "Mirror index: ..." says what it is like
		if namedLike.MatchString(named.Name) || strings.Contains(r.doc.Line(named.Line), "`"+named.Name+"`") {
			called, also = also, called
		}
		numbered.Name, numbered.Also = called, append(append(numbered.Also, also), named.Also...)
		if numbered.Projection.Value == "" {
			numbered.Projection, numbered.Include = named.Projection, named.Include
		}
		numbered.Templates = append(numbered.Templates, named.Templates...)
		if len(numbered.Keys) == 0 {
			numbered.Keys = named.Keys
		}
		for i := range numbered.Keys {
			numbered.Keys[i].Type = cmp.Or(numbered.Keys[i].Type, named.Keys[i].Type)
		}
		for _, b := range r.blocks {
			b.frame.up(func(f *frame) bool {
				if f.index == named {
					f.index = numbered
				}
				return false
			})
		}
		table.Indexes = slices.DeleteFunc(table.Indexes, func(x *Index) bool { return x == named })
	}
}

// numberIndexes calls an index GSI1 as well whose partition key is GSI1PK, where no line calls it or another one by a number.
func (r *reader) numberIndexes() {
	for _, table := range r.all {
		r.oneByKeys(table)
		for _, index := range table.Indexes {
			hash, _ := index.Key(Hash)
			number := numberOf(hash.Name)
			called := numberedIndex.MatchString(index.Name) || slices.ContainsFunc(index.Also, bareNumber.MatchString)
			if _, taken := first(table.Indexes, func(x *Index) bool { return x.names(number) }); number != "" && !called && !taken {
				index.Also = append(index.Also, number)
			}
		}
	}
}

// rename gives an index the name that a line says, with what is known of an index of that name.
func (r *reader) rename(table *Table, index *Index, name string) {
	index.Also, index.Name = append(index.Also, index.Name), name
	table.Indexes = slices.DeleteFunc(table.Indexes, func(x *Index) bool {
		if x == index || x.Name != name {
			return false
		}
		for _, key := range x.Keys {
			r.give(&index.Keys, name, key.At, keyItem{role: key.Role, name: key.Name, kind: key.Type})
		}
		if index.Projection.Value == "" {
			index.Projection, index.Include = x.Projection, x.Include
		}
		return true
	})
}

// addIndex returns the table's index of that name, new or known.
func (t *Table) addIndex(name string, at At, also ...string) *Index {
	index, known := first(t.Indexes, func(x *Index) bool { return x.names(name) || slices.ContainsFunc(also, x.names) })
	switch {
	case !known && len(t.Indexes) >= maxIndexes:
		index = &Index{At: at, Name: name}
		t.beyond = append(t.beyond, index)
		return index
	case !known:
		index = &Index{At: at, Name: name, Also: also}
		t.Indexes = append(t.Indexes, index)
		return index
	}
	if index.Name != name && bareNumber.MatchString(index.Name) && !bareNumber.MatchString(name) {
		index.Also, index.Name = append(index.Also, index.Name), name
	}
	index.Also = append(index.Also, also...)
	return index
}

// keyTable gives a table key attributes, which makes it one for certain.
func (r *reader) keyTable(table *Table, at At, items ...keyItem) {
	table.weak = false
	r.give(&table.Keys, table.Called(), at, slices.DeleteFunc(slices.Clone(items), func(item keyItem) bool { return ofIndexKey.MatchString(item.name) })...)
}

// ofIndexKey matches the name of a key that is one of an index: gsi_pk, GSI1SK. No table has it as its own.
var ofIndexKey = lazyregexp.New(`(?i)^(?:gsi|lsi)[-_]?\d*[-_]?(?:[a-z]+[-_])*[ps]k$`)

// keyIndex gives the index of that name, new or known, key attributes.
func (r *reader) keyIndex(table *Table, name string, at At, items ...keyItem) {
	index := table.addIndex(name, at)
	r.give(&index.Keys, index.Name, at, items...)
}

// give adds key attributes to those of an index or table, or fills in what is not known of them.
// Where two lines disagree, the key is disputed, and in the end none is taken.
func (r *reader) give(keys *[]Key, where string, at At, items ...keyItem) {
	for _, item := range items {
		known, at := slices.IndexFunc(*keys, func(k Key) bool { return k.Role == item.role }), At{cmp.Or(item.line, at.Line), at.Sure}
		if item.name == "" || indexAsKey.MatchString(item.name) || item.name == where && indexNamed.MatchString(where) {
			continue
		} else if known < 0 {
			*keys = append(*keys, Key{At: at, Name: item.name, Type: item.kind, Role: item.role, labelled: item.label, headed: item.headed})
			continue
		}
		switch key := &(*keys)[known]; {
		case key.Name != item.name && strings.EqualFold(key.Name, item.name) && item.label: // the word for the role
		case key.Name != item.name && strings.EqualFold(key.Name, item.name) && key.labelled:
			*key = Key{At: at, Name: item.name, Type: cmp.Or(item.kind, key.Type), Role: item.role, disputed: key.disputed, untyped: key.untyped}
		case key.Name != item.name:
			r.dispute(at.Line, key.Line, "the %s key of %s is %s here, and %s in line %d", strings.ToLower(key.Role), where, item.name, key.Name, key.Line)
			key.disputed = true
		case key.Type == "" && item.kind != "":
			key.Type, key.At = item.kind, at
		case item.kind != "" && item.kind != key.Type:
			r.dispute(at.Line, key.Line, "%s of %s is of type %s here, and %s in line %d", item.name, where, item.kind, key.Type, key.Line)
			key.untyped = true
		}
	}
}

// indexAsKey matches what no key is called: the name of an index, by-day-index or ByDayIndex, and the arguments of a module of Terraform.
var indexAsKey = lazyregexp.New(`^[A-Z]\w*[a-z]Index$|(?i)-(?:index|gsi|lsi|idx)$|^(?:hash|range)_key$`)

// learnKeys collects the names of the key attributes.
func (r *reader) learnKeys() {
	for _, table := range r.all {
		for _, key := range table.AllKeys() {
			r.keyNames[key.Name] = true
		}
	}
}

// kindsByForms are the kinds of items of a table of which one key has a form, and the other several: "Sort key: `SK` - Format: `META` or `LINE#{n}`".
func (r *reader) kindsByForms(table *Table) (kinds []*Entity) {
	hash, _ := table.Key(Hash)
	sort, _ := table.Key(Range)
	one, several := r.formats[typed{table, hash.Name}], r.formsBeside[typed{table, sort.Name}]
	if one.Template == "" {
		return nil
	}
	for _, form := range several {
		kind := &Entity{At: form.At, Table: table, Keys: []EntityKey{one, form}}
		kind.Title = cmp.Or(kind.called(table), table.Called())
		kinds, r.done[form.Line], r.done[one.Line] = append(kinds, kind), true, true
	}
	return kinds
}

// join gives the attributes that a section lists to the kinds of items of its title, and those of a
// table itself to the one kind that the table has. A section of attributes without a key is no kind.
func (r *reader) join() {
	bare := func(e *Entity) string { before, _, _ := strings.Cut(e.Title, " ("); return Plain(before) }
	for _, table := range r.doc.Tables {
		simple := len(table.Keys) > 0 && !slices.ContainsFunc(table.Keys, func(k Key) bool { return genericKey.MatchString(k.Name) })
		all := slices.DeleteFunc(slices.Clone(r.doc.Entities), func(e *Entity) bool { return e.Table != table })
		if simple && len(all) == 0 {
			all = []*Entity{{At: table.At, Title: table.Called(), Table: table, In: table.Name}}
			r.doc.Entities = append(r.doc.Entities, all...)
		}
		keyed := slices.DeleteFunc(slices.Clone(all), func(e *Entity) bool { // with the form of a key of the table
			return !slices.ContainsFunc(table.Keys, func(k Key) bool { _, has := e.Key(k.Name); return has })
		})
		unformed := func(k Key) bool { return r.formats[typed{table, k.Name}].Template == "" }
		if len(keyed) == 0 && len(table.Keys) > 0 && !simple && !slices.ContainsFunc(table.Keys, unformed) { // and no line has a kind of item
			one := &Entity{At: table.At, Title: table.Called(), Table: table, In: table.Name}
			for _, key := range table.Keys {
				one.set(r.formats[typed{table, key.Name}])
				r.done[r.formats[typed{table, key.Name}].Line] = true
			}
			r.doc.Entities, all, keyed = append(r.doc.Entities, one), append(all, one), append(keyed, one)
		}
		if len(keyed) == 0 {
			kinds := r.kindsByForms(table)
			r.doc.Entities, all, keyed = append(r.doc.Entities, kinds...), append(all, kinds...), append(keyed, kinds...)
		}
		for _, key := range table.Keys { // "Partition key `PK` = `CART#{id}`" is that of all kinds
			form := r.formats[typed{table, key.Name}]
			if form.Template == "" || !genericKey.MatchString(key.Name) || slices.ContainsFunc(keyed, func(e *Entity) bool { given, has := e.Key(key.Name); return has && given.Template != form.Template }) {
				continue
			}
			for _, entity := range keyed {
				if _, own := entity.Key(key.Name); own {
					continue
				}
				at := len(entity.Keys)
				if key.Role == Hash {
					at = 0
				}
				entity.Keys = slices.Insert(entity.Keys, at, form)
				r.done[form.Line] = true
			}
		}
		fill := func(entity *Entity, keys []Key) { // those of which no line of the kind gives a form
			for n, key := range keys {
				_, listed := entity.Attribute(key.Name)
				own, form := n < len(table.Keys), r.formats[typed{table, key.Name}]
				if own && form.Template == "" && r.whole(table, key) || !own && listed && !genericKey.MatchString(key.Name) {
					form = EntityKey{key.At, key.Name, itself(key.Name)}
				} else if own && form.Template != "" {
					r.done[form.Line] = true
				}
				if form.Template != "" {
					entity.set(form)
				}
			}
		}
		several := slices.ContainsFunc(keyed, func(e *Entity) bool { // as one has a form of its own
			return slices.ContainsFunc(table.Keys, func(k Key) bool { own, has := e.Key(k.Name); return has && own.Template.Shape() != "{}" })
		})
		listsKeys := func(e *Entity) bool { // among its own attributes
			return simple && several && !ofRequests(e.Title) && !slices.ContainsFunc(table.Keys, func(k Key) bool { _, listed := e.Attribute(k.Name); return !listed })
		}
		for _, entity := range all {
			if slices.Contains(keyed, entity) {
				if simple && len(all) == 1 && entity.Title == table.Called() || listsKeys(entity) {
					fill(entity, table.Keys)
				}
				continue
			}
			joined := simple && len(keyed) > 0
			one := len(keyed) > 0 && !slices.ContainsFunc(keyed, func(other *Entity) bool { return !sameForms(keyed[0], other) })
			for _, other := range keyed {
				if bare(other) == bare(entity) || one && entity.Title == table.Called() {
					joined = true
					other.merge(entity)
				}
			}
			switch {
			case joined && entity.Title != table.Called() && !slices.ContainsFunc(keyed, func(e *Entity) bool { return !listsKeys(e) || bare(e) == bare(entity) }) && listsKeys(entity):
				fill(entity, table.Keys)
				keyed = append(keyed, entity)
			case joined:
				entity.Keys, entity.joined = nil, true
			case simple && (len(all) == 1 || entity.Title == table.Called() || slices.Contains(table.Also, entity.Title)):
				if len(all) == 1 {
					entity.Title = table.Called()
				}
				fill(entity, table.AllKeys())
				keyed = append(keyed, entity)
			}
		}
	}
	// Two places that give the same forms of keys describe one kind of item.
	var kinds []*Entity
	for _, entity := range r.doc.Entities {
		if known, is := first(kinds, func(e *Entity) bool { return e.Table == entity.Table && sameForms(e, entity) }); is && len(entity.Keys) > 0 {
			known.merge(entity)
		} else if len(entity.Keys) > 0 && (entity.Title != entityTitle(r.doc.Title) || len(entity.Table.Keys) == 0 || slices.ContainsFunc(entity.Keys, func(k EntityKey) bool { _, own := entity.Table.KeyNamed(k.Attribute); return own })) { // or the attributes of all kinds
			kinds = append(kinds, entity)
		} else if !entity.joined { // attributes of what no line gives a key of
			for _, a := range entity.Attributes {
				if !r.keyNames[a.Name] {
					delete(r.done, a.Line)
				}
			}
		}
	}
	r.doc.Entities = kinds
}

// merge gives a kind of item what another place says of it.
func (e *Entity) merge(other *Entity) {
	for _, a := range other.Attributes {
		e.attribute(a)
	}
	e.set(other.Keys...)
}

// sameForms reports whether two kinds of items have the same form of the whole primary key, and both
// are described by a section or line of the same words, "Order" and "Order items", or the second by a type of a program.
func sameForms(a, b *Entity) bool {
	long, short := Plain(a.Title), Plain(b.Title)
	if len(long) < len(short) {
		long, short = short, long
	}
	titled := strings.HasPrefix(strings.TrimSuffix(long, "s"), strings.TrimSuffix(short, "s"))
	return (titled || slices.ContainsFunc(b.Keys, func(k EntityKey) bool { return k.Template.ofType() })) && sameKeys(a, b)
}

// sameKeys reports whether two kinds of items have the same form of the whole primary key.
func sameKeys(a, b *Entity) bool {
	return len(a.Table.Keys) > 0 && !slices.ContainsFunc(a.Table.Keys, func(key Key) bool {
		own, has := a.Key(key.Name)
		other, is := b.Key(key.Name)
		return !has || !is || own.Template.Shape() != other.Template.Shape()
	})
}

// lost takes back what was read of indexes that are not read.
func (r *reader) lost(indexes []*Index) {
	for _, index := range indexes {
		delete(r.done, index.Line)
		for _, key := range index.Keys {
			delete(r.done, key.Line)
		}
		for _, key := range index.Templates {
			delete(r.done, key.Line)
		}
	}
}

// namedKeys gives indexes of which no line gives a key those of which their names consist, where the names are attributes of the table:
// createdBy-createdAt-index, as the console of AWS calls an index where nobody calls it otherwise.
func (r *reader) namedKeys() {
	for _, table := range r.doc.Tables {
		for _, index := range table.Indexes {
			names, called := strings.CutSuffix(index.Name, "-index")
			parts := strings.Split(names, "-")
			told := slices.ContainsFunc(r.doc.Between(index.Line+1, index.Line+2), keyLabel.MatchString) // by lines that no form reads
			if !called || told || len(index.Keys)+len(index.Templates) > 0 || len(parts) > 2 || slices.ContainsFunc(parts, func(name string) bool {
				return !slices.ContainsFunc(r.doc.Entities, func(e *Entity) bool {
					a, has := e.Attribute(name)
					return e.Table == table && has && (keyType(a.Type) != "" || a.Type == "")
				})
			}) {
				continue
			}
			r.give(&index.Keys, index.Name, index.At, inOrder(parts...)...)
		}
	}
	r.learnKeys()
}

// formsOfOnly gives the only kind of item of a table whose key is one of attributes the forms that its indexes give.
func (r *reader) formsOfOnly() {
	for _, table := range r.doc.Tables {
		all := slices.DeleteFunc(slices.Clone(r.doc.Entities), func(e *Entity) bool { return e.Table != table })
		if len(all) != 1 || len(table.Keys) == 0 || slices.ContainsFunc(table.Keys, func(k Key) bool { return genericKey.MatchString(k.Name) }) {
			continue
		}
		for _, index := range table.Indexes {
			if len(index.Templates) == len(index.Keys) {
				all[0].set(index.Templates...)
			}
		}
	}
}

// settle takes away what is disputed or has only a heading to show for it, and gives keys of
// indexes the types of the attributes where a list of attributes has them.
func (r *reader) settle() {
	sound := func(keys *[]Key) {
		if slices.ContainsFunc(*keys, func(k Key) bool { return k.disputed }) {
			for _, key := range *keys {
				delete(r.done, key.Line)
			}
			*keys = nil // of which of the two the other key is, is not known either
		}
		for i := range *keys {
			if (*keys)[i].untyped {
				(*keys)[i].Type = ""
			}
		}
	}
	for _, b := range r.blocks { // a line that is not read, and that begins with the other key
		name, _ := leadOf(b.text)
		if table := r.table(b.frame); (b.kind == itemBlock || b.kind == textBlock) && !b.goesOn && table != nil && !r.done[b.line] && len(name) == 2 && roleOfName(name) == Range && r.indexPlace(b.frame) == nil && b.frame.about() != topicPatterns {
			if _, has := table.Key(Range); !has && len(table.Keys) > 0 {
				table.Keys[0].disputed = true
			}
		}
	}
	for _, table := range r.all {
		for _, index := range table.beyond[:min(len(table.beyond), 1)] {
			r.unread(index.Line, r.doc.Line(index.Line), fmt.Sprintf("%s has more than %d indexes: no other is read", table.Called(), maxIndexes))
		}
		r.lost(table.beyond)
		if table.Name == "" && (r.several || slices.ContainsFunc(table.Keys, func(k Key) bool { return k.disputed })) {
			table.weak = true // examples of several tables
			r.doc.Disputes = slices.DeleteFunc(r.doc.Disputes, func(d Dispute) bool { return strings.Contains(d.What, " key of "+table.Called()+" is ") })
		}
		sound(&table.Keys)
		for _, key := range table.Keys {
			r.types[typed{table, key.Name}] = cmp.Or(key.Type, r.types[typed{table, key.Name}])
			if table.Name == "" {
				table.Line = min(table.Line, key.Line)
			}
		}
		if !table.weak && (table.Name != "" || len(table.Keys) > 0) {
			r.doc.Tables = append(r.doc.Tables, table)
			continue
		}
		delete(r.done, table.Line) // that it is called a table was all
		r.lost(table.Indexes)
	}
	for _, p := range r.doc.Patterns {
		if r.doc.Table(p.Table) == nil {
			p.Table = "" // what a title alone calls a table
		}
	}
	r.doc.Entities = slices.DeleteFunc(r.doc.Entities, func(e *Entity) bool {
		lost := !slices.Contains(r.doc.Tables, e.Table) && (e.Table != r.shared || len(r.doc.Tables) < 2)
		if lost { // what was read of them is not read
			delete(r.done, e.Line)
			for _, key := range e.Keys {
				delete(r.done, key.Line)
			}
			for _, a := range e.Attributes {
				delete(r.done, a.Line)
			}
		}
		return lost || len(e.Keys)+len(e.Attributes) == 0
	})
	for _, entity := range r.doc.Entities {
		entity.In = entity.Table.Name
		for _, a := range entity.Attributes {
			if name := (typed{entity.Table, a.Name}); r.types[name] == "" && keyType(a.Type) != "" {
				r.types[name] = a.Type
			}
		}
	}
	r.namedKeys()
	r.join()
	r.formsOfOnly()
	for _, s := range r.projected {
		r.everyIndex(s)
	}
	for _, table := range r.doc.Tables {
		all := []*[]Key{&table.Keys}
		for _, index := range table.Indexes {
			sound(&index.Keys)
			all = append(all, &index.Keys)
		}
		for _, keys := range all {
			for i := range *keys {
				key := &(*keys)[i]
				key.Type = cmp.Or(key.Type, r.types[typed{table, key.Name}])
				if told := r.keysTyped; key.Type == "" && told != nil {
					key.Type = keyType(told[0])
					if key.Name == told[1] {
						key.Type = keyType(told[2])
					}
				}
			}
		}
	}
	r.leftover()
}
