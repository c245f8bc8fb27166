//go:build unix

package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	neturl "net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cloudwatchtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/wire"
)

// cloudRun runs the command against an endpoint of AWS's shape.
func cloudRun(t *testing.T, folder string, code int, url string, args ...string) *child {
	t.Helper()
	c := prepare(t, awsEnvironment(url, "us-east-1"), args...)
	if folder != "" {
		c.Dir = folder
	}
	c.expect(t, code)
	return c
}

// verdictOf returns a claim's result.
func verdictOf(t *testing.T, seen *evidence.Run, id string) evidence.Result {
	t.Helper()
	for _, result := range seen.Results() {
		if result.ID == id {
			return result
		}
	}
	t.Fatalf("expected a verdict on %s", id)
	return evidence.Result{}
}

// counted tells CloudWatch how many requests of an operation succeeded on a table,
// around now.
func counted(t *testing.T, url, table, operation string, count float64) {
	t.Helper()
	client := cloudwatch.New(cloudwatch.Options{BaseEndpoint: aws.String(url), Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")})
	_, err := client.PutMetricData(t.Context(), &cloudwatch.PutMetricDataInput{Namespace: aws.String("AWS/DynamoDB"), MetricData: []cloudwatchtypes.MetricDatum{{
		MetricName: aws.String("SuccessfulRequestLatency"), Timestamp: aws.Time(time.Now()),
		Dimensions:      []cloudwatchtypes.Dimension{{Name: aws.String("TableName"), Value: aws.String(table)}, {Name: aws.String("Operation"), Value: aws.String(operation)}},
		StatisticValues: &cloudwatchtypes.StatisticSet{SampleCount: aws.Float64(count), Sum: aws.Float64(count), Minimum: aws.Float64(1), Maximum: aws.Float64(1)},
	}}})
	require.NoError(t, err)
}

// CloudWatch's own count decides: a scan that the ledger does not hold fails the
// claim, and no scan passes it once the other figures have come.
func TestCloudWatchOnAWSShape(t *testing.T) {
	t.Parallel()
	for name, scans := range map[string]float64{"none": 0, "three that nobody saw": 3} {
		t.Run(name, func(t *testing.T) {
			url := moto(t)
			c := prepare(t, awsEnvironment(url, "us-east-1"), "verify", "fus-main", "--target", "aws", "--yes", "--prefix", "x-", "--metrics-wait", patience.String(), "--label-filter", "kind:ledger || id:fus-main.pattern.get-site || id:fus-main.pattern.list-sites || id:fus-main.pattern.add-tag")
			c.starts(t)
			// The window of the run's figures begins after its table is there, and before its items are.
			eventually(t, "the run's items", func() bool { return holdsItem(t, url, "x-fus-main") })
			if scans > 0 { // before the others, with which the run has waited long enough
				counted(t, url, "x-fus-main", "Scan", scans)
			}
			for _, operation := range []string{"GetItem", "PutItem", "Query"} {
				counted(t, url, "x-fus-main", operation, 100_000)
			}
			c.ends(t)
			result := verdictOf(t, read(t, c), "fus-main/ledger/no-scan")
			if scans == 0 && result.Verdict != evidence.Pass {
				t.Errorf("expected a pass, found %s: %+v", result.Verdict, result.Problems)
			}
			if scans > 0 && (result.Verdict != evidence.Fail || result.Problems[0].Expected != "0" || result.Problems[0].Found != "3") {
				t.Errorf("expected 0 scans and 3 found, found %s: %+v", result.Verdict, result.Problems)
			}
		})
	}
}

// Clean-up of a killed run leaves a table that lost the run's tag, and names it.
func TestKilledOnAWSShape(t *testing.T) {
	t.Parallel()
	url := moto(t)
	foreign(t, url, "theirs")
	c := prepare(t, awsEnvironment(url, "us-east-1"), "verify", "personal-os", "--target", "aws", "--yes", "--prefix", "x-", "--metrics-wait", "10ms")
	c.starts(t)
	c.signalled(t, syscall.SIGKILL, "an item of the run", func() bool { return holdsItem(t, url, "x-personal-os-dev") })
	if code := c.ends(t); code != -1 {
		t.Fatalf("expected the run to be killed in the middle, found exit code %d", code)
	}
	table, err := client(url).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("x-personal-os-dev")})
	require.NoError(t, err)
	_, err = client(url).UntagResource(t.Context(), &dynamodb.UntagResourceInput{ResourceArn: table.Table.TableArn, TagKeys: []string{replay.RunTag}})
	require.NoError(t, err)
	stopped := cloudRun(t, c.Dir, 3, url, "cleanup", "personal-os", "--target", "aws")
	says(t, "error", stopped.stderr.String(), "which is not the run's", "not changed")
	assert.Empty(t, cmp.Diff([]string{"theirs", "x-personal-os-dev"}, tables(t, url)), "tables (-want +got)")
}

// An audit needs exactly the actions of its policy, reads nothing else, and the
// policy is one that IAM accepts.
func TestAuditPolicy(t *testing.T) {
	t.Parallel()
	url := moto(t)
	for _, name := range designs.Names() {
		t.Run(name, func(t *testing.T) {
			server := url
			region := "us-east-1"
			if name == "commit-collect" {
				region = "ap-southeast-2" // moto keeps regions apart; the tables of this one are not there
			} else {
				makeTables(t, server, name)
			}
			c := prepare(t, awsEnvironment(server, region), "audit", name, "--target", "aws", "--env", "dev")
			c.starts(t)
			if code := c.ends(t); code != 0 && code != 1 { // point-in-time recovery is off there, and so are four tables
				t.Fatalf("expected exit code 0 or 1, found %d\n%s%s", code, c.stdout.String(), c.stderr.String())
			}
			seen, err := evidence.Read(filepath.Join(c.Dir, "build", "report", "audit.json"))
			require.NoError(t, err)
			used := audited(t, seen.Ledger)
			text := run(t, "", 0, "audit", name, "--policy", "--env", "dev", "--account", "123456789012", "--region", region).stdout.String()
			var policy struct {
				Statement []struct{ Action, Resource []string }
			}
			require.NoError(t, json.Unmarshal([]byte(text), &policy))
			var allowed []string
			for _, statement := range policy.Statement {
				allowed = append(allowed, statement.Action...)
			}
			slices.Sort(allowed)
			if name == "osem-ladders" { // the one document that speaks of encryption
				used = append(used, "kms:DescribeKey")
			}
			slices.Sort(used)
			used = slices.Compact(used)
			if name == "commit-collect" { // no table is there, so none can be asked for its tags
				used = append(used, "dynamodb:ListTagsOfResource", "dynamodb:GetResourcePolicy")
				slices.Sort(used)
				used = slices.Compact(used)
			}
			assert.Empty(t, cmp.Diff(allowed, used), "actions (-policy +ledger)")
			var resources []string
			for _, table := range seen.Designs[0].Tables {
				resources = append(resources, "arn:aws:dynamodb:"+region+":123456789012:table/"+table)
			}
			slices.Sort(resources)
			listed := policy.Statement[0].Resource
			slices.Sort(listed)
			assert.Empty(t, cmp.Diff(resources, listed), "tables (-audited +policy)")
			acceptedByIAM(t, server, name, text)
		})
	}
}

// audited returns the actions that an audit's ledger shows, and those that AWS alone would
// have been asked for. Of other services than DynamoDB the ledger keeps no answers.
func audited(t *testing.T, ledger []wire.Entry) []string {
	t.Helper()
	// moto has none of this, and no policy of a role that could be read.
	used := []string{"dynamodb:DescribeContributorInsights", "dynamodb:DescribeKinesisStreamingDestination", "dynamodb:DescribeContinuousBackups", "iam:SimulateCustomPolicy", "iam:GetPolicyVersion"}
	for _, entry := range ledger {
		operation, logs := strings.CutPrefix(entry.Path, "POST / Logs_20140328.")
		switch {
		case entry.Operation != "":
			used = append(used, "dynamodb:"+entry.Operation)
			continue
		case logs:
			used = append(used, "logs:"+operation)
		default:
			used = append(used, "iam:"+strings.TrimPrefix(entry.Path, "POST / "))
		}
		if entry.Response != nil {
			t.Errorf("request %d, %s: expected what other services hold to stay out of the evidence", entry.Seq, entry.Path)
		}
	}
	slices.Sort(used)
	return slices.Compact(used)
}

// acceptedByIAM stores a policy with IAM, which checks its grammar.
func acceptedByIAM(t *testing.T, url, name, document string) {
	t.Helper()
	form := neturl.Values{"Action": {"CreatePolicy"}, "Version": {"2010-05-08"}, "PolicyName": {name}, "PolicyDocument": {document}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0")
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("expected IAM to take the policy, found %s: %s, %v", answer.Status, text, err)
	}
}

// What is wrong with the environment is said in a line, before anything is sent.
func TestAWSMisconfigured(t *testing.T) {
	t.Parallel()
	silent := "http://127.0.0.1:1"
	for name, row := range map[string]struct {
		environment []string
		args        []string
		code        int
		words       []string
	}{
		"no region":       {append(awsEnvironment(silent, ""), "AWS_DEFAULT_REGION="), []string{"verify", "fus-main", "--target", "aws", "--yes"}, 2, []string{"expected a region", "AWS_REGION"}},
		"fixed region":    {append(awsEnvironment(silent, ""), "AWS_DEFAULT_REGION="), []string{"audit", "commit-collect", "--target", "aws"}, 3, []string{"GetCallerIdentity"}},
		"cleanup there":   {append(awsEnvironment(silent, ""), "AWS_DEFAULT_REGION="), []string{"cleanup", "commit-collect", "--target", "aws"}, 3, []string{"GetCallerIdentity"}},
		"another region":  {awsEnvironment(silent, "us-east-1"), []string{"verify", "commit-collect", "--target", "aws", "--region", "us-east-1"}, 2, []string{"expected ap-southeast-2", "commit-collect.md", "us-east-1"}},
		"no credentials":  {append(awsEnvironment(silent, "us-east-1"), "AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY="), []string{"audit", "fus-main", "--target", "aws"}, 2, []string{"expected credentials", "aws sso login"}},
		"endpoint abroad": {awsEnvironment("http://192.0.2.1:8000", "us-east-1"), []string{"verify", "fus-main", "--target", "aws", "--yes"}, 2, []string{"expected AWS's own endpoints, or endpoints on loopback", "192.0.2.1"}},
		"half overridden": {append(awsEnvironment("", "us-east-1"), "AWS_ENDPOINT_URL_DYNAMODB="+silent), []string{"verify", "fus-main", "--target", "aws", "--yes"}, 2, []string{"one place for all services"}},
		"nothing listens": {awsEnvironment(silent, "us-east-1"), []string{"audit", "fus-main", "--target", "aws"}, 3, []string{"GetCallerIdentity", "connection refused"}},
		"endpoint too":    {awsEnvironment(silent, "us-east-1"), []string{"verify", "fus-main", "--target", "aws", "--endpoint", silent}, 2, []string{"expected no --endpoint"}},
		"another target":  {awsEnvironment(silent, "us-east-1"), []string{"audit", "fus-main", "--target", "gcp"}, 2, []string{"expected aws", `"gcp"`}},
		"an account":      {nil, []string{"audit", "fus-main", "--policy", "--account", "mine"}, 2, []string{"12 digits"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := prepare(t, row.environment, row.args...)
			c.expect(t, row.code)
			c.oneError(t, row.words...)
		})
	}
	t.Run("nobody to ask", func(t *testing.T) {
		url := moto(t)
		c := prepare(t, awsEnvironment(url, "us-east-1"), "verify", "fus-main", "--target", "aws")
		c.expect(t, 2)
		says(t, "error output", c.stderr.String(), "cost estimate", "expected --yes", "nothing was deployed")
		if left := tables(t, url); len(left) > 0 {
			t.Errorf("expected no table, found %v", left)
		}
	})
}
