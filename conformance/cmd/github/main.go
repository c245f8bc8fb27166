// Command github tells GitHub what CI has found: `drift` keeps one issue for each audited environment, and `comment` one
// comment on a pull request. The workflow in .github/workflows/dynaproof.yml runs it by `go run`.
//
// It is a command of its own so that dynaproof itself knows no forge and takes no token.
//
// From its environment it takes what a workflow has there: GITHUB_TOKEN (which a workflow must pass), GITHUB_REPOSITORY,
// GITHUB_API_URL, GITHUB_SERVER_URL and GITHUB_RUN_ID.
// https://docs.github.com/en/actions/reference/workflows-and-actions/variables
//
// Exit codes: 0 done, or nothing was to do; 1 GitHub refused or did not answer; 2 wrong usage.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/google/go-github/v88/github"
	"github.com/spf13/cobra"

	"dynaproof/conformance/internal/redact"
)

// answerTime bounds the wait for one answer of GitHub.
const answerTime = 30 * time.Second

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "github:", strings.Join(strings.Fields(err.Error()), " "))
	if refused := (*refusedError)(nil); errors.As(err, &refused) {
		return 1
	}
	return 2
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "github",
		Short:         "Tell GitHub what CI has found",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(driftCommand(), commentCommand())
	return root
}

// repository is one repository on GitHub, and the run that speaks to it.
type repository struct {
	*github.Client
	owner, name string
	run         string // address of the workflow's run
}

// open takes the repository from the environment. It sends no request.
func open() (*repository, error) {
	var problems []error
	need := func(name, what string) string {
		value := os.Getenv(name)
		if value == "" {
			problems = append(problems, fmt.Errorf("%s: expected %s, found nothing; set it", name, what))
		}
		return value
	}
	token := need("GITHUB_TOKEN", "the token of the workflow, ${{ github.token }}")
	api := need("GITHUB_API_URL", "the address of GitHub's API, such as https://api.github.com")
	server := need("GITHUB_SERVER_URL", "the address of GitHub, such as https://github.com")
	run := need("GITHUB_RUN_ID", "the number of the workflow's run")
	full := need("GITHUB_REPOSITORY", "OWNER/NAME of the repository")
	owner, name, ok := strings.Cut(full, "/")
	if full != "" && (!ok || owner == "" || name == "" || strings.Contains(name, "/")) {
		problems = append(problems, fmt.Errorf("GITHUB_REPOSITORY: expected OWNER/NAME, found %q", full))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	client, err := github.NewClient(github.WithAuthToken(token), github.WithURLs(&api, nil), github.WithTimeout(answerTime), github.WithEnvProxy())
	if err != nil {
		return nil, fmt.Errorf("GITHUB_API_URL %q: %w", api, err)
	}
	return &repository{client, owner, name, server + "/" + full + "/actions/runs/" + run}, nil
}

// refusedError says that GitHub refused a request, or did not answer it.
type refusedError struct {
	doing, permission string
	err               error
}

func (e *refusedError) Unwrap() error { return e.err }

func (e *refusedError) Error() string {
	status := 0
	if answer := (*github.ErrorResponse)(nil); errors.As(e.err, &answer) && answer.Response != nil {
		status = answer.Response.StatusCode
	}
	var limited *github.RateLimitError
	var abuse *github.AbuseRateLimitError
	advice := "GitHub was not reached; run the job again"
	switch {
	case errors.As(e.err, &limited), errors.As(e.err, &abuse):
		advice = "too many requests were sent with this token; run the job again later"
	case status == 401:
		advice = "GITHUB_TOKEN is not known to GitHub, or has expired; pass ${{ github.token }}"
	case status == 403:
		advice = "the token may not do this; give the job the permission " + e.permission
	case status == 404, status == 410:
		advice = "the token does not see the repository, or its issues are switched off; check both"
	case status >= 500:
		advice = "GitHub failed; run the job again"
	case status != 0:
		advice = "this is a defect, please report it"
	}
	return fmt.Sprintf("%s: expected GitHub to do it, found %v; %s", e.doing, e.err, advice)
}

// shown returns a text as it may stand in public: without names of accounts, callers and people, and without control
// characters. What dynaproof writes has none unless it was asked for them.
func shown(text string) string { return redact.Visible(redact.New(redact.Names{}).Text(text)) }

// ours says whether a workflow's token wrote something: it does so as a bot. What a person wrote under the same title, or
// with the same mark, is left alone.
func ours(author *github.User) bool { return author.GetType() == "Bot" }
