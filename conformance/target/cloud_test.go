package target

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"
)

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
		if got := account.Description(); got.Grade != row.grade || got.Kind != KindAWS {
			t.Errorf("override %q: expected grade %s, found %+v", row.override, row.grade, got)
		}
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
	for _, row := range []struct {
		url  string
		sent bool
	}{
		{"https://dynamodb.eu-west-1.amazonaws.com/", true},
		{"https://123456789012.ddb.eu-west-1.amazonaws.com/", true},
		{"https://dynamodb.cn-north-1.amazonaws.com.cn/", true},
		{"http://dynamodb.eu-west-1.amazonaws.com/", false},
		{"https://amazonaws.com.example.org/", false},
		{"https://notamazonaws.com/", false},
		{"http://127.0.0.1:8000/", false},
	} {
		through := &sink{}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, row.url, io.NopCloser(strings.NewReader("x")))
		require.NoError(t, err)
		_, err = ownHosts{through}.RoundTrip(request)
		if sent := len(through.hosts) == 1; sent != row.sent || err == nil {
			t.Errorf("%s: expected sent to be %t, found %t, %v", row.url, row.sent, sent, err)
		}
	}
	account := someAccount(t)
	options := account.DynamoDB("eu-west-1", nil)
	options.BaseEndpoint, options.RetryMaxAttempts = aws.String("http://127.0.0.1:1"), 1
	if _, err := dynamodb.New(options).ListTables(t.Context(), &dynamodb.ListTablesInput{}); err == nil || !strings.Contains(err.Error(), "nothing was sent") {
		t.Errorf("expected the transport to refuse, found %v", err)
	}
}

// The wrapped transport is the one that sends: what the ledger does not see is not
// sent.
func TestAccountsClientIsWrapped(t *testing.T) {
	account := someAccount(t)
	seen := &sink{}
	options := account.DynamoDB("ap-southeast-2", seen)
	options.RetryMaxAttempts = 1
	if _, err := dynamodb.New(options).ListTables(t.Context(), &dynamodb.ListTablesInput{}); err == nil {
		t.Error("expected no answer")
	}
	if len(seen.hosts) != 1 || !strings.Contains(seen.hosts[0], "ap-southeast-2.amazonaws.com") {
		t.Errorf("expected one request to AWS in that region, found %v", seen.hosts)
	}
}
