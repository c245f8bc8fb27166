package guard

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/internal/template"
)

var templates = []accesspatterns.KeyTemplate{
	"PROFILE", "{userId}", "USER#{userId}", "KW#{token}#TS#", "KW#{token}#TS#{createdAt}#ENTRY#{entryId}", "{status}#{createdAt}", "{a}#{a}", "ENTRY#", "A#{x}#B#{x}",
}

// TestMatchAgreesWithParse compares the matcher, which allocates nothing, with
// the contract's own parser, on keys that are nearly right.
func TestMatchAgreesWithParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		template := rapid.SampledFrom(templates).Draw(t, "template")
		key := rapid.OneOf(
			rapid.StringOfN(rapid.SampledFrom([]rune("#KWTSx{}")), 0, 12, -1),
			rapid.Custom(func(t *rapid.T) string {
				params := accesspatterns.Params{}
				for _, name := range template.Parameters() {
					params[name] = rapid.StringMatching(`[ab#]{1,3}`).Draw(t, name)
				}
				text, err := template.Format(params)
				if err != nil {
					return "KW#"
				}
				return text + rapid.SampledFrom([]string{"", "#", "x", "#ENTRY#"}).Draw(t, "tail")
			}),
		).Draw(t, "key")
		var params parameters
		compiled, err := compileOperand(dynamo.String, template, &params)
		if err != nil {
			t.Fatal(err)
		}
		var bound bindings
		got := compiled.match(key, &bound)
		parsed, err := template.Parse(key)
		if got != (err == nil) {
			t.Fatalf("%s, key %q: expected %v like Parse (%v), found %v", template, key, err == nil, err, got)
		}
		if !got {
			return
		}
		for i, name := range params.names {
			if bound[i] != parsed[name] {
				t.Fatalf("%s, key %q: expected {%s} to be %q, found %q", template, key, name, parsed[name], bound[i])
			}
		}
	})
}

func TestMatchValueByType(t *testing.T) {
	s := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	n := func(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }
	for _, c := range []struct {
		name     string
		typ      dynamo.Type
		template accesspatterns.KeyTemplate
		value    types.AttributeValue
		want     bool
	}{
		{"text", dynamo.String, "GROUP", s("GROUP"), true},
		{"a Number for text", dynamo.String, "{id}", n("1"), false},
		{"a Number", dynamo.Number, "5", n("5"), true},
		{"the same Number", dynamo.Number, "5", n("5.0"), true},
		{"another Number", dynamo.Number, "5", n("55"), false},
		{"text for a Number", dynamo.Number, "5", s("5"), false},
		{"any Number", dynamo.Number, "{stars}", n("3"), true},
		{"true", dynamo.Boolean, "true", &types.AttributeValueMemberBOOL{Value: true}, true},
		{"false for true", dynamo.Boolean, "true", &types.AttributeValueMemberBOOL{}, false},
		{"NULL", dynamo.String, "{id}", &types.AttributeValueMemberNULL{Value: true}, false},
		{"nothing", dynamo.String, "{id}", nil, false},
	} {
		var params parameters
		compiled, err := compileOperand(c.typ, c.template, &params)
		require.NoError(t, err)
		assert.Equal(t, c.want, compiled.matchValue(c.value, new(bindings)), c.name)
	}
}

func TestTooManyParameters(t *testing.T) {
	var params parameters
	for i := range template.Max {
		_, err := params.slot(string(rune('a' + i)))
		require.NoError(t, err)
	}
	if _, err := compileOperand(dynamo.String, "{one-more}", &params); err == nil {
		t.Error("expected an error for one parameter too many")
	}
}

func TestMaskedHidesIds(t *testing.T) {
	for text, want := range map[string]string{
		"USER#secret":  `"USER#" and 6 more bytes`,
		"secret":       "6 bytes without '#'",
		"ENTRY#2026#x": `"ENTRY#" and 6 more bytes`,
	} {
		assert.Equal(t, want, masked(text))
	}
}
