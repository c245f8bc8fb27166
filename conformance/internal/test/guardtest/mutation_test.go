package guardtest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/fixtures"
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
			assert.NotZero(t, refused, "expected refusals, found passes only")
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
	require.True(t, known, "%s: passed as no documented pattern: %+v", where, input)
	read := stepOf(pattern, decision.Step)
	require.True(t, read != nil && plainOf(input).is(design, read, textsOf(input)), "%s: passed as %s, which it is not: %+v", where, decision.Pattern, plainOf(input))
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

// plain is a read request with its aliases filled in, made by text replacement
// alone: it shares no code with the guard, and understands only what
// accesspatterns.Read.Compile writes and the mutations leave of it.
type plain struct {
	operation, table, index string
	condition, filter       string
	projection              []string
	descending              bool
	limit                   int32
	further                 bool
}

func plainOf(input any) (of plain) {
	unknown := false // what an alias or a value is, or a consistent read of an index, which DynamoDB refuses, or a segment, which no document has
	defer func() {
		if unknown {
			of = plain{}
		}
	}()
	fill := func(text *string, names map[string]string, values map[string]types.AttributeValue) string {
		words := strings.FieldsFunc(strings.NewReplacer("(", " ( ", ")", " ) ", ",", " , ").Replace(aws.ToString(text)), func(r rune) bool { return r == ' ' })
		for i, word := range words {
			if value, is := values[word]; is {
				words[i] = dynamo.Show(value)
				continue
			}
			segments := strings.Split(word, ".")
			for j, segment := range segments {
				alias, _, _ := strings.Cut(segment, "[")
				name, is := names[alias]
				if is {
					segments[j] = name + segment[len(alias):]
				}
				unknown = unknown || !is && strings.HasPrefix(segment, "#") || strings.HasPrefix(segment, ":")
			}
			words[i] = strings.Join(segments, ".")
		}
		return strings.Join(words, " ")
	}
	list := func(text string) []string {
		if text == "" {
			return nil
		}
		return sortedCopy(strings.Split(text, " , "))
	}
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		var keys []string
		for name, value := range in.Key {
			keys = append(keys, name+" = "+dynamo.Show(value))
		}
		slices.Sort(keys)
		return plain{operation: "GetItem", table: aws.ToString(in.TableName), condition: strings.Join(keys, " AND "),
			projection: list(fill(in.ProjectionExpression, in.ExpressionAttributeNames, nil))}
	case *dynamodb.QueryInput:
		unknown = in.IndexName != nil && aws.ToBool(in.ConsistentRead)
		return plain{operation: "Query", table: aws.ToString(in.TableName), index: aws.ToString(in.IndexName),
			condition:  fill(in.KeyConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues),
			filter:     fill(in.FilterExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues),
			projection: list(fill(in.ProjectionExpression, in.ExpressionAttributeNames, nil)),
			descending: !aws.ToBool(in.ScanIndexForward) && in.ScanIndexForward != nil,
			limit:      aws.ToInt32(in.Limit), further: len(in.ExclusiveStartKey) > 0}
	case *dynamodb.ScanInput:
		unknown = in.Segment != nil || in.IndexName != nil && aws.ToBool(in.ConsistentRead)
		return plain{operation: "Scan", table: aws.ToString(in.TableName), index: aws.ToString(in.IndexName),
			filter:     fill(in.FilterExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues),
			projection: list(fill(in.ProjectionExpression, in.ExpressionAttributeNames, nil)),
			limit:      aws.ToInt32(in.Limit), further: len(in.ExclusiveStartKey) > 0}
	}
	return plain{}
}

// is reports whether the request is the documented read for some parameters: it
// finds them by parsing every value that the request holds, compiles the read
// with them, and compares.
func (p plain) is(design *accesspatterns.Design, read *accesspatterns.Read, texts []string) bool {
	table, known := design.Table(read.Table)
	if !known {
		return false
	}
	for _, params := range guesses(read, texts) {
		input, err := sdk.Read(read, table, table.Name.In(environment), params)
		if err != nil {
			continue
		}
		want := plainOf(input)
		p := p.insteadOf(want)
		if p.operation == want.operation && p.table == want.table && p.index == want.index &&
			p.condition == want.condition && p.filter == want.filter &&
			p.projects(read, want.projection) &&
			(read.Order == accesspatterns.AnyOrder || read.Order == accesspatterns.EitherOrder || p.descending == want.descending) &&
			p.withinLimits(read) {
			return true
		}
	}
	return false
}

// insteadOf returns the request as a GetItem, where one is wanted and the request is a
// Query of the table itself that asks for the same: its conditions are equalities, those of
// the key and no others, and it has no filter and begins at the beginning. Its order and
// limit make no difference to one item.
func (p plain) insteadOf(want plain) plain {
	if p.operation != "Query" || want.operation != "GetItem" || p.index != "" || p.filter != "" || p.further {
		return p
	}
	equalities := strings.Split(p.condition, " AND ")
	slices.Sort(equalities)
	return plain{operation: "GetItem", table: p.table, condition: strings.Join(equalities, " AND "), projection: p.projection}
}

// projects reports whether the projection is the wanted one, or some of it once each
// where the read says so: not without the expiry and the schema version that the reader
// judges what it gets by.
func (p plain) projects(read *accesspatterns.Read, want []string) bool {
	if len(read.Projection) > 0 && !read.OrFewer {
		return slices.Equal(p.projection, want)
	}
	for i, path := range p.projection {
		if len(want) > 0 && !slices.Contains(want, path) || i > 0 && p.projection[i-1] == path {
			return false
		}
	}
	for _, path := range read.JudgedBy() {
		if len(p.projection) > 0 && !slices.Contains(p.projection, path) {
			return false
		}
	}
	return len(p.projection) > 0 || len(want) == 0
}

func (p plain) withinLimits(read *accesspatterns.Read) bool {
	for _, most := range []int32{read.Limit, read.InspectBudget} {
		if most > 0 && (p.limit < 1 || p.limit > most) {
			return false
		}
	}
	if read.PageSize > 0 && p.limit < 1 {
		return false
	}
	return read.Limit == 0 || !p.further
}

// guesses returns the parameters that the texts of a request may bind, trying
// every text for every template of the read.
func guesses(read *accesspatterns.Read, texts []string) []accesspatterns.Params {
	var templates []accesspatterns.KeyTemplate
	if read.Partition != nil {
		templates = append(templates, read.Partition.Value.Template)
	}
	if read.Sort != nil {
		templates = append(templates, read.Sort.Value.Template)
		if read.Sort.Operator == expression.Between {
			templates = append(templates, read.Sort.High.Template)
		}
	}
	for _, condition := range read.Filter {
		if condition.Operator != expression.Exists {
			templates = append(templates, condition.Value.Template)
		}
	}
	found := []accesspatterns.Params{{}}
	for _, template := range templates {
		var next []accesspatterns.Params
		for _, text := range texts {
			parsed, err := template.Parse(text)
			if err != nil {
				continue
			}
			for _, known := range found {
				merged := maps.Clone(known)
				maps.Copy(merged, parsed)
				again := maps.Clone(merged)
				if maps.Copy(again, known); maps.Equal(merged, again) { // the two agree
					next = append(next, merged)
				}
			}
		}
		found = next
	}
	return found
}

// textsOf lists the texts of every value in a request.
func textsOf(input any) []string {
	var texts []string
	add := func(values map[string]types.AttributeValue) {
		for _, value := range values {
			switch value := value.(type) {
			case *types.AttributeValueMemberS:
				texts = append(texts, value.Value)
			case *types.AttributeValueMemberN:
				texts = append(texts, value.Value)
			case *types.AttributeValueMemberBOOL:
				texts = append(texts, map[bool]string{true: "true", false: "false"}[value.Value])
			}
		}
	}
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		add(in.Key)
	case *dynamodb.QueryInput:
		add(in.ExpressionAttributeValues)
	case *dynamodb.ScanInput:
		add(in.ExpressionAttributeValues)
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

const environment = "test"

// documentedRequest is one request of a documented case.
type documentedRequest struct {
	design  *accesspatterns.Design
	set     *fixtures.Set
	pattern *accesspatterns.Pattern
	step    accesspatterns.Step
	where   string
	input   any
	roles   fixtures.Roles
}

// needed says for each write of a transaction of the step whether the step is
// another one without it.
func (r *documentedRequest) needed() []bool {
	var needed []bool
	for _, action := range r.step.Write {
		n := 1
		if action.Item != "" {
			n = len(r.roles[action.Item])
		}
		for range n {
			needed = append(needed, !action.Times.Allows(n-1))
		}
	}
	return needed
}

func tableName(design *accesspatterns.Design, id string) (string, error) {
	table, known := design.Table(id)
	if !known {
		return "", fmt.Errorf("no table %s", id)
	}
	return table.Name.In(environment), nil
}

// requestsOf compiles every request of every case of a design. What a flow binds
// from an earlier step is taken from the items that the case expects there.
func requestsOf(t testing.TB, design *accesspatterns.Design) (all []documentedRequest) {
	t.Helper()
	set := tabletest.Must(fixtures.Load(design.Name, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)))(t)
	for _, c := range set.Cases {
		pattern, known := design.Pattern(c.Pattern)
		require.True(t, known, "no pattern %s", c.Pattern)
		_, err := pattern.Walk(c.Params, map[string][]accesspatterns.Item{}, func(step *accesspatterns.Step, repetitions []accesspatterns.Params, err error) ([]accesspatterns.Item, bool) {
			request := documentedRequest{design: design, set: set, pattern: pattern, step: *step, roles: c.Items,
				where: fmt.Sprintf("%s/%s (%s), step %s", design.Name, pattern.ID, c.Name, step.Name)}
			if err != nil && step.ForEach.Step == "" {
				repetitions, err = nil, nil // they are refused before anything is sent
			}
			require.NoError(t, err, request.where)
			for _, input := range compile(t, request, repetitions) {
				request.input = input
				all = append(all, request)
			}
			names, interpreted := c.Sees[step.Name]
			if !interpreted {
				names = c.Steps[step.Name]
			}
			return tabletest.Must(set.Playing(fixtures.Roles{"": names})(""))(t), true
		})
		require.NoError(t, err)
	}
	return all
}

// compile returns the requests of a step.
func compile(t testing.TB, r documentedRequest, repetitions []accesspatterns.Params) (inputs []any) {
	t.Helper()
	if r.step.Read == nil {
		inputs, err := sdk.StepWrites(&r.step, sdk.Names{
			Table: func(id string) (string, error) { return tableName(r.design, id) },
			Items: r.set.Playing(r.roles),
		}, repetitions)
		require.NoError(t, err, r.where)
		return inputs
	}
	for _, params := range repetitions {
		table, _ := r.design.Table(r.step.Read.Table)
		input, err := sdk.Read(r.step.Read, table, table.Name.In(environment), params)
		require.NoError(t, err, r.where)
		// A read with a budget is sent with a Limit, as the budget is in items.
		if query, is := input.(*dynamodb.QueryInput); is && r.step.Read.InspectBudget > 0 {
			query.Limit = aws.Int32(r.step.Read.InspectBudget)
		}
		inputs = append(inputs, input)
	}
	return inputs
}

// guards are those that were made, by design and roles. The tests of this
// package do not run in parallel.
var guards = map[string]*guard.Guard{}

// guardFor makes a guard of the design for roles; none means any role.
func guardFor(t testing.TB, design *accesspatterns.Design, roles ...string) *guard.Guard {
	t.Helper()
	key := design.Name + "/" + joined(roles)
	if g, made := guards[key]; made {
		return g
	}
	options := []guard.Option{guard.InEnvironment(environment), guard.AnyRole()}
	if len(roles) > 0 {
		options[1] = guard.ForRole(roles...)
	}
	g := tabletest.Must(guard.New(design, options...))(t)
	guards[key] = g
	return g
}

// eachRequest runs a test for every documented request of every design.
func eachRequest(t *testing.T, test func(t *testing.T, r documentedRequest)) {
	t.Helper()
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			requests := requestsOf(t, design)
			require.GreaterOrEqual(t, len(requests), len(design.Patterns), "expected a request for each of %d patterns", len(design.Patterns))
			for _, r := range requests {
				test(t, r)
			}
		})
	}
}

func sortedCopy(values []string) []string { return slices.Sorted(slices.Values(values)) }

func joined(values []string) string { return strings.Join(values, ", ") }

// TestDocumentedRequestsPass sends every request of every documented case past a guard for each role. It passes for those of its
// pattern; for every other it is refused, or is a documented request of that role as well. A step of one action is the same documented write
// as a transaction.
func TestDocumentedRequestsPass(t *testing.T) {
	refused, singles := 0, 0
	eachRequest(t, func(t *testing.T, r documentedRequest) {
		asked := map[string]bool{}
		for i := range r.design.Patterns {
			for _, role := range r.design.Patterns[i].Roles {
				if asked[role] {
					continue
				}
				asked[role] = true
				own, ctx := slices.Contains(r.pattern.Roles, role), t.Context()
				if own && r.step.Read != nil && r.step.Read.InspectBudget == 0 {
					ctx, _ = guard.NewRead(ctx, r.pattern.ID)
				}
				decision, err := guardFor(t, r.design, role).Check(ctx, r.input)
				pattern, _ := r.design.Pattern(decision.Pattern)
				switch {
				case own && r.step.Read == nil && len(r.step.Write) == 1:
					singles++
					as, alone := guardFor(t, r.design, role).Check(ctx, transaction(writesOf(t, r.input)))
					assert.True(t, err == nil && alone == nil && as.Pattern != "",
						"%s, role %s: expected it to pass, alone and as a transaction, found %q, %v and %v", r.where, role, as.Pattern, err, alone)
				case own:
					assert.NoError(t, err, "%s, role %s: expected it to pass", r.where, role)
				case err != nil:
					assert.ErrorIs(t, err, guard.ErrRefused, "%s, role %s", r.where, role)
					refused++
				case pattern == nil:
					t.Errorf("%s, role %s: expected a refusal or a documented request, found it open", r.where, role)
				case !slices.Contains(pattern.Roles, role):
					t.Errorf("%s, role %s: passed as %s, which is documented for %s", r.where, role, pattern.ID, joined(pattern.Roles))
				}
			}
		}
	})
	assert.NotZero(t, refused)
	assert.NotZero(t, singles, "expected refusals and steps of one action")
}
