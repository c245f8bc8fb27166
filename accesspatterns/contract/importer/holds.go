package importer

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
)

// term is a term of a request's expression with its names and values in place.
type term struct {
	place
	op        expression.Operator
	low, high operand
	group     int
}

// operand is a value with its placeholder, or the attribute that stands in its place.
type operand struct {
	name  string
	value types.AttributeValue
	place
}

// place is where a term or an operand looks; nothing for a value.
type place struct {
	path []string      // attribute names, each with the [n] behind it
	at   evaluate.Path // the same place
}

// placeOf is the place of a path that the parser has read.
func placeOf(source expression.Source, path string) (p place) {
	p.path, _ = source.Split(path)
	p.at, _ = evaluate.PathOf(source, path)
	return p
}

// attributeAt is the place of an attribute.
func attributeAt(name string) place { return place{[]string{name}, evaluate.Members(name)} }

// terms puts names and values into an expression that was parsed.
func terms(parsed *expression.Conjunction, source expression.Source) []term {
	of := func(from expression.Operand) (to operand) {
		to.name, to.value = strings.TrimPrefix(from.Text, ":"), from.Value
		if from.Path != "" {
			to.place = placeOf(source, from.Path)
		}
		return to
	}
	var all []term
	for _, each := range parsed.All() {
		all = append(all, term{placeOf(source, each.Path), each.Op, of(each.Low), of(each.High), each.Group})
	}
	return all
}

// holds reports whether an item, empty where there is none, fulfils what is joined by
// AND, as DynamoDB decides it.
func holds(all []term, item ap.Item) bool {
	groups := map[int]bool{}
	for _, each := range all {
		is := each.holds(item)
		if each.group == 0 && !is {
			return false
		}
		groups[each.group] = groups[each.group] || is
	}
	for group, is := range groups {
		if group != 0 && !is {
			return false
		}
	}
	return true
}

func (t *term) holds(item ap.Item) bool {
	return evaluate.Holds(t.op, evaluate.At(item, t.at), t.low.of(item), t.high.of(item))
}

func (o operand) of(item ap.Item) types.AttributeValue {
	if o.path != nil {
		return evaluate.At(item, o.at)
	}
	return o.value
}
