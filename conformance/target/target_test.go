package target

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/watchdog"
)

// testTimeout bounds every wait in the tests of this package.
const testTimeout = 5 * time.Minute

// startForTest starts an embedded engine that ends with the test. It skips where no engine exists for the platform,
// and only there.
func startForTest(t *testing.T) *embedded {
	t.Helper()
	started, err := Embedded(t.Context(), func(line string) { t.Log(line) })
	if errors.Is(err, ErrNoEngine) {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { mustClose(t, started) })
	return started.(*embedded)
}

// mustClose closes a target within the tests' bound.
func mustClose(t *testing.T, closing Target) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	assert.NoError(t, closing.Close(ctx))
}

// mustBeOneLine fails unless an error is of type E and a single line with all the given words.
func mustBeOneLine[E error](t *testing.T, err error, words ...string) {
	t.Helper()
	var typed E
	require.ErrorAs(t, err, &typed)
	assert.NotContains(t, err.Error(), "\n")
	for _, word := range words {
		assert.Contains(t, err.Error(), word)
	}
}

func TestEmbeddedDescribesWhatRuns(t *testing.T) {
	engine := startForTest(t)
	found := engine.Description()
	assert.Equal(t, []any{KindEmbedded, "dynoxide", GradeEngine, engine.URL()}, []any{found.Kind, found.Engine, found.Grade, found.URL})
	assert.Regexp(t, `^sha256:[0-9a-f]{64}$`, found.Digest, "the digest of the executable")
	if os.Getenv(EngineVariable) == "" {
		pinned, err := pinnedPackage()
		require.NoError(t, err)
		said, err := reportedVersion(t.Context(), engine.executablePath(t))
		require.NoError(t, err)
		assert.Equal(t, []string{pinned.version, pinned.version, pinned.digest}, []string{found.Version, said, found.Digest}, "what is pinned")
		assert.Contains(t, found.Source, pinned.integrity)
	}
	assert.NoError(t, engine.Err(), "expected no error while it runs")
}

func TestEmbeddedIsInterruptible(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Embedded(ctx, nil)
	if errors.Is(err, ErrNoEngine) {
		t.Skip(err)
	}
	mustBeOneLine[*UnavailableError](t, err, "embedded engine", "context canceled")
}

func TestEmbeddedWithAnotherExecutable(t *testing.T) {
	engine := startForTest(t) // makes sure that there is one to name
	path := engine.executablePath(t)
	t.Setenv(EngineVariable, path)
	t.Setenv("HOME", "") // it needs no cache folder
	t.Setenv("XDG_CACHE_HOME", "")
	other := startForTest(t)
	expected := EngineVariable + "=" + path
	assert.Equal(t, expected, other.Description().Source)
	assert.Equal(t, engine.Description().Digest, other.Description().Digest, "expected the digest of that file")
}

// executablePath returns the path of the engine that runs.
func (e *embedded) executablePath(t *testing.T) string {
	t.Helper()
	path, _, err := findExecutable(t.Context(), func(line string) { t.Log(line) })
	require.NoError(t, err)
	return path
}

func TestEmbeddedRefusesOtherPrograms(t *testing.T) {
	folder := t.TempDir()
	script := func(name, body string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
		return path
	}
	plain := script("plain", "true")
	require.NoError(t, os.Chmod(plain, 0o644))
	for path, words := range map[string][]string{
		filepath.Join(folder, "none"): {EngineVariable, "no such file"}, folder: {EngineVariable}, plain: {"--endpoint URL"},
		script("other", "echo moto 5"): {"moto 5", "--endpoint URL"}, script("failing", "exit 3"): {"exit status 3", "--endpoint URL"},
	} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Setenv(EngineVariable, path)
			_, err := Embedded(t.Context(), nil)
			mustBeOneLine[*ConfigError](t, err, words...)
		})
	}
}

func TestEmbeddedTellsWhyTheEngineDidNotStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engine")
	body := "#!/bin/sh\n[ \"$1\" = --version ] && echo dynoxide 0.0.1 && exit\necho 'no room for tables' >&2\nexit 7\n"
	require.NoError(t, os.WriteFile(path, []byte(body), 0o755))
	t.Setenv(EngineVariable, path)
	_, err := Embedded(t.Context(), nil)
	mustBeOneLine[*UnavailableError](t, err, "exit status 7", "no room for tables", "--endpoint URL")
}

func TestStartEngineNoticesATakenPort(t *testing.T) {
	engine := startForTest(t)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	port := fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
	other := &embedded{output: newOutput("listening on"), description: Description{URL: "http://" + listener.Addr().String()}}
	other.Process, err = watchdog.Start([]string{engine.executablePath(t), "serve", "--host", "127.0.0.1", "--port", port}, nil, other.output)
	require.NoError(t, err)
	assert.ErrorIs(t, other.awaitReady(t.Context()), errPortTaken)
}

func TestEndpointUsesARunningEngine(t *testing.T) {
	engine := startForTest(t)
	found, err := Endpoint(t.Context(), engine.URL()+"/")
	require.NoError(t, err)
	expected := Description{Kind: KindEndpoint, Engine: "Dynoxide", Version: engine.Description().Version, URL: engine.URL(), Grade: GradeEngine}
	assert.Equal(t, expected, found.Description())
	assert.Equal(t, engine.URL(), found.URL())
	mustClose(t, found)
	_, err = Endpoint(t.Context(), engine.URL())
	assert.NoError(t, err, "expected closing an endpoint to leave the engine alone")
}

func TestEndpointRefusesWhatIsNotLoopback(t *testing.T) {
	for _, test := range tabletest.Read[[]struct{ Name, Url, Word string }](t, "not_loopback.yaml") {
		t.Run(test.Name, func(t *testing.T) {
			_, err := Endpoint(t.Context(), test.Url)
			mustBeOneLine[*ConfigError](t, err, "endpoint", test.Word, "127.0.0.0/8")
		})
	}
}

func TestCheckLoopbackAccepts(t *testing.T) {
	for given, expected := range map[string]string{
		"http://127.0.0.1:8000":          "http://127.0.0.1:8000",
		"http://127.8.9.10:8000/":        "http://127.8.9.10:8000",
		"http://[::1]:8000":              "http://[::1]:8000",
		"http://[::ffff:127.0.0.1]:8000": "http://[::ffff:127.0.0.1]:8000",
		"https://LOCALHOST":              "https://LOCALHOST",
	} {
		found, err := CheckLoopback(given)
		require.NoError(t, err, "%s", given)
		assert.Equal(t, expected, found.String(), given)
	}
}

func TestTransportStaysOnThisMachine(t *testing.T) {
	reached := false
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	client := &http.Client{Transport: NewTransport(), Timeout: testTimeout}
	// A documentation address (RFC 5737): nobody would answer, but the refusal has to come before any packet.
	_, err := client.Get("http://192.0.2.1:8000/")
	assert.ErrorIs(t, err, errNotLoopback)
	assert.False(t, reached, "expected no connection through a proxy")
}

// A page of a browser that tries the engine's port on the addresses that it can think of gets none of its
// answers, although the engine lets every page read them. Who knows the address is answered.
func TestNoPageFindsTheEngine(t *testing.T) {
	engine, other := startForTest(t), startForTest(t)
	at, err := url.Parse(engine.URL())
	require.NoError(t, err)
	if runtime.GOOS == "linux" {
		assert.True(t, netip.MustParseAddr(at.Hostname()).IsLoopback(), engine.URL())
		assert.NotEqual(t, "127.0.0.1", at.Hostname(), "expected a random address")
		assert.NotContains(t, other.URL(), at.Hostname()+":", "expected an address of its own for each engine")
	}
	name := "secret-" + rand.Text()
	_, err = NewClient(engine.URL(), "us-east-1").CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	})
	require.NoError(t, err)
	page := func(host string) string {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+net.JoinHostPort(host, at.Port()), strings.NewReader("{}"))
		require.NoError(t, err)
		request.Header = http.Header{
			"Origin": {"http://evil.example"}, "Content-Type": {"application/x-amz-json-1.0"}, "X-Amz-Target": {"DynamoDB_20120810.ListTables"}, "X-Amz-Date": {"20200101T000000Z"},
			"Authorization": {"AWS4-HMAC-SHA256 Credential=x/20200101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=x"},
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return ""
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return string(body)
	}
	assert.Contains(t, page(at.Hostname()), name)
	if runtime.GOOS != "linux" {
		return // 127.0.0.1 is the only address
	}
	for _, host := range []string{"127.0.0.1", "localhost", "::1", "0.0.0.0", "127.0.0.2"} {
		assert.NotContains(t, page(host), name, host)
	}
}

func TestEndpointThatIsSomethingElse(t *testing.T) {
	for name, handler := range map[string]http.Handler{
		"web page":  http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>\n<p>hello") }),
		"not found": http.NotFoundHandler(),
		"redirect":  http.RedirectHandler("http://192.0.2.1/", http.StatusFound),
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(handler)
			defer server.Close()
			_, err := Endpoint(t.Context(), server.URL)
			mustBeOneLine[*UnavailableError](t, err, "ListTables", server.URL)
		})
	}
}

func TestOutputKeepsTheTail(t *testing.T) {
	printed := newOutput("listening on")
	fmt.Fprint(printed, "listening ")
	select {
	case <-printed.listening:
		t.Fatal("expected to wait for the whole word")
	default:
	}
	fmt.Fprint(printed, "on 127.0.0.1\n")
	<-printed.listening
	long := bytes.Repeat([]byte("x"), 2*keptOutput)
	_, _ = printed.Write(long)
	fmt.Fprint(printed, "last words\n")
	kept, _ := printed.Text()
	assert.Len(t, kept, keptOutput)
	assert.True(t, strings.HasSuffix(printed.text(), "last words"), "expected the last words, found %q", printed.text())
	at := newOutput("listening on")
	_, _ = at.Write(append([]byte("listening on 127.0.0.1\n"), long...)) // in one piece
	<-at.listening
}
