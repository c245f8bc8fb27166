//go:build unix

package cli_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

// toolVariable makes the test's binary a tool that deploys, as terraform does: it takes
// endpoint, region and credentials from its environment, keeps a state file, and has
// the commands apply and destroy.
const toolVariable = "DYNAPROOF_TEST_TOOL"

const toolState = "tool.state"

func tool(args []string) int {
	if err := toolDoes(context.Background(), args[0], args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tool:", err)
		return 1
	}
	return 0
}

// toolDoes makes or removes the table of the tickets. A further word changes it.
func toolDoes(ctx context.Context, command string, words []string) error {
	loaded, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client := dynamodb.NewFromConfig(loaded)
	if command == "destroy" {
		name, err := os.ReadFile(toolState)
		if err != nil {
			return err
		}
		if _, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(string(name))}); err != nil {
			return err
		}
		return os.Remove(toolState)
	}
	input := tableOf("Tickets-dev", "pk", "sk")
	indexed(input, "by-status", "status", "openedAt")
	switch strings.Join(words, " ") {
	case "keys only":
		keysOnly(input)
	case "another name":
		input.TableName = aws.String("tickets")
	}
	if _, err := client.CreateTable(ctx, input); err != nil {
		return err
	}
	fmt.Println("1 table created")
	return os.WriteFile(toolState, []byte(*input.TableName), 0o600)
}

// deploys returns the command line of a verify of the example whose tables the tool
// makes. $TOOL in a command is the tool.
func deploys(t *testing.T, deploy string, args ...string) *child {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return prepare(t, []string{toolVariable + "=1", "TOOL=" + self, "AWS_PROFILE=production", "AWS_SESSION_TOKEN=secret", "NO_PROXY=corp.example", "no_proxy="},
		append([]string{"verify", "--design", example, "--deploy", deploy}, args...)...)
}

// Whoever replaces the files of a design while a run is under way changes nothing of the run: what it does, says and digests is what it read
// first.
func TestVerifyOfFilesThatAreReplaced(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS(example)))
	replaced := "for file in items.json cases.json; do echo '[]' > $FOLDER/$file; done; echo $WORD > $FOLDER/tickets.md; " +
		"echo 'name: another' > $FOLDER/contract.yaml; echo '[]' > $FOLDER/more.items.json; echo 'accepted: nothing' > $FOLDER/status.yaml; "
	as, than := deploys(t, replaced+"$TOOL apply"), deploys(t, "$TOOL apply")
	as.Args[slices.Index(as.Args, "--design")+1] = folder
	as.Env = append(as.Env, "FOLDER="+folder, "WORD=a word of somebody else")
	as.apart(t, 0)
	than.apart(t, 0)
	found, want := read(t, as), read(t, than)
	assert.Equal(t, want.Inputs, found.Inputs, "the digests of what was read")
	others := verdicts(want)
	for id, result := range verdicts(found) {
		assert.Equal(t, others[id].Verdict, result.Verdict, id)
		assert.Len(t, result.Requests, len(others[id].Requests), "%s: expected as many requests as without the replacements", id)
	}
	for _, c := range []*child{as, than} {
		page := content(t, c.Dir, "build/report/index.html")
		lacks(t, "the report", page, "a word of somebody else")
		says(t, "the report", page, "A help desk keeps its tickets in one DynamoDB table")
	}
}

// leftOver is the process that a command has left, by the number that it wrote to a file.
func leftOver(t *testing.T, c *child) (pid int) {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(content(t, c.Dir, "hanging")))
	require.NoError(t, err)
	return pid
}

// A command that does not deploy ends with one line that says so, and leaves nothing.
func TestCommandsThatDoNotDeploy(t *testing.T) {
	t.Parallel()
	for _, row := range tabletest.Read[[]struct {
		Name, Deploy string
		Args         []string
		Shown, Line  string
	}](t, "deploys.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			c := deploys(t, row.Deploy, row.Args...)
			there := filepath.Join(c.Dir, "of", "the caller's")
			if row.Name == "fails" {
				require.NoError(t, os.MkdirAll(there, 0o755))
				c.Args = append(c.Args, "--report", there)
			}
			c.apart(t, 3)
			if row.Name == "fails" {
				assert.DirExists(t, there, "expected the caller's own folder to stay")
			}
			says(t, "the errors", c.stderr.String(), row.Shown, row.Line)
			assert.Empty(t, c.stdout.String(), "expected no summary")
			if strings.Contains(row.Deploy, "hanging") {
				pid := leftOver(t, c)
				eventually(t, "the process that the command left to end", func() bool { return gone(pid) })
			}
			for _, left := range files(t, c.Dir) {
				assert.True(t, filepath.Base(left) == "hanging" || row.Name == "cannot destroy again", "expected nothing left, found %s", left)
			}
		})
	}
}

// An interrupt ends the command with all that it started, and so does our own end.
func TestInterruptedCommand(t *testing.T) {
	for name, row := range map[string]struct {
		signal  syscall.Signal
		command string
	}{
		"interrupt":              {syscall.SIGINT, "sleep 600 & echo $! > hanging.new && mv hanging.new hanging; wait"},
		"killed":                 {syscall.SIGKILL, "sleep 600 & echo $! > hanging.new && mv hanging.new hanging; wait"},
		"interrupt of a session": {syscall.SIGINT, "setsid sh -c 'echo $$ > hanging.new && mv hanging.new hanging; exec sleep 600' & wait"},
		"killed, and all left":   {syscall.SIGKILL, "env -i setsid sh -c 'echo $$ > hanging.new && mv hanging.new hanging; exec sleep 600' & wait"},
		"killed, and a session":  {syscall.SIGKILL, "setsid sh -c 'echo $$ > hanging.new && mv hanging.new hanging; exec sleep 600' & wait"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := deploys(t, row.command)
			c.starts(t)
			eventually(t, "the command to run", func() bool {
				_, err := os.Stat(filepath.Join(c.Dir, "hanging"))
				return err == nil
			})
			require.NoError(t, c.Process.Signal(row.signal))
			assert.Equal(t, map[syscall.Signal]int{syscall.SIGINT: 3, syscall.SIGKILL: -1}[row.signal], c.ends(t), c.stderr.String())
			pid := leftOver(t, c)
			eventually(t, "the process that the command left to end", func() bool { return gone(pid) })
		})
	}
}

// A second interrupt ends the command that removes, too.
func TestInterruptedRemoval(t *testing.T) {
	t.Parallel()
	runs := func(word string) string {
		return "sleep 600 & echo $! > hanging.new; mv hanging.new hanging; touch " + word + "; wait"
	}
	c := deploys(t, runs("deploys"), "--destroy", runs("destroys"))
	c.starts(t)
	for _, word := range []string{"deploys", "destroys"} {
		c.signalled(t, syscall.SIGINT, word, func() bool {
			return slices.ContainsFunc(files(t, c.Dir), func(path string) bool { return filepath.Base(path) == word })
		})
	}
	c.endsWith(t, 3)
	pid := leftOver(t, c)
	eventually(t, "the process that the command left to end", func() bool { return gone(pid) })
}
