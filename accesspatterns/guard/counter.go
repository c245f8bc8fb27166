package guard

import (
	"encoding/json"
	"maps"
	"sync"
)

// Counter counts calls that were refused, or that would have been in Observe
// mode, by rule. The zero value is ready; several guards may share one. It is an
// expvar.Var: expvar.Publish("dynamodb-guard", counter) serves it.
type Counter struct {
	mu     sync.Mutex
	counts map[Rule]uint64
}

func (c *Counter) add(rule Rule) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[Rule]uint64{}
	}
	c.counts[rule]++
}

// Of returns the number of calls that broke the rule.
func (c *Counter) Of(rule Rule) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[rule]
}

// String writes the counts as a JSON object.
func (c *Counter) String() string {
	c.mu.Lock()
	counts := maps.Clone(c.counts)
	c.mu.Unlock()
	if counts == nil {
		return "{}"
	}
	text, err := json.Marshal(counts)
	if err != nil {
		return "{}" // a map of strings to integers always marshals
	}
	return string(text)
}
