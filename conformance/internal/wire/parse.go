package wire

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unique"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/must"
)

// targetPrefix starts the X-Amz-Target header of DynamoDB's JSON protocol; the operation follows.
const targetPrefix = "DynamoDB_20120810."

// ClaimHeader is the header in which a client may say what a request is for. It decides nothing; it is kept in the ledger.
const ClaimHeader = "Dynaproof-Claim"

// present notes that a JSON member is there and not null, without keeping or copying its value.
type present bool

func (p *present) UnmarshalJSON(value []byte) error {
	*p = string(value) != "null"
	return nil
}

// optional is a JSON member that may be absent, null or of another type, all of which leave value nil.
type optional[T any] struct{ value *T }

func (o *optional[T]) UnmarshalJSON(member []byte) error {
	var value *T
	if input.Exactly(member, &value) == nil {
		o.value = value
	}
	return nil
}

// requestShape is what the ledger reads from a request's body.
type requestShape struct {
	TableName              string
	ResourceArn            string
	IndexName              string
	KeyConditionExpression string
	FilterExpression       string
	ProjectionExpression   string
	ConditionExpression    string
	UpdateExpression       string
	Limit                  optional[int]
	ScanIndexForward       optional[bool]
	ConsistentRead         optional[bool]
	ExclusiveStartKey      present
	Statement              string
	Statements             []struct{ Statement string }
	TransactStatements     []struct{ Statement string }
	RequestItems           map[string]present
	TransactItems          []map[string]struct{ TableName string }

	legacy
}

// legacy are the parameters from before expressions, sorted.
type legacy struct {
	AttributeUpdates, AttributesToGet, ConditionalOperator, Expected, KeyConditions, QueryFilter, ScanFilter present
}

// responseShape is what the ledger reads from an answer's body.
type responseShape struct {
	Type             string `json:"__type"`
	Message          string `json:"message"`
	Capital          string `json:"Message"` // the same, as AWS writes it where it pleases
	Count            optional[int]
	ScannedCount     optional[int]
	LastEvaluatedKey present
	ConsumedCapacity capacities
}

// capacities is ConsumedCapacity: an object for a single operation, an array for batches and transactions.
type capacities []types.ConsumedCapacity

func (c *capacities) UnmarshalJSON(value []byte) error {
	if len(value) > 0 && value[0] == '[' {
		return input.Exactly(value, (*[]types.ConsumedCapacity)(c))
	}
	var single *types.ConsumedCapacity
	if err := input.Exactly(value, &single); err != nil || single == nil {
		return err
	}
	*c = capacities{*single}
	return nil
}

// decode reads what it can from a body into shape and reports whether the body is JSON of which all readers read the same. A member of an
// unexpected type is left out: judging the request is the engine's business, recording it is ours.
func decode[T any](body []byte, shape *T) bool {
	err := input.Exactly(body, shape)
	if err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		*shape = *new(T)
		return false
	}
	return true
}

// keyless are the operations that read, or may read, without a key.
var keyless = []string{"Scan", "ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"}

// Keyless lists the operations that read, or may read, without a key: Scan, and every one of PartiQL.
func Keyless() []string { return slices.Clone(keyless) }

// IsKeyless reports whether a request reads, or may read, without a key.
func IsKeyless(operation string) bool { return slices.Contains(keyless, operation) }

// isName reports whether a text can be the name of an operation: letters alone.
func isName(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
}

// queryAction is the operation of a request in the query protocol, which IAM speaks; empty for others.
func queryAction(request *http.Request, body []byte) string {
	if !strings.HasPrefix(request.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return ""
	}
	form, err := url.ParseQuery(string(body))
	if action := form.Get("Action"); err == nil && isName(action) {
		return action
	}
	return ""
}

// shared returns one text for all that are equal. A header's text is a part of all headers of its request, which stay in
// memory as long as it does.
func shared(text string) string { return unique.Make(text).Value() }

// readRequest fills the request's half of an entry.
func (e *Entry) readRequest(request *http.Request, body []byte) {
	e.RequestBytes = len(body)
	e.InvocationID = strings.Clone(request.Header.Get("Amz-Sdk-Invocation-Id"))
	e.Claim = shared(request.Header.Get(ClaimHeader))
	e.Attempt, _ = strconv.Atoi(group(attempt, request.Header.Get("Amz-Sdk-Request"))) // 0 without
	e.SignedRegion = shared(group(signedRegion, request.Header.Get("Authorization")))
	operation, isDynamoDB := strings.CutPrefix(request.Header.Get("X-Amz-Target"), targetPrefix)
	if !isDynamoDB || !isName(operation) {
		e.Path = strings.TrimSpace(request.Method + " " + request.URL.Path + " " + cmp.Or(request.Header.Get("X-Amz-Target"), queryAction(request, body)))
		e.Request = retained(body, json.Valid(body))
		return
	}
	e.Operation = shared(operation)
	var shape requestShape
	e.Request = retained(body, decode(body, &shape))
	e.Tables = shape.tables()
	e.Index = shape.IndexName
	e.KeyConditionExpression = shape.KeyConditionExpression
	e.FilterExpression = shape.FilterExpression
	e.ProjectionExpression = shape.ProjectionExpression
	e.ConditionExpression = shape.ConditionExpression
	e.UpdateExpression = shape.UpdateExpression
	e.LegacyParameters = shape.used()
	e.Limit = shape.Limit.value
	e.ScanIndexForward = shape.ScanIndexForward.value
	e.ConsistentRead = shape.ConsistentRead.value
	e.HasExclusiveStartKey = bool(shape.ExclusiveStartKey)
	if shape.Statement != "" {
		e.Statements = append(e.Statements, shape.Statement)
	}
	for _, each := range slices.Concat(shape.Statements, shape.TransactStatements) {
		e.Statements = append(e.Statements, each.Statement)
	}
}

// readResponse fills the answer's half of an entry.
func (e *Entry) readResponse(status int, header http.Header, body []byte) {
	e.Status = status
	e.RequestID = strings.Clone(header.Get("X-Amzn-Requestid"))
	e.ResponseBytes = len(body)
	var shape responseShape
	e.Response = retained(body, decode(body, &shape))
	if status >= http.StatusBadRequest {
		e.ErrorType = shared(errorType(shape.Type, header.Get("X-Amzn-Errortype")))
		e.ErrorMessage = cmp.Or(shape.Message, shape.Capital)
		return
	}
	e.Count, e.ScannedCount = shape.Count.value, shape.ScannedCount.value
	e.HasLastEvaluatedKey = bool(shape.LastEvaluatedKey)
	for _, each := range shape.ConsumedCapacity {
		capacity := TableCapacity{
			Table: aws.ToString(each.TableName), Units: aws.ToFloat64(each.CapacityUnits),
			GlobalIndexes: units(each.GlobalSecondaryIndexes), LocalIndexes: units(each.LocalSecondaryIndexes),
		}
		if each.Table != nil {
			capacity.TableUnits = aws.Float64(aws.ToFloat64(each.Table.CapacityUnits))
		}
		e.Capacity = append(e.Capacity, capacity)
		if e.ConsumedCapacity == nil {
			e.ConsumedCapacity = new(float64)
		}
		*e.ConsumedCapacity += capacity.Units
	}
}

// tables lists the tables that a request names.
func (s *requestShape) tables() []string {
	var names []string
	add := func(given string) {
		if name := dynamo.TableName(given); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	add(s.TableName)
	add(s.ResourceArn)
	for _, name := range slices.Sorted(maps.Keys(s.RequestItems)) {
		add(name)
	}
	for _, item := range s.TransactItems {
		for _, action := range item { // exactly one: Put, Update, Delete, ConditionCheck or Get
			add(action.TableName)
		}
	}
	return names
}

// used names those that a request uses.
func (l legacy) used() (names []string) {
	if l == (legacy{}) {
		return nil
	}
	for parameter, used := range reflect.ValueOf(l).Fields() {
		if used.Bool() {
			names = append(names, parameter.Name)
		}
	}
	return names
}

// units takes the figures out of a map by index name; nil for an empty one.
func units(indexes map[string]types.Capacity) map[string]float64 {
	if len(indexes) == 0 {
		return nil
	}
	figures := make(map[string]float64, len(indexes))
	for name, index := range indexes {
		figures[name] = aws.ToFloat64(index.CapacityUnits)
	}
	return figures
}

// retained returns a body as the ledger keeps it: as it is when it is JSON, as a JSON string otherwise.
func retained(body []byte, isJSON bool) json.RawMessage {
	if isJSON || len(body) == 0 {
		return body
	}
	return must.Have(json.Marshal(string(body))) // a string always has a JSON form
}

// attempt is the number of the attempt in the SDK's header, for example "attempt=2; max=3".
var attempt = regexp.MustCompile(`\battempt=(\d{1,9})\b`)

// signedRegion is the region in the credential scope of a SigV4 Authorization header. An access key id may hold slashes.
var signedRegion = regexp.MustCompile(`^AWS4-HMAC-SHA256 .*\bCredential=[^,]+/[^/,]+/([^/,]+)/[^/,]+/[^/,]+`) // KEY/DATE/REGION/SERVICE/aws4_request

// group returns the group of a form in a text; empty where the text does not have the form.
func group(form *regexp.Regexp, text string) string {
	if found := form.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// errorType returns the short name of an error from the body's __type, or else from the header that other AWS protocols
// use: "com.amazonaws.dynamodb.v20120810#ValidationException" and "ValidationException:http://..." are both
// "ValidationException".
func errorType(inBody, inHeader string) string {
	name := cmp.Or(inBody, inHeader)
	if _, short, found := strings.Cut(name, "#"); found {
		name = short
	}
	name, _, _ = strings.Cut(name, ":")
	return name
}
