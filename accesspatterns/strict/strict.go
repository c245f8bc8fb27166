// Package strict reads what people write, in YAML or JSON, into the fields of a struct: a name that is not known or stands twice, a value
// of another kind and a required value that is missing are mistakes, each with the file and the line.
//
// A field has its name from the tag yaml, or from json where there is none. The tag jsonschema may say that it is required, or list with
// enum the values that are allowed. A field of type [Place] or [At] learns where its struct stands. A list of texts with the option words may
// be one text alone. A list of structs is a mapping where a field of them has the option name: that field holds the name of each, or of
// several that are alike and stand together, 'title, body', with the option names. The field is the first. A field with the option value
// holds all that the name stands for.
package strict

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
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
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/agext/levenshtein"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/internal/place"
	"dynaproof/accesspatterns/lists"
)

// Place, At and Mistake are where something stands in a file, and what is wrong there.
type (
	Place   = place.Place
	At      = place.At
	Mistake = place.Mistake
)

// YAML reads one document. A whole number in it is at least 1. An empty text leaves everything as it was. It reports all mistakes.
func YAML(name string, text []byte, into any) error {
	documents := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	switch err := documents.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil // nothing but comments
	case err != nil:
		line, says := Syntax(text, err)
		if line > 0 {
			says += "; look at the indentation and the quotes of this line and the one before it"
		}
		return Place{File: name, Line: max(line, 1)}.Errorf("no YAML: %s", says)
	}
	if err := documents.Decode(&second); !errors.Is(err, io.EOF) {
		return Place{File: name, Line: max(second.Line, 1)}.Errorf("expected one YAML document in the file, found a second one; put it into a file of its own")
	}
	return (&decoder{file: name, least: 1}).decode(document.Content[0], into)
}

// JSON reads one value. It reports all mistakes. A type that implements [json.Unmarshaler] reads itself.
func JSON(name string, text []byte, into any) error {
	d := &decoder{file: name, least: math.MinInt32, isJSON: true}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if wrong := UTF8(name, text); wrong != nil {
		return wrong
	}
	if !json.Valid(text) {
		err := json.Unmarshal(text, new(json.RawMessage)) // which takes all that is JSON
		line, says := Syntax(text, err)
		return Place{File: name, Line: line}.Errorf("no JSON: %s; look at the commas, brackets and quotes before it", says)
	}
	all, broken := Values(string(text))
	if broken > 0 {
		return Place{File: name, Line: broken}.Errorf("expected text, found half of a surrogate pair, which is none")
	}
	return d.decode(all[0], into)
}

// UTF8 is the mistake of a text that is not in UTF-8; nil where it is.
func UTF8(name string, text []byte) *Mistake {
	whole, at := bytes.ToValidUTF8(text, nil), 0
	if len(whole) == len(text) {
		return nil
	}
	for at < len(whole) && text[at] == whole[at] {
		at++
	}
	return &Mistake{File: name, Line: 1 + bytes.Count(text[:at], []byte("\n")), Problem: "expected text in UTF-8, found other bytes; convert the file"}
}

// Values are well-formed JSON values, one behind the other, as nodes of YAML. The comment of each node is its text. broken is the line of a text
// that the decoder has changed, for half of a surrogate pair; 0 where there is none.
func Values(text string) (all []*yaml.Node, broken int) {
	tokens := json.NewDecoder(strings.NewReader(text))
	tokens.UseNumber()
	line, counted := 1, 0
	var read func() *yaml.Node
	read = func() *yaml.Node {
		begin := int(tokens.InputOffset())
		for strings.IndexByte(" \t\r\n,:", text[begin]) >= 0 {
			begin++
		}
		line, counted = line+strings.Count(text[counted:begin], "\n"), begin
		node := &yaml.Node{Kind: yaml.ScalarNode, Line: line}
		token, _ := tokens.Token()
		switch token := token.(type) {
		case json.Delim:
			if node.Kind = yaml.SequenceNode; token == '{' {
				node.Kind = yaml.MappingNode
			}
			for tokens.More() {
				node.Content = append(node.Content, read())
			}
			_, _ = tokens.Token()
		case string:
			node.Tag, node.Value, node.Style = "!!str", token, yaml.DoubleQuotedStyle
		case json.Number:
			if node.Tag, node.Value = "!!int", token.String(); strings.ContainsAny(node.Value, ".eE") {
				node.Tag = "!!float"
			}
		case bool:
			node.Tag, node.Value = "!!bool", strconv.FormatBool(token)
		default:
			node.Tag, node.Value = "!!null", "null"
		}
		node.HeadComment = text[begin:tokens.InputOffset()]
		if changed := strings.ContainsRune(node.Value, utf8.RuneError) && !strings.Contains(node.HeadComment, "\uFFFD") && !strings.Contains(strings.ToLower(node.HeadComment), `\ufffd`); changed && broken == 0 {
			broken = line
		}
		return node
	}
	for tokens.More() {
		all = append(all, read())
	}
	return all, broken
}

var syntaxLine = regexp.MustCompile(`^yaml: line (\d+): (.*)`)

// Syntax is the line in which a parser of JSON or YAML finds that a text is none, 0 where it names none, and what it says of it.
func Syntax(text []byte, err error) (line int, says string) {
	if syntax, is := errors.AsType[*json.SyntaxError](err); is {
		return 1 + bytes.Count(text[:max(syntax.Offset-1, 0)], []byte("\n")), strings.TrimPrefix(syntax.Error(), "json: ")
	}
	if found := syntaxLine.FindStringSubmatch(err.Error()); found != nil {
		line, _ = strconv.Atoi(found[1])
		return line, found[2]
	}
	return 0, strings.TrimPrefix(err.Error(), "yaml: ")
}

// decoder reads one file and gathers its mistakes.
type decoder struct {
	file     string
	isJSON   bool
	least    int64 // of whole numbers
	mistakes []*Mistake
}

func (d *decoder) decode(node *yaml.Node, into any) error {
	d.into(node, into)
	return Ordered(d.mistakes)
}

// Ordered joins mistakes in the order of files and lines; nil when there is none.
func Ordered[E error](problems []E) error {
	all := slices.Concat(lists.Map(problems, func(problem E) []error { return Each(problem) })...)
	slices.SortStableFunc(all, func(x, y error) int {
		var m, n *Mistake
		if !errors.As(x, &m) || !errors.As(y, &n) {
			return 0
		}
		return cmp.Or(strings.Compare(m.File, n.File), m.Line-n.Line)
	})
	return errors.Join(all...)
}

// Each lists the errors that are joined in one, or it alone.
func Each(err error) (all []error) {
	joined, is := err.(interface{ Unwrap() []error })
	if !is {
		return []error{err}
	}
	for _, problem := range joined.Unwrap() {
		all = append(all, Each(problem)...)
	}
	return all
}

// report notes a mistake at a node.
func (d *decoder) report(node *yaml.Node, format string, args ...any) {
	d.mistakes = append(d.mistakes, &Mistake{File: d.file, Line: node.Line, Problem: fmt.Sprintf(format, args...)})
}

// into reads a value into what is pointed to.
func (d *decoder) into(node *yaml.Node, to any) { d.value(node, reflect.ValueOf(to).Elem()) }

func (d *decoder) value(node *yaml.Node, into reflect.Value) {
	if node.Kind == yaml.AliasNode || node.Anchor != "" {
		d.report(node, "expected no anchor and no alias; name what is used more than once under reads, conditions or versions")
		return
	}
	switch own := into.Addr().Interface().(type) {
	case *ap.Citation:
		d.citation(node, own)
		return
	case *ap.NarrativeLines:
		var is bool
		if own.First, own.Last, is = Lines(node.Value); !is || node.Kind != yaml.ScalarNode {
			d.report(node, "expected a line or a range of lines such as 24 or 24-26, found %s", d.kindOf(node))
		}
		return
	case json.Unmarshaler:
		d.twice(node)
		if err := own.UnmarshalJSON([]byte(node.HeadComment)); err != nil {
			d.report(node, "%s", reason(err))
		}
		return
	case encoding.TextUnmarshaler:
		if text, is := d.text(node); is {
			_ = own.UnmarshalText([]byte(text)) // the values are listed in the tag
		}
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		if d.isJSON && node.Tag == "!!null" {
			return
		}
		into.Set(reflect.New(into.Type().Elem()))
		d.value(node, into.Elem())
	case reflect.Struct:
		d.structure(node, into)
	case reflect.Map:
		into.Set(reflect.MakeMap(into.Type()))
		d.pairs(node, func(name, value *yaml.Node) {
			element := reflect.New(into.Type().Elem()).Elem()
			d.value(value, element)
			into.SetMapIndex(reflect.ValueOf(name.Value).Convert(into.Type().Key()), element)
		})
	case reflect.Interface:
		d.attribute(node, into)
	case reflect.Slice, reflect.Array:
		if IsMapping(into.Type()) {
			d.named(node, into)
			return
		}
		if node.Kind != yaml.SequenceNode {
			d.report(node, "expected a list, found %s", d.kindOf(node))
			return
		}
		if into.Kind() == reflect.Slice {
			into.Set(reflect.MakeSlice(into.Type(), len(node.Content), len(node.Content)))
		} else if into.Len() != len(node.Content) {
			d.report(node, "expected a list of %d, found %d", into.Len(), len(node.Content))
			return
		}
		for i, element := range node.Content {
			d.value(element, into.Index(i))
		}
	default:
		d.scalar(node, into)
	}
}

// named reads a mapping into a list of structs that hold their names. What one of them cites without words is its name.
func (d *decoder) named(node *yaml.Node, into reflect.Value) {
	of := fieldsOf(into.Type().Elem())
	d.pairs(node, func(name, value *yaml.Node) {
		names := []string{name.Value}
		if of.several {
			names = strings.Split(name.Value, ", ")
		}
		for i, each := range names {
			element := reflect.New(into.Type().Elem()).Elem()
			if of.value != nil {
				if d.value(value, element.FieldByIndex(of.value)); of.said {
					d.reasoned(each, value)
				}
			} else if i == 0 || len(d.mistakes) == 0 {
				d.value(value, element)
			}
			element.FieldByIndex(of.name).SetString(each)
			for _, index := range of.places {
				if at := element.FieldByIndex(index).Addr().Interface().(*At); of.value != nil {
					*at = At{File: d.file, Line: name.Line, NameLine: name.Line}
				} else {
					at.NameLine = name.Line
				}
			}
			if cite := element.FieldByName("Cite"); cite.IsValid() {
				cite.Addr().Interface().(*ap.Citation).Named(each)
			}
			into.Set(reflect.Append(into, element))
		}
	})
}

// citation reads lines of the document with the tokens that must stand on them, {24: [token], implied: reason}, or lines alone, 24-26,
// on which the name of the element stands.
func (d *decoder) citation(node *yaml.Node, c *ap.Citation) {
	var places []ap.Citation
	place := func(at *yaml.Node, tokens []string, expected, found string) {
		first, last, is := Lines(at.Value)
		if !is {
			d.report(at, "expected a line or a range of lines such as 24 or 24-26"+expected+", found %s", found)
			return
		}
		places = append(places, ap.Citation{First: first, Last: last, Tokens: tokens})
	}
	var basis ap.Basis
	if node.Kind == yaml.ScalarNode {
		place(node, nil, " where the element's own name stands, or lines with words such as {24: [token]}", d.kindOf(node))
	} else {
		d.pairs(node, func(name, value *yaml.Node) {
			if kind := ap.BasisKind(name.Value); kind != ap.Implied && kind != ap.Chosen {
				place(name, d.words(value), ", implied or chosen", name.Value)
			} else if basis.Kind != "" {
				d.report(node, "expected implied or chosen, found both; keep the one that says where the element comes from")
			} else if d.into(value, &basis.Because); d.reasoned(name.Value, value) {
				basis.Kind = kind
			}
		})
		if len(places) == 0 && node.Kind == yaml.MappingNode {
			d.report(node, "a citation names at least one line: {24: [token]}")
		}
	}
	if len(places) > 0 {
		*c = places[0].And(places[1:]...)
		c.Basis = basis
	}
}

// attribute reads a value in DynamoDB's JSON, written as YAML: {S: text}, {L: []}.
func (d *decoder) attribute(node *yaml.Node, into reflect.Value) {
	const expected = "expected a value in DynamoDB's JSON such as {S: text}, {N: '1'} or {L: []}"
	var plain map[string]any
	if err := node.Decode(&plain); err != nil || len(plain) != 1 {
		d.report(node, expected+", found %s", d.kindOf(node))
		return
	}
	text, err := json.Marshal(plain)
	var value types.AttributeValue
	if err == nil {
		value, err = dynamo.Read(text)
	}
	if err != nil {
		d.report(node, expected+": %v", err)
		return
	}
	into.Set(reflect.ValueOf(value))
}

// words reads one text or a list of texts.
func (d *decoder) words(node *yaml.Node) []string {
	all := []string{}
	for _, each := range elements(node) {
		if text, is := d.text(each); is {
			all = append(all, text)
		}
	}
	return all
}

// elements are those of a list, or a value alone.
func elements(node *yaml.Node) []*yaml.Node {
	if node.Kind == yaml.SequenceNode {
		return node.Content
	}
	return []*yaml.Node{node}
}

// Lines reads a line or a range of lines, 24 or 24-26, as text.
func Lines(text string) (first, last int, is bool) {
	from, to, isRange := strings.Cut(text, "-")
	first, err := strconv.Atoi(from)
	if last = first; err == nil && isRange {
		last, err = strconv.Atoi(to)
	}
	return first, last, err == nil && first > 0 && (last > first || !isRange)
}

// twice reports names that stand twice anywhere in a value that reads itself.
func (d *decoder) twice(node *yaml.Node) {
	switch node.Kind {
	case yaml.MappingNode:
		d.pairs(node, func(_, value *yaml.Node) { d.twice(value) })
	case yaml.SequenceNode:
		for _, element := range node.Content {
			d.twice(element)
		}
	}
}

// reason is an error of a value that reads itself, without the package that says it.
func reason(err error) string {
	if kind, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return fmt.Sprintf("expected a %s, found a JSON %s", kind.Type.Kind(), kind.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

func (d *decoder) scalar(node *yaml.Node, into reflect.Value) {
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
	case reflect.Int, reflect.Int32, reflect.Int64:
		var value int64
		want, err = "a whole number", node.Decode(&value)
		if err == nil && (value < d.least || value > math.MaxInt32) {
			want, err = fmt.Sprintf("a whole number from %d to %d", d.least, math.MaxInt32), strconv.ErrRange
		}
		into.SetInt(value)
	case reflect.Float64:
		var value float64
		want, err = "a number", node.Decode(&value)
		into.SetFloat(value)
	default:
		panic("no file of users holds a " + into.Type().String())
	}
	if err != nil || node.Tag == "!!null" {
		d.report(node, "expected %s, found %s", want, d.kindOf(node))
	}
}

// text reads a String. A number or a word of YAML's own needs quotes to be one.
func (d *decoder) text(node *yaml.Node) (string, bool) {
	switch {
	case node.Kind != yaml.ScalarNode:
		d.report(node, "expected text, found %s", d.kindOf(node))
	case node.Tag == "!!null":
		d.report(node, "expected text, found nothing; leave the name out, or write '' where the empty text is meant")
	case !d.isJSON && node.Value != "" && strings.TrimSpace(node.Value) == "":
		d.report(node, "expected text, found white space alone")
	case node.Tag != "!!str" && node.Tag != "!!timestamp":
		d.report(node, "expected text, found %s; put it into quotes: '%s'", d.kindOf(node), node.Value)
	default:
		return node.Value, true
	}
	return "", false
}

// said reports an empty text where one must say something.
func (d *decoder) said(name string, node *yaml.Node) bool {
	empty := node.Kind == yaml.ScalarNode && node.Tag == "!!str" && node.Value == ""
	if empty {
		d.report(node, "%s: expected words, found none", name)
	}
	return !empty
}

// reasoned reports a reason that is less than a word.
func (d *decoder) reasoned(name string, node *yaml.Node) bool {
	is := d.said(name, node)
	if is && node.Kind == yaml.ScalarNode && lists.Count([]rune(node.Value), unicode.IsLetter) < leastReason {
		d.report(node, "%s: expected a reason in words, of at least two letters, found %s", name, node.Value)
		return false
	}
	return is
}

// reasons are the fields that hold the reason of a person, and leastReason is how many letters one has at least.
var reasons = map[string]bool{"because": true, "reason": true, "nobody": true, "everybody": true, "unconfined": true, "why": true}

const leastReason = 2

// kindOf says what a node is, in words.
func (d *decoder) kindOf(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.MappingNode && d.isJSON:
		return "an object"
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case node.Kind == yaml.AliasNode:
		return "an alias"
	case node.Tag == "!!null":
		return "nothing"
	case node.Tag == "!!str":
		const most = 60 // characters
		if text := []rune(node.Value); len(text) > most {
			return fmt.Sprintf("the text %q...", string(text[:most]))
		}
		return "the text " + strconv.Quote(node.Value)
	}
	return node.Value
}

// pairs calls do for each name of a mapping with its value, once.
func (d *decoder) pairs(node *yaml.Node, do func(name, value *yaml.Node)) {
	if node.Kind != yaml.MappingNode {
		want := "a mapping (name: value)"
		if d.isJSON {
			want = "an object"
		}
		d.report(node, "expected %s, found %s", want, d.kindOf(node))
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

func (d *decoder) structure(node *yaml.Node, into reflect.Value) {
	of := fieldsOf(into.Type())
	at := At{File: d.file, Line: node.Line, Fields: map[string]int{}}
	d.pairs(node, func(name, value *yaml.Node) {
		known := of.fields[name.Value]
		if len(known) == 0 {
			d.report(name, "unknown name %s; expected %s", name.Value, suggest(name.Value, of.fields))
			return
		}
		at.Fields[name.Value] = value.Line
		for i, f := range known {
			if i > 0 { // an inlined name that two parts share
				into.FieldByIndex(f.index).Set(into.FieldByIndex(known[0].index))
				continue
			}
			before := len(d.mistakes)
			if f.words {
				value = &yaml.Node{Kind: yaml.SequenceNode, Line: value.Line, Content: elements(value)}
			}
			d.value(value, into.FieldByIndex(f.index))
			if into.FieldByIndex(f.index).Kind() == reflect.Map && value.Kind == yaml.MappingNode {
				for i := 0; i < len(value.Content); i += 2 {
					at.Fields[name.Value+"."+value.Content[i].Value] = value.Content[i].Line
				}
			}
			switch {
			case reasons[name.Value] && value.Kind == yaml.ScalarNode && value.Value != "":
				d.reasoned(name.Value, value)
			case slices.Contains(of.required, name.Value):
				d.said(name.Value, value)
			}
			if len(f.allowed) > 0 && len(d.mistakes) == before && !slices.Contains(f.allowed, value.Value) {
				d.report(value, "%s: expected one of %s, found %s", name.Value, strings.Join(f.allowed, ", "), value.Value)
			}
		}
	})
	if node.Kind == yaml.MappingNode {
		for _, name := range of.required {
			if _, given := at.Fields[name]; !given {
				d.report(node, "%s is missing; add it", name)
			}
		}
	}
	for _, index := range of.places {
		if place := into.FieldByIndex(index); place.Type() == atType {
			place.Set(reflect.ValueOf(at))
		} else {
			place.Set(reflect.ValueOf(Place{File: d.file, Line: node.Line}))
		}
	}
}

// IsMapping reports whether a list of structs is written as a mapping by name.
func IsMapping(list reflect.Type) bool {
	return list.Kind() == reflect.Slice && list.Elem().Kind() == reflect.Struct && fieldsOf(list.Elem()).name != nil
}

// Named returns an element of such a mapping as its name and what stands there.
func Named(element reflect.Value) (name string, value reflect.Value) {
	of := fieldsOf(element.Type())
	if value = element; of.value != nil {
		value = element.FieldByIndex(of.value)
	}
	return element.FieldByIndex(of.name).String(), value
}

// structFields are the fields of a struct by their names, those that are required, sorted, and those that say where it stands.
type structFields struct {
	fields   map[string][]field
	required []string
	places   [][]int
	// name is the field that holds the name of the struct, and several says that names may stand together. value is the field that
	// holds all else, and said says that it must say something.
	name, value   []int
	several, said bool
}

type field struct {
	index   []int
	allowed []string
	words   bool
}

var (
	structs   sync.Map // of *structFields, by type
	atType    = reflect.TypeFor[At]()
	placeType = reflect.TypeFor[Place]()
)

func fieldsOf(t reflect.Type) *structFields {
	if known, there := structs.Load(t); there {
		return known.(*structFields)
	}
	found := &structFields{fields: map[string][]field{}}
	found.collect(t, nil)
	slices.Sort(found.required)
	structs.Store(t, found)
	return found
}

func (s *structFields) collect(t reflect.Type, prefix []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(prefix), i)
		if f.Type == atType || f.Type == placeType {
			s.places = append(s.places, index)
			continue
		}
		name, option, _ := strings.Cut(cmp.Or(f.Tag.Get("yaml"), f.Tag.Get("json")), ",")
		switch {
		case option == "inline", f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			s.collect(f.Type, index)
			continue
		case option == "name", option == "names":
			s.name, s.several = index, option == "names"
			continue
		case option == "value":
			s.value, s.said = index, f.Tag.Get("jsonschema") == "required"
			continue
		case name == "", name == "-":
			continue
		}
		found := field{index: index, words: option == "words"}
		for _, part := range strings.Split(f.Tag.Get("jsonschema"), ",") {
			if part == "required" && len(s.fields[name]) == 0 {
				s.required = append(s.required, name)
			}
			if value, is := strings.CutPrefix(part, "enum="); is {
				found.allowed = append(found.allowed, value)
			}
		}
		s.fields[name] = append(s.fields[name], found)
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
// letters, if there is one; of several rather one that begins as it does.
func Nearest(mistyped string, names []string) (string, bool) {
	best, at, likeness := 0.0, "", levenshtein.NewParams().BonusThreshold(0)
	for _, name := range names {
		if distance := levenshtein.Distance(mistyped, name, nil); distance > 2 || distance >= len(name) {
			continue
		}
		if like := levenshtein.Match(mistyped, name, likeness); like > best {
			best, at = like, name
		}
	}
	return at, at != ""
}
