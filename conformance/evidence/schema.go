package evidence

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// published is the JSON Schema of evidence.json, generated from the types of
// this package. It allows members that it does not know, so that a file with
// additions still fits the schema of an older release.
//
//go:embed evidence.schema.json
var published []byte

// SchemaID identifies the JSON Schema of [Version].
const SchemaID = "urn:dynaproof:evidence:v2"

// Schema returns the published JSON Schema of evidence.json (draft 2020-12).
func Schema() []byte { return bytes.Clone(published) }

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(published))
	if err != nil {
		return nil, fmt.Errorf("the published schema: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(SchemaID, document); err != nil {
		return nil, fmt.Errorf("the published schema: %w", err)
	}
	return compiler.Compile(SchemaID)
})

// Validate reports every place at which a stored run does not fit the published
// schema, as one error.
func Validate(text []byte) error {
	schema, err := compiled()
	if err != nil {
		return err
	}
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
	collect = func(at *jsonschema.ValidationError) {
		for _, cause := range at.Causes {
			collect(cause)
		}
		if len(at.Causes) == 0 {
			problems = append(problems, fmt.Errorf("/%s: %s", strings.Join(at.InstanceLocation, "/"), at.ErrorKind.LocalizedString(printer)))
		}
	}
	collect(invalid)
	return errors.Join(problems...)
}

// ReadValid is [Read] for files of unknown origin: it refuses a file that does
// not fit the published schema, and says where.
func ReadValid(path string) (*Run, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	var stored struct{ Version string }
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, fmt.Errorf("evidence %s: expected the JSON of evidence.json: %w", path, err)
	}
	if stored.Version == Version {
		if err := Validate(text); err != nil {
			return nil, fmt.Errorf("evidence %s: does not fit the schema of %s: %w", path, Version, err)
		}
	}
	return Read(path) // which names versions that it does not know
}
