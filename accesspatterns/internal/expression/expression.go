package expression

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Operator is the operator or function of one term.
type Operator string

// The operators of a conjunction.
const (
	Equal          Operator = "="
	NotEqual       Operator = "<>"
	Less           Operator = "<"
	LessOrEqual    Operator = "<="
	Greater        Operator = ">"
	GreaterOrEqual Operator = ">="
	Between        Operator = "BETWEEN"
	BeginsWith     Operator = "begins_with"
	Exists         Operator = "attribute_exists"
	NotExists      Operator = "attribute_not_exists"
	// Conditions of writes alone have these.
	Contains    Operator = "contains"
	NotContains Operator = "NOT contains"
	SizeGreater Operator = "size >"
)

// comparisons stand between a name and one value.
var comparisons = []Operator{Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual}

// MaxTerms bounds the terms of one conjunction, and maxDepth its parentheses.
// No documented expression comes near.
const (
	MaxTerms = 12
	maxDepth = 8
)

// Operand is a value of an expression.
type Operand struct {
	// Text is the :placeholder of a request, or the value that a contract gives,
	// without its quotes. It is empty where an operator has no such operand.
	Text string
	// Quoted says that a contract's value was quoted.
	Quoted bool
	// Value is what a request's placeholder stands for.
	Value types.AttributeValue
}

// Term is one comparison or function of a conjunction.
type Term struct {
	// Path is the attribute or the path into it, as written: "#a.#b", "name".
	Path string
	Op   Operator
	// Low is the value, or the lower bound of BETWEEN; High is the upper one. Both
	// bounds are included.
	Low, High Operand
	// Group is 0 for a term that must hold. Terms of the same group above 0 are
	// alternatives, of which one must hold; they follow one another.
	Group int
}

// Conjunction is an expression in normal form: terms that all must hold. The zero
// value has none.
type Conjunction struct {
	Terms [MaxTerms]Term
	// N is the number of terms, Groups that of groups of alternatives.
	N, Groups int
}

// All returns the terms. They share the conjunction's memory.
func (c *Conjunction) All() []Term { return c.Terms[:c.N] }

// What is wrong with an expression; errors.Is finds them.
var (
	ErrSyntax  = errors.New("expected name = :value (or <>, <, <=, >, >=), name BETWEEN :low AND :high, begins_with(name, :value), attribute_exists(name) or attribute_not_exists(name), joined by AND")
	ErrUpdate  = errors.New("expected SET, REMOVE, ADD and DELETE clauses of the grammar")
	ErrTerms   = fmt.Errorf("expected at most %d terms in at most %d parentheses", MaxTerms, maxDepth)
	ErrAlias   = errors.New("expected every #name to stand in ExpressionAttributeNames")
	ErrUnbound = errors.New("expected every :value to stand in ExpressionAttributeValues")
)

// Source says where the names and values of an expression stand.
type Source struct {
	// Names and Values are a request's ExpressionAttributeNames and
	// ExpressionAttributeValues.
	Names  map[string]string
	Values map[string]types.AttributeValue
	// literal is the form of contracts.
	literal bool
}

// Literal is the source of a contract's expressions, whose names are plain and
// whose values stand where they are used.
var Literal = Source{literal: true}

// parser reads one expression. It works on the text in place.
type parser struct {
	lexer
	Source
	into *Conjunction
	// condition allows what only conditions of writes have: single terms joined
	// by OR, and looks at the members of a set or list.
	condition bool
}

func newParser(text string, from Source) parser {
	p := parser{lexer: lexer{rest: text, hyphens: from.literal}, Source: from}
	p.next()
	return p
}

// ParseFilter brings a key condition or filter expression into normal form.
// Everything else, OR, NOT and unknown functions among it, is an error.
func ParseFilter(text string, from Source, into *Conjunction) error {
	p := newParser(text, from)
	p.into = into
	return p.all()
}

// ParseCondition brings the condition expression of a write into normal form. It
// knows more than ParseFilter: single terms joined by OR, contains, NOT
// contains and size(name) > :value.
func ParseCondition(text string, from Source, into *Conjunction) error {
	p := newParser(text, from)
	p.into, p.condition = into, true
	return p.all()
}

func (p *parser) all() error {
	p.into.N, p.into.Groups = 0, 0
	if err := p.conjunction(0); err != nil {
		return p.where(err)
	}
	if !p.ended() {
		return p.where(ErrSyntax)
	}
	return nil
}

func (p *parser) ended() bool { return p.token == "" && !p.bad }

// where adds the place to what is wrong with a contract's expression. What is
// wrong with a request's is said without it, because its text may hold values.
func (p *parser) where(err error) error {
	switch {
	case !p.literal:
		return err
	case p.ended():
		return fmt.Errorf("%w; found the end of the expression", err)
	}
	return fmt.Errorf("%w; found %q", err, p.at)
}

func (p *parser) conjunction(depth int) error {
	first, joint := p.into.N, ""
	for {
		before := p.into.N
		if err := p.term(depth); err != nil {
			return err
		}
		next := strings.ToUpper(p.token)
		if next != "AND" && (next != "OR" || !p.condition) {
			next = ""
		}
		switch {
		case joint != "" && next != "" && next != joint:
			return ErrSyntax // parentheses must say which joins first
		case (joint == "OR" || next == "OR") && p.into.N != before+1:
			return ErrSyntax // an alternative is a single term
		}
		if next == "" {
			if joint == "OR" {
				p.into.Groups++
				for i := first; i < p.into.N; i++ {
					p.into.Terms[i].Group = p.into.Groups
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
			return ErrTerms
		}
		p.next()
		if err := p.conjunction(depth + 1); err != nil {
			return err
		}
		return p.expect(")")
	}
	if p.into.N == MaxTerms {
		return ErrTerms
	}
	t := &p.into.Terms[p.into.N]
	*t = Term{}
	p.into.N++
	switch op := Operator(p.token); {
	case (op == BeginsWith || op == Exists || op == NotExists) && p.calls():
		p.next()
		return p.function(t, op)
	}
	if p.condition {
		if is, err := p.members(t); is {
			return err
		}
	}
	var err error
	if t.Path, err = p.path(); err != nil {
		return err
	}
	switch op := Operator(p.token); {
	case slices.Contains(comparisons, op):
		p.next()
		t.Op = op
		t.Low, err = p.value()
		return err
	case strings.EqualFold(p.token, "BETWEEN"):
		p.next()
		t.Op = Between
		if t.Low, err = p.value(); err != nil {
			return err
		}
		if !strings.EqualFold(p.token, "AND") {
			return ErrSyntax
		}
		p.next()
		t.High, err = p.value()
		return err
	}
	return ErrSyntax
}

// members reads a term about the members of a set or list, and reports whether it
// is one.
func (p *parser) members(t *Term) (is bool, err error) {
	switch {
	case p.token == string(Contains) && p.calls():
		p.next()
		return true, p.function(t, Contains)
	case strings.EqualFold(p.token, "NOT"):
		p.next()
		if err := p.expect(string(Contains)); err != nil {
			return true, err
		}
		return true, p.function(t, NotContains)
	case p.token == "size" && p.calls():
		p.next()
		if err := p.function(t, SizeGreater); err != nil {
			return true, err
		}
		if err := p.expect(string(Greater)); err != nil {
			return true, err
		}
		t.Low, err = p.value()
		return true, err
	}
	return false, nil
}

func (p *parser) function(t *Term, op Operator) error {
	if err := p.expect("("); err != nil {
		return err
	}
	var err error
	t.Op = op
	if t.Path, err = p.path(); err != nil {
		return err
	}
	if op == BeginsWith || op == Contains || op == NotContains {
		if err := p.expect(","); err != nil {
			return err
		}
		if t.Low, err = p.value(); err != nil {
			return err
		}
	}
	return p.expect(")")
}

func (p *parser) expect(token string) error {
	if p.token != token {
		return ErrSyntax
	}
	p.next()
	return nil
}

func (p *parser) path() (string, error) {
	path := p.token
	if err := p.CheckPath(path); err != nil {
		return "", err
	}
	p.next()
	return path, nil
}

func (p *parser) value() (Operand, error) {
	if p.literal {
		return p.literalValue()
	}
	if !strings.HasPrefix(p.token, ":") {
		return Operand{}, ErrSyntax
	}
	value, given := p.Values[p.token]
	if !given || value == nil {
		return Operand{}, ErrUnbound
	}
	operand := Operand{Text: p.token, Value: value}
	p.next()
	return operand, nil
}
