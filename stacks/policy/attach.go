package policy

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof"
	"dynaproof/stacks/environment"
)

// Role is one of the roles that a document names or implies.
type Role struct {
	// Name is the role's name in the outputs, and the value of the tag role.
	Name string
	// Statements is all that the role may do.
	Statements func(Tables) []Statement
}

// Guardrails are the policies of one design.
type Guardrails struct {
	Roles []Role
	// ScannedBy names the role that may scan a table, by the table's logical id. Nobody may scan any other.
	ScannedBy map[string]string
}

// Attach registers the policies of a stack that enforces guardrails, and exports their documents as they were
// registered. Without guardrails it does nothing. The options are those of the tables.
//
//	rolePolicies     role to policy document, JSON
//	rolePolicyArns   role to ARN of the IAM policy; attach it to the role's principals
//	tablePolicies    logical id of the table to policy document, JSON
func Attach(ctx *pulumi.Context, settings *environment.Settings, tables map[string]*dynamodb.Table, guardrails Guardrails, opts ...pulumi.ResourceOption) error {
	if !settings.Guardrails {
		return nil
	}
	arns := pulumi.StringMap{}
	for id, table := range tables {
		arns[id] = table.Arn
	}
	documents, documentArns, tableDocuments := pulumi.StringMap{}, pulumi.StringMap{}, pulumi.StringMap{}
	for _, role := range guardrails.Roles {
		attached, err := iam.NewPolicy(ctx, settings.Design+"-"+role.Name, &iam.PolicyArgs{
			// AWS changes no description: another one makes another policy, under another ARN. So it cites no line of the
			// document, which a correction would change.
			Description: pulumi.String(fmt.Sprintf("Role %s of stack %s", role.Name, ctx.Stack())),
			Path:        pulumi.String("/" + dynaproof.Project + "/" + ctx.Stack() + "/"),
			Policy:      render(arns, "role "+role.Name, maxRolePolicy, role.Statements),
		}, settings.Options(opts...)...)
		if err != nil {
			return err
		}
		documents[role.Name], documentArns[role.Name] = attached.Policy, attached.Arn
	}
	for _, id := range slices.Sorted(maps.Keys(tables)) {
		attached, err := dynamodb.NewResourcePolicy(ctx, id, &dynamodb.ResourcePolicyArgs{
			ResourceArn: tables[id].Arn,
			Policy:      render(arns, "table "+id, maxTablePolicy, func(tables Tables) []Statement { return noScans(tables.Table(id), guardrails.ScannedBy[id]) }),
		}, settings.Options(opts...)...)
		if err != nil {
			return err
		}
		tableDocuments[id] = attached.Policy
	}
	ctx.Export("rolePolicies", documents)
	ctx.Export("rolePolicyArns", documentArns)
	ctx.Export("tablePolicies", tableDocuments)
	return nil
}

// render waits for the tables' ARNs, which DynamoDB gives.
func render(arns pulumi.StringMap, owner string, limit int, statements func(Tables) []Statement) pulumi.StringOutput {
	return arns.ToStringMapOutput().ApplyT(func(tables map[string]string) (string, error) {
		return document(owner, limit, statements(tables))
	}).(pulumi.StringOutput)
}
