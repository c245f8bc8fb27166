package report

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	attestation "github.com/in-toto/attestation/go/v1"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"github.com/secure-systems-lab/go-securesystemslib/signerverifier"
	"google.golang.org/protobuf/encoding/protojson"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wholefile"
)

const (
	// testResultPredicate is the predicate type of test results:
	// https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md
	testResultPredicate = "https://in-toto.io/attestation/test-result/v0.1"
	// runExtension is the member of the predicate that says what a run was. The
	// predicate's own type has no place for it.
	runExtension = "urn:dynaproof:run:v1"
	// payloadType is that of in-toto statements in a DSSE envelope.
	payloadType = "application/vnd.in-toto+json"
)

// Key signs an attestation, or checks its signature: ECDSA P-256 or Ed25519.
type Key struct {
	dsse.SignerVerifier
	id string
	// Private says that it can sign.
	Private bool
}

// ID is the key's id in the envelope, in hexadecimal: the SHA-256 of the public key as in-toto computes it; "" of no key.
func (k *Key) ID() string {
	if k == nil {
		return ""
	}
	return k.id
}

// ReadKey reads a key in PEM: a private one, or a public one, which only checks.
func ReadKey(text []byte) (*Key, error) {
	read, err := signerverifier.LoadKey(text)
	if err != nil {
		return nil, fmt.Errorf("expected an ECDSA P-256 or Ed25519 key in PEM without a passphrase: %w", err)
	}
	key := &Key{id: read.KeyID, Private: read.KeyVal.Private != ""}
	switch read.KeyType {
	case signerverifier.ECDSAKeyType:
		key.SignerVerifier, err = signerverifier.NewECDSASignerVerifierFromSSLibKey(read)
	case signerverifier.ED25519KeyType:
		key.SignerVerifier, err = signerverifier.NewED25519SignerVerifierFromSSLibKey(read)
	default:
		return nil, fmt.Errorf("expected an ECDSA P-256 or Ed25519 key, found one of type %s", read.KeyType)
	}
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	if public, is := key.Public().(*ecdsa.PublicKey); is && public.Curve != elliptic.P256() {
		return nil, fmt.Errorf("expected an ECDSA key on P-256, found one on %s", public.Curve.Params().Name)
	}
	return key, nil
}

// WriteAttestation writes attestation.json for the other files of a report folder, as they are: a DSSE envelope around an
// in-toto statement with predicate test-result/v0.1. Without a key the envelope has no signature.
//
// The statement's subjects are the files by their digests; what was tested, namely the outputs of each stack, by the digest of
// their canonical JSON (see subjectsOf); the executable that the Pulumi programs are compiled into; and the engine. The
// configuration is the documents with their pinned digests, the contract and the fixtures.
//
// Passed tests are the claims that passed. Warned tests hold by a named waiver,
// cannot be answered by this engine, or are findings of the documents. Every other claim is a failed test, also when
// nothing could be told. The member urn:dynaproof:run:v1 of the predicate says what the run was, with its figures.
func WriteAttestation(folder string, run *evidence.Run, key *Key) error {
	text, err := attest(folder, run.Redacted(), key)
	if err != nil {
		return fmt.Errorf("%s: %w", AttestationFile, err)
	}
	return wholefile.Write(filepath.Join(folder, AttestationFile), append(text, '\n'), run.Mode())
}

func attest(folder string, run *evidence.Run, key *Key) ([]byte, error) {
	digests, err := fileDigests(folder, "")
	if err != nil {
		return nil, err
	}
	if run.Signer != key.ID() {
		return nil, fmt.Errorf("expected to sign with the key that the evidence names, %q, found %q", run.Signer, key.ID())
	}
	statement, err := statementOf(run, digests)
	if err != nil {
		return nil, err
	}
	envelope := &dsse.Envelope{PayloadType: payloadType, Payload: base64.StdEncoding.EncodeToString(statement), Signatures: []dsse.Signature{}}
	if key != nil {
		signer, err := dsse.NewEnvelopeSigner(key)
		if err != nil {
			return nil, err
		}
		if envelope, err = signer.SignPayload(context.Background(), payloadType, statement); err != nil {
			return nil, fmt.Errorf("signing: %w", err)
		}
	}
	return json.MarshalIndent(envelope, "", "  ")
}

// Unattested says in a line why nothing shows that the file that a run was read from is as the run wrote it: "" when an attestation beside
// it names the digest of what was read. It does not check the signature.
func Unattested(path string, run *evidence.Run) string {
	beside, err := readAttestation(filepath.Join(filepath.Dir(path), AttestationFile))
	switch {
	case err != nil:
		return fmt.Sprintf("%s has no attestation beside it, so nothing shows that it is as its run wrote it (%v)", path, err)
	case beside.digests[EvidenceFile] == "" || beside.digests[EvidenceFile] != run.FileDigest():
		return fmt.Sprintf("%s is not the file that %s beside it names: it has been changed, or belongs to another run", path, AttestationFile)
	}
	return ""
}

// stated is an attestation as it was read: its envelope, the statement in it, and the digests of the files and stacks that this names.
type stated struct {
	envelope  *dsse.Envelope
	statement []byte
	digests   map[string]string
}

func readAttestation(path string) (read stated, err error) {
	text, err := input.File(path, input.Evidence)
	if err != nil {
		return read, err
	}
	read.envelope = &dsse.Envelope{}
	if err := input.Exactly(text, read.envelope); err != nil {
		return read, fmt.Errorf("expected a DSSE envelope: %w", err)
	}
	if read.envelope.PayloadType != payloadType {
		return read, fmt.Errorf("expected a DSSE envelope with payload type %s, found %q", payloadType, read.envelope.PayloadType)
	}
	if read.statement, err = read.envelope.DecodeB64Payload(); err != nil {
		return read, fmt.Errorf("payload: %w", err)
	}
	var names struct {
		Subject []resource `json:"subject"`
	}
	if err := input.Exactly(read.statement, &names); err != nil {
		return read, fmt.Errorf("payload: expected an in-toto statement: %w", err)
	}
	read.digests = lists.Index(names.Subject, func(subject resource) (string, string) { return subject.Name, subject.Digest["sha256"] })
	return read, nil
}

func fileDigest(folder fs.FS, name string) (string, error) {
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return "", err
	}
	return digestOf(text), nil
}

// fileDigests are the digests of the files of a report folder that an attestation names. That of the evidence is given where it was read
// before; "" where it was not.
func fileDigests(folder, ofEvidence string) (map[string]string, error) {
	digests := map[string]string{}
	for _, name := range Attested() {
		if name == EvidenceFile && ofEvidence != "" {
			digests[name] = ofEvidence
			continue
		}
		digest, err := fileDigest(input.Folder(folder, input.Evidence), name)
		if err != nil {
			return nil, err
		}
		digests[name] = digest
	}
	return digests, nil
}

// resource is what a statement names: in-toto's ResourceDescriptor.
type resource struct {
	Name        string            `json:"name"`
	Digest      map[string]string `json:"digest"`
	MediaType   string            `json:"mediaType,omitempty"`
	Annotations map[string]any    `json:"annotations,omitempty"`
}

// hashed is a resource by its SHA-256 in hexadecimal.
func hashed(name, digest string) resource {
	return resource{Name: name, Digest: map[string]string{"sha256": digest}}
}

// statementOf returns the in-toto statement on a run and the files made from it.
func statementOf(run *evidence.Run, digests map[string]string) ([]byte, error) {
	subjects := subjectsOf(run)
	if len(subjects) == 0 {
		return nil, errors.New("in-toto statement: expected a stack or an executable that was tested, found none; the evidence names no deployed design")
	}
	files := lists.Map(Attested(), func(name string) resource { return hashed(name, digests[name]) })
	text, err := dynamo.PlainJSON(struct {
		Type          string         `json:"_type"`
		Subject       []resource     `json:"subject"`
		PredicateType string         `json:"predicateType"`
		Predicate     map[string]any `json:"predicate"`
	}{attestation.StatementTypeUri, append(files, subjects...), testResultPredicate, predicateOf(run)}, "")
	var statement attestation.Statement
	if err == nil {
		err = protojson.Unmarshal([]byte(text), &statement)
	}
	if err == nil {
		err = statement.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("in-toto statement: %w", err)
	}
	return []byte(text), nil
}

// runOf says what a run was, with its figures.
func runOf(run *evidence.Run) map[string]any {
	type figures struct {
		Claims   int                      `json:"claims"`
		Verdicts map[evidence.Verdict]int `json:"verdicts"`
		// Grades are those of the claims that passed.
		Grades map[evidence.Grade]int `json:"grades"`
		Failed string                 `json:"failure,omitempty"`
	}
	designs := map[string]figures{}
	for design := range lists.Each(run.Designs) {
		grades := map[evidence.Grade]int{}
		for _, grade := range evidence.Grades() {
			if passed := passedBy(design.Results, grade); passed > 0 {
				grades[grade] = passed
			}
		}
		designs[design.Name] = figures{len(design.Results), evidence.Count(design.Results), grades, design.Failure}
	}
	return map[string]any{
		"id": run.ID, "signer": run.Signer, "started": run.Started, "finished": run.Finished, "interrupted": run.Interrupted, "command": run.Command,
		"target": run.Target, "guardrails": run.Guardrails, "environment": maps.Collect(maps.All(run.Environment)), "exitCode": run.ExitCode(), "modules": run.Modules,
		"requests": len(run.Ledger), "designs": designs,
	}
}

// subjectsOf are what was tested. A stack is what it put out, by the SHA-256 of its canonical JSON: members in order, no white space.
//
//	gzip -dc evidence.json.gz | jq -cjS '.designs[] | select(.name == "NAME") | {region, tables}' | sha256sum
//
// computes it from the evidence.
func subjectsOf(run *evidence.Run) []resource {
	var subjects []resource
	for design := range lists.Each(run.Designs) {
		if len(design.Tables) == 0 {
			continue // nothing of it was deployed
		}
		outputs := must.Have(dynamo.PlainJSON(map[string]any{"region": design.Region, "tables": design.Tables}, "")) // texts can always be written
		stack := hashed(cmp.Or(design.Stack, design.Name)+" (stack outputs)", digestOf([]byte(outputs)))
		stack.MediaType, stack.Annotations = "application/json", map[string]any{"design": design.Name, "region": design.Region, "tables": design.Tables}
		subjects = append(subjects, stack)
	}
	if digest, ok := strings.CutPrefix(run.Modules[evidence.Executable], "sha256:"); ok {
		subjects = append(subjects, hashed("dynaproof (Pulumi programs)", digest))
	}
	if digest, ok := strings.CutPrefix(run.Target.Digest, "sha256:"); ok {
		subjects = append(subjects, hashed(strings.TrimSpace(run.Target.Engine+" "+run.Target.Version)+" (engine)", digest))
	}
	return subjects
}

// predicateOf is the test result of a run, and what the run was. A member without a value is left out.
func predicateOf(run *evidence.Run) map[string]any {
	var configuration []resource
	tests := map[string][]string{}
	for design := range lists.Each(run.Designs) {
		if design.Document != "" {
			document := hashed(design.Document, design.SHA256)
			document.MediaType = "text/markdown"
			configuration = append(configuration, document)
		}
		for _, claim := range design.Results {
			kind := "failedTests"
			switch claim.Verdict {
			case evidence.Pass:
				kind = "passedTests"
			case evidence.Waived, evidence.Unsupported, evidence.Shown, evidence.Told:
				kind = "warnedTests"
			}
			tests[kind] = append(tests[kind], claim.ID)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(run.Inputs)) {
		if digest, ok := strings.CutPrefix(run.Inputs[name], "sha256:"); ok {
			configuration = append(configuration, hashed(name, digest))
		}
	}
	predicate := map[string]any{runExtension: runOf(run), "result": "PASSED"}
	switch {
	case run.ExitCode() != evidence.Conforms:
		predicate["result"] = "FAILED"
	case tests["warnedTests"] != nil:
		predicate["result"] = "WARNED"
	}
	for kind, ids := range tests {
		predicate[kind] = ids
	}
	if configuration != nil {
		predicate["configuration"] = configuration
	}
	return predicate
}

// WriteFolder writes all that a run leaves: its evidence, the reports made from it, and the attestation of these.
func WriteFolder(folder string, run *evidence.Run, options HTMLOptions, key *Key) error {
	run = run.Redacted()
	if err := atOnce(
		func() error { return run.Write(filepath.Join(folder, EvidenceFile)) },
		func() error { return WriteFiles(folder, run, options) },
	); err != nil {
		return err
	}
	return WriteAttestation(folder, run, key)
}
