package wire

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
		return ownAnswer(refusal.Status, refusal.body()), nil
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
		reply = &answer{reply.status, reply.header.Clone(), content}
		reply.header.Del("X-Amz-Crc32") // of the body as it was
	}
	return reply, nil
}
