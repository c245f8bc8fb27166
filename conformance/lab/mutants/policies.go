package mutants

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/own"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/tables"
	"dynaproof/conformance/suite/session"
)

// policyChange replaces the policy document of one role or of one table.
type policyChange struct {
	role, table string // one of them
	change      func(*statements)
}

// statements are those of a policy document, each as it stands there.
type statements struct {
	Version   string
	Statement []map[string]any
}

// policyMutants removes each statement of each policy that the stack attaches,
// and widens it. The contract names roles and tables, and the program, run on
// mocks, the statements.
func (g *generator) policyMutants() error {
	if own.FromContract(g.design.Name) || len(g.design.Policies.Roles) == 0 {
		return nil // nothing attaches policies
	}
	asked, err := inputsOf(context.Background(), g.design, deploy.Enforce)
	if err != nil {
		return err
	}
	for _, role := range g.design.Policies.Roles {
		expect := []string{"policy/" + manifest.PolicyRole + "/" + role.ID}
		if role.Confined != nil {
			expect = append(expect, "policy/"+manifest.PolicyConfinement+"/"+role.ID)
		}
		resource := g.design.Name + "-" + role.ID
		if err := g.statements(policyChange{role: role.ID}, "role "+role.ID, asked.Policies[resource], expect); err != nil {
			return err
		}
	}
	for i := range g.design.Tables {
		table := &g.design.Tables[i]
		expect := []string{"policy/" + manifest.PolicyNoScan + "/" + table.ID}
		for j := range table.Indexes {
			expect = append(expect, expect[0]+"/"+table.Indexes[j].Name)
		}
		if err := g.statements(policyChange{table: table.ID}, "table "+table.ID, asked.TablePolicies[table.ID], expect); err != nil {
			return err
		}
	}
	return nil
}

// inputsOf returns what a design's program asks for, without protection, with guardrails or without.
func inputsOf(ctx context.Context, design *accesspatterns.Design, guardrails string) (*deploy.Inputs, error) {
	options := deploy.Options{
		Design: design.Name, Environment: replay.DefaultEnvironment, Region: cmp.Or(own.FixedRegion(design), replay.DefaultRegion),
		Config: map[string]string{deploy.Project + ":guardrails": guardrails},
	}
	options.Unprotected()
	return deploy.InputsOf(ctx, options)
}

// statements breaks the statements of one policy.
func (g *generator) statements(of policyChange, owner string, inputs map[string]any, expect []string) error {
	document, err := parsePolicy(fmt.Sprint(inputs["policy"]))
	if err != nil {
		return fmt.Errorf("policy of %s: %w", owner, err)
	}
	for n, statement := range document.Statement {
		add := func(id, operator, what string, change func(*statements)) {
			changed := of
			changed.change = change
			g.add(Mutant{
				Kind: Guardrails, Operator: operator, What: fmt.Sprintf("policy of %s: statement %v %s", owner, statement["Sid"], what),
				policy: &changed,
			}, strings.ReplaceAll("policy/"+owner, " ", "/")+fmt.Sprintf("/%v-%s", statement["Sid"], id), expect...)
		}
		add("removed", "policy statement removed", "removed", func(d *statements) { d.Statement = slices.Delete(d.Statement, n, n+1) })
		if _, conditional := statement["Condition"]; conditional {
			add("unconditional", "policy statement widened", "without its condition", func(d *statements) { delete(d.Statement[n], "Condition") })
		}
		table, _ := g.design.Table(of.table)
		g.policyConditions(n, statement, table != nil && len(table.Indexes) > 0, add)
		if statement["Effect"] == "Allow" {
			add("any-resource", "policy statement widened", "for every resource", func(d *statements) { d.Statement[n]["Resource"] = []string{"*"} })
			add("any-action", "policy statement widened", "for every action", func(d *statements) { d.Statement[n]["Action"] = []string{"dynamodb:*"} })
			addedStatements(statement, add)
		}
	}
	return nil
}

// addedStatements puts a statement beside one that is bound to partitions: the same actions, on a partition of somebody else's by
// its name or by a pattern, or on any for one tag of the principal, one kind of consumed capacity or of returned values.
func addedStatements(statement map[string]any, add func(id, operator, what string, change func(*statements))) {
	var keys any
	for operator, values := range members(statement["Condition"]) {
		if found := members(values)["dynamodb:LeadingKeys"]; found != nil && operator != "Null" {
			keys = found
		}
	}
	if keys == nil {
		return // it lets any partition through
	}
	victim := "VICTIM#"
	if form, _, own := strings.Cut(fmt.Sprint(list(keys)[0]), "${"); own {
		victim = form
	}
	for _, more := range []struct{ id, operator, key, value string }{
		{"another-partition", "ForAllValues:StringEquals", "dynamodb:LeadingKeys", victim + "victim-12345"},
		{"other-partitions", "ForAllValues:StringLike", "dynamodb:LeadingKeys", victim + "v*"},
		{"a-tag", "StringEquals", "aws:PrincipalTag/vip", "true"},
		{"consumed-capacity", "StringEquals", "dynamodb:ReturnConsumedCapacity", "INDEXES"},
		{"returned-values", "StringEquals", "dynamodb:ReturnValues", "ALL_OLD"},
	} {
		add("added-"+more.id, "policy statement added", fmt.Sprintf("and another like it where %s of %s is %s", more.operator, more.key, more.value), func(d *statements) {
			d.Statement = append(d.Statement, map[string]any{
				"Effect": "Allow", "Action": statement["Action"], "Resource": statement["Resource"], "Condition": map[string]any{more.operator: map[string]any{more.key: more.value}},
			})
		})
	}
}

// policyConditions changes the conditions of a statement: each operator for its opposite,
// each value for another one, each condition left out alone. A denial is narrowed to requests that nobody tries by
// chance: those that project nothing, select otherwise, or come from a principal without
// a certain tag.
func (g *generator) policyConditions(n int, statement map[string]any, indexed bool, add func(id, operator, what string, change func(*statements))) {
	conditions, _ := statement["Condition"].(map[string]any)
	for _, operator := range slices.Sorted(maps.Keys(conditions)) {
		keys, _ := conditions[operator].(map[string]any)
		amended := func(change func(conditions, keys map[string]any)) func(*statements) {
			return func(d *statements) {
				conditions := maps.Clone(d.Statement[n]["Condition"].(map[string]any))
				keys := maps.Clone(conditions[operator].(map[string]any))
				conditions[operator] = keys
				change(conditions, keys)
				d.Statement[n]["Condition"] = conditions
			}
		}
		if other := opposite(operator); other != "" {
			add("condition-"+strings.ReplaceAll(operator, ":", "-")+"-turned", "policy condition changed", operator+" turned into "+other, amended(func(conditions, keys map[string]any) {
				delete(conditions, operator)
				conditions[other] = keys
			}))
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			id := "condition-" + strings.ReplaceAll(operator+"-"+key, ":", "-")
			if len(conditions) > 1 || len(keys) > 1 { // the only one left out leaves the statement unconditional
				add(id+"-left-out", "policy condition changed", "without "+operator+" of "+key, amended(func(conditions, keys map[string]any) {
					if delete(keys, key); len(keys) == 0 {
						delete(conditions, operator)
					}
				}))
			}
			add(id+"-elsewhere", "policy condition changed", "with another value for "+key, amended(func(_, keys map[string]any) { keys[key] = elsewhereOf(keys[key]) }))
		}
	}
	if statement["Effect"] != "Deny" {
		return
	}
	for _, narrowed := range []struct{ id, operator, key, value string }{
		{"without-attributes", "Null", "dynamodb:Attributes", "true"},
		{"selected-otherwise", "StringNotEquals", "dynamodb:Select", "SPECIFIC_ATTRIBUTES"},
		{"without-a-tag", "Null", "aws:PrincipalTag/userId", "true"},
	} {
		add("narrowed-"+narrowed.id, "denial narrowed", fmt.Sprintf("only where %s of %s is %s", narrowed.operator, narrowed.key, narrowed.value), func(d *statements) {
			conditions := members(d.Statement[n]["Condition"])
			keys := members(conditions[narrowed.operator])
			keys[narrowed.key] = narrowed.value
			conditions[narrowed.operator] = keys
			d.Statement[n]["Condition"] = conditions
		})
	}
	if actions := list(statement["Action"]); len(actions) > 1 {
		for i, action := range actions {
			add(fmt.Sprintf("not-%v", action), "denial narrowed", fmt.Sprintf("no longer for %v", action), func(d *statements) { d.Statement[n]["Action"] = slices.Delete(list(d.Statement[n]["Action"]), i, i+1) })
		}
	}
	if resources := list(statement["Resource"]); indexed && len(resources) > 1 { // without an index the statement speaks of none
		for i := range resources {
			add(fmt.Sprintf("not-resource-%d", i+1), "denial narrowed", fmt.Sprintf("no longer for resource %d", i+1), func(d *statements) {
				d.Statement[n]["Resource"] = slices.Delete(list(d.Statement[n]["Resource"]), i, i+1)
			})
		}
	}
}

// members is an object of JSON as a map of its own, an empty one where there is none.
func members(value any) map[string]any {
	object, _ := value.(map[string]any)
	own := map[string]any{}
	maps.Copy(own, object)
	return own
}

// list is one value or several as a list of its own.
func list(value any) []any {
	switch value := value.(type) {
	case []any:
		return slices.Clone(value)
	case nil:
		return nil
	}
	return []any{value}
}

// opposite is the condition operator that lets through what another does not, and of a set
// operator the other one; empty where IAM has none.
func opposite(operator string) string {
	set, base, several := strings.Cut(operator, ":")
	if several {
		return map[string]string{"ForAllValues": "ForAnyValue:", "ForAnyValue": "ForAllValues:"}[set] + base
	}
	return map[string]string{"StringEquals": "StringNotEquals", "StringNotEquals": "StringEquals", "StringLike": "StringNotLike", "StringNotLike": "StringLike"}[operator]
}

// elsewhereOf is a condition's value that is met by nobody who met it before.
func elsewhereOf(value any) any {
	switch value := value.(type) {
	case []any:
		var all []any
		for _, one := range value {
			all = append(all, elsewhereOf(one))
		}
		return all
	case string:
		switch value {
		case "true":
			return "false"
		case "false":
			return "true"
		}
		return "elsewhere-" + value
	}
	return value
}

func parsePolicy(text string) (*statements, error) {
	var document statements
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return nil, err
	}
	return &document, nil
}

// in replaces the document in what a session was told of the deployment, and
// attaches it to the table, so that only what it says is wrong. The returned
// function attaches the former one again.
func (c *policyChange) in(ctx context.Context, session *session.Session, attached *tables.Operator) (undo func(context.Context) error, err error) {
	deployed := &session.Deployment
	if c.role != "" {
		deployed.RolePolicies = maps.Clone(deployed.RolePolicies)
		deployed.RolePolicies[c.role], err = c.document(deployed.RolePolicies[c.role])
		return func(context.Context) error { return nil }, err
	}
	arn, former := deployed.TableARNs[c.table], deployed.TablePolicies[c.table]
	deployed.TablePolicies = maps.Clone(deployed.TablePolicies)
	if deployed.TablePolicies[c.table], err = c.document(former); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return attach(ctx, attached, arn, former) }, attach(ctx, attached, arn, deployed.TablePolicies[c.table])
}

// document returns the changed policy document.
func (c *policyChange) document(text string) (string, error) {
	document, err := parsePolicy(text)
	if err != nil {
		return "", fmt.Errorf("the deployed policy of %s%s: %w", c.role, c.table, err)
	}
	c.change(document)
	changed, err := json.Marshal(document)
	return string(changed), err
}

// attach makes a document the policy of a table.
func attach(ctx context.Context, o *tables.Operator, arn, document string) error {
	_, err := o.Client.PutResourcePolicy(ctx, &dynamodb.PutResourcePolicyInput{ResourceArn: &arn, Policy: aws.String(document)})
	return err
}
