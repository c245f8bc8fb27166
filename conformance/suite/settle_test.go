package suite_test

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
)

// hiding leaves the items that contain a text out of an index's answers, for so many
// answers.
func hiding(index, text string, answers int64) (fault wire.Fault, seen *atomic.Int64) {
	seen = &atomic.Int64{}
	return func(entry wire.Entry) *wire.FaultResponse {
		if entry.Operation != "Query" || entry.Index != index || seen.Add(1) > answers {
			return nil
		}
		return &wire.FaultResponse{Name: "lag", Forward: true, Amend: func(body []byte) []byte {
			var answer map[string]any
			if json.Unmarshal(body, &answer) != nil {
				return body
			}
			kept := []any{}
			items, _ := answer["Items"].([]any)
			for _, each := range items {
				if shown, _ := json.Marshal(each); !strings.Contains(string(shown), text) {
					kept = append(kept, each)
				}
			}
			answer["Items"], answer["Count"], answer["ScannedCount"] = kept, len(kept), len(kept)
			amended, _ := json.Marshal(answer)
			return amended
		}}
	}, seen
}

func verdictOn(t *testing.T, design *accesspatterns.Design, session *session.Session, claim string) evidence.Result {
	t.Helper()
	for _, spec := range suite.Specs(design) {
		if spec.Claim.ID == design.Name+"/"+claim {
			return spec.Run(t.Context(), session, nil)
		}
	}
	t.Fatalf("no claim %s", claim)
	return evidence.Result{}
}

// An item that must not be in an index may show late. It is believed to be absent
// only when the index has shown all that was loaded, and then several times on end.
func TestAnUnexpectedItemThatShowsLateIsNoPass(t *testing.T) {
	run, design, session := opened(t, replay.Options{Designs: []string{"fus-main"}, Documents: documents(), Bounds: impatient})
	fixture, known := session.Fixtures.Item("rating-of-site-10-by-user-1")
	require.True(t, known, "no such fixture")
	extra := accesspatterns.Item{}
	for attribute, value := range fixture.Item {
		extra[attribute] = value
	}
	extra["PK"], extra["SK"] = &types.AttributeValueMemberS{Value: "USER#99999999-9999-4999-8999-999999999999"}, &types.AttributeValueMemberS{Value: "SITE#extra"}
	extra["userId"], extra["siteId"] = &types.AttributeValueMemberS{Value: "99999999-9999-4999-8999-999999999999"}, &types.AttributeValueMemberS{Value: "SITE#extra"}
	_, err := pastOf(t, run, "fus-main").PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("fus-main"), Item: extra})
	require.NoError(t, err)
	fault, looks := hiding("byStars", "SITE#extra", 2)
	run.Inject(fault)
	defer run.Inject(nil)
	if result := verdictOn(t, design, session.Again(design, session.Fixtures), "pattern/five-star-ratings"); result.Verdict != evidence.Fail || looks.Load() < 3 {
		t.Errorf("expected a failure after the index has shown the item, found %s after %d looks", suite.Message(result), looks.Load())
	}
}

// While an index lacks what was loaded, nothing that it does not show is absent.
func TestAnIndexThatNeverShowsWhatWasLoaded(t *testing.T) {
	run, design, session := opened(t, replay.Options{Designs: []string{"fus-main"}, Documents: documents(), Bounds: impatient})
	fault, _ := hiding("byStars", `"starRating":{"N":"4"}`, 1<<40)
	run.Inject(fault)
	defer run.Inject(nil)
	for _, spec := range suite.Specs(design) {
		if spec.Claim.Kind != manifest.KindPattern {
			continue
		}
		result := spec.Run(t.Context(), session, nil)
		if strings.HasSuffix(result.ID, "/five-star-ratings") && result.Verdict != evidence.Indeterminate {
			t.Errorf("expected a claim that rests on the index to be indeterminate, found %s", suite.Message(result))
		}
		if result.Verdict == evidence.Indeterminate && !strings.Contains(suite.Message(result), "index byStars of fus-main has not shown") {
			t.Errorf("%s: expected the index to be named, found %s", result.ID, suite.Message(result))
		}
	}
}
