package safewrite

import "dynaproof/accesspatterns"

// Change is what a write does to an item.
type Change string

// The changes.
const (
	// Put: the key will hold exactly the entry's item, or what it held before.
	Put Change = "put"
	// Update: the same; the item is what the update makes of what the key held.
	Update Change = "update"
	// Delete: the key will hold nothing, or what it held before.
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
	// Item is the whole item that a put or an update makes, or what the key holds.
	Item accesspatterns.Item
}
