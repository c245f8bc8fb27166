package safewrite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"

	"dynaproof/accesspatterns/sdk"
)

// ReadOnly makes a client refuse every operation that does not describe or list:
// it is one of the client's APIOptions. The refusal comes before a request is
// built, so that no code path of the client can send one.
func ReadOnly(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("DynaproofReadOnly",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			if operation := awsmiddleware.GetOperationName(ctx); !Describes(operation) {
				return middleware.InitializeOutput{}, middleware.Metadata{}, Unsent{&WriteError{operation}}
			}
			return next.HandleInitialize(ctx, in)
		}), middleware.Before)
}

// Within makes a client, beside the tables of others, send nothing but requests that describe and list, and those that read or write
// items of tables with these names: what is asked may be of a contract that somebody else wrote. A statement of PartiQL and an export name
// no table that is compared, and an ARN may be of another account. It is one of the client's APIOptions, and stands behind a guard.
func Within(names ...string) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		return stack.Serialize.Add(middleware.SerializeMiddlewareFunc("DynaproofWithin",
			func(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (out middleware.SerializeOutput, metadata middleware.Metadata, err error) {
				operation := awsmiddleware.GetOperationName(ctx)
				if Describes(operation) {
					return next.HandleSerialize(ctx, in)
				}
				writes, unwritten := sdk.Writes(in.Parameters)
				lookups, unread := sdk.Lookups(in.Parameters)
				var asked []string
				for i := range writes {
					asked = append(asked, writes[i].Table)
				}
				for i := range lookups {
					asked = append(asked, lookups[i].Table)
				}
				others := slices.DeleteFunc(slices.Clone(asked), func(name string) bool { return slices.Contains(names, name) })
				if len(asked) == 0 || len(others) > 0 || unwritten != nil || unread != nil {
					return out, metadata, Unsent{fmt.Errorf("expected a request for items of the run's tables alone, found %s%s, which was not sent; verify it on an engine of the run's own", operation, strings.Join(append([]string{""}, others...), " of "))}
				}
				return next.HandleSerialize(ctx, in)
			}), middleware.After)
	}
}

// Describes reports whether an operation of DynamoDB only describes tables: it
// neither changes anything nor returns items.
func Describes(operation string) bool {
	return strings.HasPrefix(operation, "Describe") || strings.HasPrefix(operation, "List") || operation == "GetResourcePolicy"
}

// Unsent is why a client did not send a request. No engine is at fault.
type Unsent struct{ error }

// Unwrap is the reason itself.
func (u Unsent) Unwrap() error { return u.error }

// WriteError says that a read-only client was asked for something else.
type WriteError struct{ Operation string }

func (e *WriteError) Error() string {
	return "read-only client: expected requests that describe and list alone, found " + e.Operation + ", which was not sent; this is a defect, please report it"
}
