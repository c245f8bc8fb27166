package localaws

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// tableName is AWS's rule for names of tables and indexes: 3 to 255 of these characters.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
var tableName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)

// maxIndexes is the default quota of global secondary indexes of a table.
const maxIndexes = 20

// checkTable returns every reason why the inputs of a table are refused: unknown or unimplemented properties, wrong
// types, and the rules that the real provider and DynamoDB check before they create anything.
func checkTable(props resource.PropertyMap) []failure {
	c := &checker{}
	c.names(props)
	if len(c.failures) > 0 {
		return c.failures // the rules below would only repeat in other words that a property has the wrong type
	}
	t := tableFrom(props)
	unknown := func(name string) bool { return props[resource.PropertyKey(name)].ContainsUnknowns() }

	if !unknown("name") && !tableName.MatchString(t.Name) {
		c.fail("name", "expected 3 to 255 letters, digits, '_', '-' and '.', found %q: correct the table's name", t.Name)
	}
	if !unknown("hashKey") && t.HashKey == "" {
		c.fail("hashKey", "expected the name of the partition key, found none: set hashKey")
	}
	c.billing("", t.BillingMode, t.Capacity, props)
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
func retyped(olds, inputs resource.PropertyMap) []failure {
	c := &checker{}
	for _, name := range replacing {
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

type checker struct{ failures []failure }

func (c *checker) fail(property, format string, args ...any) {
	c.failures = append(c.failures, failure{property, fmt.Sprintf(format, args...)})
}

// names refuses every property that is not implemented or that has the wrong type.
func (c *checker) names(props resource.PropertyMap) {
	for _, key := range props.StableKeys() {
		name, v := string(key), props[key]
		if strings.HasPrefix(name, "__") || v.IsNull() {
			continue // "__defaults" is the real provider's bookkeeping in a state that it wrote
		}
		if only, ok := defaultOnly[name]; ok {
			if v.IsComputed() || v.IsOutput() || v.Mappable() != only {
				c.fail(name, "localaws implements the default %v only, found %v: remove it, or deploy against AWS with the pulumi command", only, v.Mappable())
			}
			continue
		}
		nested, ok := implemented[name]
		if !ok {
			c.unimplemented(name, slices.Contains(refused, name))
			continue
		}
		if v.ContainsUnknowns() && !v.IsObject() && !v.IsArray() {
			continue
		}
		switch name {
		case "attributes", "globalSecondaryIndexes":
			if !v.IsArray() {
				c.wrongType(name, "a list", v)
				continue
			}
			for i, e := range v.ArrayValue() {
				c.object(element(name, i), name, nested, e)
			}
		case "ttl", "pointInTimeRecovery":
			c.object(name, name, nested, v)
		case "tags":
			if !v.IsObject() {
				c.wrongType(name, "a map of strings", v)
				continue
			}
			for k, tag := range v.ObjectValue() {
				if !strings.HasPrefix(string(k), "__") {
					c.value(resource.PropertyPath{name, string(k)}.String(), "tag", tag)
				}
			}
		default:
			c.value(name, name, v)
		}
	}
}

func (c *checker) object(path, parent string, nested []string, v resource.PropertyValue) {
	if v.IsComputed() || v.IsOutput() {
		return
	}
	if !v.IsObject() {
		c.wrongType(path, "an object", v)
		return
	}
	o := v.ObjectValue()
	for _, key := range o.StableKeys() {
		name := string(key)
		if strings.HasPrefix(name, "__") || o[key].IsNull() {
			continue
		}
		if !slices.Contains(nested, name) {
			c.unimplemented(path+"."+name, slices.Contains(refused, parent+"."+name))
			continue
		}
		c.value(path+"."+name, name, o[key])
	}
}

// value checks the type of a property that holds no object.
func (c *checker) value(path, name string, v resource.PropertyValue) {
	if v.ContainsUnknowns() {
		return
	}
	switch name {
	case "readCapacity", "writeCapacity":
		if !v.IsNumber() {
			c.wrongType(path, "a number of capacity units", v)
		}
	case "enabled", "deletionProtectionEnabled":
		if !v.IsBool() {
			c.wrongType(path, "true or false", v)
		}
	case "nonKeyAttributes":
		if !v.IsArray() || slices.ContainsFunc(v.ArrayValue(), func(e resource.PropertyValue) bool { return !e.IsString() }) {
			c.wrongType(path, "a list of strings", v)
		}
	default:
		if !v.IsString() {
			c.wrongType(path, "a string", v)
		}
	}
}

func (c *checker) wrongType(path, want string, v resource.PropertyValue) {
	c.fail(path, "expected %s, found %v", want, v.Mappable())
}

func (c *checker) unimplemented(path string, inSDK bool) {
	if inSDK {
		c.fail(path, "localaws does not implement this property of aws:dynamodb/table:Table: remove it, or deploy against AWS with the pulumi command")
		return
	}
	c.fail(path, "aws:dynamodb/table:Table has no such property: correct the name")
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
	if len(t.Indexes) > maxIndexes {
		c.fail("globalSecondaryIndexes", "expected at most %d indexes, found %d", maxIndexes, len(t.Indexes))
	}
	seen := map[string]bool{}
	for n, i := range t.Indexes {
		path := element("globalSecondaryIndexes", n) + "."
		if !tableName.MatchString(i.Name) {
			c.fail(path+"name", "expected 3 to 255 letters, digits, '_', '-' and '.', found %q: correct the index's name", i.Name)
		}
		if seen[i.Name] {
			c.fail(path+"name", "expected each index once, found %q again", i.Name)
		}
		seen[i.Name] = true
		if i.HashKey == "" {
			c.fail(path+"hashKey", "expected the partition key of index %q, found none", i.Name)
		}
		switch i.Projection {
		case "ALL", "KEYS_ONLY":
			if len(i.NonKey) > 0 {
				c.fail(path+"nonKeyAttributes", "expected none because the projection of index %q is %s, found %v", i.Name, i.Projection, i.NonKey)
			}
		case "INCLUDE":
			if len(i.NonKey) == 0 {
				c.fail(path+"nonKeyAttributes", "expected the attributes that index %q includes, found none", i.Name)
			}
		default:
			c.fail(path+"projectionType", "expected ALL, KEYS_ONLY or INCLUDE, found %q on index %q", i.Projection, i.Name)
		}
		c.billing(path, t.BillingMode, i.Capacity, object(list(props["globalSecondaryIndexes"])[n]))
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
		if a.Type != "S" && a.Type != "N" && a.Type != "B" {
			c.fail(path+".type", "expected S, N or B, found %q on attribute %q", a.Type, a.Name)
		}
		if defined[a.Name] {
			c.fail(path+".name", "expected each attribute once, found %q again", a.Name)
		}
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
