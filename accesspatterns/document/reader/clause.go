package reader

import (
	"cmp"
	"strings"
	"sync"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// keyItem is one key of a clause such as "partition key `a` (String), sort key `b`": the attribute's
// name with its type, or the form of its value.
type keyItem struct {
	role, name, kind string
	form             Template
	// line is where it stands, 0 for the line of its clause.
	line int
	// of is the index whose key it is called: "GSI1 PK".
	of string
	// label is set where the name is that of a label, "PK: `CART#{id}`", which is the word for its role as well.
	label bool
	// headed is set for the word for a role in the header of a table's items.
	headed bool
}

// roles are the words for the roles of keys.
var roles = map[word]string{wHash: Hash, wRange: Range}

var (
	roleHead = sync.OnceValue(func() *lazyregexp.Regexp {
		return lazyregexp.New(`(?i)^(?:its |the |a |with )?(?:((?:gsi|lsi|index)[-_ ]?\d*)\s+|(?:table|primary|composite)\s+)?(pk|sk|` + roleWords() + `|hash|range)(?:\s*\((?:pk|sk|hash|range|hash key|range key|partition key|sort key)\))?(\s*[:=—–]\s*|\s+(?:is\s+|attribute\s+)?)`)
	})
	// particleRole matches a role behind a name in Korean and Japanese: "user_id를 hash key로 사용", "`id` をパーティションキーとして使用".
	particleRole = sync.OnceValue(func() *lazyregexp.Regexp {
		return lazyregexp.New(`(?i)^ ?(?:를|을|を) ?(` + roleWords() + `) ?(?:로|으로|に|として)(?: ?(?:사용|설정|지정|使用|設定|指定))?(?:하는|한다|함|합니다|する|します)?`)
	})
	pointing = lazyregexp.New(`^\s*(?:→|->)`) // behind the name of an index: "`by-day` → PK: `day`"
	nameHead = lazyregexp.New("^`?([A-Za-z_][A-Za-z0-9_.-]*)`?")
	// functionName matches what DynamoDB calls with an attribute: begins_with(SK, ...).
	functionName = lazyregexp.New(`(?i)^(?:begins_with|between|attribute_\w+|contains|size|query|scan|getitem)$`)
	clauseEnd    = lazyregexp.New(`(?i)^\s*($|[,、;/+&|.→]|and\b|—|–|- )`)
	separators   = lazyregexp.New(`(?i)^[\s,、;/+&|.·]*(?:(?:and|with|y|e|et|und|con|com|avec|mit)\s+)?`)
	bracket      = lazyregexp.New(`^\s*\(([^()]*(?:\([^()]*\))?[^()]*)\)`)
	bareType     = lazyregexp.New(`(?i)^(?:\s+|(,) )(` + dashes + ` )?(string|number|binary)\b`)
	bareSum      = lazyregexp.New(`^([A-Za-z_][\w.-]*) \+ ([A-Za-z_][\w.-]*)(.*)$`) // "day + at"
	tickedSum    = lazyregexp.New("^`([^`+]+ \\+ [^`+]+)`((?: \\(.*)?)$")           // "`day + at`", both in one
	purpose      = lazyregexp.New(`^ for [a-z]`)
	abbreviation = lazyregexp.New(`^(?i:[a-z]\.[a-z]\.?)$`) // "e.g.": no name
)

// roleIn is the role that a bracket or a cell gives, "" for none.
func roleIn(text string) string {
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(text, " - ", ";"), func(c rune) bool { return strings.ContainsRune(",，、;/—–:|=", c) }) {
		if kind, behind, is := strings.Cut(part, " ("); is && keyType(kind) != "" {
			part = strings.TrimSuffix(strings.TrimSpace(behind), ")") // "String (partition key)"
		}
		w := wordOf(part)
		if w == wOrder && strings.HasPrefix(spell(part), "sort") {
			w = wRange
		}
		if roles[w] != "" {
			return roles[w]
		}
	}
	return ""
}

// typeAhead matches the word before a type: "type `S`".
var typeAhead = lazyregexp.New(`(?i)^ *(?:data )?(?:type|tipo|typ):? `)

// typeIn is the type that a bracket gives.
func typeIn(text string) string {
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(text, " - ", ";"), func(c rune) bool { return strings.ContainsRune(",;—–", c) }) {
		part = strings.Trim(typeAhead.ReplaceAllString(part, ""), "`")
		first := firstField(part)
		if kind := keyType(part); kind != "" {
			return kind
		} else if len(first) > 1 && typeName.MatchString(first) { // "String ISO-8601"
			return keyType(first)
		}
	}
	return ""
}

// keyItems reads the keys that a text begins with, and returns what follows them. Text that is
// positional gives the partition key first ("Keys: PK (String), SK (String)").
func keyItems(text string, positional bool) (items []keyItem, rest string) {
	if sum := bareSum.FindStringSubmatch(tickedSum.ReplaceAllString(text, "$1$2")); sum != nil && positional && (clauseEnd.MatchString(sum[3]) || bracket.MatchString(sum[3]) || purpose.MatchString(sum[3]) && namedLike.MatchString(sum[1]) && namedLike.MatchString(sum[2])) {
		return inOrder(sum[1], sum[2]), sum[3]
	}
	rest = text
	for {
		at := rest[len(separators.FindString(rest)):]
		item, after, is := oneKey(at, positional, len(items))
		if !is {
			return items, rest
		}
		items, rest = append(items, item), after
	}
}

// inOrder are a partition key and a sort key by their names; an empty name is of none.
func inOrder(names ...string) (items []keyItem) {
	for n, name := range names {
		if name != "" {
			items = append(items, keyItem{role: [2]string{Hash, Range}[n], name: name})
		}
	}
	return items
}

func oneKey(text string, positional bool, before int) (item keyItem, rest string, is bool) {
	rest = text
	if head := roleHead().FindStringSubmatch(text); head != nil && len(head[0]) < len(text) && text[len(head[0])] != '(' {
		item.of, item.role = head[1], roles[wordOf(head[2])]
		rest = text[len(head[0]):]
		if isNone(rest) || isNone(firstField(rest)) || strings.TrimSpace(head[3]) == "" && !strings.HasPrefix(rest, "`") {
			return item, text, false // "partition key design"
		}
		item, rest, is = item.valued(rest)
		return item, rest, is && !typeName.MatchString(item.name) // "Hash key (PK): String"
	}
	match := nameHead.FindStringSubmatch(text)
	if match == nil || functionName.MatchString(match[1]) {
		return item, text, false
	}
	item.name, rest = match[1], text[len(match[0]):]
	given := bracket.FindStringSubmatch(rest)
	if given != nil && !genericKey.MatchString(item.name) && strings.ContainsAny(given[1], "#<{") && strings.ContainsAny(roleHead().FindString(given[1]), ":=") {
		return item, text, false // "Cart (PK: `CART#{id}`)"
	}
	if given != nil && strings.HasPrefix(rest, "(") && strings.Contains(given[1], ",") && typeIn(given[1]) == "" {
		return item, text, false // "getItems(PK, fromSK, toSK)"
	}
	ofIndex := given != nil && (projectionOf(given[1]) != "" || !genericKey.MatchString(item.name) && !strings.ContainsAny(given[1], "#<{") &&
		(strings.Contains(given[1], "`") && roleHead().MatchString(given[1]) || namesInside(given[1]))) // "`carts` (PK: `id`)"
	if given != nil && !ofIndex {
		item.role, item.kind, rest = roleIn(given[1]), typeIn(given[1]), rest[len(given[0]):]
		if item.role != "" && indexWord.MatchString(given[1]) && numberOf(item.name) == "" {
			item.of = "GSI" // "`mail` (GSI partition key)": of which index is not said
		}
	} else if kind, after := kindBehind(rest); kind != "" {
		item.kind, rest = kind, after
	}
	if role := particleRole().FindStringSubmatch(rest); role != nil && item.role == "" {
		item.role, rest = roles[wordOf(role[1])], rest[len(role[0]):]
	}
	if item.role == "" && positional && before < 2 && !pointing.MatchString(rest) && (given != nil && item.kind != "" || strings.HasPrefix(text, "`") && strings.HasSuffix(match[0], "`") || genericKey.MatchString(item.name) || item.kind != "") {
		item.role = cmp.Or(roleOfName(item.name), [2]string{Hash, Range}[before])
	}
	return item, rest, item.role != "" && (clauseEnd.MatchString(rest) || given != nil)
}

// namesInside reports whether a bracket gives a role, a sign and a name that is no type: "carts (PK: cartId, SK: day)".
func namesInside(text string) bool {
	head := roleHead().FindString(text)
	name, _, _ := strings.Cut(text[len(head):], ",")
	return strings.ContainsAny(head, ":=") && identifier.MatchString(name) && !typeName.MatchString(name)
}

// kindBehind is the type right behind a name, "`PK` string" or "`PK` – String", and what follows it.
func kindBehind(rest string) (kind, after string) {
	match := bareType.FindStringSubmatch(rest)
	if match == nil || match[1]+match[2] != "" && !clauseEnd.MatchString(rest[len(match[0]):]) {
		return "", rest // "– number of seconds"
	}
	return keyType(match[3]), rest[len(match[0]):]
}

func firstField(text string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(text, " "), " ")
	return strings.TrimRight(first, ",;.")
}

// valued reads what a role is given: a name with its type, or a form.
func (item keyItem) valued(text string) (keyItem, string, bool) {
	token, used, _ := valueAt(text)
	rest := strings.TrimPrefix(text[used:], "`")
	coded := strings.HasPrefix(strings.TrimLeft(text, " "), "`")
	if given := bracket.FindStringSubmatch(rest); given != nil && coded && joinedKey.MatchString(token) && typeIn(given[1]) != "" { // "`day#run` (String)"
		item.name, item.kind = token, typeIn(given[1])
		return item, rest[len(given[0]):], true
	}
	if joinedKey.MatchString(token) && (strings.TrimSpace(rest) == "" || coded && clauseEnd.MatchString(rest)) { // the name as it is written
		item.name = token
		return item, rest, true
	}
	if isTemplate(token) && !genericKey.MatchString(token) || strings.ContainsAny(token, "{<[") {
		form, fits := FormOf(token)
		item.form = form
		return item, rest, fits
	}
	token = strings.TrimRight(token, ":")
	if !identifier.MatchString(token) || abbreviation.MatchString(token) {
		return item, text, false
	}
	item.name = token
	given := bracket.FindStringSubmatch(rest)
	if given != nil {
		item.kind = typeIn(given[1])
		rest = rest[len(given[0]):]
	} else if kind, after := kindBehind(rest); kind != "" && coded { // "`PK` string"
		item.kind, rest = kind, after
	}
	return item, rest, coded || given != nil || clauseEnd.MatchString(rest)
}
