package expression

import "strings"

// all reads a whole expression into the normal form: clauses that all must hold, each of alternatives. widest is the word
// that binds least in it.
func (p *parser) all(widest string) error {
	p.into.N, p.into.Groups = 0, 0
	err := p.joined(widest, false, 0)
	if err == nil && !p.ended() {
		err = ErrSyntax
	}
	if err != nil {
		return p.where(err)
	}
	p.into.Groups = 0
	for alternatives := range p.into.Clauses() {
		if len(alternatives) == 1 {
			continue
		}
		p.into.Groups++
		for i := range alternatives {
			alternatives[i].Group = p.into.Groups
		}
	}
	return nil
}

// joined reads what OR joins, or AND. NOT goes down to single terms, whose operators it negates: negation says that the
// whole is negated, by which the two words change places.
func (p *parser) joined(by string, negation bool, depth int) (err error) {
	first := p.into.N
	for {
		next := p.into.N
		if by == "OR" {
			err = p.joined("AND", negation, depth)
		} else {
			err = p.single(negation, depth)
		}
		if err == nil && (by == "OR") != negation {
			err = p.either(first, next)
		}
		if err != nil || !strings.EqualFold(p.token, by) {
			return err
		}
		p.next()
	}
}

// single reads what no word joins: a term, or what stands in parentheses.
func (p *parser) single(negation bool, depth int) error {
	for p.condition && strings.EqualFold(p.token, "NOT") {
		p.next()
		negation = !negation
	}
	if p.token != "(" {
		return p.term(negation)
	}
	if depth == maxDepth {
		return ErrTerms
	}
	widest := "AND"
	if p.condition {
		widest = "OR"
	}
	p.next()
	if err := p.joined(widest, negation, depth+1); err != nil {
		return err
	}
	return p.expect(")")
}

// term reads a term, or an alternative of equality for each value of name IN (value, ...).
func (p *parser) term(negation bool) error {
	if p.into.N == MaxTerms {
		return ErrTerms
	}
	var t Term
	among, err := p.leaf(&t)
	if negation {
		t.Op = t.Op.Negated()
	}
	if err != nil || !among {
		p.into.add(t)
		return err
	}
	for first := p.into.N; ; p.next() {
		if p.into.N == MaxTerms {
			return ErrTerms
		}
		if t.Low, err = p.right(); err != nil {
			return err
		}
		p.into.add(t)
		if !negation {
			err = p.either(first, p.into.N-1)
		}
		if err != nil || p.token != "," {
			break
		}
	}
	if err == nil {
		err = p.expect(")")
	}
	return err
}

func (c *Conjunction) add(t Term) {
	c.Terms[c.N] = t
	c.N++
}

// either makes alternatives of two parts of the expression: of the clauses from first on, and of those from next on. One or the other
// holds where each clause of the one, joined with each clause of the other, does.
func (p *parser) either(first, next int) error {
	if first == next {
		return nil // there is one part so far
	}
	var made Conjunction
	for one := range clauses(p.into.Terms[first:next]) {
		for other := range clauses(p.into.Terms[next:p.into.N]) {
			if made.N+len(one)+len(other) > MaxTerms-first {
				return ErrTerms
			}
			p.into.Groups++
			for _, part := range [][]Term{one, other} {
				for _, t := range part {
					t.Group = p.into.Groups
					made.add(t)
				}
			}
		}
	}
	p.into.N = first + copy(p.into.Terms[first:], made.All())
	return nil
}
