package guardtest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/guard"
)

// changes are the fields of a read that are changed: to what another read of the design has there, or to one of these.
var changes = map[string][]any{
	"TableName":                 {aws.String("Other"), aws.String("osem-{env}-Users")},
	"IndexName":                 {(*string)(nil), aws.String("bySite")},
	"KeyConditionExpression":    {aws.String("#n0 = :v0"), aws.String("#n0 = :v0 AND #n1 = :v1"), aws.String("#n0 = :v0 AND begins_with(#n1, :v1)"), aws.String("#n0 = :v0 AND #n1 BETWEEN :v1 AND :v1"), aws.String("#n0 = :v0 AND #n1 >= :v1"), aws.String("#n0 = :v0 AND #n1 < :v1")},
	"FilterExpression":          {(*string)(nil), aws.String("attribute_exists(#n0)"), aws.String("#n0 = :v0"), aws.String("#n0 = :v0 OR #n0 = :v0"), aws.String("NOT #n0 = :v0"), aws.String("size(#n0) = :v0")},
	"ProjectionExpression":      {(*string)(nil), aws.String("#n0"), aws.String("#n0, sections"), aws.String("#n0, #n1[0]"), aws.String("sections.#n0")},
	"Limit":                     {(*int32)(nil), aws.Int32(2), aws.Int32(26), aws.Int32(3001), aws.Int32(-1)},
	"ScanIndexForward":          {(*bool)(nil), aws.Bool(false), aws.Bool(true)},
	"Segment":                   {aws.Int32(0)},
	"ExpressionAttributeNames":  nil,
	"ExpressionAttributeValues": nil,
	"Key":                       nil,
}

// mutated is a read with another value in one of its parts, and whether it is another read.
func mutated(t *rapid.T, reads []documentedRequest, input any) (any, bool) {
	changed := reflect.New(reflect.TypeOf(input).Elem())
	changed.Elem().Set(reflect.ValueOf(input).Elem())
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(changes)), func(name string) bool { return !changed.Elem().FieldByName(name).IsValid() })
	name := rapid.SampledFrom(names).Draw(t, "part")
	part := changed.Elem().FieldByName(name)
	if values, is := part.Interface().(map[string]types.AttributeValue); is {
		values = maps.Clone(values)
		part.Set(reflect.ValueOf(values))
		return changed.Interface(), len(values) > 0 && mutateValue(t, values, rapid.SampledFrom(sortedCopy(keysOf(values))).Draw(t, "of"))
	}
	choices := changes[name]
	if len(choices) == 0 || rapid.Bool().Draw(t, "as another read") {
		choices = nil
		for _, other := range reads {
			if of := reflect.ValueOf(other.input).Elem(); of.Type() == changed.Elem().Type() {
				choices = append(choices, of.FieldByName(name).Interface())
			}
		}
	}
	if len(choices) == 0 {
		return nil, false
	}
	before := part.Interface()
	part.Set(reflect.ValueOf(rapid.SampledFrom(choices).Draw(t, "value")))
	return changed.Interface(), !reflect.DeepEqual(before, part.Interface())
}

// mutateValue changes a value as mistakes do: a shorter or longer prefix, another kind of item, another separator, nothing but the kind,
// another type.
func mutateValue(t *rapid.T, values map[string]types.AttributeValue, name string) bool {
	switch value := values[name].(type) {
	case *types.AttributeValueMemberS:
		text := value.Value
		head, rest, _ := strings.Cut(text, "#")
		other := rapid.SampledFrom([]string{
			text[:len(text)-1], text + "#", text + "X", "X" + text, head, head + "#", "USER#" + rest, strings.ToLower(text),
			strings.ReplaceAll(text, "#", "|"), "ENTRY#", "TASK#1", "SITE#", "KW#a#TS#", "WALLET",
		}).Draw(t, "text")
		values[name] = &types.AttributeValueMemberS{Value: other}
		return other != text && other != ""
	case *types.AttributeValueMemberN:
		values[name] = rapid.SampledFrom([]types.AttributeValue{
			&types.AttributeValueMemberN{Value: value.Value + "9"}, &types.AttributeValueMemberS{Value: value.Value},
		}).Draw(t, "value")
		return true
	}
	return false
}

// asQuery is a GetItem as the Query of its key.
func asQuery(get *dynamodb.GetItemInput) *dynamodb.QueryInput {
	names, values := maps.Clone(get.ExpressionAttributeNames), map[string]types.AttributeValue{}
	if names == nil {
		names = map[string]string{}
	}
	var terms []string
	for i, name := range sortedCopy(keysOf(get.Key)) {
		names[fmt.Sprint("#k", i)], values[fmt.Sprint(":v", i)] = name, get.Key[name]
		terms = append(terms, fmt.Sprintf("#k%d = :v%d", i, i))
	}
	return &dynamodb.QueryInput{
		TableName: get.TableName, KeyConditionExpression: aws.String(strings.Join(terms, " AND ")), ConsistentRead: get.ConsistentRead,
		ProjectionExpression: get.ProjectionExpression, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}
}

func keysOf(item map[string]types.AttributeValue) []string { return slices.Collect(maps.Keys(item)) }

// TestMutationsAreRefusedOrDocumented changes one or two parts of documented
// reads. What passes must be exactly a documented read by the oracle, and what
// the oracle finds documented must pass.
func TestMutationsAreRefusedOrDocumented(t *testing.T) {
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			var reads []documentedRequest
			for _, r := range requestsOf(t, design) {
				if r.step.Read != nil {
					reads = append(reads, r)
				}
			}
			g := guardFor(t, design)
			refused := 0
			for _, r := range reads { // DynamoDB reads no global secondary index consistently, and the designs have no other
				if query, is := r.input.(*dynamodb.QueryInput); is && query.IndexName != nil {
					consistent := *query
					consistent.ConsistentRead = aws.Bool(true)
					_, err := g.Check(t.Context(), &consistent)
					require.Error(t, err, r.where)
					mustBeUndocumented(t, design, err, &consistent, r.where)
				}
			}
			rapid.Check(t, func(t *rapid.T) {
				for range 5 {
					r := rapid.SampledFrom(reads).Draw(t, "request")
					input := r.input
					get, is := input.(*dynamodb.GetItemInput)
					changed := is && rapid.Bool().Draw(t, "as a Query")
					if changed {
						input = asQuery(get)
					}
					for range rapid.IntRange(0, 2).Draw(t, "mutations") {
						if other, did := mutated(t, reads, input); did {
							input, changed = other, true
						}
					}
					switch decision, err := g.Check(t.Context(), input); {
					case !changed:
					case err == nil:
						mustBeDocumented(t, design, decision, input, r.where)
					default:
						refused++
						mustBeUndocumented(t, design, err, input, r.where)
					}
				}
			})
			if refused == 0 {
				t.Error("expected refusals, found passes only")
			}
		})
	}
}

func stepOf(pattern *accesspatterns.Pattern, name string) *accesspatterns.Read {
	for _, step := range pattern.Steps {
		if step.Name == name {
			return step.Read
		}
	}
	return nil
}

func mustBeDocumented(t *rapid.T, design *accesspatterns.Design, decision guard.Decision, input any, where string) {
	pattern, known := design.Pattern(decision.Pattern)
	if !known {
		t.Fatalf("%s: passed as no documented pattern: %+v", where, input)
	}
	read := stepOf(pattern, decision.Step)
	if read == nil || !plainOf(input).is(design, read, textsOf(input)) {
		t.Fatalf("%s: passed as %s, which it is not: %+v", where, decision.Pattern, plainOf(input))
	}
}

func mustBeUndocumented(t rapid.TB, design *accesspatterns.Design, err error, input any, where string) {
	for i := range design.Patterns {
		for _, step := range design.Patterns[i].Steps {
			// The guard knows more than the oracle about what a flow binds, and
			// prefers a read with a budget to one of the same shape without.
			if step.Read == nil || step.ForEach != nil || design.Patterns[i].ID == "delete-account" {
				continue
			}
			if plainOf(input).is(design, step.Read, textsOf(input)) {
				t.Fatalf("%s: is documented as %s, step %s, and was refused: %v", where, design.Patterns[i].ID, step.Name, err)
			}
		}
	}
}
