package reader

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Sure says how sure the reader is of a fact.
type Sure string

const (
	// Said facts stand in the document in so many words.
	Said Sure = "read"
	// Planned facts stand in a part on what is to come.
	Planned Sure = "planned"
)

// At is where a fact stands, counted from line 1, and how sure it is.
type At struct {
	Line int  `json:"line"`
	Sure Sure `json:"sure"`
}

// Document is what the reader found.
type Document struct {
	Title string `json:"title"`
	// Lines is the number of lines that were read.
	Lines    int        `json:"lines"`
	Tables   []*Table   `json:"tables"`
	Entities []*Entity  `json:"entities"`
	Patterns []*Pattern `json:"patterns"`
	Examples []*Example `json:"examples"`
	// Unread are the lines of which no form read all that they say.
	Unread []Unread `json:"unread,omitempty"`
	// Rest are the lines of which no form read anything, also where they say nothing of tables.
	Rest []int `json:"-"`
	// Loose are indexes of which no line says the table.
	Loose []*Index `json:"loose,omitempty"`
	// Disputes are facts that two lines give differently: neither is taken.
	Disputes []Dispute `json:"disputes,omitempty"`
	// Definitions are those of tables in code.
	Definitions []Definition `json:"-"`
	// Grids are the tables of Markdown as they stand.
	Grids []Grid `json:"-"`
	// Text holds the document's lines, the first at index 0.
	Text []string `json:"-"`
}

// Line returns a line, counted from 1, and "" outside the document.
func (d *Document) Line(number int) string {
	if number < 1 || number > len(d.Text) {
		return ""
	}
	return d.Text[number-1]
}

// Between returns the lines from one to another, both counted from 1, as far as the document has them: a contract that is looked at
// as a document has none.
func (d *Document) Between(first, last int) []string {
	last = min(last, len(d.Text))
	return d.Text[min(max(first, 1)-1, max(last, 0)):max(last, 0)]
}

// Table returns the table of that name, nil for none.
func (d *Document) Table(name string) *Table {
	table, _ := first(d.Tables, func(t *Table) bool { return t.Name == name })
	return table
}

// Table is one DynamoDB table.
type Table struct {
	At
	// Name is the name as deployed, with its placeholders; empty where the
	// document names none.
	Name string `json:"name"`
	// Also are further names for the same table, such as that of its heading.
	Also    []string `json:"also,omitempty"`
	Keys    []Key    `json:"keys,omitempty"`
	Indexes []*Index `json:"indexes,omitempty"`
	// NoIndexes is set where the document says that there are none.
	NoIndexes *Setting  `json:"noIndexes,omitempty"`
	TTL       *Setting  `json:"ttl,omitempty"`
	Billing   []Setting `json:"billing,omitempty"`
	PITR      *Setting  `json:"pitr,omitempty"`
	Region    *Setting  `json:"region,omitempty"`
	Stream    *Setting  `json:"stream,omitempty"`
	Tags      []Tag     `json:"tags,omitempty"`
	// named is set where a line gives the deployed name, weak where a heading alone calls it a table, and ofSection where
	// only a section with a list of attributes shows it: nothing outside of the section is its own.
	named, weak, ofSection bool
	// beyond are the indexes that are more than a table has: none of them is read.
	beyond []*Index
}

// Setting is a documented setting. Of a TTL the value is the attribute, empty
// where the document names none.
type Setting struct {
	At
	Value string `json:"value"`
}

// Tag is a documented tag.
type Tag struct {
	At
	Name  string `json:"name"`
	Value string `json:"value"`
}

// The roles of key attributes.
const (
	Hash  = "HASH"
	Range = "RANGE"
)

// Key is a key attribute of a table or index. Type is S, N, B or empty.
type Key struct {
	At
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
	Role string `json:"role"`
	// disputed and untyped say that two lines give another name, or another type, labelled that a label alone gives the name, headed that a header does.
	disputed, untyped, labelled, headed bool
}

// Index is a secondary index.
type Index struct {
	At
	// Name is its own, or where it has none what the document calls it ([Index.Unnamed]).
	Name string `json:"name"`
	// Also are further names, such as its number.
	Also  []string `json:"also,omitempty"`
	Local bool     `json:"local,omitempty"`
	Keys  []Key    `json:"keys,omitempty"`
	// Projection is ALL, KEYS_ONLY or INCLUDE; its value is empty where the
	// document gives none.
	Projection Setting  `json:"projection"`
	Include    []string `json:"include,omitempty"`
	// Templates are forms of its key values that the document gives with the
	// index rather than with an entity.
	Templates []EntityKey `json:"templates,omitempty"`
}

// Unnamed reports whether no line names the index: it is called by what it is on, "GSI on email". The name of an index of DynamoDB has no blank
// (amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html).
func (x *Index) Unnamed() bool { return strings.Contains(x.Name, " ") }

// first returns the first element that is what is asked for, and whether there is one.
func first[T any](all []T, is func(T) bool) (found T, has bool) {
	at := slices.IndexFunc(all, is)
	if at < 0 {
		return found, false
	}
	return all[at], true
}

// Called is the table's name, or "the table" where the document names none.
func (t *Table) Called() string { return cmp.Or(t.Name, "the table") }

// expires reports whether the attribute is known by which items of the table expire.
func (t *Table) expires() bool { return t.TTL != nil && t.TTL.Value != "" }

// Key returns the index's key attribute of that role.
func (x *Index) Key(role string) (Key, bool) { return keyOf(x.Keys, role) }

// Key returns the table's key attribute of that role.
func (t *Table) Key(role string) (Key, bool) { return keyOf(t.Keys, role) }

func keyOf(keys []Key, role string) (Key, bool) {
	return first(keys, func(key Key) bool { return key.Role == role })
}

// KeyNamed returns the table's key attribute of that name.
func (t *Table) KeyNamed(name string) (Key, bool) {
	return keyNamed(t.Keys, name)
}

func keyNamed(keys []Key, name string) (Key, bool) {
	return first(keys, func(key Key) bool { return key.Name == name })
}

// AnyKey returns the key attribute of that name, of the table or else of an index.
func (t *Table) AnyKey(name string) (Key, bool) {
	return keyNamed(t.AllKeys(), name)
}

// AllKeys are the key attributes of the table, and then those of its indexes.
func (t *Table) AllKeys() []Key {
	all := slices.Clone(t.Keys)
	for _, index := range t.Indexes {
		all = append(all, index.Keys...)
	}
	return all
}

// Index returns the table's index of that name.
func (t *Table) Index(name string) (*Index, bool) {
	return first(t.Indexes, func(index *Index) bool { return index.Name == name })
}

// Entity is one kind of item.
type Entity struct {
	At
	Title string `json:"title"`
	Table *Table `json:"-"`
	// In is the name of its table.
	In         string      `json:"table"`
	Keys       []EntityKey `json:"keys,omitempty"`
	Attributes []Attribute `json:"attributes,omitempty"`
	// joined is set where another kind has what this one says.
	joined bool
}

// Key returns the entity's template of that key attribute.
func (e *Entity) Key(attribute string) (EntityKey, bool) {
	return entityKey(e.Keys, attribute)
}

func entityKey(keys []EntityKey, attribute string) (EntityKey, bool) {
	return first(keys, func(key EntityKey) bool { return key.Attribute == attribute })
}

// Attribute returns the entity's attribute of that name.
func (e *Entity) Attribute(name string) (Attribute, bool) {
	return first(e.Attributes, func(a Attribute) bool { return a.Name == name })
}

// EntityKey is the form of a key attribute's value.
type EntityKey struct {
	At
	Attribute string   `json:"attribute"`
	Template  Template `json:"template"`
}

// Attribute is one attribute of an item.
type Attribute struct {
	At
	Name string `json:"name"`
	// Type is DynamoDB's descriptor (S, N, BOOL, M, L, SS, ...), empty where the
	// document gives none.
	Type string `json:"type,omitempty"`
	// Note is what the document says of it.
	Note string `json:"note,omitempty"`
	// Required is "yes" or "no", empty where the document does not say.
	Required string `json:"required,omitempty"`
	// Allowed are the values of a list that the document gives.
	Allowed []string `json:"allowed,omitempty"`
}

// Pattern is one access pattern.
type Pattern struct {
	At
	Title string `json:"title"`
	// Listed is set for patterns of a list or table of access patterns, not for
	// requests in code alone.
	Listed bool `json:"listed"`
	// Operation is DynamoDB's name (GetItem, Query, ...), empty where the
	// document gives none.
	Operation  string      `json:"operation,omitempty"`
	Table      string      `json:"table,omitempty"`
	Index      string      `json:"index,omitempty"`
	Conditions []Condition `json:"conditions,omitempty"`
	// Limit is the documented number of items, 0 where there is none.
	Limit int `json:"limit,omitempty"`
	// Order is "ascending" or "descending", empty where the document gives none.
	Order string `json:"order,omitempty"`
	// Consistent is set where a strongly consistent read is asked for.
	Consistent bool   `json:"consistent,omitempty"`
	Text       string `json:"-"`
	// Last is the last line of the pattern.
	Last int `json:"last"`
	// Implied is set where no line says the operation, and only a Query can be asked with such conditions on keys.
	Implied bool `json:"implied,omitempty"`
	// Called is the line where a program begins its request, below the title whose line the pattern has; 0 for what is no program.
	Called int `json:"-"`
	// sortedBy is the attribute that a column of orders names, from the line where a fence begins.
	sortedBy string
	// shown is set where a cell has the value of one item.
	shown bool
	// keyed is set where the comparisons are those of a key condition expression.
	keyed bool
	// verb is set where a verb alone stands before keys, "GET PK = ...": it is the operation where the whole key is given.
	verb bool
	// apart is set where no line that is read gives the keys whose roles a request compares: those of the table of its section, or of its index.
	apart bool
	// unplaced is set where a line names an index that is not read.
	unplaced bool
	// asked is the name of the table in a program's request, where no line has such a table.
	asked string
	// number is the one that a list or title gives the pattern, "" for none.
	number string
	from   int
}

// Requests reports whether something of a pattern's request is read. Of others it is certain that the document asks for what the
// title says, and nothing else.
func (p *Pattern) Requests() bool { return p.Operation+p.Index != "" || len(p.Conditions) > 0 }

// RequestLine is the line where the request of a pattern begins.
func (p *Pattern) RequestLine() int { return cmp.Or(p.Called, p.Line) }

// Filters reports whether a comparison of the pattern stands in a filter expression.
func (p *Pattern) Filters() bool {
	return slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Filter })
}

// Condition is one comparison of a request: an attribute, DynamoDB's operator
// (=, <, <=, >, >=, BETWEEN, begins_with, and of filters also contains, attribute_exists and attribute_not_exists) and a value.
type Condition struct {
	Line      int      `json:"line"`
	Attribute string   `json:"attribute,omitempty"`
	Operator  string   `json:"operator"`
	Value     Template `json:"value"`
	High      Template `json:"high,omitempty"`
	// Filter is set where the comparison stands in a filter expression.
	Filter bool `json:"filter,omitempty"`
	// written is a value as it stands, where no line tells which of its words are literal.
	written string
	// word is the word in place of a value, of which no line tells whether it is literal: "PK = status".
	word string
}

// MarshalJSON gives a value as it stands where no line tells which of its words are literal.
func (c Condition) MarshalJSON() ([]byte, error) {
	type plain Condition
	c.Value = cmp.Or(c.Value, Template(c.written))
	return json.Marshal(plain(c))
}

// Example is an item, or a structure, that the document writes out.
type Example struct {
	At
	Last    int      `json:"last"`
	Heading string   `json:"heading,omitempty"`
	Members []Member `json:"members,omitempty"`
	// Of is the table of its section, nil where none is.
	Of *Table `json:"-"`
}

// Member returns the example's member of that name.
func (x *Example) Member(name string) (Member, bool) {
	return first(x.Members, func(member Member) bool { return member.Name == name })
}

// Member is one attribute of an example. Type is DynamoDB's descriptor of its
// value, Text the value of a String or Number.
type Member struct {
	Line    int      `json:"line"`
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Text    string   `json:"text,omitempty"`
	Members []Member `json:"members,omitempty"`
}

// Grid is a table of Markdown.
type Grid struct {
	// Line is that of the header.
	Line   int
	Header []string
	Rows   []GridRow
}

// GridRow is a row of a table: its cells without the marks of Markdown.
type GridRow struct {
	Line  int
	Cells []string
}

// Definition is the definition of a table in code, with the indexes that it has.
type Definition struct {
	Line, Last int
	Table      *Table
	Indexes    []string
	// attributes are those that it gives types.
	attributes []Member
}

// Dispute is a fact that two lines give differently.
type Dispute struct {
	Line  int    `json:"line"`
	Other int    `json:"other"`
	What  string `json:"what"`
}

// Unread is a line of which no form read all that it says, and why.
type Unread struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Why  string `json:"why"`
	// Asked is set for a line of a list of access patterns.
	Asked bool `json:"asked,omitempty"`
	// Last is the last line below a title that takes all of them out of the design, 0 for any other line.
	Last int `json:"-"`
}

// Gap is a run of lines of which no form read all that they say, for one reason.
type Gap struct {
	First, Last int
	// Lines is how many of them say something, Text what the first says.
	Lines     int
	Text, Why string
}

// Gaps are the lines that are not read, those that follow one another with one reason together.
func (d *Document) Gaps() (all []Gap) {
	latest := map[string]int{} // the last run of a reason
	for _, u := range d.Unread {
		n, is := latest[u.Why]
		switch {
		case !is || u.Line > all[n].Last+2:
			latest[u.Why] = len(all)
			all = append(all, Gap{First: u.Line, Last: u.Line, Lines: 1, Text: u.Text, Why: u.Why})
		case u.Line > all[n].Last:
			all[n].Lines, all[n].Last = all[n].Lines+1, u.Line
		}
	}
	return all
}
