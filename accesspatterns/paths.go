package accesspatterns

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Values returns every value that the attribute has in the item, by concrete
// path.
func (a *Attribute) Values(item Item) map[string]types.AttributeValue {
	values := map[string]types.AttributeValue{}
	a.Visit(item, func(path string, value types.AttributeValue) {
		if value != nil {
			values[path] = value
		}
	})
	return values
}

// Visit calls do for every place that the attribute's path names, with a nil
// value where the place's parent is present but the place is not.
func (a *Attribute) Visit(item Item, do func(path string, value types.AttributeValue)) {
	if !strings.ContainsAny(a.Name, ".[*") {
		do(a.Name, item[a.Name])
		return
	}
	walk(item, strings.Split(a.Name, "."), "", do)
}

func walk(members Item, path []string, at string, do func(string, types.AttributeValue)) {
	name, each := strings.CutSuffix(path[0], "[]")
	names := []string{name}
	if name == "*" {
		names = slices.Sorted(maps.Keys(members))
	}
	for _, name := range names {
		here := name
		if at != "" {
			here = at + "." + name
		}
		value := members[name]
		if each {
			list, ok := value.(*types.AttributeValueMemberL)
			if !ok {
				continue // the list itself is an attribute of its own
			}
			for i, element := range list.Value {
				descend(element, path[1:], fmt.Sprintf("%s[%d]", here, i), do)
			}
			continue
		}
		descend(value, path[1:], here, do)
	}
}

func descend(value types.AttributeValue, rest []string, at string, do func(string, types.AttributeValue)) {
	if len(rest) == 0 {
		do(at, value)
		return
	}
	switch parent := value.(type) {
	case nil, *types.AttributeValueMemberNULL:
	case *types.AttributeValueMemberM:
		walk(parent.Value, rest, at, do)
	default:
		if len(rest) == 1 && !strings.ContainsAny(rest[0], "*[") {
			do(at+"."+rest[0], nil) // a parent that is no map has no members
		}
	}
}
