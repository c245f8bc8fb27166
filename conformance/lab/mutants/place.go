package mutants

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
)

// place is where one value of an item stands: "sections.private", or
// "categories[0].name".
type place string

var step = regexp.MustCompile(`^([^\[\]]+)(?:\[(\d+)\])?$`)

// nested reports whether the place is inside an attribute.
func (p place) nested() bool { return strings.ContainsAny(string(p), ".[") }

// replaced returns the item with another value at the place, or with none when
// the value is nil; under another name when name is not empty. The item itself
// stays as it is.
func (p place) replaced(item accesspatterns.Item, name string, value types.AttributeValue) (accesspatterns.Item, error) {
	return replaced(item, strings.Split(string(p), "."), name, value)
}

func replaced(members accesspatterns.Item, path []string, name string, value types.AttributeValue) (accesspatterns.Item, error) {
	parts := step.FindStringSubmatch(path[0])
	if parts == nil {
		return nil, fmt.Errorf("expected a place such as a.b or a[0].b, found %q", strings.Join(path, "."))
	}
	copied, at := maps.Clone(members), parts[1]
	if parts[2] == "" && len(path) == 1 {
		delete(copied, at)
		if value != nil {
			copied[cmp.Or(name, at)] = value
		}
		return copied, nil
	}
	inner := func(parent types.AttributeValue) (types.AttributeValue, error) {
		if len(path) == 1 {
			return value, nil
		}
		member, ok := parent.(*types.AttributeValueMemberM)
		if !ok {
			return nil, fmt.Errorf("%s: expected a map, found %s", path[0], dynamo.TypeOf(parent))
		}
		changed, err := replaced(member.Value, path[1:], name, value)
		return &types.AttributeValueMemberM{Value: changed}, err
	}
	var err error
	if parts[2] == "" {
		copied[at], err = inner(members[at])
		return copied, err
	}
	list, ok := members[at].(*types.AttributeValueMemberL)
	n, bad := strconv.Atoi(parts[2])
	if !ok || bad != nil || n >= len(list.Value) {
		return nil, fmt.Errorf("%s: expected a list with that element, found %s", path[0], dynamo.TypeOf(members[at]))
	}
	elements := slices.Clone(list.Value)
	if elements[n], err = inner(elements[n]); elements[n] == nil && err == nil {
		elements = slices.Delete(elements, n, n+1)
	}
	copied[at] = &types.AttributeValueMemberL{Value: elements}
	return copied, err
}

// retyped returns a value of a type that is neither the present nor the
// documented one.
func retyped(value types.AttributeValue, documented dynamo.Type) types.AttributeValue {
	for _, other := range []types.AttributeValue{
		&types.AttributeValueMemberN{Value: "7"}, &types.AttributeValueMemberS{Value: "mutant"}, &types.AttributeValueMemberBOOL{Value: true},
	} {
		if kind := dynamo.TypeOf(other); kind != documented && kind != dynamo.TypeOf(value) {
			return other
		}
	}
	return nil
}
