package manifest

import (
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
)

// RestsOn returns the ids of the claims, with the design's name, that a claim
// rests on: those that a finding or a guardrail names.
func RestsOn(d *accesspatterns.Design, claim Claim) []string {
	var names []string
	switch claim.Kind {
	case KindFinding:
		if finding, known := d.Finding(claim.Subject); known {
			names = finding.Claims
		}
	case KindGuardrail:
		if guardrail, known := d.Guardrail(claim.Subject); known {
			names = guardrail.Claims
		}
	}
	return lists.Map(names, func(name string) string { return d.Name + "/" + name })
}

// InOrder returns the claims in the order in which they can be decided: a claim
// comes after those that it rests on, and the claims about the ledger come after
// everything that sends requests. Otherwise the manifest's order stays.
func InOrder(d *accesspatterns.Design) []Claim {
	claims := Claims(d)
	byID := lists.Index(claims, func(claim Claim) (string, Claim) { return claim.ID, claim })
	visited := map[string]bool{}
	onLedger := map[string]bool{}
	var ordered []Claim
	var visit func(claim Claim)
	visit = func(claim Claim) {
		if visited[claim.ID] {
			return // it stands already, or in a circle, which package integrity reports
		}
		visited[claim.ID] = true
		onLedger[claim.ID] = claim.Kind == KindLedger
		for _, id := range RestsOn(d, claim) {
			if other, known := byID[id]; known {
				visit(other)
				onLedger[claim.ID] = onLedger[claim.ID] || onLedger[id]
			}
		}
		ordered = append(ordered, claim)
	}
	for _, claim := range claims {
		visit(claim)
	}
	slices.SortStableFunc(ordered, func(a, b Claim) int { return rank(a, onLedger) - rank(b, onLedger) })
	return ordered
}

// rank puts requests before the ledger, and what rests on the ledger behind it.
func rank(claim Claim, onLedger map[string]bool) int {
	switch {
	case claim.Kind == KindLedger:
		return 1
	case onLedger[claim.ID]:
		return 2
	}
	return 0
}
