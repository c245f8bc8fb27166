package target

import (
	"bytes"

	"dynaproof/conformance/internal/watchdog"
)

// keptOutput is how many bytes of an engine's output are kept for error messages: its last ones.
const keptOutput = 4 << 10

// output keeps the tail of what an engine printed and notices when it says that it listens. It is safe for concurrent
// use.
type output struct {
	watchdog.Tail
	listening chan struct{} // closed once the engine printed its word
}

// newOutput returns the output of an engine that prints a word once its port is its own.
func newOutput(word string) *output {
	o, heard := &output{listening: make(chan struct{})}, false
	o.Tail = watchdog.Tail{Kept: keptOutput, Look: func(text []byte) {
		if !heard && bytes.Contains(text, []byte(word)) {
			heard = true
			close(o.listening)
		}
	}}
	return o
}

// text returns the tail as one short line.
func (o *output) text() string {
	printed, _ := o.Text()
	return shorten(printed)
}
