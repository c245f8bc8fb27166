package mutants

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/replay"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/dryrun"
	"dynaproof/stacks/environment"
)

const (
	rolePolicyType  = "aws:iam/policy:Policy"
	tablePolicyType = "aws:dynamodb/resourcePolicy:ResourcePolicy"
)

// statements are those of a policy document, each as it stands there.
type statements struct {
	Version   string
	Statement []map[string]any
}

// policyMutants removes each statement of each policy that the stack attaches,
// and widens it. The contract names roles and tables, and the program, run on
// mocks, the statements.
func (g *generator) policyMutants() error {
	program, err := catalog.Program(g.design.Name)
	if err != nil {
		return err
	}
	region, err := catalog.Region(g.design.Name)
	if err != nil {
		return err
	}
	if region == "" {
		region = replay.DefaultRegion
	}
	asked, err := dryrun.Run(program, g.design.Name+".dev", map[string]string{
		"aws:region": region, environment.Project + ":guardrails": environment.Enforce,
	})
	if err != nil {
		return err
	}
	for _, role := range g.design.Policies.Roles {
		expect := []string{"policy/" + accesspatterns.PolicyRole + "/" + role.ID}
		if role.Confined != nil {
			expect = append(expect, "policy/"+accesspatterns.PolicyConfinement+"/"+role.ID)
		}
		resource := g.design.Name + "-" + role.ID
		if err := g.statements(rolePolicyType, resource, "role "+role.ID, asked.Policies[resource], expect); err != nil {
			return err
		}
	}
	for i := range g.design.Tables {
		table := &g.design.Tables[i]
		expect := []string{"policy/" + accesspatterns.PolicyNoScan + "/" + table.ID}
		for j := range table.Indexes {
			expect = append(expect, expect[0]+"/"+table.Indexes[j].Name)
		}
		if err := g.statements(tablePolicyType, table.ID, "table "+table.ID, asked.TablePolicies[table.ID], expect); err != nil {
			return err
		}
	}
	return nil
}

// statements breaks the statements of one policy.
func (g *generator) statements(kind, resource, owner string, inputs map[string]any, expect []string) error {
	document, err := parsePolicy(fmt.Sprint(inputs["policy"]))
	if err != nil {
		return fmt.Errorf("policy of %s: %w", owner, err)
	}
	for n, statement := range document.Statement {
		add := func(id, operator, what string, change func(*statements)) {
			g.add(Mutant{
				Kind: Guardrails, Operator: operator, What: fmt.Sprintf("policy of %s: statement %v %s", owner, statement["Sid"], what),
				touches: evaluated, transform: policyTransform(kind, resource, change),
			}, strings.ReplaceAll("policy/"+owner, " ", "/")+fmt.Sprintf("/%v-%s", statement["Sid"], id), expect...)
		}
		add("removed", "policy statement removed", "removed", func(d *statements) { d.Statement = slices.Delete(d.Statement, n, n+1) })
		if _, conditional := statement["Condition"]; conditional {
			add("unconditional", "policy statement widened", "without its condition", func(d *statements) { delete(d.Statement[n], "Condition") })
		}
		if statement["Effect"] == "Allow" {
			add("any-action", "policy statement widened", "for every action", func(d *statements) { d.Statement[n]["Action"] = []string{"dynamodb:*"} })
		}
	}
	return nil
}

// evaluated selects the claims that the evaluation of policies decides.
func evaluated(claim accesspatterns.Claim) bool { return claim.Kind == accesspatterns.KindPolicy }

func parsePolicy(text string) (*statements, error) {
	var document statements
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return nil, err
	}
	return &document, nil
}

// policyTransform returns the Pulumi transform that attaches another policy.
func policyTransform(kind, resource string, change func(*statements)) pulumi.ResourceTransform {
	return func(_ context.Context, args *pulumi.ResourceTransformArgs) *pulumi.ResourceTransformResult {
		if args.Type != kind || args.Name != resource {
			return nil
		}
		props := maps.Clone(args.Props)
		props["policy"] = pulumi.ToOutput(args.Props["policy"]).ApplyT(func(text any) (string, error) {
			document, err := parsePolicy(fmt.Sprint(text))
			if err != nil {
				return "", err
			}
			change(document)
			changed, err := json.Marshal(document)
			return string(changed), err
		}).(pulumi.StringOutput)
		return &pulumi.ResourceTransformResult{Props: props, Opts: args.Opts}
	}
}
