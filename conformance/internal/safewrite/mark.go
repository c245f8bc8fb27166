package safewrite

import (
	"crypto/rand"
	"errors"
	"maps"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/sdk"
)

// Mark is an attribute that every item of a run bears while it stands among items of others. Its
// value is random, so that a condition that names it is met by the run's own item alone:
// DynamoDB has no condition that an item of key attributes, or one with few others, would
// meet and an item that somebody puts in its place would not. Callers never see it.
const Mark = "dynaproof:run"

func newMark() types.AttributeValue { return &types.AttributeValueMemberS{Value: rand.Text()} }

// The placeholders of the mark in an update expression, and what is added to one.
const (
	markName, markValue = "#dynaproofMark", ":dynaproofMark"
	marking             = " " + markName + " = " + markValue
)

// clauseSet is the keyword of an update expression's clause of assignments. A reserved word is
// no attribute's name there.
var clauseSet = regexp.MustCompile(`(?i)(^|[^#:.\w])SET\b`)

// mark lets a write leave the mark on the item that it makes. What it changes is no map of the
// caller's.
func (w *write) mark(mark types.AttributeValue) {
	switch {
	case w.change == Put:
		w.sent.Item = maps.Clone(w.sent.Item)
		w.sent.Item[Mark] = mark
	case w.change == Update && w.before == nil:
		text := aws.ToString(w.sent.Update)
		if at := clauseSet.FindStringIndex(text); at != nil {
			text = text[:at[1]] + marking + "," + text[at[1]:]
		} else {
			text += " SET" + marking
		}
		w.sent.Update = &text
		w.sent.Names, w.sent.Values = copied(w.sent.Names), copied(w.sent.Values)
		w.sent.Names[markName], w.sent.Values[markValue] = Mark, mark
	}
}

// unmark takes back what mark added.
func unmark(w *sdk.Write) {
	if w.Item[Mark] != nil {
		w.Item = maps.Clone(w.Item)
		delete(w.Item, Mark)
	}
	if !strings.Contains(aws.ToString(w.Update), markName) {
		return
	}
	text := strings.Replace(strings.TrimSuffix(*w.Update, " SET"+marking), marking+",", "", 1)
	w.Update = &text
	if text == "" {
		w.Update = nil
	}
}

// unmarked takes the mark out of all items of an answer, or of a refusal.
func (p *Protection) unmarked(result any, err error) {
	bare := func(item accesspatterns.Item) accesspatterns.Item {
		if !dynamo.Equal(item[Mark], p.mark) {
			return item
		}
		delete(item, Mark)
		if len(item) == 0 {
			return nil
		}
		return item
	}
	sdk.EachItem(result, func(item *accesspatterns.Item) { *item = bare(*item) })
	var failed *types.ConditionalCheckFailedException
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &failed) {
		failed.Item = bare(failed.Item)
	}
	if errors.As(err, &cancelled) {
		for i := range cancelled.CancellationReasons {
			cancelled.CancellationReasons[i].Item = bare(cancelled.CancellationReasons[i].Item)
		}
	}
}

// carriedOut is the answer to a request that an earlier attempt carried out, whose own answer was
// lost; nil where it would have told of an item.
func carriedOut(parameters any, writes []*write) any {
	for _, w := range writes {
		if w.sent.Returns != "" && w.sent.Returns != types.ReturnValueNone {
			return nil
		}
	}
	switch parameters.(type) {
	case *dynamodb.PutItemInput:
		return &dynamodb.PutItemOutput{}
	case *dynamodb.UpdateItemInput:
		return &dynamodb.UpdateItemOutput{}
	case *dynamodb.DeleteItemInput:
		return &dynamodb.DeleteItemOutput{}
	}
	return &dynamodb.TransactWriteItemsOutput{}
}
