package reader

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// One order for the line of a list that is a key: its name, its type and its role stand in any order there, with any signs between them. All forms
// read "`day` (String, sort key)" and "Sort key: `day` (String)".

const (
	// keyNames matches the name of a key, keyRoles the words for its role that no sentence has for anything else, and keyTypes those for its type.
	keyNames = `(?P<name>[A-Za-z_][\w.-]*)`
	// codeNames matches a name that is no word of a sentence.
	codeNames = `(?P<name>[a-z]+(?:[A-Z]|_)\w*|[A-Z][a-z]\w*I[dD]|id)`
	keyRoles  = `(?P<role>(?i:partition|hash|sort|range)[ -](?i:key)(?: \((?i:[PS]K|HASH|RANGE)\))?|[PS]K|HASH|RANGE)`
	keyTypes  = `(?P<type>(?i:string|number|binary)|[SNB])`
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
		lazyregexp.New(`^` + keyRoles + `(?: ?[:=–—-] ?| ?(?:→|->) ?| )` + keyNames + betweenParts + keyTypes + `\b` + behindParts),
		lazyregexp.New(`^(?P<role>Partition|Sort|Hash|Range): +` + keyNames + betweenParts + keyTypes + `\b` + behindParts),
		lazyregexp.New(`^` + keyRoles + ` \(` + keyTypes + `\) ?[:=–—-] ?` + keyNames + behindParts),
		lazyregexp.New(`^` + keyNames + betweenParts + keyTypes + betweenParts + keyRoles + `\b` + behindParts),
		lazyregexp.New(`^` + keyNames + betweenParts + keyRoles + betweenParts + keyTypes + `\b` + behindParts),
		lazyregexp.New(`^` + keyNames + `(?: (?:-|–|—|→|->) | ?\t+)` + keyRoles + `$`),
		lazyregexp.New(`^` + codeNames + ` (?P<role>[PS]K|HASH|RANGE)$`),
		lazyregexp.New(`^` + keyRoles + `(?: (?:-|–|—|→|->) | )` + codeNames + `$`),
		lazyregexp.New(`^` + keyNames + betweenParts + timeType + betweenParts + timeRole + behindParts),
		lazyregexp.New(`^` + keyNames + betweenParts + timeRole + betweenParts + timeType + `\b` + behindParts),
		lazyregexp.New(`^(?P<role>TTL)(?: (?:enabled|attribute|field))?: ` + keyNames + behindParts),
		lazyregexp.New(`^(?P<role>TTL)(?: enabled)?(?: on)? (?P<name>[a-z]+(?:[A-Z]|_)\w*)` + behindParts),
		lazyregexp.New(`^` + keyNames + `(?:: | - | – | — )` + timeRole + behindParts),
	}
	// aloneRole matches a role without the word for a key.
	aloneRole = lazyregexp.New(`^(?:Partition|Sort|Hash|Range)$`)
	// bareName matches a name with a word behind it, and no sign between, and closing the brackets that end behind a part.
	bareName = lazyregexp.New(`^[\w.-]+ [A-Za-z]`)
	closing  = lazyregexp.New(`^[)\]}]*`)
	// anotherKey matches what says of the rest of a line that it has another key, or the form of a value.
	anotherKey = lazyregexp.New(`\b(?:(?i:partition|sort|hash|range) key|[PS]K|HASH|RANGE)\b|[=#]`)
	// aspectOfKey matches what is said of a key beside its name.
	aspectOfKey = lazyregexp.New(`(?i)^(?:format|pattern|values?|template|prefix|suffix|design|choice|strategy|structure|selection|convention|naming|type|name|length|condition|attribute|field|column|components?)$`)
	// signAhead matches signs before a name that say nothing.
	signAhead = lazyregexp.New(`^[^\pL\pN_("'` + "`" + `]+ `)
)

// doubledRole matches the role of a key in a bracket before the same in words: "`PK` (Hash Key): Partition key - String".
var doubledRole = lazyregexp.New(`^[\w.-]+( \((?i:hash|partition|range|sort) (?i:key)\)):? (?i:hash|partition|range|sort) (?i:key)\b`)

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
	if at := doubledRole.FindStringSubmatchIndex(of.text); at != nil {
		of = joined([]inline{of.slice(0, at[2]), of.slice(at[3], len(of.text))})
	}
	for _, order := range keyOrders {
		part, is := of.partsOf(order)
		if !is {
			continue
		}
		name, role, kind, rest := part("name").text, part("role").text, part("type").text, part("rest")
		first := strings.HasPrefix(of.text, role) // and not the name
		if first && kind != "" && len(role) == 2 && slices.Equal(part("role").code(), []string{role}) {
			return i // "`PK` (S): orderId" is of the attribute PK
		}
		if aloneRole.MatchString(role) { // "Partition: `day` (String)"
			role += " key"
		}
		marked := len(part("name").spans) > 0 || len(of.spans) > 0 && of.spans[0].from == 0 && of.spans[0].to > len(name)
		word := isIndexTitle(name) || kind == "" && genericKey.MatchString(name) || wordOf(name) != "" && wordOf(name) != wSilent && !slices.Contains([]string{"id", "ttl"}, name) && !genericKey.MatchString(name)
		apart := first && strings.HasPrefix(of.text, role+" "+name) && !marked // "PK id (S)", and not "Sort key design (string)"
		if apart && !camelSegment.MatchString(name) && (len(role) > 5 || aspectOfKey.MatchString(name)) || word || keyType(name) != "" || kind != "" && !marked && !first && bareName.MatchString(of.text) || anotherKey.MatchString(rest.text) {
			return i
		}
		behind, end := rest.slice(len(closing.FindString(rest.text)), len(rest.text)), ")"
		if before, _, open := strings.Cut(behind.text, ")"); open && !strings.Contains(before, "(") {
			end = "" // "(String, sort key, by time)"
		}
		switch head := i.inCode(name); {
		case kind == "" && role != "TTL" && first:
			return inline{line: i.line, text: role + ": "}.followedBy("", head)
		case kind == "" && role != "TTL" && marked:
			return i
		case kind == "" && role != "TTL":
			return head.followedBy(" ("+role+")", inline{})
		case role == "TTL" && (first || kind == "") && len(part("name").code()) == 0 && !camelSegment.MatchString(name):
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

// keysAlone matches a paragraph that is the keys of a table, each behind its role without a sign: "PK `day` (S), SK `at` (N)."
var keysAlone = lazyregexp.New("^(?:PK|HASH|(?i:partition key|hash key)) `([A-Za-z_][\\w.-]*)` \\(([^()#]+)\\)(?:(?:,| and|;| /| \\+) (?:SK|RANGE|(?i:sort key|range key)) `([A-Za-z_][\\w.-]*)` \\(([^()#]+)\\))?\\.?$")

// typeBehindKey matches a paragraph that is the one key of a table with its type behind it: "Primary key: `id` string."
var typeBehindKey = lazyregexp.New("(?i)^(?:primary|partition|hash) key: `([a-z_][\\w.-]*)`,? (string|number|binary)\\.?()()$")

// withSigns is a paragraph with a colon behind each role and a bracket around each type, where it is keys alone.
func (i inline) withSigns() inline {
	keys := append(keysAlone.FindStringSubmatch(ticked(i)), typeBehindKey.FindStringSubmatch(ticked(i))...)
	if len(keys) == 0 || keyType(keys[2]) == "" {
		return i
	}
	whole := inline{line: i.line, text: "Partition key: "}.followedBy("", i.inCode(keys[1])).followedBy(" ("+keys[2]+")", inline{})
	if keys[3] != "" {
		whole = whole.followedBy(", sort key: ", i.inCode(keys[3])).followedBy(" ("+keys[4]+")", inline{})
	}
	return whole
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

// One spelling for the line of a kind of item with the forms of its keys: "Order (PK: `ORDER#<id>`, SK: `META`)" is read as "Order: PK=ORDER#<id>, SK=META".
const (
	shortKey  = "((?i:(?:gsi|lsi)?\\d*[-_]?[ps]k))"
	pairKey   = "`?" + shortKey + "`?(?: ?[:=] ?| )"
	pairValue = "(?:`([^`]+)`|([^\\s`,;|)]+(?:[})>]|[^\\s`,;|)]))`?)"
)

var (
	kindLine = lazyregexp.New("^(\\pL[\\pL\\d '&/_-]{0,40}?)(?:: | - | – | — | \\()" + pairKey + pairValue + "(?:,| \\||;| and| /|\\s)\\s*" + pairKey + pairValue + "((?:(?:,| \\||;| and) " + pairKey + pairValue + ")*)\\)?(|[.,;:]?|[,.;:]? .*)$")
	morePair = lazyregexp.New(pairKey + pairValue)
	// arrowKey matches the name of a key before an arrow to the form of its values.
	arrowKey = lazyregexp.New("^" + shortKey + " ?(?:→|->|=>) ?")
)

// inPairs is the line of a kind of item with the forms of its keys in the one spelling, where it is such a line and spelled otherwise.
func (i inline) inPairs() inline {
	if at := arrowKey.FindStringSubmatchIndex(i.text); at != nil && len(i.code()) > 0 { // "PK → `ORDER#<id>`"
		return i.slice(0, at[3]).followedBy(": ", i.slice(at[1], len(i.text)))
	}
	text := ticked(i)
	match := kindLine.FindStringSubmatch(text)
	spelled := strings.Contains(text, "PK=") || strings.Contains(text, "pk=")
	if match == nil || strings.Contains(text, "= ") || spelled && !strings.HasPrefix(text, match[1]+" (") || wordOf(match[1]) != "" && wordOf(match[1]) != wOrder || roleOfName(match[2]) != Hash || roleOfName(match[5]) != Range {
		return i
	}
	first, second := match[3]+match[4], match[6]+match[7]
	if !strings.ContainsAny(first, "#{<[$") || keyType(first) != "" || keyType(second) != "" {
		return i
	}
	out := inline{line: i.line, text: match[1] + ": "}
	if len(i.spans) > 0 && i.spans[0].from == 0 && !i.spans[0].code {
		out.spans = []span{{0, len(match[1]), false}}
	}
	out = out.followedBy("", i.inCode(match[2]+"="+first)).followedBy(", ", i.inCode(match[5]+"="+second))
	for _, pair := range morePair.FindAllStringSubmatch(match[8], -1) {
		out = out.followedBy(", ", i.inCode(pair[1]+"="+pair[2]+pair[3]))
	}
	rest := strings.ReplaceAll(match[len(match)-1], "`", "")
	if behind, is := strings.CutPrefix(rest, ": "); is {
		rest = " — " + behind
	}
	return out.followedBy(rest, inline{})
}

// operationOver matches the operation of a request, with its index, and nothing else.
var operationOver = lazyregexp.New("^`?(?:" + operationWords + ")`?(?: (?:on|via|using|through) (?:the )?`?[\\w.-]+`?(?: (?i:index|GSI))?)?$")

// asLabelled is the text of a block, that of the first line of a list with the word for what it is, where it is an operation over keys: "Query on GSI1".
func asLabelled(b, next *block) inline {
	if b.kind != itemBlock || !operationOver.MatchString(ticked(b.text)) || !beginsKeys(next) {
		return b.text
	}
	return inline{line: b.line, text: "Operation: "}.followedBy("", b.text)
}
