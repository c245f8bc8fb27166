package integrity

import (
	"regexp"
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
)

// deployedForm is what the names of tables and indexes are made of.
var deployedForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)

// Bounds of DynamoDB that nobody can have raised.
const (
	maxKeyName      = 255
	maxLocalIndexes = 5
)

// table: it is one that DynamoDB makes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
func (c *checker) table(table *accesspatterns.Table) {
	c.at = table.Written.OfName()
	const form = "3 to 255 letters, digits, hyphens, underscores and dots"
	if name := table.Name.In("dev"); !deployedForm.MatchString(name) {
		c.report("table %s: expected a name of %s, with at most a placeholder in braces, found %q", table.ID, form, string(table.Name))
	}
	types := map[string]dynamo.Type{}
	c.keys("table "+table.ID, types, table.Keys())
	local := 0
	for index := range lists.Each(table.Indexes) {
		owner := "index " + table.ID + "/" + index.Name
		if !deployedForm.MatchString(index.Name) {
			c.report("%s: expected a name of %s, found %q", owner, form, index.Name)
		}
		partition, sort := index.AllKeys()
		c.keys(owner, types, append(partition, sort...))
		if (index.Projection == dynamo.ProjectInclude) != (len(index.NonKeyAttributes) > 0) {
			c.report("%s: the projection INCLUDE names non-key-attributes, and only it does", owner)
		}
		if index.Local {
			local++
		}
	}
	if local > maxLocalIndexes || local > 0 && table.SortKey == nil {
		c.report("table %s: expected at most %d local indexes, of a table with a sort key, found %d", table.ID, maxLocalIndexes, local)
	}
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
