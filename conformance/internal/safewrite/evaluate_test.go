package safewrite_test

import (
	"encoding/json"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/safewrite"
)

// What engines disagree on is not computed.
func TestUpdateRefusesWhatIsNotCertain(t *testing.T) {
	list := &types.AttributeValueMemberL{Value: []types.AttributeValue{text("0"), text("1"), text("2")}}
	for _, update := range []string{"REMOVE l[0], l[2]", "SET l[9] = :v"} {
		w := sdk.Write{Kind: accesspatterns.Update, Key: key("a"), Update: &update, Values: accesspatterns.Item{":v": text("x")}}
		if got, err := evaluate.Update(&w, accesspatterns.Item{"pk": text("a"), "l": list}); err == nil {
			t.Errorf("%s: expected an error, found %s", update, dynamo.ShowItem(got))
		}
	}
}

// What an update makes of an item is what an engine makes of it, and where an engine
// refuses the update, nothing is computed.
func TestUpdateAsAnEngineDoes(t *testing.T) {
	s := newScene(t)
	decode := func(text string) accesspatterns.Item {
		item, err := attributevalue.UnmarshalMapJSON([]byte(text))
		require.NoError(t, err, text)
		return item
	}
	const before = `{"pk":{"S":"a"},"n":{"N":"1.5"},"s":{"S":"x"},"l":{"L":[{"S":"0"},{"S":"1"},{"S":"2"}]},"m":{"M":{"a":{"S":"x"},"d.e":{"S":"y"},"in":{"M":{"n":{"N":"7"}}}}},"set":{"SS":["a","b"]},"nums":{"NS":["1","2"]}}`
	for _, row := range []struct{ name, before, update, names, values string }{
		{"set and replace", before, "SET s = :v, another = :v", "", `{":v":{"S":"y"}}`},
		{"copy a path", before, "SET another = m.#in, s = l[1]", `{"#in":"in"}`, ""},
		{"right sides are of the item before", before, "SET s = n, n = s", "", ""},
		{"add to a Number", before, "SET n = n + :v", "", `{":v":{"N":"0.25"}}`},
		{"take away from a Number", before, "SET n = n - :v", "", `{":v":{"N":"10"}}`},
		{"a value minus a path", before, "SET n = :v - n", "", `{":v":{"N":"100"}}`},
		{"within a map", before, "SET m.a = :v, m.#d = :v, m.#in.n = m.#in.n + :one", `{"#d":"d.e","#in":"in"}`, `{":v":{"S":"z"},":one":{"N":"1"}}`},
		{"an element of a list", before, "SET l[1] = :v", "", `{":v":{"S":"new"}}`},
		{"behind a list", before, "SET l[3] = :v", "", `{":v":{"S":"new"}}`},
		{"if_not_exists on what is there", before, "SET n = if_not_exists(n, :zero) + :one", "", `{":zero":{"N":"0"},":one":{"N":"1"}}`},
		{"if_not_exists on what is not", before, "SET fresh = if_not_exists(fresh, :zero) + :one", "", `{":zero":{"N":"0"},":one":{"N":"1"}}`},
		{"append", before, "SET l = list_append(l, :more)", "", `{":more":{"L":[{"N":"3"}]}}`},
		{"append to what is not there", before, "SET q = list_append(if_not_exists(q, :none), :more)", "", `{":none":{"L":[]},":more":{"L":[{"N":"3"}]}}`},
		{"remove", before, "REMOVE s, m.a, l[1]", "", ""},
		{"remove what is not there", before, "REMOVE nothing, m.nothing, l[7]", "", ""},
		{"ADD to a Number and to nothing", before, "ADD n :v, fresh :v", "", `{":v":{"N":"3"}}`},
		{"ADD to sets", before, "ADD #set :v, nums :n", `{"#set":"set"}`, `{":v":{"SS":["b","c"]},":n":{"NS":["2","3"]}}`},
		{"DELETE from a set", before, "DELETE #set :v", `{"#set":"set"}`, `{":v":{"SS":["b","z"]}}`},
		{"DELETE a whole set", before, "DELETE #set :v", `{"#set":"set"}`, `{":v":{"SS":["b","a"]}}`},
		{"DELETE from nothing", before, "DELETE fresh :v", "", `{":v":{"SS":["b"]}}`},
		{"all sections", before, "SET s = :v REMOVE l ADD n :one DELETE #set :gone", `{"#set":"set"}`, `{":v":{"S":"y"},":one":{"N":"1"},":gone":{"SS":["a"]}}`},
		{"an item that is not there", "", "SET s = :v ADD n :one", "", `{":v":{"S":"y"},":one":{"N":"1"}}`},
		{"an element of a list of lists", `{"pk":{"S":"a"},"l":{"L":[{"L":[{"S":"0"},{"S":"1"}]}]}}`, "SET l[0][1] = :v REMOVE l[0][0]", "", `{":v":{"S":"y"}}`},
		{"an attribute whose name has a bracket", `{"pk":{"S":"a"},"x[0]":{"S":"0"},"x":{"L":[{"S":"1"}]}}`, "SET #x = :v", `{"#x":"x[0]"}`, `{":v":{"S":"y"}}`},
		{"nothing but the item", "", "", "", ""},
		// Refused.
		{"a path that is not there", before, "SET s = nothing", "", ""},
		{"into what is no map", before, "SET s.a = :v", "", `{":v":{"S":"y"}}`},
		{"into what is not there", before, "SET nothing.a = :v", "", `{":v":{"S":"y"}}`},
		{"text plus Number", before, "SET s = s + :v", "", `{":v":{"N":"1"}}`},
		{"ADD a Number to text", before, "ADD s :v", "", `{":v":{"N":"1"}}`},
		{"ADD a set to a Number", before, "ADD n :v", "", `{":v":{"SS":["1"]}}`},
		{"append to text", before, "SET s = list_append(s, :v)", "", `{":v":{"L":[]}}`},
		{"no value", before, "SET s = :none", "", `{":v":{"S":"y"}}`},
		{"no expression", before, "SET s", "", ""},
		{"another language", before, "UPSERT s = :v; DROP", "", `{":v":{"S":"y"}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			update := sdk.Write{Kind: accesspatterns.Update, Table: s.table, Key: key("a"), Returns: types.ReturnValueAllNew}
			if row.update != "" {
				update.Update = &row.update
			}
			if row.names != "" {
				require.NoError(t, json.Unmarshal([]byte(row.names), &update.Names))
			}
			if row.values != "" {
				update.Values = decode(row.values)
			}
			_, err := s.theirs.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(s.table), Key: key("a")})
			require.NoError(t, err)
			var item accesspatterns.Item
			if row.before != "" {
				item = decode(row.before)
				s.writtenByThem(t, item)
			}
			answer, refused := s.theirs.UpdateItem(t.Context(), update.Input().(*dynamodb.UpdateItemInput))
			got, err := evaluate.Update(&update, item)
			if (err == nil) != (refused == nil) {
				t.Fatalf("expected what the engine says, which is %v, found %v", refused, err)
			}
			if refused == nil && !dynamo.EqualItems(answer.Attributes, got) {
				t.Errorf("expected what the engine made: %s, found %s", dynamo.ShowItem(answer.Attributes), dynamo.ShowItem(got))
			}
			if row.before != "" && !dynamo.EqualItems(decode(row.before), item) {
				t.Errorf("expected the item before to stay as it was, found %s", dynamo.ShowItem(item))
			}
		})
	}
}

// What a condition decides is what an engine decides, for one term of each operator.
func TestHoldsAsAnEngineDoes(t *testing.T) {
	s := newScene(t)
	item, err := attributevalue.UnmarshalMapJSON([]byte(`{"pk":{"S":"a"},"n":{"N":"10"},"t":{"S":"b#1"},"e":{"S":""},"l":{"L":[{"S":"x"},{"N":"1"}]},"m":{"M":{"kid":{"S":"y"}}},"tags":{"SS":["a","b"]},"nums":{"NS":["1","2.0"]},"blank":{"NULL":true},"yes":{"BOOL":true}}`))
	require.NoError(t, err)
	s.writtenByThem(t, item)
	for _, row := range []struct{ condition, values string }{
		{"n = :v", `{":v":{"N":"10.0"}}`}, {"n = :v", `{":v":{"S":"10"}}`}, {"n <> :v", `{":v":{"S":"10"}}`}, {"gone <> :v", `{":v":{"S":"10"}}`}, {"gone = :v", `{":v":{"S":"10"}}`},
		{"n < :v", `{":v":{"N":"9"}}`}, {"n > :v", `{":v":{"N":"9"}}`}, {"n > :v", `{":v":{"S":"9"}}`}, {"n <= :v", `{":v":{"N":"10"}}`}, {"n >= :v", `{":v":{"N":"10.5"}}`}, {"gone < :v", `{":v":{"N":"9"}}`},
		{"n BETWEEN :v AND :w", `{":v":{"N":"9"},":w":{"N":"10"}}`}, {"t BETWEEN :v AND :w", `{":v":{"S":"b"},":w":{"S":"b#"}}`}, {"NOT n BETWEEN :v AND :w", `{":v":{"N":"1"},":w":{"N":"2"}}`},
		{"begins_with(t, :v)", `{":v":{"S":"b#"}}`}, {"begins_with(n, :v)", `{":v":{"S":"1"}}`}, {"NOT begins_with(t, :v)", `{":v":{"S":"c"}}`},
		{"contains(t, :v)", `{":v":{"S":"#"}}`}, {"contains(tags, :v)", `{":v":{"S":"b"}}`}, {"contains(nums, :v)", `{":v":{"N":"2"}}`}, {"contains(l, :v)", `{":v":{"N":"1"}}`}, {"contains(l, :v)", `{":v":{"S":"z"}}`}, {"contains(n, :v)", `{":v":{"S":"1"}}`},
		{"attribute_exists(m.kid)", ""}, {"attribute_exists(m.stranger)", ""}, {"attribute_exists(l[1])", ""}, {"attribute_exists(l[2])", ""}, {"attribute_not_exists(blank)", ""}, {"attribute_exists(blank)", ""},
		{"attribute_type(tags, :v)", `{":v":{"S":"SS"}}`}, {"attribute_type(yes, :v)", `{":v":{"S":"BOOL"}}`}, {"attribute_type(gone, :v)", `{":v":{"S":"S"}}`},
		{"size(t) = :v", `{":v":{"N":"3"}}`}, {"size(l) > :v", `{":v":{"N":"1"}}`}, {"size(tags) < :v", `{":v":{"N":"2"}}`}, {"size(m) = :v", `{":v":{"N":"1"}}`}, {"size(gone) > :v", `{":v":{"N":"0"}}`},
		{"m.kid = t", ""}, {"t = t", ""}, {"gone = gone", ""}, {"yes = :v", `{":v":{"BOOL":true}}`},
	} {
		w := sdk.Write{Kind: accesspatterns.Put, Table: s.table, Item: item, Condition: &row.condition}
		if row.values != "" {
			if w.Values, err = attributevalue.UnmarshalMapJSON([]byte(row.values)); err != nil {
				t.Fatal(err)
			}
		}
		source := expression.Source{Values: w.Values}
		var parsed expression.Conjunction
		if err := expression.ParseCondition(row.condition, source, &parsed); err != nil || parsed.N != 1 {
			t.Fatalf("%s: expected one term, found %d and %v", row.condition, parsed.N, err)
		}
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
		if refused != nil && !safewrite.IsConditionFailure(refused) {
			t.Fatalf("%s: expected an answer, found %v", row.condition, refused)
		}
		if got := evaluate.Holds(term.Op, evaluate.At(item, path), at(term.Low), at(term.High)); got != (refused == nil) {
			t.Errorf("%s with %s: expected what the engine says, which is %v, found %v", row.condition, row.values, refused, got)
		}
	}
}
