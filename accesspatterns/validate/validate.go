// Package validate holds an item to its entity: key forms, types, presence, allowed
// values, formats, bounds and rules between attributes.
package validate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
)

// Violation is one way in which an item breaks its entity.
type Violation struct {
	// Attribute is the path of the offending attribute.
	Attribute string
	// Rule is the id of the rule that was broken, or one of the general
	// obligations: "type", "required", "allowed", "format", "range", "empty",
	// "key", "undocumented".
	Rule string
	// Message says what was expected and what was found.
	Message string
	Cite    ap.Citation
}

func (v Violation) String() string { return fmt.Sprintf("%s (%s): %s", v.Attribute, v.Rule, v.Message) }

// The general obligations of [Violation.Rule].
const (
	ViolatesType         = "type"
	ViolatesRequired     = "required"
	ViolatesAllowed      = "allowed"
	ViolatesFormat       = "format"
	ViolatesRange        = "range"
	ViolatesEmpty        = "empty"
	ViolatesKey          = "key"
	ViolatesUndocumented = "undocumented"
)

// Item reports every violation of the entity in an item, at once: key
// forms, types, required attributes, allowed values, formats, rules between
// attributes, and attributes that the document does not know.
func Item(e *ap.Entity, item ap.Item) []Violation {
	params, found := keys(e, item)
	for i := range e.Attributes {
		found = append(found, Attribute(&e.Attributes[i], item)...)
	}
	for i := range e.Rules {
		if violation := Rule(&e.Rules[i], item, params); violation != nil {
			found = append(found, *violation)
		}
	}
	return found
}

// Keys reports key attributes that lack their form or disagree with the
// attributes that they repeat, and attributes that the document does not know.
func Keys(e *ap.Entity, item ap.Item) []Violation {
	_, found := keys(e, item)
	return found
}

func keys(e *ap.Entity, item ap.Item) (ap.Params, []Violation) {
	var unbound []Violation
	params, found := parseKeys(e, item, func(key *ap.KeyAttribute, parsed ap.Params) {
		unbound = append(unbound, checkBinds(e, item, key, parsed)...)
	})
	return params, append(append(found, unbound...), undocumented(e, item)...)
}

// ParseKeys takes every key attribute of the item apart and returns all
// parameters. Keys that lack their form are reported.
func ParseKeys(e *ap.Entity, item ap.Item) (ap.Params, []Violation) {
	return parseKeys(e, item, func(*ap.KeyAttribute, ap.Params) {})
}

// parseKeys calls each for every key that has its form.
func parseKeys(e *ap.Entity, item ap.Item, each func(key *ap.KeyAttribute, parsed ap.Params)) (ap.Params, []Violation) {
	params := ap.Params{}
	var found []Violation
	report := func(key *ap.KeyAttribute, format string, args ...any) {
		found = append(found, Violation{Attribute: key.Attribute, Rule: ViolatesKey, Message: fmt.Sprintf(format, args...), Cite: key.Cite})
	}
	for key := range lists.Each(e.Keys) {
		value, present := item[key.Attribute]
		if !present {
			if !key.Optional {
				report(key, "expected a key of the form %s, found no such attribute; where only some items are in an index, its key is optional: true", key.Template)
			}
			continue
		}
		if got := dynamo.TypeOf(value); got != key.ValueType() {
			report(key, "expected type %s, found %s; an optional index key is absent when unset, never NULL", key.ValueType(), got)
			continue
		}
		text := dynamo.ScalarText(value)
		if text == "" {
			report(key, "expected a key of the form %s, found an empty string; an optional index key is absent when unset", key.Template)
			continue
		}
		parsed, err := key.Template.Parse(text)
		if err != nil {
			report(key, "%v", err)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(parsed)) {
			if earlier, seen := params[name]; seen && earlier != parsed[name] {
				report(key, "expected {%s} to be %q as in the item's other keys, found %q", name, earlier, parsed[name])
				continue
			}
			params[name] = parsed[name]
		}
		each(key, parsed)
	}
	return params, found
}

// checkBinds compares a key's parameters with the attributes that they
// repeat. Every key is compared on its own, so that a stale index key is found
// even when it agrees with another stale key.
func checkBinds(e *ap.Entity, item ap.Item, key *ap.KeyAttribute, parsed ap.Params) (found []Violation) {
	for _, name := range slices.Sorted(maps.Keys(parsed)) {
		bound := key.Bound(name)
		other, present := item[bound]
		if _, known := e.Attribute(bound); !known || !present || bound == key.Attribute || dynamo.ScalarText(other) == parsed[name] {
			continue // a missing attribute is reported where it is required
		}
		found = append(found, Violation{
			Attribute: key.Attribute, Rule: ViolatesKey, Cite: key.Cite,
			Message: fmt.Sprintf("expected {%s} of %s to equal %s %q, found %q", name, key.Template, bound, dynamo.ScalarText(other), parsed[name]),
		})
	}
	return found
}

// Rule reports how an item breaks the rule, or returns nil. params are those
// that the item's keys parse to. A rule on an absent attribute holds.
func Rule(r *ap.Rule, item ap.Item, params ap.Params) *Violation {
	fail := func(format string, args ...any) *Violation {
		return &Violation{Attribute: r.Attribute, Rule: r.ID, Message: fmt.Sprintf(format, args...), Cite: r.Cite}
	}
	if r.Check != nil {
		if err := r.Check(item); err != nil {
			return fail("%v", err)
		}
		return nil
	}
	value, present := item[r.Attribute]
	if !present {
		return nil // a missing attribute is reported where it is required
	}
	if r.EqualTo != "" {
		other, present := item[r.EqualTo]
		if !present {
			return nil
		}
		if !dynamo.Equal(value, other) {
			return fail("expected the value of %s, %s, found %s", r.EqualTo, dynamo.Show(other), dynamo.Show(value))
		}
		return nil
	}
	want, err := r.Template.Format(params)
	if err != nil {
		return fail("%v", err)
	}
	if got := dynamo.ScalarText(value); got != want {
		return fail("expected %q from the item's keys, found %q", want, got)
	}
	return nil
}

// undocumented reports attributes, and members of documented maps at every depth,
// that neither keys nor attributes name.
func undocumented(e *ap.Entity, item ap.Item) []Violation {
	var found []Violation
	unknown(e, &types.AttributeValueMemberM{Value: item}, "", "", func(path string) {
		found = append(found, Violation{
			Attribute: path, Rule: ViolatesUndocumented, Cite: e.Cite,
			Message: fmt.Sprintf("expected an attribute that the contract gives to %s, found %s; add it to the contract with its line, or take it out of the item", e.Title, path),
		})
	})
	return found
}

// topLevel is the attribute that a path begins with.
func topLevel(path string) string {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return path
}

// unknown reports what a value holds and the document does not name. at is where the value is, and as the path by which the document names
// it: "*" is any member of a map, "[]" each element of a list. A map is open in which no path goes on.
func unknown(e *ap.Entity, value types.AttributeValue, as, at string, report func(path string)) {
	switch value := value.(type) {
	case *types.AttributeValueMemberL:
		for i, element := range value.Value {
			unknown(e, element, as+"[]", fmt.Sprintf("%s[%d]", at, i), report)
		}
	case *types.AttributeValueMemberM:
		if at != "" {
			as, at = as+".", at+"."
			if !named(e, as, "") {
				return
			}
		}
		for _, name := range dynamo.Names(value.Value) {
			_, isKey := e.Key(name)
			path := as + name
			if !(isKey && at == "") && (strings.ContainsAny(name, ".[") || !named(e, path, ".[")) {
				path = as + "*"
				if !named(e, path, ".[") {
					report(at + name)
					continue
				}
			}
			unknown(e, value.Value[name], path, at+name, report)
		}
	}
}

// named reports whether the document names a path, or one that begins with it and goes on so.
func named(e *ap.Entity, path, on string) bool {
	for i := range e.Attributes {
		rest, is := strings.CutPrefix(e.Attributes[i].Name, path)
		if is && (rest == "" || on == "" || strings.Contains(on, rest[:1])) {
			return true
		}
	}
	return false
}

// Change reports how an update that sets the value at a path breaks the
// entity, as far as it is known without the rest of the item. A segment of the path
// is a name, with [n] behind it for the element of a list. A nil value is one that is
// not known, because it is computed from stored ones.
func Change(e *ap.Entity, path []string, value types.AttributeValue) []Violation {
	known := value
	if known == nil {
		known = &types.AttributeValueMemberNULL{Value: true}
	}
	item, changed := within(path, known)
	found := undocumented(e, item)
	for i := range e.Attributes {
		if name := e.Attributes[i].Name; topLevel(name) != topLevel(path[0]) && name[0] != '*' {
			continue // it can only be missing, beside the change
		}
		for _, violation := range Attribute(&e.Attributes[i], item) {
			rest, below := strings.CutPrefix(violation.Attribute, changed)
			below = below && (rest == "" || rest[0] == '.' || rest[0] == '[')
			if below && value == nil || !below && violation.Rule == ViolatesRequired {
				continue // not known, or beside the change
			}
			found = append(found, violation)
		}
	}
	return found
}

// Removal reports how an update that removes what is at a path breaks the
// entity.
func Removal(e *ap.Entity, path []string) []Violation {
	found := Change(e, path, nil)
	item, removed := within(path, nil)
	for i := range e.Attributes {
		for _, violation := range Attribute(&e.Attributes[i], item) {
			if violation.Rule == ViolatesRequired && violation.Attribute == removed {
				found = append(found, violation)
			}
		}
	}
	return found
}

// within returns an item that holds a value at a path and nothing else, and the path
// as violations write it. The elements of its lists are the first ones. Where the
// value is nil, the map or list that would hold it is empty.
func within(path []string, value types.AttributeValue) (ap.Item, string) {
	item := ap.Item{}
	var names []string
	for i := len(path) - 1; i >= 0; i-- {
		name, indexes, _ := strings.Cut(path[i], "[")
		depth := strings.Count(indexes, "]")
		for range depth {
			list := &types.AttributeValueMemberL{}
			if value != nil {
				list.Value = append(list.Value, value)
			}
			value = list
		}
		item = ap.Item{}
		if value != nil {
			item[name] = value
		}
		value = &types.AttributeValueMemberM{Value: item}
		names = append(names, name+strings.Repeat("[0]", depth))
	}
	slices.Reverse(names)
	return item, strings.Join(names, ".")
}

// Attribute reports how an item breaks the attribute's presence, type, allowed
// values, format or bounds.
func Attribute(a *ap.Attribute, item ap.Item) []Violation {
	var found []Violation
	a.Visit(item, func(path string, value types.AttributeValue) {
		if value == nil {
			if a.Presence == ap.Required {
				found = append(found, Violation{Attribute: path, Rule: ViolatesRequired, Cite: a.Cite,
					Message: fmt.Sprintf("expected a value%s, found none", ofType(a.Type))})
			}
			return
		}
		of := problems{}
		of.value(a, value)
		for _, rule := range slices.Sorted(maps.Keys(of)) {
			found = append(found, Violation{Attribute: path, Rule: rule, Message: of[rule], Cite: a.Cite})
		}
	})
	return found
}

// problems has a message for each thing that is wrong with one value, by the
// broken obligation.
type problems map[string]string

func (p problems) add(rule, format string, args ...any) { p[rule] = fmt.Sprintf(format, args...) }

func (p problems) value(a *ap.Attribute, value types.AttributeValue) {
	got := dynamo.TypeOf(value)
	if got == dynamo.Null && a.Presence == ap.Nullable {
		return
	}
	if a.Type != "" && got != a.Type {
		p.add(ViolatesType, "expected type %s, found %s %s", a.Type, got, dynamo.Show(value))
		return
	}
	if members, _ := dynamo.Length(value); got.IsSet() && members == 0 {
		p.add(ViolatesEmpty, "expected at least one member, found an empty set, which DynamoDB cannot store")
	}
	switch member := value.(type) {
	case *types.AttributeValueMemberSS:
		for _, text := range member.Value {
			p.text(a, text)
		}
	case *types.AttributeValueMemberNS:
		for _, text := range member.Value {
			p.number(a, text)
		}
	case *types.AttributeValueMemberS:
		if member.Value == "" && a.NotEmpty {
			p.add(ViolatesEmpty, "expected text, found an empty string; an unset attribute is absent")
			break
		}
		p.text(a, member.Value)
	case *types.AttributeValueMemberN:
		p.number(a, member.Value)
	}
}

func (p problems) text(a *ap.Attribute, text string) {
	if len(a.Allowed) > 0 && !slices.Contains(a.Allowed, text) {
		p.add(ViolatesAllowed, "expected one of %s, found %q", strings.Join(a.Allowed, ", "), text)
	}
	if problem := cmp.Or(checkJSON(a, text), checkFormat(a.Format, text)); problem != "" {
		p.add(ViolatesFormat, "%s", problem)
	}
}

// checkJSON compares a text with the documented shape of its JSON.
func checkJSON(a *ap.Attribute, text string) string {
	if len(a.JSON) == 0 {
		return ""
	}
	var whole map[string]any
	if err := json.Unmarshal([]byte(text), &whole); err != nil || whole == nil {
		return fmt.Sprintf("expected a JSON object, found %q", text)
	}
	for _, path := range slices.Sorted(maps.Keys(a.JSON)) {
		value := any(whole)
		for _, name := range strings.Split(path, ".") {
			members, _ := value.(map[string]any)
			member, present := members[name]
			if !present {
				return fmt.Sprintf("expected the member %s in the JSON, found none", path)
			}
			value = member
		}
		if want := a.JSON[path]; want != "any" && want != jsonTypeOf(value) {
			return fmt.Sprintf("expected %s in the JSON to be of type %s, found %s", path, want, jsonTypeOf(value))
		}
	}
	return ""
}

func jsonTypeOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return "null"
}

// notations tell the texts of a format.
var notations = map[ap.Format]func(text string) bool{ap.ISOTimestamp: Parses(time.RFC3339Nano), ap.ISODate: Parses(time.DateOnly), ap.UUID: IsUUID}

// IsUUID reports whether a text is the 36-character hexadecimal form of RFC 9562,
// in upper or lower case.
func IsUUID(text string) bool { return uuidForm.MatchString(text) }

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// Parses tells the texts that are a moment in a layout of package time.
func Parses(layout string) func(text string) bool {
	return func(text string) bool {
		_, err := time.Parse(layout, text)
		return err == nil
	}
}

func checkFormat(f ap.Format, text string) string {
	if is := notations[f]; is != nil && !is(text) {
		return fmt.Sprintf("expected %s, found %q", f, text)
	}
	return ""
}

// Epoch values before 2001 in milliseconds, or after 2286 in seconds, are
// mistaken for the other unit: 10,000,000,000 parts the two.
const epochDivide = 1e10

func (p problems) number(a *ap.Attribute, text string) {
	number, is := dynamo.Decimal(text)
	if !is {
		p.add(ViolatesType, "expected a number, found %q", text)
		return
	}
	against := func(bound float64) int {
		if exact, is := dynamo.Decimal(strconv.FormatFloat(bound, 'g', -1, 64)); is {
			return number.Cmp(exact)
		}
		near, _ := number.Float64()
		return cmp.Compare(near, bound)
	}
	if a.Minimum != nil && against(*a.Minimum) < 0 || a.Maximum != nil && against(*a.Maximum) > 0 {
		p.add(ViolatesRange, "expected %s, found %s", bounds(a), text)
	}
	switch a.Format {
	case ap.EpochMilliseconds:
		if against(epochDivide) < 0 || !number.IsInt() {
			p.add(ViolatesFormat, "expected %s, found %s", a.Format, text)
		}
	case ap.EpochSeconds:
		if number.Sign() < 0 || against(epochDivide) >= 0 || !number.IsInt() {
			p.add(ViolatesFormat, "expected %s, found %s, which looks like milliseconds", a.Format, text)
		}
	case ap.Integer:
		if !number.IsInt() {
			p.add(ViolatesFormat, "expected %s, found %s", a.Format, text)
		}
	}
}

func bounds(a *ap.Attribute) string {
	switch {
	case a.Minimum != nil && a.Maximum != nil:
		return fmt.Sprintf("a number from %g to %g", *a.Minimum, *a.Maximum)
	case a.Minimum != nil:
		return fmt.Sprintf("a number of at least %g", *a.Minimum)
	default:
		return fmt.Sprintf("a number of at most %g", *a.Maximum)
	}
}

// ofType is the end of a sentence about a value of a type; empty where the document gives none.
func ofType(t dynamo.Type) string {
	if t == "" {
		return ""
	}
	return " of type " + string(t)
}
