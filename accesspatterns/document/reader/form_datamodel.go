package reader

import (
	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// AWS's dynamodb_data_model.md, as the tool for data modelling of its MCP server writes it:
// "### Orders Table" and "### ByStatus GSI" with the same labels below each, an index under the
// heading of the table that stands before it. The form applies where a section of tables has the
// labels that only this tool writes.

var (
	modelLabel = lazyregexp.New(`(?i)^(?:aggregate boundary|access patterns served|sk taxonomy|bounded read strategy)$`)
	taxon      = lazyregexp.New("`([^`]+)`")
	typedName  = lazyregexp.New("`?([A-Za-z_][\\w.-]*)`?\\s*(?:\\(([A-Za-z]+)[^()]*\\)|\\b(S|N|B|BOOL|M|L|SS|NS|BS)\\b)")
)

// isDataModel reports whether a document has the labels that only this tool writes.
func (r *reader) isDataModel() bool {
	labels := 0
	for _, b := range r.blocks {
		if label, _, _, is := split(b.text); is && b.kind == itemBlock && modelLabel.MatchString(spell(label)) {
			labels++
		}
	}
	return labels > 1
}

// modelLine reads a label of a table or index that is no general one.
func (r *reader) modelLine(b *block, w word) {
	label, value, _, is := split(b.text)
	table := r.table(b.frame)
	at := b.frame.up(func(f *frame) bool { return f.index != nil || f.table != nil })
	own := at != nil && at.index == nil
	switch {
	case !is || table == nil || wordOf(label) != w:
	case w == wTaxonomy && own:
		r.taxa(table, value)
	case w == wAttributes && own:
		entity := r.entityAt(at, table, b.line)
		for _, match := range typedName.FindAllStringSubmatch(ticked(value), -1) {
			if kind := TypeOf(match[2] + match[3]); kind != "" {
				part, _ := first(b.parts, func(part inline) bool { return HasWord(part.text, match[1]) })
				entity.attribute(Attribute{At: At{part.line, Said}, Name: match[1], Type: kind})
				r.done[part.line] = true
			}
		}
	case w == wSparse:
		r.done[b.line] = true
	}
}

// taxa makes a kind of item of each form of a table's sort key that a line has. The partition key is
// the attribute itself.
func (r *reader) taxa(table *Table, line inline) {
	hash, hasHash := table.Key(Hash)
	sort, hasSort := table.Key(Range)
	at := At{line.line, Said}
	if r.done[at.Line] = hasHash && hasSort || isNone(line.text); !hasHash || !hasSort {
		return
	}
	for _, match := range taxon.FindAllStringSubmatch(ticked(line), -1) {
		form, is := FormOf(match[1])
		if !is || !isTemplate(match[1]) || form == "" {
			r.done[at.Line] = false
			continue
		}
		r.doc.Entities = append(r.doc.Entities, &Entity{At: at, Table: table, Title: literalTitle(form), Keys: []EntityKey{
			{At: At{hash.Line, Said}, Attribute: hash.Name, Template: itself(hash.Name)}, {At: at, Attribute: sort.Name, Template: form}}})
	}
}
