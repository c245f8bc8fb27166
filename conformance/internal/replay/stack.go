package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"dynaproof"
	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/input"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/own"
	"dynaproof/conformance/suite/session"
)

// stackOptions are those of a design's Pulumi stack on this run's target.
func (r *Replay) stackOptions(design *accesspatterns.Design) deploy.Options {
	options := StackOptions(design, r.options.Environment, r.options.Region, r.options.NamePrefix)
	options.Unprotected() // what a run creates it removes
	guardrails := deploy.Enforce
	if len(design.Policies.Roles) == 0 {
		guardrails = deploy.Off // there are no policies to attach
	}
	options.Config[dynaproof.Project+":guardrails"] = cmp.Or(r.options.Guardrails, guardrails)
	r.place(design).Point(&options)
	options.StateDir = r.stateDir(design)
	if r.cloud != nil { // its policies are told apart from a stack's that somebody keeps
		options.Tags, options.PolicyPath = map[string]string{RunTag: r.runTag()}, runPolicies+r.id+"/"
	}
	return options
}

// StackOptions returns what the deployer needs for a design, apart from the
// endpoint and the state folder.
func StackOptions(design *accesspatterns.Design, environment, region, prefix string) deploy.Options {
	options := deploy.Options{Design: design.Name, Environment: environment, Region: cmp.Or(own.FixedRegion(design), region)}
	if prefix != "" { // tables under a prefix are for a while: nobody else's data stand in them
		options.Config = map[string]string{dynaproof.Project + ":namePrefix": prefix}
		options.Unprotected()
	}
	return options
}

// place is where a design is deployed: the address of the wire, or the account.
func (r *Replay) place(design *accesspatterns.Design) Place {
	return Place{Endpoint: r.at(design.Name).endpoint(), Cloud: r.cloud}
}

// stateDir is where the state of a design's stack is kept. That of an engine of the run's own ends with the run.
func (r *Replay) stateDir(design *accesspatterns.Design) string {
	if r.Alone() {
		return r.scratch
	}
	kind := verifyState
	if r.options.Existing {
		kind = existingState
	}
	return Place{Endpoint: r.options.Endpoint, Cloud: r.cloud}.state(r.options.StateDir, kind, r.stackOf(design))
}

// stackOf names the stack of a design.
func (r *Replay) stackOf(design *accesspatterns.Design) string {
	return design.Name + "." + r.options.Environment
}

// take takes the state folder of a design's stack for this run.
func (r *Replay) take(design *accesspatterns.Design) (err error) {
	if !r.Alone() {
		r.of(design.Name).release, err = Hold(r.stateDir(design), r.stackOf(design))
	}
	return err
}

// leave removes the state of a stack that owns nothing any more, and gives its
// folder up.
func (r *Replay) leave(design *accesspatterns.Design) error {
	at := r.of(design.Name)
	release := at.release
	if release == nil {
		return nil
	}
	at.release = nil
	return errors.Join(os.RemoveAll(r.stateDir(design)), release())
}

// deploy brings a stack up and reads its outputs. What an interrupted run left
// of the same stack is removed first.
func (r *Replay) deploy(ctx context.Context, design *accesspatterns.Design) (session.Deployment, error) {
	var none session.Deployment
	if r.options.Tool != nil {
		return r.deployByTool(ctx, design)
	}
	if err := r.take(design); err != nil {
		return none, err
	}
	options := r.stackOptions(design)
	stack, err := r.openStack(ctx, design, options)
	if err != nil {
		return none, err
	}
	var owned *OwnedStack // of an engine that others use
	if !r.Alone() {
		if owned, err = OpenOwned(stack, options.StateDir, Place{Endpoint: r.target.URL(), Cloud: r.cloud}, options.Region); err != nil {
			return none, err
		}
	}
	at := r.of(design.Name)
	at.stack, at.owned = stack, owned // a stack without its proof is never removed
	up := stack.Up
	if owned != nil {
		if err := r.own(ctx, design, owned, options); err != nil {
			return none, err
		}
		up = owned.Up
	}
	result, err := up(ctx)
	if err != nil {
		return none, err
	}
	r.mu.Lock()
	versions := maps.Clone(r.evidence.Modules) // somebody may read the former ones
	maps.Copy(versions, result.Modules)
	r.evidence.Modules = versions
	r.mu.Unlock()
	deployment, err := Outputs(result.Outputs)
	if deploy.FromContract(design.Name) {
		deployment.Guardrails = "" // no stack was asked
	}
	if err == nil && owned != nil {
		err = owned.knows(ctx, deployment)
	}
	if err == nil && r.cloud != nil {
		_, err = r.awaitActive(ctx, Place{Cloud: r.cloud}.client(deployment.Region), slices.Collect(maps.Values(deployment.Tables)))
	}
	return deployment, err
}

// own removes what an interrupted run left, and then writes down what this
// run creates.
func (r *Replay) own(ctx context.Context, design *accesspatterns.Design, owned *OwnedStack, options deploy.Options) error {
	if r.cloud == nil {
		r.proxy.SetWarden(owned.journal)
	}
	if _, err := owned.Clear(ctx); err != nil {
		return fmt.Errorf("removing what an interrupted run left: %w", err)
	}
	policies := ""
	if options.Config[dynaproof.Project+":guardrails"] == deploy.Enforce {
		policies = options.PolicyPath
	}
	owned.bear(r.runTag(), policies)
	if r.cloud != nil { // announced at once, because the provider's traffic does not pass the wire
		return owned.Announce(ctx, slices.Sorted(maps.Values(r.options.documented(design).Tables))...)
	}
	return nil
}

// Outputs reads a stack's outputs.
func Outputs(outputs map[string]any) (session.Deployment, error) {
	var deployment session.Deployment
	var problems []error
	read := func(name, form string, into any) {
		text, err := json.Marshal(outputs[name])
		if err != nil || outputs[name] == nil || input.Exactly(text, into) != nil {
			problems = append(problems, fmt.Errorf("stack outputs: expected %s to be %s, found %v", name, form, outputs[name]))
		}
	}
	read("tables", "a map of names", &deployment.Tables)
	read("indexes", "a map of lists of names", &deployment.Indexes)
	read("region", "a name", &deployment.Region)
	read("tableArns", "a map of texts", &deployment.TableARNs)
	read("guardrails", "enforce or off", &deployment.Guardrails)
	if deployment.Guardrails == deploy.Enforce {
		read("rolePolicies", "a map of texts", &deployment.RolePolicies)
		read("tablePolicies", "a map of texts", &deployment.TablePolicies)
	}
	return deployment, errors.Join(problems...)
}

// destroy destroys a design's stack, if it has one.
func (r *Replay) destroy(ctx context.Context, design *accesspatterns.Design) error {
	if r.options.Tool != nil {
		return r.timed("destroy", func() error { return r.destroyByTool(ctx, design) })
	}
	at := r.of(design.Name)
	stack, owned := at.stack, at.owned
	if stack == nil {
		return nil
	}
	return r.removed(design, func() (err error) {
		if owned != nil {
			_, err = owned.Clear(ctx)
		} else {
			_, err = stack.Destroy(ctx)
		}
		if err != nil {
			return err
		}
		return stack.Remove(ctx)
	})
}

// removed removes what a run has of a design, and gives up its state, unless the engine was lost.
func (r *Replay) removed(design *accesspatterns.Design, remove func() error) error {
	if lost := r.Lost(); lost != nil {
		if r.Alone() {
			return nil // the tables went with the engine
		}
		return lost
	}
	return r.timed("destroy", func() error {
		if err := remove(); err != nil {
			return r.located(design.Name, err)
		}
		return r.leave(design)
	})
}
