package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/sdk"
)

// command is a line of the AWS CLI that becomes a pattern.
type command struct {
	d       *draft
	p       *pattern
	options map[string]string
	source  expression.Source
	params  ap.Params
	// put are the parameters of the keys of items that a transaction puts.
	put ap.Params
}

// commandLine reads an access pattern of a data model: an AWS CLI line, which is parsed
// and never executed. One that the contract cannot say, or that is faulty, is listed with the reason.
func (d *draft) commandLine(node *yaml.Node) {
	line, title := d.text(node, "implementation"), d.text(node, "description")
	if line == nil || title == nil {
		return
	}
	d.listed++
	what, at := title.Value, d.cite(title)
	if number := get(node, "pattern"); number != nil {
		at = at.Join(d.cite(number))
		what = "access pattern " + number.Value + ", " + what
	}
	words, err := shellWords(line.Value)
	if is := len(words) > 2 && words[0] == "aws" && words[1] == "dynamodb"; !is && (err == nil || !strings.HasPrefix(line.Value, "aws ")) {
		err = errors.New("no line of the AWS CLI for DynamoDB implements it")
	}
	c := &command{d: d, p: newPattern(title, at), params: ap.Params{}, put: ap.Params{}}
	if err == nil {
		c.options = optionsOf(words[3:])
		err = c.read(words[2], what)
		for _, name := range []string{"table", "index", "dynamodb_operation"} {
			said := strings.ReplaceAll(line.Value, "-", "")
			if beside := textOf(node, name); beside != "" && !strings.Contains(strings.ToLower(said), strings.ToLower(strings.ReplaceAll(beside, "-", ""))) {
				d.noteAt(get(node, name), "%s: %s %s stands beside the line and not in it; it is left out", what, name, beside)
			}
		}
	}
	d.unread("access patterns: ", node, nil)
	if err != nil {
		d.unsay(c.p, err)
		return
	}
	c.p.ID, c.p.tries = d.newID(title.Value), []ap.Params{c.params}
	d.patterns = append(d.patterns, c.p)
}

// read reads the line of an operation.
func (c *command) read(operation, what string) error {
	for name, value := range c.options {
		if json.Valid([]byte(value)) {
			if twice, _ := input.Twice([]byte(value)); twice != "" {
				return fmt.Errorf("%s: %s stands twice; keep one", name, twice)
			}
		}
	}
	of := known()
	said, is := of.Options[operation]
	if !is {
		return fmt.Errorf("it is sent by %s; expected one of %s", operation, strings.Join(slices.Sorted(maps.Keys(of.Options)), ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(c.options)) {
		switch value := c.options[name]; {
		case strings.HasPrefix(value, "file://") || strings.HasPrefix(value, "fileb://"):
			return fmt.Errorf("%s stands in another file, %s", name, value)
		case slices.Contains(strings.Fields(said+" "+of.Empty), name):
		case name == "--select" && value == "ALL_ATTRIBUTES" && c.options["--index-name"] == "": // as without it
		case slices.Contains(strings.Fields(of.Noted), name):
			c.d.note("%s: %s was left out, for a contract says nothing of it", what, name)
		default:
			return fmt.Errorf("its line has %s, which no contract says", strings.TrimSpace(name+" "+strings.TrimPrefix(value, "yes")))
		}
	}
	if operation == "batch-get-item" {
		return errors.New("it is a BatchGetItem of these keys; write the pattern as a get with together: BatchGetItem, and for-each over the step that gives its keys")
	}
	if !slices.Contains([]string{"get-item", "query", "scan"}, operation) {
		return c.writeLine(operation)
	}
	t := c.d.named(c.options["--table-name"])
	if t == nil {
		return fmt.Errorf("expected a table of this file, found %q", c.options["--table-name"])
	}
	var err error
	if c.source, err = sourceOf(c.options["--expression-attribute-names"], c.options["--expression-attribute-values"]); err != nil {
		return err
	}
	return c.readLine(t, operation)
}

// sourceOf resolves the names and values of an expression.
func sourceOf(names, values string) (source expression.Source, err error) {
	source.Names = map[string]string{}
	switch {
	case names == "":
	case strings.HasPrefix(strings.TrimSpace(names), "{"):
		if err := json.Unmarshal([]byte(names), &source.Names); err != nil {
			return source, fmt.Errorf("expression attribute names: %w", err)
		}
	default: // the short form, #n=name,#m=other
		for _, pair := range strings.Split(names, ",") {
			name, of, _ := strings.Cut(pair, "=")
			source.Names[strings.TrimSpace(name)] = strings.TrimSpace(of)
		}
	}
	if values != "" {
		if source.Values, err = attributevalue.UnmarshalMapJSON([]byte(values)); err != nil {
			return source, fmt.Errorf("expression attribute values: %w", err)
		}
	}
	return source, nil
}

// readLine reads a get-item, query or scan.
func (c *command) readLine(t *table, operation string) (err error) {
	table, _ := c.d.design.Table(t.id)
	index := c.options["--index-name"]
	keys, _ := table.KeysOf(index) // the loader refuses what is no index
	of := file.Read{Key: file.Pairs{}}
	on := t.id
	if index != "" {
		on += "/" + index
	}
	switch operation {
	case "get-item":
		key, err := attributevalue.UnmarshalMapJSON([]byte(c.options["--key"]))
		if err != nil {
			return fmt.Errorf("--key: %w", err)
		}
		of.Get = on
		for i, part := range keys {
			value := key[part.Attribute]
			if dynamo.ScalarText(value) == "" {
				return fmt.Errorf("expected key attribute %s of table %s in --key, a String or a Number, found none", part.Attribute, t.id)
			}
			of.Key = append(of.Key, file.Pair{Name: part.Attribute, Value: c.template(value, part.Attribute, i > 0)})
		}
	case "query":
		of.Query = on
		if err := c.keyCondition(&of, keys); err != nil {
			return err
		}
		if c.options["--no-scan-index-forward"] != "" || c.options["--scan-index-forward"] == "false" {
			of.Order = "descending"
		}
		for _, option := range []string{"--limit", "--max-items"} {
			if n, notNumber := strconv.Atoi(c.options[option]); notNumber == nil {
				of.Limit = n
			}
		}
	}
	if text := c.options["--filter-expression"]; text != "" {
		if of.Filter, err = c.condition("--filter-expression", text, table, nil, c.source); err != nil {
			return err
		}
		if c.options["--max-items"] != "" {
			return errors.New("--max-items counts what is left of the filter, which is the command line's own doing, and no request's")
		}
	}
	if projection := c.options["--projection-expression"]; projection != "" {
		paths, err := expression.ParseProjection(projection, c.source)
		if err != nil {
			return fmt.Errorf("--projection-expression: %w", err)
		}
		for _, path := range paths {
			name, _ := c.source.TopLevel(path)
			if !c.source.IsAttribute(path, name) {
				return fmt.Errorf("it projects %s, which is within an attribute; transcribe it with the items that come back", path)
			}
			of.Project = append(of.Project, name)
		}
	}
	if operation == "scan" {
		step := "{scan: " + on
		if of.Filter != "" {
			step += ", filter: '" + strings.ReplaceAll(of.Filter, "'", "''") + "'"
		}
		return errors.New("it is a Scan, which needs a waiver: write the pattern with the step " + step + "}, a waiver that somebody owns, and the items that it returns")
	}
	c.p.Steps = []file.Step{{Read: of}}
	return nil
}

// keyCondition reads the key condition of a query. The constant part of a value stands in the request, and the rest is a parameter.
func (c *command) keyCondition(of *file.Read, keys []ap.Key) error {
	var parsed expression.Conjunction
	if err := expression.ParseKeyCondition(c.options["--key-condition-expression"], c.source, &parsed); err != nil {
		return fmt.Errorf("--key-condition-expression: %w", err)
	}
	var said []expression.Term
	for _, term := range parsed.All() { // what is no condition on the key, the loader refuses
		path, _ := c.source.Split(term.Path)
		name := strings.Join(path, ".")
		at := slices.IndexFunc(keys, func(k ap.Key) bool { return k.Attribute == name })
		if given := dynamo.TypeOf(term.Low.Value); at >= 0 && given != keys[at].Type {
			return fmt.Errorf("expected a value of type %s for key attribute %s, found type %s", keys[at].Type, name, given)
		}
		one := expression.Term{Path: pathSaid(path), Op: term.Op, Low: expression.Operand{Text: c.template(term.Low.Value, strings.TrimPrefix(term.Low.Text, ":"), at > 0)}}
		if term.Op == expression.Between {
			one.High.Text = c.template(term.High.Value, strings.TrimPrefix(term.Low.Text, ":")+"_to", at > 0)
		}
		said = append(said, one)
	}
	of.Where = expression.Print(said)
	return nil
}

// template is the form of a key's value, with a parameter that has the rest of it in this line.
func (c *command) template(value types.AttributeValue, parameter string, mayBeWord bool) string {
	form, rest := formOf(dynamo.ScalarText(value), parameterOf(parameter), mayBeWord)
	if rest != "" {
		form = strings.Replace(form, "{"+parameterOf(parameter)+"}", "{"+c.bind(parameter, rest)+"}", 1)
	}
	return form
}

// bind gives a parameter its value, and another name where it has another value already.
func (c *command) bind(name, value string) string {
	base := parameterOf(name)
	name = strings.ReplaceAll(unique(base, func(name string) bool {
		name = strings.ReplaceAll(name, "-", "_")
		known, taken := c.params[name]
		if put, is := c.put[name]; is && !taken {
			known, taken = put, true
		}
		return taken && known != value
	}), "-", "_")
	c.params[name] = value
	return name
}

// condition reads a filter or the condition of a write, and writes it in a contract's words.
func (c *command) condition(option, text string, table *ap.Table, e *ap.Entity, source expression.Source) (said string, err error) {
	var parsed expression.Conjunction
	if err := expression.ParseCondition(text, source, &parsed); err != nil {
		return "", fmt.Errorf("%s: %w", option, err)
	}
	var written []expression.Term
	for _, term := range parsed.All() {
		path, _ := source.Split(term.Path)
		of := expression.Term{Path: pathSaid(path), Op: term.Op, Group: term.Group}
		_, size, op := term.Op.Parts()
		if of.Path == "" {
			return "", errors.New("a contract has no name for the path " + strings.Join(path, "."))
		}
		for i, from := range []expression.Operand{term.Low, term.High} {
			into := []*expression.Operand{&of.Low, &of.High}[i]
			kind := c.d.kindOf(table, e, path)
			switch {
			case from.Path != "":
				other, _ := source.Split(from.Path)
				into.Path = `"` + strings.Join(other, ".") + `"`
			case from.Value == nil:
			case op == expression.IsType:
				*into = expression.Operand{Text: dynamo.ScalarText(from.Value), Quoted: true}
			default:
				switch {
				case size, op == expression.Contains && kind == dynamo.NumberSet:
					kind = dynamo.Number
				case op == expression.Contains:
					kind = dynamo.String
				}
				if *into, err = c.value(from.Value, strings.TrimPrefix(from.Text, ":"), kind, of.Path); err != nil {
					return "", err
				}
			}
		}
		written = append(written, of)
	}
	return expression.Print(written), nil
}

// kindOf is the type that the contract gives to an attribute; empty for none, or several.
func (d *draft) kindOf(table *ap.Table, e *ap.Entity, path []string) (found dynamo.Type) {
	if len(path) != 1 || strings.Contains(path[0], "[") {
		return ""
	}
	if kind := table.AttributeDefinitions()[path[0]]; kind != "" {
		return kind
	}
	if e != nil {
		if a, known := e.Attribute(path[0]); known {
			return a.Type
		}
	}
	for i := range d.design.Entities {
		if a, known := d.design.Entities[i].Attribute(path[0]); known && d.design.Entities[i].Table == table.ID && a.Type != "" {
			if found != "" && found != a.Type {
				return ""
			}
			found = a.Type
		}
	}
	return found
}

func quotedName(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" {
		return name
	}
	return `"` + name + `"`
}

// pathSaid is a path in a contract's words; empty where these have none.
func pathSaid(path []string) string {
	for _, segment := range path {
		if quotedName(segment) != segment && len(path) > 1 {
			return ""
		}
	}
	return quotedName(strings.Join(path, "."))
}

// value is a value in a contract's words: a parameter that has it in this line.
func (c *command) value(value types.AttributeValue, name string, kind dynamo.Type, of string) (said expression.Operand, err error) {
	text, is := dynamo.ScalarText(value), dynamo.TypeOf(value)
	if set, isSet := value.(*types.AttributeValueMemberSS); isSet && len(set.Value) == 1 {
		text = set.Value[0]
	}
	switch {
	case is == dynamo.Boolean && kind == is:
		return expression.Operand{Text: fmt.Sprint(value.(*types.AttributeValueMemberBOOL).Value)}, nil
	case is == dynamo.String && text == "":
		return expression.Operand{Quoted: true}, nil
	case is == dynamo.String && kind != is:
		return expression.Operand{Text: "{" + c.bind(name, text) + "}", Quoted: true}, nil
	case text != "" && kind == is:
		return expression.Operand{Text: "{" + c.bind(name, text) + "}"}, nil
	case text == "" && is != dynamo.Boolean:
		return said, fmt.Errorf("%s is compared with or set to a value of type %s, and a contract's expressions have Strings, Numbers, Booleans and sets of one String", of, is)
	}
	return said, fmt.Errorf("%s is of type %s here, and of type %s in the source's items", of, is, cmp.Or(kind, "none or several"))
}

// sent is a write as the AWS CLI has it in JSON.
type sent struct {
	TableName, ConditionExpression, UpdateExpression, ReturnValuesOnConditionCheckFailure string
	Item, Key, ExpressionAttributeNames, ExpressionAttributeValues                        json.RawMessage

	// kind is put, update, delete or check, and entity that of the item where the source says it.
	kind, entity string
}

// kinds of writes, as a contract names them, by the names of requests.
var (
	transacted = map[string]string{"Put": "put", "Update": "update", "Delete": "delete", "ConditionCheck": "check"}
	batched    = map[string]string{"PutRequest": "put", "DeleteRequest": "delete"}
)

// writesIn are the writes of a list of requests, each a name with what is sent.
func writesIn(table string, from []map[string]sent, kinds map[string]string) (all []sent, err error) {
	for _, element := range from {
		for name, each := range element {
			if each.kind = kinds[name]; each.kind == "" || len(element) != 1 {
				return nil, fmt.Errorf("expected one of %s in each element, found %s", strings.Join(slices.Sorted(maps.Keys(kinds)), ", "), strings.Join(slices.Sorted(maps.Keys(element)), ", "))
			}
			each.TableName = cmp.Or(table, each.TableName)
			all = append(all, each)
		}
	}
	return all, nil
}

// writeLine reads a line that writes.
func (c *command) writeLine(operation string) error {
	var all []sent
	var err error
	switch operation {
	case "transact-write-items":
		var items []map[string]sent
		if err = input.Strictly([]byte(c.options["--transact-items"]), &items); err == nil {
			all, err = writesIn("", items, transacted)
		}
	case "batch-write-item":
		var tables map[string][]map[string]sent
		err = input.Strictly([]byte(c.options["--request-items"]), &tables)
		for _, name := range slices.Sorted(maps.Keys(tables)) {
			of, wrong := writesIn(name, tables[name], batched)
			all, err = append(all, of...), errors.Join(err, wrong)
		}
	default:
		raw := func(option string) json.RawMessage { return json.RawMessage(c.options[option]) }
		all = []sent{{
			kind: strings.TrimSuffix(operation, "-item"), TableName: c.options["--table-name"], ConditionExpression: c.options["--condition-expression"], UpdateExpression: c.options["--update-expression"],
			Item: raw("--item"), Key: raw("--key"), ExpressionAttributeNames: raw("--expression-attribute-names"), ExpressionAttributeValues: raw("--expression-attribute-values"),
		}}
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", operation, err)
	case len(all) == 0:
		return errors.New("expected a write, found none")
	}
	return c.writes(operation, all)
}

// writes makes the step of an operation that writes.
func (c *command) writes(operation string, all []sent) error {
	if len(all) == 1 && operation == "transact-write-items" {
		return errors.New("it is a transaction of one write, which a contract says as the write alone")
	}
	c.p.writes = true
	var actions []file.Action
	keys := map[string]bool{}
	var places []ap.Item
	for i := range all {
		place, key, err := c.place(&all[i])
		switch {
		case err != nil:
			return err
		case keys[key]:
			return errors.New("expected each item once, found one that is written twice, which DynamoDB refuses")
		}
		keys[key], places = true, append(places, place)
	}
	if operation == "transact-write-items" {
		c.puts(all, places)
	}
	for i := range all {
		action, err := c.action(&all[i], places[i])
		if err != nil {
			return err
		}
		actions = append(actions, action)
	}
	step := file.Step{Action: actions[0]}
	switch {
	case operation == "transact-write-items":
		step = file.Step{Transact: actions}
	case operation == "batch-write-item" && len(actions) == 1:
		step.Batch = sdk.MaxBatch
	case operation == "batch-write-item":
		step = file.Step{Writes: actions, Batch: sdk.MaxBatch}
	}
	c.p.Steps = []file.Step{step}
	return nil
}

// place is the item of a put, and the key of every other write, with its key as text.
func (c *command) place(from *sent) (place ap.Item, key string, err error) {
	t := c.d.named(from.TableName)
	if t == nil {
		return nil, "", fmt.Errorf("expected a table of this file, found %q", from.TableName)
	}
	option, text := "--key", from.Key
	if from.kind == "put" {
		option, text = "--item", from.Item
	}
	if place, err = attributevalue.UnmarshalMapJSON(text); err != nil {
		return nil, "", fmt.Errorf("%s: %w", option, err)
	}
	table, _ := c.d.design.Table(t.id)
	for _, part := range table.Keys() {
		if value := place[part.Attribute]; value == nil || dynamo.TypeOf(value) != part.Type || dynamo.ScalarText(value) == "" {
			return nil, "", fmt.Errorf("expected key attribute %s of type %s in %s, a String or a Number, found %s", part.Attribute, part.Type, option, cmp.Or(dynamo.TypeOf(value), "none"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(place)) {
		if from.kind != "put" && !slices.Contains(t.keys(), name) {
			return nil, "", fmt.Errorf("expected the key of table %s in %s, found %s as well", t.id, option, name)
		}
	}
	if from.kind == "check" && from.ConditionExpression == "" {
		return nil, "", errors.New("expected a ConditionExpression in a ConditionCheck, found none")
	}
	return place, evaluate.KeyIn(table, place), nil
}

// entityOf is the entity of the item of a write; nil where there is none.
func (c *command) entityOf(from *sent, table string, place ap.Item) *ap.Entity {
	if e, said := c.d.design.Entity(from.entity); said {
		return e
	}
	return slices.Concat(c.d.design.EntitiesOf(table, place), []*ap.Entity{nil})[0]
}

// parameters are those of the primary key.
func parameters(table *ap.Table, e *ap.Entity, place ap.Item) ap.Params {
	all := ap.Params{}
	for _, part := range table.Keys() {
		if k, has := e.Key(part.Attribute); has {
			values, _ := k.Template.Parse(dynamo.ScalarText(place[k.Attribute])) // it is of the entity
			maps.Copy(all, values)
		}
	}
	return all
}

// puts notes the parameters of the keys that a transaction puts, which are those of the
// entities' templates, so that the key of no other write has another value of them.
func (c *command) puts(all []sent, places []ap.Item) {
	for i := range all {
		table, _ := c.d.design.Table(c.d.named(all[i].TableName).id)
		e := c.entityOf(&all[i], table.ID, places[i])
		if all[i].kind != "put" || e == nil {
			continue
		}
		for name, value := range parameters(table, e, places[i]) {
			if known, taken := c.put[name]; taken && known != value {
				value = "" // several, of which no key has one
			}
			c.put[name] = value
		}
	}
}

// action is one write in a contract's words.
func (c *command) action(from *sent, place ap.Item) (a file.Action, err error) {
	table, _ := c.d.design.Table(c.d.named(from.TableName).id)
	source, err := sourceOf(string(from.ExpressionAttributeNames), string(from.ExpressionAttributeValues))
	if err != nil {
		return a, err
	}
	e := c.entityOf(from, table.ID, place)
	if e == nil {
		return a, errors.New("no item of the source has a key of its form, so it is of no entity that the contract knows")
	}
	*map[string]*string{"put": &a.Put, "update": &a.Update, "delete": &a.Delete, "check": &a.Check}[from.kind] = e.ID
	role := e.ID
	if from.kind == "put" {
		if err := c.d.admits(e.ID, place); err != nil {
			return a, err
		}
	} else {
		a.Key, role = c.key(table, e, place), "edited-"+strings.ToLower(e.ID)
	}
	if from.kind == "update" {
		if a.Do, a.Edits, err = c.update(table, e, from.UpdateExpression, source); err != nil {
			return a, err
		}
	}
	if from.kind == "put" || len(a.Edits) > 0 {
		role = unique(role, func(role string) bool { return c.p.puts[role] != nil || c.p.edits[role] != nil })
		if role != e.ID {
			a.As = role
		}
		if from.kind == "put" {
			c.p.puts[role] = place
		} else {
			c.p.edits[role] = &sdk.Write{Kind: ap.Update, Key: place, Update: &from.UpdateExpression, Names: source.Names, Values: source.Values}
		}
	}
	if from.ConditionExpression != "" {
		said, err := c.condition("condition expression", from.ConditionExpression, table, e, source)
		if err != nil {
			return a, err
		}
		a.If = []string{said}
	}
	return a, nil
}

// key binds the parameters of the entity's key, and is the key itself where these have other values already.
func (c *command) key(table *ap.Table, e *ap.Entity, place ap.Item) (key file.Pairs) {
	same := true
	for _, part := range table.Keys() {
		k, _ := e.Key(part.Attribute)
		text := string(k.Template)
		values, _ := k.Template.Parse(dynamo.ScalarText(place[k.Attribute])) // it is of the entity
		for name, value := range values {
			bound := c.bind(name, value)
			same = same && bound == name
			text = strings.ReplaceAll(text, "{"+name+"}", "{"+bound+"}")
		}
		key = append(key, file.Pair{Name: k.Attribute, Value: text})
	}
	if same {
		return nil
	}
	return key
}

// admits takes an item that is put for one of the entity: what it lacks need not be
// there. It says what in it the entity does not know.
func (d *draft) admits(entity string, item ap.Item) error {
	of, _ := d.contract.Entity(entity)
	e, _ := d.design.Entity(entity)
	for _, name := range slices.Sorted(maps.Keys(item)) {
		kind, known := e.TypeOf(name)
		if !known {
			return fmt.Errorf("it puts %s, which no item of the source has beside the key of %s", name, entity)
		}
		nullable := slices.ContainsFunc(of.Attributes, func(a ap.Attribute) bool { return a.Name == name && a.Presence == ap.Nullable })
		if is := dynamo.TypeOf(item[name]); kind != "" && kind != is && (is != dynamo.Null || !nullable) {
			return fmt.Errorf("it puts %s of type %s, and the source's items have type %s", name, is, kind)
		}
	}
	optional(of, func(name string) bool { return item[name] == nil })
	return nil
}

// optional makes the attributes and the keys of indexes optional which a write leaves out.
func optional(of *ap.Entity, left func(name string) bool) {
	for i := range of.Attributes {
		if left(of.Attributes[i].Name) {
			of.Attributes[i].Presence = cmp.Or(of.Attributes[i].Presence, ap.Optional)
		}
	}
	for i := range of.Keys {
		of.Keys[i].Optional = of.Keys[i].Optional || left(of.Keys[i].Attribute)
	}
}

// update is an update in a contract's words. What it sets to a value that these
// do not have it edits.
func (c *command) update(table *ap.Table, e *ap.Entity, text string, source expression.Source) (do string, edits []string, err error) {
	changes, err := expression.ParseUpdate(text, source)
	if err != nil {
		return "", nil, fmt.Errorf("update expression: %w", err)
	}
	var all []expression.Change
	of, _ := c.d.contract.Entity(e.ID)
	for _, each := range changes {
		path, _ := source.Split(each.Path)
		name, _, _ := strings.Cut(path[0], "[")
		if _, known := e.TypeOf(name); !known {
			return "", nil, fmt.Errorf("it changes %s, which no %s of the source's items has", name, e.ID)
		}
		into := each
		if into.Path = pathSaid(path); into.Path == "" {
			return "", nil, errors.New("a contract has no name for the path " + strings.Join(path, "."))
		}
		kind := c.d.kindOf(table, e, path)
		switch {
		case each.Clause == expression.Set && joined(e, changes, source, name):
			edits = append(edits, name)
			continue
		case each.Computed != "":
			return "", nil, fmt.Errorf("it sets %s to %s, and a contract adds to the attribute itself, takes from it, or keeps it", into.Path, each.Computed)
		case each.Clause == expression.Remove: // what is removed need not be there
			optional(of, func(other string) bool { return other == into.Path })
		case (each.Clause == expression.Add || each.Clause == expression.Delete) && dynamo.TypeOf(each.Value.Value) != dynamo.StringSet:
			return "", nil, fmt.Errorf("it has %s %s of type %s, and a contract adds and deletes one member of a String Set; a Number is added by SET %s = %s + value", each.Clause, into.Path, dynamo.TypeOf(each.Value.Value), into.Path, into.Path)
		default:
			if each.Clause != expression.Set {
				kind = dynamo.StringSet
			}
			value, err := c.value(each.Value.Value, strings.TrimPrefix(each.Value.Text, ":"), kind, into.Path)
			if err != nil {
				_, attribute := e.Attribute(path[0])
				if !attribute || len(path) > 1 || each.Sign != "" || each.Keeps || each.Clause != expression.Set {
					return "", nil, err
				}
				edits = append(edits, path[0])
				continue
			}
			into.Value = value
		}
		all = append(all, into)
	}
	return expression.PrintUpdate(all), edits, nil
}

// joined reports whether an update changes an attribute together with the key of an index that is made of it, or is that key.
func joined(e *ap.Entity, changes []expression.Change, source expression.Source, name string) bool {
	changed := map[string]bool{}
	for _, each := range changes {
		path, _ := source.Split(each.Path)
		changed[path[0]] = true
	}
	return slices.ContainsFunc(e.Keys, func(k ap.KeyAttribute) bool {
		return changed[k.Attribute] && slices.ContainsFunc(k.Template.Parameters(), func(parameter string) bool {
			bound := k.Bound(parameter)
			return bound != k.Attribute && changed[bound] && (name == bound || name == k.Attribute)
		})
	})
}

// shellWords cuts a command line into words as a shell does, without ever running it: what a shell would have to look up is refused.
func shellWords(line string) (words []string, err error) {
	var wrong error
	err = syntax.NewParser().Words(strings.NewReader(line), func(each *syntax.Word) bool {
		var word string
		word, wrong = expand.Literal(&expand.Config{NoUnset: true}, each)
		words = append(words, word)
		return wrong == nil
	})
	return words, cmp.Or(err, wrong)
}

// optionsOf are the options of a command line; one without a value has a text of its own.
func optionsOf(words []string) map[string]string {
	options := map[string]string{}
	for i := 0; i < len(words); i++ {
		name, value, given := strings.Cut(words[i], "=")
		if !strings.HasPrefix(name, "--") {
			continue
		}
		if !given && i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
			i++
			value, given = words[i], true
		}
		if options[name] = value; !given {
			options[name] = "yes"
		}
	}
	return options
}
