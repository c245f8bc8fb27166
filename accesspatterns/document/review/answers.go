package review

import (
	"cmp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/reader"
)

// answers are the rules about values that somebody asks by or rests on, and about what nothing keeps or removes.
var answers = map[string]func(*looker){
	"kept-for-ever": func(l *looker) {
		if slices.ContainsFunc(l.lines(l.word("ttl-line")), func(n int) bool {
			return !l.word("no-ttl").MatchString(l.Line(n)) && !l.word("ttl-off").MatchString(l.Line(n))
		}) {
			return
		}
		var found []place
		for _, e := range l.Entities {
			sort, _ := e.Table.Key(reader.Range)
			key, _ := e.Key(sort.Name)
			timed := slices.ContainsFunc(key.Template.Parameters(), momentName.MatchString)
			title := spaced(e.Title)
			play := l.word("play-session").MatchString(title) && !l.word("signs-on").MatchString(l.whole)
			if e.Table.TTL == nil && e.Sure == reader.Said && (l.word("short-lived").MatchString(title) && !play || timed && l.word("goes-on-and-on").MatchString(title)) {
				found = append(found, place{e.Line, e.Title})
			}
		}
		l.sayAll(found, "%s: such items come without end, and no line says when they go: neither by TTL nor by hand")
	},
	"writes-without-conditions": func(l *looker) {
		var found []place
		listed := false
		for _, p := range l.Patterns {
			if (p.Operation == "PutItem" || p.Operation == "UpdateItem") && p.Sure == reader.Said {
				listed = true
				if !l.word("of-one-writer").MatchString(spaced(p.Title+" "+p.Table+" "+p.Text)) && !l.word("trial-data").MatchString(l.introduced(p.Line)) {
					found = append(found, place{p.RequestLine(), p.Title})
				}
			}
		}
		for _, n := range l.lines(l.word("write-sent")) {
			if !listed && !l.word("operations").MatchString(l.Line(n)) && !l.word("of-picture").MatchString(l.Line(n)) && !l.word("of-one-writer").MatchString(spaced(l.Line(n))) && !l.word("trial-data").MatchString(l.introduced(n)) && !l.word("perhaps").MatchString(l.Line(n)) && !l.word("adds-up").MatchString(l.Line(n)) {
				found = append(found, place{n, l.word("write-sent").FindStringSubmatch(l.Line(n))[1]})
			}
		}
		l.sayAll(found, "%s: no line speaks of a condition, a version or a lock of a write; a put replaces what has the key already, an update makes an item that is not there, and of two at once the later one stays")
	},
	"index-key-of-no-item": func(l *looker) {
		var found []place
		eachIndex(func(l *looker, s source) { found = append(found, l.spelledOtherwise(s)...) })(l)
		l.sayAll(found, "%s: the key of an index is spelled otherwise than the attribute of the items; an item without exactly this attribute is not in the index")
		if len(found) == 0 {
			var unlisted, empty []place
			eachIndex(func(l *looker, s source) { unlisted = append(unlisted, l.notListed(s)...) })(l)
			l.sayAll(unlisted, "%s: a key of an index, and not among the attributes that the items are said to have; an item without it is not in the index")
			notShown(l)
			eachIndex(func(l *looker, s source) {
				if l.carriedByNone(s) {
					empty = append(empty, place{s.hash.Line, s.hash.Name + " of " + s.index.Name})
				}
			})(l)
			l.sayAll(empty, "%s: the key of an index, and no kind of item is given it; the index stays empty")
		}
	},
	// It is silent where the keys of a table are not read.
	"no-key-answers": func(l *looker) {
		if len(l.Tables) == 0 || slices.ContainsFunc(l.Tables, func(t *reader.Table) bool { _, has := t.Key(reader.Hash); return !has }) {
			return
		}
		partition := func(name string) bool {
			return slices.ContainsFunc(l.Tables, func(t *reader.Table) bool {
				own, _ := t.Key(reader.Hash)
				return own.Name == name || slices.ContainsFunc(t.Indexes, func(x *reader.Index) bool { by, has := x.Key(reader.Hash); return !has || by.Name == name })
			})
		}
		var found []place
		for _, n := range l.lines(l.word("filters-alone")) {
			if asked := l.word("filters-alone").FindStringSubmatch(l.Line(n)); !partition(asked[2]) {
				found = append(found, place{n, asked[1]})
			}
		}
		for _, n := range l.lines(l.word("looked-up-by")) {
			asked := l.word("looked-up-by").FindStringSubmatch(l.Line(n))
			scans := slices.ContainsFunc(l.Between(n-1, n+3), l.word("scan-said").MatchString)
			if name := strings.ReplaceAll(strings.Join(asked[2:], ""), " ", ""); !partition(name) && !scans && !l.saidOf(name, keyWords) && !l.saidOf(name, l.word("in-key")) {
				found = append(found, place{n, asked[1]})
			}
		}
		l.sayAll(found, "%s: what it asks by is the partition key of no table and of no index; a Scan alone finds it")
	},
}

// carriedByNone reports whether an index has a key, by its number, that no kind of item has, nor any example or request. It does not where few kinds have the
// forms of their keys, and where another line than those of the index names it, or says that items carry the keys of the index.
func (l *looker) carriedByNone(s source) bool {
	name := s.hash.Name
	if len(l.kinds(ofTable(s.table))) < 3 || len(s.index.Templates) > 0 || s.hash.Sure != reader.Said || numberOf(name) == "" || slices.ContainsFunc(l.of(s.table), func(e *reader.Entity) bool { return gives(e, name) }) {
		return false
	}
	last := l.endOfPart(s.table, s.index)
	for n, line := range l.Text {
		at := n + 1
		within := at == s.hash.Line || at >= s.index.Line && at <= last || l.word("only-defined").MatchString(line)
		carried := reader.HasWord(line, name) || reader.HasWord(line, s.index.Name) && l.word("carries").MatchString(line)
		if !within && carried || within && l.word("given").MatchString(line) {
			return false
		}
	}
	return true
}

// notListed looks for the key of an index that is none of the listed attributes. It is silent where those of a kind of item are not listed.
func (l *looker) notListed(s source) (found []place) {
	kinds := l.of(s.table)
	if len(kinds) == 0 || slices.ContainsFunc(kinds, func(e *reader.Entity) bool { return len(e.Attributes) < 4 }) {
		return nil
	}
	for _, key := range s.index.Keys {
		_, own := s.table.KeyNamed(key.Name)
		listed := slices.ContainsFunc(kinds, func(e *reader.Entity) bool {
			return slices.ContainsFunc(e.Attributes, func(a reader.Attribute) bool { return reader.Plain(a.Name) == reader.Plain(key.Name) }) // as a program spells it
		})
		if !own && !listed && key.Sure == reader.Said && !l.word("generic-name").MatchString(key.Name) && !l.word("called-constant").MatchString(l.Line(key.Line)) && !namesBeside(l, s.table, key.Name) {
			found = append(found, place{key.Line, key.Name + " of " + s.index.Name})
		}
	}
	return found
}

// notShown looks for tables of one kind of item whose items, as they are written out with the keys of the table, lack keys of its indexes. It is
// silent where another line than those of indexes, definitions and requests names the key, unless an item has it within another attribute.
func notShown(l *looker) {
	var found []place
	eachTable(func(l *looker, s source) {
		var shown []*reader.Example
		for _, x := range l.Examples {
			if l.tableOf(x) == s.table && !l.sentOut(x) {
				shown = append(shown, x)
			}
		}
		if len(shown) == 0 || len(s.keys) == 0 || len(l.of(s.table)) > 1 || slices.ContainsFunc(shown, func(x *reader.Example) bool {
			return len(x.Members) < 4 || slices.ContainsFunc(s.keys, func(key reader.Key) bool { _, has := x.Member(key.Name); return !has })
		}) {
			return
		}
		if slices.ContainsFunc(shown, func(x *reader.Example) bool { return beginning(x, s.sort.Name) != beginning(shown[0], s.sort.Name) }) {
			return // META# and URL#...: of several kinds
		}
		var lacks []string
		for _, index := range s.table.Indexes {
			for _, key := range index.Keys {
				given := slices.ContainsFunc(l.of(s.table), func(e *reader.Entity) bool { _, listed := e.Attribute(key.Name); return listed }) ||
					slices.ContainsFunc(shown, func(x *reader.Example) bool { _, has := x.Member(key.Name); return has })
				within := slices.ContainsFunc(shown[0].Members, func(m reader.Member) bool {
					return slices.ContainsFunc(m.Members, func(n reader.Member) bool { return n.Name == key.Name })
				})
				if !given && key.Sure == reader.Said && !l.word("made-of").MatchString(l.Line(key.Line)) && (within && !saidToHave(l, key.Name) || !namesBeside(l, s.table, key.Name)) {
					lacks = appendNew(lacks, key.Name)
				}
			}
		}
		if len(lacks) > 0 {
			found = append(found, place{shown[0].Line, s.table.Called() + " without " + strings.Join(lacks, ", ")})
		}
	})(l)
	l.sayAll(found, "%s: the item, as it is written out, lacks keys of indexes; an item without them is not in the index")
}

// beginning is what comes before the first "#" of a member of an item; "" where none is.
func beginning(x *reader.Example, name string) string {
	member, _ := x.Member(name)
	return member.Text[:max(0, strings.Index(member.Text, "#"))]
}

// namesBeside reports whether a line of a table's section names an attribute that is none of an index's part, of a definition or of a request,
// or a line that no form reads says that an item has it.
func namesBeside(l *looker, table *reader.Table, name string) bool {
	for n, line := range l.Between(table.Line, l.endOfTable(table)) {
		at := max(table.Line, 1) + n
		asked := slices.ContainsFunc(l.Unread, func(u reader.Unread) bool { return u.Asked && u.Line == at })
		if reader.HasWord(line, name) && !asked && !slices.ContainsFunc(l.Tables, func(t *reader.Table) bool {
			return slices.ContainsFunc(t.Indexes, func(x *reader.Index) bool {
				return x.Line <= at && at <= l.endOfPart(t, x) && !l.word("item-has").MatchString(line) || slices.ContainsFunc(x.Keys, func(key reader.Key) bool { return key.Line == at })
			})
		}) && !slices.ContainsFunc(l.Patterns, func(p *reader.Pattern) bool { return p.RequestLine() <= at && at <= p.Last }) && !l.word("only-defined").MatchString(line) {
			return true
		}
	}
	return saidToHave(l, name)
}

// saidToHave reports whether a line that no form reads says that an item has an attribute.
func saidToHave(l *looker, name string) bool {
	return slices.ContainsFunc(l.rest, func(u place) bool { return reader.HasWord(u.title, name) && l.word("item-has").MatchString(u.title) })
}

// spelledOtherwise are the keys of an index whose names the table's part has nowhere else, and has with other letters: project_id beside projectId.
func (l *looker) spelledOtherwise(s source) (found []place) {
	defines := func(n int) bool { // an index
		return slices.ContainsFunc(s.table.Indexes, func(x *reader.Index) bool {
			return x.Line == n || slices.ContainsFunc(x.Keys, func(key reader.Key) bool { return key.Line == n })
		})
	}
	for _, key := range s.index.Keys {
		other, own := "", key.Sure != reader.Said || strings.HasPrefix(key.Name, "_")
		for n := s.table.Line; n <= l.endOfTable(s.table); n++ {
			if defines(n) {
				continue
			}
			for _, name := range l.word("any-name").FindAllString(l.Line(n), -1) {
				own = own || name == key.Name
				if !strings.EqualFold(name, key.Name) && reader.Plain(name) == reader.Plain(key.Name) {
					other = cmp.Or(other, name)
				}
			}
		}
		if other != "" && !own {
			found = append(found, place{key.Line, key.Name + " beside " + other})
		}
	}
	return found
}
