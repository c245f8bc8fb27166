package contract

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/strict"
)

// builder makes a design of what the files say.
type builder struct {
	written  *file.Contract
	design   *ap.Design
	places   map[string]file.At
	versions map[string]*ap.Versions
	rules    []*rule
	laws     []*law
	// used are the names of reads, conditions and versions that something refers to.
	used     map[string]bool
	problems []error
}

func build(written *file.Contract) *builder {
	written = clone(reflect.ValueOf(written)).Interface().(*file.Contract)
	b := &builder{written: written, places: map[string]file.At{}, versions: map[string]*ap.Versions{}, used: map[string]bool{}}
	b.design = &ap.Design{
		Name: written.Design, Title: written.Title, AccessPatterns: written.AccessPatterns, Level: ap.Level(written.Level), Examples: written.Examples,
		Waivers: written.Waivers, Invariants: written.Invariants, Guardrails: written.Guardrails, Findings: written.Findings, Readings: written.Readings,
		NotCheckable: written.NotCheckable,
	}
	if written.Document != nil {
		b.design.Document = *written.Document
	}
	b.needed()
	place(b, "table", written.Tables)
	place(b, "entity", written.Entities)
	elements(b, "example", written.Examples)
	elements(b, "role", written.Roles)
	elements(b, "waiver", written.Waivers)
	place(b, "pattern", written.Patterns)
	elements(b, "invariant", written.Invariants)
	elements(b, "guardrail", written.Guardrails)
	elements(b, "finding", written.Findings)
	elements(b, "not-checkable", written.NotCheckable)
	unique(b, "read", written.Reads)
	unique(b, "condition", written.Conditions)
	unique(b, "versions", written.Versions)
	for _, table := range written.Tables {
		b.table(table.Name, table.Value)
	}
	for _, entity := range written.Entities {
		b.entity(entity.Name, entity.Value)
	}
	for _, versions := range written.Versions {
		b.version(versions.Name, versions.Value)
	}
	for _, pattern := range written.Patterns {
		b.pattern(pattern.Name, pattern.Value)
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
func used[T any](b *builder, what string, all file.Ordered[T]) {
	for _, entry := range all {
		if !b.used[what+" "+entry.Name] {
			b.report(entry.At.Errorf("", "%s %s is used nowhere; remove it", what, entry.Name))
		}
	}
}

// needed reports what every contract has in one of its files.
func (b *builder) needed() {
	for _, part := range []struct {
		name  string
		given bool
	}{
		{"design", b.written.Design != ""}, {"title", b.written.Title != ""}, {"document", b.written.Document != nil},
		{"tables", len(b.written.Tables) > 0},
	} {
		if !part.given {
			b.report(b.written.Errorf("", "%s is missing in all files of this folder; add it to one", part.name))
		}
	}
}

// list and bound copy what the files say: what is made of it may be changed.
func list(words file.Words) []string { return slices.Clone(words) }

func bound(number *float64) *float64 {
	if number == nil {
		return nil
	}
	return new(*number)
}

// citeIf is nil where there is no citation.
func citeIf(from ap.Citation) *ap.Citation {
	if from.First == 0 {
		return nil
	}
	return &from
}

// projected is an index without its key.
func projected(name string, from file.Projected) ap.Index {
	return ap.Index{
		Name: name, Projection: dynamo.Projection(from.Projection), NonKeyAttributes: list(from.NonKeyAttributes),
		Cite: from.Cite, ProjectionCite: citeIf(from.ProjectionCite),
	}
}

func promise(from *file.Promise) *ap.Promise {
	if from == nil {
		return nil
	}
	return &ap.Promise{Cite: from.Cite}
}

func (b *builder) table(id string, from file.Table) {
	table := ap.Table{
		ID: id, Name: ap.NameTemplate(cmp.Or(from.Name, id)), Renamable: from.Renamable, Cite: from.Cite,
		KeyCite: from.KeyCite, TypesCite: citeIf(from.TypesCite), IndexesCite: from.IndexesCite, SettingsCite: citeIf(from.SettingsCite),
		Protection: promise(from.Protection), ReadOnly: promise(from.ReadOnly), PITR: promise(from.PITR), Encryption: promise(from.Encryption),
	}
	table.PartitionKey, table.SortKey = b.keys(from.At, from.PartitionKey, from.SortKey)
	for _, index := range from.Indexes {
		of := projected(index.Name, index.Value.Projected)
		of.PartitionKey, of.SortKey = b.keys(index.Value.At, first(index.Value.PartitionKey), first(index.Value.SortKey))
		of.MorePartition = b.further(index.Value.At, "partition-key", index.Value.PartitionKey)
		of.MoreSort = b.further(index.Value.At, "sort-key", index.Value.SortKey)
		table.Indexes = append(table.Indexes, of)
	}
	for _, index := range from.LocalIndexes {
		of := projected(index.Name, index.Value.Projected)
		of.Local, of.PartitionKey = true, table.PartitionKey
		_, of.SortKey = b.keys(index.Value.At, from.PartitionKey, index.Value.SortKey)
		if _, twice := table.Index(of.Name); twice {
			b.report(index.At.Errorf("", "index %s of table %s stands twice; keep one", of.Name, id))
		}
		table.Indexes = append(table.Indexes, of)
	}
	if from.Stream != nil {
		table.Stream = &ap.StreamPromise{View: from.Stream.View, Cite: from.Stream.Cite}
	}
	if from.Class != nil {
		table.Class = &ap.ClassPromise{Class: from.Class.Name, Cite: from.Class.Cite}
	}
	if from.Billing != nil {
		table.Billing, table.BillingCite = dynamo.Billing(from.Billing.Mode), from.Billing.Cite
		if units := from.Billing.Units; units != nil {
			table.Units = &ap.Capacity{ReadUnits: int64(units.ReadUnits), WriteUnits: int64(units.WriteUnits)}
			if table.Billing != dynamo.Provisioned {
				b.report(from.Billing.At.Errorf("units", "units: expected them beside PROVISIONED, found %s; what the document offers for later stands in later", table.Billing))
			}
		}
		if later := from.Billing.Later; later != nil {
			table.Later = &ap.Capacity{ReadUnits: int64(later.ReadUnits), WriteUnits: int64(later.WriteUnits)}
			if table.Billing != dynamo.OnDemand || later.ReadUnits < 1 || later.WriteUnits < 1 {
				b.report(from.Billing.At.Errorf("later", "later: expected at least one read and one write unit, in place of PAY_PER_REQUEST"))
			}
		}
	}
	if from.TTL != nil {
		table.TTL = &ap.TTL{Attribute: from.TTL.Attribute, Cite: from.TTL.Cite}
	}
	if from.Region != nil {
		table.Region = &ap.RegionPromise{Region: from.Region.Name, Cite: from.Region.Cite}
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

func (b *builder) keys(at file.At, partition, sort file.Ordered[string]) (ap.Key, *ap.Key) {
	one := func(field string, from file.Ordered[string]) *ap.Key {
		if len(from) > 1 {
			b.report(at.Errorf(field, "%s: expected one attribute with its type, such as {PK: S}, found %d", field, len(from)))
		}
		if len(from) == 0 {
			return nil
		}
		key := from[0]
		if !slices.Contains([]string{"S", "N", "B"}, key.Value) {
			b.report(key.At.Errorf("", "%s: expected the type S, N or B of key attribute %s, found %s", field, key.Name, key.Value))
		}
		return &ap.Key{Attribute: key.Name, Type: dynamo.Type(key.Value)}
	}
	hash, found := one("partition-key", partition), one("sort-key", sort)
	if hash == nil {
		hash = &ap.Key{}
		b.report(at.Errorf("partition-key", "partition-key: expected one attribute with its type, such as {PK: S}, found none"))
	}
	return *hash, found
}

// maxKeyParts is how many attributes each key of a global secondary index may have.
const maxKeyParts = 4

// first is the first attribute of a key.
func first(key file.Ordered[string]) file.Ordered[string] { return key[:min(1, len(key))] }

// further reads the attributes behind the first of an index's key of several.
func (b *builder) further(at file.At, field string, from file.Ordered[string]) (keys []ap.Key) {
	if len(from) > maxKeyParts {
		b.report(at.Errorf(field, "%s: expected at most %d attributes, found %d", field, maxKeyParts, len(from)))
	}
	for i := 1; i < len(from); i++ {
		key, _ := b.keys(at, from[i:i+1], nil)
		keys = append(keys, key)
	}
	return keys
}

var jsonTypes = []string{"string", "number", "boolean", "object", "array", "null", "any"}

// json reads the shape of the JSON that a String holds.
func (b *builder) json(from file.Attribute) map[string]string {
	if len(from.JSON) > 0 && from.Type != string(dynamo.String) {
		b.report(from.Errorf("json", "json: expected it beside the type S, found %q", from.Type))
	}
	for _, member := range from.JSON {
		if !slices.Contains(jsonTypes, member.Value) {
			b.report(member.At.Errorf("", "json: expected a type of JSON for %s, one of %v, found %s", member.Name, jsonTypes, member.Value))
		}
	}
	return from.JSON.Map()
}

// formats are the notations by the names that contracts use.
var formats = map[string]ap.Format{
	"timestamp": ap.ISOTimestamp, "date": ap.ISODate, "epoch-seconds": ap.EpochSeconds,
	"epoch-milliseconds": ap.EpochMilliseconds, "uuid": ap.UUID, "integer": ap.Integer,
}

var presences = map[string]ap.Presence{"": ap.Required, "required": ap.Required, "optional": ap.Optional, "nullable": ap.Nullable}

func (b *builder) entity(id string, from file.Entity) {
	entity := &ap.Entity{ID: id, Title: from.Title, Table: from.Table, Cite: from.Cite, Closed: citeIf(from.Closed), Written: written(from.At)}
	if _, known := b.design.Table(from.Table); !known {
		b.report(from.Errorf("table", "entity %s: no table %s; expected one of %s", id, from.Table, strings.Join(b.written.Tables.Names(), ", ")))
	}
	for _, key := range from.Keys {
		of := ap.KeyAttribute{
			Attribute: key.Name, Template: ap.KeyTemplate(key.Value.Template), Type: dynamo.Type(key.Value.Type),
			Binds: key.Value.Binds.Map(), Refers: key.Value.Refers.Map(), Optional: key.Value.Optional, Cite: key.Value.Cite,
			Written: written(key.Value.At),
		}
		b.template(key.Value.At, "template", of.Template)
		for _, bind := range key.Value.Binds {
			if !slices.Contains(of.Template.Parameters(), bind.Name) {
				b.report(bind.At.Errorf("", "binds: no parameter {%s} in %s", bind.Name, of.Template))
			}
		}
		entity.Keys = append(entity.Keys, of)
	}
	table, known := b.design.Table(from.Table)
	if known {
		b.keysOf(entity, table, from)
	}
	for _, attribute := range from.Attributes {
		if expires := table != nil && table.TTL != nil && table.TTL.Attribute == attribute.Name; expires && attribute.Value.Type == "N" && attribute.Value.Format == "" {
			attribute.Value.Format = "epoch-seconds" // DynamoDB knows no other time to live
		}
		entity.Attributes = append(entity.Attributes, ap.Attribute{
			Name: attribute.Name, Type: dynamo.Type(attribute.Value.Type), Presence: presences[attribute.Value.Presence],
			Allowed: list(attribute.Value.Allowed), Minimum: bound(attribute.Value.Minimum), Maximum: bound(attribute.Value.Maximum),
			Format: formats[attribute.Value.Format], NotEmpty: attribute.Value.NotEmpty, JSON: b.json(attribute.Value), Refers: attribute.Value.Refers, Cite: attribute.Value.Cite,
			Written: written(attribute.Value.At),
		})
	}
	for _, stated := range from.Rules {
		of := ap.Rule{
			ID: stated.Name, Statement: stated.Value.Says, Attribute: stated.Value.Attribute,
			Template: ap.KeyTemplate(stated.Value.Template), EqualTo: stated.Value.Equals, Cite: stated.Value.Cite, Written: written(stated.Value.At),
		}
		b.template(stated.Value.At, "template", of.Template)
		if stated.Value.CEL != "" {
			compiled := &rule{at: stated.Value.At, of: entity, text: stated.Value.CEL, says: of.Statement, attribute: of.Attribute}
			compiled.program = sync.OnceValues(compiled.compile)
			of.Check, of.CEL = compiled.check, strings.Join(strings.Fields(compiled.text), " ")
			b.rules = append(b.rules, compiled)
		}
		if _, known := entity.TypeOf(of.Attribute); !known {
			b.report(stated.Value.Errorf("attribute", "rule %s: entity %s has no attribute %s; add it, or name another", of.ID, id, of.Attribute))
		}
		entity.Rules = append(entity.Rules, of)
	}
	entity.Owner = b.owner(entity, from.Owner)
	b.design.Entities = append(b.design.Entities, *entity)
}

// keysOf holds the keys of an entity to those of its table and of the table's indexes, before steps are held to them.
func (b *builder) keysOf(entity *ap.Entity, table *ap.Table, from file.Entity) {
	for _, key := range from.Keys {
		if table.AttributeDefinitions()[key.Name] == "" {
			b.report(key.At.Errorf("", "entity %s: %s is no key attribute of table %s", entity.ID, key.Name, table.ID))
		}
	}
	for _, key := range table.Keys() {
		if _, has := entity.Key(key.Attribute); !has {
			b.report(from.Errorf("keys", "entity %s: no template for key attribute %s of table %s", entity.ID, key.Attribute, table.ID))
		}
	}
}

// written is a place in a contract for messages.
func written(at file.At) string { return fmt.Sprintf("%s:%d", at.File, at.Line) }

// template reports a malformed template; empty means that there is none.
func (b *builder) template(at file.At, field string, template ap.KeyTemplate) {
	if err := template.Validate(); err != nil {
		b.report(at.Errorf(field, "%v", err))
	}
}

func (b *builder) version(name string, from file.Versions) {
	versions := &ap.Versions{Attribute: from.Attribute, Current: from.Current, Cite: from.Cite}
	for _, fill := range from.Backfill {
		versions.Backfill = append(versions.Backfill, ap.Backfill{
			Attribute: fill.Name, Value: fill.Value.Value.AttributeValue, Elements: dynamo.Type(fill.Value.Elements), SameVersion: fill.Value.SameVersion,
		})
	}
	b.versions[name] = versions
}

func (b *builder) policies() {
	if b.written.Policies != nil {
		b.design.Policies = *b.written.Policies
	}
	b.design.Policies.Roles = b.written.Roles
	for i := range b.written.Roles {
		role := &b.written.Roles[i]
		b.reaches(role)
		if role.Confined != nil {
			for _, partition := range role.Confined.Partitions {
				b.template(role.Confined.Written, "partitions", partition)
			}
		}
	}
	b.breaches(b.written.LeavesInvalid)
	b.design.Validity = b.written.LeavesInvalid
}

// statements are the elements that say something in words.
func (b *builder) statements() {
	for i := range b.design.Invariants {
		of := &b.design.Invariants[i]
		of.Law = b.law("invariant "+of.ID, of.Written, of.Holds, of.Keeps, of.NotKept)
	}
	for i := range b.design.Guardrails {
		of := &b.design.Guardrails[i]
		of.Law = b.law("guardrail "+of.ID, of.Written, of.Holds, of.Keeps, of.NotKept)
	}
	unique(b, "answer", b.written.Answers)
	for _, answer := range b.written.Answers {
		b.design.Answers = append(b.design.Answers, ap.Answer{Objection: answer.Name, Because: answer.Value})
	}
	elements(b, "reading", b.written.Readings)
	for i := range b.design.Readings {
		b.reading(&b.design.Readings[i])
	}
	for _, from := range b.written.Narrative {
		for _, lines := range from.Lines {
			b.design.Narrative = append(b.design.Narrative, ap.NarrativeLines{First: lines.First, Last: lines.Last, Reason: from.Reason})
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
	names := 0
	for column, gives := range r.Columns {
		if gives == "name" || gives == "names" {
			names++
		}
		if !slices.Contains([]string{"name", "names", "key", "type", "presence", "allowed", "-"}, gives) {
			wrong("reading %s: expected name, names, key, type, presence, allowed or - for the column %q, found %q", r.Lines, column, gives)
		}
	}
	if names != 1 {
		wrong("reading %s: expected one column that gives the name, or all names, found %d", r.Lines, names)
	}
	if !slices.Contains(b.written.Entities.Names(), r.Entity) {
		wrong("reading %s: expected an entity of the contract, found %q", r.Lines, r.Entity)
	}
}

// clone copies what the files say, so that each design of them may be changed; places and values of DynamoDB stay the same.
func clone(value reflect.Value) reflect.Value {
	copied := reflect.New(value.Type()).Elem()
	copied.Set(value)
	switch kind := value.Kind(); {
	case kind == reflect.Pointer && !value.IsNil():
		copied.Set(reflect.New(value.Type().Elem()))
		copied.Elem().Set(clone(value.Elem()))
	case kind == reflect.Slice && !value.IsNil():
		copied.Set(reflect.MakeSlice(value.Type(), value.Len(), value.Len()))
		for i := range value.Len() {
			copied.Index(i).Set(clone(value.Index(i)))
		}
	case kind == reflect.Map && !value.IsNil():
		copied.Set(reflect.MakeMap(value.Type()))
		for entries := value.MapRange(); entries.Next(); {
			copied.SetMapIndex(entries.Key(), entries.Value())
		}
	case kind == reflect.Struct && value.Type() != reflect.TypeFor[strict.At]():
		for i := range value.NumField() {
			if field := copied.Field(i); field.CanSet() {
				field.Set(clone(value.Field(i)))
			}
		}
	}
	return copied
}
