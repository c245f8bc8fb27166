package suite

import (
	"context"
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
)

// Specs returns one spec for each claim of the design, in the order in which
// they can be decided: schemas first, because everything else rests on them, and
// the ledgers last, because they look back on everything.
func Specs(design *accesspatterns.Design) []Spec {
	var specs []Spec
	for _, claim := range manifest.InOrder(design) {
		specs = append(specs, Spec{Claim: claim})
	}
	return specs
}

// Described reports whether claims of a kind are decided by what the document and
// the descriptions of tables say.
func Described(kind manifest.Kind) bool {
	return kind == manifest.KindDocument || kind == manifest.KindSchema || kind == manifest.KindIndex
}

// AuditSpecs returns the specs that an audit runs: those that [Described] knows, and those
// of the policies that are attached.
func AuditSpecs(design *accesspatterns.Design) []Spec {
	return slices.DeleteFunc(Specs(design), func(spec Spec) bool { return !Audited(spec.Claim.Kind) })
}

// Audited reports whether an audit decides claims of a kind.
func Audited(kind manifest.Kind) bool {
	return Described(kind) || kind == manifest.KindPolicy
}

// TrailSpec returns the spec that an audit runs where a trail is asked: that nobody
// scans.
func TrailSpec(design *accesspatterns.Design) Spec {
	for _, spec := range Specs(design) {
		if spec.Claim.Kind == manifest.KindLedger && spec.Claim.Aspect == manifest.LedgerNoScan {
			return spec
		}
	}
	panic("every design has a claim about scans")
}

// checks decide the claims of each kind.
var checks = map[manifest.Kind]func(context.Context, *Session, *Observation){
	manifest.KindDocument:    checkDocument,
	manifest.KindSchema:      checkSchema,
	manifest.KindIndex:       checkIndex,
	manifest.KindExample:     checkExample,
	manifest.KindEntity:      checkEntity,
	manifest.KindAttribute:   checkAttribute,
	manifest.KindRule:        checkRule,
	manifest.KindPattern:     checkPattern,
	manifest.KindFinding:     checkFinding,
	manifest.KindGuardrail:   checkGuardrail,
	manifest.KindInvariant:   checkInvariant,
	manifest.KindConfinement: checkExplored,
	manifest.KindValidity:    checkExplored,
	manifest.KindPolicy:      checkPolicy,
	manifest.KindLedger:      checkLedger,
}
