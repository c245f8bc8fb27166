package guardtest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/guard"
)

// writeMutation changes one element of a documented transaction and reports
// whether it could.
type writeMutation struct {
	name string
	// never says that what comes out is documented nowhere; otherwise it must
	// not pass as the step that it was made from.
	never bool
	apply func(t *rapid.T, items []types.TransactWriteItem, i int) ([]types.TransactWriteItem, bool)
	// needed says that the changed write must be one without which the step is
	// another.
	needed bool
}

func clone(item types.TransactWriteItem) types.TransactWriteItem {
	if item.Put != nil {
		put := *item.Put
		put.Item = maps.Clone(put.Item)
		item.Put = &put
	}
	if item.Update != nil {
		update := *item.Update
		update.Key = maps.Clone(update.Key)
		item.Update = &update
	}
	if item.Delete != nil {
		remove := *item.Delete
		remove.Key = maps.Clone(remove.Key)
		item.Delete = &remove
	}
	if item.ConditionCheck != nil {
		check := *item.ConditionCheck
		check.Key = maps.Clone(check.Key)
		item.ConditionCheck = &check
	}
	return item
}

var writeMutations = []writeMutation{
	{"drop a write", false, func(_ *rapid.T, items []types.TransactWriteItem, i int) ([]types.TransactWriteItem, bool) {
		return slices.Delete(items, i, i+1), len(items) > 1
	}, true},
	{"another write twice", false, func(t *rapid.T, items []types.TransactWriteItem, i int) ([]types.TransactWriteItem, bool) {
		other := rapid.SampledFrom(items).Draw(t, "instead")
		differ := (other.Put == nil) != (items[i].Put == nil) || (other.Delete == nil) != (items[i].Delete == nil)
		items[i] = other
		return items, differ
	}, true},
	{"drop a condition", false, func(_ *rapid.T, items []types.TransactWriteItem, i int) ([]types.TransactWriteItem, bool) {
		switch item := &items[i]; {
		case item.Put != nil && item.Put.ConditionExpression != nil:
			item.Put.ConditionExpression = nil
		case item.Update != nil && item.Update.ConditionExpression != nil:
			item.Update.ConditionExpression = nil
		case item.Delete != nil && item.Delete.ConditionExpression != nil:
			item.Delete.ConditionExpression = nil
		case item.ConditionCheck != nil:
			item.ConditionCheck.ConditionExpression = aws.String("attribute_exists(somethingElse)")
		default:
			return items, false
		}
		return items, true
	}, false},
	{"weaken a condition", false, func(_ *rapid.T, items []types.TransactWriteItem, i int) ([]types.TransactWriteItem, bool) {
		condition := conditionOf(&items[i])
		if *condition == nil {
			return items, false
		}
		*condition = aws.String(**condition + " OR attribute_exists(#n0) OR attribute_not_exists(#n0)")
		return items, true
	}, false},
	{"another table", true, func(_ *rapid.T, items []types.TransactWriteItem, i int) ([]types.TransactWriteItem, bool) {
		switch item := &items[i]; {
		case item.Put != nil:
			item.Put.TableName = aws.String("Other")
		case item.Update != nil:
			item.Update.TableName = aws.String("Other")
		case item.Delete != nil:
			item.Delete.TableName = aws.String("Other")
		default:
			item.ConditionCheck.TableName = aws.String("Other")
		}
		return items, true
	}, false},
	{"another kind of key", true, func(t *rapid.T, items []types.TransactWriteItem, i int) ([]types.TransactWriteItem, bool) {
		key := keyOf(&items[i])
		name := rapid.SampledFrom(sortedCopy(keysOf(key))).Draw(t, "attribute")
		value, text := key[name].(*types.AttributeValueMemberS)
		if !text || (name != "PK" && name != "SK") || !strings.Contains(value.Value, "#") {
			return items, false
		}
		key[name] = &types.AttributeValueMemberS{Value: "OTHER#" + value.Value}
		return items, true
	}, false},
	{"an undocumented attribute", true, func(_ *rapid.T, items []types.TransactWriteItem, i int) ([]types.TransactWriteItem, bool) {
		if items[i].Put == nil {
			return items, false
		}
		items[i].Put.Item["colour"] = &types.AttributeValueMemberS{Value: "red"}
		return items, true
	}, false},
	{"a wrong type", true, func(t *rapid.T, items []types.TransactWriteItem, i int) ([]types.TransactWriteItem, bool) {
		if items[i].Put == nil {
			return items, false
		}
		name := rapid.SampledFrom(sortedCopy(keysOf(items[i].Put.Item))).Draw(t, "attribute")
		items[i].Put.Item[name] = &types.AttributeValueMemberBS{Value: [][]byte{{1}}}
		return items, true
	}, false},
	{"another assignment", false, func(_ *rapid.T, items []types.TransactWriteItem, i int) ([]types.TransactWriteItem, bool) {
		if items[i].Update == nil {
			return items, false
		}
		items[i].Update.UpdateExpression = aws.String(*items[i].Update.UpdateExpression + " REMOVE colour")
		return items, true
	}, false},
	{"a deletion instead", false, func(_ *rapid.T, items []types.TransactWriteItem, i int) ([]types.TransactWriteItem, bool) {
		if items[i].ConditionCheck == nil {
			return items, false
		}
		check := items[i].ConditionCheck
		items[i] = types.TransactWriteItem{Delete: &types.Delete{TableName: check.TableName, Key: check.Key, ConditionExpression: check.ConditionExpression,
			ExpressionAttributeNames: check.ExpressionAttributeNames, ExpressionAttributeValues: check.ExpressionAttributeValues}}
		return items, true
	}, false},
}

func conditionOf(item *types.TransactWriteItem) **string {
	switch {
	case item.Put != nil:
		return &item.Put.ConditionExpression
	case item.Update != nil:
		return &item.Update.ConditionExpression
	case item.Delete != nil:
		return &item.Delete.ConditionExpression
	}
	return &item.ConditionCheck.ConditionExpression
}

func keyOf(item *types.TransactWriteItem) map[string]types.AttributeValue {
	switch {
	case item.Put != nil:
		return item.Put.Item
	case item.Update != nil:
		return item.Update.Key
	case item.Delete != nil:
		return item.Delete.Key
	}
	return item.ConditionCheck.Key
}

// TestMutatedWritesAreNotTheStep breaks one part of a documented transaction.
func TestMutatedWritesAreNotTheStep(t *testing.T) {
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			var writes []documentedRequest
			g := guardFor(t, design)
			for _, r := range requestsOf(t, design) {
				if _, err := g.Check(t.Context(), r.input); r.step.Read == nil && err == nil {
					writes = append(writes, r)
				}
			}
			if len(writes) == 0 {
				t.Skip("the document has no write flow")
			}
			refused := map[string]int{}
			rapid.Check(t, func(t *rapid.T) {
				r := rapid.SampledFrom(writes).Draw(t, "request")
				var items []types.TransactWriteItem
				for _, item := range transacted(r.input) {
					items = append(items, clone(item))
				}
				m := rapid.SampledFrom(writeMutations).Draw(t, "mutation")
				at := rapid.IntRange(0, len(items)-1).Draw(t, "at")
				items, did := m.apply(t, items, at)
				if needed := r.needed(); !did || m.needed && at < len(needed) && !needed[at] {
					return
				}
				decision, err := g.Check(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: items})
				switch {
				case err != nil:
					refused[m.name]++
				case m.never:
					t.Fatalf("%s, %s: expected a refusal, passed as %q", r.where, m.name, decision.Pattern)
				case decision.Pattern == r.pattern.ID:
					t.Fatalf("%s, %s: passed as the step that it was made from", r.where, m.name)
				case decision.Pattern == "" && !onlyChecks(items):
					t.Fatalf("%s, %s: passed as a write that the document leaves open", r.where, m.name)
				}
			})
			if len(refused) == 0 {
				t.Error("expected refusals, found none")
			}
		})
	}
}

// onlyChecks says that nothing is left of a transaction but condition checks,
// which write nothing.
func onlyChecks(items []types.TransactWriteItem) bool {
	return !slices.ContainsFunc(items, func(item types.TransactWriteItem) bool { return item.ConditionCheck == nil })
}

// transacted returns the writes of a write step's request as those of a
// transaction.
func transacted(input any) []types.TransactWriteItem {
	switch input := input.(type) {
	case *dynamodb.TransactWriteItemsInput:
		return input.TransactItems
	case *dynamodb.PutItemInput:
		return []types.TransactWriteItem{{Put: &types.Put{TableName: input.TableName, Item: input.Item, ConditionExpression: input.ConditionExpression,
			ExpressionAttributeNames: input.ExpressionAttributeNames, ExpressionAttributeValues: input.ExpressionAttributeValues}}}
	case *dynamodb.UpdateItemInput:
		return []types.TransactWriteItem{{Update: &types.Update{TableName: input.TableName, Key: input.Key, UpdateExpression: input.UpdateExpression, ConditionExpression: input.ConditionExpression,
			ExpressionAttributeNames: input.ExpressionAttributeNames, ExpressionAttributeValues: input.ExpressionAttributeValues}}}
	case *dynamodb.DeleteItemInput:
		return []types.TransactWriteItem{{Delete: &types.Delete{TableName: input.TableName, Key: input.Key, ConditionExpression: input.ConditionExpression,
			ExpressionAttributeNames: input.ExpressionAttributeNames, ExpressionAttributeValues: input.ExpressionAttributeValues}}}
	case *dynamodb.BatchWriteItemInput:
		for name, requests := range input.RequestItems {
			if put := requests[0].PutRequest; put != nil {
				return []types.TransactWriteItem{{Put: &types.Put{TableName: &name, Item: put.Item}}}
			}
			return []types.TransactWriteItem{{Delete: &types.Delete{TableName: &name, Key: requests[0].DeleteRequest.Key}}}
		}
	}
	panic(fmt.Sprintf("expected the request of a write step, found %T", input))
}

// TestTransactionsOfOneAction sends every documented step of one action as a
// transaction: it is the same documented write.
func TestTransactionsOfOneAction(t *testing.T) {
	singles := 0
	eachRequest(t, func(t *testing.T, r documentedRequest) {
		if r.step.Read != nil || len(r.step.Write) != 1 {
			return
		}
		singles++
		for _, role := range r.pattern.Roles {
			if decision, err := guardFor(t, r.design, role).Check(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: transacted(r.input)}); err != nil || decision.Pattern == "" {
				t.Errorf("%s, role %s: expected it to pass as a documented step, found %q and %v", r.where, role, decision.Pattern, err)
			}
		}
	})
	if singles == 0 {
		t.Error("expected steps of one action, found none")
	}
}

// onlyRead are entities of personal-os that no flow writes.
var onlyRead = []string{"user-profile", "goal", "goal-activity", "metric", "metric-milestone", "project", "logbook-entry"}

// TestFixtureItems puts every loaded item of its entity: what a document leaves
// open passes, and what its flows put is refused with the rule that says so.
func TestFixtureItems(t *testing.T) {
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			requests := requestsOf(t, design)
			g := guardFor(t, design)
			for i := range requests[0].set.Items {
				item := &requests[0].set.Items[i]
				entity, known := design.Entity(item.Entity)
				if !known || item.Held || (item.Table != "" && item.Table != entity.Table) {
					continue
				}
				name, _ := tableName(design, entity.Table)
				_, err := g.Check(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: accesspatterns.Item(item.Item)})
				var refusal *guard.Refusal
				if err != nil && (!errors.As(err, &refusal) || refusal.Rule != guard.RuleStep) {
					t.Errorf("item %s: expected it to pass or to be left to a documented step, found %v", item.Name, err)
				}
				if design.Name == "personal-os" && err != nil && slices.Contains(onlyRead, entity.ID) {
					t.Errorf("item %s: expected it to pass, because no flow writes it, found %v", item.Name, err)
				}
			}
			for _, invalid := range requests[0].set.Invalid {
				of, _ := requests[0].set.Item(invalid.Of)
				entity, _ := design.Entity(invalid.Entity)
				item := maps.Clone(accesspatterns.Item(of.Item))
				maps.Copy(item, accesspatterns.Item(invalid.Set))
				for _, name := range invalid.Remove {
					delete(item, name)
				}
				name, _ := tableName(design, entity.Table)
				_, err := g.Check(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item})
				if err == nil {
					t.Errorf("invalid item %s: expected a refusal", invalid.Name)
				}
			}
		})
	}
}
