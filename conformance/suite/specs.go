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

// Decide decides one claim. It never panics on a session that could not be opened:
// pass nil and the reason.
func Decide(ctx context.Context, claim manifest.Claim, session *session.Session, failure error) evidence.Result {
	return observe.Decide(ctx, claim, session, failure, kinds[claim.Kind].check)
}

// Audited reports whether an audit decides claims of a kind.
func Audited(kind manifest.Kind) bool {
	return kind.Looks() != manifest.AtItems
}

// AuditClaims returns the claims that an audit decides, in order: those that the document and the
// descriptions of tables decide, those of the policies that are attached, and with a trail that nobody scans.
func AuditClaims(design *accesspatterns.Design, trail bool) []manifest.Claim {
	return slices.DeleteFunc(manifest.InOrder(design), func(claim manifest.Claim) bool {
		return !Audited(claim.Kind) && !(trail && claim.Kind == manifest.KindLedger && claim.Aspect == manifest.LedgerNoScan)
	})
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
