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
