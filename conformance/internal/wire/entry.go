package wire

import (
	"encoding/json"
	"time"
)

// Entry is the record of one request and its answer. Entries share memory with the ledger: treat them as read-only.
type Entry struct {
	// Seq counts answers, from 1 and without gaps. Requests that overlap are numbered in the order in which their
	// answers were complete; Started tells when they came. Ledgers that share a [Sequence] count together.
	Seq int `json:"seq"`
	// Started is when the request's headers had arrived.
	Started time.Time `json:"started"`
	// Duration is the time from Started until the answer was complete, in nanoseconds, without the time to send it to
	// the client.
	Duration time.Duration `json:"durationNs"`

	// Operation is the DynamoDB operation, for example "Query"; empty when the request was not one.
	Operation string `json:"operation,omitempty" jsonschema:"pattern=^[A-Za-z]+$"`
	// Path is the HTTP method and the path, for example "GET /health", and behind them the X-Amz-Target of another service's
	// operation, for example "POST / Logs_20140328.FilterLogEvents"; empty for DynamoDB operations.
	Path string `json:"path,omitempty"`
	// InvocationID is the SDK's id for the call, the same for all its attempts. It joins this ledger to the client's.
	InvocationID string `json:"invocationId,omitempty"`
	// Attempt is the number of the attempt within the call, from 1; 0 when the client does not tell.
	Attempt int `json:"attempt,omitempty"`
	// Claim is what the client says that the request is for, in the header [ClaimHeader].
	Claim string `json:"claim,omitempty"`
	// SignedRegion is the region in the credential scope of the request's SigV4 signature.
	SignedRegion string `json:"signedRegion,omitempty"`

	// Tables are the tables that the request names, without repetition: the one of a single operation, those of a
	// batch by name, those of a transaction in its order. An ARN is cut down to the name. It is empty for PartiQL, whose
	// tables stand in Statements.
	Tables []string `json:"tables,omitempty"`
	// Index is the secondary index that is read.
	Index string `json:"index,omitempty"`
	// KeyConditionExpression is the request's parameter of that name.
	KeyConditionExpression string `json:"keyConditionExpression,omitempty"`
	// FilterExpression is the request's parameter of that name.
	FilterExpression string `json:"filterExpression,omitempty"`
	// ProjectionExpression is the request's parameter of that name.
	ProjectionExpression string `json:"projectionExpression,omitempty"`
	// ConditionExpression is the request's parameter of that name. Those inside a transaction stand in Request.
	ConditionExpression string `json:"conditionExpression,omitempty"`
	// UpdateExpression is the request's parameter of that name. Those inside a transaction stand in Request.
	UpdateExpression string `json:"updateExpression,omitempty"`
	// LegacyParameters names the request's parameters from before expressions, such as KeyConditions or QueryFilter. They
	// do what the expressions above do without showing up there.
	LegacyParameters []string `json:"legacyParameters,omitempty"`
	// Limit is the most items that the engine was asked to look at; nil when the request does not say.
	Limit *int `json:"limit,omitempty"`
	// ScanIndexForward is false for descending order; nil when the request does not say, which means ascending.
	ScanIndexForward *bool `json:"scanIndexForward,omitempty"`
	// ConsistentRead tells whether a strongly consistent read was asked for; nil when the request does not say.
	ConsistentRead *bool `json:"consistentRead,omitempty"`
	// HasExclusiveStartKey tells that the request continues after a page.
	HasExclusiveStartKey bool `json:"hasExclusiveStartKey,omitempty"`
	// Statements are the PartiQL statements, in order.
	Statements []string `json:"statements,omitempty"`

	// RequestID is the service's own id of the request, in the answer's header X-Amzn-RequestId. CloudTrail knows the request by it.
	RequestID string `json:"requestId,omitempty"`
	// Status is the HTTP status that the client got; 0 when it got no answer.
	Status int `json:"status,omitempty"`
	// ErrorType is the short name of the error in the answer, for example "ValidationException".
	ErrorType string `json:"errorType,omitempty"`
	// ErrorMessage is the text of the error in the answer.
	ErrorMessage string `json:"errorMessage,omitempty"`
	// Failure says why the engine's answer did not come; empty when it came.
	Failure string `json:"failure,omitempty"`
	// Count is the number of items that a Query or Scan returned, after the filter.
	Count *int `json:"count,omitempty"`
	// ScannedCount is the number of items that a Query or Scan looked at, before the filter.
	ScannedCount *int `json:"scannedCount,omitempty"`
	// HasLastEvaluatedKey tells that there is, or may be, a further page.
	HasLastEvaluatedKey bool `json:"hasLastEvaluatedKey,omitempty"`
	// ConsumedCapacity is the sum over Capacity, in capacity units; nil when the answer does not tell, because the request did not
	// ask (ReturnConsumedCapacity).
	ConsumedCapacity *float64 `json:"consumedCapacity,omitempty"`
	// Capacity is the consumed capacity by table, in the answer's order.
	Capacity []TableCapacity `json:"capacity,omitempty"`

	// Emulated tells that the engine did not know the operation and that an overlay of this package answered.
	Emulated bool `json:"emulated,omitempty"`
	// Injected tells that a [Fault] took part in the answer. Fault is its name, if it has one.
	Injected bool   `json:"injected,omitempty"`
	Fault    string `json:"fault,omitempty"`

	// RequestBytes is the length of the request's body in bytes.
	RequestBytes int `json:"requestBytes,omitempty"`
	// ResponseBytes is the length of the answer's body in bytes.
	ResponseBytes int `json:"responseBytes,omitempty"`
	// Request is the request's body; a JSON string when the body was not JSON.
	Request json.RawMessage `json:"request,omitempty"`
	// Response is the answer's body; a JSON string when the body was not JSON. It is missing where the ledger keeps no
	// responses.
	Response json.RawMessage `json:"response,omitempty"`
	// Truncated tells that Request or Response is missing because it was longer than the ledger keeps;
	// RequestBytes and ResponseBytes tell how long. The other fields are complete.
	Truncated bool `json:"truncated,omitempty"`
}

// TableCapacity is the capacity that a request consumed on one table, in capacity units.
type TableCapacity struct {
	// Table is the table's name.
	Table string `json:"table"`
	// Units is the total for the table and its indexes.
	Units float64 `json:"units"`
	// TableUnits is the part of the table itself; nil unless the request asked for figures by index.
	TableUnits *float64 `json:"tableUnits,omitempty"`
	// GlobalIndexes are the parts of the global secondary indexes, by name.
	GlobalIndexes map[string]float64 `json:"globalIndexes,omitempty"`
	// LocalIndexes are the parts of the local secondary indexes, by name.
	LocalIndexes map[string]float64 `json:"localIndexes,omitempty"`
}
