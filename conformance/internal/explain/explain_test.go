package explain_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/explain"
)

var update = flag.Bool("update", false, "write testdata/explained.txt anew")

var options = explain.Options{
	Documents: cmp.Or(os.Getenv("DYNAPROOF_DOCUMENTS"), "../../../../shared/designs"), Environment: "dev",
	At: time.Date(2026, 2, 19, 12, 0, 0, 0, time.UTC), Items: true,
}

var explainers = map[string]*explain.Explainer{}

// explainer returns one explainer for all calls with the same options.
func explainer(options explain.Options) *explain.Explainer {
	key := fmt.Sprint(options)
	if explainers[key] == nil {
		explainers[key] = explain.New(options)
	}
	return explainers[key]
}

func claim(t *testing.T, id string, options explain.Options) *explain.Explanation {
	t.Helper()
	explanation, err := explainer(options).Claim(id)
	require.NoError(t, err)
	return explanation
}

// shell runs a script in which `aws` prints its arguments, each ended by NUL, and
// a line feed behind the last.
func shell(t *testing.T, script string) string {
	t.Helper()
	path, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no POSIX shell to paste into")
	}
	run := exec.CommandContext(t.Context(), path)
	run.Stdin = strings.NewReader("aws() { for word in \"$@\"; do printf '%s\\0' \"$word\"; done; printf '\\n'; }\n" + script)
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// exploredBefore is the last run of this executable: it has explored all designs but one.
func exploredBefore(t *testing.T) *evidence.Run {
	t.Helper()
	last := &evidence.Run{Command: "dynaproof verify"}
	require.NoError(t, last.RecordExecutable())
	for _, design := range designs.All() {
		if design.Name == "commit-collect" {
			continue
		}
		seen := evidence.Design{Name: design.Name}
		for _, claim := range explore.Claims(design) {
			seen.Results = append(seen.Results, evidence.Result{ID: design.Name + "/" + claim, Verdict: evidence.Pass, Notes: []string{explore.Begins + "2 requests"}})
		}
		last.Designs = append(last.Designs, seen)
	}
	return last
}

// What the same executable has explored in the last run is not explored again; what another has, or nobody, is.
func TestAnExplorationIsNotRepeated(t *testing.T) {
	with := options
	with.Last = []*evidence.Run{exploredBefore(t)}
	const id = "roll-model/invariant/link-made-once"
	facts := func() (all []string) {
		explanation, err := explain.New(with).Claim(id)
		require.NoError(t, err)
		for _, fact := range explanation.Facts {
			if fact.Name == "exploration" {
				all = append(all, fact.Text)
			}
		}
		return all
	}
	found := facts()
	require.Len(t, found, 1)
	assert.Contains(t, found[0], "whose notes say", "the notes of the last run")
	for name, change := range map[string]func(*evidence.Run){
		"another executable": func(run *evidence.Run) { run.Modules[evidence.Executable] = "sha256:0" },
		"not explored":       func(run *evidence.Run) { run.Designs = nil },
	} {
		with.Last = []*evidence.Run{exploredBefore(t)}
		change(with.Last[0])
		found := facts()
		assert.True(t, len(found) >= 2 && strings.HasPrefix(found[0], explore.Begins), "%s: expected an exploration, found %q", name, found)
	}
}

// Every claim is explained, and every request of it, pasted into a shell, is the
// request that the explanation shows as JSON. The text is frozen, as one digest for each design.
func TestEveryClaimIsExplained(t *testing.T) {
	var script strings.Builder
	var inputs []json.RawMessage
	var wheres []string
	kinds := map[manifest.Kind]int{}
	options := options
	options.Last = []*evidence.Run{exploredBefore(t)}
	var frozen []string
	for _, design := range designs.All() {
		digest := sha256.New()
		for _, c := range manifest.Claims(design) {
			explanation := claim(t, c.ID, options)
			for _, request := range explanation.Requests {
				kinds[c.Kind]++
				assert.NotContains(t, request.Command, "{env}", "%s: a placeholder is left", c.ID)
				if request.Input == nil {
					continue // the ARN of a table comes from another request
				}
				script.WriteString(request.Command + "\n")
				inputs = append(inputs, request.Input)
				wheres = append(wheres, c.ID+", "+request.Where)
			}
			said := *explanation // the lines are those of a document that may not be here
			said.Document = explain.Document{Found: "read", SHA256: "read"}
			var text bytes.Buffer
			assert.NoError(t, said.Text(&text, true), c.ID)
			_, _ = text.WriteTo(digest) // it never fails
			assert.NotZero(t, len(explanation.Facts)+len(explanation.Requests), "%s: nothing is said", c.ID)
		}
		frozen = append(frozen, fmt.Sprintf("%s %x", design.Name, digest.Sum(nil)))
	}
	designtest.Frozen(t, "testdata/explained.txt", frozen, *update)
	for _, kind := range strings.Fields("schema index example entity attribute rule pattern finding guardrail policy") {
		assert.NotZero(t, kinds[manifest.Kind(kind)], "no claim of kind %s has a request", kind)
	}
	calls := strings.Split(strings.TrimSuffix(shell(t, script.String()), "\x00\n"), "\x00\n")
	require.Len(t, calls, len(inputs))
	for i, call := range calls {
		assert.NoError(t, pasted(call, inputs[i]), wheres[i])
	}
}

// pasted reports whether the arguments of an `aws` call carry the request.
func pasted(call string, want json.RawMessage) error {
	words := strings.Split(call, "\x00")
	at := slices.Index(words, "--cli-input-json")
	if words[0] != "dynamodb" || at < 0 || at != len(words)-2 {
		return fmt.Errorf("expected dynamodb … --cli-input-json JSON, found %q", words)
	}
	var expected, found any
	err := errors.Join(json.Unmarshal(want, &expected), json.Unmarshal([]byte(words[at+1]), &found))
	if err != nil || !reflect.DeepEqual(expected, found) {
		return fmt.Errorf("expected %s, found %s, %w", want, words[at+1], err)
	}
	return nil
}

// The comparison above must notice what a shell does to unquoted JSON.
func TestPastedNoticesBadQuoting(t *testing.T) {
	input := json.RawMessage(`{"TableName":"T","Key":{"id":{"S":"it's $HOME"}}}`)
	for name, line := range map[string]string{
		"in double quotes": `aws dynamodb get-item --cli-input-json "` + strings.ReplaceAll(string(input), `"`, `\"`) + `"`,
		"cut at a space":   `aws dynamodb get-item --cli-input-json '{"TableName":"T","Key":{"id":{"S":"it'\''s' '$HOME"}}}'`,
		"not at all":       `aws dynamodb get-item --cli-input-json {}`,
	} {
		assert.Error(t, pasted(strings.TrimSuffix(shell(t, line), "\x00\n"), input), "%s: expected the difference to be noticed", name)
	}
}

func TestTagsTakeTheARNFromTheTable(t *testing.T) {
	explanation := claim(t, "commit-collect/table/CommitCollect/tags", options)
	last := explanation.Requests[len(explanation.Requests)-1]
	script := `aws() { case "$2" in describe-table) [ "$1 $3 $4" = "dynamodb --region ap-southeast-2" ] && echo arn:of:table;; *) echo "$@";; esac; }` + "\n" + last.Command
	assert.Equal(t, "dynamodb list-tags-of-resource --region ap-southeast-2 --resource-arn arn:of:table\n", shell(t, script))
}

// The CLI follows pages by itself. It must where a read goes to its end in pages,
// and must not where the document limits what is read.
func TestPages(t *testing.T) {
	for _, design := range designs.All() {
		for _, pattern := range design.Patterns {
			read := pattern.OnlyRead()
			if read == nil {
				continue
			}
			want := read.Limit > 0 || read.InspectBudget > 0
			for _, request := range claim(t, design.Name+"/pattern/"+pattern.ID, options).Requests {
				assert.Equal(t, want, strings.Contains(request.Command, " --no-paginate "), "%s: --no-paginate", pattern.ID)
			}
		}
	}
	for _, request := range claim(t, "commit-collect/pattern/list-workouts", options).Requests {
		assert.Contains(t, string(request.Input), `"Limit":3000`)
	}
}

// Every decoy says why it is one, every expected item has its content.
func TestDecoysAndItems(t *testing.T) {
	explanation := claim(t, "fus-main/pattern/"+firstList(t, "fus-main"), options)
	require.NotEmpty(t, explanation.Decoys, "expected decoys")
	for _, decoy := range explanation.Decoys {
		assert.NotEmpty(t, decoy.Why, "decoy %s: expected a reason", decoy.Item)
		assert.NotNil(t, explanation.Items[decoy.Item], "decoy %s: expected its content", decoy.Item)
	}
	for _, request := range explanation.Requests {
		for _, name := range request.Expect {
			assert.True(t, json.Valid(explanation.Items[name]), "item %s: expected its content", name)
		}
	}
	without := options
	without.Items = false
	assert.Nil(t, claim(t, explanation.Claim.ID, without).Items, "expected no content unless asked for")
}

func firstList(t *testing.T, name string) string {
	t.Helper()
	design, err := designs.Find(name)
	require.NoError(t, err)
	at := slices.IndexFunc(design.Patterns, func(pattern accesspatterns.Pattern) bool {
		read := pattern.OnlyRead()
		return read != nil && read.Operation == dynamo.Query
	})
	require.GreaterOrEqual(t, at, 0, "no list pattern")
	return design.Patterns[at].ID
}

func TestDocument(t *testing.T) {
	without := options
	without.Documents = t.TempDir()
	id := "roll-model/table/RollModel/key"
	explanation := claim(t, id, without)
	assert.Contains(t, explanation.Document.Problem, "set DYNAPROOF_DOCUMENTS", "expected no lines and the reason")
	assert.Nil(t, explanation.Document.Lines)
	design, err := designs.Find("roll-model")
	require.NoError(t, err)
	without.Documents = t.TempDir() // of a folder that was read nothing is read again
	require.NoError(t, os.WriteFile(without.Documents+"/"+design.Document.File, []byte("1\n2\n3\n4\nfive\n6\n"), 0o600))
	var text bytes.Buffer
	explanation = claim(t, id, without)
	require.NoError(t, explanation.Text(&text, false))
	for _, part := range []string{"the document changed since it was transcribed", "\n     5 | five\n"} {
		assert.Contains(t, text.String(), part)
	}
}

func TestLastVerdictAndDeployedNames(t *testing.T) {
	with := options
	id := "osem-ladders/table/Users/billing"
	with.Last = []*evidence.Run{{Command: "dynaproof audit"}, {Command: "dynaproof verify", Designs: []evidence.Design{{Stack: "osem-ladders.dev", Tables: map[string]string{"Users": "review-17-Users"}, Results: []evidence.Result{{
		ID: id, Verdict: evidence.Fail, Grade: evidence.Engine, Notes: []string{"a note"}, Requests: []int{4, 5, 6, 9}, Departs: []string{"osem-ladders/finding/x"},
		Problems: []evidence.Problem{{Expected: "PAY_PER_REQUEST", Found: "PROVISIONED", Where: "table Users, billing mode", Do: "deploy again"}},
	}}}}}}
	var text bytes.Buffer
	require.NoError(t, claim(t, id, with).Text(&text, false))
	for _, part := range []string{
		`--cli-input-json '{"TableName":"review-17-Users"}'`, "last run  fail on evidence of grade engine",
		"expected  PAY_PER_REQUEST\n", "found     PROVISIONED\n", "do        deploy again\n", "note      a note\n", "ledger    requests 4–6, 9\n", "departs   from the document's words, because of osem-ladders/finding/x\n",
	} {
		assert.Contains(t, text.String(), part)
	}
}

func TestUnknownID(t *testing.T) {
	for id, want := range map[string]string{
		"roll-model/pattern/list-own-entry": "roll-model/pattern/list-own-entries",
		"pattern/list-own-entrys":           "roll-model/pattern/list-own-entries",
		"ledger/no-scan":                    "commit-collect/ledger/no-scan", // every design has one
		"":                                  "/",
	} {
		_, err := explainer(options).Claim(id)
		require.ErrorContains(t, err, want, id)
		assert.NotContains(t, err.Error(), "\n", id)
	}
	assert.Equal(t, "roll-model/table/RollModel/key", claim(t, "table/RollModel/key", options).Claim.ID, "expected an id without its design to be found")
}

// A budgeted read's request does not depend on the run; a relative time does.
func TestRelativeTimesAreThoseOfTheCall(t *testing.T) {
	later := options
	later.At = options.At.AddDate(0, 1, 0)
	differ := 0
	for _, design := range designs.All() {
		explored := explore.Claims(design) // seconds each, and TestEveryClaimIsExplained has them
		for _, c := range manifest.Claims(design) {
			if c.Kind == manifest.KindExample || slices.Contains(explored, strings.TrimPrefix(c.ID, design.Name+"/")) {
				continue
			}
			if a, b := claim(t, c.ID, options), claim(t, c.ID, later); !reflect.DeepEqual(a.Requests, b.Requests) {
				differ++
			}
		}
	}
	assert.NotZero(t, differ, "expected requests with relative times")
}
