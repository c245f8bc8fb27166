package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"dynaproof/accesspatterns/lists"
)

// A policy document tells requests apart by what it mentions and by nothing else. So it decides all requests when it decides
// one of each class. Two values of a condition key are of one class when every value that a statement mentions matches both or
// neither, and the caller does not tell them apart either.

// Fresh is a value that no policy mentions.
const Fresh = "mentioned-nowhere"

// anything is the fill of which no letter is given.
const anything = "*"

// Allows lists the statements of a document that allow something, or only those that allow it to everybody.
func (d *Document) Allows(everybody bool) (names []string) {
	for _, s := range d.statements {
		if !s.deny && (s.unknown == "" || !everybody) {
			names = append(names, s.sid)
		}
	}
	return names
}

// Resources lists ARNs for each that the document's allowing statements mention: in wildcards' places any text, and such that no other
// resource which the document mentions is like it. What is no ARN of DynamoDB is left out. cut says that such an ARN was not looked for to
// the end.
func (d *Document) Resources() (all []string, cut bool) {
	elsewhere := strings.Split("arn:aws:dynamodb:"+Fresh+":123456789012:"+Fresh, ":")
	for _, s := range d.statements {
		mentioned := s.resources
		if s.notResources {
			table, _ := parseResource("arn:aws:dynamodb:*:*:table/*", false)
			mentioned = []resourcePattern{table}
		}
		for _, resource := range mentioned {
			if s.deny || resource.all || !resource.of("dynamodb") {
				continue
			}
			for _, avoided := range [][]letters{nil, d.others(resource)} {
				text, ok, more := resource.like(elsewhere, avoided)
				if cut = cut || more; ok {
					all = append(all, text)
				}
			}
		}
	}
	return lists.Sorted(all), cut
}

// others are the last parts of the resources that the document denies or leaves out, beside one.
func (d *Document) others(than resourcePattern) (all []letters) {
	for _, s := range d.statements {
		for _, resource := range s.resources {
			if (s.deny || s.notResources) && len(resource.segments) == arnSegments && resource.text != than.text {
				all = append(all, letters{runes: resource.segments[arnSegments-1].letters(anything, nil)})
			}
		}
	}
	return all
}

// of reports whether a resource may be one of a service.
func (r resourcePattern) of(service string) bool {
	return len(r.segments) != arnSegments || r.segments[2].match(service, nil)
}

// like is an ARN that the pattern matches, with these texts in its wildcards' places, or where last parts are avoided, with any in that of
// the last. An ARN that is not complete is like the texts.
func (r resourcePattern) like(texts []string, avoided []letters) (arn string, ok, cut bool) {
	if len(r.segments) != arnSegments {
		return strings.Join(texts, ":"), true, false
	}
	parts := slices.Clone(texts)
	for i, segment := range r.segments {
		fill, against := texts[i], []letters(nil)
		if i == arnSegments-1 && avoided != nil {
			fill, against = anything, avoided
		}
		part, ok, looked := meet(0, against, letters{runes: segment.letters(fill, nil)})
		if !ok {
			return "", false, looked >= mostPlaces
		}
		parts[i] = part
	}
	return strings.Join(parts, ":"), true, false
}

// Actions lists the actions that a document's statements name, in lower case, each once: in full, or by a pattern that none of
// [ServiceActions] has the form of.
func (d *Document) Actions() []string {
	var all []string
	for _, s := range d.statements {
		for _, action := range s.actions {
			text, _, _ := meet(0, nil, letters{runes: action.letters(Fresh, nil)})
			if strings.HasPrefix(text, "dynamodb:") && (!action.wild() || !slices.ContainsFunc(iam().Actions, func(name string) bool { return action.match("dynamodb:"+strings.ToLower(name), nil) })) {
				all = append(all, text)
			}
		}
	}
	return lists.Sorted(all)
}

// Lifts lists the actions of an allowing statement by which a principal lifts what its policies say, whatever it is allowed on and under
// which condition. What a statement denies always, wherever it is allowed, is not listed.
func (d *Document) Lifts() (names []string) {
	for arn, actions := range iam().Lifts {
		anyone := strings.SplitN(arn+Fresh, ":", arnSegments)
		for _, name := range actions {
			action := strings.ToLower(name)
			denied := func(r resourcePattern) bool {
				text, _, _ := r.like(anyone, nil)
				parts := strings.SplitN(text, ":", arnSegments)
				return slices.ContainsFunc(d.statements, func(s statement) bool {
					return s.deny && len(s.conditions) == 0 && s.about(action, parts) == yes
				})
			}
			if slices.ContainsFunc(d.statements, func(s statement) bool {
				return !s.deny && s.names(action) && (s.notResources && !denied(resourcePattern{}) || !s.notResources &&
					slices.ContainsFunc(s.resources, func(r resourcePattern) bool { return r.of(anyone[2]) && !denied(r) }))
			}) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Beside lists what a document's allowing statements name of other services than DynamoDB.
func (d *Document) Beside() (all []string) {
	for _, s := range d.statements {
		for _, action := range s.actions {
			service, _, _ := strings.Cut(action.written(), ":")
			switch {
			case s.deny:
			case s.notActions:
				all = append(all, "all but "+action.written())
			case service != "dynamodb":
				all = append(all, action.written())
			}
		}
	}
	return lists.Sorted(all)
}

// MayAllow reports whether a statement allows an action on a resource under
// conditions that some request may meet. Where none does, the request is denied
// whatever its context.
func (d *Document) MayAllow(action, resource string) bool {
	return slices.ContainsFunc(about(action, resource, d), func(s *statement) bool { return !s.deny })
}

// about are the statements that may speak of an action on a resource.
func about(action, resource string, documents ...*Document) []*statement {
	var all []*statement
	action, parts := strings.ToLower(action), strings.SplitN(resource, ":", arnSegments)
	for _, d := range documents {
		all = append(all, lists.Which(d.statements, func(s *statement) bool { return s.about(action, parts) != no })...)
	}
	return all
}

// Universe says which requests there are, beside those that the documents mention.
type Universe struct {
	// Fixed are condition keys with the values that every request carries; one without values is always absent.
	Fixed Context
	// Keys are tried with more values than one, also where no document mentions them.
	Keys []string
	// Values returns values of a key beside those that the documents mention, for a principal with these tags.
	Values func(key string, tags Context) []string
	// Tell says what the caller tells a value of a key from others by, for a principal with these tags. Where it cannot place the
	// value, the documents alone tell it from others.
	Tell func(key, value string, tags Context) (told string, placed bool)
}

// Contexts returns one context of each class of requests for an action on a resource that the documents and the caller tell
// apart: each condition key is absent, or has a value of each class. A key that holds several values has each of them alone,
// and as many together as a statement can ask for one by one; only one key at a time has one more. Names of keys
// that only documents mention are in lower case. cut says that the documents tell apart more than is tried: more patterns which
// match one another's values, values that are asked for one by one, condition keys, or a tag by another tag that is told by tags too.
func (u Universe) Contexts(action, resource string, documents ...*Document) (made []Context, cut bool) {
	statements := about(action, resource, documents...)
	names := map[string]string{}                                // as the caller writes them, by their lower case
	comparing, compared := map[string]bool{}, map[string]bool{} // tags in conditions whose values hold tags, and those
	for _, s := range statements {
		for i := range s.conditions {
			if c := &s.conditions[i]; !c.outside {
				names[c.key] = c.key
				for _, value := range c.values {
					for _, piece := range value.pieces {
						if piece.variable != "" {
							names[piece.variable] = piece.variable
							if principalTag.MatchString(c.key) {
								comparing[c.key], compared[piece.variable] = true, true
							}
						}
					}
				}
			}
		}
	}
	for _, name := range u.Keys {
		names[strings.ToLower(name)] = name
	}
	for name := range u.Fixed {
		delete(names, strings.ToLower(name))
		delete(compared, strings.ToLower(name))
	}
	for key := range comparing {
		cut = cut || compared[key]
	}
	all := []Context{maps.Clone(u.Fixed)}
	if all[0] == nil {
		all[0] = Context{}
	}
	looked := 0
	vary := func(contexts []Context, key string, tags Context, most int) []Context {
		choices, together, more := u.choices(names[key], tags, statements, &looked)
		cut = cut || more
		next := slices.Clone(contexts)
		for _, context := range contexts {
			several := slices.ContainsFunc(slices.Collect(maps.Values(context)), func(values []string) bool { return len(values) > 1 })
			for _, choice := range choices {
				if several && len(choice) > together {
					continue
				}
				if cut = cut || len(next) >= most; len(next) >= most {
					return next
				}
				extended := maps.Clone(context)
				extended[names[key]] = choice
				next = append(next, extended)
			}
		}
		return next
	}
	// Tags come first, because other keys' values hold them, and before them those that other tags' values hold.
	var tags, rest []string
	for _, key := range slices.Sorted(maps.Keys(names)) {
		switch {
		case compared[key]:
			tags = slices.Insert(tags, 0, key)
		case principalTag.MatchString(key):
			tags = append(tags, key)
		default:
			rest = append(rest, key)
		}
	}
	for _, key := range tags {
		var next []Context
		for _, context := range all {
			next = append(next, vary([]Context{context}, key, context, mostTags/len(all))...)
		}
		all = next
	}
	for _, tags := range all {
		of := []Context{tags}
		for _, key := range rest {
			of = vary(of, key, tags, mostContexts/len(all))
		}
		made = append(made, of...)
	}
	return made, cut
}

// mostContexts bounds how many classes are tried for an action on a resource, and mostTags how many of principals are among them. The
// policies of the five designs have 915 at most when they are verified.
const mostContexts, mostTags = 10_000, 100

// choices are the sets of values of a key that are tried beside its absence. together is how many of them a statement can ask
// for one by one. looked counts the places of patterns that were looked at.
func (u Universe) choices(key string, tags Context, statements []*statement, looked *int) (sets [][]string, together int, cut bool) {
	known, _ := keyOf(key)
	if known.Truth {
		return [][]string{{"true"}, {"false"}}, 1, false
	}
	var candidates []string
	if u.Values != nil {
		candidates = u.Values(key, tags)
	}
	lower := strings.ToLower(key)
	mentioned, together, cut := instances(statements, lower, tags, false, looked)
	standing, held, more := stands(statements, lower, looked)
	candidates, cut = slices.Concat(candidates, mentioned, standing), cut || more
	classes := map[string]bool{} // by what the documents tell values by, and by that and the caller
	var values []string
	for _, value := range append(candidates, Fresh) {
		class, told, placed := &strings.Builder{}, "", false
		if held {
			class.WriteString(value + "/") // what other keys' values are like it is not the same for any two
		}
		if u.Tell != nil {
			told, placed = u.Tell(key, value, tags)
		}
		for _, s := range statements {
			for i := range s.conditions {
				if c := &s.conditions[i]; c.key == lower && c.matches(value, tags) {
					class.WriteByte('1')
				}
				class.WriteByte('/')
			}
		}
		alike := class.String()
		if placed && classes[alike+told] || !placed && classes[alike] {
			continue
		}
		classes[alike], classes[alike+told] = true, true
		values = append(values, value)
	}
	sets = append(sets, lists.Map(values, func(value string) []string { return []string{value} })...)
	if !known.Several {
		return sets, 1, cut
	}
	for from, size := 0, 2; size <= together+1; size++ {
		to := len(sets)
		for _, set := range sets[from:to] {
			for _, value := range values[slices.Index(values, set[len(set)-1])+1:] {
				if len(sets) == mostContexts {
					return sets, together, true
				}
				sets = append(sets, append(slices.Clone(set), value))
			}
		}
		from = to
	}
	return sets, together, cut
}

// instances are values of a key that the statements' conditions mention: each by itself, and those that several patterns match
// together, one of each condition, also such that none of the patterns matches against which a statement allows or by which one
// denies. Where they are open, any text stands for a variable. together is how many values one statement asks for one by one, at least 1. cut says that patterns were left out.
func instances(statements []*statement, key string, tags Context, open bool, looked *int) (all []string, together int, cut bool) {
	var patterns []*mention
	var inCase []string // values in upper and in lower case, for patterns that do not tell them apart
	seen := map[string]bool{}
	together, conditions, tries := 1, 0, 0
	for _, s := range statements {
		any := 0
		for _, c := range s.conditions {
			if c.key != key || c.operator.Truth {
				continue
			}
			if c.quantifier == forAny {
				any++
			}
			conditions++
			for _, value := range c.values {
				if open {
					value = value.open("")
				}
				each := &mention{value, c.operator.Folds, c.operator.Negated != s.deny, conditions}
				if at := fmt.Sprint(each.pattern, each.folds, each.against); !seen[at] {
					seen[at], patterns = true, append(patterns, each)
				}
			}
		}
		together = max(together, any)
	}
	look := func(avoided []letters, patterns ...letters) (text string, ok bool) {
		text, ok, *looked = meet(*looked, avoided, patterns...)
		cut = cut || *looked >= mostPlaces
		return text, ok
	}
	var met func(chosen, rest []*mention)
	met = func(chosen, rest []*mention) {
		if tries++; cut || tries > mostMet {
			cut = true
			return
		}
		var avoided []letters
		for _, each := range patterns {
			if each.against && !slices.Contains(chosen, each) {
				avoided = append(avoided, each.letters("", tags))
			}
		}
		reached := len(chosen) == 0
		for _, fill := range []string{"x", Fresh, anything} { // none is empty: a key without its id is no key of a document
			for first := range chosen {
				var both, against []letters
				for i, each := range chosen {
					if both = append(both, each.letters("", tags)); i == first {
						both[i] = each.letters(fill, tags)
					}
				}
				if fill == anything {
					against = avoided
				}
				if text, ok := look(against, both...); ok {
					if all, reached = append(all, text), true; slices.ContainsFunc(chosen, func(c *mention) bool { return c.folds }) {
						inCase = append(inCase, strings.ToUpper(text), strings.ToLower(text))
					}
				}
			}
		}
		if len(chosen) == 0 {
			if _, nowhere := look(avoided, letters{runes: []rune(Fresh)}); !nowhere {
				if text, ok := look(avoided, letters{runes: []rune{anyLetter, anyText}}); ok {
					all = append(all, text)
				}
			}
		}
		for i, each := range rest {
			if slices.ContainsFunc(chosen, func(c *mention) bool { return c.condition == each.condition }) {
				continue // values of one condition: either is enough
			}
			if reached && (each.folds || each.wild()) {
				met(append(slices.Clone(chosen), each), rest[i+1:])
			} else if len(chosen) == 0 {
				met([]*mention{each}, nil) // another pattern matches this value or does not, and there is no other
			}
		}
	}
	met(nil, patterns)
	return append(all, inCase...), together, cut
}

// stands are the values for which a variable makes a condition's value match what the statements mention of the same key: ADMIN, where one
// speaks of ADMIN and another of ${aws:PrincipalTag/userId}. held reports whether any condition's value holds the variable.
func stands(statements []*statement, variable string, looked *int) (all []string, held, cut bool) {
	for _, s := range statements {
		for _, c := range s.conditions {
			for _, value := range c.values {
				if !slices.ContainsFunc(value.pieces, func(each piece) bool { return each.variable == variable }) {
					continue
				}
				mentioned, _, more := instances(statements, c.key, nil, true, looked)
				held, cut = true, cut || more
				for _, text := range mentioned {
					if part, ok := value.open(variable).standing(text, variable); ok {
						all = append(all, part)
					}
				}
			}
		}
	}
	return all, held, cut
}

// open is the pattern with any text in place of each variable but one.
func (p pattern) open(but string) pattern {
	return pattern{lists.Map(p.pieces, func(each piece) piece {
		if each.variable != "" && each.variable != but {
			return piece{wildcard: '*'}
		}
		return each
	})}
}

// standing is the longest part of a text with which a variable makes the pattern match the text.
func (p pattern) standing(text, variable string) (part string, ok bool) {
	for size := len(text); size > 0; size-- {
		for at := 0; at+size <= len(text); at++ {
			if part = text[at : at+size]; p.match(text, Context{variable: {part}}) {
				return part, true
			}
		}
	}
	return "", false
}

// mostMet bounds for how many sets of patterns a value is looked for that all of a set match, of each key.
const mostMet = 500

// mention is a pattern of a condition, which has a number; against says that a request which the pattern matches is not allowed by
// the condition's statement, or denied.
type mention struct {
	pattern
	folds, against bool
	condition      int
}

// letters are those of a pattern, which folds where they are compared without regard to case.
type letters struct {
	runes []rune
	folds bool
}

func (m mention) letters(fill string, tags Context) letters {
	return letters{m.pattern.letters(fill, tags), m.folds}
}

func (p pattern) wild() bool {
	return slices.ContainsFunc(p.pieces, func(each piece) bool { return each.wildcard != 0 })
}

// Letters of a pattern that are no letters.
const (
	anyText   rune = -1
	anyLetter rune = -2
	noLetter  rune = -3
)

// letters are those of a pattern, where each * begins with a text, and each ? is its first letter; nothing matches a variable
// without a value.
func (p pattern) letters(fill string, tags Context) []rune {
	var all []rune
	for _, piece := range p.pieces {
		switch text, known := piece.text(tags); {
		case piece.wildcard == '*' && fill == anything:
			all = append(all, anyLetter, anyText)
		case piece.wildcard == '*':
			all = append(append(all, []rune(fill)...), anyText)
		case piece.wildcard == '?' && fill != "" && fill != anything:
			all = append(all, []rune(fill)[0])
		case piece.wildcard == '?':
			all = append(all, anyLetter)
		case !known:
			return append(all, noLetter)
		default:
			all = append(all, []rune(text)...)
		}
	}
	return all
}

// mostPlaces bounds how many places of patterns are looked at for an action on a resource. Those of the five designs have 2,600 at most when they are verified.
const mostPlaces = 20_000

// meet returns a text that all patterns match and none of the avoided ones, if there is one. It goes on with the count of the places that
// were looked at before, and ends at [mostPlaces].
func meet(looked int, avoided []letters, patterns ...letters) (text string, ok bool, places int) {
	seen, fresh := map[string]bool{}, 'x'
	for slices.ContainsFunc(avoided, func(each letters) bool { return slices.Contains(each.runes, fresh) }) {
		fresh++
	}
	var from func(at []int, beside [][]int) ([]rune, bool)
	from = func(at []int, beside [][]int) ([]rune, bool) {
		state := fmt.Sprint(at, beside)
		if looked >= mostPlaces || seen[state] {
			return nil, false
		}
		seen[state] = true
		looked++
		letter, exact, next, ended := anyLetter, false, slices.Clone(at), 0
		for i, p := range patterns {
			if at[i] == len(p.runes) {
				ended++
				continue
			}
			switch mine := p.runes[at[i]]; {
			case mine == noLetter:
				return nil, false
			case mine == anyText:
				skipped := slices.Clone(at)
				skipped[i]++
				if rest, ok := from(skipped, beside); ok {
					return rest, true
				}
			case mine == anyLetter:
				next[i]++
			case letter != anyLetter && !same(letter, mine, p.folds || !exact):
				return nil, false
			default:
				if next[i]++; !exact {
					letter, exact = mine, !p.folds
				}
			}
		}
		if ended > 0 {
			matched := slices.ContainsFunc(beside, func(of []int) bool { return slices.Contains(of, -1) })
			return nil, ended == len(patterns) && !matched
		}
		if letter == anyLetter {
			letter = fresh
		}
		cases := []rune{letter}
		if !exact { // where case does not matter, an avoided pattern may have the letter in this one
			cases = append(cases, unicode.ToUpper(letter), unicode.ToLower(letter))
		}
		for _, letter := range cases {
			stepped := make([][]int, len(avoided))
			for i, p := range avoided {
				stepped[i] = p.step(beside[i], letter)
			}
			if rest, ok := from(next, stepped); ok {
				return append([]rune{letter}, rest...), true
			}
		}
		return nil, false
	}
	begin := lists.Map(avoided, func(p letters) []int { return p.reach([]int{0}) })
	found, ok := from(make([]int, len(patterns)), begin)
	return string(found), ok, looked
}

// same reports whether two letters are one, or where they fold, of one in two cases.
func same(a, b rune, folds bool) bool {
	return a == b || folds && strings.EqualFold(string(a), string(b))
}

// step is where in the pattern one may be behind a letter, from where one may be before it.
func (l letters) step(at []int, letter rune) []int {
	var next []int
	for _, i := range at {
		switch {
		case i < 0:
		case l.runes[i] == anyText:
			next = append(next, i)
		case l.runes[i] == anyLetter || same(l.runes[i], letter, l.folds):
			next = append(next, i+1)
		}
	}
	return l.reach(next)
}

// reach are these places, and those behind the texts that may be empty, sorted; -1 is the pattern's end.
func (l letters) reach(at []int) []int {
	var all []int
	for _, i := range at {
		for ; i < len(l.runes) && l.runes[i] == anyText; i++ {
			all = append(all, i)
		}
		if i == len(l.runes) {
			i = -1
		}
		all = append(all, i)
	}
	return lists.Sorted(all)
}

// ServiceActions are the actions that DynamoDB's service reference lists, each behind "dynamodb:".
func ServiceActions() []string {
	return lists.Map(iam().Actions, func(name string) string { return "dynamodb:" + name })
}
