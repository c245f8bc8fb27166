package localaws

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

const (
	provisioned   = "PROVISIONED"
	payPerRequest = "PAY_PER_REQUEST"
	standardClass = "STANDARD"
)

// table is a table as a program wants it or as the endpoint reports it. A table that a program wants holds the default
// of everything that the program does not mention.
type table struct {
	Name, HashKey, RangeKey string
	Attributes              []attribute // a set
	BillingMode             string
	Capacity                capacity // 0/0 for on-demand
	Indexes                 []index  // a set, by name
	TTL                     ttl
	PITR                    bool
	Tags                    map[string]string
	Protection              bool
	Class                   string
	StreamView              string // empty when the stream is off

	// Reported by the endpoint only.
	ARN, StreamARN, StreamLabel string
}

type attribute struct{ Name, Type string }

// capacity is in read and write capacity units.
type capacity struct{ Read, Write int64 }

type index struct {
	Name, HashKey, RangeKey string
	Projection              string
	NonKey                  []string // a set
	Capacity                capacity
}

// leave gives a table that a program asks for the settings that the real provider leaves as they are where the program does not
// mention them: TTL and point-in-time recovery.
func (t *table) leave(inputs resource.PropertyMap, have table) {
	if inputs["ttl"].IsNull() {
		t.TTL = have.TTL
	}
	if inputs["pointInTimeRecovery"].IsNull() {
		t.PITR = have.PITR
	}
}

// sameShape reports whether two indexes differ in nothing but capacity: a changed key or projection needs a new index.
func (i index) sameShape(o index) bool {
	return i.Name == o.Name && i.HashKey == o.HashKey && i.RangeKey == o.RangeKey &&
		i.Projection == o.Projection && sameSet(i.NonKey, o.NonKey)
}

// same reports whether two indexes differ in nothing.
func (i index) same(o index) bool { return i.sameShape(o) && i.Capacity == o.Capacity }

type ttl struct {
	Enabled   bool
	Attribute string
}

// same reports whether two settings have the same effect: the attribute of a TTL that is off has none.
func (t ttl) same(o ttl) bool {
	return t.Enabled == o.Enabled && (!t.Enabled || t.Attribute == o.Attribute)
}

func (t table) index(name string) (index, bool) {
	for _, i := range t.Indexes {
		if i.Name == name {
			return i, true
		}
	}
	return index{}, false
}

// tableFrom reads a table from inputs or from state. What is absent, unknown or of another type has its default;
// checkTable has refused wrong types before.
func tableFrom(props resource.PropertyMap) table {
	t := table{
		Name:        text(props["name"]),
		HashKey:     text(props["hashKey"]),
		RangeKey:    text(props["rangeKey"]),
		BillingMode: cmp.Or(text(props["billingMode"]), provisioned),
		Class:       cmp.Or(text(props["tableClass"]), standardClass),
		Protection:  truth(props["deletionProtectionEnabled"]),
		PITR:        truth(object(props["pointInTimeRecovery"])["enabled"]),
		ARN:         text(props["arn"]),
		StreamARN:   text(props["streamArn"]),
		StreamLabel: text(props["streamLabel"]),
		Tags:        map[string]string{},
	}
	if truth(props["streamEnabled"]) {
		t.StreamView = text(props["streamViewType"])
	}
	if t.BillingMode == provisioned {
		t.Capacity = capacityFrom(props)
	}
	for _, v := range list(props["attributes"]) {
		o := object(v)
		t.Attributes = append(t.Attributes, attribute{text(o["name"]), text(o["type"])})
	}
	for _, v := range list(props["globalSecondaryIndexes"]) {
		o := object(v)
		i := index{
			Name: text(o["name"]), HashKey: text(o["hashKey"]), RangeKey: text(o["rangeKey"]),
			Projection: text(o["projectionType"]),
		}
		for _, n := range list(o["nonKeyAttributes"]) {
			i.NonKey = append(i.NonKey, text(n))
		}
		if t.BillingMode == provisioned {
			i.Capacity = capacityFrom(o)
		}
		t.Indexes = append(t.Indexes, i)
	}
	if o := object(props["ttl"]); o != nil {
		t.TTL = ttl{truth(o["enabled"]), text(o["attributeName"])}
	}
	for k, v := range object(props["tags"]) {
		t.Tags[string(k)] = text(v)
	}
	return t
}

func capacityFrom(o resource.PropertyMap) capacity {
	return capacity{int64(number(o["readCapacity"])), int64(number(o["writeCapacity"]))}
}

// outputs renders the table under the names of the SDK's Table.
func (t table) outputs() resource.PropertyMap {
	attributes, indexes := []any{}, []any{}
	for _, a := range t.Attributes {
		attributes = append(attributes, map[string]any{"name": a.Name, "type": a.Type})
	}
	for _, i := range t.Indexes {
		o := map[string]any{
			"name":           i.Name,
			"hashKey":        i.HashKey,
			"projectionType": i.Projection,
			"readCapacity":   i.Capacity.Read,
			"writeCapacity":  i.Capacity.Write,
		}
		if i.RangeKey != "" {
			o["rangeKey"] = i.RangeKey
		}
		if len(i.NonKey) > 0 {
			o["nonKeyAttributes"] = i.NonKey
		}
		indexes = append(indexes, o)
	}
	props := map[string]any{
		"id":                        t.Name,
		"name":                      t.Name,
		"hashKey":                   t.HashKey,
		"attributes":                attributes,
		"billingMode":               t.BillingMode,
		"readCapacity":              t.Capacity.Read,
		"writeCapacity":             t.Capacity.Write,
		"globalSecondaryIndexes":    indexes,
		"tableClass":                t.Class,
		"deletionProtectionEnabled": t.Protection,
		"streamEnabled":             t.StreamView != "",
		"streamViewType":            t.StreamView,
		"streamArn":                 t.StreamARN,
		"streamLabel":               t.StreamLabel,
		"arn":                       t.ARN,
		"tags":                      t.Tags,
		"tagsAll":                   t.Tags,
		"pointInTimeRecovery":       map[string]any{"enabled": t.PITR},
		"ttl":                       map[string]any{"enabled": t.TTL.Enabled, "attributeName": t.TTL.Attribute},
	}
	if t.RangeKey != "" {
		props["rangeKey"] = t.RangeKey
	}
	return resource.NewPropertyMapFromMap(props)
}

// inLine returns t with its sets in the order of another table, and what the other has not at the end by name.
// Sets have no order on the wire; keeping one lets a diff name the same element by the same position.
func (t table) inLine(like table) table {
	position := func(names []string, name string) int {
		if i := slices.Index(names, name); i >= 0 {
			return i
		}
		return len(names)
	}
	var attributes, indexes []string
	for _, a := range like.Attributes {
		attributes = append(attributes, a.Name)
	}
	for _, i := range like.Indexes {
		indexes = append(indexes, i.Name)
	}
	byPosition := func(order []string, a, b string) int {
		return cmp.Or(position(order, a)-position(order, b), strings.Compare(a, b))
	}
	t.Attributes = slices.Clone(t.Attributes)
	slices.SortFunc(t.Attributes, func(a, b attribute) int { return byPosition(attributes, a.Name, b.Name) })
	t.Indexes = slices.Clone(t.Indexes)
	slices.SortFunc(t.Indexes, func(a, b index) int { return byPosition(indexes, a.Name, b.Name) })
	for n, i := range t.Indexes {
		if other, ok := like.index(i.Name); ok && sameSet(i.NonKey, other.NonKey) {
			t.Indexes[n].NonKey = other.NonKey
		}
	}
	return t
}

// inputs returns the inputs that would give this table, as far as the program mentions them: what the refreshed state
// shows as the program's side. Without earlier inputs (an import) it returns all of them.
func (t table) inputs(before resource.PropertyMap) resource.PropertyMap {
	now, earlier := t.outputs(), tableFrom(before)
	inputs := resource.PropertyMap{}
	for _, property := range tableProperties {
		key := resource.PropertyKey(property.name)
		value, there := now[key]
		if _, ok := implemented[property.name]; !ok || !there {
			continue
		}
		switch old, mentioned := before[key]; {
		case before == nil:
			inputs[key] = value
		case mentioned && !property.differ(earlier, t):
			inputs[key] = old // equal in effect: keep the program's own spelling
		case mentioned:
			inputs[key] = value
		}
	}
	for key, old := range before {
		if _, ok := implemented[string(key)]; !ok {
			inputs[key] = old
		}
	}
	if before == nil {
		// Not all outputs are sensible inputs of a table that is written down for the first time.
		if t.BillingMode == payPerRequest {
			delete(inputs, "readCapacity")
			delete(inputs, "writeCapacity")
		}
		if !t.TTL.Enabled {
			delete(inputs, "ttl")
		}
		if !t.PITR {
			delete(inputs, "pointInTimeRecovery")
		}
	}
	return inputs
}

func text(v resource.PropertyValue) string {
	if v.IsString() {
		return v.StringValue()
	}
	return ""
}

func truth(v resource.PropertyValue) bool { return v.IsBool() && v.BoolValue() }

func number(v resource.PropertyValue) float64 {
	if v.IsNumber() {
		return v.NumberValue()
	}
	return 0
}

func object(v resource.PropertyValue) resource.PropertyMap {
	if v.IsObject() {
		return v.ObjectValue()
	}
	return nil
}

func list(v resource.PropertyValue) []resource.PropertyValue {
	if v.IsArray() {
		return v.ArrayValue()
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// element is the path of a list's element.
func element(name string, position int) string { return fmt.Sprintf("%s[%d]", name, position) }
