package localaws

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
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

// tableInputs is the SDK's unexported tableArgs, which has the tags of the inputs.
func tableInputs(t *testing.T) reflect.Type {
	t.Helper()
	return dynamodb.TableArgs{}.ElementType()
}

// TestEverySDKInputIsClassified holds the provider's property names against the SDK's own types, both ways: a misspelt name
// has no counterpart, and an input of a newer SDK that is neither implemented nor refused is noticed.
func TestEverySDKInputIsClassified(t *testing.T) {
	nested := map[string]reflect.Type{
		"attributes":             reflect.TypeFor[dynamodb.TableAttribute](),
		"globalSecondaryIndexes": reflect.TypeFor[dynamodb.TableGlobalSecondaryIndex](),
		"ttl":                    reflect.TypeFor[dynamodb.TableTtl](),
		"pointInTimeRecovery":    reflect.TypeFor[dynamodb.TablePointInTimeRecovery](),
	}
	classified := slices.Clone(refused)
	for name, nested := range implemented {
		classified = append(classified, name)
		for _, n := range nested {
			classified = append(classified, name+"."+n)
		}
	}
	classified = append(classified, sortedKeys(defaultOnly)...)
	slices.Sort(classified)
	sdk := properties(t, tableInputs(t))
	for object, of := range nested {
		for _, name := range properties(t, of) {
			sdk = append(sdk, object+"."+name)
		}
	}
	slices.Sort(sdk)
	if d := cmp.Diff(sdk, classified); d != "" {
		t.Errorf("inputs of the SDK against those implemented, refused or accepted at their default (-sdk +localaws):\n%s", d)
	}
	if twice := slices.Compact(slices.Clone(classified)); len(twice) != len(classified) {
		t.Errorf("expected each input to be classified once, found %v", classified)
	}
}

// TestMisspeltNameIsFound proves that the comparison above can fail.
func TestMisspeltNameIsFound(t *testing.T) {
	if slices.Contains(properties(t, tableInputs(t)), "globalSecondaryIndices") {
		t.Error("expected the SDK to know globalSecondaryIndexes only")
	}
	if d := cmp.Diff([]string{"attributeName", "enabled"}, properties(t, reflect.TypeFor[dynamodb.TableTtl]())); d != "" {
		t.Errorf("properties of TableTtl (-want +got):\n%s", d)
	}
}

// TestEveryOutputExistsInTheSDK holds the names in the state against the SDK's Table, nested ones too.
func TestEveryOutputExistsInTheSDK(t *testing.T) {
	known := append(properties(t, reflect.TypeFor[dynamodb.Table]()), "id")
	full := table{
		Name: "t", HashKey: "h", RangeKey: "r",
		Attributes: []attribute{{"h", "S"}},
		Indexes:    []index{{Name: "i", HashKey: "h", RangeKey: "r", Projection: "INCLUDE", NonKey: []string{"x"}}},
		Tags:       map[string]string{"k": "v"},
	}
	outputs := full.outputs()
	for key := range outputs {
		if !slices.Contains(known, string(key)) {
			t.Errorf("output %s: the SDK's Table has no such property", key)
		}
	}
	for _, name := range computed {
		if !slices.Contains(known, name) {
			t.Errorf("computed output %s: the SDK's Table has no such property", name)
		}
	}
	for property, of := range map[string]reflect.Type{
		"attributes":             reflect.TypeFor[dynamodb.TableAttribute](),
		"globalSecondaryIndexes": reflect.TypeFor[dynamodb.TableGlobalSecondaryIndex](),
	} {
		for key := range object(list(outputs[propertyKey(property)])[0]) {
			if !slices.Contains(properties(t, of), string(key)) {
				t.Errorf("output %s.%s: the SDK has no such property", property, key)
			}
		}
	}
	for property, of := range map[string]reflect.Type{
		"ttl":                 reflect.TypeFor[dynamodb.TableTtl](),
		"pointInTimeRecovery": reflect.TypeFor[dynamodb.TablePointInTimeRecovery](),
	} {
		for key := range object(outputs[propertyKey(property)]) {
			if !slices.Contains(properties(t, of), string(key)) {
				t.Errorf("output %s.%s: the SDK has no such property", property, key)
			}
		}
	}
}

func TestConfigurationNamesExistInTheSDK(t *testing.T) {
	known := properties(t, aws.ProviderArgs{}.ElementType())
	for _, name := range acceptedConfig {
		if !slices.Contains(known, name) {
			t.Errorf("configuration %s: the SDK's provider has no such property", name)
		}
	}
	if !slices.Contains(properties(t, reflect.TypeFor[aws.ProviderEndpoint]()), "dynamodb") {
		t.Error("expected dynamodb among the SDK's endpoints")
	}
	for _, name := range []string{"id", "name", "description", "endpoint"} {
		if !slices.Contains(properties(t, reflect.TypeFor[aws.GetRegionResult]()), name) {
			t.Errorf("getRegion.%s: the SDK has no such property", name)
		}
	}
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
