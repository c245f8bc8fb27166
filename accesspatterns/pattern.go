package accesspatterns

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/internal/place"
	"dynaproof/accesspatterns/lists"
)

// Pattern is one access pattern as a reader of the document would recognise it.
// A pattern of several steps is a flow.
type Pattern struct {
	// ID is unique within the design, in lower-case words joined by hyphens.
	ID      string   `yaml:",name"`
	Written place.At `yaml:"-" json:"-"`
	// The pattern in the document's terms.
	Title string   `yaml:"title" jsonschema:"required"`
	Cite  Citation `yaml:"cite" jsonschema:"required"`
	// The roles that may use it.
	Roles []string `yaml:"roles,words"`
	// Steps are its requests in order, at least one.
	Steps []Step `yaml:"-"`
	// The entities that the pattern is about: each of them is returned by one of its reads, or written by it. Without writes, its last read returns no other.
	Returns []string `yaml:"returns,words"`
	// What the reader makes of the items that the steps returned, without a request.
	Views []View `yaml:"views"`
	// The waiver that allows a Scan.
	Waiver string `yaml:"waiver"`
}

// Writes reports whether a step of the pattern writes.
func (p *Pattern) Writes() bool {
	return slices.ContainsFunc(p.Steps, func(step Step) bool { return len(step.Write) > 0 })
}

// Step returns the step of that name.
func (p *Pattern) Step(name string) (*Step, bool) {
	return find(p.Steps, func(s *Step) bool { return s.Name == name })
}

// OnlyRead returns the read that is all of the pattern, done once; nil where the
// pattern writes, has several steps, or repeats its step.
func (p *Pattern) OnlyRead() *Read {
	if len(p.Steps) != 1 || p.Steps[0].ForEach != nil {
		return nil
	}
	return p.Steps[0].Read
}

// Read is one GetItem, Query or Scan. No document gives a PageSize, so any explicit Limit of such a read is as
// documented. At its InspectBudget a read stops and says that it was cut.
type Read struct {
	Operation dynamo.Operation `yaml:"-"`
	// The items of all repetitions of the step are asked for together, by as few requests of that operation as DynamoDB allows. Without it, each by a GetItem.
	Together dynamo.Operation `yaml:"together" jsonschema:"enum=BatchGetItem,enum=TransactGetItems"`
	// Table is the table's logical id, Index the index to read, if any.
	Table, Index string `yaml:"-"`
	// Partition is the equality on the partition key. Scans have none.
	Partition *Equality `yaml:"-"`
	// Sort is the condition on the sort key, if any.
	Sort *SortCondition `yaml:"-"`
	// Order is the order in which a Query returns items, when the document
	// states or relies on one.
	Order Order `yaml:"-"`
	// Limit is the documented number of items; 0 means all pages. A limited
	// read is one page: it never follows LastEvaluatedKey past the limit.
	Limit int32 `yaml:"-"`
	// The explicit limit of every page of a read that follows to the end.
	PageSize int32 `yaml:"page-size"`
	// The highest number of items that the read may inspect over all pages.
	InspectBudget int32 `yaml:"inspect-at-most"`
	// The attributes or paths that are returned. Without it, all.
	Projection []string `yaml:"project,words"`
	// A request may return some of these attributes instead of all: the document demands a projection and does not say which.
	OrFewer bool `yaml:"or-fewer"`
	// Filter conditions are joined by AND. Every filter is declared: a read
	// without one must inspect exactly what it returns.
	Filter []Condition `yaml:"-"`
	// The Number attribute from whose moment on the reader treats an item as absent.
	Expires string `yaml:"expires"`
	// The reader treats an item without such a Number as absent, too.
	MustExpire bool `yaml:"must-expire"`
	// Versions says how the reader brings items of earlier schema versions to
	// the current one. Nil means that it takes every item as it comes.
	Versions *Versions `yaml:"-"`
}

// Sends is the operation that the read's requests are of.
func (r *Read) Sends() dynamo.Operation { return cmp.Or(r.Together, r.Operation) }

// Order is the direction of a Query.
type Order int

// The values of Order.
const (
	// AnyOrder means that the document neither states nor relies on an order.
	AnyOrder Order = iota
	// Ascending is ScanIndexForward=true.
	Ascending
	// Descending is ScanIndexForward=false.
	Descending
	// EitherOrder means that the items are sorted by the sort key, in a direction
	// that the document does not give. Replays ask for the ascending one.
	EitherOrder
)

// Operand is a value in a key condition, filter or write.
type Operand struct {
	Type dynamo.Type
	// Template formats the value from the parameters; for Numbers it formats
	// the digits, for Booleans "true" or "false".
	Template KeyTemplate
	// Attribute is the attribute, or the path into it, that stands in place of a
	// value on the right side of a condition. Empty for values.
	Attribute string
}

// Equality binds a key attribute to one value.
type Equality struct {
	Attribute string
	Value     Operand
}

// SortCondition is a condition on the sort key.
type SortCondition struct {
	Attribute string
	// Operator is one that DynamoDB knows for sort keys, [expression.Operator.ForSortKeys].
	Operator expression.Operator
	Value    Operand
	// High is the upper bound of BETWEEN, included.
	High Operand
}

// Step is one request of a pattern, or one for each repetition.
type Step struct {
	// Name is unique within the pattern. The only step of a pattern is named "read" or
	// "write" where the contract gives it no name.
	Name string
	// Cite is the pattern's where the step has none of its own.
	Cite Citation
	// Exactly one of Read and Write is set. A Write of several actions is one
	// TransactWriteItems, one of a single action is the PutItem, UpdateItem or
	// DeleteItem that does the same.
	Read  *Read
	Write []Action
	// Batch sends the writes of all repetitions together, at most so many in one
	// BatchWriteItem, of which DynamoDB takes [MaxBatch]. A batch holds puts and
	// deletes without conditions, is not atomic, and is sent again for what the
	// answer calls unprocessed. 0 means no batch.
	Batch int
	// ForEach repeats the step.
	ForEach *ForEach
	// MayFail says that the flow goes on when this write fails, whatever the reason:
	// the failure is counted and reported, and breaks nothing that the flow does
	// before or behind it.
	MayFail bool
	// Rises pairs parameters of a write step, the lower Number with the higher: a
	// version that was read with the one that is written. A Number stands for itself:
	// points that are above 0.
	Rises map[string]string
	// StopWhenEmpty ends the flow here when the reader sees nothing: the caller
	// is not allowed, or what the flow needs is not there.
	StopWhenEmpty bool
	// StopAt ends the flow here when the reader sees at least this many items,
	// over all repetitions: a documented number is used up. The Number is resolved
	// with the parameters of the step's first repetition, so that it can be bound
	// from an earlier item; a step that repeats nothing never stops by it.
	StopAt *Operand
}

// ForEach repeats a step, with further parameters bound each time: for each item
// of an earlier step, or for each day of a range. Exactly one of Step and From is
// used.
type ForEach struct {
	// The earlier read step: the step runs once for each item that it returned.
	Step string `yaml:"step"`
	// Parameters that each repetition binds, with the attribute of the item that gives the value.
	Bind []Binding `yaml:"bind"`
	// The parameter that holds the first day, YYYY-MM-DD.
	From string `yaml:"from"`
	// The parameter that holds the last day, included.
	To string `yaml:"to"`
	// The highest number of days.
	MaxDays int `yaml:"at-most"`
	// The parameter that is bound to each day.
	Parameter string `yaml:"day"`
	// Binds further parameters for each item of another earlier read step: the step runs for each pair of items.
	And *ForEach `yaml:"and"`
	// Leaves out the repetitions whose values another earlier read step gives too.
	Except *ForEach `yaml:"except"`
}

// Binding gives a parameter the value of an item's attribute: the text of a
// String or the digits of a Number. An attribute that is a set or a list of
// these repeats the step once for each element; an item without it repeats
// nothing. At most one binding of a step does that.
type Binding struct {
	Parameter string `yaml:",name"`
	Attribute string `yaml:",value"`
}

// ActionKind is one of the four writes that a transaction can hold.
type ActionKind string

// The kinds of Action.
const (
	Put            ActionKind = "Put"
	Update         ActionKind = "Update"
	Delete         ActionKind = "Delete"
	ConditionCheck ActionKind = "ConditionCheck"
)

// Action is one write of a step.
type Action struct {
	Kind  ActionKind
	Table string
	// Entity is the id of the entity that a Put writes. What another action
	// writes is known by its key.
	Entity string
	// Item names the role of the item that is put ("comment"), because a step
	// may put several of one entity; a case says which fixture items play it. The
	// item of an Update with Edits is what the stored one becomes. An item of an
	// action that is no Put gives its key; without one the parameters give it.
	Item string
	// Times says how often the action stands in a request. An action that is not
	// there exactly once needs an Item: it stands once for each that plays the role.
	Times Times
	// With holds values that attributes of a put item have: that of a parameter
	// ties the item to the other actions of the step, any other is fixed.
	With []Equality
	// Without names attributes that a put item does not have: a match without second
	// players is written with fewer participations.
	Without []string
	// Key is the primary key of an Update, Delete or ConditionCheck.
	Key []Equality
	// Set holds the attributes that an Update assigns.
	Set []Assignment
	// Remove names the attributes that an Update removes.
	Remove []string
	// Edits names further attributes that an Update may change as their entity
	// allows, any number of them: set, kept where they are there (if_not_exists), or
	// removed, whole or by a path within, and not computed from what is stored. Members
	// of a set may be added, and taken away where some are sure to be left or none need be. A replay gives all of them what they have in the Item, and
	// removes those that it lacks.
	Edits []string
	// Condition must hold for the write to happen: conditions are joined by
	// AND.
	Condition []Condition
}

// Changes are the paths that an Update may change.
func (a *Action) Changes() []string {
	return slices.Concat(a.Remove, a.Edits, lists.Map(a.Set, func(set Assignment) string { return set.Attribute }))
}

// Parameters are those of the action's keys, values and conditions, and of the paths that it changes.
func (a *Action) Parameters() (names []string) {
	operands := lists.Map(slices.Concat(a.Key, a.With), func(of Equality) Operand { return of.Value })
	for _, set := range a.Set {
		operands = append(operands, set.Value)
		names = append(names, KeyTemplate(set.Attribute).Parameters()...)
	}
	for _, condition := range a.Condition {
		for _, one := range condition.Alternatives() {
			operands = append(operands, one.Operands()...)
		}
	}
	return append(names, slices.Concat(lists.Map(operands, func(of Operand) []string { return of.Template.Parameters() })...)...)
}

// Times says how often an action stands in one request of its step.
type Times int

// The values of Times.
const (
	// Once: the request always has it.
	Once Times = iota
	// AtMostOnce: the request has it or not.
	AtMostOnce
	// AtLeastOnce: the request has one or many.
	AtLeastOnce
	// AnyNumber: the request has none, one or many.
	AnyNumber
)

// Repeats reports whether a request may have the action several times.
func (t Times) Repeats() bool { return t == AtLeastOnce || t == AnyNumber }

// Needed reports whether a request must have the action.
func (t Times) Needed() bool { return t == Once || t == AtLeastOnce }

// Allows reports whether a request may have the action so many times.
func (t Times) Allows(n int) bool { return (n > 0 || !t.Needed()) && (n < 2 || t.Repeats()) }

// String says it in words.
func (t Times) String() string {
	return []string{"once", "at most once", "at least once", "any number of times"}[t]
}

// Assignment sets one attribute in an Update.
type Assignment struct {
	// Attribute is the attribute, or the path of a map's member, whose name may be a
	// parameter: counts.{status} is a counter for each status.
	Attribute string
	// Operator is what happens to the stored value: + adds the Value to it,
	// - subtracts, ADD and DELETE include the member in a set or exclude it, and
	// if_not_exists keeps the stored value where there is one. Empty assigns the
	// Value itself.
	Operator string
	Value    Operand
}

// Change is the assignment as a change of an update expression, without its path and value.
func (a *Assignment) Change() expression.Change {
	switch a.Operator {
	case Include, Exclude:
		return expression.Change{Clause: expression.Clause(a.Operator)}
	case Keep:
		return expression.Change{Clause: expression.Set, Keeps: true}
	}
	return expression.Change{Clause: expression.Set, Sign: a.Operator}
}

// Keep assigns the Value where the item has no such attribute yet: the createdAt of
// an item that may be new.
const Keep = "if_not_exists"

// What DynamoDB does to the members of a stored set, whatever else is in it. The
// Value is a Member.
const (
	Include = "ADD"
	Exclude = "DELETE"
)

// Condition is one condition of a filter or write; several are joined by AND.
type Condition struct {
	Attribute string
	Operator  expression.Operator
	Value     Operand
	// High is the upper bound of BETWEEN, included.
	High Operand
	// Any holds alternatives joined by OR, of which one must hold. It is used
	// in place of the other fields, and its alternatives have none themselves.
	Any []Condition
}

// Alternatives returns those of which one must hold: the condition alone where it
// has none.
func (c Condition) Alternatives() []Condition {
	if len(c.Any) == 0 {
		return []Condition{c}
	}
	return c.Any
}

// Attributes returns the attributes that the condition looks at, those of all its alternatives.
func (c Condition) Attributes() (names []string) {
	for _, one := range c.Alternatives() {
		for _, name := range []string{one.Attribute, one.Value.Attribute, one.High.Attribute} {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// Operands returns the values that the condition compares with.
func (c Condition) Operands() []Operand {
	switch {
	case !c.Operator.Compares():
		return nil
	case c.Operator.Base() == expression.Between:
		return []Operand{c.Value, c.High}
	}
	return []Operand{c.Value}
}

// WithOwnKeys returns a copy whose key conditions can be changed without those of the read.
func (r *Read) WithOwnKeys() *Read {
	read := *r
	if r.Partition != nil {
		partition := *r.Partition
		read.Partition = &partition
	}
	if r.Sort != nil {
		sort := *r.Sort
		read.Sort = &sort
	}
	return &read
}

// KeyConditions returns what the read asks for of the keys.
func (r *Read) KeyConditions() (all []Condition) {
	if r.Partition != nil {
		all = append(all, Condition{Attribute: r.Partition.Attribute, Operator: expression.Equal, Value: r.Partition.Value})
	}
	if r.Sort != nil {
		all = append(all, Condition{Attribute: r.Sort.Attribute, Operator: r.Sort.Operator, Value: r.Sort.Value, High: r.Sort.High})
	}
	return all
}

// Operands returns the values with which the read compares, in their order.
func (r *Read) Operands() (all []Operand) {
	for _, condition := range slices.Concat(r.KeyConditions(), r.Filter) {
		for _, one := range condition.Alternatives() {
			all = append(all, one.Value, one.High)
		}
	}
	return all
}

// Parameters returns the names of the parameters that the read needs, in order
// of their first appearance.
func (r *Read) Parameters() (names []string) {
	for _, operand := range r.Operands() {
		names = lists.With(names, operand.Template.Parameters()...)
	}
	return names
}

// Fits compares the conditions with the key of the table or index.
func (r *Read) Fits(table *Table) error {
	where := "table " + table.ID
	if r.Index != "" {
		where = "index " + r.Index + " of " + where
	}
	keys, known := table.KeysOf(r.Index)
	if !known {
		return fmt.Errorf("%s: the contract knows no such index", where)
	}
	conditions := r.KeyConditions()
	switch {
	case r.Operation == dynamo.Scan && len(conditions) > 0:
		return fmt.Errorf("%s: a Scan has no key condition", where)
	case r.Operation == dynamo.Scan:
		return nil
	case r.Partition == nil:
		return fmt.Errorf("%s: a %s needs an equality on the partition key %s", where, r.Operation, keys[0].Attribute)
	}
	check := func(key Key, condition Condition) error {
		if condition.Attribute != key.Attribute {
			return fmt.Errorf("%s: expected a condition on key attribute %s, found %s", where, key.Attribute, condition.Attribute)
		}
		for _, operand := range condition.Operands() {
			if operand.Type != key.Type {
				return fmt.Errorf("%s: key attribute %s is defined as %s, the condition gives a value of type %s", where, key.Attribute, key.Type, operand.Type)
			}
		}
		return nil
	}
	if err := check(keys[0], conditions[0]); err != nil {
		return err
	}
	if r.Operation == dynamo.GetItem && (r.Index != "" || len(keys) > 1 && (r.Sort == nil || r.Sort.Operator != expression.Equal)) {
		return fmt.Errorf("%s: a GetItem needs the whole primary key of the table", where)
	}
	for _, condition := range r.Filter {
		for _, name := range condition.Attributes() {
			if keys.Has(name) {
				return fmt.Errorf("%s: a filter on key attribute %s, which a %s has in its key alone", where, name, r.Operation)
			}
		}
	}
	switch {
	case r.Sort == nil:
		return nil
	case len(keys) == 1:
		return fmt.Errorf("%s: a sort condition on %s, but there is no sort key", where, r.Sort.Attribute)
	case r.Sort.Operator == expression.BeginsWith && keys[1].Type == dynamo.Number:
		return fmt.Errorf("%s: begins_with on %s, which is a Number", where, keys[1].Attribute)
	}
	return check(keys[1], conditions[1])
}

// Together returns the actions of a write step that stand or fall together: all of them, or in a batch, which is not atomic, each alone.
func (s *Step) Together() [][]Action {
	n := max(len(s.Write), 1)
	if s.Batch > 0 {
		n = 1
	}
	return slices.Collect(slices.Chunk(s.Write, n))
}

// WriteOperations lists the operations that a write step is sent with: a transaction,
// and where one write may be all that a request has, the operation of that write.
func (s *Step) WriteOperations() []dynamo.Operation {
	if s.Batch > 0 {
		return []dynamo.Operation{dynamo.BatchWriteItem}
	}
	needed := slices.DeleteFunc(slices.Clone(s.Write), func(a Action) bool { return !a.Times.Needed() })
	var operations []dynamo.Operation
	if len(s.Write) > 1 || len(needed) != 1 || s.Write[0].Times.Repeats() || s.Write[0].Kind == ConditionCheck {
		operations = append(operations, dynamo.TransactWriteItems)
	}
	if len(needed) > 1 {
		return operations
	}
	alone := s.Write
	if len(needed) == 1 {
		alone = needed
	}
	for _, action := range alone {
		if operation, known := map[ActionKind]dynamo.Operation{Put: dynamo.PutItem, Update: dynamo.UpdateItem, Delete: dynamo.DeleteItem}[action.Kind]; known {
			operations = append(operations, operation)
		}
	}
	return operations
}

// Resolve returns the operand's value for the given parameters.
func (o Operand) Resolve(params Params) (types.AttributeValue, error) {
	text, err := o.Template.Format(params)
	if err != nil {
		return nil, err
	}
	switch o.Type {
	case dynamo.String:
		return &types.AttributeValueMemberS{Value: text}, nil
	case dynamo.Number:
		if _, is := dynamo.Decimal(text); !is {
			return nil, fmt.Errorf("%s: expected a number, found %q", o.Template, text)
		}
		return &types.AttributeValueMemberN{Value: text}, nil
	case dynamo.Boolean:
		truth, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("%s: expected true or false, found %q", o.Template, text)
		}
		return &types.AttributeValueMemberBOOL{Value: truth}, nil
	case dynamo.StringSet:
		return &types.AttributeValueMemberSS{Value: []string{text}}, nil
	}
	return nil, fmt.Errorf("expected a String, Number, Boolean or String Set operand, found type %q", o.Type)
}
