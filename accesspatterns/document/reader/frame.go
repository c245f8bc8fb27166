package reader

import (
	"slices"
	"strings"
	"unicode"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// topic is what a section speaks of, by its title.
type topic int

const (
	noTopic topic = iota
	topicPatterns
	topicAttributes
	topicEntities
	topicExamples
	topicIndexes
	topicKeys
	topicRules // what is allowed or forbidden in general
	topicOther // a title that is no item: purpose, notes, capacity
)

// frame is a place in the document: a heading, a label that stands alone, or a
// list item, with all that stands below it.
type frame struct {
	parent *frame
	// level is 1 to 6 for headings, labelLevel for labels, itemLevel and more
	// for list items.
	level int
	title inline
	topic topic
	table *Table
	index *Index
	// partition is the last form of a partition key that was given here, for
	// sort keys that follow by themselves.
	partition *EntityKey
	entity    *Entity
}

const (
	labelLevel = 50
	itemLevel  = 100
)

// up returns the nearest place, this one included, that the test accepts.
func (f *frame) up(test func(*frame) bool) *frame {
	for ; f != nil; f = f.parent {
		if test(f) {
			return f
		}
	}
	return nil
}

// about is the topic of the nearest place that has one.
func (f *frame) about() topic {
	if at := f.up(func(f *frame) bool { return f.topic != noTopic }); at != nil {
		return at.topic
	}
	return noTopic
}

// names reports whether the place's title can name a kind of item: a heading or
// bold label that is no topic.
func (f *frame) names() bool {
	bold := len(f.title.spans) == 1 && !f.title.spans[0].code && f.title.spans[0].from == 0
	return (f.level < labelLevel || f.level == labelLevel && bold) && f.topic == noTopic && f.title.text != ""
}

var notYet = lazyregexp.New(`(?i)\b(future|planned|proposed|roadmap|alternatives?|considered|rejected|deferred|later|not implemented)\b`)

// sure is how sure a fact of this place is: one of a plan is guessed.
func (f *frame) sure() Sure {
	if f.up(func(f *frame) bool { return f.level <= labelLevel && notYet.MatchString(f.title.text) }) != nil {
		return Guessed
	}
	return Said
}

// heading is the nearest heading or label.
func (f *frame) heading() *frame {
	return f.up(func(f *frame) bool { return f.level <= labelLevel })
}

// sectionTitle is the title of the nearest heading or label.
func (f *frame) sectionTitle() string {
	if at := f.heading(); at != nil {
		return cleanTitle(at.title.text)
	}
	return ""
}

// headingTitle is the title of the nearest heading that is no label.
func (f *frame) headingTitle() string {
	if at := f.up(func(f *frame) bool { return f.level < labelLevel }); at != nil {
		return cleanTitle(at.title.text)
	}
	return ""
}

var topics = []struct {
	form  *lazyregexp.Regexp
	topic topic
}{
	{lazyregexp.New(`(?i)^(allowed|forbidden|not allowed|disallowed|prohibited)\b`), topicRules},
	{lazyregexp.New(`(?i)\b(entit(y|ies)|item types?|items) (and|&) access patterns`), noTopic},
	{lazyregexp.New(`(?i)\baccess[- ]patterns?\b.*\bserved\b`), topicOther},
	{lazyregexp.New(`(?i)\b(access[- ]patterns?|(query|read|write|solved) patterns?|query examples?|(example|common|key|sample) (queries|operations)|queries)\b`), topicPatterns},
	{lazyregexp.New(`(?i)^((primary|composite|table) keys?|keys?|key (schema|structure|design)|primary keys?.*|key configuration|configuration|table (schema|configuration|structure|details)|base table|schema)\b`), topicKeys},
	{lazyregexp.New(`(?i)^(local |global )?(secondary )?(indexes|indices)\b|\b(global|local) secondary (indexes|indices)\b|^(gsis|lsis)\b|^(sparse )?gsis\b|^(existing|current|required|additional|further) (index|indexes|indices|gsis?)$`), topicIndexes},
	{lazyregexp.New(`(?i)\b(attributes?|fields?|properties)\b|^(stores|holds|contains)$`), topicAttributes},
	{lazyregexp.New(`(?i)\b(example|sample)s?\b`), topicExamples},
	{lazyregexp.New(`(?i)^(entit(y|ies)|items?|item types?|record types?)( (list|types?|definitions?|schemas?|key patterns|shapes?|catalog))?$|\b(pk/sk|key|sk|pk) (patterns?|taxonomy|design|schema)\b|\bentity (list|definitions|types|key)\b`), topicEntities},
	{lazyregexp.New(`(?i)^(purpose|notes|summary|overview|used (for|by)|use case|guarantees?|description|capacity.*|references?|change ?log|trade-?offs?|guardrails|failure modes|design principles|concurrency.*|privacy.*|implementation.*|migration.*|cost.*|monitoring.*|validation.*|security.*)$`), topicOther},
}

func topicOf(title string) topic {
	title = cleanTitle(title)
	// "GSIs (for query patterns)" speaks of indexes.
	before, _, _ := strings.Cut(title, " (")
	for _, text := range []string{before, title} {
		for _, entry := range topics {
			if entry.form.MatchString(text) {
				if entry.topic != noTopic || text == title {
					return entry.topic
				}
				break
			}
		}
	}
	return noTopic
}

var numbering = lazyregexp.New(`^\(?(\d+[.):]?)+[\s.):-]*`)

// cleanTitle removes numbers, signs and marks around a title.
func cleanTitle(title string) string {
	clean := numbering.ReplaceAllString(withoutSigns(strings.TrimLeft(title, " ")), "")
	for before := ""; before != clean; {
		before = clean
		clean = strings.TrimLeft(withoutSigns(clean), " .:#*-)")
	}
	return strings.Trim(clean, " :*")
}

// withoutSigns removes the signs before a title, such as emoji, also where they came through a
// wrong encoding ("1Ô∏è‚É£"): characters beyond ASCII of which one is no letter. Words of
// other languages stay.
func withoutSigns(title string) string {
	end := strings.IndexFunc(title, func(r rune) bool { return r <= unicode.MaxASCII })
	if end < 0 {
		end = len(title)
	}
	if strings.ContainsFunc(title[:end], func(r rune) bool { return !unicode.IsLetter(r) }) {
		return strings.TrimLeft(title[end:], " ")
	}
	return title
}

const dash = `(?:—|–|-{1,3})`

var (
	tableTitle  = lazyregexp.New(`(?i)^(?:[a-z]+ ){0,2}table(?: name)?(?:\s*#?\d+)?\s*(?::\s*|` + dash + `\s+|\s` + dash + `\s*)(.+)$`)
	nameTable   = lazyregexp.New("(?i)^`?([A-Za-z0-9_{}<>$.-]+)`?\\s+table(?:\\s*\\(.*\\))?$")
	dynamoTitle = lazyregexp.New("(?i)^dynamodb\\s*(?::|" + dash + ")\\s*`[^`]+`$") // "DynamoDB: `orders`"
	tableName   = lazyregexp.New("(?i)^table\\s+`([A-Za-z0-9_{}<>$.-]+)`$")
	notTables   = strings.Fields("base main primary single the this dynamodb a an one each per lookup hash access pattern patterns attribute attributes summary schema key keys entity data multi design global same separate comparison partition sort index gsi structure configuration name names settings definition definitions overview creation class details information level item items query field fields reference and or vs of in for to mapping new existing second first")

	numberedIndex  = lazyregexp.New(`(?i)^((?:GSI|LSI)[-_ ]?\d+)\b`)
	bracketedIndex = lazyregexp.New(`(?i)\bsecondary index\s*\(((?:GSI|LSI)[-_ ]?\d+)\)$`)
	labelledIndex  = lazyregexp.New(`(?i)^(?:GSI|LSI|(?:global |local )?secondary index|index(?: name)?)\s*(?:#?\d+)?\s*(?::|` + dash + `)\s*(.+)$`)
	nameIndex      = lazyregexp.New(`(?i)^([A-Za-z0-9_.-]+)\s+(?:\(?(?:GSI|LSI|global secondary index|local secondary index|secondary index|index)\)?)$`)
)

// tableIn reads the name of a table out of a heading or label, "" for none.
func tableIn(title inline) string {
	clean := cleanTitle(title.text)
	if codes := title.code(); len(codes) == 1 {
		// The marks are gone from the text: put them back around the name.
		clean = strings.Replace(clean, codes[0], "`"+codes[0]+"`", 1)
	}
	if match := tableTitle.FindStringSubmatch(clean); match != nil {
		rest := match[1]
		for _, marked := range title.spans {
			if part := title.part(marked); strings.Contains(rest, part) && namesTable(part) && part != clean {
				return strings.Trim(part, "`: ")
			}
		}
		before, _, _ := strings.Cut(rest, " (")
		if before = strings.Trim(before, " `"); namesTable(before) {
			return before
		}
		return ""
	}
	if codes := title.code(); len(codes) == 1 && dynamoTitle.MatchString(clean) && namesTable(codes[0]) {
		return codes[0]
	}
	for _, form := range []*lazyregexp.Regexp{nameTable, tableName} {
		if match := form.FindStringSubmatch(clean); match != nil && namesTable(match[1]) && !slices.Contains(notTables, strings.ToLower(match[1])) {
			return match[1]
		}
	}
	return ""
}

var tableNameForm = lazyregexp.New(`^[A-Za-z0-9_.{}<>$\[\]/-]{2,80}$`)

// namesTable reports whether a text can be a table's name.
func namesTable(text string) bool {
	text = strings.Trim(text, "`'\" :")
	return tableNameForm.MatchString(text) && !isPlainKeyName(text) && !slices.Contains(notTables, strings.ToLower(text)) && strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// indexIn reads the name of an index out of a heading, label or list item, "" for none.
func indexIn(title inline, listed bool) (name string, local bool) {
	clean := cleanTitle(title.text)
	local = strings.HasPrefix(strings.ToUpper(clean), "LSI") || strings.HasPrefix(strings.ToLower(clean), "local")
	marked, _ := first(title.code(), func(code string) bool { return identifier.MatchString(code) && !isTemplate(code) })
	if match := numberedIndex.FindStringSubmatch(clean); match != nil {
		if strings.HasPrefix(clean, marked) && strings.HasPrefix(marked, match[1]) {
			return marked, local // `GSI1-by-owner`
		}
		rest := strings.TrimSpace(clean[len(match[0]):])
		if marked != "" && strings.HasPrefix(strings.TrimLeft(rest, "—–-:( "), marked) {
			return marked, local
		}
		return strings.Join(strings.Fields(match[1]), ""), local
	}
	if match := bracketedIndex.FindStringSubmatch(clean); match != nil {
		return match[1], local
	}
	if match := labelledIndex.FindStringSubmatch(clean); match != nil {
		rest := strings.Trim(match[1], "`* ")
		if marked != "" {
			return marked, local
		}
		if identifier.MatchString(rest) && !isTemplate(rest) {
			return rest, local
		}
		if first, _, found := strings.Cut(rest, " ("); found && identifier.MatchString(first) {
			return first, local
		}
		return "", false
	}
	if match := nameIndex.FindStringSubmatch(clean); match != nil && !slices.Contains(notTables, strings.ToLower(match[1])) && !slices.Contains([]string{"secondary", "keyword", "sparse", "inverted", "search", "local"}, strings.ToLower(match[1])) {
		return match[1], local
	}
	if listed {
		// In a list of indexes an item begins with the name.
		name := strings.Trim(title.marked(), ":* ")
		if name != "" && strings.HasPrefix(clean, name) && identifier.MatchString(name) && !notIndexNames.MatchString(name) && !isPlainKeyName(name) {
			return name, local
		}
	}
	return "", false
}

var notIndexNames = lazyregexp.New(`(?i)^(gsis?|lsis?|pk|sk|partition|sort|hash|range|projection|purpose|none|name|key|keys|use|type|sparse|billing|table)$`)
