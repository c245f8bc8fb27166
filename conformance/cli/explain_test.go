package cli_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dynaproof/conformance/internal/explain"
)

// olderEvidence is the stored evidence of the first release, as a folder in which
// it is the last run's.
func olderEvidence(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../evidence/testdata/evidence-v2-first.json")
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "evidence.json.gz"), text, 0o600))
	return folder
}

func TestExplain(t *testing.T) {
	t.Parallel()
	needsDocuments(t)
	report := olderEvidence(t)
	c := run(t, "", 0, "explain", "osem-ladders/pattern/soft-delete-team", "--report", report, "--items")
	says(t, "explanation", c.stdout.String(), "document  osem-ladders.md:86, 542\n", "    86 | ", "\naws dynamodb ", "  expected  ",
		`"TableName": "osem-dev-Teams"`, "last run  fail on evidence of grade engine", "  found     ", "\nitems\n")

	c = run(t, "", 0, "explain", "table/CommitCollect/key", "--report", report)
	says(t, "explanation", c.stdout.String(), "aws dynamodb describe-table --region ap-southeast-2 ", "last run  did not check this claim")

	c = run(t, "", 0, "explain", "osem-ladders/table/Users/key", "--env", "prod", "--region", "eu-west-1", "--json")
	var explanation struct {
		Requests []struct {
			Input   struct{ TableName string }
			Command string
		}
		Last any
	}
	require.NoError(t, json.Unmarshal(c.stdout.Bytes(), &explanation))
	if len(explanation.Requests) != 1 || explanation.Requests[0].Input.TableName != "osem-prod-Users" || !strings.Contains(explanation.Requests[0].Command, "--region eu-west-1") {
		t.Errorf("expected the table of the environment and the region, found %+v", explanation.Requests)
	}
	if left := files(t, c.Dir); len(left) > 0 {
		t.Errorf("expected nothing in the working folder, found %v", left)
	}
}

// Of a promise that a pattern does not keep, explain shows the shortest requests that break it, and that the engine was sent them; of one that all keep
// it says nothing of the kind.
func TestExplainSaysWhatTheEngineShowed(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "verify", "roll-model", "--label-filter", "kind:invariant || kind:confinement || kind:validity")
	folder := filepath.Join(c.Dir, "build", "report")
	shown := 0
	for _, result := range read(t, c).Results() {
		text := run(t, "", 0, "explain", result.ID, "--report", folder).stdout.String()
		if !strings.Contains(text, "patterns that do not keep it: ") {
			lacks(t, result.ID, text, "seen on the engine")
			continue
		}
		shown++
		says(t, result.ID, text, "seen on the engine: the ", "does not keep the claim; the items afterwards are those of the exploration")
	}
	if shown < 4 {
		t.Errorf("expected at least four promises that something does not keep, found %d", shown)
	}
}

// Without the documents there is no text, and a hint; everything else is there.
func TestExplainWithoutDocuments(t *testing.T) {
	t.Parallel()
	c := prepare(t, []string{"DYNAPROOF_DOCUMENTS=" + t.TempDir()}, "explain", "fus-main/pattern/get-site")
	c.expect(t, 0)
	says(t, "explanation", c.stdout.String(), "set DYNAPROOF_DOCUMENTS", "aws dynamodb get-item")
}

func TestExplainWrongly(t *testing.T) {
	t.Parallel()
	run(t, "", 2, "explain", "fus-main/pattern/get-sight").oneError(t, `"fus-main/pattern/get-sight"`, "fus-main/pattern/get-site,", "dynaproof claims")
	run(t, "", 2, "explain").oneError(t, "expected one id of a claim, found 0")
	run(t, "", 2, "explain", "a", "b").oneError(t, "found 2")
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "evidence.json.gz"), []byte("{"), 0o600))
	run(t, "", 3, "explain", "fus-main/pattern/get-site", "--report", folder).oneError(t, "evidence")
}

// Completion goes through the same hidden command for every shell.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		args        []string
		words, none []string
	}{
		{[]string{"explain", "roll-model/pattern/list-own"}, []string{"roll-model/pattern/list-own-entries\t"}, []string{"get-"}},
		{[]string{"explain", "fus-main/finding/"}, []string{"fus-main/finding/"}, []string{"osem-ladders/"}},
		{[]string{"explain", "fus-main/pattern/get-site", ""}, nil, []string{"fus-main/"}},
		{[]string{"claims", "--kind", ""}, []string{"pattern\n", "guardrail\n"}, nil},
		{[]string{"claims", "--verdict", ""}, []string{"unsupported\n", "unchecked\n"}, nil},
		{[]string{"claims", "--sort", ""}, []string{"manifest\n", "grade\n"}, nil},
		{[]string{"report", "--format", ""}, []string{"sarif\n", "junit\n", "html\n"}, nil},
		{[]string{"report", ""}, []string{"json\n"}, nil},
	} {
		c := run(t, "", 0, append([]string{"__complete"}, row.args...)...)
		says(t, strings.Join(row.args, " "), c.stdout.String(), row.words...)
		lacks(t, strings.Join(row.args, " "), c.stdout.String(), row.none...)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		says(t, shell, run(t, "", 0, "completion", shell).stdout.String(), "__complete", "dynaproof")
	}
}

// What is explained is what a run sends: every request of a pattern stands in the
// ledger of that claim, and every step that the run reached is explained. Requests
// that hold relative times are left out, because they differ from call to call.
func TestExplainShowsWhatIsSent(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "verify", "--label-filter", "kind:pattern")
	seen := read(t, c)
	bodies := map[int]map[string]any{}
	for _, entry := range seen.Ledger {
		var body map[string]any
		if json.Unmarshal(entry.Request, &body) == nil { // other bodies match nothing
			delete(body, "ClientRequestToken") // each request that is sent has one of its own
			bodies[entry.Seq] = body
		}
	}
	at := time.Date(2026, 2, 19, 12, 0, 0, 0, time.UTC)
	now := explain.New(explain.Options{Environment: "dev", At: at})
	later := explain.New(explain.Options{Environment: "dev", At: at.AddDate(0, 1, 1)})
	compared := 0
	for _, result := range seen.Results() {
		if result.Pattern == nil {
			t.Errorf("%s: expected the cases that were replayed in the evidence", result.ID)
			continue
		}
		explained, err := now.Claim(result.ID)
		require.NoError(t, err)
		another, err := later.Claim(result.ID)
		require.NoError(t, err)
		steps := map[string]bool{}
		for i, request := range explained.Requests {
			where, _, _ := strings.Cut(request.Where, " = ")
			steps[strings.Split(where, ", after another client")[0]] = true
			if !bytes.Equal(request.Input, another.Requests[i].Input) {
				continue
			}
			var body map[string]any
			require.NoError(t, json.Unmarshal(request.Input, &body))
			if !slices.ContainsFunc(result.Requests, func(seq int) bool { return reflect.DeepEqual(bodies[seq], body) }) {
				t.Errorf("%s, %s: the run sent no such request: %s", result.ID, request.Where, request.Input)
			}
			compared++
		}
		for _, replayed := range result.Pattern.Cases {
			for _, step := range replayed.Steps {
				where := strings.TrimSpace("case " + replayed.Name)
				explained := steps[where] || slices.ContainsFunc(slices.Collect(maps.Keys(steps)), func(known string) bool {
					named := where + ", step " + step.Name
					repeated := strings.HasPrefix(known, where+", ") && !strings.Contains(known, ", step ") // of a pattern of one step
					return known == named || strings.HasPrefix(known, named+", ") || repeated
				})
				if step.Request != 0 && !explained {
					t.Errorf("%s, %s: the run reached step %s, which is not explained", result.ID, where, step.Name)
				}
			}
		}
	}
	if compared < 200 {
		t.Errorf("expected at least 200 requests to compare, found %d", compared)
	}
}
