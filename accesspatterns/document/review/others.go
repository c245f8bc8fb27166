package review

import (
	"slices"
	"strings"

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
