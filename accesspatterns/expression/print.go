package expression

import (
	"strings"

	"dynaproof/accesspatterns/lists"
)

// String writes the value as it stands in an expression, in quotes where it must
// be.
func (o Operand) String() string {
	if o.Path != "" {
		return o.Path
	}
	if o.Value == nil && (o.Quoted || bareLength(o.Text) != len(o.Text) || o.Text == "") {
		return "'" + strings.ReplaceAll(o.Text, "'", "''") + "'"
	}
	return o.Text
}

// String writes the term.
func (t Term) String() string {
	negation, size, op := t.Op.Parts()
	prefix, left := "", t.Path
	if negation {
		prefix = negated
	}
	if size {
		left = "size(" + t.Path + ")"
	}
	switch op {
	case Exists, NotExists:
		return prefix + string(op) + "(" + t.Path + ")"
	case BeginsWith, Contains, IsType:
		return prefix + string(op) + "(" + t.Path + ", " + t.Low.String() + ")"
	case Between:
		return prefix + left + " BETWEEN " + t.Low.String() + " AND " + t.High.String()
	}
	return prefix + left + " " + string(op) + " " + t.Low.String()
}

// Print writes a conjunction of terms, as a filter or a condition. Alternatives
// stand in parentheses.
func Print(terms []Term) string {
	var all []string
	for alternatives := range clauses(terms) {
		texts := lists.Map(alternatives, Term.String)
		text := strings.Join(texts, " OR ")
		if alternatives[0].Group != 0 {
			text = "(" + text + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, " AND ")
}

// String writes the change without its clause.
func (c Change) String() string {
	switch {
	case c.Clause == Remove:
		return c.Path
	case c.Clause != Set:
		return c.Path + " " + c.Value.String()
	case c.Computed != "":
		return c.Path + " = " + c.Computed
	case c.Keeps:
		return c.Path + " = if_not_exists(" + c.Path + ", " + c.Value.String() + ")"
	case c.Sign != "":
		return c.Path + " = " + c.Path + " " + c.Sign + " " + c.Value.String()
	case c.Value.Value == nil && c.Value.Text == c.Path:
		c.Value.Quoted = true // the text, not the attribute
	}
	return c.Path + " = " + c.Value.String()
}

// PrintUpdate writes an update expression, clause by clause.
func PrintUpdate(changes []Change) string {
	var clauses []string
	for _, clause := range []Clause{Set, Remove, Add, Delete} {
		var of []string
		for _, c := range changes {
			if c.Clause == clause {
				of = append(of, c.String())
			}
		}
		if len(of) > 0 {
			clauses = append(clauses, string(clause)+" "+strings.Join(of, ", "))
		}
	}
	return strings.Join(clauses, " ")
}
