package importer

import (
	"bytes"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/expression"
)

// term is a term of a request's expression with its names and values in place.
type term struct {
	path      []string // attribute names, each with the [n] behind it
	op        expression.Operator
	low, high operand
	group     int
}

// operand is a value with its placeholder, or the attribute that stands in its place.
type operand struct {
	name  string
	value types.AttributeValue
	path  []string
}

// terms puts names and values into an expression that was parsed.
func terms(parsed *expression.Conjunction, source expression.Source) []term {
	of := func(from expression.Operand) (to operand) {
		to.name, to.value = strings.TrimPrefix(from.Text, ":"), from.Value
		if from.Path != "" {
			to.path, _ = source.Split(from.Path) // the parser has read it
		}
		return to
	}
	var all []term
	for _, each := range parsed.All() {
		path, _ := source.Split(each.Path)
		all = append(all, term{path, each.Op, of(each.Low), of(each.High), each.Group})
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
	negated, size, op := t.op.Parts()
	value := at(item, t.path)
	if size {
		value = sizeOf(value)
	}
	low, high := t.low.of(item), t.high.of(item)
	by, comparable := compared(value, low)
	is := false
	switch op {
	case expression.Exists:
		is = value != nil
	case expression.NotExists:
		is = value == nil
	case expression.Equal:
		is = value != nil && low != nil && ap.Equal(value, low)
	case expression.NotEqual:
		is = value == nil || low == nil || !ap.Equal(value, low)
	case expression.Less:
		is = comparable && by < 0
	case expression.LessOrEqual:
		is = comparable && by <= 0
	case expression.Greater:
		is = comparable && by > 0
	case expression.GreaterOrEqual:
		is = comparable && by >= 0
	case expression.Between:
		above, both := compared(value, high)
		is = comparable && both && by >= 0 && above <= 0
	case expression.BeginsWith:
		is = comparable && ap.TypeOf(value) == ap.String && strings.HasPrefix(ap.ScalarText(value), ap.ScalarText(low))
	case expression.IsType:
		is = value != nil && low != nil && string(ap.TypeOf(value)) == ap.ScalarText(low)
	case expression.Contains:
		is = value != nil && low != nil && contains(value, low)
	}
	return is != negated
}

func (o operand) of(item ap.Item) types.AttributeValue {
	if o.path != nil {
		return at(item, o.path)
	}
	return o.value
}

// at is what stands at a path of an item; nil where nothing does.
func at(item ap.Item, path []string) (found types.AttributeValue) {
	within := item
	for _, segment := range path {
		name, indexes, _ := strings.Cut(segment, "[")
		found = within[name]
		for _, index := range strings.Split(strings.TrimSuffix(indexes, "]"), "][") {
			if index == "" {
				break
			}
			list, _ := found.(*types.AttributeValueMemberL)
			n, err := strconv.Atoi(index)
			if found = nil; list != nil && err == nil && n < len(list.Value) {
				found = list.Value[n]
			}
		}
		within = nil
		if inner, is := found.(*types.AttributeValueMemberM); is {
			within = inner.Value
		}
	}
	return found
}

// sizeOf is the size of a value as a Number; nil for what has none.
func sizeOf(value types.AttributeValue) types.AttributeValue {
	n := 0
	switch value := value.(type) {
	case *types.AttributeValueMemberS:
		n = len(value.Value)
	case *types.AttributeValueMemberB:
		n = len(value.Value)
	case *types.AttributeValueMemberSS:
		n = len(value.Value)
	case *types.AttributeValueMemberNS:
		n = len(value.Value)
	case *types.AttributeValueMemberBS:
		n = len(value.Value)
	case *types.AttributeValueMemberL:
		n = len(value.Value)
	case *types.AttributeValueMemberM:
		n = len(value.Value)
	default:
		return nil
	}
	return &types.AttributeValueMemberN{Value: strconv.Itoa(n)}
}

// compared compares two Strings, Numbers or Binaries as DynamoDB does.
func compared(a, b types.AttributeValue) (by int, comparable bool) {
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		other, is := b.(*types.AttributeValueMemberS)
		if is {
			by = strings.Compare(a.Value, other.Value)
		}
		return by, is
	case *types.AttributeValueMemberB:
		other, is := b.(*types.AttributeValueMemberB)
		if is {
			by = bytes.Compare(a.Value, other.Value)
		}
		return by, is
	case *types.AttributeValueMemberN:
		other, is := b.(*types.AttributeValueMemberN)
		if !is {
			return 0, false
		}
		x, isNumber := new(big.Rat).SetString(a.Value)
		y, both := new(big.Rat).SetString(other.Value)
		if !isNumber || !both {
			return 0, false
		}
		return x.Cmp(y), true
	}
	return 0, false
}

func contains(value, member types.AttributeValue) bool {
	text := ap.ScalarText(member)
	switch value := value.(type) {
	case *types.AttributeValueMemberS:
		return ap.TypeOf(member) == ap.String && strings.Contains(value.Value, text)
	case *types.AttributeValueMemberSS:
		return ap.TypeOf(member) == ap.String && slices.Contains(value.Value, text)
	case *types.AttributeValueMemberNS:
		return slices.ContainsFunc(value.Value, func(n string) bool { return ap.Equal(&types.AttributeValueMemberN{Value: n}, member) })
	case *types.AttributeValueMemberL:
		return slices.ContainsFunc(value.Value, func(each types.AttributeValue) bool { return ap.Equal(each, member) })
	}
	return false
}
