// Package witness compares a contract with what the reader finds in the design
// document by itself. Contract and stack are written by people; where both share
// a misreading, the document is the only other witness.
//
// The witness objects, with lines. It never passes a claim.
package witness

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
)

// The kinds of objections: the first part of an objection's id.
const (
	// OwnName: no token of an element's citation names the element, so that the
	// citation proves something else.
	OwnName = "own-name"
	// Expiry: TTL, the attribute that it deletes by, and what readers take for
	// expired do not fit together.
	Expiry = "expiry"
	// Unnamed: the document names something that the contract does not have.
	Unnamed = "unnamed"
	// Differs: the document says something else of an element.
	Differs = "differs"
	// Elsewhere: an element cites other lines than those in which the document
	// says it.
	Elsewhere = "elsewhere"
	// Unclaimed: a line that says how the tables are read is cited by a finding
	// or the narrative alone.
	Unclaimed = "unclaimed"
	// Declared: a row of a table that the contract says how to read is not what the contract holds,
	// or an attribute has no row.
	Declared = "declared"
	// Stale: the contract answers an objection that nobody makes.
	Stale = "stale"
)

// Objection is one difference between a contract and its document. It is a
// warning: it never passes or fails a claim.
type Objection struct {
	// ID is the kind and the element, stable as long as both are.
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// Line is where the document says otherwise; 0 where the contract alone is
	// at fault.
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
	// Answer is the contract's reason why the objection does not hold, empty for
	// an open one.
	Answer string `json:"answer,omitempty"`
	// write says that it is about a pattern that writes.
	write bool
}

// Open returns the objections that the contract does not answer.
func Open(objections []Objection) []Objection {
	return lists.Where(objections, func(o Objection) bool { return o.Answer == "" })
}

// Object compares a contract with its document as the reader found it, and
// returns all objections in the order of their ids' first appearance. Those that
// the contract answers carry the answer. Without a document it makes those for
// which none is needed.
func Object(design *ap.Design, document *reader.Document) []Objection {
	w := &witness{design: design, doc: document}
	w.contractAlone()
	if document == nil {
		w.answers(false)
		return w.found
	}
	w.tables()
	w.entities()
	w.patterns()
	w.lines()
	w.readings()
	w.values()
	return w.answered(false)
}

// Of reads a design's document from a folder, and returns the objections that the
// contract's level reaches, and those about elements of later levels. Where the
// document is absent, or nothing that the reader can read, such as a template of
// tables, the contract alone is looked at.
func Of(design *ap.Design, folder string) (reached, later []Objection, err error) {
	document, err := Reading(design, folder)
	if err != nil {
		return nil, nil, err
	}
	for _, objection := range Object(design, document) {
		if design.Reaches(objection.Level()) {
			reached = append(reached, objection)
		} else {
			later = append(later, objection)
		}
	}
	return reached, later, nil
}

// readings are the documents that this process has read, by digest: hundreds of environments rest on a few. Nobody changes a reading.
var readings sync.Map

// Reading reads a design's document from a folder, and returns nil where it is absent or nothing that the reader can read.
func Reading(design *ap.Design, folder string) (document *reader.Document, err error) {
	if _, err = coverage.Read(folder, design.Document); err == nil {
		var text []byte
		if text, err = fs.ReadFile(input.Design(folder), design.Document.File); err == nil {
			read, _ := readings.LoadOrStore(sha256.Sum256(text), sync.OnceValues(func() (*reader.Document, error) { return reader.Read(text) }))
			document, err = read.(func() (*reader.Document, error))()
		}
	}
	if errors.Is(err, coverage.ErrNoDocument) || errors.Is(err, reader.ErrNoDocument) {
		return nil, nil //nolint:nilnil // there is none
	}
	return document, err
}

// Level is the level whose elements the objection is about.
func (o Objection) Level() ap.Level {
	switch {
	case o.write:
		return ap.LevelWrites
	case o.Kind == Unclaimed, strings.Contains(o.ID, "/pattern/"):
		return ap.LevelReads
	case o.Kind == Expiry, strings.Contains(o.ID, "/entity/"):
		return ap.LevelItems
	}
	return ap.LevelSchema
}

type witness struct {
	design *ap.Design
	doc    *reader.Document
	found  []Objection
	told   []string // lines with attributes whose type an objection gives that speaks of a key
}

// writes are the operations that change items.
var writes = map[string]bool{"PutItem": true, "UpdateItem": true, "DeleteItem": true, "BatchWriteItem": true, "TransactWriteItems": true}

// object makes an objection, each id once.
func (w *witness) object(kind, element string, line int, format string, args ...any) {
	id := kind + "/" + element
	if slices.ContainsFunc(w.found, func(o Objection) bool { return o.ID == id }) {
		return
	}
	w.found = append(w.found, Objection{ID: id, Kind: kind, Line: line, Message: fmt.Sprintf(format, args...)})
}

// answered fills in the contract's answers, and objects to those to what nobody says: of hazards,
// or of all others.
func (w *witness) answered(hazards bool) []Objection {
	w.answers(hazards)
	for _, answer := range w.design.Answers {
		if isHazard(answer) == hazards && !slices.ContainsFunc(w.found, func(o Objection) bool { return o.ID == answer.Objection }) {
			w.object(Stale, answer.Objection, 0, "the contract answers %s, and there is no such objection; remove the answer", answer.Objection)
		}
	}
	return w.found
}

func isHazard(answer ap.Answer) bool { return strings.HasPrefix(answer.Objection, Hazard+"/") }

var byFinding = lazyregexp.New(`^finding ([a-z0-9-]+)\b`)

// answers fills in the contract's answers: those that it gives, and the
// contradictions that it found on the line, where the text says both.
func (w *witness) answers(hazards bool) {
	for o := range lists.Each(w.found) {
		for _, answer := range w.design.Answers {
			if answer.Objection != o.ID || isHazard(answer) != hazards {
				continue
			}
			o.Answer = answer.Because
			if named := byFinding.FindStringSubmatch(answer.Because); named != nil && !slices.ContainsFunc(w.design.Findings, func(f ap.Finding) bool { return f.ID == named[1] }) {
				o.Answer = ""
				o.Message += fmt.Sprintf("; the contract answers by the finding %s, and has none of that name", named[1])
			}
		}
		for _, finding := range w.design.Findings {
			if o.Answer == "" && (o.Kind == Differs || o.Kind == Declared) && finding.Kind == ap.Contradiction && finding.Cite.Covers(o.Line, o.Line) {
				o.Answer = "finding " + finding.ID + ": " + finding.Title
			}
		}
	}
}

// names reports whether a name stands in one of the tokens as a word of its own.
func names(c ap.Citation, name string) bool {
	return slices.ContainsFunc(c.AllTokens(), func(token string) bool { return reader.HasWord(token, name) })
}

// numberIn matches a number, in digits or as one of the words below; the sign of a range is none of its own.
var (
	numberIn    = lazyregexp.New(`(?i)(?:^|[^\d.\w-])-\d[\d,]*(?:\.\d+)?|\d[\d,]*(?:\.\d+)?|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten)\b`)
	numberWords = strings.Fields("zero one two three four five six seven eight nine ten")
)

// hasNumber reports whether a line has a number: 5 of "1-5", 1000 of "1,000", 1 of "at least one".
func hasNumber(line string, number float64) bool {
	return slices.ContainsFunc(numberIn.FindAllString(line, -1), func(found string) bool {
		found = strings.TrimLeft(strings.ReplaceAll(found, ",", ""), " (`\"'")
		n, err := strconv.ParseFloat(found, 64)
		return err == nil && n == number || err != nil && float64(slices.Index(numberWords, strings.ToLower(found))) == number
	})
}

// gives reports whether one of the lines that a citation names says something.
func (w *witness) gives(cite ap.Citation, is func(line string) bool) bool {
	return slices.ContainsFunc(cite.Places(), func(place ap.Citation) bool { return slices.ContainsFunc(w.doc.Between(place.First, place.Last), is) })
}

// added are the words of a list that no line of its citation has. Of a list that is implied or chosen there are none.
func (w *witness) added(cite ap.Citation, list []string) []string {
	return lists.Where(list, func(word string) bool {
		return cite.Basis.Kind == ap.Stated && !w.gives(cite, func(line string) bool { return reader.HasWord(line, word) })
	})
}

// values: a number that bounds a stated attribute, each value of its list, and each attribute that an index copies by its name, stand on a line that is
// cited. No line says otherwise, so that no contradiction that the contract found on one answers it.
func (w *witness) values() {
	told := func(element string) bool {
		return slices.ContainsFunc(w.found, func(o Objection) bool { return strings.HasSuffix(o.ID, "/"+element) })
	}
	for _, entity := range w.design.Entities {
		for _, a := range entity.Attributes {
			element := "attribute/" + entity.ID + "/" + a.Name
			for n, bound := range []*float64{a.Minimum, a.Maximum} {
				if word := []string{"minimum", "maximum"}[n]; bound != nil && a.Cite.Basis.Kind == ap.Stated && !w.gives(a.Cite, func(line string) bool { return hasNumber(line, *bound) }) {
					w.object(Differs, element+"/"+word, 0, "no line that %s of %s cites gives %g, which is its %s in the contract; cite the line that does, or say what implies it", a.Name, entity.ID, *bound, word)
				}
			}
			if added := w.added(a.Cite, a.Allowed); len(added) > 0 && !told(element+"/allowed") {
				w.object(Differs, element+"/allowed", 0, "no line that %s of %s cites gives the values %q, which the contract allows; cite the line that does, or say what implies them", a.Name, entity.ID, added)
			}
		}
	}
	for table := range lists.Each(w.design.Tables) {
		of := w.same(table)
		for _, index := range table.Indexes {
			cite := index.Cite
			if index.ProjectionCite != nil {
				cite = *index.ProjectionCite
			}
			element := "index/" + table.ID + "/" + index.Name + "/" + manifest.AspectProjection
			read := of != nil && slices.ContainsFunc(of.Indexes, func(x *reader.Index) bool {
				own, is := table.Index(x.Name)
				return is && own.Name == index.Name && sameNames(x.Include, index.NonKeyAttributes)
			})
			if added := w.added(cite, index.NonKeyAttributes); len(added) > 0 && !read && !told(element) {
				w.object(Differs, element, 0, "no line that %s of %s cites for its projection names %s, which it copies in the contract; cite the line that does, or say what implies it", index.Name, table.ID, strings.Join(added, ", "))
			}
		}
	}
}

// contractAlone makes the objections for which the document is not needed: a
// citation names its own element, and expiry fits together.
func (w *witness) contractAlone() {
	own := func(element, name string, c ap.Citation) {
		if c.Basis.Kind == ap.Stated && !names(c, name) {
			w.object(OwnName, element, c.First, "no token of the citation names %s: expected it as a word of its own in one of %q; cite the line that names it", name, c.AllTokens())
		}
	}
	for table := range lists.Each(w.design.Tables) {
		open := placeholders.ReplaceAllString(string(table.Name), "{}")
		if !names(table.Cite, table.ID) && !slices.ContainsFunc(table.Cite.AllTokens(), func(token string) bool {
			return reader.HasWord(placeholders.ReplaceAllString(token, "{}"), open)
		}) {
			own("table/"+table.ID, string(table.Name), table.Cite)
		}
		for _, key := range table.Keys() {
			own("table/"+table.ID+"/key/"+key.Attribute, key.Attribute, table.KeyCite)
		}
		for _, index := range table.Indexes {
			own("index/"+table.ID+"/"+index.Name, index.Name, index.Cite)
		}
		if table.TTL != nil {
			own("table/"+table.ID+"/ttl", table.TTL.Attribute, table.TTL.Cite)
			w.ttl(table)
		}
	}
	for _, entity := range w.design.Entities {
		for _, a := range entity.Attributes {
			last := a.Name[strings.LastIndexByte(a.Name, '.')+1:]
			if !strings.HasSuffix(last, "[]") && last != "*" { // the members of a list or map have no name of their own
				own("attribute/"+entity.ID+"/"+a.Name, last, a.Cite)
			}
		}
	}
	for _, pattern := range w.design.Patterns {
		for _, step := range pattern.Steps {
			if step.Read == nil || step.Read.Expires == "" {
				continue
			}
			table, is := w.design.Table(step.Read.Table)
			ttl := "none"
			if is && table.TTL != nil {
				ttl = table.TTL.Attribute
			}
			if is && ttl != step.Read.Expires {
				w.object(Expiry, "pattern/"+pattern.ID, pattern.Cite.First, "the reader takes items as absent by %s, and the TTL of %s is %s; expected the same attribute", step.Read.Expires, table.ID, ttl)
			}
		}
	}
}

// ttl: DynamoDB deletes by a Number of an item of the table.
func (w *witness) ttl(table *ap.Table) {
	found := "no item of the table has it"
	for entity := range lists.Each(w.design.Entities) {
		if a, has := entity.Attribute(table.TTL.Attribute); has && entity.Table == table.ID {
			if a.Type == dynamo.Number {
				return
			} else if a.Type != "" {
				found = "it is of type " + string(a.Type)
			}
		}
	}
	w.object(Expiry, "table/"+table.ID+"/ttl", table.TTL.Cite.First, "TTL deletes by %s: expected a Number attribute of an item of %s, and %s", table.TTL.Attribute, table.ID, found)
}

var placeholders = lazyregexp.New(`\{[^{}]*\}|<[^<>]*>|\$\{[^{}]*\}`)

func plain(name string) string {
	return strings.Trim(strings.ToLower(placeholders.ReplaceAllString(name, "")), "-_. ")
}

// same returns the reader's table for one of the contract, nil for none.
func (w *witness) same(table *ap.Table) *reader.Table {
	for _, read := range w.doc.Tables {
		form, _ := reader.FormOf(read.Name)
		if plain(read.Name) == plain(string(table.Name)) || len(form.Parameters()) > 0 && form.Matches(string(table.Name)) || slices.ContainsFunc(read.Also, func(also string) bool { return also == table.ID }) {
			return read
		}
	}
	if len(w.doc.Tables) == 1 && len(w.design.Tables) == 1 && w.doc.Tables[0].Name == "" {
		return w.doc.Tables[0] // the document speaks of one table, and never by its name
	}
	return nil
}

// tables: what the reader says of tables and indexes, and the contract does not.
func (w *witness) tables() {
	seen := map[*reader.Table]bool{}
	for table := range lists.Each(w.design.Tables) {
		read := w.same(table)
		if read == nil {
			continue // own-name says whether the name stands at all
		}
		seen[read] = true
		w.table(table, read)
	}
	for _, read := range w.doc.Tables {
		if !seen[read] && read.Sure == reader.Said && read.Name != "" && len(read.Keys) > 0 {
			w.object(Unnamed, "table/"+read.Name, read.Line, "the document names the table %s, and the contract has no table of that name", read.Name)
		}
	}
}

// sameKeyNames reports whether the keys of a contract's index are those that are read.
func sameKeyNames(own ap.Keys, read []reader.Key) bool {
	return slices.EqualFunc(own, read, func(a ap.Key, b reader.Key) bool { return a.Attribute == b.Name })
}

func (w *witness) table(table *ap.Table, read *reader.Table) {
	element := "table/" + table.ID
	w.keys(element, table.Keys(), table.PartitionKey, read.Keys)
	for _, index := range read.Indexes {
		own, has := table.Index(index.Name)
		if index.Unnamed() && slices.ContainsFunc(table.Indexes, func(i ap.Index) bool { return sameKeyNames(i.Keys(), index.Keys) }) {
			continue // it has the keys, and no name to compare
		}
		if !has {
			if index.Sure == reader.Said {
				w.object(Unnamed, "index/"+table.ID+"/"+index.Name, index.Line, "the document names the index %s of %s, and the contract has none of that name", index.Name, table.ID)
			}
			continue
		}
		of := "index/" + table.ID + "/" + own.Name
		w.keys(of, own.Keys(), own.PartitionKey, index.Keys)
		if list := index.Include; len(list) > 0 && own.Projection == "INCLUDE" && !sameNames(list, own.NonKeyAttributes) {
			w.object(Differs, of+"/"+manifest.AspectProjection, index.Projection.Line, "the document projects %s into %s, the contract %s", strings.Join(list, ", "), own.Name, strings.Join(own.NonKeyAttributes, ", "))
		}
		w.setting(of, manifest.AspectProjection, &index.Projection, index.Projection.Value == "" || index.Projection.Value == string(own.Projection),
			"the document projects %s into "+own.Name+", the contract "+string(own.Projection))
	}
	switch ttl := table.TTL; {
	case read.TTL == nil:
	case ttl == nil:
		by := map[bool]string{false: " by "}[read.TTL.Value == ""]
		w.setting(element, manifest.AspectTTL, read.TTL, false, "the document gives "+table.ID+" a time to live"+by+"%s, and the contract none")
	default:
		w.setting(element, manifest.AspectTTL, read.TTL, read.TTL.Value == "" || read.TTL.Value == ttl.Attribute, "the document expires items of "+table.ID+" by %s, the contract by "+ttl.Attribute)
	}
	for _, mode := range read.Billing {
		w.setting(element, manifest.AspectBilling, &mode, table.Billing == "" || mode.Value == string(table.Billing), "the document bills "+table.ID+" as %s, the contract as "+string(table.Billing))
	}
	w.setting(element, manifest.AspectRegion, read.Region, table.Region != nil && read.Region != nil && table.Region.Region == read.Region.Value, "the document puts "+table.ID+" into %s, the contract does not")
	w.setting(element, manifest.AspectPITR, read.PITR, read.PITR != nil && (read.PITR.Value == "enabled") == (table.PITR != nil), "point-in-time recovery of "+table.ID+" is %s in the document, and the contract says otherwise")
	for _, tag := range read.Tags {
		if value, has := table.Tags[tag.Name]; !has || string(value) != tag.Value {
			w.object(Differs, element+"/"+manifest.AspectTags, tag.Line, "the document gives %s the tag %s=%s, the contract %q", table.ID, tag.Name, tag.Value, value)
		}
	}
}

// setting objects to a setting that the document gives and the contract does not have; the message
// says where its value stands.
func (w *witness) setting(element, aspect string, read *reader.Setting, same bool, message string) {
	if read != nil && read.Sure == reader.Said && !same {
		w.object(Differs, element+"/"+aspect, read.Line, message, read.Value)
	}
}

func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// keys compares key attributes: their names, roles and types.
func (w *witness) keys(element string, own []ap.Key, partition ap.Key, read []reader.Key) {
	for _, key := range read {
		at := slices.IndexFunc(own, func(k ap.Key) bool { return k.Attribute == key.Name })
		id := element + "/key/" + key.Name
		switch {
		case key.Sure != reader.Said:
		case at < 0:
			w.object(Differs, id, key.Line, "the document names %s as a key attribute of %s, the contract does not", key.Name, element)
		case (own[at].Attribute == partition.Attribute) != (key.Role == reader.Hash):
			w.object(Differs, id, key.Line, "%s is the %s key of %s in the document, and not in the contract", key.Name, key.Role, element)
		case key.Type != "" && key.Type != string(own[at].Type):
			w.object(Differs, id, key.Line, "%s of %s is %s in the document, and %s in the contract", key.Name, element, key.Type, own[at].Type)
		}
	}
}

// entity returns the contract's entity with the primary key of one that the
// reader found: of several the one that cites its line.
func (w *witness) entity(read *reader.Entity) (found *ap.Entity) {
	for entity := range lists.Each(w.design.Entities) {
		table, is := w.design.Table(entity.Table)
		if !is || w.same(table) != read.Table {
			continue
		}
		differs := slices.ContainsFunc(table.Keys(), func(key ap.Key) bool {
			own, has := entity.Key(key.Attribute)
			found, read := read.Key(key.Attribute)
			return !has || !read || found.Template.Shape() != own.Template.Shape()
		})
		if !differs && entity.Cite.Basis.Kind != ap.Chosen && (found == nil || entity.Cite.Covers(read.Line, read.Line)) {
			found = entity
		}
	}
	return found
}

// entities: forms of keys, attributes and their types.
func (w *witness) entities() {
	for _, read := range w.doc.Entities {
		var forms []string
		for _, key := range read.Keys {
			if _, own := read.Table.KeyNamed(key.Attribute); own && key.Sure == reader.Said {
				forms = append(forms, string(key.Template))
			}
		}
		if read.Sure != reader.Said || len(read.Keys) == 0 || len(forms) < len(read.Table.Keys) {
			continue
		}
		if entity := w.entity(read); entity != nil {
			w.compare(entity, read)
		} else {
			w.object(Unnamed, "entity/"+strings.Join(forms, "+"), read.Line, "the document describes %s with the key %s, and the contract has no such entity", read.Title, strings.Join(forms, ", "))
		}
	}
}

func (w *witness) compare(entity *ap.Entity, read *reader.Entity) {
	for _, key := range read.Keys {
		own, has := entity.Key(key.Attribute)
		id := "entity/" + entity.ID + "/key/" + key.Attribute
		switch {
		case key.Sure != reader.Said:
		case !has:
			w.object(Differs, id, key.Line, "the document gives %s the key %s = %s, the contract does not", entity.ID, key.Attribute, key.Template)
		case own.Template.Shape() != key.Template.Shape() && own.Cite.Basis.Kind == ap.Stated && key.Template.Shape() != "{}":
			w.object(Differs, id, key.Line, "%s of %s has the form %s in the document, and %s in the contract", key.Attribute, entity.ID, key.Template, own.Template)
		}
	}
	for _, a := range read.Attributes {
		element := "attribute/" + entity.ID + "/" + a.Name
		own, has := attributeOf(entity, a.Name)
		if a.Sure != reader.Said {
			continue
		}
		if w.toldOfKey(entity, a.Name, a.Type) {
			a.Type, w.told = "", append(w.told, fmt.Sprint(a.Line, " ", a.Name))
		}
		if !has {
			if key, isKey := entity.Key(a.Name); !isKey {
				w.object(Unnamed, element, a.Line, "the document gives %s the attribute %s, the contract does not", entity.ID, a.Name)
			} else if a.Type != "" && a.Type != string(typeOf(key)) {
				w.object(Differs, "entity/"+entity.ID+"/key/"+a.Name, a.Line, "%s of %s is %s in the document, and %s in the contract", a.Name, entity.ID, a.Type, typeOf(key))
			}
			continue
		}
		itself, stated := own.Name == a.Name, own.Cite.Basis.Kind == ap.Stated
		if a.Type != "" && itself && string(own.Type) != a.Type {
			w.object(Differs, element, a.Line, "%s of %s is %s in the document, and %s in the contract", a.Name, entity.ID, a.Type, own.Type)
		}
		if itself && stated {
			if len(own.Allowed) == 0 {
				a.Allowed = nil // the contract takes any
			}
			w.bounds(Differs, "the document", entity, own, a)
		}
		if stated && !own.Cite.Covers(a.Line, a.Line) {
			w.object(Elsewhere, element, a.Line, "%s of %s is cited from line %s, and the document describes it in line %d", a.Name, entity.ID, own.Cite, a.Line)
		}
	}
}

// bounds compares what a place of the document says of an attribute's presence and of its values with the contract.
func (w *witness) bounds(kind, where string, entity *ap.Entity, own *ap.Attribute, read reader.Attribute) {
	element, required := "attribute/"+entity.ID+"/"+own.Name, own.Presence == ap.Required
	if read.Required == "yes" && !required || read.Required == "no" && required {
		words := map[bool]string{true: "required", false: "optional"}
		w.object(kind, element+"/presence", read.Line, "%s of %s is %s in %s, and %s in the contract", own.Name, entity.ID, words[!required], where, words[required])
	}
	if len(read.Allowed) > 0 && !sameNames(read.Allowed, own.Allowed) {
		w.object(kind, element+"/allowed", read.Line, "%s gives %s of %s the values %s, the contract %q", where, own.Name, entity.ID, strings.Join(read.Allowed, ", "), strings.Join(own.Allowed, ", "))
	}
}

// toldOfKey reports whether an objection gives a key of the entity's table this type already: one cause is one objection.
func (w *witness) toldOfKey(entity *ap.Entity, name, kind string) bool {
	return kind != "" && slices.ContainsFunc(w.found, func(o Objection) bool {
		of, isTable := strings.CutPrefix(o.ID, Differs+"/table/"+entity.Table+"/")
		of, isIndex := strings.CutPrefix(of, Differs+"/index/"+entity.Table+"/")
		return (isTable || isIndex) && strings.HasSuffix("/"+of, "/key/"+name) && strings.Contains(o.Message, " is "+kind+" in the document, and ")
	})
}

func typeOf(key *ap.KeyAttribute) dynamo.Type { return cmp.Or(key.Type, dynamo.String) }

// attributeOf returns the attribute of that name, or one that is a path into it.
func attributeOf(entity *ap.Entity, name string) (*ap.Attribute, bool) {
	if own, has := entity.Attribute(name); has {
		return own, true
	}
	for a := range lists.Each(entity.Attributes) {
		if strings.HasPrefix(a.Name, name+".") || strings.HasPrefix(a.Name, name+"[") {
			return a, true
		}
	}
	return nil, false
}

// patterns: what the document lists and no pattern of the contract rests on.
func (w *witness) patterns() {
	for _, read := range w.doc.Patterns {
		if !read.Listed || read.Sure != reader.Said {
			continue
		}
		on := lists.Which(w.design.Patterns, func(p *ap.Pattern) bool { return p.Cite.Covers(read.Line, read.Last) })
		if len(on) == 0 {
			w.object(Unclaimed, "pattern/"+slug(read.Title), read.Line, "the document lists the access pattern %q, and no pattern of the contract cites it", read.Title)
			w.found[len(w.found)-1].write = writes[read.Operation]
			continue
		}
		w.pattern(on, read)
	}
}

var notWord = lazyregexp.New(`[^a-z0-9]+`)

func slug(title string) string {
	return strings.Trim(notWord.ReplaceAllString(strings.ToLower(title), "-"), "-")
}

// pattern compares a listed pattern with those of the contract that cite it: one of them must read
// that index, in that order, with that limit, and filter where the document does.
func (w *witness) pattern(on []*ap.Pattern, read *reader.Pattern) {
	var all, through []*ap.Read
	for _, p := range on {
		for _, s := range p.Steps {
			if s.Read != nil && p.Cite.Basis.Kind == ap.Stated {
				all = append(all, s.Read)
			}
			if s.Read != nil && s.Read.Index == read.Index && p.Cite.Basis.Kind == ap.Stated {
				through = append(through, s.Read)
			}
		}
	}
	none := func(said bool, aspect string, reads []*ap.Read, is func(*ap.Read) bool, format string, args ...any) {
		if said && len(reads) > 0 && !slices.ContainsFunc(reads, is) {
			w.object(Differs, "pattern/"+on[0].ID+aspect, read.Line, format+", and no step of %s does", append(args, on[0].ID)...)
		}
	}
	none(read.Order == "descending", "/order", through, func(r *ap.Read) bool { return r.Order == ap.Descending }, "the document reads %q in %s order", read.Title, read.Order)
	none(read.Limit > 0, "/limit", through, func(r *ap.Read) bool { return int(r.Limit) == read.Limit }, "the document limits %q to %d", read.Title, read.Limit)
	none(read.Filters(), "/filter", through, func(r *ap.Read) bool { return len(r.Filter) > 0 }, "the document filters %q", read.Title)
	none(read.Index != "" && len(read.Conditions) > 0, "", all, func(r *ap.Read) bool { return r.Index == read.Index }, "the document reads %q through %s", read.Title, read.Index)
}

// lines: a line of the part on access patterns is claimed by more than a
// finding.
func (w *witness) lines() {
	claims := map[int][]string{}
	for _, cited := range manifest.Citations(w.design) {
		rest, _ := strings.CutPrefix(cited.Element, w.design.Name+"/")
		kind, _, _ := strings.Cut(rest, "/")
		if cited.Citation.First == w.design.AccessPatterns.First && (kind == "ledger" || kind == "document") {
			continue // the part as a whole
		}
		for _, place := range cited.Citation.Places() {
			for number := place.First; number <= place.Last; number++ {
				if slices.ContainsFunc(place.Tokens, func(token string) bool { return token != "" && strings.Contains(w.doc.Line(number), token) }) {
					claims[number] = append(claims[number], kind)
				}
			}
		}
	}
	for _, place := range w.design.AccessPatterns.Places() {
		for number := place.First; number <= place.Last; number++ {
			kinds := claims[number]
			if len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind string) bool { return kind != "finding" }) {
				w.object(Unclaimed, fmt.Sprintf("line/%d", number), number, "line %d is in the part on access patterns, and only a finding cites it: expected a pattern, or a reason in the narrative", number)
			}
		}
	}
}
