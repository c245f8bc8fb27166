package mutants

import (
	"maps"
	"slices"
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

	stream bool
	// kms is the key that encrypts the table, when the customer manages it.
	kms string
	// region is where the table is made, when not where it was.
	region string
	// gone says that there is no such table, and extra names one that nobody
	// documents.
	gone  bool
	extra string
}

// index is a global secondary index of a shape.
type index struct {
	name, hash, sort, projection string
	include                      []string
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
	used := map[string]bool{s.hash: true, s.sort: true}
	for _, i := range s.indexes {
		used[i.hash], used[i.sort] = true, true
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
