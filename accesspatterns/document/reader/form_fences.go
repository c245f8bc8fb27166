package reader

import (
	"cmp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Fences say what lists and lines do: an outline of a table with its keys, members of a type with their roles in remarks,
// the forms of a kind of item, or an item that is written out. Each is taken for the statements that it would be in a list.

var (
	// outlined are the languages of a fence that is prose.
	outlined = map[string]bool{"": true, "text": true, "txt": true, "plain": true, "plaintext": true, "yaml": true, "yml": true, "md": true, "markdown": true}
	// drawn matches what stands before the text of a line in an outline or in a tree.
	drawn = lazyregexp.New(`^[\s│├└─┬┼┌┐┘┤║╔╚╠═|*•+-]*`)
	// unlikeOutline matches what outlines do not have: comparisons, and structures of a program.
	unlikeOutline = lazyregexp.New(`[<>=]\s|begins_with|[{};]|#[{<\[]`)
	// typedForm matches a key with its type before the form of its values: PK: pk (S) = "CART#<id>".
	typedForm = lazyregexp.New(`^(\W*(?i:[ps]k|(?:partition|sort|hash|range) key): ?[\w.-]+ \([A-Za-z]+\))\s*= *"[^"]*"(?: \| "[^"]*")*$`)
	// keyInOutline matches a key with DynamoDB's own word for its role.
	keyInOutline = lazyregexp.New(`^[A-Za-z_][\w.-]* \((?:HASH|RANGE)\)`)
	// memberLine matches a member of a type or of an object, with its remark: userId: string; // Partition key
	memberLine = lazyregexp.New("^(?:(?:export|public|private|readonly) )*[\"']?([A-Za-z_]\\w*)[\"']?\\??\\s*:\\s*(\\S.*?)[;,]?(?:\\s+(?://|#)\\s*(.+?))?$")
	// goMember matches a field of Go with its name in DynamoDB, and its remark.
	goMember = lazyregexp.New("^\\w+\\s+\\*?([\\w.]+)\\s+`[^`]*dynamo(?:dbav)?:\"([\\w.-]+)[^`]*`(?:\\s*//\\s*(.+))?$")
	// typedLabel matches an attribute with its type in a bracket.
	typedLabel = lazyregexp.New(`^[A-Za-z_]\w* \((?:[Ss]tring|[Nn]umber|[Bb]inary|[SNB])\)$`)
	tableLine  = lazyregexp.New(`(?i)^\W*(?:dynamodb )?table(?: name)?: \S`)
	typeBody   = lazyregexp.New(`(?m)^\s*(?:export )?(?:interface|type|class) \w+[^=\n{]*=?\s*\{\s*$|^class \w+(?:\([^()]*\))?:\s*$`)
	// ofAPI matches a type of what an API or a page takes or gives, and is no item.
	ofAPI = lazyregexp.New(`(?m)\b(?:interface|type|class) \w*(?:Dto|DTO|Input|Request|Response|Params|Props|Event|Message|Payload|Args|Claims|Query)\b`)
	// typeAsName matches a type of DynamoDB where JSON has it as a name, and partOfKey a remark on one of several attributes that a key joins.
	typeAsName = lazyregexp.New(`^(?:S|N|B|BOOL|NULL|M|L|SS|NS|BS)$`)
	partOfKey  = lazyregexp.New(`(?i)\([^()]*(?:\b(?:part(?:e|ial|ly)?|teil)\b|一部)[^()]*\)`)
	// ofMember matches what a remark says of a member, and is no value.
	ofMember = lazyregexp.New(`^(?:OPTIONAL|REQUIRED|NULLABLE|INDEXED|RESERVED|PRIMARY|SPARSE|KEY|SORT|PARTITION|DEPRECATED|TODO|UNUSED|LEGACY)$`)
	// formRemark matches the form of a key's value, and at most a bracket behind it.
	formRemark = lazyregexp.New("^[\"'`]?([A-Za-z0-9_.:|/#{}<>$-]+)[\"'`]?(?: \\([^()]*\\))?$")
	// attributesAlone matches names of attributes between commas.
	attributesAlone = lazyregexp.New(`^[a-z]\w*(?:, [a-z]\w*)+(?:, (?:\.\.\.|…|etc\.?))?$`)
	inQuotes        = lazyregexp.New("^(?:'[^']+'|\"[^\"]+\"|`[^`]+`)$")
)

// lines are the lines of a block that can be statements: of a fence those where all lines are.
func (b *block) lines() []inline {
	switch b.kind {
	case textBlock, itemBlock:
		return []inline{b.text}
	case codeBlock:
		var all []inline
		keys, _ := b.item()
		if keys == nil {
			keys = b.filled()
		}
		for n, line := range keys {
			line.text = strings.TrimLeft(line.text, "-*• ")
			if first, _, _, _ := split(keys[0]); n > 0 && (tableLine.MatchString(keys[0].text) || roles[wordOf(first)] == Hash && !genericKey.MatchString(first) || wordOf(first) == wPrimary) && attributesOf.MatchString(line.text) && strings.HasSuffix(line.text, ":") {
				return all // and what the items have, in whatever form
			}
			if _, _, _, is := split(line); !is {
				return nil
			}
			all = append(all, line)
		}
		return all
	}
	return nil
}

// members are those of a type or of an object whose remark tells the role of a key, and key attributes of a type, each as
// the line of a list would have it: "Partition key: userId (string)", "PK: `USER#${id}`".
func (b *block) members() (all []inline) {
	whole := strings.Join(b.code, "\n")
	ofType := (typeBody.MatchString(whole) || b.typesMembers()) && !ofAPI.MatchString(whole)
	owner := "" // of a value with its type: "shop": { "S": "s-1" }
	for _, line := range b.filled() {
		match := memberLine.FindStringSubmatch(line.text)
		if field := goMember.FindStringSubmatch(line.text); field != nil {
			match = []string{"", field[2], field[1], field[3]}
		}
		if name, role, kind := keyAlone(quotedType.ReplaceAllString(line.text, "$1 ($2))")); role != "" {
			line.text = map[string]string{Hash: "Partition key: ", Range: "Sort key: "}[role] + name
			if kind != "" {
				line.text += " (" + kind + ")"
			}
			all = append(all, line)
			continue
		}
		if match == nil {
			continue
		}
		name, value := match[1], match[2]
		typed := typeAsName.MatchString(name)
		switch {
		case value == "{" && typed: // the members of a map
			owner = ""
			continue
		case value == "{":
			owner = name
			continue
		case typed:
			name, value = owner, name
		}
		if owner = ""; name == "" || partOfKey.MatchString(match[3]) {
			continue
		}
		form := inQuotes.MatchString(value)
		remark, _, _ := strings.Cut(strings.NewReplacer(" - ", ",", " — ", ",", ";", ",").Replace(strings.Trim(match[3], "() ←")), ",")
		if head, _, is := strings.Cut(remark, ": "); is && strings.Contains(head, " ") { // "partition key: the user", and not "hash: md5"
			remark = head
		}
		if TypeOf(value) == "" && !form && !number.MatchString(value) && !(roles[wordOf(remark)] != "" && strings.HasSuffix(spell(remark), " key")) {
			continue // a call, or another value of a program
		}
		index, role := keyOfIndex(remark)
		switch own := roles[wordOf(remark)]; {
		case own != "", role != "":
			label := strings.TrimSpace(index + map[string]string{Hash: " partition key", Range: " sort key"}[own+role])
			line.text = label + ": " + name
			if kind := TypeOf(value); kind != "" && !form {
				line.text += " (" + kind + ")"
			}
			all = append(all, line)
		case (ofType && deletesBy(name, TypeOf(value), match[3])), number.MatchString(value) && deletesBy(name, "N", match[3]): // ttl?: number; // epoch seconds
			line.text = "TTL: " + name
			line.spans = []span{{len("TTL: "), len(line.text), true}}
			all = append(all, line)
		case ofType && genericKey.MatchString(name) && form:
			line.text = name + ": " + value[1:len(value)-1]
			line.spans = []span{{len(name) + 2, len(line.text), true}}
			all = append(all, line)
		case ofType && genericKey.MatchString(name):
			line.text = name + ": " + value
			if told := formRemark.FindStringSubmatch(match[3]); told != nil && (placeholder.MatchString(told[1]) || capitals.MatchString(told[1]) && !formats.MatchString(told[1]) && !ofMember.MatchString(told[1])) { // PK: string; // USER#{userId}
				line.text = name + " (" + value + "): " + told[1]
				line.spans = []span{{len(line.text) - len(told[1]), len(line.text), true}}
			}
			all = append(all, line)
		}
	}
	return all
}

// ofDesign reports whether what a fence writes out is of the design: no title above, and no comment in it, says that it was, may be, is an example or
// for tests.
func (r *reader) ofDesign(b *block) bool {
	beside := func(text string) bool {
		return phrase("operating").MatchString(text) || phrase("ofIdeas").MatchString(text)
	}
	return b.frame.meant() && !b.frame.asks() && b.frame.about() != topicExamples && !b.frame.titledBy(beside) && b.lang != "graphql" && !slices.ContainsFunc(b.filled(), func(line inline) bool {
		comment := commentLine.FindStringSubmatch(line.text)
		return comment != nil && (beside(comment[1]) || weighs(comment[1]))
	})
}

// typesMembers reports whether a fence is an object whose members are types: { id: string, size: number }.
func (b *block) typesMembers() bool {
	typed, body := 0, false
	for _, line := range b.filled() {
		match := memberLine.FindStringSubmatch(line.text)
		body = body || line.text == "{"
		if body && match != nil && writtenType.MatchString(match[2]) && TypeOf(match[2]) != "" {
			typed++
		}
	}
	return typed > 1
}

// keyAlone is an attribute with the role of its key, and its type or "", where a line is nothing else: "day (PK, String)", "day // Partition key, string".
func keyAlone(text string) (name, role, kind string) {
	name = identifierAhead.FindString(text)
	for _, part := range signs.Split(text[len(name):], -1) {
		switch own := roles[wordOf(part)]; {
		case part == "":
		case own != "" && role == "" && !remarkOfRole.MatchString(part):
			role = own
		case kind == "" && typeName.MatchString(part):
			kind = keyType(part)
		default:
			return "", "", ""
		}
	}
	return name, role, kind
}

// quotedType matches what stands in quotes in place of a value: `id: "string (PK)"`, `id: "string (PK, always 'all')"`.
var quotedType = lazyregexp.New(`^([A-Za-z_]\w*): *["']([A-Za-z]+ \((?:PK|SK|(?:[Pp]artition|[Ss]ort|[Hh]ash|[Rr]ange) [Kk]ey))(?:, [^()]*)?\)["'],?$`)

var (
	identifierAhead = lazyregexp.New(`^[A-Za-z_]\w*`)
	signs           = lazyregexp.New(`\s*(?:[(),:;—–]|//|#|\s-{1,2}\s|\s{2,})\s*`)
)

// memberKeys gives a table of which no other form gives keys those that the only type of a fence has.
func (r *reader) memberKeys(b *block) {
	var items []keyItem
	roots := map[string]bool{}
	table := r.table(b.frame)
	members := b.members()
	ofTable := r.ofDesign(b) && table != nil && slices.ContainsFunc(table.Keys, func(key Key) bool {
		return key.Role == Hash && slices.ContainsFunc(b.filled(), func(line inline) bool {
			match := memberLine.FindStringSubmatch(line.text)
			return match != nil && match[1] == key.Name
		})
	})
	ofItem := slices.ContainsFunc(members, func(line inline) bool {
		name, _ := statementOf(b.frame, line).typedName()
		return genericKey.MatchString(name)
	}) && r.ofDesign(b)
	for _, line := range members {
		s := statementOf(b.frame, line)
		role := roles[wordOf(s.label)]
		if wordOf(s.label) == wTTL {
			if ofTable || table != nil && ofItem {
				r.setting(table, wTTL, s)
			}
			continue
		}
		item, _, is := keyItem{role: role, line: line.line}.valued(ticked(s.value))
		if name, kind := s.typedName(); genericKey.MatchString(name) {
			item.name, item.kind = name, cmp.Or(kind, keyType(item.name))
		}
		if is && role != "" && !roots[role] {
			items = append(items, item)
		} else if role != "" && !slices.ContainsFunc(items, func(other keyItem) bool { return other.role == role && other.name == item.name }) {
			return // several
		}
		roots[role] = true
	}
	if at := r.indexPlace(b.frame); b.kind != codeBlock || b.frame.asks() || !roots[Hash] || at != nil && len(at.index.Keys) > 0 {
		return
	} else if at != nil {
		r.give(&at.index.Keys, at.index.Name, b.frame.at(b.line), items...)
		return
	}
	table = r.keyed(b.frame, b.line)
	another := func(other *block) bool { // of another kind of items, by other keys
		return other.kind == codeBlock && other.frame.meant() && !other.frame.asks() && r.table(other.frame) == table && slices.ContainsFunc(other.members(), func(line inline) bool {
			s := statementOf(other.frame, line)
			item, _, is := keyItem{}.valued(ticked(s.value))
			return is && strings.EqualFold(s.label, string(wHash)) && item.name != "" && !slices.ContainsFunc(items, func(own keyItem) bool { return own.name == item.name })
		})
	}
	if table != nil && len(table.Keys) == 0 && !slices.ContainsFunc(r.blocks, another) {
		r.keyTable(table, b.frame.at(b.line), items...)
		for _, item := range items {
			r.done[item.line] = true
		}
	}
}

// item are the lines of a fence that write out a kind of item: the forms of its keys, which a request
// never gives for the table and an index at once, and what follows under "Attributes:".
func (b *block) item() (keys, attributes []inline) {
	lines, owners, typed := b.filled(), map[string]bool{}, false
	for n, line := range lines {
		switch {
		case keyOfItem.MatchString(line.text):
			for _, item := range append(pairItems(line.text), keyItem{name: keyPair.FindStringSubmatch(line.text)[1]}) {
				owners[numberOf(item.name)] = true
			}
			keys = append(keys, line)
		case attributesOf.MatchString(line.text) && len(keys) > 0 && strings.HasSuffix(line.text, ":"):
			return keys, lines[n+1:]
		case len(keys) > 0 && !b.frame.asks() && (attributesOf.MatchString(line.text) || attributesAlone.MatchString(line.text)):
			lines[n].text = attributesAlone.ReplaceAllString(line.text, "Attributes: $0")
			return keys, lines[n:]
		case len(keys) > 1 && line.text == "{" && !b.frame.asks() && b.frame.meant() && placeholder.MatchString(joined(keys).text): // what the item has, behind its keys
			return keys, nil
		case len(keys) > 0 && constantLine.MatchString(line.text): // "EntityType: User"
			typed = true
		case typed && owners[""] && placeholder.MatchString(joined(keys).text) && attributeLine.MatchString("- "+line.text) && !phrase("asksLine").MatchString(line.text):
			return keys, lines[n:]
		case len(owners) > 1 && strings.TrimSpace(b.code[line.line-b.line-1]) == "" && attributeLine.MatchString("- "+line.text): // what the item has, below a gap
			return keys, lines[n:]
		default:
			return nil, nil
		}
	}
	if len(owners) < 2 && !b.ofKind {
		return nil, nil
	}
	return keys, nil
}

// itemsTitle matches the title of a kind of items that says so: "Pending order items".
var itemsTitle = lazyregexp.New(`(?i)\b(?:items?|entity|entities|records?)$`)

// writesKind reports whether a fence has the forms of both keys of the table, and of no other, each in a line of its own, below a title that calls what has them items.
func writesKind(b *block, title *frame) bool {
	lines := b.filled()
	if title == nil || len(lines) != 2 || title.topic != noTopic || !itemsTitle.MatchString(strings.TrimRight(cleanTitle(title.title.text), ":")) || asksByVerb.MatchString(cleanTitle(title.title.text)) {
		return false
	}
	for n, role := range []string{Hash, Range} {
		pair := keyPair.FindStringSubmatch(lines[n].text)
		if pair == nil || len(pair[1]) != 2 || roleOfName(pair[1]) != role || !formAlone.MatchString(lines[n].text[len(pair[0]):]) {
			return false
		}
	}
	return true
}

// formsAlone reports whether each line of a fence is the form of the key of an index.
func formsAlone(b *block) bool {
	return !slices.ContainsFunc(b.filled(), func(line inline) bool {
		pair := keyPair.FindStringSubmatch(line.text)
		return pair == nil || numberOf(pair[1]) == "" || !formAlone.MatchString(line.text[len(pair[0]):])
	})
}

// kindPart is the part of a fence that writes out one of several kinds of items.
type kindPart struct {
	*block
	title inline
	// owners say whose keys it has: the table's, and those of indexes by their numbers.
	owners map[string]bool
}

// kinds are the parts of a fence that writes out several kinds of items, each below its title or an empty line: the forms of the keys of
// the table each. In a part on access patterns they are requests, but where one part has the keys of an index too.
// Comments above the first, and settings behind a kind, are statements on the table.
func (b *block) kinds(asked bool) (all []kindPart, beside []inline) {
	title, open := inline{}, false // of the next part, and whether a line goes on with the last one
	for n, line := range b.code {
		text := strings.TrimLeft(line, "-*• \t")
		comment := commentLine.FindStringSubmatch(line)
		if comment != nil {
			text = comment[1]
		}
		label, value, _, labels := split(inline{line: b.line + n, text: text})
		switch text = strings.TrimSpace(text); {
		case text == "":
			open = false
		case labels && (comment != nil && len(all) == 0 && title.text == "" || open && slices.Contains(settable, wordOf(label))) && (identifier.MatchString(value.text) || !weighs(value.text)):
			beside = append(beside, inline{line: b.line + n, text: text})
		case comment == nil && keyOfItem.MatchString(text):
			head := keyPair.FindStringSubmatch(text)
			form := remarkBehind.ReplaceAllString(text[len(head[0]):], "")
			name, value := head[1], strings.Trim(form, "`\"'")
			if weighs(strings.ReplaceAll(text[len(head[0])+len(form):], "e.g.", "")) || strings.Contains(head[0], "=") && !outlined[b.lang] || !formAlone.MatchString(value) || roleOfName(name) == Hash && numberOf(name) == "" && !composed.MatchString(value) && !placeholder.MatchString(value) {
				return nil, nil
			}
			if !open {
				if form, _ := FormOf(value); title.text == "" { // what the literal text of its key says
					title.text = literalTitle(form)
				}
				title.spans = []span{{to: len(title.text)}}
				all = append(all, kindPart{&block{kind: codeBlock, line: b.line + n, ofKind: true}, title, map[string]bool{}})
				title, open = inline{}, true
			}
			part := all[len(all)-1]
			part.code, part.owners[numberOf(name)] = append(part.code, name+": "+value), true
		case open && attributesOf.MatchString(text):
			all[len(all)-1].code = append(all[len(all)-1].code, text)
		default:
			text = numbering.ReplaceAllString(text, "")
			if title.text != "" || !titlesKind(text) {
				return nil, nil
			}
			title, open = inline{line: b.line + n, text: strings.TrimSuffix(text, ":")}, false
		}
	}
	several := slices.ContainsFunc(all, func(part kindPart) bool { return len(part.owners) > 1 })
	if len(all) < 2 || title.text != "" || asked && !several || slices.ContainsFunc(all, func(part kindPart) bool { return !part.owners[""] || len(part.code) < 2 }) {
		return nil, nil
	}
	return all, beside
}

var (
	// formAlone matches the form of a key with a placeholder, a # or capitals, and nothing behind it.
	formAlone = lazyregexp.New(`^(?:[\w.:|/-]*[#{<\[$][\w.:|/#{}<>\[\]$-]*|[A-Z][A-Z0-9_-]*)$`)
	// remarkBehind matches a remark behind the form of a key.
	remarkBehind = lazyregexp.New(`\s+(?:#|//|--|←|<-|\()\s*\pL.*$`)
	// kindTitle matches what calls a kind of item in a fence, a few words, and noKind one of another time or case.
	kindTitle = lazyregexp.New(`^\pL[\pL\d _/&()-]{1,40}:?$`)
	noKind    = lazyregexp.New(`(?i)^(?:by|if|or|before|after|v\d+|version|deleted|do|use)\b|\([^()]*[^a-z ()]`)
)

// titlesKind reports whether a line of a fence is the title of a kind of item.
func titlesKind(text string) bool {
	return kindTitle.MatchString(text) && !noKind.MatchString(text) && !phrase("asksTitle").MatchString(text) && slices.Contains([]word{"", wOrder, wRegion, wSilent}, wordOf(text)) && topicOf(text) == noTopic && // "Order" and "Note" are kinds too
		!weighs(text) && !judged(text) && !phrase("notYet").MatchString(text) && !ofOther(inline{text: text})
}

var (
	// formByBlanks matches the names of keys with a form by blanks behind each, and at most an example: "PK  ORDER#<id>     SK  META   e.g. ORDER#7".
	formByBlanks = lazyregexp.New(`^(?:(?:[GL]SI\d+)?[PS]K {2,}[^\s:=|]\S*(?: {2,}|$))+(?:e\.g\. .*)?$`)
	eachByBlanks = lazyregexp.New(`((?:[GL]SI\d+)?[PS]K) {2,}(\S+)`)
	// quotedIndex matches the name of an index in quotes behind its number: GSI1 "by-day": PK day.
	quotedIndex = lazyregexp.New(`^([GL]SI\d*) +"([\w.-]+)": *`)
)

// filled are the lines of a fence that are not empty, one with several forms of keys once for each of them.
func (b *block) filled() (all []inline) {
	for n, line := range b.code {
		text := quotedIndex.ReplaceAllString(strings.TrimSpace(line), "$1 ($2): ")
		if formByBlanks.MatchString(text) {
			for _, form := range eachByBlanks.FindAllStringSubmatch(text, -1) {
				all = append(all, inline{line: b.line + n, text: form[1] + ": " + form[2]})
			}
		} else if text != "" {
			all = append(all, inline{line: b.line + n, text: text})
		}
	}
	return all
}

// listed takes a fence for the items of a list where each line is a title and, behind a gap or a sign or in the deeper lines below, its request, or
// outside of a part on access patterns the forms of its keys. It is nil for any other fence.
func (b *block) listed(asked bool) (items []*block) {
	if b.kind != codeBlock || !outlined[b.lang] && !asked {
		return nil
	}
	lines, told := b.filled(), 0
	if !outlined[b.lang] && slices.ContainsFunc(lines, func(line inline) bool {
		return !commentLine.MatchString(line.text) && !askedAlone.MatchString(line.text)
	}) {
		return nil
	}
	indent := func(line inline) int { return len(drawn.FindString(b.code[line.line-b.line])) }
	for n := 0; n < len(lines); n++ {
		line := lines[n]
		if commentLine.MatchString(line.text) {
			continue
		}
		text := line.text[len(drawn.FindString(line.text)):]
		for sign := "  "; asked && n+1 < len(lines) && indent(lines[n+1]) > indent(line); sign = ", " {
			n++
			text += sign + lines[n].text
		}
		if line.text = text; !weighs(text) && !judged(text) { // or nothing of the design
			if line.text = titledLine(text, asked); line.text == "" {
				return nil
			}
			told++
		}
		items = append(items, &block{kind: itemBlock, line: line.line, level: b.level + 1, text: line, parts: []inline{line}})
	}
	if told < 2 {
		return nil
	}
	return items
}

var (
	// keyAsked matches a request by an operation's name, or by what it compares a key with.
	keyAsked = lazyregexp.New(`^(?i:(?:` + operationWords + `|get|put|update|delete)\b|(?:(?:(?:gsi|lsi)\d*[-_]?)?[ps]k|(?:(?:gsi|lsi)[-_]?\d+|[\w-]+-index):?.*) ?(?:=|begins_with))`)
	// askedAlone matches a request in a line of its own with what it finds in a comment, in a fence of whatever language.
	askedAlone = lazyregexp.New(`^(?:GET|QUERY|GetItem|Query) .*=.*\s(?://|#|--) +\pL`)
	// titleAlone matches a title that compares nothing, and titleBehind one in a comment behind its request.
	titleAlone  = lazyregexp.New(`^[^=#{}<>;|"]+$`)
	titleBehind = lazyregexp.New(`^(.*\S)\s+(?:#|//|--|←)\s+(\pL[^=#{}<>;|"]+)$`)
)

// titledLine is a line of a title and a request, or of a title and the forms of keys, as a list would have it; "" for any other.
func titledLine(text string, asked bool) string {
	columns := gap.Split(strings.TrimSpace(text), -1)
	if behind := titleBehind.FindStringSubmatch(text); asked && behind != nil {
		columns = []string{behind[2], behind[1]}
	} else if asked && len(columns) == 1 {
		if at := arrow.FindStringIndex(text); at != nil {
			columns = []string{text[:at[0]], text[at[1]:]}
		} else if title, request, is := strings.Cut(text, ": "); is {
			columns = []string{title, request}
		}
	}
	title := slices.IndexFunc(columns, func(column string) bool { return !asked || titled.MatchString(column) })
	if title < 0 || title+1 >= len(columns) || !titleAlone.MatchString(columns[title]) {
		return ""
	}
	called, rest := strings.TrimRight(columns[title], " :"), columns[title+1:]
	if asked {
		request := strings.TrimLeft(strings.Join(rest, " "), " ->→=")
		if !keyAsked.MatchString(request) || operationOf(spell(called)) != "" || queriesHead.MatchString(called) && strings.Contains(called, " ") && isIndexTitle(called[strings.LastIndexByte(called, ' ')+1:]) || wordOf(called) == wFilter || wordOf(called) == wCondition {
			return "" // "Query GSI1: GSI1PK = ..", and "Filter: .." below it: one request of the heading
		}
		return called + " → " + request
	}
	if len(rest) < 2 || !titlesKind(called) || slices.ContainsFunc(rest, func(form string) bool { return !keyOfItem.MatchString(form) }) {
		return ""
	}
	return called + ": " + strings.Join(rest, ", ")
}

// notOutlined reports whether a line of a fence is none of an outline: it compares or assigns something, or has the form of a value alone.
func notOutlined(text string) bool {
	return unlikeOutline.MatchString(typedForm.ReplaceAllString(text, "$1"))
}

// outline takes a fence that outlines tables for the items of a list: a line that names a table or an index holds those that
// follow it. It is nil for any other fence.
func (b *block) outline() (items []*block) {
	told, indents := false, []int{}
	code := b.code
	if end := slices.IndexFunc(code, notOutlined); end > 0 {
		for end > 0 && strings.TrimSpace(code[end-1]) != "" {
			end--
		}
		if part := code[:end]; end > 0 && slices.ContainsFunc(part, tableLine.MatchString) {
			code = part // a table that is outlined above something else
		}
	}
	for n, raw := range code {
		mark := drawn.FindString(raw)
		line := inline{line: b.line + n, text: strings.TrimPrefix(strings.TrimRight(raw[len(mark):], " \t│║┐┘┤╗╝╣"), "// ")}
		if key := keyInOutline.FindString(line.text); key != "" {
			line.text, told = key, true
		}
		label, value, _, is := split(line)
		w := wordOf(label)
		typed, _, _ := keyItem{}.valued(value.text) // "PK: day (String)"
		switch {
		case line.text == "":
			continue
		case notOutlined(line.text), overMembers.MatchString(line.text), is && slices.Contains([]word{wOperation, wCondition, wFilter, wPattern}, w):
			return nil
		case is && typedLabel.MatchString(label) && roles[wordOf(value.text)] != "": // "PK (String): Partition key"
			told = true
		case is && (w == wTable || roles[w] != "" && typed.kind != "" || slices.Contains([]word{wHash, wRange, wPrimary}, w) && !genericKey.MatchString(label)):
			told = true
		}
		told = told || nameAndKeys(line.text).roled && !isIndexTitle(strings.SplitN(line.text, " (", 2)[0])
		indent := len([]rune(mark))
		for len(indents) > 0 && indents[len(indents)-1] >= indent {
			indents = indents[:len(indents)-1]
		}
		indents = append(indents, indent)
		rank := 2
		keys := nameAndKeys(value.text).keys
		if title := strings.TrimSuffix(line.text, ":"); isIndexTitle(title) && (!is || len(keys) == 0) || is && (w == wIndex || w == wLocal) && len(keys) == 0 {
			rank = 1
			if !is {
				line.text = title + ":"
			}
		} else if w == wTable {
			rank = 0
		}
		items = append(items, &block{kind: itemBlock, line: line.line, level: 3*len(indents) + rank, text: line, parts: []inline{line}})
	}
	if !told || !outlined[b.lang] && b.lang != "typescript" && b.lang != "ts" { // where nothing is written as a program
		return nil
	}
	if rest := b.code[len(code):]; len(rest) > 0 {
		items = append(items, &block{kind: codeBlock, line: b.line + len(code), lang: b.lang, code: rest})
	}
	return items
}
