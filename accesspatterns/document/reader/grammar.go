package reader

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// typeWords are the words for DynamoDB's types, by their descriptors.
var typeWords = map[string]string{
	"s": "S", "string": "S", "str": "S", "text": "S", "uuid": "S", "datetime": "S", "date": "S", "timestamp": "", "enum": "S",
	"n": "N", "number": "N", "int": "N", "integer": "N", "float": "N", "decimal": "N", "numeric": "N", "long": "N", "double": "N",
	"b": "B", "binary": "B", "bytes": "B",
	"bool": "BOOL", "boolean": "BOOL",
	"m": "M", "map": "M", "object": "M", "dict": "M", "json": "",
	"l": "L", "list": "L", "array": "L",
	"ss": "SS", "string set": "SS", "stringset": "SS", "set<string>": "SS", "set of strings": "SS",
	"ns": "NS", "number set": "NS", "numberset": "NS",
	"bs": "BS", "binary set": "BS",
	"null": "NULL",
}

var typeHead = lazyregexp.New(`^(?i)(string set|number set|binary set|[a-z]+)\b`)

// typeOf reads a type: "String", "N", "String (ISO 8601)", "List[String]",
// "string[]", "Optional[int]", "Number: 0 or 1". It returns "" for what is none.
func typeOf(raw string) string {
	text := strings.ToLower(strings.TrimSpace(unquoted(raw)))
	text = strings.TrimRight(text, "?")
	if descriptor, known := typeWords[text]; known {
		return descriptor
	}
	switch {
	case strings.HasPrefix(text, "list[") || strings.HasPrefix(text, "list<") || strings.HasSuffix(text, "[]") || strings.HasPrefix(text, "array<"):
		return "L"
	case strings.HasPrefix(text, "dict[") || strings.HasPrefix(text, "map<") || strings.HasPrefix(text, "record<"):
		return "M"
	case strings.HasPrefix(text, "set["):
		return "SS"
	}
	head := typeHead.FindString(text)
	rest := strings.TrimSpace(text[len(head):])
	if head == "" || rest != "" && !strings.ContainsAny(rest[:1], "(:,;|/-–—=") {
		return ""
	}
	return typeWords[head]
}

// TypeOf is DynamoDB's descriptor of a type in the words of documents, "" for none.
func TypeOf(word string) string { return typeOf(word) }

// keyType is the type of a key attribute, "" where the text gives none that a
// key can have.
func keyType(raw string) string {
	switch found := typeOf(raw); found {
	case "S", "N", "B":
		return found
	}
	return ""
}

var operations = lazyregexp.New(`(?i)\b(GetItem|BatchGetItem|BatchGet|TransactGetItems|PutItem|UpdateItem|DeleteItem|BatchWriteItem|BatchWrite|TransactWriteItems|TransactWrite|Query|Scan)\b`)

var operationNames = map[string]string{
	"getitem": "GetItem", "batchgetitem": "BatchGetItem", "batchget": "BatchGetItem", "transactgetitems": "TransactGetItems",
	"putitem": "PutItem", "updateitem": "UpdateItem", "deleteitem": "DeleteItem",
	"batchwriteitem": "BatchWriteItem", "batchwrite": "BatchWriteItem",
	"transactwriteitems": "TransactWriteItems", "transactwrite": "TransactWriteItems",
	"query": "Query", "scan": "Scan",
	// As the commands of an SDK are called.
	"get": "GetItem", "put": "PutItem", "update": "UpdateItem", "delete": "DeleteItem",
}

// operationOf returns the first operation that a text names, "" for none.
func operationOf(text string) string {
	return operationNames[strings.ToLower(operations.FindString(text))]
}

const (
	attributeName = `[A-Za-z_][A-Za-z0-9_.-]*`
	// comparison operators in the order in which they must be tried.
	comparison = `<=|>=|==|=|<|>`
)

var (
	beginsCall  = lazyregexp.New(`(?i)\bbegins_?with\s*\(\s*`)
	beginsInfix = lazyregexp.New(`(?i)(#?` + attributeName + `)[` + "`" + `"']?\s+` + "`?" + `(?:begins_with|begins with|starts with|startswith|beginsWith)\s*\(?\s*`)
	between     = lazyregexp.New(`(?i)(#?` + attributeName + `)[` + "`" + `"']?\s+between\s+`)
	builder     = lazyregexp.New(`Key\(\s*f?['"](` + attributeName + `)['"]\s*\)\s*\.\s*(eq|begins_with|between|gte|lte|gt|lt)\s*\(\s*`)
	compares    = lazyregexp.New(`(#?` + attributeName + `)[` + "`" + `"']?\s*(` + comparison + `)\s*`)
	angled      = lazyregexp.New(`^<[A-Za-z_][A-Za-z0-9_-]*>`)
	joinsBounds = lazyregexp.New(`(?i)^\s*[` + "`" + `"']?\s*(?:,|and)\s*`)
)

var builderOperators = map[string]string{"eq": "=", "begins_with": "begins_with", "between": "BETWEEN", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}

// conditions reads the comparisons of a request in DynamoDB's expression
// language, in words, or as boto3 writes them.
func conditions(text string, line int) []Condition {
	var found []Condition
	var starts []int
	taken := make([]bool, len(text))
	// scan applies one form; read returns the condition and the number of bytes
	// that its values take.
	scan := func(form *lazyregexp.Regexp, read func(match []string, rest string) (Condition, int)) {
		for _, at := range form.FindAllStringSubmatchIndex(text, -1) {
			if slices.Contains(taken[at[0]:at[1]], true) || at[0] > 0 && text[at[0]-1] == '<' && strings.Contains(text[at[0]:at[1]], ">") { // the end of <a>
				continue
			}
			var match []string
			for i := 0; i < len(at); i += 2 {
				match = append(match, text[at[i]:at[i+1]])
			}
			condition, used := read(match, text[at[1]:])
			condition.Line = line
			condition.Attribute = strings.TrimPrefix(condition.Attribute, "#")
			if condition.Operator == "" || notAttributes.MatchString(condition.Attribute) {
				continue
			}
			for i := at[0]; i < at[1]+used; i++ {
				taken[i] = true
			}
			// In the order of the text, whichever form took them.
			n := 0
			for n < len(found) && starts[n] < at[0] {
				n++
			}
			found, starts = slices.Insert(found, n, condition), slices.Insert(starts, n, at[0])
		}
	}
	scan(builder, func(match []string, rest string) (Condition, int) {
		return bounds(Condition{Attribute: match[1], Operator: builderOperators[match[2]]}, rest, codeValue)
	})
	scan(between, func(match []string, rest string) (Condition, int) {
		return bounds(Condition{Attribute: match[1], Operator: "BETWEEN"}, rest, value)
	})
	scan(beginsCall, func(match []string, rest string) (Condition, int) {
		name, used, _ := valueAt(rest)
		after := strings.TrimLeft(rest[used:], "`\"' ")
		if !strings.HasPrefix(after, ",") {
			return bounds(Condition{Operator: "begins_with"}, rest, value)
		}
		skip := len(rest) - len(after) + 1
		condition, more := bounds(Condition{Attribute: unquoted(name), Operator: "begins_with"}, rest[skip:], value)
		return condition, skip + more
	})
	scan(beginsInfix, func(match []string, rest string) (Condition, int) {
		return bounds(Condition{Attribute: match[1], Operator: "begins_with"}, rest, value)
	})
	scan(compares, func(match []string, rest string) (Condition, int) {
		if at := strings.TrimRight(match[0], " "); match[2] == "<" && strings.HasSuffix(at, "<") && angled.MatchString("<"+rest) {
			return Condition{}, 0 // --since <date>
		}
		first, used, is := valueAt(rest)
		if !is || strings.HasPrefix(first, ">") || strings.HasPrefix(first, "=") {
			return Condition{}, 0
		}
		operator := match[2]
		if operator == "==" {
			operator = "="
		}
		if strings.HasSuffix(first, "..") || strings.HasSuffix(first, "…") || len(first) == 1 && capitals.MatchString(first) || genericKey.MatchString(match[1]) && wordSegment.MatchString(first) && !attributeWord.MatchString(first) {
			return Condition{Attribute: match[1], Operator: operator}, used // "PK = same", "PK = USER#...": a word, and no value, or a part of one
		}
		return Condition{Attribute: match[1], Operator: operator, Value: value(first)}, used
	})
	return found
}

// notAttributes are words that stand where an attribute could, and are none.
var notAttributes = lazyregexp.New(`(?i)^(limit|SortKeyCondition|scan_?(?:index_?)?forward|IndexName|TableName|order|ConsistentRead|\w*Expression|\w*ExpressionAttribute\w*|status_?code|http\w*|sort|and|or|not|where|with|that|which|then|query|prefix|Projection\w*|Key|Item|Select|f|\w+\.\w+\.\w+)$`)

// bounds reads one value, or two of BETWEEN.
func bounds(condition Condition, rest string, value func(string) Template) (Condition, int) {
	first, used, is := valueAt(rest)
	if !is {
		return Condition{}, 0
	}
	condition.Value = value(first)
	if condition.Operator != "BETWEEN" {
		return condition, used
	}
	join := joinsBounds.FindString(rest[used:])
	if join == "" {
		return Condition{}, 0
	}
	second, more, is := valueAt(rest[used+len(join):])
	if !is {
		return Condition{}, 0
	}
	condition.High = value(second)
	return condition, used + len(join) + more
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

// valueAt reads a value at the beginning of a text: up to a blank, a comma or a
// closing bracket outside of quotes and parameters. It returns the number of
// bytes that the value takes.
func valueAt(text string) (found string, used int, is bool) {
	start := len(text) - len(strings.TrimLeft(text, " \t`"))
	rest := text[start:]
	if rest == "" {
		return "", 0, false
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
		if end < len(rest) && (nameByte(rest[end]) || strings.IndexByte("<{#", rest[end]) >= 0) {
			return "", 0, false // a part of a value: "CART:"<id>
		}
		return rest[quote:end], start + end, true
	}
	end := 0
	for end < len(rest) {
		if at := placeholder.FindStringIndex(rest[end:min(len(rest), end+64)]); at != nil && at[0] == 0 {
			end += at[1]
			continue
		}
		if strings.IndexByte(" \t,;)`&\"'", rest[end]) >= 0 {
			break
		}
		end++
	}
	if found = rest[:end]; !strings.HasSuffix(found, "..") {
		found = strings.TrimRight(found, ".")
	}
	if found == "" || strings.ContainsAny(found[:1], "(=") {
		return "", 0, false
	}
	return found, start + len(found), true
}
