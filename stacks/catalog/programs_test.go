package catalog_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/commitcollect"
	"dynaproof/stacks/dryrun"
)

// documented is what a document asks a design's program for.
type documented struct {
	Tables    map[string]asked // by their logical ids
	Registers []registered
	Exports   exported
	Refuses   []refused
}

// asked is what a program asks for one table that is paid by request, and no more than this: its key is one attribute or two, each attribute of
// a key has its type, as "PK S", and an index that projects everything has its name before its key, as "GSI1 GSI1PK GSI1SK".
type asked struct {
	Name            string // with {env} for the environment
	Key, Attributes string
	Indexes         []string
	More            map[string]any
}

// registered is a stack with what its tables are called.
type registered struct {
	Reason, Stack     string
	Settings          map[string]string
	Prefix            string
	Environment, Name string
	Provisioned       bool     // with a capacity of 1 for the table and its indexes
	Providers         []string // beside the default one
}

// exported are the outputs of a stack: what its tables are called, by their logical ids, and their indexes.
type exported struct {
	Stack    string
	Settings map[string]string
	Names    map[string]any
	Indexes  map[string]any
	Region   string
}

// refused is a stack that ends with an error before it has asked for anything, with words of the error.
type refused struct {
	Reason, Stack string
	Settings      map[string]string
	Want          []string
}

// of are the inputs of a table in a stack.
func (a *asked) of(stack *registered) map[string]any {
	name := strings.ReplaceAll(cmp.Or(stack.Name, a.Name), "{env}", stack.Environment)
	table := keyed(map[string]any{"name": stack.Prefix + name, "billingMode": "PAY_PER_REQUEST"}, strings.Fields(a.Key))
	var types, all []any
	for _, one := range strings.Split(a.Attributes, ", ") {
		name, kind, _ := strings.Cut(one, " ")
		types = append(types, map[string]any{"name": name, "type": kind})
	}
	table["attributes"] = types
	for _, one := range a.Indexes {
		parts := strings.Fields(one)
		index := keyed(map[string]any{"name": parts[0], "projectionType": "ALL"}, parts[1:])
		if stack.Provisioned {
			index["readCapacity"], index["writeCapacity"] = 1.0, 1.0
		}
		all = append(all, index)
	}
	if all != nil {
		table["globalSecondaryIndexes"] = all
	}
	maps.Copy(table, a.More)
	if tags, given := a.More["tags"].(map[string]any); given {
		tags = maps.Clone(tags)
		tags["Environment"] = strings.ReplaceAll(tags["Environment"].(string), "{env}", stack.Environment)
		table["tags"] = tags
	}
	if stack.Provisioned {
		table["billingMode"], table["readCapacity"], table["writeCapacity"] = "PROVISIONED", 1.0, 1.0
	}
	return table
}

// keyed adds a key of one or two attributes.
func keyed(inputs map[string]any, key []string) map[string]any {
	inputs["hashKey"] = key[0]
	if len(key) > 1 {
		inputs["rangeKey"] = key[1]
	}
	return inputs
}

func TestProgramsAskForWhatTheDocumentsSay(t *testing.T) {
	for _, design := range catalog.Designs() {
		entry, err := catalog.Find(design)
		require.NoError(t, err)
		says := tabletest.Read[documented](t, design+".yaml")
		assert.NotEmpty(t, says.Registers, "%s: expected what its document asks for", design)
		assert.NotEmpty(t, says.Refuses, "%s: expected what its document asks for", design)
		for _, row := range says.Registers {
			t.Run(design+"/registers/"+row.Reason, func(t *testing.T) {
				want := map[string]map[string]any{}
				for id, table := range says.Tables {
					want[id] = table.of(&row)
				}
				assert.NoError(t, registers(catalog.Program, row.Stack, row.Settings, want, row.Providers...))
			})
		}
		for _, row := range says.Refuses {
			t.Run(design+"/refuses/"+row.Reason, func(t *testing.T) {
				assert.NoError(t, refuses(entry.Program, row.Stack, row.Settings, row.Want...))
			})
		}
		t.Run(design+"/exports", func(t *testing.T) {
			arns := map[string]any{}
			for id, name := range says.Exports.Names {
				arns[id] = "arn:aws:dynamodb:mock-region-1:111122223333:table/" + name.(string)
			}
			want := map[string]any{"tables": says.Exports.Names, "tableArns": arns, "indexes": says.Exports.Indexes, "region": says.Exports.Region, "guardrails": "off"}
			assert.NoError(t, exports(catalog.Program, says.Exports.Stack, says.Exports.Settings, want))
		})
	}
}

// TestRegionWithoutConfiguration holds commit-collect.md:27 against a machine that points elsewhere.
func TestRegionWithoutConfiguration(t *testing.T) {
	t.Setenv("AWS_REGION", "us-east-1")
	result, err := dryrun.Run(commitcollect.Program, "commit-collect.dev", nil)
	require.NoError(t, err)
	if len(result.Providers) != 1 || result.Providers["ap-southeast-2"]["region"] != "ap-southeast-2" {
		t.Errorf("expected one provider for ap-southeast-2, found %v", result.Providers)
	}
	if got := len(result.TablePolicies); got != 4 { // commit-collect.md:18, 175: on without being asked for
		t.Errorf("expected a policy for each of the 4 tables, found %d", got)
	}
	for id := range tabletest.Read[documented](t, "commit-collect.yaml").Tables {
		if ref := result.TableProviders[id]; !strings.Contains(ref, "pulumi:providers:aws::ap-southeast-2::") {
			t.Errorf("%s: expected the provider for ap-southeast-2, found %q", id, ref)
		}
	}
	if got := result.Outputs["region"]; got != "ap-southeast-2" {
		t.Errorf("output region: expected ap-southeast-2, found %v", got)
	}
}

// TestRegionByConfiguration sees that the default provider serves, which is the one that sees all aws:* settings.
func TestRegionByConfiguration(t *testing.T) {
	result, err := dryrun.Run(commitcollect.Program, "commit-collect.dev", map[string]string{
		"aws:region":    "ap-southeast-2",
		"aws:endpoints": `[{"dynamodb":"http://127.0.0.1:8000"}]`,
		"aws:accessKey": "local",
	})
	require.NoError(t, err)
	assert.Empty(t, result.Providers, "expected the default provider")
	for id := range tabletest.Read[documented](t, "commit-collect.yaml").Tables {
		assert.Equal(t, "", result.TableProviders[id], "%s: expected the default provider", id)
	}
	if got := result.Outputs["region"]; got != "ap-southeast-2" {
		t.Errorf("output region: expected ap-southeast-2, found %v", got)
	}
}

// Outputs that rest on no resource are there too, whichever goroutine is the first.
func TestRunAwaitsPlainOutputs(t *testing.T) {
	for range 100 {
		result, err := dryrun.Run(func(ctx *pulumi.Context) error {
			ctx.Export("word", pulumi.String("here"))
			return nil
		}, "design.env", nil)
		require.NoError(t, err)
		require.Empty(t, gocmp.Diff(map[string]any{"word": "here"}, result.Outputs), "outputs (-want +got)")
	}
}

func TestRunRefusesWhatNoDocumentAsksFor(t *testing.T) {
	cases := map[string]struct {
		program pulumi.RunFunc
		want    string
	}{
		"another resource": {
			program: func(ctx *pulumi.Context) error {
				_, err := dynamodb.NewTableItem(ctx, "I", &dynamodb.TableItemArgs{
					HashKey: pulumi.String("id"), Item: pulumi.String("{}"), TableName: pulumi.String("T"),
				})
				return err
			},
			want: `found aws:dynamodb/tableItem:TableItem "I"`,
		},
		"an invoke": {
			program: func(ctx *pulumi.Context) error {
				_, err := dynamodb.LookupTable(ctx, &dynamodb.LookupTableArgs{Name: "T"})
				return err
			},
			want: "found aws:dynamodb/getTable:getTable",
		},
		"an error of the program": {
			program: func(*pulumi.Context) error { return errors.New("refused") },
			want:    "refused",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := dryrun.Run(c.program, "design.env", nil)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

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
