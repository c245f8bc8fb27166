package catalog_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"

	"dynaproof/stacks/catalog"
	"dynaproof/stacks/environment"
	"dynaproof/stacks/localaws"
)

// sent is one resource that a program registers.
type sent struct {
	token, name string
	inputs      map[string]any
}

// recorder records every registration.
type recorder struct {
	arn string // of every resource
	mu  sync.Mutex
	all []sent
}

func (r *recorder) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, sent{args.TypeToken, args.Name, args.Inputs.Mappable()})
	state := args.Inputs.Copy()
	state["arn"] = resource.NewProperty(r.arn)
	return args.Name + "-id", state, nil
}

func (*recorder) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) {
	return resource.PropertyMap{}, nil
}

// run returns what a design's program registers under some configuration.
func run(t *testing.T, design string, config map[string]string) []sent {
	t.Helper()
	entry, err := catalog.Find(design)
	require.NoError(t, err)
	r := &recorder{arn: "arn:aws:dynamodb:mock-region-1:111122223333:table/T"}
	err = pulumi.RunErr(entry.Program, pulumi.WithMocks("dynaproof", design+".dev", r), func(info *pulumi.RunInfo) { info.Config = config })
	require.NoError(t, err)
	return slices.DeleteFunc(r.all, func(s sent) bool {
		return s.token == "pulumi:pulumi:Stack" || s.token == environment.ComponentType // neither has a provider
	})
}

func TestEveryInputOfTheProgramsIsTheProviders(t *testing.T) {
	tables := 0
	check := func(t *testing.T, design string, config map[string]string) {
		for _, s := range run(t, design, config) {
			if s.token == "aws:dynamodb/table:Table" {
				tables++
			}
			if s.token == "pulumi:providers:aws" {
				continue // its inputs are JSON texts, and the engine's own
			}
			assert.NoError(t, Check(s.token, s.inputs), "%s %s", design, s.name)
		}
	}
	for _, design := range catalog.Designs() {
		t.Run(design, func(t *testing.T) { check(t, design, nil) })
	}
	assert.Equal(t, 13, tables, "expected 13 tables")
	check(t, "personal-os", map[string]string{"dynaproof:billingMode": "PROVISIONED"})
	check(t, "fus-main", map[string]string{"dynaproof:tableName": "other"})
}

func TestWrongInputsAreRefused(t *testing.T) {
	const token = "aws:dynamodb/table:Table"
	for _, row := range []struct {
		name   string
		token  string
		change func(map[string]any)
		words  []string
	}{
		{"a misspelt name", token, func(v map[string]any) { v["globalSecondaryIndices"] = []any{} }, []string{"globalSecondaryIndexes", `found "globalSecondaryIndices"`}},
		{"a misspelt name inside", token, func(v map[string]any) { v["ttl"].(map[string]any)["attribute"] = "ttl" }, []string{"Table.ttl", `found "attribute"`}},
		{"a text for a number", token, func(v map[string]any) { v["readCapacity"] = "1" }, []string{"readCapacity", "a whole number"}},
		{"half a unit", token, func(v map[string]any) { v["readCapacity"] = 0.5 }, []string{"a whole number"}},
		{"a text for a flag", token, func(v map[string]any) { v["ttl"].(map[string]any)["enabled"] = "true" }, []string{"true or false"}},
		{"a flag for a text", token, func(v map[string]any) { v["billingMode"] = true }, []string{"billingMode", "a text"}},
		{"an object for a list", token, func(v map[string]any) { v["attributes"] = map[string]any{} }, []string{"a list"}},
		{"a text for an object", token, func(v map[string]any) { v["ttl"] = "ttl" }, []string{"an object"}},
		{"a number for a tag", token, func(v map[string]any) { v["tags"] = map[string]any{"a": 1.0} }, []string{"tags.a", "a text"}},
		{"an attribute without a type", token, func(v map[string]any) { delete(v["attributes"].([]any)[0].(map[string]any), "type") }, []string{"attributes[0]", "type, which is required"}},
		{"an index without a projection", token, func(v map[string]any) {
			delete(v["globalSecondaryIndexes"].([]any)[0].(map[string]any), "projectionType")
		}, []string{"globalSecondaryIndexes[0]", "projectionType, which is required"}},
		{"a resource that nobody entered", "aws:s3/bucket:Bucket", func(map[string]any) {}, []string{"aws:s3/bucket:Bucket", "enter the SDK's type"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			values := run(t, "personal-os", nil)[0].inputs
			require.NoError(t, Check(token, values), "expected the inputs to be right before")
			row.change(values)
			err := Check(row.token, values)
			for _, word := range row.words {
				assert.ErrorContains(t, err, word)
			}
		})
	}
}

// The provider for loopback replaces a table for the same changes.
func TestLocalProviderReplacesForTheSameChanges(t *testing.T) {
	server, err := localaws.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	connection, err := grpc.NewClient("127.0.0.1:"+strconv.Itoa(server.Port()), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	client := pulumirpc.NewResourceProviderClient(connection)
	sends := map[string]map[string]any{} // by token, what one program sends
	// A change of each input that a program may send.
	changes := map[string]map[string]any{
		"aws:dynamodb/table:Table": {
			"name": "other", "hashKey": "SK", "rangeKey": "PK", "billingMode": "PROVISIONED", "readCapacity": 7.0, "writeCapacity": 7.0,
			"ttl": map[string]any{"enabled": false, "attributeName": "ttl"}, "tags": map[string]any{"a": "b"},
			"pointInTimeRecovery": map[string]any{"enabled": true}, "deletionProtectionEnabled": true, "globalSecondaryIndexes": []any{}, "attributes": []any{},
		},
		"aws:dynamodb/resourcePolicy:ResourcePolicy": {
			"resourceArn": "arn:aws:dynamodb:us-east-1:111122223333:table/other", "policy": `{"Version":"2012-10-17","Statement":[]}`,
		},
		"aws:iam/policy:Policy": {
			"name": "other", "path": "/other/", "description": "other", "policy": `{"Version":"2012-10-17","Statement":[]}`,
		},
	}
	for _, design := range catalog.Designs() {
		for _, s := range run(t, design, map[string]string{"dynaproof:guardrails": "enforce"}) {
			for name := range s.inputs {
				if _, tried := changes[s.token][name]; !tried && changes[s.token] != nil {
					t.Errorf("%s: expected a change of %s to be tried", s.token, name)
				}
			}
			sends[s.token] = s.inputs
		}
	}
	found := map[string][]string{}
	for token, changed := range changes {
		require.NotNil(t, sends[token], "%s: expected a program that registers one", token)
		for name, value := range changed {
			news := maps.Clone(sends[token])
			news[name] = value
			response, err := client.Diff(t.Context(), &pulumirpc.DiffRequest{
				Id: "t", Urn: "urn:pulumi:s::p::" + token + "::t", Olds: marshal(t, sends[token]), News: marshal(t, news),
			})
			require.NoError(t, err, "%s, %s", token, name)
			found[token] = append(found[token], response.GetReplaces()...)
		}
		slices.Sort(found[token])
		found[token] = slices.Compact(found[token])
	}
	assert.Empty(t, cmp.Diff(Replacing, found), "inputs whose change replaces a resource (-the provider's +localaws)")
}

// marshal returns values as the protocol of providers carries them.
func marshal(t *testing.T, values map[string]any) *structpb.Struct {
	t.Helper()
	properties, err := plugin.MarshalProperties(resource.NewPropertyMapFromMap(values), plugin.MarshalOptions{})
	require.NoError(t, err)
	return properties
}

// TestNoReplacingInputCitesTheDocument looks for line numbers in what AWS cannot change: a corrected one would make a new
// resource.
func TestNoReplacingInputCitesTheDocument(t *testing.T) {
	looked := map[string]int{}
	for _, design := range catalog.Designs() {
		for _, s := range run(t, design, map[string]string{"dynaproof:guardrails": "enforce"}) {
			for _, input := range Replacing[s.token] {
				looked[s.token+" "+input]++
				if text, _ := s.inputs[input].(string); strings.Contains(text, ".md") {
					t.Errorf("%s, %s %s: expected an input that a correction of a citation leaves alone, found %s %q", design, s.token, s.name, input, text)
				}
			}
		}
	}
	for token, inputs := range Replacing {
		for _, input := range inputs {
			assert.NotZero(t, looked[token+" "+input], "%s %s: expected to see one", token, input)
		}
	}
}
