package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/internal/own"
	"dynaproof/conformance/suite"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/deploy"
	"dynaproof/stacks/environment"
)

// Stack opens the Pulumi stack of a design on this run's target.
func (r *Replay) Stack(ctx context.Context, name string) (*deploy.Stack, error) {
	r.mu.Lock()
	known := r.stacks[name]
	r.mu.Unlock()
	if known != nil {
		return known, nil
	}
	options, err := StackOptions(name, r.options.Environment, r.options.Region, r.options.NamePrefix)
	if err != nil {
		return nil, err
	}
	options.Unprotected() // what a run creates it removes
	options.Config[deploy.Project+":guardrails"] = cmp.Or(r.options.Guardrails, guardrailsOf(name))
	Place{Endpoint: r.at(name).endpoint(), Cloud: r.cloud}.Point(&options)
	options.StateDir = r.stateDir(stackName(options))
	options.Transforms = slices.Concat(r.options.Transforms, r.tagging())
	stack, err := deploy.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stacks[name] = stack
	return stack, nil
}

// guardrailsOf is what a stack is deployed with where the caller leaves it open: a design
// without roles has no policies to attach.
func guardrailsOf(name string) string {
	if design, err := designs.Find(name); err == nil && len(design.Policies.Roles) == 0 {
		return environment.Off
	}
	return environment.Enforce
}

// StackOptions returns what the deployer needs for a design, apart from the
// endpoint and the state folder.
func StackOptions(name, environment, region, prefix string) (deploy.Options, error) {
	program, err := catalog.Program(name)
	if err != nil {
		return deploy.Options{}, err
	}
	fixed, err := catalog.Region(name)
	if err != nil {
		return deploy.Options{}, err
	}
	if fixed != "" {
		region = fixed
	}
	options := deploy.Options{Design: name, Environment: environment, Program: program, Region: region}
	if prefix != "" { // tables under a prefix are for a while: nobody else's data stand in them
		options.Config = map[string]string{deploy.Project + ":namePrefix": prefix}
		options.Unprotected()
	}
	return options, nil
}

func stackName(options deploy.Options) string { return options.Design + "." + options.Environment }

// keepsState says whether the state outlives the run when it is interrupted. The
// embedded engine ends with the run, and so does its state.
func (r *Replay) keepsState() bool { return !r.alone() && r.options.StateDir != "" }

// place names where the run sends its requests, in paths of state folders.
func (r *Replay) place() string {
	if r.cloud != nil {
		return r.cloud.StateName()
	}
	return r.options.Endpoint
}

// stateDir is where a stack's state is kept.
func (r *Replay) stateDir(stack string) string {
	if !r.keepsState() {
		return r.scratch
	}
	if r.options.Existing {
		return existingState(r.options.StateDir, r.place(), stack)
	}
	return verifyState(r.options.StateDir, r.place(), stack)
}

// take takes a stack's state folder for this run.
func (r *Replay) take(stack string) error {
	if !r.keepsState() {
		return nil
	}
	release, err := hold(r.stateDir(stack), stack)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[stack] = release
	return nil
}

// leave removes the state of a stack that owns nothing any more, and gives its
// folder up.
func (r *Replay) leave(stack string) error {
	r.mu.Lock()
	release := r.held[stack]
	delete(r.held, stack)
	r.mu.Unlock()
	if release == nil {
		return nil
	}
	return errors.Join(os.RemoveAll(r.stateDir(stack)), release())
}

// deploy brings a stack up and reads its outputs. What an interrupted run left
// of the same stack is removed first.
func (r *Replay) deploy(ctx context.Context, name string) (suite.Deployment, error) {
	var none suite.Deployment
	if r.options.Tool != nil {
		return r.deployByTool(ctx, name)
	}
	if err := r.take(name + "." + r.options.Environment); err != nil {
		return none, err
	}
	stack, err := r.Stack(ctx, name)
	if err != nil {
		return none, err
	}
	up := stack.Up
	if r.keepsState() {
		owned, err := r.own(ctx, name, stack)
		if err != nil {
			return none, err
		}
		up = owned.Up
	}
	result, err := up(ctx)
	if err != nil {
		return none, err
	}
	deployment, err := Outputs(result.Outputs)
	if own.FromContract(name) {
		deployment.Guardrails = "" // no stack was asked
	}
	if err == nil && r.cloud != nil {
		_, err = r.awaitActive(ctx, Place{Cloud: r.cloud}.client(deployment.Region), slices.Collect(maps.Values(deployment.Tables)))
	}
	return deployment, err
}

// own removes what an interrupted run left, and then writes down what this
// run creates.
func (r *Replay) own(ctx context.Context, name string, stack *deploy.Stack) (*OwnedStack, error) {
	region, err := catalog.Region(name)
	if err != nil {
		return nil, err
	}
	region = cmp.Or(region, r.options.Region)
	at := Place{Endpoint: r.target.URL(), Cloud: r.cloud}
	owned, err := openOwned(stack, r.stateDir(stack.Name()), at.client(region))
	if err != nil {
		return nil, err
	}
	if _, _, err := owned.Destroy(ctx); err != nil {
		return nil, fmt.Errorf("removing what an interrupted run left: %w", err)
	}
	if r.cloud == nil {
		r.wire.SetFault(owned.Observe)
	} else if err := r.announce(ctx, name, owned); err != nil { // the provider's traffic does not pass the wire
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.owned[name] = owned
	return owned, nil
}

// announce writes down every table that the run is about to create on AWS.
func (r *Replay) announce(ctx context.Context, name string, owned *OwnedStack) error {
	design, err := designs.Find(name)
	if err != nil {
		return err
	}
	return owned.Announce(ctx, r.runTag(), slices.Sorted(maps.Values(r.documented(design).Tables))...)
}

// Outputs reads a stack's outputs.
func Outputs(outputs map[string]any) (suite.Deployment, error) {
	deployment := suite.Deployment{Tables: map[string]string{}, Indexes: map[string][]string{}}
	var problems []error
	expect := func(ok bool, name, form string) {
		if !ok {
			problems = append(problems, fmt.Errorf("stack outputs: expected %s to be %s, found %v", name, form, outputs[name]))
		}
	}
	tables, ok := outputs["tables"].(map[string]any)
	expect(ok, "tables", "a map of names")
	for id, value := range tables {
		deployed, ok := value.(string)
		expect(ok, "tables", "a map of names")
		deployment.Tables[id] = deployed
	}
	indexes, ok := outputs["indexes"].(map[string]any)
	expect(ok, "indexes", "a map of lists of names")
	for id, value := range indexes {
		names, ok := value.([]any)
		expect(ok, "indexes", "a map of lists of names")
		deployment.Indexes[id] = []string{}
		for _, name := range names {
			text, ok := name.(string)
			expect(ok, "indexes", "a map of lists of names")
			deployment.Indexes[id] = append(deployment.Indexes[id], text)
		}
	}
	region, ok := outputs["region"].(string)
	expect(ok, "region", "a name")
	deployment.Region = region
	texts := func(name string) map[string]string {
		read := map[string]string{}
		values, ok := outputs[name].(map[string]any)
		expect(ok, name, "a map of texts")
		for id, value := range values {
			text, ok := value.(string)
			expect(ok, name, "a map of texts")
			read[id] = text
		}
		return read
	}
	deployment.TableARNs = texts("tableArns")
	guardrails, ok := outputs["guardrails"].(string)
	expect(ok, "guardrails", "enforce or off")
	deployment.Guardrails = guardrails
	if guardrails == environment.Enforce {
		deployment.RolePolicies, deployment.TablePolicies = texts("rolePolicies"), texts("tablePolicies")
	}
	return deployment, errors.Join(problems...)
}

// destroy destroys a design's stack, if it has one.
func (r *Replay) destroy(ctx context.Context, name string) error {
	if r.options.Tool != nil {
		return r.timed("destroy", func() error { return r.destroyByTool(ctx, name) })
	}
	r.mu.Lock()
	stack, owned := r.stacks[name], r.owned[name]
	r.mu.Unlock()
	if stack == nil {
		return nil
	}
	if lost := r.Lost(); lost != nil {
		if r.alone() {
			return nil // the tables went with the engine
		}
		return lost
	}
	return r.timed("destroy", func() error {
		destroy := stack.Destroy
		if owned != nil {
			destroy = func(ctx context.Context) (*deploy.Result, error) {
				result, _, err := owned.Destroy(ctx)
				return result, err
			}
		}
		if _, err := destroy(ctx); err != nil {
			return r.located(name, err)
		}
		if err := stack.Remove(ctx); err != nil {
			return err
		}
		return r.leave(stack.Name())
	})
}
