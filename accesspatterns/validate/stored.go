package validate

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
)

// Bounds of what DynamoDB stores.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const (
	maxItem      = 400 << 10
	maxPartition = 2048
	maxSort      = 1024
	maxName      = 64<<10 - 1
	maxDepth     = 32
)

// Unstored says why DynamoDB does not store an item in a table, whatever a contract says of it; nil where it does.
func Unstored(table *ap.Table, item ap.Item) error {
	if size := dynamo.Size(item); size > maxItem {
		return fmt.Errorf("expected an item of at most %d bytes (400 KB), names and values, found about %d", maxItem, size)
	}
	for _, key := range table.Keys() {
		if _, has := item[key.Attribute]; !has {
			return fmt.Errorf("expected a value of key attribute %s, found none", key.Attribute)
		}
	}
	type part struct {
		keys []ap.Key
		most int
	}
	parts := []part{{table.Keys()[:1], maxPartition}, {table.Keys()[1:], maxSort}}
	for i := range table.Indexes {
		partition, sort := table.Indexes[i].AllKeys()
		parts = append(parts, part{partition, maxPartition}, part{sort, maxSort})
	}
	for _, of := range parts {
		if err := unstoredKey(item, of.keys, of.most); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(item)) {
		if name == "" || len(name) > maxName {
			return fmt.Errorf("expected attributes with names of 1 to %d bytes, found one of %d", maxName, len(name))
		}
		if err := unstoredValue(item[name], 1); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// unstoredKey looks at the attributes of a partition key or a sort key.
func unstoredKey(item ap.Item, keys []ap.Key, most int) error {
	length := 0
	for _, key := range keys {
		value, has := item[key.Attribute]
		if !has {
			continue
		}
		size := dynamo.Size(ap.Item{"": value})
		if of := dynamo.TypeOf(value); of != key.Type || size == 0 {
			return fmt.Errorf("%s: expected a key of type %s that is not empty, found %s", key.Attribute, key.Type, dynamo.Show(value))
		}
		length += size
	}
	if length > most {
		return fmt.Errorf("%s: expected a key of at most %d bytes, found %d", keys[0].Attribute, most, length)
	}
	return nil
}

// unstoredValue looks at a value and all that is in it.
func unstoredValue(value types.AttributeValue, depth int) error {
	if of := dynamo.TypeOf(value); depth > maxDepth && (of == dynamo.List || of == dynamo.Map) {
		return fmt.Errorf("expected at most %d maps and lists in each other, found more", maxDepth)
	}
	switch value := value.(type) {
	case *types.AttributeValueMemberN:
		return unstoredNumber(value.Value)
	case *types.AttributeValueMemberNULL:
		if !value.Value {
			return errors.New("expected NULL to be true, found false")
		}
	case *types.AttributeValueMemberSS:
		return unstoredSet(value.Value, func(a, b string) bool { return a == b })
	case *types.AttributeValueMemberNS:
		for _, number := range value.Value {
			if err := unstoredNumber(number); err != nil {
				return err
			}
		}
		return unstoredSet(value.Value, dynamo.EqualNumbers)
	case *types.AttributeValueMemberBS:
		return unstoredSet(value.Value, bytes.Equal)
	case *types.AttributeValueMemberL:
		for _, element := range value.Value {
			if err := unstoredValue(element, depth+1); err != nil {
				return err
			}
		}
	case *types.AttributeValueMemberM:
		for _, name := range slices.Sorted(maps.Keys(value.Value)) {
			if err := unstoredValue(value.Value[name], depth+1); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

func unstoredNumber(text string) error {
	if _, is := dynamo.Decimal(text); !is {
		return fmt.Errorf("expected a Number of at most 38 digits, from 1E-130 to 9.99E+125, found %s", text)
	}
	return nil
}

func unstoredSet[T any](members []T, equal func(T, T) bool) error {
	if len(members) == 0 {
		return errors.New("expected a set with members, found none")
	}
	for i, member := range members {
		if slices.ContainsFunc(members[:i], func(other T) bool { return equal(member, other) }) {
			return fmt.Errorf("expected each member of a set once, found %v twice", member)
		}
	}
	return nil
}
