package localaws

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
)

// properties returns the Pulumi names in the struct tags of an SDK type.
func properties(t *testing.T, of reflect.Type) []string {
	t.Helper()
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	var names []string
	for i := range of.NumField() {
		if name, ok := of.Field(i).Tag.Lookup("pulumi"); ok {
			names = append(names, strings.Split(name, ",")[0])
		}
	}
	if len(names) == 0 {
		t.Fatalf("expected pulumi tags on %s, found none", of)
	}
	slices.Sort(names)
	return names
}

// TestEveryInputOfTheSDKIsToldApart holds what is implemented against the SDK's own types, both ways: each name exists there, and
// what exists there beside them is refused by its name.
func TestEveryInputOfTheSDKIsToldApart(t *testing.T) {
	for _, of := range []resourceInputs{tableInputs, tablePolicyInputs, rolePolicyInputs} {
		understood := append(slices.Clone(of.implemented), sortedKeys(of.defaultOnly)...)
		for _, name := range of.replacing {
			assert.Contains(t, of.implemented, name, of.token)
		}
		refused := 0
		var walk func(prefix string, sdk reflect.Type, whole func(resource.PropertyMap) resource.PropertyMap)
		walk = func(prefix string, sdk reflect.Type, whole func(resource.PropertyMap) resource.PropertyMap) {
			for _, name := range properties(t, sdk) {
				at := slices.Index(understood, prefix+name)
				if at < 0 {
					refused++
					c := &checker{}
					of.check(c, whole(resource.PropertyMap{propertyKey(name): resource.NewProperty("x")}))
					if len(c.failures) != 1 || !strings.HasSuffix(c.failures[0].property, name) || !strings.Contains(c.failures[0].reason, "localaws does not implement this property of "+of.token) {
						t.Errorf("%s: expected %s%s to be refused by its name, found %v", of.token, prefix, name, c.failures)
					}
					continue
				}
				understood = slices.Delete(understood, at, at+1)
				switch typ := property(sdk, name); {
				case typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Struct:
					walk(prefix+name+".", typ.Elem(), func(inner resource.PropertyMap) resource.PropertyMap {
						return whole(resource.PropertyMap{propertyKey(name): resource.NewProperty([]resource.PropertyValue{resource.NewProperty(inner)})})
					})
				case typ.Kind() == reflect.Pointer && typ.Elem().Kind() == reflect.Struct:
					walk(prefix+name+".", typ.Elem(), func(inner resource.PropertyMap) resource.PropertyMap {
						return whole(resource.PropertyMap{propertyKey(name): resource.NewProperty(inner)})
					})
				}
			}
		}
		walk("", of.sdk, func(props resource.PropertyMap) resource.PropertyMap { return props })
		if len(understood) > 0 {
			t.Errorf("%s: expected names of the SDK's, found %v", of.token, understood)
		}
		if want := map[string]int{tableToken: 12, tablePolicyToken: 0, rolePolicyToken: 1}[of.token]; refused != want {
			t.Errorf("%s: expected %d inputs to be refused, found %d; a new one of the SDK is entered here", of.token, want, refused)
		}
	}
}

// TestEveryOutputExistsInTheSDK holds the names in the state against the SDK's types, nested ones too.
func TestEveryOutputExistsInTheSDK(t *testing.T) {
	full := table{
		Name: "t", HashKey: "h", RangeKey: "r",
		Attributes: []attribute{{"h", "S"}},
		Indexes:    []index{{Name: "i", HashKey: "h", RangeKey: "r", Projection: "INCLUDE", NonKey: []string{"x"}}},
		Tags:       map[string]string{"k": "v"},
	}
	outputs := full.outputs()
	for of, given := range map[reflect.Type]resource.PropertyMap{
		reflect.TypeFor[dynamodb.Table]():                     outputs,
		reflect.TypeFor[dynamodb.TableAttribute]():            object(list(outputs["attributes"])[0]),
		reflect.TypeFor[dynamodb.TableGlobalSecondaryIndex](): object(list(outputs["globalSecondaryIndexes"])[0]),
		reflect.TypeFor[dynamodb.TableTtl]():                  object(outputs["ttl"]),
		reflect.TypeFor[dynamodb.TablePointInTimeRecovery]():  object(outputs["pointInTimeRecovery"]),
		reflect.TypeFor[dynamodb.ResourcePolicy]():            tablePolicyOutputs("a", "b", "c"),
		reflect.TypeFor[iam.Policy]():                         rolePolicyOutputs(nil),
	} {
		known := append(properties(t, of), "id")
		assert.NotEmpty(t, given, of)
		for key := range given {
			assert.Contains(t, known, string(key), "output of %s: the SDK has no such property", of)
		}
	}
	for _, name := range computed {
		assert.Contains(t, append(properties(t, reflect.TypeFor[dynamodb.Table]()), "id"), name, "computed output %s: the SDK's Table has no such property", name)
	}
}

func TestConfigurationNamesExistInTheSDK(t *testing.T) {
	known := properties(t, aws.ProviderArgs{}.ElementType())
	for _, name := range acceptedConfig {
		assert.Contains(t, known, name, "configuration %s: the SDK's provider has no such property", name)
	}
	assert.Contains(t, properties(t, reflect.TypeFor[aws.ProviderEndpoint]()), "dynamodb", "expected dynamodb among the SDK's endpoints")
}

// versions notes the provider version that the SDK asks for.
type versions struct{ asked string }

func (v *versions) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	if args.TypeToken == tableToken {
		v.asked = args.RegisterRPC.GetVersion()
	}
	return "id", args.Inputs, nil
}

func (*versions) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) { return nil, nil }

// TestVersionIsThatOfTheSDK holds the version that the provider reports against the one that the linked SDK asks for.
func TestVersionIsThatOfTheSDK(t *testing.T) {
	v := &versions{}
	err := pulumi.RunErr(func(ctx *pulumi.Context) error {
		_, err := dynamodb.NewTable(ctx, "t", &dynamodb.TableArgs{})
		return err
	}, pulumi.WithMocks("p", "s", v))
	if err != nil || v.asked != sdkVersion {
		t.Errorf("expected sdkVersion %q, found %q (%v): correct schema.go", v.asked, sdkVersion, err)
	}
}
