package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// UserTag is the policy variable of the user in front of the application: the principal's tag userId.
const UserTag = "${aws:PrincipalTag/userId}"

// RoleTag is the condition key of the principal's role: its tag role.
const RoleTag = "aws:PrincipalTag/role"

// The two effects of a statement.
const (
	Allow = "Allow"
	Deny  = "Deny"
)

// Statement is one statement of a policy, with IAM's own names.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_statement.html
type Statement struct {
	Sid    string
	Effect string
	// Principal is "*" in the policy of a table and empty in the policy of a role.
	Principal string `json:",omitempty"`
	Action    []string
	Resource  []string
	Condition Condition `json:",omitempty"`
}

// Permit allows a role operations of DynamoDB, their names apart by spaces, on resources, under a condition; nil for none.
func Permit(sid, operations string, condition Condition, resources ...string) Statement {
	s := Statement{Sid: sid, Effect: Allow, Resource: resources, Condition: condition}
	for _, operation := range strings.Fields(operations) {
		s.Action = append(s.Action, "dynamodb:"+operation)
	}
	return s
}

// Condition holds values by operator and condition key. All of it must hold for the statement to apply.
type Condition map[string]map[string][]string

// And returns a condition that holds when both hold. The two must not name the same key under the same operator.
func (c Condition) And(other Condition) Condition {
	both := Condition{}
	for _, each := range []Condition{c, other} {
		for operator, keys := range each {
			if both[operator] == nil {
				both[operator] = map[string][]string{}
			}
			maps.Copy(both[operator], keys)
		}
	}
	return both
}

// Partitions asks for requests that name partition keys, and none but these.
func Partitions(keys ...string) Condition {
	return onlyValues("StringEquals", "dynamodb:LeadingKeys", keys)
}

// PartitionsLike asks for requests that name partition keys, and none but of these forms; * stands for any text.
func PartitionsLike(forms ...string) Condition {
	return onlyValues("StringLike", "dynamodb:LeadingKeys", forms)
}

// Attributes asks for requests that name attributes, and none but these. DynamoDB compares the names of top-level
// attributes; what is nested in them it does not see.
func Attributes(names ...string) Condition {
	return onlyValues("StringEquals", "dynamodb:Attributes", names)
}

// Written asks for writes that name attributes, and none but these, and that return no others.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
func Written(names ...string) Condition {
	return Attributes(names...).And(Condition{"StringNotEquals": {"dynamodb:ReturnValues": {"ALL_OLD", "ALL_NEW"}}})
}

// onlyValues adds a Null condition to ForAllValues, which is true when the key is absent.
func onlyValues(operator, key string, values []string) Condition {
	return Condition{
		"ForAllValues:" + operator: {key: values},
		"Null":                     {key: {"false"}},
	}
}

// Projected asks for a read that names the attributes it wants.
func Projected() Condition {
	return Condition{"StringEquals": {"dynamodb:Select": {"SPECIFIC_ATTRIBUTES"}}}
}

// Tables holds the ARNs of a stack's tables by logical id.
type Tables map[string]string

// Table returns the ARN of a table, or a text that is no ARN where the stack has no such table, which Attach refuses.
func (t Tables) Table(id string) string {
	if arn, known := t[id]; known {
		return arn
	}
	return noTable + id
}

// noTable stands in place of the ARN of a table that the stack does not have.
const noTable = "no table "

// Index returns the ARN of an index of a table.
func (t Tables) Index(id, name string) string { return t.Table(id) + "/index/" + name }

// noScans is the policy of a table that nobody may scan: neither by Scan nor by a PartiQL statement that reads the whole
// table, on the table and on all its indexes. FullTableScan holds one value, so it stands in a plain Bool: with a set
// operator the refusal would not apply where the key is absent.
//
// Where a role is excepted, principals with its tag role may Scan the table, but none of its indexes, and not by PartiQL.
// StringNotEquals is true when the tag is absent, so a principal without the tag is refused.
func noScans(table, excepted string) []Statement {
	refuse := func(sid, operation string, condition Condition, resources ...string) Statement {
		return Statement{Sid: sid, Effect: Deny, Principal: "*", Action: []string{"dynamodb:" + operation}, Resource: resources, Condition: condition}
	}
	indexes := table + "/index/*"
	noFullScan := refuse("NoFullTableScanByPartiQL", "PartiQLSelect", Condition{"Bool": {"dynamodb:FullTableScan": {"true"}}}, table, indexes)
	if excepted == "" {
		return []Statement{refuse("NoScan", "Scan", nil, table, indexes), noFullScan}
	}
	return []Statement{
		refuse("NoScan", "Scan", Condition{"StringNotEquals": {RoleTag: {excepted}}}, table),
		refuse("NoScanOfIndexes", "Scan", nil, indexes),
		noFullScan,
	}
}

// Sizes in characters that AWS accepts: of a customer managed policy, whose white space does not count, and of a
// resource policy of DynamoDB, whose white space does. A document of this package has none.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-considerations.html
const (
	maxRolePolicy  = 6144
	maxTablePolicy = 20 * 1024
)

// document renders statements as a policy document. It refuses a table that the stack does not have, because a policy for a
// misspelt one would protect nothing, and a document that AWS would refuse for its size.
func document(owner string, limit int, statements []Statement) (string, error) {
	for _, statement := range statements {
		for _, resource := range statement.Resource {
			// A table that is being destroyed before it was created has an empty ARN; AWS refuses that by itself.
			if strings.HasPrefix(resource, noTable) {
				return "", fmt.Errorf("policy of %s, statement %s: expected the ARN of a table of this stack, found %q; correct the table's logical id",
					owner, statement.Sid, resource)
			}
		}
	}
	text, err := json.Marshal(struct {
		Version   string
		Statement []Statement
	}{"2012-10-17", statements})
	if len(text) > limit {
		return "", fmt.Errorf("policy of %s: expected at most %d characters, found %d; shorten dynaproof:namePrefix", owner, limit, len(text))
	}
	return string(text), err
}
