package localaws

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// defaults names, in the inputs of a resource, those that the provider gave it. The real provider's bridge keeps the same list.
const defaults = "__defaults"

// namedByProvider reports whether the inputs have a name that the provider made up.
func namedByProvider(inputs resource.PropertyMap) bool {
	return slices.ContainsFunc(list(inputs[defaults]), func(v resource.PropertyValue) bool { return text(v) == "name" })
}

// compareTables finds what two tables differ in by their effect, each difference by its path, so that Pulumi shows it property by
// property. inputs are what the program says of the second.
func compareTables(have, want table, inputs resource.PropertyMap) *differ {
	if !want.TTL.Enabled {
		want.TTL.Attribute = have.TTL.Attribute // without effect
	}
	d := &differ{inputs: inputs, replacing: tableInputs.replacing}
	d.compareAll(tableInputs.compared(), have.outputs(), want.projecting(have).outputs())
	return d
}

// differ gathers what differs.
type differ struct {
	inputs    resource.PropertyMap // what the program says
	replacing []string             // the properties whose change needs a new resource
	detail    map[string]*pulumirpc.PropertyDiff
	replaces  []string
	diffs     []string
}

// response says what differs. A replacement deletes before it creates where the program gave the name, also where the new name is
// another one, as with the real provider's bridge: what stood in the table is gone before the new one is there.
func (d *differ) response() *pulumirpc.DiffResponse {
	changes := pulumirpc.DiffResponse_DIFF_NONE
	if len(d.diffs) > 0 {
		changes = pulumirpc.DiffResponse_DIFF_SOME
	}
	return &pulumirpc.DiffResponse{
		Changes: changes, Diffs: d.diffs, Replaces: d.replaces, DetailedDiff: d.detail, HasDetailedDiff: true,
		DeleteBeforeReplace: len(d.replaces) > 0 && !d.inputs["name"].IsNull() && !namedByProvider(d.inputs),
	}
}

func (d *differ) compareAll(names []string, have, want resource.PropertyMap) {
	for _, name := range names {
		path, key := resource.PropertyPath{name}, resource.PropertyKey(name)
		if d.inputs[key].ContainsUnknowns() {
			d.note(path, pulumirpc.PropertyDiff_UPDATE)
		} else {
			d.compare(path, have[key], want[key])
		}
	}
}

func (d *differ) compare(path resource.PropertyPath, have, want resource.PropertyValue) {
	below := func(step any) resource.PropertyPath { return append(slices.Clone(path), step) }
	switch {
	case have.IsObject() && want.IsObject():
		keys := slices.Concat(have.ObjectValue().StableKeys(), want.ObjectValue().StableKeys())
		slices.Sort(keys)
		for _, key := range slices.Compact(keys) {
			d.compare(below(string(key)), have.ObjectValue()[key], want.ObjectValue()[key])
		}
	case path[0] == "attributes" && len(path) == 1, path[0] == "globalSecondaryIndexes" && len(path) == 1:
		d.sets(below, list(have), list(want))
	case !have.DeepEquals(want) && !(empty(have) && empty(want)):
		is, mentioned := path.Get(resource.NewProperty(d.inputs))
		kind := pulumirpc.PropertyDiff_UPDATE
		if have.IsNull() {
			kind = pulumirpc.PropertyDiff_ADD
		} else if !mentioned || is.IsNull() {
			kind = pulumirpc.PropertyDiff_DELETE
		}
		d.note(path, kind)
	}
}

func empty(v resource.PropertyValue) bool {
	return v.IsNull() || v.IsObject() && len(v.ObjectValue()) == 0
}

// sets compares two sets of objects with names. One path cannot speak of both sides of an element that stands at another position.
func (d *differ) sets(at func(position any) resource.PropertyPath, have, want []resource.PropertyValue) {
	position := func(all []resource.PropertyValue, of resource.PropertyValue) int {
		return slices.IndexFunc(all, func(v resource.PropertyValue) bool { return text(object(v)["name"]) == text(object(of)["name"]) })
	}
	for n, old := range have {
		if is := position(want, old); is < 0 || is != n && !old.DeepEquals(want[is]) {
			d.note(at(n), pulumirpc.PropertyDiff_DELETE)
		}
	}
	for n, now := range want {
		switch was := position(have, now); {
		case was == n:
			d.compare(at(n), have[n], now)
		case was < 0 || !have[was].DeepEquals(now):
			d.note(at(n), pulumirpc.PropertyDiff_ADD)
		}
	}
}

// note records a difference. A path must exist on the side that its kind speaks of, else Pulumi shows nothing.
func (d *differ) note(path resource.PropertyPath, kind pulumirpc.PropertyDiff_Kind) {
	property, at := path[0].(string), path.String()
	if slices.Contains(d.replacing, property) {
		kind = map[pulumirpc.PropertyDiff_Kind]pulumirpc.PropertyDiff_Kind{
			pulumirpc.PropertyDiff_ADD:    pulumirpc.PropertyDiff_ADD_REPLACE,
			pulumirpc.PropertyDiff_DELETE: pulumirpc.PropertyDiff_DELETE_REPLACE,
			pulumirpc.PropertyDiff_UPDATE: pulumirpc.PropertyDiff_UPDATE_REPLACE,
		}[kind]
		d.replaces = append(d.replaces, property)
	}
	if old := d.detail[at]; old != nil && old.Kind == pulumirpc.PropertyDiff_DELETE && kind == pulumirpc.PropertyDiff_ADD {
		kind = pulumirpc.PropertyDiff_UPDATE // one element of a set left its position to another
	}
	if d.detail == nil {
		d.detail = map[string]*pulumirpc.PropertyDiff{}
	}
	d.detail[at] = &pulumirpc.PropertyDiff{Kind: kind}
	if !slices.Contains(d.diffs, property) {
		d.diffs = append(d.diffs, property)
	}
}
