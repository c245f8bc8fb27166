package explain

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/manifest"
)

// policy asks for the policy that is attached to a table; the policies of roles are evaluated as the stack's outputs have them.
func (e *explainer) policy() error {
	if aspect, _, _ := strings.Cut(e.claim.Aspect, "/"); aspect != manifest.PolicyNoScan {
		return nil
	}
	name, err := e.tableName(e.claim.Subject)
	if err != nil {
		return err
	}
	tables := []string{e.claim.Subject}
	where := "table " + e.claim.Subject
	if err := e.ask(&dynamodb.DescribeTableInput{TableName: aws.String(name)}, tables, Request{Where: where, Outcome: "the table's ARN"}); err != nil {
		return err
	}
	e.byARN("GetResourcePolicy", "get-resource-policy", tables, Request{Where: where, Outcome: "the policy of the stack's outputs"})
	return nil
}
