package policy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

const tableARN = "arn:aws:dynamodb:eu-west-1:111122223333:table/T"

// one is a document of one statement, whose elements are given as JSON members.
func one(members string) string {
	return `{"Version": "2012-10-17", "Statement": [{` + members + `}]}`
}

func allow(resource, condition string) string {
	members := fmt.Sprintf(`"Sid": "S", "Effect": "Allow", "Action": "dynamodb:Query", "Resource": %q`, resource)
	if condition != "" {
		members += `, "Condition": ` + condition
	}
	return one(members)
}

func kindOf(ofTable bool) Kind {
	if ofTable {
		return Resource
	}
	return Identity
}

// judged is a policy, and words of what is said of it.
type judged struct {
	Name, Text string
	Table      bool // attached to a table, and not to a role
	Want       string
}

func TestParseRefusesWhatIAMRefuses(t *testing.T) {
	for _, row := range tabletest.Read[[]judged](t, "refused.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			_, err := Parse(row.Text, kindOf(row.Table))
			assert.ErrorContains(t, err, row.Want)
		})
	}
}

// What IAM accepts and is not known here leaves the requests undecided that turn on it, and no others.
func TestWhatIsNotKnownIsUndecided(t *testing.T) {
	const rest = `"Action": "dynamodb:Query", "Resource": "*"`
	_, err := Parse(one(`"Effect": "Allow", "Action": "dynamodb:Query", "Resource": "*", "Condition": {"StringEquals": {"dynamodb:Select": "x"}}`), Identity)
	require.NoError(t, err)
	for _, row := range tabletest.Read[[]judged](t, "undecided.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			document, err := Parse(row.Text, kindOf(row.Table))
			require.NoError(t, err)
			decides := func(want Decision, action string, besides ...string) Outcome {
				t.Helper()
				documents := []*Document{document}
				for _, text := range besides {
					other, err := Parse(text, Identity)
					require.NoError(t, err)
					documents = append(documents, other)
				}
				got := Evaluate(Request{Action: action, Resource: tableARN}, documents...)
				assert.Equal(t, want, got.Decision, "%s, besides %v: found %s", action, besides, got)
				return got
			}
			got := decides(Undecided, "dynamodb:Query")
			assert.False(t, got.Denied())
			assert.Contains(t, got.String(), row.Want)
			decides(ImplicitDeny, "dynamodb:Scan") // of which it does not speak
			decides(Allowed, "dynamodb:Query", allow("*", ""))
			decides(ExplicitDeny, "dynamodb:Query", one(`"Effect": "Deny", `+rest))
			document, err = Parse(strings.Replace(row.Text, `"Allow"`, `"Deny"`, 1), kindOf(row.Table))
			require.NoError(t, err)
			decides(Undecided, "dynamodb:Query", allow("*", ""))
			decides(ImplicitDeny, "dynamodb:Query") // which nobody allows
		})
	}
}

// Several problems are one error, so that one run shows them all.
func TestParseCollects(t *testing.T) {
	_, err := Parse(one(`"Effect": "x", "Action": "a", "Resource": "T"`), Identity)
	for _, want := range []string{`found "x"`, `found "a"`, `found "T"`} {
		assert.ErrorContains(t, err, want)
	}
}

func TestEvaluate(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Version      string
		Identity, Attached map[string]any // the statement of the policy
		Resource           string
		Context            Context
		Want               Decision
	}](t, "evaluated.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			parse := func(statement map[string]any, kind Kind) *Document {
				policy := map[string]any{"Version": cmp.Or(row.Version, "2012-10-17"), "Statement": []any{statement}}
				if row.Version == "none" {
					delete(policy, "Version")
				}
				text, err := json.Marshal(policy)
				require.NoError(t, err)
				document, err := Parse(string(text), kind)
				require.NoError(t, err)
				return document
			}
			documents := []*Document{parse(row.Identity, Identity)}
			if row.Attached != nil {
				documents = append(documents, parse(row.Attached, Resource))
			}
			got := Evaluate(Request{Action: "dynamodb:Query", Resource: cmp.Or(row.Resource, tableARN), Context: row.Context}, documents...)
			assert.Equal(t, row.Want, got.Decision, "expected %s, found %s", row.Want, got)
			assert.True(t, row.Want == ImplicitDeny || got.Statement != "", "expected the statement that decides, found none")
		})
	}
}

// Every class that a document tells apart has a context, so that a statement that
// is narrowed by any condition is met by a context in which it does not hold.
func TestContextsMeetEveryCondition(t *testing.T) {
	for _, row := range tabletest.Read[[]struct{ Name, Condition string }](t, "contexts.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			document, err := Parse(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"dynamodb:Query","Resource":"*","Condition":{`+row.Condition+`}}]}`, Identity)
			require.NoError(t, err)
			met := map[Decision]bool{}
			contexts, _ := (Universe{}).Contexts("dynamodb:Query", "arn:aws:dynamodb:r:1:table/t", document)
			for _, context := range contexts {
				met[Evaluate(Request{Action: "dynamodb:Query", Resource: "arn:aws:dynamodb:r:1:table/t", Context: context}, document).Decision] = true
			}
			assert.True(t, met[Allowed] && met[ImplicitDeny], "expected a context in which the condition holds and one in which it does not, found %v", met)
		})
	}
}

func TestClasses(t *testing.T) {
	table := tabletest.Read[struct {
		Conditions []struct {
			Name      string
			Condition map[string]any // by operator
			Values    []string
		}
		Meet, Apart [][2]string
	}](t, "classes.yaml")
	for _, row := range table.Conditions {
		conditions := map[string]any{}
		for operator, values := range row.Condition {
			conditions[operator] = map[string]any{"dynamodb:LeadingKeys": values}
		}
		condition, err := json.Marshal(conditions)
		require.NoError(t, err)
		document, err := Parse(allow("*", string(condition)), Identity)
		require.NoError(t, err)
		contexts, _ := (Universe{Fixed: Context{"aws:PrincipalTag/userId": {"1"}}}).Contexts("dynamodb:Query", tableARN, document)
		found := slices.ContainsFunc(contexts, func(context Context) bool {
			return slices.Equal(slices.Sorted(slices.Values(context.values("dynamodb:LeadingKeys"))), row.Values)
		})
		assert.True(t, found, "%s: expected a context with %v, found none", row.Name, row.Values)
	}
	for meets, pairs := range map[bool][][2]string{true: table.Meet, false: table.Apart} {
		for _, pair := range pairs {
			a, b := literal(pair[0], true), literal(pair[1], true)
			met, ok, _ := meet(0, nil, mention{pattern: a}.letters("", nil), mention{pattern: b}.letters("", nil))
			assert.Equal(t, meets, ok, "%q", pair)
			assert.Equal(t, ok, ok && a.match(met, nil) && b.match(met, nil), "%q: expected a text that both match, found %q", pair, met)
		}
	}
}

func TestWhatADocumentMentions(t *testing.T) {
	document, err := Parse(`{"Version":"2012-10-17","Statement":[
		{"Sid":"One","Effect":"Allow","Action":["dynamodb:GetItem","dynamodb:Batch*"],"Resource":["arn:aws:dynamodb:r:1:table/t","*"],"Condition":{"StringEquals":{"dynamodb:Select":"COUNT"}}},
		{"Sid":"Two","Effect":"Deny","Action":"dynamodb:Scan","Resource":"arn:aws:dynamodb:r:1:table/t"}]}`, Identity)
	require.NoError(t, err)
	resources, _ := document.Resources()
	assert.Equal(t, []string{"statement One"}, document.Allows(false), "statements that allow")
	assert.Equal(t, []string{"arn:aws:dynamodb:r:1:table/t"}, resources)
	assert.Equal(t, []string{"dynamodb:getitem", "dynamodb:scan"}, document.Actions())
	for action, want := range map[string]bool{"dynamodb:GetItem": true, "dynamodb:BatchGetItem": true, "dynamodb:Scan": false, "dynamodb:PutItem": false} {
		assert.Equal(t, want, document.MayAllow(action, "arn:aws:dynamodb:r:1:table/other"), action)
	}
	assert.GreaterOrEqual(t, len(ServiceActions()), 70, "actions of the service reference")
	assert.Contains(t, ServiceActions(), "dynamodb:GetRecords")
}

// A variable stands for the one value that it has: without one, or with two, it is no text.
func TestAVariableWithoutOneValueIsNoText(t *testing.T) {
	pattern, err := parsePattern("USER#${aws:PrincipalTag/id}", true)
	require.NoError(t, err)
	for _, tags := range []Context{{"aws:PrincipalTag/id": {"a"}}, {"aws:PrincipalTag/id": {"a", "b"}}, nil} {
		met, ok, _ := meet(0, nil, mention{pattern: pattern}.letters(Fresh, tags))
		one := len(tags["aws:PrincipalTag/id"]) == 1
		assert.Equal(t, one, ok, "%v", tags)
		assert.Equal(t, one, pattern.match("USER#a", tags), "%v", tags)
		assert.True(t, !ok || met == "USER#a", "%v: expected USER#a, found %q", tags, met)
	}
}

// Policies that tell apart more than can be tried end, and say so: patterns that all match one another's values, values that are asked for one
// by one, and condition keys.
func TestPoliciesThatTellTooMuchApartEnd(t *testing.T) {
	like := func(n int) string { return fmt.Sprintf(`"*%d*"`, 100+n) }
	all := func(n int, one func(int) string) (all []string) {
		for i := range n {
			all = append(all, one(i))
		}
		return all
	}
	patterns := func(values ...string) string {
		return `"ForAllValues:StringLike":{"dynamodb:LeadingKeys":[` + strings.Join(values, ",") + `]}`
	}
	spelled := []string{"LeadingKeys", "leadingKeys", "Leadingkeys", "leadingkeys", "LEADINGKEYS", "LeadingKEYS"}
	for _, row := range []struct {
		name       string
		conditions []string // of a statement each
		cut        bool
	}{
		{"patterns in one statement", []string{patterns(all(40, like)...)}, false},
		{"patterns in forty", all(40, func(i int) string { return patterns(like(i)) }), true},
		{"eleven values, asked for one by one", []string{oneByOne(spelled[:1], 11)}, false},
		{"sixty-six, by names of a key in other cases", []string{oneByOne(spelled, 11)}, true},
		{"three tags", all(3, func(i int) string { return fmt.Sprintf(`"StringEquals":{"aws:PrincipalTag/t%d":"a"}`, i) }), false},
		{"twenty", all(20, func(i int) string { return fmt.Sprintf(`"StringEquals":{"aws:PrincipalTag/t%d":"a"}`, i) }), true},
		{"a tag by itself", []string{`"StringLike":{"aws:PrincipalTag/team":"?${aws:PrincipalTag/team, 'a'}"}`}, true},
		{"a pattern that a long value nearly matches", []string{`"StringLike":{"dynamodb:Select":"` + strings.Repeat("*a", 30) + `*b"}`, `"StringEquals":{"dynamodb:Select":"` + strings.Repeat("a", 80) + `"}`}, false},
	} {
		var statements []string
		for _, condition := range row.conditions {
			statements = append(statements, `{"Effect":"Allow","Action":"dynamodb:Query","Resource":"*","Condition":{`+condition+`}}`)
		}
		document, err := Parse(`{"Version":"2012-10-17","Statement":[`+strings.Join(statements, ",")+`]}`, Identity)
		require.NoError(t, err)
		contexts, cut := (Universe{}).Contexts("dynamodb:Query", tableARN, document)
		assert.Equal(t, row.cut, cut, "%s: expected something to be left out", row.name)
		assert.LessOrEqual(t, len(contexts), mostContexts, row.name)
	}
}

// oneByOne asks for a value of a key by each of so many operators and each of the key's names.
func oneByOne(names []string, operators int) string {
	var all []string
	for i, operator := range strings.Fields("StringEquals StringLike StringNotEquals StringNotLike StringEqualsIgnoreCase StringNotEqualsIgnoreCase StringEqualsIfExists StringLikeIfExists StringNotEqualsIfExists StringNotLikeIfExists StringEqualsIgnoreCaseIfExists")[:operators] {
		var keys []string
		for j, name := range names {
			keys = append(keys, fmt.Sprintf(`"dynamodb:%s":"v%d-%d"`, name, i, j))
		}
		all = append(all, `"ForAnyValue:`+operator+`":{`+strings.Join(keys, ",")+`}`)
	}
	return strings.Join(all, ",")
}

// A text has a pattern's form where some text in each wildcard's place makes it so.
func TestMatchesAgreesWithRegularExpressions(t *testing.T) {
	for n := range 4 * 4 * 4 * 4 * 4 {
		form, expected := "", "^"
		for i := n; i > 0; i /= 4 {
			form += string("ab*?"[i%4])
			expected += []string{"a", "b", ".*", "."}[i%4]
		}
		of, wanted := literal(form, true), regexp.MustCompile(expected+"$")
		for m := range 64 {
			text := ""
			for i := m; i > 1; i /= 2 {
				text += string("ab"[i%2])
			}
			got := of.match(text, nil)
			require.Equal(t, wanted.MatchString(text), got, "%q and %q: expected %v", form, text, !got)
		}
	}
}
