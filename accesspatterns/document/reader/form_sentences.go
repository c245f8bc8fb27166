package reader

import (
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Two sentences in so many words: "one DynamoDB table, `X`, billed on demand", and "global secondary
// index, `x`, has the partition key `a` and the sort key `b`, and copies all attributes". Another
// order of words is no form.

var (
	ttlSentence   = lazyregexp.New("(?i)\\bTTL (?:is )?(?:enabled|set|configured) on (?:the )?`([A-Za-z_][\\w.-]*)`")
	allBilled     = lazyregexp.New("(?i)^(?:\\W*)all tables (?:use|are|have|run) (?:[a-z]+ ){0,2}`?(PAY_PER_REQUEST|pay-per-request|on-demand|provisioned)\\b")
	allProject    = lazyregexp.New("(?i)^(?:all )?(?:GSIs?|index(?:es)?)(?: projections?(?: types?)?)? (?:is|are|use|project)s? `?(ALL|KEYS_ONLY)\\b")
	tableSentence = lazyregexp.New("\\b(?:[Oo]ne|single|[Tt]he) (?:DynamoDB )?table,? (?:named |called )?`([^`]+)`(?:, billed (on demand))?")
	indexSentence = lazyregexp.New("(?i)\\b(?:index|GSI),? (?:named |called )?`([\\w.-]+)`,? has the partition key `([\\w.-]+)`(?: and the sort key `([\\w.-]+)`)?(?:,? and (?:(copies|projects) all attributes))?\\.?\\s*$")
)

// said reads what a sentence givesall tables or indexes, or the table of its section.
func (r *reader) said(b *block) {
	text := ticked(b.text)
	at := b.frame.at(b.line)
	if match := ttlSentence.FindStringSubmatch(text); match != nil {
		if table := r.table(b.frame); table != nil {
			table.TTL, r.done[b.line] = keep(table.TTL, at, match[1]), true
		}
	}
	mode, projection := allBilled.FindStringSubmatch(text), allProject.FindStringSubmatch(text)
	for _, table := range r.all {
		if mode != nil && len(table.Billing) == 0 {
			table.Billing, r.done[b.line] = append(table.Billing, Setting{at, billingOf(mode[1])}), true
		}
		for _, index := range table.Indexes {
			if projection != nil && index.Projection.Value == "" {
				index.Projection, r.done[b.line] = Setting{at, projection[1]}, true
			}
		}
	}
}

// tableSentences reads the names of tables.
func (r *reader) tableSentences(b *block) {
	match := tableSentence.FindStringSubmatch(ticked(b.text))
	if b.kind != textBlock || match == nil || !namesTable(match[1]) || len(r.all) > 0 && r.known(match[1]) == nil {
		return
	}
	table := r.addTable(match[1], b.frame.at(b.line))
	r.named[table] = true
	if match[2] != "" {
		table.Billing = append(table.Billing, Setting{b.frame.at(b.line), "PAY_PER_REQUEST"})
		r.done[b.line] = true
	}
}

// indexSentences reads indexes with their keys.
func (r *reader) indexSentences(b *block) {
	match := indexSentence.FindStringSubmatch(strings.TrimSpace(ticked(b.text)))
	table := r.table(b.frame)
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
