//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	logstypes "github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
)

// motoAccount is the account that moto answers for.
const motoAccount = "123456789012"

// trailOf is a log group in moto, filled by the test as CloudTrail fills one. moto
// filters by words alone and returns everything for a JSON pattern, so that what is
// decided here is decided by this project's own reading of the records; whether AWS
// filters by the patterns as it says was not tried.
type trailOf struct {
	client *cloudwatchlogs.Client
	group  string
}

func newTrail(t *testing.T, url string) trailOf {
	t.Helper()
	trail := trailOf{cloudwatchlogs.New(cloudwatchlogs.Options{BaseEndpoint: aws.String(url), Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")}), "the-trail"}
	_, err := trail.client.CreateLogGroup(t.Context(), &cloudwatchlogs.CreateLogGroupInput{LogGroupName: aws.String(trail.group)})
	require.NoError(t, err)
	_, err = trail.client.CreateLogStream(t.Context(), &cloudwatchlogs.CreateLogStreamInput{LogGroupName: aws.String(trail.group), LogStreamName: aws.String("one")})
	require.NoError(t, err)
	return trail
}

// delivers puts a record of a request into the group, at the time of the request.
func (r trailOf) delivers(t *testing.T, operation, table, principal, request string, at time.Time) {
	t.Helper()
	message := fmt.Sprintf(`{"eventVersion": "1.08", "userIdentity": {"type": "IAMUser", "arn": %q}, "eventTime": %q, "eventSource": "dynamodb.amazonaws.com",
		"eventName": %q, "awsRegion": "us-east-1", "requestParameters": {"tableName": %q}, "requestID": %q, "eventID": "event-of-%s", "readOnly": true,
		"resources": [{"accountId": %q, "type": "AWS::DynamoDB::Table", "ARN": "arn:aws:dynamodb:us-east-1:%s:table/%s"}], "recipientAccountId": %q}`,
		principal, at.UTC().Format(time.RFC3339), operation, table, request, request, motoAccount, motoAccount, table, motoAccount)
	_, err := r.client.PutLogEvents(t.Context(), &cloudwatchlogs.PutLogEventsInput{
		LogGroupName: aws.String(r.group), LogStreamName: aws.String("one"),
		LogEvents: []logstypes.InputLogEvent{{Message: aws.String(message), Timestamp: aws.Int64(at.UnixMilli())}},
	})
	if err != nil {
		t.Error(err) // also from the goroutines of a server
	}
}

// An audit is told by a trail who scanned: a scan within the window fails the claim by
// the client's name, a read without one passes it, and a trail that shows nothing
// decides nothing. It needs exactly the actions of its policy.
func TestAuditAsksTheTrail(t *testing.T) {
	t.Parallel()
	const eve, app = "arn:aws:iam::123456789012:user/eve", "arn:aws:iam::123456789012:user/app"
	url := moto(t)
	makeTables(t, url, "personal-os")
	trail := newTrail(t, url)
	ask := func(args ...string) *evidence.Run {
		c := prepare(t, awsEnvironment(url, "us-east-1"), append([]string{"audit", "personal-os", "--target", "aws", "--env", "dev"}, args...)...)
		c.starts(t)
		if code := c.ends(t); code == 2 || code < 0 {
			t.Fatalf("expected the audit to run, found exit code %d\n%s%s", code, c.stdout.String(), c.stderr.String())
		}
		seen, err := evidence.Read(filepath.Join(c.Dir, "build", "report", "audit.json"))
		require.NoError(t, err)
		return seen
	}
	const claim = "personal-os/ledger/no-scan"
	for _, result := range ask().Results() {
		if result.ID == claim {
			t.Errorf("expected no verdict on %s without a trail, found %s", claim, result.Verdict)
		}
	}
	if found := verdictOf(t, ask("--cloudtrail-logs", "another-group"), claim); found.Verdict != evidence.Indeterminate || !strings.Contains(found.Problems[0].Found, "no such log group") {
		t.Errorf("expected a group that is not there to be indeterminate, found %s: %+v", found.Verdict, found.Problems)
	}
	hour := time.Now().Add(-time.Hour)
	trail.delivers(t, "Scan", "another-table", eve, "S0", hour)
	trail.delivers(t, "UpdateItem", "personal-os-dev", app, "U1", hour)
	if found := verdictOf(t, ask("--cloudtrail-logs", "the-trail"), claim); found.Verdict != evidence.Indeterminate || !strings.Contains(found.Problems[0].Found, "shows no read of it") {
		t.Errorf("expected a table without a read to be indeterminate, found %s: %+v", found.Verdict, found.Problems)
	}
	trail.delivers(t, "Query", "personal-os-dev", app, "Q1", hour)
	seen := ask("--cloudtrail-logs", "the-trail")
	if found := verdictOf(t, seen, claim); found.Verdict != evidence.Pass || found.Grade != evidence.Engine {
		t.Errorf("expected a pass of grade engine, found %s, %s: %+v", found.Verdict, found.Grade, found.Problems)
	}
	trail.delivers(t, "Scan", "personal-os-dev", eve, "S1", hour)
	found := verdictOf(t, ask("--cloudtrail-logs", "the-trail"), claim)
	if found.Verdict != evidence.Fail || len(found.Problems) != 1 {
		t.Fatalf("expected one problem, found %s: %+v", found.Verdict, found.Problems)
	}
	says(t, "problem", found.Problems[0].Where+found.Problems[0].Found, "table personal-os", "Scan at "+hour.UTC().Format(time.RFC3339), "user/[user]", "event-of-S1")
	if found := verdictOf(t, ask("--cloudtrail-logs", "the-trail", "--since", "30m"), claim); found.Verdict != evidence.Indeterminate {
		t.Errorf("expected a window after the scan and the read to be indeterminate, found %s: %+v", found.Verdict, found.Problems)
	}

	// Of several environments each has its own trail, or that of the option: the one without a read decides nothing.
	folder := t.TempDir()
	list := "environments:\n  - {name: own, stack: personal-os.dev, region: us-east-1, cloudtrail-logs: the-trail}\n  - {name: all, stack: personal-os.dev, region: us-east-1}\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "list.yaml"), []byte(list), 0o600))
	several := prepare(t, awsEnvironment(url, "us-east-1"), "audit", "--environments", filepath.Join(folder, "list.yaml"), "--cloudtrail-logs", "another-group", "--report", filepath.Join(folder, "audits"))
	several.starts(t)
	if code := several.ends(t); code != 1 {
		t.Fatalf("expected a scan to fail one of two environments, found exit code %d\n%s%s", code, several.stdout.String(), several.stderr.String())
	}
	for name, want := range map[string]evidence.Verdict{"own": evidence.Fail, "all": evidence.Indeterminate} {
		one, err := evidence.Read(filepath.Join(folder, "audits", "environments", name, "audit.json"))
		require.NoError(t, err)
		if found := verdictOf(t, one, claim); found.Verdict != want {
			t.Errorf("environment %s: expected %s, found %s: %+v", name, want, found.Verdict, found.Problems)
		}
	}

	used := map[string]bool{}
	for _, action := range audited(t, seen.Ledger) {
		used[action] = true
	}
	text := run(t, "", 0, "audit", "personal-os", "--policy", "--env", "dev", "--account", motoAccount, "--region", "us-east-1", "--cloudtrail-logs", "the-trail").stdout.String()
	var policy struct {
		Statement []struct{ Action, Resource []string }
	}
	require.NoError(t, json.Unmarshal([]byte(text), &policy))
	allowed := map[string]bool{}
	for _, statement := range policy.Statement {
		for _, action := range statement.Action {
			allowed[action] = true
			if action == "logs:FilterLogEvents" && !slices.Equal(statement.Resource, []string{"arn:aws:logs:us-east-1:123456789012:log-group:the-trail:*"}) {
				t.Errorf("expected %s on the group alone, found %v", action, statement.Resource)
			}
		}
	}
	assert.Empty(t, cmp.Diff(allowed, used), "actions (-policy +ledger)")
	acceptedByIAM(t, url, "with-trail", text)
	if without := run(t, "", 0, "audit", "personal-os", "--policy").stdout.String(); strings.Contains(without, "logs:") {
		t.Errorf("expected no permission for logs without a trail, found %s", without)
	}
}

// recording stands in front of moto and does what a trail does: it puts a record of
// every request that names a table into the log group, but for the operations that
// the trail is blind to.
func (r trailOf) recording(t *testing.T, url string, blindTo ...string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
			return
		}
		behind, err := http.NewRequestWithContext(request.Context(), request.Method, url+request.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
			return
		}
		behind.Header = request.Header.Clone()
		answer, err := http.DefaultTransport.RoundTrip(behind)
		if err != nil {
			http.Error(writer, err.Error(), http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		maps.Copy(writer.Header(), answer.Header)
		operation, ofDynamoDB := strings.CutPrefix(request.Header.Get("X-Amz-Target"), "DynamoDB_20120810.")
		var asked struct {
			TableName    string
			RequestItems map[string]json.RawMessage
		}
		if ofDynamoDB && answer.StatusCode == http.StatusOK && json.Unmarshal(body, &asked) == nil && !slices.Contains(blindTo, operation) {
			for _, table := range append(slices.Collect(maps.Keys(asked.RequestItems)), asked.TableName) {
				if table != "" {
					r.delivers(t, operation, table, "arn:aws:iam::123456789012:user/runner", answer.Header.Get("X-Amzn-Requestid"), time.Now())
				}
			}
		}
		writer.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(writer, answer.Body) // a client that is gone wants no answer
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A run finds its own requests in the trail, and beside them those of others. A trail
// that does not show reads decides nothing.
func TestVerifyAsksTheTrail(t *testing.T) {
	t.Parallel()
	const claim = "fus-main/ledger/no-scan"
	for _, row := range []struct {
		name    string
		blindTo []string
		others  int
		want    evidence.Verdict
		words   []string
	}{
		{"nobody else", nil, 0, evidence.Pass, nil},
		{"somebody scans", nil, 1, evidence.Fail, []string{"CloudTrail, table fus-main", "Scan at ", "user/[user]"}},
		{"writes alone", []string{"GetItem", "Query", "Scan"}, 0, evidence.Indeterminate, []string{"logs writes alone", "0 of "}},
	} {
		t.Run(row.name, func(t *testing.T) {
			url := moto(t)
			front := newTrail(t, url).recording(t, url, row.blindTo...)
			wait := patience.String()
			if row.want == evidence.Indeterminate {
				wait = "1s"
			}
			c := prepare(t, awsEnvironment(front, "us-east-1"), "verify", "fus-main", "--target", "aws", "--yes", "--prefix", "x-", "--metrics-wait", patience.String(),
				"--cloudtrail-logs", "the-trail", "--cloudtrail-wait", wait, "--label-filter", "kind:ledger || id:fus-main.pattern.get-site || id:fus-main.pattern.list-sites || id:fus-main.pattern.add-tag")
			c.starts(t)
			eventually(t, "the run's items", func() bool { return holdsItem(t, url, "x-fus-main") })
			for range row.others { // not by the run's own client, though by the same user
				_, err := client(front).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("x-fus-main")})
				require.NoError(t, err)
			}
			for _, operation := range []string{"GetItem", "PutItem", "Query"} { // last: with these the run has waited long enough
				counted(t, url, "x-fus-main", operation, 100_000)
			}
			c.ends(t)
			result := verdictOf(t, read(t, c), claim)
			if result.Verdict != row.want {
				t.Fatalf("expected %s, found %s: %+v", row.want, result.Verdict, result.Problems)
			}
			if len(row.words) > 0 {
				says(t, "problem", result.Problems[0].Where+" "+result.Problems[0].Found, row.words...)
			}
		})
	}
}

// The run's own scans, those of waivers and of findings, are known to the ledger, which
// judges them: the trail holds nothing against them. What is not decided here is
// CloudWatch's count alone, which does not come.
func TestTrailShowsTheRunsOwnScans(t *testing.T) {
	t.Parallel()
	url := moto(t)
	front := newTrail(t, url).recording(t, url)
	c := prepare(t, awsEnvironment(front, "us-east-1"), "verify", "osem-ladders", "--target", "aws", "--yes", "--prefix", "x-", "--metrics-wait", "10ms",
		"--cloudtrail-logs", "the-trail", "--cloudtrail-wait", patience.String(), "--label-filter", "kind:ledger || id:osem-ladders.pattern.list-users || id:osem-ladders.pattern.list-teams || id:osem-ladders.finding.filter-reads-deleted-teams || id:osem-ladders.finding.config-list-scans")
	c.starts(t)
	c.ends(t)
	result := verdictOf(t, read(t, c), "osem-ladders/ledger/no-scan")
	if result.Verdict != evidence.Indeterminate || !strings.Contains(result.Problems[0].Found, "CloudWatch, table") {
		t.Errorf("expected nothing but CloudWatch's figures to be missing, found %s: %+v", result.Verdict, result.Problems)
	}
	// Five pages of each waived scan, and two findings.
	says(t, "notes", strings.Join(result.Notes, "\n"), "waived: 5 by waiver scan-teams", "waived: 5 by waiver scan-users", "CloudTrail, the-trail: 12 requests without a key are in the ledger")
}

// The flags of a trail are refused where there is none.
func TestTrailMisconfigured(t *testing.T) {
	t.Parallel()
	silent := awsEnvironment("http://127.0.0.1:1", "us-east-1")
	for name, row := range map[string]struct {
		args  []string
		words []string
	}{
		"verify without AWS": {[]string{"verify", "fus-main", "--cloudtrail-logs", "g"}, []string{"--cloudtrail-logs", "expected --target aws"}},
		"an endpoint":        {[]string{"audit", "fus-main", "--endpoint", "http://127.0.0.1:1", "--cloudtrail-logs", "g"}, []string{"expected --target aws"}},
		"no group":           {[]string{"audit", "fus-main", "--target", "aws", "--cloudtrail-logs", "a b"}, []string{"--cloudtrail-logs", "expected the name of a log group", `"a b"`}},
		"since alone":        {[]string{"audit", "fus-main", "--target", "aws", "--since", "3h"}, []string{"--since", "with --cloudtrail-logs alone"}},
		"wait alone":         {[]string{"verify", "fus-main", "--target", "aws", "--cloudtrail-wait", "3h"}, []string{"--cloudtrail-wait", "with --cloudtrail-logs alone"}},
		"no time":            {[]string{"audit", "fus-main", "--target", "aws", "--cloudtrail-logs", "g", "--since", "0s"}, []string{"--since: expected a time above 0, such as 24h, found 0s"}},
		"no wait":            {[]string{"verify", "fus-main", "--target", "aws", "--cloudtrail-logs", "g", "--cloudtrail-wait", "0"}, []string{"--cloudtrail-wait: expected a time above 0, such as 24h, found 0s"}},
		"no metrics' wait":   {[]string{"verify", "fus-main", "--target", "aws", "--metrics-wait", "0"}, []string{"--metrics-wait: expected a time above 0, such as 24h, found 0s"}},
		"a wait below 0":     {[]string{"verify", "fus-main", "--target", "aws", "--metrics-wait", "-10m"}, []string{"--metrics-wait: expected a time above 0, such as 24h, found -10m0s"}},
		"a policy's group":   {[]string{"audit", "fus-main", "--policy", "--cloudtrail-logs", "arn:aws:s3:::b"}, []string{"expected the name of a log group"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := prepare(t, silent, row.args...)
			c.expect(t, 2)
			c.oneError(t, row.words...)
		})
	}
}
