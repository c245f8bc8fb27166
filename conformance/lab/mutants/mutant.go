// Package mutants tests the suite: it breaks one thing at a time and expects a
// claim that the contract names beforehand to fail.
//
// Mutants are generated from the contract and the fixtures, so that a new design
// gets its own without new code. What is broken, a [Kind] says.
//
// The verdicts are those of the suite's own specs. A mutant that no expected
// claim notices has survived, which is a failure of the suite, unless
// fixtures/<design>/equivalents.json gives a reason why nothing can notice it.
package mutants

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/tables"
	"dynaproof/fixtures"
)

// Kind says what is broken.
type Kind string

// The kinds of mutants.
const (
	// Deployments are the tables that the Pulumi program asks for, one of them changed.
	Deployments Kind = "deployment"
	// Behind are deployments that are broken behind Pulumi's back, by the SDK.
	Behind Kind = "deployment behind Pulumi"
	// Items are broken in memory, before they are loaded.
	Items Kind = "item"
	// Patterns are broken in the contract that is replayed, while the fixtures stay as they are.
	Patterns Kind = "access pattern"
	// Guardrails are broken in the conditions, transactions and batches of flows, in the rules of the guard,
	// and in the policies that the stack attaches.
	Guardrails Kind = "guardrail"
)

// Mutant is one thing that can be broken.
type Mutant struct {
	// ID is stable as long as the contract names what is broken.
	ID     string
	Design string
	Kind   Kind
	// Operator says how it is broken, in the same words for every design.
	Operator string
	// What says in words what is broken.
	What string
	// Expect are the claims of which one must fail, with the design's name.
	Expect []string

	// needs is the item or case of the fixtures that tells, where that is known.
	needs string
	// verdict is what an expected claim must come to; empty means fail.
	verdict evidence.Verdict
	// orError says that the claim may be in error instead: what plays in a case does not
	// fit the broken contract.
	orError bool
	// touches selects the claims that the mutant can touch; nil means the
	// expected ones alone.
	touches func(manifest.Claim) bool
	// needsDocument says that only the document itself can show it.
	needsDocument bool
	// table and change break a deployment.
	table  string
	change func(*tables.Spec)
	// policy breaks a policy of a role or of a table.
	policy *policyChange
	// denied is the operation that the caller lacks the permission for: all expected
	// claims must come to the verdict then, and none may fail.
	denied string
	// lenient is the rule that the guard of the trials lacks.
	lenient guard.Rule
	// amend breaks the contract, and refit the fixtures, of which each mutant has its own; nil leaves them as they are.
	amend func(*ap.Design)
	refit func(*fixtures.Set)
	// undocumented says that what the amended contract sends is held to the contract
	// as it was.
	undocumented bool
	// items are loaded anew for the mutant, by name; nil means that it can be
	// tried on the items as they are.
	items func(*fixtures.Item) bool
}

func (m *Mutant) record() evidence.Mutant {
	return evidence.Mutant{ID: m.ID, Design: m.Design, Kind: string(m.Kind), Operator: m.Operator, What: m.What, Expected: m.Expect}
}

// selects reports whether the mutant's verdict, or the kill matrix, needs a claim.
func (m *Mutant) selects(claim manifest.Claim) bool {
	return slices.Contains(m.Expect, claim.ID) || m.touches != nil && m.touches(claim)
}

// Generate returns all mutants of a design, in a fixed order.
func Generate(name string) ([]Mutant, error) {
	design, err := designs.Find(name)
	if err != nil {
		return nil, err
	}
	set, err := fixtures.Load(name, time.Now())
	if err != nil {
		return nil, err
	}
	return generate(design, set)
}

func generate(design *ap.Design, set *fixtures.Set) ([]Mutant, error) {
	g := &generator{design: design, set: set, claims: lists.Set(manifest.Claims(design), func(claim manifest.Claim) string { return claim.ID })}
	g.deployments()
	g.itemMutants()
	g.patterns()
	g.guardrails()
	g.guards()
	g.declared()
	g.together()
	g.readOnly()
	g.extraItems()
	g.permissions()
	if err := g.policyMutants(); err != nil {
		return nil, fmt.Errorf("mutants of %s: %w", design.Name, err)
	}
	seen := map[string]bool{}
	for m := range lists.Each(g.mutants) {
		if seen[m.ID] {
			return nil, fmt.Errorf("mutants of %s: the id %s stands twice", design.Name, m.ID)
		}
		seen[m.ID] = true
		for _, id := range m.Expect {
			if !g.claims[id] {
				return nil, fmt.Errorf("mutant %s: expected to be noticed by %s, which is no claim of the contract", m.ID, id)
			}
		}
	}
	return g.mutants, nil
}

// needed is the case that tells, by operator, where it is the same for every design.
var needed = map[string]string{
	"condition removed":                    "a case in which this condition alone does not hold, with the error that refuses the write",
	"condition check removed":              "a case in which this check alone does not hold, with the error that refuses the transaction",
	"transaction split into single writes": "the items that are written together to a case, under together",
	"filter added":                         "an item that a case expects and that the added filter leaves out",
	"projection widened":                   "a case whose expected item has an attribute that is not projected",
	"batch of too many writes":             "a case that writes more than 25 items",
}

// generator collects the mutants of one design.
type generator struct {
	design  *ap.Design
	set     *fixtures.Set
	claims  map[string]bool
	mutants []Mutant
}

// add completes a mutant: path is its id without the design's name, expect are
// claims without it. What is returned may be changed until the next is added.
func (g *generator) add(m Mutant, path string, expect ...string) *Mutant {
	m.ID, m.Design = g.design.Name+"/"+path, g.design.Name
	m.needs = cmp.Or(m.needs, needed[m.Operator])
	m.Expect = append(m.Expect, lists.Map(expect, func(claim string) string { return g.design.Name + "/" + claim })...)
	g.mutants = append(g.mutants, m)
	return &g.mutants[len(g.mutants)-1]
}

func (g *generator) named(names []string) (items []*fixtures.Item) {
	for _, name := range names {
		if item, known := g.set.Item(name); known {
			items = append(items, item)
		}
	}
	return items
}

// amending changes one access pattern of a contract.
func amending(id string, change func(*ap.Pattern)) func(*ap.Design) {
	return func(design *ap.Design) {
		pattern, _ := design.Pattern(id)
		change(pattern)
	}
}
