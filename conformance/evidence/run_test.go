package evidence_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// declaring makes the target of a run declare what it cannot answer.
func declaring(run *evidence.Run) *evidence.Run {
	for i := range run.Designs[0].Results {
		if result := &run.Designs[0].Results[i]; result.Verdict == evidence.Unsupported {
			result.Declared = "documents"
		}
	}
	return run
}

// Only pass counts as pass, and a failure is never hidden by something that
// could not be told.
func TestExitCode(t *testing.T) {
	for _, row := range []struct {
		name string
		run  *evidence.Run
		want evidence.ExitCode
	}{
		{"all pass", runOf(evidence.Pass, evidence.Pass), evidence.Conforms},
		{"a named exception", runOf(evidence.Pass, evidence.Waived), evidence.Conforms},
		{"an engine that cannot answer, as it declared", declaring(runOf(evidence.Pass, evidence.Unsupported)), evidence.Conforms},
		{"an engine that cannot answer, and declared nothing", runOf(evidence.Pass, evidence.Unsupported, evidence.Unsupported), evidence.CouldNotTell},
		{"a failure", runOf(evidence.Pass, evidence.Fail), evidence.DoesNotConform},
		{"a failure and an error", runOf(evidence.Fail, evidence.Error), evidence.DoesNotConform},
		{"an error", runOf(evidence.Pass, evidence.Error), evidence.CouldNotTell},
		{"an observation that failed", runOf(evidence.Pass, evidence.Indeterminate), evidence.CouldNotTell},
		{"nothing", runOf(), evidence.CouldNotTell},
		{"nothing but exceptions", runOf(evidence.Waived, evidence.Unsupported), evidence.CouldNotTell},
		{"interrupted", func() *evidence.Run { r := runOf(evidence.Pass); r.Interrupted = true; return r }(), evidence.CouldNotTell},
		{"a design that was not deployed", func() *evidence.Run { r := runOf(evidence.Pass); r.Designs[0].Failure = "x"; return r }(), evidence.CouldNotTell},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.want, row.run.ExitCode())
		})
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
	assert.Empty(t, cmp.Diff(run, got, cmpopts.IgnoreUnexported(evidence.Run{})), "run (-written +read)")
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("expected no partial file, found %v", left)
	}
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
	if _, err := evidence.Read(path); err == nil {
		t.Error("expected Read to miss the ledger")
	}
	got, err := evidence.ReadVerdicts(path)
	require.NoError(t, err)
	whole.Ledger = nil
	assert.Empty(t, cmp.Diff(whole, got, cmpopts.IgnoreUnexported(evidence.Run{})), "run (-whole +verdicts)")
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
		if strings.Contains(string(text), "AKIA") || strings.Contains(string(text), "hunter2") || !strings.Contains(string(text), "is unknown") {
			t.Errorf("names %q: expected the answer without its secrets, found %s", names, text)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	folder := t.TempDir()
	for name, row := range map[string]struct{ text, want string }{
		"another version":            {`{"version": "dynaproof/evidence/v0"}`, "expected version " + evidence.Version},
		"a later version":            {`{"version":"dynaproof/evidence/v9"}`, `expected version dynaproof/evidence/v2, found "dynaproof/evidence/v9"; render it with the release that wrote it`},
		"findings as passes":         {`{"version":"dynaproof/evidence/v1"}`, `expected version dynaproof/evidence/v2, found "dynaproof/evidence/v1"`},
		"nothing":                    {`{}`, `found ""`},
		"no version":                 {`{"designs":[]}`, `found ""`},
		"no JSON":                    {`evidence`, "expected the JSON of a run: invalid character"},
		"another JSON":               {"[]", "expected the JSON of a run"},
		"a member twice deep within": {`{"version": "` + evidence.Version + `", "designs": [{"name": "a", "name": "b"}]}`, `"name" twice`},
		"a version alone, where the schema is asked": {`{"version":"dynaproof/evidence/v2"}`, "does not fit the schema of dynaproof/evidence/v2"},
	} {
		path := filepath.Join(folder, "evidence.json")
		require.NoError(t, os.WriteFile(path, []byte(row.text), 0o600))
		readers := []func(string) (*evidence.Run, error){evidence.ReadValid, evidence.Read, evidence.ReadVerdicts}
		if strings.HasSuffix(name, "the schema is asked") {
			readers = readers[:1]
		}
		for _, read := range readers {
			_, err := read(path)
			assert.ErrorContains(t, err, row.want, name)
		}
	}
	_, err := evidence.Read(filepath.Join(folder, "absent.json"))
	assert.Error(t, err, "expected a missing file to be an error")
}

func TestWeakest(t *testing.T) {
	for _, row := range []struct {
		grades []evidence.Grade
		want   evidence.Grade
	}{
		{nil, evidence.Static},
		{[]evidence.Grade{evidence.AWS}, evidence.AWS},
		{[]evidence.Grade{evidence.AWS, evidence.Engine}, evidence.Engine},
		{[]evidence.Grade{evidence.Emulated, evidence.AWS}, evidence.Emulated},
		{[]evidence.Grade{evidence.Engine, evidence.Static, evidence.Emulated}, evidence.Static},
	} {
		assert.Equal(t, row.want, evidence.Weakest(row.grades...), "%v", row.grades)
	}
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
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("expected a file for its owner alone, found %v, %v", info.Mode(), err)
	}
	if run.Names = evidence.NamesKept; !reflect.DeepEqual(run.Redacted(), run) {
		t.Error("expected every name where they are kept on purpose")
	}
}

// FuzzRead reads any file as evidence. What it accepts can be written, and read
// again to the same verdicts.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"version":"dynaproof/evidence/v0"}`))
	f.Add([]byte(`{"version":"dynaproof/evidence/v2"}`))
	f.Add([]byte(`{"version":"dynaproof/evidence/v2","command":"c","started":"2026-01-01T00:00:00Z","finished":"2026-01-01T00:00:00Z","target":{"kind":"embedded","grade":"engine","url":"u"},"modules":{},"designs":[],"phases":[],"ledger":[]}`))
	f.Add([]byte("[\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "evidence.json")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		run, err := evidence.ReadValid(path)
		if err != nil {
			return
		}
		require.NoError(t, run.Write(path), "accepted, and cannot be written")
		again, err := evidence.ReadValid(path)
		require.NoError(t, err, "written, and not accepted")
		if run.ExitCode() != again.ExitCode() || len(run.Results()) != len(again.Results()) {
			t.Fatalf("expected %d verdicts and exit code %d, found %d and %d", len(run.Results()), run.ExitCode(), len(again.Results()), again.ExitCode())
		}
	})
}
