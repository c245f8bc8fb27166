package contract

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/strict"
)

func (b *builder) pattern(from *file.Pattern) {
	pattern := from.Pattern
	for i := range from.Steps {
		written := &from.Steps[i]
		step := b.step(written)
		b.refuse(step.Name == "" && len(from.Steps) > 1, written.At, "", "pattern %s: a step needs a name where there are several", pattern.ID)
		if written.Cite.First == 0 {
			step.Cite = pattern.Cite
			step.Cite.Basis = ap.Basis{} // the pattern's
		}
		pattern.Steps = append(pattern.Steps, step)
	}
	if only := pattern.Steps; len(only) == 1 && only[0].Name == "" {
		if only[0].Name = "write"; only[0].Read != nil {
			only[0].Name = "read"
		}
	}
	b.design.Patterns = append(b.design.Patterns, pattern)
}

// what may stand in a read, in a write and in a step, by the name that says what it
// is. Those of [alsoInSteps] may stand in every step.
var (
	inReads = map[string]string{
		"get":   "together key project or-fewer expires must-expire versions",
		"query": "where filter project or-fewer order limit page-size inspect-at-most expires must-expire versions",
		"scan":  "filter project or-fewer limit page-size inspect-at-most expires must-expire versions",
	}
	inWrites = map[string]string{
		"put": "as times with without if", "update": "as times key do edits if", "delete": "as times key if", "check": "as times key if",
	}
	inSteps = map[string]string{
		"use": "required stop-at", "transact": "may-fail rises", "writes": "batch may-fail",
		"get": inReads["get"] + " required stop-at", "query": inReads["query"] + " required stop-at", "scan": inReads["scan"] + " required stop-at",
		"put": inWrites["put"] + " batch may-fail rises", "update": inWrites["update"] + " may-fail rises", "delete": inWrites["delete"] + " batch may-fail", "check": inWrites["check"],
	}
)

const alsoInSteps = "name cite for-each"

// head returns the one name that says what an element is, and reports what has no
// meaning beside it. It is empty where there is not exactly one.
func (b *builder) head(what string, at file.At, known map[string]string, also string) string {
	var heads []string
	for _, name := range at.Given() {
		if _, is := known[name]; is {
			heads = append(heads, name)
		}
	}
	if len(heads) != 1 {
		found := cmp.Or(strings.Join(heads, " and "), "none of them")
		b.report(at.Errorf("", "%s is one of %s; found %s", what, strings.Join(slices.Sorted(maps.Keys(known)), ", "), found))
		return ""
	}
	meaningful := append(strings.Fields(known[heads[0]]+" "+also), heads[0])
	for _, name := range at.Given() {
		if !slices.Contains(meaningful, name) {
			b.report(at.Errorf(name, "%s has no meaning beside %s; remove it", name, heads[0]))
		}
	}
	return heads[0]
}

func (b *builder) step(from *file.Step) ap.Step {
	step := ap.Step{Name: from.Name, Cite: from.Cite, Batch: from.Batch, StopWhenEmpty: from.Required, ForEach: from.ForEach, MayFail: from.MayFail, Rises: from.Rises}
	switch head := b.head("a step", from.At, inSteps, alsoInSteps); head {
	case "":
		return step
	case "use":
		step.Read = b.use(from.At, from.Use)
	case "get", "query", "scan":
		step.Read = b.read(&from.Read)
	case "transact":
		step.Write = b.actions(from.At, "transact", from.Transact)
	case "writes":
		step.Write = b.actions(from.At, "writes", from.Writes)
		b.refuse(from.Batch == 0, from.At, "writes", "writes are those of a batch; add batch, the number of one request, or make them a transaction, transact")
	default:
		step.Write = []ap.Action{b.action(head, &from.Action)}
	}
	if from.StopAt != "" {
		operand := ap.Operand{Type: dynamo.Number, Template: ap.KeyTemplate(from.StopAt)}
		b.template(from.At, "stop-at", operand.Template)
		if _, err := strconv.Atoi(from.StopAt); err != nil && len(operand.Template.Parameters()) == 0 {
			b.report(from.At.Errorf("stop-at", "stop-at: expected a number or a {parameter}, found %s", from.StopAt))
		}
		step.StopAt = &operand
	}
	return step
}

// actions reads the writes of a transaction or a batch.
func (b *builder) actions(at file.At, field string, from []file.Action) (all []ap.Action) {
	b.refuse(len(from) < 2, at, field, "%s: expected two writes or more, found %d; write the one as the step itself", field, len(from))
	for i := range from {
		write := &from[i]
		if head := b.head("a write", write.At, inWrites, ""); head != "" {
			all = append(all, b.action(head, write))
		}
	}
	return all
}

func (b *builder) use(at file.At, name string) *ap.Read {
	for i := range b.written.Reads {
		if read := &b.written.Reads[i]; read.Name == name {
			b.used["read "+name] = true
			if b.head("a read", read.At, inReads, "") == "" {
				return &ap.Read{}
			}
			return b.read(&read.Read)
		}
	}
	b.report(at.Errorf("use", "no read %s%s; define it under reads", name, alike(name, names(b.written.Reads))))
	return &ap.Read{}
}

// alike suggests a name.
func alike(name string, names []string) string {
	if near, is := strict.Nearest(name, names); is {
		return ", but " + near
	}
	return ""
}

var times = map[string]ap.Times{"": ap.Once, "at most once": ap.AtMostOnce, "at least once": ap.AtLeastOnce, "any number": ap.AnyNumber}

var orders = map[string]ap.Order{"": ap.AnyOrder, "ascending": ap.Ascending, "descending": ap.Descending, "either": ap.EitherOrder}

func (b *builder) read(from *file.Read) *ap.Read {
	read := new(from.Read)
	read.Order, read.Limit = orders[from.Order], int32(from.Limit)
	if from.Versions != "" {
		if at := slices.Index(names(b.written.Versions), from.Versions); at >= 0 {
			read.Versions = &b.written.Versions[at]
		} else {
			b.report(from.Errorf("versions", "no versions %s; define them under versions", from.Versions))
		}
		b.used["versions "+from.Versions] = true
	}
	var of *subject
	switch {
	case from.Get != "":
		read.Operation = dynamo.GetItem
		of = b.subject(from.At, "get", from.Get)
		key := b.key(from.At, "get", of, from.Key)
		if len(key) > 0 {
			read.Partition = &key[0]
		}
		if len(key) > 1 {
			read.Sort = &ap.SortCondition{Attribute: key[1].Attribute, Operator: expression.Equal, Value: key[1].Value}
		}
	case from.Query != "":
		read.Operation = dynamo.Query
		of = b.subject(from.At, "query", from.Query)
		b.keyCondition(from, of, read)
	default:
		read.Operation = dynamo.Scan
		of = b.subject(from.At, "scan", from.Scan)
	}
	read.Table, read.Index = of.table.ID, of.index
	if from.Filter != "" {
		read.Filter = b.conditions(from.At, "filter", of, from.Filter)
	}
	return read
}

// subject is what a request is about: a table or index and, where it is named,
// the entity.
type subject struct {
	table  *ap.Table
	index  string
	entity *ap.Entity
}

func (b *builder) subject(at file.At, field, name string) *subject {
	if entity, is := b.design.Entity(name); is {
		if table, known := b.design.Table(entity.Table); known {
			return &subject{table: table, entity: entity}
		}
		return &subject{table: &ap.Table{}, entity: entity} // reported with the entity
	}
	id, index, _ := strings.Cut(name, "/")
	table, known := b.design.Table(id)
	if !known {
		names := slices.Concat(names(b.design.Entities), names(b.written.Tables))
		b.report(at.Errorf(field, "%s: expected an entity, a table or table/index, found %s%s", field, name, alike(name, names)))
		return &subject{table: &ap.Table{}}
	}
	if found, has := table.Index(index); has && found.Composite() {
		b.report(at.Errorf(field, "%s: index %s has a key of several attributes, which is compared with what is deployed and cannot be replayed; list the pattern under not-checkable", field, index))
	} else if index != "" && !has {
		b.report(at.Errorf(field, "%s: table %s has no index %s%s", field, id, index, alike(index, names(table.Indexes))))
	}
	return &subject{table: table, index: index}
}

func (s *subject) known() bool { return s.table.ID != "" }

// key is the whole key that a request gives, or that of its entity.
func (b *builder) key(at file.At, field string, of *subject, given file.Pairs) []ap.Equality {
	if !of.known() {
		return nil
	}
	if of.entity == nil && len(given) == 0 {
		b.report(at.Errorf(field, "%s: expected an entity, or a key of table %s; add key", field, of.table.ID))
		return nil
	}
	var key []ap.Equality
	for _, part := range of.table.Keys() {
		var template ap.KeyTemplate
		if len(given) == 0 {
			if form, has := of.entity.Key(part.Attribute); has {
				template = form.Template
			}
		}
		for _, entry := range given {
			if entry.Name == part.Attribute {
				template = ap.KeyTemplate(entry.Value)
				b.template(entry.At, "", template)
			}
		}
		if template == "" && len(given) > 0 { // the keys of an entity are held to its table there
			b.report(at.Errorf("key", "key: %s of table %s is missing; add it", part.Attribute, of.table.ID))
		}
		key = append(key, ap.Equality{Attribute: part.Attribute, Value: ap.Operand{Type: part.Type, Template: template}})
	}
	for _, entry := range given {
		b.refuse(!of.table.Keys().Has(entry.Name), entry.At, "", "key: %s is no key attribute of table %s", entry.Name, of.table.ID)
	}
	return key
}

// keyCondition reads the condition of a query.
func (b *builder) keyCondition(from *file.Read, of *subject, read *ap.Read) {
	keys, known := of.table.KeysOf(of.index)
	if !known || !of.known() {
		return // reported with the subject
	}
	if from.Where == "" {
		b.report(from.Errorf("", "a query needs where, an equality on %s and perhaps a condition on the sort key", keys[0].Attribute))
		return
	}
	var parsed expression.Conjunction
	if err := expression.ParseKeyCondition(from.Where, expression.Literal, &parsed); err != nil {
		b.report(from.Errorf("where", "where: %v", err))
		return
	}
	for _, term := range parsed.All() {
		value := b.operand(from.At, "where", of, term.Path, term.Low, map[bool]standing{true: equal}[term.Op == expression.Equal])
		switch {
		case term.Path == keys[0].Attribute && term.Op == expression.Equal && read.Partition == nil:
			read.Partition = &ap.Equality{Attribute: term.Path, Value: value}
		case len(keys) > 1 && term.Path == keys[1].Attribute && read.Sort == nil:
			b.refuse(!term.Op.ForSortKeys(), from.At, "where", "where: expected =, <, <=, >, >=, begins_with or BETWEEN on %s, found %s", term.Path, term.Op)
			read.Sort = &ap.SortCondition{Attribute: term.Path, Operator: term.Op, Value: value}
			if term.Op == expression.Between {
				read.Sort.High = b.operand(from.At, "where", of, term.Path, term.High, comparedWhole)
			}
		default:
			b.report(from.Errorf("where", "where: expected %s = value and at most one condition on the sort key, found %s", keys[0].Attribute, term))
		}
	}
}

var kinds = map[string]ap.ActionKind{"put": ap.Put, "update": ap.Update, "delete": ap.Delete, "check": ap.ConditionCheck}

// action reads a write; head is the name that says which.
func (b *builder) action(head string, from *file.Action) ap.Action {
	name := map[string]string{"put": from.Put, "update": from.Update, "delete": from.Delete, "check": from.Check}[head]
	action := ap.Action{Kind: kinds[head]}
	of := b.subject(from.At, head, name)
	if action.Kind != ap.Put {
		action.Item, action.Key = from.As, b.key(from.At, head, of, from.Key)
	} else {
		action.Entity, action.Item = name, cmp.Or(from.As, name)
		b.refuse(of.entity == nil && of.known(), from.At, "put", "put: expected an entity, found table %s", name)
	}
	action.Table, action.Times, action.Edits = of.table.ID, times[from.Times], from.Edits
	action.Without = from.Without
	for _, with := range from.With {
		value := expression.Operand{Text: with.Value}
		if quoted, is := strings.CutPrefix(with.Value, "'"); is {
			value = expression.Operand{Text: strings.ReplaceAll(strings.TrimSuffix(quoted, "'"), "''", "'"), Quoted: true}
		}
		action.With = append(action.With, ap.Equality{Attribute: with.Name, Value: b.operand(with.At, "with", of, with.Name, value, equal)})
	}
	if from.Do != "" {
		b.update(from, of, &action)
	}
	for _, text := range from.If {
		action.Condition = append(action.Condition, b.condition(from, of, text)...)
	}
	if action.Kind == ap.Update && from.Do == "" && len(from.Edits) == 0 {
		b.report(from.Errorf("", "update: do is missing, the update expression; add it, or name what it edits"))
	}
	return action
}

// condition reads a condition expression, or the one of that name.
func (b *builder) condition(from *file.Action, of *subject, text string) []ap.Condition {
	for _, named := range b.written.Conditions {
		if named.Name == text {
			b.used["condition "+text] = true
			text = named.Value
			break
		}
	}
	return b.conditions(from.At, "if", of, text)
}

// conditions reads a filter or condition expression.
func (b *builder) conditions(at file.At, field string, of *subject, text string) []ap.Condition {
	var parsed expression.Conjunction
	if err := expression.ParseCondition(text, expression.Literal, &parsed); err != nil {
		b.report(at.Errorf(field, "%s: %v", field, err))
		return nil
	}
	var all []ap.Condition
	group := 0
	for _, term := range parsed.All() {
		condition := ap.Condition{Attribute: term.Path, Operator: term.Op}
		compared := func(value expression.Operand) ap.Operand {
			_, size, op := term.Op.Parts()
			switch {
			case value.Path != "":
				return ap.Operand{Attribute: value.Path}
			case size:
				return ap.Operand{Type: dynamo.Number, Template: ap.KeyTemplate(value.Text)}
			case op == expression.IsType:
				return ap.Operand{Type: dynamo.String, Template: ap.KeyTemplate(value.Text)}
			case op == expression.Contains:
				return b.operand(at, field, of, term.Path, value, aMember)
			case op == expression.Equal || op == expression.NotEqual:
				return b.operand(at, field, of, term.Path, value, equal)
			}
			return b.operand(at, field, of, term.Path, value, comparedWhole)
		}
		if term.Op.Base() == expression.Between {
			condition.High = compared(term.High)
		}
		if term.Op.Compares() {
			condition.Value = compared(term.Low)
		}
		switch {
		case term.Group == 0:
			all = append(all, condition)
		case term.Group == group:
			all[len(all)-1].Any = append(all[len(all)-1].Any, condition)
		default:
			all = append(all, ap.Condition{Any: []ap.Condition{condition}})
		}
		group = term.Group
	}
	return all
}

func (b *builder) update(from *file.Action, of *subject, action *ap.Action) {
	changes, err := expression.ParseUpdate(from.Do, expression.Literal)
	if err != nil {
		b.report(from.Errorf("do", "do: %v", err))
		return
	}
	for _, change := range changes {
		assignment := ap.Assignment{Attribute: change.Path}
		for segment := range strings.SplitSeq(change.Path, ".") {
			if strings.HasPrefix(segment, "{") {
				b.template(from.At, "do", ap.KeyTemplate(segment))
			}
		}
		switch {
		case change.Computed != "":
			b.report(from.Errorf("do", "do: expected a value, or %s + value or - value, found %s", change.Path, change.Computed))
			continue
		case change.Clause == expression.Remove:
			action.Remove = append(action.Remove, change.Path)
			continue
		case change.Clause == expression.Set:
			if assignment.Operator = change.Sign; change.Keeps {
				assignment.Operator = ap.Keep
			}
			assignment.Value = b.operand(from.At, "do", of, change.Path, change.Value, map[bool]standing{true: equal}[change.Sign == ""])
		default:
			assignment.Operator = string(change.Clause)
			assignment.Value = b.operand(from.At, "do", of, change.Path, change.Value, aMemberSet)
		}
		action.Set = append(action.Set, assignment)
	}
}

// standing is what a value is to its attribute.
type standing int

const (
	// comparedWhole: the value is like the attribute's.
	comparedWhole standing = iota
	// equal: the value is the attribute's, or is not.
	equal
	// aMember: the value is one of a set's or a list's.
	aMember
	// aMemberSet: the value is a set of one member.
	aMemberSet
)

// operand gives a value the type of the attribute that it is compared with or
// assigned to. A value in quotes is a String, whatever the attribute is.
func (b *builder) operand(at file.At, field string, of *subject, path string, from expression.Operand, as standing) ap.Operand {
	template := ap.KeyTemplate(from.Text)
	if template.Validate() != nil && strings.ContainsAny(from.Text, "{}") {
		b.template(at, field, template)
	}
	if !of.known() {
		return ap.Operand{}
	}
	found, known := b.design.TypeOf(of.table, of.entity, path)
	one := as == equal || as == aMemberSet || as == aMember && found == dynamo.StringSet
	if problem := offList(path, b.lists(of, path), from.Text); one && from.Path == "" && len(template.Parameters()) == 0 && problem != "" {
		b.report(at.Errorf(field, "%s: %s", field, problem))
	}
	switch {
	case as == aMemberSet:
		b.refuse(known && found != dynamo.StringSet, at, field, "%s: ADD and DELETE change a String Set, found %s, a %s", field, path, found)
		return ap.Operand{Type: dynamo.StringSet, Template: template}
	case from.Quoted:
		return ap.Operand{Type: dynamo.String, Template: template}
	case !known:
		b.report(at.Errorf(field, "%s: no entity of table %s says which type %s has; give it to an entity, or quote the value if it is text", field, of.table.ID, path))
		return ap.Operand{}
	case as == aMember:
		switch found {
		case dynamo.NumberSet:
			found = dynamo.Number
		case dynamo.List:
			if found, known = b.design.TypeOf(of.table, of.entity, path+"[]"); !known {
				found = dynamo.String
			}
		default:
			found = dynamo.String
		}
	}
	switch found {
	case dynamo.Number:
		if _, is := dynamo.Decimal(from.Text); !is && len(template.Parameters()) == 0 {
			b.report(at.Errorf(field, "%s: expected a number for %s, found %s; quote it if it is text", field, path, from.Text))
		}
	case dynamo.Boolean:
		if from.Text != "true" && from.Text != "false" && len(template.Parameters()) == 0 {
			b.report(at.Errorf(field, "%s: expected true or false for %s, found %s", field, path, from.Text))
		}
	case dynamo.String:
	case dynamo.StringSet:
		return ap.Operand{Type: dynamo.StringSet, Template: template} // a set of one
	default:
		b.report(at.Errorf(field, "%s: expected an attribute of type S, N, BOOL or SS, found %s of type %s", field, path, found))
	}
	return ap.Operand{Type: found, Template: template}
}

// offList says that a value is none of those that an attribute may have; empty where it is one, or where no list closes them.
func offList(attribute string, allowed []string, value string) (problem string) {
	if len(allowed) == 0 || slices.Contains(allowed, value) {
		return ""
	}
	return fmt.Sprintf("expected one of the values that %s may have, %s, found %s", attribute, strings.Join(allowed, ", "), value)
}

// lists are the values of an attribute that every entity closes which has it.
func (b *builder) lists(of *subject, path string) (all []string) {
	for i := range b.design.Entities {
		e := &b.design.Entities[i]
		if attribute, has := e.Attribute(path); has && (of.entity == nil && e.Table == of.table.ID || of.entity != nil && of.entity.ID == e.ID) {
			if len(attribute.Allowed) == 0 {
				return nil
			}
			all = append(all, attribute.Allowed...)
		}
	}
	return all
}
