package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// operator is the operator or function of one term.
type operator string

const (
	opEquals    operator = "="
	opDiffers   operator = "<>"
	opBelow     operator = "<"
	opAtMost    operator = "<="
	opAbove     operator = ">"
	opAtLeast   operator = ">="
	opBetween   operator = "BETWEEN"
	opBegins    operator = "begins_with"
	opExists    operator = "attribute_exists"
	opNotExists operator = "attribute_not_exists"
	// Conditions of writes alone have these.
	opHas       operator = "contains"
	opLacks     operator = "NOT contains"
	opSizeAbove operator = "size >"
)

// comparisons stand between a name and one value.
var comparisons = []operator{opEquals, opDiffers, opBelow, opAtMost, opAbove, opAtLeast}

// maxTerms bounds the terms of one conjunction, and maxDepth its parentheses.
// No documented expression comes near.
const (
	maxTerms = 12
	maxDepth = 8
)

// term is one comparison or function of a conjunction. low and high are nil
// where the operator has no such operand.
type term struct {
	path      string // as written: "#a.#b", "name"
	op        operator
	low, high types.AttributeValue
	// group is 0 for a term that must hold. Terms of the same group above 0 are
	// alternatives, of which one must hold.
	group int
}

// conjunction is an expression in normal form: terms that all must hold.
type conjunction struct {
	terms  [maxTerms]term
	n      int
	groups int
}

func (c *conjunction) all() []term { return c.terms[:c.n] }

var (
	errSyntax  = errors.New("expected name = :value (or <>, <, <=, >, >=), name BETWEEN :low AND :high, begins_with(name, :value), attribute_exists(name) or attribute_not_exists(name), joined by AND")
	errTerms   = fmt.Errorf("expected at most %d terms in at most %d parentheses", maxTerms, maxDepth)
	errAlias   = errors.New("expected every #name to stand in ExpressionAttributeNames")
	errUnbound = errors.New("expected every :value to stand in ExpressionAttributeValues")
)

// parser reads one conjunction. It works on the text in place.
type parser struct {
	lexer
	names  map[string]string
	values map[string]types.AttributeValue
	into   *conjunction
	// condition allows what only conditions of writes have: single terms joined
	// by OR, and looks at the members of a set or list.
	condition bool
}

// parseConjunction brings a key condition or filter expression into normal form.
// Everything else, OR, NOT and unknown functions among it, is an error.
func parseConjunction(text string, names map[string]string, values map[string]types.AttributeValue, into *conjunction) error {
	return (&parser{lexer: lexer{text: text}, names: names, values: values, into: into}).all()
}

// parseCondition brings the condition expression of a write into normal form. It
// knows more than parseConjunction: single terms joined by OR, contains, NOT
// contains and size(name) > :value.
func parseCondition(text string, names map[string]string, values map[string]types.AttributeValue, into *conjunction) error {
	return (&parser{lexer: lexer{text: text}, names: names, values: values, into: into, condition: true}).all()
}

func (p *parser) all() error {
	p.into.n, p.into.groups = 0, 0
	p.next()
	if err := p.conjunction(0); err != nil {
		return err
	}
	if p.token != "" || p.bad {
		return errSyntax
	}
	return nil
}

func (p *parser) conjunction(depth int) error {
	first, joint := p.into.n, ""
	for {
		before := p.into.n
		if err := p.term(depth); err != nil {
			return err
		}
		next := strings.ToUpper(p.token)
		if next != "AND" && (next != "OR" || !p.condition) {
			next = ""
		}
		switch {
		case joint != "" && next != "" && next != joint:
			return errSyntax // parentheses must say which joins first
		case (joint == "OR" || next == "OR") && p.into.n != before+1:
			return errSyntax // an alternative is a single term
		}
		if next == "" {
			if joint == "OR" {
				p.into.groups++
				for i := first; i < p.into.n; i++ {
					p.into.terms[i].group = p.into.groups
				}
			}
			return nil
		}
		joint = next
		p.next()
	}
}

func (p *parser) term(depth int) error {
	if p.token == "(" {
		if depth == maxDepth {
			return errTerms
		}
		p.next()
		if err := p.conjunction(depth + 1); err != nil {
			return err
		}
		return p.expect(")")
	}
	if p.into.n == maxTerms {
		return errTerms
	}
	t := &p.into.terms[p.into.n]
	*t = term{}
	p.into.n++
	switch op := operator(p.token); op {
	case opBegins, opExists, opNotExists:
		p.next()
		return p.function(t, op)
	}
	if p.condition {
		if is, err := p.members(t); is {
			return err
		}
	}
	var err error
	if t.path, err = p.path(); err != nil {
		return err
	}
	switch op := operator(p.token); {
	case slices.Contains(comparisons, op):
		p.next()
		t.op = op
		t.low, err = p.value()
		return err
	case strings.EqualFold(p.token, "BETWEEN"):
		p.next()
		t.op = opBetween
		if t.low, err = p.value(); err != nil {
			return err
		}
		if !strings.EqualFold(p.token, "AND") {
			return errSyntax
		}
		p.next()
		t.high, err = p.value()
		return err
	}
	return errSyntax
}

// members reads a term about the members of a set or list, and reports whether it
// is one.
func (p *parser) members(t *term) (is bool, err error) {
	switch {
	case p.token == string(opHas):
		p.next()
		return true, p.function(t, opHas)
	case strings.EqualFold(p.token, "NOT"):
		p.next()
		if err := p.expect(string(opHas)); err != nil {
			return true, err
		}
		return true, p.function(t, opLacks)
	case p.token == "size":
		p.next()
		if err := p.function(t, opSizeAbove); err != nil {
			return true, err
		}
		if err := p.expect(string(opAbove)); err != nil {
			return true, err
		}
		t.low, err = p.value()
		return true, err
	}
	return false, nil
}

func (p *parser) function(t *term, op operator) error {
	if err := p.expect("("); err != nil {
		return err
	}
	var err error
	t.op = op
	if t.path, err = p.path(); err != nil {
		return err
	}
	if op == opBegins || op == opHas || op == opLacks {
		if err := p.expect(","); err != nil {
			return err
		}
		if t.low, err = p.value(); err != nil {
			return err
		}
	}
	return p.expect(")")
}

func (p *parser) expect(token string) error {
	if p.token != token {
		return errSyntax
	}
	p.next()
	return nil
}

func (p *parser) path() (string, error) {
	path := p.token
	if err := checkPath(path, p.names); err != nil {
		return "", err
	}
	p.next()
	return path, nil
}

func (p *parser) value() (types.AttributeValue, error) {
	if !strings.HasPrefix(p.token, ":") {
		return nil, errSyntax
	}
	value, given := p.values[p.token]
	if !given || value == nil {
		return nil, errUnbound
	}
	p.next()
	return value, nil
}

// lexer cuts an expression into tokens: words with their '#', ':', '.' and
// "[n]", and single punctuation marks.
type lexer struct {
	text  string
	token string
	// bad says that a character was met that no documented expression has.
	bad bool
}

func (l *lexer) next() {
	l.text = trimSpace(l.text)
	if l.text == "" {
		l.token = ""
		return
	}
	end := 0
	for end < len(l.text) && words[l.text[end]] {
		end++
	}
	if end == 0 {
		switch l.text[0] {
		case '(', ')', ',', '=', '+', '-':
			end = 1
		case '<', '>':
			end = 1
			if len(l.text) > 1 && (l.text[1] == '=' || l.text[:2] == "<>") {
				end = 2
			}
		default:
			l.bad, l.token = true, ""
			return
		}
	}
	l.token, l.text = l.text[:end], l.text[end:]
}

// trimSpace cuts white space off both ends. The functions of package strings
// build a set of bytes for each call.
func trimSpace(text string) string {
	for text != "" && isSpace(text[0]) {
		text = text[1:]
	}
	for text != "" && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// words are the bytes of names, #aliases, :values and paths.
var words = func() (set [256]bool) {
	for i := range 256 {
		c := byte(i)
		set[i] = isLetter(c) || isDigit(c) || c == '#' || c == ':' || c == '.' || c == '[' || c == ']'
	}
	return set
}()

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// checkPath reports a path that is malformed or whose aliases are unknown.
func checkPath(path string, names map[string]string) error {
	if path == "" {
		return errSyntax
	}
	for more := true; more; {
		var segment string
		segment, path, more = strings.Cut(path, ".")
		name, index, indexed := strings.Cut(segment, "[")
		if indexed && !isIndex(index) {
			return errSyntax
		}
		if _, ok := resolve(name, names); !ok {
			if strings.HasPrefix(name, "#") {
				return errAlias
			}
			return errSyntax
		}
	}
	return nil
}

// isIndex accepts what stands behind the first '[': "0]" or "0][1]".
func isIndex(text string) bool {
	for more := true; more; {
		var digits string
		digits, text, more = strings.Cut(text, "[")
		number, closed := strings.CutSuffix(digits, "]")
		if !closed || number == "" {
			return false
		}
		for i := range len(number) {
			if !isDigit(number[i]) {
				return false
			}
		}
	}
	return true
}

// resolve returns the attribute name of one segment.
func resolve(segment string, names map[string]string) (string, bool) {
	if strings.HasPrefix(segment, "#") {
		name, given := names[segment]
		return name, given && name != ""
	}
	if segment == "" || !isLetter(segment[0]) {
		return "", false
	}
	for i := range len(segment) {
		if !isLetter(segment[i]) && !isDigit(segment[i]) {
			return "", false
		}
	}
	return segment, true
}

// samePath reports whether a path names the place that the segments name. A dot
// within an aliased name is part of the name.
func samePath(path string, names map[string]string, segments []string) bool {
	for i, more := 0, true; more; i++ {
		var segment string
		segment, path, more = strings.Cut(path, ".")
		name, ok := resolve(segment, names)
		if !ok || i >= len(segments) || name != segments[i] || more != (i+1 < len(segments)) {
			return false
		}
	}
	return true
}

// isAttribute reports whether a path is that attribute and nothing within it.
func isAttribute(path string, names map[string]string, attribute string) bool {
	name, ok := resolve(path, names)
	return ok && name == attribute
}

// topLevel returns the attribute that a path is in or is.
func topLevel(path string, names map[string]string) (string, bool) {
	segment, _, _ := strings.Cut(path, ".")
	segment, _, _ = strings.Cut(segment, "[")
	return resolve(segment, names)
}
