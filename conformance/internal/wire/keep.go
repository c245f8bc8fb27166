package wire

import "sync/atomic"

// Keep returns the body of an answer as a ledger may keep it. What it is given is
// shared and must not be changed.
type Keep func(operation string, request, response []byte) []byte

// keeping is what records keep of answers. The zero value keeps them as they are.
type keeping struct{ of atomic.Pointer[Keep] }

// SetKeep decides what the ledger keeps of answers from now on: on tables that hold
// items of others, not those items. The client gets every answer as it came. Nil keeps
// answers as they are.
func (k *keeping) SetKeep(keep Keep) { k.of.Store(&keep) }

func (k *keeping) keep(entry *Entry) {
	if of := k.of.Load(); of != nil && *of != nil && len(entry.Response) > 0 {
		entry.Response = (*of)(entry.Operation, entry.Request, entry.Response)
	}
}
