package deploy

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof"
	"dynaproof/accesspatterns/input"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/dryrun"
	"dynaproof/stacks/environment"
	"dynaproof/stacks/localaws"
)

// Request and Answer are what is said to a [Server], and what it says.
type (
	Request = dynaproof.Request
	Answer  = dynaproof.Answer
)

// Server answers requests about the programs of some designs.
type Server struct {
	find func(design string) (catalog.Entry, error)
}

// Shipped serves the five designs.
func Shipped() *Server { return &Server{catalog.Find} }

// Program serves one program of the caller's, whatever the design is called. dynaproof takes it for a design of another
// module:
//
//	conformance.Test(t, conformance.Design{Folder: folder, Program: deploy.Program(program)})
func Program(program pulumi.RunFunc) func(requests io.Reader, answers io.Writer) error {
	return (&Server{func(string) (catalog.Entry, error) { return catalog.Entry{Program: program}, nil }}).Serve
}

// Serve answers requests, one on each line, until the input ends. Requests run side by side, and those on one stack one after
// the other, so answers come in any order. When the input ends, what is under way is canceled, and Serve returns at once.
func (s *Server) Serve(requests io.Reader, answers io.Writer) error {
	all, end := context.WithCancel(context.Background())
	defer end()
	var mu sync.Mutex
	cancels := map[int]context.CancelFunc{}
	encoder := json.NewEncoder(answers)
	lines := bufio.NewReader(requests)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var request Request
		if err := input.Strictly(line, &request); err != nil {
			return fmt.Errorf("expected a request as JSON on one line, found %.80q: %w", line, err)
		}
		mu.Lock()
		if cancel := cancels[request.ID]; request.Do == "cancel" {
			mu.Unlock()
			if cancel != nil {
				cancel()
			}
			continue
		}
		ctx, cancel := context.WithCancel(all)
		cancels[request.ID] = cancel
		mu.Unlock()
		go func() {
			defer cancel()
			answer := s.Do(ctx, request)
			mu.Lock()
			defer mu.Unlock()
			delete(cancels, request.ID)
			_ = encoder.Encode(answer) // who asked has gone: nobody is left to tell
		}()
	}
}

// Do answers one request.
func (s *Server) Do(ctx context.Context, request Request) Answer {
	answer, err := s.do(ctx, request)
	answer.ID = request.ID
	if err == nil {
		answer.Kind = ""
		return answer
	}
	answer.Error, answer.Kind = err.Error(), cmp.Or(answer.Kind, dynaproof.Failed)
	if failed, ok := errors.AsType[*Error](err); ok && failed.Canceled() {
		answer.Kind = dynaproof.Canceled
	}
	return answer
}

func (s *Server) do(ctx context.Context, request Request) (answer Answer, err error) {
	answer.Stack, answer.Kind = request.Name(), dynaproof.WrongRequest
	if request.Do == "plugin" {
		if unverified := UnverifiedPlugin(); unverified != "" {
			answer.Warnings = []string{unverified}
		}
		return answer, CheckPlugin()
	}
	if request.Do == "sources" {
		answer.Sources = dynaproof.Sources()
		return answer, nil
	}
	entry, err := s.find(request.Design)
	if err != nil {
		return answer, err
	}
	settings := map[string]string{"aws:region": request.Region}
	maps.Copy(settings, request.Config)
	if err := checkSettings(entry, answer.Stack, settings); err != nil {
		return answer, err
	}
	if request.Do == "inputs" { // by Pulumi's mocks
		answer.Inputs, err = dryrun.Run(entry.Program, answer.Stack, settings)
		return answer, err
	}
	if request.Through != "" {
		direct, err := localaws.Through(request.Endpoint, request.Through)
		if err != nil {
			return answer, err
		}
		defer direct()
	}
	stack, err := Open(ctx, Options{Options: request.Options, Program: entry.Program})
	if err != nil {
		return answer, err
	}
	switch request.Do {
	case "open":
		return answer, nil
	case "remove":
		answer.Kind = ""
		return answer, stack.Remove(ctx)
	case "outputs":
		answer.Kind = ""
		answer.Outputs, err = stack.Outputs(ctx)
		return answer, err
	case "up", "preview", "refresh", "destroy":
		answer.Kind = ""
		result, err := stack.run(ctx, operation(request.Do))
		if err != nil {
			return answer, err
		}
		answer.Result = result.Result
		if request.Do == "up" {
			answer.Modules = map[string]string{}
			for _, module := range []string{"github.com/pulumi/pulumi-aws/sdk/v6", "github.com/pulumi/pulumi/sdk/v3", "github.com/pulumi/pulumi/pkg/v3"} {
				answer.Modules[module] = builtWith(module)
			}
		}
		if names, ok := result.Outputs["tables"].(map[string]any); ok && request.Do == "up" {
			answer.TableIDs = localaws.TableIDs(request.Endpoint, slices.Collect(maps.Values(names)))
		}
		return answer, nil
	}
	return answer, fmt.Errorf("expected open, up, preview, refresh, destroy, remove, outputs, inputs, plugin, sources or cancel, found %q", request.Do)
}

// checkSettings refuses settings that no program reads, which would be without effect, and those that the design's document
// does not allow.
func checkSettings(entry catalog.Entry, stack string, settings map[string]string) error {
	if entry.Document.Design == "" {
		return nil // the program's own to check
	}
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if !slices.Contains(environment.Keys, key) && !strings.HasPrefix(key, "aws:") { // those of aws are refused by Open
			return fmt.Errorf("--config: expected one of %s, found %s; correct the key", strings.Join(environment.Keys, ", "), key)
		}
	}
	_, err := environment.Check(stack, entry.Document, settings)
	return err
}

// labels put the tags and the path on what a program registers.
func (o *Options) labels() []pulumi.ResourceTransform {
	if len(o.Tags) == 0 && o.PolicyPath == "" {
		return nil
	}
	return []pulumi.ResourceTransform{func(_ context.Context, args *pulumi.ResourceTransformArgs) *pulumi.ResourceTransformResult {
		switch args.Type {
		case "aws:dynamodb/table:Table":
		case "aws:iam/policy:Policy":
			if o.PolicyPath != "" {
				args.Props["path"] = pulumi.String(o.PolicyPath)
			}
		default:
			return nil
		}
		if len(o.Tags) > 0 {
			args.Props["tags"] = withTags(args.Props["tags"], o.Tags)
		}
		return &pulumi.ResourceTransformResult{Props: args.Props, Opts: args.Opts}
	}}
}

// FromEnvironment is the request of a command without one: `dynaproof verify --deploy COMMAND` sets these variables.
func FromEnvironment(do string) Request {
	request := Request{Do: do, Options: dynaproof.Options{
		Design: os.Getenv("DYNAPROOF_DESIGN"), Environment: cmp.Or(os.Getenv("DYNAPROOF_ENVIRONMENT"), "dev"),
		Region: os.Getenv("AWS_REGION"), Endpoint: cmp.Or(os.Getenv("AWS_ENDPOINT_URL_DYNAMODB"), os.Getenv("AWS_ENDPOINT_URL")), Config: map[string]string{},
	}}
	_, place, _ := strings.Cut(request.Endpoint, "://")
	request.StateDir = filepath.Join("build", "state", "local", strings.NewReplacer(":", "-", "/", "-").Replace(place))
	if request.Design != "" { // tables of a run are for a while
		request.Config[dynaproof.Project+":protect"] = "false"
	}
	if prefix := os.Getenv("DYNAPROOF_NAME_PREFIX"); prefix != "" {
		request.Config[dynaproof.Project+":namePrefix"] = prefix
	}
	return request
}
