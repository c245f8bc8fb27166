// Package trail reads what a trail of CloudTrail delivered to a log group of
// CloudWatch Logs: who sent which request to DynamoDB, and when. It decides nothing.
//
// DynamoDB's data events (Query, Scan, PutItem, PartiQL) are not in CloudTrail's
// event history, so LookupEvents does not know them, and CloudTrail Lake takes no new
// customers. A trail writes them only when its event selectors ask for
// AWS::DynamoDB::Table. Those that log writes alone leave every Scan out, and those
// that log reads alone every PartiQL statement, which is logged as a write. Events above 256 KB are not sent to CloudWatch Logs, and all come some minutes late. So
// that a record is not there says nothing by itself: look for one that must be there.
//
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/logging-using-cloudtrail.html
// https://docs.aws.amazon.com/awscloudtrail/latest/userguide/logging-data-events-with-cloudtrail.html
// https://docs.aws.amazon.com/awscloudtrail/latest/userguide/send-cloudtrail-events-to-cloudwatch-logs.html
// https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-lake-service-availability-change.html
package trail

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"
	"github.com/aws/smithy-go"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/internal/wire"
)

// Logs is the log group of a trail.
type Logs struct {
	client *cloudwatchlogs.Client
	group  Group
}

// New returns a log group that a client reads.
func New(client *cloudwatchlogs.Client, group Group) *Logs { return &Logs{client, group} }

// Group is the group's name or ARN, as it was given.
func (l *Logs) Group() string { return l.group.Name }

// unkeyed are the operations that read, or may read, without a key: Scan, every
// PartiQL operation, and the export of a whole table, which is a management event.
var unkeyed = append(wire.Keyless(), "ExportTableToPointInTime")

// Unkeyed returns the records, from a moment on, of requests that read without a key:
// Scan, PartiQL and exports of whole tables, of all tables and by whomever. The
// records that could be read are returned beside an error about others.
//
// The service is asked for operations alone and never for tables: a table may be
// named in several ways, and a record that a filter leaves out is one that nobody
// misses.
func (l *Logs) Unkeyed(ctx context.Context, since time.Time) ([]Record, error) {
	var found []Record
	err := l.read(ctx, "{ "+ofDynamoDB+" && ("+anyOf("$.eventName", unkeyed)+") }", since, unkeyed, func(record Record) bool {
		found = append(found, record)
		return true
	})
	return found, err
}

// Keyed hands the records of operations by key on a table over, from a moment on,
// until no more are wanted. BatchWriteItem, which names its tables otherwise, is handed
// over for all tables.
func (l *Logs) Keyed(ctx context.Context, table string, operations []string, since time.Time, more func(Record) bool) error {
	single := slices.DeleteFunc(slices.Clone(operations), func(operation string) bool { return operation == batchWrite })
	of := `(($.requestParameters.tableName = "*` + table + `") && (` + anyOf("$.eventName", single) + "))"
	if len(single) < len(operations) {
		of = "(" + of + " || " + anyOf("$.eventName", []string{batchWrite}) + ")"
	}
	return l.read(ctx, "{ "+ofDynamoDB+" && "+of+" }", since, operations, more)
}

const batchWrite = "BatchWriteItem"

// Filter patterns for JSON.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
const ofDynamoDB = `($.eventSource = "` + source + `")`

func anyOf(selector string, values []string) string {
	parts := lists.Map(values, func(value string) string { return "(" + selector + ` = "` + value + `")` })
	return strings.Join(parts, " || ")
}

// early is how much sooner than asked for the group is searched: the time of a log
// event is the service's, and that of the run is this machine's.
const early = time.Minute

// read goes through all pages. The time of a log event is when the event happened or
// when it was delivered, so that no end is asked for, and callers look at the time in
// the record. What the filter lets through beside what was asked for is left out here:
// an endpoint may know no filter patterns.
// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
func (l *Logs) read(ctx context.Context, pattern string, since time.Time, operations []string, more func(Record) bool) error {
	input := &cloudwatchlogs.FilterLogEventsInput{FilterPattern: aws.String(pattern), StartTime: aws.Int64(since.Add(-early).UnixMilli())}
	if l.group.Account != "" {
		input.LogGroupIdentifier = aws.String(l.group.Name)
	} else {
		input.LogGroupName = aws.String(l.group.Name)
	}
	count, first := 0, error(nil) // of log events that are no records
	unread := func() error {
		if count == 0 {
			return nil
		}
		return fmt.Errorf("expected CloudTrail records, found %d log events that are none (%w): name the group to which the trail alone writes", count, first)
	}
	pages := cloudwatchlogs.NewFilterLogEventsPaginator(l.client, input)
	for pages.HasMorePages() { // a page may be empty and not the last
		page, err := pages.NextPage(ctx)
		if err != nil {
			return errors.Join(l.explain(err), unread())
		}
		for _, event := range page.Events {
			record, err := parse(aws.ToString(event.Message))
			if err != nil {
				if count++; first == nil {
					first = fmt.Errorf("event %s in stream %s: %w", aws.ToString(event.EventId), aws.ToString(event.LogStreamName), err)
				}
				continue
			}
			if record != nil && slices.Contains(operations, record.Operation) && !more(*record) {
				return unread()
			}
		}
	}
	return unread()
}

// explain says what to do about the errors that have a remedy.
func (l *Logs) explain(err error) error {
	var missing *types.ResourceNotFoundException
	var answer smithy.APIError
	switch {
	case errors.As(err, &missing):
		return fmt.Errorf("no such log group in this region: name the group to which the trail delivers, by its ARN where it is in another region (%s)", missing.ErrorMessage())
	case errors.As(err, &answer) && strings.Contains(answer.ErrorCode(), "AccessDenied"):
		return fmt.Errorf("not allowed to read it: allow logs:FilterLogEvents on the group, as `dynaproof audit --policy --cloudtrail-logs` prints (%s)", answer.ErrorMessage())
	}
	return err
}

// Group is a log group of CloudWatch Logs. A trail of several regions or accounts
// writes to one group in its home region, which an ARN names.
type Group struct {
	// Name is the group's name, or its ARN without the ":*" that lists show.
	Name string
	// Region and Account are those of the ARN; empty for a name, which is looked for
	// where the tables are.
	Region, Account string
}

// groupForm is the form of names of log groups.
// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
var groupForm = regexp.MustCompile(`^[.\-_/#A-Za-z0-9]{1,512}$`)

// ParseGroup reads a log group's name or ARN.
func ParseGroup(text string) (Group, error) {
	wrong := fmt.Errorf("expected the name of a log group, such as aws-cloudtrail-logs, or its ARN, found %q", text)
	if !arn.IsARN(text) {
		if !groupForm.MatchString(text) {
			return Group{}, wrong
		}
		return Group{Name: text}, nil
	}
	text = strings.TrimSuffix(text, ":*")
	parsed, err := arn.Parse(text)
	name, isGroup := strings.CutPrefix(parsed.Resource, "log-group:")
	if err != nil || parsed.Service != "logs" || !isGroup || !groupForm.MatchString(name) || parsed.Region == "" || parsed.AccountID == "" {
		return Group{}, wrong
	}
	return Group{Name: text, Region: parsed.Region, Account: parsed.AccountID}, nil
}

// Resource is the ARN by which a policy names the group: IAM wants it with ":*".
// Region and account are those of the group's ARN, where it was given by its ARN.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/iam-access-control-overview-cwl.html
func (g Group) Resource(region, account string) string {
	if g.Account != "" {
		return g.Name + ":*"
	}
	return "arn:aws:logs:" + region + ":" + account + ":log-group:" + g.Name + ":*"
}
