package scale

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
)

// slow is an engine that does the first half of each batch and leaves the rest.
type slow struct {
	t *testing.T
	// times says how often each item was written, or deleted where it is negative.
	times map[string]int
	asked int
}

type slowKey struct {
	ID struct{ S string } `json:"id"`
}

func (s *slow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	assert.NoError(s.t, err)
	s.asked++
	answer := map[string]any{}
	var request struct {
		RequestItems map[string][]struct {
			PutRequest    *struct{ Item slowKey }
			DeleteRequest *struct{ Key slowKey }
		}
	}
	assert.NoError(s.t, json.Unmarshal(body, &request))
	writes := request.RequestItems["deployed"]
	done := (len(writes) + 1) / 2
	var left []any
	for i, write := range writes {
		switch {
		case i >= done && write.PutRequest != nil:
			left = append(left, map[string]any{"PutRequest": write.PutRequest})
		case i >= done:
			left = append(left, map[string]any{"DeleteRequest": write.DeleteRequest})
		case write.PutRequest != nil:
			s.times[write.PutRequest.Item.ID.S]++
		default:
			s.times[write.DeleteRequest.Key.ID.S]--
		}
	}
	if len(left) > 0 {
		answer["UnprocessedItems"] = map[string]any{"deployed": left}
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	assert.NoError(s.t, json.NewEncoder(w).Encode(answer))
}

// What an engine leaves unprocessed is written and deleted in further
// requests: none is lost and none is sent twice.
func TestBatchesThatAreDoneByHalves(t *testing.T) {
	engine := &slow{t: t, times: map[string]int{}}
	server := httptest.NewServer(engine)
	t.Cleanup(server.Close)
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(server.URL), Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
	table := &accesspatterns.Table{ID: "Things", PartitionKey: accesspatterns.Key{Attribute: "id", Type: dynamo.String}}
	var items []accesspatterns.Item
	once, never := map[string]int{}, map[string]int{}
	for i := range 30 {
		id := fmt.Sprint("item", i)
		items = append(items, accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: id}})
		once[id], never[id] = 1, 0
	}
	require.NoError(t, putAll(t.Context(), client, "deployed", items))
	require.NoError(t, deleteAll(t.Context(), client, "deployed", table, items))
	assert.Empty(t, cmp.Diff(never, engine.times), "what is left of each item (-want +got)")
	if engine.asked < 12 {
		t.Errorf("expected what was left in further requests, found %d requests", engine.asked)
	}
}
