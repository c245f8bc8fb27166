package guard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/validate"
)

// entity is an entity of the design with its primary key's templates taken
// apart.
type entity struct {
	contract *accesspatterns.Entity
	keys     []operand
	params   parameters
	// put and changed say that some documented step, of whatever role, puts the
	// entity, or updates or deletes it.
	put, changed bool
	// steps are those that write the entity, of whatever role.
	steps []*step
	// edited are the attributes that some documented update changes.
	edited map[string]bool
	// readable says that the client may read the entity whole, shown which paths
	// it may read.
	readable bool
	shown    [][]string
}

func (g *Guard) describeEntities() error {
	for i := range g.design.Entities {
		e := &entity{contract: &g.design.Entities[i], edited: map[string]bool{}}
		t := g.byID[e.contract.Table]
		if t == nil {
			return fmt.Errorf("entity %s: expected a table of the design, found %s", e.contract.ID, e.contract.Table)
		}
		for _, key := range t.keys {
			declared, has := e.contract.Key(key.Attribute)
			if !has {
				return fmt.Errorf("entity %s: expected a template for key attribute %s", e.contract.ID, key.Attribute)
			}
			compiled, err := compileOperand(key.Type, declared.Template, &e.params)
			if err != nil {
				return fmt.Errorf("entity %s: %w", e.contract.ID, err)
			}
			e.keys = append(e.keys, compiled)
		}
		t.entities = append(t.entities, e)
	}
	return nil
}

// matchKey reports whether an item or key has the form of the entity's primary
// key.
func (e *entity) matchKey(t *table, key accesspatterns.Item, bound *bindings) bool {
	for i := range e.keys {
		if !e.keys[i].matchValue(key[t.keys[i].Attribute], bound) {
			return false
		}
	}
	return true
}

// entitiesOf returns the entities whose primary key has the form of this one, by [accesspatterns.Design.EntitiesOf].
func (t *table) entitiesOf(key accesspatterns.Item) (found []*entity) {
	return lists.Map(t.design.EntitiesOf(t.contract.ID, key), func(of *accesspatterns.Entity) *entity {
		return t.entities[slices.IndexFunc(t.entities, func(e *entity) bool { return e.contract == of })]
	})
}

// given is the value that a change sets, adds or takes away; nil for REMOVE and for
// a SET that computes with stored values.
func given(c expression.Change) types.AttributeValue {
	if c.Sign != "" {
		return nil
	}
	return c.Value.Value
}

// checkChange says what is wrong with one change of an update; empty when it is
// documented.
func (e *entity) checkChange(t *table, c expression.Change, source expression.Source) string {
	attribute, _ := source.TopLevel(c.Path) // the parser knows each name of a path
	if t.keys.Has(attribute) {
		return "a change of primary key attribute " + attribute
	}
	whole := source.IsAttribute(c.Path, attribute)
	if key, isKey := e.contract.Key(attribute); isKey {
		return e.checkKeyChange(key, c, whole)
	}
	if slices.ContainsFunc(strings.Split(c.Path, "."), func(segment string) bool {
		name, _, _ := strings.Cut(segment, "[")
		return strings.Contains(source.Names[name], "[")
	}) {
		return "a name that looks like the index of a list"
	}
	value := given(c)
	if list := appended(&c, source); list != nil {
		value = list
	}
	path, _ := source.Split(c.Path)
	violations := validate.Change(e.contract, path, value)
	if c.Clause == expression.Remove {
		violations = validate.Removal(e.contract, path)
	}
	for _, v := range violations {
		switch {
		case v.Rule == validate.ViolatesUndocumented && v.Attribute == attribute:
			return "the undocumented attribute " + attribute
		case v.Rule == validate.ViolatesUndocumented:
			return "the undocumented member " + v.Attribute + " of an attribute"
		case c.Clause == expression.Remove:
			return "the removal of the required attribute " + v.Attribute
		case c.Clause == expression.Set || v.Rule == validate.ViolatesType, c.Clause == expression.Add && dynamo.TypeOf(value) != dynamo.Number:
			return fmt.Sprintf("%s that breaks %q of its documented form", v.Attribute, v.Rule)
		}
	}
	return ""
}

// contradiction says which rule between attributes, or which index key, is broken by
// the values that one update gives; empty when none is. What the stored item holds
// beside them and its key is not known here.
func (e *entity) contradiction(w *write) string {
	known := maps.Clone(w.Key)
	for _, c := range w.changes {
		if value := given(c); c.Clause == expression.Set && !c.Keeps && value != nil && !strings.ContainsAny(c.Path, ".[") {
			name, _ := w.source.TopLevel(c.Path)
			known[name] = value
		}
	}
	for i := range e.contract.Rules {
		if rule := &e.contract.Rules[i]; rule.Template == "" && validate.Rule(rule, w.Key, nil) == nil && validate.Rule(rule, known, nil) != nil {
			return fmt.Sprintf("values that break %q: %s", rule.ID, rule.Statement)
		}
	}
	for _, v := range validate.Keys(e.contract, known) {
		if _, given := known[v.Attribute]; given && v.Rule == validate.ViolatesKey {
			return "index key " + v.Attribute + " that is not made of the attributes that change with it"
		}
	}
	return e.leftBehind(w)
}

// leftBehind names an index key that an update parts from an attribute that it
// repeats, by changing only one of the two: the item would stay where its old value
// was, or stand where it has no business. An attribute that no documented update
// changes need not come along, a key that is removed repeats nothing, and one that the
// condition says is not there is not left behind. What is kept where it is stored is set where it is not.
func (e *entity) leftBehind(w *write) string {
	changes := func(attribute string) (changed, removed, kept bool) {
		for c := range lists.Each(w.changes) {
			if name, _ := w.source.TopLevel(c.Path); name == attribute {
				return !c.Keeps, c.Clause == expression.Remove, c.Keeps
			}
		}
		return false, false, false
	}
	for key := range lists.Each(e.contract.Keys) {
		moved, removed, _ := changes(key.Attribute)
		if _, primary := w.Key[key.Attribute]; primary || removed {
			continue
		}
		for _, name := range key.Template.Parameters() {
			repeated := key.Bound(name)
			attribute, known := e.contract.Attribute(repeated)
			if !known {
				continue
			}
			switch changed, _, kept := changes(repeated); {
			case (changed || kept && attribute.Presence != accesspatterns.Required) && !moved && !(key.Optional && w.demands(func(t expression.Term) bool {
				return t.Op == expression.NotExists && w.source.IsAttribute(t.Path, key.Attribute)
			})):
				return "a change of " + repeated + " that leaves index key " + key.Attribute + " behind: set it with the same values, REMOVE it, or ask for attribute_not_exists(" + key.Attribute + ")"
			case moved && !changed && e.edited[repeated]:
				return "a change of index key " + key.Attribute + " without " + repeated + ", which it repeats"
			}
		}
	}
	return ""
}

func (e *entity) checkKeyChange(key *accesspatterns.KeyAttribute, c expression.Change, whole bool) string {
	switch {
	case c.Clause == expression.Remove && whole && key.Optional:
		return ""
	case c.Clause != expression.Set || !whole || c.Keeps || given(c) == nil:
		return "a change of index key " + key.Attribute + " that is no assignment of one value"
	}
	if got := dynamo.TypeOf(given(c)); got != key.ValueType() {
		return fmt.Sprintf("index key %s with type %s, not %s", key.Attribute, got, key.ValueType())
	}
	parts, err := key.Template.Parse(dynamo.ScalarText(given(c)))
	if err != nil {
		return fmt.Sprintf("index key %s not of the form %s", key.Attribute, key.Template)
	}
	for name, text := range parts { // which are values of the attributes that the key repeats
		repeated := key.Bound(name)
		if attribute, known := e.contract.Attribute(repeated); known && attribute.Type == dynamo.String &&
			len(validate.Change(e.contract, []string{repeated}, &types.AttributeValueMemberS{Value: text})) > 0 {
			return fmt.Sprintf("index key %s with a %s that breaks its documented form", key.Attribute, repeated)
		}
	}
	return ""
}
