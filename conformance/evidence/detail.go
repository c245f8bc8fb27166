package evidence

// Pattern is how an access pattern was replayed.
type Pattern struct {
	// Roles may use the pattern.
	Roles []string `json:"roles,omitempty"`
	// Operation, Table and Index are those of a pattern of one read; a flow has
	// them in its steps. Table is the logical id.
	Operation string `json:"operation,omitempty"`
	Table     string `json:"table,omitempty"`
	Index     string `json:"index,omitempty"`
	// Order is "ascending" or "descending" where the document states or relies
	// on one.
	Order string `json:"order,omitempty"`
	// Returns names the entities that the last read returns.
	Returns []string `json:"returns,omitempty"`
	Cases   []Case   `json:"cases,omitempty"`
}

// Case is one use of an access pattern.
type Case struct {
	Name   string            `json:"name,omitempty"`
	Params map[string]string `json:"params,omitempty"`
	// Steps are the requests of the case in order. A step that the flow did not
	// reach is absent.
	Steps  []Step  `json:"steps,omitempty"`
	Decoys []Decoy `json:"decoys,omitempty"`
	// DeletedBefore names the step before which another client deleted the
	// items Deleted.
	DeletedBefore string   `json:"deletedBefore,omitempty"`
	Deleted       []string `json:"deleted,omitempty"`
	// Present and Absent name items that the tables had to hold, or not to
	// hold, afterwards.
	Present []string `json:"present,omitempty"`
	Absent  []string `json:"absent,omitempty"`
	// NotReturned is text that must not occur in any response.
	NotReturned []string `json:"unseen,omitempty"`
}

// Step is one logical request of a case: a read over all of its pages and
// repetitions, or a write.
type Step struct {
	Name      string `json:"name"`
	Operation string `json:"operation"`
	// Table is the logical id; of a write, the tables joined by commas.
	Table string `json:"table,omitempty"`
	Index string `json:"index,omitempty"`
	// Request is the sequence number of the first page in the ledger, as it was
	// sent; 0 when nothing was sent.
	Request int `json:"request,omitempty"`
	// Expected and Returned name items, in the order of the answer where Ordered.
	Expected []string `json:"expected,omitempty"`
	Returned []string `json:"returned,omitempty"`
	Ordered  bool     `json:"ordered,omitempty"`
	// Outcome is what a write came to: "success" or an error code.
	// ExpectedOutcome is what it had to come to.
	Outcome         string `json:"outcome,omitempty"`
	ExpectedOutcome string `json:"expectedOutcome,omitempty"`
	// Pages, Count and ScannedCount are summed over repetitions. ScannedCount is
	// what the engine inspected, Count what a filter left.
	Pages        int `json:"pages,omitempty"`
	Count        int `json:"count,omitempty"`
	ScannedCount int `json:"scannedCount,omitempty"`
	// CapacityUnits is what the engine says that the pages consumed.
	CapacityUnits float64 `json:"capacityUnits,omitempty"`
	// SinglePages is the number of pages of the same read with a page size of
	// one item; 0 when the read was not repeated so.
	SinglePages int `json:"singlePages,omitempty"`
}

// Decoy is an item that a slightly wrong request would return.
type Decoy struct {
	Item string `json:"item"`
	// Why says which wrong request would return it.
	Why string `json:"why"`
	// Avoided says that the case was answered without it.
	Avoided bool `json:"avoided,omitempty"`
}

// Trial is a sequence of raw requests that shows a finding or tries a guardrail.
type Trial struct {
	// Form is "literal", "resolved", "attempt" or "permitted".
	Form string `json:"form"`
	Why  string `json:"why,omitempty"`
	// GeneratedItems is the number of items that were written first.
	GeneratedItems int        `json:"generatedItems,omitempty"`
	Exchanges      []Exchange `json:"exchanges,omitempty"`
}

// Exchange is one request of a trial with the answer that came.
type Exchange struct {
	Operation string `json:"operation"`
	// Request is the sequence number in the ledger; 0 when nothing was sent.
	Request int `json:"request,omitempty"`
	// Expected and Found are in words.
	Expected string `json:"expected,omitempty"`
	Found    string `json:"found,omitempty"`
}

// Finding is a contradiction, gap or hazard of the document.
type Finding struct {
	// Kind is "contradiction", "gap" or "hazard".
	Kind string `json:"kind"`
	// Severity is "high", "medium" or "low".
	Severity string `json:"severity"`
	// Literal says what happens when the document is followed to the letter,
	// Resolved what the project does instead.
	Literal  string `json:"literal"`
	Resolved string `json:"resolved"`
	// Claims are the ids of the claims that prove the resolved form.
	Claims []string `json:"claims,omitempty"`
	// Departs are the ids of those of the claims that ask for something else than the
	// document says.
	Departs []string `json:"departs,omitempty"`
	// Instead says to the author of the document what to write instead.
	Instead string `json:"instead,omitempty"`
	// Static says why no request can show the finding.
	Static string `json:"static,omitempty"`
}

// Invariant is how a flow's invariant was tried.
type Invariant struct {
	// Flow is the id of the access pattern whose writes must keep it.
	Flow string `json:"flow"`
	// Layer is what enforces it: "engine" or "contract".
	Layer string `json:"layer"`
	// KeptBy are the layers that were seen to keep it in this run.
	KeptBy   []string `json:"keptBy,omitempty"`
	Attempts []Stress `json:"attempts,omitempty"`
}

// Stress is one attempt to break an invariant.
type Stress struct {
	// Kind is "race" or "interruption".
	Kind string `json:"kind"`
	Why  string `json:"why,omitempty"`
	// Clients is the number of clients of a race.
	Clients int `json:"clients,omitempty"`
	// Runs is how often the flow was begun, without retries.
	Runs int `json:"runs"`
	// Seed makes the order of a race's requests again. Two clients race in every
	// order, whatever the seed.
	Seed uint64 `json:"seed"`
	// Orders counts the orders in which two clients' requests were let follow one
	// another, without those that come to the same.
	Orders int `json:"orders,omitempty"`
	// Cut says that there are more orders, or more places of an interruption, than were tried.
	Cut bool `json:"cut,omitempty"`
	// Violation holds the requests of the race that broke the invariant, in the
	// order in which they were sent.
	Violation []Sent `json:"violation,omitempty"`
	// Succeeded counts the runs of a race that did, and Refused those that were
	// refused, by error code.
	Succeeded int            `json:"succeeded,omitempty"`
	Refused   map[string]int `json:"refused,omitempty"`
}

// Sent is a request of a racing client.
type Sent struct {
	// Client is the number of the client, from 1.
	Client    int    `json:"client"`
	Operation string `json:"operation"`
	// Place is what the request reads or writes: a table, or items by their keys.
	Place string `json:"place,omitempty"`
	// Refused is the code of the error with which the run ended here.
	Refused string `json:"refused,omitempty"`
}

// Guardrail is how a guardrail is enforced and shown.
type Guardrail struct {
	// Layer is what enforces the rule: "guard", "engine", "contract" or
	// "deployment".
	Layer string `json:"layer"`
	// KeptBy are the layers that were seen to keep it in this run.
	KeptBy []string `json:"keptBy,omitempty"`
	// Proof is how it is shown to hold, such as "trials" or "ledger: no scan".
	Proof string `json:"proof"`
	// Claims are the ids of the claims that the guardrail restates.
	Claims []string `json:"claims,omitempty"`
}
