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
// included. Keys of maps, fields that are not exported and identifiers stay as they are. The result shares with the value
// whatever did not change, so that neither may be written to afterwards.
func Copy[T any](value T, change func(string) string) T {
	copied := reflect.New(reflect.TypeFor[T]()).Elem()
	copied.Set(reflect.ValueOf(&value).Elem())
	result, _ := walk(copied, change)
	return result.Interface().(T)
}

var rawJSON = reflect.TypeFor[json.RawMessage]()

// walk returns a value and false, or a changed copy of it and true.
func walk(value reflect.Value, change func(string) string) (reflect.Value, bool) {
	switch value.Kind() {
	case reflect.String:
		text := change(value.String())
		if text == value.String() {
			return value, false
		}
		changed := reflect.New(value.Type()).Elem()
		changed.SetString(text)
		return changed, true
	case reflect.Pointer:
		if value.IsNil() {
			return value, false
		}
		within, differs := walk(value.Elem(), change)
		if !differs {
			return value, false
		}
		changed := reflect.New(value.Type().Elem())
		changed.Elem().Set(within)
		return changed, true
	case reflect.Interface:
		if value.IsNil() {
			return value, false
		}
		return walk(value.Elem(), change)
	case reflect.Slice:
		return walkSlice(value, change)
	case reflect.Map:
		changed := value
		differs := false
		for entries := value.MapRange(); entries.Next(); {
			each, differ := walk(entries.Value(), change)
			if !differ {
				continue
			}
			if !differs {
				differs, changed = true, reflect.MakeMapWithSize(value.Type(), value.Len())
				for all := value.MapRange(); all.Next(); {
					changed.SetMapIndex(all.Key(), all.Value())
				}
			}
			changed.SetMapIndex(entries.Key(), each)
		}
		return changed, differs
	case reflect.Struct:
		return walkStruct(value, change)
	}
	return value, false
}

func walkStruct(value reflect.Value, change func(string) string) (reflect.Value, bool) {
	changed := value
	differs := false
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if !field.IsExported() || field.Type.Kind() == reflect.String && slices.Contains(identifiers, field.Name) {
			continue
		}
		each, differ := walk(value.Field(i), change)
		if !differ {
			continue
		}
		if !differs {
			differs, changed = true, reflect.New(value.Type()).Elem()
			changed.Set(value)
		}
		changed.Field(i).Set(each)
	}
	return changed, differs
}

func walkSlice(value reflect.Value, change func(string) string) (reflect.Value, bool) {
	if value.Type() == rawJSON {
		before := string(value.Bytes())
		switch after := change(before); {
		case after == before:
			return value, false
		case json.Valid([]byte(after)):
			return reflect.ValueOf(json.RawMessage(after)), true
		default: // never let a name pass because of what surrounds it
			return reflect.ValueOf(json.RawMessage(`"[redacted]"`)), true
		}
	}
	if value.Type().Elem().Kind() == reflect.Uint8 {
		return value, false
	}
	changed := value
	differs := false
	for i := range value.Len() {
		each, differ := walk(value.Index(i), change)
		if !differ {
			continue
		}
		if !differs {
			differs, changed = true, reflect.MakeSlice(value.Type(), value.Len(), value.Len())
			reflect.Copy(changed, value)
		}
		changed.Index(i).Set(each)
	}
	return changed, differs
}
