//go:build unix

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// script returns the script of a named step of the reusable workflow.
func script(t *testing.T, job, step string) string {
	t.Helper()
	content, err := os.ReadFile("../../.github/workflows/dynaproof.yml")
	require.NoError(t, err)
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Run string }
		}
	}
	require.NoError(t, yaml.Unmarshal(content, &workflow))
	for _, candidate := range workflow.Jobs[job].Steps {
		if candidate.Name == step && candidate.Run != "" {
			return candidate.Run
		}
	}
	t.Fatalf("expected a step %q with a script in job %s", step, job)
	return ""
}

// prepareStep prepares a step as a runner runs it, in a folder where the step before has built the command.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell
func prepareStep(t *testing.T, folder, url, job, step string) *child {
	t.Helper()
	built := filepath.Join(folder, "build", "dynaproof")
	require.NoError(t, os.MkdirAll(filepath.Dir(built), 0o755))
	if err := os.Symlink(binary, built); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "step.sh")
	require.NoError(t, os.WriteFile(file, []byte(script(t, job, step)), 0o600))
	c := prepare(t, append(awsEnvironment(url, "us-east-1"), "DESIGN=personal-os", "ENVIRONMENT=prod", "REGION=us-east-1", "GITHUB_OUTPUT="+filepath.Join(folder, "output")))
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skipf("the steps were not run: %v", err)
	}
	c.Path, c.Args, c.Dir = bash, []string{"bash", "-e", file}, folder
	return c
}

// What the workflow does when a run on AWS is cancelled, which interrupts it, and when it is killed: in the end none of its
// tables is there, and no other has gone.
func TestVerifyJobLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		signal syscall.Signal
		says   string // by the clean-up
	}{
		"cancelled": {syscall.SIGINT, "no interrupted verify of personal-os.dev is known"},
		"killed":    {syscall.SIGKILL, "removed what an interrupted verify of personal-os.dev deployed: 1 tables"},
	} {
		t.Run(name, func(t *testing.T) {
			url := moto(t)
			foreign(t, url, "theirs")
			folder := t.TempDir()
			prepareStep(t, folder, url, "verify", "Remove what lost runners left").expect(t, 0)
			verify := prepareStep(t, folder, url, "verify", "Verify on AWS")
			verify.starts(t)
			verify.signalled(t, row.signal, "an item of the run", func() bool {
				for _, table := range tables(t, url) {
					if strings.HasPrefix(table, "dynaproof-") && holdsItem(t, url, table) {
						return true
					}
				}
				return false
			})
			if code := verify.ends(t); code == 0 {
				t.Errorf("expected the step to fail, found exit code 0\n%s", verify.stdout.String())
			}
			cleanup := prepareStep(t, folder, url, "verify", "Remove what is left")
			cleanup.expect(t, 0)
			says(t, "clean-up", cleanup.stdout.String(), row.says)
			assert.Empty(t, cmp.Diff([]string{"theirs"}, tables(t, url)), "tables (-want +got)")
		})
	}
}

// The step of the audit succeeds whatever it finds, so that the issue is kept; the last step ends the job as the audit
// ended.
func TestAuditJobKeepsTheExitCode(t *testing.T) {
	t.Parallel()
	url, folder := moto(t), t.TempDir()
	audit := prepareStep(t, folder, url, "audit", "Audit")
	audit.expect(t, 0)
	for file, want := range map[string]string{"output": "code=1\n", "audit.txt": "FAIL  the deployment does not conform"} {
		content, err := os.ReadFile(filepath.Join(folder, file))
		require.NoError(t, err)
		says(t, file, string(content), want)
		if file == "audit.txt" && audit.stdout.String() != string(content) {
			t.Errorf("expected the log to hold what the issue will, found %q", audit.stdout.String())
		}
	}
	for _, code := range []string{"0", "1", "3"} {
		last := prepareStep(t, folder, url, "audit", "Exit as the audit did")
		last.Env = append(last.Env, "CODE="+code)
		last.expect(t, int(code[0]-'0'))
	}
}
