package reader

import (
	"fmt"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// One order for the line of a list that is a key: its name, its type and its role stand in any order there, with any signs between them. All forms
// read "`day` (String, sort key)" and "Sort key: `day` (String)".

const (
	// keyNames matches the name of a key, keyRoles the words for its role that no sentence has for anything else, and keyTypes those for its type.
	keyNames = `(?P<name>[A-Za-z_][\w.-]*)`
	keyRoles = `(?P<role>(?i:partition|hash|sort|range)[ -](?i:key)(?: \((?i:[PS]K|HASH|RANGE)\))?|[PS]K|HASH|RANGE)`
	keyTypes = `(?P<type>(?i:string|number|binary)|[SNB])`
	// timeRole is the role of the attribute by which DynamoDB deletes, and timeType its only type.
	timeRole = `(?P<role>TTL)(?: (?:attribute|field|timestamp))?\b`
	timeType = `(?P<type>(?i:number)|N)`
	// betweenParts matches the signs and words between two of the three, and behindParts what can follow them.
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
		lazyregexp.New(`^` + keyNames + betweenParts + timeType + betweenParts + timeRole + behindParts),
		lazyregexp.New(`^` + keyNames + betweenParts + timeRole + betweenParts + timeType + `\b` + behindParts),
		lazyregexp.New(`^(?P<role>TTL)(?: (?:enabled|attribute|field))?: ` + keyNames + behindParts),
		lazyregexp.New(`^` + keyNames + `(?:: | - | – | — )` + timeRole + behindParts),
	}
	// bareName matches a name with a word behind it, and no sign between, and closing the brackets that end behind a part.
	bareName = lazyregexp.New(`^[\w.-]+ [A-Za-z]`)
	closing  = lazyregexp.New(`^[)\]}]*`)
	// anotherKey matches what says of the rest of a line that it has another key, or the form of a value.
	anotherKey = lazyregexp.New(`\b(?:(?i:partition|sort|hash|range) key|[PS]K|HASH|RANGE)\b|[=#]`)
	// signAhead matches signs before a name that say nothing.
	signAhead = lazyregexp.New(`^[^\pL\pN_("'` + "`" + `]+ `)
)

// partsOf are the named parts of a text that an expression matches.
func (i inline) partsOf(form *lazyregexp.Regexp) (part func(name string) inline, is bool) {
	at := form.FindStringSubmatchIndex(i.text)
	return func(name string) inline {
		if n := 2 * form.SubexpIndex(name); n >= 0 && at[n] >= 0 {
			return i.slice(at[n], at[n+1])
		}
		return inline{}
	}, at != nil
}

// inCode is a name in backticks, as the beginning of a line.
func (i inline) inCode(name string) inline {
	return inline{line: i.line, text: name, spans: []span{{0, len(name), true}}}
}

// inKeyOrder is the line of a list with the parts of a key in the one order, where it is the line of a key. The attribute of a TTL stands in the same orders.
func (i inline) inKeyOrder() inline {
	of := i.slice(len(signAhead.FindString(i.text)), len(i.text))
	for _, order := range keyOrders {
		part, is := of.partsOf(order)
		if !is {
			continue
		}
		name, role, rest := part("name").text, part("role").text, part("rest")
		first := strings.HasPrefix(of.text, role) // and not the name
		marked := len(part("name").spans) > 0 || len(of.spans) > 0 && of.spans[0].from == 0 && of.spans[0].to > len(name)
		word := wordOf(name) != "" && !slices.Contains([]string{"id", "ttl"}, name) && !genericKey.MatchString(name)
		if word || keyType(name) != "" || !marked && !first && bareName.MatchString(of.text) || anotherKey.MatchString(rest.text) {
			return i
		}
		behind, kind, end := rest.slice(len(closing.FindString(rest.text)), len(rest.text)), part("type").text, ")"
		if before, _, open := strings.Cut(behind.text, ")"); open && !strings.Contains(before, "(") {
			end = "" // "(String, sort key, by time)"
		}
		switch head := i.inCode(name); {
		case role == "TTL" && (first || kind == "") && len(part("name").code()) == 0:
			return i // "TTL: none", "Sessions: TTL"
		case role == "TTL" && first:
			return inline{line: i.line, text: "TTL: "}.followedBy("", head).followedBy("", behind)
		case role == "TTL" && kind != "":
			return head.followedBy(" ("+kind+"): TTL", inline{}).followedBy(strings.Repeat(" —", min(1, strings.Count(behind.text, "("))), behind)
		case role == "TTL":
			return head.followedBy(" - TTL attribute", behind)
		case first:
			return inline{line: i.line, text: role + ": "}.followedBy("", head).followedBy(" ("+kind+end, behind)
		default:
			return head.followedBy(" ("+kind+", "+role+end, behind)
		}
	}
	return i
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
	part, is := i.partsOf(indexOrder)
	if !is {
		return i
	}
	keys := map[string]string{}
	for _, n := range []string{"1", "2"} {
		role := strings.ToLower(part("role"+n).text + part("of"+n).text)
		if role == "partition" || role == "sort" {
			role += " key"
		}
		keys[roles[wordOf(role)]] += part("name"+n).text + part("named"+n).text
	}
	name, rest := part("index").text, part("rest")
	if keys[Hash] == "" || keys[""] != "" || !slices.Contains([]string{part("name1").text + part("named1").text, part("name2").text + part("named2").text}, keys[Hash]) || wordOf(name) != "" || genericKey.MatchString(name) || numberedIndex.MatchString(name) || notIndexNames.MatchString(name) {
		return i
	}
	out := i.inCode(name)
	for n, item := range inOrder(keys[Hash], keys[Range]) {
		out = out.followedBy([]string{" - PK: ", ", SK: "}[n], i.inCode(item.name))
	}
	behind := rest.slice(len(closing.FindString(rest.text)), len(rest.text))
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
