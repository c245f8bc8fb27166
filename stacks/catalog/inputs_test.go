package catalog_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
)

// The inputs that the Pulumi programs send are held against the published types of the real aws provider:
// names, types, and which inputs are required.
//
// The types are those of the Go SDK github.com/pulumi/pulumi-aws/sdk/v6 that go.mod pins and go.sum has the digest of. It is
// generated from the provider's schema; the schema itself (schema.json) is published in no package registry. The SDK
// says nothing about defaults and about the rules between inputs, so those are not checked here, nor about which changes
// replace a resource: see Replacing.

// inputs are the SDK's types of inputs, by the token of the resource. Their fields carry the provider's names.
var inputs = map[string]reflect.Type{
	"aws:dynamodb/table:Table":                   dynamodb.TableArgs{}.ElementType(),
	"aws:dynamodb/resourcePolicy:ResourcePolicy": dynamodb.ResourcePolicyArgs{}.ElementType(),
	"aws:iam/policy:Policy":                      iam.PolicyArgs{}.ElementType(),
	"pulumi:providers:aws":                       aws.ProviderArgs{}.ElementType(),
}

// Replacing are the inputs whose change makes a new resource, by the token of the resource, of those that the programs
// may send. DynamoDB's UpdateTable can change neither a table's name nor its key, and a managed policy keeps its name,
// path and description.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTable.html
//
// No published package says it for the provider, so it is transcribed by hand from the source that the provider is
// built on: what is marked ForceNew or RequiresReplace in internal/service/dynamodb/{table,resource_policy}.go and
// internal/service/iam/policy.go of github.com/hashicorp/terraform-provider-aws.
var Replacing = map[string][]string{
	"aws:dynamodb/table:Table":                   {"hashKey", "name", "rangeKey"},
	"aws:dynamodb/resourcePolicy:ResourcePolicy": {"resourceArn"},
	"aws:iam/policy:Policy":                      {"description", "name", "path"},
}

// Check returns everything about the inputs of a resource that the provider's types do not allow: an unknown resource, an
// unknown name, a value of another type, a required input that is missing. Values are plain maps, lists, texts,
// float64 and bool, as a mock of Pulumi's records them. A provider takes its own inputs as JSON texts.
func Check(token string, values map[string]any) error {
	of, known := inputs[token]
	if !known {
		return fmt.Errorf("%s: expected one of %s: enter the SDK's type of its inputs", token, strings.Join(slices.Sorted(maps.Keys(inputs)), ", "))
	}
	return errors.Join(object(token, of, values)...)
}

// object checks the properties of an object.
func object(where string, of reflect.Type, values map[string]any) []error {
	var problems []error
	fields := map[string]reflect.Type{}
	for i := range of.NumField() {
		if name, tagged := of.Field(i).Tag.Lookup("pulumi"); tagged {
			fields[strings.Split(name, ",")[0]] = of.Field(i).Type
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		of, known := fields[name]
		if !known {
			problems = append(problems, fmt.Errorf("%s: expected one of %s, found %q", where, strings.Join(slices.Sorted(maps.Keys(fields)), ", "), name))
			continue
		}
		problems = append(problems, value(where+"."+name, of, values[name])...)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if _, given := values[name]; !given && required(fields[name]) {
			problems = append(problems, fmt.Errorf("%s: expected %s, which is required, found none", where, name))
		}
	}
	return problems
}

// required reports whether the SDK's plain type of an input has no way to say that it is absent. Lists and maps, which
// have, are never required among the resources here.
func required(of reflect.Type) bool {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return false
	}
	return true
}

// value checks a value against the SDK's plain type.
func value(where string, of reflect.Type, found any) []error {
	wrong := func(expected string) []error {
		return []error{fmt.Errorf("%s: expected %s, found %T %v", where, expected, found, found)}
	}
	switch of.Kind() {
	case reflect.Pointer:
		return value(where, of.Elem(), found)
	case reflect.Interface: // several types are allowed, such as a policy as text or as document
		return nil
	case reflect.String:
		if _, ok := found.(string); !ok {
			return wrong("a text")
		}
	case reflect.Bool:
		if _, ok := found.(bool); !ok {
			return wrong("true or false")
		}
	case reflect.Int:
		if number, ok := found.(float64); !ok || number != math.Trunc(number) {
			return wrong("a whole number")
		}
	case reflect.Slice:
		elements, ok := found.([]any)
		if !ok {
			return wrong("a list")
		}
		var problems []error
		for i, element := range elements {
			problems = append(problems, value(fmt.Sprintf("%s[%d]", where, i), of.Elem(), element)...)
		}
		return problems
	case reflect.Map:
		members, ok := found.(map[string]any)
		if !ok {
			return wrong("a map")
		}
		var problems []error
		for _, key := range slices.Sorted(maps.Keys(members)) {
			problems = append(problems, value(where+"."+key, of.Elem(), members[key])...)
		}
		return problems
	case reflect.Struct:
		members, ok := found.(map[string]any)
		if !ok {
			return wrong("an object")
		}
		return object(where, of, members)
	default:
		return wrong("a type that this check knows, not " + of.String())
	}
	return nil
}
