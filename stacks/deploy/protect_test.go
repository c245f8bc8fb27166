package deploy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	dynamo "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/stacks/catalog"
	"dynaproof/stacks/deploy"
	"dynaproof/stacks/dryrun"
)

func protect(t *testing.T, endpoint, table string, on bool) {
	t.Helper()
	_, err := client(endpoint).UpdateTable(t.Context(), &dynamo.UpdateTableInput{TableName: &table, DeletionProtectionEnabled: &on})
	require.NoError(t, err)
}

func isProtected(t *testing.T, endpoint, table string) bool {
	t.Helper()
	return aws.ToBool(describe(t, endpoint, table).DeletionProtectionEnabled)
}

// TestProtectedStack changes everything about a stack of production that would cost its data. Nothing may be made or deleted
// on the way to the refusal.
func TestProtectedStack(t *testing.T) {
	for _, row := range []struct {
		design, table string
		change        map[string]string
	}{
		{"personal-os", "personal-os-prod", map[string]string{"dynaproof:namePrefix": "x-"}},
		{"fus-main", "fus-main", map[string]string{"dynaproof:tableName": "other-table"}},
	} {
		t.Run(row.design, func(t *testing.T) {
			g := startGate(t, startEngine(t))
			attached := answerPolicies(g)
			o := designOptions(t, g.URL, row.design, "prod")
			o.Config = map[string]string{"dynaproof:guardrails": "enforce"}
			must(t, open(t, o).Up)
			require.True(t, isProtected(t, g.URL, row.table), "expected deletion protection")
			stays := func(what string) {
				t.Helper()
				assert.Empty(t, cmp.Diff([]string{row.table}, tables(t, g.URL)), "%s: tables (-want +got)", what)
				assert.Len(t, attached.attached, 1, "%s: expected the policy of the table to stay", what)
			}

			changed := o
			changed.Config = map[string]string{"dynaproof:guardrails": "enforce"}
			for key, value := range row.change {
				changed.Config[key] = value
			}
			mustFail(t, open(t, changed).Up, "protected table", "dynaproof:protect")
			stays("a changed setting")
			mustFail(t, open(t, changed).Preview, "protected table", "dynaproof:protect")

			changed.Unprotected()
			mustFail(t, open(t, changed).Up, "protected table", "dynaproof:protect")
			stays("a changed setting, and the protection lifted at once")

			renamed := o
			renamed.Program = func(ctx *pulumi.Context) error { // what a renamed stack runs has other tables
				_, err := dynamodb.NewTable(ctx, "orders", ordersArgs())
				return err
			}
			mustFail(t, open(t, renamed).Up, "protected table", "dynaproof:protect")
			stays("a renamed stack")

			mustFail(t, open(t, o).Destroy, "protected table", "nothing was deleted", "dynaproof:protect")
			stays("destroy")

			lifted := o
			lifted.Unprotected()
			must(t, open(t, lifted).Up)
			assert.True(t, isProtected(t, g.URL, row.table), "expected deletion protection to outlive the deployment that lifts Pulumi's")
			mustFail(t, open(t, lifted).Destroy, row.table, "rotect")
			protect(t, g.URL, row.table, false)
			must(t, open(t, lifted).Destroy)
			assert.Empty(t, tables(t, g.URL), "expected no table")
		})
	}
}

// TestNoDeploymentTurnsDeletionProtectionOff turns it on behind Pulumi's back.
func TestNoDeploymentTurnsDeletionProtectionOff(t *testing.T) {
	g := startGate(t, startEngine(t))
	answerBackups(g)
	o := designOptions(t, g.URL, "roll-model", "prod")
	o.Unprotected()
	must(t, open(t, o).Up)
	require.False(t, isProtected(t, g.URL, "RollModel"), "expected no deletion protection, found some")
	protect(t, g.URL, "RollModel", true)
	// The change goes with the request that could turn the protection off, before and after the state knows of it.
	for units := range 2 {
		o.Transforms = []pulumi.ResourceTransform{func(_ context.Context, args *pulumi.ResourceTransformArgs) *pulumi.ResourceTransformResult {
			if args.Type != "aws:dynamodb/table:Table" {
				return nil
			}
			args.Props["billingMode"] = pulumi.String("PROVISIONED")
			args.Props["readCapacity"], args.Props["writeCapacity"] = pulumi.Int(units+1), pulumi.Int(1)
			return &pulumi.ResourceTransformResult{Props: args.Props, Opts: args.Opts}
		}}
		must(t, open(t, o).Up)
		if d := describe(t, g.URL, "RollModel"); !aws.ToBool(d.DeletionProtectionEnabled) || aws.ToInt64(d.ProvisionedThroughput.ReadCapacityUnits) != int64(units+1) {
			t.Errorf("expected deletion protection and %d read units, found %+v", units+1, d)
		}
		must(t, open(t, o).Refresh)
	}
	o.Config["dynaproof:protect"] = "true"
	must(t, open(t, o).Up)
	assert.True(t, isProtected(t, g.URL, "RollModel"), "expected deletion protection")
}

// TestEngineWithoutDeletionProtection deploys to an engine that takes the setting and forgets it.
func TestEngineWithoutDeletionProtection(t *testing.T) {
	g := startGate(t, startEngine(t))
	g.forgets = "DeletionProtectionEnabled"
	mustFail(t, open(t, designOptions(t, g.URL, "personal-os", "prod")).Up, "deletion protection", "does not implement this", "set dynaproof:protect to false")
}

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
			asked, err := dryrun.Run(o.Program, design+".prod", map[string]string{"dynaproof:guardrails": "enforce", "aws:region": o.Region})
			require.NoError(t, err)
			before := o
			before.Program = func(ctx *pulumi.Context) error { return atTheRoot(ctx, asked) }
			resources := len(asked.Tables) + len(asked.Policies) + len(asked.TablePolicies)
			changes(t, must(t, open(t, before).Up), map[string]int{"create": resources + 1})
			for _, r := range []*deploy.Result{must(t, open(t, o).Preview), must(t, open(t, o).Up)} {
				if r.Changes["replace"]+r.Changes["delete"] != 0 || r.Changes["create"] != 1 {
					t.Errorf("expected the component alone to be made, found %v\n%s", r.Changes, r.Diff)
				}
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

const (
	denyScan     = `{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":["dynamodb:Scan"],"Resource":"%s"}]}`
	denyScanElse = `{"Statement":{"Resource":["%s"],"Action":"dynamodb:Scan","Principal":"*","Effect":"Deny"},"Version":"2012-10-17"}`
	allowQuery   = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["dynamodb:Query"],"Resource":"%s"}]}`
)

// withPolicies is the program of orders with a policy for the table and one for a role.
func withPolicies(tablePolicy, rolePolicy string, change ...func(*dynamodb.TableArgs)) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		args := ordersArgs()
		for _, c := range change {
			c(args)
		}
		table, err := dynamodb.NewTable(ctx, "orders", args)
		if err != nil {
			return err
		}
		if _, err := dynamodb.NewResourcePolicy(ctx, "orders", &dynamodb.ResourcePolicyArgs{
			ResourceArn: table.Arn, Policy: pulumi.Sprintf(tablePolicy, table.Arn),
		}); err != nil {
			return err
		}
		role, err := iam.NewPolicy(ctx, "clerk", &iam.PolicyArgs{
			Description: pulumi.String("clerks"), Path: pulumi.String("/orders/"), Policy: pulumi.Sprintf(rolePolicy, table.Arn),
		})
		if err != nil {
			return err
		}
		ctx.Export("arn", role.Arn)
		return nil
	}
}

func properties(r *deploy.Result) map[string][]string {
	found := map[string][]string{}
	for _, d := range r.Differences() {
		found[d.Type+" "+d.Op] = d.Properties
	}
	return found
}

// TestPolicies takes both kinds of policies through their life.
func TestPolicies(t *testing.T) {
	g := startGate(t, startEngine(t))
	attached := answerPolicies(g)
	o := options(t, g.URL, withPolicies(denyScan, allowQuery))
	s := open(t, o)

	changes(t, must(t, s.Preview), map[string]int{"create": 4})
	created := must(t, s.Up)
	changes(t, created, map[string]int{"create": 4})
	arn, policy := attached.of(t)
	assert.Equal(t, fmt.Sprintf(denyScan, arn), policy, "policy of the table")
	if got, _ := created.Outputs["arn"].(string); !strings.HasPrefix(got, "arn:aws:iam::000000000000:policy/orders/clerk-") {
		t.Errorf("expected an ARN with the path and a name of Pulumi's making, found %v", got)
	}
	if len(created.Warnings) != 1 || !strings.Contains(created.Warnings[0], "nothing enforces them here") {
		t.Errorf("expected one warning that IAM policies are kept in the state alone, found %v", created.Warnings)
	}
	nothingToDo(t, s.Up, s.Preview, s.Refresh)

	// The same in other words is no change.
	o.Program = withPolicies(denyScanElse, allowQuery)
	nothingToDo(t, open(t, o).Up)

	// Other words are.
	o.Program = withPolicies(strings.Replace(denyScan, "Scan", "Query", 1), strings.Replace(allowQuery, "Query", "GetItem", 1))
	s = open(t, o)
	want := map[string][]string{
		"aws:dynamodb/resourcePolicy:ResourcePolicy update": {"policy"},
		"aws:iam/policy:Policy update":                      {"policy"},
	}
	assert.Empty(t, cmp.Diff(want, properties(must(t, s.Preview))), "preview of an update (-want +got)")
	lost := attached.lose() // its answer, once: the SDK sends the request again, of a revision that is gone
	changes(t, must(t, s.Up), map[string]int{"update": 2, "same": 2})
	assert.True(t, lost(), "expected an answer to PutResourcePolicy to be lost")
	if _, policy := attached.of(t); !strings.Contains(policy, "dynamodb:Query") {
		t.Errorf("expected the new policy on the table, found %s", policy)
	}

	// What happens behind Pulumi's back is seen and repaired.
	attached.exchange(arn, fmt.Sprintf(denyScan, arn))
	if r := must(t, s.Refresh); cmp.Diff(map[string][]string{"aws:dynamodb/resourcePolicy:ResourcePolicy update": {"policy"}}, properties(r)) != "" {
		t.Errorf("expected the refresh to see another policy, found %v", r.Differences())
	}
	changes(t, must(t, s.Up), map[string]int{"update": 1, "same": 3})
	attached.exchange(arn, "")
	must(t, s.Refresh)
	changes(t, must(t, s.Up), map[string]int{"create": 1, "same": 3})
	if _, policy := attached.of(t); !strings.Contains(policy, "dynamodb:Query") {
		t.Errorf("expected the policy on the table again, found %s", policy)
	}

	changes(t, must(t, s.Destroy), map[string]int{"delete": 4})
	assert.Empty(t, attached.attached, "expected no policy after destroy")
}

// TestReplacedTableKeepsItsPolicy replaces a table under its name: AWS deletes the policy with the table, so it must be put
// again although its ARN is the same.
func TestReplacedTableKeepsItsPolicy(t *testing.T) {
	g := startGate(t, startEngine(t))
	attached := answerPolicies(g)
	o := options(t, g.URL, withPolicies(denyScan, allowQuery))
	must(t, open(t, o).Up)
	arn, _ := attached.of(t)
	o.Program = withPolicies(denyScan, allowQuery, func(a *dynamodb.TableArgs) {
		a.RangeKey = pulumi.String("day")
		a.Attributes = dynamodb.TableAttributeArray{attribute("pk", "S"), attribute("state", "S"), attribute("day", "N")}
	})
	g.taken()
	must(t, open(t, o).Up)
	again, _ := attached.of(t)
	assert.Equal(t, arn, again, "expected the policy of %s", arn)
	_, counts := g.taken()
	assert.Equal(t, 1, counts["PutResourcePolicy"], "expected the policy to be put once more, found %v", counts)
}

// TestPolicyWithoutTheOperation meets an engine that does not know resource policies.
func TestPolicyWithoutTheOperation(t *testing.T) {
	o := options(t, startEngine(t), withPolicies(denyScan, allowQuery))
	mustFail(t, open(t, o).Up, "PutResourcePolicy", "does not know this operation", "dynaproof:guardrails to off")
	must(t, open(t, o).Destroy)
}

// TestSwitchingGuardrails attaches the policies of a design to a stack that had none, and takes them away again.
func TestSwitchingGuardrails(t *testing.T) {
	g := startGate(t, startEngine(t))
	attached := answerPolicies(g)
	o := designOptions(t, g.URL, "personal-os", "test")
	for _, row := range []struct {
		setting  string
		want     map[string]int
		policies int
	}{
		{"", map[string]int{"create": 3}, 0},
		{"enforce", map[string]int{"same": 3, "create": 2}, 1},
		{"enforce", map[string]int{"same": 5}, 1},
		{"off", map[string]int{"same": 3, "delete": 2}, 0},
	} {
		o.Config = map[string]string{"dynaproof:guardrails": row.setting}
		changes(t, must(t, open(t, o).Up), row.want)
		assert.Len(t, attached.attached, row.policies, "guardrails %q: policies of tables", row.setting)
	}
}
