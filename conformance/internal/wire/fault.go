package wire

import (
	"encoding/json"
	"maps"
	"net/http"
	"time"

	"dynaproof/accesspatterns/must"
)

// Fault decides, before a request is forwarded, what goes wrong with it. It gets the request's half of the entry (no Seq
// yet) and returns nil to let the request pass. It is called from many goroutines at once.
type Fault func(Entry) *FaultResponse

// SetFault replaces the fault for all requests that arrive from now on; nil injects nothing.
func (p *Proxy) SetFault(fault Fault) { p.fault.Store(&fault) }

// faulted returns the fault that is set; nil for none.
func (p *Proxy) faulted() Fault {
	if fault := p.fault.Load(); fault != nil {
		return *fault
	}
	return nil
}

// FaultResponse replaces the engine's answer or, with Forward, changes it.
type FaultResponse struct {
	// Name says in the ledger which fault it was; empty for one that needs no name.
	Name string
	// Delay holds the request back before anything else happens.
	Delay time.Duration
	// Forward lets the engine act on the request first. With Drop or a Status its answer is thrown away.
	Forward bool
	// Request replaces the body that is forwarded, unless it is nil.
	Request []byte
	// Amend changes the body of an answer of the engine with status 200, unless it is nil.
	Amend func(body []byte) []byte
	// Drop closes the client's connection without an answer.
	Drop bool
	// Status is the HTTP status, for example 400 or 500.
	Status int
	// ErrorType is the short name of a DynamoDB error, for example "ProvisionedThroughputExceededException".
	ErrorType string
	// Message is the error's text.
	Message string
	// Members are further members of the error, such as CancellationReasons, or all those of an answer.
	Members map[string]any
}

// Denied is what DynamoDB answers to a caller without the permission for an operation.
func Denied(operation string) *FaultResponse {
	action := "dynamodb:" + operation
	denied := Refused("AccessDeniedException", "User: arn:aws:iam::123456789012:user/tester is not authorized to perform: "+action+
		" on resource: arn:aws:dynamodb:eu-west-1:123456789012:table/T because no identity-based policy allows the "+action+" action")
	denied.Name = "access denied"
	return denied
}

// Refused is an error of DynamoDB, with a status at which no SDK sends again.
func Refused(errorType, message string) *FaultResponse {
	return &FaultResponse{Status: http.StatusBadRequest, ErrorType: errorType, Message: message}
}

// answer returns what the fault answers with: an error, or what [FaultResponse.Members] say where Status is 200.
func (f *FaultResponse) answer() *answer {
	members := map[string]any{}
	if f.Status != http.StatusOK {
		members["__type"], members["message"] = "com.amazonaws.dynamodb.v20120810#"+f.ErrorType, f.Message
	}
	maps.Copy(members, f.Members)
	return ownAnswer(f.Status, must.Have(json.Marshal(members))) // faults are made of text, numbers and lists of these
}

// Unanswered is the type of the error that a client gets where the engine did not answer: nothing follows from it.
const Unanswered = "InternalServerError"

// ownAnswer returns an answer that this package made up. It has no X-Amz-Crc32, which SDKs may leave out but would check.
func ownAnswer(status int, body []byte) *answer {
	return &answer{status: status, header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, body: body}
}

// Warden stands between a proxy and its engine. Unlike a [Fault] it is told what the engine answered, before the client
// is: what it keeps of an answer is kept when the client acts on it. It is called from many goroutines at once.
type Warden interface {
	// Admit returns the body to forward in place of a request's, or why the request is not forwarded. A refusal of type
	// [Unanswered] says that what has to be known for it could not be learnt, so that nothing follows from it.
	Admit(entry Entry, body []byte) ([]byte, *FaultResponse)
	// Answered returns what the client gets in place of an answer's body, or an error in place of the answer. It is not
	// called when no answer came.
	Answered(entry Entry, body []byte) ([]byte, *FaultResponse)
}

// SetWarden puts a warden between this proxy and its engine for all requests that arrive from now on; nil ends that. No
// fault takes its place.
func (p *Proxy) SetWarden(warden Warden) { p.warden.Store(&warden) }

// admitted forwards a request as its warden lets it.
func (p *Proxy) admitted(entry *Entry, forward func(body []byte) (*answer, error), body []byte) (*answer, error) {
	held := p.warden.Load()
	if held == nil || *held == nil {
		return forward(body)
	}
	warden := *held
	refused := func(refusal *FaultResponse) (*answer, error) {
		entry.Injected, entry.Fault = true, refusal.Name
		return refusal.answer(), nil
	}
	body, refusal := warden.Admit(*entry, body)
	if refusal != nil {
		if refusal.ErrorType == Unanswered {
			p.unanswered()
		}
		return refused(refusal)
	}
	reply, err := forward(body)
	if err != nil {
		return nil, err
	}
	seen := *entry
	seen.readResponse(reply.status, reply.header, reply.body)
	content, refusal := warden.Answered(seen, reply.body)
	if refusal != nil {
		return refused(refusal)
	}
	if string(content) != string(reply.body) {
		reply = reply.with(content)
	}
	return reply, nil
}
