package reader

import (
	"fmt"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// One order for the line of a list that is a key: its name, its type and its role stand in any order there, with any signs between them. All forms
// read "`day` (String, sort key)" and "Sort key: `day` (String)".

const (
	// keyRoles are the words for a key's role that no sentence has for anything else, and keyTypes those for its type.
	keyNames = `(?P<name>[A-Za-z_][\w.-]*)`
	keyRoles = `(?P<role>(?i:partition|hash|sort|range)[ -](?i:key)(?: \((?i:[PS]K|HASH|RANGE)\))?|[PS]K|HASH|RANGE)`
	keyTypes = `(?P<type>(?i:string|number|binary)|[SNB])`
	// keyNames is that for its name, betweenParts are the signs and words between two of the three, and behindParts what can follow them.
	betweenParts = `(?:[\s,;:|()\[\]–—>→=-]{1,5}(?:(?:as|is|of|type|the) ){0,2})`
	behindParts  = `(?P<rest>[)\]}]*(?:$|[.,;:]$|[,;.:]? ?(?:[,;.:(–—]|- |-> |→ | - ).*$))`
)

var (
	// keyOrders match the three parts in their orders, those first in which the role stands first.
	keyOrders = []*lazyregexp.Regexp{
		lazyregexp.New(`^` + keyRoles + ` ?[:=–—-] ?` + keyNames + betweenParts + keyTypes + `\b` + behindParts),
		lazyregexp.New(`^` + keyRoles + ` \(` + keyTypes + `\) ?[:=–—-] ?` + keyNames + behindParts),
		lazyregexp.New(`^` + keyNames + betweenParts + keyTypes + betweenParts + keyRoles + `\b` + behindParts),
		lazyregexp.New(`^` + keyNames + betweenParts + keyRoles + betweenParts + keyTypes + `\b` + behindParts),
	}
	// anotherKey matches what says of the rest of a line that it has another key, or the form of a value.
	anotherKey = lazyregexp.New(`\b(?:(?i:partition|sort|hash|range) key|[PS]K|HASH|RANGE)\b|[=#]`)
	// signAhead matches signs before a name that say nothing.
	signAhead = lazyregexp.New(`^[^\pL\pN_("'` + "`" + `]+ `)
)

// inKeyOrder is the line of a list with the parts of a key in the one order, where it is the line of a key.
func (i inline) inKeyOrder() inline {
	from := len(signAhead.FindString(i.text))
	of := i.slice(from, len(i.text))
	name, kind, role, rest := []int(nil), "", "", []int(nil)
	for _, order := range keyOrders {
		if at := order.FindStringSubmatchIndex(of.text); at != nil {
			part := func(name string) []int { n := 2 * order.SubexpIndex(name); return at[n : n+2] }
			name, rest = part("name"), part("rest")
			kind, role = of.text[part("type")[0]:part("type")[1]], of.text[part("role")[0]:part("role")[1]]
			break
		}
	}
	if name == nil {
		return i
	}
	called, marked := of.slice(name[0], name[1]), false
	for _, s := range of.spans {
		marked = marked || s.from <= name[0] && s.to >= name[1]
	}
	bare := strings.Trim(of.text[name[1]:min(len(of.text), name[1]+3)], " ") // a word, and no sign behind the name
	if wordOf(called.text) != "" && called.text != "id" && !genericKey.MatchString(called.text) || keyType(called.text) != "" || !marked && name[0] == 0 && isLetter(rune((bare + "-")[0])) || anotherKey.MatchString(of.text[rest[0]:rest[1]]) {
		return i
	}
	head, end := inline{line: i.line, text: called.text, spans: []span{{0, len(called.text), true}}}, ")"
	if ahead := role + ": "; name[0] > 0 { // the role stands first
		head, role = inline{line: i.line, text: ahead}.followedBy("", head), ""
	} else {
		role = ", " + role
	}
	behind := of.slice(rest[1]-len(strings.TrimLeft(of.text[rest[0]:rest[1]], ")]")), len(of.text))
	if before, _, open := strings.Cut(behind.text, ")"); open && !strings.Contains(before, "(") {
		end = "" // "(String, sort key, by time)"
	}
	return head.followedBy(" ("+kind+role+end, behind)
}

// followedBy is a text with another behind it, and something between.
func (i inline) followedBy(between string, behind inline) inline {
	at := len(i.text) + len(between)
	i.text += between + behind.text
	for _, s := range behind.spans {
		i.spans = append(i.spans, span{at + s.from, at + s.to, s.code})
	}
	return i
}

// One order for the line of a list of indexes as well: the name of an index and its keys, each with its role before or behind it.
const (
	indexRoles = `(?i:(?:partition|hash|sort|range)(?:[ -]key)?|[PS]K)`
	aheadOfKey = `(?: ?[:=] ?| is | - | – | — | )`
	keyOfAny   = `(?:(?P<role%[1]d>` + indexRoles + `)` + aheadOfKey + `(?P<name%[1]d>[A-Za-z_][\w.-]*)(?: ?\((?:String|Number|Binary|[SNB])\))?` +
		`|(?P<named%[1]d>[A-Za-z_][\w.-]*)(?: \((?:(?:String|Number|Binary|[SNB]), ?)?| as (?:the )?| )(?P<of%[1]d>` + indexRoles + `)(?:, ?(?:String|Number|Binary|[SNB]))?\)?)`
)

var indexOrder = lazyregexp.New(`^(?P<index>[A-Za-z_][\w.-]*)(?: \(?(?:GSI|LSI|(?:global |local )?secondary index|index)\)?)?(?:: | - | – | — | \(| \{| \[| on | with | using | = | → | -> )(?:PK |keys? )?` +
	fmt.Sprintf(keyOfAny, 1) + `(?:(?: ?[,;/+&|] ?| → | and )(?:an? |the )?` + fmt.Sprintf(keyOfAny, 2) + `)?` + behindParts)

// indexInOrder is the line of a list of indexes with the name and the keys of an index in the one order, where it is such a line.
func (i inline) indexInOrder() inline {
	at := indexOrder.FindStringSubmatchIndex(i.text)
	if at == nil {
		return i
	}
	part := func(name string) string {
		if n := 2 * indexOrder.SubexpIndex(name); at[n] >= 0 {
			return i.text[at[n]:at[n+1]]
		}
		return ""
	}
	keys := map[string]string{}
	for _, n := range []string{"1", "2"} {
		role := strings.ToLower(part("role"+n) + part("of"+n))
		if role == "partition" || role == "sort" {
			role += " key"
		}
		keys[roles[wordOf(role)]] += part("name"+n) + part("named"+n)
	}
	name := part("index")
	if keys[Hash] == "" || keys[""] != "" || keys[Hash] != part("name1")+part("named1") && keys[Hash] != part("name2")+part("named2") || wordOf(name) != "" || genericKey.MatchString(name) || numberedIndex.MatchString(name) || notIndexNames.MatchString(name) {
		return i
	}
	out, all := inline{line: i.line, text: name, spans: []span{{0, len(name), true}}}, inOrder(keys[Hash], keys[Range])
	for n, item := range all {
		out = out.followedBy([]string{" - PK: ", ", SK: "}[n], inline{text: item.name, spans: []span{{0, len(item.name), true}}})
	}
	rest := 2 * indexOrder.SubexpIndex("rest")
	behind := i.slice(at[rest+1]-len(strings.TrimLeft(i.text[at[rest]:at[rest+1]], ")]}")), len(i.text))
	if projected := projectedBehind.FindStringSubmatch(behind.text); projected != nil && projectionOf(projected[1]) != "" {
		return out.followedBy(" — "+projectionOf(projected[1]), inline{})
	}
	if strings.HasPrefix(behind.text, ": ") { // what it is for
		return out.followedBy(" — ", behind.slice(2, len(behind.text)))
	}
	return out.followedBy("", behind)
}

// projectedBehind matches what an index projects behind its keys, and nothing else.
var projectedBehind = lazyregexp.New(`^[\s,;.:(–—-]*(?:(?i:projections?:?|projects|projecting) )?((?i:all(?: attributes)?|keys[_ ]only))\W*$`)
