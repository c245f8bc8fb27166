package policy

import (
	"fmt"
	"strings"
	"testing"
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

func TestParseRefusesWhatItDoesNotKnow(t *testing.T) {
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
		{"the old version", `{"Version": "2008-10-17", "Statement": {"Effect": "Allow", ` + rest + `}}`, Identity, "2012-10-17"},
		{"no version", `{"Statement": {"Effect": "Allow", ` + rest + `}}`, Identity, "2012-10-17"},
		{"no statement", `{"Version": "2012-10-17", "Statement": []}`, Identity, "expected a Statement"},
		{"another effect", one(`"Effect": "allow", ` + rest), Identity, `found "allow"`},
		{"NotAction", one(`"Effect": "Allow", "NotAction": "dynamodb:Scan", "Resource": "*"`), Identity, "expected no NotAction"},
		{"NotResource", one(`"Effect": "Allow", "Action": "dynamodb:Scan", "NotResource": "*"`), Identity, "expected no NotResource"},
		{"NotPrincipal", one(`"Effect": "Allow", "NotPrincipal": "*", ` + rest), Resource, "expected no NotPrincipal"},
		{"a principal for a role", one(`"Effect": "Allow", "Principal": "*", ` + rest), Identity, "expected no Principal"},
		{"no principal for a table", one(`"Effect": "Deny", ` + rest), Resource, `expected Principal "*", found none`},
		{"one account", one(`"Effect": "Deny", "Principal": {"AWS": "111122223333"}, ` + rest), Resource, `expected Principal "*"`},
		{"an action of another service", one(`"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"`), Identity, `found "s3:GetObject"`},
		{"no action", one(`"Effect": "Allow", "Resource": "*"`), Identity, "expected an Action"},
		{"no resource", one(`"Effect": "Allow", "Action": "dynamodb:Query"`), Identity, "expected a Resource"},
		{"a table's name in place of its ARN", allow("T", ""), Identity, `found "T"`},
		{"a variable in a resource", allow(tableARN+"${aws:PrincipalTag/userId}", ""), Identity, "variables in a Resource"},
		{"an unknown operator", allow("*", `{"StringEqualsIgnoreCase": {"dynamodb:Select": "x"}}`), Identity, `"StringEqualsIgnoreCase" is not known`},
		{"IfExists", allow("*", `{"StringEqualsIfExists": {"dynamodb:Select": "x"}}`), Identity, `"StringEqualsIfExists" is not known`},
		{"an unknown set operator", allow("*", `{"ForSomeValue:StringEquals": {"dynamodb:Attributes": "x"}}`), Identity, "is not known"},
		{"an unknown key", allow("*", `{"StringEquals": {"aws:SourceIp": "127.0.0.1"}}`), Identity, `"aws:SourceIp" is not known`},
		{"an unknown variable", allow("*", `{"StringEquals": {"dynamodb:Select": "${aws:username}"}}`), Identity, "${aws:username} is not known"},
		{"a variable with a default", allow("*", `{"StringEquals": {"dynamodb:Select": "${aws:PrincipalTag/a, 'b'}"}}`), Identity, "is not known"},
		{"an open variable", allow("*", `{"StringEquals": {"dynamodb:Select": "${aws:PrincipalTag/a"}}`), Identity, "expected }"},
		{"a set operator on a key of one value", deny("dynamodb:PartiQLSelect", `{"ForAnyValue:Bool": {"dynamodb:FullTableScan": "true"}}`), Resource, "fails open"},
		{"no set operator on a key of several values", allow("*", `{"StringEquals": {"dynamodb:LeadingKeys": "x"}}`), Identity, "holds several values"},
		{"a set operator on Null", allow("*", `{"ForAllValues:Null": {"dynamodb:LeadingKeys": "false"}}`), Identity, "plain Null"},
		{"Bool on a text", allow("*", `{"Bool": {"dynamodb:Select": "true"}}`), Identity, "does not fit"},
		{"a text operator on a truth value", allow("*", `{"StringEquals": {"dynamodb:FullTableScan": "true"}}`), Identity, "does not fit"},
		{"Bool of another word", allow("*", `{"Bool": {"dynamodb:FullTableScan": "yes"}}`), Identity, `found "yes"`},
		{"Null of two values", allow("*", `{"Null": {"dynamodb:Select": ["true", "false"]}}`), Identity, "found 2 values"},
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

// Several problems are one error, so that one run shows them all.
func TestParseCollects(t *testing.T) {
	_, err := Parse(one(`"Effect": "x", "Action": "s3:a", "Resource": "T"`), Identity)
	for _, want := range []string{`found "x"`, `found "s3:a"`, `found "T"`} {
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
		{"Bool", allow("*", ""), deny("dynamodb:Query", `{"Bool": {"dynamodb:FullTableScan": "true"}}`), query(Context{"dynamodb:FullTableScan": {"true"}}), ExplicitDeny},
		{"Bool of the other value", allow("*", ""), deny("dynamodb:Query", `{"Bool": {"dynamodb:FullTableScan": [true]}}`), query(Context{"dynamodb:FullTableScan": {"false"}}), Allowed},
		{"Bool of an absent key", allow("*", ""), deny("dynamodb:Query", `{"Bool": {"dynamodb:FullTableScan": "true"}}`), query(nil), Allowed},
	} {
		t.Run(row.name, func(t *testing.T) {
			identity, err := Parse(row.identity, Identity)
			if err != nil {
				t.Fatal(err)
			}
			documents := []*Document{identity}
			if row.attached != "" {
				attached, err := Parse(row.attached, Resource)
				if err != nil {
					t.Fatal(err)
				}
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
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Evaluate(query(Context{"dynamodb:Selekt": {"x"}}), document); err == nil || !strings.Contains(err.Error(), "dynamodb:Selekt") {
		t.Errorf("expected the key to be refused by name, found %v", err)
	}
}
