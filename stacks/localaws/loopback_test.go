package localaws

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// The provider sends nothing off this machine: not where a name resolves elsewhere, and not
// where an endpoint sends it.
func TestClientStaysOnLoopback(t *testing.T) {
	asked := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer elsewhere.Close()
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer engine.Close()
	ask := func(endpoint string) error {
		api := newClient(config{Endpoint: endpoint, Region: "us-east-1", AccessKey: "test", SecretKey: "test"}, nil).api
		_, err := api.ListTables(t.Context(), &dynamodb.ListTablesInput{}, func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
		return err
	}
	if err := ask(engine.URL); err == nil || asked > 0 {
		t.Errorf("expected a redirect not to be followed, found %v and %d requests", err, asked)
	}
	if err := ask("http://192.0.2.1:8000"); err == nil || !strings.Contains(err.Error(), "expected an address on loopback") {
		t.Errorf("expected a connection off this machine to be refused, found %v", err)
	}
}

// What a gateway answers in the endpoint's place is an error, and not a table without properties.
func TestStrangeAnswersAreErrors(t *testing.T) {
	for _, body := range []string{``, `{}`, `{"Table":{}}`, `{"Table":{"TableStatus":"ACTIVE"}}`} {
		engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		c := newClient(config{Endpoint: engine.URL, Region: "us-east-1", AccessKey: "test", SecretKey: "test"}, nil)
		if found, err := c.describe(t.Context(), "t"); err == nil || !strings.Contains(err.Error(), "look for what answers") {
			t.Errorf("DescribeTable %q: expected an error, found %v, %v", body, found, err)
		}
		if err := c.readTTL(t.Context(), &live{}); err == nil || !strings.Contains(err.Error(), "look for what answers") {
			t.Errorf("DescribeTimeToLive %q: expected an error, found %v", body, err)
		}
		engine.Close()
	}
}

// Pages of tags that end at two places by turns end at the third.
func TestTagsThatGoRound(t *testing.T) {
	asked := 0
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked > 9 {
			panic(http.ErrAbortHandler)
		}
		_, _ = fmt.Fprintf(w, `{"Tags":[{"Key":"a","Value":"b"}],"NextToken":"%d"}`, asked%2)
	}))
	defer engine.Close()
	c := newClient(config{Endpoint: engine.URL, Region: "us-east-1", AccessKey: "test", SecretKey: "test"}, nil)
	if err := c.readTags(t.Context(), &live{}); asked != 3 || err == nil || !strings.Contains(err.Error(), "one that ends where another did") {
		t.Errorf("expected an error at the third page, found %v after %d", err, asked)
	}
}

// A table that somebody makes of the name of one that was deleted is neither waited for nor deleted, also where the answer to the
// deletion was lost.
func TestADeletionMeetsNoOtherTable(t *testing.T) {
	for _, answered := range []bool{true, false} {
		made, deletions := "ours", 0
		engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			if strings.HasSuffix(request.Header.Get("X-Amz-Target"), ".DeleteTable") {
				made, deletions = "theirs", deletions+1
				if !answered {
					panic(http.ErrAbortHandler)
				}
			}
			_, _ = fmt.Fprintf(w, `{"Table":{"TableName":"t","TableId":%q,"TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}}`, made)
		}))
		c := newClient(config{Endpoint: engine.URL, Region: "us-east-1", AccessKey: "test", SecretKey: "test"}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := c.remove(ctx, "t", ""); err != nil || deletions != 1 {
			t.Errorf("answered %v: expected one deletion, and no wait for somebody's table, found %d, %v", answered, deletions, err)
		}
		cancel()
		engine.Close()
	}
}
