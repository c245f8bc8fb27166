package wire

import (
	"encoding/json"
	"net/http"
	"sync"
)

// EmulatedHeader is the header that marks an answer of an overlay; its value is the overlay's name.
const EmulatedHeader = "Dynaproof-Emulated"

// unknownOperation is what an engine answers, with status 400, to an operation that it does not know.
const unknownOperation = "UnknownOperationException"

// overlay answers the operations of one feature that an engine lacks. It is safe for concurrent use.
type overlay interface {
	// name stands in the answer's header.
	name() string
	// operations are the operations that it can answer.
	operations() []string
	// answer returns the status and the body, which is marshalled to JSON, for a request about an owned table.
	answer(operation string, table tableKey, request []byte) (status int, body any)
	// forget drops what it knows about a table, because the table is new or gone.
	forget(table tableKey)
}

// settings are what an overlay remembers, by table. The zero value remembers nothing.
type settings[T any] struct {
	mutex sync.Mutex
	of    map[tableKey]T
}

func (s *settings[T]) forget(table tableKey) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.of, table)
}

// set remembers a setting. The caller holds the mutex.
func (s *settings[T]) set(table tableKey, setting T) {
	if s.of == nil {
		s.of = map[tableKey]T{}
	}
	s.of[table] = setting
}

// missing is what DynamoDB says of a member that a request lacks.
func missing(member string) string {
	return "1 validation error detected: Value null at '" + member + "' failed to satisfy constraint: Member must not be null"
}

// tableKey identifies a table as an engine does that keeps regions apart.
type tableKey struct{ region, name string }

// overlays holds all overlays and the tables that they may speak for.
type overlays struct {
	byOperation map[string]overlay
	all         []overlay

	mutex sync.Mutex
	// owned are the tables that were created through the proxy and not deleted since, with the overlays that have
	// answered for them. From then on the overlay answers for that table even where the engine would: an engine that
	// knows how to describe a feature and not how to change it would describe what is not so.
	owned map[tableKey]map[overlay]struct{}
}

func newOverlays(all ...overlay) *overlays {
	o := &overlays{byOperation: make(map[string]overlay), all: all, owned: make(map[tableKey]map[overlay]struct{})}
	for _, each := range all {
		for _, operation := range each.operations() {
			o.byOperation[operation] = each
		}
	}
	return o
}

// observe follows which tables exist by what the engine has answered.
func (o *overlays) observe(entry *Entry) {
	if entry.Status != http.StatusOK || len(entry.Tables) != 1 {
		return
	}
	table := tableKey{entry.SignedRegion, entry.Tables[0]}
	switch entry.Operation {
	case "CreateTable", "DeleteTable":
	default:
		return
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, each := range o.all {
		each.forget(table)
	}
	if entry.Operation == "CreateTable" {
		o.owned[table] = make(map[overlay]struct{})
	} else {
		delete(o.owned, table)
	}
}

// replace returns an overlay's answer in place of the engine's, or nil when the engine's answer stands: because the
// engine knows the operation and no overlay has answered for the table before, no overlay does, or the table was not
// created through this proxy.
func (o *overlays) replace(entry *Entry, engine *answer, request []byte) *answer {
	feature, known := o.byOperation[entry.Operation]
	if !known || len(entry.Tables) != 1 {
		return nil
	}
	table := tableKey{entry.SignedRegion, entry.Tables[0]}
	// Held while the overlay answers, so that the table cannot go in between.
	o.mutex.Lock()
	defer o.mutex.Unlock()
	answeredFor, owned := o.owned[table]
	if !owned {
		return nil
	}
	lacking := entry.Status == http.StatusBadRequest && entry.ErrorType == unknownOperation
	if _, before := answeredFor[feature]; !lacking && !before {
		return nil
	}
	answeredFor[feature] = struct{}{}
	status, content := feature.answer(entry.Operation, table, request)
	body, err := json.Marshal(content)
	if err != nil { // overlays return structs of strings and numbers
		panic(err)
	}
	replacement := ownAnswer(status, body)
	replacement.header.Set(EmulatedHeader, feature.name())
	if id := engine.header.Get("X-Amzn-Requestid"); id != "" {
		replacement.header.Set("X-Amzn-Requestid", id)
	}
	return replacement
}
