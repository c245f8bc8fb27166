package explore

import (
	"encoding/binary"
	"slices"

	ap "dynaproof/accesspatterns"
)

// Budget bounds a search. It counts, so that a search is the same wherever it runs.
type Budget struct {
	// Edges is how many times a move may be tried in a state, for each law; the search to Depth is complete
	// whatever it takes.
	Edges int
	// Depth is the number of requests up to which every search is complete; Deeper how far it goes while
	// the budget lasts.
	Depth, Deeper int
	// Only are the patterns whose requests are tried, as if the contract had no others; nil means all. The values are those of all.
	Only []string
}

// Usual is the budget of `dynaproof check` and `dynaproof verify`.
var Usual = Budget{Edges: 400_000, Depth: 2, Deeper: 3}

// node is a state that the search has found.
type node struct {
	text   string
	parent int32
	move   int32
	depth  int8
}

// search is the search through the states of one law.
type search struct {
	x     *explorer
	law   *formula
	moves []*move
	// aside are the patterns that are set aside.
	aside map[string]bool
	// flow is the pattern that must keep the law, if any.
	flow string

	nodes []node
	known map[string]bool
	// seen numbers the items that the formula reads, of each state that was judged; readsItem says of each item
	// whether they are among them, judged what the formula says of them, and who are those who act.
	seen      map[string]int32
	readsItem []bool
	judged    map[judgement]bool
	who       []client
	// flows are those of each client; courses counts how far two of them have come, and cutFlows says that not all was tried.
	flows    map[client]*flows
	courses  int
	cutFlows bool
	// applied says which moves were carried out, unsure which moves did what is not known.
	applied, unsure []bool
	edges, complete int
	problem         error
	buffer, text    []byte
}

// judgement is what a formula was asked: the items that it reads before and after, and who acts, by their numbers. One of a state
// has the items after alone.
type judgement struct{ before, after, by int32 }

// broken is a way in which a law does not hold.
type broken struct {
	patterns []string
	trace    []*move
	// start is the state before the first of them.
	start state
	// first says that the flow was spared, see [search.blame].
	first bool
}

// active reports whether a pattern that admits the move is not set aside.
func (s *search) active(m *move) bool {
	return slices.ContainsFunc(m.patterns, func(p string) bool { return !s.aside[p] })
}

// touches reports whether a move writes an item that the formula may read.
func (s *search) touches(m *move) bool {
	for _, number := range m.writes {
		for _, e := range s.x.of[number] {
			if _, read := s.law.reads[e.ID]; read && s.x.writes[number].Kind != ap.ConditionCheck {
				return true
			}
		}
	}
	return false
}

// isRead reports whether the formula reads an item.
func (s *search) isRead(item int32) bool {
	for n := len(s.readsItem); n <= int(item); n++ {
		read := false
		if e := s.x.items[n].entity; e != nil {
			_, read = s.law.reads[e.ID]
		}
		s.readsItem = append(s.readsItem, read)
	}
	return s.readsItem[item]
}

// reads numbers the items of a state that the formula reads.
func (s *search) reads(of state) int32 {
	s.buffer = s.buffer[:0]
	for _, p := range of {
		if s.isRead(p.item) {
			s.buffer = binary.LittleEndian.AppendUint32(s.buffer, uint32(p.item))
		}
	}
	number, has := s.seen[string(s.buffer)]
	if !has {
		number = int32(len(s.seen))
		s.seen[string(s.buffer)] = number
	}
	return number
}

// number numbers who acts.
func (s *search) number(by client) int32 {
	at := slices.Index(s.who, by)
	if at < 0 {
		at, s.who = len(s.who), append(s.who, by)
	}
	return int32(at)
}

// items are those of a state that the formula reads.
func (s *search) items(of state) map[string][]any {
	items := map[string][]any{}
	for entity := range s.law.reads {
		items[entity] = []any{}
	}
	for _, p := range of {
		h := &s.x.items[p.item]
		if h.entity == nil {
			continue
		}
		if _, read := s.law.reads[h.entity.ID]; !read {
			continue
		}
		if h.seen == nil {
			h.seen = s.law.See(h.entity.ID, h.item)
		}
		items[h.entity.ID] = append(items[h.entity.ID], h.seen)
	}
	return items
}

// holds decides the formula for a state or, of a change, for both; earlier is the number of what it reads of the one before.
func (s *search) holds(before, after state, earlier, who int32) bool {
	at := judgement{after: s.reads(after)}
	if s.law.Keeps {
		if earlier == at.after {
			return true
		}
		at.before, at.by = earlier, who
	}
	if known, has := s.judged[at]; has {
		return known
	}
	var items map[string][]any
	if s.law.Keeps {
		items = s.items(before)
	}
	var by client
	if s.law.Keeps {
		by = s.who[who]
	}
	is, err := s.law.Holds(items, s.items(after), by.role, by.user)
	if err != nil {
		for _, p := range after {
			if !s.x.items[p.item].valid {
				is, err = true, nil // what is wrong with the item is told apart
			}
		}
	}
	if err != nil && s.problem == nil {
		s.problem = err
	}
	s.judged[at] = is
	return is
}

// trace are the moves that lead to a node, and the state before the first.
func (s *search) trace(at int32) (moves []*move, start state) {
	for s.nodes[at].parent >= 0 {
		moves = append(moves, s.moves[s.nodes[at].move])
		at = s.nodes[at].parent
	}
	slices.Reverse(moves)
	return moves, stateOf(s.nodes[at].text, nil)
}

// run searches from the starts. Patterns that break the law are set aside at once, and returned; the states that
// their moves led to stay. It says yes when nothing was broken.
func (s *search) run(starts []state, b Budget) (found []broken, clean bool) {
	s.nodes, s.known, s.edges, s.complete = nil, map[string]bool{}, 0, 0
	if s.applied == nil {
		s.applied, s.unsure = make([]bool, len(s.moves)), make([]bool, len(s.moves))
	}
	for _, start := range starts {
		if text := start.text(); !s.known[text] {
			s.known[text] = true
			s.nodes = append(s.nodes, node{text: text, parent: -1, move: -1})
		}
	}
	live, touches, who := make([]bool, len(s.moves)), make([]bool, len(s.moves)), make([]int32, len(s.moves))
	for i, m := range s.moves {
		live[i], touches[i], who[i] = s.active(m), s.touches(m), s.number(m.client)
	}
	var before, after state
	var now, left []int32 // the items by their keys, and those that a move leaves under its own
	first := 0
	for depth := 1; depth <= b.Deeper; depth++ {
		last := len(s.nodes)
		if depth > b.Depth && last*len(s.moves) > b.Edges {
			break // and the states behind the last request were not all kept
		}
		for n := first; n < last; n++ {
			before = stateOf(s.nodes[n].text, before)
			now = before.byKey(now, len(s.x.keyTables))
			earlier := s.reads(before)
			for i, m := range s.moves {
				if !live[i] {
					continue
				}
				kept := depth < b.Depth || len(s.nodes)*len(s.moves) <= b.Edges // whether the search goes on behind the move
				if !kept && !touches[i] && s.applied[i] {
					continue // it changes nothing that the formula reads
				}
				s.edges++
				var why int32
				left, why = s.x.leaves(now, m, left)
				if why != none {
					s.unsure[i] = s.unsure[i] || why == unknown
					continue
				}
				s.applied[i] = true
				changes, reads, valid := false, false, true
				for j, item := range left {
					if was := now[m.keys[j]]; item != was {
						changes, reads = true, reads || s.isRead(was) || s.isRead(item)
					}
					valid = valid && (item == none || s.x.items[item].valid)
				}
				if !changes {
					continue
				}
				after = append(after[:0], before...)
				for j, item := range left {
					if item != now[m.keys[j]] {
						after = after.with(m.keys[j], item)
					}
				}
				old := false
				if kept {
					s.text = after.appendText(s.text[:0])
					if old = s.known[string(s.text)]; old && !s.law.Keeps {
						continue
					}
				}
				// What a move leaves as it was, the formula has judged before.
				if reads && !s.holds(before, after, earlier, who[i]) {
					trace, start := s.trace(int32(n))
					trace = append(trace, m)
					if slices.ContainsFunc(trace, func(m *move) bool { return !s.active(m) }) {
						continue
					}
					blamed, first := s.blame(trace)
					found = append(found, broken{blamed, trace, start, first})
					for _, p := range blamed {
						s.aside[p] = true
					}
					for i, m := range s.moves {
						live[i] = s.active(m)
					}
					continue
				}
				if valid && !old && kept {
					text := string(s.text)
					s.known[text] = true
					s.nodes = append(s.nodes, node{text: text, parent: int32(n), move: int32(i), depth: int8(depth)})
				}
			}
		}
		s.complete = depth
		first = last
		if len(found) > 0 {
			return found, false
		}
	}
	return found, len(found) == 0
}

// blame says which patterns of a list of requests break the law: those of the last one. Where that is of the flow which must keep
// the law, and another request came before, that one is blamed first: it may have undone what the flow relies on.
func (s *search) blame(trace []*move) (patterns []string, first bool) {
	last := trace[len(trace)-1].patterns
	if s.flow == "" || !slices.Contains(last, s.flow) {
		return last, false
	}
	for i := len(trace) - 2; i >= 0; i-- {
		if !slices.Contains(trace[i].patterns, s.flow) {
			return trace[i].patterns, true
		}
	}
	return last, false
}

// shrunk is a state without the items that a list of requests does not need to break the law.
func (s *search) shrunk(start state, trace []*move) state {
	for i := len(start) - 1; i >= 0; i-- {
		if less := slices.Delete(slices.Clone(start), i, i+1); s.breaks(less, trace) {
			start = less
		}
	}
	return start
}

// breaks reports whether the last of some requests, and none before it, breaks the law.
func (s *search) breaks(now state, trace []*move) bool {
	if !s.law.Keeps && !s.holds(nil, now, 0, 0) {
		return false
	}
	for i, m := range trace {
		next, why := s.x.apply(now, m)
		if why != none {
			return false
		}
		if !s.holds(now, next, s.reads(now), s.number(m.client)) {
			return i == len(trace)-1
		}
		now = next
	}
	return false
}
