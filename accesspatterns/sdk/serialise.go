package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"dynaproof/accesspatterns/dynamo"
)

// errCaptured ends a request when its body is known.
var errCaptured = errors.New("the request was not sent")

// captured is where a request's context says that its body goes.
type captured struct{}

// client serialises requests and sends none: each ends before it is signed.
var client = sync.OnceValue(func() *dynamodb.Client {
	capture := middleware.FinalizeMiddlewareFunc("DynaproofCapture",
		func(ctx context.Context, in middleware.FinalizeInput, _ middleware.FinalizeHandler) (out middleware.FinalizeOutput, metadata middleware.Metadata, err error) {
			request, ok := in.Request.(*smithyhttp.Request)
			if !ok {
				return out, metadata, fmt.Errorf("expected an HTTP request, found %T", in.Request)
			}
			text, err := io.ReadAll(request.GetStream())
			if err != nil {
				return out, metadata, err
			}
			if into, ok := ctx.Value(captured{}).(*[]byte); ok {
				*into = text
			}
			return out, metadata, errCaptured
		})
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", Credentials: aws.AnonymousCredentials{},
		APIOptions: []func(*middleware.Stack) error{func(stack *middleware.Stack) error {
			// The SDK writes a token into the input of a transaction. Whoever sends it again later would be answered, and change nothing.
			_, _ = stack.Initialize.Remove("OperationIdempotencyTokenAutoFill") // other operations have none
			return stack.Finalize.Add(capture, middleware.Before)
		}},
	})
})

// Body returns the body of a request as the SDK itself writes it, with its members
// in order. Nothing is sent.
func Body(input any) (json.RawMessage, error) {
	var text []byte
	if _, err := Send(context.WithValue(context.Background(), captured{}, &text), client(), input); !errors.Is(err, errCaptured) {
		return nil, fmt.Errorf("serialising %s: %w", Operation(input), err)
	}
	return sorted(text)
}

// operations are those that [Send] knows: of a table none that makes, changes or deletes it.
var operations = []string{
	"GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems",
	"ExecuteStatement", "ExportTableToPointInTime", "DescribeTable", "DescribeTimeToLive", "DescribeContinuousBackups", "ListTables",
}

// Send calls the client's method for an input, and returns what that returns.
func Send(ctx context.Context, client *dynamodb.Client, input any) (output any, err error) {
	if !slices.Contains(operations, Operation(input)) {
		return nil, fmt.Errorf("no request is sent with %T", input)
	}
	answer := reflect.ValueOf(client).MethodByName(Operation(input)).Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(input)})
	err, _ = answer[1].Interface().(error)
	return answer[0].Interface(), err
}

// sorted writes JSON with its members in order, digits as they are, and no
// escapes that only HTML needs.
func sorted(text []byte) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("the SDK's JSON: %w", err)
	}
	out, err := dynamo.PlainJSON(value, "")
	return json.RawMessage(out), err
}
