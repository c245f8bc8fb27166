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

	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
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
		text := d.text(file, content)
		if !d.putOff(load(text)) { // each time one element less is left
			return d.result(text)
		}
	}
}

// draft is a draft in progress.
type draft struct {
	doc    *reader.Document
	design string
	blocks []*block
	// ids are those of tables, entities and patterns, each kind with its prefix.
	ids map[string]bool
	// entityIDs are those of the drafted entities.
	entityIDs map[*reader.Entity]string
}

// section is where a block stands.
type section int

const (
	tables section = iota
	entities
	patterns
)

// block is an element of the contract, or a TODO.
type block struct {
	section section
	// line is the document's.
	line int
	text []string
	// todo is why a person has to decide: the text is then a comment.
	todo string
	// from and to are its lines in the contract.
	from, to int
}

func (b *block) add(depth int, format string, args ...any) {
	b.text = append(b.text, strings.Repeat("  ", depth)+fmt.Sprintf(format, args...))
}

// mark says of the last line that the machine wrote it.
func (b *block) mark() { b.text[len(b.text)-1] += "  " + Mark }

// decide says of the last line that no line of the document gives it, and a person decides.
func (b *block) decide(line int, why string) {
	b.text[len(b.text)-1] += fmt.Sprintf("  # TODO line %d: %s", line, why)
}

// text writes the contract.
func (d *draft) text(file string, content []byte) []byte {
	out := []string{
		"# Drafted by `dynaproof init` from the document alone. Lines that end in \"" + Mark + "\" have no second",
		"# witness: compare each with the document, and remove its mark. Each TODO is a place where you decide.",
		"design: " + quote(d.design),
		"title: " + quote(cmp.Or(d.doc.Title, strings.TrimSuffix(file, filepath.Ext(file)))),
		"level: " + d.level(),
		fmt.Sprintf("document: {file: %s, sha256: '%x'}", quote(file), sha256.Sum256(content)),
	}
	if first, last, token := d.patternPart(); first > 0 && d.has(patterns) {
		out = append(out, fmt.Sprintf("access-patterns: {%s: [%s]}", span(first, last), quote(token)))
	}
	slices.SortStableFunc(d.blocks, func(a, b *block) int {
		return cmp.Or(cmp.Compare(a.section, b.section), cmp.Compare(a.line, b.line))
	})
	for s, name := range []string{"tables", "entities", "patterns"} {
		head := false
		for _, b := range d.blocks {
			if b.section != section(s) {
				continue
			}
			if !head {
				out, head = append(out, ""), true
				if d.has(section(s)) {
					out = append(out, name+":")
				}
			}
			b.from = len(out) + 1
			mark := ""
			if b.todo != "" {
				out, mark = append(out, fmt.Sprintf("  # TODO line %d: %s", b.line, b.todo)), "  # "
			}
			for _, line := range b.text {
				out = append(out, mark+line)
			}
			b.to = len(out)
		}
	}
	out = append(out, d.unread()...)
	return []byte(strings.Join(out, "\n") + "\n")
}

func (d *draft) has(s section) bool {
	return slices.ContainsFunc(d.blocks, func(b *block) bool { return b.section == s && b.todo == "" })
}

func (d *draft) level() string {
	switch {
	case d.has(patterns):
		return "reads"
	case d.has(entities):
		return "items"
	}
	return "schema"
}

func (d *draft) result(text []byte) *Result {
	r := &Result{Contract: text}
	if d.has(tables) {
		r.Level = d.level()
	}
	for _, b := range d.blocks {
		switch {
		case b.todo != "":
			r.ToDo++
			continue
		case b.section == tables:
			r.Tables++
		case b.section == entities:
			r.Entities++
		default:
			r.Patterns++
		}
		for _, line := range b.text {
			if strings.Contains(line, "# TODO") {
				r.ToDo++
			}
		}
	}
	return r
}

// load reads a contract as every command does, and returns its mistakes.
func load(text []byte) []*contract.Mistake {
	_, err := contract.Load(fstest.MapFS{"contract.yaml": {Data: text}})
	return mistakes(err)
}

func mistakes(err error) []*contract.Mistake {
	if err == nil {
		return nil
	}
	if several, is := err.(interface{ Unwrap() []error }); is {
		var all []*contract.Mistake
		for _, each := range several.Unwrap() {
			all = append(all, mistakes(each)...)
		}
		return all
	}
	var mistake *contract.Mistake
	if errors.As(err, &mistake) {
		return []*contract.Mistake{mistake}
	}
	return []*contract.Mistake{{Problem: err.Error()}}
}

// putOff turns the elements that do not fit into TODOs: first those of patterns, for
// they rest on entities and tables. It returns false where no element is at fault.
func (d *draft) putOff(found []*contract.Mistake) bool {
	changed := false
	for _, s := range []section{patterns, entities, tables} {
		for _, mistake := range found {
			for _, b := range d.blocks {
				if b.section == s && b.todo == "" && b.from <= mistake.Line && mistake.Line <= b.to {
					b.todo, changed = strings.ReplaceAll(mistake.Problem, "\n", "; "), true
				}
			}
		}
		if changed {
			return true
		}
	}
	return false
}

// unread are the lines of the document of which no form reads all that they say, each a TODO.
func (d *draft) unread() []string {
	var out []string
	for i := 0; i < len(d.doc.Unread); i++ {
		first := d.doc.Unread[i]
		last := first.Line
		for i+1 < len(d.doc.Unread) && d.doc.Unread[i+1].Why == first.Why && d.doc.Unread[i+1].Line <= last+1 {
			i, last = i+1, d.doc.Unread[i+1].Line
		}
		text := strings.Join(strings.Fields(first.Text), " ")
		if len(text) > 80 {
			text = strings.ToValidUTF8(text[:80], "") + "…"
		}
		out = append(out, fmt.Sprintf("# TODO line %s: not read (%s): %s", span(first.Line, last), first.Why, text))
	}
	for _, dispute := range d.doc.Disputes {
		out = append(out, fmt.Sprintf("# TODO line %d: %s: neither is taken", dispute.Line, dispute.What))
	}
	if len(out) > 0 {
		out = append([]string{"", "# What no form of the reader reads:"}, out...)
	}
	return out
}

func span(first, last int) string {
	if last > first {
		return fmt.Sprintf("%d-%d", first, last)
	}
	return fmt.Sprint(first)
}

var plainText = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// quote writes a text of YAML.
func quote(text string) string {
	if plainText.MatchString(text) && !slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}, strings.ToLower(text)) {
		return text
	}
	return "'" + strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "'", "''") + "'"
}

// cite writes a citation: the token on the line, or the text of the whole line where
// the token does not stand there.
func (d *draft) cite(more string, at ...place) string {
	var parts []string
	seen := map[int][]string{}
	var order []int
	for _, p := range at {
		if p.line < 1 {
			continue
		}
		token := p.token
		if token == "" || !strings.Contains(d.doc.Line(p.line), token) || strings.Join(strings.Fields(token), " ") != token {
			token = words(d.doc.Line(p.line))
		}
		if len(seen[p.line]) == 0 {
			order = append(order, p.line)
		}
		if !slices.Contains(seen[p.line], token) {
			seen[p.line] = append(seen[p.line], token)
		}
	}
	for _, line := range order {
		parts = append(parts, fmt.Sprintf("%d: [%s]", line, quotedList(seen[line])))
	}
	if more != "" {
		parts = append(parts, more)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// place is a token on a line.
type place struct {
	line  int
	token string
}

var wordRun = lazyregexp.New(`[^\s|*` + "`" + `]+( [^\s|*` + "`" + `]+)*`)

// words are the longest run of words of a line, for a line that has no better token.
func words(line string) string {
	best := ""
	for _, run := range wordRun.FindAllString(line, -1) {
		if len(run) > len(best) {
			best = run
		}
	}
	return best
}

// id makes an id of a title, each once.
func (d *draft) id(kind, title string) string {
	id := strings.Trim(lazyregexp.New(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(marks.ReplaceAllString(title, "-")), "-"), "-")
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
