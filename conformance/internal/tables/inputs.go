package tables

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Asked is the table that a Pulumi program asks for, by the inputs of the resource aws:dynamodb/table:Table as JSON has them.
func Asked(inputs map[string]any) *Spec {
	s := &Spec{
		Name: text(inputs["name"]), Hash: text(inputs["hashKey"]), Sort: text(inputs["rangeKey"]), Billing: text(inputs["billingMode"]),
		Types: map[string]string{}, Tags: map[string]string{}, PITR: member(inputs["pointInTimeRecovery"], "enabled") == true,
		Protected: inputs["deletionProtectionEnabled"] == true, Read: number(inputs["readCapacity"]), Write: number(inputs["writeCapacity"]),
	}
	for _, definition := range list(inputs["attributes"]) {
		s.Types[text(member(definition, "name"))] = text(member(definition, "type"))
	}
	for _, each := range list(inputs["globalSecondaryIndexes"]) {
		index := Index{
			Name: text(member(each, "name")), Hash: text(member(each, "hashKey")), Sort: text(member(each, "rangeKey")), Projection: text(member(each, "projectionType")),
		}
		for _, attribute := range list(member(each, "nonKeyAttributes")) {
			index.Include = append(index.Include, text(attribute))
		}
		s.Indexes = append(s.Indexes, index)
	}
	if member(inputs["ttl"], "enabled") == true {
		s.TTL = text(member(inputs["ttl"], "attributeName"))
	}
	tags, _ := inputs["tags"].(map[string]any)
	for key, value := range tags {
		s.Tags[key] = text(value)
	}
	return s
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

func number(value any) int64 {
	n, _ := value.(float64)
	return int64(n)
}

func member(value any, name string) any {
	members, _ := value.(map[string]any)
	return members[name]
}

func list(value any) []any {
	elements, _ := value.([]any)
	return elements
}

// Differences says how a table that was read differs from the one that was asked for, one line for each part; nil where it does
// not. Where a table is made and how it is encrypted are not compared.
func (s *Spec) Differences(found *Spec) (all []string) {
	differ := func(part string, expected, is any) {
		if !reflect.DeepEqual(expected, is) {
			all = append(all, fmt.Sprintf("%s: expected %v, found %v", part, expected, is))
		}
	}
	units := func(of *Spec) [2]int64 {
		if throughput := of.throughput(); throughput != nil {
			return [2]int64{*throughput.ReadCapacityUnits, *throughput.WriteCapacityUnits}
		}
		return [2]int64{}
	}
	differ("name", s.Name, found.Name)
	differ("key", [2]string{s.Hash, s.Sort}, [2]string{found.Hash, found.Sort})
	differ("types", s.Types, found.Types)
	differ("indexes", s.sorted(), found.sorted())
	differ("billing", s.Billing, found.Billing)
	differ("units", units(s), units(found))
	differ("TTL", s.TTL, found.TTL)
	differ("point-in-time recovery", s.PITR, found.PITR)
	differ("tags", s.Tags, found.Tags)
	differ("stream", s.Stream, found.Stream)
	differ("deletion protection", s.Protected, found.Protected)
	differ("class", s.Class, found.Class)
	return all
}

// sorted returns the indexes by name, with what they include in order: both are sets.
func (s *Spec) sorted() []Index {
	indexes := append([]Index(nil), s.Indexes...) // nil for none
	slices.SortFunc(indexes, func(a, b Index) int { return strings.Compare(a.Name, b.Name) })
	for i := range indexes {
		indexes[i].Include = slices.Sorted(slices.Values(indexes[i].Include))
	}
	return indexes
}

// MakeAsked makes a table, reads it back, and fails where an engine made another one.
func (o *Operator) MakeAsked(ctx context.Context, want *Spec) error {
	if err := o.Make(ctx, want); err != nil {
		return err
	}
	found, err := o.Read(ctx, want.Name)
	if err != nil {
		return err
	}
	if different := want.Differences(found); len(different) > 0 {
		return fmt.Errorf("table %s: the engine made another table than it was asked for: %s", want.Name, strings.Join(different, "; "))
	}
	return nil
}
