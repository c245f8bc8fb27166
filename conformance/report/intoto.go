package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	testresult "github.com/in-toto/attestation/go/predicates/test_result/v0"
	attestation "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"dynaproof/conformance/evidence"
)

// testResultPredicate is the predicate type of test results:
// https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md
const testResultPredicate = "https://in-toto.io/attestation/test-result/v0.1"

// inToto writes an in-toto statement, not signed, with predicate
// test-result/v0.1.
//
// Its subjects are what was tested: the outputs of each stack, by the digest of
// their canonical JSON (see [StackOutputs]), and the executable that the Pulumi
// programs are compiled into, where the evidence names its digest. The
// configuration is the documents with their pinned digests.
//
// Passed tests are the claims that passed. Warned tests hold by a named waiver or
// cannot be answered by this engine. Every other claim is a failed test, also when
// nothing could be told.
func inToto(w io.Writer, run *evidence.Run) error {
	subjects, err := subjectsOf(run)
	if err != nil {
		return err
	}
	predicate, err := asStruct(testResultOf(run))
	if err != nil {
		return err
	}
	statement := &attestation.Statement{
		Type: attestation.StatementTypeUri, Subject: subjects, PredicateType: testResultPredicate, Predicate: predicate,
	}
	if err := statement.Validate(); err != nil {
		return fmt.Errorf("in-toto statement: %w; the evidence names no deployed design", err)
	}
	text, err := protojson.Marshal(statement)
	if err != nil {
		return fmt.Errorf("in-toto statement: %w", err)
	}
	// protojson varies its white space on purpose.
	var compact, out bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return fmt.Errorf("in-toto statement: %w", err)
	}
	if err := json.Indent(&out, compact.Bytes(), "", "  "); err != nil {
		return fmt.Errorf("in-toto statement: %w", err)
	}
	out.WriteByte('\n')
	_, err = w.Write(out.Bytes())
	return err
}

// StackOutputs returns the canonical JSON of what a stack put out: members in
// order, no white space. Its SHA-256 identifies a deployment in the statement, and
//
//	jq -cjS '.designs[] | select(.name == "NAME") | {region, tables}' evidence.json | sha256sum
//
// computes it from the evidence.
func StackOutputs(design *evidence.Design) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string]any{"region": design.Region, "tables": design.Tables}); err != nil {
		return nil, fmt.Errorf("outputs of %s: %w", design.Name, err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func subjectsOf(run *evidence.Run) ([]*attestation.ResourceDescriptor, error) {
	var subjects []*attestation.ResourceDescriptor
	for i := range run.Designs {
		design := &run.Designs[i]
		if len(design.Tables) == 0 {
			continue // nothing of it was deployed
		}
		outputs, err := StackOutputs(design)
		if err != nil {
			return nil, err
		}
		tables := map[string]any{}
		for id, name := range design.Tables {
			tables[id] = name
		}
		about, err := structpb.NewStruct(map[string]any{"design": design.Name, "region": design.Region, "tables": tables})
		if err != nil {
			return nil, fmt.Errorf("outputs of %s: %w", design.Name, err)
		}
		name := design.Stack
		if name == "" {
			name = design.Name
		}
		digest := sha256.Sum256(outputs)
		subjects = append(subjects, &attestation.ResourceDescriptor{
			Name: name + " (stack outputs)", Digest: map[string]string{"sha256": hex.EncodeToString(digest[:])},
			MediaType: "application/json", Annotations: about,
		})
	}
	if digest, ok := strings.CutPrefix(run.Modules[evidence.Executable], "sha256:"); ok {
		subjects = append(subjects, &attestation.ResourceDescriptor{
			Name: "dynaproof (Pulumi programs)", Digest: map[string]string{"sha256": digest},
		})
	}
	return subjects, nil
}

func testResultOf(run *evidence.Run) *testresult.TestResult {
	result := &testresult.TestResult{}
	for i := range run.Designs {
		design := &run.Designs[i]
		if design.Document != "" {
			result.Configuration = append(result.Configuration, &attestation.ResourceDescriptor{
				Name: design.Document, Digest: map[string]string{"sha256": design.SHA256}, MediaType: "text/markdown",
			})
		}
		for _, claim := range design.Results {
			switch claim.Verdict {
			case evidence.Pass:
				result.PassedTests = append(result.PassedTests, claim.ID)
			case evidence.Waived, evidence.Unsupported:
				result.WarnedTests = append(result.WarnedTests, claim.ID)
			default:
				result.FailedTests = append(result.FailedTests, claim.ID)
			}
		}
	}
	switch {
	case run.ExitCode() != evidence.Conforms:
		result.Result = "FAILED"
	case len(result.WarnedTests) > 0:
		result.Result = "WARNED"
	default:
		result.Result = "PASSED"
	}
	return result
}

// asStruct turns a predicate into the form in which a statement carries it.
func asStruct(predicate proto.Message) (*structpb.Struct, error) {
	text, err := protojson.Marshal(predicate)
	if err != nil {
		return nil, fmt.Errorf("in-toto predicate: %w", err)
	}
	carried := &structpb.Struct{}
	if err := protojson.Unmarshal(text, carried); err != nil {
		return nil, fmt.Errorf("in-toto predicate: %w", err)
	}
	return carried, nil
}
