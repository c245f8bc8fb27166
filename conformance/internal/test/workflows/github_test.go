package workflows

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	reusable = ".github/workflows/dynaproof.yml"
	caller   = ".github/workflows/ci.yml"
)

var release = regexp.MustCompile(`@[0-9a-f]{40} # (v[0-9]+)[0-9.]*`)

// lint runs actionlint on the workflows of a folder. It knows the inputs of the actions' releases, and asks nobody for
// them; so the commits by which actions are pinned are taken for the releases that the comments beside them name.
func lint(t *testing.T, from string) (problems []string) {
	t.Helper()
	folder := t.TempDir()
	for _, file := range []string{reusable, caller} {
		content, err := os.ReadFile(filepath.Join(from, file))
		require.NoError(t, err)
		write(t, folder, file, release.ReplaceAllString(string(content), "@$1"))
	}
	project, err := actionlint.NewProject(folder)
	require.NoError(t, err)
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{WorkingDir: folder})
	require.NoError(t, err)
	found, err := linter.LintFiles([]string{filepath.Join(folder, reusable), filepath.Join(folder, caller)}, project)
	require.NoError(t, err)
	for _, problem := range found {
		problems = append(problems, problem.Error())
	}
	return problems
}

// copied copies the workflows to a folder of their own, one of them with another text.
func copied(t *testing.T, changed, text string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, file := range []string{reusable, caller} {
		write(t, folder, file, read(t, file))
	}
	write(t, folder, changed, text)
	return folder
}

func TestWorkflowsAreValid(t *testing.T) {
	for _, problem := range lint(t, root) {
		t.Error(problem)
	}
	entries, err := os.ReadDir(filepath.Join(root, ".github/workflows"))
	if err != nil || len(entries) != 2 {
		t.Errorf("expected the two workflows that the tests here know, found %v, %v", entries, err)
	}
}

func TestBrokenWorkflowsAreNoticed(t *testing.T) {
	for _, row := range []struct{ name, file, old, changed, says string }{
		{"input that the called workflow lacks", caller, "engines: true", "engine: true", `input "engine" is not defined in "./.github/workflows/dynaproof.yml"`},
		{"expression that names no input", reusable, "inputs.sarif &&", "inputs.sarfi &&", `property "sarfi" is not defined`},
		{"expression that names no step", reusable, "steps.cleanup.outcome", "steps.clean.outcome", `property "clean" is not defined`},
		{"expression that does not parse", reusable, "fromJSON(inputs.verify)", "fromJSON(inputs.verify", "parsing"},
		{"input that an action lacks", reusable, "go-version-file:", "go-version-from:", `input "go-version-from" is not defined in action "actions/setup-go@v5"`},
		{"input that an action needs", reusable, "          aws-region: ${{ env.REGION }}\n", "", `missing input "aws-region"`},
		{"permission that there is not", reusable, "id-token: write", "id-tokens: write", `unknown permission scope "id-tokens"`},
		{"value of a permission", caller, "issues: write", "issues: yes", `"yes" is invalid for permission`},
		{"key that there is not", reusable, "timeout-minutes: 90", "timeout-minute: 90", `unexpected key "timeout-minute"`},
		{"time that never comes", caller, "17 3 * * *", "77 3 * * *", "invalid CRON format"},
		{"runner that there is not", reusable, "ubuntu-24.04", "ubuntu-24.4", `label "ubuntu-24.4" is unknown`},
		{"event that there is not", caller, "workflow_dispatch:", "workflow_dispatched:", `unknown Webhook event "workflow_dispatched"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			problems := lint(t, copied(t, row.file, broken(t, row.file, row.old, row.changed)))
			if !slices.ContainsFunc(problems, func(problem string) bool {
				return strings.Contains(problem, row.says) && strings.Contains(problem, filepath.Base(row.file))
			}) {
				t.Errorf("expected %q, found %q", row.says, problems)
			}
		})
	}
}

// needed says which permissions a step needs, by the action or the command that it runs. An action that is not here is a
// problem: somebody must look up what it needs.
var needed = []struct {
	step  string
	needs []string
}{
	{"actions/checkout@", []string{"contents: read"}},
	{"actions/setup-go@", nil},
	{"actions/setup-node@", nil},
	{"actions/upload-artifact@", nil},
	// https://github.com/aws-actions/configure-aws-credentials#oidc
	{"aws-actions/configure-aws-credentials@", []string{"id-token: write"}},
	// https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/uploading-a-sarif-file-to-github
	{"github/codeql-action/upload-sarif@", []string{"security-events: write", "actions: read", "contents: read"}},
	// https://docs.github.com/en/rest/authentication/permissions-required-for-fine-grained-personal-access-tokens
	{"gh issue ", []string{"issues: write"}},
	{"gh api --silent --method POST \"repos/$GH_REPO/issues/$NUMBER/comments\"", []string{"pull-requests: write"}},
}

// tokenOf is what names a token or a secret.
var tokenOf = regexp.MustCompile(`github\.token|GITHUB_TOKEN|secrets\.`)

// ghCall is a call of gh in a script.
var ghCall = regexp.MustCompile(`(?m)(?:^\s*|\$\()gh `)

var pinned = regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40}$`)

// permissions compares what each job may do with what its steps need, in both directions, and what a caller grants with
// what the called workflow asks for: GitHub refuses to start a workflow that asks for more. It also holds the steps to
// what makes them safe: actions are pinned by commit, and scripts take values from the environment alone.
func permissions(called, calling string) (problems []string) {
	may, problems := parse(called)
	for i, line := range strings.Split(called+"\n"+calling, "\n") {
		if tokenOf.MatchString(line) && strings.TrimSpace(line) != "GH_TOKEN: ${{ github.token }}" {
			problems = append(problems, fmt.Sprintf("line %d: expected a token as GH_TOKEN alone, found %q", i+1, line))
		}
	}
	all := map[string]bool{}
	for _, job := range may.Jobs {
		granted := granted(job)
		problems = append(problems, stepsNeed(job, granted)...)
		maps.Copy(all, granted)
	}
	calls, wrong := parse(calling)
	problems = append(problems, wrong...)
	for _, job := range calls.Jobs {
		if job.WorkflowCall == nil {
			problems = append(problems, stepsNeed(job, granted(job))...)
			continue
		}
		problems = append(problems, differences("caller's job "+job.ID.Value, all, granted(job))...)
	}
	return problems
}

// stepsNeed judges a job that has steps of its own.
func stepsNeed(job *actionlint.Job, granted map[string]bool) (problems []string) {
	wants := map[string]bool{}
	for _, step := range job.Steps {
		switch run := step.Exec.(type) {
		case *actionlint.ExecRun:
			if strings.Contains(run.Run.Value, "${{") {
				problems = append(problems, fmt.Sprintf("job %s: expected a script that takes values from the environment, found an expression in %q", job.ID.Value, run.Run.Value))
			}
			for _, entry := range needed {
				if strings.Contains(run.Run.Value, entry.step) {
					add(wants, entry.needs)
				}
			}
			if token := step.Env != nil && step.Env.Vars["gh_token"] != nil; token != ghCall.MatchString(run.Run.Value) {
				problems = append(problems, fmt.Sprintf("job %s: expected GH_TOKEN in the environment of the steps that call gh and of no other, found otherwise in %q", job.ID.Value, run.Run.Value))
			}
		case *actionlint.ExecAction:
			known := false
			for _, entry := range needed {
				if strings.HasPrefix(run.Uses.Value, entry.step) {
					known = true
					add(wants, entry.needs)
				}
			}
			if !known || !pinned.MatchString(run.Uses.Value) {
				problems = append(problems, fmt.Sprintf("job %s: expected an action whose needs are known, pinned by its commit, found %s", job.ID.Value, run.Uses.Value))
			}
		}
	}
	return append(problems, differences("job "+job.ID.Value, wants, granted)...)
}

func parse(text string) (*actionlint.Workflow, []string) {
	workflow, wrong := actionlint.Parse([]byte(text))
	var problems []string
	for _, problem := range wrong {
		problems = append(problems, problem.Error())
	}
	return workflow, problems
}

func granted(job *actionlint.Job) map[string]bool {
	all := map[string]bool{}
	if job.Permissions != nil {
		for _, scope := range job.Permissions.Scopes {
			all[scope.Name.Value+": "+scope.Value.Value] = true
		}
	}
	return all
}

func add(to map[string]bool, names []string) {
	for _, name := range names {
		to[name] = true
	}
}

func differences(where string, wants, has map[string]bool) (problems []string) {
	for _, name := range slices.Sorted(maps.Keys(wants)) {
		if !has[name] {
			problems = append(problems, fmt.Sprintf("%s: expected the permission %s, found none", where, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(has)) {
		if !wants[name] {
			problems = append(problems, fmt.Sprintf("%s: expected no more than it needs, found the permission %s", where, name))
		}
	}
	return problems
}

func TestJobsMayWhatTheyNeed(t *testing.T) {
	for _, problem := range permissions(read(t, reusable), read(t, caller)) {
		t.Error(problem)
	}
}

func TestWrongPermissionsAreNoticed(t *testing.T) {
	for _, row := range []struct{ name, file, old, changed, says string }{
		{"a job of the caller's own that may more", caller, "      contents: read\n    steps:", "      contents: write\n    steps:", "job lint: expected the permission contents: read, found none"},
		{"an action of the caller's own by its tag", caller, "actions/setup-go@d35c59abb061a4a6fb18e82ac0862c26744d6ab5 # v5.5.0", "actions/setup-go@v5", "job lint: expected an action whose needs are known, pinned by its commit"},
		{"issue without the permission", reusable, "      issues: write # the drift issue\n", "", "job audit: expected the permission issues: write"},
		{"comment without the permission", reusable, "      pull-requests: write # the summary as a comment\n", "", "job embedded: expected the permission pull-requests: write"},
		{"SARIF without the permission", reusable, "      security-events: write # SARIF\n", "", "job embedded: expected the permission security-events: write"},
		{"OpenID Connect without the permission", reusable, "      id-token: write # OpenID Connect\n", "", "job verify: expected the permission id-token: write"},
		{"permission too many", reusable, "      issues: write # the drift issue\n", "      issues: write\n      packages: write\n", "job audit: expected no more than it needs, found the permission packages: write"},
		{"caller that grants too little", caller, "      id-token: write\n", "", "caller's job engines: expected the permission id-token: write"},
		{"caller that grants too much", caller, "      contents: read\n      actions: read\n", "      contents: write\n      actions: read\n", "caller's job engines: expected no more than it needs, found the permission contents: write"},
		{"action by a tag", reusable, "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683", "actions/checkout@v4", "found actions/checkout@v4"},
		{"action that nobody looked at", reusable, "actions/setup-node@", "somebody/setup-node@", "found somebody/setup-node@"},
		{"token for a step that calls no gh", reusable, "          CODE: ${{ steps.audit.outputs.code }}\n        run: exit", "          CODE: ${{ steps.audit.outputs.code }}\n          GH_TOKEN: ${{ github.token }}\n        run: exit", "GH_TOKEN in the environment of the steps that call gh and of no other"},
		{"call of gh without a token", reusable, "          GH_TOKEN: ${{ github.token }}\n", "", "GH_TOKEN in the environment of the steps that call gh and of no other"},
		{"token elsewhere", reusable, "          persist-credentials: false\n", "          persist-credentials: false\n          token: ${{ github.token }}\n", "expected a token as GH_TOKEN alone"},
		{"expression in a script", reusable, `cleanup "$DESIGN"`, `cleanup ${{ matrix.of.design }}`, "job verify: expected a script that takes values from the environment"},
	} {
		t.Run(row.name, func(t *testing.T) {
			texts := map[string]string{reusable: read(t, reusable), caller: read(t, caller)}
			texts[row.file] = broken(t, row.file, row.old, row.changed)
			problems := permissions(texts[reusable], texts[caller])
			if !slices.ContainsFunc(problems, func(problem string) bool { return strings.Contains(problem, row.says) }) {
				t.Errorf("expected %q, found %q", row.says, problems)
			}
		})
	}
}

// Called from another repository, every job works on the repository and the commit of the workflow, not on the caller's.
func TestReusableWorkflowChecksItselfOut(t *testing.T) {
	steps := strings.Split(read(t, reusable), "- uses: ")
	checkouts := 0
	for _, step := range steps {
		if !strings.HasPrefix(step, "actions/checkout@") {
			continue
		}
		checkouts++
		step, _, _ = strings.Cut(step, "\n      - ")
		for _, member := range []string{"repository: ${{ fromJSON(toJSON(job)).workflow_repository }}", "ref: ${{ fromJSON(toJSON(job)).workflow_sha }}"} {
			assert.Contains(t, step, member)
		}
	}
	if checkouts == 0 {
		t.Error("expected a checkout, found none")
	}
}
