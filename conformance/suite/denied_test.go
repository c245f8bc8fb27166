package suite_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
	"dynaproof/fixtures"
)

// denial is how AWS refuses a caller that lacks a permission.
func denial(action, table string) *wire.FaultResponse {
	return &wire.FaultResponse{
		Status: http.StatusBadRequest, ErrorType: "AccessDeniedException",
		Message: fmt.Sprintf("User: arn:aws:sts::123456789012:assumed-role/ProdAdmin/jane.doe@corp.example is not authorized to perform: dynamodb:%s "+
			"on resource: arn:aws:dynamodb:eu-west-1:123456789012:table/%s because no identity-based policy allows the dynamodb:%s action", action, table, action),
	}
}

// A missing permission says nothing about a table: no claim fails, and what it
// touches is indeterminate and names the permission, and nobody.
func TestAMissingPermissionFailsNoClaim(t *testing.T) {
	ctx := t.Context()
	run, design, session := opened(t, replay.Options{Designs: []string{"roll-model"}, Documents: documents(), Bounds: impatient, Orders: 1, Interruptions: 1})
	for _, operation := range []string{
		"DescribeTable", "DescribeTimeToLive", "DescribeContinuousBackups", "ListTables", "ListTagsOfResource",
		"GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems",
	} {
		t.Run(operation, func(t *testing.T) {
			run.Inject(func(entry wire.Entry) *wire.FaultResponse {
				if entry.Operation != operation {
					return nil
				}
				return denial(operation, "RollModel")
			})
			defer run.Inject(nil)
			examined, err := run.Examine(ctx, design, session.Fixtures, session.Deployment)
			require.NoError(t, err)
			named := 0
			for _, spec := range suite.Specs(design) {
				result := spec.Run(ctx, examined, nil)
				message := suite.Message(result)
				switch {
				case result.Verdict.Held():
				case result.Verdict == evidence.Unsupported:
					if result.Declared != "documents" {
						t.Errorf("%s: expected no claim to be unsupported, found %s", result.ID, message)
					}
				case result.Verdict == evidence.Indeterminate:
					if strings.Contains(message, "the permission dynamodb:"+operation+" on table/RollModel is missing: no identity-based policy allows it") {
						named++
					}
				default:
					t.Errorf("%s: expected pass or indeterminate, found %s", result.ID, message)
				}
				if strings.Contains(message, "jane.doe") || strings.Contains(message, "123456789012") {
					t.Errorf("%s: expected a message that names nobody, found %s", result.ID, message)
				}
			}
			if named == 0 {
				t.Error("expected claims that name the missing permission, found none")
			}
		})
	}
}

// An answer that is not on the closed list decides nothing.
func TestOnlyAListedCodeDecides(t *testing.T) {
	ctx := t.Context()
	run, design, session := opened(t, replay.Options{Designs: []string{"roll-model"}, Documents: documents(), Bounds: impatient})
	for _, answer := range []wire.FaultResponse{
		{Status: 400, ErrorType: "ExpiredTokenException"}, {Status: 400, ErrorType: "OptInRequired"}, {Status: 400, ErrorType: "KMSKeyNotFoundException"},
		{Status: 400, ErrorType: "LimitExceededException"}, {Status: 400, ErrorType: "SomethingNewException"}, {Status: 403, ErrorType: "ValidationException"},
		{Status: 307, ErrorType: "ValidationException"},
	} {
		run.Inject(func(entry wire.Entry) *wire.FaultResponse {
			if entry.Operation != "DescribeTable" {
				return nil
			}
			return &answer
		})
		examined := session.Again(design, &fixtures.Set{})
		for _, spec := range suite.AuditSpecs(design) {
			if strings.HasSuffix(spec.Claim.ID, "/key") || strings.HasSuffix(spec.Claim.ID, "/exists") {
				if result := spec.Run(ctx, examined, nil); result.Verdict != evidence.Indeterminate {
					t.Errorf("%d %s: %s: expected indeterminate, found %s", answer.Status, answer.ErrorType, result.ID, suite.Message(result))
				}
			}
		}
	}
	run.Inject(nil)
}
