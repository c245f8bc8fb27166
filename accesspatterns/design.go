package accesspatterns

import (
	"slices"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/internal/place"
	"dynaproof/accesspatterns/internal/template"
	"dynaproof/accesspatterns/lists"
)

// Design is the contract of one document.
type Design struct {
	// The design's name on the command line, in lower-case words joined by hyphens.
	Name string `yaml:"design"`
	// The document's own title.
	Title string `yaml:"title"`
	// The document that the contract was transcribed from.
	Document Document `yaml:"document"`
	// How far the contract goes; each level includes those before it: the tables, the items, the reads, the writes, and what stays true however writes race. Without it, all the way.
	Level Level `yaml:"level" jsonschema:"enum=schema,enum=items,enum=reads,enum=writes,enum=resilience"`
	// Where the document says how the tables are read: what is not there is not allowed.
	AccessPatterns Citation `yaml:"access-patterns"`

	Tables []Table `yaml:"-"`
	// The kinds of items, by id.
	Entities []Entity `yaml:"entities"`
	// The items that the document itself writes out, by the name of the fixture item that holds each.
	Examples []Example `yaml:"examples"`
	Patterns []Pattern `yaml:"-"`
	// Documented rules about how the design is used, by id.
	Guardrails []Guardrail `yaml:"guardrails"`
	// What must stay true of the items that a pattern writes, by id.
	Invariants []Invariant `yaml:"invariants"`
	// What the document says about who may do what, as far as IAM can enforce it.
	Policies Policies `yaml:"policies"`
	// Patterns of which a request may leave an item that is not valid by its entity, with the findings that say so.
	Validity []Breach `yaml:"leaves-invalid"`
	// Contradictions, gaps and hazards of the document itself, by id.
	Findings []Finding `yaml:"findings"`
	// Named exceptions for the Scans of patterns, counted and printed in every report.
	Waivers []Waiver `yaml:"waivers"`
	// Why objections that were made by reading the document by machine do not hold, by the objection's id.
	Answers []Answer `yaml:"answers"`
	// How tables of the document are to be read, by their lines from the header on. Every row is compared with the contract, both ways.
	Readings []Reading `yaml:"readings"`
	// What the document promises and no element of a contract can say, by id. It is reported as not checkable.
	NotCheckable []NotCheckable `yaml:"not-checkable"`
	// Narrative lists the lines of the document that promise nothing a check
	// could decide, with the reason for each.
	Narrative []NarrativeLines `yaml:"-"`
}

// Example is an item, or a structure embedded in an item, that the document
// writes out with values.
type Example struct {
	// ID is the name of the fixture item that holds it.
	ID      string   `yaml:",name"`
	Written place.At `yaml:"-" json:"-"`
	// The entity that it is an item of.
	Entity string `yaml:"entity" jsonschema:"required"`
	// The lines of the example, without its code fence.
	Cite Citation `yaml:"cite" jsonschema:"required"`
	// The attribute or path in which the example is embedded, such as successCriteria[0]. Empty for whole items.
	Attribute string `yaml:"attribute"`
}

// NotCheckable is a promise of the document that no check decides.
type NotCheckable struct {
	// ID is unique within the design, in lower-case words joined by hyphens.
	ID      string   `yaml:",name"`
	Written place.At `yaml:"-" json:"-"`
	// The promise in the project's words.
	Says string `yaml:"says" jsonschema:"required"`
	// Why no check decides it.
	Because string   `yaml:"because" jsonschema:"required"`
	Cite    Citation `yaml:"cite" jsonschema:"required"`
}

// Reading says how a table of the document is to be read: each row is an attribute, or a key, of an
// entity.
type Reading struct {
	// Lines are the table's, the header's included: 76-110. First and Last are the same as numbers.
	Lines       string   `yaml:",name" json:"-"`
	Written     place.At `yaml:"-" json:"-"`
	First, Last int      `yaml:"-"`
	// The entity whose attributes the rows are.
	Entity string `yaml:"entity" jsonschema:"required"`
	// What each column gives, by its header cell: name, type, presence, allowed, or - for nothing to compare; where a row is a whole item,
	// key for the form of the key attribute that the header names, and names for its attributes between commas.
	Columns map[string]string `yaml:"columns" jsonschema:"required"`
	// The types that the words of the column of types mean, where they are not the usual ones.
	Types map[string]string `yaml:"types"`
}

// Answer says why an objection does not hold that was made by reading the
// document by machine.
type Answer struct {
	// Objection is the objection's id ("own-name/table/Users").
	Objection string   `yaml:",name"`
	Written   place.At `yaml:"-" json:"-"`
	// Because is the reason, in a sentence.
	Because string `yaml:",value" jsonschema:"required"`
}

// Table returns the table with the given logical id.
func (d *Design) Table(id string) (*Table, bool) {
	return find(d.Tables, func(each *Table) bool { return each.ID == id })
}

// Entity returns the entity with the given id.
func (d *Design) Entity(id string) (*Entity, bool) {
	return find(d.Entities, func(each *Entity) bool { return each.ID == id })
}

// Pattern returns the access pattern with the given id.
func (d *Design) Pattern(id string) (*Pattern, bool) {
	return find(d.Patterns, func(each *Pattern) bool { return each.ID == id })
}

// Waiver returns the waiver with the given id.
func (d *Design) Waiver(id string) (*Waiver, bool) {
	return find(d.Waivers, func(each *Waiver) bool { return each.ID == id })
}

// PrimaryKey is that of the table which holds an entity; nothing where the contract has no such table.
func (d *Design) PrimaryKey(e *Entity) Keys {
	table, known := d.Table(e.Table)
	if !known {
		return nil
	}
	return table.Keys()
}

// Finding returns the finding with the given id.
func (d *Design) Finding(id string) (*Finding, bool) {
	return find(d.Findings, func(each *Finding) bool { return each.ID == id })
}

// Guardrail returns the guardrail with the given id.
func (d *Design) Guardrail(id string) (*Guardrail, bool) {
	return find(d.Guardrails, func(each *Guardrail) bool { return each.ID == id })
}

// Invariant returns the invariant with the given id.
func (d *Design) Invariant(id string) (*Invariant, bool) {
	return find(d.Invariants, func(each *Invariant) bool { return each.ID == id })
}

// TypeOf returns the type of an attribute or path of a table's items: that of the table's or an index's key, of the entity where it is
// known, or of every entity of the table that has it.
func (d *Design) TypeOf(table *Table, entity *Entity, path string) (found dynamo.Type, known bool) {
	if defined, is := table.AttributeDefinitions()[path]; is {
		return defined, true
	}
	if entity != nil {
		if found = entity.typeAt(path); found != "" {
			return found, true
		}
	}
	for i := range d.Entities {
		other := d.Entities[i].typeAt(path)
		if d.Entities[i].Table != table.ID || other == "" {
			continue
		}
		if found != "" && found != other {
			return "", false
		}
		found = other
	}
	return found, found != ""
}

// HasEnvironment reports whether any table's name differs between environments.
func (d *Design) HasEnvironment() bool {
	return slices.ContainsFunc(d.Tables, func(t Table) bool { return t.Name.HasEnvironment() })
}

// find returns the first element that is the one that is looked for.
func find[T any](all []T, is func(*T) bool) (*T, bool) {
	for i := range all {
		if is(&all[i]) {
			return &all[i], true
		}
	}
	return nil, false
}

// EntitiesOf returns the entities of a table whose primary key has the form of this one. Of several it returns those
// whose templates say most: a key of the form MILESTONE#{id}#AWARD#{index} is no MILESTONE#{id} with a strange id.
func (d *Design) EntitiesOf(table string, key Item) []*Entity {
	of, known := d.Table(table)
	if !known {
		return nil
	}
	var found []*Entity
	most := -1
	for e := range lists.Each(d.Entities) {
		if e.Table != table {
			continue
		}
		if literals, is := e.formed(of, key); is && literals >= most {
			if literals > most {
				found, most = found[:0], literals
			}
			found = append(found, e)
		}
	}
	return found
}

// ActsOn returns the entities whose items an action may be of: the one that it puts, or those whose keys have the form of its key.
func (d *Design) ActsOn(a *Action) []*Entity {
	if e, known := d.Entity(a.Entity); a.Kind == Put && known {
		return []*Entity{e}
	}
	key := Item{}
	for _, part := range a.Key {
		key[part.Attribute] = dynamo.Scalar(part.Value.Type, part.Value.Template.Replaced(func(string) string { return "1" }))
	}
	return d.EntitiesOf(a.Table, key)
}

// formed reports whether a primary key has the entity's form, and how much text of the form is its own.
func (e *Entity) formed(table *Table, key Item) (literals int, is bool) {
	var names, values []string
	for _, part := range table.Keys() {
		form, has := e.Key(part.Attribute)
		if !has || dynamo.TypeOf(key[part.Attribute]) != part.Type {
			return 0, false
		}
		pieces, err := form.Template.pieces()
		var taken template.Values
		if rest, ok := pieces.Take(dynamo.ScalarText(key[part.Attribute]), &taken); err != nil || !ok || rest != "" {
			return 0, false
		}
		n := 0
		for _, piece := range pieces {
			literals += len(piece.Literal)
			if piece.Parameter == "" {
				continue
			}
			if at := slices.Index(names, piece.Parameter); at >= 0 && values[at] != taken[n] {
				return 0, false
			}
			names, values = append(names, piece.Parameter), append(values, taken[n])
			n++
		}
	}
	return literals, true
}
