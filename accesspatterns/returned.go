package accesspatterns

import (
	"fmt"
	"slices"

	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/internal/template"
	"dynaproof/accesspatterns/lists"
)

// MayReturn reports whether the read may return items of an entity: whether a key of the entity's form may be one that the read asks for.
func (r *Read) MayReturn(e *Entity) bool {
	return r.asks(e, func(asked, form template.Template, beginning bool) bool {
		if beginning {
			return template.MeetBeginning(asked, form)
		}
		return template.Meet(asked, form)
	})
}

// ReturnedBy returns the entities of which a read may return items.
func (d *Design) ReturnedBy(r *Read) []*Entity {
	return lists.Which(d.Entities, r.MayReturn)
}

// ReturnsEach reports whether the read may return each item of an entity, whatever its key is. Of a range nothing says that it has them all.
func (r *Read) ReturnsEach(e *Entity) bool {
	if r.isRange() {
		return false
	}
	var asked, formed template.Template
	covered := r.asks(e, func(one, form template.Template, beginning bool) bool {
		end := template.Piece{Literal: "\n"}
		asked, formed = append(append(asked, one...), end), append(append(formed, form...), end)
		return template.Covers(one, form, beginning)
	})
	text, twice := numbered(asked)
	other, _ := numbered(formed)
	return covered && (!twice || text == other) // what is one value for the read is one in the entity
}

// numbered is a template whose parameters are called by their order, and whether one stands twice.
func numbered(of template.Template) (text string, twice bool) {
	var names []string
	for _, p := range of {
		if p.Parameter == "" {
			text += p.Literal
			continue
		}
		at := slices.Index(names, p.Parameter)
		if twice = twice || at >= 0; at < 0 {
			at, names = len(names), append(names, p.Parameter)
		}
		text += fmt.Sprintf("{%d}", at)
	}
	return text, twice
}

// isRange reports whether the condition on the sort key says where its values begin or end.
func (r *Read) isRange() bool {
	return r.Sort != nil && r.Sort.Operator != expression.Equal && r.Sort.Operator != expression.BeginsWith
}

// asks reports whether what the read asks for of each key is to the entity's form of it as each says. Where a range begins and ends, no form
// tells; an item without the key is in no range.
func (r *Read) asks(e *Entity, each func(asked, form template.Template, beginning bool) bool) bool {
	if e.Table != r.Table {
		return false
	}
	for _, condition := range r.KeyConditions() {
		key, has := e.Key(condition.Attribute)
		if !has {
			return false
		}
		if condition.Operator != expression.Equal && r.isRange() {
			continue
		}
		asked, err := condition.Value.Template.pieces()
		form, wrong := key.Template.pieces()
		if err != nil || wrong != nil || !each(asked, form, condition.Operator == expression.BeginsWith) {
			return false
		}
	}
	return true
}
