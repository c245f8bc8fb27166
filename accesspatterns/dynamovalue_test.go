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
)

func TestEqual(t *testing.T) {
	set := func(values ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: values} }
	list := func(values ...types.AttributeValue) types.AttributeValue {
		return &types.AttributeValueMemberL{Value: values}
	}
	for _, row := range []struct {
		name string
		a, b types.AttributeValue
		want bool
	}{
		{"numbers by value", digits("1.50"), digits("1.5"), true},
		{"numbers with an exponent", digits("1E2"), digits("100"), true},
		{"numbers beyond a float's precision", digits("9007199254740993"), digits("9007199254740992"), false},
		{"text and number", text("1"), digits("1"), false},
		{"sets without order", set("a", "b"), set("b", "a"), true},
		{"sets of other members", set("a", "b"), set("a", "c"), false},
		{"a set that holds a member twice", set("a", "a"), set("a", "b"), false},
		{"numbers that are none", digits("NaN"), digits("NaN"), false},
		{"a number that DynamoDB cannot hold", digits("1e999999"), digits("1e999999"), false},
		{"number sets by value", &types.AttributeValueMemberNS{Value: []string{"1.0"}}, &types.AttributeValueMemberNS{Value: []string{"1"}}, true},
		{"binary sets", &types.AttributeValueMemberBS{Value: [][]byte{{1}}}, &types.AttributeValueMemberBS{Value: [][]byte{{2}}}, false},
		{"lists in order", list(text("a"), text("b")), list(text("b"), text("a")), false},
		{"set and list", set("a"), list(text("a")), false},
		{"maps", &types.AttributeValueMemberM{Value: accesspatterns.Item{"a": digits("1")}}, &types.AttributeValueMemberM{Value: accesspatterns.Item{"a": digits("1.0")}}, true},
		{"binaries", &types.AttributeValueMemberB{Value: []byte{1}}, &types.AttributeValueMemberB{Value: []byte{1}}, true},
		{"booleans", &types.AttributeValueMemberBOOL{Value: true}, &types.AttributeValueMemberBOOL{Value: false}, false},
		{"NULL", &types.AttributeValueMemberNULL{Value: true}, &types.AttributeValueMemberNULL{Value: true}, true},
		{"NULL and nothing", &types.AttributeValueMemberNULL{Value: true}, nil, false},
		{"nothing twice", nil, nil, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.want, dynamo.Equal(row.a, row.b))
			assert.Equal(t, row.want, dynamo.Equal(row.b, row.a), "the other way round")
		})
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
		if is != (want != "") || is && got.RatString() != want {
			t.Errorf("%q: expected %q, found %v, %v", text, want, got, is)
		}
	}
}

// TestKeyText: one key has one text, however its Number is written, and another has another.
func TestKeyText(t *testing.T) {
	number := func(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }
	one := dynamo.KeyText(number("1"))
	assert.Equal(t, one, dynamo.KeyText(number("1.0")))
	assert.Equal(t, one, dynamo.KeyText(number("0.1e1")))
	for _, other := range []types.AttributeValue{number("1.01"), &types.AttributeValueMemberS{Value: "1"}, &types.AttributeValueMemberB{Value: []byte("1")}} {
		assert.NotEqual(t, one, dynamo.KeyText(other))
	}
}
