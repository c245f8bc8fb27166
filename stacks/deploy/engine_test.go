package deploy_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("expected an engine at %s, found none: run `make engine`, or set DYNAPROOF_ENGINE to the engine's path", pattern)
	}
	return found[len(found)-1]
}

// startEngine starts an engine in memory on a free port, and ends it with the test. The engine refuses a port on which anybody
// answers at 127.0.0.1, and somebody may take one between the look and the start: then another is tried.
func startEngine(t testing.TB) string {
	t.Helper()
	for range 20 {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		address := free.Addr().String()
		_, port, _ := net.SplitHostPort(address)
		require.NoError(t, free.Close())
		command := exec.Command(engineBinary(t), "serve", "--host", "127.0.0.1", "--port", port)
		printed, err := command.StderrPipe()
		require.NoError(t, err)
		err = command.Start()
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
		if err := command.Wait(); !strings.Contains(said.String(), "already in use") {
			t.Fatalf("the engine ended (%v) before it listened on %s: %s", err, address, said.String())
		}
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
	// policies answers for resource policies when it is set; engines of the tests do not know them.
	policies *policies
	// losing names operations whose next answer is cut off after the engine has done what was asked.
	losing map[string]bool
	// forgets is a member of CreateTable and UpdateTable that the engine takes and forgets, when it is set.
	forgets string
	// created are the bodies of the requests CreateTable, by table.
	created map[string]map[string]any
	// signed are the regions that requests were signed for.
	signed map[string]bool
}

func startGate(t testing.TB, engine string) *gate {
	t.Helper()
	target, err := url.Parse(engine)
	require.NoError(t, err)
	g := &gate{counts: map[string]int{}, signed: map[string]bool{}, created: map[string]map[string]any{}}
	proxy := httputil.NewSingleHostReverseProxy(target)
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		operation := r.Header.Get("X-Amz-Target")[len("DynamoDB_20120810."):]
		g.mu.Lock()
		g.counts[operation]++
		if scope := strings.Split(r.Header.Get("Authorization"), "/"); len(scope) > 2 {
			g.signed[scope[2]] = true
		}
		if operation == "CreateTable" {
			g.creates(t, r)
		}
		if operation == "DeleteTable" && g.policies != nil {
			g.policies.withTheirTable()
		}
		intercept, lose, policies, forgets := g.intercept, g.losing[operation], g.policies, g.forgets
		delete(g.losing, operation)
		g.mu.Unlock()
		if lose {
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler) // the server's way to cut a connection
		}
		if forgets != "" {
			var input map[string]any
			assert.NoError(t, json.NewDecoder(r.Body).Decode(&input), "cannot read a request")
			_, asked := input[forgets]
			delete(input, forgets)
			if asked && operation == "UpdateTable" && len(input) == 1 {
				answer(w, "{}")
				return
			}
			body, err := json.Marshal(input)
			assert.NoError(t, err, "cannot write a request")
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		if policies != nil && strings.HasSuffix(operation, "ResourcePolicy") {
			policies.answer(t, operation, r.Body, w)
			return
		}
		if intercept != nil {
			body, err := io.ReadAll(r.Body)
			assert.NoError(t, err, "cannot read a request")
			r.Body = io.NopCloser(bytes.NewReader(body))
			var input struct{ TableName string }
			assert.NoError(t, json.Unmarshal(body, &input), "cannot read a request")
			if intercept(operation, input.TableName, w) {
				return
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(g.Close)
	return g
}

// creates notes a CreateTable. The caller holds the mutex.
func (g *gate) creates(t testing.TB, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var input map[string]any
	if err := errors.Join(err, json.Unmarshal(body, &input)); err != nil {
		t.Errorf("cannot read a request: %v", err)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	g.created[input["TableName"].(string)] = input
}

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
	answer, err := client(endpoint).ListTables(context.Background(), &dynamodb.ListTablesInput{Limit: aws.Int32(100)})
	require.NoError(t, err)
	return answer.TableNames
}

// backups answers for point-in-time recovery, which the engine does not know.
type backups struct {
	mu      sync.Mutex
	enabled map[string]bool
}

func answerBackups(g *gate) *backups {
	b := &backups{enabled: map[string]bool{}}
	g.set(func(operation, table string, w http.ResponseWriter) bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch operation {
		case "UpdateContinuousBackups":
			b.enabled[table] = true
		case "DescribeContinuousBackups":
		default:
			return false
		}
		status := map[bool]string{true: "ENABLED", false: "DISABLED"}[b.enabled[table]]
		answer(w, `{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED","PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":"`+status+`"}}}`)
		return true
	})
	return b
}

func (b *backups) on(table string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.enabled[table]
}

func (b *backups) switchOff(table string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.enabled[table] = false
}

// policies holds the resource policies of tables by ARN, each with the number of its revision.
type policies struct {
	mu       sync.Mutex
	attached map[string]string
	// revisions are those of the policies by the ARN of their table, each another number.
	revisions map[string]int
	revision  int
	losing    bool
}

// lose lets the answer to the next PutResourcePolicy be lost; was says whether it is.
func (p *policies) lose() (was func() bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.losing = true
	return func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return !p.losing
	}
}

func answerPolicies(g *gate) *policies {
	p := &policies{attached: map[string]string{}, revisions: map[string]int{}}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.policies = p
	return p
}

func (p *policies) answer(t testing.TB, operation string, body io.Reader, w http.ResponseWriter) {
	var in struct{ ResourceArn, Policy, ExpectedRevisionId string }
	assert.NoError(t, json.NewDecoder(body).Decode(&in), "cannot read a request")
	p.mu.Lock()
	defer p.mu.Unlock()
	have, attached := p.attached[in.ResourceArn]
	switch {
	case in.ExpectedRevisionId != "" && (!attached || in.ExpectedRevisionId != strconv.Itoa(p.revisions[in.ResourceArn])):
		refuse(w, "PolicyNotFoundException", "no policy of that revision")
		return
	case operation == "PutResourcePolicy":
		p.revision++
		p.attached[in.ResourceArn], p.revisions[in.ResourceArn] = in.Policy, p.revision
		if p.losing {
			p.losing = false
			panic(http.ErrAbortHandler)
		}
	case operation == "DeleteResourcePolicy":
		delete(p.attached, in.ResourceArn)
	case !attached:
		refuse(w, "PolicyNotFoundException", "no policy of "+in.ResourceArn)
		return
	}
	answer(w, fmt.Sprintf(`{"RevisionId":"%d","Policy":%q}`, p.revisions[in.ResourceArn], have))
}

// of returns the policy of the only table that has one.
func (p *policies) of(t testing.TB) (arn, policy string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Len(t, p.attached, 1, "expected one policy")
	for arn, policy = range p.attached {
	}
	return arn, policy
}

// withTheirTable deletes the policies, as DynamoDB does with the table that has them.
func (p *policies) withTheirTable() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.attached)
}

// exchange changes policies behind Pulumi's back; an empty one removes it.
func (p *policies) exchange(arn, policy string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revision++
	p.attached[arn], p.revisions[arn] = policy, p.revision
	if policy == "" {
		delete(p.attached, arn)
	}
}
