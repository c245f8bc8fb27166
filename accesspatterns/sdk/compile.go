package sdk

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
)

// Read returns the exact request of a read: *dynamodb.GetItemInput,
// *dynamodb.QueryInput or *dynamodb.ScanInput. tableName is the deployed name of
// the table. Attribute names never stand in an expression as they are, because
// documented names are reserved words; every one is given by
// ExpressionAttributeNames. Reads of a table are strongly consistent, which the
// documents leave open, so that a replay sees what was written just before;
// reads of an index cannot be.
//
// It fails, before anything is sent, when a parameter is missing, when the
// condition names an attribute that is not the key, or when the type of a value
// is not the type in the attribute definitions: engines differ in what they
// accept there, so a wrong type could look right.
func Read(r *ap.Read, table *ap.Table, tableName string, params ap.Params) (any, error) {
	if table.ID != r.Table {
		return nil, fmt.Errorf("expected table %s, was given %s", r.Table, table.ID)
	}
	if err := r.Fits(table); err != nil {
		return nil, err
	}
	var e expressions
	const capacity = types.ReturnConsumedCapacityIndexes
	switch r.Operation {
	case dynamo.GetItem:
		keys := []ap.Equality{*r.Partition}
		if r.Sort != nil {
			keys = append(keys, ap.Equality{Attribute: r.Sort.Attribute, Value: r.Sort.Value})
		}
		key, err := keyOf(keys, params)
		input := &dynamodb.GetItemInput{
			TableName: &tableName, Key: key, ProjectionExpression: e.projection(r.Projection), ConsistentRead: aws.Bool(true), ReturnConsumedCapacity: capacity,
		}
		input.ExpressionAttributeNames = e.names
		return input, err
	case dynamo.Query:
		if r.Sort != nil && !r.Sort.Operator.ForSortKeys() {
			return nil, fmt.Errorf("expected =, <, <=, >, >=, begins_with or BETWEEN, found sort operator %q", r.Sort.Operator)
		}
		condition, err := e.conditions(r.KeyConditions(), params)
		if err != nil {
			return nil, err
		}
		filter, err := e.conditions(r.Filter, params)
		input := &dynamodb.QueryInput{
			TableName: &tableName, KeyConditionExpression: condition, FilterExpression: filter, ProjectionExpression: e.projection(r.Projection),
			Limit: pageLimit(r), ReturnConsumedCapacity: capacity,
		}
		if r.Index == "" {
			input.ConsistentRead = aws.Bool(true)
		} else {
			input.IndexName = aws.String(r.Index)
		}
		if r.Order != ap.AnyOrder {
			input.ScanIndexForward = aws.Bool(r.Order != ap.Descending)
		}
		input.ExpressionAttributeNames, input.ExpressionAttributeValues = e.names, e.values
		return input, err
	case dynamo.Scan:
		filter, err := e.conditions(r.Filter, params)
		input := &dynamodb.ScanInput{
			TableName: &tableName, FilterExpression: filter, ProjectionExpression: e.projection(r.Projection),
			ConsistentRead: aws.Bool(true), Limit: pageLimit(r), ReturnConsumedCapacity: capacity,
		}
		input.ExpressionAttributeNames, input.ExpressionAttributeValues = e.names, e.values
		return input, err
	}
	return nil, fmt.Errorf("expected GetItem, Query or Scan, found operation %q", r.Operation)
}

// DynamoDB's bounds on one request: MaxBatch on the writes of a BatchWriteItem, MaxTogether on the items that a BatchGetItem or a
// TransactGetItems asks for, and MaxTransaction on the actions of a TransactWriteItems
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html).
const (
	MaxBatch       = 25
	MaxTogether    = 100
	MaxTransaction = 100
)

// Reads returns the requests that read for all sets of parameters: one for each, as
// [Read] returns it, or those of BatchGetItem or TransactGetItems. These ask for
// each key once, because DynamoDB refuses a key that stands twice.
func Reads(r *ap.Read, table *ap.Table, tableName string, repetitions []ap.Params) ([]any, error) {
	var inputs []any
	var gets []*dynamodb.GetItemInput
	seen := map[string]bool{}
	for _, params := range repetitions {
		input, err := Read(r, table, tableName, params)
		if err != nil {
			return nil, err
		}
		get, is := input.(*dynamodb.GetItemInput)
		switch {
		case r.Together == "":
			inputs = append(inputs, input)
		case !is:
			return nil, fmt.Errorf("%s reads items by key: expected a GetItem, found %s", r.Together, r.Operation)
		case !seen[dynamo.KeyID(get.Key)]:
			seen[dynamo.KeyID(get.Key)] = true
			gets = append(gets, get)
		}
	}
	for chunk := range slices.Chunk(gets, MaxTogether) {
		if r.Together == dynamo.TransactGetItems {
			input := &dynamodb.TransactGetItemsInput{ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes}
			for _, get := range chunk {
				input.TransactItems = append(input.TransactItems, types.TransactGetItem{Get: &types.Get{
					TableName: get.TableName, Key: get.Key, ProjectionExpression: get.ProjectionExpression, ExpressionAttributeNames: get.ExpressionAttributeNames,
				}})
			}
			inputs = append(inputs, input)
			continue
		}
		keys := types.KeysAndAttributes{ConsistentRead: chunk[0].ConsistentRead, ProjectionExpression: chunk[0].ProjectionExpression, ExpressionAttributeNames: chunk[0].ExpressionAttributeNames}
		keys.Keys = lists.Map(chunk, func(get *dynamodb.GetItemInput) map[string]types.AttributeValue { return get.Key })
		inputs = append(inputs, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{tableName: keys}, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes})
	}
	return inputs, nil
}

func pageLimit(r *ap.Read) *int32 {
	if limit := cmp.Or(r.Limit, r.PageSize); limit > 0 {
		return &limit
	}
	return nil
}

// Names resolves what a write needs to know beyond its parameters.
type Names struct {
	// Table returns the deployed name of a table by its logical id.
	Table func(id string) (string, error)
	// Items returns the items that play a role in the case, none where nothing does.
	Items func(role string) ([]ap.Item, error)
}

// StepWrites returns the exact requests of a write step for all of its
// repetitions, in order. A step of one action is *dynamodb.PutItemInput,
// *dynamodb.UpdateItemInput or *dynamodb.DeleteItemInput; one of several actions
// is *dynamodb.TransactWriteItemsInput, so that they hold or fail together; a
// Batch is *dynamodb.BatchWriteItemInput, each of at most as many writes. A request
// that would hold no write is not among them. It fails when an item does not hold
// what the step says, or when more or fewer play a role than [ap.Action.Times] allows.
func StepWrites(s *ap.Step, names Names, repetitions []ap.Params) ([]any, error) {
	var requests []any
	var batch []Write
	for _, params := range repetitions {
		var writes []Write
		for i := range s.Write {
			compiled, err := writesOf(&s.Write[i], names, params)
			if err != nil {
				return nil, fmt.Errorf("step %s: %w", s.Name, err)
			}
			writes = append(writes, compiled...)
		}
		switch {
		case len(writes) == 0:
		case s.Batch > 0:
			batch = append(batch, writes...)
		case len(writes) == 1:
			requests = append(requests, writes[0].Input())
		default:
			requests = append(requests, &dynamodb.TransactWriteItemsInput{TransactItems: Elements(writes), ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes})
		}
	}
	if len(batch) == 0 {
		return requests, nil
	}
	for chunk := range slices.Chunk(batch, s.Batch) {
		input, err := Batch(chunk)
		if err != nil {
			return nil, fmt.Errorf("step %s: %w", s.Name, err)
		}
		requests = append(requests, input)
	}
	return requests, nil
}

// writesOf returns the writes of the action in one request: one for each item that
// plays its role.
func writesOf(a *ap.Action, names Names, params ap.Params) ([]Write, error) {
	tableName, err := names.Table(a.Table)
	items := []ap.Item{nil}
	if err == nil && a.Item != "" {
		items, err = names.Items(a.Item)
	}
	switch {
	case err != nil:
		return nil, err
	case a.Item != "" && !a.Times.Allows(len(items)):
		return nil, fmt.Errorf("expected an item for the role %q %s, found %d", a.Item, a.Times, len(items))
	}
	var all []Write
	for _, item := range items {
		own := params
		if a.Item != "" {
			if own, err = keyed(a, item, params); err != nil {
				return nil, fmt.Errorf("the item that plays %s: %w", a.Item, err)
			}
		}
		write, err := ActionWrite(a, tableName, item, own, a.Edits)
		if err == nil && a.Kind == ap.Put {
			err = checkWith(a, item, own)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, write)
	}
	return all, nil
}

// keyed returns the parameters with those that the key of an item gives. It fails
// when the key has another form or a parameter another value.
func keyed(a *ap.Action, item ap.Item, params ap.Params) (ap.Params, error) {
	for _, key := range a.Key {
		found, err := key.Value.Template.Parse(dynamo.ScalarText(item[key.Attribute]))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key.Attribute, err)
		}
		for name, value := range found {
			if known, given := params[name]; given && known != value {
				return nil, fmt.Errorf("%s: expected %q for {%s}, found %q", key.Attribute, known, name, value)
			}
			params = params.With(name, value)
		}
	}
	return params, nil
}

// ActionWrite returns one write of an action whatever its step ties the item to: the guard decides about that. Of
// the action's edits only those that are named here are sent.
func ActionWrite(a *ap.Action, tableName string, item ap.Item, params ap.Params, edits []string) (Write, error) {
	var err error
	var e expressions
	write := Write{Kind: a.Kind, Table: tableName}
	if write.Condition, err = e.conditions(a.Condition, params); err != nil {
		return Write{}, err
	}
	switch a.Kind {
	case ap.Put:
		write.Item = item
	case ap.Delete, ap.ConditionCheck:
		write.Key, err = keyOf(a.Key, params)
	case ap.Update:
		if write.Key, err = keyOf(a.Key, params); err == nil {
			write.Update, err = update(a, &e, params, item, edits)
		}
	default:
		err = fmt.Errorf("expected Put, Update, Delete or ConditionCheck, found action %q", a.Kind)
	}
	write.Names, write.Values = e.names, e.values
	return write, err
}

// checkWith holds a put item to the values that its step gives it, and to those that
// it does not have.
func checkWith(a *ap.Action, item ap.Item, params ap.Params) error {
	for _, with := range a.With {
		want, err := with.Value.Resolve(params)
		if err != nil {
			return err
		}
		if got := item[with.Attribute]; got == nil || !dynamo.Equal(got, want) {
			return fmt.Errorf("item %s: expected %s to be %s as in its step, found %s", a.Item, with.Attribute, dynamo.Show(want), dynamo.Show(got))
		}
	}
	for _, name := range a.Without {
		if got, has := item[name]; has {
			return fmt.Errorf("item %s: expected no %s as in its step, found %s", a.Item, name, dynamo.Show(got))
		}
	}
	return nil
}

func update(a *ap.Action, e *expressions, params ap.Params, edited ap.Item, edits []string) (*string, error) {
	var changes []expression.Change
	for _, assignment := range a.Set {
		change := assignment.Change()
		if err := e.value(&change.Value, assignment.Value, params); err != nil {
			return nil, err
		}
		var err error
		if change.Path, err = e.within(assignment.Attribute, params); err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	for _, path := range a.Remove {
		named, err := e.within(path, params)
		if err != nil {
			return nil, err
		}
		changes = append(changes, expression.Change{Clause: expression.Remove, Path: named})
	}
	for _, name := range edits {
		change := expression.Change{Clause: expression.Remove, Path: e.path(name)}
		if value, has := edited[name]; has {
			change.Clause, change.Value = expression.Set, e.literal(value)
		}
		changes = append(changes, change)
	}
	return aws.String(expression.PrintUpdate(changes)), nil
}

func keyOf(equalities []ap.Equality, params ap.Params) (ap.Item, error) {
	key := ap.Item{}
	for _, equality := range equalities {
		value, err := equality.Value.Resolve(params)
		if err != nil {
			return nil, err
		}
		key[equality.Attribute] = value
	}
	return key, nil
}

// expressions numbers the names and values of one request's expressions.
type expressions struct {
	names  map[string]string
	values map[string]types.AttributeValue
}

func (e *expressions) name(attribute string) string {
	for placeholder, known := range e.names {
		if known == attribute {
			return placeholder
		}
	}
	if e.names == nil {
		e.names = map[string]string{}
	}
	placeholder := "#n" + strconv.Itoa(len(e.names))
	e.names[placeholder] = attribute
	return placeholder
}

// path names a nested attribute: every segment is an attribute name of its own.
func (e *expressions) path(path string) string {
	named, _ := e.within(path, nil) // without parameters
	return named
}

// within names a nested attribute, of which a parameter may name a member. A dot in its
// value is a part of the name.
func (e *expressions) within(path string, params ap.Params) (string, error) {
	segments := strings.Split(path, ".")
	for i, segment := range segments {
		if strings.HasPrefix(segment, "{") {
			name, err := ap.KeyTemplate(segment).Format(params)
			if err != nil {
				return "", fmt.Errorf("%s: %w", path, err)
			}
			segments[i] = e.name(name)
			continue
		}
		attribute, _, _ := strings.Cut(segment, "[") // what follows is the place in a list
		segments[i] = e.name(attribute) + segment[len(attribute):]
	}
	return strings.Join(segments, "."), nil
}

// value gives a term or change the placeholder of an operand's value.
func (e *expressions) value(into *expression.Operand, operand ap.Operand, params ap.Params) error {
	if operand.Attribute != "" {
		*into = expression.Operand{Path: e.path(operand.Attribute)}
		return nil
	}
	value, err := operand.Resolve(params)
	if err != nil {
		return err
	}
	*into = e.literal(value)
	return nil
}

func (e *expressions) literal(value types.AttributeValue) expression.Operand {
	if e.values == nil {
		e.values = map[string]types.AttributeValue{}
	}
	placeholder := ":v" + strconv.Itoa(len(e.values))
	e.values[placeholder] = value
	return expression.Operand{Text: placeholder, Value: value}
}

// conditions writes conditions that are joined by AND; nil where there are none.
func (e *expressions) conditions(conditions []ap.Condition, params ap.Params) (*string, error) {
	if len(conditions) == 0 {
		return nil, nil
	}
	var terms []expression.Term
	for i, condition := range conditions {
		group := i + 1
		if len(condition.Any) == 0 {
			group = 0
		}
		for _, one := range condition.Alternatives() {
			term := expression.Term{Path: e.path(one.Attribute), Op: one.Operator, Group: group}
			for n, operand := range one.Operands() {
				if err := e.value([]*expression.Operand{&term.Low, &term.High}[n], operand, params); err != nil {
					return nil, err
				}
			}
			terms = append(terms, term)
		}
	}
	return aws.String(expression.Print(terms)), nil
}

func (e *expressions) projection(paths []string) *string {
	if len(paths) == 0 {
		return nil
	}
	return aws.String(strings.Join(lists.Map(paths, e.path), ", "))
}
