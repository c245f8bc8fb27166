package cloud

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
)

// metricsPeriod is the finest period of DynamoDB's metrics.
const metricsPeriod = time.Minute

// Metrics are those of DynamoDB in CloudWatch.
type Metrics struct{ Client *cloudwatch.Client }

// Successes returns the number of samples of SuccessfulRequestLatency.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
func (m Metrics) Successes(ctx context.Context, table, operation string, from, to time.Time) (int, error) {
	answer, err := m.Client.GetMetricStatistics(ctx, &cloudwatch.GetMetricStatisticsInput{
		Namespace: aws.String("AWS/DynamoDB"), MetricName: aws.String("SuccessfulRequestLatency"),
		Dimensions: []types.Dimension{
			{Name: aws.String("TableName"), Value: aws.String(table)}, {Name: aws.String("Operation"), Value: aws.String(operation)},
		},
		StartTime: aws.Time(from.Truncate(metricsPeriod)), EndTime: aws.Time(to.Add(metricsPeriod)), Period: aws.Int32(int32(metricsPeriod.Seconds())),
		Statistics: []types.Statistic{types.StatisticSampleCount},
	})
	if err != nil {
		return 0, err
	}
	total := 0.0
	for _, point := range answer.Datapoints {
		total += aws.ToFloat64(point.SampleCount)
	}
	return int(math.Round(total)), nil
}

// canaries are the operations whose figures tell that a table's metrics have
// arrived: the ledger knows how many there must be.
var canaries = []string{"GetItem", "PutItem", "Query"}

// CheckMetrics holds when the service counted exactly the scans that the ledger
// holds, on every table. An absence of figures says nothing: it counts only once
// the figures of other operations are complete.
func CheckMetrics(ctx context.Context, s *session.Session, observation *observe.Observation) {
	o := trailCheck{observation}
	if s.Metrics == nil {
		if s.Trail == nil {
			o.Note("no metrics of the service: the ledger is the one witness")
		}
		return
	}
	bounded, cancel := context.WithTimeout(ctx, s.Bounds.Metrics)
	defer cancel()
	sent := o.succeeded()
	for _, id := range slices.Sorted(maps.Keys(s.Deployment.Tables)) {
		table := s.Deployment.Tables[id]
		known := slices.DeleteFunc(slices.Clone(canaries), func(operation string) bool { return sent[table][operation] == 0 })
		if len(known) == 0 {
			o.Cannot(evidence.Indeterminate, "table %s: no GetItem, PutItem or Query was sent to it, so that an absence of figures in CloudWatch says nothing", id)
			continue
		}
		if !o.arrived(bounded, id, table, known, sent[table]) {
			continue
		}
		scans, err := s.Metrics(ctx, table, "Scan", s.Opened, time.Now())
		if err != nil {
			o.Cannot(evidence.Indeterminate, "CloudWatch, table %s: %v", id, err)
			continue
		}
		if scans < sent[table]["Scan"] {
			o.Cannot(evidence.Indeterminate, "CloudWatch, table %s: %d of the ledger's %d scans counted so far", id, scans, sent[table]["Scan"])
			continue
		}
		o.Equal("CloudWatch, table "+id+", successful scans in the run's window", fmt.Sprint(sent[table]["Scan"]), fmt.Sprint(scans),
			remedy.TraceScan)
	}
}

// arrived waits until CloudWatch has counted at least what the ledger holds.
func (o trailCheck) arrived(ctx context.Context, id, table string, operations []string, sent map[string]int) bool {
	for {
		var late []string
		for _, operation := range operations {
			counted, err := o.Session.Metrics(ctx, table, operation, o.Session.Opened, time.Now())
			if err != nil && ctx.Err() == nil {
				o.Cannot(evidence.Indeterminate, "CloudWatch, table %s: %v", id, err)
				return false
			}
			if counted < sent[operation] {
				late = append(late, fmt.Sprintf("%d of %d %s", counted, sent[operation], operation))
			}
		}
		if len(late) == 0 && ctx.Err() == nil {
			return true
		}
		o.Session.Waiting(ctx, fmt.Sprintf("CloudWatch's figures of table %s (%s)", id, strings.Join(late, ", ")))
		if batch.Pause(ctx, o.Session.Bounds.Poll, 0) != nil {
			o.Cannot(evidence.Indeterminate, "CloudWatch, table %s: after %s its figures were not complete (%s), so that an absence of scans says nothing yet",
				id, o.Session.Bounds.Metrics, strings.Join(late, ", "))
			return false
		}
	}
}

// succeeded counts the ledger's successful requests by table and operation.
func (o trailCheck) succeeded() map[string]map[string]int {
	counts := map[string]map[string]int{}
	for _, entry := range o.Session.Replayed() {
		if entry.Status == 200 && len(entry.Tables) == 1 {
			lists.Inner(counts, entry.Tables[0])[entry.Operation]++
		}
	}
	return counts
}
