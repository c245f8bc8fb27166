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

	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/must"
)

// published is the JSON Schema of the JSON in evidence.json.gz, generated from the types of
// this package. It allows members that it does not know, so that a file with
// additions still fits the schema of an older release.
//
//go:embed evidence.schema.json
var published []byte

// SchemaID identifies the JSON Schema of [Version].
const SchemaID = "urn:dynaproof:evidence:v2"

// schemas are those of a run and of an entry of its ledger.
type schemas struct{ run, entry *jsonschema.Schema }

// compiled are the schemas, which are part of the program, compiled with the first file.
var compiled = sync.OnceValue(func() schemas {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema := must.Have(jsonschema.UnmarshalJSON(bytes.NewReader(published)))
	must.Do(compiler.AddResource(SchemaID, schema))
	return schemas{compiler.MustCompile(SchemaID), compiler.MustCompile(SchemaID + "#/$defs/Entry")}
})

// Validate reports every place at which a stored run does not fit the published
// schema, as one error.
func Validate(text []byte) error { return validate(compiled().run, new(Run), text, "") }

// validate is [Validate] for a value, of a type, at a place of the run. The schema takes members that it does not know, and so what other
// readers take for one that it knows.
func validate(schema *jsonschema.Schema, of any, text []byte, at string) error {
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("expected JSON: %w", err)
	}
	if err := input.Named(text, of); err != nil {
		return fmt.Errorf("%s/: %w", at, err)
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
