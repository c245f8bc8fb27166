package safewrite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/test/tables"
)

// scene is a table that holds an item of somebody else, and two clients of it: a
// conditioned one, and theirs.
type scene struct {
	protection     *safewrite.Protection
	client, theirs *dynamodb.Client
	journal        *journal
	sent           *sent
	table          string
	// onRead is called behind each read of the protection; nil for nothing.
	onRead func()
}

// journal keeps what was announced, and what had been sent when it was.
type journal struct {
	sent     *sent
	failure  error
	announce []string
	settled  []safewrite.Entry
	// onAnnounce is called when a write is announced; nil for nothing.
	onAnnounce func()
}

func (j *journal) Announce(entries ...safewrite.Entry) error {
	if j.failure != nil {
		return j.failure
	}
	if j.onAnnounce != nil {
		j.onAnnounce()
	}
	for _, entry := range entries {
		j.announce = append(j.announce, string(entry.Change)+" "+idOf(entry.Key)+" after "+strings.Join(j.sent.writes(), ","))
	}
	return nil
}

func (j *journal) Settle(entries ...safewrite.Entry) error {
	j.settled = append(j.settled, entries...)
	return nil
}

// sent counts the operations that left the conditioned client.
type sent struct {
	http.Transport

	mu         sync.Mutex
	operations []string
}

func (s *sent) RoundTrip(request *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
	s.mu.Lock()
	s.operations = append(s.operations, operation)
	s.mu.Unlock()
	return s.Transport.RoundTrip(request)
}

func (s *sent) writes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.operations), func(operation string) bool { return operation == "GetItem" || operation == "Query" })
}

func idOf(key accesspatterns.Item) string {
	if text, ok := key["pk"].(*types.AttributeValueMemberS); ok {
		return text.Value
	}
	return "?"
}

func text(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }

func item(id, value string) accesspatterns.Item {
	return accesspatterns.Item{"pk": text(id), "group": text("g-" + id), "value": text(value)}
}

func key(id string) accesspatterns.Item { return accesspatterns.Item{"pk": text(id)} }

func newScene(t *testing.T) *scene { return sceneAt(t, tables.Engine(t)) }

// begun is a scene in which some keys were found free, and the looking has ended.
func begun(t *testing.T, ids ...string) *scene {
	t.Helper()
	s := newScene(t)
	for _, id := range ids {
		s.protection.Free(s.table, key(id))
	}
	s.protection.Begin()
	return s
}

// sceneAt is a scene on an engine. Each connection ends with its answer: in a bubble the clock stands still while one is open.
func sceneAt(t *testing.T, url string) *scene {
	t.Helper()
	s := &scene{table: "things", sent: &sent{Transport: http.Transport{DisableKeepAlives: true}}}
	options := dynamodb.Options{
		BaseEndpoint: aws.String(url), Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		HTTPClient: &http.Client{Transport: &s.sent.Transport},
	}
	s.theirs = dynamodb.New(options)
	s.journal = &journal{sent: s.sent}
	_, err := s.theirs.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(s.table), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: "S"}, {AttributeName: aws.String("group"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("groups"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("group"), KeyType: types.KeyTypeHash}},
		}},
	})
	require.NoError(t, err)
	s.protection = safewrite.New(safewrite.Options{
		Tables: []safewrite.Table{{Name: s.table, Keys: []string{"pk"}, Indexes: map[string][]string{"groups": {"group"}}, Shared: func(index string, value types.AttributeValue) string {
			if dynamo.ScalarText(value) == "everybody" {
				return "everybody reads"
			}
			return ""
		}}},
		Journal: s.journal,
		Read: func(ctx context.Context, table string, key accesspatterns.Item) (accesspatterns.Item, error) {
			if s.onRead != nil {
				defer s.onRead()
			}
			answer, err := s.theirs.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(table), Key: key, ConsistentRead: aws.Bool(true)})
			if err != nil {
				return nil, err
			}
			return answer.Item, nil
		},
		Look: func(ctx context.Context, table, index string, value types.AttributeValue, known func(accesspatterns.Item) bool) (bool, error) {
			attribute, at := "pk", (*string)(nil)
			if index != "" {
				attribute, at = "group", aws.String(index)
			}
			answer, err := s.theirs.Query(ctx, &dynamodb.QueryInput{
				TableName: aws.String(table), IndexName: at, KeyConditionExpression: aws.String("#p = :p"),
				ExpressionAttributeNames: map[string]string{"#p": attribute}, ExpressionAttributeValues: map[string]types.AttributeValue{":p": value},
			})
			if err != nil {
				return false, err
			}
			return slices.ContainsFunc(answer.Items, func(item map[string]types.AttributeValue) bool { return !known(item) }), nil
		},
	})
	options.HTTPClient = &http.Client{Transport: s.sent}
	options.APIOptions = []func(*middleware.Stack) error{s.protection.Attach}
	s.client = dynamodb.New(options)
	return s
}

// writtenByThem puts an item past the protection, as somebody else would.
func (s *scene) writtenByThem(t *testing.T, written accesspatterns.Item) {
	t.Helper()
	_, err := s.theirs.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(s.table), Item: written})
	require.NoError(t, err)
}

// stored is what a key holds, the mark included.
func (s *scene) stored(t *testing.T, id string) accesspatterns.Item {
	t.Helper()
	answer, err := s.theirs.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(s.table), Key: key(id), ConsistentRead: aws.Bool(true)})
	require.NoError(t, err)
	return answer.Item
}

// holds checks what a key holds, the mark apart.
func (s *scene) holds(t *testing.T, id string, want accesspatterns.Item) {
	t.Helper()
	stored := s.stored(t, id)
	delete(stored, safewrite.Mark)
	assert.Equal(t, dynamo.ShowItem(want), dynamo.ShowItem(stored), "item %s", id)
}

// sending sends a request by the protected client.
func (s *scene) sending(input any) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := designtest.Send(ctx, s.client, input)
		return err
	}
}

// ways are all the ways in which a client can write to one key.
func (s *scene) ways(id string) map[string]func(context.Context) error {
	name := aws.String(s.table)
	set := aws.String("SET #v = :v")
	names, values := map[string]string{"#v": "value"}, map[string]types.AttributeValue{":v": text("ours")}
	transact := func(action types.TransactWriteItem) any {
		return &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{action}}
	}
	ways := map[string]func(context.Context) error{}
	for way, input := range map[string]any{
		"PutItem":                 &dynamodb.PutItemInput{TableName: name, Item: item(id, "ours")},
		"UpdateItem":              &dynamodb.UpdateItemInput{TableName: name, Key: key(id), UpdateExpression: set, ExpressionAttributeNames: names, ExpressionAttributeValues: values},
		"DeleteItem":              &dynamodb.DeleteItemInput{TableName: name, Key: key(id)},
		"Put in a transaction":    transact(types.TransactWriteItem{Put: &types.Put{TableName: name, Item: item(id, "ours")}}),
		"Update in a transaction": transact(types.TransactWriteItem{Update: &types.Update{TableName: name, Key: key(id), UpdateExpression: set, ExpressionAttributeNames: names, ExpressionAttributeValues: values}}),
		"Delete in a transaction": transact(types.TransactWriteItem{Delete: &types.Delete{TableName: name, Key: key(id)}}),
	} {
		ways[way] = s.sending(input)
	}
	return ways
}

// refusedSafely checks that a request was refused by the protection.
func refusedSafely(t *testing.T, err error, words string) {
	t.Helper()
	var refusal *safewrite.Refusal
	require.ErrorAs(t, err, &refusal)
	assert.Contains(t, refusal.Reason, words, "expected the protection's refusal with %q", words)
}

// The run's own items can be written, changed and deleted in every way, one after
// the other.
func TestOwnItemsAreWritten(t *testing.T) {
	s := begun(t, "a")
	for first := range s.ways("a") {
		for second := range s.ways("a") {
			for _, name := range []string{first, second} {
				require.NoError(t, s.ways("a")[name](t.Context()), "%s, then %s: %s", first, second, name)
			}
		}
	}
	assert.Len(t, s.journal.settled, len(s.journal.announce), "expected an outcome for each of %d writes", len(s.journal.announce))
}

// The protection adds its condition to a copy: the caller may send its request again.
func TestTheCallersRequestStays(t *testing.T) {
	s := begun(t, "a")
	names, values := map[string]string{"#v": "value"}, map[string]types.AttributeValue{":v": text("ours")}
	update := &dynamodb.UpdateItemInput{TableName: aws.String(s.table), Key: key("a"), UpdateExpression: aws.String("SET #v = :v"), ExpressionAttributeNames: names, ExpressionAttributeValues: values}
	part := &types.Update{TableName: update.TableName, Key: update.Key, UpdateExpression: update.UpdateExpression, ExpressionAttributeNames: names, ExpressionAttributeValues: values}
	together := &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Update: part}}}
	for range 2 {
		_, err := s.client.UpdateItem(t.Context(), update)
		require.NoError(t, err)
		_, err = s.client.TransactWriteItems(t.Context(), together)
		require.NoError(t, err)
	}
	assert.Nil(t, update.ConditionExpression)
	assert.Nil(t, part.ConditionExpression)
	assert.Same(t, part, together.TransactItems[0].Update)
	assert.Equal(t, map[string]string{"#v": "value"}, names)
	assert.Len(t, values, 1)
}

// What is no write to an item, and what cannot carry a condition, is not sent.
func TestOtherOperationsAreNotSent(t *testing.T) {
	s := begun(t, "a")
	for _, request := range tabletest.Read[[]map[string]any](t, "unsent.yaml") {
		input, err := designtest.Input(request)
		require.NoError(t, err)
		t.Run(fmt.Sprintf("%T", input), func(t *testing.T) { refusedSafely(t, s.sending(input)(t.Context()), "") })
	}
	assert.Empty(t, s.sent.writes(), "expected nothing to be sent")
	assert.NoError(t, s.sending(&dynamodb.DescribeTableInput{TableName: aws.String(s.table)})(t.Context()), "expected a description to pass")
}

func TestReadOnly(t *testing.T) {
	s := newScene(t)
	counted := &sent{}
	client := dynamodb.New(s.theirs.Options(), func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: counted}
		o.APIOptions = append(o.APIOptions, safewrite.ReadOnly)
	})
	_, put := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(s.table), Item: item("a", "x")})
	_, get := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(s.table), Key: key("a")})
	_, drop := client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(s.table)})
	for operation, err := range map[string]error{"PutItem": put, "GetItem": get, "DeleteTable": drop} {
		var refused *safewrite.WriteError
		require.ErrorAs(t, err, &refused, "%s: expected it to be refused", operation)
		assert.Equal(t, operation, refused.Operation, "%s: expected it to be refused", operation)
	}
	assert.Empty(t, counted.operations, "expected nothing to be sent")
	_, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	assert.NoError(t, err, "expected a list to pass")
}

// ready is a scene in which the run has written item a.
func ready(t *testing.T) *scene {
	t.Helper()
	s := begun(t, "a")
	require.NoError(t, s.ways("a")["PutItem"](t.Context()))
	return s
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

// The record of an answer keeps what the run wrote, letter by letter, and of anything
// else a hash of its key.
func TestRecordsKeepOwnItemsAlone(t *testing.T) {
	s := ready(t)
	for _, row := range tabletest.Read[[]struct {
		Name, Operation, Request, Response string
		Stays                              bool
	}](t, "records.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			got := string(s.protection.Redacted(row.Operation, []byte(row.Request), []byte(row.Response)))
			require.Equal(t, row.Stays, got == row.Response, "expected it to be kept as it is: %v, found %s", row.Stays, got)
			assert.NotRegexp(t, "SECRET|c@example.org", got, "expected nothing of somebody else's")
			assert.True(t, json.Valid([]byte(got)), got)
			if strings.Contains(row.Name, "theirs in a") && strings.Contains(row.Response, `"ours"`) {
				assert.Contains(t, got, `"ours"`, "expected the own item to be kept")
			}
		})
	}
	redacted := func(s *scene) string {
		return string(s.protection.Redacted("Query", []byte(`{"TableName":"things"}`), []byte(`{"Items":[{"pk":{"S":"c@example.org"},"passwordHash":{"S":"SECRET"}}]}`)))
	}
	assert.Contains(t, redacted(s), "hash of its key: ")
	assert.Equal(t, redacted(s), redacted(s), "expected the same hash of the same key")
	assert.NotEqual(t, redacted(s), redacted(newScene(t)), "expected another run to have another hash, so that keys cannot be tried out")
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
	theirs := item("a", "ours")
	theirs["theirs"] = text("precious")
	s.writtenByThem(t, theirs)
	_, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(s.table), Key: key("a")})
	refusedSafely(t, err, "another's")
}
