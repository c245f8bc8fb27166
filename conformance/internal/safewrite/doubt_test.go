package safewrite

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/sdk"
)

type nowhere struct{}

func (nowhere) Announce(...Entry) error { return nil }
func (nowhere) Settle(...Entry) error   { return nil }

func answeredWith(status int) error {
	return &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}}, Err: errors.New("refused")}
}

// A refusal says that nothing was written, of a request that was sent once. Everything else leaves both in doubt: what the key held, and
// what the write makes of it.
func TestWhatAFailureLeavesInDoubt(t *testing.T) {
	key := accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: "a"}}
	item := accesspatterns.Item{"id": key["id"], "v": &types.AttributeValueMemberS{Value: "new"}}
	for _, row := range []struct {
		name           string
		err            error
		retried, doubt bool
	}{
		{"refused", answeredWith(http.StatusBadRequest), false, false},
		{"refused, of an attempt that was not the first", answeredWith(http.StatusBadRequest), true, true},
		{"a failure of the engine's", answeredWith(http.StatusInternalServerError), false, true},
		{"no answer", errors.New("EOF"), false, true},
	} {
		p := New(Options{Journal: nowhere{}})
		w := &write{change: Put, table: "things", key: key, after: item}
		assert.NoError(t, p.failed([]*write{w}, row.err, row.retried), row.name)
		assert.Equal(t, row.doubt, p.isOurs(w.id(), item), row.name)
	}
}

type settling struct {
	nowhere
	told []Entry
}

func (s *settling) Settle(entries ...Entry) error {
	s.told = append(s.told, entries...)
	return nil
}

// Behind an attempt that was not answered the journal is not told that a key which was free holds what the last attempt made: the other may
// be carried out as soon as the key is free again.
func TestAnAttemptThatMayComeYetStaysInTheJournal(t *testing.T) {
	key := accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: "a"}}
	for first, told := range map[int]int{0: 0, http.StatusBadRequest: 1, http.StatusInternalServerError: 0} {
		journal, sent := &settling{}, 0
		p := New(Options{Journal: journal, Tables: []Table{{Name: "things", Keys: []string{"id"}}}, Read: func(context.Context, string, accesspatterns.Item) (accesspatterns.Item, error) { return nil, nil }})
		p.Free("things", key)
		p.Begin()
		client := dynamodb.New(dynamodb.Options{
			Region: "us-east-1", Credentials: aws.AnonymousCredentials{}, BaseEndpoint: aws.String("http://127.0.0.1"), APIOptions: []func(*middleware.Stack) error{p.Attach},
			HTTPClient: smithyhttp.ClientDoFunc(func(*http.Request) (*http.Response, error) {
				sent++
				status := first
				if sent == 2 {
					status = http.StatusOK
				}
				if status == 0 {
					return nil, io.ErrUnexpectedEOF
				}
				return &http.Response{StatusCode: status, Header: http.Header{"X-Amzn-Errortype": {"ThrottlingException"}}, Body: io.NopCloser(strings.NewReader("{}"))}, nil
			}),
		})
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("things"), Item: key})
		assert.NoError(t, err)
		assert.Equal(t, 2, sent)
		assert.Len(t, journal.told, told, "behind a first answer of %d", first)
	}
}

// An attempt before has carried a request out when every key holds what it makes, and not one of them.
func TestEveryKeyTellsWhetherARequestLanded(t *testing.T) {
	item := func(id, value string) accesspatterns.Item {
		return accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: id}, "v": &types.AttributeValueMemberS{Value: value}}
	}
	there := map[string]accesspatterns.Item{"a": item("a", "new")}
	p := New(Options{Journal: nowhere{}, Read: func(_ context.Context, _ string, key accesspatterns.Item) (accesspatterns.Item, error) {
		return there[key["id"].(*types.AttributeValueMemberS).Value], nil
	}})
	var writes []*write
	for _, id := range []string{"a", "b"} {
		writes = append(writes, &write{change: Put, table: "things", key: accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: id}}, after: item(id, "new")})
	}
	failed := &types.TransactionCanceledException{}
	assert.False(t, p.landed(t.Context(), writes, failed), "expected a request of which one key holds nothing not to have landed")
	there["b"] = item("b", "new")
	assert.True(t, p.landed(t.Context(), writes, failed), "expected a request to have landed of which every key holds what it makes")
}

// What is left of a conditioned request without the protection's conditions is what the caller asked
// for.
func TestConditionsAreTakenBack(t *testing.T) {
	item := func(words ...string) accesspatterns.Item {
		made := accesspatterns.Item{}
		for _, word := range words {
			made[word] = &types.AttributeValueMemberS{Value: word}
		}
		return made
	}
	for _, theirs := range []string{"", "attribute_not_exists(#k)", "#v = :v OR #w = :w", "(#v = :v) AND (#w = :w)", "#v = :v"} {
		for _, held := range []accesspatterns.Item{nil, item("PK"), item("PK", "SK")} {
			w := sdk.Write{Kind: accesspatterns.Put, Names: map[string]string{"#k": "PK", "#v": "version", "#w": "words"}, Values: accesspatterns.Item{":v": number("1")}}
			if theirs != "" {
				w.Condition = &theirs
			}
			require(&w, "PK", held)
			conditioned := aws.ToString(w.Condition)
			put := WithoutConditions(w.Input()).(*dynamodb.PutItemInput)
			assert.Equal(t, theirs, aws.ToString(put.ConditionExpression), conditioned)
			assert.Len(t, put.ExpressionAttributeNames, 3, conditioned)
			assert.Len(t, put.ExpressionAttributeValues, 1, conditioned)
		}
	}
}

// An update without its mark is the caller's.
func TestMarksAreTakenBack(t *testing.T) {
	for _, theirs := range []string{"", "ADD #set :set", "SET #set = :set, a.b = :c", "REMOVE c set #set=:set", "delete #set :set SET x = :set"} {
		w := &write{change: Update, sent: sdk.Write{Kind: accesspatterns.Update, Names: map[string]string{"#set": "n"}, Values: accesspatterns.Item{":set": number("1")}}}
		if theirs != "" {
			w.sent.Update = &theirs
		}
		w.mark(newMark())
		require(&w.sent, "PK", w.before)
		marked := aws.ToString(w.sent.Update)
		update := WithoutConditions(w.sent.Input()).(*dynamodb.UpdateItemInput)
		assert.Contains(t, marked, markName)
		assert.Equal(t, theirs, aws.ToString(update.UpdateExpression), marked)
		assert.Nil(t, update.ConditionExpression, marked)
		assert.Len(t, update.ExpressionAttributeNames, 1, marked)
		assert.Len(t, update.ExpressionAttributeValues, 1, marked)
	}
	put := WithoutConditions(&dynamodb.PutItemInput{TableName: aws.String("t"), Item: accesspatterns.Item{"PK": newMark(), Mark: newMark()}})
	assert.Len(t, put.(*dynamodb.PutItemInput).Item, 1, "expected the item without its mark")
}

func number(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }

// A key is the run's own however its Number is written: DynamoDB answers 1 where 1.0 was written.
func TestAPlannedKeyIsItsValue(t *testing.T) {
	p := &Protection{planned: map[string]bool{}}
	id := func(text string) string { return keyID("t", accesspatterns.Item{"n": number(text)}) }
	p.planned[id("1.0")] = true
	assert.True(t, p.planned[id("1")], "expected 1 to be the key that was planned as 1.0")
	assert.False(t, p.planned[id("1.01")], "expected 1.01 to be another")
}
