package importer

import (
	"cmp"
	"encoding/json"
	"errors"
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
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
)

// command is a line of the AWS CLI that becomes a pattern.
type command struct {
	d       *draft
	p       *pattern
	options map[string]string
	source  expression.Source
	params  ap.Params
	// put are the parameters of the keys of items that a transaction puts, and apart those that items of several entities have with
	// several values.
	put   ap.Params
	apart map[string]bool
	// asked says that the source names the parameters, so that every value is one.
	asked bool
}

// commandLine reads an access pattern of a data model: an AWS CLI line, which is parsed
// and never executed.
func (d *draft) commandLine(node *yaml.Node) {
	title := d.text(node, "description")
	if title == nil {
		return
	}
	d.listed++
	what, at := title.Value, d.cite(title)
	if number := get(node, "pattern"); number != nil {
		at = at.Join(d.cite(number))
		what = "access pattern " + number.Value + ", " + what
	}
	if get(node, "implementation") == nil { // as AWS's guide has it of what DynamoDB does not do
		d.cannot(title, title.Value, "the model has no implementation of it%s", strings.TrimSuffix(": "+textOf(node, "reason"), ": "))
		return
	}
	line := d.text(node, "implementation")
	if line == nil {
		return
	}
	words, err := shellWords(line.Value)
	if err == nil {
		err = errors.New(strings.Join(words[:min(len(words), 2)], " "))
	} else {
		words = nil
	}
	if len(words) < 3 || words[0] != "aws" || words[1] != "dynamodb" {
		if strings.HasPrefix(line.Value, "aws ") {
			d.report(line, "%s: expected one line of the AWS CLI for DynamoDB, found %v", what, err)
		} else {
			d.cannot(title, title.Value, "no line of the AWS CLI for DynamoDB implements it")
		}
		return
	}
	c := &command{d: d, options: optionsOf(words[3:]), params: ap.Params{}}
	c.p = newPattern(title, at)
	err = c.read(words[2], what)
	cannot := unsayable(err)
	if wrong := c.beside(node, words[2]); wrong != nil && (err == nil || cannot) {
		err, cannot = wrong, false
	}
	d.unread("access patterns: ", node, nil)
	switch {
	case cannot:
		d.cannot(title, title.Value, "%v", err)
	case err != nil:
		d.report(line, "%s: %v", what, err)
	default:
		c.p.ID, c.p.tries = d.newID(title.Value), []ap.Params{c.params}
		d.patterns = append(d.patterns, c.p)
	}
}

// unsayableError is why a contract cannot say an access pattern. Every other error is a mistake of the source.
type unsayableError string

func (e unsayableError) Error() string { return string(e) }

func cannotSay(format string, args ...any) error { return unsayableError(fmt.Sprintf(format, args...)) }

func unsayable(err error) bool { return errors.As(err, new(unsayableError)) }

// beside refuses a table, an index or an operation of the source beside which the line has another.
func (c *command) beside(node *yaml.Node, operation string) error {
	beside := func(name string) string {
		if _, value := member(node, name); value != nil {
			return value.Value
		}
		return ""
	}
	table, index, sent := c.d.named(cmp.Or(beside("table"), c.options["--table-name"])), beside("index"), strings.ToLower(beside("dynamodb_operation"))
	of := c.options["--table-name"]
	if of == "" && strings.Contains(c.options["--request-items"]+c.options["--transact-items"], strconv.Quote(beside("table"))) {
		of = beside("table") // one of several
	}
	for _, row := range []struct {
		what, found, expected string
		known                 bool
	}{
		{"table", beside("table"), of, table != nil},
		{"index", index, cmp.Or(c.options["--index-name"], "none"), table != nil && table.indexed(index)},
		{"dynamodb_operation", sent, strings.ReplaceAll(operation, "-", ""), slices.ContainsFunc(slices.Collect(maps.Keys(known().Options)), func(other string) bool {
			return strings.ReplaceAll(other, "-", "") == sent
		})},
	} {
		if row.known && row.expected != "" && get(node, row.what) != nil && row.found != row.expected {
			return fmt.Errorf("%s: expected that of the line, %s, found %s", row.what, row.expected, row.found)
		}
	}
	return nil
}

func (c *command) read(operation, what string) (err error) {
	for name, value := range c.options {
		if json.Valid([]byte(value)) {
			if twice := input.Twice([]byte(value)); twice != "" {
				return fmt.Errorf("%s: %s stands twice; keep one", name, twice)
			}
		}
	}
	of := known()
	said, is := of.Options[operation]
	if !is {
		return cannotSay("it is sent by %s; expected one of %s", operation, strings.Join(slices.Sorted(maps.Keys(of.Options)), ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(c.options)) {
		switch value := c.options[name]; {
		case strings.HasPrefix(value, "file://") || strings.HasPrefix(value, "fileb://"):
			return cannotSay("%s stands in another file, %s", name, value)
		case slices.Contains(strings.Fields(said+" "+of.Empty), name):
		case name == "--select" && value == map[bool]string{true: "SPECIFIC_ATTRIBUTES", false: map[bool]string{true: "ALL_PROJECTED_ATTRIBUTES", false: "ALL_ATTRIBUTES"}[c.options["--index-name"] != ""]}[c.options["--projection-expression"] != ""]: // as without it
		case slices.Contains(strings.Fields(of.Noted), name):
			c.d.note(c.p.node, "%s: %s was left out, for a contract says nothing of it", what, name)
		default:
			return cannotSay("its line has %s, which no contract says", strings.TrimSpace(name+" "+strings.TrimPrefix(value, "yes")))
		}
	}
	c.refused(what)
	if operation == "batch-get-item" {
		return cannotSay("it is a BatchGetItem of these keys; write the pattern as a get with together: BatchGetItem, and for-each over the step that gives its keys")
	}
	if !slices.Contains([]string{"get-item", "query", "scan"}, operation) {
		return c.writeLine(operation)
	}
	t := c.d.named(c.options["--table-name"])
	if t == nil {
		return fmt.Errorf("expected a table of this file, found %q", c.options["--table-name"])
	}
	if c.source, err = sourceOf(c.options["--expression-attribute-names"], c.options["--expression-attribute-values"]); err != nil {
		return err
	}
	return c.readLine(t, operation)
}

var placeholder = regexp.MustCompile(`[#:]\w+`)

// refused notes what DynamoDB refuses in a line, and a contract sends otherwise.
func (c *command) refused(what string) {
	var used []string
	for _, name := range slices.Sorted(maps.Keys(c.options)) {
		if strings.HasSuffix(name, "-expression") {
			used = append(used, placeholder.FindAllString(c.options[name], -1)...)
			if word := expression.ReservedWord(c.options[name]); word != "" {
				c.d.note(c.p.node, "%s: DynamoDB refuses its line, for %s is a reserved word; the contract sends a placeholder for it", what, word)
			}
		}
	}
	of, _ := sourceOf(c.options["--expression-attribute-names"], c.options["--expression-attribute-values"]) // what is wrong with them is told elsewhere
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(of.Names)), slices.Sorted(maps.Keys(of.Values))) {
		if !slices.Contains(used, name) {
			c.d.note(c.p.node, "%s: DynamoDB refuses its line, for no expression has %s; the contract leaves it out", what, name)
		}
	}
}

// sourceOf resolves the names and values of an expression.
func sourceOf(names, values string) (source expression.Source, err error) {
	source.Names = map[string]string{}
	switch {
	case names == "":
	case strings.HasPrefix(strings.TrimSpace(names), "{"):
		if err := input.Exactly([]byte(names), &source.Names); err != nil {
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

func (c *command) readLine(t *table, operation string) (err error) {
	table, _ := c.d.design.Table(t.id)
	index := c.options["--index-name"]
	keys, known := table.KeysOf(index)
	if !known {
		return fmt.Errorf("expected an index of table %s, found no index %s", t.id, index)
	}
	of := file.Read{Key: file.Pairs{}}
	on := t.id
	if index != "" {
		on += "/" + index
	}
	switch operation {
	case "get-item":
		from := sent{kind: "get", TableName: string(t.Name), Key: json.RawMessage(c.options["--key"])}
		if err := c.place(&from); err != nil {
			return err
		}
		of.Get = on
		for i, part := range keys {
			of.Key = append(of.Key, file.Pair{Name: part.Attribute, Value: c.template(from.place[part.Attribute], part.Attribute, i > 0)})
		}
	case "query":
		of.Query = on
		if found, _ := table.Index(index); found != nil && found.Composite() {
			return cannotSay("its index %s has a key of several attributes, which a contract compares with what is deployed and cannot read", index)
		}
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
		if of.Filter, err = c.condition("--filter-expression", text, &sent{table: table}, c.source, of.Where != ""); err != nil {
			return err
		}
		if c.options["--max-items"] != "" {
			return cannotSay("--max-items counts what is left of the filter, which is the command line's own doing, and no request's")
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
				return cannotSay("it projects %s, which is within an attribute; transcribe it with the items that come back", path)
			}
			of.Projection = append(of.Projection, name)
		}
	}
	if operation == "scan" {
		step := "{scan: " + on
		if of.Filter != "" {
			step += ", filter: '" + strings.ReplaceAll(of.Filter, "'", "''") + "'"
		}
		return cannotSay("it is a Scan, which needs a waiver: write the pattern with the step %s}, a waiver that somebody owns, and the items that it returns", step)
	}
	c.p.Steps = []file.Step{{Read: of}}
	return nil
}

// keyCondition reads the key condition of a query. The constant part of a value stands in the request, and the rest is a parameter.
func (c *command) keyCondition(of *file.Read, keys ap.Keys) error {
	var parsed expression.Conjunction
	if err := expression.ParseKeyCondition(c.options["--key-condition-expression"], c.source, &parsed); err != nil {
		return fmt.Errorf("--key-condition-expression: %w", err)
	}
	var said []expression.Term
	whole := false
	for _, term := range parsed.All() {
		path, _ := c.source.Split(term.Path)
		name := strings.Join(path, ".")
		at := slices.IndexFunc(keys, func(k ap.Key) bool { return k.Attribute == name })
		if at < 0 {
			return fmt.Errorf("expected a condition on %s, found one on %s", strings.Join(keys.Names(), " and "), name)
		}
		if term.Low.Value == nil || dynamo.ScalarText(term.Low.Value) == "" {
			return cannotSay("the value of %s is neither a String nor a Number", name)
		}
		if given := dynamo.TypeOf(term.Low.Value); given != keys[at].Type {
			return fmt.Errorf("expected a value of type %s for key attribute %s, found type %s", keys[at].Type, name, given)
		}
		whole = whole || at == 0 && term.Op == expression.Equal
		one := expression.Term{Path: pathSaid(path...), Op: term.Op, Low: expression.Operand{Text: c.template(term.Low.Value, strings.TrimPrefix(term.Low.Text, ":"), at > 0)}}
		if term.Op == expression.Between {
			one.High.Text = c.template(term.High.Value, strings.TrimPrefix(term.Low.Text, ":")+"_to", at > 0)
		}
		said = append(said, one)
	}
	if !whole {
		return fmt.Errorf("expected an equality on the partition key %s, found none", keys[0].Attribute)
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
	name = unique(parameterOf(name), "_", func(name string) bool {
		known, taken := c.params[name]
		if put, is := c.put[name]; is && !taken {
			known, taken = put, true
		}
		return taken && known != value
	})
	c.params[name] = value
	return name
}

// condition reads a filter or the condition of a write, and writes it in a contract's words.
func (c *command) condition(option, text string, of *sent, source expression.Source, noKeys bool) (said string, err error) {
	var parsed expression.Conjunction
	if err := expression.ParseCondition(text, source, &parsed); err != nil {
		return "", tooLong(option, err)
	}
	var written []expression.Term
	for _, term := range parsed.All() {
		path, _ := source.Split(term.Path)
		if isKey := of.table.Keys().Has(path[0]); isKey && noKeys {
			return "", fmt.Errorf("%s: expected attributes that are no key, found %s; a condition on a key belongs into --key-condition-expression", option, path[0])
		}
		one := expression.Term{Path: pathSaid(path...), Op: term.Op, Group: term.Group}
		_, size, op := term.Op.Parts()
		if one.Path == "" {
			return "", cannotSay("a contract has no name for the path %s", strings.Join(path, "."))
		}
		for i, from := range []expression.Operand{term.Low, term.High} {
			into := []*expression.Operand{&one.Low, &one.High}[i]
			kind := c.d.kindOf(of, path)
			switch {
			case from.Path != "":
				other, _ := source.Split(from.Path)
				name := strings.Join(other, ".")
				if strings.Contains(name, `"`) {
					return "", cannotSay("a contract has no name for the path %s", name)
				}
				into.Path = `"` + name + `"`
			case from.Value == nil:
			case op == expression.IsType:
				*into = expression.Operand{Text: dynamo.ScalarText(from.Value), Quoted: true}
			default:
				switch {
				case size:
					kind = dynamo.Number
				case op == expression.Contains && kind == dynamo.NumberSet:
					kind = dynamo.Number
				case op == expression.Contains:
					kind = dynamo.String
				}
				if *into, err = c.value(from.Value, strings.TrimPrefix(from.Text, ":"), kind, one.Path); err != nil {
					return "", err
				}
			}
		}
		written = append(written, one)
	}
	return expression.Print(written), nil
}

// tooLong says that an expression has more terms than a contract's, if that is what is
// wrong with it.
func tooLong(option string, wrong error) error {
	if errors.Is(wrong, expression.ErrTerms) {
		return cannotSay("%s: a contract has %s", option, strings.TrimPrefix(wrong.Error(), "expected "))
	}
	return fmt.Errorf("%s: %w", option, wrong)
}

// kindOf is the type that the contract gives to an attribute; empty for none, or several.
func (d *draft) kindOf(of *sent, path []string) dynamo.Type {
	if len(path) != 1 || strings.Contains(path[0], "[") {
		return ""
	}
	if of.e != nil {
		if a, known := of.e.Attribute(path[0]); known && a.Type == "" {
			return "" // its items have several
		}
	}
	kind, _ := d.design.TypeOf(of.table, of.e, path[0])
	return kind
}

// bareName is a name that needs no quotes.
var bareName = regexp.MustCompile(`^[A-Za-z0-9_]*$`)

// pathSaid is a path in a contract's words; empty where these have none.
func pathSaid(path ...string) string {
	bare := !slices.ContainsFunc(path, func(name string) bool { return !bareName.MatchString(name) })
	switch {
	case len(path) > 1 && !bare:
		return ""
	case len(path) > 1 || !bare:
		return `"` + strings.Join(path, ".") + `"`
	}
	return path[0]
}

// value is a value in a contract's words: a parameter that has it in this line.
func (c *command) value(value types.AttributeValue, name string, kind dynamo.Type, of string) (said expression.Operand, err error) {
	text, is := anyText(value), dynamo.TypeOf(value)
	if length, _ := dynamo.Length(value); is == dynamo.List || is == dynamo.StringSet && length != 1 {
		text = ""
	}
	switch {
	case is == dynamo.Boolean && kind == is && !c.asked:
		return expression.Operand{Text: text}, nil
	case is == dynamo.String && text == "":
		return expression.Operand{Quoted: true}, nil
	case is == dynamo.String || text != "" && kind == is:
		return expression.Operand{Text: "{" + c.bind(name, text) + "}", Quoted: kind != is}, nil
	case text == "":
		return said, cannotSay("%s is compared with or set to a value of type %s, and a contract's expressions have Strings, Numbers, Booleans and sets of one String", of, is)
	case kind == "":
		return said, cannotSay("no item of the source says which one type %s has", of)
	}
	return said, cannotSay("%s is of type %s here, and of type %s in the source's items", of, is, kind)
}

// sent is a write as the AWS CLI has it in JSON.
type sent struct {
	TableName, ConditionExpression, UpdateExpression, ReturnValuesOnConditionCheckFailure string
	Item, Key, ExpressionAttributeNames, ExpressionAttributeValues                        json.RawMessage

	// kind is put, update, delete or check, and entity that of the item where the source says it.
	kind, entity string
	// table is its table, place the item of a put and the key of every other request, and e the entity of the item; nil where there is none.
	table *ap.Table
	place ap.Item
	e     *ap.Entity
}

// kinds of writes, as a contract names them, by the names of requests.
var (
	transacted = map[string]string{"Put": "put", "Update": "update", "Delete": "delete", "ConditionCheck": "check"}
	batched    = map[string]string{"PutRequest": "put", "DeleteRequest": "delete"}
)

// strictly decodes JSON that has no other members.
func strictly(option, text string, into any) error {
	if err := input.Strictly([]byte(text), into); err != nil {
		return fmt.Errorf("%s: %w", option, err)
	}
	return nil
}

// writesIn are the writes of a list of requests, each a name with what is sent.
func writesIn(option, table string, from []map[string]sent, kinds map[string]string) (all []sent, err error) {
	for _, element := range from {
		for name, each := range element {
			if each.kind = kinds[name]; each.kind == "" || len(element) != 1 {
				return nil, fmt.Errorf("%s: expected one of %s in each element, found %s", option, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "), strings.Join(slices.Sorted(maps.Keys(element)), ", "))
			}
			if table != "" {
				each.TableName = table
			}
			all = append(all, each)
		}
	}
	return all, nil
}

func (c *command) writeLine(operation string) (err error) {
	var all []sent
	switch operation {
	case "transact-write-items":
		var items []map[string]sent
		if err = strictly("--transact-items", c.options["--transact-items"], &items); err == nil {
			all, err = writesIn("--transact-items", "", items, transacted)
		}
	case "batch-write-item":
		var tables map[string][]map[string]sent
		err = strictly("--request-items", c.options["--request-items"], &tables)
		for _, name := range slices.Sorted(maps.Keys(tables)) {
			of, wrong := writesIn("--request-items", name, tables[name], batched)
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
		return err
	case len(all) == 0:
		return errors.New("expected a write, found none")
	}
	return c.writes(operation, all)
}

// writes makes the step of an operation that writes.
func (c *command) writes(operation string, all []sent) error {
	if len(all) == 1 && operation == "transact-write-items" {
		return cannotSay("it is a transaction of one write, which a contract says as the write alone")
	}
	c.p.writes = true
	var actions []file.Action
	keys := map[string]bool{}
	for from := range lists.Each(all) {
		if err := c.place(from); err != nil {
			return err
		}
		key := evaluate.KeyIn(from.table, from.place)
		if keys[key] {
			return errors.New("expected each item once, found one that is written twice, which DynamoDB refuses")
		}
		keys[key] = true
	}
	if operation == "transact-write-items" {
		c.puts(all)
	}
	for from := range lists.Each(all) {
		action, err := c.action(from)
		if err != nil {
			return err
		}
		actions = append(actions, action)
	}
	var step file.Step
	switch {
	case operation == "transact-write-items":
		step.Transact = actions
	case len(actions) > 1:
		step.Writes = actions
	default:
		step.Action = actions[0]
	}
	if operation == "batch-write-item" {
		step.Batch = sdk.MaxBatch
	}
	c.p.Steps = []file.Step{step}
	return nil
}

// place reads which item of which table a request is of.
func (c *command) place(from *sent) (err error) {
	t := c.d.named(from.TableName)
	if t == nil {
		return fmt.Errorf("expected a table of this file, found %q", from.TableName)
	}
	option, text := "--key", from.Key
	if from.kind == "put" {
		option, text = "--item", from.Item
	}
	if from.place, err = attributevalue.UnmarshalMapJSON(text); err != nil {
		return fmt.Errorf("%s: %w", option, err)
	}
	from.table, _ = c.d.design.Table(t.id)
	for _, part := range from.table.Keys() {
		switch value := from.place[part.Attribute]; {
		case value == nil:
			return fmt.Errorf("expected key attribute %s of table %s in %s, found none", part.Attribute, t.id, option)
		case dynamo.TypeOf(value) != part.Type:
			return fmt.Errorf("expected key attribute %s of type %s in %s, found %s", part.Attribute, part.Type, option, dynamo.TypeOf(value))
		case dynamo.ScalarText(value) == "":
			return cannotSay("the value of %s is neither a String nor a Number", part.Attribute)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(from.place)) {
		if from.kind != "put" && !slices.Contains(t.keys(), name) {
			return fmt.Errorf("expected the key of table %s in %s, found %s as well", t.id, option, name)
		}
	}
	if from.kind == "check" && from.ConditionExpression == "" {
		return errors.New("expected a ConditionExpression in a ConditionCheck, found none")
	}
	var said bool
	if from.e, said = c.d.design.Entity(from.entity); !said {
		from.e = slices.Concat(c.d.design.EntitiesOf(t.id, from.place), []*ap.Entity{nil})[0]
	}
	return nil
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
func (c *command) puts(all []sent) {
	c.put, c.apart = ap.Params{}, map[string]bool{}
	first := map[string]*ap.Entity{}
	for _, from := range all {
		if from.kind != "put" || from.e == nil {
			continue
		}
		for name, value := range parameters(from.table, from.e, from.place) {
			known, taken := c.put[name]
			if first[name] = cmp.Or(first[name], from.e); taken && known != value {
				value = "" // several, of which no key has one
			}
			c.put[name], c.apart[name] = value, c.apart[name] || value == "" && first[name] != from.e
		}
	}
}

// action is one write in a contract's words.
func (c *command) action(from *sent) (a file.Action, err error) {
	source, err := sourceOf(string(from.ExpressionAttributeNames), string(from.ExpressionAttributeValues))
	if err != nil {
		return a, err
	}
	var changes []expression.Change
	if from.kind == "update" {
		if changes, err = expression.ParseUpdate(from.UpdateExpression, source); err != nil {
			return a, tooLong("update expression", err)
		}
		for _, each := range changes {
			if path, _ := source.Split(each.Path); from.table.Keys().Has(path[0]) {
				return a, fmt.Errorf("update expression: expected no key attribute, found %s, which DynamoDB never changes", path[0])
			}
		}
	}
	var unsaid error
	if from.ConditionExpression != "" { // read for its mistakes, whatever entity it is of
		said, err := c.condition("condition expression", from.ConditionExpression, from, source, false)
		if err != nil && !unsayable(err) {
			return a, err
		}
		a.If, unsaid = []string{said}, err
	}
	e := from.e
	if e == nil {
		return a, cannotSay("no item of the source has a key of its form, so it is of no entity that the contract knows")
	}
	*map[string]*string{"put": &a.Put, "update": &a.Update, "delete": &a.Delete, "check": &a.Check}[from.kind] = e.ID
	if from.kind == "put" {
		if err := c.d.admits(e.ID, from.place); err != nil {
			return a, err
		}
		c.p.puts[c.role(&a, e.ID, e.ID)] = from.place
		if slices.ContainsFunc(slices.Collect(maps.Keys(parameters(from.table, e, from.place))), func(name string) bool { return c.apart[name] }) {
			a.With = c.key(from)
		}
	} else {
		a.Key = c.key(from)
	}
	if from.kind == "update" {
		if a.Do, a.Edits, err = c.update(from, changes, source); err != nil {
			return a, err
		}
		if len(a.Edits) > 0 {
			edit := &sdk.Write{Kind: ap.Update, Key: from.place, Update: &from.UpdateExpression, Names: source.Names, Values: source.Values}
			c.p.edits[c.role(&a, e.ID, "edited-"+strings.ToLower(e.ID))] = edit
		}
	}
	return a, unsaid
}

// role names the role that the item of a write plays, which no other does. The id of its entity need not be said.
func (c *command) role(a *file.Action, entity, role string) string {
	role = unique(role, "-", func(role string) bool { return c.p.puts[role] != nil || c.p.edits[role] != nil })
	if role != entity {
		a.As = role
	}
	return role
}

// key binds the parameters of the entity's key, and is the key itself where these have other values already.
func (c *command) key(from *sent) (key file.Pairs) {
	same := true
	for _, part := range from.table.Keys() {
		k, _ := from.e.Key(part.Attribute)
		values, _ := k.Template.Parse(dynamo.ScalarText(from.place[k.Attribute])) // it is of the entity
		key = append(key, file.Pair{Name: k.Attribute, Value: k.Template.Replaced(func(name string) string {
			bound := c.bind(name, values[name])
			same = same && bound == name
			return "{" + bound + "}"
		})})
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
			return cannotSay("it puts %s, which no item of the source has beside the key of %s", name, entity)
		}
		nullable := slices.ContainsFunc(of.Attributes, func(a ap.Attribute) bool { return a.Name == name && a.Presence == ap.Nullable })
		if is := dynamo.TypeOf(item[name]); kind != "" && kind != is && (is != dynamo.Null || !nullable) {
			return cannotSay("it puts %s of type %s, and the source's items have type %s", name, is, kind)
		}
	}
	mayLack(of, func(name string) bool { return item[name] == nil })
	return nil
}

// mayLack says which of its attributes an item of an entity need not have.
func mayLack(of *ap.Entity, lacks func(name string) bool) {
	for a := range lists.Each(of.Attributes) {
		if lacks(a.Name) {
			a.Presence = cmp.Or(a.Presence, ap.Optional)
		}
	}
	for k := range lists.Each(of.Keys) {
		k.Optional = k.Optional || lacks(k.Attribute)
	}
}

// update is an update in a contract's words. What it sets to a value that these
// do not have it edits.
func (c *command) update(from *sent, changes []expression.Change, source expression.Source) (do string, edits []string, err error) {
	var all []expression.Change
	e := from.e
	of, _ := c.d.contract.Entity(e.ID)
	for _, each := range changes {
		path, _ := source.Split(each.Path)
		name, _, _ := strings.Cut(path[0], "[")
		if _, known := e.TypeOf(name); !known {
			return "", nil, cannotSay("it changes %s, which no %s of the source's items has", name, e.ID)
		}
		if each.Clause == expression.Remove && len(path) == 1 && name == path[0] {
			mayLack(of, func(other string) bool { return other == name }) // what is removed need not be there
		}
		into := each
		if into.Path = pathSaid(path...); into.Path == "" {
			return "", nil, cannotSay("a contract has no name for the path %s", strings.Join(path, "."))
		}
		kind := c.d.kindOf(from, path)
		switch {
		case each.Clause == expression.Set && joined(e, changes, source, name):
			edits = append(edits, name)
			continue
		case each.Computed != "":
			return "", nil, cannotSay("it sets %s to %s, and a contract adds to the attribute itself, takes from it, or keeps it", into.Path, each.Computed)
		case each.Clause == expression.Remove:
		case (each.Clause == expression.Add || each.Clause == expression.Delete) && dynamo.TypeOf(each.Value.Value) != dynamo.StringSet:
			return "", nil, cannotSay("it has %s %s of type %s, and a contract adds and deletes one member of a String Set; a Number is added by SET %s = %s + value", each.Clause, into.Path, dynamo.TypeOf(each.Value.Value), into.Path, into.Path)
		default:
			if each.Clause != expression.Set {
				kind = dynamo.StringSet
			}
			value, why := c.value(each.Value.Value, strings.TrimPrefix(each.Value.Text, ":"), kind, into.Path)
			if why != nil {
				_, attribute := e.Attribute(path[0])
				if !attribute || len(path) > 1 || each.Sign != "" || each.Keeps || each.Clause != expression.Set {
					return "", nil, why
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

// A word of a shell: texts in quotes, letters behind a backslash, and whatever else is no blank and nothing for the shell to run.
var (
	shellWord = regexp.MustCompile("(?s)^(?:(?:'[^']*'|\"(?:[^\"\\\\]|\\\\.)*\"|\\\\.|[^\\s'\"\\\\|;&<>`$])+|\\s+)")
	shellPart = regexp.MustCompile(`(?s)'[^']*'|"(?:[^"\\]|\\.)*"|\\.`)
	escaped   = regexp.MustCompile(`(?s)\\(.)`)
)

// shellWords cuts a command line into words as a shell does, without ever running it: quotes and backslashes are taken off, and nothing is
// expanded.
func shellWords(line string) (words []string, err error) {
	for rest := strings.ReplaceAll(line, "\\\n", ""); rest != ""; {
		word := shellWord.FindString(rest)
		switch {
		case word == "" && strings.ContainsAny(rest[:1], `'"`):
			return nil, errors.New("a quote that is not closed")
		case word == "":
			return nil, fmt.Errorf("%q, which is for a shell to run", rest[:1])
		case strings.TrimSpace(word) != "":
			words = append(words, shellPart.ReplaceAllStringFunc(word, func(part string) string {
				switch part[0] {
				case '\'':
					return part[1 : len(part)-1]
				case '"':
					part = part[1 : len(part)-1]
				}
				return escaped.ReplaceAllString(part, "$1")
			}))
		}
		rest = rest[len(word):]
	}
	return words, nil
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
