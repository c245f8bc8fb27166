package flow

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
)

// Turn says when an execution of a race may begin to write.
type Turn int

// The turns of an execution.
const (
	// AtOnce is whenever the execution comes to its first write.
	AtOnce Turn = iota
	// WhenAllRead is after every execution of the race has come to its own first write,
	// so that all rest on the state before the race.
	WhenAllRead
	// AfterWriters releases an execution once every execution with the turn WhenAllRead has
	// ended, so that what this execution has read is stale.
	AfterWriters
)

// Request is a request that a racing client is about to send.
type Request struct {
	// Client and Execution are numbers from 0.
	Client, Execution int
	// Operation is the API operation, and Place what it reads or writes, in words.
	Operation, Place string
	// Refused is what the execution was answered that ended with this request; empty
	// where it went on, or ended as it should.
	Refused string

	writes bool
	// items are the items that the request reads or writes, by table and key; an
	// empty key stands for the whole table.
	items []item
}

type item struct{ table, key string }

// commutes reports whether two requests come to the same in either order: none
// writes an item that the other reads or writes.
func (a *Request) commutes(b *Request) bool {
	if !a.writes && !b.writes {
		return true
	}
	for _, one := range a.items {
		for _, other := range b.items {
			if one.table == other.table && (one.key == other.key || one.key == "" || other.key == "") {
				return false
			}
		}
	}
	return true
}

// Order decides which of several clients sends its request next: it returns the index of the chosen one of the requests that wait, in the
// order of their clients. There is at least one.
type Order func(waiting []*Request) int

// BySeed is the order that a seed decides: the same one each time.
func BySeed(seed uint64) Order {
	random := rand.New(rand.NewPCG(seed, 0))
	return func(waiting []*Request) int { return random.IntN(len(waiting)) }
}

// scheduler lets one client of a race send at a time, in an order that does not
// depend on the clients' speed: it chooses when every client waits or has ended.
type scheduler struct {
	order  Order
	events chan event
	// turns are those of the executions, by number; those that have come to a write or
	// ended are no longer reading.
	turns   []Turn
	reading map[int]bool
	writing map[int]bool // with the turn WhenAllRead, and not ended
	sent    []*Request
}

// event is what a client tells the scheduler: a request that waits, the end of an
// execution, or its own end.
type event struct {
	client  int
	request *Request
	granted chan struct{}
	ended   int // the execution that ended, where request is nil; -1 where the client has
	outcome string
}

func newScheduler(order Order, executions []Execution) *scheduler {
	s := &scheduler{order: order, events: make(chan event), reading: map[int]bool{}, writing: map[int]bool{}}
	for i, execution := range executions {
		s.turns = append(s.turns, execution.Turn)
		s.reading[i] = true
		if execution.Turn == WhenAllRead {
			s.writing[i] = true
		}
	}
	return s
}

// send waits until the request is the next one.
func (s *scheduler) send(ctx context.Context, request *Request) error {
	granted := make(chan struct{}, 1)
	s.events <- event{client: request.Client, request: request, granted: granted}
	select {
	case <-granted:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// executionEnded says that an execution is over, with what it was answered last.
func (s *scheduler) executionEnded(client, execution int, outcome string) {
	s.events <- event{client: client, ended: execution, outcome: outcome}
}

// clientEnded says that a client has no execution left.
func (s *scheduler) clientEnded(client int) { s.events <- event{client: client, ended: -1} }

// schedule grants requests until all clients have ended.
func (s *scheduler) schedule(clients int) {
	waiting := map[int]event{}
	last := map[int]*Request{} // of each execution
	busy := clients
	for alive := clients; alive > 0; {
		if busy == 0 {
			chosen := s.choose(waiting)
			delete(waiting, chosen.client)
			s.sent = append(s.sent, chosen.request)
			last[chosen.request.Execution] = chosen.request
			busy++
			chosen.granted <- struct{}{}
		}
		switch told := <-s.events; {
		case told.request != nil:
			if told.request.writes {
				delete(s.reading, told.request.Execution)
			}
			waiting[told.client] = told
			busy--
		case told.ended >= 0:
			if _, waits := waiting[told.client]; waits { // its context ended first
				delete(waiting, told.client)
				busy++
			}
			delete(s.reading, told.ended)
			delete(s.writing, told.ended)
			if request := last[told.ended]; request != nil {
				request.Refused = told.outcome
			}
		default:
			alive--
			busy--
		}
	}
}

// choose takes one of the requests that wait, of those whose turn it is.
func (s *scheduler) choose(waiting map[int]event) event {
	var clients []int
	var requests []*Request
	for _, client := range slices.Sorted(maps.Keys(waiting)) {
		if request := waiting[client].request; !request.writes || s.mayWrite(request.Execution) {
			clients, requests = append(clients, client), append(requests, request)
		}
	}
	return waiting[clients[s.order(requests)]]
}

// mayWrite reports whether an execution's turn to write has come. An execution that waits for
// others waits for such that read, or write, and so do not wait themselves.
func (s *scheduler) mayWrite(execution int) bool {
	switch s.turns[execution] {
	case WhenAllRead:
		return len(s.reading) == 0
	case AfterWriters:
		return len(s.reading) == 0 && len(s.writing) == 0
	}
	return true
}

// describe says what a request reads or writes.
func (r *Runner) describe(input any) *Request {
	operation := sdk.Operation(input)
	if lookups, _ := sdk.Lookups(input); len(lookups) == 1 && string(lookups[0].Operation) == operation {
		read := &lookups[0]
		if read.Key == nil {
			return &Request{Operation: operation, Place: read.Table, items: []item{{table: read.Table}}}
		}
		key, shown := r.keyOf(read.Table, read.Key)
		return &Request{Operation: operation, Place: shown, items: []item{{read.Table, key}}}
	}
	request := &Request{writes: true, Operation: operation}
	writes, err := sdk.Writes(input)
	if err != nil || len(writes) == 0 { // the engine will say so
		return request
	}
	var places []string
	for i := range writes {
		key, shown := r.keyOf(writes[i].Table, writes[i].Place())
		request.items = append(request.items, item{writes[i].Table, key})
		places = append(places, strings.ToLower(string(writes[i].Kind))+" "+shown)
	}
	request.Place = strings.Join(places, ", ")
	return request
}

// keyOf is an item's primary key as [evaluate.KeyText] tells it apart, and as it is shown: "USER#1 / META".
func (r *Runner) keyOf(deployed string, of accesspatterns.Item) (key, shown string) {
	for table := range lists.Each(r.Design.Tables) {
		if name, err := r.TableName(table.ID); err != nil || name != deployed {
			continue
		}
		parts := lists.Map(table.Keys(), func(key accesspatterns.Key) string { return dynamo.ScalarText(of[key.Attribute]) })
		return evaluate.KeyText(table, of), strings.Join(parts, " / ")
	}
	return "", ""
}
