package guard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
)

// placed is a step of the design, and what the client may of it.
type placed struct {
	pattern *accesspatterns.Pattern
	name    string
	cite    accesspatterns.Citation
	// allowed says that the client's roles may use the pattern.
	allowed bool
	// user is whom the step is held to; nil for none.
	user *confinement
	// actor is who acts in it; nil for anybody.
	actor  *actor
	params parameters
	// forms are those of the parameters that the flow binds, where they are known.
	forms map[string]accesspatterns.KeyTemplate
}

// documented is one read of the design, prepared for comparison.
type documented struct {
	placed
	read *accesspatterns.Read
	// table is the deployed table that it reads.
	table *table
	// byNameOnly says that a read with a budget has the same shape, so that
	// this one must be asked for by its pattern's name.
	byNameOnly bool
	// partitions is the number of partitions that one logical read may touch; 0
	// means as many as an earlier step returned items.
	partitions int

	partition, low, high operand
	// filter holds what must all hold; of the terms of each, one.
	filter     [][]documentedFilter
	projection [][]string
	// judgedBy are the attributes by which the reader judges each item.
	judgedBy []string
}

// documentedFilter is a term of a filter or condition. right is the path that stands
// in place of the value, high the upper bound of BETWEEN. keys are those of the primary
// key where the term says that an item is there, or is not: each of them says so.
type documentedFilter struct {
	path        []string
	op          expression.Operator
	value, high operand
	right       []string
	keys        []accesspatterns.Key
}

// preparing takes the parts of a read, or of one action of a step, apart. slots are those of all parameters in them, and problem is the first
// that there is.
type preparing struct {
	*placed
	slots   []int
	problem error
}

func (p *preparing) operand(from accesspatterns.Operand) operand {
	compiled, err := compileOperand(from.Type, from.Template.Of(p.forms), &p.params)
	p.slots, p.problem = append(p.slots, compiled.slots...), cmp.Or(p.problem, err)
	return compiled
}

// terms are the alternatives of a condition, of which one must hold.
func (p *preparing) terms(condition accesspatterns.Condition) (all []documentedFilter) {
	return lists.Map(condition.Alternatives(), func(one accesspatterns.Condition) documentedFilter {
		term := documentedFilter{path: strings.Split(one.Attribute, "."), op: one.Operator}
		for n, from := range one.Operands() {
			switch {
			case from.Attribute == "":
				*[]*operand{&term.value, &term.high}[n] = p.operand(from)
			case n > 0:
				p.problem = cmp.Or(p.problem, fmt.Errorf("expected a value as the upper bound of BETWEEN, found attribute %s", from.Attribute))
			default:
				term.right = strings.Split(from.Attribute, ".")
			}
		}
		return term
	})
}

// documentRead prepares a read.
func (g *Guard) documentRead(at placed, from *accesspatterns.Step) error {
	d := &documented{placed: at, read: from.Read, table: g.byID[from.Read.Table], judgedBy: from.Read.JudgedBy(), partitions: 1}
	switch each := from.ForEach; {
	case each == nil:
	case each.Step != "":
		d.partitions = 0
	default:
		d.partitions = each.MaxDays
	}
	p, read := preparing{placed: &d.placed}, d.read
	if read.Partition != nil {
		d.partition = p.operand(read.Partition.Value)
	}
	if read.Sort != nil {
		d.low = p.operand(read.Sort.Value)
		if read.Sort.Operator == expression.Between {
			d.high = p.operand(read.Sort.High)
		}
	}
	d.filter = lists.Map(read.Filter, p.terms)
	d.projection = lists.Map(read.Projection, func(path string) []string { return strings.Split(path, ".") })
	switch {
	case p.problem != nil:
		return p.problem
	case len(d.projection) > 64 || len(d.filter) > expression.MaxTerms:
		return fmt.Errorf("expected at most 64 projected paths and %d filter conditions", expression.MaxTerms)
	case d.table == nil:
		return fmt.Errorf("expected a table of the design, found %s", read.Table)
	}
	d.actor = g.actorOf(d.pattern, &d.params)
	g.reads = append(g.reads, d)
	return nil
}

// formed is the read with the forms of what the flow binds in its key conditions.
func (d *documented) formed() *accesspatterns.Read {
	read := d.read.WithOwnKeys()
	if read.Partition != nil {
		read.Partition.Value.Template = read.Partition.Value.Template.Of(d.forms)
	}
	if read.Sort != nil {
		read.Sort.Value.Template = read.Sort.Value.Template.Of(d.forms)
	}
	return read
}

// sameShape reports whether the same requests may be either read.
func (d *documented) sameShape(other *documented) bool {
	a, b := d.read, other.read
	sort := func(r *accesspatterns.Read) expression.Operator {
		if r.Sort == nil {
			return ""
		}
		return r.Sort.Operator
	}
	return a.Operation == b.Operation && d.table == other.table && a.Index == b.Index && sort(a) == sort(b) &&
		d.partition.alike(&other.partition) && d.low.alike(&other.low) && d.high.alike(&other.high) &&
		slices.EqualFunc(d.filter, other.filter, func(x, y []documentedFilter) bool {
			return slices.EqualFunc(x, y, func(x, y documentedFilter) bool {
				return x.op == y.op && slices.Equal(x.path, y.path) && slices.Equal(x.right, y.right) && x.value.alike(&y.value) && x.high.alike(&y.high)
			})
		}) &&
		sameAttributes(a, b)
}

// sameAttributes reports whether one projection may be that of either read.
func sameAttributes(a, b *accesspatterns.Read) bool {
	within := func(some, all []string) bool {
		return !slices.ContainsFunc(some, func(path string) bool { return !slices.Contains(all, path) })
	}
	switch {
	case a.OrFewer && b.OrFewer:
		return slices.ContainsFunc(a.Projection, func(path string) bool { return slices.Contains(b.Projection, path) })
	case a.OrFewer && len(b.Projection) > 0:
		return within(b.Projection, a.Projection)
	case b.OrFewer && len(a.Projection) > 0:
		return within(a.Projection, b.Projection)
	}
	return within(a.Projection, b.Projection) && within(b.Projection, a.Projection)
}

// The weights by which the nearest pattern is found: what a request shares with
// it counts by how much it says about the intention.
const (
	weighsOperation = 4
	weighsTable     = 16
	weighsIndex     = 8
	weighsPartition = 6
	weighsSortKind  = 2
	weighsSort      = 6
	weighsKind      = 3 // the sort key's first segment alone
	weighsDetail    = 1
)

// verdict collects how a request compares with a documented read. A quick one
// stops at the first difference; a thorough one scores everything.
type verdict struct {
	thorough bool
	first    Rule
	score    int
}

// holds notes the outcome of one comparison and reports whether to stop.
func (v *verdict) holds(ok bool, rule Rule, weight int) (stop bool) {
	if ok {
		v.score += weight
		return false
	}
	if v.first == "" {
		v.first = rule
	}
	return !v.thorough
}

// sentFor reports whether a request is sent as the read documents: alone, or with others
// by the one operation that reads them together. Where none is documented a batch or a transaction is as
// good as a GetItem for each.
func (r *request) sentFor(read *accesspatterns.Read) bool {
	return r.together == read.Together || read.Together == ""
}

// judge compares a request with the read; bound are the parameters that have their
// values already. Rule is empty when it is the documented request; roles and what lasts
// over several pages are judged apart.
func (d *documented) judge(r *request, v *verdict, bound bindings) {
	read := d.read
	sameTable := r.table == d.table
	if v.holds(r.operation == read.Operation && r.sentFor(read), RuleOperation, weighsOperation) ||
		v.holds(sameTable, RuleTable, weighsTable) ||
		v.holds(sameTable && r.index == read.Index, RuleIndex, weighsIndex) {
		return
	}
	if read.Partition != nil {
		if v.holds(r.partition != nil && r.partitionAttribute == read.Partition.Attribute, RuleKeyCondition, weighsDetail) ||
			v.holds(r.partition != nil && d.partition.matchValue(r.partition, &bound), RulePartitionKey, weighsPartition) {
			return
		}
	}
	var sortOperator expression.Operator
	if read.Sort != nil {
		sortOperator = read.Sort.Operator
	}
	if v.holds(r.sortOp == sortOperator, RuleSortKey, weighsSortKind) {
		return
	}
	if read.Sort != nil {
		fits := r.sortAttribute == read.Sort.Attribute && r.low != nil && d.low.matchValue(r.low, &bound)
		if fits && sortOperator == expression.Between {
			fits = r.high != nil && d.high.matchValue(r.high, &bound)
		}
		if v.holds(fits, RuleSortKey, weighsSort) {
			return
		}
		if head := d.low.head(); !fits && head != "" && head == headOf(dynamo.ScalarText(r.low)) {
			v.score += weighsKind
		}
	}
	if v.holds(d.sameFilter(r, &bound), RuleFilter, weighsDetail) ||
		v.holds(d.sameProjection(r), RuleProjection, weighsDetail) ||
		v.holds(d.sameOrder(r), RuleOrder, weighsDetail) ||
		v.holds(d.bounded(r), RuleLimit, weighsDetail) ||
		v.holds(!r.segmented, RuleSegments, weighsDetail) {
		return
	}
}

func (d *documented) sameFilter(r *request, bound *bindings) bool {
	terms, groups := 0, 0
	for _, want := range d.filter {
		terms += len(want)
		if len(want) > 1 {
			groups++
		}
	}
	return r.filter.N == terms && r.filter.Groups == groups &&
		(terms == 0 || demanded(&r.filter, d.filter, r.source, *bound, func(bindings) bool { return true }))
}

// sameProjection requires a declared projection, in any order, or some of its
// attributes where the read says so. Where none is declared any will do, because it
// returns less of the same items. What the reader judges items by is never left out: an expiry,
// a schema version.
func (d *documented) sameProjection(r *request) bool {
	if r.counts {
		return false
	}
	if r.projection == "" {
		return len(d.projection) == 0
	}
	var seen uint64
	n := 0
	for rest, more := r.projection, true; more; n++ {
		var path string
		path, rest, more = expression.NextPath(rest)
		found := len(d.projection) == 0
		for i := range d.projection {
			if seen&(1<<i) == 0 && r.source.SamePath(path, d.projection[i]) {
				seen |= 1 << i
				found = true
				break
			}
		}
		if !found {
			return false
		}
	}
	if len(d.projection) == 0 || d.read.OrFewer {
		return d.looksAt(r)
	}
	return n == len(d.projection)
}

// looksAt reports whether a projection holds what the reader judges each item by.
func (d *documented) looksAt(r *request) bool {
	return !slices.ContainsFunc(d.judgedBy, func(name string) bool {
		for rest, more := r.projection, true; more; {
			var path string
			if path, rest, more = expression.NextPath(rest); r.source.IsAttribute(path, name) {
				return false
			}
		}
		return true
	})
}

func (d *documented) sameOrder(r *request) bool {
	switch d.read.Order {
	case accesspatterns.Ascending:
		return !r.descending
	case accesspatterns.Descending:
		return r.descending
	}
	return true
}

// bounded holds a request to the documented limit, page size or budget of one
// page. A limited read is one page.
func (d *documented) bounded(r *request) bool {
	if most := d.mostPerPage(); most > 0 && (r.limit <= 0 || r.limit > most) || d.read.PageSize > 0 && r.limit <= 0 {
		return false
	}
	return d.read.Limit == 0 || len(r.start) == 0
}

// mostPerPage is the highest Limit of one page; 0 means any. A page size is none
// that the document gives.
func (d *documented) mostPerPage() int32 {
	most := int32(0)
	for _, bound := range []int32{d.read.Limit, d.read.InspectBudget} {
		if bound > 0 && (most == 0 || bound < most) {
			most = bound
		}
	}
	return most
}
