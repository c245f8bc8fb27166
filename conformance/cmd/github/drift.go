package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/google/go-github/v88/github"
	"github.com/spf13/cobra"
)

const mayWriteIssues = "issues: write"

// audit is an audit that ended: what was audited, its exit code, and what it printed.
type audit struct {
	design, environment string
	code                int
	text                string
}

func (a audit) title() string {
	return fmt.Sprintf("dynaproof: %s.%s differs from its document", a.design, a.environment)
}

func driftCommand() *cobra.Command {
	var of audit
	c := &cobra.Command{
		Use:   "drift --design DESIGN --env ENV --code CODE FILE",
		Short: "Keep one issue for an audited environment",
		Long: `Opens an issue when an audit differs (exit code 1), brings it up to date while it
does, and closes it when the audit conforms (0). An audit that could not tell (any
other code) changes nothing. FILE is what the audit printed. When GITHUB_STEP_SUMMARY
names a file, as it does in a workflow, the text is added there too, whatever the code.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if of.design == "" || of.environment == "" || of.code < 0 {
				return fmt.Errorf("drift: expected --design, --env and --code, found %q, %q and %d", of.design, of.environment, of.code)
			}
			text, err := os.ReadFile(args[0])
			if err != nil {
				return fmt.Errorf("drift: expected the file that holds what the audit printed: %w", err)
			}
			of.text = shown(string(text))
			at, err := open()
			if err != nil {
				return err
			}
			if err := addSummary(os.Getenv("GITHUB_STEP_SUMMARY"), of, at.run); err != nil {
				return err
			}
			return at.drift(cmd.Context(), cmd.OutOrStdout(), of)
		},
	}
	c.Flags().StringVar(&of.design, "design", "", "what was audited")
	c.Flags().StringVar(&of.environment, "env", "", "environment that was audited")
	c.Flags().IntVar(&of.code, "code", -1, "exit code of the audit")
	return c
}

// addSummary adds an audit to the summary of the workflow's run.
func addSummary(path string, of audit, run string) error {
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err)
	}
	if _, err := fmt.Fprintf(file, "## %s.%s: exit code %d\n\n%s", of.design, of.environment, of.code, body(run, of.text)); err != nil {
		file.Close()
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err)
	}
	return file.Close()
}

// drift does to the issue of an audited environment what the audit's exit code asks for.
func (r *repository) drift(ctx context.Context, out io.Writer, of audit) error {
	if of.code != 0 && of.code != 1 {
		fmt.Fprintf(out, "the audit of %s.%s could not tell (exit code %d); its issue stays as it is\n", of.design, of.environment, of.code)
		return nil
	}
	issue, err := r.openIssue(ctx, of.title())
	if err != nil {
		return err
	}
	switch {
	case of.code == 0 && issue == nil:
		fmt.Fprintf(out, "%s.%s conforms, and no issue is open\n", of.design, of.environment)
		return nil
	case of.code == 0:
		return r.closeIssue(ctx, out, issue)
	case issue == nil:
		made, _, err := r.Issues.Create(ctx, r.owner, r.name, &github.IssueRequest{Title: github.Ptr(of.title()), Body: github.Ptr(body(r.run, of.text))})
		if err != nil {
			return &refusedError{"opening the issue " + of.title(), mayWriteIssues, err}
		}
		fmt.Fprintf(out, "opened issue %d\n", made.GetNumber())
		return nil
	}
	_, _, err = r.Issues.Edit(ctx, r.owner, r.name, issue.GetNumber(), &github.IssueRequest{Body: github.Ptr(body(r.run, of.text))})
	if err != nil {
		return &refusedError{fmt.Sprintf("bringing issue %d up to date", issue.GetNumber()), mayWriteIssues, err}
	}
	fmt.Fprintf(out, "brought issue %d up to date\n", issue.GetNumber())
	return nil
}

// openIssue finds the open issue with a title: the one with the lowest number, should there be several, or none. GitHub
// lists pull requests among the issues; they are passed over.
func (r *repository) openIssue(ctx context.Context, title string) (*github.Issue, error) {
	var found []*github.Issue
	options := &github.IssueListByRepoOptions{State: "open", ListOptions: github.ListOptions{PerPage: 100}}
	for issue, err := range r.Issues.ListByRepoIter(ctx, r.owner, r.name, options) {
		if err != nil {
			return nil, &refusedError{"listing the open issues", mayWriteIssues, err}
		}
		if issue.GetTitle() == title && !issue.IsPullRequest() && ours(issue.User) {
			found = append(found, issue)
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	return slices.MinFunc(found, func(a, b *github.Issue) int { return cmp.Compare(a.GetNumber(), b.GetNumber()) }), nil
}

// closeIssue says why before it closes, so that an issue is never closed without a word.
func (r *repository) closeIssue(ctx context.Context, out io.Writer, issue *github.Issue) error {
	number := issue.GetNumber()
	if _, _, err := r.Issues.CreateComment(ctx, r.owner, r.name, number, &github.IssueComment{Body: github.Ptr("It conforms again: " + r.run)}); err != nil {
		return &refusedError{fmt.Sprintf("commenting on issue %d", number), mayWriteIssues, err}
	}
	closed := &github.IssueRequest{State: github.Ptr("closed"), StateReason: github.Ptr("completed")}
	if _, _, err := r.Issues.Edit(ctx, r.owner, r.name, number, closed); err != nil {
		return &refusedError{fmt.Sprintf("closing issue %d", number), mayWriteIssues, err}
	}
	fmt.Fprintf(out, "closed issue %d\n", number)
	return nil
}
