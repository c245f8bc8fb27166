package suite

import (
	"context"
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/patterns"
	"dynaproof/conformance/suite/policies"
	"dynaproof/conformance/suite/races"
	"dynaproof/conformance/suite/schema"
	"dynaproof/conformance/suite/session"
)

// Spec decides one claim.
type Spec struct{ Claim manifest.Claim }

// Run decides the claim. It never panics on a session that could not be opened:
// pass nil and the reason.
func (s Spec) Run(ctx context.Context, session *session.Session, failure error) evidence.Result {
	return observe.Decide(ctx, s.Claim, session, failure, kinds[s.Claim.Kind].check)
}

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
	check observe.Check
	// foresee says why a replay on existing tables cannot decide the claim; nil where nothing of its own keeps it from that.
	foresee func(*forecaster, manifest.Claim) string
}{
	manifest.KindDocument:    {check: checkDocument},
	manifest.KindSchema:      {check: schema.Check},
	manifest.KindIndex:       {check: schema.CheckIndex},
	manifest.KindExample:     {checkExample, (*forecaster).example},
	manifest.KindEntity:      {observe.Of("entity", (*accesspatterns.Design).Entity, checkEntity), (*forecaster).stored},
	manifest.KindAttribute:   {observe.Of("entity", (*accesspatterns.Design).Entity, checkAttribute), (*forecaster).stored},
	manifest.KindRule:        {observe.Of("entity", (*accesspatterns.Design).Entity, checkRule), (*forecaster).stored},
	manifest.KindPattern:     {observe.Of("access pattern", (*accesspatterns.Design).Pattern, patterns.Check), (*forecaster).pattern},
	manifest.KindFinding:     {observe.Of("finding", (*accesspatterns.Design).Finding, checkFinding), (*forecaster).finding},
	manifest.KindGuardrail:   {observe.Of("guardrail", (*accesspatterns.Design).Guardrail, checkGuardrail), (*forecaster).guardrail},
	manifest.KindInvariant:   {observe.Of("invariant", (*accesspatterns.Design).Invariant, races.Check), func(*forecaster, manifest.Claim) string { return observe.NeedsEphemeral }},
	manifest.KindConfinement: {check: patterns.CheckExplored},
	manifest.KindValidity:    {check: patterns.CheckExplored},
	manifest.KindPolicy:      {policies.Check, (*forecaster).policy},
	manifest.KindLedger:      {check: checkLedger},
}
