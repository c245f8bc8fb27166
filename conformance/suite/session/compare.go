package session

import (
	"cmp"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/lists"
	"dynaproof/fixtures"
)

// ExpectedItem is an item that a case expects, by the name that an auditor
// reads.
type ExpectedItem struct {
	Name string
	Item accesspatterns.Item
	// Rank stands for its place in an order: the same for items between which no order is promised. Empty where the name is it.
	Rank string
}

// comparison says how returned items differ from the expected ones.
type comparison struct {
	// Missing are expected items that were not returned.
	Missing []string
	// Unexpected are returned items that were not expected.
	Unexpected []accesspatterns.Item
	// Disordered says that all are there, in another order.
	Disordered bool
	// Returned names the returned items in their order, those that were not expected by nothing.
	Returned []string
}

// Compare matches every returned item with one expected item. Items match when
// they are equal in every attribute and type.
func Compare(expected []ExpectedItem, got []accesspatterns.Item, ordered bool) comparison {
	c := comparison{Returned: make([]string, len(got))}
	var ranks []string
	open := slices.Clone(expected)
	for i, item := range got {
		at := slices.IndexFunc(open, func(e ExpectedItem) bool { return dynamo.EqualItems(e.Item, item) })
		if at < 0 {
			c.Unexpected = append(c.Unexpected, item)
			continue
		}
		c.Returned[i], ranks = open[at].Name, append(ranks, cmp.Or(open[at].Rank, open[at].Name))
		open = slices.Delete(open, at, at+1)
	}
	c.Missing = lists.Map(open, func(e ExpectedItem) string { return e.Name })
	c.Disordered = ordered && len(c.Missing)+len(c.Unexpected) == 0 &&
		!slices.EqualFunc(expected, ranks, func(e ExpectedItem, rank string) bool { return cmp.Or(e.Rank, e.Name) == rank })
	return c
}

// Expect resolves the names of expected items.
func (s *Input) Expect(names []string) ([]ExpectedItem, error) {
	expected := make([]ExpectedItem, 0, len(names))
	for _, name := range names {
		item, err := s.FixtureItem(name)
		if err != nil {
			return nil, err
		}
		expected = append(expected, ExpectedItem{Name: name, Item: item})
	}
	return expected, nil
}

// ExpectOf resolves the names of items that a read must return. Those of a read of an
// index without a projection have what the documented index carries, but for those that the
// fixtures write as a part of a loaded item: they are expected as they stand. Two items with
// one key of an index come in any order, where they show it.
func (s *Input) ExpectOf(read *accesspatterns.Read, names []string) ([]ExpectedItem, error) {
	expected, err := s.Expect(names)
	table, _ := s.Design.Table(read.Table)
	if err != nil || table == nil {
		return expected, err
	}
	index, _ := table.Index(read.Index)
	for e := range lists.Each(expected) {
		if index != nil && !slices.ContainsFunc(index.Keys(), func(key accesspatterns.Key) bool { return e.Item[key.Attribute] == nil }) {
			for _, key := range index.Keys() {
				e.Rank += dynamo.KeyText(e.Item[key.Attribute]) + " "
			}
		}
		if len(read.Projection) == 0 && !s.isPart(e) {
			e.Item = evaluate.Carried(table, read.Index, e.Item)
		}
	}
	return expected, nil
}

// isPart reports whether an expected item has some attributes of a loaded one, with its values, and no others.
func (s *Input) isPart(of *ExpectedItem) bool {
	return slices.ContainsFunc(s.Fixtures.Items, func(item fixtures.Item) bool {
		same := 0
		for name, value := range of.Item {
			same += lists.True(item.Item[name] != nil && dynamo.Equal(item.Item[name], value))
		}
		return !item.Held && same == len(of.Item) && same < len(item.Item)
	})
}

// UnknownItem stands for a returned item that no fixture equals.
const UnknownItem = "an item that the fixtures do not know"

// NameOf returns the name of the fixture that an item equals, or nothing.
func (s *Input) NameOf(item accesspatterns.Item) string {
	for i := range s.Fixtures.Items {
		if dynamo.EqualItems(s.Fixtures.Items[i].Item, item) {
			return s.Fixtures.Items[i].Name
		}
	}
	return ""
}

// Identify says in words what a returned item is: a fixture, one that it should have
// been, or neither.
func (s *Input) Identify(item accesspatterns.Item, missing []string) string {
	if name := s.NameOf(item); name != "" {
		return name
	}
	for _, name := range missing {
		fixture, table, err := s.Fixture(name)
		if err == nil && dynamo.EqualItems(table.KeyOf(fixture), table.KeyOf(item)) {
			return name + " with other attributes (" + strings.Join(dynamo.Differences(fixture, item), "; ") + ")"
		}
	}
	return UnknownItem + ": " + dynamo.ShowItem(item)
}
