package review

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/expression"
)

// structural are the rules about what follows of keys, indexes and requests together, and of lists,
// conditions and definitions that are not there.
var structural = map[string]func(*looker){
	"query-returns-others": eachRequest(func(l *looker, r request) {
		l.behindOthers(r)
		rangeReachesOthers(l, r)
		leavesOwnerOut(l, r)
		sameAsAnother(l, r)
		asked := r.partition.Value
		if r.sort.Name == "" || !asks(r.Pattern) || r.Operation != "Query" && r.Operation != "" || len(r.Conditions) > 1 || r.Limit > 0 ||
			len(asked.Parameters()) == 0 || strings.Count(r.Text, "#") > strings.Count(string(asked), "#") || l.word("whole-partition").MatchString(r.Text) {
			return
		}
		var named, others []string
		var also []int
		many, owner := false, strings.Trim(strings.ToLower(asked.Prefix()), "#:|/_")
		for _, k := range l.kinds(r.source) {
			whole, within := names(r.Text, k.Title+" "+k.sk.Template.Prefix(), owner)
			switch {
			case k.pk.Template.Prefix() != asked.Prefix():
			case r.index != nil && !slices.EqualFunc(k.pk.Template.Parameters(), asked.Parameters(), sameWords): // of an index that holds others under other values
			case k.pk.Template.Shape() != asked.Shape() || k.sk.Template.Prefix() == "":
				return // not all of what is there is known
			case whole:
				named = appendNew(named, k.Title)
			case !within: // a stage is perhaps a tag
				many = many || len(k.sk.Template.Parameters()) > 0
				others, also = appendNew(others, k.Title), append(also, k.sk.Line)
			}
		}
		if len(named) > 0 && many {
			l.sayOf(r.Title, r.Line, also, "%q asks for %s alone, with no condition on %s: it returns %s as well", r.Title, r.partition, r.sort.Name, strings.Join(others, ", "))
		}
	}),
	"item-needs-two-values": eachIndex(func(l *looker, s source) {
		first := map[string]request{}
		for _, p := range l.Patterns {
			r := l.request(p)
			word := r.sorted.Value.Prefix()
			if r.index != s.index || p.Sure != reader.Said || len(word) < 3 || r.sorted.Operator != "begins_with" || r.partition.Value.Prefix() == "" || len(r.partition.Value.Parameters()) == 0 {
				continue
			}
			before, has := first[word]
			switch {
			case !has:
				first[word] = r
			case before.partition.Value.Prefix() != r.partition.Value.Prefix() && !(l.hasBoth(s, before, word) && l.hasBoth(s, r, word)):
				l.sayOf(r.Index+"/"+word, p.RequestLine(), []int{before.Line, s.index.Line}, "%q finds items with %s under %s = %s, and %q under %s: an item has one %s, so that one of the two finds nothing",
					p.Title, word, s.hash.Name, r.partition.Value, before.Title, before.partition.Value, s.hash.Name)
			}
		}
	}),
	"outlives-its-parent": eachTable(outliving),
	"index-repeats-table": eachIndex(func(l *looker, s source) {
		if what, at := repeated(l, s); what != "" {
			l.sayOf(s.index.Name, s.index.Line, at, "%s has %s: a Query of the table answers the same, and each write is charged once more", s.index.Name, what)
		}
	}),
	"unique-by-index": eachTable(func(l *looker, s source) {
		table := s.table
		l.signsInTold() // of all tables, said once
		signs := l.word("sign-in").MatchString(l.whole) && !l.word("kept-apart").MatchString(l.whole)
		say := func(name string, of *reader.Entity, at int, also []int, found string) {
			held := slices.ContainsFunc(l.of(table), func(e *reader.Entity) bool {
				partition, _ := e.Key(s.hash.Name)
				scoped := of != nil && e.Title != of.Title && len(partition.Template.Parameters()) > 0
				return slices.ContainsFunc(table.Keys, func(k reader.Key) bool {
					own, has := e.Key(k.Name)
					return has && slices.ContainsFunc(own.Template.Parameters(), func(p string) bool { return strings.EqualFold(p, name) }) &&
						(k.Role == reader.Hash || !scoped || strings.Contains(strings.ToLower(own.Template.Prefix()), strings.ToLower(name))) // an invitation by phone is one of many
				})
			})
			another := l.word("persons-own").MatchString(name) && !l.word("signs-in").MatchString(table.Called()) // the address of whose it is
			if _, is := table.KeyNamed(name); !is && !held && !another && !l.saidOf(name, l.word("kept-by")) && !slices.ContainsFunc(l.hits, func(h Hit) bool { return strings.EqualFold(h.About, table.Called()+"/"+name) }) {
				l.sayOf(table.Called()+"/"+name, at, also, "%s is %s: nothing refuses a second item of %s with the same %s", name, found, table.Called(), name)
			}
		}
		for _, index := range table.Indexes {
			of := ofIndex(table, index)
			hash := of.hash
			if name := l.word("named-after").FindStringSubmatch(index.Name); name != nil && len(index.Keys) == 0 && index.Sure == reader.Said && !l.word("of-several").MatchString(l.Line(index.Line)) {
				hash.Name = name[1]
			}
			within := "" // a value of one tenant
			if idAlone.MatchString(hash.Name) && (l.word("signs-in").MatchString(table.Called()) || of.sort.Name == "slug") {
				within = l.word("name").FindString(of.sort.Name)
			}
			if _, own := table.KeyNamed(hash.Name); hash.Name == "" || own && within == "" || l.saidOtherwise(of, "") || momentName.MatchString(of.sort.Name) && !l.word("made").MatchString(of.sort.Name) {
				continue
			}
			name, at, carrier := cmp.Or(within, l.word("name").FindString(hash.Name)), index.Line, (*reader.Entity)(nil)
			if line := l.saidUnique(table, hash.Name); name == "" && line > 0 {
				name, at = hash.Name, line
			}
			for _, n := range l.lines(l.word("for-login")) {
				if l.word("for-login").FindStringSubmatch(l.Line(n))[1] == index.Name {
					name = cmp.Or(name, hash.Name)
				}
			}
			for _, e := range l.carriers(of) {
				key, has := e.Key(hash.Name)
				order, ordered := e.Key(of.sort.Name)
				names := key.Template.Parameters()
				by := order.Template.Parameters() // of a time there are many, and of a kind that no line names, all but a word and a person's id
				many := l.ofTwo(table, e) || slices.ContainsFunc(by, l.word("time").MatchString) || e.Title == someItems &&
					(!ordered && of.sort.Name != "" || len(by) > 1 || len(by) == 1 && !l.word("person").MatchString(by[0]) || l.word("handed-out").MatchString(strings.Join(names, "")))
				switch {
				case !has || len(names) != 1:
				case many && names[0] == name:
					name = "" // many of them have it
				case !many && name == "" && l.word("name").MatchString(names[0]):
					name, at, carrier = names[0], key.Line, e
				}
			}
			if name != "" {
				say(name, carrier, at, []int{index.Line}, "found by the index "+index.Name+" alone")
			}
			for _, n := range l.lines(l.word("refused-by")) {
				if l.word("refused-by").FindStringSubmatch(l.Line(n))[1] == hash.Name && l.word("one-of-a-kind").MatchString(l.Line(n)) && !l.word("lock-item").MatchString(l.whole) {
					l.sayOf(table.Called()+"/"+hash.Name, n, []int{index.Line}, "attribute_not_exists(%s) refuses no second item with the same %s: a condition sees the item under its own primary key alone, and %s is a key of the index %s",
						hash.Name, hash.Name, hash.Name, index.Name)
				}
			}
		}
		for _, e := range l.of(table) {
			for _, a := range l.attributes(e) {
				address := strings.HasSuffix(strings.ToLower(a.Name), "email") && l.word("name").MatchString(a.Name) && !l.unreadSays(l.word("some-index"), a.Name)
				if signs && address && l.word("signs-in").MatchString(e.Title) && a.Sure == reader.Said {
					say(a.Name, nil, a.Line, nil, "in no key")
				}
				note := cmp.Or(a.Note, l.Line(a.Line))
				if a.Note == "" && slices.ContainsFunc(e.Attributes, func(o reader.Attribute) bool { return o.Line == a.Line && o.Name != a.Name }) { // of which of them is in its own sentence
					parts := strings.FieldsFunc(note, func(c rune) bool { return c == '|' || c == '.' })
					note = strings.Join(slices.DeleteFunc(parts, func(part string) bool { return !reader.HasWord(strings.ToLower(part), strings.ToLower(a.Name)) }), ".")
				}
				lower, own := strings.ToLower(note), strings.ToLower(a.Name)
				said := l.word("is-unique").MatchString(note) || strings.HasPrefix(lower, "unique "+own) || l.word("is-unique").MatchString(strings.TrimPrefix(lower, own+" ")) // "Unique visitors" counts them
				identifies := address && slices.ContainsFunc(l.lines(l.word("unique-identifier")), func(n int) bool { return reader.HasWord(l.Line(n), a.Name) })
				if (said && !l.word("identifies").MatchString(a.Name+" "+note) || identifies) && a.Sure == reader.Said {
					say(a.Name, e, a.Line, nil, "said to be unique, and in no primary key")
				}
			}
		}
		for _, p := range l.Patterns { // one item is asked for by a name that people choose
			r, by := l.request(p), l.word("asked-by-name").FindStringSubmatch(p.Title)
			if by == nil || r.table != table || r.Index == "" || len(r.partition.Value.Parameters()) > 1 || r.sorted.Operator != "" && r.sorted.Operator != "=" || r.index != nil && r.index.Local || slices.ContainsFunc(l.hits, func(h Hit) bool { return strings.Contains(h.Message, "the index "+r.Index+" alone") }) {
				continue
			}
			name := cmp.Or(strings.Join(r.partition.Value.Parameters(), ""), by[1]+by[2])
			say(name, nil, r.Line, nil, "found by the index "+r.Index+" alone")
		}
		replacedUnseen(l, s)
	}),
	// A second pair of the two would be a duplicate: a thing and a period, or two things.
	"random-id-alone": eachIndex(func(l *looker, s source) {
		table, hash, sort, alone := s.table, s.hash, s.sort, ofTable(s.table)
		own := alone.hash
		if kinds := l.kinds(alone); len(kinds) == 1 && len(l.of(table)) == 1 && len(kinds[0].sk.Template.Parameters()) == 0 { // REG#{id} with a constant
			if names := kinds[0].pk.Template.Parameters(); len(names) == 1 && idAlone.MatchString(sort.Name) {
				own, alone.sort.Name = reader.Key{At: own.At, Name: names[0]}, ""
			}
		}
		if own.Name == "" || alone.sort.Name != "" || !idAlone.MatchString(own.Name) || !idAlone.MatchString(hash.Name) || hash.Name == own.Name || sort.Name == own.Name ||
			!idAlone.MatchString(sort.Name) && (!periodName.MatchString(sort.Name) || l.word("person").MatchString(hash.Name)) || l.word("no-identity").MatchString(sort.Name) {
			return
		}
		if slices.ContainsFunc(l.hits, func(h Hit) bool { return h.About == table.Called() && h.Line == own.Line }) {
			return
		}
		l.sayOf(table.Called(), own.Line, []int{s.index.Line}, "%s is the only key of %s: two items with the same %s and %s are possible, and nothing refuses the second", own.Name, table.Called(), hash.Name, sort.Name)
	}),
	"definition-lacks-index": eachTable(func(l *looker, s source) {
		table, told := s.table, ""
		added := func(name string) bool { // by a call of its own
			return slices.ContainsFunc(l.lines(l.word("adds")), func(n int) bool {
				return slices.ContainsFunc(l.Between(n, n+3), func(line string) bool { return reader.HasWord(line, name) })
			})
		}
		for _, d := range l.Definitions {
			if d.Table != table || slices.ContainsFunc(l.Between(d.Line, d.Last), l.word("left-out").MatchString) {
				continue
			}
			var names []string
			var also []int
			for _, index := range table.Indexes {
				elsewhere := slices.ContainsFunc(l.Definitions, func(o reader.Definition) bool { return index.Line >= o.Line && index.Line <= o.Last })
				if !elsewhere && !slices.Contains(d.Indexes, index.Name) && index.Sure == reader.Said && !l.unreadNames(index.Name, d.Line, d.Last) && !added(index.Name) {
					names, also = append(names, index.Name), append(also, index.Line)
				}
			}
			if all := strings.Join(names, ", "); len(names) > 0 && all != told { // a second definition lacks them for the same cause
				told = all
				l.say(d.Line, also, "the definition of %s has no index %s, which the text gives it: whoever deploys it gets a table without", table.Called(), all)
			}
		}
	}),
	"item-grows": func(l *looker) {
		var found []place
		note := func(line int, name, of string) {
			if !slices.ContainsFunc(l.rest, func(u place) bool {
				return reader.HasWord(u.title, name) && l.word("bounded").MatchString(u.title) && !l.word("item-limit").MatchString(u.title)
			}) && !slices.ContainsFunc(found, func(p place) bool { return strings.HasPrefix(p.title, name+" of") }) {
				found = append(found, place{line, name + " of " + of})
			}
		}
		for _, e := range l.Entities {
			if sort, has := e.Table.Key(reader.Range); has && momentName.MatchString(sort.Name) {
				continue // an item of each moment is written once
			}
			for _, a := range e.Attributes {
				if list := a.Type == "L" || l.word("list-of").MatchString(a.Note); list && a.Sure == reader.Said && l.word("growing").MatchString(a.Name) && !l.word("bounded").MatchString(a.Note) {
					note(a.Line, a.Name, e.Title)
				}
			}
		}
		var walk func(members []reader.Member, of string)
		walk = func(members []reader.Member, of string) {
			for _, m := range members {
				if m.Type == "L" && l.word("growing").MatchString(m.Name) && len(m.Members) > 0 && m.Members[0].Type == "M" && !l.word("bounded").MatchString(l.Line(m.Line)) {
					note(m.Line, m.Name, of)
				}
				walk(m.Members, of)
			}
		}
		for _, x := range l.Examples {
			if table := l.tableOf(x); table != nil {
				walk(x.Members, table.Called())
			}
		}
		l.sayAll(found, "%s: a list in the item that grows with each one; an item takes 400 KB, and every write sends and every read costs all of it")
	},
	"update-creates": places(func(l *looker, p *reader.Pattern) bool {
		code := strings.Join(l.Between(p.RequestLine(), p.Last), "\n")
		shown := p.Sure == reader.Said && l.word("sets-alone").MatchString(code) && !l.word("sets-more").MatchString(code)
		return (asks(p) || shown) && p.Operation == "UpdateItem" && !l.word("counted").MatchString(p.Title+" "+p.Text) && !atomicWord.MatchString(p.Text) && !l.word("conditioned-here").MatchString(p.Text) && (!l.conditioned(p) || shown && len(l.lines(l.word("updates-guarded"))) == 0)
	}, "%s: an UpdateItem without a condition; where the item is not there, it makes one of the key and the changed attributes alone"),
	"put-replaces": places(func(l *looker, p *reader.Pattern) bool {
		if !asks(p) || p.Operation != "PutItem" || len(p.Conditions) == 0 || l.conditioned(p) || l.word("conditioned-here").MatchString(p.Text) {
			return false
		}
		if l.word("replaced").MatchString(p.Title) || l.word("whole-item").MatchString(p.Text) {
			return false
		}
		r := l.request(p)
		last, names := p.Conditions[len(p.Conditions)-1], []string(nil)
		for _, c := range p.Conditions {
			names = append(names, c.Value.Parameters()...)
		}
		if l.word("changed").MatchString(p.Title) {
			return r.sort.Name == "" || len(last.Value.Parameters()) == 0 // with a value behind it, the key may be of a new item
		}
		if last.Value == "" || len(names) > 0 && !sharedID.MatchString(names[len(names)-1]) && !l.word("name").MatchString(names[len(names)-1]) {
			return false // an id of its own, or a time
		}
		return r.hash.Name != "" && (r.sort.Name == "" || r.sort.Name == last.Attribute)
	}, "%s: a PutItem without a condition, under a key that the same thing has again; it replaces the whole item that is there, unseen"),
	"index-read-decides": eachRequest(func(l *looker, r request) {
		global, unique, also := strings.Contains(strings.ToLower(r.Index), "gsi"), false, []int(nil)
		if index := r.index; index != nil {
			global, also = !index.Local, []int{index.Line}
			// what its definition says it is for, in the three lines behind its first
			end := min(index.Line+3, l.beforeNext(r.table, index))
			unique = slices.ContainsFunc(l.lines(l.word("kept-unique")), func(n int) bool {
				return index.Line > 0 && n >= index.Line && n <= end && !l.word("kept-else").MatchString(l.Line(n))
			})
		}
		decision := l.word("decision").MatchString(r.Title) && !l.word("shown-only").MatchString(r.Title)
		if (unique || decision) && !l.word("of-table-too").MatchString(r.Text) && global && r.Sure == reader.Said {
			l.sayOf(r.Title, r.Line, also, "%q rests on %s, which shows a write some time after it: what was written just before is not seen", r.Title, r.Index)
		}
	}),
	"aggregate-reads-all": func(l *looker) {
		counts := func(text, sort string) bool {
			if l.word("rank-in-key").MatchString(text) || l.word("rank-in-key").MatchString(sort) {
				text = l.word("ranked").ReplaceAllString(text, "") // the answer comes in the order of the key
			}
			return l.word("aggregate").MatchString(text) && !l.word("stored").MatchString(text) && !l.word("few-read").MatchString(text)
		}
		l.sayAll(l.asking(func(p *reader.Pattern) bool {
			return p.Listed && (p.Operation == "Query" || p.Index != "") && counts(p.Title+"\n"+p.Text, l.request(p).sort.Name)
		}, func(text string) bool { return l.word("request").MatchString(text) && counts(text, "") }), "%s: a Query returns or counts items and reads each of them; it does not rank, group or sum")
	},
	"filter-reads-all": func(l *looker) {
		found := l.asking(l.filtered, l.word("by-reader").MatchString)
		if len(found) > 0 {
			l.hits = nil // the claims are of the same requests
		}
		l.sayAll(found, "%s: a filter is applied to what was read; the request reads, and costs, every item that its keys find")
	},
	"mirrors-apart": eachTable(func(l *looker, s source) {
		var found []place
		only := func(t reader.Template) string {
			if names := t.Parameters(); len(names) == 1 && strings.EqualFold(names[0], "id") {
				return reader.Plain(strings.Trim(t.Prefix(), "#:|/_") + names[0])
			} else if len(names) == 1 {
				return reader.Plain(names[0])
			}
			return ""
		}
		all := l.kinds(s)
		for i, one := range all {
			of, to := only(one.pk.Template), only(one.sk.Template)
			for _, other := range all[i+1:] {
				if of != "" && to != "" && of != to && of == only(other.sk.Template) && to == only(other.pk.Template) && l.sameFact(one, other) {
					found = append(found, place{one.Line, one.Title + " and " + other.Title})
				}
			}
		}
		l.sayAll(found, "%s: the same fact, in two items of two partitions, and no line writes both in one transaction; a client that stops between them leaves the one without the other")
	}),
	"partition-is-a-moment": keysSaid(func(l *looker, s source, key reader.Key) bool {
		return key.Role == reader.Hash && key.Sure == reader.Said && l.word("moment-name").MatchString(key.Name) && !slices.ContainsFunc(l.of(s.table), func(e *reader.Entity) bool {
			form, has := e.Key(key.Name)
			return has && string(form.Template) != "{"+key.Name+"}"
		})
	}, "%s is the partition key of %s, and a moment: a Query finds the items of that very moment alone, and no range"),
	"key-changes": func(l *looker) {
		var found []place
		for _, e := range l.Entities {
			for _, key := range e.Keys {
				_, own := e.Table.KeyNamed(key.Attribute)
				names := key.Template.Parameters() // a status alone is perhaps what the item is of: its count
				changes := len(names) > 1 && slices.ContainsFunc(names, l.word("changing").MatchString) ||
					len(names) == 1 && l.word("place-of").MatchString(string(key.Template)) && slices.ContainsFunc(l.attributes(e), func(a reader.Attribute) bool { return idAlone.MatchString(a.Name) })
				if own && key.Sure == reader.Said && changes && !l.word("many-of-one").MatchString(e.Title) {
					found = append(found, place{key.Line, string(key.Template) + " of " + e.Title})
				}
			}
		}
		l.sayAll(found, "%s: the key of the item holds a value that changes, and no update changes a key; each change is a delete and a put, and no line says how")
	},
	"no-access-pattern": func(l *looker) {
		if len(l.Tables) == 0 || len(l.Patterns) > 0 || slices.ContainsFunc(l.Text, keyCondition.MatchString) || l.word("by-id").MatchString(l.whole) || l.word("requests").MatchString(l.word("no-request").ReplaceAllString(l.whole, "")) {
			return
		}
		l.say(l.Tables[0].Line, nil, "no line says how the items of %s are read: whether its keys are right cannot be told", l.Tables[0].Called())
	},
	"id-needs-its-time": func(l *looker) {
		var found []place
		eachTable(func(l *looker, s source) { found = append(found, l.needsTime(s)...) })(l)
		l.sayAll(found, "%s: the own id of an item, and the key has more behind it; GetItem, UpdateItem and DeleteItem take both, so that who has the id has to ask by a Query first")
		eachRequest(func(l *looker, r request) {
			names := r.sorted.Value.Parameters()
			one := slices.Contains([]string{"GetItem", "UpdateItem", "DeleteItem"}, r.Operation) && asks(r.Pattern) && r.sorted.Operator == "="
			if at := slices.IndexFunc(names, l.word("stamp").MatchString); one && at >= 0 && slices.ContainsFunc(names, idAlone.MatchString) && !l.word("both-known").MatchString(r.Text) {
				l.sayOf(r.Title, r.Line, []int{r.sort.Line}, "%q is a %s, and its key holds {%s} beside the id: who has the id alone has to look for the time first", r.Title, r.Operation, names[at])
			}
		})(l)
	},
	"lines-disagree": func(l *looker) {
		for _, d := range l.Disputes {
			if l.word("revised").MatchString(l.introduced(d.Line)) || l.toldBelow(func(row reader.GridRow) bool { return row.Line == d.Line }, l.word("revised")) {
				continue // the later line says that it takes the place of the other
			}
			l.say(d.Line, []int{d.Other}, "%s", d.What)
		}
		eachKey((*looker).moreInExamples)(l)
	},
	"key-list-has-many-values": eachIndex(func(l *looker, s source) {
		index, hash := s.index, s.hash
		if named := l.word("named-after").FindStringSubmatch(index.Name); named != nil && len(index.Keys) == 0 && index.Sure == reader.Said {
			hash.Name, hash.Line = named[1], index.Line
		}
		if _, own := s.table.KeyNamed(hash.Name); hash.Name == "" || own {
			return
		}
		given := slices.ContainsFunc(l.of(s.table), func(e *reader.Entity) bool { return gives(e, hash.Name) })
		for _, e := range l.of(s.table) {
			key, _ := e.Key(hash.Name)
			names := key.Template.Parameters()
			if !given {
				names = append(names, hash.Name)
			}
			for _, name := range names {
				many := l.word("of-name").ReplaceAllString(name, "") + "s"
				if slices.ContainsFunc(l.attributes(e), func(a reader.Attribute) bool { return a.Name == many && l.word("several").MatchString(a.Type) }) {
					l.sayOf(index.Name, cmp.Or(key.Line, hash.Line), []int{index.Line}, "%s of %s takes one value, and %s may have several %s: an item is found under one of them alone", hash.Name, index.Name, e.Title, many)
					return
				}
			}
		}
		if one := oneOfMany(l, s, hash); one.title != "" {
			called := "an item"
			if kinds := l.of(s.table); len(kinds) == 1 {
				called = kinds[0].Title
			}
			l.sayOf(index.Name, one.line, []int{index.Line}, "%s of %s takes one value, and %s may have several %s: an item is found under one of them alone", hash.Name, index.Name, called, one.title)
		}
	}),
	// Where no line says which attribute it is, one that is called so.
	"ttl-in-the-past": func(l *looker) {
		for _, table := range l.Tables {
			if ttl := table.TTL; ttl != nil && ttl.Sure == reader.Said && l.word("of-writing").MatchString(ttl.Value) {
				l.say(ttl.Line, nil, "%s is the TTL attribute of %s, and by its name the time at which an item is written: that time has passed at once, and DynamoDB deletes the item", ttl.Value, table.Called())
			}
		}
		l.eachExpiry(func(ttl, written reader.Member, ends time.Time) {
			if ends.AddDate(0, 0, 1).Format(time.DateOnly) < written.Text { // by a day at least, wherever that is
				l.say(ttl.Line, []int{written.Line}, "%s is %s, before %s, which is %s", ttl.Name, ends.Format(time.RFC3339), written.Name, written.Text)
			}
		})
	},
	"ttl-not-as-told": func(l *looker) {
		var told []time.Duration
		var words []string
		var at []int
		for _, n := range l.lines(l.word("ttl-line")) {
			for _, given := range l.word("time-told").FindAllStringSubmatch(l.Line(n), -1) {
				number, _ := strconv.Atoi(given[1])
				hours := map[string]int{"hour": 1, "day": 24, "week": 7 * 24, "month": 30 * 24, "year": 365 * 24}[strings.ToLower(given[2])]
				told, words, at = append(told, time.Duration(number*hours)*time.Hour), appendNew(words, given[0]), append(at, n)
			}
		}
		l.eachExpiry(func(ttl, written reader.Member, ends time.Time) {
			from, err := time.Parse(time.DateOnly, written.Text[:len(time.DateOnly)])
			lasts := ends.Sub(from)
			inKey := l.word("generic-name").MatchString(written.Name) // which may be of what is to come
			near := inKey || slices.ContainsFunc(told, func(d time.Duration) bool {
				return (lasts - d).Abs() <= max(48*time.Hour, d/20) // the moment of the day, and months that are longer
			})
			if err == nil && lasts > 0 && len(told) > 0 && !near {
				l.say(ttl.Line, append(slices.Clone(at), written.Line), "%s is %s, %d days after %s, and the text gives %s", ttl.Name, ends.Format(time.DateOnly), int(lasts.Hours()/24), written.Name, strings.Join(words, ", "))
			}
		})
	},
	// These are three indexes or more, or two and items that are large, or one and what is to be kept once.
	"all-indexes-whole": func(l *looker) {
		var found, once []place
		for _, table := range l.Tables {
			kinds := l.of(table)
			for _, e := range append([]*reader.Entity{{}}, kinds...) {
				var names []string
				line := 0
				for _, index := range table.Indexes {
					hash, has := index.Key(reader.Hash)
					whole := index.Projection.Value == "ALL" && index.Projection.Sure == reader.Said && !l.saidOf(index.Name, l.word("gone"))
					if has && whole && (gives(e, hash.Name) || len(kinds) < 2 && !(len(kinds) == 0 && l.word("generic-name").MatchString(hash.Name))) {
						names, line = append(names, index.Name), cmp.Or(line, index.Line)
					}
				}
				attributes := l.attributes(e)
				large := slices.ContainsFunc(attributes, func(a reader.Attribute) bool {
					return a.Type == "M" || a.Type == "L" && !l.word("bounded").MatchString(a.Note) || l.word("large").MatchString(a.Name)
				})
				kept := slices.IndexFunc(attributes, func(a reader.Attribute) bool {
					return l.word("kept-once").MatchString(a.Name) && !l.word("pointer").MatchString(a.Note)
				})
				if len(names) > 2 || len(names) > 1 && large {
					found = append(found, place{line, strings.Join(names, ", ") + " of " + table.Called()})
					break
				}
				if len(names) > 0 && kept >= 0 && !l.saidOf(names[0], l.word("kept-read")) {
					once = append(once, place{line, names[0] + " of " + table.Called() + " with " + attributes[kept].Name})
				}
			}
		}
		l.sayAll(found, "%s: all of them project ALL; each write of an item is one more whole write to every one of them that has it, charged and stored again")
		l.sayAll(once, "%s: it projects ALL; the index stores that once more, and hands it to whoever reads the index")
	},
	// The first expression is enough.
	"reserved-word": func(l *looker) {
		placeholders := l.word("placeholder").FindAllStringSubmatch(l.whole, -1)
		for n, line := range l.Text {
			given := l.word("expression").FindStringSubmatch(line)
			if given == nil {
				continue
			}
			word := expression.ReservedWord(strings.Join(given[1:], ""))
			if word == "" || slices.ContainsFunc(l.Between(n-1, n+1), l.word("shown").MatchString) ||
				slices.ContainsFunc(placeholders, func(name []string) bool { return strings.EqualFold(name[1], word) }) {
				continue
			}
			l.say(n+1, nil, "%s is a reserved word: DynamoDB refuses the expression unless a placeholder stands for it", word)
			return
		}
	},
}

// eachExpiry looks at the examples that have a TTL in seconds beside the day on which they were written.
func (l *looker) eachExpiry(look func(ttl, written reader.Member, ends time.Time)) {
	var judge func(members []reader.Member)
	judge = func(members []reader.Member) {
		var ends time.Time
		at := slices.IndexFunc(members, func(m reader.Member) bool {
			seconds, err := strconv.ParseInt(m.Text, 10, 64)
			set := slices.ContainsFunc(l.Tables, func(t *reader.Table) bool { return t.TTL != nil && t.TTL.Value == m.Name })
			ends = time.Unix(seconds, 0).UTC()
			return err == nil && m.Type == "N" && seconds >= 1e9 && seconds <= 1e11 && (set || l.word("ttl-name").MatchString(m.Name)) // no seconds: another rule says so
		})
		written := slices.IndexFunc(members, func(m reader.Member) bool {
			return m.Type == "S" && l.word("created").MatchString(m.Name) && l.word("day-told").MatchString(m.Text)
		})
		if at >= 0 && written >= 0 {
			look(members[at], members[written], ends)
		}
		for _, m := range members {
			if moment := l.word("moment-in-key").FindStringSubmatch(m.Text); at >= 0 && written < 0 && m.Type == "S" && l.word("generic-name").MatchString(m.Name) && moment != nil {
				m.Text = moment[1]
				look(members[at], m, ends)
			}
		}
		for _, m := range members {
			judge(m.Members)
		}
	}
	for _, x := range l.Examples {
		judge(x.Members)
	}
}

// place is one of the places of a cause: a line, with the author's word for what stands there.
type place struct {
	line  int
	title string
}

// sayAll reports one cause with all its places; the message ends with their titles.
func (l *looker) sayAll(places []place, format string) {
	if len(places) == 0 {
		return
	}
	var titles []string
	var at []int
	for _, p := range places {
		titles, at = appendNew(titles, "\""+p.title+"\""), append(at, p.line)
	}
	l.sayOf(places[0].title, at[0], at, format, strings.Join(titles, ", "))
}

// eachRun looks at the steps of every list: lines of it with what they say, up to the next line that is of no list.
func (l *looker) eachRun(look func(steps []place)) {
	var steps []place
	for n := range len(l.Text) + 1 {
		line := l.Line(n + 1)
		switch {
		case n < len(l.Text) && l.word("list-item").MatchString(line):
			if !l.word("no-step").MatchString(line) {
				steps = append(steps, place{n + 1, strings.TrimSpace(l.word("list-item").ReplaceAllString(line, ""))})
			}
		case n == len(l.Text) || line != "" && !strings.HasPrefix(line, " "):
			look(steps)
			steps = nil
		}
	}
}

// moreInExamples looks for a key of examples that has more before the beginning that every kind of item has.
func (l *looker) moreInExamples(s source, key reader.Key) {
	forms, at, shown, more := l.forms(request{source: s}, key.Name), []int(nil), "", -1
	for _, x := range l.Examples {
		m, _ := x.Member(key.Name)
		behind := slices.IndexFunc(forms, func(form titledForm) bool {
			return form.Template.Prefix() != "" && strings.Contains(m.Text, "#"+form.Template.Prefix())
		})
		fits := slices.ContainsFunc(forms, func(form titledForm) bool {
			return form.Sure != reader.Said || Overlap(form.Template, reader.Template(m.Text))
		})
		if behind >= 0 && !fits && l.tableOf(x) == s.table && len(forms) == len(l.of(s.table)) {
			at, shown, more = append(at, m.Line), cmp.Or(shown, m.Text), behind
		}
	}
	if len(at) > 0 {
		l.say(at[0], at, "%s is %s in an example, and %s where the kinds of items are given: one of the two has more before it", key.Name, shown, forms[more].Template)
	}
}

// behindOthers looks for a prefix that the keys of one kind of item have, and those of others that go on behind them: VER#{version} and VER#{version}#FILE#{id}.
func (l *looker) behindOthers(r request) {
	prefix := string(r.sorted.Value)
	if r.Index != "" || !asks(r.Pattern) || r.sorted.Operator != "begins_with" || len(r.sorted.Value.Parameters()) > 0 || strings.TrimRight(prefix, "#:|/") == prefix || l.word("with-more").MatchString(r.Title) {
		return
	}
	kinds := slices.DeleteFunc(l.kinds(r.source), func(k kind) bool {
		return k.pk.Template.Shape() != r.partition.Value.Shape() || !strings.HasPrefix(string(k.sk.Template), prefix)
	})
	at := slices.IndexFunc(kinds, func(k kind) bool {
		return k.sk.Template.Prefix() == prefix && strings.HasSuffix(string(k.sk.Template), "}")
	})
	if at < 0 {
		return
	}
	own := kinds[at].sk.Template.Shape()
	var others, copies []string
	var also []int
	for _, k := range kinds {
		behind, goesOn := strings.CutPrefix(k.sk.Template.Shape(), own)
		word, beside := strings.CutPrefix(k.sk.Template.Shape(), strings.TrimSuffix(own, "{}"))
		if !goesOn {
			behind = ""
		}
		called := k.Title
		if called == kinds[at].Title {
			called = string(k.sk.Template)
		}
		more := strings.Join(slices.DeleteFunc(anyWord.FindAllString(called, -1), func(w string) bool { return reader.HasWord(kinds[at].Title, w) }), " ")
		switch named, _ := names(r.Title, more+" "+behind, strings.ToLower(kinds[at].Title)); {
		case named || k.sk.Template == kinds[at].sk.Template:
		case goesOn && len(kinds[at].sk.Template.Parameters()) == 1 && strings.Contains(behind, "#"):
			others, also = appendNew(others, called), append(also, k.sk.Line)
		case beside && strings.Count(own, "{}") > 1 && l.word("constant").MatchString(word): // POLICY#{phase}#LATEST beside POLICY#{phase}#{id}
			copies, also = appendNew(copies, called), append(also, k.sk.Line)
		}
	}
	if len(others) > 0 {
		l.sayOf(r.Title, r.Line, also, "%q: %s finds %s too, whose keys go on behind those of %s", r.Title, r.sorted, strings.Join(others, ", "), kinds[at].Title)
	}
	if len(copies) > 0 {
		l.sayOf(r.Title, r.Line, also, "%q: %s finds %s too, whose keys stand among those of %s", r.Title, r.sorted, strings.Join(copies, ", "), kinds[at].Title)
	}
}

// sameFact reports whether two kinds of items whose keys have their values swapped say the same of them: by their titles, or
// by the words before the values, which are swapped too. A like of a user and a bookmark of the post are two facts.
func (l *looker) sameFact(one, other kind) bool {
	word := func(t reader.Template) string { return strings.ToLower(strings.Trim(t.Prefix(), "#:|/_")) }
	alike := func(a, b reader.Template) bool {
		return word(a) == word(b) || l.word("person").MatchString(word(a)+"id") && l.word("person").MatchString(word(b)+"id")
	}
	begins := func(a, b string) bool { return len(a) > 3 && strings.HasPrefix(b, a[:min(len(a), 6)]) }
	of, to := word(one.sk.Template), word(other.sk.Template)
	return sameWords(one.Title, other.Title) || begins(of, to) || begins(to, of) ||
		alike(one.pk.Template, other.sk.Template) && alike(one.sk.Template, other.pk.Template)
}

// names reports whether a text has one of the words of a kind of item, in the singular or the plural, beside those of its owner:
// as a whole word, and within any other.
func names(text, kind, owner string) (whole, within bool) {
	text = strings.ToLower(text)
	var stems []string
	for _, word := range anyWord.FindAllString(text, -1) {
		stems = append(stems, stem(word))
	}
	for _, word := range anyWord.FindAllString(strings.ToLower(kind), -1) {
		if one := stem(word); word != owner && len(one) > 2 {
			whole = whole || slices.Contains(stems, one)
			within = within || strings.Contains(text, one)
		}
	}
	return whole, within
}

// stem is a word without the ending that tells one from many.
func stem(word string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(word, "s"), "ie"), "y")
}

var anyWord = lazyregexp.New(`\pL+`)

// hasBoth reports whether a kind of item has the form of the partition that a request of an index asks for, and the word of its sort key.
func (l *looker) hasBoth(s source, r request, word string) bool {
	return slices.ContainsFunc(l.kinds(s), func(k kind) bool {
		return k.pk.Template.Prefix() == r.partition.Value.Prefix() && strings.HasPrefix(k.sk.Template.Prefix(), word)
	})
}

// ofTwo reports whether a kind of item is one of two things, as a membership is: its key has the ids of both.
func (l *looker) ofTwo(table *reader.Table, e *reader.Entity) bool {
	var ids []string
	for _, key := range table.Keys {
		own, _ := e.Key(key.Name)
		for _, name := range own.Template.Parameters() {
			if idAlone.MatchString(name) {
				ids = appendNew(ids, strings.ToLower(name))
			}
		}
	}
	return len(ids) > 1
}

// saidOf reports whether a line that names an attribute, in whatever case, has a word.
func (l *looker) saidOf(name string, word *lazyregexp.Regexp) bool {
	joined := strings.NewReplacer("_", "", "-", "")
	bare := func(text string) string { return strings.ToLower(joined.Replace(text)) }
	return slices.ContainsFunc(l.lines(word), func(n int) bool {
		return strings.Contains(bare(l.Line(n)), bare(name))
	})
}

// endOfTable is the last line of a table's section.
func (l *looker) endOfTable(table *reader.Table) int {
	return until(l, l.Tables, table.Line, func(t *reader.Table) int { return t.Line })
}

// replacedUnseen looks for primary keys that are said to be unique, or a code that is handed out, in a text that has no condition, and tells of no write.
func replacedUnseen(l *looker, s source) {
	written := slices.ContainsFunc(l.Patterns, func(p *reader.Pattern) bool { return l.word("writes").MatchString(p.Operation) })
	if written || l.ofContract() || len(l.lines(l.word("write-sent"))) > 0 {
		return
	}
	for _, e := range l.of(s.table) {
		key, has := e.Key(s.hash.Name)
		sort, _ := e.Key(s.sort.Name)
		names := key.Template.Parameters()
		if !has || key.Sure != reader.Said || len(names) != 1 || len(sort.Template.Parameters()) > 0 || s.sort.Name != "" && sort.Template == "" {
			continue
		}
		elsewhere := slices.ContainsFunc(l.Between(s.table.Line, l.endOfTable(s.table)), l.word("kept-apart").MatchString)
		said := !elsewhere && l.word("name").MatchString(names[0]) && slices.ContainsFunc(append(slices.Clone(l.lines(l.word("is-unique"))), l.lines(l.word("unique-identifier"))...), func(n int) bool {
			return s.table.Line <= n && n <= l.endOfTable(s.table) && reader.HasWord(l.Line(n), names[0])
		})
		if (said || l.word("drawn").MatchString(string(key.Template))) && !l.saidOf(names[0], l.word("kept-by")) && !l.saidOf(names[0], atomicWord) {
			l.sayOf(s.table.Called()+"/"+names[0], key.Line, nil, "%s of %s is a primary key, and no line gives its put a condition: a second one with the same %s replaces the first", key.Template, e.Title, names[0])
		}
	}
}

// signsInTold looks for the name with which somebody signs in, in a line of attributes that no kind of item has: one that says so, or
// one close to a password. No other line may have it in a key, or say that it is kept apart.
func (l *looker) signsInTold() {
	for _, n := range l.lines(l.word("login-told")) {
		name := l.word("login-told").FindStringSubmatch(l.Line(n))[1]
		signs := l.word("login-words").MatchString(l.Line(n)) || slices.ContainsFunc(l.Between(n-4, n+4), l.word("password-told").MatchString)
		known := l.word("kept-apart").MatchString(l.whole) || slices.ContainsFunc(l.Entities, func(e *reader.Entity) bool { _, has := e.Attribute(name); return has })
		if signs && !known && !l.saidOf(name, l.word("key-or-kept")) {
			l.say(n, nil, "%s is what somebody signs in with, and in no key: nothing refuses a second item with the same %[1]s", name)
			return
		}
	}
}

// saidUnique is the line of a table's section that says of an attribute that it is unique, 0 for none.
func (l *looker) saidUnique(table *reader.Table, name string) int {
	end := l.endOfTable(table)
	for _, n := range l.lines(l.word("is-unique")) {
		if line := l.Line(n); n >= table.Line && n <= end && reader.HasWord(line, name) && !l.word("identifies").MatchString(line) {
			return n
		}
	}
	return 0
}

var (
	idAlone    = lazyregexp.New(`(?i)[a-z]_?id$|^id$|^uuid$`)
	periodName = lazyregexp.New(`(?i)(^|_)(date|day|week|month|quarter|year|period)$|(?-i:(Date|Day|Week|Month|Quarter|Year|Period)$)`)
)

// conditioned reports whether a line speaks of conditions of writes: one of the pattern, or one that is of no other pattern.
func (l *looker) conditioned(p *reader.Pattern) bool {
	return slices.ContainsFunc(l.lines(l.word("conditioned")), func(n int) bool {
		return !slices.ContainsFunc(l.Patterns, func(o *reader.Pattern) bool {
			return o.RequestLine() <= n && n <= o.Last && (o.Last < p.RequestLine() || o.Line > p.Last)
		})
	})
}

// filters reports whether a request has a filter expression, read or not.
func filters(p *reader.Pattern) bool {
	return p.Filters() || strings.Contains(p.Text, "FilterExpression")
}

// filtered reports whether a request filters what its keys find.
func (l *looker) filtered(p *reader.Pattern) bool {
	filtered := filters(p)
	if r := l.request(p); slices.ContainsFunc(p.Conditions, func(c reader.Condition) bool { return filtersKey(r, c) }) {
		return false
	}
	_, words, _ := strings.Cut(p.Text, p.Title)
	return (asks(p) || filtered && p.Sure == reader.Said) && p.Operation != "Scan" && p.Operation != "GetItem" &&
		(filtered || l.word("by-reader").MatchString(p.Text) && !l.word("few-read").MatchString(p.Text) || p.Operation == "Query" && len(p.Conditions) > 0 && l.word("filters-on").MatchString(words))
}

// needsTime finds items whose partition key is an id of their own, and whose sort key tells nothing apart: a time, or what each of them
// has one of.
func (l *looker) needsTime(s source) (found []place) {
	many := l.word("many-of-one")
	for _, k := range l.kinds(s) {
		names := k.sk.Template.Parameters()
		given := string(k.pk.Template) == "{"+s.hash.Name+"}" || slices.ContainsFunc(k.pk.Template.Parameters(), l.word("random-id").MatchString)
		if len(names) != 1 || k.sk.Sure != reader.Said || !given || l.word("container").MatchString(k.Title) || l.saidOf(s.hash.Name, many) || slices.ContainsFunc(l.Patterns, func(p *reader.Pattern) bool {
			r := l.request(p)
			return r.table == s.table && r.Index == "" && (p.Order != "" || p.Limit > 1 || r.sorted.Operator != "" && r.sorted.Operator != "=")
		}) {
			continue
		}
		own, isID := strings.CutSuffix(reader.Plain(s.hash.Name), "id")
		alone := isID && own != "" && len(l.of(s.table)) == 1 && strings.HasSuffix(strings.TrimSuffix(reader.Plain(k.Title), "s"), own)
		made := l.word("made").MatchString(s.sort.Name) && l.ofOneItem(k.Entity) || l.uniquePartition(k.Entity, k.sk)
		timed := l.word("time").MatchString(names[0]) && (alone && l.word("once").MatchString(k.Title) || made && !many.MatchString(k.Title) && !l.saidOf(s.sort.Name, many))
		above := l.word("one-of-each").MatchString(names[0]) || slices.ContainsFunc(l.Tables, func(t *reader.Table) bool { // what it belongs to
			hash, _ := t.Key(reader.Hash)
			return t != s.table && hash.Name == names[0]
		})
		if timed || alone && above && !l.word("joined").MatchString(k.Title+"\n"+s.sort.Name) {
			found = append(found, place{k.sk.Line, s.hash.Name + " of " + s.table.Called() + " with " + s.sort.Name})
		}
	}
	return found
}

// namedElsewhere reports whether another line than those of a pattern has the name of an index: GSI1, or GSI1PK.
func (l *looker) namedElsewhere(name string, p *reader.Pattern) bool {
	last, _, _ := strings.Cut(name, ".")
	for n, line := range l.Text {
		if (n+1 < p.RequestLine() || n+1 > p.Last) && strings.Contains(line, last) {
			return true
		}
	}
	return false
}

// saysOwner reports whether the words of a request name what the partition key is the id of: "within one depot".
func saysOwner(r request) bool {
	of := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(r.hash.Name, "Id"), "_id"), "_")
	if of == "" || of == r.hash.Name {
		return false
	}
	text := strings.Replace(r.Text, r.Title, "", 1)
	return lazyregexp.New(`(?i)\b(within|per|of|same|each)( (the|an?|one|its|each|same))? ` + regexp.QuoteMeta(of) + `\b|\b` + regexp.QuoteMeta(of) + ` ?=`).MatchString(text)
}

// calledKey reports whether a line calls an attribute a key or an index's, in words that
// the reader did not read.
func (l *looker) calledKey(name string) bool {
	return slices.ContainsFunc(l.Text, func(line string) bool { return reader.HasWord(line, name) && keyWords.MatchString(line) })
}

var keyWords = lazyregexp.New(`(?i)\b(index(es)?|gsi\d*|lsi\d*|partition key|hash key|pk)\b`)
