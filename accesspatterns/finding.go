package accesspatterns

import "dynaproof/accesspatterns/internal/place"

// Finding is a contradiction, gap or hazard of the document itself.
type Finding struct {
	// ID is unique within the design and stable.
	ID       string   `yaml:",name"`
	Written  place.At `yaml:"-" json:"-"`
	Kind     string   `yaml:"kind" jsonschema:"required,enum=contradiction,enum=gap,enum=hazard"`
	Severity Severity `yaml:"severity" jsonschema:"required,enum=high,enum=medium,enum=low"`
	// The problem in one line.
	Title string   `yaml:"title" jsonschema:"required"`
	Cite  Citation `yaml:"cite" jsonschema:"required"`
	// What happens when the document is followed to the letter.
	Literal string `yaml:"literal" jsonschema:"required"`
	// What the project does instead.
	Resolved string `yaml:"resolved" jsonschema:"required"`
	// The claims that prove the resolved form, without the design's name.
	Claims []string `yaml:"claims,words"`
	// Those of the claims that ask for something else than the cited lines say, such as a query for a documented Scan. Their pass says
	// nothing about the form that is written.
	Departs []string `yaml:"departs,words"`
	// What the author of the document should write in place of the cited lines, in one sentence.
	Instead string `yaml:"instead"`
	// The patterns whose cost grows for this reason with the data of others, or with other data in the same partition: dynaproof scale
	// accepts no growth but theirs, and says so when one of them stays flat.
	Grows []string `yaml:"grows,words"`
	// Attributes (entity.attribute) that a contradicted sentence asserts and the contract does not have.
	Lacks []string `yaml:"lacks,words"`
	// Claims that would assert what the finding says is open, without the design's name; the contract has none of them.
	Open []string `yaml:"open,words"`
	// Why no request can show the problem. Without it, trials in the fixtures show it, at least one of the literal form.
	Static string `yaml:"static"`
}

// The kinds of findings.
const (
	// Contradiction: two places of the document, or the document and
	// DynamoDB, cannot both hold.
	Contradiction = "contradiction"
	// Gap: the document leaves open what an implementation must decide.
	Gap = "gap"
	// Hazard: the documented form works and surprises.
	Hazard = "hazard"
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
