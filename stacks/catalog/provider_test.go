package catalog_test

import (
	"maps"
	"slices"
	"strconv"
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

	"dynaproof/accesspatterns/tabletest"
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
	entry := tabletest.Must(catalog.Find(design))(t)
	r := &recorder{arn: "arn:aws:dynamodb:mock-region-1:111122223333:table/T"}
	err := pulumi.RunErr(entry.Program, pulumi.WithMocks("dynaproof", design+".dev", r), func(info *pulumi.RunInfo) { info.Config = config })
	require.NoError(t, err)
	return slices.DeleteFunc(r.all, func(s sent) bool {
		return s.token == "pulumi:pulumi:Stack" || s.token == environment.ComponentType // neither has a provider
	})
}

// replacing are the inputs whose change makes a new resource, by the token of the resource, of those that the programs
// may send. DynamoDB's UpdateTable can change neither a table's name nor its key, and a managed policy keeps its name,
// path and description.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTable.html
//
// No published package says it for the provider, so it is transcribed by hand from the source that the provider is
// built on: what is marked ForceNew or RequiresReplace in internal/service/dynamodb/{table,resource_policy}.go and
// internal/service/iam/policy.go of github.com/hashicorp/terraform-provider-aws.
var replacing = map[string][]string{
	"aws:dynamodb/table:Table":                   {"hashKey", "name", "rangeKey"},
	"aws:dynamodb/resourcePolicy:ResourcePolicy": {"resourceArn"},
	"aws:iam/policy:Policy":                      {"description", "name", "path"},
}

// The provider for loopback replaces a table for the same changes.
func TestLocalProviderReplacesForTheSameChanges(t *testing.T) {
	port := tabletest.Must(localaws.Serve())(t)
	connection := tabletest.Must(grpc.NewClient("127.0.0.1:"+strconv.Itoa(port), grpc.WithTransportCredentials(insecure.NewCredentials())))(t)
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
				_, tried := changes[s.token][name]
				assert.True(t, tried || changes[s.token] == nil, "%s: expected a change of %s to be tried", s.token, name)
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
	assert.Empty(t, cmp.Diff(replacing, found), "inputs whose change replaces a resource (-the provider's +localaws)")
}

// marshal returns values as the protocol of providers carries them.
func marshal(t *testing.T, values map[string]any) *structpb.Struct {
	t.Helper()
	return tabletest.Must(plugin.MarshalProperties(resource.NewPropertyMapFromMap(values), plugin.MarshalOptions{}))(t)
}

// TestNoReplacingInputCitesTheDocument looks for line numbers in what AWS cannot change: a corrected one would make a new
// resource.
func TestNoReplacingInputCitesTheDocument(t *testing.T) {
	looked := map[string]int{}
	for _, design := range catalog.Designs() {
		for _, s := range run(t, design, map[string]string{"dynaproof:guardrails": "enforce"}) {
			for _, input := range replacing[s.token] {
				looked[s.token+" "+input]++
				text, _ := s.inputs[input].(string)
				assert.NotContains(t, text, ".md", "%s, %s %s: expected an input that a correction of a citation leaves alone, found %s %q", design, s.token, s.name, input, text)
			}
		}
	}
	for token, inputs := range replacing {
		for _, input := range inputs {
			assert.NotZero(t, looked[token+" "+input], "%s %s: expected to see one", token, input)
		}
	}
}
