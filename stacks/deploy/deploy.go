package deploy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/backend"
	"github.com/pulumi/pulumi/pkg/v3/backend/diy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof"
	"dynaproof/stacks/localaws"
)

// Options says which program is deployed where. Through is for a [Server] alone.
type Options struct {
	dynaproof.Options

	// Program is the Pulumi program; dynaproof/stacks/catalog gives the one of each design.
	Program pulumi.RunFunc

	// Transforms change resources before they are registered. They are for tests that break a deployment on purpose.
	Transforms []pulumi.ResourceTransform

	// noProviderSettings leaves out what settings adds to Config. It is for tests.
	noProviderSettings bool
}

// Result is what an operation did, or would do.
type Result struct {
	dynaproof.Result

	// steps are the events that Diff is rendered from, and causes the errors among the others.
	steps  []apitype.EngineEvent
	causes []Cause
}

// Stack is one deployed, or deployable, program. Its methods may be called from several goroutines.
type Stack struct {
	options Options
	name    string
	backend diy.Backend
	ref     backend.StackReference
}

// stackPart is what a design and an environment may consist of, so that the stack's name is read in one way.
var stackPart = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// accountForm is the form of the ids of AWS accounts.
var accountForm = regexp.MustCompile(`^[0-9]{12}$`)

// validate returns everything that is wrong with the options, one line each.
func (o Options) validate() error {
	var problems []error
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Errorf("deploy: "+format, args...)) }
	for _, part := range []struct{ what, value string }{{"design", o.Design}, {"environment", o.Environment}} {
		if !stackPart.MatchString(part.value) {
			wrong("expected a name of the %s of letters, digits, '-' and '_', found %q: correct it", part.what, part.value)
		}
	}
	if o.Program == nil {
		wrong("expected a program for design %q, found none: take it from dynaproof/stacks/catalog", o.Design)
	}
	if o.Cloud && o.Endpoint != "" {
		wrong("expected no endpoint for AWS itself, found %q: leave one of both out", o.Endpoint)
	} else if err := localaws.CheckLoopback(o.Endpoint); err != nil && !o.Cloud {
		wrong("%w", err)
	}
	if o.Cloud && !accountForm.MatchString(o.Account) {
		wrong("expected the id of the AWS account to deploy to, 12 digits, found %q: set Account", o.Account)
	}
	if o.Region == "" {
		wrong("expected the region that requests are signed for, found none: set Region, for example eu-west-1")
	}
	if o.StateDir == "" || strings.ContainsAny(o.StateDir, "?#%") {
		wrong("expected the path of a state folder without '?', '#' and '%%', found %q: choose another folder", o.StateDir)
	}
	for key := range o.Config {
		switch namespace, name, ok := strings.Cut(key, ":"); {
		case !ok || namespace == "" || name == "":
			wrong("expected a configuration key such as %s:namePrefix, found %q: write the namespace before it", dynaproof.Project, key)
		case namespace == "aws":
			wrong("expected no configuration of the aws provider, found %q: it is set from Endpoint and Region", key)
		}
	}
	return errors.Join(problems...)
}

// Open prepares a stack and makes its state folder. It sends no request to the endpoint. The error names everything that
// is wrong with the options.
func Open(ctx context.Context, options Options) (*Stack, error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(options.StateDir)
	if err != nil {
		return nil, fmt.Errorf("deploy: state folder %q: %w", options.StateDir, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("deploy: cannot make the state folder: %w; choose another folder", err)
	}
	options.StateDir = dir
	if options.Cloud {
		if err := CheckPlugin(); err != nil {
			return nil, err
		}
	}
	if err := prepareProcess(dir, options.Cloud); err != nil {
		return nil, err
	}
	s := &Stack{options: options, name: options.Name()}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// program returns the options' program with their transforms in front, and a last one.
func (s *Stack) program(last pulumi.ResourceTransform) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		for _, t := range slices.Concat(s.options.labels(), s.options.Transforms, []pulumi.ResourceTransform{last}) {
			if err := ctx.RegisterResourceTransform(t); err != nil {
				return err
			}
		}
		return s.options.Program(ctx)
	}
}

// run runs one operation from the lock to the result.
func (s *Stack) run(ctx context.Context, op operation) (*Result, error) {
	began := time.Now()
	if err := ctx.Err(); err != nil {
		return nil, s.failed(op, nil, err)
	}
	if op != preview {
		release := exclusively(s.options.StateDir, s.name)
		defer release()
		if err := clearStaleLocks(ctx, s.options.StateDir, s.name); err != nil {
			return nil, err
		}
	}
	steady := context.WithoutCancel(ctx) // for the same reason as open
	state, err := s.export(steady)
	if err == nil && op != preview {
		s.keep() // before the first write of the operation
		err = s.recover(steady, state)
	}
	if err != nil {
		return nil, err
	}
	protected := state.protected()
	if op == destroy && len(protected) > 0 {
		return nil, s.failed(op, nil, refused(protected))
	}
	if op == up && len(protected) > 0 {
		// Pulumi notices that it must not delete a resource when it has come to it, with half of the work done.
		if _, err := s.once(ctx, preview, state); err != nil {
			return nil, err
		}
	}
	result, err := s.once(ctx, op, state)
	if err != nil {
		return nil, err
	}
	if result.Diff, err = renderDiff(result.steps); err != nil {
		return nil, s.failed(op, nil, err)
	}
	if op == up || op == refresh {
		if result.Outputs, err = s.Outputs(ctx); err != nil {
			return nil, s.failed(op, nil, err)
		}
	}
	if op != preview {
		_ = os.Remove(s.keptPath()) // a later operation writes another
	}
	result.Seconds = time.Since(began).Seconds()
	return result, nil
}

// once runs one operation of the engine and returns what its events said.
func (s *Stack) once(ctx context.Context, op operation, state written) (*Result, error) {
	service, err := startService(op, s.program(keepProtected(state.protected())))
	if err != nil {
		return nil, err
	}
	err = s.operate(ctx, op, state, service)
	seen := service.stop()
	if err != nil || len(seen.causes) > 0 {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, s.failed(op, seen.causes, err)
	}
	return seen, nil
}

func (s *Stack) failed(op operation, causes []Cause, err error) error {
	return &Error{Operation: string(op), Stack: s.name, Causes: causes, err: err}
}
