package suite

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/test/standin"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// unwritten is a journal of a run that must not write.
type unwritten struct{ t *testing.T }

func (u unwritten) Announce(entries ...safewrite.Entry) error {
	u.t.Errorf("expected no write, found one announced: %v", entries)
	return nil
}

func (u unwritten) Settle(...safewrite.Entry) error { return nil }

// Where somebody follows what is written to a table that is there already, by a stream,
// in Kinesis or in another region, nothing is written; and nothing is where it cannot
// be told whether somebody does.
func TestNothingIsWrittenWhereSomebodyFollows(t *testing.T) {
	design, err := designs.Find("roll-model")
	require.NoError(t, err)
	set, err := fixtures.Load(design.Name, time.Now())
	require.NoError(t, err)
	const none = `{"KinesisDataStreamDestinations":[]}`
	for _, row := range []struct{ name, table, kinesis, want string }{
		{"a stream", `,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}`, none, "RollModel with a stream"},
		{"a replica", `,"Replicas":[{"RegionName":"eu-central-1","ReplicaStatus":"ACTIVE"}]`, none, "RollModel with replicas"},
		{"a replica that is being made", `,"Replicas":[{"RegionName":"eu-central-1","ReplicaStatus":"CREATING"}]`, none, "RollModel with replicas"},
		{"Kinesis", "", `{"KinesisDataStreamDestinations":[{"StreamArn":"arn:aws:kinesis:r:1:stream/s","DestinationStatus":"ACTIVE"}]}`, "RollModel with a Kinesis destination"},
		{"Kinesis, which is being switched on", "", `{"KinesisDataStreamDestinations":[{"DestinationStatus":"DISABLED"},{"DestinationStatus":"ENABLING"}]}`, "RollModel with a Kinesis destination"},
		{"all of them", `,"StreamSpecification":{"StreamEnabled":true},"Replicas":[{}]`, `{"KinesisDataStreamDestinations":[{"DestinationStatus":"ACTIVE"}]}`, "RollModel with a stream, RollModel with replicas, RollModel with a Kinesis destination"},
		{"nobody may ask about Kinesis", "", "", "asking who follows table RollModel before the first write"},
		{"what was switched off", `,"StreamSpecification":{"StreamEnabled":false}`, `{"KinesisDataStreamDestinations":[{"DestinationStatus":"DISABLED"}]}`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			var mu sync.Mutex
			var operations []string
			service := standin.Service(func(w http.ResponseWriter, operation, asked string) {
				mu.Lock()
				operations = append(operations, operation)
				mu.Unlock()
				switch {
				case operation == "DescribeTable":
					described(row.table)(w, operation, asked)
				case operation == "DescribeKinesisStreamingDestination" && row.kinesis != "":
					_, _ = io.WriteString(w, row.kinesis)
				default: // whatever comes behind the look is refused
					refuse(w, "AccessDeniedException", "not authorized to perform: dynamodb:"+operation)
				}
			})
			_, err := session.Open(t.Context(), session.Input{
				Design: design, Fixtures: set, Environment: "dev", Ledger: ledgertest.Entries{}, Grade: evidence.AWS, Existing: unwritten{t}, Account: "111122223333",
				Deployment: session.Deployment{Region: "eu-west-1", Tables: map[string]string{"RollModel": "RollModel"}},
				Endpoint:   standin.Address, Transport: service,
			})
			switch {
			case row.want == "" && err != nil && strings.Contains(err.Error(), "whose writes nobody follows"):
				t.Errorf("expected nobody to follow, found %v", err)
			case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
				t.Errorf("expected an error with %q, found %v", row.want, err)
			}
			for _, operation := range operations {
				if strings.Contains(operation, "Write") || strings.HasPrefix(operation, "Put") || strings.HasPrefix(operation, "Update") || strings.HasPrefix(operation, "Delete") {
					t.Errorf("expected no write, found %s", operation)
				}
			}
		})
	}
}
