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
	return pathOf(text, func(n int, _, behind string) string { return strings.TrimSuffix(segments[n], behind) })
}

// PlaceOf takes a place of an item apart, such as "sections.private" or "categories[0].name".
func PlaceOf(text string) (Path, error) {
	return pathOf(text, func(_ int, name, _ string) string { return name })
}

// pathOf takes a path apart. named is the name of its nth member, from its text and the elements behind that.
func pathOf(text string, named func(n int, text, behind string) string) (p Path, err error) {
	for n, segment := range strings.Split(text, ".") {
		name, elements, indexed := strings.Cut(segment, "[")
		name = named(n, name, segment[len(name):])
		p = append(p, step{name: name, index: -1})
		for err == nil && indexed {
			var digits string
			var index uint64
			digits, elements, indexed = strings.Cut(elements, "[")
			index, err = strconv.ParseUint(strings.TrimSuffix(digits, "]"), 10, 31)
			p = append(p, step{index: int(index)})
		}
		if err != nil || name == "" {
			return nil, fmt.Errorf("expected a path such as a.b or a[0].b, found %q", text)
		}
	}
	return p, nil
}

// At is what stands at a path of an item; nil where nothing does.
func At(item accesspatterns.Item, path Path) types.AttributeValue {
	var value types.AttributeValue = &types.AttributeValueMemberM{Value: item}
	for _, s := range path {
		var within types.AttributeValue
		switch parent := value.(type) {
		case *types.AttributeValueMemberM:
			within = parent.Value[s.name] // no member has the empty name
		case *types.AttributeValueMemberL:
			if s.name == "" && s.index < len(parent.Value) {
				within = parent.Value[s.index]
			}
		}
		value = within
	}
	return value
}

// at is what stands at a place of an item that the contract names; nil where nothing does.
func at(item accesspatterns.Item, text string) types.AttributeValue {
	path, err := PlaceOf(text)
	if err != nil {
		return nil
	}
	return At(item, path)
}

// Project returns what is left of an item by a projection: paths of the contract, attributes and members within them, joined by dots.
func Project(item accesspatterns.Item, paths []string) accesspatterns.Item {
	made := &types.AttributeValueMemberM{Value: accesspatterns.Item{}}
	for _, text := range paths {
		names, value := strings.Split(text, "."), at(item, text)
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
