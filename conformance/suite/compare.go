package suite

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns"
)

// expectedItem is an item that a case expects, by the name that an auditor
// reads.
type expectedItem struct {
	name string
	item accesspatterns.Item
}

// comparison says how returned items differ from the expected ones.
type comparison struct {
	// missing are expected items that were not returned.
	missing []string
	// unexpected are returned items that were not expected.
	unexpected []accesspatterns.Item
	// disordered says that all are there, in another order; returned lists
	// the names in the order found.
	disordered bool
	returned   []string
}

// compare matches every returned item with one expected item. Items match when
// they are equal in every attribute and type.
func compare(expected []expectedItem, got []accesspatterns.Item, ordered bool) comparison {
	var c comparison
	open := slices.Clone(expected)
	for _, item := range got {
		at := slices.IndexFunc(open, func(e expectedItem) bool { return accesspatterns.EqualItems(e.item, item) })
		if at < 0 {
			c.unexpected = append(c.unexpected, item)
			continue
		}
		c.returned = append(c.returned, open[at].name)
		open = slices.Delete(open, at, at+1)
	}
	for _, e := range open {
		c.missing = append(c.missing, e.name)
	}
	c.disordered = ordered && len(c.missing)+len(c.unexpected) == 0 &&
		!slices.EqualFunc(expected, c.returned, func(e expectedItem, name string) bool { return e.name == name })
	return c
}

// expect resolves the names of expected items.
func (s *Input) expect(names []string) ([]expectedItem, error) {
	expected := make([]expectedItem, 0, len(names))
	for _, name := range names {
		item, err := s.fixtureItem(name)
		if err != nil {
			return nil, err
		}
		expected = append(expected, expectedItem{name, item})
	}
	return expected, nil
}

// expectOf resolves the names of items that a read must return. Those of a read of an
// index without a projection have what the documented index carries.
func (s *Input) expectOf(read *accesspatterns.Read, names []string) ([]expectedItem, error) {
	expected, err := s.expect(names)
	table, _ := s.Design.Table(read.Table)
	if err != nil || table == nil || len(read.Projection) > 0 {
		return expected, err
	}
	index, is := table.Index(read.Index)
	if !is || index.Projection == accesspatterns.ProjectAll {
		return expected, nil
	}
	carried := slices.Clone(index.NonKeyAttributes)
	for _, key := range slices.Concat(table.Keys(), index.Keys()) {
		carried = append(carried, key.Attribute)
	}
	for i := range expected {
		shown := accesspatterns.Item{}
		for _, name := range carried {
			if value, has := expected[i].item[name]; has {
				shown[name] = value
			}
		}
		expected[i].item = shown
	}
	return expected, nil
}

// judge reports every difference between expected and returned items. decoys
// maps the names of decoys to the wrong request that would return them.
func (o *Observation) judge(where string, expected []expectedItem, got []accesspatterns.Item, ordered bool, decoys map[string]string, do remedy) {
	o.saw()
	names := make([]string, len(expected))
	for i, e := range expected {
		names[i] = e.name
	}
	c := compare(expected, got, ordered)
	for _, item := range c.unexpected {
		found := "also " + o.session.identify(item, c.missing)
		if name := o.session.nameOf(item); decoys[name] != "" {
			found = "decoy " + name + ": " + decoys[name]
		}
		o.fail(where, "items "+showNames(names), found, do)
	}
	if len(c.missing) > 0 {
		o.fail(where, "items "+showNames(names), "without "+strings.Join(c.missing, ", "), do)
	}
	if c.disordered {
		o.fail(where, "items in the order "+showNames(names), "in the order "+showNames(c.returned), do)
	}
}

// unknownItem stands for a returned item that no fixture equals.
const unknownItem = "an item that the fixtures do not know"

// nameOf returns the name of the fixture that an item equals, or nothing.
func (s *Input) nameOf(item accesspatterns.Item) string {
	for i := range s.Fixtures.Items {
		if accesspatterns.EqualItems(s.Fixtures.Items[i].Item, item) {
			return s.Fixtures.Items[i].Name
		}
	}
	return ""
}

// identify says in words what a returned item is: a fixture, one that it should have
// been, or neither.
func (s *Input) identify(item accesspatterns.Item, missing []string) string {
	if name := s.nameOf(item); name != "" {
		return name
	}
	for _, name := range missing {
		fixture, table, err := s.fixture(name)
		if err == nil && accesspatterns.EqualItems(table.KeyOf(fixture), table.KeyOf(item)) {
			return name + " with other attributes (" + strings.Join(accesspatterns.Differences(fixture, item), "; ") + ")"
		}
	}
	return unknownItem + ": " + accesspatterns.ShowItem(item)
}
