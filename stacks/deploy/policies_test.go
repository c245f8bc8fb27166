package deploy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"

	"dynaproof/stacks/deploy"
)

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
	if !lost() {
		t.Error("expected an answer to PutResourcePolicy to be lost, found none")
	}
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
	if len(attached.attached) != 0 {
		t.Errorf("expected no policy after destroy, found %v", attached.attached)
	}
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
	if again, _ := attached.of(t); again != arn {
		t.Errorf("expected the policy of %s, found that of %s", arn, again)
	}
	if _, counts := g.taken(); counts["PutResourcePolicy"] != 1 {
		t.Errorf("expected the policy to be put once more, found %v", counts)
	}
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
		if found := len(attached.attached); found != row.policies {
			t.Errorf("guardrails %q: expected %d policies of tables, found %d", row.setting, row.policies, found)
		}
	}
}
