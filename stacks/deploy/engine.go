package deploy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/backend"
	"github.com/pulumi/pulumi/pkg/v3/backend/display"
	"github.com/pulumi/pulumi/pkg/v3/backend/diy"
	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/pkg/v3/util/cancel"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag/colors"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"

	"dynaproof"
	"dynaproof/accesspatterns/input"
)

// operation is what is done to a stack.
type operation string

const (
	// up deploys the program. A failure leaves what was done in the state; the next one goes on from there.
	up operation = "up"
	// preview says what up would do. It neither locks nor changes the state.
	preview operation = "preview"
	// refresh reads the deployed tables into the state. What changed behind Pulumi's back is in the result's Diff; the next up repairs it.
	refresh operation = "refresh"
	// destroy deletes every table that the stack owns. The stack itself stays, empty, with its history; see [Stack.Remove].
	destroy operation = "destroy"
)

// parallel is how many resources the engine works on at once. The engines behind it are single processes on the same
// machine; more would only queue there.
const parallel = 8

// newProject describes the project to the engine. The runtime "client" is Pulumi's name for a program that is already
// running and listens at an address.
func newProject(address string) *workspace.Project {
	return &workspace.Project{
		Name:    tokens.PackageName(dynaproof.Project),
		Runtime: workspace.NewProjectRuntimeInfo("client", map[string]any{"address": address}),
	}
}

// open opens the state folder and makes the stack when it is not there. A cancellation ends its wait for a
// lock alone, for it only reads and writes some small files: Pulumi's backend writes nothing with a canceled context, and
// reports no error.
func (s *Stack) open(asked context.Context) (err error) {
	ctx := context.WithoutCancel(asked)
	silent := diag.DefaultSink(io.Discard, io.Discard, diag.FormatOptions{Color: colors.Never})
	dir := s.options.StateDir
	if s.backend, err = diy.New(ctx, silent, stateURL(dir), newProject("")); err != nil {
		return fmt.Errorf("deploy: cannot open the state folder %s: %w", dir, err)
	}
	if s.ref, err = s.backend.ParseStackReference(s.name); err != nil {
		return fmt.Errorf("deploy: stack name %q: %w", s.name, err)
	}
	release := exclusively(dir, s.name)
	defer release()
	if err := s.putBack(asked); err != nil {
		return err
	}
	found, err := s.backend.GetStack(ctx, s.ref)
	if err != nil {
		return fmt.Errorf("deploy: cannot read stack %s in %s: %w", s.name, dir, err)
	}
	if found == nil {
		if err := clearStaleLocks(asked, dir, s.name); err != nil {
			return err
		}
		if _, err := s.backend.CreateStack(ctx, s.ref, dir, nil, nil); err != nil {
			return fmt.Errorf("deploy: cannot make stack %s in %s: %w", s.name, dir, err)
		}
	}
	return nil
}

// stack reads the stack anew: a stack object of the backend remembers its outputs.
func (s *Stack) stack(ctx context.Context) (backend.Stack, error) {
	found, err := s.backend.GetStack(ctx, s.ref)
	if err != nil {
		return nil, fmt.Errorf("deploy: cannot read stack %s in %s: %w", s.name, s.options.StateDir, err)
	}
	if found == nil {
		return nil, fmt.Errorf("deploy: expected stack %s in %s, found none: it was removed, open it again", s.name, s.options.StateDir)
	}
	return found, nil
}

// providerType is the type of the aws provider among the resources of a state.
const providerType = "pulumi:providers:aws"

// written is the part of a state that is read here.
type written struct {
	stack      backend.Stack
	deployment *apitype.UntypedDeployment // all of it

	SecretsProviders *apitype.SecretsProvidersV1 `json:"secrets_providers"`
	Resources        []struct {
		URN     resource.URN   `json:"urn"`
		Type    string         `json:"type"`
		Inputs  map[string]any `json:"inputs"`
		Protect bool           `json:"protect"`
	} `json:"resources"`
	Pending []json.RawMessage `json:"pending_operations"`
}

// export reads the stack anew, and its state.
func (s *Stack) export(ctx context.Context) (w written, err error) {
	if w.stack, err = s.stack(ctx); err != nil {
		return w, err
	}
	w.deployment, err = s.backend.ExportDeployment(ctx, w.stack)
	if err == nil {
		err = input.Exactly(w.deployment.Deployment, &w)
	}
	if err != nil {
		return w, fmt.Errorf("deploy: cannot read the state of stack %s in %s: %w", s.name, s.options.StateDir, err)
	}
	return w, nil
}

// manager returns the secrets manager of the state, or a new one for a stack that was never deployed.
func (w written) manager(ctx context.Context) (secrets.Manager, error) {
	if p := w.SecretsProviders; p != nil && p.Type != "" {
		return passphrases{}.OfType(ctx, p.Type, p.State)
	}
	return forNewStack()
}

// moved reports whether a provider in the state has another endpoint.
func (w written) moved(endpoints string) bool {
	for _, r := range w.Resources {
		if r.Type == providerType && r.Inputs["endpoints"] != endpoints {
			return true
		}
	}
	return false
}

// otherRegion returns the region of the default provider in the state when it is not this one.
func (w written) otherRegion(region string) (string, bool) {
	for _, r := range w.Resources {
		if found, _ := r.Inputs["region"].(string); r.Type == providerType && strings.HasPrefix(r.URN.Name(), "default") && found != region {
			return found, true
		}
	}
	return "", false
}

// recover clears the operations that a killed process left unfinished, of which the state does not know how they ended. A table that
// such an operation created is not in the state; Up then says that it is in the way.
func (s *Stack) recover(ctx context.Context, state written) error {
	if len(state.Pending) == 0 {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := input.Exactly(state.deployment.Deployment, &fields); err != nil {
		return err
	}
	delete(fields, "pending_operations")
	cleared, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	state.deployment.Deployment = cleared
	if err := s.backend.ImportDeployment(ctx, state.stack, state.deployment); err != nil {
		return fmt.Errorf("deploy: cannot clear the unfinished operations of stack %s in %s: %w", s.name, s.options.StateDir, err)
	}
	return nil
}

// settings is the stack's configuration: the caller's, the region, and for loopback what points the aws provider at the
// endpoint. The keys are words that satisfy the signer; a loopback engine does not look at them.
func settings(options Options) (config.Map, error) {
	settings := config.Map{}
	if !options.noProviderSettings {
		given := map[string]config.Value{"region": config.NewValue(options.Region)}
		if options.Account != "" { // the plugin finds credentials by itself: it may take no other account for them than the caller did
			given["allowedAccountIds"] = config.NewObjectValue(asJSON([]string{options.Account}))
		}
		if !options.Cloud {
			given["endpoints"] = config.NewObjectValue(endpointsOf(options.Endpoint))
			given["accessKey"], given["secretKey"] = config.NewValue("local"), config.NewValue("local")
			for _, check := range []string{"skipCredentialsValidation", "skipMetadataApiCheck", "skipRequestingAccountId"} {
				given[check] = config.NewValue("true")
			}
		}
		for name, value := range given {
			settings[config.MustMakeKey("aws", name)] = value
		}
	}
	for name, value := range options.Config {
		key, err := config.ParseKey(name)
		if err != nil {
			return nil, fmt.Errorf("deploy: configuration key %q: %w", name, err)
		}
		settings[key] = config.NewValue(value)
	}
	return settings, nil
}

// operate runs one operation of the engine. The engine says what it does through its events; its terminal output is
// switched off.
func (s *Stack) operate(ctx context.Context, op operation, state written, service *service) (err error) {
	options := s.options
	// The engine and the backend get a context that is never canceled: a cancellation goes to the engine's own scope,
	// so that it stops in good order and the state is still written.
	steady := context.WithoutCancel(ctx)
	// Pulumi would replace every table, creating before deleting; at one endpoint the old table is in the way.
	if other, ok := state.otherRegion(options.Region); ok {
		return fmt.Errorf("expected region %s, in which the stack is deployed, found %s: destroy it with the former region first", other, options.Region)
	}
	manager, err := state.manager(steady)
	if err != nil {
		return err
	}
	moved := !options.Cloud && state.moved(endpointsOf(options.Endpoint))
	cfg, err := settings(options)
	if err != nil {
		return err
	}
	update := backend.UpdateOperation{
		Proj:            newProject(service.address),
		Root:            options.StateDir,
		M:               &backend.UpdateMetadata{},
		SecretsManager:  manager,
		SecretsProvider: passphrases{},
		StackConfiguration: backend.StackConfiguration{
			Config: cfg, Decrypter: manager.Decrypter(),
		},
		Scopes: scopes{ctx},
		Opts: backend.UpdateOptions{
			AutoApprove: true,
			SkipPreview: true,
			Engine: engine.UpdateOptions{
				Parallel: parallel,
				// Refresh and destroy take the provider from the state. When it has another endpoint there, because
				// the engine was started again elsewhere, they run the program to learn the present one.
				RefreshProgram: op == refresh && moved,
				DestroyProgram: op == destroy && moved,
			},
			Display: display.Options{
				Color:             colors.Never,
				SummaryJSON:       true, // the one display without a banner on the process's own stdout
				SuppressPermalink: true,
				Stdout:            io.Discard,
				Stderr:            io.Discard,
				EventLogPath:      "tcp://" + service.address,
			},
		},
	}
	defer func() { // the engine takes for granted that what it has read a moment ago is still there
		if r := recover(); r != nil {
			err = fmt.Errorf("the engine broke off (%v): look whether somebody has removed the state folder %s, or a file in it, meanwhile", r, options.StateDir)
		}
	}()
	switch op {
	case up:
		_, err = backend.UpdateStack(steady, state.stack, update, nil)
	case preview:
		_, _, err = backend.PreviewStack(steady, state.stack, update, nil)
	case refresh:
		_, err = backend.RefreshStack(steady, state.stack, update)
	case destroy:
		_, err = backend.DestroyStack(steady, state.stack, update)
	}
	return err
}

// Outputs returns the outputs of the last successful Up as plain Go values, from the state alone.
func (s *Stack) Outputs(ctx context.Context) (map[string]any, error) {
	found, err := s.stack(ctx)
	if err != nil {
		return nil, err
	}
	outputs, err := found.SnapshotStackOutputs(ctx, passphrases{})
	if err != nil {
		return nil, fmt.Errorf("deploy: cannot read the outputs of stack %s in %s: %w", s.name, s.options.StateDir, err)
	}
	plain := resource.ToResourcePropertyMap(outputs).MapRepl(nil, func(v resource.PropertyValue) (any, bool) {
		if v.IsSecret() {
			return v.SecretValue().Element.Mappable(), true
		}
		return nil, false
	})
	return plain, nil
}

// Remove deletes the empty stack from the state folder. It fails while the stack owns a table.
func (s *Stack) Remove(ctx context.Context) error {
	release := exclusively(s.options.StateDir, s.name)
	defer release()
	if err := clearStaleLocks(ctx, s.options.StateDir, s.name); err != nil {
		return err
	}
	found, err := s.stack(ctx)
	if err != nil {
		return err
	}
	if hasResources, err := s.backend.RemoveStack(ctx, found, false, true); err != nil {
		if hasResources {
			return fmt.Errorf("deploy: expected stack %s to own nothing, found resources: destroy it first", s.name)
		}
		return fmt.Errorf("deploy: cannot remove stack %s from %s: %w", s.name, s.options.StateDir, err)
	}
	return nil
}

// scopes turns the cancellation of a context into the engine's: operations under way are left to end, no new one begins.
type scopes struct{ ctx context.Context }

var _ backend.CancellationScopeSource = scopes{}

func (s scopes) NewScope(base context.Context, _ chan<- engine.Event, _ bool) backend.CancellationScope {
	canceled, source := cancel.NewContext(base)
	stop := context.AfterFunc(s.ctx, source.Cancel)
	return &scope{canceled, func() {
		stop()
		// The operation is over. The engine keeps its plugin host open until it is
		// told so, which a command line that ends never does.
		source.Terminate()
	}}
}

type scope struct {
	canceled *cancel.Context
	close    func()
}

func (s *scope) Context() *cancel.Context { return s.canceled }
func (s *scope) Close()                   { s.close() }

// renderDiff renders steps as `pulumi preview --diff` does.
func renderDiff(steps []apitype.EngineEvent) (string, error) {
	var events []engine.Event
	for _, step := range steps {
		event, err := display.ConvertJSONEvent(step)
		if err != nil {
			return "", fmt.Errorf("deploy: cannot render the diff: %w", err)
		}
		events = append(events, event)
	}
	return display.CreateDiff(events, display.Options{Color: colors.Never, Type: display.DisplayDiff})
}
