package contract_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/strict"
	"dynaproof/accesspatterns/tabletest"
)

var update = flag.Bool("update", false, "write contract.schema.json and testdata/notes.txt anew")

const schemaID = "urn:dynaproof:contract:v1"

const lineOrRange = "^[1-9][0-9]*(-[1-9][0-9]*)?$"

// words is one text or a list of texts.
func words() *jsonschema.Schema {
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string"}, {Type: "array", Items: &jsonschema.Schema{Type: "string"}}}}
}

// generate derives the schema from the types that the files are decoded into, and
// from their comments.
func generate(t *testing.T) []byte {
	t.Helper()
	reflector := jsonschema.Reflector{
		FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true,
		Mapper: func(of reflect.Type) *jsonschema.Schema {
			switch of {
			case reflect.TypeFor[ap.Presence](), reflect.TypeFor[ap.Format]():
				return &jsonschema.Schema{Type: "string"}
			case reflect.TypeFor[[]ap.NarrativeLines]():
				one := &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "integer", Minimum: "1"}, {Type: "string", Pattern: lineOrRange}}}
				return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "integer", Minimum: "1"}, {Type: "string", Pattern: lineOrRange}, {Type: "array", Items: one}}}
			case reflect.TypeFor[file.Pairs]():
				return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}}
			case reflect.TypeFor[types.AttributeValue]():
				return &jsonschema.Schema{Type: "object", Description: "A value in DynamoDB's JSON: {S: text}, {L: []}."}
			case reflect.TypeFor[ap.Citation]():
				properties := jsonschema.NewProperties()
				properties.Set("implied", &jsonschema.Schema{Type: "string", Description: "Why the lines cannot mean anything else, although they do not state it."})
				properties.Set("chosen", &jsonschema.Schema{Type: "string", Description: "The ruling or the finding that decided where the lines are silent or contradict themselves."})
				return &jsonschema.Schema{
					Description: "Lines of the document (24 or 24-26), each with the tokens that must stand on them; or the lines alone, on which the element's own name stands.",
					OneOf: []*jsonschema.Schema{{Type: "integer", Minimum: "1"}, {Type: "string", Pattern: lineOrRange}, {
						Type: "object", PatternProperties: map[string]*jsonschema.Schema{lineOrRange: words()}, Properties: properties, AdditionalProperties: jsonschema.FalseSchema,
					}},
				}
			}
			return nil
		},
	}
	reflector.CommentMap = map[string]string{}
	found := jsonschema.Reflector{}
	require.NoError(t, found.AddGoComments("at", ".."))
	for name, comment := range found.CommentMap {
		for folder, of := range map[string]string{"contract/file.": "dynaproof/accesspatterns/contract/file.", "..": "dynaproof/accesspatterns."} {
			if symbol, is := strings.CutPrefix(name, folder); is {
				reflector.CommentMap[of+symbol] = strings.Join(strings.Fields(comment), " ")
			}
		}
	}
	schema := reflector.Reflect(&file.Contract{})
	shapes(schema, reflect.TypeFor[file.Contract](), "")
	schema.ID = schemaID
	schema.Title = "Contract of a design for DynamoDB"
	return append(tabletest.Must(json.MarshalIndent(schema, "", "  "))(t), '\n')
}

// shapes says of lists which of them may be one text, and which are mappings by name.
func shapes(schema *jsonschema.Schema, of reflect.Type, within string) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	definition := schema.Definitions[cmp.Or(within, of.Name())]
	if of.Kind() != reflect.Struct || definition == nil {
		return
	}
	for i := range of.NumField() {
		field := of.Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		property, is := definition.Properties.Get(name)
		switch {
		case option == "inline":
			shapes(schema, field.Type, cmp.Or(within, of.Name()))
			continue
		case name == "" && option != "":
			definition.Properties.Delete(field.Name)
			continue
		case !is || property.OneOf != nil || property.AdditionalProperties != nil:
			continue
		case option == "words":
			property.Type, property.Items, property.OneOf = "", nil, words().OneOf
		case strict.IsMapping(field.Type):
			property.Type, property.AdditionalProperties, property.Items = "object", property.Items, nil
			if element := field.Type.Elem(); element.Field(element.NumField()-1).Tag.Get("yaml") == ",value" {
				property.AdditionalProperties = &jsonschema.Schema{Type: "string"}
				delete(schema.Definitions, element.Name())
			}
		}
		if field.Type != of && field.Type != reflect.PointerTo(of) {
			shapes(schema, field.Type, "")
		}
	}
}

func TestSchemaIsThatOfTheTypes(t *testing.T) {
	generated := generate(t)
	if *update {
		require.NoError(t, os.WriteFile("contract.schema.json", generated, 0o644))
		return
	}
	assert.True(t, bytes.Equal(generated, contract.Schema()),
		"contract.schema.json differs from the types; run `go test ./accesspatterns/contract -run TestSchemaIsThatOfTheTypes -update`")
}

func compile(t *testing.T) *validator.Schema {
	t.Helper()
	document := tabletest.Must(validator.UnmarshalJSON(bytes.NewReader(contract.Schema())))(t)
	compiler := validator.NewCompiler()
	require.NoError(t, compiler.AddResource(schemaID, document))
	return tabletest.Must(compiler.Compile(schemaID))(t)
}

// asJSON reads YAML as an editor does that checks it against the schema: every
// name of a mapping is text.
func asJSON(t *testing.T, text string) any {
	t.Helper()
	var node yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &node))
	var convert func(node *yaml.Node) any
	convert = func(node *yaml.Node) any {
		switch node.Kind {
		case yaml.DocumentNode:
			return convert(node.Content[0])
		case yaml.MappingNode:
			all := map[string]any{}
			for i := 0; i < len(node.Content); i += 2 {
				all[node.Content[i].Value] = convert(node.Content[i+1])
			}
			return all
		case yaml.SequenceNode:
			all := []any{}
			for _, element := range node.Content {
				all = append(all, convert(element))
			}
			return all
		}
		var value any
		require.NoError(t, node.Decode(&value))
		return value
	}
	return convert(&node)
}

// An editor says what the loader says, as far as a schema can.
func TestSchemaAgreesWithTheLoader(t *testing.T) {
	schema := compile(t)
	for _, name := range []string{"contract.yaml", "archive.yaml"} {
		assert.NoError(t, schema.Validate(asJSON(t, string(tabletest.Must(os.ReadFile("testdata/notes/"+name))(t)))), name)
	}
	for _, row := range tabletest.Read[[]struct{ Name, From, To string }](t, "schema_mistakes.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			text := strings.Replace(notes(t), row.From, row.To, 1)
			assert.Error(t, schema.Validate(asJSON(t, text)), "expected the schema to refuse it")
			_, err := load(t, map[string]string{"contract.yaml": text})
			assert.Error(t, err, "expected the loader to refuse it")
		})
	}
}
