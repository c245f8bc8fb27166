package coverage

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/input"
)

// Source is the content of a document, split into lines.
type Source struct {
	// File is the file name that was read.
	File string
	// SHA256 is the digest of the bytes that were read.
	SHA256 string
	lines  []string
}

// ErrNoDocument says that the folder of documents does not hold the file, so
// that nothing can be said about its citations.
var ErrNoDocument = errors.New("document not found")

// Read reads a document from a folder. It fails with ErrNoDocument when
// the file is not there.
func Read(folder string, document accesspatterns.Document) (*Source, error) {
	content, err := fs.ReadFile(input.Design(folder), document.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: expected %s in %s; put it there, or set DYNAPROOF_DOCUMENTS to the folder of the design documents",
			ErrNoDocument, document.File, folder)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", document.File, err)
	}
	return &Source{File: document.File, SHA256: fmt.Sprintf("%x", sha256.Sum256(content)), lines: strings.Split(string(content), "\n")}, nil
}

// Line returns a line, counted from 1, or an empty string outside the document.
func (t *Source) Line(number int) string {
	if number < 1 || number > len(t.lines) {
		return ""
	}
	return t.lines[number-1]
}

// Len returns the number of lines. A document that ends in a line feed has no
// further, empty line.
func (t *Source) Len() int {
	if n := len(t.lines); n > 0 && t.lines[n-1] == "" {
		return n - 1
	}
	return len(t.lines)
}

// where names the lines on which a token stands, the first few of them.
func (t *Source) where(token string) string {
	var lines []string
	for i, line := range t.lines {
		if strings.Contains(line, token) {
			lines = append(lines, strconv.Itoa(i+1))
		}
	}
	switch most := 5; {
	case len(lines) == 0:
		return "no line"
	case len(lines) > most:
		lines = append(lines[:most], "...")
	}
	return "line " + strings.Join(lines, ", ")
}

// Prove reports every token of the citation that does not stand on the cited
// lines, and every cited line that the document does not have. It returns nil
// when the citation holds.
func (t *Source) Prove(c accesspatterns.Citation) error {
	var problems []error
	for _, place := range c.Places() {
		if place.First < 1 || place.Last < place.First || place.Last > t.Len() {
			problems = append(problems, fmt.Errorf("%s:%d-%d: the document has lines 1 to %d", t.File, place.First, place.Last, t.Len()))
			continue
		}
		if len(place.Tokens) == 0 {
			problems = append(problems, fmt.Errorf("%s:%s: the citation names no token, so it proves nothing", t.File, place))
		}
		cited := strings.Join(t.lines[place.First-1:place.Last], "\n")
		for _, token := range place.Tokens {
			if !strings.Contains(cited, token) {
				problems = append(problems, fmt.Errorf("%s:%s: expected %q on these lines, found it on %s; compare the document with the contract", t.File, place, token, t.where(token)))
			}
		}
	}
	return errors.Join(problems...)
}
