package drafter

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	// Tables, Entities and Patterns count what the draft holds; Guessed what it holds
	// and marks as guessed; ToDo the places where a person has to decide.
	Tables, Entities, Patterns, Guessed, ToDo int
}

// Draft drafts the contract of a design from its document, which lies beside it under
// the given file name.
func Draft(design, file string, content []byte, document *reader.Document) (*Result, error) {
	own := *document // kinds of items are added to it
	own.Entities = slices.Clone(document.Entities)
	d := &draft{doc: &own, design: design, ids: map[string]bool{}, entityIDs: map[*reader.Entity]string{}}
	d.tables()
	d.entities()
	d.patterns()
	d.unread()
	for {
		text := d.text(file, content)
		mistakes, err := load(text)
		if err != nil {
			return nil, err
		}
		if !d.putOff(mistakes) { // each time one element less is left
			return d.result(text), nil
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
	// guessed counts the marks.
	guessed int
	// from and to are its lines in the contract.
	from, to int
}

func (b *block) add(depth int, format string, args ...any) {
	b.text = append(b.text, strings.Repeat("  ", depth)+fmt.Sprintf(format, args...))
}

// guess marks the last line.
func (b *block) guess(why string) {
	b.guessed++
	b.text[len(b.text)-1] += "  # guessed: " + why
}

// guessIf marks the last line where the fact that it gives is a guess of the reader's.
func (b *block) guessIf(fact reader.Sure, why string) {
	if fact == reader.Guessed {
		b.guess(why)
	}
}

// text writes the contract.
func (d *draft) text(file string, content []byte) []byte {
	out := []string{
		"# Drafted by `dynaproof init` from the document alone. Read it beside the document:",
		"# what was guessed is marked, and each TODO is a place where you decide.",
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
		r.Guessed += b.guessed
		for _, line := range b.text {
			if strings.Contains(line, "# TODO") {
				r.ToDo++
			}
		}
	}
	return r
}

// load reads a contract as every command does, and returns its mistakes.
func load(text []byte) ([]*contract.Mistake, error) {
	folder, err := os.MkdirTemp("", "dynaproof-draft-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, "contract.yaml"), text, 0o600); err != nil {
		return nil, err
	}
	_, err = contract.Load(os.DirFS(folder))
	return mistakes(err), nil
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

// unread puts each line that could not be read where it would stand.
func (d *draft) unread() {
	for _, u := range d.doc.Unread {
		at := tables
		for _, b := range d.blocks {
			if b.line <= u.Line {
				at = b.section
			}
		}
		d.blocks = append(d.blocks, &block{section: at, line: u.Line, todo: fmt.Sprintf("%s (%s)", u.Text, u.Why)})
	}
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
