package replay

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
)

// A table is not ready before its indexes are: reads of an index that is being filled
// would lack items.
func TestAwaitsIndexes(t *testing.T) {
	states := []string{
		`"TableStatus":"CREATING","KeySchema":[{}]`,
		`"TableStatus":"ACTIVE","KeySchema":[{}],"GlobalSecondaryIndexes":[{"IndexName":"byDay","IndexStatus":"CREATING"}]`,
		`"TableStatus":"ACTIVE","KeySchema":[{}],"GlobalSecondaryIndexes":[{"IndexName":"byDay","IndexStatus":"ACTIVE","Backfilling":true}]`,
		`"TableStatus":"ACTIVE","KeySchema":[{}],"GlobalSecondaryIndexes":[{"IndexName":"byDay","IndexStatus":"ACTIVE"}]`,
	}
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		state := states[min(asked, len(states)-1)]
		asked++
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		fmt.Fprintf(w, `{"Table":{"TableName":"Orders","TableArn":"arn:aws:dynamodb:eu-west-1:111122223333:table/Orders",%s}}`, state)
	}))
	defer server.Close()
	run := &Replay{options: Options{Bounds: session.Bounds{Poll: time.Nanosecond}}}
	arns, err := run.awaitActive(t.Context(), target.NewClient(server.URL, "eu-west-1"), []string{"Orders"})
	if err != nil || arns["Orders"] != "arn:aws:dynamodb:eu-west-1:111122223333:table/Orders" || asked != len(states) {
		t.Errorf("expected the table's ARN after %d questions, found %v, %v after %d", len(states), arns, err, asked)
	}
}
