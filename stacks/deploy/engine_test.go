package deploy_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

// testRegion is the region of every test.
const testRegion = "eu-west-1"

// engineBinary finds the engine that `make engine` installs, or the one that DYNAPROOF_ENGINE names.
func engineBinary(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("DYNAPROOF_ENGINE"); path != "" {
		return path
	}
	platform, arch := runtime.GOOS, map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	if platform == "windows" {
		platform = "win32"
	}
	cache, err := os.UserCacheDir()
	require.NoError(t, err, "no cache folder to look for the engine in: %v; set DYNAPROOF_ENGINE to the engine's path", err)
	pattern := filepath.Join(cache, "dynaproof", "engine", "*", "node_modules", "@dynoxide", platform+"-"+arch, "dynoxide*")
	found := tabletest.Must(filepath.Glob(pattern))(t)
	require.NotEmpty(t, found, "expected an engine at %s: run `make engine`, or set DYNAPROOF_ENGINE to the engine's path", pattern)
	return found[len(found)-1]
}

// startEngine starts an engine in memory on a free port, and ends it with the test. The engine refuses a port on which anybody
// answers at 127.0.0.1, and somebody may take one between the look and the start: then another is tried.
func startEngine(t testing.TB) string {
	t.Helper()
	for range 20 {
		free := tabletest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
		address := free.Addr().String()
		_, port, _ := net.SplitHostPort(address)
		require.NoError(t, free.Close())
		command := exec.Command(engineBinary(t), "serve", "--host", "127.0.0.1", "--port", port)
		printed := tabletest.Must(command.StderrPipe())(t)
		err := command.Start()
		require.NoError(t, err, "cannot start the engine: %v; run `make engine`", err)
		var said strings.Builder
		lines := bufio.NewScanner(printed)
		for lines.Scan() {
			fmt.Fprintln(&said, lines.Text())
			if !strings.Contains(lines.Text(), "listening on") {
				continue
			}
			drained := make(chan struct{})
			go func() {
				defer close(drained)
				_, _ = io.Copy(io.Discard, printed)
			}()
			t.Cleanup(func() {
				assert.NoError(t, command.Process.Kill(), "cannot end the engine")
				<-drained
				_ = command.Wait() // it was killed: its status says nothing
			})
			return "http://" + address
		}
		err = command.Wait()
		require.Contains(t, said.String(), "already in use", "the engine ended (%v) before it listened on %s", err, address)
	}
	t.Fatal("expected a port that stays free, found 20 that were taken")
	return ""
}

// client is the SDK's client, for looking at tables and for changing them behind Pulumi's back.
func client(endpoint string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: testRegion, BaseEndpoint: &endpoint,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
}

// gate is a reverse proxy in front of an engine. It counts requests by operation and lets a test answer one itself.
type gate struct {
	*httptest.Server
	mu     sync.Mutex
	counts map[string]int
	// intercept answers an operation on a table in place of the engine when it returns true.
	intercept func(operation, table string, w http.ResponseWriter) bool
	// backups says by table whether it has point-in-time recovery, where the gate answers for that: engines of the tests do not know it.
	backups map[string]bool
	// policies are the resource policies by the ARN of their table, where the gate answers for those, which engines do not know either.
	policies map[string]policy
	revision int
	// losing names operations whose next answer is cut off after what was asked is done.
	losing map[string]bool
	// forgets is a member of CreateTable and UpdateTable that the engine takes and forgets, when it is set.
	forgets string
	// created are the bodies of the requests CreateTable, by table.
	created map[string]map[string]any
	// signed are the regions that requests were signed for.
	signed map[string]bool
}

// policy is a resource policy with the number of its revision, each another one.
type policy struct {
	text     string
	revision int
}

func startGate(t testing.TB, engine string) *gate {
	t.Helper()
	target := tabletest.Must(url.Parse(engine))(t)
	g := &gate{counts: map[string]int{}, signed: map[string]bool{}, created: map[string]map[string]any{}}
	proxy := httputil.NewSingleHostReverseProxy(target)
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		operation := r.Header.Get("X-Amz-Target")[len("DynamoDB_20120810."):]
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err, "cannot read a request")
		var input map[string]any
		assert.NoError(t, json.Unmarshal(body, &input), "cannot read a request")
		intercept, lose := g.notes(r, operation, input)
		if lose {
			w = httptest.NewRecorder()
		}
		_, forgotten := input[g.forgets]
		if forgotten {
			delete(input, g.forgets)
			body, err = json.Marshal(input)
			assert.NoError(t, err, "cannot write a request")
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		table, _ := input["TableName"].(string)
		switch {
		case forgotten && operation == "UpdateTable" && len(input) == 1:
			answer(w, "{}")
		case intercept != nil && intercept(operation, table, w), g.answers(operation, input, w):
		default:
			proxy.ServeHTTP(w, r)
		}
		if lose {
			panic(http.ErrAbortHandler) // the server's way to cut a connection
		}
	}))
	t.Cleanup(g.Close)
	return g
}

// notes keeps what tests look at of a request. It returns what may answer it, and whether its answer is to be lost.
func (g *gate) notes(r *http.Request, operation string, input map[string]any) (intercept func(operation, table string, w http.ResponseWriter) bool, lose bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counts[operation]++
	if scope := strings.Split(r.Header.Get("Authorization"), "/"); len(scope) > 2 {
		g.signed[scope[2]] = true
	}
	switch operation {
	case "CreateTable":
		g.created[input["TableName"].(string)] = input
	case "DeleteTable":
		clear(g.policies) // DynamoDB deletes them with the table that has them
	}
	lose = g.losing[operation]
	delete(g.losing, operation)
	return g.intercept, lose
}

// answers answers for what the engine does not know.
func (g *gate) answers(operation string, input map[string]any, w http.ResponseWriter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.backups != nil && strings.HasSuffix(operation, "ContinuousBackups"):
		table := input["TableName"].(string)
		if of, set := input["PointInTimeRecoverySpecification"].(map[string]any); set {
			g.backups[table] = of["PointInTimeRecoveryEnabled"].(bool)
		}
		status := map[bool]string{true: "ENABLED", false: "DISABLED"}[g.backups[table]]
		answer(w, `{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED","PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":"`+status+`"}}}`)
		return true
	case g.policies == nil || !strings.HasSuffix(operation, "ResourcePolicy"):
		return false
	}
	arn := input["ResourceArn"].(string)
	have, attached := g.policies[arn]
	expected, given := input["ExpectedRevisionId"].(string)
	switch {
	case given && (!attached || expected != strconv.Itoa(have.revision)):
		refuse(w, "PolicyNotFoundException", "no policy of that revision")
		return true
	case operation == "PutResourcePolicy":
		g.revision++
		have = policy{input["Policy"].(string), g.revision}
		g.policies[arn] = have
	case operation == "DeleteResourcePolicy":
		delete(g.policies, arn)
	case !attached:
		refuse(w, "PolicyNotFoundException", "no policy of "+arn)
		return true
	}
	answer(w, fmt.Sprintf(`{"RevisionId":"%d","Policy":%q}`, have.revision, have.text))
	return true
}

func answerBackups(g *gate) { g.backups = map[string]bool{} }

func answerPolicies(g *gate) { g.policies = map[string]policy{} }

func (g *gate) set(intercept func(operation, table string, w http.ResponseWriter) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.intercept = intercept
}

// on lets a test see an operation, and answer it in place of the engine.
func (g *gate) on(operation string, intercept func(w http.ResponseWriter) (answered bool)) {
	g.set(func(asked, _ string, w http.ResponseWriter) bool { return asked == operation && intercept(w) })
}

// regions returns the regions that requests were signed for.
func (g *gate) regions() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Sorted(maps.Keys(g.signed))
}

// lose cuts the next answer to each operation. It returns the operations whose answer was not cut yet.
func (g *gate) lose(operations ...string) (left func() int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.losing = map[string]bool{}
	for _, o := range operations {
		g.losing[o] = true
	}
	return func() int {
		g.mu.Lock()
		defer g.mu.Unlock()
		return len(g.losing)
	}
}

// taken returns the counts since the last call.
func (g *gate) taken() (total int, counts map[string]int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	counts, g.counts = g.counts, map[string]int{}
	for _, n := range counts {
		total += n
	}
	return total, counts
}

// answer answers with a body.
func answer(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	fmt.Fprint(w, body)
}

// refuse answers with an error of DynamoDB.
func refuse(w http.ResponseWriter, code, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintf(w, `{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":%q}`, code, message)
}

// tables lists the tables of an engine.
func tables(t testing.TB, endpoint string) []string {
	t.Helper()
	return tabletest.Must(client(endpoint).ListTables(context.Background(), &dynamodb.ListTablesInput{Limit: aws.Int32(100)}))(t).TableNames
}
