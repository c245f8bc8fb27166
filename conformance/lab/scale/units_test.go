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
