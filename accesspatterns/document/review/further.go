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
	"undefined-attribute": eachPattern(func(l *looker, p *reader.Pattern) {
		for _, c := range p.Conditions {
			if c.Filter && !l.namedElsewhere(c.Attribute, p) {
				l.say(c.Line, nil, "%q filters by %s, which no other line names", p.Title, c.Attribute)
			}
		}
	}),
	"pattern-needs-missing-key": eachPatternOfTable((*looker).noKey),
	"placeholder-in-deployed-name": func(l *looker) {
		var found []int
		first := []string{}
		for n, line := range l.Text {
			if at := placeholderName.FindStringSubmatch(line); at != nil && !filledIn.MatchString(line) {
				found, first = append(found, n+1), append(first, at[1:]...)
			}
		}
		if len(found) > 0 {
			l.say(found[0], found, "%s cannot be the name of a table: nothing fills in %s", first[0], first[1])
		}
	},
	"ttl-in-the-past": eachTable(func(l *looker, table *reader.Table) {
		if table.TTL == nil || table.TTL.Value == "" {
			return
		}
		for _, x := range l.Examples {
			l.expired(x, table.TTL.Value)
		}
	}),
	"sparse-index-is-dense": eachIndex((*looker).dense),
}

var (
	placeholderName = lazyregexp.New(`(?:TableName["']?\s*[:=]\s*|--table-name[ =])["']?([A-Za-z0-9_.-]*(\{[^{}$]*\}|<[^<>]*>)[A-Za-z0-9_.-]*)`)
	filledIn        = lazyregexp.New("\\$\\{|\\bf[\"']|`|!Sub|Fn::Sub|format\\(")
	createdName     = lazyregexp.New(`(?i)(created|updated|modified|written|issued|started)_?(at|on|date|time)?$|^timestamp$`)
	sparseWord      = lazyregexp.New(`(?i)\bsparse\b`)
	notSparse       = lazyregexp.New(`(?i)\bnot sparse\b|\bsparse\W{1,4}(no|false|n/a|none)\b|\bnon-sparse\b`)
	everyItem       = lazyregexp.New(`(?i)^\W*(yes|required|✓|✅|true)\b|✓|✅|\balways (set|present)\b|\brequired\b|\bdefaults? to\b|\bevery item\b`)
	optionalWord    = lazyregexp.New(`(?i)\boptional\b|\bonly (when|if|for|on|while)\b|\bwhen\b|\bif\b|\bno\b|\babsent\b`)
)

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
	if !has || err != nil || member.Type != "N" && !x.Row || seconds < 1e9 || seconds > 1e11 {
		return // no seconds: another rule says so
	}
	for _, m := range x.Members {
		if !createdName.MatchString(m.Name) || m.Type != "S" && !x.Row {
			continue
		}
		written, err := time.Parse(time.RFC3339, m.Text)
		if err == nil && seconds < written.Unix() {
			l.say(member.Line, []int{m.Line}, "%s is %s, before %s, which is %s", name, time.Unix(seconds, 0).UTC().Format(time.RFC3339), m.Name, m.Text)
			return
		}
	}
}

// dense looks for an index that its own lines call sparse, and whose key every item has.
func (l *looker) dense(table *reader.Table, index *reader.Index) {
	key, has := index.Key(reader.Hash)
	if !has {
		return
	}
	end := min(index.Line+12, len(l.Text))
	for _, other := range table.Indexes {
		if other.Line > index.Line {
			end = min(end, other.Line-1)
		}
	}
	at := index.Line
	for at <= end && (!sparseWord.MatchString(l.Line(at)) || notSparse.MatchString(l.Line(at))) {
		at++
	}
	if at > end {
		return
	}
	all := l.of(table)
	for _, entity := range all {
		a, has := entity.Attribute(key.Name)
		if !has || !everyItem.MatchString(a.Note) || optionalWord.MatchString(a.Note) {
			return
		}
	}
	if len(all) > 0 {
		a, _ := all[0].Attribute(key.Name)
		l.say(at, []int{a.Line, index.Line}, "%s is called sparse, and every item has its key %s", index.Name, key.Name)
	}
}
