package target

import (
	"strings"
	"sync"

	"dynaproof/conformance/internal/watchdog"
)

// keptOutput is how many bytes of an engine's output are kept for error messages: its last ones.
const keptOutput = 4 << 10

// output keeps the tail of what an engine printed and notices when it says that it listens. It is safe for concurrent
// use.
type output struct {
	watchdog.Tail
	// word is what the engine prints once its port is its own, and listening is closed then.
	word      string
	listening chan struct{}
	heard     sync.Once
}

func newOutput(word string) *output {
	return &output{Tail: watchdog.Tail{Kept: keptOutput}, word: word, listening: make(chan struct{})}
}

// Write implements io.Writer; it never fails.
func (o *output) Write(text []byte) (int, error) {
	// Before the tail is cut: much may stand behind the word.
	if before, _ := o.Text(); strings.Contains(before+string(text), o.word) {
		o.heard.Do(func() { close(o.listening) })
	}
	return o.Tail.Write(text)
}

// text returns the tail as one short line.
func (o *output) text() string {
	printed, _ := o.Text()
	return shorten(printed)
}
