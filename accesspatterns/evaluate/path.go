package evaluate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/expression"
)

// Path is a document path: an attribute, and members and elements within it.
type Path []step

// step is the member of a map, or with an empty name an element of a list.
type step struct {
	name  string
	index int
}

func (p Path) last() step { return p[len(p)-1] }

// PathOf takes a path of an expression apart, such as "#a.b[0]".
func PathOf(source expression.Source, text string) (Path, error) {
	segments, err := source.Split(text)
	if err != nil {
		return nil, err
	}
	var p Path
	for i, segment := range strings.Split(text, ".") {
		_, elements, indexed := strings.Cut(segment, "[")
		name := segments[i]
		if indexed {
			name = strings.TrimSuffix(name, "["+elements)
		}
		p = append(p, step{name: name, index: -1})
		for indexed {
			var digits string
			digits, elements, indexed = strings.Cut(elements, "[")
			index, err := strconv.Atoi(strings.TrimSuffix(digits, "]"))
			if err != nil {
				return nil, fmt.Errorf("expected a path, found %q", text)
			}
			p = append(p, step{index: index})
		}
	}
	return p, nil
}

// Members is the path of an attribute, or with more names of a member within it.
func Members(names ...string) Path {
	var p Path
	for _, name := range names {
		p = append(p, step{name: name, index: -1})
	}
	return p
}

// At is what stands at a path of an item; nil where nothing does.
func At(item accesspatterns.Item, path Path) types.AttributeValue {
	var value types.AttributeValue = &types.AttributeValueMemberM{Value: item}
	for _, s := range path {
		switch parent := value.(type) {
		case *types.AttributeValueMemberM:
			value = nil
			if s.name != "" {
				value = parent.Value[s.name]
			}
		case *types.AttributeValueMemberL:
			value = nil
			if s.name == "" && s.index < len(parent.Value) {
				value = parent.Value[s.index]
			}
		default:
			return nil
		}
	}
	return value
}

// Project returns what is left of an item by a projection: paths of the contract, attributes and members within them, joined by dots.
func Project(item accesspatterns.Item, paths []string) accesspatterns.Item {
	made := &types.AttributeValueMemberM{Value: accesspatterns.Item{}}
	for _, text := range paths {
		names := strings.Split(text, ".")
		value := At(item, Members(names...))
		if value == nil {
			continue
		}
		within := made
		for _, name := range names[:len(names)-1] {
			next, is := within.Value[name].(*types.AttributeValueMemberM)
			if !is {
				next = &types.AttributeValueMemberM{Value: accesspatterns.Item{}}
				within.Value[name] = next
			}
			within = next
		}
		within.Value[names[len(names)-1]] = value
	}
	return made.Value
}
