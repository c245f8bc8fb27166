package accesspatterns

import (
	"time"

	"dynaproof/accesspatterns/internal/place"
)

// Guardrail is a documented rule about how a design is used, with a way to try
// to break it. Principles that can be tested are guardrails too.
type Guardrail struct {
	// ID is unique within the design.
	ID      string   `yaml:",name"`
	Written place.At `yaml:"-" json:"-"`
	// The guardrail in the project's words.
	Rule string   `yaml:"says" jsonschema:"required"`
	Cite Citation `yaml:"cite" jsonschema:"required"`
	// How it is shown to hold.
	Proof Proof `yaml:"proof" jsonschema:"required,enum=trials,enum=claims,enum=ledger: no scan,enum=ledger: one partition,enum=ledger: projection,enum=ledger: key condition,enum=ledger: whole tables,enum=budget"`
	// The claims that a proof by claims rests on, without the design's name.
	Claims []string `yaml:"claims,words"`
	// What enforces it. A replay has to see it do so.
	Layer Layer `yaml:"layer" jsonschema:"required,enum=guard,enum=engine,enum=contract,enum=deployment,enum=policy"`
	// It forbids to read several partitions by one request: the guard refuses a BatchGetItem that does.
	OnePartition bool `yaml:"one-partition"`
	// Law is the guardrail as a formula, where it speaks of what the tables hold.
	Law *Law `yaml:"-"`
	// Formula is the law as it is written.
	Formula `yaml:",inline" json:"-"`
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
	ID      string   `yaml:",name"`
	Written place.At `yaml:"-" json:"-"`
	// Why the exception is made and how it is bounded.
	Reason string `yaml:"reason" jsonschema:"required"`
	// Where the document asks for what is waived.
	Cite Citation `yaml:"cite" jsonschema:"required"`
	// Who answers for the exception.
	Owner string `yaml:"owner" jsonschema:"required"`
	// The day from which the exception is made, in quotes, such as '2026-01-31'.
	Since string `yaml:"since" jsonschema:"required"`
	// The last day on which it holds, if it expires.
	Until string `yaml:"until"`
}

// Expired reports whether the waiver's last day, in UTC, is over.
func (w *Waiver) Expired(at time.Time) bool {
	last, err := time.Parse(time.DateOnly, w.Until)
	return err == nil && !at.Before(last.AddDate(0, 0, 1))
}
