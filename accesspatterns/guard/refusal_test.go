package guard_test

import (
	"cmp"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/commitcollect"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/fusmain"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/osemladders"
	"dynaproof/accesspatterns/personalos"
	"dynaproof/accesspatterns/requests"
	"dynaproof/accesspatterns/rollmodel"
	"dynaproof/accesspatterns/tabletest"
)

type values = map[string]types.AttributeValue

// query is a request on a table, with the partition key as :p and the sort key
// as :s, changed as the row wants.
func query(table, condition, p, s string, change ...func(*dynamodb.QueryInput)) *dynamodb.QueryInput {
	in := &dynamodb.QueryInput{TableName: &table, KeyConditionExpression: &condition, ExpressionAttributeValues: values{":p": text(p)}}
	if s != "" {
		in.ExpressionAttributeValues[":s"] = text(s)
	}
	for _, c := range change {
		c(in)
	}
	return in
}

const prefix = "PK = :p AND begins_with(SK, :s)"

func projected(paths string) func(*dynamodb.QueryInput) {
	return func(q *dynamodb.QueryInput) { q.ProjectionExpression = &paths }
}

func limited(limit int32) func(*dynamodb.QueryInput) {
	return func(q *dynamodb.QueryInput) { q.Limit = &limit }
}

func on(index string) func(*dynamodb.QueryInput) {
	return func(q *dynamodb.QueryInput) { q.IndexName = &index }
}

func workouts(change ...func(*dynamodb.QueryInput)) *dynamodb.QueryInput {
	return query("CommitCollect", prefix, "USER#secret-id", "WORKOUT#STRAVA#", append([]func(*dynamodb.QueryInput){projected("PK, SK"), limited(3000)}, change...)...)
}

func scanUsers(change ...func(*dynamodb.ScanInput)) *dynamodb.ScanInput {
	in := &dynamodb.ScanInput{TableName: aws.String("osem-dev-Users"), Limit: aws.Int32(25)}
	for _, c := range change {
		c(in)
	}
	return in
}

func keyOf(pk, sk string) values { return values{"PK": text(pk), "SK": text(sk)} }

// row is one call with the rule that refuses it; an empty rule lets it pass.
type row struct {
	Name        string `yaml:"call"`
	Design      string
	Role        string
	User        *string // for whom the client acts
	Writes      string  // an entity whose undocumented writes are allowed
	Environment *string
	Rule        guard.Rule     `yaml:"refused"`
	Pattern     string         `yaml:"nearest"` // nearest documented pattern
	Cite        string         // beginning of the citation
	Request     map[string]any `yaml:",inline"`

	design *ap.Design
	input  any
}

// designs are the documents' own, and some that say what no document says.
func designs(t *testing.T) map[string]*ap.Design {
	t.Helper()
	all := map[string]*ap.Design{
		"roll-model": rollmodel.Design(), "commit-collect": commitcollect.Design(), "fus-main": fusmain.Design(), "osem-ladders": osemladders.Design(), "personal-os": personalos.Design(),
		"ordered": commitcollect.Design(), "two": wide(2),
	}
	for name, changes := range tabletest.Read[map[string][][2]string](t, "designs.yaml") {
		all[name] = cmp.Or(all[name], wide(1))
		for _, change := range changes {
			require.True(t, designtest.Amend(t, change[0], change[1], all[name]), "%s: no place %s", name, change[0])
		}
	}
	return all
}

// rows are the calls of testdata/refusals.yaml, and those that are too long for a file or no text.
func rows(t *testing.T) []row {
	t.Helper()
	all := tabletest.Read[[]row](t, "refusals.yaml")
	for i := range all {
		input, err := designtest.Input(all[i].Request)
		require.NoError(t, err, all[i].Name)
		all[i].input = input
	}
	deletes := func(n int) *dynamodb.BatchWriteItemInput {
		var requests []types.WriteRequest
		for i := range n {
			requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyOf("USER#secret-id", "WORKOUT#STRAVA#"+strings.Repeat("1", i+1))}})
		}
		return &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"CommitCollect": requests}}
	}
	gets := func(n int) *dynamodb.BatchGetItemInput {
		var keys []map[string]types.AttributeValue
		for i := range n {
			keys = append(keys, values{"pk": text("USER#secret-id"), "sk": text("TASK#" + strings.Repeat("1", i+1))})
		}
		return &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"personal-os-dev": {Keys: keys}}}
	}
	all = append(all,
		row{Name: "batch of 25", Design: "commit-collect", Role: "user", input: deletes(25)},
		row{Name: "26 writes", Design: "commit-collect", Role: "user", input: deletes(26), Rule: guard.RuleBatch},
		row{Name: "batch of 100", Design: "personal-os", Role: "user", input: gets(100)},
		row{Name: "101 reads", Design: "personal-os", Role: "user", input: gets(101), Rule: guard.RuleBatch},
		row{Name: "a batch of nothing", Design: "personal-os", Role: "user", input: &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{}}, Rule: guard.RuleOperation},
		row{Name: "a batch without keys", Design: "personal-os", Role: "user", Rule: guard.RuleOperation, input: &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			"personal-os-dev": {Keys: []map[string]types.AttributeValue{}, ProjectionExpression: aws.String("status")},
		}}},
		row{Name: "101 writes", Design: "roll-model", Role: "coach", input: &dynamodb.TransactWriteItemsInput{TransactItems: make([]types.TransactWriteItem, 101)}, Rule: guard.RuleBatch},
		row{Name: "a user whose id is no text", Design: "roll-model", Role: "athlete", User: aws.String("a\xff"), input: query("RollModel", prefix, "USER#a\xff", "ENTRY#"), Rule: guard.RuleConfiguration})
	known := designs(t)
	for i := range all {
		all[i].design = known[all[i].Design]
		require.NotNil(t, all[i].design, all[i].Name)
	}
	return all
}

// guarded names the guard of a call: those of one design with the same options have one.
func (r *row) guarded() string {
	text, _ := json.Marshal([]any{r.Design, r.Role, r.Environment, r.User, r.Writes}) // of texts alone
	return string(text)
}

func (r *row) guardOptions() []guard.Option {
	options := []guard.Option{guard.ForRole(r.Role), guard.InEnvironment("dev")}
	if r.Environment != nil {
		options = append(options, guard.InEnvironment(*r.Environment))
	}
	if r.User != nil {
		options = append(options, guard.ForUser(*r.User))
	}
	if r.Writes != "" {
		options = append(options, guard.AllowUndocumentedWrites(r.Writes))
	}
	return options
}

func TestRefusals(t *testing.T) {
	guards := map[string]func(*dynamodb.Options){}
	for _, r := range rows(t) {
		t.Run(r.Name, func(t *testing.T) {
			wire := answering(`{}`)
			if guards[r.guarded()] == nil {
				guards[r.guarded()] = guard.Enforce(r.design, r.guardOptions()...)
			}
			_, err := designtest.Send(t.Context(), newClient(wire, guards[r.guarded()]), r.input)
			if r.Rule == "" {
				require.NoError(t, err)
				require.Equal(t, int64(1), wire.sent.Load(), "expected it to be sent once")
				return
			}
			var refusal *guard.Refusal
			require.ErrorAs(t, err, &refusal)
			require.ErrorIs(t, err, guard.ErrRefused, "expected a refusal")
			assert.Zero(t, wire.sent.Load(), "expected nothing to leave the process")
			assert.Equal(t, r.Rule, refusal.Rule, "expected rule %s, found %v", r.Rule, refusal)
			assert.True(t, r.Pattern == "" || refusal.Pattern == r.Pattern, "expected pattern %s to be the nearest, found %v", r.Pattern, refusal)
			assert.True(t, strings.HasPrefix(refusal.Cite, r.Cite), "expected the citation to begin with %s, found %q", r.Cite, refusal.Cite)
			assert.True(t, refusal.Expected != "" && refusal.Found != "" && !strings.Contains(refusal.Error(), "\n"),
				"expected one line that says what was expected and found, found %q", refusal)
			assert.NotContains(t, refusal.Error(), "secret-id")
		})
	}
}

// Rules that a single call cannot break have tests of their own.
var byOthers = map[guard.Rule]string{guard.RulePartitions: "TestPartitionsOfOneRead", guard.RuleRewritten: "TestEveryPosition"}

func TestEveryRuleHasARow(t *testing.T) {
	broken := map[guard.Rule]bool{}
	for _, r := range rows(t) {
		broken[r.Rule] = true
	}
	for _, rule := range guard.Rules() {
		assert.False(t, !broken[rule] && byOthers[rule] == "", "rule %s: no row breaks it", rule)
	}
}

// TestRulesAreAll compares the list with the constants of the source.
func TestRulesAreAll(t *testing.T) {
	source := tabletest.Must(os.ReadFile("refusal.go"))(t)
	var declared []guard.Rule
	for _, found := range regexp.MustCompile(`(?m)^\tRule\w+ Rule = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1) {
		declared = append(declared, guard.Rule(found[1]))
	}
	assert.True(t, slices.Equal(declared, guard.Rules()), "expected %v, found %v", declared, guard.Rules())
}

// An exception from the confinement is needed where a key, of the table or of an index, can lie in another user's partition, and where a filter
// names the user. The two roles of the contract tell the patterns that need it from the others.
func TestUnneeded(t *testing.T) {
	design := contractOf(t, "excepted")
	excepted := map[string][]string{}
	for _, pattern := range design.Patterns {
		excepted[pattern.Roles[0]] = append(excepted[pattern.Roles[0]], pattern.ID)
	}
	for i := range design.Policies.Roles {
		role := &design.Policies.Roles[i]
		role.Confined.Except = excepted[role.ID]
		require.NotEmpty(t, role.Confined.Except)
		want := map[string][]string{"free": excepted["free"]}[role.ID]
		assert.Equal(t, want, guard.Unneeded(design, role), "patterns that need no exception")
	}
}

// What a pattern documents is refused where a reserved word stands in it without an alias, as DynamoDB refuses it; the refusal names
// the word and what to write. With the alias it passes.
func TestReservedWords(t *testing.T) {
	g := tabletest.Must(guard.New(contractOf(t, "words"), guard.AnyRole()))(t)
	for _, row := range tabletest.Read[[]struct {
		Name    string
		Request map[string]any `yaml:",inline"`
		Word    string
	}](t, "reserved.yaml") {
		_, err := g.Check(t.Context(), tabletest.Must(designtest.Input(row.Request))(t))
		if row.Word == "" {
			assert.NoError(t, err, row.Name)
			continue
		}
		says := strings.ReplaceAll("expected #WORD, with WORD under it in ExpressionAttributeNames, found WORD as it is, a reserved word that DynamoDB refuses", "WORD", row.Word)
		assert.ErrorContains(t, err, says, row.Name)
	}
}

// A refusal of a write says the form that passes.
func TestRefusalsSayTheForm(t *testing.T) {
	design := contractOf(t, "tagged")
	first := &design.Patterns[0].Steps[0].Write[0]
	first.Condition = []ap.Condition{{Attribute: "PK", Operator: "attribute_exists"}, {Any: []ap.Condition{
		{Attribute: "title", Operator: "<>", Value: designtest.Text("{title}")}, {Attribute: "owner", Operator: "attribute_not_exists"}}}}
	g := tabletest.Must(guard.New(design, guard.ForRole("user")))(t)
	_, err := g.Check(t.Context(), &dynamodb.UpdateItemInput{TableName: aws.String("Notes"), Key: values{"PK": text("USER#u"), "SK": text("NOTE#1")},
		UpdateExpression: aws.String("SET changedAt = :now"), ExpressionAttributeValues: values{":now": text("9")}})
	const want = "as step write (Update of note: SET changedAt = {now}, createdAt = if_not_exists(createdAt, {now}), with SET or REMOVE of any of body, title" +
		" if attribute_exists(PK) AND (title <> {title} OR attribute_not_exists(owner));" +
		" Put of tag any number of times with owner = {userId}, SK = NOTE#{noteId};" +
		" Delete of tag any number of times;" +
		" Update of shelf at most once: SET seen = {now}), found"
	assert.ErrorContains(t, err, want)
}

// A refusal names the steps that the guard cannot hold a client to.
func TestRefusalsNameStepsBefore(t *testing.T) {
	g := tabletest.Must(guard.New(rollmodel.Design(), guard.ForRole("user")))(t)
	_, err := g.Check(t.Context(), query("RollModel", prefix, "AI_THREAD#h", "MSG#", func(q *dynamodb.QueryInput) { q.FilterExpression = aws.String("attribute_exists(PK)") }))
	var refusal *guard.Refusal
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, []string{"step thread"}, refusal.Before)
	assert.ErrorContains(t, err, "first finds something by step thread, which the guard cannot see")
}

// contractOf is one of the contracts of these tests.
func contractOf(t *testing.T, name string) *ap.Design {
	t.Helper()
	text := tabletest.Must(os.ReadFile("testdata/contracts/" + name + ".yaml"))(t)
	return tabletest.Must(contract.Load(fstest.MapFS{"contract.yaml": &fstest.MapFile{Data: text}}))(t)
}

// What a service asks for on a small contract is decided as each row says.
func TestAsked(t *testing.T) {
	known := designs(t)
	for name, asked := range tabletest.Read[map[string][]requests.Asked](t, "asked.yaml") {
		design := known[name]
		if design == nil {
			design = contractOf(t, name)
		}
		for _, problem := range requests.NewJudge(design).Problems(asked) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// TestAllPatternsAreTold holds the guard to tell every step that a request is.
func TestAllPatternsAreTold(t *testing.T) {
	design := contractOf(t, "tagged")
	again := design.Patterns[0]
	again.ID = "change-note-again"
	other := again
	other.ID, other.Roles = "of-another-role", []string{"nobody"}
	design.Patterns = append(design.Patterns, again, other)
	g := tabletest.Must(guard.New(design, guard.ForRole("user")))(t)
	decision, err := g.Check(t.Context(), &dynamodb.UpdateItemInput{TableName: aws.String("Notes"), Key: values{"PK": text("USER#u"), "SK": text("NOTE#1")},
		UpdateExpression: aws.String("SET changedAt = :now, createdAt = if_not_exists(createdAt, :now)"), ExpressionAttributeValues: values{":now": text("9")}})
	want := []guard.Admission{{Pattern: "change-note", Step: "write"}, {Pattern: "change-note-again", Step: "write"}}
	assert.True(t, err == nil && decision.Admission == want[0] && slices.Equal(decision.All, want), "expected %v, found %v and %v", want, decision, err)
}
