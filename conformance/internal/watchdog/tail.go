package watchdog

import (
	"strings"
	"sync"
)

// Tail keeps the end of what a program prints. It is safe for concurrent use.
type Tail struct {
	// Kept is how many bytes are kept.
	Kept int
	// Look is shown, at each write, what is kept with what is new behind it, before that is cut; nil for nobody. Nothing else writes or
	// reads meanwhile.
	Look func(text []byte)

	mutex sync.Mutex
	text  []byte
	cut   bool
}

// Write implements io.Writer; it never fails.
func (t *Tail) Write(text []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text = append(t.text, text...)
	if t.Look != nil {
		t.Look(t.text)
	}
	if extra := len(t.text) - t.Kept; extra > 0 {
		t.text, t.cut = append(t.text[:0], t.text[extra:]...), true
	}
	return len(text), nil
}

// Text is what is kept. cut says that more stood before it.
func (t *Tail) Text() (text string, cut bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return strings.ToValidUTF8(string(t.text), "?"), t.cut
}
