package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/redact"
)

// Mismatch is the first thing in a report folder that does not fit the rest of it.
type Mismatch struct {
	// File is the file's name, and Where the place in it, if there is one.
	File, Where     string
	Expected, Found string
}

func (m *Mismatch) Error() string {
	place := m.File
	if m.Where != "" {
		place += ", " + m.Where
	}
	return fmt.Sprintf("%s: expected %s, found %s", place, m.Expected, m.Found)
}

// Checker checks a report folder against itself.
type Checker struct {
	// Key checks the signature. Of a folder that is signed nothing can be told without it: who changed its files
	// can have left the old signature where it was.
	Key *Key
	// Documents is the folder of the design documents; their digests are checked where they are there.
	Documents string
	// Designs are the contracts that are here, by name; Inputs are the digests of them and of their fixtures: see [evidence.Run.Inputs].
	Designs map[string]*accesspatterns.Design
	Inputs  map[string]string
}

// Checked is what a check found to fit.
type Checked struct {
	Run *evidence.Run
	// Files are the names of the files whose digests fit. Others are further files of the folder, which the run did
	// not attest.
	Files, Others []string
	// Signed is true when the key has verified the signature. Signature says in a sentence what it means.
	Signed    bool
	Signature string
	// Notes say what could not be checked here, and why.
	Notes []string
}

// Check checks a report folder: the signature of the attestation, evidence that contradicts itself, the digests of all files,
// every figure of the attestation, computed anew from the evidence, and, where this executable has made the reports, what each claim says,
// by its contract, and each report, rendered anew. It returns a [*Mismatch] for the first thing that does not fit, and another error when nothing can be told.
func (c Checker) Check(folder string) (*Checked, error) {
	checked := &Checked{}
	for _, name := range append(Attested(), AttestationFile) {
		var refused input.Refusal
		if file, err := input.Folder(folder, input.Evidence).Open(name); err == nil {
			_ = file.Close()
		} else if errors.As(err, &refused) {
			return nil, err
		}
	}
	stated, err := readAttestation(filepath.Join(folder, AttestationFile))
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil, &Mismatch{File: AttestationFile, Expected: "an attestation", Found: err.Error()}
	}
	if !missing {
		if checked.Signed, err = c.signature(stated.envelope); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(folder, EvidenceFile)
	if _, err := os.Stat(path); missing && err != nil {
		return nil, fmt.Errorf("expected %s and %s in %s, found neither; name the folder of a report", EvidenceFile, AttestationFile, folder)
	}
	run, err := evidence.ReadValid(path)
	if err != nil {
		return nil, &Mismatch{File: EvidenceFile, Expected: "the evidence of a run", Found: err.Error()}
	}
	checked.Run = run
	if found := run.Contradicted(); found != nil {
		return nil, &Mismatch{EvidenceFile, found.Where, found.Expected, found.Found}
	}
	if missing {
		return nil, fmt.Errorf("expected %s in %s, found none; without it nothing shows that the evidence is as its run wrote it", AttestationFile, folder)
	}
	if err := signerFits(run, stated.envelope); err != nil {
		return nil, err
	}
	if err := statementFits(folder, run, stated); err != nil {
		return nil, err
	}
	checked.Files = Attested()
	if err := c.documents(run, checked); err != nil {
		return nil, err
	}
	own, err := evidence.ExecutableDigest()
	if err != nil {
		return nil, err
	}
	if made := run.Modules[evidence.Executable]; made != own {
		checked.Notes = append(checked.Notes, "the reports were not rendered again, and contract and fixtures not compared: another executable made them, "+cmp.Or(made, "none"))
	} else if err := c.again(folder, run, checked); err != nil {
		return nil, err
	}
	if checked.Others, err = otherFiles(folder); err != nil {
		return nil, err
	}
	switch {
	case checked.Signed:
		checked.Signature = "the signature is of the key that was given, " + c.Key.ID()
	case len(stated.envelope.Signatures) > 0:
		return nil, fmt.Errorf("%s is signed with key %s, and without that key nothing shows that its files are those that were signed; name the key with --key", folder, run.Signer)
	default:
		checked.Signature = "unsigned: whoever can write to the folder can make evidence, reports and attestation anew, and nothing here would show it"
	}
	return checked, nil
}

// otherFiles lists the files of a folder that no attestation names, by their paths in it.
func otherFiles(folder string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err == nil && name != AttestationFile && !slices.Contains(Attested(), name) {
			found = append(found, filepath.ToSlash(name))
		}
		return err
	})
	return found, err
}

// signature checks the envelope's signature with the key, if there is one.
func (c Checker) signature(envelope *dsse.Envelope) (bool, error) {
	if c.Key == nil {
		return false, nil
	}
	wants := "a signature of key " + c.Key.ID()
	if len(envelope.Signatures) == 0 {
		return false, &Mismatch{AttestationFile, "signatures", wants, "none: the attestation is unsigned"}
	}
	verifier, err := dsse.NewEnvelopeVerifier(c.Key)
	if err != nil {
		return false, err
	}
	if _, err := verifier.Verify(context.Background(), envelope); err != nil {
		return false, &Mismatch{AttestationFile, "signatures", wants, "one of key " + envelope.Signatures[0].KeyID + " that this key does not verify; the attestation was changed, or signed with another key"}
	}
	return true, nil
}

// signerFits compares the key that the evidence names with that of the envelope.
func signerFits(run *evidence.Run, envelope *dsse.Envelope) error {
	signers := lists.Map(envelope.Signatures, func(signature dsse.Signature) string { return signature.KeyID })
	switch {
	case run.Signer == "" && len(signers) > 0:
		return &Mismatch{AttestationFile, "signatures", "none, because the evidence is of an unsigned run", "one of key " + signers[0]}
	case run.Signer != "" && !slices.Equal(signers, []string{run.Signer}):
		return &Mismatch{AttestationFile, "signatures", "one of key " + run.Signer + ", which the evidence names", cmp.Or(strings.Join(signers, ", "), "none")}
	}
	return nil
}

// statementFits makes the statement anew from the files and compares it with the attested one, member by member.
func statementFits(folder string, run *evidence.Run, stated stated) error {
	digests, err := fileDigests(folder, run.FileDigest())
	var gone *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist) && errors.As(err, &gone):
		return &Mismatch{File: filepath.Base(gone.Path), Expected: "the file that the attestation names", Found: "no such file"}
	case err != nil:
		return err
	}
	for _, name := range Attested() {
		if digest, named := stated.digests[name]; named && digest != digests[name] {
			return &Mismatch{name, "", "SHA-256 " + digest + ", as attested", digests[name]}
		}
	}
	again, err := statementOf(run, digests)
	if err != nil {
		return &Mismatch{File: EvidenceFile, Expected: "evidence that can be attested", Found: err.Error()}
	}
	var want, found any
	if err := errors.Join(input.Exactly(again, &want), input.Exactly(stated.statement, &found)); err != nil {
		return &Mismatch{AttestationFile, "payload", "an in-toto statement", err.Error()}
	}
	if differs := difference("payload", want, found); differs != nil {
		return &Mismatch{AttestationFile, differs.Where, differs.Expected + ", as in the evidence", differs.Found}
	}
	return nil
}

// absent stands for a member or an element that one of two JSON values has not.
type absent struct{}

// tree is a value of evidence as JSON has it.
func tree(value any) (of any) {
	must.Do(input.Exactly(must.Have(json.Marshal(value)), &of))
	return of
}

// difference returns the first place at which two values differ, members in order; nil where they are the same.
func difference(at string, want, found any) *Mismatch {
	switch want := want.(type) {
	case map[string]any:
		other, same := found.(map[string]any)
		if !same {
			break
		}
		member := func(of map[string]any, name string) any {
			if value, there := of[name]; there {
				return value
			}
			return absent{}
		}
		names := maps.Clone(want)
		maps.Copy(names, other)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if differs := difference(at+"."+name, member(want, name), member(other, name)); differs != nil {
				return differs
			}
		}
		return nil
	case []any:
		other, same := found.([]any)
		if !same {
			break
		}
		element := func(of []any, i int) any {
			if i < len(of) {
				return of[i]
			}
			return absent{}
		}
		for i := range max(len(want), len(other)) {
			if differs := difference(fmt.Sprintf("%s[%d]", at, i), element(want, i), element(other, i)); differs != nil {
				return differs
			}
		}
		return nil
	default:
		if want == found {
			return nil
		}
	}
	return &Mismatch{Where: at, Expected: inJSON(want), Found: inJSON(found)}
}

func inJSON(value any) string {
	if value == (absent{}) {
		return "nothing"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// documents compares the digests of the documents with those that are here.
func (c Checker) documents(run *evidence.Run, checked *Checked) error {
	for design := range lists.Each(run.Designs) {
		if !design.Read || filepath.Base(design.Document) != design.Document {
			continue
		}
		digest, err := fileDigest(input.Design(c.Documents), design.Document)
		switch {
		case err != nil:
			checked.Notes = append(checked.Notes, fmt.Sprintf("%s was not compared: it is not in %s; set DYNAPROOF_DOCUMENTS, or name the folder of a design of your own with --design", design.Document, c.Documents))
		case digest != design.SHA256 && !failedOn(design):
			return &Mismatch{design.Document, "", "SHA-256 " + design.SHA256 + ", which the run has read", digest}
		}
	}
	return nil
}

// failedOn says whether the run itself has found that the document is not the one that was transcribed.
func failedOn(design *evidence.Design) bool {
	return slices.ContainsFunc(design.Results, func(r evidence.Result) bool { return r.Kind == "document" && r.Verdict != evidence.Pass })
}

// again compares, as the executable that made the reports, what it carries, and the bytes of every report with one that is rendered again.
func (c Checker) again(folder string, run *evidence.Run, checked *Checked) error {
	at := slices.IndexFunc(run.Designs, func(d evidence.Design) bool { return c.Designs[d.Name] == nil })
	if at >= 0 {
		checked.Notes = append(checked.Notes, fmt.Sprintf("contract and fixtures were not compared: %s is none of the designs here; name its folder with --design", run.Designs[at].Name))
		c.Inputs = nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.Inputs)) {
		if run.Inputs[name] != c.Inputs[name] {
			return &Mismatch{EvidenceFile, "inputs." + name, c.Inputs[name] + ", which the executable carries", cmp.Or(run.Inputs[name], "none")}
		}
	}
	if at < 0 {
		if err := c.promised(run); err != nil {
			return err
		}
	}
	whole, clean := shown(run), withoutLedger(run)
	for _, format := range Formats() {
		if err := compareText(folder, format.File, func(w io.Writer) error { return format.write(w, clean) }); err != nil {
			return err
		}
	}
	if err := compareText(folder, RequestsFile, func(w io.Writer) error { return allRequestsPage(w, whole) }); err != nil {
		return err
	}
	if without := compareText(folder, PageFile, func(w io.Writer) error { return indexPage(w, whole, HTMLOptions{}, mostBytes) }); without == nil {
		return nil
	}
	if at >= 0 {
		checked.Notes = append(checked.Notes, PageFile+" was not rendered again: it shows which lines of "+run.Designs[at].Document+" its contract cites")
		return nil
	}
	for i := range run.Designs {
		if digest, err := fileDigest(input.Design(c.Documents), filepath.Base(run.Designs[i].Document)); err != nil || digest != run.Designs[i].SHA256 {
			checked.Notes = append(checked.Notes, PageFile+" was not rendered again: it shows documents that are not here as the run read them")
			return nil
		}
	}
	return compareText(folder, PageFile, func(w io.Writer) error { return indexPage(w, whole, DocumentsIn(c.Documents, run), mostBytes) })
}

// promised compares what the designs of a run and their claims say with what the contracts say of them.
func (c Checker) promised(run *evidence.Run) error {
	for design := range lists.Each(run.Designs) {
		whole := *design
		whole.Promise(c.Designs[design.Name])
		if differs := difference(design.Name, tree(redact.Copy(&whole, redact.Secrets)), tree(design)); differs != nil {
			return &Mismatch{EvidenceFile, differs.Where, differs.Expected + ", as in the contract", differs.Found}
		}
		claims := lists.Index(manifest.Claims(c.Designs[design.Name]), func(claim manifest.Claim) (string, manifest.Claim) { return claim.ID, claim })
		if design.Claims != 0 && design.Claims != len(claims) {
			return &Mismatch{EvidenceFile, design.Name, fmt.Sprintf("%d claims, as in the contract", len(claims)), strconv.Itoa(design.Claims)}
		}
		for result := range lists.Each(design.Results) {
			claim, known := claims[result.ID]
			if !known && result.Verdict != evidence.Error { // one that the contract has lost is an error
				return &Mismatch{EvidenceFile, result.ID, "a claim of the contract", "none of this id"}
			}
			if !known {
				continue
			}
			says, contract := *result, c.Designs[design.Name]
			if result.Finding == nil && len(result.Says)+result.Observations == 0 {
				contract = nil // nothing was looked at, and nobody asked it
			}
			says.Promise(contract, claim)
			if differs := difference(result.ID, tree(redact.Copy(&says, redact.Secrets)), tree(result)); differs != nil {
				return &Mismatch{EvidenceFile, differs.Where, differs.Expected + ", as in the contract", differs.Found}
			}
		}
	}
	return nil
}

func compareText(folder, name string, render func(io.Writer) error) error {
	var again bytes.Buffer
	if err := render(&again); err != nil {
		return &Mismatch{File: EvidenceFile, Expected: "evidence from which " + name + " can be rendered", Found: err.Error()}
	}
	text, err := fs.ReadFile(input.Folder(folder, input.Evidence), name)
	if err != nil {
		return err
	}
	if bytes.Equal(text, again.Bytes()) {
		return nil
	}
	at := 0
	for at < min(len(text), again.Len()) && text[at] == again.Bytes()[at] {
		at++
	}
	line := 1 + bytes.Count(text[:at], []byte("\n"))
	return &Mismatch{name, fmt.Sprintf("line %d", line), quoted(again.Bytes(), at) + ", as rendered from the evidence", quoted(text, at)}
}

// quoted returns the line around a place of a text, of a long one what begins shortly before that place.
func quoted(text []byte, at int) string {
	const before, most = 20, 160
	if at == len(text) {
		return "the end of the file"
	}
	from := max(at-before, bytes.LastIndexByte(text[:at], '\n')+1)
	line, _, _ := bytes.Cut(text[from:min(from+most, len(text))], []byte("\n"))
	return strconv.Quote(strings.ToValidUTF8(string(line), ""))
}
