package accesspatterns_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/accesspatterns/validate"
)

// rating is an entity that uses every obligation.
func rating(t *testing.T) *accesspatterns.Entity {
	t.Helper()
	design, err := contract.Load(os.DirFS("testdata/rating"))
	require.NoError(t, err)
	return &design.Entities[0]
}

func goodRating(t *testing.T) accesspatterns.Item {
	t.Helper()
	return tabletest.Item(t, tabletest.Read[map[string]any](t, "rating.yaml"))
}

func TestValidateAcceptsAGoodItem(t *testing.T) {
	entity := rating(t)
	assert.Empty(t, validate.Item(entity, goodRating(t)), "expected no violation")
	sparse := goodRating(t)
	for _, optional := range []string{"GSI", "note", "ttl", "roles", "marks", "prints", "weight", "scores", "steps", "siteRef"} {
		delete(sparse, optional)
	}
	assert.Empty(t, validate.Item(entity, sparse), "without optional attributes: expected no violation")
}

func TestValidateReportsEveryViolation(t *testing.T) {
	entity := rating(t)
	for _, row := range tabletest.Read[[]struct {
		Name   string
		Set    map[string]any
		Remove []string
		Want   []string // attribute and rule
	}](t, "violations.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			item := goodRating(t)
			maps.Copy(item, tabletest.Item(t, row.Set))
			for _, name := range row.Remove {
				delete(item, name)
			}
			var got []string
			for _, violation := range validate.Item(entity, item) {
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

// The bounds are those of https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
func TestUnstored(t *testing.T) {
	table := &accesspatterns.Table{
		ID: "notes", PartitionKey: accesspatterns.Key{Attribute: "pk", Type: dynamo.String}, SortKey: &accesspatterns.Key{Attribute: "sk", Type: dynamo.Binary},
		Indexes: []accesspatterns.Index{{Name: "by-stars", PartitionKey: accesspatterns.Key{Attribute: "stars", Type: dynamo.Number}, SortKey: &accesspatterns.Key{Attribute: "a", Type: dynamo.String}, MoreSort: []accesspatterns.Key{{Attribute: "b", Type: dynamo.String}}}},
	}
	within := func(levels int) (value types.AttributeValue) {
		value = text("x")
		for range levels {
			value = &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberM{Value: accesspatterns.Item{"m": value}}}}
		}
		return value
	}
	for _, row := range []struct {
		name, want string
		change     func(accesspatterns.Item)
	}{
		{"as it is", "", func(accesspatterns.Item) {}},
		{"in no index", "", func(i accesspatterns.Item) { delete(i, "stars") }},
		{"an empty text that is no key", "", func(i accesspatterns.Item) { i["x"] = text("") }},
		{"an empty text in a set", "", func(i accesspatterns.Item) { i["x"] = &types.AttributeValueMemberSS{Value: []string{""}} }},
		{"400 KB", "", func(i accesspatterns.Item) { i["x"] = text(strings.Repeat("x", 400<<10-dynamo.Size(i)-1)) }},
		{"a byte more", "expected an item of at most 409600 bytes (400 KB), names and values, found about 409601", func(i accesspatterns.Item) { i["x"] = text(strings.Repeat("x", 400<<10-dynamo.Size(i))) }},
		{"without a sort key", "expected a value of key attribute sk, found none", func(i accesspatterns.Item) { delete(i, "sk") }},
		{"a key of another type", `sk: expected a key of type B that is not empty, found {"S":"x"}`, func(i accesspatterns.Item) { i["sk"] = text("x") }},
		{"an empty key", `pk: expected a key of type S that is not empty, found {"S":""}`, func(i accesspatterns.Item) { i["pk"] = text("") }},
		{"an index key that is NULL", `stars: expected a key of type N that is not empty, found {"NULL":true}`, func(i accesspatterns.Item) { i["stars"] = &types.AttributeValueMemberNULL{Value: true} }},
		{"the longest partition key", "", func(i accesspatterns.Item) { i["pk"] = text(strings.Repeat("x", 2048)) }},
		{"a partition key with a byte more", "pk: expected a key of at most 2048 bytes, found 2049", func(i accesspatterns.Item) { i["pk"] = text(strings.Repeat("x", 2047) + "é") }},
		{"a long sort key", "sk: expected a key of at most 1024 bytes, found 1025", func(i accesspatterns.Item) { i["sk"] = &types.AttributeValueMemberB{Value: make([]byte, 1025)} }},
		{"a sort key of several attributes", "a: expected a key of at most 1024 bytes, found 1025", func(i accesspatterns.Item) {
			i["a"], i["b"] = text(strings.Repeat("x", 512)), text(strings.Repeat("x", 513))
		}},
		{"no name", "expected attributes with names of 1 to 65535 bytes, found one of 0", func(i accesspatterns.Item) { i[""] = text("x") }},
		{"a long name", "expected attributes with names of 1 to 65535 bytes, found one of 65536", func(i accesspatterns.Item) { i[strings.Repeat("n", 65536)] = text("x") }},
		{"the deepest", "", func(i accesspatterns.Item) { i["x"] = within(16) }},
		{"too deep", "expected at most 32 maps and lists in each other, found more", func(i accesspatterns.Item) {
			i["x"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{within(16)}}
		}},
		{"a number that is none", "x: m: expected a Number of at most 38 digits, from 1E-130 to 9.99E+125, found 1e126", func(i accesspatterns.Item) {
			i["x"] = &types.AttributeValueMemberM{Value: accesspatterns.Item{"m": digits("1e126")}}
		}},
		{"a number of a set that is none", "x: expected a Number of at most 38 digits", func(i accesspatterns.Item) { i["x"] = &types.AttributeValueMemberNS{Value: []string{"one"}} }},
		{"a number twice", "x: expected each member of a set once, found 1.0 twice", func(i accesspatterns.Item) { i["x"] = &types.AttributeValueMemberNS{Value: []string{"1", "1.0"}} }},
		{"a text twice", "x: expected each member of a set once, found a twice", func(i accesspatterns.Item) { i["x"] = &types.AttributeValueMemberSS{Value: []string{"a", "b", "a"}} }},
		{"bytes twice", "x: expected each member of a set once, found [1] twice", func(i accesspatterns.Item) { i["x"] = &types.AttributeValueMemberBS{Value: [][]byte{{1}, {1}}} }},
		{"an empty set in a list", "x: expected a set with members, found none", func(i accesspatterns.Item) {
			i["x"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberSS{}}}
		}},
		{"a NULL that is false", "x: expected NULL to be true, found false", func(i accesspatterns.Item) { i["x"] = &types.AttributeValueMemberNULL{} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			item := accesspatterns.Item{"pk": text("x"), "sk": &types.AttributeValueMemberB{Value: []byte{1}}, "stars": digits("5"), "a": text("x"), "b": text("y")}
			row.change(item)
			err := validate.Unstored(table, item)
			if row.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, row.want)
		})
	}
}
