package suite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// answering changes what the engine answers to some requests.
func answering(these func(wire.Entry) bool, amend func(answer map[string]any)) wire.Fault {
	return func(entry wire.Entry) *wire.FaultResponse {
		if !these(entry) {
			return nil
		}
		return &wire.FaultResponse{Name: "answers otherwise", Forward: true, Amend: func(body []byte) []byte {
			answer := map[string]any{}
			if json.Unmarshal(body, &answer) != nil {
				return body
			}
			amend(answer)
			text, _ := json.Marshal(answer)
			return text
		}}
	}
}

// instead answers an operation in the engine's place.
func instead(operation string, response *wire.FaultResponse) wire.Fault {
	return func(entry wire.Entry) *wire.FaultResponse {
		if entry.Operation != operation {
			return nil
		}
		return response
	}
}

// hiding leaves the items that contain a text out of an index's answers, for so many
// answers.
func hiding(index, text string, answers int64) (fault wire.Fault, seen *atomic.Int64) {
	seen = &atomic.Int64{}
	late := func(entry wire.Entry) bool {
		return entry.Operation == "Query" && entry.Index == index && seen.Add(1) <= answers
	}
	return answering(late, func(answer map[string]any) {
		items, _ := answer["Items"].([]any)
		kept := slices.DeleteFunc(items, func(each any) bool {
			shown, _ := json.Marshal(each)
			return strings.Contains(string(shown), text)
		})
		answer["Items"], answer["Count"], answer["ScannedCount"] = kept, len(kept), len(kept)
	}), seen
}

// decided decides the claims of a session's design that are of these kinds, one after the other.
func decided(t *testing.T, session *session.Session, kinds ...manifest.Kind) iter.Seq[evidence.Result] {
	return func(yield func(evidence.Result) bool) {
		for _, claim := range manifest.InOrder(session.Design) {
			if slices.Contains(kinds, claim.Kind) && !yield(suite.Decide(t.Context(), claim, session, nil)) {
				return
			}
		}
	}
}

func verdictOn(t *testing.T, design *accesspatterns.Design, session *session.Session, id string) evidence.Result {
	t.Helper()
	for _, claim := range manifest.InOrder(design) {
		if claim.ID == design.Name+"/"+id {
			return suite.Decide(t.Context(), claim, session, nil)
		}
	}
	t.Fatalf("no claim %s", id)
	return evidence.Result{}
}

// An item that must not be in an index may show late. It is believed to be absent
// only when the index has shown all that was loaded, and then several times on end.
func TestAnUnexpectedItemThatShowsLateIsNoPass(t *testing.T) {
	run, design, session := opened(t, replay.Options{Designs: []string{"fus-main"}, Documents: documents(), Bounds: impatient})
	fixture, known := session.Fixtures.Item("rating-of-site-10-by-user-1")
	require.True(t, known, "no such fixture")
	extra := maps.Clone(accesspatterns.Item(fixture.Item))
	extra["PK"], extra["SK"] = &types.AttributeValueMemberS{Value: "USER#99999999-9999-4999-8999-999999999999"}, &types.AttributeValueMemberS{Value: "SITE#extra"}
	extra["userId"], extra["siteId"] = &types.AttributeValueMemberS{Value: "99999999-9999-4999-8999-999999999999"}, &types.AttributeValueMemberS{Value: "SITE#extra"}
	tabletest.Must(pastOf(t, run, "fus-main").PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("fus-main"), Item: extra}))(t)
	fault, looks := hiding("byStars", "SITE#extra", 2)
	run.Inject(fault)
	defer run.Inject(nil)
	if result := verdictOn(t, design, session.Again(design, session.Fixtures), "pattern/five-star-ratings"); result.Verdict != evidence.Fail || looks.Load() < 3 {
		t.Errorf("expected a failure after the index has shown the item, found %s after %d looks", suite.Message(result), looks.Load())
	}
}

// While an index lacks what was loaded, nothing that it does not show is absent.
func TestAnIndexThatNeverShowsWhatWasLoaded(t *testing.T) {
	run, _, session := opened(t, replay.Options{Designs: []string{"fus-main"}, Documents: documents(), Bounds: impatient})
	fault, _ := hiding("byStars", `"starRating":{"N":"4"}`, 1<<40)
	run.Inject(fault)
	defer run.Inject(nil)
	for result := range decided(t, session, manifest.KindPattern) {
		assert.False(t, strings.HasSuffix(result.ID, "/five-star-ratings") && result.Verdict != evidence.Indeterminate,
			"expected a claim that rests on the index to be indeterminate, found %s", suite.Message(result))
		assert.False(t, result.Verdict == evidence.Indeterminate && !strings.Contains(suite.Message(result), "index byStars of fus-main has not shown"),
			"%s: expected the index to be named, found %s", result.ID, suite.Message(result))
	}
}

// A client that was to die behind a request, and came to its end before, was not
// interrupted there, and nothing is told of it: the flow without interruption takes a
// page more than all that follow.
func TestAClientThatDoesNotDieDecidesNothing(t *testing.T) {
	run, design, session := opened(t, replay.Options{Designs: []string{"commit-collect"}, Documents: documents(), Bounds: impatient, Interruptions: everywhere})
	noticed := 0
	for _, claim := range manifest.InOrder(design) {
		if claim.Kind != manifest.KindInvariant {
			continue
		}
		longer := false
		run.Inject(func(entry wire.Entry) *wire.FaultResponse {
			if entry.Operation != "Query" || entry.Claim != claim.ID || longer {
				return nil
			}
			var request map[string]any
			if err := json.Unmarshal(entry.Request, &request); err != nil || request["Limit"] != nil {
				return nil
			}
			longer = true
			request["Limit"] = 1
			shorter, _ := json.Marshal(request)
			return &wire.FaultResponse{Name: "short page", Forward: true, Request: shorter}
		})
		result := suite.Decide(t.Context(), claim, session, nil)
		run.Inject(nil)
		switch {
		case result.Verdict == evidence.Indeterminate && strings.Contains(suite.Message(result), "the client was to die there"):
			noticed++
		case result.Verdict != evidence.Pass:
			t.Errorf("%s: expected pass, or a client that did not die, found %s", result.ID, suite.Message(result))
		}
	}
	assert.NotZero(t, noticed, "expected interruptions of which nothing can be told")
}

// lacking returns the address of a real engine that does not know an operation.
func lacking(t *testing.T, operation string) string {
	t.Helper()
	unknown := &wire.FaultResponse{Status: http.StatusBadRequest, ErrorType: "UnknownOperationException", Message: "unknown operation"}
	proxy := tabletest.Must(wire.Start(wire.Options{Upstream: tables.Engine(t)}))(t)
	proxy.SetFault(instead(operation, unknown))
	t.Cleanup(func() { assert.NoError(t, proxy.Close(context.Background())) })
	return proxy.URL()
}

// What an engine lacks is unsupported where its target declares it, and else
// indeterminate: neither a pass nor, by what a write that never happened did not
// leave behind, a failure.
func TestAnEngineWithoutTransactions(t *testing.T) {
	for _, row := range []struct {
		name  string
		lacks []string
		want  evidence.Verdict
	}{{"declared", []string{"TransactWriteItems"}, evidence.Unsupported}, {"not declared", nil, evidence.Indeterminate}} {
		t.Run(row.name, func(t *testing.T) {
			_, design, session := opened(t, replay.Options{
				Designs: []string{"roll-model"}, Endpoint: lacking(t, "TransactWriteItems"), StateDir: t.TempDir(), Documents: documents(), Bounds: impatient, Lacks: row.lacks,
			})
			lacking := 0
			for _, claim := range manifest.InOrder(design) {
				if claim.Kind == manifest.KindValidity {
					continue // explored longest, and seen on the engine like a confinement
				}
				result := suite.Decide(t.Context(), claim, session, nil)
				documents := result.Declared == "documents"
				if result.Verdict == row.want && !documents {
					lacking++
					assert.True(t, result.Declared == strings.Join(row.lacks, "") || result.Declared == "operation "+strings.Join(row.lacks, ""),
						"%s: expected the declared operation, found %q", result.ID, result.Declared)
					assert.False(t, !strings.Contains(suite.Message(result), "unknown operation") && strings.Contains(result.ID, "/pattern/"),
						"%s: expected the reason, found %s", result.ID, suite.Message(result))
				} else if !result.Verdict.Held() && !documents {
					t.Errorf("%s: expected pass or %s, found %s", result.ID, row.want, suite.Message(result))
				}
				assert.False(t, strings.HasSuffix(result.ID, "/pattern/post-comment") && result.Verdict != row.want, "%s: expected %s, found %s", result.ID, row.want, result.Verdict)
			}
			assert.NotZero(t, lacking, "expected claims that this engine cannot answer")
		})
	}
}

// denial is how AWS refuses a caller that lacks a permission.
func denial(action, table string) *wire.FaultResponse {
	return &wire.FaultResponse{
		Status: http.StatusBadRequest, ErrorType: "AccessDeniedException",
		Message: fmt.Sprintf("User: arn:aws:sts::123456789012:assumed-role/ProdAdmin/jane.doe@corp.example is not authorized to perform: dynamodb:%s "+
			"on resource: arn:aws:dynamodb:eu-west-1:123456789012:table/%s because no identity-based policy allows the dynamodb:%s action", action, table, action),
	}
}

// A missing permission says nothing about a table: no claim fails, and what it
// touches is indeterminate and names the permission, and nobody.
func TestAMissingPermissionFailsNoClaim(t *testing.T) {
	ctx := t.Context()
	run, design, session := opened(t, replay.Options{Designs: []string{"roll-model"}, Documents: documents(), Bounds: impatient, Orders: 1, Interruptions: 1})
	// Denials of these are held against the claims of an audit alone, which look at settings; the others against all claims. `make faults`
	// denies every operation of data to patterns and invariants.
	settings := []string{"DescribeContinuousBackups", "DescribeTimeToLive", "ListTables", "ListTagsOfResource"}
	for _, operation := range append(settings, "DescribeTable", "Query", "PutItem", "TransactWriteItems") {
		t.Run(operation, func(t *testing.T) {
			run.Inject(instead(operation, denial(operation, "RollModel")))
			defer run.Inject(nil)
			claims, examined := suite.AuditClaims(design, false), session.Again(design, session.Fixtures)
			if !slices.Contains(settings, operation) {
				examined = tabletest.Must(run.Examine(ctx, design, session.Fixtures, session.Deployment))(t)
				claims = manifest.InOrder(design)
			}
			examined.Unexplored = true
			named := 0
			for _, claim := range claims {
				if claim.Kind == manifest.KindConfinement || claim.Kind == manifest.KindValidity {
					continue // decided by exploration
				}
				result := suite.Decide(ctx, claim, examined, nil)
				message := suite.Message(result)
				switch {
				case result.Verdict.Held():
				case result.Verdict == evidence.Unsupported:
					assert.Equal(t, "documents", result.Declared, "%s: expected no claim to be unsupported, found %s", result.ID, message)
				case result.Verdict == evidence.Indeterminate:
					if strings.Contains(message, "the permission dynamodb:"+operation+" on table/RollModel is missing: no identity-based policy allows it") {
						named++
					}
				default:
					t.Errorf("%s: expected pass or indeterminate, found %s", result.ID, message)
				}
				assert.True(t, !strings.Contains(message, "jane.doe") && !strings.Contains(message, "123456789012"),
					"%s: expected a message that names nobody, found %s", result.ID, message)
			}
			assert.NotZero(t, named, "expected claims that name the missing permission")
		})
	}
}

// An answer that is not on the closed list decides nothing.
func TestOnlyAListedCodeDecides(t *testing.T) {
	run, design, session := opened(t, replay.Options{Designs: []string{"roll-model"}, Documents: documents(), Bounds: impatient})
	for _, answer := range []wire.FaultResponse{
		{Status: 400, ErrorType: "ExpiredTokenException"}, {Status: 400, ErrorType: "OptInRequired"}, {Status: 400, ErrorType: "KMSKeyNotFoundException"},
		{Status: 400, ErrorType: "LimitExceededException"}, {Status: 400, ErrorType: "SomethingNewException"}, {Status: 403, ErrorType: "ValidationException"},
		{Status: 307, ErrorType: "ValidationException"},
	} {
		run.Inject(instead("DescribeTable", &answer))
		examined := session.Again(design, &fixtures.Set{})
		for _, claim := range suite.AuditClaims(design, false) {
			if strings.HasSuffix(claim.ID, "/key") || strings.HasSuffix(claim.ID, "/exists") {
				result := suite.Decide(t.Context(), claim, examined, nil)
				assert.Equal(t, evidence.Indeterminate, result.Verdict, "%d %s: %s: expected indeterminate, found %s", answer.Status, answer.ErrorType, result.ID, suite.Message(result))
			}
		}
	}
	run.Inject(nil)
}

// A counterexample that the engine does not repeat fails the claim: its request is refused, or other items are there afterwards.
func TestCounterexamplesAreSeenOnTheEngine(t *testing.T) {
	run, design, session := opened(t, replay.Options{Designs: []string{"roll-model"}, Documents: documents(), Bounds: impatient})
	defer run.Inject(nil)
	for _, row := range []struct {
		name  string
		fault wire.Fault
		want  evidence.Verdict
	}{
		{"as it is", nil, evidence.Pass},
		{"refused", instead("UpdateItem", &wire.FaultResponse{Status: 400, ErrorType: "ConditionalCheckFailedException", Message: "The conditional request failed"}), evidence.Fail},
		{"other items", instead("GetItem", &wire.FaultResponse{Forward: true, Amend: func([]byte) []byte { return []byte("{}") }}), evidence.Fail},
	} {
		t.Run(row.name, func(t *testing.T) {
			run.Inject(row.fault)
			result := verdictOn(t, design, session, "validity")
			assert.Equal(t, row.want, result.Verdict, "expected %s, found %s: %s", row.want, result.Verdict, suite.Message(result))
		})
	}
}

const mixesClients = "this engine mixes its clients up"

// An engine that cannot answer races is not asked to, and is not let off anything
// else: the interruptions of the same invariants are tried, and every other claim
// is decided.
func TestAnEngineWithoutRaces(t *testing.T) {
	_, design, session := opened(t, replay.Options{Designs: []string{"fus-main"}, Documents: documents(), Bounds: impatient})
	session.NoRaces, session.Unexplored = mixesClients, true
	races := map[string][]string{ // the attempts that are left
		"invariant/tag-items-follow-the-list":      {"interruption"},
		"invariant/one-rating-however-often":       {"interruption"},
		"invariant/one-membership-in-both-lookups": {"interruption"},
		"invariant/membership-leaves-both-lookups": nil,
		"invariant/match-recorded-once":            {"interruption"},
		"invariant/match-moves-whole":              {"interruption"},
		"invariant/no-match-after-leaving":         {"interruption"},
	}
	for _, claim := range manifest.InOrder(design) {
		if claim.Kind == manifest.KindConfinement || claim.Kind == manifest.KindValidity {
			continue // decided by exploration, which asks no engine
		}
		before := session.Ledger.Len()
		result := suite.Decide(t.Context(), claim, session, nil)
		id := strings.TrimPrefix(result.ID, design.Name+"/")
		attempts, raced := races[id]
		if strings.Contains(suite.Message(result), "claim invariant/no-match-after-leaving is unsupported, and this one rests on it") {
			continue
		}
		if !raced {
			verdict := result.Verdict
			assert.True(t, verdict.Held() || session.Source == nil && verdict == evidence.Unsupported, "%s: expected to be decided, found %s", id, suite.Message(result))
			continue
		}
		assert.True(t, result.Verdict == evidence.Unsupported && strings.Contains(suite.Message(result), "attempt 1 (race): "+mixesClients),
			"%s: expected unsupported because %s, found %s", id, mixesClients, suite.Message(result))
		var kinds []string
		for _, attempt := range result.Invariant.Attempts {
			kinds = append(kinds, attempt.Kind)
		}
		assert.Empty(t, cmp.Diff(attempts, kinds), "%s: attempts (-want +got)", id)
		// What waits for indexes to show what was put back before is no request of the claim.
		assert.Equal(t, len(attempts) > 0, slices.ContainsFunc(session.Ledger.Entries(before), func(entry wire.Entry) bool { return entry.Claim == result.ID }),
			"%s: expected requests only where there is another attempt", id)
		delete(races, id)
	}
	for id := range races {
		t.Errorf("expected a claim %s", id)
	}
}

// What an interruption shows stands, although the race beside it was not tried: that stale tag items are left.
func TestAnInvariantThatBreaksWithoutRaces(t *testing.T) {
	_, design, session := opened(t, replay.Options{Designs: []string{"fus-main"}, Documents: documents(), Bounds: impatient, Amend: func(design *accesspatterns.Design, _ *fixtures.Set) {
		amend(t, "patterns.change-site-tags.steps", ".[:-1]", design)
	}})
	session.NoRaces = mixesClients
	for claim, text := range map[string]string{"pattern/change-site-tags": "expected no item tag-web-of-site-1", "invariant/tag-items-follow-the-list": "no item tag-javascript-of-site-1"} {
		result := verdictOn(t, design, session, claim)
		found := suite.Message(result)
		assert.True(t, result.Verdict == evidence.Fail && strings.Contains(found, text), "%s: expected the stale tag item to be noticed, found %s: %s", claim, result.Verdict, found)
		assert.Equal(t, strings.Contains(strings.Join(result.Notes, "\n"), mixesClients), strings.HasPrefix(claim, "invariant/"),
			"%s: expected a note of a race that was not tried, where there is one, found %q", claim, result.Notes)
	}
}

// breakAll tries breakages, those of one design together as far as they fail different
// claims: a whole replay for each would say no more, and take minutes. What fails must
// be what they name between them, so a breakage that hides another is seen; then each
// is tried alone, to say which.
func breakAll(t *testing.T, all []breakage) {
	t.Helper()
	for _, batch := range batches(all) {
		names := make([]string, len(batch))
		for i, each := range batch {
			names[i] = each.Name
		}
		if t.Run(batch[0].Design+": "+strings.Join(names, " + "), together(batch).run) || len(batch) == 1 {
			continue
		}
		for _, each := range batch {
			t.Run(each.Name+", alone", each.run)
		}
	}
}

func batches(all []breakage) [][]breakage {
	var found [][]breakage
next:
	for _, each := range all {
		for i, batch := range found {
			if fits(batch, each) {
				found[i] = append(batch, each)
				continue next
			}
		}
		found = append(found, []breakage{each})
	}
	return found
}

func fits(batch []breakage, next breakage) bool {
	return !slices.ContainsFunc(batch, func(each breakage) bool {
		// What must fail nowhere stands beside its like alone, so that nothing else may fail there.
		return each.Design != next.Design || (len(each.Fails) == 0) != (len(next.Fails) == 0) ||
			!next.Beside && slices.ContainsFunc(slices.Collect(maps.Keys(each.Fails)), func(id string) bool { _, twice := next.Fails[id]; return twice })
	})
}

func together(batch []breakage) breakage {
	if len(batch) == 1 {
		return batch[0]
	}
	whole := breakage{Design: batch[0].Design, parts: batch, Fails: map[string]string{}}
	for _, each := range batch {
		maps.Copy(whole.Fails, each.Fails)
		whole.Everywhere = whole.Everywhere || each.Everywhere
	}
	return whole
}
