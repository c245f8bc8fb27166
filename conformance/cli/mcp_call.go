package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/review"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/explain"
	"dynaproof/conformance/report"
)

// answer is what a tool returns: the structured result of its command, cut to a bound, and what the caller must know about it.
type answer struct {
	Result any
	// Notes say what the result does not say, and Next what to do next.
	Notes []string
	Next  string

	whole bool // it is part of the program, and short
}

// answered is what is sent of an answer, with a result of a type.
type answered[T any] struct {
	Result T        `json:"result"`
	Notes  []string `json:"notes,omitempty"`
	// Cut names what was left out to keep the answer short.
	Cut  []string `json:"cut,omitempty"`
	Next string   `json:"next,omitempty"`
}

// certain is what is certain in a document.
type certain struct {
	File     string           `json:"file"`
	SHA256   string           `json:"sha256" jsonschema:"for document.sha256 of the contract"`
	Document *reader.Document `json:"document"`
}

// reviewHits are the hazards of a document.
type reviewHits struct {
	File string       `json:"file"`
	Hits []review.Hit `json:"hits"`
}

type explained = explain.Explanation

// judged is what a run decided.
type judged struct {
	// Verdict is that of the command, and Means its sentence.
	Verdict string `json:"verdict" jsonschema:"PASS, FAIL or COULD NOT TELL"`
	Means   string `json:"means"`
	// Target is what answered.
	Target string               `json:"target"`
	Level  accesspatterns.Level `json:"level,omitempty"`
	// Counts counts claims by verdict; a claim that was not run is in none.
	Counts map[evidence.Verdict]int `json:"counts"`
	// Open are the claims that do not hold or could not be decided.
	Open []openClaim `json:"open"`
	// Untested says what this run says nothing about.
	Untested []string `json:"untested"`
	// Problems are those of the run itself.
	Problems []string `json:"problems,omitempty"`
}

// openClaim is a claim that did not pass.
type openClaim struct {
	ID       string             `json:"id"`
	Title    string             `json:"title"`
	Cite     string             `json:"cite"`
	Verdict  evidence.Verdict   `json:"verdict"`
	Problems []evidence.Problem `json:"problems,omitempty"`
	Notes    []string           `json:"notes,omitempty"`
}

// bounds is what every answer keeps to, in words for the assistant.
const bounds = "An answer has at most 48 KB: lists and texts are shortened until it fits, and cut says which."

// notTaken are the beginnings of what the protocol's library says of arguments that a tool does not take.
var notTaken = regexp.MustCompile("^(validating |json: cannot unmarshal )")

// mostBytes is the same in bytes, and mostRefused the length of a refusal. mostCut is how many of the places that were cut are named.
const (
	mostBytes   = 48 << 10
	mostRefused = 16 << 10
	mostCut     = 10
)

// schemas are those of types whose JSON is not what their Go type suggests, or has no end.
var schemas = &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[json.RawMessage]():          {},
	reflect.TypeFor[reader.Example]():           {Type: "object"},
	reflect.TypeFor[evidence.Result]():          {Type: "object"}, // evidence has a schema of its own
	reflect.TypeFor[accesspatterns.BasisKind](): {Type: "string"},
}}

// addTool adds a tool, with the schemas of its types. Who calls it is told the steps of its command.
func addTool[T, In any](server *mcp.Server, name, description string, do func(context.Context, func(step string), In) (*answer, error)) {
	schema := must.Have(jsonschema.For[answered[T]](schemas)) // the types are fixed, and tried by every test
	closed := false
	arguments := must.Have(jsonschema.For[In](nil))
	tool := &mcp.Tool{Name: name, InputSchema: arguments, Description: description, OutputSchema: schema, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &closed, IdempotentHint: true, OpenWorldHint: &closed}}
	mcp.AddTool(server, tool, func(ctx context.Context, request *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		steps := 0
		found, err := do(ctx, func(step string) {
			if token := request.Params.GetProgressToken(); token != nil {
				steps++
				_ = request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(steps), Message: step}) // who called may be gone
			}
		}, in)
		if errors.Is(err, context.Canceled) {
			err = fmt.Errorf("%s was cancelled before its end: nothing is decided, and nothing is left behind", name)
		}
		if err != nil && len(err.Error()) > mostRefused {
			err = fmt.Errorf("%s... (the first %d of %d bytes)", strings.ToValidUTF8(err.Error()[:mostRefused], ""), mostRefused, len(err.Error()))
		}
		if err != nil {
			return nil, nil, err
		}
		return nil, found.bounded(), nil
	})
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			call, is := request.(*mcp.CallToolRequest)
			if !is || call.Params.Name != name {
				return next(ctx, method, request)
			}
			wrong := &mcp.CallToolResult{}
			wrong.SetError(expected(tool, arguments, call.Params.Arguments))
			if input.Twice(call.Params.Arguments) != "" {
				return wrong, nil
			}
			result, err := next(ctx, method, request)
			if refusal, answers := result.(*mcp.CallToolResult); answers && refusal.GetError() != nil && notTaken.MatchString(refusal.GetError().Error()) {
				return wrong, err
			}
			return result, err
		}
	})
}

// bounded returns the answer as it is sent: its result is shortened until all of it fits.
func (a *answer) bounded() map[string]any {
	var tree any
	must.Do(input.Exactly(must.Have(json.Marshal(a.Result)), &tree)) // it is a value of this package
	if a.whole {
		return map[string]any{"result": tree, "next": a.Next}
	}
	sent := map[string]any{"next": a.Next, "notes": append([]string{}, a.Notes...)}
	for _, size := range []struct{ entries, bytes int }{{100, 6000}, {50, 3000}, {25, 1500}, {12, 800}, {6, 400}, {3, 200}, {1, 100}} {
		cut := &cutting{entries: size.entries, bytes: size.bytes}
		sent["result"] = cut.of(tree, "result")
		if len(cut.said) > 0 {
			slices.Sort(cut.said)
			sent["cut"] = few(cut.said, mostCut, "and %d places more")
		}
		if text, err := json.Marshal(sent); err == nil && len(text) <= mostBytes {
			return sent
		}
	}
	sent["result"], sent["cut"] = map[string]any{}, []string{"result: all of it, because no part of it fits; look at it with the command line"}
	return sent
}

// cutting shortens lists and texts.
type cutting struct {
	entries, bytes int
	said           []string
}

func (c *cutting) of(value any, name string) any {
	switch is := value.(type) {
	case map[string]any:
		short := make(map[string]any, len(is))
		for member, value := range is {
			short[member] = c.of(value, name+"."+member)
		}
		return short
	case []any:
		if len(is) > c.entries {
			c.said = append(c.said, fmt.Sprintf("%s: the first %d of %d", name, c.entries, len(is)))
			is = is[:c.entries]
		}
		short := make([]any, len(is))
		for i := range is {
			short[i] = c.of(is[i], fmt.Sprintf("%s[%d]", name, i))
		}
		return short
	case string:
		if len(is) > c.bytes {
			c.said = append(c.said, fmt.Sprintf("%s: the first %d of %d bytes", name, c.bytes, len(is)))
			return strings.ToValidUTF8(is[:c.bytes], "") + "..."
		}
	}
	return value
}

// callTime bounds a call, and lastTime what a command that is given up may still take, to remove its tables.
const (
	callTime = 20 * time.Minute
	lastTime = closeTime + 15*time.Second
)

// call runs a command of this executable to its end, and returns what it printed and its exit code.
func (a *assistant) call(ctx context.Context, note func(step string), folder string, arguments ...string) (printed []byte, problems string, code evidence.ExitCode, err error) {
	a.running.Add(1)
	defer a.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.ctx, cancel)()
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	case <-ctx.Done():
		return nil, "", 0, context.Cause(ctx)
	}
	command := exec.CommandContext(ctx, a.executable, append([]string{arguments[0], "--attached", "--timeout=" + callTime.String()}, arguments[1:]...)...)
	command.Dir, command.WaitDelay = folder, lastTime
	command.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return arguments[0] != "audit" && strings.HasPrefix(entry, "AWS_") // nothing but an audit can reach an account
	})
	life, err := command.StdinPipe()
	if err != nil {
		return nil, "", 0, err
	}
	if arguments[0] == "verify" { // it has an engine and folders to remove; the others have nothing, and are killed
		command.Cancel = life.Close // interrupts it
	}
	var out bytes.Buffer
	said := &divided{note: note}
	command.Stdout, command.Stderr = &out, said
	err = command.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, "", 0, context.Cause(ctx)
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		code, err = evidence.ExitCode(exit.ExitCode()), nil
	}
	return out.Bytes(), strings.TrimSpace(said.rest.String()), code, err
}

// divided divides what a command prints to its standard error into the steps of its progress and the rest.
type divided struct {
	note func(string)
	line []byte
	rest strings.Builder
}

// Write implements io.Writer; it never fails.
func (s *divided) Write(text []byte) (int, error) {
	const most = 64 << 10 // bytes
	for part := range bytes.Lines(text) {
		if s.line = append(s.line, part...); !bytes.HasSuffix(part, []byte("\n")) {
			continue
		}
		if note, is := strings.CutPrefix(string(s.line), step); is {
			s.note(strings.TrimSpace(note))
		} else if s.rest.Len() < most {
			s.rest.Write(s.line)
		}
		s.line = s.line[:0]
	}
	return len(text), nil
}

// read reads what a command prints as JSON. A mistake of the caller's is an error with the command's own words.
func (a *assistant) read(ctx context.Context, note func(step string), into any, folder string, arguments ...string) error {
	printed, problems, code, err := a.call(ctx, note, folder, arguments...)
	if err == nil && input.Exactly(printed, into) != nil {
		return refused(problems, code)
	}
	return err
}

// inWords is what a command says of a caller's mistake, in the words of a tool.
func inWords(problems string) string {
	return strings.NewReplacer("dynaproof: ", "", "--design .: ", "", "--label-filter:", "filter:", "; `dynaproof claims` lists all", "").Replace(problems)
}

// refused is the same as an error.
func refused(problems string, code evidence.ExitCode) error {
	return fmt.Errorf("%s (exit code %d)", inWords(problems), code)
}

// expected says what arguments a tool takes, where the protocol's library refuses a call's.
func expected(tool *mcp.Tool, in *jsonschema.Schema, arguments json.RawMessage) error {
	var known []string
	for _, name := range slices.Sorted(maps.Keys(in.Properties)) {
		said := name + " (" + in.Properties[name].Type
		if !slices.Contains(in.Required, name) {
			said += ", may be left out"
		}
		known = append(known, said+")")
	}
	return fmt.Errorf("%s: expected the arguments %s, found %.200s", tool.Name, cmp.Or(strings.Join(known, ", "), "{}: it takes none"), arguments)
}

// judge runs a command that leaves evidence, and keeps that for explain.
func (a *assistant) judge(ctx context.Context, note func(step string), command string, arguments ...string) (*answer, error) {
	folder, err := os.MkdirTemp(a.scratch, command+"-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	_, problems, code, err := a.call(ctx, note, a.folder, slices.Concat([]string{command, "--design", ".", "--report", folder}, arguments)...)
	if err != nil {
		return nil, err
	}
	file := map[string]string{"verify": report.EvidenceFile, "audit": report.AuditFile}[command]
	run, err := evidence.ReadVerdicts(filepath.Join(folder, file))
	if err != nil {
		return nil, refused(problems, code)
	}
	a.mu.Lock()
	err = os.Rename(filepath.Join(folder, file), filepath.Join(a.last, file))
	a.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return judgement(command, run, code, problems), nil
}

// judgement says what a run decided, and what it did not.
func judgement(command string, run *evidence.Run, code evidence.ExitCode, problems string) *answer {
	results := run.Results()
	j := judged{
		Verdict: map[evidence.ExitCode]string{evidence.Conforms: "PASS", evidence.DoesNotConform: "FAIL"}[code], Means: report.Sentence(run),
		Target: strings.TrimSpace(fmt.Sprintf("%s %s %s", run.Target.Kind, run.Target.Engine, run.Target.Version)), Counts: evidence.Count(results), Open: []openClaim{}, Untested: []string{},
	}
	if j.Verdict == "" {
		j.Verdict = "COULD NOT TELL"
	}
	if problems != "" {
		j.Problems = strings.Split(problems, "\n")
	}
	found, static, cases := &answer{}, 0, 0
	for result := range lists.Each(results) {
		if result.Grade == evidence.Static && result.Verdict == evidence.Pass {
			static++
		}
		if result.Pattern != nil {
			cases += len(result.Pattern.Cases)
		}
		if result.Verdict == evidence.Unsupported {
			j.Untested = append(j.Untested, result.ID+": "+strings.Join(result.Notes, "; "))
		} else if !result.Verdict.Held() {
			j.Open = append(j.Open, openClaim{ID: result.ID, Title: result.Title, Cite: result.Cite, Verdict: result.Verdict, Problems: result.Problems, Notes: result.Notes})
		}
	}
	for design := range lists.Each(run.Designs) {
		j.Level = accesspatterns.Level(design.Level)
		if levels := accesspatterns.Levels(); command == "verify" {
			for _, level := range levels[slices.Index(levels, j.Level)+1:] {
				j.Untested = append(j.Untested, fmt.Sprintf("level %s: the contract stops at level %s", level, j.Level))
			}
			j.Untested = append(j.Untested, "tables that are deployed: this run made its tables from the contract; audit compares those that somebody deployed")
		} else {
			j.Untested = append(j.Untested, "items and access patterns: an audit describes tables and sends no read and no write; verify tries them")
		}
		if left := design.Claims - len(design.Results); left > 0 && command == "verify" {
			j.Untested = append(j.Untested, report.Plural(left, "claim")+" of the contract that this run was not asked: verify without filter asks all")
		}
		for _, promise := range design.NotCheckable {
			j.Untested = append(j.Untested, fmt.Sprintf("%s (%s): no check decides it: %s", promise.Says, promise.Cite, promise.Because))
		}
		for _, objection := range design.Objections {
			if objection.Answer == "" {
				j.Problems = append(j.Problems, "objection of the document's reader: "+objection.ID+": "+objection.Message)
			}
		}
		if design.Failure != "" {
			j.Problems = append(j.Problems, design.Failure)
		}
	}
	if static > 0 {
		found.Notes = append(found.Notes, fmt.Sprintf("%d of the claims that pass rest on the contract and the document alone, and on no answer of an engine.", static))
	}
	if cases > 0 {
		found.Notes = append(found.Notes, written(0, cases)...)
	}
	found.Result, found.Next = j, "explain with the id of a claim"
	if command == "verify" && code == evidence.Conforms {
		found.Next = "guide with the next level, or tell the user what is untested and that a person has to compare the cases with the document"
	}
	return found
}
