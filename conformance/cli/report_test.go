package cli_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
)

// verify prints its evidence as JSON and writes every report, and `report` writes the same
// bytes from what was stored.
func TestReportsAreWrittenAndRenderedAgain(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "verify", "roll-model", "--json", "--label-filter", everyClaim)
	folder := filepath.Join(c.Dir, "build", "report")
	stored := filepath.Join(folder, "evidence.json.gz")
	seen, err := evidence.Read(stored)
	require.NoError(t, err)
	text, err := json.Marshal(seen)
	require.NoError(t, err)
	var printed, kept any
	require.NoError(t, errors.Join(json.Unmarshal(c.stdout.Bytes(), &printed), json.Unmarshal(text, &kept)))
	assert.Empty(t, cmp.Diff(kept, printed), "evidence.json.gz and the standard output differ (-stored +printed)")
	want := []string{"attestation.json", "evidence.json.gz", "index.html", "junit.xml", "requests.html", "results.sarif", "summary.md"}
	if got := names(t, folder); !slices.Equal(got, want) {
		t.Errorf("expected %v, found %v", want, got)
	}
	for format, file := range map[string]string{"junit": "junit.xml", "sarif": "results.sarif", "markdown": "summary.md", "html": "index.html"} {
		written, err := os.ReadFile(filepath.Join(folder, file))
		require.NoError(t, err)
		if again := run(t, "", 0, "report", stored, "--format", format); !bytes.Equal(again.stdout.Bytes(), written) {
			t.Errorf("%s: rendering again gives other bytes", file)
		}
	}
	paper := run(t, c.Dir, 0, "report", "--author", "roll-model").stdout.String()
	says(t, "the author's paper", paper, "# Roll Model", "roll-model.md", "What happens: ", "Write \"the query of pattern 1 with a ProjectionExpression", "Shown by Query (request ", " 200  2. Coach lists linked athlete entries: same query after link validation.")
	says(t, "the same as HTML", run(t, "", 0, "report", "--author", "roll-model", stored, "--format", "html").stdout.String(), "<title>dynaproof: findings in roll-model.md</title>", `id="coach-sees-private-text"`)
	says(t, "its files", run(t, c.Dir, 0, "report", "--author", "roll-model", "--out", "papers").stdout.String(), "author-roll-model.html", "author-roll-model.md")
	run(t, c.Dir, 2, "report", "--author", "fus-main").oneError(t, "--author: expected a run of fus-main, found one of roll-model")
	run(t, c.Dir, 2, "report", "--author", "roll-model", "--format", "sarif").oneError(t, "--format: expected markdown or html with --author")
	run(t, "", 2, "report", "--author", "roll-model", "nothing.json").oneError(t, "dynaproof verify roll-model writes it")

	again := t.TempDir()
	run(t, "", 0, "report", stored, "--out", again)
	if got := names(t, again); !slices.Equal(got, slices.DeleteFunc(want, func(name string) bool { return name == "evidence.json.gz" || name == "attestation.json" })) {
		t.Errorf("--out: found %v", got)
	}
}

// A folder that verify has written fits, signed or not, and says what a signature means; a change is noticed, and a run that
// writes over another says so.
func TestReportFolderIsChecked(t *testing.T) {
	t.Parallel()
	keys := t.TempDir()
	private, public := filepath.Join(keys, "key.pem"), filepath.Join(keys, "key.pub.pem")
	writeKeys(t, private, public)
	folder := t.TempDir()
	signed := run(t, folder, 0, "verify", "roll-model", "--label-filter", "kind:schema", "--sign-key", private)
	says(t, "verify", signed.stdout.String(), "run: ", "signed with key ", "attestation: build/report/attestation.json, signed with key ")
	checked := run(t, folder, 0, "report", "--verify", "build/report", "--key", public)
	says(t, "check", checked.stdout.String(), "FITS run ", "the signature is of the key that was given", "evidence.json.gz, index.html, requests.html, junit.xml, results.sarif, summary.md")
	run(t, folder, 3, "report", "--verify", "build/report").oneError(t, "name the key with --key")

	again := prepare(t, []string{"DYNAPROOF_SIGN_KEY="}, "verify", "roll-model", "--label-filter", "kind:schema")
	again.Dir = folder
	again.expect(t, 0)
	says(t, "run over another", again.stderr.String(), "build/report holds run ", "writes over it")
	says(t, "unsigned check", run(t, folder, 0, "report", "--verify", "build/report").stdout.String(), "signature: unsigned: whoever can write")
	run(t, folder, 1, "report", "--verify", "build/report", "--key", public).oneError(t, "attestation.json, signatures: expected a signature of key", "found none")
	path := filepath.Join(folder, "build", "report", "evidence.json.gz")
	edited, err := evidence.Read(path)
	require.NoError(t, err)
	edited.Target.Engine = "dynamite"
	require.NoError(t, edited.Write(path))
	run(t, folder, 1, "report", "--verify", "build/report").oneError(t, "build/report does not fit: evidence.json.gz: expected SHA-256 ", "as attested")
	says(t, "rendering it", run(t, folder, 0, "report", path).stderr.String(), "is not the file that attestation.json beside it names")

	run(t, folder, 2, "report", "--verify", "nowhere").oneError(t, "--verify: expected the folder of a report")
	run(t, folder, 2, "report", "--verify", "build/report", path).oneError(t, "expected --verify with its folder alone")
	run(t, folder, 2, "report", path, "--key", public).oneError(t, "expected --key with --verify alone")
	run(t, folder, 2, "report", "--verify", "build/report", "--key", path).oneError(t, "--key: expected an ECDSA P-256 or Ed25519 key")
	run(t, folder, 2, "verify", "--sign-key", public).oneError(t, "--sign-key: expected a private key, found a public one")
	run(t, folder, 3, "report", "--verify", t.TempDir()).oneError(t, "expected evidence.json.gz and attestation.json")
}

func writeKeys(t *testing.T, private, public string) {
	t.Helper()
	open, secret, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	secretDER, err := x509.MarshalPKCS8PrivateKey(secret)
	require.NoError(t, err)
	openDER, err := x509.MarshalPKIXPublicKey(open)
	require.NoError(t, err)
	for path, block := range map[string]*pem.Block{private: {Type: "PRIVATE KEY", Bytes: secretDER}, public: {Type: "PUBLIC KEY", Bytes: openDER}} {
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
}

// names lists the names of the files in a folder.
func names(t *testing.T, folder string) []string {
	t.Helper()
	var all []string
	for _, path := range files(t, folder) {
		if name := filepath.Base(path); name != ".dynaproof.lock" { // of the run that writes there
			all = append(all, name)
		}
	}
	return all
}

// The exit code is that of the evidence.
func TestReport(t *testing.T) {
	t.Parallel()
	older := filepath.Join(olderEvidence(t), "evidence.json.gz")
	says(t, "summary", run(t, "", 1, "report", older).stdout.String(), "FAIL", "the deployment does not conform")
	says(t, "markdown", run(t, "", 1, "report", older, "--format", "markdown").stdout.String(), "## dynaproof: does not conform", "roll-model/document")
	sarif := run(t, "", 1, "report", older, "--format", "sarif", "--documents-uri", "designs/", "--passed").stdout.String()
	says(t, "sarif", sarif, `"uri": "designs/roll-model.md"`, `"kind": "pass"`, `"ruleId": "document"`)
}

func TestReportCompares(t *testing.T) {
	t.Parallel()
	older := filepath.Join(olderEvidence(t), "evidence.json.gz")
	text, err := os.ReadFile(older)
	require.NoError(t, err)
	newer := filepath.Join(t.TempDir(), "newer.json")
	require.NoError(t, os.WriteFile(newer, bytes.Replace(text, []byte(`"verdict": "pass"`), []byte(`"verdict": "fail"`), 1), 0o600))
	says(t, "comparison", run(t, "", 1, "report", older, newer).stdout.String(), "newly failing: 1\n", "still failing: 5\n", "older     ", "newer     ", "fail (engine), was pass (engine)")
	says(t, "comparison, the other way", run(t, "", 1, "report", newer, older).stdout.String(), "newly passing: 1\n")
	says(t, "markdown", run(t, "", 1, "report", older, newer, "--format", "markdown").stdout.String(), "### Newly failing: 1\n")
	var comparison struct{ NewlyFailing []struct{ ID string } }
	if err := json.Unmarshal(run(t, "", 1, "report", older, newer, "--format", "json").stdout.Bytes(), &comparison); err != nil || len(comparison.NewlyFailing) != 1 {
		t.Errorf("expected one claim newly failing, found %+v, %v", comparison, err)
	}
	says(t, "HTML", run(t, "", 1, "report", older, newer, "--format", "html").stdout.String(), "<h2>Newly failing: 1</h2>", "<dt>Older<dd>")
	run(t, "", 2, "report", older, newer, "--format", "sarif").oneError(t, "expected terminal, markdown, html or json for a comparison")
	run(t, "", 2, "report", older, newer, "--out", "x").oneError(t, "--out: expected one file")
}

func TestReportWrongly(t *testing.T) {
	t.Parallel()
	older := filepath.Join(olderEvidence(t), "evidence.json.gz")
	run(t, "", 2, "report").oneError(t, "expected one evidence.json.gz to render", "found 0")
	run(t, "", 2, "report", "a", "b", "c").oneError(t, "found 3")
	run(t, "", 2, "report", "nothing.json").oneError(t, "nothing.json")
	run(t, "", 2, "report", older, "--format", "pdf").oneError(t, `expected one of terminal, json, html, junit, sarif, markdown, found "pdf"`)
	broken := filepath.Join(t.TempDir(), "broken.json")
	require.NoError(t, os.WriteFile(broken, []byte(`{"version":"dynaproof/evidence/v2"}`), 0o600))
	run(t, "", 2, "report", broken).oneError(t, "does not fit the schema", "missing properties")
}
