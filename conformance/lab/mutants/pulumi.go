package mutants

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// transform returns the Pulumi transform that deploys one table in another
// shape.
func transform(table string, change func(*shape)) pulumi.ResourceTransform {
	return func(_ context.Context, args *pulumi.ResourceTransformArgs) *pulumi.ResourceTransformResult {
		if args.Type != "aws:dynamodb/table:Table" || args.Name != table {
			return nil
		}
		s := declared(args.Props)
		change(s)
		s.settle()
		s.declare(args.Props)
		return &pulumi.ResourceTransformResult{Props: args.Props, Opts: args.Opts}
	}
}

// declared reads the shape off the inputs of a table.
func declared(inputs pulumi.Map) *shape {
	s := &shape{
		name: text(inputs["name"]), hash: text(inputs["hashKey"]), sort: text(inputs["rangeKey"]), billing: text(inputs["billingMode"]),
		types: map[string]string{}, tags: map[string]string{}, pitr: fmt.Sprint(member(inputs["pointInTimeRecovery"], "enabled")) == "true",
	}
	for _, definition := range elements(inputs["attributes"]) {
		s.types[text(member(definition, "name"))] = text(member(definition, "type"))
	}
	for _, i := range elements(inputs["globalSecondaryIndexes"]) {
		declared := index{
			name: text(member(i, "name")), hash: text(member(i, "hashKey")), sort: text(member(i, "rangeKey")), projection: text(member(i, "projectionType")),
		}
		for _, attribute := range elements(member(i, "nonKeyAttributes")) {
			declared.include = append(declared.include, text(attribute))
		}
		s.indexes = append(s.indexes, declared)
	}
	if fmt.Sprint(member(inputs["ttl"], "enabled")) == "true" {
		s.ttl = text(member(inputs["ttl"], "attributeName"))
	}
	tags, _ := inputs["tags"].(pulumi.Map)
	for key, value := range tags {
		s.tags[key] = text(value)
	}
	return s
}

// declare writes the shape into the inputs of a table.
func (s *shape) declare(inputs pulumi.Map) {
	inputs["name"], inputs["hashKey"], inputs["billingMode"] = pulumi.String(s.name), pulumi.String(s.hash), pulumi.String(s.billing)
	optional := func(in pulumi.Map, name, value string) {
		delete(in, name)
		if value != "" {
			in[name] = pulumi.String(value)
		}
	}
	optional(inputs, "rangeKey", s.sort)
	provision := func(in pulumi.Map) {
		delete(in, "readCapacity")
		delete(in, "writeCapacity")
		if s.billing == "PROVISIONED" {
			in["readCapacity"], in["writeCapacity"] = pulumi.Int(2), pulumi.Int(2)
		}
	}
	provision(inputs)
	var attributes, indexes pulumi.Array
	for _, name := range slices.Sorted(maps.Keys(s.types)) {
		attributes = append(attributes, pulumi.Map{"name": pulumi.String(name), "type": pulumi.String(s.types[name])})
	}
	inputs["attributes"] = attributes
	for _, i := range s.indexes {
		declared := pulumi.Map{"name": pulumi.String(i.name), "hashKey": pulumi.String(i.hash), "projectionType": pulumi.String(i.projection)}
		optional(declared, "rangeKey", i.sort)
		provision(declared)
		if len(i.include) > 0 {
			declared["nonKeyAttributes"] = pulumi.ToStringArray(i.include)
		}
		indexes = append(indexes, declared)
	}
	inputs["globalSecondaryIndexes"] = indexes
	delete(inputs, "ttl")
	if s.ttl != "" {
		inputs["ttl"] = pulumi.Map{"enabled": pulumi.Bool(true), "attributeName": pulumi.String(s.ttl)}
	}
	delete(inputs, "pointInTimeRecovery")
	if s.pitr {
		inputs["pointInTimeRecovery"] = pulumi.Map{"enabled": pulumi.Bool(true)}
	}
	inputs["tags"] = pulumi.ToStringMap(s.tags)
}

// The inputs of a resource that reach a transform are plain values.

func text(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

func member(value any, name string) any {
	members, _ := value.(pulumi.Map)
	return members[name]
}

func elements(value any) []pulumi.Input {
	list, _ := value.(pulumi.Array)
	return list
}
