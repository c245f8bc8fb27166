package tables

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Asked is the table that a Pulumi program asks for, by the inputs of the resource aws:dynamodb/table:Table as JSON has them. An input of
// another type is left out.
func Asked(inputs map[string]any) *Spec {
	var of struct {
		Name, HashKey, RangeKey, BillingMode string
		ReadCapacity, WriteCapacity          int64
		DeletionProtectionEnabled            bool
		Attributes                           []struct{ Name, Type string }
		GlobalSecondaryIndexes               []struct {
			Name, HashKey, RangeKey, ProjectionType string
			NonKeyAttributes                        []string
		}
		TTL struct {
			Enabled       bool
			AttributeName string
		}
		PointInTimeRecovery struct{ Enabled bool }
		Tags                map[string]string
	}
	if text, err := json.Marshal(inputs); err == nil {
		_ = json.Unmarshal(text, &of) // which goes on behind a wrong type
	}
	s := &Spec{
		Name: of.Name, Hash: of.HashKey, Sort: of.RangeKey, Billing: of.BillingMode, Types: map[string]string{}, Tags: map[string]string{},
		PITR: of.PointInTimeRecovery.Enabled, Protected: of.DeletionProtectionEnabled, Read: of.ReadCapacity, Write: of.WriteCapacity,
	}
	for _, definition := range of.Attributes {
		s.Types[definition.Name] = definition.Type
	}
	for _, each := range of.GlobalSecondaryIndexes {
		s.Indexes = append(s.Indexes, Index{Name: each.Name, Hash: each.HashKey, Sort: each.RangeKey, Projection: each.ProjectionType, Include: each.NonKeyAttributes})
	}
	if of.TTL.Enabled {
		s.TTL = of.TTL.AttributeName
	}
	maps.Copy(s.Tags, of.Tags)
	return s
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
