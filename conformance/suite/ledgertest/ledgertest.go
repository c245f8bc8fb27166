// Package ledgertest has a ledger of written entries, for tests of the suite.
package ledgertest

import (
	"slices"

	"dynaproof/conformance/internal/wire"
)

// Entries is a ledger that holds these entries.
type Entries []wire.Entry

// Len is the number of entries.
func (e Entries) Len() int { return len(e) }

// Entries returns the entries after the first n.
func (e Entries) Entries(n int) []wire.Entry { return e[n:] }

// Find returns the entries of an SDK invocation.
func (e Entries) Find(invocation string) []wire.Entry {
	return slices.DeleteFunc(slices.Clone(e), func(entry wire.Entry) bool { return entry.InvocationID != invocation })
}
