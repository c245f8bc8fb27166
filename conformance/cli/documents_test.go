//go:build unix

package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
)

// editable copies the design documents into a folder of the test's own. It skips the test where there are none.
func editable(t *testing.T) (folder string) {
	t.Helper()
	needsDocuments(t)
	folder = t.TempDir()
	for _, design := range designs.All() {
		write(t, folder, design.Document.File, content(t, documents, design.Document.File))
	}
	return folder
}

// edit changes one line, counted from 1, of a document in the folder.
func edit(t *testing.T, folder, file string, number int, change func(string) string) {
	t.Helper()
	lines := strings.Split(content(t, folder, file), "\n")
	lines[number-1] = change(lines[number-1])
	write(t, folder, file, strings.Join(lines, "\n"))
}

func TestDocumentsHold(t *testing.T) {
	run(t, "", 0, "documents", editable(t)).prints(t, "roll-model.md", "personal-os.md", "PASS", "no verdicts: no evidence of a run")
}

func TestAnEditedDocumentIsNamedLineByLine(t *testing.T) {
	folder := editable(t)
	edit(t, folder, "roll-model.md", 5, func(line string) string { return strings.Replace(line, "`SK`", "`Sort`", 1) })
	edit(t, folder, "fus-main.md", 1, func(line string) string { return line + "\nanother promise" })
	c := run(t, "", 1, "documents", folder)
	c.prints(t,
		"line 5 changed", "cited by roll-model/table/RollModel/key", "tokens gone   roll-model/table/RollModel/key (roll-model.md:5)", "tokens stand ",
		"line 2 was added", "line 2 is unaccounted", "further citations stand on the same lines under other numbers", "FAIL")
	lacks(t, "documents", c.stdout.String(), "line 6 changed")
}

// Verdicts do not decide about documents.
func TestVerdictsOfTheLastRun(t *testing.T) {
	folder, reports := editable(t), t.TempDir()
	design := designs.All()[0]
	last := evidence.Run{Version: evidence.Version, Designs: []evidence.Design{{Name: design.Name, SHA256: design.Document.SHA256, Results: []evidence.Result{
		{ID: "roll-model/table/RollModel/pitr", Verdict: evidence.Unsupported},
	}}}}
	look := func() *child {
		require.NoError(t, last.Write(filepath.Join(reports, "evidence.json.gz")))
		return run(t, "", 0, "documents", folder, design.Name, "--lines", "--report", reports)
	}
	c := look()
	c.prints(t, "roll-model.md:7\tcited\tunsupported; unsupported: roll-model/table/RollModel/pitr; not run: ", "roll-model.md:6\tcited\tnot run; not run: ")
	lacks(t, "documents", c.stdout.String(), "commit-collect.md")
	last.Designs[0].SHA256 = strings.Repeat("0", 64)
	look().prints(t, "is of another version of its document", "roll-model.md:7\tcited\tnot run; not run: ")
}

// The text of a document is printed only when it is asked for.
func TestTextIsPrintedOnlyOnDemand(t *testing.T) {
	folder := editable(t)
	const secret = "a sentence of nobody's"
	edit(t, folder, "roll-model.md", 1, func(string) string { return secret })
	for _, flags := range [][]string{{"--lines"}, {"--lines", "--json"}, {"--text"}} {
		c := run(t, "", 1, append([]string{"documents", folder}, flags...)...)
		assert.Equal(t, flags[0] == "--text", strings.Contains(c.stdout.String(), secret), "%v: the text of a line", flags)
	}
}

func TestDocumentsAsJSON(t *testing.T) {
	folder := editable(t)
	require.NoError(t, os.Remove(filepath.Join(folder, "fus-main.md")))
	var read struct {
		Documents []struct {
			File, Missing string
			Holds         bool
			Lines         []struct{ Line int }
		}
	}
	require.NoError(t, json.Unmarshal(run(t, "", 3, "documents", folder, "--json").stdout.Bytes(), &read)) // a document is missing
	for i, document := range read.Documents {
		missing := document.File == "fus-main.md"
		if missing != (document.Missing != "") || missing == document.Holds || missing != (len(document.Lines) == 0) {
			t.Errorf("document %d, %s: found missing %q, holds %t, %d lines", i, document.File, document.Missing, document.Holds, len(document.Lines))
		}
	}
}

func TestExitCodesOfDocuments(t *testing.T) {
	empty := t.TempDir()
	file := write(t, t.TempDir(), "file", "")
	for _, args := range [][]string{{}, {filepath.Join(empty, "none")}, {file}, {empty, "other"}, {empty, "--report", filepath.Join(empty, "none")}} {
		run(t, "", 2, append([]string{"documents"}, args...)...)
	}
	run(t, "", 3, "documents", empty)
}
