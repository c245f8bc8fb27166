package wire

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSignedRegion(t *testing.T) {
	for _, test := range []struct{ name, header, expected string }{
		{"SigV4", "AWS4-HMAC-SHA256 Credential=AKID/20260101/us-west-2/dynamodb/aws4_request, SignedHeaders=host, Signature=0", "us-west-2"},
		{"no space after commas", "AWS4-HMAC-SHA256 Credential=AKID/20260101/us-west-2/dynamodb/aws4_request,Signature=0", "us-west-2"},
		{"slashes in the key id", "AWS4-HMAC-SHA256 Credential=a/b/20260101/us-west-2/dynamodb/aws4_request", "us-west-2"},
		{"unsigned", "", ""},
		{"other scheme", "Bearer Credential=AKID/20260101/us-west-2/dynamodb/aws4_request", ""},
		{"scope too short", "AWS4-HMAC-SHA256 Credential=us-west-2/dynamodb/aws4_request", ""},
		{"no credential", "AWS4-HMAC-SHA256 Signature=0", ""},
	} {
		assert.Equal(t, test.expected, signedRegion(test.header), test.name)
	}
}

func TestErrorType(t *testing.T) {
	for _, test := range []struct{ body, header, expected string }{
		{"com.amazonaws.dynamodb.v20120810#ValidationException", "", "ValidationException"},
		{"ValidationException", "Other", "ValidationException"},
		{"", "ValidationException:http://internal.amazon.com/", "ValidationException"},
		{"", "", ""},
	} {
		assert.Equal(t, test.expected, errorType(test.body, test.header), "%q, %q", test.body, test.header)
	}
}

func TestReadRequestOfAnyShape(t *testing.T) {
	for _, test := range []struct {
		name, body string
		expected   Entry
	}{
		{
			"a member of the wrong type is left out and the others are kept",
			`{"TableName":"t","Limit":"x","IndexName":"i"}`,
			Entry{Operation: "Query", Tables: []string{"t"}, Index: "i", Request: []byte(`{"TableName":"t","Limit":"x","IndexName":"i"}`)},
		},
		{
			"null is as good as absent", `{"TableName":"t","ExclusiveStartKey":null,"QueryFilter":null}`,
			Entry{Operation: "Query", Tables: []string{"t"}, Request: []byte(`{"TableName":"t","ExclusiveStartKey":null,"QueryFilter":null}`)},
		},
		{"not an object", `[1]`, Entry{Operation: "Query", Request: []byte(`[1]`)}},
		{"not JSON", `{"TableName":`, Entry{Operation: "Query", Request: []byte(`"{\"TableName\":"`)}},
		{"empty", ``, Entry{Operation: "Query"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			request, err := http.NewRequest(http.MethodPost, "/", strings.NewReader(test.body))
			require.NoError(t, err)
			request.Header.Set("X-Amz-Target", "DynamoDB_20120810.Query")
			var found Entry
			found.readRequest(request, []byte(test.body))
			test.expected.RequestBytes = len(test.body)
			if len(found.Request) == 0 {
				found.Request = nil
			}
			assert.Empty(t, cmp.Diff(test.expected, found), "(-want +got)")
		})
	}
}

func TestReadResponseOfAnyShape(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		body   string
		check  func(Entry) bool
	}{
		{"no capacity", 200, `{"ConsumedCapacity":null,"LastEvaluatedKey":null}`, func(e Entry) bool {
			return e.ConsumedCapacity == nil && !e.HasLastEvaluatedKey
		}},
		{"several capacities", 200, `{"ConsumedCapacity":[{"TableName":"a","CapacityUnits":0.5},{"TableName":"b","CapacityUnits":1}]}`,
			func(e Entry) bool {
				return *e.ConsumedCapacity == 1.5 && len(e.Capacity) == 2 && e.Capacity[1].Table == "b"
			}},
		{"a capacity by index", 200, `{"ConsumedCapacity":{"TableName":"a","CapacityUnits":6,"Table":{"CapacityUnits":1},"GlobalSecondaryIndexes":{"g":{"CapacityUnits":2}},"LocalSecondaryIndexes":{"l":{"CapacityUnits":3}}}}`,
			func(e Entry) bool {
				return cmp.Equal(e.Capacity, []TableCapacity{{Table: "a", Units: 6, TableUnits: new(1.0), GlobalIndexes: map[string]float64{"g": 2}, LocalIndexes: map[string]float64{"l": 3}}})
			}},
		{"capital Message", 500, `{"__type":"x#InternalServerError","Message":"boom"}`, func(e Entry) bool {
			return e.ErrorType == "InternalServerError" && e.ErrorMessage == "boom"
		}},
		{"an item is no error", 200, `{"Item":{"__type":{"S":"x"}},"message":"x"}`, func(e Entry) bool {
			return e.ErrorType == "" && e.ErrorMessage == ""
		}},
		{"not JSON", 502, "<html>", func(e Entry) bool { return string(e.Response) == `"\u003chtml\u003e"` && e.ErrorType == "" }},
	} {
		var found Entry
		found.readResponse(test.status, http.Header{}, []byte(test.body))
		if found.Status != test.status || found.ResponseBytes != len(test.body) || !test.check(found) {
			t.Errorf("%s: found %+v", test.name, found)
		}
	}
}
