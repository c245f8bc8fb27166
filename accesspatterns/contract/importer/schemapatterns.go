package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/sdk"
)

// modelPatterns finds where the access patterns are.
func (d *draft) modelPatterns(root *yaml.Node) {
	lists := func(node *yaml.Node, name string) {
		if at, list := member(node, name); list != nil && len(list.Content) > 0 && d.patternsAt.First == 0 {
			d.patternsAt = d.cite(at)
		}
	}
	for _, e := range d.schema {
		lists(e.node, "access_patterns")
	}
	lists(root, "cross_table_access_patterns")
	d.cross = d.list(root, "cross_table_access_patterns")
}

func (d *draft) modelOf(id string) *modelEntity {
	at := slices.IndexFunc(d.schema, func(e *modelEntity) bool { return e.ID == id })
	if at < 0 {
		return nil
	}
	return d.schema[at]
}

// asked are the parameters of a pattern, but for whole entities.
func asked(node *yaml.Node) (all []string) {
	for _, each := range elements(node, "parameters") {
		if textOf(each, "type") != "entity" {
			all = append(all, textOf(each, "name"))
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

// keyOf are the attributes of the key of the table, or of an index.
func (t *table) keyOf(index string) (partition, sort []string) {
	for _, each := range t.Indexes {
		if each.Name == index {
			return each.PartitionKey.Names(), each.SortKey.Names()
		}
	}
	return t.PartitionKey.Names(), t.SortKey.Names()
}

// samplesOf are the items of an entity that the source has itself.
func (d *draft) samplesOf(e *modelEntity) (all []*sample) {
	for _, s := range d.samples {
		if s.Entity == e.ID {
			all = append(all, s)
		}
	}
	return all
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
func (d *draft) schemaPatterns() {
	for _, e := range d.schema {
		for _, each := range d.list(e.node, "access_patterns") {
			r := d.request(e, each)
			d.take(r, r.read(textOf(each, "operation")))
		}
	}
	for _, each := range d.cross {
		d.take(d.request(nil, each), errors.New("it is a transaction of several tables, which import does not read; transcribe it with the items that it leaves"))
	}
	for _, e := range d.schema {
		for _, section := range []struct {
			name   string
			values *yaml.Node
		}{{"filter_values", e.filters}, {"update_data", e.updates}} {
			for name, value := range members(section.values) {
				if value.Column != read {
					d.aside(fmt.Sprintf("%s of %s: left out, for no access pattern has a use for it", section.name, e.ID), name.Value, value)
				}
			}
		}
	}
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
	if err != nil {
		taken(r.node)
		d.unsay(r.p, err)
		return
	}
	if len(r.params) > 0 {
		r.p.Cite = r.p.Cite.Chosen("no condition of the source has " + strings.Join(r.params, ", "))
		d.note("%s: no condition of the source has its parameter %s; it is left out", r.p.Title, strings.Join(r.params, ", "))
	}
	if textOf(r.node, "consistent_read") == "true" {
		d.note("%s: consistent_read was left out, for a contract says nothing of it", r.p.Title)
	}
	r.p.ID = d.newID(r.p.Title)
	d.patterns = append(d.patterns, r.p)
}

// use takes a parameter.
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

// tries are the values of the parameters that the samples have.
func (r *request) tries(samples []*sample) error {
	for _, s := range samples {
		params, whole := ap.Params{}, true
		for _, value := range r.values {
			whole = value(s.item, params) && whole
		}
		if whole {
			r.p.tries = append(r.p.tries, params)
		}
	}
	if len(r.p.tries) == 0 {
		return errors.New("no sample has the values that it asks for")
	}
	return nil
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

// read is a pattern of one operation. It says why the contract cannot say it.
func (r *request) read(operation string) (err error) {
	samples := r.d.samplesOf(r.e)
	if len(samples) == 0 {
		return errors.New("the entity has no item")
	}
	var step file.Step
	switch operation {
	case "Scan":
		return errors.New("it is a Scan, which needs a waiver that somebody owns; transcribe it with the items that it returns")
	case "GetItem", "BatchGetItem":
		if step.Get = r.e.ID; operation == "BatchGetItem" && !slices.ContainsFunc(r.params, func(name string) bool { return r.e.field(name) != nil }) {
			return errors.New("it is a BatchGetItem, and the source does not say where its keys come from")
		}
		if step.Read.Key, err = r.wholeKey(); err != nil {
			return err
		}
		if operation == "BatchGetItem" {
			step.Together = operation
		}
	case "Query":
		if err := r.query(&step.Read); err != nil {
			return err
		}
	default:
		kind := map[string]string{"PutItem": "put", "BatchWriteItem": "put", "UpdateItem": "update", "DeleteItem": "delete"}[operation]
		from, err := r.write(kind, samples[0])
		if err != nil {
			return err
		}
		c := &command{d: r.d, p: r.p, params: ap.Params{}, put: ap.Params{}}
		err = c.writes(sdk.CLIName(operation), []sent{from})
		r.p.tries = []ap.Params{c.params}
		return err
	}
	r.p.Steps = []file.Step{step}
	return r.tries(samples)
}

// wholeKey is the primary key of a request; nil where it is the entity's.
func (r *request) wholeKey() (key file.Pairs, err error) {
	same := true
	for _, part := range r.e.templates[""] {
		value, whole := r.key(part)
		if !whole {
			return nil, fmt.Errorf("its parameters do not give the whole key: %s is %s", part.Attribute, part.Template)
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
	switch partition, _ := r.e.table.keyOf(index); {
	case get(r.node, "filter_expression") != nil:
		return errors.New("it has a filter_expression, which import does not read; transcribe it with items that the filter leaves out")
	case index != "" && !r.e.table.indexed(index):
		return fmt.Errorf("expected an index of table %s, found no index %s", r.e.table.ID, index)
	case len(parts) == 0 || parts[0].Attribute != partition[0]:
		return errors.New("no template of the entity gives its partition key " + strings.Join(partition, ", "))
	}
	value, whole := r.key(parts[0])
	if !whole {
		return fmt.Errorf("its parameters do not give the partition key, %s", parts[0].Template)
	}
	terms := []expression.Term{term(parts[0].Attribute, expression.Equal, string(value))}
	ranged := textOf(r.node, "range_condition")
	values := map[string]int{"": 0, "between": 2, "begins_with": 1, "<": 1, ">": 1, "<=": 1, ">=": 1}[ranged]
	if len(r.params) < values || len(parts) < 2 && values > 0 {
		return fmt.Errorf("range_condition %s: expected a sort key, and %d values behind those of the partition key, found %d", ranged, values, len(r.params))
	}
	if len(parts) > 1 {
		if sort := r.sort(parts[1], ranged, values); sort != nil {
			terms = append(terms, *sort)
		} else if head, _, _ := strings.Cut(string(parts[1].Template), "{"); head != "" && r.shared(index, parts[0]) {
			terms = append(terms, term(parts[1].Attribute, expression.BeginsWith, head)) // of this entity alone
		}
	}
	of.Where = expression.Print(terms)
	return nil
}

// shared reports whether another entity has a partition key of the same form.
func (r *request) shared(index string, part ap.KeyAttribute) bool {
	return slices.ContainsFunc(r.d.schema, func(other *modelEntity) bool {
		parts := other.templates[index]
		return other != r.e && other.table == r.e.table && len(parts) > 0 && shape(parts[0].Template) == shape(part.Template)
	})
}

var braces = regexp.MustCompile(`\{[^{}]*\}`)

func shape(template ap.KeyTemplate) string { return braces.ReplaceAllString(string(template), "{}") }

// sort is the condition on the sort key; nil where there is none.
func (r *request) sort(part ap.KeyAttribute, ranged string, n int) *expression.Term {
	number := r.e.table.types()[part.Attribute] == "N"
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

// inJSON is an item in DynamoDB's JSON.
func inJSON(item ap.Item) json.RawMessage {
	text, _ := attributevalue.MarshalMapJSON(item) // it was read from that
	return text
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
	var fields []string
	for _, name := range slices.Clone(r.params) {
		if r.e.field(name) != nil && !inKey(name) && r.use(name) {
			fields = append(fields, name)
		}
	}
	if len(fields) == 0 {
		for name := range members(r.e.updates) {
			if r.e.field(name.Value) != nil && !inKey(name.Value) {
				fields = append(fields, name.Value)
			}
		}
		slices.Sort(fields)
		if len(fields) == 0 {
			return from, errors.New("neither its parameters nor update_data of the usage data say what it changes")
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
	kind := r.e.field(name).Type
	return like(map[bool]types.AttributeValue{true: &types.AttributeValueMemberN{}, false: &types.AttributeValueMemberS{}}[kind == "N"], another(cmp.Or(dynamo.ScalarText(item[name]), map[bool]string{true: "1", false: "value"}[kind == "N"]), kind == "N"))
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
				item[part.Attribute] = like(cmp.Or(item[part.Attribute], types.AttributeValue(&types.AttributeValueMemberS{})), text)
				all = append(all, part.Attribute)
			}
		}
	}
	return all
}
