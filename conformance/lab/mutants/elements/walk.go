// Package elements breaks one element of a contract at a time and expects a witness to notice that needs no engine.
//
// Mutants are made by one walk over the contract's own types: what is there is taken out, a value becomes each other one, a list
// loses each member and gains one. Each is judged by the cheapest witness first, until one notices.
//
// Tables are not among them: what a contract says of a table, a program that does not know the contract is deployed
// to contradict, see package mutants.
package elements

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
)

// Mutant is one element of a contract, broken in one way.
type Mutant struct {
	// ID is stable as long as the contract has the element: "fus-main/entity/site/attributes/name/presence:optional".
	ID string
	// Operator says how it is broken, in the same words for every design.
	Operator string
	// About is the entity, pattern or role.
	About string

	// list, at and how are the parts of the id: the list of the contract, the place in it, and how that is broken.
	list, at, how string
	path          []int
	change        func(reflect.Value) any
}

// places are what is around what the mutant changes, from the contract on, and that itself.
func (m *Mutant) places(d *ap.Design) (all []reflect.Value) {
	v := reflect.ValueOf(d).Elem()
	for _, at := range m.path {
		v = reflect.Indirect(v)
		all = append(all, v)
		if v.Kind() == reflect.Struct {
			v = v.Field(at)
		} else {
			v = v.Index(at)
		}
	}
	return append(all, v)
}

// apply breaks a contract, and returns what mends it.
func (m *Mutant) apply(d *ap.Design) (mend func()) {
	places := m.places(d)
	v := places[len(places)-1]
	was := reflect.New(v.Type()).Elem()
	was.Set(v)
	if changed := m.change(v); changed == nil {
		v.SetZero()
	} else {
		v.Set(reflect.ValueOf(changed).Convert(v.Type()))
	}
	return func() { v.Set(was) }
}

// Generate makes the mutants of a contract, in the order of its elements.
func Generate(d *ap.Design) []Mutant {
	w := &walker{design: d, seen: map[string]int{}}
	t := reflect.TypeFor[ap.Design]()
	for _, name := range []string{"Entities", "Patterns", "Policies", "Validity"} {
		field, _ := t.FieldByName(name)
		w.walk(reflect.ValueOf(d).Elem().FieldByIndex(field.Index), element{id: d.Name + "/" + strings.ToLower(name), path: field.Index, name: name})
	}
	return w.mutants
}

// element is where the walk stands.
type element struct {
	id    string
	path  []int
	about string
	// name is the field's, and within are the structs around it, the innermost last.
	name   string
	within []reflect.Value
}

func (e *element) inner(at int, name string) element {
	return element{id: e.id + "/" + name, path: append(slices.Clone(e.path), at), about: e.about, name: e.name, within: e.within}
}

// parent is the innermost of some values that is of a type; nil where there is none.
func parent[T any](within []reflect.Value) *T {
	for _, v := range slices.Backward(within) {
		if of, is := v.Addr().Interface().(*T); is {
			return of
		}
	}
	return nil
}

type walker struct {
	design  *ap.Design
	mutants []Mutant
	seen    map[string]int
}

func (w *walker) add(e *element, operator, how string, change func(reflect.Value) any) {
	id := e.id + ":" + how
	if w.seen[id]++; w.seen[id] > 1 {
		id = fmt.Sprintf("%s %d", id, w.seen[id])
	}
	m := Mutant{ID: id, Operator: operator, About: e.about, path: e.path, change: change}
	_, within, _ := strings.Cut(id, "/")
	m.list, within, _ = strings.Cut(within, "/")
	at := strings.LastIndex(within, ":")
	m.at, m.how = within[:max(at, 0)], within[at+1:]
	w.mutants = append(w.mutants, m)
}

func to(value any) func(reflect.Value) any { return func(reflect.Value) any { return value } }

// unsaid are fields that promise nothing: names by which elements are found, and sentences for readers.
var unsaid = map[string]bool{"ID": true, "Name": true, "Title": true, "Statement": true, "Because": true, "CEL": true, "Written": true, "Finding": true, "Limits": true, "Waiver": true,
	// How a reader brings items to the current version, package mutants breaks on an engine.
	"Versions": true}

// taken are the texts without which a contract still has its form, and the switches that let more through where they are on. Without any other
// text it is none: every load says so.
var (
	taken = map[string]bool{"EqualTo": true, "Through": true, "Author": true, "Everybody": true, "Nobody": true, "Expires": true, "Actor": true, "Refers": true, "Together": true, "Elements": true}
	opens = map[string]bool{"Optional": true, "OrFewer": true}
)

func (w *walker) walk(v reflect.Value, e element) {
	switch value := v.Interface().(type) {
	case ap.Citation:
		w.basis(value, &e)
		return
	case ap.KeyTemplate:
		w.template(value, &e)
		return
	case ap.Presence:
		if name := parent[ap.Attribute](e.within).Name; value != ap.Optional && !strings.HasSuffix(name, "*") && !strings.HasSuffix(name, "[]") { // these are where they are
			each(w, &e, value, ap.Optional)
		}
		if a := parent[ap.Attribute](e.within); value != ap.Nullable && a.Type != "" && !strings.Contains(a.Name, "*") { // of any type is NULL, too
			each(w, &e, value, ap.Nullable)
		}
		return
	case ap.Order:
		if value != ap.AnyOrder {
			each(w, &e, value, ap.AnyOrder, ap.Ascending, ap.Descending, ap.EitherOrder)
		}
		return
	case ap.Times:
		if step := parent[ap.Step](e.within); value == ap.Once && len(step.Write) == 1 {
			return // without its only action a request is none, and several of it are as many requests
		}
		if value == ap.Once {
			each(w, &e, value, ap.AtMostOnce, ap.AtLeastOnce)
		} else {
			each(w, &e, value, ap.Once, ap.AnyNumber)
		}
		return
	case ap.Format:
		if value != "" {
			each(w, &e, value, "")
		}
		return
	case dynamo.Type:
		if value == "" || e.name != "Type" || parent[ap.Operand](e.within) != nil {
			return
		}
		if parent[ap.Attribute](e.within) != nil {
			each(w, &e, value, "")
		}
		if value == dynamo.Number {
			each(w, &e, value, dynamo.String)
		} else {
			each(w, &e, value, dynamo.Number)
		}
		return
	case expression.Operator:
		w.operator(value, &e)
		return
	case []string:
		w.list(value, &e)
		return
	case map[string]string:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			w.add(&e, e.name+": one taken out", "-"+key, func(v reflect.Value) any {
				left := maps.Clone(v.Interface().(map[string]string))
				delete(left, key)
				return left
			})
		}
		return
	case []ap.Equality:
		if e.name == "Key" {
			for i := range value { // a key is whole, or none
				inner := e.inner(i, value[i].Attribute)
				w.walk(v.Index(i), inner)
			}
			return
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		if key := parent[ap.KeyAttribute](e.within); key != nil && w.design.PrimaryKey(parent[ap.Entity](e.within)).Has(key.Attribute) {
			return // DynamoDB takes no item without it
		}
		if v.Bool() || opens[e.name] && (e.name != "OrFewer" || len(parent[ap.Read](e.within).Projection) > 0) {
			w.add(&e, e.name+": switched "+map[bool]string{true: "off", false: "on"}[v.Bool()], fmt.Sprint(!v.Bool()), to(!v.Bool()))
		}
	case reflect.Int, reflect.Int32:
		if n := v.Int(); n > 0 {
			w.add(&e, e.name+": taken out", "0", to(0))
			if e.name != "PageSize" { // no document gives it
				w.add(&e, e.name+": one more", fmt.Sprint(n+1), to(n+1))
			}
		}
	case reflect.String:
		if v.String() != "" && taken[e.name] {
			w.add(&e, e.name+": taken out", "none", to(""))
		}
	case reflect.Pointer:
		w.pointer(v, &e)
	case reflect.Slice:
		w.slice(v, &e)
	case reflect.Struct:
		w.structure(v, &e)
	}
}

func (w *walker) structure(v reflect.Value, e *element) {
	for field, value := range v.Fields() {
		if !field.IsExported() || unsaid[field.Name] || field.Type.Kind() == reflect.Func || field.Type.Kind() == reflect.Interface {
			continue
		}
		inner := e.inner(field.Index[0], strings.ToLower(field.Name))
		inner.name, inner.within = field.Name, append(slices.Clone(e.within), v)
		w.walk(value, inner)
	}
}

func (w *walker) pointer(v reflect.Value, e *element) {
	if number, is := v.Interface().(*float64); is {
		if number != nil {
			w.add(e, e.name+": taken out", "none", to(nil))
			for i, how := range []string{"one less", "one more"} {
				changed := *number + float64(2*i-1)
				w.add(e, e.name+": "+how, fmt.Sprint(changed), to(&changed))
			}
		}
		return
	}
	if v.IsNil() {
		return
	}
	if cite, is := v.Interface().(*ap.Citation); is {
		w.add(e, e.name+": taken out", "none", to(nil))
		w.basis(*cite, e)
		return
	}
	if e.name != "Read" && e.name != "Partition" { // a request without them is none
		w.add(e, e.name+": taken out", "none", to(nil))
	}
	w.walk(v.Elem(), *e)
}

func (w *walker) slice(v reflect.Value, e *element) {
	for i := range v.Len() {
		each := v.Index(i)
		name := nameOf(each, i)
		inner := e.inner(i, name)
		if len(e.path) == 1 || e.name == "Roles" {
			inner.about = name
		}
		if each.Kind() == reflect.Struct {
			of := inner
			of.path = e.path // it is the list that changes
			w.add(&of, e.name+": one taken out", "none", func(v reflect.Value) any {
				left := reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v.Slice(0, i))
				return reflect.AppendSlice(left, v.Slice(i+1, v.Len())).Interface()
			})
		}
		w.walk(each, inner)
	}
}

// nameOf names an element of a list by what the contract calls it.
func nameOf(v reflect.Value, i int) string {
	if v.Kind() != reflect.Struct {
		return fmt.Sprint(i)
	}
	for _, name := range []string{"ID", "Name", "Attribute", "Parameter", "Item", "Entity", "Finding"} {
		if field := v.FieldByName(name); field.IsValid() && field.Kind() == reflect.String && field.String() != "" {
			return field.String()
		}
	}
	return fmt.Sprint(i)
}

// each adds a mutant for each other value of a closed set.
func each[T comparable](w *walker, e *element, value T, all ...T) {
	for _, other := range all {
		if other == value {
			continue
		}
		how := fmt.Sprint(other)
		switch named := any(other).(type) {
		case ap.Presence:
			how = named.Word()
		case ap.Order:
			how = []string{"any", "ascending", "descending", "either"}[named]
		}
		how = cmp.Or(how, "none")
		w.add(e, e.name+": "+how, how, to(other))
	}
}

// basis says that an element rests on its lines in another way. The outermost citation alone counts.
func (w *walker) basis(cite ap.Citation, e *element) {
	for _, kind := range ap.BasisKinds() {
		if kind == cite.Basis.Kind || cite.First == 0 {
			continue
		}
		changed := cite
		changed.Basis = ap.Basis{Kind: kind, Because: "ruling 13"}
		if kind == ap.Stated {
			changed.Basis.Because = ""
		}
		w.add(e, "basis: "+kind.String(), "basis-"+kind.String(), func(v reflect.Value) any {
			if v.Kind() == reflect.Pointer {
				return &changed
			}
			return changed
		})
	}
}

var piece = regexp.MustCompile(`\{[^}]*\}|[^{}]+`)

// template changes the form of a key or a value: without its last piece, with another text at its beginning, and with each parameter
// of another name, so that it may have another value than the same one elsewhere.
func (w *walker) template(t ap.KeyTemplate, e *element) {
	pieces := piece.FindAllString(string(t), -1)
	if len(pieces) == 0 {
		return
	}
	if len(pieces) > 1 {
		w.add(e, "template: last piece taken out", "shorter", to(strings.Join(pieces[:len(pieces)-1], "")))
	}
	w.add(e, "template: text before it", "text-before", to("Z"+string(t)))
	if !strings.Contains(string(t), "{") {
		w.add(e, "template: text made a parameter", "parameter", to("{anything}"))
	}
	for _, name := range t.Parameters() {
		if entity := parent[ap.Entity](e.within); entity != nil && !tied(entity, name) {
			continue // its name alone would change
		}
		if pattern := parent[ap.Pattern](e.within); pattern != nil && !w.binds(pattern, name) {
			continue
		}
		w.add(e, "template: parameter untied", "untied-"+name, to(strings.ReplaceAll(string(t), "{"+name+"}", "{anything}")))
	}
}

// tied reports whether a parameter of an entity's keys has the value of something else of the entity: an attribute, another key, a rule, or its owner.
func tied(entity *ap.Entity, name string) bool {
	keys := 0
	for key := range lists.Each(entity.Keys) {
		if slices.Contains(key.Template.Parameters(), name) {
			if _, bound := entity.Attribute(key.Bound(name)); bound {
				return true
			}
			keys++
		}
	}
	rules := slices.ContainsFunc(entity.Rules, func(r ap.Rule) bool {
		return slices.Contains(r.Template.Parameters(), name) || strings.Contains(r.CEL, "key."+name)
	})
	return keys > 1 || rules || entity.Owner != nil && slices.Contains(entity.Owner.By, name)
}

// binds reports whether a parameter of a pattern has the value of something else: another template, the key of what is put, or the client's user.
func (w *walker) binds(pattern *ap.Pattern, name string) bool {
	places := 0
	for _, step := range pattern.Steps {
		places += holds(reflect.ValueOf(step), name)
		places += lists.Count(step.Write, func(action ap.Action) bool {
			of, known := w.design.Entity(action.Entity)
			return known && slices.Contains(of.Parameters(), name)
		})
	}
	return places > 1 || slices.ContainsFunc(w.design.Policies.Roles, func(role ap.Role) bool {
		return slices.Contains(pattern.Roles, role.ID) && (role.Actor == name || role.Confined != nil && role.Confined.Tag == name)
	})
}

// holds counts the places of a step that have the value of a parameter: templates, paths with its name, and names by which it is bound.
func holds(v reflect.Value, name string) (places int) {
	switch value := v.Interface().(type) {
	case ap.Citation:
		return 0
	case ap.KeyTemplate:
		return lists.True(slices.Contains(value.Parameters(), name))
	case ap.Binding:
		return lists.True(value.Parameter == name)
	case ap.ForEach:
		places += lists.True(value.From == name || value.To == name || value.Parameter == name)
	case map[string]string:
		for low, high := range value {
			places += lists.True(low == name || high == name)
		}
		return places
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return holds(v.Elem(), name)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			places += holds(field, name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			places += holds(v.Index(i), name)
		}
	case reflect.String:
		places += lists.True(strings.Contains(v.String(), "{"+name+"}"))
	}
	return places
}

// operator exchanges the operator of a condition for a weaker or wider one.
func (w *walker) operator(o expression.Operator, e *element) {
	wider := map[expression.Operator]expression.Operator{
		expression.Equal: expression.GreaterOrEqual, expression.NotEqual: expression.GreaterOrEqual, expression.Less: expression.LessOrEqual, expression.Greater: expression.GreaterOrEqual,
		expression.LessOrEqual: expression.Less, expression.GreaterOrEqual: expression.Greater, expression.Between: expression.GreaterOrEqual,
		expression.BeginsWith: expression.GreaterOrEqual, expression.Exists: expression.NotExists, expression.NotExists: expression.Exists,
		expression.Contains: expression.NotContains,
	}
	if other, known := wider[o]; known {
		each(w, e, o, other)
	}
	if sort := parent[ap.SortCondition](e.within); sort == nil && o == expression.Equal {
		each(w, e, o, expression.Exists)
	} else if sort != nil && o == expression.Equal {
		each(w, e, o, expression.BeginsWith)
	}
}

// list takes each member out of a list of names, empties it, and adds what is not in it.
func (w *walker) list(names []string, e *element) {
	if unsaid[e.name] || e.name == "Returns" && parent[ap.Pattern](e.within).OnlyRead() == nil { // a flow or a write names what it is about
		return
	}
	for i, name := range names {
		w.add(e, e.name+": one taken out", "-"+name, func(v reflect.Value) any {
			return slices.Delete(slices.Clone(v.Interface().([]string)), i, i+1)
		})
	}
	if len(names) > 1 && (e.name == "Allowed" || e.name == "Projection") {
		w.add(e, e.name+": emptied", "none", to(nil))
	}
	for _, more := range w.others(names, e) {
		w.add(e, e.name+": one more", "+"+more, func(v reflect.Value) any { return append(slices.Clone(v.Interface().([]string)), more) })
	}
}

// others are names that a list could have beside its own.
func (w *walker) others(names []string, e *element) []string {
	var all []string
	most := math.MaxInt
	take := func(name string) { all = append(all, name) }
	action, pattern, entity := parent[ap.Action](e.within), parent[ap.Pattern](e.within), parent[ap.Entity](e.within)
	switch e.name {
	case "Allowed":
		if len(names) > 0 {
			take("another")
		}
	case "Roles":
		all = lists.Map(w.design.Policies.Roles, func(role ap.Role) string { return role.ID })
	case "Edits":
		if len(names) == 0 || action.Kind != ap.Update {
			break
		}
		for _, other := range w.written(action) {
			for _, a := range other.Attributes {
				set := slices.ContainsFunc(action.Set, func(s ap.Assignment) bool { return s.Attribute == a.Name })
				if !set && !strings.ContainsAny(a.Name, ".[*") {
					take(a.Name)
				}
			}
		}
	case "Projection":
		if len(names) == 0 {
			break
		}
		for _, id := range pattern.Returns {
			if of, known := w.design.Entity(id); known && parent[ap.Read](e.within).MayReturn(of) {
				for _, a := range of.Attributes {
					within := slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(a.Name, name) })
					if !within && !strings.ContainsAny(a.Name, "[*") {
						take(a.Name)
					}
				}
			}
		}
	case "Returns", "AllOf":
		all, most = lists.Map(w.design.Entities, func(of ap.Entity) string { return of.ID }), 1
	case "By", "Shown":
		if entity != nil {
			for _, a := range entity.Attributes {
				if !strings.ContainsAny(a.Name, ".[*") && (e.name == "Shown" || w.names(&a)) {
					take(a.Name)
				}
			}
		}
		most = 2
	case "Withheld", "Narrow", "ByFlow", "Patterns", "Except":
		all, most = lists.Map(w.design.Patterns, func(p ap.Pattern) string { return p.ID }), 2
	}
	more := slices.DeleteFunc(lists.With(nil, all...), func(name string) bool { return slices.Contains(names, name) })
	return more[:min(len(more), most)]
}

// names reports whether an attribute can hold the id of a user: it has the name of what holds that of an owner, or of who acts, or refers to it.
func (w *walker) names(a *ap.Attribute) bool {
	is := func(name string) bool { return name != "" && (name == a.Name || name == a.Refers) }
	return slices.ContainsFunc(w.design.Entities, func(of ap.Entity) bool {
		return of.Owner != nil && (is(of.Owner.Author) || slices.ContainsFunc(of.Owner.By, is))
	}) || slices.ContainsFunc(w.design.Policies.Roles, func(role ap.Role) bool {
		return is(role.Actor) || role.Confined != nil && is(role.Confined.Tag)
	})
}

// written are the entities that an update may be of, by the names of what it changes.
func (w *walker) written(action *ap.Action) (all []*ap.Entity) {
	acted := w.design.ActsOn(action)
	for entity := range lists.Each(w.design.Entities) {
		_, known := entity.Attribute(strings.Split(action.Edits[0], ".")[0])
		if entity.Table == action.Table && (entity.ID == action.Item || known && slices.Contains(acted, entity)) {
			all = append(all, entity)
		}
	}
	return all
}
