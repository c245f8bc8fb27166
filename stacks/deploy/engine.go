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
)

// operation is what is done to a stack.
type operation string

const (
	up      operation = "up"
	preview operation = "preview"
	refresh operation = "refresh"
	destroy operation = "destroy"
)

// parallel is how many resources the engine works on at once. The engines behind it are single processes on the same
// machine; more would only queue there.
const parallel = 8

// engineStack is one stack of one state folder in Pulumi's backend.
type engineStack struct {
	name     string
	stateDir string
	backend  diy.Backend
	ref      backend.StackReference
	secrets  passphrases
}

// newProject describes the project to the engine. The runtime "client" is Pulumi's name for a program that is already
// running and listens at an address.
func newProject(address string) *workspace.Project {
	return &workspace.Project{
		Name:    tokens.PackageName(Project),
		Runtime: workspace.NewProjectRuntimeInfo("client", map[string]any{"address": address}),
	}
}

// openEngine opens the state folder and makes the stack when it is not there. A cancellation does not stop it, for it
// only reads and writes some small files: Pulumi's backend writes nothing with a canceled context, and reports no error.
func openEngine(ctx context.Context, name, stateDir, phrase string) (*engineStack, error) {
	ctx = context.WithoutCancel(ctx)
	silent := diag.DefaultSink(io.Discard, io.Discard, diag.FormatOptions{Color: colors.Never})
	b, err := diy.New(ctx, silent, stateURL(stateDir), newProject(""))
	if err != nil {
		return nil, fmt.Errorf("deploy: cannot open the state folder %s: %w", stateDir, err)
	}
	ref, err := b.ParseStackReference(name)
	if err != nil {
		return nil, fmt.Errorf("deploy: stack name %q: %w", name, err)
	}
	e := &engineStack{name: name, stateDir: stateDir, backend: b, ref: ref, secrets: passphrases{phrase}}
	release := exclusively(stateDir, name)
	defer release()
	found, err := b.GetStack(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("deploy: cannot read stack %s in %s: %w", name, stateDir, err)
	}
	if found == nil {
		if err := clearStaleLocks(stateDir, name); err != nil {
			return nil, err
		}
		if _, err := b.CreateStack(ctx, ref, stateDir, nil, nil); err != nil {
			return nil, fmt.Errorf("deploy: cannot make stack %s in %s: %w", name, stateDir, err)
		}
	}
	return e, nil
}

// stack reads the stack anew: a stack object of the backend remembers its outputs.
func (e *engineStack) stack(ctx context.Context) (backend.Stack, error) {
	s, err := e.backend.GetStack(ctx, e.ref)
	if err != nil {
		return nil, fmt.Errorf("deploy: cannot read stack %s in %s: %w", e.name, e.stateDir, err)
	}
	if s == nil {
		return nil, fmt.Errorf("deploy: expected stack %s in %s, found none: it was removed, open it again", e.name, e.stateDir)
	}
	return s, nil
}

// providerType is the type of the aws provider among the resources of a state.
const providerType = "pulumi:providers:aws"

// written is the part of a state that is read here.
type written struct {
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
func (e *engineStack) export(ctx context.Context) (backend.Stack, *apitype.UntypedDeployment, written, error) {
	var w written
	s, err := e.stack(ctx)
	if err != nil {
		return nil, nil, w, err
	}
	state, err := e.backend.ExportDeployment(ctx, s)
	if err == nil {
		err = json.Unmarshal(state.Deployment, &w)
	}
	if err != nil {
		return nil, nil, w, fmt.Errorf("deploy: cannot read the state of stack %s in %s: %w", e.name, e.stateDir, err)
	}
	return s, state, w, nil
}

// manager returns the secrets manager of the state, or a new one for a stack that was never deployed.
func (e *engineStack) manager(ctx context.Context, w written) (secrets.Manager, error) {
	if p := w.SecretsProviders; p != nil && p.Type != "" {
		return e.secrets.OfType(ctx, p.Type, p.State)
	}
	return e.secrets.forNewStack()
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

// recover clears what a killed process left on the stack: its lock, and operations of which the state does not know how
// they ended. A table that such an operation created is not in the state; Up then says that it is in the way.
//
// It is not canceled, for the same reason as openEngine.
func (e *engineStack) recover(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if err := clearStaleLocks(e.stateDir, e.name); err != nil {
		return err
	}
	s, state, w, err := e.export(ctx)
	if err != nil || len(w.Pending) == 0 {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(state.Deployment, &fields); err != nil {
		return err
	}
	delete(fields, "pending_operations")
	if state.Deployment, err = json.Marshal(fields); err != nil {
		return err
	}
	if err := e.backend.ImportDeployment(ctx, s, state); err != nil {
		return fmt.Errorf("deploy: cannot clear the unfinished operations of stack %s in %s: %w", e.name, e.stateDir, err)
	}
	return nil
}

// settings is the stack's configuration: the caller's, the region, and for loopback what points the aws provider at the
// endpoint. The keys are words that satisfy the signer; a loopback engine does not look at them.
func settings(options Options, endpoints string) (config.Map, error) {
	settings := config.Map{}
	set := func(name string, value config.Value) { settings[config.MustMakeKey("aws", name)] = value }
	if options.Account != "" && !options.noProviderSettings { // the plugin finds credentials by itself: it may take no other account for them than the caller did
		account, err := json.Marshal([]string{options.Account})
		if err != nil {
			return nil, err
		}
		set("allowedAccountIds", config.NewObjectValue(string(account)))
	}
	switch {
	case options.noProviderSettings:
	case options.Cloud:
		set("region", config.NewValue(options.Region))
	default:
		set("region", config.NewValue(options.Region))
		set("endpoints", config.NewObjectValue(endpoints))
		set("accessKey", config.NewValue("local"))
		set("secretKey", config.NewValue("local"))
		for _, check := range []string{"skipCredentialsValidation", "skipMetadataApiCheck", "skipRequestingAccountId"} {
			set(check, config.NewValue("true"))
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

// run runs one operation of the engine. The engine says what it does through its events; its terminal output is
// switched off.
func (e *engineStack) run(ctx context.Context, op operation, options Options, service *service) error {
	// The engine and the backend get a context that is never canceled: a cancellation goes to the engine's own scope,
	// so that it stops in good order and the state is still written.
	steady := context.WithoutCancel(ctx)
	s, _, state, err := e.export(steady)
	if err != nil {
		return err
	}
	if op == destroy {
		if err := state.refuseProtected(); err != nil {
			return err
		}
	}
	// Pulumi would replace every table, creating before deleting; at one endpoint the old table is in the way.
	if other, ok := state.otherRegion(options.Region); ok {
		return fmt.Errorf("expected region %s, in which the stack is deployed, found %s: destroy it with the former region first", other, options.Region)
	}
	manager, err := e.manager(steady, state)
	if err != nil {
		return err
	}
	endpoints, err := endpointsOf(options.Endpoint)
	if err != nil {
		return err
	}
	moved := !options.Cloud && state.moved(endpoints)
	cfg, err := settings(options, endpoints)
	if err != nil {
		return err
	}
	update := backend.UpdateOperation{
		Proj:            newProject(service.address),
		Root:            e.stateDir,
		M:               &backend.UpdateMetadata{},
		SecretsManager:  manager,
		SecretsProvider: e.secrets,
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
	switch op {
	case up:
		_, err = backend.UpdateStack(steady, s, update, nil)
	case preview:
		_, _, err = backend.PreviewStack(steady, s, update, nil)
	case refresh:
		_, err = backend.RefreshStack(steady, s, update)
	case destroy:
		_, err = backend.DestroyStack(steady, s, update)
	}
	return err
}

// outputs reads the stack's outputs from the state.
func (e *engineStack) outputs(ctx context.Context) (map[string]any, error) {
	s, err := e.stack(ctx)
	if err != nil {
		return nil, err
	}
	outputs, err := s.SnapshotStackOutputs(ctx, e.secrets)
	if err != nil {
		return nil, fmt.Errorf("deploy: cannot read the outputs of stack %s in %s: %w", e.name, e.stateDir, err)
	}
	plain := resource.ToResourcePropertyMap(outputs).MapRepl(nil, func(v resource.PropertyValue) (any, bool) {
		if v.IsSecret() {
			return v.SecretValue().Element.Mappable(), true
		}
		return nil, false
	})
	return plain, nil
}

// remove deletes the stack from the state folder.
func (e *engineStack) remove(ctx context.Context) error {
	release := exclusively(e.stateDir, e.name)
	defer release()
	if err := clearStaleLocks(e.stateDir, e.name); err != nil {
		return err
	}
	s, err := e.stack(ctx)
	if err != nil {
		return err
	}
	if hasResources, err := e.backend.RemoveStack(ctx, s, false, true); err != nil {
		if hasResources {
			return fmt.Errorf("deploy: expected stack %s to own nothing, found resources: destroy it first", e.name)
		}
		return fmt.Errorf("deploy: cannot remove stack %s from %s: %w", e.name, e.stateDir, err)
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
