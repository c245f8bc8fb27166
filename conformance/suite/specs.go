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
	return observe.Decide(ctx, claim, session, failure, kinds[claim.Kind])
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
var kinds = map[manifest.Kind]observe.Check{
	manifest.KindDocument:    checkDocument,
	manifest.KindSchema:      schema.Check,
	manifest.KindIndex:       schema.CheckIndex,
	manifest.KindExample:     checkExample,
	manifest.KindEntity:      observe.Of("entity", (*accesspatterns.Design).Entity, checkEntity),
	manifest.KindAttribute:   observe.Of("entity", (*accesspatterns.Design).Entity, checkAttribute),
	manifest.KindRule:        observe.Of("entity", (*accesspatterns.Design).Entity, checkRule),
	manifest.KindPattern:     observe.Of("access pattern", (*accesspatterns.Design).Pattern, patterns.Check),
	manifest.KindFinding:     observe.Of("finding", (*accesspatterns.Design).Finding, checkFinding),
	manifest.KindGuardrail:   observe.Of("guardrail", (*accesspatterns.Design).Guardrail, checkGuardrail),
	manifest.KindInvariant:   observe.Of("invariant", (*accesspatterns.Design).Invariant, races.Check),
	manifest.KindConfinement: patterns.CheckExplored,
	manifest.KindValidity:    patterns.CheckExplored,
	manifest.KindPolicy:      policies.Check,
	manifest.KindLedger:      checkLedger,
}
