package redact

import (
	"encoding/json"
	"reflect"
	"slices"
)

// identifiers are fields whose texts join parts of a report to each other: no name of anybody stands in them, and a name
// that looks like a part of one must not change it.
var identifiers = []string{"ID", "Design", "Kind", "Cite", "Document", "Verdict", "Grade", "Operation", "Claim"}

// Copy returns a value in which every text is what change makes of it, those within slices, maps, pointers and JSON
// included. Keys of maps, fields that are not exported and identifiers stay as they are. The result shares texts and bytes with the
// value, and no slice, map or struct.
func Copy[T any](value T, change func(string) string) T {
	return copyOf(value, change, func(text string) string { return text })
}

// Shown is [Copy] without secrets, and without characters that a terminal or a page would obey, in identifiers and keys of maps too.
func Shown[T any](value T) T {
	return copyOf(value, func(text string) string { return Visible(Secrets(text)) }, Visible)
}

func copyOf[T any](value T, change, ofNames func(string) string) T {
	copied, _ := walk(reflect.ValueOf(&value).Elem(), change, ofNames).Interface().(T)
	return copied
}

var rawJSON = reflect.TypeFor[json.RawMessage]()

// walk returns the changed copy of a value, and of its identifiers and keys what ofNames makes of them.
func walk(value reflect.Value, change, ofNames func(string) string) reflect.Value {
	switch kind := value.Kind(); {
	case kind == reflect.String:
		if text := change(value.String()); text != value.String() {
			return reflect.ValueOf(text).Convert(value.Type())
		}
	case (kind == reflect.Pointer || kind == reflect.Interface || kind == reflect.Slice || kind == reflect.Map) && value.IsNil():
	case kind == reflect.Pointer:
		changed := reflect.New(value.Type().Elem())
		changed.Elem().Set(walk(value.Elem(), change, ofNames))
		return changed
	case kind == reflect.Interface:
		return walk(value.Elem(), change, ofNames)
	case value.Type() == rawJSON:
		text := change(string(value.Bytes()))
		if !json.Valid([]byte(text)) && text != string(value.Bytes()) {
			text = `"[redacted]"` // never let a name pass because of what surrounds it
		}
		return reflect.ValueOf(json.RawMessage(text))
	case kind == reflect.Slice && value.Type().Elem().Kind() != reflect.Uint8:
		changed := reflect.MakeSlice(value.Type(), value.Len(), value.Len())
		for i := range value.Len() {
			changed.Index(i).Set(walk(value.Index(i), change, ofNames))
		}
		return changed
	case kind == reflect.Map:
		changed := reflect.MakeMapWithSize(value.Type(), value.Len())
		for entries := value.MapRange(); entries.Next(); {
			key := entries.Key()
			if key.Kind() == reflect.String {
				key = walk(key, ofNames, nil)
			}
			changed.SetMapIndex(key, walk(entries.Value(), change, ofNames))
		}
		return changed
	case kind == reflect.Struct:
		changed := reflect.New(value.Type()).Elem()
		changed.Set(value)
		for i := range value.NumField() {
			field, of := value.Type().Field(i), change
			if field.Type.Kind() == reflect.String && slices.Contains(identifiers, field.Name) {
				of = ofNames
			}
			if field.IsExported() {
				changed.Field(i).Set(walk(value.Field(i), of, ofNames))
			}
		}
		return changed
	}
	return value
}
