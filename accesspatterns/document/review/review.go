// Package review says what is wrong with a design document for DynamoDB, from
// the document alone.
//
// A rule is one unit ([Rule]): an id, what it says, why it matters with AWS's own
// page, what to write instead, and a function that looks. Its test is a pair of
// documents in testdata: one that breaks the rule, with the lines marked, and
// one about which it is silent. Precision comes before recall: a rule that was
// wrong too often goes.
package review

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
)

// Kind says what a hit means.
type Kind string

// The kinds, worst first.
const (
	// CannotWork: DynamoDB refuses the request, or it can never answer.
	CannotWork Kind = "cannot work on DynamoDB"
	// WorksOtherwise: it works, and does something else than the text reads.
	WorksOtherwise Kind = "works otherwise than it reads"
	// LeavesOpen: the text contradicts itself, or an implementation has to guess.
	LeavesOpen Kind = "contradicts itself or leaves open"
)

// Kinds lists the kinds in the order in which they are reported.
func Kinds() []Kind { return []Kind{CannotWork, WorksOtherwise, LeavesOpen} }

// Rule is one rule, as rules.yaml has it.
type Rule struct {
	// ID is stable, in lower-case words joined by hyphens.
	ID    string `json:"id" yaml:"id"`
	Kind  Kind   `json:"kind" yaml:"kind"`
	Title string `json:"title" yaml:"title"`
	// What the rule looks for, Why it is bad, and what to write Instead: one
	// sentence each.
	What    string `json:"what" yaml:"what"`
	Why     string `json:"why" yaml:"why"`
	Instead string `json:"instead" yaml:"instead"`
	// Page is AWS's own page on it.
	Page string `json:"page" yaml:"page"`
	// Keys rules rest on keys, templates, indexes and access patterns alone, and hold
	// of a contract as of a document.
	Keys bool `json:"keys,omitempty" yaml:"keys"`
	// Contract rules speak of contracts alone: of what a request changes no form of a document tells enough.
	Contract bool `json:"contract,omitempty" yaml:"contract"`
	// Unless matches the documents about which the rule says nothing, and Words are what it looks for, by name: expressions.
	Unless *lazyregexp.Regexp `json:"-" yaml:"unless"`
	// Unread matches a line that could say what the rule finds missing: where there is such a line that no form reads, the rule says nothing of others.
	Unread *lazyregexp.Regexp `json:"-" yaml:"unread"`
	// Beside matches the words that Unread would match in another sense.
	Beside *lazyregexp.Regexp            `json:"-" yaml:"beside"`
	Words  map[string]*lazyregexp.Regexp `json:"-" yaml:"words"`
	// Within is the id of a rule whose hits say what those of this one do, and more: of its lines this one says nothing.
	Within string `json:"-" yaml:"within"`
	// Claims are sentences that are wrong by themselves: a rule that has them looks for them first.
	Claims []Claim `json:"-" yaml:"claims"`
	look   func(*looker)
}

// without is a text without the words that the rule's [Rule.Unread] would match in another sense.
func (rule *Rule) without(text string) string {
	if rule.Beside == nil {
		return text
	}
	return rule.Beside.ReplaceAllString(text, "")
}

// Claim is what a sentence Says that does not match Except, with the Message that takes its words, or the last group of them, of documents
// that match Only and do not match Unless.
type Claim struct {
	Says, Except, Only, Unless *lazyregexp.Regexp
	Message                    string
	// Asked claims are of requests of a list alone, Each of every line that has one: the message has all their titles.
	Asked, Each bool
}

// Hit is one place that breaks a rule.
type Hit struct {
	Rule *Rule `json:"-"`
	// ID is the rule's id.
	ID string `json:"rule"`
	// About names the pattern, kind of item, index or attribute that a [Rule] of keys
	// speaks of.
	About string `json:"about,omitempty"`
	Kind  Kind   `json:"kind"`
	Line  int    `json:"line"`
	// Also are further lines that belong to it.
	Also    []int  `json:"also,omitempty"`
	Message string `json:"message"`
}

// covers reports whether a hit speaks of all lines of another one.
func (hit Hit) covers(other Hit) bool {
	return !slices.ContainsFunc(slices.Concat(other.Also, []int{other.Line}), func(n int) bool { return n != hit.Line && !slices.Contains(hit.Also, n) })
}

// Look applies the rules to a document, and returns the hits by kind and line.
func Look(document *reader.Document) []Hit {
	return apply(document, func(*Rule) bool { return true })
}

// OfKeys applies the rules that rest on keys, templates, indexes and access patterns
// alone, whoever wrote these down.
func OfKeys(document *reader.Document) []Hit {
	return apply(document, func(rule *Rule) bool { return rule.Keys })
}

func apply(document *reader.Document, applies func(*Rule) bool) []Hit {
	var hits []Hit
	// A key condition is none that a write has.
	var rest []place // what is not read
	for _, u := range document.Unread {
		rest = append(rest, place{u.Line, u.Text})
	}
	for _, n := range document.Rest {
		rest = append(rest, place{n, document.Line(n)})
	}
	whole, byTable := keyCondition.ReplaceAllString(strings.Join(document.Text, "\n"), ""), map[*reader.Table][]*reader.Entity{}
	matched := map[*lazyregexp.Regexp][]int{}
	for _, entity := range document.Entities {
		byTable[entity.Table] = append(byTable[entity.Table], entity)
	}
	for table, kinds := range byTable {
		if len(kinds) == 1 {
			byTable[table] = []*reader.Entity{withForms(kinds[0])}
		}
	}
	pairs := paired(document.Text)
	for _, rule := range Rules() {
		if rule.Contract || !applies(rule) || rule.Unless != nil && rule.Unless.MatchString(whole) {
			continue
		}
		l := &looker{Document: document, whole: whole, rule: rule, byTable: byTable, words: words(), matched: matched, rest: rest, pairs: pairs}
		l.claims()
		if rule.look != nil {
			rule.look(l)
		}
		if rule.Unread != nil && len(l.hits) > 0 {
			told := slices.DeleteFunc(slices.Clone(rest), func(u place) bool { return !rule.Unread.MatchString(rule.without(u.title)) })
			l.hits = slices.DeleteFunc(l.hits, func(hit Hit) bool {
				return slices.ContainsFunc(told, func(u place) bool { return u.line != hit.Line })
			})
		}
		hits = append(hits, l.hits...)
	}
	all := slices.Clone(hits)
	hits = slices.DeleteFunc(hits, func(hit Hit) bool {
		return slices.ContainsFunc(all, func(other Hit) bool { return other.ID == hit.Rule.Within && other.covers(hit) })
	})
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(slices.Index(Kinds(), a.Kind), slices.Index(Kinds(), b.Kind)), cmp.Compare(a.Line, b.Line), cmp.Compare(a.ID, b.ID))
	})
	return hits
}

// withForms is the only kind of item of its table, with the forms of keys that the table's indexes give.
func withForms(only *reader.Entity) *reader.Entity {
	with := *only
	with.Keys = slices.Clone(only.Keys)
	for _, index := range only.Table.Indexes {
		if len(index.Templates) < len(index.Keys) {
			continue // which items are in the index is not known
		}
		for _, form := range index.Templates {
			if _, has := with.Key(form.Attribute); !has {
				with.Keys = append(with.Keys, form)
			}
		}
	}
	return &with
}

var (
	keyCondition = lazyregexp.New(`(?i)key[- ]?conditions?([- ]?expressions?)?`)
	linkTo       = lazyregexp.New(`\]\([^()]*\)`)
)

// looker is a document with the hits of one rule.
type looker struct {
	*reader.Document
	whole string
	rule  *Rule
	hits  []Hit
	// byTable are the entities of each table.
	byTable map[*reader.Table][]*reader.Entity
	words   map[string]*lazyregexp.Regexp
	// matched are the lines that an expression matches, each expression tried once.
	matched map[*lazyregexp.Regexp][]int
	// rest are the lines that no form reads, or not all of them, with what they say.
	rest []place
	// pairs are lines with those that go on with them.
	pairs []place
}

// ofContract reports whether a contract is looked at, which has no lines. It can be asked more than a document: it answers an objection in
// a sentence.
func (l *looker) ofContract() bool { return len(l.Text) == 0 }

// elsewhere reports whether a line stands below a title on another database, or on what is no more or not chosen.
func (l *looker) elsewhere(line int) bool {
	return slices.ContainsFunc(l.Unread, func(u reader.Unread) bool { return u.Line <= line && line <= u.Last })
}

// lines are those of the design that an expression matches, key conditions and the addresses of links left out, counted from 1.
func (l *looker) lines(word *lazyregexp.Regexp) []int {
	found, tried := l.matched[word]
	if !tried {
		for n, line := range l.Text {
			if word.MatchString(line) && !l.elsewhere(n+1) && word.MatchString(linkTo.ReplaceAllString(keyCondition.ReplaceAllString(line, ""), "]")) {
				found = append(found, n+1)
			}
		}
		l.matched[word] = found
	}
	return found
}

// word is what a rule looks for, by its name; a test looks whether each is there.
func (l *looker) word(name string) *lazyregexp.Regexp { return l.words[name] }

// words are those of all rules; no two have words of one name.
var words = sync.OnceValue(func() map[string]*lazyregexp.Regexp {
	all := map[string]*lazyregexp.Regexp{}
	for _, rule := range Rules() {
		maps.Copy(all, rule.Words)
	}
	return all
})

// unreadSays reports whether a line that no form reads has a word, and one of the words of a text.
func (l *looker) unreadSays(word *lazyregexp.Regexp, named string) bool {
	return slices.ContainsFunc(l.rest, func(u place) bool {
		_, within := names(u.title, named, "")
		return within && word.MatchString(u.title)
	})
}

// unreadNames reports whether a line that no form reads, from one line to another, has a name.
func (l *looker) unreadNames(name string, from, to int) bool {
	return slices.ContainsFunc(l.rest, func(u place) bool { return from <= u.line && u.line <= to && reader.HasWord(u.title, name) })
}

// until is the line before the next of those that begin where a function says.
func until[T any](l *looker, all []T, from int, begins func(T) int) int {
	end := len(l.Text)
	for _, one := range all {
		if at := begins(one); at > from {
			end = min(end, at-1)
		}
	}
	return end
}

// say reports a hit, each message once with all its lines.
func (l *looker) say(line int, also []int, format string, args ...any) {
	l.sayOf("", line, also, format, args...)
}

// sayOf reports a hit of a rule of keys, and what it is about.
func (l *looker) sayOf(about string, line int, also []int, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	at := slices.IndexFunc(l.hits, func(h Hit) bool { return h.Message == message })
	if at < 0 && len(l.hits) >= 200 {
		return
	} else if at < 0 {
		at = len(l.hits)
		l.hits = append(l.hits, Hit{Rule: l.rule, ID: l.rule.ID, About: about, Kind: l.rule.Kind, Line: line, Message: message})
	}
	hit := &l.hits[at]
	others := append(append(hit.Also, also...), line)
	slices.Sort(others)
	hit.Also = slices.DeleteFunc(slices.Compact(others), func(other int) bool { return other < 1 || other == hit.Line })
}

// Rules lists all rules, by kind.
func Rules() []*Rule { return rules() }

//go:embed rules.yaml
var written []byte

var rules = sync.OnceValue(func() (all []*Rule) {
	if err := yaml.Unmarshal(written, &all); err != nil {
		panic(err) // a test applies every one of them
	}
	for _, rule := range all {
		for _, group := range []map[string]func(*looker){cannotWork, worksOtherwise, leavesOpen, structural, answers} {
			if look, is := group[rule.ID]; is {
				rule.look = look
			}
		}
		if (rule.look == nil && len(rule.Claims) == 0) != rule.Contract {
			panic("no rule " + rule.ID)
		}
		if !strings.HasPrefix(rule.Page, "https://") {
			rule.Page = "https://docs.aws.amazon.com/amazondynamodb/latest/" + rule.Page
		}
	}
	slices.SortStableFunc(all, func(a, b *Rule) int {
		return cmp.Compare(slices.Index(Kinds(), a.Kind), slices.Index(Kinds(), b.Kind))
	})
	return all
})

// claims speaks of the first line with each claim of the rule that no word denies, or of all of its places.
func (l *looker) claims() {
	for _, claim := range l.rule.Claims {
		if claim.Only != nil && !claim.Only.MatchString(l.whole) || claim.Unless != nil && claim.Unless.MatchString(l.whole) {
			continue
		}
		excepted := func(text string) bool { return claim.Except != nil && claim.Except.MatchString(text) }
		said := func(text string) bool { return claim.Asked && claim.Says.MatchString(text) && !excepted(text) }
		all := l.asking(func(p *reader.Pattern) bool { return p.Listed && said(p.Text) }, said)
		for _, told := range l.sentences(claim.Says) {
			n, text := told.line, told.title
			if claim.Asked || excepted(text) || claim.Each && headRule.MatchString(l.Line(n+1)) {
				continue
			}
			found := claim.Says.FindStringSubmatch(text)
			before, _, _ := strings.Cut(text, found[0])
			word := strings.TrimSpace(strings.TrimRight(strings.NewReplacer("`", "", "**", "").Replace(found[len(found)-1]), "(:*| "))
			if claim.Each {
				all = append(all, place{n, word})
			} else if !l.word("denied").MatchString(before) && !slices.ContainsFunc(l.Between(n-3, n), l.word("refuted").MatchString) {
				l.say(n, nil, claim.Message, word)
				break
			}
		}
		l.sayAll(all, claim.Message)
	}
}

// sentences are the lines that an expression matches, and the pairs of lines of one paragraph, where neither matches alone.
func (l *looker) sentences(says *lazyregexp.Regexp) (all []place) {
	at := l.lines(says)
	for _, n := range at {
		all = append(all, place{n, l.Line(n)})
	}
	for _, pair := range l.pairs {
		if says.MatchString(pair.title) && !slices.Contains(at, pair.line) && !slices.Contains(at, pair.line+1) {
			all = append(all, pair)
		}
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Compare(a.line, b.line) })
	return all
}

// paired are the lines of a text with those that go on with them, in one paragraph or item of a list.
func paired(text []string) (pairs []place) {
	for n := 0; n+1 < len(text); n++ {
		before, behind := strings.TrimSpace(text[n]), strings.TrimSpace(text[n+1])
		if proseLine.MatchString(before) && proseLine.MatchString(behind) && !itemLine.MatchString(behind) {
			pairs = append(pairs, place{n + 1, before + " " + behind})
		}
	}
	return pairs
}

var (
	// proseLine matches a line that may be a part of a paragraph, and itemLine one that begins an item of a list.
	proseLine = lazyregexp.New(`^[^#|>\s{}<][^{};|]*$`)
	itemLine  = lazyregexp.New(`^(?:[-*+•] |\d+[.)] )`)
)

// headRule matches the line between the head of a table and its rows.
var headRule = lazyregexp.New(`^\s*\|?[\s:|-]*--[\s:|-]*$`)

// source is what requests read: a table, or one of its indexes.
type source struct {
	table *reader.Table
	index *reader.Index // nil for the table itself
	// called is the name of the index, or "the table".
	called string
	keys   []reader.Key
	// hash and sort have no name where they are not known, or there is none.
	hash, sort reader.Key
}

func ofTable(table *reader.Table) source {
	s := ofIndex(table, &reader.Index{Name: "the table", Keys: table.Keys})
	s.index = nil
	return s
}

func ofIndex(table *reader.Table, index *reader.Index) source {
	s := source{table: table, index: index, called: index.Name, keys: index.Keys}
	s.hash, _ = index.Key(reader.Hash)
	s.sort, _ = index.Key(reader.Range)
	return s
}

func eachTable(look func(*looker, source)) func(*looker) {
	return func(l *looker) {
		for _, table := range l.Tables {
			look(l, ofTable(table))
		}
	}
}

func eachIndex(look func(*looker, source)) func(*looker) {
	return eachTable(func(l *looker, s source) {
		for _, index := range s.table.Indexes {
			look(l, ofIndex(s.table, index))
		}
	})
}

// eachKey looks at every key attribute of every table and index.
func eachKey(look func(l *looker, s source, key reader.Key)) func(*looker) {
	all := func(l *looker, s source) {
		for _, key := range s.keys {
			look(l, s, key)
		}
	}
	return func(l *looker) {
		eachTable(all)(l)
		eachIndex(all)(l)
	}
}

// keysSaid says of each key attribute, by its name, of which tables and indexes it is what is looked for: one cause, said once.
func keysSaid(is func(l *looker, s source, key reader.Key) bool, format string) func(*looker) {
	return func(l *looker) {
		of, at, first := map[string][]string{}, map[string][]int{}, []string(nil)
		eachKey(func(l *looker, s source, key reader.Key) {
			if !is(l, s, key) {
				return
			}
			called := s.called
			switch {
			case len(l.Tables) > 1 && s.index == nil:
				called = s.table.Called()
			case len(l.Tables) > 1:
				called += " of " + s.table.Called()
			}
			first, of[key.Name], at[key.Name] = appendNew(first, key.Name), append(of[key.Name], called), append(at[key.Name], key.Line)
		})(l)
		for _, name := range first {
			l.sayOf(name, at[name][0], at[name], format, name, strings.Join(of[name], ", "))
		}
	}
}

// places of the access patterns that are what is looked for: one cause, said once.
func places(is func(l *looker, p *reader.Pattern) bool, format string) func(*looker) {
	return func(l *looker) {
		l.sayAll(l.asking(func(p *reader.Pattern) bool { return is(l, p) }, nil), format)
	}
}

// asks reports whether a pattern is one of a list, and no request in code.
func asks(p *reader.Pattern) bool { return p.Listed && p.Sure == reader.Said }

// request is an access pattern with what it reads, as far as the document has it: the zero source where no line says the table.
type request struct {
	*reader.Pattern
	// Line is where the request begins, in place of the line of its title.
	Line int
	source
	// partition and sorted are the conditions on the two keys, without an operator where there is none.
	partition, sorted reader.Condition
}

func (l *looker) request(p *reader.Pattern) request {
	r := request{Pattern: p, Line: p.RequestLine()}
	table := l.Table(p.Table)
	if table == nil {
		return r
	}
	r.source = ofTable(table)
	if p.Index != "" {
		r.source = source{table: table}
		if index, is := table.Index(p.Index); is {
			r.source = ofIndex(table, index)
		}
	}
	r.partition, _ = condition(p, r.hash.Name)
	r.sorted, _ = condition(p, r.sort.Name)
	return r
}

// eachRequest looks at every access pattern.
func eachRequest(look func(*looker, request)) func(*looker) {
	return func(l *looker) {
		for _, p := range l.Patterns {
			look(l, l.request(p))
		}
	}
}

// condition returns the pattern's key condition on an attribute.
func condition(p *reader.Pattern, attribute string) (reader.Condition, bool) {
	for _, c := range p.Conditions {
		if c.Attribute == attribute && !c.Filter && attribute != "" {
			return c, true
		}
	}
	return reader.Condition{}, false
}

// kind is a kind of item with the forms of the two keys of its table, or of an index.
type kind struct {
	*reader.Entity
	pk, sk reader.EntityKey
}

// kinds are those of a source that have the forms of both of its keys.
func (l *looker) kinds(s source) (all []kind) {
	for _, e := range l.of(s.table) {
		pk, hasPK := e.Key(s.hash.Name)
		sk, hasSK := e.Key(s.sort.Name)
		if hasPK && hasSK {
			all = append(all, kind{e, pk, sk})
		}
	}
	return all
}

// titledForm is the form of a key, and what has it.
type titledForm struct {
	reader.EntityKey
	title string
}

// forms are those of a key attribute of a request's table: of its kinds of items, and of the index where only that gives them.
func (l *looker) forms(r request, attribute string) (all []titledForm) {
	for _, entity := range l.of(r.table) {
		if form, has := entity.Key(attribute); has {
			all = append(all, titledForm{form, entity.Title})
		}
	}
	for i := 0; r.index != nil && len(all) == 0 && i < len(r.index.Templates); i++ {
		if form := r.index.Templates[i]; form.Attribute == attribute {
			all = append(all, titledForm{form, r.index.Name})
		}
	}
	return all
}

// of returns the entities of a table, which the caller does not change.
func (l *looker) of(table *reader.Table) []*reader.Entity { return l.byTable[table] }
