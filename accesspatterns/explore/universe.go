package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/validate"
)

// Item is an item of an entity, from which those of the universe are made.
type Item struct {
	Entity string
	Item   ap.Item
}

// Bases are the valid items of a design's entities, from which those of the universe are made. Explorations of designs with the same
// entities may share them.
type Bases struct {
	of map[string][]base
	// judged says whether items are valid that were made from them, by the entity and what they hold.
	judged sync.Map
}

// valid reports whether an item is valid. Explorations make the same items, and each is judged once.
func (b *Bases) valid(e *ap.Entity, item ap.Item) bool {
	text := string(appendItem(appendText(nil, e.ID), item))
	known, has := b.judged.Load(text)
	if !has {
		known = len(validate.Item(e, item)) == 0
		b.judged.Store(text, known)
	}
	return known.(bool)
}

// base is a valid item with the parameters of its keys.
type base struct {
	item   ap.Item
	params ap.Params
}

// BasesOf are those of some items that are valid. They are those of every design that has the same entities, whatever its patterns are.
func BasesOf(d *ap.Design, items []Item) *Bases {
	b := &Bases{of: map[string][]base{}}
	for _, item := range items {
		if e, known := d.Entity(item.Entity); known && len(validate.Item(e, item.Item)) == 0 {
			params, _ := validate.ParseKeys(e, item.Item)
			b.of[e.ID] = append(b.of[e.ID], base{item.Item, params})
		}
	}
	return b
}

// universe holds the values that exploration uses.
type universe struct {
	design *ap.Design
	// parameters are those of the entities' primary keys.
	parameters map[string]bool
	// steps are the design's, with the forms of keys that were read.
	steps []*patternStep
	// kinds maps each parameter to the one that stands for all that have the same values.
	kinds map[string]string
	// users is a parameter that has users' ids, if any.
	users string
	// written is the notation of a kind, where an entity gives one.
	written map[string]string
	// values are those of a kind, the first of them the usual one.
	values map[string][]string
	// named are the values that the contract names for an attribute, by entity and attribute.
	named map[string]map[string]bool
	// together is how many ids of a kind one item names, asking how many one step does whose items may hold another one; third says
	// that there is one more than these.
	together, asking map[string]int
	third            bool
	// notation are values of the form that the items' ids have, by kind.
	notation map[string][]string
	// asked are the attributes that conditions compare with parameters, with the parameter where that is all of the value; summed are
	// those that updates add to, by entity and attribute.
	asked  map[string]string
	summed map[string]bool
	from   *Bases
	// bases are those of them by entity: first those that have every attribute that updates add to, then those with
	// fewest attributes.
	bases map[string][]base
	// chosen are those of them that are used.
	chosen map[string][]ap.Item
	// acted are the entities that an action may be of.
	acted map[*ap.Action][]*ap.Entity
}

func newUniverse(d *ap.Design, from *Bases) *universe {
	u := &universe{
		design: d, steps: stepsOf(d), parameters: map[string]bool{}, kinds: map[string]string{}, written: map[string]string{}, values: map[string][]string{}, named: map[string]map[string]bool{},
		from: from, bases: map[string][]base{}, chosen: map[string][]ap.Item{}, acted: map[*ap.Action][]*ap.Entity{},
	}
	for i := range d.Entities {
		for _, name := range u.idsOf(&d.Entities[i]) {
			u.parameters[name] = true
		}
	}
	u.unify()
	u.narrow(nil, nil)
	for id, all := range from.of {
		u.bases[id] = slices.Clone(all)
	}
	u.settle()
	return u
}

// settle finds what the values of the universe follow from.
func (u *universe) settle() {
	d := u.design
	u.findAsked()
	u.observe()
	for e := range lists.Each(d.Entities) {
		var summed []string
		for j := range e.Attributes {
			if name := e.Attributes[j].Name; u.summed[e.ID+"."+name] {
				summed = append(summed, name)
			}
		}
		lacks := func(item ap.Item) int {
			return lists.Count(summed, func(name string) bool { return item[name] == nil })
		}
		slices.SortStableFunc(u.bases[e.ID], func(a, b base) int {
			return cmp.Or(cmp.Compare(lacks(a.item), lacks(b.item)), cmp.Compare(len(a.item), len(b.item)))
		})
	}
	for i := range d.Entities {
		if e := &d.Entities[i]; len(u.bases[e.ID]) > 0 && len(u.basesOf(e)) == 0 {
			u.asFound(e)
		}
	}
	clear(u.chosen) // the values of the ids of several entities may be others now
}

// asFound takes the values of an entity's ids from its items, where a rule ties them to each other.
func (u *universe) asFound(e *ap.Entity) {
	for name, first := range u.bases[e.ID][0].params {
		values := []string{first}
		for _, other := range u.bases[e.ID][1:] {
			if other := other.params[name]; other != "" && other != first && len(values) == 1 {
				values = append(values, other)
			}
		}
		if kind := u.kind(name); kind != u.kind(u.users) {
			u.notation[kind] = values
		}
	}
}

// kind is the parameter that stands for all that have the same values as this one.
func (u *universe) kind(parameter string) string {
	for {
		above, has := u.kinds[parameter]
		if !has || above == parameter {
			return parameter
		}
		parameter = above
	}
}

// apart reports whether two parameters are written in different notations, so that they are no ids of one kind.
func (u *universe) apart(a, b string) bool {
	a, b = u.written[u.kind(a)], u.written[u.kind(b)]
	return a != "" && b != "" && a != b
}

func (u *universe) same(a, b string) {
	a, b = u.kind(a), u.kind(b)
	if cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) > 0 {
		a, b = b, a
	}
	if a != b {
		u.kinds[b] = a // the shorter name stands for both
		u.written[a] = cmp.Or(u.written[a], u.written[b])
	}
}

// unify finds the parameters that have the same values: those of templates with the same text around them, those
// that the contract says refer to each other, and who acts.
func (u *universe) unify() {
	forms := map[string][]string{}
	template := func(place string, t ap.KeyTemplate, of ...*ap.Entity) {
		names := t.Parameters()
		form, written := t.Shape(), ""
		if len(of) > 0 {
			written = notation(of[0], place, t)
			form += written // a date and a moment are no ids of one kind
		}
		if strings.ReplaceAll(form, "{}", "") == "" {
			form = place + form // the parameter alone says nothing beyond its place
		}
		if len(names) == 1 && u.written[u.kind(names[0])] == "" {
			u.written[u.kind(names[0])] = written
		}
		if known, has := forms[form]; !has {
			forms[form] = names
		} else if len(known) == len(names) {
			for i := range names {
				if !u.apart(known[i], names[i]) {
					u.same(known[i], names[i])
				}
			}
		}
	}
	for p := range lists.Each(u.design.Patterns) {
		for j := range p.Steps {
			for _, forms := range u.design.BoundForms(p, p.Steps[j].ForEach) {
				for bound, form := range forms {
					for _, parameter := range form.Parameters() {
						u.same(parameter, strings.TrimPrefix(parameter, bound+"."))
					}
				}
			}
		}
	}
	for e := range lists.Each(u.design.Entities) {
		for key := range lists.Each(e.Keys) {
			if u.design.PrimaryKey(e).Has(key.Attribute) || key.Template.Bare() {
				template(keyPlace(e.Table, key.Attribute), key.Template, e)
			}
			for _, parameter := range slices.Sorted(maps.Keys(key.Refers)) {
				u.same(parameter, key.Refers[parameter])
			}
			for _, parameter := range key.Template.Parameters() {
				if bound, is := e.Attribute(key.Bound(parameter)); is && bound.Refers != "" {
					u.same(parameter, bound.Refers)
				}
			}
		}
	}
	for _, w := range u.steps {
		for k := range w.step.Write {
			for _, key := range w.step.Write[k].Key {
				template(keyPlace(w.step.Write[k].Table, key.Attribute), key.Value.Template, u.entitiesOf(&w.step.Write[k])...)
			}
			for _, with := range w.step.Write[k].With {
				if e, known := u.design.Entity(w.step.Write[k].Entity); known && u.design.PrimaryKey(e).Has(with.Attribute) {
					template(keyPlace(e.Table, with.Attribute), with.Value.Template, e)
				}
			}
		}
	}
	for i := range u.design.Patterns {
		for step := range lists.Each(u.design.Patterns[i].Steps) {
			if step.Read != nil && step.Read.Partition != nil && (step.Read.Index == "" || step.Read.Partition.Value.Template.Bare()) {
				template(keyPlace(step.Read.Table, step.Read.Partition.Attribute), step.Read.Partition.Value.Template)
				if step.Read.Sort != nil && step.Read.Sort.Operator == expression.Equal {
					template(keyPlace(step.Read.Table, step.Read.Sort.Attribute), step.Read.Sort.Value.Template, u.design.ReturnedBy(step.Read)...)
				}
			}
		}
	}
	for _, o := range u.operands(u.steps) {
		parameter := o.parameter()
		if a, is := o.entity.Attribute(o.attribute); is && parameter != "" && a.Type == dynamo.String && a.Format == "" && len(a.Allowed) == 0 {
			if id := cmp.Or(a.Refers, o.attribute); (a.Refers != "" || u.parameters[id]) && !u.apart(parameter, id) {
				u.same(parameter, id)
			}
		}
	}
	u.together, u.asking = map[string]int{}, map[string]int{}
	for i := range u.design.Entities {
		n := map[string]int{}
		for _, a := range u.design.Entities[i].Attributes {
			if a.Refers != "" && a.Type == dynamo.String {
				n[u.kind(a.Refers)]++
				u.together[u.kind(a.Refers)] = max(u.together[u.kind(a.Refers)], n[u.kind(a.Refers)])
			}
		}
	}
	for _, w := range u.steps { // two items by their ids, and one that may name a third
		n, names := map[string]map[string]bool{}, map[string]bool{}
		for a := range lists.Each(w.step.Write) {
			for _, e := range u.entitiesOf(a) {
				for j := range e.Attributes {
					if id := u.idOf(e, &e.Attributes[j]); id != "" && e.Attributes[j].Type == dynamo.String && !u.boundToKey(e, e.Attributes[j].Name) {
						names[u.kind(id)] = true
					}
				}
				for _, p := range u.keyParameters(a, e) {
					lists.Inner(n, u.kind(p))[p] = true
				}
			}
		}
		for kind := range n {
			if names[kind] && len(n[kind]) > 1 {
				u.asking[kind] = max(u.asking[kind], len(n[kind]))
			}
		}
	}
	for role := range lists.Each(u.design.Policies.Roles) {
		ids := []string{role.Actor}
		if role.Confined != nil {
			ids = append(ids, role.Confined.Tag)
			for _, form := range role.Confined.Partitions {
				template("", form)
			}
		}
		for _, id := range ids {
			if id != "" && u.users != "" {
				u.same(u.users, id)
			}
			u.users = cmp.Or(id, u.users)
		}
	}
}

// notation is the notation of the parameters of an entity's key of this form, where the entity gives one. A form that is a parameter and
// nothing else has that of the key in its place.
func notation(e *ap.Entity, place string, t ap.KeyTemplate) (text string) {
	for key := range lists.Each(e.Keys) {
		if key.Template.Shape() != t.Shape() || t.Bare() && place != keyPlace(e.Table, key.Attribute) {
			continue
		}
		for _, parameter := range key.Template.Parameters() {
			if a, is := e.Attribute(key.Bound(parameter)); is && a.Format != "" && a.Format != ap.UUID {
				text += " " + string(a.Format)
			} else if isMoment(e, parameter) {
				text += " " + string(ap.ISOTimestamp)
			}
		}
	}
	return text
}

// keyPlace is where a key stands that is a parameter and nothing else.
func keyPlace(table, attribute string) string { return table + " " + attribute + " " }

// isMoment reports whether a rule says that a parameter is a timestamp.
func isMoment(e *ap.Entity, parameter string) bool {
	return slices.ContainsFunc(e.Rules, func(r ap.Rule) bool { return strings.Contains(r.CEL, "key."+parameter+".isTimestamp()") })
}

// operand is a value that a write compares an attribute with, or gives it, for each entity whose items it may be of.
type operand struct {
	entity    *ap.Entity
	attribute string
	value     ap.Operand
	// key says that the key of the request has it, compared that a condition has it, added that an update adds it to a number.
	key, compared, added bool
}

// operandsOf are those of an action, of no entity yet.
func operandsOf(action *ap.Action) (all []operand) {
	all = lists.Map(action.Key, func(key ap.Equality) operand { return operand{attribute: key.Attribute, value: key.Value, key: true} })
	all = append(all, lists.Map(action.With, func(with ap.Equality) operand { return operand{attribute: with.Attribute, value: with.Value} })...)
	for _, set := range action.Set {
		all = append(all, operand{attribute: set.Attribute, value: set.Value, added: set.Operator == "+" || set.Operator == "-"})
	}
	for _, condition := range action.Condition {
		for _, one := range condition.Alternatives() {
			for _, value := range one.Operands() {
				all = append(all, operand{attribute: one.Attribute, value: value, compared: true})
			}
		}
	}
	return all
}

// parameter is the one that makes the value alone; empty where something else does.
func (o *operand) parameter() string {
	if o.value.Attribute != "" || !o.value.Template.Bare() {
		return ""
	}
	return o.value.Template.Parameters()[0]
}

// operands are those of the writes of some steps, but for keys.
func (u *universe) operands(steps []*patternStep) (all []operand) {
	for _, w := range steps {
		for action := range lists.Each(w.step.Write) {
			for _, e := range u.entitiesOf(action) {
				for _, o := range operandsOf(action) {
					if o.entity = e; !o.key {
						all = append(all, o)
					}
				}
			}
		}
	}
	return all
}

// findAsked finds the attributes that conditions compare with parameters, and those that updates add to.
func (u *universe) findAsked() {
	u.asked, u.summed = map[string]string{}, map[string]bool{}
	for _, o := range u.operands(u.steps) {
		at, names := o.entity.ID+"."+o.attribute, o.value.Template.Parameters()
		if o.compared && len(names) > 0 && u.asked[at] == "" {
			u.asked[at] = names[0]
		}
		if o.added {
			u.summed[at] = true
		}
	}
}

// name notes a value that the law or a condition names for an attribute.
func (u *universe) name(at, value string) {
	lists.Inner(u.named, at)[value] = true
}

// narrow leaves the values that a law and the conditions of some steps name; all that nothing names are alike.
func (u *universe) narrow(law *formula, steps []*patternStep) {
	u.named, u.third = map[string]map[string]bool{}, law != nil
	if law != nil {
		for at, constants := range law.constants {
			for _, constant := range constants {
				u.name(at, constant)
			}
		}
	}
	for _, o := range u.operands(steps) {
		if o.compared && o.value.Attribute == "" && len(o.value.Template.Parameters()) == 0 {
			u.name(o.entity.ID+"."+o.attribute, string(o.value.Template))
		}
	}
	u.chosen = map[string][]ap.Item{}
	u.valuate()
}

// formula is a law with what its formula reads.
type formula struct {
	*ap.Law
	reads, constants map[string][]string
	acts             bool
	// flow is the pattern that must keep it, if any.
	flow string
}

// valuate gives each kind its values, by what is known of an attribute that has them.
func (u *universe) valuate() {
	u.values = map[string][]string{}
	known := map[string]*ap.Attribute{}
	entity := map[string]string{}
	numbers := map[string][]string{}
	learn := func(e *ap.Entity, parameter string, attribute *ap.Attribute) {
		kind := u.kind(parameter)
		if counts(attribute) {
			numbers[kind] = lists.With(numbers[kind], u.texts(e.ID, attribute)...)
		}
		best := known[kind]
		if best == nil || best.Format == "" && len(best.Allowed) == 0 && (attribute.Format != "" || len(attribute.Allowed) > 0) {
			known[kind], entity[kind] = attribute, e.ID
		}
	}
	for e := range lists.Each(u.design.Entities) {
		for key := range lists.Each(e.Keys) {
			for _, parameter := range key.Template.Parameters() {
				if attribute, is := e.Attribute(key.Bound(parameter)); is {
					learn(e, parameter, attribute)
				} else if key.ValueType() == dynamo.Number {
					learn(e, parameter, &ap.Attribute{Name: parameter, Type: dynamo.Number})
				} else if isMoment(e, parameter) {
					learn(e, parameter, &ap.Attribute{Name: parameter, Type: dynamo.String, Format: ap.ISOTimestamp})
				}
			}
		}
	}
	for _, o := range u.operands(u.steps) {
		parameter := o.parameter()
		if parameter == "" {
			continue
		}
		if of, is := o.entity.Attribute(o.attribute); is {
			learn(o.entity, parameter, of)
			if kind := u.kind(parameter); u.summed[o.entity.ID+"."+o.attribute] && !slices.Contains(numbers[kind], "-1") {
				numbers[kind] = append(numbers[kind], "-1") // no bound of a sum bounds what is added to it
			}
		} else if key, is := o.entity.Key(o.attribute); is && key.ValueType() == dynamo.Number {
			learn(o.entity, parameter, &ap.Attribute{Name: o.attribute, Type: dynamo.Number})
		}
	}
	for kind, attribute := range known {
		if texts := u.texts(entity[kind], attribute); len(texts) > 0 {
			u.values[kind] = texts
		}
		if counts(attribute) {
			u.values[kind] = numbers[kind]
		}
	}
}

// counts reports whether an attribute holds a number, and no moment.
func counts(a *ap.Attribute) bool { return a.Type == dynamo.Number && ofFormat[a.Format] == nil }

// texts are the values of an attribute that has a form of its own; none for one that may hold any text.
func (u *universe) texts(entity string, a *ap.Attribute) (texts []string) {
	if values, is := ofFormat[a.Format]; is {
		return values
	}
	named := slices.Sorted(maps.Keys(u.named[entity+"."+a.Name]))
	if len(a.Allowed) > 0 {
		others := 0
		for _, allowed := range a.Allowed {
			if !slices.Contains(named, allowed) {
				if others++; others > 1 {
					continue // what nothing names is interchangeable
				}
			}
			texts = append(texts, allowed)
		}
		return texts
	}
	if a.Type != dynamo.Number {
		return nil
	}
	numbers := map[float64]bool{}
	around := func(text string, by ...float64) {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			for _, d := range by {
				numbers[n+d] = true
			}
		}
	}
	for _, constant := range named {
		around(constant, -1, 0, 1)
	}
	for _, bound := range []*float64{a.Minimum, a.Maximum} {
		if bound != nil {
			around(strconv.FormatFloat(*bound, 'f', -1, 64), -1, 0, 1)
		}
	}
	if len(numbers) < 2 {
		numbers[1], numbers[2] = true, true
	}
	for n := range numbers {
		if (a.Minimum == nil || n >= *a.Minimum) && (a.Maximum == nil || n <= *a.Maximum) {
			texts = append(texts, strconv.FormatFloat(n, 'f', -1, 64))
		}
	}
	slices.SortFunc(texts, func(a, b string) int {
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		if (x > 0) != (y > 0) { // the usual value is one above 0
			return cmp.Compare(y, x)
		}
		return cmp.Compare(x, y)
	})
	return texts
}

// of are the values of a parameter: two ids where nothing else is known, of which one is a prefix of the other, and where one item
// names several one more than it names; of a law also where a step names several whose items may hold another one.
func (u *universe) of(parameter string) []string {
	kind := u.kind(parameter)
	values, known := u.values[kind]
	if !known {
		values, known = u.notation[kind]
	}
	if !known {
		short := cmp.Or(strings.Trim(strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(kind, "Id"), "ID")), "-_"), "id")
		values = []string{short + "1", short + "10"}
	}
	most := u.together[kind]
	if u.third {
		most = max(most, u.asking[kind])
	}
	for n := len(values); n > 0 && n <= most && len(values[0]) > 2; n++ {
		values = append(values[:n:n], further(values))
	}
	return values
}

// further is an id that is not among some of its kind.
func further(ids []string) string { return ids[0][:len(ids[0])-1] + string(rune('1'+len(ids))) }

// entitiesOf are the entities that an action may write or look at.
func (u *universe) entitiesOf(a *ap.Action) []*ap.Entity {
	return lists.Once(u.acted, a, func() []*ap.Entity { return u.design.ActsOn(a) })
}

// scalars are the values of a type that texts write.
func scalars(of dynamo.Type, texts []string) []types.AttributeValue {
	return lists.Map(texts, func(text string) types.AttributeValue { return dynamo.Scalar(of, text) })
}

// several is a set or a list of texts.
func several(of dynamo.Type, members ...string) types.AttributeValue {
	if of == dynamo.StringSet {
		return &types.AttributeValueMemberSS{Value: members}
	}
	return &types.AttributeValueMemberL{Value: scalars(dynamo.String, members)}
}

// holding is a set of texts or a list with one member, which in a list may be of any type.
func holding(of dynamo.Type, member types.AttributeValue) types.AttributeValue {
	if of == dynamo.StringSet {
		return several(of, dynamo.ScalarText(member))
	}
	return &types.AttributeValueMemberL{Value: []types.AttributeValue{member}}
}

// domain are the values that an attribute takes where a law or a condition reads it; nil among them is none.
func (u *universe) domain(e *ap.Entity, name string) []types.AttributeValue {
	a, is := e.Attribute(name)
	if !is {
		if key, isKey := e.Key(name); isKey && !u.design.PrimaryKey(e).Has(name) {
			return u.keyDomain(e, key)
		}
		return nil
	}
	var values []types.AttributeValue
	switch refers := u.idOf(e, a); {
	case a.Type == dynamo.Boolean:
		values = []types.AttributeValue{dynamo.Scalar(dynamo.Boolean, "false"), dynamo.Scalar(dynamo.Boolean, "true")}
	case a.Type == dynamo.List || a.Type == dynamo.StringSet:
		ids := u.elements(e, a)
		for _, n := range [][]string{nil, ids[:1], ids[1:min(2, len(ids))], ids} {
			if len(n) > 0 || a.Type == dynamo.List {
				values = append(values, several(a.Type, n...))
			}
		}
	case a.Type == dynamo.String || a.Type == dynamo.Number:
		texts := u.texts(e.ID, a)
		if len(texts) == 0 && refers != "" {
			texts = u.of(refers)
		}
		if len(texts) == 0 {
			texts = append(slices.Sorted(maps.Keys(u.named[e.ID+"."+name])), "other")
		}
		values = append(values, scalars(a.Type, texts)...)
	default: // of any type, or of one that has no small values: those that the items have
		for _, base := range u.bases[e.ID] {
			if value := base.item[name]; value != nil && len(values) < 2 && !slices.ContainsFunc(values, func(other types.AttributeValue) bool { return dynamo.Equal(value, other) }) {
				values = append(values, value)
			}
		}
	}
	if a.Presence != ap.Required {
		values = append(values, nil)
	}
	return values
}

// elements are the members of a list or set: ids, those that the contract names, or any two.
func (u *universe) elements(e *ap.Entity, a *ap.Attribute) []string {
	refers, texts := a.Refers, u.texts(e.ID, &ap.Attribute{Name: a.Name, Format: a.Format})
	if element, is := e.Attribute(a.Name + "[]"); is {
		refers = cmp.Or(refers, element.Refers)
	}
	switch refers = cmp.Or(refers, u.asked[e.ID+"."+a.Name]); {
	case len(a.Allowed) > 0:
		return a.Allowed[:min(2, len(a.Allowed))]
	case len(texts) > 0:
		return texts
	case refers != "":
		return u.of(refers)
	}
	return []string{"one", "two"}
}

// idOf is the parameter that an attribute has the value of: the one that it refers to, a key's of its name, or the one with which conditions
// compare it; empty where it is no id.
func (u *universe) idOf(e *ap.Entity, a *ap.Attribute) string {
	switch {
	case a.Refers != "":
		return a.Refers
	case u.parameters[a.Name]:
		return a.Name
	case a.Format == "" && len(a.Allowed) == 0:
		return u.asked[e.ID+"."+a.Name]
	}
	return ""
}

// keyParameters are the parameters of the primary key of the item that an action is of.
func (u *universe) keyParameters(a *ap.Action, e *ap.Entity) (names []string) {
	names = slices.Concat(lists.Map(a.Key, func(key ap.Equality) []string { return key.Value.Template.Parameters() })...)
	if a.Kind != ap.Put {
		return names
	}
	for _, key := range u.primaryKeys(e) {
		form := key.Template
		for _, with := range a.With {
			if with.Attribute == key.Attribute {
				form = with.Value.Template
			}
		}
		names = append(names, form.Parameters()...)
	}
	return names
}

// primaryKeys are the keys of an entity that are of its table's primary key.
func (u *universe) primaryKeys(e *ap.Entity) []*ap.KeyAttribute {
	return lists.Which(e.Keys, func(key *ap.KeyAttribute) bool { return u.design.PrimaryKey(e).Has(key.Attribute) })
}

// idsOf are the parameters of an entity's primary key.
func (u *universe) idsOf(e *ap.Entity) (names []string) {
	return slices.Concat(lists.Map(u.primaryKeys(e), func(key *ap.KeyAttribute) []string { return key.Template.Parameters() })...)
}

// ofFormat are two values of each format.
var ofFormat = map[ap.Format][]string{
	ap.UUID:              {"00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000010"},
	ap.ISOTimestamp:      {"2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"},
	ap.ISODate:           {"2026-01-01", "2026-01-02"},
	ap.EpochMilliseconds: {"1900000000000", "1900086400000"},
	ap.EpochSeconds:      {"1900000000", "1900086400"},
}

// notations are the forms that ids have in items, of which two values are made.
var notations = []struct {
	is     func(string) bool
	values []string
}{
	{validate.IsUUID, ofFormat[ap.UUID]},
	{validate.Parses(time.RFC3339), ofFormat[ap.ISOTimestamp]},
	{validate.Parses(time.DateOnly), ofFormat[ap.ISODate]},
	{validate.Parses("200601"), []string{"202601", "202602"}},
	{digits(13), ofFormat[ap.EpochMilliseconds]},
	{digits(10), ofFormat[ap.EpochSeconds]},
	{digits(0), []string{"1", "10"}},
}

// digits tells a text of so many digits; 0 is any number.
func digits(n int) func(string) bool {
	return func(text string) bool {
		return text != "" && (n == 0 || len(text) == n) && strings.Trim(text, "0123456789") == ""
	}
}

// observe gives the kinds of which nothing else is known values of the notation that all valid items have.
func (u *universe) observe() {
	seen := map[string][]string{}
	for _, bases := range u.bases {
		for _, base := range bases {
			for name, value := range base.params {
				seen[u.kind(name)] = append(seen[u.kind(name)], value)
			}
		}
	}
	u.notation = map[string][]string{}
	for kind, texts := range seen {
		for _, notation := range notations {
			if !slices.ContainsFunc(texts, func(text string) bool { return !notation.is(text) }) {
				u.notation[kind] = notation.values
				break
			}
		}
	}
}

// maxBases bounds the items of an entity from which others are made.
const maxBases = 4

// basesOf are the items from which those of an entity are made: of those that differ in closed lists or in truths one
// each, and only those that give a valid item with the usual values.
func (u *universe) basesOf(e *ap.Entity) []ap.Item {
	return lists.Once(u.chosen, e.ID, func() (chosen []ap.Item) {
		kinds := map[string]bool{}
		for _, base := range u.bases[e.ID] {
			if len(chosen) == maxBases {
				break
			}
			var kind []byte
			for a := range lists.Each(e.Attributes) {
				value := base.item[a.Name]
				if len(a.Allowed) > 0 || a.Type == dynamo.Boolean {
					kind = appendText(kind, dynamo.Show(value))
				}
			}
			if !kinds[string(kind)] && u.from.valid(e, u.made(e, base.item, nil, nil)) {
				chosen = append(chosen, base.item)
			}
			kinds[string(kind)] = true
		}
		return chosen
	})
}

// made is an item of an entity that is made of another one: see [explorer.itemOf].
func (u *universe) made(e *ap.Entity, base ap.Item, params ap.Params, attributes map[string]types.AttributeValue) ap.Item {
	item := dynamo.CloneItem(base)
	given := ap.Params{}
	named := map[string]int{} // ids of one kind in one item differ
	next := func(parameter string) string {
		values, n := u.of(parameter), named[u.kind(parameter)]
		named[u.kind(parameter)]++
		return values[min(n, len(values)-1)]
	}
	for a := range lists.Each(e.Attributes) {
		refers := u.idOf(e, a)
		_, has := item[a.Name]
		if _, asked := u.asked[e.ID+"."+a.Name]; has && asked && (a.Type == dynamo.String || a.Type == dynamo.Number) {
			if texts := u.texts(e.ID, a); len(texts) > 0 && dynamo.TypeOf(item[a.Name]) == a.Type {
				item[a.Name] = dynamo.Scalar(a.Type, texts[0])
				continue
			}
		}
		switch {
		case !has || refers == "" || a.Refers == "" && (len(a.Allowed) > 0 || a.Format != "" && a.Format != ap.UUID):
		case a.Type == dynamo.String && dynamo.TypeOf(item[a.Name]) == dynamo.String:
			item[a.Name] = dynamo.Scalar(dynamo.String, next(refers))
		case a.Type == dynamo.StringSet && a.Refers != "":
			item[a.Name] = several(a.Type, u.of(refers)[0])
		}
	}
	for _, key := range u.primaryKeys(e) {
		for _, parameter := range key.Template.Parameters() {
			value := params[parameter]
			if value == "" { // two ids of one kind differ
				values, n := u.of(parameter), 0
				for other := range given {
					if other != parameter && u.kind(other) == u.kind(parameter) {
						n++
					}
				}
				value = values[min(n, len(values)-1)]
			}
			given[parameter] = value
			if a, is := e.Attribute(key.Bound(parameter)); is && (a.Presence == ap.Required || item[a.Name] != nil) {
				item[a.Name] = dynamo.Scalar(a.Type, value)
			}
		}
	}
	for name, value := range attributes {
		if _, is := e.Key(name); is {
			continue
		}
		if item[name] = value; value == nil {
			delete(item, name)
		}
	}
	for i := range e.Keys {
		u.key(e, &e.Keys[i], item, given)
	}
	parsed, _ := validate.ParseKeys(e, item)
	for rule := range lists.Each(e.Rules) {
		if given := attributes[rule.Attribute]; given != nil && rule.EqualTo != "" && item[rule.EqualTo] != nil && attributes[rule.EqualTo] == nil {
			item[rule.EqualTo] = given
		}
		if _, has := item[rule.Attribute]; !has || attributes[rule.Attribute] != nil {
			continue
		}
		if rule.Template != "" {
			if text, err := rule.Template.Format(parsed); err == nil {
				item[rule.Attribute] = dynamo.Scalar(dynamo.TypeOf(item[rule.Attribute]), text)
			}
		} else if rule.EqualTo != "" && item[rule.EqualTo] != nil {
			item[rule.Attribute] = item[rule.EqualTo]
		}
	}
	for name, value := range attributes {
		if key, is := e.Key(name); is && !u.design.PrimaryKey(e).Has(key.Attribute) {
			if item[name] = value; value == nil {
				delete(item, name)
			}
		}
	}
	return item
}

// key gives an item the key that its attributes and parameters make; an optional one that they do not make is left
// out.
func (u *universe) key(e *ap.Entity, key *ap.KeyAttribute, item ap.Item, given ap.Params) {
	_, has := item[key.Attribute]
	if !has && key.Optional || has && string(key.Template) == "{"+key.Attribute+"}" && given[key.Attribute] == "" {
		return
	}
	params := ap.Params{}
	for _, parameter := range key.Template.Parameters() {
		value := given[parameter]
		if bound := key.Bound(parameter); bound != key.Attribute && value == "" {
			value = dynamo.ScalarText(item[bound])
		}
		if value == "" {
			if _, bound := e.Attribute(key.Bound(parameter)); bound && key.Optional {
				delete(item, key.Attribute)
				return
			}
			value = u.of(parameter)[0]
		}
		params[parameter] = value
	}
	if text, err := key.Template.Format(params); err == nil {
		item[key.Attribute] = dynamo.Scalar(key.ValueType(), text)
	}
}

// showValue writes a value for the list of what the universe holds.
func showValue(value types.AttributeValue) string {
	if value == nil {
		return "none"
	}
	if text := dynamo.ScalarText(value); text != "" {
		return text
	}
	return fmt.Sprint(dynamo.Show(value))
}
