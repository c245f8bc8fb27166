package accesspatterns

import "time"

// Guardrail is a documented rule about how a design is used, with a way to try
// to break it. Principles that can be tested are guardrails too.
type Guardrail struct {
	// ID is unique within the design.
	ID string
	// Rule says the guardrail in the project's words.
	Rule string
	Cite Citation
	// Proof says how it is shown to hold.
	Proof Proof
	// Claims are the ids of the claims that a guardrail with proof ByClaims
	// restates, without the design's name.
	Claims []string
	// Layer names what enforces the rule. A replay has to see it do so.
	Layer Layer
	// OnePartition says that the rule forbids to read several partitions by one
	// request: the guard refuses a BatchGetItem that does.
	OnePartition bool
	// Law is the guardrail as a formula, where it speaks of what the tables hold.
	Law *Law
}

// Proof is a way to show that a guardrail holds.
type Proof string

// The ways to prove a guardrail.
const (
	// ByTrials replays attempts to break the rule, which stand in the fixtures,
	// and sees each of them refused or without effect.
	ByTrials Proof = "trials"
	// ByClaims rests on other claims that say the same thing piece by piece.
	ByClaims Proof = "claims"
	// ByLedgerNoScan holds when the ledger of the whole replay has no Scan and
	// no PartiQL statement, other than waived ones and those that show a finding.
	ByLedgerNoScan Proof = "ledger: no scan"
	// ByLedgerOnePartition holds when every Query of every pattern binds the
	// partition key to exactly one value.
	ByLedgerOnePartition Proof = "ledger: one partition"
	// ByLedgerProjection holds when every Query of every pattern carries a
	// projection expression. GetItem requests without one are reported.
	ByLedgerProjection Proof = "ledger: projection"
	// ByLedgerKeyCondition holds when no request filters without a key
	// condition.
	ByLedgerKeyCondition Proof = "ledger: key condition"
	// ByLedgerWholeTables holds when each table was created with all of its indexes in
	// one request, and none was added to it later. It needs the ledger of the requests
	// that created the tables.
	ByLedgerWholeTables Proof = "ledger: whole tables"
	// ByBudget replays the read that has the documented InspectBudget over more
	// items than the budget allows.
	ByBudget Proof = "budget"
)

// Layer is the place where a guardrail is enforced.
type Layer string

// The layers of enforcement.
const (
	// LayerGuard is the client's guard, which refuses what no access pattern
	// documents before it is sent.
	LayerGuard Layer = "guard"
	// LayerEngine is DynamoDB itself: a key schema, a condition, a limit.
	LayerEngine Layer = "engine"
	// LayerContract is the access pattern as declared: its key condition,
	// projection, filter or budget.
	LayerContract Layer = "contract"
	// LayerDeployment is the deployed configuration.
	LayerDeployment Layer = "deployment"
	// LayerPolicy is an IAM policy of a role or the resource policy of a table,
	// which only AWS enforces.
	LayerPolicy Layer = "policy"
)

// Waiver is a named exception for the Scan of a pattern, which names the waiver. It
// is counted and printed in every report.
type Waiver struct {
	// ID is unique within the design.
	ID string
	// Reason says why the exception is made and how it is bounded.
	Reason string
	Cite   Citation
	// Owner says who answers for the exception. Since is the day from which it is
	// made, and Until the last day on which it holds, as 2006-01-02; Until is empty
	// for one that does not expire.
	Owner, Since, Until string
}

// Expired reports whether the waiver's last day, in UTC, is over.
func (w *Waiver) Expired(at time.Time) bool {
	last, err := time.Parse(time.DateOnly, w.Until)
	return err == nil && !at.Before(last.AddDate(0, 0, 1))
}
