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
	path      []string // attribute names, each with the [n] behind it
	at        evaluate.Path
	op        expression.Operator
	low, high operand
	group     int
}

// operand is a value with its placeholder, or the attribute that stands in its place.
type operand struct {
	name  string
	value types.AttributeValue
	path  []string
	at    evaluate.Path
}

// terms puts names and values into an expression that was parsed.
func terms(parsed *expression.Conjunction, source expression.Source) []term {
	of := func(from expression.Operand) (to operand) {
		to.name, to.value = strings.TrimPrefix(from.Text, ":"), from.Value
		if from.Path != "" {
			to.path, _ = source.Split(from.Path) // the parser has read it
			to.at, _ = evaluate.PathOf(source, from.Path)
		}
		return to
	}
	var all []term
	for _, each := range parsed.All() {
		path, _ := source.Split(each.Path)
		at, _ := evaluate.PathOf(source, each.Path)
		all = append(all, term{path, at, each.Op, of(each.Low), of(each.High), each.Group})
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
