package reader

import "dynaproof/accesspatterns/document/internal/lazyregexp"

// Two sentences say a table or an index in so many words. In another order of words they are no form.
var (
	// "... one DynamoDB table, `X`, billed on demand"
	tableSentence = lazyregexp.New("\\b[Oo]ne (?:DynamoDB )?table, `([^`]+)`(?:, billed (on demand))?\\.?\\s*$")
	// "... index, `x`,? has the partition key `a` and the sort key `b`, and copies all attributes"
	indexSentence = lazyregexp.New("(?i)\\bindex,? `([\\w.-]+)`,? has the partition key `([\\w.-]+)`(?: and the sort key `([\\w.-]+)`)?(?:,? and ((?:copies|projects) all attributes))?\\.?\\s*$")
)

// tableSentences reads the table of a document that names no other.
func (r *reader) tableSentences(b *block) {
	match := tableSentence.FindStringSubmatch(ticked(b.text))
	if b.kind != textBlock || match == nil || !namesTable(match[1]) || len(r.all) > 0 {
		return
	}
	table := r.addTable(match[1], b.frame.at(b.line))
	table.named, r.done[b.line] = true, true
	if match[2] != "" {
		table.Billing = append(table.Billing, Setting{b.frame.at(b.line), "PAY_PER_REQUEST"})
	}
}

// indexSentences reads an index with its keys.
func (r *reader) indexSentences(b *block) {
	match, table := indexSentence.FindStringSubmatch(ticked(b.text)), r.table(b.frame)
	if b.kind != textBlock || match == nil || table == nil {
		return
	}
	at := b.frame.at(b.line)
	index := table.addIndex(match[1], at)
	r.give(&index.Keys, index.Name, at, keyItem{role: Hash, name: match[2]}, keyItem{role: Range, name: match[3]})
	if match[4] != "" && index.Projection.Value == "" {
		index.Projection = Setting{at, "ALL"}
	}
	r.done[b.line] = true
}
