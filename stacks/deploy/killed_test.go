package deploy_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	dynamo "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"dynaproof/stacks/deploy"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "pulumi-resource-aws" {
		os.Exit(actAsPlugin())
	}
	if request := os.Getenv(childRequest); request != "" {
		os.Exit(answerRequest(request))
	}
	os.Exit(m.Run())
}

// TestKilledProcess kills a process in the middle of a create, and goes on with its state.
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
	command := child(t, deploy.Request{Do: "up", Options: o})
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

	// The lock and the unfinished operation are cleared. The table was created by an operation that was never
	// recorded, so it is in the way like any table that the stack does not own.
	mustFail(t, s.Up, `table "personal-os-dev" exists already`)
	_, err := client(g.URL).DeleteTable(t.Context(), &dynamo.DeleteTableInput{TableName: aws.String(personal)})
	require.NoError(t, err)
	r := must(t, s.Up)
	if r.Changes["create"] == 0 || len(r.Warnings) > 0 {
		t.Errorf("expected the table to be created without a warning, found %v %v", r.Changes, r.Warnings)
	}
	must(t, s.Destroy)
}

// TestLocks puts locks of several owners on a stack.
func TestLocks(t *testing.T) {
	host, err := os.Hostname()
	require.NoError(t, err)
	gone := exec.Command(os.Args[0], "-test.run=^$")
	require.NoError(t, gone.Run())
	lock := func(pid int, host string) []byte {
		content, err := json.Marshal(map[string]any{"pid": pid, "username": "ann", "hostname": host, "timestamp": time.Now()})
		require.NoError(t, err)
		return content
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
	} {
		t.Run(row.name, func(t *testing.T) {
			o := options(t, "http://127.0.0.1:1", func(*pulumi.Context) error { return nil })
			s := open(t, o)
			dir := filepath.Join(o.StateDir, ".pulumi", "locks", "organization", deploy.Project, s.Name())
			require.NoError(t, os.MkdirAll(dir, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "lock.json"), row.lock, 0o600))
			if row.words == nil {
				must(t, s.Up)
				return
			}
			mustFail(t, s.Up, row.words...)
			must(t, s.Preview) // needs no lock
		})
	}
}
