package coverage

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
)

var (
	// affirmed is the value of a setting in data, and in the cell of a table.
	affirmed = regexp.MustCompile(`(?i)^\W*(?:true|enabled|on|yes)\W*$`)
	// oneOf is a closed list of values in code: `open`, `waiting` or `closed`.
	oneOf = regexp.MustCompile("(?:`[A-Za-z0-9_-]+`(?:, | ?/ ?|,? or )){1,}`[A-Za-z0-9_-]+`")
	iso   = regexp.MustCompile(`(?i)\bISO[- ]?8601\b`)
	// sorted are words that promise an order.
	sorted = regexp.MustCompile(`(?i)\b(?:oldest|newest|latest|earliest|most recent) first\b`)
	exists = regexp.MustCompile(`(?i)\bexists?\b`)
	// common are the words that say nothing by themselves; meaning are all others.
	common  = strings.Fields("a an and are as at be but by can do each for from has have if in into is it its no not of on one only or so that the their then there these this to was which who will with")
	meaning = regexp.MustCompile(`[\pL\pN_]+`)
)

// CitedFor names what a citation cannot: words that stand on the cited lines, and do not say what they are cited for; and what
// these lines say of the element, and the contract does not. It speaks of citations of what the document states alone.
// A template, a state and the answer of a command have names for what they say, and no words.
func CitedFor(design *accesspatterns.Design, source *Source) (problems []string) {
	if formal.MatchString(source.File) || strings.HasPrefix(strings.TrimLeft(strings.Join(source.lines[:min(len(source.lines), 2)], ""), "\ufeff [\r"), "{") {
		return nil
	}
	wrong := func(line any, format string, args ...any) {
		problems = append(problems, fmt.Sprintf("%s:%v: ", source.File, line)+fmt.Sprintf(format, args...))
	}
	stated := func(cite accesspatterns.Citation) bool { return cite.Basis.Kind == accesspatterns.Stated }
	titles := lists.Map(design.Entities, func(e accesspatterns.Entity) string { return e.ID + " " + e.Title })
	titles = append(titles, lists.Map(design.Patterns, func(p accesspatterns.Pattern) string { return p.ID + " " + p.Title })...)
	// An author may cite words that nothing else says. Those of another element, and none of the own, are a mistake.
	unrelated := func(element, what string, cite accesspatterns.Citation, about []string) {
		words := contentOf(cite.AllTokens())
		if stated(cite) && slices.ContainsFunc(words, func(word string) bool { return slices.Contains(contentOf(titles), word) }) && !slices.ContainsFunc(words, func(word string) bool {
			return slices.ContainsFunc(contentOf(about), func(own string) bool { return alike(own, word) })
		}) {
			wrong(cite, "%s: expected words of %s to be cited, found %q", element, what, cite.AllTokens())
		}
	}
	for _, each := range manifest.Citations(design) {
		named := func(token string) bool { // a table, an index and an attribute may have the name of any word
			name := strings.Trim(token, "\"`'")
			return strings.HasSuffix(each.Element, "/"+name) || slices.ContainsFunc(design.Tables, func(t accesspatterns.Table) bool { return name == t.ID })
		}
		if words := contentOf(each.Citation.AllTokens()); stated(each.Citation) && each.Citation.First > 0 && len(words) == 0 && !slices.ContainsFunc(each.Citation.AllTokens(), named) {
			wrong(each.Citation, "%s: expected words that say something to be cited, found %q", each.Element, each.Citation.AllTokens())
		}
	}
	for table := range lists.Each(design.Tables) {
		name := string(table.Name)
		if open := strings.IndexByte(name, '{'); stated(table.Cite) && open >= 0 {
			form := regexp.MustCompile(regexp.QuoteMeta(name[:open]) + `\{[A-Za-z0-9_-]+\}` + regexp.QuoteMeta(name[strings.IndexByte(name, '}')+1:]))
			for line, text := range linesOf(table.Cite, source) {
				if found := form.FindAllString(text, -1); len(found) > 0 && !slices.Contains(found, name) {
					wrong(line, "expected the table %s to be named %s, found %s in the contract", table.ID, found[0], name)
				}
			}
		}
	}
	for _, claim := range manifest.Claims(design) {
		set, is := settings[claim.Aspect]
		if !is || claim.Kind != manifest.KindSchema || !stated(claim.Citation) {
			continue
		}
		table, _ := design.Table(claim.Subject)
		tokens := claim.Citation.AllTokens()
		if !slices.ContainsFunc(tokens, func(token string) bool {
			return set.says.MatchString(token) || affirmed.MatchString(token) || set.value != nil && reader.HasWord(token, set.value(table))
		}) {
			wrong(claim.Citation, "expected words about "+set.about+" to be cited, found %s; where the line says it in other words, it is implied, with the reason", table.ID, strings.Join(tokens, ", "))
		}
	}
	for entity := range lists.Each(design.Entities) {
		about := []string{entity.ID, entity.Title}
		for _, key := range entity.Keys {
			about = append(about, string(key.Template))
		}
		unrelated("entity "+entity.ID, "its title or its keys", entity.Cite, about)
		for attribute := range lists.Each(entity.Attributes) {
			if !stated(attribute.Cite) {
				continue
			}
			for line, text := range linesOf(attribute.Cite, source) {
				if !reader.HasWord(text, attribute.Name) {
					continue
				}
				if list := oneOf.FindString(text); list != "" && len(attribute.Allowed) == 0 && attribute.Type == dynamo.String && strings.HasPrefix(text, "|") &&
					!strings.Contains(list, "`"+attribute.Name+"`") { // a list that names the attribute is of attributes, not of values
					wrong(line, "%s of %s: expected the values %s to be allowed alone, found any in the contract", attribute.Name, entity.ID, list)
				}
				said := func(part string) bool { return reader.HasWord(part, attribute.Name) && iso.MatchString(part) } // of a list of several
				if attribute.Format == "" && attribute.Type == dynamo.String && slices.ContainsFunc(strings.Split(text, ", `"), said) {
					wrong(line, "%s of %s: expected a format, timestamp or date, since the line says %s, found none in the contract", attribute.Name, entity.ID, iso.FindString(text))
				}
			}
		}
	}
	for pattern := range lists.Each(design.Patterns) {
		if !stated(pattern.Cite) {
			continue
		}
		queries, ordered, instead := 0, false, ""
		about := []string{pattern.ID, pattern.Title}
		for _, step := range pattern.Steps {
			if step.Read != nil {
				about = append(about, string(step.Read.Operation), step.Read.Index, step.Read.Table)
				if step.Read.Operation == dynamo.Query {
					queries++
				}
				ordered = ordered || step.Read.Order != accesspatterns.AnyOrder
			}
			for _, action := range step.Write {
				about = append(about, string(action.Kind), action.Table, action.Entity)
				if table, is := design.Table(action.Table); is && action.Kind == accesspatterns.Put && len(action.Condition) == 1 && len(action.Condition[0].Any) == 0 &&
					action.Condition[0].Operator == expression.NotExists && !table.Keys().Has(action.Condition[0].Attribute) {
					instead = action.Condition[0].Attribute
				}
			}
		}
		if line := saying(pattern.Cite, source, sorted); line > 0 && queries == 1 && !ordered {
			wrong(line, "pattern %s: expected an order, since the line says %s, found none in the contract", pattern.ID, sorted.FindString(source.Line(line)))
		}
		if where := saying(pattern.Cite, source, exists); instead != "" && where > 0 {
			wrong(where, "pattern %s: expected a condition on the key, since the line says that the item exists, found attribute_not_exists(%s) in the contract, which an item without %s meets", pattern.ID, instead, instead)
		}
		unrelated("pattern "+pattern.ID, "its title, its requests or its items", pattern.Cite, about)
	}
	return problems
}

// settings are those of a table that a document says, by the aspects of claims: what they are about, the words by which it says them, and
// the value that it may name in their place.
var settings = map[string]struct {
	about string
	says  *regexp.Regexp
	value func(*accesspatterns.Table) string
}{
	manifest.AspectBilling:    {"how %s is billed", regexp.MustCompile(`(?i)demand|pay.per.request|provision|capacity|bill|read unit|write unit|\b[RW]CU`), nil},
	manifest.AspectPITR:       {"point-in-time recovery of %s", regexp.MustCompile(`(?i)pitr|point.in.time|recover|restor|backup`), nil},
	manifest.AspectEncryption: {"encryption of %s", regexp.MustCompile(`(?i)encrypt|\b(?-i:SSE|KMS|AES)|managed key`), nil},
	manifest.AspectProtection: {"deletion protection of %s", regexp.MustCompile(`(?i)protect|delet|retain`), nil},
	manifest.AspectRegion:     {"the region of %s", regexp.MustCompile(`(?i)region`), func(t *accesspatterns.Table) string { return t.Region.Region }},
	manifest.AspectTTL:        {"the time to live of %s", regexp.MustCompile(`(?i)ttl|time.to.live|expir`), func(t *accesspatterns.Table) string { return t.TTL.Attribute }},
	manifest.AspectStream:     {"the stream of %s", regexp.MustCompile(`(?i)stream|image`), nil},
	manifest.AspectClass:      {"the class of %s", regexp.MustCompile(`(?i)class|infrequent|standard`), nil},
}

// formal are the names of files that are data, and no text.
var formal = regexp.MustCompile(`(?i)\.(json|ya?ml|template)$`)

// linesOf are the cited lines, by their numbers.
func linesOf(cite accesspatterns.Citation, source *Source) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for line := max(cite.First, 1); line <= min(cite.Last, source.Len()); line++ {
			if !yield(line, source.Line(line)) {
				return
			}
		}
	}
}

// saying is the first cited line that an expression matches, 0 for none.
func saying(cite accesspatterns.Citation, source *Source, what *regexp.Regexp) int {
	for line, text := range linesOf(cite, source) {
		if what.MatchString(text) {
			return line
		}
	}
	return 0
}

// alike says that one word begins with the other, or that both have the same first four letters: tally, tallies.
func alike(a, b string) bool {
	const stem = 4
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) || len(a) >= stem && len(b) >= stem && a[:stem] == b[:stem]
}

// contentOf are the words of texts that say something, in lower case.
func contentOf(texts []string) (words []string) {
	for _, text := range texts {
		for _, word := range meaning.FindAllString(strings.ToLower(text), -1) {
			if !slices.Contains(common, word) {
				words = append(words, word)
			}
		}
	}
	return words
}
