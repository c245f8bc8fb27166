package reader

import (
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// maxDepth bounds the nesting of a literal.
const maxDepth = 40

// literals are the objects that a fence writes out at the beginning of
// its lines: JSON, or what resembles it in Python, JavaScript and prose, with
// comments, trailing commas, bare words and calls.
func (b *block) literals() (found []*Example) {
	text, last := strings.Join(b.code, "\n"), 0
	for _, at := range objectHead.FindAllStringIndex(text, -1) {
		p := b.literal(text, at[0])
		if first := p.row; first > last {
			if members, is := p.object(0); is && len(members) > 0 {
				found, last = append(found, &Example{At: At{first, Said}, Last: p.row, Members: members}), p.row
			}
		}
	}
	return found
}

// literal is what a fence writes out from an offset in its text.
func (b *block) literal(text string, at int) *literal {
	return newLiteral(text, at, b.line+strings.Count(text[:at], "\n"))
}

var (
	objectHead = lazyregexp.New(`(?m)^[ \t]{0,3}\{`)
	// gaps matches what stands between the words and signs of a literal.
	gaps       = lazyregexp.New(`^(?:[\s,]|//[^\n]*|#[^\n]*|/\*[^\n]*|\.\.\.|…)*`)
	quotedWord = lazyregexp.New("^[fF]?(?:\"((?:\\\\.|[^\"\\\\\\n])*)\"|'((?:\\\\.|[^'\\\\\\n])*)'|`([^`\\n]*)`)")
	memberName = lazyregexp.New(`^[\w.$\[\]-]+`)
	// bareWord matches a number, a word or a call.
	bareWord = lazyregexp.New(`^(?:[^,(){}\[\]\n]|\((?:[^()\n]|\([^()\n]*\))*\)|\{[^{}\n]*\}|\[[^\[\]\n]*\])+`)
	remarked = lazyregexp.New(`\s+(?:#|//).*`)
	// typedValue matches what Go and Python put before a value: &types.Projection{, []types.KeySchemaElement{, dynamodb.Attribute(, aws.String(, and C# new Attribute {
	typedValue = lazyregexp.New(`^(?:&?(\[\]\*?)?\w+\.\w+\{|\w+\.[A-Z]\w*\(|new [\w.]+\s*\{)`)
	number     = lazyregexp.New(`^-?\d+(\.\d+)?([eE][+-]?\d+)?$`)
	escape     = lazyregexp.New(`\\(.)`)
)

// literal is an object in a text, and the line in which it is read.
type literal struct {
	text    string
	at, row int
	// failed are the offsets of the types behind which no value can be read: each is tried once, however many values around it are read again.
	failed map[int]bool
}

func newLiteral(text string, at, row int) *literal {
	return &literal{text, at, row, map[int]bool{}}
}

// take goes on behind a sign, and reports whether it stands here.
func (p *literal) take(sign string) bool {
	p.pass(len(gaps.FindString(p.text[p.at:])))
	is := strings.HasPrefix(p.text[p.at:], sign)
	if is {
		p.pass(len(sign))
	}
	return is
}

func (p *literal) pass(bytes int) {
	p.row += strings.Count(p.text[p.at:p.at+bytes], "\n")
	p.at += bytes
}

func (p *literal) object(depth int) ([]Member, bool) {
	if depth > maxDepth || !p.take("{") {
		return nil, false
	}
	all, is := p.arguments("}", depth, true)
	return all.Members, is
}

// quoted reads a text in quotes.
func (p *literal) quoted() (string, bool) {
	match := quotedWord.FindStringSubmatch(p.text[p.at:])
	if match == nil {
		return "", false
	}
	p.pass(len(match[0]))
	return escape.ReplaceAllString(match[1]+match[2]+match[3], "$1"), true
}

// arguments reads what stands between the brackets of a call or of a structure, the first of which is read: what has a
// name, and what the objects among the rest have. Of a call with one text and nothing else it is that text. Members of an
// object have a name and a colon each.
func (p *literal) arguments(end string, depth int, ofObject bool) (all Member, is bool) {
	for all.Type = "M"; !p.take(end); {
		before, row := *p, p.row
		name, quoted := p.quoted()
		if !quoted {
			name = memberName.FindString(p.text[p.at:])
			p.pass(len(name))
		}
		if named := name != "" && (p.take(":") || p.take("=")); !named && ofObject {
			return Member{}, false
		} else if !named {
			*p, name = before, ""
		}
		each, is := p.value(depth + 1)
		if !is {
			return Member{}, false
		}
		switch each.Name, each.Line = name, row; {
		case name != "":
			all.Members = append(all.Members, each)
		case each.Type == "M":
			all.Members = append(all.Members, each.Members...)
		case each.Type == "S" && len(all.Members) == 0 && p.take(end):
			return each, true
		}
	}
	return all, true
}

// typed reads a value behind the name of its type.
func (p *literal) typed(depth int) (found Member, is bool) {
	if p.failed[p.at] {
		return Member{}, false
	}
	head := typedValue.FindString(p.text[p.at:])
	before, end := *p, "}"
	if strings.HasSuffix(head, "(") {
		end = ")"
	}
	if p.pass(len(head)); strings.Contains(head, "[]") {
		found, is = p.list(end, depth)
	} else {
		found, is = p.arguments(end, depth, false)
		is = is && (end == "}" || found.Type == "S" || len(found.Members) > 0)
	}
	if !is {
		*p = before
		p.failed[p.at] = true
	}
	return found, is
}

func (p *literal) list(end string, depth int) (Member, bool) {
	list := Member{Type: "L"}
	for !p.take(end) {
		row := p.row
		element, is := p.value(depth + 1)
		if !is {
			return Member{}, false
		}
		element.Line = row
		list.Members = append(list.Members, element)
	}
	return list, true
}

func (p *literal) value(depth int) (Member, bool) {
	switch p.take(""); {
	case depth > maxDepth || p.at == len(p.text):
		return Member{}, false
	case p.text[p.at] == '{':
		members, is := p.object(depth)
		if is && len(members) == 1 {
			if typed, is := dynamoValue(members[0]); is {
				return typed, true
			}
		}
		return Member{Type: "M", Members: members}, is
	case typedValue.MatchString(p.text[p.at:]):
		if found, is := p.typed(depth); is {
			return found, true
		}
	case p.take("["):
		return p.list("]", depth)
	}
	if text, is := p.quoted(); is {
		return Member{Type: "S", Text: text}, true
	}
	bare := remarked.ReplaceAllString(bareWord.FindString(p.text[p.at:]), "")
	p.pass(len(bare))
	switch text := strings.TrimSpace(bare); {
	case text == "":
		return Member{}, false
	case number.MatchString(text):
		return Member{Type: "N", Text: text}, true
	case strings.EqualFold(text, "true"), strings.EqualFold(text, "false"):
		return Member{Type: "BOOL", Text: strings.ToLower(text)}, true
	case text == "null", text == "None", text == "nil", text == "undefined":
		return Member{Type: "NULL"}, true
	default:
		return Member{Text: unquoted(text)}, true
	}
}

// wrapped are the types of what DynamoDB's JSON has below each of its own.
var wrapped = map[string]string{"S": "SN", "N": "SN", "B": "SN", "SS": "L", "NS": "L", "BS": "L", "L": "L", "M": "M"}

// dynamoValue unwraps a value in DynamoDB's JSON.
func dynamoValue(only Member) (value Member, is bool) {
	is = only.Name == "BOOL" || only.Name == "NULL" || only.Type != "" && strings.Contains(wrapped[only.Name], only.Type)
	return Member{Type: only.Name, Text: only.Text, Members: only.Members}, is
}
