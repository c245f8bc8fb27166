// Package tables makes tables, changes them, reads them back and compares them: from a contract, from the inputs of a Pulumi program, or
// from another table.
package tables

import (
	"cmp"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
)

// Spec is how a table is deployed, or is to be.
type Spec struct {
	Name string
	// Hash and Sort are the key attributes; Sort is empty without a sort key.
	Hash, Sort string
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

// Index is a secondary index.
type Index struct {
	Name, Hash, Sort, Projection string
	Include                      []string
	// Local is set for a local one, whose partition key is the table's.
	Local bool
	// MoreHash and MoreSort are the further attributes of a key of several.
	MoreHash, MoreSort []string
}

// schema is the key of the index.
func (i *Index) schema() []types.KeySchemaElement {
	var all []types.KeySchemaElement
	for _, name := range append([]string{i.Hash}, i.MoreHash...) {
		all = append(all, types.KeySchemaElement{AttributeName: &name, KeyType: types.KeyTypeHash})
	}
	for _, name := range append([]string{i.Sort}, i.MoreSort...) {
		if name != "" {
			all = append(all, types.KeySchemaElement{AttributeName: &name, KeyType: types.KeyTypeRange})
		}
	}
	return all
}

// Promised is the table that a contract promises, under the table's deployed name.
func Promised(table *accesspatterns.Table, name, environment string) *Spec {
	s := &Spec{
		Name: name, Hash: table.PartitionKey.Attribute, Types: map[string]string{}, Tags: map[string]string{},
		Billing: string(cmp.Or(table.Billing, dynamo.OnDemand)), PITR: table.PITR != nil, Protected: table.Protection != nil,
	}
	if table.SortKey != nil {
		s.Sort = table.SortKey.Attribute
	}
	for attribute, kind := range table.AttributeDefinitions() {
		s.Types[attribute] = string(kind)
	}
	for i := range table.Indexes {
		from := &table.Indexes[i]
		into := Index{Name: from.Name, Hash: cmp.Or(from.PartitionKey.Attribute, s.Hash), Projection: string(from.Projection), Include: from.NonKeyAttributes, Local: from.Local}
		if from.SortKey != nil {
			into.Sort = from.SortKey.Attribute
		}
		into.MoreHash, into.MoreSort = from.MorePartition.Names(), from.MoreSort.Names()
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
	if s.Sort == "" { // a table without a sort key has none
		s.Indexes = slices.DeleteFunc(s.Indexes, func(i Index) bool { return i.Local })
	}
	used := map[string]bool{s.Hash: true, s.Sort: true}
	for _, i := range s.Indexes {
		for _, element := range i.schema() {
			used[*element.AttributeName] = true
		}
	}
	delete(used, "")
	for name := range used {
		if s.Types[name] == "" {
			s.Types[name] = "S"
		}
	}
	maps.DeleteFunc(s.Types, func(name, _ string) bool { return !used[name] })
}

// Rename gives a key attribute another name, of the same type.
func (s *Spec) Rename(at *string, name string) {
	s.Types[name] = s.Types[*at]
	*at = name
}
