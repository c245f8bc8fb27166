package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// asCommand makes the test binary the command itself, so that the tests run it as CI does: as a process.
const asCommand = "DYNAPROOF_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

const (
	title = "dynaproof: osem-ladders.prod differs from its document"
	other = "dynaproof: osem-ladders.dev differs from its document"
)

// ended is what a run of the command printed, and its exit code.
type ended struct {
	code                    int
	stdout, stderr, summary string
}

// execute runs the command as the workflow does, against a server, on a file that holds a text. Further entries of the
// environment replace its own.
func execute(t *testing.T, g *server, text string, args []string, environment ...string) ended {
	t.Helper()
	file, summary := filepath.Join(t.TempDir(), "audit.txt"), filepath.Join(t.TempDir(), "summary")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), os.Args[0], append(args, file)...)
	c.Env = append([]string{
		asCommand + "=yes",
		"GITHUB_TOKEN=" + token, "GITHUB_REPOSITORY=owner/name", "GITHUB_API_URL=" + g.URL + "/api/v3",
		"GITHUB_SERVER_URL=https://github.example", "GITHUB_RUN_ID=77", "GITHUB_STEP_SUMMARY=" + summary,
	}, environment...)
	var stdout, stderr strings.Builder
	c.Stdout, c.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	written, err := os.ReadFile(summary)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return ended{c.ProcessState.ExitCode(), stdout.String(), stderr.String(), string(written)}
}

func driftArgs(env, code string) []string {
	return []string{"drift", "--design", "osem-ladders", "--env", env, "--code", code}
}

// audited runs `drift` and expects that it is done.
func audited(t *testing.T, g *server, env, code, text string) ended {
	t.Helper()
	seen := execute(t, g, text, driftArgs(env, code))
	if seen.code != 0 || seen.stderr != "" {
		t.Fatalf("expected exit code 0 and no error, found %d: %s", seen.code, seen.stderr)
	}
	return seen
}

// open lists the numbers of the open issues.
func (g *server) open() (numbers []int) {
	for _, one := range g.issues {
		if one.State == "open" {
			numbers = append(numbers, one.Number)
		}
	}
	return numbers
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if difference := cmp.Diff(want, got); difference != "" {
		t.Errorf("%s (-want +got):\n%s", what, difference)
	}
}

// One environment has one issue: the first drift opens it, further ones change it, and it is closed with a word when the
// audit conforms; the next drift opens another.
func TestDriftKeepsOneIssue(t *testing.T) {
	g := serve(t)
	seen := audited(t, g, "prod", "1", "FAIL  osem-ladders/table/Users/stream\n")
	equal(t, "output", "opened issue 1\n", seen.stdout)
	equal(t, "summary", "## osem-ladders.prod: exit code 1\n\nLast audit: https://github.example/owner/name/actions/runs/77\n\n    FAIL  osem-ladders/table/Users/stream\n", seen.summary)
	equal(t, "title", title, g.issues[0].Title)
	equal(t, "body", "Last audit: https://github.example/owner/name/actions/runs/77\n\n    FAIL  osem-ladders/table/Users/stream\n", g.issues[0].Body)

	seen = audited(t, g, "prod", "1", "FAIL  osem-ladders/table/Teams/ttl\n")
	equal(t, "output", "brought issue 1 up to date\n", seen.stdout)
	equal(t, "open issues", []int{1}, g.open())
	equal(t, "body", "Last audit: https://github.example/owner/name/actions/runs/77\n\n    FAIL  osem-ladders/table/Teams/ttl\n", g.issues[0].Body)
	equal(t, "title", title, g.issues[0].Title)

	seen = audited(t, g, "prod", "0", "PASS\n")
	equal(t, "output", "closed issue 1\n", seen.stdout)
	equal(t, "open issues", []int(nil), g.open())
	if len(g.issues[0].comments) != 1 || g.issues[0].comments[0].Body != "It conforms again: https://github.example/owner/name/actions/runs/77" {
		t.Errorf("expected one comment that says why, found %+v", g.issues[0].comments)
	}

	seen = audited(t, g, "prod", "0", "PASS\n")
	equal(t, "output", "osem-ladders.prod conforms, and no issue is open\n", seen.stdout)
	audited(t, g, "prod", "1", "FAIL\n")
	equal(t, "open issues", []int{2}, g.open())
}

// An issue, a summary and a comment are public with their repository: nobody is named in them.
func TestNobodyIsNamed(t *testing.T) {
	pull := &issue{Number: 1, Title: "a change", State: "open", User: person, PullRequest: map[string]string{}}
	g := serve(t, pull)
	const text = "as arn:aws:sts::123456789012:assumed-role/ProdAdmin/jane, ask jane@corp.test\x1b[31m\n"
	const want = "as arn:aws:sts::[account]:assumed-role/[role]/[session] ask [mail address][31m\n"
	seen := audited(t, g, "prod", "1", text)
	if len(g.issues) != 2 || !strings.HasSuffix(g.issues[1].Body, want) || !strings.HasSuffix(seen.summary, want) {
		t.Errorf("expected %q, found %q and %q", want, g.issues[len(g.issues)-1].Body, seen.summary)
	}
	execute(t, g, text, []string{"comment", "--pull", "1"})
	if len(pull.comments) != 1 || !strings.HasSuffix(pull.comments[0].Body, want) {
		t.Errorf("expected %q in a comment, found %+v", want, pull.comments)
	}
}

func TestDriftOfTwoEnvironmentsDoesNotMix(t *testing.T) {
	g := serve(t)
	audited(t, g, "prod", "1", "of prod")
	audited(t, g, "dev", "1", "of dev")
	audited(t, g, "dev", "1", "of dev again")
	equal(t, "titles", []string{title, other}, []string{g.issues[0].Title, g.issues[1].Title})
	if !strings.Contains(g.issues[0].Body, "    of prod\n") || !strings.Contains(g.issues[1].Body, "    of dev again\n") {
		t.Errorf("expected a body for each environment, found %q and %q", g.issues[0].Body, g.issues[1].Body)
	}
	audited(t, g, "prod", "0", "")
	equal(t, "open issues", []int{2}, g.open())
}

// An audit that could not tell asks GitHub nothing, so it can neither open nor close an issue.
func TestDriftThatCouldNotTellTouchesNothing(t *testing.T) {
	for _, code := range []string{"2", "3", "137"} {
		g := serve(t, &issue{Number: 4, Title: title, Body: "before", State: "open", User: bot})
		seen := audited(t, g, "prod", code, "no credentials")
		equal(t, "requests", []string(nil), g.asked)
		equal(t, "output", "the audit of osem-ladders.prod could not tell (exit code "+code+"); its issue stays as it is\n", seen.stdout)
		if !strings.Contains(seen.summary, "exit code "+code) || !strings.Contains(seen.summary, "    no credentials\n") {
			t.Errorf("expected the text in the summary of the run, found %q", seen.summary)
		}
	}
}

// What decides is the title of an open issue that a workflow wrote, wherever it stands in the list.
func TestDriftFindsItsIssue(t *testing.T) {
	many := func(first *issue) (all []*issue) {
		all = append(all, first)
		for len(all) < 250 {
			all = append(all, &issue{Number: 1000 + len(all), Title: "another one", Body: "before", State: "open", User: person})
		}
		return all
	}
	for _, row := range []struct {
		name    string
		issues  []*issue
		changed int // number of the issue that is changed; 0 when one is opened
	}{
		{"two of them: the lowest number", []*issue{
			{Number: 9, Title: title, State: "open", User: bot}, {Number: 3, Title: title, State: "open", User: bot}, {Number: 5, Title: title, State: "open", User: bot},
		}, 3},
		{"on the third page", many(&issue{Number: 7, Title: title, State: "open", User: bot}), 7},
		{"on no page", many(&issue{Number: 7, Title: other, State: "open", User: bot}), 0},
		{"closed", []*issue{{Number: 3, Title: title, State: "closed", User: bot}}, 0},
		{"a title that goes on", []*issue{{Number: 3, Title: title + "!", State: "open", User: bot}}, 0},
		{"a pull request", []*issue{{Number: 3, Title: title, State: "open", User: bot, PullRequest: map[string]string{"url": "https://api.github.example/pulls/3"}}}, 0},
		{"written by a person", []*issue{{Number: 3, Title: title, State: "open", User: person}}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, one := range row.issues {
				one.Body = "before"
			}
			g := serve(t, row.issues...)
			audited(t, g, "prod", "1", "differs")
			var changed []int
			for _, one := range g.issues {
				if one.Body != "before" {
					changed = append(changed, one.Number)
				}
			}
			opened := len(g.issues) > len(row.issues)
			switch {
			case row.changed == 0 && !opened, row.changed != 0 && opened, len(changed) != 1, row.changed != 0 && changed[0] != row.changed:
				t.Errorf("expected to change issue %d (0: a new one), found a new one: %t, changed: %v", row.changed, opened, changed)
			}
		})
	}
}

func TestWhatGitHubRefuses(t *testing.T) {
	conforms, differs := driftArgs("prod", "0"), driftArgs("prod", "1")
	comment := []string{"comment", "--pull", "4"}
	for _, row := range []struct {
		name, method string
		status       int
		args         []string
		words        []string
	}{
		{"token unknown", "GET", 401, differs, []string{"listing the open issues", "401", "GITHUB_TOKEN is not known"}},
		{"may not list", "GET", 403, differs, []string{"listing the open issues", "403 Resource not accessible by integration", "issues: write"}},
		{"may not open", "POST", 403, driftArgs("new", "1"), []string{"opening the issue", "osem-ladders.new", "issues: write"}},
		{"may not change", "PATCH", 403, differs, []string{"bringing issue 4 up to date", "issues: write"}},
		{"may not comment", "POST", 403, conforms, []string{"commenting on issue 4", "issues: write"}},
		{"may not close", "PATCH", 403, conforms, []string{"closing issue 4", "issues: write"}},
		{"issues switched off", "GET", 410, differs, []string{"410", "switched off"}},
		{"GitHub fails", "GET", 500, differs, []string{"500", "GitHub failed; run the job again"}},
		{"GitHub is overloaded", "PATCH", 503, differs, []string{"503", "GitHub failed; run the job again"}},
		{"GitHub takes it for a mistake", "PATCH", 422, differs, []string{"422", "report it"}},
		{"may not list comments", "GET", 403, comment, []string{"listing the comments on pull request 4", "pull-requests: write"}},
		{"may not comment on a pull request", "POST", 403, comment, []string{"commenting on pull request 4", "pull-requests: write"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := serve(t, &issue{Number: 4, Title: title, Body: "before", State: "open", User: bot})
			g.refusing[row.method] = row.status
			refused(t, execute(t, g, "differs", row.args), 1, row.words...)
			if len(g.issues) != 1 || g.issues[0].Body != "before" || g.issues[0].State != "open" {
				t.Errorf("expected the issue as it was, found %+v", g.issues[0])
			}
		})
	}
	t.Run("wrong token", func(t *testing.T) {
		refused(t, execute(t, serve(t), "differs", differs, "GITHUB_TOKEN=another"), 1, "401 Bad credentials", "${{ github.token }}")
	})
	t.Run("nobody answers", func(t *testing.T) {
		refused(t, execute(t, serve(t), "differs", differs, "GITHUB_API_URL=http://127.0.0.1:1"), 1, "connection refused", "GitHub was not reached")
	})
}

// refused expects an exit code and one line that says what to do and holds no token.
func refused(t *testing.T, seen ended, code int, words ...string) {
	t.Helper()
	if seen.code != code || strings.Count(seen.stderr, "\n") != 1 || !strings.HasPrefix(seen.stderr, "github: ") || seen.stdout != "" {
		t.Errorf("expected exit code %d and one line of error alone, found %d, %q and %q", code, seen.code, seen.stderr, seen.stdout)
	}
	for _, word := range words {
		if !strings.Contains(seen.stderr, word) {
			t.Errorf("expected %q in %q", word, seen.stderr)
		}
	}
	if strings.Contains(seen.stderr, token) {
		t.Errorf("expected no token in %q", seen.stderr)
	}
}

func TestWrongUsage(t *testing.T) {
	g := serve(t)
	for _, row := range []struct {
		name        string
		args        []string
		environment []string
		words       []string
	}{
		{"no token", driftArgs("prod", "1"), []string{"GITHUB_TOKEN="}, []string{"GITHUB_TOKEN", "set it"}},
		{"no repository", driftArgs("prod", "1"), []string{"GITHUB_REPOSITORY=", "GITHUB_RUN_ID="}, []string{"GITHUB_REPOSITORY", "GITHUB_RUN_ID"}},
		{"repository without an owner", driftArgs("prod", "1"), []string{"GITHUB_REPOSITORY=name"}, []string{"OWNER/NAME", `"name"`}},
		{"address that is none", driftArgs("prod", "1"), []string{"GITHUB_API_URL=http://[::1"}, []string{"GITHUB_API_URL"}},
		{"no environment", []string{"drift", "--design", "x", "--code", "1"}, nil, []string{"--env"}},
		{"environment of an unset variable", driftArgs("", "1"), nil, []string{"--env"}},
		{"code of an unset variable", driftArgs("prod", ""), nil, []string{"--code"}},
		{"no code", []string{"drift", "--design", "x", "--env", "prod"}, nil, []string{"--code"}},
		{"no pull request", []string{"comment"}, nil, []string{"--pull"}},
		{"two files", append(driftArgs("prod", "1"), "x"), nil, []string{"accepts 1 arg(s), received 2"}},
		{"summary in a file that is none", driftArgs("prod", "1"), []string{"GITHUB_STEP_SUMMARY=/nowhere/summary"}, []string{"GITHUB_STEP_SUMMARY"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			refused(t, execute(t, g, "", row.args, row.environment...), 2, row.words...)
		})
	}
	equal(t, "requests", []string(nil), g.asked)
}

// The server refuses a body of more than 65,536 characters, as GitHub does.
func TestLongTextIsCut(t *testing.T) {
	const head = "Last audit: https://github.example/owner/name/actions/runs/77\n\n"
	fits := strings.Repeat("é", 65536-len(head)-len("    \n"))
	g := serve(t)
	audited(t, g, "prod", "1", fits)
	equal(t, "body", head+"    "+fits+"\n", g.issues[0].Body)

	audited(t, g, "prod", "1", fits+"😀\n")
	text := g.issues[0].Body
	if !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) || utf8.RuneCountInString(text) != 65536 {
		t.Errorf("expected 65,536 characters, none broken, found %d", utf8.RuneCountInString(text))
	}
	if !strings.HasPrefix(text, head+"The audit printed 65469 characters, more than GitHub takes; the end is cut off here.") || !strings.HasSuffix(text, "éé") {
		t.Errorf("expected it to say that it was cut, found %q", text[:200])
	}
}

// An indented code block ends at a line that is not indented, and at nothing else.
func TestTextStaysInItsBlock(t *testing.T) {
	for name, text := range map[string]string{
		"a fence":               "a\n```\n# not a heading\n@somebody <b>\n```\n",
		"many backticks":        strings.Repeat("`", 70000),
		"carriage returns":      "12 of 30\r# not a heading\r\nend",
		"what is not UTF-8":     "a\xff\xfeb\n",
		"a blank line":          "a\n\n# not a heading\n",
		"a link to the outside": "a\n</details>\n![x](https://example.org)",
	} {
		t.Run(name, func(t *testing.T) {
			g := serve(t)
			audited(t, g, "prod", "1", text)
			block := slices.Collect(strings.Lines(g.issues[0].Body))[2:]
			if strings.HasPrefix(block[0], "The audit printed") {
				block = block[2:]
			}
			for _, line := range block {
				if !strings.HasPrefix(line, "    ") || strings.ContainsRune(line, '\r') || !utf8.ValidString(line) {
					t.Errorf("expected an indented line, found %q", line)
				}
			}
		})
	}
}

// A pull request has one comment of this command's, whatever else is written there.
func TestCommentKeepsOneComment(t *testing.T) {
	const mark = "<!-- dynaproof: summary -->\n" // written out: the command is not believed
	quoted := &issue{ID: 1, Body: mark + "quoted", User: person}
	elses := &issue{ID: 2, Body: "coverage: 80 %", User: bot}
	pull := &issue{Number: 12, Title: "a change", State: "open", User: person, PullRequest: map[string]string{}, comments: []*issue{quoted}}
	for len(pull.comments) < 120 {
		pull.comments = append(pull.comments, &issue{ID: 2000 + len(pull.comments), Body: "hello", User: person})
	}
	g := serve(t, pull)
	say := func(text, output string) {
		t.Helper()
		if seen := execute(t, g, text, []string{"comment", "--pull", "12"}); seen.code != 0 || seen.stdout != output {
			t.Fatalf("expected %q, found exit code %d, %q, %q", output, seen.code, seen.stdout, seen.stderr)
		}
	}
	say("## conforms\n", "commented on pull request 12\n")
	pull.comments = append(pull.comments, elses)
	say("## does not conform\n", "brought the comment on pull request 12 up to date\n")
	equal(t, "number of comments", 122, len(pull.comments))
	equal(t, "own comment", mark+"## does not conform\n", pull.comments[120].Body)
	equal(t, "comment of another workflow", "coverage: 80 %", elses.Body)
	equal(t, "comment of a person", mark+"quoted", quoted.Body)

	say(strings.Repeat("é\n", 40000), "brought the comment on pull request 12 up to date\n")
	text := pull.comments[120].Body
	if utf8.RuneCountInString(text) != 65536 || !strings.HasPrefix(text, mark+"The summary is longer than GitHub takes; it is cut here. All of it is in the artifacts of https://github.example/owner/name/actions/runs/77.\n\né\n") {
		t.Errorf("expected 65,536 characters that say that they were cut, found %d: %q", utf8.RuneCountInString(text), text[:200])
	}
}
