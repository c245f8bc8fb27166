package review

import (
	"regexp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
)

// cannotWork are the rules about what DynamoDB refuses.
var cannotWork = map[string]func(*looker){
	"range-on-partition-key": eachRequest(func(l *looker, r request) {
		said := len(l.hits)
		for _, c := range r.Conditions { // where no key is read, a key by its name
			asked := c.Attribute != "" && c.Attribute == r.hash.Name || r.table == nil && r.Index == "" && l.word("partition-name").MatchString(c.Attribute)
			otherwise := r.table == nil && l.word("no-query").MatchString(r.Text) || l.word("goes-on").MatchString(r.Text) || c.Operator == "BETWEEN" && c.Value == "" && c.High == ""
			if asked && !c.Filter && c.Operator != "=" && c.Operator != "" && r.Operation != "Scan" && !otherwise {
				l.sayOf(r.Title, c.Line, []int{r.hash.Line}, "%q asks for %s, and %s is a partition key: it takes = alone", r.Title, c, c.Attribute)
			}
		}
		for n, line := range l.Between(r.Line, r.Last) { // a whole key condition, whatever the keys are
			if r.Operation == "Query" && r.hash.Name == "" && len(l.hits) == said && l.word("no-equality").MatchString(line) {
				l.sayOf(r.Title, r.Line+n, nil, "%q has a key condition without an equality: a Query takes the whole value of one partition key", r.Title)
			}
		}
	}),
	"query-without-partition-key": eachRequest(func(l *looker, r request) {
		if r.Operation != "Query" || r.hash.Name == "" || r.partition.Operator != "" {
			return
		}
		byKey, spelt := false, 0
		for _, c := range r.Conditions {
			key, is := r.table.AnyKey(c.Attribute)
			if byKey, spelt = byKey || is && !c.Filter && c.Operator == "=", spelt+strings.Count(string(c.Value)+string(c.High), "#"); is && key.Role == reader.Hash && r.Index == "" && !c.Filter {
				l.sayOf(r.Title, c.Line, []int{key.Line}, "%q is a Query by %s, a key of an index, and names no index: DynamoDB looks for it in the key of %s", r.Title, c.Attribute, r.table.Called())
				return
			}
		}
		unread := strings.Count(r.Text, "#") > spelt || reader.HasWord(r.Text, r.hash.Name) || saysOwner(r) || l.word("partition-in-words").MatchString(r.Text) // a value, or a word for one, that no form reads
		if c := r.sorted; c.Operator != "" && !unread && (!r.Listed || c.Operator == "begins_with" || c.Operator == "BETWEEN" || strings.Contains(r.Text, "Query(")) {
			l.sayOf(r.Title, c.Line, []int{r.hash.Line}, "%q has a condition on the sort key %s and none on the partition key %s", r.Title, r.sort.Name, r.hash.Name)
		}
		for i := 0; i < len(r.Conditions) && r.Index == "" && !byKey && r.Sure == reader.Said && r.hash.Sure == reader.Said; i++ {
			c := r.Conditions[i]
			for _, entity := range l.of(r.table) {
				if a, has := entity.Attribute(c.Attribute); has && !c.Filter && c.Operator == "=" && a.Sure == reader.Said && !l.calledKey(c.Attribute) {
					l.say(r.Line, []int{r.hash.Line, a.Line}, "%q is a Query by %s, which is the partition key of neither %s nor an index of it", r.Title, c.Attribute, r.table.Called())
					return
				}
			}
		}
	}),
	"key-of-both-roles": keysSaid(func(_ *looker, s source, key reader.Key) bool {
		return key.Role == reader.Range && key.Name == s.hash.Name
	}, "%s is the partition key and the sort key of %s"),
	"key-in-a-map": keysSaid(func(l *looker, s source, key reader.Key) bool {
		within, _, is := strings.Cut(key.Name, ".")
		return is && (slices.ContainsFunc(l.of(s.table), func(e *reader.Entity) bool { a, has := e.Attribute(within); return has && a.Type == "M" }) ||
			slices.ContainsFunc(l.Examples, func(x *reader.Example) bool {
				m, has := x.Member(within)
				return has && len(m.Members) > 0 && l.tableOf(x) == s.table
			}))
	}, "%s is within a map: DynamoDB takes top-level attributes alone for a key of %s"),
	"get-without-whole-key": eachRequest(func(l *looker, r request) {
		if !slices.Contains([]string{"GetItem", "UpdateItem", "DeleteItem"}, r.Operation) || r.Index != "" || r.sort.Name == "" || r.sort.Sure != reader.Said || r.partition.Operator == "" || r.sorted.Operator != "" {
			return
		}
		partly := slices.ContainsFunc(l.Unread, func(u reader.Unread) bool { return u.Line == r.Line && u.Asked }) // the other key may stand there
		all := slices.DeleteFunc(slices.Clone(l.of(r.table)), func(e *reader.Entity) bool {
			hash, is := e.Key(r.hash.Name)
			return !is || r.partition.Value.Prefix() == "" || hash.Template.Shape() != r.partition.Value.Shape()
		})
		unread := len(all) == 0
		all = slices.DeleteFunc(all, func(e *reader.Entity) bool {
			k, has := e.Key(r.sort.Name)
			return !has || len(k.Template.Parameters()) > 0
		})
		one := len(all) == 1 && !strings.Contains(r.Text, "Item(") || // in words, and of the one kind whose sort key is a constant
			unread && r.partition.Value.Prefix() != "" && len(l.of(r.table)) > 0 // or of a kind that no form reads
		if !partly && !one && !l.wholeKey(r) {
			l.sayOf(r.Title, r.Line, []int{r.sort.Line}, "%q is a %s by %s alone, and the key has the sort key %s too", r.Title, r.Operation, r.hash.Name, r.sort.Name)
		}
	}),
	"get-on-index": eachRequest(func(l *looker, r request) {
		if r.Operation == "GetItem" && r.Index != "" && r.partition.Operator != "" {
			l.sayOf(r.Title, r.Line, []int{r.hash.Line}, "%q is a GetItem of the index %s: only Query and Scan read an index", r.Title, r.Index)
		}
	}),
	"half-a-sort-key": func(l *looker) {
		places, partition := map[titledForm][]int{}, map[titledForm]bool{} // the patterns by the form of which they ask for a part
		eachRequest(func(l *looker, r request) {
			for _, c := range []reader.Condition{r.partition, r.sorted} {
				asked, forms := c.Value, l.forms(r, c.Attribute)
				if c.Operator != "=" || r.Sure != reader.Said && c != r.partition || strings.TrimRight(string(asked), "#:|/") == string(asked) || slices.ContainsFunc(forms, func(form titledForm) bool { return form.Template.Shape() == asked.Shape() }) {
					continue
				}
				if at := slices.IndexFunc(forms, func(form titledForm) bool { return strings.HasPrefix(form.Template.Shape(), asked.Shape()) }); at >= 0 {
					places[forms[at]] = append(places[forms[at]], r.Line)
					partition[forms[at]] = c == r.partition
				}
			}
		})(l)
		for form, lines := range places { // in the order of their lines in the end
			instead := map[bool]string{false: "and begins_with its beginning", true: "which is how a partition is found"}[partition[form]]
			l.sayOf(form.Attribute, lines[0], append(lines, form.Line), "%s is asked for by equality with a part of it, and goes on behind that: %s; equality compares the whole of a key, %s", form.Attribute, form.Template, instead)
		}
	},
	"refused-parameters": func(l *looker) {
		var mode, capacity, none, untyped []place
		for _, d := range l.Definitions {
			text, at := definedIn(l, d), place{d.Line, d.Table.Called()}
			if len(l.word("definition-name").FindAllString(text, -1)) != 1 || l.word("left-out").MatchString(text) {
				continue // which of several, or a part
			}
			keys := l.word("defines-keys").MatchString(text)
			switch of := l.word("within-index").FindStringSubmatch(text); {
			case of != nil && of[1] == "BillingMode":
				mode = append(mode, at)
			case of != nil && l.word("on-demand").MatchString(text):
				capacity = append(capacity, at)
			case keys && !l.word("mode-told").MatchString(l.whole):
				none = append(none, at)
			}
			if keys && !l.word("defines-types").MatchString(text) {
				untyped = append(untyped, at)
			}
		}
		l.sayAll(mode, "%s: the definition gives an index a billing mode, and is refused; the mode is that of the table")
		l.sayAll(capacity, "%s: the definition gives throughput to an index of a table on demand, and is refused")
		l.sayAll(none, "%s: the definition has neither a billing mode nor throughput; a table without a mode is provisioned, and is refused without its capacity")
		l.sayAll(untyped, "%s: the definition has no attribute definitions, and is refused; each key has its type there")
		if at := l.word("values-twice").FindStringIndex(l.whole); at != nil {
			l.say(strings.Count(l.whole[:at[1]], "\n")+1, nil, "ExpressionAttributeValues is given twice in one request: the last one counts, and the expression lacks the values of the first")
		}
	},
	"batch-cannot-update": func(l *looker) {
		l.sayAll(l.asking(func(p *reader.Pattern) bool {
			return p.Operation == "BatchWriteItem" && l.word("updates").MatchString(p.Title) && !l.word("puts").MatchString(p.Text)
		}, nil), "%s: an update by BatchWriteItem, which puts and deletes whole items alone")
	},
	"undefined-index": func(l *looker) {
		// One index that is not defined is one hit, with all patterns that name it.
		seen := map[string]bool{}
		if l.word("indexes-together").MatchString(l.whole) {
			return // a sentence gives the keys of several at once
		}
		counted := l.word("indexes-counted").MatchString(l.whole) && !slices.ContainsFunc(l.Tables, func(t *reader.Table) bool { return len(t.Indexes) > 0 })
		for _, p := range l.Patterns {
			if counted && l.word("index-number").MatchString(p.Index) {
				continue // one of those that the text counts and does not write out
			}
			table := l.Table(p.Table)
			joined := strings.ContainsAny(p.Index, "{$") // a name that is put together cannot be looked for
			if table == nil && (p.Table != "" || len(l.Tables) == 0) || p.Index == "" || joined || seen[p.Index] || l.namedElsewhere(p.Index, p) || slices.ContainsFunc(l.Tables, func(t *reader.Table) bool { _, is := t.Index(p.Index); return is }) {
				continue
			}
			seen[p.Index] = true
			also := []int{}
			if table != nil {
				also = append(also, table.Line)
			}
			for _, other := range l.Patterns {
				if other.Index == p.Index {
					also = append(also, other.RequestLine())
				}
			}
			l.sayOf(p.Title, p.RequestLine(), also, "%q reads the index %s, which no line defines", p.Title, p.Index)
		}
	},
	"key-of-wrong-type": func(l *looker) {
		keysGiven(func(_, given string) bool { return given != "" && !scalar(given) }, "%[1]s is a key of %[2]s, and is given as %[4]s here: a key is S, N or B")(l)
		var told []place
		eachIndex(func(l *looker, s source) { // in a list of attributes that is of no kind of item
			for _, n := range l.lines(l.word("boolean-told")) {
				name := l.word("boolean-told").FindStringSubmatch(l.Line(n))[1]
				at := slices.IndexFunc(s.keys, func(key reader.Key) bool { return key.Name == name && key.Type == "" })
				if at >= 0 && !slices.ContainsFunc(l.hits, func(h Hit) bool { return h.About == name }) && s.table.Line <= n && n <= l.endOfTable(s.table) && !slices.ContainsFunc(l.lines(l.word("key-values")), func(n int) bool { return reader.HasWord(l.Line(n), name) }) {
					told = append(told, place{s.keys[at].Line, name + " of " + s.called})
				}
			}
		})(l)
		l.sayAll(told, "%s: a key, and given as a Boolean; a key is S, N or B")
		eachKey(func(l *looker, s source, key reader.Key) {
			if key.Type == "" && key.Sure == reader.Said && l.word("flag").MatchString(key.Name) && !l.word("no-flag").MatchString(key.Name) && !l.saidOf(key.Name, l.word("key-values")) {
				l.sayOf(key.Name, key.Line, nil, "%s is a key of %s, and reads like true or false: a key is S, N or B, and an item with a Boolean there is refused", key.Name, s.called)
			}
		})(l)
	},
	"key-of-two-types": keysGiven(func(key, given string) bool { return key != "" && scalar(given) }, "%[1]s is a key of %[2]s with type %[3]s, and is given as %[4]s here"),
	"null-index-key": func(l *looker) {
		for _, x := range l.Examples {
			table := l.tableOf(x)
			for i := 0; table != nil && i < len(x.Members) && !l.sentOut(x); i++ {
				m := x.Members[i]
				if key, is := table.AnyKey(m.Name); is && (m.Type == "NULL" || m.Type == "S" && m.Text == "") {
					l.say(m.Line, []int{key.Line}, "%s is a key attribute, and is %s here: leave it out", m.Name, map[bool]string{true: "null", false: "empty"}[m.Type == "NULL"])
				}
			}
		}
		var told []place
		eachIndex(func(l *looker, s source) {
			for _, key := range s.keys {
				for _, n := range l.lines(l.word("null-told")) {
					_, behind, _ := strings.Cut(l.Line(n), key.Name)
					if behind = strings.TrimPrefix(behind, "`"); strings.ContainsAny(behind, ",`;") {
						behind = behind[:strings.IndexAny(behind, ",`;")] // or of the next attribute
					}
					ofTable := len(l.Tables) == 1 || s.table.Line <= n && n <= l.endOfTable(s.table)
					if !ofTable || !reader.HasWord(l.Line(n), key.Name) || !l.word("null-told").MatchString(behind) || l.word("left-away").MatchString(l.Line(n)) {
						continue
					}
					seen := slices.ContainsFunc(l.hits, func(h Hit) bool { return h.Line == n }) || slices.ContainsFunc(l.Examples, func(x *reader.Example) bool {
						return slices.ContainsFunc(x.Members, func(m reader.Member) bool { return m.Line == n }) && l.sentOut(x)
					})
					if !seen {
						told = append(told, place{n, key.Name + " of " + s.called})
					}
				}
			}
		})(l)
		l.sayAll(told, "%s: a key attribute of an index, and null here: leave it out, which keeps an item out of the index")
	},
	"consistent-read-of-index": eachRequest(func(l *looker, r request) {
		if r.Consistent && r.index != nil && !r.index.Local && !l.word("negated").MatchString(r.Text) {
			l.sayOf(r.Title, r.Line, []int{r.index.Line}, "%q asks the global index %s for a consistent read", r.Title, r.index.Name)
		}
	}),
	"pattern-without-entity": func(l *looker) {
		anotherTable(l)
		eachTable(wordOfForm)(l)
		eachRequest(asksForNone)(l)
	},
	"pattern-lacks-index-keys": eachRequest(func(l *looker, r request) {
		if r.index == nil || r.partition.Value == "" || len(r.partition.Value.Parameters()) > 0 {
			return
		}
		if _, isTable := r.table.KeyNamed(r.hash.Name); isTable {
			return
		}
		for _, entity := range l.of(r.table) {
			end := until(l, l.Entities, entity.Line, func(e *reader.Entity) int { return e.Line })
			if !gives(entity, r.hash.Name) && len(entity.Attributes) > 0 && !l.unreadNames(r.hash.Name, entity.Line, end) && l.isOf(entity, r.table, string(r.partition.Value)) {
				l.say(r.Line, []int{entity.Line}, "%q reads %s, whose key %s is not among the attributes of %s", r.Title, r.Index, r.hash.Name, entity.Title)
			}
		}
	}),
	// An attribute that a list of the item names without a form counts as there.
	"half-an-index-key": eachIndex(func(l *looker, s source) {
		table, hash, sort := s.table, s.hash, s.sort
		for _, entity := range l.of(table) {
			form, given := entity.Key(hash.Name)
			_, isTable := table.KeyNamed(hash.Name)
			if _, sorts := table.KeyNamed(sort.Name); l.unreadNames(sort.Name, 1, len(l.Text)) || sort.Name == "" || hash.Sure != reader.Said || !given || isTable || sorts || gives(entity, sort.Name) || form.Sure != reader.Said || string(form.Template) == "{"+hash.Name+"}" {
				continue // or an attribute that is in the index by the way
			}
			if l.givenBelow(sort.Name, form.Line) || slices.ContainsFunc(l.lines(l.word("out-of-index")), func(n int) bool { return n == form.Line || reader.HasWord(l.Line(n), s.index.Name) }) {
				continue
			}
			l.sayOf(entity.Title+"/"+s.index.Name, form.Line, []int{s.index.Line}, "%s has %s and not %s: it is not in %s, whose key is both", entity.Title, hash.Name, sort.Name, s.index.Name)
		}
	}),
	"ttl-not-a-number": func(l *looker) {
		eachTable(func(l *looker, s source) {
			if ttl := s.table.TTL; ttl != nil && ttl.Value != "" && !l.word("setting-name").MatchString(ttl.Value) {
				l.ttlType(s.table)
			}
		})(l)
		l.ttlShown()
	},
}

// asksForNone looks for keys that no kind of item has. It is silent where the forms of all items are not known.
func asksForNone(l *looker, r request) {
	of, sought, asked := r.index != nil, r.partition.Value.Prefix(), r.partition.String()
	if r.partition.Operator != "=" || r.Sure != reader.Said || sought == "" || of && len(r.index.Templates) > 0 {
		return
	}
	if !of {
		if prefix := r.sorted; len(r.partition.Value.Parameters()) == 0 || prefix.Value.Prefix() == "" || prefix.Operator != "=" && prefix.Operator != "begins_with" {
			return
		}
		sought, asked = r.sorted.Value.Prefix(), asked+" with "+r.sorted.String()
	}
	var also []int
	for _, entity := range l.of(r.table) {
		pk, hasPK := entity.Key(r.hash.Name)
		sk, hasSK := entity.Key(r.sort.Name)
		switch {
		case of && !hasPK:
			continue // and is not in the index
		case pk.Template.Prefix() == "" || meets(pk.Template, r.partition.Value) && (of || !hasSK || sk.Template.Prefix() == "" || Overlap(sk.Template, r.sorted.Value)):
			return // it has such a key, or not all is known
		case of && l.word("capitals").MatchString(string(pk.Template)) && !l.word("capitals").MatchString(string(r.partition.Value)):
			return // the form is perhaps the word for a value
		}
		also = append(also, pk.Line)
	}
	if sought = strings.TrimRight(sought, "#:|/"); len(also) > 1 && !slices.ContainsFunc(l.Unread, func(u reader.Unread) bool {
		return (u.Line < r.Line || u.Line > r.Last) && (strings.Contains(u.Text, sought) || of && reader.HasWord(u.Text, r.hash.Name))
	}) {
		l.sayOf(r.Title, r.Line, also, "%q reads %s, and no item of the document has such a key: it finds nothing", r.Title, asked)
	}
}

// definedIn is the text of a definition, in a fence that may have several.
func definedIn(l *looker, d reader.Definition) string {
	first, last, begins := d.Line, d.Line, l.word("definition-begins")
	for first > max(1, d.Line-40) && !begins.MatchString(l.Line(first)) {
		first--
	}
	for last < d.Last && !begins.MatchString(l.Line(last+1)) {
		last++
	}
	return strings.Join(l.Between(first, last), "\n")
}

// filtersKey reports whether a Query filters by a key of what it reads.
func filtersKey(r request, c reader.Condition) bool {
	own := c.Attribute == r.hash.Name || c.Attribute == r.sort.Name || numberOf(c.Attribute) != "" && numberOf(c.Attribute) == numberOf(r.Index)
	return c.Filter && c.Attribute != "" && own && (r.Operation == "Query" || r.Index != "" && r.Operation == "")
}

// gives reports whether a kind of item is given an attribute, with a form or in its list.
func gives(e *reader.Entity, name string) bool {
	_, form := e.Key(name)
	_, listed := e.Attribute(name)
	return form || listed
}

// scalar reports whether a key can have the type.
func scalar(kind string) bool { return kind == "S" || kind == "N" || kind == "B" }

// isOf reports whether the last key of a kind of item begins with a word and an id alone: TASK#{id}.
func (l *looker) isOf(entity *reader.Entity, table *reader.Table, word string) bool {
	if len(table.Keys) == 0 {
		return false
	}
	own, has := entity.Key(table.Keys[len(table.Keys)-1].Name)
	return has && strings.Trim(own.Template.Prefix(), "#:|/_") == word && len(own.Template.Parameters()) == 1 && sameWords(entity.Title, word)
}

// givenBelow reports whether a row has anything in the cell below an attribute's name, read or not.
func (l *looker) givenBelow(name string, line int) bool {
	return l.toldBelow(func(row reader.GridRow) bool { return row.Line == line }, lazyregexp.New(`^\W*`+regexp.QuoteMeta(name)+`\W*$`))
}

// sentOut reports whether an example is what a client is sent, by the line that introduces it.
func (l *looker) sentOut(x *reader.Example) bool {
	return l.word("answered").MatchString(l.introduced(x.Line))
}

// wholeKey reports whether the words of a request, or the lines of its code, have the sort key in a form that is not read.
func (l *looker) wholeKey(r request) bool {
	apart := strings.ToLower(lazyregexp.New(`([a-z])[_-]?([A-Z])`).ReplaceAllString(r.sort.Name, "$1 $2"))
	assigned := lazyregexp.New(`\w\[["']` + regexp.QuoteMeta(r.sort.Name) + `["']\]\s*=`)
	return strings.Contains(apart, " ") && reader.HasWord(strings.ToLower(r.Text), apart) ||
		l.word("whole-key").MatchString(r.Text) || slices.ContainsFunc(l.Between(r.Line-4, r.Last+1), assigned.MatchString)
}

// keysGiven looks for keys that the attributes of an item give with another type, as far as that is what is looked for.
func keysGiven(is func(key, given string) bool, format string) func(*looker) {
	return eachKey(func(l *looker, s source, key reader.Key) {
		for _, entity := range l.of(s.table) {
			if a, has := entity.Attribute(key.Name); has && a.Type != key.Type && is(key.Type, a.Type) {
				l.sayOf(key.Name, a.Line, []int{key.Line}, format, key.Name, s.called, key.Type, a.Type)
			}
		}
	})
}

// tableOf is the table of which an example is a whole item, as it has the partition key; nil for none.
func (l *looker) tableOf(x *reader.Example) *reader.Table {
	var found *reader.Table
	for _, t := range l.Tables {
		key, is := t.Key(reader.Hash)
		if _, has := x.Member(key.Name); is && has && (x.Of == nil || x.Of == t) && (found == nil || x.Members[0].Name == key.Name) {
			found = t
		}
	}
	return found
}

// meets reports whether a key of a form can have a value that is asked for.
func meets(form, asked reader.Template) bool {
	if len(asked.Parameters()) == 0 {
		return form.Matches(string(asked))
	}
	return Overlap(form, asked)
}

// Overlap reports whether the literal beginning of one is the beginning of the other's.
func Overlap(a, b reader.Template) bool {
	return strings.HasPrefix(a.Prefix(), b.Prefix()) || strings.HasPrefix(b.Prefix(), a.Prefix())
}

// ttlShown looks for an example that gives a date or digits in a text to the attribute that a line calls that of the TTL, of whatever table.
func (l *looker) ttlShown() {
	called := map[string][]int{"ttl": nil, "TTL": nil}
	for _, n := range l.lines(l.word("ttl-called")) {
		for _, name := range l.word("ttl-called").FindStringSubmatch(l.Line(n))[1:] {
			called[name] = append(called[name], n)
		}
	}
	for _, x := range l.Examples {
		for _, m := range x.Members {
			at, is := called[m.Name]
			_, behind, _ := strings.Cut(l.Line(m.Line), m.Text)
			if (is || l.word("ttl-behind").MatchString(behind)) && m.Type == "S" && l.word("moment-shown").MatchString(m.Text) && !l.sentOut(x) && !slices.ContainsFunc(l.hits, func(h Hit) bool { return h.Line == m.Line }) {
				l.sayOf(m.Name, m.Line, at, "%s is the TTL attribute, and is a String here: DynamoDB deletes by a Number of epoch seconds alone", m.Name)
			}
		}
	}
}

func (l *looker) ttlType(table *reader.Table) {
	name := table.TTL.Value
	typed := false
	judge := func(line int, kind, note string) {
		switch {
		case kind == "S":
			l.sayOf(name, line, []int{table.TTL.Line}, "%s is the TTL attribute, and is a String here: DynamoDB deletes by a Number of epoch seconds alone", name)
		case kind == "N" && l.word("milliseconds").MatchString(note):
			l.sayOf(name, line, []int{table.TTL.Line}, "%s is the TTL attribute, and is in milliseconds here: DynamoDB reads seconds", name)
		}
		typed = typed || kind != ""
	}
	for _, entity := range l.of(table) {
		if a, has := entity.Attribute(name); has {
			judge(a.Line, a.Type, a.Note)
		}
	}
	for _, x := range l.Examples {
		if m, has := x.Member(name); has && !l.sentOut(x) && !l.word("stands-for").MatchString(m.Text) {
			if m.Type == "N" && len(m.Text) >= 12 && !strings.Contains(m.Text, ".") {
				l.sayOf(name, m.Line, []int{table.TTL.Line}, "%s is the TTL attribute, and %s is in milliseconds: DynamoDB reads seconds", name, m.Text)
			} else {
				judge(m.Line, m.Type, "")
			}
		}
	}
	if !typed && l.word("moment").MatchString(name) && !l.word("seconds").MatchString(l.Line(table.TTL.Line)) && !l.saidOf(name, l.word("seconds")) {
		l.sayOf(name, table.TTL.Line, nil, "%s is the TTL attribute, reads like a timestamp, and has no type: it must be a Number of epoch seconds", name)
	}
}
