package deploy_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	dynamo "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/stacks/deploy"
)

// talk is a conversation with a server.
type talk struct {
	t       testing.TB
	to      *json.Encoder
	close   func() error
	answers *bufio.Reader
	ended   chan error
}

func serve(t testing.TB, server func(io.Reader, io.Writer) error) *talk {
	t.Helper()
	requests, to := io.Pipe()
	from, answers := io.Pipe()
	c := &talk{t, json.NewEncoder(to), to.Close, bufio.NewReader(from), make(chan error, 1)}
	go func() { c.ended <- server(requests, answers) }()
	return c
}

func (c *talk) asks(requests ...deploy.Request) {
	c.t.Helper()
	for _, request := range requests {
		require.NoError(c.t, c.to.Encode(request))
	}
}

func (c *talk) hears() (answer deploy.Answer) {
	c.t.Helper()
	line, err := c.answers.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &answer)
	}
	require.NoError(c.t, err)
	return answer
}

// TestServe sends requests about several stacks at once, a wrong one, and one that is canceled.
func TestServe(t *testing.T) {
	g := startGate(t, startEngine(t))
	state := t.TempDir()
	of := func(id int, do, design string) deploy.Request {
		return deploy.Request{ID: id, Do: do, Options: dynaproof.Options{
			Design: design, Tags: map[string]string{"run": "this"}, Environment: "dev", Region: testRegion, Endpoint: g.URL, StateDir: state, Config: map[string]string{"dynaproof:protect": "false"},
		}}
	}
	c := serve(t, deploy.Shipped().Serve)
	c.asks(of(1, "up", "personal-os"), of(2, "up", "osem-ladders"), of(3, "up", "nobody"), of(4, "walk", "personal-os"))
	got := map[int]deploy.Answer{}
	for range 4 {
		answer := c.hears()
		got[answer.ID] = answer
	}
	assert.True(t, got[1].Error+got[2].Error == "" && got[1].Stack == "personal-os.dev" && len(got[2].TableIDs) == 6,
		"expected two stacks to come up, found %+v and %+v", got[1], got[2])
	for id, words := range map[int]string{3: `found "nobody"`, 4: `found "walk"`} {
		assert.Equal(t, dynaproof.WrongRequest, got[id].Kind, "request %d: expected it to be refused with %q, found %+v", id, words, got[id])
		assert.Contains(t, got[id].Error, words, "request %d: expected it to be refused with %q, found %+v", id, words, got[id])
	}
	tags := stateOf(t, state, "osem-ladders.dev")["aws:dynamodb/table:Table Users"]["tags"]
	assert.Empty(t, cmp.Diff(any(map[string]any{"Application": "osem-ladders", "Environment": "dev", "run": "this"}), tags), "tags (-want +got)")
	wrong := of(5, "open", "personal-os")
	wrong.Config = map[string]string{"dynaproof:guardrail": "off"}
	c.asks(wrong)
	answer := c.hears()
	assert.Equal(t, dynaproof.WrongRequest, answer.Kind)
	assert.Contains(t, answer.Error, "--config: expected one of dynaproof:billingMode", "expected a setting that nobody reads to be refused")

	// A canceled request is answered, when what was begun has ended.
	reached, goOn := make(chan struct{}), make(chan struct{})
	g.on("DeleteTable", func(http.ResponseWriter) bool {
		g.set(nil)
		close(reached)
		<-goOn
		return false
	})
	c.asks(of(6, "destroy", "osem-ladders"))
	<-reached
	c.asks(deploy.Request{ID: 6, Do: "cancel"}, of(7, "outputs", "personal-os")) // the second answer says that the first was read
	answer = c.hears()
	assert.True(t, answer.ID == 7 && answer.Outputs["region"] == testRegion, "expected the outputs of another stack meanwhile, found %+v", answer)
	close(goOn)
	answer = c.hears()
	assert.True(t, answer.ID == 6 && answer.Kind == dynaproof.Canceled, "expected the destruction to be canceled, found %+v", answer)
	c.asks(of(8, "destroy", "osem-ladders"))
	assert.Empty(t, c.hears().Error, "expected a canceled destruction to be gone on with")
	require.NoError(t, c.close())
	assert.NoError(t, <-c.ended, "expected the server to end with its input")
}

// TestProgram serves a program of the caller's.
func TestProgram(t *testing.T) {
	endpoint := startEngine(t)
	c := serve(t, deploy.Program(orders()))
	c.asks(deploy.Request{ID: 1, Do: "up", Options: dynaproof.Options{Design: "orders", Environment: "test", Region: testRegion, Endpoint: endpoint, StateDir: t.TempDir()}})
	answer := c.hears()
	assert.True(t, answer.Error == "" && answer.Outputs["tableName"] == ordersTable, "expected the program to be deployed, found %+v", answer)
	failing := serve(t, deploy.Program(func(*pulumi.Context) error { return io.ErrUnexpectedEOF }))
	failing.asks(deploy.Request{ID: 1, Do: "up", Options: dynaproof.Options{Design: "orders", Environment: "test", Region: testRegion, Endpoint: endpoint, StateDir: t.TempDir()}})
	answer = failing.hears()
	assert.True(t, answer.Kind == dynaproof.Failed && strings.Contains(answer.Error, "unexpected EOF"), "expected the program's error, found %+v", answer)
}

// TestServeRefusesNoise ends a conversation that is none.
func TestServeRefusesNoise(t *testing.T) {
	for _, line := range []string{"deploy, please\n", `{"do":"sources","Design":"fus-main"}`, `{"do":"sources","prefix":"mine-"}`} {
		assert.ErrorContains(t, deploy.Shipped().Serve(strings.NewReader(line), io.Discard), "expected a request as JSON on one line, found "+strconv.Quote(line)[:9])
	}
}

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "pulumi-resource-aws" {
		os.Exit(actAsPlugin())
	}
	if request := os.Getenv(childRequest); request != "" {
		os.Exit(answerRequest(request))
	}
	os.Exit(m.Run())
}

// TestKilledProcess kills a process in the middle of a create, and goes on with its state, of which a full disk has kept a part.
func TestKilledProcess(t *testing.T) {
	g := startGate(t, startEngine(t))
	o := designOptions(t, g.URL, "personal-os", "dev")
	o.Unprotected()
	reached, killed := make(chan struct{}), make(chan struct{})
	g.on("UpdateTimeToLive", func(http.ResponseWriter) bool {
		close(reached)
		<-killed
		return false
	})
	command := child(t, deploy.Request{Do: "up", Options: o.Options})
	require.NoError(t, command.Start())
	t.Cleanup(func() { _ = command.Wait() }) // it was killed: its status says nothing
	select {
	case <-reached:
	case <-time.After(5 * time.Minute): // on a machine that is busy with much else
		t.Fatal("expected the child to come to UpdateTimeToLive")
	}

	// While it lives, the stack is in use.
	s := open(t, o)
	mustFail(t, s.Up, "stack personal-os.dev is in use by process", "wait for it to end")

	require.NoError(t, command.Process.Kill())
	_ = command.Wait() // it was killed: its status says nothing
	g.set(nil)
	close(killed)
	require.NoError(t, os.Truncate(filepath.Join(o.StateDir, ".pulumi", "stacks", dynaproof.Project, "personal-os.dev.json"), 100))
	s = open(t, o)

	// The lock and the unfinished operation are cleared. The table was created by an operation that was never
	// recorded, so it is in the way like any table that the stack does not own.
	mustFail(t, s.Up, `table "personal-os-dev" exists already`)
	tabletest.Must(client(g.URL).DeleteTable(t.Context(), &dynamo.DeleteTableInput{TableName: aws.String(personal)}))(t)
	r := must(t, s.Up)
	assert.NotZero(t, r.Changes["create"], "expected the table to be created without a warning, found %v %v", r.Changes, r.Warnings)
	assert.Empty(t, r.Warnings, "expected the table to be created without a warning, found %v %v", r.Changes, r.Warnings)
	must(t, s.Destroy)
}

// TestLocks puts locks of several owners on a stack.
func TestLocks(t *testing.T) {
	host := tabletest.Must(os.Hostname())(t)
	gone := exec.Command(os.Args[0], "-test.run=^$")
	require.NoError(t, gone.Run())
	lock := func(pid int, host string) []byte {
		return tabletest.Must(json.Marshal(map[string]any{"pid": pid, "username": "ann", "hostname": host, "timestamp": time.Now()}))(t)
	}
	for _, row := range []struct {
		name  string
		lock  []byte
		words []string // of the error; none when the lock is cleared
	}{
		{"of a process that is gone", lock(gone.Process.Pid, host), nil},
		{"of an earlier process with this number", lock(os.Getpid(), host), nil},
		{"of a living process", lock(os.Getppid(), host), []string{"in use by process", "of ann", "wait for it to end"}},
		{"of another machine", lock(1, "elsewhere.example"), []string{"on elsewhere.example", "delete"}},
		{"that is no lock", []byte("?"), []string{"found other content", "delete the file"}},
		{"with its names in other letters", bytes.Replace(lock(gone.Process.Pid, host), []byte("pid"), []byte("PID"), 1), []string{"found other content"}},
		{"that a full disk cut off before it had its name", nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := options(t, "http://127.0.0.1:1", func(*pulumi.Context) error { return nil })
			s := open(t, o)
			dir := filepath.Join(o.StateDir, ".pulumi", "locks", "organization", dynaproof.Project, s.Name())
			require.NoError(t, os.MkdirAll(dir, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, map[bool]string{false: "lock.json", true: "lock.json.18ed.tmp"}[row.lock == nil]), row.lock, 0o600))
			if row.words == nil {
				must(t, s.Up)
				return
			}
			mustFail(t, s.Up, row.words...)
			must(t, s.Preview) // needs no lock
		})
	}
}
