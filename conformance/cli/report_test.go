//go:build unix

package cli_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// verify prints its evidence as JSON and writes every report, and `report` writes the same
// bytes from what was stored.
func TestReportsAreWrittenAndRenderedAgain(t *testing.T) {
	const costly = "roll-model/(invariant/(no-lost|no-comment|message)|confinement/athlete)" // what is explored longest, and shows no more
	c := run(t, "", 0, "verify", "roll-model", "--json", "--label-filter", "!/"+strings.ReplaceAll(costly, "/", ".")+"/")
	folder := filepath.Join(c.Dir, "build", "report")
	evidence := filepath.Join(folder, "evidence.json.gz")
	seen := read(t, c)
	onceEach(t, seen, claims(t, func(claim manifest.Claim) bool {
		return of("roll-model")(claim) && !regexp.MustCompile(costly).MatchString(claim.ID)
	}))
	text, err := json.Marshal(seen)
	require.NoError(t, err)
	assert.JSONEq(t, string(text), c.stdout.String(), "evidence.json.gz and the standard output")
	want := []string{"attestation.json", "evidence.json.gz", "index.html", "junit.xml", "requests.html", "results.sarif", "summary.md"}
	assert.Equal(t, want, names(t, folder))
	for format, file := range map[string]string{"junit": "junit.xml", "sarif": "results.sarif", "markdown": "summary.md", "html": "index.html"} {
		assert.Equal(t, content(t, folder, file), run(t, "", 0, "report", evidence, "--format", format).stdout.String(), "%s: rendering again gives other bytes", file)
	}
	t.Run("the author's paper", func(t *testing.T) {
		needsDocuments(t)
		paper := run(t, c.Dir, 0, "report", "--author", "roll-model").stdout.String()
		says(t, "the author's paper", paper, "# Roll Model", "roll-model.md", "What happens: ", "Write \"the query of pattern 1 with a ProjectionExpression", "Shown by Query (request ", " 200  2. Coach lists linked athlete entries: same query after link validation.")
		says(t, "the same as HTML", run(t, "", 0, "report", "--author", "roll-model", evidence, "--format", "html").stdout.String(), "<title>dynaproof: findings in roll-model.md</title>", `id="coach-sees-private-text"`)
		says(t, "its files", run(t, c.Dir, 0, "report", "--author", "roll-model", "--out", "papers").stdout.String(), "author-roll-model.html", "author-roll-model.md")
		run(t, c.Dir, 2, "report", "--author", "roll-model", "--format", "sarif").oneError(t, "--format: expected markdown or html with --author")
	})
	// Of a promise that a pattern does not keep, explain shows the shortest requests that break it, and that the engine was sent them; of one
	// that all keep it says nothing of the kind.
	t.Run("what the engine showed", func(t *testing.T) {
		explained := map[string]bool{}
		for _, result := range seen.Results() {
			broken := slices.ContainsFunc(result.Notes, func(note string) bool { return strings.Contains(note, "patterns that do not keep it: ") })
			if which := fmt.Sprintf("%s, broken: %t", result.Kind, broken); slices.Contains([]string{"invariant", "confinement", "validity"}, result.Kind) && !explained[which] {
				explained[which] = true
				text := run(t, "", 0, "explain", result.ID, "--report", folder).stdout.String()
				assert.Equal(t, broken, strings.Contains(text, "patterns that do not keep it: "), result.ID)
				assert.Equal(t, broken, strings.Contains(text, "seen on the engine: the "), result.ID)
				assert.Equal(t, broken, strings.Contains(text, "does not keep the claim; the items afterwards are those of the exploration"), result.ID)
			}
		}
		assert.Len(t, explained, 5, "kinds of promises, broken and not")
	})
	run(t, c.Dir, 2, "report", "--author", "fus-main").oneError(t, "--author: expected a run of fus-main, found one of roll-model")
	again := t.TempDir()
	run(t, "", 0, "report", evidence, "--out", again)
	assert.Equal(t, want[2:], names(t, again), "--out")
}

// writeKeys makes a pair of keys, and returns their files.
func writeKeys(t *testing.T) (private, public string) {
	t.Helper()
	open, secret, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	secretDER, wrong := x509.MarshalPKCS8PrivateKey(secret)
	openDER, err := x509.MarshalPKIXPublicKey(open)
	require.NoError(t, errors.Join(wrong, err))
	folder := t.TempDir()
	written := func(name, kind string, text []byte) string {
		return write(t, folder, name, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: text})))
	}
	return written("key.pem", "PRIVATE KEY", secretDER), written("key.pub.pem", "PUBLIC KEY", openDER)
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

// Verdicts do not decide about documents.
func TestVerdictsOfTheLastRun(t *testing.T) {
	needsDocuments(t)
	reports := t.TempDir()
	design := designs.All()[0]
	last := evidence.Run{Version: evidence.Version, Designs: []evidence.Design{{Name: design.Name, SHA256: design.Document.SHA256, Results: []evidence.Result{
		{ID: "roll-model/table/RollModel/pitr", Verdict: evidence.Unsupported},
	}}}}
	look := func() *child {
		require.NoError(t, last.Write(filepath.Join(reports, "evidence.json.gz")))
		return run(t, "", 0, "documents", documents, design.Name, "--lines", "--report", reports)
	}
	c := look()
	c.prints(t, "roll-model.md:7\tcited\tunsupported; unsupported: roll-model/table/RollModel/pitr; not run: ", "roll-model.md:6\tcited\tnot run; not run: ")
	lacks(t, "documents", c.stdout.String(), "commit-collect.md")
	last.Designs[0].SHA256 = strings.Repeat("0", 64)
	look().prints(t, "is of another version of its document", "roll-model.md:7\tcited\tnot run; not run: ")
}

// listedClaims are the claims that `dynaproof claims --json` prints.
func listedClaims(t *testing.T, args ...string) (all []any) {
	t.Helper()
	c := run(t, "", 0, append([]string{"claims", "--json"}, args...)...)
	require.NoError(t, json.Unmarshal(c.stdout.Bytes(), &all))
	return all
}

func TestClaimsBySeverityAndBasis(t *testing.T) {
	assert.Len(t, listedClaims(t), len(claims(t, func(manifest.Claim) bool { return true })), "the claims of the manifest")
	high, of := 0, map[string]int{}
	for _, design := range designs.All() {
		for _, finding := range design.Findings {
			if finding.Severity == accesspatterns.High {
				high++
			}
		}
		for _, claim := range manifest.Claims(design) {
			of[claim.Basis.String()]++
		}
	}
	require.NotZero(t, high)
	assert.Len(t, listedClaims(t, "--severity", "high"), high, "findings of high severity")
	for basis, want := range of {
		assert.Len(t, listedClaims(t, "--basis", basis), want, basis)
	}
}

// firstEvidence is the stored evidence of the first release, and olderEvidence a folder in which it is the last run's.
var firstEvidence = absolute("../evidence/testdata/evidence-v2-first.json")

func olderEvidence(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	write(t, folder, "evidence.json.gz", content(t, firstEvidence))
	return folder
}

// Somebody else's file stays where a command would write its own, and a run does not begin that could not write its reports.
func TestNobodysFileIsReplaced(t *testing.T) {
	const theirs = "# Mill\n\n## Table: `sacks`\n\n- Partition key: `sackId`\n"
	folder := t.TempDir()
	for _, name := range []string{"mill.md", "index.html", "audit.json", "mutants.json", "engines.md"} {
		write(t, folder, name, theirs)
	}
	for _, args := range [][]string{
		{"review", "mill.md", "--html", "mill.md"},
		{"review", "mill.md", "--sarif", "mill.md"},
		{"verify", "fus-main", "--endpoint", "http://127.0.0.1:1", "--report", "."},
		{"audit", "fus-main", "--endpoint", "http://127.0.0.1:1", "--report", "."},
		{"report", firstEvidence, "--out", "."},
		{"mutants", "fus-main", "--report", ".", "--only", "none"},
		{"engines", "fus-main", "--report", ".", "--engine", "dynalite"},
		{"scale", "fus-main", "--report", "."},
	} {
		run(t, folder, 2, args...).complains(t, "expected nothing there, or a file that dynaproof wrote")
	}
	for _, name := range files(t, folder) {
		assert.Equal(t, theirs, content(t, name), name)
	}
}
