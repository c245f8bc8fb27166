package accesspatterns

import (
	"fmt"
	"maps"
	"slices"

	"dynaproof/accesspatterns/dynamo"
)

// View is what the reader of a pattern makes, without a request, of the items that
// the pattern's steps returned: those of several steps in one list, some of them
// told apart by an attribute, or all in an order that no key gives.
type View struct {
	// Name is unique within the pattern.
	Name string `yaml:",name"`
	// The steps whose items it takes, one after the other: read in a pattern of one step.
	Of []string `yaml:"of,words" jsonschema:"required"`
	// Attributes with the value, as text, that its items have.
	Where map[string]string `yaml:"where"`
	// The attribute by which its items are sorted, the lowest value first. Without it they keep the order in which they came.
	By string `yaml:"by"`
}

// Items returns the items of the view, given those of each step as its reader sees
// them. An item that cannot be put in order is an error.
func (v *View) Items(seen map[string][]Item) ([]Item, error) {
	var items []Item
	for _, step := range v.Of {
		for _, item := range seen[step] {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(v.Where)), func(name string) bool { return dynamo.ScalarText(item[name]) != v.Where[name] }) {
				items = append(items, item)
			}
		}
	}
	if v.By == "" {
		return items, nil
	}
	for _, item := range items {
		if of := dynamo.TypeOf(item[v.By]); of != dynamo.Number && of != dynamo.String || of != dynamo.TypeOf(items[0][v.By]) {
			return nil, fmt.Errorf("view %s: expected a Number in every %s, or text in every one, found %s", v.Name, v.By, dynamo.Show(item[v.By]))
		}
	}
	slices.SortStableFunc(items, func(x, y Item) int {
		by, _ := dynamo.Compare(x[v.By], y[v.By])
		return by
	})
	return items, nil
}
