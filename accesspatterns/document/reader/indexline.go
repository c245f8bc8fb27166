package reader

import (
	"cmp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// One reading of what says an index and its keys, wherever it stands: the line of a list, a cell, the value of a label. The name stands first, and the
// two keys behind a sign, each with its role and type before or behind it, or without a role in their order.

var (
	// kindOfIndex matches the words for an index behind its name, and its number.
	kindOfIndex = lazyregexp.New(`(?i)^ (?:\(((?:GSI|LSI)[-_ ]?\d*|(?:global |local )?(?:secondary )?index)\)|((?:GSI|LSI)[-_ ]?\d*|(?:global |local )?(?:secondary )?index)\b)`)
	// spacedNumber matches the number of an index with a space before it: "GSI 1".
	spacedNumber = lazyregexp.New(`^(GSI|LSI) (\d+\b)`)
	// joinedHead matches the name of a key that joins two attributes.
	joinedHead = lazyregexp.New("^`[a-z]\\w*(?:#[a-z]\\w*)+`")
	// purposeAhead matches what an index is for between its name and its partition key.
	purposeAhead = lazyregexp.New("^ (?:[–—-] [A-Za-z][^:=`()]*|\\([A-Za-z][^:=`()]*\\)):? (PK ?[:=])")
	// beforeKeys matches the sign between an index and its keys.
	beforeKeys = lazyregexp.New(`^(?: ?[({\[]|: | - | – | — | on | with | using | = | ?(?:→|->) ?|,? )(?:(?:keys?|PK):? )?`)
	// joinsKeys matches what stands between the two keys, and aroundParts what stands between the parts of one and says nothing.
	joinsKeys   = lazyregexp.New(`^(?: ?[,;/+&|] ?| ?→ ?| -> | and )(?:an? |the )?`)
	aroundParts = lazyregexp.New(`^(?:[\s:=]|[–—-] |(?:as|is|of|on|type|the)\b)+`)
	roleOfKey   = lazyregexp.New(`^(?:(?i:partition|hash|sort|range)(?:[ -](?i:key))?|[PS]K)\b`)
	typeOfKey   = lazyregexp.New(`^(?:(?i:string|number|binary)|[SNB])\b`)
	behindKeys  = lazyregexp.New(`^(?:$|[.,;:]$|[,;.:]? ?(?:[,;.:(–—]|- |-> |→ | - |for [a-z]))`)
	// projectedBehind matches what an index projects behind its keys, and nothing else.
	projectedBehind = lazyregexp.New(`^[\s,;:.(–—-]*(?i:projections?(?: type)?:? |projects |projecting )?` + "`?" + `((?i:all(?: attributes)?|keys[_ ]only))` + "`?" + `(?:$|[.,;)]| [—–(]| - )`)
)

// keyPart reads one key with its role and its type, in any order, and returns what follows it. The key has no name where that is no key.
func keyPart(text string) (item keyItem, marked bool, rest string) {
	depth := 0
	for rest = text; rest != ""; {
		sign := rest[0]
		word := nameHead.FindString(rest)
		switch {
		case depth == 0 && item != (keyItem{}) && joinsKeys.MatchString(rest):
			return item, marked, rest
		case sign == '(' || sign == '[':
			depth, rest = depth+1, rest[1:]
		case (sign == ')' || sign == ']') && depth > 0:
			depth, rest = depth-1, rest[1:]
		case sign == ',' && depth > 0:
			rest = rest[1:]
		case aroundParts.MatchString(rest) && (sign == ' ' || item != (keyItem{})):
			if next := strings.TrimLeft(rest, " –—-:(["); behindKeys.MatchString(rest) && depth == 0 && item.name != "" && !roleOfKey.MatchString(next) && !typeOfKey.MatchString(next) {
				return item, marked, rest
			}
			rest = rest[len(aroundParts.FindString(rest)):]
		case roleOfKey.MatchString(rest) && item.role == "":
			role := roleOfKey.FindString(rest)
			rest = rest[len(role):]
			if role = strings.ToLower(role); role == "partition" || role == "sort" {
				role += " key"
			}
			item.role = roles[wordOf(role)]
		case typeOfKey.MatchString(rest) && item.kind == "" && item != (keyItem{}):
			kind := typeOfKey.FindString(rest)
			item.kind, rest = keyType(kind), rest[len(kind):]
		case item.name == "" && depth == 0 && joinedHead.MatchString(rest): // `status#startedAt`, the name as it is written
			joined := joinedHead.FindString(rest)
			marked = true
			item.name, rest = strings.Trim(joined, "`"), rest[len(joined):]
		case word != "" && item.name == "" && depth == 0 && (len(rest) == len(word) || strings.IndexByte("#{<$'", rest[len(word)]) < 0):
			marked = sign == '`'
			item.name, rest = strings.Trim(word, "`."), rest[len(strings.TrimRight(word, ".")):]
		default:
			if depth > 0 {
				return keyItem{}, false, text
			}
			return item, marked, rest
		}
	}
	return item, marked, rest
}

// nameAndKeys reads an index and its keys, where a text is that: "`by-day` (`day` + `at`)", "GSI1 by-day → PK: `day`". It has no name where the
// text is none.
func nameAndKeys(text string) indexLine {
	text = spacedNumber.ReplaceAllString(text, "$1$2")
	head := nameHead.FindString(text)
	if head == "" {
		return indexLine{}
	}
	told := indexLine{name: strings.Trim(head, "`")}
	rest := text[len(head):]
	if kind := kindOfIndex.FindStringSubmatch(rest); kind != nil {
		rest = rest[len(kind[0]):]
		if number := strings.Join(strings.Fields(kind[1]+kind[2]), ""); strings.ContainsAny(number, "0123456789") {
			told.also = []string{number}
		}
	}
	numbered := bareNumber.MatchString(told.name) && strings.ContainsAny(told.name, "0123456789")
	if numbered { // "GSI1 by-day → PK: `day`"
		if named := nameAndKeys(strings.TrimLeft(rest, " :(–—-")); indexNamed.MatchString(named.name) || calledBy.MatchString(named.name) {
			named.also = append(named.also, told.name)
			return named
		}
	}
	if numbered { // "GSI1 – lists children: PK=`day`"
		rest = purposeAhead.ReplaceAllString(rest, ": $1")
	}
	sign := beforeKeys.FindString(rest)
	if sign == "" || notIndexNames.MatchString(told.name) || wordOf(told.name) != "" && !numbered && !namedLike.MatchString(told.name) || genericKey.MatchString(told.name) {
		return indexLine{}
	}
	opened := strings.ContainsAny(sign, "({[")
	sign = strings.TrimSuffix(strings.TrimSuffix(sign, "PK "), "PK: ")
	first, marked, behind := keyPart(rest[len(sign):])
	second, same, after := keyPart(behind[len(joinsKeys.FindString(behind)):])
	if second.name == "" && second.role == "" && second.kind != "" && first.kind == "" { // "PK: day, String"
		first.kind, behind = second.kind, after
		second, same, after = keyPart(behind[len(joinsKeys.FindString(behind)):])
	}
	between := joinsKeys.FindString(behind)
	if between == "" || second.name == "" || indexNamed.MatchString(second.name) || (first.role == "") != (second.role == "") || first.role != "" && first.role == second.role || same != marked && first.role == "" || !endOfKeys(after, opened) {
		if first.role != "" && first.role == second.role && second.name != "" {
			return indexLine{}
		}
		second, after, between = keyItem{}, behind, ""
	}
	if first.name == "" || first.name == told.name || !endOfKeys(after, opened) || strings.TrimSpace(sign) == "" && first.role == "" || strings.TrimSpace(sign) == "," && first.role == "" {
		return indexLine{}
	}
	if after = strings.TrimLeft(after, ")]}"); weighs(after) || phrase("takenBack").MatchString(text) {
		return indexLine{} // "by-day (PK: day) — dropped in March"
	}
	told.keys = []keyItem{first}
	if second.name != "" {
		told.keys = append(told.keys, second)
	}
	if first.role == "" && !told.inPlace(marked, opened, strings.TrimSpace(between), sign, after) {
		return indexLine{}
	}
	for n := range told.keys {
		key := &told.keys[n]
		key.role = cmp.Or(key.role, [2]string{Hash, Range}[n])
		own := indexNamed.MatchString(told.name) && strings.HasPrefix(Plain(told.name), Plain(key.name)) // "name-index (name)"
		if w := wordOf(key.name); w != "" && w != wSilent && !marked && !own && key.name != "id" && numberOf(key.name) == "" || indexNamed.MatchString(key.name) || keyType(key.name) != "" || projectionOf(key.name) != "" || len(key.name) == 2 && genericKey.MatchString(key.name) {
			return indexLine{}
		}
	}
	slices.SortStableFunc(told.keys, func(a, b keyItem) int { return cmp.Compare(a.role, b.role) })
	if told.local = localWord.MatchString(text[:len(text)-len(rest)]); told.keys[0].role != Hash && !(told.local && len(told.keys) == 1) {
		return indexLine{} // the partition key of a local index is that of its table
	}
	if projected := projectedBehind.FindStringSubmatch(after); projected != nil {
		told.projection, after = projectionOf(projected[1]), after[len(projected[0]):]
	}
	told.behind, told.whole, told.roled = after, true, first.role != "" && !strings.Contains(text, "=")
	return told
}

// indexSaid is [nameAndKeys] of what names no table in place of a key: "`by-day` on `orders`".
func (r *reader) indexSaid(text string) indexLine {
	told := nameAndKeys(text)
	if slices.ContainsFunc(told.keys, func(key keyItem) bool {
		return tableWord.MatchString(key.name) || key.name == "replica" || r.known(key.name) != nil || slices.ContainsFunc(r.all, func(t *Table) bool { return ofTheStage(key.name, t.Name) })
	}) {
		return indexLine{}
	}
	return told
}

// endOfKeys reports whether the keys of an index end here: the bracket around them closes, or a sign follows.
func endOfKeys(text string, opened bool) bool {
	if opened {
		return strings.HasPrefix(text, ")") || strings.HasPrefix(text, "]") || strings.HasPrefix(text, "}") || joinsKeys.MatchString(text) && strings.ContainsAny(text, ")]}")
	}
	return behindKeys.MatchString(text)
}

// inPlace reports whether names without roles are the keys of an index by their places: they stand in backticks, with a sign that joins
// keys between, or one of them is no word, or is in the name of the index.
func (t indexLine) inPlace(marked, opened bool, between, sign, after string) bool {
	stem := func(key keyItem) bool {
		of := stemOfKey.ReplaceAllString(key.name, "")
		return namedLike.MatchString(key.name) || numberOf(key.name) != "" || len(of) > 1 && strings.Contains(Plain(t.name), Plain(of))
	}
	another := strings.Trim(firstField(strings.TrimLeft(after, ",; ")), "`,;:")
	ends := strings.Trim(after, " .") == "" || indexNamed.MatchString(another) || projectedBehind.MatchString(after) || opened
	pointed := strings.TrimSpace(sign) == "on" || strings.ContainsAny(sign, "→>")
	if len(t.keys) == 1 && bareNumber.MatchString(t.name) {
		return marked && strings.TrimSpace(sign) == "on" // of "GSI1: `day`" the name may be the index's
	}
	if len(t.keys) == 1 {
		return marked && (opened || pointed || ends) || opened && indexNamed.MatchString(t.name) && stem(t.keys[0])
	}
	return marked || slices.Contains([]string{"→", "->", "/", "+"}, between) && ends || opened && slices.ContainsFunc(t.keys, stem)
}

// ofTheStage reports whether a name is that of a table with a stage behind it: orders-prod.
func ofTheStage(name, table string) bool {
	behind, is := strings.CutPrefix(strings.ToLower(name), strings.ToLower(table))
	return is && table != "" && strings.HasPrefix(behind, "-")
}
