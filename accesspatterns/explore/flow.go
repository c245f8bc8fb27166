package explore

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
)

// flows are the flows of a client, with the requests that it sends one after the other.
type flows struct {
	x  *explorer
	by client
	// tied are the writes of each step that a client sends who follows the flow.
	tied map[string][]*move
	// chosen are the reads of a step by what is given.
	chosen map[string][]*readRequest
	// found are the items that reads return in the state of this mark.
	found map[*readRequest][]ap.Item
	at    mark
	// still says that nothing that the client writes changes what it meets: it goes on where what it found asks for a write that is not
	// among those that are made. In a search that goes on behind its writes a range whose bounds nothing gives leaves nothing out, and a
	// step of which there is no write is none that the search looks at.
	still bool
}

// gathered are the writes that a claim is tried with, each once.
type gathered struct {
	moves []*move
	texts map[string]bool
}

// gather adds the requests of a step that vary what a cone holds to those of a claim, and keeps those that a client sends who follows the
// flow. It notes the step where some were left out.
func (f *flows) gather(w *patternStep, c *cone, users bool, into *gathered, report *Law) {
	moves, cut := f.x.movesOf(w, c, f.by, users)
	if cut && !slices.Contains(report.Cut, w.String()) {
		report.Cut = append(report.Cut, w.String())
	}
	for _, m := range moves {
		if m.tied {
			f.tied[w.String()] = append(f.tied[w.String()], m)
		}
		if text := fmt.Sprintf("%s\x00%s\x00%d", f.by.role, f.by.user, m.writes); !into.texts[text] {
			into.texts[text] = true
			into.moves = append(into.moves, m)
		}
	}
}

// returned are the items that a read returns in a state; none where it cannot be carried out.
func (f *flows) returned(s state, r *readRequest) []ap.Item {
	if at := s.mark(); f.found == nil || at != f.at {
		f.found, f.at = map[*readRequest][]ap.Item{}, at
	}
	return lists.Once(f.found, r, func() []ap.Item {
		read := r.pattern.Steps[r.at].Read
		table, _ := f.x.design.Table(read.Table)
		found, _ := evaluate.Read(read, table, f.x.tables(s)[table.ID], r.params)
		return found
	})
}

func newFlows(x *explorer, by client) *flows {
	return &flows{x: x, by: by, tied: map[string][]*move{}, chosen: map[string][]*readRequest{}}
}

// readRequest is one read with the values that a client chooses; it has no input where the guard refuses it.
type readRequest struct {
	pattern  *ap.Pattern
	at       int
	params   ap.Params
	patterns []string
	input    any
}

// maxReads bounds the requests of one read.
const maxReads = 64

// requests are the reads of a step, with every value of what is not given.
func (f *flows) requests(p *ap.Pattern, at int, given ap.Params) []*readRequest {
	return lists.Once(f.chosen, string(readText(p, at, given)), func() []*readRequest {
		return lists.Map(f.choices(p, &p.Steps[at], given), func(params ap.Params) *readRequest { return f.admit(p, at, params) })
	})
}

func readText(p *ap.Pattern, at int, params ap.Params) []byte {
	return appendTexts(fmt.Appendf(nil, "read %s %d", p.ID, at), params)
}

// admit makes one read, without an input where the guard refuses it.
func (f *flows) admit(p *ap.Pattern, at int, params ap.Params) *readRequest {
	step, r := &p.Steps[at], &readRequest{pattern: p, at: at, params: params}
	table, _ := f.x.design.Table(step.Read.Table)
	inputs, err := sdk.Reads(step.Read, table, table.ID, []ap.Params{params})
	if err != nil || len(inputs) == 0 {
		return r
	}
	if query, is := inputs[0].(*dynamodb.QueryInput); is && step.Read.InspectBudget > 0 && query.Limit == nil {
		query.Limit = aws.Int32(step.Read.InspectBudget)
	}
	r.patterns = f.x.admits(f.by, inputs[0], string(readText(p, at, params)))
	switch inputs[0].(type) {
	case *dynamodb.BatchGetItemInput, *dynamodb.TransactGetItemsInput:
		r.patterns = []string{p.ID} // the guard does not tell the patterns of a batch
	}
	if slices.Contains(r.patterns, p.ID) {
		r.input = inputs[0]
	}
	return r
}

// choices are the values of the parameters of a read that are not given. Moments and what a closed list names have their usual
// value where there would be too many.
func (f *flows) choices(p *ap.Pattern, step *ap.Step, given ap.Params) []ap.Params {
	all := []ap.Params{maps.Clone(given)}
	forms := f.x.design.BoundForms(p, step.ForEach)
	for _, name := range slices.Sorted(slices.Values(step.Read.Parameters())) {
		if _, has := given[name]; has {
			continue
		}
		values := f.x.universe.of(name)
		for _, e := range f.x.design.ReturnedBy(step.Read) {
			if a, is := e.Attribute(name); is && len(a.Allowed) > 0 && !slices.Contains(values, a.Allowed[0]) {
				values = append(a.Allowed[:1:1], values...)
			}
		}
		fixed := f.fixedKind(name)
		if sort := step.Read.Sort; sort != nil { // a bound below all, and one above
			if slices.Contains([]expression.Operator{expression.GreaterOrEqual, expression.Greater, expression.Between}, sort.Operator) && slices.Contains(sort.Value.Template.Parameters(), name) {
				values, fixed = f.bound("0", values), false
			} else if before, last := strings.CutSuffix(string(sort.Value.Template), "{"+name+"}"); last && sort.Operator == expression.BeginsWith {
				for _, e := range f.x.design.ReturnedBy(step.Read) { // it begins what the key says there
					if key, has := e.Key(sort.Attribute); has {
						if rest, is := strings.CutPrefix(string(key.Template), before+"{"); is {
							parameter, _, _ := strings.Cut(rest, "}")
							values = append(f.x.universe.of(parameter)[:1:1], values...)
						}
					}
				}
			} else if sort.Operator != expression.Equal && sort.Operator != expression.BeginsWith {
				values, fixed = f.bound("z", values), false
			}
		}
		if formed := f.formed(forms, name); len(formed) > 0 {
			values = formed
		} else if fixed || len(all)*len(values) > maxReads {
			values = values[:1]
		}
		var next []ap.Params
		for _, params := range all {
			for _, value := range values {
				with := maps.Clone(params)
				with[name] = value
				next = append(next, with)
			}
		}
		all = next
	}
	return all
}

// bound are the values of a bound of a range: one beyond all values, and these.
func (f *flows) bound(beyond string, values []string) []string {
	if !f.still {
		return []string{beyond}
	}
	return append([]string{beyond}, values...)
}

// fixedKind reports whether a parameter is no id: a moment, a number, or of a closed list.
func (f *flows) fixedKind(name string) bool {
	kind := f.x.universe.kind(name)
	_, valued := f.x.universe.values[kind]
	return valued && kind != f.x.user
}

// formed are the texts that the forms of a parameter make of the values of theirs.
func (f *flows) formed(forms []map[string]ap.KeyTemplate, name string) (all []string) {
	for _, choice := range forms {
		if form, bound := choice[name]; bound {
			all = append(all, f.x.universe.formed(form)...)
		}
	}
	return lists.Sorted(all)
}

// repetitions are the parameters of a step's repetitions: of days the usual one, and none where they cannot be told.
func (f *flows) repetitions(step *ap.Step, params ap.Params, seen map[string][]ap.Item) []ap.Params {
	if each := step.ForEach; each != nil && each.From != "" {
		return []ap.Params{params.With(each.Parameter, f.x.universe.of(each.Parameter)[0])}
	}
	all, _ := step.Repetitions(params, seen)
	return all
}

// process is a client on its way through a flow; nil before and behind it.
type process struct {
	of     *flows
	p      *ap.Pattern
	at     int
	params ap.Params
	seen   map[string][]ap.Item
	// left are the writes of the step that are still to be sent: of each repetition those of which one is.
	left [][]*move
	// text tells it from others, once it is asked for.
	text []byte
}

// begun is a client before the first step of a flow.
func (f *flows) begun(p *ap.Pattern) *process {
	return &process{of: f, p: p, params: ap.Params{}, seen: map[string][]ap.Item{}}
}

// appendText appends what tells processes apart. Items of states that are equal are one.
func (pr *process) appendText(to []byte) []byte {
	if pr == nil {
		return append(to, 0)
	}
	if pr.text == nil {
		text := append(appendText(appendText(appendText(nil, pr.of.by.role), pr.of.by.user), pr.p.ID), byte(pr.at), byte(len(pr.left)))
		text = appendTexts(text, pr.params)
		for i := range pr.p.Steps {
			for _, item := range pr.seen[pr.p.Steps[i].Name] {
				text = binary.LittleEndian.AppendUint64(text, uint64(reflect.ValueOf(item).Pointer()))
			}
			text = append(text, 1)
		}
		pr.text = text
	}
	return append(to, pr.text...)
}

// turn is what a client does next: a write, or the reads of a step.
type turn struct {
	of    *flows
	then  *process
	write *move
	reads []*readRequest
}

// next are the turns that a process may take in a state.
func (pr *process) next(s state) (all []turn) {
	f, step := pr.of, &pr.p.Steps[pr.at]
	if step.Read != nil {
		return pr.look(s, step)
	}
	then := *pr
	then.text = nil
	if pr.left == nil {
		then.left = [][]*move{}
		for _, with := range f.repetitions(step, pr.params, pr.seen) {
			parts := map[int][]*move{}
			for _, w := range f.x.steps {
				if w.pattern.ID == pr.p.ID && w.at == pr.at {
					parts[w.part] = append(parts[w.part], f.fitting(w, step, with)...)
				}
			}
			for _, part := range slices.Sorted(maps.Keys(parts)) {
				if len(parts[part]) > 0 || !f.still || step.ForEach == nil {
					then.left = append(then.left, parts[part])
				}
			}
		}
	}
	if len(then.left) == 0 || !f.still && len(f.tied[(&patternStep{pattern: pr.p, at: pr.at, step: step}).String()]) == 0 { // nothing to send, or nothing that the search looks at
		return []turn{{of: f, then: then.behind()}}
	}
	for _, m := range then.left[0] {
		after := then
		if after.left = then.left[1:]; step.ForEach == nil {
			after.params = maps.Clone(then.params)
			maps.Copy(after.params, m.params)
		}
		next := &after
		if len(after.left) == 0 {
			next = after.behind()
		}
		all = append(all, turn{of: f, then: next, write: m})
	}
	if step.MayFail {
		all = append(all, turn{of: f, then: then.behind()})
	}
	return all
}

// behind is the process behind its step; nil where that was the last.
func (pr process) behind() *process {
	if pr.at, pr.left = pr.at+1, nil; pr.at == len(pr.p.Steps) {
		return nil
	}
	return &pr
}

// agree reports whether parameters that both name have one value.
func agree(a, b ap.Params) bool {
	for name, value := range b {
		if own, has := a[name]; has && own != value {
			return false
		}
	}
	return true
}

// fitting are the writes that a step sends with these parameters.
func (f *flows) fitting(w *patternStep, step *ap.Step, with ap.Params) (all []*move) {
	type named struct { // a key that the parameters make
		key        int32
		parameters []string
	}
	var keys []named
	for a := range lists.Each(step.Write) {
		key, n := ap.Item{}, named{}
		for _, part := range a.Key {
			value, err := part.Value.Resolve(with)
			if err != nil {
				break
			}
			key[part.Attribute], n.parameters = value, append(n.parameters, part.Value.Template.Parameters()...)
		}
		if len(key) > 0 && len(key) == len(a.Key) {
			n.key = f.x.keyOf(a.Table, key)
			keys = append(keys, n)
		}
	}
	for _, m := range f.tied[w.String()] {
		if m.step != w || !agree(m.params, with) {
			continue
		}
		if !slices.ContainsFunc(keys, func(n named) bool {
			return !slices.Contains(m.keys, n.key) && slices.ContainsFunc(n.parameters, func(p string) bool { _, has := m.params[p]; return !has })
		}) {
			all = append(all, m)
		}
	}
	return all
}

// look are the turns of a read step, with every value of what the client chooses.
func (pr *process) look(s state, step *ap.Step) (all []turn) {
	f := pr.of
	ask := func(params ap.Params, repetitions []ap.Params, chosen []*readRequest) {
		var reads []*readRequest
		var found []ap.Item
		for _, r := range chosen {
			if r.input != nil {
				reads, found = append(reads, r), append(found, f.returned(s, r)...)
			}
		}
		then := *pr
		then.text, then.params, then.seen = nil, params, maps.Clone(pr.seen)
		then.seen[step.Name] = found
		next := then.behind()
		if ends, err := step.Ends(repetitions, len(found)); ends || err != nil || step.ForEach == nil && len(reads) == 0 {
			next = nil
		}
		all = append(all, turn{of: f, then: next, reads: reads})
	}
	if step.ForEach == nil {
		for _, one := range f.requests(pr.p, pr.at, pr.params) {
			ask(one.params, []ap.Params{one.params}, []*readRequest{one})
		}
		return all
	}
	repetitions := f.repetitions(step, pr.params, pr.seen)
	chosen := slices.Concat(lists.Map(repetitions, func(with ap.Params) []*readRequest { return f.requests(pr.p, pr.at, with) })...)
	ask(pr.params, repetitions, chosen)
	return all
}

// course is how far two clients have come, each through a flow.
type course struct {
	clients [2]*process
	ended   [2]bool
	state   state
	// raced says that one of them has begun before the other one ended, wrote whose writes the formula reads.
	raced  bool
	parent int
	// by is the client whose turn led here, the first or the second.
	by   int
	turn *turn
}

// maxCourses bounds how far the search through two flows goes, for each law.
const maxCourses = 400_000

const cutCourses = "flows of two clients"

// outcome is what the flow of a pattern does to a law that its single requests break.
type outcome struct {
	// wrote are the clients of which a write was carried out that changes what the formula reads.
	wrote map[client]bool
	// alone is how it breaks the law with one client at a time, raced with two that are interleaved.
	alone, raced *Counterexample
}

// interleave goes through the flows of two clients in every order of their requests.
func (s *search) interleave(of [2]*ap.Pattern, starts []state, known map[[sha256.Size]byte]bool, report *Law, found map[string]*outcome) {
	var all []course
	add := func(c course) {
		if c.ended[0] && found[of[1].ID] == nil || c.ended[0] && c.ended[1] {
			return // nothing that is asked comes behind it
		}
		at := c.state.mark()
		text := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, at[0]), at[1])
		for i, client := range c.clients {
			text = append(client.appendText(text), fmt.Sprint(c.ended[i], c.raced)...)
			if client == nil && !c.ended[i] {
				text = appendText(text, of[i].ID)
			}
		}
		if sum := sha256.Sum256(text); !known[sum] { // the texts themselves took most of the memory
			known[sum] = true
			all = append(all, c)
		}
	}
	for _, start := range starts {
		add(course{state: start, parent: -1})
	}
	var begun [2][]*process
	for i, p := range of {
		begun[i] = lists.Map(s.flowsOf(p), func(f *flows) *process { return f.begun(p) })
	}
	type at struct {
		process *process
		state   mark
	}
	turns := map[at][]turn{} // whatever the other client did to get there
	next := func(pr *process, now state) []turn {
		return lists.Once(turns, at{pr, now.mark()}, func() []turn { return pr.next(now) })
	}
	for n := 0; n < len(all) && found[of[0].ID].alone == nil; n++ {
		if s.courses++; s.courses > maxCourses {
			s.cutFlows = true
			if !slices.Contains(report.Cut, cutCourses) {
				report.Cut = append(report.Cut, cutCourses)
			}
			return
		}
		for i := range of {
			c := all[n]
			if c.ended[i] || i == 1 && c.clients[0] == nil && !c.ended[0] && of[0] == of[1] {
				continue
			}
			now := []*process{c.clients[i]}
			if c.clients[i] == nil {
				now = begun[i]
			}
			for _, pr := range now {
				turns := next(pr, c.state)
				for t := range lists.Each(turns) {
					after := c
					after.clients[i], after.ended[i], after.parent, after.by, after.turn = t.then, t.then == nil, n, i, t
					after.raced = c.raced || c.clients[1-i] != nil
					if after.raced && racedBoth(of, found) {
						continue
					}
					if t.write == nil {
						add(after)
						continue
					}
					state, done := s.x.apply(c.state, t.write)
					if !done {
						continue
					}
					s.edges++
					was, is := s.readsOf(c.state), s.readsOf(state)
					changes := was != is
					outcome := found[of[i].ID]
					if changes && outcome != nil {
						outcome.wrote[t.write.client] = true
					}
					if changes && !s.judge(s.asks(was, is, s.number(t.write.client)), c.state, state) {
						if outcome != nil {
							outcome.note(s.counter(of, all, after), after.raced)
						}
						continue
					}
					if after.state = state; s.valid(t.write, state) {
						add(after)
					}
				}
			}
		}
	}
}

// racedBoth reports whether it is known of both patterns that two clients break the law, so that no more of them is tried.
func racedBoth(of [2]*ap.Pattern, found map[string]*outcome) bool {
	return !slices.ContainsFunc(of[:], func(p *ap.Pattern) bool { return found[p.ID] != nil && found[p.ID].raced == nil })
}

// valid reports whether a move leaves valid items; what is wrong with others is told apart.
func (s *search) valid(m *move, after state) bool {
	return !slices.ContainsFunc(m.keys, func(key int32) bool {
		item := after.at(key)
		return item != none && !s.x.items[item].valid
	})
}

// note keeps the first way in which a flow breaks a law.
func (o *outcome) note(c Counterexample, raced bool) {
	if raced && o.raced == nil {
		o.raced = &c
	} else if !raced && o.alone == nil {
		o.alone = &c
	}
}

// counter writes the requests of two clients down.
func (s *search) counter(of [2]*ap.Pattern, all []course, last course) Counterexample {
	var requests []Request
	for c := last; ; c = all[c.parent] {
		by := fmt.Sprintf("%s %d", cmp.Or(c.turn.of.by.role, "client"), c.by+1)
		sent := lists.Map(c.turn.reads, func(r *readRequest) Request { return sends(by, r.input, []string{of[c.by].ID}) })
		if m := c.turn.write; m != nil {
			sent = append(sent, sends(by, m.input, m.patterns))
		}
		if requests = append(sent, requests...); all[c.parent].parent < 0 {
			made := s.x.counterexample([]string{of[last.by].ID}, nil, all[c.parent].state, "")
			made.Requests = requests
			return made
		}
	}
}

// flowsOf are the flows of the clients of a pattern.
func (s *search) flowsOf(p *ap.Pattern) (all []*flows) {
	for _, by := range s.x.clients(s.law, p) {
		if f := s.flows[by]; f != nil {
			all = append(all, f)
		}
	}
	return all
}

// byFlows tells of the patterns whose single requests break the law what clients do that follow their flows: two at a time, of which
// the other goes through any flow that keeps the law.
func (s *search) byFlows(report *Law, c *cone, starts []state, all []broken) {
	found := map[string]*outcome{}
	var of, others []*ap.Pattern
	for _, w := range c.steps {
		p := w.pattern
		if slices.Contains(others, p) {
			continue
		}
		if several := len(p.Steps) > 1 && c.core[w]; s.aside[p.ID] && several {
			found[p.ID], of = &outcome{wrote: map[client]bool{}}, append(of, p)
		} else if s.aside[p.ID] {
			continue
		}
		others = append(others, p)
	}
	for _, p := range of {
		known := map[[sha256.Size]byte]bool{}
		from := s.flowStarts(p, c, s.brokenIn(p, all, starts))
		for _, other := range append([]*ap.Pattern{p}, others...) {
			s.interleave([2]*ap.Pattern{p, other}, from, known, report, found)
		}
		report.Courses = s.courses
		report.tell(p.ID, found[p.ID], len(found[p.ID].wrote) == len(s.flowsOf(p)) && !s.cutFlows)
	}
}

// tell moves the patterns whose flows keep the law behind a report's list of those whose requests break it.
func (l *Law) tell(p string, o *outcome, complete bool) {
	if o.alone != nil || !complete {
		return
	}
	for one := range lists.Each(l.Broken) {
		if !slices.Contains(one.Patterns, p) {
			continue
		}
		if o.raced != nil {
			l.Alone = append(l.Alone, *o.raced)
			return
		}
		flow := *one
		flow.Patterns = []string{p}
		l.ByFlow = append(l.ByFlow, flow)
		one.Patterns = slices.DeleteFunc(slices.Clone(one.Patterns), func(other string) bool { return other == p })
	}
	l.Broken = slices.DeleteFunc(l.Broken, func(one Counterexample) bool { return len(one.Patterns) == 0 })
}

// brokenIn are the states in which a single request of a pattern broke the law, before some others.
func (s *search) brokenIn(p *ap.Pattern, all []broken, others []state) (states []state) {
	for _, one := range all {
		if !slices.Contains(one.patterns, p.ID) {
			continue
		}
		state := one.start
		for _, m := range one.trace[:len(one.trace)-1] {
			state, _ = s.x.apply(state, m)
		}
		states = append(states, state)
	}
	return append(states, others...)
}

// maxReady bounds the states that lead to requests of one step of a flow.
const maxReady = 16

// flowStarts are states with an item of each entity too that a flow reads and no formula asks for, and those in which what it reads
// first leads to requests of each of its steps.
func (s *search) flowStarts(p *ap.Pattern, c *cone, starts []state) (all []state) {
	x := s.x
	for _, start := range starts {
		with := slices.Clone(start)
		for i := range p.Steps {
			if p.Steps[i].Read == nil {
				continue
			}
			for _, e := range x.design.ReturnedBy(p.Steps[i].Read) {
				if !c.holds(e.ID) {
					with = x.have(with, e, 0, nil, nil)
				}
			}
		}
		all = append(all, with)
	}
	base := all[min(1, len(all)-1)]
	for _, f := range s.flowsOf(p) {
		for _, w := range x.steps {
			if w.pattern.ID != p.ID {
				continue
			}
			ready := map[mark]bool{}
			for _, m := range f.tied[w.String()] {
				if m.step != w || len(ready) == maxReady {
					continue
				}
				state := x.bound(m, x.readyFor(m, base, nil))
				if at := state.mark(); !ready[at] && (s.law.Keeps || s.holds(nil, state, client{})) {
					ready[at] = true
					all = append(all, state)
				}
			}
		}
	}
	return all
}

// bound is a state with the items from which a move's step takes the values of its parameters.
func (x *explorer) bound(m *move, with state) state {
	w := m.step
	with = slices.Clone(with)
	for each := w.step.ForEach; each != nil && each.Step != ""; each = each.And {
		source, _ := w.pattern.Step(each.Step)
		for _, e := range x.design.ReturnedBy(source.Read) {
			attributes := map[string]types.AttributeValue{}
			for _, bind := range each.Bind {
				if a, is := e.Attribute(bind.Attribute); is && m.params[bind.Parameter] != "" {
					attributes[a.Name] = dynamo.Scalar(a.Type, m.params[bind.Parameter])
				}
			}
			if len(attributes) > 0 {
				with = x.have(with, e, 0, m.params, attributes)
			}
		}
	}
	return with
}
