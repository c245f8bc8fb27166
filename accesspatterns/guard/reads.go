package guard

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
)

// judgeRead decides about a GetItem, Query or Scan in normal form.
func (g *Guard) judgeRead(ctx context.Context, r *request, b breach, told *[]Admission) (admission, *Refusal) {
	logical := readOf(ctx)
	if b.broken() {
		return admission{}, g.refuseRead(r, b, logical)
	}
	if r.isWholeKey() { // finds what a GetItem of the key finds
		one := *r
		one.operation, one.limit, one.descending = dynamo.GetItem, 0, false
		if as, refusal := g.judgeRead(ctx, &one, breach{}, told); refusal == nil {
			return as, nil
		}
	}
	var last breach
	var nearest *documented
	var admitted admission
	for d := range r.table.spaces[spaceKey{r.operation, r.index}].candidates(r) {
		var v verdict
		if !d.isMeant(logical) {
			continue
		}
		if d.judge(r, &v, bindings{}); v.first != "" {
			continue
		}
		b := d.user.reads(d, r)
		if !b.broken() {
			b = d.actor.reads(d, r)
		}
		var as admission
		if !b.broken() && told != nil {
			as, b = admit(d, r, logical.copied()) // each is judged as if it were alone
		} else if !b.broken() {
			as, b = admit(d, r, logical)
		}
		if b.broken() {
			last, nearest = b, d
			continue
		}
		if admitted.Pattern == "" {
			admitted = as
		}
		if told == nil {
			return admitted, nil
		}
		tell(told, as.Admission)
	}
	if admitted.Pattern != "" {
		return admitted, nil
	}
	if nearest != nil {
		return admission{}, g.refuseNear(r, last, nearest)
	}
	return admission{}, g.refuseRead(r, breach{}, logical)
}

// isMeant reports whether a logical read, nil for none, may be this one: it may name its pattern, and has to where a read with a budget
// has the same shape.
func (d *documented) isMeant(logical *Read) bool {
	if logical == nil || logical.pattern == "" {
		return !d.byNameOnly
	}
	return logical.pattern == d.pattern.ID
}

// admit takes the request into the account of its logical read.
func admit(d *documented, r *request, logical *Read) (admission, breach) {
	admitted := admission{Admission: Admission{d.pattern.ID, d.name}}
	if r.operation == dynamo.GetItem {
		return admitted, breach{}
	}
	if b := r.follows(); d.read.InspectBudget == 0 && b.broken() { // else the account knows where it goes on
		return admitted, b
	}
	if logical == nil {
		if d.read.InspectBudget > 0 && len(r.start) > 0 {
			return admitted, breach{RuleBudget, fmt.Sprintf("the pages of a read of at most %d items to share a context of guard.NewRead", d.read.InspectBudget), "a further page without one"}
		}
		return admitted, breach{}
	}
	if b := logical.admit(d, r); b.broken() {
		return admitted, b
	}
	admitted.read = logical
	if d.read.InspectBudget > 0 {
		admitted.reserved = r.limit
	}
	return admitted, breach{}
}

// judgeTogether admits a batch or a transaction of reads of different items, each of which a pattern documents as part of one, or as a GetItem.
func (g *Guard) judgeTogether(ctx context.Context, operation string, all []sdk.Lookup, broken error) (admission, *Refusal) {
	refuse := func(rule Rule, expected, found string) (admission, *Refusal) {
		return admission{}, g.refuse(operation, "", "", breach{rule, expected, found})
	}
	things, part, whole := "keys", "a key in each part of the batch", "batch"
	if operation == string(dynamo.TransactGetItems) {
		things, part, whole = "items", "a Get in each part of the transaction", "transaction"
	}
	switch {
	case broken != nil:
		return refuse(RuleOperation, part, "a part without one")
	case len(all) == 0:
		return refuse(RuleOperation, "an operation that a pattern of the design uses", "a "+whole+" of nothing")
	}
	if len(all) > sdk.MaxTogether {
		return refuse(RuleBatch, fmt.Sprintf("at most %d %s in one %s", sdk.MaxTogether, things, operation), fmt.Sprint(len(all)))
	}
	partitions, seen := map[string]bool{}, places{}
	for l := range lists.Each(all) {
		r := request{together: dynamo.Operation(operation)}
		b := g.normalise(&r, l)
		if _, refusal := g.judgeRead(ctx, &r, b, nil); refusal != nil {
			refusal.Operation = operation
			return admission{}, refusal
		}
		if refusal := g.refuseTwice(operation, seen, l.Table, l.Key); refusal != nil {
			return admission{}, refusal
		}
		partitions[l.Table+" "+dynamo.KeyText(r.partition)] = true
	}
	return admission{}, g.refusePartitions(operation, len(partitions))
}

// places are the items that a request names, by table and primary key.
type places map[string]bool

// refuseTwice refuses a batch, or reads of a transaction, that name one item twice, as DynamoDB does; the table is one of the design.
func (g *Guard) refuseTwice(operation string, seen places, name string, item accesspatterns.Item) *Refusal {
	place := name
	for _, key := range g.tables[name].keys {
		place += " " + dynamo.KeyText(item[key.Attribute])
	}
	if seen[place] {
		return g.refuse(operation, name, "", breach{RuleBatch, "each item once in one " + operation, "one twice"}).citing(g.design, g.tables[name].contract.KeyCite)
	}
	seen[place] = true
	return nil
}

// refusePartitions refuses reads of several partitions by one request where a guardrail
// of the document holds every request to one. Nil means that nothing does.
func (g *Guard) refusePartitions(operation string, partitions int) *Refusal {
	at := slices.IndexFunc(g.design.Guardrails, func(r accesspatterns.Guardrail) bool { return r.OnePartition })
	if at < 0 || partitions <= 1 {
		return nil
	}
	rule := &g.design.Guardrails[at]
	b := breach{RulePartitions, "keys of one partition in one " + operation + ", because " + rule.Rule, fmt.Sprintf("%d partitions", partitions)}
	return g.refuse(operation, "", "", b).citing(g.design, rule.Cite)
}

// rank orders documented reads that are equally near to a request: one that the
// client may use goes before others, then a pattern before a step of a longer one,
// then what the document states before what it implies.
func (d *documented) rank() int {
	rank := 0
	if d.allowed {
		rank += 4
	}
	if len(d.pattern.Steps) == 1 {
		rank += 2
	}
	if d.pattern.Cite.Basis.Kind == accesspatterns.Stated {
		rank++
	}
	return rank
}

// refuseRead finds the nearest documented read, and says how the request
// differs from it. Unless given, the rule is the first difference.
func (g *Guard) refuseRead(r *request, b breach, logical *Read) *Refusal {
	var nearest *documented
	best := verdict{score: -1}
	for _, d := range g.reads {
		v := verdict{thorough: true}
		d.judge(r, &v, bindings{})
		switch {
		case v.first == "" && !d.allowed:
			v.first = RuleRole
		case v.first == "" && d.byNameOnly:
			continue // the read with the budget is nearer
		}
		if nearest == nil || v.score > best.score || v.score == best.score && d.rank() > nearest.rank() {
			nearest, best = d, v
		}
	}
	if nearest == nil || best.score < weighsTable {
		// Not even the table is the same.
		if !b.broken() {
			b = breach{RuleOperation, "an operation that a pattern of the design uses", string(r.operation)}
		}
		if nearest != nil && nearest.read.Operation == r.operation {
			return g.refuseNear(r, b, nearest)
		}
		return g.refuse(string(r.operation), r.tableName, r.index, b).citing(g.design, g.design.AccessPatterns)
	}
	if !b.broken() {
		b = nearest.difference(best.first, r)
		if best.first == "" && logical != nil && logical.pattern != "" {
			b = breach{RuleOperation, "a request of pattern " + logical.pattern + ", which the logical read names", "one of another pattern"}
		}
	}
	return g.refuseNear(r, b, nearest)
}

func (g *Guard) refuseNear(r *request, b breach, nearest *documented) *Refusal {
	return g.refuse(string(r.operation), r.tableName, r.index, b).near(g.design, &nearest.placed)
}

// difference words how a request breaks a rule of the read.
func (d *documented) difference(rule Rule, r *request) breach {
	read := d.read
	switch rule {
	case RuleOperation:
		return breach{rule, string(read.Sends()), string(cmp.Or(r.together, r.operation))}
	case RuleTable:
		return breach{rule, "table " + d.table.name, "table " + r.tableName}
	case RuleIndex:
		return breach{rule, place(read.Index), place(r.index)}
	case RuleKeyCondition:
		return breach{rule, "an equality on " + read.Partition.Attribute, "none"}
	case RulePartitionKey:
		return breach{rule, fmt.Sprintf("%s = %s (%s)", read.Partition.Attribute, d.partition.source, d.partition.typ), describe(r.partition)}
	case RuleSortKey:
		return breach{rule, d.sortCondition(), r.sortCondition()}
	case RuleFilter:
		return breach{rule, d.filters(), fmt.Sprintf("a filter of %d conditions, not these", r.filter.N)}
	case RuleProjection:
		if len(d.projection) == 0 && r.counts {
			return breach{rule, "items", "a request for their number alone"}
		}
		by := strings.Join(d.judgedBy, " and ")
		if len(d.projection) == 0 {
			return breach{rule, "a projection with " + by + ", by which the reader judges each item; add it", "one without it"}
		}
		found := "another projection"
		if r.projection == "" {
			found = "no projection"
		}
		which := "exactly "
		if read.OrFewer {
			which = "one or more of "
			if by != "" {
				which = by + ", and any of "
			}
		}
		return breach{rule, which + strings.Join(read.Projection, ", "), found}
	case RuleOrder:
		if read.Order == accesspatterns.Descending {
			return breach{rule, "ScanIndexForward false", "the ascending order"}
		}
		return breach{rule, "ScanIndexForward true", "the descending order"}
	case RuleLimit:
		found := fmt.Sprint(r.limit)
		if r.limit == 0 {
			found = "none"
		}
		switch most := d.mostPerPage(); {
		case most > 0 && (r.limit <= 0 || r.limit > most):
			return breach{rule, fmt.Sprintf("a Limit of 1 to %d", most), found}
		case r.limit <= 0 && read.PageSize > 0:
			return breach{rule, "an explicit Limit for each page", found}
		}
		return breach{rule, "one page, because the pattern has a limit", "a further page"}
	case RuleSegments:
		return breach{rule, "pages one after the other", "a parallel Scan"}
	}
	return breach{RuleRole, "a client of role " + strings.Join(d.pattern.Roles, ", "), "a client of another role"}
}

func place(index string) string {
	if index == "" {
		return "the table itself"
	}
	return "index " + index
}

func (d *documented) sortCondition() string {
	if d.read.Sort == nil {
		return "no condition on the sort key"
	}
	text := fmt.Sprintf("%s %s %s (%s)", d.read.Sort.Attribute, d.read.Sort.Operator, d.low.source, d.low.typ)
	if d.read.Sort.Operator == expression.Between {
		text += " and " + string(d.high.source)
	}
	return text
}

func (r *request) sortCondition() string {
	if r.sortOp == "" {
		return "none"
	}
	return string(r.sortOp) + " " + describe(r.low)
}

func (d *documented) filters() string {
	if len(d.filter) == 0 {
		return "no filter"
	}
	var conditions []string
	for i := range d.filter {
		var alternatives []string
		for _, f := range d.filter[i] {
			text := strings.Join(f.path, ".") + " " + string(f.op)
			for _, value := range []string{string(f.value.source), strings.Join(f.right, "."), string(f.high.source)} {
				if value != "" {
					text += " " + value
				}
			}
			alternatives = append(alternatives, text)
		}
		conditions = append(conditions, strings.Join(alternatives, " OR "))
	}
	return "exactly the filter " + strings.Join(conditions, " AND ")
}
