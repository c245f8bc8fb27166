package target

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/tabletest"
)

// An answer that lacks what DynamoDB always says, or that is not the one its checksum was made of, is none.
func TestStrangeAnswers(t *testing.T) {
	type row struct {
		Name    string
		Ask     string
		Body    string
		Header  string
		Strange bool
	}
	requests := tabletest.Read[map[string]map[string]any](t, "requests.yaml")
	for _, row := range append(tabletest.Read[[]row](t, "answers.yaml"), row{Name: "an answer in gzip", Ask: "get", Body: "\x1f\x8b\x08", Strange: true}) {
		t.Run(row.Name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if row.Header != "" {
					w.Header().Set("X-Amz-Crc32", row.Header)
				}
				_, _ = w.Write([]byte(row.Body))
			}))
			defer server.Close()
			input, err := designtest.Input(requests[row.Ask])
			require.NoError(t, err)
			_, err = designtest.Send(t.Context(), NewClient(server.URL, "eu-west-1"), input)
			var strange *StrangeAnswer
			if errors.As(err, &strange) != row.Strange || err != nil && !row.Strange {
				t.Errorf("expected strange %t, found %v", row.Strange, err)
			}
		})
	}
}

// What is in the way and keeps answers serves one again, of success or refusal, with the id of its request.
func TestAnAnswerThatIsServedAgain(t *testing.T) {
	id, status := "", 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amzn-RequestId", id)
		w.Header().Set("X-Amzn-ErrorType", "ConditionalCheckFailedException")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{}`))
	}))
	defer server.Close()
	client := NewClient(server.URL, "eu-west-1")
	for i, row := range []struct {
		id      string
		status  int
		strange bool
	}{{"a", 200, false}, {"b", 400, false}, {"c", 200, false}, {"a", 200, true}, {"b", 400, true}, {"c", 400, true}, {"", 200, false}, {"", 200, false}, {"d", 200, false}} {
		id, status = row.id, row.status
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("t"), Item: map[string]types.AttributeValue{}})
		if _, strange := errors.AsType[*StrangeAnswer](err); strange != row.strange {
			t.Errorf("answer %d, %s: expected strange %t, found %v", i, row.id, row.strange, err)
		}
	}
	known := &requestIDs{}
	for i := range 1 << 16 {
		if known.again(strconv.Itoa(i)) {
			t.Fatalf("expected %d to be new", i)
		}
	}
	if !known.again(strconv.Itoa(1<<15)) || len(known.recent)+len(known.older) > 1<<16 {
		t.Errorf("expected the last 32768 ids to be known, and no more than 65536 to be kept, found %d", len(known.recent)+len(known.older))
	}
}

// TestPagesThatGoRound follows pages that end at two places by turns, which no page alone tells.
func TestPagesThatGoRound(t *testing.T) {
	for operation, body := range map[string]string{"ListTables": `{"TableNames":["t"],"LastEvaluatedTableName":"%d"}`, "ListTagsOfResource": `{"Tags":[],"NextToken":"%d"}`} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, body, asked%2)
			asked++
		}))
		defer server.Close()
		var err error
		if client := NewClient(server.URL, "eu-west-1"); operation == "ListTables" {
			_, err = TableNames(t.Context(), client)
		} else {
			_, err = TableTags(t.Context(), client, "arn")
		}
		if _, strange := errors.AsType[*StrangeAnswer](err); !strange || asked != 3 {
			t.Errorf("%s: expected a strange answer at the third page, found %v after %d", operation, err, asked)
		}
	}
}

// Pages each of which ends somewhere else come to an end too.
func TestPagesWithoutAnEnd(t *testing.T) {
	ends, n := Ends{}, 0
	for ; n <= 20_000 && ends.Add("ListTables", strconv.Itoa(n)) == nil; n++ {
	}
	assert.Equal(t, 10_000, n)
}
