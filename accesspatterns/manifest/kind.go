package manifest

import (
	"dynaproof/accesspatterns/lists"
)

// Kind says what sort of element a claim speaks of.
type Kind string

// The kinds of claims. They are Ginkgo labels too.
const (
	KindDocument  Kind = "document"
	KindSchema    Kind = "schema"
	KindIndex     Kind = "index"
	KindEntity    Kind = "entity"
	KindAttribute Kind = "attribute"
	KindRule      Kind = "rule"
	KindExample   Kind = "example"
	KindPattern   Kind = "pattern"
	KindGuardrail Kind = "guardrail"
	KindInvariant Kind = "invariant"
	// KindConfinement is one of a role, that it reaches no items but those that it may.
	KindConfinement Kind = "confinement"
	// KindValidity is the one of a design that what documented writes leave is valid.
	KindValidity Kind = "validity"
	KindFinding  Kind = "finding"
	KindPolicy   Kind = "policy"
	KindLedger   Kind = "ledger"
)

// Subject is what claims are about, so that no figure adds up what cannot be compared:
// tables that stand somewhere, items that this project wrote, and texts.
type Subject string

// The subjects, in the order in which reports show them.
const (
	AboutDeployment Subject = "deployment and access"
	AboutItems      Subject = "items"
	AboutDocument   Subject = "the document"
)

// Subjects lists all subjects.
func Subjects() []Subject { return []Subject{AboutDeployment, AboutItems, AboutDocument} }

// Looks says what has to be looked at to decide a claim.
type Looks int

// What is looked at.
const (
	// AtItems: what the tables hold, and what requests come to.
	AtItems Looks = iota
	// AtDescriptions: the document and the descriptions of tables.
	AtDescriptions
	// AtPolicies: the policies that are attached.
	AtPolicies
)

// kinds holds every kind, with what is true of all of its claims, from cause to
// consequence: a table that is not there explains why its patterns fail. The manifest has their claims in this order.
var kinds = []kindRow{
	{KindDocument, AboutDocument, AtDescriptions, "the document is the one that was transcribed, and every citation stands", (*adder).document},
	{KindSchema, AboutDeployment, AtDescriptions, "a table is deployed as documented", (*adder).tables},
	{KindIndex, AboutDeployment, AtDescriptions, "an index has the documented key and projection", nil},
	{KindExample, AboutItems, AtItems, "an example item of the document is stored and read back", (*adder).examples},
	{KindEntity, AboutItems, AtItems, "an entity's keys have their documented form", (*adder).entities},
	{KindAttribute, AboutItems, AtItems, "an attribute has its documented type and values", nil},
	{KindRule, AboutItems, AtItems, "a documented relation between attributes holds", nil},
	{KindPattern, AboutDeployment, AtItems, "a documented access pattern returns exactly the expected items", (*adder).patterns},
	{KindFinding, AboutDocument, AtItems, "a finding of the document was looked at", (*adder).findings},
	{KindGuardrail, AboutDeployment, AtItems, "a documented guardrail cannot be broken", (*adder).guardrails},
	{KindInvariant, AboutDeployment, AtItems, "a flow keeps its invariant under race and failure", (*adder).invariants},
	{KindConfinement, AboutDocument, AtItems, "no documented request reaches what is another user's, or the contract says which do", (*adder).confinements},
	{KindValidity, AboutDocument, AtItems, "documented writes leave valid items, or the contract says which do not", (*adder).validity},
	{KindPolicy, AboutDeployment, AtPolicies, "a policy of the stack, as evaluated, allows what is documented and no more", (*adder).policies},
	{KindLedger, AboutDeployment, AtItems, "the ledger of all requests holds only what is allowed", (*adder).ledger},
}

// kindRow is what is true of all claims of a kind.
type kindRow struct {
	kind  Kind
	about Subject
	looks Looks
	// asks says what a claim asks for, in words that fit all of the kind.
	asks string
	// claims adds the claims of a design; nil where those of another kind bring them along.
	claims func(*adder)
}

// Kinds lists all kinds from cause to consequence.
func Kinds() []Kind {
	return lists.Map(kinds, func(row kindRow) Kind { return row.kind })
}

// row is what is true of all claims of a kind; of one that only another release knows, next to nothing.
func (k Kind) row() kindRow {
	for _, row := range kinds {
		if row.kind == k {
			return row
		}
	}
	return kindRow{asks: "claims of kind " + string(k)}
}

// About is what claims of the kind are about; empty for a kind that only another release knows.
func (k Kind) About() Subject { return k.row().about }

// Looks is what has to be looked at to decide claims of the kind.
func (k Kind) Looks() Looks { return k.row().looks }

// Asks says what claims of the kind ask for, in words that fit all of them.
func (k Kind) Asks() string { return k.row().asks }
