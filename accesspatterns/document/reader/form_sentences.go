package reader

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Sentences: "the table `orders` has the partition key `id` and the sort key `at`". A role stands right before a name in
// backticks, and the sentence, or else its section, says of which table or index. A sentence that weighs what may be,
// that tells of several, or that has its keys in brackets is no form.
var (
	// mergedInto matches what says of a table that another one goes into it, some day.
	mergedInto = lazyregexp.New(`(?i)\b(?:merged?|moved?|migrated?|integrated?|folded) into\b`)
	// tableCalled matches what a text calls a table, and singleCalled what it calls the one table of its design.
	tableCalled = lazyregexp.New("(?i)\\b(?:table|tabla|tabela|tabelle|tabella)(?: dynamodb)?(?: principale?)?\\**(?: name)?(?: is| is called| is named| named| called| se llama| llamada| chama-se| chamada| heißt| namens| nommée| appelée| chiamata| denominad[ao])?(?::| \\()? ?`([^`]+)`|`([^`]+)` (?:dynamodb )?table\\b|(?:テーブル名|테이블명|表名) ?[:：]? ?`([^`]+)`")
	// dynamoTable matches what calls the one table of DynamoDB, whatever other databases a text speaks of.
	dynamoTable  = lazyregexp.New("(?i)\\b(?:one|a single) dynamodb table `([^`]+)`")
	singleCalled = lazyregexp.New("(?i)\\b(?:one|single|una sola|una única|uma única|une seule|einer einzigen)[- ](?:dynamodb[- ])?(?:table|tabla|tabela|tabelle)(?:,(?: named?| called)?| \\(| named| called| design (?:using|in|on|\\())(?: \\(?default:?)? ?`([^`]+)`")
	// severalCalledSo matches what calls two names tables at once.
	severalCalledSo = lazyregexp.New("(?i)\\b(?:table|tabla|tabela|tabelle)s? `[^`]+`(?:,| ?[+/&]| and| or| y| e| und| et) `|`[^`]+`(?:,| ?[+/&]| and| or| y| e| und| et) `[^`]+` (?:dynamodb )?tables?\\b")
	// billedName matches a name and its mode: "`OrdersTable` — on-demand billing".
	billedName = lazyregexp.New("(?i)^`([^`]+)` (?:—|–|-) on[- ]demand (?:capacity|billing|mode)")
	// billedSo matches a mode behind the name of a table.
	billedSo = lazyregexp.New(`(?i)[ )]*(?:,| —| –| -) (?:billed )?on[- ]demand(?: (?:capacity|billing|mode))?(?:[.,]|$)`)
	// exampleOfName matches an example of the name before it: "(e.g. `orders-dev`)".
	exampleOfName = lazyregexp.New(" \\((?:e\\.g\\.|for example),? `[^`]+`\\)")
	// decided matches what is said of a decision, and leaves nothing open.
	decided = lazyregexp.New(`(?i)\bwe will (?:use|have|store|keep)\b|\btable must have\b`)
	// keyPairTold matches both names of a composite key in a sentence on a table.
	keyPairTold = lazyregexp.New("(?i)\\b(?:composite (?:primary )?key \\(|string keys |(?:partition|hash) and (?:sort|range) keys,? (?:(?:are|which are) )?(?:(?:named|called) )?\\(?)`([\\w.-]+)` ?(?:[+,/]|and) ?`([\\w.-]+)`(?:[,.;) ]|$)")
	// primaryPair matches the same before the words for a primary key, and backsIndex both keys of an index before its name.
	primaryPair = lazyregexp.New("(?i)`([\\w.-]+)`(?: \\((string|number|binary)\\))? ?(?:[+,/]|and) ?`([\\w.-]+)`(?: \\((string|number|binary)\\))? (?:string keys\\b|(?:are|form|make up|as) (?:the |its |a )?(?:table's )?(?:composite )?primary key\\b)")
	backsIndex  = lazyregexp.New("(?i)`([\\w.-]+)` ?(?:[+,/]|and) ?`([\\w.-]+)` (?:back|form|key|are the keys of) (?:the |a )?(?:(?:global |local )?secondary )?(?:index|GSI|LSI)\\b")
	// ofDynamo matches what only a sentence on a table of DynamoDB has.
	ofDynamo = lazyregexp.New(`(?i)\bdynamodb\b|\bsecondary index|\bGSIs?\b|\bsingle[- ]table\b|chave de parti|clave de parti|partitionsschl|clé de partition|\bPK\b`)
	// variableName matches the variable of an environment, and namedAsTable what is no name of a tool.
	variableName = lazyregexp.New(`^[A-Z][A-Z0-9]*_[A-Z0-9_]*$`)
	namedAsTable = lazyregexp.New(`[-_]|[Tt]able$`)
	tableTold    = lazyregexp.New("(?i)\\btable(?: dynamodb)?\\**,?(?: named| called|:)? `([^`]+)`|`([^`]+)` table\\b|^the ((?-i:[A-Z])\\w+|\\w+[-_][\\w-]+) table (?:has|uses|is (?:keyed|partitioned))\\b")
	indexTold    = lazyregexp.New("(?i)(?:index|\\bGSI|\\bLSI)[,:]?(?: named| called)? `([\\w.-]+)`|`([\\w.-]+)` (?:index|GSI|LSI)\\b")
	// roleTold matches the role of a key behind its name.
	roleTold = lazyregexp.New("(?i)`([\\w.-]+)`(?: \\(([a-z]+)\\))? (?:\\((partition|sort|hash|range|pk|sk)(?: key)?(?:, ?([a-z]+))?\\)|(?:as|is) (?:its |the |our |a )?(partition|sort|hash|range) key)")
	// tableWith matches the name of a table, and its keys in a bracket.
	tableWith = lazyregexp.New("(?i)(?:\\btable\\**(?: named| called|:)? `([^`]+)`|`([^`]+)` table) \\(([^()]*(?:\\([^()]*\\)[^()]*)*)\\)")
	// noSortKey matches what such a bracket or sentence says of a sort key that there is not, and projectionNext a projection behind the sentence on its index.
	noSortKey      = lazyregexp.New(`(?i)[,;]? ?(?:with )?(?:no|without(?: an?)?) (?:SK|(?:sort|range) key)([).,;]|$)`)
	projectionNext = lazyregexp.New("(?i)^projection(?: type)?(?: is|:) ?`?(ALL|KEYS_ONLY)\\b[`.]*$")
	// alsoIndexed matches where a sentence on a table goes on to its index.
	alsoIndexed    = lazyregexp.New("(?i)(?:[,;]|\\b(?:and|plus|with))(?: (?:and|with|a|an|one|the|its|has|single|(two|three|four|five|six|\\d+)))*(?: `[\\w.-]+`)? (?:(?:global |local )?(?:secondary )?index(?:es)?|[GL]SIs?)\\b")
	keyedBy        = lazyregexp.New(`(?i)\btable\b.*\b(?:keyed|partitioned|identified|uses?|has|with)\b`)
	projectionTold = lazyregexp.New(`(?i)\b(?:copies|projects|projecting) (?:(all) (?:the )?attributes|(?:only (?:the )?keys|keys only)\b)`)
	// indexWith matches the name of an index, and its keys in a bracket.
	indexWith = lazyregexp.New("(?i)\\b(?:(?:index|GSI|LSI)[,:]?(?: named| called)? `([\\w.-]+)`|((?:GSI|LSI)[-_]?\\d+)) \\(([^()]*(?:\\([^()]*\\)[^()]*)*)\\)")
	// namesAlone matches one name or two in backticks, and primaryTold the only key of a table.
	namesAlone  = lazyregexp.New("^`[\\w.-]+`(?: ?[,+/] ?`[\\w.-]+`)?$")
	primaryTold = lazyregexp.New("(?i)\\bprimary key(?: is|:)? `([\\w.-]+)`(?: \\(([a-z]+)\\))?(?:$|[.;]| ?, ?(?:and|with|billed|on)\\b| (?:and|with) [a-z])")
	// indexOn matches the keys of an index behind its name.
	indexOn   = lazyregexp.New("(?i)(?:\\b(?:index|GSI|LSI),?(?: named| called)? `[\\w.-]+`|`[\\w.-]+` (?:index|GSI|LSI)),? (?:on|over|keyed (?:on|by)) (`[\\w.-]+`(?: \\([A-Za-z]+\\))?(?:(?:,| and| \\+| ?/) ?`[\\w.-]+`(?: \\([A-Za-z]+\\))?)?)(?:$|[.,;:]| \\(| [—–-]| project| for| to | (?:answers|finds|lists|serves|supports) )")
	keysApart = lazyregexp.New("` ?/ ?`")
	// ofTools matches the name of a table in which a tool keeps its locks.
	ofTools     = lazyregexp.New(`(?i)terraform|\btf-?(?:state|locks?)\b`)
	bothStrings = lazyregexp.New(`(?i)\bboth (?:are )?strings?\b|\bstring keys\b|\bstring (?:partition|hash) and (?:sort|range) keys\b`)
	// ofFiles matches a sentence on the keys of a table that a store of events or files has, or a program, without the names in it.
	ofFiles = lazyregexp.New(`(?i)\b(?:kafka|hive|hbase|scylla\w*|spark|iceberg|hash (?:table|map))\b.*\b(?:key|hash)\b`)
)

var (
	// pairTold matches the names of both keys of a table.
	pairTold = lazyregexp.New("(?i)`?\\b(pk)(?: = [^`]+`|\\b`?)(?: ?/ ?| ?\\+ ?|, | and )`?\\b(sk)\\b")
	// pairUsed matches a value of an attribute that is called PK.
	pairUsed = lazyregexp.New(`(?i)(?:^|[^\w])["']?pk["']?\s*(?:=|:)\s*["'][^"']|["']pk["']\s*:|^\W*\| *` + "`?pk`?" + ` *\|`)
	// ofSingle matches what is said of the one table of a document, ofDesigns of such tables in general, and severalTold of its tables.
	ofSingle    = lazyregexp.New(`(?i)\b(?:single|one)[- ](?:dynamodb )?table\b`)
	ofDesigns   = lazyregexp.New(`(?i)\b(?:usual\w*|typical\w*|unlike|classic\w*|often|many|designs|books?)\b`)
	severalTold = lazyregexp.New(`(?i)\b(?:two|three|four|five|six|\d+|multiple|several|all|both|most|each|these|separate) (?:of the )?(?:dynamodb )?tables?\b|\bdynamodb tables\b[^.\x60]*\x60[^\x60]+\x60,`)
)

// roleWords are the words for the role of a key, in any language, as an expression.
var roleWords = sync.OnceValue(func() string {
	var all []string
	for spelling, w := range words() {
		if roles[w] != "" && len(spelling) > 7 && !indexWord.MatchString(spelling) && !keyAspect.MatchString(spelling) {
			all = append(all, regexp.QuoteMeta(spelling))
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return strings.Join(all, "|")
})

// keyTold matches the words for the role of a key, and a name right behind them.
var keyTold = sync.OnceValue(func() *lazyregexp.Regexp {
	return lazyregexp.New("(?i)(?:\\b(string|number|binary))?(?:^|[^\\pL])(" + roleWords() + ")(?: attribute)?(?: is| named| called|:)? `([\\w.-]+)`(?: \\(([^()]*)\\))?")
})

// keyAspect matches a spelling that is of the values of a key, or of one aspect.
var keyAspect = lazyregexp.New(`\b(?:format|pattern|value|condition|name|attribute|table)$`)

// ofShards matches the title of a text on what has partition keys as tables have.
var ofShards = lazyregexp.New(`(?i)\b(?:kafka|kinesis)\b`)

// ofOneTable reports whether no line speaks of several tables.
func (r *reader) ofOneTable() bool {
	several := func(b *block) bool { return b.kind == headingBlock && tablesTitle.MatchString(cleanTitle(b.text.text)) }
	return len(r.all) < 2 && !r.relational && !slices.ContainsFunc(r.blocks, func(b *block) bool {
		return several(b) || b.frame.meant() && severalTold.MatchString(ticked(b.text)+strings.Join(b.code, "\n")+rowText(slices.Concat(append(b.rows, b.header)...)))
	})
}

// pairLabel reports whether a label that has a name behind the words for the role gives the key of the only table, as another line has a value for the
// name. In a title, and where nobody has the table, it explains the words.
func (r *reader) pairLabel(s statement) bool {
	explains := s.label == s.frame.title.text || phrase("noneOf").MatchString(s.value.text) || phrase("ofTeaching").MatchString(r.doc.Title) || ofShards.MatchString(r.doc.Title)
	return !explains && r.ofOneTable() && slices.ContainsFunc(r.doc.Text, pairUsed.MatchString)
}

// pairedKeys are the keys of the only table by the names that only keys have: of a sentence on a single table, or of the forms of a kind of item. No
// other form gives them then.
func (r *reader) pairedKeys() (items []keyItem) {
	if !r.ofOneTable() || phrase("ofTeaching").MatchString(r.doc.Title) {
		return nil
	}
	pair := func(line int, hash, sort string) bool {
		if items == nil && len(hash) == 2 && len(sort) == 2 {
			items = []keyItem{{role: Hash, name: hash, line: line}, {role: Range, name: sort, line: line}}
		}
		return items != nil && items[0].name == hash && items[1].name == sort
	}
	for _, b := range r.blocks {
		above := settled(r.introduction(b))
		if b = inProse(b); b.frame.asks() || b.frame.about() == topicExamples || !b.frame.meant() || r.indexPlace(b.frame) != nil || weighs(above) || ofOther(inline{text: above}) {
			continue
		}
		for _, forms := range b.pairsOfKinds() {
			if numberOf(forms[0].name) == "" && !pair(b.line, forms[0].name, forms[1].name) {
				return nil
			}
		}
		if b.kind != textBlock && b.kind != itemBlock || ofOther(b.text) {
			continue
		}
		text := strings.Join(slices.DeleteFunc(append(strings.Split(settled(ticked(b.text)), ". "), above), func(text string) bool { return !pairTold.MatchString(text) && !ofSingle.MatchString(text) }), ". ")
		switch told := pairTold.FindStringSubmatch(text); {
		case told == nil || !ofSingle.MatchString(text) || doubted(text) || ofDesigns.MatchString(text):
		case !pair(b.line, told[1], told[2]):
			return nil
		}
	}
	return items
}

// pairsOfKinds are the forms of both keys that a line, or each row of a table, gives of a kind of item: "Order: PK=ORDER#{id}, SK=META".
func (b *block) pairsOfKinds() (all [][]keyItem) {
	var values []inline
	switch c := columnsOf(b); b.kind {
	case gridBlock:
		if at := c.at(wValue, wPrimary); c.has(wEntity) && b.ofPairs(at) {
			for _, row := range b.rows {
				if !phrase("outOfDesign").MatchString(c.cell(row, wEntity).text) {
					values = append(values, row[at])
				}
			}
		}
	case textBlock, itemBlock:
		if label, value, equals, is := split(b.text); is && !equals && !isIndexTitle(label) && !phrase("asksTitle").MatchString(label) && (wordOf(label) == wPrimary || !ofKeys[wordOf(label)]) {
			values = append(values, value)
		}
	}
	for _, value := range values {
		if forms := pairItems(strings.TrimLeft(ticked(value), "`")); len(forms) > 1 && composed.MatchString(value.text) && forms[0].role == Hash && forms[1].role == Range {
			all = append(all, forms)
		}
	}
	return all
}

// tickedNames is a text with backticks around what stood in them, and around bold names of one word, without examples of a name.
func tickedNames(text inline) string {
	text.spans = slices.Clone(text.spans)
	for i, s := range text.spans {
		part := text.part(s)
		text.spans[i].code = s.code || identifier.MatchString(part) && namesTable(part) && !genericKey.MatchString(part) && wordOf(part) == ""
	}
	return exampleOfName.ReplaceAllString(ticked(text), "")
}

// theIndex matches the beginning of a sentence on the one index that a table has, and theOnly stands for its name.
var theIndex = lazyregexp.New(`(?i)^(?:the|this|one|a|its)(?: only| single)? (?:GSI|LSI|(?:global |local )?secondary index) (?:uses|has)\b`)

const theOnly = "GSI"

// told is what a sentence says of one table or index.
type told struct {
	table, index string
	keys         []keyItem
	text         string
	projection   string
}

// clausesOf are the sentences of a text, one that goes on from the keys of a table to an index apart: "has the partition key `id`, and one GSI".
func clausesOf(text string) (all []string) {
	for _, sentence := range strings.Split(text, ". ") {
		at := alsoIndexed.FindStringSubmatchIndex(sentence)
		if at != nil && (at[2] >= 0 || indexTold.MatchString(sentence[at[0]:])) { // or "and two GSIs"
			before := strings.TrimRight(sentence[:at[0]], " ")
			if slices.ContainsFunc([]*lazyregexp.Regexp{keyTold(), primaryTold, roleTold, tableWith, keyPairTold, primaryPair}, func(form *lazyregexp.Regexp) bool { return form.MatchString(before) }) {
				all, sentence = append(all, before), sentence[at[0]:]
			}
		}
		all = append(all, sentence)
	}
	return all
}

// inOneWording are ways of a sentence to tell keys, and the one that the forms read: the role before the name, and the table before both.
var inOneWording = []struct {
	form *lazyregexp.Regexp
	said string
}{
	{lazyregexp.New("(?i)\\b(an? (?:string |number )?(?:partition|hash|sort|range) key) of `"), "$1 `"},
	{lazyregexp.New("(?i)\\bthe (partition|hash|primary) key of (?:the )?(?:table (`[^`]+`)|(`[^`]+`) table) is `"), "table $2$3 has $1 key `"},
	{lazyregexp.New("(?i)\\ba composite (?:primary )?key of (`[\\w.-]+`) and (`[\\w.-]+`)"), "a composite key ($1 + $2)"},
	{lazyregexp.New("(?i)\\b(?:partitioned|keyed) (?:by|on) (`[\\w.-]+`),? and (?:then )?(?:sorted|ordered) by (`[\\w.-]+`)"), "keyed by partition key $1 and sort key $2"},
}

// sentences are those of a block that tell keys.
func (b *block) sentences() (all []told) {
	named := tickedNames(b.text)
	for _, way := range inOneWording {
		named = way.form.ReplaceAllString(named, way.said)
	}
	if b.kind != textBlock && b.kind != itemBlock || b.frame.asks() || b.frame.sure() != Said || !strings.Contains(named, "key") && !indexWord.MatchString(b.text.text) && !indexInside.MatchString(b.text.text) && !keyTold().MatchString(ticked(b.text)) && !tableWith.MatchString(named) || ofOther(b.text) {
		return nil
	}
	table, weighed := "", false // of the sentence before: "one table, `orders`. Its partition key is `id`"
	for _, text := range clausesOf(named) {
		text = noSortKey.ReplaceAllString(text, "$1")
		if with := tableWith.FindStringSubmatch(text); with != nil && !weighs(inTicks.ReplaceAllString(text, "")) && !phrase("takenBack").MatchString(text) && !phrase("general").MatchString(text) && !phrase("besideOurs").MatchString(inTicks.ReplaceAllString(text, "")) {
			if keys, _ := keyItems(with[3], false); len(keys) > 0 && allNamed(keys) && keys[0].role == Hash {
				all, table = append(all, told{table: with[1] + with[2], keys: keys, text: text}), with[1]+with[2]
				continue
			}
		}
		if found := indexWith.FindAllStringSubmatch(text, -1); found != nil && !weighs(inTicks.ReplaceAllString(text, "")) && !phrase("takenBack").MatchString(text) && !phrase("general").MatchString(text) {
			known := len(all)
			for _, with := range found {
				keys, rest := keyItems(with[3], namesAlone.MatchString(with[3]))
				if projection := projectionOf(strings.Trim(strings.ReplaceAll(rest, "`", ""), ", ")); len(keys) > 0 && allNamed(keys) && (rest == "" || projection != "") && (with[2] == "" || genericKey.MatchString(keys[0].name) || !capitals.MatchString(keys[0].name)) {
					all = append(all, told{index: with[1] + with[2], keys: keys, text: text, projection: projection})
				}
			}
			if len(all) > known {
				continue
			}
		}
		one, tables, indexes := told{text: text}, tableTold.FindAllStringSubmatch(text, -1), indexTold.FindAllStringSubmatch(text, -1)
		for _, at := range keyTold().FindAllStringSubmatchIndex(text, -1) {
			part := func(n int) string { return text[max(at[2*n], 0):max(at[2*n+1], 0)] }
			before := text[:at[0]]
			if strings.LastIndexByte(before, '(') > strings.LastIndexByte(before, ')') {
				return nil
			}
			role := roles[wordOf(part(2))]
			one.keys = append(one.keys, keyItem{role: role, name: part(3), kind: cmp.Or(keyType(part(1)), typeIn(part(4)))})
		}
		if both := keyPairTold.FindStringSubmatch(text); both != nil && len(indexes) == 0 && len(one.keys) == 0 && !phrase("partly").MatchString(text) {
			one.keys = inOrder(both[1], both[2])
		}
		if both := primaryPair.FindStringSubmatch(text); both != nil && len(indexes) == 0 && len(one.keys) == 0 {
			one.keys = inOrder(both[1], both[3])
			one.keys[0].kind, one.keys[1].kind = keyType(both[2]), keyType(both[4])
		}
		if both := backsIndex.FindStringSubmatch(text); both != nil && len(indexes) == 1 && len(one.keys) == 0 {
			one.keys = inOrder(both[1:]...)
		}
		if only := primaryTold.FindStringSubmatch(text); only != nil && len(indexes) == 0 && len(one.keys) == 0 && !HasWord(text, "sort") && !HasWord(text, "range") {
			one.keys = []keyItem{{role: Hash, name: only[1], kind: keyType(only[2])}}
		}
		if on := indexOn.FindStringSubmatch(text); on != nil && len(one.keys) == 0 && !localWord.MatchString(on[0]) && !phrase("partly").MatchString(text) {
			one.keys, _ = keyItems(keysApart.ReplaceAllString(on[1], "`, `"), true)
		}
		if len(one.keys) == 0 && (keyedBy.MatchString(text) || theIndex.MatchString(text) || len(tables)+len(indexes) == 1) {
			for _, match := range roleTold.FindAllStringSubmatch(text, -1) { // "`day` (HASH) and `at` (RANGE)"
				one.keys = append(one.keys, keyItem{role: roleIn(cmp.Or(match[3], match[5])), name: match[1], kind: keyType(cmp.Or(match[2], match[4]))})
			}
		}
		if n := len(all) - 1; n >= 0 && all[n].index != "" && strings.HasPrefix(text, "It project") {
			all[n].text += ". " + text
			continue
		}
		if projects := projectionNext.FindStringSubmatch(text); projects != nil && len(all) > 0 && all[len(all)-1].index != "" {
			all[len(all)-1].projection = projectionOf(projects[1])
			continue
		}
		if len(tables) == 1 {
			table, weighed = strings.Join(tables[0][1:], ""), false
		}
		weighed = weighed || phrase("takenBack").MatchString(text) || phrase("doubtful").MatchString(settled(text)) || ofFiles.MatchString(inTicks.ReplaceAllString(text, "")) || phrase("general").MatchString(text)
		if last := len(all) - 1; last >= 0 && len(one.keys) == 1 && one.keys[0].role == Range && len(all[last].keys) == 1 && len(tables)+len(indexes) == 0 && !weighed && !indexWord.MatchString(text) {
			all[last].keys = append(all[last].keys, one.keys[0]) // "Partition key: `till`. Sort key: `day`."
			continue
		}
		ordered := len(one.keys) > 0 && one.keys[0].role == Hash && (len(one.keys) == 1 || len(one.keys) == 2 && one.keys[1].role == Range)
		unnamed := len(indexes) == 0 && indexWord.MatchString(text)
		if unnamed && ordered && theIndex.MatchString(text) && !b.frame.titledBy(phrase("optional").MatchString) {
			unnamed, one.index = false, theOnly
		}
		if only := primaryTold.FindStringSubmatch(text); only != nil && ordered && only[1] != one.keys[0].name {
			continue // of two tables
		}
		called := slices.ContainsFunc(one.keys, func(k keyItem) bool { return k.name == table }) // "Orders table: `tenant` is the partition key"
		if !ordered || unnamed || weighed || called || len(tables) > 1 || len(indexes) > 1 {
			continue
		}
		for i := range one.keys {
			if bothStrings.MatchString(text) {
				one.keys[i].kind = "S"
			}
		}
		one.table = table
		if len(indexes) == 1 {
			one.index = indexes[0][1] + indexes[0][2]
		}
		all = append(all, one)
	}
	return all
}

// tableSentences reads the tables that sentences name.
func (r *reader) tableSentences(b *block) {
	for _, one := range b.sentences() {
		if one.table != "" && namesTable(one.table) && !ofTools.MatchString(one.table) {
			r.addTable(one.table, b.frame.at(b.line)).named = true
		}
	}
}

// toldTable reads the name of the one table of a document that no other form names: the only one that its sentences and titles call so.
func (r *reader) toldTable() {
	if len(r.all) > 0 || phrase("ofTeaching").MatchString(r.doc.Title) {
		return
	}
	ours := slices.ContainsFunc(r.doc.Text, ofDynamo.MatchString)
	others := r.saysOther()
	name, at := "", &block{}
	for _, b := range r.blocks {
		for _, noted := range r.tablesNoted(b) {
			if r.relational {
				break
			}
			if name != "" && Plain(noted.text) != Plain(name) {
				return
			}
			name, at = noted.text, &block{line: noted.line, frame: b.frame}
		}
		if b = inProse(b); b.kind == gridBlock || b.kind == codeBlock {
			continue
		} else if ofOther(b.text) {
			if ofSingle.MatchString(b.text.text) && (b.kind != headingBlock || b.frame.level > 1) { // "One table of DynamoDB in place of MySQL" is a title
				return
			}
			continue
		}
		for _, sentence := range strings.Split(tickedNames(b.text), ". ") {
			all := singleCalled.FindAllStringSubmatch(sentence, -1)
			if r.relational {
				all = dynamoTable.FindAllStringSubmatch(sentence, -1)
			} else if ours {
				all = slices.Concat(all, tableCalled.FindAllStringSubmatch(sentence, -1), billedName.FindAllStringSubmatch(sentence, -1))
			}
			if severalCalledSo.MatchString(sentence) && !r.relational {
				return
			}
			for _, match := range all {
				switch called := strings.Join(match[1:], ""); {
				case functionName.MatchString(called), operationAlone.MatchString(called): // "the table `begins_with` query"
				case weighs(settled(strings.Replace(sentence, called, "", 1))), phrase("besideOurs").MatchString(sentence), mergedInto.MatchString(sentence), !b.frame.meant(), len(match) == 2 && !namedAsTable.MatchString(called) && strings.Contains(match[0], " using "):
				case !namesTable(called), variableName.MatchString(called), genericKey.MatchString(called), wordOf(called) != "", isIndexTitle(called), others && !r.saysDynamo(b) && !ofDynamo.MatchString(sentence):
					return // which of them is the table is not said
				case name == "":
					name, at = called, b
				case Plain(called) != Plain(name):
					return
				}
			}
		}
	}
	if name != "" {
		table := r.addTable(name, at.frame.at(at.line))
		if table.named = true; billedSo.MatchString(at.text.text) {
			table.Billing = append(table.Billing, Setting{at.frame.at(at.line), "PAY_PER_REQUEST"})
		}
		r.done[at.line] = tickedAlone.MatchString(strings.TrimSpace(tableCalled.ReplaceAllString(ticked(at.text), "`x`")))
	}
}

// tablesNoted are the names of tables in the comments of a fence that has the keys of a type: "// Table: orders".
func (r *reader) tablesNoted(b *block) (names []inline) {
	if b.kind != codeBlock || !r.ofDesign(b) || !slices.ContainsFunc(b.members(), func(line inline) bool {
		name, _ := statementOf(b.frame, line).typedName()
		return genericKey.MatchString(name)
	}) {
		return nil
	}
	for _, line := range b.filled() {
		if comment := commentLine.FindStringSubmatch(line.text); comment != nil {
			if label, value, _, is := split(inline{line: line.line, text: comment[1]}); is && wordOf(label) == wTable && namesTable(value.text) {
				names = append(names, value)
			}
		}
	}
	return names
}

// keySentences reads keys, of what no other form gives any, and what is said of all tables.
func (r *reader) keySentences(b *block) {
	at := b.frame.at(b.line)
	for _, one := range b.sentences() {
		table := r.table(b.frame)
		if one.table != "" {
			table = r.known(one.table)
		} else if table == nil && HasWord(one.text, "table") {
			table = r.keyed(b.frame, b.line)
		}
		switch {
		case table == nil, one.index == "" && one.table == "" && r.indexPlace(b.frame) != nil:
		case one.index != "":
			if one.index == theOnly {
				if one.index = table.onlyIndex(one.keys[0].name); one.index == "" {
					continue // of which of them is not said
				}
			}
			index := table.addIndex(one.index, at)
			if len(index.Keys) == 0 {
				r.give(&index.Keys, index.Name, at, one.keys...)
			}
			if one.projection != "" && index.Projection.Value == "" {
				index.Projection = Setting{at, one.projection}
			}
			if projects := projectionTold.FindStringSubmatch(one.text); projects != nil && !phrase("partly").MatchString(one.text) && !strings.Contains(one.text, "except") && index.Projection.Value == "" {
				index.Projection = Setting{at, map[bool]string{true: "ALL", false: "KEYS_ONLY"}[projects[1] != ""]}
			}
			r.done[b.line] = true
		case len(table.Keys) == len(one.keys) && !slices.ContainsFunc(one.keys, func(k keyItem) bool { own, has := table.Key(k.role); return !has || own.Name != k.name }):
			r.keyTable(table, at, one.keys...) // with their types
		case len(table.Keys) == 0:
			r.keyTable(table, at, one.keys...)
			r.done[b.line] = len(one.text) > len(b.text.text)-20
		}
	}
}

// onlyIndex is the name of the index of a table whose keys a sentence gives that does not name it: of the only one, or of one that no line names.
func (t *Table) onlyIndex(hash string) string {
	switch {
	case len(t.Indexes) == 1 && len(t.Indexes[0].Keys) == 0:
		return t.Indexes[0].Name
	case len(t.Indexes) == 0:
		return "GSI on " + hash
	}
	return ""
}
