package integrity

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
)

// deployedForm is what the names of tables and indexes are made of.
var deployedForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)

// Bounds of DynamoDB that nobody can have raised.
const (
	maxKeyName      = 255
	maxLocalIndexes = 5
	maxProjected    = 100
	maxTags         = 50
	maxTagName      = 128
	maxTagValue     = 256
)

// table: it is one that DynamoDB makes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
func (c *checker) table(table *accesspatterns.Table) {
	const form = "3 to 255 letters, digits, hyphens, underscores and dots"
	if name := table.Name.In("dev"); !deployedForm.MatchString(name) {
		c.report("table %s: expected a name of %s, with at most a placeholder in braces, found %q", table.ID, form, string(table.Name))
	}
	types := map[string]dynamo.Type{}
	c.keys("table "+table.ID, types, table.Keys())
	local, projected := 0, 0
	for i := range table.Indexes {
		index := &table.Indexes[i]
		owner := "index " + table.ID + "/" + index.Name
		if !deployedForm.MatchString(index.Name) {
			c.report("%s: expected a name of %s, found %q", owner, form, index.Name)
		}
		partition, sort := index.AllKeys()
		c.keys(owner, types, append(partition, sort...))
		if (index.Projection == dynamo.ProjectInclude) != (len(index.NonKeyAttributes) > 0) {
			c.report("%s: the projection INCLUDE names non-key-attributes, and only it does", owner)
		}
		if projected += len(index.NonKeyAttributes); index.Local {
			local++
		}
	}
	if local > maxLocalIndexes || local > 0 && table.SortKey == nil {
		c.report("table %s: expected at most %d local indexes, of a table with a sort key, found %d", table.ID, maxLocalIndexes, local)
	}
	if projected > maxProjected {
		c.report("table %s: expected at most %d non-key-attributes of all its indexes, found %d", table.ID, maxProjected, projected)
	}
	c.tags(table)
}

// keys: each attribute stands once in a key, and has one type in all keys of a table.
func (c *checker) keys(owner string, types map[string]dynamo.Type, keys []accesspatterns.Key) {
	for i, key := range keys {
		if len(key.Attribute) > maxKeyName {
			c.report("%s: expected a key attribute's name of at most %d bytes, found %d", owner, maxKeyName, len(key.Attribute))
		}
		if slices.ContainsFunc(keys[:i], func(k accesspatterns.Key) bool { return k.Attribute == key.Attribute }) {
			c.report("%s: expected each attribute once in the key, found %s twice", owner, key.Attribute)
		}
		if other, known := types[key.Attribute]; known && other != key.Type {
			c.report("%s: expected one type of key attribute %s, found %s here and %s in another key of the table", owner, key.Attribute, key.Type, other)
		}
		types[key.Attribute] = key.Type
	}
}

// tags: they are some that a table can bear.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Tag.html
func (c *checker) tags(table *accesspatterns.Table) {
	if len(table.Tags) > maxTags {
		c.report("table %s: expected at most %d tags, found %d", table.ID, maxTags, len(table.Tags))
	}
	for _, name := range slices.Sorted(maps.Keys(table.Tags)) {
		value := table.Tags[name].In("dev")
		switch {
		case strings.HasPrefix(strings.ToLower(name), "aws:"):
			c.report("table %s: expected a tag of its own, found %s, whose beginning AWS keeps for itself", table.ID, name)
		case name == "", utf8.RuneCountInString(name) > maxTagName, utf8.RuneCountInString(value) > maxTagValue:
			c.report("table %s: expected a tag's name of 1 to %d letters, and a value of at most %d, found %q: %q", table.ID, maxTagName, maxTagValue, name, value)
		}
	}
}
