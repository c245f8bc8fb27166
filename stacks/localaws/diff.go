package localaws

import (
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// replacing are the inputs whose change needs a new table.
var replacing = []string{"name", "hashKey", "rangeKey"}

// tableProperties are the properties that a diff compares, in the order of reading.
var tableProperties = []string{
	"name", "hashKey", "rangeKey", "attributes", "billingMode", "readCapacity", "writeCapacity",
	"globalSecondaryIndexes", "ttl", "pointInTimeRecovery", "tags",
	"deletionProtectionEnabled", "streamEnabled", "tableClass",
}

// diffProperty reports whether a property of two tables differs in effect.
func diffProperty(property string, a, b table) bool {
	switch property {
	case "name":
		return a.Name != b.Name
	case "hashKey":
		return a.HashKey != b.HashKey
	case "rangeKey":
		return a.RangeKey != b.RangeKey
	case "attributes":
		return !sameAttributes(a.Attributes, b.Attributes)
	case "billingMode":
		return a.BillingMode != b.BillingMode
	case "readCapacity":
		return a.Capacity.Read != b.Capacity.Read
	case "writeCapacity":
		return a.Capacity.Write != b.Capacity.Write
	case "globalSecondaryIndexes":
		return len(a.Indexes) != len(b.Indexes) || slices.ContainsFunc(a.Indexes, func(i index) bool {
			other, ok := b.index(i.Name)
			return !ok || !i.sameShape(other) || i.Capacity != other.Capacity
		})
	case "ttl":
		return !a.TTL.same(b.TTL)
	case "pointInTimeRecovery":
		return a.PITR != b.PITR
	case "tags":
		return !maps.Equal(a.Tags, b.Tags)
	case "deletionProtectionEnabled":
		return a.Protection != b.Protection
	case "streamEnabled":
		return a.StreamView != b.StreamView
	default: // tableClass
		return a.Class != b.Class
	}
}

func sameAttributes(a, b []attribute) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x attribute) bool { return !slices.Contains(b, x) })
}

// diffTable compares the state of a table with the inputs that a program asks for, and names each difference by its
// path, so that Pulumi shows it property by property.
func diffTable(state, inputs resource.PropertyMap) *pulumirpc.DiffResponse {
	d := &differ{inputs: inputs, detail: map[string]*pulumirpc.PropertyDiff{}}
	have, want := tableFrom(state), tableFrom(inputs)
	for _, property := range tableProperties {
		switch {
		case inputs[resource.PropertyKey(property)].ContainsUnknowns():
			d.note(property, pulumirpc.PropertyDiff_UPDATE)
		case diffProperty(property, have, want):
			d.property(property, have, want)
		}
	}
	response := &pulumirpc.DiffResponse{
		Changes:             pulumirpc.DiffResponse_DIFF_NONE,
		HasDetailedDiff:     true,
		DetailedDiff:        d.detail,
		Replaces:            d.replaces,
		Diffs:               d.diffs,
		DeleteBeforeReplace: len(d.replaces) > 0 && have.Name == want.Name, // two tables cannot share a name
	}
	if len(d.diffs) > 0 {
		response.Changes = pulumirpc.DiffResponse_DIFF_SOME
	}
	return response
}

type differ struct {
	inputs   resource.PropertyMap
	detail   map[string]*pulumirpc.PropertyDiff
	replaces []string
	diffs    []string
}

// note records a difference. A path must exist on the side that its kind speaks of, else Pulumi shows nothing.
func (d *differ) note(path string, kind pulumirpc.PropertyDiff_Kind) {
	property := path
	if p, err := resource.ParsePropertyPath(path); err == nil && len(p) > 0 {
		property = p[0].(string)
	}
	if slices.Contains(replacing, property) {
		kind = map[pulumirpc.PropertyDiff_Kind]pulumirpc.PropertyDiff_Kind{
			pulumirpc.PropertyDiff_ADD:    pulumirpc.PropertyDiff_ADD_REPLACE,
			pulumirpc.PropertyDiff_DELETE: pulumirpc.PropertyDiff_DELETE_REPLACE,
			pulumirpc.PropertyDiff_UPDATE: pulumirpc.PropertyDiff_UPDATE_REPLACE,
		}[kind]
		d.replaces = append(d.replaces, property)
	}
	if old := d.detail[path]; old != nil && old.Kind == pulumirpc.PropertyDiff_DELETE && kind == pulumirpc.PropertyDiff_ADD {
		kind = pulumirpc.PropertyDiff_UPDATE // one element of a set left its position to another
	}
	d.detail[path] = &pulumirpc.PropertyDiff{Kind: kind}
	if !slices.Contains(d.diffs, property) {
		d.diffs = append(d.diffs, property)
	}
}

// mentioned reports whether the program sets the property.
func (d *differ) mentioned(property string) bool {
	_, ok := d.inputs[resource.PropertyKey(property)]
	return ok
}

func (d *differ) property(property string, have, want table) {
	switch {
	case property == "attributes":
		d.attributes(have, want)
	case property == "globalSecondaryIndexes":
		d.indexes(have, want)
	case property == "tags":
		d.tags(have, want)
	case property == "rangeKey" && have.RangeKey == "":
		d.note(property, pulumirpc.PropertyDiff_ADD)
	case !d.mentioned(property):
		d.note(property, pulumirpc.PropertyDiff_DELETE)
	case property == "ttl" && have.TTL.Enabled != want.TTL.Enabled:
		d.note("ttl.enabled", pulumirpc.PropertyDiff_UPDATE)
		if have.TTL.Attribute != want.TTL.Attribute && want.TTL.Attribute != "" {
			d.note("ttl.attributeName", pulumirpc.PropertyDiff_UPDATE)
		}
	case property == "ttl":
		d.note("ttl.attributeName", pulumirpc.PropertyDiff_UPDATE)
	case property == "pointInTimeRecovery":
		d.note("pointInTimeRecovery.enabled", pulumirpc.PropertyDiff_UPDATE)
	default:
		d.note(property, pulumirpc.PropertyDiff_UPDATE)
	}
}

func (d *differ) attributes(have, want table) {
	for n, a := range have.Attributes {
		if !slices.Contains(want.Attributes, a) && !(n < len(want.Attributes) && want.Attributes[n].Name == a.Name) {
			d.note(element("attributes", n), pulumirpc.PropertyDiff_DELETE)
		}
	}
	for n, a := range want.Attributes {
		switch {
		case slices.Contains(have.Attributes, a):
		case n < len(have.Attributes) && have.Attributes[n].Name == a.Name:
			d.note(element("attributes", n)+".type", pulumirpc.PropertyDiff_UPDATE)
		default:
			d.note(element("attributes", n), pulumirpc.PropertyDiff_ADD)
		}
	}
}

func (d *differ) indexes(have, want table) {
	at := func(t table, name string) int {
		return slices.IndexFunc(t.Indexes, func(i index) bool { return i.Name == name })
	}
	for n, old := range have.Indexes {
		if at(want, old.Name) < 0 {
			d.note(element("globalSecondaryIndexes", n), pulumirpc.PropertyDiff_DELETE)
		}
	}
	for n, i := range want.Indexes {
		position := at(have, i.Name)
		if position < 0 {
			d.note(element("globalSecondaryIndexes", n), pulumirpc.PropertyDiff_ADD)
			continue
		}
		old := have.Indexes[position]
		if old.sameShape(i) && old.Capacity == i.Capacity {
			continue
		}
		if position != n {
			// The two sides stand at different positions: one path cannot speak of both.
			d.note(element("globalSecondaryIndexes", position), pulumirpc.PropertyDiff_DELETE)
			d.note(element("globalSecondaryIndexes", n), pulumirpc.PropertyDiff_ADD)
			continue
		}
		path := element("globalSecondaryIndexes", n) + "."
		changed := func(property string, is bool, kind pulumirpc.PropertyDiff_Kind) {
			if is {
				d.note(path+property, kind)
			}
		}
		changed("hashKey", old.HashKey != i.HashKey, pulumirpc.PropertyDiff_UPDATE)
		changed("rangeKey", old.RangeKey != i.RangeKey, kindOf(old.RangeKey != "", i.RangeKey != ""))
		changed("projectionType", old.Projection != i.Projection, pulumirpc.PropertyDiff_UPDATE)
		changed("nonKeyAttributes", !sameSet(old.NonKey, i.NonKey), kindOf(len(old.NonKey) > 0, len(i.NonKey) > 0))
		changed("readCapacity", old.Capacity.Read != i.Capacity.Read, kindOf(true, i.Capacity.Read > 0))
		changed("writeCapacity", old.Capacity.Write != i.Capacity.Write, kindOf(true, i.Capacity.Write > 0))
	}
}

func (d *differ) tags(have, want table) {
	names := sortedKeys(have.Tags)
	for _, name := range sortedKeys(want.Tags) {
		if _, ok := have.Tags[name]; !ok {
			names = append(names, name)
		}
	}
	for _, name := range names {
		old, had := have.Tags[name]
		now, has := want.Tags[name]
		if had != has || old != now {
			d.note(resource.PropertyPath{"tags", name}.String(), kindOf(had, has))
		}
	}
}

// kindOf is the kind of a difference by what exists before and after.
func kindOf(before, after bool) pulumirpc.PropertyDiff_Kind {
	switch {
	case !before:
		return pulumirpc.PropertyDiff_ADD
	case !after:
		return pulumirpc.PropertyDiff_DELETE
	default:
		return pulumirpc.PropertyDiff_UPDATE
	}
}
