package scale

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
)

func text(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
func digits(value string) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: value}
}

// The sizes are counted by hand after AWS's page on item sizes.
func TestSizeOf(t *testing.T) {
	for _, row := range []struct {
		name string
		item accesspatterns.Item
		want int
	}{
		{"text counts its bytes, not its letters", accesspatterns.Item{"a": text("é")}, 1 + 2},
		{"a number counts its significant digits", accesspatterns.Item{"n": digits("27")}, 1 + 2},
		{"an odd number of digits", accesspatterns.Item{"n": digits("123")}, 1 + 3},
		{"trailing zeros are not stored", accesspatterns.Item{"n": digits("12000")}, 1 + 2},
		{"nor leading ones", accesspatterns.Item{"n": digits("0.0012")}, 1 + 2},
		{"a sign takes a byte", accesspatterns.Item{"n": digits("-27")}, 1 + 3},
		{"zero", accesspatterns.Item{"n": digits("0")}, 1 + 1},
		{"a Boolean and NULL", accesspatterns.Item{"b": &types.AttributeValueMemberBOOL{}, "z": &types.AttributeValueMemberNULL{Value: true}}, 4},
		{"an empty map", accesspatterns.Item{"m": &types.AttributeValueMemberM{}}, 1 + 3},
		{"a list of two", accesspatterns.Item{"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{text("ab"), text("c")}}}, 1 + 3 + 2 + 1 + 2},
		{"a set", accesspatterns.Item{"s": &types.AttributeValueMemberSS{Value: []string{"ab", "c"}}}, 1 + 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := SizeOf(row.item); got != row.want {
				t.Errorf("expected %d bytes, found %d", row.want, got)
			}
		})
	}
}

func TestWriteUnits(t *testing.T) {
	for _, row := range []struct {
		name      string
		got, want float64
	}{
		{"1 KB", writeUnits(1024), 1},
		{"a byte more written", writeUnits(1025), 2},
		{"a key alone", writeUnits(1), 1},
	} {
		if row.got != row.want {
			t.Errorf("%s: expected %v units, found %v", row.name, row.want, row.got)
		}
	}
}

func TestPrefixOfKey(t *testing.T) {
	for _, row := range []struct {
		template accesspatterns.KeyTemplate
		prefix   string
		want     string
	}{
		{"KW#{token}#TS#{createdAt}", "KW#guard#TS#", "token=guard"},
		{"KW#{token}#TS#{createdAt}", "KW#gua", ""},
		{"ENTRY#{ISODate}#{entryId}", "ENTRY#", ""},
		{"{status}#{createdAt}", "InProgress#", "status=InProgress"},
	} {
		var got []string
		for name, value := range paramsOfPrefix(row.template, row.prefix) {
			got = append(got, name+"="+value)
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s, %s: expected %q, found %q", row.template, row.prefix, row.want, got)
		}
	}
}
