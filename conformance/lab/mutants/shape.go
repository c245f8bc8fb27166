package mutants

import (
	"cmp"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
)

// shape is how a table is deployed, whether Pulumi says so or the engine.
type shape struct {
	name string
	// hash and sort are the key attributes; sort is empty without a sort key.
	hash, sort string
	// types holds the type of every attribute that is part of a key.
	types   map[string]string
	indexes []index
	billing string
	// ttl is the attribute of the time to live; empty when it is off.
	ttl  string
	pitr bool
	tags map[string]string

	// A Pulumi program for engines on loopback cannot ask for what follows.

	// stream is the view type of the stream; empty when it is off.
	stream    string
	protected bool
	// class is the table class; empty for the standard one.
	class string
	// read and write are the units of a provisioned table; 0 for two of each, which no
	// document offers.
	read, write int64
	// kms is the key that encrypts the table, when the customer manages it.
	kms string
	// region is where the table is made, when not where it was.
	region string
	// gone says that there is no such table, and extra names one that nobody
	// documents.
	gone  bool
	extra string
}

// index is a secondary index of a shape.
type index struct {
	name, hash, sort, projection string
	include                      []string
	// local is set for a local one, whose partition key is the table's.
	local bool
	// moreHash and moreSort are the further attributes of a key of several.
	moreHash, moreSort []string
}

// schema is the key of the index.
func (i *index) schema() []types.KeySchemaElement {
	var all []types.KeySchemaElement
	for _, name := range append([]string{i.hash}, i.moreHash...) {
		all = append(all, types.KeySchemaElement{AttributeName: &name, KeyType: types.KeyTypeHash})
	}
	for _, name := range append([]string{i.sort}, i.moreSort...) {
		if name != "" {
			all = append(all, types.KeySchemaElement{AttributeName: &name, KeyType: types.KeyTypeRange})
		}
	}
	return all
}

// promised is the shape that a contract promises, under the table's deployed name.
func promised(table *accesspatterns.Table, name, environment string) *shape {
	s := &shape{
		name: name, hash: table.PartitionKey.Attribute, types: map[string]string{}, tags: map[string]string{},
		billing: string(cmp.Or(table.Billing, accesspatterns.OnDemand)), pitr: table.PITR != nil, protected: table.Protection != nil,
	}
	if table.SortKey != nil {
		s.sort = table.SortKey.Attribute
	}
	for attribute, kind := range table.AttributeDefinitions() {
		s.types[attribute] = string(kind)
	}
	for i := range table.Indexes {
		from := &table.Indexes[i]
		into := index{name: from.Name, hash: cmp.Or(from.PartitionKey.Attribute, s.hash), projection: string(from.Projection), include: from.NonKeyAttributes, local: from.Local}
		if from.SortKey != nil {
			into.sort = from.SortKey.Attribute
		}
		into.moreHash, into.moreSort = attributes(from.MorePartition), attributes(from.MoreSort)
		s.indexes = append(s.indexes, into)
	}
	if table.TTL != nil {
		s.ttl = table.TTL.Attribute
	}
	if table.Stream != nil {
		s.stream = cmp.Or(table.Stream.View, string(types.StreamViewTypeNewImage))
	}
	if table.Class != nil {
		s.class = table.Class.Class
	}
	if table.Units != nil {
		s.read, s.write = table.Units.ReadUnits, table.Units.WriteUnits
	}
	for key, value := range table.Tags {
		s.tags[key] = value.In(environment)
	}
	return s
}

func attributes(keys []accesspatterns.Key) (names []string) {
	for _, key := range keys {
		names = append(names, key.Attribute)
	}
	return names
}

func (s *shape) index(name string) *index {
	at := slices.IndexFunc(s.indexes, func(i index) bool { return i.name == name })
	if at < 0 {
		return nil
	}
	return &s.indexes[at]
}

func (s *shape) drop(name string) {
	s.indexes = slices.DeleteFunc(s.indexes, func(i index) bool { return i.name == name })
}

// settle gives every key attribute a type and drops the types of all others, as
// DynamoDB asks for.
func (s *shape) settle() {
	for i := range s.indexes {
		if s.indexes[i].local {
			s.indexes[i].hash = s.hash
		}
	}
	if s.sort == "" { // a table without a sort key has none
		s.indexes = slices.DeleteFunc(s.indexes, func(i index) bool { return i.local })
	}
	used := map[string]bool{s.hash: true, s.sort: true}
	for _, i := range s.indexes {
		for _, element := range i.schema() {
			used[*element.AttributeName] = true
		}
	}
	delete(used, "")
	for name := range used {
		if s.types[name] == "" {
			s.types[name] = "S"
		}
	}
	maps.DeleteFunc(s.types, func(name, _ string) bool { return !used[name] })
}

// rename gives a key attribute another name, of the same type.
func (s *shape) rename(at *string, name string) {
	s.types[name] = s.types[*at]
	*at = name
}
