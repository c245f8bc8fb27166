package safewrite

import "dynaproof/accesspatterns"

// Change is what a write does to an item.
type Change string

// The changes.
const (
	// Put: the key will hold exactly the entry's item.
	Put Change = "put"
	// Update: the key will hold an item that only the engine knows.
	Update Change = "update"
	// Delete: the key will hold nothing.
	Delete Change = "delete"
	// Holds: the outcome of the writes before is known, and the key holds exactly
	// the entry's item of this run's, or nothing of this run's when there is none.
	Holds Change = "holds"
	// check: nothing is written; a condition check in a transaction.
	check Change = "check"
)

// Entry is one write to one key, announced before it is sent, or its outcome.
type Entry struct {
	Change Change
	// Table is the deployed name.
	Table string
	// Key is the primary key.
	Key accesspatterns.Item
	// Item is the whole item of a put, or what the key holds.
	Item accesspatterns.Item
}
