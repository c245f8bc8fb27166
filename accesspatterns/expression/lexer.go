package expression

import (
	"regexp"
	"strings"
)

// lexer cuts an expression into tokens: words with their '#', ':', '.' and
// "[n]", and single punctuation marks.
type lexer struct {
	// at begins with the token; rest is what follows it.
	at, token, rest string
	// hyphens allows them within a word, as a contract's names may have them, and
	// names of any characters in double quotes.
	hyphens bool
	// members allows a contract's parameter in place of the name of a map's member:
	// counts.{status}.
	members bool
	// bad says that a character was met that no documented expression has.
	bad bool
}

func (l *lexer) next() {
	text := trimSpace(l.rest)
	l.at = text
	if text == "" {
		l.token, l.rest = "", ""
		return
	}
	if l.hyphens && text[0] == '"' {
		if length := strings.IndexByte(text[1:], '"'); length > 0 {
			l.token, l.rest = text[:length+2], text[length+2:]
			return
		}
	}
	end := 0
	for end < len(text) {
		length := 1
		if l.members && text[end] == '{' && end > 0 && text[end-1] == '.' {
			length += strings.IndexByte(text[end:], '}')
		} else if !words[text[end]] && (!l.hyphens || text[end] != '-' || end == 0) {
			length = 0
		}
		if length == 0 {
			break
		}
		end += length
	}
	if end == 0 {
		switch text[0] {
		case '(', ')', ',', '=', '+', '-':
			end = 1
		case '<', '>':
			end = 1
			if len(text) > 1 && (text[1] == '=' || text[:2] == "<>") {
				end = 2
			}
		default:
			l.bad, l.token, l.rest = true, "", text
			return
		}
	}
	l.token, l.rest = text[:end], text[end:]
}

// calls reports whether the token is a function's name, and not an attribute of
// that name.
func (l *lexer) calls() bool {
	return strings.HasPrefix(trimSpace(l.rest), "(")
}

// quoted is a contract's value in quotes, in which a quote is doubled.
var quoted = regexp.MustCompile(`^'((?:[^']|'')*)'(?:[^']|$)`)

// literalValue reads a contract's value instead of the token.
func (p *parser) literalValue() (value Operand) {
	text, length := p.at, bareLength(p.at)
	if match := quoted.FindStringSubmatch(text); match != nil {
		value, length = Operand{Text: strings.ReplaceAll(match[1], "''", "'"), Quoted: true}, len(match[1])+2
	} else {
		value.Text = text[:length]
	}
	if length == 0 {
		p.fail(p.syntax)
		return value
	}
	p.rest, p.bad = text[length:], false
	p.next()
	return value
}

// bareLength is the length of the value that a text begins with; 0 when what
// stands there needs quotes. White space and commas may stand within braces.
func bareLength(text string) int {
	end := 0
	for end < len(text) && !isSpace(text[end]) && text[end] != ',' && text[end] != ')' {
		switch text[end] {
		case '\'', '"', '(', '}', '=', '<', '>':
			return 0
		case '{':
			length := strings.IndexByte(text[end:], '}')
			if length < 0 {
				return 0
			}
			end += length
		}
		end++
	}
	if word := text[:end]; word == "+" || word == "-" || keywords[strings.ToUpper(word)] {
		return 0
	}
	return end
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// trimSpace cuts white space off both ends. The functions of package strings build a set of bytes for each call.
func trimSpace(text string) string {
	for text != "" && isSpace(text[0]) {
		text = text[1:]
	}
	for text != "" && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// words are the bytes of names, #aliases, :values and paths.
var words = func() (set [256]bool) {
	for i := range set {
		c := byte(i)
		set[i] = isLetter(c) || isDigit(c) || strings.IndexByte("#:.[]", c) >= 0
	}
	return set
}()

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
