package evidence_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/target"
)

var update = flag.Bool("update", false, "write evidence.schema.json anew")

// generate derives the schema from the Go types and their comments.
func generate(t *testing.T) []byte {
	t.Helper()
	reflector := jsonschema.Reflector{
		// Readers of a format ignore what they do not know.
		AllowAdditionalProperties: true,
		Mapper: func(of reflect.Type) *jsonschema.Schema {
			var allowed []any
			switch of {
			case reflect.TypeFor[evidence.Verdict]():
				for _, verdict := range evidence.Verdicts() {
					allowed = append(allowed, verdict)
				}
			case reflect.TypeFor[evidence.Grade]():
				for _, grade := range evidence.Grades() {
					allowed = append(allowed, grade)
				}
			case reflect.TypeFor[target.Kind]():
				return &jsonschema.Schema{Type: "string"}
			default:
				return nil
			}
			return &jsonschema.Schema{Type: "string", Enum: allowed}
		},
	}
	for folder, path := range map[string]string{".": "dynaproof/conformance/evidence", "../internal/wire": "dynaproof/conformance/internal/wire", "../target": "dynaproof/conformance/target", "../../accesspatterns/manifest": "dynaproof/accesspatterns/manifest"} {
		require.NoError(t, addComments(&reflector, path, folder))
	}
	schema := reflector.Reflect(&evidence.Run{})
	schema.ID = evidence.SchemaID
	schema.Title = "Evidence of a dynaproof run"
	run := schema.Definitions["Run"]
	version, known := run.Properties.Get("version")
	require.True(t, known, "the run has no version")
	version.Const = evidence.Version
	for _, definition := range schema.Definitions {
		allowNull(definition)
	}
	text, err := json.MarshalIndent(schema, "", "  ")
	require.NoError(t, err)
	return append(text, '\n')
}

// allowNull lets lists and maps that are always written be null, which is how Go
// writes those that were never filled.
func allowNull(definition *jsonschema.Schema) {
	for pair := definition.Properties.Oldest(); pair != nil; pair = pair.Next() {
		property := pair.Value
		isMap := property.Type == "object" && property.AdditionalProperties != nil
		if !slices.Contains(definition.Required, pair.Key) || property.Type != "array" && !isMap {
			continue
		}
		description := property.Description
		property.Description = ""
		pair.Value = &jsonschema.Schema{Description: description, OneOf: []*jsonschema.Schema{property, {Type: "null"}}}
	}
}

// addComments takes descriptions from a package's doc comments. The library
// joins the package path with the folder it was given.
func addComments(reflector *jsonschema.Reflector, path, folder string) error {
	if reflector.CommentMap == nil {
		reflector.CommentMap = map[string]string{}
	}
	found := jsonschema.Reflector{}
	if err := found.AddGoComments("at", folder); err != nil {
		return err
	}
	for name, comment := range found.CommentMap {
		_, symbol, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
		reflector.CommentMap[path+"."+symbol] = strings.Join(strings.Fields(comment), " ")
	}
	return nil
}

func TestSchemaIsThatOfTheTypes(t *testing.T) {
	generated := generate(t)
	if *update {
		require.NoError(t, os.WriteFile("evidence.schema.json", generated, 0o644))
		return
	}
	if !bytes.Equal(generated, evidence.Schema()) {
		t.Errorf("evidence.schema.json differs from the types; run `go test ./conformance/evidence -run TestSchemaIsThatOfTheTypes -update`, "+
			"and change evidence.Version when a reader of the older format would misunderstand a newer file (-committed +generated):\n%s",
			cmp.Diff(string(evidence.Schema()), string(generated)))
	}
}

// older is the evidence of an early run, cut down to a few claims and requests: passed, failed, waived and
// unsupported ones, and findings. It is never written anew. When it cannot be read any more, the format needs a new version.
const older = "testdata/evidence-v2-first.json"

func TestOlderEvidenceIsStillRead(t *testing.T) {
	run, err := evidence.ReadValid(older)
	require.NoError(t, err)
	want := map[evidence.Verdict]int{evidence.Pass: 49, evidence.Shown: 3, evidence.Told: 3, evidence.Fail: 5, evidence.Waived: 2, evidence.Unsupported: 11}
	assert.Empty(t, cmp.Diff(want, evidence.Count(run.Results())), "verdicts (-want +got)")
	if code := run.ExitCode(); code != evidence.DoesNotConform {
		t.Errorf("expected exit code %d, got %d", evidence.DoesNotConform, code)
	}
	operations := []string{}
	for _, entry := range run.Ledger {
		operations = append(operations, entry.Operation)
	}
	assert.Empty(t, cmp.Diff([]string{"DescribeTable", "DescribeContinuousBackups", "ListTables", "Query", "Query", "Scan"}, operations), "ledger (-want +got)")
	if design := run.Designs[0]; design.SHA256 == "" || design.Tables == nil || design.Region == "" {
		t.Errorf("the design lost what it was seen with: %+v", design)
	}
	if problem := run.Designs[len(run.Designs)-1].Results[0]; problem.Verdict != evidence.Fail || len(problem.Problems) == 0 || problem.Problems[0].Expected == "" {
		t.Errorf("expected a failure with its problems first, got %+v", problem)
	}
}

// A run that was never filled is written with null in place of lists.
func TestAnEmptyRunFitsTheSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.json")
	run := evidence.Run{Version: evidence.Version, Designs: []evidence.Design{{Name: "broken", Failure: "no engine"}}}
	require.NoError(t, run.Write(path))
	_, err := evidence.ReadValid(path)
	assert.NoError(t, err)
}

func TestValidateRefuses(t *testing.T) {
	text, err := os.ReadFile(older)
	require.NoError(t, err)
	require.NoError(t, evidence.Validate(text))
	for name, test := range map[string]struct {
		change func(run map[string]any)
		want   string
	}{
		"an unknown verdict":  {func(run map[string]any) { result(run)["verdict"] = "skipped" }, "/designs/0/results/0/verdict: value must be one of"},
		"an unknown grade":    {func(run map[string]any) { result(run)["grade"] = "good" }, "/designs/0/results/0/grade: value must be one of"},
		"a lost id":           {func(run map[string]any) { delete(result(run), "id") }, "/designs/0/results/0: missing property 'id'"},
		"a text for a count":  {func(run map[string]any) { result(run)["observations"] = "3" }, "/designs/0/results/0/observations: got string, want integer"},
		"a lost ledger":       {func(run map[string]any) { delete(run, "ledger") }, "/: missing property 'ledger'"},
		"a time without zone": {func(run map[string]any) { run["started"] = "2026-01-01 10:00" }, "/started: '2026-01-01 10:00' is not valid date-time"},
		"another version":     {func(run map[string]any) { run["version"] = "dynaproof/evidence/v0" }, "/version: value must be 'dynaproof/evidence/v2'"},
		"an id for a shell":   {func(run map[string]any) { result(run)["id"] = "d/x; touch y" }, "/designs/0/results/0/id: 'd/x; touch y' does not match pattern"},
		"a name for a shell":  {func(run map[string]any) { run["designs"].([]any)[0].(map[string]any)["name"] = "d'; touch y; '" }, "/designs/0/name: "},
		"an operation for a shell": {
			func(run map[string]any) { run["ledger"].([]any)[0].(map[string]any)["operation"] = "getitem;touch y;" }, "/ledger/0/operation: ",
		},
		"a fraction of a page": {func(run map[string]any) { result(run)["observations"] = 1.5 }, "/designs/0/results/0/observations: got number, want integer"},
	} {
		t.Run(name, func(t *testing.T) {
			var run map[string]any
			require.NoError(t, json.Unmarshal(text, &run))
			test.change(run)
			changed, err := json.Marshal(run)
			require.NoError(t, err)
			if err := evidence.Validate(changed); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("expected an error that begins with %q, got %v", test.want, err)
			}
		})
	}
}

func result(run map[string]any) map[string]any {
	return run["designs"].([]any)[0].(map[string]any)["results"].([]any)[0].(map[string]any)
}

// The digest must be that of the file that runs, so that the attestation can be
// joined to it with sha256sum.
func TestRecordExecutable(t *testing.T) {
	var run evidence.Run
	require.NoError(t, run.RecordExecutable())
	path, err := os.Executable()
	require.NoError(t, err)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	digest := sha256.Sum256(content)
	if want, got := "sha256:"+hex.EncodeToString(digest[:]), run.Modules[evidence.Executable]; got != want {
		t.Errorf("expected %s, got %s", want, got)
	}
}
