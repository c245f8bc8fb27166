package replay

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
)

// On AWS a run's tag and path are put on what it creates; what deploys puts them beside those of the program. Elsewhere nothing is.
func TestRunTagIsAskedFor(t *testing.T) {
	account := &target.Account{ID: "111122223333"}
	run := &Replay{places: map[string]*place{}, cloud: account, id: "0123", evidence: evidence.Run{}, options: Options{Environment: "dev", Region: "eu-west-1"}}
	run.target = account
	design := designs.All()[0]
	asked := run.stackOptions(design)
	if d := cmp.Diff(map[string]string{RunTag: run.runTag()}, asked.Tags); d != "" || asked.PolicyPath != "/dynaproof/run/0123/" {
		t.Errorf("expected the run's tag and path, found %v and %q", asked.Tags, asked.PolicyPath)
	}
}

// An account is opened in the region that the documents fix, where all that are chosen fix the same.
func TestCloudRegion(t *testing.T) {
	for _, row := range []struct {
		names       []string
		given, want string
		refused     bool
	}{
		{[]string{"commit-collect"}, "", "ap-southeast-2", false},
		{[]string{"commit-collect"}, "ap-southeast-2", "ap-southeast-2", false},
		{[]string{"commit-collect"}, "us-east-1", "", true},
		{[]string{"fus-main"}, "", "", false},
		{[]string{"fus-main"}, "us-east-1", "us-east-1", false},
		{[]string{"commit-collect", "fus-main"}, "", "", false},
		{[]string{"fus-main", "commit-collect"}, "us-east-1", "", true},
		{nil, "", "", false},
		{nil, "us-east-1", "us-east-1", false},
	} {
		region, err := CloudRegion(row.names, row.given)
		if region != row.want || errors.As(err, new(ConfigError)) != row.refused {
			t.Errorf("%v, given %q: expected %q, refused %t, found %q, %v", row.names, row.given, row.want, row.refused, region, err)
		}
	}
}

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
