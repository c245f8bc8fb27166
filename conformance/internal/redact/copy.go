package redact

import (
	"encoding/json"
	"reflect"
	"slices"
)

// identifiers are fields whose texts join parts of a report to each other: no name of anybody stands in them, and a name
// that looks like a part of one must not change it.
var identifiers = []string{"ID", "Design", "Kind", "Cite", "Document", "Verdict", "Grade", "Operation", "Claim"}

// Copy returns a copy of a value in which every text is what change makes of it, those within slices, maps, pointers and
// JSON included. Keys of maps, fields that are not exported and identifiers stay as they are.
func Copy[T any](value T, change func(string) string) T {
	copied := reflect.New(reflect.TypeFor[T]()).Elem()
	copied.Set(reflect.ValueOf(&value).Elem())
	return walk(copied, change).Interface().(T)
}

var rawJSON = reflect.TypeFor[json.RawMessage]()

// walk returns a changed copy of a value.
func walk(value reflect.Value, change func(string) string) reflect.Value {
	switch value.Kind() {
	case reflect.String:
		changed := reflect.New(value.Type()).Elem()
		changed.SetString(change(value.String()))
		return changed
	case reflect.Pointer:
		if value.IsNil() {
			return value
		}
		changed := reflect.New(value.Type().Elem())
		changed.Elem().Set(walk(value.Elem(), change))
		return changed
	case reflect.Interface:
		if value.IsNil() {
			return value
		}
		changed := reflect.New(value.Type()).Elem()
		changed.Set(walk(value.Elem(), change))
		return changed
	case reflect.Slice:
		if value.IsNil() {
			return value
		}
		if value.Type() == rawJSON {
			before := string(value.Bytes())
			if after := change(before); after != before && json.Valid([]byte(after)) {
				return reflect.ValueOf(json.RawMessage(after))
			} else if after != before { // never let a name pass because of what surrounds it
				return reflect.ValueOf(json.RawMessage(`"[redacted]"`))
			}
			return value
		}
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return value
		}
		changed := reflect.MakeSlice(value.Type(), value.Len(), value.Len())
		for i := range value.Len() {
			changed.Index(i).Set(walk(value.Index(i), change))
		}
		return changed
	case reflect.Map:
		if value.IsNil() {
			return value
		}
		changed := reflect.MakeMapWithSize(value.Type(), value.Len())
		for entries := value.MapRange(); entries.Next(); {
			changed.SetMapIndex(entries.Key(), walk(entries.Value(), change))
		}
		return changed
	case reflect.Struct:
		changed := reflect.New(value.Type()).Elem()
		changed.Set(value)
		for i := range value.NumField() {
			if field := value.Type().Field(i); field.IsExported() && !(field.Type.Kind() == reflect.String && slices.Contains(identifiers, field.Name)) {
				changed.Field(i).Set(walk(value.Field(i), change))
			}
		}
		return changed
	}
	return value
}
