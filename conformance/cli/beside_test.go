//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
)

// behindEach stands in front of an engine and calls after behind every answer to one of
// the operations, before the client gets it.
func behindEach(t *testing.T, engineURL string, after func(), operations ...string) string {
	t.Helper()
	proxy := inFrontOf(t, engineURL)
	proxy.ModifyResponse = func(answer *http.Response) error {
		for _, operation := range operations {
			if strings.HasSuffix(answer.Request.Header.Get("X-Amz-Target"), "."+operation) {
				after()
			}
		}
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

var writing = []string{"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"}

func decoded(t *testing.T, text string) map[string]types.AttributeValue {
	t.Helper()
	item, err := attributevalue.UnmarshalMapJSON([]byte(text))
	require.NoError(t, err, text)
	return item
}

// inShared puts production's items into those index partitions that readers of a design
// share by their form. The address stands in front of the engine: behind every write that
// goes through it the documented queries of these partitions are sent to the engine.
// invisible checks, after the run, that they always showed what they showed before.
func inShared(t *testing.T, engineURL, design string) (url string, invisible func(*child)) {
	t.Helper()
	type query struct{ index, attribute, value string }
	row, known := map[string]struct {
		table   string
		items   []string
		queries []query
	}{
		"osem-ladders": {"osem-dev-ConfigVersions", []string{`{"configId":{"S":"production"},"isActive":{"N":"1"},"createdAt":{"N":"1"},"version":{"S":"9.9.9"}}`},
			[]query{{"isActive-index", "isActive", `{"N":"1"}`}, {"isActive-index", "isActive", `{"N":"0"}`}}},
		"fus-main": {"fus-main", []string{`{"PK":{"S":"SITE#production"},"SK":{"S":"METADATA"},"entityType":{"S":"SITE"},"entitySk":{"S":"SITE#production"}}`, `{"PK":{"S":"SITE#production"},"SK":{"S":"TAG#javascript"},"tag":{"S":"javascript"},"siteId":{"S":"SITE#production"}}`},
			[]query{{"byEntity", "entityType", `{"S":"SITE"}`}, {"byEntity", "entityType", `{"S":"GROUP"}`}, {"byTag", "tag", `{"S":"javascript"}`}, {"byTag", "tag", `{"S":"react"}`}, {"byStars", "starRating", `{"N":"5"}`}}},
		"personal-os": {"personal-os-dev", []string{`{"pk":{"S":"USER#production"},"sk":{"S":"TASK#production"},"gsi1pk":{"S":"TASK"},"gsi1sk":{"S":"todo#2026"},"gsi2pk":{"S":"Health"},"gsi2sk":{"S":"TASK#2026"}}`},
			[]query{{"GSI1", "gsi1pk", `{"S":"TASK"}`}, {"GSI1", "gsi1pk", `{"S":"GOAL"}`}, {"GSI2", "gsi2pk", `{"S":"Health"}`}, {"GSI2", "gsi2pk", `{"S":"Work"}`}, {"GSI2", "gsi2pk", `{"S":"Career"}`}}},
	}[design]
	if !known {
		return engineURL, func(*child) {}
	}
	for _, item := range row.items {
		store(t, engineURL, row.table, decoded(t, item))
	}
	api := client(engineURL)
	look := func() string {
		var seen []string
		for _, q := range row.queries {
			answer, err := api.Query(t.Context(), &dynamodb.QueryInput{
				TableName: aws.String(row.table), IndexName: aws.String(q.index), KeyConditionExpression: aws.String("#p = :p"),
				ExpressionAttributeNames: map[string]string{"#p": q.attribute}, ExpressionAttributeValues: decoded(t, `{":p":`+q.value+`}`),
			})
			if err != nil {
				t.Error(err)
				return ""
			}
			for _, item := range answer.Items {
				seen = append(seen, q.index+" "+q.value+" "+canonical(t, item))
			}
		}
		return strings.Join(seen, "\n")
	}
	before, looks, shown := look(), 0, ""
	require.Contains(t, before, "production")
	var one sync.Mutex
	url = behindEach(t, engineURL, func() {
		one.Lock()
		defer one.Unlock()
		looks++
		if seen := look(); seen != before && shown == "" {
			shown = seen
		}
	}, writing...)
	return url, func(c *child) {
		t.Helper()
		if looks == 0 || shown != "" {
			t.Errorf("expected what was there behind each of %d writes:\n%s\nfound:\n%s", looks, before, shown)
		}
		says(t, "plan", c.stderr.String(), "Not told there:", "readers share by its form", "no condition for \"and no further attribute\"")
	}
}

// The environment's name is wanted before anything is asked of the tables, and no other
// word will do.
func TestExistingWantsTheNameOfTheEnvironment(t *testing.T) {
	t.Parallel()
	reached := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(server.Close)
	for name, args := range map[string][]string{
		"nothing": nil, "--yes": {"--yes"}, "yes": {"--confirm", "yes"}, "another environment": {"--confirm", "prod"},
	} {
		t.Run(name, func(t *testing.T) {
			c := run(t, "", 2, append([]string{"verify", "osem-ladders", "--existing", "--env", "dev", "--endpoint", server.URL}, args...)...)
			says(t, "error", c.stderr.String(), "verify --existing: expected", "nothing was written", "Not told there:")
		})
	}
	run(t, "", 2, "verify", "osem-ladders", "--confirm", "dev").oneError(t, "--confirm: expected it with --existing alone")
	assert.False(t, reached, "expected nothing to be asked of the tables before the name was given")
}

// A run was killed while an update was on its way. Somebody then puts an item of their own
// under its key, or adds to the run's: clean-up leaves both and names them.
func TestExistingKilledInAnUpdate(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(ours map[string]types.AttributeValue) map[string]types.AttributeValue{
		"somebody's item": func(ours map[string]types.AttributeValue) map[string]types.AttributeValue {
			return map[string]types.AttributeValue{"PK": ours["PK"], "SK": ours["SK"], "customer": &types.AttributeValueMemberS{Value: "precious"}}
		},
		"somebody's attribute": func(ours map[string]types.AttributeValue) map[string]types.AttributeValue {
			ours["customer"] = &types.AttributeValueMemberS{Value: "precious"}
			return ours
		},
	} {
		t.Run(name, func(t *testing.T) {
			engineURL, folder := engine(t).URL(), t.TempDir()
			makeTables(t, engineURL, "roll-model")
			empty := everything(t, engineURL)
			url, lines := killedAt(t, engineURL, folder, "UpdateItem")
			var last struct {
				Change    string
				Key, Item json.RawMessage
			}
			if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil || last.Change != "update" || len(last.Item) == 0 {
				t.Fatalf("expected the announced update, with what it makes, as the journal's last line, found %s: %v", lines[len(lines)-1], err)
			}
			key := decoded(t, string(last.Key))
			found, err := client(engineURL).GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("RollModel"), Key: key})
			if err != nil || found.Item == nil {
				t.Fatalf("expected the run's item before the update, found %v, %v", found, err)
			}
			theirs := change(found.Item)
			store(t, engineURL, "RollModel", theirs)
			stopped := run(t, folder, 3, "cleanup", "roll-model", "--endpoint", url)
			says(t, "error", stopped.stderr.String(), "found 1 that somebody changed since", "left as they are")
			same(t, "the tables, and somebody's item", empty+"\nRollModel "+canonical(t, theirs), everything(t, engineURL))
		})
	}
}

// An item that somebody writes while a run goes on, into a partition that was free, makes
// no claim fail, and nothing of it is kept anywhere.
func TestExistingMeetsALateItem(t *testing.T) {
	t.Parallel()
	engineURL, folder := engine(t).URL(), t.TempDir()
	makeTables(t, engineURL, "roll-model")
	var written sync.Mutex
	partition := &types.AttributeValueMemberS{Value: "USER#athlete-123"} // which many patterns read
	secret := map[string]types.AttributeValue{}
	url := behindEach(t, engineURL, func() {
		written.Lock()
		defer written.Unlock()
		page, err := client(engineURL).Query(t.Context(), &dynamodb.QueryInput{
			TableName: aws.String("RollModel"), KeyConditionExpression: aws.String("PK = :pk"), ExpressionAttributeValues: map[string]types.AttributeValue{":pk": partition},
		})
		if err != nil {
			t.Errorf("expected the items of the run, found %v", err)
		} else if len(page.Items) > 0 && len(secret) == 0 {
			secret["PK"], secret["SK"] = partition, &types.AttributeValueMemberS{Value: "customer#late@example.org"}
			secret["passwordHash"] = &types.AttributeValueMemberS{Value: "SECRET-HASH"}
			store(t, engineURL, "RollModel", secret)
		}
	}, "PutItem")
	c := run(t, folder, 0, "verify", "roll-model", "--endpoint", url, "--existing", "--env", "dev", "--confirm", "dev", "--unsupported", "DescribeContinuousBackups")
	met := 0
	for _, result := range read(t, c).Results() {
		if result.Verdict == evidence.Unsupported && strings.Contains(result.Problems[0].Found, "somebody else wrote during the run") {
			met++
		}
	}
	if met == 0 {
		t.Error("expected claims that meet the item to be unsupported for it, found none")
	}
	keepsNothing(t, folder, c, "SECRET-HASH", "late@example.org")
	left := everything(t, engineURL)
	if !strings.Contains(left, "SECRET-HASH") || strings.Count(left, "\n") != 1 {
		t.Errorf("expected their item alone to be left, found %s", left)
	}
}

// keepsNothing checks that no file and no line of a run holds any of the words.
func keepsNothing(t *testing.T, folder string, c *child, words ...string) {
	t.Helper()
	texts := map[string][]byte{"standard output": c.stdout.Bytes(), "standard error": c.stderr.Bytes()}
	for _, path := range files(t, folder) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		texts[path] = text
	}
	if len(texts) < 6 {
		t.Errorf("expected reports of the run, found %d files", len(texts)-2)
	}
	for path, text := range texts {
		for _, word := range words {
			if bytes.Contains(text, []byte(word)) {
				t.Errorf("%s: expected nothing of somebody else's, found %s", path, word)
			}
		}
	}
}
