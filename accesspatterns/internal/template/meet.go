package template

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/lists"
)

// Meet reports whether a text has both forms. Where a parameter stands twice in a form its values may differ here, so that forms may be said
// to meet that do not.
func Meet(a, b Template) bool {
	return begin(a, b) && search(&walk{form: a}, &walk{form: b}, true)
}

// MeetBeginning reports whether a text of the second form begins with one of the first.
func MeetBeginning(a, b Template) bool {
	return begin(a, b) && search(&walk{form: a, beginning: true}, &walk{form: b}, true)
}

// begin reports whether a text may begin as both forms do. Most forms differ there, which takes no search.
func begin(a, b Template) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	return strings.HasPrefix(a[0].Literal, b[0].Literal) || strings.HasPrefix(b[0].Literal, a[0].Literal)
}

// Covers reports whether every text of the second form has the first, or begins with it. No parameter stands twice in the first.
func Covers(a, b Template, beginning bool) bool {
	return !search(&walk{form: a, beginning: beginning}, &walk{form: b}, false)
}

// walk goes through a form byte by byte, as [Template.Take] does.
type walk struct {
	form Template
	// beginning says that anything may stand behind the form.
	beginning bool
}

// at is where a walk stands: how much of a literal was seen, or how much of the separator that ends a parameter; seen is how many bytes the
// parameter has, as far as that matters.
type at struct{ piece, part, seen int }

// lost is where a text is that has not the form.
var lost = at{piece: -1}

func (w *walk) accepts(s at) bool {
	if s == lost {
		return false
	}
	return s.piece == len(w.form) || s.piece == len(w.form)-1 && w.form[s.piece].Literal == "" && s.seen > 0
}

func (w *walk) next(s at, b byte) at {
	switch {
	case s == lost:
		return lost
	case s.piece == len(w.form):
		if w.beginning {
			return s
		}
		return lost
	}
	p := &w.form[s.piece]
	if p.Literal != "" {
		if p.Literal[s.part] != b {
			return lost
		}
		if s.part++; s.part == len(p.Literal) {
			return at{piece: s.piece + 1}
		}
		return s
	}
	s.seen = min(s.seen+1, len(p.Until)+1)
	if p.Until == "" {
		return s
	}
	for s.part > 0 && p.Until[s.part] != b { // the longest end of what was seen with which the separator begins
		s.part = border(p.Until[:s.part])
	}
	if p.Until[s.part] == b {
		s.part++
	}
	if s.part < len(p.Until) {
		return s
	}
	if s.seen <= len(p.Until) {
		return lost // the parameter is empty
	}
	if literal := w.form[s.piece+1].Literal; len(literal) == len(p.Until) {
		return at{piece: s.piece + 2}
	}
	return at{piece: s.piece + 1, part: len(p.Until)}
}

// border is the length of the longest proper beginning of a text with which it ends.
func border(text string) int {
	for n := len(text) - 1; n > 0; n-- {
		if strings.HasSuffix(text, text[:n]) {
			return n
		}
	}
	return 0
}

// search reports whether there is a text of the second form that has, or has not, the first one too. It tries every byte of the forms, and one
// that stands in none.
func search(a, b *walk, has bool) bool {
	var all strings.Builder
	for _, p := range append(a.form[:len(a.form):len(a.form)], b.form...) {
		all.WriteString(p.Literal)
	}
	letters := []byte(all.String())
	letters = lists.Sorted(letters)
	for other := range 1 << 8 {
		if !slices.Contains(letters, byte(other)) {
			letters = append(letters, byte(other))
			break
		}
	}
	type both struct{ a, b at }
	known := map[both]bool{{}: true}
	for open := []both{{}}; len(open) > 0; {
		here := open[len(open)-1]
		open = open[:len(open)-1]
		if b.accepts(here.b) && a.accepts(here.a) == has {
			return true
		}
		for _, letter := range letters {
			there := both{a.next(here.a, letter), b.next(here.b, letter)}
			if there.b == lost || has && there.a == lost { // no text goes on from there
				continue
			}
			if !known[there] {
				known[there] = true
				open = append(open, there)
			}
		}
	}
	return false
}
