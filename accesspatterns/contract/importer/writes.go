package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/sdk"
)

// write is one write of a command line.
type write struct {
	kind   string // put, update, delete or check, as in a contract
	table  *table
	entity *entity
	// place is the item of a put, and the key of every other write.
	place     ap.Item
	condition []term
	changes   []change
	update    sdk.Write // with the expression that the changes stand in
	role      string    // of the item that it puts, or that has what it edits
}

// change is what an update does to one path.
type change struct {
	expression.Change
	path []string
}

// sent is a write as the AWS CLI has it in JSON.
type sent struct {
	TableName, ConditionExpression, UpdateExpression, ReturnValuesOnConditionCheckFailure string
	Item, Key, ExpressionAttributeNames, ExpressionAttributeValues                        json.RawMessage
}

// strictly decodes JSON that has no other members.
func strictly(option, text string, into any) error {
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", option, err)
	}
	return nil
}

// writeLine reads a line that writes. It says why the contract cannot say it, or what
// is wrong with it.
func (d *draft) writeLine(p *pattern, operation string, options map[string]string) (because string, err error) {
	var all []string
	var elements []sent
	switch operation {
	case "transact-write-items":
		var items []map[string]sent
		if err := strictly("--transact-items", options["--transact-items"], &items); err != nil {
			return "", err
		}
		for _, item := range items {
			for name, element := range item {
				kind, known := map[string]string{"Put": "put", "Update": "update", "Delete": "delete", "ConditionCheck": "check"}[name]
				if !known || len(item) != 1 {
					return "", fmt.Errorf("--transact-items: expected one of Put, Update, Delete and ConditionCheck in each element, found %s", strings.Join(slices.Sorted(maps.Keys(item)), ", "))
				}
				all, elements = append(all, kind), append(elements, element)
			}
		}
		p.transact = true
	case "batch-write-item":
		var tables map[string][]map[string]sent
		if err := strictly("--request-items", options["--request-items"], &tables); err != nil {
			return "", err
		}
		for _, name := range slices.Sorted(maps.Keys(tables)) {
			for _, item := range tables[name] {
				for request, element := range item {
					kind, known := map[string]string{"PutRequest": "put", "DeleteRequest": "delete"}[request]
					if !known || len(item) != 1 {
						return "", fmt.Errorf("--request-items: expected one of PutRequest and DeleteRequest in each element, found %s", strings.Join(slices.Sorted(maps.Keys(item)), ", "))
					}
					element.TableName = name
					all, elements = append(all, kind), append(elements, element)
				}
			}
		}
		p.batch = true
	default:
		raw := func(option string) json.RawMessage { return json.RawMessage(options[option]) }
		all = []string{strings.TrimSuffix(operation, "-item")}
		elements = []sent{{
			TableName: options["--table-name"], ConditionExpression: options["--condition-expression"], UpdateExpression: options["--update-expression"],
			Item: raw("--item"), Key: raw("--key"), ExpressionAttributeNames: raw("--expression-attribute-names"), ExpressionAttributeValues: raw("--expression-attribute-values"),
		}}
	}
	if len(all) == 0 {
		return "", errors.New("expected a write, found none")
	}
	if p.transact && len(all) == 1 {
		return "it is a transaction of one write, which a contract says as the write alone", nil
	}
	keys := map[string]bool{}
	for i, kind := range all {
		w, because, err := d.oneWrite(kind, elements[i])
		if because != "" || err != nil {
			return because, err
		}
		key := w.table.id
		for _, attribute := range w.table.keys() {
			key += "\n" + ap.ScalarText(w.place[attribute])
		}
		if keys[key] {
			return "", errors.New("expected each item once, found one that is written twice, which DynamoDB refuses")
		}
		keys[key] = true
		p.writes = append(p.writes, w)
	}
	p.table = p.writes[0].table
	return d.writeStep(p), nil
}

// oneWrite reads a write.
func (d *draft) oneWrite(kind string, from sent) (w *write, because string, err error) {
	t := d.known(from.TableName)
	if t == nil {
		return nil, "", fmt.Errorf("expected a table of this file, found %q", from.TableName)
	}
	w = &write{kind: kind, table: t}
	option, text := "--key", from.Key
	if kind == "put" {
		option, text = "--item", from.Item
	}
	if w.place, err = attributevalue.UnmarshalMapJSON(text); err != nil {
		return nil, "", fmt.Errorf("%s: %w", option, err)
	}
	for _, attribute := range t.keys() {
		switch value := w.place[attribute]; {
		case value == nil:
			return nil, "", fmt.Errorf("expected key attribute %s of table %s in %s, found none", attribute, t.id, option)
		case string(ap.TypeOf(value)) != t.typeOf(attribute):
			return nil, "", fmt.Errorf("expected key attribute %s of type %s in %s, found %s", attribute, t.typeOf(attribute), option, ap.TypeOf(value))
		case ap.ScalarText(value) == "":
			return nil, "the value of " + attribute + " is neither a String nor a Number", nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.place)) {
		if kind != "put" && !slices.Contains(t.keys(), name) {
			return nil, "", fmt.Errorf("expected the key of table %s in %s, found %s as well", t.id, option, name)
		}
	}
	source, err := sourceOf(string(from.ExpressionAttributeNames), string(from.ExpressionAttributeValues))
	if err != nil {
		return nil, "", err
	}
	if from.ConditionExpression != "" {
		if w.condition, because, err = d.condition("condition expression", from.ConditionExpression, source); because != "" || err != nil {
			return nil, because, err
		}
	}
	if kind == "check" && w.condition == nil {
		return nil, "", errors.New("expected a ConditionExpression in a ConditionCheck, found none")
	}
	if kind == "update" {
		w.update = sdk.Write{Kind: ap.Update, Update: &from.UpdateExpression, Names: source.Names, Values: source.Values}
		changes, err := expression.ParseUpdate(from.UpdateExpression, source)
		if err != nil {
			because, err := tooLong("update expression", err)
			return nil, because, err
		}
		for _, each := range changes {
			path, _ := source.Split(each.Path) // the parser has read it
			if slices.Contains(t.keys(), path[0]) {
				return nil, "", fmt.Errorf("update expression: expected no key attribute, found %s, which DynamoDB never changes", path[0])
			}
			w.changes = append(w.changes, change{each, path})
		}
	}
	if w.entity = d.entityOf(t, w.place); w.entity == nil {
		return nil, "no item of the source has a key of its form, so it is of no entity that the contract knows", nil
	}
	if kind == "put" {
		return w, w.entity.admits(w.place), nil
	}
	for _, each := range w.changes {
		if because := w.entity.changed(each); because != "" {
			return nil, because, nil
		}
	}
	return w, "", nil
}

// changed takes a change of an item of the entity: what is removed need not be there. It
// says what of it the entity does not know.
func (e *entity) changed(by change) (because string) {
	name, _, _ := strings.Cut(by.path[0], "[")
	removed := by.Clause == expression.Remove && len(by.path) == 1 && name == by.path[0]
	for _, a := range e.all() {
		if a.name == name {
			a.optional = a.optional || removed
			return ""
		}
	}
	return fmt.Sprintf("it changes %s, which no %s of the source's items has", name, e.id)
}

// keys are the attributes of the key.
func (k *key) keys() []string {
	if k.sort == "" {
		return []string{k.partition}
	}
	return []string{k.partition, k.sort}
}

// entityOf is the entity whose templates a key has; that with the most literal text
// where several do.
func (d *draft) entityOf(t *table, place ap.Item) (found *entity) {
	most := -1
	for _, e := range d.entities {
		fits, literal := e.table == t.id, 0
		for _, k := range e.primary(t) {
			_, err := ap.KeyTemplate(k.template).Parse(ap.ScalarText(place[k.name]))
			fits = fits && err == nil
			literal += len(placeholder.ReplaceAllString(k.template, ""))
		}
		if fits && literal > most {
			found, most = e, literal
		}
	}
	return found
}

// admits takes an item that is put for one of the entity: what it lacks need not be
// there. It says what in it the entity does not know.
func (e *entity) admits(item ap.Item) (because string) {
	all := e.all()
	for _, name := range slices.Sorted(maps.Keys(item)) {
		at := slices.IndexFunc(all, func(a *attribute) bool { return a.name == name })
		if at < 0 {
			return fmt.Sprintf("it puts %s, which no item of the source has beside the key of %s", name, e.id)
		}
		if kind := all[at].kind; kind != "" && kind != string(ap.TypeOf(item[name])) {
			return fmt.Sprintf("it puts %s of type %s, and the source's items have type %s", name, ap.TypeOf(item[name]), kind)
		}
	}
	for _, a := range all {
		a.optional = a.optional || item[a.name] == nil
	}
	return ""
}

// kindOf is the type that the contract gives to an attribute; empty for none, or several.
func (d *draft) kindOf(t *table, e *entity, path []string) string {
	if len(path) != 1 || strings.Contains(path[0], "[") {
		return ""
	}
	if kind := t.typeOf(path[0]); kind != "" {
		return kind
	}
	found := ""
	for _, other := range d.entities {
		for _, a := range other.attributes {
			switch {
			case other.table != t.id || a.name != path[0] || a.kind == "":
			case other == e:
				return a.kind
			case found != "" && found != a.kind:
				return ""
			default:
				found = a.kind
			}
		}
	}
	return found
}

// pathSaid is a path in a contract's words; false where these have none.
func pathSaid(path []string) (string, bool) {
	for _, segment := range path {
		if quotedName(segment) != segment && len(path) > 1 {
			return "", false
		}
	}
	return quotedName(strings.Join(path, ".")), true
}

// valueSaid is a value in a contract's words: a parameter that has it in this case.
// because says why there are none.
func (d *draft) valueSaid(p *pattern, value types.AttributeValue, name, kind, of string) (said expression.Operand, because string) {
	text, is := ap.ScalarText(value), string(ap.TypeOf(value))
	if set, isSet := value.(*types.AttributeValueMemberSS); isSet && len(set.Value) == 1 {
		text = set.Value[0]
	}
	switch {
	case is == "BOOL" && kind == is:
		return expression.Operand{Text: fmt.Sprint(value.(*types.AttributeValueMemberBOOL).Value)}, ""
	case is == "S" && text == "":
		return expression.Operand{Quoted: true}, ""
	case is == "S" && kind != is, is == "S" && kind == "":
		return expression.Operand{Text: "{" + p.bind(name, text) + "}", Quoted: true}, ""
	case text != "" && kind == is:
		return expression.Operand{Text: "{" + p.bind(name, text) + "}"}, ""
	case text == "" && is != "BOOL":
		return said, fmt.Sprintf("%s is compared with or set to a value of type %s, and a contract's expressions have Strings, Numbers, Booleans and sets of one String", of, is)
	case kind == "":
		return said, fmt.Sprintf("no item of the source says which one type %s has", of)
	}
	return said, fmt.Sprintf("%s is of type %s here, and of type %s in the source's items", of, is, kind)
}

// said writes a filter or condition in a contract's words.
func (d *draft) said(p *pattern, t *table, e *entity, all []term) (text, because string) {
	var written []expression.Term
	for _, each := range all {
		path, sayable := pathSaid(each.path)
		if !sayable {
			return "", "a contract has no name for the path " + strings.Join(each.path, ".")
		}
		of := expression.Term{Path: path, Op: each.op, Group: each.group}
		_, size, op := each.op.Parts()
		for i, from := range []operand{each.low, each.high} {
			into := []*expression.Operand{&of.Low, &of.High}[i]
			switch kind := d.kindOf(t, e, each.path); {
			case from.path != nil:
				name := strings.Join(from.path, ".")
				if strings.Contains(name, `"`) {
					return "", "a contract has no name for the path " + name
				}
				into.Path = `"` + name + `"`
			case from.value == nil:
			case op == expression.IsType:
				*into = expression.Operand{Text: ap.ScalarText(from.value), Quoted: true}
			default:
				switch {
				case size:
					kind = "N"
				case op == expression.Contains && kind == "NS":
					kind = "N"
				case op == expression.Contains:
					kind = "S"
				}
				if *into, because = d.valueSaid(p, from.value, from.name, kind, path); because != "" {
					return "", because
				}
			}
		}
		written = append(written, of)
	}
	return expression.Print(written), ""
}

// writeStep writes the step of a pattern that writes.
func (d *draft) writeStep(p *pattern) (because string) {
	p.puts()
	var all []string
	roles := map[string]bool{}
	for _, w := range p.writes {
		head := w.kind + ": " + quote(w.entity.id)
		base := w.entity.id
		if w.kind != "put" {
			head += w.keySaid(p)
			base = "edited-" + base
		}
		plays := w.kind == "put"
		if w.kind == "update" {
			do, edits, because := d.updateSaid(p, w)
			if because != "" {
				return because
			}
			if do != "" {
				head += ", do: " + quote(do)
			}
			if plays = len(edits) > 0; plays {
				head += ", edits: [" + quoted(edits) + "]"
			}
		}
		if plays {
			w.role = unique(base, func(role string) bool { return roles[role] })
			if roles[w.role] = true; w.role != w.entity.id {
				head += ", as: " + quote(w.role)
			}
		}
		if w.condition != nil {
			text, because := d.said(p, w.table, w.entity, w.condition)
			if because != "" {
				return because
			}
			head += ", if: " + quote(text)
		}
		all = append(all, "{"+head+"}")
	}
	switch {
	case p.transact:
		p.step = "{transact: [" + strings.Join(all, ", ") + "]}"
	case p.batch && len(all) == 1:
		p.step = strings.TrimSuffix(all[0], "}") + fmt.Sprintf(", batch: %d}", sdk.MaxBatch)
	case p.batch:
		p.step = "{writes: [" + strings.Join(all, ", ") + fmt.Sprintf("], batch: %d}", sdk.MaxBatch)
	default:
		p.step = all[0]
	}
	return ""
}

// puts notes the parameters of the keys that a transaction puts, which are those of the
// entities' templates, so that the key of no other write has another value of them.
func (p *pattern) puts() {
	p.put = map[string]string{}
	for _, w := range p.writes {
		if w.kind != "put" || !p.transact {
			continue
		}
		for name, value := range w.parameters() {
			if known, taken := p.put[name]; taken && known != value {
				value = "" // several, of which no key has one
			}
			p.put[name] = value
		}
	}
}

// parameters are those of the primary key.
func (w *write) parameters() map[string]string {
	all := map[string]string{}
	for _, k := range w.entity.primary(w.table) {
		values, _ := ap.KeyTemplate(k.template).Parse(ap.ScalarText(w.place[k.name])) // entityOf has
		maps.Copy(all, values)
	}
	return all
}

// keySaid binds the parameters of the entity's key, and writes the key itself where
// these have other values already.
func (w *write) keySaid(p *pattern) string {
	var parts []string
	same := true
	for _, k := range w.entity.primary(w.table) {
		template := k.template
		values, _ := ap.KeyTemplate(template).Parse(ap.ScalarText(w.place[k.name])) // entityOf has
		for name, value := range values {
			bound := p.bind(name, value)
			same = same && bound == name
			template = strings.ReplaceAll(template, "{"+name+"}", "{"+bound+"}")
		}
		parts = append(parts, quote(k.name)+": "+quote(template))
	}
	if same {
		return ""
	}
	return ", key: {" + strings.Join(parts, ", ") + "}"
}

// updateSaid writes an update in a contract's words. What it sets to a value that these
// do not have it edits.
func (d *draft) updateSaid(p *pattern, w *write) (do string, edits []string, because string) {
	var all []expression.Change
	for _, each := range w.changes {
		path, sayable := pathSaid(each.path)
		if !sayable {
			return "", nil, "a contract has no name for the path " + strings.Join(each.path, ".")
		}
		into := each.Change
		into.Path = path
		kind := d.kindOf(w.table, w.entity, each.path)
		switch {
		case each.Computed != "":
			return "", nil, fmt.Sprintf("it sets %s to %s, and a contract adds to the attribute itself, takes from it, or keeps it", path, each.Computed)
		case each.Clause == expression.Remove:
		case (each.Clause == expression.Add || each.Clause == expression.Delete) && ap.TypeOf(each.Value.Value) != ap.StringSet:
			return "", nil, fmt.Sprintf("it has %s %s of type %s, and a contract adds and deletes one member of a String Set; a Number is added by SET %s = %s + value", each.Clause, path, ap.TypeOf(each.Value.Value), path, path)
		default:
			if each.Clause != expression.Set {
				kind = "SS"
			}
			value, why := d.valueSaid(p, each.Value.Value, strings.TrimPrefix(each.Value.Text, ":"), kind, path)
			if why != "" {
				known := slices.ContainsFunc(w.entity.attributes, func(a attribute) bool { return a.name == each.path[0] })
				if !known || len(each.path) > 1 || strings.Contains(each.path[0], "[") || each.Sign != "" || each.Keeps || each.Clause != expression.Set {
					return "", nil, why
				}
				edits = append(edits, each.path[0])
				continue
			}
			into.Value = value
		}
		all = append(all, into)
	}
	return expression.PrintUpdate(all), edits, ""
}

// after is what a write makes of an item, nil for none.
func (w *write) after(before ap.Item) (ap.Item, error) {
	switch w.kind {
	case "put":
		return w.place, nil
	case "delete":
		return nil, nil
	case "check":
		return before, nil
	}
	update := w.update
	update.Key = w.place
	return evaluate.Update(&update, before)
}

// loaded is the source's item at the key of a write; nil where there is none.
func (d *draft) loaded(t *table, place ap.Item) *sample {
	for _, s := range d.samples {
		if s.table == t && !slices.ContainsFunc(t.keys(), func(name string) bool { return !ap.Equal(s.values()[name], place[name]) }) {
			return s
		}
	}
	return nil
}

// held adds an item that a write must leave, or puts, under a name of its own.
func (d *draft) held(name string, w *write, item ap.Item) string {
	name = unique(name, func(name string) bool {
		return slices.ContainsFunc(slices.Concat(d.samples, d.parts), func(s *sample) bool { return s.Name == name })
	})
	s := &sample{Name: name, Entity: w.entity.id, Source: "own", Held: true, Item: map[string]any{}, table: w.table}
	if text, err := attributevalue.MarshalMapJSON(item); err == nil {
		_ = json.Unmarshal(text, &s.Item) // just written
	}
	d.parts = append(d.parts, s)
	return name
}

// written are the cases of a pattern that writes: one that succeeds and, where there
// are conditions, one that is refused. Where the source's items do not show that it
// writes it says so.
func (d *draft) written(p *pattern) (cases []tried, because string) {
	for _, refused := range []bool{false, true} {
		for _, places := range d.places(p, refused) {
			if c, tries := d.writtenAt(p, places, refused); tries {
				cases = append(cases, c)
				break
			}
		}
		if len(cases) == 0 {
			return nil, "the source's items do not try it, for it is refused or changes none of them; transcribe it, with items that it changes"
		}
	}
	return cases, ""
}

// places are the keys and items to try a pattern with: those of its line, then free
// keys in place of taken ones, and for a single write the keys of the other items of
// its entity.
func (d *draft) places(p *pattern, refused bool) (all [][]ap.Item) {
	var own, free []ap.Item
	for _, w := range p.writes {
		own = append(own, w.place)
		moved := maps.Clone(w.place)
		if w.kind == "put" || len(p.writes) == 1 {
			last := w.table.keys()[len(w.table.keys())-1]
			if text, is := moved[last].(*types.AttributeValueMemberS); is && (d.loaded(w.table, w.place) != nil || refused) {
				moved[last] = &types.AttributeValueMemberS{Value: text.Value + "-new"}
			}
		}
		free = append(free, moved)
	}
	all = append(all, own)
	if w := p.writes[0]; len(p.writes) == 1 && (refused || w.kind != "put") {
		for _, s := range d.samples {
			if s.table == w.table && s.Entity == w.entity.id {
				moved := maps.Clone(w.place)
				for _, attribute := range w.table.keys() {
					moved[attribute] = s.values()[attribute]
				}
				all = append(all, []ap.Item{moved})
			}
		}
	}
	return append(all, free)
}

// writtenAt is the case of a pattern with these keys and items; false where it does not
// show what is asked.
func (d *draft) writtenAt(p *pattern, places []ap.Item, refused bool) (c tried, tries bool) {
	name := map[bool]string{false: "", true: "refused"}[refused]
	c = tried{Pattern: p.id, Name: name, Params: maps.Clone(p.params), Items: map[string]string{}}
	type result struct {
		w             *write
		before        *sample
		after, stored ap.Item
	}
	var results []result
	fails, changes := false, false
	for i, from := range p.writes {
		w := *from
		w.place = places[i]
		if e := d.entityOf(w.table, w.place); e != from.entity {
			return c, false
		}
		of := result{w: &w, before: d.loaded(w.table, w.place)}
		if of.before != nil {
			of.stored = of.before.values()
		}
		reason := "None"
		if !holds(w.condition, of.stored) {
			fails, reason = true, "ConditionalCheckFailed"
		}
		c.Reasons = append(c.Reasons, reason)
		after, err := w.after(of.stored)
		if err != nil || w.kind == "update" && of.before == nil && !refused {
			return c, false
		}
		of.after = after
		changes = changes || !ap.EqualItems(after, of.stored)
		results = append(results, of)
	}
	if fails != refused || !changes {
		return c, false
	}
	for _, of := range results {
		for name, value := range of.w.parameters() {
			switch known, given := c.Params[name]; {
			case len(p.writes) == 1 && of.w.kind != "put": // the key's parameters have other values elsewhere
				c.Params[name] = value
			case p.transact && of.w.kind == "put" && given && known != value:
				return c, false
			}
		}
	}
	for _, of := range results {
		after := ""
		switch {
		case of.after == nil || of.w.kind == "check":
		case of.before != nil && ap.EqualItems(of.after, of.stored):
			after = of.before.Name
		case of.w.role != "" || !refused || of.before == nil:
			after = d.held(strings.TrimSuffix(p.id+"-"+name, "-")+"-"+of.w.entity.id, of.w, of.after)
		}
		if of.w.role != "" {
			c.Items[of.w.role] = after
		}
		switch {
		case of.w.kind == "check":
		case refused && of.before != nil:
			c.Present = append(c.Present, of.before.Name)
		case refused && after != "":
			c.Absent = append(c.Absent, after)
		case refused:
		case of.after == nil && of.before != nil:
			c.Absent = append(c.Absent, of.before.Name)
		case of.after != nil:
			c.Present = append(c.Present, after)
		}
	}
	switch {
	case !refused:
		c.Reasons = nil
	case p.transact:
		c.Error = "TransactionCanceledException"
	default:
		c.Error, c.Reasons = "ConditionalCheckFailedException", nil
	}
	return c, true
}
