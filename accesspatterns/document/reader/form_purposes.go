package reader

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Purposes of indexes: "`by-day` (day, at) - for the orders of a day", "Purpose: ..." in the section of an index, a cell of
// such a column. What an index is for is asked of it: the pattern has the author's words and the index, and of a form of the partition key
// that stands on the line also that it is compared. An index that other lines ask has no second pattern.

var (
	// purposeLabel matches a label, or the header of a column, for what an index is for.
	purposeLabel = lazyregexp.New(`(?i)^(?:purpose|use|usage|used for|use cases?|quer(?:y|ies)|(?:access|query) patterns?(?: served)?|casos? de uso|propósito|uso|finalidade|finalidad|utilisation|cas d'usage|verwendung|zweck|用途|主用途|目的|용도)$`)
	// useLabel matches such a label that speaks of requests, whatever stands below it.
	useLabel = lazyregexp.New(`(?i)\buse cases?\b|\bused for\b|\bquer(?:y|ies)\b|\bpatterns?\b|casos? de uso`)
	// purposeTail matches what stands behind the keys of an index, and purposeBehind what can only be what it is for.
	purposeTail   = lazyregexp.New(`(?:\s(→|->|=>|⇒|[-–—]+)|\)\s*:)\s+([^→⇒]+?)\W*$`)
	purposeBehind = lazyregexp.New(`(?i)^(?:(?:used |useful |meant )?(?:for|to)\b|(?:enables?|allows?|supports?|serves?)\b|(?:buscar|consultar|encontrar|listar|obtener|obter|filtrar|trier|filtrer|lister|chercher) |(?:find|fetch|filter|list|retriev|search|query|get|look)(?:e|s|es|ies|ing|ting|ying)? )|\b(?:look-?ups?|quer(?:y|ies)|search(?:es)?|listings?)$`)
	// methodName matches the name of a method: listContacts.
	methodName  = lazyregexp.New(`^[a-z]+[A-Z]\w+(?: \([^()]*\))?$`)
	purposeHead = lazyregexp.New(`(?i)^(?:(?:used|useful|meant) )?(?:for|to) `)
	// relates matches what joins the things that are asked for with what they are asked by.
	relates = lazyregexp.New(`(?i)\b(?:by|of|for|per|from|within|in|across|with|por|de|del|da|do|para|par|des|du|nach|von|für|aus|einer|eines|per|di|della)\b|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Cyrillic}]`)
)

func (r *reader) purposes() {
	asked := map[*Index]bool{}
	for _, p := range r.doc.Patterns {
		if x, _ := p.place(r.tableOf(p.Table)); x != nil {
			asked[x] = true
		}
	}
	for _, b := range r.blocks {
		f := b.frame
		if !f.meant() || r.advises(b) {
			continue
		}
		if b.kind == gridBlock && r.kindOf(b) == indexesGrid {
			for _, row := range b.rows {
				t, x := r.indexAt(rowLine(row), rowText(row))
				for i, cell := range row {
					if !asked[x] && purposeLabel.MatchString(spell(b.header[i].text)) {
						r.purposeOf(f, t, x, cell, rowText(row))
					}
				}
			}
			continue
		}
		if b.kind != itemBlock && b.kind != textBlock {
			continue
		}
		for _, line := range b.lines() {
			text := ticked(line)
			t, x := r.indexAt(line.line, text)
			label, value, _, is := split(line)
			above, tail := f.heading(), purposeTail.FindStringSubmatchIndex(text)
			if b.kind == itemBlock {
				above = f.parent
			}
			if at := r.indexPlace(f); x == nil && at != nil {
				t, x = r.ofIndex(at.index)
			}
			switch {
			case x == nil || asked[x]:
			case is && purposeLabel.MatchString(spell(label)):
				r.purposeOf(f, t, x, value, text)
			case b.kind == itemBlock && above != nil && above.level >= labelLevel && purposeLabel.MatchString(spell(above.title.text)) && (useLabel.MatchString(spell(above.title.text)) || purposeBehind.MatchString(text)):
				r.purposeOf(f, t, x, line, text)
			case tail != nil:
				behind := inline{line: line.line, text: text[tail[4]:tail[5]]}
				arrowed := tail[2] >= 0 && strings.ContainsAny(text[tail[2]:tail[3]], "→⇒>")
				if arrowed && strings.Contains(behind.text, " ") || purposeBehind.MatchString(behind.text) {
					r.purpose(f, t, x, behind, text)
				}
			}
		}
	}
}

// indexAt is the index that a line gives by its name, with its table.
func (r *reader) indexAt(line int, text string) (*Table, *Index) {
	for _, t := range r.all {
		for _, x := range t.Indexes {
			if x.Line == line && slices.ContainsFunc(append([]string{x.Name}, x.Also...), func(name string) bool { return HasWord(text, name) }) {
				return t, x
			}
		}
	}
	return nil, nil
}

// ofIndex is the table that has an index.
func (r *reader) ofIndex(x *Index) (*Table, *Index) {
	t, has := first(r.all, func(t *Table) bool { return slices.Contains(t.Indexes, x) })
	if !has {
		return nil, nil
	}
	return t, x
}

// purposeOf adds what stands below a label or in a column, where it tells what is asked for and by what: not "high traffic".
func (r *reader) purposeOf(f *frame, t *Table, x *Index, text inline, whole string) {
	if relates.MatchString(text.text) || purposeBehind.MatchString(text.text) || methodName.MatchString(text.text) {
		r.purpose(f, t, x, text, whole)
	}
}

// purpose adds the pattern that a text says an index is for.
func (r *reader) purpose(f *frame, t *Table, x *Index, text inline, whole string) {
	title := purposeHead.ReplaceAllString(strings.TrimRight(text.text, ". "), "")
	none := isNone(title) || projectionOf(title) != "" || roleIn(title) != "" || phrase("unserved").MatchString(title) || len(operations.FindAllString(title, 2)) > 1
	if x == nil || none || len(title) > 160 || !titled.MatchString(title) || !asksFor(text) || weighs(inTicks.ReplaceAllString(whole, "")) {
		return
	}
	p := r.newPattern(f, title, text.line, true)
	p.Table, p.Index, p.Text = t.Name, x.Name, whole
	if strings.Contains(whole, "#") { // the forms of the keys stand on the line
		hash, _ := x.Key(Hash)
		c, has := first(r.conditionsOf(whole, text.line), func(c Condition) bool { return c.Attribute == hash.Name && c.Operator == "=" })
		if !has || len(c.Value.Parameters()) == 0 { // or those of one item
			return
		}
		p.Conditions = append(p.Conditions, c)
	}
	r.addPattern(p)
}
