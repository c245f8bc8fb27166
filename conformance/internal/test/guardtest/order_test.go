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

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/sdk"
)

// orders calls do with every order of n things up to five of them, and of more with
// every rotation, forwards and backwards.
func orders(n int, do func(order []int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if n > 5 {
		for range n {
			order = append(order[1:], order[0])
			do(order)
			reversed := slices.Clone(order)
			slices.Reverse(reversed)
			do(reversed)
		}
		return
	}
	var permute func(from int)
	permute = func(from int) {
		if from == n {
			do(order)
			return
		}
		for i := from; i < n; i++ {
			order[from], order[i] = order[i], order[from]
			permute(from + 1)
			order[from], order[i] = order[i], order[from]
		}
	}
	permute(0)
}

// judged is what a guard says of a transaction: the steps that admit it, or the rules of
// its refusals, which may name any of several mistakes first.
func judged(t testing.TB, g *guard.Guard, writes []sdk.Write) string {
	t.Helper()
	decision, err := g.Check(t.Context(), transaction(writes))
	if errors.Is(err, guard.ErrRefused) {
		return "refused"
	} else if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(decision.All)
}

// renamed is a write whose key attribute has another value. What its item repeats of
// the value's last segment changes with it, so that the item stays one of its entity.
func renamed(w sdk.Write, attribute, value string) sdk.Write {
	last := func(text string) string { return text[strings.LastIndexByte(text, '#')+1:] }
	place := maps.Clone(w.Place())
	was := last(accesspatterns.ScalarText(place[attribute]))
	for name, each := range place {
		if text, is := each.(*types.AttributeValueMemberS); is && text.Value == was {
			place[name] = &types.AttributeValueMemberS{Value: last(value)}
		}
	}
	place[attribute] = &types.AttributeValueMemberS{Value: value}
	if w.Kind == accesspatterns.Put {
		w.Item = place
	} else {
		w.Key = place
	}
	return w
}

// otherIDs are the changes of ids that tear a transaction: each segment of each key of a
// write, alone.
func otherIDs(writes []sdk.Write, i int, do func(changed []sdk.Write)) {
	place := writes[i].Place()
	for _, name := range sortedCopy(keysOf(place)) {
		if _, text := place[name].(*types.AttributeValueMemberS); !text || writes[i].Kind == accesspatterns.Put && !slices.Contains([]string{"PK", "SK", "pk", "sk"}, name) {
			continue
		}
		parts := strings.Split(accesspatterns.ScalarText(place[name]), "#")
		for at := range parts {
			other := slices.Clone(parts)
			other[at] += "0"
			changed := slices.Clone(writes)
			changed[i] = renamed(writes[i], name, strings.Join(other, "#"))
			do(changed)
		}
	}
}

// TestOrderSaysNothing judges every documented transaction, and every one that an id of
// one of its keys tears from the others, in every order: DynamoDB applies all of it at
// once, so that the order says nothing.
func TestOrderSaysNothing(t *testing.T) {
	admitted, refused := 0, 0
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			g := guardFor(t, design)
			seen := map[string]bool{}
			for _, r := range requestsOf(t, design) {
				if r.step.Read != nil || r.step.Batch > 0 {
					continue
				}
				writes := writesOf(t, r.input)
				if shape := fmt.Sprint(r.pattern.ID, r.step.Name, len(writes)); len(writes) < 2 || seen[shape] {
					continue
				} else {
					seen[shape] = true
				}
				alike := func(writes []sdk.Write, what string) {
					want := judged(t, g, writes)
					if want == "refused" {
						refused++
					} else {
						admitted++
					}
					orders(len(writes), func(order []int) {
						var other []sdk.Write
						for _, i := range order {
							other = append(other, writes[i])
						}
						if got := judged(t, g, other); got != want {
							t.Errorf("%s, %s: expected %s in every order, found %s in order %v", r.where, what, want, got, order)
						}
					})
				}
				alike(writes, "as documented")
				for i := range writes {
					otherIDs(writes, i, func(changed []sdk.Write) {
						alike(changed, fmt.Sprint("another key of write ", i+1, ", ", accesspatterns.ShowItem(changed[i].Place())))
					})
					alike(slices.Delete(slices.Clone(writes), i, i+1), fmt.Sprint("without write ", i+1))
				}
			}
		})
	}
	if admitted == 0 || refused == 0 {
		t.Errorf("expected transactions of both kinds, found %d admitted and %d refused", admitted, refused)
	}
	t.Logf("%d admitted, %d refused", admitted, refused)
}

// TestTiesOfPuts tears the keys of a transaction apart, where a put shares an id with
// another action: the request is another one than the documented, in any order.
func TestTiesOfPuts(t *testing.T) {
	for _, row := range []struct {
		design, pattern string
		// write is the place of the torn write, attribute its key attribute, and value what
		// stands there.
		write            int
		attribute, value string
	}{
		{"personal-os", "log-metric", 0, "sk", "METRIC#other"},
		{"personal-os", "log-metric", 1, "pk", "METRIC#other"},
		{"personal-os", "link-metric-to-goal", 0, "sk", "GOAL#other"},
		{"personal-os", "link-metric-to-goal", 1, "sk", "METRIC#other"},
		{"personal-os", "link-task-to-goal", 0, "sk", "TASK#other"},
		{"personal-os", "link-task-to-goal", 1, "sk", "GOAL#other"},
		{"personal-os", "link-task-to-project", 0, "sk", "TASK#other"},
		{"personal-os", "link-task-to-project", 1, "sk", "PROJECT#other"},
		{"personal-os", "link-habit-to-goal", 0, "sk", "HABIT#other"},
		{"personal-os", "unlink-task-from-goal", 0, "sk", "TASK#other"},
		{"personal-os", "unlink-task-from-project", 0, "sk", "TASK#other"},
		{"personal-os", "create-task-with-links", 2, "sk", "TASK#other"},
		{"personal-os", "create-task-with-links", 0, "sk", "GOAL#other"},
		{"personal-os", "create-task-with-links", 1, "sk", "PROJECT#other"},
		{"commit-collect", "mint-awards", 0, "SK", "MILESTONE#other"},
	} {
		t.Run(row.design+"/"+row.pattern+"/"+row.attribute+"="+row.value, func(t *testing.T) {
			design, err := designs.Find(row.design)
			if err != nil {
				t.Fatal(err)
			}
			g := guardFor(t, design)
			tried := false
			for _, r := range requestsOf(t, design) {
				if r.pattern.ID != row.pattern || r.step.Read != nil {
					continue
				}
				tried = true
				writes := writesOf(t, r.input)
				if as := judged(t, g, writes); !strings.Contains(as, "{"+row.pattern+" ") {
					t.Fatalf("%s: expected the documented request to be told, found %s", r.where, as)
				}
				writes[row.write] = renamed(writes[row.write], row.attribute, row.value)
				orders(len(writes), func(order []int) {
					var other []sdk.Write
					for _, i := range order {
						other = append(other, writes[i])
					}
					if as := judged(t, g, other); strings.Contains(as, "{"+row.pattern+" ") {
						t.Errorf("%s: expected another request in order %v, found %s", r.where, order, as)
					}
				})
			}
			if !tried {
				t.Error("expected a case of the pattern, found none")
			}
		})
	}
}

// TestRecordsAreTied changes one attribute of an item that a transaction of personal-os
// puts: a record of another task, of another reward, of another amount or kind.
func TestRecordsAreTied(t *testing.T) {
	design, err := designs.Find("personal-os")
	if err != nil {
		t.Fatal(err)
	}
	g := guardFor(t, design)
	text := func(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
	number := func(value string) types.AttributeValue { return &types.AttributeValueMemberN{Value: value} }
	for _, row := range []struct {
		pattern, attribute string
		value              types.AttributeValue
	}{
		{"award-task-points", "taskId", text("another")},
		{"award-task-points", "taskId", nil},
		{"award-task-points", "amount", number("1")},
		{"award-task-points", "type", text("manual")},
		{"redeem-reward", "rewardId", text("another")},
		{"redeem-reward", "rewardId", nil},
		{"redeem-reward", "amount", number("-1")},
		{"redeem-reward", "type", text("manual")},
		{"redeem-limited-reward", "rewardId", text("another")},
		{"redeem-limited-reward", "amount", number("-1")},
		{"spend-points", "amount", number("-1")},
		{"earn-points", "amount", number("1")},
	} {
		tried := false
		for _, r := range requestsOf(t, design) {
			if r.pattern.ID != row.pattern || r.step.Read != nil {
				continue
			}
			writes := writesOf(t, r.input)
			for i := range writes {
				if writes[i].Kind != accesspatterns.Put || writes[i].Item["amount"] == nil {
					continue
				}
				tried = true
				delete(writes[i].Item, row.attribute)
				if row.value != nil {
					writes[i].Item[row.attribute] = row.value
				}
			}
			if as := judged(t, g, writes); strings.Contains(as, "{"+row.pattern+" ") {
				t.Errorf("%s, another %s: expected another request, found %s", r.where, row.attribute, as)
			}
		}
		if !tried {
			t.Errorf("%s: expected a record, found none", row.pattern)
		}
	}
}

// TestPointsAreEarnedAboveZero earns what would be taken away, in every notation.
func TestPointsAreEarnedAboveZero(t *testing.T) {
	design, err := designs.Find("personal-os")
	if err != nil {
		t.Fatal(err)
	}
	g := guardFor(t, design)
	name, key := "personal-os", func(sort string) accesspatterns.Item {
		return accesspatterns.Item{"pk": &types.AttributeValueMemberS{Value: "USER#u"}, "sk": &types.AttributeValueMemberS{Value: sort}}
	}
	if table, err := tableName(design, "personal-os"); err == nil {
		name = table
	}
	for points, admitted := range map[string]bool{"30": true, "0.5": true, "0": false, "-0": false, "-1000": false, "-1e3": false} {
		update, free := "SET balance = balance + :p, lifetimeEarned = lifetimeEarned + :p, updatedAt = :n", "attribute_not_exists(pk)"
		number, moment := &types.AttributeValueMemberN{Value: points}, &types.AttributeValueMemberS{Value: "2026-01-01T00:00:00Z"}
		record := key("WALLET_TXN#2026-01-01T00:00:00Z")
		for attribute, value := range map[string]types.AttributeValue{"entityType": &types.AttributeValueMemberS{Value: "WALLET_TRANSACTION"}, "type": &types.AttributeValueMemberS{Value: "manual"},
			"amount": number, "userId": &types.AttributeValueMemberS{Value: "u"}, "createdAt": moment, "updatedAt": moment} {
			record[attribute] = value
		}
		_, err := g.Check(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Update: &types.Update{TableName: &name, Key: key("WALLET"), UpdateExpression: &update, ExpressionAttributeValues: accesspatterns.Item{":p": number, ":n": moment}}},
			{Put: &types.Put{TableName: &name, Item: record, ConditionExpression: &free}},
		}})
		if (err == nil) != admitted {
			t.Errorf("%s points: expected admitted %v, found %v", points, admitted, err)
		}
	}
}

// TestWithoutIndexKeys changes the status of a goal that has no index keys, as the
// document's own has none.
func TestWithoutIndexKeys(t *testing.T) {
	design, err := designs.Find("personal-os")
	if err != nil {
		t.Fatal(err)
	}
	g := guardFor(t, design)
	name, err := tableName(design, "personal-os")
	if err != nil {
		t.Fatal(err)
	}
	text := func(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
	for condition, admitted := range map[string]bool{
		"attribute_exists(pk)":                                                            false,
		"attribute_exists(pk) AND attribute_not_exists(gsi1sk)":                           true,
		"attribute_exists(pk) AND (attribute_not_exists(gsi1sk) OR attribute_exists(pk))": false,
		"attribute_exists(pk) AND attribute_not_exists(gsi2sk)":                           false,
		"attribute_exists(pk) AND attribute_exists(gsi1sk)":                               false,
	} {
		_, err := g.Check(t.Context(), &dynamodb.UpdateItemInput{
			TableName: &name, Key: accesspatterns.Item{"pk": text("USER#u"), "sk": text("GOAL#g")}, ConditionExpression: &condition,
			UpdateExpression: aws.String("SET #status = :s, updatedAt = :n"), ExpressionAttributeNames: map[string]string{"#status": "status"},
			ExpressionAttributeValues: accesspatterns.Item{":s": text("Active"), ":n": text("2026-01-01T00:00:00Z")},
		})
		if (err == nil) != admitted {
			t.Errorf("if %s: expected admitted %v, found %v", condition, admitted, err)
		}
		if err != nil && !strings.Contains(err.Error(), "ask for attribute_not_exists(gsi1sk)") {
			t.Errorf("if %s: expected the form that passes, found %v", condition, err)
		}
	}
}
