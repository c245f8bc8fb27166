package catalog_test

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"

	"dynaproof/stacks/catalog"
	"dynaproof/stacks/localaws"
)

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

// sent are the inputs of every resource that the programs register, by the token of the resource.
func sent(t *testing.T) map[string][]map[string]any {
	t.Helper()
	all := map[string][]map[string]any{}
	for _, design := range catalog.Designs() {
		result := dryRun(t, design, "dev", map[string]string{"dynaproof:guardrails": "enforce"})
		for token, named := range map[string]map[string]map[string]any{
			"aws:dynamodb/table:Table": result.Tables, "aws:dynamodb/resourcePolicy:ResourcePolicy": result.TablePolicies, "aws:iam/policy:Policy": result.Policies,
		} {
			for _, name := range slices.Sorted(maps.Keys(named)) {
				all[token] = append(all[token], named[name])
			}
		}
	}
	return all
}

// The provider for loopback replaces a resource for the same changes.
func TestLocalProviderReplacesForTheSameChanges(t *testing.T) {
	server, err := localaws.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	connection, err := grpc.NewClient("127.0.0.1:"+strconv.Itoa(server.Port()), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	client := pulumirpc.NewResourceProviderClient(connection)
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
	found := map[string][]string{}
	for token, all := range sent(t) {
		for _, inputs := range all {
			for name := range inputs {
				assert.Contains(t, changes[token], name, "expected a change of each input of %s to be tried", token)
			}
		}
		for name, value := range changes[token] {
			news := maps.Clone(all[0])
			news[name] = value
			response, err := client.Diff(t.Context(), &pulumirpc.DiffRequest{
				Id: "t", Urn: "urn:pulumi:s::p::" + token + "::t", Olds: marshal(t, all[0]), News: marshal(t, news),
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
	properties, err := plugin.MarshalProperties(resource.NewPropertyMapFromMap(values), plugin.MarshalOptions{})
	require.NoError(t, err)
	return properties
}

// TestNoReplacingInputCitesTheDocument looks for line numbers in what AWS cannot change: a corrected one would make a new
// resource.
func TestNoReplacingInputCitesTheDocument(t *testing.T) {
	all := sent(t)
	for token, inputs := range replacing {
		assert.NotEmpty(t, all[token], "expected programs that register %s", token)
		for _, registered := range all[token] {
			for _, input := range inputs {
				text, _ := registered[input].(string)
				assert.NotContains(t, text, ".md", "%s: expected an input that a correction of a citation leaves alone", token)
			}
		}
	}
}
