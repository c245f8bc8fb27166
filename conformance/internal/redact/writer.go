package redact

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"strings"
	"sync"
)

// Writer replaces names in what is written through it, line by line, and drops what a terminal would obey (see [Visible]) but for
// [ClearLine] at the beginning. A line that is not ended yet waits for its end, or for [Writer.Flush].
type Writer struct {
	mu    sync.Mutex
	out   io.Writer
	names *Redactor
	line  []byte
	lost  error // the first that a write met
}

// Writer returns a writer to out.
func (r *Redactor) Writer(out io.Writer) *Writer { return &Writer{out: out, names: r} }

// Write implements io.Writer.
func (w *Writer) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line = append(w.line, text...)
	end := bytes.LastIndexByte(w.line, '\n') + 1
	if end == 0 {
		return len(text), nil
	}
	return len(text), w.show(end)
}

// ClearLine clears the line of a terminal.
const ClearLine = "\r\x1b[K"

// show writes the text before an end.
func (w *Writer) show(end int) error {
	text, clear := strings.CutPrefix(string(w.line[:end]), ClearLine)
	if text = Visible(w.names.Text(text)); clear {
		text = ClearLine + text
	}
	w.line = append(w.line[:0], w.line[end:]...)
	_, err := io.WriteString(w.out, text)
	w.lost = cmp.Or(w.lost, err)
	return w.lost
}

// Flush writes a line that is not ended. It returns the first error of all writes.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.show(len(w.line))
}

// Fd returns the descriptor behind the writer, by which a terminal is recognised, and one that is none where there is no
// file.
func (w *Writer) Fd() uintptr {
	if file, ok := w.out.(*os.File); ok {
		return file.Fd()
	}
	return ^uintptr(0)
}

// Read implements io.Reader, which those who look for a terminal ask for. There is nothing to read.
func (*Writer) Read([]byte) (int, error) { return 0, io.EOF }
