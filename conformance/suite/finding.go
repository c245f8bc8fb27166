package suite

import (
	"context"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
	"dynaproof/fixtures"
)

// checkFinding shows a finding: the literal form has the surprise that the
// finding describes, the resolved form is exact, and the claims that the
// resolution rests on passed.
func checkFinding(ctx context.Context, s *Session, o *Observation) {
	finding, known := s.Design.Finding(o.claim.Subject)
	if !known {
		o.cannot(evidence.Error, "no finding %s in the contract", o.claim.Subject)
		return
	}
	o.finding = &evidence.Finding{
		Kind: string(finding.Kind), Severity: string(finding.Severity), Literal: finding.Literal, Resolved: finding.Resolved,
		Claims: s.claimIDs(finding.Claims), Departs: s.claimIDs(finding.Departs), Instead: finding.Instead, Static: finding.Static,
	}
	trialCheck{o}.trials(ctx, "finding/"+finding.ID)
	o.claims(finding.Claims)
	for _, lack := range finding.Lacks {
		id, attribute, _ := strings.Cut(lack, ".")
		itemCheck{o}.lacks(ctx, id, attribute)
	}
	if finding.Static != "" {
		o.static(finding.Cite)
		o.note("no request can show this finding: %s", finding.Static)
	}
}

// claimIDs completes ids that a contract writes without the design's name.
func (s *Input) claimIDs(ids []string) []string {
	var complete []string
	for _, id := range ids {
		complete = append(complete, s.Design.Name+"/"+id)
	}
	return complete
}

// departs returns the ids of the findings because of which a claim asks for something else than its lines say.
func (s *Input) departs(claim string) []string {
	var because []string
	for _, finding := range s.Design.Findings {
		if slices.Contains(s.claimIDs(finding.Departs), claim) {
			because = append(because, s.Design.Name+"/finding/"+finding.ID)
		}
	}
	return because
}

// static proves the cited places of a finding that no request can show.
func (o *Observation) static(cite accesspatterns.Citation) {
	if o.session.Source == nil {
		o.unsupported(declaredDocuments, "the cited places are not proven: %v", o.session.SourceProblem)
		return
	}
	o.rested = append(o.rested, evidence.Static)
	o.saw()
	if err := o.session.Source.Prove(cite); err != nil {
		o.fail("the document", "the cited tokens on the cited lines", strings.ReplaceAll(err.Error(), "\n", "; "), citation)
	}
}

// claims holds when every named claim passed in this run.
func (o *Observation) claims(ids []string) {
	o.session.mu.Lock()
	defer o.session.mu.Unlock()
	for _, id := range ids {
		result, decided := o.session.decided[o.session.Design.Name+"/"+id]
		if decided {
			o.rested = append(o.rested, result.Grade)
		}
		switch {
		case !decided:
			o.cannot(evidence.Indeterminate, "claim %s was not checked in this run", id)
		case result.Verdict.Held():
			o.saw()
		case result.Verdict == evidence.Fail:
			o.saw()
			o.fail("claim "+id, string(evidence.Pass), string(result.Verdict), seeOtherClaim)
		case result.Verdict == evidence.Unsupported:
			o.unsupported(result.Declared, "claim %s is %s, and this one rests on it", id, result.Verdict)
		default:
			o.cannot(result.Verdict, "claim %s is %s, and this one rests on it", id, result.Verdict)
		}
	}
}

// lacks holds when no stored item of the entity carries the attribute.
func (o itemCheck) lacks(ctx context.Context, entity, attribute string) {
	o.eachStored(ctx, entity, func(item *fixtures.Item, stored accesspatterns.Item) {
		o.saw()
		if value, has := stored[attribute]; has {
			o.fail("item "+item.Name, "no attribute "+attribute, accesspatterns.Show(value), noSuchAttribute)
		}
	}, func(*fixtures.Item, string, remedy) {}) // the entity's own claim tells of lost items
}
