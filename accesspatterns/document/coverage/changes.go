package coverage

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
)

// lineDigestLength is the number of hexadecimal digits that a line's digest
// keeps. The whole document is pinned by its full digest; those of the lines
// only say where it changed.
const lineDigestLength = 8

// LineDigests returns the digest of every line, in order: the beginning of the
// SHA-256 of its bytes, without its line feed, in lower-case hexadecimal.
func (t *Source) LineDigests() []string {
	return lists.Map(t.lines[:t.Len()], func(line string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(line)))[:lineDigestLength] })
}

// ChangeKind says what happened to a line.
type ChangeKind string

// The kinds of changes.
const (
	// LineChanged: another text stands in the line's place.
	LineChanged ChangeKind = "changed"
	// LineAdded: the line was not there.
	LineAdded ChangeKind = "added"
	// LineRemoved: the line is gone.
	LineRemoved ChangeKind = "removed"
	// LineMoved: the line stands in another place among the others. Lines that
	// merely have another number, because of lines added or removed before
	// them, did not move.
	LineMoved ChangeKind = "moved"
)

// LineChange is one line that is not as it was when the document was
// transcribed.
type LineChange struct {
	Kind ChangeKind `json:"kind"`
	// Was is the line's number in the transcribed document, Now its number in
	// the one that was read, both counted from 1; 0 where it has none.
	Was int `json:"was,omitempty"`
	Now int `json:"now,omitempty"`
	// Claims are the ids of the claims whose citation covers the line or, for an
	// added line, the place where it was added.
	Claims []string `json:"claims"`
}

// alignment maps the lines of the transcribed document to those of the one that
// was read. Lines are counted from 1; 0 means none.
type alignment struct {
	// now and was hold the lines that kept their text and place, or changed in
	// place. Index 0 is unused.
	now, was []int
	// to and from hold lines that kept their text and moved.
	to, from map[int]int
	changes  []LineChange
	changed  map[int]bool // by new number: text differs
}

// hunk is a run of lines of the transcribed document with the run that stands in
// its place.
type hunk struct{ removed, added []int }

// align compares two documents by the digests of their lines.
func align(pinned, found []string) *alignment {
	a := &alignment{
		now: make([]int, len(pinned)+1), was: make([]int, len(found)+1),
		to: map[int]int{}, from: map[int]int{}, changed: map[int]bool{},
	}
	was, now := 1, 1
	hunks := []hunk{{}}
	for _, part := range difference(pinned, found) {
		open := &hunks[len(hunks)-1]
		for range part.Text { // one rune for each line
			switch part.Type {
			case diffmatchpatch.DiffEqual:
				a.now[was], a.was[now] = now, was
				was, now = was+1, now+1
			case diffmatchpatch.DiffDelete:
				open.removed = append(open.removed, was)
				was++
			case diffmatchpatch.DiffInsert:
				open.added = append(open.added, now)
				now++
			}
		}
		if part.Type == diffmatchpatch.DiffEqual {
			hunks = append(hunks, hunk{})
		}
	}
	a.move(pinned, found, hunks)
	for _, h := range hunks {
		a.change(h)
	}
	// By the line at which a reader looks for them.
	slices.SortStableFunc(a.changes, func(x, y LineChange) int { return cmp.Or(x.Now, x.Was) - cmp.Or(y.Now, y.Was) })
	return a
}

// move pairs removed lines with added lines of the same text. A text that was
// removed or added more than once, such as a blank line or a bracket, does not
// say which line moved where.
func (a *alignment) move(pinned, found []string, hunks []hunk) {
	removed, added := map[string][]int{}, map[string][]int{}
	for _, h := range hunks {
		for _, was := range h.removed {
			removed[pinned[was-1]] = append(removed[pinned[was-1]], was)
		}
		for _, now := range h.added {
			added[found[now-1]] = append(added[found[now-1]], now)
		}
	}
	for digest, was := range removed {
		if now := added[digest]; len(was) == 1 && len(now) == 1 {
			a.to[was[0]], a.from[now[0]] = now[0], was[0]
			a.changes = append(a.changes, LineChange{Kind: LineMoved, Was: was[0], Now: now[0], Claims: []string{}})
		}
	}
}

// change pairs what did not move in a hunk, in order, as changed lines; what is
// left over was removed or added.
func (a *alignment) change(h hunk) {
	removed := slices.DeleteFunc(h.removed, func(was int) bool { return a.to[was] > 0 })
	added := slices.DeleteFunc(h.added, func(now int) bool { return a.from[now] > 0 })
	for i := range max(len(removed), len(added)) {
		change := LineChange{Kind: LineChanged, Claims: []string{}}
		if i < len(removed) {
			change.Was = removed[i]
		} else {
			change.Kind = LineAdded
		}
		if i < len(added) {
			change.Now = added[i]
			a.changed[change.Now] = true
		} else {
			change.Kind = LineRemoved
		}
		if change.Kind == LineChanged {
			a.now[change.Was], a.was[change.Now] = change.Now, change.Was
		}
		a.changes = append(a.changes, change)
	}
}

// difference compares two lists of digests, each of which becomes one rune.
func difference(pinned, found []string) []diffmatchpatch.Diff {
	differ := diffmatchpatch.New()
	differ.DiffTimeout = 0 // compare to the end, so that the same documents give the same answer
	text := func(digests []string) string { return strings.Join(append(slices.Clone(digests), ""), "\n") }
	was, now, _ := differ.DiffLinesToRunes(text(pinned), text(found))
	return differ.DiffMainRunes(was, now, false)
}

// before returns the number that a line had, or 0.
func (a *alignment) before(now int) int {
	return cmp.Or(a.was[now], a.from[now])
}

// shift returns the lines at which a citation's own place, without its further
// ones, stands now. It reports false when none of its lines is left. A citation
// that the transcribed document has no lines for stays as it is.
func (a *alignment) shift(c accesspatterns.Citation) (accesspatterns.Citation, bool) {
	if c.First < 1 || c.Last < c.First || c.Last >= len(a.now) {
		return c, true
	}
	for _, find := range []func(int) int{
		func(was int) int { return a.now[was] },
		func(was int) int { return a.to[was] },
	} {
		var left []int
		for was := c.First; was <= c.Last; was++ {
			if now := find(was); now > 0 {
				left = append(left, now)
			}
		}
		if len(left) > 0 {
			return accesspatterns.Citation{First: slices.Min(left), Last: slices.Max(left), Tokens: c.Tokens}, true
		}
	}
	return accesspatterns.Citation{}, false
}

// nearest returns the place in the transcribed document behind which an added
// line was put: the last line before it that was there.
func (a *alignment) nearest(now int) int {
	for ; now > 0; now-- {
		if was := a.was[now]; was > 0 {
			return was
		}
	}
	return 0
}
