package expression

import (
	"errors"
	"strings"
)

// Clause is a section of an update expression.
type Clause string

// The clauses of an update expression.
const (
	Set    Clause = "SET"
	Remove Clause = "REMOVE"
	Add    Clause = "ADD"
	Delete Clause = "DELETE"
)

// Change is what an update expression does to one path.
type Change struct {
	Clause Clause
	// Path is as written.
	Path string
	// Sign is + or - for a SET of the form path = path + value, and empty for any
	// other change.
	Sign string
	// Keeps says that a SET is of the form path = if_not_exists(path, value).
	Keeps bool
	// Value is what is set, added, taken away, put behind the sign or set where
	// nothing is stored. It is empty for REMOVE, and for a SET that computes in
	// another way.
	Value Operand
	// Computed is the right side, as written, of a SET that computes with stored
	// values in another way: if_not_exists(other, :v), other + :v.
	Computed string
	// Right is the whole right side of a SET.
	Right Assigned
}

// Assigned is the right side of a SET, or a part of it.
type Assigned struct {
	// Function is +, -, if_not_exists or list_append, each of two parts. It is empty
	// for an operand.
	Function string
	Of       []Assigned
	// Operand is a value, or a path.
	Operand Operand
}

// value reports whether the part is a value.
func (a *Assigned) value() bool { return a.Function == "" && a.Operand.Path == "" }

// Stored says that what the path holds after the change shows what was stored
// before it.
func (c *Change) Stored() bool {
	return c.Clause == Add || c.Clause == Delete || c.Sign != "" || c.Keeps || c.Computed != ""
}

// ParseUpdate takes an update expression apart. What it does not know is an
// error.
func ParseUpdate(text string, from Source) ([]Change, error) {
	p := newParser(text, from)
	p.members = from.literal
	var changes []Change
	for p.token != "" {
		clause := Clause(strings.ToUpper(p.token))
		p.next()
		for {
			c := Change{Clause: clause}
			if err := p.change(&c); err != nil {
				return nil, p.where(err)
			}
			changes = append(changes, c)
			if p.token != "," {
				break
			}
			p.next()
		}
	}
	if p.bad || len(changes) == 0 {
		return nil, p.where(ErrUpdate)
	}
	return changes, nil
}

func (p *parser) change(c *Change) error {
	var err error
	if c.Path, err = p.path(); err != nil {
		return inUpdate(err)
	}
	switch c.Clause {
	case Set:
		if err = p.expect("="); err == nil {
			err = p.assigned(c)
		}
	case Add, Delete:
		c.Value, err = p.value()
	case Remove:
	default:
		err = ErrUpdate
	}
	return inUpdate(err)
}

// inUpdate says what an update is like, where it is not like one.
func inUpdate(err error) error {
	if errors.Is(err, ErrSyntax) {
		return ErrUpdate
	}
	return err
}

// assigned reads the right side of an assignment into the change.
func (p *parser) assigned(c *Change) error {
	right := p.at
	var err error
	if c.Right, err = p.updateOperand(0, p.token == c.Path); err != nil {
		return err
	}
	if p.token == "+" || p.token == "-" {
		sign := p.token
		p.next()
		by, err := p.updateOperand(0, false)
		if err != nil {
			return err
		}
		c.Right = Assigned{Function: sign, Of: []Assigned{c.Right, by}}
	}
	of := c.Right.Of
	switch own := len(of) == 2 && of[0].Function == "" && p.Same(of[0].Operand.Path, c.Path) && of[1].value(); {
	case c.Right.value():
		c.Value = c.Right.Operand
	case own && (c.Right.Function == "+" || c.Right.Function == "-"):
		c.Sign, c.Value = c.Right.Function, of[1].Operand
	case own && c.Right.Function == "if_not_exists":
		c.Keeps, c.Value = true, of[1].Operand
	default:
		c.Computed = trimSpace(right[:len(right)-len(p.at)])
	}
	return nil
}

// updateOperand reads a value, a path or a function. A word of a contract is a value
// unless path says that it is not.
func (p *parser) updateOperand(depth int, path bool) (part Assigned, err error) {
	if depth == maxDepth {
		return part, ErrTerms
	}
	if (p.token == "if_not_exists" || p.token == "list_append") && p.calls() {
		part = Assigned{Function: p.token, Of: make([]Assigned, 2)}
		p.next()
		_ = p.expect("(")
		if part.Of[0], err = p.updateOperand(depth+1, true); err == nil {
			err = p.expect(",")
		}
		if err == nil {
			part.Of[1], err = p.updateOperand(depth+1, false)
		}
		if err == nil {
			err = p.expect(")")
		}
		return part, err
	}
	if strings.HasPrefix(p.token, ":") || p.literal && !path {
		part.Operand, err = p.value()
		return part, err
	}
	part.Operand.Path, err = p.path()
	return part, err
}
