package cli_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/internal/test/command"
	"dynaproof/conformance/target"
)

// binary is the command under test, installed once into a folder outside of the
// checkout; documents is the folder of the design documents, as an absolute path
// because the command runs elsewhere.
var binary, documents string

// linkedVersion is the version that the linker gives the binary, as a release does.
const linkedVersion = "v9.8.7"

func TestMain(m *testing.M) {
	if os.Getenv(toolVariable) != "" {
		os.Exit(tool(os.Args[1:]))
	}
	flag.Parse()
	// These tests wait for the processes that they start, so more of them run at a time than there are processors.
	if most := flag.Lookup("test.parallel"); most.Value.String() == most.DefValue {
		if err := most.Value.Set(strconv.Itoa(4 * runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	os.Exit(built(m))
}

func built(m *testing.M) int {
	folder, err := os.MkdirTemp("", "dynaproof-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	binary = filepath.Join(folder, "dynaproof")
	install := exec.Command("go", "install", "-ldflags", "-s -w -X dynaproof/conformance/cli.version="+linkedVersion, "../cmd/dynaproof")
	install.Env = append(install.Environ(), "GOBIN="+folder)
	if text, err := install.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "installing the command: %v\n%s", err, text)
		return 1
	}
	if _, err := command.Path(); err != nil { // and sets the variable by which the command finds it
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	documents = os.Getenv("DYNAPROOF_DOCUMENTS")
	if documents == "" {
		documents = "../../../shared/designs"
	}
	if documents, err = filepath.Abs(documents); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer closeMotos()
	return m.Run()
}

// needsDocuments skips a test that cannot say anything without the documents.
func needsDocuments(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(documents); err != nil {
		t.Skipf("the design documents are not there (%v); set DYNAPROOF_DOCUMENTS", err)
	}
}

// child is a run of the command in a working folder of its own.
type child struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

// patience bounds every run: one that hangs fails the test with what it printed. A
// machine that is busy with much else makes a run of seconds one of minutes.
const patience = 5 * time.Minute

// What is explored in memory takes longer than the replay of all the rest. A run that has no filter of its own leaves it out, but for a design of
// the test's; everyClaim is the filter of one that does not.
const (
	unexplored = "!(kind:invariant || kind:confinement || kind:validity)"
	everyClaim = "/./"
)

// prepare prepares a run; environment entries replace inherited ones.
func prepare(t *testing.T, environment []string, args ...string) *child {
	t.Helper()
	if len(args) > 0 && args[0] == "verify" && !slices.Contains(args, "--orders") {
		args = append(slices.Clone(args), "--orders", "3", "--interruptions", "2") // how clients race and die is not what these tests ask
	}
	if len(args) > 0 && args[0] == "verify" && !slices.Contains(args, "--label-filter") && !slices.Contains(args, "--design") {
		args = append(slices.Clone(args), "--label-filter", unexplored)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	c := &child{Cmd: exec.CommandContext(ctx, binary, args...)}
	c.Dir = t.TempDir()
	c.Env = append(append(os.Environ(), "DYNAPROOF_DOCUMENTS="+documents), environment...)
	c.Stdout, c.Stderr = &c.stdout, &c.stderr
	return c
}

// ends waits for the end and returns the exit code; -1 when a signal ended it.
func (c *child) ends(t *testing.T) int {
	t.Helper()
	err := c.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v\n%s", c, err, c.stderr.String())
	}
	return c.ProcessState.ExitCode()
}

// starts starts the run and ends it with the test, should it still be there.
func (c *child) starts(t *testing.T) {
	t.Helper()
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		if c.ProcessState == nil {
			_ = c.Process.Kill() // it may just have ended
			_ = c.Wait()         // its status says nothing
		}
	})
}

// run runs the command to its end in a folder and expects an exit code.
func run(t *testing.T, folder string, code int, args ...string) *child {
	t.Helper()
	c := prepare(t, nil, args...)
	if folder != "" {
		c.Dir = folder
	}
	c.expect(t, code)
	return c
}

func (c *child) expect(t *testing.T, code int) {
	t.Helper()
	c.starts(t)
	if got := c.ends(t); got != code {
		t.Fatalf("dynaproof %s: expected exit code %d, found %d\n%s%s", strings.Join(c.Args[1:], " "), code, got, c.stdout.String(), c.stderr.String())
	}
}

// says checks that a text holds words.
func says(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		assert.Contains(t, text, word, what)
	}
}

// lacks checks that a text does not hold words.
func lacks(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		assert.NotContains(t, text, word, what)
	}
}

// oneError checks that a run printed exactly one line, as an error.
func (c *child) oneError(t *testing.T, words ...string) {
	t.Helper()
	text := c.stderr.String()
	if strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "dynaproof: ") || strings.ContainsRune(text, '\x1b') || strings.Contains(text, " error occurred") {
		t.Errorf("dynaproof %s: expected one plain line of error, found %q", strings.Join(c.Args[1:], " "), text)
	}
	says(t, "error", text, words...)
	if c.stdout.Len() > 0 {
		t.Errorf("dynaproof %s: expected nothing on the standard output, found %q", strings.Join(c.Args[1:], " "), c.stdout.String())
	}
}

// files lists the files below a folder.
func files(t *testing.T, folder string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found = append(found, path)
		}
		return err
	})
	require.NoError(t, err)
	return found
}

// engine starts an empty engine that stands for one that somebody else runs.
func engine(t *testing.T) target.Target {
	t.Helper()
	started, err := target.Embedded(t.Context(), target.EmbeddedOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, started.Close(context.Background()))
	})
	return started
}

func client(url string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(url), Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""), HTTPClient: connections,
	})
}

// connections are those of all clients: one for each look would use up the files that a process may open.
var connections = awshttp.NewBuildableClient()

// tables lists the tables of an engine.
func tables(t *testing.T, url string) []string {
	t.Helper()
	answer, err := client(url).ListTables(t.Context(), &dynamodb.ListTablesInput{})
	require.NoError(t, err)
	slices.Sort(answer.TableNames)
	return answer.TableNames
}

// eventually looks until something is so, for as long as a run may take.
func eventually(t *testing.T, what string, look func() bool) {
	t.Helper()
	pause := time.NewTicker(10 * time.Millisecond) // a look may read whole tables
	defer pause.Stop()
	deadline := time.After(patience)
	for !look() {
		select {
		case <-pause.C:
		case <-deadline:
			t.Fatalf("expected %s within %s", what, patience)
		}
	}
}
