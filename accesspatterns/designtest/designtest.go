// Package designtest builds parts of designs for tests, and has a small design in
// which everything fits. Production has no use for it: contracts are written in YAML.
package designtest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/cliinput"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
)

// Send calls the client's method for an input of whatever operation. Production sends with [sdk.Send], which knows none that makes,
// changes or deletes a table.
func Send(ctx context.Context, client *dynamodb.Client, input any) (output any, err error) {
	answer := reflect.ValueOf(client).MethodByName(sdk.Operation(input)).Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(input)})
	err, _ = answer[1].Interface().(error)
	return answer[0].Interface(), err
}

// Input is the SDK's input of a request that a file of a test has: an operation with the input that the AWS CLI takes.
func Input(request map[string]any) (any, error) {
	if len(request) != 1 {
		return nil, fmt.Errorf("expected one operation, found %d", len(request))
	}
	operation := slices.Collect(maps.Keys(request))[0]
	text, err := json.Marshal(request[operation])
	if err != nil {
		return nil, err
	}
	return cliinput.Decoder{}.Input(operation, text)
}

// SendAll sends the requests of a file of a test one after another. The test ends at one that is refused.
func SendAll(t testing.TB, client *dynamodb.Client, requests []map[string]any) {
	t.Helper()
	for _, request := range requests {
		input, err := Input(request)
		if err == nil {
			_, err = Send(t.Context(), client, input)
		}
		if err != nil {
			t.Fatalf("%v: %v", request, err)
		}
	}
}

// Line cites one line of the document.
func Line(line int, tokens ...string) accesspatterns.Citation { return Lines(line, line, tokens...) }

// Lines cites a range of lines, both ends included.
func Lines(first, last int, tokens ...string) accesspatterns.Citation {
	return accesspatterns.Citation{First: first, Last: last, Tokens: tokens}
}

// Text is a String operand.
func Text(template accesspatterns.KeyTemplate) accesspatterns.Operand {
	return accesspatterns.Operand{Type: dynamo.String, Template: template}
}

// Digits is a Number operand.
func Digits(template accesspatterns.KeyTemplate) accesspatterns.Operand {
	return accesspatterns.Operand{Type: dynamo.Number, Template: template}
}

// Equals is an equality on a String key attribute.
func Equals(attribute string, template accesspatterns.KeyTemplate) *accesspatterns.Equality {
	return &accesspatterns.Equality{Attribute: attribute, Value: Text(template)}
}

// Is requires the sort key to have exactly this value.
func Is(attribute string, template accesspatterns.KeyTemplate) *accesspatterns.SortCondition {
	return &accesspatterns.SortCondition{Attribute: attribute, Operator: expression.Equal, Value: Text(template)}
}

// BeginsWith requires the sort key to begin with this value.
func BeginsWith(attribute string, template accesspatterns.KeyTemplate) *accesspatterns.SortCondition {
	return &accesspatterns.SortCondition{Attribute: attribute, Operator: expression.BeginsWith, Value: Text(template)}
}

// Get is a GetItem by partition key, or by partition and sort key.
func Get(table string, partition *accesspatterns.Equality, sort ...*accesspatterns.SortCondition) *accesspatterns.Read {
	read := &accesspatterns.Read{Operation: dynamo.GetItem, Table: table, Partition: partition}
	if len(sort) > 0 {
		read.Sort = sort[0]
	}
	return read
}

// Narrates lists single lines that share one reason.
func Narrates(reason string, lines ...int) []accesspatterns.NarrativeLines {
	return lists.Map(lines, func(line int) accesspatterns.NarrativeLines {
		return accesspatterns.NarrativeLines{First: line, Last: line, Reason: reason}
	})
}
