package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// verify writes every report, and `report` writes the same bytes from what was
// stored.
func TestReportsAreWrittenAndRenderedAgain(t *testing.T) {
	c := run(t, "", 0, "verify", "roll-model")
	folder := filepath.Join(c.Dir, "build", "report")
	want := []string{"attestation.json", "evidence.json", "index.html", "junit.xml", "results.sarif", "summary.md"}
	if got := names(t, folder); !slices.Equal(got, want) {
		t.Errorf("expected %v, found %v", want, got)
	}
	stored := filepath.Join(folder, "evidence.json")
	for format, file := range map[string]string{"junit": "junit.xml", "sarif": "results.sarif", "intoto": "attestation.json", "markdown": "summary.md", "html": "index.html"} {
		written, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		if again := run(t, "", 0, "report", stored, "--format", format); !bytes.Equal(again.stdout.Bytes(), written) {
			t.Errorf("%s: rendering again gives other bytes", file)
		}
	}
	again := t.TempDir()
	run(t, "", 0, "report", stored, "--out", again)
	if got := names(t, again); !slices.Equal(got, slices.DeleteFunc(want, func(name string) bool { return name == "evidence.json" })) {
		t.Errorf("--out: found %v", got)
	}
	text, err := os.ReadFile(filepath.Join(folder, "attestation.json"))
	if err != nil {
		t.Fatal(err)
	}
	says(t, "attestation", string(text), "roll-model.dev (stack outputs)", "dynaproof (Pulumi programs)", `"result": "`, "roll-model/document")
}

// names lists the names of the files in a folder.
func names(t *testing.T, folder string) []string {
	t.Helper()
	var all []string
	for _, path := range files(t, folder) {
		all = append(all, filepath.Base(path))
	}
	return all
}

// The exit code is that of the evidence.
func TestReport(t *testing.T) {
	older := filepath.Join(olderEvidence(t), "evidence.json")
	says(t, "summary", run(t, "", 1, "report", older).stdout.String(), "FAIL", "the deployment does not conform")
	says(t, "markdown", run(t, "", 1, "report", older, "--format", "markdown").stdout.String(), "## dynaproof: does not conform", "roll-model/document")
	sarif := run(t, "", 1, "report", older, "--format", "sarif", "--documents-uri", "designs/", "--passed").stdout.String()
	says(t, "sarif", sarif, `"uri": "designs/roll-model.md"`, `"kind": "pass"`, `"ruleId": "document"`)
}

func TestReportCompares(t *testing.T) {
	older := filepath.Join(olderEvidence(t), "evidence.json")
	text, err := os.ReadFile(older)
	if err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(t.TempDir(), "newer.json")
	if err := os.WriteFile(newer, bytes.Replace(text, []byte(`"verdict": "pass"`), []byte(`"verdict": "fail"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	says(t, "comparison", run(t, "", 1, "report", older, newer).stdout.String(), "newly failing: 1\n", "still failing: 5\n", "fail (engine), was pass (engine)")
	says(t, "comparison, the other way", run(t, "", 1, "report", newer, older).stdout.String(), "newly passing: 1\n")
	says(t, "markdown", run(t, "", 1, "report", older, newer, "--format", "markdown").stdout.String(), "### Newly failing: 1\n")
	var comparison struct{ NewlyFailing []struct{ ID string } }
	if err := json.Unmarshal(run(t, "", 1, "report", older, newer, "--format", "json").stdout.Bytes(), &comparison); err != nil || len(comparison.NewlyFailing) != 1 {
		t.Errorf("expected one claim newly failing, found %+v, %v", comparison, err)
	}
	run(t, "", 2, "report", older, newer, "--format", "sarif").oneError(t, "expected terminal, markdown or json for a comparison")
	run(t, "", 2, "report", older, newer, "--out", "x").oneError(t, "--out: expected one file")
}

func TestReportWrongly(t *testing.T) {
	older := filepath.Join(olderEvidence(t), "evidence.json")
	run(t, "", 2, "report").oneError(t, "expected one evidence.json to render", "found 0")
	run(t, "", 2, "report", "a", "b", "c").oneError(t, "found 3")
	run(t, "", 2, "report", "nothing.json").oneError(t, "nothing.json")
	run(t, "", 2, "report", older, "--format", "pdf").oneError(t, `expected one of terminal, json, html, junit, sarif, intoto, markdown, found "pdf"`)
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"version":"dynaproof/evidence/v1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "", 2, "report", broken).oneError(t, "does not fit the schema", "missing properties")
}
