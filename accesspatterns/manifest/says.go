package manifest

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/internal/said"
	"dynaproof/accesspatterns/lists"
)

// Fact is one thing that a claim asserts: "type" is "String".
type Fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Says lists what a claim asserts, from the contract alone, in the order in which it is read. The environment stands for {env} in names
// and tags; "" leaves the documented form. It is empty for a kind without a template: its title, or a fixture, says everything.
func Says(d *accesspatterns.Design, claim Claim, environment string) (facts []Fact) {
	s := &sayer{Design: d, Claim: claim, environment: environment}
	s.Part, s.Rest, _ = strings.Cut(claim.Aspect, "/")
	s.Table, _ = d.Table(claim.Subject)
	s.Entity, _ = d.Entity(claim.Subject)
	s.Pattern, _ = d.Pattern(claim.Subject)
	s.Finding, _ = d.Finding(claim.Subject)
	s.Guardrail, _ = d.Guardrail(claim.Subject)
	s.Role, _ = d.Role(claim.Subject)
	switch claim.Kind {
	case KindAttribute:
		if s.Entity != nil {
			if attribute, known := s.Entity.Attribute(claim.Aspect); known {
				return ofAttribute(attribute)
			}
		}
		return nil
	case KindIndex:
		if s.Table != nil {
			s.Index, _ = s.Table.Index(s.Part)
		}
	case KindRule:
		if s.Entity != nil {
			s.Rule, _ = s.Entity.Rule(claim.Aspect)
		}
	case KindInvariant:
		if s.Invariant, _ = d.Invariant(claim.Subject); s.Invariant != nil {
			s.Pattern, _ = d.Pattern(s.Invariant.Flow)
		}
	}
	for _, line := range texts.Lines(string(claim.Kind), s) {
		if name, text, _ := strings.Cut(line, ends); text != "" {
			facts = append(facts, Fact{name, text})
		}
	}
	return facts
}

// sayer is what a template may speak of: the design, the claim, and the elements that the claim is about. The others are nil.
type sayer struct {
	*accesspatterns.Design
	Claim
	environment string

	Table     *accesspatterns.Table
	Index     *accesspatterns.Index
	Entity    *accesspatterns.Entity
	Rule      *accesspatterns.Rule
	Pattern   *accesspatterns.Pattern
	Finding   *accesspatterns.Finding
	Guardrail *accesspatterns.Guardrail
	Invariant *accesspatterns.Invariant
	Role      *accesspatterns.Role

	// Part and Rest are the aspect up to its first slash, and behind it.
	Part, Rest string
}

// CitationCount counts the citations of the contract.
func (s *sayer) CitationCount() int { return len(Citations(s.Design)) }

// TableNames are the names of all tables.
func (s *sayer) TableNames() []string {
	return lists.Map(s.Tables, func(table accesspatterns.Table) string { return s.named(table.Name) })
}

func (s *sayer) named(name accesspatterns.NameTemplate) string {
	if s.environment == "" {
		return string(name)
	}
	return name.In(s.environment)
}

// Expected is what is expected of a table.
func (s *sayer) Expected() string {
	if s.Table != nil {
		for _, part := range aspects(s.Table, s.named) {
			if part.name == s.Aspect {
				return part.expected
			}
		}
	}
	return ""
}

// OfProjection reports whether a claim about an index is about what it projects.
func (s *sayer) OfProjection() bool { return s.Rest == AspectProjection }

// Waived is the pattern that may scan the table; nil for none, and for an index.
func (s *sayer) Waived() *accesspatterns.Pattern {
	if pattern, waived := s.ScanOf(s.Subject); waived && s.Rest == "" {
		return pattern
	}
	return nil
}

// PatternsOfRole are the patterns of the role.
func (s *sayer) PatternsOfRole() (own []string) {
	for i := range s.Patterns {
		if slices.Contains(s.Patterns[i].Roles, s.Role.ID) {
			own = append(own, s.Patterns[i].ID)
		}
	}
	return own
}

// ends stands behind the name of a fact.
const ends = "\x1f"

//go:embed says.tmpl
var saysText string

// texts has a template for each kind of claims of which there is more to say.
var texts = said.New(saysText, template.FuncMap{
	"fact":     func(words ...string) string { return said.Line + strings.Join(words, " ") + ends },
	"words":    func(text string) string { return strings.Join(strings.Fields(text), " ") },
	"braced":   func(name string) string { return "{" + name + "}" },
	"typeName": func(of dynamo.Type) string { return typeNames[of] },
	"layer":    func(of accesspatterns.Layer) string { return layers[of] },
	"proof":    func(of accesspatterns.Proof) string { return proofs[of] },
	"order": func(of accesspatterns.Order) string {
		return []string{"", ", ascending", ", descending", ", in order"}[of]
	},
	"verb": func(of accesspatterns.ActionKind) string {
		return strings.ToLower(strings.TrimPrefix(string(of), "Condition"))
	},
})

// typeNames are the names of the types as AWS's documents write them.
var typeNames = map[dynamo.Type]string{
	dynamo.String: "String", dynamo.Number: "Number", dynamo.Binary: "Binary", dynamo.Boolean: "Boolean",
	dynamo.Null: "NULL", dynamo.Map: "Map", dynamo.List: "List",
	dynamo.StringSet: "String Set", dynamo.NumberSet: "Number Set", dynamo.BinarySet: "Binary Set", "": "any type",
}

// ofAttribute says all that is asserted of an attribute: its type, whether an item must carry it, and its values.
func ofAttribute(a *accesspatterns.Attribute) []Fact {
	facts := []Fact{{"type", typeNames[a.Type]}, {"presence", []string{"required", "optional", "optional, may be NULL"}[a.Presence]}}
	var values []string
	if len(a.Allowed) > 0 {
		values = append(values, "one of "+strings.Join(a.Allowed, ", "))
	}
	if a.Minimum != nil {
		values = append(values, fmt.Sprintf("at least %g", *a.Minimum))
	}
	if a.Maximum != nil {
		values = append(values, fmt.Sprintf("at most %g", *a.Maximum))
	}
	if a.Format != "" {
		values = append(values, string(a.Format))
	}
	if a.NotEmpty {
		values = append(values, "not empty")
	}
	values = append(values, lists.Map(slices.Sorted(maps.Keys(a.JSON)), func(name string) string { return "JSON member " + name + " " + a.JSON[name] })...)
	if len(values) > 0 {
		facts = append(facts, Fact{"values", strings.Join(values, ", ")})
	}
	return facts
}

// attributeTitle is the title of a claim about an attribute.
func attributeTitle(entity *accesspatterns.Entity, a *accesspatterns.Attribute) string {
	parts := lists.Map(ofAttribute(a), func(fact Fact) string { return fact.Text })
	return entity.Title + ": " + a.Name + " is " + strings.Join(parts, ", ")
}

// proofs say how a guardrail is shown to hold.
var proofs = map[accesspatterns.Proof]string{
	accesspatterns.ByTrials:             "requests that would break it are tried: each is refused, or has no effect",
	accesspatterns.ByClaims:             "the claims that it restates hold",
	accesspatterns.ByLedgerNoScan:       "the ledger of the run has no Scan and no PartiQL statement but waived ones and those that show a finding",
	accesspatterns.ByLedgerOnePartition: "every Query of a pattern binds the partition key to one value",
	accesspatterns.ByLedgerProjection:   "every Query of a pattern carries a projection expression",
	accesspatterns.ByLedgerKeyCondition: "no request of a pattern filters without a key condition",
	accesspatterns.ByLedgerWholeTables:  "each table was created with all of its indexes by one request",
	accesspatterns.ByBudget:             "the read is replayed over more items than it may inspect",
}

// layers say what enforces a rule.
var layers = map[accesspatterns.Layer]string{
	accesspatterns.LayerGuard:      "guard: this project's client refuses the request before it is sent",
	accesspatterns.LayerEngine:     "engine: DynamoDB refuses the request, by a condition or a key schema",
	accesspatterns.LayerContract:   "contract: the pattern's own key condition, projection, filter or order of steps",
	accesspatterns.LayerDeployment: "deployment: how the tables are configured",
	accesspatterns.LayerPolicy:     "policy: an IAM policy, which AWS alone enforces",
}
