package workflows

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"
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
		write(t, folder, file, release.ReplaceAllString(string(tabletest.Must(os.ReadFile(filepath.Join(from, file)))(t)), "@$1"))
	}
	project := tabletest.Must(actionlint.NewProject(folder))(t)
	linter := tabletest.Must(actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{WorkingDir: folder}))(t)
	for _, problem := range tabletest.Must(linter.LintFiles([]string{filepath.Join(folder, reusable), filepath.Join(folder, caller)}, project))(t) {
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
	assert.Len(t, tabletest.Must(os.ReadDir(filepath.Join(root, ".github/workflows")))(t), 2, "expected the two workflows that the tests here know")
}

func TestBrokenWorkflowsAreNoticed(t *testing.T) {
	for _, row := range tabletest.Read[[]struct{ Name, File, Old, Changed, Says string }](t, "broken.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			problems := lint(t, copied(t, row.File, broken(t, row.File, row.Old, row.Changed)))
			assert.True(t, slices.ContainsFunc(problems, func(problem string) bool {
				return strings.Contains(problem, row.Says) && strings.Contains(problem, filepath.Base(row.File))
			}), "expected %q, found %q", row.Says, problems)
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
			assert.True(t, slices.ContainsFunc(problems, func(problem string) bool { return strings.Contains(problem, row.Says) }), "expected %q, found %q", row.Says, problems)
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
	assert.NotZero(t, checkouts, "expected a checkout")
}

// answers names the file with what the test's gh answers to a list: a JSON list of pages.
const answers = "GH_TEST_ANSWERS"

// TestMain is also the gh of the tests: it answers a list through jq as gh does, and writes every call to standard error, with
// the text of the file that it names.
func TestMain(m *testing.M) {
	pages := os.Getenv(answers)
	if pages == "" || filepath.Base(os.Args[0]) != "gh" {
		os.Exit(m.Run())
	}
	call := os.Args[1:]
	if at := slices.Index(call, "--jq"); at >= 0 {
		if err := list(pages, call[at+1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	for i, word := range call {
		path, is := strings.CutPrefix(word, "body=@")
		if is || i > 0 && call[i-1] == "--body-file" {
			text, err := os.ReadFile(path)
			if err != nil {
				os.Exit(1)
			}
			call[i] = string(text)
		}
	}
	text, _ := json.Marshal(call)
	fmt.Fprintf(os.Stderr, "gh:%s\n", text)
}

// list prints what a jq expression makes of each page.
func list(path, expression string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var pages []any
	if err := json.Unmarshal(text, &pages); err != nil {
		return err
	}
	query, err := gojq.Parse(expression)
	if err != nil {
		return err
	}
	code, err := gojq.Compile(query, gojq.WithEnvironLoader(os.Environ))
	if err != nil {
		return err
	}
	for _, page := range pages {
		for found := code.Run(page); ; {
			value, more := found.Next()
			if !more {
				break
			}
			if err, failed := value.(error); failed {
				return err
			}
			fmt.Println(value)
		}
	}
	return nil
}

// step runs the script of a step of the reusable workflow as a runner does, with a gh of the test's own, and returns the
// calls of gh but lists, and the summary of the run.
func step(t *testing.T, name string, pages []any, files, environment map[string]string) (calls [][]string, summary string) {
	t.Helper()
	workflow, _ := actionlint.Parse([]byte(read(t, reusable)))
	script := ""
	for _, job := range workflow.Jobs {
		for _, each := range job.Steps {
			if run, is := each.Exec.(*actionlint.ExecRun); is && each.Name != nil && each.Name.Value == name {
				script = run.Run.Value
			}
		}
	}
	require.NotEmpty(t, script, "expected a step %q", name)
	folder := t.TempDir()
	for file, text := range files {
		write(t, folder, file, text)
	}
	text := tabletest.Must(json.Marshal(pages))(t)
	write(t, folder, "answers.json", string(text))
	write(t, folder, "step.sh", script)
	self := tabletest.Must(os.Executable())(t)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "bin"), 0o700))
	require.NoError(t, os.Symlink(self, filepath.Join(folder, "bin", "gh")))
	command := exec.CommandContext(t.Context(), "bash", "-e", "step.sh") // as runners do where a step names no shell
	command.Dir = folder
	command.Env = []string{
		"PATH=" + filepath.Join(folder, "bin") + ":" + os.Getenv("PATH"), answers + "=answers.json",
		"GH_TOKEN=a-token", "GH_REPO=owner/name", "RUN=https://github.example/owner/name/actions/runs/77", "GITHUB_STEP_SUMMARY=summary",
	}
	for name, value := range environment {
		command.Env = append(command.Env, name+"="+value)
	}
	var out, problems strings.Builder
	command.Stdout, command.Stderr = &out, &problems
	require.NoError(t, command.Run(), "%s%s", &out, &problems)
	for _, line := range strings.Split(problems.String(), "\n") {
		if text, is := strings.CutPrefix(line, "gh:"); is {
			var call []string
			require.NoError(t, json.Unmarshal([]byte(text), &call))
			calls = append(calls, call)
		}
	}
	written, _ := os.ReadFile(filepath.Join(folder, "summary"))
	return calls, string(written)
}

const lastRun = "Last audit: https://github.example/owner/name/actions/runs/77\n\n"

// One environment has one issue, found by its title among those that workflows wrote.
func TestDriftKeepsOneIssue(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Code string
		Pages      []any
		Want       [][]string
	}](t, "issues.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			calls, summary := step(t, "Keep one issue up to date", row.Pages, map[string]string{"audit.txt": "FAIL\n"},
				map[string]string{"DESIGN": "osem-ladders", "ENVIRONMENT": "prod", "CODE": row.Code})
			assert.Empty(t, cmp.Diff(row.Want, calls), "calls of gh (-want +got)")
			assert.Equal(t, "## osem-ladders.prod: exit code "+row.Code+"\n\n"+lastRun+"    FAIL\n", summary, "summary")
		})
	}
}

// An indented code block ends at a line that is not indented, and at nothing else.
func TestTextStaysInItsBlock(t *testing.T) {
	for name, text := range map[string]string{
		"a fence":                "a\n```\n# not a heading\n@somebody <b>\n```\n",
		"many backticks":         strings.Repeat("`", 70000),
		"carriage returns":       "12 of 30\r# not a heading\r\nend",
		"what is not UTF-8":      "a\xff\xfeb\n",
		"a blank line":           "a\n\n# not a heading\n",
		"what a shell would run": "$(touch run) `touch run` '; touch run; '\n",
		"a link to the outside":  "a\n</details>\n![x](https://example.org)",
		"more than GitHub takes": strings.Repeat("é\n", 40000),
	} {
		t.Run(name, func(t *testing.T) {
			calls, _ := step(t, "Keep one issue up to date", []any{}, map[string]string{"audit.txt": text},
				map[string]string{"DESIGN": "osem-ladders", "ENVIRONMENT": "prod", "CODE": "1"})
			require.Len(t, calls, 1)
			require.Len(t, calls[0], 6, "expected one issue")
			body, is := strings.CutPrefix(calls[0][5], lastRun)
			assert.True(t, is && utf8.RuneCountInString(calls[0][5]) <= 65536, "expected the run's address and at most 65,536 characters, found %q", calls[0])
			body = strings.TrimPrefix(body, "The audit printed more than GitHub takes; the end is cut off here. All of it is in the log and in the artifacts of the run.\n\n")
			for line := range strings.Lines(body) {
				assert.True(t, strings.HasPrefix(line, "    "), "expected an indented line, found %q", line)
				assert.False(t, strings.ContainsRune(line, '\r'), "expected an indented line, found %q", line)
			}
		})
	}
}

// A pull request has one comment of this workflow's, whatever else is written there.
func TestCommentKeepsOneComment(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Summary string
		Times         int // that the summary is written
		Pages         []any
		Want          []string
		Begins        string
	}](t, "comments.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			summary := strings.Repeat(row.Summary, max(row.Times, 1))
			calls, _ := step(t, "Comment on the pull request", row.Pages, map[string]string{"build/report/summary.md": summary}, map[string]string{"NUMBER": "12"})
			require.Len(t, calls, 1)
			require.Len(t, calls[0], 7, "expected one call")
			body := calls[0][6]
			assert.Empty(t, cmp.Diff(append([]string{"api", "--silent", "--method"}, append(row.Want, "--field")...), calls[0][:6]), "call (-want +got)")
			assert.True(t, strings.HasPrefix(body, row.Begins) && utf8.RuneCountInString(body) <= 65536,
				"expected %q of at most 65,536 characters, found %q", row.Begins, body[:min(len(body), 300)])
		})
	}
}
