package reader

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Requests in code, as the SDKs of JavaScript, Python and Go write them: the operation, and what
// its own members say.

// memberForm is what stands behind the name of a member that is a text.
const memberForm = "[\"']?\\s*[:=]\\s*(?:aws\\.String\\()?f?(\"[^\"]*\"|'[^']*'|`[^`]*`)"

// codeValueForm is a value in a program: a text, a text with a variable, or a variable.
const codeValueForm = "(?:\\{\\s*[\"']?[SN][\"']?\\s*:\\s*|&types\\.AttributeValueMember[SN]\\{Value:\\s*)?(fmt\\.Sprintf\\([^)]*\\)|f?\"[^\"]*\"(?: *\\+ *[\\w.]+)?|f?'[^']*'(?: *\\+ *[\\w.]+)?|`[^`]*`|[\\w.]+[\\[(]?)"

var (
	sdkCall = lazyregexp.New(`\bnew (` + commandWords + `)(?:Items?)?Command\s*\(|\b\w+\.(get_item|getItem|GetItem|get|put_item|putItem|PutItem|put|update_item|updateItem|UpdateItem|update|delete_item|deleteItem|DeleteItem|delete|query|Query|scan|Scan|batch_get_item|BatchGetItem|batchGet|batch_write_item|BatchWriteItem|batchWrite|transact_write_items|TransactWriteItems|transactWrite)\s*\(|&dynamodb\.(Get|Put|Update|Delete|Query|Scan)(?:Item)?Input\{|\b(GetItem|PutItem|UpdateItem|DeleteItem) ?\{|\b(GetItem|PutItem|UpdateItem|DeleteItem|Query|Scan)\(|(?m:^[ \t]*)(get_item|update_item|delete_item|query|scan)\(|\baws dynamodb (get-item|put-item|update-item|delete-item|query|scan)\b`)
	// forOperators matches the commands that name no key: they are for who looks after the table, but in a part on access patterns.
	forOperators  = lazyregexp.New(`^aws dynamodb (?:scan|put-item)`)
	shellCommand  = lazyregexp.New(`(?m)^aws `)
	scanOfTable   = lazyregexp.New(`^\w*[tT]able\.scan\b`)
	spelledKey    = regexp.MustCompile(`(?m)^\s*KeyCondition(?:Expression)?\s*:`)
	spelledValue  = lazyregexp.New("^[\"'`]?(:\\w+)[\"'`]?\\s*[=:]\\s*(\"[^\"]*\"|'[^']*'|`[^`]*`|\\S+?),?$")
	requestMember = lazyregexp.New(`\b(?:TableName|KeyConditionExpression|IndexName|Key|Item|RequestItems|TransactItems)["']?\s*[:=]`)
	requestAlone  = lazyregexp.New(`\b(?:TableName|KeyConditionExpression|IndexName|RequestItems|TransactItems)["']?\s*[,:=}]`) // and not Key, which others have too
	tableMember   = lazyregexp.New(`\bTableName` + memberForm)
	indexMember   = lazyregexp.New(`\bIndexName` + memberForm)
	keyMember     = lazyregexp.New(`\bKeyConditionExpression` + memberForm)
	filterMember  = lazyregexp.New(`\bFilterExpression` + memberForm)
	// viaTool matches a title that says by what a request is made.
	viaTool = lazyregexp.New(`(?i)^(?:via|using|with|through|by) (?:the )?(?:aws )?(?:sdk|cli|console|boto3)\b`)
	// exampleOf matches what calls an example of a query before it says what it finds.
	exampleOf = lazyregexp.New(`(?i)^(?:(?:query|request) )?examples?(?::| [-–—]) +`)
	// ofCodeAlone matches the label of code that does not say what the code finds: "Query example", "Código TypeScript".
	ofCodeAlone = lazyregexp.New(`(?i)^(?:(?:query|request|expression|update expression|code|sample|example|implementation|dynamodb|aws|sdk|cli|typescript|javascript|python|node\.?js|go|java|boto3|c[óo]digo|ejemplo|exemplo|de|en|em|in) ?)+(?:\([^()]*\))?$`)
	builderKey  = lazyregexp.New(`\bKeyConditionExpression\s*=\s*((?:\w+\.)*Key\(.*)`)
	// keyRest matches what is left of a key condition of which all comparisons are read.
	keyRest       = lazyregexp.New("(?i)^(?:and\\b|[\\s,()`\"'.;&\\\\])*$")
	builderFilter = lazyregexp.New(`\bFilterExpression\s*=\s*((?:\w+\.)*Attr\(.*)`)
	boundValue    = lazyregexp.New("[\"'`]?(:\\w+)[\"'`]?\\s*:\\s*" + codeValueForm)
	keyEntry      = lazyregexp.New("[\"']?([\\w#]+)[\"']?\\s*:\\s*" + codeValueForm)
	boundName     = lazyregexp.New("[\"'`](#\\w+)[\"'`]\\s*:\\s*[\"'`]([^\"'`]+)[\"'`]")
	// keyShort matches a key whose values are variables of the same names.
	keyShort      = lazyregexp.New(`^\{\s*[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*\s*,?\s*\}$`)
	inKeyShort    = lazyregexp.New(`(\w+)`)
	keyObject     = lazyregexp.New(`\bKey["']?\s*[:=]\s*(?:map\[string\]types\.AttributeValue)?\{`)
	orderMember   = lazyregexp.New(`\b(?:Limit|(?i:ScanIndexForward))\s*[:=]\s*\w+`)
	concatenated  = lazyregexp.New(`^f?["']([^"']*)["'] *\+ *([\w.]+)$`)
	ofClient      = lazyregexp.New(`(?i)^(?:new\b|(?:\w*(?:ddb|dynamo|doc)\w*|client|db|table|\w+client)\.)`)
	routed        = lazyregexp.New("^\\(\\s*[\"'`]/")
	getsByTitle   = lazyregexp.New(`(?i)^(?:get|fetch|retrieve|read|load|look up) `)
	endsFunction  = regexp.MustCompile(`\n\}`)
	variableFirst = lazyregexp.New(`^\(\s*([A-Za-z_]\w*)\s*[,)]`)
	setAgain      = lazyregexp.New(`[\w.]+ *=[^=]|\([^()]*\) *(?:=>|\{)`)
	// bareInput matches the beginning of a request's input that has no name.
	bareInput   = lazyregexp.New(`(?m)^\{\s*["']?TableName["']?\s*:`)
	objectNamed = lazyregexp.New(`\b([A-Za-z_]\w*)(?:: *[\w.]+)? *= *\{`)
	// nextArgument is where another argument of a call begins.
	nextArgument = regexp.MustCompile(`,\s*[A-Z]\w+\s*=`)
	parameterIn  = regexp.MustCompile(`(^|[^\w#])([:#]\w+)`)
)

// cliMembers are the options of the AWS CLI as the members that SDKs call them, of the commands that name a key: a scan there
// is for who looks after the table.
var (
	cliMembers = strings.NewReplacer("--key-condition-expression ", "KeyConditionExpression=", "--filter-expression ", "FilterExpression=", "--key '{", "Key={",
		"--no-scan-index-forward", "ScanIndexForward=false", "--scan-index-forward false", "ScanIndexForward=false", "--limit ", "Limit=", "--consistent-read", "ConsistentRead=true")
	cliName = lazyregexp.New("--(table|index)-name[ =]+[\"']?([\\w.${}-]+)[\"']?")
)

// toldAbove is what a label says of an access pattern above a fence, below the same heading: "Access pattern: the carts of a day".
func (r *reader) toldAbove(b *block) (told inline) {
	section := func(b *block) *frame { return b.frame.up(func(f *frame) bool { return f.level < labelLevel }) }
	for _, above := range r.blocks {
		if label, value, _, is := split(above.text); above.line < b.line && above.kind == textBlock && section(above) == section(b) && is && patternLabel.MatchString(label) && asksFor(value) {
			told = value
		}
	}
	return told
}

// requests reads the requests of a fence.
func (r *reader) requests(b *block) {
	text := cliName.ReplaceAllStringFunc(cliMembers.Replace(strings.Join(b.code, "\n")), func(found string) string {
		option := cliName.FindStringSubmatch(found)
		return map[string]string{"table": "TableName", "index": "IndexName"}[option[1]] + "='" + option[2] + "'"
	})
	calls := sdkCall.FindAllStringSubmatchIndex(text, -1)
	if calls == nil {
		r.given(b, text)
		return
	}
	behind, lines := 0, strings.Split(text, "\n")
	several := len(calls) > 1 || len(shellCommand.FindAllString(text, 2)) > 1
	for n, at := range calls {
		name := ""
		for i := 2; i < len(at); i += 2 {
			name += text[max(at[i], 0):max(at[i+1], 0)]
		}
		from, body := at[0], ""
		command, _, _ := strings.Cut(text[from:], "\n")
		if forOperators.MatchString(command) && !b.frame.asks() {
			continue
		}
		if strings.HasPrefix(command, "aws ") {
			number := strings.Count(text[:from], "\n")
			lines[number] = command
			body = strings.Join(commandFrom(lines[number:]), "\n")
		} else if body = balanced(text[at[1]-1:]); routed.MatchString(body) {
			continue // app.get('/carts'), with a request in it
		} else if ofClient.MatchString(command) {
			if held, object := heldBy(text, append(variableFirst.FindStringSubmatch(body), "", "")[1], from); object != "" {
				from, body = held, object
			}
		}
		operation := operationOf(strings.NewReplacer("_", "", "-", "").Replace(name))
		beside := !requestAlone.MatchString(body) && strings.HasPrefix(body, "({") && !ofClient.MatchString(command) // cache.get({ Key: id })
		if beside || at[0] < behind || operation == "" || body == "" || !requestMember.MatchString(body) && !scanOfTable.MatchString(command) {
			continue // the input of the call before, or no request
		}
		behind = max(at[1], from+len(body))
		first := b.line + strings.Count(text[:from], "\n")
		last := first + strings.Count(body, "\n")
		title, end := b.frame.sectionTitle(), len(text)
		section := b.frame.up(func(f *frame) bool { return f.level < labelLevel })
		example := b.frame.level == labelLevel && section != nil && (b.frame.topic == topicExamples || ofCodeAlone.MatchString(cleanTitle(b.frame.title.text)))
		if b.frame.level >= itemLevel {
			title = b.frame.title.text
		} else if example {
			title = section.title.text // "Example" names no pattern
		} else if b.frame.level == labelLevel {
			title = exampleOf.ReplaceAllString(title, "")
		}
		line := first
		if len(calls) == 1 && callsNothing(title) {
			next := slices.IndexFunc(r.blocks, func(o *block) bool { return o.line >= b.line })
			if above := r.blocks[max(next-1, 0)]; above.kind == itemBlock && callsRequest(above.text) {
				title, line = above.text.text, above.line // a fence that its writer meant to stand in the item above
			}
		}
		if len(calls) == 1 && callsNothing(title) {
			if told := r.toldAbove(b); told.text != "" {
				title, line = strings.TrimRight(told.text, "."), told.line
			}
		}
		if said := b.commentOver(first - b.line); said != "" && (several || callsNothing(title)) {
			title = said
		}
		if title == b.frame.sectionTitle() && !b.frame.asks() && phrase("ofCode").MatchString(cleanTitle(title)) {
			continue // of the program, and not of what it does
		}
		if n+1 < len(calls) {
			end = calls[n+1][0]
		}
		if at := b.frame.heading(); n == 0 && len(calls) == 1 && at != nil && at.parent != nil && viaTool.MatchString(cleanTitle(at.title.text)) && callsRequest(at.parent.title) {
			title, line = at.parent.title.text, at.parent.title.line // what is done, and not by what
		} else if n == 0 && (len(calls) == 1 || at.title.line > first-8) && title == b.frame.sectionTitle() && r.opens(b) {
			line = at.title.line // of its title, which that of a program with several requests is not
		}
		p := r.newPattern(b.frame, title, cmp.Or(line, first), false) // a fence can have no title above it
		p.Operation, p.Called, p.Last, p.Text = operation, first, b.line+strings.Count(strings.TrimRight(text[:end], "\n "), "\n"), text[at[0]:end]
		if r.input(p, body, first); !example || n > 0 || !r.completes(section, p) {
			r.addPattern(p)
		}
		r.covered(b, first-b.line, last-b.line)
	}
}

// completes gives the one pattern of a section what its example in code says more, and reports whether it is an example of that.
func (r *reader) completes(section *frame, p *Pattern) bool {
	var own *Pattern
	for _, o := range slices.Backward(r.doc.Patterns) {
		if o.Line < section.title.line {
			break
		} else if own != nil {
			return false // of which of them is not said
		}
		own = o
	}
	is := own != nil && own.states(p, true)
	if is {
		own.Last = p.Last
	}
	return is
}

// states takes over what another statement of the same request says more, and reports whether it is one: of the same place and operation, with
// comparisons of the same attributes. An example may compare more of them, and others than are to be equal.
func (p *Pattern) states(o *Pattern, example bool) bool {
	place := (p.Table == o.Table || p.Table == "" || o.Table == "") && (p.Index == o.Index || p.Index == "" && (example || len(p.Conditions) == 0 && p.Operation != "GetItem") || o.Index == "" && len(o.Conditions) == 0)
	if p.Operation != o.Operation && p.Operation != "" && o.Operation != "" || !place || !example && len(p.Conditions) != len(o.Conditions) && len(p.Conditions)*len(o.Conditions) > 0 {
		return false
	}
	conditions := slices.Clone(o.Conditions)
	if len(conditions) == 0 {
		conditions = p.Conditions
	}
	for _, c := range p.Conditions {
		i := slices.IndexFunc(conditions, func(o Condition) bool { return o.Attribute == c.Attribute })
		if i < 0 || !example && (conditions[i].Operator != c.Operator || c.Value != "" && conditions[i].Value != "" && c.Value.Prefix() != conditions[i].Value.Prefix()) {
			return false
		}
		if conditions[i].Operator == c.Operator && (len(c.Value.Parameters()) > 0 || len(conditions[i].Value.Parameters()) == 0) {
			conditions[i] = c // and not the value of one item
		}
	}
	p.Operation, p.Index, p.Table, p.Conditions, p.Implied = cmp.Or(p.Operation, o.Operation), cmp.Or(p.Index, o.Index), cmp.Or(p.Table, o.Table), conditions, p.Implied && o.Implied
	p.Limit, p.Order, p.Consistent, p.Listed, p.Text = cmp.Or(p.Limit, o.Limit), cmp.Or(p.Order, o.Order), p.Consistent || o.Consistent, p.Listed || o.Listed, p.Text+"\n"+o.Text
	if !example {
		p.Called = cmp.Or(p.Called, o.Called)
	}
	return true
}

// restated takes out the patterns that state one again: by the same words, of the same request as far as both say it; below the number that
// one of a list has, and no other; or as the example in code of the only one of a list that asks the same. Two requests of a program are two.
func (r *reader) restated() {
	kept, numbered := map[string][]*Pattern{}, map[string][]*Pattern{}
	all := slices.Clone(r.doc.Patterns)
	for _, p := range all {
		if p.number != "" {
			numbered[p.number] = append(numbered[p.number], p)
		}
	}
	ofNumber := func(p *Pattern) bool {
		of := numbered[p.number]
		return len(of) == 2 && of[1] == p && of[0].Listed && of[0].Last < p.Line && sharesWord(of[0].Title, p.Title) && of[0].states(p, true)
	}
	asksSame := func(p *Pattern) bool {
		unnamed := wordOf(p.Title) != "" || slices.Contains([]topic{topicPatterns, topicExamples, topicIndexes}, topicOf(p.Title)) || isIndexTitle(p.Title) || r.calledAsTable(p.Title) // "Example query", "Table 1: carts"
		if (p.Listed || p.Called == 0) && !unnamed {
			return false
		}
		same := func(o *Pattern) bool { return o != p && o.Listed && o.asks(p, unnamed) && !callsNothing(o.Title) }
		at := slices.IndexFunc(all, same)
		narrower := at >= 0 && len(all[at].Conditions) > 0 && len(all[at].Conditions) < len(p.Conditions) // than the text asks it
		return at >= 0 && !slices.ContainsFunc(all[at+1:], same) && (narrower || all[at].states(p, true))
	}
	r.doc.Patterns = slices.DeleteFunc(r.doc.Patterns, func(p *Pattern) bool {
		called := Plain(strings.TrimPrefix(p.Title, "Pattern: "))
		again := strings.Count(p.Title, " ") > 1 && slices.ContainsFunc(kept[called], func(o *Pattern) bool {
			return (o.Called == 0 || p.Called == 0) && o.states(p, o.shownBy(p))
		})
		if again = again || ofNumber(p) || asksSame(p); !again {
			kept[called] = append(kept[called], p)
		}
		return again
	})
}

// shownBy reports whether the comparisons of a pattern are with the values of one item, each of the form that another pattern gives.
func (p *Pattern) shownBy(o *Pattern) bool {
	return !slices.ContainsFunc(o.Conditions, func(c Condition) bool {
		own, has := first(p.Conditions, func(own Condition) bool { return own.Attribute == c.Attribute })
		return c.Value == "" || len(c.Value.Parameters()) > 0 || has && own.Value != "" && own.Value != c.Value && !own.Value.Matches(string(c.Value))
	})
}

// calledAsTable reports whether a title is that of a table: "Table 1: carts".
func (r *reader) calledAsTable(title string) bool {
	return r.known(strings.TrimSpace(title[strings.LastIndex(title, ": ")+1:])) != nil
}

// sharesWord reports whether two titles have a word in common.
func sharesWord(a, b string) bool {
	words := strings.Fields(strings.ToLower(a))
	return slices.ContainsFunc(strings.Fields(strings.ToLower(b)), func(word string) bool { return len(word) > 2 && slices.Contains(words, word) })
}

// asks reports whether a pattern is the whole request of another, but for the values of one item. One that no title calls may compare more
// keys of an index than the text says.
func (p *Pattern) asks(o *Pattern, unnamed bool) bool {
	said := func(a Condition) bool {
		return slices.ContainsFunc(o.Conditions, func(b Condition) bool {
			return a.Attribute == b.Attribute && a.Operator == b.Operator && a.Filter == b.Filter && (a.Value == b.Value || a.Value == "" || a.Value.Matches(string(b.Value)))
		})
	}
	whole := len(p.Conditions) > 0 && len(p.Conditions) == len(o.Conditions) || unnamed && len(o.Conditions) > 0 && (p.Index != "" || len(p.Conditions) == 0 && p.Table != "")
	place := p.Index == o.Index && (p.Table == o.Table || p.Table == "" && p.Index != "")
	options := (p.Limit == o.Limit || p.Limit == 0 && o.Limit > 1) && (p.Order == o.Order || p.Order == "")
	return whole && place && options && p.Operation == o.Operation && p.Operation != "" && !slices.ContainsFunc(p.Conditions, func(c Condition) bool { return !said(c) })
}

// opens reports whether a fence is the first below a title that can be that of its request, and that has none yet.
func (r *reader) opens(b *block) bool {
	at := b.frame.heading()
	opening, is := first(r.blocks, func(other *block) bool { return other.kind == codeBlock && other.frame.heading() == at })
	return at.pattern == nil && !callsNothing(b.frame.sectionTitle()) && is && opening.line == b.line // which may be a copy of it
}

// input reads what the members of a request's input say.
func (r *reader) input(p *Pattern, body string, line int) {
	if match := tableMember.FindStringSubmatch(body); match != nil {
		r.names(p, unquoted(match[1]))
	}
	if match := indexMember.FindStringSubmatch(body); match != nil {
		p.Index = unquoted(match[1])
	}
	if !ofSeveral.MatchString(p.Operation) { // of several requests each has its own keys
		r.bound(p, body, line)
	}
	order := strings.NewReplacer("aws.Int32(", "", "aws.Bool(", "", "\"", "", "'", "").Replace(body)
	r.limits(p, strings.Join(orderMember.FindAllString(order, -1), "\n"))
	p.Consistent = consistent.MatchString(body)
}

// given reads the inputs of requests that no call takes: that of a Query, which alone has a key condition, and below a title that says that an item is got
// the one with a key.
func (r *reader) given(b *block, text string) {
	place := b.frame
	below := place.requests() && place.parent.level < labelLevel && place.parent.asks() && callsRequest(place.parent.title) // "Query:" below the title of a pattern
	if below {
		place = place.parent
	}
	all := append(objectNamed.FindAllStringIndex(text, -1), bareInput.FindAllStringIndex(text, -1)...)
	for _, at := range all {
		bare := text[at[1]-1] != '{'
		if bare {
			at[1] = at[0] + 1
		}
		object, line := balanced(text[at[1]-1:]), b.line+strings.Count(text[:at[0]], "\n")
		expressions := strings.Contains(strings.ReplaceAll(object, "ProjectionExpression", ""), "Expression")
		called, at := place.sectionTitle(), place.heading()
		title, from := cmp.Or(b.commentOver(line-b.line), called), line
		f := place
		if f.level >= itemLevel && title == called && !ofCodeAlone.MatchString(cleanTitle(f.title.text)) { // below an item that says what it finds
			title, from = exampleOf.ReplaceAllString(f.title.text, ""), f.title.line
		} else if purpose := r.purposeBeside(f); title == called && isIndexTitle(called) && purpose.line > 0 {
			title, from = purpose.text, purpose.line // of the index that the section is on
		} else if len(all) == 1 && at != nil && (title == called || f.asks() && (numbering.MatchString(f.title.text) || numberedPattern.MatchString(f.title.text)) || place.asks() && asksByVerb.MatchString(called) && callsRequest(at.title)) && (below || r.opens(b)) {
			title, from = called, at.title.line // of the only request below its title, whatever a comment says of it
		}
		p := r.newPattern(place, title, from, false)
		switch {
		case !strings.Contains(object, "TableName"):
			continue
		case keyMember.MatchString(object), builderKey.MatchString(object):
			p.Operation = "Query"
		case len(all) == 1 && place.asks() && tableMember.MatchString(object) && keyObject.MatchString(object) && !expressions && getsByTitle.MatchString(numberedPattern.ReplaceAllString(cleanTitle(called), "")) && callsRequest(at.title):
			p.Operation, p.Line = "GetItem", at.title.line
		case bare && keyObject.MatchString(object) && !expressions && getsByTitle.MatchString(title):
			p.Operation = "GetItem"
		default:
			continue
		}
		p.Text, p.Called, p.Last = object, line, line+strings.Count(object, "\n")
		r.input(p, object, line)
		r.addPattern(p)
		r.covered(b, line-b.line, p.Last-b.line)
	}
}

// purposeBeside is what the section of a place says that its index is for: "Purpose: Find the carts of a till".
func (r *reader) purposeBeside(f *frame) inline {
	at := f.heading()
	said, _ := first(r.labelled, func(s statement) bool {
		return purposeLabel.MatchString(spell(s.label)) && s.frame.heading() == at && asksByVerb.MatchString(s.value.text)
	})
	return inline{line: said.line, text: strings.TrimRight(said.value.text, ".")}
}

// heldBy is the object with a table that a variable holds at a place of a program, and where it begins: the last that it takes in the same function, where
// nothing sets the variable or a member of it again, and no function has a parameter of its name.
func heldBy(text, name string, to int) (from int, object string) {
	text = text[:to]
	start := max(to-2000, 0) // no function is longer that a person reads
	all := objectNamed.FindAllStringSubmatchIndex(text[start:], -1)
	for _, at := range slices.Backward(all) {
		if text[start+at[2]:start+at[3]] == name {
			object = balanced(text[start+at[1]-1:])
			behind := text[start+at[1]-1+len(object):]
			if !strings.Contains(object, "TableName") || endsFunction.MatchString(behind) || slices.ContainsFunc(setAgain.FindAllString(behind, -1), func(found string) bool { return HasWord(found, name) }) {
				return 0, ""
			}
			return start + at[0], object
		}
	}
	return 0, ""
}

// names gives a pattern the table that its request names, and none where the document has no such table.
func (r *reader) names(p *Pattern, table string) {
	p.Table = ""
	if known := r.known(table); known != nil && (len(r.all) == 1 || !r.spelt(table).bare()) {
		p.Table = known.Name
	} else if identifier.MatchString(table) && namesTable(table) {
		p.asked = table
	}
}

// tablesOfRequests are those of a document that defines none and shows queries in code: a key condition expression compares the partition key by equality,
// and nothing else but the sort key.
func (r *reader) tablesOfRequests() {
	if len(r.all) > 0 {
		return
	}
	for _, p := range r.doc.Patterns {
		conditions := slices.DeleteFunc(slices.Clone(p.Conditions), func(c Condition) bool { return c.Filter })
		equal := slices.IndexFunc(conditions, func(c Condition) bool { return c.Operator == "=" })
		partly := slices.ContainsFunc(r.doc.Unread, func(u Unread) bool { return u.Asked && u.Line >= p.RequestLine() && u.Line <= p.Last })
		if p.asked == "" || p.Operation != "Query" || equal < 0 || len(conditions) > 2 || partly {
			continue
		}
		names := []string{conditions[equal].Attribute, ""}
		if len(conditions) == 2 && conditions[1-equal].Operator != "=" {
			names[1] = conditions[1-equal].Attribute
		} else if len(conditions) == 2 && roleOfName(names[0]) == Hash {
			names[1] = conditions[1-equal].Attribute
		} else if len(conditions) == 2 {
			continue // of which of the two is the partition key nothing is said
		}
		table := r.addTable(p.asked, At{p.RequestLine(), Said})
		if p.Table, p.asked = table.Name, ""; p.Index != "" {
			r.keyIndex(table, p.Index, At{conditions[equal].Line, Said}, inOrder(names...)...)
		} else {
			r.keyTable(table, At{conditions[equal].Line, Said}, inOrder(names...)...)
		}
	}
	for _, p := range r.doc.Patterns {
		if table := r.known(p.asked); p.asked != "" && table != nil {
			p.Table, p.asked = table.Name, ""
		}
	}
	r.learnKeys()
}

// filled is an expression with the values of its placeholders.
func filled(expression string, values map[string]string) string {
	return parameterIn.ReplaceAllStringFunc(unquoted(expression), func(found string) string {
		at := strings.IndexAny(found, ":#")
		return found[:at] + cmp.Or(values[found[at:]], "{"+found[at+1:]+"}")
	})
}

// expressed adds the comparisons of an expression to a pattern. Of one that is not read whole the line is named as not read.
func (r *reader) expressed(p *Pattern, expression string, line int, filter bool) {
	if filter {
		if !r.filtered(p, expression, line) {
			r.notAsked(line, r.doc.Line(line), "no form reads all of this filter")
		}
		return
	}
	found, rest := conditions(expression, line)
	whole := len(found) > 0 && keyRest.MatchString(strings.ReplaceAll(rest, compared, ""))
	for _, c := range found {
		if strings.HasPrefix(c.Attribute, "{") || c.Attribute == "" { // #name that nothing binds
			whole = false
		} else {
			p.Conditions = append(p.Conditions, c)
		}
	}
	if !whole {
		r.notAsked(line, r.doc.Line(line), "no form reads all of this key condition")
	}
}

// balanced is a text up to the bracket that closes its first one.
func balanced(text string) string {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return ""
}

// quotedValue is a value of a program in quotes, for it may have blanks; "" for what a call or a list gives.
func quotedValue(raw string) string {
	if text := codeText(raw); !strings.HasSuffix(text, "[") && !strings.HasSuffix(text, "(") && !strings.Contains(text, "$(") {
		return "\"" + text + "\""
	}
	return ""
}

// bound reads the conditions of a request with the values that it binds.
func (r *reader) bound(p *Pattern, body string, line int) {
	values := map[string]string{}
	for _, match := range boundValue.FindAllStringSubmatch(body, -1) {
		values[match[1]] = quotedValue(match[2])
	}
	for _, match := range boundName.FindAllStringSubmatch(body, -1) {
		values[match[1]] = match[2]
	}
	read := func(match []string, filter bool) {
		if match != nil {
			at := line + strings.Count(body[:max(strings.Index(body, match[1]), 0)], "\n")
			r.expressed(p, filled(match[1], values), at, filter)
		}
	}
	flat := strings.ReplaceAll(body, "\n", " ")
	match := keyMember.FindStringSubmatch(body)
	p.keyed = match != nil
	read(match, false)
	if built := builderKey.FindStringSubmatch(flat); match == nil && built != nil {
		at := line + strings.Count(body[:strings.Index(body, "KeyConditionExpression")], "\n")
		r.expressed(p, nextArgument.Split(built[1], 2)[0], at, false)
		p.keyed = true
	}
	filter := filterMember.FindStringSubmatch(body)
	read(filter, true)
	if at := strings.Index(flat, "FilterExpression"); filter == nil && at >= 0 {
		built := append(builderFilter.FindStringSubmatch(flat), "", "")
		r.expressed(p, nextArgument.Split(built[1], 2)[0], line+strings.Count(body[:at], "\n"), true)
	}
	if at := keyObject.FindStringIndex(body); at != nil {
		known, whole, key := len(p.Conditions), true, balanced(body[at[1]-1:])
		if keyShort.MatchString(key) && !slices.ContainsFunc(inKeyShort.FindAllString(key, -1), genericKey.MatchString) { // "Key: { userId, at }"
			key = inKeyShort.ReplaceAllString(key, "$1: $1")
		}
		for _, match := range keyEntry.FindAllStringSubmatch(key, -1) {
			if r.keyNames[match[1]] || genericKey.MatchString(match[1]) || len(r.all) == 0 && p.asked != "" && len(match[1]) > 1 {
				p.compare(line, match[1], "=", value(quotedValue(match[2])))
			} else if from := strings.Index(body, match[0]); match[1] != "S" && match[1] != "N" {
				r.unread(line+strings.Count(body[:max(from, 0)], "\n"), match[0], "no line makes this attribute of a key one")
				whole = false
			}
		}
		if !whole {
			p.Conditions = p.Conditions[:known] // a part of a key is none
		} else if len(p.Conditions) == known { // a variable
			first := line + strings.Count(body[:at[0]], "\n")
			r.notAsked(first, r.doc.Line(first), "no form reads this key")
		}
	}
}

// codeText is a value of a program with its variables in braces.
func codeText(raw string) string {
	if match := concatenated.FindStringSubmatch(raw); match != nil {
		return match[1] + "{" + lastName(match[2]) + "}"
	}
	if identifier.MatchString(raw) && !constants[strings.ToLower(raw)] {
		return "{" + lastName(raw) + "}"
	}
	return unquoted(raw)
}

// constants are words of programs that are no variables.
var constants = map[string]bool{"true": true, "false": true, "null": true, "none": true, "nil": true}

func lastName(path string) string {
	path = strings.TrimSpace(path)
	return path[strings.LastIndexByte(path, '.')+1:]
}
