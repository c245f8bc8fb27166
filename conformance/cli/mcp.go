package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/scratch"
)

func mcpCommand() *cobra.Command {
	options := replay.Options{}
	var targetName string
	c := help("mcp", &cobra.Command{
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := "."
			if len(args) == 1 {
				folder = args[0]
			}
			named := givenAgain(cmd)
			if named != nil && options.Endpoint == "" && targetName == "" {
				return misused("mcp: expected --target or --endpoint with the other options of an audit, found neither; name the one that holds the tables")
			}
			return serveAssistant(cmd, folder, named)
		},
	})
	targetFlags(c, &options, "or --target aws; default: nothing is audited")
	lacksFlag(c, &options)
	cloudFlag(c, &targetName)
	c.Flags().StringToStringVar(&options.TableNames, "table", nil, "deployed name of a table, by its logical id, such as Orders=prod-orders")
	return c
}

// givenAgain are the flags of a command that were given, but for those of every command, as another command with the same flags takes them.
func givenAgain(cmd *cobra.Command) (given []string) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		value := flag.Value.String()
		switch flag.Value.Type() {
		case "stringSlice", "stringToString": // in brackets
			value = value[1 : len(value)-1]
		}
		if cmd.InheritedFlags().Lookup(flag.Name) == nil {
			given = append(given, "--"+flag.Name+"="+value)
		}
	})
	return given
}

// assistant serves one assistant. Its tools are commands of this executable, each in a process of its own: calls do not meet in the
// catalog of designs, a call that is given up ends as an interrupted command does, and nothing but the protocol reaches standard output.
type assistant struct {
	executable string
	folder     string   // of the design: absolute
	files      fs.FS    // of the folder, none outside of it
	target     []string // of an audit; nil for none
	scratch    string   // the session's own folder
	last       string   // below it, the evidence of the last verify and audit
	slots      chan struct{}
	ctx        context.Context // of the whole server
	running    sync.WaitGroup
	mu         sync.Mutex // of the files in last
}

// atOnce is how many calls run at the same time; others wait.
const atOnce = 4

// longestMessage is the size in bytes of the longest message that is taken.
const longestMessage = 1 << 20

func serveAssistant(cmd *cobra.Command, folder string, named []string) error {
	info, err := os.Stat(folder)
	if err != nil || !info.IsDir() {
		return misused("mcp: expected the folder of a design, which has its document, found none at %q", folder)
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	own, remove, err := scratch.Folder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	a := &assistant{executable: executable, folder: folder, files: input.Folder(folder, input.Text), target: named, scratch: own,
		last: filepath.Join(own, "last"), slots: make(chan struct{}, atOnce), ctx: ctx}
	defer func() {
		cancel()
		a.running.Wait()
		_ = remove() // what stays a later run removes
	}()
	if err := os.Mkdir(a.last, 0o700); err != nil {
		return err
	}
	out := os.Stdout
	os.Stdout = os.Stderr // the protocol alone is written to standard output
	defer func() { os.Stdout = out }()
	if isTerminal(os.Stdin) {
		fmt.Fprintf(cmd.ErrOrStderr(), "dynaproof: serving %s to an assistant over standard input and output; an assistant's client starts this, and Ctrl-D ends it\n", folder)
	}
	err = a.server().Run(ctx, &mcp.IOTransport{Reader: os.Stdin, Writer: open{out}, MaxLineLength: longestMessage})
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return misused("mcp: expected messages of JSON-RPC of at most %d MB, one a line, on standard input: %w", longestMessage>>20, err)
	}
	return nil
}

// open is a writer that a session does not close: it is the process's own.
type open struct{ io.Writer }

// Close implements io.Closer.
func (open) Close() error { return nil }

func (a *assistant) server() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "dynaproof", Title: "dynaproof", Version: cmp.Or(version, "devel")}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{}, // and what is added below; no logging
		Instructions: "dynaproof proves what a design document for Amazon DynamoDB promises. You transcribe the document in its folder into a contract (contract.yaml), each element with the lines that say so, " +
			"and write items and cases with their expected results by hand from the document; these tools judge what you wrote. Begin with the prompt transcribe, or with the tool guide. " +
			"Go level by level: schema, items, reads, writes, resilience; after each edit call check, and verify when check says PASS. " +
			"Never copy an expected result from an answer of verify: read it off the document. What the document does not say is left out of the contract. " + bounds,
	})
	a.addTools(server)
	a.addGuide(server)
	return server
}

// addTools adds the tools. Each says when to use it, and when not.
func (a *assistant) addTools(server *mcp.Server) {
	addTool[guided](server, "guide", "How a contract and its cases are written, level by level, with the example. Call it before you write a level's part; it does not look at the folder.", a.guide)
	addTool[certain](server, "read", "What a design document says for certain, each fact with its line, and the lines that say more than was read. Use it before you write. What it read may be copied into the contract, but compare it with the line: "+
		"a contract that was copied from this reading has no second witness. It does not look at the contract.", a.certain)
	addTool[reviewHits](server, "review", "What is wrong with a design document, from its text alone: what DynamoDB refuses, what works otherwise than it reads, and what the text contradicts or leaves open. Tell the document's author; for the contract use check.", a.review)
	addTool[checked](server, "check", "What contract, items and cases of the folder lack or contradict, without any table: mistakes with file and line, citations that do not stand, cases that cannot hold, missing decoys, requests that break a promise, and what the next level needs. "+
		"Call it after each edit. It may take 10 seconds where the contract has formulas.", a.check)
	addTool[judged](server, "verify", "Replays every access pattern, item and refusal of the contract on an engine on this machine, and gives a verdict for each claim; for each that does not pass, what was expected and found. It says what it did not test. "+
		"Call it when check says PASS. It takes seconds, and reports progress.", a.verify)
	addTool[explained](server, "explain", "What stands behind one claim: the document's lines, each request, the items that must come back and those that must not, and the last verdict. Use it for a claim of verify that does not pass.", a.explain)
	addTool[judged](server, "audit", "Compares tables that are deployed with the contract, read-only: it describes and lists. It needs a target that the user named when this server was started, and cannot choose another.", a.audit)
}

type nothing struct{}

type documentIn struct {
	File  string `json:"file" jsonschema:"the document, by its name in the folder, such as orders.md"`
	First int    `json:"first,omitempty" jsonschema:"show what begins on this line or later"`
	Last  int    `json:"last,omitempty" jsonschema:"show what begins on this line or earlier"`
}

func (a *assistant) certain(ctx context.Context, note func(step string), in documentIn) (*answer, error) {
	found, digest, err := a.reviewed(ctx, note, in)
	if err != nil {
		return nil, err
	}
	document, _ := found["document"].(map[string]any)
	for name, list := range document {
		if facts, is := list.([]any); is {
			document[name] = in.part(facts)
		}
	}
	return &answer{
		Result: map[string]any{"file": in.File, "sha256": digest, "document": document},
		Notes:  []string{"What is read stands in the text in a form that is read for certain. Lines under unread say more than was read: read them yourself. A promise in prose alone may be in neither list."},
		Next:   "guide {level: schema}, then write contract.yaml with this sha256; first and last of read show a part of a long document",
	}, nil
}

// lines refuses lines that no document has.
func (in documentIn) lines() error {
	if in.First < 0 || in.Last < 0 || in.Last > 0 && in.First > in.Last {
		return fmt.Errorf("first and last: expected lines from 1 on, the first of them not behind the last, found first %d and last %d", in.First, in.Last)
	}
	return nil
}

// part are those of the facts or hits that stand on the lines that were asked for.
func (in documentIn) part(all []any) []any {
	return slices.DeleteFunc(all, func(one any) bool {
		is, _ := one.(map[string]any)
		line, _ := is["line"].(float64)
		return int(line) < in.First || in.Last > 0 && int(line) > in.Last
	})
}

func (a *assistant) review(ctx context.Context, note func(step string), in documentIn) (*answer, error) {
	found, _, err := a.reviewed(ctx, note, in)
	if err != nil {
		return nil, err
	}
	hits, _ := found["hits"].([]any)
	return &answer{
		Result: map[string]any{"file": in.File, "hits": in.part(hits)},
		Notes:  []string{"A rule is silent where the document was not read for certain, so an empty list is no proof that the design is right."},
		Next:   "read, or check once there is a contract: it applies the same rules to what the contract says",
	}, nil
}

// reviewed has a document of the folder reviewed. The command gets a copy, so that it can open nothing else.
func (a *assistant) reviewed(ctx context.Context, note func(step string), in documentIn) (found map[string]any, digest string, err error) {
	if err := in.lines(); err != nil {
		return nil, "", err
	}
	name := in.File
	text, err := fs.ReadFile(a.files, name)
	if err != nil {
		return nil, "", inFolder(err, name)
	}
	folder, err := os.MkdirTemp(a.scratch, "document-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(folder)
	base := filepath.Base(name)
	if err := os.WriteFile(filepath.Join(folder, base), text, 0o600); err != nil {
		return nil, "", err
	}
	err = a.read(ctx, note, &found, folder, "review", "--json", "--", base)
	return found, fmt.Sprintf("%x", sha256.Sum256(text)), err
}

func inFolder(err error, name string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%.100s: expected a file of the folder that this server was started for, found none of that name", name)
	}
	if path, is := errors.AsType[*fs.PathError](err); is {
		return fmt.Errorf("%.100q: expected the name of a file of the folder, found one that cannot be read: %w", name, path.Err)
	}
	return err
}

func (a *assistant) check(ctx context.Context, note func(step string), _ nothing) (*answer, error) {
	var all []checked
	if err := a.read(ctx, note, &all, a.folder, "check", "--json", "--design", "."); err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("expected what one design lacks, found %d", len(all))
	}
	one := &all[0]
	found := &answer{Result: one, Notes: written(one.Items, one.Cases), Next: "verify; then guide with the next level"}
	if !one.Holds {
		found.Next = "correct what stands under problems, missing and objections in the files, then check again; an objection that is wrong is answered under answers in the contract"
	}
	if len(one.Decoys) > 0 {
		found.Next = "load into items.json the item that each of decoys needs: without it a wrong read would pass; " + found.Next
	}
	return found, nil
}

// written says what nobody can tell of the items and cases of a folder.
func written(items, cases int) []string {
	if items+cases == 0 {
		return nil
	}
	return []string{said("written", map[string]int{"Items": items, "Cases": cases})}
}

type verifyIn struct {
	Filter string `json:"filter,omitempty" jsonschema:"decide these claims alone, such as kind:pattern or id:orders.pattern.list-open"`
}

func (a *assistant) verify(ctx context.Context, note func(step string), in verifyIn) (*answer, error) {
	return a.judge(ctx, note, "verify", "--label-filter="+in.Filter)
}

func (a *assistant) audit(ctx context.Context, note func(step string), _ nothing) (*answer, error) {
	if a.target == nil {
		return nil, errors.New("audit: expected a target, found none; the user names one when this server is started: dynaproof mcp DIR --endpoint URL, or --target aws --region REGION --env ENV")
	}
	return a.judge(ctx, note, "audit", a.target...)
}

type explainIn struct {
	Claim string `json:"claim" jsonschema:"the id of a claim, such as orders/pattern/list-open; check and verify name them"`
}

func (a *assistant) explain(ctx context.Context, note func(step string), in explainIn) (*answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock() // the last run's files stay while they are read
	var one explained
	if err := a.read(ctx, note, &one, a.folder, "explain", "--json", "--items", "--design", ".", "--report", a.last, "--", in.Claim); err != nil {
		return nil, err
	}
	found := &answer{Result: &one, Next: "correct the contract, an item or a case where it says otherwise than the document, then check"}
	if one.Last != nil {
		one.Last.Command = strings.ReplaceAll(one.Last.Command, a.scratch, "...")
	} else {
		found.Notes = []string{"No run of this session has decided this claim: call verify."}
	}
	return found, nil
}

// documentsIn are the files of the folder that look like documents.
func (a *assistant) documentsIn() []string {
	var found []string
	for _, form := range []string{"*.md", "*/*.md", "*.txt"} {
		names, _ := fs.Glob(a.files, form) // the patterns are right
		found = append(found, names...)
	}
	return lists.Sorted(found)
}
