package replay

import (
	"cmp"
	"slices"
	"strings"

	"dynaproof"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/suite"
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
	given := options.Region
	chosen, err := options.resolve()
	if err != nil {
		return nil, ConfigError{err}
	}
	design := chosen[0]
	options.Region, account = cmp.Or(given, "REGION"), cmp.Or(account, "ACCOUNT")
	deployment := options.documented(design)
	region := deployment.Region
	var tables, describe []string
	for i := range design.Tables {
		tables = append(tables, "arn:aws:dynamodb:"+region+":"+account+":table/"+deployment.Tables[design.Tables[i].ID])
	}
	keys, policies := false, false
	for _, claim := range suite.AuditClaims(design, false) {
		describe = append(describe, operationsOf(claim)...)
		keys = keys || claim.Kind == manifest.KindSchema && claim.Aspect == manifest.AspectEncryption
		policies = policies || claim.Kind == manifest.KindPolicy && len(design.Policies.Roles) > 0
	}
	slices.Sort(describe)
	policy := &Policy{Version: "2012-10-17"}
	partition := "aws" // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
	for begin, other := range map[string]string{"cn-": "aws-cn", "us-gov-": "aws-us-gov"} {
		if strings.HasPrefix(region, begin) {
			partition = other
		}
	}
	allow := func(sid string, resources []string, actions ...string) {
		for i := range resources {
			resources[i] = strings.Replace(resources[i], "arn:aws:", "arn:"+partition+":", 1)
		}
		policy.Statement = append(policy.Statement, Statement{Sid: sid, Effect: "Allow", Action: actions, Resource: resources})
	}
	allow("DescribeTheTables", tables, slices.Compact(describe)...)
	allow("ListTableNames", []string{"*"}, "dynamodb:ListTables")
	if keys {
		allow("AskWhoManagesKeys", []string{"arn:aws:kms:" + region + ":" + account + ":key/*"}, "kms:DescribeKey")
	}
	if policies {
		stack := "arn:aws:iam::" + account + ":policy/" + dynaproof.Project + "/" + design.Name + "." + options.Environment + "/*"
		allow("ReadTheRolesPolicies", []string{stack}, "iam:GetPolicyVersion")
		allow("FindAndSimulatePolicies", []string{"*"}, "iam:ListPolicies", "iam:SimulateCustomPolicy") // neither knows resources
	}
	if group := options.TrailGroup; group != nil {
		allow("SearchTheTrail", []string{group.Resource(region, account)}, "logs:FilterLogEvents")
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
	return lists.Map(operations, func(operation string) string { return "dynamodb:" + operation })
}
