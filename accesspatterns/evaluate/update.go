package evaluate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
)

// ErrNotOfItem says that an update does not fit the item: DynamoDB refuses it then.
var ErrNotOfItem = errors.New("the update does not fit the item")

// Update returns the item that an update makes of another one, which stays as it is.
// Before is nil where the key holds nothing; then the item begins as the key alone. Every
// right side is computed from before, as DynamoDB does. What Update does not know, and
// what DynamoDB would refuse, is an error.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
func Update(w *sdk.Write, before ap.Item) (ap.Item, error) {
	c := &computation{source: expression.Source{Names: w.Names, Values: w.Values}, old: before}
	if before == nil {
		c.old = w.Key
	}
	made := dynamo.CloneItem(c.old)
	if w.Update == nil {
		return made, nil // an update without an expression makes the item be there
	}
	changes, err := expression.ParseUpdate(*w.Update, c.source)
	if err == nil {
		err = c.all(made, w.Key, changes)
	}
	if err != nil {
		return nil, fmt.Errorf("update %q: %w", *w.Update, err)
	}
	return made, nil
}

// computation is an update that is computed.
type computation struct {
	source expression.Source
	old    ap.Item
}

// all carries out the changes of an update of the item with a key.
func (c *computation) all(made, key ap.Item, changes []expression.Change) error {
	var removed []Path
	seen := lists.Map(dynamo.Names(key), func(name string) Path { return Path{{name, -1}} })
	elements := 0
	for change := range lists.Each(changes) {
		at, err := PathOf(c.source, change.Path)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(seen, func(other Path) bool { n := min(len(at), len(other)); return slices.Equal(at[:n], other[:n]) }) {
			return fmt.Errorf("%w: expected paths of which none leads into another one or into the key", ErrNotOfItem)
		}
		seen = append(seen, at)
		switch change.Clause {
		case expression.Set:
			err = c.set(made, at, &change.Right)
		case expression.Add, expression.Delete:
			err = c.add(made, at, change.Value.Value, change.Clause == expression.Delete)
		case expression.Remove:
			if removed = append(removed, at); at.last().name == "" {
				elements++
			}
		}
		if err != nil {
			return err
		}
	}
	if elements > 1 { // engines disagree on what is where after the first
		return errors.New("expected to remove one element of a list at most")
	}
	for _, at := range removed {
		if err := Remove(made, at); err != nil {
			return err
		}
	}
	return nil
}

// right computes the right side of a SET; nil for a path that the item lacks.
func (c *computation) right(of *expression.Assigned) (types.AttributeValue, error) {
	if of.Function == "" {
		if of.Operand.Path == "" {
			return of.Operand.Value, nil
		}
		at, err := PathOf(c.source, of.Operand.Path)
		if err != nil {
			return nil, err
		}
		return At(c.old, at), nil
	}
	first, err := c.right(&of.Of[0])
	second, also := c.right(&of.Of[1])
	if err = cmp.Or(err, also); err != nil {
		return nil, err
	}
	switch of.Function {
	case "+", "-":
		return sum(first, second, of.Function == "-")
	case "if_not_exists":
		if first != nil {
			return first, nil
		}
		return second, nil
	default: // list_append
		a, isList := first.(*types.AttributeValueMemberL)
		b, both := second.(*types.AttributeValueMemberL)
		if !isList || !both {
			return nil, fmt.Errorf("%w: expected two lists to append", ErrNotOfItem)
		}
		return &types.AttributeValueMemberL{Value: slices.Concat(a.Value, b.Value)}, nil
	}
}

func (c *computation) set(made ap.Item, at Path, to *expression.Assigned) error {
	value, err := c.right(to)
	if err != nil {
		return err
	}
	if value == nil {
		return fmt.Errorf("%w: a path on the right side is not in the item", ErrNotOfItem)
	}
	return Put(made, at, value)
}

// add carries out ADD, or DELETE with without.
func (c *computation) add(made ap.Item, at Path, by types.AttributeValue, without bool) error {
	before, kind := At(c.old, at), dynamo.TypeOf(by)
	switch {
	case before == nil && without:
		return nil
	case !kind.IsSet() && (kind != dynamo.Number || without):
		return fmt.Errorf("%w: expected a set, or with ADD a Number", ErrNotOfItem)
	case before == nil:
		return Put(made, at, by)
	case kind == dynamo.Number:
		value, err := sum(before, by, false)
		if err != nil {
			return err
		}
		return Put(made, at, value)
	case dynamo.TypeOf(before) != kind:
		return fmt.Errorf("%w: expected a set of the same type", ErrNotOfItem)
	}
	var after types.AttributeValue
	left := 0
	switch by := by.(type) {
	case *types.AttributeValueMemberSS:
		set := changed(before.(*types.AttributeValueMemberSS).Value, by.Value, without, func(a, b string) bool { return a == b })
		after, left = &types.AttributeValueMemberSS{Value: set}, len(set)
	case *types.AttributeValueMemberNS:
		set := changed(before.(*types.AttributeValueMemberNS).Value, by.Value, without, dynamo.EqualNumbers)
		after, left = &types.AttributeValueMemberNS{Value: set}, len(set)
	case *types.AttributeValueMemberBS:
		set := changed(before.(*types.AttributeValueMemberBS).Value, by.Value, without, bytes.Equal)
		after, left = &types.AttributeValueMemberBS{Value: set}, len(set)
	}
	if left == 0 {
		return Remove(made, at) // no set is empty
	}
	return Put(made, at, after)
}

// changed is a set with members added, or taken away.
func changed[T any](set, members []T, without bool, same func(a, b T) bool) []T {
	set = slices.Clone(set)
	for _, member := range members {
		set = slices.DeleteFunc(set, func(other T) bool { return same(member, other) })
		if !without {
			set = append(set, member)
		}
	}
	return set
}

// sum adds two Numbers, or takes the second away, without rounding.
func sum(a, b types.AttributeValue, minus bool) (types.AttributeValue, error) {
	x, isNumber := a.(*types.AttributeValueMemberN)
	y, also := b.(*types.AttributeValueMemberN)
	if !isNumber || !also {
		return nil, fmt.Errorf("%w: expected two Numbers that the item has", ErrNotOfItem)
	}
	p, ok := dynamo.Decimal(x.Value)
	q, valid := dynamo.Decimal(y.Value)
	if !ok || !valid {
		return nil, errors.New("expected two Numbers")
	}
	if minus {
		q.Neg(q)
	}
	p.Add(p, q)
	digits, _ := p.FloatPrec() // the sum of two decimals is one
	return &types.AttributeValueMemberN{Value: p.FloatString(digits)}, nil
}

// Put stores a value at a path of an item. DynamoDB makes no parents.
func Put(in ap.Item, at Path, value types.AttributeValue) error {
	last := at.last()
	switch parent := At(in, at[:len(at)-1]).(type) {
	case *types.AttributeValueMemberM:
		if last.name != "" {
			parent.Value[last.name] = value
			return nil
		}
	case *types.AttributeValueMemberL:
		switch {
		case last.name != "":
		case last.index < len(parent.Value):
			parent.Value[last.index] = value
			return nil
		case last.index == len(parent.Value):
			parent.Value = append(parent.Value, value)
			return nil
		default: // engines disagree on what is between
			return errors.New("expected an element of the list, or the one behind its last")
		}
	}
	return fmt.Errorf("%w: the item has nothing that the path leads into", ErrNotOfItem)
}

// Remove takes what stands at a path away.
func Remove(in ap.Item, at Path) error {
	last := at.last()
	switch parent := At(in, at[:len(at)-1]).(type) {
	case *types.AttributeValueMemberM:
		if last.name != "" {
			delete(parent.Value, last.name)
			return nil
		}
	case *types.AttributeValueMemberL:
		if last.name == "" {
			if last.index < len(parent.Value) {
				parent.Value = slices.Delete(parent.Value, last.index, last.index+1)
			}
			return nil
		}
	}
	return fmt.Errorf("%w: the item has nothing that the path leads into", ErrNotOfItem)
}
