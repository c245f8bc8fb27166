// Package tabletest reads the tables of tests from files, where many rows of data read better than as Go.
package tabletest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Read reads a table from a YAML file in the package's folder testdata. The names in the file are those of T's fields in lower case;
// a name that T lacks, or a row that does not fit, ends the test. What a row leaves out is empty.
func Read[T any](t testing.TB, file string) T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var table T
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&table); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return table
}
