package reader

import (
	"cmp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

var (
	typeHead   = lazyregexp.New(`^(?i)(string set|number set|binary set|(?:list|set|dict)\[|(?:list|array|map|record)<|[a-z]+\b)`)
	operations = lazyregexp.New(`(?i)\b(` + operationWords + `)\b`)
	beginsCall = lazyregexp.New(`(?i)\bbegins?_?with\s*\(\s*`)
	// calledOperator matches an operator that stands as a function in place of a value: "SK = begins_with(LINE#)", "at=gte(day)".
	calledOperator = lazyregexp.New(`(?i)(#?` + attributeName + `)[` + "`" + `"']?\s*=\s*` + "`?" + `(begins?_?with|between|[gl]te?|eq)\s*(?:\(\s*|\s)`)
	// otherValue matches what makes a value one of two, or a part of one: "`A#{id} | B#{id}`", "'A#' + id".
	otherValue = lazyregexp.New("^[`\"']*\\s*(?:\\||/|\\+|(?i:or)\\b)\\s*[`\"']*[^\\s=<>(),`\"'/|][^\\s=<>(),`\"']*[`\"']*\\s*(.*)")
	// chained matches a sign of order behind a value, and behindSign one before an attribute.
	chained    = lazyregexp.New("^[`\"']?\\s*[<>]=?(?:$|[^>\\w])")
	behindSign = lazyregexp.New(` [<>]=? ?$`)
	// comparing matches what stands behind an attribute, and not behind a value.
	comparing    = lazyregexp.New(`(?i)^(?:[=<>(]|begins[_ ]?with|starts|between\b)`)
	severalForms = lazyregexp.New(`#[^|]*\|[^|]*#`)
	// withOption matches what a request or an item has beside a value: "SK = `RESULT` + TTL".
	withOption = lazyregexp.New("^[`\"']*\\s*\\+\\s*(?i:ttl|filter|limit|projection|(?:an? )?(?:date|time) range)\\b")
	// infixCall matches an operator behind its attribute that stands as a function: "SK BeginsWith(LINE#)".
	infixCall   = lazyregexp.New(`(?i)(` + attributeName + `[` + "`" + `"']? +` + "`?" + `)begins_?with\(([^(),]+)\)`)
	beginsInfix = lazyregexp.New(`(?i)(#?` + attributeName + `)[` + "`" + `"']?\s+` + "`?" + `(?:begins_with|begins with|starts with|startswith|beginsWith)\s*\(?\s*`)
	between     = lazyregexp.New(`(?i)(#?` + attributeName + `)[` + "`" + `"']?\s+between\s+`)
	builder     = lazyregexp.New(`(?:Key|Attr)\(\s*f?['"](` + attributeName + `)['"]\s*\)\s*\.\s*(eq|begins_with|between|gte|lte|gt|lt)\s*\(\s*`)
	// filterCall matches what only a filter asks of an attribute.
	filterCall = lazyregexp.New(`(?i)\b(attribute_not_exists|attribute_exists|contains)\s*\(\s*(#?` + attributeName + `)\s*(?:,\s*([^()]*?)\s*)?\)`)
	// otherThanAll matches what joins comparisons otherwise than by AND: of these none is the filter by itself.
	otherThanAll = lazyregexp.New(`(?i)\b(?:or|not)\b|[|~]`)
	// filterRest matches what is left of a filter of which everything is read.
	filterRest = lazyregexp.New("(?i)^(?:and\\b|[\\s,()`\"'.;])*$")
	compares   = lazyregexp.New(`(#?` + attributeName + `)[` + "`" + `"']?\s*(` + comparison + `)\s*`)
	// withUnit matches a number with a unit of time or size, which no value of an attribute has.
	withUnit = lazyregexp.New(`^\d+(?:\.\d+)? ?(?:ms|s|secs?|seconds?|mins?|minutes?|hours?|KB|MB|GB|RCU|WCU)\b`)
	// valueFormat matches what a value is like.
	valueFormat = lazyregexp.New(`^(?:YYYY[-/]?MM(?:[-/]?DD)?|UUID(?:v\d)?|ULID|KSUID)$`)
	negated     = lazyregexp.New(`(?i)\bnot\s*\(?\s*$`) // "NOT sk = META"
	// listForm matches a list of values.
	listForm    = lazyregexp.New(`\[[^\]]*,`)
	angled      = lazyregexp.New(`^<[A-Za-z_][A-Za-z0-9_-]*>`)
	joinsBounds = lazyregexp.New(`(?i)^\s*[` + "`" + `"']?\s*(?:,|and)\s*`)
	// notAttributes are words that stand where an attribute could, and are none.
	notAttributes = lazyregexp.New(`(?i)^(limit|SortKeyCondition|scan_?(?:index_?)?forward|IndexName|TableName|(?:exclusive_?)?start_?key|last_?(?:evaluated_?)?key|next_?token|cursor|page_?size|order|ConsistentRead|\w*Expression|\w*ExpressionAttribute\w*|status_?code|http\w*|sort|and|or|not|where|with|that|which|then|query|prefix|Projection\w*|Key|Item|Select|Return\w*|f|\w+\.\w+\.\w+)$`)
)

// TypeOf reads a type as its DynamoDB descriptor: "String", "N", "String (ISO 8601)", "List[String]",
// "string[]", "Optional[int]", "Number: 0 or 1". It returns "" for what is none.
func TypeOf(raw string) string {
	text := strings.ToLower(strings.TrimSpace(unquoted(raw)))
	text = strings.TrimRight(text, "?")
	if descriptor := meaning("types", text); descriptor != "" {
		return descriptor
	}
	if strings.HasSuffix(text, "[]") {
		return "L"
	}
	head := typeHead.FindString(text)
	rest := strings.TrimSpace(text[len(head):])
	if head == "" || rest != "" && !strings.ContainsAny(rest[:1], "(:,;|/-–—=") && !strings.ContainsAny(head, "[<") {
		return ""
	}
	return meaning("types", head)
}

// keyType is the type of a key attribute, "" where the text gives none that a
// key can have.
func keyType(raw string) string {
	switch found := TypeOf(raw); found {
	case "S", "N", "B":
		return found
	}
	return ""
}

// operationOf is the operation that a name of it, or of an SDK's command, means: GetItem of "GetCommand".
func operationOf(name string) string {
	return meaning("operations", strings.ToLower(strings.TrimSuffix(name, "Command")))
}

const (
	// operationWords are the operations by DynamoDB's names, and commandWords as SDKs call their commands.
	operationWords = `GetItem|BatchGetItem|BatchGet|TransactGetItems|PutItem|UpdateItem|DeleteItem|BatchWriteItem|BatchWrite|TransactWriteItems|TransactWrite|Query|Scan` +
		`|get_item|put_item|update_item|delete_item|batch_get_item|batch_write_item|transact_get_items|transact_write_items|query_pk`
	commandWords  = `Get|Put|Update|Delete|Query|Scan|BatchGet|BatchWrite|TransactWrite|TransactGet`
	attributeName = `[A-Za-z_][A-Za-z0-9_.-]*`
	// comparison operators in the order in which they must be tried.
	comparison = `<=|>=|==|=|<|>`
)

// operators are DynamoDB's, by what stands for them elsewhere.
var operators = map[string]string{"==": "=", "eq": "=", "begins_with": "begins_with", "beginswith": "begins_with", "beginwith": "begins_with", "begin_with": "begins_with", "between": "BETWEEN", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}

// comparisons are the forms of a comparison. The first group is the attribute; the second, where no operator is given, the operator.
var comparisons = []struct {
	form     *lazyregexp.Regexp
	operator string
	value    func(string) Template
}{{builder, "", codeValue}, {calledOperator, "", value}, {between, "BETWEEN", value}, {beginsCall, "begins_with", value}, {beginsInfix, "begins_with", value}, {compares, "", value}}

// compared stands in place of each byte of a comparison that was read.
const compared = "\x00"

// conditions reads the comparisons of a request in DynamoDB's expression
// language, in words, or as boto3 writes them, in the order of the text, and returns the text without them.
func conditions(text string, line int) (found []Condition, rest string) {
	text = infixCall.ReplaceAllString(strings.NewReplacer("、", ", ", "，", ", ").Replace(text), "${1}begins_with $2")
	var starts []int
	taken := make([]bool, len(text))
	for _, each := range comparisons {
		for _, at := range each.form.FindAllStringSubmatchIndex(text, -1) {
			if slices.Contains(taken[at[0]:at[1]], true) || negated.MatchString(text[:at[0]]) || at[0] > 0 && text[at[0]-1] == '<' && strings.Contains(text[at[0]:at[1]], ">") { // the end of <a>
				continue
			}
			c, rest, skip, used := Condition{Line: line, Operator: each.operator}, text[at[1]:], 0, 0
			if len(at) > 2 {
				c.Attribute = text[at[2]:at[3]]
			}
			if c.Operator == "" {
				word := text[at[4]:at[5]]
				c.Operator = cmp.Or(operators[strings.ToLower(word)], word)
			}
			switch each.form {
			case compares:
				c, used = c.bySign(text[at[0]:at[1]], rest)
			case beginsCall:
				name, behind, _ := valueAt(rest)
				if after := strings.TrimLeft(rest[behind:], "`\"' "); strings.HasPrefix(after, ",") {
					c.Attribute, skip = unquoted(name), len(rest)-len(after)+1
				}
				fallthrough
			default:
				c, used = bounds(c, rest[skip:], each.value)
			}
			if each.form == compares && strings.ContainsAny(c.Operator, "<>") && (chained.MatchString(rest[used:]) || behindSign.MatchString(text[:at[0]])) { // "DRAFT < OPEN < SHUT" orders values
				continue
			}
			if each.form == compares && strings.ContainsAny(c.Operator, "<>") && withUnit.MatchString(rest) {
				continue // "cached for < 60s" compares no attribute
			}
			other := otherValue.FindStringSubmatch(rest[skip+used:])
			if severalForms.MatchString(c.written) || other != nil && each.form != builder && !comparing.MatchString(other[1]) && !withOption.MatchString(rest[skip+used:]) {
				c.Value, c.written = "", "" // which of the two, or what the whole is, the text does not say
			}
			if c.Attribute = strings.TrimPrefix(c.Attribute, "#"); c.Operator == "" || notAttributes.MatchString(c.Attribute) {
				continue
			}
			for i := at[0]; i < at[1]+skip+used; i++ {
				taken[i] = true
			}
			n, _ := slices.BinarySearch(starts, at[0])
			found, starts = slices.Insert(found, n, c), slices.Insert(starts, n, at[0])
		}
	}
	left := []byte(text)
	for i := range left {
		if taken[i] {
			left[i] = compared[0]
		}
	}
	return found, string(left)
}

// filterConditions reads what a filter compares or asks of attributes, and whether that is all that it says: comparisons that OR joins
// are not read whole.
func filterConditions(text string, line int) (found []Condition, whole bool) {
	found, rest := conditions(assignments.ReplaceAllString(text, "$1"), line)
	for _, call := range filterCall.FindAllStringSubmatch(rest, -1) {
		found = append(found, Condition{Line: line, Attribute: strings.TrimPrefix(call[2], "#"), Operator: strings.ToLower(call[1]), Value: value(call[3])})
	}
	if otherThanAll.MatchString(strings.ReplaceAll(rest, compared, "")) {
		return nil, false
	}
	found = slices.DeleteFunc(found, func(c Condition) bool { return c.Attribute == "" || strings.HasPrefix(c.Attribute, "{") }) // or #name that nothing binds
	for i := range found {
		found[i].Filter = true
	}
	return found, len(found) > 0 && filterRest.MatchString(strings.ReplaceAll(filterCall.ReplaceAllString(rest, ""), compared, ""))
}

// bySign is a comparison by a sign with the value behind it.
func (c Condition) bySign(head, rest string) (Condition, int) {
	first, used, is := valueAt(rest)
	if option := strings.HasSuffix(strings.TrimRight(head, " "), "<") && angled.MatchString("<"+rest); !is || option || strings.HasPrefix(first, ">") || strings.HasPrefix(first, "=") {
		return Condition{}, 0 // or --since <date>
	}
	// of "Score > user's score", "PK = same" and "id = ?" a word or a sign, and no value
	said := strings.Trim(unquoted(first), "?") == "" || strings.HasPrefix(rest[used:], "'s ") || genericKey.MatchString(c.Attribute) && wordSegment.MatchString(first) && !attributeWord.MatchString(first) && first != "true" && first != "false"
	if !(said || strings.HasSuffix(first, "..") || strings.HasSuffix(first, "…") || len(first) == 1 && capitals.MatchString(first)) {
		if c.Value = value(first); c.Value == itself(first) && capitals.MatchString(first[:1]) && !capitals.MatchString(c.Attribute[:1]) && !valueFormat.MatchString(first) {
			c.Value = "" // "type = AccessToken": a word of its values, or an attribute
		}
		// of "PK = USER#..." a part of a value
	}
	if c.written = unquoted(first); said {
		c.word, c.written = c.written, ""
	}
	return c, used
}

// bounds reads one value, or two of BETWEEN.
func bounds(c Condition, rest string, value func(string) Template) (Condition, int) {
	first, used, is := valueAt(rest)
	c.Value, c.written = value(first), unquoted(first)
	if is && c.Operator == "BETWEEN" {
		join := joinsBounds.FindString(rest[used:])
		second, more, another := valueAt(rest[used+len(join):])
		c.High, used, is = value(second), used+len(join)+more, another && join != ""
		if camelSegment.MatchString(first) && camelSegment.MatchString(second) { // dateFrom and dateTo
			c.Value, c.High = itself(first), itself(second)
		}
	}
	if !is {
		return Condition{}, 0
	}
	return c, used
}

// value is what a value reads as: a template, or the text as it stands.
func value(raw string) Template {
	template, is := FormOf(raw)
	text := unquoted(raw)
	switch {
	case text == raw && identifier.MatchString(raw) && attributeWord.MatchString(raw):
		return itself(raw) // PK = userId
	case is:
		return template
	case text == strings.Trim(raw, "`") || wordsAlone(strings.Split(text, "#")):
		return "" // userId#status, REGION#west: which of the words are literal is not said
	}
	return Template(text) // in quotes, as in a program
}

// codeValue is what a value in a program reads as: a bare word is a variable.
func codeValue(raw string) Template {
	if identifier.MatchString(raw) {
		return Template("{" + raw[strings.LastIndexByte(raw, '.')+1:] + "}")
	}
	return value(raw)
}

// comparesNext matches the operator of the next comparison: "CART#7" + sk begins_with LINE#.
var comparesNext = lazyregexp.New("(?i)^`? *(?:[=<>]|begins_?with|between|starts with)")

// joinsMore matches what goes on with a value, in whatever language a program is written: "CART#" + day(at), "CART#" || id, `CART#`.$id, "CART#" & id.
var joinsMore = lazyregexp.New("^(?:`?\\s*(?:\\+\\+?|\\|\\||\\|>|&|<>)\\s*[\"'`$@]?[\\w(]|`?(?: \\. ?|\\.)[$\"'`]|`? \\. \\w)")

// operand matches the name of what a sign joins.
var operand = lazyregexp.New(`^[\w.]*`)

// isPart reports whether a value that begins a text is the first part of a longer one: it ends in what parts the segments of keys and something is joined to it, or
// a call or what stands in brackets is. A comparison behind the sign is another one.
func isPart(found, behind string) bool {
	sign := joinsMore.FindString(behind)
	if sign == "" {
		return false
	}
	next := behind[len(sign)-1:]
	more := next[len(operand.FindString(next)):]
	open := found != "" && strings.IndexByte("#:/|", found[len(found)-1]) >= 0
	return (open || strings.HasPrefix(more, "(")) && !comparesNext.MatchString(next) && !comparesNext.MatchString(more)
}

// valueAt reads a value at the beginning of a text: up to a blank, a comma or a
// closing bracket outside of quotes and parameters. It returns the number of
// bytes that the value takes.
func valueAt(text string) (found string, used int, is bool) {
	start := len(text) - len(strings.TrimLeft(text, " \t`"))
	rest := text[start:]
	if rest == "" {
		return "", 0, false
	}
	if whole := joinedValue.FindString(rest); strings.Contains(whole, " + ") && !comparesNext.MatchString(rest[len(whole):]) {
		if behind := rest[len(whole):]; behind != "" && strings.IndexByte(" ,;)`|&", behind[0]) < 0 || strings.HasPrefix(behind, " + ") {
			return "", 0, false // or what a function makes of it
		}
		return whole, start + len(whole), true
	}
	quote := 0
	if len(rest) > 1 && (rest[0] == 'f' || rest[0] == 'F') && (rest[1] == '\'' || rest[1] == '"') {
		quote = 1
	}
	if rest[quote] == '\'' || rest[quote] == '"' {
		end := strings.IndexByte(rest[quote+1:], rest[quote])
		if end < 0 {
			return "", 0, false
		}
		end += quote + 2
		if end < len(rest) && (isPart(unquoted(rest[quote:end]), rest[end:]) || nameByte(rest[end]) || strings.IndexByte("<{#", rest[end]) >= 0) {
			return "", 0, false // a part of a value: "CART:"<id>
		}
		return rest[quote:end], start + end, true
	}
	end := 0
	for end < len(rest) {
		if strings.IndexByte("${<[%", rest[end]) >= 0 { // as each parameter begins
			if at := placeholder.FindStringIndex(rest[end:min(len(rest), end+64)]); at != nil && at[0] == 0 {
				end += at[1]
				continue
			}
		}
		if strings.IndexByte(" \t,;)`&\"'", rest[end]) >= 0 {
			break
		}
		end++
	}
	if behind := rest[end:]; strings.HasSuffix(rest[:end], "#") && (strings.HasPrefix(behind, " {") || strings.HasPrefix(behind, " <")) {
		return "", 0, false // a part of a value: CART# {id}
	}
	if found = rest[:end]; !strings.HasSuffix(found, "..") {
		found = strings.TrimRight(found, ".")
	}
	switch {
	case found == "", strings.ContainsAny(found[:1], "(="), isPart(found, rest[end:]):
		return "", 0, false
	case strings.Count(found, "(") > strings.Count(found, ")"), strings.Count(found, "{") > strings.Count(found, "}"), strings.ContainsAny(found, `"`), listForm.MatchString(found):
		return "", 0, false // a call, a list or an object, or a part of it
	}
	return found, start + len(found), true
}
