package safewrite

import (
	"context"
	"strings"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
)

// ReadOnly makes a client refuse every operation that does not describe or list:
// it is one of the client's APIOptions. The refusal comes before a request is
// built, so that no code path of the client can send one.
func ReadOnly(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("DynaproofReadOnly",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			if operation := awsmiddleware.GetOperationName(ctx); !Describes(operation) {
				return middleware.InitializeOutput{}, middleware.Metadata{}, &WriteError{operation}
			}
			return next.HandleInitialize(ctx, in)
		}), middleware.Before)
}

// Describes reports whether an operation of DynamoDB only describes tables: it
// neither changes anything nor returns items.
func Describes(operation string) bool {
	return strings.HasPrefix(operation, "Describe") || strings.HasPrefix(operation, "List") || operation == "GetResourcePolicy"
}

// WriteError says that a read-only client was asked for something else.
type WriteError struct{ Operation string }

func (e *WriteError) Error() string {
	return "read-only client: expected requests that describe and list alone, found " + e.Operation + ", which was not sent; this is a defect, please report it"
}
