package batch_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/internal/test/standin"
)

// sender sends to what answers in memory: nothing but its pauses takes time.
func sender(answer func(operation, body string) (status int, answer string)) batch.Sender {
	service := standin.Service(func(w http.ResponseWriter, operation, asked string) {
		status, text := answer(operation, asked)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	})
	return batch.Sender{Poll: 10 * time.Millisecond, Client: service.Client()}
}

func key(id string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: id}}
}

func deletions(ids ...string) []types.WriteRequest {
	var requests []types.WriteRequest
	for _, id := range ids {
		requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key(id)}})
	}
	return requests
}

// asked is what a body of either batch operation asks for, by table.
func asked(t *testing.T, body string) map[string][]string {
	t.Helper()
	const ids = ".RequestItems | map_values(if type == \"array\" then map(.DeleteRequest.Key) else .Keys end | map(.id.S))"
	return tabletest.As[map[string][]string](t, tabletest.JQ(t, ids, json.RawMessage(body)))
}

// Each attempt carries exactly what the one before it left, over all tables, until
// nothing is left, and the caller's request stays as it was.
func TestWriteSendsAgainWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := []string{
			`{"UnprocessedItems":{"A":[{"DeleteRequest":{"Key":{"id":{"S":"2"}}}},{"DeleteRequest":{"Key":{"id":{"S":"3"}}}}],"B":[{"DeleteRequest":{"Key":{"id":{"S":"9"}}}}]}}`,
			`{"UnprocessedItems":{"A":[{"DeleteRequest":{"Key":{"id":{"S":"3"}}}}],"B":[]}}`,
			`{"UnprocessedItems":{}}`,
		}
		var sent []map[string][]string
		s := sender(func(operation, body string) (int, string) {
			sent = append(sent, asked(t, body))
			return 200, answers[len(sent)-1]
		})
		began := time.Now()
		batch := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"A": deletions("1", "2", "3"), "B": deletions("9")}}
		require.NoError(t, s.Write(t.Context(), batch))
		want := []map[string][]string{{"A": {"1", "2", "3"}, "B": {"9"}}, {"A": {"2", "3"}, "B": {"9"}}, {"A": {"3"}}}
		assert.Empty(t, cmp.Diff(want, sent), "attempts (-want +got)")
		assert.Len(t, batch.RequestItems["A"], 3, "expected the caller's request to keep its writes")
		assert.Len(t, batch.RequestItems["B"], 1)
		assert.Equal(t, 30*time.Millisecond, time.Since(began), "expected pauses of 10 ms and 20 ms")
	})
}

func TestGetReadsWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := []string{
			`{"Responses":{"A":[{"id":{"S":"1"}}]},"UnprocessedKeys":{"A":{"Keys":[{"id":{"S":"2"}},{"id":{"S":"3"}}],"ConsistentRead":true}}}`,
			`{"Responses":{"A":[{"id":{"S":"3"}}]},"UnprocessedKeys":{"A":{"Keys":[]}}}`,
		}
		var sent []map[string][]string
		s := sender(func(operation, body string) (int, string) {
			assert.Contains(t, body, `"ConsistentRead":true`, "attempt %d", len(sent))
			sent = append(sent, asked(t, body))
			return 200, answers[len(sent)-1]
		})
		found, err := s.Get(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			"A": {Keys: []map[string]types.AttributeValue{key("1"), key("2"), key("3")}, ConsistentRead: aws.Bool(true)},
		}})
		require.NoError(t, err)
		assert.Empty(t, cmp.Diff([]map[string][]string{{"A": {"1", "2", "3"}}, {"A": {"2", "3"}}}, sent), "attempts (-want +got)")
		var ids []string
		for _, item := range found["A"] {
			ids = append(ids, item["id"].(*types.AttributeValueMemberS).Value)
		}
		assert.Empty(t, cmp.Diff([]string{"1", "3"}, ids), "items of all attempts (-want +got)")
	})
}

// The pauses grow and the attempts end, with words that say what is left and where.
func TestUnprocessedForEver(t *testing.T) {
	for poll, want := range map[time.Duration]time.Duration{
		// An engine on this machine: 1, 2, 4, 8, 16 and 32 times 10 ms, then 43 times 640 ms.
		10 * time.Millisecond: 28150 * time.Millisecond,
		// AWS: 0.5, 1, 2 and 4 s, then 45 times 5 s.
		500 * time.Millisecond: 232500 * time.Millisecond,
	} {
		t.Run(poll.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts, before := 0, 0
				s := sender(func(operation, body string) (int, string) {
					attempts++
					if operation == "BatchGetItem" {
						return 200, `{"UnprocessedKeys":{"A":{"Keys":[{"id":{"S":"1"}}]}}}`
					}
					return 200, `{"UnprocessedItems":{"B":[{"DeleteRequest":{"Key":{"id":{"S":"2"}}}}],"A":[{"DeleteRequest":{"Key":{"id":{"S":"1"}}}}]}}`
				})
				s.Poll, s.Before = poll, func() error { before++; return nil }
				began := time.Now()
				err := s.Write(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"A": deletions("1"), "B": deletions("2")}})
				expectLeft(t, err, "1 for table A and 1 for table B of a batch still unprocessed after 50 attempts; the table is throttled")
				assert.Equal(t, want, time.Since(began), "the time that it has waited")
				assert.Equal(t, []int{50, 50}, []int{attempts, before}, "attempts, and the hook before each")
				_, err = s.Get(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"A": {Keys: []map[string]types.AttributeValue{key("1")}}}})
				expectLeft(t, err, "1 for table A of a batch still unprocessed after 50 attempts")
			})
		})
	}
}

func expectLeft(t *testing.T, err error, words string) {
	t.Helper()
	require.ErrorIs(t, err, batch.ErrUnprocessed)
	assert.Contains(t, err.Error(), words)
}

// Whoever stops waiting is told that something is left.
func TestStoppedBetweenAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		attempts := 0
		s := sender(func(string, string) (int, string) {
			attempts++
			time.AfterFunc(time.Second, stop) // while it waits
			return 200, `{"UnprocessedItems":{"A":[{"DeleteRequest":{"Key":{"id":{"S":"1"}}}}]}}`
		})
		s.Poll = 4 * time.Second
		err := s.Write(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"A": deletions("1")}})
		expectLeft(t, err, "1 for table A of a batch still unprocessed after 1 attempts")
		assert.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, 1, attempts)
	})
}

// The hook and the engine end the sending with their own words.
func TestErrorsEndTheSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		s := sender(func(string, string) (int, string) {
			if attempts++; attempts > 1 {
				return 400, `{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"gone"}`
			}
			return 200, `{"UnprocessedItems":{"A":[{"DeleteRequest":{"Key":{"id":{"S":"1"}}}}]}}`
		})
		batch := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"A": deletions("1")}}
		var gone *types.ResourceNotFoundException
		assert.ErrorAs(t, s.Write(t.Context(), batch), &gone, "expected the engine's refusal")
		attempts, dead := 0, errors.New("dead")
		s.Before = func() error { return dead }
		assert.ErrorIs(t, s.Write(t.Context(), batch), dead)
		assert.Zero(t, attempts, "expected nothing to be sent")
	})
}
