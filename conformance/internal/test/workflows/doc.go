// Package workflows reads the files that say what runs where no test of this project runs: the GitHub workflows, the GitLab
// example, the Makefile, and the commands that the Markdown files tell people to type.
//
// [Lines] takes the command lines out of them, and [Check] holds one against the real command's flags and arguments,
// without running it. The package's own tests hold the files against what reads them: workflows against actionlint, and
// everything against the published schemas of GitHub, GitLab and goreleaser.
package workflows
