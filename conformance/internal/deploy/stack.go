// Package deploy asks a command to deploy designs. For the shipped designs that is dynaproof-local, which holds their Pulumi programs
// and Pulumi's engine; for a design of another module it is a function in this process. Both speak one line of JSON for each request
// and each answer; stacks/README.md lists them. What they answer is no evidence: tables are looked at.
package deploy

import (
	"context"
	"fmt"
	"path/filepath"

	"dynaproof"

	"dynaproof/accesspatterns/input"
)

// The two values of the setting guardrails.
const (
	Enforce = "enforce"
	Off     = "off"
)

// cancel ends a request.
const cancel = "cancel"

// What is said to what deploys, and what it says.
type (
	// Options say which design is deployed, and where.
	Options = dynaproof.Options
	// Result is what an operation did, or would do.
	Result = dynaproof.Result
	// Inputs is what a program asks for.
	Inputs  = dynaproof.Inputs
	request = dynaproof.Request
	answer  = dynaproof.Answer
)

// Said reads a line that a command printed: what it made, as an answer to up. It returns nil where the line is none.
func Said(line []byte) *Result {
	var got answer
	if err := input.Exactly(line, &got); err != nil {
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

// Maker makes tables in this process, and removes what it has made, unless Destroy is nil.
type Maker struct {
	Up      func(context.Context) (outputs map[string]any, err error)
	Destroy func(context.Context) error
}

// By is a stack that a maker makes. It has no state.
func By(options Options, maker Maker) *Stack { return &Stack{options, &maker} }

// Open prepares a stack and makes its state folder. It sends no request to the endpoint.
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
		switch {
		case do == "up":
			outputs, err := s.by.Up(ctx)
			return answer{Result: Result{Outputs: outputs}}, err
		case do == "destroy" && s.by.Destroy != nil:
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
