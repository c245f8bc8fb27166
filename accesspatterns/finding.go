package accesspatterns

// Finding is a contradiction, gap or hazard of the document itself.
type Finding struct {
	// ID is unique within the design and stable.
	ID       string
	Kind     FindingKind
	Severity Severity
	// Title says the problem in one line.
	Title string
	Cite  Citation
	// Literal says what happens when the document is followed to the letter.
	Literal string
	// Resolved says what the project does instead.
	Resolved string
	// Claims are the ids, without the design's name, of the claims that prove
	// the resolved form.
	Claims []string
	// Departs lists those of the claims above, without the design's name, that ask
	// for something else than the cited lines say: a query for a documented Scan, a
	// projection that is not written, a longer prefix. Their pass says nothing about
	// the form that is written.
	Departs []string
	// Instead says to the author of the document, in one sentence, what to write in
	// place of the cited lines.
	Instead string
	// Grows lists the patterns whose cost grows for this reason with the data of
	// others, or with other data in the same partition: `dynaproof scale` accepts
	// no growth but theirs, and says so when one of them stays flat.
	Grows []string
	// Lacks lists attributes ("report.createdAt", entity and attribute) that a
	// contradicted sentence asserts and the contract does not have.
	Lacks []string
	// Open lists the claims, without the design's name, that would assert what the
	// finding calls open, not asserted or any of two: the contract has none of them.
	Open []string
	// Static is set when no request can show the problem: both contradicting
	// places are cited, or the text is absent. It says why. A finding that is
	// not static has trials in the fixtures, at least one of the literal form.
	Static string
}

// FindingKind classifies a finding.
type FindingKind string

// The kinds of findings.
const (
	// Contradiction: two places of the document, or the document and
	// DynamoDB, cannot both hold.
	Contradiction FindingKind = "contradiction"
	// Gap: the document leaves open what an implementation must decide.
	Gap FindingKind = "gap"
	// Hazard: the documented form works and surprises.
	Hazard FindingKind = "hazard"
)

// Severity grades a finding by what it can cost.
type Severity string

// Severities lists the severities, the worst first.
func Severities() []Severity { return []Severity{High, Medium, Low} }

// The severities.
const (
	// High: wrong data is read or written, privacy is broken, or the
	// documented request cannot work.
	High Severity = "high"
	// Medium: cost, scale or order suffers, or two readers build different
	// things.
	Medium Severity = "medium"
	// Low: a reader has to guess, without harm to data.
	Low Severity = "low"
)
