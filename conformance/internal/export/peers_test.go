package export_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/contract/importer"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/guard"
	"dynaproof/conformance/internal/export"
	"dynaproof/fixtures"
)

// peer runs a verb of testdata/peers.py with the Python that has AWS's modelling server.
func peer(t *testing.T, verb, folder string, environment ...string) {
	t.Helper()
	python := os.Getenv("DYNAPROOF_PEERS")
	if python == "" {
		t.Skip("AWS's modelling server is not here: `make peers` fetches it from the Python registry, and aws-cdk from npm")
	}
	script, err := filepath.Abs("testdata/peers.py")
	require.NoError(t, err)
	run(t, folder, environment, python, script, verb, folder)
}

func run(t *testing.T, folder string, environment []string, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = folder, append(os.Environ(), environment...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(append([]string{name}, args...), " "), err, out)
	}
}

func writeJSON(t *testing.T, folder, name string, model any) {
	t.Helper()
	text, err := json.MarshalIndent(model, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name), text, 0o600)
	}
	require.NoError(t, err)
}

// AWS's own tools take what is exported, and what they make of it is imported again: a CDK app of the data model has the contract's
// tables but for what export says it has no room for, and what the server's own generator writes of the schema passes the guard.
func TestPeers(t *testing.T) {
	for _, design := range designs.All() {
		set, err := fixtures.Load(design.Name, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
		require.NoError(t, err)
		t.Run(design.Name+"/cdk", func(t *testing.T) {
			folder := t.TempDir()
			model, _, err := export.Formats["data-model"](design, set, "dev")
			require.NoError(t, err)
			writeJSON(t, folder, "dynamodb_data_model.json", model)
			peer(t, "cdk", folder)
			app := filepath.Join(folder, "cdk")
			run(t, app, []string{"npm_config_yes=true"}, "npx", "cdk", "synth", "--quiet")
			text, err := os.ReadFile(filepath.Join(app, "cdk.out", "CdkStack.template.json"))
			require.NoError(t, err)
			result, err := importer.Import(design.Name, "", importer.Source{Name: "template.json", Text: text}, nil)
			require.NoError(t, err)
			again, err := contract.Load(folderOf(result.Files))
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(keysOf(design), keysOf(again)), "tables (-contract +synthesized)")
		})
		t.Run(design.Name+"/schema", func(t *testing.T) {
			folder := t.TempDir()
			schema, usage, left, err := export.Schema(design, set, "dev")
			require.NoError(t, err)
			writeJSON(t, folder, "schema.json", schema)
			writeJSON(t, folder, "usage_data.json", usage)
			peer(t, "schema", folder)
			var mu sync.Mutex
			sent := map[string][]any{}
			wire := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
				input, err := generated(operation, r.Body)
				if err != nil {
					http.Error(w, err.Error(), http.StatusBadRequest)
					return
				}
				mu.Lock()
				sent[operation] = append(sent[operation], input)
				mu.Unlock()
				w.Header().Set("Content-Type", "application/x-amz-json-1.0")
				_, _ = w.Write([]byte("{}"))
			}))
			defer wire.Close()
			peer(t, "requests", folder, "AWS_ENDPOINT_URL_DYNAMODB="+wire.URL, "AWS_REGION=eu-west-1", "AWS_DEFAULT_REGION=eu-west-1", "AWS_ACCESS_KEY_ID=none", "AWS_SECRET_ACCESS_KEY=none")
			judge, err := guard.New(design, guard.AnyRole(), guard.InEnvironment("dev"))
			require.NoError(t, err)
			text, _ := json.Marshal(schema)
			for _, operation := range []string{"GetItem", "PutItem", "DeleteItem"} {
				if asked := strings.Contains(string(text), `"operation":"`+operation+`"`); asked != (len(sent[operation]) > 0) {
					t.Errorf("%s: in the schema %t, %d sent", operation, asked, len(sent[operation]))
				}
				for _, input := range sent[operation] {
					_, err := judge.Check(t.Context(), input)
					if put, is := input.(*dynamodb.PutItemInput); is {
						assert.Error(t, err, "expected the guard to refuse what export tells of, found that it lets %v pass", put.Item)
						asDocumented(t, design, set, put, left)
						_, err = judge.Check(t.Context(), put)
					}
					assert.NoError(t, err, "expected the guard to let the generated request pass")
				}
			}
		})
	}
}

// generated is a request of a generated repository.
func generated(operation string, body io.Reader) (any, error) {
	var of struct {
		TableName                            string
		Key, Item, ExpressionAttributeValues json.RawMessage
		ConditionExpression                  *string
	}
	problem := json.NewDecoder(body).Decode(&of)
	decoded := func(text json.RawMessage) (item accesspatterns.Item) {
		if len(text) > 0 {
			made, err := attributevalue.UnmarshalMapJSON(text)
			item, problem = made, errors.Join(problem, err)
		}
		return item
	}
	switch operation {
	case "GetItem":
		return &dynamodb.GetItemInput{TableName: &of.TableName, Key: decoded(of.Key)}, problem
	case "DeleteItem":
		return &dynamodb.DeleteItemInput{TableName: &of.TableName, Key: decoded(of.Key), ConditionExpression: of.ConditionExpression}, problem
	case "PutItem":
		return &dynamodb.PutItemInput{
			TableName: &of.TableName, Item: decoded(of.Item), ConditionExpression: of.ConditionExpression, ExpressionAttributeValues: decoded(of.ExpressionAttributeValues),
		}, problem
	}
	return nil, fmt.Errorf("expected GetItem, PutItem or DeleteItem, found %s", operation)
}

// asDocumented takes out of a generated put what export tells that the contract does not have, and nothing else: fields that are parts of keys
// alone, the version with its condition, and lists in place of sets.
func asDocumented(t *testing.T, design *accesspatterns.Design, set *fixtures.Set, put *dynamodb.PutItemInput, left []string) {
	t.Helper()
	at := slices.IndexFunc(design.Tables, func(table accesspatterns.Table) bool { return table.Name.In("dev") == *put.TableName })
	table := &design.Tables[at]
	entity := design.EntitiesOf(table.ID, put.Item)[0]
	told := func(form string) bool {
		return slices.ContainsFunc(left, func(line string) bool {
			matches, err := regexp.MatchString("^"+entity.ID+": "+form, line)
			return matches && err == nil
		})
	}
	if put.ExpressionAttributeValues != nil {
		put.ConditionExpression, put.ExpressionAttributeValues = nil, nil
	}
	for name, value := range put.Item {
		kind, known := entity.TypeOf(name)
		list, isList := value.(*types.AttributeValueMemberL)
		switch {
		case name == "version" && known && told("(.*; )?a generated repository sets version"):
			stored := slices.IndexFunc(set.Items, func(item fixtures.Item) bool {
				return item.Entity == entity.ID && evaluate.KeyText(table, item.Item) == evaluate.KeyText(table, put.Item)
			})
			put.Item[name] = set.Items[stored].Item[name]
		case !known && told("a generated repository writes (.*, )?"+name+", "):
			delete(put.Item, name)
		case isList && kind == dynamo.StringSet && told("attribute "+name+" of type SS, which is written as a list"):
			members := &types.AttributeValueMemberSS{}
			for _, member := range list.Value {
				members.Value = append(members.Value, dynamo.ScalarText(member))
			}
			put.Item[name] = members
		}
	}
}

// keysOf are the keys, indexes and times to live of a design's tables, in order and without their names: CDK gives them others.
func keysOf(design *accesspatterns.Design) (all []string) {
	for i := range design.Tables {
		table := &design.Tables[i]
		text := table.ShowKey()
		for j := range table.Indexes {
			index := &table.Indexes[j]
			text += "; " + index.Name + " " + index.ShowKey() + " " + string(index.Projection) + " " + strings.Join(index.NonKeyAttributes, ",")
		}
		if table.TTL != nil {
			text += "; " + table.TTL.Attribute
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}
