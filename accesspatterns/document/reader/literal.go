package reader

import (
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// maxDepth bounds the nesting of a literal.
const maxDepth = 40

// literals reads the objects that a code block writes out at the beginning of
// its lines: JSON, or what resembles it in Python, JavaScript and prose, with
// comments, trailing commas, bare words and calls.
func literals(lines []string, first int) []*Example {
	var found []*Example
	if members, is := withoutBraces(lines); is {
		shift(members, first)
		return []*Example{{At: At{members[0].Line, Said}, Last: first + len(lines) - 1, Members: members}}
	}
	for n := 0; n < len(lines); n++ {
		trimmed := strings.TrimSpace(lines[n])
		if !strings.HasPrefix(trimmed, "{") || indented(lines[n]) > 3 {
			continue
		}
		p := &literal{lines: lines, row: n, column: strings.IndexByte(lines[n], '{')}
		members, is := p.object(0)
		if !is || len(members) == 0 {
			continue
		}
		shift(members, first)
		found = append(found, &Example{At: At{first + n, Said}, Last: first + p.row, Members: members})
		n = max(n, p.row)
	}
	return found
}

var jsonMember = lazyregexp.New(`^\s*"[A-Za-z_]\w*"\s*:`)

// withoutBraces reads the members of an object whose braces are not written.
func withoutBraces(lines []string) ([]Member, bool) {
	for n, line := range lines {
		if text := strings.TrimSpace(line); n == 0 && !jsonMember.MatchString(line) || text == "{" {
			return nil, false
		}
	}
	if len(lines) < 2 {
		return nil, false
	}
	p := &literal{lines: append([]string{"{" + lines[0]}, append(lines[1:len(lines):len(lines)], "}")...)}
	return p.object(0)
}

func indented(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

func shift(members []Member, first int) {
	for i := range members {
		members[i].Line += first
		shift(members[i].Members, first)
	}
}

// literal reads one object, character by character.
type literal struct {
	lines       []string
	row, column int
}

// peek returns the next character that is neither blank nor in a comment; 0 at
// the end.
func (p *literal) peek() byte {
	for p.row < len(p.lines) {
		line := p.lines[p.row]
		for p.column < len(line) && (line[p.column] == ' ' || line[p.column] == '\t') {
			p.column++
		}
		rest := line[min(p.column, len(line)):]
		if rest == "" || strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, "/*") {
			p.row, p.column = p.row+1, 0
			continue
		}
		return rest[0]
	}
	return 0
}

func (p *literal) object(depth int) ([]Member, bool) {
	if depth > maxDepth || p.peek() != '{' {
		return nil, false
	}
	p.column++
	var members []Member
	for {
		switch p.peek() {
		case 0:
			return nil, false
		case '}':
			p.column++
			return members, true
		case ',', '.': // the dots of an ellipsis
			p.column++
			continue
		}
		row := p.row
		name, is := p.name()
		if !is || p.peek() != ':' {
			return nil, false
		}
		p.column++
		member, is := p.value(depth + 1)
		if !is {
			return nil, false
		}
		member.Name, member.Line = name, row
		members = append(members, member)
	}
}

// name reads a member's name, quoted or bare.
func (p *literal) name() (string, bool) {
	c := p.peek()
	if c == '"' || c == '\'' {
		return p.quoted(c)
	}
	line, from := p.lines[p.row], p.column
	for p.column < len(line) && (nameByte(line[p.column]) || strings.IndexByte(".$[]", line[p.column]) >= 0) {
		p.column++
	}
	return line[from:p.column], p.column > from
}

// quoted reads a string on one line.
func (p *literal) quoted(quote byte) (string, bool) {
	line := p.lines[p.row]
	var out strings.Builder
	for i := p.column + 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
			if i < len(line) {
				out.WriteByte(line[i])
			}
		case quote:
			p.column = i + 1
			return out.String(), true
		default:
			out.WriteByte(line[i])
		}
	}
	return "", false
}

var number = lazyregexp.New(`^-?\d+(\.\d+)?([eE][+-]?\d+)?$`)

func (p *literal) value(depth int) (Member, bool) {
	if depth > maxDepth {
		return Member{}, false
	}
	switch c := p.peek(); c {
	case 0:
		return Member{}, false
	case '{':
		members, is := p.object(depth)
		if is && len(members) == 1 {
			if typed, is := dynamoValue(members[0]); is {
				return typed, true
			}
		}
		return Member{Type: "M", Members: members}, is
	case '[':
		p.column++
		list := Member{Type: "L"}
		for {
			switch p.peek() {
			case 0:
				return Member{}, false
			case ']':
				p.column++
				return list, true
			case ',', '.':
				p.column++
				continue
			}
			row := p.row
			element, is := p.value(depth + 1)
			if !is {
				return Member{}, false
			}
			element.Line = row
			list.Members = append(list.Members, element)
		}
	case '"', '\'', '`':
		text, is := p.quoted(c)
		return Member{Type: "S", Text: text}, is
	default:
		return p.bare()
	}
}

// bare reads what is neither quoted nor bracketed: a number, a word, a call.
func (p *literal) bare() (Member, bool) {
	line, from, depth := p.lines[p.row], p.column, 0
	for p.column < len(line) {
		c := line[p.column]
		if depth == 0 && (c == ',' || c == '}' || c == ']') {
			break
		}
		if depth == 0 && (c == '#' || strings.HasPrefix(line[p.column:], "//")) && p.column > from {
			break
		}
		switch c {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		}
		p.column++
	}
	text := strings.TrimSpace(line[from:p.column])
	if text == "" {
		return Member{}, false
	}
	switch {
	case number.MatchString(text):
		return Member{Type: "N", Text: text}, true
	case strings.EqualFold(text, "true"), strings.EqualFold(text, "false"):
		return Member{Type: "BOOL", Text: strings.ToLower(text)}, true
	case text == "null", text == "None", text == "nil", text == "undefined":
		return Member{Type: "NULL"}, true
	}
	return Member{Text: unquoted(text)}, true
}

// dynamoValue unwraps a value in DynamoDB's JSON.
func dynamoValue(only Member) (value Member, is bool) {
	switch only.Name {
	case "S", "N", "B":
		is = only.Type == "S" || only.Type == "N"
	case "BOOL", "NULL":
		return Member{Type: only.Name, Text: only.Text}, true
	case "SS", "NS", "BS", "L":
		is = only.Type == "L"
	case "M":
		is = only.Type == "M"
	}
	return Member{Type: only.Name, Text: only.Text, Members: only.Members}, is
}
