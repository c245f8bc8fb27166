package localaws

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

func propertyKey(name string) resource.PropertyKey { return resource.PropertyKey(name) }

// inputs is a table that passes every check, changed by the caller.
func inputs(change map[string]any) resource.PropertyMap {
	return resource.NewPropertyMapFromMap(with(map[string]any{
		"name": "orders", "hashKey": "pk", "rangeKey": "sk", "billingMode": "PAY_PER_REQUEST",
		"attributes": []any{
			map[string]any{"name": "pk", "type": "S"}, map[string]any{"name": "sk", "type": "S"}, map[string]any{"name": "day", "type": "N"},
		},
		"globalSecondaryIndexes": []any{map[string]any{"name": "by-day", "hashKey": "day", "projectionType": "ALL"}},
		"ttl":                    map[string]any{"enabled": true, "attributeName": "expiresAt"},
		"tags":                   map[string]any{"Team": "orders"},
	}, change))
}

func index1(change map[string]any) []any {
	return []any{with(map[string]any{"name": "by-day", "hashKey": "day", "projectionType": "ALL"}, change)}
}

func TestCheckTable(t *testing.T) {
	type row struct {
		Name     string
		Change   map[string]any
		Property string // of the first failure; empty when there is none
		Words    string
	}
	computed := map[string]any{"name": resource.MakeComputed(resource.NewProperty("")), "tags": resource.MakeComputed(resource.NewProperty(""))}
	for _, row := range append(tabletest.Read[[]row](t, "tables.yaml"), row{Name: "unknown name in a preview", Change: computed}) {
		t.Run(row.Name, func(t *testing.T) {
			failures := checkTable(inputs(row.Change))
			if row.Property == "" {
				assert.Empty(t, failures, "expected no failure")
				return
			}
			assert.True(t, slices.ContainsFunc(failures, func(f *pulumirpc.CheckFailure) bool {
				return f.Property == row.Property && strings.Contains(f.Reason, row.Words)
			}), "expected a failure of %s with %q, found %v", row.Property, row.Words, failures)
		})
	}
}

func TestDiffTable(t *testing.T) {
	state := tableFrom(inputs(nil)).outputs()
	type row struct {
		Name     string
		Change   map[string]any
		Want     map[string]string
		Replaces []string
	}
	for _, row := range append(tabletest.Read[[]row](t, "table_diffs.yaml"), row{
		Name: "unknown in a preview", Change: map[string]any{"hashKey": resource.MakeComputed(resource.NewProperty(""))},
		Want: map[string]string{"hashKey": "UPDATE_REPLACE"}, Replaces: []string{"hashKey"},
	}) {
		t.Run(row.Name, func(t *testing.T) {
			d := tabletest.Must(tables{}.diff(state, inputs(row.Change), nil))(t)
			var got map[string]string
			for path, p := range d.DetailedDiff {
				if got == nil {
					got = map[string]string{}
				}
				got[path] = p.Kind.String()
			}
			assert.Empty(t, cmp.Diff(row.Want, got), "differences (-want +got)")
			assert.Empty(t, cmp.Diff(row.Replaces, d.Replaces), "replacements (-want +got)")
		})
	}
}

// TestReplacementsDeleteFirst holds the order of a replacement against the real provider's bridge: a resource whose program
// gives its name is deleted first, also when the name is what changes.
func TestReplacementsDeleteFirst(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name                  string
		Policy, MadeUp, First bool
		Change                map[string]any
	}](t, "replacements.yaml") {
		of, before, after := resourceType(tables{}), inputs(nil), inputs(row.Change)
		if row.Policy {
			role := map[string]any{"name": "n", "path": "/", "policy": "{}"}
			of, before, after = rolePolicies{}, resource.NewPropertyMapFromMap(role), resource.NewPropertyMapFromMap(with(role, row.Change))
		}
		if row.MadeUp {
			after[defaults] = resource.NewProperty([]resource.PropertyValue{resource.NewProperty("name")})
		}
		d, err := of.diff(before, after, nil)
		require.NoError(t, err, row.Name)
		assert.Equal(t, row.First, d.DeleteBeforeReplace, row.Name)
	}
}

// TestRetypedKeysAreRefused holds that a key keeps its type as long as the table is the same.
func TestRetypedKeysAreRefused(t *testing.T) {
	retyping := map[string]any{"attributes": []any{
		map[string]any{"name": "pk", "type": "S"}, map[string]any{"name": "sk", "type": "S"}, map[string]any{"name": "day", "type": "S"},
	}}
	failures := retyped(inputs(nil), inputs(retyping))
	require.Len(t, failures, 1)
	assert.Equal(t, "attributes[2].type", failures[0].Property)
	assert.Contains(t, failures[0].Reason, `expected the type N, which key attribute "day" has`)
	retyping["name"] = "other"
	for name, pair := range map[string][2]resource.PropertyMap{
		"of a new table":     {nil, inputs(retyping)},
		"of a renamed table": {inputs(nil), inputs(retyping)},
		"that stays":         {inputs(nil), inputs(nil)},
	} {
		assert.Empty(t, retyped(pair[0], pair[1]), "a type %s: expected no failure", name)
	}
}

// TestUpdateOrder reads the steps of an update that changes everything.
func TestUpdateOrder(t *testing.T) {
	update := tabletest.Read[struct {
		Have, Want map[string]any
		Order      []string
	}](t, "update.yaml")
	have, want, one := live{table: tabletest.As[table](t, update.Have)}, tabletest.As[table](t, update.Want), capacity{1, 1}
	const settled = `change billing mode, capacity, capacity of index "kept", stream, deletion protection`
	// reached plays an endpoint that does what it is asked.
	reached := map[string]func(){
		`delete index "gone"`:           func() { have.Indexes = slices.Delete(have.Indexes, 0, 1) },
		`delete index "changed"`:        func() { have.Indexes = slices.Delete(have.Indexes, 0, 1) },
		"change the table class":        func() { have.Class = standardClass },
		`create index "changed"`:        func() { have.Indexes = append(have.Indexes, want.Indexes[1]) },
		`create index "new"`:            func() { have.Indexes = append(have.Indexes, want.Indexes[2]) },
		"disable TTL":                   func() { have.TTL = ttl{} },
		"enable TTL":                    func() { have.TTL = want.TTL },
		"remove tags":                   func() { have.Tags = map[string]string{} },
		"set tags":                      func() { have.Tags = want.Tags },
		"switch point-in-time recovery": func() { have.PITR = recovery{} },
		settled: func() {
			have.BillingMode, have.capacity, have.Protection, have.StreamView = provisioned, one, false, ""
			have.Indexes[0].capacity = one
		},
	}
	in, _ := settings(live{table: table{BillingMode: provisioned}}, table{BillingMode: provisioned, capacity: one})
	assert.Equal(t, types.BillingModeProvisioned, in.BillingMode, "expected a change of capacity to name the billing mode")
	var got []string
	for s := nextStep(have, want); s != nil && len(got) < 20; s = nextStep(have, want) {
		got = append(got, s.what)
		reached[s.what]()
	}
	assert.Empty(t, cmp.Diff(update.Order, got), "steps (-want +got)")
}

func TestCheckLoopback(t *testing.T) {
	for where, endpoints := range tabletest.Read[map[string][]string](t, "endpoints.yaml") {
		for _, endpoint := range endpoints {
			assert.Equal(t, where == "here", CheckLoopback(endpoint) == nil, endpoint)
		}
	}
}

const denying = `{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":"dynamodb:Scan","Resource":["a","b"]}]}`

func TestSameDocument(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, A, B string
		Same       bool
	}](t, "documents.yaml") {
		assert.Equal(t, row.Same, sameDocument(row.A, row.B), row.Name)
	}
}

func TestCheckPolicies(t *testing.T) {
	const arn = "arn:aws:dynamodb:eu-west-1:000000000000:table/orders"
	c := dialServer(t, tabletest.Must(Serve())(t))
	type row struct {
		Name, Token string
		Inputs      map[string]any
		Property    string // empty when there is no failure
		Words       string
	}
	for _, row := range append(tabletest.Read[[]row](t, "policies.yaml"), []row{
		{"white space counts for a table", tablePolicyToken, map[string]any{"resourceArn": arn, "policy": denying + strings.Repeat(" ", 20*1024)}, "policy", "at most 20480"},
		{"white space does not count for a role", rolePolicyToken, map[string]any{"policy": denying + strings.Repeat(" ", 7000)}, "", ""},
		{"too long for a role", rolePolicyToken, map[string]any{"policy": strings.Replace(denying, "Deny", strings.Repeat("D", 6144), 1)}, "policy", "at most 6144"},
		{"description", rolePolicyToken, map[string]any{"policy": denying, "description": strings.Repeat("d", 1001)}, "description", "at most 1000"},
	}...) {
		t.Run(row.Name, func(t *testing.T) {
			answer := tabletest.Must(c.Check(t.Context(), &pulumirpc.CheckRequest{
				Urn: "urn:pulumi:s::p::" + row.Token + "::r", News: structOf(t, row.Inputs), RandomSeed: []byte("seed"),
			}))(t)
			if row.Property == "" {
				require.Empty(t, answer.Failures)
				return
			}
			require.Len(t, answer.Failures, 1)
			assert.Equal(t, row.Property, answer.Failures[0].Property)
			assert.Contains(t, answer.Failures[0].Reason, row.Words)
		})
	}
}

func TestDiffPolicies(t *testing.T) {
	c := dialServer(t, tabletest.Must(Serve())(t))
	for _, row := range tabletest.Read[[]struct {
		Name            string
		Table, Replaces bool
		Before, Change  map[string]any
		Differs, Kind   string
	}](t, "policy_diffs.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			token, policy := rolePolicyToken, map[string]any{"name": "n", "path": "/", "description": "d", "policy": denying}
			if row.Table {
				token, policy = tablePolicyToken, map[string]any{"resourceArn": "a", "policy": denying}
			}
			before := with(policy, row.Before)
			d := tabletest.Must(c.Diff(t.Context(), &pulumirpc.DiffRequest{
				Urn: "urn:pulumi:s::p::" + token + "::r", Olds: structOf(t, before), News: structOf(t, with(before, row.Change)),
			}))(t)
			if row.Differs == "" {
				assert.Empty(t, d.Diffs)
				assert.Equal(t, pulumirpc.DiffResponse_DIFF_NONE, d.Changes)
				return
			}
			assert.Equal(t, []string{row.Differs}, d.Diffs)
			assert.Equal(t, row.Replaces, slices.Equal(d.Replaces, d.Diffs), "found replacements by %v", d.Replaces)
			assert.Equal(t, row.Replaces, len(d.Replaces) > 0)
			assert.Equal(t, row.Kind, d.DetailedDiff[row.Differs].GetKind().String())
			assert.Equal(t, pulumirpc.DiffResponse_DIFF_SOME, d.Changes)
		})
	}
}

// with are properties after a change; nil takes one away.
func with(properties, change map[string]any) map[string]any {
	changed := maps.Clone(properties)
	maps.Copy(changed, change)
	maps.DeleteFunc(changed, func(_ string, value any) bool { return value == nil })
	return changed
}

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
	require.NotEmpty(t, names, "expected pulumi tags on %s", of)
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
					if len(c.failures) != 1 || !strings.HasSuffix(c.failures[0].Property, name) || !strings.Contains(c.failures[0].Reason, "localaws does not implement this property of "+of.token) {
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
		assert.Empty(t, understood, "%s: expected names of the SDK's", of.token)
		assert.Equal(t, map[string]int{tableToken: 12, tablePolicyToken: 0, rolePolicyToken: 1}[of.token], refused,
			"%s: expected as many inputs to be refused; a new one of the SDK is entered here", of.token)
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
		reflect.TypeFor[dynamodb.Table]():                     tables{}.planned(nil, inputs(nil), nil),
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
	require.NoError(t, err, "expected sdkVersion %q, found %q (%v): correct schema.go", v.asked, sdkVersion, err)
	assert.Equal(t, sdkVersion, v.asked, "expected sdkVersion %q, found %q (%v): correct schema.go", v.asked, sdkVersion, err)
}
