package workflows

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"
	"github.com/rhysd/actionlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
	if script == "" {
		t.Fatalf("expected a step %q, found none", name)
	}
	folder := t.TempDir()
	for file, text := range files {
		write(t, folder, file, text)
	}
	text, err := json.Marshal(pages)
	require.NoError(t, err)
	write(t, folder, "answers.json", string(text))
	write(t, folder, "step.sh", script)
	self, err := os.Executable()
	require.NoError(t, err)
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

type object = map[string]any

func issue(number int, title, by string) object {
	return object{"number": number, "title": title, "user": object{"type": by}}
}

const (
	title    = "dynaproof: osem-ladders.prod differs from its document"
	lastRun  = "Last audit: https://github.example/owner/name/actions/runs/77\n\n"
	conforms = "It conforms again: https://github.example/owner/name/actions/runs/77"
)

// One environment has one issue, found by its title among those that workflows wrote.
func TestDriftKeepsOneIssue(t *testing.T) {
	pull := issue(2, title, "Bot")
	pull["pull_request"] = object{}
	others := []any{issue(1, title, "User"), pull, issue(3, title+"!", "Bot"), issue(4, "another", "Bot")}
	for _, row := range []struct {
		name, code string
		pages      []any
		want       [][]string
	}{
		{"the first drift opens it", "1", []any{others}, [][]string{{"issue", "create", "--title", title, "--body-file", lastRun + "    FAIL\n"}}},
		{"a further one changes it", "1", []any{others, []any{issue(7, title, "Bot"), issue(9, title, "Bot")}}, [][]string{{"issue", "edit", "7", "--body-file", lastRun + "    FAIL\n"}}},
		{"it is closed with a word", "0", []any{[]any{issue(7, title, "Bot")}}, [][]string{{"issue", "close", "7", "--reason", "completed", "--comment", conforms}}},
		{"nothing to close", "0", []any{others}, nil},
		{"could not tell", "3", []any{[]any{issue(7, title, "Bot")}}, nil},
		{"killed", "137", []any{[]any{issue(7, title, "Bot")}}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			calls, summary := step(t, "Keep one issue up to date", row.pages, map[string]string{"audit.txt": "FAIL\n"},
				map[string]string{"DESIGN": "osem-ladders", "ENVIRONMENT": "prod", "CODE": row.code})
			assert.Empty(t, cmp.Diff(row.want, calls), "calls of gh (-want +got)")
			assert.Equal(t, "## osem-ladders.prod: exit code "+row.code+"\n\n"+lastRun+"    FAIL\n", summary, "summary")
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
			if len(calls) != 1 || len(calls[0]) != 6 {
				t.Fatalf("expected one issue, found %q", calls)
			}
			body, is := strings.CutPrefix(calls[0][5], lastRun)
			if !is || utf8.RuneCountInString(calls[0][5]) > 65536 {
				t.Errorf("expected the run's address and at most 65,536 characters, found %q", calls[0][5])
			}
			body = strings.TrimPrefix(body, "The audit printed more than GitHub takes; the end is cut off here. All of it is in the log and in the artifacts of the run.\n\n")
			for line := range strings.Lines(body) {
				if !strings.HasPrefix(line, "    ") || strings.ContainsRune(line, '\r') {
					t.Errorf("expected an indented line, found %q", line)
				}
			}
		})
	}
}

// A pull request has one comment of this workflow's, whatever else is written there.
func TestCommentKeepsOneComment(t *testing.T) {
	const mark = "<!-- dynaproof: summary -->\n" // written out: the workflow is not believed
	comment := func(id int, by, body string) object {
		return object{"id": id, "user": object{"type": by}, "body": body}
	}
	others := []any{comment(1, "User", mark+"quoted"), comment(2, "Bot", "coverage: 80 %")}
	long := strings.Repeat("é\n", 40000)
	for _, row := range []struct {
		name, summary string
		pages         []any
		want          []string
		begins        string
	}{
		{"the first", "## conforms $(touch run)\n", []any{others}, []string{"POST", "repos/owner/name/issues/12/comments"}, mark + "## conforms $(touch run)\n"},
		{"a further one", "## conforms\n", []any{others, []any{comment(8, "Bot", mark+"before"), comment(9, "Bot", mark)}}, []string{"PATCH", "repos/owner/name/issues/comments/8"}, mark + "## conforms\n"},
		{"too long", long, []any{others}, []string{"POST", "repos/owner/name/issues/12/comments"},
			mark + "The summary is longer than GitHub takes; it is cut here. All of it is in the artifacts of https://github.example/owner/name/actions/runs/77.\n\né\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			calls, _ := step(t, "Comment on the pull request", row.pages, map[string]string{"build/report/summary.md": row.summary}, map[string]string{"NUMBER": "12"})
			if len(calls) != 1 || len(calls[0]) != 7 {
				t.Fatalf("expected one call, found %q", calls)
			}
			body := calls[0][6]
			assert.Empty(t, cmp.Diff(append([]string{"api", "--silent", "--method"}, append(row.want, "--field")...), calls[0][:6]), "call (-want +got)")
			if !strings.HasPrefix(body, row.begins) || utf8.RuneCountInString(body) > 65536 {
				t.Errorf("expected %q of at most 65,536 characters, found %q", row.begins, body[:min(len(body), 300)])
			}
		})
	}
}
