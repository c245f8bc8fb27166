package session

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/recorder"
)

// indexed is an item that an index has to show, because it was loaded or put back.
type indexed struct {
	at   partition
	key  accesspatterns.Item // the table's primary key
	item accesspatterns.Item
}

func (i indexed) id() string { return i.at.id() + " " + dynamo.KeyID(i.key) }

// Place names an index: the deployed table and the index's name.
type Place struct{ Table, Index string }

// expectInIndexes notes that every index whose key an item carries has to show it
// before what the index does not show can be believed to be absent.
func expectInIndexes(s *Session, table *accesspatterns.Table, item accesspatterns.Item) {
	name, err := s.TableName(table.ID)
	if err != nil {
		return // the claims about the table report it
	}
	for index := range lists.Each(table.Indexes) {
		if !index.Keys().In(item) {
			continue // the index does not hold it
		}
		shown := indexed{
			at:  partition{name, index.Name, index.PartitionKey.Attribute, item[index.PartitionKey.Attribute]},
			key: table.KeyOf(item), item: item,
		}
		lists.Inner(s.awaitedIn, Place{name, index.Name})[shown.id()] = shown
	}
}

// expectNoLonger forgets what indexes had to show of an item that was written to.
func expectNoLonger(s *Session, touch TouchedKey) {
	for _, open := range s.awaitedIn {
		for id, each := range open {
			if name, err := s.TableName(touch.Table.ID); err == nil && each.at.table == name && dynamo.EqualItems(each.key, touch.Key) {
				delete(open, id)
			}
		}
	}
}

// Settle waits, within the bound, until every index has shown every item that it
// has to show. An index is written behind its table, so that an item which must not
// be there is seen to be absent only when those that must be there have come. What
// an index never showed is kept in [Session.Unshown].
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.Writes
func (s *Session) Settle(ctx context.Context) {
	ctx = recorder.WithClaim(ctx, recorder.Settling)
	for _, at := range slices.SortedFunc(maps.Keys(s.awaitedIn), func(a, b Place) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Index, b.Index))
	}) {
		open := s.awaitedIn[at]
		waited := s.Unshown[at] != "" // for what it still has not shown: it is not waited for again
		err := lookUntil(ctx, s, func() (bool, error) {
			err := showing(ctx, s, open)
			return waited || len(open) == 0, err
		})
		if ctx.Err() != nil {
			return // not looked at to the end
		}
		delete(s.Unshown, at)
		if err == nil && !waited {
			stillThere(ctx, s, open)
		}
		if err != nil || len(open) == 0 {
			delete(s.awaitedIn, at) // the claims that read the index report why it does not answer
		} else {
			first := open[slices.Sorted(maps.Keys(open))[0]]
			s.Unshown[at] = fmt.Sprintf("index %s of %s has not shown %d items within %s, such as %s, so that what it does not show may come later",
				at.Index, at.Table, len(open), s.Bounds.IndexRead, dynamo.ShowItem(first.key))
		}
	}
}

// stillThere removes the items that their table does not hold any more: an index
// cannot show them, and the claims about the items say that they are lost.
func stillThere(ctx context.Context, s *Session, open map[string]indexed) {
	for id, each := range open {
		answer, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(each.at.table), Key: each.key, ConsistentRead: aws.Bool(true)})
		if err == nil && !dynamo.EqualItems(each.item, answer.Item) {
			delete(open, id)
		}
	}
}

// showing reads the partitions of the items once, and removes those that are shown
// as they were written, and those that an existing stack does not let the run see.
func showing(ctx context.Context, s *Session, open map[string]indexed) error {
	inPartition := map[string][]indexed{}
	for _, each := range open {
		inPartition[each.at.id()] = append(inPartition[each.at.id()], each)
	}
	for _, id := range slices.Sorted(maps.Keys(inPartition)) {
		var found []accesspatterns.Item
		err := Pages(ctx, s.Client, inPartition[id][0].at.query(), func(items []accesspatterns.Item) bool {
			found = append(found, items...)
			return true
		})
		if err != nil && failures.Classify(err) != failures.Withheld {
			return err
		}
		for _, each := range inPartition[id] {
			if err != nil || slices.ContainsFunc(found, func(shown accesspatterns.Item) bool { return projected(shown, each.key) && projected(each.item, shown) }) {
				delete(open, each.id())
			}
		}
	}
	return nil
}

// projected reports whether every attribute of a part is in the whole with the same
// value.
func projected(whole, part accesspatterns.Item) bool {
	for attribute, value := range part {
		if found, present := whole[attribute]; !present || !dynamo.Equal(value, found) {
			return false
		}
	}
	return true
}
