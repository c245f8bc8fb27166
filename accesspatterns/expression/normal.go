package expression

import (
	"slices"
	"strings"
)

// clause holds alternatives, of which one must hold.
type clause []Term

// general reads any expression of the grammar and brings it into the normal form:
// clauses that all must hold, each of alternatives. NOT goes down to single terms,
// whose operators it negates.
func (p *parser) general() error {
	clauses, err := p.either(false, 0)
	if err == nil && !p.ended() {
		err = ErrSyntax
	}
	if err != nil {
		return p.where(err)
	}
	p.into.N, p.into.Groups = 0, 0
	for _, alternatives := range clauses {
		group := 0
		if len(alternatives) > 1 {
			p.into.Groups++
			group = p.into.Groups
		}
		for _, t := range alternatives {
			if p.into.N == MaxTerms {
				return ErrTerms
			}
			t.Group = group
			p.into.Terms[p.into.N] = t
			p.into.N++
		}
	}
	return nil
}

// either reads what OR joins, and both what AND joins; negation says that the whole
// is negated, by which the two change places.
func (p *parser) either(negation bool, depth int) ([]clause, error) {
	return p.joined("OR", negation, func() ([]clause, error) { return p.both(negation, depth) })
}

func (p *parser) both(negation bool, depth int) ([]clause, error) {
	return p.joined("AND", negation, func() ([]clause, error) { return p.single(negation, depth) })
}

func (p *parser) joined(by string, negation bool, operand func() ([]clause, error)) ([]clause, error) {
	all, err := operand()
	for err == nil && strings.EqualFold(p.token, by) {
		p.next()
		var more []clause
		if more, err = operand(); err != nil {
			break
		}
		if (by == "AND") != negation {
			all = append(all, more...)
		} else {
			all = product(all, more)
		}
		terms := 0
		for _, alternatives := range all {
			terms += len(alternatives)
		}
		if terms > MaxTerms {
			err = ErrTerms
		}
	}
	return all, err
}

// product is one or other, clause by clause.
func product(one, other []clause) []clause {
	var all []clause
	for _, a := range one {
		for _, b := range other {
			all = append(all, slices.Concat(a, b))
		}
	}
	return all
}

func (p *parser) single(negation bool, depth int) ([]clause, error) {
	if depth == maxDepth {
		return nil, ErrTerms
	}
	switch {
	case strings.EqualFold(p.token, "NOT"):
		p.next()
		return p.single(!negation, depth+1)
	case p.token == "(":
		p.next()
		inner, err := p.either(negation, depth+1)
		if err == nil {
			err = p.expect(")")
		}
		return inner, err
	}
	var t Term
	before := *p
	err := p.leaf(&t)
	if err != nil {
		*p = before
		return p.among(negation)
	}
	if negation {
		t.Op = t.Op.Negated()
	}
	return []clause{{t}}, nil
}

// among reads name IN (value, ...): alternatives of equality.
func (p *parser) among(negation bool) ([]clause, error) {
	path, err := p.path()
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(p.token, "IN") {
		return nil, ErrSyntax
	}
	p.next()
	if err := p.expect("("); err != nil {
		return nil, err
	}
	var found clause
	for {
		t := Term{Path: path, Op: Equal}
		if t.Low, err = p.right(); err != nil {
			return nil, err
		}
		if found = append(found, t); len(found) > MaxTerms {
			return nil, ErrTerms
		}
		if p.token != "," {
			break
		}
		p.next()
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	if !negation {
		return []clause{found}, nil
	}
	var none []clause
	for _, t := range found {
		t.Op = t.Op.Negated()
		none = append(none, clause{t})
	}
	return none, nil
}
