package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/manifest"
)

// policy explains claims about the policies of a stack, which are decided by
// evaluating them: a request shows at most what is attached.
func (e *explainer) policy() error {
	e.fact("decided by", "evaluating the policies in the stack's outputs (`pulumi stack output rolePolicies`, `pulumi stack output tablePolicies`); that AWS enforces them is not observed")
	byDefault := "off"
	if e.design.Policies.Enforced {
		byDefault = "enforce"
	}
	e.fact("guardrails by default", "%s (%s)", byDefault, e.design.Document.Cite(e.design.Policies.Cite))
	aspect, index, _ := strings.Cut(e.claim.Aspect, "/")
	switch aspect {
	case manifest.PolicyRoles:
		for _, role := range e.design.Policies.Roles {
			e.fact("role "+role.ID, "%s", e.design.Document.Cite(role.Cite))
		}
		return nil
	case manifest.PolicyRole, manifest.PolicyConfinement:
		return e.role(aspect)
	case manifest.PolicyNoScan:
		return e.noScan(index)
	}
	return fmt.Errorf("no explanation for policies and %q", e.claim.Aspect)
}

func (e *explainer) role(aspect string) error {
	role, known := e.design.Role(e.claim.Subject)
	if !known {
		return fmt.Errorf("the contract has no role %q", e.claim.Subject)
	}
	if aspect == manifest.PolicyConfinement {
		for _, form := range role.Confined.Partitions {
			e.fact("own partition", "%s, where %s is the principal's tag", form, role.Confined.Tag)
		}
		e.fact("must be denied", "another user's partition, that of a user whose id begins with the own one, the own and another's at once, a request that names none, a principal without the tag")
		e.fact("left out", "%s", strings.Join(role.Confined.Except, ", "))
	} else {
		var own []string
		for i := range e.design.Patterns {
			if slices.Contains(e.design.Patterns[i].Roles, role.ID) {
				own = append(own, e.design.Patterns[i].ID)
			}
		}
		e.fact("must be allowed", "%s", strings.Join(own, ", "))
		e.fact("must be denied", "every other pattern that differs from these by action, table, index, form of the partition key or projection; every action on a table or index that none of these needs")
		e.fact("must be denied by attributes", "%s", strings.Join(role.Withheld, ", "))
		e.fact("must be denied with any other attribute", "%s", strings.Join(role.Narrow, ", "))
		e.fact("not confined to a user", "%s", role.Unconfined)
	}
	if role.Actor != "" {
		e.fact("who acts", "{%s} of its patterns, which guard.ForUser holds to the client's own user", role.Actor)
	}
	for _, limit := range role.Limits {
		e.fact("beyond what a policy can do", "%s", limit)
	}
	return nil
}

func (e *explainer) noScan(index string) error {
	name, err := e.tableName(e.claim.Subject)
	if err != nil {
		return err
	}
	denied := "dynamodb:Scan, and dynamodb:PartiQLSelect where dynamodb:FullTableScan is true"
	if index != "" {
		denied += ", on index " + index
	}
	e.fact("must be denied", "%s, to a principal that is allowed everything else", denied)
	if pattern, waived := e.design.ScanOf(e.claim.Subject); waived && index == "" {
		e.fact("exception", "principals with the tag role=%s may Scan, for %s (waiver %s)", strings.Join(pattern.Roles, ", "), pattern.ID, pattern.Waiver)
	}
	tables := []string{e.claim.Subject}
	where := "table " + e.claim.Subject
	if err := e.ask(&dynamodb.DescribeTableInput{TableName: aws.String(name)}, tables, Request{Where: where, Outcome: "the table's ARN"}); err != nil {
		return err
	}
	e.byARN("GetResourcePolicy", "get-resource-policy", tables, Request{Where: where, Outcome: "the policy of the stack's outputs"})
	return nil
}
