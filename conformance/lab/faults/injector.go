package faults

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/internal/wire"
)

// injector strikes at the requests of one claim, by a seed.
type injector struct {
	kinds []Kind
	claim string
	// oneIn is how rarely a request is struck: one in so many. A batch is struck whenever it comes.
	oneIn int
	// most bounds the strikes, so that a client with its usual patience gets
	// through sometimes.
	most int
	// ends are what the kinds do after which the engine is dead or another one.
	ends map[Kind]func()
	// extra is the item that must not be there, if one was added.
	extra *added

	mu     sync.Mutex
	random *rand.Rand
	struck map[Kind]int
	total  int
	ended  bool
	// denied is the operation that is denied from its first strike on; hidden counts
	// the answers from which the extra item was left out.
	denied string
	hidden int
}

// An access pattern sends a few requests, and one in four is struck. An invariant
// sends dozens or hundreds, and with one in four the strikes would all fall on the
// first of them.
const oftenOneIn = 4

var rarelyOneIn = []int{oftenOneIn, 16, 64}

func newInjector(seed uint64, claim string, kinds []Kind, oneIn, most int, ends map[Kind]func()) *injector {
	return &injector{
		kinds: kinds, claim: claim, oneIn: oneIn, most: most, ends: ends,
		random: rand.New(rand.NewPCG(seed, 0x6661756c7473)), struck: map[Kind]int{},
	}
}

// fault implements [wire.Fault]. Requests of no claim, which load and restore, are
// left alone: they prepare the run.
func (i *injector) fault(entry wire.Entry) *wire.FaultResponse {
	if entry.Claim != i.claim && !strings.HasPrefix(entry.Claim, i.claim+",") { // with the looks at what it left
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.denied != "" && entry.Operation == i.denied {
		i.strikes(AccessDenied)
		return AccessDenied.strike(entry, i.random)
	}
	if i.extra != nil && entry.Operation == "Query" && entry.Index == i.extra.index && i.hidden < i.extra.hidden {
		i.hidden++
		i.strikes(LateExtra)
		return &wire.FaultResponse{Name: string(LateExtra), Forward: true, Amend: amendItems(func(items []json.RawMessage) []json.RawMessage {
			return slices.DeleteFunc(slices.Clone(items), i.extra.is)
		})}
	}
	oneIn := i.oneIn
	if entry.Operation == "BatchWriteItem" {
		oneIn = 1 // few claims send batches
	}
	if i.total >= i.most || i.random.IntN(oneIn) != 0 {
		return nil
	}
	for _, kind := range i.order(entry) {
		if end := i.ends[kind]; end != nil && !i.ended {
			i.ended = true
			i.strikes(kind)
			end()
			return nil
		}
		if kind == AccessDenied && i.denied != "" {
			continue // of one operation
		}
		if response := kind.strike(entry, i.random); response != nil {
			i.strikes(kind)
			if kind == AccessDenied {
				i.denied = entry.Operation
			}
			return response
		}
	}
	return nil
}

// order is the order in which kinds try to strike a request; the first that can
// does. Half of the time those that few requests or few runs know go first, else
// one that only batches know comes before those, because it would hardly ever come up.
func (i *injector) order(entry wire.Entry) []Kind {
	order := slices.Clone(i.kinds)
	i.random.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	if i.random.IntN(2) == 0 {
		slices.SortStableFunc(order, func(a, b Kind) int { return rank(a, entry) - rank(b, entry) })
	}
	return order
}

// rank is 0 for kinds that few requests or few runs know, and below for what a batch
// alone does.
func rank(kind Kind, entry wire.Entry) int {
	if kind == Unprocessed && entry.Operation == "BatchWriteItem" {
		return -1
	}
	if slices.Contains([]Kind{ShortPage, Unprocessed, Conflict, StaleIndex, EngineExchanged, EngineKilled}, kind) {
		return 0
	}
	return 1
}

func (i *injector) strikes(kind Kind) {
	i.struck[kind]++
	i.total++
}

// counts returns how often each kind struck.
func (i *injector) counts() map[Kind]int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.struck
}

// replayed are the kinds of claims that a run may replay: those that send
// requests of their own.
func replayed(claim manifest.Claim) bool {
	return claim.Kind == manifest.KindPattern || claim.Kind == manifest.KindInvariant
}
