package reader

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// MaxBytes is the size of the largest document that is read.
const MaxBytes = 1 << 20

// The longest document and the longest line that are read, in lines and bytes.
const (
	maxLines = 20_000
	maxLine  = 16 << 10
)

// ErrNoDocument says that the content is nothing that the reader can read.
var ErrNoDocument = errors.New("no design document")

// Read reads a document: Markdown, or plain text with the same marks. It fails
// with [ErrNoDocument] for what is no text, is larger than [MaxBytes], or names
// no table, key, index or access pattern.
func Read(content []byte) (*Document, error) {
	if len(content) > MaxBytes {
		return nil, fmt.Errorf("%w: expected at most %d MiB of text, found more; give the part that describes the tables", ErrNoDocument, MaxBytes>>20)
	}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if at := bytes.IndexByte(content, 0); at >= 0 {
		return nil, fmt.Errorf("%w: expected text, found a zero byte at offset %d; give the document as Markdown or plain text", ErrNoDocument, at)
	}
	if !utf8.Valid(content) {
		return nil, fmt.Errorf("%w: expected text in UTF-8, found other bytes; convert the file", ErrNoDocument)
	}
	content = bytes.ReplaceAll(bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	if len(lines) > maxLines {
		return nil, fmt.Errorf("%w: expected at most %d lines, found %d; give the part that describes the tables", ErrNoDocument, maxLines, len(lines))
	}
	for i, line := range lines {
		if len(line) > maxLine {
			return nil, fmt.Errorf("%w: expected lines of at most %d KiB, found %d KiB in line %d; break the line", ErrNoDocument, maxLine>>10, len(line)>>10, i+1)
		}
	}
	r := &reader{
		doc: &Document{Lines: len(lines), Text: lines}, keyNames: map[string]bool{}, templates: map[*Table][]EntityKey{},
		titles: map[string][]*Entity{}, byKeys: map[string]*Entity{}, own: map[*Table]*Entity{}, keyed: map[*Table]int{},
		drawn: map[string][]Attribute{}, inSection: map[*frame][]*Entity{}, fields: map[*frame]*Pattern{}, keysOfSome: map[*Table]int{},
	}
	r.blocks = withStatements(parse(content))
	r.places()
	r.schema()
	r.learnKeys()
	r.contents()
	r.learnKeys() // of tables that only their items have shown
	r.resolve()
	if len(r.doc.Tables)+len(r.doc.Entities)+len(r.doc.Patterns) == 0 {
		return nil, fmt.Errorf("%w: no table, key, index or access pattern of DynamoDB in %d lines; expected a design document in Markdown or plain text", ErrNoDocument, len(lines))
	}
	return r.doc, nil
}

type reader struct {
	doc    *Document
	blocks []*block
	// keyNames are the names of all key attributes, of tables and indexes.
	keyNames map[string]bool
	// templates are key forms that stand with a table rather than an entity.
	templates map[*Table][]EntityKey
	// entities by their titles and keys, those of tables themselves, and how many
	// with keys a table has.
	titles map[string][]*Entity
	byKeys map[string]*Entity
	own    map[*Table]*Entity
	keyed  map[*Table]int
	// drawn are the attributes in diagrams, by the titles of their items.
	drawn map[string][]Attribute
	// inSection are the entities that lines of a section gave the keys of.
	inSection map[*frame][]*Entity
	// paragraphIndex is the index that an earlier line of the paragraph names.
	paragraphIndex *Index
	// fields are the access patterns whose headings have their parts as list items.
	fields map[*frame]*Pattern
	// keysOfSome are the first lines that speak of the key of an index without its name.
	keysOfSome map[*Table]int
	// settings that stand outside of any table's section.
	everywhere []func(*Table)
}

// places gives every block its place, and reads titles.
func (r *reader) places() {
	var top *frame
	pop := func(level int) {
		for top != nil && top.level >= level {
			top = top.parent
		}
	}
	push := func(level int, title inline) {
		top = &frame{parent: top, level: level, title: title, topic: topicOf(title.text)}
	}
	var last *block
	for _, b := range r.blocks {
		switch b.kind {
		case headingBlock:
			pop(b.level)
			push(b.level, b.text)
			if r.doc.Title == "" && b.level <= 2 {
				r.doc.Title = b.text.text
			}
		case textBlock:
			if b.level == 0 {
				pop(itemLevel)
			}
			switch {
			case isLabel(b):
				pop(labelLevel)
				push(labelLevel, b.text)
			case b.level == 0 && b.first && last != nil && last.kind != textBlock && last.kind != headingBlock:
				pop(labelLevel)
			}
		case itemBlock:
			pop(itemLevel + b.level)
			push(itemLevel+b.level, b.text)
			if !strings.HasSuffix(b.text.text, ":") {
				top.topic = noTopic
			}
		case gridBlock, codeBlock:
			pop(itemLevel + b.level + 1) // the item in which it stands remains
		}
		if top == nil {
			push(0, inline{})
		}
		b.frame = top
		last = b
		for _, text := range append([]inline{b.text}, b.header...) {
			r.mention(text)
		}
		for _, row := range b.rows {
			for _, cell := range row {
				r.mention(cell)
			}
		}
	}
}

func (r *reader) mention(text inline) {
	for _, s := range text.spans {
		r.doc.Mentions = append(r.doc.Mentions, Mention{Line: text.line, Text: text.part(s), Code: s.code})
	}
}

// isLabel reports whether a line stands alone as the title of what follows: it
// is bold as a whole, or short and ends in a colon.
func isLabel(b *block) bool {
	text := strings.TrimRight(b.text.text, " ")
	if text == "" || len(text) > 80 || b.level > 0 {
		return false
	}
	if strings.HasSuffix(text, ":") {
		return !strings.ContainsAny(text, ".,;")
	}
	return b.alone && len(b.text.spans) == 1 && !b.text.spans[0].code && b.text.spans[0].from == 0 && b.text.spans[0].to >= len(text)
}

// unread notes what looked like a fact.
func (r *reader) unread(line int, text, why string) {
	if len(r.doc.Unread) < 1000 {
		r.doc.Unread = append(r.doc.Unread, Unread{Line: line, Text: text, Why: why})
	}
}

// tableOf returns the table that a block speaks of.
func (r *reader) tableOf(b *block) *Table {
	table, _ := r.table(b.frame, b.line)
	return table
}

// table returns the table that a place speaks of: that of its section, the only
// one, or the last one above. Guessed for the last.
func (r *reader) table(f *frame, line int) (*Table, Sure) {
	if at := f.up(func(f *frame) bool { return f.table != nil }); at != nil {
		return at.table, Said
	}
	switch len(r.doc.Tables) {
	case 0:
		table := &Table{At: At{line, Guessed}}
		r.doc.Tables = append(r.doc.Tables, table)
		return table, Guessed
	case 1:
		return r.doc.Tables[0], Said
	}
	above := r.doc.Tables[0]
	for _, table := range r.doc.Tables {
		if table.Line <= line && table.Line > above.Line {
			above = table
		}
	}
	return above, Guessed
}

var notAlnum = lazyregexp.New(`[^a-z0-9]+`)

// plain is a name without case, separators and placeholders, to compare names
// that are spelt differently.
func plain(name string) string {
	return notAlnum.ReplaceAllString(strings.ToLower(placeholder.ReplaceAllString(name, "")), "")
}

// addTable returns the table of that name, new or known.
func (r *reader) addTable(name string, at At) *Table {
	if known := r.known(name); known != nil && known.Name != "" {
		return known
	}
	if len(r.doc.Tables) == 1 && r.doc.Tables[0].Name == "" {
		// What was read before the table had a name is about this one.
		table := r.doc.Tables[0]
		table.Name, table.At = name, at
		return table
	}
	table := &Table{At: at, Name: name}
	r.doc.Tables = append(r.doc.Tables, table)
	return table
}

// addIndex returns the table's index of that name, new or known.
func (t *Table) addIndex(name string, at At) *Index {
	for _, index := range t.Indexes {
		if plain(index.Name) == plain(name) {
			if at.Sure == Said && index.Sure == Guessed {
				index.At, index.Name = at, name
			}
			return index
		}
		if index.Sure == Guessed && numbered(name, index.Name) {
			index.At, index.Name = at, name // known by its number so far
			return index
		}
	}
	index := &Index{At: at, Name: name}
	t.Indexes = append(t.Indexes, index)
	return index
}

// numbered reports whether an index is called after its number: GSI1-by-owner after GSI1.
func numbered(name, number string) bool {
	rest, is := strings.CutPrefix(strings.ToLower(name), strings.ToLower(number))
	return is && numberedIndex.MatchString(number) && rest != "" && strings.ContainsAny(rest[:1], "-_")
}

// addKey adds a key attribute, or fills in what is not known of it. A guess
// never displaces what was read.
func addKey(keys []Key, key Key) []Key {
	for i := range keys {
		if keys[i].Role != key.Role {
			continue
		}
		switch {
		case keys[i].Name == key.Name:
			keys[i].Type = cmp.Or(keys[i].Type, key.Type)
			if key.Sure == Said && keys[i].Sure == Guessed {
				keys[i].At = key.At
			}
		case keys[i].Sure == Guessed && key.Sure == Said:
			keys[i] = key
		}
		return keys
	}
	if slices.ContainsFunc(keys, func(k Key) bool { return k.Name == key.Name }) {
		return keys
	}
	return append(keys, key)
}
