package deploy_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		return deploy.Request{ID: id, Do: do, Tags: map[string]string{"run": "this"}, Options: deploy.Options{
			Design: design, Environment: "dev", Region: testRegion, Endpoint: g.URL, StateDir: state, Config: map[string]string{"dynaproof:protect": "false"},
		}}
	}
	c := serve(t, deploy.Shipped().Serve)
	c.asks(of(1, "up", "personal-os"), of(2, "up", "osem-ladders"), of(3, "up", "nobody"), of(4, "walk", "personal-os"))
	got := map[int]deploy.Answer{}
	for range 4 {
		answer := c.hears()
		got[answer.ID] = answer
	}
	if got[1].Error+got[2].Error != "" || got[1].Stack != "personal-os.dev" || len(got[2].TableIDs) != 6 {
		t.Errorf("expected two stacks to come up, found %+v and %+v", got[1], got[2])
	}
	for id, words := range map[int]string{3: `found "nobody"`, 4: `found "walk"`} {
		if got[id].Kind != deploy.WrongRequest || !strings.Contains(got[id].Error, words) {
			t.Errorf("request %d: expected it to be refused with %q, found %+v", id, words, got[id])
		}
	}
	tags := stateOf(t, state, "osem-ladders.dev")["aws:dynamodb/table:Table Users"]["tags"]
	assert.Empty(t, cmp.Diff(any(map[string]any{"Application": "osem-ladders", "Environment": "dev", "run": "this"}), tags), "tags (-want +got)")
	wrong := of(5, "open", "personal-os")
	wrong.Config = map[string]string{"dynaproof:guardrail": "off"}
	c.asks(wrong)
	if answer := c.hears(); answer.Kind != deploy.WrongRequest || !strings.Contains(answer.Error, "--config: expected one of dynaproof:billingMode") {
		t.Errorf("expected a setting that nobody reads to be refused, found %+v", answer)
	}

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
	if answer := c.hears(); answer.ID != 7 || answer.Outputs["region"] != testRegion {
		t.Errorf("expected the outputs of another stack meanwhile, found %+v", answer)
	}
	close(goOn)
	if answer := c.hears(); answer.ID != 6 || answer.Kind != deploy.Canceled {
		t.Errorf("expected the destruction to be canceled, found %+v", answer)
	}
	c.asks(of(8, "destroy", "osem-ladders"))
	if answer := c.hears(); answer.Error != "" {
		t.Errorf("expected a canceled destruction to be gone on with, found %+v", answer)
	}
	require.NoError(t, c.close())
	assert.NoError(t, <-c.ended, "expected the server to end with its input")
}

// TestProgram serves a program of the caller's.
func TestProgram(t *testing.T) {
	endpoint := startEngine(t)
	c := serve(t, deploy.Program(orders()))
	c.asks(deploy.Request{ID: 1, Do: "up", Options: deploy.Options{Design: "orders", Environment: "test", Region: testRegion, Endpoint: endpoint, StateDir: t.TempDir()}})
	if answer := c.hears(); answer.Error != "" || answer.Outputs["tableName"] != ordersTable {
		t.Errorf("expected the program to be deployed, found %+v", answer)
	}
	failing := serve(t, deploy.Program(func(*pulumi.Context) error { return io.ErrUnexpectedEOF }))
	failing.asks(deploy.Request{ID: 1, Do: "up", Options: deploy.Options{Design: "orders", Environment: "test", Region: testRegion, Endpoint: endpoint, StateDir: t.TempDir()}})
	if answer := failing.hears(); answer.Kind != deploy.Failed || !strings.Contains(answer.Error, "unexpected EOF") {
		t.Errorf("expected the program's error, found %+v", answer)
	}
}

// TestServeRefusesNoise ends a conversation that is none.
func TestServeRefusesNoise(t *testing.T) {
	err := deploy.Shipped().Serve(strings.NewReader("deploy, please\n"), io.Discard)
	if err == nil || !strings.Contains(err.Error(), `found "deploy, please`) {
		t.Errorf("expected the line in the error, found %v", err)
	}
}
