package reader

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// One grammar of a request, wherever its text stands: in a cell, behind a title, below a label.
//
//	Query by-day where day = {day}, newest first     an operation, a place, comparisons
//	GetItem(CART#<id>, META)                         the values of the keys in their order
//	GetItem(PK + SK), Query by `shop`                keys without a value
//	by-day with day = {day}                          an index and comparisons
//	pk = CART#<id>, begins_with(sk, "LINE#")         comparisons alone
//	PK lookup on `cart`, GSI on `day`                a place by its word

var (
	operationHead = lazyregexp.New("(?i)^`?(?:new )?(" + operationWords + "|Get|Put|Update|Delete)(Command)?\\b`?")
	keyBehindDash = lazyregexp.New("^(?:[-–—:] `?[A-Za-z_]\\w* ?=|`?(?i:(?:gsi|lsi)?\\d*_?[ps]k) ?=)") // "Put - `pk = CART#{id}`", "GET PK = CART#{id}"
	// ofKind matches the words before an operation that say how it is made.
	ofKind = lazyregexp.New("^(?i:(?:conditional|direct|parallel|paginated|bounded|ascending|descending|(?:strongly )?consistent|(?:base|main)[- ]table) )+(`?(?:" + operationWords + "|query|scan)\\b`?)")
	// methodCall matches a comparison as a method of its key: SK.begins_with(LINE#).
	methodCall = lazyregexp.New(`(?i)\b((?:(?:gsi|lsi)\d*_?)?[ps]k)\.begins_?with\(([^()]*)\)`)
	// wordAhead matches the word for an index before the name of its key, which says which it is: "GSI `GSI1PK=DAY#{day}`".
	wordAhead = lazyregexp.New("(?i)^((?:query )?)(?:GSI|LSI) (?:with |where )?(`?(?:gsi|lsi)\\d+_?pk`? ?=)")
	// ifAbsent matches the condition on an item's existence behind a write: "PutItem with `attribute_not_exists(pk)`".
	ifAbsent = lazyregexp.New("[, ]+(?:(?:with|if|when|and|guarded by|using) )?(?:(?:an?|the) )?(?:condition(?: expression)?:? )?`?\\(?attribute_(?:not_)?exists\\([^()]*\\)\\)?`?")
	// calledWith matches a call with its arguments, argument the name of one before its colon, and indexGiven the one that names an index.
	calledWith = lazyregexp.New("^`?(?:" + operationWords + ")\\(.*: .*\\)`?$")
	braced     = lazyregexp.New("^(`?(?:" + operationWords + ")\\b[^{}(=:]*)\\{ (.*) \\}([^{}]*)$")
	argument   = lazyregexp.New("([(,] ?)([A-Za-z_]\\w*): ")
	indexGiven = lazyregexp.New("(?i)([(,] ?)(?:gsi|lsi|index|index_?name) ?[:=] ?[\"']?([\\w.-]+)[\"']?")
	// getsItem matches what reads one item, whatever it is called before: "Query: Get item with PK = CART#<id> and SK = META".
	getsItem = lazyregexp.New(`(?i)^get (?:an |the |one |single )*item\b`)
	// onOnlyIndex matches the word for the index of a table that has one.
	onOnlyIndex = lazyregexp.New(`(?i)(?:^\W*|\b(?:on|via|through) )(?:the |its )?(?:GSI|secondary index)(?:$|[\s,.;)])`)
	// getsByKey matches the same in words before the key: "Get item `PK=CART#{id}`".
	getsByKey = lazyregexp.New("^(?i:(?:get|fetch|read)(?: an| the)? item)(?: with| where| by)? (`?(?i:[ps]k)`? ?=)")
	shortHead = lazyregexp.New("(?i)^(?:get|put|update|delete)$")
	// trailing matches an operation behind the place or the keys: "Base table (GetItem)", "PK via PutCommand".
	trailing = lazyregexp.New("\\s*(?:\\(|\\bvia `?)(" + operationWords + "|(?:" + commandWords + ")Command)[)`]*\\s*$")
	// usesPlace matches the word before an index with which a request is made: "Use `by-day` GSI".
	usesPlace = lazyregexp.New("^(?i:uses?|using|via|through) (?:the )?(`?[A-Za-z][\\w.-]*`?(?: (?:GSI|LSI|index))?(?:$|[ ,:]))")
	// indexHead matches an index before what it is asked for.
	indexHead = lazyregexp.New("^(?:GSI )?`?([A-Za-z][\\w.-]*)`?(?: \\(?(?:GSI|LSI|index)\\d*\\)?)?( (?i:query))?(?:(?::|,| with| where| by| on| using| and| con| com| mit| avec) |( `?(?i:(?:(?:gsi|lsi)\\d*[-_]?)?[ps]k)`? ?=| `[^`]+#)|$)")
	// lookupHead matches the word for a place: the key of the table, or its only index.
	lookupHead = lazyregexp.New("(?i)^(?:(?:(?:main |base )?table )?((?:table )?PK|primary key|partition key|GSI|secondary index)(?: (?:lookup|query|scan|read|access))?(?: (?:on|by|via) | \\(|$)|(?:(?:direct|exact|primary[- ]key|key|point) )*(?:look-?up|point read) (?:using|by|with|on|of|at|via) |(?:exact|direct) (?:primary[- ]key )?look-?up |(?:(?:main|base|primary) )table,? )")
	// sortedBy matches what a program sorts an answer by.
	sortedBy = lazyregexp.New("(?i)\\bsort(?:ed)? by `?(\\w+)")
	// otherTable matches the table that a request names.
	otherTable = lazyregexp.New("(?i)\\btable `([a-z][\\w.-]*)`|`([a-z][\\w.-]*)` table\\b|^`?(?:" + operationWords + ")\\b`? (?:(?:on|from|in) )?`([a-z]\\w*(?:-[\\w.]+)+)`|^`?(?:Scan|GetItem|BatchGetItem)`? (?:on|from) `([a-z][\\w.-]*)`")
	// namedTable matches the name of a table before that word, or before an index: "Query Carts table", "Query Carts GSI1". numberApart matches an index with its
	// number apart: GSI 1.
	namedTable  = lazyregexp.New("(?i)^(?:" + operationWords + "|.*look-?up)`? (?:(?:on|from|in|of) )?(?:the )?`?([a-z][\\w.-]*)`? (?:table|[GL]SI\\d*|index)\\b")
	numberApart = lazyregexp.New(`\b(GSI|LSI) (\d+)\b`)
	// besideIndex matches another name of an index behind its number: GSI1 (By Day Index).
	besideIndex = lazyregexp.New(`(?i)\b([GL]SI\d+) \([\w -]* index\)`)
	// moreCompared matches a comparison that is not read.
	moreCompared  = lazyregexp.New("(" + attributeName + ")[`\"']?\\s*(?:[!=<>]|(?i:in|contains|between|not|begins_with|begins with|starts with)\\b)")
	stops         = lazyregexp.New(`(?: — | – |\. |; | \*?or\*? | and/or | \(e\.g|(?:,| and) sort(?:ed)? by| then |, where| [✅✓✔☑]️?$)`)
	another       = lazyregexp.New("(?i)^(?: [—–-] )?\\s*\\*?(?:and/)?or\\b\\*? ")
	follows       = lazyregexp.New("`?\\s*(?:->|→|⇒)\\s*`?|,? then ")
	writes        = lazyregexp.New(`\b(?:Put|Update|Delete|BatchWrite|TransactWrite)(?:Items?)?\b`)
	otherRequest  = lazyregexp.New("(?:/|\\b(?i:then|and|or|y|e|o|et|ou|und|oder)|[,;+]) *(?:[a-z]+ )?`?(?:" + commandWords + ")(?:Items?)?\\b")
	namedFunction = lazyregexp.New("=\\s*[\"'](?i:begins_with|between)[\"']") // SK="begins_with", "A#": no value of SK
	ofSeveral     = lazyregexp.New("(?i)^`?(?:batch|transact)")               // its requests are its own
	numberAlone   = lazyregexp.New(`(?i)\b(?:GSI|LSI)[-_ ]?\d+\b`)
	filterWord    = lazyregexp.New(`(?i)\bfilter(?:ed|s|expression)?\b`)
	filteredKey   = lazyregexp.New("(?i)(?:^| )(?:with|by|and) (?:an? |the )?`?[A-Za-z_]\\w*`? $")
	limitWord     = lazyregexp.New(`(?i)\blimit\s*[:=]?\s*(\d+)\b`)
	descending    = lazyregexp.New(`(?i)ScanIndexForward["']?\s*[:=]\s*"?(?:false)|\bscan_?(?:index_?)?forward\s*[:=]\s*false|\bdesc(?:ending)?\b`)
	ascending     = lazyregexp.New(`(?i)ScanIndexForward["']?\s*[:=]\s*"?(?:true)|\basc(?:ending)?\b`)
	// scanBackward and scanForward match in which order a query goes through a partition, in words that name no Scan.
	scanBackward = lazyregexp.New(`(?i)\b(?:reverse|backwards?|descending) scan\b|\bscan(?:s|ned|ning)? (?:in )?(?:reverse|backwards?|desc\w*)(?: order)?\b`)
	scanForward  = lazyregexp.New(`(?i)\b(?:forwards?|ascending) scan\b|\bscan(?:s|ned|ning)? (?:in )?(?:forwards?|asc\w*)(?: order)?\b`)
	consistent   = lazyregexp.New(`(?i)\bConsistentRead["']?\s*[:=]\s*"?true\b|\bstrongly consistent\b|\bconsistent read\b`)
	betweenWords = lazyregexp.New("(?i)(?:^|[ ,`])([A-Za-z_][\\w.-]*)`? between(?: [a-z ]+)?$")
	// assignments matches what an update sets, up to its condition.
	assignments = lazyregexp.New(`\b(?:SET|Set) .*?(\b[Cc]ondition|\bif\b|\bwhere\b|$)`)
	// connecting matches the words between an operation and a key.
	connecting  = lazyregexp.New("(?i)^(?:to (?:fetch|find|get|load|read|retrieve|look up) (?:it |them )?by |(?:on|for|with|by|using|via|through|where|mit|con|com|avec|auf|sobre|sur|per|por|in|from|at|of|the|its|base|main|primary|table|partition|index|GSI|LSI|key|keys|lookup|and)(?:[\\s)]+|$)|->|[`*:\\s(→])+")
	argumentEnd = lazyregexp.New(`,|;|&|\+| / |(?i: (?:and|y|e|et|und) )`)
	// valueWith matches the value of a partition key before "with" and a comparison of the sort key.
	valueWith = lazyregexp.New("(#[^\\s,;]*) (?:with|where) (?:the |an? )?(`?" + compared + "|sort key `)")
	// ofPartition matches the word for it behind the value of a partition key, and what a bracket says of it: "by `day` partition (for the limit)".
	ofPartition = lazyregexp.New("(?i)(?:(?:^| )partition)?(?: \\((?:for|to|as) [^()]*)?$")
	// prefixTold matches a prefix of the sort key before that word: "SK `LINE#` prefix", "and `LINE#` prefix"; sortBeside the word for the sort key without a comma before it.
	prefixTold  = lazyregexp.New("(?i)(?:,? (?:with|and) (?:an? |the |its )?|(?:,| and| with)? (?:SK|sort[- ]key) )(`[^`]+`)(?: (?:SK|sort[- ]key))? prefix\\b")
	sortBeside  = lazyregexp.New("(?i)(`[^`]+#[^`]*`) ((?:SK|sort[- ]key) `)")
	prefixAhead = lazyregexp.New(` (?i:with|and) (?:the )?(?:(?i:SK|sort key) )?prefix `)
	// byKey matches the word for a key of the place, the whole one first, with nothing behind it.
	byKey     = lazyregexp.New(`(?i)\b(?:by|on|using|with|via) (?:the |its |full |whole )*(?:(primary)|partition|hash) key\W*$`)
	roleAhead = lazyregexp.New(`(?i)^(partition key|sort key|primary key|(?:(?:gsi|lsi)\d+_?)?[ps]k|prefix|begins_with|begins with|starts with)\b[\s:` + "`" + `]*`)
	// keyBehind matches the role of a key behind its name: "userId (partition key)".
	keyBehind = lazyregexp.New(`(?i)^(?:\((?:the )?(?:(?:primary|partition|hash|sort|range) key|pk|sk)|as (?:the )?(?:partition|hash|sort|range) key|(?:partition|hash|sort|range) key)$`)
	// placeAfter matches the index behind a key: "`day` using the GSI".
	placeAfter = lazyregexp.New(`(?i)^(?:using|via|through) (?:the |an? )?(?:GSI|LSI|index)\b[^,;=]*$`)
	keyValue   = lazyregexp.New("#|[{<]\\w|^[\"']\\w")
	optionWord = lazyregexp.New(`(?i)^(?:limit|scan_?index_?forward|scan_?forward|order|consistent\w*|descending|ascending|desc|asc|newest|oldest|latest|most recent|reverse)(?:[\s=:-]|$)|\b(?:desc|asc)$`)
)

// request reads a request at the beginning of a text into a pattern. It returns whether the text is one, and whether
// the request is all that it says. Of what is none nothing is read.
func (r *reader) request(p *Pattern, text string, line int) (is, whole bool) {
	before := *p
	if is, whole = r.asks(p, strings.TrimSpace(text), line); !is {
		*p = before
	}
	return is, whole
}

// asArguments are the members of an object as the arguments of a call, each name before a sign: "(PK = CART#{id}, day)" of "PK: CART#{id}, day".
func asArguments(members string) string {
	return argument.ReplaceAllString("("+members+")", "$1$2 = ")
}

// withoutScanOrder is a text with the order in place of the words for it that name no Scan.
func withoutScanOrder(text string) string {
	return scanForward.ReplaceAllString(scanBackward.ReplaceAllString(text, "descending"), "ascending")
}

func (r *reader) asks(p *Pattern, text string, line int) (is, whole bool) {
	text = strings.ReplaceAll(text, "... ", "… ") // no end of a sentence: "PK = CART#... AND SK begins_with LINE#"
	text = withoutScanOrder(text)
	text = wordAhead.ReplaceAllString(text, "$1$2")
	text = methodCall.ReplaceAllString(text, "begins_with($1, $2)")
	text = ifAbsent.ReplaceAllString(ofKind.ReplaceAllString(text, "$1"), "")
	if match := braced.FindStringSubmatch(text); match != nil { // "GetItem { PK: CART#{id}, SK: META }"
		text = match[1] + asArguments(match[2]) + match[3]
	}
	called := false
	if calledWith.MatchString(text) && strings.HasPrefix(strings.Trim(text, "`"), "PutItem") { // with what the item has
		text = "PutItem"
	} else if calledWith.MatchString(text) { // "Query(GSI: by-day, day: {day})"
		if given := indexGiven.FindStringSubmatch(text); given != nil && !genericKey.MatchString(given[2]) && !r.indexIn(p, r.tableOf(p.Table), given[2]) {
			return false, false // of an index that no line gives
		}
		called = true
		text = argument.ReplaceAllString(indexGiven.ReplaceAllString(text, "$1$2"), "$1$2 = ")
	}
	later := ""
	if at := follows.FindStringIndex(text); at != nil {
		text, later = text[:at[0]], text[at[1]:]
	}
	if !ofSeveral.MatchString(text) && (otherRequest.MatchString(text) || writes.MatchString(later)) || namedFunction.MatchString(text) || severalIndexes(text) {
		return false, false // one of several requests, or of several indexes
	}
	text = usesPlace.ReplaceAllString(getsByKey.ReplaceAllString(text, "GetItem $1"), "$1")
	text = sortBeside.ReplaceAllString(prefixTold.ReplaceAllString(text, ", SK begins_with $1"), "$1, $2")
	text = besideIndex.ReplaceAllString(numberApart.ReplaceAllString(text, "$1$2"), "$1")
	if named := namedTable.FindStringSubmatch(text); named != nil && !r.spelt(named[1]).bare() {
		if of := r.known(named[1]); of != nil {
			p.Table, p.apart = of.Name, false
		}
	}
	table, rest := r.tableOf(p.Table), text
	head, index, lookup := operationHead.FindStringSubmatch(text), indexHead.FindStringSubmatch(text), lookupHead.FindStringSubmatch(text)
	switch {
	case head != nil:
		if rest = strings.TrimSpace(text[len(head[0]):]); shortHead.MatchString(head[1]) && head[2] == "" && !strings.HasPrefix(rest, "(") && !keyBehindDash.MatchString(rest) {
			return false, false
		}
		if getsItem.MatchString(strings.TrimLeft(rest, "*: ")) {
			head[1] = "GetItem"
		}
		p.Operation, p.verb = operationOf(head[1]), shortHead.MatchString(head[1]) && head[2] == "" && !strings.HasPrefix(rest, "(")
	case index != nil && r.indexIn(p, table, index[1]):
		rest, head = text[len(index[0])-len(index[3]):], index // "GSI1 GSI1PK = DAY#{day}"
		p.Operation = cmp.Or(p.Operation, operationOf(strings.TrimSpace(index[2])))
	case lookup != nil && strings.HasPrefix(strings.ToLower(lookup[0]), "point"): // "point read on CART#{id} / META"
		p.Operation, rest, head = cmp.Or(p.Operation, "GetItem"), text[len(lookup[0]):], lookup
	case lookup != nil && (lookup[1] == "" || roles[wordOf(lookup[1])] == Hash || wordOf(lookup[1]) == wPrimary):
		rest, head = text[len(lookup[0]):], lookup
	case lookup != nil && table != nil && len(table.Indexes) == 1:
		p.Index, rest, head = table.Indexes[0].Name, text[len(lookup[0]):], lookup
	}
	given, filter := rest, ""
	if at := stops.FindStringIndex(rest); at != nil {
		given = rest[:at[0]]
		if another.MatchString(rest[at[0]:]) {
			return false, false // or another request: which of them is not said
		}
		whole = len(rest)-at[1] < 3
	} else if another.MatchString(rest) {
		return false, false
	} else {
		whole = true
	}
	if at := filterWord.FindStringIndex(given); at != nil {
		if given, filter = given[:at[0]], given[at[1]:]; strings.Trim(filter, "`). ") == "" {
			given = filteredKey.ReplaceAllString(given, "") // "Query GSI1 with SK filter": of how it is compared nothing is said
		}
	}
	found := r.conditionsOf(given, line)
	whole = whole && !r.comparesMore(given, line)
	if called && p.Index == "" && len(found) > 0 && !slices.ContainsFunc(found, func(c Condition) bool { return r.keyNames[c.Attribute] }) {
		return false, false // of what is no table
	}
	if other := otherTable.FindStringSubmatch(text); other != nil {
		if name := strings.Join(other[1:], ""); r.known(name) == nil && !isIndexTitle(name) && !r.keyNames[name] && !r.indexIn(&Pattern{}, table, name) {
			p.Table, p.apart, table = "", true, nil
		}
	}
	if bare := strings.TrimLeft(text, "`"); head == nil && (len(found) == 0 || !HasWord(bare[:min(len(bare), len(found[0].Attribute)+1)], found[0].Attribute) && !strings.HasPrefix(text, "begins_with")) {
		return false, false // comparisons alone have to be all of it
	}
	known := len(p.Conditions)
	if head != nil {
		if r.indexIn(p, table, given); p.Index == "" && table != nil && len(table.Indexes) == 1 && onOnlyIndex.MatchString(given) {
			p.Index = table.Indexes[0].Name
		}
		whole = r.arguments(p, given, line, lookup != nil && !strings.HasPrefix(strings.ToLower(lookup[0]), "point")) && whole
	}
	p.Conditions = append(p.Conditions, found...)
	if len(head) > 2 && head[2] == "" && shortHead.MatchString(head[1]) && p.Operation != "PutItem" && keyBehindDash.MatchString(rest) && !wholeKey(table, p.Conditions) {
		p.Operation = "" // "GET PK = CART#{id}" for what a query reads
	}
	whole = (filter == "" || r.filtered(p, filter, line)) && whole
	if lookup != nil && lookup[1] != "" && p.Operation == "" && p.Index == "" && len(p.Conditions) == known {
		p.compare(line, string(wHash), "=", "")
	}
	if head != nil && shortHead.MatchString(head[1]) && len(p.Conditions) == known && !(len(head) > 2 && head[2] != "" && strings.HasPrefix(text, "`")) {
		return false, false // a function that is called so
	}
	if r.limits(p, rest); !operations.MatchString(later) && !r.afterwards(later) {
		r.limits(p, later)
	}
	p.Consistent = p.Consistent || consistent.MatchString(rest)
	if behind := trailing.FindStringSubmatch(text); behind != nil && p.Operation == "" {
		p.Operation = operationOf(behind[1])
	}
	unread := filterWord.MatchString(rest) && !p.Filters()
	return true, whole && !unread && !operations.MatchString(later) && len(r.conditionsOf(later, line)) == 0
}

// severalIndexes reports whether a text speaks of several indexes by their numbers.
func severalIndexes(text string) bool {
	numbers := map[string]bool{}
	for _, number := range numberAlone.FindAllString(text, -1) {
		numbers[Plain(number)] = true
	}
	return len(numbers) > 1
}

// wholeKey reports whether conditions give each key of a table its value.
func wholeKey(t *Table, all []Condition) bool {
	return t == nil || !slices.ContainsFunc(t.Keys, func(k Key) bool {
		return !slices.ContainsFunc(all, func(c Condition) bool { return c.Attribute == k.Name && c.Operator == "=" })
	})
}

// reads reports whether an attribute is the partition key of the place that a pattern reads.
func (r *reader) reads(p *Pattern, attribute string) bool {
	_, keys := p.place(r.tableOf(p.Table))
	hash, has := keyOf(keys, Hash)
	return has && hash.Name == attribute
}

// bothInOne matches the values of both keys with a slash between: CART#7/LINE#1.
var bothInOne = lazyregexp.New(`^[A-Z_]+#[^/]+/[A-Z_]+(?:#|$)`)

// keysInOne matches the values of both keys in one pair of backticks, with what stands around it.
var keysInOne = lazyregexp.New("^([^`#]*)`([A-Z_]+#[^`/]+)/([A-Z_]+(?:#[^`/]+)?)`([^`#]*)$")

// haveBoth reports whether there is a kind of item whose keys begin as the values of a partition key and of a sort key do.
func (r *reader) haveBoth(hash, sort string) bool {
	begins := func(e *Entity, role, value string) bool {
		key, _ := e.Table.Key(role)
		own, has := e.Key(key.Name)
		word, _, more := strings.Cut(value, "#")
		ownWord, _, ownMore := strings.Cut(string(own.Template), "#")
		return has && word == ownWord && more == ownMore
	}
	return slices.ContainsFunc(r.doc.Entities, func(e *Entity) bool { return begins(e, Hash, hash) && begins(e, Range, sort) })
}

// arguments reads what a request says of keys without a comparison: their names, and values in the order of the keys.
// Behind a word for a place also a name that is marked is one. It returns false where it says something else.
func (r *reader) arguments(p *Pattern, text string, line int, marked bool) bool {
	_, text = conditions(prefixAhead.ReplaceAllString(text, ", prefix "), line)
	text = valueWith.ReplaceAllString(text, "$1, $2")
	if at := strings.Index(text, compared+"` for "); at >= 0 { // "`PK = CART#{id}` for its `META` and `STATS`"
		text = text[:at+len(compared)]
	}
	if open := strings.TrimLeft(text, " `"); strings.HasPrefix(open, "(") {
		if inside := balanced(open); inside != "" {
			text = inside[1:len(inside)-1] + "," + open[len(inside):]
		}
	}
	if both := keysInOne.FindStringSubmatch(text); both != nil && r.haveBoth(both[2], both[3]) { // "GetItem `CART#id/META`"
		text = both[1] + "`" + both[2] + "`, `" + both[3] + "`" + both[4]
	}
	before := 0
	for _, part := range argumentEnd.Split(text, -1) {
		if strings.Contains(part, compared) {
			before++
			continue
		}
		asked, operator, rest := "", "=", r.behindPlace(part)
		if role := roleAhead.FindStringSubmatch(rest); role != nil {
			asked, rest = role[1], rest[len(role[0]):]
		}
		if asked != "" && roles[wordOf(asked)] == "" && wordOf(asked) != wPrimary && !genericKey.MatchString(asked) { // a prefix
			if asked, operator = string(wRange), "begins_with"; p.Operation == "Scan" {
				return false // of which attribute is not said
			}
		}
		token, used, is := valueAt(rest)
		behind := placeAfter.ReplaceAllString(keyBehind.ReplaceAllString(ofPartition.ReplaceAllString(strings.Trim(rest[used:], "`*). "), ""), ""), "")
		switch {
		case strings.Trim(part, "`*). ") == "", optionWord.MatchString(strings.Trim(part, "`*). ")) && !(before == 1 && capitals.MatchString(token) && strings.Contains(part, "`")):
			continue
		case rest == "" && (r.keyNames[asked] || roles[wordOf(asked)] != "" && strings.Contains(text, " ")): // "PK + SK", "by partition key"
			p.compare(line, map[bool]string{true: asked, false: string(wordOf(asked))}[r.keyNames[asked]], "=", "")
		case rest == "" && byKey.MatchString(part): // "Query by partition key", "GetItem by primary key"
			_, keys := p.place(r.tableOf(p.Table))
			for _, key := range keys {
				if whole := byKey.FindStringSubmatch(part)[1] != ""; key.Role == Hash || whole && p.Operation != "Query" {
					p.compare(line, key.Name, "=", "")
				}
			}
		case rest == "" && asked == "" && part != "": // a place alone
			continue
		case before == 0 && operator == "=" && p.Operation == "Query" && strings.HasPrefix(behind, "with ") && r.reads(p, token):
			p.compare(line, token, "=", "") // "Query on `day` with a range of times"
			return optionWord.MatchString(strings.TrimPrefix(behind, "with "))
		case strings.Contains(part, "*`"): // "`LINE#*`": whether it is all of them is not said
			return false
		case !is || behind != "" || before > 1 || operator == "=" && strings.HasSuffix(unquoted(token), "#") || bothInOne.MatchString(token) || strings.Contains(token, "…") || strings.Contains(token, "..."):
			return optionWord.MatchString(behind) && r.keyNames[token]
		case r.keyNames[token] && operator == "=", marked && strings.Contains(part, "`"+token+"`") && identifier.MatchString(token):
			p.compare(line, token, "=", "")
		case keyValue.MatchString(token), before == 1 && capitals.MatchString(token):
			p.compare(line, cmp.Or(asked, [2]string{string(wHash), string(wRange)}[before]), operator, value(token))
			p.Conditions[len(p.Conditions)-1].written = unquoted(token)
		default:
			return false
		}
		before++
	}
	return true
}

// afterwards reports whether a text says what a program does with an answer, which is none of the request.
func (r *reader) afterwards(text string) bool {
	by := sortedBy.FindStringSubmatch(text)
	return phrase("inProgram").MatchString(text) || by != nil && !r.ofKey(Condition{Attribute: by[1]})
}

// behindPlace is what stands in a text behind the words for its place, with its table and index.
func (r *reader) behindPlace(text string) string {
	for {
		text = text[len(connecting.FindString(text)):]
		token, used, _ := valueAt(text)
		if token == "" || strings.Contains(token, "#") || r.spelt(unquoted(token)).bare() || r.known(token) == nil && !isIndexTitle(token) && !slices.ContainsFunc(r.all, func(t *Table) bool {
			return slices.ContainsFunc(t.Indexes, func(x *Index) bool { return x.names(token) })
		}) {
			return text
		}
		text = text[used:]
	}
}

// conditionsOf are the comparisons of a text, those with words for values among them.
func (r *reader) conditionsOf(text string, line int) []Condition {
	text = assignments.ReplaceAllString(text, "$1")
	found, _ := conditions(text, line)
	if match := betweenWords.FindStringSubmatch(strings.TrimSpace(text)); match != nil && !slices.ContainsFunc(found, func(c Condition) bool { return c.Attribute == match[1] }) {
		found = append(found, Condition{Line: line, Attribute: match[1], Operator: "BETWEEN"})
	}
	return slices.DeleteFunc(found, func(c Condition) bool { return c.Attribute == "" })
}

// filtered adds the comparisons of a filter, and returns whether these are all that it says.
func (r *reader) filtered(p *Pattern, text string, line int) bool {
	found, whole := filterConditions(text, line)
	p.Conditions = append(p.Conditions, found...)
	return whole
}

// comparesMore reports whether a text compares a key in a way that is not read.
func (r *reader) comparesMore(text string, line int) bool {
	_, rest := conditions(assignments.ReplaceAllString(text, "$1"), line)
	return slices.ContainsFunc(moreCompared.FindAllStringSubmatch(rest, -1), func(match []string) bool { return r.ofKey(Condition{Attribute: match[1]}) })
}

func (r *reader) tableOf(name string) *Table {
	table, _ := first(r.all, func(t *Table) bool { return t.Name == name })
	return table
}

// compare adds a comparison of a key to a pattern.
func (p *Pattern) compare(line int, attribute, operator string, value Template) {
	p.Conditions = append(p.Conditions, Condition{Line: line, Attribute: attribute, Operator: operator, Value: value})
}

func (r *reader) limits(p *Pattern, text string) {
	if match := limitWord.FindStringSubmatch(text); match != nil {
		p.Limit, _ = strconv.Atoi(match[1])
	}
	switch {
	case descending.MatchString(text):
		p.Order = "descending"
	case ascending.MatchString(text):
		p.Order = cmp.Or(p.Order, "ascending")
	}
}

// indexIn finds the one index that a text names.
func (r *reader) indexIn(p *Pattern, table *Table, text string) bool {
	var found *Index
	var of *Table
	spelt := ""
	if table == nil { // "orders by-day"
		if table, _ = first(r.all, func(t *Table) bool { return HasWord(text, t.Name) }); table != nil {
			p.Table = table.Name
		}
	}
	for _, t := range r.all {
		if table == nil && p.apart {
			break // of another table
		}
		for _, index := range t.Indexes {
			for _, name := range append([]string{index.Name}, index.Also...) {
				switch {
				case table != nil && t != table || !HasWord(text, name):
				case found == nil || len(name) > len(spelt) && strings.Contains(name, spelt):
					found, of, spelt = index, t, index.Name
				case found != index && (of != t || !strings.Contains(spelt, name)):
					return false // or of another table
				}
			}
		}
	}
	if found == nil { // "Query(by-owner-index, ...)" of an index that no form read
		names := slices.DeleteFunc(strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("(),` ", c) }), func(name string) bool {
			return genericKey.MatchString(name) || !indexNamed.MatchString(name) && !bareNumber.MatchString(name) || strings.Trim(strings.ToLower(name), "gsil-_") == ""
		})
		if slices.Sort(names); len(slices.Compact(names)) != 1 {
			return false
		}
		p.Index = names[0]
		return true
	}
	p.Index = found.Name
	if p.Table == "" {
		p.Table = of.Name
	}
	return true
}

// HasWord reports whether a name stands in a text as a word of its own: no letter, digit, hyphen or underscore goes on with it. Signs of
// languages that write no blanks between words are no letters here.
func HasWord(text, name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	for from := 0; name != "" && from < len(text); {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		behind, _ := utf8.DecodeRuneInString(text[end:])
		if (start == 0 || !joinsName(before) || !joinsName(first)) && (end == len(text) || !joinsName(behind) || !joinsName(last)) {
			return true
		}
		from = start + 1
	}
	return false
}

// joinsName reports whether a sign goes on with a name.
func joinsName(c rune) bool {
	return c < utf8.RuneSelf && nameByte(byte(c)) || c >= utf8.RuneSelf && unicode.In(c, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}

func nameByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
