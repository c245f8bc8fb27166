package designs

import (
	_ "embed"
	"fmt"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/input"
)

// pinned holds the digests of the documents' lines as they were transcribed.
//
//go:embed lines.json
var pinned []byte

// Lines returns the pinned digests of the lines of a document, in order, or none when
// those of this version of the document are not pinned. They say which lines of another
// version differ, without keeping any of the text.
func Lines(document accesspatterns.Document) ([]string, error) {
	var all []struct {
		File   string   `json:"file"`
		SHA256 string   `json:"sha256"`
		Lines  []string `json:"lines"`
	}
	if err := input.Exactly(pinned, &all); err != nil {
		return nil, fmt.Errorf("lines.json: %w", err)
	}
	for _, lines := range all {
		if lines.File == document.File && lines.SHA256 == document.SHA256 {
			return lines.Lines, nil
		}
	}
	return nil, nil
}
