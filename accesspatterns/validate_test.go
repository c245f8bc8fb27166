package accesspatterns_test

import (
	"encoding/json"
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
	"dynaproof/accesspatterns/tabletest"
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
			{Attribute: "label", Template: "{site}#{label}", Optional: true}, // its own parameter is no copy of the attribute
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
			{Name: "label", Type: dynamo.String, Presence: accesspatterns.Optional},
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
		"ttl": digits("1769000000"), "roles": &types.AttributeValueMemberSS{Value: []string{"a"}}, "siteRef": text("SITE#s-1"), "label": text("s-1#x"),
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
	for _, row := range tabletest.Read[[]struct {
		Name   string
		Set    map[string]any
		Remove []string
		Want   []string // attribute and rule
	}](t, "violations.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			item := goodRating()
			text, err := json.Marshal(row.Set)
			require.NoError(t, err)
			set, err := dynamo.ReadItem(text)
			require.NoError(t, err)
			maps.Copy(item, set)
			for _, name := range row.Remove {
				delete(item, name)
			}
			var got []string
			for _, violation := range validate.Item(rating(), item) {
				got = append(got, violation.Attribute+" "+violation.Rule)
			}
			slices.Sort(got)
			assert.Empty(t, cmp.Diff(row.Want, got), "violations (-want +got)")
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
