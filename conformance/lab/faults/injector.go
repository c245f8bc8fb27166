package faults

import (
	"math/rand/v2"
	"slices"
	"sync"

	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
)

// injector strikes at the requests of one claim, by a seed.
type injector struct {
	kinds []Kind
	claim string
	// oneIn is how rarely a request is struck: one in so many.
	oneIn int
	// most bounds the strikes, so that a client with its usual patience gets
	// through sometimes.
	most int
	kill func()

	mu     sync.Mutex
	random *rand.Rand
	struck map[Kind]int
	total  int
	killed bool
}

// An access pattern sends a few requests, and one in four is struck. An invariant
// sends dozens or hundreds, and with one in four the strikes would all fall on the
// first of them.
const oftenOneIn = 4

var rarelyOneIn = []int{oftenOneIn, 16, 64}

func newInjector(seed uint64, claim string, kinds []Kind, oneIn, most int, kill func()) *injector {
	return &injector{
		kinds: kinds, claim: claim, oneIn: oneIn, most: most, kill: kill,
		random: rand.New(rand.NewPCG(seed, 0x6661756c7473)), struck: map[Kind]int{},
	}
}

// fault implements [wire.Fault]. Requests of no claim, which load and restore, are
// left alone: they prepare the run.
func (i *injector) fault(entry wire.Entry) *wire.FaultResponse {
	if entry.Claim != i.claim {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.total >= i.most || i.random.IntN(i.rarity(entry)) != 0 {
		return nil
	}
	for _, kind := range i.order() {
		if kind == EngineKilled {
			if i.killed {
				continue
			}
			i.killed = true
			i.strikes(kind)
			i.kill()
			return nil
		}
		if response := kind.strike(entry, i.random); response != nil {
			i.strikes(kind)
			return response
		}
	}
	return nil
}

// rarity is how rarely a request is struck. Few claims send batches, so theirs are
// struck whenever they come.
func (i *injector) rarity(entry wire.Entry) int {
	if entry.Operation == "BatchWriteItem" {
		return 1
	}
	return i.oneIn
}

// order is the order in which kinds try to strike a request; the first that can
// does. Half of the time those that few requests or few runs know go first, else
// a batch that is left in part unprocessed would hardly ever come up.
func (i *injector) order() []Kind {
	order := slices.Clone(i.kinds)
	i.random.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	if i.random.IntN(2) == 0 {
		slices.SortStableFunc(order, func(a, b Kind) int { return rank(a) - rank(b) })
	}
	return order
}

// rank is 0 for kinds that few requests or few runs know.
func rank(kind Kind) int {
	if slices.Contains([]Kind{ShortPage, Unprocessed, Conflict, StaleIndex, EngineKilled}, kind) {
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
func replayed(spec suite.Spec) bool {
	switch spec.Claim.Kind {
	case "pattern", "invariant":
		return true
	}
	return false
}
