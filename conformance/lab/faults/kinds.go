package faults

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// Kind is a kind of trouble.
type Kind string

// The kinds of trouble.
const (
	Throttling  Kind = "throttling"
	ServerError Kind = "server error"
	ResetBefore Kind = "connection reset before the engine acted"
	ResetAfter  Kind = "connection reset after the engine acted"
	SlowAnswer  Kind = "slow answer"
	ShortPage   Kind = "short page"
	Unprocessed Kind = "unprocessed writes"
	Conflict    Kind = "transaction conflict"
	StaleIndex  Kind = "stale index read"
	ClockSkew   Kind = "clock skew"
	// LateExtra hides an item that must not be there from the first answers of an
	// index. It strikes only where such an item was added.
	LateExtra Kind = "unexpected item shows late"
	// AccessDenied takes a permission away: one operation is denied from then on.
	AccessDenied Kind = "access denied"
	// Dripping and Endless are what the wire makes of answers that never come whole.
	Dripping Kind = "dripping answer"
	Endless  Kind = "answer without an end"
	// EngineExchanged puts an engine with empty tables of the same names in the place
	// of the one that the run has loaded.
	EngineExchanged Kind = "engine exchanged"
	EngineKilled    Kind = "engine killed"
)

// Kinds are all kinds, in the order in which reports list them.
func Kinds() []Kind {
	return []Kind{
		Throttling, ServerError, ResetBefore, ResetAfter, SlowAnswer, ShortPage, Unprocessed, Conflict, StaleIndex, ClockSkew,
		LateExtra, AccessDenied, Dripping, Endless, EngineExchanged, EngineKilled,
	}
}

// slowness is how long a slow answer is held back: long beside the microseconds
// that an engine takes, short beside any patience of a client.
const slowness = 15 * time.Millisecond

// ofItems are the operations that read or write items, which trouble strikes.
var ofItems = []string{
	"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems",
	"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems",
}

// strike returns what the kind does to a request, or nil when it cannot strike
// there.
func (k Kind) strike(entry wire.Entry, random *rand.Rand) *wire.FaultResponse {
	if !slices.Contains(ofItems, entry.Operation) {
		return nil
	}
	response := k.response(entry, random)
	if response != nil {
		response.Name = string(k)
	}
	return response
}

func (k Kind) response(entry wire.Entry, random *rand.Rand) *wire.FaultResponse {
	switch k {
	case Throttling:
		return &wire.FaultResponse{Status: http.StatusBadRequest, ErrorType: "ProvisionedThroughputExceededException", Message: "The level of configured provisioned throughput for the table was exceeded."}
	case ServerError:
		// Half of them come after the engine acted.
		return &wire.FaultResponse{Forward: random.IntN(2) == 0, Status: http.StatusInternalServerError, ErrorType: "InternalServerError", Message: "Internal server error"}
	case ResetBefore:
		return &wire.FaultResponse{Drop: true}
	case ResetAfter:
		return &wire.FaultResponse{Forward: true, Drop: true}
	case SlowAnswer:
		return &wire.FaultResponse{Forward: true, Delay: slowness}
	case ClockSkew:
		return &wire.FaultResponse{Status: http.StatusBadRequest, ErrorType: "InvalidSignatureException", Message: "Signature expired: 20200101T000000Z is now earlier than 20260101T000000Z"}
	case AccessDenied:
		return wire.Denied(entry.Operation)
	case Dripping: // the wire gives it up, and the engine may have acted
		return &wire.FaultResponse{Forward: true, Status: http.StatusGatewayTimeout, ErrorType: "InternalServerError", Message: "the engine did not answer: no whole answer within 1m0s"}
	case Endless:
		return &wire.FaultResponse{Forward: true, Status: http.StatusBadGateway, ErrorType: "InternalServerError", Message: "the engine did not answer: " + target.ErrAnswerTooLong.Error()}
	case ShortPage:
		return shortPage(entry, random)
	case Unprocessed:
		return unprocessed(entry, random)
	case Conflict:
		return conflict(entry)
	case StaleIndex:
		return staleIndex(entry)
	}
	return nil
}

// shortPage makes DynamoDB answer with a page of one or two items, as it does at
// 1 MB. A request that names a Limit itself is left alone: its page is short by
// its own wish.
func shortPage(entry wire.Entry, random *rand.Rand) *wire.FaultResponse {
	if entry.Operation != "Query" && entry.Operation != "Scan" || entry.Limit != nil {
		return nil
	}
	request := members(entry.Request)
	if request == nil {
		return nil
	}
	request["Limit"] = json.RawMessage([]string{"1", "2"}[random.IntN(2)])
	return &wire.FaultResponse{Forward: true, Request: text(request)}
}

// unprocessed lets the engine do a part of a batch, and answers that the rest was
// not processed.
func unprocessed(entry wire.Entry, random *rand.Rand) *wire.FaultResponse {
	request := members(entry.Request)
	if entry.Operation != "BatchWriteItem" || request == nil {
		return nil
	}
	var tables map[string][]json.RawMessage
	if input.Exactly(request["RequestItems"], &tables) != nil {
		return nil
	}
	done, left := map[string][]json.RawMessage{}, map[string][]json.RawMessage{}
	first := true
	for _, table := range entry.Tables {
		for _, write := range tables[table] {
			if first || random.IntN(2) == 0 {
				done[table] = append(done[table], write) // DynamoDB processes at least one
			} else {
				left[table] = append(left[table], write)
			}
			first = false
		}
	}
	if len(left) == 0 {
		return nil
	}
	request["RequestItems"] = text(done)
	return &wire.FaultResponse{Forward: true, Request: text(request), Amend: func(body []byte) []byte {
		answer := members(body)
		answer["UnprocessedItems"] = text(left)
		return text(answer)
	}}
}

// conflict refuses a write because another transaction is in progress.
func conflict(entry wire.Entry) *wire.FaultResponse {
	switch entry.Operation {
	case "PutItem", "UpdateItem", "DeleteItem":
		return &wire.FaultResponse{Status: http.StatusBadRequest, ErrorType: "TransactionConflictException", Message: "Transaction is ongoing for the item"}
	case "TransactWriteItems":
		var request struct{ TransactItems []json.RawMessage }
		if input.Exactly(entry.Request, &request) != nil || len(request.TransactItems) == 0 {
			return nil
		}
		reasons := make([]map[string]string, len(request.TransactItems))
		for i := range reasons {
			reasons[i] = map[string]string{"Code": "None"}
		}
		reasons[0] = map[string]string{"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}
		return &wire.FaultResponse{
			Status: http.StatusBadRequest, ErrorType: "TransactionCanceledException", Message: "Transaction cancelled",
			Members: map[string]any{"CancellationReasons": reasons},
		}
	}
	return nil
}

// staleIndex leaves the last item out of what an index answers, as if it had been
// written just now.
func staleIndex(entry wire.Entry) *wire.FaultResponse {
	if entry.Operation != "Query" || entry.Index == "" {
		return nil
	}
	return &wire.FaultResponse{Forward: true, Amend: amendItems(func(items []json.RawMessage) []json.RawMessage { return items[:max(0, len(items)-1)] })}
}

// amendItems leaves items out of a list that the engine answers.
func amendItems(keep func([]json.RawMessage) []json.RawMessage) func([]byte) []byte {
	return func(body []byte) []byte {
		answer := members(body)
		var items []json.RawMessage
		var scanned int
		if answer == nil || input.Exactly(answer["Items"], &items) != nil || input.Exactly(answer["ScannedCount"], &scanned) != nil {
			return body
		}
		kept := keep(items)
		if len(kept) == len(items) {
			return body
		}
		answer["Items"], answer["Count"], answer["ScannedCount"] = text(kept), text(len(kept)), text(scanned-len(items)+len(kept))
		return text(answer)
	}
}

func members(body []byte) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	if input.Exactly(body, &object) != nil {
		return nil
	}
	return object
}

func text(value any) json.RawMessage {
	return must.Have(json.Marshal(value)) // what was just read as JSON has a JSON form
}
