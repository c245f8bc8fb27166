package localaws

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// checkTable returns every reason why the inputs of a table are refused: unknown or unimplemented properties, wrong types, and
// capacity that would go nowhere. What DynamoDB refuses of a table, the endpoint refuses.
func checkTable(props resource.PropertyMap) []failure {
	c := &checker{}
	tableInputs.check(c, props)
	if len(c.failures) > 0 || text(props["billingMode"]) != payPerRequest {
		return c.failures
	}
	c.onDemand("", props)
	for n, index := range list(props["globalSecondaryIndexes"]) {
		c.onDemand(element("globalSecondaryIndexes", n)+".", object(index))
	}
	return c.failures
}

// onDemand refuses capacity, which no request of a table on demand carries.
func (c *checker) onDemand(path string, props resource.PropertyMap) {
	for _, name := range []string{"readCapacity", "writeCapacity"} {
		if given := props[resource.PropertyKey(name)]; given.IsNumber() && given.NumberValue() != 0 {
			c.fail(path+name, "expected none because billingMode is %s, found %v: remove it", payPerRequest, given.NumberValue())
		}
	}
}

// retyped refuses another type of an attribute that stays a key of the same table. The real provider compares attributes by
// name alone: it changes nothing, says nothing, and creates a new index over the former type.
func retyped(olds, inputs resource.PropertyMap) []failure {
	c := &checker{}
	for _, name := range tableInputs.replacing {
		if key := resource.PropertyKey(name); text(olds[key]) != text(inputs[key]) {
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
