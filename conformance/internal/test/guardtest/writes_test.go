package guardtest

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/accesspatterns/validate"
)

// pick chooses one of n, as 0 to n-1.
type pick func(n int) int

func one[T any](pick pick, of []T) T { return of[pick(len(of))] }

// everyChoice runs do once for each way to choose in it.
func everyChoice(do func(pick pick)) {
	var path, sizes []int
	for {
		depth := 0
		do(func(n int) int {
			if depth == len(path) {
				path, sizes = append(path, 0), append(sizes, n)
			}
			depth++
			return path[depth-1]
		})
		for len(path) > 0 && path[len(path)-1] == sizes[len(path)-1]-1 {
			path, sizes = path[:len(path)-1], sizes[:len(path)-1]
		}
		if len(path) == 0 {
			return
		}
		path[len(path)-1]++
	}
}

// writeMutation changes one write of a documented step and reports whether it could.
type writeMutation struct {
	name string
	// never says that what comes out is documented nowhere; otherwise it must
	// not pass as the step that it was made from.
	never bool
	// needed says that the changed write must be one without which the step is
	// another.
	needed bool
	// of is the only kind of write that it changes, if there is one.
	of    accesspatterns.ActionKind
	apply func(pick pick, writes []sdk.Write, i int) ([]sdk.Write, bool)
}

const wrongType = "a wrong type"

// untyped reports whether an item has a binary set, which the mutation puts, where the
// contract gives the entities that the step puts no type.
func (r *documentedRequest) untyped(item accesspatterns.Item) bool {
	for name, value := range item {
		if dynamo.TypeOf(value) != dynamo.BinarySet {
			continue
		}
		for _, action := range r.step.Write {
			if entity, known := r.design.Entity(action.Entity); known {
				if attribute, has := entity.Attribute(name); has && attribute.Type == "" {
					return true
				}
			}
		}
	}
	return false
}

var writeMutations = []writeMutation{
	{"drop a write", false, true, "", func(_ pick, writes []sdk.Write, i int) ([]sdk.Write, bool) {
		return slices.Delete(writes, i, i+1), len(writes) > 1
	}},
	{"another write twice", false, true, "", func(pick pick, writes []sdk.Write, i int) ([]sdk.Write, bool) {
		other := one(pick, writes)
		differ := other.Kind != writes[i].Kind
		writes[i] = other
		return writes, differ
	}},
	{"drop a condition", false, false, "", func(_ pick, writes []sdk.Write, i int) ([]sdk.Write, bool) {
		had := writes[i].Condition != nil
		if writes[i].Condition = nil; writes[i].Kind == accesspatterns.ConditionCheck {
			writes[i].Condition = aws.String("attribute_exists(somethingElse)")
		}
		return writes, had
	}},
	{"weaken a condition", false, false, "", func(_ pick, writes []sdk.Write, i int) ([]sdk.Write, bool) {
		if writes[i].Condition == nil {
			return writes, false
		}
		writes[i].Condition = aws.String(*writes[i].Condition + " OR attribute_exists(#n0) OR attribute_not_exists(#n0)")
		return writes, true
	}},
	{"a condition check alone", true, false, "", func(pick pick, writes []sdk.Write, i int) ([]sdk.Write, bool) {
		check := writes[i]
		if check.Kind == accesspatterns.Put {
			return writes, false
		}
		check.Kind, check.Update = accesspatterns.ConditionCheck, nil
		check.Condition = aws.String(one(pick, []string{"attribute_exists(anything)", "attribute_not_exists(anything)", "size(anything) > :v"}))
		check.Values = map[string]types.AttributeValue{":v": &types.AttributeValueMemberN{Value: "1"}}
		return []sdk.Write{check}, true
	}},
	{"another table", true, false, "", func(_ pick, writes []sdk.Write, i int) ([]sdk.Write, bool) {
		writes[i].Table = "Other"
		return writes, true
	}},
	{"another kind of key", true, false, "", func(pick pick, writes []sdk.Write, i int) ([]sdk.Write, bool) {
		key := writes[i].Place()
		name := one(pick, sortedCopy(keysOf(key)))
		value, text := key[name].(*types.AttributeValueMemberS)
		if !text || (name != "PK" && name != "SK") || !strings.Contains(value.Value, "#") {
			return writes, false
		}
		key[name] = &types.AttributeValueMemberS{Value: "OTHER#" + value.Value}
		return writes, true
	}},
	{"an undocumented attribute", true, false, accesspatterns.Put, func(_ pick, writes []sdk.Write, i int) ([]sdk.Write, bool) {
		writes[i].Item["colour"] = &types.AttributeValueMemberS{Value: "red"}
		return writes, true
	}},
	{wrongType, false, false, accesspatterns.Put, func(pick pick, writes []sdk.Write, i int) ([]sdk.Write, bool) {
		name := one(pick, sortedCopy(keysOf(writes[i].Item)))
		writes[i].Item[name] = &types.AttributeValueMemberBS{Value: [][]byte{{1}}}
		return writes, true
	}},
	{"another assignment", false, false, accesspatterns.Update, func(_ pick, writes []sdk.Write, i int) ([]sdk.Write, bool) {
		writes[i].Update = aws.String(*writes[i].Update + " REMOVE colour")
		return writes, true
	}},
	{"a deletion instead", false, false, accesspatterns.ConditionCheck, func(_ pick, writes []sdk.Write, i int) ([]sdk.Write, bool) {
		writes[i].Kind = accesspatterns.Delete
		return writes, true
	}},
}

// writesOf returns the writes of a write step's request, whose items and keys may be
// changed. Of a batch, which is not atomic, it is the first.
func writesOf(t testing.TB, input any) []sdk.Write {
	t.Helper()
	writes := tabletest.Must(sdk.Writes(input))(t)
	require.NotEmpty(t, writes, "expected the request of a write step, found %T", input)
	if _, batch := input.(*dynamodb.BatchWriteItemInput); batch {
		writes = writes[:1]
	}
	for i := range writes {
		writes[i].Item, writes[i].Key = maps.Clone(writes[i].Item), maps.Clone(writes[i].Key)
	}
	return writes
}

func transaction(writes []sdk.Write) *dynamodb.TransactWriteItemsInput {
	input := &dynamodb.TransactWriteItemsInput{}
	for i := range writes {
		input.TransactItems = append(input.TransactItems, writes[i].Element())
	}
	return input
}

// TestMutatedWritesAreNotTheStep breaks each part of each documented transaction, for a
// client that may write nothing else, and for one that may write what no step
// documents.
func TestMutatedWritesAreNotTheStep(t *testing.T) {
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			var writes []documentedRequest
			closed := guardFor(t, design)
			for _, r := range requestsOf(t, design) {
				if r.step.Read == nil {
					_, err := closed.Check(t.Context(), r.input)
					require.NoError(t, err, r.where)
					writes = append(writes, r)
				}
			}
			require.NotEmpty(t, writes)
			refused := map[string]int{}
			tried := 0
			for _, g := range []*guard.Guard{closed, openedFor(t, design)} {
				everyChoice(func(pick pick) {
					r := one(pick, writes)
					sent := writesOf(t, r.input)
					m := one(pick, writeMutations)
					at := pick(len(sent))
					if m.of != "" && sent[at].Kind != m.of {
						return
					}
					sent, did := m.apply(pick, sent, at)
					if needed := r.needed(); !did || m.needed && at < len(needed) && !needed[at] {
						return
					}
					if m.name == wrongType && r.untyped(sent[at].Item) {
						return // any type is right
					}
					tried++
					decision, err := g.Check(t.Context(), transaction(sent))
					switch {
					case err != nil:
						refused[m.name]++
					case m.never:
						t.Errorf("%s, %s of write %d: expected a refusal, passed as %q", r.where, m.name, at+1, decision.Pattern)
					case decision.Pattern == r.pattern.ID:
						t.Errorf("%s, %s of write %d: passed as the step that it was made from", r.where, m.name, at+1)
					case decision.Pattern == "":
						t.Errorf("%s, %s of write %d: passed as a write that the document leaves open", r.where, m.name, at+1)
					}
				})
			}
			t.Logf("%d changed writes", tried)
			assert.NotEmpty(t, refused, "expected refusals")
		})
	}
}

// openedFor makes a guard of the design that admits every write which no step
// documents.
func openedFor(t testing.TB, design *accesspatterns.Design) *guard.Guard {
	t.Helper()
	var all []string
	for i := range design.Entities {
		all = append(all, design.Entities[i].ID)
	}
	return tabletest.Must(guard.New(design, guard.InEnvironment(environment), guard.AnyRole(), guard.AllowUndocumentedWrites(all...)))(t)
}

// TestFixtureItems puts every loaded item of its entity. It passes as a documented
// put or not at all; a client that may write what no step documents may put all
// entities but those that a step puts, changes or deletes.
func TestFixtureItems(t *testing.T) {
	free := 0
	all := designs.All()
	for _, design := range designs.All() {
		all = append(all, withoutWrites(design))
	}
	for i, design := range all {
		t.Run(design.Name, func(t *testing.T) {
			requests := requestsOf(t, designs.All()[i%(len(all)/2)])
			closed, opened := guardFor(t, design), openedFor(t, design)
			for i := range requests[0].set.Items {
				item := &requests[0].set.Items[i]
				entity, known := design.Entity(item.Entity)
				if !known || item.Held || (item.Table != "" && item.Table != entity.Table) {
					continue
				}
				name, _ := tableName(design, entity.Table)
				put := &dynamodb.PutItemInput{TableName: &name, Item: accesspatterns.Item(item.Item)}
				decision, err := closed.Check(t.Context(), put)
				var refusal *guard.Refusal
				assert.True(t, (err != nil || decision.Pattern != "") && (err == nil || errors.As(err, &refusal) && refusal.Rule == guard.RuleStep),
					"item %s: expected a documented put, or a refusal because there is none, found %+v and %v", item.Name, decision, err)
				other, openErr := opened.Check(t.Context(), put)
				switch left := !written(design, entity); {
				case left && (err == nil || openErr != nil):
					t.Errorf("item %s: no step writes its entity; expected it to need the client's option, found %v without and %v with it", item.Name, err, openErr)
				case openErr == nil && other.Pattern == "" && !left:
					t.Errorf("item %s: expected its put to be left to the documented steps, found it open", item.Name)
				case left:
					free++
				}
			}
			if i >= len(all)/2 {
				return
			}
			for i := range design.Entities {
				entity := &design.Entities[i]
				name, _ := tableName(design, entity.Table)
				for _, invalid := range requests[0].set.InvalidOf(entity) {
					item := tabletest.Must(requests[0].set.Break(invalid))(t)
					ofAnother := slices.ContainsFunc(design.Entities, func(other accesspatterns.Entity) bool {
						return other.ID != entity.ID && other.Table == entity.Table && len(validate.Item(&other, item)) == 0
					})
					_, err := opened.Check(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item})
					assert.False(t, err == nil && !ofAnother, "invalid item %s: expected a refusal", invalid.Name)
				}
			}
		})
	}
	assert.NotZero(t, free, "expected items of entities that no step writes")
}

// withoutWrites is a design without the patterns that write.
func withoutWrites(design *accesspatterns.Design) *accesspatterns.Design {
	reads := *design
	reads.Name += "-without-writes"
	reads.Patterns = slices.DeleteFunc(slices.Clone(design.Patterns), func(p accesspatterns.Pattern) bool {
		return slices.ContainsFunc(p.Steps, func(s accesspatterns.Step) bool { return len(s.Write) > 0 })
	})
	return &reads
}

// written reports whether a step of the design may write items under the keys of an
// entity: it puts one whose keys have the same form, or changes or deletes at such a
// key. Forms are the same where their first segments are.
func written(design *accesspatterns.Design, entity *accesspatterns.Entity) bool {
	head := func(template accesspatterns.KeyTemplate) string {
		before, _, _ := strings.Cut(string(template), "#")
		if strings.HasPrefix(before, "{") {
			return ""
		}
		return before
	}
	alike := func(of func(attribute string) accesspatterns.KeyTemplate) bool {
		table, _ := design.Table(entity.Table)
		for _, key := range table.Keys() {
			own, _ := entity.Key(key.Attribute)
			if a, b := head(own.Template), head(of(key.Attribute)); a != b && a != "" && b != "" {
				return false
			}
		}
		return true
	}
	for i := range design.Patterns {
		for _, step := range design.Patterns[i].Steps {
			for _, action := range step.Write {
				if action.Table != entity.Table || action.Kind == accesspatterns.ConditionCheck {
					continue
				}
				if alike(func(attribute string) accesspatterns.KeyTemplate {
					if action.Kind == accesspatterns.Put {
						put, _ := design.Entity(action.Entity)
						key, _ := put.Key(attribute)
						return key.Template
					}
					at := slices.IndexFunc(action.Key, func(e accesspatterns.Equality) bool { return e.Attribute == attribute })
					return action.Key[at].Value.Template
				}) {
					return true
				}
			}
		}
	}
	return false
}
