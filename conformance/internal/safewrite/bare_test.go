package safewrite

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/sdk"
)

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
			w := sdk.Write{
				Kind:   accesspatterns.Put,
				Names:  map[string]string{"#k": "PK", "#v": "version", "#w": "words"},
				Values: map[string]types.AttributeValue{":v": &types.AttributeValueMemberN{Value: "1"}},
			}
			if theirs != "" {
				w.Condition = &theirs
			}
			require(&w, "PK", held)
			conditioned := aws.ToString(w.Condition)
			put := WithoutConditions(w.Input()).(*dynamodb.PutItemInput)
			if found := aws.ToString(put.ConditionExpression); found != theirs || len(put.ExpressionAttributeNames) != 3 || len(put.ExpressionAttributeValues) != 1 {
				t.Errorf("%s: expected %q, found %q with %v, %v", conditioned, theirs, found, put.ExpressionAttributeNames, put.ExpressionAttributeValues)
			}
		}
	}
}

// An update without its mark is the caller's.
func TestMarksAreTakenBack(t *testing.T) {
	for _, theirs := range []string{"", "ADD #set :set", "SET #set = :set, a.b = :c", "REMOVE c set #set=:set", "delete #set :set SET x = :set"} {
		w := &write{change: Update, sent: sdk.Write{Kind: accesspatterns.Update, Names: map[string]string{"#set": "n"}, Values: map[string]types.AttributeValue{":set": &types.AttributeValueMemberN{Value: "1"}}}}
		if theirs != "" {
			w.sent.Update = &theirs
		}
		w.mark(newMark())
		require(&w.sent, "PK", w.before)
		marked := aws.ToString(w.sent.Update)
		update := WithoutConditions(w.sent.Input()).(*dynamodb.UpdateItemInput)
		if aws.ToString(update.UpdateExpression) != theirs || update.ConditionExpression != nil || len(update.ExpressionAttributeNames) != 1 || len(update.ExpressionAttributeValues) != 1 || !strings.Contains(marked, markName) {
			t.Errorf("%s: expected %q, found %+v", marked, theirs, update)
		}
		if put := WithoutConditions(&dynamodb.PutItemInput{TableName: aws.String("t"), Item: accesspatterns.Item{"PK": newMark(), Mark: newMark()}}).(*dynamodb.PutItemInput); len(put.Item) != 1 {
			t.Errorf("expected the item without its mark, found %v", put.Item)
		}
	}
}

// A key is the run's own however its Number is written: DynamoDB answers 1 where 1.0 was written.
func TestAPlannedKeyIsItsValue(t *testing.T) {
	p := &Protection{planned: map[string]bool{}}
	number := func(text string) accesspatterns.Item {
		return accesspatterns.Item{"n": &types.AttributeValueMemberN{Value: text}}
	}
	p.planned[keyID("t", number("1.0"))] = true
	if !p.planned[keyID("t", number("1"))] || p.planned[keyID("t", number("1.01"))] {
		t.Error("expected 1 to be the key that was planned as 1.0, and 1.01 another")
	}
}
