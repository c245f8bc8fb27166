package patterns

import (
	"io"
	"log/slog"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/test/standin"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// What the guard refuses has reached no engine, and is not evidence of one.
func TestARefusalOfTheGuardIsOfTheLibrary(t *testing.T) {
	design, err := designs.Find("fus-main")
	require.NoError(t, err)
	table := design.Tables[0].ID
	client := dynamodb.New(dynamodb.Options{Region: "eu-west-1"}, guard.Enforce(design, guard.WithTables(map[string]string{table: "t"}), guard.AnyRole(), guard.WithLogger(slog.New(slog.DiscardHandler))))
	name := "t"
	input := &dynamodb.ScanInput{TableName: &name}
	_, err = client.Scan(t.Context(), input)
	var refusal *guard.Refusal
	require.ErrorAs(t, err, &refusal)
	s := &session.Session{Input: session.Input{Ledger: ledgertest.Entries{}, Grade: evidence.Engine}, Recorder: &recorder.Recorder{}}
	o := &observe.Observation{Claim: manifest.Claim{ID: "d/guardrail/g"}, Session: s, Rested: []evidence.Grade{evidence.Engine}}
	refusedByGuard(t.Context(), o, "here", client, input, &fixtures.Expectation{Refused: string(refusal.Rule)}, remedy.Advice{})
	if result := o.Result(); result.Verdict != evidence.Pass || result.Grade != evidence.Library {
		t.Errorf("expected a pass on evidence of grade library, found %s on %s: %+v", result.Verdict, result.Grade, result.Problems)
	}
}

// A batch that was throttled in part says nothing about what is missing from it.
func TestAnUnprocessedBatchDecidesNothing(t *testing.T) {
	service := standin.Service(func(w http.ResponseWriter, operation, _ string) {
		if operation == "BatchGetItem" {
			_, _ = io.WriteString(w, `{"Responses":{"T":[]},"UnprocessedKeys":{"T":{"Keys":[{"id":{"S":"a"}}]}}}`)
			return
		}
		_, _ = io.WriteString(w, `{"UnprocessedItems":{"T":[{"DeleteRequest":{"Key":{"id":{"S":"a"}}}}]}}`)
	})
	for _, input := range []any{
		&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{}},
		&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{}},
	} {
		o := &observe.Observation{Session: &session.Session{}}
		_, err := send(t.Context(), service.Client(), input)
		if err == nil {
			t.Errorf("%T: expected what was left unprocessed to be an error, found none", input)
			continue
		}
		if o.Request("here", err); o.Result().Verdict != evidence.Indeterminate {
			t.Errorf("%T: expected indeterminate, found %s: %v", input, o.Result().Verdict, err)
		}
	}
}
