package wire

import (
	"sync/atomic"
	"time"
)

// witness keeps a ledger of what passes it.
type witness struct {
	ledger *Ledger
	keep   atomic.Pointer[Keep]
	// maxBody is the longest body that the ledger keeps, in bytes; dropResponses leaves those of answers out.
	maxBody       int
	dropResponses bool
}

// Ledger returns the record of what has passed. It stays readable after Close.
func (w *witness) Ledger() *Ledger { return w.ledger }

// Keep returns the body of an answer as a ledger may keep it. What it is given is
// shared and must not be changed.
type Keep func(operation string, request, response []byte) []byte

// SetKeep decides what the ledger keeps of answers from now on: on tables that hold
// items of others, not those items. The client gets every answer as it came. Nil keeps
// answers as they are.
func (w *witness) SetKeep(keep Keep) { w.keep.Store(&keep) }

// record bounds what an entry keeps and puts it into the ledger.
func (w *witness) record(entry *Entry) {
	entry.Duration = time.Since(entry.Started)
	entry.bound(w.maxBody, w.dropResponses)
	if keep := w.keep.Load(); keep != nil && *keep != nil && len(entry.Response) > 0 {
		entry.Response = (*keep)(entry.Operation, entry.Request, entry.Response)
	}
	w.ledger.add(entry)
}
