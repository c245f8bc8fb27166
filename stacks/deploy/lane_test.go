package deploy_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/deploy"
	"dynaproof/stacks/localaws"
)

const (
	// childRequest makes this test binary a process that answers one request: which provider deploys holds for a whole process.
	childRequest = "DYNAPROOF_TEST_CHILD_REQUEST"
	// pluginStarted is the file that the stand-in for a plugin writes when it is started.
	pluginStarted = "DYNAPROOF_TEST_PLUGIN_STARTED"
)

// designOptions are the options of a design's own program, in the region of its document.
func designOptions(t testing.TB, endpoint, design, environment string) deploy.Options {
	t.Helper()
	entry := tabletest.Must(catalog.Find(design))(t)
	o := options(t, endpoint, entry.Program)
	o.Design, o.Environment, o.Region = design, environment, cmp.Or(entry.Document.Region, testRegion)
	return o
}

func answerRequest(text string) int {
	var request deploy.Request
	err := json.Unmarshal([]byte(text), &request)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(deploy.Shipped().Do(context.Background(), request))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// actAsPlugin serves localaws as Pulumi's engine starts a plugin: it reads the port off the first line.
func actAsPlugin() int {
	port, err := localaws.Serve()
	if err == nil {
		err = os.WriteFile(os.Getenv(pluginStarted), nil, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(port)
	select {} // until the engine kills it
}

// standIn is this test binary under a plugin's name.
func standIn(t *testing.T) string {
	t.Helper()
	self := tabletest.Must(os.Executable())(t)
	plugin := filepath.Join(t.TempDir(), "pulumi-resource-aws")
	require.NoError(t, os.Symlink(self, plugin))
	return plugin
}

// lane is one engine and one state folder, to which a plugin and localaws deploy in turn.
type lane struct {
	*gate
	request deploy.Request
	plugin  string
	started string
}

func openLane(t *testing.T, design, plugin string) *lane {
	t.Helper()
	g := startGate(t, startEngine(t))
	answerBackups(g)
	o := designOptions(t, g.URL, design, "dev")
	o.Config = map[string]string{"dynaproof:protect": "false", "dynaproof:guardrails": "off"} // no engine has IAM
	return &lane{g, deploy.Request{Options: o.Options}, plugin, filepath.Join(t.TempDir(), "started")}
}

// child is this test binary as a process that answers one request.
func child(t *testing.T, request deploy.Request, environment ...string) *exec.Cmd {
	t.Helper()
	text := tabletest.Must(json.Marshal(request))(t)
	command := exec.CommandContext(t.Context(), tabletest.Must(os.Executable())(t))
	command.Env = append(append(os.Environ(), childRequest+"="+string(text)), environment...)
	return command
}

// does runs an operation in a process of its own, by the plugin that is named or by localaws, and fails when it fails.
func (l *lane) does(t *testing.T, operation, plugin string) deploy.Answer {
	t.Helper()
	request := l.request
	request.Do = operation
	command := child(t, request, deploy.PluginVariable+"="+plugin, pluginStarted+"="+l.started)
	var complaints strings.Builder
	command.Stderr = &complaints
	printed, err := command.Output()
	var answer deploy.Answer
	if err == nil {
		err = json.Unmarshal(printed, &answer)
	}
	require.NoError(t, err, "%s by %s: %v %s\n%s", operation, cmp.Or(plugin, "localaws"), err, answer.Error, complaints.String())
	require.Empty(t, answer.Error, "%s by %s: %v %s\n%s", operation, cmp.Or(plugin, "localaws"), err, answer.Error, complaints.String())
	return answer
}

// unchanged fails unless an operation finds nothing to do.
func (l *lane) unchanged(t *testing.T, operation, plugin string) {
	t.Helper()
	answer := l.does(t, operation, plugin)
	sameAlone(t, fmt.Sprintf("%s by %s%s", operation, cmp.Or(plugin, "localaws"), answer.Diff), answer.Changes)
}

// life deploys by one side, lets each look, hands the stack to the other, and takes it back.
func (l *lane) life(t *testing.T, first, second string) map[string]map[string]any {
	t.Helper()
	l.does(t, "up", first)
	l.unchanged(t, "preview", first)
	l.unchanged(t, "refresh", first)
	l.unchanged(t, "preview", second)
	l.taken()
	l.unchanged(t, "up", second)
	if _, counts := l.taken(); counts["CreateTable"]+counts["UpdateTable"]+counts["DeleteTable"]+counts["UpdateTimeToLive"]+counts["TagResource"]+counts["UntagResource"] > 0 {
		t.Errorf("up by %s after %s: expected no request that changes a table, found %v", cmp.Or(second, "localaws"), cmp.Or(first, "localaws"), counts)
	}
	l.unchanged(t, "refresh", second)
	l.does(t, "destroy", first)
	assert.Empty(t, tables(t, l.URL), "expected no table after destroy")
	return l.made()
}

// made returns the tables that were asked for, with their sets in order.
func (l *lane) made() map[string]map[string]any {
	for _, input := range l.created {
		for set, key := range map[string]string{"AttributeDefinitions": "AttributeName", "GlobalSecondaryIndexes": "IndexName", "Tags": "Key"} {
			elements, _ := input[set].([]any)
			slices.SortFunc(elements, func(a, b any) int {
				return strings.Compare(fmt.Sprint(a.(map[string]any)[key]), fmt.Sprint(b.(map[string]any)[key]))
			})
			if len(elements) == 0 {
				delete(input, set)
			}
		}
		if input["DeletionProtectionEnabled"] == false {
			delete(input, "DeletionProtectionEnabled") // the default
		}
	}
	return l.created
}

// compare deploys a design by a plugin and by localaws, on two engines, and hands each stack to the other.
func compare(t *testing.T, design, plugin string) {
	t.Helper()
	theirs, ours := openLane(t, design, plugin), openLane(t, design, plugin)
	byPlugin := theirs.life(t, plugin, "")
	d := gocmp.Diff(byPlugin, ours.life(t, "", plugin))
	assert.True(t, d == "" && len(byPlugin) != 0, "CreateTable (-the plugin +localaws):\n%s", d)
}

// TestPlugin compares Pulumi's own aws plugin with localaws on all designs. `make plugin-check` runs it.
func TestPlugin(t *testing.T) {
	plugin := os.Getenv(deploy.PluginVariable)
	if plugin == "" {
		t.Skipf("expected Pulumi's aws plugin in %s, found none; `make plugin` fetches it, then `make plugin-check`", deploy.PluginVariable)
	}
	for _, design := range catalog.Designs() {
		t.Run(design, func(t *testing.T) { compare(t, design, plugin) })
	}
}

// TestNamedPluginDeploys sees that a plugin that is named deploys, and not localaws. A stand-in is the plugin, so this says nothing
// about AWS's.
func TestNamedPluginDeploys(t *testing.T) {
	plugin := standIn(t)
	l := openLane(t, "osem-ladders", plugin)
	l.does(t, "up", "")
	_, err := os.Stat(l.started)
	assert.Error(t, err, "expected localaws to deploy where no plugin is named, found that a plugin was started")
	l.unchanged(t, "preview", plugin)
	_, err = os.Stat(l.started)
	assert.NoError(t, err, "expected the named plugin to be started")
	t.Setenv(deploy.PluginVariable, "")
	compare(t, "fus-main", plugin)
}

// stateOf returns the inputs of a stack's resources of some types, by type and name.
func stateOf(t *testing.T, state, stack string) map[string]map[string]any {
	t.Helper()
	text := tabletest.Must(os.ReadFile(filepath.Join(state, ".pulumi", "stacks", dynaproof.Project, stack+".json")))(t)
	var written struct {
		Checkpoint struct {
			Latest struct {
				Resources []struct {
					URN, Type string
					Inputs    map[string]any
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &written))
	all := map[string]map[string]any{}
	for _, r := range written.Checkpoint.Latest.Resources {
		if defaults, _ := r.Inputs["__defaults"].([]any); slices.Contains(defaults, any("name")) {
			delete(r.Inputs, "name") // made up by the provider
		}
		delete(r.Inputs, "__defaults")
		all[r.Type+" "+r.URN[strings.LastIndex(r.URN, ":")+1:]] = r.Inputs
	}
	return all
}

// TestMocksAndEngineAskForTheSame holds what the programs ask for by Pulumi's mocks, which wrong programs are made from, against
// what Pulumi's engine hands the provider.
func TestMocksAndEngineAskForTheSame(t *testing.T) {
	resources := 0
	for _, design := range catalog.Designs() {
		for _, guardrails := range []string{"enforce", "off"} {
			t.Run(design+" "+guardrails, func(t *testing.T) {
				g := startGate(t, startEngine(t))
				answerBackups(g)
				answerPolicies(g)
				request := deploy.Request{Do: "up", Options: designOptions(t, g.URL, design, "dev").Options}
				request.Config = map[string]string{"dynaproof:protect": "false", "dynaproof:guardrails": guardrails}
				up := deploy.Shipped().Do(t.Context(), request)
				request.Do = "inputs"
				asked := deploy.Shipped().Do(t.Context(), request)
				require.Empty(t, up.Error)
				require.Empty(t, asked.Error, "expected both to work")
				// The mocks give ARNs of their own.
				alike := func(of any) (all map[string]any) {
					text := tabletest.Must(json.Marshal(of))(t)
					plain := strings.NewReplacer("arn:aws:dynamodb:dynoxide:000000000000:", "arn:", "arn:aws:dynamodb:mock-region-1:111122223333:", "arn:").Replace(string(text))
					require.NoError(t, json.Unmarshal([]byte(plain), &all))
					return all
				}
				byMocks := map[string]any{}
				for kind, named := range map[string]map[string]map[string]any{
					"aws:dynamodb/table:Table ": asked.Inputs.Tables, "aws:iam/policy:Policy ": asked.Inputs.Policies,
					"aws:dynamodb/resourcePolicy:ResourcePolicy ": asked.Inputs.TablePolicies,
				} {
					for name, inputs := range named {
						byMocks[kind+name] = inputs
						resources++
					}
				}
				byEngine := map[string]any{}
				for name, inputs := range stateOf(t, request.StateDir, up.Stack) {
					if strings.HasPrefix(name, "aws:") {
						byEngine[name] = inputs
					}
				}
				assert.Empty(t, gocmp.Diff(alike(byMocks), alike(byEngine)), "inputs (-mocks +engine)")
				mocked, real := alike(asked.Inputs.Outputs), alike(up.Outputs)
				delete(mocked, "rolePolicyArns")
				delete(real, "rolePolicyArns")
				assert.Empty(t, gocmp.Diff(mocked, real), "outputs (-mocks +engine)")
				assert.NotEmpty(t, up.TableIDs, "expected the TableIds of the new tables")
				for name, id := range up.TableIDs {
					table := describe(t, g.URL, name)
					require.NotNil(t, table.TableId, "table %s: expected the TableId that its creation was answered with", name)
					assert.Equal(t, id, *table.TableId, "table %s: expected the TableId that its creation was answered with", name)
				}
			})
		}
	}
	assert.GreaterOrEqual(t, resources, 13+13+13, "expected 13 tables twice and 13 policies of tables, and more")
}

// Without the plugin a deployment to AWS says what to install, before anything else.
func TestMissingPlugin(t *testing.T) {
	home := t.TempDir()
	t.Setenv("PULUMI_HOME", home)
	t.Setenv("PATH", home)
	err := deploy.CheckPlugin()
	require.ErrorContains(t, err, "in "+filepath.Join(home, "plugins")+", found none: install the Pulumi CLI")
	folder := filepath.Join(home, "plugins", "resource-aws-"+deploy.PluginVersion())
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "pulumi-resource-aws"), nil, 0o700))
	assert.NoError(t, deploy.CheckPlugin(), "expected the plugin to be found")

	// The digest is that of no bytes, the well-known one of an empty text.
	t.Setenv(deploy.PluginDigest, "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855")
	require.NoError(t, deploy.CheckPlugin())
	assert.Empty(t, deploy.UnverifiedPlugin(), "expected the plugin to be verified")
	require.NoError(t, os.WriteFile(filepath.Join(home, "pulumi-resource-aws"), []byte("#!/bin/sh\n"), 0o700))
	assert.ErrorContains(t, deploy.CheckPlugin(), "expected Pulumi's aws plugin with the SHA-256", "expected the plugin on the path, which Pulumi takes, to be refused")
	t.Setenv(deploy.PluginDigest, "")
	assert.Contains(t, deploy.UnverifiedPlugin(), "not verified")
}
