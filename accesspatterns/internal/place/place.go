// Package place says where an element of a contract, or of another file that people write, stands.
package place

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Place is where something stands in a file.
type Place struct {
	// File is the file's name, Line is counted from 1.
	File string
	Line int
}

// Errorf reports a mistake at the place.
func (p Place) Errorf(format string, args ...any) error {
	return &Mistake{File: p.File, Line: p.Line, Problem: fmt.Sprintf(format, args...)}
}

// Mistake is what is wrong at one place of a file.
type Mistake struct {
	// File is the file's name, Line is counted from 1.
	File    string
	Line    int
	Problem string
}

func (m *Mistake) Error() string { return fmt.Sprintf("%s:%d: %s", m.File, m.Line, m.Problem) }

// At is the place of an element in the files, with those of its fields.
type At struct {
	File string
	Line int
	// NameLine is the line of its name in a mapping of elements, and Fields are the lines of its members by their names.
	NameLine int
	Fields   map[string]int
}

// OfName is the place of the element's name, in a mapping of elements.
func (a At) OfName() At { return At{File: a.File, Line: a.NameLine} }

// Errorf reports a mistake in a field of the element, or in the element itself
// where the field is not given.
func (a At) Errorf(field, format string, args ...any) error {
	line, given := a.Fields[field]
	if !given {
		line = a.Line
	}
	return Place{File: a.File, Line: line}.Errorf(format, args...)
}

// Given returns the names that the element has, sorted.
func (a At) Given() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(a.Fields)), func(name string) bool { return strings.Contains(name, ".") })
}

// String is the place as file:line; empty for an element that was made otherwise.
func (a At) String() string {
	if a.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", a.File, a.Line)
}
