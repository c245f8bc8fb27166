package safewrite_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
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
