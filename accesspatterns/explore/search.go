package explore

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/validate"
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

// node is a state that the search has found: the one behind a move in another state or, without one, a start.
type node struct{ parent, move int32 }

// search is the search through the states of one law.
type search struct {
	gathered

	x   *explorer
	law *formula
	// aside are the patterns that are set aside.
	aside map[string]bool
	// flow is the pattern that must keep the law, if any.
	flow string

	starts []state
	nodes  []node
	known  map[mark]bool
	// readsItem are the marks of the items as the formula reads them, sights the first items that it cannot tell from others; judged is
	// what it says of those of a state.
	readsItem []mark
	sights    map[string]int32
	judged    map[judgement]bool
	who       []client
	// flows are those of each client; courses counts how far two of them have come, and cutFlows says that not all was tried.
	flows    map[client]*flows
	courses  int
	cutFlows bool
	// applied says which moves were carried out.
	applied         []bool
	edges, complete int
	problem         error
}

func newSearch(x *explorer, law *formula) *search {
	return &search{
		gathered: gathered{texts: map[string]bool{}}, x: x, law: law, aside: map[string]bool{}, sights: map[string]int32{}, judged: map[judgement]bool{},
		flows: map[client]*flows{}, flow: law.flow,
	}
}

// judgement is what a formula was asked: the items that it reads before and after, and the number of who acts. One of a
// state has the items after alone.
type judgement struct {
	before, after mark
	by            int32
}

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

// reads is the mark of an item as the formula reads it, the same for those of one key that differ in nothing that it reads; zero where
// it does not read the item.
func (s *search) reads(item int32) mark {
	for n := len(s.readsItem); n <= int(item); n++ {
		var of mark
		if e := s.x.items[n].entity; e != nil {
			if _, read := s.law.reads[e.ID]; read {
				of = markOf(s.sight(n))
			}
		}
		s.readsItem = append(s.readsItem, of)
	}
	return s.readsItem[item]
}

// sight is the number of the first item that the formula cannot tell from another one.
func (s *search) sight(item int) int32 {
	h := &s.x.items[item]
	text := fmt.Appendf(nil, "%d %s %v ", s.x.keyOf(h.entity.Table, h.item), h.entity.ID, h.valid)
	for _, name := range s.law.reads[h.entity.ID] {
		if value := h.item[name]; value != nil {
			text = appendValue(appendText(text, name), value)
		}
	}
	params, _ := validate.ParseKeys(h.entity, h.item)
	text = appendTexts(text, params)
	first, known := s.sights[string(text)]
	if !known {
		first = int32(item)
		s.sights[string(text)] = first
	}
	return first
}

// readsOf is the mark of the items of a state that the formula reads.
func (s *search) readsOf(st state) (all mark) {
	for _, p := range st {
		all = all.with(mark{}, s.reads(p.item))
	}
	return all
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
		if s.reads(p.item) == (mark{}) {
			continue
		}
		h := &s.x.items[p.item]
		if h.seen == nil {
			h.seen = s.law.See(h.entity.ID, h.item)
		}
		items[h.entity.ID] = append(items[h.entity.ID], h.seen)
	}
	return items
}

// vacuous reports whether nothing breaks the formula: no state and no change that was judged and, of those behind the starts, none in which
// an item that the formula reads is missing, or is another. It says no where no start has such an item.
func (s *search) vacuous(starts []state) (tried bool) {
	for _, holds := range s.judged {
		if !holds {
			return false
		}
	}
	clients := []client{{}}
	if s.law.acts && len(s.who) > 0 {
		clients = s.who
	}
	for _, start := range starts {
		now, nth := s.items(start), map[string]int{}
		for _, p := range start {
			h := &s.x.items[p.item]
			if _, read := now[h.entity.ID]; !read {
				continue
			}
			at := nth[h.entity.ID]
			nth[h.entity.ID]++
			for _, other := range append(s.others(h), nil) {
				then := maps.Clone(now)
				if then[h.entity.ID] = slices.Delete(slices.Clone(now[h.entity.ID]), at, at+1); other != nil {
					then[h.entity.ID] = append(then[h.entity.ID], s.law.See(h.entity.ID, other))
				}
				for _, by := range clients {
					for _, change := range [][2]map[string][]any{{now, then}, {then, now}} {
						holds, err := s.law.Holds(change[0], change[1], by.role, by.user)
						if err == nil && !holds {
							return false
						}
						tried = tried || err == nil
					}
				}
			}
		}
	}
	return tried
}

// others are an item with other values of each attribute that the formula reads, valid or not, without it, and under other keys.
func (s *search) others(h *held) (all []ap.Item) {
	for _, name := range s.law.reads[h.entity.ID] {
		list, set := &types.AttributeValueMemberL{}, &types.AttributeValueMemberSS{}
		for n := range 100 {
			set.Value = append(set.Value, strconv.Itoa(n))
			list.Value = append(list.Value, dynamo.Scalar(dynamo.String, strconv.Itoa(n)))
		}
		values := append(s.x.universe.domain(h.entity, name), nil, list, set, dynamo.Scalar(dynamo.Number, "-1000000000"), dynamo.Scalar(dynamo.Number, "1000000000"),
			dynamo.Scalar(dynamo.String, ""), dynamo.Scalar(dynamo.String, strings.Repeat("x", 1000)))
		values = append(values, scalars(dynamo.String, s.law.constants[h.entity.ID+"."+name])...)
		for _, value := range values {
			other := maps.Clone(h.item)
			if other[name] = value; value == nil {
				delete(other, name)
			}
			all = append(all, other)
		}
	}
	params, _ := validate.ParseKeys(h.entity, h.item)
	for name := range params {
		for _, text := range s.x.universe.of(name) {
			with, other := maps.Clone(params), maps.Clone(h.item)
			with[name] = text
			for i := range h.entity.Keys {
				if key := &h.entity.Keys[i]; other[key.Attribute] != nil {
					if value, err := key.Template.Format(with); err == nil {
						other[key.Attribute] = dynamo.Scalar(key.ValueType(), value)
					}
				}
			}
			all = append(all, other)
		}
	}
	return all
}

// asks is what the formula is asked of a change, and of a state the one behind it.
func (s *search) asks(earlier, after mark, who int32) judgement {
	if !s.law.Keeps {
		return judgement{after: after}
	}
	return judgement{earlier, after, who}
}

// holds decides the formula for a state or, of a change, for both.
func (s *search) holds(before, after state, by client) bool {
	return s.judge(s.asks(s.readsOf(before), s.readsOf(after), s.number(by)), before, after)
}

// judge decides the formula, once. A change of nothing that it reads keeps it.
func (s *search) judge(at judgement, before, after state) bool {
	if is, known := s.judged[at]; known {
		return is
	}
	var items map[string][]any
	var by client
	if s.law.Keeps {
		if at.before == at.after {
			return true
		}
		items, by = s.items(before), s.who[at.by]
	}
	is, err := s.law.Holds(items, s.items(after), by.role, by.user)
	if err != nil && slices.ContainsFunc(after, func(p place) bool { return !s.x.items[p.item].valid && s.reads(p.item) != mark{} }) {
		is, err = true, nil // what is wrong with the item is told apart
	}
	if err != nil && s.problem == nil {
		s.problem = err
	}
	s.judged[at] = is
	return is
}

// trace are the moves that lead to a node, and the state before the first.
func (s *search) trace(at int32) (moves []*move, start state) {
	for ; s.nodes[at].parent >= 0; at = s.nodes[at].parent {
		moves = append(moves, s.moves[s.nodes[at].move])
	}
	slices.Reverse(moves)
	return moves, s.starts[s.nodes[at].move]
}

// cores number what moves may change of what the formula reads, and who sends them: those of one number do the same wherever they
// are carried out. A core of no write changes none of it.
func (s *search) cores() (cores []int, changes []bool) {
	numbers := map[string]int{}
	for _, m := range s.moves {
		text := fmt.Append(nil, s.number(m.client))
		touches := false
		for _, write := range m.writes {
			if s.x.writes[write].Kind != ap.ConditionCheck && slices.ContainsFunc(s.x.writes[write].of, func(e *ap.Entity) bool { _, read := s.law.reads[e.ID]; return read }) {
				text, touches = fmt.Append(text, " ", write), true
			}
		}
		if _, known := numbers[string(text)]; !known {
			numbers[string(text)] = len(numbers)
		}
		cores, changes = append(cores, numbers[string(text)]), append(changes, touches)
	}
	return cores, changes
}

// run searches from the starts. Patterns that break the law are set aside at once, and returned; the states that
// their moves led to stay. It says yes when nothing was broken.
func (s *search) run(starts []state, b Budget) (found []broken, clean bool) {
	s.starts, s.nodes, s.known, s.edges, s.complete = starts, nil, map[mark]bool{}, 0, 0
	if s.applied == nil {
		s.applied = make([]bool, len(s.moves))
	}
	for i, start := range starts {
		if at := start.mark(); !s.known[at] {
			s.known[at] = true
			s.nodes = append(s.nodes, node{parent: -1, move: int32(i)})
		}
	}
	live, who := make([]bool, len(s.moves)), make([]int32, len(s.moves))
	for i, m := range s.moves {
		live[i], who[i] = s.active(m), s.number(m.client)
	}
	cores, touches := s.cores()
	kept := make([]int32, len(s.moves)) // by core, the state behind the last in which it was found to keep the law
	var after state
	var now, left []int32                     // the items by their keys, and those that a move leaves under its own
	effects := make([]int32, len(s.x.writes)) // what each write leaves
	first := 0
	for depth := 1; depth <= b.Deeper; depth++ {
		last := len(s.nodes)
		if depth > b.Depth && last*len(s.moves) > b.Edges {
			break // and the states behind the last request were not all kept
		}
		for n := first; n < last; n++ {
			trace, before := s.trace(int32(n))
			for _, m := range trace {
				before, _ = s.x.apply(before, m)
			}
			now = before.byKey(now, len(s.x.keyTables))
			whole, earlier := before.mark(), s.readsOf(before)
			for i := range effects {
				effects[i] = untried
			}
			for i, m := range s.moves {
				if !live[i] {
					continue
				}
				on := depth < b.Depth || len(s.nodes)*len(s.moves) <= b.Edges // whether the search goes on behind the move
				if !on && !touches[i] && s.applied[i] {
					continue // it changes nothing that the formula reads
				}
				s.edges++
				left = left[:0]
				for j, write := range m.writes {
					if effects[write] == untried {
						effects[write] = s.x.effect(write, now[m.keys[j]])
					}
					if effects[write] == refused {
						break
					}
					left = append(left, effects[write])
				}
				if len(left) < len(m.writes) {
					continue
				}
				s.applied[i] = true
				if !on && kept[cores[i]] == int32(n)+1 {
					continue
				}
				changes, text, reads := false, whole, earlier
				for j, item := range left {
					if was := now[m.keys[j]]; item != was {
						changes, text, reads = true, text.with(markOf(was), markOf(item)), reads.with(s.reads(was), s.reads(item))
					}
				}
				old := on && s.known[text]
				if !changes || old && !s.law.Keeps {
					continue
				}
				if at := s.asks(earlier, reads, who[i]); reads != earlier { // what a move leaves as it was, the formula has judged before
					holds, judged := s.judged[at]
					if !judged {
						after = before.after(m, left, after)
						holds = s.judge(at, before, after)
					}
					if !holds {
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
				}
				kept[cores[i]] = int32(n) + 1
				if on && !old && !slices.ContainsFunc(left, func(item int32) bool { return item != none && !s.x.items[item].valid }) {
					s.known[text] = true
					s.nodes = append(s.nodes, node{int32(n), int32(i)})
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
	if !s.law.Keeps && !s.holds(nil, now, client{}) {
		return false
	}
	for i, m := range trace {
		next, done := s.x.apply(now, m)
		if !done {
			return false
		}
		if !s.holds(now, next, m.client) {
			return i == len(trace)-1
		}
		now = next
	}
	return false
}
