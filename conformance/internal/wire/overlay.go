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

// feature is what an engine may lack: some operations, and what they remember of a table.
type feature struct {
	// name stands in the answer's header.
	name string
	// operations are those that it can answer.
	operations []string
	// answer answers a request about a table of which was is remembered, nil for nothing, and returns what is remembered from then on.
	// An answer is marshalled to JSON; a [refusal] is an error of DynamoDB, which changes nothing.
	answer func(operation string, request []byte, was any) (is, answer any)
}

// refusal is an error of DynamoDB.
type refusal struct{ errorType, message string }

// invalid is the refusal of a request that is wrong by itself.
func invalid(message string) refusal { return refusal{"ValidationException", message} }

// missing is what DynamoDB says of a member that a request lacks.
func missing(member string) refusal {
	return invalid("1 validation error detected: Value null at '" + member + "' failed to satisfy constraint: Member must not be null")
}

// tableKey identifies a table as an engine does that keeps regions apart.
type tableKey struct{ region, name string }

// overlays holds all features and the tables that they may speak for.
type overlays struct {
	byOperation map[string]*feature

	mutex sync.Mutex
	// owned are the tables that were created through the proxy and not deleted since, with what the features that have
	// answered for them remember. From then on the feature answers for that table even where the engine would: an engine that
	// knows how to describe a feature and not how to change it would describe what is not so.
	owned map[tableKey]map[*feature]any
}

func newOverlays(all ...*feature) *overlays {
	o := &overlays{byOperation: map[string]*feature{}, owned: map[tableKey]map[*feature]any{}}
	for _, each := range all {
		for _, operation := range each.operations {
			o.byOperation[operation] = each
		}
	}
	return o
}

// observe follows which tables exist by what the engine has answered. Of a table that is new or gone nothing is remembered.
func (o *overlays) observe(entry *Entry) {
	if entry.Operation != "CreateTable" && entry.Operation != "DeleteTable" || entry.Status != http.StatusOK || len(entry.Tables) != 1 {
		return
	}
	table := tableKey{entry.SignedRegion, entry.Tables[0]}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if delete(o.owned, table); entry.Operation == "CreateTable" {
		o.owned[table] = map[*feature]any{}
	}
}

// replace returns a feature's answer in place of the engine's, or nil when the engine's answer stands: because the
// engine knows the operation and no feature has answered for the table before, no feature does, or the table was not
// created through this proxy.
func (o *overlays) replace(entry *Entry, engine *answer, request []byte) *answer {
	of, known := o.byOperation[entry.Operation]
	if !known || len(entry.Tables) != 1 {
		return nil
	}
	// Held while the feature answers, so that the table cannot go in between.
	o.mutex.Lock()
	defer o.mutex.Unlock()
	answeredFor, owned := o.owned[tableKey{entry.SignedRegion, entry.Tables[0]}]
	if !owned {
		return nil
	}
	lacking := entry.Status == http.StatusBadRequest && entry.ErrorType == unknownOperation
	was, before := answeredFor[of]
	if !lacking && !before {
		return nil
	}
	is, content := of.answer(entry.Operation, request, was)
	body, err := json.Marshal(content)
	if err != nil { // features return texts and numbers
		panic(err)
	}
	replacement := ownAnswer(http.StatusOK, body)
	if no, refused := content.(refusal); refused {
		is, replacement = was, ownAnswer(http.StatusBadRequest, dynamoDBError(no.errorType, no.message))
	}
	answeredFor[of] = is
	replacement.header.Set(EmulatedHeader, of.name)
	if id := engine.header.Get("X-Amzn-Requestid"); id != "" {
		replacement.header.Set("X-Amzn-Requestid", id)
	}
	return replacement
}
