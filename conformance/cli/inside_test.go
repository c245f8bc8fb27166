package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dynaproof/conformance/target"
)

// Off a terminal a run says at every tick what it is doing, and nothing after its end.
func TestProgressOffATerminal(t *testing.T) {
	said, out := io.Pipe()
	p := &progress{out: out, stop: func() {}}
	tick, done := make(chan time.Time), make(chan struct{})
	go func() {
		p.remind(tick, done)
		_ = out.Close()
	}()
	var lines []string
	text := bufio.NewReader(said)
	for _, doing := range []string{"fus-main: deploying", "12/300  fus-main/tables"} {
		p.note(doing)
		tick <- time.Now()
		line, err := text.ReadString('\n') // a tick that was taken has not said anything yet
		require.NoError(t, err)
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	close(done)
	rest, err := io.ReadAll(text)
	if err != nil || len(rest) > 0 || !strings.HasSuffix(lines[0], "fus-main: deploying") || !strings.HasSuffix(lines[1], "12/300  fus-main/tables") {
		t.Errorf("expected a line for each tick, found %q and %q, %v", lines, rest, err)
	}
}

// Where there is no embedded engine for the platform the second one is taken, and said so.
func TestEngineFor(t *testing.T) {
	missing := fmt.Errorf("embedded engine: found darwin/arm64: %w", target.ErrNoEngine)
	for _, row := range []struct {
		name    string
		missing error
		note    string
	}{
		{"", nil, ""}, {"dynoxide", nil, ""}, {"dynoxide", missing, ""}, {"dynalite", nil, "no transactions"}, {"", missing, "found darwin/arm64"},
	} {
		engine, note, err := engineFor(row.name, row.missing, nil)
		if err != nil || (engine != nil) != (row.note != "") || !strings.Contains(note, row.note) {
			t.Errorf("%q and %v: expected a note on %q, found %v, %q, %v", row.name, row.missing, row.note, engine, note, err)
		}
	}
	if _, _, err := engineFor("moto", errors.New("x"), nil); err == nil {
		t.Error("expected an engine that accepts what DynamoDB refuses to be refused, found none")
	}
}
