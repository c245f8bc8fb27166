package evaluate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/validate"
)

// ErrCondition says that the condition of a write does not hold: DynamoDB refuses the write, and
// with it the transaction.
var ErrCondition = errors.New("the condition does not hold")

// ErrNotStored says that DynamoDB does not store what a write leaves, and refuses the write.
var ErrNotStored = errors.New("the table does not store the item")

// ErrTwice says that two writes of a transaction are of one item, which DynamoDB refuses.
var ErrTwice = errors.New("expected at most one write of each item in a transaction")

// Condition reports whether an item, nil where there is none, fulfils a condition that was parsed
// from this source.
func Condition(c *expression.Conjunction, source expression.Source, item ap.Item) (bool, error) {
	for alternatives := range c.Clauses() {
		if holds, err := OneOf(alternatives, source, item); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// OneOf reports whether an item fulfils at least one of some terms, which are the alternatives of a condition.
func OneOf(alternatives []expression.Term, source expression.Source, item ap.Item) (holds bool, err error) {
	for _, term := range alternatives {
		at, err := PathOf(source, term.Path)
		low, noLow := Operand(term.Low, source, item)
		high, noHigh := Operand(term.High, source, item)
		if err = cmp.Or(err, noLow, noHigh); err != nil {
			return false, err
		}
		holds = holds || Holds(term.Op, At(item, at), low, high)
	}
	return holds, nil
}

// Operand is the value that a term compares with: the one that is given, or that of an attribute of the item, nil where there is none.
func Operand(operand expression.Operand, source expression.Source, item ap.Item) (types.AttributeValue, error) {
	if operand.Path == "" {
		return operand.Value, nil
	}
	at, err := PathOf(source, operand.Path)
	return At(item, at), err
}

// After returns what a write leaves in the place of an item; nil stands for none, before and after. It fails
// with [ErrCondition] or [ErrNotOfItem] where DynamoDB refuses the write, and with another error where it is
// not known what DynamoDB would do.
func After(w *sdk.Write, before ap.Item) (ap.Item, error) {
	if text := aws.ToString(w.Condition); text != "" {
		source := expression.Source{Names: w.Names, Values: w.Values}
		var condition expression.Conjunction
		if err := expression.ParseCondition(text, source, &condition); err != nil {
			return nil, fmt.Errorf("condition %q: %w", text, err)
		}
		holds, err := Condition(&condition, source, before)
		if err == nil && !holds {
			err = ErrCondition
		}
		if err != nil {
			return nil, err
		}
	}
	switch w.Kind {
	case ap.Put:
		return w.Item, nil
	case ap.Delete:
		return nil, nil
	case ap.Update:
		return Update(w, before)
	}
	return before, nil
}

// Stored is [After] for a table, and fails with [ErrNotStored] too. The item of a Put is known before: its condition is not asked where no table
// stores it.
func Stored(table *ap.Table, w *sdk.Write, before ap.Item) (ap.Item, error) {
	if w.Kind == ap.Put {
		if err := stored(table, w.Item); err != nil {
			return nil, err
		}
	}
	after, err := After(w, before)
	if err == nil && w.Kind == ap.Update {
		err = stored(table, after)
	}
	return after, err
}

// stored fails with [ErrNotStored] where the table does not store the item.
func stored(table *ap.Table, item ap.Item) error {
	if err := validate.Unstored(table, item); err != nil {
		return fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	return nil
}

// Refused reports whether an error of [After] or [Tables.Apply] says that DynamoDB refuses the request.
func Refused(err error) bool {
	return errors.Is(err, ErrCondition) || errors.Is(err, ErrNotOfItem) || errors.Is(err, ErrNotStored) || errors.Is(err, ErrTwice)
}

// Tables are the items of tables: by the table's name as requests give it, then by the text of the key that
// [KeyText] makes.
type Tables map[string]map[string]ap.Item

// KeyText is the primary key of an item as text, the same for equal keys and no others.
func KeyText(table *ap.Table, item ap.Item) string {
	parts := lists.Map(table.Keys(), func(key ap.Key) string { return dynamo.KeyText(item[key.Attribute]) })
	return strings.Join(parts, " ")
}

// KeyIn is the table and the primary key of an item as text.
func KeyIn(table *ap.Table, item ap.Item) string { return table.ID + " " + KeyText(table, item) }

// Apply carries out writes that stand or fall together: all conditions are those on the items before. Nothing
// changes where it fails. known returns the table of a name.
func (t Tables) Apply(known func(name string) (*ap.Table, bool), writes []sdk.Write) error {
	type change struct {
		table, key string
		after      ap.Item
	}
	var changes []change
	for w := range lists.Each(writes) {
		table, is := known(w.Table)
		if !is {
			return fmt.Errorf("expected a table that is known, found %s", w.Table)
		}
		at := change{table: w.Table, key: KeyText(table, w.Place())}
		if slices.ContainsFunc(changes, func(other change) bool { return other.table == at.table && other.key == at.key }) {
			return ErrTwice
		}
		var err error
		if at.after, err = Stored(table, w, t[at.table][at.key]); err != nil {
			return err
		}
		changes = append(changes, at)
	}
	for _, c := range changes {
		if lists.Inner(t, c.table)[c.key] = c.after; c.after == nil {
			delete(t[c.table], c.key)
		}
	}
	return nil
}
