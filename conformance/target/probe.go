package target

import (
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// probe asks an engine the smallest question that proves that it speaks DynamoDB's protocol, one ListTables, and returns
// its Server header. The client's connections are given back, so that they do not keep the engine busy.
func probe(ctx context.Context, client *dynamodb.Client) (server string, err error) {
	defer client.Options().HTTPClient.(*http.Client).CloseIdleConnections()
	once := func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 }
	answer, err := client.ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(1)}, once)
	if err != nil {
		return "", err
	}
	response := awsmiddleware.GetRawResponse(answer.ResultMetadata).(*smithyhttp.Response)
	return response.Header.Get("Server"), nil
}
