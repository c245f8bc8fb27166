// Package tables makes tables, changes them, reads them back and compares them: from a contract, from the inputs of a Pulumi program, or
// from another table.
package tables

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
)

// Spec is how a table is deployed, or is to be.
type Spec struct {
	Name string
	Key
	// Types holds the type of every attribute that is part of a key.
	Types   map[string]string
	Indexes []Index
	Billing string
	// TTL is the attribute of the time to live; empty when it is off.
	TTL  string
	PITR bool
	Tags map[string]string
	// Stream is the view type of the stream; empty when it is off.
	Stream    string
	Protected bool
	// Class is the table class; empty for the standard one.
	Class string
	// Read and Write are the units of a provisioned table; 0 for two of each, which no
	// document offers.
	Read, Write int64
	// KMS is the key that encrypts the table, when the customer manages it.
	KMS string
	// Region is where the table is made, when not where it was.
	Region string
	// Gone says that there is no such table, and Extra names one that nobody
	// documents.
	Gone  bool
	Extra string
}

// Key holds the names of the attributes of a key: one of each sort, of which a table may lack the second; of a global index several.
type Key struct{ Hash, Sort []string }

// Index is a secondary index.
type Index struct {
	Name string
	Key
	Projection string
	Include    []string
	// Local is set for a local one, whose partition key is the table's.
	Local bool
}

// schema is the key as DynamoDB has it.
func (k *Key) schema() []types.KeySchemaElement {
	of := func(kind types.KeyType, names []string) []types.KeySchemaElement {
		return lists.Map(names, func(name string) types.KeySchemaElement {
			return types.KeySchemaElement{AttributeName: &name, KeyType: kind}
		})
	}
	return append(of(types.KeyTypeHash, k.Hash), of(types.KeyTypeRange, k.Sort)...)
}

// Promised is the table that a contract promises, under the table's deployed name.
func Promised(table *accesspatterns.Table, name, environment string) *Spec {
	s := &Spec{
		Name: name, Key: Key{table.Keys()[:1].Names(), table.Keys()[1:].Names()}, Types: map[string]string{}, Tags: map[string]string{},
		Billing: string(cmp.Or(table.Billing, dynamo.OnDemand)), PITR: table.PITR != nil, Protected: table.Protection != nil,
	}
	for attribute, kind := range table.AttributeDefinitions() {
		s.Types[attribute] = string(kind)
	}
	for from := range lists.Each(table.Indexes) {
		partition, sort := from.AllKeys()
		into := Index{Name: from.Name, Key: Key{partition.Names(), sort.Names()}, Projection: string(from.Projection), Include: from.NonKeyAttributes, Local: from.Local}
		if from.Local {
			into.Hash = s.Hash
		}
		s.Indexes = append(s.Indexes, into)
	}
	if table.TTL != nil {
		s.TTL = table.TTL.Attribute
	}
	if table.Stream != nil {
		s.Stream = cmp.Or(table.Stream.View, string(types.StreamViewTypeNewImage))
	}
	if table.Class != nil {
		s.Class = table.Class.Class
	}
	if table.Units != nil {
		s.Read, s.Write = table.Units.ReadUnits, table.Units.WriteUnits
	}
	for key, value := range table.Tags {
		s.Tags[key] = value.In(environment)
	}
	return s
}

// Index returns an index by its name, nil where there is none.
func (s *Spec) Index(name string) *Index {
	at := slices.IndexFunc(s.Indexes, func(i Index) bool { return i.Name == name })
	if at < 0 {
		return nil
	}
	return &s.Indexes[at]
}

// Drop removes an index.
func (s *Spec) Drop(name string) {
	s.Indexes = slices.DeleteFunc(s.Indexes, func(i Index) bool { return i.Name == name })
}

// Settle gives every key attribute a type and drops the types of all others, as
// DynamoDB asks for.
func (s *Spec) Settle() {
	for i := range s.Indexes {
		if s.Indexes[i].Local {
			s.Indexes[i].Hash = s.Hash
		}
	}
	if len(s.Sort) == 0 { // a table without a sort key has none
		s.Indexes = slices.DeleteFunc(s.Indexes, func(i Index) bool { return i.Local })
	}
	used := slices.Concat(s.Hash, s.Sort)
	for _, i := range s.Indexes {
		used = slices.Concat(used, i.Hash, i.Sort)
	}
	for _, name := range used {
		s.Types[name] = cmp.Or(s.Types[name], "S")
	}
	maps.DeleteFunc(s.Types, func(name, _ string) bool { return !slices.Contains(used, name) })
}

// Rename gives an attribute of a key another name, of the same type.
func (s *Spec) Rename(key []string, at int) {
	renamed := key[at] + "Renamed"
	s.Types[renamed] = s.Types[key[at]]
	key[at] = renamed
}

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
		Name: of.Name, Key: asked(of.HashKey, of.RangeKey), Billing: of.BillingMode, Tags: map[string]string{},
		PITR: of.PointInTimeRecovery.Enabled, Protected: of.DeletionProtectionEnabled, Read: of.ReadCapacity, Write: of.WriteCapacity,
		Types: lists.Index(of.Attributes, func(a struct{ Name, Type string }) (string, string) { return a.Name, a.Type }),
	}
	for _, each := range of.GlobalSecondaryIndexes {
		s.Indexes = append(s.Indexes, Index{Name: each.Name, Key: asked(each.HashKey, each.RangeKey), Projection: each.ProjectionType, Include: each.NonKeyAttributes})
	}
	if of.TTL.Enabled {
		s.TTL = of.TTL.AttributeName
	}
	maps.Copy(s.Tags, of.Tags)
	return s
}

// asked is a key of one attribute or two.
func asked(hash, sort string) Key {
	if sort == "" {
		return Key{Hash: []string{hash}}
	}
	return Key{[]string{hash}, []string{sort}}
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
	differ("key", s.Key, found.Key)
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
