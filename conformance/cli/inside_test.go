package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/redact"
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

// A command that reads documents ends where it is interrupted, though the reader knows of no interrupt: it says so, and prints and writes nothing.
func TestReadingIsInterrupted(t *testing.T) {
	names = redact.New(redact.Names{})
	folder := t.TempDir()
	document := filepath.Join(folder, "mill.md")
	require.NoError(t, os.WriteFile(document, []byte("# Mill\n\n## Table: `sacks`\n\n- Partition key: `sackId`\n"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"review", document, "--html", filepath.Join(folder, "review.html"), "--sarif", filepath.Join(folder, "review.sarif")},
		{"init", "mill", "--document", document, "--out", filepath.Join(folder, "mill")},
		{"check", "commit-collect"},
		{"documents", folder},
	} {
		var out strings.Builder
		root := command()
		root.SetArgs(args)
		root.SetOut(&out)
		err := root.ExecuteContext(ctx)
		var decided outcome
		require.ErrorAs(t, err, &decided, args[0])
		assert.Equal(t, evidence.CouldNotTell, decided.code, args[0])
		require.ErrorContains(t, decided.err, args[0]+": interrupted; nothing is decided, and nothing was written")
		assert.Empty(t, out.String(), args[0])
	}
	written, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	assert.Equal(t, []string{document}, written)

	for _, command := range []string{"deploy", "preview", "refresh", "destroy"} {
		var problems strings.Builder
		assert.EqualValues(t, evidence.CouldNotTell, Run(io.Discard, &problems, command, "fus-main", "--endpoint", "http://127.0.0.1:1", "--state", folder, "--timeout", "1ns"), problems.String())
	}

	c, stop := &cobra.Command{Use: "wait"}, make(chan struct{})
	ctx, cancel = context.WithCancel(t.Context())
	c.SetContext(ctx)
	_, err = within(c, func() (int, error) {
		cancel()
		<-stop // for as long as the command waits
		return 1, nil
	})
	close(stop)
	require.ErrorIs(t, err, context.Canceled)
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
		require.NoError(t, err)
		assert.Equal(t, row.note != "", engine != nil, "%q and %v: expected another engine where there is a note, found %q", row.name, row.missing, note)
		assert.Contains(t, note, row.note)
	}
	_, _, err := engineFor("moto", errors.New("x"), nil)
	assert.Error(t, err, "expected an engine that accepts what DynamoDB refuses to be refused")
}

// Of a command with one design it need not be named.
func TestTheOneDesign(t *testing.T) {
	folder, err := filepath.Abs("../testdata/ownmodule/orders")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	for command, says := range map[string]string{"cleanup": "connection refused", "deploy": `found "orders"`} {
		var problems strings.Builder
		run([]string{command, "--endpoint", "http://127.0.0.1:1"}, strings.NewReader(""), io.Discard, &problems, With(Design{Folder: os.DirFS(folder)}))
		assert.Contains(t, problems.String(), says, command)
	}
}

func TestAcceptances(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Text, Refused string
		Accepted      int
	}](t, "acceptances.yaml") {
		all, err := acceptances(contract.StatusFile, []byte(row.Text), []string{"shop/finding/x", "shop/pattern/y"})
		if row.Refused == "" {
			require.NoError(t, err, row.Text)
			assert.Len(t, all, row.Accepted, row.Text)
		} else {
			assert.ErrorContains(t, err, row.Refused, row.Text)
		}
	}
}

// Run runs a command line in this process, for tests. Nobody is there to be asked.
func Run(stdout, stderr io.Writer, args ...string) int {
	return int(run(args, strings.NewReader(""), stdout, stderr))
}

// RunIn is [Run] in a working folder, with variables of the environment; both are put back.
func RunIn(folder string, variables []string, stdout, stderr io.Writer, args ...string) (code int, err error) {
	before, err := os.Getwd()
	if err = errors.Join(err, os.Chdir(folder)); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.Chdir(before)) }()
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		was, there := os.LookupEnv(name)
		if err := os.Setenv(name, value); err != nil {
			return 0, err
		}
		defer func() {
			err = errors.Join(err, os.Setenv(name, was))
			if !there {
				err = errors.Join(err, os.Unsetenv(name))
			}
		}()
	}
	return Run(stdout, stderr, args...), nil
}

// What an assistant's server was told of its target an audit takes as it was told, lists and names with commas among it.
func TestFlagsAreGivenAgain(t *testing.T) {
	flags := []string{"--endpoint=http://[::1]:8000", "--prefix=", "--table=Orders=a,Users=b", "--unsupported=TransactWriteItems,Scan"}
	given := func(args []string) []string {
		root, c := &cobra.Command{Use: "dynaproof"}, mcpCommand()
		root.PersistentFlags().Duration("timeout", 0, "")
		root.AddCommand(c)
		require.NoError(t, c.ParseFlags(args))
		return givenAgain(c)
	}
	assert.Equal(t, flags[:2], given(flags[:2]))
	again := given(append([]string{"--timeout=1m"}, flags...))
	assert.Equal(t, again, given(again))
	assert.Equal(t, flags[3], again[3])
	assert.Empty(t, given(nil))
}

// A release tells the linker its version by the name of this package's variable.
func TestVersionOfARelease(t *testing.T) {
	text, err := os.ReadFile("../../.goreleaser.yaml")
	require.NoError(t, err)
	assert.Contains(t, string(text), "-X "+reflect.TypeFor[checked]().PkgPath()+".version={{ .Version }}\n")
	defer func(was string) { version = was }(version)
	version = "v9.8.7"
	assert.Equal(t, "v9.8.7", strings.Fields(versionText())[0])
}
