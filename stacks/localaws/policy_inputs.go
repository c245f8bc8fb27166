package localaws

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// policyInputs classifies the inputs of a resource that holds a policy document in the text "policy".
type policyInputs struct {
	token string
	// implemented are understood and are texts; refused are those of the real provider that are not; defaultOnly are
	// accepted with their default alone.
	implemented, refused []string
	defaultOnly          map[string]any
	// replacing are the inputs whose change needs a new resource.
	replacing []string
	// tagged says whether the resource has the map of texts "tags".
	tagged bool
}

// names refuses every property that is not implemented or that is no text.
func (p policyInputs) names(props resource.PropertyMap) []failure {
	c := &checker{}
	for _, key := range props.StableKeys() {
		name, v := string(key), props[key]
		only, hasDefault := p.defaultOnly[name]
		switch {
		case strings.HasPrefix(name, "__") || v.IsNull():
		case hasDefault:
			if v.ContainsUnknowns() || v.Mappable() != only {
				c.fail(name, "localaws implements the default %v only, found %v: remove it, or deploy against AWS with the pulumi command", only, v.Mappable())
			}
		case slices.Contains(p.implemented, name):
			if !v.ContainsUnknowns() && !v.IsString() {
				c.wrongType(name, "a string", v)
			}
		case p.tagged && name == "tags":
			if !v.ContainsUnknowns() && (!v.IsObject() || slices.ContainsFunc(slices.Collect(maps.Values(v.ObjectValue())), func(e resource.PropertyValue) bool { return !e.IsString() })) {
				c.wrongType(name, "a map of strings", v)
			}
		case slices.Contains(p.refused, name):
			c.fail(name, "localaws does not implement this property of %s: remove it, or deploy against AWS with the pulumi command", p.token)
		default:
			c.fail(name, "%s has no such property: correct the name", p.token)
		}
	}
	return c.failures
}

// document checks the size of the input "policy" and that it is JSON; what its statements mean is AWS's to judge. limit is in
// characters, and DynamoDB counts white space where IAM does not.
func (c *checker) document(props resource.PropertyMap, limit int, countsSpace bool) {
	v := props["policy"]
	if v.ContainsUnknowns() {
		return
	}
	document := text(v)
	if !countsSpace {
		document = strings.Join(strings.Fields(document), "")
	}
	var parsed map[string]any
	switch {
	case document == "":
		c.fail("policy", "expected a policy document, found none: set policy")
	case json.Unmarshal([]byte(text(v)), &parsed) != nil:
		c.fail("policy", "expected a JSON object, found %.60q: correct the policy document", text(v))
	case len(document) > limit:
		c.fail("policy", "expected at most %d characters, found %d: shorten the policy document", limit, len(document))
	}
}

// diff compares state and inputs. A policy document differs when it means something else: the order of its lists, and a
// text in place of a list of one, do not matter.
func (p policyInputs) diff(state, inputs resource.PropertyMap) *pulumirpc.DiffResponse {
	d := differ{replacing: p.replacing}
	for _, name := range p.implemented {
		key := resource.PropertyKey(name)
		now, has := inputs[key]
		old := state[key]
		switch {
		case !has && name != "description":
			continue // it has a default, which Check has written down
		case now.ContainsUnknowns():
		case name == "policy" && sameDocument(text(old), text(now)), text(old) == text(now):
			continue
		}
		d.note(name, kindOf(text(old) != "", has))
	}
	if old, now := object(state["tags"]), object(inputs["tags"]); p.tagged && !(len(old) == 0 && len(now) == 0) && !old.DeepEquals(now) {
		d.note("tags", kindOf(len(old) > 0, len(now) > 0))
	}
	return d.response()
}

// planned is the state of a policy that a preview shows: the inputs, and of the computed outputs what the state knows.
func planned(state, inputs resource.PropertyMap, computed ...string) resource.PropertyMap {
	planned := inputs.Copy()
	for _, name := range append([]string{"id"}, computed...) {
		key := resource.PropertyKey(name)
		planned[key] = resource.MakeComputed(resource.NewProperty(""))
		if old, ok := state[key]; ok {
			planned[key] = old
		}
	}
	return planned
}

// sameDocument reports whether two policy documents mean the same.
func sameDocument(one, other string) bool {
	var a, b any
	if json.Unmarshal([]byte(one), &a) != nil || json.Unmarshal([]byte(other), &b) != nil {
		return one == other
	}
	return reflect.DeepEqual(canonical(a), canonical(b))
}

// canonical sorts lists, none of which has an order in a policy document, and writes a list of one text as the text.
func canonical(v any) any {
	switch v := v.(type) {
	case map[string]any:
		sorted := map[string]any{}
		for key, value := range v {
			sorted[key] = canonical(value)
		}
		return sorted
	case []any:
		elements := make([]any, len(v))
		for i, element := range v {
			elements[i] = canonical(element)
		}
		if len(elements) == 1 {
			return elements[0]
		}
		slices.SortFunc(elements, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		return elements
	}
	return v
}
