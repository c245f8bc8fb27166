package scale

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/validate"
	"dynaproof/fixtures"
)

// ownResult makes items that a read returns: with the key that the case asks
// for, and passing the read's filter.
type ownResult struct {
	generator *fixtures.Generator
	design    *accesspatterns.Design
	read      *accesspatterns.Read
	params    accesspatterns.Params
	table     *accesspatterns.Table
}

// tries bounds how many items are made for each that a read returns: a filter,
// or a rule of the entity, refuses some.
const tries = 200

// items returns so many items of the first entity of which there can be several.
func (o *ownResult) items(entities []string, count int) ([]accesspatterns.Item, error) {
	var last error
	for _, id := range entities {
		entity, known := o.design.Entity(id)
		if !known || entity.Table != o.read.Table {
			continue
		}
		items, err := o.of(entity, count)
		if err == nil {
			return items, nil
		}
		last = err
	}
	if last == nil {
		last = fmt.Errorf("expected the pattern to return an entity of table %s, found %s", o.read.Table, strings.Join(entities, ", "))
	}
	return nil, last
}

func (o *ownResult) of(entity *accesspatterns.Entity, count int) ([]accesspatterns.Item, error) {
	fixed, between, err := o.fixed(entity)
	if err != nil {
		return nil, err
	}
	var items []accesspatterns.Item
	keys := map[string]bool{}
	made := 0
	for member, err := range o.generator.Own(entity.ID, fixed) {
		if err != nil {
			return nil, err
		}
		if between != nil {
			// The generator takes the parameters anew for every item.
			maps.Copy(fixed, between(len(items)+1, count))
		}
		if made++; made > tries*(count+1) {
			return nil, fmt.Errorf("expected %d items of %s that the read returns, found %d after %d", count, entity.ID, len(items), made)
		}
		returned, err := evaluate.Read(o.read, o.table, []accesspatterns.Item{member.Item}, o.params)
		if err != nil {
			return nil, err
		}
		if len(returned) == 0 || len(validate.Item(member.Entity, member.Item)) > 0 {
			continue
		}
		key := evaluate.KeyText(o.table, member.Item)
		if keys[key] {
			continue
		}
		keys[key] = true
		if items = append(items, member.Item); len(items) == count {
			return items, nil
		}
	}
	return items, nil
}

// fixed returns the parameters of the entity's keys that the read's conditions
// settle; for a range of moments, also what gives the k-th of n in it.
func (o *ownResult) fixed(entity *accesspatterns.Entity) (params accesspatterns.Params, between func(k, n int) accesspatterns.Params, err error) {
	params = accesspatterns.Params{}
	settle := func(attribute string, operand accesspatterns.Operand, parse func(accesspatterns.KeyTemplate, string) (accesspatterns.Params, error)) error {
		key, known := entity.Key(attribute)
		if !known {
			return fmt.Errorf("expected %s to have key %s, found none", entity.ID, attribute)
		}
		value, err := operand.Resolve(o.params)
		if err != nil {
			return err
		}
		parsed, err := parse(key.Template, dynamo.ScalarText(value))
		maps.Copy(params, parsed)
		return err
	}
	if o.read.Partition != nil {
		err = settle(o.read.Partition.Attribute, o.read.Partition.Value, accesspatterns.KeyTemplate.Parse)
	}
	if sort := o.read.Sort; sort != nil && err == nil {
		switch sort.Operator {
		case expression.Equal:
			err = settle(sort.Attribute, sort.Value, accesspatterns.KeyTemplate.Parse)
		case expression.BeginsWith:
			err = settle(sort.Attribute, sort.Value, accesspatterns.KeyTemplate.ParseBeginning)
		case expression.Between:
			if between, err = o.between(entity, sort); err == nil {
				maps.Copy(params, between(1, 1))
			}
		}
	}
	if err != nil {
		return nil, nil, err
	}
	for _, condition := range o.read.Filter {
		if condition.Operator != expression.Equal {
			continue
		}
		if value, err := condition.Value.Resolve(o.params); err == nil && dynamo.ScalarText(value) != "" {
			params[condition.Attribute] = dynamo.ScalarText(value)
		}
	}
	return params, between, nil
}

// between spreads moments over a range of sort keys that end in one.
func (o *ownResult) between(entity *accesspatterns.Entity, sort *accesspatterns.SortCondition) (func(k, n int) accesspatterns.Params, error) {
	key, known := entity.Key(sort.Attribute)
	if !known || len(key.Template.Parameters()) != 1 {
		return nil, fmt.Errorf("expected %s to have a sort key with one moment, found %s", entity.ID, sort.Attribute)
	}
	name := key.Template.Parameters()[0]
	var bounds [2]time.Time
	for i, operand := range []accesspatterns.Operand{sort.Value, sort.High} {
		value, err := operand.Resolve(o.params)
		if err != nil {
			return nil, err
		}
		parsed, err := key.Template.Parse(dynamo.ScalarText(value))
		if err != nil {
			return nil, err
		}
		if bounds[i], err = time.Parse(time.RFC3339, parsed[name]); err != nil {
			return nil, err
		}
	}
	return func(k, n int) accesspatterns.Params {
		step := bounds[1].Sub(bounds[0]) / time.Duration(n+1)
		return accesspatterns.Params{name: bounds[0].Add(time.Duration(k) * step).UTC().Format(time.RFC3339)}
	}, nil
}
