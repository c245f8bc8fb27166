package drafter

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/dynamo"
)

var (
	marks        = lazyregexp.New(`\$?\{[^{}]*\}|<[^<>]*>|\[[^\[\]]*\]`)
	environments = lazyregexp.New(`(?i)^(env|environment|stage)$`)
	plainName    = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	bareValue    = lazyregexp.New(`^[A-Za-z0-9_#:|/.{}-]+$`)
	moment       = lazyregexp.New(`(?i)(?:^|\| )ISO[- ]?8601 (?:timestamp|date[- ]?time)\b`)
	iso          = lazyregexp.New(`(?i)\bISO[- ]?8601\b`)
	writeTitle   = lazyregexp.New(`(?i)^(?:[A-Z]+-?\d+[:.]?\s+)?(?:create|register|add|put|insert|save|store|record|update|edit|change|set|mark|delete|remove|cancel)\b`)
)

// add adds an element, where the document does not speak of a plan.
func (d *draft) add(section int, at reader.At, value any) *element {
	e := &element{section: section, line: at.Line, value: value}
	if at.Sure != reader.Planned {
		d.elements = append(d.elements, e)
	}
	return e
}

// tableID is the logical id of a table: its name without placeholders.
func (d *draft) tableID(table *reader.Table) string {
	return strings.Trim(strings.ReplaceAll(marks.ReplaceAllString(cmp.Or(table.Name, d.design), ""), "--", "-"), "-_.")
}

// deployedName is the name with its placeholder in braces, as a contract writes it. It
// returns false for a placeholder that is no environment.
func deployedName(name string) (string, bool) {
	known := true
	name = marks.ReplaceAllStringFunc(name, func(mark string) string {
		inner := strings.Trim(mark, "${}<>[]")
		known = known && environments.MatchString(inner)
		return "{" + inner + "}"
	})
	return name, known
}

func (d *draft) tables() {
	for _, table := range d.doc.Tables {
		t := &file.Table{}
		e := d.add(0, table.At, t)
		e.id = d.tableID(table)
		t.Cite = d.cite(d.nameOf(table))
		hash, has := table.Key(reader.Hash)
		if !has {
			e.todo = fmt.Sprintf("table %s: no line names its partition key", e.id)
			continue
		}
		name, known := deployedName(table.Name)
		switch t.Name = ap.NameTemplate(name); {
		case table.Name == "":
			t.Name, t.Cite = ap.NameTemplate(d.design), t.Cite.Chosen("no line names the table")
			e.decide(table.Line, "no line names the table", "name:")
		case !known:
			t.Name, e.todo = "", fmt.Sprintf("table %s: a placeholder of a table's name stands for the environment, and this one does not say so", table.Name)
		}
		keys := []reader.Key{hash}
		if sort, has := table.Key(reader.Range); has {
			keys = append(keys, sort)
		}
		var at []place
		for i, key := range keys {
			*[]*file.Pairs{&t.PartitionKey, &t.SortKey}[i] = d.key(e, table, key)
			at = append(at, place{key.Line, key.Name})
		}
		t.KeyCite = d.cite(at...)
		if slices.ContainsFunc(at, func(p place) bool { return !strings.Contains(d.doc.Line(p.line), p.token) }) {
			t.KeyCite = t.KeyCite.Chosen("no line names the attribute of a key")
		}
		if slices.ContainsFunc(keys, func(k reader.Key) bool { return k.Type == "" }) {
			t.TypesCite = new(d.cite(at...).Chosen("no line gives the type of a key"))
		}
		d.indexes(e, t, table)
		d.settings(e, t, table)
	}
}

// key is a key with its type, or with one that is chosen.
func (d *draft) key(e *element, table *reader.Table, key reader.Key, in ...string) file.Pairs {
	if key.Type == "" {
		head := map[string]string{reader.Hash: "partition-key:", reader.Range: "sort-key:"}[key.Role]
		line, why := key.Line, "no line gives the type of "+key.Name
		for _, entity := range d.doc.Entities {
			if a, listed := entity.Attribute(key.Name); listed && entity.Table == table && a.Type != "" {
				line, why = a.Line, fmt.Sprintf("%s is %s here, which no key can be", key.Name, a.Type)
			}
		}
		e.decide(line, why+": S is chosen", append(in, head)...)
	}
	return file.Pairs{{Name: key.Name, Value: cmp.Or(key.Type, "S")}}
}

// nameOf is where a table's name stands: for one without a name, where the table begins.
func (d *draft) nameOf(table *reader.Table) place {
	if table.Name == "" {
		return place{line: table.Line}
	}
	return d.named(table.Line, table.Name, d.tableID(table))
}

// named is where one of the names of what begins at a line stands first from there on.
func (d *draft) named(from int, names ...string) place {
	for line := from; line > 0 && line <= d.doc.Lines; line++ {
		for _, name := range names {
			if reader.HasWord(d.doc.Line(line), name) {
				return place{line, name}
			}
		}
	}
	return place{line: from}
}

func (d *draft) indexes(e *element, t *file.Table, table *reader.Table) {
	var drawn, spoken []place
	for _, index := range table.Indexes {
		hash, hasHash := index.Key(reader.Hash)
		sort, hasSort := index.Key(reader.Range)
		at := []place{d.named(index.Line, index.Name)}
		switch {
		case index.Sure == reader.Planned:
			continue
		case index.Local && !hasSort || !index.Local && !hasHash:
			e.decide(index.Line, fmt.Sprintf("index %s: no line names its %s key", index.Name, map[bool]string{true: "sort", false: "partition"}[index.Local]))
			spoken = append(spoken, at...)
			continue
		case index.Unnamed():
			e.decide(index.Line, index.Name+": no line gives the name of the index")
			spoken = append(spoken, place{line: index.Line})
			continue
		}
		drawn, spoken = append(drawn, at...), append(spoken, at...)
		var own file.Index
		if !index.Local {
			own.PartitionKey, at = d.key(e, table, hash, index.Name+":"), append(at, place{hash.Line, hash.Name})
		}
		if hasSort {
			own.SortKey, at = d.key(e, table, sort, index.Name+":"), append(at, place{sort.Line, sort.Name})
		}
		own.Index = ap.Index{Name: index.Name, Projection: dynamo.Projection(index.Projection.Value), NonKeyAttributes: index.Include, Cite: d.cite(at...)}
		own.ProjectionCite = new(d.cite(place{index.Projection.Line, d.asWritten(index.Projection.Line, index.Projection.Value)}))
		if own.Projection == "" || own.Projection == "INCLUDE" && len(index.Include) == 0 {
			own.Projection, own.NonKeyAttributes = "ALL", nil
			own.ProjectionCite = new(d.cite(at[0]).Chosen("no line gives the projection"))
			e.decide(index.Line, "no line gives the projection: ALL is chosen", index.Name+":", "projection:")
		}
		if index.Local {
			t.LocalIndexes = append(t.LocalIndexes, file.LocalIndex{Index: own.Index, SortKey: own.SortKey})
		} else {
			t.Indexes = append(t.Indexes, own)
		}
	}
	switch {
	case len(drawn) > 0:
		t.IndexesCite = d.cite(drawn...)
	case len(spoken) > 0:
		t.IndexesCite = d.cite(spoken...)
	case table.NoIndexes != nil:
		t.IndexesCite = d.cite(d.nameOf(table), place{table.NoIndexes.Line, ""})
	default:
		t.IndexesCite = d.cite(d.nameOf(table))
		t.IndexesCite = t.IndexesCite.Implied("no line gives an index")
		e.decide(table.Line, "no form read an index", "indexes-cite:")
	}
}

// asWritten is the first of the words that the line has, as it spells it. Case is
// ignored.
func (d *draft) asWritten(line int, words ...string) string {
	text := d.doc.Line(line)
	for _, word := range words {
		if at := strings.Index(strings.ToLower(text), strings.ToLower(word)); at >= 0 && at+len(word) <= len(text) {
			return text[at : at+len(word)]
		}
	}
	return ""
}

func (d *draft) settings(e *element, t *file.Table, table *reader.Table) {
	cite := func(s *reader.Setting, words ...string) ap.Citation {
		return d.cite(place{s.Line, cmp.Or(d.asWritten(s.Line, words...), s.Value)})
	}
	if len(table.Billing) > 0 {
		mode := table.Billing[0]
		t.Billing = &file.Billing{Mode: mode.Value, Cite: cite(&mode, mode.Value, "on-demand", "on demand")}
		if other := slices.IndexFunc(table.Billing, func(s reader.Setting) bool { return s.Value != mode.Value }); other > 0 {
			e.decide(table.Billing[other].Line, "and "+table.Billing[other].Value+" here; which of the two is deployed?", "billing:")
		}
	}
	switch ttl := table.TTL; {
	case ttl != nil && ttl.Value == "":
		e.decide(ttl.Line, "items expire, and no line names the attribute of the TTL")
	case ttl != nil:
		t.TTL = &ap.TTL{Attribute: ttl.Value, Cite: cite(ttl)}
	}
	if pitr := table.PITR; pitr != nil && pitr.Value == "enabled" {
		t.PITR = &ap.Promise{Cite: cite(pitr, "point-in-time recovery", "PITR", "pointInTimeRecovery")}
	}
	if stream := table.Stream; stream != nil {
		t.Stream = &ap.StreamPromise{View: stream.Value, Cite: cite(stream)}
	}
	if region := table.Region; region != nil {
		t.Region = &ap.RegionPromise{Region: region.Value, Cite: cite(region)}
	}
	var at []place
	tags := &file.Tags{}
	for _, tag := range table.Tags {
		if value, known := deployedName(tag.Value); known && !slices.Contains(tags.Values.Names(), tag.Name) {
			tags.Values = append(tags.Values, file.Pair{Name: tag.Name, Value: value})
			at = append(at, place{tag.Line, tag.Name})
		}
	}
	if len(at) > 0 {
		tags.Cite, t.Tags = d.cite(at...), tags
	}
}

// written finds a key's form on a line in the document's own notation.
func (d *draft) written(line int, t reader.Template) string {
	if name := strings.Trim(string(t), "{}"); t.Shape() == "{}" && strings.Contains(d.doc.Line(line), name) {
		return name // an attribute that is the key as it stands
	}
	form := strings.ReplaceAll(regexp.QuoteMeta(t.Shape()), `\{\}`, "(?:\\$?\\{\\{?[^{}]+\\}\\}?|<[^<>]+>|\\[[^\\[\\]]+\\]|:?[A-Za-z0-9_.-]+)")
	return regexp.MustCompile(form).FindString(d.doc.Line(line))
}

func (d *draft) entities() {
	for _, entity := range d.doc.Entities {
		own := &ap.Entity{Title: oneLine(entity.Title), Table: d.tableID(entity.Table)}
		e := d.add(1, entity.At, own)
		if entity.Sure == reader.Planned {
			continue
		}
		e.id = d.id("entity", entity.Title)
		d.entityIDs[entity] = e.id
		at, keys, drawn := []place{}, map[string]bool{}, map[string]bool{}
		for _, key := range entity.Keys {
			place := place{key.Line, d.written(key.Line, key.Template)}
			one := ap.KeyAttribute{Attribute: key.Attribute, Template: ap.KeyTemplate(key.Template), Cite: d.cite(place)}
			if defined, _ := entity.Table.AnyKey(key.Attribute); defined.Type == "N" || defined.Type == "B" {
				one.Type = dynamo.Type(defined.Type)
			}
			_, always := entity.Table.KeyNamed(key.Attribute)
			listed, _ := entity.Attribute(key.Attribute)
			one.Optional = !always && listed.Required == "no"
			own.Keys = append(own.Keys, one)
			keys[key.Attribute], at = true, append(at, place)
		}
		if reader.HasWord(d.doc.Line(entity.Line), entity.Title) {
			at = []place{{entity.Line, entity.Title}}
		} // of items below the head of a table the keys tell
		own.Cite = d.cite(at...)
		var lacks []string
		for _, key := range entity.Table.Keys {
			if !keys[key.Name] {
				lacks = append(lacks, key.Name)
			}
		}
		switch {
		case !slices.Contains(d.doc.Tables, entity.Table):
			e.todo, own.Table = entity.Title+": no line names its table", ""
		case len(lacks) > 0:
			e.todo = fmt.Sprintf("%s: no line gives the form of its key %s", entity.Title, strings.Join(lacks, ", "))
		}
		if e.todo != "" {
			delete(d.entityIDs, entity) // no pattern of the draft rests on it
		}
		all := slices.Clone(entity.Attributes)
		if ttl := entity.Table.TTL; ttl != nil && ttl.Value != "" && !slices.ContainsFunc(d.doc.Entities, func(e *reader.Entity) bool {
			_, listed := e.Attribute(ttl.Value) // where some list it, the others do not expire
			return e.Table == entity.Table && listed
		}) {
			all = append(all, reader.Attribute{At: ttl.At, Name: ttl.Value, Type: "N"}) // a TTL is always a Number
		}
		for _, a := range all {
			if !plainName.MatchString(a.Name) {
				e.decide(a.Line, oneLine(a.Name)+": an attribute, part of one, or no name at all?")
				continue
			}
			one := ap.Attribute{Name: a.Name, Type: dynamo.Type(a.Type), Presence: ap.Optional, Allowed: a.Allowed, Cite: d.cite(place{a.Line, a.Name})}
			if moment.MatchString(a.Note) && a.Type == "S" {
				one.Format = ap.ISOTimestamp
			}
			key, isKey := entity.Key(a.Name)
			if a.Required == "yes" || isKey && !slices.ContainsFunc(own.Keys, func(k ap.KeyAttribute) bool { return k.Attribute == a.Name && k.Optional }) {
				one.Presence = ap.Required
			}
			if more := len(one.Allowed) > 0 || one.Format != ""; !drawn[a.Name] && (!keys[a.Name] || more && key.Template.Shape() == "{}") {
				drawn[a.Name] = true // each once, and a key where the line says more of it than its form
				own.Attributes = append(own.Attributes, one)
				if iso.MatchString(a.Note) && a.Type == "S" && one.Format == "" {
					e.decide(a.Line, "ISO 8601, and no form reads whether it is a timestamp or a date: write its format", "attributes:", a.Name+":")
				}
			}
		}
	}
}

// filled is a pattern in which "GetItem(userId)" has the key of its items: the attribute as it stands. Where its lines name another
// value, or this one in quotes, no form reads it.
func (d *draft) filled(p *reader.Pattern) *reader.Pattern {
	text := strings.Join(d.doc.Between(p.Line, max(p.Line, p.Last)), "\n")
	filled := *p
	filled.Conditions = slices.Clone(p.Conditions)
	for i := range filled.Conditions {
		c := &filled.Conditions[i]
		own := reader.Template("{" + c.Attribute + "}")
		quoted := strings.Contains(text, `"`+c.Attribute+`"`) || strings.Contains(text, "'"+c.Attribute+"'")
		if c.Value == "" && c.Operator == "=" && !quoted && reader.HasWord(text, c.Attribute) && slices.ContainsFunc(d.doc.Entities, func(e *reader.Entity) bool {
			key, has := e.Key(c.Attribute)
			return has && e.In == p.Table && key.Template == own
		}) {
			c.Value = own
		}
	}
	return &filled
}

// patternPart is the part of the document that lists access patterns.
func (d *draft) patternPart() (first, last int, token string) {
	for _, p := range d.doc.Patterns {
		if p.Listed {
			first, last = min(cmp.Or(first, p.Line), p.Line), max(last, p.Last)
		}
	}
	if first == 0 && len(d.doc.Patterns) > 0 {
		first, last = d.doc.Patterns[0].Line, d.doc.Patterns[0].Line
	}
	return first, last, words(d.doc.Line(first))
}

func (d *draft) patterns() {
	for _, p := range d.doc.Patterns {
		p := d.filled(p)
		own := &file.Pattern{Pattern: ap.Pattern{Title: oneLine(cmp.Or(p.Title, fmt.Sprintf("%s, line %d", cmp.Or(p.Operation, "Request"), p.Line))), Cite: d.cite(place{p.Line, p.Title})}}
		e := d.add(2, p.At, own)
		if p.Sure == reader.Planned {
			continue
		}
		before, _, _ := strings.Cut(p.Title, " (")
		e.id = d.id("pattern", before)
		step, why := d.step(p)
		found := d.returned(p)
		if step.Get+step.Query != "" {
			own.Steps, own.Returns = []file.Step{step}, found
		} else if p.Operation == "PutItem" && len(found) == 1 {
			own.Steps = []file.Step{{Action: file.Action{Put: found[0]}}}
		}
		if why == "" && slices.ContainsFunc(d.doc.Unread, func(u reader.Unread) bool { return u.Asked && p.Line <= u.Line && u.Line <= p.Last }) {
			why = "no form reads all that its line says: compare the request with it"
		}
		if why != "" {
			e.todo = own.Title + ": " + why
		}
	}
}

// step is the one request of a pattern, or why it cannot be.
func (d *draft) step(p *reader.Pattern) (step file.Step, why string) {
	table := d.doc.Table(p.Table)
	if table == nil {
		return step, "no form reads which table it reads"
	}
	keys, source := table.Keys, d.tableID(table)
	if p.Index != "" {
		index, is := table.Index(p.Index)
		if !is {
			return step, "no line defines the index " + p.Index
		} else if index.Unnamed() {
			return step, "no line gives the name of its index (" + p.Index + ")"
		}
		keys, source = index.Keys, source+"/"+index.Name
	}
	var conditions, filters, names, given []string
	values := map[string]string{}
	other, silent := false, ""
	for _, key := range keys {
		names = append(names, key.Name)
		for _, c := range p.Conditions {
			if c.Attribute == key.Name && !c.Filter && values[key.Name] == "" {
				values[key.Name], conditions = string(c.Value), append(conditions, expression(c))
			}
		}
	}
	for _, c := range p.Conditions {
		given, other = append(given, c.Attribute), other || c.Operator != "=" || c.Filter
		if c.Value == "" && !strings.HasPrefix(c.Operator, "attribute_") {
			silent = cmp.Or(silent, c.Attribute)
		}
		if c.Filter {
			filters = append(filters, expression(c))
		}
	}
	whole := len(values) == len(keys)
	switch {
	case p.Operation == "" && writeTitle.MatchString(p.Title):
		return step, "of level writes, by its title: write what it writes, under which condition"
	case !p.Requests():
		return step, "no form reads its request"
	case p.Operation == "" && p.Index == "" && len(keys) > 0 && whole && !other:
		why = "the whole key is given, and no line says whether it is a GetItem or a Query"
	case silent != "":
		return step, "no form reads the value of " + silent
	case p.Operation == "GetItem" && (!whole || p.Index != "" || other):
		return step, "a GetItem needs the whole key of the table, " + strings.Join(names, " and ") + "; the lines give " + cmp.Or(strings.Join(given, " and "), "no attribute")
	case p.Operation == "GetItem":
	case p.Operation == "Scan":
		return step, "a Scan needs a waiver: who accepts it, and why"
	case strings.HasSuffix(p.Operation, "GetItem") || strings.HasSuffix(p.Operation, "GetItems"):
		return step, p.Operation + ": write the keys that it reads"
	case p.Operation != "Query" && p.Operation != "":
		return step, p.Operation + ", of level writes: write what it writes, under which condition"
	case len(keys) == 0 || values[keys[0].Name] == "":
		return step, "no form reads the value of the partition key"
	}
	switch {
	case silent != "":
		return step, why
	case whole && p.Operation != "Query" && p.Index == "" && !other:
		step.Get = source
		for _, name := range names {
			step.Read.Key = append(step.Read.Key, file.Pair{Name: name, Value: values[name]})
		}
		return step, why
	}
	step.Read = file.Read{Query: source, Where: strings.Join(conditions, " AND "), Filter: strings.Join(filters, " AND "), Limit: p.Limit}
	if p.Order == "descending" {
		step.Order = p.Order
	}
	return step, ""
}

// expression is a condition as a contract writes it, with its values in quotes where they need them.
func expression(c reader.Condition) string {
	for _, value := range []*reader.Template{&c.Value, &c.High} {
		if !bareValue.MatchString(string(*value)) {
			*value = reader.Template("'" + strings.ReplaceAll(string(*value), "'", "''") + "'")
		}
	}
	return c.String()
}

// returned are the kinds of items that a read finds, by their keys.
func (d *draft) returned(p *reader.Pattern) (found []string) {
	for _, entity := range d.doc.Entities {
		fits, asked := entity.Table.Name == p.Table && d.entityIDs[entity] != "", 0
		for _, c := range p.Conditions {
			if _, isKey := entity.Table.AnyKey(c.Attribute); !isKey || c.Filter {
				continue
			}
			asked++
			key, has := entity.Key(c.Attribute)
			own, value := key.Template.Shape(), c.Value.Shape()
			if c.Operator == "=" {
				fits = fits && has && (own == value || key.Template.Matches(string(c.Value)) && !strings.Contains(value, "{}"))
			} else {
				fits = fits && has && (strings.HasPrefix(own, value) || strings.HasPrefix(value, own))
			}
		}
		if fits && asked > 0 {
			found = append(found, d.entityIDs[entity])
		}
	}
	return found
}
