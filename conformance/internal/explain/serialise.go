package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"al.essio.dev/pkg/shellescape"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"dynaproof/accesspatterns/sdk"
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
		APIOptions: []func(*middleware.Stack) error{func(stack *middleware.Stack) error { return stack.Finalize.Add(capture, middleware.Before) }},
	})
})

// body returns the body of a request as the SDK itself writes it, with its members
// in order.
func body(input any) (json.RawMessage, error) {
	var text []byte
	if err := send(context.WithValue(context.Background(), captured{}, &text), client(), input); !errors.Is(err, errCaptured) {
		return nil, fmt.Errorf("serialising %s: %w", sdk.Operation(input), err)
	}
	return sorted(text)
}

// operations are those whose requests decide a claim.
var operations = []string{
	"GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems",
	"ExecuteStatement", "ExportTableToPointInTime", "DescribeTable", "DescribeTimeToLive", "DescribeContinuousBackups", "ListTables",
}

// send calls the client's method for an input.
func send(ctx context.Context, client *dynamodb.Client, input any) error {
	if !slices.Contains(operations, sdk.Operation(input)) {
		return fmt.Errorf("no request is sent with %T", input)
	}
	answer := reflect.ValueOf(client).MethodByName(sdk.Operation(input)).Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(input)})
	err, _ := answer[1].Interface().(error)
	return err
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
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

var capital = regexp.MustCompile(`([a-z])([A-Z])`)

// cliName is the AWS CLI's name of an operation: "transact-write-items".
func cliName(operation string) string {
	return strings.ToLower(capital.ReplaceAllString(operation, "$1-$2"))
}

// command writes a request as a line for a POSIX shell. Endpoint and credentials
// come from the environment, as `dynaproof serve` prints it; the region too, unless
// the document fixes it.
func command(input any, text json.RawMessage, region string, onePage bool) string {
	words := []string{"aws", "dynamodb", cliName(sdk.Operation(input))}
	if region != "" {
		words = append(words, "--region", region)
	}
	if onePage {
		words = append(words, "--no-paginate")
	}
	return shellescape.QuoteCommand(append(words, "--cli-input-json", string(text)))
}

// limited reports whether a Query or Scan names a Limit.
func limited(input any) bool {
	switch input := input.(type) {
	case *dynamodb.QueryInput:
		return input.Limit != nil
	case *dynamodb.ScanInput:
		return input.Limit != nil
	}
	return false
}
