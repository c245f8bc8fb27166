package wire

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Sequence numbers the entries of several ledgers through, so that [Merge] can put them together. The zero value is ready.
type Sequence struct{ last atomic.Int64 }

// Ledger is the ordered record of what passed a proxy. It is safe for concurrent use, and an entry is in it before the
// client gets the answer: a client that has its answer finds its own request here.
type Ledger struct {
	mutex        sync.RWMutex
	sequence     *Sequence
	entries      []*Entry
	byInvocation map[string][]*Entry
}

// newLedger returns an empty ledger. A nil sequence numbers its entries from 1.
func newLedger(sequence *Sequence) *Ledger {
	if sequence == nil {
		sequence = &Sequence{}
	}
	return &Ledger{sequence: sequence, byInvocation: make(map[string][]*Entry)}
}

// LedgerOf returns a ledger of these entries, which it numbers from 1.
func LedgerOf(entries ...Entry) *Ledger {
	l := newLedger(nil)
	for i := range entries {
		l.Add(&entries[i])
	}
	return l
}

// Add numbers an entry and appends it. The ledger owns it from then on.
func (l *Ledger) Add(entry *Entry) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	entry.Seq = int(l.sequence.last.Add(1))
	l.entries = append(l.entries, entry)
	if entry.InvocationID != "" {
		l.byInvocation[entry.InvocationID] = append(l.byInvocation[entry.InvocationID], entry)
	}
}

// Len returns the number of entries. It is also the mark of this moment: Entries(mark) returns what came after.
func (l *Ledger) Len() int {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	return len(l.entries)
}

// Entries returns the entries after the first since, in order; Entries(0) returns all.
func (l *Ledger) Entries(since int) []Entry {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	since = min(max(since, 0), len(l.entries))
	return values(l.entries[since:])
}

// Find returns the entries of an SDK call by its invocation id, one for each attempt that reached the proxy, in order.
func (l *Ledger) Find(invocationID string) []Entry {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	return values(l.byInvocation[invocationID])
}

// Merge returns the entries of ledgers that share a [Sequence] as one record, in order.
func Merge(ledgers ...*Ledger) []Entry {
	var entries []*Entry
	for _, ledger := range ledgers {
		ledger.mutex.RLock()
		entries = append(entries, ledger.entries...)
		ledger.mutex.RUnlock()
	}
	slices.SortFunc(entries, func(a, b *Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	return values(entries)
}

// values copies entries out of the ledger.
func values(entries []*Entry) []Entry {
	copied := make([]Entry, len(entries))
	for i, entry := range entries {
		copied[i] = *entry
	}
	return copied
}

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

// record puts an entry into the ledger, without bodies that are longer than that keeps.
func (w *witness) record(entry *Entry) {
	entry.Duration = time.Since(entry.Started)
	if entry.RequestBytes > w.maxBody {
		entry.Request, entry.Truncated = nil, true
	}
	if w.dropResponses {
		entry.Response = nil
	} else if entry.ResponseBytes > w.maxBody {
		entry.Response, entry.Truncated = nil, true
	}
	if keep := w.keep.Load(); keep != nil && *keep != nil && len(entry.Response) > 0 {
		entry.Response = (*keep)(entry.Operation, entry.Request, entry.Response)
	}
	w.ledger.Add(entry)
}
