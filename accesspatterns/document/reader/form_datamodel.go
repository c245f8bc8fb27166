package reader

import (
	"slices"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// AWS's dynamodb_data_model.md, as the tool for data modelling of its MCP server writes it:
// "### Orders Table" and "### ByStatus GSI" with the same labels below each, an index under the
// heading of the table that stands before it. The form applies where a section of tables has the
// labels that only this tool writes.

var (
	modelLabel = lazyregexp.New(`(?i)^(?:aggregate boundary|access patterns served|sk taxonomy|bounded read strategy)$`)
	modelIndex = lazyregexp.New("(?i)^`?([\\w.-]+)`? (?:GSI|index|LSI|global secondary index)$")
	taxon      = lazyregexp.New("`([^`]+)`")
	typedName  = lazyregexp.New("`?([A-Za-z_][\\w.-]*)`?\\s*(?:\\(([A-Za-z]+)[^()]*\\)|\\b(S|N|B|BOOL|M|L|SS|NS|BS)\\b)")
)

func (r *reader) isDataModel() bool {
	labels := 0
	for _, b := range r.blocks {
		if label, _, _, is := split(b.text); is && b.kind == itemBlock && modelLabel.MatchString(spell(label)) {
			labels++
		}
	}
	return labels >= 2
}

// dataModel gives the indexes of a data model to the tables that they follow.
func (r *reader) dataModel() {
	if !r.isDataModel() {
		return
	}
	var table *Table
	for _, b := range r.blocks {
		f := b.frame
		if b.kind == headingBlock {
			if f.level <= 2 {
				table = nil
			}
			if f.table != nil {
				table = f.table
				continue
			}
			match := modelIndex.FindStringSubmatch(cleanTitle(ticked(b.text)))
			if match == nil || table == nil {
				continue
			}
			f.index = table.addIndex(match[1], At{b.line, Said})
			f.index.Line = b.line
			f.table, r.done[b.line] = table, true
			r.doc.Unread = slices.DeleteFunc(r.doc.Unread, func(u Unread) bool { return u.Line == b.line })
		}
	}
	for _, b := range r.blocks {
		if b.kind == itemBlock {
			r.modelLine(b)
		}
	}
}

// modelLine reads the labels of a table or index that are no general ones.
func (r *reader) modelLine(b *block) {
	label, value, _, is := split(b.text)
	table := r.table(b.frame)
	if !is || table == nil {
		return
	}
	at := b.frame.up(func(f *frame) bool { return f.index != nil || f.table != nil })
	switch wordOf(label) {
	case wTaxonomy:
		if at == nil || at.index != nil {
			return
		}
		r.taxonomy = append(r.taxonomy, taxonomyLine{table, b.frame, value})
	case wAttributes:
		if at == nil || at.index != nil {
			return
		}
		entity := r.entityAt(at, table, b.line)
		for _, match := range typedName.FindAllStringSubmatch(ticked(value), -1) {
			if kind := typeOf(match[2] + match[3]); kind != "" {
				entity.attribute(Attribute{At: At{b.line, Said}, Name: match[1], Type: kind})
				r.done[b.line] = true
			}
		}
	case wSparse:
		r.done[b.line] = true
	}
}

// taxonomyLine is a line with the forms of a table's sort keys.
type taxonomyLine struct {
	table *Table
	frame *frame
	value inline
}

// taxa makes a kind of item of each form of a table's sort key. The partition key is the attribute
// itself.
func (r *reader) taxa() {
	for _, t := range r.taxonomy {
		hash, hasHash := t.table.Key(Hash)
		sort, hasSort := t.table.Key(Range)
		if !hasHash || !hasSort || isNone(t.value.text) {
			continue
		}
		text := ticked(t.value)
		r.done[t.value.line] = true
		for _, match := range taxon.FindAllStringSubmatch(text, -1) {
			form, is := FormOf(match[1])
			if !is || !isTemplate(match[1]) || form == "" {
				r.done[t.value.line] = false
				continue
			}
			entity := &Entity{At: At{t.value.line, Said}, Table: t.table, Title: literalTitle(form)}
			entity.Keys = []EntityKey{{At: At{hash.Line, Said}, Attribute: hash.Name, Template: itself(hash.Name)}, {At: At{t.value.line, Said}, Attribute: sort.Name, Template: form}}
			r.doc.Entities = append(r.doc.Entities, entity)
		}
	}
}
