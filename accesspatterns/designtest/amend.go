package designtest

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/tabletest"
)

// Amend lets jq change a place in the first of these that has it: names of fields, and elements of lists by their numbers or by texts that are in
// them, joined by " + "; a * is every element. It reports whether one has it. What other places share with this one stays as it is.
func Amend(t testing.TB, path, change string, in ...any) bool {
	t.Helper()
	return slices.ContainsFunc(in, func(each any) bool { return amendAt(t, reflect.ValueOf(each), strings.Split(path, "."), change) })
}

func amendAt(t testing.TB, at reflect.Value, path []string, change string) (found bool) {
	t.Helper()
	switch {
	case !at.IsValid():
	case len(path) == 0:
		text, err := json.Marshal(tabletest.JQ(t, change, at.Interface()))
		made := reflect.New(at.Type())
		if err = errors.Join(err, input.Strictly(text, made.Interface())); err != nil {
			t.Fatalf("%s: %v", change, err)
		}
		at.Set(made.Elem())
		return true
	case at.Kind() == reflect.Pointer:
		if at.CanSet() && !at.IsNil() { // others may share what is there
			own := reflect.New(at.Type().Elem())
			own.Elem().Set(at.Elem())
			at.Set(own)
		}
		return amendAt(t, at.Elem(), path, change)
	case at.Kind() == reflect.Struct:
		return amendAt(t, at.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, path[0]) }), path[1:], change)
	case at.Kind() == reflect.Slice:
		for i := range at.Len() {
			if path[0] == "*" || path[0] == strconv.Itoa(i) || holds(at.Index(i), strings.Split(path[0], " + ")) {
				found = amendAt(t, at.Index(i), path[1:], change) || found
				if path[0] != "*" {
					break
				}
			}
		}
	}
	return found
}

// holds says that an element of a list has fields of these texts.
func holds(element reflect.Value, texts []string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool {
		for i := range element.NumField() {
			if field := element.Field(i); field.Kind() == reflect.String && field.String() == text {
				return false
			}
		}
		return true
	})
}
