// Package tabletest reads the tables of tests from files, where many rows of data read better than as Go.
package tabletest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"
	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/input"
)

// started is the folder in which the tests began: a test that changes it runs beside others that read.
var started, startedErr = os.Getwd()

// Read reads a table from a YAML file in the package's folder testdata. The names in the file are those of T's fields in lower case;
// a name that T lacks, a row that does not fit, a table without rows, or anything behind the table ends the test. What a row leaves out
// is empty.
func Read[T any](t testing.TB, file string) T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(started, "testdata", file))
	if err = errors.Join(startedErr, err); err != nil {
		t.Fatal(err)
	}
	table, err := parse[T](text)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return table
}

// parse reads a table from YAML.
func parse[T any](text []byte) (table T, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&table); err != nil {
		return table, err
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return table, errors.New("expected one YAML document, found more behind it")
	}
	switch read := reflect.ValueOf(table); read.Kind() {
	case reflect.Slice, reflect.Map:
		if read.Len() == 0 {
			return table, errors.New("expected rows, found none")
		}
	}
	return table, nil
}

// Must gives what a call has given, or ends the test with its error: Must(os.ReadFile(name))(t).
func Must[T any](value T, err error) func(ends) T {
	return func(t ends) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// ends is what ends a test, or one run of a test with drawn values, which is no [testing.TB].
type ends interface {
	Helper()
	Fatal(args ...any)
}

// As reads a part of a row by the JSON names of T; a name that T lacks ends the test.
func As[T any](t testing.TB, part any) T {
	t.Helper()
	text, err := json.Marshal(part)
	if err != nil {
		t.Fatal(err)
	}
	var read T
	if err := input.Strictly(text, &read); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return read
}

// Changed is the text of a YAML file in the package's folder testdata in which something stands in the place of something else: members of
// maps one by one, and nothing where the change has null.
func Changed(t testing.TB, file string, change map[string]any) []byte {
	t.Helper()
	whole := Read[map[string]any](t, file)
	merge(whole, change)
	text, err := yaml.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func merge(into, change map[string]any) {
	for name, value := range change {
		part, has := into[name].(map[string]any)
		members, are := value.(map[string]any)
		switch {
		case value == nil:
			delete(into, name)
		case has && are:
			merge(part, members)
		default:
			into[name] = value
		}
	}
}

// Item reads an item of a row, whose values have their types as DynamoDB writes them: {a: {S: text}}.
func Item(t testing.TB, part map[string]any) map[string]types.AttributeValue {
	t.Helper()
	if part == nil {
		return nil
	}
	text, err := json.Marshal(part)
	if err != nil {
		t.Fatal(err)
	}
	item, err := dynamo.ReadItem(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return item
}

// JQ is the first value that an expression of jq gives of a value, both as JSON has them. An expression that fails ends the test.
func JQ(t testing.TB, expression string, of any) any {
	t.Helper()
	query, err := gojq.Parse(expression)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	found, _ := query.Run(As[any](t, of)).Next()
	if err, failed := found.(error); failed {
		t.Fatalf("%s: %v", expression, err)
	}
	return As[any](t, found)
}

// Finds holds a value to what expressions of jq must give of it.
func Finds(t testing.TB, where string, of any, finds map[string]any) {
	t.Helper()
	for expression, want := range finds {
		if diff := cmp.Diff(As[any](t, want), JQ(t, expression, of)); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", where, expression, diff)
		}
	}
}
