package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/cliinput"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
)

// modelPatterns refuses access patterns that are faulty, with a line each.
func (d *draft) modelPatterns(root *yaml.Node) {
	ids := map[string]int{}
	numbered := func(each *yaml.Node) {
		id := word(each, "pattern_id")
		d.once(ids, id, "pattern_id %s", id.Value)
		d.modelParameters(each)
	}
	listed := func(node *yaml.Node, name string) []*yaml.Node {
		if at, list := member(node, name); list != nil && len(list.Content) > 0 && d.patternsAt.First == 0 {
			d.patternsAt = d.cite(at)
		}
		return d.list(node, name)
	}
	for _, e := range d.schema {
		names := map[string]int{}
		for _, each := range listed(e.node, "access_patterns") {
			numbered(each)
			name, index := word(each, "name"), get(each, "index_name")
			d.once(names, name, "access pattern %s of %s", name.Value, e.ID)
			if index != nil && !e.table.indexed(index.Value) {
				d.report(index, "access pattern %s of %s: expected an index of table %s, found no index %s", name.Value, e.ID, e.table.ID, index.Value)
				continue
			}
			if consistent := get(each, "consistent_read"); index != nil && consistent != nil && consistent.Value == "true" {
				d.report(consistent, "consistent_read: expected true or false, and never true for an index, found true")
			}
			given := slices.DeleteFunc(slices.Clone(d.list(each, "parameters")), func(p *yaml.Node) bool { return get(p, "entity_type") == nil })
			if textOf(each, "operation") == "PutItem" && len(given) > 0 && !slices.ContainsFunc(given, func(p *yaml.Node) bool { return textOf(p, "entity_type") == e.ID }) {
				d.report(get(given[0], "entity_type"), "access pattern %s of %s: expected a parameter of the entity that it puts, found one of %s", name.Value, e.ID, textOf(given[0], "entity_type"))
			}
			d.modelRange(e, each, word(each, "operation"))
			d.modelFilter(e, each, word(each, "operation"))
		}
	}
	for _, each := range listed(root, "cross_table_access_patterns") {
		numbered(each)
		d.refuse(len(d.list(each, "entities_involved")) == 0, each, "expected entities_involved, found none")
		for _, of := range d.list(each, "entities_involved") {
			table, entity, action := word(of, "table"), word(of, "entity"), word(of, "action")
			if reads := textOf(each, "operation") == "TransactGet"; reads != (action.Value == "Get") {
				d.report(action, "action: expected %s, found %s", map[bool]string{true: "Get", false: "Put, Update, Delete or ConditionCheck"}[reads], action.Value)
			}
			t, e := d.named(table.Value), d.modelOf(entity.Value)
			switch {
			case t == nil:
				d.report(table, "expected a table of this file, found %s", table.Value)
			case e == nil || e.table != t:
				d.report(entity, "expected an entity of table %s, found %s", table.Value, entity.Value)
			default:
				for _, parameter := range d.list(each, "parameters") {
					kind, f := textOf(parameter, "type"), e.field(textOf(parameter, "name"))
					if f != nil && fieldTypes[kind] != "" && fieldTypes[kind] != f.Type {
						d.report(parameter, "parameter %s: expected the type of the field of %s, %s, found %s", f.Name, e.ID, f.Type, kind)
					}
				}
			}
			if condition := get(of, "condition"); condition != nil {
				var parsed expression.Conjunction
				if err := expression.ParseCondition(placeholders.ReplaceAllString(condition.Value, "{$1}"), expression.Literal, &parsed); err != nil {
					d.report(condition, "condition: %v", err)
				}
			}
		}
	}
}

func (d *draft) modelOf(id string) *modelEntity {
	return find(d.schema, func(e *modelEntity) bool { return e.ID == id })
}

func (d *draft) modelParameters(node *yaml.Node) {
	seen := map[string]int{}
	for _, each := range d.list(node, "parameters") {
		name, kind := word(each, "name"), word(each, "type")
		d.once(seen, name, "parameter %s", name.Value)
		of := get(each, "entity_type")
		switch {
		case kind.Value == "entity" && of == nil:
			d.report(each, "parameter %s: expected entity_type beside the type entity, found none", name.Value)
		case of != nil && d.modelOf(of.Value) == nil:
			d.report(of, "parameter %s: expected an entity of this file, found %s", name.Value, of.Value)
		}
	}
}

// asked are the parameters of a pattern that no filter has.
func asked(node *yaml.Node) (all []string) {
	var filter []string
	for _, each := range elements(node, "filter_expression", "conditions") {
		filter = append(filter, textOf(each, "param"), textOf(each, "param2"))
		filter = append(filter, lists.Map(elements(each, "params"), func(each *yaml.Node) string { return each.Value })...)
	}
	for _, each := range elements(node, "parameters") {
		if name := textOf(each, "name"); !slices.Contains(filter, name) && textOf(each, "type") != "entity" {
			all = append(all, name)
		}
	}
	return all
}

// elements are the elements of a list; none of what is no list.
func elements(node *yaml.Node, path ...string) []*yaml.Node {
	if list := get(node, path...); list != nil && list.Kind == yaml.SequenceNode {
		return list.Content
	}
	return nil
}

func (d *draft) modelRange(e *modelEntity, node, operation *yaml.Node) {
	condition := get(node, "range_condition")
	if condition == nil {
		return
	}
	partition, sorted := e.table.keyOf(textOf(node, "index_name"))
	given, inSort := len(asked(node)), 0
	of := 0
	for _, part := range e.templates[textOf(node, "index_name")] {
		switch n := len(part.Template.Parameters()); {
		case slices.Contains(partition, part.Attribute):
			of += n
		case len(sorted) > 0 && part.Attribute == sorted[0]:
			inSort = n
		}
	}
	wants, behind := map[bool]int{true: 2, false: 1}[condition.Value == "between"], given-max(1, of)
	switch {
	case operation.Value != "Query":
		d.report(condition, "range_condition: expected it of a Query, found %s", operation.Value)
	case len(sorted) == 0:
		d.report(condition, "range_condition: expected a key with a sort key, found none")
	case behind < wants || len(sorted) == 1 && behind > wants+max(0, inSort-1):
		d.report(condition, "range_condition %s: expected %d values behind those of the partition key, found %d", condition.Value, wants, max(0, behind))
	}
}

func (t *table) keyOf(index string) (partition, sort []string) {
	for _, each := range t.Indexes {
		if each.Name == index {
			return each.PartitionKey.Names(), each.SortKey.Names()
		}
	}
	return t.PartitionKey.Names(), t.SortKey.Names()
}

func (d *draft) modelFilter(e *modelEntity, node, operation *yaml.Node) {
	filter := get(node, "filter_expression")
	if filter == nil {
		return
	}
	d.refuse(operation.Value != "Query" && operation.Value != "Scan", filter, "filter_expression: expected it of a Query or a Scan, found %s", operation.Value)
	conditions := d.list(filter, "conditions")
	d.refuse(len(conditions) == 0, filter, "filter_expression: expected conditions, found none")
	index := textOf(node, "index_name")
	for _, each := range conditions {
		name := word(each, "field")
		if e.field(name.Value) == nil {
			d.report(name, "filter_expression: expected a field of %s, found %s", e.ID, name.Value)
		} else if partition, sort := e.table.keyOf(index); operation.Value == "Query" && slices.Contains(slices.Concat(partition, sort), name.Value) {
			d.report(name, "filter_expression: expected attributes that are no key, found %s", name.Value)
		}
		operator, function := get(each, "operator"), get(each, "function")
		if size := function != nil && function.Value == "size"; (operator != nil) == (function != nil) != size {
			d.report(each, "filter_expression: expected an operator or a function, and both for size")
			continue
		}
		wants := map[string][]string{"between": {"param", "param2"}, "in": {"params"}, "attribute_exists": nil, "attribute_not_exists": nil}
		named := cmp.Or(textOf(each, "operator"), textOf(each, "function"))
		names, special := wants[named]
		if !special {
			names = []string{"param"}
		}
		for _, want := range names {
			if value := get(each, want); value == nil || want == "params" && len(value.Content) == 0 {
				d.report(each, "filter_expression: expected %s beside %s, found none", want, named)
			}
		}
	}
}

// samplesOf are the items of an entity that the source has itself.
func (d *draft) samplesOf(e *modelEntity) []*sample {
	return slices.DeleteFunc(slices.Clone(d.samples), func(s *sample) bool { return s.Entity != e.ID })
}

// request is an access pattern of schema.json that becomes one of the contract.
type request struct {
	d    *draft
	e    *modelEntity
	node *yaml.Node
	p    *pattern
	// params are those that are not used yet.
	params []string
	// values give the parameters their values, from an item; false where it has none.
	values []func(item ap.Item, into ap.Params) bool
}

// schemaPatterns makes patterns of the access patterns of schema.json. What they are given are the values of the samples.
func (d *draft) schemaPatterns(cross []*yaml.Node) {
	for _, e := range d.schema {
		if e.from != nil {
			d.carried(e)
		}
	}
	for _, e := range d.schema {
		for _, each := range d.list(e.node, "access_patterns") {
			r := d.request(e, each)
			d.take(r, r.read(textOf(each, "operation")))
		}
	}
	for _, each := range cross {
		r := d.request(nil, each)
		d.take(r, r.transaction())
	}
	d.used.rest(d.usageData, "left out, for no access pattern has a use for it")
}

func (d *draft) request(e *modelEntity, node *yaml.Node) *request {
	d.listed++
	name := get(node, "name")
	r := &request{d: d, e: e, node: node, p: newPattern(name, d.cite(name, get(node, "description"), get(node, "operation"), get(node, "pattern_id")))}
	r.params = asked(node)
	return r
}

// take adds the pattern, or lists it with the reason.
func (d *draft) take(r *request, err error) {
	title := r.p.Title
	if r.e != nil {
		title += " of " + r.e.ID
	}
	if err != nil {
		d.cannot(r.p.node, title, "%v", err)
		return
	}
	if len(r.params) > 0 {
		r.p.Cite = r.p.Cite.Chosen("no condition of the source has " + strings.Join(r.params, ", "))
		d.note(r.p.node, "%s: no condition of the source has its parameter %s; it is left out", title, strings.Join(r.params, ", "))
	}
	if textOf(r.node, "consistent_read") == "true" {
		d.note(r.p.node, "%s: consistent_read was left out, for a contract says nothing of it", title)
	}
	r.p.ID = d.newID(r.p.Title)
	d.patterns = append(d.patterns, r.p)
}

func (r *request) use(name string) bool {
	at := slices.Index(r.params, name)
	if at >= 0 {
		r.params = slices.Delete(slices.Clone(r.params), at, at+1)
	}
	return at >= 0
}

// of gives the parameters of a template their values: what stands in an item's key attribute.
func (r *request) of(attribute string, template ap.KeyTemplate) {
	r.values = append(r.values, func(item ap.Item, into ap.Params) bool {
		values, err := template.Parse(dynamo.ScalarText(item[attribute]))
		maps.Copy(into, values)
		return err == nil
	})
}

// tries are the values of the parameters, by sample: those that the source gives to a filter, and then those that the sample has.
func (r *request) tries(samples ...*sample) {
	for _, given := range []bool{true, false} {
		for _, s := range samples {
			params, whole := ap.Params{}, true
			for _, value := range r.values {
				whole = value(s.item, params) && whole
			}
			if given && r.e != nil {
				for name, value := range members(r.e.filters) {
					if _, is := params[name.Value]; is && value.Kind == yaml.ScalarNode {
						params[name.Value] = value.Value
						taken(value)
					}
				}
			}
			if whole {
				r.p.tries = append(r.p.tries, params)
			}
		}
	}
}

// key is the value of a key attribute, with the parameters that the pattern has; false where it lacks one.
func (r *request) key(part ap.KeyAttribute) (ap.KeyTemplate, bool) {
	if r.use(part.Attribute) { // the attribute itself is given
		whole := ap.KeyTemplate("{" + part.Attribute + "}")
		r.of(part.Attribute, whole)
		return whole, true
	}
	text := string(part.Template)
	for _, name := range part.Template.Parameters() {
		if r.use(name) {
			continue
		}
		if len(r.params) == 0 || r.e.field(r.params[0]) != nil {
			return "", false
		}
		text = strings.ReplaceAll(text, "{"+name+"}", "{"+r.params[0]+"}") // by its place
		r.use(r.params[0])
	}
	r.of(part.Attribute, ap.KeyTemplate(text))
	return ap.KeyTemplate(text), true
}

// read is a pattern of one operation.
func (r *request) read(operation string) (err error) {
	samples := r.d.samplesOf(r.e)
	if len(samples) == 0 {
		return cannotSay("the entity has no item")
	}
	var step file.Step
	switch operation {
	case "Scan":
		return cannotSay("it is a Scan, which needs a waiver that somebody owns; transcribe it with the items that it returns")
	case "GetItem", "BatchGetItem":
		if step.Get = r.e.ID; operation == "BatchGetItem" && !slices.ContainsFunc(r.params, func(name string) bool { return r.e.field(name) != nil }) {
			return cannotSay("it is a BatchGetItem, and the source does not say where its keys come from")
		}
		if step.Read.Key, err = r.wholeKey(); err != nil {
			return err
		}
		if operation == "BatchGetItem" {
			step.Together = dynamo.BatchGetItem
		}
	case "Query":
		if err = r.query(&step.Read); err != nil {
			return err
		}
	default:
		from, err := r.write(map[string]string{"PutItem": "put", "BatchWriteItem": "put", "UpdateItem": "update", "DeleteItem": "delete"}[operation], samples[0])
		if err != nil {
			return err
		}
		return r.sends(cliinput.CLIName(operation), []sent{from})
	}
	r.p.Steps = []file.Step{step}
	if r.tries(samples...); len(r.p.tries) == 0 {
		return cannotSay("no sample has the values that it asks for")
	}
	return nil
}

// wholeKey is the primary key of a request; nil where it is the entity's.
func (r *request) wholeKey() (key file.Pairs, err error) {
	same := true
	for _, part := range r.e.templates[""] {
		value, whole := r.key(part)
		if !whole {
			return nil, cannotSay("its parameters do not give the whole key: %s is %s", part.Attribute, part.Template)
		}
		same = same && value == part.Template
		key = append(key, file.Pair{Name: part.Attribute, Value: string(value)})
	}
	if same {
		key = nil
	}
	return key, nil
}

// query reads the conditions of a Query: the partition key, and what the rest of the parameters says of the sort key.
func (r *request) query(of *file.Read) error {
	index := textOf(r.node, "index_name")
	of.Query = r.e.table.ID
	if index != "" {
		of.Query += "/" + index
	}
	parts := r.e.templates[index]
	partition, sorted := r.e.table.keyOf(index)
	if len(partition) > 1 || len(sorted) > 1 {
		return cannotSay("its index %s has a key of several attributes, which a contract compares with what is deployed and cannot read", index)
	}
	if len(parts) == 0 || parts[0].Attribute != partition[0] {
		return cannotSay("no template of the entity gives its partition key %s", strings.Join(partition, ", "))
	}
	value, whole := r.key(parts[0])
	if !whole {
		return cannotSay("its parameters do not give the partition key, %s", parts[0].Template)
	}
	terms := []expression.Term{term(parts[0].Attribute, expression.Equal, string(value))}
	if len(parts) > 1 {
		if sort := r.sort(parts[1], textOf(r.node, "range_condition")); sort != nil {
			terms = append(terms, *sort)
		} else if head, _, _ := strings.Cut(string(parts[1].Template), "{"); head != "" && r.shared(index, parts[0]) {
			terms = append(terms, term(parts[1].Attribute, expression.BeginsWith, head)) // of this entity alone
		}
	}
	of.Where = expression.Print(terms)
	of.Filter = r.filter()
	return nil
}

// shared reports whether another entity has a partition key of the same form.
func (r *request) shared(index string, part ap.KeyAttribute) bool {
	return slices.ContainsFunc(r.d.schema, func(other *modelEntity) bool {
		parts := other.templates[index]
		return other != r.e && other.table == r.e.table && len(parts) > 0 && parts[0].Template.Shape() == part.Template.Shape()
	})
}

// sort is the condition on the sort key; nil where there is none.
func (r *request) sort(part ap.KeyAttribute, ranged string) *expression.Term {
	number := r.e.table.types()[part.Attribute] == "N"
	n := map[string]int{"": 0, "between": 2}[ranged]
	if ranged != "" && ranged != "between" {
		n = 1
	}
	if n > len(r.params) {
		return nil
	}
	bounds := slices.Clone(r.params[len(r.params)-n:])
	r.params = r.params[:len(r.params)-n]
	head, filled := "", 0
	rest := string(part.Template)
	for _, name := range part.Template.Parameters() { // equalities, from the left
		if before, behind, _ := strings.Cut(rest, "{"+name+"}"); r.use(name) {
			head, rest, filled = head+before+"{"+name+"}", behind, filled+1
			continue
		}
		break
	}
	literal, _, more := strings.Cut(rest, "{")
	if constant := len(part.Template.Parameters()) == 0; n == 0 {
		form, t := part.Template, term(part.Attribute, expression.Equal, string(part.Template))
		switch {
		case filled == 0 && (r.use(part.Attribute) || constant && textOf(r.node, "return_type") == "single_entity"):
			if !constant {
				form = ap.KeyTemplate("{" + part.Attribute + "}")
			}
			t.Low.Text = string(form)
		case filled == 0:
			return nil
		case more:
			t = term(part.Attribute, expression.BeginsWith, head+literal)
		}
		r.of(part.Attribute, form)
		return &t
	}
	op := expression.Operator(strings.Replace(ranged, "between", "BETWEEN", 1))
	var values []string
	for i, bound := range bounds {
		values = append(values, head+literal+"{"+bound+"}")
		form := ap.KeyTemplate(head + literal + "{" + bound + "}")
		r.values = append(r.values, func(item ap.Item, into ap.Params) bool {
			found, err := form.Parse(dynamo.ScalarText(item[part.Attribute]))
			if err != nil {
				return false
			}
			switch {
			case op == expression.Greater:
				found[bound] = smaller(found[bound], number)
			case op == expression.Less || i == 1:
				found[bound] = larger(found[bound], number)
			}
			maps.Copy(into, found)
			return true
		})
	}
	t := term(part.Attribute, op, values...)
	return &t
}

// filter is the filter_expression in a contract's words.
func (r *request) filter() string {
	conditions := elements(r.node, "filter_expression", "conditions")
	var parts []string
	for _, each := range conditions {
		name, function := textOf(each, "field"), textOf(each, "function")
		op := expression.Operator(strings.Replace(cmp.Or(textOf(each, "operator"), function), "between", "BETWEEN", 1))
		if function == "size" {
			op = "size " + op
		}
		params := []string{textOf(each, "param"), textOf(each, "param2")}
		one := expression.Term{Path: pathSaid(name), Op: op}
		for i, into := range []*expression.Operand{&one.Low, &one.High} {
			if params[i] != "" {
				into.Text = "{" + params[i] + "}"
				r.compared(name, op, i, params[i])
			}
		}
		if op == "in" {
			var list []string
			for i, each := range elements(each, "params") {
				list = append(list, "{"+each.Value+"}")
				r.compared(name, op, i, each.Value)
			}
			parts = append(parts, one.Path+" IN ("+strings.Join(list, ", ")+")")
			continue
		}
		parts = append(parts, one.String())
	}
	return strings.Join(parts, " "+cmp.Or(textOf(r.node, "filter_expression", "logical_operator"), "AND")+" ")
}

// compared gives a parameter of a filter a value that an item passes.
func (r *request) compared(name string, op expression.Operator, at int, parameter string) {
	_, size, base := op.Parts()
	r.values = append(r.values, func(item ap.Item, into ap.Params) bool {
		value := item[name]
		text, number := anyText(value), dynamo.TypeOf(value) == dynamo.Number
		if value == nil {
			text = "none"
		}
		if size {
			length, _ := dynamo.Length(value)
			text, number = strconv.Itoa(length), true
		}
		switch {
		case base == expression.Greater:
			text = smaller(text, number)
		case base == expression.Less || base == expression.Between && at == 1:
			text = larger(text, number)
		case base == expression.NotEqual || op == "in" && at > 0:
			for range at + 1 {
				text = another(text, number)
			}
		}
		into[parameter] = text
		return true
	})
}

// sends makes the step of what is sent, as of a line of the AWS CLI.
func (r *request) sends(operation string, all []sent) error {
	c := &command{d: r.d, p: r.p, params: ap.Params{}, asked: true}
	err := c.writes(operation, all)
	r.p.tries = []ap.Params{c.params}
	return err
}

// write is a write of a sample's item as it is sent.
func (r *request) write(kind string, s *sample) (from sent, err error) {
	from = sent{kind: kind, entity: r.e.ID, TableName: string(r.e.table.Name)}
	if kind == "put" {
		r.params, from.Item = nil, inJSON(s.item)
		return from, nil
	}
	if _, err = r.wholeKey(); err != nil {
		return from, err
	}
	key := ap.Item{}
	for _, name := range r.e.table.keys() {
		key[name] = s.item[name]
	}
	if from.Key = inJSON(key); kind != "update" {
		return from, nil
	}
	inKey := func(name string) bool {
		return slices.ContainsFunc(r.e.templates[""], func(part ap.KeyAttribute) bool {
			return slices.Contains(part.Template.Parameters(), name) || part.Attribute == name
		})
	}
	fields := lists.Where(slices.Clone(r.params), func(name string) bool { return r.e.field(name) != nil && !inKey(name) && r.use(name) })
	if len(fields) == 0 {
		for name := range members(r.e.updates) {
			if r.e.field(name.Value) != nil && !inKey(name.Value) {
				fields = append(fields, name.Value)
			}
		}
		slices.Sort(fields)
		if len(fields) == 0 {
			return from, cannotSay("neither its parameters nor update_data of the usage data say what it changes")
		}
		r.p.Cite = r.p.Cite.Chosen("update_data of the usage data changes " + strings.Join(fields, ", "))
		r.params = nil
	}
	item, values, names, sets := maps.Clone(s.item), ap.Item{}, map[string]string{}, []string{}
	for _, name := range fields {
		item[name] = r.updated(name, s.item)
	}
	for _, name := range r.e.derive(item, fields) {
		placeholder := parameterOf(name)
		names["#"+placeholder], values[":"+placeholder] = name, item[name]
		sets = append(sets, "#"+placeholder+" = :"+placeholder)
	}
	from.UpdateExpression, from.ExpressionAttributeValues = "SET "+strings.Join(sets, ", "), inJSON(values)
	from.ExpressionAttributeNames, _ = json.Marshal(names) // a map of strings
	return from, nil
}

// updated is the value that an update sets: that of update_data, or another than the item has.
func (r *request) updated(name string, item ap.Item) types.AttributeValue {
	if value := get(r.e.updates, name); value != nil {
		if made, err := itemOf(map[string]any{name: attributeValue(value)}); err == nil && dynamo.TypeOf(made[name]) != dynamo.Null {
			return made[name]
		}
	}
	switch v := item[name].(type) {
	case *types.AttributeValueMemberBOOL:
		return &types.AttributeValueMemberBOOL{Value: !v.Value}
	case *types.AttributeValueMemberL:
		return &types.AttributeValueMemberL{Value: append(slices.Clone(v.Value), &types.AttributeValueMemberS{Value: "new"})}
	case *types.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"new": &types.AttributeValueMemberBOOL{Value: true}}}
	}
	before := dynamo.ScalarText(item[name])
	if r.e.field(name).Type == dynamo.Number {
		return dynamo.Scalar(dynamo.Number, another(cmp.Or(before, "1"), true))
	}
	return dynamo.Scalar(dynamo.String, another(cmp.Or(before, "value"), false))
}

// derive makes the key attributes of indexes anew that are made of some fields, and adds their names to those.
func (e *modelEntity) derive(item ap.Item, fields []string) []string {
	params := ap.Params{}
	for name, value := range item {
		if text := dynamo.ScalarText(value); text != "" {
			params[name] = text
		}
	}
	all := slices.Clone(fields)
	for _, index := range slices.Sorted(maps.Keys(e.templates)) {
		for _, part := range e.templates[index] {
			of := slices.ContainsFunc(part.Template.Parameters(), func(name string) bool { return slices.Contains(fields, name) })
			if text, err := part.Template.Format(params); of && err == nil && index != "" && !slices.Contains(all, part.Attribute) {
				item[part.Attribute] = dynamo.Scalar(part.ValueType(), text)
				all = append(all, part.Attribute)
			}
		}
	}
	return all
}

var placeholders = regexp.MustCompile(`:([A-Za-z_][A-Za-z0-9_]*)`)

// conditioned gives a write its condition, with values that the sample's item has.
func (r *request) conditioned(from *sent, condition string, s *sample) (used []string) {
	values, err := attributevalue.UnmarshalMapJSON(from.ExpressionAttributeValues)
	if err != nil { // of an update
		values = ap.Item{}
	}
	for _, found := range placeholders.FindAllStringSubmatch(condition, -1) {
		used, values[found[0]] = append(used, found[1]), &types.AttributeValueMemberS{Value: "1"}
	}
	var parsed expression.Conjunction
	if expression.ParseCondition(condition, expression.Source{Values: values}, &parsed) == nil {
		for _, term := range parsed.All() {
			if value := s.item[term.Path]; value != nil && values[term.Low.Text] != nil {
				values[term.Low.Text] = value
			}
		}
	}
	if from.ConditionExpression = condition; len(values) > 0 {
		from.ExpressionAttributeValues = inJSON(values)
	}
	return used
}

// transaction is a pattern of several tables.
func (r *request) transaction() (err error) {
	params := r.params
	var used []string
	var writes []sent
	var of *sample
	for i, each := range r.d.list(r.node, "entities_involved") {
		r.e, r.params = r.d.modelOf(textOf(each, "entity")), slices.Clone(params)
		samples := r.d.samplesOf(r.e)
		r.p.Cite = r.p.Cite.Join(r.d.cite(get(each, "entity"), get(each, "action")))
		if len(samples) == 0 {
			return cannotSay("entity %s has no item", r.e.ID)
		}
		of = samples[0]
		if action := textOf(each, "action"); action == "Get" {
			step := file.Step{Name: fmt.Sprintf("read-%d", i+1), Read: file.Read{Get: r.e.ID}}
			before, item := len(r.values), of.item
			if step.Read.Key, err = r.wholeKey(); err != nil {
				return err
			}
			for i, value := range r.values[before:] { // of this entity's sample
				r.values[before+i] = func(_ ap.Item, into ap.Params) bool { return value(item, into) }
			}
			r.p.Steps = append(r.p.Steps, step)
		} else {
			from, err := r.write(transacted[action], of)
			if err != nil {
				return err
			}
			if condition := get(each, "condition"); condition != nil {
				compared := r.conditioned(&from, condition.Value, of)
				if at := slices.IndexFunc(compared, func(name string) bool { return !slices.Contains(params, name) }); at >= 0 {
					return cannotSay("its condition has :%s, which is none of its parameters", compared[at])
				}
				used = append(used, compared...)
			}
			writes = append(writes, from)
		}
		used = append(used, lists.Where(params, func(name string) bool { return !slices.Contains(r.params, name) })...)
	}
	r.e, r.params = nil, slices.DeleteFunc(params, func(name string) bool { return slices.Contains(used, name) })
	if len(writes) > 0 {
		return r.sends("transact-write-items", writes)
	}
	r.d.note(r.p.node, "%s: its TransactGetItems over several tables is read by a GetItem of each, for a contract has no other form", r.p.Title)
	if r.tries(of); len(r.p.tries) == 0 {
		return cannotSay("no sample has the values that it asks for")
	}
	return nil
}
