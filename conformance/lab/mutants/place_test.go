package mutants

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
)

func TestReplaced(t *testing.T) {
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	item := accesspatterns.Item{
		"a": text("1"),
		"m": &types.AttributeValueMemberM{Value: accesspatterns.Item{"b": text("2")}},
		"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberM{Value: accesspatterns.Item{"c": text("3")}}, text("4")}},
	}
	before := dynamo.ShowItem(item)
	for _, row := range []struct {
		at    place
		name  string
		value types.AttributeValue
		want  string
	}{
		{"a", "", nil, `{"l":{"L":[{"M":{"c":{"S":"3"}}},{"S":"4"}]},"m":{"M":{"b":{"S":"2"}}}}`},
		{"a", "z", text("1"), `{"l":{"L":[{"M":{"c":{"S":"3"}}},{"S":"4"}]},"m":{"M":{"b":{"S":"2"}}},"z":{"S":"1"}}`},
		{"m.b", "", text("9"), `{"a":{"S":"1"},"l":{"L":[{"M":{"c":{"S":"3"}}},{"S":"4"}]},"m":{"M":{"b":{"S":"9"}}}}`},
		{"l[0].c", "", nil, `{"a":{"S":"1"},"l":{"L":[{"M":{}},{"S":"4"}]},"m":{"M":{"b":{"S":"2"}}}}`},
		{"l[1]", "", nil, `{"a":{"S":"1"},"l":{"L":[{"M":{"c":{"S":"3"}}}]},"m":{"M":{"b":{"S":"2"}}}}`},
	} {
		got, err := row.at.replaced(item, row.name, row.value)
		if err != nil || dynamo.ShowItem(got) != row.want {
			t.Errorf("%s: expected %s, found %s, %v", row.at, row.want, dynamo.ShowItem(got), err)
		}
	}
	if after := dynamo.ShowItem(item); after != before {
		t.Errorf("expected the item to stay as it is, found %s", after)
	}
	for _, wrong := range []place{"l[7]", "a.b", "m[0]", "]"} {
		if _, err := wrong.replaced(item, "", text("x")); err == nil {
			t.Errorf("%s: expected an error, found none", wrong)
		}
	}
}
