package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/google/go-github/v88/github"
	"github.com/spf13/cobra"
)

const (
	mayWritePullRequests = "pull-requests: write"
	// mark is how a comment is found again. It is not shown.
	mark = "<!-- dynaproof: summary -->\n"
)

func commentCommand() *cobra.Command {
	var number int
	c := &cobra.Command{
		Use:   "comment --pull NUMBER FILE",
		Short: "Keep one comment on a pull request",
		Long: `Writes FILE, which is Markdown, as a comment on a pull request, in place of the one
that an earlier run wrote. Comments of other workflows stay as they are.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if number < 1 {
				return fmt.Errorf("comment: expected --pull, the number of a pull request, found %d", number)
			}
			text, err := os.ReadFile(args[0])
			if err != nil {
				return fmt.Errorf("comment: expected the file that holds the summary: %w", err)
			}
			at, err := open()
			if err != nil {
				return err
			}
			return at.comment(cmd.Context(), cmd.OutOrStdout(), number, at.marked(shown(string(text))))
		},
	}
	c.Flags().IntVar(&number, "pull", 0, "number of the pull request")
	return c
}

// marked returns a comment's text, with the mark and no longer than GitHub takes.
func (r *repository) marked(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if characters(mark)+characters(text) <= limit {
		return mark + text
	}
	note := "The summary is longer than GitHub takes; it is cut here. All of it is in the artifacts of " + r.run + ".\n\n"
	return mark + note + cut(text, limit-characters(mark)-characters(note))
}

// comment writes the one comment of this command on a pull request.
func (r *repository) comment(ctx context.Context, out io.Writer, number int, text string) error {
	for comment, err := range r.Issues.ListCommentsIter(ctx, r.owner, r.name, number, &github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: 100}}) {
		if err != nil {
			return &refusedError{fmt.Sprintf("listing the comments on pull request %d", number), mayWritePullRequests, err}
		}
		if !ours(comment.User) || !strings.HasPrefix(comment.GetBody(), mark) {
			continue
		}
		if _, _, err := r.Issues.EditComment(ctx, r.owner, r.name, comment.GetID(), &github.IssueComment{Body: &text}); err != nil {
			return &refusedError{fmt.Sprintf("changing the comment on pull request %d", number), mayWritePullRequests, err}
		}
		fmt.Fprintf(out, "brought the comment on pull request %d up to date\n", number)
		return nil
	}
	if _, _, err := r.Issues.CreateComment(ctx, r.owner, r.name, number, &github.IssueComment{Body: &text}); err != nil {
		return &refusedError{fmt.Sprintf("commenting on pull request %d", number), mayWritePullRequests, err}
	}
	fmt.Fprintf(out, "commented on pull request %d\n", number)
	return nil
}
