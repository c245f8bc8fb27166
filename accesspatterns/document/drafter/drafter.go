package drafter

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/strict"
)

// Result is a draft.
type Result struct {
	// Contract is the text of contract.yaml.
	Contract []byte
	// Level is how far the draft goes; empty for one that holds no table yet, and does
	// not load.
	Level string
	// Tables, Entities and Patterns count what the draft holds, ToDo the places where a
	// person has to decide.
	Tables, Entities, Patterns, ToDo int
}

// Mark stands behind every line of a contract that the machine wrote of the document. The reader is
// no second witness of it: a person removes the mark who has compared the line with the document.
const Mark = "# by machine"

// Levels are those that a draft goes to.
var Levels = []string{"schema", "items", "reads"}

// Marked returns the lines of a contract that the machine wrote and no person confirmed.
func Marked(text []byte) []int {
	var lines []int
	for n, line := range strings.Split(string(text), "\n") {
		if strings.Contains(line, Mark) && !strings.HasPrefix(strings.TrimSpace(line), "#") {
			lines = append(lines, n+1)
		}
	}
	return lines
}

// Draft drafts the contract of a design from its document, which lies beside it under
// the given file name, to one of [Levels].
func Draft(design, file, level string, content []byte, document *reader.Document) *Result {
	d := &draft{doc: document, design: design, ids: map[string]bool{}, entityIDs: map[*reader.Entity]string{}}
	d.tables()
	if level != Levels[0] {
		d.entities()
	}
	if level == Levels[2] {
		d.patterns()
	}
	for {
		r := d.write(file, content)
		_, err := contract.Load(fstest.MapFS{"contract.yaml": {Data: r.Contract}})
		if !d.putOff(err) { // each time one element less is left
			return r
		}
	}
}

// draft is a draft in progress.
type draft struct {
	doc      *reader.Document
	design   string
	elements []*element
	// ids are those of tables, entities and patterns, each kind with its prefix.
	ids map[string]bool
	// entityIDs are those of the drafted entities.
	entityIDs map[*reader.Entity]string
}

// sections are where elements stand, in the order of the contract; the level that each gives it is [Levels].
var sections = []string{"tables", "entities", "patterns"}

// element is one of the contract, or a TODO.
type element struct {
	// section is an index of sections, line the document's.
	section, line int
	id            string
	// value is what the contract's printer writes.
	value any
	notes []note
	// todo is why a person has to decide: the element is then a comment.
	todo string
	// from and to are its lines in the contract.
	from, to int
}

// note is what a person has to decide in an element: at the line that its last word begins, behind
// those of the other words, or beneath the element.
type note struct {
	line int
	why  string
	at   []string
}

func (n note) String() string { return fmt.Sprintf("# TODO line %d: %s", n.line, n.why) }

// decide notes what no line of the document gives.
func (e *element) decide(line int, why string, at ...string) {
	e.notes = append(e.notes, note{line, why, at})
}

// unmarked are members that the contract has beside what the document says.
var unmarked = lazyregexp.New(`:$|^    (?:title|table|returns|[a-z-]*cite): `)

// lines writes an element with its marks and notes.
func (e *element) lines() (out []string) {
	text := strings.Split(strings.TrimSuffix(file.Element(e.id, e.value), "\n"), "\n")
	for _, line := range text {
		if !unmarked.MatchString(line) {
			line += "  " + Mark
		}
		out = append(out, line)
	}
	for _, n := range e.notes {
		at := 0
		for i := 0; i < len(out) && at < len(n.at); i++ {
			if strings.HasPrefix(strings.TrimSpace(out[i]), n.at[at]) {
				if at++; at == len(n.at) || !strings.HasSuffix(text[i], ":") { // or it is all in one line
					out[i], at = out[i]+"  "+n.String(), len(n.at)
				}
			}
		}
		if len(n.at) == 0 {
			out = append(out, "    "+n.String())
		}
	}
	return out
}

// write writes the contract.
func (d *draft) write(name string, content []byte) *Result {
	r := &Result{}
	slices.SortStableFunc(d.elements, func(a, b *element) int {
		return cmp.Or(cmp.Compare(a.section, b.section), cmp.Compare(a.line, b.line))
	})
	counts := []*int{&r.Tables, &r.Entities, &r.Patterns}
	head := &file.Contract{Design: ap.Design{Name: d.design, Title: oneLine(cmp.Or(d.doc.Title, strings.TrimSuffix(name, filepath.Ext(name)))), Level: ap.Level(Levels[0]),
		Document: ap.Document{File: name, SHA256: fmt.Sprintf("%x", sha256.Sum256(content))}}}
	for _, e := range d.elements {
		if e.todo == "" {
			*counts[e.section]++
			head.Level = ap.Level(Levels[e.section])
		}
	}
	if r.Tables > 0 {
		r.Level = string(head.Level)
	}
	if first, last, token := d.patternPart(); first > 0 && r.Patterns > 0 {
		head.AccessPatterns = ap.Citation{First: first, Last: last, Tokens: []string{token}}
	}
	out := append([]string{
		"# Drafted by `dynaproof init` from the document alone. Lines that end in \"" + Mark + "\" have no second",
		"# witness: compare each with the document, and remove its mark. Each TODO is a place where you decide.",
	}, strings.Split(strings.TrimSuffix(string(file.Print(head)), "\n"), "\n")...)
	for s, name := range sections {
		if slices.ContainsFunc(d.elements, func(e *element) bool { return e.section == s }) {
			if out = append(out, "", name+":"); *counts[s] == 0 {
				out[len(out)-1] = fmt.Sprintf("# %s:  # it begins with the first that you decide, and the level above is then %s", name, Levels[s])
			}
		}
		for _, e := range d.elements {
			if e.section != s {
				continue
			}
			e.from = len(out) + 1
			lines := e.lines()
			for i := range lines {
				if e.todo != "" {
					lines[i] = "  # " + lines[i]
				} else if strings.Contains(lines[i], "# TODO") {
					r.ToDo++
				}
			}
			if e.todo != "" {
				r.ToDo++
				out = append(out, "  "+note{e.line, e.todo, nil}.String())
			}
			out = append(out, lines...)
			e.to = len(out)
		}
	}
	r.Contract = []byte(strings.Join(append(out, d.unread()...), "\n") + "\n")
	return r
}

// putOff turns the elements with mistakes into TODOs: first those of patterns, for
// they rest on entities and tables. It returns false where no element is at fault.
func (d *draft) putOff(mistakes error) (changed bool) {
	found := strict.Each(mistakes)
	for s := len(sections) - 1; s >= 0 && !changed; s-- {
		for _, each := range found {
			mistake, is := errors.AsType[*contract.Mistake](each)
			for _, e := range d.elements {
				if is && e.section == s && e.todo == "" && e.from <= mistake.Line && mistake.Line <= e.to {
					e.todo, changed = strings.ReplaceAll(mistake.Problem, "\n", "; "), true
				}
			}
		}
	}
	return changed
}

// unread are the lines of the document of which no form reads all that they say, each a TODO.
func (d *draft) unread() (out []string) {
	for _, gap := range d.doc.Gaps() {
		text := oneLine(gap.Text)
		if len(text) > 80 {
			text = strings.ToValidUTF8(text[:80], "") + "…"
		}
		out = append(out, fmt.Sprintf("# TODO line %s: not read (%s): %s", ap.NarrativeLines{First: gap.First, Last: gap.Last}, gap.Why, text))
	}
	for _, dispute := range d.doc.Disputes {
		out = append(out, note{dispute.Line, dispute.What + ": neither is taken", nil}.String())
	}
	if len(out) > 0 {
		out = append([]string{"", "# What no form of the reader reads:"}, out...)
	}
	return out
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// cite cites places of the document: the token on each line, or the text of the whole line where
// the token does not stand there.
func (d *draft) cite(at ...place) ap.Citation {
	var places []ap.Citation
	for _, p := range at {
		if p.line < 1 {
			continue
		}
		if p.token == "" || !strings.Contains(d.doc.Line(p.line), p.token) || oneLine(p.token) != p.token {
			p.token = words(d.doc.Line(p.line))
		}
		places = append(places, ap.Citation{First: p.line, Last: p.line, Tokens: []string{p.token}})
	}
	return ap.Citation{}.Join(places...)
}

// place is a token on a line.
type place struct {
	line  int
	token string
}

var wordRun = lazyregexp.New(`[^\s|*` + "`" + `]+( [^\s|*` + "`" + `]+)*`)

// words are the longest run of words of a line, for a line that has no better token.
func words(line string) (best string) {
	for _, run := range wordRun.FindAllString(line, -1) {
		if len(run) > len(best) {
			best = run
		}
	}
	return best
}

var notID = lazyregexp.New(`[^a-z0-9]+`)

// id makes an id of a title, each once.
func (d *draft) id(kind, title string) string {
	id := strings.Trim(notID.ReplaceAllString(strings.ToLower(marks.ReplaceAllString(title, "-")), "-"), "-")
	for len(id) > 50 && strings.Contains(id, "-") {
		id = id[:strings.LastIndexByte(id, '-')]
	}
	if id == "" || id[0] < 'a' || id[0] > 'z' {
		id = strings.Trim(kind+"-"+id, "-")
	}
	for n, base := 2, id; d.ids[kind+" "+id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	d.ids[kind+" "+id] = true
	return id
}
