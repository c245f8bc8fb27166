// Package dryrun runs a Pulumi program on Pulumi's mocks and returns what it asked for, so that unit tests can hold it
// against a document. Nothing is deployed: a mock answers every registration with its own inputs. It proves what the program says and nothing about what AWS makes of it.
package dryrun

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof"
	"dynaproof/stacks/environment"
)

// Region stands in the ARNs that the mocks give. No test may take it for the region that it configured.
const Region = "mock-region-1"

// Result is what one run of a program asked for.
type Result = dynaproof.Inputs

// Run runs the program as the stack of the project dynaproof, with settings by their full key (dynaproof:namePrefix).
// The result is never nil: after an error it holds what the program had asked for until then. A resource that is
// neither a table, nor a policy, nor the stack's component, nor an AWS provider is an error, because no document asks for one.
func Run(program pulumi.RunFunc, stack string, settings map[string]string) (*Result, error) {
	m := &mocks{result: &Result{
		Tables:        map[string]map[string]any{},
		Protected:     map[string]bool{},
		Providers:     map[string]map[string]any{},
		Policies:      map[string]map[string]any{},
		TablePolicies: map[string]map[string]any{},
	}}
	var outputs map[string]any
	err := pulumi.RunErr(
		func(ctx *pulumi.Context) error {
			if err := program(ctx); err != nil {
				return err
			}
			// Pulumi waits for what rests on an output of the run. Exports that are all plain values do not.
			awaited, resolve, _ := ctx.NewOutput()
			pulumi.All(awaited, pulumi.Map(ctx.GetCurrentExportMap())).ApplyT(func(values []any) any {
				outputs = values[1].(map[string]any)
				return nil
			})
			resolve(nil)
			return nil
		},
		pulumi.WithMocks("dynaproof", stack, m),
		func(info *pulumi.RunInfo) { info.Config = settings },
	)
	if err != nil {
		return m.result, err
	}
	text, err := json.Marshal(outputs)
	if err != nil {
		return m.result, err
	}
	return m.result, json.Unmarshal(text, &m.result.Outputs)
}

// mocks answers for the AWS provider. Registrations arrive concurrently.
type mocks struct {
	mu     sync.Mutex
	result *Result
}

var _ pulumi.MockResourceMonitor = (*mocks)(nil)

// NewResource records a registration and answers with the inputs, completed by the ARN for a table.
func (m *mocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch args.TypeToken {
	case "aws:dynamodb/table:Table":
		if _, taken := m.result.Tables[args.Name]; taken {
			return "", nil, fmt.Errorf("mocks: expected one table %q, found a second; give each its own resource name", args.Name)
		}
		m.result.Tables[args.Name] = args.Inputs.Mappable()
		m.result.Protected[args.Name] = args.RegisterRPC.GetProtect()
		// A table without the input gets a name of Pulumi's making, as it would from the engine.
		name := args.Name + "-1234567"
		if given, ok := args.Inputs["name"]; ok {
			name = given.StringValue()
		}
		state := args.Inputs.Copy()
		state["name"] = resource.NewProperty(name)
		state["arn"] = resource.NewProperty("arn:aws:dynamodb:" + Region + ":111122223333:table/" + name)
		return name, state, nil
	case "aws:dynamodb/resourcePolicy:ResourcePolicy":
		m.result.TablePolicies[args.Name] = args.Inputs.Mappable()
		return args.Inputs["resourceArn"].StringValue(), args.Inputs, nil
	case "aws:iam/policy:Policy":
		m.result.Policies[args.Name] = args.Inputs.Mappable()
		state := args.Inputs.Copy()
		arn := "arn:aws:iam::111122223333:policy" + args.Inputs["path"].StringValue() + args.Name + "-1234567"
		state["arn"] = resource.NewProperty(arn)
		return arn, state, nil
	case environment.ComponentType:
		return "", args.Inputs, nil
	case "pulumi:providers:aws":
		m.result.Providers[args.Name] = args.Inputs.Mappable()
		return args.Name + "-id", args.Inputs, nil
	}
	return "", nil, fmt.Errorf("mocks: expected tables, policies and AWS providers alone, found %s %q; no document asks for it", args.TypeToken, args.Name)
}

// Call refuses every invoke: no program needs one.
func (m *mocks) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	return nil, fmt.Errorf("mocks: expected no invoke, found %s", args.Token)
}
