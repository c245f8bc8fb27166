package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"dynaproof/conformance/internal/redact"
)

// progress shows what a run is doing: at once on a terminal, and once a minute
// elsewhere, for what is silent for long is taken for dead and ended.
type progress struct {
	out  io.Writer
	live bool

	mu   sync.Mutex
	last string
	stop func()
}

// attached says that another process of this executable started this one: it is shown each step on a line of standard error that begins with
// step, and this process is interrupted when its standard input ends, however the other one ended.
var attached bool

// step begins the lines of an attached process's progress.
const step = "step: "

// silence is the longest time in which nothing is printed.
const silence = time.Minute

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, live: isTerminal(out), last: "starting", stop: func() {}}
	if !p.live {
		ticker, done := time.NewTicker(silence), make(chan struct{})
		p.stop = sync.OnceFunc(func() {
			ticker.Stop()
			close(done)
		})
		go p.remind(ticker.C, done)
	}
	return p
}

// remind prints the latest line at every tick, until it is done.
func (p *progress) remind(tick <-chan time.Time, done <-chan struct{}) {
	began := time.Now()
	for {
		select {
		case <-done:
			return
		case now := <-tick:
			p.mu.Lock()
			sayAtOnce(p.out, fmt.Sprintf("dynaproof: %s so far; %s\n", now.Sub(began).Round(time.Second), p.last))
			p.mu.Unlock()
		}
	}
}

func (p *progress) note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = line
	switch {
	case attached:
		sayAtOnce(p.out, step+p.last+"\n")
	case p.live:
		sayAtOnce(p.out, redact.ClearLine+p.last)
	}
}

// sayAtOnce writes text at once, also when it does not end a line. It is progress, or a question: neither is missed where it cannot be shown.
func sayAtOnce(out io.Writer, text string) {
	fmt.Fprint(out, text)
	if held, ok := out.(interface{ Flush() error }); ok {
		_ = held.Flush()
	}
}

// clear ends the progress.
func (p *progress) clear() {
	p.stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live {
		sayAtOnce(p.out, redact.ClearLine)
	}
}
