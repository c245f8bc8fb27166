package explore

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/validate"
)

// values are those of attributes; nil is none.
type values = map[string]types.AttributeValue

// demand is what a write asks of the item in its place.
type demand struct {
	x         *explorer
	entity    *ap.Entity
	law       *formula
	condition expression.Conjunction
	source    expression.Source
	params    ap.Params
	// tries are how many values may still be tried.
	tries int
}

// maxTries bounds the values that are tried for one item.
const maxTries = 200

// demandOf is what a write asks for; with a law the item has all attributes that it reads.
func (x *explorer) demandOf(w *sdk.Write, e *ap.Entity, law *formula) *demand {
	d := &demand{x: x, entity: e, law: law, source: expression.Source{Names: w.Names, Values: w.Values}, tries: maxTries}
	if expression.ParseCondition(aws.ToString(w.Condition), d.source, &d.condition) != nil {
		d.condition = expression.Conjunction{}
	}
	d.params, _ = validate.ParseKeys(e, w.Place())
	return d
}

// attribute is the attribute that a term is about, other than those of the primary key; empty where it is about a part of one.
func (d *demand) attribute(term *expression.Term) string {
	name, known := d.source.TopLevel(term.Path)
	_, is := d.entity.Attribute(name)
	_, isKey := d.entity.Key(name)
	if !known || !d.source.IsAttribute(term.Path, name) || !is && !isKey || d.x.design.PrimaryKey(d.entity).Has(name) {
		return ""
	}
	return name
}

// equal are the values that an item must have, as far as single terms tell; absent says that no item may be there.
func (d *demand) equal() (equal values, absent bool) {
	equal = values{}
	for _, term := range d.condition.All() {
		if term.Group > 0 {
			continue
		}
		if name, known := d.source.TopLevel(term.Path); known && term.Op == expression.NotExists && d.x.design.PrimaryKey(d.entity).Has(name) {
			return nil, true
		}
		name := d.attribute(&term)
		a, _ := d.entity.Attribute(name)
		switch {
		case name == "":
		case term.Op == expression.NotExists:
			equal[name] = nil
		case term.Op == expression.Equal && term.Low.Value != nil:
			equal[name] = term.Low.Value
		case (term.Op == expression.GreaterOrEqual || term.Op == expression.Greater) && d.law != nil && term.Low.Value != nil:
			if n, err := strconv.ParseFloat(dynamo.ScalarText(term.Low.Value), 64); err == nil { // twice as much, so that it can be carried out twice
				equal[name] = number(2 * n)
			}
		case term.Op == expression.Contains && a != nil && (a.Type == dynamo.StringSet || a.Type == dynamo.List) && term.Low.Value != nil:
			equal[name] = holding(a.Type, term.Low.Value)
		}
	}
	return equal, false
}

func number(n float64) types.AttributeValue {
	return dynamo.Scalar(dynamo.Number, strconv.FormatFloat(n, 'f', -1, 64))
}

// item makes one with some values that stay and some that may be others, where the condition asks for these. It says no where none is
// found.
func (d *demand) item(stay, may values) (ap.Item, bool) {
	all := maps.Clone(may)
	maps.Copy(all, stay)
	item, valid := d.x.filled(d.law, d.entity, d.params, all)
	for clause := range d.condition.Clauses() {
		if holds, err := evaluate.OneOf(clause, d.source, item); holds || err != nil {
			continue
		}
		for term := range lists.Each(clause) {
			name := d.attribute(term)
			if _, stays := stay[name]; name == "" || stays {
				continue
			}
			if found, is := d.parts(name, term, stay, may, item); is {
				return found, true
			}
			for _, value := range d.candidates(name, term, item) {
				if d.tries--; d.tries < 0 {
					return nil, false
				}
				if low, high := d.operands(term, item); !evaluate.Holds(term.Op, value, low, high) {
					continue
				}
				with := maps.Clone(stay)
				with[name] = value
				if found, is := d.item(with, may); is {
					return found, true
				}
			}
		}
		return nil, false
	}
	return item, valid
}

// parts makes an item whose key, of which attributes are parts, fulfils a term: with other values of one of these.
func (d *demand) parts(name string, term *expression.Term, stay, may values, item ap.Item) (ap.Item, bool) {
	key, isKey := d.entity.Key(name)
	if _, is := d.entity.Attribute(name); is || !isKey {
		return nil, false
	}
	low, high := d.operands(term, item)
	texts := append(begun(key.Template, dynamo.ScalarText(low)), begun(key.Template, dynamo.ScalarText(high))...)
	for _, parameter := range key.Template.Parameters() {
		a, is := d.entity.Attribute(key.Bound(parameter))
		if !is {
			continue
		}
		if _, stays := stay[a.Name]; stays {
			continue
		}
		domain := d.x.universe.domain(d.entity, a.Name)
		for _, text := range texts {
			if parsed, err := key.Template.Parse(text); err == nil {
				domain = append(domain, dynamo.Scalar(a.Type, parsed[parameter]))
			}
		}
		for _, value := range domain {
			if d.tries--; d.tries < 0 {
				return nil, false
			}
			with := maps.Clone(stay)
			with[a.Name] = value
			all := maps.Clone(may)
			maps.Copy(all, with)
			if tried, valid := d.x.filled(d.law, d.entity, d.params, all); !valid || !evaluate.Holds(term.Op, tried[name], low, high) {
				continue
			}
			if found, is := d.item(with, may); is {
				return found, true
			}
		}
	}
	return nil, false
}

// begun are texts of a form of keys that may begin with a text: it is followed by what the form has behind each of its places.
func begun(form ap.KeyTemplate, text string) (all []string) {
	rest := string(form)
	for {
		all = append(all, text+ap.KeyTemplate(rest).Replaced(func(string) string { return "1" }))
		switch at := strings.IndexByte(rest, '}'); {
		case rest == "":
			return all
		case rest[0] == '{' && at > 0:
			rest = rest[at+1:]
		default:
			rest = rest[1:]
		}
	}
}

// operands are the values with which a term compares.
func (d *demand) operands(term *expression.Term, item ap.Item) (low, high types.AttributeValue) {
	low, _ = evaluate.Operand(term.Low, d.source, item)
	high, _ = evaluate.Operand(term.High, d.source, item)
	return low, high
}

// candidates are values of an attribute that may fulfil a term: those of the universe, and those beside what the term names.
func (d *demand) candidates(name string, term *expression.Term, item ap.Item) []types.AttributeValue {
	all := d.x.universe.domain(d.entity, name)
	a, is := d.entity.Attribute(name)
	if !is {
		return all
	}
	_, size, _ := term.Op.Parts()
	low, high := d.operands(term, item)
	for _, operand := range []types.AttributeValue{low, high} {
		text := dynamo.ScalarText(operand)
		n, err := strconv.ParseFloat(text, 64)
		isNumber := err == nil && dynamo.TypeOf(operand) == dynamo.Number
		switch {
		case operand == nil:
		case size && isNumber:
			for _, n := range []int{int(n), int(n) - 1, int(n) + 1} {
				if n >= 0 && n <= maxSize {
					all = append(all, d.sized(a, n))
				}
			}
		case a.Type == dynamo.Number && isNumber:
			all = append(all, operand, number(n-1), number(n+1))
		case a.Type == dynamo.String:
			all = append(all, dynamo.Scalar(dynamo.String, text), dynamo.Scalar(dynamo.String, text+"x"))
		case a.Type == dynamo.StringSet || a.Type == dynamo.List:
			all = append(all, holding(a.Type, operand))
		}
	}
	return all
}

// maxSize bounds the sizes that are tried.
const maxSize = 100

// sized is a value of an attribute that has so many letters or members.
func (d *demand) sized(a *ap.Attribute, n int) types.AttributeValue {
	if a.Type == dynamo.String {
		return dynamo.Scalar(dynamo.String, strings.Repeat("x", n))
	}
	members := d.x.universe.elements(d.entity, a)
	for len(members) < n {
		members = append(members[:len(members):len(members)], members[0]+strconv.Itoa(len(members)))
	}
	return several(a.Type, members[:n]...)
}

// readyFor adds a state in which a move can be carried out: one of each entity, with what its conditions ask for under its
// keys. With a law they have all attributes that it reads.
func (x *explorer) readyFor(m *move, base state, law *formula) state {
	ready := slices.Clone(base)
	for i, number := range m.writes {
		w := &x.writes[number]
		if len(w.of) == 0 {
			continue
		}
		d := x.demandOf(&w.Write, w.of[0], law)
		attributes, absent := d.equal()
		if absent {
			ready = ready.with(m.keys[i], none)
			continue
		}
		there := &x.items[base.at(m.keys[i])]
		if w.Kind == ap.Put && len(attributes) == 0 {
			if met, _ := evaluate.Condition(&d.condition, d.source, there.item); met {
				continue
			}
		}
		stay := values{}
		if e := d.entity; e.Owner != nil && there.entity == e { // it stays its owner's
			for _, name := range append(slices.Clone(e.Owner.By), e.Owner.Author) {
				if _, demanded := attributes[name]; !demanded && there.item[name] != nil && d.params[name] == "" {
					stay[name] = there.item[name]
				}
			}
		}
		item, is := d.item(stay, attributes)
		if !is {
			maps.Copy(attributes, stay)
			item, is = x.filled(law, d.entity, d.params, attributes)
		}
		if is {
			ready = ready.with(m.keys[i], x.number(w.Table, item))
		}
	}
	return ready
}

// maxOtherwise bounds the requests of one step for which items with other values are sought.
const maxOtherwise = 24

// otherwise takes, of each request that changes what a law reads, the states in which an item that it changes or checks has another value
// of what the law reads, and what the request asks for beside it.
func (x *explorer) otherwise(s *search, c *cone, base state, take func(state)) {
	type choice struct {
		step  *patternStep
		at    int
		name  string
		value int
	}
	done, tried := map[choice]bool{}, map[*patternStep]int{}
	for _, m := range s.moves {
		if !m.tied || !c.core[m.step] || tried[m.step] == maxOtherwise {
			continue
		}
		tried[m.step]++
		var ready state
		for i, number := range m.writes {
			w := &x.writes[number]
			if len(w.of) == 0 || len(s.law.reads[w.of[0].ID]) == 0 || aws.ToString(w.Condition) == "" {
				continue
			}
			e := w.of[0]
			for _, name := range s.law.reads[e.ID] {
				if _, is := e.Attribute(name); !is {
					continue
				}
				for n, value := range x.universe.domain(e, name) {
					this := choice{m.step, i, name, n}
					if done[this] {
						continue
					}
					d := x.demandOf(&w.Write, e, nil)
					equal, absent := d.equal()
					if absent {
						continue
					}
					item, is := d.item(values{name: value}, equal)
					if !is {
						continue
					}
					done[this] = true
					if ready == nil {
						ready = x.readyFor(m, base, nil)
					}
					take(slices.Clone(ready).with(m.keys[i], x.number(w.Table, item)))
				}
			}
		}
	}
}
