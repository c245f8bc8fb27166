package accesspatterns_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/tabletest"
)

func TestEqual(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name   string
		Values map[string]any // a and b
		Equal  bool
	}](t, "equal.yaml") {
		values := tabletest.Item(t, row.Values)
		assert.Equal(t, row.Equal, dynamo.Equal(values["a"], values["b"]), row.Name)
		assert.Equal(t, row.Equal, dynamo.Equal(values["b"], values["a"]), "%s: the other way round", row.Name)
	}
}

func TestDifferences(t *testing.T) {
	got := dynamo.Differences(
		accesspatterns.Item{"a": text("x"), "b": digits("1"), "c": text("same")},
		accesspatterns.Item{"b": text("1"), "c": text("same"), "d": text("new")},
	)
	want := []string{
		`a: expected {"S":"x"}, found nothing`,
		`b: expected {"N":"1"}, found {"S":"1"}`,
		`d: expected nothing, found {"S":"new"}`,
	}
	assert.Empty(t, cmp.Diff(want, got), "differences (-want +got)")
}

func text(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }

func digits(value string) types.AttributeValue { return &types.AttributeValueMemberN{Value: value} }

// A message says a value in the same way in every run.
func TestShowOrdersTheMembersOfMaps(t *testing.T) {
	members := accesspatterns.Item{}
	for _, name := range []string{"f", "d", "b", "a", "c", "e", "<&>"} {
		members[name] = &types.AttributeValueMemberN{Value: "1"}
	}
	list := &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberM{Value: members}}}
	want := `{"L":[{"M":{"<&>":{"N":"1"},"a":{"N":"1"},"b":{"N":"1"},"c":{"N":"1"},"d":{"N":"1"},"e":{"N":"1"},"f":{"N":"1"}}}]}`
	for range 20 {
		require.Equal(t, want, dynamo.Show(list))
	}
}

// A value has one type, and so has each value in it. Of several that have not, the first by name is told, in every run.
func TestReadTakesOneType(t *testing.T) {
	const wrong = `{"S":"text","N":"1"}`
	for text, want := range map[string]string{
		`{"a":{"S":"text"},"b":{"M":{"S":{"L":[{"NS":["1"]},{"M":{}}]}}}}`:          "",
		`{"a":` + wrong + `,"b":` + wrong + `,"c":` + wrong + `,"d":` + wrong + `}`: "a: expected one type with its value, found N and S",
		`{"d":{},"c":{},"b":{},"a":{}}`:                                             "a: expected one type with its value, found none",
		`{"a":{"M":{"c":` + wrong + `,"b":{"L":[{"S":""},` + wrong + `]}}}}`:        "a: b: expected one type with its value, found N and S",
	} {
		for range 20 {
			_, err := dynamo.ReadItem([]byte(text))
			_, same := dynamo.Read([]byte(`{"M":` + text + `}`))
			if want == "" {
				require.NoError(t, errors.Join(err, same), text)
				continue
			}
			require.EqualError(t, err, want, text)
			require.EqualError(t, same, want, text)
		}
	}
}

// TestDecimal holds texts to what DynamoDB takes for a Number. Go's own readers take more, and some of it they never end.
func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1", "-1.50": "-3/2", "+1": "1", "1e0": "1", "1.0": "1", "1E+2": "100", "1e-2": "1/100", ".5": "1/2", "5.": "5", "10E-131": "1/" + "1" + strings.Repeat("0", 130), "0.000001E131": "1" + strings.Repeat("0", 125), "007": "7", "-0": "0",
		"99999999999999999999999999999999999999": "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000000000001": "1/100000000000000000000000000000000000000000000",
		"": "", "-": "", ".": "", "e1": "", "1e": "", "1e1.5": "", "--1": "", "1.2.3": "", "1-2": "", " 1": "", "1 ": "", "1_000": "", "1/2": "", "0x10": "", "0b1": "", "1p3": "", "NaN": "", "Inf": "", "-Infinity": "", "one": "",
		"100000000000000000000000000000000000001.5": "", "1e126": "", "-1e130": "", "10e125": "", "0.1e-130": "", "1e131": "", "1e-131": "", "0e130": "0", "1e1000000000": "", "1" + strings.Repeat("0", 1000): "",
	} {
		got, is := dynamo.Decimal(text)
		assert.True(t, is == (want != "") && (!is || got.RatString() == want), "%q: expected %q, found %v, %v", text, want, got, is)
	}
}

func TestTableName(t *testing.T) {
	for given, expected := range map[string]string{
		"users": "users",
		"arn:aws:dynamodb:us-east-1:000000000000:table/users":               "users",
		"arn:aws:dynamodb:us-east-1:000000000000:table/users/index/by-name": "users",
		"arn:aws:s3:::bucket": "",
	} {
		assert.Equal(t, expected, dynamo.TableName(given), given)
	}
}

// The sizes are counted by hand after AWS's page on item sizes.
func TestSize(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name  string
		Item  map[string]any
		Bytes int
	}](t, "sizes.yaml") {
		assert.Equal(t, row.Bytes, dynamo.Size(tabletest.Item(t, row.Item)), row.Name)
	}
}

// DynamoDB keeps a Number as its value, so that "1" and "1.0" are one key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
func TestKeyTextIsThatOfEqualKeys(t *testing.T) {
	table := &accesspatterns.Table{ID: "t", PartitionKey: accesspatterns.Key{Attribute: "pk", Type: dynamo.String}, SortKey: &accesspatterns.Key{Attribute: "sk", Type: dynamo.Number}}
	key := func(pk, sk types.AttributeValue) accesspatterns.Item { return accesspatterns.Item{"pk": pk, "sk": sk} }
	text := func(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
	number := func(value string) types.AttributeValue { return &types.AttributeValueMemberN{Value: value} }
	all := []accesspatterns.Item{
		key(text("a"), number("1")), key(text("a"), number("1.0")), key(text("a"), number("1E0")), key(text("a"), number("1.5")), key(text("a"), number("15e-1")), key(text("1"), number("1")),
		key(text("a"), number("0")), key(text("a"), number("-0.0")), key(text("a"), number("1e-130")), key(text("a"), number("9.9e125")), key(text("a"), number("99e124")),
		key(text("a"), text("1")), key(text("a"), &types.AttributeValueMemberB{Value: []byte("1")}), key(text("a"), number("none")), key(text(`a"} {"S":"b`), number("1")),
	}
	for i, one := range all {
		for _, other := range all[i:] {
			equal := dynamo.EqualItems(one, other) || dynamo.ShowItem(one) == dynamo.ShowItem(other)
			assert.Equal(t, equal, evaluate.KeyText(table, one) == evaluate.KeyText(table, other), "%s and %s", dynamo.ShowItem(one), dynamo.ShowItem(other))
			assert.Equal(t, equal, dynamo.KeyID(one) == dynamo.KeyID(other), "%s and %s", dynamo.ShowItem(one), dynamo.ShowItem(other))
		}
	}
	put := func(item accesspatterns.Item) sdk.Write {
		return sdk.Write{Kind: accesspatterns.Put, Table: "t", Item: item}
	}
	known := func(string) (*accesspatterns.Table, bool) { return table, true }
	require.ErrorIs(t, evaluate.Tables{"t": {}}.Apply(known, []sdk.Write{put(all[0]), put(all[1])}), evaluate.ErrTwice)
	require.ErrorIs(t, evaluate.Tables{"t": {}}.Apply(known, []sdk.Write{put(key(text(""), number("1")))}), evaluate.ErrNotStored)
}
