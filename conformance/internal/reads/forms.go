package reads

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
)

// Form is one way in which a read can be wrong.
type Form struct {
	// ID is unique among the forms of a read, Operator the class of the form, and What
	// says how the read is wrong.
	ID, Operator, What string
	// Needs says which item tells the form from the right read.
	Needs string
	// Change makes the read wrong.
	Change func(*ap.Read)
}

// WrongForms lists the wrong forms of a read of a table that the items it returns can tell
// from the right one: by another index, without its condition on the sort key or with a
// wider one, in another order, without its limit, its expiry or a filter.
func WrongForms(table *ap.Table, read *ap.Read) []Form {
	f := &forms{table: table, read: read}
	f.indexes()
	f.sort()
	f.results()
	return f.all
}

type forms struct {
	table *ap.Table
	read  *ap.Read
	all   []Form
}

func (f *forms) add(id, operator, what, needs string, change func(*ap.Read)) {
	f.all = append(f.all, Form{id, operator, what, needs, change})
}

// keys returns the names of the partition key and of the sort key, or that there is none, of what is read.
func (f *forms) keys(index string) (partition, sort string) {
	keys, _ := f.table.KeysOf(index)
	sort = "no sort key"
	if len(keys) > 1 {
		sort = keys[1].Attribute
	}
	if len(keys) > 0 {
		partition = keys[0].Attribute
	}
	return partition, sort
}

// indexes reads by every other index, and by the table instead of an index, with
// the same values for the attributes of the other key.
func (f *forms) indexes() {
	if f.read.Operation != dynamo.Query {
		return
	}
	names := append([]string{""}, f.table.IndexNames()...)
	partition, sort := f.keys(f.read.Index)
	for _, name := range names {
		if name == f.read.Index {
			continue
		}
		keys, _ := f.table.KeysOf(name)
		what, id := "by index "+name, "index-"+name
		if name == "" {
			what, id = "by the table instead of an index", "index-none"
		}
		otherPartition, otherSort := f.keys(name)
		needs := fmt.Sprintf("an item that the case expects, and whose %s is not what the case asks of %s", otherPartition, partition)
		if otherPartition == partition {
			needs = fmt.Sprintf("two items of one %s that %s and %s put in another order, or one that lacks %[3]s", partition, sort, otherSort)
		}
		f.add(id, "wrong index", what, needs, func(read *ap.Read) {
			read.Index = name
			read.Partition.Attribute = keys[0].Attribute
			if read.Sort == nil {
				return
			}
			if len(keys) == 1 {
				read.Sort = nil
				return
			}
			read.Sort.Attribute = keys[1].Attribute
		})
	}
}

// sort breaks the sort key condition.
func (f *forms) sort() {
	condition := f.read.Sort
	if condition == nil || f.read.Operation == dynamo.Scan {
		return
	}
	partition, sort := f.keys(f.read.Index)
	beside := fmt.Sprintf("an item of the same %s, whose %s ", partition, sort)
	if f.read.Limit > 0 {
		beside = fmt.Sprintf("an item of the same %s that the read comes to before its limit of %d, and whose %s ", partition, f.read.Limit, sort)
	}
	f.add("sort-missing", "sort condition missing", "without its sort key condition", beside+"the condition leaves out", func(read *ap.Read) {
		read.Operation, read.Sort = dynamo.Query, nil
	})
	switch template := string(condition.Value.Template); condition.Operator {
	case expression.BeginsWith:
		if open := strings.TrimRightFunc(template, separates); open != template && open != "" {
			f.prefix("prefix-open", "prefix without terminator", open, beside+"goes on behind "+open+" with another character than "+template[len(open):])
		}
		if at := strings.LastIndexFunc(strings.TrimRightFunc(template, separates), separates); at >= 0 {
			f.prefix("prefix-short", "prefix without its last segment", template[:at+1], beside+"begins with "+template[:at+1]+" and not with "+template)
		}
	case expression.Equal:
		if condition.Value.Type == dynamo.String {
			f.prefix("key-as-prefix", "whole key taken as a prefix", template, beside+"begins with "+template+" and goes on")
		}
	case expression.Less, expression.LessOrEqual, expression.Greater, expression.GreaterOrEqual:
		edge := edges[condition.Operator]
		f.add("range-edge", "edge of a range", "with "+string(edge)+" in place of "+string(condition.Operator), beside+"is exactly "+template, func(read *ap.Read) { read.Sort.Operator = edge })
	case expression.Between:
		f.add("range-low-open", "range without its lower end", "from the first item on", beside+"is below "+template, func(read *ap.Read) {
			read.Sort.Value = extreme(read.Sort.Value, "-1e30", " ")
		})
		f.add("range-high-open", "range without its upper end", "to the last item", beside+"is above "+string(condition.High.Template), func(read *ap.Read) {
			read.Sort.High = extreme(read.Sort.High, "1e30", "\uffff")
		})
	}
}

// edges are the operators that differ from others at the edge alone.
var edges = map[expression.Operator]expression.Operator{
	expression.Less: expression.LessOrEqual, expression.LessOrEqual: expression.Less,
	expression.Greater: expression.GreaterOrEqual, expression.GreaterOrEqual: expression.Greater,
}

// atEdge is a comparison of a condition, whether it holds at its edge, and the condition with the other edge. It is the nth of them.
type atEdge struct {
	nth                int
	attribute, exactly string
	holds              bool
	other              ap.Condition
}

// edgesOf are the comparisons of a condition that have an edge.
func edgesOf(condition *ap.Condition) (all []atEdge) {
	for i := range max(1, len(condition.Any)) {
		other := *condition
		one, changed := condition, &other
		if len(condition.Any) > 0 {
			other.Any = slices.Clone(condition.Any)
			one, changed = &condition.Any[i], &other.Any[i]
		}
		negated, _, base := one.Operator.Parts()
		if edge, is := edges[base]; is {
			changed.Operator = expression.Operator(strings.TrimSuffix(string(one.Operator), string(base))) + edge
			all = append(all, atEdge{i + 1, one.Attribute, cmp.Or(one.Value.Attribute, string(one.Value.Template)), strings.HasSuffix(string(base), "=") != negated, other})
		}
	}
	return all
}

// separates reports whether a character stands between the segments of a key.
func separates(r rune) bool { return strings.ContainsRune("#:|/~;,", r) }

// extreme takes the place of an end of a range: one of two values that are beyond every value that a sort key of its type has in the fixtures.
func extreme(operand ap.Operand, number, text ap.KeyTemplate) ap.Operand {
	if operand.Type == dynamo.Number {
		return ap.Operand{Type: dynamo.Number, Template: number}
	}
	return ap.Operand{Type: dynamo.String, Template: text}
}

func (f *forms) prefix(id, operator, template, needs string) {
	f.add(id, operator, "items that begin with "+template, needs, func(read *ap.Read) {
		read.Operation, read.Sort.Operator = dynamo.Query, expression.BeginsWith
		read.Sort.Value.Template = ap.KeyTemplate(template)
	})
}

// results changes what comes back: order, limit, expiry, filter.
func (f *forms) results() {
	read := f.read
	partition, sort := f.keys(read.Index)
	differ := fmt.Sprintf("two items that one case expects, whose %s differ", sort)
	if read.Order != ap.AnyOrder {
		what, reversed := "descending", ap.Descending // of either order the fixtures expect the ascending one
		if read.Order == ap.Descending {
			what, reversed = "ascending", ap.Ascending
		}
		f.add("order-reversed", "order reversed", what, differ, func(read *ap.Read) { read.Order = reversed })
	}
	if read.Limit > 0 {
		reached := fmt.Sprintf("more than %d items of one %s: the limit is not reached", read.Limit, partition)
		f.add("limit-dropped", "limit dropped", fmt.Sprintf("without the limit of %d", read.Limit), reached, func(read *ap.Read) { read.Limit = 0 })
		f.add("limit-raised", "limit raised", fmt.Sprintf("with a limit of %d", read.Limit+1), reached, func(read *ap.Read) { read.Limit++ })
	}
	if read.Expires != "" {
		f.add("expiry-ignored", "expiry ignored", "with items that expired by "+read.Expires, "an item with the same key values, whose "+read.Expires+" is over", func(read *ap.Read) { read.Expires = "" })
	}
	if read.MustExpire {
		f.add("expiry-not-needed", "expiry not needed", "with items that have no "+read.Expires, "an item with the same key values, without "+read.Expires, func(read *ap.Read) { read.MustExpire = false })
	}
	for n, condition := range read.Filter {
		needs := "an item with the same key values that the filter on " + condition.Attribute + " leaves out: it leaves out nobody"
		id := "filter-" + condition.Attribute
		for i := range n {
			if read.Filter[i].Attribute == condition.Attribute {
				id = fmt.Sprintf("filter-%s-%d", condition.Attribute, n+1) // another condition on it has the plain id
			}
		}
		f.add(id+"-dropped", "filter dropped", "without the filter on "+condition.Attribute, needs, func(read *ap.Read) {
			read.Filter = slices.Delete(slices.Clone(read.Filter), n, n+1)
		})
		for _, at := range edgesOf(&condition) {
			needs := fmt.Sprintf("an item with the same key values, whose %s is exactly %s", at.attribute, at.exactly)
			f.add(fmt.Sprintf("%s-edge-%d", id, at.nth), "edge of a filter", "with another edge of "+at.attribute, needs, func(read *ap.Read) {
				read.Filter = slices.Clone(read.Filter)
				read.Filter[n] = at.other
			})
		}
	}
}
