package accesspatterns

import "dynaproof/accesspatterns/internal/place"

// Law is a promise about all states of the tables, or about all changes of them, as a formula. It is
// explored: every documented write with the values of a small universe is tried against it.
type Law struct {
	// Text is the formula.
	Text string
	// Keeps says that the formula speaks of the items before a request and after it; otherwise it speaks of
	// the items of one state.
	Keeps bool
	// Read compiles the formula and says what it reads: reads are the attributes by entity, sorted, and parameters
	// of keys behind "key."; constants are the values, as text, that it compares attributes with, by
	// "entity.attribute"; acts says that it asks who acts, the role or the user.
	Read func() (reads, constants map[string][]string, acts bool, err error) `json:"-"`
	// See is an item of an entity as the formula sees it: what Read says of it, and the parameters of its keys.
	See func(entity string, item Item) any `json:"-"`
	// Holds decides the formula. The items are those that See returned, by entity; before is nil for a
	// formula of one state.
	Holds func(before, after map[string][]any, role, user string) (bool, error) `json:"-"`
	// Broken names the patterns that do not keep the law, and Finding the finding that says so. Every other
	// write of the contract keeps it.
	Broken  []string
	Finding string
	// ByFlow are patterns of which a single request breaks the law, and a client that goes through the flow keeps it, whatever
	// another client does between its requests. Alone are those of Broken of which it does while no other client sends any.
	ByFlow, Alone []string `json:",omitempty"`
	// Written is where a contract says so, for messages.
	Written place.At `json:"-"`
}

// Formula is a promise about all states or all changes as the contract writes it, which exploration tries.
type Formula struct {
	// A CEL expression that must be true of every state. items.NAME are the items of entity NAME, with _ for -; each has its attributes, and key with the parameters of its keys.
	Holds string `yaml:"holds"`
	// A CEL expression that must be true of every change: before and after are the items as holds has them, role and user are who acts.
	Keeps string `yaml:"keeps"`
	// Patterns that break the law, and the finding that says so.
	NotKept *Breach `yaml:"not-kept"`
	// Patterns of which a single request breaks the law; sent one after the other, with what was read before, none does, whatever another client sends between them.
	KeptByFlow []string `yaml:"kept-by-flow,words"`
	// Those of not-kept of which the requests, sent one after the other with what was read before, keep the law while no other client sends any.
	KeptByOneClient []string `yaml:"kept-by-one-client,words"`
}

// Says is what exploration adds to the title of a claim that has the law: who keeps it and at which level, or who does not. It is
// empty without a law.
func (l *Law) Says() (text string) {
	if l == nil {
		return ""
	}
	if len(l.Broken)+len(l.ByFlow) == 0 {
		return "; every documented write that was explored keeps it"
	}
	if len(l.ByFlow) > 0 {
		text = "; of " + some(l.ByFlow) + " while each request is sent with what the ones before it returned, clients interleaved"
	}
	if len(l.Broken) > 0 {
		text += "; " + some(l.Broken) + map[bool]string{true: " does", false: " do"}[len(l.Broken) == 1] + " not keep it (finding " + l.Finding + ")"
	}
	if len(l.Alone) > 0 {
		text += "; one client at a time that goes through " + some(l.Alone) + " keeps it"
	}
	return text
}
