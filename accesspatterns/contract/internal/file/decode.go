package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Mistake is what is wrong at one place of a contract's files.
type Mistake struct {
	// File is the file's name, Line is counted from 1.
	File    string
	Line    int
	Problem string
}

func (m *Mistake) Error() string { return fmt.Sprintf("%s:%d: %s", m.File, m.Line, m.Problem) }

// At is the place of an element in the files.
type At struct {
	File   string
	Line   int
	fields map[string]int
}

// Errorf reports a mistake in a field of the element, or in the element itself
// where the field is not given.
func (a At) Errorf(field, format string, args ...any) error {
	line, given := a.fields[field]
	if !given {
		line = a.Line
	}
	return &Mistake{File: a.File, Line: line, Problem: fmt.Sprintf(format, args...)}
}

// Given returns the names that the element has, sorted.
func (a At) Given() []string { return slices.Sorted(maps.Keys(a.fields)) }

// Decode reads one file strictly: an unknown name, a name that stands twice, a
// value of another kind and a required value that is missing are mistakes. It
// reports all of them.
func Decode(name string, text []byte, into any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil // nothing but comments
	case err != nil:
		return syntax(name, err)
	}
	d := &decode{file: name}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return &Mistake{File: name, Line: max(second.Line, 1), Problem: "expected one YAML document in the file, found a second one; put it into a file of its own"}
	}
	d.value(document.Content[0], reflect.ValueOf(into).Elem())
	return errors.Join(d.mistakes...)
}

var syntaxLine = regexp.MustCompile(`^yaml: line (\d+): (.*)`)

func syntax(name string, err error) error {
	if found := syntaxLine.FindStringSubmatch(err.Error()); found != nil {
		line, _ := strconv.Atoi(found[1])
		return &Mistake{File: name, Line: line, Problem: "no YAML: " + found[2] + "; look at the indentation and the quotes of this line and the one before it"}
	}
	return &Mistake{File: name, Line: 1, Problem: "no YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
}

type decode struct {
	file     string
	mistakes []error
}

func (d *decode) report(node *yaml.Node, format string, args ...any) {
	d.mistakes = append(d.mistakes, &Mistake{File: d.file, Line: node.Line, Problem: fmt.Sprintf(format, args...)})
}

func (d *decode) at(node *yaml.Node) At { return At{File: d.file, Line: node.Line} }

// decoded is a type that reads itself.
type decoded interface {
	decode(d *decode, node *yaml.Node)
}

// into reads a value of a mapping.
func (d *decode) into(node *yaml.Node, to any) { d.value(node, reflect.ValueOf(to).Elem()) }

func (d *decode) value(node *yaml.Node, into reflect.Value) {
	if node.Kind == yaml.AliasNode || node.Anchor != "" {
		d.report(node, "expected no anchor and no alias; name what is used more than once under reads, conditions or versions")
		return
	}
	if own, is := into.Addr().Interface().(decoded); is {
		own.decode(d, node)
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		d.value(node, into.Elem())
	case reflect.Struct:
		d.structure(node, into)
	case reflect.Slice:
		if node.Kind != yaml.SequenceNode {
			d.report(node, "expected a list, found %s", kindOf(node))
			return
		}
		into.Set(reflect.MakeSlice(into.Type(), len(node.Content), len(node.Content)))
		for i, element := range node.Content {
			d.value(element, into.Index(i))
		}
	default:
		d.scalar(node, into)
	}
}

func (d *decode) scalar(node *yaml.Node, into reflect.Value) {
	want, err := "", error(nil)
	switch into.Kind() {
	case reflect.String:
		if text, ok := d.text(node); ok {
			into.SetString(text)
		}
		return
	case reflect.Bool:
		var value bool
		want, err = "true or false", node.Decode(&value)
		into.SetBool(value)
	case reflect.Int:
		var value int64
		want, err = "a whole number", node.Decode(&value)
		if err == nil && (value < 1 || value > math.MaxInt32) {
			want, err = fmt.Sprintf("a whole number from 1 to %d", math.MaxInt32), strconv.ErrRange
		}
		into.SetInt(value)
	case reflect.Float64:
		var value float64
		want, err = "a number", node.Decode(&value)
		into.SetFloat(value)
	default:
		panic("no contract holds a " + into.Type().String())
	}
	if err != nil || node.Tag == "!!null" {
		d.report(node, "expected %s, found %s", want, kindOf(node))
	}
}

// text reads a String. A number or a word of YAML's own needs quotes to be one.
func (d *decode) text(node *yaml.Node) (string, bool) {
	switch {
	case node.Kind != yaml.ScalarNode:
		d.report(node, "expected text, found %s", kindOf(node))
	case node.Tag == "!!null":
		d.report(node, "expected text, found nothing; leave the name out, or write '' where the empty text is meant")
	case node.Tag != "!!str":
		d.report(node, "expected text, found %s; put it into quotes: '%s'", kindOf(node), node.Value)
	default:
		return node.Value, true
	}
	return "", false
}

func kindOf(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch node.Tag {
	case "!!null":
		return "nothing"
	case "!!str":
		return "the text " + strconv.Quote(node.Value)
	}
	return node.Value
}

// pairs calls do for each name of a mapping with its value, once.
func (d *decode) pairs(node *yaml.Node, do func(name, value *yaml.Node)) {
	if node.Kind != yaml.MappingNode {
		d.report(node, "expected a mapping (name: value), found %s", kindOf(node))
		return
	}
	lines := map[string]int{}
	for i := 0; i < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		if line, twice := lines[name.Value]; twice {
			d.report(name, "%s stands twice, first in line %d; keep one", name.Value, line)
			continue
		}
		lines[name.Value] = name.Line
		do(name, value)
	}
}

func (d *decode) structure(node *yaml.Node, into reflect.Value) {
	all := fieldCache[into.Type()]
	at := At{File: d.file, Line: node.Line, fields: map[string]int{}}
	d.pairs(node, func(name, value *yaml.Node) {
		known := all[name.Value]
		if len(known) == 0 {
			d.report(name, "unknown name %s; expected %s", name.Value, suggest(name.Value, all))
			return
		}
		at.fields[name.Value] = value.Line
		for i, f := range known {
			if i > 0 { // an inlined name that two parts share
				into.FieldByIndex(f.index).Set(into.FieldByIndex(known[0].index))
				continue
			}
			before := len(d.mistakes)
			d.value(value, into.FieldByIndex(f.index))
			if len(f.allowed) > 0 && len(d.mistakes) == before && !slices.Contains(f.allowed, value.Value) {
				d.report(value, "%s: expected one of %s, found %s", name.Value, strings.Join(f.allowed, ", "), value.Value)
			}
		}
	})
	if node.Kind == yaml.MappingNode {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if _, given := at.fields[name]; all[name][0].required && !given {
				d.report(node, "%s is missing; add it", name)
			}
		}
	}
	for _, place := range placeCache[into.Type()] {
		into.FieldByIndex(place).Set(reflect.ValueOf(at))
	}
}

type field struct {
	index    []int
	required bool
	allowed  []string
}

var (
	fieldCache = map[reflect.Type]map[string][]field{}
	placeCache = map[reflect.Type][][]int{}
	atType     = reflect.TypeFor[At]()
)

func init() {
	// Once, so that contracts can be read from several goroutines.
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			visit(t.Elem())
		case reflect.Struct:
			if _, seen := fieldCache[t]; seen || t == atType || t == reflect.TypeFor[Value]() {
				return
			}
			fieldCache[t] = map[string][]field{}
			collect(t, nil, fieldCache[t], t)
			for i := range t.NumField() {
				visit(t.Field(i).Type)
			}
		}
	}
	visit(reflect.TypeFor[Contract]())
}

func collect(t reflect.Type, prefix []int, into map[string][]field, root reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(prefix), i)
		if f.Type == atType {
			placeCache[root] = append(placeCache[root], index)
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if option == "inline" {
			collect(f.Type, index, into, root)
			continue
		}
		if name == "" {
			continue
		}
		found := field{index: index}
		for _, part := range strings.Split(f.Tag.Get("jsonschema"), ",") {
			if part == "required" {
				found.required = true
			}
			if value, is := strings.CutPrefix(part, "enum="); is {
				found.allowed = append(found.allowed, value)
			}
		}
		into[name] = append(into[name], found)
	}
}

// suggest names the known name that is nearest to an unknown one, or all of them.
func suggest(unknown string, fields map[string][]field) string {
	names := slices.Sorted(maps.Keys(fields))
	if near, is := Nearest(unknown, names); is {
		return near
	}
	return "one of " + strings.Join(names, ", ")
}

// Nearest returns the name that differs from a mistyped one in at most two
// letters, if there is one.
func Nearest(mistyped string, names []string) (string, bool) {
	best, at := 3, ""
	for _, name := range names {
		if distance := distance(mistyped, name); distance < best && distance < len(name) {
			best, at = distance, name
		}
	}
	return at, at != ""
}

// distance is the number of letters to insert, delete or replace, or of
// neighbours to swap.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(a)][len(b)]
}
