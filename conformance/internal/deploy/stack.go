// Package deploy asks a command to deploy designs. For the shipped designs that is dynaproof-local, which holds their Pulumi programs
// and Pulumi's engine; for a design of another module it is a function in this process. Both speak one line of JSON for each request
// and each answer; stacks/README.md lists them. What they answer is no evidence: tables are looked at.
package deploy

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
)

// Project is the name of the Pulumi project: the namespace of its settings, and a part of the paths of its policies.
const Project = "dynaproof"

// The two values of the setting guardrails.
const (
	Enforce = "enforce"
	Off     = "off"
)

// cancel ends a request.
const cancel = "cancel"

// request is one line to what deploys.
type request struct {
	ID int    `json:"id,omitempty"`
	Do string `json:"do"`
	Options
}

// Options say which design is deployed, and where.
type Options struct {
	// Design and Environment name the stack: <design>.<environment>.
	Design      string `json:"design,omitempty"`
	Environment string `json:"environment,omitempty"`
	// Region is the AWS region that requests are signed for.
	Region string `json:"region,omitempty"`
	// Endpoint is the URL of an engine on loopback.
	Endpoint string `json:"endpoint,omitempty"`
	// Through is another address on loopback by which requests to Endpoint go; empty for Endpoint itself.
	Through string `json:"through,omitempty"`
	// Cloud deploys to AWS itself, in place of Endpoint, and Account is the id of the account, 12 digits.
	Cloud   bool   `json:"cloud,omitempty"`
	Account string `json:"account,omitempty"`
	// StateDir is the folder of the state.
	StateDir string `json:"state,omitempty"`
	// Config is the stack's configuration, such as dynaproof:namePrefix.
	Config map[string]string `json:"config,omitempty"`
	// Tags are put on every table and IAM policy, and PolicyPath is the path of every IAM policy; empty for the program's.
	Tags       map[string]string `json:"tags,omitempty"`
	PolicyPath string            `json:"policyPath,omitempty"`
}

// Unprotected sets the tables' protection off, for a stack whose tables are deleted soon, such as a test's or a run's.
// Where a table is protected already it stays so until it has been deployed without.
func (o *Options) Unprotected() {
	unprotected := map[string]string{}
	maps.Copy(unprotected, o.Config)
	unprotected[Project+":protect"] = "false"
	o.Config = unprotected
}

// Name is the stack's name.
func (o *Options) Name() string { return o.Design + "." + o.Environment }

// answer is one line from what deploys.
type answer struct {
	ID    int    `json:"id"`
	Error string `json:"error"`
	Kind  string `json:"kind"`
	Result
	Inputs  *Inputs `json:"inputs"`
	Sources string  `json:"sources"`
}

// Result is what an operation did, or would do.
type Result struct {
	// Changes counts resources by what was done to them, as Pulumi does.
	Changes map[string]int `json:"changes"`
	// Diff shows each resource that differs, as `pulumi preview --diff` does.
	Diff     string   `json:"diff"`
	Warnings []string `json:"warnings"`
	// Outputs are the stack's outputs.
	Outputs map[string]any `json:"outputs"`
	// TableIDs are the TableIds of the tables that were created, by name, as far as the engine gave any.
	TableIDs map[string]string `json:"tableIds"`
	// Modules are the versions of the modules that deployed.
	Modules map[string]string `json:"modules"`
	// Seconds is the time that the operation took.
	Seconds float64 `json:"seconds"`
}

// Inputs is what a program asks for.
type Inputs struct {
	// Tables, Policies and TablePolicies hold the inputs of the tables, of the IAM policies and of the tables' policies, by the
	// names of the resources.
	Tables        map[string]map[string]any `json:"tables"`
	Policies      map[string]map[string]any `json:"policies"`
	TablePolicies map[string]map[string]any `json:"tablePolicies"`
	// Outputs are the stack's outputs.
	Outputs map[string]any `json:"outputs"`
}

// Said reads a line that a command printed: what it made, as an answer to up. It returns nil where the line is none.
func Said(line []byte) *Result {
	var got answer
	if err := json.Unmarshal(line, &got); err != nil {
		return nil
	}
	if _, named := got.Outputs["tables"]; !named {
		return nil
	}
	return &got.Result
}

// Stack is a design that is deployed, or can be. Its methods may be called from several goroutines.
type Stack struct {
	options Options
	by      *Maker // in place of what deploys; nil for that
}

// Maker makes tables in this process, and removes what it has made.
type Maker struct {
	Up      func(context.Context) (outputs map[string]any, err error)
	Destroy func(context.Context) error
}

// By is a stack that a maker makes. It has no state.
func By(options Options, maker Maker) *Stack { return &Stack{options, &maker} }

// Open prepares a stack and makes its state folder. It sends no request to the endpoint. What is wrong with the options is a
// [*UsageError].
func Open(ctx context.Context, options Options) (*Stack, error) {
	var err error
	if options.StateDir != "" { // the command may have another working folder
		if options.StateDir, err = filepath.Abs(options.StateDir); err != nil {
			return nil, err
		}
	}
	s := &Stack{options: options}
	_, err = s.ask(ctx, "open")
	return s, err
}

func (s *Stack) ask(ctx context.Context, do string) (answer, error) {
	if s.by != nil {
		switch do {
		case "up":
			outputs, err := s.by.Up(ctx)
			return answer{Result: Result{Outputs: outputs}}, err
		case "destroy":
			return answer{}, s.by.Destroy(ctx)
		}
		return answer{}, nil
	}
	c, err := to(s.options.Design)
	if err != nil {
		return answer{}, err
	}
	return c.ask(ctx, request{Do: do, Options: s.options})
}

// Through lets the stack's requests go by another address on loopback, which passes them on to the endpoint and sees them; empty
// for the endpoint itself. State and messages name the endpoint alone.
func (s *Stack) Through(address string) { s.options.Through = address }

func (s *Stack) run(ctx context.Context, operation string) (*Result, error) {
	got, err := s.ask(ctx, operation)
	if err != nil {
		return nil, err
	}
	return &got.Result, nil
}

// Name is the stack's name, <design>.<environment>.
func (s *Stack) Name() string { return s.options.Name() }

// Up deploys the program. A failure leaves what was done in the state; the next Up goes on from there.
func (s *Stack) Up(ctx context.Context) (*Result, error) { return s.run(ctx, "up") }

// Preview says what Up would do. It neither locks nor changes the state.
func (s *Stack) Preview(ctx context.Context) (*Result, error) { return s.run(ctx, "preview") }

// Refresh reads the deployed tables into the state, and says what has changed.
func (s *Stack) Refresh(ctx context.Context) (*Result, error) { return s.run(ctx, "refresh") }

// Destroy deletes every table that the stack owns.
func (s *Stack) Destroy(ctx context.Context) (*Result, error) { return s.run(ctx, "destroy") }

// Remove deletes the empty stack from the state folder. It fails while the stack owns a table.
func (s *Stack) Remove(ctx context.Context) error {
	_, err := s.ask(ctx, "remove")
	return err
}

// Outputs returns the outputs of the last successful Up, from the state alone.
func (s *Stack) Outputs(ctx context.Context) (map[string]any, error) {
	got, err := s.ask(ctx, "outputs")
	return got.Outputs, err
}

// InputsOf returns what a design's program asks for with some configuration. Nothing is deployed.
func InputsOf(ctx context.Context, options Options) (*Inputs, error) {
	s := &Stack{options: options}
	got, err := s.ask(ctx, "inputs")
	if err == nil && got.Inputs == nil {
		err = fmt.Errorf("inputs of %s: expected what its program asks for, found nothing", options.Name())
	}
	return got.Inputs, err
}

// CheckPlugin returns an error where Pulumi's aws plugin, which deploys to AWS itself, is not there, or is another one than
// the user names. The warnings say that nothing verifies it.
func CheckPlugin(ctx context.Context) (warnings []string, err error) {
	c, err := to("")
	if err != nil {
		return nil, err
	}
	got, err := c.ask(ctx, request{Do: "plugin"})
	return got.Warnings, err
}
