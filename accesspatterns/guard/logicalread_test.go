package guard_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/commitcollect"
	"dynaproof/accesspatterns/fusmain"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/rollmodel"
	"dynaproof/accesspatterns/tabletest"
)

func mustRefuse(t *testing.T, err error, rule guard.Rule) {
	t.Helper()
	var refusal *guard.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, rule, refusal.Rule, "expected a refusal by rule %s", rule)
}

// full answers with a page that inspected n items and is not the last.
func full(n int) *transport {
	return answering(fmt.Sprintf(`{"Items":[],"Count":%d,"ScannedCount":%d,"LastEvaluatedKey":{"PK":{"S":"USER#secret-id"},"SK":{"S":"WORKOUT#STRAVA#9"}}}`, n, n))
}

func commitClient(wire *transport, roles ...string) *dynamodb.Client {
	if len(roles) == 0 {
		roles = []string{"user"}
	}
	return newClient(wire, guard.Enforce(commitcollect.Design(), guard.ForRole(roles...)))
}

func TestBudgetOverAllPages(t *testing.T) {
	client := commitClient(full(1000))
	ctx, read := guard.NewRead(t.Context())
	var start values
	for page := range 3 {
		out, err := client.Query(ctx, workouts(limited(1000), func(q *dynamodb.QueryInput) { q.ExclusiveStartKey = start }))
		require.NoError(t, err, "page %d", page+1)
		start = out.LastEvaluatedKey
	}
	assert.Equal(t, int32(3000), read.Inspected())
	assert.Zero(t, read.Remaining(), "expected 3000 inspected and none left")
	_, err := client.Query(ctx, workouts(limited(1), func(q *dynamodb.QueryInput) { q.ExclusiveStartKey = start }))
	mustRefuse(t, err, guard.RuleBudget)
	// The budget belongs to the read, so that beginning again does not renew it.
	_, err = client.Query(ctx, workouts(limited(1)))
	mustRefuse(t, err, guard.RuleBudget)
	another, _ := guard.NewRead(t.Context())
	_, err = client.Query(another, workouts())
	assert.NoError(t, err, "expected another logical read to have its own budget")
}

func TestBudgetCountsWhatWasInspected(t *testing.T) {
	client := commitClient(full(10)) // a page may end before its Limit
	ctx, read := guard.NewRead(t.Context())
	out := tabletest.Must(client.Query(ctx, workouts()))(t)
	assert.Equal(t, int32(2990), read.Remaining(), "expected 2990 left")
	_, err := client.Query(ctx, workouts(limited(2991), func(q *dynamodb.QueryInput) { q.ExclusiveStartKey = out.LastEvaluatedKey }))
	mustRefuse(t, err, guard.RuleBudget)
	_, err = client.Query(ctx, workouts(limited(2990), func(q *dynamodb.QueryInput) { q.ExclusiveStartKey = out.LastEvaluatedKey }))
	assert.NoError(t, err)
}

// TestBudgetCannotBeRenewed goes on, in a new logical read, from where another
// one stopped, which would give every page a budget of its own.
func TestBudgetCannotBeRenewed(t *testing.T) {
	client := commitClient(full(3000))
	ctx, _ := guard.NewRead(t.Context())
	out := tabletest.Must(client.Query(ctx, workouts()))(t)
	further := workouts(func(q *dynamodb.QueryInput) { q.ExclusiveStartKey = out.LastEvaluatedKey })
	another, _ := guard.NewRead(t.Context())
	_, err := client.Query(another, further)
	mustRefuse(t, err, guard.RuleBudget)
}

// TestBudgetGoesOnWhereItStopped skips ahead within one logical read.
func TestBudgetGoesOnWhereItStopped(t *testing.T) {
	client := commitClient(full(10))
	ctx, _ := guard.NewRead(t.Context())
	tabletest.Must(client.Query(ctx, workouts()))(t)
	_, err := client.Query(ctx, workouts(limited(10), func(q *dynamodb.QueryInput) { q.ExclusiveStartKey = keyOf("USER#secret-id", "WORKOUT#STRAVA#99") }))
	mustRefuse(t, err, guard.RuleBudget)
}

func TestFailedPageCountsForNothing(t *testing.T) {
	client := commitClient(answering(`{"ScannedCount":`)) // no answer that can be read
	ctx, read := guard.NewRead(t.Context())
	_, err := client.Query(ctx, workouts(), func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	require.Error(t, err, "expected the answer to be unreadable")
	assert.Zero(t, read.Inspected())
	assert.Equal(t, int32(3000), read.Remaining(), "expected 0 inspected and 3000 left")
}

// TestBudgetUnderConcurrency sends many first pages of one logical read at once:
// together they must not inspect more than the budget.
func TestBudgetUnderConcurrency(t *testing.T) {
	for range 50 {
		wire := full(100)
		client := commitClient(wire)
		ctx, read := guard.NewRead(t.Context())
		var group sync.WaitGroup
		for range 64 {
			group.Go(func() {
				_, err := client.Query(ctx, workouts(limited(100)))
				assert.True(t, err == nil || errors.Is(err, guard.ErrRefused), "%v", err)
			})
		}
		group.Wait()
		require.Equal(t, int64(30), wire.sent.Load())
		require.Equal(t, int32(3000), read.Inspected(), "expected 30 pages of 100 items")
	}
}

// TestShapeOfABudgetedRead: account deletion lists workouts with the same request
// and without a budget. It must say that it is account deletion.
func TestShapeOfABudgetedRead(t *testing.T) {
	client := commitClient(full(1))
	unbounded := workouts(func(q *dynamodb.QueryInput) { q.Limit = nil })
	_, err := client.Query(t.Context(), unbounded)
	mustRefuse(t, err, guard.RuleLimit)
	ctx, _ := guard.NewRead(t.Context(), "delete-account")
	_, err = client.Query(ctx, unbounded)
	assert.NoError(t, err, "expected account deletion to pass")
	ctx, _ = guard.NewRead(t.Context(), "list-milestones-with-awards")
	_, err = client.Query(ctx, workouts())
	mustRefuse(t, err, guard.RuleOperation)
}

func TestPartitionsOfOneRead(t *testing.T) {
	month := func(yyyymm string) *dynamodb.QueryInput {
		return query("CommitCollectAudit", "GSI2PK = :p", "EVENT#login#"+yyyymm, "", on("GSI2"), projected("PK, SK, GSI1PK, GSI2PK"))
	}
	client := commitClient(answering(`{}`), "operator")
	ctx, _ := guard.NewRead(t.Context())
	tabletest.Must(client.Query(ctx, month("202601")))(t)
	tabletest.Must(client.Query(ctx, month("202601")))(t) // a further page
	_, err := client.Query(ctx, month("202602"))
	mustRefuse(t, err, guard.RulePartitions)

	// A range of days is documented as one Query for each of at most 31 days.
	squash := newClient(answering(`{}`), guard.Enforce(fusmain.Design(), guard.ForRole("manager")))
	day := func(ctx context.Context, n int) error {
		q := query("fus-main", "squashDate = :p", fmt.Sprintf("2026-01-%02d", n), "", on("bySquashDate"))
		q.FilterExpression = aws.String("entityType = :m")
		q.ExpressionAttributeValues[":m"] = text("SQUASH_MATCH")
		_, err := squash.Query(ctx, q)
		return err
	}
	ctx, _ = guard.NewRead(t.Context(), "members-matches-by-date-range")
	for n := range 31 {
		require.NoError(t, day(ctx, n+1), "day %d", n+1)
	}
	mustRefuse(t, day(ctx, 32), guard.RulePartitions)
	ctx, _ = guard.NewRead(t.Context(), "members-matches-by-date")
	require.NoError(t, day(ctx, 1))
	mustRefuse(t, day(ctx, 2), guard.RulePartitions)
}

func TestOneTableInOneRead(t *testing.T) {
	both := commitClient(answering(`{}`), "user", "operator")
	mixed, _ := guard.NewRead(t.Context())
	trail := query("CommitCollectAudit", "PK = :p", "USER#secret-id", "", projected("PK, SK, GSI1PK, GSI2PK"))
	tabletest.Must(both.Query(mixed, trail))(t)
	_, err := both.Query(mixed, workouts())
	mustRefuse(t, err, guard.RulePartitions)

	client := newClient(answering(`{}`), guard.Enforce(rollmodel.Design(), guard.ForRole("athlete")))
	ctx, _ := guard.NewRead(t.Context())
	tabletest.Must(client.Query(ctx, query("RollModel", prefix, "USER#a", "ENTRY#")))(t)
	_, err = client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("RollModel"), Key: keyOf("ENTRY#e", "META")})
	assert.NoError(t, err, "expected a GetItem to be no page")
}

// TestCheckCountsNothing judges the same page twice as often as the budget
// allows, and another partition, without a trace in the account.
func TestCheckCountsNothing(t *testing.T) {
	g := tabletest.Must(guard.New(commitcollect.Design(), guard.ForRole("user")))(t)
	ctx, read := guard.NewRead(t.Context())
	for _, user := range []string{"USER#a", "USER#b"} {
		decision, err := g.Check(ctx, workouts(func(q *dynamodb.QueryInput) { q.ExpressionAttributeValues[":p"] = text(user) }))
		require.True(t, err == nil && decision.Pattern == "list-workouts" && decision.Step == "read", "expected list-workouts, found %+v and %v", decision, err)
	}
	assert.Zero(t, read.Inspected())
	assert.Zero(t, read.Remaining(), "expected an untouched account")
	_, err := g.Check(ctx, workouts(limited(3001)))
	mustRefuse(t, err, guard.RuleLimit)
}
