package evidence_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

func runOf(verdicts ...evidence.Verdict) *evidence.Run {
	run := &evidence.Run{Version: evidence.Version, Designs: []evidence.Design{{Name: "d"}}}
	for _, verdict := range verdicts {
		run.Designs[0].Results = append(run.Designs[0].Results, evidence.Result{ID: "d/x", Verdict: verdict})
	}
	return run
}

func TestExitCode(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Run string
		Verdicts  []evidence.Verdict
		Code      evidence.ExitCode
	}](t, "exit_codes.yaml") {
		run := tabletest.As[*evidence.Run](t, tabletest.JQ(t, cmp.Or(row.Run, "."), runOf(row.Verdicts...)))
		assert.Equal(t, row.Code, run.ExitCode(), row.Name)
	}
}

func TestWriteAndRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report", "evidence.json")
	run := runOf(evidence.Pass)
	run.Started = time.Date(2026, 2, 19, 12, 0, 0, 0, time.UTC)
	run.Ledger = []wire.Entry{{Seq: 1, Operation: "Query", Request: []byte(`{"TableName":"d"}`)}}
	require.NoError(t, run.Write(path))
	got, err := evidence.Read(path)
	require.NoError(t, err)
	got.Ledger[0].Request = []byte(strings.Join(strings.Fields(string(got.Ledger[0].Request)), ""))
	run.Names = evidence.NamesRedacted
	assert.Empty(t, gocmp.Diff(run, got, cmpopts.IgnoreUnexported(evidence.Run{})), "run (-written +read)")
	left, _ := filepath.Glob(path + ".*")
	assert.Empty(t, left, "expected no partial file")
}

// What needs the verdicts alone reads nothing of the ledger: it is not even there.
func TestReadVerdicts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.json")
	run := runOf(evidence.Pass)
	run.Ledger = []wire.Entry{{Seq: 1, Operation: "Query"}}
	require.NoError(t, run.Write(path))
	whole, err := evidence.Read(path)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	head, _, found := strings.Cut(string(text), `"seq"`)
	require.True(t, found, "expected a ledger")
	require.NoError(t, os.WriteFile(path, []byte(head), 0o600))
	_, err = evidence.Read(path)
	assert.Error(t, err, "expected Read to miss the ledger")
	got, err := evidence.ReadVerdicts(path)
	require.NoError(t, err)
	whole.Ledger = nil
	assert.Empty(t, gocmp.Diff(whole, got, cmpopts.IgnoreUnexported(evidence.Run{})), "run (-whole +verdicts)")
}

// What an engine says is kept, but for keys and tokens in it, also where names are kept.
func TestSecretsInAnswersAreNotKept(t *testing.T) {
	for _, names := range []string{"", evidence.NamesKept} {
		run := &evidence.Run{Version: evidence.Version, Names: names, Ledger: []wire.Entry{{
			ErrorMessage: "key AKIAIOSFODNN7EXAMPLE is unknown", Response: json.RawMessage(`{"message":"AWS_SECRET_ACCESS_KEY=hunter2 Authorization: Bearer hunter2"}`),
		}}}
		path := filepath.Join(t.TempDir(), "evidence.json")
		require.NoError(t, run.Write(path))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.NotRegexp(t, "AKIA|hunter2", string(text), "names %q", names)
		assert.Contains(t, string(text), "is unknown", "names %q", names)
	}
}

// A small file that says much is refused before it takes the memory of the machine.
func TestReadBoundsAValue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.json.gz")
	for member, says := range map[string]string{
		`"x": "` + strings.Repeat("a", input.Export+1<<20) + `"`: "expected at most 1024 MB, and of them 64 MB for one member or request, found more",
		`"designs": [{}` + strings.Repeat(",{}", 4<<20) + `]`:    "expected a run that takes at most 2048 MB of memory, found more",
	} {
		var text bytes.Buffer
		zipped := gzip.NewWriter(&text)
		_, err := fmt.Fprintf(zipped, `{"version": %q, %s}`, evidence.Version, member)
		require.NoError(t, errors.Join(err, zipped.Close(), os.WriteFile(path, text.Bytes(), 0o600)))
		for _, read := range []func(string) (*evidence.Run, error){evidence.Read, evidence.ReadValid} {
			_, err = read(path)
			assert.ErrorContains(t, err, says)
		}
	}
}

// refused are files and runs that are no evidence.
type refused struct {
	Files []struct {
		Name, Text, Want string
		Schema           bool
	}
	Runs []struct{ Name, Run, Want string }
}

func TestReadRefuses(t *testing.T) {
	folder := t.TempDir()
	for _, row := range tabletest.Read[refused](t, "refused.yaml").Files {
		path := filepath.Join(folder, "evidence.json")
		require.NoError(t, os.WriteFile(path, []byte(row.Text), 0o600))
		_, err := evidence.ReadValid(path)
		assert.ErrorContains(t, err, row.Want, row.Name)
		if row.Schema {
			continue
		}
		for _, read := range []func(string) (*evidence.Run, error){evidence.Read, evidence.ReadVerdicts} {
			_, err := read(path)
			assert.ErrorContains(t, err, row.Want, row.Name)
		}
	}
	_, err := evidence.Read(filepath.Join(folder, "absent.json"))
	assert.Error(t, err, "expected a missing file to be an error")
}

func TestWeakest(t *testing.T) {
	assert.Equal(t, evidence.Static, evidence.Weakest())
	assert.Equal(t, evidence.AWS, evidence.Weakest(evidence.AWS))
	assert.Equal(t, evidence.Engine, evidence.Weakest(evidence.AWS, evidence.Engine))
	assert.Equal(t, evidence.Emulated, evidence.Weakest(evidence.Emulated, evidence.AWS))
	assert.Equal(t, evidence.Static, evidence.Weakest(evidence.Engine, evidence.Static, evidence.Emulated))
}

// What a run saw of an account, and of tables that are not its own, does not leave it; what its own words are stays.
func TestRedacted(t *testing.T) {
	const caller = "arn:aws:sts::123456789012:assumed-role/ProdAdmin/jane.doe@corp.example"
	run := runOf(evidence.Fail)
	run.Private = true
	run.Target = target.Description{Kind: target.KindAWS, Account: "123456789012", Caller: caller}
	run.Designs[0].Tables = map[string]string{"Users": "osem-prod-Users"}
	run.Designs[0].Results[0].ID = "d/table/payroll-secret/exists" // an id is no name, whatever it looks like
	run.Designs[0].Results[0].Problems = []evidence.Problem{{Found: "table payroll-secret, seen by jane.doe@corp.example of 123456789012"}}
	run.Ledger = []wire.Entry{
		{Seq: 1, Operation: "ListTables", Response: json.RawMessage(`{"TableNames":["osem-prod-Users","payroll-secret","Users"]}`)},
		{Seq: 2, Operation: "DescribeTable", ErrorMessage: "User: " + caller + " is not authorized on arn:aws:dynamodb:eu-west-1:123456789012:table/payroll-secret"},
	}
	path := filepath.Join(t.TempDir(), "evidence.json")
	require.NoError(t, run.Write(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, name := range []string{"123456789012", "ProdAdmin", "jane", "corp.example", `"payroll-secret"`, "table payroll-secret", "table/payroll-secret\""} {
		assert.NotContains(t, string(text), name)
	}
	for _, kept := range []string{"osem-prod-Users", "d/table/payroll-secret/exists", "[table]", "[session]"} {
		assert.Contains(t, string(text), kept)
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode(), "expected a file for its owner alone")
	run.Names = evidence.NamesKept
	assert.Equal(t, run, run.Redacted(), "expected every name where they are kept on purpose")
}

// FuzzRead reads any file as evidence. What it accepts can be written, and read
// again to the same verdicts.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"version":"dynaproof/evidence/v0"}`, `{"version":"dynaproof/evidence/v2"}`, "[\xff",
		`{"version":"dynaproof/evidence/v2","command":"c","started":"2026-01-01T00:00:00Z","finished":"2026-01-01T00:00:00Z","target":{"kind":"embedded","grade":"engine","url":"u"},"modules":{},"designs":[],"phases":[],"ledger":[]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "evidence.json")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		run, err := evidence.ReadValid(path)
		if err != nil {
			return
		}
		path += ".again" // the text that was read may bear no mark of this program's
		require.NoError(t, run.Write(path), "accepted, and cannot be written")
		again, err := evidence.ReadValid(path)
		require.NoError(t, err, "written, and not accepted")
		require.Equal(t, run.ExitCode(), again.ExitCode())
		require.Len(t, again.Results(), len(run.Results()))
	})
}

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
	published, err := os.ReadFile("evidence.schema.json")
	require.NoError(t, err)
	assert.Empty(t, gocmp.Diff(string(published), string(generated)),
		"evidence.schema.json differs from the types (-committed +generated); run `go test ./conformance/evidence -run TestSchemaIsThatOfTheTypes -update`, "+
			"and change evidence.Version when a reader of the older format would misunderstand a newer file")
}

// older is the evidence of an early run, cut down to a few claims and requests: passed, failed, waived and
// unsupported ones, and findings. It is never written anew. When it cannot be read any more, the format needs a new version.
const older = "testdata/evidence-v2-first.json"

func TestOlderEvidenceIsStillRead(t *testing.T) {
	run, err := evidence.ReadValid(older)
	require.NoError(t, err)
	want := map[evidence.Verdict]int{evidence.Pass: 49, evidence.Shown: 3, evidence.Told: 3, evidence.Fail: 5, evidence.Waived: 2, evidence.Unsupported: 11}
	assert.Empty(t, gocmp.Diff(want, evidence.Count(run.Results())), "verdicts (-want +got)")
	assert.Equal(t, evidence.DoesNotConform, run.ExitCode())
	operations := []string{}
	for _, entry := range run.Ledger {
		operations = append(operations, entry.Operation)
	}
	assert.Equal(t, []string{"DescribeTable", "DescribeContinuousBackups", "ListTables", "Query", "Query", "Scan"}, operations, "the ledger")
	design := run.Designs[0]
	assert.True(t, design.SHA256 != "" && design.Tables != nil && design.Region != "", "the design lost what it was seen with: %+v", design)
	failed := run.Designs[len(run.Designs)-1].Results[0]
	assert.Equal(t, evidence.Fail, failed.Verdict, "expected a failure first")
	assert.NotEmpty(t, failed.Problems[0].Expected)
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
	for _, row := range tabletest.Read[refused](t, "refused.yaml").Runs {
		changed, err := json.Marshal(tabletest.JQ(t, row.Run, json.RawMessage(text)))
		require.NoError(t, err)
		err = evidence.Validate(changed)
		require.Error(t, err, row.Name)
		assert.True(t, strings.HasPrefix(err.Error(), row.Want), "%s: expected %q first, found %q", row.Name, row.Want, err)
	}
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
	assert.Equal(t, "sha256:"+hex.EncodeToString(digest[:]), run.Modules[evidence.Executable])
}
