package guard

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/expression"
)

// findReadable notes what the client may read of each entity: what the allowed reads
// of its table return, whatever the item.
func (g *Guard) findReadable() {
	for _, t := range g.byID {
		for _, e := range t.entities {
			for _, d := range g.reads {
				if !d.allowed || d.table != t || d.read.Index != "" || !d.formed().ReturnsEach(e.contract) || !passesAlways(d.read.Filter, e.contract) {
					continue
				}
				e.readable = e.readable || len(d.projection) == 0
				e.shown = append(e.shown, d.projection...)
			}
		}
	}
}

// passesAlways reports whether a filter lets every item of an entity through, so
// that a read with it keeps none of them from the client.
func passesAlways(filter []accesspatterns.Condition, entity *accesspatterns.Entity) bool {
	return !slices.ContainsFunc(filter, func(condition accesspatterns.Condition) bool {
		attribute, known := entity.Attribute(condition.Attribute)
		switch {
		case !known || attribute.Presence != accesspatterns.Required:
			return true
		case condition.Operator == expression.Exists:
			return false
		}
		return condition.Operator != expression.Equal || condition.Value.Attribute != "" || !slices.Equal(attribute.Allowed, []string{string(condition.Value.Template)})
	})
}

// shows reports whether a read lets the client see a path of the entity, or what it
// is in.
func (e *entity) shows(path string, source expression.Source) bool {
	if e.readable {
		return true
	}
	segments, _ := source.Split(path)
	return slices.ContainsFunc(e.shown, func(shown []string) bool {
		return len(shown) <= len(segments) && slices.Equal(shown, segments[:len(shown)])
	})
}

// returned says which of a write's return values show what was stored. What the
// write itself has set is no secret to it.
func (w *write) returned() string {
	if w.ReturnsOnFailure != "" && w.ReturnsOnFailure != types.ReturnValuesOnConditionCheckFailureNone {
		return "ReturnValuesOnConditionCheckFailure " + string(w.ReturnsOnFailure)
	}
	switch w.Returns {
	case "", types.ReturnValueNone:
		return ""
	case types.ReturnValueUpdatedNew:
		if !slices.ContainsFunc(w.changes, func(c expression.Change) bool { return c.Stored() }) {
			return ""
		}
		return "ReturnValues UPDATED_NEW of a value that is computed from a stored one"
	}
	return "ReturnValues " + string(w.Returns)
}

// unreadable is an entity of the write that the client may not read whole; nil when
// there is none.
func (w *write) unreadable() *entity {
	for _, e := range w.formed {
		if !e.readable {
			return e
		}
	}
	return nil
}

// judgeReturned refuses a write that reads what the client may not read: a write
// that returns the stored item is a read without a projection.
func (g *Guard) judgeReturned(operation string, w *write) *Refusal {
	returned, hidden := w.returned(), w.unreadable()
	if returned == "" || hidden == nil {
		return nil
	}
	b := breach{RuleReturned, "no return values, because no pattern lets the client read entity " + hidden.contract.ID + " whole", returned}
	return g.refuse(operation, w.Table, "", b).citing(g.design, hidden.contract.Cite)
}
