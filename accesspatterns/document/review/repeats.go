package review

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
)

// repeated is what of its table's order an index has once more, in words, and the lines that say so; "" where that is not certain.
func repeated(l *looker, s source) (what string, at []int) {
	table, part := ofTable(s.table), strings.Join(l.Between(s.index.Line, l.endOfPart(s.table, s.index)), "\n")
	switch {
	case table.hash.Name == "" || s.hash.Name == "" || s.hash.Sure != reader.Said || l.word("a-part").MatchString(part) || l.saidOf(s.index.Name, l.word("a-part")):
	case s.hash.Name != table.hash.Name:
		return sameValues(l, s, table)
	case s.sort.Name == "" && !l.word("some-order").MatchString(part) && !l.saidOf(s.index.Name, l.word("some-order")), s.sort.Name == table.sort.Name && s.sort.Name != "":
		return "the partition key of the table, and no other order", []int{table.hash.Line}
	case l.word("day-or-made").MatchString(s.sort.Name) && inTime(l, table):
		return "the partition key of the table, whose sort key begins with the time already", []int{table.sort.Line}
	}
	return "", nil
}

// inTime reports whether the sort key of all items of a table begins with the time, behind one word at most.
func inTime(l *looker, table source) bool {
	forms := l.forms(request{source: table}, table.sort.Name)
	if len(forms) == 0 {
		forms = []titledForm{{EntityKey: reader.EntityKey{Template: reader.Template("{" + table.sort.Name + "}")}}}
	}
	return !slices.ContainsFunc(forms, func(form titledForm) bool {
		names := form.Template.Parameters()
		return form.Template.Prefix() != forms[0].Template.Prefix() || len(names) == 0 || !l.word("time-first").MatchString(names[0])
	})
}

// sameValues looks for items, of a kind or shown by a table of their attributes, that have the values of the table's keys in those of an
// index too. What stands beside others in a partition of the index is no copy: it is read with them.
func sameValues(l *looker, s, table source) (what string, at []int) {
	var titles, same, others []string
	note := func(title string, line int, of map[string]string) {
		hash, sort := of[s.hash.Name], of[s.sort.Name]
		switch {
		case hash == "": // it is not in the index
		case hash == of[table.hash.Name] && sort != "" && strings.HasPrefix(of[table.sort.Name]+"#", sort+"#"):
			titles, same, at = appendNew(titles, title), append(same, hash), append(at, line)
		default:
			others = append(others, hash)
		}
	}
	for _, e := range l.of(s.table) {
		of := map[string]string{}
		for _, key := range e.Keys {
			of[key.Attribute] = string(key.Template)
		}
		note(e.Title, e.Line, of)
	}
	for _, grid := range l.Grids {
		of, line := map[string]string{}, 0
		if len(l.Tables) > 1 && (grid.Line < s.table.Line || grid.Line > l.endOfTable(s.table)) {
			continue // of another table, perhaps
		}
		for _, row := range grid.Rows {
			of[row.Cells[0]] = keyShown.FindString(strings.Join(row.Cells[1:], " "))
			if row.Cells[0] == s.hash.Name {
				line = row.Line
			}
		}
		note("the items shown", line, of)
	}
	if len(same) == 0 || slices.ContainsFunc(others, func(other string) bool {
		return slices.ContainsFunc(same, func(one string) bool { return Overlap(reader.Template(one), reader.Template(other)) })
	}) {
		return "", nil
	}
	return "for " + strings.Join(titles, ", ") + " the values of " + table.hash.Name + " and " + table.sort.Name + " once more", at
}

// keyShown matches the value of a key that has a word before it.
var keyShown = lazyregexp.New(`\b[A-Z][A-Za-z_]*#[^\s|,]+`)

// oneOfMany is the form of an index's partition key that holds one of what an item has several of, as tags are, with their name: no kind of
// item of the table is of one of them.
func oneOfMany(l *looker, s source, hash reader.Key) (found place) {
	forms := append(l.forms(request{source: s}, hash.Name), titledForm{EntityKey: reader.EntityKey{At: hash.At, Template: reader.Template("{" + hash.Name + "}")}})
	for _, p := range l.Patterns {
		if c, is := condition(p, hash.Name); is && p.Index == s.index.Name && p.Table == s.table.Name {
			forms = append(forms, titledForm{EntityKey: reader.EntityKey{At: reader.At{Line: p.RequestLine()}, Template: c.Value}})
		}
	}
	for _, form := range forms {
		for _, name := range form.Template.Parameters() {
			word := l.word("of-name").ReplaceAllString(name, "")
			own := func(e *reader.Entity) bool {
				text := e.Title
				for _, key := range s.table.Keys {
					form, _ := e.Key(key.Name)
					text += string(form.Template)
				}
				return strings.Contains(strings.ToLower(text), strings.ToLower(word))
			}
			shown := name != hash.Name || len(s.index.Keys) == 0 // an attribute of that name may be the one that was chosen
			if shown && found.title == "" && l.word("many-of").MatchString(name) && !slices.ContainsFunc(l.of(s.table), own) {
				found = place{form.Line, word + "s"}
			}
		}
	}
	return found
}

// below is a kind of item as its part of the text shows it: whether it is what its partition is called after, has the attribute of the
// TTL, and has a list of attributes at all.
type below struct {
	place
	partition          string
	head, ends, listed bool
}

// outliving looks for kinds of items below one that expires: in its partition, with a list of attributes, and no TTL among them.
func outliving(l *looker, s source) {
	var all []below
	for _, e := range l.of(s.table) {
		pk, given := e.Key(s.hash.Name)
		sk, _ := e.Key(s.sort.Name)
		_, has := e.Attribute(s.hash.Name)
		part := l.Between(e.Line, until(l, l.Entities, e.Line, func(o *reader.Entity) int { return o.Line }))
		one := below{place: place{e.Line, e.Title}, partition: string(pk.Template), listed: len(e.Attributes) > 2 || slices.ContainsFunc(part, l.word("attributes-below").MatchString)}
		if !given && has {
			one.partition = "{" + s.hash.Name + "}"
		}
		one.ends = slices.ContainsFunc(part, func(line string) bool {
			return l.word("by-ttl").MatchString(line) || s.table.TTL != nil && s.table.TTL.Value != "" && reader.HasWord(line, s.table.TTL.Value)
		})
		one.head = e.Sure == reader.Said && len(sk.Template.Parameters()) == 0 && !slices.ContainsFunc(anyWord.FindAllString(strings.ToLower(e.Title), -1), func(word string) bool {
			return !l.word("head-word").MatchString(word) && !strings.Contains(strings.ToLower(one.partition), stem(word))
		})
		all = append(all, one)
	}
	for _, parent := range all {
		var found []place
		for _, one := range all {
			if parent.head && parent.ends && parent.partition != "" && one.partition == parent.partition && one.listed && !one.ends && !l.word("to-keep").MatchString(one.title) && !l.unreadSays(l.word("by-ttl"), one.title) {
				found = append(found, one.place)
			}
		}
		l.sayAll(found, "%s: no TTL among the attributes, and "+strings.ReplaceAll(parent.title, "%", "%%")+", in whose partition they are, has one; they stay when it is gone")
	}
}
