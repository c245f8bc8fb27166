package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/tables"
	"dynaproof/conformance/target"
)

// openStack opens what deploys a design: the command, or a program of the caller's. Where the design has none its tables are made
// from the contract, and where a test makes its program wrong, from what that asks for.
func (r *Replay) openStack(ctx context.Context, design *accesspatterns.Design, options deploy.Options) (*deploy.Stack, error) {
	up := r.fromContract
	switch {
	case r.options.Wrong != nil:
		up = r.fromInputs
	case !deploy.FromContract(design.Name):
		return deploy.Open(ctx, options)
	}
	m := &maker{&tables.Operator{Client: r.place(design).client(options.Region)}, options, nil}
	by := deploy.Maker{Up: func(ctx context.Context) (map[string]any, error) { return up(ctx, m, design) }}
	if r.Alone() { // beside others the journal proves which tables go
		by.Destroy = m.remove
	}
	return deploy.By(options, by), nil
}

// openLeft opens the stack of an earlier process, to remove what that left.
func openLeft(ctx context.Context, options deploy.Options) (*deploy.Stack, error) {
	if deploy.FromContract(options.Design) { // its journal alone knows its tables
		return deploy.By(options, deploy.Maker{}), nil
	}
	return deploy.Open(ctx, options)
}

// maker makes tables without Pulumi.
type maker struct {
	*tables.Operator
	options deploy.Options
	made    []string
}

// remove deletes what was made and is there, by name: on an engine of the run's own.
func (m *maker) remove(ctx context.Context) error {
	for _, name := range m.made {
		if _, err := m.Client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name}); err != nil && !isMissing(err) {
			return fmt.Errorf("table %s: %w", name, err)
		}
	}
	m.made = nil
	return nil
}

// fromContract makes a design's tables from its contract, without a stream, a class and protection, which the suite does not
// ask of them. What is made proves nothing about the tables.
func (r *Replay) fromContract(ctx context.Context, m *maker, design *accesspatterns.Design) (map[string]any, error) {
	wanted := map[string]*tables.Spec{}
	for id, name := range r.options.documented(design).Tables {
		table, _ := design.Table(id)
		for i := range table.Indexes {
			if table.Indexes[i].Composite() {
				return nil, fmt.Errorf("index %s of table %s has a key of several attributes, and no table with one can be made from a contract; let your own tool make it, by --deploy, or audit what is deployed", table.Indexes[i].Name, id)
			}
		}
		want := tables.Promised(table, name, m.options.Environment)
		want.Stream, want.Class, want.Protected = "", "", false
		wanted[id] = want
	}
	return m.make(ctx, wanted)
}

// make makes tables, by their logical ids, and returns the outputs of a stack that has made them.
func (m *maker) make(ctx context.Context, wanted map[string]*tables.Spec) (map[string]any, error) {
	names, arns, indexes := map[string]any{}, map[string]any{}, map[string]any{}
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		want := wanted[id]
		maps.Copy(want.Tags, m.options.Tags)
		if err := m.Make(ctx, want); err != nil {
			return nil, fmt.Errorf("table %s: %w", id, err)
		}
		m.made = append(m.made, want.Name)
		made, err := target.Described(ctx, m.Client, want.Name)
		if err != nil || made == nil {
			return nil, fmt.Errorf("table %s: expected it after its creation, found none: %w", id, err)
		}
		names[id], arns[id] = want.Name, aws.ToString(made.TableArn)
		global := []any{}
		for _, index := range want.Indexes {
			if !index.Local {
				global = append(global, index.Name)
			}
		}
		indexes[id] = global
	}
	return map[string]any{"tables": names, "tableArns": arns, "indexes": indexes, "region": m.options.Region, "guardrails": deploy.Off}, nil
}

// fromInputs makes what a design's program asks for, changed by a test, and attaches the policies.
func (r *Replay) fromInputs(ctx context.Context, m *maker, design *accesspatterns.Design) (map[string]any, error) {
	asked, err := deploy.InputsOf(ctx, m.options)
	if err != nil {
		return nil, err
	}
	r.options.Wrong(asked)
	wanted := map[string]*tables.Spec{}
	for id, inputs := range asked.Tables {
		wanted[id] = tables.Asked(inputs)
	}
	outputs, err := m.make(ctx, wanted)
	if err != nil || len(asked.TablePolicies) == 0 {
		return outputs, err
	}
	var ownARNs []string // the mocks' ARNs and the tables' own
	for id, arn := range asked.Outputs["tableArns"].(map[string]any) {
		ownARNs = append(ownARNs, arn.(string), outputs["tableArns"].(map[string]any)[id].(string))
	}
	arns := strings.NewReplacer(ownARNs...)
	byTable, byRole := map[string]any{}, map[string]any{}
	for id, inputs := range asked.TablePolicies {
		document := arns.Replace(inputs["policy"].(string))
		arn, _ := outputs["tableArns"].(map[string]any)[id].(string)
		if _, err := m.Client.PutResourcePolicy(ctx, &dynamodb.PutResourcePolicyInput{ResourceArn: &arn, Policy: &document}); err != nil {
			return nil, fmt.Errorf("policy of table %s: %w", id, err)
		}
		byTable[id] = document
	}
	for name, inputs := range asked.Policies {
		byRole[strings.TrimPrefix(name, design.Name+"-")] = arns.Replace(inputs["policy"].(string))
	}
	outputs["guardrails"], outputs["tablePolicies"], outputs["rolePolicies"] = deploy.Enforce, byTable, byRole
	return outputs, nil
}

// activeTime bounds the wait for tables and indexes to be active, backfill
// included; tables of a run are empty when their indexes are made.
const activeTime = 10 * time.Minute

// awaitActive waits until tables and their indexes are active and no index is being
// filled: who deployed them may have ended before they were. It returns their ARNs, by
// name.
func (r *Replay) awaitActive(ctx context.Context, client *dynamodb.Client, names []string) (arns map[string]string, err error) {
	bounded, cancel := context.WithTimeout(ctx, activeTime)
	defer cancel()
	arns = map[string]string{}
	for _, name := range slices.Sorted(slices.Values(names)) {
		for {
			answer, err := client.DescribeTable(bounded, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
			if err != nil {
				return nil, fmt.Errorf("waiting for table %s: %w", name, err)
			}
			waitsFor := notActive(answer.Table)
			if waitsFor == "" {
				arns[name] = aws.ToString(answer.Table.TableArn)
				break
			}
			r.progress("%s: waiting for %s", name, waitsFor)
			if batch.Pause(bounded, r.options.Bounds.Poll, 0) != nil {
				return nil, errors.Join(fmt.Errorf("table %s: expected it to be active within %s, found %s", name, activeTime, waitsFor), ctx.Err())
			}
		}
	}
	return arns, nil
}

// notActive says what of a table is not ready, or nothing.
func notActive(table *types.TableDescription) string {
	if table.TableStatus != types.TableStatusActive {
		return "the table, which is " + string(table.TableStatus)
	}
	for _, index := range table.GlobalSecondaryIndexes {
		if aws.ToBool(index.Backfilling) {
			return "index " + aws.ToString(index.IndexName) + ", which is being filled"
		}
		if index.IndexStatus != "" && index.IndexStatus != types.IndexStatusActive {
			return "index " + aws.ToString(index.IndexName) + ", which is " + string(index.IndexStatus)
		}
	}
	return ""
}
