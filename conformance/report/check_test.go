package report

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	testresult "github.com/in-toto/attestation/go/predicates/test_result/v0"
	attestation "github.com/in-toto/attestation/go/v1"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
)

//go:embed testdata/small.json
var smallRun []byte

// contract is that of its design.
var contract = accesspatterns.Design{
	Name: "d", Document: accesspatterns.Document{File: "d.md", SHA256: "fd7dcfdd0184326565c14de4592bc15d38a93ae85050f5d1467c8f3275e469a2"}, AccessPatterns: cite, Tables: []accesspatterns.Table{{ID: "T", Cite: cite, KeyCite: cite, PITR: &accesspatterns.Promise{Cite: cite}}},
	Patterns: []accesspatterns.Pattern{{ID: "list", Title: "list", Cite: cite}, {ID: "scan", Title: "scan", Cite: cite, Waiver: "scan-users"}},
	Waivers:  []accesspatterns.Waiver{{ID: "scan-users", Reason: "admins only", Cite: cite}}, NotCheckable: []accesspatterns.NotCheckable{{ID: "cheap", Says: "costs little", Because: "no figure", Cite: cite}},
	Findings: []accesspatterns.Finding{{ID: "prefix", Title: "a prefix", Cite: cite, Kind: "hazard", Severity: accesspatterns.High, Literal: "matches longer ids", Resolved: "ends with #"}},
}

var cite = accesspatterns.Citation{First: 5, Last: 5}

// small is a run that does not contradict itself: a pattern, one that scans under a waiver, a finding, a key of a table.
func small(t *testing.T) *evidence.Run {
	t.Helper()
	run := stored[evidence.Run](smallRun)
	run.Designs[0].Promise(&contract)
	for _, claim := range manifest.Claims(&contract) {
		if at := slices.IndexFunc(run.Designs[0].Results, func(r evidence.Result) bool { return r.ID == claim.ID }); at >= 0 {
			run.Designs[0].Results[at].Promise(&contract, claim)
		}
	}
	require.NoError(t, run.RecordExecutable())
	return run
}

// document is the text of its design.
const document = "# d\n\nscan\n\nlist\n"

// keyPair returns the two keys of a pair as PEM.
func keyPair(t *testing.T, private, public any) (*Key, *Key) {
	t.Helper()
	read := func(kind string, der []byte, err error) *Key {
		require.NoError(t, err)
		key, err := ReadKey(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
		require.NoError(t, err)
		return key
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	signer := read("PRIVATE KEY", secret, err)
	open, err := x509.MarshalPKIXPublicKey(public)
	return signer, read("PUBLIC KEY", open, err)
}

func onP256(t *testing.T) (*Key, *Key) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return keyPair(t, key, key.Public())
}

func onEd25519(t *testing.T) (*Key, *Key) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	return keyPair(t, private, public)
}

// folderOf writes the whole report folder of a run.
func folderOf(t *testing.T, run *evidence.Run, documents string, key *Key) string {
	t.Helper()
	folder := t.TempDir()
	if key != nil {
		run.Signer = key.ID()
	}
	require.NoError(t, WriteFolder(folder, run, DocumentsIn(documents, run), key))
	return folder
}

func documentsOf(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "d.md"), []byte(document), 0o600))
	return folder
}

// check checks a folder of a small run, as where its design is.
func check(folder, documents string, key *Key) (*Checked, error) {
	inputs := map[string]string{"contract": "sha256:" + strings.Repeat("34", 32), "fixtures": "sha256:" + strings.Repeat("56", 32)}
	return Checker{Key: key, Documents: documents, Designs: map[string]*accesspatterns.Design{"d": &contract}, Inputs: inputs}.Check(folder)
}

func TestFolderFits(t *testing.T) {
	documents := documentsOf(t)
	for name, pair := range map[string]func(*testing.T) (*Key, *Key){"ECDSA": onP256, "Ed25519": onEd25519} {
		signer, public := pair(t)
		folder := folderOf(t, small(t), documents, signer)
		fits := func(documents string) *Checked {
			checked, err := check(folder, documents, public)
			require.NoError(t, err, name)
			return checked
		}
		checked := fits(documents)
		assert.True(t, checked.Signed, name)
		assert.Empty(t, checked.Notes, name)
		assert.Len(t, checked.Files, 6, name)
		_, err := check(folder, documents, nil)
		assert.ErrorContains(t, err, "name the key with --key", name)
		assert.False(t, errors.As(err, new(*Mismatch)), "%s: expected that nothing can be told of a signed folder without its key", name)
		assert.Len(t, fits(t.TempDir()).Notes, 2, "%s: expected notes on the document and the page", name)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "audit.html"), []byte("pass"), 0o600))
		assert.Equal(t, []string{"audit.html"}, fits(documents).Others, "%s: the file that is not of the run", name)
	}
	unsigned := folderOf(t, small(t), documents, nil)
	checked, err := check(unsigned, documents, nil)
	require.NoError(t, err)
	assert.False(t, checked.Signed)
	assert.True(t, strings.HasPrefix(checked.Signature, "unsigned: "), checked.Signature)
	for _, file := range []string{"summary.md", "index.html"} {
		text, err := os.ReadFile(filepath.Join(unsigned, file))
		require.NoError(t, err)
		holds(t, string(text), "unsigned", "abcdefghijklmnopqrstuvwxyz")
	}
}

// What a run has none of is the same whether its maps and lists are nil or empty: evidence that is read again does not tell.
func TestFolderFitsWhereNothingIsThere(t *testing.T) {
	run := small(t)
	run.Environment = nil // as where no variable is set
	for _, of := range []any{run, &run.Designs[0], &run.Target} {
		value := reflect.ValueOf(of).Elem()
		for i := range value.NumField() {
			field := value.Field(i)
			switch absent := strings.Contains(value.Type().Field(i).Tag.Get("json"), ",omitempty") && field.IsZero(); {
			case absent && field.Kind() == reflect.Map:
				field.Set(reflect.MakeMap(field.Type()))
			case absent && field.Kind() == reflect.Slice:
				field.Set(reflect.MakeSlice(field.Type(), 0, 0))
			}
		}
	}
	documents := documentsOf(t)
	_, err := check(folderOf(t, run, documents, nil), documents, nil)
	require.NoError(t, err)
}

// A design that is not here has no contract here to compare with.
func TestADesignThatIsNotHere(t *testing.T) {
	documents := documentsOf(t)
	checked, err := Checker{Documents: documents, Inputs: map[string]string{"contract": "sha256:0"}}.Check(folderOf(t, small(t), documents, nil))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"contract and fixtures were not compared: d is none of the designs here; name its folder with --design",
		"index.html was not rendered again: it shows which lines of d.md its contract cites",
	}, checked.Notes)
}

// edit is one change of a report folder, by somebody who knows the format but has not the key.
type edit struct {
	Name string
	// Run changes the evidence, before reports and attestation are made anew from it without a key; File changes one file of a
	// folder; Statement changes the statement, in an envelope made anew.
	Run       string
	File      string
	From, To  string
	Statement string
	// Noticed is what the answer has to say.
	Noticed string
}

// Every edit is noticed: those of one file by its digest, those that make everything else anew by what contradicts itself, or by
// figures that cannot be recomputed, and all of them by the signature.
func TestEditsAreNoticed(t *testing.T) {
	signer, public := onP256(t)
	documents := documentsOf(t)
	whole := folderOf(t, small(t), documents, signer)
	edits := tabletest.Read[[]edit](t, "edits.yaml")
	require.GreaterOrEqual(t, len(edits), 30, "expected 30 edits")
	for _, row := range edits {
		t.Run(row.Name, func(t *testing.T) {
			folder := t.TempDir()
			switch {
			case row.Run != "":
				text, err := json.Marshal(small(t)) // which names no signer, for the forger has no key
				require.NoError(t, err)
				run := tabletest.As[evidence.Run](t, json.RawMessage(changed(t, text, row.Run)))
				folder = folderOf(t, &run, documents, nil)
			case row.File != "":
				require.NoError(t, os.CopyFS(folder, os.DirFS(whole)))
				change(t, filepath.Join(folder, row.File), row.From, row.To)
			default:
				folder = folderOf(t, small(t), documents, nil)
				restate(t, folder, row.Statement)
			}
			_, err := check(folder, documents, nil)
			var mismatch *Mismatch
			require.ErrorAs(t, err, &mismatch, "expected %q", row.Noticed)
			assert.Regexp(t, row.Noticed, err.Error())
			_, err = check(folder, documents, public)
			assert.ErrorAs(t, err, &mismatch, "with the key: expected it to be noticed")
		})
	}
}

// change replaces the first occurrence of a text in a file, in what is compressed where it is.
func change(t *testing.T, path, from, to string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	zipped := strings.HasSuffix(path, ".gz")
	if zipped {
		reader, err := gzip.NewReader(bytes.NewReader(text))
		require.NoError(t, err)
		text, err = io.ReadAll(reader)
		require.NoError(t, err)
	}
	changed := bytes.Replace(text, []byte(from), []byte(to), 1)
	require.False(t, bytes.Equal(changed, text), "expected %q in %s", from, path)
	if zipped {
		var again bytes.Buffer
		writer := gzip.NewWriter(&again)
		_, err = writer.Write(changed)
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		changed = again.Bytes()
	}
	require.NoError(t, os.WriteFile(path, changed, 0o600))
}

// changed is JSON as a jq expression changes it.
func changed(t *testing.T, text []byte, expression string) []byte {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal(text, &value))
	before, err := json.Marshal(value)
	require.NoError(t, err)
	after, err := json.Marshal(tabletest.JQ(t, expression, value))
	require.NoError(t, err)
	require.False(t, bytes.Equal(after, before), "%s: expected a change", expression)
	return after
}

// restate changes the statement in an unsigned envelope.
func restate(t *testing.T, folder string, edit string) {
	t.Helper()
	path := filepath.Join(folder, "attestation.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var envelope dsse.Envelope
	require.NoError(t, json.Unmarshal(text, &envelope))
	payload, err := envelope.DecodeB64Payload()
	require.NoError(t, err)
	payload = changed(t, payload, edit)
	envelope.Payload = base64.StdEncoding.EncodeToString(payload)
	text, err = json.Marshal(envelope)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o600))
}

// A report that was changed, and whose digest was attested anew, is noticed because it is rendered again.
func TestReportsAreRenderedAgain(t *testing.T) {
	documents := documentsOf(t)
	for file, edit := range map[string][2]string{
		"summary.md": {"3 pass", "5 pass"}, "index.html": {"unsigned", "audited"}, "requests.html": {"Every case", "Some cases"}, "junit.xml": {"d/pattern", "e/pattern"}, "results.sarif": {`"level"`, `"Level"`},
	} {
		run := small(t)
		folder := folderOf(t, run, documents, nil)
		path := filepath.Join(folder, file)
		change(t, path, edit[0], edit[1])
		require.NoError(t, WriteAttestation(folder, run, nil))
		_, err := check(folder, documents, nil)
		require.Error(t, err, file)
		assert.Regexp(t, "^"+regexp.QuoteMeta(file)+", line .*as rendered from the evidence", err.Error())
	}
}

func TestAnotherKeyIsNoticed(t *testing.T) {
	documents := documentsOf(t)
	_, public := onP256(t)
	forger, _ := onEd25519(t)
	_, err := check(folderOf(t, small(t), documents, forger), documents, public)
	assert.ErrorContains(t, err, "expected a signature of key "+public.ID()+", found one of key "+forger.ID())
}

// An attestation speaks of the file that was read, whatever somebody puts in its place behind that.
func TestEvidenceThatIsReplacedBehindItsReading(t *testing.T) {
	documents := documentsOf(t)
	folder := folderOf(t, small(t), documents, nil)
	path := filepath.Join(folder, EvidenceFile)
	attested, err := os.ReadFile(path)
	require.NoError(t, err)
	another := small(t)
	another.Interrupted = !another.Interrupted
	require.NoError(t, another.Write(path))
	read, err := evidence.ReadValid(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, attested, 0o600))
	assert.Contains(t, Unattested(path, read), "is not the file that attestation.json beside it names", "what is said of what was read")
	read, err = evidence.ReadValid(path)
	require.NoError(t, err)
	assert.Empty(t, Unattested(path, read), "what is said of what is there now")
}

func TestNothingCanBeToldWithoutAnAttestation(t *testing.T) {
	documents := documentsOf(t)
	folder := folderOf(t, small(t), documents, nil)
	require.NoError(t, os.Remove(filepath.Join(folder, "attestation.json")))
	var mismatch *Mismatch
	_, err := (Checker{Documents: documents}).Check(folder)
	assert.True(t, err != nil && !errors.As(err, &mismatch), "expected that nothing can be told, found %v", err)
	assert.Contains(t, Unattested(filepath.Join(folder, "evidence.json.gz"), small(t)), "no attestation beside it")
	whole := folderOf(t, small(t), documents, nil)
	require.NoError(t, os.Remove(filepath.Join(whole, "junit.xml")))
	_, err = Checker{Documents: documents}.Check(whole)
	require.ErrorAs(t, err, &mismatch)
	assert.Equal(t, "junit.xml", mismatch.File, "the missing file")
}

func TestKeysThatCannotSign(t *testing.T) {
	weak, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	other, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	require.NoError(t, err)
	for want, key := range map[string]any{"found one of type rsa": weak, "found one on P-384": other} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		_, err = ReadKey(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
		assert.ErrorContains(t, err, want)
	}
	_, err = ReadKey([]byte("no key"))
	assert.Error(t, err, "expected a text without a key to be refused")
}

// The statement is one that in-toto's own types read: members that they do not know are errors, but for the run's own.
func TestStatement(t *testing.T) {
	deployed := func(verdicts ...evidence.Verdict) *evidence.Run {
		run := sample()
		run.Designs, run.Target.Digest = run.Designs[:1], ""
		run.Designs[0].Tables["A"] = "a&dev"
		run.Modules[evidence.Executable] = "sha256:" + strings.Repeat("ab", 32)
		run.Designs[0].Results = slices.DeleteFunc(run.Designs[0].Results, func(r evidence.Result) bool { return !slices.Contains(verdicts, r.Verdict) })
		return run
	}
	statement, result, about := statementIn(t, deployed(evidence.Verdicts()...))
	got := map[string]string{}
	for _, subject := range statement.GetSubject() {
		got[subject.GetName()] = subject.GetDigest()["sha256"]
	}
	assert.Equal(t, digestOf([]byte(`{"region":"us-east-1","tables":{"A":"a&dev","Orders":"shop-dev-Orders"}}`)), got["shop.dev (stack outputs)"])
	assert.Equal(t, strings.Repeat("ab", 32), got["dynaproof (Pulumi programs)"])
	for _, name := range []string{"evidence.json.gz", "index.html", "requests.html", "junit.xml", "results.sarif", "summary.md"} {
		assert.Len(t, got[name], 64, "expected a digest of %s", name)
	}
	configuration := result.GetConfiguration()
	require.Len(t, configuration, 1)
	assert.Equal(t, "shop.md", configuration[0].GetName())
	assert.Equal(t, sample().Designs[0].SHA256, configuration[0].GetDigest()["sha256"])
	assert.Equal(t, []string{"shop/table/Orders/pitr"}, result.GetPassedTests())
	assert.Equal(t, []string{"shop/finding/day-is-text", "shop/pattern/all-orders", "shop/document"}, result.GetWarnedTests())
	assert.Equal(t, []string{"shop/index/Orders/byDay", "shop/pattern/orders-of-a-day", "shop/guardrail/days-only", "shop/rule/order/day"}, result.GetFailedTests())
	assert.Equal(t, []any{1.0, "dynaproof verify"}, []any{about["exitCode"], about["command"]})
	for want, run := range map[string]*evidence.Run{
		"FAILED": deployed(evidence.Pass, evidence.Indeterminate), "PASSED": deployed(evidence.Pass), "WARNED": deployed(evidence.Pass, evidence.Waived),
	} {
		_, result, _ := statementIn(t, run)
		assert.Equal(t, want, result.GetResult())
	}
}

func statementIn(t *testing.T, run *evidence.Run) (*attestation.Statement, *testresult.TestResult, map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folderOf(t, run, t.TempDir(), nil), "attestation.json"))
	require.NoError(t, err)
	var envelope dsse.Envelope
	require.NoError(t, json.Unmarshal(text, &envelope))
	require.Equal(t, "application/vnd.in-toto+json", envelope.PayloadType, "expected an envelope around an in-toto statement")
	payload, err := envelope.DecodeB64Payload()
	require.NoError(t, err)
	statement, result := &attestation.Statement{}, &testresult.TestResult{}
	require.NoError(t, protojson.Unmarshal(payload, statement))
	require.NoError(t, statement.Validate())
	require.Equal(t, "https://in-toto.io/attestation/test-result/v0.1", statement.GetPredicateType())
	about := statement.Predicate.Fields["urn:dynaproof:run:v1"].GetStructValue().AsMap()
	delete(statement.Predicate.Fields, "urn:dynaproof:run:v1")
	payload, err = protojson.Marshal(statement.GetPredicate())
	require.NoError(t, err)
	require.NoError(t, protojson.Unmarshal(payload, result))
	return statement, result, about
}

func TestABadDigestIsNotAttested(t *testing.T) {
	run := small(t)
	folder := folderOf(t, run, t.TempDir(), nil)
	run.Modules[evidence.Executable] = "sha256:short"
	require.NoError(t, run.Write(filepath.Join(folder, "evidence.json.gz")))
	assert.ErrorContains(t, WriteAttestation(folder, run, nil), "digest is not valid hex-encoded string")
}
