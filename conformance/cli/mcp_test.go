//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"dynaproof/accesspatterns/tabletest"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// assisted is a server that serves a folder, and the client that asks it.
type assisted struct {
	*mcp.ClientSession
	command      *exec.Cmd
	folder, temp string
	steps        chan string
}

// assist starts the command for a folder, with a temporary folder of its own.
func assist(t *testing.T, folder string, arguments ...string) *assisted {
	t.Helper()
	c := prepare(t, nil, append([]string{"mcp", folder}, arguments...)...)
	a := &assisted{command: c.Cmd, folder: folder, temp: t.TempDir(), steps: make(chan string, 10000)}
	c.Env, c.Stdout = append(c.Env, "TMPDIR="+a.temp), nil
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
			a.steps <- request.Params.Message
		},
	})
	var err error
	a.ClientSession, err = client.Connect(t.Context(), &mcp.CommandTransport{Command: c.Cmd, TerminateDuration: patience}, nil)
	require.NoError(t, err, "%s", c.stderr.String())
	t.Cleanup(func() {
		_ = a.Close()
		assert.Empty(t, c.stderr.String(), "standard error")
	})
	return a
}

// ask calls a tool and returns its answer, as text.
func (a *assisted) ask(ctx context.Context, name string, arguments any) (text string, failed bool, err error) {
	if arguments == nil {
		arguments = map[string]any{}
	}
	result, err := a.CallTool(ctx, &mcp.CallToolParams{Meta: mcp.Meta{"progressToken": name}, Name: name, Arguments: arguments})
	if err != nil {
		return "", false, err
	}
	for _, content := range result.Content {
		if is, ok := content.(*mcp.TextContent); ok {
			text += is.Text
		}
	}
	if structured, err := json.Marshal(result.StructuredContent); !result.IsError && (err != nil || len(structured) < 3) {
		return "", false, fmt.Errorf("expected a structured result of %s, found %s, %w", name, structured, err)
	}
	return text, result.IsError, nil
}

// answers calls a tool that answers, and refuses one that does not.
func (a *assisted) answers(t *testing.T, name string, arguments any) (text string) {
	t.Helper()
	text, failed, err := a.ask(t.Context(), name, arguments)
	require.NoError(t, err, "%s %.200v", name, arguments)
	require.False(t, failed, "%s %.200v: expected an answer, found %.2000s", name, arguments, text)
	return text
}

func (a *assisted) refuses(t *testing.T, name string, arguments any) (text string) {
	t.Helper()
	text, failed, err := a.ask(t.Context(), name, arguments)
	require.NoError(t, err, "%s %.200v", name, arguments)
	require.True(t, failed, "%s %.200v: expected a refusal, found %.2000s", name, arguments, text)
	return text
}

// leavesNothing ends the session and looks at what is left of it: files of the temporary folder, and processes that have it in their environment.
func (a *assisted) leavesNothing(t *testing.T) {
	t.Helper()
	assert.NoError(t, a.Close(), "expected the server to end with exit code 0")
	eventually(t, "no engine of the server", func() bool { return len(processesIn(a.temp)) == 0 })
	assert.Empty(t, files(t, a.temp), "files of the server")
}

// processesIn are the processes whose temporary folder that is, where the system tells.
func processesIn(folder string) (found []string) {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environments {
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte("TMPDIR="+folder)) {
			found = append(found, path)
		}
	}
	return found
}

func copied(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	require.NoError(t, err)
	for _, entry := range entries {
		write(t, to, entry.Name(), content(t, from, entry.Name()))
	}
}

// studio is a folder with a document that is none of the shipped ones.
func studio(t *testing.T, part string) string {
	t.Helper()
	folder := t.TempDir()
	write(t, folder, "studio.md", content(t, studios, "studio.md"))
	if part != "" {
		copied(t, filepath.Join(studios, part), folder)
	}
	return folder
}

// recorded is one step of a transcription: files that the client writes, or a call of a tool.
type recorded struct {
	Write       string
	Replace     map[string][2]string
	Tool        string
	Arguments   map[string]any
	Fails       bool
	Says, Lacks []string
}

// A whole transcription, from a folder with a document to a proof of all that it reads, with the mistakes that are made on the way.
func TestAssistantTranscribes(t *testing.T) {
	t.Parallel()
	a := assist(t, studio(t, ""))
	prompt := func() string {
		result, err := a.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "transcribe"})
		require.NoError(t, err)
		return result.Messages[0].Content.(*mcp.TextContent).Text
	}
	says(t, "the prompt before there is a contract", prompt(), "There is no contract.yaml yet", "- [ ] schema", "22 lines of studio.md", "\n33: 3. What waits in a kiln")
	var calls []recorded
	require.NoError(t, json.Unmarshal([]byte(content(t, studios, "calls.json")), &calls))
	for i, call := range calls {
		what := fmt.Sprintf("call %d, %s", i, call.Tool)
		if call.Write != "" {
			copied(t, filepath.Join(studios, call.Write), a.folder)
			for name, edit := range call.Replace {
				text := content(t, a.folder, name)
				require.Contains(t, text, edit[0], what)
				write(t, a.folder, name, strings.ReplaceAll(text, edit[0], edit[1]))
			}
			continue
		}
		text := map[bool]func(*testing.T, string, any) string{false: a.answers, true: a.refuses}[call.Fails](t, call.Tool, call.Arguments)
		says(t, what, text, call.Says...)
		lacks(t, what, text, append(call.Lacks, a.temp)...)
		if i == len(calls)/2 {
			says(t, "the prompt on the way", prompt(), "The contract is at level items", "- [x] items", "- [ ] reads", "these 4 lines of studio.md", "\n31: 1. Show a kiln", "no instruction to you")
		}
	}
	says(t, "the prompt at the end", prompt(), "level reads, and check says PASS", "Every line of studio.md")
	assert.NotEmpty(t, a.steps, "progress of verify")
	assert.Equal(t, []string{"cases.json", "contract.yaml", "items.json", "studio.md"}, names(t, a.folder))
	a.leavesNothing(t)
}

// What is offered has schemas, and can be read.
func TestAssistantIsOffered(t *testing.T) {
	t.Parallel()
	a := assist(t, studio(t, "3-reads"))
	tools, err := a.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		input, _ := tool.InputSchema.(map[string]any)
		output, _ := tool.OutputSchema.(map[string]any)
		assert.Equal(t, []any{"object", "object", true}, []any{input["type"], output["type"], tool.Annotations.ReadOnlyHint}, tool.Name)
		assert.NotEmpty(t, tool.Description, tool.Name)
	}
	assert.Equal(t, []string{"audit", "check", "explain", "guide", "read", "review", "verify"}, names)
	resources, err := a.ListResources(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, resources.Resources, 6)
	for _, resource := range resources.Resources {
		read, err := a.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: resource.URI})
		assert.True(t, err == nil && int64(len(read.Contents[0].Text)) == resource.Size && resource.Size >= 500, "%s: expected its text, found %v, %v", resource.URI, read, err)
	}
	for _, level := range []string{"", "schema", "items", "reads", "writes", "resilience"} {
		assert.LessOrEqual(t, len(a.answers(t, "guide", map[string]any{"level": level})), 48<<10, "guide %s", level)
	}
	a.leavesNothing(t)
}

// Nothing outside of the folder is read, whoever names it, and no answer grows without a bound.
func TestAssistantStaysInItsFolder(t *testing.T) {
	t.Parallel()
	folder := studio(t, "3-reads")
	outside := filepath.Join(filepath.Dir(folder), "outside.md")
	var huge strings.Builder
	huge.WriteString("# Much\n\nTable `Much`\n\n- **Partition key**: `pk` (String)\n\n")
	for i := range 300 {
		fmt.Fprintf(&huge, "- Index `by-%d`: partition key `attribute%d` (String).\n", i, i)
	}
	require.NoError(t, errors.Join(
		os.WriteFile(outside, []byte("# secret words\n\nTable `T`.\n"), 0o600), os.Symlink(outside, filepath.Join(folder, "link.md")), os.Symlink("..", filepath.Join(folder, "above")),
		os.Mkdir(filepath.Join(folder, ".git"), 0o700), os.WriteFile(filepath.Join(folder, ".git/config.md"), []byte("# secret words\n"), 0o600),
		os.WriteFile(filepath.Join(folder, "huge.md"), bytes.Repeat([]byte("| x | y |\n"), 1<<20), 0o600), os.WriteFile(filepath.Join(folder, "long.md"), []byte(huge.String()), 0o600),
		os.WriteFile(filepath.Join(folder, "binary.md"), []byte{0, 1, 2, 255, 254}, 0o600), syscall.Mkfifo(filepath.Join(folder, "fifo.md"), 0o600),
	))
	there := files(t, folder)
	a := assist(t, folder)
	for name, want := range map[string]string{
		"../outside.md": "leads out", outside: "leads out", "link.md": "leads out", "above/outside.md": "leads out", "/etc/passwd": "leads out", ".git/config.md": "hidden", "none.md": "found none of that name",
		"fifo.md": "found a device", "huge.md": "expected at most", "binary.md": "", "": "cannot be read", ".": "cannot be read: is a directory", strings.Repeat("x", 5000): "cannot be read: file name too long", "-": "", "--html=x.md": "", "studio.md\x00": "cannot be read",
	} {
		for _, tool := range []string{"read", "review"} {
			text := a.refuses(t, tool, map[string]any{"file": name})
			says(t, tool+" "+name, text, want)
			lacks(t, tool+" "+name, text, "secret words")
		}
	}
	text := a.answers(t, "read", map[string]any{"file": "long.md"})
	assert.LessOrEqual(t, len(text), 48<<10, "a long document")
	says(t, "a long document", text, `"cut":[`, "result.document.unread: the first 100 of ")
	for _, claim := range []string{"--design=/", "--report", "../../etc/passwd", strings.Repeat("x", 100000)} {
		assert.LessOrEqual(t, len(a.refuses(t, "explain", map[string]any{"claim": claim})), 17<<10, "explain %.30s", claim)
	}
	for _, arguments := range []any{map[string]any{"folder": "/"}, map[string]any{"file": 3}, []string{"x"}, nil} {
		result, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: "read", Arguments: arguments})
		assert.True(t, err != nil || result.IsError, "arguments %v: expected a refusal, found %v", arguments, result.StructuredContent)
	}
	outsideIsAsked := &mcp.GetPromptParams{Name: "transcribe", Arguments: map[string]string{"document": "../outside.md"}}
	_, err := a.GetPrompt(t.Context(), outsideIsAsked)
	assert.NoError(t, err, "a prompt where the contract names the document")
	write(t, folder, "contract.yaml", strings.ReplaceAll(content(t, folder, "contract.yaml"), "file: studio.md", "file: ../outside.md"))
	a.refuses(t, "check", nil)
	_, err = a.GetPrompt(t.Context(), outsideIsAsked)
	assert.ErrorContains(t, err, "leads out", "a prompt for a document outside")
	copied(t, filepath.Join(studios, "3-reads"), folder)
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "status.yaml")))
	says(t, "a status outside", a.refuses(t, "verify", nil), "leads out")
	require.NoError(t, errors.Join(os.Remove(filepath.Join(folder, "contract.yaml")), os.Symlink(outside, filepath.Join(folder, "contract.yaml"))))
	for _, tool := range []string{"check", "verify"} {
		lacks(t, tool, a.refuses(t, tool, nil), "secret words")
	}
	require.NoError(t, errors.Join(os.Remove(filepath.Join(folder, "contract.yaml")), os.Remove(filepath.Join(folder, "status.yaml")), os.WriteFile(filepath.Join(folder, "contract.yaml"), nil, 0o600)))
	assert.Equal(t, there, files(t, folder), "the folder, before and after")
	a.leavesNothing(t)
}

// Calls at the same time do not meet.
func TestAssistantIsAskedSideBySide(t *testing.T) {
	t.Parallel()
	a := assist(t, studio(t, "3-reads"))
	var group sync.WaitGroup
	for i := range 3 {
		for tool, want := range map[string]string{"verify": `"pass":29`, "check": `"claims":29`, "read": `"lines":33`, "explain": "What is fired in a room"} {
			group.Go(func() {
				arguments := map[string]any{"read": map[string]any{"file": "studio.md"}, "explain": map[string]any{"claim": "studio/pattern/firings-of-room"}}[tool]
				text, failed, err := a.ask(t.Context(), tool, arguments)
				assert.True(t, err == nil && !failed && strings.Contains(text, want), "%s, time %d: expected %s, found %v, %s", tool, i, want, err, text)
			})
		}
	}
	group.Wait()
	a.leavesNothing(t)
}

// A verify that is given up leaves no engine, no table and no file; the server goes on.
func TestAssistantGivesUp(t *testing.T) {
	t.Parallel()
	a := assist(t, studio(t, "3-reads"))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, _, err := a.ask(ctx, "verify", nil)
		ended <- err
	}()
	<-a.steps // it has begun
	cancel()
	assert.ErrorIs(t, <-ended, context.Canceled, "expected the call to be given up")
	eventually(t, "no process but the server's", func() bool { return len(processesIn(a.temp)) <= 1 })
	says(t, "the next verify", a.answers(t, "verify", nil), `"pass":29`)
	a.leavesNothing(t)
}

// A server that goes away while it verifies, by its client's will or killed, takes the engine with it.
func TestAssistantGoesAway(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(a *assisted) error{
		"its input ends": func(a *assisted) error { return a.Close() },
		"SIGTERM":        func(a *assisted) error { return a.command.Process.Signal(syscall.SIGTERM) },
		"SIGKILL":        func(a *assisted) error { return a.command.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := assist(t, studio(t, "3-reads"))
			go func() { _, _, _ = a.ask(t.Context(), "verify", nil) }()
			<-a.steps
			assert.NoError(t, end(a))
			eventually(t, "no process of the server", func() bool { return len(processesIn(a.temp)) == 0 })
			left := files(t, a.temp)
			assert.True(t, name == "SIGKILL" || len(left) == 0, "expected no file of the server, found %v", left)
		})
	}
}

// An audit looks at the target that was named at the start, read-only.
func TestAssistantAudits(t *testing.T) {
	t.Parallel()
	url := engine(t).URL()
	a := assist(t, studio(t, "3-reads"), "--endpoint", url)
	says(t, "the audit of nothing", a.answers(t, "audit", nil), `"verdict":"FAIL"`, "studio/table/Studio/exists", "none of that name", "sends no read and no write")
	assert.Empty(t, tables(t, url))
	a.leavesNothing(t)
	run(t, "", 2, "mcp", a.folder, "--table", "Studio=x").oneError(t, "expected --target or --endpoint with the other options of an audit")
	run(t, "", 2, "mcp", filepath.Join(a.folder, "nowhere")).oneError(t, "expected the folder of a design")
}

// What is no message ends the session with a sentence. Nothing but messages is written to standard output.
func TestAssistantIsToldNonsense(t *testing.T) {
	t.Parallel()
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	given := strings.NewReplacer("<hello>", hello, "<call>", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":`, "<long>", strings.Repeat("x", 2<<20))
	for name, row := range tabletest.Read[map[string]struct {
		Sends, Says string
		Code        int
	}](t, "nonsense.yaml") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, temp := studio(t, "1-schema"), t.TempDir()
			c := prepare(t, []string{"TMPDIR=" + temp}, "mcp", folder)
			in, err := c.StdinPipe()
			c.Stdout = nil
			out, wrong := c.StdoutPipe()
			require.NoError(t, errors.Join(err, wrong, c.Start()))
			if _, err := io.WriteString(in, given.Replace(row.Sends)); err != nil && row.Code == 0 { // one that is too long is not read to its end
				t.Error(err)
			}
			answers, said := bufio.NewReader(out), ""
			for row.Says != "" && !strings.Contains(said, row.Says) {
				line, err := answers.ReadString('\n')
				require.NoError(t, err, "expected %q, found %s", row.Says, said)
				said += line
			}
			if err := in.Close(); row.Code == 0 {
				assert.NoError(t, err)
			}
			rest, err := io.ReadAll(answers)
			require.NoError(t, err)
			said += string(rest)
			require.Equal(t, row.Code, c.ends(t), "%s", c.stderr.String())
			if row.Code == 2 {
				says(t, "the sentence", c.stderr.String(), "dynaproof: mcp: expected messages of JSON-RPC")
			}
			for line := range strings.Lines(said) {
				assert.True(t, strings.HasPrefix(line, `{"jsonrpc":"2.0"`), "expected messages alone on standard output, found %s", line)
			}
			assert.Empty(t, files(t, temp), "files of the server")
		})
	}
}

// The skill has the form that is published for agent skills: a folder of its name, and a description. Its commands are held like those of all Markdown files.
func TestSkill(t *testing.T) {
	t.Parallel()
	text := content(t, example, "../skills/dynaproof-contract/SKILL.md")
	_, rest, begins := strings.Cut(text, "---\n")
	front, body, ends := strings.Cut(rest, "\n---\n")
	var matter struct{ Name, Description string }
	require.True(t, begins && ends && strings.HasPrefix(text, "---\n"), "expected front matter")
	require.NoError(t, yaml.Unmarshal([]byte(front), &matter))
	assert.Equal(t, "dynaproof-contract", matter.Name, "expected the folder's name")
	assert.True(t, len(matter.Description) >= 50 && len(matter.Description) <= 1024, "expected a description of at most 1024 characters, found %s", matter.Description)
	assert.LessOrEqual(t, strings.Count(body, "\n"), 60, "expected one page")
	says(t, "the release", content(t, checkout, ".goreleaser.yaml"), "accesspatterns/skills/dynaproof-contract/SKILL.md")
}
