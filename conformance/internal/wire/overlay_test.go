package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// setRecovery switches PITR of a table on.
func setRecovery(ctx context.Context, client *dynamodb.Client, table string) error {
	_, err := client.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
		TableName: &table, PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
	})
	return err
}

// recoveryIs describes PITR of a table.
func recoveryIs(ctx context.Context, client *dynamodb.Client, table string) (types.PointInTimeRecoveryStatus, error) {
	output, err := client.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &table})
	if err != nil {
		return "", err
	}
	return output.ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus, nil
}

// mustBeUnknown fails unless an engine's own refusal came through.
func mustBeUnknown(t *testing.T, err error) {
	t.Helper()
	var refusal smithy.APIError
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, unknownOperation, refusal.ErrorCode(), "expected the engine's own %s", unknownOperation)
}

// withTable starts a proxy, and creates a table through it that is then the run's own.
func withTable(t *testing.T, table string) (*Proxy, *dynamodb.Client) {
	t.Helper()
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	client, _ := newClient(t, proxy.URL(), testRegion)
	createTable(t, client, table)
	return proxy, client
}

func deleteTable(t *testing.T, client *dynamodb.Client, table string) {
	t.Helper()
	_, err := client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(table)})
	require.NoError(t, err)
}

// What is remembered of a table goes with it: of a table that is gone the engine speaks itself, and a new one of the name starts over.
func TestSettingsGoWithTheTable(t *testing.T) {
	ctx := t.Context()
	const table = "overlay-again"
	proxy, client := withTable(t, table)
	require.NoError(t, setRecovery(ctx, client, table))
	status, err := recoveryIs(ctx, client, table)
	require.NoError(t, err)
	assert.Equal(t, types.PointInTimeRecoveryStatusEnabled, status)
	_, err = putPolicy(ctx, client, table, `{}`, nil)
	require.NoError(t, err)
	deleteTable(t, client, table)
	_, err = recoveryIs(ctx, client, table)
	mustBeUnknown(t, err)
	_, err = putPolicy(ctx, client, table, `{}`, nil)
	mustBeUnknown(t, err)
	assert.False(t, last(t, proxy.Ledger()).Emulated, "expected nothing emulated for a table that is gone")
	createTable(t, client, table)
	status, err = recoveryIs(ctx, client, table)
	require.NoError(t, err)
	assert.Equal(t, types.PointInTimeRecoveryStatusDisabled, status)
	mustHaveNoPolicy(t, client, table)
}

// A request that is refused changes nothing.
func TestIncompleteRequestsAreRefused(t *testing.T) {
	for _, row := range []struct {
		of                    *feature
		operation, body, word string
	}{
		{continuousBackups(time.Now), "UpdateContinuousBackups", `{}`, "pointInTimeRecoverySpecification'"},
		{continuousBackups(time.Now), "UpdateContinuousBackups", `{"PointInTimeRecoverySpecification":{}}`, "pointInTimeRecoveryEnabled"},
		{continuousBackups(time.Now), "UpdateContinuousBackups", `{"PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":0}}`, "'0'"},
		{continuousBackups(time.Now), "UpdateContinuousBackups", `{"PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":36}}`, "between 1 and 35"},
		{continuousBackups(time.Now), "UpdateContinuousBackups", `{"PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":"yes","RecoveryPeriodInDays":35}}`, "cannot unmarshal"},
		{timeToLive(), "UpdateTimeToLive", `{}`, "timeToLiveSpecification'"},
		{timeToLive(), "UpdateTimeToLive", `{"TimeToLiveSpecification":{"Enabled":true}}`, "attributeName"},
		{timeToLive(), "UpdateTimeToLive", `{"TimeToLiveSpecification":{"AttributeName":"","Enabled":true}}`, "attributeName"},
		{timeToLive(), "UpdateTimeToLive", `{"TimeToLiveSpecification":{"AttributeName":"a"}}`, "enabled"},
		{timeToLive(), "UpdateTimeToLive", `{"TimeToLiveSpecification":{"AttributeName":"a","Enabled":"yes"}}`, "bool"},
	} {
		is, found := row.of.answer(row.operation, []byte(row.body), nil)
		if problem, _ := found.(refusal); !strings.Contains(problem.message, row.word) || is != nil {
			t.Errorf("%s: expected a problem with %s that changes nothing, found %q and %v", row.body, row.word, found, is)
		}
	}
}

func TestForeignTablesAreNotEmulated(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	client, _ := newClient(t, proxy.URL(), testRegion)
	direct, _ := newClient(t, engineURL(t), testRegion)
	const foreign, own = "overlay-foreign", "overlay-not-foreign"
	createTable(t, direct, foreign)
	createTable(t, client, own)
	elsewhere, _ := newClient(t, proxy.URL(), "us-west-2")
	for _, test := range []struct {
		name string
		call func() error
	}{
		{"describe", func() error { _, err := recoveryIs(t.Context(), client, foreign); return err }},
		{"update", func() error { return setRecovery(t.Context(), client, foreign) }},
		{"own table's name in another region", func() error { _, err := recoveryIs(t.Context(), elsewhere, own); return err }},
		{"another unknown operation on an own table", func() error {
			_, err := client.DescribeKinesisStreamingDestination(t.Context(), &dynamodb.DescribeKinesisStreamingDestinationInput{
				TableName: aws.String(own),
			})
			return err
		}},
		{"a create that failed makes no owner", func() error {
			_, err := client.CreateTable(t.Context(), creation(foreign))
			var inUse *types.ResourceInUseException
			if !errors.As(err, &inUse) {
				return fmt.Errorf("expected the table to be in the way, found %w", err)
			}
			_, err = recoveryIs(t.Context(), client, foreign)
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			mustBeUnknown(t, test.call())
			if entry := last(t, proxy.Ledger()); entry.Emulated || entry.Status != 400 || entry.ErrorType != unknownOperation {
				t.Errorf("expected the engine's own answer on record, found %+v", entry)
			}
		})
	}
}

// said is an answer of a fake engine.
type said struct {
	status int
	body   string
}

// fakeEngine answers operations as it is told, all others with success.
func fakeEngine(t *testing.T, answers map[string]said) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// What an engine sends for its own body must not stay on another one.
		w.Header().Set("X-Amz-Crc32", "1")
		w.Header().Set("X-Amzn-Requestid", "engine-id")
		if answer, told := answers[strings.TrimPrefix(r.Header.Get("X-Amz-Target"), targetPrefix)]; told {
			w.WriteHeader(answer.status)
			fmt.Fprint(w, answer.body)
			return
		}
		fmt.Fprint(w, `{}`)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// post sends an unsigned operation.
func post(t *testing.T, url, operation, body string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("X-Amz-Target", targetPrefix+operation)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func TestOverlayStandsBackBehindTheEngine(t *testing.T) {
	for _, test := range []struct {
		name     string
		status   int
		body     string
		emulated bool
	}{
		{"it does not know the operation", 400, `{"__type":"com.amazon.coral.service#UnknownOperationException"}`, true},
		{"it knows the operation", 200, `{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"DISABLED"}}`, false},
		{"it refuses for another reason", 400, `{"__type":"com.amazonaws.dynamodb.v20120810#TableNotFoundException"}`, false},
		{"it broke", 500, `{"__type":"com.amazon.coral.service#UnknownOperationException"}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			proxy := startProxy(t, Options{Upstream: fakeEngine(t, map[string]said{"DescribeContinuousBackups": {test.status, test.body}})})
			post(t, proxy.URL(), "CreateTable", `{"TableName":"t"}`)
			response := post(t, proxy.URL(), "DescribeContinuousBackups", `{"TableName":"t"}`)
			require.Equal(t, test.emulated, last(t, proxy.Ledger()).Emulated, "expected emulated %t", test.emulated)
			crc, header := response.Header.Get("X-Amz-Crc32"), response.Header.Get(EmulatedHeader)
			if test.emulated {
				if response.StatusCode != http.StatusOK || crc != "" || header != "continuous-backups" || response.Header.Get("X-Amzn-Requestid") != "engine-id" {
					t.Errorf("expected a marked answer without the engine's checksum, found %d %v", response.StatusCode, response.Header)
				}
			} else if response.StatusCode != test.status || crc != "1" || header != "" {
				t.Errorf("expected the engine's answer as it is, found %d %v", response.StatusCode, response.Header)
			}
		})
	}
}

// Recovery reaches back as many days as it was enabled for, by the clock, and not behind the moment in which it was enabled.
func TestRecoveryIsSwitchedAsOnAWS(t *testing.T) {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	now := start
	answer := continuousBackups(func() time.Time { return now }).answer
	var setting any
	for _, row := range []struct {
		body                     string // of UpdateContinuousBackups; empty for none
		passed, earliest, latest time.Duration
		status                   string
		days                     any
	}{
		{"", 0, 0, 0, "DISABLED", nil},
		{`"PointInTimeRecoveryEnabled":true`, 0, 0, 0, "ENABLED", 35},
		{`"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":2`, 4 * time.Minute, 0, 0, "ENABLED", 2},
		{"", time.Hour, 0, 55 * time.Minute, "ENABLED", 2},
		{"", 72 * time.Hour, 24 * time.Hour, 72*time.Hour - restoreLag, "ENABLED", 2},
		{`"PointInTimeRecoveryEnabled":false`, 72 * time.Hour, 0, 0, "DISABLED", nil},
	} {
		now = start.Add(row.passed)
		if row.body != "" {
			setting, _ = answer("UpdateContinuousBackups", []byte(`{"PointInTimeRecoverySpecification":{`+row.body+`}}`), setting)
		}
		expected := map[string]any{"PointInTimeRecoveryStatus": row.status}
		if row.days != nil {
			expected["RecoveryPeriodInDays"] = row.days
			expected["EarliestRestorableDateTime"], expected["LatestRestorableDateTime"] = epochSeconds(start.Add(row.earliest)), epochSeconds(start.Add(row.latest))
		}
		_, described := answer("DescribeContinuousBackups", nil, setting)
		assert.Equal(t, expected, described.(map[string]any)["ContinuousBackupsDescription"].(map[string]any)["PointInTimeRecoveryDescription"], "%+v", row)
	}
}

// An answer that an overlay behind this proxy made is no answer of an engine either.
func TestAnOverlayBehindTheProxyIsSeen(t *testing.T) {
	const table = "overlay-behind"
	behind, client := withTable(t, table)
	proxy := startProxy(t, Options{Upstream: behind.URL()})
	audit, _ := newClient(t, proxy.URL(), testRegion)
	_, err := recoveryIs(t.Context(), audit, table)
	require.NoError(t, err)
	entry := last(t, proxy.Ledger())
	assert.True(t, entry.Emulated, "expected the answer of the other proxy's overlay to be marked, found %+v", entry)
	_, err = audit.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(table)})
	require.NoError(t, err)
	assert.False(t, last(t, proxy.Ledger()).Emulated, "expected the engine's own answer not to be marked")
	deleteTable(t, client, table)
}

func arnOf(table string) *string {
	return aws.String("arn:aws:dynamodb:" + testRegion + ":000000000000:table/" + table)
}

func putPolicy(ctx context.Context, client *dynamodb.Client, table, policy string, expected *string) (string, error) {
	answer, err := client.PutResourcePolicy(ctx, &dynamodb.PutResourcePolicyInput{ResourceArn: arnOf(table), Policy: &policy, ExpectedRevisionId: expected})
	if err != nil {
		return "", err
	}
	return aws.ToString(answer.RevisionId), nil
}

func mustHaveNoPolicy(t *testing.T, client *dynamodb.Client, table string) {
	t.Helper()
	_, err := client.GetResourcePolicy(t.Context(), &dynamodb.GetResourcePolicyInput{ResourceArn: arnOf(table)})
	var missing *types.PolicyNotFoundException
	assert.ErrorAs(t, err, &missing)
}

func TestResourcePolicyOfAnOwnTable(t *testing.T) {
	ctx := t.Context()
	const table = "policy-own"
	proxy, client := withTable(t, table)
	mustHaveNoPolicy(t, client, table)

	first, err := putPolicy(ctx, client, table, `{"Version": "2012-10-17"}`, aws.String("NO_POLICY"))
	require.NoError(t, err)
	require.NotEmpty(t, first, "expected a revision")
	if entry := last(t, proxy.Ledger()); !entry.Emulated || entry.Operation != "PutResourcePolicy" || len(entry.Tables) != 1 || entry.Tables[0] != table {
		t.Errorf("expected an emulated answer about %s on record, found %+v", table, entry)
	}
	got, err := client.GetResourcePolicy(ctx, &dynamodb.GetResourcePolicyInput{ResourceArn: arnOf(table)})
	if err != nil || aws.ToString(got.Policy) != `{"Version": "2012-10-17"}` || aws.ToString(got.RevisionId) != first {
		t.Errorf("expected the policy letter by letter with revision %s, found %+v, %v", first, got, err)
	}
	if same, err := putPolicy(ctx, client, table, `{"Version": "2012-10-17"}`, nil); err != nil || same != first {
		t.Errorf("expected the same policy to keep revision %s, found %s, %v", first, same, err)
	}
	second, err := putPolicy(ctx, client, table, `{}`, &first)
	require.NoError(t, err)
	assert.NotEqual(t, first, second, "expected another revision than %s", first)
	for name, wrong := range map[string]*string{"an old revision": &first, "no policy": aws.String("NO_POLICY")} {
		_, err := putPolicy(ctx, client, table, `{}`, wrong)
		assert.ErrorContains(t, err, "PolicyNotFoundException", "expected %s to be refused", name)
	}
	for policy, words := range map[string]string{`"text"`: "not a JSON object", `{"a": "` + strings.Repeat("b", maxResourcePolicy) + `"}`: "at most 20480"} {
		_, err := putPolicy(ctx, client, table, policy, nil)
		assert.ErrorContains(t, err, words)
		if entry := last(t, proxy.Ledger()); !entry.Emulated || entry.Status != 400 || entry.ErrorType != "ValidationException" {
			t.Errorf("expected an emulated refusal on record, found %+v", entry)
		}
	}
	gone, err := client.DeleteResourcePolicy(ctx, &dynamodb.DeleteResourcePolicyInput{ResourceArn: arnOf(table), ExpectedRevisionId: &second})
	require.NoError(t, err)
	assert.Equal(t, second, aws.ToString(gone.RevisionId), "expected revision %s to be deleted, found %+v, %v", second, gone, err)
	mustHaveNoPolicy(t, client, table)
	again, err := client.DeleteResourcePolicy(ctx, &dynamodb.DeleteResourcePolicyInput{ResourceArn: arnOf(table)})
	require.NoError(t, err)
	assert.Nil(t, again.RevisionId, "expected deleting what is not there to succeed without a revision, found %+v, %v", again, err)
}

func TestRevisionsDifferWithinAMillisecond(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	assert.Equal(t, "1767268800000", nextRevision(now, ""))
	assert.Equal(t, "1767268800001", nextRevision(now, "1767268800000"), "expected 1767268800000 and the next one")
}

func TestTimeToLiveIsSwitchedAsOnAWS(t *testing.T) {
	answer := timeToLive().answer
	var setting any
	must := func(status, attribute string) {
		t.Helper()
		_, answered := answer("DescribeTimeToLive", nil, setting)
		if found := answered.(map[string]any)["TimeToLiveDescription"].(map[string]string); found["TimeToLiveStatus"] != status || found["AttributeName"] != attribute {
			t.Errorf("expected %s by %q, found %+v", status, attribute, found)
		}
	}
	must("DISABLED", "")
	for _, step := range []struct{ attribute, enabled, problem, status, by string }{
		{"expiresAt", "false", "already disabled", "DISABLED", ""},
		{"expiresAt", "true", "", "ENABLED", "expiresAt"},
		{"expiresAt", "true", "already enabled", "ENABLED", "expiresAt"},
		{"other", "true", "different AttributeName", "ENABLED", "expiresAt"},
		{"other", "false", "different AttributeName", "ENABLED", "expiresAt"},
		{"expiresAt", "false", "", "DISABLED", ""},
	} {
		var answered any
		setting, answered = answer("UpdateTimeToLive", []byte(`{"TimeToLiveSpecification":{"AttributeName":"`+step.attribute+`","Enabled":`+step.enabled+`}}`), setting)
		problem, refused := answered.(refusal)
		assert.Equal(t, step.problem != "", refused, "%+v: found %q", step, answered)
		assert.Contains(t, problem.message, step.problem, "%+v: found %q", step, answered)
		must(step.status, step.by)
	}
}

// An engine such as dynalite describes TTL and cannot switch it: once the overlay has switched it, the engine's word that
// it is off would be wrong.
func TestOverlayThatHasAnsweredGoesOnAnswering(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: fakeEngine(t, map[string]said{
		"DescribeTimeToLive": {200, `{"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}}`},
		"UpdateTimeToLive":   {400, `{"__type":"com.amazon.coral.service#UnknownOperationException"}`},
	})})
	ask := func(operation, body string) (string, bool) {
		t.Helper()
		text, err := io.ReadAll(post(t, proxy.URL(), operation, body).Body)
		require.NoError(t, err)
		return string(text), last(t, proxy.Ledger()).Emulated
	}
	must := func(emulated bool, word string) {
		t.Helper()
		if text, found := ask("DescribeTimeToLive", `{"TableName":"t"}`); found != emulated || !strings.Contains(text, word) {
			t.Errorf("expected %s, emulated %t, found %s, %t", word, emulated, text, found)
		}
	}
	ask("CreateTable", `{"TableName":"t"}`)
	must(false, "DISABLED")
	const enable = `{"TableName":"t","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}}`
	if text, emulated := ask("UpdateTimeToLive", enable); !emulated || !strings.Contains(text, `"AttributeName":"ttl"`) {
		t.Errorf("expected the overlay to answer, found %s", text)
	}
	must(true, `"ENABLED"`)
	ask("DeleteTable", `{"TableName":"t"}`)
	ask("CreateTable", `{"TableName":"t"}`)
	must(false, "DISABLED")
}
