package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
)

// leavesOpen are the rules about contradictions and gaps of the text.
var leavesOpen = map[string]func(*looker){
	"attribute-of-two-types": func(l *looker) {
		for _, table := range l.Tables {
			seen := map[string]*reader.Entity{}
			for _, entity := range l.of(table) {
				for _, a := range entity.Attributes {
					if a.Type == "" || a.Type == "NULL" || a.Sure != reader.Said {
						continue
					}
					before, has := seen[a.Name]
					if !has {
						before, seen[a.Name] = entity, entity
					}
					if first, _ := before.Attribute(a.Name); first.Type != a.Type {
						l.sayOf(entity.Title+"/"+a.Name, a.Line, []int{first.Line}, "%s is %s in %s and %s in %s", a.Name, a.Type, entity.Title, first.Type, before.Title)
					}
				}
			}
		}
	},
	"scan": func(l *looker) {
		if l.word("scans-accepted").MatchString(l.whole) || l.little() {
			return
		}
		together := map[int][]*reader.Pattern{} // by the table of Markdown that has them
		read := map[string]bool{}               // the title of a request that is read says itself what it is
		for _, p := range l.Patterns {
			read[p.Title] = p.Requests() || read[p.Title]
			around := p.Title + "\n" + p.Text + "\n" + strings.Join(l.Between(p.RequestLine()-4, p.RequestLine()), "\n")
			scans := p.Operation == "Scan" || p.Listed && l.word("else-scans").MatchString(p.Text)
			if scans && p.Limit == 0 && !l.word("exports").MatchString(p.Title+"\n"+p.Text) && (p.Listed || !l.word("no-pattern").MatchString(l.word("import-line").ReplaceAllString(around, ""))) {
				grid := slices.IndexFunc(l.Grids, func(g reader.Grid) bool {
					return slices.ContainsFunc(g.Rows, func(row reader.GridRow) bool { return row.Line == p.RequestLine() })
				})
				switch {
				case l.excused(p), l.word("small-table").MatchString(p.Text), l.saidOf(p.Title, l.word("small-table")):
				case p.Index != "":
					l.sayOf(p.Title, p.RequestLine(), nil, "%q reads the whole index %s", p.Title, p.Index)
				case grid >= 0:
					together[grid] = append(together[grid], p)
				default:
					l.sayOf(p.Title, p.RequestLine(), nil, "%q reads the whole table", p.Title)
				}
			}
		}
		for _, grid := range slices.Sorted(maps.Keys(together)) {
			var titles []string
			var at []int
			for _, p := range together[grid] {
				titles, at = append(titles, fmt.Sprintf("%q", p.Title)), append(at, p.RequestLine())
			}
			verb := map[bool]string{true: "reads", false: "read"}[len(at) == 1]
			l.sayOf(together[grid][0].Title, at[0], at, "%s %s the whole table", strings.Join(titles, ", "), verb)
		}
		var found, all []place
		for _, u := range l.Unread {
			said := read[u.Text] || slices.ContainsFunc(l.Between(u.Line, u.Line+3), l.word("small-table").MatchString) || u.Last > 0 || l.word("exports").MatchString(u.Text) || slices.ContainsFunc(l.hits, func(h Hit) bool { return h.Line-3 <= u.Line && u.Line <= h.Line+3 }) || slices.ContainsFunc(found, func(p place) bool { return p.line == u.Line })
			title := strings.Join(strings.Fields(u.Text), " ")
			asked := u.Asked && l.word("scan-asked").MatchString(title) && !l.word("no-scan-asked").MatchString(title)
			switch {
			case said:
			case asked && len(title) < 120 || l.scans(u.Line, &title):
				if !l.toldBelow(func(row reader.GridRow) bool { return row.Line == u.Line }, l.word("compared-head")) {
					found = append(found, place{u.Line, title})
				}
			case l.listsAll(title) && !l.word("listed-else").MatchString(l.whole) && !l.toldBelow(func(row reader.GridRow) bool { return row.Line == u.Line }, l.word("rights-head")):
				all = append(all, place{u.Line, title})
			}
		}
		for _, n := range l.lines(l.word("scan-comment")) {
			known := slices.ContainsFunc(l.Patterns, func(p *reader.Pattern) bool { return n <= p.RequestLine() && p.RequestLine() <= n+3 })
			if said := l.word("scan-comment").FindStringSubmatch(l.Line(n))[1]; !known && !l.word("no-scan-comment").MatchString(l.Line(n)) {
				found = append(found, place{n, said})
			}
		}
		l.sayAll(found, "%s: a Scan reads the whole table")
		l.sayAll(all, "%s: no key of the table or of an index has all of them in one partition; a Scan alone finds them")
	},
	"index-without-key": func(l *looker) {
		var names []string
		var at []int
		all := slices.Clone(l.Loose)
		for _, table := range l.Tables {
			all = append(all, table.Indexes...)
		}
		// The keys of an index by its number, of which it is not said that it is this one.
		numbered := slices.ContainsFunc(l.Unread, func(u reader.Unread) bool { return l.word("numbered-key").MatchString(u.Text) })
		for _, index := range all {
			unread := slices.ContainsFunc(l.Unread, func(u reader.Unread) bool {
				named := slices.ContainsFunc(append([]string{index.Name}, index.Also...), func(name string) bool { return reader.HasWord(u.Text, name) })
				return u.Line == index.Line && l.word("key-given").MatchString(u.Text) || u.Asked && l.word("some-index").MatchString(u.Text) || (u.Line != index.Line || strings.HasPrefix(u.Text, "column ")) && (named || u.Line > index.Line && u.Line < index.Line+8 && (keyWords.MatchString(u.Text) || strings.Contains(l.Line(u.Line), "`")))
			})
			_, behind, _ := strings.Cut(l.Line(index.Line), index.Name)
			unread = unread || numbered || l.word("key-behind").MatchString(behind)
			inColumn := l.toldBelow(func(row reader.GridRow) bool { return row.Line == index.Line }, l.word("key-head"))
			if _, has := index.Key(reader.Hash); !has && index.Sure == reader.Said && !unread && !inColumn {
				names, at = append(names, index.Name), append(at, index.Line)
			}
		}
		if len(at) > 0 {
			l.say(at[0], at, "no line names the partition key of %s", strings.Join(names, ", "))
		}
	},
	"index-without-projection": func(l *looker) {
		var names []string
		var at []int
		read, lines := false, sync.OnceValue(l.tellings)
		for _, table := range l.Tables {
			for _, index := range table.Indexes {
				read = true
				if index.Projection.Value != "" || index.Sure != reader.Said || l.saysProjection(lines(), table, index) {
					continue
				}
				name := index.Name
				if len(l.Tables) > 1 {
					name += " of " + table.Called()
				}
				names, at = append(names, name), append(at, index.Line)
			}
		}
		switch n := l.indexTold(); {
		case len(names) > 0:
			l.say(at[0], at, "no line gives the projection of %s", strings.Join(names, ", "))
		case n > 0 && !read && !l.toldBelow(func(reader.GridRow) bool { return true }, l.word("projecting-head")) && !slices.ContainsFunc(lines(), func(t telling) bool { return t.any }):
			l.say(n, nil, "no line gives the projection of an index")
		}
	},
	"key-without-type": func(l *looker) {
		var names []string
		var at []int
		taken := map[int]int{} // how many types of a line are those of keys
		eachKey(func(_ *looker, _ source, key reader.Key) {
			if key.Type != "" {
				taken[key.Line]++
			}
		})(l)
		untyped := func(table *reader.Table, keys []reader.Key, called string) {
			for _, key := range keys {
				beside := func(n int) bool {
					return reader.HasWord(l.Line(n), key.Name) && len(l.word("type").FindAllString(l.Line(n), -1)) > taken[n]
				}
				above := func(n int) bool { return reader.HasWord(l.Line(n-1), key.Name) }
				typed := slices.ContainsFunc(l.lines(l.word("type")), beside) || slices.ContainsFunc(l.lines(l.word("type-below")), above)
				shown := l.showsText(table, key) || l.word("generic-name").MatchString(key.Name) && slices.ContainsFunc(keys, func(other reader.Key) bool { return l.showsText(table, other) })
				if key.Type == "" && key.Sure == reader.Said && !typed && !shown && l.word("open-type").MatchString(key.Name) {
					names, at = append(names, key.Name+", a key of "+called), append(at, key.Line)
					return
				}
			}
		}
		for _, table := range l.Tables {
			untyped(table, table.Keys, table.Called())
			for _, index := range table.Indexes {
				untyped(table, index.Keys, index.Name)
			}
		}
		if len(at) > 0 {
			l.say(at[0], at, "no line gives the type of %s", strings.Join(names, ", nor of "))
		}
	},
	"items-without-attributes": func(l *looker) {
		var titles []string
		var at []int
		shown := map[*reader.Entity]bool{}
		for _, x := range l.Examples {
			shown[l.entityOf(x)] = true
		}
		kinds := slices.DeleteFunc(slices.Clone(l.Entities), func(e *reader.Entity) bool { return l.word("no-kind").MatchString(e.Title) })
		for _, entity := range kinds {
			itself := !slices.ContainsFunc(entity.Keys, func(k reader.EntityKey) bool { return string(k.Template) != "{"+k.Attribute+"}" })
			if len(entity.Attributes) == 0 && entity.Sure == reader.Said && !shown[entity] && !itself && !l.word("names").MatchString(l.Line(entity.Line)) &&
				!l.toldBelow(func(row reader.GridRow) bool { return row.Line == entity.Line }, l.word("holds-head")) {
				titles, at = appendNew(titles, entity.Title), append(at, entity.Line)
			}
		}
		if len(at) > 3 && len(at)*4 >= len(kinds)*3 && (len(at) < len(kinds) || l.ofContract()) { // where all lack them it is a map of keys
			l.say(at[0], at, "%d of %d kinds of items have no attributes: %s", len(at), len(kinds), strings.Join(titles, ", "))
		}
	},
	// It is silent where the document lists few patterns, or lists them without keys.
	"entity-without-pattern": eachTable(func(l *looker, s source) {
		table, hash, sort := s.table, s.hash, s.sort
		if len(l.of(table)) < 3 {
			return
		}
		keyed := 0
		for _, p := range l.Patterns {
			if p.Index == "" && slices.ContainsFunc(p.Conditions, func(c reader.Condition) bool {
				return c.Attribute != "" && c.Attribute != hash.Name && c.Attribute != sort.Name && !c.Filter
			}) {
				return // or asks an index that is not read
			}
			if index, is := table.Index(p.Index); p.Index != "" && (!is || !slices.ContainsFunc(l.of(table), func(e *reader.Entity) bool {
				return slices.ContainsFunc(index.Keys, func(k reader.Key) bool { _, has := e.Key(k.Name); return has })
			})) {
				return // of which items are in the index is not known
			}
			if p.Table == table.Name && len(p.Conditions) > 0 {
				keyed++
			}
		}
		if keyed < len(l.of(table))/2 || keyed < 3 {
			return
		}
		for _, k := range l.kinds(s) {
			named := slices.ContainsFunc(l.rest, func(u place) bool {
				own := u.line == k.pk.Line || u.line == k.sk.Line
				prefix := k.sk.Template.Prefix() // that of the partition all its kinds have
				if !strings.Contains(prefix, "#") {
					prefix = k.pk.Template.Prefix()
				}
				return !own && strings.Contains(prefix, "#") && strings.Contains(u.title, prefix)
			})
			if k.Sure == reader.Said && !named && !l.isRead(table, k) && !l.unreadSays(l.word("asks"), k.Title+" "+k.pk.Template.Prefix()+" "+k.sk.Template.Prefix()) {
				l.sayOf(k.Title, k.Line, []int{k.pk.Line, k.sk.Line}, "no access pattern reads %s (%s, %s)", k.Title, k.pk.Template, k.sk.Template)
			}
		}
	}),
	"no-way-from-owner": eachTable(func(l *looker, s source) {
		table, removal := s.table, sync.OnceValue(func() int {
			return slices.IndexFunc(l.Text, func(line string) bool {
				return l.word("removal").MatchString(line) && !l.word("no-removal").MatchString(line)
			})
		})
		for _, entity := range l.of(table) {
			for _, a := range entity.Attributes {
				if l.word("belongs-to").MatchString(a.Name) && !l.unreadSays(l.word("some-index"), a.Name) && !slices.ContainsFunc(entity.Keys, func(key reader.EntityKey) bool {
					defined, is := table.AnyKey(key.Attribute)
					return is && defined.Role == reader.Hash && (key.Attribute == a.Name || slices.Contains(key.Template.Parameters(), a.Name) || owner(key.Template))
				}) && removal() >= 0 {
					l.say(removal()+1, []int{a.Line, entity.Line}, "what belongs to a user is removed, and no key leads from %s to %s", a.Name, table.Called())
				}
			}
		}
	}),
	"time-to-live-without-attribute": eachTable(func(l *looker, s source) {
		shown := slices.ContainsFunc(l.Examples, func(x *reader.Example) bool { _, has := x.Member("ttl"); return has })
		if ttl := s.table.TTL; ttl != nil && ttl.Value == "" && !shown && !l.word("no-ttl").MatchString(l.Line(ttl.Line)) {
			l.say(ttl.Line, nil, "items of %s expire, and no line names the attribute", s.table.Called())
		}
	}),
	"period-without-attribute": func(l *looker) {
		var found []place
		eachTable(func(l *looker, s source) {
			kinds := l.of(s.table)
			if s.table.TTL != nil || !slices.ContainsFunc(kinds, func(e *reader.Entity) bool { return len(l.attributes(e)) > 2 }) || slices.ContainsFunc(kinds, func(e *reader.Entity) bool {
				return slices.ContainsFunc(l.attributes(e), func(a reader.Attribute) bool { return l.word("ends-by").MatchString(a.Name) })
			}) {
				return
			}
			for _, n := range l.lines(l.word("period-told")) { // "WrongAnswers: 90 days", below a title on TTL
				told := l.word("period-told").FindStringSubmatch(l.Line(n))[1]
				if (sameWords(told, s.table.Name) || sameWords(told, shortName.ReplaceAllString(s.table.Name, ""))) && l.word("ttl-head").MatchString(l.introduced(n)) {
					found = append(found, place{n, told})
				}
			}
		})(l)
		l.sayAll(found, "%s: items that expire, and none of the attributes that they are said to have tells when")
	},
}

// shortName matches the first word of a table's name, which a list of its tables leaves out.
var shortName = lazyregexp.New(`^[^-_]+[-_]`)

// indexNumber matches the number with which an index is called, and its keys.
var indexNumber = lazyregexp.New(`(?i)^[GL]SI_?\d+`)

// numberOf is that number: GSI1 of gsi1pk, "" for none.
func numberOf(name string) string { return strings.ToUpper(indexNumber.FindString(name)) }

// showsText reports whether the form of a key has literal text, or an example has a text for it.
func (l *looker) showsText(table *reader.Table, key reader.Key) bool {
	return slices.ContainsFunc(l.of(table), func(e *reader.Entity) bool { form, _ := e.Key(key.Name); return form.Template.Prefix() != "" }) ||
		slices.ContainsFunc(l.lines(l.word("text-form")), func(n int) bool { return l.word("text-form").FindStringSubmatch(l.Line(n))[1] == key.Name }) ||
		slices.ContainsFunc(l.Examples, func(x *reader.Example) bool {
			m, _ := x.Member(key.Name)
			return m.Type == "S" && l.tableOf(x) == table
		})
}

// indexTold is the first line that gives the keys of an index, or has them close below it, 0 for none.
func (l *looker) indexTold() int {
	for _, n := range l.lines(l.word("index-told")) {
		if !slices.ContainsFunc(l.Between(n-1, n), l.word("no-index").MatchString) && !slices.ContainsFunc(l.Between(n, n+8), l.word("none-yet").MatchString) && slices.ContainsFunc(l.Between(n, n+5), l.word("keys-told").MatchString) {
			return n
		}
	}
	return 0
}

// telling is a line that tells what an index projects, where it speaks of one: whether of any, or as carrying attributes, which says so
// in an index's own part alone; and whether it speaks of all.
type telling struct {
	place
	any, carried, all bool
}

// tellings are the lines that tell what indexes project.
func (l *looker) tellings() (lines []telling) {
	for n, line := range l.Text {
		line = l.rule.without(line)
		t := telling{place: place{n + 1, line}, any: l.rule.Unread.MatchString(line) || l.word("projected").MatchString(line), carried: l.word("carried").MatchString(line)}
		if t.any || t.carried {
			t.all = l.word("all-indexes").MatchString(line)
			lines = append(lines, t)
		}
	}
	return lines
}

// saysProjection reports whether one of the lines that tell speaks of an index, read or not: one of its part, one that has
// its name, one that speaks of all indexes, or a cell below such a head of a table.
func (l *looker) saysProjection(lines []telling, table *reader.Table, index *reader.Index) bool {
	last := l.endOfPart(table, index)
	for _, t := range lines {
		own := t.line >= index.Line && t.line <= last
		if t.any && (own || t.all || slices.ContainsFunc(append([]string{index.Name}, index.Also...), func(name string) bool { return reader.HasWord(t.title, name) })) || own && t.carried {
			return true
		}
	}
	return l.toldBelow(func(row reader.GridRow) bool { return row.Line == index.Line || slices.Contains(row.Cells, index.Name) }, l.word("projected"), l.word("projecting-head"))
}

// emptyCell matches a cell that says that there is nothing.
var emptyCell = lazyregexp.New(`(?i)^[\s–—\x60-]*(n/a)?[\s–—\x60-]*$`)

// toldBelow reports whether a row of a table has a cell that says something below one of the heads.
func (l *looker) toldBelow(is func(reader.GridRow) bool, heads ...*lazyregexp.Regexp) bool {
	for _, grid := range l.Grids {
		for i, head := range grid.Header {
			named := slices.ContainsFunc(heads, func(form *lazyregexp.Regexp) bool { return form.MatchString(head) })
			if named && slices.ContainsFunc(grid.Rows, func(row reader.GridRow) bool {
				return i < len(row.Cells) && !emptyCell.MatchString(row.Cells[i]) && is(row)
			}) {
				return true
			}
		}
	}
	return false
}

// scans reports whether a text tells of a Scan, and leaves its clause of it where it is long.
func (l *looker) scans(line int, text *string) bool {
	if l.word("scan-title").MatchString(*text) && slices.ContainsFunc(l.Between(line+1, line+8), l.word("scan-code").MatchString) {
		return !slices.ContainsFunc(l.Between(line, line+8), l.word("other-scan").MatchString)
	}
	at := l.word("scans").FindStringIndex(*text)
	if at == nil || l.word("other-scan").MatchString(*text) {
		return false
	}
	from := strings.LastIndex((*text)[:at[0]], ". ") + 1
	said := (*text)[from:at[1]] + "\n" + l.introduced(line)
	behind, _, _ := strings.Cut((*text)[at[1]:], ". ")
	if to := strings.IndexAny((*text)[at[1]:], ",.;"); len(*text) >= 120 && to >= 0 {
		*text = strings.TrimSpace((*text)[from : at[1]+to])
	}
	return len(*text) < 120 && !l.word("no-scan").MatchString(said) && !l.word("refused").MatchString(behind)
}

// little reports whether a line gives the number of all items, and it is small.
func (l *looker) little() bool { return len(l.lines(l.word("little"))) > 0 }

// excused reports whether the lines of a request, or the paragraph below it, say why it may be a Scan, and what takes its place later.
func (l *looker) excused(p *reader.Pattern) bool {
	said := strings.Join(l.Between(p.RequestLine(), p.Last+3), "\n")
	return l.word("scan-allowed").MatchString(said) && l.word("scan-replaced").MatchString(said)
}

// listsAll reports whether a text asks for all items of a table whose keys, and those of its indexes, are ids of one item or another.
func (l *looker) listsAll(text string) bool {
	asked := l.word("lists-all").FindStringSubmatch(text)
	if asked == nil || l.word("some-index").MatchString(text) || l.unreadSays(l.word("some-index"), asked[1]) {
		return false
	}
	return slices.ContainsFunc(l.Tables, func(t *reader.Table) bool {
		hash, _ := t.Key(reader.Hash)
		own := strings.EqualFold(hash.Name, "id") || sameWords(asked[1], strings.TrimSuffix(strings.ToLower(hash.Name), "id"))
		return own && strings.HasSuffix(strings.TrimSuffix(strings.ToLower(t.Name), "table"), strings.ToLower(asked[1])) && !slices.ContainsFunc(t.Indexes, func(index *reader.Index) bool {
			by, has := index.Key(reader.Hash)
			return !has || !idAlone.MatchString(by.Name) && !l.word("name").MatchString(by.Name)
		})
	})
}

// introduced is what stands above a line and says what it is one of: the heading or the words with a colon, and in a paragraph the line before.
func (l *looker) introduced(line int) string {
	before := ""
	if !l.word("list-item").MatchString(l.Line(line)) {
		before = l.Line(line-1) + "\n"
	}
	for n := line - 1; n > max(0, line-15); n-- {
		if text := strings.TrimRight(l.Line(n), " *_:："); strings.HasPrefix(text, "#") || text != l.Line(n) {
			return before + text
		}
	}
	return before
}

// entityOf returns the kind of item that an example is: the one whose documented
// keys have its form, with the most literal text; nil for none.
func (l *looker) entityOf(x *reader.Example) (found *reader.Entity) {
	for _, entity := range l.Entities {
		fits := len(entity.Table.Keys) > 0 && !slices.ContainsFunc(entity.Table.Keys, func(key reader.Key) bool {
			m, has := x.Member(key.Name)
			own, known := entity.Key(key.Name)
			return !has || !known || own.Sure != reader.Said || !own.Template.Matches(m.Text)
		})
		// The longer literal text decides: META against {anything}.
		if fits && (found == nil || literal(found) < literal(entity)) {
			found = entity
		}
	}
	return found
}

// attributes are those that a kind of item is said to have, or where no line lists any, the members of an example of it.
func (l *looker) attributes(e *reader.Entity) []reader.Attribute {
	if len(e.Attributes) > 0 {
		return e.Attributes
	}
	for _, x := range l.Examples {
		if l.sentOut(x) || l.entityOf(x) != e && (len(l.of(e.Table)) > 1 || l.tableOf(x) != e.Table) {
			continue
		}
		var shown []reader.Attribute
		for _, m := range x.Members {
			shown = append(shown, reader.Attribute{At: reader.At{Line: m.Line, Sure: reader.Said}, Name: m.Name, Type: m.Type})
		}
		return shown
	}
	return nil
}

func literal(e *reader.Entity) int {
	n := 0
	for _, key := range e.Keys {
		n += len(strings.ReplaceAll(key.Template.Shape(), "{}", ""))
	}
	return n
}

func (l *looker) isRead(table *reader.Table, k kind) bool {
	pk, sk := k.pk.Template, k.sk.Template
	for _, p := range l.Patterns {
		if index, is := table.Index(p.Index); is && p.Table == table.Name && slices.ContainsFunc(index.Keys, func(key reader.Key) bool { _, has := k.Key(key.Name); return has }) {
			return true
		}
		if p.Table != table.Name || p.Index != "" {
			continue
		}
		partition, sorted, fits := false, false, false
		for _, c := range p.Conditions {
			switch {
			case c.Value.Shape() == pk.Shape() || c.Value.Prefix() == pk.Prefix() && pk.Prefix() != "" || pk.Matches(string(c.Value)): // or an example of it
				partition = true
			case c.Value != "":
				sorted, fits = true, fits || Overlap(sk, c.Value)
			}
		}
		if partition && (!sorted || fits) {
			return true
		}
	}
	return false
}
