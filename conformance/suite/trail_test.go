package suite_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/test/standin"
	"dynaproof/conformance/internal/trail"
)

// search is the answer to one search: pages of messages, or an error code of the service.
type search struct {
	Pages [][]string
	Error string
}

// asked is what a client asked for.
type asked struct {
	LogGroupName, LogGroupIdentifier, FilterPattern, NextToken string
	StartTime                                                  int64
}

// serve stands in for CloudWatch Logs, and notes what it is asked, page by page. The first search gets the first answer, and so on; all
// searches after the last answer get the last. Like some engines it knows no filter patterns, and returns everything.
func serve(t *testing.T, searches ...search) (client *cloudwatchlogs.Client, requests *[]asked) {
	t.Helper()
	begun, requests := 0, &[]asked{}
	service := standin.Service(func(w http.ResponseWriter, operation, text string) {
		var of asked
		require.NoError(t, json.Unmarshal([]byte(text), &of))
		require.Equal(t, "FilterLogEvents", operation)
		*requests = append(*requests, of)
		if of.NextToken == "" {
			begun++
		}
		page, _ := strconv.Atoi(of.NextToken)
		answer := searches[min(begun, len(searches))-1]
		if answer.Error != "" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"__type": %q, "message": "said the service"}`, answer.Error)
			return
		}
		found := map[string]any{"events": []any{}}
		if page < len(answer.Pages) {
			events := []map[string]any{}
			for i, message := range answer.Pages[page] {
				events = append(events, map[string]any{"eventId": fmt.Sprintf("%d-%d", page, i), "logStreamName": "stream-1", "message": message, "timestamp": 1})
			}
			found["events"] = events
		}
		if page+1 < len(answer.Pages) {
			found["nextToken"] = strconv.Itoa(page + 1)
		}
		assert.NoError(t, json.NewEncoder(w).Encode(found))
	})
	return cloudwatchlogs.New(cloudwatchlogs.Options{
		HTTPClient: &http.Client{Transport: service}, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""), RetryMaxAttempts: 1,
	}), requests
}

// The records are written by hand after AWS's examples.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/understanding-ddb-log-entries.html
const (
	resources = `"resources": [{"accountId": "111122223333", "type": "AWS::DynamoDB::Table", "ARN": "arn:aws:dynamodb:us-west-2:111122223333:table/Music"}], `
	rest      = `"eventVersion": "1.08", "eventTime": "2026-03-03T23:06:45Z", "eventSource": "dynamodb.amazonaws.com", "awsRegion": "us-west-2",
		"sourceIPAddress": "192.0.2.0", "responseElements": null, "eventType": "AwsApiCall", "apiVersion": "2012-08-10",
		"managementEvent": false, "recipientAccountId": "111122223333", "eventCategory": "Data"}`
	bob    = `{"userIdentity": {"type": "AssumedRole", "principalId": "AKIAIOSFODNN7EXAMPLE:bob", "arn": "arn:aws:sts::111122223333:assumed-role/users/bob", "accountId": "111122223333"}, `
	scan   = bob + resources + `"eventName": "Scan", "requestID": "R1", "eventID": "e1", "readOnly": true, "requestParameters": {"tableName": "Music", "limit": 25, "returnConsumedCapacity": "TOTAL"}, ` + rest
	ofS3   = `{"eventSource": "s3.amazonaws.com", "eventName": "GetObject", "requestParameters": "a text", "requestID": "R9"}`
	failed = bob + resources + `"eventName": "Scan", "errorCode": "AccessDenied", "requestID": "R2", "eventID": "e2", "requestParameters": null, ` + rest
)

var (
	seconds = time.Date(2026, 3, 3, 23, 6, 45, 0, time.UTC)
	music   = trail.Table{Account: "111122223333", Region: "us-west-2", Name: "Music"}
	asBob   = "arn:aws:sts::111122223333:assumed-role/users/bob"
)

func group(t *testing.T, text string) trail.Group {
	t.Helper()
	return tabletest.Must(trail.ParseGroup(text))(t)
}

// A record tells who did what to which table, in each of the forms that it may have.
func TestRecords(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Change string // what jq makes of the record of a scan
		Want         map[string]any
	}](t, "records.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			message := tabletest.Must(json.Marshal(tabletest.JQ(t, row.Change, json.RawMessage(scan))))(t)
			client, _ := serve(t, search{Pages: [][]string{{string(message)}}})
			found := tabletest.Must(trail.New(client, group(t, "trail")).Unkeyed(t.Context(), seconds))(t)
			want := trail.Record{ID: "e1", Request: "R1", Time: seconds, Operation: "Scan", Principal: asBob, Tables: []trail.Table{music}, Statements: found[0].Statements}
			require.NoError(t, json.Unmarshal(tabletest.Must(json.Marshal(row.Want))(t), &want))
			assert.Empty(t, cmp.Diff([]trail.Record{want}, found), "record (-want +got)")
		})
	}
}

// All pages are read, empty ones too; operations that were not asked for and records
// of other services are left out, whatever the service lets through.
func TestPages(t *testing.T) {
	client, requests := serve(t, search{Pages: [][]string{{ofS3, scan}, {}, {strings.Replace(scan, `"Scan"`, `"Query"`, 1)}, {failed}}})
	found, err := trail.New(client, group(t, "trail")).Unkeyed(t.Context(), seconds)
	assert.True(t, err == nil && len(found) == 2 && found[0].ID == "e1" && found[1].ID == "e2", "expected the records e1 and e2 of four pages, found %+v, %v", found, err)
	require.Len(t, *requests, 4, "expected four pages")
	want := asked{
		LogGroupName: "trail", StartTime: 1772579145000, // a minute before
		FilterPattern: `{ ($.eventSource = "dynamodb.amazonaws.com") && (($.eventName = "Scan") || ($.eventName = "ExecuteStatement") || ($.eventName = "BatchExecuteStatement") || ($.eventName = "ExecuteTransaction") || ($.eventName = "ExportTableToPointInTime")) }`,
	}
	assert.Empty(t, cmp.Diff(want, (*requests)[0]), "first request (-want +got)")
}

// The search for what must be there names the table, and ends when enough is seen.
func TestKeyed(t *testing.T) {
	query := strings.Replace(scan, `"Scan"`, `"Query"`, 1)
	client, requests := serve(t, search{Pages: [][]string{{scan, query}, {query}}})
	logs := trail.New(client, group(t, "arn:aws:logs:eu-west-1:111122223333:log-group:trail:*"))
	seen := 0
	err := logs.Keyed(t.Context(), "Music", []string{"GetItem", "Query"}, seconds, func(record trail.Record) bool {
		seen++
		return record.Operation != "Query"
	})
	require.NoError(t, err, "expected one Query")
	assert.Equal(t, 1, seen, "expected one Query")
	err = logs.Keyed(t.Context(), "Music", []string{"PutItem", "BatchWriteItem"}, seconds, func(trail.Record) bool { return false })
	assert.NoError(t, err)
	const of = "arn:aws:logs:eu-west-1:111122223333:log-group:trail"
	want := []asked{
		{LogGroupIdentifier: of, StartTime: 1772579145000, FilterPattern: `{ ($.eventSource = "dynamodb.amazonaws.com") && (($.requestParameters.tableName = "*Music") && (($.eventName = "GetItem") || ($.eventName = "Query"))) }`},
		{LogGroupIdentifier: of, StartTime: 1772579145000, FilterPattern: `{ ($.eventSource = "dynamodb.amazonaws.com") && ((($.requestParameters.tableName = "*Music") && (($.eventName = "PutItem"))) || ($.eventName = "BatchWriteItem")) }`},
		{LogGroupIdentifier: of, StartTime: 1772579145000, NextToken: "1", FilterPattern: `{ ($.eventSource = "dynamodb.amazonaws.com") && ((($.requestParameters.tableName = "*Music") && (($.eventName = "PutItem"))) || ($.eventName = "BatchWriteItem")) }`},
	}
	assert.Empty(t, cmp.Diff(want, *requests), "requests (-want +got)")
}

// What could not be read is said, beside what could.
func TestUnreadable(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name     string
		Messages []string
		From, To string // in the record of a scan, which <scan> is
		Error    string // of the service
		Seen     int
		Words    []string
	}](t, "unreadable.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			var messages []string
			for _, message := range row.Messages {
				messages = append(messages, strings.Replace(message, "<scan>", strings.Replace(scan, row.From, row.To, 1), 1))
			}
			client, _ := serve(t, search{Pages: [][]string{messages}, Error: row.Error})
			found, err := trail.New(client, group(t, "trail")).Unkeyed(t.Context(), seconds)
			require.Error(t, err)
			assert.Len(t, found, row.Seen)
			for _, word := range row.Words {
				assert.ErrorContains(t, err, word)
			}
		})
	}
}

// A group is named by its name or its ARN, and nothing else.
func TestParseGroup(t *testing.T) {
	const full = "arn:aws:logs:eu-west-1:111122223333:log-group:a/b"
	for text, resource := range map[string]string{
		"aws-cloudtrail-logs/x": "arn:aws:logs:us-east-1:999988887777:log-group:aws-cloudtrail-logs/x:*",
		full:                    full + ":*",
		full + ":*":             full + ":*",
	} {
		assert.Equal(t, resource, group(t, text).Resource("us-east-1", "999988887777"), "%s: expected the resource %s", text, resource)
	}
	for _, text := range []string{"", "a b", "arn:aws:s3:::bucket", "arn:aws:logs:eu-west-1::log-group:a", "arn:aws:logs:eu-west-1:111122223333:log-group:a:log-stream:b"} {
		found, err := trail.ParseGroup(text)
		assert.ErrorContains(t, err, "expected the name of a log group", "%q: expected it to be refused, found %+v, %v", text, found, err)
	}
}
