package review

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
)

// further are the rules that were added later.
var further = map[string]func(*looker){
	"pattern-needs-missing-key": eachPatternOfTable((*looker).noKey),
	"ttl-in-the-past": eachTable(func(l *looker, table *reader.Table) {
		if table.TTL == nil || table.TTL.Value == "" {
			return
		}
		for _, x := range l.Examples {
			l.expired(x, table.TTL.Value)
		}
	}),
}

var createdName = lazyregexp.New(`(?i)(created|updated|modified|written|issued|started)_?(at|on|date|time)?$|^timestamp$`)

// namedElsewhere reports whether another line than those of a pattern names an
// attribute.
func (l *looker) namedElsewhere(name string, p *reader.Pattern) bool {
	last, _, _ := strings.Cut(name, ".")
	word := lazyregexp.New(`\b` + regexp.QuoteMeta(last) + `\b`)
	for n, line := range l.Text {
		if (n+1 < p.Line || n+1 > p.Last) && strings.Contains(line, last) && word.MatchString(line) {
			return true
		}
	}
	return false
}

// noKey looks for a Query by the value of an attribute that an item has and that is no
// partition key.
func (l *looker) noKey(p *reader.Pattern, table *reader.Table) {
	if p.Operation != "Query" || p.Index != "" || p.Sure != reader.Said {
		return
	}
	hash, known := table.Key(reader.Hash)
	if !known || hash.Sure != reader.Said {
		return
	}
	for _, c := range p.Conditions {
		if c.Filter || c.Operator != "=" {
			continue
		}
		if _, is := table.AnyKey(c.Attribute); is {
			return // by a key: what is missing then, other rules say
		}
	}
	for _, c := range p.Conditions {
		if c.Filter || c.Operator != "=" || c.Attribute == "" {
			continue
		}
		for _, entity := range l.of(table) {
			if a, has := entity.Attribute(c.Attribute); has && a.Sure == reader.Said && !l.calledKey(c.Attribute) {
				l.say(p.Line, []int{hash.Line, a.Line}, "%q is a Query by %s, which is the partition key of neither %s nor an index of it", p.Title, c.Attribute, nameOf(table))
				return
			}
		}
	}
}

// calledKey reports whether a line calls an attribute a key or an index's, in words that
// the reader did not read.
func (l *looker) calledKey(name string) bool {
	if known, is := l.keyCalled[name]; is {
		return known
	}
	word := lazyregexp.New(`\b` + regexp.QuoteMeta(name) + `\b`)
	l.keyCalled[name] = slices.ContainsFunc(l.Text, func(line string) bool {
		return strings.Contains(line, name) && keyWords.MatchString(line) && word.MatchString(line)
	})
	return l.keyCalled[name]
}

var keyWords = lazyregexp.New(`(?i)\b(index(es)?|gsi\d*|lsi\d*|partition key|hash key|pk)\b`)

// expired compares the TTL of an example with its other times.
func (l *looker) expired(x *reader.Example, name string) {
	member, has := x.Member(name)
	seconds, err := strconv.ParseInt(member.Text, 10, 64)
	if !has || err != nil || member.Type != "N" || seconds < 1e9 || seconds > 1e11 {
		return // no seconds: another rule says so
	}
	for _, m := range x.Members {
		if !createdName.MatchString(m.Name) || m.Type != "S" {
			continue
		}
		written, err := time.Parse(time.RFC3339, m.Text)
		if err == nil && seconds < written.Unix() {
			l.say(member.Line, []int{m.Line}, "%s is %s, before %s, which is %s", name, time.Unix(seconds, 0).UTC().Format(time.RFC3339), m.Name, m.Text)
			return
		}
	}
}
