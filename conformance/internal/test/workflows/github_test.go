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

	"dynaproof/accesspatterns/tabletest"
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
	for _, row := range tabletest.Read[[]struct{ Name, File, Old, Changed, Says string }](t, "broken.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			problems := lint(t, copied(t, row.File, broken(t, row.File, row.Old, row.Changed)))
			if !slices.ContainsFunc(problems, func(problem string) bool {
				return strings.Contains(problem, row.Says) && strings.Contains(problem, filepath.Base(row.File))
			}) {
				t.Errorf("expected %q, found %q", row.Says, problems)
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
	for _, row := range tabletest.Read[[]struct{ Name, File, Old, Changed, Says string }](t, "permissions.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			texts := map[string]string{reusable: read(t, reusable), caller: read(t, caller)}
			texts[row.File] = broken(t, row.File, row.Old, row.Changed)
			problems := permissions(texts[reusable], texts[caller])
			if !slices.ContainsFunc(problems, func(problem string) bool { return strings.Contains(problem, row.Says) }) {
				t.Errorf("expected %q, found %q", row.Says, problems)
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
