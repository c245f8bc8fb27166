package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
)

// describes are the types that the answers are made of. Those of their fields are looked at too.
var describes = []reflect.Type{
	reflect.TypeFor[types.TableDescription](), reflect.TypeFor[types.Tag](), reflect.TypeFor[types.TimeToLiveDescription](), reflect.TypeFor[types.ContinuousBackupsDescription](),
	reflect.TypeFor[types.KinesisDataStreamDestination](), reflect.TypeFor[dynamodb.GetResourcePolicyOutput](), reflect.TypeFor[dynamodb.DescribeContributorInsightsOutput](),
}

// Every field that the SDK knows of a description is compared, noted, or left out
// for a reason; none is forgotten, and none is made up.
func TestEveryDescribedFieldIsTreated(t *testing.T) {
	treated := tabletest.Read[map[string]map[string]string](t, "treated.yaml")
	all := slices.Clone(describes)
	for i := 0; i < len(all); i++ {
		described, open := all[i], map[string]reflect.Type{}
		for field := range described.Fields() {
			if field.IsExported() {
				open[field.Name] = field.Type
			}
		}
		for treatment, names := range treated[described.Name()] {
			compared := strings.HasPrefix(treatment, "compared: ")
			assert.True(t, treatment == "noted" || compared || strings.HasPrefix(treatment, "not compared: "),
				"%s: expected compared, noted or not compared with a reason, found %q", described.Name(), treatment)
			for _, name := range strings.Fields(names) {
				inner := open[name]
				if inner == nil {
					t.Errorf("%s.%s: the SDK has no such field, or it is treated twice", described.Name(), name)
					continue
				}
				delete(open, name)
				for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
					inner = inner.Elem()
				}
				if inner.Kind() == reflect.Struct && strings.HasSuffix(inner.PkgPath(), "/dynamodb/types") && !slices.Contains(all, inner) && (compared || treated[inner.Name()] != nil) {
					all = append(all, inner)
				}
			}
		}
		assert.Empty(t, open, "%s: expected to be told what becomes of these", described.Name())
	}
	assert.Len(t, treated, len(all), "types that are described, found %v", all)
}

// Among tables of others the name alone tells whose a table could be, whatever the form of the template.
func TestNamesOfOtherTables(t *testing.T) {
	for template, names := range tabletest.Read[map[accesspatterns.NameTemplate]map[string]string](t, "names.yaml") {
		s := &session.Session{Input: session.Input{Design: &accesspatterns.Design{Tables: []accesspatterns.Table{{ID: "Users", Name: template}}}, Environment: "dev"}}
		for name, want := range names {
			found := "somebody else's"
			switch {
			case couldBeOurs(&s.Input, name):
				found = "ours"
			case inAnotherStage(template, name):
				found = "of another stage"
			}
			assert.Equal(t, want, found, "%s in dev: table %s", template, name)
		}
	}
}

// The local engine does not encrypt, so the claim rests on what the stack asked for.
func TestEncryptionIsWhatTheStackAskedFor(t *testing.T) {
	for _, row := range []struct {
		name, request string
		want          evidence.Verdict
		grade         evidence.Grade
		found         string
	}{
		{"no key asked for", `{"TableName": "t"}`, evidence.Pass, evidence.Static, ""},
		{"the key that AWS manages", `{"SSESpecification": {"Enabled": true, "SSEType": "KMS"}}`, evidence.Pass, evidence.Static, ""},
		{"a customer's key", `{"SSESpecification": {"Enabled": true, "KMSMasterKeyId": "alias/ours"}}`, evidence.Fail, evidence.Static, "alias/ours"},
		{"created by somebody else", "", evidence.Unsupported, evidence.Static, "does not say how it encrypts"},
	} {
		ledger := wire.LedgerOf()
		if row.request != "" {
			ledger = wire.LedgerOf(wire.Entry{Operation: "CreateTable", Tables: []string{"t"}, Status: 200, Request: json.RawMessage(row.request)})
		}
		s := &session.Session{Input: session.Input{Ledger: ledger, Deployment: session.Deployment{Tables: map[string]string{"T": "t"}}, Grade: evidence.Engine}}
		o := &observe.Observation{Claim: manifest.Claim{ID: "d/table/T/encryption"}, Session: s}
		(&tableCheck{Observation: o, table: &accesspatterns.Table{ID: "T"}}).encryptionAsked("table T")
		result := o.Result()
		assert.True(t, result.Verdict == row.want && result.Grade == row.grade,
			"%s: expected %s on evidence of grade %s, found %s on %s", row.name, row.want, row.grade, result.Verdict, result.Grade)
		assert.True(t, row.found == "" || strings.Contains(result.Problems[0].Found, row.found), "%s: expected %q, found %+v", row.name, row.found, result.Problems)
	}
}
