package safewrite_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/conformance/internal/safewrite"
)

// An item that somebody puts between the run's read and its write stays as it is, 54 times of 54 for
// each kind of write: on a free key, over an item of key attributes alone and over any other of the
// run's, whether theirs has key attributes alone, equals the run's, or has all that the run's has
// and more. It stays in a clean-up too.
func TestNothingOfOthersIsReplaced(t *testing.T) {
	ours := func(id string) accesspatterns.Item { return item(id, "ours") }
	states := map[string]func(string) accesspatterns.Item{"free": nil, "of key attributes": key, "whole": ours}
	put := map[string]func(string) accesspatterns.Item{"of key attributes": key, "equal": ours, "more": func(id string) accesspatterns.Item {
		theirs := ours(id)
		theirs["precious"] = text("theirs")
		return theirs
	}}
	s := newScene(t)
	type attempt struct{ kind, state, theirs, id string }
	var attempts []attempt
	kinds := map[string]bool{"PutItem of key attributes": true, "clean-up": true, "BatchWriteItem": true}
	for kind := range s.ways("") {
		kinds[kind] = true
	}
	for kind := range kinds {
		for state := range states {
			for theirs := range put {
				for range 6 {
					id := fmt.Sprintf("k%d", len(attempts))
					attempts = append(attempts, attempt{kind, state, theirs, id})
					s.protection.Free(s.table, key(id))
				}
			}
		}
	}
	s.protection.Begin()
	survived := map[string]int{}
	for _, a := range attempts {
		ways := s.ways(a.id)
		putting := func(ours accesspatterns.Item) func(context.Context) error {
			return s.sending(&dynamodb.PutItemInput{TableName: aws.String(s.table), Item: ours})
		}
		ways["PutItem of key attributes"] = putting(key(a.id))
		ways["BatchWriteItem"] = func(ctx context.Context) error {
			defer s.onRead()
			return s.sending(&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{s.table: {{PutRequest: &types.PutRequest{Item: ours(a.id)}}}}})(ctx)
		}
		if ours := states[a.state]; ours != nil {
			require.NoError(t, putting(ours(a.id))(t.Context()))
		}
		theirs := put[a.theirs](a.id)
		if a.kind == "clean-up" { // which reads, and deletes what it read under its condition
			read := s.stored(t, a.id)
			s.writtenByThem(t, theirs)
			if read != nil {
				_, err := s.theirs.DeleteItem(t.Context(), safewrite.Deletion(s.table, key(a.id), read))
				assert.True(t, safewrite.IsConditionFailure(err), "%+v: expected the condition to fail, found %v", a, err)
			}
		} else {
			s.onRead = func() { s.onRead = nil; s.writtenByThem(t, theirs) }
			words := "somebody else wrote"
			if a.kind == "BatchWriteItem" {
				words = "takes no condition"
			}
			refusedSafely(t, ways[a.kind](t.Context()), words)
		}
		if dynamo.EqualItems(theirs, s.stored(t, a.id)) {
			survived[a.kind]++
		}
	}
	for kind := range kinds {
		assert.Equal(t, 54, survived[kind], "%s: expected 54 of 54 items of others to stay", kind)
	}
}

// losing carries a write out and loses its answer, once.
type losing struct {
	by   http.RoundTripper
	lost bool
}

func (l *losing) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.by.RoundTrip(request)
	if err != nil || l.lost {
		return response, err
	}
	l.lost = true
	_ = response.Body.Close()
	return nil, syscall.ECONNRESET
}

func (s *scene) losing() *dynamodb.Client {
	return dynamodb.New(s.client.Options(), func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: &losing{by: http.DefaultTransport}}
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		})
	})
}

// Where the answer to a write is lost a read settles it: the next attempt fails its condition because the
// one before has carried the write out.
func TestALostAnswerIsSettledByARead(t *testing.T) {
	for name := range newScene(t).ways("a") {
		for _, free := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, free %v", name, free), func(t *testing.T) {
				s := begun(t, "a")
				if !free {
					require.NoError(t, s.ways("a")["PutItem"](t.Context()))
				}
				before := len(s.journal.settled)
				s.client = s.losing()
				assert.NoError(t, s.ways("a")[name](t.Context()), "expected the write to be known to be carried out")
				require.Len(t, s.journal.settled, before+1, "expected its outcome in the journal")
				assert.Equal(t, strings.HasPrefix(name, "Delete"), s.journal.settled[before].Item == nil)
			})
		}
	}
	s := begun(t, "a")
	_, err := s.losing().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(s.table), Key: key("a"), UpdateExpression: aws.String("ADD hits :one"), ReturnValues: types.ReturnValueAllNew,
		ExpressionAttributeValues: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
	})
	refusedSafely(t, err, "was lost")
	s.holds(t, "a", accesspatterns.Item{"pk": text("a"), "hits": &types.AttributeValueMemberN{Value: "1"}})
}

// The condition on a free key is met by nothing alone, and no answer holds the mark that every item
// of the run bears.
func TestTheMarkIsTheRunsAlone(t *testing.T) {
	s := begun(t, "a", "b", "c")
	mark := func(id string) types.AttributeValue { return s.stored(t, id)[safewrite.Mark] }
	given, name := key("a"), aws.String(s.table)
	put := func(item accesspatterns.Item, returns types.ReturnValue) accesspatterns.Item {
		answer, err := s.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: name, Item: item, ReturnValues: returns})
		require.NoError(t, err)
		return answer.Attributes
	}
	put(given, "")
	assert.Len(t, given, 1)
	assert.NotNil(t, mark("a"), "expected the mark on the stored item alone")
	update := func(id, expression string, returns types.ReturnValue) accesspatterns.Item {
		input := &dynamodb.UpdateItemInput{TableName: name, Key: key(id), ReturnValues: returns}
		if expression != "" {
			input.UpdateExpression = &expression
		}
		if strings.Contains(expression, ":") {
			input.ExpressionAttributeValues = map[string]types.AttributeValue{":v": &types.AttributeValueMemberN{Value: "1"}}
		}
		answer, err := s.client.UpdateItem(t.Context(), input)
		require.NoError(t, err)
		return answer.Attributes
	}
	shown := []accesspatterns.Item{put(item("a", "x"), types.ReturnValueAllOld), update("a", "ADD n :v", types.ReturnValueAllNew), update("b", "", types.ReturnValueAllNew), update("c", "REMOVE x\nset y=:v ADD n :v", types.ReturnValueUpdatedNew)}
	for _, id := range []string{"a", "b", "c"} {
		assert.True(t, dynamo.Equal(mark(id), mark("a")), "%s: expected the mark of the run, found %v", id, mark(id))
		answer, err := s.client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: name, Key: key(id)})
		require.NoError(t, err)
		shown = append(shown, answer.Item)
	}
	several, err := s.client.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{s.table: {Keys: []map[string]types.AttributeValue{key("a"), key("b")}}}})
	require.NoError(t, err)
	together, err := s.client.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: name, Key: key("c")}}}})
	require.NoError(t, err)
	_, err = s.client.PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String(s.table), Item: item("a", "y"), ConditionExpression: aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	assert.True(t, safewrite.IsConditionFailure(err), "expected the caller's condition to fail, found %v", err)
	text := fmt.Sprint(dynamo.ShowItem(together.Responses[0].Item), err)
	for _, item := range append(shown, several.Responses[s.table]...) {
		text += dynamo.ShowItem(item)
		assert.NotEmpty(t, item, "expected items")
	}
	assert.NotContains(t, text, safewrite.Mark)
}
