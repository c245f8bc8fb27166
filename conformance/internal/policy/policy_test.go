package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	tableARN = "arn:aws:dynamodb:eu-west-1:111122223333:table/T"
	indexARN = tableARN + "/index/I"
)

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

func deny(action, condition string) string {
	members := fmt.Sprintf(`"Sid": "D", "Effect": "Deny", "Principal": "*", "Action": %q, "Resource": ["%s", "%s/index/*"]`, action, tableARN, tableARN)
	if condition != "" {
		members += `, "Condition": ` + condition
	}
	return one(members)
}

func query(context Context) Request {
	return Request{Action: "dynamodb:Query", Resource: tableARN, Context: context}
}

func TestParseRefusesWhatIAMRefuses(t *testing.T) {
	const rest = `"Action": "dynamodb:Query", "Resource": "*"`
	for _, row := range []struct {
		name, text string
		kind       Kind
		want       string
	}{
		{"no JSON", `{`, Identity, "policy document"},
		{"more behind it", allow("*", "") + `{}`, Identity, "more behind it"},
		{"an unknown element", one(`"Effect": "Allow", "Actions": "dynamodb:Query", "Resource": "*"`), Identity, `"Actions" is not known`},
		{"an element in lower case", one(`"effect": "Allow", ` + rest), Identity, `"effect" is not known`},
		{"an unknown element of the document", `{"Version": "2012-10-17", "Statement": [], "Comment": ""}`, Identity, `"Comment" is not known`},
		{"an element twice", one(`"Effect": "Deny", "Effect": "Allow", ` + rest), Identity, "Effect once"},
		{"an operator twice", allow("*", `{"Null": {"dynamodb:LeadingKeys": "false"}, "Null": {"dynamodb:Select": "true"}}`), Identity, "Null once"},
		{"a key twice", allow("*", `{"Null": {"dynamodb:Select": "false", "dynamodb:Select": "true"}}`), Identity, "dynamodb:Select once"},
		{"no statement", `{"Version": "2012-10-17", "Statement": []}`, Identity, "expected a Statement"},
		{"another effect", one(`"Effect": "allow", ` + rest), Identity, `found "allow"`},
		{"a principal for a role", one(`"Effect": "Allow", "Principal": "*", ` + rest), Identity, "expected no Principal"},
		{"no principal for a table", one(`"Effect": "Deny", ` + rest), Resource, "expected a Principal, found none"},
		{"no action", one(`"Effect": "Allow", "Resource": "*"`), Identity, "expected an Action or a NotAction"},
		{"no resource", one(`"Effect": "Allow", "Action": "dynamodb:Query"`), Identity, "expected a Resource or a NotResource"},
		{"a table's name in place of its ARN", allow("T", ""), Identity, `found "T"`},
		{"another version", `{"Version": "2020-01-01", "Statement": {"Effect": "Allow", ` + rest + `}}`, Identity, "2012-10-17"},
		{"a Sid twice", `{"Version": "2012-10-17", "Statement": [{"Sid": "A", "Effect": "Allow", ` + rest + `}, {"Sid": "A", "Effect": "Deny", ` + rest + `}]}`, Identity, "statement A: expected a Sid that no other"},
		{"an action and what it is not", one(`"Effect": "Allow", "NotAction": "dynamodb:Scan", ` + rest), Identity, "expected an Action or a NotAction"},
		{"a resource and what it is not", one(`"Effect": "Allow", "NotResource": "*", ` + rest), Identity, "expected a Resource or a NotResource"},
		{"two principals", one(`"Effect": "Deny", "Principal": "*", "NotPrincipal": "*", ` + rest), Resource, "expected a Principal"},
		{"an action without its service", one(`"Effect": "Allow", "Action": "Query", "Resource": "*"`), Identity, `found "Query"`},
		{"an operator that IAM does not have", allow("*", `{"StringIs": {"dynamodb:Select": "x"}}`), Identity, "no such operator"},
		{"Null where a key exists", allow("*", `{"NullIfExists": {"dynamodb:Select": "true"}}`), Identity, "no such operator"},
		{"a default without quotes", allow("*", `{"StringEquals": {"dynamodb:Select": "${aws:PrincipalTag/a, b}"}}`), Identity, "single quotes"},
		{"an unknown set operator", allow("*", `{"ForSomeValue:StringEquals": {"dynamodb:Attributes": "x"}}`), Identity, "no such operator"},
		{"an open variable", allow("*", `{"StringEquals": {"dynamodb:Select": "${aws:PrincipalTag/a"}}`), Identity, "expected }"},
		{"no value", allow("*", `{"StringEquals": {"dynamodb:Select": []}}`), Identity, "expected a value"},
		{"an object for a value", allow("*", `{"StringEquals": {"dynamodb:Select": {}}}`), Identity, "expected a text"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := Parse(row.text, row.kind); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("expected an error with %q, found %v", row.want, err)
			}
		})
	}
}

// What IAM accepts and is not known here leaves the requests undecided that turn on it, and no others.
func TestWhatIsNotKnownIsUndecided(t *testing.T) {
	const rest = `"Action": "dynamodb:Query", "Resource": "*"`
	_, err := Parse(one(`"Effect": "Allow", "Action": "dynamodb:Query", "Resource": "*", "Condition": {"StringEquals": {"dynamodb:Select": "x"}}`), Identity)
	require.NoError(t, err)
	for _, row := range []struct {
		name, text string
		kind       Kind
		want       string
	}{
		{"one account", one(`"Effect": "Allow", "Principal": {"AWS": "111122223333"}, ` + rest), Resource, "principals other than everybody"},
		{"NotPrincipal", one(`"Effect": "Allow", "NotPrincipal": {"AWS": "111122223333"}, ` + rest), Resource, "principals other than everybody"},
		{"a variable in a resource", allow(tableARN+"${aws:PrincipalTag/userId}", ""), Identity, "variables in a Resource"},
		{"an ARN that is not complete", allow("arn:aws:dynamodb:*", ""), Identity, "not complete"},
		{"an operator", allow("*", `{"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}`), Identity, "operator is not known"},
		{"a key", allow("*", `{"StringEquals": {"aws:SourceVpc": "vpc-1"}}`), Identity, `"aws:SourceVpc" is not known`},
		{"a variable", allow("*", `{"StringEquals": {"dynamodb:Select": "${aws:username}"}}`), Identity, "${aws:username} is not known"},
		{"no set operator on a key of several values", allow("*", `{"StringEquals": {"dynamodb:LeadingKeys": "x"}}`), Identity, "holds several values"},
		{"a set operator on Null", allow("*", `{"ForAllValues:Null": {"dynamodb:LeadingKeys": "false"}}`), Identity, "plain Null"},
		{"Bool on a text", allow("*", `{"Bool": {"dynamodb:Select": "true"}}`), Identity, "does not fit"},
		{"a text operator on a truth value", allow("*", `{"StringEquals": {"dynamodb:FullTableScan": "true"}}`), Identity, "does not fit"},
		{"Bool of another word", allow("*", `{"Bool": {"dynamodb:FullTableScan": "yes"}}`), Identity, `found "yes"`},
		{"Null of two values", allow("*", `{"Null": {"dynamodb:Select": ["true", "false"]}}`), Identity, "found 2 values"},
	} {
		t.Run(row.name, func(t *testing.T) {
			document, err := Parse(row.text, row.kind)
			require.NoError(t, err)
			decide := func(action string, besides ...string) Outcome {
				documents := []*Document{document}
				for _, text := range besides {
					other, err := Parse(text, Identity)
					require.NoError(t, err)
					documents = append(documents, other)
				}
				outcome, err := Evaluate(Request{Action: action, Resource: tableARN}, documents...)
				require.NoError(t, err)
				return outcome
			}
			if got := decide("dynamodb:Query"); got.Decision != Undecided || got.Denied() || !strings.Contains(got.String(), row.want) {
				t.Errorf("expected it undecided with %q, found %s", row.want, got)
			}
			if got := decide("dynamodb:Scan"); got.Decision != ImplicitDeny {
				t.Errorf("expected what it does not speak of to be denied, found %s", got)
			}
			if got := decide("dynamodb:Query", allow("*", "")); got.Decision != Allowed {
				t.Errorf("expected what another statement allows to be allowed, found %s", got)
			}
			if got := decide("dynamodb:Query", one(`"Effect": "Deny", `+rest)); got.Decision != ExplicitDeny {
				t.Errorf("expected what another statement denies to be denied, found %s", got)
			}
			text := strings.Replace(row.text, `"Allow"`, `"Deny"`, 1)
			if document, err = Parse(text, row.kind); err != nil {
				t.Fatal(err)
			}
			if got := decide("dynamodb:Query", allow("*", "")); got.Decision != Undecided {
				t.Errorf("expected a denial of what is allowed to be undecided, found %s", got)
			}
			if got := decide("dynamodb:Query"); got.Decision != ImplicitDeny {
				t.Errorf("expected a denial of what nobody allows to be denied, found %s", got)
			}
		})
	}
}

// Several problems are one error, so that one run shows them all.
func TestParseCollects(t *testing.T) {
	_, err := Parse(one(`"Effect": "x", "Action": "a", "Resource": "T"`), Identity)
	for _, want := range []string{`found "x"`, `found "a"`, `found "T"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected an error with %q, found %v", want, err)
		}
	}
}

func TestEvaluate(t *testing.T) {
	own := `{"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["USER#${aws:PrincipalTag/userId}"]}, "Null": {"dynamodb:LeadingKeys": "false"}}`
	user := func(id string, keys ...string) Context {
		return Context{"aws:PrincipalTag/userId": {id}, "dynamodb:LeadingKeys": keys}
	}
	alone := `{"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "A"}}`
	for _, row := range []struct {
		name               string
		identity, attached string
		request            Request
		want               Decision
	}{
		{"nothing allows it", allow(indexARN, ""), "", query(nil), ImplicitDeny},
		{"an allow", allow(tableARN, ""), "", query(nil), Allowed},
		{"an explicit deny wins", allow("*", ""), deny("dynamodb:Query", ""), query(nil), ExplicitDeny},
		{"a deny of something else", allow("*", ""), deny("dynamodb:Scan", ""), query(nil), Allowed},
		{"a deny allows nothing", allow(indexARN, ""), deny("dynamodb:Scan", ""), query(nil), ImplicitDeny},
		{"actions regardless of case", one(`"Effect": "Allow", "Action": "DynamoDB:query", "Resource": "*"`), "", query(nil), Allowed},
		{"actions with *", one(`"Effect": "Allow", "Action": ["dynamodb:Q*"], "Resource": "*"`), "", query(nil), Allowed},
		{"actions with ?", one(`"Effect": "Allow", "Action": "dynamodb:Quer?", "Resource": "*"`), "", query(nil), Allowed},
		{"actions with ? for one character", one(`"Effect": "Allow", "Action": "dynamodb:Query?", "Resource": "*"`), "", query(nil), ImplicitDeny},
		{"a table does not stand for its index", allow(tableARN, ""), "", Request{Action: "dynamodb:Query", Resource: indexARN}, ImplicitDeny},
		{"* in an ARN reaches over slashes", allow(tableARN+"*", ""), "", Request{Action: "dynamodb:Query", Resource: indexARN}, Allowed},
		{"* in an ARN does not reach over colons", allow("arn:aws:dynamodb:eu*3:*:table/T", ""), "", query(nil), ImplicitDeny},
		{"* in each part of an ARN", allow("arn:*:dynamodb:*:*:table/*", ""), "", query(nil), Allowed},
		{"a dot is no wildcard", allow(strings.ReplaceAll(tableARN, "-", "."), ""), "", query(nil), ImplicitDeny},
		{"resources by case", allow(strings.ReplaceAll(tableARN, "/T", "/t"), ""), "", query(nil), ImplicitDeny},

		{"own partition", allow("*", own), "", query(user("1", "USER#1")), Allowed},
		{"another's partition", allow("*", own), "", query(user("1", "USER#2")), ImplicitDeny},
		{"a longer id", allow("*", own), "", query(user("1", "USER#10")), ImplicitDeny},
		{"own and another's", allow("*", own), "", query(user("1", "USER#1", "USER#2")), ImplicitDeny},
		{"no leading key, and Null asks for one", allow("*", own), "", query(user("1")), ImplicitDeny},
		{"no leading key, and nothing asks for one", allow("*", alone), "", query(nil), Allowed},
		{"a principal without the tag", allow("*", own), "", query(Context{"dynamodb:LeadingKeys": {"USER#"}}), ImplicitDeny},
		{"a tag that is a wildcard is taken by its letters", allow("*", strings.Replace(own, "StringEquals", "StringLike", 1)), "",
			query(user("*", "USER#2")), ImplicitDeny},
		{"any of several values", allow("*", `{"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": "A"}}`), "",
			query(Context{"dynamodb:LeadingKeys": {"A", "B"}}), Allowed},
		{"any of none", allow("*", `{"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": "A"}}`), "", query(nil), ImplicitDeny},
		{"a set operator on a key of one value", allow("*", `{"ForAllValues:StringEquals": {"dynamodb:Select": "COUNT"}}`), "", query(Context{"dynamodb:Select": {"COUNT"}}), Allowed},
		{"a set operator on a key of another value", allow("*", `{"ForAllValues:StringEquals": {"dynamodb:Select": "COUNT"}}`), "", query(Context{"dynamodb:Select": {"A"}}), ImplicitDeny},
		{"a set operator on a key of one value that is absent", allow("*", `{"ForAllValues:StringEquals": {"dynamodb:Select": "COUNT"}}`), "", query(nil), Allowed},
		{"any of one value that is absent", allow("*", ""), deny("dynamodb:Query", `{"ForAnyValue:Bool": {"dynamodb:FullTableScan": "true"}}`), query(nil), Allowed},
		{"all of one value that is absent", allow("*", ""), deny("dynamodb:Query", `{"ForAllValues:Bool": {"dynamodb:FullTableScan": "true"}}`), query(nil), ExplicitDeny},
		{"Null asks for absence", allow("*", `{"Null": {"dynamodb:Select": "true"}}`), "", query(nil), Allowed},
		{"Null asks for absence and finds a value", allow("*", `{"Null": {"dynamodb:Select": true}}`), "", query(Context{"dynamodb:Select": {"COUNT"}}), ImplicitDeny},
		{"StringEquals of an absent key", allow("*", `{"StringEquals": {"dynamodb:Select": "COUNT"}}`), "", query(nil), ImplicitDeny},
		{"StringNotEquals of an absent key", allow("*", `{"StringNotEquals": {"dynamodb:Select": "COUNT"}}`), "", query(nil), Allowed},
		{"StringNotEquals of any of its values", allow("*", `{"StringNotEquals": {"dynamodb:Select": ["A", "B"]}}`), "",
			query(Context{"dynamodb:Select": {"B"}}), ImplicitDeny},
		{"StringEquals takes * by its letter", allow("*", `{"StringEquals": {"dynamodb:Select": "A*"}}`), "", query(Context{"dynamodb:Select": {"AB"}}), ImplicitDeny},
		{"StringLike", allow("*", `{"StringLike": {"dynamodb:Select": "A*"}}`), "", query(Context{"dynamodb:Select": {"AB"}}), Allowed},
		{"StringLike with * twice, where the first place is the wrong one", allow("*", `{"StringLike": {"dynamodb:Select": "A*B*BC"}}`), "",
			query(Context{"dynamodb:Select": {"ABxBBC"}}), Allowed},
		{"StringLike with more behind its end", allow("*", `{"StringLike": {"dynamodb:Select": "A*B"}}`), "", query(Context{"dynamodb:Select": {"AxBC"}}), ImplicitDeny},
		{"StringLike with * for nothing", allow("*", `{"StringLike": {"dynamodb:Select": "A*B?"}}`), "", query(Context{"dynamodb:Select": {"AB€"}}), Allowed},
		{"StringLike with ? for one character of three bytes", allow("*", `{"StringLike": {"dynamodb:Select": "A*??"}}`), "", query(Context{"dynamodb:Select": {"A€"}}), ImplicitDeny},
		{"StringLike over a line break", allow("*", `{"StringLike": {"dynamodb:Select": "A*B"}}`), "", query(Context{"dynamodb:Select": {"A\nB"}}), Allowed},
		{"StringLike with ${*}", allow("*", `{"StringLike": {"dynamodb:Select": "A${*}"}}`), "", query(Context{"dynamodb:Select": {"AB"}}), ImplicitDeny},
		{"StringNotLike", allow("*", `{"StringNotLike": {"dynamodb:Select": "A*"}}`), "", query(Context{"dynamodb:Select": {"AB"}}), ImplicitDeny},
		{"values by case", allow("*", `{"StringEquals": {"dynamodb:Select": "count"}}`), "", query(Context{"dynamodb:Select": {"COUNT"}}), ImplicitDeny},
		{"keys regardless of case", allow("*", `{"StringEquals": {"DynamoDB:select": "COUNT"}}`), "", query(Context{"dynamodb:Select": {"COUNT"}}), Allowed},
		{"all operators must hold", allow("*", `{"StringEquals": {"dynamodb:Select": "COUNT"}, "Null": {"dynamodb:LeadingKeys": "false"}}`), "",
			query(Context{"dynamodb:Select": {"COUNT"}}), ImplicitDeny},
		{"NotAction", one(`"Effect": "Allow", "NotAction": "dynamodb:Q*", "Resource": "*"`), "", query(nil), ImplicitDeny},
		{"NotAction of another", one(`"Effect": "Allow", "NotAction": ["dynamodb:Scan", "s3:*"], "Resource": "*"`), "", query(nil), Allowed},
		{"NotResource", one(`"Effect": "Allow", "Action": "dynamodb:Query", "NotResource": "` + tableARN + `"`), "", query(nil), ImplicitDeny},
		{"NotResource of another", one(`"Effect": "Allow", "Action": "dynamodb:Query", "NotResource": ["` + indexARN + `"]`), "", query(nil), Allowed},
		{"the actions of another service", one(`"Effect": "Allow", "Action": ["s3:*"], "Resource": "*"`), "", query(nil), ImplicitDeny},
		{"the resources of another service", one(`"Effect": "Allow", "Action": "*", "Resource": "arn:aws:s3:::b"`), "", query(nil), ImplicitDeny},
		{"a version that knows no variables", strings.Replace(allow("*", own), "2012-10-17", "2008-10-17", 1), "", query(user("1", "USER#1")), ImplicitDeny},
		{"no version", strings.Replace(allow("*", own), `"Version": "2012-10-17", `, "", 1), "", query(user("1", "USER#${aws:PrincipalTag/userId}")), Allowed},
		{"IfExists of an absent key", allow("*", `{"StringEqualsIfExists": {"dynamodb:Select": "COUNT"}}`), "", query(nil), Allowed},
		{"IfExists of another value", allow("*", `{"StringEqualsIfExists": {"dynamodb:Select": "COUNT"}}`), "", query(Context{"dynamodb:Select": {"A"}}), ImplicitDeny},
		{"IfExists of any of none", allow("*", `{"ForAnyValue:StringLikeIfExists": {"dynamodb:LeadingKeys": "A*"}}`), "", query(nil), Allowed},
		{"a default for a variable without a value", allow("*", `{"StringEquals": {"dynamodb:Select": "${aws:PrincipalTag/a, 'COUNT'}"}}`), "", query(Context{"dynamodb:Select": {"COUNT"}}), Allowed},
		{"a default for a variable with a value", allow("*", `{"StringEquals": {"dynamodb:Select": "${aws:PrincipalTag/a, 'COUNT'}"}}`), "",
			query(Context{"dynamodb:Select": {"COUNT"}, "aws:PrincipalTag/a": {"x"}}), ImplicitDeny},
		{"regardless of case", allow("*", `{"StringEqualsIgnoreCase": {"dynamodb:Select": "count"}}`), "", query(Context{"dynamodb:Select": {"COUNT"}}), Allowed},
		{"regardless of case, none of them", allow("*", `{"StringNotEqualsIgnoreCase": {"dynamodb:Select": "count"}}`), "", query(Context{"dynamodb:Select": {"COUNT"}}), ImplicitDeny},
		{"Bool regardless of case", allow("*", ""), deny("dynamodb:Query", `{"Bool": {"dynamodb:FullTableScan": "True"}}`), query(Context{"dynamodb:FullTableScan": {"true"}}), ExplicitDeny},
		{"Bool", allow("*", ""), deny("dynamodb:Query", `{"Bool": {"dynamodb:FullTableScan": "true"}}`), query(Context{"dynamodb:FullTableScan": {"true"}}), ExplicitDeny},
		{"Bool of the other value", allow("*", ""), deny("dynamodb:Query", `{"Bool": {"dynamodb:FullTableScan": [true]}}`), query(Context{"dynamodb:FullTableScan": {"false"}}), Allowed},
		{"Bool of an absent key", allow("*", ""), deny("dynamodb:Query", `{"Bool": {"dynamodb:FullTableScan": "true"}}`), query(nil), Allowed},
	} {
		t.Run(row.name, func(t *testing.T) {
			identity, err := Parse(row.identity, Identity)
			require.NoError(t, err)
			documents := []*Document{identity}
			if row.attached != "" {
				attached, err := Parse(row.attached, Resource)
				require.NoError(t, err)
				documents = append(documents, attached)
			}
			got, err := Evaluate(row.request, documents...)
			if err != nil || got.Decision != row.want {
				t.Errorf("expected %s, found %s, %v", row.want, got, err)
			}
			if row.want != ImplicitDeny && got.Statement == "" {
				t.Error("expected the statement that decides, found none")
			}
		})
	}
}

func TestEvaluateRefusesAnUnknownKeyOfTheRequest(t *testing.T) {
	document, err := Parse(allow("*", ""), Identity)
	require.NoError(t, err)
	if _, err := Evaluate(query(Context{"dynamodb:Selekt": {"x"}}), document); err == nil || !strings.Contains(err.Error(), "dynamodb:Selekt") {
		t.Errorf("expected the key to be refused by name, found %v", err)
	}
}
