package contract

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/strict"
)

// builder makes a design of what the files say.
type builder struct {
	written *file.Contract
	design  *ap.Design
	// programs compile the rules and the formulas.
	programs []func() (cel.Program, error)
	// used are the names of reads, conditions and versions that something refers to.
	used     map[string]bool
	problems []error
}

func build(written *file.Contract) *builder {
	detach(reflect.ValueOf(&written).Elem())
	b := &builder{written: written, used: map[string]bool{}}
	b.design = &written.Design
	b.design.Policies.Roles = written.Roles
	b.needed()
	elements(b, "table", written.Tables)
	elements(b, "entity", written.Entities)
	elements(b, "example", written.Examples)
	elements(b, "role", written.Roles)
	elements(b, "waiver", written.Waivers)
	elements(b, "pattern", written.Patterns)
	elements(b, "invariant", written.Invariants)
	elements(b, "guardrail", written.Guardrails)
	elements(b, "finding", written.Findings)
	elements(b, "not-checkable", written.NotCheckable)
	elements(b, "read", written.Reads)
	elements(b, "condition", written.Conditions)
	elements(b, "versions", written.Versions)
	for i := range written.Tables {
		b.table(&written.Tables[i])
	}
	for i := range written.Entities {
		b.entity(&written.Entities[i])
	}
	for i := range written.Patterns {
		b.pattern(&written.Patterns[i])
	}
	used(b, "read", written.Reads)
	used(b, "condition", written.Conditions)
	used(b, "versions", written.Versions)
	b.policies()
	b.statements()
	b.design.SortByDocument()
	return b
}

// used reports names that nothing refers to: nobody would notice what is wrong with
// them.
func used[T any](b *builder, what string, all []T) {
	for _, entry := range named(all) {
		b.refuse(!b.used[what+" "+entry.Name], entry.At, "", "%s %s is used nowhere; remove it", what, entry.Name)
	}
}

// needed reports what every contract has in one of its files.
func (b *builder) needed() {
	for _, part := range []struct {
		name  string
		given bool
	}{
		{"design", b.design.Name != ""}, {"title", b.design.Title != ""}, {"document", b.design.Document.File != ""},
		{"tables", len(b.written.Tables) > 0},
	} {
		b.refuse(!part.given, b.written.At, "", "%s is missing in all files of this folder; add it to one", part.name)
	}
}

func (b *builder) table(from *file.Table) {
	table := from.Table
	table.Name = cmp.Or(table.Name, ap.NameTemplate(table.ID))
	table.PartitionKey, _, table.SortKey, _ = b.keys(table.Written, from.PartitionKey, from.SortKey, 1)
	for _, index := range from.Indexes {
		of := index.Index
		of.PartitionKey, of.MorePartition, of.SortKey, of.MoreSort = b.keys(of.Written, index.PartitionKey, index.SortKey, MaxKeyParts)
		table.Indexes = append(table.Indexes, of)
	}
	for _, index := range from.LocalIndexes {
		of := index.Index
		of.Local, of.PartitionKey = true, table.PartitionKey
		_, _, of.SortKey, _ = b.keys(of.Written, from.PartitionKey, index.SortKey, 1)
		if _, twice := table.Index(of.Name); twice {
			b.report(of.Written.OfName().Errorf("", "index %s of table %s stands twice; keep one", of.Name, table.ID))
		}
		table.Indexes = append(table.Indexes, of)
	}
	if billing := from.Billing; billing != nil {
		table.Billing, table.BillingCite, table.Units, table.Later = dynamo.Billing(billing.Mode), billing.Cite, billing.Units, billing.Later
		if table.Units != nil && table.Billing != dynamo.Provisioned {
			b.report(billing.Errorf("units", "units: expected them beside PROVISIONED, found %s; what the document offers for later stands in later", table.Billing))
		}
		if later := table.Later; later != nil && (table.Billing != dynamo.OnDemand || later.ReadUnits < 1 || later.WriteUnits < 1) {
			b.report(billing.Errorf("later", "later: expected at least one read and one write unit, in place of PAY_PER_REQUEST"))
		}
	}
	if from.Tags != nil {
		table.TagsCite = from.Tags.Cite
		table.Tags = map[string]ap.NameTemplate{}
		for _, tag := range from.Tags.Values {
			table.Tags[tag.Name] = ap.NameTemplate(tag.Value)
		}
	}
	b.design.Tables = append(b.design.Tables, table)
}

// MaxKeyParts is how many attributes each key of a global secondary index may have.
const MaxKeyParts = 4

// keys reads the attributes of a partition key, of which there is one at least, and of a sort key, of each at most so many.
func (b *builder) keys(at file.At, partition, sort file.Pairs, most int) (first ap.Key, more []ap.Key, sorted *ap.Key, moreSorted []ap.Key) {
	read := func(field string, from file.Pairs) (all []ap.Key) {
		switch {
		case len(from) > most && most == 1:
			b.report(at.Errorf(field, "%s: expected one attribute with its type, such as {PK: S}, found %d", field, len(from)))
		case len(from) > most:
			b.report(at.Errorf(field, "%s: expected at most %d attributes, found %d", field, most, len(from)))
		}
		for _, key := range from {
			if !slices.Contains([]string{"S", "N", "B"}, key.Value) {
				b.report(key.Errorf("", "%s: expected the type S, N or B of key attribute %s, found %s", field, key.Name, key.Value))
			}
			all = append(all, ap.Key{Attribute: key.Name, Type: dynamo.Type(key.Value)})
		}
		return all
	}
	if all := read("partition-key", partition); len(all) > 0 {
		first, more = all[0], append(more, all[1:]...)
	} else {
		b.report(at.Errorf("partition-key", "partition-key: expected one attribute with its type, such as {PK: S}, found none"))
	}
	if all := read("sort-key", sort); len(all) > 0 {
		sorted, moreSorted = &all[0], append(moreSorted, all[1:]...)
	}
	return first, more, sorted, moreSorted
}

var jsonTypes = []string{"string", "number", "boolean", "object", "array", "null", "any"}

// values holds what an attribute says of its values to what values of its type have.
func (b *builder) values(from *ap.Attribute) {
	const texts, numbers = "S or SS", "N or NS"
	format := texts
	if slices.Contains([]ap.Format{ap.EpochSeconds, ap.EpochMilliseconds, ap.Integer}, from.Format) {
		format = numbers
	}
	for _, says := range []struct {
		name  string
		there bool
		of    string
	}{
		{"json", len(from.JSON) > 0, "S"}, {"allowed", len(from.Allowed) > 0, texts}, {"format", from.Format != "", format}, {"not-empty", from.NotEmpty, "S"},
		{"minimum", from.Minimum != nil, numbers}, {"maximum", from.Maximum != nil, numbers},
	} {
		if says.there && !slices.Contains(strings.Split(says.of, " or "), string(from.Type)) {
			b.report(from.Written.Errorf(says.name, "%s: expected it beside the type %s, found %q", says.name, says.of, from.Type))
		}
	}
	for i, value := range from.Allowed {
		b.refuse(slices.Contains(from.Allowed[:i], value), from.Written, "allowed", "allowed: expected each value once, found %s twice", value)
	}
	if from.Minimum != nil && from.Maximum != nil && *from.Minimum > *from.Maximum {
		b.report(from.Written.Errorf("maximum", "maximum: expected at least the minimum %g, found %g", *from.Minimum, *from.Maximum))
	}
	for _, member := range slices.Sorted(maps.Keys(from.JSON)) {
		if of := from.JSON[member]; !slices.Contains(jsonTypes, of) {
			b.report(from.Written.Errorf("json."+member, "json: expected a type of JSON for %s, one of %v, found %s", member, jsonTypes, of))
		}
	}
}

func (b *builder) entity(entity *ap.Entity) {
	table, known := b.design.Table(entity.Table)
	if !known {
		b.report(entity.Written.Errorf("table", "entity %s: no table %s; expected one of %s", entity.ID, entity.Table, strings.Join(names(b.written.Tables), ", ")))
	}
	for key := range lists.Each(entity.Keys) {
		b.template(key.Written, "template", key.Template)
		for _, bind := range slices.Sorted(maps.Keys(key.Binds)) {
			if !slices.Contains(key.Template.Parameters(), bind) {
				b.report(key.Written.Errorf("binds."+bind, "binds: no parameter {%s} in %s", bind, key.Template))
			}
		}
	}
	if known {
		b.keysOf(entity, table)
	}
	for attribute := range lists.Each(entity.Attributes) {
		if expires := known && table.TTL != nil && table.TTL.Attribute == attribute.Name; expires && attribute.Type == dynamo.Number && attribute.Format == "" {
			attribute.Format = ap.EpochSeconds // DynamoDB knows no other time to live
		}
		b.values(attribute)
	}
	of := new(*entity) // the design sorts its own
	for stated := range lists.Each(entity.Rules) {
		b.template(stated.Written, "template", stated.Template)
		if stated.CEL != "" {
			compiled := &rule{of: of, text: stated.CEL, says: stated.Statement, attribute: stated.Attribute}
			compiled.program = b.program(stated.Written, "cel", "cel", compiled.compile)
			stated.Check, stated.CEL = compiled.check, strings.Join(strings.Fields(compiled.text), " ")
		}
		if _, known := entity.TypeOf(stated.Attribute); !known {
			b.report(stated.Written.Errorf("attribute", "rule %s: entity %s has no attribute %s; add it, or name another", stated.ID, entity.ID, stated.Attribute))
		}
	}
	b.owner(entity)
}

// keysOf holds the keys of an entity to those of its table and of the table's indexes, before steps are held to them.
func (b *builder) keysOf(entity *ap.Entity, table *ap.Table) {
	for i := range entity.Keys {
		if key := &entity.Keys[i]; table.AttributeDefinitions()[key.Attribute] == "" {
			b.report(key.Written.OfName().Errorf("", "entity %s: %s is no key attribute of table %s", entity.ID, key.Attribute, table.ID))
		}
	}
	for _, key := range table.Keys() {
		if _, has := entity.Key(key.Attribute); !has {
			b.report(entity.Written.Errorf("keys", "entity %s: no template for key attribute %s of table %s", entity.ID, key.Attribute, table.ID))
		}
	}
}

// template reports a malformed template; empty means that there is none.
func (b *builder) template(at file.At, field string, template ap.KeyTemplate) {
	if err := template.Validate(); err != nil {
		b.report(at.Errorf(field, "%v", err))
	}
}

func (b *builder) policies() {
	for role := range lists.Each(b.written.Roles) {
		b.reaches(role)
		if role.Confined != nil {
			for _, partition := range role.Confined.Partitions {
				b.template(role.Confined.Written, "partitions", partition)
			}
		}
	}
	b.breaches(b.design.Validity)
}

// statements are the elements that say something in words.
func (b *builder) statements() {
	for of := range lists.Each(b.design.Invariants) {
		of.Law = b.law("invariant "+of.ID, of.Written, &of.Formula)
	}
	for of := range lists.Each(b.design.Guardrails) {
		of.Law = b.law("guardrail "+of.ID, of.Written, &of.Formula)
	}
	elements(b, "answer", b.design.Answers)
	elements(b, "reading", b.design.Readings)
	for i := range b.design.Readings {
		b.reading(&b.design.Readings[i])
	}
	for _, from := range b.written.Narrative {
		for _, lines := range from.Lines {
			lines.Reason = from.Reason
			b.design.Narrative = append(b.design.Narrative, lines)
		}
	}
}

// reading holds a declared reading, "76-110: {entity: task, columns: {...}}", to what it may say.
func (b *builder) reading(r *ap.Reading) {
	if r.Types == nil {
		r.Types = map[string]string{}
	}
	wrong := func(format string, args ...any) { b.report(r.Written.OfName().Errorf("", format, args...)) }
	var is bool
	if r.First, r.Last, is = strict.Lines(r.Lines); !is || r.Last == r.First {
		wrong("reading %s: expected the first and last line of a table, such as 76-110, found %q", r.Lines, r.Lines)
	}
	naming, columns := 0, map[string]string{}
	for _, column := range slices.Sorted(maps.Keys(r.Columns)) {
		gives := r.Columns[column]
		if gives == "name" || gives == "names" {
			naming++
		}
		if other, twice := columns[gives]; twice && gives != "key" && gives != "-" {
			wrong("reading %s: expected one column that gives the %s, found %q and %q", r.Lines, gives, other, column)
		}
		columns[gives] = column
		if !slices.Contains([]string{"name", "names", "key", "type", "presence", "allowed", "-"}, gives) {
			wrong("reading %s: expected name, names, key, type, presence, allowed or - for the column %q, found %q", r.Lines, column, gives)
		}
	}
	if naming != 1 {
		wrong("reading %s: expected one column that gives the name, or all names, found %d", r.Lines, naming)
	}
	for _, word := range slices.Sorted(maps.Keys(r.Types)) {
		if is := r.Types[word]; !slices.Contains(dynamo.Types, dynamo.Type(is)) {
			wrong("reading %s: expected one of DynamoDB's types for %q, found %q", r.Lines, word, is)
		}
	}
	if !slices.Contains(names(b.design.Entities), r.Entity) {
		wrong("reading %s: expected an entity of the contract, found %q", r.Lines, r.Entity)
	}
}

// detach gives a value, which may be set, copies of its own of all that it refers to, so that each design of what the files say may be
// changed; places and values of DynamoDB stay the same.
func detach(value reflect.Value) {
	switch kind := value.Kind(); {
	case kind == reflect.Pointer && !value.IsNil():
		copied := reflect.New(value.Type().Elem())
		copied.Elem().Set(value.Elem())
		value.Set(copied)
		detach(value.Elem())
	case kind == reflect.Slice && !value.IsNil():
		copied := reflect.MakeSlice(value.Type(), value.Len(), value.Len())
		reflect.Copy(copied, value)
		value.Set(copied)
		for i := range value.Len() {
			detach(value.Index(i))
		}
	case kind == reflect.Map && !value.IsNil():
		copied := reflect.MakeMapWithSize(value.Type(), value.Len())
		for entries := value.MapRange(); entries.Next(); {
			copied.SetMapIndex(entries.Key(), entries.Value())
		}
		value.Set(copied)
	case kind == reflect.Struct && value.Type() != reflect.TypeFor[strict.At]():
		for i := range value.NumField() {
			if field := value.Field(i); field.CanSet() {
				detach(field)
			}
		}
	}
}
