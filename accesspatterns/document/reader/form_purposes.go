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
	purposeLabel = lazyregexp.New(`(?i)^(?:purpose|use|usage|used for|use cases?|(?:example )?quer(?:y|ies)|(?:access|query) patterns?(?: served)?|casos? de uso|propósito|uso|finalidade|finalidad|utilisation|cas d'usage|enables?|verwendung|zweck|用途|主用途|目的|용도)$`)
	// purposeTail matches what stands behind the keys of an index, and purposeBehind what can only be what it is for.
	purposeTail   = lazyregexp.New(`(?:\s(→|->|=>|⇒|[-–—]+)|\)\s*:)\s+([^→⇒]+?)\W*$`)
	purposeBehind = lazyregexp.New(`(?i)^(?:(?:used |useful |meant )?(?:for|to)\b|(?:enables?|allows?|supports?|serves?)\b|(?:para )?(?:buscar|consultar|encontrar|listar|obtener|obter|filtrar|trier|filtrer|lister|chercher) ` +
		`|(?:find|fetch|filter|list|retriev|search|query|get|look|lookup)(?:e|s|es|ies|ing|ting|ying)? )|\b(?:look-?ups?|quer(?:y|ies)|search(?:es)?|listings?)$|(?:検索|取得|一覧|조회|검색)用?$`)
	// purposeInside matches a bracket at the end of a line, or right behind an index before a colon, and purposeFor what an index is for.
	purposeInside = lazyregexp.New(`\s\(([^()=#` + "`" + `]+)\)(:\s|[\s:*]*$)`)
	purposeFor    = lazyregexp.New(`(?i)(?:` + "`|\\*\\*|\\)|\\b(?:gsi|lsi|index)[-_ ]?\\d*" + `)(?:,? used)? ((?:for (?:an? |the )?|to (?:query|find|list|look up|fetch|get|search) )[^` + "`" + `()=#:]+?)[\s:*]*$`)
	// relatesBy matches what says by what things are asked for.
	relatesBy = lazyregexp.New(`(?i)(?:s|sorted|ordered|filtered|look-?up|search|quer(?:y|ying)) (?:by|por|par|nach)\b`)
	// listsQueries matches a label over the queries of an index, each of which is one, whatever its words.
	listsQueries = lazyregexp.New(`(?i)\b(?:queries|patterns)\b`)
	// codeWord matches a name in camel or snake case.
	codeWord = lazyregexp.New(`[a-z][A-Z]|\w_\w`)
	// methodName matches the name of a method: listContacts.
	methodName = lazyregexp.New(`^[a-z]+[A-Z]\w+(?: \([^()]*\))?$`)
	// forInstance matches an example in a bracket.
	forInstance = lazyregexp.New(`\((?i:e\.g\.|z\.B\.|for example)[^()]*\)`)
	// quotedAlone matches the beginning of what is asked in quotes: "rooms owned by a user".
	quotedAlone = lazyregexp.New(`^["“]`)
	purposeHead = lazyregexp.New(`(?i)^(?:(?:used|useful|meant) )?(?:for|to) `)
	// relates matches what joins the things that are asked for with what they are asked by.
	relates = lazyregexp.New(`(?i)\b(?:by|of|for|per|from|within|in|across|with|por|de|del|da|do|para|par|des|du|nach|von|für|aus|einer|eines|per|di|della)\b|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Cyrillic}]`)
)

func (r *reader) purposes() {
	asked, told := map[*Index]bool{}, map[*Index]bool{}
	for _, p := range r.doc.Patterns {
		if x, _ := p.place(r.tableOf(p.Table)); x != nil {
			asked[x] = true
		}
	}
	listed := map[*Index]bool{} // those with a list of queries, which says more than what they are for
	for _, b := range r.blocks {
		if at := b.frame.parent; b.kind == itemBlock && at != nil && at.level >= labelLevel && listsQueries.MatchString(at.title.text) && purposeLabel.MatchString(spell(strings.TrimRight(at.title.text, ": "))) {
			if x, _ := r.indexBy(b, nil); x != nil {
				listed[x] = true
			}
		}
	}
	var above *block // the text right above a list
	for _, b := range r.blocks {
		switch {
		case !b.frame.meant() || r.advises(b):
		case b.kind == gridBlock && r.kindOf(b) == indexesGrid:
			for _, row := range b.rows {
				x := r.indexAt(rowLine(row), rowText(row))
				for i, cell := range row {
					switch head := spell(b.header[i].text); {
					case asked[x] || !purposeLabel.MatchString(head):
					case strings.Contains(head, "pattern"):
						r.purpose(b.frame, x, cell, rowText(row))
					default:
						r.purposeOf(b.frame, x, cell, rowText(row))
					}
				}
			}
		case b.kind == gridBlock && r.indexPlace(b.frame) != nil && len(b.header) == 2: // "Use case | List the carts of a day"
			for _, row := range b.rows {
				if x := r.indexPlace(b.frame).index; !asked[x] && purposeLabel.MatchString(spell(row[0].text)) {
					r.purposeOf(b.frame, x, row[1], rowText(row))
				}
			}
		case b.kind == codeBlock && !definesTable(b):
			for _, line := range b.filled() {
				if x := r.indexAt(line.line, line.text); !asked[x] {
					r.behindIndex(b.frame, x, line)
				}
			}
		case b.kind != gridBlock && b.kind != codeBlock:
			x, given := r.indexBy(b, above)
			if label, _, _, is := split(b.text); x == nil || asked[x] || b.kind == headingBlock && (listed[x] || queriesOfIndex.MatchString(cleanTitle(b.text.text))) || is && listed[x] && !listsQueries.MatchString(label) && purposeLabel.MatchString(spell(label)) || told[x] && (purposeLabel.MatchString(spell(label)) || roles[wordOf(label)] != "") {
				break // or its title has it: "GSI1: Carts by day" over "Purpose: list the carts of a day"
			}
			known := len(r.doc.Patterns)
			r.purposeIn(b, x, given)
			told[x] = told[x] || b.titles() && len(r.doc.Patterns) > known
		}
		if b.kind != itemBlock {
			above = b
		}
	}
}

// indexBy is the index that a line gives, or names for its label in a list on indexes, wherever its keys stand; else, and not given, that its place is of:
// its section, its list, or the text right above its list.
func (r *reader) indexBy(b, above *block) (x *Index, given bool) {
	if x = r.indexAt(b.line, ticked(b.text)); x != nil {
		return x, true
	}
	label, _, _, is := split(b.text)
	if b.kind == itemBlock && is && b.frame.about() == topicIndexes {
		if all := r.indexesThat(func(x *Index) bool { return x.Name == label }); len(all) == 1 {
			return all[0], true
		}
	}
	if at := r.indexPlace(b.frame); at != nil {
		return at.index, false
	}
	if is && b.kind == textBlock && patternLabel.MatchString(label) {
		return r.onlyIndexOf(b.frame.heading()), false
	}
	if b.kind == itemBlock && b.level == 1 && above != nil && above.kind == textBlock && above.frame == b.frame.parent {
		return r.indexAt(above.line, ticked(above.text)), false
	}
	return nil, false
}

// onlyIndexOf is the one index that the lines below a title on indexes give, nil for none or several.
func (r *reader) onlyIndexOf(at *frame) *Index {
	if at == nil || at.level < 2 || at.topic != topicIndexes && !indexWord.MatchString(at.title.text) {
		return nil
	}
	end := len(r.doc.Text) + 1
	for _, b := range r.blocks {
		if b.kind == headingBlock && b.line > at.title.line {
			end = min(end, b.line)
		}
	}
	all := r.indexesThat(func(x *Index) bool { return x.Line > at.title.line && x.Line < end })
	if len(all) != 1 {
		return nil
	}
	return all[0]
}

// purposeIn reads what a line of the place of an index, or that gives it, says that the index is for.
func (r *reader) purposeIn(b *block, x *Index, given bool) {
	f, line, text := b.frame, b.text, ticked(b.text)
	label, value, _, is := split(line)
	above := f.heading()
	if b.kind == itemBlock {
		above = f.parent
	}
	title := spell(above.title.text)
	switch {
	case is && purposeLabel.MatchString(spell(label)):
		r.purposeOf(f, x, value, text)
	case b.kind == itemBlock && above.level >= labelLevel && purposeLabel.MatchString(title) && listsQueries.MatchString(title):
		r.purpose(f, x, line, text)
	case b.kind == itemBlock && above.level >= labelLevel && purposeLabel.MatchString(title):
		r.purposeOf(f, x, line, text)
	case b.titles() && !relatesBy.MatchString(text) && r.purposeBeside(f).line > 0: // "GSI1 - Time lookup" over "Use case: query items by time"
	case given || b.titles():
		r.behindIndex(f, x, line)
	case r.purposeTail(f, x, line):
	}
}

// behindIndex reads what stands behind an index, its keys or its title: "`by-day`: Orders by day", "GSI1 for the lookup by mail", "(list orders by day)".
func (r *reader) behindIndex(f *frame, x *Index, line inline) {
	if x == nil {
		return
	}
	text := ticked(line)
	label, value, _, is := split(line)
	if is && x.names(strings.Trim(label, "` ")) {
		if at := bracketed.FindStringIndex(value.text); at != nil && strings.ContainsAny(value.text[at[0]:at[1]], "=`#") {
			value = trimmed(joined([]inline{value.slice(0, at[0]), trimmed(value.slice(at[1], len(value.text)))})) // "Lookup by mail (GSI1PK=mail)"
		}
		if len(value.code()) == 0 && tells(value.text) && r.purpose(f, x, value, text) {
			return
		}
	}
	if r.purposeTail(f, x, line) {
		return
	}
	for _, form := range []*lazyregexp.Regexp{purposeInside, purposeFor} {
		if behind := form.FindStringSubmatch(text); behind != nil && tells(behind[1]) && r.purpose(f, x, inline{line: line.line, text: behind[1]}, text) {
			return
		}
	}
}

// purposeTail reads what stands behind an arrow or a dash at the end of a line.
func (r *reader) purposeTail(f *frame, x *Index, line inline) bool {
	text := ticked(line)
	at := purposeTail.FindStringSubmatchIndex(text)
	if label, _, _, _ := split(line); at == nil || roles[wordOf(label)] == Range { // or what an order is for
		return false
	}
	behind := inline{line: line.line, text: text[at[4]:at[5]]}
	arrowed := at[2] >= 0 && strings.ContainsAny(text[at[2]:at[3]], "→⇒>")
	return (arrowed && strings.Contains(behind.text, " ") || purposeBehind.MatchString(behind.text)) && r.purpose(f, x, behind, text)
}

// tells reports whether words behind an index say what is asked for, or by what, and nothing of how the index is built.
func tells(text string) bool {
	bare := purposeHead.ReplaceAllString(text, "")
	return (purposeBehind.MatchString(bare) || relatesBy.MatchString(text) && titled.MatchString(bare) && TypeOf(firstField(bare)) == "") && !phrase("ofDesign").MatchString(bare) && !phrase("toldOf").MatchString(bare) && !codeWord.MatchString(bare)
}

// indexAt is the first index that a line gives by its name, nil for none.
func (r *reader) indexAt(line int, text string) *Index {
	all := r.indexesThat(func(x *Index) bool {
		return x.Line == line && slices.ContainsFunc(append([]string{x.Name}, x.Also...), func(name string) bool { return HasWord(text, name) })
	})
	return append(all, nil)[0]
}

// indexesThat are the indexes of all tables that the test accepts.
func (r *reader) indexesThat(is func(*Index) bool) (all []*Index) {
	for _, t := range r.all {
		for _, x := range t.Indexes {
			if is(x) {
				all = append(all, x)
			}
		}
	}
	return all
}

// purposeOf adds what stands below a label or in a column, where it tells what is asked for and by what: not "high traffic".
func (r *reader) purposeOf(f *frame, x *Index, text inline, whole string) {
	if relates.MatchString(text.text) || purposeBehind.MatchString(text.text) || methodName.MatchString(text.text) {
		r.purpose(f, x, text, whole)
	}
}

// purpose adds the pattern that a text says an index is for, and reports whether the text says one.
func (r *reader) purpose(f *frame, x *Index, text inline, whole string) bool {
	title := purposeHead.ReplaceAllString(strings.Trim(text.text, `"“”. `), "")
	none := isNone(title) || projectionOf(title) != "" && strings.Count(title, " ") < 2 || roleIn(title) != "" || phrase("unserved").MatchString(title) && !quotedAlone.MatchString(text.text) || usedBy.MatchString(title) || strings.HasPrefix(spell(title), "unique ") || len(operations.FindAllString(title, 2)) > 1
	of, has := first(r.all, func(t *Table) bool { return slices.Contains(t.Indexes, x) })
	if !has || none || len(title) > 160 || !titled.MatchString(title) || !asksFor(inline{text: forInstance.ReplaceAllString(text.text, "")}) || weighs(forInstance.ReplaceAllString(inTicks.ReplaceAllString(whole, ""), "")) {
		return false
	}
	p := r.newPattern(f, title, text.line, true)
	p.Table, p.Index, p.Text = of.Name, x.Name, whole
	if hash, named := x.Key(Hash); named && strings.Contains(whole, "#") { // the forms of the keys stand on the line
		c, has := first(r.conditionsOf(whole, text.line), func(c Condition) bool { return c.Attribute == hash.Name && c.Operator == "=" })
		if !has || len(c.Value.Parameters()) == 0 { // or those of one item
			return false
		}
		p.Conditions = append(p.Conditions, c)
	}
	if strings.HasPrefix(spell(title), "query ") {
		p.Operation = "Query"
	}
	r.addPattern(p)
	return true
}
