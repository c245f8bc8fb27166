package accesspatterns_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
)

func textOf(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }

func digitsOf(digits string) types.AttributeValue { return &types.AttributeValueMemberN{Value: digits} }

func TestBoundKeys(t *testing.T) {
	for condition, want := range map[string]string{
		"#p = :a AND begins_with(SK, :b)": `{"PK":{"S":"a"}}`,
		"(SK = :b) and #p=:a":             `{"PK":{"S":"a"},"SK":{"S":"b"}}`,
		"#p BETWEEN :a AND :b":            `{}`,
		"#p = :a AND PK = :b":             "expected one value for PK, found two",
		"#p = :a OR #p = :b":              "joined by AND",
		"#p = :c":                         "every :value",
		"":                                `key condition ""`,
	} {
		bound, err := accesspatterns.BoundKeys(&dynamodb.QueryInput{
			KeyConditionExpression: &condition, ExpressionAttributeNames: map[string]string{"#p": "PK"},
			ExpressionAttributeValues: accesspatterns.Item{":a": textOf("a"), ":b": textOf("b")},
		})
		found := accesspatterns.ShowItem(bound)
		if err != nil {
			found = err.Error()
		}
		if !strings.Contains(found, want) {
			t.Errorf("%q: expected %s, found %s", condition, want, found)
		}
	}
}

func TestAttributesOf(t *testing.T) {
	names := map[string]string{"#a": "sections", "#b": "private", "#c": "owner"}
	found := accesspatterns.AttributesOf(names, aws.String("NOT attribute_type(#a.#b, :s)"), nil, aws.String("SET #c = :c, n = #a"))
	if got := strings.Join(found, " "); got != "n owner sections" {
		t.Errorf("expected n owner sections, found %s", got)
	}
}

func TestApply(t *testing.T) {
	stored := accesspatterns.Item{"PK": textOf("p"), "n": digitsOf("1.5"), "at": textOf("then"), "old": textOf("o")}
	for _, row := range []struct {
		update, want string
		absent       bool
	}{
		{update: "SET #a = :now, n = n + :two REMOVE old", want: `{"PK":{"S":"p"},"at":{"S":"now"},"n":{"N":"3.5"}}`},
		{update: "SET n = n - :two", want: `{"PK":{"S":"p"},"at":{"S":"then"},"n":{"N":"-0.5"},"old":{"S":"o"}}`},
		{update: "SET at = if_not_exists(at, :now), new = if_not_exists(new, :now) REMOVE old, n", want: `{"PK":{"S":"p"},"at":{"S":"then"},"new":{"S":"now"}}`},
		{update: "SET at = :now", want: `{"PK":{"S":"p"},"at":{"S":"now"}}`, absent: true},
		{update: "SET n = n + :now", want: "expected two Numbers"},
		{update: "SET n = n + :two", want: "expected two Numbers", absent: true},
		{update: "SET m.part = :now", want: "a change of a top-level attribute"},
		{update: "SET l = list_append(l, :now)", want: "a change of a top-level attribute"},
		{update: "ADD n :two", want: "expected SET or REMOVE"},
		{update: "SET", want: "expected SET, REMOVE, ADD and DELETE"},
	} {
		write := accesspatterns.Write{Kind: accesspatterns.Update, Key: accesspatterns.Item{"PK": textOf("p")}, Update: &row.update,
			Names: map[string]string{"#a": "at"}, Values: accesspatterns.Item{":now": textOf("now"), ":two": digitsOf("2")}}
		before := stored
		if row.absent {
			before = nil
		}
		after, err := write.Apply(before)
		found := accesspatterns.ShowItem(after)
		if err != nil {
			found = err.Error()
		}
		if !strings.Contains(found, row.want) {
			t.Errorf("%s: expected %s, found %s", row.update, row.want, found)
		}
	}
	if len(stored) != 4 {
		t.Errorf("expected the stored item to stay as it is, found %s", accesspatterns.ShowItem(stored))
	}
}
