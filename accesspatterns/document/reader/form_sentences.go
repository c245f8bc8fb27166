package reader

import (
	"cmp"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Sentences: "the table `orders` has the partition key `id` and the sort key `at`". A role stands right before a name in
// backticks, and the sentence, or else its section, says of which table or index. A sentence that weighs what may be,
// that tells of several, or that has its keys in brackets is no form.
var (
	tableSentence = lazyregexp.New("(?:\\b[Oo]ne (?:DynamoDB )?table, |\\b[Tt]he (?:DynamoDB )?table(?:'s)? name is |^Use a single DynamoDB table named |^[Ss]ingle[- ]table design (?:using|in|on) )`([^`]+)`(?: with [a-z ]+)?(?:, billed (on demand))?(?:\\. [A-Z]|\\.?\\s*$)|^[Ss]ingle table \\(`([^`]+)`\\)|^(?:A tabela|La tabla|Die Tabelle|La table) `([^`]+)` (?:utiliza|usa|verwendet|nutzt|utilise) ")
	// ofDynamo matches what only a sentence on a table of DynamoDB has.
	ofDynamo = lazyregexp.New(`(?i)\bdynamodb\b|\bsingle[- ]table\b|chave de parti|clave de parti|partitionsschl|clé de partition|\bPK\b`)
	// variableName matches the variable of an environment, and namedAsTable what is no name of a tool behind singleTable.
	variableName   = lazyregexp.New(`^[A-Z][A-Z0-9]*_[A-Z0-9_]*$`)
	singleTable    = lazyregexp.New(`(?i)^single[- ]table`)
	namedAsTable   = lazyregexp.New(`[-_]|[Tt]able$`)
	keyTold        = lazyregexp.New("(?i)(?:\\b(string|number|binary) )?\\b(partition|hash|sort|range) key(?: attribute)?(?: is| named| called|:)? `([\\w.-]+)`(?: \\(([^()]*)\\))?")
	tableTold      = lazyregexp.New("(?i)\\btable\\**,?(?: named| called|:)? `([^`]+)`|`([^`]+)` table\\b")
	indexTold      = lazyregexp.New("(?i)\\b(?:index|GSI|LSI),? `([\\w.-]+)`|`([\\w.-]+)` (?:index|GSI|LSI)\\b")
	roleTold       = lazyregexp.New("`([\\w.-]+)` (?:\\((HASH|RANGE|(?:partition|sort|hash|range) key)\\)|as (?:its |the )?(partition|sort|hash|range) key)")
	keyedBy        = lazyregexp.New(`(?i)\btable\b.*\b(?:keyed|partitioned|identified|uses?|has|with)\b`)
	projectionTold = lazyregexp.New(`(?i)\b(?:copies|projects) all attributes`)
	bothStrings    = lazyregexp.New(`(?i)\bboth (?:are )?strings?\b`)
	// doubtful matches what is said of a table that may be, was, or is another's.
	doubtful = lazyregexp.New(`(?i)\b(?:not?|never|\w+n['’]t|should|would|could|might|may|can|instead|unless|avoid|bad|wrong|consider(?:ed)?|example|only (?:in|during|when|while)` +
		`|e\.g|hot|chang\w+|previous\w*|old|was|were|had|relational` +
		`|reject\w*|imagine\w*|suppos\w+|assum\w+|legacy|deprecated|retired|obsolete|abandoned|removed|planned|will|alternatives?|propos\w+|draft\w*)\b`)
	// ofFiles matches a sentence on the keys of a table that a store of events or files has, or a program, without the names in it.
	ofFiles = lazyregexp.New(`(?i)\b(?:kafka|hive|hbase|scylla\w*|spark|iceberg|hash (?:table|map))\b.*\b(?:key|hash)\b`)
	// general matches what is said of more than the one table that a sentence names.
	general = lazyregexp.New(`(?i)\b(?:if|or|each|every|same|than|why|because)\b`)
)

// told is what a sentence says of one table or index.
type told struct {
	table, index string
	keys         []keyItem
	text         string
}

// sentences are those of a block that tell keys.
func (b *block) sentences() (all []told) {
	if b.kind != textBlock && b.kind != itemBlock || b.frame.asks() || b.frame.sure() != Said || !strings.Contains(b.text.text, "key") || ofOther(b.text) {
		return nil
	}
	table, weighed := "", false // of the sentence before: "one table, `orders`. Its partition key is `id`"
	for _, text := range strings.Split(ticked(b.text), ". ") {
		one, tables, indexes := told{text: text}, tableTold.FindAllStringSubmatch(text, -1), indexTold.FindAllStringSubmatch(text, -1)
		for _, at := range keyTold.FindAllStringSubmatchIndex(text, -1) {
			part := func(n int) string { return text[max(at[2*n], 0):max(at[2*n+1], 0)] }
			before := text[:at[0]]
			if strings.LastIndexByte(before, '(') > strings.LastIndexByte(before, ')') {
				return nil
			}
			role := roles[wordOf(part(2)+" key")]
			one.keys = append(one.keys, keyItem{role: role, name: part(3), kind: cmp.Or(keyType(part(1)), typeIn(part(4)))})
		}
		if len(one.keys) == 0 && keyedBy.MatchString(text) {
			for _, match := range roleTold.FindAllStringSubmatch(text, -1) { // "`day` (HASH) and `at` (RANGE)"
				one.keys = append(one.keys, keyItem{role: cmp.Or(roles[wordOf(match[2])], roles[wordOf(match[3]+" key")]), name: match[1]})
			}
		}
		if len(tables) == 1 {
			table, weighed = tables[0][1]+tables[0][2], false
		}
		weighed = weighed || doubtful.MatchString(text) || ofFiles.MatchString(inTicks.ReplaceAllString(text, "")) || general.MatchString(text)
		ordered := len(one.keys) > 0 && one.keys[0].role == Hash && (len(one.keys) == 1 || len(one.keys) == 2 && one.keys[1].role == Range)
		unnamed := len(indexes) == 0 && indexWord.MatchString(text)
		if !ordered || unnamed || weighed || len(tables) > 1 || len(indexes) > 1 {
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
		if one.table != "" && namesTable(one.table) {
			r.addTable(one.table, b.frame.at(b.line)).named = true
		}
	}
	match := tableSentence.FindStringSubmatch(ticked(b.text))
	if b.kind != textBlock || match == nil || len(r.all) > 0 || ofOther(b.text) {
		return
	}
	name := match[1] + match[3] + match[4]
	if !namesTable(name) || variableName.MatchString(name) || singleTable.MatchString(match[0]) && match[1] != "" && !namedAsTable.MatchString(name) || match[4] != "" && !ofDynamo.MatchString(b.text.text) || weighs(strings.Replace(b.text.text, name, "", 1)) {
		return
	}
	table := r.addTable(name, b.frame.at(b.line))
	table.named, r.done[b.line] = true, match[3]+match[4] == ""
	if match[2] != "" {
		table.Billing = append(table.Billing, Setting{b.frame.at(b.line), "PAY_PER_REQUEST"})
	}
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
		case table == nil:
		case one.index != "":
			index := table.addIndex(one.index, at)
			if len(index.Keys) == 0 {
				r.give(&index.Keys, index.Name, at, one.keys...)
			}
			if projectionTold.MatchString(one.text) && index.Projection.Value == "" {
				index.Projection = Setting{at, "ALL"}
			}
			r.done[b.line] = true
		case len(table.Keys) == 0:
			r.keyTable(table, at, one.keys...)
			r.done[b.line] = len(one.text) > len(b.text.text)-20
		}
	}
}
