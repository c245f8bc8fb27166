package guard_test

import (
	"bytes"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// transport answers every request with the same body and sends nothing.
type transport struct {
	body []byte
	sent atomic.Int64
}

func (t *transport) Do(*http.Request) (*http.Response, error) {
	t.sent.Add(1)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(t.body)), ContentLength: int64(len(t.body)),
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}}, nil
}

func answering(body string) *transport { return &transport{body: []byte(body)} }

// config is what a program has from its environment, with the given transport.
func config(t *transport) aws.Config {
	return aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String("http://127.0.0.1:1"), HTTPClient: t,
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	}
}

func newClient(t *transport, options ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.NewFromConfig(config(t), append(options, func(o *dynamodb.Options) { o.DisableValidateResponseChecksum = true })...)
}
