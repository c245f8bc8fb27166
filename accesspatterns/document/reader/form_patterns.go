package reader

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Access patterns: rows of a table of patterns, items of a list ("title → request"), headings with
// "Operation:" and "Key:" below, fences of key lines, and requests in code. Of a title in a list or table of access patterns
// whose request is not read it is certain that the document asks for it, and nothing else: the line is named as not read too.

func (r *reader) patterns() {
	for _, b := range r.blocks {
		if w := wordOf(b.frame.title.text); b.kind == codeBlock && b.frame.level == labelLevel && (slices.Contains(fields, w) || w == wSilent) {
			r.parted[b.frame.parent] = true
		}
		if b.kind == itemBlock && r.condemns(b) {
			r.condemned[b.frame.parent] = true
		}
		if b.kind == itemBlock && (step.MatchString(b.text.text) || b.frame.parent.level < labelLevel && process.MatchString(b.frame.parent.title.text)) {
			r.flows[b.frame.parent] = true
		}
		if label, value, _, is := split(b.text); b.kind == itemBlock && is && value.text != "" && wordOf(label) != "" {
			r.fielded[b.frame.parent] = true
		}
	}
	for n, b := range r.blocks {
		f := b.frame
		listed := f.about() == topicPatterns
		if r.advises(b) {
			continue
		}
		switch b.kind {
		case gridBlock:
			if kind := r.kindOf(b); kind == patternsGrid || kind == itemsGrid && b.asksBeside() && b.writesKinds() {
				r.patternRows(b)
			}
		case codeBlock:
			b = b.unjudged()
			if !definesTable(b) && !r.doneFence(b) && !r.partOf(b) {
				r.requests(b)
				if !r.doneFence(b) {
					r.spelled(b, r.blocks[:n])
				}
			}
		case itemBlock, textBlock:
			r.patternLine(b, listed)
		}
	}
	r.doc.Patterns = slices.DeleteFunc(r.doc.Patterns, func(p *Pattern) bool {
		numbers := map[string]bool{}
		for _, c := range p.Conditions {
			if number := numberOf(c.Attribute); number != "" {
				numbers[number] = true
			}
		}
		several := len(numbers) > 1 && slices.Contains([]string{"", "GetItem", "Query"}, p.Operation)
		if several {
			r.notAsked(p.Line, p.Title, "below this title stand keys of several indexes, and one request has those of one")
		}
		return several
	})
	r.askedKeys()
	for _, p := range r.doc.Patterns {
		r.ofOtherTable(p)
	}
	r.impliedIndexes()
	for _, p := range r.doc.Patterns {
		r.resolve(p)
	}
	r.purposes()
}

// askedKeys are the keys of tables that requests alone name, by names that only keys have, and with values that begin with literal text: a request
// compares no other attributes in its key, or in its key condition. A document that names no table has one. A table has a sort key where
// a request compares one, and none where the whole key of an item has none.
func (r *reader) askedKeys() {
	if len(r.all) > 0 || r.relational || !r.ofDynamoAlone() {
		for _, table := range r.all {
			if len(table.Keys) == 0 && !table.weak {
				table.Keys = r.askedOf(table).Keys
			}
		}
	} else if one := r.askedOf(&Table{}); len(one.Keys) > 0 {
		hash, _ := one.Key(Hash)
		one.At = At{hash.Line, Said}
		r.all = append(r.all, one)
	}
	r.learnKeys()
}

// askedOf is a table of that name with the keys that requests of it name; without any where they do not tell them.
func (r *reader) askedOf(table *Table) *Table {
	asked, whole := &Table{Name: table.Name}, false
	for _, p := range r.doc.Patterns {
		others := slices.ContainsFunc(p.Conditions, func(c Condition) bool { return roleOfName(c.Attribute) == "" })
		if p.Table != table.Name || p.apart || !p.Listed || p.Operation == "" && others || p.Operation == "Scan" {
			continue
		}
		sorted := false
		for _, c := range p.Conditions {
			role := roleOfName(c.Attribute)
			sorted = sorted || role == Range
			switch {
			case c.Filter, role == "":
			case role == Hash && c.Value.Prefix() == "":
				return &Table{} // "PK = userId": the role of a key, and none of its names
			case numberOf(c.Attribute) == "" && p.Index == "":
				r.keyTable(asked, p.At, keyItem{role: role, name: c.Attribute, line: c.Line})
			}
		}
		whole = whole || !sorted && p.Index == "" && keyed[p.Operation] && p.Operation != "Query"
	}
	_, has := asked.Key(Hash)
	if _, sorted := asked.Key(Range); !has || !sorted && !whole {
		return &Table{}
	}
	return asked
}

// stepForm is how a step of a process begins.
const stepForm = `(?:(?:the )?(?:client|lambda|server|backend|front-?end|caller|browser|handler|worker|api gateway|app)s? [a-z]+s\b|(?:then|finally|return|respond|redirect|parse|decode|encode|construct|merge the results?)\b` +
	`|validate(?: (?:the )?(?:input|request|payload|body|parameters))?\W*$|send (?:(?:an?|the) )?(?:e-?mail|sms|response|reply|push|notification)s?\b)`

var (
	// verdict matches what stands over, or before, one of two requests that are compared: do this, and not that.
	verdict = lazyregexp.New(`(?i)^(?:(?:do|don['’]?t|good|bad|better|worse|right|wrong|correct|incorrect|avoid|never)(?: (?:way|approach|example|practice))?|(?:do|not|use|like|instead of) this)\W*$`)
	// condemned matches the sign, or the words, before a request that nobody is to make, and approved that before the one in its place.
	condemned = lazyregexp.New(`^\W*[❌✗✘✖🚫⛔]|(?i:^\W*(?:anti-?pattern|do(?:n['’]t| not) (?:do|use))\b)`)
	approved  = lazyregexp.New(`^\W*[✅✔☑👍]`)
	// step matches a step of a process: a list that has one tells how something goes on, and its items are no access patterns.
	step = lazyregexp.New(`(?i)^` + stepForm)
	// process matches the title of a process, below which a list has its steps.
	process = lazyregexp.New(`(?i)\b(?:work-?flow|flow|process|procedure|sequence|life-?cycle)s?$`)
	// ofProgram matches the language of a fence in which a name without quotes is a variable.
	ofProgram = lazyregexp.New(`(?i)^(?:json\w?|[jt]sx?|(?:java|type)script|go|java|kotlin|rust|sql)$`)
	labelEnd  = lazyregexp.New(`:|\s` + dashes + `\s`)
	// route matches a heading that is a request of HTTP, and certain what is a request of DynamoDB even there.
	route   = lazyregexp.New("(?i)^(?:(?:endpoint|route)\\W+)?`?(?:GET|POST|PUT|PATCH|DELETE|HEAD)`? `?/")
	certain = lazyregexp.New(`(?i)\bdynamodb\b|\w(?:Items?|Write|Get)\b`)
)

// advises reports whether a block stands where a text tells how requests are to be made, and how not: below such a title,
// or in a table or a list that compares them.
func (r *reader) advises(b *block) bool {
	asked := b.frame.about() == topicPatterns
	above := b.frame.up(func(f *frame) bool {
		title := cleanTitle(f.title.text)
		titled := f.level <= labelLevel && (f.topic != topicPatterns && phrase("advice").MatchString(title) || phrase("notBuilt").MatchString(title) || !asked && (phrase("apart").MatchString(title) || b.kind == codeBlock && phrase("operating").MatchString(title)))
		return f.level > 1 && (titled || judged(f.title.text))
	})
	verdicts := 0
	for _, cell := range b.header {
		if judged(cell.text) {
			verdicts++
		}
	}
	return above != nil || verdicts > 1 || b.kind == itemBlock && r.condemned[b.frame.parent] && approved.MatchString(b.text.text)
}

// judged reports whether a text begins with a verdict on the request behind it.
func judged(text string) bool {
	return condemned.MatchString(text) || verdict.MatchString(cleanTitle(labelEnd.Split(text, 2)[0]))
}

// condemns reports whether an item of a list is a request that nobody is to make, or has one behind its title. One that tells what
// is not served has none.
func (r *reader) condemns(b *block) bool {
	sign := condemned.FindStringIndex(b.text.text)
	if sign == nil {
		return false
	}
	rest := trimmed(b.text.slice(sign[1], len(b.text.text)))
	_, behind := r.titled(b, rest, true)
	return slices.ContainsFunc([]inline{rest, behind}, func(text inline) bool {
		p := &Pattern{}
		is, _ := r.requestIn(p, text)
		return is && (len(p.Conditions) > 0 || operationAlone.MatchString(strings.Trim(ticked(text), "` ")))
	})
}

// unjudged is a fence without the lines below a comment with a verdict, or that takes them back, up to the next comment. A comment of several lines is one
// of its first words.
func (b *block) unjudged() *block {
	rest, dropped, compared, before := *b, false, false, false
	rest.code, rest.defines = slices.Clone(b.code), nil
	opened := -1 // where a comment of several lines begins
	for n, line := range b.code {
		if text := strings.TrimSpace(line); strings.HasPrefix(text, "/*") && !strings.HasSuffix(text, "*/") {
			opened = n
		} else if opened >= 0 && strings.HasSuffix(text, "*/") {
			words, _ := first(b.code[opened:n+1], func(line string) bool { return strings.Trim(line, " \t*/") != "" })
			clear(rest.code[opened:n])
			line, opened = "// "+strings.Trim(words, " \t*/"), -1
			rest.code[n] = line
		}
		if opened >= 0 {
			continue
		}
		comment := commentLine.FindStringSubmatch(line)
		if comment != nil && !(n > 0 && strings.HasSuffix(strings.TrimSpace(b.code[n-1]), "\\")) { // or the options of a command
			parts := titleParts(inline{text: comment[1]}, false)
			dropped = before && dropped || judged(comment[1]) || takenAway(parts) || saysOnly(parts, phrase("proposed")) || compared && approved.MatchString(comment[1])
			compared = compared || dropped
		}
		if before = comment != nil; dropped {
			rest.code[n] = ""
		}
	}
	return &rest
}

// ofKey reports whether a condition is one of a key attribute.
func (r *reader) ofKey(c Condition) bool {
	return r.keyNames[c.Attribute] || genericKey.MatchString(c.Attribute)
}

func (r *reader) doneFence(b *block) bool {
	return slices.ContainsFunc(b.filled(), func(line inline) bool { return r.done[line.line] })
}

var (
	severalPlaces  = lazyregexp.New(`(?i)[+,/&]| (?:and|or|then) ` + "`?(?:the )?(?:gsi|lsi|table|base|main|[\\w-]*index)")
	tableRequest   = lazyregexp.New(`^(?:(?:main|base|primary) )?table (query|scan)\b`) // "Table query on the user"
	operationAlone = lazyregexp.New("^(?:" + operationWords + ")\\b`?(?: ?[(/+].*| with (?:an? )?(?i:condition ?expression)\\b.*)?$")
	otherRemark    = lazyregexp.New(`\s*\([^\x00-\x7f]+\)`) // behind the name of a table, in other letters
	// titled matches a title: no number, and no name such as AP-01.
	titled = lazyregexp.New(`\pL{4}|\pL[\pL'’]* \pL`)
	// operatorWord matches an operator in the cell of a key, in any case.
	operatorWord = lazyregexp.New("(?i)^[` ]*(?:begins_with|between)\\b|\\(begins_with\\)")
	prefixBehind = lazyregexp.New("(?i)[ `]*\\(?\\bbegins_with\\)?$|\\*$") // SHIP#* and SHIP# (begins_with)
	operatorHead = lazyregexp.New("^[` ]*(begins_with\\b|between\\b|>=|<=|=|>|<)")
	// placeBehind matches where a pattern reads, or its request, behind its title: "Carts of a till via GSI1", "A cart (GetItem)".
	placeBehind = lazyregexp.New("^(.*\\S) (?:(?i:via|using|through|by querying) (?:the )?((?:(?:GSI|LSI|index) )?`?[\\w.-]+`?(?: (?:GSI|LSI|index))?)|\\(([^()]*(?:\\([^()]*\\))?[^()]*)\\)|" + dashes + " ([^()]+))\\W*$")
	// behindDash matches a request with brackets behind a dash: "Carts of a till — query on TILL#{id} (begins_with CART#)".
	behindDash = lazyregexp.New(`^([^—–:=` + "`" + `]+?) ` + dashes + ` (.+)$`)
	arrow      = lazyregexp.New(`\s(?:→|->|=>|⇒)\s`)
	// keyColon matches the name of a key attribute before its value: "PK: ORDER#{id}, SK: META".
	keyColon = lazyregexp.New("(?i)(^|[`,+ ])((?:(?:gsi|lsi)[-_]?\\d*[-_]?)?[ps]k): ")
	// codeName matches a title that is a name of several words in code.
	codeName = lazyregexp.New("^(?:\\d+[.)]\\s*)*`[a-z][a-z0-9]*(?:-[a-z0-9{}]+)+`:?$")
	// calledBeside matches the name of a function in a bracket, and the dash behind it.
	calledBeside = lazyregexp.New(`^ \([a-z]+[A-Z]\w*\) ` + dashes + ` `)
	// severalAsked matches what joins two requests, or two values.
	severalAsked = lazyregexp.New("(?i)[`'\"})] (?:or|then) [`'\"]")
	// callFirst matches a call before what it is for.
	callFirst = lazyregexp.New("^`((?:" + operationWords + ")\\([^`]*\\))` (?:→|->|" + dashes + ") (.+)$")
	// callAhead matches a call with its options before what it is for: "`Query(shop, ScanIndexForward=false)` — its carts".
	callAhead = lazyregexp.New("^`((?:" + operationWords + ")\\([^`]*=[^`]*\\))`(?: via (?:the )?[GL]SI)? " + dashes + " (.+)$")
	// operationFor matches an operation in backticks, and the key that it goes by or what it is for.
	operationFor = lazyregexp.New("^`(?:" + operationWords + ")` (?:by `|on |for |to |upsert )")
	commentLine  = lazyregexp.New(`^\s*(?://|#|--|/\*)\s*(.+?)(?:\*/)?\s*$`)
	askedLine    = lazyregexp.New(`(?i)^\s*(query|get|scan)(?:\s+(table|[A-Za-z][\w-]*))?(?:\s+where\s+(.+)|\s*:\s*(.*))$`)
	// ofSeveralItems matches a title that asks for more than one item.
	ofSeveralItems = lazyregexp.New(`(?i)^(?:pattern: )?(?:get |fetch |find |query |list )?(?:all|every)\b|^(?:pattern: )?list `)
	// operationLine matches a line that is an operation over its keys, or with them in braces.
	operationLine = lazyregexp.New(`^(?:GetItem|PutItem|UpdateItem|DeleteItem|Query)(?: (?:(?:on|from|in) )?[\w.-]+)?(?:$| ?\{ )`)
	keyLineForm   = lazyregexp.New("^\\s*([A-Za-z_][\\w.-]*)\\s*(:?)\\s*(.+?)[;,]?\\s*$")
	// operationInside matches a cell that says nothing but the operation.
	operationInside = lazyregexp.New(`^(?:N/?A|-|–|—)? ?\((` + operationWords + `)\b`)
	wholeCall       = lazyregexp.New("^(?:await )?(?:" + operationWords + ")\\(.*\\)$")
	queriesHead     = lazyregexp.New(`(?i)^(?:` + operationWords + `|Us(?:e|ing))\b`)
)

// itemsHold matches what says what items have, and asks nothing: "Order items carry:" over the keys of an index.
var itemsHold = lazyregexp.New(`(?i)\b(?:items?|rows?|records?)\b.*\b(?:carry|carries|contains?|gets?|has|have|holds?|sets?|stores?)$`)

// addPattern adds a pattern that a form has read.
func (r *reader) addPattern(p *Pattern) *Pattern {
	p.Last = max(p.Last, p.Line)
	if !itemsHold.MatchString(p.Title) && !slices.Contains(r.doc.Patterns, p) {
		r.doc.Patterns = append(r.doc.Patterns, p)
	}
	return p
}

// newPattern is a pattern of a place.
func (r *reader) newPattern(f *frame, title string, line int, listed bool) *Pattern {
	clean := cleanTitle(checked.ReplaceAllString(title, ""))
	p := &Pattern{At: f.at(line), Title: strings.Trim(strings.ReplaceAll(numberedPattern.ReplaceAllString(clean, ""), "`", ""), "* :"), Listed: listed, Last: line, number: numberIn(numberedPattern, clean)}
	section := f.up(func(f *frame) bool { return f.table != nil || f.gives > 0 || r.callsOther(f) })
	p.apart = section != nil && section.table == nil && !slices.ContainsFunc(r.all, func(t *Table) bool {
		return slices.ContainsFunc(t.Keys, func(k Key) bool { return k.Line == section.gives })
	})
	if table := r.table(f); table != nil && !p.apart && (section != nil && section.table != nil || table.Name == "" || !r.others(table)) {
		p.Table = table.Name
	}
	return p
}

// numberIn is the number of a pattern that a text gives, "" for none.
func numberIn(form *lazyregexp.Regexp, text string) string {
	return strings.TrimLeft(append(form.FindStringSubmatch(text), "", "")[1], "0")
}

// callsOther reports whether a title, in no section of a table, is the name of one that is not read: "`orders-archive`".
func (r *reader) callsOther(f *frame) bool {
	name := f.title.marked()
	return f.level > 1 && f.level <= labelLevel && f.up(func(f *frame) bool { return f.table != nil }) == nil && codeName.MatchString(ticked(f.title)) && !isIndexTitle(name) && !r.keyNames[name] && r.known(name) == nil
}

// columnsAsked are the words of a table of access patterns, and the column of their titles. A column of requests is one
// whatever its header says: "Operation | Access pattern" has them in the second.
func (r *reader) columnsAsked(b *block) (c columns, title int) {
	c, title = columnsOf(b), -1
	for i, w := range c {
		if (w == wPattern || w == wPrimary) && r.areRequests(b, i) || w == "" && !c.has(wCondition) && r.areRequests(b, i) {
			c[i] = wOperation
		} else if w == wExample && r.areRequests(b, i) {
			c[i] = wCondition
		} else if w == "" && !c.has(wIndex) && !c.has(wSource) && r.arePlaces(b, i) {
			c[i] = wSource
		}
	}
	if at := c.at(wPattern); at > 0 && c[0] == wOperation && !r.areRequests(b, 0) && !strings.Contains(spell(b.header[at].text), "pattern") {
		c[at] = "" // "Operation | Input | Access": what is done, and how
	}
	for _, w := range []word{wPattern, wOperation, wName, ""} {
		for i := range c {
			if title < 0 && c[i] == w && !r.areRequests(b, i) && slices.ContainsFunc(b.rows, func(row []inline) bool { return titled.MatchString(row[i].text) }) {
				title = i
			}
		}
	}
	if title < 0 {
		title = c.at(wPattern)
	}
	if title < 0 && c[0] != wSilent {
		title = c.at(wOperation)
	}
	return c, max(title, 0)
}

// comparesKeys reports whether a text is comparisons of keys, and nothing else.
func (r *reader) comparesKeys(text string) bool {
	p := &Pattern{}
	is, whole := r.request(p, strings.Trim(text, "` "), 0)
	return is && whole && len(p.Conditions) > 0 && !slices.ContainsFunc(p.Conditions, func(c Condition) bool { return !r.ofKey(c) })
}

// operationFirst matches a cell that begins with an operation in backticks.
var operationFirst = lazyregexp.New("^`(?:" + operationWords + ")` ")

// areRequests reports whether a third of a column's cells are requests: an operation by DynamoDB's name with nothing but keys, or comparisons, or in backticks
// with whatever words behind it.
func (r *reader) areRequests(b *block, at int) bool {
	requests, all := 0, 0
	for _, row := range b.rows {
		p, text := &Pattern{}, strings.Trim(ticked(row[at]), "` ")
		switch is, _ := r.request(p, text, row[at].line); {
		case isNone(text):
		case is && (len(p.Conditions) > 0 || operationAlone.MatchString(text)), operationFirst.MatchString(ticked(row[at])):
			requests, all = requests+1, all+1
		default:
			all++
		}
	}
	return requests > 0 && requests*3 >= all
}

// arePlaces reports whether all cells of a column are indexes, or the table, and one at least is an index.
func (r *reader) arePlaces(b *block, at int) bool {
	index := false
	for _, row := range b.rows {
		text := row[at].text
		is := isIndexTitle(ticked(row[at]))
		if index = index || is; !is && !isNone(text) && !phrase("baseTable").MatchString(spell(text)) && r.known(text) == nil {
			return false
		}
	}
	return index
}

// numbers are the titles of access patterns by their numbers, where a table gives both and another one the requests.
func (r *reader) numbers() map[string]string {
	all := map[string]string{}
	for _, b := range r.blocks {
		if c := columnsOf(b); b.kind == gridBlock && len(c) > 1 && c[0] == wSilent && c[1] == wPattern && !c.has(wOperation) && !c.has(wCondition) && b.frame.about() == topicPatterns {
			for _, row := range b.rows {
				title := row[1].text
				if _, again := all[row[0].text]; again {
					title = "" // which of several lists is not said
				}
				all[row[0].text] = title
			}
		}
	}
	return all
}

// patternRows reads a table of access patterns.
func (r *reader) patternRows(b *block) {
	c, titleAt := r.columnsAsked(b)
	// Of a sort key's form, in a column in which no cell has an operator, it is not said how it is compared.
	sort := c.at(wRange)
	forms := sort >= 0 && !c.has(wOperation) && !slices.ContainsFunc(b.rows, func(row []inline) bool {
		text := ticked(row[sort])
		return operatorWord.MatchString(text) || operatorHead.MatchString(text) && !angled.MatchString(strings.Trim(text, "` ")) || strings.Contains(text, "*")
	})
	ofKinds, own := r.kindOf(b) == itemsGrid, columnsOf(b) // beside kinds of items a cell may have calls
	for _, row := range b.rows {
		line, sound := rowLine(row), true
		title := row[titleAt].text
		if judged(title) || judged(row[0].text) || methodAlone.MatchString(title) || ofKinds && r.callsIn(b, own, row) {
			continue
		}
		if !titled.MatchString(title) {
			title = cmp.Or(r.numbered[row[0].text], title)
		}
		p := r.newPattern(b.frame, title, line, true)
		if p.Text = rowText(row); titleAt > 0 {
			p.number = cmp.Or(numberIn(numberCell, row[0].text), p.number)
		}
		said, placed, other := false, true, false // something of where it reads, or how; and all that is said of where
		for _, words := range fieldOrder {
			for i, cell := range row {
				if forms && i == sort && placeholder.MatchString(cell.text) {
					sound = false
				} else if c[i] == "" && i != titleAt && indexInside.MatchString(cell.text) { // "Using GSI1" in a column of remarks
					placed = placed && !phrase("doubtful").MatchString(cell.text) && r.indexIn(p, nil, cell.text)
				} else if c[i] == wSilent && i != titleAt && p.Operation == "" && operationAlone.MatchString(strings.Trim(cell.text, "` ")) { // in a column of remarks
					p.Operation = operationOf(operations.FindString(cell.text))
				} else if inside := operationInside.FindStringSubmatch(cell.text); inside != nil && i != titleAt && p.Operation == "" && c[i] != wOperation { // "N/A (PutItem)" in the column of projections
					p.Operation = operationOf(inside[1])
				} else if slices.Contains(words, c[i]) && i != titleAt && cell.text != "" {
					before, known := p.Operation, len(p.Conditions)
					read := r.field(p, c[i], cell, b.header[i].text)
					if own[i] == wExample {
						p.ofItem(known)
					}
					if before != "" && p.Operation != before {
						other = true // than another cell says
					}
					sound, said = sound && read, said || read && !isNone(cell.text)
					keys := keyPair.FindStringSubmatch(ticked(cell)) // "PK: userId" names no other place
					placed = placed && (read || c[i] != wIndex && c[i] != wSource || keys != nil && roleOfName(keys[1]) != "")
				}
			}
		}
		for i := range p.Conditions {
			if c := &p.Conditions[i]; p.shown && !placeholder.MatchString(string(c.Value)) {
				c.Value = "" // beside the value of one item: STATE#MO, CLAUSE#09
			}
		}
		if p.Conditions = once(p.Conditions); other {
			p.Operation, sound = "", false
		} else if p.Operation == "" {
			if short := strings.Trim(c.cell(row, wOperation).text, "` "); p.Operation == "" && shortHead.MatchString(short) && p.Index == "" && (r.tableOf(p.Table) != nil && wholeKey(r.tableOf(p.Table), p.Conditions)) {
				p.Operation = operationOf(short) // "Get" beside the whole key
			}
		}
		values, owners := "", map[string]bool{}
		for _, c := range p.Conditions {
			values += string(c.Value) + string(c.High)
			if role := roleOfName(c.Attribute); role == Hash || role == Range && (p.Index == "" || numberOf(c.Attribute) != "") { // SK beside GSI1PK is the role
				owners[numberOf(c.Attribute)] = true
			}
		}
		placed = placed && len(owners) < 2 && strings.ContainsFunc(p.Title, unicode.IsLetter)                           // one request has the keys of one place, and a title
		sound = sound && strings.Count(p.Text, "#")-strings.Count(row[titleAt].text, "#") <= strings.Count(values, "#") // or a value is not read
		asked := len(p.Conditions) > 0 || p.Operation != ""
		if placed && (asked || said || p.Index != "") {
			r.addPattern(p)
		} else if titled.MatchString(title) && b.frame.meant() && asksFor(row[titleAt]) {
			bare := r.addPattern(r.newPattern(b.frame, title, line, true)) // that it is asked for is certain, and nothing else of it is
			if bare.Text = p.Text; p.apart {
				bare.Table, bare.apart = "", true
			}
		}
		if r.done[line] = sound && asked && placed; !r.done[line] {
			r.notAsked(line, rowText(row), "of this access pattern a cell is read in part, or gives no request in a form that is read")
		}
	}
	if !ofKinds {
		r.unknown(b, c, wPattern, wOperation, wCondition, wPrimary, wSource, wTable, wIndex, wHash, wRange, wOrder, wLimit, wFilter, wType)
	}
}

// ofItem takes the values of the comparisons behind the first ones for those of one item, as a column of examples has them: what is literal in them is not said.
func (p *Pattern) ofItem(known int) {
	for i := known; i < len(p.Conditions); i++ {
		if c := &p.Conditions[i]; !placeholder.MatchString(string(c.Value)) {
			c.Value, c.written = "", cmp.Or(c.written, string(c.Value))
		}
	}
}

// callsIn reads a cell of calls beside a kind of item, each with what it is for in a bracket behind it: "`QUERY(PK=CART#{id})` (the lines of a cart)",
// "`Query PK=CART` / `GetItem`". An operation alone that is of one item has the whole key.
func (r *reader) callsIn(b *block, c columns, row []inline) bool {
	cell := c.cell(row, wPattern)
	alone := !slices.ContainsFunc(cell.code(), func(part string) bool { return !callAlone.MatchString(part) })
	calls := slices.DeleteFunc(slices.Clone(cell.spans), func(s span) bool {
		return !s.code || !alone && !operationHead.MatchString(cell.part(s))
	})
	if len(calls) == 0 {
		return false
	}
	for n, call := range calls {
		end := len(cell.text)
		if n+1 < len(calls) {
			end = calls[n+1].from
		}
		title := cell.part(call)
		if told := bracket.FindStringSubmatch(strings.TrimLeft(cell.text[call.to:end], " ")); told != nil {
			title = told[1]
		}
		if !alone {
			title = c.cell(row, wEntity).text + ": " + title
		}
		p := r.newPattern(b.frame, title, cell.line, true)
		p.Text = cell.part(call)
		is, whole := r.request(p, callOfIndex.ReplaceAllString(p.Text, "Query($1, "), cell.line)
		if !is {
			continue
		}
		if operationOf(p.Text) != "" && (keyed[p.Operation] && p.Operation != "Query" || p.Operation == "PutItem") {
			for _, w := range []word{wHash, wRange} {
				whole = r.field(p, w, c.cell(row, w), b.header[c.at(w)].text) && whole
			}
		}
		r.addPattern(p)
		r.done[cell.line] = r.done[cell.line] && whole
	}
	return true
}

var (
	// methodAlone matches a method of HTTP and nothing else.
	methodAlone = lazyregexp.New(`^(?:GET|POST|PUT|PATCH|DELETE|HEAD)$`)
	// callAlone matches a call of an operation, and nothing else.
	callAlone = lazyregexp.New(`(?i)^(?:` + operationWords + `|query_?gsi\d+)\(.*\)$`)
	// callOfIndex matches the name of a call that has that of its index: QUERY_GSI1(.
	callOfIndex = lazyregexp.New(`(?i)^query_?(gsi\d+)\(`)
)

// once are the comparisons of a row without those by a parameter alone of what another cell gives its value: "pk = :pk" beside "pk = CART#{id}".
func once(all []Condition) (kept []Condition) {
	bound := func(c Condition) bool { return placeholder.FindString(string(c.Value)) == string(c.Value) }
	for _, c := range all {
		at := slices.IndexFunc(kept, func(o Condition) bool {
			return o.Attribute == c.Attribute && o.Operator == c.Operator && o.Filter == c.Filter && (bound(o) || bound(c))
		})
		switch {
		case at < 0:
			kept = append(kept, c)
		case bound(kept[at]):
			kept[at] = c
		}
	}
	return kept
}

// source reads where a pattern reads: a table, an index, "Base table (GetItem)".
func (r *reader) source(p *Pattern, cell inline, w word) bool {
	text, spelt := strings.Trim(ticked(cell), " ,\"'"), spell(cell.text)
	of := slices.DeleteFunc(slices.Clone(r.all), func(t *Table) bool { return !HasWord(cell.text, t.Name) })
	if len(of) > 1 {
		p.Table = "" // "Orders + Users": which of them is asked what
		return false
	}
	if w == wTable {
		name := strings.TrimSuffix(strings.Trim(otherRemark.ReplaceAllString(cell.text, ""), "`* \"'"), " table")
		of, named := p.Table, identifier.MatchString(name) && !phrase("baseTable").MatchString(spelt)
		if named || of == "" {
			r.names(p, name)
		}
		if p.Table == "" {
			called := slices.ContainsFunc(r.doc.Text, func(line string) bool { return !strings.HasPrefix(line, "|") && strings.Contains(line, "`"+name+"`") })
			if short := r.shortly(name); short != nil && !called && !ofOther(inline{text: p.Title}) {
				p.Table = short.Name
			}
		}
		if p.Table != "" || r.indexIn(p, nil, name) {
			return true
		}
		if p.apart = named && !slices.ContainsFunc(r.all, func(t *Table) bool { return t.Name == "" }); !p.apart { // or of a table that no line gives
			p.Table = of
		}
		return p.Table != ""
	} else if w == wSource && !phrase("baseTable").MatchString(spelt) {
		p.Table = ""
	}
	if behind := trailing.FindStringSubmatch(text); behind != nil {
		p.Operation, text = operationOf(behind[1]), strings.TrimSuffix(text, behind[0])
		spelt = spell(text)
	}
	bare := strings.Trim(strings.TrimSpace(bracketed.ReplaceAllString(text, "")), "`")
	if known := r.known(bare); known != nil {
		p.Table = known.Name
		return true
	}
	probe := *p
	if is, whole := r.request(&probe, ticked(cell), cell.line); is && len(probe.Conditions) > len(p.Conditions) { // "PK = `cartId`"
		*p = probe
		return whole
	}
	if phrase("baseTable").MatchString(spelt) {
		asked := tableRequest.FindStringSubmatch(spelt)
		if asked != nil {
			p.Operation = operationOf(asked[1])
		}
		return len(strings.Fields(spelt)) <= 2 || asked != nil && !severalPlaces.MatchString(spelt) && !indexInside.MatchString(spelt)
	}
	name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(bare, " GSI"), " index"), " LSI")
	name = strings.TrimPrefix(strings.TrimPrefix(strings.Trim(name, "`"), "GSI `"), "GSI ")
	named := !severalPlaces.MatchString(bare) && r.indexIn(p, r.tableOf(p.Table), name)
	table, known := first(r.all, func(t *Table) bool { return HasWord(text, t.Name) })
	asked := r.behindPlace(text)
	if !named && !known || asked == "" || asked == text {
		return named
	}
	if known { // "carts `CART#<id> / META`"
		p.Table = table.Name
	}
	is, whole := r.request(p, asked, cell.line)
	return is && whole || !is && r.arguments(p, asked, cell.line, false)
}

// requestIn reads a text that is a request, or that has one among its words: the only part in backticks that has an operation with its keys.
func (r *reader) requestIn(p *Pattern, text inline) (is, whole bool) {
	if parts := text.split(" | "); len(parts) > 1 {
		return r.requestOf(p, parts)
	}
	if is, whole = r.request(p, ticked(text), text.line); is || len(operations.FindAllString(text.text, 2)) > 1 {
		return is, whole
	}
	for _, part := range text.code() {
		if own := *p; operationHead.MatchString(part) {
			if is, _ = r.request(&own, part, text.line); is && len(own.Conditions) > len(p.Conditions) {
				*p = own
				return true, false
			}
		}
	}
	return false, false
}

// requestOf reads a request whose parts are a field or the comparison of a key each: "Index: GSI1 | PK: USER#{id} | SK begins_with POST#".
func (r *reader) requestOf(p *Pattern, parts []inline) (is, whole bool) {
	whole = true
	for _, part := range parts {
		label, value, _, labels := split(part)
		key := r.conditionsOf(ticked(part), part.line)
		switch w := wordOf(label); {
		case labels && (slices.Contains(fields, w) || roles[w] != ""):
			whole = r.field(p, w, value, label) && whole
		case len(key) == 1 && roleOfName(key[0].Attribute) != "":
			whole = r.keyCell(p, r.tableOf(p.Table), part, wordOfRole[roleOfName(key[0].Attribute)], key[0].Attribute) && whole
		default:
			whole = false
		}
	}
	return p.Requests(), whole
}

// keyCell reads the value of a key in a cell under its name or role.
func (r *reader) keyCell(p *Pattern, table *Table, cell inline, w word, header string) bool {
	name, _, _ := strings.Cut(strings.Trim(header, "` "), " ")
	if number := numberOf(name); number != "" && p.Index == "" { // the column is that of an index's key
		p.Index = number
	}
	if !genericKey.MatchString(name) || !r.keyNames[name] && slices.ContainsFunc(r.all, func(t *Table) bool { return len(t.Keys) > 0 }) && numberOf(name) == "" {
		name = ""
	}
	if _, keys := p.place(table); table != nil {
		if key, has := keyOf(keys, roles[w]); has {
			name = key.Name
		} else if p.Index != "" && numberOf(name) == "" {
			name = ""
		}
	}
	text := operatorWord.ReplaceAllStringFunc(ticked(cell), strings.ToLower)
	whole := strings.Trim(text, "`")
	x, _ := p.place(table)
	ofIndex := p.Index != "" && x == nil // of which no line gives the keys

	if found := r.conditionsOf(whole, cell.line); len(found) == 1 && (strings.HasPrefix(whole, found[0].Attribute) || strings.HasPrefix(whole, "begins_with")) && (r.ofKey(found[0]) || ofIndex) { // "PK=ORDER#<id>", whatever the column
		if role := roleOfName(found[0].Attribute); p.Index != "" && role != "" && numberOf(found[0].Attribute) == "" { // "SK begins_with LINE#" of an index
			_, keys := p.place(table)
			key, has := keyOf(keys, role)
			if !has {
				return false
			}
			found[0].Attribute = key.Name
		}
		p.Conditions = append(p.Conditions, found[0])
		return found[0].Value != ""
	}
	if name == "" || bareNumber.MatchString(whole) { // or an index
		return false
	}
	c, rest, is := ofAttribute(name, ticked(cell), cell.line)
	if !is || rest != "" && !strings.HasPrefix(rest, "(") && !strings.HasPrefix(rest, ",") || c.Operator == "=" && c.Value == "" && c.written == "" {
		return false // or "any", and "same"
	}
	p.shown = p.shown || slices.ContainsFunc(strings.Split(c.written, "#"), exampleSegment.MatchString)
	p.Conditions = append(p.Conditions, c)
	return c.Value != ""
}

// patternLine reads "Orders of a customer → Query PK = ...", a request below its title, and the labels of a pattern that
// has its parts in lines.
func (r *reader) patternLine(b *block, listed bool) {
	f, about := b.frame, b.frame.about()
	at := f.heading()
	uses := at != nil && at.level > 1 && wordOf(at.title.text) == wPattern && at.topic != topicPatterns // "Use cases:" of an index
	for _, line := range b.lines() {
		if crossed.MatchString(line.text) || r.labelledCall(b, line) || r.patternField(b, line) || r.flows[f.parent] || about == topicOther && !uses || about == topicAttributes || about == topicExamples || about == topicKeys && !listed && !uses {
			continue
		}
		if sign := approved.FindString(line.text); listed && b.kind == itemBlock { // "✅ A cart: `GetItem` by `id`", and none beside it is condemned
			line = trimmed(line.slice(len(sign), len(line.text)))
		}
		if number := numberAhead.FindString(line.text); listed && b.kind == itemBlock { // "AP-01: a cart — `PK=CART#{id}`"
			line = trimmed(line.slice(len(number), len(line.text)))
		}
		title, request := r.titled(b, line, listed || uses)
		ahead := b.alone && r.asksAhead(line) && f.meant() && !callsNothing(f.sectionTitle()) && callsRequest(inline{text: f.sectionTitle()})
		if ahead { // "GetItem: PK = .." in a paragraph of its own
			title, request = f.sectionTitle(), inline{line: line.line, text: ticked(line)}
		}
		if request.text == "" || title == "" || isIndexTitle(title) || phrase("otherTime").MatchString(title) || phrase("toConsider").MatchString(r.introduction(b)) {
			continue
		}
		p, text := r.newPattern(f, title, b.line, true), ticked(request)
		p.Text = ticked(line)
		is, whole := r.requestIn(p, request)
		keys := len(p.Conditions) > 0
		marked := p.Operation != "" && (strings.ContainsAny(text, "(=`") || keys && b.kind == itemBlock)
		sentence := !keys && p.Index == "" && arrow.MatchString(p.Text) && strings.HasPrefix(text, strings.ToLower(p.Operation)) // "a -> query of the customers"
		if !is && listed && b.kind == itemBlock && severalAsked.MatchString(text) && operationHead.MatchString(text) && !shortHead.MatchString(operationHead.FindStringSubmatch(text)[1]) && asksByVerb.MatchString(title) && asksFor(line) && f.meant() {
			r.addPattern(p) // which of two requests is not said, and that it is asked for is certain
		}
		switch {
		case !is, !keys && p.Operation == "" && !(listed && b.kind == itemBlock && whole && p.Index != "" && asksFor(line)), sentence, b.kind == textBlock && !marked && !keys:
		case listed, b.kind == itemBlock && len(r.all) > 0 && (marked || uses && keys && whole), ahead, r.asksAlone(request):
			r.addPattern(p)
			r.done[line.line] = whole && (keys || !keyed[p.Operation])
		}
	}
}

// numberAhead matches the number of an access pattern before its title.
var numberAhead = lazyregexp.New(`^(?:AP|QP?|UC|[RW]P|P)[-_ ]?\d{1,3}(?:[:.)]| [—–-]|) `)

// labelledCall reads "Access pattern: `GetItem(cartId)` — a cart for the till" in a paragraph of its own, also with an arrow between.
func (r *reader) labelledCall(b *block, line inline) bool {
	label, value, _, is := split(line)
	call := callFirst.FindStringSubmatch(ticked(value))
	if !is || b.kind != textBlock || call == nil || topicOf(label) != topicPatterns || !b.frame.meant() || !asksFor(line) {
		return false
	}
	p := r.newPattern(b.frame, strings.TrimRight(call[2], "."), line.line, true)
	asks, whole := r.request(p, call[1], line.line)
	if asks {
		p.Text = ticked(line)
		r.addPattern(p)
		r.done[line.line] = whole
	}
	return asks
}

// asksAhead reports whether a line is an operation over its keys: "GetItem: PK = ..", "Query (GSI1): GSI1PK = ..".
func (r *reader) asksAhead(line inline) bool {
	label, value, _, is := split(line)
	return is && operationHead.MatchString(label) && !shortHead.MatchString(label) && len(r.conditionsOf(value.text, line.line)) > 0 && asksFor(line) && !phrase("takenBack").MatchString(line.text)
}

// titled takes the title and the request of a line apart.
func (r *reader) titled(b *block, line inline, listed bool) (title string, request inline) {
	f, text := b.frame, ticked(line)
	label, value, equals, is := split(line)
	above, ahead := f.parent, &Pattern{}
	if b.kind == textBlock {
		above = f
	}
	if marked := line.marked(); strings.HasPrefix(line.text, marked+" ") && strings.HasSuffix(marked, ".") && operationHead.MatchString(text[min(strings.Index(text, ". ")+2, len(text)):]) && callsRequest(inline{text: marked}) && asksFor(line) {
		return strings.TrimRight(marked, "."), trimmed(line.slice(len(marked), len(line.text))) // "**Carts of a till.** `Query` with ..."
	}
	if marked := line.marked(); strings.HasPrefix(line.text, marked+" (") && callsRequest(inline{text: marked}) && asksFor(line) {
		if at := calledBeside.FindStringIndex(line.text[len(marked):]); at != nil && operationHead.MatchString(line.text[len(marked)+at[1]:]) { // "**Sink a cart** (`sinkCart`) — `DeleteItem`"
			return marked, trimmed(line.slice(len(marked)+at[1], len(line.text)))
		}
	}
	at := arrow.FindStringIndex(text)
	if at != nil && !is { // "`GSI1` → the carts of a till"
		label, value = text[:at[0]], inline{line: line.line, text: text[at[1]:]}
	}
	if operation, names := r.asksIndex(b, label, value, listed); names {
		return value.text, inline{line: line.line, text: operation + "`" + strings.Trim(label, "` ") + "`"}
	}
	if listed && b.kind == itemBlock && above != nil && above.level >= itemLevel && above.parent.listsTitles(false) && callsRequest(above.title) && asksFor(line) && r.asksInWords(line) {
		return above.title.text, line // "Query Carts table using till" below "Carts of a till"
	}
	for _, form := range []*lazyregexp.Regexp{placeBehind, behindDash} {
		if behind := form.FindStringSubmatch(text); behind != nil && listed && b.kind == itemBlock && at == nil && !is && titled.MatchString(behind[1]) && !strings.Contains(behind[1], "; ") && asksFor(line) && asksFor(f.heading().title) && !crossed.MatchString(text) && !strings.ContainsAny(text, "⛔🚫❌✗") && !phrase("ofSystem").MatchString(behind[1]) && r.placeAlone(strings.Join(behind[2:], ""), false) {
			return behind[1], inline{line: line.line, text: strings.Join(behind[2:], "")}
		}
	}
	if call := callAhead.FindStringSubmatch(text); call != nil && !is {
		label, value, is = call[1], inline{line: line.line, text: call[2]}, true
	}
	called := is && operationHead.MatchString(label) && strings.HasSuffix(label, ")")
	if called {
		r.request(ahead, label, line.line)
	}
	switch {
	case at != nil && listed && r.comparesKeys(text[:at[0]]) && titled.MatchString(text[at[1]:]) && !r.comparesKeys(text[at[1]:]):
		return text[at[1]:], inline{line: line.line, text: text[:at[0]]} // "`PK = TILL#{id}` → its carts"
	case at != nil && len(r.conditionsOf(text[:at[0]], line.line)) == 0 && !(is && operationHead.MatchString(ticked(value))):
		return text[:at[0]], inline{line: line.line, text: text[at[1]:]}
	case called && len(ahead.Conditions) > 0:
		return value.text, inline{line: line.line, text: label} // "`Query(shop)` — its carts"
	case is && !equals && wordOf(label) == "" && !itemOperation.MatchString(label) && !genericKey.MatchString(label) && (!shortHead.MatchString(label) || operationHead.MatchString(ticked(value))):
		return label, value
	case is && wordOf(label) == wPattern && !listed && r.asksAlone(value): // "Access: `Query pk, sk begins_with X#`" below a kind of item
		return calledBefore(f.heading().title), value
	case b.kind == itemBlock && above != nil && above.level < itemLevel && wordOf(above.title.text) == wPattern && f.heading().topic == noTopic && r.asksAlone(line) && asksFor(line):
		return calledBefore(f.up(func(f *frame) bool { return f.level < labelLevel }).title), line // "`GetItem(PK=CART#{id}, SK=META)`" below "Access:" of a kind of item
	case operationHead.MatchString(text) && (wordOf(f.title.text) == wOperation || above != nil && wordOf(above.title.text) == wOperation):
		return f.up(func(f *frame) bool { return f.level < labelLevel }).sectionTitle(), line
	case listed && above != nil && above.topic == noTopic && wordOf(above.title.text) == "" && (b.kind == itemBlock && above.level >= labelLevel || r.asksBelow(b, above, text)) &&
		slices.ContainsFunc(r.conditionsOf(text, line.line), func(c Condition) bool { return c.Operator == "=" || operationHead.MatchString(text) }) &&
		!slices.ContainsFunc(r.doc.Patterns, func(p *Pattern) bool { return p.Line == above.title.line }):
		if own := f.up(func(f *frame) bool { return f.level < labelLevel }); own != nil && own.topic != topicPatterns && r.fielded[above.parent] {
			above = own // the heading is that of the pattern
		}
		return above.title.text, line // "`GetItem` with `PK = CART#<id>`" below "A cart:"
	case b.kind == itemBlock && above != nil && above.level < labelLevel && route.MatchString(above.title.text) && above.meant() && asksFor(line) && r.asksKeys(line):
		return above.title.text, line // "Query `PK=USER#{id}`" below "GET /me"
	case listed && b.kind == itemBlock && b.frame.parent.listsTitles(false) && operationFor.MatchString(text) && len(operations.FindAllString(text, 2)) == 1 && asksFor(line): // "`Query` by `day`"
		return strings.TrimRight(line.text, "."), line
	}
	return "", inline{}
}

// asksBelow reports whether a line begins with a request, right below the heading of a pattern in a part on access patterns.
func (r *reader) asksBelow(b *block, above *frame, text string) bool {
	return above.level <= labelLevel && above.title.line != b.line && (b.kind == itemBlock || b.first) && above.asks() && above.meant() && above.pattern == nil && callsRequest(above.title) && !phrase("toldOf").MatchString(text) &&
		operationHead.MatchString(text) && !route.MatchString(above.title.text)
}

// asksKeys reports whether a text begins with an operation of DynamoDB by its name, and compares keys by names that only keys have: "Query `id`" may be that of a route.
func (r *reader) asksKeys(text inline) bool {
	p, said := &Pattern{}, ticked(text)
	is, _ := r.request(p, said, text.line)
	return is && p.Operation != "" && len(p.Conditions) > 0 && !slices.ContainsFunc(p.Conditions, func(c Condition) bool { return !genericKey.MatchString(c.Attribute) })
}

// asksInWords reports whether a text is a request with the name of its table or its index, and nothing else: "Query Carts table using till and day".
func (r *reader) asksInWords(text inline) bool {
	p := &Pattern{}
	is, whole := r.request(p, ticked(text), text.line)
	return is && whole && p.Table+p.Index != "" && (p.Operation != "" || len(p.Conditions) > 0)
}

// asksIndex reports whether an item names an index and behind it what is asked of it: in a part on access patterns in words that relate
// things, elsewhere below a title on indexes by an operation: "`by-day`: Query carts by day". It returns the operation.
func (r *reader) asksIndex(b *block, label string, value inline, listed bool) (operation string, is bool) {
	f := b.frame
	above := f.parent
	if above != nil && above.level > itemLevel && !strings.HasSuffix(above.title.text, ":") {
		above = above.heading()
	}
	if b.kind != itemBlock || !r.placeAlone(label, !listed) || operationHead.MatchString(label) || above == nil || !listed && !indexWord.MatchString(above.title.text) || !f.meant() {
		return "", false
	}
	if head := operationHead.FindStringSubmatch(value.text); head != nil && !shortHead.MatchString(head[1]) && !phrase("ofDesign").MatchString(value.text[len(head[0]):]) {
		operation = head[1] + " "
	}
	speaks := asksFor(value) && !phrase("toldOf").MatchString(value.text) && !phrase("unserved").MatchString(value.text) && roleIn(value.text) == "" && len(r.conditionsOf(ticked(value), value.line)) == 0 && len(value.code()) == 0 && titled.MatchString(value.text)
	return operation, speaks && (listed || operation != "") && relates.MatchString(value.text)
}

// placeAlone reports whether a text is an index by its name, or a request, and nothing else: one that another line knows too, but in a list that
// defines indexes.
func (r *reader) placeAlone(text string, defines bool) bool {
	p, bare := &Pattern{}, strings.Trim(ifAbsent.ReplaceAllString(text, ""), "`* ")
	if number := numberAlone.FindString(bare); number != "" && number == bare || isIndexTitle(bare) {
		name, lines := bare, 0
		if called, _ := indexTitle(bare); called != "" {
			name = called
		}
		for _, line := range r.doc.Text {
			if HasWord(line, name) {
				lines++
			}
		}
		return defines || lines > 1 || !slices.ContainsFunc(r.all, func(t *Table) bool { return len(t.Indexes) > 0 }) // or of another store
	}
	is, whole := r.request(p, text, 0)
	return is && whole && (p.Index != "" || len(p.Conditions) > 0 && (p.Operation != "" || genericKey.MatchString(p.Conditions[0].Attribute)) || operationOf(bare) != "" && operationAlone.MatchString(bare))
}

// keyed are the operations that name a key.
var keyed = map[string]bool{"GetItem": true, "Query": true, "UpdateItem": true, "DeleteItem": true}

// partOf reports whether a fence is a part of a pattern and no request: below "Operation:" in a section in which each part of a pattern has such a
// label.
func (r *reader) partOf(b *block) bool {
	f := b.frame
	at := f.up(func(f *frame) bool { return f.level < labelLevel })
	return f.level == labelLevel && at != nil && at.topic != topicPatterns && at.about() == topicPatterns && r.parted[at]
}

// patternField reads "**Operation:** GetItem" and the like under the heading of a pattern.
func (r *reader) patternField(b *block, line inline) bool {
	label, value, equals, is := split(line)
	if !is || equals { // "`PK = CART#<id>`" below "Key:"
		label = ""
	}
	if label == "" && r.overKeys(b) { // "- Query on GSI1" over "- PK = day"
		label, value = string(wOperation), line
	}
	f := b.frame
	if b.alone && f.level <= labelLevel && f.parent != nil && f.isPart() { // "#### Operation" over "GetItem"
		f, label, value = f.parent, f.title.text, line
	} else if b.kind == itemBlock {
		f = f.parent
	} else if label == "" && !b.first && !r.done[line.line-1] {
		return false // the line before it is the title
	}
	return r.patternPart(f, line, label, value)
}

// overKeys reports whether an item of a list is an operation, and at most where it goes, and the next compares keys and does nothing else.
func (r *reader) overKeys(b *block) bool {
	at := slices.Index(r.blocks, b) + 1
	if b.kind != itemBlock || at == len(r.blocks) || !operationHead.MatchString(ticked(b.text)) {
		return false
	}
	below, p := r.blocks[at], &Pattern{}
	is, whole := r.request(p, ticked(b.text), b.line)
	return is && whole && p.Operation != "" && len(p.Conditions) == 0 && below.kind == itemBlock && below.frame.parent == b.frame.parent && r.comparesKeys(ticked(below.text))
}

// calledBefore is a title without the forms of keys behind its dash.
func calledBefore(title inline) string {
	if label, forms, _, is := split(title); is && len(pairItems(forms.text)) > 0 {
		return label
	}
	return title.text
}

// asksAlone reports whether a text begins with a request in backticks that compares a key by more than its name: "`Query pk, sk begins_with X#` — what for".
func (r *reader) asksAlone(text inline) bool {
	marked, p := text.marked(), &Pattern{}
	if marked == "" || !strings.HasPrefix(text.text, marked) || !operationHead.MatchString(marked) {
		return false
	}
	is, whole := r.request(p, marked, text.line)
	return is && whole && slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Value != "" })
}

// patternPart reads a part of the pattern whose title stands above a place: a label with its value, or comparisons of keys alone.
func (r *reader) patternPart(f *frame, line inline, label string, value inline) bool {
	at := f.up(func(f *frame) bool { return f.level < labelLevel })
	if title := f.up(r.calls); title != nil && at != nil && !(howAsked.MatchString(title.title.text) && callsRequest(at.title)) && at.about() == topicPatterns && at.pattern == nil {
		at = title // that of a list
	}
	asks := wordOf(label) == wOperation && operationAlone.MatchString(value.text)
	if at != nil && route.MatchString(at.title.text) {
		asks = asks && certain.MatchString(line.text) // "Operation: Query" may be that of the API
	}
	if at == nil || at.about() != topicPatterns && at.pattern == nil && !asks || at.table != nil && HasWord(at.title.text, at.table.Name) || tablesTitle.MatchString(cleanTitle(at.title.text)) || at.topic == topicPatterns && at.pattern == nil && !numberedPattern.MatchString(at.title.text) {
		return false
	}
	w, p := wordOf(label), at.pattern
	if strings.Contains(label, "(") && operationHead.MatchString(label) { // "Query (by-day): day = .."
		value = inline{line: line.line, text: label + " " + ticked(value)}
	}
	if all := r.keyLineOf(strings.Replace(line.text, "begins_with:", "begins_with", 1), line.line); len(all) > 0 && (p != nil && (len(all) == 1 || len(p.Conditions) == 0) && !slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Attribute == all[0].Attribute && c.Operator == "=" }) || p == nil && r.begins(at, line, all)) { // "GSI1PK: SENDER#{id}"
		if p == nil {
			p = r.begin(at)
		}
		p.Last = max(p.Last, line.line)
		p.Conditions, r.done[line.line] = append(p.Conditions, all...), true
		return true
	}
	if !slices.Contains(fields, w) && w != wPattern && (roles[w] == "" || p == nil || r.done[line.line] || p.unplaced || variable.MatchString(value.text) && !r.keyNames[value.text]) { // or the name of a key, of a table or an index
		return false
	}
	begins := w == wOperation || w == wPattern
	probe := &Pattern{}
	is, _ := r.request(probe, ticked(value), line.line)
	again := p != nil && begins && slices.ContainsFunc(probe.Conditions, func(c Condition) bool {
		return slices.ContainsFunc(p.Conditions, func(o Condition) bool { return o.Attribute == c.Attribute })
	})
	switch {
	case p == nil && (w == wOrder || w == wLimit || w == wFilter || begins && !is || w == wPrimary && !callsRequest(at.title) || w == wTable && tableWord.MatchString(at.title.text)):
		return false
	case p == nil:
		if !begins && !slices.ContainsFunc(probe.Conditions, r.ofKey) {
			at.pattern = r.requestBelow(at)
		}
		if p = at.pattern; p == nil {
			p = r.begin(at)
		}
	case again: // another request below the same title
		p = r.addPattern(r.newPattern(at, at.title.text, line.line, true))
		at.pattern = p
	}
	p.Last = max(p.Last, line.line)
	p.Text += "\n" + line.text
	known := len(p.Conditions)
	r.done[line.line] = r.field(p, w, value, label)
	p.unplaced = p.unplaced || !r.done[line.line] && slices.Contains(fieldOrder[1], w)
	if (w == wPattern || w == wOperation) && len(p.Conditions) > known { // "Query: PK = CART#<id>"
		p.Operation = cmp.Or(p.Operation, operationOf(spell(label)))
	}
	return true
}

// howAsked matches the item of a list that says how the pattern of its heading is asked, over its keys: "Method: a Query on the main table."
var howAsked = lazyregexp.New(`(?i)^(?:method|how|request|implementation|solution): `)

// calls reports whether a place is an item of a list or a label that can be the title of a pattern: it is no word, and does not stand
// among the fields of another one.
func (r *reader) calls(f *frame) bool {
	return f.level >= labelLevel && f.topic == noTopic && wordOf(f.title.text) == "" && !isIndexTitle(ticked(f.title)) && !r.fielded[f.parent]
}

// requestBelow is the last pattern where it stands below a title and has its name: the request right below it.
func (r *reader) requestBelow(at *frame) *Pattern {
	if n := len(r.doc.Patterns); n > 0 {
		if last := r.doc.Patterns[n-1]; last.Line > at.title.line && last.Title == r.newPattern(at, at.title.text, at.title.line, true).Title {
			return last
		}
	}
	return nil
}

// begin is a new pattern with the title of a place.
func (r *reader) begin(at *frame) *Pattern {
	at.pattern = r.addPattern(r.newPattern(at, at.title.text, at.title.line, true))
	return at.pattern
}

var (
	// numberedPattern matches the number before the title of a pattern: "Access pattern 2 – A cart".
	numberedPattern = lazyregexp.New(`^(?:(?i:access |query )?[Pp]atterns?|(?i:use case)) #?(?:[A-Z]{1,3}-?)?(\d+) ?(?:[:.)]|` + dashes + `) `)
	// onPrimary matches what is asked of the table itself: "Order primary-key query".
	onPrimary = lazyregexp.New(`(?i)^(?:[\w-]+ ){0,2}primary[- ]key (\w+)$`)
	// overMembers matches the operation that stands over the members of a request.
	overMembers = lazyregexp.New(`^(?:` + operationWords + `):$`)
	// numberCell matches the number of a pattern in a cell of its own: 3, #3, AP-03.
	numberCell = lazyregexp.New(`^#?(?:[A-Z]{1,3}-?)?(\d+)\.?$`)
	// severalCalled matches a title of several words, or of several things.
	severalCalled = lazyregexp.New(` |s$|[^\x00-\x7f]`)
	// wordsBehind matches a sentence that goes on behind a value.
	wordsBehind = lazyregexp.New("[`}] [a-z]{2,} [a-z]{2,}")
)

// callsRequest reports whether a title can be that of an access pattern: no verdict, no other time, and no part of a system.
func callsRequest(title inline) bool {
	clean := cleanTitle(title.text)
	return titled.MatchString(title.text) && !judged(title.text) && !phrase("otherTime").MatchString(clean) && !(phrase("ofSystem").MatchString(clean) && !getsByTitle.MatchString(clean)) && !isIndexTitle(ticked(title))
}

// begins reports whether comparisons below a title in a part on access patterns are its request: they fix a key by a sign, and no
// other form reads them.
func (r *reader) begins(at *frame, line inline, all []Condition) bool {
	return !r.done[line.line] && at.asks() && at.meant() && all[0].Operator == "=" && strings.Contains(line.text, "=") && severalCalled.MatchString(cleanTitle(at.title.text)) && callsRequest(at.title) && !wordsBehind.MatchString(line.text)
}

var (
	// fields are the words for the parts of a pattern, of which the first six begin one.
	fields = []word{wTable, wIndex, wCondition, wOperation, wSource, wPrimary, wOrder, wLimit, wFilter}
	// fieldOrder are the words for columns of a table of patterns, each after those that tell what it is of.
	fieldOrder = [][]word{{wTable}, {wSource, wIndex}, {wType, wOperation, wCondition, wPrimary}, {wHash, wRange}, {wFilter, wLimit, wOrder}}
)

// field reads a part of a pattern, a cell or what stands behind a label, and returns false where it reads it in part.
func (r *reader) field(p *Pattern, w word, value inline, called string) bool {
	text := ticked(value)
	switch {
	case isNone(value.text):
	case w == wTable, w == wIndex, w == wSource:
		return r.source(p, value, w)
	case w == wType, w == wOperation, w == wPattern, w == wCondition, w == wPrimary:
		if inside := inBraces.FindStringSubmatch(text); inside != nil && (w == wCondition || w == wPrimary) { // "Key: { cartId, day: day }"
			whole := asArguments(inside[1])
			value.text, value.spans = whole[1:len(whole)-1], nil
		} else if w == wCondition || w == wPrimary {
			value.text, value.spans = keyColon.ReplaceAllString(text, "$1$2 = "), nil
		}
		if asked := onPrimary.FindStringSubmatch(text); asked != nil && w == wOperation && operationOf(asked[1]) != "" {
			p.Operation = operationOf(asked[1])
			return true
		}
		is, whole := r.requestIn(p, value)
		if known := len(p.Conditions); !is && (w == wCondition || w == wPrimary) {
			whole = r.arguments(p, value.text, value.line, false) && len(p.Conditions) > known
			if len(p.Conditions) == known+2 && p.Conditions[known].Value+p.Conditions[known+1].Value == "" && (p.Operation == "" || p.Operation == "Query") {
				p.Conditions, whole = p.Conditions[:known+1], false // "PK, SK": how the sort key is compared is not said
			}
		}
		return whole
	case w == wHash, w == wRange:
		return r.keyCell(p, r.tableOf(p.Table), value, w, called)
	case w == wFilter:
		return r.filtered(p, text, value.line)
	case w == wLimit:
		r.limits(p, "limit "+text)
		return strings.Trim(text, "0123456789 ") == ""
	case w == wOrder && phrase("denied").MatchString(text): // "not descending"
		return false
	case w == wOrder:
		r.limits(p, called+": "+text) // "ScanIndexForward: false"
		if attribute, _, is := strings.Cut(text, " "); is && identifier.MatchString(attribute) {
			p.sortedBy = attribute
		}
	}
	return true
}

// inBraces matches the key of an item as an object, each attribute with its value or by its name alone.
var inBraces = lazyregexp.New(`^\{\s*([^{}.]+?),?\s*\}$`)

// spelling is a request that is spelled in lines of a fence.
type spelling struct {
	*Pattern
	values      map[string]string
	expressions []statement
	labels      []string
	// called is set for a call that is a line as a whole.
	called bool
}

// andAhead matches the word before a second comparison, in a line of its own.
var andAhead = lazyregexp.New(`^\s*(?:AND|and) `)

// spelled reads a fence of requests in lines: "Table: ...", "GSI: ...", "PK = ...", the members of a request with the
// values of its placeholders. A comment, an empty line or a line that asks begins another.
func (r *reader) spelled(b *block, above []*block) {
	f, about, whole := b.frame, b.frame.about(), strings.Join(b.code, "\n")
	expressed := spelledKey.MatchString(whole)
	called, _, _ := strings.Cut(f.sectionTitle(), " (")
	over := overMembers.MatchString(strings.TrimSpace(b.code[0])) // "GetItem:"
	asked := expressed || over || slices.ContainsFunc(b.code, askedLine.MatchString) || slices.ContainsFunc(b.code, operationLine.MatchString) && f.meant() || phrase("accessTitle").MatchString(called) && !indexWord.MatchString(f.sectionTitle())
	if heading := f.up(func(f *frame) bool { return f.level < labelLevel }); !expressed && !over && heading != nil && indexWord.MatchString(heading.title.text) && formsAlone(b) {
		return // below the title of an index these are the forms of its keys
	}
	if keys, _ := b.item(); keys != nil || about != topicPatterns && !asked || isIndexTitle(strings.TrimSpace(b.code[0])) && !strings.Contains(b.code[0], "=") ||
		about == topicAttributes && !asked || about == topicEntities || about == topicKeys && wordOf(f.title.text) == wPrimary {
		return
	}
	operation := ""
	if f.requests() { // "Query:" below the heading of an index
		operation, f = operationOf(spell(f.title.text)), f.parent
	}
	title, line, section := f.sectionTitle(), b.line, r.newPattern(f, f.sectionTitle(), 0, true).Title
	if last := len(above) - 1; last >= 0 && above[last].kind == itemBlock && (above[last].frame == f || above[last].frame.parent == f && strings.HasSuffix(above[last].text.text, ":")) {
		title, line = above[last].text.text, above[last].line
	} else if last >= 0 && above[last].kind == headingBlock {
		line = above[last].line // the first below a heading is what the heading asks
	}
	opening, openingLine := title, line // of the first request
	var s *spelling
	var found []*spelling
	begin := func(number int) {
		if s == nil {
			s = &spelling{Pattern: r.newPattern(f, title, line, about == topicPatterns || !expressed), values: map[string]string{}}
			if at := f.heading(); at != nil && at.pattern != nil && len(found) == 0 && len(at.pattern.Conditions) == 0 {
				s.Pattern = at.pattern // "**Access pattern**: Query GSI1" above
			}
			s.from, s.Last, s.Operation = number, number, cmp.Or(s.Operation, operation)
			found = append(found, s)
		}
	}
	for _, each := range b.filled() {
		n, text := each.line-b.line, b.code[each.line-b.line]
		if n > 0 && strings.TrimSpace(b.code[n-1]) == "" && s != nil && len(s.Conditions)+len(s.expressions) > 0 {
			s = nil
		}
		label, value, _, labelled := split(each)
		value.text = strings.TrimRight(value.text, ",")
		w := wordOf(label)
		if spell(label) == "range" {
			w = wCondition
		}
		all := r.keyLineOf(andAhead.ReplaceAllString(text, ""), each.line)
		bound := spelledValue.FindStringSubmatch(each.text)
		comment, asks, assigns := commentLine.FindStringSubmatch(text), askedLine.FindStringSubmatch(text), assigned.FindStringSubmatch(each.text)
		switch {
		case comment != nil && len(spelledKey.FindAllString(whole, 2)) == 1 && (s != nil || !callsNothing(called)): // of the one request
			continue
		case comment != nil:
			if title, line, s = comment[1], each.line, nil; !expressed {
				line++
			}
			if queriesHead.MatchString(title) { // "// Query on GSI1"
				begin(each.line)
				if s.Title = section; len(found) == 1 && len(above) > 0 && above[len(above)-1].kind == itemBlock {
					s.Title, s.Line = r.newPattern(f, opening, s.Line, true).Title, openingLine
				}
				r.request(s.Pattern, title, each.line)
			}
			continue
		case asks != nil && (asks[4] == "" || !strings.EqualFold(asks[1], "get")): // "Get user: ..." is a title
			if s = nil; len(found) > 0 || line == b.line { // the first has the line of its title, if any
				line = each.line
			}
			begin(each.line)
			if s.Text = text; !strings.EqualFold(asks[1], "get") || strings.EqualFold(asks[2], "table") {
				s.Operation = operationOf(asks[1])
			}
			if place := cmp.Or(asks[2], strings.TrimSpace(asks[4])); place != "" && !strings.EqualFold(place, "table") { // "Query: orders.by-day"
				owner, index, _ := strings.Cut(place, ".")
				if of := r.known(owner); of != nil && asks[2] == "" {
					s.Table, place = of.Name, index
				}
				r.indexIn(s.Pattern, r.tableOf(s.Table), place)
			}
			s.Conditions = append(s.Conditions, r.conditionsOf(asks[3]+asks[4], each.line)...)
		case r.asksAhead(each), // "GetItem: PK = .."
			labelled && about == topicPatterns && isIndexTitle(label) && len(r.conditionsOf(value.text, each.line)) > 0, // "GSI1: GSI1PK = ..."
			about == topicPatterns && wholeCall.MatchString(each.text):                                                  // "GetItem(pk: "CART#7")"
			if s = nil; !r.asksAhead(each) {
				line = each.line
			}
			begin(each.line)
			s.called, _ = r.request(s.Pattern, each.text, each.line)
		case queriesHead.MatchString(each.text) && !labelled && s == nil:
			begin(each.line)
			if is, _ := r.request(s.Pattern, each.text, each.line); !is { // "Use by-day"
				r.indexIn(s.Pattern, r.tableOf(s.Table), each.text)
			}
		case n == 0 && over:
			operation = operationOf(strings.TrimSuffix(each.text, ":"))
			continue
		case strings.HasSuffix(each.text, ":") && n == 0:
			title, line = strings.TrimSuffix(each.text, ":"), each.line
			continue
		case labelled && (w == wCondition || w == wFilter) && (strings.HasSuffix(spell(label), "expression") || spell(label) == "keycondition"):
			begin(each.line)
			if w == wCondition {
				s.Operation = cmp.Or(s.Operation, "Query") // no other operation has a key condition
			}
			s.keyed, s.expressions = true, append(s.expressions, statement{label: label, value: value, line: each.line})
		case all != nil:
			begin(each.line)
			s.Conditions = append(s.Conditions, all...)
		case labelled && slices.Contains(fields, w):
			if begin(each.line); slices.Contains(s.labels, label) {
				return // two requests, and no line between them
			}
			s.labels = append(s.labels, label)
			r.field(s.Pattern, w, value, label)
		case assigns != nil && strings.ContainsAny(assigns[2][:1], "\"'") && !expressed && !notAttributes.MatchString(assigns[1]):
			return // an item: no request gives another attribute a text, created_at = "2026-02-19T10:30:00Z"
		case labelled && s != nil && boundValue.MatchString(value.text): // ExpressionAttributeValues: { ":day": `DAY#${day}` }
			for _, match := range boundValue.FindAllStringSubmatch(value.text, -1) {
				s.values[match[1]] = quotedValue(match[2])
			}
		case bound != nil && s != nil:
			if s.values[bound[1]] = "\"" + unquoted(bound[2]) + "\""; ofProgram.MatchString(b.lang) {
				s.values[bound[1]] = quotedValue(bound[2]) // there a bare word is a variable
			}
		case labelled && s != nil && (expressed || len(s.labels) > 1):
			r.unread(each.line, each.text, "no form reads a line of that label in an access pattern")
		case !expressed && (s == nil || labelled && identifier.MatchString(label) && w == "" && !limitWord.MatchString(each.text) && !notAttributes.MatchString(label)):
			return // an item, with its other attributes
		case s != nil:
			r.limits(s.Pattern, text)
			continue
		}
		if s != nil {
			s.Last, s.Text = each.line, s.Text+"\n"+text
		}
	}
	for _, s := range found {
		for _, e := range s.expressions {
			r.expressed(s.Pattern, filled(e.value.text, s.values), e.line, wordOf(e.label) == wFilter)
		}
		if ofSeveralItems.MatchString(s.Title) {
			s.Conditions = slices.DeleteFunc(s.Conditions, func(c Condition) bool { // "SK: ORDER#{id}" is what each of all has
				return c.Operator == "=" && roleOfName(c.Attribute) == Range && len(c.Value.Parameters()) > 0 && strings.Contains(r.doc.Line(c.Line), c.Attribute+":")
			})
		}
		asked := slices.ContainsFunc(s.Conditions, func(c Condition) bool { return !c.Filter }) || s.Operation != "" // more than a filter
		if len(s.Conditions) > 0 && asked || len(s.labels) > 1 || s.called {
			if at := f.heading(); s.Title == section && (len(s.expressions) > 0 || len(s.labels) > 1) && (s.Listed || !callsNothing(called)) && at != nil && at.level < labelLevel && at.title.line > b.line-8 {
				s.Line = at.title.line
			}
			r.addPattern(s.Pattern)
			r.covered(b, s.from-b.line, s.Last-b.line)
		}
	}
}

// isQuoted reports whether a text has a name in quotes.
func isQuoted(text, name string) bool {
	return strings.Contains(text, `"`+name+`"`) || strings.Contains(text, "'"+name+"'")
}

// forTools matches a comment that is for a linter or for who works on the code, or that is on what comes back.
var forTools = lazyregexp.New(`(?i)^(?:aws[ -]sdk|using (?:the )?(?:aws[ -])?sdk|sdk v\d|todo|fixme|xxx|hack|eslint|tslint|prettier|biome|nolint|noqa|pylint|type: ignore|@ts-|returns?\b|results?\b|output|response|note\b)`)

// callsNothing reports whether a title is a word of the field or a topic, and calls no pattern: "Access pattern", "Query examples".
func callsNothing(title string) bool { return wordOf(title) != "" || topicOf(title) != noTopic }

// commentOver is the comment right above a line of a fence, or above the statement or the function that it stands in, that says in words what that is
// for; empty where there is none.
func (b *block) commentOver(n int) string {
	indent := func(n int) int { return len(b.code[n]) - len(strings.TrimLeft(b.code[n], " \t")) }
	for n > 0 && n < len(b.code) {
		if comment := commentLine.FindStringSubmatch(b.code[n-1]); comment != nil {
			if !titled.MatchString(comment[1]) || strings.ContainsAny(comment[1], "={};") || judged(comment[1]) || forTools.MatchString(comment[1]) {
				return ""
			}
			return strings.TrimRight(comment[1], ":")
		}
		inside := indent(n)
		for n--; n > 0 && (strings.TrimSpace(b.code[n]) == "" || indent(n) >= inside); n-- {
		}
	}
	return ""
}

// keyLineOf reads the comparisons that a line is as a whole: "SK begins_with ORDER#", "SK: begins_with("ORDER#");",
// "PK = SHOP#{id} AND SK > {day}".
func (r *reader) keyLineOf(text string, line int) []Condition {
	if all, rest := conditions(text, line); len(all) > 1 && keyRest.MatchString(strings.ReplaceAll(rest, compared, "")) && r.ofKey(all[0]) {
		return all
	}
	match := keyLineForm.FindStringSubmatch(text)
	if match != nil {
		match[3] = operatorWord.ReplaceAllStringFunc(match[3], strings.ToLower)
	}
	if match == nil || !r.keyNames[match[1]] && !genericKey.MatchString(match[1]) || match[2] == "" && !operatorHead.MatchString(match[3]) || match[2] != "" && match[3][0] == '=' {
		return nil
	}
	if match[2] != "" && numberOf(match[1]) != "" && roleOfName(match[1]) == Range && placeholder.MatchString(match[3]) && !operatorHead.MatchString(match[3]) {
		return nil // "GSI1SK: DAY#{day}#{id}" is what the items have, and no request
	}
	if c, _, is := ofAttribute(match[1], match[3], line); is {
		return []Condition{c}
	}
	return nil
}

// ofAttribute is the condition that a text gives for an attribute: a value, with an operator before it or behind it, or with a sign for what
// follows. The rest is what else it says.
func ofAttribute(name, text string, line int) (c Condition, rest string, is bool) {
	text = operatorWord.ReplaceAllStringFunc(text, strings.ToLower)
	whole := strings.Trim(text, "`")
	head, behind := operatorHead.FindStringSubmatch(text), prefixBehind.FindStringIndex(whole)
	switch {
	case behind != nil && (head == nil || head[1] == "<"):
		whole = "begins_with " + whole[:behind[0]]
	case head == nil, head[1] == "<" && angled.MatchString(whole):
		whole = "= " + whole
	case head[1] == "begins_with":
		whole = strings.Replace(whole, "(", " ", 1)
	}
	found, rest := conditions(name+" "+whole, line)
	rest = strings.Trim(strings.ReplaceAll(rest, compared, ""), "` )")
	if len(found) != 1 {
		return c, rest, false
	}
	return found[0], rest, true
}

// ofOtherTable gives a pattern the one table that has an index of its name with the partition key that it compares, where that of its place has
// neither.
func (r *reader) ofOtherTable(p *Pattern) {
	serves := func(t *Table) bool {
		index, is := first(t.Indexes, func(x *Index) bool { return x.names(p.Index) })
		if !is {
			return false
		}
		hash, _ := index.Key(Hash)
		return !genericKey.MatchString(hash.Name) && slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Attribute == hash.Name })
	}
	all, own := slices.DeleteFunc(slices.Clone(r.all), func(t *Table) bool { return !serves(t) }), r.tableOf(p.Table)
	if len(all) != 1 || own == nil || own == all[0] || slices.ContainsFunc(own.Indexes, func(x *Index) bool { return x.names(p.Index) }) || slices.ContainsFunc(p.Conditions, func(c Condition) bool { _, is := own.AnyKey(c.Attribute); return is }) {
		return
	}
	p.Table = all[0].Name
}

// askedPlace is an index of a table, by the name that requests have for it.
type askedPlace struct {
	table *Table
	index string
}

// askedName matches a word that can be the name of an attribute: no constant, and no form.
var askedName = lazyregexp.New(`^[a-z]\w*$`)

// impliedIndexes reads the keys of an index that a table of patterns alone names: what all its rows
// compare by equality is the partition key, for DynamoDB takes no other, and what they compare
// beside it is the sort key. So it is for an index of which no line gives the keys, where a key condition expression compares them.
// "PK = status" of such an index compares no key of the table, and which of its own is not said.
func (r *reader) impliedIndexes() {
	r.doc.Loose = slices.DeleteFunc(r.doc.Loose, r.adopted)
	r.rolesAsked()
	asking, order := map[askedPlace][]*Pattern{}, []askedPlace{}
	for _, p := range r.doc.Patterns {
		name := askedPlace{r.tableOf(p.Table), p.Index}
		inWords := slices.ContainsFunc(p.Conditions, func(c Condition) bool { return roles[word(c.Attribute)] != "" }) // by the role of a key, and not by its name
		if p.Index == "" || name.table == nil || len(p.Conditions) == 0 || inWords {
			continue
		}
		index, is := name.table.Index(p.Index)
		p.apart = p.apart || p.Listed && (!is || len(index.Keys) == 0) && slices.ContainsFunc(p.Conditions, func(c Condition) bool {
			return len(c.Attribute) == 2 && roleOfName(c.Attribute) != "" && askedName.MatchString(strings.Trim(cmp.Or(string(c.Value), c.written, c.word), "{}"))
		})
		if !is && p.Listed || is && len(index.Keys) == 0 && p.keyed && p.Operation == "Query" {
			if asking[name] == nil {
				order = append(order, name)
			}
			asking[name] = append(asking[name], p)
		}
	}
	for _, name := range order {
		all, hashes, sorts := asking[name], map[string]bool{}, map[string]bool{}
		for _, p := range all {
			for _, c := range p.Conditions {
				if !c.Filter && c.Operator == "=" && (len(p.Conditions) == 1 || numberOf(c.Attribute) != "" && roleOfName(c.Attribute) == Hash) {
					hashes[c.Attribute] = true
				}
			}
		}
		if first := all[0].Conditions; len(hashes) == 0 && len(first) == 2 && first[1].Operator != "=" {
			hashes[first[0].Attribute] = true
		}
		for _, p := range all {
			for _, c := range append(slices.Clone(p.Conditions), Condition{Attribute: p.sortedBy}) {
				if !c.Filter && c.Attribute != "" && !hashes[c.Attribute] {
					sorts[c.Attribute] = true
				}
			}
		}
		hash, sort := strings.Join(slices.Collect(maps.Keys(hashes)), ""), strings.Join(slices.Collect(maps.Keys(sorts)), "")
		role := len(hash) == 2 && genericKey.MatchString(hash)                                   // or the name of a role
		if len(hashes) == 1 && len(sorts) < 2 && (sort != "" || numberOf(hash) == "") && !role { // GSI1PK goes with another key; rows that say different things say nothing
			keys := inOrder(hash, sort)
			for i := range keys {
				for _, p := range all {
					for _, c := range p.Conditions {
						if c.Attribute == keys[i].name {
							keys[i].line = cmp.Or(keys[i].line, c.Line)
						}
					}
				}
			}
			r.keyIndex(name.table, name.index, all[0].At, keys...)
		}
	}
	r.learnKeys()
}

// rolesAsked reads the keys of an index of which no line gives any where requests give its roles the attributes of its table that it is called after, or that
// its table lists: "PK = flag" of FlagIndex. In a document with keys such as GSI1PK it may be the value of one.
func (r *reader) rolesAsked() {
	if slices.ContainsFunc(r.doc.Text, func(line string) bool { return numberedName.MatchString(line) }) {
		return
	}
	given, order, taken, refused := map[askedPlace][2]string{}, []askedPlace{}, map[askedPlace]*Pattern{}, map[askedPlace]bool{}
	for _, p := range r.doc.Patterns {
		at := askedPlace{r.tableOf(p.Table), p.Index}
		if at.index == "" || at.table == nil || !p.Listed {
			continue
		}
		if index, is := at.table.Index(p.Index); is && len(index.Keys) > 0 {
			continue
		}
		var names [2]string
		for _, c := range p.Conditions {
			role := slices.Index([]string{Hash, Range}, roleOfName(c.Attribute))
			if name := cmp.Or(strings.Trim(string(c.Value), "{}"), c.word); role >= 0 && len(c.Attribute) == 2 && c.Operator == "=" && askedName.MatchString(name) {
				names[role] = name
			} else if role >= 0 { // "SK begins_with price": which attribute that is is not said
				refused[at] = true
			}
		}
		if known, again := given[at]; again {
			for i := range names {
				if names[i] != "" && known[i] != "" && names[i] != known[i] || i == 0 && names[i] == "" {
					names = [2]string{} // which of them, or another value of it, is not said
					break
				}
				names[i] = cmp.Or(names[i], known[i])
			}
		} else {
			order, taken[at] = append(order, at), p
		}
		given[at] = names
	}
	for _, at := range order {
		names := given[at]
		listed := func(name string) bool {
			return slices.ContainsFunc(r.doc.Entities, func(e *Entity) bool { _, is := e.Attribute(name); return is && e.Table == at.table })
		}
		first, _, _ := strings.Cut(names[0], "_")
		called := len(first) > 2 && strings.HasPrefix(Plain(at.index), Plain(camelHead.FindString(first)))
		if names[0] != "" && !refused[at] && !genericKey.MatchString(names[0]) && (listed(names[0]) || called) {
			r.keyIndex(at.table, at.index, taken[at].At, inOrder(names[0], names[1])...)
		}
	}
}

var (
	// numberedName matches the name of a key of an index that has its number in it.
	numberedName = lazyregexp.New(`(?i)\b(?:gsi|lsi)_?\d+_?[ps]k\b`)
	// camelHead matches the first word of a name.
	camelHead = lazyregexp.New(`^[a-z]+`)
)

// indexBy is the one index through which a Query by the partition key of an index can go, "" for none.
func (t *Table) indexBy(p *Pattern) string {
	all := slices.DeleteFunc(slices.Clone(t.Indexes), func(x *Index) bool {
		hash, has := x.Key(Hash)
		_, own := t.KeyNamed(hash.Name)
		return !has || own || !slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Attribute == hash.Name && c.Operator == "=" })
	})
	if len(all) != 1 || p.Operation != "" && p.Operation != "Query" {
		return "" // which of several is not said
	}
	return all[0].Name
}

// numberedBy is the index whose number the keys of a request have in their names, where the document calls it so: GSI1 of GSI1PK.
func (r *reader) numberedBy(p *Pattern) string {
	number := ""
	for _, c := range p.Conditions {
		if own := numberOf(c.Attribute); roleOfName(c.Attribute) == Hash && !c.Filter && slices.ContainsFunc(r.doc.Text, func(line string) bool { return HasWord(line, own) }) {
			number = own
		}
	}
	return number
}

// givesTableKey reports whether a request gives the partition key of its table, by its name or as PK, and keys of an index as well.
func (p *Pattern) givesTableKey(table *Table) bool {
	hash, _ := table.Key(Hash)
	return slices.ContainsFunc(p.Conditions, func(c Condition) bool {
		return !c.Filter && (c.Attribute == hash.Name || len(c.Attribute) == 2 && roleOfName(c.Attribute) == Hash)
	}) && slices.ContainsFunc(p.Conditions, func(c Condition) bool { return numberOf(c.Attribute) != "" })
}

// adopted gives an index of which no line says the table to the one table through which patterns read it.
func (r *reader) adopted(x *Index) bool {
	var all []*Table
	for _, p := range r.doc.Patterns {
		if table := r.tableOf(p.Table); table != nil && x.names(p.Index) && !slices.Contains(all, table) {
			all = append(all, table)
		}
	}
	if len(all) != 1 {
		return false
	}
	if of := all[0]; !slices.ContainsFunc(of.Indexes, func(own *Index) bool { return own.names(x.Name) }) {
		of.Indexes = append(of.Indexes, x)
		r.doc.Unread = slices.DeleteFunc(r.doc.Unread, func(u Unread) bool { return u.Line == x.Line && u.Why == noTableOf })
	}
	return true
}

// place are the index and the keys through which a pattern reads a table.
func (p *Pattern) place(table *Table) (index *Index, keys []Key) {
	if table == nil {
		return nil, nil
	}
	keys = table.Keys
	if p.Index != "" {
		is := false
		if index, is = first(table.Indexes, func(x *Index) bool { return x.names(p.Index) }); !is {
			return nil, nil
		}
		keys = index.Keys
	}
	if slices.ContainsFunc(keys, func(k Key) bool { return k.disputed }) {
		return index, nil // of which none is certain
	}
	return index, keys
}

// severalPrefixes matches several values of which a sort key begins with one.
var severalPrefixes = lazyregexp.New("(?i)begins?[_ ]?with\\b[^|;`]{0,20}`[^`]+` ?(?:/|\\||,|or|and) ?`")

// scans matches what says of a request that it is a Scan: "(using scan + filter)", "Full table scan".
var scans = lazyregexp.New(`(?i)\((?:using |by |with |via )?(?:an? )?(?:full )?(?:table )?scan\b|: (?:full )?table scan\b|\b(?:using|via) (?:an? )?(?:full )?(?:table )?scan\b`)

// resolve gives the conditions of a pattern the names of the keys where it gives their roles:
// "PK = status" of an index whose partition key is status.
func (r *reader) resolve(p *Pattern) {
	if p.Table == "" && p.Index != "" {
		r.indexIn(p, nil, p.Index)
	}
	for i, c := range p.Conditions {
		if of, name, dotted := strings.Cut(c.Attribute, "."); dotted && (p.Table == "" || p.Table == of) && r.tableOf(of) != nil { // "Orders.id = ?"
			p.Table, p.Conditions[i].Attribute = of, name
		}
	}
	if p.Table == "" && p.Index == "" && !p.apart && !ofOther(inline{text: p.Title}) && !phrase("besideOurs").MatchString(p.Title) {
		p.Table = r.ofItems(p)
	}
	table := cmp.Or(r.tableOf(p.Table), &Table{})
	if ofTable := p.givesTableKey(table); p.Index == "" && !ofTable && (p.Listed || p.Called == 0) {
		p.Index = cmp.Or(table.indexBy(p), r.numberedBy(p))
	} else if ofTable && p.Index == "" { // what a write gives the item: the keys of indexes are none of the request
		p.Conditions = slices.DeleteFunc(p.Conditions, func(c Condition) bool { return numberOf(c.Attribute) != "" })
	}
	index, keys := p.place(table)
	if index != nil {
		p.Index = index.Name
	}
	own := func(name string) bool { return slices.ContainsFunc(keys, func(k Key) bool { return k.Name == name }) }
	if p.Operation+p.Index == "" && p.Listed && scans.MatchString(withoutScanOrder(p.Text)) {
		p.Operation = "Scan"
	}
	if p.Operation+p.Index == "" && len(keys) > 0 && len(p.Conditions) > 0 && !slices.ContainsFunc(p.Conditions, func(c Condition) bool {
		return own(c.Attribute) || r.ofKey(c) || roles[wordOf(c.Attribute)] != "" || c.Filter
	}) {
		r.unread(p.Conditions[0].Line, strings.TrimSpace(r.doc.Line(p.Conditions[0].Line)), "no form tells what these comparisons are for, of which none is of a key")
		if filterWord.MatchString(p.Title) {
			for i := range p.Conditions {
				p.Conditions[i].Filter = true
			}
		} else {
			p.Conditions = nil // what the item gets
		}
	}
	_, simple := keyOf(keys, Hash)
	if _, has := keyOf(keys, Range); has || !slices.ContainsFunc(p.Conditions, func(c Condition) bool { return roleOfName(c.Attribute) == Range && len(c.Attribute) == 2 }) {
		simple = false // or a sort key is asked for, and there is none: the roles are those of another table
	}
	for i := range p.Conditions {
		c := &p.Conditions[i]
		key, has := keyOf(keys, roles[wordOf(c.Attribute)])
		_, other := table.AnyKey(c.Attribute)
		if has && !simple && !own(c.Attribute) && !(other && index == nil) && (p.Listed || !genericKey.MatchString(c.Attribute)) {
			if c.Attribute = key.Name; string(c.Value) == key.Name && !(isQuoted(r.doc.Line(c.Line), key.Name) && phrase("fixedValue").MatchString(r.doc.Line(key.Line))) || c.Value == itself(key.Name) {
				c.Value, c.written = "", ""
			}
		}
		if own(c.Attribute) && string(c.Value) == c.Attribute && !isQuoted(r.doc.Line(c.Line), c.Attribute) {
			c.Value, c.written = "", "" // the attribute itself
		}
		if c.Value == "" && c.word != "" && c.Operator == "=" && r.isListed(c.word) {
			c.Value = Template(c.word)
		}
		if c.Value == "" && strings.Contains(c.written, "#") {
			c.Value = r.asItems(table, *c)
		}
		if c.Value == "" && p.Listed && strings.Contains(r.doc.Line(c.Line), "#") && !strings.HasPrefix(c.Operator, "attribute_") {
			r.unread(c.Line, strings.TrimSpace(r.doc.Line(c.Line)), "of a value in this access pattern no form tells what is literal in it")
		}
	}
	for i := range p.Conditions {
		p.Conditions[i].Filter = p.Conditions[i].Filter || p.Operation == "Scan" // which has no key condition
	}
	if !p.keyed && (p.Operation == "Query" || p.Operation == "") && slices.ContainsFunc(p.Conditions, func(c Condition) bool { return own(c.Attribute) }) {
		for i := range p.Conditions {
			c := &p.Conditions[i]
			_, is := table.AnyKey(c.Attribute)
			c.Filter = c.Filter || !is && !r.ofKey(*c) // beside the keys, and of none
		}
	}
	sort, _ := keyOf(keys, Range)
	r.ordered(p, sort.Name)
	disputed := index == nil && slices.ContainsFunc(table.Keys, func(k Key) bool { return k.disputed })
	p.Conditions = slices.DeleteFunc(p.Conditions, func(c Condition) bool {
		key, is := table.AnyKey(c.Attribute)
		switch {
		case p.apart && len(c.Attribute) == 2 && roleOfName(c.Attribute) != "":
			return true // the role of a key of which no line is read
		case c.Operator == "begins_with" && c.Value == "" && severalPrefixes.MatchString(r.doc.Line(c.Line)):
			r.unread(c.Line, strings.TrimSpace(r.doc.Line(c.Line)), "one of several prefixes, each of which is a request")
			return true
		case disputed && !is && len(c.Attribute) == 2 && roleOfName(c.Attribute) != "":
			r.unread(c.Line, strings.TrimSpace(r.doc.Line(c.Line)), "the role of a key of "+table.Called()+", of which lines say different things")
			return true
		case is && key.Type == "N" && capitals.MatchString(string(c.Value)), roles[word(c.Attribute)] != "":
			return true // "timestamp = MAX" names no value, and of an unknown place no key is known
		case p.Listed && !is && writes.MatchString(p.Operation) && !r.ofKey(c):
			r.unread(c.Line, strings.TrimSpace(r.doc.Line(c.Line)), "no form tells what a comparison of "+c.Attribute+" is for in a write")
			return true
		}
		return false
	})
	if p.verb && p.Operation != "PutItem" && (index != nil || slices.ContainsFunc(keys, func(k Key) bool {
		return !slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Attribute == k.Name && c.Operator == "=" })
	})) {
		p.Operation = "" // of one key of two: no GetItem
	}
	if p.Operation == "" && p.Listed && index != nil && strings.HasPrefix(p.Title, "Query ") {
		p.Operation = "Query"
	}
	if p.Operation == "" && p.Listed && r.onlyQueried(p, index) {
		p.Operation, p.Implied = "Query", true
	}
	hash, has := keyOf(keys, Hash)
	_, fixed := first(p.Conditions, func(c Condition) bool { return c.Attribute == hash.Name && !c.Filter })
	switch {
	case has && !fixed && p.Listed && (p.Operation == "Query" || p.Operation == "" || p.Operation == "GetItem" || len(p.Conditions) > 0):
		r.unread(p.Line, p.Title, "no form reads the value of the partition key "+hash.Name+" of this access pattern")
	case !has && p.Listed && keyed[p.Operation] && !slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Operator == "=" && !c.Filter }):
		r.unread(p.Line, p.Title, "no form reads the key condition of this access pattern")
	case p.Operation == "" && p.Listed:
		r.unread(p.Line, p.Title, "no form reads the operation of this access pattern")
	}
}

// isListed reports whether a line lists a word as one of the values of an attribute: "draft | published", "`draft` / `published`". The name of an attribute is none.
func (r *reader) isListed(word string) bool {
	if r.keyNames[word] || !wordSegment.MatchString(word) || slices.ContainsFunc(r.doc.Entities, func(e *Entity) bool { _, is := e.Attribute(word); return is }) {
		return false
	}
	if r.values == nil {
		r.values = map[string]bool{}
		for _, line := range r.doc.Text {
			for _, list := range valuesListed.FindAllString(line, -1) {
				words := valuesApart.Split(list, -1)
				for n, each := range words {
					behind := n > 0 && endsInWord.MatchString(words[n-1])
					before := n+1 < len(words) && beginsWithWord.MatchString(words[n+1])
					r.values[each] = r.values[each] || behind || before
				}
			}
		}
	}
	return r.values[word]
}

var (
	// valuesListed matches words with bars or slashes between, and valuesApart what stands between two.
	valuesListed = lazyregexp.New("[\\w-]+(?:[\"'`]? ?[|/] ?[\"'`]?[\\w-]+)+")
	valuesApart  = lazyregexp.New("[\"'`]? ?[|/] ?[\"'`]?")
	// endsInWord and beginsWithWord match a neighbour in a list that is no number and no constant.
	endsInWord     = lazyregexp.New(`[a-z]$`)
	beginsWithWord = lazyregexp.New(`^[a-z]`)
)

// ordered takes the form of a sort key for no comparison where a request asks for an order, or for several items: those with one whole key are one.
// The key is called so, or has the name of its role.
func (r *reader) ordered(p *Pattern, sort string) {
	at := slices.IndexFunc(p.Conditions, func(c Condition) bool {
		return (c.Attribute == sort || roleOfName(c.Attribute) == Range) && c.Operator == "=" && len(c.Value.Parameters()) > 0
	})
	if at < 0 || !p.Listed || len(p.Conditions) != 2 || p.Operation != "" && p.Operation != "Query" || p.Order == "" && p.Limit < 2 {
		return
	}
	r.unread(p.Line, p.Title, "no form tells how "+p.Conditions[at].Attribute+" is compared, whose form stands beside an order")
	p.Conditions = slices.Delete(slices.Clone(p.Conditions), at, at+1)
	p.Operation, p.Implied = "Query", p.Operation == ""
}

// onlyQueried reports whether only a Query can be asked what a pattern says: of all operations it alone compares a sort key by more than equality, it
// alone goes through an index by the value of a partition key, and it alone has an order or a limit beside a key. A title of a write asks something else.
func (r *reader) onlyQueried(p *Pattern, index *Index) bool {
	ranged, hashed := false, false
	for _, c := range p.Conditions {
		several := c.Operator == "=" && (p.Order != "" || p.Limit > 0) || c.Operator != "=" && !strings.HasPrefix(c.Operator, "attribute_") && c.Operator != "contains"
		ranged = ranged || !c.Filter && several && r.ofKey(c)
		if index != nil {
			hash, _ := index.Key(Hash)
			hashed = hashed || c.Attribute == hash.Name && c.Operator == "=" && !c.Filter
		}
	}
	return (ranged || hashed) && (phrase("reads").MatchString(p.Title) || !phrase("changes").MatchString(p.Title))
}

// ofItems is the only table with a kind of item that has the values of a request, GetItem("CART#{id}", "META"), as its keys; "" for none.
func (r *reader) ofItems(p *Pattern) string {
	given := map[string]Template{}
	for _, c := range p.Conditions {
		if role := roles[wordOf(c.Attribute)]; role != "" && c.Operator == "=" && !c.Filter {
			given[role] = c.Value
		}
	}
	var all []*Table
	for _, e := range r.doc.Entities {
		fits := given[Hash].Prefix() != "" && !slices.Contains(all, e.Table)
		for role, value := range given {
			key, _ := e.Table.Key(role)
			own, has := e.Key(key.Name)
			fits = fits && has && own.Template.Shape() == value.Shape()
		}
		if fits {
			all = append(all, e.Table)
		}
	}
	unread := func(t *Table) bool { // a table whose items may have the same values
		hash, _ := t.Key(Hash)
		return genericKey.MatchString(hash.Name) && !slices.ContainsFunc(r.doc.Entities, func(e *Entity) bool { return e.Table == t })
	}
	if len(all) != 1 || slices.ContainsFunc(r.all, unread) {
		return ""
	}
	return all[0].Name
}

// asItems is a value in the form that the items' keys have, where it fits one form alone: of USER#user#OPEN a line of the
// items tells what is literal. It is empty where none does.
func (r *reader) asItems(table *Table, c Condition) (found Template) {
	var forms []EntityKey
	for _, e := range r.doc.Entities {
		if e.Table == table {
			forms = append(forms, e.Keys...)
		}
	}
	for _, x := range table.Indexes {
		forms = append(forms, x.Templates...)
	}
	given := strings.Split(c.written, "#")
	for _, form := range forms {
		own := strings.Split(string(form.Template), "#")
		if form.Attribute != c.Attribute || len(own) < len(given) || c.Operator == "=" && len(own) > len(given) {
			continue
		}
		own = own[:len(given)]
		for i := range given {
			if last := i == len(given)-1 && given[i] == ""; last {
				own[i] = ""
			} else if !Template(own[i]).Matches(given[i]) {
				own = nil
				break
			}
		}
		if one := Template(strings.Join(own, "#")); one != "" && found != "" && one.Shape() != found.Shape() {
			return ""
		} else if one != "" {
			found = one
		}
	}
	return found
}

// String writes a condition as DynamoDB's expressions do.
func (c Condition) String() string {
	switch c.Operator {
	case "begins_with", "contains":
		return strings.TrimSpace(c.Operator + "(" + strings.Join([]string{c.Attribute, string(c.Value)}, ", ") + ")")
	case "attribute_exists", "attribute_not_exists":
		return c.Operator + "(" + c.Attribute + ")"
	case "BETWEEN":
		return c.Attribute + " BETWEEN " + string(c.Value) + " AND " + string(c.High)
	}
	return c.Attribute + " " + c.Operator + " " + string(c.Value)
}
