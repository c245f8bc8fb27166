package reader

import (
	"regexp"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Requests in code, as the SDKs of JavaScript, Python and Go write them: the operation, and what
// its own members say.

var (
	sdkCall = lazyregexp.New(`\bnew (Get|Put|Update|Delete|Query|Scan|BatchGet|BatchWrite|TransactWrite|TransactGet)(?:Items?)?Command\s*\(|\b\w+\.(get_item|getItem|GetItem|get|put_item|putItem|PutItem|put|update_item|updateItem|UpdateItem|update|delete_item|deleteItem|DeleteItem|delete|query|Query|scan|Scan|batch_get_item|BatchGetItem|batchGet|batch_write_item|BatchWriteItem|batchWrite|transact_write_items|TransactWriteItems|transactWrite)\s*\(|&dynamodb\.(Get|Put|Update|Delete|Query|Scan)(?:Item)?Input\{`)
	member  = func(name string) *lazyregexp.Regexp {
		return lazyregexp.New(`\b` + name + "[\"']?\\s*[:=]\\s*(?:aws\\.String\\()?f?[\"'`]([^\"'`]*)[\"'`]")
	}
	spelledKey    = regexp.MustCompile(`(?m)^\s*KeyConditionExpression\s*:`)
	spelledValue  = lazyregexp.New(`(?m)^\s*(:\w+)\s*[=:]\s*("[^"]*"|'[^']*'|\S+)\s*$`)
	requestMember = lazyregexp.New(`\b(?:TableName|KeyConditionExpression|IndexName|Key|Item|RequestItems|TransactItems)["']?\s*[:=]`)
	tableMember   = member("TableName")
	indexMember   = member("IndexName")
	keyMember     = lazyregexp.New("\\bKeyConditionExpression[\"']?\\s*[:=]\\s*(?:aws\\.String\\()?f?(\"[^\"]*\"|'[^']*'|`[^`]*`)")
	filterMember  = lazyregexp.New("\\bFilterExpression[\"']?\\s*[:=]\\s*(?:aws\\.String\\()?f?(\"[^\"]*\"|'[^']*'|`[^`]*`)")
	builderKey    = lazyregexp.New(`\bKeyConditionExpression\s*=\s*(Key\(.*)`)
	boundValue    = lazyregexp.New("[\"'`]?(:\\w+)[\"'`]?\\s*:\\s*(?:\\{\\s*[\"']?[SN][\"']?\\s*:\\s*|&types\\.AttributeValueMember[SN]\\{Value:\\s*)?(fmt\\.Sprintf\\([^)]*\\)|f?\"[^\"]*\"(?: *\\+ *[\\w.]+)?|f?'[^']*'(?: *\\+ *[\\w.]+)?|`[^`]*`|[\\w.]+)")
	boundName     = lazyregexp.New("[\"'`](#\\w+)[\"'`]\\s*:\\s*[\"'`]([^\"'`]+)[\"'`]")
	keyObject     = lazyregexp.New(`\bKey["']?\s*[:=]\s*(?:map\[string\]types\.AttributeValue)?\{`)
	limitMember   = lazyregexp.New(`\bLimit["']?\s*[:=]\s*(?:aws\.Int32\()?(\d+)`)
	sprintf       = lazyregexp.New(`^fmt\.Sprintf\("([^"]*)"`)
	concatenated  = lazyregexp.New(`^f?["']([^"']*)["'] *\+ *([\w.]+)$`)
	parameterIn   = regexp.MustCompile(`[:#]\w+`)
)

// requests reads the requests of a fence, and returns whether there was one.
func (r *reader) requests(b *block) {
	text := strings.Join(b.code, "\n")
	calls := sdkCall.FindAllStringSubmatchIndex(text, -1)
	if at := spelledKey.FindStringIndex(text); at != nil && len(calls) == 0 {
		r.spelledRequest(b, text)
		return
	}
	behind := 0
	for n, at := range calls {
		if at[0] < behind {
			continue // the input of the call before
		}
		name := ""
		for i := 2; i < len(at); i += 2 {
			if at[i] >= 0 {
				name = text[at[i]:at[i+1]]
			}
		}
		body := balanced(text[at[1]-1:])
		first := b.line + strings.Count(text[:at[0]], "\n")
		last := first + strings.Count(body, "\n")
		operation := operationNames[strings.ToLower(strings.ReplaceAll(name, "_", ""))]
		if operation == "" || body == "" || !requestMember.MatchString(body) && !strings.HasPrefix(text[at[0]:], "table.scan") {
			continue
		}
		behind = at[1] + len(body)
		title := b.frame.sectionTitle()
		if b.frame.level >= itemLevel {
			title = b.frame.title.text
		}
		p := r.newPattern(b.frame, title, first, false)
		end := len(text)
		if n+1 < len(calls) {
			end = calls[n+1][0]
		}
		p.Operation, p.Last, p.Text = operation, b.line+strings.Count(strings.TrimRight(text[:end], "\n "), "\n"), text[at[0]:end]
		if match := tableMember.FindStringSubmatch(body); match != nil {
			p.Table = ""
			if known := r.known(match[1]); known != nil {
				p.Table = known.Name
			}
		}
		if match := indexMember.FindStringSubmatch(body); match != nil {
			p.Index = match[1]
		}
		r.bound(p, body, first)
		if match := limitMember.FindStringSubmatch(body); match != nil {
			r.limits(p, "limit "+match[1])
		}
		r.limits(p, strings.Join(lazyregexp.New(`(?i)ScanIndexForward["']?\s*[:=]\s*(?:aws\.Bool\()?\w+`).FindAllString(strings.ReplaceAll(body, "aws.Bool(", ""), -1), " "))
		p.Consistent = consistent.MatchString(body)
		r.addPattern(p)
		r.covered(b, first-b.line, last-b.line)
	}
}

// spelledRequest reads a request whose members stand on lines of their own, without a call:
// "Query:", "TableName: x", "KeyConditionExpression: PK = :pk", ":pk = \"USER#{id}\"".
func (r *reader) spelledRequest(b *block, text string) {
	p := r.newPattern(b.frame, b.frame.sectionTitle(), b.line, b.frame.about() == topicPatterns)
	p.Operation, p.Last, p.Text = operationOf(b.code[0]), b.line+len(b.code)-1, text
	if at := b.frame.heading(); p.Listed && at != nil && at.title.line > b.line-8 {
		p.Line = at.title.line
	}
	values := map[string]string{}
	for _, match := range spelledValue.FindAllStringSubmatch(text, -1) {
		values[match[1]] = unquoted(match[2])
	}
	for n, line := range b.code {
		label, value, _, is := split(inline{line: b.line + n, text: strings.TrimSpace(line)})
		if !is {
			continue
		}
		switch spell(label) {
		case "tablename":
			if p.Table = ""; r.known(unquoted(value.text)) != nil {
				p.Table = r.known(unquoted(value.text)).Name
			}
		case "indexname":
			p.Index = unquoted(value.text)
		case "limit", "scanindexforward":
			r.limits(p, line)
		case "keyconditionexpression", "filterexpression":
			expression := parameterIn.ReplaceAllStringFunc(strings.Trim(value.text, "\"'`"), func(name string) string {
				if value, is := values[name]; is {
					return "\"" + value + "\""
				}
				return "{" + name[1:] + "}"
			})
			for _, c := range r.conditionsOf(expression, b.line+n) {
				c.Filter = spell(label) == "filterexpression"
				p.Conditions = append(p.Conditions, c)
			}
		}
	}
	if len(p.Conditions) > 0 {
		r.addPattern(p)
		r.covered(b, 0, len(b.code)-1)
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

// bound reads the conditions of a request with the values that it binds.
func (r *reader) bound(p *Pattern, body string, line int) {
	values := map[string]string{}
	for _, match := range boundValue.FindAllStringSubmatch(body, -1) {
		values[match[1]] = codeText(match[2])
	}
	for _, match := range boundName.FindAllStringSubmatch(body, -1) {
		values[match[1]] = match[2]
	}
	read := func(expression string, filter bool) {
		at := line + strings.Count(body[:max(strings.Index(body, expression), 0)], "\n")
		expression = parameterIn.ReplaceAllStringFunc(strings.Trim(expression, "\"'`"), func(name string) string {
			if value, is := values[name]; is {
				return value
			}
			return "{" + name[1:] + "}"
		})
		for _, c := range r.conditionsOf(expression, at) {
			c.Filter = filter
			p.Conditions = append(p.Conditions, c)
		}
	}
	if match := keyMember.FindStringSubmatch(body); match != nil {
		read(match[1], false)
	} else if match := builderKey.FindStringSubmatch(strings.ReplaceAll(body, "\n", " ")); match != nil {
		p.Conditions = append(p.Conditions, r.conditionsOf(nextArgument.Split(match[1], 2)[0], line)...)
	}
	if match := filterMember.FindStringSubmatch(body); match != nil {
		read(match[1], true)
	}
	if at := keyObject.FindStringIndex(body); at != nil {
		object := balanced(body[at[1]-1:])
		for _, match := range keyEntry.FindAllStringSubmatch(object, -1) {
			if form, is := FormOf(codeText(match[2])); is && (r.keyNames[match[1]] || genericKey.MatchString(match[1])) {
				p.Conditions = append(p.Conditions, Condition{Line: line, Attribute: match[1], Operator: "=", Value: form})
			}
		}
	}
}

var keyEntry = lazyregexp.New("[\"']?(\\w+)[\"']?\\s*:\\s*(?:\\{\\s*[\"']?[SN][\"']?\\s*:\\s*|&types\\.AttributeValueMember[SN]\\{Value:\\s*)?(fmt\\.Sprintf\\([^)]*\\)|f?\"[^\"]*\"(?: *\\+ *[\\w.]+)?|f?'[^']*'(?: *\\+ *[\\w.]+)?|`[^`]*`|[\\w.]+)")

// nextArgument is where another argument of a call begins.
var nextArgument = regexp.MustCompile(`,\s*[A-Z]\w+\s*=`)

var verb = regexp.MustCompile(`%0?\d*[sdv]`)

// codeText is a value of a program with its variables in braces.
func codeText(raw string) string {
	if match := sprintf.FindStringSubmatch(raw); match != nil {
		arguments := strings.Split(strings.TrimSuffix(raw[len(match[0]):], ")"), ",")
		n := 0
		return verb.ReplaceAllStringFunc(match[1], func(string) string {
			n++
			if n < len(arguments) {
				return "{" + lastName(arguments[n]) + "}"
			}
			return "{value}"
		})
	}
	if match := concatenated.FindStringSubmatch(raw); match != nil {
		return match[1] + "{" + lastName(match[2]) + "}"
	}
	if identifier.MatchString(raw) {
		return "{" + lastName(raw) + "}"
	}
	return unquoted(raw)
}

func lastName(path string) string {
	path = strings.TrimSpace(path)
	return path[strings.LastIndexByte(path, '.')+1:]
}
