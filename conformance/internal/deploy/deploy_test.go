package deploy

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof"
)

// answering plays what deploys: it answers each request by a function, one after the other, and notes what it was asked.
func answering(asked chan<- request, answer func(request) string) Program {
	return func(requests io.Reader, answers io.Writer) error {
		for lines := bufio.NewScanner(requests); lines.Scan(); {
			var r request
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				return err
			}
			asked <- r
			if text := answer(r); text != "" {
				fmt.Fprintf(answers, `{"id":%d,%s}`+"\n", r.ID, text)
			}
		}
		return nil
	}
}

func TestStackAsksAndHears(t *testing.T) {
	asked := make(chan request, 10)
	defer Use(map[string]Program{"orders": answering(asked, func(r request) string {
		switch r.Do {
		case "up":
			return `"changes":{"create":2},"outputs":{"tables":{"Orders":"orders-dev"}},"tableIds":{"orders-dev":"id-1"},"modules":{"engine":"v1"},"seconds":1.5`
		case "preview":
			return `"error":"not like that","kind":"usage"`
		case "refresh":
			return `"error":"refresh of orders.dev: no","kind":"failed"`
		}
		return `"outputs":{}`
	})})()
	stack, err := Open(t.Context(), Options{Design: "orders", Environment: "dev", StateDir: "state", Tags: map[string]string{"run": "x"}})
	require.NoError(t, err)
	opened := <-asked
	assert.Equal(t, []string{"open", "x"}, []string{opened.Do, opened.Tags["run"]})
	assert.True(t, filepath.IsAbs(opened.StateDir), "expected an absolute state folder, found %s", opened.StateDir)
	up, err := stack.Up(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []any{2, "id-1", "v1", 1.5}, []any{up.Changes["create"], up.TableIDs["orders-dev"], up.Modules["engine"], up.Seconds}, "what was answered")
	_, err = stack.Preview(t.Context())
	assert.EqualError(t, err, "not like that")
	_, err = stack.Refresh(t.Context())
	assert.EqualError(t, err, "refresh of orders.dev: no")
	assert.NotErrorIs(t, err, context.Canceled)
	_, err = InputsOf(t.Context(), Options{Design: "orders"})
	assert.Error(t, err, "expected an answer without inputs to be an error")
}

// Of a program that broke off, the line that says why is shown, and not the end of what says where.
func TestTheLineThatMatters(t *testing.T) {
	where := strings.Repeat("goroutine 1 [running]:\nmain.main()\n\t/src/main.go:1 +0x1\n", 500)
	for _, row := range []struct{ said, want string }{
		{"", ""}, {"one\ntwo\n", ": two"},
		{"one\npanic: nil map\n\n" + where, ": panic: nil map"}, {"fatal error: out of memory\n" + where + "panic: behind\n", ": fatal error: out of memory"},
	} {
		said := newComplaints()
		for part := range slices.Chunk([]byte(row.said), 7) { // as they come
			_, _ = said.Write(part)
		}
		assert.Equal(t, row.want, said.line(), "%.40q", row.said)
	}
}

// A cancellation is passed on, and what was begun is waited for.
func TestCancellationIsPassedOn(t *testing.T) {
	asked := make(chan request, 10)
	var begun int
	defer Use(map[string]Program{"orders": answering(asked, func(r request) string {
		switch r.Do {
		case "up":
			begun = r.ID
			return ""
		case cancel:
			return `"error":"up of orders.dev: canceled","kind":"canceled"`
		}
		return `"outputs":{}`
	})})()
	stack, err := Open(t.Context(), Options{Design: "orders", Environment: "dev"})
	require.NoError(t, err)
	<-asked
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { _, err := stack.Up(ctx); ended <- err }()
	<-asked
	stop()
	r := <-asked
	assert.True(t, r.Do == cancel && r.ID == begun, "expected the request %d to be canceled, found %+v", begun, r)
	err = <-ended
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "up of orders.dev: canceled")
	_, err = stack.Up(ctx)
	assert.ErrorIs(t, err, context.Canceled, "expected nothing to be asked any more")
}

// Whoever waits for what has ended is told, and the next request starts it anew.
func TestWhatEndsIsSaid(t *testing.T) {
	starts := 0
	defer Use(map[string]Program{"orders": func(requests io.Reader, _ io.Writer) error {
		starts++
		_, _ = bufio.NewReader(requests).ReadString('\n')
		return errors.New("out of order")
	}})()
	for n := 1; n <= 2; n++ {
		_, err := Open(t.Context(), Options{Design: "orders"})
		assert.ErrorContains(t, err, "out of order")
		assert.Equal(t, n, starts)
	}
}

// script puts a shell script in the place of the command.
func script(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), command)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700))
	t.Setenv(Variable, path)
	return path
}

func TestTheCommandIsMissing(t *testing.T) {
	t.Setenv(Variable, filepath.Join(t.TempDir(), "none"))
	_, err := Open(t.Context(), Options{Design: "orders"})
	assert.ErrorAs(t, err, new(*MissingError))
	assert.ErrorContains(t, err, "make build")
	assert.Error(t, Ready("orders"), "expected nothing to be ready, found no error")
	t.Setenv(Variable, "")
	_, err = Find()
	assert.ErrorContains(t, err, filepath.Dir(os.Args[0]), "expected it to be looked for beside this process's own file")
}

// A command that was built from other sources deploys nothing.
func TestTheCommandIsOfOtherSources(t *testing.T) {
	for name, first := range map[string]string{
		"another":               `{"id":1,"sources":"0123"}`,
		"one before":            `{"id":1,"error":"expected a design, found \"\"","kind":"usage"}`,
		"one that says nothing": `{"id":1}`,
	} {
		path := script(t, "read -r line; echo '"+first+"'; read -r line")
		for _, err := range []error{Ready("orders"), Ready("orders")} {
			var missing *MissingError
			require.ErrorAs(t, err, &missing, name)
			assert.Equal(t, []any{true, path}, []any{missing.Other, missing.Looked}, name)
			assert.ErrorContains(t, err, "build both with `make build`", name)
		}
	}
}

// A command that never answers, and whose own children live on, is not waited for without end.
func TestTheCommandNeverAnswers(t *testing.T) {
	path := script(t, "read request\nread end | cat")
	defer func(before time.Duration) { patience = before }(patience)
	patience = time.Millisecond
	err := Ready("orders")
	assert.ErrorContains(t, err, "expected an answer from "+path)
	assert.ErrorContains(t, err, Variable)
}

func TestTheCommandAnswersAndComplains(t *testing.T) {
	first := `read -r line; echo '{"id":1,"sources":"` + dynaproof.Sources() + `"}'` // it says that it is of these sources
	script(t, first+`; read -r line; echo '{"id":2,"outputs":{}}'; read -r line; echo 'first' >&2; echo 'no disk' >&2; exit 7`)
	t.Cleanup(Close)
	stack, err := Open(t.Context(), Options{Design: "orders"})
	require.NoError(t, err)
	_, err = stack.Up(t.Context())
	assert.ErrorContains(t, err, "exit status 7: no disk", "expected how the command ended and its last words")
}

func TestSaid(t *testing.T) {
	for text, names := range map[string]bool{
		`{"outputs":{"tables":{"Orders":"orders-dev"}},"tableIds":{"orders-dev":"1"}}`: true,
		`{"outputs":{"tables":{}},"Outputs":{"tables":{"Orders":"orders-dev"}}}`:       false,
		`{"outputs":{}}`: false, `{}`: false, `[1]`: false, `Apply complete!`: false, "": false,
	} {
		said := Said([]byte(text))
		assert.Equal(t, names, said != nil, "%s: expected an answer: %t, found %+v", text, names, said)
	}
}
