package designs

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/document/coverage"
)

// pinned holds the digests of the documents' lines as they were transcribed.
//
//go:embed lines.json
var pinned []byte

// PinnedLines are the digests of the lines of one document as it was
// transcribed. They say which lines of another version differ, without keeping
// any of the text.
type PinnedLines struct {
	// File is the document's file name, SHA256 the digest of the whole.
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	// Lines holds [coverage.LineDigest] of every line, in order.
	Lines []string `json:"lines"`
}

// Lines returns the pinned digests of the lines of a document, or none when
// those of this version of the document are not pinned.
func Lines(document accesspatterns.Document) ([]string, error) {
	var all []PinnedLines
	if err := json.Unmarshal(pinned, &all); err != nil {
		return nil, fmt.Errorf("lines.json: %w", err)
	}
	for _, lines := range all {
		if lines.File == document.File && lines.SHA256 == document.SHA256 {
			return lines.Lines, nil
		}
	}
	return nil, nil
}

// digestsPerRow keeps lines.json short, and a difference of it small.
const digestsPerRow = 10

// GenerateLines writes the digests of the lines of all documents. It refuses a
// document whose digest is not the pinned one: its lines are pinned after the
// contract was compared with it.
func GenerateLines(folder string) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("[")
	for i, design := range All() {
		source, err := coverage.Read(folder, design.Document)
		if err != nil {
			return nil, err
		}
		if source.SHA256 != design.Document.SHA256 {
			return nil, fmt.Errorf("%s: expected SHA-256 %s, found %s; compare the document with the contract and pin its digest there first",
				design.Document.File, design.Document.SHA256, source.SHA256)
		}
		if i > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, "\n{\"file\": %q, \"sha256\": %q, \"lines\": [", source.File, source.SHA256)
		for n, digest := range source.LineDigests() {
			switch {
			case n == 0:
				out.WriteString("\n ")
			case n%digestsPerRow == 0:
				out.WriteString(",\n ")
			default:
				out.WriteString(", ")
			}
			fmt.Fprintf(&out, "%q", digest)
		}
		out.WriteString("\n]}")
	}
	out.WriteString("\n]\n")
	return out.Bytes(), nil
}
