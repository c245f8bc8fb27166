package target

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"dynaproof/conformance/internal/watchdog"
)

const (
	// startTimeout bounds the time from starting the process to its first answer. An engine that is a
	// program takes about 20 milliseconds, moto a second; the rest is for a machine that is busy.
	startTimeout = 2 * time.Minute
	// probeInterval is the pause between two questions whether the engine is ready.
	probeInterval = 2 * time.Millisecond
	// portAttempts is how often another port is tried when somebody took the free one in the moment before the engine
	// listened on it.
	portAttempts = 5
)

// embedded is an engine that this process started.
type embedded struct {
	description Description
	output      *output
	*watchdog.Process
}

var _ Target = (*embedded)(nil)

// Embedded starts the pinned engine on a free loopback port, in memory, and returns when it answers. ctx bounds the start
// alone; the engine runs until Close, or until this process is gone. Progress is told one line before the engine is
// installed, which takes seconds and happens once; nil means silence.
//
// Where the engine cannot be had (no npm, no package for the platform, [EngineVariable] names something else) the
// error is a [*ConfigError]; where it could not be fetched or does not come up it is an [*UnavailableError].
func Embedded(ctx context.Context, progress func(line string)) (Target, error) {
	path, is, err := findExecutable(ctx, progress)
	if err != nil {
		return nil, err
	}
	return start(ctx, launch{
		path:        path,
		arguments:   func(host, port string) []string { return []string{"serve", "--host", host, "--port", port} },
		word:        "listening on",
		description: is,
	})
}

// launch says how an engine is started and what it is.
type launch struct {
	path string
	// arguments are the command line for a port on an address of loopback.
	arguments func(host, port string) []string
	// word is what the engine prints once its port is its own.
	word string
	// description lacks the URL.
	description Description
}

// start starts an engine on a free loopback port and returns when it answers.
func start(ctx context.Context, engine launch) (Target, error) {
	bounded, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for attempt := 1; ; attempt++ {
		started, err := startEngine(bounded, engine)
		if errors.Is(err, errPortTaken) && attempt < portAttempts {
			continue
		}
		if failed, is := errors.AsType[*UnavailableError](err); is && engine.description.Engine != engineName {
			failed.Where, failed.Instead = "engine "+engine.description.Engine, leaveOut
		}
		if err != nil {
			return nil, err
		}
		return started, nil
	}
}

// errPortTaken is the cause when the engine found its port in use.
var errPortTaken = errors.New("port already in use")

// startEngine starts one process on a port that is free now and waits until it answers. On an error nothing is left
// running.
func startEngine(ctx context.Context, engine launch) (*embedded, error) {
	host, port, err := freeAddress()
	if err != nil {
		return nil, startError("no free port", err)
	}
	e := &embedded{output: newOutput(engine.word), description: engine.description}
	e.description.URL = "http://" + net.JoinHostPort(host, port)
	// The engine takes its settings from its command line alone.
	environment := []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	e.Process, err = watchdog.Start(append([]string{engine.path}, engine.arguments(host, port)...), environment, e.output)
	if err != nil {
		return nil, startError(err.Error(), err)
	}
	if err := e.awaitReady(ctx); err != nil {
		e.Kill()
		return nil, err
	}
	return e, nil
}

// awaitReady returns when the process itself has said that it listens and a request was answered. Both are needed: an
// answer alone may come from another program that took the port first.
func (e *embedded) awaitReady(ctx context.Context) error {
	select {
	case <-e.output.listening:
	case <-e.Done():
		if strings.Contains(e.output.text(), "already in use") {
			return startError(e.ending(), errPortTaken)
		}
		return startError(e.ending(), nil)
	case <-ctx.Done():
		return startError("no word that it listens: "+ctx.Err().Error(), ctx.Err())
	}
	client := NewClient(e.URL(), probeRegion)
	pause := time.NewTicker(probeInterval)
	defer pause.Stop()
	for {
		_, err := probe(ctx, client)
		if err == nil {
			return nil
		}
		select {
		case <-pause.C:
		case <-e.Done():
			return startError(e.ending(), nil)
		case <-ctx.Done():
			return startError(rootCause(err).Error()+": "+ctx.Err().Error(), ctx.Err())
		}
	}
}

// startError says that the engine did not come up.
func startError(found string, err error) error {
	return unavailable("embedded engine", "it to start and answer", found, useEndpoint, err)
}

// freeAddress returns an address of loopback and a port on it that nobody listens on at this moment.
//
// No engine asks for credentials, and dynoxide allows every page of a browser to read its answers. So where the whole of
// 127.0.0.0/8 is this machine's, as on Linux, the address is a random one: a page that tries the ports of 127.0.0.1 or
// of localhost meets the proxy alone, and trying 2^40 addresses and ports is beyond a page. It keeps out no program of
// this machine that may list the sockets that listen on it (/proc/net/tcp, ss). Where 127.0.0.1 is the only address, as
// on macOS, the port alone is random.
func freeAddress() (host, port string, err error) {
	random := []byte{127, 0, 0, 0}
	_, _ = rand.Read(random[1:]) // it never fails
	random[3] = 2 + random[3]%250
	listener, err := net.Listen("tcp4", net.JoinHostPort(net.IP(random).String(), "0"))
	if err != nil {
		listener, err = net.Listen("tcp4", "127.0.0.1:0")
	}
	if err != nil {
		return "", "", err
	}
	host, port, err = net.SplitHostPort(listener.Addr().String())
	return host, port, errors.Join(err, listener.Close())
}

func (e *embedded) Description() Description { return e.description }
func (e *embedded) URL() string              { return e.description.URL }

// ending says in words how the engine ended, and what it printed.
func (e *embedded) ending() string {
	if text := e.output.text(); text != "" {
		return fmt.Sprintf("%s after printing %q", e.Ending(), text)
	}
	return e.Ending()
}

// Err implements [Target].
func (e *embedded) Err() error {
	select {
	case <-e.Done():
	default:
		return nil
	}
	if e.Asked() {
		return nil
	}
	expected := fmt.Sprintf("%s %s to run until the end", e.description.Engine, e.description.Version)
	return unavailable("embedded engine", expected, e.ending(), "run again; if it happens again, "+useEndpoint, nil)
}

// Close implements [Target].
func (e *embedded) Close(ctx context.Context) error {
	if err := e.End(ctx); err != nil {
		return unavailable("embedded engine", "it to end in time", err.Error(), "it was killed by force; nothing is left of it", err)
	}
	return nil
}
