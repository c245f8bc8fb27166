package file

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/strict"
)

// lineLength is how long a line of what [Print] writes may be before it is broken.
const lineLength = 160

// Print writes a contract, so that [Decode] reads the same. The members come in the order of
// their types; those without a value are left out.
func Print(contract *Contract) []byte {
	var out strings.Builder
	value := reflect.ValueOf(contract).Elem()
	for _, m := range given(value) {
		if m.value.Kind() == reflect.Slice || m.value.Kind() == reflect.Pointer && len(given(m.value.Elem())) > 3 {
			out.WriteByte('\n')
		}
		member(&out, 0, m.name, m.value)
	}
	return []byte(out.String())
}

// Element writes one element of a contract as [Print] does, under its name.
func Element(name string, element any) string {
	var out strings.Builder
	member(&out, 1, name, reflect.ValueOf(element))
	return out.String()
}

// orders are the members of the elements that embed the contract's own types, as a reader expects them.
var orders = map[reflect.Type][]string{
	reflect.TypeFor[Contract](): strings.Fields(`design title level document access-patterns policies roles leaves-invalid waivers tables entities examples reads
		conditions versions patterns invariants guardrails findings answers readings not-checkable narrative`),
	reflect.TypeFor[Table](): strings.Fields(`name renamable cite partition-key sort-key key-cite types-cite indexes local-indexes indexes-cite settings-cite billing ttl
		stream deletion-protection table-class pitr region encryption tags read-only`),
	reflect.TypeFor[Index]():      strings.Fields("partition-key sort-key projection non-key-attributes cite projection-cite"),
	reflect.TypeFor[LocalIndex](): strings.Fields("sort-key projection non-key-attributes cite projection-cite"),
	reflect.TypeFor[Pattern]():    strings.Fields("title cite roles steps returns views waiver"),
	reflect.TypeFor[Read](): strings.Fields(`get query scan together key where filter project or-fewer order limit page-size inspect-at-most expires
		must-expire versions`),
}

// namedValue is a member of a mapping.
type namedValue struct {
	name  string
	value reflect.Value
}

// given are the members of a mapping that have a value; nil for what is no mapping.
func given(value reflect.Value) (all []namedValue) {
	kind := value.Type()
	switch {
	case value.Kind() == reflect.Pointer && !value.IsNil():
		return given(value.Elem())
	case kind == reflect.TypeFor[ap.Citation]():
	case value.Kind() == reflect.Map:
		for _, name := range slices.Sorted(maps.Keys(value.Interface().(map[string]string))) {
			all = append(all, namedValue{name, value.MapIndex(reflect.ValueOf(name))})
		}
	case strict.IsMapping(kind):
		for i := range value.Len() {
			name, of := strict.Named(value.Index(i))
			all = append(all, namedValue{name, of})
		}
	case value.Kind() == reflect.Struct:
		for i := range value.NumField() {
			name, option, _ := strings.Cut(kind.Field(i).Tag.Get("yaml"), ",")
			switch field := value.Field(i); {
			case option == "inline":
				for _, m := range given(field) {
					if !slices.ContainsFunc(all, func(other namedValue) bool { return other.name == m.name }) {
						all = append(all, m)
					}
				}
			case name == "" || name == "-" || option == "name" || field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0:
			default:
				all = append(all, namedValue{name, field})
			}
		}
		if order := orders[kind]; order != nil {
			slices.SortStableFunc(all, func(a, b namedValue) int { return slices.Index(order, a.name) - slices.Index(order, b.name) })
		}
	}
	return all
}

// member writes a member: in one line where it fits and is no list of elements of the contract.
func member(out *strings.Builder, depth int, name string, value reflect.Value) {
	indent := strings.Repeat("  ", depth)
	members := given(value)
	sequence := value.Kind() == reflect.Slice && members == nil && value.Type().Elem().Kind() != reflect.String
	elements := len(members) > 0 && value.Kind() == reflect.Slice && members[0].value.Kind() == reflect.Struct
	single, line := members == nil && !sequence, ""
	if single || !elements && (depth > 1 || members == nil || depth == 0 && value.Kind() != reflect.Slice) {
		line = indent + scalar(name) + ": " + flow(value)
	}
	switch {
	case single, line != "" && len(line) <= lineLength:
		out.WriteString(line + "\n")
	case sequence:
		out.WriteString(indent + scalar(name) + ":\n")
		for i := range value.Len() {
			out.WriteString(indent + "  - " + flow(value.Index(i)) + "\n")
		}
	default:
		out.WriteString(indent + scalar(name) + ":\n")
		for _, m := range members {
			member(out, depth+1, m.name, m.value)
		}
	}
}

// flow writes a value in one line.
func flow(value reflect.Value) string {
	switch own := value.Interface().(type) {
	case interface{ Word() string }:
		return scalar(own.Word())
	case ap.Citation:
		parts := lists.Map(own.Places(), func(place ap.Citation) string { return place.String() + ": " + flow(reflect.ValueOf(place.Tokens)) })
		if own.Basis.Kind != ap.Stated {
			parts = append(parts, own.Basis.Kind.String()+": "+scalar(own.Basis.Because))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case types.AttributeValue:
		return dynamo.Show(own)
	case ap.NarrativeLines:
		return own.String()
	}
	var parts []string
	switch value.Kind() {
	case reflect.Pointer:
		return flow(value.Elem())
	case reflect.String:
		return scalar(value.String())
	case reflect.Slice:
		members := given(value)
		if value.Len() == 1 && value.Type().Elem().Kind() == reflect.String {
			return scalar(value.Index(0).String())
		}
		if members == nil {
			for i := range value.Len() {
				parts = append(parts, flow(value.Index(i)))
			}
			return "[" + strings.Join(parts, ", ") + "]"
		}
	case reflect.Struct, reflect.Map:
	default:
		return fmt.Sprint(value.Interface())
	}
	parts = append(parts, lists.Map(given(value), func(m namedValue) string { return scalar(m.name) + ": " + flow(m.value) })...)
	return "{" + strings.Join(parts, ", ") + "}"
}

var (
	plainText = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$`)
	// ofYAML are words that YAML does not read as text.
	ofYAML = []string{"yes", "no", "on", "off", "true", "false", "null"}
)

// scalar writes a text, in quotes where YAML wants them.
func scalar(text string) string {
	switch {
	case plainText.MatchString(text) && !slices.Contains(ofYAML, strings.ToLower(text)):
		return text
	case strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff
	}):
		quoted, _ := json.Marshal(text)
		return string(quoted)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
