package evidence

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// published is the JSON Schema of the JSON in evidence.json.gz, generated from the types of
// this package. It allows members that it does not know, so that a file with
// additions still fits the schema of an older release.
//
//go:embed evidence.schema.json
var published []byte

// SchemaID identifies the JSON Schema of [Version].
const SchemaID = "urn:dynaproof:evidence:v2"

// Schema returns the published JSON Schema of the JSON in evidence.json.gz (draft 2020-12).
func Schema() []byte { return bytes.Clone(published) }

// schemas are those of a run and of an entry of its ledger.
type schemas struct{ run, entry *jsonschema.Schema }

var compiled = sync.OnceValues(func() (compiled schemas, err error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(published))
	if err != nil {
		return compiled, fmt.Errorf("the published schema: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(SchemaID, document); err != nil {
		return compiled, fmt.Errorf("the published schema: %w", err)
	}
	if compiled.run, err = compiler.Compile(SchemaID); err == nil {
		compiled.entry, err = compiler.Compile(SchemaID + "#/$defs/Entry")
	}
	return compiled, err
})

// Validate reports every place at which a stored run does not fit the published
// schema, as one error.
func Validate(text []byte) error {
	known, err := compiled()
	if err != nil {
		return err
	}
	return validate(known.run, text, "")
}

// validateEntry is Validate for an entry of a ledger, at its place in the list.
func validateEntry(text []byte, at int) error {
	known, err := compiled()
	if err != nil {
		return err
	}
	return validate(known.entry, text, fmt.Sprintf("/ledger/%d", at))
}

func validate(schema *jsonschema.Schema, text []byte, at string) error {
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("expected JSON: %w", err)
	}
	err = schema.Validate(instance)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	printer := message.NewPrinter(language.English)
	var problems []error
	var collect func(*jsonschema.ValidationError)
	collect = func(found *jsonschema.ValidationError) {
		for _, cause := range found.Causes {
			collect(cause)
		}
		if len(found.Causes) == 0 {
			problems = append(problems, fmt.Errorf("%s/%s: %s", at, strings.Join(found.InstanceLocation, "/"), found.ErrorKind.LocalizedString(printer)))
		}
	}
	collect(invalid)
	return errors.Join(problems...)
}
