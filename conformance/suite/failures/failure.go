// Package failures says what an error of a request means: whether it decides a claim, and in which words it is reported.
package failures

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"dynaproof/accesspatterns/guard"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/target"
)

// Kind says what an error of a request means.
type Kind int

const (
	// Unanswered: the service answered, but not to the request: it judged the
	// caller, its credentials, a limit, a key of KMS, or is somewhere else. So does
	// every code that this package does not know. Such an answer contradicts no
	// promise about a table.
	Unanswered Kind = iota
	// Refused: the engine judged the request against what is deployed, and refused
	// it, or the guard did before it was sent. This alone decides a claim.
	Refused
	// Denied: the caller lacks a permission.
	Denied
	// UnknownOperation: the engine does not know the operation.
	UnknownOperation
	// Throttled: the engine answered that it cannot answer now.
	Throttled
	// Broken: no answer, or the engine broke.
	Broken
	// Local: no engine is at fault. The request was not made or not sent, or what came of it was not understood here.
	Local
	// Withheld: the request, or its answer, would have involved items of others on
	// an existing stack.
	Withheld
)

// decisiveCodes are the codes by which DynamoDB judges a request against the table that
// it names. The list is closed: what is not on it decides nothing.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
var decisiveCodes = []string{
	"ConditionalCheckFailedException", "DuplicateItemException", "ItemCollectionSizeLimitExceededException",
	"ResourceNotFoundException", "SerializationException", "TableNotFoundException", "ValidationException",
}

// DecisiveReasons are the codes of cancellation reasons that do the same for one
// action of a transaction.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
var DecisiveReasons = []string{"ConditionalCheckFailed", "DuplicateItem", "ItemCollectionSizeLimitExceeded", "ValidationError"}

var throttlings = []string{
	"LimitExceededException", "ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException", "TransactionConflictException",
	"TransactionInProgressException",
}

// Classify tells a refusal, which decides a claim, from a request that was never
// really answered, which does not.
func Classify(err error) Kind {
	if _, is := errors.AsType[*safewrite.Refusal](err); is {
		return Withheld
	}
	if errors.Is(err, guard.ErrRefused) {
		return Refused
	}
	if errors.Is(err, batch.ErrUnprocessed) {
		return Throttled
	}
	if _, is := errors.AsType[*target.StrangeAnswer](err); is {
		return Unanswered
	}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		_, unsent := errors.AsType[safewrite.Unsent](err)
		if _, asked := errors.AsType[*smithy.OperationError](err); unsent || !asked {
			return Local
		}
		return Broken
	}
	code, status := api.ErrorCode(), StatusOf(err)
	var cancelled *types.TransactionCanceledException
	switch {
	case status == http.StatusGatewayTimeout:
		return Unanswered
	case status >= http.StatusInternalServerError:
		return Broken
	case code == "UnknownOperationException":
		return UnknownOperation
	case strings.HasPrefix(code, "AccessDenied"), strings.HasPrefix(code, "Unauthorized"):
		return Denied
	case slices.Contains(throttlings, code):
		return Throttled
	case status != http.StatusBadRequest:
		return Unanswered // a redirect, say: DynamoDB judges with 400 alone
	case errors.As(err, &cancelled):
		if slices.ContainsFunc(cancelled.CancellationReasons, func(r types.CancellationReason) bool { return slices.Contains(DecisiveReasons, aws.ToString(r.Code)) }) {
			return Refused
		}
		return Throttled // a conflict, or an action that was throttled
	case slices.Contains(decisiveCodes, code):
		return Refused
	}
	return Unanswered
}

// StatusOf is the HTTP status of a refusal: that of DynamoDB's own where the refusal did not come from outside.
func StatusOf(err error) int {
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		return response.HTTPStatusCode()
	}
	return http.StatusBadRequest
}

// AWS writes: User: ARN is not authorized to perform: ACTION on resource: ARN
// because no KIND allows the ACTION action, or: with an explicit deny in a KIND.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
var (
	deniedAction   = regexp.MustCompile(`perform: ([a-zA-Z0-9-]+:[A-Za-z]+)`)
	deniedResource = regexp.MustCompile(`resource: arn:[^:\s]*:[^:\s]*:[^:\s]*:[^:\s]*:(\S+)`)
	deniedWhy      = regexp.MustCompile(`(no|explicit deny in an?) ((?:identity-based|resource-based|service control|resource control|session|VPC endpoint) policy|permissions boundary)`)
)

// missingPermission reads off a denial which permission is missing, and the kind of policy that does not allow it or denies it. Nothing
// of it names the caller or the account, as the answer's own words do.
func missingPermission(err error) string {
	action := "of an unknown action"
	if operation, ok := errors.AsType[*smithy.OperationError](err); ok {
		action = strings.ToLower(operation.Service()) + ":" + operation.Operation()
	}
	code, message := CodeOf(err)
	if found := deniedAction.FindStringSubmatch(message); found != nil {
		action = found[1]
	}
	text := "the permission " + action
	if found := deniedResource.FindStringSubmatch(message); found != nil {
		text += " on " + found[1]
	}
	text += " is missing"
	if found := deniedWhy.FindStringSubmatch(message); found != nil && found[1] == "no" {
		text += ": no " + found[2] + " allows it"
	} else if found != nil {
		text += ": a " + found[2] + " denies it"
	}
	return text + " (" + code + ")"
}

// Why says in words why a request was not answered.
func Why(err error) string {
	if strange, is := errors.AsType[*target.StrangeAnswer](err); is {
		return strange.Error()
	}
	code, message := CodeOf(err)
	switch Classify(err) {
	case Denied:
		return missingPermission(err)
	case Throttled:
		return fmt.Sprintf("throttled (%s: %s)", code, message)
	case UnknownOperation:
		return fmt.Sprintf("the engine does not know the operation %s (%s)", OperationOf(err), message)
	case Unanswered:
		return fmt.Sprintf("%s says nothing about the table: %s", code, message)
	}
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "stopped before an answer came"
	case errors.As(err, &network) && network.Timeout():
		return "no answer in time: " + network.Error()
	}
	return err.Error()
}

// OperationOf is the operation that was asked for; empty when the error does
// not say.
func OperationOf(err error) string {
	if operation, ok := errors.AsType[*smithy.OperationError](err); ok {
		return operation.Operation()
	}
	return ""
}

// CodeOf returns the error code and message of a refusal.
func CodeOf(err error) (code, message string) {
	if withheld, ok := errors.AsType[*guard.Refusal](err); ok {
		return "refused by the guard for " + string(withheld.Rule), withheld.Error()
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return api.ErrorCode(), api.ErrorMessage()
	}
	if network, ok := errors.AsType[net.Error](err); ok {
		return "network", network.Error()
	}
	return "error", err.Error()
}
