package deploy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/deploy"
	"dynaproof/stacks/localaws"
)

const (
	// cliVariable names the Pulumi CLI; `make takeover` sets it.
	cliVariable = "DYNAPROOF_PULUMI"
	passphrase  = "a passphrase of the test"
	takenOver   = "dev"
	// patience bounds one command of the CLI.
	patience = 2 * time.Minute
)

// bench is one engine, one provider and one state folder, which both sides share.
type bench struct {
	cli      string
	endpoint string
	state    string
	port     int
}

// newBench skips, with the command that runs it, where there is no CLI.
func newBench(t *testing.T) *bench {
	t.Helper()
	cli := os.Getenv(cliVariable)
	if cli == "" {
		t.Skipf("expected the Pulumi CLI in %s, found none; run `make takeover`, which builds it", cliVariable)
	}
	cli = tabletest.Must(filepath.Abs(cli))(t)
	t.Setenv("PULUMI_CONFIG_PASSPHRASE", passphrase)
	g := startGate(t, startEngine(t))
	answerBackups(g)
	answerPolicies(g)
	return &bench{cli: cli, endpoint: g.URL, state: t.TempDir(), port: tabletest.Must(localaws.Serve())(t)}
}

// environ is what the CLI needs beside its command line: where the state is, and that nothing is fetched.
func (b *bench) environ(t *testing.T) map[string]string {
	return map[string]string{
		"PULUMI_BACKEND_URL":                          "file://" + b.state,
		"PULUMI_CONFIG_PASSPHRASE":                    passphrase,
		"PULUMI_DEBUG_PROVIDERS":                      "aws:" + strconv.Itoa(b.port),
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
		"PULUMI_SKIP_UPDATE_CHECK":                    "true",
		"PULUMI_HOME":                                 t.TempDir(),
	}
}

// deployed opens a stack as dynaproof does.
func (b *bench) deployed(t *testing.T, design string) *deploy.Stack {
	t.Helper()
	o := designOptions(t, b.endpoint, design, takenOver)
	o.StateDir = b.state
	o.Unprotected()
	return open(t, o)
}

// official opens, or makes, a stack as the Automation API does: every operation of it runs the CLI.
func (b *bench) official(t *testing.T, design string) *auto.Stack {
	t.Helper()
	o := designOptions(t, b.endpoint, design, takenOver)
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "bin"), 0o755))
	require.NoError(t, os.Symlink(b.cli, filepath.Join(root, "bin", "pulumi")))
	command := tabletest.Must(auto.NewPulumiCommand(&auto.PulumiCommandOptions{Root: root}))(t)
	stack := tabletest.Must(auto.UpsertStackInlineSource(t.Context(), design+"."+takenOver, dynaproof.Project, o.Program,
		auto.Pulumi(command), auto.WorkDir(t.TempDir()), auto.EnvVars(b.environ(t)),
		auto.Project(workspace.Project{
			Name: tokens.PackageName(dynaproof.Project), Runtime: workspace.NewProjectRuntimeInfo("go", nil),
			Backend: &workspace.ProjectBackend{URL: "file://" + b.state},
		})))(t)
	require.NoError(t, stack.SetAllConfig(t.Context(), auto.ConfigMap{
		"aws:region":    {Value: o.Region},
		"aws:endpoints": {Value: fmt.Sprintf(`[{"dynamodb":%[1]q,"iam":%[1]q,"sts":%[1]q}]`, b.endpoint)},
		"aws:accessKey": {Value: "local"}, "aws:secretKey": {Value: "local"},
		dynaproof.Project + ":protect": {Value: "false"}, // a stack is protected by default
	}))
	return &stack
}

// run runs a command of the CLI on a stack, in a folder with the repository's Pulumi.yaml and without its programs, and
// returns what it printed.
func (b *bench) run(t *testing.T, design string, arguments ...string) string {
	t.Helper()
	project := tabletest.Must(os.ReadFile("../../Pulumi.yaml"))(t)
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "stacks"), 0o700); err != nil { // its main, without a program
		t.Fatal(err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Pulumi.yaml"), project, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, b.cli, append(arguments, "--stack", "organization/"+dynaproof.Project+"/"+design+"."+takenOver, "--non-interactive")...)
	command.Dir = folder
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	for name, value := range b.environ(t) {
		command.Env = append(command.Env, name+"="+value)
	}
	text, err := command.Output()
	if err != nil {
		var failure *exec.ExitError
		if errors.As(err, &failure) {
			text = append(text, failure.Stderr...)
		}
		t.Fatalf("pulumi %s: %v\n%s", strings.Join(arguments, " "), err, text)
	}
	return string(text)
}

// personal is the only table of personal-os, which expires items.
const personal = "personal-os-dev"

// sameAlone fails unless nothing was, or would be, done.
func sameAlone[K ~string](t *testing.T, what string, changes map[K]int) {
	t.Helper()
	total := 0
	for op, n := range changes {
		total += n
		assert.False(t, n > 0 && string(op) != "same", "%s: expected no change, found %v", what, changes)
	}
	assert.NotZero(t, total, "%s: expected resources that stay the same", what)
}

func TestCLITakesOverWhatDeployMade(t *testing.T) {
	for _, design := range catalog.Designs() {
		t.Run(design, func(t *testing.T) {
			b := newBench(t)
			up := tabletest.Must(b.deployed(t, design).Up(t.Context()))(t)
			before := tables(t, b.endpoint)
			require.NotEmpty(t, before, "expected tables")

			var state apitype.UntypedDeployment
			var resources struct {
				Resources []apitype.ResourceV3 `json:"resources"`
			}
			require.NoError(t, errors.Join(json.Unmarshal([]byte(b.run(t, design, "stack", "export")), &state), json.Unmarshal(state.Deployment, &resources)))
			exported := 0
			for _, resource := range resources.Resources {
				if resource.Type == "aws:dynamodb/table:Table" {
					exported++
				}
			}
			assert.Equal(t, len(before), exported, "export: expected %d tables", len(before))
			var outputs any
			require.NoError(t, json.Unmarshal([]byte(b.run(t, design, "stack", "output", "--json")), &outputs))
			assert.Empty(t, cmp.Diff(tabletest.As[any](t, up.Outputs), outputs), "outputs (-deploy +pulumi stack output)")

			stack := b.official(t, design)
			preview := tabletest.Must(stack.Preview(t.Context()))(t)
			sameAlone(t, "preview", preview.ChangeSummary)
			sameAlone(t, "up", *tabletest.Must(stack.Up(t.Context()))(t).Summary.ResourceChanges)
			assert.Empty(t, cmp.Diff(before, tables(t, b.endpoint)), "tables after the CLI's update (-before +after)")
			tabletest.Must(b.deployed(t, design).Preview(t.Context()))(t) // and back

			assert.Contains(t, b.run(t, design, "destroy", "--yes", "--skip-preview"), "deleted", "destroy: expected it to tell of deleted resources")
			assert.Empty(t, tables(t, b.endpoint), "expected no table after pulumi destroy")
			b.run(t, design, "stack", "rm", "--yes")
		})
	}
}

func TestDeployTakesOverWhatTheCLIMade(t *testing.T) {
	for _, design := range catalog.Designs() {
		t.Run(design, func(t *testing.T) {
			b := newBench(t)
			up := tabletest.Must(b.official(t, design).Up(t.Context()))(t)
			if (*up.Summary.ResourceChanges)["create"] == 0 {
				t.Fatalf("expected resources to be created, found %v", *up.Summary.ResourceChanges)
			}
			before := tables(t, b.endpoint)
			stack := b.deployed(t, design)
			outputs := map[string]any{}
			for name, value := range up.Outputs {
				outputs[name] = value.Value
			}
			assert.Empty(t, cmp.Diff(tabletest.As[any](t, outputs), tabletest.As[any](t, tabletest.Must(stack.Outputs(t.Context()))(t))), "outputs (-pulumi up +deploy)")
			sameAlone(t, "preview", tabletest.Must(stack.Preview(t.Context()))(t).Changes)
			assert.Empty(t, tabletest.Must(stack.Refresh(t.Context()))(t).Diff, "refresh: expected no difference")
			sameAlone(t, "up", tabletest.Must(stack.Up(t.Context()))(t).Changes)
			assert.Empty(t, cmp.Diff(before, tables(t, b.endpoint)), "tables after deploy's update (-before +after)")
			tabletest.Must(stack.Destroy(t.Context()))(t)
			assert.Empty(t, tables(t, b.endpoint), "expected no table after destroy")
			assert.NoError(t, stack.Remove(t.Context()))
		})
	}
}

// Each side sees what changed behind Pulumi's back, and repairs it, on the other's stack.
func TestDriftIsSeenAndRepairedByTheOther(t *testing.T) {
	const design = "personal-os"
	t.Run("made by deploy", func(t *testing.T) {
		b := newBench(t)
		tabletest.Must(b.deployed(t, design).Up(t.Context()))(t)
		switchTTL(t, b.endpoint, personal, "ttl", false)
		text := b.run(t, design, "refresh", "--preview-only", "--diff")
		assert.True(t, strings.Contains(text, "enabled") && strings.Contains(text, "true => false"), "expected `pulumi refresh --preview-only` to show the drift, found %s", text)
		b.run(t, design, "refresh", "--yes", "--skip-preview")
		stack := b.official(t, design)
		preview := tabletest.Must(stack.Preview(t.Context(), optpreview.Diff()))(t)
		assert.Equal(t, 1, preview.ChangeSummary["update"], "preview: expected one update, found %v", preview.ChangeSummary)
		repaired := tabletest.Must(stack.Up(t.Context()))(t)
		if (*repaired.Summary.ResourceChanges)["update"] != 1 || ttlOf(t, b.endpoint, personal) != "ENABLED ttl" {
			t.Errorf("up: expected one update that repairs, found %v", *repaired.Summary.ResourceChanges)
		}
	})
	t.Run("made by the CLI", func(t *testing.T) {
		b := newBench(t)
		tabletest.Must(b.official(t, design).Up(t.Context()))(t)
		switchTTL(t, b.endpoint, personal, "ttl", false)
		stack := b.deployed(t, design)
		assert.Contains(t, tabletest.Must(stack.Refresh(t.Context()))(t).Diff, "true => false", "refresh: expected the drift")
		repaired := tabletest.Must(stack.Up(t.Context()))(t)
		assert.True(t, repaired.Changes["update"] == 1 && ttlOf(t, b.endpoint, personal) == "ENABLED ttl", "up: expected one update that repairs, found %v", repaired.Changes)
	})
}
