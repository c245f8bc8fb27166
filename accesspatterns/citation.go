package accesspatterns

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Citation points at the lines of a design's document from which an element of
// the contract was transcribed.
type Citation struct {
	// First and Last are line numbers, counted from 1, both included.
	First, Last int
	// Tokens must stand literally on those lines, each on at least one of
	// them. They are the transcribed facts: names, types, key templates,
	// numbers.
	Tokens []string
	// Also cites further places that the same element rests on.
	Also []Citation
	// Basis says how the cited lines carry the element. That of the outermost
	// citation counts.
	Basis Basis
}

// Basis says where an obligation comes from. Its zero value is [Stated].
type Basis struct {
	Kind BasisKind
	// Because is the reason of what is implied, and the ruling or the finding that
	// decided what is chosen. Empty for what is stated.
	Because string
}

// BasisKind tells what the text says from what a reader concludes and from what
// the project decided.
type BasisKind string

// The kinds of basis.
const (
	// Stated: the text says it.
	Stated BasisKind = ""
	// Implied: the text cannot mean anything else.
	Implied BasisKind = "implied"
	// Chosen: the text is silent or contradicts itself, and the project decided. A
	// deployment that decided otherwise does not fail for it.
	Chosen BasisKind = "chosen"
)

// BasisKinds lists the kinds, strongest first.
func BasisKinds() []BasisKind { return []BasisKind{Stated, Implied, Chosen} }

func (k BasisKind) String() string {
	if k == Stated {
		return "stated"
	}
	return string(k)
}

// MarshalText writes the kind as reports and the manifest spell it.
func (k BasisKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (k *BasisKind) UnmarshalText(text []byte) error {
	for _, known := range BasisKinds() {
		if string(text) == known.String() {
			*k = known
			return nil
		}
	}
	return fmt.Errorf("expected a basis (stated, implied or chosen), found %q", text)
}

// Weaker returns the weaker of two bases: a conclusion stands as firm as that.
func (b Basis) Weaker(other Basis) Basis {
	if slices.Index(BasisKinds(), other.Kind) > slices.Index(BasisKinds(), b.Kind) {
		return other
	}
	return b
}

// Line cites one line of the document.
func Line(line int, tokens ...string) Citation {
	return Citation{First: line, Last: line, Tokens: tokens}
}

// Lines cites a range of lines, both ends included.
func Lines(first, last int, tokens ...string) Citation {
	return Citation{First: first, Last: last, Tokens: tokens}
}

// And returns the citation with further places added.
func (c Citation) And(others ...Citation) Citation {
	also := make([]Citation, 0, len(c.Also)+len(others))
	also = append(also, c.Also...)
	c.Also = append(also, others...)
	return c
}

// Implied returns the citation as that of an element that the cited lines imply,
// with the reason.
func (c Citation) Implied(because string) Citation {
	c.Basis = Basis{Kind: Implied, Because: because}
	return c
}

// Chosen returns the citation as that of an element that the project decided
// where the cited lines are silent or contradict themselves. by names the ruling
// or the finding.
func (c Citation) Chosen(by string) Citation {
	c.Basis = Basis{Kind: Chosen, Because: by}
	return c
}

// String writes the cited lines as "24" or "24-26, 61".
func (c Citation) String() string {
	text := fmt.Sprintf("%d", c.First)
	if c.Last != c.First {
		text = fmt.Sprintf("%d-%d", c.First, c.Last)
	}
	for _, other := range c.Also {
		text += ", " + other.String()
	}
	return text
}

// Document names the file that a design was transcribed from and pins its
// content.
type Document struct {
	// File is the document's file name, without a folder.
	File string
	// SHA256 is the digest of the file's bytes, in lower-case hexadecimal.
	SHA256 string
}

// Cite writes a citation of this document as "roll-model.md:24-26".
func (d Document) Cite(c Citation) string { return d.File + ":" + c.String() }

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

// ReadDocument reads a document from a folder. It fails with ErrNoDocument when
// the file is not there.
func ReadDocument(folder string, document Document) (*Source, error) {
	content, err := os.ReadFile(filepath.Join(folder, document.File))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: expected %s in %s; set DYNAPROOF_DOCUMENTS to the folder of the design documents",
			ErrNoDocument, document.File, folder)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", document.File, err)
	}
	digest := sha256.Sum256(content)
	return &Source{
		File:   document.File,
		SHA256: hex.EncodeToString(digest[:]),
		lines:  strings.Split(string(content), "\n"),
	}, nil
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
func (t *Source) Prove(c Citation) error {
	var problems []error
	if c.First < 1 || c.Last < c.First || c.Last > t.Len() {
		problems = append(problems, fmt.Errorf("%s:%d-%d: the document has lines 1 to %d", t.File, c.First, c.Last, t.Len()))
	} else {
		if len(c.Tokens) == 0 {
			problems = append(problems, fmt.Errorf("%s:%s: the citation names no token, so it proves nothing", t.File, c))
		}
		cited := strings.Join(t.lines[c.First-1:c.Last], "\n")
		for _, token := range c.Tokens {
			if !strings.Contains(cited, token) {
				problems = append(problems, fmt.Errorf("%s:%d-%d: expected %q on these lines, found it on %s; compare the document with the contract",
					t.File, c.First, c.Last, token, t.where(token)))
			}
		}
	}
	for _, other := range c.Also {
		problems = append(problems, t.Prove(other))
	}
	return errors.Join(problems...)
}
