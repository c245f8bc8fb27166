//go:build unix

package cli_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/cli"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/test/command"
	"dynaproof/conformance/target"
)

// binary is the command under test, as `make build` makes it, in a folder outside of
// the checkout; documents is the folder of the design documents, as an absolute path
// because the command runs elsewhere.
var binary, documents string

// Folders of designs, by their whole names, because commands run elsewhere: the smallest with reads and writes, which the README goes through, a
// contract of a table alone, three of these tests, and the whole project.
var (
	example = absolute("../../accesspatterns/example")
	orders  = absolute("../testdata/ownmodule/orders")
	depots  = absolute("testdata/depots")
	parcels = absolute("testdata/parcels")
	studios = absolute("testdata/studio")

	checkout = absolute("../..")
)

// absolute is the whole name of a path.
func absolute(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		panic(err)
	}
	return path
}

func TestMain(m *testing.M) {
	if os.Getenv(toolVariable) != "" {
		os.Exit(tool(os.Args[1:]))
	}
	// Processes collect garbage as they do for users, who set neither: the command itself chooses when, where they are not set.
	for _, variable := range []string{"GOGC", "GOMEMLIMIT"} {
		if err := os.Unsetenv(variable); err != nil {
			panic(err)
		}
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
	made, err := command.Build("dynaproof", "./conformance/cmd/dynaproof", "-buildvcs=auto")
	if err == nil {
		_, err = command.Path() // and sets the variable by which the command finds it
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(made)
	}
	if err := errors.Join(err, os.WriteFile(binary, text, 0o700)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	documents, err = filepath.Abs(cmp.Or(os.Getenv("DYNAPROOF_DOCUMENTS"), "../../../shared/designs"))
	if err := errors.Join(err, os.Setenv("DYNAPROOF_DOCUMENTS", documents)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	inherited = os.Environ()
	// This process, which runs hundreds of commands, collects less.
	debug.SetGCPercent(1000)
	if err := os.Setenv("GOGC", "1000"); err != nil {
		panic(err)
	}
	defer closeMotos()
	defer deploy.Close()
	return m.Run()
}

// needsDocuments skips a test that cannot say anything without the documents.
func needsDocuments(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(documents); err != nil {
		t.Skipf("the design documents are not there (%v); set DYNAPROOF_DOCUMENTS", err)
	}
}

// child is a run of the command in a working folder of its own: in a process, once it was started, or else in this one.
type child struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
	variables      []string // of the environment, in place of inherited ones
}

// patience bounds every run: one that hangs fails the test with what it printed. A
// machine that is busy with much else makes a run of seconds one of minutes.
const patience = 5 * time.Minute

// A verify of a shipped design decides few claims, unless the test has a filter of its own: long is that of a run which goes on until the test
// catches it, and everyClaim that of one which decides all. What is explored in memory takes longer than the replay of all the rest.
const (
	few        = "kind:schema"
	long       = "!(kind:invariant || kind:confinement || kind:validity)"
	everyClaim = "/./"
)

// explored says that what a claim asserts is explored in memory.
func explored(claim manifest.Claim) bool {
	return slices.Contains([]manifest.Kind{manifest.KindInvariant, manifest.KindConfinement, manifest.KindValidity}, claim.Kind)
}

// completed adds to the arguments of a verify what most tests do not ask: how clients race and die, and which claims are decided.
func completed(args []string) []string {
	if len(args) == 0 || args[0] != "verify" {
		return args
	}
	args = slices.Clone(args)
	if !slices.Contains(args, "--orders") {
		args = append(args, "--orders", "3", "--interruptions", "2")
	}
	if !slices.Contains(args, "--label-filter") && !slices.Contains(args, "--design") {
		args = append(args, "--label-filter", few)
	}
	return args
}

// inherited is the environment of this process before any test: a run in this process changes it while it lasts.
var inherited []string

// prepare prepares a run; variables replace those of the environment.
func prepare(t *testing.T, variables []string, args ...string) *child {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	c := &child{Cmd: exec.CommandContext(ctx, binary, completed(args)...), variables: variables}
	c.Dir = t.TempDir()
	c.Env = slices.Concat(inherited, variables)
	c.Stdout, c.Stderr = &c.stdout, &c.stderr
	return c
}

// one is held by the run in this process: working folder, environment, and the names that are not shown are the process's own.
var one sync.Mutex

// code runs to its end a run in this process, and returns its exit code. A design of the caller's takes the place of the shipped ones for
// all tests, so that one which names its folder is no parallel one.
func (c *child) code(t *testing.T) int {
	t.Helper()
	if slices.Contains(c.Args, "--design") {
		t.Chdir(c.Dir) // which no parallel test may call
	}
	one.Lock()
	defer one.Unlock()
	code, err := cli.RunIn(c.Dir, c.variables, &c.stdout, &c.stderr, c.Args[1:]...)
	require.NoError(t, err)
	return code
}

// ends waits for the end and returns the exit code; -1 when a signal ended it.
func (c *child) ends(t *testing.T) int {
	t.Helper()
	err := c.Wait()
	require.True(t, err == nil || errors.As(err, new(*exec.ExitError)), "%s: %v\n%s", c, err, c.stderr.String())
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

// run runs the command to its end, in this process and in a folder, and expects an exit code.
func run(t *testing.T, folder string, code int, args ...string) *child {
	t.Helper()
	c := prepare(t, nil, args...)
	c.in(cmp.Or(folder, c.Dir)).expect(t, code)
	return c
}

// in lets a run have a working folder.
func (c *child) in(folder string) *child {
	c.Dir = folder
	return c
}

// expect runs to its end a run in this process, and expects an exit code; apart does so in a process of its own, where that is what is
// tested, or where a run would change for other tests what is this process's own.
func (c *child) expect(t *testing.T, code int) {
	t.Helper()
	c.ended(t, code, c.code(t))
}

func (c *child) apart(t *testing.T, code int) {
	t.Helper()
	c.starts(t)
	c.endsWith(t, code)
}

// endsWith waits for the end of a run in a process, and expects an exit code.
func (c *child) endsWith(t *testing.T, code int) {
	t.Helper()
	c.ended(t, code, c.ends(t))
}

func (c *child) ended(t *testing.T, want, got int) {
	t.Helper()
	require.Equal(t, want, got, "dynaproof %s: exit code\n%s%s", strings.Join(c.Args[1:], " "), c.stdout.String(), c.stderr.String())
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

// prints checks that a run printed words, and complains that it printed them as errors.
func (c *child) prints(t *testing.T, words ...string) {
	t.Helper()
	says(t, strings.Join(c.Args[1:], " "), c.stdout.String(), words...)
}

func (c *child) complains(t *testing.T, words ...string) {
	t.Helper()
	says(t, strings.Join(c.Args[1:], " "), c.stderr.String(), words...)
}

// oneError checks that a run printed exactly one line, as an error.
func (c *child) oneError(t *testing.T, words ...string) {
	t.Helper()
	text := c.stderr.String()
	plain := regexp.MustCompile("^dynaproof: [^\n\x1b]*\n$").MatchString(text) && !strings.Contains(text, " error occurred")
	assert.True(t, plain, "dynaproof %s: expected one plain line of error, found %q", strings.Join(c.Args[1:], " "), text)
	c.complains(t, words...)
	assert.Empty(t, c.stdout.String(), "dynaproof %s: the standard output", strings.Join(c.Args[1:], " "))
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
	started, err := starting(t, target.Embedded)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, started.Close(context.Background())) })
	return started
}

// starting starts an engine in the working folder that stays, not in that of a run.
func starting(t *testing.T, start func(context.Context, func(line string)) (target.Target, error)) (target.Target, error) {
	t.Helper()
	one.Lock()
	defer one.Unlock()
	return start(t.Context(), nil)
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

// eventually looks until something is so, for as long as a run may take. A look may read whole tables: what is looked at goes on for half of the
// time.
func eventually(t *testing.T, what string, look func() bool) {
	t.Helper()
	deadline := time.After(patience)
	for {
		began := time.Now()
		if look() {
			return
		}
		select {
		case <-time.After(max(10*time.Millisecond, time.Since(began))):
		case <-deadline:
			t.Fatalf("expected %s within %s", what, patience)
		}
	}
}

// catch lets a run go on for a moment at a time until it is where a look wants it, and does something while the run stands still:
// it cannot have gone on, or ended, between the look and the deed.
func (c *child) catch(t *testing.T, what string, look func() bool, do func() error) {
	t.Helper()
	ended := false
	eventually(t, what+", or the end of the run", func() bool {
		require.NoError(t, c.Process.Signal(syscall.SIGSTOP))
		state := ""
		eventually(t, "the run to stand still", func() bool {
			state = stateOf(t, c.Process.Pid)
			return state == "T" || state == "Z"
		})
		if ended = state == "Z"; ended {
			return true
		}
		there := look()
		if there {
			require.NoError(t, do())
		}
		require.NoError(t, c.Process.Signal(syscall.SIGCONT))
		return there
	})
	require.False(t, ended, "expected %s in the run, found that it has ended\n%s%s", what, c.stdout.String(), c.stderr.String())
}

// signalled is [child.catch] with a signal to the run.
func (c *child) signalled(t *testing.T, signal syscall.Signal, what string, look func() bool) {
	t.Helper()
	c.catch(t, what, look, func() error { return c.Process.Signal(signal) })
}

// stateOf is the state of a process: T when it stands still, Z when it has ended.
func stateOf(t *testing.T, pid int) string {
	t.Helper()
	if text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		behind := text[bytes.LastIndexByte(text, ')')+1:] // the name may hold anything
		return string(bytes.TrimSpace(behind)[:1])
	}
	text, err := exec.CommandContext(t.Context(), "ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output() // without /proc
	if err != nil || len(text) == 0 {
		return "Z"
	}
	return string(text[:1])
}

// write writes a file in a folder, and returns its path.
func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// content is the text of a file.
func content(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(text)
}

// stored is the evidence in a file.
func stored(t *testing.T, path ...string) *evidence.Run {
	t.Helper()
	seen, err := evidence.Read(filepath.Join(path...))
	require.NoError(t, err)
	return seen
}

// read is the evidence that a verify left in its working folder, and audited that of an audit.
func read(t *testing.T, c *child) *evidence.Run {
	t.Helper()
	return stored(t, c.Dir, "build/report/evidence.json.gz")
}

func audited(t *testing.T, c *child) *evidence.Run {
	t.Helper()
	return stored(t, c.Dir, "build/report/audit.json")
}

// verdicts are the results of a run by their claims.
func verdicts(seen *evidence.Run) map[string]evidence.Result {
	decided := map[string]evidence.Result{}
	for _, result := range seen.Results() {
		decided[result.ID] = result
	}
	return decided
}

// tableOf is a table without capacity of its own, whose key attributes are texts.
func tableOf(name string, keys ...string) *dynamodb.CreateTableInput {
	input := &dynamodb.CreateTableInput{TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest}
	for i, key := range keys {
		input.AttributeDefinitions = append(input.AttributeDefinitions, types.AttributeDefinition{AttributeName: aws.String(key), AttributeType: types.ScalarAttributeTypeS})
		input.KeySchema = append(input.KeySchema, types.KeySchemaElement{AttributeName: aws.String(key), KeyType: []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}[i]})
	}
	return input
}

// indexed adds an index that copies all attributes.
func indexed(input *dynamodb.CreateTableInput, name string, keys ...string) {
	index := tableOf("", keys...)
	input.AttributeDefinitions = append(input.AttributeDefinitions, index.AttributeDefinitions...)
	input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
		IndexName: aws.String(name), KeySchema: index.KeySchema, Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
	})
}

// create makes a table as somebody else would, and remove removes one.
func create(t *testing.T, url string, input *dynamodb.CreateTableInput) {
	t.Helper()
	_, err := client(url).CreateTable(t.Context(), input)
	require.NoError(t, err)
}

func remove(t *testing.T, url, name string) {
	t.Helper()
	_, err := client(url).DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(name)})
	require.NoError(t, err)
}

// store puts an item into a table.
func store(t *testing.T, url, table string, item map[string]types.AttributeValue) {
	t.Helper()
	_, err := client(url).PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: item})
	require.NoError(t, err)
}

// decoded is an item from its JSON.
func decoded(t *testing.T, text string) map[string]types.AttributeValue {
	t.Helper()
	item, err := attributevalue.UnmarshalMapJSON([]byte(text))
	require.NoError(t, err, text)
	return item
}

// claims are the manifest's ids that a filter keeps.
func claims(t *testing.T, keep func(manifest.Claim) bool) []string {
	t.Helper()
	committed, err := designs.Manifest()
	require.NoError(t, err)
	var ids []string
	for _, claim := range committed {
		if keep(claim) {
			ids = append(ids, claim.ID)
		}
	}
	return ids
}

func of(names ...string) func(manifest.Claim) bool {
	return func(claim manifest.Claim) bool { return slices.Contains(names, claim.Design) }
}

// onceEach checks that evidence holds exactly these claims, each once.
func onceEach(t *testing.T, seen *evidence.Run, want []string) {
	t.Helper()
	var got []string
	for _, result := range seen.Results() {
		got = append(got, result.ID)
	}
	assert.ElementsMatch(t, want, got, "claims with a verdict")
}

// same checks that what others have is as it was.
func same(t *testing.T, what, before, after string) {
	t.Helper()
	assert.Empty(t, gocmp.Diff(before, after), "%s changed (-before +after)", what)
}

// decides checks the verdict on a claim, and that its problems hold words.
func decides(t *testing.T, result evidence.Result, verdict evidence.Verdict, words ...string) {
	t.Helper()
	assert.Equal(t, verdict, result.Verdict, "%s: %+v", result.ID, result.Problems)
	text := ""
	for _, problem := range result.Problems {
		text += problem.Where + " " + problem.Expected + " " + problem.Found + "\n"
	}
	says(t, result.ID, text, words...)
}
