package guard

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// findReadable notes which entities the client may read whole: those that an
// allowed read of their table returns without a projection.
func (g *Guard) findReadable() {
	for _, t := range g.byID {
		for _, e := range t.entities {
			e.readable = slices.ContainsFunc(g.reads, func(d *documented) bool {
				return d.allowed && d.table == t && d.read.Index == "" && len(d.projection) == 0 && readBy(d.read, d.forms, e.contract)
			})
		}
	}
}

// returned says which of a write's return values show what was stored. What the
// write itself has set is no secret to it.
func returned(values types.ReturnValue, onFailure types.ReturnValuesOnConditionCheckFailure) string {
	if onFailure != "" && onFailure != types.ReturnValuesOnConditionCheckFailureNone {
		return "ReturnValuesOnConditionCheckFailure " + string(onFailure)
	}
	switch values {
	case "", types.ReturnValueNone, types.ReturnValueUpdatedNew:
		return ""
	}
	return "ReturnValues " + string(values)
}

// judgeReturned refuses a write that reads what the client may not read: a write
// that returns the stored item is a read without a projection.
func (g *Guard) judgeReturned(operation string, w *write) *Refusal {
	if w.returned == "" {
		return nil
	}
	for _, e := range w.formed {
		if !e.readable {
			refusal := g.refuse(operation, w.tableName, "", breach{RuleReturned, "no return values, because no pattern lets the client read entity " + e.contract.ID + " whole", w.returned})
			refusal.Cite = g.design.Document.Cite(e.contract.Cite)
			return refusal
		}
	}
	return nil
}
