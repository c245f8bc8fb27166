package guard

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/internal/template"
	"dynaproof/accesspatterns/tabletest"
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
		compiled := tabletest.Must(compileOperand(dynamo.String, template, &params))(t)
		var bound bindings
		got := compiled.match(key, &bound)
		parsed, err := template.Parse(key)
		require.Equal(t, err == nil, got, "%s, key %q: expected %v like Parse (%v)", template, key, err == nil, err)
		if !got {
			return
		}
		for i, name := range params.names {
			require.Equal(t, parsed[name], bound[i], "%s, key %q: expected {%s} to be %q", template, key, name, parsed[name])
		}
	})
}

func TestMatchValueByType(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name     string
		Type     dynamo.Type
		Template accesspatterns.KeyTemplate
		Given    map[string]any // the value, if there is one
		Matches  bool
	}](t, "matched.yaml") {
		var params parameters
		compiled := tabletest.Must(compileOperand(row.Type, row.Template, &params))(t)
		assert.Equal(t, row.Matches, compiled.matchValue(tabletest.Item(t, row.Given)["value"], new(bindings)), row.Name)
	}
}

func TestTooManyParameters(t *testing.T) {
	var params parameters
	for i := range template.Max {
		tabletest.Must(params.slot(string(rune('a' + i))))(t)
	}
	_, err := compileOperand(dynamo.String, "{one-more}", &params)
	assert.Error(t, err, "expected an error for one parameter too many")
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

// TestChanges holds changes of an update to an entity that has every kind of
// attribute.
func TestChanges(t *testing.T) {
	thing := tabletest.As[accesspatterns.Entity](t, tabletest.Read[map[string]any](t, "thing.yaml"))
	e := &entity{contract: &thing}
	table := &table{keys: []accesspatterns.Key{{Attribute: "PK", Type: dynamo.String}}}
	values := tabletest.Item(t, tabletest.Read[map[string]any](t, "change_values.yaml"))
	source := expression.Source{Values: values, Names: map[string]string{"#s": "status", "#sec": "sections", "#sh": "shared", "#odd": "private", "#n": "name"}}
	for _, c := range tabletest.Read[[]struct{ Update, Problem string }](t, "changes.yaml") {
		changes, err := expression.ParseUpdate(c.Update, source)
		if err != nil {
			t.Errorf("%s: %v", c.Update, err)
			continue
		}
		problem := ""
		for _, change := range changes {
			if problem == "" {
				problem = e.checkChange(table, change, source)
			}
		}
		assert.Equal(t, problem == "", c.Problem == "", "%s", c.Update)
		assert.Contains(t, problem, c.Problem, "%s", c.Update)
	}
}

func TestMostSpecificEntity(t *testing.T) {
	design := designtest.Whole()
	part := design.Entities[0]
	part.ID, part.Keys = "part", []accesspatterns.KeyAttribute{part.Keys[0], {Attribute: "SK", Template: "NOTE#{id}#PART#{n}", Cite: part.Cite}}
	design.Entities = append(design.Entities, part)
	g := tabletest.Must(New(design, AnyRole()))(t)
	for sk, want := range map[string]string{"NOTE#1": "note", "NOTE#1#PART#2": "part"} {
		found := g.byID[g.design.Tables[0].ID].entitiesOf(accesspatterns.Item{
			"PK": &types.AttributeValueMemberS{Value: "USER#1"}, "SK": &types.AttributeValueMemberS{Value: sk}})
		require.Len(t, found, 1, "%s: expected %s alone", sk, want)
		assert.Equal(t, want, found[0].contract.ID, "%s: expected %s alone", sk, want)
	}
}
