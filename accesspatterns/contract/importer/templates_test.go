package importer_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/importer"
	"dynaproof/accesspatterns/tabletest"
)

// tableText is all that a contract says of a table, but for its citations.
func tableText(t *ap.Table) string {
	text := fmt.Sprintf("%s %s: %s", t.ID, t.Name, t.ShowKey())
	for i := range t.Indexes {
		index := &t.Indexes[i]
		text += fmt.Sprintf("; %s local=%t %s %s %v", index.Name, index.Local, index.ShowKey(), index.Projection, index.NonKeyAttributes)
	}
	text += "; " + string(t.Billing)
	if t.Units != nil {
		text += fmt.Sprint(*t.Units)
	}
	if t.TTL != nil {
		text += "; ttl " + t.TTL.Attribute
	}
	if t.Stream != nil {
		text += "; stream " + t.Stream.View
	}
	if t.Class != nil {
		text += "; class " + t.Class.Class
	}
	for _, promise := range []struct {
		name string
		is   *ap.Promise
	}{{"pitr", t.PITR}, {"protected", t.Protection}, {"encrypted", t.Encryption}} {
		if promise.is != nil {
			text += "; " + promise.name
		}
	}
	if len(t.Tags) > 0 {
		text += fmt.Sprint("; ", t.Tags)
	}
	return text
}

// What others' templates, plans and answers hold is resolved, or left open and told.
func TestTemplates(t *testing.T) {
	for name, row := range tabletest.Read[map[string]struct {
		File, Text string
		Tables     []string
		Notes      []string
		Deployed   bool
	}](t, "templates.yaml") {
		t.Run(name, func(t *testing.T) {
			loaded, result := design(t, row.File, row.Text, nil)
			var found []string
			for i := range loaded.Tables {
				found = append(found, tableText(&loaded.Tables[i]))
			}
			for _, want := range row.Tables {
				assert.Contains(t, "\n"+strings.Join(found, "\n")+"\n", "\n"+want+"\n")
			}
			if len(found) != len(row.Tables) || loaded.Document.Deployed != row.Deployed || result.Deployed != row.Deployed {
				t.Errorf("expected %d tables, deployed %t, found %d, %t", len(row.Tables), row.Deployed, len(found), loaded.Document.Deployed)
			}
			for _, want := range row.Notes {
				assert.Contains(t, strings.Join(result.Notes, "\n"), want)
			}
		})
	}
}

// A parameter has the value that is given, or else its default. One that has neither is named where a table cannot be read without it.
func TestParametersOfTemplates(t *testing.T) {
	const text = `Parameters:
  Hash: {Type: String}
  Mode: {Type: String, Default: PAY_PER_REQUEST, AllowedValues: [PAY_PER_REQUEST, PROVISIONED]}
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub '${AWS::StackName}-orders'
      AttributeDefinitions: [{AttributeName: !Ref Hash, AttributeType: S}]
      KeySchema: [{AttributeName: !Ref Hash, KeyType: HASH}]
      BillingMode: !Ref Mode
`
	given := map[string]string{"Hash": "pk", "AWS::StackName": "shop"}
	with := func(name, value string) map[string]string {
		all := maps.Clone(given)
		all[name] = value
		return all
	}
	for _, row := range []struct {
		file, text string
		given      map[string]string
		want       []string
	}{
		{"template.yaml", text, given, nil},
		{"template.yaml", text, nil, []string{
			"template.yaml:9: AttributeName: expected text, found ${Hash}, whose value the template does not give; --parameters Hash=VALUE gives it",
			"template.yaml:10: AttributeName: expected text, found ${Hash}, whose value the template does not give; --parameters Hash=VALUE gives it",
		}},
		{"template.yaml", text, with("Hush", "x"), []string{"template.yaml:1: --parameters: expected a parameter of the template, found Hush"}},
		{"template.yaml", text, with("Mode", "SOME"), []string{"template.yaml:3: parameter Mode: expected one of its AllowedValues, found SOME", "template.yaml:11: billing mode: expected PAY_PER_REQUEST or PROVISIONED, found SOME"}},
		{"describe.json", sources["describe.json"], given, []string{"describe.json:1: --parameters: expected a CloudFormation template, found describe-table output; leave them out"}},
	} {
		result, err := importer.Import("orders", "", importer.Source{Name: row.file, Text: []byte(row.text), Parameters: row.given}, nil)
		if row.want != nil {
			assert.EqualError(t, err, strings.Join(row.want, "\n"), "%v", row.given)
			continue
		}
		if err != nil || !strings.Contains(string(result.Files["contract.yaml"]), "name: shop-orders") || !strings.Contains(string(result.Files["contract.yaml"]), "pk: S") || strings.Contains(strings.Join(result.Notes, "\n"), "--table") {
			t.Errorf("expected the given values, found %v, %v\n%s", err, result.Notes, result.Files["contract.yaml"])
		}
	}
}

// What a source says and no contract does is told once, with all its lines, however deep it stands.
func TestWhatNoContractSaysIsTold(t *testing.T) {
	for name, row := range tabletest.Read[map[string]struct {
		File, Text, Usage string
		Notes             []string
	}](t, "untold.yaml") {
		t.Run(name, func(t *testing.T) {
			var usage *importer.Source
			if row.Usage != "" {
				usage = &importer.Source{Name: "usage_data.json", Text: []byte(row.Usage)}
			}
			_, result := design(t, row.File, row.Text, usage)
			for _, want := range row.Notes {
				assert.Contains(t, result.Notes, want)
			}
		})
	}
}

// What comes along goes up to the level that is asked for, and no further.
func TestLevels(t *testing.T) {
	for level, want := range map[ap.Level]string{"": "writes", "schema": "schema", "items": "items", "reads": "reads", "writes": "writes"} {
		result, err := importer.Import("shop", level, importer.Source{Name: "shop.json", Text: []byte(shop)}, nil)
		require.NoError(t, err)
		_, items := result.Files["items.json"]
		_, cases := result.Files["cases.json"]
		if string(result.Level) != want || items != (want != "schema") || cases != (want == "reads" || want == "writes") {
			t.Errorf("%s: expected level %s, found %s with items %t and cases %t", level, want, result.Level, items, cases)
		}
		if _, err := importer.Import("orders", ap.LevelReads, importer.Source{Name: "describe.json", Text: []byte(sources["describe.json"])}, nil); err == nil || !strings.Contains(err.Error(), "expected at most --level schema") {
			t.Errorf("expected a level that does not come along to be refused, found %v", err)
		}
	}
}
