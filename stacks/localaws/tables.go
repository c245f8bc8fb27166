package localaws

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil/rpcerror"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// tables serves aws:dynamodb/table:Table.
type tables struct{}

var _ resourceType = tables{}

func (tables) check(req *pulumirpc.CheckRequest, olds, inputs resource.PropertyMap) ([]*pulumirpc.CheckFailure, error) {
	if err := named(req, olds, inputs, 255); err != nil {
		return nil, err
	}
	if _, ok := inputs["billingMode"]; !ok {
		inputs["billingMode"] = resource.NewProperty(provisioned)
	}
	failures := append(checkTable(inputs), retyped(olds, inputs)...)
	if t := object(inputs["ttl"]); t != nil && len(failures) == 0 {
		if _, ok := t["enabled"]; !ok {
			t["enabled"] = resource.NewProperty(false)
		}
	}
	return failures, nil
}

func (tables) diff(state, inputs resource.PropertyMap, ignored []string) (*pulumirpc.DiffResponse, error) {
	for _, property := range ignored {
		if property != protection {
			return nil, status.Errorf(codes.Unimplemented, "localaws does not implement ignoreChanges of %s: remove it, or deploy against AWS with the pulumi command", property)
		}
	}
	have, want := tableFrom(state), tableFrom(inputs)
	want.leave(inputs, ignored, have)
	return compareTables(have, want, inputs).response(), nil
}

// planned leaves unknown what only the endpoint knows.
func (tables) planned(state, inputs resource.PropertyMap, ignored []string) resource.PropertyMap {
	want := tableFrom(inputs)
	want.leave(inputs, ignored, tableFrom(state))
	outputs := want.outputs()
	for key, value := range inputs {
		if value.ContainsUnknowns() {
			outputs[key] = value
		}
	}
	return planned(state, outputs, "id", "arn", "streamArn", "streamLabel")
}

func (tables) create(ctx context.Context, c *client, _ string, inputs resource.PropertyMap) (string, resource.PropertyMap, error) {
	want := tableFrom(inputs)
	made, err := c.create(ctx, want)
	if err != nil {
		return "", nil, err
	}
	// From here on the table exists and is ours: whatever fails, it must be recorded.
	state, err := c.reach(ctx, made, inputs, nil)
	return want.Name, state, err
}

func (tables) update(ctx context.Context, c *client, req *pulumirpc.UpdateRequest, state, inputs resource.PropertyMap) (resource.PropertyMap, error) {
	return c.reach(ctx, tableFrom(state).Made, inputs, req.GetIgnoreChanges())
}

// reach converges the table that was made so, but for the changes that the program ignores, and returns its state. When that fails the
// error carries the state that was reached, so that the engine records it and the next update starts from there.
func (c *client) reach(ctx context.Context, made string, inputs resource.PropertyMap, ignored []string) (resource.PropertyMap, error) {
	want := tableFrom(inputs)
	have, failed := c.converge(ctx, want, made, inputs, ignored)
	reached := table{Name: want.Name, BillingMode: want.BillingMode, Class: want.Class, Made: made}
	if have != nil {
		reached = have.table.inLine(want)
	}
	if failed == nil {
		return reached.outputs(), nil
	}
	state, err := marshal("state", reached.outputs())
	recorded, again := marshal("inputs", inputs)
	if err = errors.Join(err, again); err != nil {
		return nil, errors.Join(err, failed)
	}
	return nil, rpcerror.WithDetails(rpcerror.New(codes.Unknown, failed.Error()), &pulumirpc.ErrorResourceInitFailed{
		Id: want.Name, Properties: state, Inputs: recorded, Reasons: []string{failed.Error()},
	})
}

// read reports everything that a program can set. Where somebody has made another table of the name since, the stack's is gone.
func (tables) read(ctx context.Context, c *client, id string, state, before resource.PropertyMap) (is, asked resource.PropertyMap, err error) {
	found, err := c.read(ctx, id)
	if found == nil || err != nil || c.foreign(found, tableFrom(state).Made) != nil {
		return nil, nil, err
	}
	now := found.table.inLine(tableFrom(before))
	return now.outputs(), now.inputs(before), nil
}

func (tables) remove(ctx context.Context, c *client, id string, state resource.PropertyMap) error {
	return c.remove(ctx, id, tableFrom(state).Made)
}

const (
	provisioned   = "PROVISIONED"
	payPerRequest = "PAY_PER_REQUEST"
	standardClass = "STANDARD"
)

// table is a table as a program wants it or as the endpoint reports it, under the names of the SDK's Table. A table that a program
// wants holds the default of everything that the program does not mention.
type table struct {
	Name        string            `json:"name"`
	HashKey     string            `json:"hashKey"`
	RangeKey    string            `json:"rangeKey,omitempty"`
	Attributes  []attribute       `json:"attributes"` // a set
	capacity                      // 0/0 for on-demand
	BillingMode string            `json:"billingMode"`
	Indexes     []index           `json:"globalSecondaryIndexes"` // a set, by name
	TTL         ttl               `json:"ttl"`
	PITR        recovery          `json:"pointInTimeRecovery"`
	Tags        map[string]string `json:"tags"`
	Protection  bool              `json:"deletionProtectionEnabled"`
	Class       string            `json:"tableClass"`
	Streams     bool              `json:"streamEnabled"`
	StreamView  string            `json:"streamViewType"` // empty when the stream is off

	// Reported by the endpoint only.
	ARN         string `json:"arn"`
	StreamARN   string `json:"streamArn"`
	StreamLabel string `json:"streamLabel"`
	// Made tells the table from another one of its name. The state keeps it: a table is a stack's when the endpoint still says
	// what it said when the stack made the table, or took it over.
	Made string `json:"__made,omitempty"`
}

type attribute struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// capacity is in read and write capacity units.
type capacity struct {
	Read  int64 `json:"readCapacity"`
	Write int64 `json:"writeCapacity"`
}

type index struct {
	Name       string   `json:"name"`
	HashKey    string   `json:"hashKey"`
	RangeKey   string   `json:"rangeKey,omitempty"`
	Projection string   `json:"projectionType"`
	NonKey     []string `json:"nonKeyAttributes,omitempty"` // a set
	capacity
}

// protection is the one input of which programs ignore changes.
const protection = "deletionProtectionEnabled"

// leave gives a table that a program asks for what is left as it is: the inputs whose changes the program ignores, and as the real
// provider does TTL and point-in-time recovery where the program does not mention them.
func (t *table) leave(inputs resource.PropertyMap, ignored []string, have table) {
	if inputs["ttl"].IsNull() {
		t.TTL = have.TTL
	}
	if inputs["pointInTimeRecovery"].IsNull() {
		t.PITR = have.PITR
	}
	if slices.Contains(ignored, protection) {
		t.Protection = have.Protection
	}
}

// sameShape reports whether two indexes differ in nothing but capacity: a changed key or projection needs a new index.
func (i index) sameShape(o index) bool {
	return i.Name == o.Name && i.HashKey == o.HashKey && i.RangeKey == o.RangeKey &&
		i.Projection == o.Projection && sameSet(i.NonKey, o.NonKey)
}

type ttl struct {
	Enabled   bool   `json:"enabled"`
	Attribute string `json:"attributeName"`
}

type recovery struct {
	Enabled bool `json:"enabled"`
}

// same reports whether two settings have the same effect: the attribute of a TTL that is off has none.
func (t ttl) same(o ttl) bool {
	return t.Enabled == o.Enabled && (!t.Enabled || t.Attribute == o.Attribute)
}

func (t table) index(name string) (index, bool) {
	at := slices.IndexFunc(t.Indexes, func(i index) bool { return i.Name == name })
	if at < 0 {
		return index{}, false
	}
	return t.Indexes[at], true
}

// tableFrom reads a table from inputs or from state. What is absent, unknown or of another type has its default;
// checkTable has refused wrong types before.
func tableFrom(props resource.PropertyMap) table {
	known := props.MapRepl(nil, func(v resource.PropertyValue) (any, bool) { return nil, v.IsComputed() || v.IsOutput() })
	var t table
	carry(known, &t)
	t.BillingMode, t.Class = cmp.Or(t.BillingMode, provisioned), cmp.Or(t.Class, standardClass)
	if t.Tags == nil {
		t.Tags = map[string]string{}
	}
	if !t.Streams {
		t.StreamView = ""
	}
	if t.BillingMode != provisioned {
		t.capacity = capacity{}
		for n := range t.Indexes {
			t.Indexes[n].capacity = capacity{}
		}
	}
	return t
}

// outputs renders the table under the names of the SDK's Table.
func (t table) outputs() resource.PropertyMap {
	t.Streams = t.StreamView != ""
	t.Attributes, t.Indexes = append([]attribute{}, t.Attributes...), append([]index{}, t.Indexes...)
	var props map[string]any
	carry(t, &props)
	props["id"], props["tagsAll"] = t.Name, props["tags"]
	return resource.NewPropertyMapFromMap(props)
}

// carry copies members by their names; one of another type is left out.
func carry(from, to any) {
	if text, err := json.Marshal(from); err == nil {
		_ = json.Unmarshal(text, to) // which goes on behind a wrong type
	}
}

// inLine returns t with its sets in the order of another table, and what the other has not at the end by name.
// Sets have no order on the wire; keeping one lets a diff name the same element by the same position.
func (t table) inLine(like table) table {
	t.Attributes = ordered(t.Attributes, like.Attributes, func(a attribute) string { return a.Name })
	t.Indexes = ordered(t.Indexes, like.Indexes, func(i index) string { return i.Name })
	return t.projecting(like)
}

func ordered[T any](all, like []T, name func(T) string) []T {
	position := func(of T) uint { // the highest of all, where it is not there
		return uint(slices.IndexFunc(like, func(other T) bool { return name(other) == name(of) }))
	}
	return slices.SortedFunc(slices.Values(all), func(a, b T) int {
		return cmp.Or(cmp.Compare(position(a), position(b)), strings.Compare(name(a), name(b)))
	})
}

// projecting returns t with the attributes that its indexes include in the order of another table, where they are the same.
func (t table) projecting(like table) table {
	t.Indexes = slices.Clone(t.Indexes)
	for n, i := range t.Indexes {
		if other, ok := like.index(i.Name); ok && sameSet(i.NonKey, other.NonKey) {
			t.Indexes[n].NonKey = other.NonKey
		}
	}
	return t
}

// inputs returns the inputs that would give this table, as far as the program mentions them: what the refreshed state
// shows as the program's side.
func (t table) inputs(before resource.PropertyMap) resource.PropertyMap {
	inputs, now := before.Copy(), t.outputs()
	for _, name := range compareTables(tableFrom(before), t, before).diffs {
		// What is equal in effect keeps the program's own spelling.
		if key := resource.PropertyKey(name); slices.Contains(tableInputs.implemented, name) && inputs.HasValue(key) {
			inputs[key] = now[key]
		}
	}
	return inputs
}

// as is a value that has a type of Go; what that has without a value, where it has another.
func as[T any](v resource.PropertyValue) T {
	is, _ := v.V.(T)
	return is
}

func text(v resource.PropertyValue) string                   { return as[string](v) }
func number(v resource.PropertyValue) float64                { return as[float64](v) }
func object(v resource.PropertyValue) resource.PropertyMap   { return as[resource.PropertyMap](v) }
func list(v resource.PropertyValue) []resource.PropertyValue { return as[[]resource.PropertyValue](v) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func element(name string, position int) string { return fmt.Sprintf("%s[%d]", name, position) }
