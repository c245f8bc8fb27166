package guard_test

import (
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/guard"
)

// TestActionsOfAStep sends the step of the design with none, one and several of what
// it may have, and with what it may not.
func TestActionsOfAStep(t *testing.T) {
	g, err := guard.New(contractOf(t, "tagged"), guard.ForRole("user"))
	require.NoError(t, err)
	const always = "SET changedAt = :now, createdAt = if_not_exists(createdAt, :now)"
	change := func(expression string) types.TransactWriteItem {
		return types.TransactWriteItem{Update: &types.Update{TableName: aws.String("Notes"), Key: values{"PK": text("USER#u"), "SK": text("NOTE#1")},
			UpdateExpression: &expression, ExpressionAttributeValues: values{":now": text("9"), ":t": text("t"), ":m": &types.AttributeValueMemberM{Value: values{"text": text("x")}}, ":n": number("1")}}}
	}
	tag := func(tag, note, owner string) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{TableName: aws.String("Notes"), Item: values{"PK": text("TAG#" + tag), "SK": text("NOTE#" + note), "owner": text(owner)}}}
	}
	untag := func(tag, note string) types.TransactWriteItem {
		return types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String("Notes"), Key: values{"PK": text("TAG#" + tag), "SK": text("NOTE#" + note)}}}
	}
	shelf := func(user string) types.TransactWriteItem {
		return types.TransactWriteItem{Update: &types.Update{TableName: aws.String("Notes"), Key: values{"PK": text("USER#" + user), "SK": text("SHELF")},
			UpdateExpression: aws.String("SET seen = :now"), ExpressionAttributeValues: values{":now": text("9")}}}
	}
	for _, row := range []struct {
		name    string
		allowed bool
		writes  []types.TransactWriteItem
	}{
		{"nothing but what is always there", true, []types.TransactWriteItem{change(always)}},
		{"one of each", true, []types.TransactWriteItem{change(always), tag("a", "1", "u"), untag("b", "1"), shelf("u")}},
		{"several in any order", true, []types.TransactWriteItem{untag("x", "1"), tag("a", "1", "u"), change(always), tag("b", "1", "u"), untag("y", "1"), tag("c", "1", "u")}},
		{"without what is needed", false, []types.TransactWriteItem{tag("a", "1", "u")}},
		{"what is needed twice", false, []types.TransactWriteItem{change(always), change(always)}},
		{"at most once twice", false, []types.TransactWriteItem{change(always), shelf("u"), shelf("u")}},
		{"a tag of another note", false, []types.TransactWriteItem{change(always), tag("a", "2", "u")}},
		{"a tag of another owner", false, []types.TransactWriteItem{change(always), tag("a", "1", "v")}},
		{"the second tag of another owner", false, []types.TransactWriteItem{change(always), tag("a", "1", "u"), tag("b", "1", "v")}},
		{"a tag of another note goes", false, []types.TransactWriteItem{change(always), untag("b", "1"), untag("c", "2")}},
		{"the shelf of another", false, []types.TransactWriteItem{change(always), shelf("v")}},
		{"further attributes", true, []types.TransactWriteItem{change(always + ", body = :m, title = :t")}},
		{"a place within one", true, []types.TransactWriteItem{change(always + ", body.#text = :t")}},
		{"one goes", true, []types.TransactWriteItem{change(always + " REMOVE title")}},
		{"an attribute that it may not change", false, []types.TransactWriteItem{change(always + ", #owner = :t")}},
		{"a value of another form", false, []types.TransactWriteItem{change(always + ", title = :n")}},
		{"the removal of a required one", false, []types.TransactWriteItem{change(always + " REMOVE body")}},
		{"an edit computed from what is stored", false, []types.TransactWriteItem{change(always + ", title = changedAt")}},
		{"without an assignment", false, []types.TransactWriteItem{change("SET changedAt = :now, title = :t")}},
		{"what is kept overwritten", false, []types.TransactWriteItem{change("SET changedAt = :now, createdAt = :now")}},
	} {
		for i := range row.writes {
			if u := row.writes[i].Update; u != nil && u.ExpressionAttributeNames == nil {
				u.ExpressionAttributeNames = map[string]string{"#text": "text", "#owner": "owner"}
			}
		}
		_, err := g.Check(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: row.writes})
		assert.Equal(t, row.allowed, err == nil, "%s: expected allowed %v, found %v", row.name, row.allowed, err)
		if u := row.writes[0].Update; len(row.writes) == 1 && u != nil {
			_, alone := g.Check(t.Context(), &dynamodb.UpdateItemInput{TableName: u.TableName, Key: u.Key, UpdateExpression: u.UpdateExpression,
				ExpressionAttributeNames: u.ExpressionAttributeNames, ExpressionAttributeValues: u.ExpressionAttributeValues})
			assert.Equal(t, row.allowed, alone == nil, "%s, alone: expected allowed %v, found %v", row.name, row.allowed, alone)
		}
	}
}

// TestEveryWayIsTried sends requests whose parts fit the documented ones in several ways,
// of which one is right, in both orders.
func TestEveryWayIsTried(t *testing.T) {
	g, err := guard.New(contractOf(t, "counters"), guard.ForRole("user"))
	require.NoError(t, err)
	of := func(board, check string) []types.TransactWriteItem {
		place := func(sort string) values { return values{"PK": text("B"), "SK": text(sort)} }
		return []types.TransactWriteItem{
			{Update: &types.Update{TableName: aws.String("Boards"), Key: place("BOARD"), UpdateExpression: &board, ExpressionAttributeValues: values{":1": number("1"), ":t": text("t")}}},
			{ConditionCheck: &types.ConditionCheck{TableName: aws.String("Boards"), Key: place("CARD#2"), ConditionExpression: &check,
				ExpressionAttributeNames: map[string]string{"#at": "at"}, ExpressionAttributeValues: values{":n": text("now"), ":m": text("then"), ":l": text("later")}}},
			{Update: &types.Update{TableName: aws.String("Boards"), Key: place("CARD#1"), UpdateExpression: aws.String("SET #at = :n"),
				ExpressionAttributeNames: map[string]string{"#at": "at"}, ExpressionAttributeValues: values{":n": text("now")}}},
		}
	}
	const both, once = "SET n.a = n.a + :1, n.b = n.b + :1", "#at <> :n"
	for _, row := range []struct {
		name    string
		allowed bool
		writes  []types.TransactWriteItem
	}{
		{"as documented", true, of(both, once)},
		{"a further term before the documented one", true, of(both, "#at <> :m AND #at <> :n")},
		{"alternatives of which each is documented, and one is the other write's", false, of(both, "#at <> :m OR #at <> :n")},
		{"terms of other moments alone", false, of(both, "#at <> :m AND #at <> :l")},
		{"one documented change, and one that is none", false, of("SET n.a = n.a + :1, note = :t", once)},
	} {
		for range 2 {
			_, err := g.Check(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: row.writes})
			assert.Equal(t, row.allowed, err == nil, "%s: expected allowed %v, found %v", row.name, row.allowed, err)
			row.writes[0], row.writes[2] = row.writes[2], row.writes[0]
		}
	}
}

// TestAllPatternsAreTold holds the guard to tell every step that a request is.
func TestAllPatternsAreTold(t *testing.T) {
	design := contractOf(t, "tagged")
	again := design.Patterns[0]
	again.ID = "change-note-again"
	other := again
	other.ID, other.Roles = "of-another-role", []string{"nobody"}
	design.Patterns = append(design.Patterns, again, other)
	g, err := guard.New(design, guard.ForRole("user"))
	require.NoError(t, err)
	decision, err := g.Check(t.Context(), &dynamodb.UpdateItemInput{TableName: aws.String("Notes"), Key: values{"PK": text("USER#u"), "SK": text("NOTE#1")},
		UpdateExpression: aws.String("SET changedAt = :now, createdAt = if_not_exists(createdAt, :now)"), ExpressionAttributeValues: values{":now": text("9")}})
	want := []guard.Admission{{Pattern: "change-note", Step: "write"}, {Pattern: "change-note-again", Step: "write"}}
	if err != nil || decision.Admission != want[0] || !slices.Equal(decision.All, want) {
		t.Errorf("expected %v, found %v and %v", want, decision, err)
	}
}
