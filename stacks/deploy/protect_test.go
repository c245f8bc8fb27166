package deploy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/deploy"
	"dynaproof/stacks/dryrun"
)

// TestDeployedBeforeTheComponent deploys the resources of a design without the component that holds them now, as earlier
// versions did, and then the design's program: nothing may be replaced.
func TestDeployedBeforeTheComponent(t *testing.T) {
	for _, design := range catalog.Designs() {
		t.Run(design, func(t *testing.T) {
			g := startGate(t, startEngine(t))
			answerBackups(g)
			answerPolicies(g)
			o := designOptions(t, g.URL, design, "prod")
			o.Config = map[string]string{"dynaproof:guardrails": "enforce"}
			asked := tabletest.Must(dryrun.Run(o.Program, design+".prod", map[string]string{"dynaproof:guardrails": "enforce", "aws:region": o.Region}))(t)
			before := o
			before.Program = func(ctx *pulumi.Context) error { return atTheRoot(ctx, asked) }
			resources := len(asked.Tables) + len(asked.Policies) + len(asked.TablePolicies)
			changes(t, must(t, open(t, before).Up), map[string]int{"create": resources + 1})
			for _, r := range []*deploy.Result{must(t, open(t, o).Preview), must(t, open(t, o).Up)} {
				assert.True(t, r.Changes["replace"]+r.Changes["delete"] == 0 && r.Changes["create"] == 1,
					"expected the component alone to be made, found %v\n%s", r.Changes, r.Diff)
			}
			changes(t, must(t, open(t, o).Up), map[string]int{"same": resources + 2})
		})
	}
}

// atTheRoot registers what a dry run saw without a component. A policy of a table needs the ARN that the table has here.
func atTheRoot(ctx *pulumi.Context, asked *dryrun.Result) error {
	for id, inputs := range asked.Tables {
		table := &dynamodb.Table{}
		if err := ctx.RegisterResource("aws:dynamodb/table:Table", id, pulumi.ToMap(inputs), table); err != nil {
			return err
		}
		policy, ok := asked.TablePolicies[id]["policy"].(string)
		if !ok {
			continue
		}
		if _, err := dynamodb.NewResourcePolicy(ctx, id, &dynamodb.ResourcePolicyArgs{
			ResourceArn: table.Arn,
			Policy:      table.Arn.ApplyT(func(arn string) string { return strings.ReplaceAll(policy, "mock-region-1", "local") }).(pulumi.StringOutput),
		}); err != nil {
			return err
		}
	}
	for id, inputs := range asked.Policies {
		if err := ctx.RegisterResource("aws:iam/policy:Policy", id, pulumi.ToMap(inputs), &pulumi.CustomResourceState{}); err != nil {
			return err
		}
	}
	return nil
}

// TestRegionOfTheDocument deploys commit-collect where aws:region is unset: the program makes a provider of its own for the
// region of the document. What points it at the engine on this machine is added to that provider alone.
func TestRegionOfTheDocument(t *testing.T) {
	t.Setenv("AWS_REGION", "us-east-1")
	g := startGate(t, startEngine(t))
	o := designOptions(t, g.URL, "commit-collect", "prod")
	answerPolicies(g)
	o.Unprotected()
	own := 0
	o.Transforms = []pulumi.ResourceTransform{func(_ context.Context, args *pulumi.ResourceTransformArgs) *pulumi.ResourceTransformResult {
		if args.Type != "pulumi:providers:aws" {
			return nil
		}
		own++
		args.Props["endpoints"] = pulumi.String(fmt.Sprintf(`[{"dynamodb":%q}]`, g.URL))
		args.Props["accessKey"], args.Props["secretKey"] = pulumi.String("local"), pulumi.String("local")
		return &pulumi.ResourceTransformResult{Props: args.Props, Opts: args.Opts}
	}}
	s := open(t, deploy.WithoutProviderSettings(o))
	must(t, s.Up)
	assert.Equal(t, 1, own, "expected one provider of the program's own")
	assert.Empty(t, cmp.Diff([]string{"ap-southeast-2"}, g.regions()), "regions that requests were signed for (-want +got)")
	assert.Len(t, tables(t, g.URL), 4, "expected 4 tables")
	nothingToDo(t, s.Up, s.Refresh)
	must(t, s.Destroy)
	assert.Empty(t, tables(t, g.URL), "expected no table")
}
