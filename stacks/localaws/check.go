package localaws

import (
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// tableName is AWS's rule for names of tables and indexes: 3 to 255 of these characters.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
var tableName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)

// maxIndexes is the default quota of global secondary indexes of a table.
const maxIndexes = 20

// checkTable returns every reason why the inputs of a table are refused: unknown or unimplemented properties, wrong
// types, and the rules that the real provider and DynamoDB check before they create anything.
func checkTable(props resource.PropertyMap) []*pulumirpc.CheckFailure {
	c := &checker{}
	tableInputs.check(c, props)
	if len(c.failures) > 0 {
		return c.failures // the rules below would only repeat in other words that a property has the wrong type
	}
	t := tableFrom(props)
	unknown := func(name string) bool { return props[resource.PropertyKey(name)].ContainsUnknowns() }

	if !unknown("name") && !tableName.MatchString(t.Name) {
		c.fail("name", "expected 3 to 255 letters, digits, '_', '-' and '.', found %q: correct the table's name", t.Name)
	}
	c.refuse(!unknown("hashKey") && t.HashKey == "", "hashKey", "expected the name of the partition key, found none: set hashKey")
	c.billing("", t.BillingMode, t.capacity, props)
	if !unknown("billingMode") && t.BillingMode != provisioned && t.BillingMode != payPerRequest {
		c.fail("billingMode", "expected %s or %s, found %q", provisioned, payPerRequest, t.BillingMode)
	}
	if !unknown("ttl") && t.TTL.Enabled && t.TTL.Attribute == "" {
		c.fail("ttl.attributeName", "expected the name of the TTL attribute because ttl.enabled is true, found none")
	}
	if recovery := props["pointInTimeRecovery"]; recovery.IsObject() && !recovery.ObjectValue().HasValue("enabled") {
		c.fail("pointInTimeRecovery.enabled", "expected true or false, found none: set it, or remove pointInTimeRecovery")
	}
	if !unknown("globalSecondaryIndexes") {
		c.indexes(t, props)
	}
	if !unknown("attributes") && !unknown("globalSecondaryIndexes") && !unknown("hashKey") && !unknown("rangeKey") {
		c.attributes(t)
	}
	return c.failures
}

// retyped refuses another type of an attribute that stays a key of the same table. The real provider compares attributes by
// name alone: it changes nothing, says nothing, and creates a new index over the former type.
func retyped(olds, inputs resource.PropertyMap) []*pulumirpc.CheckFailure {
	c := &checker{}
	for _, name := range tableInputs.replacing {
		if key := resource.PropertyKey(name); inputs[key].ContainsUnknowns() || text(olds[key]) != text(inputs[key]) {
			return nil // another table
		}
	}
	before := tableFrom(olds)
	for n, a := range tableFrom(inputs).Attributes {
		for _, was := range before.Attributes {
			if was.Name == a.Name && was.Type != a.Type {
				c.fail(element("attributes", n)+".type", "expected the type %s, which key attribute %q has in the deployed table, found %s: AWS would keep %s and say nothing; give the key another attribute name", was.Type, a.Name, a.Type, was.Type)
			}
		}
	}
	return c.failures
}

// checker gathers why properties are refused, one sentence each.
type checker struct{ failures []*pulumirpc.CheckFailure }

func (c *checker) fail(path, format string, args ...any) {
	c.failures = append(c.failures, &pulumirpc.CheckFailure{Property: path, Reason: fmt.Sprintf(format, args...)})
}

func (c *checker) refuse(wrong bool, property, format string, args ...any) {
	if wrong {
		c.fail(property, format, args...)
	}
}

func (c *checker) billing(path, mode string, have capacity, props resource.PropertyMap) {
	for _, p := range []struct {
		name  string
		units int64
	}{{"readCapacity", have.Read}, {"writeCapacity", have.Write}} {
		given := props[resource.PropertyKey(p.name)]
		if given.ContainsUnknowns() {
			continue
		}
		switch {
		case mode == provisioned && p.units < 1:
			c.fail(path+p.name, "expected 1 or more capacity units because billingMode is %s, found %d: set it, or set billingMode to %s", provisioned, p.units, payPerRequest)
		case mode == payPerRequest && number(given) != 0:
			c.fail(path+p.name, "expected none because billingMode is %s, found %v: remove it", payPerRequest, number(given))
		}
	}
}

func (c *checker) indexes(t table, props resource.PropertyMap) {
	c.refuse(len(t.Indexes) > maxIndexes, "globalSecondaryIndexes", "expected at most %d indexes, found %d", maxIndexes, len(t.Indexes))
	seen := map[string]bool{}
	for n, i := range t.Indexes {
		path := element("globalSecondaryIndexes", n) + "."
		c.refuse(!tableName.MatchString(i.Name), path+"name", "expected 3 to 255 letters, digits, '_', '-' and '.', found %q: correct the index's name", i.Name)
		c.refuse(seen[i.Name], path+"name", "expected each index once, found %q again", i.Name)
		seen[i.Name] = true
		c.refuse(i.HashKey == "", path+"hashKey", "expected the partition key of index %q, found none", i.Name)
		switch i.Projection {
		case "ALL", "KEYS_ONLY":
			c.refuse(len(i.NonKey) > 0, path+"nonKeyAttributes", "expected none because the projection of index %q is %s, found %v", i.Name, i.Projection, i.NonKey)
		case "INCLUDE":
			c.refuse(len(i.NonKey) == 0, path+"nonKeyAttributes", "expected the attributes that index %q includes, found none", i.Name)
		default:
			c.fail(path+"projectionType", "expected ALL, KEYS_ONLY or INCLUDE, found %q on index %q", i.Projection, i.Name)
		}
		c.billing(path, t.BillingMode, i.capacity, object(list(props["globalSecondaryIndexes"])[n]))
	}
}

// attributes holds definitions and keys against each other, as the real provider does: every attribute must be used by
// a key and every key must be defined.
func (c *checker) attributes(t table) {
	users := map[string]string{} // key attribute -> who uses it
	use := func(name, user string) {
		if name != "" && users[name] == "" {
			users[name] = user
		}
	}
	use(t.HashKey, "hashKey")
	use(t.RangeKey, "rangeKey")
	for _, i := range t.Indexes {
		use(i.HashKey, "index "+i.Name)
		use(i.RangeKey, "index "+i.Name)
	}
	defined := map[string]bool{}
	for n, a := range t.Attributes {
		path := element("attributes", n)
		c.refuse(a.Type != "S" && a.Type != "N" && a.Type != "B", path+".type", "expected S, N or B, found %q on attribute %q", a.Type, a.Name)
		c.refuse(defined[a.Name], path+".name", "expected each attribute once, found %q again", a.Name)
		defined[a.Name] = true
		if users[a.Name] == "" {
			c.fail(path, "expected every attribute to be a key of the table or of an index, found %q used by none: remove it, attributes that are no keys are not declared", a.Name)
		}
	}
	for _, name := range sortedKeys(users) {
		if !defined[name] {
			c.fail("attributes", "expected a definition of key %q (%s), found none: add it with its type", name, users[name])
		}
	}
}
