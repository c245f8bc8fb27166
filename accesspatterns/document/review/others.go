package review

import (
	"regexp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
)

// rangeReachesOthers looks for a range of sort keys that is open on one side, SK > EVENT#{time}, in a partition with other kinds of items on that side.
func rangeReachesOthers(l *looker, r request) {
	prefix, up := r.sorted.Value.Prefix(), strings.HasPrefix(r.sorted.Operator, ">")
	if !asks(r.Pattern) || r.Limit > 0 || prefix == "" || !up && !strings.HasPrefix(r.sorted.Operator, "<") || l.word("range-ends").MatchString(r.Text) {
		return
	}
	var others []string
	var also []int
	own := false
	for _, k := range l.kinds(r.source) {
		first := k.sk.Template.Prefix()
		named, _ := names(r.Text, k.Title, "")
		switch {
		case k.pk.Template.Prefix() != r.partition.Value.Prefix() || k.pk.Template.Shape() != r.partition.Value.Shape():
		case Overlap(k.sk.Template, r.sorted.Value):
			own = own || first == prefix
		case (first > prefix) == up && !named:
			others, also = appendNew(others, k.Title), append(also, k.sk.Line)
		}
	}
	if own && len(others) > 0 {
		l.sayOf(r.Title, r.Line, also, "%q: %s is open on one side, where the keys of %s are: it returns them as well", r.Title, r.sorted, strings.Join(others, ", "))
	}
}

// leavesOwnerOut looks for a prefix that leaves out the item which the title names first: "order with its lines" by begins_with(SK, LINE#).
func leavesOwnerOut(l *looker, r request) {
	found, prefix := l.word("owner-with").FindStringSubmatch(r.Title), string(r.sorted.Value)
	word, _, cut := strings.Cut(r.partition.Value.Prefix(), "#")
	if found == nil || !cut || r.Sure != reader.Said || r.Operation != "Query" || r.sorted.Operator != "begins_with" || prefix == "" || stem(strings.ToLower(found[1])) != stem(strings.ToLower(word)) || l.word("two-reads").MatchString(r.Text) {
		return
	}
	say := func(form reader.Template, line int) bool {
		if form == "" || len(form.Parameters()) > 0 || Overlap(form, r.sorted.Value) {
			return false
		}
		l.sayOf(r.Title, r.Line, []int{line}, "%q: %s leaves out the %s itself, which is at %s = %s", r.Title, r.sorted, strings.ToLower(found[1]), r.sort.Name, form)
		return true
	}
	for _, k := range l.kinds(r.source) {
		if meets(k.pk.Template, r.partition.Value) && len(k.pk.Template.Parameters()) == 1 && say(k.sk.Template, k.sk.Line) {
			return
		}
	}
	for _, p := range l.Patterns {
		if one := l.request(p); one.Operation == "GetItem" && one.table == r.table && one.partition.Value == r.partition.Value && say(one.sorted.Value, one.Line) {
			return
		}
	}
}

// sameAsAnother looks for a request of another title that is the same, and finds a kind of item that the title of this one does not name.
func sameAsAnother(l *looker, r request) {
	whole := func(p *reader.Pattern) (asked reader.Condition, is bool) {
		key := slices.DeleteFunc(slices.Clone(p.Conditions), func(c reader.Condition) bool { return c.Filter })
		if len(key) != 1 || key[0].Operator != "=" || len(key[0].Value.Parameters()) == 0 || !asks(p) || p.Operation != "Query" || p.Limit > 0 ||
			l.word("with-more").MatchString(p.Title) || strings.Count(p.Text, "#") > strings.Count(string(key[0].Value), "#") {
			return asked, false
		}
		return key[0], true
	}
	asked, is := whole(r.Pattern)
	if !is || filters(r.Pattern) || r.table == nil || len(r.table.Keys) == 0 || r.index != nil && r.sort.Name == "" {
		return
	}
	owner := strings.Trim(strings.ToLower(asked.Value.Prefix()), "#:|/_")
	named := func(p *reader.Pattern) (titles []string) {
		for _, e := range l.of(r.table) {
			last, _ := e.Key(r.table.Keys[len(r.table.Keys)-1].Name)
			if is, _ := names(p.Title, e.Title+" "+last.Template.Prefix(), owner); is {
				titles = append(titles, e.Title)
			}
		}
		return titles
	}
	own := named(r.Pattern)
	for _, p := range l.Patterns {
		other, same := whole(p)
		if !same || len(own) == 0 || p.Table != r.Table || p.Index != r.Index || other.Attribute != asked.Attribute || other.Value.Shape() != asked.Value.Shape() ||
			slices.ContainsFunc(l.hits, func(h Hit) bool { return h.Line == r.Line || slices.Contains(h.Also, r.Line) }) {
			continue
		}
		if more := slices.DeleteFunc(named(p), func(title string) bool { return slices.Contains(own, title) }); len(more) > 0 {
			l.sayOf(r.Title, r.Line, []int{p.RequestLine()}, "%q asks by %s alone, and so does %q: it gets what that one is for as well", r.Title, asked, p.Title)
		}
	}
}

// anotherTable looks for the name of a table in the requests of a program that no other line has, where the text has one table of another name.
func anotherTable(l *looker) {
	if len(l.Tables) != 1 || l.Tables[0].Name == "" || strings.ContainsAny(l.Tables[0].Name, " {<$") {
		return
	}
	own, asked, at := l.Tables[0].Name, "", l.lines(l.word("table-asked"))
	for _, n := range at {
		found := l.word("table-asked").FindStringSubmatch(l.Line(n))
		name := found[1] + found[2]
		if a, b := reader.Plain(name), reader.Plain(own); asked != "" && asked != name || strings.Contains(a, b) || strings.Contains(b, a) || slices.Contains(l.Tables[0].Also, name) {
			return
		}
		asked = name
	}
	said := func(line string) bool { return reader.HasWord(line, asked) }
	if len(at) > 1 && len(slices.DeleteFunc(slices.Clone(l.Text), func(line string) bool { return !said(line) })) == len(at) {
		l.sayOf(asked, at[0], append(at, l.Tables[0].Line), "the requests ask for the table %s, and the table is called %s", asked, own)
	}
}

// wordOfForm looks for a sort key that a request compares with a word alone, = JOB, where all keys with that word go on: JOB#{id}.
func wordOfForm(l *looker, s source) {
	if s.sort.Name == "" {
		return
	}
	compared := lazyregexp.New(`\b` + regexp.QuoteMeta(s.sort.Name) + "`? ?= ?[`'\"]?([A-Z][A-Z_]+)(?:[`'\"),;]|$)")
	for _, n := range l.lines(compared) {
		word := compared.FindStringSubmatch(l.Line(n))[1]
		has := func(is func(form string) bool) bool {
			return slices.ContainsFunc(l.forms(request{source: s}, s.sort.Name), func(form titledForm) bool { return is(string(form.Template)) }) ||
				l.toldBelow(func(row reader.GridRow) bool { return slices.ContainsFunc(row.Cells, is) }, lazyregexp.New(`^\W*`+regexp.QuoteMeta(s.sort.Name)+`\W*$`))
		}
		longer := has(func(form string) bool { return strings.HasPrefix(form, word+"#") })
		if longer && !l.unreadSays(l.word("word-alone"), word) && l.word("a-request").MatchString(l.Line(n)) && !has(func(form string) bool { return form == word }) {
			l.sayOf(s.sort.Name+"/"+word, n, []int{s.sort.Line}, "%s = %s finds nothing: the keys that begin with it go on, %s#..., and = takes a whole key", s.sort.Name, word, word)
		}
	}
}

// oneDayAlone looks for a prefix that ends in a day, where the title asks for several days.
func oneDayAlone(l *looker, r request) {
	end := min(r.Last+4, until(l, l.Patterns, r.Line, func(p *reader.Pattern) int { return p.RequestLine() }))
	for n := r.Line; n <= end && asks(r.Pattern) && l.word("several-days").MatchString(r.Title); n++ {
		if found := l.word("day-prefix").FindString(l.Line(n)); found != "" {
			l.sayOf(r.Title, n, []int{r.Line}, "%q asks for several days, and %s finds those of one day alone", r.Title, found)
			return
		}
	}
}
