package expression

import "strings"

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
	p := newParser(text, from, ErrUpdate)
	p.members = from.literal
	var changes []Change
	for p.token != "" {
		clause := Clause(strings.ToUpper(p.token))
		for more := true; more; more = p.token == "," {
			p.next()
			changes = append(changes, p.change(clause))
		}
	}
	if p.bad || len(changes) == 0 {
		p.fail(p.syntax)
	}
	if p.err != nil {
		return nil, p.err
	}
	return changes, nil
}

func (p *parser) change(clause Clause) Change {
	c := Change{Clause: clause, Path: p.path()}
	switch clause {
	case Set:
		p.expect("=")
		p.assigned(&c)
	case Add, Delete:
		c.Value = p.value()
	case Remove:
	default:
		p.fail(p.syntax)
	}
	return c
}

// assigned reads the right side of an assignment into the change.
func (p *parser) assigned(c *Change) {
	right := p.at
	c.Right = p.updateOperand(0, p.token == c.Path)
	if sign := p.token; sign == "+" || sign == "-" {
		p.next()
		c.Right = Assigned{Function: sign, Of: []Assigned{c.Right, p.updateOperand(0, false)}}
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
}

// updateOperand reads a value, a path or a function. A word of a contract is a value
// unless path says that it is not.
func (p *parser) updateOperand(depth int, path bool) (part Assigned) {
	switch function := p.token; {
	case depth == maxDepth:
		p.fail(ErrTerms)
	case (function == "if_not_exists" || function == "list_append") && p.calls():
		p.next()
		p.expect("(")
		first := p.updateOperand(depth+1, true)
		p.expect(",")
		part = Assigned{Function: function, Of: []Assigned{first, p.updateOperand(depth+1, false)}}
		p.expect(")")
	case strings.HasPrefix(p.token, ":") || p.literal && !path:
		part.Operand = p.value()
	default:
		part.Operand.Path = p.path()
	}
	return part
}
