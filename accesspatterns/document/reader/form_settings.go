package reader

import (
	"cmp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Settings in sentences: "All tables use on-demand billing", "TTL is enabled on `gone`". A sentence that weighs what may be,
// or that takes some of the tables out, is no form.
var (
	// ofEvery matches a setting of all tables at once: "All tables use on-demand billing".
	ofEvery = lazyregexp.New(`(?i)^(all|both|todas las|todas as|tutte le|toutes les|alle)` + countOfTables +
		` (?:tables?|tablas|tabelas|tabelle|tabellen)(?: (?:use|are|run|have|default to|usan|usam|usano|utilizan|utilizam|utilizzano|utilisent|nutzen|verwenden)\b|:)|^(?:every|each) table(?: (?:uses|is|runs|has)\b|:)|^(?:(?:すべて|全て)のテーブル|全テーブル)[はで:]|^課金(?:モード|方式)は(?:すべて|全て)`)
	// allTables matches the words for all tables of a document, and how many they are: "each of the four tables", "Three tables, all", "throughout".
	allTables = lazyregexp.New("(?i)\\b(?:all|both|each|every)(?: (?:of|the|our|these|dynamodb))*(?: (" + countWords + "))?(?: (?:of|the|our|these|dynamodb))* tables?\\b|" +
		"\\b(" + countWords + ") (?:[a-z]+ )?tables(?: \\([^()]*\\))?(?:,? (?:all|both|each)\\b|,? with\\b)|^(?:all|both)(?: (" + countWords + "))?(?: of them)? (?:use|are|run)\\b|^[^.,;]*\\bthroughout(?: \\([^()]*\\))?[\\s.]*$|" +
		"\\b(single|one|the|this|our) (?:[a-z-]+ ){0,3}table\\b")
	// modeOfTables matches the mode on demand where a sentence says that tables have it, and not that they need or support it.
	modeOfTables = lazyregexp.New(`(?i)(?:^|, |\(|\b(?:all|both|each|uses?|using|with|in|on|is|are|have|has|billed|(?:one|single)(?: [a-z]+)?|(?:tables?|capacity|billing|mode):) )(?:on[- ]demand|pay[- _]per[- _]request)(?:\)| \([^()]*\))?(?: (?:billing|capacity|mode|for|on|throughout|(?:dynamodb )?table)\b|[,.;:)]|$)`)
	// ofPrice matches what is said of a price, or of a choice.
	ofPrice = lazyregexp.New(`(?i)\$ ?\d|\b(?:costs?|pric\w+|compar\w+|or)\b`)
	// made matches the other mode where it says that somebody makes a table: "provisioned in Terraform".
	made = lazyregexp.New(`(?i)\bprovisioned (?:in|by|via|with|through)\b`)
	// keyOfEach matches the only key that all tables have: "All tables use a single partition key (`id`)".
	keyOfEach = lazyregexp.New("(?i)\\b(?:(?:a|the) )?(?:single|simple|same)(?: string)? (?:partition|hash|primary) key[: ]*\\(?`?([A-Za-z_]\\w*)`?(?:\\)|`)")
	// recoversAll matches a line that has recovery on for all tables, as a design says it: "Enable point-in-time recovery for all tables".
	recoversAll = lazyregexp.New(`(?i)^(?:enable )?(?:point-in-time recovery|pitr)(?: \(pitr\))? (?:is )?(?:enabled? )?(?:for|on) all (?:dynamodb )?tables\W*$`)
	// ofIndexes matches a projection of all indexes at once: "Both GSIs project ALL".
	ofIndexes = lazyregexp.New("(?i)^(?:- )?(all|both)(?: of)?(?: the| our| these)?(?: (two|three|four|five|six|\\d))? (?:gsis|lsis|(?:global |local )?(?:secondary )?indexes|indices) (?:use|project|have|are)(?: the)? (?:`|\\*\\*)?(all|keys[_ ]only)\\b(?:`|\\*\\*)?(?: attributes| projections?(?: types?)?)?(?: for [a-z ]+)?(?: \\([^()]*\\))?[\\s.]*$")
	// indexesProject matches the same behind the indexes that a sentence counts, or that it names together: "It has two GSIs, both projecting ALL".
	indexesProject = lazyregexp.New("(?i)^(?:- )?(?:[^.`]*\\b(?:has|have|expects?|uses?|with|needs?) )?(?:(?:the|all) )?(?:(two|three|four|five|six|\\d) )?(?:gsis|lsis|(?:global |local )?secondary indexes),?(?: all| both| each)? project(?:ing)? `?(all|keys[_ ]only)\\b`?(?: attributes)?(?: \\([^()]*\\))?(?:(?: to| for) [a-z ]+)?[\\s.:]*$")
	// projectionOn matches the same as a label: "Projection on both GSIs: KEYS_ONLY".
	projectionOn = lazyregexp.New("(?i)^(?:- )?projections? (?:on|of|for) (all|both) (?:gsis|lsis|(?:global |local )?(?:secondary )?indexes): ?`?(all|keys[_ ]only)`?(?: \\([^()]*\\))?[\\s.]*$")
	// everyProjects matches the same behind a setting of each table: "Every table: on-demand billing, every GSI: projection ALL".
	everyProjects = lazyregexp.New("(?i)^(?:every|each) table\\b[^.]*, (?:every|each) (?:gsi|(?:global |local )?(?:secondary )?index)(?:: ?| (?:uses|has|projects) )(?:the )?`?(?:projections?(?: type)?:? ?`?)?(all|keys[_ ]only)\\b`?(?: attributes| projection)?[\\s.]*$")
	// ofEach matches the words of these two for what has the setting.
	ofEach = lazyregexp.New(`(?i)^(?:every|each) table:|, (?:every|each) (?:gsi|(?:global |local )?(?:secondary )?index)\b`)
	// keysTyped matches the type of all keys, and that of the one which has another: "All key attributes are type `S` except `size`, which is `N`".
	keysTyped = lazyregexp.New("(?i)^all (?:partition and sort |primary )?key(?:s| attributes) (?:are|have|use|of) (?:of )?(?:the )?(?:type )?`?(string|number|binary|[snb])s?`?(?: type)?(?: \\([^()]*\\))?(?:,? except (?:for )?`([\\w.-]+)`(?:,? which is(?: an?)?(?: type)?| \\() ?`?(string|number|binary|[snb])`?\\)?)?[\\s.]*$")
	// pairInside matches both keys of an index in a bracket behind that word, and ttlDrives the attribute of a TTL in a sentence.
	pairInside = lazyregexp.New("\\b(?:GSI|LSI|index) \\(`?(GSI\\d+_?PK)`? ?[/,+] ?`?(GSI\\d+_?SK)`?\\)")
	ttlDrives  = lazyregexp.New("(?:(?:^|[.;,] )(?:and )?(?:[Tt]he |an? )?(?:[a-z]+ )?TTL attribute|\\benables? (?:DynamoDB )?TTL on(?: the)?) `([A-Za-z_]\\w*)`(?: [a-z]|[.,;]|$)")
	// numberedPair matches both keys of an index and nothing else, and ttlOfAll the attribute of a TTL.
	numberedPair = lazyregexp.New("^`?(GSI\\d+_?PK)`? ?[/,+] ?`?(GSI\\d+_?SK)`?$")
	ttlOfAll     = lazyregexp.New("^TTL (?:attribute|on|by) `([A-Za-z_]\\w*)`$")
	// projectsSo matches the projection of the index of a place: "Projection `ALL` (few items)".
	projectsSo = lazyregexp.New("^((?i:projection|projects)(?: type)?:? `?)(?:ALL|KEYS_ONLY|INCLUDE)\\b")
	typeTold   = lazyregexp.New("(?i)\\b(string|number)s?\\*{0,2}(?: type)? for (?:both |all )?(`[\\w.-]+`(?:(?:, | and )`[\\w.-]+`)*)")
	typeBehind = lazyregexp.New("`([\\w.-]+)` \\(((?:partition key, |sort key, )?(?i:string|number|binary|[snb]))\\)")
	// ofOthers matches a row of the tables that no other row names.
	ofOthers = lazyregexp.New(`(?i)^(?:(?:all )?(?:the )?(?:others?|rest|remaining)(?: tables)?|その他(?:の?テーブル)?|其他(?:表)?|andere(?: tabellen)?|(?:los |las |os |as )?(?:demás|otr[ao]s|outr[ao]s)(?: tab[le]+las)?|(?:les )?autres(?: tables)?)$`)
	// settingTold matches a sentence that sets what its subject is.
	settingTold = lazyregexp.New("(?i)^(?:the |its |table-level |dynamodb )*(billing(?: mode)?|capacity mode|ttl|ttl attribute|time to live|pitr|point-in-time recovery) (?:(?:is|are|on) )?(.+)$")
	// setOn matches what stands before the attribute of a time to live: "enabled on the attribute".
	setOn = lazyregexp.New(`(?i)^(?:(?:is|enabled|turned|set|on|the|attribute|field|name|named|called|table)[ ,]+)*$`)
	// setEnd matches what may stand behind it.
	setEnd = lazyregexp.New(`(?i)^(?: attribute| field)?(?:\s*\([^()]*\)|\))?(?: (?:of|on) the)?[\s.:]*$`)
	// ttlEnabled matches the same as a command below a title on TTL: "Enable TTL on `gone` attribute:".
	ttlEnabled = lazyregexp.New("(?i)^(?:enable|turn on|set|configure) (ttl) (on (?:the )?`[\\w.-]+`(?: attribute| field)?):?\\.?$")
	// ttlConfigured matches the same of the table: "The table is configured with TTL on the `gone` attribute".
	ttlConfigured = lazyregexp.New("(?i)^(?:the |this |our )?(?:dynamodb )?table (?:is configured with|has|uses) (ttl|time[- ]to[- ]live)(?: \\(ttl\\))?(?: enabled)? (on .+)$")
	// tablesTold matches what speaks of several tables.
	tablesTold = lazyregexp.New(`(?i)\b(?:tables|tablas|tabelas|tabellen)\b|テーブル`)
	// billingAlone and recoveryAlone match a mode, or that recovery is on, and nothing else: a line of a list of features.
	billingAlone  = lazyregexp.New("(?i)^on-demand billing;|^`?(?:pay[- _]per[- _]request`? (?:billing|capacity|mode)|on[- ]demand (?:billing|capacity|mode))(?: mode)?(?: throughout| for (?:scalability|flexibility|simplicity|(?:unpredictable|variable|bursty|spiky) [a-z]+)(?: in (?:the )?(?:MVP|beginning))?)?" + onTables + "(?: \\([^()]*\\))?[\\s.]*$")
	recoveryAlone = lazyregexp.New(`(?i)^(?:point-in-time recovery|PITR)(?: \(PITR\))?(?: is)? (?:enabled|turned on|habilitad[oa]|activad[oa]|ativad[oa]|활성화)` + onTables + `(?: for (?:data|disaster) (?:protection|recovery))?[\s.]*$`)
	// streamAlone matches a view of a stream that is on, and nothing else.
	streamAlone = lazyregexp.New("(?i)^(?:dynamodb )?streams?(?: is| are)? (?:enabled|turned on|habilitad[oa]s?|activad[oa]s?|activés?|ativad[oa]s?|aktiviert)(?: (?:in|with|en|mit|com|con|avec)(?: the)?(?: mode| modo| view(?: type)?)?)?[ :(,—–-]*`?((?:new|old)(?:[ _-]and[ _-]old)?[ _-]images?|keys[ _-]only)`?\\)?(?: view(?: type)?| mode)?[\\s.]*$")
	// dynamoBilled matches the database with its mode: "DynamoDB (single table, on-demand)", "DynamoDB: on-demand".
	dynamoBilled = lazyregexp.New(`(?i)^(?:amazon |aws )?dynamodb(?: ?\(([^()]+)\)| ?(?::|` + dashes + `) ([^.()]+))$`)
	// ofDatabase matches the label before it.
	ofDatabase = lazyregexp.New(`(?i)^(?:(?:primary |main |nosql )?(?:data ?base|db|data ?store|storage|persistence|data)(?: layer)?|base de d\pL+|banco de dados|datenbank|データベース|데이터베이스|数据库|資料庫)$`)
	// unplanned matches what is said of each on-demand mode, and takes out nothing.
	unplanned = lazyregexp.New(`(?i) ?\(` + noPlan + `\)|[^\w)]*\b` + noPlan + `\b(?:, you (?:only )?pay (?:only )?(?:per|for) [^.;]*)?`)
	// paidFor matches what is said of the mode of the one table: "pay only for what you use".
	paidFor      = lazyregexp.New(`(?i): pay(?:ing|s)? (?:only )?for (?:actual|what|the) [^.;]*$`)
	recoveryTold = lazyregexp.New(`(?i)\b(?:point-in-time[- ]recovery|PITR)(?: is| are| and [a-z -]*encryption)? (?:enabled|turned on)\b|\b(?:enabled?|have|with) (?:point-in-time[- ]recovery|PITR)\b`)
	// wholly matches a mode or a state, and nothing behind it.
	wholly = lazyregexp.New("(?i)^(?:set to )?`?(?:(?:pay[- _]per[- _]request|on[- ]demand|provisioned)`?(?: mode| capacity| billing)*|enabled|disabled|turned on)" +
		"(?: \\([^()]*\\))?(?: (?:on|for) (?:all |both )?(?:the )?tables?)?(?: (?:for|to allow|to enable) (?:data|disaster|backups?|recovery|point)[a-z0-9 /-]*)?(?: [—–-] [^.]*)?[\\s.]*$")
)

// onTables are the words behind a setting that say that all tables have it.
const onTables = `(?: (?:on|for) (?:all|both)(?: the)? tables)?`

// countOfTables are the words between "all" and "tables" that take none of them out.
const countOfTables = `(?: (?:of the|of our|the|our|these|DynamoDB|` + countWords + `))*`

// noPlan are words that are said of each mode on demand.
const noPlan = `(?:no capacity planning(?: (?:is )?(?:needed|required))?|sem necessidade de provisionar capacidade)`

// countWords are the words for several.
const countWords = `two|three|four|five|six|seven|eight|nine|ten|\d+`

// bothOfThem matches the words for two of them.
var bothOfThem = lazyregexp.New(`(?i)^(?:both|beide|ambas|les deux|cả hai)`)

// ofAll reports whether a text sets all tables at once, by one of the two forms, and names no exception.
func (r *reader) ofAll(form *lazyregexp.Regexp, text string) bool {
	match := form.FindStringSubmatch(text)
	return match != nil && (!bothOfThem.MatchString(match[1]) || len(r.all) == 2) && oneMode(text) && !phrase("exception").MatchString(text)
}

// oneMode reports whether a text names no two billing modes.
func oneMode(text string) bool {
	modes := billingWord.FindAllString(text, -1)
	return !slices.ContainsFunc(modes, func(mode string) bool { return billingOf(mode) != billingOf(modes[0]) })
}

// isMode reports whether a text is a billing mode, and no more, in any language.
func isMode(text string) bool {
	text = strings.Trim(text, "` ")
	return modeAlone.MatchString(text) || text != "" && billingWord.FindString(text) == text
}

// settingsOfTables reads the settings of tables that have their keys elsewhere, or of all: "Table | Billing mode | PITR". A column of modes is that
// of the mode, whatever its head says.
func (r *reader) settingsOfTables(b *block) {
	c := columnsOf(b)
	if b.kind != gridBlock || c[0] != wTable || r.kindOf(b) == tablesGrid || !b.frame.meant() || b.frame.titledBy(phrase("partly").MatchString) {
		return
	}
	for i := range c {
		if c[i] == "" && !slices.ContainsFunc(b.rows, func(row []inline) bool { return !isMode(row[i].text) }) {
			c[i] = wBilling
		}
	}
	if at := c.at(settable...); at < 0 || c.has(wHash) {
		return
	}
	named := func(row []inline) *Table {
		name := strings.Trim(ticked(row[0]), "` ")
		return cmp.Or(r.known(name), r.shortly(name))
	}
	for _, row := range b.rows {
		of, sound := r.all, len(r.all) > 0
		if ofOthers.MatchString(row[0].text) {
			of = slices.DeleteFunc(slices.Clone(r.all), func(t *Table) bool {
				return slices.ContainsFunc(b.rows, func(own []inline) bool { return named(own) == t })
			})
		} else if !r.ofAll(ofAllTables, row[0].text) {
			of = []*Table{named(row)}
		}
		for _, table := range of {
			sound = sound && table != nil && r.settingCells(b, c, row, table)
		}
		r.sound(row, sound)
	}
	r.unknown(b, c, append(slices.Clone(settable), wTable)...)
}

// settingCells reads the settings of a table in a row, and returns whether it read all of them. A mode that another line gives stays.
func (r *reader) settingCells(b *block, c columns, row []inline, table *Table) bool {
	sound := true
	for _, w := range settable {
		if cell := c.cell(row, w); cell.text != "" && !(w == wBilling && len(table.Billing) > 0) {
			r.done[cell.line] = isNone(cell.text)
			r.setting(table, w, statement{string(w), cell, cell.line, false, b.frame, false})
			sound = sound && r.done[cell.line]
		}
	}
	return sound
}

// settingSentences reads what the sentences of a block set.
func (r *reader) settingSentences(b *block) {
	at := b.frame.at(b.line)
	if b.kind != textBlock && b.kind != itemBlock && b.kind != headingBlock || !b.frame.meant() || b.frame.asks() || b.frame.about() == topicExamples {
		return
	}
	if b.kind == headingBlock {
		if strings.HasSuffix(strings.ToLower(cleanTitle(b.text.text)), "billing") {
			r.featureLine(b, b.text)
		}
		r.billedAlike(b, b.text.text)
		return
	}
	whole := b.text.without(unplanned)
	if len(r.all) == 1 {
		whole = whole.without(paidFor)
	}
	if table := r.table(b.frame); table != nil && !weighs(inTicks.ReplaceAllString(whole.text, "")) {
		for _, told := range typeBehind.FindAllStringSubmatch(ticked(whole), -1) { // "keys `pk` (S) and `sk` (S)"
			if of := (typed{table, told[1]}); r.types[of] == "" && r.known(told[1]) == nil {
				r.types[of] = typeIn(told[2])
			}
		}
	}
	excepts := phrase("exception").MatchString(whole.without(ofProtection).text)
	alike := !excepts && oneMode(made.ReplaceAllString(notProvisioned.ReplaceAllString(whole.text, ""), "")) // not "All tables: on-demand; carts: provisioned"
	if told := keysTyped.FindStringSubmatch(ticked(whole)); told != nil && r.table(b.frame) == nil {
		r.keysTyped, r.done[b.line] = told[1:], true
	}
	for n, sentence := range whole.split(". ") {
		var parts []inline
		for _, clause := range sentence.split("; ") {
			parts = append(parts, clause.split(" — ")...)
		}
		for _, part := range parts {
			text := ticked(part)
			told := settingTold.FindStringSubmatchIndex(part.text)
			if told == nil && !offInBracket.MatchString(text) && !phrase("noneOf").MatchString(text) && !weighs(inTicks.ReplaceAllString(text, "")) {
				told = ttlConfigured.FindStringSubmatchIndex(part.text)
				if enabled := ttlEnabled.FindStringSubmatchIndex(text); enabled != nil && b.kind == textBlock && b.frame.up(func(f *frame) bool { return f.level < labelLevel && wordOf(f.title.text) == wTTL }) != nil {
					part, told = inline{line: part.line, text: text}, enabled
				}
			}
			label, value, _, labels := split(part)
			switch {
			case alike && r.billedAlike(b, text):
				if r.ofAll(ofEvery, text) {
					r.everyTable(b, text, at)
				}
			case phrase("doubtful").MatchString(text) || excepts || phrase("general").MatchString(ofEach.ReplaceAllString(text, "")) || phrase("foreign").MatchString(text):
			case alike && r.ofAll(ofEvery, text), recoversAll.MatchString(strings.NewReplacer("*", "", ": ", " ").Replace(text)) && !r.advises(b) && !b.frame.titledBy(recommends):
				r.everyTable(b, text, at)
			case r.projectAlike(b, text):
			case r.indexPlace(b.frame) != nil && projectsSo.MatchString(part.text):
				r.project(r.indexPlace(b.frame).index, part.slice(len(projectsSo.FindStringSubmatch(part.text)[1]), len(part.text)))
			case r.usedByAll(b, text, at), r.toldOfOne(b, text, at):
			case r.featureLine(b, part):
			case told != nil && r.table(b.frame) == nil && r.ofAll(ofAllTables, text):
				r.everyTable(b, text, at)
			case n > 0 && labels && wordOf(label) == wBilling && r.table(b.frame) == nil && wholly.MatchString(value.text) && tablesTold.MatchString(whole.text): // "Four tables. Billing: on demand."
				r.everyTable(b, text, at)
			case n > 0 && labels && (wordOf(label) == wBilling || wordOf(label) == wTTL):
				r.settingSentence(statement{label: label, value: value, line: b.line, frame: b.frame})
			case told != nil:
				r.settingSentence(statement{label: part.text[told[2]:told[3]], value: part.slice(told[4], len(part.text)), line: b.line, frame: b.frame})
				fallthrough
			default:
				r.settingClauses(b, text)
			}
		}
	}
}

// twoModes reports whether a line speaks of the other billing mode, and not as of one that there is not: "no provisioned capacity to manage".
func (r *reader) twoModes() bool {
	return slices.ContainsFunc(r.doc.Text, func(line string) bool {
		return phrase("otherMode").MatchString(notProvisioned.ReplaceAllString(line, ""))
	})
}

// settingClauses reads what the clauses of a sentence on one table set: "The table is on demand and has TTL on `gone`", "On-demand billing, PITR enabled".
func (r *reader) settingClauses(b *block, text string) {
	table := r.table(b.frame)
	if table == nil || r.indexPlace(b.frame) != nil || r.advises(b) || b.frame.titledBy(recommends) || phrase("noneOf").MatchString(notProvisioned.ReplaceAllString(text, "")) || underCondition.MatchString(text) || weighs(inTicks.ReplaceAllString(text, "")) || r.ofAll(ofAllTables, text) || ofOther(b.text) {
		return
	}
	at := b.frame.at(b.line)
	if match := ttlNamed.FindStringSubmatch(text); match != nil && !table.expires() {
		if name := strings.Join(match[1:], ""); r.known(name) == nil {
			table.TTL = keep(table.TTL, at, name)
		}
	}
	clauses := clauseSigns.Split(strings.Trim(text, " .;"), -1)
	listed := slices.ContainsFunc(clauses, modeClause.MatchString) // "On-demand billing, PITR, deletion protection"
	for _, clause := range clauses {
		clause = strings.Trim(clauseHead.ReplaceAllString(strings.TrimSpace(clause), ""), "` ")
		switch ttl := ttlClause.FindStringSubmatch(clause); {
		case ttl != nil && !table.expires() && r.known(ttl[1]+ttl[2]) == nil:
			table.TTL = keep(table.TTL, at, ttl[1]+ttl[2])
		case modeClause.MatchString(clause) && len(table.Billing) == 0 && !r.twoModes():
			table.Billing = append(table.Billing, Setting{at, "PAY_PER_REQUEST"})
		case recoveryClause.MatchString(clause), listed && recoveryNamed.MatchString(clause):
			table.PITR = keep(table.PITR, at, "enabled")
		}
	}
}

var (
	// clauseSigns matches what stands between the clauses of a sentence, and clauseHead the table of which one speaks.
	clauseSigns = lazyregexp.New(`(?i)[,;] (?:and |with )?| and | with `)
	clauseHead  = lazyregexp.New(`(?i)^(?:(?:the|this|our) (?:dynamodb )?table |it |(?:table )?billing (?:mode )?)?(?:(?:is|has|uses|runs (?:in|on)|billed|set to) )*`)
	// underCondition matches what says that a thing is so at times, or one day.
	underCondition = lazyregexp.New(`(?i)\b(?:if|unless|when|once|until|may|might|could|would|should|later|optional\w*)\b`)
	// modeClause, recoveryClause and ttlClause match a clause that sets one thing, and nothing else.
	modeClause = lazyregexp.New("(?i)^(?:on[- ]demand|pay[- _]per[- _]request)`?(?: \\([^()]*\\))?(?: (?:billing|capacity|mode))*(?: ?[=/] ?(?:on[- ]demand|pay[- _]per[- _]request))?(?: in (?:terraform|cdk|cloudformation|pulumi|sam))?$")
	// ttlNamed matches a TTL with its attribute in a bracket, or the attribute that only a TTL has, and its form.
	ttlNamed = lazyregexp.New("(?i)\\bTTL(?: attribute| field)? \\(`([A-Za-z_]\\w*)`\\)|\\bTTL feature on (?:the )?(?:attribute )?`([A-Za-z_]\\w*)`|^`(ttl)` \\((?:unix )?epoch(?: seconds)?\\)")
	// ofProtection matches what is said of the protection of a table against its deletion, which is no setting that is read.
	ofProtection = lazyregexp.New(`(?i)\bdeletion protection [^.;]*`)
	// notProvisioned matches the other mode as one that there is not.
	notProvisioned = lazyregexp.New(`(?i)\b(?:no|any|without|than|avoids?|instead of|over) provision(?:ed|ing)(?: (?:capacity|throughput|tier|mode|sizing|billing))?`)
	recoveryNamed  = lazyregexp.New(`(?i)^(?:pitr|point-in-time recovery)$`)
	recoveryClause = lazyregexp.New(`(?i)^(?:pitr|point-in-time recovery(?: \(pitr\))?) (?:is )?(?:enabled|on|turned on)$`)
	ttlClause      = lazyregexp.New("(?i)^(?:(?:dynamodb )?ttl (?:is )?(?:enabled |set |attribute |uses |via |on |the )*`([A-Za-z_]\\w*)`?(?: attribute)?|(?:the )?`?([A-Za-z_]\\w*)` (?:attribute )?is (?:used (?:for|as) |the )?(?:the )?(?:dynamodb )?ttl(?: attribute)?)$")
)

// recommends reports whether a title is on what may be done one day.
func recommends(title string) bool {
	return phrase("recommended").MatchString(title) || phrase("optional").MatchString(title) || phrase("elsewhereTitle").MatchString(title)
}

// settingsBehind reads the bracket behind the name of a table where that is named: "`orders` (on-demand, TTL on `gone`)", "(both strings)".
func (r *reader) settingsBehind(b *block, table *Table) {
	_, behind, is := strings.Cut(b.text.text, table.Name)
	given := bracket.FindStringSubmatch(strings.TrimLeft(behind, "* "))
	if !is || given == nil || weighs(given[1]) {
		return
	}
	at := b.frame.at(b.line)
	for _, part := range strings.FieldsFunc(given[1], func(c rune) bool { return strings.ContainsRune(",;·", c) }) {
		part = strings.TrimSpace(part)
		if modeAlone.MatchString(part) && len(table.Billing) == 0 {
			table.Billing = append(table.Billing, Setting{at, billingOf(part)})
		}
	}
}

// featureLine reads a line of a list of features, or a sentence, that is a mode or says that recovery is on, and nothing else: of the table of its
// place, or of all. A document that speaks of both modes says nothing of which by such a line, but where a heading or an item is the mode.
func (r *reader) featureLine(b *block, part inline) bool {
	at, of := b.frame.at(b.line), r.all
	part = part.without(approved)
	label, value, _, is := split(part)
	texts := []string{ticked(part)}
	if is && b.kind == itemBlock {
		texts = []string{label, ticked(value)}
	}
	mode, title := "PAY_PER_REQUEST", cleanTitle(b.text.text)
	alone := b.kind != textBlock && modeAlone.MatchString(title)
	if alone { // a heading or an item is a mode
		mode = billingOf(title)
	}
	billed := alone || slices.ContainsFunc(texts, billingAlone.MatchString) || billsAlone(part.text) || ofDatabase.MatchString(label) && billsAlone(value.text)
	recovered := slices.ContainsFunc(texts, recoveryAlone.MatchString)
	stream := streamAlone.FindStringSubmatch(ticked(part))
	section := b.frame.sectionTitle()
	if !billed && !recovered && stream == nil || strings.Contains(part.text, "?") || r.advises(b) || weighs(r.introduction(b)) || phrase("elsewhereTitle").MatchString(section+" "+r.introduction(b)) || phrase("optional").MatchString(section) || ofOther(part) || phrase("otherService").MatchString(part.text+" "+section) || r.indexPlace(b.frame) != nil {
		return false
	}
	if own := b.frame.up(func(f *frame) bool { return f.table != nil }); own != nil {
		of = []*Table{own.table}
	} else if b.frame.up(func(f *frame) bool { return f.level >= itemLevel && f.title.line != b.line }) != nil {
		stream = nil // of what the item above is called
	}
	if severalTables.MatchString(part.text) && !r.ofAll(ofAllTables, part.text) {
		return false
	}
	if stream != nil && len(of) == 1 {
		of[0].Stream, r.done[b.line] = keep(of[0].Stream, at, viewOf(stream[1])), true
	}
	billed = alone || billed && !r.twoModes()
	for _, table := range of {
		if recovered {
			table.PITR, r.done[b.line] = keep(table.PITR, at, "enabled"), true
		}
		if billed && len(table.Billing) == 0 {
			table.Billing = append(table.Billing, Setting{at, mode})
		}
		r.done[b.line] = r.done[b.line] || billed && table.Billing[0].Value == mode
	}
	return true
}

// settingSentence reads "Billing is on demand" and "TTL on the `orders` table (`gone`)", of the table that it names, or of
// that of its place.
func (r *reader) settingSentence(s statement) {
	w, table := wordOf(s.label), r.table(s.frame)
	text := ticked(s.value)
	before, rest, marked := strings.Cut(text, "`")
	name, behind, _ := strings.Cut(rest, "`")
	switch {
	case table == nil, w == wBilling && len(table.Billing) > 0, w == wTTL && (!marked || table.expires() || r.known(name) != nil || !identifier.MatchString(name) || !setOn.MatchString(before) || !setEnd.MatchString(behind)),
		w != wTTL && !wholly.MatchString(strings.TrimSpace(text)):
	case w == wTTL:
		table.TTL, r.done[s.line] = keep(table.TTL, s.at(), name), true
	default:
		r.setting(table, w, s)
	}
}

// billsAlone reports whether a text says that the database is billed on demand.
func billsAlone(text string) bool {
	told := dynamoBilled.FindStringSubmatch(text)
	return told != nil && !weighs(text) && slices.ContainsFunc(strings.Split(told[1]+told[2], ", "), func(each string) bool {
		return modeAlone.MatchString(each) && billingOf(each) == "PAY_PER_REQUEST"
	})
}

// projectAlike notes what a sentence says that several indexes project, and how many of them, and reports whether it says so.
func (r *reader) projectAlike(b *block, text string) bool {
	count, kind := "", ""
	if told := ofIndexes.FindStringSubmatch(text); told != nil {
		count, kind = cmp.Or(told[2], told[1]), told[3]
	} else if told = indexesProject.FindStringSubmatch(strings.ReplaceAll(text, "**", "")); told != nil {
		count, kind = cmp.Or(told[1], "all"), told[2]
	}
	if told := projectionOn.FindStringSubmatch(strings.ReplaceAll(text, "**", "")); kind == "" && told != nil {
		count, kind = told[1], told[2]
	}
	if kind != "" {
		r.projected = append(r.projected, statement{label: count, value: inline{text: kind}, line: b.line, frame: b.frame})
	}
	return kind != ""
}

// usedByAll reads the keys of an index, or the attribute of a TTL, in a list of what all tables use, and reports whether the line has one:
// "All tables use:" over "`GSI1PK/GSI1SK`".
func (r *reader) usedByAll(b *block, text string, at At) bool {
	pair, ttl := numberedPair.FindStringSubmatch(text), ttlOfAll.FindStringSubmatch(text)
	if pair == nil && ttl == nil || b.kind != itemBlock || !r.ofAll(ofAllTables, b.frame.sectionTitle()) || r.table(b.frame) != nil {
		return false
	}
	for _, table := range r.all {
		if pair != nil {
			r.keyPair(table, pair, at)
		} else {
			table.TTL = keep(table.TTL, at, ttl[1])
		}
	}
	r.done[b.line] = true
	return true
}

// toldOfOne reads the same in a sentence on the only table, and reports whether it has one: "with `PK`/`SK` and one GSI (`GSI1PK`/`GSI1SK`)".
func (r *reader) toldOfOne(b *block, text string, at At) bool {
	pair, ttl := pairInside.FindStringSubmatch(text), ttlDrives.FindStringSubmatch(text)
	if pair == nil && ttl == nil || b.kind != textBlock || len(r.all) != 1 || weighs(inTicks.ReplaceAllString(text, "")) {
		return false
	}
	if pair != nil {
		r.keyPair(r.all[0], pair, at)
	} else {
		r.all[0].TTL = keep(r.all[0].TTL, at, ttl[1])
	}
	return true
}

// keyPair gives a table the index whose number both names of a pair have in them.
func (r *reader) keyPair(table *Table, pair []string, at At) {
	if number := numberOf(pair[1]); number == numberOf(pair[2]) {
		r.keyIndex(table, number, at, inOrder(pair[1], pair[2])...)
	}
}

// everyIndex gives the indexes of a table, or of all where no place says of which, the projection that a line says of all of them.
func (r *reader) everyIndex(s statement) {
	var all []*Index
	for _, table := range r.all {
		if own := r.table(s.frame); own == nil || own == table {
			all = append(all, table.Indexes...)
		}
	}
	if count := strings.Replace(strings.ToLower(s.label), "both", "two", 1); count != "all" && !isCount(count, len(all)) {
		return // of which two is not said
	}
	for _, index := range all {
		if index.Projection.Value == "" {
			index.Projection = Setting{s.at(), projectionOf(s.value.text)}
			r.done[s.line] = r.done[s.line] || !strings.Contains(r.doc.Line(s.line), ". ") // or the line says more
		}
	}
}

// noSigns takes out the signs around code and bold type.
var noSigns = strings.NewReplacer("`", "", "*", "")

// billedAlike reads a sentence that says of all tables, as many as it says, or of the one table of its place, that they are billed on demand, and that
// weighs nothing, and reports whether it is one.
func (r *reader) billedAlike(b *block, text string) bool {
	text = noSigns.Replace(text)
	told, of := allTables.FindStringSubmatch(text), r.all
	if told == nil || !modeOfTables.MatchString(text) || ofOther(b.text) || r.advises(b) || b.frame.titledBy(recommends) || weighs(r.introduction(b)) {
		return false
	}
	rest := made.ReplaceAllString(notProvisioned.ReplaceAllString(unplanned.ReplaceAllString(strings.Replace(text, told[0], "", 1), ""), ""), "")
	for _, kind := range []string{"exception", "noneOf", "otherMode", "recommended"} {
		if phrase(kind).MatchString(rest) {
			return false
		}
	}
	both, count := strings.Contains(strings.ToLower(told[0]), "both"), told[1]+told[2]+told[3]
	if told[4] != "" {
		of = []*Table{r.table(b.frame)}
		if tablesTold.MatchString(text) {
			return false // of which of them is not said
		}
	}
	if len(of) == 0 || of[0] == nil || weighs(rest) || ofPrice.MatchString(rest) || underCondition.MatchString(rest) || both && len(of) != 2 || count != "" && !isCount(count, len(of)) || ofTools.MatchString(text) {
		return false
	}
	for _, table := range of {
		if recoveryTold.MatchString(text) {
			table.PITR = keep(table.PITR, b.frame.at(b.line), "enabled")
		}
		if len(table.Billing) == 0 {
			table.Billing, r.done[b.line] = append(table.Billing, Setting{b.frame.at(b.line), "PAY_PER_REQUEST"}), true
		}
	}
	return true
}

// everyTable reads "All tables use on-demand billing" and "All tables use the string type for `pk` and `sk`".
func (r *reader) everyTable(b *block, text string, at At) {
	types := typeTold.FindStringSubmatch(text)
	if alike := everyProjects.FindStringSubmatch(text); alike != nil {
		r.projected = append(r.projected, statement{label: "all", value: inline{text: alike[1]}, line: b.line, frame: b.frame})
	}
	mode := billingWord.FindAllString(made.ReplaceAllString(text, ""), -1)
	if HasWord(text, "demand") && !modeOfTables.MatchString(noSigns.Replace(text)) { // "All tables are copied on demand"
		mode = nil
	}
	recovered := recoveryTold.MatchString(text) && !phrase("noneOf").MatchString(text)
	key := keyOfEach.FindStringSubmatch(text)
	for _, table := range r.all {
		if recovered {
			table.PITR, r.done[b.line] = keep(table.PITR, at, "enabled"), true
		}
		if key != nil && len(table.Keys) == 0 {
			r.keyTable(table, at, keyItem{role: Hash, name: key[1]})
		}
		if len(mode) > 0 && len(table.Billing) == 0 {
			table.Billing, r.done[b.line] = append(table.Billing, Setting{at, billingOf(mode[0])}), true
		}
		if types == nil {
			continue
		}
		for _, name := range strings.FieldsFunc(types[2], func(c rune) bool { return c == '`' || c == ' ' || c == ',' }) {
			r.types[typed{table, name}], r.done[b.line] = keyType(types[1]), true
		}
	}
}
