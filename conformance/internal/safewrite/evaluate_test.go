package safewrite_test

import (
	"cmp"
	"encoding/json"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/safewrite"
)

// What engines disagree on is not computed.
func TestUpdateRefusesWhatIsNotCertain(t *testing.T) {
	list := &types.AttributeValueMemberL{Value: []types.AttributeValue{text("0"), text("1"), text("2")}}
	for _, update := range []string{"REMOVE l[0], l[2]", "SET l[9] = :v"} {
		w := sdk.Write{Kind: accesspatterns.Update, Key: key("a"), Update: &update, Values: accesspatterns.Item{":v": text("x")}}
		got, err := evaluate.Update(&w, accesspatterns.Item{"pk": text("a"), "l": list})
		assert.Error(t, err, "%s: expected an error, found %s", update, dynamo.ShowItem(got))
	}
}

// decoded is an item from its JSON.
func decoded(t *testing.T, text string) accesspatterns.Item {
	t.Helper()
	item, err := attributevalue.UnmarshalMapJSON([]byte(text))
	require.NoError(t, err, text)
	return item
}

// What an update makes of an item is what an engine makes of it, and where an engine
// refuses the update, nothing is computed.
func TestUpdateAsAnEngineDoes(t *testing.T) {
	s := newScene(t)
	const before = `{"pk":{"S":"a"},"n":{"N":"1.5"},"s":{"S":"x"},"l":{"L":[{"S":"0"},{"S":"1"},{"S":"2"}]},"m":{"M":{"a":{"S":"x"},"d.e":{"S":"y"},"in":{"M":{"n":{"N":"7"}}}}},"set":{"SS":["a","b"]},"nums":{"NS":["1","2"]}}`
	for _, row := range tabletest.Read[[]struct {
		Name, Before, Update, Names, Values string
		Absent                              bool
	}](t, "updates.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			update := sdk.Write{Kind: accesspatterns.Update, Table: s.table, Key: key("a"), Returns: types.ReturnValueAllNew}
			if row.Update != "" {
				update.Update = &row.Update
			}
			if row.Names != "" {
				require.NoError(t, json.Unmarshal([]byte(row.Names), &update.Names))
			}
			if row.Values != "" {
				update.Values = decoded(t, row.Values)
			}
			_, err := s.theirs.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(s.table), Key: key("a")})
			require.NoError(t, err)
			var item accesspatterns.Item
			stored := cmp.Or(row.Before, before)
			if !row.Absent {
				item = decoded(t, stored)
				s.writtenByThem(t, item)
			}
			answer, refused := s.theirs.UpdateItem(t.Context(), update.Input().(*dynamodb.UpdateItemInput))
			got, err := evaluate.Update(&update, item)
			require.Equal(t, refused == nil, err == nil, "expected what the engine says, which is %v, found %v", refused, err)
			if refused == nil {
				assert.True(t, dynamo.EqualItems(answer.Attributes, got), "expected what the engine made: %s, found %s", dynamo.ShowItem(answer.Attributes), dynamo.ShowItem(got))
			}
			assert.True(t, row.Absent || dynamo.EqualItems(decoded(t, stored), item), "expected the item before to stay as it was, found %s", dynamo.ShowItem(item))
		})
	}
}

// What a condition decides is what an engine decides, for one term of each operator.
func TestHoldsAsAnEngineDoes(t *testing.T) {
	s := newScene(t)
	item := decoded(t, `{"pk":{"S":"a"},"n":{"N":"10"},"t":{"S":"b#1"},"wide":{"S":"é𝄞"},"e":{"S":""},"l":{"L":[{"S":"x"},{"N":"1"}]},"m":{"M":{"kid":{"S":"y"}}},"tags":{"SS":["a","b"]},"nums":{"NS":["1","2.0"]},"blank":{"NULL":true},"yes":{"BOOL":true},"bytes":{"B":"YWI="},"several":{"BS":["YWI=","Yw=="]}}`)
	s.writtenByThem(t, item)
	for _, row := range tabletest.Read[[]struct{ Condition, Values string }](t, "conditions.yaml") {
		w := sdk.Write{Kind: accesspatterns.Put, Table: s.table, Item: item, Condition: &row.Condition}
		if row.Values != "" {
			w.Values = decoded(t, row.Values)
		}
		source := expression.Source{Values: w.Values}
		var parsed expression.Conjunction
		require.NoError(t, expression.ParseCondition(row.Condition, source, &parsed), "%s", row.Condition)
		require.Equal(t, 1, parsed.N, "%s: expected one term", row.Condition)
		at := func(operand expression.Operand) types.AttributeValue {
			if operand.Path == "" {
				return operand.Value
			}
			path, _ := evaluate.PathOf(source, operand.Path)
			return evaluate.At(item, path)
		}
		term := parsed.Terms[0]
		path, _ := evaluate.PathOf(source, term.Path)
		_, refused := s.theirs.PutItem(t.Context(), w.Input().(*dynamodb.PutItemInput))
		require.True(t, refused == nil || safewrite.IsConditionFailure(refused), "%s: expected an answer, found %v", row.Condition, refused)
		got := evaluate.Holds(term.Op, evaluate.At(item, path), at(term.Low), at(term.High))
		assert.Equal(t, refused == nil, got, "%s with %s: expected what the engine says, which is %v", row.Condition, row.Values, refused)
	}
}
