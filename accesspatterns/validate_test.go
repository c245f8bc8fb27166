package accesspatterns_test

import (
	"maps"
	"os"
	"slices"
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
	design := tabletest.Must(contract.Load(os.DirFS("testdata/rating")))(t)
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
	for value, want := range tabletest.Read[map[string]string](t, "json.yaml") {
		found := validate.Attribute(&attribute, accesspatterns.Item{"layout": text(value)})
		if want == "" {
			assert.Empty(t, found, value)
			continue
		}
		require.Len(t, found, 1, value)
		assert.Equal(t, validate.ViolatesFormat, found[0].Rule, value)
		assert.Contains(t, found[0].Message, want, value)
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
	stored := tabletest.Read[struct {
		Item map[string]any
		Rows []struct{ Name, Change, Refused string }
	}](t, "unstored.yaml")
	for _, row := range stored.Rows {
		changed := tabletest.JQ(t, row.Change, stored.Item).(map[string]any)
		if err := validate.Unstored(table, tabletest.Item(t, changed)); row.Refused == "" {
			assert.NoError(t, err, row.Name)
		} else {
			assert.ErrorContains(t, err, row.Refused, row.Name)
		}
	}
}
