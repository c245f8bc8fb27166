package accesspatterns

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/dynamo"
)

func TestViews(t *testing.T) {
	text := func(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
	old, late, tenth := Item{"at": number("9"), "by": text("self")}, Item{"at": number("11"), "by": text("self")}, Item{"at": number("10"), "by": text("manager")}
	seen := map[string][]Item{"active": {tenth}, "inactive": {late, old}, "dated": {{"at": text("b")}, {"at": text("a")}}, "odd": {{"by": text("self")}}}
	for _, row := range []struct {
		name    string
		view    View
		want    []Item
		wantErr string
	}{
		{name: "several steps, one after the other", view: View{Of: []string{"active", "inactive"}}, want: []Item{tenth, late, old}},
		{name: "by a Number, not by its text", view: View{Of: []string{"active", "inactive"}, By: "at"}, want: []Item{old, tenth, late}},
		{name: "by text", view: View{Of: []string{"dated"}, By: "at"}, want: []Item{{"at": text("a")}, {"at": text("b")}}},
		{name: "told apart", view: View{Of: []string{"active", "inactive"}, Where: map[string]string{"by": "self"}}, want: []Item{late, old}},
		{name: "told apart and sorted", view: View{Of: []string{"inactive"}, Where: map[string]string{"by": "self"}, By: "at"}, want: []Item{old, late}},
		{name: "nobody's", view: View{Of: []string{"active"}, Where: map[string]string{"by": "self"}}},
		{name: "without what it is sorted by", view: View{Name: "all", Of: []string{"odd"}, By: "at"}, wantErr: "view all: expected a Number in every at"},
		{name: "of two types", view: View{Name: "all", Of: []string{"active", "dated"}, By: "at"}, wantErr: "view all"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := row.view.Items(seen)
			if row.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), row.wantErr) {
					t.Errorf("expected an error with %q, got %v", row.wantErr, err)
				}
				return
			}
			same := err == nil && len(got) == len(row.want)
			for i := range got {
				same = same && dynamo.EqualItems(row.want[i], got[i])
			}
			assert.True(t, same, "expected %v, got %v, %v", row.want, got, err)
		})
	}
}
