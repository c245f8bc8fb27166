package faults

import (
	"math/rand/v2"
	"sync"

	"dynaproof/conformance/suite"
	"dynaproof/conformance/wire"
)

// injector strikes at the requests of one claim, by a seed.
type injector struct {
	kinds []Kind
	claim string
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

// oneIn is how rarely a request is struck: one in so many.
const oneIn = 4

func newInjector(seed uint64, claim string, kinds []Kind, most int, kill func()) *injector {
	return &injector{
		kinds: kinds, claim: claim, most: most, kill: kill,
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
	if i.total >= i.most || i.random.IntN(oneIn) != 0 {
		return nil
	}
	kind := i.kinds[i.random.IntN(len(i.kinds))]
	if kind == EngineKilled {
		if !i.killed {
			i.killed = true
			i.strikes(kind)
			i.kill()
		}
		return nil
	}
	response := kind.strike(entry, i.random)
	if response != nil {
		i.strikes(kind)
	}
	return response
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
