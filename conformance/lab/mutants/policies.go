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

	"dynaproof"
	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
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

// statements are those of a policy document, as the programs write them.
type statements struct {
	Version   string
	Statement []statement
}

type statement struct {
	Sid       string `json:",omitempty"`
	Effect    string
	Principal string `json:",omitempty"`
	Action    []string
	Resource  []string
	// Condition holds values by operator and condition key.
	Condition map[string]map[string][]string `json:",omitempty"`
}

// where binds the statement to a value of a condition key, too.
func (s *statement) where(operator, key, value string) {
	if s.Condition == nil {
		s.Condition = map[string]map[string][]string{}
	}
	lists.Inner(s.Condition, operator)[key] = []string{value}
}

// policyMutants removes each statement of each policy that the stack attaches,
// and widens it. The contract names roles and tables, and the program, run on
// mocks, the statements.
func (g *generator) policyMutants() error {
	if deploy.FromContract(g.design.Name) || len(g.design.Policies.Roles) == 0 {
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
	for table := range lists.Each(g.design.Tables) {
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
func inputsOf(ctx context.Context, design *ap.Design, guardrails string) (*deploy.Inputs, error) {
	options := deploy.Options{
		Design: design.Name, Environment: replay.DefaultEnvironment, Region: cmp.Or(own.FixedRegion(design), replay.DefaultRegion),
		Config: map[string]string{dynaproof.Project + ":guardrails": guardrails},
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
	table, _ := g.design.Table(of.table)
	for n := range document.Statement {
		b := &statementBreaker{generator: g, of: of, owner: owner, expect: expect, n: n, statement: &document.Statement[n], indexed: table != nil && len(table.Indexes) > 0}
		b.add("removed", "policy statement removed", "removed", func(d *statements) { d.Statement = slices.Delete(d.Statement, n, n+1) })
		b.conditions()
		b.denial()
		b.permission()
	}
	return nil
}

// statementBreaker generates the mutants of the nth statement of a policy.
type statementBreaker struct {
	*generator
	of        policyChange
	owner     string
	expect    []string
	n         int
	statement *statement
	// indexed says that it is of a table with indexes; without one it speaks of none.
	indexed bool
}

// add adds a mutant that changes the statements of a document of its own.
func (b *statementBreaker) add(id, operator, what string, change func(*statements)) {
	of := b.of
	of.change = change
	b.generator.add(Mutant{
		Kind: Guardrails, Operator: operator, What: fmt.Sprintf("policy of %s: statement %s %s", b.owner, b.statement.Sid, what), policy: &of,
	}, strings.ReplaceAll("policy/"+b.owner, " ", "/")+fmt.Sprintf("/%s-%s", b.statement.Sid, id), b.expect...)
}

func (b *statementBreaker) change(id, operator, what string, change func(*statement)) {
	b.add(id, operator, what, func(d *statements) { change(&d.Statement[b.n]) })
}

// permission widens what is allowed. Beside a statement that is bound to partitions it puts another: the same actions, on a partition of
// somebody else's by its name or by a pattern, or on any for one tag of the principal, one kind of consumed capacity or of returned values.
func (b *statementBreaker) permission() {
	if b.statement.Effect != "Allow" {
		return
	}
	b.change("any-resource", "policy statement widened", "for every resource", func(s *statement) { s.Resource = []string{"*"} })
	b.change("any-action", "policy statement widened", "for every action", func(s *statement) { s.Action = []string{"dynamodb:*"} })
	var keys []string
	for _, operator := range slices.Sorted(maps.Keys(b.statement.Condition)) {
		if operator != "Null" {
			keys = append(keys, b.statement.Condition[operator]["dynamodb:LeadingKeys"]...)
		}
	}
	if len(keys) == 0 {
		return // it lets any partition through
	}
	victim := "VICTIM#"
	if form, _, own := strings.Cut(keys[0], "${"); own {
		victim = form
	}
	for _, more := range []struct{ id, operator, key, value string }{
		{"another-partition", "ForAllValues:StringEquals", "dynamodb:LeadingKeys", victim + "victim-12345"},
		{"other-partitions", "ForAllValues:StringLike", "dynamodb:LeadingKeys", victim + "v*"},
		{"a-tag", "StringEquals", "aws:PrincipalTag/vip", "true"},
		{"consumed-capacity", "StringEquals", "dynamodb:ReturnConsumedCapacity", "INDEXES"},
		{"returned-values", "StringEquals", "dynamodb:ReturnValues", "ALL_OLD"},
	} {
		b.add("added-"+more.id, "policy statement added", fmt.Sprintf("and another like it where %s of %s is %s", more.operator, more.key, more.value), func(d *statements) {
			another := statement{Effect: "Allow", Action: b.statement.Action, Resource: b.statement.Resource}
			another.where(more.operator, more.key, more.value)
			d.Statement = append(d.Statement, another)
		})
	}
}

// conditions changes the conditions: each operator for its opposite, each value for another one, each condition left out alone, and all of them.
func (b *statementBreaker) conditions() {
	conditions := b.statement.Condition
	if conditions != nil {
		b.change("unconditional", "policy statement widened", "without its condition", func(s *statement) { s.Condition = nil })
	}
	for _, operator := range slices.Sorted(maps.Keys(conditions)) {
		if other := opposite(operator); other != "" {
			b.change("condition-"+strings.ReplaceAll(operator, ":", "-")+"-turned", "policy condition changed", operator+" turned into "+other, func(s *statement) {
				s.Condition[other] = s.Condition[operator]
				delete(s.Condition, operator)
			})
		}
		for _, key := range slices.Sorted(maps.Keys(conditions[operator])) {
			id := "condition-" + strings.ReplaceAll(operator+"-"+key, ":", "-")
			if len(conditions) > 1 || len(conditions[operator]) > 1 { // the only one left out leaves the statement unconditional
				b.change(id+"-left-out", "policy condition changed", "without "+operator+" of "+key, func(s *statement) {
					if delete(s.Condition[operator], key); len(s.Condition[operator]) == 0 {
						delete(s.Condition, operator)
					}
				})
			}
			b.change(id+"-elsewhere", "policy condition changed", "with another value for "+key, func(s *statement) {
				for i, value := range s.Condition[operator][key] {
					s.Condition[operator][key][i] = cmp.Or(map[string]string{"true": "false", "false": "true"}[value], "elsewhere-"+value) // met by nobody who met it before
				}
			})
		}
	}
}

// denial narrows a denial to requests that nobody tries by chance: those that project nothing, select otherwise, or come from a principal
// without a certain tag. It leaves out each of several actions and resources.
func (b *statementBreaker) denial() {
	if b.statement.Effect != "Deny" {
		return
	}
	for _, narrowed := range []struct{ id, operator, key, value string }{
		{"without-attributes", "Null", "dynamodb:Attributes", "true"},
		{"selected-otherwise", "StringNotEquals", "dynamodb:Select", "SPECIFIC_ATTRIBUTES"},
		{"without-a-tag", "Null", "aws:PrincipalTag/userId", "true"},
	} {
		b.change("narrowed-"+narrowed.id, "denial narrowed", fmt.Sprintf("only where %s of %s is %s", narrowed.operator, narrowed.key, narrowed.value), func(s *statement) {
			s.where(narrowed.operator, narrowed.key, narrowed.value)
		})
	}
	if len(b.statement.Action) > 1 {
		for i, action := range b.statement.Action {
			b.change("not-"+action, "denial narrowed", "no longer for "+action, func(s *statement) { s.Action = slices.Delete(s.Action, i, i+1) })
		}
	}
	if b.indexed && len(b.statement.Resource) > 1 {
		for i := range b.statement.Resource {
			b.change(fmt.Sprintf("not-resource-%d", i+1), "denial narrowed", fmt.Sprintf("no longer for resource %d", i+1), func(s *statement) { s.Resource = slices.Delete(s.Resource, i, i+1) })
		}
	}
}

// opposite is the condition operator that lets through what another does not, and of a set
// operator the other one; empty where IAM has none.
func opposite(operator string) string {
	if set, base, several := strings.Cut(operator, ":"); several {
		return map[string]string{"ForAllValues": "ForAnyValue:", "ForAnyValue": "ForAllValues:"}[set] + base
	}
	return map[string]string{"StringEquals": "StringNotEquals", "StringNotEquals": "StringEquals", "StringLike": "StringNotLike", "StringNotLike": "StringLike"}[operator]
}

// parsePolicy reads a document, and refuses one with elements that would be lost.
func parsePolicy(text string) (*statements, error) {
	var document statements
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
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
		return nil, err
	}
	arn, former := deployed.TableARNs[c.table], deployed.TablePolicies[c.table]
	deployed.TablePolicies = maps.Clone(deployed.TablePolicies)
	if deployed.TablePolicies[c.table], err = c.document(former); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return attach(ctx, attached, arn, former) }, attach(ctx, attached, arn, deployed.TablePolicies[c.table])
}

func (c *policyChange) document(text string) (string, error) {
	document, err := parsePolicy(text)
	if err != nil {
		return "", fmt.Errorf("the deployed policy of %s%s: %w", c.role, c.table, err)
	}
	c.change(document)
	changed, err := json.Marshal(document)
	return string(changed), err
}

func attach(ctx context.Context, o *tables.Operator, arn, document string) error {
	_, err := o.Client.PutResourcePolicy(ctx, &dynamodb.PutResourcePolicyInput{ResourceArn: &arn, Policy: aws.String(document)})
	return err
}
