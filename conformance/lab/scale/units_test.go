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

// The cost of a larger result is at most that of its bytes: an engine, or a read, that takes more has read something else too.
func TestJudgeOwn(t *testing.T) {
	measured := func(units float64) []string {
		own := OwnPoint{Own: 10, Figures: Figures{ReadUnits: units, Scanned: 11, Pages: 1}}
		return judgeOwn(&accesspatterns.Read{}, []OwnPoint{{Figures: Figures{ReadUnits: 1, Scanned: 1, Pages: 1}}, own}, []int{0, 10 * readBytes})
	}
	for units, problems := range map[float64]int{0.5: 1, 1: 0, 13: 0, 13.5: 1} {
		if found := measured(units); len(found) != problems {
			t.Errorf("%g units: expected %d problems, found %q", units, problems, found)
		}
	}
}
