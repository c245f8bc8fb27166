package expression

import "strings"

// all reads a whole expression into the normal form: clauses that all must hold, each of alternatives.
func (p *parser) all() error {
	p.into.N, p.into.Groups = 0, 0
	p.whole(false, 0)
	if !p.ended() {
		p.fail(p.syntax)
	}
	if p.err != nil {
		return p.err
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

// whole reads an expression, or what stands in parentheses. OR is the word that binds least; a key condition has AND alone.
func (p *parser) whole(negation bool, depth int) {
	if p.condition {
		p.joined("OR", negation, depth)
		return
	}
	p.joined("AND", negation, depth)
}

// joined reads what OR joins, or AND. NOT goes down to single terms, whose operators it negates: negation says that the
// whole is negated, by which the two words change places.
func (p *parser) joined(by string, negation bool, depth int) {
	for first := p.into.N; ; p.next() {
		next := p.into.N
		if by == "OR" {
			p.joined("AND", negation, depth)
		} else {
			p.single(negation, depth)
		}
		if (by == "OR") != negation {
			p.either(first, next)
		}
		if !strings.EqualFold(p.token, by) {
			return
		}
	}
}

// single reads what no word joins: a term, or what stands in parentheses.
func (p *parser) single(negation bool, depth int) {
	for p.condition && strings.EqualFold(p.token, "NOT") {
		p.next()
		negation = !negation
	}
	switch {
	case p.token != "(":
		p.term(negation)
	case depth == maxDepth:
		p.fail(ErrTerms)
	default:
		p.next()
		p.whole(negation, depth+1)
		p.expect(")")
	}
}

// term reads a term, or an alternative of equality for each value of name IN (value, ...).
func (p *parser) term(negation bool) {
	if p.into.N == MaxTerms {
		p.fail(ErrTerms)
		return
	}
	var t Term
	among := p.leaf(&t)
	if negation {
		t.Op = t.Op.Negated()
	}
	if !among {
		p.into.add(t)
		return
	}
	for first := p.into.N; ; p.next() {
		if p.into.N == MaxTerms {
			p.fail(ErrTerms)
			return
		}
		t.Low = p.right()
		p.into.add(t)
		if !negation {
			p.either(first, p.into.N-1)
		}
		if p.token != "," {
			break
		}
	}
	p.expect(")")
}

func (c *Conjunction) add(t Term) {
	c.Terms[c.N] = t
	c.N++
}

// either makes alternatives of two parts of the expression: of the clauses from first on, and of those from next on. One or the other
// holds where each clause of the one, joined with each clause of the other, does.
func (p *parser) either(first, next int) {
	if first == next {
		return // there is one part so far
	}
	var made Conjunction
	for one := range clauses(p.into.Terms[first:next]) {
		for other := range clauses(p.into.Terms[next:p.into.N]) {
			if made.N+len(one)+len(other) > MaxTerms-first {
				p.fail(ErrTerms)
				return
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
}
