package evidence

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"dynaproof/accesspatterns/input"
	"dynaproof/conformance/internal/wholefile"
	"dynaproof/conformance/internal/wire"
)

// compressed is the ending of the names of files that are compressed.
const compressed = ".gz"

// Write stores the run as JSON, compressed by gzip where the name ends with .gz, without names of others unless they are
// kept. The file appears whole or not at all.
func (r *Run) Write(path string) error {
	clean := r.Redacted()
	err := wholefile.Render(path, r.Mode(), func(w io.Writer) error {
		if !strings.HasSuffix(path, compressed) {
			return clean.encode(w)
		}
		zipped := gzip.NewWriter(w)
		return errors.Join(clean.encode(zipped), zipped.Close())
	})
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	return nil
}

// encode writes the run, and of its ledger one request a line.
func (r *Run) encode(w io.Writer) error {
	short := *r
	short.Ledger = nil
	head, err := json.MarshalIndent(short, "", " ")
	if err != nil {
		return err
	}
	before, ok := bytes.CutSuffix(head, []byte("null\n}"))
	if !ok {
		return errors.New("the ledger is not the last member of a run any more")
	}
	lines := bufio.NewWriter(w) // keeps an error until Flush
	fmt.Fprintf(lines, "%s[", before)
	separator, end := "\n  ", "]\n}\n"
	for i := range r.Ledger {
		entry, err := json.Marshal(&r.Ledger[i])
		if err != nil {
			return err
		}
		fmt.Fprintf(lines, "%s%s", separator, entry)
		separator, end = ",\n  ", "\n ]\n}\n"
	}
	fmt.Fprint(lines, end)
	return lines.Flush()
}

// Read loads a stored run, compressed or not. It refuses formats that it does not know.
func Read(path string) (*Run, error) { return read(path, decoding{}) }

// ReadVerdicts is [Read] without the ledger, which is most of a file: the run, its designs
// and their results. It does not look at what stands in the file behind the ledger's name.
func ReadVerdicts(path string) (*Run, error) { return read(path, decoding{withoutLedger: true}) }

// ReadValid is [Read] for files of unknown origin: it refuses a file that does
// not fit the published schema, and says where.
func ReadValid(path string) (*Run, error) { return read(path, decoding{valid: true}) }

// decoding is how a file is read: against the schema, or up to the ledger.
type decoding struct{ valid, withoutLedger bool }

func read(path string, how decoding) (*Run, error) {
	file, err := input.Open(path, input.Evidence)
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	defer file.Close()
	digest := sha256.New()
	raw := io.TeeReader(file, digest)
	var run *Run
	text, err := unzipped(raw)
	if err == nil {
		run, err = decode(text, how)
	}
	if err == nil && !how.withoutLedger {
		_, err = io.Copy(io.Discard, raw)
		run.file = hex.EncodeToString(digest.Sum(nil))
	}
	if err != nil {
		return nil, fmt.Errorf("evidence %s: %w", path, err)
	}
	return run, nil
}

// FileDigest is the SHA-256, in hexadecimal, of the file that the run was read from, as it was then; "" for one that was not, or not whole.
func (r *Run) FileDigest() string { return r.file }

// unzipped is what is compressed in a text, or the text where nothing is.
func unzipped(raw io.Reader) (io.Reader, error) {
	text := bufio.NewReader(raw)
	if start, _ := text.Peek(2); !bytes.Equal(start, []byte{0x1f, 0x8b}) { // RFC 1952, 2.3.1
		return text, nil
	}
	return gzip.NewReader(text)
}

// most is the most bytes of one value of a run: a member, or an entry of its ledger. A value takes a multiple of its bytes in memory.
const most = input.Export

// memory is the most bytes that the values of a run take together, and object about what one of their structs does, however few bytes of
// text it is.
const memory, object = 2 * input.Evidence, 1 << 9

// bounded reads a text and so many bytes of it at most, and of them no more for the next value. Room is what is left of memory.
type bounded struct {
	io.Reader
	whole, value, room int64
}

// keep takes the room for a text with so many objects that are read into structs. Each element of its lists takes some.
func (b *bounded) keep(text []byte, objects int) error {
	const element = 16
	if b.room -= int64(len(text) + object*objects + element*bytes.Count(text, []byte(","))); b.room < 0 {
		return fmt.Errorf("expected a run that takes at most %d MB of memory, found more", memory>>20)
	}
	return nil
}

func (b *bounded) Read(into []byte) (int, error) {
	left := min(b.whole, b.value)
	if left <= 0 {
		return 0, fmt.Errorf("expected at most %d MB, and of them %d MB for one member or request, found more", input.Evidence>>20, most>>20)
	}
	n, err := b.Reader.Read(into[:min(int64(len(into)), left)])
	b.whole, b.value = b.whole-int64(n), b.value-int64(n)
	return n, err
}

// decode reads a run one request at a time, so that a long ledger is in memory once.
func decode(text io.Reader, how decoding) (*Run, error) {
	run, err := decodeMembers(text, how)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("expected the JSON of a run, found an empty file or one that was cut off")
	}
	return run, err
}

func decodeMembers(text io.Reader, how decoding) (*Run, error) {
	source := &bounded{text, input.Evidence, most, memory}
	decoder := json.NewDecoder(source)
	if start, err := decoder.Token(); err != nil {
		return nil, fmt.Errorf("expected the JSON of a run: %w", err)
	} else if start != json.Delim('{') {
		return nil, fmt.Errorf("expected the JSON of a run, an object, found %v", start)
	}
	head := map[string]json.RawMessage{}
	var ledger []wire.Entry
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		name := token.(string) // or the decoder had refused it
		if _, twice := head[name]; twice {
			return nil, fmt.Errorf("expected each member once, found %q twice", name)
		}
		value := json.RawMessage("null")
		source.value = most
		switch {
		case name == "ledger" && how.withoutLedger:
			return unmarshal(head, how)
		case name == "ledger":
			ledger, err = decodeLedger(decoder, source, how.valid)
		default:
			if err = decoder.Decode(&value); err == nil {
				err = source.keep(value, bytes.Count(value, []byte("{")))
			}
		}
		if err != nil {
			return nil, err
		}
		head[name] = value
		if name == "version" {
			if err := known(value); err != nil {
				return nil, err // what follows has another form
			}
		}
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if extra, err := decoder.Token(); err == nil {
		return nil, fmt.Errorf("expected the end of the file behind the run, found %v", extra)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	run, err := unmarshal(head, how)
	if err == nil {
		run.Ledger = ledger
	}
	return run, err
}

// unmarshal makes a run of its members but for the ledger.
func unmarshal(head map[string]json.RawMessage, how decoding) (*Run, error) {
	if err := known(head["version"]); err != nil {
		return nil, err
	}
	rest, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	if how.valid {
		if err := Validate(rest); err != nil {
			return nil, fmt.Errorf("does not fit the schema of %s: %w", Version, err)
		}
	}
	var run Run
	if err := input.Exactly(rest, &run); err != nil {
		return nil, err
	}
	return &run, nil
}

// known refuses the version of another format; what is no text is none.
func known(text json.RawMessage) error {
	var version string
	if _ = input.Exactly(text, &version); version != Version {
		return fmt.Errorf("expected version %s, found %q; render it with the release that wrote it", Version, version)
	}
	return nil
}

func decodeLedger(decoder *json.Decoder, source *bounded, valid bool) ([]wire.Entry, error) {
	switch start, err := decoder.Token(); {
	case err != nil:
		return nil, err
	case start == nil:
		return nil, nil
	case start != json.Delim('['):
		return nil, fmt.Errorf("/ledger: expected a list, found %v", start)
	}
	ledger := []wire.Entry{}
	var text json.RawMessage
	for decoder.More() {
		source.value = most
		if err := decoder.Decode(&text); err != nil {
			return nil, err
		}
		if err := source.keep(text, 1); err != nil {
			return nil, err
		}
		at := fmt.Sprintf("/ledger/%d", len(ledger))
		if valid {
			if err := validate(compiled().entry, new(wire.Entry), text, at); err != nil {
				return nil, fmt.Errorf("does not fit the schema of %s: %w", Version, err)
			}
		}
		var entry wire.Entry
		if err := input.Exactly(text, &entry); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		ledger = append(ledger, entry)
	}
	_, err := decoder.Token()
	return ledger, err
}
