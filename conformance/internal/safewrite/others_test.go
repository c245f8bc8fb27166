package safewrite_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/test/tables"
)

// ready is a scene in which the run has written item a.
func ready(t *testing.T) *scene {
	t.Helper()
	s := begun(t, "a")
	require.NoError(t, s.ways("a")["PutItem"](t.Context()))
	return s
}

// addedByThem adds an attribute to the run's item.
func (s *scene) addedByThem(t *testing.T) accesspatterns.Item {
	t.Helper()
	_, err := s.theirs.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: aws.String(s.table), Key: key("a"), UpdateExpression: aws.String("SET theirs = :t"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":t": text("precious")}})
	require.NoError(t, err)
	held := item("a", "ours")
	held["theirs"] = text("precious")
	return held
}

// Who adds an attribute to an item of the run keeps it, with the item, in every way of
// writing: a condition cannot say that there is no further attribute, a read can.
func TestAddedAttributeStays(t *testing.T) {
	for name := range newScene(t).ways("a") {
		t.Run(name, func(t *testing.T) {
			s := ready(t)
			want := s.addedByThem(t)
			refusedSafely(t, s.ways("a")[name](t.Context()), "somebody else wrote")
			s.holds(t, "a", want)
		})
	}
}

// Between the read and the write the condition protects every attribute that the run
// wrote, also where the caller has a condition of its own, whose failure it would look
// like.
func TestWrittenBetweenReadAndWrite(t *testing.T) {
	ways := func(s *scene) map[string]func(context.Context) error {
		all, exists := s.ways("a"), aws.String("attribute_exists(pk)")
		all["PutItem with a condition"] = s.sending(&dynamodb.PutItemInput{TableName: aws.String(s.table), Item: item("a", "new"), ConditionExpression: exists})
		all["Put in a transaction with a condition"] = s.sending(&dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: aws.String(s.table), Item: item("a", "new"), ConditionExpression: exists}},
		}})
		return all
	}
	for name := range ways(newScene(t)) {
		t.Run(name, func(t *testing.T) {
			s := ready(t)
			s.onRead = func() { s.onRead = nil; s.writtenByThem(t, item("a", "theirs")) }
			refusedSafely(t, ways(s)[name](t.Context()), "somebody else wrote")
			s.holds(t, "a", item("a", "theirs"))
		})
	}
	// The failure of the caller's own condition stays the caller's.
	s := ready(t)
	_, err := s.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(s.table), Item: item("a", "new"), ConditionExpression: aws.String("attribute_not_exists(pk)")})
	var refusal *safewrite.Refusal
	var failed *types.ConditionalCheckFailedException
	require.NotErrorAs(t, err, &refusal)
	assert.ErrorAs(t, err, &failed, "expected the caller's condition to fail")
}

// A condition check on an item that somebody else wrote tells nothing of the run's.
func TestConditionCheckOnTheirs(t *testing.T) {
	s := ready(t)
	s.protection.Free(s.table, key("b"))
	s.writtenByThem(t, item("b", "theirs"))
	for _, id := range []string{"b", "never looked at"} {
		refusedSafely(t, s.sending(&dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{ConditionCheck: &types.ConditionCheck{TableName: aws.String(s.table), Key: key(id), ConditionExpression: aws.String("attribute_exists(pk)")}},
			{Delete: &types.Delete{TableName: aws.String(s.table), Key: key("a")}},
		}})(t.Context()), "")
	}
	s.holds(t, "a", item("a", "ours"))
}

// silent is an engine that takes a request and never answers.
type silent struct{ body []byte }

func (s *silent) Do(request *http.Request) (*http.Response, error) {
	s.body, _ = io.ReadAll(request.Body) // what cannot be read is no item
	<-request.Context().Done()
	return nil, request.Context().Err()
}

// An engine that never answers is left when the longest wait for an answer is over, and what was sent to it is in doubt. The
// clock is the bubble's own: it stands still while an engine that answers is waited for.
func TestHungEngineIsLeft(t *testing.T) {
	url := tables.Engine(t)
	synctest.Test(t, func(t *testing.T) {
		s := sceneAt(t, url)
		s.protection.Free(s.table, key("a"))
		s.protection.Begin()
		hung := &silent{}
		client := dynamodb.New(s.client.Options(), func(o *dynamodb.Options) { o.HTTPClient = hung })
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(s.table), Item: item("a", "lost")})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Len(t, s.journal.announce, 1)
		assert.Empty(t, s.journal.settled, "expected the write to be announced and not settled")
		// Whether it landed or not, the run goes on from what is there.
		var body struct{ Item json.RawMessage }
		require.NoError(t, json.Unmarshal(hung.body, &body))
		landed, err := attributevalue.UnmarshalMapJSON(body.Item)
		require.NoError(t, err)
		s.writtenByThem(t, landed)
		assert.NoError(t, s.ways("a")["UpdateItem"](t.Context()), "expected what may have landed to be taken for the run's")
		s.holds(t, "a", item("a", "ours"))
	})
}

// The interrupt of the caller does not give a write up that was begun.
func TestBegunWriteIsWaitedFor(t *testing.T) {
	s := ready(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.journal.onAnnounce = cancel
	assert.NoError(t, s.ways("a")["DeleteItem"](ctx), "expected the deletion to be carried out")
	s.holds(t, "a", nil)
}

// No item of the run is written where others would read it: neither by a put, nor by an
// update that leads there or away from there.
func TestNothingShowsWhereOthersRead(t *testing.T) {
	s := newScene(t)
	for _, id := range []string{"a", "b"} {
		s.protection.Free(s.table, key(id))
	}
	s.protection.Partition(s.table, "groups", text("theirs"), true)
	s.protection.Partition(s.table, "", text("b"), true)
	s.protection.Begin()
	require.NoError(t, s.ways("a")["PutItem"](t.Context()))
	sent := len(s.sent.writes())
	for _, group := range []string{"everybody", "theirs"} {
		shown := item("a", "x")
		shown["group"] = text(group)
		update := &types.Update{TableName: aws.String(s.table), Key: key("a"), UpdateExpression: aws.String("SET #g = :g"), ExpressionAttributeNames: map[string]string{"#g": "group"}, ExpressionAttributeValues: map[string]types.AttributeValue{":g": text(group)}}
		for name, input := range map[string]any{
			"put":         &dynamodb.PutItemInput{TableName: aws.String(s.table), Item: shown},
			"update":      &dynamodb.UpdateItemInput{TableName: update.TableName, Key: update.Key, UpdateExpression: update.UpdateExpression, ExpressionAttributeNames: update.ExpressionAttributeNames, ExpressionAttributeValues: update.ExpressionAttributeValues},
			"transaction": &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Update: update}}},
		} {
			t.Run(name+" into "+group, func(t *testing.T) { refusedSafely(t, s.sending(input)(t.Context()), "would show in partition") })
		}
	}
	refusedSafely(t, s.ways("b")["PutItem"](t.Context()), "holds items of others")
	refusedSafely(t, s.query(t, "groups", "everybody", ""), "everybody reads")
	if writes := s.sent.writes(); len(writes) != sent {
		t.Errorf("expected nothing to be sent, found %v", writes[sent:])
	}
	// What is left out is not asked for either.
	left := item("a", "x")
	left["group"] = text("everybody")
	s.protection.Withhold(s.table, left, "nobody may see it")
	refusedSafely(t, s.ways("a")["UpdateItem"](t.Context()), "nobody may see it")
	refusedSafely(t, s.query(t, "", "a", ""), "lacks an item of the run")
	refusedSafely(t, s.sending(&dynamodb.GetItemInput{TableName: aws.String(s.table), Key: key("a")})(t.Context()), "nobody may see it")
}

func (s *scene) query(t *testing.T, index, value, projection string) error {
	t.Helper()
	input := &dynamodb.QueryInput{TableName: aws.String(s.table), KeyConditionExpression: aws.String("#p = :p"), ExpressionAttributeNames: map[string]string{"#p": "pk"}, ExpressionAttributeValues: map[string]types.AttributeValue{":p": text(value)}}
	if index != "" {
		input.IndexName, input.ExpressionAttributeNames["#p"] = aws.String(index), "group"
	}
	if projection != "" {
		input.ProjectionExpression, input.ExpressionAttributeNames["#v"] = aws.String(projection), "value"
	}
	return s.sending(input)(t.Context())
}

// An item that somebody writes during the run, into a partition that was free before it,
// makes the answers that it is in be of no use, however the request hides it.
func TestLateItems(t *testing.T) {
	s := newScene(t)
	s.protection.Free(s.table, key("a"))
	s.protection.Partition(s.table, "groups", text("g-a"), false)
	s.protection.Partition(s.table, "", text("a"), false)
	s.protection.Begin()
	require.NoError(t, s.ways("a")["PutItem"](t.Context()))
	for _, projection := range []string{"", "#v"} {
		require.NoError(t, s.query(t, "groups", "g-a", projection), "expected the run's own partition to be read")
	}
	late := item("late", "theirs")
	late["group"] = text("g-a")
	s.writtenByThem(t, late)
	filtered := &dynamodb.QueryInput{
		TableName: aws.String(s.table), IndexName: aws.String("groups"), KeyConditionExpression: aws.String("#p = :p"), FilterExpression: aws.String("#v = :ours"),
		ExpressionAttributeNames: map[string]string{"#p": "group", "#v": "value"}, ExpressionAttributeValues: map[string]types.AttributeValue{":p": text("g-a"), ":ours": text("ours")},
	}
	_, hidden := s.client.Query(t.Context(), filtered)
	for name, err := range map[string]error{"whole": s.query(t, "groups", "g-a", ""), "without keys": s.query(t, "groups", "g-a", "#v"), "filtered out": hidden} {
		t.Run(name, func(t *testing.T) { refusedSafely(t, err, "") })
	}
	refusedSafely(t, s.ways("a")["PutItem"](t.Context()), "holds items of others") // where somebody reads now, the run writes no more
	// Under a key of the run's, too.
	s.writtenByThem(t, item("a", "theirs"))
	refusedSafely(t, s.query(t, "", "a", ""), "somebody else wrote")
	_, err := s.client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(s.table), Key: key("a"), ProjectionExpression: aws.String("#v"), ExpressionAttributeNames: map[string]string{"#v": "value"}})
	refusedSafely(t, err, "another's")
}

// The record of an answer keeps what the run wrote, letter by letter, and of anything
// else a hash of its key.
func TestRecordsKeepOwnItemsAlone(t *testing.T) {
	s := ready(t)
	const many, secret = `{"TableName":"things"}`, `{"pk":{"S":"c@example.org"},"passwordHash":{"S":"SECRET"}}`
	for _, row := range tabletest.Read[[]struct {
		Name, Operation, Request, Response string
		Stays                              bool
	}](t, "records.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			got := string(s.protection.Redacted(row.Operation, []byte(row.Request), []byte(row.Response)))
			require.Equal(t, row.Stays, got == row.Response, "expected it to be kept as it is: %v, found %s", row.Stays, got)
			if strings.Contains(got, "SECRET") || strings.Contains(got, "c@example.org") || !json.Valid([]byte(got)) {
				t.Errorf("expected nothing of somebody else's in JSON, found %s", got)
			}
			if strings.Contains(row.Name, "theirs in a") && strings.Contains(row.Response, `"ours"`) && !strings.Contains(got, `"ours"`) {
				t.Errorf("expected the own item to be kept, found %s", got)
			}
		})
	}
	once, again := s.protection.Redacted("Query", []byte(many), []byte(`{"Items":[`+secret+`]}`)), s.protection.Redacted("Query", []byte(many), []byte(`{"Items":[`+secret+`]}`))
	assert.Equal(t, string(again), string(once), "expected the same hash of the same key, found %s and %s", once, again)
	assert.Contains(t, string(once), "hash of its key: ", "expected the same hash of the same key, found %s and %s", once, again)
	if other := newScene(t).protection.Redacted("Query", []byte(many), []byte(`{"Items":[`+secret+`]}`)); string(other) == string(once) {
		t.Error("expected another run to have another hash, so that keys cannot be tried out")
	}
}

// An update that does not fit the item is DynamoDB's to refuse; one that nobody knows the
// outcome of is not sent.
func TestUpdatesThatCannotBe(t *testing.T) {
	s := ready(t)
	update := func(expression string) error {
		return s.sending(&dynamodb.UpdateItemInput{TableName: aws.String(s.table), Key: key("a"), UpdateExpression: &expression, ExpressionAttributeNames: map[string]string{"#v": "value"}, ExpressionAttributeValues: map[string]types.AttributeValue{":n": &types.AttributeValueMemberN{Value: "1"}}})(t.Context())
	}
	var refusal *safewrite.Refusal
	var answer interface{ ErrorCode() string }
	if err := update("SET #v = #v + :n"); errors.As(err, &refusal) || !errors.As(err, &answer) || answer.ErrorCode() != "ValidationException" {
		t.Errorf("expected the engine to refuse it, found %v", err)
	}
	refusedSafely(t, update("SET #v = :n REMOVE l[0], l[1]"), "it is not known what it makes")
	assert.NoError(t, s.ways("a")["DeleteItem"](t.Context()), "expected the run to go on")
}

// The protection may be attached to the client that it reads with.
func TestProtectionReadsWithItsOwnClient(t *testing.T) {
	s := newScene(t)
	var client *dynamodb.Client
	protection := safewrite.New(safewrite.Options{
		Tables: []safewrite.Table{{Name: s.table, Keys: []string{"pk"}}}, Journal: s.journal,
		Read: func(ctx context.Context, table string, key accesspatterns.Item) (accesspatterns.Item, error) {
			answer, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(table), Key: key, ConsistentRead: aws.Bool(true)})
			if err != nil {
				return nil, err
			}
			return answer.Item, nil
		},
	})
	client = dynamodb.New(s.theirs.Options(), func(o *dynamodb.Options) { o.APIOptions = []func(*middleware.Stack) error{protection.Attach} })
	protection.Free(s.table, key("a"))
	protection.Begin()
	for range 2 {
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(s.table), Item: item("a", "ours")})
		require.NoError(t, err)
	}
	s.addedByThem(t)
	_, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(s.table), Key: key("a")})
	refusedSafely(t, err, "another's")
}
