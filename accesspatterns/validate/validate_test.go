package validate_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/validate"
)

// rating is an entity that uses every obligation.
func rating() *accesspatterns.Entity {
	low, high := designtest.Between(1, 5)
	least, _ := designtest.Between(0.1, 1)
	return &accesspatterns.Entity{
		ID: "rating", Title: "Rating", Table: "notes",
		Keys: []accesspatterns.KeyAttribute{
			{Attribute: "PK", Template: "USER#{userId}"},
			{Attribute: "SK", Template: "SITE#{site}"},
			{Attribute: "GSI", Template: "{kind}#{ISODate}", Optional: true, Binds: map[string]string{"ISODate": "createdAt"}},
		},
		Attributes: []accesspatterns.Attribute{
			{Name: "userId", Type: dynamo.String},
			{Name: "kind", Type: dynamo.String, Allowed: []string{"draft", "final"}},
			{Name: "createdAt", Type: dynamo.String, Format: accesspatterns.ISOTimestamp},
			{Name: "stars", Type: dynamo.Number, Minimum: low, Maximum: high, Format: accesspatterns.Integer},
			{Name: "copy", Type: dynamo.Number},
			{Name: "note", Type: dynamo.String, Presence: accesspatterns.Nullable, NotEmpty: true},
			{Name: "ttl", Type: dynamo.Number, Format: accesspatterns.EpochSeconds, Presence: accesspatterns.Optional},
			{Name: "roles", Type: dynamo.StringSet, Presence: accesspatterns.Optional},
			{Name: "marks", Type: dynamo.NumberSet, Maximum: high, Presence: accesspatterns.Optional},
			{Name: "prints", Type: dynamo.BinarySet, Presence: accesspatterns.Optional},
			{Name: "weight", Type: dynamo.Number, Minimum: least, Presence: accesspatterns.Optional},
			{Name: "scores.*.value", Type: dynamo.Number, Presence: accesspatterns.Required},
			{Name: "scores", Type: dynamo.Map, Presence: accesspatterns.Optional},
			{Name: "steps", Type: dynamo.List, Presence: accesspatterns.Optional},
			{Name: "steps[].name", Type: dynamo.String},
			{Name: "siteRef", Type: dynamo.String, Presence: accesspatterns.Optional},
		},
		Rules: []accesspatterns.Rule{
			{ID: "copies", Attribute: "copy", EqualTo: "stars"},
			{ID: "site-ref", Attribute: "siteRef", Template: "SITE#{site}"},
			{ID: "final-has-note", Attribute: "note", Check: func(item accesspatterns.Item) error {
				if dynamo.Equal(item["kind"], text("final")) && item["note"] == nil {
					return errors.New("expected a note on a final rating, found none")
				}
				return nil
			}},
		},
	}
}

func goodRating() accesspatterns.Item {
	return accesspatterns.Item{
		"PK": text("USER#u-1"), "SK": text("SITE#s-1"), "GSI": text("draft#2026-01-10T10:00:00Z"),
		"userId": text("u-1"), "kind": text("draft"), "createdAt": text("2026-01-10T10:00:00Z"),
		"stars": digits("5"), "copy": digits("5.0"), "note": &types.AttributeValueMemberNULL{Value: true},
		"marks": &types.AttributeValueMemberNS{Value: []string{"5.0", "1"}}, "prints": &types.AttributeValueMemberBS{Value: [][]byte{{1}}}, "weight": digits("0.1"),
		"ttl": digits("1769000000"), "roles": &types.AttributeValueMemberSS{Value: []string{"a"}}, "siteRef": text("SITE#s-1"),
		"scores": &types.AttributeValueMemberM{Value: accesspatterns.Item{"x": &types.AttributeValueMemberM{Value: accesspatterns.Item{"value": digits("1")}}}},
		"steps":  &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberM{Value: accesspatterns.Item{"name": text("n")}}}},
	}
}

func TestValidateAcceptsAGoodItem(t *testing.T) {
	if violations := validate.Item(rating(), goodRating()); len(violations) > 0 {
		t.Errorf("expected no violation, got %v", violations)
	}
	sparse := goodRating()
	for _, optional := range []string{"GSI", "note", "ttl", "roles", "marks", "prints", "weight", "scores", "steps", "siteRef"} {
		delete(sparse, optional)
	}
	if violations := validate.Item(rating(), sparse); len(violations) > 0 {
		t.Errorf("without optional attributes: expected no violation, got %v", violations)
	}
}

func TestValidateReportsEveryViolation(t *testing.T) {
	for _, row := range []struct {
		name   string
		set    accesspatterns.Item
		remove []string
		want   []string // attribute and rule
	}{
		{name: "a text in place of a list's element, which has no name then", set: accesspatterns.Item{"steps": &types.AttributeValueMemberL{Value: []types.AttributeValue{text("x")}}}, want: []string{"steps[0].name required"}},
		{name: "wrong type", set: accesspatterns.Item{"userId": digits("1")}, want: []string{"PK key", "userId type"}},
		{name: "missing required attribute", remove: []string{"kind"}, want: []string{"kind required"}},
		{name: "value outside the allowed set", set: accesspatterns.Item{"kind": text("other"), "GSI": text("other#2026-01-10T10:00:00Z")}, want: []string{"kind allowed"}},
		{name: "empty string", set: accesspatterns.Item{"note": text("")}, want: []string{"note empty"}},
		{name: "empty set", set: accesspatterns.Item{"roles": &types.AttributeValueMemberSS{}}, want: []string{"roles empty"}},
		{name: "empty set of numbers", set: accesspatterns.Item{"marks": &types.AttributeValueMemberNS{}}, want: []string{"marks empty"}},
		{name: "empty set of binaries", set: accesspatterns.Item{"prints": &types.AttributeValueMemberBS{}}, want: []string{"prints empty"}},
		{name: "number too high in a set", set: accesspatterns.Item{"marks": &types.AttributeValueMemberNS{Value: []string{"1", "6"}}}, want: []string{"marks range"}},
		{name: "no number", set: accesspatterns.Item{"weight": digits("NaN")}, want: []string{"weight type"}},
		{name: "too high by less than a float tells", set: accesspatterns.Item{"stars": digits("5.00000000000000000001"), "copy": digits("5.00000000000000000001")}, want: []string{"stars format", "stars range"}},
		{name: "too low by less than a float tells", set: accesspatterns.Item{"weight": digits("0.09999999999999999999999")}, want: []string{"weight range"}},
		{name: "no integer by less than a float tells", set: accesspatterns.Item{"ttl": digits("1769000000.00000000000001")}, want: []string{"ttl format"}},
		{name: "no timestamp", set: accesspatterns.Item{"createdAt": text("yesterday")}, want: []string{"GSI key", "createdAt format"}},
		{name: "number too high", set: accesspatterns.Item{"stars": digits("6"), "copy": digits("6")}, want: []string{"stars range"}},
		{name: "no integer", set: accesspatterns.Item{"stars": digits("4.5"), "copy": digits("4.5")}, want: []string{"stars format"}},
		{name: "time to live in milliseconds", set: accesspatterns.Item{"ttl": digits("1769000000000")}, want: []string{"ttl format"}},
		{name: "NULL for an index key", set: accesspatterns.Item{"GSI": &types.AttributeValueMemberNULL{Value: true}}, want: []string{"GSI key"}},
		{name: "empty index key", set: accesspatterns.Item{"GSI": text("")}, want: []string{"GSI key"}},
		{name: "stale index key", set: accesspatterns.Item{"GSI": text("final#2026-01-10T10:00:00Z")}, want: []string{"GSI key"}},
		{name: "key that disagrees with an attribute", set: accesspatterns.Item{"PK": text("USER#u-2")}, want: []string{"PK key"}},
		{name: "key of another form", set: accesspatterns.Item{"SK": text("TAG#s-1")}, remove: []string{"siteRef"}, want: []string{"SK key"}},
		{name: "missing key", remove: []string{"PK"}, want: []string{"PK key"}},
		{name: "copies that differ", set: accesspatterns.Item{"copy": digits("4")}, want: []string{"copy copies"}},
		{name: "derived value that differs", set: accesspatterns.Item{"siteRef": text("s-1")}, want: []string{"siteRef site-ref"}},
		{name: "check that fails", set: accesspatterns.Item{"kind": text("final"), "GSI": text("final#2026-01-10T10:00:00Z")}, remove: []string{"note"}, want: []string{"note final-has-note"}},
		{name: "undocumented attribute", set: accesspatterns.Item{"extra": text("x")}, want: []string{"extra undocumented"}},
		{
			name: "missing in a nested map",
			set:  accesspatterns.Item{"scores": &types.AttributeValueMemberM{Value: accesspatterns.Item{"x": &types.AttributeValueMemberM{Value: accesspatterns.Item{}}}}},
			want: []string{"scores.x.value required"},
		},
		{
			name: "wrong type in a list",
			set:  accesspatterns.Item{"steps": &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberM{Value: accesspatterns.Item{"name": digits("1")}}}}},
			want: []string{"steps[0].name type"},
		},
		{
			name: "several at once", remove: []string{"kind", "userId"}, set: accesspatterns.Item{"stars": digits("0"), "copy": digits("9")},
			want: []string{"copy copies", "kind required", "stars range", "userId required"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			item := goodRating()
			maps.Copy(item, row.set)
			for _, name := range row.remove {
				delete(item, name)
			}
			var got []string
			for _, violation := range validate.Item(rating(), item) {
				got = append(got, violation.Attribute+" "+violation.Rule)
			}
			slices.Sort(got)
			assert.Empty(t, cmp.Diff(row.want, got), "violations (-want +got)")
		})
	}
}

// JSON in a String is compared with its documented shape, member by member.
func TestJSONInAString(t *testing.T) {
	attribute := accesspatterns.Attribute{Name: "layout", Type: dynamo.String, JSON: map[string]string{"font": "string", "size.width": "number", "tags": "any"}}
	for value, want := range map[string]string{
		`{"font": "Sans", "size": {"width": 3}, "tags": null, "more": true}`: "",
		`{"font": "Sans", "size": {"width": 3}, "tags": []`:                  "expected a JSON object",
		`null`:     "expected a JSON object",
		`["font"]`: "expected a JSON object",
		`{"font": 3, "size": {"width": 3}, "tags": 1}`:        "expected font in the JSON to be of type string, found number",
		`{"font": "Sans", "size": {"width": "3"}, "tags": 1}`: "expected size.width in the JSON to be of type number, found string",
		`{"font": "Sans", "size": 3, "tags": 1}`:              "expected the member size.width in the JSON, found none",
		`{"font": "Sans", "size": {"width": 3}}`:              "expected the member tags in the JSON, found none",
	} {
		found := validate.Attribute(&attribute, accesspatterns.Item{"layout": text(value)})
		if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || found[0].Rule != validate.ViolatesFormat || !strings.Contains(found[0].Message, want)) {
			t.Errorf("%s: expected %q, found %v", value, want, found)
		}
	}
}

func text(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }

func digits(value string) types.AttributeValue { return &types.AttributeValueMemberN{Value: value} }

// One value that breaks two obligations breaks them in the same order in every run.
func TestViolationsAreOrdered(t *testing.T) {
	attribute := &accesspatterns.Attribute{Name: "id", Type: dynamo.String, Allowed: []string{"x"}, Format: accesspatterns.UUID}
	item := accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: "y"}}
	for range 20 {
		var rules []string
		for _, violation := range validate.Attribute(attribute, item) {
			rules = append(rules, violation.Rule)
		}
		require.Equal(t, []string{validate.ViolatesAllowed, validate.ViolatesFormat}, rules)
	}
}
