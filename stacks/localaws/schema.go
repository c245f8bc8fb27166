package localaws

import (
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// What the provider serves.
const (
	tableToken       = "aws:dynamodb/table:Table"
	tablePolicyToken = "aws:dynamodb/resourcePolicy:ResourcePolicy"
	rolePolicyToken  = "aws:iam/policy:Policy"
)

// sdkVersion is the version of pulumi-aws whose resource this provider imitates.
const sdkVersion = "6.83.2"

// resourceInputs says what of the inputs of a resource is understood. Names and types are those of the real provider's SDK.
type resourceInputs struct {
	token string
	sdk   reflect.Type
	// implemented are understood, those of nested objects as "object.property".
	implemented []string
	// defaultOnly are accepted with their default value alone: it is what a resource without them has, so accepting it
	// promises nothing that is not there.
	defaultOnly map[string]any
	// replacing are those whose change needs a new resource.
	replacing []string
}

// Replacing are the inputs of a table whose change makes a new table.
var Replacing = []string{"name", "hashKey", "rangeKey"}

var (
	tableInputs = resourceInputs{
		token: tableToken, sdk: dynamodb.TableArgs{}.ElementType(),
		implemented: strings.Fields(`
			name hashKey rangeKey attributes attributes.name attributes.type billingMode readCapacity writeCapacity
			globalSecondaryIndexes globalSecondaryIndexes.name globalSecondaryIndexes.hashKey globalSecondaryIndexes.rangeKey
			globalSecondaryIndexes.projectionType globalSecondaryIndexes.nonKeyAttributes
			globalSecondaryIndexes.readCapacity globalSecondaryIndexes.writeCapacity
			ttl ttl.enabled ttl.attributeName pointInTimeRecovery pointInTimeRecovery.enabled tags deletionProtectionEnabled`),
		defaultOnly: map[string]any{"streamEnabled": false, "tableClass": standardClass},
		replacing:   Replacing,
	}
	tablePolicyInputs = resourceInputs{
		token: tablePolicyToken, sdk: dynamodb.ResourcePolicyArgs{}.ElementType(),
		implemented: []string{"resourceArn", "policy"},
		defaultOnly: map[string]any{"confirmRemoveSelfResourceAccess": false},
		replacing:   []string{"resourceArn"},
	}
	rolePolicyInputs = resourceInputs{
		token: rolePolicyToken, sdk: iam.PolicyArgs{}.ElementType(),
		implemented: []string{"name", "path", "description", "policy", "tags"},
		replacing:   []string{"name", "path", "description"},
	}
)

// compared are the names of the inputs whose difference is one of the resource, in the order of reading.
func (r resourceInputs) compared() []string {
	names := slices.Concat(r.implemented, sortedKeys(r.defaultOnly))
	return slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, ".") })
}

// property is the SDK's plain type of a property; nil where it has none of this name.
func property(of reflect.Type, name string) reflect.Type {
	for i := range of.NumField() {
		if tag, _, _ := strings.Cut(of.Field(i).Tag.Get("pulumi"), ","); tag == name {
			return of.Field(i).Type
		}
	}
	return nil
}

// check refuses every property that the real provider does not have, that is not implemented, or that has another type.
func (r resourceInputs) check(c *checker, props resource.PropertyMap) {
	r.object(c, nil, "", r.sdk, props)
}

func (r resourceInputs) object(c *checker, path resource.PropertyPath, prefix string, of reflect.Type, props resource.PropertyMap) {
	for _, key := range props.StableKeys() {
		v, name, at := props[key], prefix+string(key), append(slices.Clone(path), string(key))
		if strings.HasPrefix(string(key), "__") || v.IsNull() {
			continue // "__defaults" is the real provider's bookkeeping in a state that it wrote
		}
		only, hasDefault := r.defaultOnly[name]
		switch typ := property(of, string(key)); {
		case typ == nil:
			c.fail(at.String(), "%s has no such property: correct the name", r.token)
		case hasDefault && (v.ContainsUnknowns() || v.Mappable() != only):
			c.fail(at.String(), "localaws implements the default %v only, found %v: remove it, or deploy against AWS with the pulumi command", only, v.Mappable())
		case hasDefault:
		case !slices.Contains(r.implemented, name):
			c.fail(at.String(), "localaws does not implement this property of %s: remove it, or deploy against AWS with the pulumi command", r.token)
		default:
			r.value(c, at, name, typ, v)
		}
	}
}

func (r resourceInputs) value(c *checker, path resource.PropertyPath, name string, of reflect.Type, v resource.PropertyValue) {
	want, is := "a string", v.IsString()
	switch of.Kind() {
	case reflect.Pointer:
		r.value(c, path, name, of.Elem(), v)
		return
	case reflect.Slice:
		if want, is = "a list", v.IsArray(); is {
			for i, e := range v.ArrayValue() {
				r.value(c, append(slices.Clone(path), i), name, of.Elem(), e)
			}
		}
	case reflect.Map:
		if want, is = "a map of strings", v.IsObject(); is {
			for _, key := range v.ObjectValue().StableKeys() {
				if !strings.HasPrefix(string(key), "__") {
					r.value(c, append(slices.Clone(path), string(key)), name, of.Elem(), v.ObjectValue()[key])
				}
			}
		}
	case reflect.Struct:
		if want, is = "an object", v.IsObject(); is {
			r.object(c, path, name+".", of, v.ObjectValue())
		}
	case reflect.Int:
		want, is = "a number", v.IsNumber()
	case reflect.Bool:
		want, is = "true or false", v.IsBool()
	}
	if !is && !v.IsComputed() && !v.IsOutput() {
		c.fail(path.String(), "expected %s, found %v", want, v.Mappable())
	}
}
