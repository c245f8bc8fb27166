package expression

import (
	"errors"
	"fmt"
	"iter"
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
	// Filters and conditions of writes alone have these, and what [Operator.Negated]
	// and size make of the others.
	Contains    Operator = "contains"
	NotContains Operator = "NOT contains"
	IsType      Operator = "attribute_type"
)

const (
	negated = "NOT "
	ofSize  = "size "
)

// Negated returns the operator that holds where this one, which has no NOT, does not.
func (o Operator) Negated() Operator {
	switch o {
	case Exists:
		return NotExists
	case NotExists:
		return Exists
	}
	return negated + o
}

// Parts takes an operator apart: "NOT size >" is a negated > of the size.
func (o Operator) Parts() (negation, size bool, base Operator) {
	text, negation := strings.CutPrefix(string(o), negated)
	text, size = strings.CutPrefix(text, ofSize)
	return negation, size, Operator(text)
}

// Base returns the operator without NOT and size.
func (o Operator) Base() Operator {
	_, _, base := o.Parts()
	return base
}

// ImpliesItem reports whether a term with the operator holds for a stored item
// alone. The others hold for an attribute that is not there as well.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
func (o Operator) ImpliesItem() bool {
	negation, _, base := o.Parts()
	return !negation && base != NotExists && base != NotEqual
}

// Compares reports whether the operator compares with a value.
func (o Operator) Compares() bool { return o != Exists && o != NotExists }

// ForSortKeys reports whether DynamoDB has the operator for sort keys.
func (o Operator) ForSortKeys() bool {
	return slices.Contains([]Operator{Equal, Less, LessOrEqual, Greater, GreaterOrEqual, BeginsWith, Between}, o)
}

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
	// Path is the attribute, or the path into it, that stands in place of a value.
	Path string
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

// Clauses are what must all hold: the alternatives of which one must, or a term alone. They share the conjunction's memory.
func (c *Conjunction) Clauses() iter.Seq[[]Term] { return clauses(c.All()) }

func clauses(terms []Term) iter.Seq[[]Term] {
	return func(yield func([]Term) bool) {
		for rest := terms; len(rest) > 0; {
			n := 1
			for rest[0].Group > 0 && n < len(rest) && rest[n].Group == rest[0].Group {
				n++
			}
			if !yield(rest[:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// What is wrong with an expression; errors.Is finds them.
var (
	ErrSyntax  = errors.New("expected name = :value (or <>, <, <=, >, >=), name BETWEEN :low AND :high, begins_with(name, :value), attribute_exists(name) or another of DynamoDB's conditions, joined by AND")
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
	// condition allows what only filters and conditions of writes have.
	condition bool
	// syntax is what is said of a text that is not of the grammar.
	syntax error
	// err is the first thing that is wrong. Nothing is read behind it.
	err error
}

func newParser(text string, from Source, syntax error) parser {
	p := parser{lexer: lexer{rest: text, hyphens: from.literal}, Source: from, syntax: syntax}
	p.next()
	return p
}

// ParseKeyCondition brings a key condition into normal form. Everything else, OR,
// NOT and unknown functions among it, is an error.
func ParseKeyCondition(text string, from Source, into *Conjunction) error {
	p := newParser(text, from, ErrSyntax)
	p.into = into
	return p.all()
}

// ParseCondition brings a filter, or the condition expression of a write, into
// normal form. It knows all of DynamoDB's grammar but the size of an attribute on
// the right side. What is joined by OR and IN becomes groups of alternatives; what
// NOT negates are single terms.
func ParseCondition(text string, from Source, into *Conjunction) error {
	p := newParser(text, from, ErrSyntax)
	p.into, p.condition = into, true
	return p.all()
}

func (p *parser) ended() bool { return p.token == "" && !p.bad }

// fail ends the reading. It adds the place to what is wrong with a contract's expression. What is
// wrong with a request's is said without it, because its text may hold values.
func (p *parser) fail(err error) {
	if p.err != nil {
		return
	}
	switch {
	case !p.literal:
		p.err = err
	case p.ended():
		p.err = fmt.Errorf("%w; found the end of the expression", err)
	default:
		p.err = fmt.Errorf("%w; found %q", err, p.at)
	}
	p.lexer = lexer{}
}

// leaf reads a comparison or function; among says that it is a comparison with one of several values, which follow.
func (p *parser) leaf(t *Term) (among bool) {
	switch op := Operator(p.token); {
	case !p.calls():
	case op == BeginsWith, op == Exists, op == NotExists, p.condition && (op == Contains || op == IsType):
		p.function(t, op)
		return false
	case p.condition && op == "size":
		p.function(t, op)
		p.comparison(t)
		t.Op = ofSize + t.Op
		return false
	}
	t.Path = p.path()
	if p.condition && strings.EqualFold(p.token, "IN") {
		p.next()
		t.Op = Equal
		p.expect("(")
		return true
	}
	p.comparison(t)
	return false
}

// comparison reads what stands behind the attribute.
func (p *parser) comparison(t *Term) {
	switch op := Operator(p.token); {
	case slices.Contains(comparisons, op):
		p.next()
		t.Op, t.Low = op, p.right()
	case strings.EqualFold(p.token, "BETWEEN"):
		p.next()
		t.Op, t.Low = Between, p.right()
		p.expect("AND")
		t.High = p.right()
	default:
		p.fail(p.syntax)
	}
}

// right reads a value, or in a filter or condition the attribute that stands in its
// place.
func (p *parser) right() Operand {
	isName := !strings.HasPrefix(p.token, ":")
	if p.literal {
		isName = strings.HasPrefix(p.token, `"`)
	}
	if !isName || !p.condition {
		return p.value()
	}
	return Operand{Path: p.path()}
}

func (p *parser) function(t *Term, op Operator) {
	p.next()
	p.expect("(")
	t.Op, t.Path = op, p.path()
	if op == BeginsWith || op == Contains || op == IsType {
		p.expect(",")
		t.Low = p.right()
	}
	p.expect(")")
}

// expect reads a mark, or a word in whatever case.
func (p *parser) expect(token string) {
	if strings.EqualFold(p.token, token) {
		p.next()
		return
	}
	p.fail(p.syntax)
}

func (p *parser) path() string {
	path := p.token
	switch err := p.CheckPath(path); {
	case errors.Is(err, ErrSyntax):
		p.fail(p.syntax)
	case err != nil:
		p.fail(err)
	}
	if p.literal {
		path = strings.Trim(path, `"`)
	}
	p.next()
	return path
}

func (p *parser) value() (operand Operand) {
	value := p.Values[p.token]
	switch {
	case p.literal:
		return p.literalValue()
	case !strings.HasPrefix(p.token, ":"):
		p.fail(p.syntax)
	case value == nil:
		p.fail(ErrUnbound)
	default:
		operand = Operand{Text: p.token, Value: value}
		p.next()
	}
	return operand
}
