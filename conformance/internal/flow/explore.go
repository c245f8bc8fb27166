package flow

import (
	"fmt"
	"slices"
	"strings"

	"dynaproof/accesspatterns/lists"
)

// Explorer goes through the orders in which the requests of racing clients can
// reach the service, one race after the other. Of orders that come to the same,
// because they differ only in requests that touch no item in common or only read,
// it tries one.
type Explorer struct {
	path  []decision
	depth int
	// Redundant says that the race just run came to the same as an earlier one.
	Redundant bool
	// Err says why the orders cannot be gone through: a flow whose requests are not decided by what it was answered.
	Err error
}

// decision is one choice between clients on the way to the present order.
type decision struct {
	waiting []*Request // by client
	chosen  int        // index into waiting
	// asleep are clients whose request was sent first in orders that were tried
	// already, and that have met nothing since that does not commute with it.
	asleep []*Request
	tried  []*Request
}

// Next is the [Order] of the present race.
func (e *Explorer) Next(waiting []*Request) int {
	e.depth++
	if e.depth <= len(e.path) {
		known := &e.path[e.depth-1]
		if !slices.EqualFunc(known.waiting, waiting, func(a, b *Request) bool {
			return a.Client == b.Client && a.Operation == b.Operation && a.Place == b.Place
		}) {
			e.Err = fmt.Errorf("the same answers led to other requests: %s in place of %s", show(waiting), show(known.waiting))
			return 0
		}
		return known.chosen
	}
	d := decision{waiting: waiting, asleep: e.asleepAfter()}
	d.chosen = d.awake()
	if d.chosen < 0 {
		e.Redundant = true
		d.chosen = 0
	}
	e.path = append(e.path, d)
	return d.chosen
}

// asleepAfter returns the requests that sleep on behind the last choice.
func (e *Explorer) asleepAfter() []*Request {
	if len(e.path) == 0 {
		return nil
	}
	last := &e.path[len(e.path)-1]
	return slices.DeleteFunc(slices.Concat(last.asleep, last.tried), func(request *Request) bool {
		return !request.commutes(last.waiting[last.chosen])
	})
}

// awake returns the first request that is neither asleep nor tried, or -1.
func (d *decision) awake() int {
	return slices.IndexFunc(d.waiting, func(r *Request) bool {
		same := func(other *Request) bool { return other.Client == r.Client }
		return !slices.ContainsFunc(d.asleep, same) && !slices.ContainsFunc(d.tried, same)
	})
}

// Advance moves on to the next order, and reports whether there is one. It is
// called after each race.
func (e *Explorer) Advance() bool {
	e.depth, e.Redundant = 0, false
	for len(e.path) > 0 {
		last := &e.path[len(e.path)-1]
		last.tried = append(last.tried, last.waiting[last.chosen])
		if at := last.awake(); at >= 0 {
			last.chosen = at
			return true
		}
		e.path = e.path[:len(e.path)-1]
	}
	return false
}

func show(waiting []*Request) string {
	texts := lists.Map(waiting, func(request *Request) string {
		return fmt.Sprintf("%s %s of client %d", request.Operation, request.Place, request.Client+1)
	})
	return strings.Join(texts, " and ")
}
