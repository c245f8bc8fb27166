// Package coverage accounts for every line of a design document: which claims rest on it, what lists it as one that promises nothing, what
// changed since it was transcribed, and whether every citation still stands.
package coverage

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
)

// LineStatus says how a line of a document is accounted for.
type LineStatus string

// The statuses of a line.
const (
	// LineCited: a claim rests on the line. It is the first of the cited range on which
	// a token of the citation stands, or the line is part of an example, whose every value
	// is compared. A line that merely lies within a cited range is not cited, nor one on
	// which a word stands again: a wide range must not swallow what nobody transcribed.
	LineCited LineStatus = "cited"
	// LineNarrative: the contract lists the line as one that promises nothing, or it is
	// a heading, a label or the header row of a table that stands above cited lines:
	// then its reason begins with [Generated].
	LineNarrative LineStatus = "narrative"
	// LineLayout: the line holds no word: it is blank, a separator, a code
	// fence, the ruler of a table, or brackets alone.
	LineLayout LineStatus = "layout"
	// LinePending: nobody has said what the line is yet, and the contract's level
	// ([Design.Level]) does not need it: it is counted, and no mistake.
	LinePending LineStatus = "pending"
	// LineUnaccounted: nobody has said what the line is.
	LineUnaccounted LineStatus = "unaccounted"
)

// LineStatuses lists the statuses in the order in which they are reported.
func LineStatuses() []LineStatus {
	return []LineStatus{LineCited, LineNarrative, LineLayout, LinePending, LineUnaccounted}
}

// LineAccount is the account of one line.
type LineAccount struct {
	// Line is the line's number in the document that was read, Was its number
	// in the transcribed one, both counted from 1; Was is 0 for an added line.
	Line   int        `json:"line"`
	Was    int        `json:"was,omitempty"`
	Status LineStatus `json:"status"`
	// Reason is set unless the line is cited.
	Reason string `json:"reason,omitempty"`
	// Claims are the ids of the claims that rest on the line.
	Claims []string `json:"claims,omitempty"`
	// Spanning are the ids of further claims whose cited range holds the line,
	// with their tokens on other lines of the range.
	Spanning []string `json:"spanning,omitempty"`
}

// CitationProof says whether one citation of the contract stands.
type CitationProof struct {
	// Element is the cited element, as in [Cited], and Claims the ids of the
	// claims that it belongs to.
	Element string   `json:"element"`
	Claims  []string `json:"claims"`
	// Cite is the citation in the contract. Now is where the same lines stand in
	// the document that was read; it is empty where that is the same.
	Cite string `json:"cite"`
	Now  string `json:"now,omitempty"`
	// Touched says that the citation covers a line that changed, moved or is
	// gone, or a place where a line was added.
	Touched bool `json:"touched,omitempty"`
	// Within lists the tokens of a touched citation that stand only as a part of
	// a longer word, as Note does in Notes: they stand, and may mean something
	// else than they did.
	Within []string `json:"within,omitempty"`
	// Problem says which tokens do not stand. It is empty when all do.
	Problem string `json:"problem,omitempty"`
}

// Coverage accounts for every line of one document.
type Coverage struct {
	Design string `json:"design"`
	File   string `json:"file"`
	// Pinned is the digest that the contract pins, Found that of the document
	// that was read.
	Pinned string `json:"pinnedSha256"`
	Found  string `json:"foundSha256"`
	// Lines holds one account for each line of the document that was read.
	Lines []LineAccount `json:"lines"`
	// Changes lists the lines that differ from the transcribed document. It is
	// empty when the digests agree.
	Changes []LineChange `json:"changes,omitempty"`
	// Citations holds the proof of every citation.
	Citations []CitationProof `json:"citations"`
	// Stale lists the mistakes in the contract's narrative list.
	Stale []string `json:"stale,omitempty"`
}

// Of accounts for every line of a document: cited, narrative, layout, or
// unaccounted. Pinned are the digests of the lines of the transcribed document;
// when the document that is read differs from it, they say which lines changed,
// and citations are proven where their lines stand now. Without them, lines are
// taken by their number.
func Of(d *accesspatterns.Design, source *Source, pinned []string) *Coverage {
	digests := source.LineDigests()
	if source.SHA256 == d.Document.SHA256 || len(pinned) == 0 {
		pinned = digests
	}
	lines := align(pinned, digests)
	c := &Coverage{
		Design: d.Name, File: d.Document.File, Pinned: d.Document.SHA256, Found: source.SHA256,
		Lines: []LineAccount{}, Changes: lines.changes, Citations: []CitationProof{},
	}
	for n := range source.Len() {
		c.Lines = append(c.Lines, LineAccount{Line: n + 1, Was: lines.before(n + 1)})
	}
	for _, cited := range manifest.Citations(d) {
		c.cite(d, source, lines, cited)
	}
	for account := range lists.Each(c.Lines) {
		account.Spanning = slices.DeleteFunc(account.Spanning, func(id string) bool { return slices.Contains(account.Claims, id) })
		account.Status, account.Reason = accountOf(d, source.Line(account.Line), account, lines)
	}
	c.headings(source, lines)
	c.checkNarrative(d, lines)
	return c
}

// cite proves one citation, and notes its claims on the lines and on the changes that it covers.
func (c *Coverage) cite(d *accesspatterns.Design, source *Source, lines *alignment, cited manifest.Cited) {
	proof := CitationProof{Element: cited.Element, Claims: claimsOf(d, cited), Cite: d.Document.Cite(cited.Citation)}
	whole := strings.HasPrefix(cited.Element, d.Name+"/example/")
	var now []accesspatterns.Citation
	var problems []string
	for _, place := range cited.Citation.Places() {
		touched := false
		for change := range lists.Each(c.Changes) {
			if covers(place, change, lines) {
				touched = true
				change.Claims = lists.With(change.Claims, proof.Claims...)
			}
		}
		proof.Touched = proof.Touched || touched
		moved, left := lines.shift(place)
		if !left {
			problems = append(problems, fmt.Sprintf("%s: the cited lines are gone", d.Document.Cite(place)))
			continue
		}
		now = append(now, moved)
		if err := source.Prove(moved); err != nil {
			problems = append(problems, strings.Split(err.Error(), "\n")...)
		}
		if touched {
			proof.Within = append(proof.Within, source.withinWords(moved)...)
		}
		unseen := slices.Clone(moved.Tokens)
		for number, text := range linesOf(moved, source) {
			before := len(unseen)
			unseen = slices.DeleteFunc(unseen, func(token string) bool { return strings.Contains(text, token) })
			into := &c.Lines[number-1].Spanning
			if len(unseen) < before || whole && !lines.changed[number] && layout(text) == "" {
				into = &c.Lines[number-1].Claims
			}
			*into = lists.With(*into, proof.Claims...)
		}
	}
	if len(now) > 0 {
		if found := d.Document.Cite(now[0].And(now[1:]...)); found != proof.Cite {
			proof.Now = found
		}
	}
	proof.Problem = strings.Join(problems, "; ")
	c.Citations = append(c.Citations, proof)
}

// withinWords returns the tokens that stand on the cited lines, and nowhere there
// as whole words.
func (t *Source) withinWords(c accesspatterns.Citation) (within []string) {
	for _, token := range c.Tokens {
		stands, whole := false, false
		for _, text := range linesOf(c, t) {
			stands, whole = stands || token != "" && strings.Contains(text, token), whole || reader.HasWord(text, token)
		}
		if stands && !whole {
			within = append(within, token)
		}
	}
	return within
}

// covers reports whether a place of the transcribed document is touched by a
// change: it holds the line, or the line was added between two of its lines.
func covers(place accesspatterns.Citation, change *LineChange, lines *alignment) bool {
	if change.Was > 0 {
		return place.First <= change.Was && change.Was <= place.Last
	}
	before := lines.nearest(change.Now)
	return place.First <= before && before < place.Last
}

// claimsOf returns the claims that a cited element belongs to: itself, the claim
// that it is a part of, or the patterns that rest on a waiver.
func claimsOf(d *accesspatterns.Design, cited manifest.Cited) []string {
	id, _, _ := strings.Cut(cited.Element, ", ")
	waiver, ok := strings.CutPrefix(id, d.Name+"/waiver/")
	if !ok {
		return []string{id}
	}
	resting := lists.Where(d.Patterns, func(p accesspatterns.Pattern) bool { return p.Waiver == waiver })
	return lists.Map(resting, func(p accesspatterns.Pattern) string { return d.Name + "/pattern/" + p.ID })
}

// accountOf decides the status of a line, and the reason unless it is cited.
func accountOf(d *accesspatterns.Design, text string, account *LineAccount, lines *alignment) (LineStatus, string) {
	if len(account.Claims) > 0 {
		return LineCited, ""
	}
	if reason := layout(text); reason != "" {
		return LineLayout, reason
	}
	nobody := LinePending
	if d.Reaches(accesspatterns.LevelResilience) {
		nobody = LineUnaccounted
	}
	listed := slices.IndexFunc(d.Narrative, func(lines accesspatterns.NarrativeLines) bool {
		return account.Was > 0 && lines.First <= account.Was && account.Was <= lines.Last
	})
	switch {
	case listed < 0 && len(account.Spanning) > 0:
		return nobody, "within a cited range, but none of the cited tokens stands on it first; cite a token of it or list it as narrative"
	case listed < 0:
		return nobody, "no claim cites it and the narrative does not list it; cite it, or list it with a reason"
	case lines.changed[account.Line]:
		return LineUnaccounted, "it changed since it was listed as narrative (" + d.Narrative[listed].Reason + "); read it again"
	}
	return LineNarrative, d.Narrative[listed].Reason
}

// rulerOfTable is the line below the header row of a table.
const rulerOfTable = "ruler of a table"

// layout says which sort of wordless line it is, or nothing.
func layout(text string) string {
	text = strings.TrimSpace(text)
	only := func(set string) bool { return strings.Trim(text, set) == "" }
	switch {
	case text == "":
		return "blank line"
	case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
		return "code fence"
	case strings.Contains(text, "|") && strings.Contains(text, "-") && only("|-: "):
		return rulerOfTable
	case len(text) >= 3 && (only("-") || only("*") || only("_")):
		return "separator"
	case only("{}[](),; "):
		return "brackets of a code block"
	}
	return ""
}

// checkNarrative reports entries of the narrative list that the document
// contradicts: lines that a claim cites, lines that need no reason, lines behind
// the end.
func (c *Coverage) checkNarrative(d *accesspatterns.Design, lines *alignment) {
	last := len(lines.now) - 1
	for _, listed := range d.Narrative {
		where := fmt.Sprintf("%s:%s: narrative", d.Document.File, listed)
		if listed.Last > last {
			c.Stale = append(c.Stale, fmt.Sprintf("%s: expected lines 1 to %d, found %d; the document ends before it", where, last, listed.Last))
		}
		for number := listed.First; number <= min(listed.Last, last); number++ {
			now := cmp.Or(lines.now[number], lines.to[number])
			if now == 0 || lines.changed[now] {
				continue
			}
			account, ends := &c.Lines[now-1], number == listed.First || number == listed.Last
			switch {
			case account.Status == LineCited:
				c.Stale = append(c.Stale, fmt.Sprintf("%s: line %d is cited by %s; take it out of the narrative", where, number, account.Claims[0]))
			case ends && account.Status == LineLayout:
				c.Stale = append(c.Stale, fmt.Sprintf("%s: line %d needs no reason (%s); begin and end at a line that does", where, number, account.Reason))
			}
		}
	}
}

// Count counts lines by status.
func (c *Coverage) Count() map[LineStatus]int {
	counts := map[LineStatus]int{}
	for line := range lists.Each(c.Lines) {
		counts[line.Status]++
	}
	return counts
}

// Broken returns the citations that do not stand.
func (c *Coverage) Broken() []CitationProof {
	return lists.Where(c.Citations, func(p CitationProof) bool { return p.Problem != "" })
}

// Touched returns the ids of the claims whose citations a change touches, each
// once, sorted.
func (c *Coverage) Touched() []string {
	touched := lists.Where(c.Citations, func(p CitationProof) bool { return p.Touched })
	return lists.Sorted(slices.Concat(lists.Map(touched, func(p CitationProof) []string { return p.Claims })...))
}

// Err reports everything that keeps the document from being accounted for: a
// digest that is not the pinned one, citations that do not stand, lines that
// nobody accounts for, a stale narrative list. It returns nil when all holds.
func (c *Coverage) Err() error {
	var problems []error
	if c.Found != c.Pinned {
		problems = append(problems, fmt.Errorf("%s: expected SHA-256 %s, found %s; %d lines changed since it was transcribed: read them again, correct the contract, then pin the new digest",
			c.File, c.Pinned, c.Found, len(c.Changes)))
	}
	for _, proof := range c.Broken() {
		problems = append(problems, fmt.Errorf("%s: %s", proof.Element, proof.Problem))
	}
	for line := range lists.Each(c.Lines) {
		if line.Status == LineUnaccounted {
			problems = append(problems, fmt.Errorf("%s:%d: unaccounted: %s", c.File, line.Line, line.Reason))
		}
	}
	return errors.Join(append(problems, lists.Map(c.Stale, errors.New)...)...)
}

// Generated begins the reason of a line that is narrative although nobody listed it.
const Generated = "generated: "

// Generated counts the lines that are narrative although nobody listed them.
func (c *Coverage) Generated() int {
	return lists.Count(c.Lines, func(line LineAccount) bool { return strings.HasPrefix(line.Reason, Generated) })
}

var (
	headingForm = lazyregexp.New(`^(#{1,6})\s+(\S.*)$`)
	labelForm   = lazyregexp.New(`^(?:\*\*|__)([^*_]+)(?:\*\*|__):?$`)
	// promising is what a title does not hold that only names what follows: code, a key
	// template, a comparison, a number other than its own, a word that rules something.
	promising = lazyregexp.New("(?i)[`{}<>=]|\\D\\s.*\\d|\\b(must|shall|should|may|never|always|only|not|no|is|are|expires?|unique)\\b")
)

// labelLevel is the level of a label that stands alone, below every heading.
const labelLevel = 7

// headings makes narrative of the titles that only name what follows: a Markdown
// heading, a bold label on a line of its own, or the header row of a table, where a line
// that it stands above is cited. One that changed since the document was transcribed is
// left to be read again, and so is one above nothing that anybody cited.
func (c *Coverage) headings(source *Source, lines *alignment) {
	type title struct {
		at, level int
		reason    string
	}
	var above []title
	fence := ""
	for i := range c.Lines {
		account := &c.Lines[i]
		text := strings.TrimSpace(source.Line(account.Line))
		level, words, reason := 0, text, ""
		switch marks := []string{"```", "~~~"}; {
		case fence != "":
			if strings.HasPrefix(text, fence) {
				fence = ""
			}
		case strings.HasPrefix(text, marks[0]), strings.HasPrefix(text, marks[1]):
			fence = text[:3]
		case headingForm.MatchString(text):
			parts := headingForm.FindStringSubmatch(text)
			level, words, reason = len(parts[1]), parts[2], "heading of lines that are cited"
		case labelForm.MatchString(text):
			level, words, reason = labelLevel, labelForm.FindStringSubmatch(text)[1], "label of lines that are cited"
		case strings.Contains(text, "|") && layout(source.Line(account.Line+1)) == rulerOfTable:
			level, reason = labelLevel+1, "header row of a table whose rows are cited"
		case !strings.Contains(text, "|") && len(above) > 0 && above[len(above)-1].level > labelLevel:
			above = above[:len(above)-1] // the table ends
		}
		if level > 0 {
			for len(above) > 0 && above[len(above)-1].level >= level {
				above = above[:len(above)-1]
			}
			listed := account.Status != LineUnaccounted && account.Status != LinePending || account.Was == 0 || lines.changed[account.Line]
			if listed || promising.MatchString(words) {
				reason = ""
			}
			above = append(above, title{i, level, reason})
		}
		if account.Status != LineCited {
			continue
		}
		for _, title := range above {
			if title.reason != "" {
				c.Lines[title.at].Status, c.Lines[title.at].Reason = LineNarrative, Generated+title.reason
			}
		}
	}
}
