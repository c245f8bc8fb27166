package evidence

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"dynaproof/accesspatterns/lists"
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
	byExactName(schema)
	must.Do(compiler.AddResource(SchemaID, schema))
	return schemas{compiler.MustCompile(SchemaID), compiler.MustCompile(SchemaID + "#/$defs/Entry")}
})

// byExactName has a schema refuse members whose names differ in case alone from those that it knows: encoding/json takes "Verdict" for
// "verdict", whatever stands there too, and other readers do not.
func byExactName(schema any) {
	switch of := schema.(type) {
	case []any:
		for _, each := range of {
			byExactName(each)
		}
	case map[string]any:
		for _, each := range of {
			byExactName(each)
		}
		if properties, is := of["properties"].(map[string]any); is {
			names := slices.Sorted(maps.Keys(properties))
			exact := lists.Map(names, func(name string) any { return name })
			of["propertyNames"] = map[string]any{"anyOf": []any{map[string]any{"enum": exact}, map[string]any{"not": map[string]any{"pattern": "(?i)^(" + strings.Join(names, "|") + ")$"}}}}
		}
	}
}

// Validate reports every place at which a stored run does not fit the published
// schema, as one error.
func Validate(text []byte) error { return validate(compiled().run, text, "") }

// validate is [Validate] for a value at a place of the run.
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
		if name, is := found.ErrorKind.(*kind.PropertyNames); is {
			problems = append(problems, fmt.Errorf("expected each member's name as the schema writes it, found %q", name.Property)) // its location is none: the library writes over it
			return
		}
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
