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

// AuditSpecs returns the specs that an audit runs: those that the document and the
// descriptions of tables decide, and those of the policies that are attached.
func AuditSpecs(design *accesspatterns.Design) []Spec {
	return slices.DeleteFunc(Specs(design), func(spec Spec) bool { return !Audited(spec.Claim.Kind) })
}

// Audited reports whether an audit decides claims of a kind.
func Audited(kind manifest.Kind) bool {
	return kind.Looks() != manifest.AtItems
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

// kinds say how the claims of each kind are decided.
var kinds = map[manifest.Kind]struct {
	check func(context.Context, *Session, *Observation)
	// foresee says why a replay on existing tables cannot decide the claim; nil where nothing of its own keeps it from that.
	foresee func(*forecaster, manifest.Claim) string
}{
	manifest.KindDocument:    {check: checkDocument},
	manifest.KindSchema:      {check: checkSchema},
	manifest.KindIndex:       {check: checkIndex},
	manifest.KindExample:     {checkExample, (*forecaster).example},
	manifest.KindEntity:      {checkEntity, (*forecaster).stored},
	manifest.KindAttribute:   {checkAttribute, (*forecaster).stored},
	manifest.KindRule:        {checkRule, (*forecaster).stored},
	manifest.KindPattern:     {checkPattern, (*forecaster).pattern},
	manifest.KindFinding:     {checkFinding, (*forecaster).finding},
	manifest.KindGuardrail:   {checkGuardrail, (*forecaster).guardrail},
	manifest.KindInvariant:   {checkInvariant, func(*forecaster, manifest.Claim) string { return needsEphemeral }},
	manifest.KindConfinement: {check: checkExplored},
	manifest.KindValidity:    {check: checkExplored},
	manifest.KindPolicy:      {checkPolicy, (*forecaster).policy},
	manifest.KindLedger:      {check: checkLedger},
}
