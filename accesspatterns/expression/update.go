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
}

// Stored says that what the path holds after the change shows what was stored
// before it.
func (c *Change) Stored() bool {
	return c.Clause == Add || c.Clause == Delete || c.Sign != "" || c.Keeps || c.Computed != ""
}

// ParseUpdate takes an update expression apart. What it does not know is an
// error.
func ParseUpdate(text string, from Source) ([]Change, error) {
	p := newParser(text, from)
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
	first, right := p.token, p.at
	own := first == c.Path
	value, plain, err := p.updateOperand(0, own)
	if err != nil {
		return err
	}
	if p.token != "+" && p.token != "-" {
		if c.Value = value; !plain {
			c.Computed = p.since(right)
			p.keeps(c)
		}
		return nil
	}
	sign := p.token
	p.next()
	value, plain, err = p.updateOperand(0, false)
	if err != nil {
		return err
	}
	if own && plain {
		c.Sign, c.Value = sign, value
	} else {
		c.Computed = p.since(right)
	}
	return nil
}

// keeps takes a change that was found to be computed for one that keeps what is
// stored, where it is.
func (p *parser) keeps(c *Change) {
	of := newParser(c.Computed, p.Source)
	if of.token != "if_not_exists" || !of.calls() {
		return
	}
	of.next()
	_ = of.expect("(")
	if path, err := of.path(); err != nil || path != c.Path || of.expect(",") != nil {
		return
	}
	if value, plain, err := of.updateOperand(0, false); err == nil && plain {
		c.Keeps, c.Value, c.Computed = true, value, ""
	}
}

// since is the text from a place to the token.
func (p *parser) since(at string) string { return trimSpace(at[:len(at)-len(p.at)]) }

// updateOperand reads a value, a path or a function. plain says that it is a
// value. A word of a contract is a value unless path says that it is not.
func (p *parser) updateOperand(depth int, path bool) (value Operand, plain bool, err error) {
	if depth == maxDepth {
		return Operand{}, false, ErrTerms
	}
	if (p.token == "if_not_exists" || p.token == "list_append") && p.calls() {
		p.next()
		_ = p.expect("(")
		if _, _, err = p.updateOperand(depth+1, true); err == nil {
			err = p.expect(",")
		}
		if err == nil {
			_, _, err = p.updateOperand(depth+1, false)
		}
		if err == nil {
			err = p.expect(")")
		}
		return Operand{}, false, err
	}
	if strings.HasPrefix(p.token, ":") || p.literal && !path {
		value, err = p.value()
		return value, true, err
	}
	_, err = p.path()
	return Operand{}, false, err
}
