package guardtest

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/guard"
)

// mutation changes one part of a read and reports whether it could.
type mutation struct {
	name  string
	apply func(t *rapid.T, design *accesspatterns.Design, input any) (any, bool)
}

func onQuery(apply func(t *rapid.T, design *accesspatterns.Design, q *dynamodb.QueryInput) bool) func(*rapid.T, *accesspatterns.Design, any) (any, bool) {
	return func(t *rapid.T, design *accesspatterns.Design, input any) (any, bool) {
		query, is := input.(*dynamodb.QueryInput)
		if !is {
			return nil, false
		}
		changed := *query
		changed.ExpressionAttributeNames = maps.Clone(query.ExpressionAttributeNames)
		changed.ExpressionAttributeValues = maps.Clone(query.ExpressionAttributeValues)
		return &changed, apply(t, design, &changed)
	}
}

// otherText changes a key value as mistakes do: a shorter or longer prefix,
// another kind of item, another separator, nothing but the kind.
func otherText(t *rapid.T, text string) string {
	head, rest, _ := strings.Cut(text, "#")
	return rapid.SampledFrom([]string{
		text[:len(text)-1], text + "#", text + "X", "X" + text, head, head + "#", "USER#" + rest, strings.ToLower(text),
		strings.ReplaceAll(text, "#", "|"), "ENTRY#", "TASK#1", "SITE#", "KW#a#TS#", "WALLET",
	}).Draw(t, "text")
}

func mutateValue(t *rapid.T, values map[string]types.AttributeValue, name string) bool {
	switch value := values[name].(type) {
	case *types.AttributeValueMemberS:
		other := otherText(t, value.Value)
		values[name] = &types.AttributeValueMemberS{Value: other}
		return other != value.Value && other != ""
	case *types.AttributeValueMemberN:
		values[name] = rapid.SampledFrom([]types.AttributeValue{
			&types.AttributeValueMemberN{Value: value.Value + "9"}, &types.AttributeValueMemberS{Value: value.Value},
		}).Draw(t, "value")
		return true
	}
	return false
}

var mutations = []mutation{
	{"index", onQuery(func(t *rapid.T, design *accesspatterns.Design, q *dynamodb.QueryInput) bool {
		choices := []*string{nil, aws.String("bySite")}
		for i := range design.Tables {
			for j := range design.Tables[i].Indexes {
				choices = append(choices, &design.Tables[i].Indexes[j].Name)
			}
		}
		before := aws.ToString(q.IndexName)
		q.IndexName = rapid.SampledFrom(choices).Draw(t, "index")
		return aws.ToString(q.IndexName) != before
	})},
	{"key attribute", onQuery(func(t *rapid.T, design *accesspatterns.Design, q *dynamodb.QueryInput) bool {
		name := rapid.SampledFrom([]string{"#n0", "#n1"}).Draw(t, "name")
		before, has := q.ExpressionAttributeNames[name]
		after := rapid.SampledFrom([]string{"PK", "SK", "pk", "sk", "GSI1PK", "gsi1pk", "gsi2sk", "userId", "entityType", "teamId"}).Draw(t, "attribute")
		q.ExpressionAttributeNames[name] = after
		return has && before != after
	})},
	{"value", onQuery(func(t *rapid.T, _ *accesspatterns.Design, q *dynamodb.QueryInput) bool {
		return mutateValue(t, q.ExpressionAttributeValues, rapid.SampledFrom([]string{":v0", ":v1", ":v2"}).Draw(t, "of"))
	})},
	{"sort operator", onQuery(func(t *rapid.T, _ *accesspatterns.Design, q *dynamodb.QueryInput) bool {
		partition, sort, has := strings.Cut(*q.KeyConditionExpression, " AND ")
		operator := rapid.SampledFrom([]string{"", " AND #n1 = :v1", " AND begins_with(#n1, :v1)", " AND #n1 BETWEEN :v1 AND :v1", " AND #n1 >= :v1", " AND #n1 < :v1"}).Draw(t, "operator")
		q.KeyConditionExpression = aws.String(partition + operator)
		return has && operator != " AND "+sort
	})},
	{"filter", onQuery(func(t *rapid.T, _ *accesspatterns.Design, q *dynamodb.QueryInput) bool {
		before := aws.ToString(q.FilterExpression)
		after := rapid.SampledFrom([]string{"", "attribute_exists(#n0)", "#n0 = :v0", "#n0 = :v0 OR #n0 = :v0", "NOT #n0 = :v0", "size(#n0) = :v0", before + " AND #n0 = :v0"}).Draw(t, "filter")
		q.FilterExpression = nil
		if after != "" {
			q.FilterExpression = &after
		}
		return after != before && !strings.HasPrefix(after, " AND")
	})},
	{"projection", onQuery(func(t *rapid.T, _ *accesspatterns.Design, q *dynamodb.QueryInput) bool {
		before := aws.ToString(q.ProjectionExpression)
		first, _, _ := strings.Cut(before, ",")
		after := rapid.SampledFrom([]string{"", first, before + ", sections", before + "[0]", "sections.#private"}).Draw(t, "projection")
		if strings.Contains(after, "#private") {
			q.ExpressionAttributeNames["#private"] = "private" // a reserved word
		}
		q.ProjectionExpression = nil
		if after != "" {
			q.ProjectionExpression = &after
		}
		return before != "" && after != before
	})},
	{"limit", onQuery(func(t *rapid.T, _ *accesspatterns.Design, q *dynamodb.QueryInput) bool {
		before := aws.ToInt32(q.Limit)
		q.Limit = rapid.SampledFrom([]*int32{nil, aws.Int32(2), aws.Int32(26), aws.Int32(3001), aws.Int32(-1)}).Draw(t, "limit")
		return aws.ToInt32(q.Limit) != before
	})},
	{"order", onQuery(func(_ *rapid.T, _ *accesspatterns.Design, q *dynamodb.QueryInput) bool {
		q.ScanIndexForward = aws.Bool(q.ScanIndexForward != nil && !*q.ScanIndexForward)
		return true
	})},
	{"table", func(t *rapid.T, design *accesspatterns.Design, input any) (any, bool) {
		choices := []string{"Other", "osem-{env}-Users"}
		for i := range design.Tables {
			choices = append(choices, design.Tables[i].Name.In(environment), design.Tables[i].ID+"2")
		}
		name := rapid.SampledFrom(choices).Draw(t, "table")
		switch in := input.(type) {
		case *dynamodb.GetItemInput:
			changed := *in
			changed.TableName = &name
			return &changed, name != *in.TableName
		case *dynamodb.QueryInput:
			changed := *in
			changed.TableName = &name
			return &changed, name != *in.TableName
		case *dynamodb.ScanInput:
			changed := *in
			changed.TableName = &name
			return &changed, name != *in.TableName
		}
		return nil, false
	}},
	{"operation", func(t *rapid.T, _ *accesspatterns.Design, input any) (any, bool) {
		switch in := input.(type) {
		case *dynamodb.GetItemInput:
			return rapid.SampledFrom([]any{
				&dynamodb.ScanInput{TableName: in.TableName, Limit: aws.Int32(25)},
				&dynamodb.ExecuteStatementInput{Statement: aws.String("SELECT * FROM T")},
			}).Draw(t, "operation"), true
		case *dynamodb.QueryInput:
			return rapid.SampledFrom([]any{
				&dynamodb.ScanInput{TableName: in.TableName, IndexName: in.IndexName, Limit: aws.Int32(25)},
				&dynamodb.BatchExecuteStatementInput{}, &dynamodb.ExecuteTransactionInput{},
				&dynamodb.ExportTableToPointInTimeInput{TableArn: in.TableName},
			}).Draw(t, "operation"), true
		}
		return nil, false
	}},
	{"Query of the key", func(_ *rapid.T, _ *accesspatterns.Design, input any) (any, bool) {
		get, is := input.(*dynamodb.GetItemInput)
		if !is {
			return nil, false
		}
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
		}, true
	}},
	{"key of GetItem", func(t *rapid.T, design *accesspatterns.Design, input any) (any, bool) {
		get, is := input.(*dynamodb.GetItemInput)
		if !is {
			return nil, false
		}
		changed := *get
		changed.Key = maps.Clone(get.Key)
		name := rapid.SampledFrom(sortedCopy(keysOf(get.Key))).Draw(t, "attribute")
		if rapid.Bool().Draw(t, "rename") {
			changed.Key["other"] = changed.Key[name]
			delete(changed.Key, name)
			return &changed, true
		}
		return &changed, mutateValue(t, changed.Key, name)
	}},
	{"projection of GetItem", func(t *rapid.T, _ *accesspatterns.Design, input any) (any, bool) {
		get, is := input.(*dynamodb.GetItemInput)
		if !is || get.ProjectionExpression == nil {
			return nil, false
		}
		changed := *get
		changed.ProjectionExpression = rapid.SampledFrom([]*string{nil, aws.String("#n0"), aws.String("#n0, secret")}).Draw(t, "projection")
		return &changed, aws.ToString(changed.ProjectionExpression) != *get.ProjectionExpression
	}},
	{"scan", func(t *rapid.T, _ *accesspatterns.Design, input any) (any, bool) {
		scan, is := input.(*dynamodb.ScanInput)
		if !is {
			return nil, false
		}
		changed := *scan
		switch rapid.IntRange(0, 3).Draw(t, "part") {
		case 0:
			changed.Limit = rapid.SampledFrom([]*int32{nil, aws.Int32(26)}).Draw(t, "limit")
		case 1:
			changed.Segment, changed.TotalSegments = aws.Int32(0), aws.Int32(2)
		case 2:
			changed.IndexName = aws.String("managerId-index")
		case 3:
			changed.FilterExpression = aws.String("attribute_exists(nothing)")
		}
		return &changed, true
	}},
}

func keysOf(item map[string]types.AttributeValue) []string {
	var names []string
	for name := range item {
		names = append(names, name)
	}
	return names
}

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
			passed, refused := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				r := rapid.SampledFrom(reads).Draw(t, "request")
				input := r.input
				applied := ""
				for range rapid.IntRange(1, 2).Draw(t, "mutations") {
					m := rapid.SampledFrom(mutations).Draw(t, "mutation")
					if changed, did := m.apply(t, design, input); did {
						input = changed
						applied += " " + m.name
					}
				}
				if applied == "" {
					return
				}
				decision, err := g.Check(t.Context(), input)
				if err == nil {
					passed++
					mustBeDocumented(t, design, decision, input, r.where+":"+applied)
					return
				}
				refused++
				mustBeUndocumented(t, design, err, input, r.where+":"+applied)
			})
			if refused == 0 {
				t.Errorf("expected refusals, found %d passes only", passed)
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

func mustBeUndocumented(t *rapid.T, design *accesspatterns.Design, err error, input any, where string) {
	if scan, is := input.(*dynamodb.ScanInput); is && scan.Segment != nil {
		return // a parallel Scan is documented nowhere; the oracle does not look at it
	}
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
