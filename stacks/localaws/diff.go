package localaws

import (
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// replacing are the inputs whose change needs a new table.
var replacing = []string{"name", "hashKey", "rangeKey"}

// tableProperties are the properties that a diff compares, in the order of reading, with whether those of two tables differ
// in effect.
var tableProperties = []struct {
	name   string
	differ func(a, b table) bool
}{
	{"name", func(a, b table) bool { return a.Name != b.Name }},
	{"hashKey", func(a, b table) bool { return a.HashKey != b.HashKey }},
	{"rangeKey", func(a, b table) bool { return a.RangeKey != b.RangeKey }},
	{"attributes", func(a, b table) bool { return !sameAttributes(a.Attributes, b.Attributes) }},
	{"billingMode", func(a, b table) bool { return a.BillingMode != b.BillingMode }},
	{"readCapacity", func(a, b table) bool { return a.Capacity.Read != b.Capacity.Read }},
	{"writeCapacity", func(a, b table) bool { return a.Capacity.Write != b.Capacity.Write }},
	{"globalSecondaryIndexes", func(a, b table) bool {
		return len(a.Indexes) != len(b.Indexes) || slices.ContainsFunc(a.Indexes, func(i index) bool {
			other, ok := b.index(i.Name)
			return !ok || !i.same(other)
		})
	}},
	{"ttl", func(a, b table) bool { return !a.TTL.same(b.TTL) }},
	{"pointInTimeRecovery", func(a, b table) bool { return a.PITR != b.PITR }},
	{"tags", func(a, b table) bool { return !maps.Equal(a.Tags, b.Tags) }},
	{"deletionProtectionEnabled", func(a, b table) bool { return a.Protection != b.Protection }},
	{"streamEnabled", func(a, b table) bool { return a.StreamView != b.StreamView }},
	{"tableClass", func(a, b table) bool { return a.Class != b.Class }},
}

// defaults names, in the inputs of a resource, those that the provider gave it. The real provider's bridge keeps the same list.
const defaults = "__defaults"

// namedByProvider reports whether the inputs have a name that the provider made up.
func namedByProvider(inputs resource.PropertyMap) bool {
	return slices.ContainsFunc(list(inputs[defaults]), func(v resource.PropertyValue) bool { return text(v) == "name" })
}

// deletesFirst reports whether a replacement deletes before it creates: the real provider's bridge does whenever the program
// gave the name, also where the new name is another one. What stood in the table is gone before the new one is there.
func deletesFirst(replaces []string, inputs resource.PropertyMap) bool {
	return len(replaces) > 0 && !namedByProvider(inputs)
}

func sameAttributes(a, b []attribute) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x attribute) bool { return !slices.Contains(b, x) })
}

// diffTable compares the state of a table with the inputs that a program asks for, and names each difference by its
// path, so that Pulumi shows it property by property.
func diffTable(state, inputs resource.PropertyMap) *pulumirpc.DiffResponse {
	d := differ{inputs: inputs, replacing: replacing}
	have, want := tableFrom(state), tableFrom(inputs)
	want.leave(inputs, have)
	for _, property := range tableProperties {
		switch {
		case inputs[resource.PropertyKey(property.name)].ContainsUnknowns():
			d.note(property.name, pulumirpc.PropertyDiff_UPDATE)
		case property.differ(have, want):
			d.property(property.name, have, want)
		}
	}
	response := d.response()
	response.DeleteBeforeReplace = deletesFirst(d.replaces, inputs)
	return response
}

// differ gathers what differs.
type differ struct {
	inputs    resource.PropertyMap
	replacing []string // the properties whose change needs a new resource
	detail    map[string]*pulumirpc.PropertyDiff
	replaces  []string
	diffs     []string
}

func (d *differ) response() *pulumirpc.DiffResponse {
	changes := pulumirpc.DiffResponse_DIFF_NONE
	if len(d.diffs) > 0 {
		changes = pulumirpc.DiffResponse_DIFF_SOME
	}
	return &pulumirpc.DiffResponse{Changes: changes, Diffs: d.diffs, Replaces: d.replaces, DetailedDiff: d.detail, HasDetailedDiff: true}
}

// note records a difference. A path must exist on the side that its kind speaks of, else Pulumi shows nothing.
func (d *differ) note(path string, kind pulumirpc.PropertyDiff_Kind) {
	property := path
	if p, err := resource.ParsePropertyPath(path); err == nil && len(p) > 0 {
		property = p[0].(string)
	}
	if slices.Contains(d.replacing, property) {
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
	if d.detail == nil {
		d.detail = map[string]*pulumirpc.PropertyDiff{}
	}
	d.detail[path] = &pulumirpc.PropertyDiff{Kind: kind}
	if !slices.Contains(d.diffs, property) {
		d.diffs = append(d.diffs, property)
	}
}

func (d *differ) property(property string, have, want table) {
	_, mentioned := d.inputs[resource.PropertyKey(property)] // by the program
	switch {
	case property == "attributes":
		d.attributes(have, want)
	case property == "globalSecondaryIndexes":
		d.indexes(have, want)
	case property == "tags":
		d.tags(have, want)
	case property == "rangeKey" && have.RangeKey == "":
		d.note(property, pulumirpc.PropertyDiff_ADD)
	case !mentioned:
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
		if old.same(i) {
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
