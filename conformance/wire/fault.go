package wire

import (
	"encoding/json"
	"net/http"
)

// Fault decides, before a request is forwarded, whether something else than the engine answers. It gets the request's half
// of the entry (no Seq yet) and returns nil to let the request pass. It is called from many goroutines at once.
type Fault func(Entry) *FaultResponse

// FaultResponse is the answer of a [Fault].
type FaultResponse struct {
	// Drop closes the client's connection without an answer; the other fields are then not used.
	Drop bool
	// Status is the HTTP status, for example 400 or 500.
	Status int
	// ErrorType is the short name of a DynamoDB error, for example "ProvisionedThroughputExceededException".
	ErrorType string
	// Message is the error's text.
	Message string
}

// dynamoDBError returns the body of a DynamoDB error.
func dynamoDBError(errorType, message string) []byte {
	body, err := json.Marshal(map[string]string{
		"__type":  "com.amazonaws.dynamodb.v20120810#" + errorType,
		"message": message,
	})
	if err != nil { // strings always have a JSON form
		panic(err)
	}
	return body
}

// ownAnswer returns an answer that this package made up. It has no X-Amz-Crc32, which SDKs may leave out but would check.
func ownAnswer(status int, body []byte) *answer {
	return &answer{status: status, header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, body: body}
}
