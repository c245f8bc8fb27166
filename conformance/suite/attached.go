package suite

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Policies reads the policies that are attached for the roles of a design.
type Policies interface {
	// Roles returns the documents, by role.
	Roles(ctx context.Context) (map[string]string, error)
	// Where says where they are looked for.
	Where() string
}

// attachment is what was found attached where no stack told it: policy documents by role
// and by logical id of the table, and the tables' ARNs.
type attachment struct{ roles, tables, arns map[string]string }

// foundAttached reads which policies are attached, and reports whether they are to be
// judged.
func (o policyCheck) foundAttached(ctx context.Context) bool {
	s := o.session
	s.mu.Lock()
	if s.attached == nil {
		before := s.recorder.len()
		s.attached = &cached[attachment]{}
		s.attached.value, s.attached.err = descriptions{s}.readAttached(withClaim(ctx, describing))
		s.attached.invocations = s.recorder.invocations(before)
		found := s.attached.value
		s.Deployment.RolePolicies, s.Deployment.TablePolicies = found.roles, found.tables
		if s.Deployment.TableARNs == nil {
			s.Deployment.TableARNs = found.arns
		}
	}
	answer := s.attached
	s.mu.Unlock()
	o.rests(answer.invocations)
	if answer.err != nil {
		o.request("the policies that are attached", answer.err)
		return false
	}
	found := append(slices.Sorted(maps.Keys(answer.value.roles)), slices.Sorted(maps.Keys(answer.value.tables))...)
	if len(found) == 0 && !s.Design.Policies.Enforced && !s.MustEnforce {
		o.unsupported(declaredOpen, "the document leaves open whether policies are attached, and none is; --guardrails enforce demands them")
		return false
	}
	o.note("judged are the policies that are attached: %s", showNames(found))
	return true
}

// readAttached reads the policy of each table, and those of the roles.
func (s descriptions) readAttached(ctx context.Context) (found attachment, err error) {
	found = attachment{tables: map[string]string{}, arns: map[string]string{}}
	for i := range s.Design.Tables {
		id := s.Design.Tables[i].ID
		name, err := s.TableName(id)
		if err != nil {
			return found, err
		}
		answer, err := s.Client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
		if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
			continue // its own claim says so
		}
		if err != nil {
			return found, err
		}
		found.arns[id] = aws.ToString(answer.Table.TableArn)
		document, err := policyOf(ctx, s.Client, found.arns[id])
		if err != nil {
			return found, err
		}
		if document != "" {
			found.tables[id] = document
		}
	}
	if len(s.Design.Policies.Roles) > 0 {
		found.roles, err = s.Policies.Roles(ctx)
	}
	return found, err
}

// policyOf returns the policy that is attached to a table, empty where none is.
func policyOf(ctx context.Context, client *dynamodb.Client, arn string) (string, error) {
	answer, err := client.GetResourcePolicy(ctx, &dynamodb.GetResourcePolicyInput{ResourceArn: aws.String(arn)})
	if _, none := errors.AsType[*types.PolicyNotFoundException](err); none {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return aws.ToString(answer.Policy), nil
}

// policiesFrom says where policy documents were looked for.
func (s descriptions) policiesFrom() string {
	if s.attached == nil {
		return "in the stack's outputs"
	}
	return "is attached; looked at were the tables, and " + s.Policies.Where()
}

// policyCheck is a check of policies that are attached.
type policyCheck struct{ *Observation }
