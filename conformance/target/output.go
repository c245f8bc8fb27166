package target

import (
	"bytes"
	"sync"
)

// keptOutput is how many bytes of an engine's output are kept for error messages: its last ones.
const keptOutput = 4 << 10

// output keeps the tail of what an engine printed and notices when it says that it listens. It is safe for concurrent
// use.
type output struct {
	// word is what the engine prints once its port is its own, and listening is closed then.
	word      []byte
	listening chan struct{}

	mutex sync.Mutex
	tail  []byte
	heard bool
}

func newOutput(word string) *output {
	return &output{word: []byte(word), listening: make(chan struct{})}
}

// Write implements io.Writer; it never fails.
func (o *output) Write(text []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.tail = append(o.tail, text...)
	if !o.heard && bytes.Contains(o.tail, o.word) {
		o.heard = true
		close(o.listening)
	}
	if extra := len(o.tail) - keptOutput; extra > 0 {
		o.tail = append(o.tail[:0], o.tail[extra:]...)
	}
	return len(text), nil
}

// text returns the tail as one short line.
func (o *output) text() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return shorten(string(o.tail))
}
