package accesspatterns

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// View is what the reader of a pattern makes, without a request, of the items that
// the pattern's steps returned: those of several steps in one list, some of them
// told apart by an attribute, or all in an order that no key gives.
type View struct {
	// Name is unique within the pattern.
	Name string
	// Of names the read steps whose items it takes, one after the other.
	Of []string
	// Where holds the value, as text, that attributes of its items have.
	Where map[string]string
	// By is the attribute by which its items are sorted, the lowest value first. Empty
	// keeps the order in which they came.
	By string
}

// Items returns the items of the view, given those of each step as its reader sees
// them. An item that cannot be put in order is an error.
func (v *View) Items(seen map[string][]Item) ([]Item, error) {
	var items []Item
	for _, step := range v.Of {
		for _, item := range seen[step] {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(v.Where)), func(name string) bool { return ScalarText(item[name]) != v.Where[name] }) {
				items = append(items, item)
			}
		}
	}
	if v.By == "" {
		return items, nil
	}
	for _, item := range items {
		if of := TypeOf(item[v.By]); of != Number && of != String || of != TypeOf(items[0][v.By]) {
			return nil, fmt.Errorf("view %s: expected a Number in every %s, or text in every one, found %s", v.Name, v.By, Show(item[v.By]))
		}
	}
	slices.SortStableFunc(items, func(x, y Item) int { return compareScalars(x[v.By], y[v.By]) })
	return items, nil
}

// compareScalars compares two Numbers by value, and two texts byte by byte.
func compareScalars(x, y types.AttributeValue) int {
	if TypeOf(x) != Number {
		return strings.Compare(ScalarText(x), ScalarText(y))
	}
	a, _ := strconv.ParseFloat(ScalarText(x), 64)
	b, _ := strconv.ParseFloat(ScalarText(y), 64)
	return cmp.Compare(a, b)
}
