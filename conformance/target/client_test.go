package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/logging"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/tabletest"
)

// An engine that sends a client elsewhere is not followed, and the SDK's warnings reach
// no terminal.
func TestClientStaysWhereItIs(t *testing.T) {
	asked := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer elsewhere.Close()
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer engine.Close()
	client := NewClient(engine.URL, "us-east-1")
	_, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	assert.Error(t, err)
	assert.Zero(t, asked, "requests to the other server")
	assert.Equal(t, logging.Nop{}, client.Options().Logger, "expected a client without the SDK's warnings")
	outside := NewClient("http://192.0.2.1:8000", "us-east-1")
	_, err = outside.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	assert.ErrorContains(t, err, "not a loopback address", "expected a connection off this machine to be refused")
}

// Clients are made here alone, and tables are listed and waited for in one way: a client
// that somebody makes by hand follows redirects, heeds proxies and waits for ever.
func TestClientsAreMadeInOnePlace(t *testing.T) {
	alone := map[string][]string{
		"dynamodb.Options{":       {"target/client.go", "internal/explain/serialise.go"}, // which sends nothing
		"dynamodb.NewFromConfig(": {"target/cloud.go"},
		"NewListTablesPaginator(": {"target/client.go"},
		"NewTableExistsWaiter(":   {"internal/tables/operator.go"},
	}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), "../")
		for made, places := range alone {
			if strings.Contains(string(text), made) && !slices.Contains(places, name) && !strings.HasPrefix(name, "internal/test/standin/") { // which sends nothing over a wire
				t.Errorf("%s: expected %s in %v alone", name, made, places)
			}
		}
		return nil
	})
	require.NoError(t, err)
}

// An answer that drips, and one without an end, end with an error.
func TestAttemptsEnd(t *testing.T) {
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		switch r.URL.Path {
		case "/drips":
			select {
			case <-r.Context().Done():
			case <-gone:
			}
		case "/endless":
			for chunk := make([]byte, 1<<20); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}
	}))
	defer server.Close()
	defer close(gone)
	for _, row := range []struct {
		path    string
		attempt time.Duration
		want    error
	}{
		{"/drips", 50 * time.Millisecond, context.DeadlineExceeded},
		{"/endless", 0, ErrAnswerTooLong},
		{"/whole", 0, nil},
	} {
		client := &http.Client{Transport: Bounded(NewTransport(), row.attempt)}
		response, err := client.Get(server.URL + row.path)
		if err == nil { // on a busy machine the attempt may be over before the answer begins
			_, err = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close() // what it held was looked at
		}
		assert.ErrorIs(t, err, row.want, row.path)
		client.CloseIdleConnections()
	}
}

// An answer that lacks what DynamoDB always says, or that is not the one its checksum was made of, is none.
func TestStrangeAnswers(t *testing.T) {
	type row struct {
		Name, Ask, Body, Header string
		Strange                 bool
	}
	requests := tabletest.Read[map[string]map[string]any](t, "requests.yaml")
	for _, row := range append(tabletest.Read[[]row](t, "answers.yaml"), row{Name: "an answer in gzip", Ask: "get", Body: "\x1f\x8b\x08", Strange: true}) {
		t.Run(row.Name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if row.Header != "" {
					w.Header().Set("X-Amz-Crc32", row.Header)
				}
				_, _ = w.Write([]byte(row.Body))
			}))
			defer server.Close()
			input, err := designtest.Input(requests[row.Ask])
			require.NoError(t, err)
			_, err = designtest.Send(t.Context(), NewClient(server.URL, "eu-west-1"), input)
			if row.Strange {
				assert.ErrorAs(t, err, new(*StrangeAnswer))
			} else {
				assert.NoError(t, err)
			}
		})
	}
}

// What is in the way and keeps answers serves one again, of success or refusal, with the id of its request.
func TestAnAnswerThatIsServedAgain(t *testing.T) {
	id, status := "", 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amzn-RequestId", id)
		w.Header().Set("X-Amzn-ErrorType", "ConditionalCheckFailedException")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{}`))
	}))
	defer server.Close()
	client := NewClient(server.URL, "eu-west-1")
	for i, row := range []struct {
		id      string
		status  int
		strange bool
	}{{"a", 200, false}, {"b", 400, false}, {"c", 200, false}, {"a", 200, true}, {"b", 400, true}, {"c", 400, true}, {"", 200, false}, {"", 200, false}, {"d", 200, false}} {
		id, status = row.id, row.status
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("t"), Item: map[string]types.AttributeValue{}})
		assert.Equal(t, row.strange, errors.As(err, new(*StrangeAnswer)), "answer %d, %s: found %v", i, row.id, err)
	}
	known := &requestIDs{}
	for i := range 1 << 16 {
		require.False(t, known.again(strconv.Itoa(i)), "expected %d to be new", i)
	}
	assert.True(t, known.again(strconv.Itoa(1<<15)), "expected the last 32768 ids to be known")
	assert.LessOrEqual(t, len(known.recent)+len(known.older), 1<<16, "ids that are kept")
}

// TestPagesThatGoRound follows pages that end at two places by turns, which no page alone tells.
func TestPagesThatGoRound(t *testing.T) {
	for operation, body := range map[string]string{"ListTables": `{"TableNames":["t"],"LastEvaluatedTableName":"%d"}`, "ListTagsOfResource": `{"Tags":[],"NextToken":"%d"}`} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, body, asked%2)
			asked++
		}))
		defer server.Close()
		var err error
		if client := NewClient(server.URL, "eu-west-1"); operation == "ListTables" {
			_, err = TableNames(t.Context(), client)
		} else {
			_, err = TableTags(t.Context(), client, "arn")
		}
		assert.ErrorAs(t, err, new(*StrangeAnswer), operation)
		assert.Equal(t, 3, asked, "%s: pages up to the strange one", operation)
	}
}

// Pages each of which ends somewhere else come to an end too.
func TestPagesWithoutAnEnd(t *testing.T) {
	ends, n := Ends{}, 0
	for ; n <= 20_000 && ends.Add("ListTables", strconv.Itoa(n)) == nil; n++ {
	}
	assert.Equal(t, 10_000, n)
}

// noAmbient takes everything about AWS out of the environment.
func noAmbient(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_DYNAMODB": "", "AWS_ENDPOINT_URL_STS": "", "AWS_ENDPOINT_URL_CLOUDWATCH": "", "AWS_PROFILE": "", "AWS_REGION": "",
		"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_EC2_METADATA_DISABLED": "true",
	} {
		t.Setenv(name, value)
	}
}

// someAccount is an account on AWS itself.
func someAccount(t *testing.T) *Account {
	t.Helper()
	noAmbient(t)
	account := &Account{Config: aws.Config{Region: "eu-west-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", "")}}
	require.NoError(t, account.endpoints())
	return account
}

// Only AWS's own endpoints are graded aws: an override never is, whatever answers.
func TestGradeOfAnAccount(t *testing.T) {
	for _, row := range []struct{ override, grade string }{{"", GradeAWS}, {"http://127.0.0.1:5000", GradeEngine}, {"http://localhost:5000", GradeEngine}} {
		noAmbient(t)
		t.Setenv("AWS_ENDPOINT_URL", row.override)
		account := &Account{Config: aws.Config{Region: "eu-west-1"}, ID: "123456789012"}
		if row.override != "" {
			account.Config.BaseEndpoint = aws.String(row.override)
		}
		require.NoError(t, account.endpoints())
		account.describe()
		got := account.Description()
		assert.Equal(t, []any{row.grade, KindAWS}, []any{got.Grade, got.Kind}, "override %q", row.override)
	}
}

// sink answers nothing and counts requests.
type sink struct{ hosts []string }

func (s *sink) RoundTrip(request *http.Request) (*http.Response, error) {
	s.hosts = append(s.hosts, request.URL.Host)
	return nil, errors.New("not sent")
}

// A client of the account sends to hosts of AWS by TLS, and to nothing else, even
// when an endpoint is set behind the target's back.
func TestOwnHosts(t *testing.T) {
	for url, allowed := range map[string]bool{
		"https://dynamodb.eu-west-1.amazonaws.com/": true, "https://123456789012.ddb.eu-west-1.amazonaws.com/": true, "https://dynamodb.cn-north-1.amazonaws.com.cn/": true,
		"http://dynamodb.eu-west-1.amazonaws.com/": false, "https://amazonaws.com.example.org/": false, "https://notamazonaws.com/": false, "http://127.0.0.1:8000/": false,
	} {
		through := &sink{}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, io.NopCloser(strings.NewReader("x")))
		require.NoError(t, err)
		_, err = ownHosts{Bounded(through, 0)}.RoundTrip(request)
		assert.Error(t, err, url)
		assert.Equal(t, allowed, len(through.hosts) == 1, "%s: expected it to be sent", url)
	}
	account := someAccount(t)
	options := account.DynamoDB("eu-west-1", nil)
	options.BaseEndpoint, options.RetryMaxAttempts = aws.String("http://127.0.0.1:1"), 1
	_, err := dynamodb.New(options).ListTables(t.Context(), &dynamodb.ListTablesInput{})
	assert.ErrorContains(t, err, "nothing was sent", "expected the transport to refuse")
}

// The wrapped transport is the one that sends: what the ledger does not see is not
// sent.
func TestAccountsClientIsWrapped(t *testing.T) {
	account := someAccount(t)
	seen := &sink{}
	options := account.DynamoDB("ap-southeast-2", seen)
	options.RetryMaxAttempts = 1
	_, err := dynamodb.New(options).ListTables(t.Context(), &dynamodb.ListTablesInput{})
	assert.Error(t, err, "expected no answer")
	require.Len(t, seen.hosts, 1)
	assert.Contains(t, seen.hosts[0], "ap-southeast-2.amazonaws.com", "expected one request to AWS in that region")
}
