package suite_test

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
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
	Name, Design string
	// Deployment is what jq makes of the inputs of a table, by its logical id, as its program asks for them, before it is made.
	Deployment map[string]string
	// Replace exchanges texts in the policy documents of the resource Policy, before they are attached.
	Policy  string
	Replace map[string]string
	// Everywhere interrupts flows after each of their requests, where what must fail shows
	// at one of these places alone.
	Everywhere bool
	// Behind are requests that change what was deployed, behind Pulumi's back, before the
	// specs run.
	Behind []map[string]any
	// Stranger are requests through the wire that no claim sends.
	Stranger []map[string]any
	// Amend is what jq makes of places in the contract or the fixtures, and Items are attributes of items.
	Amend map[string]string
	Items map[string]map[string]any
	// Fails are the claims that must fail, without the design's name, each with
	// text that its message must contain. Claims that fail only because they
	// rest on one of these are not listed.
	Fails map[string]string
	// Beside says that it is seen also in a claim that another breakage makes fail.
	Beside bool
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
	run := tabletest.Must(replay.Start(t.Context(), options))(t)
	t.Cleanup(func() {
		assert.NoError(t, run.Close(context.Background()))
	})
	design := run.Designs()[0]
	return run, design, tabletest.Must(run.Open(t.Context(), design))(t)
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
	options := replay.Options{Designs: []string{b.Design}, Documents: documents(), Bounds: impatient}
	options.Amend = func(design *accesspatterns.Design, set *fixtures.Set) {
		if b.Design == "commit-collect" {
			fewWorkouts(design, set)
		}
		for _, each := range b.each() {
			each.amend(t, design, set)
		}
	}
	if slices.ContainsFunc(b.each(), func(each breakage) bool { return each.Deployment != nil || each.Replace != nil }) {
		options.Wrong = b.wrong(t)
	}
	if b.Everywhere {
		options.Interruptions = everywhere
	}
	run, _, session := opened(t, options)
	session.Unexplored = true
	if _, needed := b.Fails["document"]; needed && session.Source == nil {
		t.Skipf("not tried without the document: %v", session.SourceProblem)
	}
	for _, each := range b.each() {
		designtest.SendAll(t, pastOf(t, run, b.Design), each.Behind)
		designtest.SendAll(t, clientOf(run.Endpoint()), each.Stranger)
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
			assert.Nil(t, session.Source, "%s: expected pass or fail, found %s", result.ID, suite.Message(result)) // else the claim rests on the document, which is not here
		default:
			t.Errorf("%s: expected pass or fail, found %s", result.ID, suite.Message(result))
		}
	}
	if diff := gocmp.Diff(slices.Sorted(maps.Keys(b.Fails)), slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("failed claims (-want +got):\n%s", diff)
		for id, message := range found {
			message, _, _ = strings.Cut(message, "\n")
			t.Logf("%s: %s", id, message)
		}
	}
	for _, each := range b.each() {
		for id, text := range each.Fails {
			message := found[id]
			assert.True(t, message == "" || strings.Contains(message, text), "%s: expected a message with %q, found %s", id, text, message)
		}
	}
}

// wrong changes what the design's program asks for.
func (b breakage) wrong(t *testing.T) func(*deploy.Inputs) {
	return func(asked *deploy.Inputs) {
		for _, each := range b.each() {
			for id, change := range each.Deployment {
				made := tabletest.JQ(t, change, asked.Tables[id]).(map[string]any)
				clear(asked.Tables[id])
				maps.Copy(asked.Tables[id], made)
			}
			for _, policies := range []map[string]map[string]any{asked.Policies, asked.TablePolicies} {
				for name, inputs := range policies {
					inputs["policy"] = each.policy(t, name, inputs["policy"].(string))
				}
			}
		}
	}
}

// policy is the policy document of a resource with texts exchanged.
func (b breakage) policy(t *testing.T, resource, document string) string {
	t.Helper()
	if resource != b.Policy {
		return document
	}
	for old, text := range b.Replace {
		require.Contains(t, document, old)
		document = strings.ReplaceAll(document, old, text)
	}
	return document
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
	return clientOf(tabletest.Must(run.Past(design))(t))
}

// Each of these makes exactly the claims fail that it names. Those of a design that name other claims are tried in one replay. What the
// mutants break one by one (package mutants) stands here only where it fails more than one claim of its own, or none.
func TestBroken(t *testing.T) {
	breakAll(t, slices.Concat(tabletest.Read[[]breakage](t, "broken.yaml"), tabletest.Read[[]breakage](t, "broken_policies.yaml")))
}

// amend changes the contract and the fixtures.
func (b breakage) amend(t *testing.T, design *accesspatterns.Design, set *fixtures.Set) {
	t.Helper()
	for path, change := range b.Amend {
		amend(t, path, change, design, set)
	}
	for name, part := range b.Items {
		found, known := set.Item(name)
		require.True(t, known, "no item %s", name)
		maps.Copy(found.Item, tabletest.Item(t, part))
	}
}

// amend lets jq change a place in one of these.
func amend(t *testing.T, path, change string, in ...any) {
	t.Helper()
	require.True(t, designtest.Amend(t, path, apart+change, in...), "no %s", path)
}

// apart writes the first actions of a step in one request and the others in the next.
const apart = `def apart($step; $first): .[:$step] + [(.[$step] | .Write |= .[:$first]), (.[$step] | .Write |= .[$first:] | .Name += "-rest")] + .[$step + 1:]; `

// A table with a further key takes its items, and gives none back by the documented key: that says nothing of the items of
// other tables.
func TestRefusedReadsAreOfTheirTable(t *testing.T) {
	wrong := breakage{Deployment: map[string]string{"ConfigVersions": `.rangeKey = "version" | .attributes += [{name: "version", type: "S"}]`}}
	_, design, session := opened(t, replay.Options{Designs: []string{"osem-ladders"}, Bounds: impatient, Wrong: wrong.wrong(t)})
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
	wrong := breakage{Deployment: map[string]string{"Teams": `.globalSecondaryIndexes[0].projectionType = "KEYS_ONLY"`}}
	_, design, session := opened(t, replay.Options{Designs: []string{"osem-ladders"}, Bounds: impatient, Wrong: wrong.wrong(t)})
	for _, problem := range verdictOn(t, design, session, "pattern/list-teams-of-manager").Problems {
		assert.False(t, strings.HasSuffix(problem.Where, "page by page"), "%+v", problem)
	}
}

// documents is the folder of the design documents.
func documents() string {
	return cmp.Or(os.Getenv("DYNAPROOF_DOCUMENTS"), "../../../shared/designs")
}
