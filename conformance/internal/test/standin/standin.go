// Package standin answers requests in DynamoDB's place, in memory, for tests that need no engine.
package standin

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Address is what clients of a service are told to ask. Nothing listens there.
const Address = "http://127.0.0.1:1"

// Service writes the answer to an operation, asked being the request's body.
type Service func(w http.ResponseWriter, operation, asked string)

// RoundTrip implements [http.RoundTripper].
func (s Service) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	asked, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	_, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	s(w, operation, string(asked))
	return w.Result(), nil
}

// Client returns a client of the service.
func (s Service) Client(change ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(Address), Region: "us-east-1", HTTPClient: &http.Client{Transport: s}, Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	}, change...)
}
