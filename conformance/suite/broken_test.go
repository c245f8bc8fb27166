package suite_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/replay"
	_ "dynaproof/conformance/internal/test/command" // it deploys the designs
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// breakage is one thing that is made wrong on purpose.
type breakage struct {
	name, design string
	// deployment changes the inputs of a table, by its logical id, as its program
	// asks for them, before it is made.
	deployment func(table string, inputs map[string]any)
	// policies changes policy documents, by the resource's name, before they
	// are attached.
	policies func(resource, document string) string
	// everywhere interrupts flows after each of their requests, where what must fail shows
	// at one of these places alone.
	everywhere bool
	// behind are requests that change what was deployed, behind Pulumi's back, before the
	// specs run.
	behind []any
	// stranger are requests through the wire that no claim sends.
	stranger []any
	// amend changes the contract or the fixtures.
	amend func(*accesspatterns.Design, *fixtures.Set)
	// fails are the claims that must fail, without the design's name, each with
	// text that its message must contain. Claims that fail only because they
	// rest on one of these are not listed.
	fails map[string]string
	// beside says that it is seen also in a claim that another breakage makes fail.
	beside bool
	// parts are breakages that are tried together; nil for one alone.
	parts []breakage
}

// each are the parts, or the breakage itself.
func (b breakage) each() []breakage {
	if b.parts == nil {
		return []breakage{b}
	}
	return b.parts
}

// With Amend, a session waits this long for an index to show what it will never
// show.
var impatient = session.Bounds{IndexRead: 30 * time.Millisecond, Poll: 5 * time.Millisecond}

// everywhere is more than any flow has requests.
const everywhere = 1000

// opened starts a run of one design, which ends with the test, and opens its
// session.
func opened(t *testing.T, options replay.Options) (*replay.Replay, *accesspatterns.Design, *session.Session) {
	t.Helper()
	if options.Orders == 0 {
		options.Orders = 5 // `make races` and the mutants go through all of them
	}
	if options.Interruptions == 0 {
		options.Interruptions = 4 // TestConformance and the mutants go through all of them
	}
	run, err := replay.Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, run.Close(context.Background()))
	})
	design := run.Designs()[0]
	session, err := run.Open(t.Context(), design)
	require.NoError(t, err)
	return run, design, session
}

// fewWorkouts lets a read of commit-collect inspect 60 workouts, and the trials of its budget
// write as many: 3,000 of them, which the documented budget needs, are written by TestConformance.
func fewWorkouts(design *accesspatterns.Design, set *fixtures.Set) {
	const less = 3000 - 60
	list, _ := design.Pattern("list-workouts")
	list.Steps[0].Read.InspectBudget -= less
	limits := strings.NewReplacer("2999", "59", "3000", "60", "3001", "61")
	for i := range set.Trials {
		trial := &set.Trials[i]
		if trial.Bulk != nil {
			trial.Bulk.Count -= less
			trial.Inspected -= less
		}
		for j := range trial.Requests {
			request := &trial.Requests[j]
			request.Input, request.Expect.Message = json.RawMessage(limits.Replace(string(request.Input))), limits.Replace(request.Expect.Message)
		}
	}
}

func (b breakage) run(t *testing.T) {
	ctx := t.Context()
	options := replay.Options{Designs: []string{b.design}, Documents: documents(), Bounds: impatient}
	options.Amend = func(design *accesspatterns.Design, set *fixtures.Set) {
		if b.design == "commit-collect" {
			fewWorkouts(design, set)
		}
		for _, each := range b.each() {
			if each.amend != nil {
				each.amend(design, set)
			}
		}
	}
	if slices.ContainsFunc(b.each(), func(each breakage) bool { return each.deployment != nil || each.policies != nil }) {
		options.Wrong = b.wrong
	}
	if b.everywhere {
		options.Interruptions = everywhere
	}
	run, _, session := opened(t, options)
	session.Unexplored = true
	if _, needed := b.fails["document"]; needed && session.Source == nil {
		t.Skipf("not tried without the document: %v", session.SourceProblem)
	}
	for _, each := range b.each() {
		for _, input := range each.behind {
			_, err := designtest.Send(ctx, pastOf(t, run, b.design), input)
			require.NoError(t, err)
		}
		for _, input := range each.stranger {
			_, err := designtest.Send(ctx, clientOf(run.Endpoint()), input)
			require.NoError(t, err)
		}
	}
	// What exploration decides has tests of its own.
	b.judge(t, session, func(claim manifest.Claim) bool {
		return claim.Kind != manifest.KindConfinement && claim.Kind != manifest.KindValidity
	})
}

// judge decides the claims that are looked at, and holds those that fail to what is named.
func (b breakage) judge(t *testing.T, session *session.Session, looked func(manifest.Claim) bool) {
	found := map[string]string{}
	for _, claim := range manifest.InOrder(session.Design) {
		if !looked(claim) {
			continue
		}
		result := suite.Decide(t.Context(), claim, session, nil)
		switch {
		case result.Verdict.Held():
		case result.Verdict == evidence.Fail:
			if roots := rootProblems(result); roots != "" {
				found[strings.TrimPrefix(result.ID, session.Design.Name+"/")] = roots
			}
		case result.Verdict == evidence.Unsupported:
			if session.Source != nil {
				t.Errorf("%s: expected pass or fail, found %s", result.ID, suite.Message(result))
			} // else the claim rests on the document, which is not here
		default:
			t.Errorf("%s: expected pass or fail, found %s", result.ID, suite.Message(result))
		}
	}
	if diff := gocmp.Diff(slices.Sorted(maps.Keys(b.fails)), slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("failed claims (-want +got):\n%s", diff)
		for id, message := range found {
			message, _, _ = strings.Cut(message, "\n")
			t.Logf("%s: %s", id, message)
		}
	}
	for _, each := range b.each() {
		for id, text := range each.fails {
			if message := found[id]; message != "" && !strings.Contains(message, text) {
				t.Errorf("%s: expected a message with %q, found %s", id, text, message)
			}
		}
	}
}

// wrong changes what the design's program asks for.
func (b breakage) wrong(asked *deploy.Inputs) {
	for _, each := range b.each() {
		for id, inputs := range asked.Tables {
			if each.deployment != nil {
				each.deployment(id, inputs)
			}
		}
		for _, policies := range []map[string]map[string]any{asked.Policies, asked.TablePolicies} {
			for name, inputs := range policies {
				if each.policies != nil {
					inputs["policy"] = each.policies(name, inputs["policy"].(string))
				}
			}
		}
	}
}

// rootProblems writes the problems of a result that do not merely point at
// another claim.
func rootProblems(result evidence.Result) string {
	var roots []string
	for _, problem := range result.Problems {
		if !strings.HasPrefix(problem.Where, "claim ") {
			roots = append(roots, problem.Where+": expected "+problem.Expected+", found "+problem.Found)
		}
	}
	return strings.Join(roots, "\n")
}

func clientOf(endpoint string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(endpoint), Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
}

// pastOf is a client behind the back of a run.
func pastOf(t *testing.T, run *replay.Replay, design string) *dynamodb.Client {
	t.Helper()
	past, err := run.Past(design)
	require.NoError(t, err)
	return clientOf(past)
}

// Each of these makes exactly the claims fail that it names. Those of a design that name other claims are tried in one replay. What the
// mutants break one by one (package mutants) stands here only where it fails more than one claim of its own, or none.
func TestBroken(t *testing.T) {
	all := slices.Concat(brokenDeployments(t), brokenItems(), brokenFlows(), brokenContracts(), brokenLedgers())
	fails := tabletest.Read[map[string]map[string]string](t, "broken.yaml")
	for i := range all {
		named := false
		all[i].fails, named = fails[all[i].name]
		assert.True(t, named, "%s: what it makes fail", all[i].name)
	}
	assert.Len(t, fails, len(all), "breakages that are tried, and those that make claims fail")
	breakAll(t, append(all, brokenPolicies(t)...))
}

func brokenDeployments(t *testing.T) []breakage {
	return []breakage{
		{
			name: "nothing is broken", design: "roll-model",
		},
		{
			name: "a tag where the document lists none", design: "roll-model",
			deployment: func(_ string, inputs map[string]any) { inputs["tags"] = map[string]any{"Owner": "me"} },
		},
		{
			name: "a table that is not documented", design: "roll-model",
			behind: []any{&dynamodb.CreateTableInput{
				TableName: aws.String("Extra"), BillingMode: types.BillingModePayPerRequest,
				KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
				AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
			}},
		},
		{
			name: "deletion protection switched on behind Pulumi's back, which no document forbids", design: "roll-model",
			behind: []any{&dynamodb.UpdateTableInput{TableName: aws.String("RollModel"), DeletionProtectionEnabled: aws.Bool(true)}},
		},
		{
			name: "another table name", design: "personal-os",
			deployment: func(_ string, inputs map[string]any) { inputs["name"] = "personal-oz" },
		},
		{
			name: "partition key of an index retyped", design: "fus-main",
			deployment: only("fus-main", func(inputs map[string]any) { retype(t, inputs, "tag", "N") }),
		},
		{
			name: "sort key renamed", design: "commit-collect",
			deployment: only("CommitCollectSessions", func(inputs map[string]any) {
				inputs["rangeKey"] = "Sort"
				inputs["attributes"] = []any{
					map[string]any{"name": "PK", "type": "S"},
					map[string]any{"name": "Sort", "type": "S"},
				}
			}),
		},
	}
}

func brokenItems() []breakage {
	return []breakage{
		{
			name: "a value outside its rule", design: "commit-collect",
			amend: item("audit-req-10-of-user-1", func(item accesspatterns.Item) { item["expiresAt"] = &types.AttributeValueMemberN{Value: "1769000000"} }),
		},
		{
			name: "an item lost by the engine", design: "roll-model",
			behind: []any{&dynamodb.DeleteItemInput{TableName: aws.String("RollModel"), Key: accesspatterns.Item{
				"PK": &types.AttributeValueMemberS{Value: "USER#athlete-123"}, "SK": &types.AttributeValueMemberS{Value: "GAP_PRIORITY#gap-10"},
			}}},
		},
		{
			name: "filter dropped", design: "fus-main",
			amend: pattern("matches-by-date", func(p *accesspatterns.Pattern) { p.Steps[0].Read.Filter = nil }),
		},
		{
			name: "views of other steps, by another attribute and another value", design: "osem-ladders",
			amend: func(d *accesspatterns.Design, _ *fixtures.Set) {
				versions, _ := d.Pattern("list-config-versions")
				versions.Views[0].Of = []string{"inactive"}
				apart, _ := d.Pattern("tell-self-from-manager-assessment")
				apart.Views[0].Where, apart.Views[1].Where = nil, map[string]string{"status": "submitted"}
			},
		},
		{
			name: "value of the wrong type", design: "fus-main",
			amend: pattern("ratings-by-stars", func(p *accesspatterns.Pattern) { p.Steps[0].Read.Partition.Value.Type = dynamo.String }),
		},
		{
			name: "projection widened", design: "roll-model",
			amend: pattern("coach-lists-entries", func(p *accesspatterns.Pattern) { p.Steps[1].Read.Projection = nil }),
		},
		{
			name: "a get turned into a query by prefix", design: "personal-os",
			amend: pattern("get-wallet", func(p *accesspatterns.Pattern) {
				p.Steps[0].Read.Operation, p.Steps[0].Read.Sort = dynamo.Query, designtest.BeginsWith("SK", "WALLET")
				p.Steps[0].Read.Sort.Attribute = "sk"
			}),
		},
		{
			name: "a query turned into a scan with the same result", design: "osem-ladders",
			amend: pattern("list-teams-of-manager", func(p *accesspatterns.Pattern) {
				p.Steps[0].Read = &accesspatterns.Read{
					Operation: dynamo.Scan, Table: "Teams",
					Filter: []accesspatterns.Condition{{Attribute: "managerId", Operator: expression.Equal, Value: designtest.Text("{managerId}")}},
				}
			}),
		},
	}
}

// only restricts a change of inputs to one table.
func only(id string, change func(map[string]any)) func(string, map[string]any) {
	return func(table string, inputs map[string]any) {
		if table == id {
			change(inputs)
		}
	}
}

// index returns the inputs of the nth global secondary index.
func index(t *testing.T, inputs map[string]any, n int) map[string]any {
	t.Helper()
	indexes, ok := inputs["globalSecondaryIndexes"].([]any)
	if !ok {
		panic(fmt.Sprintf("indexes are %T", inputs["globalSecondaryIndexes"]))
	}
	one, ok := indexes[n].(map[string]any)
	if !ok {
		panic(fmt.Sprintf("an index is %T", indexes[n]))
	}
	return one
}

// retype changes the type of a key attribute in the attribute definitions.
func retype(t *testing.T, inputs map[string]any, name, to string) {
	t.Helper()
	for _, definition := range inputs["attributes"].([]any) {
		if fmt.Sprint(definition.(map[string]any)["name"]) == name {
			definition.(map[string]any)["type"] = to
		}
	}
}

// pattern returns an amendment of one access pattern.
func pattern(id string, change func(*accesspatterns.Pattern)) func(*accesspatterns.Design, *fixtures.Set) {
	return func(design *accesspatterns.Design, _ *fixtures.Set) {
		found, known := design.Pattern(id)
		if !known {
			panic("no pattern " + id)
		}
		change(found)
	}
}

// item returns an amendment of one fixture item.
func item(name string, change func(accesspatterns.Item)) func(*accesspatterns.Design, *fixtures.Set) {
	return func(_ *accesspatterns.Design, set *fixtures.Set) {
		found, known := set.Item(name)
		if !known {
			panic("no item " + name)
		}
		change(accesspatterns.Item(found.Item))
	}
}

func brokenContracts() []breakage {
	return []breakage{
		{
			name: "document changed since it was transcribed", design: "roll-model",
			amend: func(d *accesspatterns.Design, _ *fixtures.Set) { d.Document.SHA256 = strings.Repeat("0", 64) },
		},
		{
			name: "citation that does not stand", design: "fus-main",
			amend: func(d *accesspatterns.Design, _ *fixtures.Set) {
				d.Tables[0].BillingCite = designtest.Line(6, "PROVISIONED")
			},
		},
		{
			name: "a line that nothing accounts for", design: "personal-os",
			amend: func(d *accesspatterns.Design, _ *fixtures.Set) { d.Narrative = nil },
		},
		{
			name: "another region promised", design: "commit-collect",
			amend: func(d *accesspatterns.Design, _ *fixtures.Set) { d.Tables[0].Region.Region = "eu-west-1" },
		},
		{
			name: "a finding whose surprise does not happen", design: "roll-model",
			amend: trial("finding/keyword-prefix", fixtures.Literal, func(trial *fixtures.Trial) {
				trial.Requests[0].Expect.Items = trial.Requests[0].Expect.Items[:1]
			}),
		},
		{
			name: "a guardrail that lets an attempt through", design: "roll-model",
			amend: trial("guardrail/comment-needs-entry-and-link", fixtures.Attempt, func(trial *fixtures.Trial) {
				for i := range trial.Requests {
					if trial.Requests[i].Expect.Error != "" {
						trial.Requests[i].Operation = "GetItem"
						trial.Requests[i].Input = []byte(`{"TableName": "RollModel", "Key": {"PK": {"S": "x"}, "SK": {"S": "x"}}}`)
					}
				}
			}),
		},
		{
			name: "a guard that refuses for another reason", design: "roll-model",
			amend: trial("guardrail/one-partition", fixtures.Attempt, func(trial *fixtures.Trial) { trial.Requests[0].Expect.Refused = "sort-key" }),
		},
		{
			name: "a guard that refuses in other words", design: "personal-os",
			amend: trial("guardrail/one-partition-per-query", fixtures.Attempt, func(trial *fixtures.Trial) { trial.Requests[0].Expect.Message = "at most 3 partitions" }),
		},
		{
			name: "pages that are no logical read", design: "roll-model",
			amend: func(_ *accesspatterns.Design, set *fixtures.Set) {
				for i := range set.Trials {
					for n := range set.Trials[i].Requests {
						set.Trials[i].Requests[n].Read = ""
					}
				}
			},
		},
		{
			name: "a budget that is not kept", design: "commit-collect",
			amend: pattern("list-workouts", func(p *accesspatterns.Pattern) { p.Steps[0].Read.InspectBudget = 0 }),
		},
	}
}

// The ledgers are witnesses of what somebody else sends through the wire.
func brokenLedgers() []breakage {
	return []breakage{
		{
			name: "a stranger's read", design: "roll-model",
			stranger: []any{&dynamodb.GetItemInput{TableName: aws.String("RollModel"), Key: accesspatterns.Item{
				"PK": &types.AttributeValueMemberS{Value: "x"}, "SK": &types.AttributeValueMemberS{Value: "x"},
			}}},
		},
		{
			name: "a stranger's scan", design: "fus-main",
			stranger: []any{&dynamodb.ScanInput{TableName: aws.String("fus-main")}},
		},
	}
}

// trial returns an amendment of the first trial of a claim that has this form.
func trial(claim string, form fixtures.Form, change func(*fixtures.Trial)) func(*accesspatterns.Design, *fixtures.Set) {
	return func(_ *accesspatterns.Design, set *fixtures.Set) {
		for i := range set.Trials {
			if set.Trials[i].For == claim && set.Trials[i].Form == form {
				change(&set.Trials[i])
				return
			}
		}
		panic("no trial of " + claim)
	}
}

// A table with a further key takes its items, and gives none back by the documented key: that says nothing of the items of
// other tables.
func TestRefusedReadsAreOfTheirTable(t *testing.T) {
	wrong := breakage{deployment: func(table string, inputs map[string]any) {
		if table == "ConfigVersions" {
			inputs["rangeKey"] = "version"
			inputs["attributes"] = append(inputs["attributes"].([]any), map[string]any{"name": "version", "type": "S"})
		}
	}}
	_, design, session := opened(t, replay.Options{Designs: []string{"osem-ladders"}, Bounds: impatient, Wrong: wrong.wrong})
	refused := 0
	for result := range decided(t, session, manifest.KindEntity, manifest.KindAttribute) {
		subject := strings.Split(result.ID, "/")[2] // behind the design and the kind
		if entity, _ := design.Entity(subject); entity.Table != "ConfigVersions" {
			assert.True(t, result.Verdict.Held(), suite.Message(result))
			continue
		}
		refused++
		assert.False(t, result.Verdict.Held(), result.ID)
	}
	assert.Positive(t, refused)
}

// An answer that is wrong as a whole is no fault of paging, where its pages hold the same items.
func TestPagingIsNotBlamedForTheWhole(t *testing.T) {
	wrong := breakage{deployment: only("Teams", func(inputs map[string]any) { index(t, inputs, 0)["projectionType"] = "KEYS_ONLY" })}
	_, design, session := opened(t, replay.Options{Designs: []string{"osem-ladders"}, Bounds: impatient, Wrong: wrong.wrong})
	for _, problem := range verdictOn(t, design, session, "pattern/list-teams-of-manager").Problems {
		assert.False(t, strings.HasSuffix(problem.Where, "page by page"), "%+v", problem)
	}
}

// documents is the folder of the design documents.
func documents() string {
	return cmp.Or(os.Getenv("DYNAPROOF_DOCUMENTS"), "../../../shared/designs")
}

// An invariant that holds whatever the flow does would be none.
func brokenFlows() []breakage {
	one := designtest.Digits("1")
	return []breakage{
		{
			name: "a flow that ends before the steps that its case names", design: "roll-model",
			amend: pattern("list-ai-messages", func(p *accesspatterns.Pattern) { p.Steps[0].StopAt = &one }),
		},
		{
			name: "a flow that ends before its write", design: "commit-collect",
			amend: pattern("update-milestone", func(p *accesspatterns.Pattern) { p.Steps[0].StopAt = &one }),
		},
		{
			name: "a write that is repeated for nothing", design: "commit-collect",
			amend: pattern("update-milestone", func(p *accesspatterns.Pattern) {
				p.Steps[1].ForEach = designtest.Each("milestone", "revision", "version")
			}),
		},
		{
			name: "a write of which nothing is expected", design: "commit-collect",
			amend: func(_ *accesspatterns.Design, s *fixtures.Set) {
				for i := range s.Cases {
					if s.Cases[i].Pattern == "mint-award" && s.Cases[i].Name == "a part that was not awarded yet" {
						s.Cases[i].Idle = []string{"mint"}
					}
				}
			},
		},
		{
			name: "a refusal that never comes", design: "commit-collect",
			amend: func(_ *accesspatterns.Design, s *fixtures.Set) {
				for i := range s.Cases {
					if s.Cases[i].Pattern == "ingest-workout" && s.Cases[i].Name == "an athlete of nobody" {
						s.Cases[i].Error = "TransactionCanceledException"
					}
				}
			},
		},
		{
			name: "a reader that takes every version", design: "roll-model",
			amend: pattern("list-own-entries", func(p *accesspatterns.Pattern) {
				versions := *p.Steps[0].Read.Versions // which other patterns share
				versions.Current = 2
				p.Steps[0].Read.Versions = &versions
			}),
		},
		{
			name: "keyword items written after their entry", design: "roll-model",
			amend: pattern("create-entry-once", split(0, 2)),
		},
		{
			name: "an award minted after its version", design: "commit-collect", everywhere: true,
			amend: pattern("mint-award", split(2, 1)),
		},
		{
			name: "a link of two writes", design: "commit-collect",
			amend: pattern("link-strava", split(1, 1)),
		},
		{
			name: "the link deleted before the rest", design: "commit-collect",
			amend: pattern("delete-account", func(p *accesspatterns.Pattern) {
				p.Steps = slices.Concat(p.Steps[len(p.Steps)-3:], p.Steps[:len(p.Steps)-3])
			}),
		},

		// From the flows of fus-main is taken what keeps their items in agreement.
		{
			name: "tag items written whatever the list says", design: "fus-main",
			amend: func(design *accesspatterns.Design, set *fixtures.Set) {
				pattern("change-site-tags", func(p *accesspatterns.Pattern) {
					for i := range p.Steps {
						p.Steps[i].Write = slices.DeleteFunc(p.Steps[i].Write, func(a accesspatterns.Action) bool { return a.Kind == accesspatterns.ConditionCheck })
					}
				})(design, set)
				// Whether the race goes wrong without them is a matter of luck.
				set.Stress = slices.DeleteFunc(set.Stress, func(s fixtures.Stress) bool { return s.For == "tag-items-follow-the-list" && s.Race != nil })
			},
		},
		{
			name: "a match recorded over another", design: "fus-main",
			amend: pattern("record-match", func(p *accesspatterns.Pattern) { p.Steps[1].Write[1].Condition = nil }),
		},
		{
			name: "the squash section without a look at the membership", design: "fus-main",
			amend: func(design *accesspatterns.Design, set *fixtures.Set) {
				pattern("record-match", func(p *accesspatterns.Pattern) { p.Steps[1].Write = p.Steps[1].Write[1:] })(design, set)
				pattern("members-list-players", func(p *accesspatterns.Pattern) { p.Steps[0].StopWhenEmpty = false })(design, set)
				pattern("members-get-match", func(p *accesspatterns.Pattern) { p.Steps[0].Read.Filter = nil })(design, set)
			},
		},
		{
			name: "participations moved after their match", design: "fus-main",
			amend: pattern("move-match", func(p *accesspatterns.Pattern) {
				move := p.Steps[1]
				after := move
				move.Write, after.Write, after.Name = move.Write[:1], move.Write[1:], "move participations"
				p.Steps = []accesspatterns.Step{p.Steps[0], move, after}
			}),
		},
		{
			name: "a player deleted before the participations", design: "fus-main",
			amend: pattern("delete-player", func(p *accesspatterns.Pattern) { slices.Reverse(p.Steps[1:]) }),
		},

		// From the flows of osem-ladders are taken the conditions that keep writers from undoing each other.
		{
			name: "an activation that does not look at the former version", design: "osem-ladders",
			amend: pattern("activate-config", func(p *accesspatterns.Pattern) { p.Steps[1].Write[0].Condition = nil }),
		},
		{
			name: "a removal that does not count who is left", design: "osem-ladders",
			amend: pattern("remove-team-member", func(p *accesspatterns.Pattern) { p.Steps[0].Write[0].Condition = p.Steps[0].Write[0].Condition[:1] }),
		},
		{
			name: "a submission of what is submitted", design: "osem-ladders",
			amend: pattern("submit-assessment", func(p *accesspatterns.Pattern) { p.Steps[0].Write[0].Condition = p.Steps[0].Write[0].Condition[1:] }),
		},
		{
			name: "a member added to what was read", design: "osem-ladders",
			amend: pattern("add-team-member", func(p *accesspatterns.Pattern) {
				for i := range p.Steps[0].Write[1].Set {
					p.Steps[0].Write[1].Set[i].Operator = ""
				}
			}),
		},

		// From the flows of personal-os is taken what keeps wallet, records and index keys in agreement.
		{
			name: "a reward redeemed for points that are not there", design: "personal-os",
			amend: pattern("redeem-reward", func(p *accesspatterns.Pattern) { p.Steps[1].Write[1].Condition = nil }),
		},
		{
			name: "a transaction stored over another one", design: "personal-os", beside: true,
			amend: pattern("redeem-reward", func(p *accesspatterns.Pattern) { p.Steps[1].Write[2].Condition = nil }),
		},
		{
			name: "a change of status that writes the index key of another one", design: "personal-os",
			amend: pattern("change-task-status", func(p *accesspatterns.Pattern) {
				for i, set := range p.Steps[1].Write[0].Set {
					if set.Attribute == "gsi1sk" {
						p.Steps[1].Write[0].Set[i].Value = designtest.Text("InProgress#{createdAt}")
					}
				}
			}),
		},
		{
			name: "a task flagged as awarded before its points are in the wallet", design: "personal-os",
			amend: pattern("award-task-points", split(1, 1)),
		},
	}
}

// split writes the first actions of a step in one request and the others in the
// next.
func split(step, first int) func(*accesspatterns.Pattern) {
	return func(p *accesspatterns.Pattern) {
		whole := p.Steps[step]
		head, tail := whole, whole
		head.Write, tail.Write = whole.Write[:first], whole.Write[first:]
		tail.Name += "-rest"
		p.Steps = slices.Concat(p.Steps[:step], []accesspatterns.Step{head, tail}, p.Steps[step+1:])
	}
}
