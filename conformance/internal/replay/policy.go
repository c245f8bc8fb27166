package replay

import (
	"cmp"
	"slices"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/suite"
	"dynaproof/stacks/deploy"
)

// Policy is an IAM policy document.
type Policy struct {
	Version   string
	Statement []Statement
}

// Statement allows actions on resources.
type Statement struct {
	Sid, Effect string
	Action      []string
	Resource    []string
}

// describing are the operations that decide a claim about a table; claims about
// the rest of a table, and about its indexes, need DescribeTable alone.
var describing = map[string][]string{
	manifest.AspectTTL:    {"DescribeTimeToLive"},
	manifest.AspectPITR:   {"DescribeContinuousBackups"},
	manifest.AspectExtras: {"DescribeTable", "DescribeKinesisStreamingDestination", "DescribeContributorInsights", "DescribeContinuousBackups", "GetResourcePolicy"},
	manifest.AspectTags:   {"DescribeTable", "ListTagsOfResource"}, // the ARN of the table stands in its description
}

// AuditPolicy returns the least that an audit of a design needs: the operations of
// its claims, on its tables in an environment. An empty region or account leaves a
// placeholder. With a trail it may search the trail's log group. GetCallerIdentity,
// which an audit on AWS also asks, needs no permission.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatchlogs.html
func AuditPolicy(options Options, account string) (*Policy, error) {
	region := options.Region
	chosen, err := options.resolve()
	if err != nil {
		return nil, ConfigError{err}
	}
	design := chosen[0]
	deployment := (&Replay{options: options}).documented(design)
	region = cmp.Or(region, "REGION")
	for i := range design.Tables {
		if fixed := design.Tables[i].Region; fixed != nil {
			region = fixed.Region
		}
	}
	policy := &Policy{Version: "2012-10-17"}
	tables := Statement{Sid: "DescribeTheTables", Effect: "Allow"}
	for i := range design.Tables {
		tables.Resource = append(tables.Resource, "arn:aws:dynamodb:"+region+":"+cmp.Or(account, "ACCOUNT")+":table/"+deployment.Tables[design.Tables[i].ID])
	}
	keys, policies := false, false
	for _, spec := range suite.AuditSpecs(design) {
		tables.Action = append(tables.Action, operationsOf(spec.Claim)...)
		keys = keys || spec.Claim.Kind == manifest.KindSchema && spec.Claim.Aspect == manifest.AspectEncryption
		policies = policies || spec.Claim.Kind == manifest.KindPolicy && len(design.Policies.Roles) > 0
	}
	slices.Sort(tables.Action)
	tables.Action = slices.Compact(tables.Action)
	list := Statement{Sid: "ListTableNames", Effect: "Allow", Action: []string{"dynamodb:ListTables"}, Resource: []string{"*"}}
	policy.Statement = []Statement{tables, list}
	if keys {
		policy.Statement = append(policy.Statement, Statement{
			Sid: "AskWhoManagesKeys", Effect: "Allow", Action: []string{"kms:DescribeKey"}, Resource: []string{"arn:aws:kms:" + region + ":" + cmp.Or(account, "ACCOUNT") + ":key/*"},
		})
	}
	if policies {
		policy.Statement = append(policy.Statement, Statement{
			Sid: "ReadTheRolesPolicies", Effect: "Allow", Action: []string{"iam:GetPolicyVersion"},
			Resource: []string{"arn:aws:iam::" + cmp.Or(account, "ACCOUNT") + ":policy/" + deploy.Project + "/" + design.Name + "." + options.Environment + "/*"},
		}, Statement{ // neither knows resources
			Sid: "FindAndSimulatePolicies", Effect: "Allow", Action: []string{"iam:ListPolicies", "iam:SimulateCustomPolicy"}, Resource: []string{"*"},
		})
	}
	if group := options.TrailGroup; group != nil {
		policy.Statement = append(policy.Statement, Statement{
			Sid: "SearchTheTrail", Effect: "Allow", Action: []string{"logs:FilterLogEvents"}, Resource: []string{group.Resource(region, cmp.Or(account, "ACCOUNT"))},
		})
	}
	return policy, nil
}

// operationsOf returns the actions that decide a claim on a table, other than
// listing all tables.
func operationsOf(claim manifest.Claim) []string {
	operations := []string{"DescribeTable"}
	switch {
	case claim.Kind == manifest.KindDocument, claim.Kind == manifest.KindSchema && claim.Aspect == "":
		operations = nil
	case claim.Kind == manifest.KindSchema && describing[claim.Aspect] != nil:
		operations = describing[claim.Aspect]
	case claim.Kind == manifest.KindPolicy:
		operations = []string{"DescribeTable", "GetResourcePolicy"}
	}
	var actions []string
	for _, operation := range operations {
		actions = append(actions, "dynamodb:"+operation)
	}
	return actions
}
