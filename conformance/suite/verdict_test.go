package suite

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/fixtures"
)

// A design that could not be deployed is an error of each claim, with the
// reason.
func TestRunWithoutASession(t *testing.T) {
	spec := Spec{Claim: manifest.Claim{ID: "d/x"}}
	result := spec.Run(t.Context(), nil, errOnPurpose{})
	if result.Verdict != evidence.Error || !strings.Contains(Message(result), "on purpose") {
		t.Errorf("expected an error with its reason, got %s", Message(result))
	}
}

type errOnPurpose struct{}

func (errOnPurpose) Error() string { return "on purpose" }

func TestNumbered(t *testing.T) {
	got := fixtures.Numbered(accesspatterns.Item{
		"SK": &types.AttributeValueMemberS{Value: "WORKOUT#{n}"}, "n": &types.AttributeValueMemberN{Value: "{n}"}, "ok": &types.AttributeValueMemberBOOL{Value: true},
	}, 7)
	want := accesspatterns.Item{
		"SK": &types.AttributeValueMemberS{Value: "WORKOUT#7"}, "n": &types.AttributeValueMemberN{Value: "7"}, "ok": &types.AttributeValueMemberBOOL{Value: true},
	}
	if differences := dynamo.Differences(want, got); len(differences) > 0 {
		t.Error(differences)
	}
}
