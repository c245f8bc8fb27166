package reader

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Sentences that name a table, an index or the attribute of a TTL in backticks:
// "one DynamoDB table, `Orders-{env}`", "the index `by-state` has the partition key
// `state`", "orders expire by `ttl`".
var (
	tableBefore = lazyregexp.New(`(?i)\b(?:dynamodb|one|single|the|a) table(?: is)?(?: named| called)?[,:]?\s*$|(?i)\bsingle[- ]table design\s*\($|(?i)\btable\b[^.;]{0,30}\bname(?:d| is)?:?\s*$`)
	// "The `orders` table"
	articleBefore = lazyregexp.New(`(?i)\b(?:the|our|a|an|single|one)\s+$`)
	tableAfter    = lazyregexp.New(`(?i)^\s+(?:dynamodb\s+)?table\b`)
	indexBefore   = lazyregexp.New(`(?i)\b(?:(?:global |local )?secondary index|index|GSI|LSI)(?: is)?(?: named| called)?[,:]?\s*$`)
	indexAfter    = lazyregexp.New(`(?i)^\s+(?:\((?:GSI|LSI)\)|(?:(?:global |local )?secondary )?index\b|GSI\b|LSI\b)`)
	keyBehind     = lazyregexp.New(`(?i)^\s*\((?:partition|hash) key\s`)
	roleWords     = lazyregexp.New(`(?i)\b(partition|hash|sort|range) key,?\s+(?:is\s+|on\s+|of\s+)?$`)
	projectsAll   = lazyregexp.New(`(?i)\b(?:copies|projects|projecting|projection of|holds|includes) (?:all|every) (?:attributes?|fields)\b`)
	keysOnly      = lazyregexp.New(`(?i)\bkeys[- _]only\b`)
	expiresBy     = lazyregexp.New(`(?i)\bexpir(?:es?|ed|y)\s+(?:by|via|using|through|on|with)(?: the)?(?: attribute)?\s*$`)
	ttlOn         = lazyregexp.New(`(?i)\b(?:TTL|time[- ]to[- ]live)(?:\s+(?:is|enabled|set|on|via|using|through|by|uses|the|attribute|field|named|called))+\s+$`)
	firstType     = lazyregexp.New(`^(?i)\W{1,3}(string|number|binary)\b`)
)

// namedElsewhere names the tables of a document in which no heading, label or list of tables
// does: by a sentence, by the column of a list of access patterns, or by the one name that all
// of its requests give.
func (r *reader) namedElsewhere() {
	for _, names := range []func(){r.proseTable, r.patternTables, r.keyedSections, r.requestTable} {
		if slices.ContainsFunc(r.doc.Tables, func(t *Table) bool { return t.Name != "" }) {
			return
		}
		names()
	}
}

// patternTables names tables by the cells of a list of access patterns.
func (r *reader) patternTables() {
	for _, b := range r.blocks {
		if b.kind != gridBlock || r.kindOf(b) != patternGrid {
			continue
		}
		c := b.columns()
		for _, row := range b.rows {
			cell, is := c.cell(row, "table")
			if name := strings.Trim(cell.text, "` "); is && namesTable(name) {
				r.addTable(name, At{cell.line, Said})
			}
		}
	}
}

// keyedSections takes sections for tables, each called after its title, where several give an
// attribute of their own as the partition key.
func (r *reader) keyedSections() {
	keys := map[*frame]string{}
	var sections []*frame
	for _, b := range r.blocks {
		section := b.frame.heading()
		if b.kind != gridBlock || r.kindOf(b) != attributeGrid || section == nil || section.topic != noTopic || section.level >= labelLevel || section.table != nil {
			continue
		}
		for _, row := range b.rows {
			name := firstName(row[0])
			if len(row) < 2 || isPlainKeyName(name) || !identifier.MatchString(name) {
				continue
			}
			if slices.ContainsFunc(row[1:], func(cell inline) bool { return onlyPartition.MatchString(strings.Trim(cell.text, "` *")) }) && keys[section] == "" {
				keys[section] = name
				sections = append(sections, section)
			}
		}
	}
	if len(sections) < 2 {
		return
	}
	for _, section := range sections {
		name, _, _ := strings.Cut(cleanTitle(section.title.text), " (")
		if name = strings.Trim(name, "` "); namesTable(name) {
			section.table = r.addTable(name, At{section.title.line, Guessed})
		}
	}
}

var onlyPartition = lazyregexp.New(`(?i)^(?:pk|hash|partition key|hash key|primary key)$`)

// requestTable names the table by its requests, where all of them go to one.
func (r *reader) requestTable() {
	name, at := "", At{}
	for _, b := range r.blocks {
		if b.kind != codeBlock {
			continue
		}
		for n, line := range b.code {
			match := codeTableName.FindStringSubmatch(line)
			switch {
			case match == nil || !namesTable(match[1]):
			case name == "":
				name, at = match[1], At{b.line + n, Said}
			case name != match[1]:
				return
			}
		}
	}
	if name != "" {
		r.addTable(name, at)
	}
}

// proseTable names the table that a sentence names.
func (r *reader) proseTable() {
	for _, b := range r.blocks {
		if b.kind != textBlock && b.kind != itemBlock {
			continue
		}
		for _, s := range b.text.spans {
			name := b.text.part(s)
			named := tableBefore.MatchString(b.text.text[:s.from]) || tableAfter.MatchString(b.text.text[s.to:]) && articleBefore.MatchString(b.text.text[:s.from])
			if s.code && named && namesTable(name) {
				r.addTable(name, At{b.line, Said})
				return
			}
		}
	}
}

// proseIndex reads a sentence that gives an index and its keys.
func (r *reader) proseIndex(b *block) {
	if b.kind != textBlock && b.kind != itemBlock || indexOf(b.frame) != nil {
		return
	}
	text := b.text.text
	var index *Index
	for i, s := range b.text.spans {
		name := b.text.part(s)
		if !s.code || !identifier.MatchString(name) {
			continue
		}
		role := roleWords.FindStringSubmatch(text[:s.from])
		if index != nil && role != nil {
			key := Key{At{b.line, Said}, name, "", Hash}
			if word := strings.ToLower(role[1]); word == "sort" || word == "range" {
				key.Role = Range
			}
			if kind := firstType.FindStringSubmatch(text[s.to:]); kind != nil {
				key.Type = keyType(kind[1])
			}
			index.Keys = addKey(index.Keys, key)
			continue
		}
		if role != nil || isTemplate(name) {
			continue
		}
		named := indexBefore.MatchString(text[:s.from]) || indexAfter.MatchString(text[s.to:]) || keyBehind.MatchString(text[s.to:])
		// It is a definition where the sentence goes on with its keys.
		keyed := slices.ContainsFunc(b.text.spans[i+1:], func(s span) bool { return s.code && roleWords.MatchString(text[:s.from]) })
		if index == nil && named && keyed {
			index = r.tableOf(b).addIndex(name, At{b.line, Said})
		}
	}
	if index == nil || index.Projection.Value != "" {
		return
	}
	switch {
	case projectsAll.MatchString(text):
		index.Projection = Setting{At{b.line, Said}, "ALL"}
	case keysOnly.MatchString(text):
		index.Projection = Setting{At{b.line, Said}, "KEYS_ONLY"}
	}
}

// proseTTL returns the attribute by which a sentence says that items expire.
func proseTTL(text inline) string {
	for _, s := range text.spans {
		if name := text.part(s); s.code && identifier.MatchString(name) && (expiresBy.MatchString(text.text[:s.from]) || ttlOn.MatchString(text.text[:s.from])) {
			return name
		}
	}
	return ""
}
