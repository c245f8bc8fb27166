package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
)

// copied copies the design documents into a folder of the test's own, where they
// may be edited. It skips the test where there are none.
func copied(t *testing.T) string {
	t.Helper()
	from := cmp.Or(os.Getenv("DYNAPROOF_DOCUMENTS"), "../../../shared/designs")
	folder := t.TempDir()
	for _, design := range designs.All() {
		text, err := os.ReadFile(filepath.Join(from, design.Document.File))
		if errors.Is(err, os.ErrNotExist) {
			t.Skipf("edits of the documents are not tried: expected %s in %s, found none; set DYNAPROOF_DOCUMENTS", design.Document.File, from)
		}
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, design.Document.File), text, 0o600))
	}
	return folder
}

// edit changes one line, counted from 1, of a document in the folder.
func edit(t *testing.T, folder, file string, number int, change func(string) string) {
	t.Helper()
	path := filepath.Join(folder, file)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	lines[number-1] = change(lines[number-1])
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
}

// noEvidence is a file that is not there.
func noEvidence(t *testing.T) documentsOutput {
	return documentsOutput{evidence: filepath.Join(t.TempDir(), "evidence.json.gz")}
}

func exitCodeOf(err error) evidence.ExitCode {
	var decided outcome
	if errors.As(err, &decided) {
		return decided.code
	}
	return evidence.Conforms
}

func examineFolder(t *testing.T, folder string, output documentsOutput, names ...string) (string, evidence.ExitCode) {
	t.Helper()
	var out bytes.Buffer
	err := documents(&out, folder, names, output)
	return out.String(), exitCodeOf(err)
}

func mention(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		assert.Contains(t, text, want)
	}
}

func TestDocumentsHold(t *testing.T) {
	text, code := examineFolder(t, copied(t), noEvidence(t))
	assert.Equal(t, evidence.Conforms, code, "expected exit code 0")
	mention(t, text, "roll-model.md", "personal-os.md", "PASS", "no verdicts: no evidence of a run")
}

func TestAnEditedDocumentIsNamedLineByLine(t *testing.T) {
	folder := copied(t)
	edit(t, folder, "roll-model.md", 5, func(line string) string { return strings.Replace(line, "`SK`", "`Sort`", 1) })
	edit(t, folder, "fus-main.md", 1, func(line string) string { return line + "\nanother promise" })
	text, code := examineFolder(t, folder, noEvidence(t))
	assert.Equal(t, evidence.DoesNotConform, code, "expected exit code 1")
	mention(t, text,
		"line 5 changed", "cited by roll-model/table/RollModel/key", "tokens gone   roll-model/table/RollModel/key (roll-model.md:5)", "tokens stand ",
		"line 2 was added", "line 2 is unaccounted", "further citations stand on the same lines under other numbers", "FAIL")
	assert.NotContains(t, text, "line 6 changed")
}

func TestVerdictsOfTheLastRun(t *testing.T) {
	folder := copied(t)
	design := designs.All()[0]
	run := evidence.Run{Version: evidence.Version, Designs: []evidence.Design{{Name: design.Name, SHA256: design.Document.SHA256, Results: []evidence.Result{
		{ID: "roll-model/table/RollModel/pitr", Verdict: evidence.Unsupported},
	}}}}
	output := noEvidence(t)
	output.lines, output.explicit = true, true
	require.NoError(t, run.Write(output.evidence))
	text, code := examineFolder(t, folder, output, design.Name)
	if code != evidence.Conforms {
		t.Errorf("expected exit code 0: verdicts do not decide about documents; found %d", code)
	}
	mention(t, text, "roll-model.md:7\tcited\tunsupported; unsupported: roll-model/table/RollModel/pitr; not run: ", "roll-model.md:6\tcited\tnot run; not run: ")
	assert.NotContains(t, text, "commit-collect.md")

	run.Designs[0].SHA256 = strings.Repeat("0", 64)
	require.NoError(t, run.Write(output.evidence))
	text, _ = examineFolder(t, folder, output, design.Name)
	mention(t, text, "is of another version of its document", "roll-model.md:7\tcited\tnot run; not run: ")
}

// The text of a document is printed only when it is asked for.
func TestTextIsPrintedOnlyOnDemand(t *testing.T) {
	folder := copied(t)
	output := noEvidence(t)
	output.lines = true
	secret := "a sentence of nobody's"
	edit(t, folder, "roll-model.md", 1, func(string) string { return secret })
	for _, row := range []struct{ text, json bool }{{false, false}, {false, true}, {true, false}} {
		output.text, output.json = row.text, row.json
		if text, _ := examineFolder(t, folder, output); strings.Contains(text, secret) != row.text {
			t.Errorf("text asked for: %t, JSON: %t; expected the text to be printed exactly when asked for", row.text, row.json)
		}
	}
}

func TestDocumentsAsJSON(t *testing.T) {
	folder := copied(t)
	require.NoError(t, os.Remove(filepath.Join(folder, "fus-main.md")))
	output := noEvidence(t)
	output.json = true
	text, code := examineFolder(t, folder, output)
	assert.Equal(t, evidence.CouldNotTell, code, "expected exit code 3 for a missing document")
	var read struct {
		Documents []struct {
			File, Missing string
			Holds         bool
			Lines         []struct{ Line int }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &read))
	for i, document := range read.Documents {
		missing := document.File == "fus-main.md"
		if missing != (document.Missing != "") || missing == document.Holds || missing != (len(document.Lines) == 0) {
			t.Errorf("document %d, %s: found missing %q, holds %t, %d lines", i, document.File, document.Missing, document.Holds, len(document.Lines))
		}
	}
}

func TestExitCodesOfDocuments(t *testing.T) {
	empty := t.TempDir()
	file := filepath.Join(empty, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, row := range []struct {
		name string
		args []string
		want evidence.ExitCode
	}{
		{"no folder named", []string{"documents"}, evidence.WrongUsage},
		{"no such folder", []string{"documents", filepath.Join(empty, "none")}, evidence.WrongUsage},
		{"a file", []string{"documents", file}, evidence.WrongUsage},
		{"no such design", []string{"documents", empty, "other"}, evidence.WrongUsage},
		{"no such evidence", []string{"documents", empty, "--report", filepath.Join(empty, "none")}, evidence.WrongUsage},
		{"no documents", []string{"documents", empty}, evidence.CouldNotTell},
	} {
		t.Run(row.name, func(t *testing.T) {
			if code := run(row.args, io.Discard, io.Discard); code != row.want {
				t.Errorf("expected exit code %d, found %d", row.want, code)
			}
		})
	}
}
