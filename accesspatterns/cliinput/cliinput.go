// Package cliinput makes the SDK's inputs of what `aws dynamodb <operation> --cli-input-json` takes, and writes lines of the AWS CLI.
package cliinput

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/input"
)

// Decoder makes inputs of JSON. Three forms stand for more than they spell out:
//
//   - {"$item": "name"} is a named item;
//   - {"$name": "name"} in place of a TableName is the name of a table that is
//     none of the design's, and is sent as it stands;
//   - {"$times": 26, "$each": element} in a list is the element so many times,
//     with {n} in it replaced by 1, 2 and so on.
type Decoder struct {
	// Table resolves logical table ids; nil takes each name as it stands.
	Table func(id string) (string, error)
	// Item resolves named items; nil takes none.
	Item func(name string) (ap.Item, error)
}

// Input is the input of an operation, such as *dynamodb.QueryInput.
func (d Decoder) Input(operation string, text []byte) (any, error) {
	of, is := reflect.TypeFor[*dynamodb.Client]().MethodByName(operation)
	if !is || of.Type.NumIn() < 3 { // behind the client and the context
		return nil, fmt.Errorf("expected a DynamoDB operation, found %q", operation)
	}
	into := reflect.New(of.Type.In(2).Elem())
	if err := d.decode(text, into.Elem(), operation); err != nil {
		return nil, err
	}
	return into.Interface(), nil
}

// Fill sets the members of an input, or of a part of one, that JSON gives.
func (d Decoder) Fill(part any, text []byte) error {
	into := reflect.ValueOf(part).Elem()
	return d.decode(text, into, into.Type().Name())
}

func (d Decoder) table(id string) (string, error) {
	if d.Table == nil {
		return id, nil
	}
	return d.Table(id)
}

func (d Decoder) item(name string) (ap.Item, error) {
	if d.Item == nil {
		return nil, fmt.Errorf("expected the values of an item, found the named item %q", name)
	}
	return d.Item(name)
}

var (
	attributeValue = reflect.TypeFor[types.AttributeValue]()
	itemType       = reflect.TypeFor[map[string]types.AttributeValue]()
)

// decode fills a field of an SDK input from JSON. The SDK's structs carry the
// wire's names but no JSON tags, and attribute values are a union that
// encoding/json cannot fill.
func (d Decoder) decode(text json.RawMessage, into reflect.Value, at string) error {
	switch {
	case into.Type() == itemType:
		return d.decodeItem(text, into, at)
	case into.Type() == attributeValue:
		value, err := dynamo.Read(text)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		into.Set(reflect.ValueOf(value))
		return nil
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return d.decode(text, into.Elem(), at)
	case reflect.Struct, reflect.Map:
		members, err := object(text, at)
		if into.Kind() == reflect.Map && err == nil {
			into.Set(reflect.MakeMap(into.Type()))
		}
		for _, name := range dynamo.Names(members) {
			if err := d.member(name, members[name], into, at); err != nil {
				return err
			}
		}
		return err
	case reflect.Slice:
		elements, err := list(text, at)
		if err != nil {
			return err
		}
		into.Set(reflect.MakeSlice(into.Type(), len(elements), len(elements)))
		for i, element := range elements {
			if err := d.decode(element, into.Index(i), fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := input.Exactly(text, into.Addr().Interface()); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return nil
}

// member fills a field of a struct, or an entry of a map. The maps of BatchGetItem and BatchWriteItem have table names as keys.
func (d Decoder) member(name string, text json.RawMessage, into reflect.Value, at string) (err error) {
	within := at + "." + name
	if into.Kind() == reflect.Map {
		key, value := name, reflect.New(into.Type().Elem()).Elem()
		if at == "BatchGetItem.RequestItems" || at == "BatchWriteItem.RequestItems" {
			if key, err = d.table(name); err != nil {
				return fmt.Errorf("%s: %w", at, err)
			}
		}
		err = d.decode(text, value, within)
		into.SetMapIndex(reflect.ValueOf(key), value)
		return err
	}
	field := into.FieldByName(name)
	if !field.IsValid() {
		return fmt.Errorf("%s: DynamoDB knows no %s here", at, name)
	}
	if _, isText := field.Interface().(*string); !isText || name != "TableName" {
		return d.decode(text, field, within)
	}
	deployed, err := d.named(text, within)
	field.Set(reflect.ValueOf(&deployed))
	return err
}

// named reads the logical id of a table, or the name of one that is none of the
// design's, and returns what is sent.
func (d Decoder) named(text json.RawMessage, at string) (string, error) {
	var foreign struct {
		Name string `json:"$name"`
	}
	if input.Strictly(text, &foreign) == nil && foreign.Name != "" {
		return foreign.Name, nil
	}
	var id string
	if err := input.Exactly(text, &id); err != nil {
		return "", fmt.Errorf(`%s: expected a logical table id or {"$name": name}: %w`, at, err)
	}
	deployed, err := d.table(id)
	if err != nil {
		return "", fmt.Errorf("%s: %w", at, err)
	}
	return deployed, nil
}

// mostTimes is far above the longest list that DynamoDB takes, so that a request beyond its bound can be tried.
const mostTimes = 1000

// list reads the elements of a list, and repeats those that say how often.
func list(text json.RawMessage, at string) ([]json.RawMessage, error) {
	var elements []json.RawMessage
	if err := input.Exactly(text, &elements); err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	var all []json.RawMessage
	for _, element := range elements {
		var members map[string]json.RawMessage
		if input.Exactly(element, &members) != nil || members["$times"] == nil {
			all = append(all, element)
			continue
		}
		var repeated struct {
			Times int             `json:"$times"`
			Each  json.RawMessage `json:"$each"`
		}
		if err := input.Strictly(element, &repeated); err != nil || repeated.Times < 1 || repeated.Times > mostTimes || len(repeated.Each) == 0 {
			return nil, fmt.Errorf(`%s: expected {"$times": a number from 1 to %d, "$each": an element}, found %s`, at, mostTimes, element)
		}
		for n := 1; n <= repeated.Times; n++ {
			all = append(all, bytes.ReplaceAll(repeated.Each, []byte("{n}"), []byte(strconv.Itoa(n))))
		}
	}
	return all, nil
}

func (d Decoder) decodeItem(text json.RawMessage, into reflect.Value, at string) error {
	members, err := object(text, at)
	if err != nil {
		return err
	}
	if reference, named := members["$item"]; named {
		var name string
		if err := input.Exactly(reference, &name); err != nil {
			return fmt.Errorf("%s: expected {\"$item\": name}: %w", at, err)
		}
		item, err := d.item(name)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		into.Set(reflect.ValueOf(item))
		return nil
	}
	item, err := dynamo.ReadItem(text)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	into.Set(reflect.ValueOf(item))
	return nil
}

func object(text json.RawMessage, at string) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := input.Exactly(text, &members); err != nil {
		return nil, fmt.Errorf("%s: expected an object: %w", at, err)
	}
	return members, nil
}
