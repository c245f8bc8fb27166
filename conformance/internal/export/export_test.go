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
	"testing/fstest"
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
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/export"
	"dynaproof/fixtures"
)

// What is exported and imported again has the same tables, keys, indexes and items,
// and of the data model every access pattern that it can try.
func TestExportedIsImportedAgain(t *testing.T) {
	for _, design := range designs.All() {
		set, err := fixtures.Load(design.Name, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
		require.NoError(t, err)
		for name, write := range export.Formats {
			t.Run(design.Name+"/"+name, func(t *testing.T) {
				model, _, err := write(design, set, "dev")
				require.NoError(t, err)
				text, err := json.MarshalIndent(model, "", "  ")
				require.NoError(t, err)
				result, err := importer.Import(design.Name, "", importer.Source{Name: "model.json", Text: text}, nil)
				require.NoError(t, err)
				again, err := contract.Load(folderOf(result.Files))
				require.NoError(t, err)
				assert.Empty(t, cmp.Diff(shapes(design, "dev"), shapes(again, "dev")), "tables (-before +after)")
				var items []fixtures.Item
				require.NoError(t, json.Unmarshal(result.Files["items.json"], &items))
				assert.Empty(t, cmp.Diff(shown(set.Items), shown(items)), "items (-before +after)")
				assert.NotContains(t, strings.Join(result.Notes, "\n"), "is of type S, and not in every item", "expected each attribute with a type of its items")
				if name != "data-model" {
					return
				}
				notes := strings.Join(result.NotCheckable, "\n")
				assert.Len(t, design.Patterns, result.Listed)
				assert.Len(t, design.Patterns, result.Reads+result.Writes+len(result.NotCheckable), "expected each access pattern to be imported or not checkable")
				assert.Equal(t, accesspatterns.Level("writes"), result.Level)
				requests := implementations(t, model)
				repeated := implementations(t, exported(t, again, result.Files))
				kept, written, moved := 0, 0, 0
				for i := range design.Patterns {
					before := &design.Patterns[i]
					at := slices.IndexFunc(again.Patterns, func(p accesspatterns.Pattern) bool { return p.Title == before.Title })
					switch noted := strings.Contains(notes, before.Title); {
					case at < 0 && !noted:
						t.Errorf("pattern %s is neither there nor noted", before.ID)
					case at >= 0:
						kept++
						// A write that the source's items do not try as it stands is tried with another key.
						if got, want := repeated[before.Title], requests[before.Title]; before.OnlyRead() == nil {
							written++
							if !slices.Equal(got, want) {
								if moved++; moved > 1 || len(got) != len(want) {
									t.Errorf("pattern %s: expected\n%s, found\n%s", before.ID, want, got)
								}
							}
							break
						}
						assert.Equal(t, condition(before.OnlyRead()), condition(again.Patterns[at].OnlyRead()), "pattern %s", before.ID)
					}
				}
				assert.NotZero(t, kept, "expected reads and writes that come through")
				assert.NotZero(t, written, "expected writes that come through")
			})
		}
	}
}

// What is exported as a schema is imported again with its tables and all its access patterns.
func TestExportedSchemaIsImportedAgain(t *testing.T) {
	for _, design := range designs.All() {
		set, err := fixtures.Load(design.Name, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
		require.NoError(t, err)
		schema, usage, left, err := export.Schema(design, set, "dev")
		require.NoError(t, err)
		text, wrong := json.Marshal(schema)
		samples, err := json.Marshal(usage)
		require.NoError(t, errors.Join(wrong, err))
		result, err := importer.Import(design.Name, "", importer.Source{Name: "schema.json", Text: text}, &importer.Source{Name: "usage_data.json", Text: samples})
		require.NoError(t, err, design.Name)
		told := 0
		for _, line := range left {
			if strings.HasPrefix(line, "access pattern ") {
				told++
			}
		}
		assert.Len(t, design.Patterns, result.Listed+told, "%s: expected each access pattern exported or told", design.Name)
		assert.Equal(t, result.Listed, result.Reads+result.Writes, "%s: expected each to be imported, found not %v", design.Name, result.NotCheckable)
	}
}

// What a table promises beside its keys is exported, or told as left out.
func TestSettingsAndLocalIndexes(t *testing.T) {
	table := accesspatterns.Table{
		ID: "Tab", Name: "Tab", PartitionKey: accesspatterns.Key{Attribute: "a", Type: dynamo.String}, SortKey: &accesspatterns.Key{Attribute: "b", Type: dynamo.String},
		Indexes: []accesspatterns.Index{{
			Name: "several", PartitionKey: accesspatterns.Key{Attribute: "d", Type: dynamo.String}, MorePartition: []accesspatterns.Key{{Attribute: "e", Type: dynamo.Number}},
			SortKey: &accesspatterns.Key{Attribute: "b", Type: dynamo.String}, MoreSort: []accesspatterns.Key{{Attribute: "c", Type: dynamo.Number}}, Projection: dynamo.ProjectAll,
		}, {
			Name: "local", Local: true, PartitionKey: accesspatterns.Key{Attribute: "a", Type: dynamo.String}, SortKey: &accesspatterns.Key{Attribute: "c", Type: dynamo.Number},
			Projection: dynamo.ProjectKeysOnly,
		}},
		Billing: dynamo.Provisioned, Units: &accesspatterns.Capacity{ReadUnits: 3, WriteUnits: 4}, Stream: &accesspatterns.StreamPromise{View: "KEYS_ONLY"},
		Protection: &accesspatterns.Promise{}, Class: &accesspatterns.ClassPromise{Class: "STANDARD_INFREQUENT_ACCESS"},
	}
	design := &accesspatterns.Design{Name: "d", Tables: []accesspatterns.Table{table}}
	model, left, err := export.Formats["data-model"](design, &fixtures.Set{}, "dev")
	require.NoError(t, err)
	assert.Equal(t, []string{"Tab: capacity of index several, which the contract leaves open, and which is that of the table"}, left)
	text, err := json.Marshal(model)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"IndexName":"several","KeySchema":[{"AttributeName":"d","KeyType":"HASH"},{"AttributeName":"e","KeyType":"HASH"},{"AttributeName":"b","KeyType":"RANGE"},{"AttributeName":"c","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"},"ProvisionedThroughput":{"ReadCapacityUnits":3,"WriteCapacityUnits":4}`)
	assert.Contains(t, string(text), `"items":{},"access_patterns":[]`)
	result, err := importer.Import("d", "", importer.Source{Name: "model.json", Text: text}, nil)
	require.NoError(t, err)
	again, err := contract.Load(fstest.MapFS{"contract.yaml": {Data: result.Files["contract.yaml"]}})
	require.NoError(t, err)
	got := &again.Tables[0]
	require.True(t, got.Stream != nil && got.Protection != nil && got.Class != nil && got.Units != nil && len(got.Indexes) == 2, "expected the same promises, found %+v", got)
	assert.Equal(t, []any{"KEYS_ONLY", table.Class.Class, *table.Units, true}, []any{got.Stream.View, got.Class.Class, *got.Units, got.Indexes[1].Local})
	assert.Equal(t, keysOf(design), keysOf(again))
	design.Entities = []accesspatterns.Entity{
		{ID: "one", Table: "Tab", Attributes: []accesspatterns.Attribute{{Name: "size", Type: dynamo.Number}}},
		{ID: "two", Table: "Tab", Attributes: []accesspatterns.Attribute{{Name: "size", Type: dynamo.String}}},
	}
	model, left, err = export.Formats["workbench"](design, &fixtures.Set{}, "dev")
	require.NoError(t, err)
	text, err = json.Marshal(model)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"NonKeyAttributes":[{"AttributeName":"d","AttributeType":"S"},{"AttributeName":"size","AttributeType":"N"}]`, "the keys of an index are among the attributes")
	assert.Equal(t, []string{"Tab: attribute size of two is of type S, which is written as N", "Tab: deletion protection", "Tab: index several, all but the first attribute of each key", "Tab: local index local", "Tab: stream", "Tab: table class"}, left)
	design.Tables[0].Billing, design.Tables[0].Units, design.Tables[0].TTL = "", nil, &accesspatterns.TTL{Attribute: "at"}
	_, left, err = export.Formats["data-model"](design, &fixtures.Set{}, "dev")
	require.NoError(t, err)
	assert.Equal(t, []string{"Tab: time to live, which generate_resources takes, and dynamodb_data_model_validation refuses with its table",
		"Tab: billing mode and capacity, which the contract leaves open, and without which create_table makes no table"}, left)
}

func folderOf(files map[string][]byte) fstest.MapFS {
	folder := fstest.MapFS{}
	for name, text := range files {
		folder[name] = &fstest.MapFile{Data: text}
	}
	return folder
}

// exported is the data model of an imported design.
func exported(t *testing.T, design *accesspatterns.Design, files map[string][]byte) any {
	t.Helper()
	defer designs.Use(designs.Brought{Contract: func() *accesspatterns.Design { return design }, Fixtures: folderOf(files)})()
	set, err := fixtures.Load(design.Name, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	model, _, err := export.Formats["data-model"](design, set, "dev")
	require.NoError(t, err)
	return model
}

var numbered = regexp.MustCompile(`([#:])[nv][0-9]+`)

// implementations are the parts of the command lines of a data model, sorted and without
// the numbers of their placeholders: what is changed comes in another order.
func implementations(t *testing.T, model any) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	lines := tabletest.JQ(t, ".access_patterns | map({(.description): .implementation}) | add", model)
	for description, line := range tabletest.As[map[string]string](t, lines) {
		all[description] = strings.FieldsFunc(numbered.ReplaceAllString(line, "$1"), func(r rune) bool { return strings.ContainsRune(" ,{}[]'", r) })
		slices.Sort(all[description])
	}
	return all
}

// shapes are the tables of a design by deployed name.
func shapes(design *accesspatterns.Design, environment string) map[string]any {
	all := map[string]any{}
	for i := range design.Tables {
		table := &design.Tables[i]
		indexes := map[string]any{}
		for j := range table.Indexes {
			index := &table.Indexes[j]
			indexes[index.Name] = []any{index.Keys(), index.Projection, slices.Sorted(slices.Values(index.NonKeyAttributes))}
		}
		all[table.Name.In(environment)] = []any{table.Keys(), table.Billing, indexes}
	}
	return all
}

// shown are the loaded items, sorted, with their members sorted.
func shown(items []fixtures.Item) (all []string) {
	for _, item := range items {
		if item.Held {
			continue
		}
		all = append(all, dynamo.ShowItem(item.Item))
	}
	slices.Sort(all)
	return all
}

var parameter = regexp.MustCompile(`\{[^}]*\}`)

// condition is the key condition of a read, without the names of its parameters.
func condition(read *accesspatterns.Read) string {
	text := fmt.Sprint(read.Operation, " ", read.Table == "", read.Index, read.Partition.Attribute, " ", read.Order == accesspatterns.Descending)
	if read.Sort != nil {
		text += fmt.Sprint(" ", read.Sort.Attribute, read.Sort.Operator)
	}
	return parameter.ReplaceAllString(text, "{}")
}

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
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s: %v\n%s", strings.Join(append([]string{name}, args...), " "), err, out)
}

func writeJSON(t *testing.T, folder, name string, model any) {
	t.Helper()
	text, err := json.MarshalIndent(model, "", "  ")
	require.NoError(t, errors.Join(err, os.WriteFile(filepath.Join(folder, name), text, 0o600)))
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
				asked := strings.Contains(string(text), `"operation":"`+operation+`"`)
				assert.Equal(t, len(sent[operation]) > 0, asked, "%s: in the schema %t, %d sent", operation, asked, len(sent[operation]))
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
