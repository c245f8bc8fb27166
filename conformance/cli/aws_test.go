//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cloudwatchtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	logstypes "github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// onAWS prepares a run on AWS, in place of which there is what answers at an address.
func onAWS(t *testing.T, url string, args ...string) *child {
	t.Helper()
	return prepare(t, awsEnvironment(url, "us-east-1"), append(args, "--target", "aws")...)
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

// scanless selects that nobody scans, and a few reads and writes.
const scanless = "kind:ledger || id:fus-main.pattern.get-site || id:fus-main.pattern.list-sites || id:fus-main.pattern.add-tag"

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
			require.Contains(t, []int{0, 1}, c.code(t), "%s%s", c.stdout.String(), c.stderr.String()) // point-in-time recovery is off there, and so are four tables
			seen := audited(t, c)
			used := actionsOf(t, seen.Ledger)
			text := run(t, "", 0, "audit", name, "--policy", "--env", "dev", "--account", "123456789012", "--region", region).stdout.String()
			policy, allowed := policyOf(t, text)
			if name == "osem-ladders" { // the one document that speaks of encryption
				used = append(used, "kms:DescribeKey")
			}
			if name == "commit-collect" { // no table is there, so none can be asked for its tags
				used = append(used, "dynamodb:ListTagsOfResource", "dynamodb:GetResourcePolicy")
			}
			slices.Sort(used)
			assert.ElementsMatch(t, allowed, slices.Compact(used), "actions of the policy, and of the ledger")
			var resources []string
			for _, table := range seen.Designs[0].Tables {
				resources = append(resources, "arn:aws:dynamodb:"+region+":123456789012:table/"+table)
			}
			assert.ElementsMatch(t, resources, policy[0].Resource, "tables of the audit, and of the policy")
			acceptedByIAM(t, server, name, text)
		})
	}
}

// policyOf are the statements of a policy, and the actions that they allow.
func policyOf(t *testing.T, text string) (statements []struct{ Action, Resource []string }, allowed []string) {
	t.Helper()
	var policy struct {
		Statement []struct{ Action, Resource []string }
	}
	require.NoError(t, json.Unmarshal([]byte(text), &policy))
	for _, statement := range policy.Statement {
		allowed = append(allowed, statement.Action...)
	}
	return policy.Statement, allowed
}

// actionsOf returns the actions that an audit's ledger shows, and those that AWS alone would
// have been asked for. Of other services than DynamoDB the ledger keeps no answers.
func actionsOf(t *testing.T, ledger []wire.Entry) []string {
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
		assert.Nil(t, entry.Response, "request %d, %s: expected what other services hold to stay out of the evidence", entry.Seq, entry.Path)
	}
	slices.Sort(used)
	return slices.Compact(used)
}

// acceptedByIAM stores a policy with IAM, which checks its grammar.
func acceptedByIAM(t *testing.T, url, name, document string) {
	t.Helper()
	_, err := iamAt(url).CreatePolicy(t.Context(), &iam.CreatePolicyInput{PolicyName: aws.String(name), PolicyDocument: aws.String(document)})
	assert.NoError(t, err)
}

// motos are those that no test uses now, nil for one that was not started yet. One takes seconds to start, and empties itself in a
// moment; with two, no processor waits.
var motos = func() chan target.Target {
	all := make(chan target.Target, 2)
	all <- nil
	all <- nil
	return all
}()

// closeMotos ends them. No test uses one any more.
func closeMotos() {
	close(motos)
	for engine := range motos {
		if engine == nil {
			continue
		}
		if err := engine.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// moto returns the address of a pinned moto that holds nothing and is the test's alone.
// The AWS lane's requests are tried against it: it answers for STS, IAM, CloudWatch
// and DynamoDB. What it accepts proves nothing (it accepts much that AWS refuses);
// it shows that the code paths hold together.
func moto(t *testing.T) (url string) {
	t.Helper()
	engine := <-motos
	t.Cleanup(func() {
		if engine != nil && empty(engine.URL()) != nil {
			t.Error(engine.Close(context.Background()))
			engine = nil
		}
		motos <- engine
	})
	if engine == nil {
		var err error
		if engine, err = starting(t, target.Moto); errors.As(err, new(*target.ConfigError)) {
			t.Skip(err) // there is no Python
		}
		require.NoError(t, err)
	}
	return engine.URL()
}

// empty makes a moto forget all accounts, regions and services.
// https://docs.getmoto.org/en/latest/docs/server_mode.html#reset-api
func empty(url string) error {
	answer, err := http.Post(url+"/moto-api/reset", "", nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("emptying moto: expected 200 OK, found %s", answer.Status)
	}
	return nil
}

// awsEnvironment points the AWS SDK at an endpoint, and away from everything else on
// this machine.
func awsEnvironment(url, region string) []string {
	return []string{
		"AWS_ENDPOINT_URL=" + url, "AWS_REGION=" + region, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "AWS_SESSION_TOKEN=",
		"AWS_PROFILE=", "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null", "AWS_EC2_METADATA_DISABLED=true",
	}
}

// iamAt is a client of IAM at an endpoint of AWS's shape.
func iamAt(url string) *iam.Client {
	return iam.New(iam.Options{BaseEndpoint: aws.String(url), Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")})
}

// policyIn stores an IAM policy, with a run's tag unless it is empty.
func policyIn(t *testing.T, url, path, name, tag string) (arn string) {
	t.Helper()
	input := &iam.CreatePolicyInput{
		Path: aws.String(path), PolicyName: aws.String(name),
		PolicyDocument: aws.String(`{"Version":"2012-10-17","Statement":[{"Sid":"Scan","Effect":"Allow","Action":"dynamodb:Scan","Resource":"*"}]}`),
	}
	if tag != "" {
		input.Tags = []iamtypes.Tag{{Key: aws.String("dynaproof:run"), Value: aws.String(tag)}}
	}
	made, err := iamAt(url).CreatePolicy(t.Context(), input)
	require.NoError(t, err)
	return aws.ToString(made.Policy.Arn)
}

// An audit asks KMS who manages a table's key, and IAM for the policies of the roles: a
// customer's key fails, and so does a role's policy that allows a scan.
func TestAuditAsksKMSAndIAM(t *testing.T) {
	t.Parallel()
	url := moto(t)
	keys := kms.New(kms.Options{BaseEndpoint: aws.String(url), Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")})
	key, err := keys.CreateKey(t.Context(), &kms.CreateKeyInput{})
	require.NoError(t, err)
	users := tableOf("osem-dev-Users", "id")
	users.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms, KMSMasterKeyId: key.KeyMetadata.Arn}
	create(t, url, users)
	audit := func() map[string]evidence.Result {
		c := onAWS(t, url, "audit", "osem-ladders", "--env", "dev")
		c.expect(t, 1) // five tables are not there
		return verdicts(audited(t, c))
	}
	results := audit()
	decides(t, results["osem-ladders/table/Users/encryption"], evidence.Fail, "which the customer manages, as KMS says")
	decides(t, results["osem-ladders/policy/roles"], evidence.Unsupported, "none is")
	policyIn(t, url, "/dynaproof/osem-ladders.dev/", "osem-ladders-coach-1a2b3c4", "")
	policyIn(t, url, "/dynaproof/osem-ladders.prod/", "osem-ladders-admin-1a2b3c4", "")
	results = audit()
	decides(t, results["osem-ladders/policy/roles"], evidence.Fail, "coach")
	decides(t, results["osem-ladders/policy/no-scan/Users"], evidence.Fail, "none is attached")
}

// The sweeper finds policies that a lost run left, and leaves those of stacks, of others
// and of runs in progress, and what somebody has attached since.
func TestSweepOfPolicies(t *testing.T) {
	t.Parallel()
	url := moto(t)
	const runs = "/dynaproof/run/1a2b3c4d/"
	policyIn(t, url, runs, "lost", runBegan(7*time.Hour))
	policyIn(t, url, runs, "young", runBegan(5*time.Hour))
	policyIn(t, url, runs, "without-a-tag", "")
	policyIn(t, url, runs, "with-a-word", "1a2b3c4d@yesterday")
	policyIn(t, url, "/dynaproof/fus-main.prod/", "of-a-stack", runBegan(7*time.Hour))
	policyIn(t, url, "/", "of-somebody", runBegan(7*time.Hour))
	policyIn(t, url, runs, "with-a-copied-tag", runBegan(100*time.Hour))
	_, err := iamAt(url).CreateRole(t.Context(), &iam.CreateRoleInput{RoleName: aws.String("theirs"), AssumeRolePolicyDocument: aws.String(`{"Version":"2012-10-17","Statement":[]}`)})
	require.NoError(t, err)
	held := policyIn(t, url, runs, "attached", runBegan(7*time.Hour))
	_, err = iamAt(url).AttachRolePolicy(t.Context(), &iam.AttachRolePolicyInput{RoleName: aws.String("theirs"), PolicyArn: aws.String(held)})
	require.NoError(t, err)
	policyIn(t, url, runs, "of-a-late-clock", runBegan(20*time.Hour))
	young := onAWS(t, url, "cleanup", "--older-than", "6h") // all was made right now
	young.expect(t, 0)
	lacks(t, "sweep of what was made right now", young.stdout.String(), "removed")
	c := onAWS(t, aged(t, url, 7*time.Hour, 0), "cleanup", "--older-than", "6h")
	c.expect(t, 0)
	says(t, "sweep", c.stdout.String(), "removed policy lost of a lost run", "left policy attached of a lost run: it is attached 1 times")
	left := strings.Join(policies(t, url), "\n")
	for _, name := range []string{"young", "without-a-tag", "with-a-word", "of-a-stack", "of-somebody", "attached", "with-a-copied-tag"} {
		assert.Contains(t, left, "/"+name+" ")
	}
	assert.NotContains(t, left, "/lost ")
}

// refusing is an endpoint of AWS's shape that says who calls, lists a table of somebody else's where it lists any, and refuses every other
// request in words that name account, role and person.
func refusing(t *testing.T, lists bool) (url string, names []string) {
	t.Helper()
	const caller = "arn:aws:sts::123456789012:assumed-role/ProdAdmin/jane.doe@corp.example"
	url = front(t, nobody, func(request *asked) *httptest.ResponseRecorder {
		switch {
		case request.operation == "GetCallerIdentity":
			return answering(http.StatusOK, fmt.Sprintf(`<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>%s</Arn><UserId>AROA:jane</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`, caller))
		case request.operation == "ListTables" && lists:
			return answering(http.StatusOK, `{"TableNames":["osem-prod-Users","osem-prod-payroll-secret"]}`)
		}
		return answering(http.StatusBadRequest, fmt.Sprintf(`{"__type":"com.amazon.coral.service#AccessDeniedException","message":"User: %s is not authorized to perform: dynamodb:%s on resource: arn:aws:dynamodb:us-east-1:123456789012:table/osem-prod-Users because no identity-based policy allows the dynamodb:%[2]s action"}`, caller, request.operation))
	})
	return url, []string{"123456789012", "ProdAdmin", "jane.doe", "corp.example", "payroll-secret"}
}

// said returns all that a command printed and wrote, by where it stands.
func said(t *testing.T, c *child) map[string]string {
	t.Helper()
	texts := map[string]string{"standard output": c.stdout.String(), "error output": c.stderr.String()}
	for _, path := range files(t, c.Dir) {
		texts[path] = content(t, path)
	}
	return texts
}

// A caller without permissions learns which are missing. No table is said to differ from its document, and nobody is named.
func TestAuditWithoutPermissions(t *testing.T) {
	url, names := refusing(t, false)
	c := onAWS(t, url, "audit", "osem-ladders", "--env", "prod")
	c.expect(t, 3)
	c.prints(t, "the permission dynamodb:DescribeTable on table/osem-prod-Users is missing: no identity-based policy allows it", "INDETERMINATE")
	lacks(t, "summary", c.stdout.String(), "FAIL")
	lacks(t, "all that was said", c.stdout.String()+c.stderr.String(), names...)
}

// An audit whose role lacks permissions names nobody: not on the terminal, not in a file, not in what is rendered from it.
func TestAuditNamesNobody(t *testing.T) {
	t.Parallel()
	url, names := refusing(t, true)
	folder := t.TempDir()
	outputs := []map[string]string{}
	for _, args := range [][]string{
		{"audit", "osem-ladders", "--target", "aws", "--env", "prod"},
		{"audit", "osem-ladders", "--target", "aws", "--env", "prod", "--json"},
		{"report", "build/report/audit.json", "--all"},
		{"report", "build/report/audit.json", "--out", "rendered"},
		{"verify", "osem-ladders", "--target", "aws", "--existing", "--env", "prod", "--confirm", "prod", "--yes"},
	} {
		c := prepare(t, awsEnvironment(url, "us-east-1"), args...).in(folder)
		assert.NotZero(t, c.code(t), "%v: expected it not to conform", args)
		outputs = append(outputs, said(t, c))
	}
	for _, texts := range outputs {
		for where, text := range texts {
			lacks(t, where, text, names...)
		}
	}
	says(t, "summary", outputs[0]["standard output"], "AccessDenied")
	for _, file := range []string{"build/report/audit.json", "build/report/audit.html", "rendered/junit.xml", "rendered/summary.md"} {
		info, err := os.Stat(filepath.Join(folder, file))
		require.NoError(t, err, file)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "%s: expected a file for its owner alone", file)
	}

	c := prepare(t, awsEnvironment(url, "us-east-1"), "audit", "osem-ladders", "--target", "aws", "--env", "prod", "--unredacted").in(folder)
	c.code(t)
	says(t, "evidence with names", said(t, c)[filepath.Join(folder, "build/report/audit.json")], names...)
}

var createdInJSON, createdInXML = regexp.MustCompile(`("CreationDateTime": ?)([0-9.]+)`), regexp.MustCompile(`(<CreateDate>)([^<]+)`)

// undated lets no date of a table be told.
const undated = time.Duration(math.MaxInt64)

// aged stands in front of AWS's stand-in, which says that all was made so long before, and whose clock goes wrong by so much.
func aged(t *testing.T, url string, by, wrong time.Duration) string {
	t.Helper()
	shift := wrong - by
	return front(t, url, func(request *asked) *httptest.ResponseRecorder {
		answer := request.forward()
		text := createdInJSON.ReplaceAllFunc(answer.Body.Bytes(), func(found []byte) []byte {
			parts := createdInJSON.FindSubmatch(found)
			if by == undated {
				return []byte(`"Undated":0`)
			}
			seconds, _ := strconv.ParseFloat(string(parts[2]), 64)
			return append(parts[1], strconv.FormatFloat(seconds+shift.Seconds(), 'f', 3, 64)...)
		})
		text = createdInXML.ReplaceAllFunc(text, func(found []byte) []byte {
			parts := createdInXML.FindSubmatch(found)
			at, _ := time.Parse(time.RFC3339, string(parts[2]))
			return append(parts[1], at.Add(shift).Format(time.RFC3339)...)
		})
		answer.Header().Set("Date", time.Now().Add(wrong).UTC().Format(http.TimeFormat))
		answer.Header().Del("X-Amz-Crc32")
		answer.Header().Del("Content-Length")
		answer.Body = bytes.NewBuffer(text)
		return answer
	})
}

// runBegan is the tag of a run that began so long ago, and ofRun gives it to a table.
func runBegan(ago time.Duration) string {
	return "1a2b3c4d@" + time.Now().Add(-ago).UTC().Format(time.RFC3339)
}

func ofRun(name, tag string) *dynamodb.CreateTableInput {
	input := tableOf(name, "id")
	if tag != "" {
		input.Tags = []types.Tag{{Key: aws.String("owner"), Value: aws.String("somebody")}, {Key: aws.String("dynaproof:run"), Value: aws.String(tag)}}
	}
	return input
}

// What a lost runner left is found by its tag alone, and nothing else is touched.
func TestSweep(t *testing.T) {
	t.Parallel()
	there := moto(t)
	url := aged(t, there, 7*time.Hour, 0)
	for name, tag := range map[string]string{
		"dynaproof-1a2b3c4d-old": runBegan(7 * time.Hour), "an-old-one-with-a-prefix": runBegan(20 * time.Hour), "with-a-copied-tag": runBegan(100 * time.Hour), "long-before-its-tag": runBegan(-18 * time.Hour), "dynaproof-1a2b3c4d-young": runBegan(5 * time.Hour),
		"dynaproof-without-a-tag": "", "dynaproof-without-a-date": "1a2b3c4d", "dynaproof-with-a-word": "1a2b3c4d@yesterday",
	} {
		create(t, url, ofRun(name, tag))
	}
	sweep := func(code int, args ...string) *child {
		c := onAWS(t, url, append([]string{"cleanup"}, args...)...)
		c.expect(t, code)
		return c
	}
	sweep(2, "--older-than", "10m").oneError(t, "at least 1h")
	sweep(2, "--older-than", "6h", "osem-ladders")
	c := sweep(0, "--older-than", "6h")
	says(t, "sweep", c.stdout.String(), "removed table dynaproof-1a2b3c4d-old of run 1a2b3c4d@", "an-old-one-with-a-prefix", "left 2 tables with a run's tag that were made long before or after the run began")
	lacks(t, "sweep", c.stdout.String(), "with-a-copied-tag")
	assert.Equal(t, []string{"dynaproof-1a2b3c4d-young", "dynaproof-with-a-word", "dynaproof-without-a-date", "dynaproof-without-a-tag", "long-before-its-tag", "with-a-copied-tag"}, tables(t, url))
	says(t, "second sweep", sweep(0, "--older-than", "6h", "--json").stdout.String(), `"said": [`, "left 2 tables")
	for _, name := range []string{"with-a-copied-tag", "long-before-its-tag"} {
		remove(t, url, name)
	}
	says(t, "third sweep", sweep(0, "--older-than", "6h").stdout.String(), "no table of a run that began more than")
	// Without its state a run is not known, and nobody can tell what it left.
	sweep(3, "osem-ladders").oneError(t, "found none, so that nobody can tell what was left", "nothing was removed", "--older-than")
}

// Of a run in progress nothing is removed, whose clock is late by most of a day, or where the clock here is ahead by one. A table
// of which no date is told is left.
func TestSweepHeedsNoClockButAWSs(t *testing.T) {
	t.Parallel()
	there := moto(t)
	create(t, there, ofRun("dynaproof-1a2b3c4d-clock", runBegan(20*time.Hour)))
	sweep := func(url string) *child {
		c := onAWS(t, url, "cleanup", "--older-than", "6h")
		c.expect(t, 0)
		return c
	}
	for what, url := range map[string]string{
		"a run whose clock is late": aged(t, there, time.Hour, 0), "a clock here that is ahead": aged(t, there, 0, -24*time.Hour),
		"no date": aged(t, there, undated, 0),
	} {
		lacks(t, what, sweep(url).stdout.String(), "removed")
		assert.Len(t, tables(t, there), 1, "%s: expected the table of a run in progress to stay", what)
	}
	sweep(aged(t, there, 8*time.Hour, 0)).prints(t, "removed table dynaproof-1a2b3c4d-clock")
}

// One folder takes the reports of one run at a time.
func TestReportFolderIsTaken(t *testing.T) {
	folder := t.TempDir()
	reports := filepath.Join(folder, "build", "report")
	require.NoError(t, os.MkdirAll(reports, 0o755))
	other := flock.New(filepath.Join(reports, ".dynaproof.lock"))
	held, err := other.TryLock()
	require.NoError(t, err)
	require.True(t, held)
	run(t, folder, 2, "verify", "fus-main").oneError(t, "--report: expected no other run that writes to", "choose another folder")
	assert.Len(t, files(t, reports), 1, "expected nothing to be written")
	require.NoError(t, other.Unlock())
	run(t, folder, 0, "verify", "--design", example, "--label-filter", few)
}

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
		c := onAWS(t, url, append([]string{"audit", "personal-os", "--env", "dev"}, args...)...)
		require.NotEqual(t, 2, c.code(t), "expected the audit to run\n%s%s", c.stdout.String(), c.stderr.String())
		return audited(t, c)
	}
	const claim = "personal-os/ledger/no-scan"
	assert.NotContains(t, verdicts(ask()), claim, "a verdict without a trail")
	decides(t, verdicts(ask("--cloudtrail-logs", "another-group"))[claim], evidence.Indeterminate, "no such log group")
	hour := time.Now().Add(-time.Hour)
	trail.delivers(t, "Scan", "another-table", eve, "S0", hour)
	trail.delivers(t, "UpdateItem", "personal-os-dev", app, "U1", hour)
	decides(t, verdicts(ask("--cloudtrail-logs", "the-trail"))[claim], evidence.Indeterminate, "shows no read of it")
	trail.delivers(t, "Query", "personal-os-dev", app, "Q1", hour)
	seen := ask("--cloudtrail-logs", "the-trail")
	decides(t, verdicts(seen)[claim], evidence.Pass)
	assert.Equal(t, evidence.Engine, verdicts(seen)[claim].Grade)
	trail.delivers(t, "Scan", "personal-os-dev", eve, "S1", hour)
	found := verdicts(ask("--cloudtrail-logs", "the-trail"))[claim]
	require.Len(t, found.Problems, 1)
	decides(t, found, evidence.Fail, "table personal-os", "Scan at "+hour.UTC().Format(time.RFC3339), "user/[user]", "event-of-S1")
	decides(t, verdicts(ask("--cloudtrail-logs", "the-trail", "--since", "30m"))[claim], evidence.Indeterminate)

	// Of several environments each has its own trail, or that of the option: the one without a read decides nothing.
	folder := t.TempDir()
	list := write(t, folder, "list.yaml", "environments:\n  - {name: own, stack: personal-os.dev, region: us-east-1, cloudtrail-logs: the-trail}\n  - {name: all, stack: personal-os.dev, region: us-east-1}\n")
	prepare(t, awsEnvironment(url, "us-east-1"), "audit", "--environments", list, "--cloudtrail-logs", "another-group", "--report", filepath.Join(folder, "audits")).expect(t, 1)
	for name, want := range map[string]evidence.Verdict{"own": evidence.Fail, "all": evidence.Indeterminate} {
		one := stored(t, folder, "audits/environments", name, "audit.json")
		decides(t, verdicts(one)[claim], want)
	}

	text := run(t, "", 0, "audit", "personal-os", "--policy", "--env", "dev", "--account", motoAccount, "--region", "us-east-1", "--cloudtrail-logs", "the-trail").stdout.String()
	statements, allowed := policyOf(t, text)
	for _, statement := range statements {
		if slices.Contains(statement.Action, "logs:FilterLogEvents") {
			assert.Equal(t, []string{"arn:aws:logs:us-east-1:123456789012:log-group:the-trail:*"}, statement.Resource, "expected it on the group alone")
		}
	}
	slices.Sort(allowed)
	assert.ElementsMatch(t, slices.Compact(allowed), actionsOf(t, seen.Ledger), "actions of the policy, and of the ledger")
	acceptedByIAM(t, url, "with-trail", text)
	lacks(t, "without a trail", run(t, "", 0, "audit", "personal-os", "--policy").stdout.String(), "logs:")
}

// recording stands in front of moto and does what a trail does: it puts a record of
// every request that names a table into the log group.
func (r trailOf) recording(t *testing.T, url string) string {
	t.Helper()
	return front(t, url, func(request *asked) *httptest.ResponseRecorder {
		answer := request.forward()
		var of struct {
			TableName    string
			RequestItems map[string]json.RawMessage
		}
		if strings.HasPrefix(request.Header.Get("X-Amz-Target"), "DynamoDB_20120810.") && answer.Code == http.StatusOK && json.Unmarshal(request.body, &of) == nil {
			for _, table := range append(slices.Collect(maps.Keys(of.RequestItems)), of.TableName) {
				if table != "" {
					r.delivers(t, request.operation, table, "arn:aws:iam::123456789012:user/runner", answer.Header().Get("X-Amzn-Requestid"), time.Now())
				}
			}
		}
		return answer
	})
}

// CloudWatch's own count decides: a scan that the ledger does not hold fails the claim, and no scan passes it once the other figures have come.
// With a trail a run finds its own requests in it, and beside them those of others. What else decides is tried in package cloud.
func TestVerifyAsksCloudWatchAndTheTrail(t *testing.T) {
	t.Parallel()
	const claim, trail = "fus-main/ledger/no-scan", "--cloudtrail-logs"
	for _, row := range []struct {
		name   string
		flags  []string
		scans  float64 // that CloudWatch counts
		others int     // scans of others that the trail shows
		want   evidence.Verdict
		words  []string
	}{
		{"CloudWatch counts three that nobody saw", nil, 3, 0, evidence.Fail, []string{" 0 3\n"}},
		{"the trail shows nobody else", []string{trail, "the-trail", "--cloudtrail-wait", patience.String()}, 0, 0, evidence.Pass, nil},
		{"the trail shows that somebody scans", []string{trail, "the-trail", "--cloudtrail-wait", patience.String()}, 0, 1, evidence.Fail, []string{"CloudTrail, table fus-main", "Scan at ", "user/[user]"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			url := moto(t)
			written := make(chan struct{})
			front := behindEach(t, newTrail(t, url).recording(t, url), sync.OnceFunc(func() { close(written) }), writing...)
			c := onAWS(t, front, append([]string{"verify", "fus-main", "--yes", "--prefix", "x-", "--metrics-wait", patience.String(), "--label-filter", scanless}, row.flags...)...)
			c.starts(t)
			// The window of the run's figures begins after its table is there, and before its items are.
			arrives(t, written)
			for range row.others { // not by the run's own client, though by the same user
				_, err := client(front).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("x-fus-main")})
				require.NoError(t, err)
			}
			if row.scans > 0 {
				counted(t, url, "x-fus-main", "Scan", row.scans)
			}
			for _, operation := range []string{"GetItem", "PutItem", "Query"} { // last: with these the run has waited long enough
				counted(t, url, "x-fus-main", operation, 100_000)
			}
			c.ends(t)
			decides(t, verdicts(read(t, c))[claim], row.want, row.words...)
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
	c := onAWS(t, front, "verify", "osem-ladders", "--yes", "--prefix", "x-", "--metrics-wait", "10ms",
		"--cloudtrail-logs", "the-trail", "--cloudtrail-wait", patience.String(), "--label-filter", "kind:ledger || id:osem-ladders.pattern.list-users || id:osem-ladders.pattern.list-teams || id:osem-ladders.finding.filter-reads-deleted-teams || id:osem-ladders.finding.config-list-scans")
	c.code(t)
	result := verdicts(read(t, c))["osem-ladders/ledger/no-scan"]
	decides(t, result, evidence.Indeterminate, "CloudWatch, table")
	// Five pages of each waived scan, and two findings.
	says(t, "notes", strings.Join(result.Notes, "\n"), "waived: 5 by waiver scan-teams", "waived: 5 by waiver scan-users", "CloudTrail, the-trail: 12 requests without a key are in the ledger")
}
