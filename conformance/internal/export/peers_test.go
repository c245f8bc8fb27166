package export_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/contract/importer"
	"dynaproof/accesspatterns/designs"
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
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
}

// AWS's own tools take what is exported, and what they make of it is imported again: a CDK app of the data model has the contract's
// tables but for what export says it has no room for, and what the server's own generator writes of the schema passes the guard.
func TestPeers(t *testing.T) {
	for _, design := range designs.All() {
		set, err := fixtures.Load(design.Name, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(design.Name+"/cdk", func(t *testing.T) {
			folder := t.TempDir()
			model, _, err := export.Formats["data-model"](design, set, "dev")
			if err != nil {
				t.Fatal(err)
			}
			writeJSON(t, folder, "dynamodb_data_model.json", model)
			peer(t, "cdk", folder)
			app := filepath.Join(folder, "cdk")
			run(t, app, []string{"npm_config_yes=true"}, "npx", "cdk", "synth", "--quiet")
			text, err := os.ReadFile(filepath.Join(app, "cdk.out", "CdkStack.template.json"))
			if err != nil {
				t.Fatal(err)
			}
			result, err := importer.Import(design.Name, "", importer.Source{Name: "template.json", Text: text}, nil)
			if err != nil {
				t.Fatal(err)
			}
			files := fstest.MapFS{}
			for name, text := range result.Files {
				files[name] = &fstest.MapFile{Data: text}
			}
			again, err := contract.Load(files)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(keysOf(design), keysOf(again)); diff != "" {
				t.Errorf("tables (-contract +synthesized):\n%s", diff)
			}
		})
		t.Run(design.Name+"/schema", func(t *testing.T) {
			folder := t.TempDir()
			schema, usage, _, err := export.Schema(design, set, "dev")
			if err != nil {
				t.Fatal(err)
			}
			writeJSON(t, folder, "schema.json", schema)
			writeJSON(t, folder, "usage_data.json", usage)
			peer(t, "schema", folder)
			var mu sync.Mutex
			var sent []*dynamodb.GetItemInput
			wire := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var request struct {
					TableName string
					Key       json.RawMessage
				}
				err := json.NewDecoder(r.Body).Decode(&request)
				key, wrong := attributevalue.UnmarshalMapJSON(request.Key)
				if err != nil || wrong != nil || !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".GetItem") {
					http.Error(w, "expected a GetItem", http.StatusBadRequest)
					return
				}
				mu.Lock()
				sent = append(sent, &dynamodb.GetItemInput{TableName: &request.TableName, Key: key})
				mu.Unlock()
				w.Header().Set("Content-Type", "application/x-amz-json-1.0")
				_, _ = w.Write([]byte("{}"))
			}))
			defer wire.Close()
			peer(t, "reads", folder, "AWS_ENDPOINT_URL_DYNAMODB="+wire.URL, "AWS_REGION=eu-west-1", "AWS_DEFAULT_REGION=eu-west-1", "AWS_ACCESS_KEY_ID=none", "AWS_SECRET_ACCESS_KEY=none")
			judge, err := guard.New(design, guard.AnyRole(), guard.InEnvironment("dev"))
			if err != nil {
				t.Fatal(err)
			}
			for _, input := range sent {
				if _, err := judge.Check(t.Context(), input); err != nil {
					t.Errorf("expected the guard to let the generated request pass, found %v", err)
				}
			}
			text, _ := json.Marshal(schema)
			if gets := strings.Count(string(text), `"operation":"GetItem"`); len(sent) == 0 && gets > 0 {
				t.Errorf("expected requests of the generated repositories, whose schema has %d GetItem, found none", gets)
			}
		})
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
