package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// Off a terminal a run says at every tick what it is doing, and nothing after its end.
func TestProgressOffATerminal(t *testing.T) {
	var out bytes.Buffer
	p := &progress{out: &out, stop: func() {}}
	tick, done, ended := make(chan time.Time), make(chan struct{}), make(chan struct{})
	go func() {
		p.remind(tick, done)
		close(ended)
	}()
	p.note("fus-main: deploying")
	tick <- time.Now()
	p.note("12/300  fus-main/tables")
	tick <- time.Now()
	close(done)
	<-ended
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 2 || !strings.HasSuffix(lines[0], "fus-main: deploying") || !strings.HasSuffix(lines[1], "12/300  fus-main/tables") {
		t.Errorf("expected a line for each tick, found %q", out.String())
	}
}
