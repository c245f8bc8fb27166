package deploy

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"dynaproof"
	"dynaproof/accesspatterns/input"
	"dynaproof/conformance/internal/watchdog"
)

// Variable names the command that deploys, where it does not lie beside this process's own file.
const Variable = "DYNAPROOF_LOCAL"

// patience bounds how long the command's first answer, which waits for nothing, is waited for.
var patience = 30 * time.Second

// command is the file of the command that deploys the shipped designs.
const command = "dynaproof-local"

// MissingError says that the command which deploys is not there, or that one is which was built from other sources than this process,
// so that what it deploys need not be what this process expects.
type MissingError struct {
	Looked string
	Other  bool
}

func (e *MissingError) Error() string {
	found := map[bool]string{false: "none: build it", true: "one that was built from other sources than this command: build both"}[e.Other]
	return fmt.Sprintf("deploying: expected %s, which deploys the designs, at %s, found %s with `make build` (or `go build -o %s ./stacks/local`), or name it in %s", command, e.Looked, found, e.Looked, Variable)
}

// Build builds the command, in tests, and returns its path; nil elsewhere.
var Build func() (string, error)

// Find returns the path of the command that deploys. It returns a [*MissingError] where there is none.
func Find() (string, error) {
	path := os.Getenv(Variable)
	if path == "" && Build != nil {
		return Build()
	}
	if path == "" {
		self, err := os.Executable()
		if err == nil {
			self, err = filepath.EvalSymlinks(self)
		}
		if err != nil {
			return "", fmt.Errorf("deploying: looking for %s beside this command: %w; name it in %s", command, err, Variable)
		}
		path = filepath.Join(filepath.Dir(self), command)
	}
	if found, err := os.Stat(path); err != nil || found.IsDir() {
		return "", &MissingError{Looked: path}
	}
	return path, nil
}

// Program answers requests for the designs of another module, in this process, as [Find]'s command does for the shipped ones.
type Program = func(requests io.Reader, answers io.Writer) error

// connection is a way to something that deploys: lines of JSON to it, and lines of JSON back.
type connection struct {
	mu      sync.Mutex
	out     *json.Encoder
	last    int
	waiting map[int]chan answer
	ended   error       // why nothing answers any more
	said    *complaints // the last that a command complained of

	end  io.Closer     // of the requests, which ends the answers
	read chan struct{} // closed when there are no more answers
}

// start starts what answers.
func start(program Program) (*connection, error) {
	c := &connection{waiting: map[int]chan answer{}, read: make(chan struct{}), said: newComplaints()}
	if program != nil {
		requests, to := io.Pipe()
		from, answers := io.Pipe()
		c.out, c.end = json.NewEncoder(to), to
		go func() { _ = answers.CloseWithError(program(requests, answers)) }() // listen returns the error
		go c.listen(from, func() error { return nil })
		return c, nil
	}
	path, err := Find()
	if err != nil {
		return nil, err
	}
	run := exec.Command(path, "serve") //nolint:noctx // it lives as long as this process, and ends with its input
	to, err := run.StdinPipe()         // whose end, also with this process, ends the command
	if err != nil {
		return nil, err
	}
	from, err := run.StdoutPipe()
	if err != nil {
		return nil, err
	}
	complaints, err := run.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := run.Start(); err != nil {
		return nil, fmt.Errorf("deploying: %w; build it again, or name another in %s", err, Variable)
	}
	c.out, c.end = json.NewEncoder(to), to
	go c.listen(from, func() error {
		_, _ = io.Copy(c.said, complaints)
		return run.Wait()
	})
	silent := time.AfterFunc(patience, func() { // ends the answers, also where what it started itself still holds their pipes
		_, _, _ = run.Process.Kill(), from.Close(), complaints.Close()
	})
	got, err := c.ask(context.Background(), request{Do: "sources"})
	if !silent.Stop() {
		err = fmt.Errorf("deploying: expected an answer from %s within %v, found none; build it again, or name another in %s", path, patience, Variable)
	}
	if got.Kind == dynaproof.WrongRequest || err == nil && got.Sources != dynaproof.Sources() { // one from before sources does not know the request
		err = &MissingError{path, true}
	}
	if err != nil {
		_ = c.end.Close()
		<-c.read
		return nil, err
	}
	return c, nil
}

// listen hands answers to those who wait, until there are no more.
func (c *connection) listen(from io.Reader, wait func() error) {
	defer close(c.read)
	lines := bufio.NewReader(from)
	var err error
	for err == nil {
		var line []byte
		if line, err = lines.ReadBytes('\n'); err != nil {
			break
		}
		var got answer
		if err = input.Exactly(line, &got); err != nil {
			break
		}
		c.mu.Lock()
		to := c.waiting[got.ID]
		delete(c.waiting, got.ID)
		c.mu.Unlock()
		if to != nil {
			to <- got
		}
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("it ended")
	}
	if how := wait(); how != nil {
		err = how
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = fmt.Errorf("deploying: expected an answer from %s, found none: %w%s", command, err, c.said.line())
	for id, to := range c.waiting {
		delete(c.waiting, id)
		to <- answer{Error: c.ended.Error()}
	}
}

// send sends a request, and returns where its answer will come.
func (c *connection) send(r request) (id int, got chan answer, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return 0, nil, c.ended
	}
	if r.Do != cancel {
		c.last++
		r.ID, got = c.last, make(chan answer, 1)
		c.waiting[r.ID] = got
	}
	if err := c.out.Encode(r); err != nil {
		delete(c.waiting, r.ID)
		return 0, nil, fmt.Errorf("deploying: asking %s: %w", command, err)
	}
	return r.ID, got, nil
}

// ask sends a request and waits for its answer. A cancellation is passed on, and the answer to what was begun is waited for.
func (c *connection) ask(ctx context.Context, r request) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, &canceledError{r.Do + " of " + r.Design + "." + r.Environment + ": canceled", err}
	}
	id, came, err := c.send(r)
	if err != nil {
		return answer{}, err
	}
	var got answer
	select {
	case got = <-came:
	case <-ctx.Done():
		_, _, _ = c.send(request{Do: cancel, ID: id}) // where that fails nothing answers, and listen says so
		got = <-came
	}
	switch {
	case got.Error == "":
		return got, nil
	case got.Kind == dynaproof.Canceled && ctx.Err() != nil:
		return got, &canceledError{got.Error, ctx.Err()}
	}
	return got, errors.New(got.Error)
}

// canceledError is an operation that was canceled, in the words of what deploys. What was done is in the state.
type canceledError struct {
	problem string
	cause   error
}

func (e *canceledError) Error() string { return e.problem }
func (e *canceledError) Unwrap() error { return e.cause }

// keptComplaints is how many bytes of what the command complained of are kept: its last ones.
const keptComplaints = 2 << 10

// broke is the line by which Go says why a program broke off, behind which come hundreds that say where.
var broke = regexp.MustCompile(`(?m)^(?:panic|fatal error): .*\n`)

// complaints are what a command said: its last words, and the line by which it broke off, however much stands behind that.
type complaints struct {
	watchdog.Tail
	why string
}

func newComplaints() *complaints {
	c := &complaints{}
	c.Tail = watchdog.Tail{Kept: keptComplaints, Look: func(text []byte) {
		if c.why == "" {
			c.why = string(broke.Find(text))
		}
	}}
	return c
}

// line is the line that matters of what the command said, behind a colon, or nothing.
func (c *complaints) line() string {
	text, _ := c.Text()
	lines := strings.Split(strings.TrimSpace(cmp.Or(c.why, text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return ": " + last
	}
	return ""
}

// connections holds one connection to each program, and one to the command.
var connections = struct {
	sync.Mutex
	programs map[string]Program
	open     map[string]*connection
}{open: map[string]*connection{}}

// Use lets programs deploy designs, by their names, in place of the command, until the function that it returns is called.
// A design whose program is nil has none.
func Use(programs map[string]Program) (restore func()) {
	Close()
	connections.Lock()
	defer connections.Unlock()
	before := connections.programs
	connections.programs = programs
	return func() {
		Close()
		connections.Lock()
		defer connections.Unlock()
		connections.programs = before
	}
}

// FromContract reports whether no program deploys a design that the caller brought, so that its tables are made from its contract.
func FromContract(design string) bool {
	connections.Lock()
	defer connections.Unlock()
	program, brought := connections.programs[design]
	return brought && program == nil
}

// to returns the connection to what deploys a design. One that has ended is opened anew.
func to(design string) (*connection, error) {
	connections.Lock()
	defer connections.Unlock()
	program := connections.programs[design]
	if program == nil {
		design = "" // the command deploys all the others
	}
	if c := connections.open[design]; c != nil && c.alive() {
		return c, nil
	}
	c, err := start(program)
	if err != nil {
		return nil, err
	}
	connections.open[design] = c
	return c, nil
}

// Close ends what deploys. The end of the process does so too.
func Close() {
	connections.Lock()
	defer connections.Unlock()
	for _, c := range connections.open {
		_ = c.end.Close() // what has ended already has no end
		<-c.read
	}
	clear(connections.open)
}

func (c *connection) alive() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended == nil
}

// Ready returns an error where nothing deploys a design: a [*MissingError] where the command is not there, or is
// another.
func Ready(design string) error {
	_, err := to(design)
	return err
}
