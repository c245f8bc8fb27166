package flow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
)

// Memory answers the requests of a design's access patterns from items in memory, as a [Runner] has them answered by a service.
// Tables are called by their ids. What it does not know of a service is an error that is no refusal.
type Memory struct {
	Design *accesspatterns.Design
	Tables evaluate.Tables
}

// Clone returns a copy, which the writes to one of them leave as it is.
func (m *Memory) Clone() *Memory {
	tables := evaluate.Tables{}
	for id, items := range m.Tables {
		tables[id] = maps.Clone(items)
	}
	return &Memory{m.Design, tables}
}

// Stored are the items of a table, by their keys.
func (m *Memory) Stored(table string) (items []accesspatterns.Item) {
	return lists.Map(slices.Sorted(maps.Keys(m.Tables[table])), func(key string) accesspatterns.Item { return m.Tables[table][key] })
}

// At is the item that a table holds under a key; nil where there is none.
func (m *Memory) At(id string, key accesspatterns.Item) accesspatterns.Item {
	table, known := m.Design.Table(id)
	if !known {
		return nil
	}
	return m.Tables[id][evaluate.KeyText(table, key)]
}

// Get is [Runner.Get].
func (m *Memory) Get(_ context.Context, input *dynamodb.GetItemInput) (accesspatterns.Item, error) {
	return m.At(*input.TableName, input.Key), nil
}

// Read is [Runner.Read], in one page.
func (m *Memory) Read(_ context.Context, read *accesspatterns.Read, repetitions []accesspatterns.Params, _ int32) (*Answer, error) {
	got := &Answer{Pages: 1}
	table, known := m.Design.Table(read.Table)
	if !known {
		return got, fmt.Errorf("no table %s in the contract", read.Table)
	}
	if _, err := sdk.Reads(read, table, table.ID, repetitions); err != nil {
		return got, Unsendable{err}
	}
	stored, asked := m.Stored(table.ID), map[string]bool{}
	for _, params := range repetitions {
		items, err := evaluate.Read(read, table, stored, params)
		if err != nil {
			return got, err
		}
		for _, item := range items {
			if key := evaluate.KeyText(table, item); read.Together == "" || !asked[key] {
				asked[key] = true
				got.Items = append(got.Items, item)
			}
		}
	}
	if read.InspectBudget > 0 && len(got.Items) > int(read.InspectBudget) {
		got.Items, got.Cut = got.Items[:read.InspectBudget], true
	}
	for i, item := range got.Items {
		if got.Items[i] = evaluate.Carried(table, read.Index, item); len(read.Projection) > 0 {
			got.Items[i] = evaluate.Project(item, read.Projection)
		}
	}
	got.Count, got.Scanned = len(got.Items), len(got.Items)
	return got, nil
}

// Write is [Runner.Write].
func (m *Memory) Write(_ context.Context, request any) error {
	writes, err := sdk.Writes(request)
	if err != nil {
		return err
	}
	_, transaction := request.(*dynamodb.TransactWriteItemsInput)
	if transaction && len(writes) > sdk.MaxTransaction {
		return &smithy.GenericAPIError{Code: "ValidationException", Message: fmt.Sprintf("expected at most %d actions in a transaction, found %d", sdk.MaxTransaction, len(writes))}
	}
	switch err := m.Tables.Apply(m.Design.Table, writes); {
	case !evaluate.Refused(err):
		return err
	case errors.Is(err, evaluate.ErrTwice) || !transaction && unfit(err):
		return &smithy.GenericAPIError{Code: "ValidationException", Message: err.Error()}
	case transaction:
		return &types.TransactionCanceledException{Message: aws.String(err.Error()), CancellationReasons: m.reasons(writes)}
	default:
		return &types.ConditionalCheckFailedException{Message: aws.String(err.Error())}
	}
}

// unfit says that a write is refused for what it makes of the item, and not for what its condition says.
func unfit(err error) bool {
	return errors.Is(err, evaluate.ErrNotOfItem) || errors.Is(err, evaluate.ErrNotStored)
}

// reasons are those for which DynamoDB cancels a transaction of these writes, one for each.
func (m *Memory) reasons(writes []sdk.Write) (reasons []types.CancellationReason) {
	for i := range writes {
		code := "None"
		table, _ := m.Design.Table(writes[i].Table) // the writes were tried
		switch _, err := evaluate.Stored(table, &writes[i], m.At(table.ID, writes[i].Place())); {
		case errors.Is(err, evaluate.ErrCondition):
			code = "ConditionalCheckFailed"
		case unfit(err):
			code = "ValidationError"
		}
		reasons = append(reasons, types.CancellationReason{Code: aws.String(code)})
	}
	return reasons
}
