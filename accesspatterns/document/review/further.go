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

var (
	undefinedAttribute = &Rule{
		ID: "undefined-attribute", Kind: CannotWork, Title: "A filter names an attribute that no item has",
		What:    "A filter compares an attribute that no other line of the document names.",
		Why:     "DynamoDB takes any name in a filter, and a comparison with an attribute that is not there is never true.",
		Page:    pages + "developerguide/Query.FilterExpression.html",
		Instead: "Add the attribute to the items, or correct its name.",
		look: eachPattern(func(l *looker, p *reader.Pattern) {
			for _, c := range p.Conditions {
				if c.Filter && !l.namedElsewhere(c.Attribute, p) {
					l.say(c.Line, nil, "%q filters by %s, which no other line names", p.Title, c.Attribute)
				}
			}
		}),
	}
	missingKey = &Rule{
		ID: "pattern-needs-missing-key", Kind: CannotWork, Title: "A Query asks by an attribute that is no key",
		What:    "An access pattern is a Query by the value of an attribute that is the partition key of neither the table nor an index.",
		Why:     "A Query finds items by the partition key of the table or of one index, and DynamoDB refuses any other.",
		Page:    pages + "developerguide/Query.KeyConditionExpressions.html",
		Instead: "Add an index whose partition key is that attribute, or give the pattern the keys that there are.",
		look:    eachPatternOfTable((*looker).noKey),
	}
	placeholderInName = &Rule{
		ID: "placeholder-in-deployed-name", Kind: CannotWork, Title: "A deployed name holds a placeholder",
		What:    "A command or request names a table with a placeholder that nothing fills in.",
		Why:     "Table names are letters, digits, underscores, hyphens and dots, and DynamoDB refuses braces and angle brackets.",
		Page:    pages + "developerguide/HowItWorks.NamingRulesDataTypes.html",
		Instead: "Write a variable of the language, or the name as it is deployed.",
		look: func(l *looker) {
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
	}
	ttlInThePast = &Rule{
		ID: "ttl-in-the-past", Kind: WorksOtherwise, Title: "An example has expired before it was written",
		What:    "An example's TTL is earlier than the moment at which the same example was created or changed.",
		Why:     "DynamoDB deletes an item whose TTL is past as soon as it gets round to it.",
		Page:    pages + "developerguide/TTL.html",
		Instead: "Compute the TTL from the time of the example, in seconds.",
		look: eachTable(func(l *looker, table *reader.Table) {
			if table.TTL == nil || table.TTL.Value == "" {
				return
			}
			for _, x := range l.Examples {
				l.expired(x, table.TTL.Value)
			}
		}),
	}
	sparseIndexIsDense = &Rule{
		ID: "sparse-index-is-dense", Kind: WorksOtherwise, Title: "A sparse index holds every item",
		What:    "An index is called sparse, and its key is an attribute that every item has.",
		Why:     "An item is absent from an index only where it lacks a key attribute of it.",
		Page:    pages + "developerguide/bp-indexes-general-sparse-indexes.html",
		Instead: "Give the index a key that only the items in question have, and remove it when they leave.",
		look:    eachIndex((*looker).dense),
	}
	attributeOfTwoSpellings = &Rule{
		ID: "attribute-of-two-spellings", Kind: LeavesOpen, Title: "An attribute is spelt two ways",
		What:    "Two kinds of items of one table have an attribute whose names differ in case or underscores alone.",
		Why:     "Attribute names are case-sensitive: userId and user_id are two attributes.",
		Page:    pages + "developerguide/HowItWorks.NamingRulesDataTypes.html",
		Instead: "Spell the name alike everywhere.",
		look: eachTable(func(l *looker, table *reader.Table) {
			seen := map[string]reader.Attribute{}
			for _, entity := range l.of(table) {
				for _, a := range entity.Attributes {
					bare := strings.ToLower(strings.ReplaceAll(a.Name, "_", ""))
					before, has := seen[bare]
					switch {
					case !has:
						seen[bare] = a
					case before.Name != a.Name && a.Sure == reader.Said && before.Sure == reader.Said && !indexKeyName.MatchString(a.Name):
						l.say(a.Line, []int{before.Line}, "%s of %s is spelt %s in line %d", a.Name, entity.Title, before.Name, before.Line)
					}
				}
			}
		}),
	}
)

var (
	placeholderName = lazyregexp.New(`(?:TableName["']?\s*[:=]\s*|--table-name[ =])["']?([A-Za-z0-9_.-]*(\{[^{}$]*\}|<[^<>]*>)[A-Za-z0-9_.-]*)`)
	filledIn        = lazyregexp.New("\\$\\{|\\bf[\"']|`|!Sub|Fn::Sub|format\\(")
	indexKeyName    = lazyregexp.New(`(?i)^(gsi|lsi)\d*_?(pk|sk)$`)
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
