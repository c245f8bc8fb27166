package reader

import (
	"slices"
	"strings"
	"unicode"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Template is the form of a key value in one notation, whatever the document's
// is: literal text with parameters in braces, USER#{id}. Of a prefix, as
// begins_with takes one, it is the prefix.
type Template string

var (
	// placeholder matches a parameter in any notation of the field.
	placeholder = lazyregexp.New(`\$?\{\{?[^{}]{1,60}\}\}?|<[^<>=]{1,60}>|\[[A-Za-z_][^\[\]]{0,60}\]|%0?\d*[sd]`)
	callOf      = lazyregexp.New(`^\w+\((\w+)\)$`)
	numbers     = lazyregexp.New(`[{<]\d+\.\.\.?\d+[}>]`)
	// quotedPart matches a choice of constants in place of a parameter: ${'DAY' | 'YEAR'}.
	quotedPart    = lazyregexp.New(`\{['"]`)
	separator     = lazyregexp.New(`(?i)\{\w*(?:separator|delimiter)\}`)
	bareParameter = lazyregexp.New(`(^|[#|/]):([A-Za-z_]\w*)`)
	identifier    = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
	plainTemplate = lazyregexp.New(`^[A-Za-z0-9_#:|/.@+~=-]*$`)
	// formats are words in capitals that say what a value is like, and are none.
	formats  = lazyregexp.New(`^(?:UUID(?:V\d)?|ULID|KSUID|NANOID|GUID|ISO(?:[-_]?8601)?|UTC|RFC[-_]?\d+|URL|JSON|HTML|CSV|TTL|GSI[-_]?\d*|LSI[-_]?\d*|YES|NO|NULL|TBD|N/?A|NONE|FK|ID|PK|SK|HASH|RANGE)$`)
	capitals = lazyregexp.New(`^[A-Z][A-Z0-9_-]*$`)
	// exampleSegment is a part of a key that only one item has: e017, user456, 2024-01-31, john@example.com.
	exampleSegment = lazyregexp.New(`^(?:[^{}]*[a-uw-zA-UW-Z_-]\d+[A-Za-z\d-]*|\+?\d[\d:T.Z-]+|[^{}]+@[^{}]+|[^{}]*XXX[^{}]*)$`)
	wordSegment    = lazyregexp.New(`^[a-z]+(?:-[a-z]+)*$`)
	lowerSegment   = lazyregexp.New(`^([a-z_-]*(id|name|date|time|number|key|slug|code|hash|token|due|day|month|year))$`)
	titleSegment   = lazyregexp.New(`^[A-Z][a-z]+$`)
	camelSegment   = lazyregexp.New(`^([a-z]+([A-Z][A-Za-z0-9]*|_id|_[a-z]+)+|id|uuid|timestamp|date|name|email|slug|YYYY[-/]?MM([-/]?DD)?|ISO\w*)$`)
	// joinedWords matches the name of an attribute of several words: createdAt, next_run_at.
	joinedWords = lazyregexp.New(`^[a-z][A-Za-z_]*(?:Id|At|Date|Time|Name|Number|Code|_(?:id|at|date|time|name|number|code))$`)
	parameter   = lazyregexp.New(`\{[^{}]*\}`)
	// joinedValue matches literal text and variables that a program joins: "CART#" + cartId + "#" + line; joinedPart each of them.
	joinedValue = lazyregexp.New(`^(?:[A-Za-z_][\w.]* \+ )?(?:"[^"]*"|'[^']*')(?: \+ (?:[A-Za-z_][\w.:’-]*|"[^"]*"|'[^']*'))*`)
	joinedPart  = lazyregexp.New(`"[^"]*"|'[^']*'|[A-Za-z_][\w.:’-]*`)
	// reshaped matches the calls behind a variable that give the same value another form: kind.toUpperCase().
	reshaped = lazyregexp.New(`(?:\.(?:to\w+|trim|replace\w*|slice|substring|pad\w+|lower|upper|format|isoformat|strftime)\([^()]*\))+$`)
)

// putTogether is a value that a program joins of literal text and variables as one text, CART#{cartId} of "CART#" + cartId; any other text as it stands.
func putTogether(raw string) (text string) {
	whole := joinedValue.FindString(raw)
	if whole != raw || !strings.Contains(raw, " + ") {
		return raw
	}
	for _, part := range joinedPart.FindAllString(whole, -1) {
		if strings.ContainsAny(part[:1], `"'`) {
			text += unquoted(part)
		} else {
			text += "{" + lastName(part) + "}"
		}
	}
	return text
}

// FormOf is the form of a key's value in any notation of the field, and whether a text is one.
func FormOf(raw string) (found Template, is bool) {
	text := unquoted(putTogether(raw))
	text = strings.TrimSpace(strings.TrimRight(text, ",;"))
	for _, open := range []string{"...", "…", "*"} {
		text = strings.TrimSuffix(text, open)
	}
	if text == "" || len(text) > 200 {
		return "", false
	}
	parts := strings.Split(text, "#")
	for i, part := range parts {
		if valueFormat.MatchString(part) { // what a value is like: DAY#YYYY-MM-DD
			parts[i] = "{" + part + "}"
		}
	}
	text = strings.Join(parts, "#")
	if numbers.MatchString(text) || quotedPart.MatchString(text) || slices.ContainsFunc(placeholder.FindAllString(text, -1), describes) {
		return "", false // {00..63}: which of the numbers
	}
	if separator.MatchString(text) {
		return "", false // SHOP${KEY_SEPARATOR}${id}: a constant, whose text is not said
	}
	found = Template(bareParameter.ReplaceAllString(placeholder.ReplaceAllStringFunc(text, func(mark string) string { return "{" + parameterName(mark) + "}" }), "$1{$2}"))
	if !plainTemplate.MatchString(parameter.ReplaceAllString(string(found), "")) {
		return "", false
	}
	segments := strings.Split(string(found), "#")
	if len(segments) > 1 && slices.ContainsFunc(segments, exampleSegment.MatchString) {
		return "", false // EVENT#e017: the value of one item
	}
	if strings.Contains(string(found), "{") {
		return found, true
	}
	if len(segments) == 1 && text == raw && strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxLatin1 && unicode.IsLetter(r) }) >= 0 {
		return "", false // a word that says what stands there
	}
	// No parameter is marked: USER#userId, but not STRAVA#CONNECTION.
	if wordsAlone(segments) || len(segments) > 1 && strings.Contains(segments[0], ".") {
		return "", false // photo.png#uuid: the value of one item
	}
	if len(segments) > 1 {
		for i, segment := range segments {
			if i > 0 && wordSegment.MatchString(segment) && capitals.MatchString(segments[0]) && !camelSegment.MatchString(segment) && !lowerSegment.MatchString(segment) {
				return "", false // REGION#west: the value of one item, or a constant
			}
			if strings.Contains(segment, "_") && segment == strings.ToLower(segment) && !attributeWord.MatchString(segment) && i > 0 {
				return "", false // SETTINGS#dark_mode: literal, or a parameter
			}
			if camelSegment.MatchString(segment) || i > 0 && capitals.MatchString(segments[0]) && lowerSegment.MatchString(segment) {
				segments[i] = "{" + segment + "}"
			}
		}
		found = Template(strings.Join(segments, "#"))
	}
	return found, true
}

// wordsAlone reports whether the segments of a value are names without a mark, as those of userId#status: which of
// them are literal is not said. Those of createdAt#orderId are both attributes.
func wordsAlone(segments []string) bool {
	attributes := joinedWords.MatchString(segments[0]) && !slices.ContainsFunc(segments, func(s string) bool { return !camelSegment.MatchString(s) })
	return len(segments) > 1 && !attributes && !capitals.MatchString(segments[0]) && segments[0] != "" && slices.ContainsFunc(segments, func(s string) bool { return camelSegment.MatchString(s) || titleSegment.MatchString(s) })
}

// keyForm is the form of the key of a kind of item: whole, and not cut off.
func keyForm(raw string) (Template, bool) {
	if text := strings.TrimRight(unquoted(raw), ",; "); strings.HasSuffix(text, "…") || strings.HasSuffix(text, "...") || strings.HasSuffix(text, "*") || keyType(text) != "" || alternatives.MatchString(text) || timestampAlone.MatchString(text) {
		return "", false
	}
	return FormOf(raw)
}

// alternatives matches the forms of several kinds with a bar between them: META|ITEM#{id}.
var alternatives = lazyregexp.New(`^[A-Z_]+\|[A-Z_]+#|^[A-Z_]+#[^|]*\|[A-Z_]+(?:#|$)`)

// parameterName takes the name out of a placeholder: the last word of a path,
// the first of a description.
func parameterName(mark string) string {
	name := reshaped.ReplaceAllString(strings.Trim(mark, "${}<>[]% "), "")
	if call := callOf.FindStringSubmatch(name); call != nil { // pad(score)
		name = call[1]
	}
	ends := " :(,"
	if strings.Contains(strings.ToLower(name), "hh:mm") { // the form of a time of day: yyyy-MM-ddTHH:mm:ssZ
		ends = " (,"
	}
	if end := strings.IndexAny(name, ends); end >= 0 {
		name = name[:end]
	}
	name = name[strings.LastIndexByte(name, '.')+1:]
	name = strings.NewReplacer("{", "", "}", "", "<", "", ">", "").Replace(name)
	if name == "" || mark[0] == '%' {
		return "value"
	}
	return name
}

// describes reports whether a placeholder is a sentence on what stands there, and no name: <defined otherwise for each kind>.
func describes(mark string) bool {
	return len(strings.Fields(strings.FieldsFunc(mark, func(c rune) bool { return strings.ContainsRune("(:,", c) })[0])) > 4
}

// isTemplate reports whether a text, as it stands, reads like a key value and
// not like the name of an attribute or a word: it has a parameter or a
// separator, or is in capitals.
func isTemplate(raw string) bool {
	text := unquoted(putTogether(raw))
	if text == "" || strings.ContainsAny(text, " ,") && !placeholder.MatchString(text) {
		return false
	}
	if _, is := FormOf(text); !is {
		return false
	}
	return placeholder.MatchString(text) || strings.Contains(text, "#") || capitals.MatchString(text) && !formats.MatchString(text) && TypeOf(text) == ""
}

// unquoted removes the quotes around a text, with the f of Python's.
func unquoted(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 2 && (text[0] == 'f' || text[0] == 'F') && strings.IndexByte("'\"`", text[1]) >= 0 {
		text = text[1:]
	}
	for len(text) >= 2 && strings.IndexByte("'\"`", text[0]) >= 0 && text[len(text)-1] == text[0] {
		text = text[1 : len(text)-1]
	}
	return strings.Trim(text, "`")
}

// Shape is the template without the names of its parameters.
func (t Template) Shape() string {
	text := string(t)
	if strings.IndexByte(text, '{') < 0 {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for {
		before, behind, _ := strings.Cut(text, "{")
		_, after, closed := strings.Cut(behind, "}")
		if !closed {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(before)
		out.WriteString("{}")
		text = after
	}
}

// bare reports whether a template is a parameter and nothing else: {table} may be any of several.
func (t Template) bare() bool { return t.Shape() == "{}" }

// Parameters returns the names of the parameters, in order.
func (t Template) Parameters() []string {
	var names []string
	for _, mark := range parameter.FindAllString(string(t), -1) {
		names = append(names, mark[1:len(mark)-1])
	}
	return names
}

// ofType reports whether a parameter is the name of a type: ORDER#${string}.
func (t Template) ofType() bool {
	return slices.ContainsFunc(t.Parameters(), func(name string) bool { return typeName.MatchString(name) })
}

// Prefix is the literal text before the first parameter.
func (t Template) Prefix() string {
	before, _, _ := strings.Cut(string(t), "{")
	return before
}

// Matches reports whether a value has the template's form. A parameter takes
// any text that is not empty.
func (t Template) Matches(value string) bool {
	parts := strings.Split(t.Shape(), "{}")
	if len(parts) == 1 {
		return value == parts[0]
	}
	rest, begins := strings.CutPrefix(value, parts[0])
	last := parts[len(parts)-1]
	if !begins || len(rest) < len(last)+len(parts)-1 || !strings.HasSuffix(rest, last) {
		return false
	}
	rest = rest[:len(rest)-len(last)]
	for _, literal := range parts[1 : len(parts)-1] {
		if rest == "" {
			return false
		}
		at := strings.Index(rest[1:], literal) // a parameter has a character at least
		if at < 0 {
			return false
		}
		rest = rest[1+at+len(literal):]
	}
	return rest != ""
}
